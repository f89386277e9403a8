/*
 * answer_lines.c - see answer_lines.h.
 */
#include "answer/answer_lines.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "answer/sentence.h"
#include "answer/startup.h"
#include "base/path.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/better.h"
#include "plan/usage.h"

/* The lines of one kind as they are made, and what they tell of. */
struct lines {
    const struct plan *plan;
    const struct answer *answer; /* NULL: there is only a plan */
    struct answer_line *line;
    int count;
};

static struct answer_line *line_add(struct lines *lines, const char *name)
{
    if (lines->count == ANSWER_LINES_MAX)
        return &lines->line[ANSWER_LINES_MAX - 1];
    struct answer_line *line = &lines->line[lines->count++];
    line->name = name;
    line->text[0] = line->amount[0] = line->month[0] = line->note[0] = '\0';
    line->wanted = false;
    return line;
}

static struct answer_line *line_addf(struct lines *lines, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static struct answer_line *line_addf(struct lines *lines, const char *name, const char *fmt, ...)
{
    struct answer_line *line = line_add(lines, name);
    va_list args;

    va_start(args, fmt);
    vsnprintf(line->text, sizeof(line->text), fmt, args);
    va_end(args);
    return line;
}

static const char *plural(double count)
{
    return count == 1 ? "" : "s";
}

/* ---- the request ---- */

static void model_lines(struct lines *lines)
{
    const struct plan *p = lines->plan;
    const struct answer *a = lines->answer;
    const struct request *q = &p->request;
    bool serves = !q->model->weights_only;
    char params[32];

    line_addf(lines, "model", "%s (%s parameters%s), %s weights%s%s%s%s", q->model->name,
              units_params(params, sizeof(params), model_params(q->model)),
              q->model->assumed && q->model->bytes.known
                  ? ", unknown architecture: KV cache and activation assumed"
              : a && a->resolved.generic ? ", shape assumed"
                                         : "",
              q->precision.id, q->precision.native ? " as published" : "", serves ? ", " : "",
              serves ? q->kv->id : "", serves ? " KV cache" : "");
}

static void trace_lines(struct lines *lines, const struct resolved *r)
{
    char requests[32], rate[80] = "";

    if (!r->trace[0])
        return;
    if (r->trace_rate > 0)
        gp_format(rate, sizeof(rate), ", %.3g/s in the mean, %.3g in the busiest minute",
                  r->trace_rate, r->trace_busiest);
    line_addf(lines, "trace", "%s: %s requests%s", path_name(r->trace),
              units_tokens(requests, sizeof(requests), r->trace_requests), rate);
}

static void load_lines(struct lines *lines)
{
    const struct plan *p = lines->plan;
    const struct request *q = &p->request;
    char tokens[32];

    if (!model_is_served(q->model))
        line_addf(lines, "load", "weights only: no tokens, no KV cache, no engine");
    else if (q->model->weights_only)
        line_addf(lines, "load", "prompts of up to %s tokens, no KV cache, %s %s",
                  units_tokens(tokens, sizeof(tokens), q->context), q->engine->name,
                  q->engine->range);
    else if (q->rate > 0)
        line_addf(lines, "load", "%.4g requests/s: up to %.0f at once x %s tokens, %s %s", q->rate,
                  q->users, units_tokens(tokens, sizeof(tokens), q->context), q->engine->name,
                  q->engine->range);
    else
        line_addf(lines, "load", "%.0f user%s x %s tokens, %s %s", q->users, plural(q->users),
                  units_tokens(tokens, sizeof(tokens), q->context), q->engine->name,
                  q->engine->range);
    if (lines->answer)
        trace_lines(lines, &lines->answer->resolved);
}

static void gpu_from_lines(struct lines *lines)
{
    const struct answer *a = lines->answer;

    if (!a)
        return;
    if (a->resolved.gpu_chosen)
        line_addf(lines, "GPU", "no GPU was named: this is %s",
                  a->solve == SOLVE_GPUS ? "the one that needs the fewest"
                                         : "the cheapest list price that fits");
    if (a->resolved.gpu_local)
        line_addf(lines, "GPU", "no GPU was named: this is the one in this machine");
}

/* ---- layout ---- */

static void layout_lines(struct lines *lines)
{
    const struct plan *p = lines->plan;
    char words[96];

    line_addf(lines, "layout", "%s, %d host%s", sentence_layout(&p->layout, words, sizeof(words)),
              p->layout.hosts, plural(p->layout.hosts));
}

static void runner_up_lines(struct lines *lines)
{
    const struct plan *p = lines->plan;
    const struct runner_up *r = &p->second;
    char words[96];

    if (r->layout.gpus == 0)
        return;
    struct answer_line *line =
        line_addf(lines, "runner-up", "%s", sentence_layout(&r->layout, words, sizeof(words)));
    if (r->per_hour > 0)
        gp_format(line->amount, sizeof(line->amount), "$%.2f", r->per_hour);
    sentence_lost(r, line->note);
}

/* ---- verdict ---- */

static void reason_lines(struct lines *lines)
{
    char text[SENTENCE_MAX];

    for (int i = 0; sentence_reason(lines->plan, i, text); i++)
        line_addf(lines, "reason", "%s", text);
}

static void startup_lines(struct lines *lines)
{
    struct startup startup = startup_check(lines->plan);

    if (startup.check)
        line_addf(lines, "start-up", "%s %s stop: %s", lines->plan->request.engine->name,
                  startup.certain ? "would" : "may", startup.text);
}

static void warning_lines(struct lines *lines)
{
    char text[SENTENCE_MAX];

    for (int i = 0; sentence_warning(lines->plan, i, text); i++)
        line_addf(lines, "warning", "%s", text);
}

/* ---- memory ---- */

static void stage_lines(struct lines *lines)
{
    const struct plan *p = lines->plan;

    if (p->has_memory && p->layout.pp > 1)
        line_addf(lines, "stage", "stage %d of %d, the one that binds", p->memory.stage + 1,
                  p->layout.pp);
}

static void pool_lines(struct lines *lines)
{
    const struct plan *p = lines->plan;
    const struct memory *m = &p->memory;
    const struct quantity shown = quantity_max0(m->kv_pool), *pool = &shown;
    char gib[32], holds[32], context[32];

    if (!p->has_memory || !m->max_concurrency.known || p->request.model->weights_only)
        return;
    struct answer_line *line = line_add(lines, "KV pool");
    if (pool->value <= 0) {
        gp_format(line->text, sizeof(line->text), "no room for KV in the budget: %s short",
                  units_gib(gib, sizeof(gib), -m->kv_pool.value));
        return;
    }
    gp_format(line->text, sizeof(line->text), "%s tokens, %.1f requests of %s tokens",
              units_tokens(holds, sizeof(holds), m->kv_cache_tokens.value),
              m->max_concurrency.value, units_tokens(context, sizeof(context), p->request.context));
    units_gib(line->amount, sizeof(line->amount), pool->value);
    if (pool->high - pool->low > 0.005 * GP_GIB)
        gp_format(line->note, sizeof(line->note), "%.2f..%.2f", pool->low / GP_GIB,
                  pool->high / GP_GIB);
}

/* The terms that follow from the log in one way, ", " between. */
static char *logged_terms(const struct plan *p, enum logged_how how, char *text, size_t size)
{
    const struct memory *m = &p->memory;

    text[0] = '\0';
    for (int t = 0; t < LOGGED_TERMS; t++)
        if (memory_logged(&p->request, &p->layout, m, (enum logged_term)t) == how)
            gp_append(text, size, ", ", "%s", logged_word((enum logged_term)t));
    if (how == LOGGED_SAME && m->kv_pool.origin == ORIGIN_MEASURED)
        gp_append(text, size, ", ", "KV pool");
    return text;
}

static void logged_lines(struct lines *lines)
{
    const struct plan *p = lines->plan;
    const struct resolved *r = lines->answer ? &lines->answer->resolved : NULL;
    char same[120], scaled[120];

    if (!r || !p->has_memory)
        return;
    if (r->logged[0]) {
        logged_terms(p, LOGGED_SAME, same, sizeof(same));
        logged_terms(p, LOGGED_SCALED, scaled, sizeof(scaled));
        line_addf(lines, "logged", "%s: %s%s%s%s%s", r->logged, same[0] ? "measured: " : "", same,
                  same[0] && scaled[0] ? "; " : "", scaled[0] ? "scaled by it: " : "",
                  same[0] || scaled[0] ? scaled : "nothing that another layout takes over");
    }
    if (r->unlogged[0])
        line_addf(lines, "not used", "%s", r->unlogged);
}

static void rule_lines(struct lines *lines)
{
    const struct plan *p = lines->plan;
    char counted[32];

    if (p->has_memory)
        line_addf(lines, "rule of thumb", "rule of thumb %.1f GB, weights counted %s",
                  p->memory.rule_of_thumb / 1e9,
                  units_gib(counted, sizeof(counted), p->memory.file_bytes));
}

/* ---- cost ---- */

static const char *or_undated(const char *date)
{
    return date[0] ? date : "undated";
}

static void add_rent(struct lines *lines, const char *name, const struct rent *r, bool wanted)
{
    char date[SENTENCE_DATE_MAX], age[64];

    if (!r->known)
        return;
    struct answer_line *line = line_add(lines, name);
    gp_copy(age, sizeof(age), or_undated(sentence_price_date(r->instance, date)));
    if (r->age_days >= 0 && r->instance->basis != DATE_READ)
        gp_format(age, sizeof(age), "%s, %ld days old%s", date, r->age_days,
                  r->age_days > COST_OLD_DAYS ? ": check it" : "");
    units_money(line->amount, sizeof(line->amount), r->per_hour);
    units_money(line->month, sizeof(line->month), r->per_month);
    gp_format(line->text, sizeof(line->text), "%d x %s %s, %d GPU%s (%s)", r->instances,
              r->instance->provider, r->instance->type, r->gpus_paid, plural(r->gpus_paid), age);
    sentence_rent_note(lines->plan, r, line->note);
    line->wanted = wanted;
}

static void add_buying(struct lines *lines, const struct cost *c)
{
    const struct buy *b = &c->buy;
    char capital[32], what[SENTENCE_MAX], date[SENTENCE_DATE_MAX], owned[64] = "";
    struct usage usage;

    if (!b->known)
        return;
    struct answer_line *line = line_add(lines, "buy");
    units_money(line->amount, sizeof(line->amount), b->per_hour.value);
    units_money(line->month, sizeof(line->month), b->per_month.value);
    gp_format(line->text, sizeof(line->text), "%s for %s (%s, %s), %.1f kW",
              sentence_purchase(b, what), units_money(capital, sizeof(capital), b->capital.value),
              or_undated(sentence_purchase_date(b, date)), origin_word(b->capital.origin),
              b->watts / 1000);
    line->wanted = c->want == WANT_BUY;
    usage_of(lines->plan, &usage);
    if (usage.owned > 0 && usage.owned <= 1)
        gp_format(owned, sizeof(owned), "; from %.0f %% of the hours in use buying is cheaper",
                  usage.owned * 100);
    if (b->break_even_hours > 0)
        line_addf(lines, "break-even", "after %.0f hours of renting (%.1f months)%s",
                  b->break_even_hours,
                  b->break_even_hours / (COST_HOURS_PER_MONTH * b->hours_share), owned);
    else if (cost_weighed(c)->known)
        line_addf(lines, "break-even", "not within %.0f years", b->own->years);
}

/* What the API asks for the same requests, and from which rate on the plan is cheaper. */
static void add_api(struct lines *lines)
{
    const struct request *q = &lines->plan->request;
    const struct speed *v = &lines->plan->speed;
    struct usage usage;

    usage_of(lines->plan, &usage);
    if (!usage.api.known)
        return;
    struct answer_line *line = line_add(lines, "API");
    units_money(line->amount, sizeof(line->amount), usage.api.value);
    units_money(line->month, sizeof(line->month), usage.api.value * COST_HOURS_PER_MONTH);
    if (usage.even.known)
        gp_format(line->text, sizeof(line->text),
                  "for the same %.3g requests/s; this plan is cheaper from %.3g on, %.3g "
                  "million tokens a day%s",
                  v->requests.value, usage.even.value,
                  usage.even.value * (q->prompt + q->output) * 86400 / 1e6,
                  usage.even.value > v->full.value ? ": more than it serves" : "");
}

static void cost_lines(struct lines *lines)
{
    const struct plan *p = lines->plan;
    const struct cost *c = &p->cost;
    char note[SENTENCE_MAX];

    if (!p->has_memory)
        return;
    add_rent(lines, "on demand", &c->on_demand, c->want == WANT_ON_DEMAND);
    add_rent(lines, "spot", &c->spot, c->want == WANT_SPOT);
    if (c->want == WANT_MARKET)
        add_rent(lines, "marketplace", &c->market, true);
    add_buying(lines, c);
    add_api(lines);
    if (c->note != COST_NOTE_NONE)
        line_addf(lines, "", "%s", sentence_cost_note(p, note));
    else if (!c->on_demand.known && !c->spot.known && !c->buy.known)
        line_addf(lines, "", "no price is known");
}

/* ---- speed ---- */

/* "22.8 ms", its band "17.0..32.5 ms" in the same unit. */
static struct answer_line *add_time(struct lines *lines, const char *name, struct quantity q)
{
    struct answer_line *line = line_add(lines, name);
    double unit = q.value < 1 ? 1e-3 : 1, value = q.value / unit;
    int decimals = value < 9.95 ? 2 : value < 99.5 ? 1 : 0;
    const char *word = unit < 1 ? "ms" : "s";

    gp_format(line->amount, sizeof(line->amount), "%.*f %s", decimals, value, word);
    gp_format(line->note, sizeof(line->note), "%.*f..%.*f %s", decimals, q.low / unit, decimals,
              q.high / unit, word);
    return line;
}

#define TIME_MAX 24

/* In the unit that add_time() says `like` in. */
static char *time_text(double s, double like, char text[TIME_MAX])
{
    bool ms = like < 1;

    gp_format(text, TIME_MAX, ms ? "%.0f ms" : "%.2f s", ms ? s * 1e3 : s);
    return text;
}

static struct answer_line *add_rate(struct lines *lines, const char *name, struct quantity q)
{
    struct answer_line *line = line_add(lines, name);
    int decimals = q.value < 9.95 ? 2 : q.value < 99.5 ? 1 : 0;

    gp_format(line->amount, sizeof(line->amount), "%.*f/s", decimals, q.value);
    if (q.low < q.high)
        gp_format(line->note, sizeof(line->note), "%.*f..%.*f", decimals, q.low, decimals, q.high);
    return line;
}

static void add_token_price(struct lines *lines)
{
    struct quantity price = plan_token_price(lines->plan);
    struct usage usage;

    if (!price.known)
        return;
    usage_of(lines->plan, &usage);
    struct answer_line *line = line_add(lines, "$ per million");
    gp_format(line->amount, sizeof(line->amount), "$%.2f", price.value);
    if (price.low < price.high)
        gp_format(line->note, sizeof(line->note), "%.2f..%.2f", price.low, price.high);
    gp_format(line->text, sizeof(line->text),
              "output tokens at this %s; $%.2f at full load; $%.2f with prompts counted too",
              lines->plan->request.rate > 0 ? "rate" : "load", usage.full.value, usage.all.value);
}

/* How much of what it could serve, and what the rest costs. */
static void add_utilisation(struct lines *lines)
{
    const struct speed *v = &lines->plan->speed;
    struct usage usage;
    char money[32];

    usage_of(lines->plan, &usage);
    struct answer_line *line = line_add(lines, "utilisation");
    gp_format(line->amount, sizeof(line->amount), "%.0f %%", usage.share.value * 100);
    gp_format(line->note, sizeof(line->note), "of %.3g requests/s", v->full.value);
    gp_format(line->text, sizeof(line->text), "at most, %.0f users at once", v->full_running);
    if (usage.idle.known && usage.idle.value >= 1) {
        size_t n = strlen(line->text);

        gp_format(line->text + n, sizeof(line->text) - n, "; what is idle costs %s a month",
                  units_money(money, sizeof(money), usage.idle.value));
    }
}

/* Joules of a token and watts of the plan; the watts at most where nothing else is known. */
static void add_energy(struct lines *lines)
{
    const struct power *p = &lines->plan->power;
    char watts[32], most[32], cap[64] = "";

    if (!p->known)
        return;
    struct answer_line *line = line_add(lines, "energy");
    units_watts(most, sizeof(most), p->sheet);
    if (p->cap > 0)
        gp_format(cap, sizeof(cap), "; the cap of %s holds %d GPUs",
                  units_watts(watts, sizeof(watts), p->cap), p->capped_gpus);
    if (!p->loaded) {
        gp_format(line->text, sizeof(line->text), "at most %s with hosts%s", most, cap);
        return;
    }
    int decimals = p->joules.value < 9.95 ? 2 : p->joules.value < 99.5 ? 1 : 0;
    gp_format(line->amount, sizeof(line->amount), "%.*f J", decimals, p->joules.value);
    gp_format(line->note, sizeof(line->note), "%.*f..%.*f J", decimals, p->joules.low, decimals,
              p->joules.high);
    gp_format(line->text, sizeof(line->text),
              "per output token; %s with hosts (%s at most), %.0f kWh a month%s",
              units_watts(watts, sizeof(watts), p->total.value), most, p->energy.value / GP_KWH,
              cap);
}

/* What others measured of this kind; TTFT where there is a row of it. */
static void add_hits(struct lines *lines)
{
    const struct plan *p = lines->plan;
    char text[SENTENCE_MAX];

    line_addf(lines, "checked by", "%s", sentence_speed_hit(p, p->speed.hit, text));
    if (p->speed.hit_first)
        line_addf(lines, "and by", "%s", sentence_speed_hit(p, p->speed.hit_first, text));
}

static void add_parts(struct lines *lines)
{
    const struct speed *v = &lines->plan->speed;
    const struct step_parts *p = &v->part;
    struct answer_line *line =
        line_addf(lines, "a step", "products %.1f ms", (p->linear + p->head) * 1e3);
    const struct {
        const char *name;
        double seconds;
    } parts[] = {
        {"experts", p->experts}, {"KV cache", p->attention}, {"all-reduces", p->communication},
        {"launches", p->fixed},  {"drafts", p->draft},       {"prompts", v->prompts}};

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        size_t n = strlen(line->text);

        if (parts[i].seconds >= 0.00005)
            gp_format(line->text + n, sizeof(line->text) - n, ", %s %.1f", parts[i].name,
                      parts[i].seconds * 1e3);
    }
}

