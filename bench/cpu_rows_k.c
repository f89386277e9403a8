/*
 * cpu_rows_k.c - products of K-quants, as llama.cpp has them for processors.
 *
 *   Q4_K  eight rows beside each other (repacked at load where the processor has AVX2); one
 *         token in 256 bits whatever the processor has, more with AVX-512 in 512
 *   Q6_K  as stored: one row times one token, however many tokens there are
 *
 * x is turned into blocks of 256 int8 with one scale and with sums, by which offsets of the
 * weights (Q4_K's lows, Q6_K's 32) are multiplied once a block and not once a weight.
 *
 * Source: ggml-org/llama.cpp 0c1e57098, ggml/src/ggml-cpu/repack.cpp:5006 (Q4_K is repacked,
 * Q6_K is not), arch/x86/repack.cpp:1464 and :2042, arch/x86/quants.c:2426.
 */
#include "bench/cpu_rows.h"

#include <stdbool.h>

/* ---- scales of Q4_K ---- */

struct sizes { /* of eight rows */
    uint8_t size[Q4_ROWS], low[Q4_ROWS];
};

static inline struct sizes sizes_of(const uint8_t *packed)
{
    struct sizes s;
    uint32_t w[3], out[4];

    memcpy(w, packed, sizeof w);
    out[0] = w[0] & 0x3f3f3f3f;
    out[1] = (w[2] & 0x0f0f0f0f) | (w[0] >> 6 & 0x03030303) << 4;
    out[2] = w[1] & 0x3f3f3f3f;
    out[3] = (w[2] >> 4 & 0x0f0f0f0f) | (w[1] >> 6 & 0x03030303) << 4;
    memcpy(&s, out, sizeof s);
    return s;
}

static void sizes_put(const struct sizes *s, uint8_t *packed)
{
    for (int r = 0; r < 4; r++) {
        packed[r] = (uint8_t)((s->size[r] & 63) | (s->size[r + 4] & 48) << 2);
        packed[r + 4] = (uint8_t)((s->low[r] & 63) | (s->low[r + 4] & 48) << 2);
        packed[r + 8] = (uint8_t)((s->size[r + 4] & 15) | (s->low[r + 4] & 15) << 4);
    }
}

/* ---- plain C ---- */

/* The sum of 32 weights of row r, from the s-th on. */
static int q4k_sum(const struct q4k_block *a, const struct x_super *b, int s, int r)
{
    int sum = 0;

    for (int i = 0; i < 32; i++) {
        int both = a->q[s / 2 * 256 + i / 8 * 64 + r * 8 + i % 8];

        sum += (s % 2 ? both >> 4 : both & 15) * b->q[32 * s + i];
    }
    return sum;
}

void q4k_plain(const char *w, size_t row, const char *x, size_t token, int64_t k, float *y,
               int64_t ld)
{
    const struct q4k_block *a = (const void *)w;
    const struct x_super *b = (const void *)x;
    float all[Q4_ROWS] = {0};

    (void)row, (void)token, (void)ld;
    for (int64_t l = 0; l < k / SUPER; l++) {
        int sum[Q4_ROWS] = {0}, low[Q4_ROWS] = {0};

        for (int s = 0; s < SUPER / 32; s++) {
            struct sizes sizes = sizes_of(a[l].sizes[s]);

            for (int r = 0; r < Q4_ROWS; r++) {
                sum[r] += sizes.size[r] * q4k_sum(&a[l], &b[l], s, r);
                low[r] += sizes.low[r] * b[l].thirty_two[s];
            }
        }
        for (int r = 0; r < Q4_ROWS; r++)
            all[r] += b[l].scale * (from_half(a[l].scale[r]) * (float)sum[r] -
                                    from_half(a[l].least[r]) * (float)low[r]);
    }
    memcpy(y, all, sizeof all);
}

static int q6k_weight(const struct q6k_block *a, int i)
{
    int half = i / 128, quarter = i / 32 % 4, at = i % 32;
    int low = a->low[64 * half + 32 * (quarter % 2) + at] >> (quarter < 2 ? 0 : 4) & 15;
    int high = a->high[32 * half + at] >> 2 * quarter & 3;

    return (high << 4 | low) - 32;
}

