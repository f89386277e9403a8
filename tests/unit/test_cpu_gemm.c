/* The check of products on a CPU, with a library of this file: it sums as instructions before VNNI
 * do, pairs of products in 16 bits that saturate, and spoils a result on demand. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "bench/cpu_engine.h"

enum { M = 9, N = 5, K = 64 };

static enum number input;
static int spoilt = -1; /* the result that is one too large, -1 = none */
static bool made_up, refuses;

bool cpu_refuse(struct refusal *why, enum point_state state, const char *fmt, ...)
{
    (void)fmt;
    why->state = state;
    return false;
}

void *cpu_alloc(size_t bytes)
{
    return malloc(bytes);
}

void cpu_release(void *base, size_t bytes)
{
    (void)bytes;
    free(base);
}

static bool lib_make(const struct gemm_shape *shape, struct gemm_made *out, struct refusal *why)
{
    (void)why;
    out->x = input;
    out->w = NUMBER_S8;
    out->y = NUMBER_S32;
    out->packed = (size_t)(shape->m * shape->k);
    out->emulated = made_up;
    return true;
}

static bool lib_pack(void *op, void *w, void *packed)
{
    (void)op;
    memcpy(packed, w, (size_t)M * K);
    return true;
}

static void *lib_operand(void *op, enum gemm_operand which, void *data)
{
    (void)op, (void)which;
    return data;
}

static int saturated(int sum)
{
    return sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum;
}

static bool lib_execute(void *op, void *weights, void *in, void *out)
{
    const int8_t *w = weights;
    const uint8_t *x = in;
    int32_t *y = out;

    (void)op;
    for (int i = 0; i < M * N && !refuses; i++) {
        const int8_t *row = w + i % M * K;
        const uint8_t *column = x + i / M * K;
        int32_t sum = i == spoilt;

        for (int k = 0; k < K; k += 2)
            sum += saturated(row[k] * column[k] + row[k + 1] * column[k + 1]);
        y[i] = sum;
    }
    return !refuses;
}

static bool lib_wait(void *op)
{
    (void)op;
    return true;
}

static void lib_nothing(void *op)
{
    (void)op;
}

#define LIBRARY                                                                            \
    {                                                                                      \
        .make = lib_make, .pack = lib_pack, .operand = lib_operand, .forget = lib_nothing, \
        .execute = lib_execute, .wait = lib_wait, .free = lib_nothing                      \
    }

const struct gemm_library gemm_onednn = LIBRARY, gemm_blas = LIBRARY;

static struct check checked(enum number x, enum bench_fill fill, uint64_t seed)
{
    const struct gemm_shape shape = {TYPE_INT8, M, N, K};
    struct method_settings settings = {.fill = fill, .seed = seed, .check = CHECK_FULL};
    struct refusal why = {.text = ""};
    struct cpu_pool *pool = cpu_pool_new(1);
    struct check check = {.done = false};

    input = x;
    struct cpu_gemm *gemm = cpu_gemm_new(&shape, &why);
    assert_non_null(gemm);
    assert_true(cpu_gemm_fill(gemm, pool, 1, 1, &settings, &why));
    cpu_gemm_check(gemm, &check);
    cpu_gemm_free(gemm);
    cpu_pool_free(pool);
    assert_true(check.done);
    assert_true(check.ok || check.why[0]); /* what is wrong is always said */
    return check;
}

/* Seven bits are never wrong on such a processor, eight are, and that is found. */
static void test_bits(void **state)
{
    int wrong = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (int fill = FILL_UNIFORM; fill <= FILL_NORMAL; fill++) {
            assert_true(checked(NUMBER_U7, (enum bench_fill)fill, seed).ok);
            wrong += !checked(NUMBER_U8, (enum bench_fill)fill, seed).ok;
        }
    assert_true(wrong >= 20);
}

/* Whichever one result is off by one. Only arithmetic of the device's own blames it. */
static void test_planted(void **state)
{
    (void)state;
    for (spoilt = 0; spoilt < M * N; spoilt++)
        for (int i = 0; i < 2; i++) {
            made_up = i;
            struct check check = checked(NUMBER_U7, FILL_UNIFORM, 7);

            assert_false(check.ok);
            assert_non_null(strstr(check.why, "not"));
            assert_int_equal(check.cause != NULL, made_up);
        }
    spoilt = -1;
    made_up = false;
}

static void test_refused(void **state)
{
    (void)state;
    refuses = true;
    assert_string_equal(checked(NUMBER_U7, FILL_UNIFORM, 7).cause, "library");
    refuses = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_planted),
        cmocka_unit_test(test_refused),
    };

    if (!cpu_gemm_library()) /* none is built in */
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
