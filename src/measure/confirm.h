/*
 * confirm.h - what a plan rests on, predicted before it is measured, and the same plan after.
 *
 * A session with ask.confirm measures only that: a read of memory, the model's products at the
 * plan's own numbers of tokens, one decoder step, and the planned bytes allocated for real. Of
 * processors the products are FP32 ones of a prompt, which say how fast they compute, and there is
 * no decoder step: an engine's own kernels for weights as GGUF stores them are measured by its
 * llama-bench, whose result is a --calibration. Each is predicted from the figures that the plan
 * takes:
 *
 *   read      bandwidth x the family's best share of memory (of processors, the bandwidth)
 *   product   calib_law(), as a rate: bytes/s where memory bounds it, else operations/s
 *   experts   the same with the family's shares of an engine's kernel for them (moe_time())
 *   decode    the same law over the operations and bytes of the whole step
 *   fit       the bytes of weights, cache, activation and graphs
 *
 * with the bands that the device leaves: its generation's spread or what was measured before, its
 * bandwidth, and 10 % for the law. error = measured / predicted - 1.
 *
 * A point that only scattered counts less, one that was disturbed not at all. The plan after is the
 * plan with the run's own result as its --calibration. The decode step and fit correct nothing:
 * they are what the corrected terms are held against. Nor do experts: engines have kernels of their
 * own for them, and a library's product in batch mode says what the device gives at the least.
 */
#ifndef GP_MEASURE_CONFIRM_H
#define GP_MEASURE_CONFIRM_H

#include "answer/planner.h"
#include "measure/session.h"

#define CONFIRM_TERMS 64

enum confirm_use {
    CONFIRM_WAITS, /* not measured yet, or not at all */
    CONFIRM_COUNTS,
    CONFIRM_LESS,   /* it scattered */
    CONFIRM_CHECKS, /* held against the estimate, corrects nothing */
    CONFIRM_IGNORED /* disturbed, wrong or failed */
};

struct confirm_term {
    int point;            /* of the session */
    enum bench_test test; /* the point's */
    char name[64];        /* "bf16 qkv n=1" */
    enum test_rate rate;
    const char *unit; /* "GB/s", "TFLOP/s", "ms", "GiB" */
    double divide;    /* of SI, for that unit */
    int decimals;
    struct quantity predicted; /* SI; unknown: no law */
    double measured;           /* SI; NAN = not measured */
    double error;              /* measured / predicted - 1; NAN likewise */
    bool in_band;
    enum confirm_use use;
    char why[200]; /* flags, or why there is no figure */
};

struct confirm {
    struct answer before, after;
    bool measured; /* after holds: something counted */
    struct confirm_term term[CONFIRM_TERMS];
    int terms;
    int device;     /* place among the session's found devices; -1 = not here */
    char here[128]; /* what is here instead, or the device's name */
};

/* The device of the planned GPU among those found; false: it is not here, and ->here says what
 * is. */
bool confirm_find(struct confirm *confirm, const struct session *session);

/* What is measured for a plan, as --bench takes it. */
const char *confirm_tests(const struct plan *plan);

/* Terms and predictions of the points of a session that is READY. */
void confirm_predict(struct confirm *confirm, const struct session *session);

/* Operations/s of a product as a plan on this GPU takes it; *roof: as its sheet allows. NAN: no
 * law. */
double confirm_law(const struct gpu *gpu, const struct point *point, double *roof);

/* What has been measured so far of them. */
void confirm_measure(struct confirm *confirm, const struct session *session);

/* Has anything been measured that corrects the plan? */
bool confirm_counts(const struct confirm *confirm);

/* TPOT of the plan if the run ended with what this log of it has; it stays. Unknown: nothing of it
 * counts. */
struct quantity confirm_so_far(const struct resolved *before, struct planner *planner,
                               const struct benchlog *log);

/* The same options with that result file: the plan after. */
enum gp_status confirm_after(struct confirm *confirm, struct planner *planner,
                             const struct options *options, const char *result, struct gp_err *err);

const char *confirm_use_word(enum confirm_use use); /* "counts", "counts less", ... */

/* "TPOT 41 ms, not 39; still within the goal of 50 ms" and the like, a sentence a line. */
void confirm_say(const struct confirm *confirm, struct strbuf *out);

#endif
