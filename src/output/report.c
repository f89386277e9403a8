/*
 * report.c - see report.h.
 */
#include "output/report.h"

#include <math.h>
#include <string.h>

#include "output/print_plan.h"
#include "util/json.h"
#include "util/str.h"
#include "util/units.h"

static void put(json_t *object, const char *key, json_t *value)
{
    json_object_set_new_nocheck(object, key, value);
}

static void put_text(json_t *object, const char *key, const char *text)
{
    put(object, key, text && text[0] ? gp_json_text(text) : json_null());
}

static void put_number(json_t *object, const char *key, double value)
{
    put(object, key, gp_json_number(value));
}

/* 0 means "unknown" or "auto" in the structs; null says so. */
static void put_positive(json_t *object, const char *key, double value)
{
    put(object, key, value > 0 ? gp_json_number(value) : json_null());
}

json_t *report_quantity(struct quantity q, double divide, const char *unit)
{
    if (!q.known)
        return json_null();
    json_t *o = json_object();
    put_number(o, "value", q.value / divide);
    put_number(o, "low", q.low / divide);
    put_number(o, "high", q.high / divide);
    put_text(o, "unit", unit);
    put_text(o, "origin", origin_word(q.origin));
    return o;
}

static void put_gib(json_t *object, const char *key, struct quantity q)
{
    put(object, key, report_quantity(q, GP_GIB, "GiB"));
}

/* ---- request ---- */

static void put_prune(json_t *o, const struct request *q)
{
    if (q->prune == PRUNE_UNSTRUCTURED)
        put_number(o, "prune", q->prune_share * 100);
    else
        put_text(o, "prune", q->prune == PRUNE_2_4 ? "2:4" : "none");
}

static json_t *report_request(const struct answer *a)
{
    static const char *const price[] = {"on-demand", "spot", "market", "buy"};
    const struct request *q = &a->plan.request;
    const struct memory *m = &a->plan.memory;
    char engine[64];
    json_t *o = json_object();
    put_text(o, "model", a->resolved.model_text);
    put_text(o, "model_id", q->model->id);
    put_text(o, "precision", q->precision.id);
    put(o, "precision_native", json_boolean(q->precision.native));
    put_text(o, "kv_precision", q->kv->id);
    put_text(o, "gpu", q->gpu->id);
    put_positive(o, "gpu_count", q->gpu_count);
    put_text(o, "gpu_from",
             a->resolved.gpu_chosen  ? "cheapest-that-fits"
             : a->resolved.gpu_local ? "this-machine"
                                     : "request");
    gp_format(engine, sizeof(engine), "%s@%s", q->engine->id, q->engine->range);
    put_text(o, "engine", engine);
    put_number(o, "context", q->context);
    put_number(o, "prompt", q->prompt);
    put_number(o, "output", q->output);
    put_number(o, "users", q->users);
    put_positive(o, "tp", q->tp);
    put_positive(o, "pp", q->pp);
    put_positive(o, "ep", q->ep);
    put_positive(o, "replicas", q->replicas);
    put_number(o, "max_pp", q->max_pp);
    put_positive(o, "max_num_seqs", m->max_num_seqs);
    put_positive(o, "max_batched_tokens", m->max_batched_tokens);
    put_positive(o, "memory_utilization", m->fraction);
    put_number(o, "headroom", q->headroom);
    put(o, "used",
        report_quantity(quantity_of(q->used, ORIGIN_ASSUMED), GP_GIB, "GiB"));
    put_prune(o, q);
    put_text(o, "price", price[q->price]);
    put_text(o, "model_origin", a->resolved.generic ? "assumed" : "exact");
    return o;
}

/* ---- verdict ---- */

static json_t *lines(const char (*text)[240], int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, gp_json_text(text[i]));
    return list;
}

static json_t *report_fix(const struct answer *a, const struct options *options,
                          const struct fix *f)
{
    json_t *o = json_object();
    struct strbuf command;
    strbuf_init(&command);
    planner_fix_command(options, a, f, &command);
    put_text(o, "what", f->what);
    put_text(o, "option", f->option);
    put_text(o, "command", command.text);
    strbuf_fini(&command);
    put_text(o, "status", verdict_word(f->verdict));
    put_number(o, "gain_gib", f->gain / GP_GIB);
    put_number(o, "gpus", f->gpus);
    put_positive(o, "per_hour", f->per_hour);
    put(o, "per_hour_delta",
        f->cost_known ? gp_json_number(f->cost_delta) : json_null());
    return o;
}

static json_t *report_verdict(const struct answer *a, const struct options *options)
{
    const struct plan *p = &a->plan;
    json_t *o = json_object(), *fixes = json_array();
    put_text(o, "status", verdict_word(p->verdict));
    put_text(o, "limit", limit_word(p->limit));
    put_text(o, "knob", p->knob);
    put(o, "reasons", lines(p->reasons, p->reason_count));
    put(o, "warnings", lines(p->warnings, p->warning_count));
    for (int i = 0; i < a->fix_count; i++)
        json_array_append_new(fixes, report_fix(a, options, &a->fixes[i]));
    put(o, "fixes", fixes);
    return o;
}

