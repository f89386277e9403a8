/*
 * cpu_gemm_rows.c - products whose weights stay as a GGUF file stores them, the way llama.cpp's
 * kernels for processors multiply them: x is turned into the partner of the format (F16, BF16,
 * blocks of 32 int8 with a scale), and every row of W is a dot product, or of many tokens a
 * tile of rows and tokens in registers.
 *
 *   ggml-f16, ggml-bf16  both sides widened to FP32 on the way, BF16 in pairs where the processor
 *                        multiplies those (AVX-512 BF16); one token: a row at a time, four
 *                        sums; more: 4 rows x 6 tokens (AVX2: 3)
 *   ggml-q8_0            |w| times x with the sign of w, in int8, scaled per block; 4 rows x 4
 *                        (AVX2: 2), whose scales are multiplied at once
 *   ggml-q4_0            eight rows beside each other, as llama.cpp repacks them; 8 rows x 4
 *   ggml-q4_k, ggml-q6_k cpu_rows_k.c
 *
 * One token is no stream of reads: a core that unpacks and sums asks for less memory than one
 * that only adds. On two cores of 2 GHz with AVX-512 a stream reads 31 GB/s, these 19, 14 and 14.
 * Weights lie in pages of 4 KiB, as those of a mapped file do.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "bench/cpu_engine.h"
#include "bench/cpu_rows.h"

enum { BLOCK = 32 };

struct x_block { /* of activations */
    float scale;
    int8_t q[BLOCK];
};
struct q8_block {
    uint16_t scale; /* FP16 */
    int8_t q[BLOCK];
};
struct q4_block { /* of eight rows: byte 4r + i of part p is row r, columns 8p + i and 8p + 4 + i */
    uint16_t scale[Q4_ROWS];
    uint8_t q[Q4_ROWS * BLOCK / 2];
};

enum { TILES = 3, KERNELS = 4 };
struct kernels {
    const char *isa;
    bool (*here)(void); /* has this processor the instructions? NULL: any has */
    int rows;
    tile_kernel *one; /* a row times one token; NULL = tile[] does */
    struct {
        int tokens;
        tile_kernel *run;
    } tile[TILES]; /* from many tokens to one */
};

struct op {
    struct gemm_shape shape;
    struct kernels kernels;
    size_t row, token; /* bytes of a row of W, and of a token of x */
    char *converted;   /* x, as the format wants it */
    const char *w;     /* of the run */
    const float *x;
    float *y;
};

static struct cpu_pool *pool;

static float from_bf16(uint16_t half)
{
    uint32_t bits = (uint32_t)half << 16;
    float value;

    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- plain C ---- */

#define PLAIN_HALF(name, widen)                                                                   \
    static void name(const char *w, size_t row, const char *x, size_t token, int64_t k, float *y, \
                     int64_t ld)                                                                  \
    {                                                                                             \
        const uint16_t *a = (const void *)w, *b = (const void *)x;                                \
        float sum[16] = {0}, all = 0;                                                             \
        (void)row, (void)token, (void)ld;                                                         \
        for (int64_t l = 0; l < k; l += 16)                                                       \
            for (int i = 0; i < 16; i++)                                                          \
                sum[i] += widen(a[l + i]) * widen(b[l + i]);                                      \
        for (int i = 0; i < 16; i++)                                                              \
            all += sum[i];                                                                        \
        *y = all;                                                                                 \
    }
PLAIN_HALF(f16_plain, from_half)
PLAIN_HALF(bf16_plain, from_bf16)

static void q8_plain(const char *w, size_t row, const char *x, size_t token, int64_t k, float *y,
                     int64_t ld)
{
    const struct q8_block *a = (const void *)w;
    const struct x_block *b = (const void *)x;
    float all = 0;

    (void)row, (void)token, (void)ld;
    for (int64_t l = 0; l < k / BLOCK; l++) {
        int sum = 0;

        for (int i = 0; i < BLOCK; i++)
            sum += a[l].q[i] * b[l].q[i];
        all += (float)sum * from_half(a[l].scale) * b[l].scale;
    }
    *y = all;
}

static void q4_plain(const char *w, size_t row, const char *x, size_t token, int64_t k, float *y,
                     int64_t ld)
{
    const struct q4_block *a = (const void *)w;
    const struct x_block *b = (const void *)x;
    float all[Q4_ROWS] = {0};

    (void)row, (void)token, (void)ld;
    for (int64_t l = 0; l < k / BLOCK; l++)
        for (int r = 0; r < Q4_ROWS; r++) {
            int sum = 0;

            for (int p = 0; p < 4; p++)
                for (int i = 0; i < 4; i++) {
                    int q = a[l].q[32 * p + 4 * r + i];

                    sum +=
                        ((q & 15) - 8) * b[l].q[8 * p + i] + ((q >> 4) - 8) * b[l].q[8 * p + 4 + i];
                }
            all[r] += (float)sum * from_half(a[l].scale[r]) * b[l].scale;
        }
    memcpy(y, all, sizeof all);
}

/* ---- AVX2 and AVX-512 ---- */

#if defined(__x86_64__)

AVX512 static inline float sum_avx512(__m512 v)
{
    return _mm512_reduce_add_ps(v);
}

#define F16_avx2(p) _mm256_cvtph_ps(_mm_loadu_si128((const void *)(p)))
#define F16_avx512(p) _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(p)))
#define BF16_avx2(p)     \
    _mm256_castsi256_ps( \
        _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *)(p))), 16))
