/*
 * cuda_ctx.h - one opened GPU, and the work that is prepared on it.
 *
 * A test (cuda_gemm.c, cuda_memory.c, ...) fills struct cuda_work: either it can
 * enqueue one operation on ctx->stream, and cuda_run.c captures as many as a sample
 * needs into a graph and times it with events, or it times itself (run).
 *
 * What fails returns false (or NULL) and has said why, in ctx->fault, and what that makes
 * of the point, in ctx->state: cuda_refuse() does for the engine, cuda_ok() and lt_ok(),
 * through which every call goes, for CUDA. A failure after which the context is beyond
 * repair marks the device as lost, so that nothing more is tried on it.
 */
#ifndef GP_BENCH_CUDA_CTX_H
#define GP_BENCH_CUDA_CTX_H

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/backend.h"
#include "bench/cuda_types.h"

struct cuda_ctx;
struct nvml;
struct clock_lock;

#define CUDA_ALIGN 256
#define CUDA_GATE_CALLS 256
#define CUDA_MAX_COPIES 512 /* operands rotating: no more than nodes of a graph */

struct cuda_work {
    const char *name; /* for the NVTX range; NULL = there is no work */
    /* One operation, number i of its sample, on ctx->stream. */
    bool (*enqueue)(struct cuda_ctx *ctx, int variant, int i);
    /* Or, where a graph is no use, the whole sample. */
    bool (*run)(struct cuda_ctx *ctx, int variant, int launches, double *seconds);
    int calls;  /* of the libraries in one enqueue; 0 = one or two */
    bool gated; /* run() is, by itself */
    /* Nothing has been checked unless it sets out->done. */
    void (*check)(struct cuda_ctx *ctx, int variant, struct check *out);
    bool (*soak)(struct cuda_ctx *ctx, int variant, struct soak *out);
    void (*release)(struct cuda_ctx *ctx); /* what is in the state */
    void *state;                           /* the test's own, from the heap */
};

struct cuda_timer { /* a graph and two event pairs, so that a sample is always queued */
    cudaEvent_t start[2], stop[2];
    cudaGraphExec_t exec;
    int variant, launches; /* that the graph was built for; launches 0 = none */
    bool ahead;            /* a sample is in the queue already */
    int slot;
    bool plain;          /* capture failed once: launch one by one */
    bool gateless;       /* no host functions, or one waited too long */
    bool closed;         /* a host function holds the stream */
    double submit, took; /* s: the host's least to hand in a sample while the device
                          * could work on it; the device's last */
};

struct cuda_block { /* random elements of one kind, copied over the operands */
    void *device;
    size_t bytes;
};

struct cuda_choices; /* algorithms by point, cuda_gemm.c */

struct cuda_ctx {
    int device, cc, sms;
    size_t lt_version;
    double l2; /* bytes */
    struct method_settings settings;
    cublasLtHandle_t lt;
    cudaStream_t stream, side;
    void *workspace;
    struct cuda_block blocks[FILL_COUNT][NUMBER_E2M1 + 1];
    struct cuda_timer timer;
    struct cuda_work work, heater;
    int heats; /* operations in one window of the warm-up; 0 = not known yet */
    struct nvml *nvml;
    struct clock_lock *lock; /* NULL = the clocks are as they are */
    void *flush;             /* twice the last cache, for cuda_latency() */
    double node, pair;       /* s: an empty node of a graph, two events; 0 = unknown */
    bool shared;             /* others computed here during the point */
    bool bound, emulated, changed, extrapolated, cached; /* for the flags of the point */
    unsigned padded, reduced;     /* likewise, a bit per variant; added up in D's type */
    struct cuda_choices *choices; /* what was tuned once is compared, pass with pass */
    json_t *params;               /* of the point, or NULL; a test may have made it */
    json_t *algo[VARIANTS];       /* what is known of each variant's, or NULL */
    bool lost;
    enum point_state state; /* of what failed last */
    char fault[240];        /* what that was, "" */
};

