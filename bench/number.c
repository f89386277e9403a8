/*
 * number.c - see number.h.
 *
 * One decoder serves all small floats: sign, e exponent bits with a bias, f fraction bits,
 * value = (-1)^s * 2^(E-bias) * (1 + F/2^f), subnormal 2^(1-bias) * F/2^f. Example: e4m3 0x38 =
 * exponent 7, fraction 0 -> 1.0; 0x7e = 2^8 * 1.75 = 448. A full check decodes some 10^8 of them.
 */
#include "bench/number.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

static const struct {
    const char *word;
    int bits;
    int e, f, bias;  /* of a small float */
    double scale;    /* 2^(127-bias) */
    double largest;  /* finite */
    unsigned finite; /* codes above it, without their sign, are none */
    unsigned none;   /* the code of no number */
} rows[] = {
    [NUMBER_F32] = {.word = "fp32", .bits = 32},
    [NUMBER_F16] = {"fp16", 16, 5, 10, 15, 0x1p112, 65504, 0x7bff, 0x7e00},
    [NUMBER_BF16] = {"bf16", 16, 8, 7, 127, 1, 0, 0x7fff, 0x7fc0}, /* also what is not finite */
    [NUMBER_S8] = {.word = "s8", .bits = 8},
    [NUMBER_U8] = {.word = "u8", .bits = 8},
    [NUMBER_U7] = {.word = "u7", .bits = 8},
    [NUMBER_S32] = {.word = "s32", .bits = 32},
    [NUMBER_E4M3] = {"fp8_e4m3", 8, 4, 3, 7, 0x1p120, 448, 0x7e, 0x7f},
    [NUMBER_E2M1] = {"fp4_e2m1", 4, 2, 1, 1, 0x1p126, 6, 7, 0},
    [NUMBER_F64] = {.word = "fp64", .bits = 64},
    [NUMBER_UE8M0] = {.word = "ue8m0", .bits = 8},
};

size_t number_bytes(enum number number, size_t count)
{
    return (count * (size_t)rows[number].bits + 7) / 8;
}

const char *number_word(enum number number)
{
    return rows[number].word;
}

/* As the same fields of a float, whose bias is 127: exact, also of subnormals. */
double number_decode(enum number number, unsigned code)
{
    int e = rows[number].e, f = rows[number].f;
    unsigned sign = 1u << (e + f), plain = code & (sign - 1);
    uint32_t wide = plain << (23 - f);
    float value;

    if (number == NUMBER_UE8M0)
        return code == 255 ? NAN : ldexp(1, (int)code - 127);
    if (plain > rows[number].finite) /* fp16 has an infinity */
        return plain != 0x7c00 ? NAN : code & sign ? -INFINITY : INFINITY;
    memcpy(&value, &wide, sizeof(value));
    return (code & sign ? -rows[number].scale : rows[number].scale) * (double)value;
}

unsigned number_encode(enum number number, float value)
{
    int e = rows[number].e, f = rows[number].f, bias = rows[number].bias, exponent;
    unsigned sign = signbit(value) ? 1u << (e + f) : 0;
    double magnitude = fabs((double)value);
    uint32_t wide;

    if (isnan(value))
        return rows[number].none;
    if (number == NUMBER_BF16) {
        memcpy(&wide, &value, sizeof(wide));
        return (wide + 0x7fff + (wide >> 16 & 1)) >> 16;
    }
    if (number == NUMBER_F16 && magnitude >= 65520)
        return sign | 0x7c00;
    magnitude = fmin(magnitude, rows[number].largest);
    if (magnitude == 0)
        return sign;
    frexp(magnitude, &exponent);
    exponent--; /* magnitude = 2^exponent * [1,2) */
    if (exponent < 1 - bias)
        exponent = 1 - bias;
    /* codes of one sign count up by one per step, through the binades */
    return sign | (unsigned)((int)nearbyint(ldexp(magnitude, f - exponent)) +
                             (exponent + bias - 1) * (1 << f));
}

double number_get(enum number number, const void *data, size_t i)
{
    const uint8_t *bytes = data;
    uint16_t half;
    double wide;
    float single;
    int32_t whole;

    switch (number) {
    case NUMBER_F64:
        memcpy(&wide, bytes + 8 * i, sizeof(wide));
        return wide;
    case NUMBER_F32:
        memcpy(&single, bytes + 4 * i, sizeof(single));
        return (double)single;
    case NUMBER_S32:
        memcpy(&whole, bytes + 4 * i, sizeof(whole));
        return whole;
    case NUMBER_F16:
    case NUMBER_BF16:
        memcpy(&half, bytes + 2 * i, sizeof(half));
        return number_decode(number, half);
    case NUMBER_S8:
        return (int8_t)bytes[i];
    case NUMBER_U8:
    case NUMBER_U7:
        return bytes[i];
    case NUMBER_E2M1:
        return number_decode(number, bytes[i / 2] >> (i % 2 * 4) & 15u);
    default:
        return number_decode(number, bytes[i]);
    }
}

