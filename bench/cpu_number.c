/*
 * cpu_number.c - numbers as a math library stores them: filled, and read back as
 * double.
 *
 * Random values, never zeros unless those are asked for: zeros flip no bits, so they
 * draw less power and let clocks rise. bf16 is the upper half of a float (rounded to
 * nearest even); half precision is filled with multiples of 2^-10 in [-1, 1], which it
 * holds exactly.
 */
#include <math.h>
#include <string.h>
#include <sys/mman.h>

#include "bench/cpu_gemm.h"

static const struct {
    size_t size;
    const char *word;
} numbers[] = {
    [NUMBER_F32] = {4, "fp32"}, [NUMBER_BF16] = {2, "bf16"}, [NUMBER_F16] = {2, "fp16"},
    [NUMBER_S8] = {1, "s8"},    [NUMBER_U8] = {1, "u8"},     [NUMBER_S32] = {4, "s32"},
};

size_t number_size(enum number number)
{
    return numbers[number].size;
}

const char *number_word(enum number number)
{
    return numbers[number].word;
}

static double half_value(uint16_t bits)
{
    int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    double sign = bits & 0x8000 ? -1 : 1;

    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexp(fraction, -24);
    return sign * ldexp(1024 + fraction, exponent - 25);
}

/* i / 1024 for |i| <= 1024: 11 bits, so exact. */
static uint16_t half_bits(int i)
{
    uint16_t sign = i < 0 ? 0x8000 : 0;
    int exponent, fraction = i < 0 ? -i : i;

    if (fraction == 0)
        return sign;
    for (exponent = 15; !(fraction & 1024); exponent--)
        fraction <<= 1;
    return (uint16_t)(sign | exponent << 10 | (fraction & 1023));
}

double number_get(enum number number, const void *base, size_t index)
{
    const unsigned char *at = (const unsigned char *)base + index * numbers[number].size;
    uint32_t wide;
    uint16_t half;
    int32_t whole;
    float real;

    switch (number) {
    case NUMBER_F32:
        memcpy(&real, at, sizeof real);
        return (double)real;
    case NUMBER_BF16:
        memcpy(&half, at, sizeof half);
        wide = (uint32_t)half << 16;
        memcpy(&real, &wide, sizeof real);
        return (double)real;
    case NUMBER_F16:
        memcpy(&half, at, sizeof half);
        return half_value(half);
    case NUMBER_S8:
        return (double)(signed char)*at;
    case NUMBER_U8:
        return (double)*at;
    default:
        memcpy(&whole, at, sizeof whole);
        return (double)whole;
    }
}

/* xorshift64*: a few tenths of a nanosecond, good enough to be no pattern. */
static uint32_t random_next(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * 0x2545f4914f6cdd1du) >> 32);
}

static float unit_float(uint32_t bits)
{
    return (float)(int32_t)(bits >> 8) * (2.0f / 16777215.0f) - 1.0f;
}

static uint16_t bf16_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

/* Of mean 0 and deviation 1, at most 4.9. */
static float random_normal(uint64_t *state)
{
    uint32_t sum = 0;

    for (int i = 0; i < 4; i++) {
        uint32_t bits = random_next(state);

        sum += (bits >> 16) + (bits & 0xffff);
    }
    return ((float)sum / 65536.0f - 4.0f) * 1.2247449f;
}

static int round_within(float value, int least, int most)
{
    long rounded = lroundf(value);

    return rounded < least ? least : rounded > most ? most : (int)rounded;
}

/* Uniform, or normal: each as the header says. */
static void fill_random(bool as_normal, enum number number, void *base, size_t count, uint64_t seed)
{
    uint64_t state = seed * 0x9e3779b97f4a7c15u | 1;

    for (size_t i = 0; i < count; i++) {
        float z = as_normal ? random_normal(&state) : 0;
        uint32_t bits = as_normal ? 0 : random_next(&state);
        float real = as_normal ? 0.5f * z : unit_float(bits);

        switch (number) {
        case NUMBER_F32:
            ((float *)base)[i] = real;
            break;
        case NUMBER_BF16:
            ((uint16_t *)base)[i] = bf16_bits(real);
            break;
        case NUMBER_F16:
            ((uint16_t *)base)[i] = half_bits(as_normal ? round_within(512 * z, -2047, 2047)
                                                        : (int)(bits % 2049) - 1024);
            break;
        case NUMBER_S8:
            ((signed char *)base)[i] = (signed char)(as_normal ? round_within(42 * z, -127, 127)
                                                               : (int)(bits % 255) - 127);
            break;
        case NUMBER_U8:
            ((unsigned char *)base)[i] =
                (unsigned char)(as_normal ? round_within(128 + 42 * z, 0, 255) : (int)(bits >> 24));
            break;
        default:
            ((int32_t *)base)[i] = as_normal ? (int32_t)((double)z * 0x1p28) : (int32_t)bits;
        }
    }
}

void number_fill_as(enum bench_fill fill, enum number number, void *base, size_t count,
                    uint64_t seed)
{
    if (fill == FILL_ZEROS)
        memset(base, 0, count * number_size(number));
    else
        fill_random(fill == FILL_NORMAL, number, base, count, seed);
}

void number_fill(enum number number, void *base, size_t count, uint64_t seed)
{
    number_fill_as(FILL_UNIFORM, number, base, count, seed);
}

/* Large blocks ask for pages of 2 MiB: what a product then waits for is memory, not the
 * tables that say where it is (batch 1 of bf16: 50.2 GB/s in pages of 4 KiB, 52.0). */
void *cpu_alloc(size_t bytes)
{
    size_t page = (size_t)2 << 20;
    void *base =
        mmap(NULL, bytes ? bytes : 1, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED)
        return NULL;
    if (bytes >= page)
        madvise(base, bytes, MADV_HUGEPAGE); /* a wish: refused, nothing is lost */
    return base;
}

void cpu_release(void *base, size_t bytes)
{
    if (base)
        munmap(base, bytes ? bytes : 1);
}