#define BF16_avx512(p)   \
    _mm512_castsi512_ps( \
        _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *)(p))), 16))

/* One row and one token with four sums; four rows and some tokens with one sum each. */
#define HALF_DOT(name, attribute, vec, lanes, zero, fma, load, sum)                               \
    attribute static void name(const char *w, size_t row, const char *x, size_t token, int64_t k, \
                               float *y, int64_t ld)                                              \
    {                                                                                             \
        const uint16_t *a = (const void *)w, *b = (const void *)x;                                \
        vec c[4] = {zero, zero, zero, zero};                                                      \
        int64_t l = 0;                                                                            \
        (void)row, (void)token, (void)ld;                                                         \
        for (; l + 4 * (lanes) <= k; l += 4 * (lanes))                                            \
            UNROLL for (int i = 0; i < 4; i++) c[i] =                                             \
                fma(load(a + l + i * (lanes)), load(b + l + i * (lanes)), c[i]);                  \
        for (; l < k; l += lanes)                                                                 \
            c[0] = fma(load(a + l), load(b + l), c[0]);                                           \
        *y = sum(c[0]) + sum(c[1]) + sum(c[2]) + sum(c[3]);                                       \
    }

#define HALF_TILE(name, attribute, tokens, vec, lanes, zero, fma, load, sum)                      \
    attribute static void name(const char *w, size_t row, const char *x, size_t token, int64_t k, \
                               float *y, int64_t ld)                                              \
    {                                                                                             \
        vec c[tokens][4];                                                                         \
        UNROLL for (int t = 0; t < (tokens); t++) UNROLL for (int r = 0; r < 4; r++) c[t][r] =    \
            zero;                                                                                 \
        for (int64_t l = 0; l < k; l += lanes) {                                                  \
            vec a[4];                                                                             \
            UNROLL for (int r = 0; r < 4; r++) a[r] = load(w + (size_t)r * row + 2 * l);          \
            UNROLL for (int t = 0; t < (tokens); t++)                                             \
            {                                                                                     \
                vec b = load(x + (size_t)t * token + 2 * l);                                      \
                UNROLL for (int r = 0; r < 4; r++) c[t][r] = fma(a[r], b, c[t][r]);               \
            }                                                                                     \
        }                                                                                         \
        UNROLL for (int t = 0; t < (tokens); t++) UNROLL for (int r = 0; r < 4; r++)              \
            y[t * ld + r] = sum(c[t][r]);                                                         \
    }

#define ON_AVX2 __m256, 8, _mm256_setzero_ps(), _mm256_fmadd_ps
#define ON_AVX512 __m512, 16, _mm512_setzero_ps(), _mm512_fmadd_ps
#define EXPAND(make, ...) make(__VA_ARGS__)
#define ON_DPBF16 __m512, 32, _mm512_setzero_ps(), DPBF16
#define DPBF16(a, b, sum) \
    _mm512_dpbf16_ps(sum, (__m512bh)_mm512_castps_si512(a), (__m512bh)_mm512_castps_si512(b))
