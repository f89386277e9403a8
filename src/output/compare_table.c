/*
 * compare_table.c - what a comparison says: gpuplan.compare/1.
 */
#include "output/record_plan.h"

#include "output/compare_parts.h"
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
                      struct record *s)
{
    const struct plan *p = &row->plan;
    const struct memory *m = &p->memory;
    struct quantity none = quantity_unknown();
    bool has = p->has_memory;
    bool pool = has && !p->request.model->weights_only;
    record_flag(s, "front", row->front);
    record_style(s, STYLE_MARK);
    record_title(s, "*");
    record_text(s, "gpu", p->request.gpu->id);
    record_text(s, "precision", p->request.precision.id);
    record_flag(s, "precision_native", p->request.precision.native);
    record_detail(s);
    record_text(s, "kv_precision", p->request.kv->id);
    record_detail(s);
    record_plan_engine(s, p->request.engine);
    if (!engines_differ(c))
        record_detail(s);
    record_plan_layout(s, p);
    record_flag(s, "spans_machines", plan_spans(p));
    record_detail(s);
    record_quantity(s, "weights", "GiB/GPU", has ? m->weights : none, GP_GIB, 2);
    record_title(s, "weights GiB");
    record_quantity(s, "kv_pool", "GiB/GPU", pool ? m->kv_pool : none, GP_GIB, 2);
    record_title(s, "KV pool GiB");
    record_quantity(
        s, "max_concurrency", "requests",
        has ? quantity_max0(quantity_scale(m->max_concurrency, p->layout.replicas))
            : none,
        1, 1);
    record_title(s, "requests");
    record_plan_cost(s, p);
    record_quantity(s, "memory", "GiB/GPU", p->request.gpu->physical, GP_GIB, 2);
    record_detail(s);
    record_text(s, "warning", p->warning_count > 0 ? p->warnings[0] : "");
    record_detail(s);
}

void comparison_sheet(const struct comparison *c, const struct compared *const *rows,
                      size_t count, const char *sort, const char *filter,
                      struct record *doc)
{
    const struct resolved *first = &c->resolved[0];
    record_text(doc, "schema", "gpuplan.compare/1");
    struct record *request = record_inside(doc, "request");
    record_text(request, "model", first->model_text);
    if (!engines_differ(c))
        record_plan_engine(request, first->request.engine);
    record_plan_load(request, first);
    record_text(request, "sort", sort ? sort : compare_order_word(c->order));
    if (filter[0])
        record_text(request, "filter", filter);
    record_text(doc, "front",
                "per_hour against max_concurrency, rows that fit in one machine");
    record_list(doc, "rows");
    for (size_t i = 0; i < count; i++)
        comparison_facts(c, rows[i], record_append(doc, "rows"));
}

enum gp_status report_compare(struct planner *planner, const struct options *options,
                              struct record *doc, bool *fits, struct gp_err *err)
{
    struct comparison *c;
    enum gp_status status = comparison_begin(planner, options, &c, err);
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
