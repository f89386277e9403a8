/*
 * compare_run.c - see compare_run.h; and what a comparison says: gpuplan.compare/1.
 */
#include "answer/compare_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figures.h"
#include "answer/report.h"
#include "answer/sentence.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/search.h"
#include "plan/usage.h"

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

/* by_gpu: the context is that of each row's engine on its GPU. */
static void record_plan_load(struct record *s, const struct resolved *r, bool by_gpu)
{
    char price[OPTION_CHOICE_MAX];
    const struct request *q = &r->request;
    struct texts texts = {0};

    record_count(s, "context", "tokens", q->context);
    record_count(s, "prompt", "tokens", q->prompt);
    record_count(s, "output", "tokens", q->output);
    record_count(s, "users", "", q->users);
    record_text(s, "load",
                by_gpu ? texts_addf(&texts, "%s, on other GPUs a context by their memory",
                                    sentence_load(q, &texts))
                       : sentence_load(q, &texts));
    texts_fini(&texts);
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

/* "vllm@0.21" as --engine takes and --show finds it. */
static void record_plan_engine(struct record *s, const struct engine *e)
{
    record_textf(s, "engine", "%s %s", e->name, e->range);
}

static void record_plan_layout(struct record *s, const struct plan *p)
{
    const struct layout *l = &p->layout;
    double none = p->has_memory ? 0 : NAN; /* a refused layout has no size */
    struct texts texts = {0};

    record_text(s, "verdict", verdict_word(p->verdict));
    if (plan_goals(p) != GOAL_NOT_ASKED) {
        record_style(s, STYLE_NOTE);
        record_note(s, plan_verdict_cell(p));
    }
    record_spare(s, plan_goals(p) != GOAL_NOT_ASKED || p->verdict == VERDICT_SLOW ? 24 : 12);
    record_count(s, "gpus", "", l->gpus + none);
    record_count(s, "tp", "", l->tp + none);
    record_spare(s, 15);
    record_count(s, "pp", "", l->pp + none);
    record_spare(s, 14);
    record_count(s, "ep", "", l->ep + none);
    record_title(s, "EP");
    record_spare(s, 4);
    record_count(s, "replicas", "", l->replicas + none);
    record_title(s, "rep");
    record_spare(s, 9);
    record_count(s, "hosts", "", l->hosts + none);
    record_detail(s);
    record_text(s, "limit", limit_word(p->limit));
    record_spare(s, 3);
    record_text(s, "reason", sentence_first_reason(p, &texts));
    record_detail(s);
    texts_fini(&texts);
}

/* A figure as a column: title, decimals; without a title in JSON, CSV and --show alone. */
static void figure_column(struct record *s, const struct plan *p, enum figure_id id,
                          const char *title, int decimals)
{
    const struct figure_row *row = &figure_rows[id];

    record_quantity(s, figure_key(p, id), row->shown, figure_value(p, id), row->scale, decimals);
    if (title)
        record_title(s, title);
    else
        record_detail(s);
}

static void record_plan_speed(struct record *s, const struct plan *p)
{
    bool pooling = p->request.model->pooling;

    figure_column(s, p, FIGURE_TOKENS, pooling ? "prompts/s" : "tokens/s", pooling);
    record_spare(s, 11);
    figure_column(s, p, FIGURE_TPOT, pooling ? NULL : "TPOT ms", 1);
    if (!pooling)
        record_spare(s, 13);
    figure_column(s, p, FIGURE_TTFT, pooling ? "prompt ms" : NULL, 0);
    if (pooling)
        record_spare(s, 13);
    static const char *const titles[LATE_COUNT] = {
#define X(NAME, measure, point, key, label) [LATE_##NAME] = label " ms",
        LATES(X)
#undef X
    };
    for (int i = 0; i < LATE_COUNT; i++) /* goals alone: what else there is takes a replay */
        if (p->request.late[i] > 0) {
            figure_column(s, p, (enum figure_id)(FIGURE_LATE + i), titles[i], 0);
            record_spare(s, 16 + LATE_COUNT - i);
        }
    figure_column(s, p, FIGURE_JOULES, NULL, 2);
    figure_column(s, p, FIGURE_MILLION, pooling ? "$/M tokens" : "$/M out", pooling ? 4 : 2);
}

static void record_plan_cost(struct record *s, const struct plan *p)
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
    record_spare(s, 2);
    if (rented)
        record_textf(s, "offer", "%d x %s/%s", r->instances, r->instance->provider,
                     r->instance->type);
    else
        record_text(s, "offer", bought ? sentence_purchase(b, &texts) : "");
    record_spare(s, 7);
    record_text(s, "price_date",
                rented   ? sentence_price_date(r->instance, &texts)
                : bought ? sentence_purchase_date(b, &texts)
                         : "");
    record_spare(s, 1);
    record_text(s, "price_note", rented ? sentence_rent_note(p, r, &texts) : "");
    record_detail(s);
    record_text(s, "price_source", rented ? r->instance->source : bought ? b->source : "");
    record_detail(s);
    texts_fini(&texts);
}