/* What measured points made of the law. */
static void add_correction(struct lines *lines)
{
    const struct request *q = &lines->plan->request;
    const struct correction *c = &q->correction;

    if (!request_corrected(q))
        return;
    line_addf(lines, "measured",
              "%d point%s, taken as of TP %d x PP %d: launches x%.2f, work x%.2f, prompts "
              "x%.2f, TTFT x%.2f of the estimate",
              c->points, c->points == 1 ? "" : "s", c->tp, c->pp, c->by[CORRECT_FIXED],
              c->by[CORRECT_WORK], c->by[CORRECT_PROMPTS], c->first);
}

/* What of the device itself was measured, and what is not used of it. */
static void add_calibration(struct lines *lines)
{
    const struct resolved *r = lines->answer ? &lines->answer->resolved : NULL;

    if (r && r->calibrated[0])
        line_addf(lines, "calibrated", "%s", r->calibrated);
    if (r && r->uncalibrated[0])
        line_addf(lines, "not used", "%s", r->uncalibrated);
}

static bool meets_goals(const struct request *q, const struct speed *v)
{
    return (q->ttft <= 0 || v->ttft.value <= q->ttft) &&
           (q->tpot <= 0 || v->tpot.value <= q->tpot) && q->rate <= v->capacity;
}

