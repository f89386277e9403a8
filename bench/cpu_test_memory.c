/*
 * cpu_test_memory.c - test memory: read, write and copy `bytes` by all threads at once.
 *
 * Each thread owns a slice and does all launches of a sample on it without waiting for the others,
 * so that waking them is paid once. Stores go past the caches when what is walked does not fit them
 * (a normal store would first read the line it overwrites and count as one transfer what takes
 * two); smaller sizes use memset and memcpy.
 *
 * Checks: read compares its sum with one made a word at a time; write and copy compare every word.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "bench/cpu_engine.h"

struct memory_work {
    enum bench_kind kind;
    size_t bytes; /* of one copy; a multiple of 64 */
    int rotation, next, launches;
    bool streaming;
    char *from, *to; /* rotation copies one after the other */
    size_t from_bytes, to_bytes;
    uint64_t *sums; /* one per thread, a line apart */
    int fill;       /* the byte that write writes */
    const struct reader *reader;
};

enum { LINE = 64, WORDS = LINE / 8 };

typedef uint64_t vector __attribute__((vector_size(64), may_alias, aligned(64)));

/* One, two or four places of the slice at once, four registers adding up: which of them
 * keeps the memory busiest depends on the processor, so each is tried before measuring.
 * "1 stream" asks ahead, too: 4 KiB, so that the page after is under way. */
#define AT(offset) (*(const vector *)(const void *)(base + (offset)))
#define READ_BODY(streams, ahead)                                                \
    size_t each = bytes / (4 * LINE) * (4 / (streams)) * LINE, i;                \
    size_t second = (streams) > 1 ? each : LINE;                                 \
    size_t third = (streams) == 4 ? 2 * each : (streams) == 2 ? LINE : 2 * LINE; \
    vector a = {0}, b = {0}, c = {0}, d = {0};                                   \
    for (i = 0; i < each; i += 4 / (streams)*LINE) {                             \
        if (ahead) {                                                             \
            __builtin_prefetch(base + i + (ahead));                              \
            __builtin_prefetch(base + i + (ahead) + LINE);                       \
            __builtin_prefetch(base + i + (ahead) + 2 * LINE);                   \
            __builtin_prefetch(base + i + (ahead) + 3 * LINE);                   \
        }                                                                        \
        a += AT(i);                                                              \
        b += AT(i + second);                                                     \
        c += AT(i + third);                                                      \
        d += AT(i + second + third);                                             \
    }                                                                            \
    for (i = bytes / (4 * LINE) * 4 * LINE; i < bytes; i += LINE)                \
        a += AT(i);                                                              \
    a += b + c + d;                                                              \
    return a[0] + a[1] + a[2] + a[3] + a[4] + a[5] + a[6] + a[7];

#define READERS(isa, attribute)                                                                 \
    attribute static uint64_t read_1_##isa(const char *base, size_t bytes){READ_BODY(           \
        1, 4096)} attribute static uint64_t read_2_##isa(const char *base, size_t bytes){       \
        READ_BODY(2, 0)} attribute static uint64_t read_4_##isa(const char *base, size_t bytes) \
    {                                                                                           \
        READ_BODY(4, 0)                                                                         \
    }

READERS(plain, )
#if defined(__x86_64__)
READERS(avx2, __attribute__((target("avx2"))))
READERS(avx512, __attribute__((target("avx512f"))))
#endif

static const struct reader {
    const char *name;
    int isa; /* 0 any, 1 AVX2, 2 AVX-512 */
    uint64_t (*read)(const char *base, size_t bytes);
} readers[] = {
#if defined(__x86_64__)
    {"4 streams, AVX-512", 2, read_4_avx512},
    {"2 streams, AVX-512", 2, read_2_avx512},
    {"1 stream, AVX-512", 2, read_1_avx512},
    {"4 streams, AVX2", 1, read_4_avx2},
    {"2 streams, AVX2", 1, read_2_avx2},
    {"1 stream, AVX2", 1, read_1_avx2},
#endif
    {"4 streams", 0, read_4_plain},
    {"2 streams", 0, read_2_plain},
    {"1 stream", 0, read_1_plain},
};
enum { READER_COUNT = sizeof readers / sizeof readers[0] };