/* The rows that one is looking for, before all others. */
static void print_best(const struct record *doc, enum output_format format, struct strbuf *out)
{
    const struct fact *best = record_find(doc, "best");
    bool marked = format == OUTPUT_MARKDOWN;

    strbuf_add(out, marked ? "\n" : "");
    for (size_t i = 0; i < best->record_count; i++) {
        char line[256];

        gp_format(line, sizeof(line), "%-*s  %s", marked ? 0 : 10,
                  record_get(&best->records[i], "of"), record_get(&best->records[i], "text"));
        strbuf_add(out, marked ? "- " : "");
        output_line(line, format, out);
    }
    if (best->record_count == 0)
        output_line("nothing that fits in one machine has a list price", format, out);
}

void print_compare(const struct record *doc, enum output_format format, bool quiet, size_t top,
                   int cols, struct strbuf *out)
{
    const struct fact *rows = record_find(doc, "rows");
    bool people = format != OUTPUT_CSV && !quiet;
    size_t shown = top > 0 && top < rows->record_count ? top : rows->record_count;

    if (format == OUTPUT_JSON) {
        record_json(doc, out);
        return;
    }
    if (people) {
        const struct record *request = &record_find(doc, "request")->records[0];
        const char *engine = record_get(request, "engine");
        const char *filter = record_get(request, "filter"), *read = record_get(request, "read");

        struct strbuf head = STRBUF_EMPTY;

        strbuf_addf(&head, "%s: %s, %s, ", record_get(request, "model"),
                    record_get(request, "load"), engine[0] ? engine : "engine by row");
        record_plan_prices(request, &head);
        if (read[0])
            strbuf_addf(&head, "\n%s", read);
        if (filter[0])
            strbuf_addf(&head, "\nonly rows with: %s", filter);
        output_line(head.text, format, out);
        strbuf_fini(&head);
    }
    if (format != OUTPUT_CSV)
        print_best(doc, format, out);
    if (format == OUTPUT_TEXT && quiet)
        return;
    if (people)
        strbuf_add(out, "\n");
    if (format == OUTPUT_TEXT)
        record_table_narrow(rows->records, shown, cols, out);
    else
        record_table(rows->records, shown, NULL, output_record_as(format), out);
    if (people) {
        const struct record *request = &record_find(doc, "request")->records[0];
        bool speed = strstr(record_get(doc, "front"), "goals") != NULL;

        if (shown < record_number(doc, "planned"))
            strbuf_addf(out, "\n%zu of %.0f rows; --top N shows N of them%s\n", shown,
                        record_number(doc, "planned"),
                        format == OUTPUT_TEXT ? ", a wider terminal more columns" : "");

        bool pooling = strcmp(record_get(request, "pooling"), "yes") == 0;

        strbuf_add(
            out,
            "\nweights, KV pool: of one GPU; requests: of this load, held by all GPUs at once;\n");
        strbuf_add(out, pooling
                            ? "prompts/s: of all users; prompt: from asking to the answer; $/M "
                              "tokens: dollars\nper million prompt tokens while these users keep "
                              "asking; 12.34m: on a\nmarketplace, there is no list price\n"
                            : "tokens/s: output of all users; TPOT: between two tokens of one; $/M "
                              "out: dollars\nper million output tokens while these users keep "
                              "asking; 12.34m: on a\nmarketplace, there is no list price\n");
        strbuf_add(
            out, speed
                     ? "Front of $/h against $/M out, marked *: nothing in one machine that "
                       "reaches the\ngoals is cheaper in both; pipelines over several machines "
                       "come last; met: by the\nwhole band of the estimate, likely: by its middle\n"
                     : "Front of $/h against requests, marked *: nothing in one machine that fits "
                       "is\ncheaper and holds as many; pipelines over several machines come "
                       "last\n");
        strbuf_add(out, "~ estimated, ? assumed, - unknown; all columns and bands: --format json "
                        "or csv\n");
    }
}

