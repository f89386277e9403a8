/*
 * planner.h - from options to an answer, the same way for every command.
 *
 * A planner holds the catalogue, the prices and the local models read so far. It turns
 * options (as given) into a request (looked up, defaults resolved) and a request into a
 * plan with fixes. Lists are loaded when the first request needs them.
 *
 * Not for several threads at once: resolve in one, then plan in many (core is pure).
 */
#ifndef GP_ANSWER_PLANNER_H
#define GP_ANSWER_PLANNER_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/option.h"
#include "base/err.h"
#include "catalog/catalog.h"
#include "plan/goals.h"
#include "plan/plan.h"
#include "plan/solve.h"
#include "plan/train/train.h"

struct planner;

#define CPU_ID "cpu" /* the processors of this machine, as --gpu takes them */

/* Finds the GPU in this machine: true and its id, as --gpu takes it ("h100-sxm",
 * "a100-sxm-40/1g.5gb"; "cpu" where there is no GPU at all), or false and why it cannot be
 * planned for, in text[size]. */
typedef bool (*planner_local_fn)(struct catalog *catalog, char *text, size_t size);

/* profiles_dir may be NULL; today in days since 1970-01-01 (date_days). local is
 * called at most once, by the first request without a GPU or "local"; NULL: no GPU. */
struct planner *planner_new(const char *profiles_dir, long today, planner_local_fn local);
/* One more for another thread, of the same day; profiles_dir as in planner_new. What one
 * of them returns is not for the other's lists. */
struct planner *planner_twin(const struct planner *planner, const char *profiles_dir);
void planner_free(struct planner *planner);

struct catalog *planner_catalog(struct planner *planner);
long planner_today(const struct planner *planner); /* as given to planner_new */

/* A GPU of the catalogue, corrected by what is kept of it (calibrate.h); used[size]: whose
 * and what, "" when there is nothing. It lives as long as the planner. */
enum gp_status planner_gpu(struct planner *planner, const char *id, const struct gpu **gpu,
                           char *used, size_t size, struct gp_err *err);

/* The request on its GPU as a run has measured it so far: what the next request would take if the
 * run ended now; until the next call. False: nothing of it counts. */
struct resolved;
struct benchlog;
bool planner_running(struct planner *planner, const struct benchlog *log,
                     struct resolved *resolved);

/* As --gpu names it: "h100-sxm", "h100-sxm:4", "a100-80/3g.40gb:2", "local", "cpu"; *count 0: none
 * was said. GP_E_USAGE: no such GPU, or no such count. */
enum gp_status planner_named_gpu(struct planner *planner, const char *text, const struct gpu **gpu,
                                 int *count, struct gp_err *err);

/* What was measured here is looked for again by the next request (calibrate.h). */
void planner_measured_anew(struct planner *planner);

/* No answer is held any more: models that were read or made up may go, so that a --batch that
 * names any number of sizes stays small. While an answer lives, its models do. */
void planner_between_requests(struct planner *planner);

/* A request and how it came to be, as the answer reports it. */
struct resolved {
    struct request request;
    bool gpu_chosen;                  /* no GPU was named: the cheapest that fits */
    char host_memory[48];             /* as it was named; "" = assumed */
    bool gpu_local;                   /* ... or the one in this machine */
    bool load_default;                /* neither users nor a rate were named: one user */
    bool generic;                     /* the model is a bare size: its shape is assumed */
    char model_text[256];             /* as asked: a path, an id, a size */
    char model_read[320];             /* what a name of it was read as, in words; "" = an id */
    char gpu_read[240];               /* the same of the GPU */
    char release[200];                /* what the published release in this format has otherwise */
    char repository[160];             /* of a name that was read: ORG/NAME of it as planned; "" */
    char trace[256];                  /* the file of --trace; "" = none */
    double trace_requests;            /* in it */
    double trace_rate, trace_busiest; /* requests/s of it: mean, busiest minute; 0 = it
                             * tells no times */
    char measured[1024];              /* files of --calibration, as asked; "" = none */
    char calibrated[240];             /* what of the device was measured, in words; "" = nothing */
    char uncalibrated[240];           /* what was not used, and why; "" = nothing */
    char logged[160];   /* the server's log of --calibration that is used; "" = none */
    char unlogged[320]; /* one that is not, and why; "" = none */
    char prune[24];     /* structured pruning as asked; "" = none */
    char draft[200];    /* kind of draft and its checkpoint, as asked; "" = none */
    struct market market;
};

