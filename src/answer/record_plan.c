/*
 * record_plan.c - see record_plan.h.
 */
#include "answer/record_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figures.h"
#include "answer/sentence.h"
#include "base/mem.h"
#include "base/units.h"

static void record_plan_market(struct record *s, const struct market *market)
{
    record_text(s, "provider", market->providers);
    record_text(s, "region", market->region);
    record_flag(s, "dated", market->dated);
}

void record_plan_asked(struct record *r, const struct resolved *resolved)
{
    const struct request *q = &resolved->request;
    char price[OPTION_CHOICE_MAX];

    record_flag(r, "language_model_only", q->text_only);
    if (resolved->prune[0])
        record_text(r, "prune", resolved->prune);
    else if (q->prune == PRUNE_UNSTRUCTURED)
        record_count(r, "prune", "%", q->prune_share * 100);
    else
        record_text(r, "prune", q->prune == PRUNE_2_4 ? "2:4" : "none");
    record_text(r, "price", option_choice(OPT_PRICE, (int)q->price, price));
    record_plan_market(r, &resolved->market);
    record_positive(r, "hours", "h", resolved->market.hours);
    record_positive(r, "electricity", "$/kWh", resolved->market.electricity);
}

void record_plan_load(struct record *s, const struct resolved *r)
{
    char price[OPTION_CHOICE_MAX];
    const struct request *q = &r->request;

    record_count(s, "context", "tokens", q->context);
    record_count(s, "prompt", "tokens", q->prompt);
    record_count(s, "output", "tokens", q->output);
    record_count(s, "users", "", q->users);
    record_text(s, "price", option_choice(OPT_PRICE, (int)q->price, price));
    record_plan_market(s, &r->market);
    record_quantity(s, "hours_per_month", "h",
                    r->market.hours > 0 ? quantity_exact(r->market.hours)
                                        : quantity_of(COST_HOURS_PER_MONTH, ORIGIN_ASSUMED),
                    1, 0);
}

void record_plan_prices(const struct record *s, struct strbuf *out)
{
    const char *provider = record_get(s, "provider"), *region = record_get(s, "region");

    strbuf_addf(out, "%s prices%s%s%s%s%s", record_get(s, "price"), provider[0] ? " of " : "",
                provider, region[0] ? " in " : "", region,
                strcmp(record_get(s, "dated"), "yes") == 0 ? ", dated only" : "");
}

void record_plan_engine(struct record *s, const struct engine *e)
{
    record_textf(s, "engine", "%s %s", e->name, e->range);
}

void record_plan_layout(struct record *s, const struct plan *p)
{
    const struct layout *l = &p->layout;
    double none = p->has_memory ? 0 : NAN; /* a refused layout has no size */
    struct texts texts = {0};

    record_text(s, "verdict", verdict_word(p->verdict));
    record_count(s, "gpus", "", l->gpus + none);
    record_count(s, "tp", "", l->tp + none);
    record_count(s, "pp", "", l->pp + none);
    record_count(s, "ep", "", l->ep + none);
    record_title(s, "EP");
    record_count(s, "replicas", "", l->replicas + none);
    record_title(s, "rep");
    record_count(s, "hosts", "", l->hosts + none);
    record_detail(s);
    record_text(s, "limit", limit_word(p->limit));
    record_text(s, "reason", sentence_first_reason(p, &texts));
    record_detail(s);
    texts_fini(&texts);
}

/* A figure as a column: title, decimals; without a title in JSON, CSV and --show alone. */
static void figure_column(struct record *s, const struct plan *p, enum figure_id id,
                          const char *title, int decimals)
{
    const struct figure_row *row = &figure_rows[id];

    record_quantity(s, row->key, row->shown, figure_value(p, id), row->scale, decimals);
    if (title)
        record_title(s, title);
    else
        record_detail(s);
}

void record_plan_speed(struct record *s, const struct plan *p)
{
    figure_column(s, p, FIGURE_TOKENS, "tokens/s", 0);
    figure_column(s, p, FIGURE_TPOT, "TPOT ms", 1);
    figure_column(s, p, FIGURE_TTFT, NULL, 0);
    figure_column(s, p, FIGURE_JOULES, NULL, 2);
    figure_column(s, p, FIGURE_MILLION, "$/M out", 2);
}