/* "70B" is 70e9 parameters, however many its assumed shape has. */
static double rule_params(const struct resolved *r)
{
    double params = 0;
    bool named = r->generic && units_parse_params(r->model_text, "", &params, NULL) == GP_OK;

    return named ? params : model_params(r->request.model);
}

double table_rule(const struct resolved *r)
{
    return memory_rule_of_thumb(rule_params(r), r->request.precision.weight->bits);
}

static double rule_gpus(const struct resolved *r)
{
    return ceil(table_rule(r) / r->request.gpu->memory_marketed);
}

static void memory_facts(const struct resolved *resolved, const struct plan *p, struct record *s)
{
    const struct request *q = &p->request;
    const struct memory *m = &p->memory;
    struct quantity none = quantity_unknown();
    struct quantity rule = quantity_of(table_rule(resolved), ORIGIN_ASSUMED);
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

/* ---- the table of sizes ---- */

void table_begin(const struct resolved *r, struct record *doc)
{
    report_begin(doc, "gpuplan.table/1", r->request.data_date);
    struct record *request = record_inside(doc, "request");
    record_text(request, "gpu", r->request.gpu->id);
    record_quantity(request, "gpu_marketed", "GB",
                    quantity_of(r->request.gpu->memory_marketed, ORIGIN_SHEET), 1e9, 0);
    record_quantity(request, "gpu_usable", "GiB", gpu_usable(r->request.gpu), GP_GIB, 2);
    record_plan_load(request, r, false);
    record_text(doc, "rule_of_thumb", "params x bits/8 x 1.25");
    record_list(doc, "rows");
}

void table_row(const struct resolved *r, const struct plan *plan, struct record *doc)
{
    row_facts(r, plan, record_append(doc, "rows"));
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
            table_begin(&r, doc);
        planner_plan(planner, &r, plan);
        table_row(&r, plan, doc);
    }
    free(plan);
    return rc;
}

static const struct {
    const char *group, *title;
} tables[] = {
    {"memory", "Memory. Rule of thumb: the size by name x bits/8 x 1.25, in GB (1e9 bytes), at the "
               "precision\nbeside it. Exact: the checkpoint at its precision, and what this load "
               "takes on each GPU\nand on all of them."},
    {"GPUs", "GPU count. Rule: its GB over the GB the GPU is sold with. Exact: the "
             "fewest that fit."},
    {"cost", "Cost. Rule: its GPUs at the per-GPU price of the same offer. Exact: "
             "whole instances."},
};

void print_table(const struct record *doc, enum output_format format, bool quiet,
                 struct strbuf *out)
{
    const struct record *q = &record_find(doc, "request")->records[0];
    const struct fact *rows = record_find(doc, "rows");
    enum record_as as = format == OUTPUT_MARKDOWN ? RECORD_MARKDOWN : RECORD_TEXT;
    struct strbuf head = STRBUF_EMPTY;

    if (format == OUTPUT_JSON) {
        record_json(doc, out);
        return;
    }
    if (format == OUTPUT_CSV) {
        record_table(rows->records, rows->record_count, NULL, RECORD_CSV, out);
        return;
    }
    strbuf_addf(&head, "%s: sold as %.0f GB, %.2f GiB usable; %s; ", record_get(q, "gpu"),
                record_number(q, "gpu_marketed"), record_number(q, "gpu_usable"),
                record_get(q, "load"));
    record_plan_prices(q, &head);
    strbuf_addf(&head, ", %.0f h/month", record_number(q, "hours_per_month"));
    output_line(head.text, format, out);
    strbuf_fini(&head);
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        strbuf_addf(out, "\n%s\n\n", tables[i].title);
        record_table(rows->records, rows->record_count, tables[i].group, as, out);
    }
    if (!quiet)
        strbuf_add(out, "\n~ estimated, ? assumed, - unknown; bands and sources: "
                        "--format json or csv\n");
}

struct target {
    const struct gpu *gpu;
    const struct engine *engine; /* where none is named */
    int count, host;
    bool assumed;
};

struct comparison {
    struct planner *planner;                    /* borrowed */
    struct resolved resolved[OPTIONS_MAX_MANY]; /* by precision; the GPU is the first */
    int resolved_count;
    struct target *targets;
    size_t target_count, target_cap;
    struct compared **rows; /* row_count of comparison_total() are planned */
    size_t row_count;
    enum compare_order order;
    struct strbuf read; /* what names were read as, of the model and of GPUs, a line each */
};