static json_t *report_second(const struct runner_up *r)
{
    const struct layout *l = &r->layout;
    if (l->gpus == 0)
        return json_null();
    json_t *o = json_object();
    put_number(o, "gpus", l->gpus);
    put_number(o, "tp", l->tp);
    put_number(o, "pp", l->pp);
    put_number(o, "ep", l->ep);
    put_number(o, "replicas", l->replicas);
    put_positive(o, "per_hour", r->per_hour);
    put_text(o, "lost_by", r->lost);
    return o;
}

static json_t *report_layout(const struct plan *p)
{
    const struct layout *l = &p->layout;
    json_t *o = json_object();
    put_text(o, "gpu", p->request.gpu->id);
    put_number(o, "gpus", l->gpus);
    put_number(o, "tp", l->tp);
    put_number(o, "pp", l->pp);
    put_number(o, "ep", l->ep);
    put_number(o, "replicas", l->replicas);
    put_number(o, "hosts", l->hosts);
    put_positive(o, "host_gpus", p->request.host_gpus);
    put(o, "host_assumed", json_boolean(p->request.host_assumed));
    put(o, "runner_up", report_second(&p->second));
    return o;
}

/* ---- memory ---- */

static json_t *report_roles(const struct memory *m)
{
    json_t *o = json_object();
    for (int r = 0; r < ROLE_COUNT; r++)
        if (m->split.role[r] > 0)
            put_number(o, role_word((enum tensor_role)r), m->split.role[r] / GP_GIB);
    if (m->split.loaded > 0)
        put_number(o, "added at load", m->split.loaded / GP_GIB);
    return o;
}

static json_t *report_gpu_memory(const struct plan *p)
{
    const struct memory *m = &p->memory;
    bool pool = !p->request.model->weights_only;
    json_t *o = json_object();
    put_gib(o, "physical", m->physical);
    put_gib(o, "usable", m->usable);
    put_gib(o, "budget", m->budget);
    put_gib(o, "weights", m->weights);
    put(o, "weights_by_role_gib", report_roles(m));
    put_gib(o, "kv_pool", pool ? m->kv_pool : quantity_unknown());
    put_gib(o, "kv_needed", m->kv_needed);
    put_gib(o, "state", m->state);
    put_gib(o, "kv_reserved", m->kv_reserved);
    put_gib(o, "activation", m->activation);
    put_gib(o, "non_torch", m->non_torch);
    put_gib(o, "graphs", m->graphs);
    put_gib(o, "free", m->free);
    return o;
}

static json_t *report_memory(const struct plan *p)
{
    const struct memory *m = &p->memory;
    if (!p->has_memory)
        return json_null();
    json_t *o = json_object();
    put(o, "per_gpu", report_gpu_memory(p));
    put_number(o, "stage", m->stage);
    put(o, "kv_bytes_per_token",
        report_quantity(quantity_of(m->kv_bytes_per_token, m->kv_needed.origin), 1,
                        "B"));
    put(o, "kv_sequence",
        report_quantity(quantity_of(m->sequence.exact, m->kv_needed.origin), GP_GIB,
                        "GiB"));
    put(o, "kv_cache_tokens", report_quantity(m->kv_cache_tokens, 1, "tokens"));
    put(o, "max_concurrency", report_quantity(m->max_concurrency, 1, "requests"));
    put(o, "checkpoint",
        report_quantity(quantity_of(m->file_bytes, m->weights.origin), GP_GIB, "GiB"));
    json_t *rule =
        report_quantity(quantity_of(m->rule_of_thumb, ORIGIN_ASSUMED), GP_GIB, "GiB");
    put_text(rule, "precision", p->request.precision.id);
    put(o, "rule_of_thumb", rule);
    return o;
}

static json_t *report_speed(void)
{
    static const char *const keys[] = {"ttft", "tpot", "output_tokens_per_s",
                                       "requests_per_s", "bound"};
    json_t *o = json_object();
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        put(o, keys[i], json_null());
    return o;
}

/* ---- cost ---- */

static json_t *report_rent(const struct rent *r)
{
    if (!r->known)
        return json_null();
    json_t *o = json_object();
    put_text(o, "provider", r->instance->provider);
    put_text(o, "instance", r->instance->type);
    put_number(o, "instances", r->instances);
    put_number(o, "gpus_paid", r->gpus_paid);
    put_number(o, "per_hour", r->per_hour);
    put_number(o, "per_month", r->per_month);
    put_text(o, "region", r->instance->region);
    put_text(o, "date", r->instance->date);
    put(o, "age_days", r->age_days >= 0 ? json_integer(r->age_days) : json_null());
    put(o, "assumed", json_boolean(r->instance->assumed));
    put_number(o, "machines", r->machines);
    put(o, "apart",
        json_boolean(r->apart)); /* GPUs of one request in several of them */
    put_text(o, "note", r->instance->note);
    put_text(o, "source", r->instance->source);
    return o;
}