/* Looks everything up. model, precision and gpu choose from the lists of the options;
 * NULL takes the first (or the default). */
enum gp_status planner_resolve(struct planner *planner, const struct options *options,
                               const char *model, const char *precision, const char *gpu,
                               struct resolved *out, struct gp_err *err);

/* What --reserve full takes where the load is bought, and the other way round. */
enum otherwise {
    OTHERWISE_NONE, /* it is the same need, or the engine sets whole slots aside */
    OTHERWISE_SAME, /* this layout holds it, too */
    OTHERWISE_TAKES,
    OTHERWISE_LACKS /* no layout of these GPUs holds it */
};

/* Of the same GPU the fewest with which the goals of speed are likely, are sure, and those that
 * need less and miss them by little: layout and price; layout.gpus 0 = none. */
struct goals_beside {
    enum goal_state state;               /* the plan's worst; GOAL_NOT_ASKED: nothing below holds */
    struct runner_up likely, sure, near; /* near.more: by what share of the goal near.limit */
};

/* An answer: the plan, and fixes when it does not simply fit. */
struct answer {
    struct resolved resolved;
    struct plan plan;
    enum otherwise otherwise;
    struct runner_up reserved_otherwise; /* layout and price, where it takes another */
    struct goals_beside goals;
    enum solve solve;
    struct solution solved;
    struct fix fixes[PLAN_MAX_FIXES];
    int fix_count;
};

enum gp_status planner_answer(struct planner *planner, const struct options *options,
                              struct answer *out, struct gp_err *err);
/* The plan alone: no fixes, nothing beside it. */
enum gp_status planner_decide(struct planner *planner, const struct options *options,
                              struct answer *out, struct gp_err *err);
/* Adds to the fixes of an answer that fits what would be better (plan/better.h): for an
 * answer that somebody reads, as it takes some planning. */
enum gp_status planner_betters(struct planner *planner, struct answer *answer, struct gp_err *err);
/* The options that ask for a fix: "--gpu h200-sxm:8 --tp auto". Returns text. */
#define FIX_OPTIONS_MAX 768 /* all of them, each as long as can be */
char *planner_fix_options(const struct fix *fix, char text[FIX_OPTIONS_MAX]);
/* The command line of a fix of an answer, ready to paste. */
void planner_fix_command(const struct options *options, const struct answer *answer,
                         const struct fix *fix, struct strbuf *out);
/* The log that the lengths of a request are of, until another is read; NULL = of none. */
const struct trace *planner_trace(const struct planner *planner, const struct resolved *resolved);
/* The same without choosing or fixing, for a request that is already resolved. */
void planner_plan(struct planner *planner, const struct resolved *resolved, struct plan *out);

/* Sets the engine and usual_engine of a request that names none: the newest range, of the first of
 * CATALOG_ENGINES_TAKEN that has one, which starts on q's GPU; that of the first of all where there
 * is no GPU yet or none starts there. Errors: as catalog_engine(). */
enum gp_status planner_engine(struct catalog *catalog, struct request *q, struct gp_err *err);

/* What each role is stored in when `format` is asked for; format NULL = native. */
enum gp_status planner_precision(struct planner *planner, const struct model *model,
                                 const struct format *format, struct precision *out,
                                 struct gp_err *err);

/* The KV cache that an engine makes by itself beside weights of a precision: theirs, but of
 * llama.cpp and its like at most F16. Errors: as catalog_format(). */
enum gp_status planner_kv(struct planner *planner, const struct engine *engine,
                          const struct precision *precision, const struct format **kv,
                          struct gp_err *err);

/* The model as it is published in that precision, where its MLPs were padded for it; else NULL. */
const struct model *planner_release(struct planner *planner, const struct model *model,
                                    const struct precision *precision);

/* From the options of --train to an answer, for every command. */
struct train_answer {
    struct resolved resolved;
    struct train_memory memory;
    struct train_fix fixes[TRAIN_MAX_FIXES];
    int fix_count;
    struct plan priced; /* request, layout and cost alone; no cost: !has_memory */
};

enum gp_status planner_train(struct planner *planner, const struct options *options,
                             struct train_answer *out, struct gp_err *err);

#endif
