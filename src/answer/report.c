/*
 * report.c - see report.h. A table per struct: each row is a member and its JSON key.
 */
#include "answer/report.h"

#include <math.h>

#include "answer/compare_run.h"
#include "answer/figures.h"
#include "answer/print_plan.h"
#include "answer/sentence.h"
#include "answer/startup.h"
#include "base/units.h"
#include "plan/better.h"
#include "plan/draft.h"
#include "plan/speed/comm.h"
#include "plan/usage.h"

/* ---- request ---- */

#define AT(member) MEMBER_AT(struct request, member)

static const struct member request_load[] = {
    {"context", MEMBER_NUMBER, AT(context)},
    {"prompt", MEMBER_NUMBER, AT(prompt)},
    {"output", MEMBER_NUMBER, AT(output)},
    {"users", MEMBER_NUMBER, AT(users)},
    {"tp", MEMBER_SOME_INT, AT(tp)},
    {"pp", MEMBER_SOME_INT, AT(pp)},
    {"ep", MEMBER_SOME_INT, AT(ep)},
    {"dp", MEMBER_SOME_INT, AT(dp)},
    {"replicas", MEMBER_SOME_INT, AT(replicas)},
    {"max_pp", MEMBER_INT, AT(max_pp)},
};

/* As it was told where it was told by position, else the share of all. */
static void record_acceptance(struct record *r, const struct request *q)
{
    struct strbuf list = STRBUF_EMPTY;

    if (q->accept_listed == 0) {
        double share = q->draft_tokens > 0 ? (q->accept_length - 1) / q->draft_tokens : 0;

        record_positive(r, "acceptance", "", fmin(fmax(share, 0), 1));
        return;
    }
    for (int i = 0; i < q->accept_listed; i++)
        strbuf_addf(&list, "%s%.6g", i ? "," : "", q->accept_at[i]);
    record_text(r, "acceptance", list.text);
    strbuf_fini(&list);
}

static void request_facts(const struct answer *a, struct record *r)
{
    const struct request *q = &a->plan.request;
    const struct memory *m = &a->plan.memory;
    int layers = q->model->layer_count;
    char word[OPTION_CHOICE_MAX];

    record_text(r, "model", a->resolved.model_text);
    record_text(r, "model_id", q->model->id);
    record_text(r, "model_read", a->resolved.model_read);
    record_text(r, "gpu_read", a->resolved.gpu_read);
    record_text(r, "release", a->resolved.release);
    record_text(r, "precision", q->precision.id);
    record_flag(r, "precision_native", q->precision.native);
    record_text(r, "kv_precision", q->kv->id);
    record_text(r, "gpu", q->gpu->id);
    record_positive(r, "gpu_count", "", q->gpu_count);
    record_text(r, "gpu_from",
                a->resolved.gpu_chosen  ? "cheapest-that-fits"
                : a->resolved.gpu_local ? "this-machine"
                                        : "request");
    record_textf(r, "engine", "%s@%s", q->engine->id, q->engine->range);
    RECORD_MEMBERS(r, request_load, q);
    record_count(r, "prompt_stddev", "tokens", q->spread.prompt * q->prompt);
    record_count(r, "output_stddev", "tokens", q->spread.output * q->output);
    record_text(r, "trace", a->resolved.trace);
    record_count(r, "beyond_context", "", q->spread.beyond);
    record_positive(r, "rate", "requests/s", q->rate);
    record_count(r, "prefix_hit", "", q->prefix_hit);
    record_positive(r, "ttft", "ms", q->ttft * 1e3);
    record_positive(r, "tpot", "ms", q->tpot * 1e3);
    for (int i = 0; i < LATE_COUNT; i++)
        if (q->late[i] > 0)
            record_count(r, late_key((enum late)i), "ms", q->late[i] * 1e3);
    record_positive(r, "throughput", "tokens/s", q->throughput);
    record_positive(r, "budget", "$/h", q->budget);
    record_positive(r, "power_cap", "W", q->power_cap);
    record_positive(r, "max_num_seqs", "", m->max_num_seqs);
    record_positive(r, "max_batched_tokens", "", m->max_batched_tokens);
    record_positive(r, "memory_utilization", "", m->fraction);
    record_flag(r, "enforce_eager", q->eager);
    if (q->policy != POLICY_FCFS)
        record_text(r, "scheduling_policy",
                    option_choice(OPT_SCHEDULING_POLICY, (int)q->policy, word));
    record_count(r, "headroom", "", q->headroom);
    record_text(r, "reserve", q->reserve == RESERVE_FULL ? "full" : "load");
    if (request_has_goals(q))
        record_text(r, "goals", q->goals == GOALS_SURE ? "sure" : "likely");
    record_quantity(r, "used", "GiB", quantity_of(q->used, ORIGIN_ASSUMED), GP_GIB, 2);
    record_count(r, "gpu_layers", "", q->host_layers > 0 ? layers + 1 - q->host_layers : NAN);
    record_positive(r, "n_cpu_moe", "", q->host_experts);
    record_positive(r, "cpu_offload_gb", "", q->host_bytes / GP_GIB);
    record_positive(r, "kv_offload_gb", "", q->host_kv / engine_kv_unit(q->engine));
    record_flag(r, "no_kv_offload", q->kv_on_host);
    record_text(r, "host_memory", a->resolved.host_memory);
    record_count(r, "host_threads", "", q->host.told_cores ? q->host.cores : NAN);
    if (a->plan.speed.host_share > 0 && q->host.bandwidth.known)
        record_quantity(r, "host_bandwidth", "GB/s", q->host.bandwidth, 1e9, 1);
    record_text(r, "draft",
                q->draft_kind == DRAFT_MODEL ? q->draft->id
                : q->draft_kind              ? a->resolved.draft
                                             : "");
    record_positive(r, "speculative_tokens", "", q->draft_tokens);
    record_acceptance(r, q);
    record_positive(r, "acceptance_length", "", q->accept_length);
    record_text(r, "calibration", a->resolved.measured);
    record_text(r, "calibrated", a->resolved.calibrated);
    record_text(r, "uncalibrated", a->resolved.uncalibrated);
    record_text(r, "logged", a->resolved.logged);
    record_text(r, "unlogged", a->resolved.unlogged);
    record_positive(r, "lora_slots", "", q->lora_slots);
    record_positive(r, "lora_rank", "", q->lora_rank);
    record_plan_asked(r, &a->resolved);
    if (q->api_out > 0)
        record_textf(r, "api_price", "%.12g:%.12g", q->api_in, q->api_out);
    else
        record_text(r, "api_price", "");
    record_text(r, "model_origin", a->resolved.generic ? "assumed" : "exact");
}