static void write_all(char *to, size_t bytes, int fill, bool streaming)
{
#if defined(__SSE2__)
    if (streaming) {
        __m128i value = _mm_set1_epi8((char)fill);

        for (size_t i = 0; i < bytes; i += 16)
            _mm_stream_si128((__m128i *)(void *)(to + i), value);
        _mm_sfence();
        return;
    }
#endif
    (void)streaming;
    memset(to, fill, bytes);
}

static void copy_all(char *to, const char *from, size_t bytes, bool streaming)
{
#if defined(__SSE2__)
    if (streaming) {
        for (size_t i = 0; i < bytes; i += LINE) {
            const __m128i *source = (const __m128i *)(const void *)(from + i);
            __m128i *target = (__m128i *)(void *)(to + i);
            __m128i a = _mm_load_si128(source), b = _mm_load_si128(source + 1);
            __m128i c = _mm_load_si128(source + 2), d = _mm_load_si128(source + 3);

            _mm_stream_si128(target, a);
            _mm_stream_si128(target + 1, b);
            _mm_stream_si128(target + 2, c);
            _mm_stream_si128(target + 3, d);
        }
        _mm_sfence();
        return;
    }
#endif
    (void)streaming;
    memcpy(to, from, bytes);
}

static void work_part(void *ctx, int part, int parts)
{
    struct memory_work *work = ctx;
    size_t from, to, at;
    uint64_t sum = 0;

    cpu_pool_share(work->bytes, part, parts, &from, &to);
    for (int i = 0; i < work->launches; i++) {
        at = (size_t)((work->next + i) % work->rotation) * work->bytes + from;
        if (work->kind == KIND_READ)
            sum += work->reader->read(work->from + at, to - from);
        else if (work->kind == KIND_WRITE)
            write_all(work->to + at, to - from, work->fill, work->streaming);
        else
            copy_all(work->to + at, work->from + at, to - from, work->streaming);
    }
    work->sums[part * WORDS] = sum;
}

/* First touch by the thread that will use the slice. */
static void touch_part(void *ctx, int part, int parts)
{
    struct memory_work *work = ctx;
    size_t from, to;

    cpu_pool_share(work->bytes, part, parts, &from, &to);
    for (int i = 0; i < work->rotation; i++) {
        size_t at = (size_t)i * work->bytes + from;

        if (work->from)
            number_fill(FILL_UNIFORM, NUMBER_S32, work->from + at, to - from, at + 1);
        if (work->to)
            memset(work->to + at, 0xee, to - from);
    }
}

static void memory_release(void *ctx)
{
    struct memory_work *work = ctx;

    cpu_release(work->from, work->from_bytes);
    cpu_release(work->to, work->to_bytes);
    free(work->sums);
}

static bool memory_run(struct cpu_engine *engine, void *ctx, int launches, double *seconds)
{
    struct memory_work *work = ctx;

    (void)seconds;
    work->launches = launches;
    cpu_pool_run(engine->pool, work_part, work);
    work->next = (work->next + launches) % work->rotation;
    return true;
}

/* The fastest of those for this processor: each walks everything once, three times. */
static void choose_reader(struct cpu_engine *engine, struct memory_work *work)
{
    double least = INFINITY;
    int isa = 0;

#if defined(__x86_64__)
    isa = __builtin_cpu_supports("avx512f") ? 2 : __builtin_cpu_supports("avx2") ? 1 : 0;
#endif
    for (int turn = 0; turn < 3; turn++)
        for (int i = 0; i < READER_COUNT; i++) {
            const struct reader *before = work->reader;
            double start = clock_now();

            if (readers[i].isa != isa)
                continue;
            work->reader = &readers[i];
            memory_run(engine, work, work->rotation, NULL);
            double seconds = clock_now() - start;
            if (seconds < least)
                least = seconds;
            else
                work->reader = before;
        }
}