/* ---- cuda_error.c ---- */

/* False, with the reason in ctx->fault. What came first is the cause where a device was lost. */
bool cuda_refuse(struct cuda_ctx *ctx, enum point_state state, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
bool cuda_ok(struct cuda_ctx *ctx, cudaError_t error, const char *what);
bool lt_ok(struct cuda_ctx *ctx, cublasStatus_t status, const char *what);
const char *lt_word(cublasStatus_t status);
/* GP_E_DEVICE in words that say what to do; the driver's version is looked at. */
enum gp_status cuda_fail_device(cudaError_t error, const char *where, struct gp_err *err);

/* The calls that every test makes; `what` is for ctx->fault. */
bool cuda_wait(struct cuda_ctx *ctx, const char *what); /* for ctx->stream */
/* The host's memory may be changed or freed once it returns: a GPU that shares the host's
 * page tables (GH200) may read pageable memory itself, late. _later: not before a wait. */
bool cuda_send(struct cuda_ctx *ctx, void *to, const void *host, size_t bytes, cudaStream_t stream,
               const char *what);
bool cuda_send_later(struct cuda_ctx *ctx, void *to, const void *host, size_t bytes,
                     cudaStream_t stream, const char *what);
bool cuda_fetch(struct cuda_ctx *ctx, void *host, const void *from, size_t bytes, const char *what);
bool cuda_record(struct cuda_ctx *ctx, cudaEvent_t event, cudaStream_t stream);
bool cuda_depend(struct cuda_ctx *ctx, cudaStream_t stream, cudaEvent_t event);
bool cuda_mark_new(struct cuda_ctx *ctx, cudaEvent_t *event); /* an event without time */
bool cuda_stream_new(struct cuda_ctx *ctx, cudaStream_t *stream);
bool cuda_select(struct cuda_ctx *ctx, int device);
/* Are all devices of the point visible, and this one among them? Else refused. */
bool cuda_takes_part(struct cuda_ctx *ctx, const struct point *point);
bool cuda_elapsed(struct cuda_ctx *ctx, cudaEvent_t start, cudaEvent_t stop, double *seconds);

/* ---- cuda_arena.c ---- */

/* Puts the test's work into ctx->work; its state, of so many bytes, all zero. */
void *cuda_begin(struct cuda_ctx *ctx, const struct point *point, const struct cuda_work *work,
                 size_t size);
/* From the heap of the host. */
void *cuda_host(struct cuda_ctx *ctx, size_t bytes);
/* The same, with what the device has there. */
void *cuda_fetch_new(struct cuda_ctx *ctx, const void *from, size_t bytes, const char *what);
/* Bytes on the device, not filled. */
void *cuda_take(struct cuda_ctx *ctx, double bytes);
void cuda_give(struct cuda_ctx *ctx, void *memory);
double cuda_budget(struct cuda_ctx *ctx); /* what a point may allocate */
/* The same where another share of what is free is the default. */
double cuda_share(struct cuda_ctx *ctx, double share);
/* Copies that rotate: of `rotates` bytes each, which the cache must not hold, beside
 * which `each` copy has more, in what is left of the budget by `fixed` bytes. */
int cuda_rotation(struct cuda_ctx *ctx, double rotates, double each, double fixed, bool *cold);
size_t cuda_aligned(size_t bytes);
/* Elements over `bytes`, at random or zeros; `salt` differs for each copy and operand. */
bool cuda_fill(struct cuda_ctx *ctx, enum bench_fill fill, enum number bits, void *to, size_t bytes,
               uint64_t salt);
void cuda_blocks_free(struct cuda_ctx *ctx);

/* ---- cuda_run.c ---- */

bool cuda_timer_init(struct cuda_ctx *ctx);
void cuda_timer_fini(struct cuda_ctx *ctx);
void cuda_timer_reset(struct cuda_ctx *ctx); /* waits and forgets the graph */
bool cuda_run(void *ctx, int variant, int launches, double *seconds);
/* What is enqueued in between, waited for: s. Nothing else may be timed meanwhile. */
bool cuda_timer_begin(struct cuda_ctx *ctx);
bool cuda_timer_end(struct cuda_ctx *ctx, double *seconds);
/* The same without graph and queue, for screening: behind a gate, unless so few that it
 * might be their first launch. */
bool cuda_time_plain(struct cuda_ctx *ctx, const struct cuda_work *work, int variant, int first,
                     int launches, double *seconds);
/* A host function that holds `stream` until the gate of that slot (0 or 1) is opened, or for 0.5 s;
 * none where timer.gateless. No call but launches, copies and events in between, CUDA_GATE_CALLS at
 * the most, and it must be opened whatever became of them. */
void cuda_gate_close(struct cuda_ctx *ctx, cudaStream_t stream, int slot);
void cuda_gate_open(struct cuda_ctx *ctx, int slot);
/* How samples are handed in: "graph", "gated", "stream". */
const char *cuda_launch_word(const struct cuda_ctx *ctx);
/* One operation alone, the last cache flushed before it. */
bool cuda_latency(void *ctx, int variant, double *seconds);
/* What the smallest things take: ctx->node and ctx->pair. Once. */
void cuda_floors(struct cuda_ctx *ctx);
/* Did the device wait for the host, or do little more than begin and end? */
bool cuda_launch_bound(const struct cuda_ctx *ctx);

/* ---- cuda_nvml.c: NVML, where there is one ---- */

/* Fills ctx->nvml and the device's facts, which say so where there are no sensors. */
void cuda_sensors_open(struct cuda_ctx *ctx, struct bench_device *device);
void cuda_sensors_close(struct cuda_ctx *ctx); /* unlocks the clock, too */
/* Samples begin or have been taken: does another process compute here? */
void cuda_sensors_window(struct cuda_ctx *ctx, bool begin);
/* As the settings say; GP_E_DEVICE where that is refused. */
enum gp_status cuda_lock_clock(void *ctx, struct bench_device *device, struct gp_err *err);
json_t *cuda_sensors(void *ctx);                    /* struct backend's sensors, */
json_t *cuda_counters(void *ctx);                   /* counters, */
json_t *cuda_means(void *ctx);                      /* means */
void cuda_busy(void *ctx, char *text, size_t size); /* and busy */
/* The process that holds a clock: for main(), before anything else. Its exit code. */
int clock_lock_hold(const char *pci, const char *clock);

/* ---- the tests: prepare, and in ctx->work the rest ---- */

typedef bool cuda_prepare(struct cuda_ctx *ctx, const struct point *point, struct prepared *out);
/* Weak, so that a test of test_rows.h that no file has is a null pointer, and refused. */
#define TEST(ID, word, ...) cuda_prepare cuda_##word##_prepare __attribute__((weak));
#include "measure/point/test_rows.h"
#undef TEST
cuda_prepare cuda_peer_prepare;     /* of the pairs of transfer */
cuda_prepare cuda_together_prepare; /* of its copies of all at once */
void cuda_choices_free(struct cuda_ctx *ctx);

/* ---- cuda_devices.c ---- */

enum gp_status cuda_count(int *count, struct gp_err *err); /* GP_E_DEVICE with none */
enum gp_status cuda_describe(int index, struct bench_device *out, struct gp_err *err);
enum gp_status cuda_devices(struct bench_device *out, int max, int *count, struct gp_err *err);
/* Does a variable change the point, so that it gets this flag? */
bool cuda_environment(const struct point *point, const char *flag);
json_t *cuda_software(void); /* versions, as the libraries number them: 13000 */
/* numa_node among the facts, where the kernel knows it. */
void cuda_add_node(const char *pci, json_t *facts);
/* Host threads and pinned memory near the GPU: pages are placed where first touched. */
void cuda_bind_near(const char *pci);

/* ---- engine_cuda.c ---- */

extern const struct backend engine_cuda;

#endif