/* The same replicas, each with its own prompts. */
static void add_together(struct lines *lines)
{
    const struct plan *p = lines->plan;
    const struct request *q = &p->request;
    const struct speed *v = &p->speed, *t = &p->together;
    char first[TIME_MAX];
    bool goals = q->ttft > 0 || q->tpot > 0 || q->rate > 0;
    bool apart = meets_goals(q, v), both = meets_goals(q, t);

    if (p->layout.prefill <= 0 || t->gap != SPEED_KNOWN)
        return;
    line_addf(lines, "together",
              "TPOT %.1f ms, TTFT %s, at most %.3g requests/s where each replica does both%s",
              t->tpot.value * 1e3, time_text(t->ttft.value, t->ttft.value, first), t->capacity,
              !goals ? ""
              : apart == both
                  ? apart ? ": that meets the goals, too" : ": that misses the goals, too"
              : apart ? ": that misses the goals"
                      : ": that meets the goals");
}

/* All in the unit of the first. */
static void add_first(struct lines *lines, const struct speed *v)
{
    struct answer_line *line = add_time(lines, "TTFT", v->ttft);
    char idle[TIME_MAX], half[TIME_MAX], most[TIME_MAX];

    time_text(v->solo.value, v->ttft.value, idle);
    gp_format(line->text, sizeof(line->text), "%s on an idle engine", idle);
    if (v->late > 0)
        gp_format(line->text, sizeof(line->text),
                  "%s on an idle engine; %s for half, %s for 95 of 100", idle,
                  time_text(v->middle, v->ttft.value, half),
                  time_text(v->late, v->ttft.value, most));
}

