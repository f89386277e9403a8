/*
 * record_plan.h - what the rows of --compare and --table say of a plan, and the answers
 * themselves: gpuplan.compare/1 and gpuplan.table/1.
 */
#ifndef GP_ANSWER_RECORD_PLAN_H
#define GP_ANSWER_RECORD_PLAN_H

#include <stdbool.h>

#include "answer/planner.h"
#include "answer/print_plan.h"
#include "answer/record.h"
#include "base/err.h"
#include "base/str.h"

/* Which instances count: provider, region, dated. */
/* What a request of either kind asks: parts of the model, pruning, price, market, hours. */
void record_plan_asked(struct record *record, const struct resolved *resolved);
/* The load that all rows share: context, prompt, output, users, prices. */
void record_plan_load(struct record *record, const struct resolved *resolved);
/* verdict, gpus, tp, pp, replicas, limit */
void record_plan_layout(struct record *record, const struct plan *plan);
/* output tokens/s of all users, TPOT, TTFT, dollars per million output tokens */
void record_plan_speed(struct record *record, const struct plan *plan);
/* per_hour, per_month, what is rented or bought, date and source of the price; of what
 * does not fit nothing: it serves nobody */
void record_plan_cost(struct record *record, const struct plan *plan);
/* The prices of such a load in words: "spot prices of aws in us, dated only". */
void record_plan_prices(const struct record *request, struct strbuf *out);
/* "vllm@0.21" as --engine takes and --show finds it. */
void record_plan_engine(struct record *record, const struct engine *engine);

/* A comparison (compare_run.h) in one go: one model, the GPUs and precisions asked for (all GPUs;
 * the model's own precision, fp8 and int4-awq). *fits: at least one row is not does-not-fit. */
enum gp_status report_compare(struct planner *planner, const struct options *options,
                              struct record *doc, bool *fits, struct gp_err *err);

/* size_table.c: models by precisions on one GPU (8B, 70B and 400B; fp64, fp32, fp16,
 * int8 and int4-awq; h100-sxm). The rows' facts are in the groups "memory", "GPUs" and "cost".
 */
enum gp_status report_table(struct planner *planner, const struct options *options,
                            struct record *doc, struct gp_err *err);

/* a gpuplan.compare/1 as text, JSON, CSV or Markdown: what --compare prints and the screen exports.
 */

/* quiet: without the words above and below the table. */
void print_compare(const struct record *doc, enum output_format format, bool quiet,
                   struct strbuf *out);

#endif