void record_plan_cost(struct record *s, const struct plan *p)
{
    const struct rent *r = cost_wanted(&p->cost);
    const struct buy *b = &p->cost.buy;
    bool serves = p->verdict != VERDICT_DOES_NOT_FIT;
    bool rented = serves && r && r->known, bought = serves && !r && b->known;
    struct quantity hour = figure_value(p, FIGURE_HOUR), month = figure_value(p, FIGURE_MONTH);
    struct texts texts = {0};

    hour.known = month.known = hour.known && serves;
    record_quantity(s, "per_hour", "$/h", hour, 1, 2);
    record_title(s, "$/h");
    record_quantity(s, "per_month", "$/month", month, 1, 0);
    record_title(s, "$/month");
    if (rented)
        record_textf(s, "offer", "%d x %s/%s", r->instances, r->instance->provider,
                     r->instance->type);
    else
        record_text(s, "offer", bought ? sentence_purchase(b, &texts) : "");
    record_text(s, "price_date",
                rented   ? sentence_price_date(r->instance, &texts)
                : bought ? sentence_purchase_date(b, &texts)
                         : "");
    record_text(s, "price_note", rented ? sentence_rent_note(p, r, &texts) : "");
    record_detail(s);
    record_text(s, "price_source", rented ? r->instance->source : bought ? b->source : "");
    record_detail(s);
    texts_fini(&texts);
}

void print_compare(const struct record *doc, enum output_format format, bool quiet,
                   struct strbuf *out)
{
    const struct fact *rows = record_find(doc, "rows");
    bool people = format != OUTPUT_CSV && !quiet;

    if (format == OUTPUT_JSON) {
        record_json(doc, out);
        return;
    }
    if (people) {
        const struct record *request = &record_find(doc, "request")->records[0];
        const char *engine = record_get(request, "engine");
        const char *filter = record_get(request, "filter");

        strbuf_addf(out, "%s: %.0f x %.0f tokens, %s, ", record_get(request, "model"),
                    record_find(request, "users")->number.value,
                    record_find(request, "context")->number.value,
                    engine[0] ? engine : "engine by row");
        record_plan_prices(request, out);
        strbuf_add(out, "\n");
        if (filter[0])
            strbuf_addf(out, "only rows with: %s\n", filter);
        strbuf_add(out, "\n");
    }
    record_table(rows->records, rows->record_count, NULL, output_record_as(format), out);
    if (people) {
        bool speed = strstr(record_get(doc, "front"), "goals") != NULL;

        strbuf_add(
            out,
            "\nweights and KV pool: of one GPU; requests: of the whole context, that all "
            "GPUs hold at once\n"
            "tokens/s: output of all users together; TPOT: between two tokens of one; $/M out: "
            "dollars\nper million output tokens while these users keep asking\n");
        strbuf_add(
            out, speed
                     ? "Front of $/h against $/M out, marked *: nothing in one machine that "
                       "reaches the goals is\ncheaper in both; pipelines over several machines "
                       "come last\n"
                     : "Front of $/h against requests, marked *: nothing in one machine that fits "
                       "is cheaper and\nholds as many; pipelines over several machines come "
                       "last\n");
        strbuf_add(out,
                   "~ estimated, ? assumed, - unknown; bands and sources: --format json or csv\n");
    }
}

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
        if (i == 0) {
            record_text(doc, "schema", "gpuplan.table/1");
            struct record *request = record_inside(doc, "request");
            record_text(request, "gpu", r.request.gpu->id);
            record_quantity(request, "gpu_marketed", "GB",
                            quantity_of(r.request.gpu->memory_marketed, ORIGIN_SHEET), 1e9, 0);
            record_quantity(request, "gpu_usable", "GiB", gpu_usable(r.request.gpu), GP_GIB, 2);
            record_plan_load(request, &r);
            record_text(doc, "rule_of_thumb", "params x bits/8 x 1.25");
            record_list(doc, "rows");
        }
        planner_plan(planner, &r, plan);
        row_facts(&r, plan, record_append(doc, "rows"));
    }
    free(plan);
    return rc;
}
