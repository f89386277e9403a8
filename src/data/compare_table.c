/*
 * compare_table.c - one load on many GPUs and precisions: gpuplan.compare/1.
 *
 * Words are looked up once per precision; after that only the GPU in the request
 * changes, and every row is one plan_request(): 75 GPUs x 3 precisions in tens of
 * milliseconds.
 */
#include "data/sheet_plan.h"

#include <stdlib.h>
#include <string.h>

#include "core/compare.h"
#include "util/mem.h"
#include "util/units.h"

#define PRECISIONS_MAX ASK_MAX_MANY

struct target {
    const struct gpu *gpu;
    int count, host;
    bool assumed;
};

struct comparison {
    struct resolved
        resolved[PRECISIONS_MAX]; /* one per precision; the GPU is the first */
    int resolved_count;
    struct target *targets;
    size_t target_count, target_cap;
    struct compared **rows;
    size_t row_count;
};

static void comparison_free(struct comparison *c)
{
    for (size_t i = 0; i < c->row_count; i++)
        free(c->rows[i]);
    free(c->rows);
    free(c->targets);
    free(c);
}

/* ---- GPUs ---- */

static void add_target(struct comparison *c, struct target t)
{
    for (size_t i = 0; i < c->target_count; i++)
        if (c->targets[i].gpu == t.gpu && c->targets[i].count == t.count)
            return;
    c->targets =
        gp_grow(c->targets, &c->target_cap, c->target_count + 1, sizeof(*c->targets));
    c->targets[c->target_count++] = t;
}

static enum gp_status add_all(struct planner *planner, const struct ask *ask,
                              struct comparison *c, struct gp_err *err)
{
    const struct gpu *const *list;
    struct resolved *r = &c->resolved[0];
    size_t n;
    enum gp_status status = catalog_gpus(planner_catalog(planner), &list, &n, err);
    if (!status && n == 0)
        status = gp_fail(err, GP_E_FILE, "", "check --profiles", "there are no GPUs");
    if (!status)
        status = planner_resolve(planner, ask, NULL, NULL, list[0]->id, r, err);
    for (size_t i = 0; i < n && !status; i++) {
        struct target t = {.gpu = list[i]};
        t.host = cost_host_gpus(t.gpu, &r->market, &t.assumed);
        add_target(c, t);
    }
    return status;
}

static enum gp_status add_gpu(struct planner *planner, const struct ask *ask,
                              const char *text, struct comparison *c,
                              struct gp_err *err)
{
    struct resolved *r = &c->resolved[0];
    enum gp_status status = planner_resolve(planner, ask, NULL, NULL, text, r, err);
    const struct request *q = &r->request;
    if (!status)
        add_target(
            c, (struct target){q->gpu, q->gpu_count, q->host_gpus, q->host_assumed});
    return status;
}

static enum gp_status find_targets(struct planner *planner, const struct ask *ask,
                                   struct comparison *c, struct gp_err *err)
{
    enum gp_status status = GP_OK;
    if (ask->gpu_count == 0)
        return add_all(planner, ask, c, err);
    for (int i = 0; i < ask->gpu_count && !status; i++)
        status = strcmp(ask->gpus[i], "all") == 0
                     ? add_all(planner, ask, c, err)
                     : add_gpu(planner, ask, ask->gpus[i], c, err);
    return status;
}

/* ---- precisions ---- */

/* "fp8" of a model that is published in FP8 is its own precision. */
static bool is_new(const struct comparison *c, const struct precision *p)
{
    for (int i = 0; i < c->resolved_count; i++) {
        const struct precision *have = &c->resolved[i].request.precision;
        if (have->native == p->native && strcmp(have->id, p->id) == 0)
            return false;
    }
    return true;
}

static enum gp_status resolve_precisions(struct planner *planner, const struct ask *ask,
                                         const char *gpu, struct comparison *c,
                                         struct gp_err *err)
{
    static const char *const usual[] = {"native", "fp8", "int4-awq"};
    bool given = ask->precision_count > 0;
    int n = given ? ask->precision_count : 3;
    enum gp_status status = GP_OK;
    for (int i = 0; i < n && !status; i++) {
        struct resolved *r = &c->resolved[c->resolved_count];
        status = planner_resolve(planner, ask, NULL,
                                 given ? ask->precisions[i] : usual[i], gpu, r, err);
        if (!status && is_new(c, &r->request.precision))
            c->resolved_count++;
    }
    return status;
}