void comparison_free(struct comparison *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->row_count; i++)
        free(c->rows[i]);
    free(c->rows);
    free(c->targets);
    strbuf_fini(&c->read);
    free(c);
}

/* ---- GPUs ---- */

static void add_target(struct comparison *c, struct target t)
{
    for (size_t i = 0; i < c->target_count; i++)
        if (c->targets[i].gpu == t.gpu && c->targets[i].count == t.count)
            return;
    c->targets = gp_grow(c->targets, &c->target_cap, c->target_count + 1, sizeof(*c->targets));
    c->targets[c->target_count++] = t;
}

static enum gp_status add_all(struct planner *planner, const struct options *options,
                              struct comparison *c, struct gp_err *err)
{
    const struct gpu *const *list;
    struct resolved *r = &c->resolved[0];
    size_t n;
    enum gp_status rc = catalog_gpus_offered(planner_catalog(planner), &list, &n, err);

    if (!rc && n == 0)
        rc = gp_fail(err, GP_E_FILE, "", "check --profiles", "there are no GPUs");
    if (!rc)
        rc = planner_resolve(planner, options, NULL, NULL, list[0]->id, r, err);
    for (size_t i = 0; i < n && !rc; i++) {
        struct target t = {.gpu = list[i]};

        t.host = cost_host_gpus(t.gpu, &r->market, &t.assumed);
        add_target(c, t);
    }
    return rc;
}

static void add_read(struct comparison *c, const char *read)
{
    if (read[0])
        strbuf_addf(&c->read, "%s%s", c->read.len > 0 ? "\n" : "", read);
}

static enum gp_status find_targets(struct planner *planner, const struct options *options,
                                   struct comparison *c, struct gp_err *err)
{
    struct resolved *r = &c->resolved[0];
    const struct request *q = &r->request;
    enum gp_status rc = GP_OK;

    if (options->gpu_count == 0)
        return add_all(planner, options, c, err);
    for (int i = 0; i < options->gpu_count && !rc; i++) {
        if (strcmp(options->gpus[i], "all") == 0) {
            rc = add_all(planner, options, c, err);
            continue;
        }
        rc = planner_resolve(planner, options, NULL, NULL, options->gpus[i], r, err);
        if (!rc)
            add_read(c, r->gpu_read);
        if (!rc)
            add_target(c, (struct target){.gpu = q->gpu,
                                          .count = q->gpu_count,
                                          .host = q->host_gpus,
                                          .assumed = q->host_assumed});
    }
    return rc;
}

/* ---- precisions ---- */

enum { USUAL = 3 };
static const char *const usual[USUAL] = {"native", "fp8", "int4-awq"};

/* "fp8" of a model that is published in FP8 is its own precision: it is taken once. */
static enum gp_status resolve_precisions(struct planner *planner, const struct options *options,
                                         const char *gpu, struct comparison *c, struct gp_err *err)
{
    bool given = options->precision_count > 0;
    int n = given ? options->precision_count : USUAL;
    enum gp_status rc = GP_OK;

    for (int i = 0; i < n && !rc; i++) {
        struct resolved *r = &c->resolved[c->resolved_count];
        const struct precision *p = &r->request.precision;
        bool taken = false;

        rc = planner_resolve(planner, options, NULL, given ? options->precisions[i] : usual[i], gpu,
                             r, err);
        for (int k = 0; k < c->resolved_count && !rc; k++) {
            const struct precision *have = &c->resolved[k].request.precision;

            taken |= have->native == p->native && strcmp(have->id, p->id) == 0;
        }
        /* what is published in 4 bits is not converted to as many or more */
        const struct precision *own = &c->resolved[0].request.precision;
        taken |= !given && i > 0 && own->weight->bits < 8 && p->weight->bits >= own->weight->bits;
        c->resolved_count += !rc && !taken;
    }
    return rc;
}

/* ---- rows ---- */

/* asked: as the model's name is read, whose format a list of precisions would override. */
static enum gp_status comparison_begin_as(struct planner *planner, const struct options *options,
                                          const struct options *asked, struct comparison **out,
                                          struct gp_err *err)
{
    struct comparison *c = gp_calloc(1, sizeof(*c));
    struct resolved *first = &c->resolved[0];

    strbuf_init(&c->read);

