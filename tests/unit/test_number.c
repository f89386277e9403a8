/* test_number.c - stored bits against values known from the formats' definitions.
 */
#include "bench/cuda_types.h"
#include "unit.h"

static void known_values(void **state)
{
    const double e2m1[8] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};

    (void)state;
    assert_true(number_decode(NUMBER_F16, 0x3c00) == 1 &&
                number_decode(NUMBER_F16, 0x7bff) == 65504);
    assert_true(number_decode(NUMBER_F16, 0x0001) == 0x1p-24 &&
                number_decode(NUMBER_F16, 0xc000) == -2);
    assert_true(isinf(number_decode(NUMBER_F16, 0x7c00)) &&
                isnan(number_decode(NUMBER_F16, 0xffff)));
    assert_true(number_decode(NUMBER_BF16, 0x3f80) == 1 &&
                isnan(number_decode(NUMBER_BF16, 0xffff)));
    assert_true(number_decode(NUMBER_E4M3, 0x38) == 1 && number_decode(NUMBER_E4M3, 0x7e) == 448);
    assert_true(number_decode(NUMBER_E4M3, 0x01) == 0x1p-9 &&
                number_decode(NUMBER_E4M3, 0x08) == 0x1p-6);
    assert_true(isnan(number_decode(NUMBER_E4M3, 0x7f)) && isnan(number_decode(NUMBER_E4M3, 0xff)));
    assert_true(number_decode(NUMBER_UE8M0, 127) == 1 &&
                number_decode(NUMBER_UE8M0, 0) == 0x1p-127);
    assert_true(isnan(number_decode(NUMBER_UE8M0, 255)));
    for (uint8_t i = 0; i < 8; i++) {
        assert_true(number_decode(NUMBER_E2M1, i) == e2m1[i]);
        assert_true(number_decode(NUMBER_E2M1, i | 8) == -e2m1[i]);
    }
}

static void there_and_back(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 65536; i++) {
        uint16_t bits = (uint16_t)i;

        if (!isnan(number_decode(NUMBER_F16, bits)))
            assert_int_equal(number_encode(NUMBER_F16, (float)number_decode(NUMBER_F16, bits)),
                             bits);
        if (!isnan(number_decode(NUMBER_BF16, bits)))
            assert_int_equal(number_encode(NUMBER_BF16, (float)number_decode(NUMBER_BF16, bits)),
                             bits);
    }
    for (int i = 0; i < 256; i++)
        if (!isnan(number_decode(NUMBER_E4M3, (uint8_t)i)))
            assert_int_equal(
                number_encode(NUMBER_E4M3, (float)number_decode(NUMBER_E4M3, (uint8_t)i)), i);
    for (int i = 0; i < 16; i++)
        assert_int_equal(number_encode(NUMBER_E2M1, (float)number_decode(NUMBER_E2M1, (uint8_t)i)),
                         i);
}

static void rounding(void **state)
{
    (void)state;
    assert_int_equal(number_encode(NUMBER_BF16, 1 + 0x1p-8f), 0x3f80); /* tie to even */
    assert_int_equal(number_encode(NUMBER_BF16, 1 + 0x1.8p-7f), 0x3f82);
    assert_int_equal(number_encode(NUMBER_F16, 65519.0f), 0x7bff);
    assert_int_equal(number_encode(NUMBER_F16, 65520.0f), 0x7c00);
    assert_int_equal(number_encode(NUMBER_E4M3, 1000), 0x7e);
    assert_int_equal(number_encode(NUMBER_E4M3, 1.0625f), 0x38); /* tie between 1 and 1.125 */
    assert_int_equal(number_encode(NUMBER_E4M3, 0x1p-10f), 0);   /* tie with zero */
    assert_int_equal(number_encode(NUMBER_E4M3, 1.99f), 0x40);   /* into the next binade */
    assert_int_equal(number_encode(NUMBER_E2M1, -5), 0xe);       /* tie between 4 and 6 */
    assert_int_equal(number_encode(NUMBER_E2M1, 100), 7);
}

static void filled(void **state)
{
    static const enum number all[] = {NUMBER_F32, NUMBER_F16,  NUMBER_BF16, NUMBER_S8,
                                      NUMBER_S32, NUMBER_E4M3, NUMBER_E2M1, NUMBER_U7};
    static uint64_t data[1024];

    (void)state;
    for (size_t t = 0; t < sizeof all / sizeof all[0]; t++) {
        double limit = all[t] == NUMBER_E2M1  ? 6
                       : all[t] == NUMBER_S8  ? 127
                       : all[t] == NUMBER_S32 ? 0x1p31
                                              : 1;
        double sum = 0, squares = 0;

        memset(data, 0xff, sizeof data);
        number_fill(FILL_UNIFORM, all[t], data, number_bytes(all[t], 2000), 0x5eed);
        for (size_t i = 0; i < 2000; i++) {
            double x = all[t] == NUMBER_U7 ? number_get(all[t], data, i) / 63.5 - 1
                                           : number_get(all[t], data, i) / limit;

            assert_true(fabs(x) <= 1);
            sum += x;
            squares += x * x;
        }
        assert_true(fabs(sum / 2000) < 0.06); /* 4 sigma */
        assert_true(squares / 2000 > 0.2);    /* no zeros, no constant */
    }
}