static void add_stall(struct lines *lines, const struct speed *v)
{
    char often[16];

    if (!v->stall.known)
        return;
    gp_format(often, sizeof(often), v->stall_share < 0.0995 ? "%.2g" : "%.0f",
              v->stall_share * 100);
    gp_format(add_time(lines, "stall", v->stall)->text, sizeof(lines->line->text),
              "between two tokens, when the step also computes a prompt: %s %% of steps%s; band "
              "assumed",
              often, v->stall_share > 0.01 ? ", so this is the p99" : "");
}

static void speed_lines(struct lines *lines)
{
    const struct plan *p = lines->plan;
    const struct speed *v = &p->speed;
    char words[SENTENCE_MAX], narrower[SENTENCE_MAX];

    if (v->gap == SPEED_NO_LAYOUT)
        return;
    if (v->gap != SPEED_KNOWN) {
        line_addf(lines, "", "no estimate: %s", sentence_speed_gap(p, words));
        return;
    }
    gp_format(add_time(lines, "TPOT", v->tpot)->text, sizeof(lines->line->text),
              "%.0f tokens/s for a user", 1 / v->tpot.value);
    add_first(lines, v);
    struct answer_line *line = add_rate(lines, "output tokens", v->tokens);
    gp_format(line->text, sizeof(line->text), "%.2g requests/s", v->requests.value);
    if (p->request.rate > 0) {
        size_t n = strlen(line->text);

        gp_format(line->text + n, sizeof(line->text) - n, ", %.0f %s in the mean", v->running,
                  v->transfer > 0 ? "decode" : "in flight");
    } else if (v->running < v->users && v->transfer <= 0) {
        size_t n = strlen(line->text);

        gp_format(line->text + n, sizeof(line->text) - n,
                  "; %.0f of %.0f users at once "
                  "(%s), the others queue",
                  v->running, v->users, sentence_saturation(v->saturation));
    }
    if (p->request.rate > 0)
        line_addf(lines, "saturates", "at %.3g requests/s: %s", v->capacity,
                  sentence_saturation(v->saturation));
    if (v->transfer > 0)
        line_addf(lines, "KV transfer", "%.3g ms a prompt, from prefill to decode",
                  v->transfer * 1e3);
    add_together(lines);
    add_token_price(lines);
    add_utilisation(lines);
    add_energy(lines);
    add_stall(lines, v);
    add_parts(lines);
    if (p->request.draft && p->request.acceptance <= 0)
        line_addf(lines, "drafts", "not counted: say how many are accepted, --acceptance 0.7");
    add_calibration(lines);
    add_correction(lines);
    line_addf(lines, "bound by", "%s", sentence_speed_bound(v->bound));
    line = line_add(lines, "band");
    sentence_speed_doubts(p, line->text, sizeof(line->text));
    if (*sentence_speed_narrower(p, narrower))
        line_addf(lines, "narrower by", "%s", narrower);
    add_hits(lines);
}