/* ---- verdict ---- */

static void fix_facts(const struct answer *a, const struct options *options, const struct fix *f,
                      struct record *r)
{
    struct strbuf command = STRBUF_EMPTY;
    char option[FIX_OPTIONS_MAX];

    planner_fix_command(options, a, f, &command);
    record_text(r, "what", sentence_fix(f, r->texts));
    record_text(r, "option", planner_fix_options(f, option));
    record_text(r, "command", command.text);
    strbuf_fini(&command);
    record_text(r, "status", verdict_word(f->verdict));
    record_count(r, "gain_gib", "", f->gain / GP_GIB);
    record_positive(r, "ttft", "s", f->ttft);
    record_positive(r, "tpot", "s", f->request.model->pooling ? 0 : f->tpot);
    record_text(r, "better", better_word(f->better));
    record_positive(r, figure_key(&a->plan, FIGURE_TOKENS), "", f->tokens);
    record_positive(r, figure_key(&a->plan, FIGURE_MILLION), "", better_per_million(f));
    record_count(r, "gpus", "", f->gpus);
    record_positive(r, "per_hour", "", f->per_hour);
    record_count(r, "per_hour_delta", "", f->cost_known ? f->cost_delta : NAN);
}

static void verdict_facts(const struct answer *a, const struct options *options, struct record *r)
{
    const struct plan *p = &a->plan;
    struct startup startup = startup_check(p);
    const char *text;

    record_text(r, "status", verdict_word(p->verdict));
    record_text(r, "limit", limit_word(p->limit));
    record_text(r, "options_turned", sentence_turned(p, r->texts));
    record_text(r, "knob", sentence_knob(p, r->texts));
    record_list(r, "reasons");
    for (int i = 0; (text = sentence_reason(p, i, r->texts)); i++)
        record_item(r, "reasons", text);
    if (startup.check) {
        struct record *stop = record_inside(r, "startup");

        record_text(stop, "check", startup.check);
        record_flag(stop, "certain", startup.certain);
        record_text(stop, "message", startup_message(p, &startup, r->texts));
    } else {
        record_text(r, "startup", "");
    }
    record_list(r, "warnings");
    for (int i = 0; (text = sentence_warning(p, i, r->texts)); i++)
        record_item(r, "warnings", text);
    record_list(r, "fixes");
    for (int i = 0; i < a->fix_count; i++)
        fix_facts(a, options, &a->fixes[i], record_append(r, "fixes"));
}

/* ---- layout ---- */

#define OF_LAYOUT(member) #member, MEMBER_INT, MEMBER_AT(struct layout, member)

static const struct member layout_degrees[] = {
    {OF_LAYOUT(gpus)}, {OF_LAYOUT(tp)}, {OF_LAYOUT(pp)}, {OF_LAYOUT(ep)}, {OF_LAYOUT(replicas)},
};

static void layout_facts(const struct plan *p, struct record *r)
{
    const struct runner_up *second = &p->second;

    record_text(r, "gpu", p->request.gpu->id);
    RECORD_MEMBERS(r, layout_degrees, &p->layout);
    record_count(r, "dp", "", layout_ways(&p->layout));
    record_count(r, "prefill", "", p->layout.prefill);
    record_count(r, "prefill_tp", "", p->layout.prefill > 0 ? layout_prefill(&p->layout).tp : 0);
    record_count(r, "decode", "", p->layout.prefill > 0 ? layout_decoding(&p->layout) : 0);
    record_count(r, "hosts", "", p->layout.hosts);
    record_positive(r, "host_gpus", "", p->request.host_gpus);
    record_flag(r, "host_assumed", p->request.host_assumed);
    if (second->layout.gpus == 0) {
        record_text(r, "runner_up", "");
        return;
    }
    r = record_inside(r, "runner_up");
    RECORD_MEMBERS(r, layout_degrees, &second->layout);
    record_positive(r, "per_hour", "", second->per_hour);
    record_text(r, "lost_by", sentence_worse_by(second, r->texts));
}

/* ---- goals ---- */