static json_t *report_buy(const struct buy *b)
{
    if (!b->known)
        return json_null();
    json_t *o = json_object();
    put_text(o, "what", b->what);
    put(o, "capital", report_quantity(b->capital, 1, "$"));
    put(o, "per_hour", report_quantity(b->per_hour, 1, "$/h"));
    put(o, "per_month", report_quantity(b->per_month, 1, "$/month"));
    put(o, "running_per_hour", report_quantity(b->running, 1, "$/h"));
    put_number(o, "power_w", b->watts);
    put_positive(o, "break_even_hours", b->break_even_hours);
    put(o, "host_assumed", json_boolean(b->host_assumed));
    put_text(o, "as_of", b->as_of);
    put_text(o, "source", b->source);
    return o;
}

static const struct rent *wanted_rent(const struct cost *c)
{
    return c->want == WANT_SPOT     ? &c->spot
           : c->want == WANT_MARKET ? &c->market
                                    : &c->on_demand;
}

static json_t *report_cost(const struct plan *p)
{
    const struct cost *c = &p->cost;
    const struct rent *r = wanted_rent(c);
    enum origin origin = c->want == WANT_BUY ? c->buy.per_hour.origin : ORIGIN_SHEET;
    struct quantity hour = c->want == WANT_BUY && c->buy.known
                               ? c->buy.per_hour
                               : quantity_of(c->per_hour, origin);
    struct quantity month = c->want == WANT_BUY && c->buy.known
                                ? c->buy.per_month
                                : quantity_of(c->per_month, origin);
    if (!p->has_memory)
        return json_null();
    json_t *o = json_object();
    hour.known = month.known = c->per_hour > 0;
    put(o, "per_hour", report_quantity(hour, 1, "$/h"));
    put(o, "per_month", report_quantity(month, 1, "$/month"));
    put(o, "per_million_output_tokens", json_null());
    put(o, "on_demand", report_rent(&c->on_demand));
    put(o, "spot", report_rent(&c->spot));
    put(o, "market", report_rent(&c->market));
    put(o, "buy", report_buy(&c->buy));
    put_text(o, "source",
             c->want == WANT_BUY ? c->buy.source
             : r->known          ? r->instance->source
                                 : "");
    put_text(o, "note", c->note);
    return o;
}

/* ---- the whole ---- */

json_t *report_term(const struct term_why *t)
{
    json_t *o = json_object();
    put_text(o, "term", t->name);
    put_text(o, "equation", t->equation);
    put_text(o, "inputs", t->inputs);
    put(o, "value", report_quantity(t->value, 1, t->unit));
    put_text(o, "source", t->source);
    return o;
}

static json_t *report_why(const struct plan *p)
{
    struct term_why terms[EXPLAIN_MAX];
    json_t *list = json_array();
    int n = explain_plan(p, terms);
    for (int i = 0; i < n; i++)
        json_array_append_new(list, report_term(&terms[i]));
    return list;
}

static json_t *report_sources(const struct request *q)
{
    json_t *o = json_object();
    put_text(o, "model", q->model->source);
    put_text(o, "gpu", q->gpu->source);
    put_text(o, "gpu_confidence", q->gpu->confidence);
    put_text(o, "engine", q->engine->source);
    put_text(o, "engine_date", q->engine->date);
    put_text(o, "format", q->precision.weight->source);
    return o;
}

json_t *report_plan(const struct answer *a, const struct options *options, bool why,
                    bool brief)
{
    static const char *const solve[] = {"none",  "gpus",      "context",
                                        "users", "precision", "budget"};
    json_t *o = json_object();
    put_text(o, "schema", "gpuplan.plan/1");
    put(o, "request", report_request(a));
    put(o, "verdict", report_verdict(a, options));
    put(o, "layout", report_layout(&a->plan));
    put(o, "memory", report_memory(&a->plan));
    put(o, "speed", report_speed());
    put(o, "cost", report_cost(&a->plan));
    if (a->solve != SOLVE_NONE) {
        json_t *s = json_object();
        put_text(s, "field", solve[a->solve]);
        put(s, "found", json_boolean(a->solved));
        put(s, "limited",
            json_boolean(solve_has_limit(&a->plan.request, a->solve)));
        put(o, "solve", s);
    }
    if (!brief)
        put(o, "sources", report_sources(&a->plan.request));
    if (why)
        put(o, "why", report_why(&a->plan));
    return o;
}

void print_plan_json(const struct answer *answer, const struct options *options,
                     bool why, struct strbuf *out)
{
    json_t *json = report_plan(answer, options, why, false);
    gp_json_write(json, true, out);
    json_decref(json);
}

json_t *report_error(const struct gp_err *err)
{
    json_t *o = json_object();
    put_text(o, "schema", "gpuplan.error/1");
    put_text(o, "code", gp_status_word(err->code));
    put_text(o, "where", err->where);
    put_text(o, "text", err->text);
    put_text(o, "hint", err->hint);
    return o;
}