#define PAIRS_avx512(p) _mm512_castsi512_ps(_mm512_loadu_si512((const void *)(p)))
EXPAND(HALF_DOT, bf16_dpbf16, AVX512BF16, ON_DPBF16, PAIRS_avx512, sum_avx512)
EXPAND(HALF_TILE, bf16_dpbf16_6, AVX512BF16, 6, ON_DPBF16, PAIRS_avx512, sum_avx512)
EXPAND(HALF_TILE, bf16_dpbf16_3, AVX512BF16, 3, ON_DPBF16, PAIRS_avx512, sum_avx512)
EXPAND(HALF_TILE, bf16_dpbf16_1, AVX512BF16, 1, ON_DPBF16, PAIRS_avx512, sum_avx512)
EXPAND(HALF_DOT, f16_avx2, AVX2, ON_AVX2, F16_avx2, sum_avx2)
EXPAND(HALF_TILE, f16_avx2_3, AVX2, 3, ON_AVX2, F16_avx2, sum_avx2)
EXPAND(HALF_TILE, f16_avx2_1, AVX2, 1, ON_AVX2, F16_avx2, sum_avx2)
EXPAND(HALF_DOT, bf16_avx2, AVX2, ON_AVX2, BF16_avx2, sum_avx2)
EXPAND(HALF_TILE, bf16_avx2_3, AVX2, 3, ON_AVX2, BF16_avx2, sum_avx2)
EXPAND(HALF_TILE, bf16_avx2_1, AVX2, 1, ON_AVX2, BF16_avx2, sum_avx2)
EXPAND(HALF_DOT, f16_avx512, AVX512, ON_AVX512, F16_avx512, sum_avx512)
EXPAND(HALF_TILE, f16_avx512_6, AVX512, 6, ON_AVX512, F16_avx512, sum_avx512)
EXPAND(HALF_TILE, f16_avx512_3, AVX512, 3, ON_AVX512, F16_avx512, sum_avx512)
EXPAND(HALF_TILE, f16_avx512_1, AVX512, 1, ON_AVX512, F16_avx512, sum_avx512)
EXPAND(HALF_DOT, bf16_avx512, AVX512, ON_AVX512, BF16_avx512, sum_avx512)
EXPAND(HALF_TILE, bf16_avx512_6, AVX512, 6, ON_AVX512, BF16_avx512, sum_avx512)
EXPAND(HALF_TILE, bf16_avx512_3, AVX512, 3, ON_AVX512, BF16_avx512, sum_avx512)
EXPAND(HALF_TILE, bf16_avx512_1, AVX512, 1, ON_AVX512, BF16_avx512, sum_avx512)

/* Sums of four products of u8 and s8. */
AVX2 static inline __m256i quads_avx2(__m256i sum, __m256i a, __m256i b)
{
    return _mm256_add_epi32(sum,
                            _mm256_madd_epi16(_mm256_maddubs_epi16(a, b), _mm256_set1_epi16(1)));
}

AVX512 static inline __m256i quads_avx512(__m256i sum, __m256i a, __m256i b)
{
    return _mm256_dpbusd_epi32(sum, a, b);
}