/* The values of all codes, 1 MiB: a load each instead of some ten operations. */
static struct {
    double f16[65536], bf16[65536], e4m3[256], ue8m0[256];
} values;

static void values_make(void)
{
    for (unsigned code = 0; code < 65536; code++) {
        values.f16[code] = number_decode(NUMBER_F16, code);
        values.bf16[code] = number_decode(NUMBER_BF16, code);
    }
    for (unsigned code = 0; code < 256; code++) {
        values.e4m3[code] = number_decode(NUMBER_E4M3, code);
        values.ue8m0[code] = number_decode(NUMBER_UE8M0, code);
    }
}

void number_get_all(enum number number, const void *data, size_t count, double *out)
{
    static pthread_once_t made = PTHREAD_ONCE_INIT;
    const double *half = number == NUMBER_F16    ? values.f16
                         : number == NUMBER_BF16 ? values.bf16
                                                 : NULL;
    const double *byte = number == NUMBER_E4M3    ? values.e4m3
                         : number == NUMBER_UE8M0 ? values.ue8m0
                                                  : NULL;

    pthread_once(&made, values_make);
    if (half)
        for (size_t i = 0; i < count; i++) {
            uint16_t code;

            memcpy(&code, (const char *)data + 2 * i, sizeof(code));
            out[i] = half[code];
        }
    else if (byte)
        for (size_t i = 0; i < count; i++)
            out[i] = byte[((const uint8_t *)data)[i]];
    else
        for (size_t i = 0; i < count; i++)
            out[i] = number_get(number, data, i);
}

/* ---- at random ---- */

/* splitmix64 */
static uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* Of mean 0 and deviation 1, at most 4.9. */
static double random_normal(uint64_t *state)
{
    double sum = 0;

    for (int i = 0; i < 2; i++)
        for (uint64_t bits = random_next(state), k = 0; k < 4; k++, bits >>= 16)
            sum += (double)(bits & 0xffff) / 65536;
    return (sum - 4) * 1.2247448713915890;
}

static int round_within(double value, int least, int most)
{
    return (int)fmin(fmax(round(value), least), most);
}

static void draw_numbers(bool as_normal, enum number number, void *data, size_t count,
                         uint64_t *state)
{
    uint8_t *bytes = data;

    for (size_t i = 0; i < count; i++) {
        uint64_t bits = as_normal ? 0 : random_next(state);
        double z = as_normal ? random_normal(state) : 0;
        float real = as_normal ? (float)(0.5 * z) : (float)((double)(bits >> 11) * 0x1p-52 - 1);
        unsigned code;

        switch (number) {
        case NUMBER_F32:
            ((float *)data)[i] = real;
            break;
        case NUMBER_S32:
            ((int32_t *)data)[i] = as_normal ? (int32_t)(z * 0x1p28) : (int32_t)bits;
            break;
        case NUMBER_S8:
            bytes[i] =
                (uint8_t)(as_normal ? round_within(42 * z, -127, 127) : (int)(bits % 255) - 127);
            break;
        case NUMBER_U8:
            bytes[i] =
                (uint8_t)(as_normal ? round_within(128 + 42 * z, 0, 255) : (int)(bits >> 56));
            break;
        case NUMBER_U7:
            bytes[i] = (uint8_t)(as_normal ? round_within(64 + 21 * z, 0, 127) : (int)(bits >> 57));
            break;
        case NUMBER_E2M1:
            code = as_normal ? number_encode(number, 4 * real) : (unsigned)(bits & 15);
            bytes[i / 2] = (uint8_t)(i % 2 ? bytes[i / 2] | code << 4 : code);
            break;
        case NUMBER_E4M3:
            bytes[i] = (uint8_t)number_encode(number, real);
            break;
        default:
            ((uint16_t *)data)[i] = (uint16_t)number_encode(number, real);
        }
    }
}

enum { DRAWN = 65536 };

void number_fill(enum bench_fill fill, enum number number, void *data, size_t bytes, uint64_t seed)
{
    size_t each = rows[number].bits > 8 ? 2 : 1; /* a byte holds two of e2m1 */
    bool wide = rows[number].bits > 16;
    uint16_t halves[DRAWN];
    uint8_t *drawn = (uint8_t *)halves, *to = data;

    if (fill == FILL_ZEROS) {
        memset(data, 0, bytes);
        return;
    }
    if (wide || bytes <= DRAWN * each) {
        draw_numbers(fill == FILL_NORMAL, number, data, 8 * bytes / (size_t)rows[number].bits,
                     &seed);
        return;
    }
    draw_numbers(fill == FILL_NORMAL, number, drawn, 8 * DRAWN * each / (size_t)rows[number].bits,
                 &seed);
    for (size_t i = 0; i < bytes; i += 4 * each) {
        uint64_t random = random_next(&seed);

        for (size_t k = i; k < i + 4 * each && k < bytes; k += each, random >>= 16)
            memcpy(to + k, drawn + (random & (DRAWN - 1)) * each, each);
    }
}