static struct record *counts_facts(const char *key, const struct runner_up *beside,
                                   struct record *r)
{
    if (beside->layout.gpus == 0) {
        record_text(r, key, "");
        return NULL;
    }
    r = record_inside(r, key);
    RECORD_MEMBERS(r, layout_degrees, &beside->layout);
    record_positive(r, "per_hour", "", beside->per_hour);
    return r;
}

/* Where some were asked for. */
static void goals_facts(const struct answer *a, struct record *doc)
{
    static const struct {
        const char *key, *unit;
    } rows[SPEED_GOALS] = {{"ttft", "s"},
                           {"tpot", "s"},
                           {"throughput", "tokens/s"},
                           {"rate", "requests/s"},
#define X(NAME, measure, point, key, label) {key, "s"},
                           LATES(X)
#undef X
    };
    const struct goals_beside *g = &a->goals;
    struct goal goals[SPEED_GOALS];

    if (g->state == GOAL_NOT_ASKED)
        return;
    struct record *r = record_inside(doc, "goals"), *near;
    goals_of(&a->plan.request, &a->plan.speed, goals);
    record_text(r, "state", goal_word(g->state));
    record_list(r, "each");
    for (int i = 0; i < SPEED_GOALS; i++) {
        if (goals[i].state == GOAL_NOT_ASKED)
            continue;
        struct record *one = record_append(r, "each");
        record_text(one, "goal", rows[i].key);
        record_count(one, "asked", rows[i].unit, goals[i].asked);
        record_quantity(one, "estimate", rows[i].unit, goals[i].estimate, 1, 3);
        record_text(one, "state", goal_word(goals[i].state));
    }
    counts_facts("likely", &g->likely, r);
    counts_facts("sure", &g->sure, r);
    near = counts_facts("near", &g->near, r);
    if (near) {
        record_text(near, "misses", limit_word(g->near.limit));
        record_count(near, "by", "share", g->near.more);
    }
}

/* ---- memory ---- */

static const struct member memory_needs[] = {
    {"kv_needed_full", MEMBER_BYTES, MEMBER_AT(struct memory, kv_full)},
    {"kv_needed_mean", MEMBER_BYTES, MEMBER_AT(struct memory, kv_mean)},
};
static const struct member memory_holds[] = {
    {"kv_cache_tokens", MEMBER_QUANTITY, MEMBER_AT(struct memory, kv_cache_tokens), "tokens"},
    {"state_blocks", MEMBER_QUANTITY, MEMBER_AT(struct memory, state_blocks), "blocks"},
    {"max_concurrency", MEMBER_QUANTITY, MEMBER_AT(struct memory, max_concurrency), "requests"},
};

/* What is left for the KV cache, and what is lacking. */
static void pool_facts(const struct request *q, const struct memory *m, struct record *r)
{
    if (q->model->weights_only) {
        record_text(r, "kv_pool", "");
        return;
    }
    figure_json_memory(m, FIGURE_POOL, r);
    figure_json_memory(m, FIGURE_POOL_SHORT, r);
}

static void gpu_facts(const struct plan *p, struct record *r)
{
    const struct weights *split = &p->memory.split;

    figures_json(p, FIGURE_PHYSICAL, FIGURE_WEIGHTS, r);
    struct record *roles = record_inside(r, "weights_by_role_gib");
    for (int i = 0; i < ROLE_COUNT; i++)
        if (split->role[i] > 0)
            record_count(roles, role_word((enum tensor_role)i), "GiB", split->role[i] / GP_GIB);
    if (split->loaded > 0)
        record_count(roles, "added at load", "GiB", split->loaded / GP_GIB);
    figures_json(p, FIGURE_DRAFT, FIGURE_LORA, r);
    pool_facts(&p->request, &p->memory, r);
    figures_json(p, FIGURE_KV, FIGURE_TABLES, r);
}

/* A GPU of each pipeline stage: its layers, the embedding on the first, the head on the last. */
static void stages_facts(const struct plan *p, struct record *doc)
{
    static const enum figure_id parts[] = {FIGURE_WEIGHTS, FIGURE_ACTIVATION, FIGURE_KV_RESERVED,
                                           FIGURE_FREE};
    const struct request *q = &p->request;
    int pp = p->layout.pp;
    struct load load;

    if (pp > 1)
        load = load_sum(q);
    record_list(doc, "stages");
    for (int i = 0; i < pp; i++) {
        struct record *r = record_append(doc, "stages");
        struct memory m = p->memory;
        int first = layout_stage_begin(q, pp, i);

        if (pp > 1)
            plan_stage(p, &load, i, &m);
        record_count(r, "stage", "", i);
        if (q->gpu->mix && i < q->gpu->mix->count)
            record_text(r, "gpu", q->gpu->mix->at[i]->id);
        record_count(r, "first_layer", "", first + 1);
        record_count(r, "layers", "", layout_stage_begin(q, pp, i + 1) - first);
        record_flag(r, "embedding", i == 0);
        record_flag(r, "head", i == pp - 1);
        for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++)
            figure_json_memory(&m, parts[k], r);
        record_quantity(r, "max_concurrency", "requests", m.max_concurrency, 1, 0);
        pool_facts(q, &m, r);
    }
}

/* Whole requests of all replicas, and how long a described one is. */
static void holds_facts(const struct plan *p, struct record *r)
{
    record_count(r, "tokens", "", memory_described_tokens(&p->request));
    record_quantity(r, "load", "requests", plan_holds(p, &p->memory.holds_load), 1, 0);
    record_quantity(r, "full", "requests", plan_holds(p, &p->memory.max_concurrency), 1, 0);
}

