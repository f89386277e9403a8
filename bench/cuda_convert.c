/*
 * cuda_convert.c - see cuda_convert.h.
 *
 * One decoder serves all small floats: sign, e exponent bits with a bias, f fraction
 * bits, value = (-1)^s * 2^(E-bias) * (1 + F/2^f), subnormal 2^(1-bias) * F/2^f.
 * Example: e4m3 0x38 = exponent 7, fraction 0 -> 1.0; 0x7e = 2^8 * 1.75 = 448. A full
 * check decodes some 10^8 of them.
 */
#include "bench/cuda_convert.h"

#include <math.h>
#include <string.h>

/* As the same fields of a float, whose bias is 127: exact, also of subnormals. */
static inline double number_decode(unsigned bits, int e, int f, double scale)
{
    uint32_t wide = (bits & ((1u << (e + f)) - 1)) << (23 - f);
    float value;

    memcpy(&value, &wide, sizeof value);
    return (bits >> (e + f) & 1 ? -scale : scale) * (double)value;
}

/* Nearest code, ties to even; magnitudes above `largest` become the largest code. */
static unsigned number_encode(double value, int e, int f, int bias, double largest)
{
    unsigned sign = signbit(value) ? 1u << (e + f) : 0;
    double magnitude = fabs(value);
    int exponent;

    if (magnitude > largest)
        magnitude = largest;
    if (magnitude == 0)
        return sign;
    frexp(magnitude, &exponent);
    exponent--; /* magnitude = 2^exponent * [1,2) */
    if (exponent < 1 - bias)
        exponent = 1 - bias;
    /* codes of one sign count up by one per step, through the binades */
    double steps = nearbyint(ldexp(magnitude, f - exponent));
    return sign | (unsigned)((int)steps + (exponent + bias - 1) * (1 << f));
}

double convert_from_fp16(uint16_t bits)
{
    if ((bits & 0x7c00) == 0x7c00)
        return bits & 0x3ff ? NAN : bits & 0x8000 ? -INFINITY : INFINITY;
    return number_decode(bits, 5, 10, 0x1p112);
}

double convert_from_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float value;

    memcpy(&value, &wide, sizeof value);
    return value;
}

double convert_from_e4m3(uint8_t bits)
{
    return (bits & 0x7f) == 0x7f ? NAN : number_decode(bits, 4, 3, 0x1p120);
}

double convert_from_e2m1(uint8_t bits)
{
    return number_decode(bits & 0xfu, 2, 1, 0x1p126);
}

double convert_from_ue8m0(uint8_t bits)
{
    return bits == 255 ? NAN : ldexp(1, bits - 127);
}

uint16_t convert_to_fp16(float value)
{
    if (isnan(value))
        return 0x7e00;
    if (fabsf(value) >= 65520)
        return signbit(value) ? 0xfc00 : 0x7c00;
    return (uint16_t)number_encode(value, 5, 10, 15, 65504);
}

