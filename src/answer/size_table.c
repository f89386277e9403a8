/*
 * size_table.c - the field's three tables beside the exact figures: gpuplan.table/1.
 *
 * The rule of thumb says params * bits/8 * 1.25 bytes, whatever the load; a bare size is
 * taken at its word. What a load takes on one GPU is the sum of the exact parts: weights,
 * KV cache as the engine sets it aside, activations, memory outside the allocator, CUDA
 * graphs.
 *
 * Example: 70B at 16 bits: 70e9 * 2 * 1.25 = 175 GB by the rule, so three 80 GB GPUs; the
 * checkpoint (70,553,706,496 parameters) has 131.4 GiB, and the KV cache is what the users
 * make it.
 */
#include "answer/record_plan.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/units.h"

/* "70B" is 70e9 parameters, however many its assumed shape has. */
static double rule_params(const struct resolved *r)
{
    double params = 0;
    bool named = r->generic && units_parse_params(r->model_text, "", &params, NULL) == GP_OK;

    return named ? params : model_params(r->request.model);
}

static double rule_bytes(const struct resolved *r)
{
    return memory_rule_of_thumb(rule_params(r), r->request.precision.weight->bits);
}

static double rule_gpus(const struct resolved *r)
{
    return ceil(rule_bytes(r) / r->request.gpu->memory_marketed);
}

static void memory_facts(const struct resolved *resolved, const struct plan *p, struct record *s)
{
    const struct request *q = &p->request;
    const struct memory *m = &p->memory;
    struct quantity none = quantity_unknown();
    struct quantity rule = quantity_of(rule_bytes(resolved), ORIGIN_ASSUMED);
    const struct quantity *parts[] = {&m->weights, &m->kv_reserved, &m->activation, &m->non_torch,
                                      &m->graphs};
    struct quantity load = p->has_memory ? quantity_exact(0) : none;
    double params = model_params(q->model), bytes = weights_file_bytes(q);

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        load = quantity_add(load, *parts[i]);
    record_group(s, "memory");
    record_count(s, "params", "", params);
    record_style(s, STYLE_PARAMS);
    record_count(s, "rule_params", "", rule_params(resolved));
    record_detail(s);
    record_quantity(s, "rule_of_thumb_decimal", "GB", rule, 1e9, 1);
    record_title(s, "rule GB");
    record_quantity(s, "rule_of_thumb", "GiB", rule, GP_GIB, 1);
    record_detail(s);
    record_textf(s, "rule_precision", "%s, %g bits", q->precision.weight->id,
                 q->precision.weight->bits);
    record_title(s, "at");
    record_quantity(s, "checkpoint", "GiB", quantity_exact(bytes), GP_GIB, 2);
    record_textf(s, "checkpoint_precision", "%s, %.2f bits", q->precision.id, bytes * 8 / params);
    record_title(s, "at");
    record_quantity(s, "weights", "GiB/GPU", p->has_memory ? m->weights : none, GP_GIB, 2);
    record_quantity(s, "load", "GiB/GPU", load, GP_GIB, 2);
    record_quantity(s, "load_all", "GiB", quantity_scale(load, p->layout.gpus), GP_GIB, 1);
}

static void row_facts(const struct resolved *r, const struct plan *p, struct record *s)
{
    /* the rule's GPUs at the price of one GPU of the offer that the exact plan takes */
    const struct rent *rent = cost_wanted(&p->cost);
    bool priced = rent && p->verdict != VERDICT_DOES_NOT_FIT && rent->known && rent->gpus_paid > 0;

    record_text(s, "model", r->model_text);
    record_text(s, "precision", p->request.precision.id);
    record_text(s, "shape", r->generic ? "assumed" : "exact");
    record_detail(s);
    record_plan_engine(s, p->request.engine);
    record_detail(s);
    record_text(s, "kv_precision", p->request.kv->id);
    record_detail(s);
    memory_facts(r, p, s);
    record_group(s, "GPUs");
    record_count(s, "gpus_by_rule", "", rule_gpus(r));
    record_plan_layout(s, p);
    record_group(s, "cost");
    record_quantity(
        s, "per_hour_by_rule", "$/h",
        priced ? quantity_of(rule_gpus(r) * rent->per_hour / rent->gpus_paid, ORIGIN_ASSUMED)
               : quantity_unknown(),
        1, 2);
    record_title(s, "$/h by rule");
    record_plan_cost(s, p);
}

static void request_facts(const struct resolved *r, struct record *doc)
{
    record_text(doc, "schema", "gpuplan.table/1");
    struct record *request = record_inside(doc, "request");
    record_text(request, "gpu", r->request.gpu->id);
    record_quantity(request, "gpu_marketed", "GB",
                    quantity_of(r->request.gpu->memory_marketed, ORIGIN_SHEET), 1e9, 0);
    record_quantity(request, "gpu_usable", "GiB", gpu_usable(r->request.gpu), GP_GIB, 2);
    record_plan_load(request, r);
    record_text(doc, "rule_of_thumb", "params x bits/8 x 1.25");
    record_list(doc, "rows");
}

enum gp_status report_table(struct planner *planner, const struct options *options,
                            struct record *doc, struct gp_err *err)
{
    static const char *const sizes[] = {"8B", "70B", "400B"};
    static const char *const usual[] = {"fp64", "fp32", "fp16", "int8", "int4-awq"};
    int models = options->model_count > 0 ? options->model_count : 3;
    int precisions = options->precision_count > 0 ? options->precision_count : 5;
    const char *gpu = options->gpu_count > 0 ? options->gpus[0] : "h100-sxm";
    struct resolved r;
    struct plan *plan = gp_malloc(sizeof(*plan));
    enum gp_status rc = GP_OK;

    for (int i = 0; i < models * precisions && !rc; i++) {
        int m = i / precisions, p = i % precisions;

        rc = planner_resolve(
            planner, options, options->model_count > 0 ? options->models[m] : sizes[m],
            options->precision_count > 0 ? options->precisions[p] : usual[p], gpu, &r, err);
        if (rc)
            break;
        if (i == 0)
            request_facts(&r, doc);
        planner_plan(planner, &r, plan);
        row_facts(&r, plan, record_append(doc, "rows"));
    }
    free(plan);
    return rc;
}
