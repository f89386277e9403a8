/*
 * compare_table.c - what a comparison says: gpuplan.compare/1.
 */
#include "data/sheet_plan.h"

#include "data/compare_parts.h"
#include "util/units.h"

const char *compare_order_word(enum compare_order order)
{
    static const char *const words[] = {"cost", "gpus", "memory", "name"};
    return words[order];
}

/* Rows of one engine say it once, in the request. */
static bool engines_differ(const struct comparison *c)
{
    const struct engine *first = c->resolved[0].request.engine;
    for (int i = 1; i < c->resolved_count; i++)
        if (c->resolved[i].request.engine != first)
            return true;
    return false;
}

void comparison_facts(const struct comparison *c, const struct compared *row,
                      struct sheet *s)
{
    const struct plan *p = &row->plan;
    const struct memory *m = &p->memory;
    struct quantity none = quantity_unknown();
    bool has = p->has_memory;
    bool pool = has && !p->request.model->weights_only;
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
    if (!engines_differ(c))
        sheet_detail(s);
    sheet_plan_layout(s, p);
    sheet_flag(s, "spans_machines", plan_spans(p));
    sheet_detail(s);
    sheet_quantity(s, "weights", "GiB/GPU", has ? m->weights : none, GP_GIB, 2);
    sheet_title(s, "weights GiB");
    sheet_quantity(s, "kv_pool", "GiB/GPU", pool ? m->kv_pool : none, GP_GIB, 2);
    sheet_title(s, "KV pool GiB");
    sheet_quantity(
        s, "max_concurrency", "requests",
        has ? quantity_max0(quantity_scale(m->max_concurrency, p->layout.replicas))
            : none,
        1, 1);
    sheet_title(s, "requests");
    sheet_plan_cost(s, p);
    sheet_quantity(s, "memory", "GiB/GPU", p->request.gpu->physical, GP_GIB, 2);
    sheet_detail(s);
    sheet_text(s, "warning", p->warning_count > 0 ? p->warnings[0] : "");
    sheet_detail(s);
}

void comparison_sheet(const struct comparison *c, const struct compared *const *rows,
                      size_t count, const char *sort, const char *filter,
                      struct sheet *doc)
{
    const struct resolved *first = &c->resolved[0];
    sheet_text(doc, "schema", "gpuplan.compare/1");
    struct sheet *request = sheet_inside(doc, "request");
    sheet_text(request, "model", first->model_text);
    if (!engines_differ(c))
        sheet_plan_engine(request, first->request.engine);
    sheet_plan_load(request, first);
    sheet_text(request, "sort", sort ? sort : compare_order_word(c->order));
    if (filter[0])
        sheet_text(request, "filter", filter);
    sheet_text(doc, "front", "per_hour against max_concurrency, rows that fit in one machine");
    sheet_list(doc, "rows");
    for (size_t i = 0; i < count; i++)
        comparison_facts(c, rows[i], sheet_append(doc, "rows"));
}

enum gp_status report_compare(struct planner *planner, const struct ask *ask,
                              struct sheet *doc, bool *fits, struct gp_err *err)
{
    struct comparison *c;
    enum gp_status status = comparison_begin(planner, ask, &c, err);
    if (status)
        return status;
    comparison_step(c, comparison_total(c));
    comparison_sheet(c, (const struct compared *const *)c->rows, c->row_count, NULL, "",
                     doc);
    *fits = false;
    for (size_t i = 0; i < c->row_count; i++)
        *fits |= c->rows[i]->plan.verdict != VERDICT_DOES_NOT_FIT;
    comparison_free(c);
    return GP_OK;
}