void q6k_plain(const char *w, size_t row, const char *x, size_t token, int64_t k, float *y,
               int64_t ld)
{
    const struct q6k_block *a = (const void *)w;
    const struct x_super *b = (const void *)x;
    float all = 0;

    (void)row, (void)token, (void)ld;
    for (int64_t l = 0; l < k / SUPER; l++) {
        int sum = 0;

        for (int i = 0; i < SUPER; i++)
            sum += a[l].size[i / 16] * q6k_weight(&a[l], i) * b[l].q[i];
        all += from_half(a[l].scale) * b[l].scale * (float)sum;
    }
    *y = all;
}

/* ---- AVX2 and AVX-512 ---- */

#if defined(__x86_64__)

/* Lows of two times 32 weights beside each other, times the sums of x. */
AVX2 static inline __m256i lows_avx2(const struct sizes s[2], const int16_t *sums)
{
    __m128i low = _mm_unpacklo_epi8(_mm_loadl_epi64((const void *)s[0].low),
                                    _mm_loadl_epi64((const void *)s[1].low));
    int pair;

    memcpy(&pair, sums, sizeof pair);
    return _mm256_madd_epi16(_mm256_cvtepu8_epi16(low), _mm256_set1_epi32(pair));
}

AVX2 static inline void add_block(const struct q4k_block *a, float scale, __m256i sum, __m256i low,
                                  __m256 *c)
{
    __m256 d = _mm256_cvtph_ps(_mm_loadu_si128((const void *)a->scale));
    __m256 least = _mm256_cvtph_ps(_mm_loadu_si128((const void *)a->least));
    __m256 s = _mm256_set1_ps(scale);

    *c = _mm256_fmadd_ps(_mm256_mul_ps(d, s), _mm256_cvtepi32_ps(sum), *c);
    *c = _mm256_fnmadd_ps(_mm256_mul_ps(least, s), _mm256_cvtepi32_ps(low), *c);
}

/* Two times 32 weights of eight rows, first the nibbles of `shift` 0, in the order of rows
 * 0 4 1 5 2 6 3 7: four of each row stand beside each other. */
AVX2 static inline __m256i q4k_half(const uint8_t *q, const int8_t *x, int shift,
                                    const uint8_t *size)
{
    const __m256i nibble = _mm256_set1_epi8(15);
    const __m128i order = _mm_setr_epi8(0, 0, 4, 4, 1, 1, 5, 5, 2, 2, 6, 6, 3, 3, 7, 7);
    __m256i sum = _mm256_setzero_si256();

    UNROLL for (int c = 0; c < 4; c++)
    {
        __m256i u = _mm256_srli_epi16(LOAD_256(q + 64 * c), shift);
        __m256i v = _mm256_srli_epi16(LOAD_256(q + 64 * c + 32), shift);
        int first, second;

        u = _mm256_and_si256(u, nibble);
        v = _mm256_and_si256(v, nibble);
        memcpy(&first, x + 8 * c, sizeof first);
        memcpy(&second, x + 8 * c + 4, sizeof second);
        sum = _mm256_add_epi16(
            sum, _mm256_maddubs_epi16(_mm256_blend_epi32(u, _mm256_shuffle_epi32(v, 0xb1), 0xaa),
                                      _mm256_set1_epi32(first)));
        sum = _mm256_add_epi16(
            sum, _mm256_maddubs_epi16(_mm256_blend_epi32(_mm256_shuffle_epi32(u, 0xb1), v, 0xaa),
                                      _mm256_set1_epi32(second)));
    }
    return _mm256_madd_epi16(
        sum, _mm256_cvtepu8_epi16(_mm_shuffle_epi8(_mm_loadl_epi64((const void *)size), order)));
}

