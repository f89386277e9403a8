/*
 * sentence.h - what a plan's codes say, in words.
 *
 * src/core answers in codes and numbers (reason.h); each code has one row here, a
 * sentence with the names of the values that belong into it:
 *
 *   "{engine} {runs not} on {devices}" -> "vLLM does not run on Apple GPUs"
 *
 * A sentence is one of the caller's texts (base/texts.h).
 */
#ifndef GP_ANSWER_SENTENCE_H
#define GP_ANSWER_SENTENCE_H

#include "base/str.h"
#include "base/texts.h"
#include "plan/plan.h"
#include "plan/train/train.h"

/* The i-th reason or warning of a plan in text; NULL when there are not that many. */
const char *sentence_reason(const struct plan *plan, int i, struct texts *texts);
const char *sentence_warning(const struct plan *plan, int i, struct texts *texts);

/* The first one; "" when there is none. */
const char *sentence_first_reason(const struct plan *plan, struct texts *texts);

/* "16 users of 1,280 tokens, each up to 8,192"; "16 users x 8,192 tokens" where each counts as
 * the longest; with a rate "5 requests/s: up to 118 at once of ...". */
const char *sentence_load(const struct request *request, struct texts *texts);

/* "TP 1 x PP 5 x 8 replicas, EP 8": what exceeds 1, and TP. */
const char *sentence_gpus(const struct plan *plan, struct texts *texts); /* "4 x h100-sxm" */
const char *sentence_layout(const struct layout *layout, struct texts *texts);

/* "--max-num-seqs 256 --enforce-eager": what the search turned of the engine; "" for nothing. */
const char *sentence_turned(const struct plan *plan, struct texts *texts);
/* The same in short: "32 slots, no CUDA graphs". */
const char *sentence_turned_short(const struct plan *plan, struct texts *texts);

/* Why the layout is not valid: all its refusals, separated by "; "; "" when it is. */
const char *sentence_refusals(const struct request *request, const struct layout *layout,
                              struct texts *texts);

/* What decides a marginal verdict: "CUDA graphs (0.51..1.85 GiB): raise ..."; or "". */
const char *sentence_knob(const struct plan *plan, struct texts *texts);

/* What made the runner-up lose: "3 GPUs more". */
const char *sentence_worse_by(const struct runner_up *second, struct texts *texts);

/* Why a price is unknown or to be doubted; "" when it is neither. */
const char *sentence_cost_note(const struct plan *plan, struct texts *texts);

/* What to know about this price of them besides its figure, "" when nothing: "dearer
 * than on demand", "6 of 8 GPUs are not used", "price per GPU of a shared host",
 * "note: ...", "assumed: ...". */
const char *sentence_rent_note(const struct plan *plan, const struct rent *rent,
                               struct texts *texts);
/* "2026-07-20"; "by 2026-11": read then, from a source without a date; "file of
 * 2026-11-20"; "" when unknown. */
const char *sentence_price_date(const struct instance *instance, struct texts *texts);

/* Why there is no estimate of speed; "" when there is one. */
const char *sentence_speed_gap(const struct plan *plan, struct texts *texts);
/* What takes most of a step: "memory bandwidth: reading weights"; and what widens the
 * band, "a mixture of experts (x1.29), the engine's build (x1.35)". */
const char *sentence_saturation(enum saturation saturation);
const char *sentence_speed_bound(const struct plan *plan);
/* How often estimates of this kind have been right so far; hit: the plan's own. */
const char *sentence_speed_hit(const struct plan *plan, const struct hit *hit, struct texts *texts);
const char *sentence_speed_doubts(const struct plan *plan, struct texts *texts);

/* What would narrow the speed's band, and what widens it most; "" = nothing known. */
const char *sentence_speed_narrower(const struct plan *plan, struct texts *texts);

/* "2 x HGX H100 8-GPU server", "2 x h100-sxm and hosts"; "2026-05", "2023 launch". */
const char *sentence_purchase(const struct buy *buy, struct texts *texts);
const char *sentence_purchase_date(const struct buy *buy, struct texts *texts);

/* What a fix does: "8 x NVIDIA H200 SXM5 141GB"; its options: planner_fix_options(). */
const char *sentence_fix(const struct fix *fix, struct texts *texts);

/* The same of a run of --train. */
const char *sentence_train_reason(const struct request *request, const struct train_memory *memory,
                                  int i, struct texts *texts);
const char *sentence_train_warning(const struct request *request, const struct train_memory *memory,
                                   int i, struct texts *texts);
const char *sentence_train_knob(const struct train_memory *memory, struct texts *texts);
/* What a change of a plan that fits reaches, beside the plan's own: "weights in AWQ INT4:
 * $1.41 per million (-51 %), TPOT 31.0 ms (+35 %), $3.49/h". */
const char *sentence_better(const struct plan *plan, const struct fix *fix, struct texts *texts);

/* What a fix does, and its options: "--recompute full". */
const char *sentence_train_fix(const struct request *request, const struct train_fix *fix,
                               struct texts *texts);
const char *sentence_train_options(const struct request *request, const struct train_fix *fix,
                                   struct texts *texts);

/* A value that a sentence names. */
enum say {
    SAY_TEXT,    /* as it is */
    SAY_NUMBER,  /* "8192" */
    SAY_PLAIN,   /* "0.5", "nan" */
    SAY_GIB,     /* "3.00 GiB" */
    SAY_BAND,    /* "0.51..1.85 GiB", GiB from number to high */
    SAY_SHARE,   /* "0.87" */
    SAY_TIMES,   /* "2.0" */
    SAY_VERSION, /* 80: "8.0" */
    SAY_GPUS,    /* "1 GPU", "2 GPUs" */
    SAY_TOKENS,  /* "8,192" */
    SAY_MS,      /* 0.0228: "22.8 ms"; 1.63: "1.63 s" */
    SAY_WATTS,   /* "2.21 kW" */
    SAY_RATE     /* "1.2 TFLOPS" */
};

struct sentence_value {
    const char *name;
    enum say kind;
    const char *text;
    double number, high;
};

/* `words` with each {name} replaced by its value; the list ends with a name of NULL. */
const char *sentence_fill(const char *words, const struct sentence_value *values,
                          struct texts *texts);

#endif