    c->planner = planner;
    c->order = (enum compare_order)options_choice(options, OPT_SORT);
    enum gp_status rc = find_targets(planner, options, c, err);
    if (!rc)
        rc = planner_resolve(planner, asked, NULL, NULL, c->targets[0].gpu->id, first, err);
    if (!rc) { /* the model's before those of GPUs */
        struct strbuf gpus = c->read;

        strbuf_init(&c->read);
        add_read(c, first->model_read);
        add_read(c, gpus.text);
        strbuf_fini(&gpus);
    }
    if (!rc)
        rc = resolve_precisions(planner, options, c->targets[0].gpu->id, c, err);
    for (size_t i = 0; i < c->target_count && !rc; i++) { /* where none is named */
        struct request q = {.gpu = c->targets[i].gpu};

        rc = planner_engine(planner_catalog(planner), &q, err);
        c->targets[i].engine = q.engine;
    }
    if (rc) {
        comparison_free(c);
        return rc;
    }
    c->rows = gp_calloc(comparison_total(c), sizeof(*c->rows));
    *out = c;
    return GP_OK;
}

enum gp_status comparison_begin(struct planner *planner, const struct options *options,
                                struct comparison **out, struct gp_err *err)
{
    return comparison_begin_as(planner, options, options, out, err);
}

enum gp_status comparison_begin_all(struct planner *planner, const struct options *options,
                                    struct comparison **out, struct gp_err *err)
{
    struct options all = *options;

    all.gpu_count = all.precision_count = 0;
    for (int i = 0; i < USUAL; i++)
        all.precisions[all.precision_count++] = usual[i];
    if (options->precision_count > 0)
        all.precisions[all.precision_count++] = options->precisions[0];
    all.value[OPT_GPU] = all.value[OPT_PRECISION] = (struct option_value){0};
    all.value[OPT_CALIBRATION] = all.value[OPT_SOLVE] = (struct option_value){0};
    return comparison_begin_as(planner, &all, options, out, err);
}

static const struct engine *row_engine(const struct comparison *c, size_t i)
{
    const struct request *q = &c->resolved[i / c->target_count].request;

    return q->usual_engine ? c->targets[i % c->target_count].engine : q->engine;
}

/* Where nobody asked for a context some engines go by the GPU's memory: that of this row. */
static void take_usual_context(const struct comparison *c, struct resolved *r)
{
    const struct request *q = &r->request;
    const struct trace *trace = planner_trace(c->planner, r);
    double context = request_usual_context(q);

    if (!q->context_auto || context == request_usual_context(&c->resolved[0].request))
        return;
    if (trace)
        context = fmax(context, trace->longest);
    if (q->model->max_context > 0)
        context = fmin(context, q->model->max_context);
    request_take_context(&r->request, context, trace);
}

/* Does the context differ from row to row? */
static bool contexts_differ(const struct comparison *c)
{
    for (size_t i = 1; i < c->row_count; i++)
        if (c->rows[i]->plan.request.context != c->rows[0]->plan.request.context)
            return true;
    return false;
}

/* Precision by precision, the GPUs in the order they were found. */
static struct resolved comparison_ask(const struct comparison *c, size_t i)
{
    struct resolved r = c->resolved[i / c->target_count];
    const struct target *t = &c->targets[i % c->target_count];

    r.request = search_on(&r.request, t->gpu, t->count, &r.market);
    r.request.engine = row_engine(c, i);
    r.request.host_gpus = t->host;
    r.request.host_assumed = t->assumed;
    take_usual_context(c, &r);
    return r;
}

struct compared *comparison_plan(const struct comparison *c, size_t i)
{
    struct resolved r = comparison_ask(c, i);
    struct compared *row = gp_calloc(1, sizeof(*row));

    planner_plan(c->planner, &r, &row->plan);
    return row;
}

bool comparison_take(struct comparison *c, struct compared *row)
{
    c->rows[c->row_count++] = row;
    if (c->row_count < comparison_total(c))
        return true;
    compare_front(c->rows, c->row_count);
    compare_sort(c->rows, c->row_count, c->order);
    return false;
}

bool comparison_step(struct comparison *c, size_t rows)
{
    bool more = c->row_count < comparison_total(c);

    for (; rows > 0 && more; rows--) {
        struct compared *row = comparison_plan(c, c->row_count);

        if (search_abandoned()) {
            free(row);
            return true;
        }
        more = comparison_take(c, row);
    }
    return more;
}