AVX2 void q4k_avx2_1(const char *w, size_t row, const char *x, size_t token, int64_t k, float *y,
                     int64_t ld)
{
    const struct q4k_block *a = (const void *)w;
    const struct x_super *b = (const void *)x;
    __m256 c = _mm256_setzero_ps();

    (void)row, (void)token, (void)ld;
    for (int64_t l = 0; l < k / SUPER; l++) {
        __m256i sum = _mm256_setzero_si256(), low = sum;

        UNROLL for (int s = 0; s < SUPER / 64; s++)
        {
            struct sizes sizes[] = {sizes_of(a[l].sizes[2 * s]), sizes_of(a[l].sizes[2 * s + 1])};
            const uint8_t *q = a[l].q + 256 * s;
            const int8_t *at = b[l].q + 64 * s;

            sum = _mm256_add_epi32(sum, q4k_half(q, at, 0, sizes[0].size));
            sum = _mm256_add_epi32(sum, q4k_half(q, at + 32, 4, sizes[1].size));
            low = _mm256_add_epi32(low, lows_avx2(sizes, b[l].thirty_two + 2 * s));
        }
        sum = _mm256_permutevar8x32_epi32(sum, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
        add_block(&a[l], b[l].scale, sum, low, &c);
    }
    _mm256_storeu_ps(y, c);
}

/* Many tokens: a register holds 8 weights of each of its rows (4 of AVX2's, 8 of AVX-512's), which
 * are unpacked once for all tokens. These are what a tile asks of an instruction set. */
AVX2 static inline int64_t eight(const int8_t *at)
{
    int64_t value;

    memcpy(&value, at, sizeof value);
    return value;
}

#define SPREAD(isa, bits, attribute, vec, widen)                  \
    attribute static inline vec spread_##isa(const uint8_t *size) \
    {                                                             \
        vec v = widen(_mm_loadl_epi64((const void *)size));       \
        v = bits##_or_##isa(v, bits##_slli_epi64(v, 16));         \
        return bits##_or_##isa(v, bits##_slli_epi64(v, 32));      \
    }
#define _mm256_or_avx2 _mm256_or_si256
#define _mm512_or_avx512 _mm512_or_si512
SPREAD(avx2, _mm256, AVX2, __m256i, _mm256_cvtepu8_epi64)
SPREAD(avx512, _mm512, AVX512, __m512i, _mm512_cvtepu8_epi64)

/* Two int32 of each row to one. */
AVX2 static inline __m256i fold_avx2(const __m256i *v)
{
    __m256i a = _mm256_add_epi32(v[0], _mm256_srli_epi64(v[0], 32));
    __m256i b = _mm256_add_epi32(v[1], _mm256_srli_epi64(v[1], 32));
    __m256 both = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88);

    return _mm256_permute4x64_epi64(_mm256_castps_si256(both), 0xd8);
}

AVX512 static inline __m256i fold_avx512(const __m512i *v)
{
    return _mm512_cvtepi64_epi32(_mm512_add_epi32(v[0], _mm512_srli_epi64(v[0], 32)));
}