/* ---- rows ---- */

static void plan_rows(struct planner *planner, struct comparison *c)
{
    c->rows = gp_calloc((size_t)c->resolved_count * c->target_count, sizeof(*c->rows));
    for (int i = 0; i < c->resolved_count; i++) {
        struct resolved r = c->resolved[i];
        for (size_t k = 0; k < c->target_count; k++) {
            struct compared *row = gp_calloc(1, sizeof(*row));
            r.request.gpu = c->targets[k].gpu;
            r.request.gpu_count = c->targets[k].count;
            r.request.host_gpus = c->targets[k].host;
            r.request.host_assumed = c->targets[k].assumed;
            planner_plan(planner, &r, &row->plan);
            c->rows[c->row_count++] = row;
        }
    }
}

static enum compare_order order_of(const struct ask *ask)
{
    static const char *const words[] = {"cost", "gpus", "memory", "name"};
    const char *word = ask_word(ask, OPT_SORT, words[0]);
    for (int i = 0; i < 4; i++)
        if (strcmp(word, words[i]) == 0)
            return (enum compare_order)i;
    return COMPARE_COST;
}

static void row_facts(const struct compared *row, bool engines, struct sheet *s)
{
    const struct plan *p = &row->plan;
    const struct memory *m = &p->memory;
    struct quantity none = quantity_unknown();
    bool has = p->has_memory;
    sheet_flag(s, "front", row->front);
    sheet_style(s, STYLE_MARK);
    sheet_title(s, "*");
    sheet_text(s, "gpu", p->request.gpu->id);
    sheet_text(s, "precision", p->request.precision.id);
    sheet_flag(s, "precision_native", p->request.precision.native);
    sheet_detail(s);
    sheet_text(s, "kv_precision", p->request.kv->id);
    sheet_detail(s);
    sheet_plan_engine(s, p->request.engine);
    if (!engines)
        sheet_detail(s);
    sheet_plan_layout(s, p);
    sheet_quantity(s, "weights", "GiB/GPU", has ? m->weights : none, GP_GIB, 2);
    sheet_title(s, "weights GiB");
    sheet_quantity(s, "kv_pool", "GiB/GPU", has ? m->kv_pool : none, GP_GIB, 2);
    sheet_title(s, "KV pool GiB");
    sheet_quantity(
        s, "max_concurrency", "requests",
        has ? quantity_max0(quantity_scale(m->max_concurrency, p->layout.replicas))
            : none,
        1, 1);
    sheet_title(s, "requests");
    sheet_plan_cost(s, p);
    sheet_text(s, "warning", p->warning_count > 0 ? p->warnings[0] : "");
    sheet_detail(s);
}

static void describe(const struct comparison *c, const struct ask *ask,
                     struct sheet *doc, bool *fits)
{
    const struct resolved *first = &c->resolved[0];
    bool engines = false;
    for (int i = 1; i < c->resolved_count; i++)
        engines |= c->resolved[i].request.engine != first->request.engine;
    sheet_text(doc, "schema", "gpuplan.compare/1");
    struct sheet *request = sheet_inside(doc, "request");
    sheet_text(request, "model", first->model_text);
    if (!engines)
        sheet_plan_engine(request, first->request.engine);
    sheet_plan_load(request, first);
    sheet_text(request, "sort", ask_word(ask, OPT_SORT, "cost"));
    sheet_text(doc, "front", "per_hour against max_concurrency, rows that fit");
    sheet_list(doc, "rows");
    *fits = false;
    for (size_t i = 0; i < c->row_count; i++) {
        row_facts(c->rows[i], engines, sheet_append(doc, "rows"));
        *fits |= c->rows[i]->plan.verdict != VERDICT_DOES_NOT_FIT;
    }
}

enum gp_status report_compare(struct planner *planner, const struct ask *ask,
                              struct sheet *doc, bool *fits, struct gp_err *err)
{
    struct comparison *c = gp_calloc(1, sizeof(*c));
    enum gp_status status = find_targets(planner, ask, c, err);
    if (!status)
        status = resolve_precisions(planner, ask, c->targets[0].gpu->id, c, err);
    if (!status) {
        plan_rows(planner, c);
        compare_front(c->rows, c->row_count);
        compare_sort(c->rows, c->row_count, order_of(ask));
        describe(c, ask, doc, fits);
    }
    comparison_free(c);
    return status;
}