size_t comparison_total(const struct comparison *c)
{
    return (size_t)c->resolved_count * c->target_count;
}

size_t comparison_done(const struct comparison *c)
{
    return c->row_count;
}

const struct compared *comparison_row(const struct comparison *c, size_t i)
{
    return c->rows[i];
}

const struct resolved *comparison_load(const struct comparison *c)
{
    return &c->resolved[0];
}

void comparison_options(const struct comparison *c, const struct compared *row, struct strbuf *out)
{
    const struct plan *p = &row->plan;
    const struct layout *l = &p->layout;
    struct resolved r = c->resolved[0];
    struct plan same;

    strbuf_addf(out, "--gpu %s", p->request.gpu->id);
    if (p->verdict != VERDICT_DOES_NOT_FIT)
        strbuf_addf(out, ":%d", l->gpus);
    strbuf_addf(out, " --precision %s",
                p->request.precision.native ? "native" : p->request.precision.id);
    r.request = p->request;
    r.request.gpu_count = p->verdict != VERDICT_DOES_NOT_FIT ? l->gpus : 0;
    planner_plan(c->planner, &r, &same);
    if (l->prefill_tp > 0) {
        strbuf_addf(out, " --disaggregate %dxTP%d:%dxTP%d --pp %d", l->prefill, l->prefill_tp,
                    layout_decoding(l), l->tp, l->pp);
        return;
    }
    if (same.layout.tp != l->tp || same.layout.pp != l->pp || same.layout.ep != l->ep ||
        same.layout.replicas != l->replicas)
        strbuf_addf(out, " --tp %d --pp %d --ep %d --replicas %d", l->tp, l->pp, l->ep,
                    l->replicas);
}

/* ---- what a row says ---- */

/* Rows of one engine say it once, in the request. */
static bool engines_differ(const struct comparison *c)
{
    for (size_t i = 1; i < comparison_total(c); i++)
        if (row_engine(c, i) != row_engine(c, 0))
            return true;
    return false;
}

void record_plan_row(struct record *s, const struct plan *p, bool engine)
{
    const struct memory *m = &p->memory;
    struct quantity none = quantity_unknown();
    bool has = p->has_memory;
    bool pool = has && !p->request.model->weights_only;

    record_text(s, "gpu", p->request.gpu->id);
    record_text(s, "precision", p->request.precision.id);
    record_flag(s, "precision_native", p->request.precision.native);
    record_detail(s);
    record_text(s, "kv_precision", p->request.kv->id);
    record_detail(s);
    record_plan_engine(s, p->request.engine);
    struct texts texts = {0};
    record_spare(s, 8);
    if (!engine)
        record_detail(s);
    record_plan_layout(s, p);
    if (request_has_goals(&p->request)) { /* people read it in the column of the verdict */
        record_text(s, "goals", goal_word(plan_goals(p)));
        record_detail(s);
    }
    record_flag(s, "spans_machines", plan_spans(p));
    record_detail(s);
    record_quantity(s, "weights", "GiB/GPU", has ? m->weights : none, GP_GIB, 2);
    record_title(s, "weights GiB");
    record_spare(s, 5);
    record_quantity(s, "kv_pool", "GiB/GPU", pool ? quantity_max0(m->kv_pool) : none, GP_GIB, 2);
    record_title(s, "KV pool GiB");
    record_spare(s, 6);
    record_quantity(s, "holds", "requests", quantity_max0(plan_capacity(p)), 1, 0);
    record_title(s, "requests");
    record_spare(s, 10);
    record_quantity(
        s, "max_concurrency", "requests",
        has ? quantity_max0(quantity_scale(m->max_concurrency, p->layout.replicas)) : none, 1, 1);
    record_detail(s);
    record_plan_speed(s, p);
    record_plan_cost(s, p);
    record_quantity(s, "market_per_hour", "$/h",
                    has && p->cost.market.known ? quantity_of(p->cost.market.per_hour, ORIGIN_SHEET)
                                                : none,
                    1, 2);
    record_detail(s);
    record_quantity(s, "memory", "GiB/GPU", p->request.gpu->physical, GP_GIB, 2);
    record_detail(s);
    const char *warning = sentence_warning(p, 0, &texts);
    record_text(s, "warning", warning ? warning : "");
    record_detail(s);
    texts_fini(&texts);
}

void comparison_facts(const struct comparison *c, const struct compared *row, struct record *s)
{
    record_flag(s, "front", row->front);
    record_style(s, STYLE_MARK);
    record_title(s, "*");
    record_plan_row(s, &row->plan, engines_differ(c));
}