#define Q8_TILE(name, attribute, rows, tokens, quads)                                             \
    attribute static void name(const char *w, size_t row, const char *x, size_t token, int64_t k, \
                               float *y, int64_t ld)                                              \
    {                                                                                             \
        __m256 c[tokens][rows];                                                                   \
        UNROLL for (int t = 0; t < (tokens); t++) UNROLL for (int r = 0; r < (rows); r++)         \
            c[t][r] = _mm256_setzero_ps();                                                        \
        for (int64_t l = 0; l < k / BLOCK; l++)                                                   \
            UNROLL for (int r = 0; r < (rows); r++)                                               \
            {                                                                                     \
                const struct q8_block *a =                                                        \
                    (const struct q8_block *)(const void *)(w + (size_t)r * row) + l;             \
                __m256i q = LOAD_256(a->q), size = _mm256_sign_epi8(q, q);                        \
                float scale = _cvtsh_ss(a->scale);                                                \
                UNROLL for (int t = 0; t < (tokens); t++)                                         \
                {                                                                                 \
                    const struct x_block *b =                                                     \
                        (const struct x_block *)(const void *)(x + (size_t)t * token) + l;        \
                    __m256i s =                                                                   \
                        quads(_mm256_setzero_si256(), size, _mm256_sign_epi8(LOAD_256(b->q), q)); \
                    c[t][r] = _mm256_fmadd_ps(_mm256_set1_ps(scale * b->scale),                   \
                                              _mm256_cvtepi32_ps(s), c[t][r]);                    \
                }                                                                                 \
            }                                                                                     \
        UNROLL for (int t = 0; t < (tokens); t++) UNROLL for (int r = 0; r < (rows); r++)         \
            y[t * ld + r] = sum_avx2(c[t][r]);                                                    \
    }

/* Four rows: their scales times a token's are one product, spread by shuffles; rows stay in
 * registers over the tokens. As llama.cpp's own (llamafile/sgemm.cpp, gemm4xN). */