static void memory_facts(const struct plan *p, struct record *doc)
{
    static const char *const bounds[] = {"value", "low", "high"};
    const struct memory *m = &p->memory;
    enum origin kv = m->kv_needed.origin;

    if (!p->has_memory) {
        record_text(doc, "memory", "");
        return;
    }
    struct record *r = record_inside(doc, "memory");
    gpu_facts(p, record_inside(r, "per_gpu"));
    record_count(r, "stage", "", m->stage);
    stages_facts(p, r);
    record_quantity(r, "kv_bytes_per_token", "B", quantity_of(m->kv_bytes_per_token, kv), 1, 0);
    record_quantity(r, "kv_sequence", "GiB", quantity_of(m->sequence.exact, kv), GP_GIB, 2);
    RECORD_MEMBERS(r, memory_needs, m);
    RECORD_MEMBERS(r, memory_holds, m);
    holds_facts(p, record_inside(r, "holds"));
    record_quantity(r, "checkpoint", "GiB", quantity_of(m->file_bytes, m->weights.origin), GP_GIB,
                    2);
    r = record_inside(r, "rule_of_thumb"); /* with the precision that it was taken at */
    for (int i = 0; i < 3; i++)
        record_count(r, bounds[i], "GiB", m->rule_of_thumb / GP_GIB);
    record_text(r, "unit", "GiB");
    record_text(r, "origin", origin_word(ORIGIN_ASSUMED));
    record_text(r, "precision", p->request.precision.id);
}

#define OF_PART(member) #member, MEMBER_NUMBER, MEMBER_AT(struct step_parts, member)

static const struct member step_members[] = {
    {OF_PART(linear)}, {OF_PART(experts)}, {OF_PART(attention)}, {OF_PART(communication)},
    {OF_PART(fixed)},  {OF_PART(head)},    {OF_PART(draft)},
};

/* Among whom, how and how fast; nothing where no GPUs exchange. */
static void reduce_facts(const struct plan *p, struct record *speed)
{
    const struct request *q = &p->request;
    const struct family *f = q->gpu->family;
    int n = p->layout.tp * layout_ways(&p->layout);
    struct comm c = comm_of(q->gpu, f, n, q->host_gpus, q->engine->speed.allreduce);

    if (n <= 1 || !c.known)
        return;
    struct record *r = record_inside(speed, "all_reduce");
    record_count(r, "gpus", "", n);
    record_count(r, "hosts", "", c.hosts);
    record_text(r, "library", comm_library(&c, q->gpu));
    record_text(r, "over", c.pcie ? "pcie" : "link");
    record_quantity(r, "bus_bandwidth", "GB/s", quantity_of(c.rate, ORIGIN_MODEL), 1e9, 1);
    record_text(r, "source", f->source);
}

/* Rows of others that estimates of this kind were held against. */
static void hit_facts(const struct plan *p, const struct hit *h, struct record *r)
{
    record_count(r, "rows", "", h ? h->rows : 0);
    if (!h)
        return;
    record_text(r, "kind", hit_kind_word((enum hit_kind)h->kind));
    record_text(r, "phase", hit_phase_word((enum hit_phase)h->phase));
    record_count(r, "median_error", "", h->median);
    record_count(r, "p90_error", "", h->tail);
    record_count(r, "in_band", "", h->inside);
    record_flag(r, "generation_among_them", engine_lists(h->families, p->request.gpu->family->id));
}

static void beside_facts(const struct plan *p, struct record *r)
{
    const struct speed_beside *b = &p->speed.beside;
    static const char *const words[NEIGHBOUR_COUNT] = {[NEIGHBOUR_USER_MORE] = "user-more",
                                                       [NEIGHBOUR_USER_LESS] = "user-less",
                                                       [NEIGHBOUR_TOKEN_MORE] = "prompt-token-more",
                                                       [NEIGHBOUR_TOKEN_LESS] =
                                                           "prompt-token-less"};

    if (b->load == NEIGHBOUR_NONE)
        return;
    r = record_inside(r, "beside");
    record_text(r, "load", words[b->load]);
    record_count(r, figure_key(p, FIGURE_TOKENS), "", b->tokens);
    record_text(r, "crosses", b->graphs ? "cuda-graph" : "tiles");
}

/* What drafting is worth: decode steps alone. */
static void drafts_facts(const struct plan *p, struct record *r)
{
    const struct speed_drafts *d = &p->speed.drafts;

    if (d->plain <= 0)
        return;
    r = record_inside(r, "drafts");
    record_text(r, "kind", draft_facts[p->request.draft_kind].word);
    record_count(r, "tokens", "", p->request.draft_tokens);
    record_count(r, "accepted_per_step", "tokens", p->request.accept_length);
    record_count(r, "tpot", "s", d->asked);
    record_count(r, "tpot_without", "s", d->plain);
    record_count(r, "best_tokens", "", d->best);
    record_count(r, "best_tpot", "s", d->least);
    record_count(r, "pays_to_users", "", d->pays);
    record_flag(r, "pays_always", d->always);
}