#define Q4K_TILE(name, attribute, tokens, isa, vec, bits, parts, load, and)                       \
    attribute static inline void name##_half(const uint8_t *q, const char *x, size_t token,       \
                                             int shift, const uint8_t *size,                      \
                                             vec sum[tokens][parts])                              \
    {                                                                                             \
        const vec nibble = bits##_set1_epi8(15);                                                  \
        UNROLL for (int p = 0; p < (parts); p++)                                                  \
        {                                                                                         \
            vec s[tokens], scale = spread_##isa(size + 4 * p);                                    \
            UNROLL for (int c = 0; c < 4; c++)                                                    \
            {                                                                                     \
                vec u = load((const void *)(q + 64 * c + 32 * p));                                \
                u = and(bits##_srli_epi16(u, (unsigned)shift), nibble);                           \
                UNROLL for (int t = 0; t < (tokens); t++)                                         \
                {                                                                                 \
                    vec v = bits##_maddubs_epi16(                                                 \
                        u,                                                                        \
                        bits##_set1_##isa(eight((const int8_t *)x + (size_t)t * token + 8 * c))); \
                    s[t] = c == 0 ? v : bits##_add_epi16(s[t], v);                                \
                }                                                                                 \
            }                                                                                     \
            UNROLL for (int t = 0; t < (tokens); t++) sum[t][p] =                                 \
                bits##_add_epi32(sum[t][p], bits##_madd_epi16(s[t], scale));                      \
        }                                                                                         \
    }                                                                                             \
    attribute void name(const char *w, size_t row, const char *x, size_t token, int64_t k,        \
                        float *y, int64_t ld)                                                     \
    {                                                                                             \
        const struct q4k_block *a = (const void *)w;                                              \
        __m256 c[tokens];                                                                         \
        (void)row;                                                                                \
        UNROLL for (int t = 0; t < (tokens); t++) c[t] = _mm256_setzero_ps();                     \
        for (int64_t l = 0; l < k / SUPER; l++) {                                                 \
            const struct x_super *b = (const struct x_super *)(const void *)x + l;                \
            vec sum[tokens][parts];                                                               \
            __m256i low[tokens];                                                                  \
            memset(sum, 0, sizeof sum);                                                           \
            memset(low, 0, sizeof low);                                                           \
            for (int s = 0; s < SUPER / 64; s++) {                                                \
                struct sizes sizes[] = {sizes_of(a[l].sizes[2 * s]),                              \
                                        sizes_of(a[l].sizes[2 * s + 1])};                         \
                const char *at = (const char *)b->q + 64 * s;                                     \
                name##_half(a[l].q + 256 * s, at, token, 0, sizes[0].size, sum);                  \
                name##_half(a[l].q + 256 * s, at + 32, token, 4, sizes[1].size, sum);             \
                UNROLL for (int t = 0; t < (tokens); t++)                                         \
                {                                                                                 \
                    const struct x_super *of =                                                    \
                        (const void *)((const char *)b + (size_t)t * token);                      \
                    low[t] = _mm256_add_epi32(low[t], lows_avx2(sizes, of->thirty_two + 2 * s));  \
                }                                                                                 \
            }                                                                                     \
            UNROLL for (int t = 0; t < (tokens); t++)                                             \
            {                                                                                     \
                const struct x_super *of = (const void *)((const char *)b + (size_t)t * token);   \
                add_block(&a[l], of->scale, fold_##isa(sum[t]), low[t], &c[t]);                   \
            }                                                                                     \
        }                                                                                         \
        UNROLL for (int t = 0; t < (tokens); t++) _mm256_storeu_ps(y + t * ld, c[t]);             \
    }
#define _mm256_set1_avx2 _mm256_set1_epi64x
#define _mm512_set1_avx512 _mm512_set1_epi64
Q4K_TILE(q4k_avx2_4, AVX2, 4, avx2, __m256i, _mm256, 2, _mm256_loadu_si256, _mm256_and_si256)
Q4K_TILE(q4k_avx512_4, AVX512, 4, avx512, __m512i, _mm512, 1, _mm512_loadu_si512, _mm512_and_si512)
Q4K_TILE(q4k_avx512_8, AVX512, 8, avx512, __m512i, _mm512, 1, _mm512_loadu_si512, _mm512_and_si512)

/* Products of 32 weights of 6 bits with x, each 16 times its size. */
AVX2 static inline __m256i q6k_quarter(__m256i low, __m256i high, const int8_t *x,
                                       const int8_t *size)
{
    __m256i q = _mm256_or_si256(_mm256_and_si256(low, _mm256_set1_epi8(15)),
                                _mm256_and_si256(high, _mm256_set1_epi8(48)));
    __m256i sizes = _mm256_set_m128i(_mm_set1_epi16(size[1]), _mm_set1_epi16(size[0]));

    return _mm256_madd_epi16(sizes, _mm256_maddubs_epi16(q, LOAD_256(x)));
}

AVX2 void q6k_avx2(const char *w, size_t row, const char *x, size_t token, int64_t k, float *y,
                   int64_t ld)
{
    const struct q6k_block *a = (const void *)w;
    const struct x_super *b = (const void *)x;
    __m256 c = _mm256_setzero_ps();

    (void)row, (void)token, (void)ld;
    for (int64_t l = 0; l < k / SUPER; l++) {
        __m256i size = _mm256_cvtepi8_epi16(_mm_loadu_si128((const void *)a[l].size));
        __m256i sum =
            _mm256_sub_epi32(_mm256_setzero_si256(),
                             _mm256_slli_epi32(_mm256_madd_epi16(size, LOAD_256(b[l].sixteen)), 5));

        UNROLL for (int h = 0; h < 2; h++)
        {
            const __m256i high = LOAD_256(a[l].high + 32 * h);
            const __m256i even = LOAD_256(a[l].low + 64 * h);
            const __m256i odd = LOAD_256(a[l].low + 64 * h + 32);
            const int8_t *at = b[l].q + 128 * h, *s = a[l].size + 8 * h;

            sum = _mm256_add_epi32(sum, q6k_quarter(even, _mm256_slli_epi16(high, 4), at, s));
            sum =
                _mm256_add_epi32(sum, q6k_quarter(odd, _mm256_slli_epi16(high, 2), at + 32, s + 2));
            sum = _mm256_add_epi32(sum,
                                   q6k_quarter(_mm256_srli_epi16(even, 4), high, at + 64, s + 4));
            sum = _mm256_add_epi32(sum, q6k_quarter(_mm256_srli_epi16(odd, 4),
                                                    _mm256_srli_epi16(high, 2), at + 96, s + 6));
        }
        c = _mm256_fmadd_ps(_mm256_set1_ps(b[l].scale * _cvtsh_ss(a[l].scale)),
                            _mm256_cvtepi32_ps(sum), c);
    }
    *y = sum_avx2(c);
}
#endif

/* ---- operands ---- */

static void q4k_put(const int8_t *w, int64_t k, struct q4k_block *out)
{
    struct sizes ones;

    memset(ones.size, 1, sizeof ones.size);
    memset(ones.low, 8, sizeof ones.low);
    for (int s = 0; s < SUPER / 32; s++)
        sizes_put(&ones, out->sizes[s]);
    for (int r = 0; r < Q4_ROWS; r++) {
        const int8_t *at = w + r * k;

        out->scale[r] = out->least[r] = to_half(1);
        for (int i = 0; i < SUPER / 2; i++) { /* weight 64s + i, and 32 on */
            int c = i / 32 * 64 + i % 32;

            out->q[i / 32 * 256 + i % 32 / 8 * 64 + 8 * r + i % 8] =
                (uint8_t)((at[c] + 8) | (at[c + 32] + 8) << 4);
        }
    }
}

void q4k_pack(const int8_t *w, int64_t m, int64_t k, struct q4k_block *out)
{
    for (int64_t r = 0; r < m; r += Q4_ROWS)
        for (int64_t l = 0; l < k; l += SUPER)
            q4k_put(w + r * k + l, k, out++);
}

void q6k_pack(const int8_t *w, int64_t m, int64_t k, struct q6k_block *out)
{
    for (int64_t b = 0; b < m * k / SUPER; b++, w += SUPER, out++) {
        memset(out, 0, sizeof *out);
        memset(out->size, 1, sizeof out->size);
        out->scale = to_half(1);
        for (int i = 0; i < SUPER; i++) {
            int half = i / 128, quarter = i / 32 % 4, at = i % 32, q = w[i] + 32;

            out->low[64 * half + 32 * (quarter % 2) + at] |=
                (uint8_t)((q & 15) << (quarter < 2 ? 0 : 4));
            out->high[32 * half + at] |= (uint8_t)(q >> 4 << 2 * quarter);
        }
    }
}

static void x_super_one(const float *x, struct x_super *out)
{
    out->scale = quantize_run(x, SUPER, out->q);
    for (int s = 0; s < SUPER / 16; s++) {
        int sum = 0;

        for (int i = 0; i < 16; i++)
            sum += out->q[16 * s + i];
        out->sixteen[s] = (int16_t)sum;
    }
    for (int s = 0; s < SUPER / 32; s++)
        out->thirty_two[s] = (int16_t)(out->sixteen[2 * s] + out->sixteen[2 * s + 1]);
}

void x_super_all(const float *x, struct x_super *out, int64_t count)
{
    for (int64_t l = 0; l < count; l++)
        x_super_one(x + l * SUPER, &out[l]);
}