#define Q8_FOUR(name, attribute, tokens, quads)                                                    \
    attribute static void name(const char *w, size_t row, const char *x, size_t token, int64_t k,  \
                               float *y, int64_t ld)                                               \
    {                                                                                              \
        __m256 c[tokens][4];                                                                       \
        UNROLL for (int t = 0; t < (tokens); t++) UNROLL for (int r = 0; r < 4; r++) c[t][r] =     \
            _mm256_setzero_ps();                                                                   \
        for (int64_t l = 0; l < k / BLOCK; l++) {                                                  \
            const struct q8_block *a[4];                                                           \
            __m256i q[4], size[4];                                                                 \
            UNROLL for (int r = 0; r < 4; r++)                                                     \
            {                                                                                      \
                a[r] = (const struct q8_block *)(const void *)(w + (size_t)r * row) + l;           \
                q[r] = LOAD_256(a[r]->q);                                                          \
                size[r] = _mm256_sign_epi8(q[r], q[r]);                                            \
            }                                                                                      \
            __m128 scale =                                                                         \
                _mm_cvtph_ps(_mm_setr_epi16((short)a[0]->scale, (short)a[1]->scale,                \
                                            (short)a[2]->scale, (short)a[3]->scale, 0, 0, 0, 0));  \
            UNROLL for (int t = 0; t < (tokens); t++)                                              \
            {                                                                                      \
                const struct x_block *b =                                                          \
                    (const struct x_block *)(const void *)(x + (size_t)t * token) + l;             \
                __m128 both = _mm_mul_ps(scale, _mm_set1_ps(b->scale));                            \
                __m256 wide = _mm256_insertf128_ps(_mm256_castps128_ps256(both), both, 1);         \
                __m256i v = LOAD_256(b->q);                                                        \
                UNROLL for (int r = 0; r < 4; r++)                                                 \
                {                                                                                  \
                    __m256i s = quads(_mm256_setzero_si256(), size[r], _mm256_sign_epi8(v, q[r])); \
                    c[t][r] = _mm256_fmadd_ps(LANES_OF(wide, r), _mm256_cvtepi32_ps(s), c[t][r]);  \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
        UNROLL for (int t = 0; t < (tokens); t++) UNROLL for (int r = 0; r < 4; r++)               \
            y[t * ld + r] = sum_avx2(c[t][r]);                                                     \
    }
#define LANES_OF(v, r)                        \
    (r == 0   ? _mm256_shuffle_ps(v, v, 0x00) \
     : r == 1 ? _mm256_shuffle_ps(v, v, 0x55) \
     : r == 2 ? _mm256_shuffle_ps(v, v, 0xaa) \
              : _mm256_shuffle_ps(v, v, 0xff))
Q8_TILE(q8_avx2, AVX2, 1, 1, quads_avx2)
Q8_FOUR(q8_avx2_2, AVX2, 2, quads_avx2)
Q8_FOUR(q8_avx2_1, AVX2, 1, quads_avx2)
Q8_TILE(q8_avx512, AVX512, 1, 1, quads_avx512)
Q8_FOUR(q8_avx512_4, AVX512, 4, quads_avx512)
Q8_FOUR(q8_avx512_1, AVX512, 1, quads_avx512)

AVX2 static inline __m256i four_bytes(const int8_t *at)
{
    int value;

    memcpy(&value, at, sizeof value);
    return _mm256_set1_epi32(value);
}

/* Nibbles become signed bytes by a table, as every 4-bit format's do. */
#define Q4_TILE(name, attribute, tokens, quads)                                                   \
    attribute static void name(const char *w, size_t row, const char *x, size_t token, int64_t k, \
                               float *y, int64_t ld)                                              \
    {                                                                                             \
        const __m256i low = _mm256_set1_epi8(15);                                                 \
        const __m256i table = _mm256_broadcastsi128_si256(                                        \
            _mm_set_epi8(7, 6, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -6, -7, -8));                \
        __m256 c[tokens];                                                                         \
        (void)row;                                                                                \
        UNROLL for (int t = 0; t < (tokens); t++) c[t] = _mm256_setzero_ps();                     \
        for (int64_t l = 0; l < k / BLOCK; l++) {                                                 \
            const struct q4_block *a = (const struct q4_block *)(const void *)w + l;              \
            __m256 scale = _mm256_cvtph_ps(_mm_loadu_si128((const void *)a->scale));              \
            __m256i s[tokens];                                                                    \
            UNROLL for (int t = 0; t < (tokens); t++) s[t] = _mm256_setzero_si256();              \
            UNROLL for (int p = 0; p < 4; p++)                                                    \
            {                                                                                     \
                __m256i q = LOAD_256(a->q + 32 * p);                                              \
                __m256i u = _mm256_shuffle_epi8(table, _mm256_and_si256(q, low));                 \
                __m256i v =                                                                       \
                    _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(q, 4), low));   \
                __m256i su = _mm256_sign_epi8(u, u), sv = _mm256_sign_epi8(v, v);                 \
                UNROLL for (int t = 0; t < (tokens); t++)                                         \
                {                                                                                 \
                    const struct x_block *b =                                                     \
                        (const struct x_block *)(const void *)(x + (size_t)t * token) + l;        \
                    s[t] = quads(s[t], su, _mm256_sign_epi8(four_bytes(b->q + 8 * p), u));        \
                    s[t] = quads(s[t], sv, _mm256_sign_epi8(four_bytes(b->q + 8 * p + 4), v));    \
                }                                                                                 \
            }                                                                                     \
            UNROLL for (int t = 0; t < (tokens); t++)                                             \
            {                                                                                     \
                const struct x_block *b =                                                         \
                    (const struct x_block *)(const void *)(x + (size_t)t * token) + l;            \
                c[t] = _mm256_fmadd_ps(_mm256_mul_ps(scale, _mm256_set1_ps(b->scale)),            \
                                       _mm256_cvtepi32_ps(s[t]), c[t]);                           \
            }                                                                                     \
        }                                                                                         \
        UNROLL for (int t = 0; t < (tokens); t++) _mm256_storeu_ps(y + t * ld, c[t]);             \
    }
Q4_TILE(q4_avx2_4, AVX2, 4, quads_avx2)
Q4_TILE(q4_avx2_1, AVX2, 1, quads_avx2)
Q4_TILE(q4_avx512_4, AVX512, 4, quads_avx512)
Q4_TILE(q4_avx512_1, AVX512, 1, quads_avx512)
#endif

/* ---- which of them ---- */

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

static bool has_dpbf16(void)
{
    return has_avx512() && __builtin_cpu_supports("avx512bf16");
}
#endif

static const struct row_type {
    enum bench_type type;
    enum number w;
    int columns;                     /* a multiple of which k is */
    size_t row, token;               /* bytes of so many columns */
    struct kernels kernels[KERNELS]; /* from the widest registers to plain C */
} row_types[] = {
    {TYPE_GGML_F16,
     NUMBER_F16,
     16,
     32,
     32,
     {
#if defined(__x86_64__)
         {"AVX-512",
          has_avx512,
          4,
          f16_avx512,
          {{6, f16_avx512_6}, {3, f16_avx512_3}, {1, f16_avx512_1}}},
         {"AVX2", has_avx2, 4, f16_avx2, {{3, f16_avx2_3}, {1, f16_avx2_1}}},
#endif
         {"plain C", NULL, 1, f16_plain, {{1, f16_plain}}}}},
    {TYPE_GGML_BF16,
     NUMBER_BF16,
     32,
     64,
     64,
     {
#if defined(__x86_64__)
         {"AVX-512 BF16",
          has_dpbf16,
          4,
          bf16_dpbf16,
          {{6, bf16_dpbf16_6}, {3, bf16_dpbf16_3}, {1, bf16_dpbf16_1}}},
         {"AVX-512",
          has_avx512,
          4,
          bf16_avx512,
          {{6, bf16_avx512_6}, {3, bf16_avx512_3}, {1, bf16_avx512_1}}},
         {"AVX2", has_avx2, 4, bf16_avx2, {{3, bf16_avx2_3}, {1, bf16_avx2_1}}},
#endif
         {"plain C", NULL, 1, bf16_plain, {{1, bf16_plain}}}}},
    {TYPE_GGML_Q8_0,
     NUMBER_S8,
     BLOCK,
     sizeof(struct q8_block),
     sizeof(struct x_block),
     {
#if defined(__x86_64__)
         {"AVX-512 VNNI", has_avx512, 4, q8_avx512, {{4, q8_avx512_4}, {1, q8_avx512_1}}},
         {"AVX2", has_avx2, 4, q8_avx2, {{2, q8_avx2_2}, {1, q8_avx2_1}}},
#endif
         {"plain C", NULL, 1, q8_plain, {{1, q8_plain}}}}},
    {TYPE_GGML_Q4_0,
     NUMBER_S4,
     BLOCK,
     sizeof(struct q4_block) / Q4_ROWS,
     sizeof(struct x_block),
     {
#if defined(__x86_64__)
         {"AVX-512 VNNI", has_avx512, Q4_ROWS, NULL, {{4, q4_avx512_4}, {1, q4_avx512_1}}},
         {"AVX2", has_avx2, Q4_ROWS, NULL, {{4, q4_avx2_4}, {1, q4_avx2_1}}},
#endif
         {"plain C", NULL, Q4_ROWS, NULL, {{1, q4_plain}}}}},
    {TYPE_GGML_Q4_K,
     NUMBER_S4,
     SUPER,
     sizeof(struct q4k_block) / Q4_ROWS,
     sizeof(struct x_super),
     {
#if defined(__x86_64__)
         {"AVX-512",
          has_avx512,
          Q4_ROWS,
          NULL,
          {{8, q4k_avx512_8}, {4, q4k_avx512_4}, {1, q4k_avx2_1}}},
         {"AVX2", has_avx2, Q4_ROWS, NULL, {{4, q4k_avx2_4}, {1, q4k_avx2_1}}},
#endif
         {"plain C", NULL, Q4_ROWS, NULL, {{1, q4k_plain}}}}},
    {TYPE_GGML_Q6_K,
     NUMBER_S6,
     SUPER,
     sizeof(struct q6k_block),
     sizeof(struct x_super),
     {
#if defined(__x86_64__)
         {"AVX2", has_avx2, 1, NULL, {{1, q6k_avx2}}},
#endif
         {"plain C", NULL, 1, NULL, {{1, q6k_plain}}}}},
};

static const struct row_type *row_type_of(enum bench_type type)
{
    for (size_t i = 0; i < sizeof row_types / sizeof row_types[0]; i++)
        if (row_types[i].type == type)
            return &row_types[i];
    return NULL;
}

static const struct kernels *best_kernels(const struct row_type *t)
{
    const struct kernels *k = t->kernels;

#if defined(__x86_64__)
    __builtin_cpu_init();
#endif
    while (k->here && !k->here())
        k++;
    return k;
}

static bool make(const struct gemm_shape *s, struct gemm_made *out, struct refusal *why)
{
    const struct row_type *t = row_type_of(s->type);
    struct op *op;

    if (s->k % t->columns || s->m % Q4_ROWS)
        return cpu_refuse(why, POINT_UNSUPPORTED,
                          "rows of %s come in blocks of %d columns, eight at a time",
                          bench_type_word(s->type), t->columns);
    op = gp_calloc(1, sizeof *op);
    op->shape = *s;
    op->kernels = *best_kernels(t);
    op->row = (size_t)(s->k / t->columns) * t->row;
    op->token = (size_t)(s->k / t->columns) * t->token;
    op->converted = gp_malloc((size_t)s->n * op->token);
    out->op = op;
    out->x = out->y = NUMBER_F32;
    out->w = t->w;
    out->packed = (size_t)(s->k / t->columns) * t->row * (size_t)s->m;
    out->small_pages = true;
    gp_format(out->algorithm, sizeof out->algorithm, "rows as stored, %s", op->kernels.isa);
    return true;
}

static void free_op(void *ctx)
{
    struct op *op = ctx;

    free(op->converted);
    free(op);
}

/* ---- operands ---- */

static void pack_q8(const struct op *op, const int8_t *w, struct q8_block *out)
{
    for (int64_t i = 0; i < op->shape.m * op->shape.k / BLOCK; i++) {
        out[i].scale = to_half(1);
        memcpy(out[i].q, w + i * BLOCK, BLOCK);
    }
}

static void pack_q4(const struct op *op, const int8_t *w, struct q4_block *out)
{
    int64_t k = op->shape.k;

    for (int64_t m = 0; m < op->shape.m; m += Q4_ROWS)
        for (int64_t l = 0; l < k; l += BLOCK, out++)
            for (int r = 0; r < Q4_ROWS; r++) {
                const int8_t *at = w + (m + r) * k + l;

                out->scale[r] = to_half(1);
                for (int i = 0; i < BLOCK / 2; i++) {
                    int c = i / 4 * 8 + i % 4;

                    out->q[i / 4 * 32 + 4 * r + i % 4] =
                        (uint8_t)((at[c] + 8) | (at[c + 4] + 8) << 4);
                }
            }
}

static bool pack(void *ctx, void *w, void *packed)
{
    const struct op *op = ctx;

    if (op->shape.type == TYPE_GGML_Q8_0)
        pack_q8(op, w, packed);
    else if (op->shape.type == TYPE_GGML_Q4_0)
        pack_q4(op, w, packed);
    else if (op->shape.type == TYPE_GGML_Q4_K)
        q4k_pack(w, op->shape.m, op->shape.k, packed);
    else if (op->shape.type == TYPE_GGML_Q6_K)
        q6k_pack(w, op->shape.m, op->shape.k, packed);
    else
        memcpy(packed, w, (size_t)op->shape.m * op->row);
    return true;
}

static void quantize(const float *x, struct x_block *out)
{
    out->scale = quantize_run(x, BLOCK, out->q);
}

#if defined(__x86_64__)
/* The same, 20 times as fast: a core would wait for it in every product of one token. */
AVX2 static void quantize_avx2(const float *x, struct x_block *out)
{
    const __m256 sign = _mm256_set1_ps(-0.0f);
    __m256 v[4], m = _mm256_setzero_ps();
    __m256i q[4];
    __m128 h;
    float most;

    for (int i = 0; i < 4; i++) {
        v[i] = _mm256_loadu_ps(x + 8 * i);
        m = _mm256_max_ps(m, _mm256_andnot_ps(sign, v[i]));
    }
    h = _mm_max_ps(_mm256_castps256_ps128(m), _mm256_extractf128_ps(m, 1));
    h = _mm_max_ps(h, _mm_movehl_ps(h, h));
    most = _mm_cvtss_f32(_mm_max_ss(h, _mm_movehdup_ps(h)));
    out->scale = most / 127;
    for (int i = 0; i < 4; i++)
        q[i] = _mm256_cvtps_epi32(_mm256_mul_ps(v[i], _mm256_set1_ps(most > 0 ? 127 / most : 0)));
    q[0] = _mm256_packs_epi16(_mm256_packs_epi32(q[0], q[1]), _mm256_packs_epi32(q[2], q[3]));
    q[0] = _mm256_permutevar8x32_epi32(q[0], _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    _mm256_storeu_si256((void *)out->q, q[0]);
}
#endif

static void quantize_all(const float *x, struct x_block *out, int64_t count)
{
    void (*one)(const float *, struct x_block *) = quantize;

#if defined(__x86_64__)
    if (has_avx2())
        one = quantize_avx2;
#endif
    for (int64_t l = 0; l < count; l++)
        one(x + l * BLOCK, &out[l]);
}

static void convert(const struct op *op, int64_t token)
{
    const float *x = op->x + token * op->shape.k;
    void *to = op->converted + (size_t)token * op->token;
    uint16_t *half = to;

    if (op->shape.type == TYPE_GGML_F16)
        for (int64_t i = 0; i < op->shape.k; i++)
            half[i] = to_half(x[i]);
    else if (op->shape.type == TYPE_GGML_BF16)
        for (int64_t i = 0; i < op->shape.k; i++)
            half[i] = number_bf16(x[i]);
    else if (row_type_of(op->shape.type)->columns == SUPER)
        x_super_all(x, to, op->shape.k / SUPER);
    else
        quantize_all(x, to, op->shape.k / BLOCK);
}

/* ---- runs ---- */

static void convert_part(void *ctx, int part, int parts)
{
    struct op *op = ctx;

    for (int64_t t = part; t < op->shape.n; t += parts)
        convert(op, t);
}

static void run_group(const struct op *op, int64_t m, size_t row)
{
    const char *w = op->w + (size_t)(m / op->kernels.rows) * row * (size_t)op->kernels.rows;
    int64_t n = op->shape.n, k = op->shape.k, ld = op->shape.m;

    for (int64_t t = 0, i = 0; t < n;) {
        int tokens = op->kernels.tile[i].tokens;

        if (t + tokens > n) {
            i++;
            continue;
        }
        op->kernels.tile[i].run(w, row, op->converted + (size_t)t * op->token, op->token, k,
                                op->y + t * ld + m, ld);
        t += tokens;
    }
}

static void run_part(void *ctx, int part, int parts)
{
    struct op *op = ctx;
    int64_t m = op->shape.m, rows = op->kernels.rows, groups = m / rows;
    int64_t from = groups * part / parts, to = groups * (part + 1) / parts;
    size_t row = op->row;

    if (op->shape.n == 1 && op->kernels.one) {
        for (int64_t r = from * rows; r < to * rows; r++)
            op->kernels.one(op->w + (size_t)r * row, row, op->converted, op->token, op->shape.k,
                            op->y + r, m);
        return;
    }
    for (int64_t g = from; g < to; g++)
        run_group(op, g * rows, row);
}

static bool execute(void *ctx, void *w, void *x, void *y)
{
    struct op *op = ctx;

    if (!pool && !(pool = cpu_pool_new(1)))
        return false;
    op->w = w;
    op->x = x;
    op->y = y;
    if (op->shape.n == 1)
        convert(op, 0);
    else
        cpu_pool_run(pool, convert_part, op);
    cpu_pool_run(pool, run_part, op);
    return true;
}

static void threads(int count)
{
    if (pool && cpu_pool_threads(pool) == count)
        return;
    cpu_pool_free(pool);
    pool = cpu_pool_new(count);
}

/* ---- as a library ---- */

static void version(char *text, size_t size)
{
    gp_copy(text, size, "gpuplan");
}

static void isa(char *text, size_t size)
{
    gp_copy(text, size, best_kernels(&row_types[0])->isa);
}

const struct gemm_library gemm_rows = {
    .name = "rows",
    .version = version,
    .isa = isa,
    .threads = threads,
    .make = make,
    .pack = pack,
    .weights = gemm_as_it_is,
    .input = gemm_as_it_is,
    .output = gemm_as_it_is,
    .forget = gemm_forget_none,
    .execute = execute,
    .wait = gemm_is_done,
    .free = free_op,
};