static void speed_facts(const struct plan *p, struct record *r)
{
    const char *const keys[] = {"ttft", "tpot", figure_key(p, FIGURE_TOKENS), "requests_per_s",
                                "bound"};
    const struct speed *v = &p->speed;
    struct record *step;

    if (v->gap != SPEED_KNOWN) {
        for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
            record_text(r, keys[i], "");
        record_text(r, "unknown", sentence_speed_gap(p, r->texts));
        return;
    }
    figures_json(p, FIGURE_TTFT, FIGURE_FULL, r);
    if (p->speed.percentile[0].known)
        figures_json(p, FIGURE_LATE, FIGURE_LATE_LAST, record_inside(r, "percentiles"));
    else
        record_text(r, "percentiles", "");
    record_count(r, "full_running", "", v->full_running);
    record_text(r, "bound", speed_bound_word(v->bound));
    record_positive(r, "ttft_p50", "s", v->middle);
    record_positive(r, "ttft_p95", "s", v->late);
    record_quantity(r, "ttft_idle", "s", v->solo, 1, 4);
    record_quantity(r, "ttft_all_at_once", "s", v->burst, 1, 4);
    record_quantity(r, "ttft_all_at_once_last", "s", v->burst_last, 1, 4);
    record_quantity(r, "stall", "s", v->stall, 1, 4);
    record_count(r, "stall_share", "", v->stall_share);
    beside_facts(p, r);
    record_count(r, "running", "requests", v->running);
    record_positive(r, "transfer", "s", v->transfer);
    record_positive(r, "capacity", "requests/s", v->capacity);
    record_text(r, "saturates", speed_saturation_word(v->saturation));
    step = record_inside(r, "step_s"); /* seconds of a decode step, part by part */
    RECORD_MEMBERS(step, step_members, &v->part);
    record_count(step, "prefill", "s", v->prompts);
    drafts_facts(p, r);
    reduce_facts(p, r);
    record_text(r, "band", sentence_speed_doubts(p, r->texts));
    record_text(r, "narrower", sentence_speed_narrower(p, r->texts));
    r = record_inside(r, "checked");
    hit_facts(p, v->hit, record_inside(r, "tpot"));
    hit_facts(p, v->hit_first, record_inside(r, "ttft"));
    record_text(r, "source", p->request.engine->hits.source);
}

/* ---- power and cost ---- */

#define OF_POWER(member, type) MEMBER_##type, MEMBER_AT(struct power, member)

static const struct member power_sheet[] = {
    {"most", OF_POWER(sheet, NUMBER)},
    {"gpu_most", OF_POWER(limit, NUMBER)},
    {"host_most", OF_POWER(host_most, NUMBER)},
    {"cap", OF_POWER(cap, SOME)},
};

static const struct member power_loaded[] = {
    {"gpu_idle", OF_POWER(idle, QUANTITY), "W"},
    {"gpu_decode", OF_POWER(decode, QUANTITY), "W"},
    {"gpu_prompt", OF_POWER(prompt, QUANTITY), "W"},
    {"gpu", OF_POWER(gpu, QUANTITY), "W"},
    {"host", OF_POWER(host, QUANTITY), "W"},
    {"at_load", OF_POWER(total, QUANTITY), "W"},
    {"busy", OF_POWER(busy, NUMBER)},
    {"prompts", OF_POWER(prompts, NUMBER)},
    {"hours_per_month", OF_POWER(hours, NUMBER)},
};

static void power_facts(const struct plan *p, struct record *doc)
{
    const struct power *w = &p->power;

    if (!w->known) {
        record_text(doc, "power", "");
        return;
    }
    struct record *r = record_inside(doc, "power");
    RECORD_MEMBERS(r, power_sheet, w);
    record_flag(r, "host_assumed", p->request.watts_assumed);
    if (w->cap > 0)
        record_count(r, "capped_gpus", "", w->capped_gpus);
    if (!w->loaded)
        return;
    RECORD_MEMBERS(r, power_loaded, w);
    bool pooling = p->request.model->pooling;
    record_quantity(r, figure_key(p, FIGURE_JOULES), "J", w->joules, 1, 2);
    record_quantity(r, pooling ? "prompts_per_s_per_w" : "output_tokens_per_s_per_w",
                    pooling ? "prompts/s/W" : "tokens/s/W", w->per_watt, 1, 2);
    record_quantity(r, "kwh_per_month", "kWh", w->energy, GP_KWH, 1);
    record_quantity(r, "electricity_per_month", "$", w->electricity, 1, 2);
}

static void usage_facts(const struct plan *p, struct record *cost)
{
    const struct request *q = &p->request;
    struct usage u;

    usage_of(p, &u);
    record_quantity(cost,
                    q->model->pooling ? "per_million_prompt_tokens_full"
                                      : "per_million_output_tokens_full",
                    "$", u.full, 1, 3);
    record_quantity(cost, "per_million_tokens", "$", u.all, 1, 3);
    record_quantity(cost, "utilisation", "share", u.share, 1, 4);
    record_quantity(cost, "idle_per_month", "$/month", u.idle, 1, 2);
    record_positive(cost, "buy_from_share_of_hours", "", u.owned <= 1 ? u.owned : 0);
    if (!u.api.known)
        return;
    struct record *r = record_inside(cost, "api");
    record_quantity(r, "per_hour", "$/h", u.api, 1, 2);
    record_quantity(r, "even_requests_per_s", "requests/s", u.even, 1, 3);
    record_quantity(r, "even_tokens_per_day", "tokens/day",
                    quantity_scale(u.even, 86400 * (q->prompt + q->output)), 1, 0);
    record_flag(r, "reached", u.even.known && u.even.value <= p->speed.full.value);
}

#define OF_RENT(member, kind) #member, kind, MEMBER_AT(struct rent, member)
#define BUY(member) MEMBER_AT(struct buy, member)