enum best { BEST_CHEAPEST, BEST_FASTEST, BEST_VALUE, BEST_COUNT };

/* What the best of each kind has least of; 0: not known. With no load named a token's price is that
 * at full load, as one user alone pays for all the others. */
static double best_least(enum best best, const struct comparison *c, const struct plan *p)
{
    struct quantity price = plan_token_price(p);
    struct usage usage;

    switch (best) {
    case BEST_CHEAPEST:
        return p->cost.per_hour;
    case BEST_FASTEST:
        return p->speed.gap == SPEED_KNOWN ? plan_pace(p).value : 0;
    default:
        usage_of(p, &usage);
        if (c->resolved[0].load_default)
            price = usage.full;
        return price.known ? price.value : 0;
    }
}

/* Of two that are equal: the cheaper, then the faster. */
static bool best_beside(const struct plan *a, const struct plan *b)
{
    return a->cost.per_hour < b->cost.per_hour ||
           (a->cost.per_hour == b->cost.per_hour && plan_pace(a).value < plan_pace(b).value);
}

static void comparison_best(const struct comparison *c, const struct compared *const *rows,
                            size_t count, struct record *doc)
{
    static const char *const names[BEST_COUNT] = {"cheapest", "fastest", "best value"};

    bool pooling = c->resolved[0].request.model->pooling;

    record_list(doc, "best");
    for (int b = 0; b < BEST_COUNT; b++) {
        const struct plan *best = NULL;
        struct texts t = {0};
        size_t at = 0;

        for (size_t i = 0; i < count; i++) {
            const struct plan *p = &rows[i]->plan;
            double least = best_least((enum best)b, c, p);
            double than = best ? best_least((enum best)b, c, best) : INFINITY;

            if (p->verdict != VERDICT_FITS || plan_spans(p) || p->cost.per_hour <= 0 || least <= 0)
                continue;
            if (least < than || (least == than && best_beside(p, best))) {
                best = p;
                at = i;
            }
        }
        if (!best)
            continue;
        struct record *r = record_append(doc, "best");
        double million = best_least(BEST_VALUE, c, best);
        const char *text =
            texts_addf(&t, "%d x %s, %s, %s: %s/h", best->layout.gpus, best->request.gpu->id,
                       best->request.precision.id, sentence_layout(&best->layout, &t),
                       UNITS_MONEY(best->cost.per_hour));

        if (best->speed.gap == SPEED_KNOWN)
            text = texts_addf(&t, "%s, %s %s", text, pooling ? "a prompt in" : "TPOT",
                              figure_amount(AS_TIME, plan_pace(best), &t));
        if (million > 0)
            text = texts_addf(&t, "%s, %s/M%s%s", text, UNITS_MONEY(million),
                              pooling ? " prompt tokens" : "",
                              c->resolved[0].load_default ? " at full load" : "");
        if (plan_goals(best) == GOAL_LIKELY)
            text = texts_addf(&t, "%s, goals likely", text);
        record_text(r, "of", names[b]);
        record_count(r, "row", "", (double)at);
        record_text(r, "text", text);
        texts_fini(&t);
    }
}

/* Where there is no list price a table for people shows the marketplace's: "0.35m". */
static void note_market(const struct plan *p, struct record *row)
{
    char text[32];

    gp_format(text, sizeof(text), "%.2fm", p->cost.market.per_hour);
    if (p->verdict != VERDICT_DOES_NOT_FIT && p->cost.market.known)
        record_note_at(row, "per_hour", text);
}

void comparison_record(const struct comparison *c, const struct compared *const *rows, size_t count,
                       size_t top, const char *sort, const char *filter, struct record *doc)
{
    const struct resolved *first = &c->resolved[0];
    char order[OPTION_CHOICE_MAX];

    report_begin(doc, "gpuplan.compare/1", first->request.data_date);
    struct record *request = record_inside(doc, "request");
    record_text(request, "model", first->model_text);
    record_text(request, "read", c->read.text);
    if (engines_differ(c))
        record_text(request, "engine", "");
    else
        record_plan_engine(request, row_engine(c, 0));
    record_plan_load(request, first, contexts_differ(c));
    if (first->request.model->pooling)
        record_flag(request, "pooling", true);
    record_text(request, "sort", sort ? sort : option_choice(OPT_SORT, (int)c->order, order));
    if (filter[0])
        record_text(request, "filter", filter);
    record_text(doc, "front",
                request_asks_speed(&first->request)
                    ? first->request.model->pooling
                          ? "per_hour against per_million_prompt_tokens, rows that reach the "
                            "goals in one machine"
                          : "per_hour against per_million_output_tokens, rows that reach the "
                            "goals in one machine"
                    : "per_hour against holds, rows that fit in one machine");
    comparison_best(c, rows, count, doc);
    record_count(doc, "planned", "", (double)count);
    record_list(doc, "rows");
    for (size_t i = 0; i < count && (top == 0 || i < top); i++) {
        struct record *row = record_append(doc, "rows");

        comparison_facts(c, rows[i], row);
        note_market(&rows[i]->plan, row);
    }
}