/* As the others, whole, to the last byte and no further, and no stretch is like
 * another. */
static void filled_many(void **state)
{
    static const enum number all[] = {NUMBER_F32, NUMBER_F16,  NUMBER_BF16,
                                      NUMBER_S8,  NUMBER_E4M3, NUMBER_E2M1};
    enum { BYTES = 1 << 20, LESS = BYTES - 4 };
    static uint8_t data[BYTES];

    (void)state;
    for (size_t t = 0; t < 2 * (sizeof all / sizeof all[0]); t++) {
        enum number bits = all[t / 2];
        bool as_normal = t % 2;
        double limit = bits == NUMBER_E2M1 ? 6 : bits == NUMBER_S8 ? 127 : 1;
        size_t count = (size_t)LESS / number_bytes(bits, 2) * 2;
        double sum = 0, squares = 0;

        memset(data, 0xee, sizeof data);
        number_fill(as_normal ? FILL_NORMAL : FILL_UNIFORM, bits, data, LESS, 0x5eed);
        for (size_t i = 0; i < count; i++) {
            double x = number_get(bits, data, i) / limit;

            sum += x;
            squares += x * x;
        }
        assert_true(fabs(sum / (double)count) < 0.02);
        assert_true(squares / (double)count > (as_normal ? 0.08 : 0.2));
        assert_true(squares / (double)count < (as_normal ? 0.3 : 0.5));
        for (size_t i = 256; i + 256 <= LESS; i += 256)
            assert_true(memcmp(data, data + i, 256) != 0);
        assert_true(data[LESS] == 0xee && data[BYTES - 1] == 0xee);
        assert_false(data[LESS - 1] == 0xee && data[LESS - 2] == 0xee && data[LESS - 3] == 0xee &&
                     data[LESS - 4] == 0xee);
    }
}

/* Two thirds within one deviation, next to nothing beyond three. */
static void filled_normal(void **state)
{
    static const struct {
        enum number bits;
        double deviation;
    } all[] = {{NUMBER_F32, 0.5},    {NUMBER_F16, 0.5},  {NUMBER_BF16, 0.5}, {NUMBER_S8, 42},
               {NUMBER_S32, 0x1p28}, {NUMBER_E4M3, 0.5}, {NUMBER_E2M1, 2}};
    static uint64_t data[1024];

    (void)state;
    for (size_t t = 0; t < sizeof all / sizeof all[0]; t++) {
        double sum = 0, squares = 0;
        int far = 0;

        memset(data, 0xff, sizeof data);
        number_fill(FILL_NORMAL, all[t].bits, data, number_bytes(all[t].bits, 2000), 0x5eed);
        for (size_t i = 0; i < 2000; i++) {
            double x = number_get(all[t].bits, data, i) / all[t].deviation;

            sum += x;
            squares += x * x;
            far += fabs(x) > 3.1;
        }
        assert_true(fabs(sum / 2000) < 0.1);
        assert_near(squares / 2000, 1, 0.15);
        assert_true(far < 20);
    }
}

static void scales(void **state)
{
    static uint8_t data[8192];

    (void)state;
    for (int s = SCALE_NONE + 1; s < SCALE_COUNT; s++) {
        cuda_scale_fill((enum cuda_scale)s, data, 130, 96, 1);
        for (int64_t row = 0; row < 130; row++)
            for (int64_t i = 0; i < 96 / cuda_scale_block((enum cuda_scale)s, 96); i++) {
                double x = cuda_scale_get((enum cuda_scale)s, data, 130, row, i, 96);

                assert_true(x >= 0.5 && x <= 1);
            }
    }
    assert_true(cuda_scale_get(SCALE_NONE, NULL, 8, 5, 5, 64) == 1);
}

/* By tables and one by one: the same, of every type and from every place. */
static void all_at_once(void **state)
{
    static const enum number all[] = {NUMBER_F32, NUMBER_F16,  NUMBER_BF16, NUMBER_S8,
                                      NUMBER_U8,  NUMBER_S32,  NUMBER_E4M3, NUMBER_E2M1,
                                      NUMBER_F64, NUMBER_UE8M0};
    static uint16_t codes[65536];
    static double out[65536];

    (void)state;
    for (unsigned i = 0; i < 65536; i++)
        codes[i] = (uint16_t)(i * 40503u);
    for (size_t t = 0; t < sizeof all / sizeof all[0]; t++)
        for (size_t from = 0; from < 2; from++) {
            size_t count = sizeof codes / 8 - 2 * from;
            const char *data = (const char *)codes + number_bytes(all[t], 2 * from);

            if (all[t] == NUMBER_F16 || all[t] == NUMBER_BF16)
                count = 65536 - 2 * from;
            number_get_all(all[t], data, count, out);
            for (size_t i = 0; i < count; i++) {
                double one = number_get(all[t], data, i);

                assert_true(one == out[i] || (isnan(one) && isnan(out[i])));
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),  cmocka_unit_test(there_and_back),
        cmocka_unit_test(rounding),      cmocka_unit_test(filled),
        cmocka_unit_test(filled_normal), cmocka_unit_test(filled_many),
        cmocka_unit_test(scales),        cmocka_unit_test(all_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