static const struct member rent_figures[] = {
    {OF_RENT(instances, MEMBER_INT)},
    {OF_RENT(gpus_paid, MEMBER_INT)},
    {OF_RENT(per_hour, MEMBER_NUMBER)},
    {OF_RENT(per_month, MEMBER_NUMBER)},
};
static const struct member rent_machines[] = {
    {OF_RENT(machines, MEMBER_INT)},
    {OF_RENT(apart, MEMBER_FLAG)}, /* GPUs of one request in several of them */
};
static const struct member buy_members[] = {
    {"capital", MEMBER_QUANTITY, BUY(capital), "$"},
    {"per_hour", MEMBER_QUANTITY, BUY(per_hour), "$/h"},
    {"per_month", MEMBER_QUANTITY, BUY(per_month), "$/month"},
    {"running_per_hour", MEMBER_QUANTITY, BUY(running), "$/h"},
    {"power_w", MEMBER_NUMBER, BUY(watts)},
    {"break_even_hours", MEMBER_SOME, BUY(break_even_hours)},
    {"host_assumed", MEMBER_FLAG, BUY(host_assumed)},
};

static void buy_facts(const struct buy *buy, struct record *r)
{

    if (!buy->known) {
        record_text(r, "buy", "");
        return;
    }
    r = record_inside(r, "buy");
    record_text(r, "what", sentence_purchase(buy, r->texts));
    RECORD_MEMBERS(r, buy_members, buy);
    record_text(r, "as_of", sentence_purchase_date(buy, r->texts));
    record_text(r, "source", buy->source);
}

static void rent_facts(const char *name, const struct rent *rent, struct record *r)
{
    const struct instance *in = rent->instance;

    if (!rent->known) {
        record_text(r, name, "");
        return;
    }
    r = record_inside(r, name);
    record_text(r, "provider", in->provider);
    record_text(r, "instance", in->type);
    RECORD_MEMBERS(r, rent_figures, rent);
    record_text(r, "region", in->region);
    record_text(r, "date", sentence_price_date(in, r->texts));
    record_count(r, "age_days", "days",
                 rent->age_days >= 0 && in->basis != DATE_READ ? (double)rent->age_days : NAN);
    record_flag(r, "assumed", in->assumed);
    record_flag(r, "per_gpu", in->per_gpu);
    RECORD_MEMBERS(r, rent_machines, rent);
    record_text(r, "note", in->note);
    record_text(r, "source", in->source);
}

/* What its machines cost, and with `tokens` per token served. */
static void report_cost(const struct plan *p, bool tokens, struct record *doc)
{
    const struct cost *c = &p->cost;
    const struct rent *wanted = cost_wanted(c);

    if (!p->has_memory) {
        record_text(doc, "cost", "");
        return;
    }
    struct record *r = record_inside(doc, "cost");
    figures_json(p, FIGURE_HOUR, tokens ? FIGURE_MILLION : FIGURE_MONTH, r);
    rent_facts("on_demand", &c->on_demand, r);
    rent_facts("spot", &c->spot, r);
    rent_facts("market", &c->market, r);
    buy_facts(&c->buy, r);
    if (tokens)
        usage_facts(p, r);
    record_text(r, "source",
                !wanted         ? c->buy.known ? c->buy.source : ""
                : wanted->known ? wanted->instance->source
                                : "");
    record_text(r, "note", sentence_cost_note(p, r->texts));
}

/* ---- the whole ---- */

/* The list `why`, as --why prints it. */
static void report_terms(const struct term *terms, int count, struct record *doc)
{
    struct strbuf inputs = STRBUF_EMPTY, source = STRBUF_EMPTY;
    char name[TERM_NAME_MAX];

    record_list(doc, "why");
    for (int i = 0; i < count; i++) {
        const struct term *t = &terms[i];
        struct record *r = record_append(doc, "why");

        strbuf_clear(&inputs);
        strbuf_clear(&source);
        term_inputs_text(t, &inputs);
        term_source_text(&t->source, &source);
        record_text(r, "term", term_name(t, name));
        record_text(r, "symbol", t->symbol);
        record_text(r, "equation", t->equation);
        record_text(r, "inputs", inputs.text);
        record_quantity(r, "value", t->unit, t->value, 1, 2);
        record_text(r, "source", source.text);
    }
    strbuf_fini(&inputs);
    strbuf_fini(&source);
}

static void source_facts(const struct request *q, const struct market *market, struct record *r)
{
    double watts;
    const struct server *host = cost_host_server(q->gpu, market, &watts);

    record_text(r, "model", q->model->source);
    record_text(r, "gpu", q->gpu->source);
    record_text(r, "gpu_confidence", q->gpu->confidence);
    record_text(r, "engine", q->engine->source);
    record_text(r, "engine_date", q->engine->date);
    record_text(r, "format", q->precision.weight->source);
    record_text(r, "power", power_law_source);
    if (host)
        record_textf(r, "host_power", "%s: %s", host->name, host->source);
    else
        record_text(r, "host_power", "");
}

void report_begin(struct record *doc, const char *schema, const char *data_date)
{
    record_text(doc, "schema", schema);
    record_text(doc, "data", data_date ? data_date : "");
}

void report_plan_head(const struct answer *a, struct record *doc)
{
    request_facts(a, record_inside(doc, "request"));
    layout_facts(&a->plan, record_inside(doc, "layout"));
}