/* ---- fixes ---- */

static void fix_cost(const struct fix *f, char *text, size_t size)
{
    if (f->cost_known && fabs(f->cost_delta) < 0.005)
        gp_copy(text, size, "same cost");
    else if (f->cost_known)
        gp_format(text, size, "%+.2f $/h", f->cost_delta);
    else if (f->per_hour > 0)
        gp_format(text, size, "%.2f $/h", f->per_hour);
    else
        gp_copy(text, size, "cost unknown");
}

/* What a fix gains: speed where that was missed, else memory. */
static const char *fix_gain(const struct plan *p, const struct fix *f, char *text, size_t size)
{
    /* a plan that was refused for its types has no room to compare with */
    bool room = p->has_memory && p->limit != LIMIT_TYPE;

    text[0] = '\0';
    if ((p->verdict == VERDICT_SLOW || f->kind == FIX_AT_ONCE) && f->tpot > 0)
        gp_format(text, size,
                  f->ttft < 1 ? ", TPOT %.1f ms, TTFT %.0f ms" : ", TPOT %.1f ms, TTFT %.1f s",
                  f->tpot * 1e3, f->ttft < 1 ? f->ttft * 1e3 : f->ttft);
    else if (room)
        gp_format(text, size, ", %+.2f GiB per GPU", f->gain / GP_GIB);
    return text;
}

