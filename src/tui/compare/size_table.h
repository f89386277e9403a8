/*
 * size_table.h - sizes of models by formats of their weights on one GPU: memory in all, GPUs
 * and what each holds, dollars per hour. The screen of --table, with the plan's load.
 *
 *                   fp16    $/h      fp8    $/h
 *     70B          147.2  $4.00     76.8  $2.00     in all, of weights, KV, activation, engine
 *     70.55 B   4 x 36.8         2 x 38.4           of each GPU
 *
 * Rows are the plan's model and sizes that people name; a cell is a plan of its own, made by
 * the worker, and Enter takes it into the form.
 */
#ifndef GP_TUI_COMPARE_SIZE_TABLE_H
#define GP_TUI_COMPARE_SIZE_TABLE_H

#include "answer/print_plan.h"
#include "catalog/gpu.h"
#include "tui/app.h"
#include "tui/worker.h"

struct size_job;
struct size_table {
    struct task *task; /* NULL: the table was not asked for yet */
    struct size_job *job;
    unsigned version;          /* of the form that it is of */
    int row, column;           /* in focus */
    int left;                  /* first format shown */
    char gpu[GPU_ID_MAX + 32]; /* another than the plan's; "" = that of the plan */
};

void size_table_fini(struct size_table *table);
/* Begins it, anew where the form has changed. */
void size_table_show(struct app *app, struct size_table *table);
/* True while cells are to come; touches the screen for those that did. */
bool size_table_go_on(struct app *app, struct size_table *table);
bool size_table_act(struct app *app, struct size_table *table, enum action action);
void size_table_click(struct app *app, struct size_table *table, int y, int x);
void size_table_draw(const struct size_table *table, struct canvas *canvas,
                     const struct frame *frame);
void size_table_explain(const struct size_table *table, struct strbuf *out);
void size_table_title(const struct size_table *table, struct strbuf *out);
void size_table_command(const struct app *app, const struct size_table *table, struct strbuf *out);
enum gp_status size_table_export(const struct size_table *table, enum output_format format,
                                 struct strbuf *out, struct gp_err *err);
/* Whether an action of Compare holds here. */
bool size_table_has(enum action action);

/* A window with every equation of a plan. */
void compare_why_open(struct app *app, const char *title, const struct plan *plan);

#endif
