/*
 * cpu_rows.h - what the kernels for weights as GGUF stores them share (cpu_gemm_rows.c,
 * cpu_rows_k.c): a kernel's call, halves, the partner of K-quants, and the instruction sets.
 */
#ifndef GP_BENCH_CPU_ROWS_H
#define GP_BENCH_CPU_ROWS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* A group of rows times so many tokens; ld = values between two tokens of y. */
typedef void tile_kernel(const char *w, size_t row, const char *x, size_t token, int64_t k,
                         float *y, int64_t ld);

/* Halves are floats whose exponents are 112 less; infinities do not occur. */
static inline float from_half(uint16_t half)
{
    uint32_t bits = (half & 0x7fffu) << 13;
    float value;

    memcpy(&value, &bits, sizeof value);
    value *= 0x1p112f;
    return half & 0x8000 ? -value : value;
}

static inline uint16_t to_half(float value)
{
    float moved = __builtin_fabsf(value) * 0x1p-112f;
    uint32_t bits;

    memcpy(&bits, &moved, sizeof bits);
    bits = (bits + 0xfff + (bits >> 13 & 1)) >> 13;
    return (uint16_t)(bits | (value < 0 ? 0x8000u : 0));
}

/* To the nearest of 127 steps to each side, and the size of one: the sum with 1.5 * 2^23 rounds. */
static inline float quantize_run(const float *x, int count, int8_t *q)
{
    float most = 0, per;

    for (int i = 0; i < count; i++)
        most = __builtin_fabsf(x[i]) > most ? __builtin_fabsf(x[i]) : most;
    per = most > 0 ? 127 / most : 0;
    for (int i = 0; i < count; i++) {
        float moved = x[i] * per + 12582912.0f;
        int32_t bits;

        memcpy(&bits, &moved, sizeof bits);
        q[i] = (int8_t)(bits & 0xff);
    }
    return most / 127;
}

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2,fma,f16c")))
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx2,fma,f16c")))
#define AVX512BF16 \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni,avx512bf16,avx2,fma,f16c")))
#define LOAD_256(p) _mm256_loadu_si256((const void *)(p))

AVX2 static inline float sum_avx2(__m256 v)
{
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));

    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}
#endif

/* Sums stay in registers only where their places in c[][] are known. */
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

/* ---- K-quants (cpu_rows_k.c): blocks of 256 weights ---- */

enum { SUPER = 256, Q4_ROWS = 8 };

struct x_super { /* of activations */
    float scale;
    int8_t q[SUPER];
    int16_t sixteen[SUPER / 16], thirty_two[SUPER / 32]; /* sums of so many q */
};

/* w = scale * size * q - least * low, with a size and a low per 32 weights. Of eight rows, as
 * llama.cpp repacks them: byte 8r + i of part 4s + c is row r, weights 64s + 8c + i and 32 on. */
struct q4k_block {
    uint16_t scale[Q4_ROWS], least[Q4_ROWS];
    uint8_t sizes[SUPER / 32][12]; /* eight sizes and eight lows of 6 bits */
    uint8_t q[SUPER * Q4_ROWS / 2];
};

/* w = scale * size * (q - 32), with a size per 16 weights. Of each 128 weights, in quarters:
 * `low` has the lower 4 bits of quarters 0 and 2, then 1 and 3, `high` the upper two of all. */
struct q6k_block {
    uint8_t low[SUPER / 2], high[SUPER / 4];
    int8_t size[SUPER / 16];
    uint16_t scale;
};

/* From whole numbers, -8..7 and -32..31, so that the products can be checked: sizes are 1. */
void q4k_pack(const int8_t *w, int64_t m, int64_t k, struct q4k_block *out);
void q6k_pack(const int8_t *w, int64_t m, int64_t k, struct q6k_block *out);
void x_super_all(const float *x, struct x_super *out, int64_t count);

extern tile_kernel q4k_plain, q6k_plain;
#if defined(__x86_64__)
extern tile_kernel q4k_avx2_1, q4k_avx2_4, q4k_avx512_8, q4k_avx512_4, q6k_avx2;
#endif

#endif