static void fix_lines(struct lines *lines)
{
    const struct answer *a = lines->answer;

    for (int i = 0; a && i < a->fix_count; i++) {
        const struct fix *f = &a->fixes[i];
        struct answer_line *line = line_add(lines, "");
        char gain[48], what[SENTENCE_MAX];

        line->name = planner_fix_options(f, line->option);
        if (f->better != BETTER_NONE) {
            gp_copy(line->amount, sizeof(line->amount), better_word(f->better));
            sentence_better(lines->plan, f, line->text, sizeof(line->text));
            continue;
        }
        fix_gain(lines->plan, f, gain, sizeof(gain));
        gp_format(line->text, sizeof(line->text), "%s%s%s%s", sentence_fix(f, what),
                  f->verdict == VERDICT_MARGINAL ? " (marginal)" : "", gain,
                  f->spans ? ", over several machines" : "");
        fix_cost(f, line->amount, sizeof(line->amount));
    }
}

/* ---- sources ---- */

/* The source and the date of the price that was asked for. */
static const char *price_source(const struct cost *c, char date[SENTENCE_DATE_MAX])
{
    const struct rent *rent = cost_wanted(c);
    bool rented = rent && rent->known, bought = !rent && c->buy.known;

    date[0] = '\0';
    if (bought)
        sentence_purchase_date(&c->buy, date);
    if (rented)
        sentence_price_date(rent->instance, date);
    return rented ? rent->instance->source : bought ? c->buy.source : "";
}