void report_plan(const struct answer *a, const struct options *options, bool why, bool brief,
                 struct record *doc)
{
    char solve[OPTION_CHOICE_MAX];
    const struct plan *p = &a->plan;

    report_begin(doc, "gpuplan.plan/1", p->request.data_date);
    request_facts(a, record_inside(doc, "request"));
    verdict_facts(a, options, record_inside(doc, "verdict"));
    layout_facts(p, record_inside(doc, "layout"));
    goals_facts(a, doc);
    memory_facts(p, doc);
    speed_facts(p, record_inside(doc, "speed"));
    power_facts(p, doc);
    report_cost(p, true, doc);
    if (a->solve != SOLVE_NONE) {
        struct record *r = record_inside(doc, "solve");

        record_text(r, "field", option_choice(OPT_SOLVE, (int)a->solve - 1, solve));
        record_flag(r, "found", a->solved.found);
        if (a->solved.likely_precision)
            record_text(r, "likely", p->request.precision.id);
        else
            record_positive(r, "likely", "", a->solved.likely);
        if (a->solved.goals)
            record_count(r, "sure", "", a->solved.sure);
        record_flag(r, "limited", solve_has_limit(&p->request, a->solve));
    }
    if (!brief)
        source_facts(&p->request, &a->resolved.market, record_inside(doc, "sources"));
    if (why) {
        struct term terms[TERMS_MAX];

        report_terms(terms, terms_of_plan(p, terms), doc);
    }
}

void print_plan_json(const struct answer *answer, const struct options *options, bool why,
                     struct strbuf *out)
{
    struct record doc = {0};

    report_plan(answer, options, why, false, &doc);
    record_json(&doc, out);
    record_fini(&doc);
}

void report_error(const struct gp_err *err, struct record *doc)
{
    record_text(doc, "schema", "gpuplan.error/1");
    record_text(doc, "code", gp_status_word(err->code));
    record_text(doc, "where", err->where);
    record_text(doc, "text", err->text);
    record_text(doc, "hint", err->hint);
}

#define PART(group, key, name, member) key, name, offsetof(struct train_memory, member), group

const struct train_part train_parts[TRAIN_PARTS] = {
    {PART(TRAIN_OF_GPU, "usable", "usable", usable)},
    {PART(TRAIN_OF_GPU, "weights", "weights", weights)},
    {PART(TRAIN_OF_GPU, "adapters", "adapters", adapters)},
    {PART(TRAIN_OF_GPU, "modules", "trained copies", modules)},
    {PART(TRAIN_OF_GPU, "gradients", "gradients", gradients)},
    {PART(TRAIN_OF_GPU, "master", "master copy", master)},
    {PART(TRAIN_OF_GPU, "optimizer", "optimizer", optimizer)},
    {PART(TRAIN_OF_GPU, "activations", "activations", activations)},
    {PART(TRAIN_OF_GPU, "logits", "logits", logits)},
    {PART(TRAIN_OF_GPU, "live_layer", "recomputed layer", live)},
    {PART(TRAIN_OF_GPU, "step", "optimizer step", step)},
    {PART(TRAIN_OF_GPU, "buffers", "buffers", buffers)},
    {PART(TRAIN_OF_GPU, "fragmentation", "fragmentation", fragmentation)},
    {PART(TRAIN_OF_GPU, "context", "context and NCCL", context)},
    {PART(TRAIN_OF_GPU, "free", "free", free)},
    {PART(TRAIN_SUM, "total", NULL, total)},
    {PART(TRAIN_PRINTED, "allocated", "allocated", allocated)},
    {PART(TRAIN_PRINTED, "reserve", "allocator's reserve", reserve)},
    {PART(TRAIN_PRINTED, "reserved", "reserved", reserved)},
    {PART(TRAIN_OF_HOST, "offloaded", "offloaded", host)},
};

const struct quantity *train_part_bytes(const struct train_memory *m, const struct train_part *part)
{
    return (const struct quantity *)((const char *)m + part->offset);
}

static void train_request_facts(const struct resolved *resolved, const struct train *t,
                                struct record *r)
{
    const struct request *q = &resolved->request;
    char word[OPTION_CHOICE_MAX];

    record_text(r, "model", resolved->model_text);
    record_text(r, "model_id", q->model->id);
    record_text(r, "precision", q->precision.id);
    record_flag(r, "precision_native", q->precision.native);
    record_text(r, "gpu", q->gpu->id);
    record_text(r, "method", train_method_word(t->method));
    record_text(r, "optimizer", train_optimizer_word(t->optimizer));
    record_text(r, "base", train_base_word(t));
    const struct trainer *trainer = t->trainer;
    const char *version = !trainer ? "" : trainer->until[0] ? trainer->until : trainer->from;

    if (version[0])
        record_textf(r, "trainer", "%s@%s", trainer->word, version);
    else
        record_text(r, "trainer", trainer ? trainer->word : "");
    record_text(r, "recompute", train_recompute_word(t->recompute));
    record_text(r, "attention", option_choice(OPT_ATTENTION, t->eager_attention, word));
    record_text(r, "loss", train_loss_word(t->loss));
    record_flag(r, "fused", t->fused_kernels);
    record_count(r, "zero", "", t->zero_stage == TRAIN_ZERO_CHOOSE ? NAN : t->zero_stage);
    record_text(r, "offload", train_offload_word(t->offload));
    record_flag(r, "step_in_backward", t->step_in_backward);
    record_flag(r, "sequence_parallel", t->sequence_parallel);
    record_flag(r, "device_map", t->device_map);
    record_count(r, "sequence", "tokens", t->sequence);
    record_count(r, "micro_batch", "", t->micro_batch);
    bool lora = t->method != TRAIN_FULL;
    record_count(r, "lora_rank", "", lora ? t->lora_rank : NAN);
    record_text(r, "lora_targets", lora ? option_choice(OPT_LORA_TARGETS, t->targets, word) : "");
    record_text(r, "modules_to_save",
                lora ? option_choice(OPT_MODULES_TO_SAVE, t->modules, word) : "");
    record_quantity(r, "used", "GiB", quantity_of(q->used, ORIGIN_ASSUMED), GP_GIB, 2);
    record_plan_asked(r, resolved);
}

