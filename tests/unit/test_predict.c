/*
 * test_predict.c - the roof of a device without a sheet: what its own run measured.
 */
#include "base/clock.h"

#include "sample.h"

#include "measure/session_inside.h"

#define GB 1e9

/* 0: the read; 1: 2048^3; 2: 1024^3; 3, 4: a layer for one token and for 512. */
static struct point made[] = {
    {.test = TEST_MEMORY, .kind = KIND_READ, .bytes = 512e6},
    {.test = TEST_GEMM, .m = 2048, .n = 2048, .k = 2048},
    {.test = TEST_GEMM, .m = 1024, .n = 1024, .k = 1024},
    {.test = TEST_BATCH, .m = 4096, .n = 1, .k = 4096},
    {.test = TEST_BATCH, .m = 4096, .n = 512, .k = 4096},
};
enum { READ, LARGE, SMALL, ONE, MANY, COUNT };

static struct session_device device;
static struct session_roof roof;
static struct session_records records;

static int setup(void **state)
{
    (void)state;
    memset(&device, 0, sizeof(device));
    memset(&roof, 0, sizeof(roof));
    memset(&records, 0, sizeof(records));
    device.cache = 32e6;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    records_fini(&records);
    return 0;
}

/* An engine's answer; the roof is that of the last answers. */
static void measure(int index, const char *key, double rate, const char *flag)
{
    json_t *flags = json_array(), *line;
    const struct session_record *last[COUNT] = {NULL};

    if (flag[0])
        json_array_append_new(flags, json_string(flag));
    line = json_pack("{s:s, s:s, s:{s:i, s:f}, s:{s:f}, s:o}", "id", "x", "state", "ok", "time_s",
                     "n", 1, "median", 1.0, "rate", key, rate, "flags", flags);
    records_add(&records, 0, index, &made[index], line);
    json_decref(line);
    for (int i = 0; i < records.count; i++)
        last[records.record[i]->point] = records.record[i];
    memset(&roof, 0, sizeof(roof));
    for (int i = 0; i < COUNT; i++)
        if (last[i])
            session_roof_take(&roof, &device, &made[i], &last[i]->result);
}

static struct roofline predict(int index)
{
    return session_predict(&device, &roof, &made[index]);
}

static struct roof sheet(const struct point *point)
{
    return session_sheet(&device, &roof, point);
}

static void products_have_a_roof_of_arithmetic(void **state)
{
    (void)state;
    measure(READ, "bytes_per_s", 40 * GB, "");
    measure(LARGE, "ops_per_s", 400 * GB, "");
    measure(SMALL, "ops_per_s", 300 * GB, "");
    assert_false(predict(LARGE).time.known); /* against itself it would always hold */
    assert_false(predict(READ).time.known);
    assert_int_equal(predict(SMALL).bound, ROOF_ARITHMETIC);
    assert_int_equal(predict(SMALL).time.origin, ORIGIN_MEASURED);
    assert_near(predict(SMALL).time.value, 2.0 * 1024 * 1024 * 1024 / (400 * GB), 1e-9);
    assert_int_equal(predict(MANY).bound, ROOF_ARITHMETIC);
    assert_int_equal(predict(ONE).bound, ROOF_MEMORY);
    assert_near(predict(ONE).time.value, point_bytes(&made[ONE]) / (40 * GB), 1e-9);
}

static void half_a_roof_predicts_what_it_bounds(void **state)
{
    (void)state;
    measure(READ, "bytes_per_s", 40 * GB, ""); /* no product of that type */
    measure(ONE, "ops_per_s", 20 * GB, "");    /* bound by memory: no roof of arithmetic */
    assert_false(predict(LARGE).time.known);
    assert_false(predict(MANY).time.known);
    assert_int_equal(predict(ONE).bound, ROOF_MEMORY);
    measure(READ, "bytes_per_s", 40 * GB, "contended");
    measure(LARGE, "ops_per_s", 400 * GB, "");
    assert_false(predict(ONE).time.known); /* arithmetic alone does not bound it */
    assert_false(predict(SMALL).time.known);
}

/* Also where nobody knows how large the cache is. */
static void a_read_of_the_cache_is_no_roof(void **state)
{
    struct point kept = made[READ];
    struct gpu gpu;

    (void)state;
    made[READ].cache = CACHE_HOT;
    device.cache = NAN;
    measure(READ, "bytes_per_s", 900 * GB, "");
    assert_false(predict(ONE).time.known);
    gpu = sample_h100();
    device.gpu = &gpu;
    assert_false(predict(READ).time.known); /* nor does the sheet say anything of it */
    made[READ] = kept;
    assert_true(predict(READ).time.known);
}

static void flagged_figures_are_no_roof(void **state)
{
    (void)state;
    measure(READ, "bytes_per_s", 40 * GB, "contended");
    assert_false(predict(ONE).time.known);
    measure(READ, "bytes_per_s", 40 * GB, "emulated"); /* which only informs */
    assert_true(predict(ONE).time.known);
    measure(LARGE, "ops_per_s", 900 * GB, "drift");
    measure(SMALL, "ops_per_s", 300 * GB, "");
    assert_near(predict(LARGE).time.value, 2.0 * 2048 * 2048 * 2048 / (300 * GB), 1e-9);
}

/* What the sheet says of each point: an H100's 989 TFLOP/s and 3.35 TB/s, PCIe 5 x16
 * 32e9 * 128/130 / 8 * 16 = 63.015 GB/s, twice that both ways at once. */
static void a_sheet_says_what_a_point_uses(void **state)
{
    struct point both = {.test = TEST_TRANSFER, .kind = KIND_BOTH_PINNED, .bytes = 64e6};
    struct point disk = {.test = TEST_TRANSFER, .kind = KIND_STORAGE, .bytes = 64e6};
    struct point hot = made[LARGE];
    struct gpu gpu;

    (void)state;
    measure(READ, "bytes_per_s", 40 * GB, "");
    assert_false(sheet(&made[LARGE]).bandwidth.known); /* not measured ones */
    gpu = sample_h100();
    device.gpu = &gpu;
    gpu.pcie_gen = 5;
    gpu.pcie_lanes = 16;
    assert_near(sheet(&made[LARGE]).rate.value, 989e12, 0);
    assert_near(sheet(&made[LARGE]).bandwidth.value, 3.35e12, 0);
    assert_near(sheet(&made[READ]).bandwidth.value, 3.35e12, 0);
    assert_false(sheet(&made[READ]).rate.known);
    assert_near(sheet(&both).bandwidth.value, 126.030769e9, 1e3);
    assert_false(sheet(&disk).bandwidth.known);
    hot.cache = CACHE_HOT;
    assert_false(sheet(&hot).bandwidth.known);
    assert_true(sheet(&hot).rate.known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(products_have_a_roof_of_arithmetic, setup, teardown),
        cmocka_unit_test_setup_teardown(half_a_roof_predicts_what_it_bounds, setup, teardown),
        cmocka_unit_test_setup_teardown(a_read_of_the_cache_is_no_roof, setup, teardown),
        cmocka_unit_test_setup_teardown(flagged_figures_are_no_roof, setup, teardown),
        cmocka_unit_test_setup_teardown(a_sheet_says_what_a_point_uses, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