static bool memory_prepare(struct cpu_engine *engine, const struct point *point, void *ctx,
                           struct prepared *out)
{
    struct memory_work *work = ctx;
    double budget = cpu_budget(engine), cache = engine->topology.cache;

    if (bench_kind_is(point->kind, KIND_IS_TOP))
        return cpu_refuse(&engine->why, POINT_UNSUPPORTED, "is measured on GPUs alone");
    work->kind = point->kind;
    work->bytes = (size_t)point->bytes / LINE * LINE;
    double each = (double)work->bytes * (work->kind == KIND_COPY ? 2 : 1);
    if (work->bytes == 0 || (double)work->bytes != point->bytes)
        return cpu_refuse(&engine->why, POINT_UNSUPPORTED, "bytes must be a multiple of %d", LINE);
    if (each > budget)
        return cpu_refuse(&engine->why, POINT_OOM, "needs %.2f GB, %.2f GB may be used", each / 1e9,
                          budget / 1e9);
    work->rotation = 1;
    if (point->cache != CACHE_HOT)
        work->rotation = cpu_rotation(engine, each, budget, true, &out->cold);
    work->streaming = each * work->rotation > cache;
    out->rotation = work->rotation;
    out->multiple = 1;
    out->bytes = each * work->rotation;
    size_t all = work->bytes * (size_t)work->rotation;
    work->sums = gp_calloc((size_t)engine->topology.threads * WORDS, sizeof *work->sums);
    if (work->kind != KIND_WRITE && (work->from = cpu_alloc(all)))
        work->from_bytes = all;
    if (work->kind != KIND_READ && (work->to = cpu_alloc(all)))
        work->to_bytes = all;
    if ((work->kind != KIND_WRITE && !work->from) || (work->kind != KIND_READ && !work->to))
        return cpu_refuse(&engine->why, POINT_OOM, "the buffers could not be allocated");
    cpu_pool_run(engine->pool, touch_part, work);
    if (work->kind == KIND_READ) {
        choose_reader(engine, work);
        gp_copy(out->algorithm, sizeof out->algorithm, work->reader->name);
    }
    out->params = json_pack("{s:i, s:b}", "threads", engine->topology.threads, "streaming_stores",
                            work->streaming && work->kind != KIND_READ);
    return true;
}

static uint64_t sum_words(const char *base, size_t bytes, size_t *zeros)
{
    uint64_t sum = 0, word;

    for (size_t i = 0; i < bytes; i += sizeof word) {
        memcpy(&word, base + i, sizeof word);
        sum += word;
        *zeros += word == 0;
    }
    return sum;
}

static void memory_check(struct cpu_engine *engine, void *ctx, struct check *out)
{
    struct memory_work *work = ctx;
    size_t at = (size_t)work->next * work->bytes;
    uint64_t sum = 0, want = 0;
    size_t zeros = 0;

    work->launches = 1;
    work->fill = 0x5a;
    if (work->kind != KIND_WRITE)
        want = sum_words(work->from + at, work->bytes, &zeros);
    if (work->kind == KIND_COPY)
        memset(work->to + at, 0xee, work->bytes);
    cpu_pool_run(engine->pool, work_part, work);
    for (int i = 0; i < cpu_pool_threads(engine->pool); i++)
        sum += work->sums[i * WORDS];
    out->done = true;
    out->n = 1;
    if (work->kind == KIND_READ)
        out->ok = sum == want;
    else if (work->kind == KIND_COPY)
        out->ok = memcmp(work->to + at, work->from + at, work->bytes) == 0;
    else /* each byte is as the one before */
        out->ok = work->to[at] == (char)work->fill &&
                  memcmp(work->to + at, work->to + at + 1, work->bytes - 1) == 0;
    if (!out->ok)
        gp_copy(out->why, sizeof out->why, "memory does not read back as written");
    if (work->kind != KIND_WRITE)
        method_no_zeros(out, FILL_UNIFORM, (double)zeros * 8, (double)work->bytes);
}

const struct cpu_test cpu_test_memory = {
    sizeof(struct memory_work), memory_prepare, memory_run, memory_check, memory_release, NULL};