enum gp_status report_compare(struct planner *planner, const struct options *options,
                              struct record *doc, bool *fits, struct gp_err *err)
{
    struct comparison *c;
    enum gp_status rc = comparison_begin(planner, options, &c, err);

    if (rc)
        return rc;
    comparison_step(c, comparison_total(c));
    comparison_record(c, (const struct compared *const *)c->rows, c->row_count,
                      (size_t)options_or(options, OPT_TOP, 0), NULL, "", doc);
    *fits = false;
    for (size_t i = 0; i < c->row_count; i++)
        *fits |= reasons_pass(c->rows[i]->plan.reasons);
    comparison_free(c);
    return GP_OK;
}

/* Where a plan stands; false: nowhere. */
static bool compare_plot_place(const struct plan *plan, double *x, double *y)
{
    struct quantity hour, month, million = plan_token_price(plan);

    plan_prices(plan, &hour, &month);
    if (plan->verdict == VERDICT_DOES_NOT_FIT || !hour.known || !(hour.value > 0))
        return false;
    *x = hour.value;
    *y = request_asks_speed(&plan->request) ? (million.known ? million.value : 0)
                                            : compare_capacity(plan);
    return *y > 0;
}

static void add_rows(const struct comparison *c, struct plot_series *s)
{
    for (size_t i = 0; i < comparison_done(c); i++) {
        const struct compared *row = comparison_row(c, i);
        double x, y;

        if (row->front == (s->mark == '*') && compare_plot_place(&row->plan, &x, &y))
            plot_point(s, x, y);
    }
}

static void fit_axes(struct plot *plot)
{
    struct plot_axis *x = &plot->x, *y = &plot->y;

    x->low = y->low = INFINITY;
    x->high = y->high = 0;
    for (int i = 0; i < plot->count; i++)
        for (int k = 0; k < plot->series[i].count; k++) {
            x->low = fmin(x->low, plot->series[i].x[k] / 1.2);
            x->high = fmax(x->high, plot->series[i].x[k] * 1.2);
            y->low = fmin(y->low, plot->series[i].y[k] / 1.2);
            y->high = fmax(y->high, plot->series[i].y[k] * 1.2);
        }
}

bool compare_plot(const struct comparison *c, const struct plan *own, struct plot *plot,
                  char words[CURVE_WORDS])
{
    bool goals = request_asks_speed(&comparison_load(c)->request),
         more = comparison_done(c) < comparison_total(c);
    struct plot_series *rest = plot_add(plot, "fits", PLOT_DIM, 'o');
    struct plot_series *front = plot_add(plot, "on the front", PLOT_OK, '*');
    struct plot_series *plan = plot_add(plot, "the plan", PLOT_HEADING, 'P');
    double x, y;

    plot->x = (struct plot_axis){.log = true, .base = 10, .title = "dollars per hour"};
    plot->y = (struct plot_axis){.log = true,
                                 .base = 10,
                                 .unit = goals ? "$/M" : "requests",
                                 .title = goals ? "dollars per million output tokens"
                                                : "requests held at once"};
    add_rows(c, rest);
    add_rows(c, front);
    if (compare_plot_place(own, &x, &y))
        plot_point(plan, x, y);
    fit_axes(plot);
    if (rest->count + front->count + plan->count == 0) {
        gp_copy(words, CURVE_WORDS, "nothing that fits has a price");
        return false;
    }
    gp_format(words, CURVE_WORDS,
              "%d of %zu rows of Compare fit and have a price, %d of them on the front: "
              "nothing is cheaper and %s%s",
              rest->count + front->count, comparison_total(c), front->count,
              goals ? "has cheaper tokens" : "holds as many", more ? " ..." : "");
    return true;
}
