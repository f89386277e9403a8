/*
 * compare_run.h - one load on many GPUs and precisions, planned in steps.
 *
 * Words are looked up once, when a comparison begins; after that only the GPU and the
 * precision change, and every row is one plan of about 0.1 ms. A program that has time
 * plans all rows in one step (report_compare() does); one that must answer keys plans a
 * few, looks at the clock, and goes on later:
 *
 *   comparison_begin(planner, &ask, &c, err);
 *   while (comparison_step(c, 1))
 *       ... rows 0 .. comparison_done(c) - 1 are there, in the order they were planned
 *   ... all rows are there, sorted, those on the front marked
 *
 * The rows are the same however they were stepped. They borrow from the planner: its
 * local models are kept while fewer than 256 others are asked for.
 */
#ifndef GP_ANSWER_COMPARE_RUN_H
#define GP_ANSWER_COMPARE_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/planner.h"
#include "answer/plot.h"
#include "answer/print_plan.h"
#include "answer/record.h"
#include "base/err.h"
#include "base/str.h"
#include "plan/compare.h"

/* What a request of either kind asks: parts of the model, pruning, price, market, hours. */
void record_plan_asked(struct record *record, const struct resolved *resolved);
/* The prices of such a load in words: "spot prices of aws in us, dated only". */
void record_plan_prices(const struct record *request, struct strbuf *out);

/* A plan as a row: GPU, layout, memory, speed and price. engine: people read it in a column. */
void record_plan_row(struct record *row, const struct plan *plan, bool engine);

/* A comparison (compare_run.h) in one go: one model, the GPUs and precisions asked for (all GPUs;
 * the model's own precision, fp8 and int4-awq). *fits: at least one row is not does-not-fit. */
enum gp_status report_compare(struct planner *planner, const struct options *options,
                              struct record *doc, bool *fits, struct gp_err *err);

/* Models by precisions on one GPU (8B, 70B and 400B; fp64, fp32, fp16,
 * int8 and int4-awq; h100-sxm). The rows' facts are in the groups "memory", "GPUs" and "cost".
 */
enum gp_status report_table(struct planner *planner, const struct options *options,
                            struct record *doc, struct gp_err *err);
/* The same from plans that are made: what it is of, by the first row, then a row each. */
void table_begin(const struct resolved *resolved, struct record *doc);
void table_row(const struct resolved *resolved, const struct plan *plan, struct record *doc);
/* The rule of thumb of its model as named, at its precision: bytes. */
double table_rule(const struct resolved *resolved);
/* Text and Markdown have three tables, CSV and JSON one row per model and precision; quiet:
 * without the words below. */
void print_table(const struct record *doc, enum output_format format, bool quiet,
                 struct strbuf *out);

/* As text, JSON, CSV or Markdown: what --compare prints and the screen exports. quiet: as
 * text the best rows alone, else without the words above and below the table. top: so many rows
 * where people read them, and columns that fit into cols; 0 = all. */
void print_compare(const struct record *doc, enum output_format format, bool quiet, size_t top,
                   int cols, struct strbuf *out);

struct comparison;

/* The GPUs and precisions asked for: all GPUs; the model's own precision, fp8 and
 * int4-awq. The ask is not needed any more when this returns. */
enum gp_status comparison_begin(struct planner *planner, const struct options *options,
                                struct comparison **out, struct gp_err *err);
/* The same load on all GPUs, in the precisions that are taken when none is named and in the
 * one that is asked for; not corrected by what was measured of one of them. */
enum gp_status comparison_begin_all(struct planner *planner, const struct options *options,
                                    struct comparison **out, struct gp_err *err);
void comparison_free(struct comparison *comparison); /* NULL: nothing */

/* Plans at most `rows` more; with the last of them it finds the front and sorts. True
 * while there is more to do. */
bool comparison_step(struct comparison *comparison, size_t rows);

/* The same in two halves: row i, to be freed, planned by any thread; and the next row put
 * into its place, by whoever reads the rows. */
struct compared *comparison_plan(const struct comparison *comparison, size_t i);
bool comparison_take(struct comparison *comparison, struct compared *row);

size_t comparison_total(const struct comparison *comparison);
size_t comparison_done(const struct comparison *comparison);
const struct compared *comparison_row(const struct comparison *comparison, size_t i);
/* Model and load, as every row has them. */
const struct resolved *comparison_load(const struct comparison *comparison);

/* The options of --plan that give this row: GPU, count and precision, and the layout
 * where that many GPUs would be used in another way if nobody said how. */
void comparison_options(const struct comparison *comparison, const struct compared *row,
                        struct strbuf *out);

/* What a row of gpuplan.compare/1 says; also what a screen shows of it. */
void comparison_facts(const struct comparison *comparison, const struct compared *row,
                      struct record *out);
/* A gpuplan.compare/1 of these rows in this order. top: so many of them, 0 = all;
 * sort: what they are sorted by, NULL = as asked; filter: which rows they are, in words, "" = all.
 */
void comparison_record(const struct comparison *comparison, const struct compared *const *rows,
                       size_t count, size_t top, const char *sort, const char *filter,
                       struct record *doc);

/* The rows of a comparison as points: what each costs against what it
 * gives, and which of them are on the front (plan/compare.h).
 *
 * Without goals of speed it is dollars per hour against requests held, with goals against
 * dollars per million output tokens: what the front is of. A row that has no price or does
 * not fit has no point.
 *
 * Series '*' is the front, 'o' what is not on it, 'P' the plan itself. False: no row has
 * a point; words is then the sentence to show instead. */
bool compare_plot(const struct comparison *comparison, const struct plan *own, struct plot *plot,
                  char words[CURVE_WORDS]);

#endif