uint16_t convert_to_bf16(float value)
{
    uint32_t bits;

    if (isnan(value))
        return 0x7fc0;
    memcpy(&bits, &value, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

uint8_t convert_to_e4m3(float value)
{
    return isnan(value) ? 0x7f : (uint8_t)number_encode(value, 4, 3, 7, 448);
}

uint8_t convert_to_e2m1(float value)
{
    return (uint8_t)number_encode(isnan(value) ? 0 : value, 2, 1, 1, 6);
}

double convert_get(enum cuda_bits bits, const void *data, size_t i)
{
    const uint8_t *bytes = data;
    uint16_t half;
    double wide;
    float single;
    int32_t whole;

    switch (bits) {
    case BITS_FP64:
        memcpy(&wide, bytes + 8 * i, sizeof wide);
        return wide;
    case BITS_FP32:
        memcpy(&single, bytes + 4 * i, sizeof single);
        return single;
    case BITS_INT32:
        memcpy(&whole, bytes + 4 * i, sizeof whole);
        return whole;
    case BITS_FP16:
    case BITS_BF16:
        memcpy(&half, bytes + 2 * i, sizeof half);
        return bits == BITS_FP16 ? convert_from_fp16(half) : convert_from_bf16(half);
    case BITS_INT8:
        return (int8_t)bytes[i];
    case BITS_E4M3:
        return convert_from_e4m3(bytes[i]);
    case BITS_E2M1:
        return convert_from_e2m1((uint8_t)(bytes[i / 2] >> (i % 2 * 4)));
    }
    return NAN;
}

static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static float random_uniform(uint64_t *state) /* [-1,1) */
{
    return (float)((double)(random_next(state) >> 11) * 0x1p-52 - 1);
}

/* Of mean 0 and deviation 1, at most 4.9. */
static float random_normal(uint64_t *state)
{
    double sum = 0;

    for (int i = 0; i < 2; i++)
        for (uint64_t bits = random_next(state), k = 0; k < 4; k++, bits >>= 16)
            sum += (double)(bits & 0xffff) / 65536;
    return (float)((sum - 4) * 1.2247448713915890);
}

/* -127..127 */
static int random_int8(bool as_normal, uint64_t *state)
{
    float value;

    if (!as_normal)
        return (int)(random_next(state) % 255) - 127;
    value = roundf(42 * random_normal(state));
    return (int)(value > 127 ? 127 : value < -127 ? -127 : value);
}

static void fill_as(bool as_normal, enum cuda_bits bits, void *data, size_t count, uint64_t *state)
{
    uint8_t *bytes = data;
    uint16_t *halves = data;

    if (bits == BITS_E2M1 && !as_normal) { /* two at once, all codes alike */
        for (size_t i = 0; i < cuda_bits_bytes(bits, count); i++)
            bytes[i] = (uint8_t)random_next(state);
        return;
    }
    for (size_t i = 0; i < count && bits != BITS_FP64; i++) {
        if (bits == BITS_INT32)
            ((int32_t *)data)[i] = random_int8(as_normal, state);
        else if (bits == BITS_INT8)
            bytes[i] = (uint8_t)(int8_t)random_int8(as_normal, state);
        else {
            float value = as_normal ? 0.5f * random_normal(state) : random_uniform(state);

            if (bits == BITS_FP32)
                ((float *)data)[i] = value;
            else if (bits == BITS_E4M3)
                bytes[i] = convert_to_e4m3(value);
            else if (bits == BITS_E2M1)
                bytes[i / 2] = (uint8_t)(i % 2 ? bytes[i / 2] | convert_to_e2m1(4 * value) << 4
                                               : convert_to_e2m1(4 * value));
            else
                halves[i] = bits == BITS_FP16 ? convert_to_fp16(value) : convert_to_bf16(value);
        }
    }
}

void convert_fill(enum cuda_bits bits, void *data, size_t count, uint64_t *state)
{
    fill_as(false, bits, data, count, state);
}

void convert_fill_normal(enum cuda_bits bits, void *data, size_t count, uint64_t *state)
{
    fill_as(true, bits, data, count, state);
}

enum { DRAWN = 65536 };

void convert_fill_many(bool as_normal, enum cuda_bits bits, void *data, size_t bytes,
                       uint64_t *state)
{
    size_t each = cuda_bits_bytes(bits, 2) > 2 ? 2 : 1; /* a byte holds two E2M1 */
    uint16_t halves[DRAWN];
    uint8_t *drawn = (uint8_t *)halves, *to = data;

    if (bits == BITS_FP32 || bits == BITS_INT32) {
        fill_as(as_normal, bits, data, bytes / 4, state);
        return;
    }
    fill_as(as_normal, bits, drawn, DRAWN * each / cuda_bits_bytes(bits, 2) * 2, state);
    for (size_t i = 0; i < bytes; i += 4 * each) {
        uint64_t random = random_next(state);

        for (size_t k = i; k < i + 4 * each && k < bytes; k += each, random >>= 16)
            memcpy(to + k, drawn + (random & (DRAWN - 1)) * each, each);
    }
}

void convert_fill_scales(enum cuda_scale scale, uint8_t *data, int64_t outer, int64_t k,
                         uint64_t *state)
{
    int block = cuda_scale_block(scale);

    memset(data, 0, cuda_scale_bytes(scale, outer, k));
    if (block == 0)
        return;
    int64_t blocks = (k + block - 1) / block;
    for (int64_t row = 0; row < outer; row++)
        for (int64_t i = 0; i < blocks; i++) {
            uint64_t r = random_next(state);

            /* ue8m0 0x7e = 0.5, 0x7f = 1; ue4m3 0x30 = 0.5 ... 0x38 = 1 */
            data[cuda_scale_offset(row, i, blocks)] =
                (uint8_t)(scale == SCALE_VEC32_UE8M0 ? 0x7e + r % 2 : 0x30 + r % 9);
        }
}

double convert_scale(enum cuda_scale scale, const uint8_t *data, int64_t outer, int64_t inner,
                     int64_t k)
{
    int block = cuda_scale_block(scale);

    if (block == 0)
        return 1;
    uint8_t code = data[cuda_scale_offset(outer, inner, (k + block - 1) / block)];
    return scale == SCALE_VEC32_UE8M0 ? convert_from_ue8m0(code) : convert_from_e4m3(code);
}