static void train_verdict_facts(const struct train_answer *a, struct record *r)
{
    const struct request *q = &a->resolved.request;
    const struct train_memory *m = &a->memory;
    struct texts texts = {0};
    const char *text;

    record_text(r, "status", verdict_word(m->verdict));
    record_text(r, "limit", train_limit_word(m->limit));
    record_text(r, "knob", sentence_train_knob(m, &texts));
    record_list(r, "reasons");
    for (int i = 0; (text = sentence_train_reason(q, m, i, &texts)); i++)
        record_item(r, "reasons", text);
    record_list(r, "warnings");
    for (int i = 0; (text = sentence_train_warning(q, m, i, &texts)); i++)
        record_item(r, "warnings", text);
    record_list(r, "fixes");
    for (int i = 0; i < a->fix_count; i++) {
        const struct train_fix *f = &a->fixes[i];
        struct record *fix = record_append(r, "fixes");

        record_text(fix, "what", sentence_train_fix(q, f, &texts));
        record_text(fix, "option", sentence_train_options(q, f, &texts));
        record_text(fix, "status", verdict_word(f->verdict));
        record_count(fix, "gain_gib", "", f->gain / GP_GIB);
        record_count(fix, "gpus", "", f->gpus);
        record_count(fix, "per_hour", "", f->per_hour > 0 ? f->per_hour : NAN);
    }
    texts_fini(&texts);
}

static void train_memory_facts(const struct train_memory *m, struct record *doc)
{
    if (m->limit == TRAIN_LIMIT_LAYOUT) {
        record_text(doc, "memory_per_gpu", "");
        record_text(doc, "memory_per_host", "");
        return;
    }
    struct record *r = record_inside(doc, "memory_per_gpu");
    for (const struct train_part *part = train_parts; part < train_parts + TRAIN_PARTS; part++) {
        if (part->group == TRAIN_OF_HOST)
            r = record_inside(doc, "memory_per_host");
        record_quantity(r, part->key, "GiB", *train_part_bytes(m, part), GP_GIB, 2);
    }
}

void report_train(const struct train_answer *a, bool why, struct record *doc)
{
    const struct request *q = &a->resolved.request;
    const struct train_memory *m = &a->memory;

    report_begin(doc, "gpuplan.train/1", q->data_date);
    train_request_facts(&a->resolved, &m->train, record_inside(doc, "request"));
    train_verdict_facts(a, record_inside(doc, "verdict"));
    struct record *r = record_inside(doc, "layout");
    record_count(r, "gpus", "", m->train.gpus);
    record_count(r, "hosts", "", a->priced.has_memory ? a->priced.layout.hosts : NAN);
    record_count(r, "data_parallel", "", m->data_parallel);
    record_count(r, "tp", "", m->train.tp);
    record_count(r, "pp", "", m->train.pp);
    record_count(r, "cp", "", m->train.cp);
    train_memory_facts(m, doc);
    report_cost(&a->priced, false, doc);
    record_count(doc, "params", "", m->params);
    record_count(doc, "trainable", "", m->trainable);
    if (why) {
        struct term terms[TERMS_MAX];

        report_terms(terms, terms_of_train(q, m, &a->priced, terms), doc);
    }
}

bool train_part_is_there(const struct quantity *bytes)
{
    return bytes->known && (bytes->value != 0 || bytes->high != 0);
}

void report_train_rows(const struct train_answer *a, struct record *r)
{
    const struct request *q = &a->resolved.request;
    const struct train_memory *m = &a->memory;
    int hosts = a->priced.layout.hosts;
    struct texts texts = {0};
    const char *reason = sentence_train_reason(q, m, 0, &texts);

    record_text(r, "verdict", verdict_word(m->verdict));
    record_note(r, reason ? reason : "");
    record_text(r, "GPU", q->gpu->id);
    record_note(r, q->gpu->name);
    record_quantity(r, "GPUs", "", quantity_exact(m->train.gpus), 1, 0);
    record_note(r, a->priced.has_memory ? texts_addf(&texts, "data parallel %d, ZeRO %d, %d host%s",
                                                     m->data_parallel, m->train.zero_stage, hosts,
                                                     hosts == 1 ? "" : "s")
                                        : "");
    texts_fini(&texts);
    for (const struct train_part *part = train_parts; part < train_parts + TRAIN_PARTS; part++) {
        const struct quantity *b = train_part_bytes(m, part);

        if (part->name && (part->group == TRAIN_PRINTED || train_part_is_there(b)))
            record_quantity(r, part->group == TRAIN_OF_HOST ? "offloaded, of one host" : part->name,
                            "GiB", *b, GP_GIB, 4);
    }
    if (a->priced.has_memory)
        print_cost_rows(&a->priced, r);
}