static void source_lines(struct lines *lines)
{
    const struct plan *p = lines->plan;
    const struct request *q = &p->request;
    char date[SENTENCE_DATE_MAX];
    const char *price = price_source(&p->cost, date);

    line_addf(lines, "model", "%s", q->model->source);
    line_addf(lines, "gpu", "confidence %s: %s",
              q->gpu->confidence[0] ? q->gpu->confidence : "unknown", q->gpu->source);
    line_addf(lines, "engine", "%s (%s)", q->engine->source, q->engine->date);
    line_addf(lines, "format", "%s", q->precision.weight->source);
    if (price[0])
        line_addf(lines, "price", "%s", price);
}

static void date_lines(struct lines *lines)
{
    const struct request *q = &lines->plan->request;
    char date[SENTENCE_DATE_MAX];
    const char *price = price_source(&lines->plan->cost, date);

    line_addf(lines, "sources", "model %s, GPU confidence %s, engine %s%s%s%s%s",
              or_undated(q->model->date), q->gpu->confidence[0] ? q->gpu->confidence : "unknown",
              or_undated(q->engine->date), q->engine->checked[0] ? " up to " : "",
              q->engine->checked, price[0] ? ", price " : "", price[0] ? or_undated(date) : "");
}

/* ---- all kinds ---- */

int answer_lines(const struct plan *plan, const struct answer *answer, enum line_kind kind,
                 struct answer_line out[ANSWER_LINES_MAX])
{
    static void (*const make[LINE_KIND_COUNT])(struct lines *) = {
        [LINE_MODEL] = model_lines,
        [LINE_LOAD] = load_lines,
        [LINE_GPU_FROM] = gpu_from_lines,
        [LINE_LAYOUT] = layout_lines,
        [LINE_RUNNER_UP] = runner_up_lines,
        [LINE_REASON] = reason_lines,
        [LINE_STARTUP] = startup_lines,
        [LINE_WARNING] = warning_lines,
        [LINE_STAGE] = stage_lines,
        [LINE_POOL] = pool_lines,
        [LINE_RULE] = rule_lines,
        [LINE_LOGGED] = logged_lines,
        [LINE_SPEED] = speed_lines,
        [LINE_COST] = cost_lines,
        [LINE_FIX] = fix_lines,
        [LINE_SOURCE] = source_lines,
        [LINE_DATES] = date_lines,
    };
    struct lines lines = {.plan = plan, .answer = answer, .line = out};

    make[kind](&lines);
    return lines.count;
}
