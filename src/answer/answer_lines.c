/*
 * answer_lines.c - see answer_lines.h.
 */
#include "answer/answer_lines.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "answer/figures.h"
#include "answer/sentence.h"
#include "answer/startup.h"
#include "base/path.h"
#include "base/units.h"
#include "plan/better.h"
#include "plan/draft.h"
#include "plan/usage.h"

static struct answer_line *line_add(struct answer_lines *lines, const char *name)
{
    bool full = lines->count == ANSWER_LINES_MAX;
    struct answer_line *line = &lines->list[full ? lines->count - 1 : lines->count++];

    *line = (struct answer_line){name, "", "", "", "", "", false};
    return line;
}

static struct answer_line *line_addf(struct answer_lines *lines, const char *name, const char *fmt,
                                     ...) __attribute__((format(printf, 3, 4)));

static struct answer_line *line_addf(struct answer_lines *lines, const char *name, const char *fmt,
                                     ...)
{
    struct answer_line *line = line_add(lines, name);
    va_list args;

    va_start(args, fmt);
    line->text = texts_addv(&lines->texts, fmt, args);
    va_end(args);
    return line;
}

static const char *plural_s(double count)
{
    return count == 1 ? "" : "s";
}

/* Nobody said how many users there are: one was planned with, whose price says little. */
static bool load_is_default(const struct answer_lines *lines)
{
    return lines->answer && lines->answer->resolved.load_default;
}

/* ---- the request ---- */

static void read_lines(struct answer_lines *lines)
{
    const struct resolved *r = lines->answer ? &lines->answer->resolved : NULL;

    if (r && r->model_read[0])
        line_addf(lines, "read", "%s", r->model_read);
    if (r && r->release[0])
        line_addf(lines, "read", "%s", r->release);
    if (r && r->gpu_read[0])
        line_addf(lines, "read", "%s", r->gpu_read);
}

static void model_lines(struct answer_lines *lines)
{
    const struct answer *a = lines->answer;
    const struct request *q = &lines->plan->request;
    bool serves = !q->model->weights_only;

    line_addf(lines, "model", "%s (%s parameters%s), %s weights%s%s%s%s", q->model->name,
              UNITS_PARAMS(model_params(q->model)),
              q->model->assumed && q->model->bytes.known
                  ? ", unknown architecture: KV cache and activation assumed"
              : a && a->resolved.generic ? ", a dense shape assumed"
                                         : "",
              q->precision.id, q->precision.native ? " as published" : "", serves ? ", " : "",
              serves ? q->kv->id : "", serves ? " KV cache" : "");
    read_lines(lines);
}

static void load_lines(struct answer_lines *lines)
{
    const struct request *q = &lines->plan->request;
    const struct resolved *r = lines->answer ? &lines->answer->resolved : NULL;
    const char *tokens = UNITS_TOKENS(q->context);

    if (!model_is_served(q->model))
        line_addf(lines, "load", "weights only: no tokens, no KV cache, no engine");
    else if (q->model->weights_only)
        line_addf(lines, "load", "prompts of up to %s tokens, no KV cache, %s %s", tokens,
                  q->engine->name, q->engine->range);
    else
        line_addf(lines, "load", "%s, %s %s", sentence_load(q, &lines->texts), q->engine->name,
                  q->engine->range);
    if (!r || !r->trace[0])
        return;
    if (r->trace_rate > 0)
        line_addf(lines, "trace", "%s: %s requests, %.3g/s on average, %.3g in the busiest minute",
                  path_name(r->trace), UNITS_TOKENS(r->trace_requests), r->trace_rate,
                  r->trace_busiest);
    else
        line_addf(lines, "trace", "%s: %s requests", path_name(r->trace),
                  UNITS_TOKENS(r->trace_requests));
}

static void gpu_from_lines(struct answer_lines *lines)
{
    const struct answer *a = lines->answer;

    if (a && a->resolved.gpu_chosen)
        line_addf(lines, "GPU", "no GPU was named: this is %s",
                  a->solve == SOLVE_GPUS ? "the one that needs the fewest"
                                         : "the cheapest list price that fits");
    if (a && a->resolved.gpu_local)
        line_addf(lines, "GPU", "no GPU was named: this is the one in this machine");
}

/* ---- layout, verdict ---- */

static void layout_lines(struct answer_lines *lines)
{
    const struct layout *l = &lines->plan->layout;

    const char *turned = sentence_turned(lines->plan, &lines->texts);

    line_addf(lines, "layout", "%s, %d host%s%s%s", sentence_layout(l, &lines->texts), l->hosts,
              plural_s(l->hosts), turned[0] ? ", " : "", turned);
}

/* "24 GPUs, $10.56/h"; "" = there is no such count. */
static const char *count_beside(const struct runner_up *r, struct texts *t)
{
    if (r->layout.gpus == 0)
        return "";
    return texts_addf(t, "%d GPU%s%s%s%s", r->layout.gpus, plural_s(r->layout.gpus),
                      r->per_hour > 0 ? ", " : "", r->per_hour > 0 ? UNITS_MONEY(r->per_hour) : "",
                      r->per_hour > 0 ? "/h" : "");
}

/* The same beside a plan of as many: the layout is what differs. */
static const char *other_beside(const struct runner_up *r, const struct plan *p, struct texts *t)
{
    return r->layout.gpus == p->layout.gpus ? sentence_layout(&r->layout, t) : count_beside(r, t);
}

/* "2 GPUs, $6.98/h": what the other --reserve takes. */
static const char *reserved_otherwise(const struct answer *a, struct texts *t)
{
    const struct runner_up *r = &a->reserved_otherwise;

    if (a->otherwise == OTHERWISE_SAME)
        return "the same GPUs";
    if (a->otherwise == OTHERWISE_LACKS)
        return "more than any layout of this GPU holds";
    return count_beside(r, t);
}

static void holds_lines(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct request *q = &p->request;
    const struct answer *a = lines->answer;
    struct quantity load = plan_holds(p, &p->memory.holds_load);
    struct quantity full = plan_holds(p, &p->memory.max_concurrency);
    bool all = q->reserve == RESERVE_FULL, other = a && a->otherwise != OTHERWISE_NONE;
    const char *rest;

    if (!p->has_memory || !load.known || !full.known || q->model->weights_only ||
        (p->verdict == VERDICT_DOES_NOT_FIT && !other) || q->engine->whole_slots ||
        p->memory.described.reserved >= p->memory.sequence.reserved)
        return;
    rest = !other ? ""
           : all  ? texts_addf(&lines->texts, "; for the load: %s (--reserve load)",
                               reserved_otherwise(a, &lines->texts))
                  : texts_addf(&lines->texts, "; all %s at full length: %s (--reserve full)",
                               UNITS_TOKENS(q->users), reserved_otherwise(a, &lines->texts));
    if (all)
        line_addf(lines, "holds", "holds %s such request%s, %s of %s tokens%s",
                  UNITS_TOKENS(full.value), plural_s(full.value), UNITS_TOKENS(load.value),
                  UNITS_TOKENS(memory_described_tokens(q)), rest);
    else
        line_addf(lines, "holds", "holds %s such request%s, %s of full length%s",
                  UNITS_TOKENS(load.value), plural_s(load.value), UNITS_TOKENS(full.value), rest);
}

/* "63..514 ms" of a percentile; "184 ms..overload" where the far end of the step times no longer
 * serves the rate. */
static const char *late_band(const struct quantity *q, struct texts *t)
{
    const struct quantity low = quantity_of(q->low, q->origin);

    return q->high < 30 * q->value ? figure_band(AS_TIME, *q, t)
                                   : texts_addf(t, "%s..overload", figure_amount(AS_TIME, low, t));
}

/* "TTFT likely within 200 ms (56..987 ms)" of each goal, and what is bought for other odds. */
static void goals_lines(struct answer_lines *lines)
{
    static const struct {
        const char *words, *band;
        double scale;
    } rows[SPEED_GOALS] = {{"TTFT %s within %s ms", "%s..%s ms", 1e3},
                           {"TPOT %s within %s ms", "%s..%s ms", 1e3},
                           {"%s at least %s tokens/s", "%s..%s", 1},
                           {"%s at least %s requests/s served", "%s..%s", 1},
#define X(NAME, measure, point, key, label) {label " %s within %s ms", NULL, 1e3},
                           LATES(X)
#undef X
    };
    static const char *const odds[] = {[GOAL_MET] = "surely",
                                       [GOAL_LIKELY] = "likely",
                                       [GOAL_UNLIKELY] = "likely not",
                                       [GOAL_MISSED] = "not"};
    const struct plan *p = lines->plan;
    const struct goals_beside *g = lines->answer ? &lines->answer->goals : NULL;
    struct texts *t = &lines->texts;
    struct goal goals[SPEED_GOALS];
    const char *text = "", *sure;

    if (!g || g->state == GOAL_NOT_ASKED)
        return;
    goals_of(&p->request, &p->speed, goals);
    for (int i = 0; i < SPEED_GOALS; i++) {
        const struct quantity *e = &goals[i].estimate;
        double by = rows[i].scale;

        if (goals[i].state == GOAL_NOT_ASKED ||
            (i == SPEED_GOAL_RATE && goals[SPEED_GOAL_THROUGHPUT].state == goals[i].state))
            continue;
        text = texts_addf(
            t, "%s%s%s (%s)", text, text[0] ? ", " : "",
            texts_addf(t, rows[i].words, odds[goals[i].state], UNITS_PLAIN(goals[i].asked * by, 4)),
            rows[i].band ? texts_addf(t, rows[i].band, UNITS_PLAIN(e->low * by, 3),
                                      UNITS_PLAIN(e->high * by, 3))
                         : late_band(e, t));
    }
    line_addf(lines, "goals", "goals: %s", text);
    if (g->likely.layout.gpus > 0 && (g->state > GOAL_LIKELY || p->request.goals == GOALS_SURE))
        line_addf(lines, "likely", "likely reached with %s, %s", count_beside(&g->likely, t),
                  sentence_layout(&g->likely.layout, t));
    sure = count_beside(&g->sure, t);
    if (g->state != GOAL_MET)
        line_addf(lines, "sure", "surely reached%s%s%s%s (--goals sure)",
                  sure[0] ? " with " : " by no count of these GPUs", sure, sure[0] ? ", " : "",
                  sure[0] ? sentence_layout(&g->sure.layout, t) : "");
    if (g->near.layout.gpus > 0)
        line_addf(lines, "near", "%.0f %% short of the %s with %s, %s", fmax(g->near.more * 100, 1),
                  limit_words[g->near.limit].noun, count_beside(&g->near, t),
                  sentence_layout(&g->near.layout, t));
}

static void runner_up_lines(struct answer_lines *lines)
{
    const struct runner_up *r = &lines->plan->second;
    struct answer_line *line;

    if (r->layout.gpus == 0)
        return;
    line = line_add(lines, "runner-up");
    line->text = sentence_layout(&r->layout, &lines->texts);
    line->note = sentence_worse_by(r, &lines->texts);
    if (r->per_hour > 0)
        line->amount = texts_add(&lines->texts, UNITS_MONEY(r->per_hour));
}

static void reason_lines(struct answer_lines *lines)
{
    const char *text;

    for (int i = 0; (text = sentence_reason(lines->plan, i, &lines->texts)); i++)
        line_add(lines, "reason")->text = text;
}

static void startup_lines(struct answer_lines *lines)
{
    struct startup startup = startup_check(lines->plan);

    if (startup.check)
        line_addf(lines, "start-up", "%s %s stop: %s", lines->plan->request.engine->name,
                  startup.certain ? "would" : "may",
                  startup_message(lines->plan, &startup, &lines->texts));
}

static void warning_lines(struct answer_lines *lines)
{
    const char *text;

    for (int i = 0; (text = sentence_warning(lines->plan, i, &lines->texts)); i++)
        line_add(lines, "warning")->text = text;
}

/* ---- memory ---- */

/* What each of unlike GPUs holds. */
static void mix_lines(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct gpu_mix *mix = p->request.gpu->mix;
    struct load load = load_sum(&p->request);
    struct memory m;

    for (int i = 0; i < mix->count && mix->count == p->layout.pp; i++) {
        int first = layout_stage_begin(&p->request, p->layout.pp, i);

        plan_stage(p, &load, i, &m);
        line_addf(lines, "stage", "%s: %d layers, weights %.2f, KV %.2f, free %.2f GiB",
                  mix->at[i]->id, layout_stage_begin(&p->request, p->layout.pp, i + 1) - first,
                  m.weights.value / GP_GIB, m.kv_reserved.value / GP_GIB, m.free.value / GP_GIB);
    }
}

static void stage_lines(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;

    if (p->has_memory && p->layout.pp > 1)
        line_addf(lines, "stage", "pipeline stage %d of %d, the fullest", p->memory.stage + 1,
                  p->layout.pp);
    if (p->has_memory && p->request.gpu->mix)
        mix_lines(lines);
}

static void pool_lines(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct memory *m = &p->memory;
    struct quantity pool = quantity_max0(m->kv_pool);
    struct answer_line *line;

    if (!p->has_memory || !m->max_concurrency.known || p->request.model->weights_only)
        return;
    if (pool.value <= 0) {
        line_addf(lines, "KV pool", "no room for KV in the budget: %s short",
                  UNITS_GIB(-m->kv_pool.value));
        return;
    }
    line = line_addf(lines, "KV pool", "%s tokens, %.1f requests of %s tokens",
                     UNITS_TOKENS(m->kv_cache_tokens.value), m->max_concurrency.value,
                     UNITS_TOKENS(p->request.context));
    line->amount = figure_amount(AS_GIB, pool, &lines->texts);
    line->note = figure_band(AS_GIB, pool, &lines->texts);
}

/* The terms that follow from the log in one way, ", " between. */
static const char *logged_terms(const struct plan *p, enum logged_how how, struct texts *t)
{
    const struct memory *m = &p->memory;
    const char *text = "";

    for (int i = 0; i < LOGGED_TERMS; i++)
        if (memory_logged(&p->request, &p->layout, m, (enum logged_term)i) == how)
            text = texts_addf(t, "%s%s%s", text, text[0] ? ", " : "",
                              logged_word((enum logged_term)i));
    if (how == LOGGED_SAME && m->kv_pool.origin == ORIGIN_MEASURED)
        text = texts_addf(t, "%s%sKV pool", text, text[0] ? ", " : "");
    return text;
}

static void logged_lines(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct resolved *r = lines->answer ? &lines->answer->resolved : NULL;

    if (!r || !p->has_memory)
        return;
    if (r->logged[0]) {
        const char *same = logged_terms(p, LOGGED_SAME, &lines->texts);
        const char *scaled = logged_terms(p, LOGGED_SCALED, &lines->texts);

        line_addf(lines, "logged", "%s: %s%s%s%s%s", r->logged, same[0] ? "measured: " : "", same,
                  same[0] && scaled[0] ? "; " : "", scaled[0] ? "scaled by it: " : "",
                  same[0] || scaled[0] ? scaled : "nothing that another layout takes over");
    }
    if (r->unlogged[0])
        line_addf(lines, "not used", "%s", r->unlogged);
}

static void rule_lines(struct answer_lines *lines)
{
    const struct memory *m = &lines->plan->memory;

    if (lines->plan->has_memory)
        line_addf(lines, "rule of thumb", "rule of thumb %.1f GB, weights counted %s",
                  m->rule_of_thumb / 1e9, UNITS_GIB(m->file_bytes));
}

/* ---- cost ---- */

static const char *or_undated(const char *date)
{
    return date[0] ? date : "undated";
}

void rent_words(const struct plan *p, const struct rent *r, struct texts *t, struct rent_words *out)
{
    const struct instance *in = r->instance;

    out->hour = texts_add(t, UNITS_MONEY(r->per_hour));
    out->month = texts_add(t, UNITS_MONEY(r->per_month));
    out->offer = texts_addf(t, "%d x %s %s", r->instances, in->provider, in->type);
    out->date = or_undated(sentence_price_date(in, t));
    out->note = sentence_rent_note(p, r, t);
}

static void rent_line(struct answer_lines *lines, const char *name, const struct rent *r,
                      bool wanted)
{
    struct rent_words words;
    struct answer_line *line;
    bool aged = r->known && r->age_days >= 0 && r->instance->basis != DATE_READ;

    if (!r->known)
        return;
    rent_words(lines->plan, r, &lines->texts, &words);
    if (aged)
        words.date = texts_addf(&lines->texts, "%s, %ld days old%s", words.date, r->age_days,
                                r->age_days > COST_OLD_DAYS ? ": check it" : "");
    else if (r->ahead)
        words.date = texts_addf(&lines->texts, "%s, dated ahead of this clock", words.date);
    line = line_addf(lines, name, "%s, %d GPU%s (%s)", words.offer, r->gpus_paid,
                     plural_s(r->gpus_paid), words.date);
    line->amount = words.hour;
    line->month = words.month;
    line->note = words.note;
    line->wanted = wanted;
}

static void buying_lines(struct answer_lines *lines, const struct usage *usage)
{
    const struct cost *c = &lines->plan->cost;
    const struct buy *b = &c->buy;
    struct texts *t = &lines->texts;
    struct answer_line *line;

    if (!b->known)
        return;
    line = line_addf(lines, "buy", "%s for %s (%s, %s), %.1f kW", sentence_purchase(b, t),
                     UNITS_MONEY(b->capital.value), or_undated(sentence_purchase_date(b, t)),
                     origin_word(b->capital.origin), b->watts / 1000);
    line->amount = texts_add(t, UNITS_MONEY(b->per_hour.value));
    line->month = texts_add(t, UNITS_MONEY(b->per_month.value));
    line->wanted = c->want == WANT_BUY;
    if (b->break_even_hours > 0) {
        line = line_addf(lines, "break-even", "after %.0f hours of renting (%.1f months)",
                         b->break_even_hours,
                         b->break_even_hours / (COST_HOURS_PER_MONTH * b->hours_share));
        if (usage->owned > 0 && usage->owned <= 1)
            line->text = texts_addf(t, "%s; from %.0f %% of the hours in use buying is cheaper",
                                    line->text, usage->owned * 100);
    } else if (cost_weighed(c)->known) {
        line_addf(lines, "break-even", "not within %.0f years", b->own->years);
    }
}

/* What the API asks for the same requests, and from which rate on the plan is cheaper. */
static void api_line(struct answer_lines *lines, const struct usage *usage)
{
    const struct request *q = &lines->plan->request;
    const struct speed *v = &lines->plan->speed;
    struct answer_line *line;

    if (!usage->api.known)
        return;
    line = line_add(lines, "API");
    line->amount = texts_add(&lines->texts, UNITS_MONEY(usage->api.value));
    line->month = texts_add(&lines->texts, UNITS_MONEY(usage->api.value * COST_HOURS_PER_MONTH));
    if (usage->even.known)
        line->text = texts_addf(
            &lines->texts,
            "for the same %.3g requests/s; this plan is cheaper from %.3g on, %.3g million tokens "
            "a day%s",
            v->requests.value, usage->even.value,
            usage->even.value * (q->prompt + q->output) * 86400 / 1e6,
            usage->even.value > v->full.value ? ": more than it serves" : "");
}

static void cost_lines(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct cost *c = &p->cost;
    struct usage usage;

    if (!p->has_memory)
        return;
    usage_of(p, &usage);
    rent_line(lines, "on demand", &c->on_demand, c->want == WANT_ON_DEMAND);
    rent_line(lines, "spot", &c->spot, c->want == WANT_SPOT);
    if (cost_says_market(c))
        rent_line(lines, "marketplace", &c->market, true);
    buying_lines(lines, &usage);
    api_line(lines, &usage);
    if (c->note != COST_NOTE_NONE)
        line_add(lines, "")->text = sentence_cost_note(p, &lines->texts);
    else if (!c->on_demand.known && !c->spot.known && !c->buy.known)
        line_add(lines, "")->text = "no price is known";
}

/* ---- speed ---- */

static struct answer_line *figure_line(struct answer_lines *lines, const char *name,
                                       enum figure_style style, struct quantity value)
{
    struct answer_line *line = line_add(lines, name);

    line->amount = figure_amount(style, value, &lines->texts);
    line->note = figure_band(style, value, &lines->texts);
    return line;
}

/* Whole ms, or s, as the figure that it is beside is written. */
static const char *time_beside(double s, double figure, struct texts *t)
{
    return figure < 1 ? texts_addf(t, "%.0f ms", s * 1e3) : texts_addf(t, "%.2f s", s);
}

/* ... of a single request, with its band. */
static const char *idle_words(const struct quantity *solo, double figure, struct texts *t)
{
    return texts_addf(
        t, figure < 1 ? "%s (%.0f..%.0f) on an idle engine" : "%s (%.2f..%.2f) on an idle engine",
        time_beside(solo->value, figure, t), solo->low * (figure < 1 ? 1e3 : 1),
        solo->high * (figure < 1 ? 1e3 : 1));
}

/* "TTFT p99  131 ms  63..514 ms  p50 73.8 ms (45.0..190), p95 114 ms (60.1..402)" of each measure
 * of a replay. */
static void late_lines(struct answer_lines *lines)
{
    const struct speed *v = &lines->plan->speed;
    struct texts *t = &lines->texts;

    for (int i = LATE_POINTS - 1; i < LATE_COUNT; i += LATE_POINTS) {
        const struct quantity *q = &v->percentile[i];
        bool pooling = lines->plan->request.model->pooling;
        struct answer_line *line =
            figure_line(lines, pooling ? "a prompt p99" : late_label((enum late)i), AS_TIME, *q);

        /* answers of one token have no TPOT, and a vector comes with its first */
        if (!q->known || (pooling && i != LATE_TTFT_P99)) {
            lines->count--;
            continue;
        }
        line->note = late_band(q, t);
        line->text = texts_addf(t, "p50 %s (%s), p95 %s (%s)", figure_amount(AS_TIME, q[-2], t),
                                late_band(&q[-2], t), figure_amount(AS_TIME, q[-1], t),
                                late_band(&q[-1], t));
        if (i == LATE_TTFT_P99)
            line->text = texts_addf(t, "%s; %s", line->text, idle_words(&v->solo, q->value, t));
    }
}

/* TPOT, TTFT and tokens/s: the first three. */
static void pace_lines(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct speed *v = &p->speed;
    struct texts *t = &lines->texts;
    bool pooling = p->request.model->pooling;
    struct answer_line *line;
    double first = v->ttft.value;

    if (!pooling) {
        line = figure_line(lines, "TPOT", AS_TIME, v->tpot);
        line->text = texts_addf(t, "%.0f tokens/s for a user", 1 / v->tpot.value);
    }
    if (v->percentile[0].known) {
        late_lines(lines);
    } else {
        line = figure_line(lines, pooling ? "a prompt" : "TTFT", AS_TIME, v->ttft);
        line->text = idle_words(&v->solo, first, t);
        if (v->late > 0)
            line->text =
                texts_addf(t, "%s; %s for half, %s for 95 of 100", line->text,
                           time_beside(v->middle, first, t), time_beside(v->late, first, t));
    }
    if (v->burst.known) {
        line = figure_line(lines, "  all at once", AS_TIME, v->burst);
        line->text = texts_addf(t, "when all arrive together: the mean, %s the last",
                                time_beside(v->burst_last.value, v->burst.value, t));
    }
    line = figure_line(lines, pooling ? "prompts" : "output tokens", AS_RATE, v->tokens);
    line->text = pooling ? texts_addf(t, "%s tokens/s",
                                      UNITS_TOKENS(round(v->requests.value * p->request.prompt)))
                         : texts_addf(t, "%.2g requests/s", v->requests.value);
    if (p->request.rate > 0)
        line->text = texts_addf(t, "%s, %.0f %s on average", line->text, v->running,
                                v->transfer > 0 ? "decode" : "in flight");
    else if (v->running < v->users && v->transfer <= 0)
        line->text =
            texts_addf(t, "%s; %.0f of %.0f users at once (%s), the others queue", line->text,
                       v->running, v->users, sentence_saturation(v->saturation));
}

/* The same replicas, each with its own prompts. */
static void together_line(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct request *q = &p->request;
    const struct speed *t = &p->unsplit_speed;
    struct goal list[SPEED_GOALS];

    if (p->layout.prefill <= 0 || t->gap != SPEED_KNOWN)
        return;
    enum goal_state together = goals_of(q, t, list), apart = goals_of(q, &p->speed, list);
    bool goals = together != GOAL_NOT_ASKED, both = !goal_fails(q, together);
    bool same = both == !goal_fails(q, apart);
    line_addf(lines, "together",
              "TPOT %.1f ms, TTFT %s, at most %.3g requests/s where each replica does both%s%s%s",
              t->tpot.value * 1e3, time_beside(t->ttft.value, t->ttft.value, &lines->texts),
              t->capacity,
              !goals ? ""
              : both ? ": that meets"
                     : ": that misses",
              goals ? " the goals" : "", goals && same ? ", too" : "");
}

/* What a token costs, and how much of the plan is used. */
static void worth_lines(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    struct quantity price = plan_token_price(p);
    const char *priced = p->request.model->pooling ? "prompt" : "output";
    struct answer_line *line;
    struct usage usage;

    usage_of(p, &usage);
    if (price.known && load_is_default(lines)) {
        line = figure_line(lines, "$ per million", AS_MONEY, usage.full);
        line->text =
            texts_addf(&lines->texts, "%s tokens at full load; %s with this one user alone", priced,
                       UNITS_MONEY(price.value));
    } else if (price.known && p->request.model->pooling) {
        line = figure_line(lines, "$ per million", AS_MONEY, price);
        line->text =
            texts_addf(&lines->texts, "prompt tokens at this %s; %s at full load",
                       p->request.rate > 0 ? "rate" : "load", UNITS_MONEY(usage.full.value));
    } else if (price.known) {
        line = figure_line(lines, "$ per million", AS_MONEY, price);
        line->text = texts_addf(
            &lines->texts, "output tokens at this %s; %s at full load; %s with prompts counted too",
            p->request.rate > 0 ? "rate" : "load", UNITS_MONEY(usage.full.value),
            UNITS_MONEY(usage.all.value));
    }
    line = line_addf(lines, "utilisation", "at most, %.0f users at once", p->speed.full_running);
    line->amount = figure_amount(AS_SHARE, usage.share, &lines->texts);
    line->note = texts_addf(&lines->texts, "of %.3g requests/s", p->speed.full.value);
    if (load_is_default(lines))
        line->text = texts_addf(&lines->texts, "%s; one user is the default: -u N", line->text);
    else if (usage.idle.known && usage.idle.value >= 1)
        line->text = texts_addf(&lines->texts, "%s; %s a month are paid for what is not used",
                                line->text, UNITS_MONEY(usage.idle.value));
}

/* Joules of a token and watts of the plan; the watts at most where nothing else is known. */
static void energy_line(struct answer_lines *lines)
{
    const struct power *p = &lines->plan->power;
    struct texts *t = &lines->texts;
    struct answer_line *line;
    const char *cap = "";

    if (!p->known)
        return;
    if (p->cap > 0)
        cap = texts_addf(t, "; the cap of %s holds %d GPUs", UNITS_WATTS(p->cap), p->capped_gpus);
    if (!p->loaded) {
        line_addf(lines, "energy", "at most %s with hosts%s", UNITS_WATTS(p->sheet), cap);
        return;
    }
    line = figure_line(lines, "energy", AS_JOULES, p->joules);
    line->text = texts_addf(t, "per %s; %s with hosts (%s at most), %.0f kWh a month%s",
                            lines->plan->request.model->pooling ? "prompt" : "output token",
                            UNITS_WATTS(p->total.value), UNITS_WATTS(p->sheet),
                            p->energy.value / GP_KWH, cap);
}

/* Where the law has a step beside this load. */
static void beside_line(struct answer_lines *lines)
{
    static const char *const names[NEIGHBOUR_COUNT] = {[NEIGHBOUR_USER_MORE] = "one user more",
                                                       [NEIGHBOUR_USER_LESS] = "one user less",
                                                       [NEIGHBOUR_TOKEN_MORE] = "a token more",
                                                       [NEIGHBOUR_TOKEN_LESS] = "a token less"};
    const struct speed *v = &lines->plan->speed;
    const struct speed_beside *b = &v->beside;
    bool more = b->tokens > v->tokens.value;

    if (b->load == NEIGHBOUR_NONE)
        return;
    line_addf(lines, names[b->load], "%s%.0f output tokens/s, not %.0f (%+.0f %%): %s",
              b->load >= NEIGHBOUR_TOKEN_MORE ? "in each prompt: " : "", b->tokens, v->tokens.value,
              100 * (b->tokens / v->tokens.value - 1),
              !b->graphs ? "the products of a step fill other tiles"
              : more     ? "a step with a prompt is then within the largest CUDA graph again"
                         : "a step with a prompt then exceeds the largest CUDA graph, and its "
                           "kernels are launched one by one");
}

/* The time of a step, by part. */
static void step_line(struct answer_lines *lines)
{
    const struct speed *v = &lines->plan->speed;
    const struct step_parts *p = &v->part;
    const struct {
        const char *name;
        double seconds;
    } parts[] = {
        {"experts", p->experts},  {"KV cache", p->attention}, {"all-reduces", p->communication},
        {"host memory", p->host}, {"launches", p->fixed},     {"drafts", p->draft},
        {"prompts", v->prompts}};
    struct answer_line *line =
        line_addf(lines, "a step", "products %.1f ms", (p->linear + p->head) * 1e3);

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (parts[i].seconds >= 0.00005)
            line->text = texts_addf(&lines->texts, "%s, %s %.1f", line->text, parts[i].name,
                                    parts[i].seconds * 1e3);
}

/* What drafting is worth here, with how many tokens, and up to which load. */
static void drafts_line(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct request *q = &p->request;
    const struct speed_drafts *d = &p->speed.drafts;
    struct texts *t = &lines->texts;

    if (q->draft_kind != DRAFT_NONE && q->accept_length <= 0)
        line_addf(lines, "drafts",
                  "not counted: say how many are accepted, --acceptance 0.7 or "
                  "--acceptance-length 2.9");
    if (d->plain <= 0)
        return;
    const char *best = d->best == q->draft_tokens ? ""
                       : d->best == 0
                           ? "; none would be faster"
                           : texts_addf(t, "; %d would be x%.2f", d->best, d->plain / d->least);
    const char *pays = d->always ? texts_addf(t, "pays up to all %.0f that run at once", d->pays)
                       : d->pays > 0 ? texts_addf(t, "pays up to %.0f users", d->pays)
                                     : "pays at no load";

    line_addf(lines, "drafts", "%d tokens a step by %s yield %.3g: x%.2f of %.3g ms without%s; %s",
              q->draft_tokens, draft_facts[q->draft_kind].name, q->accept_length,
              d->plain / d->asked, d->plain * 1e3, best, pays);
}

static void speed_lines(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct speed *v = &p->speed;
    struct texts *t = &lines->texts;
    const char *narrower;

    if (v->gap == SPEED_NO_LAYOUT)
        return;
    if (v->gap != SPEED_KNOWN) {
        line_addf(lines, "", "no estimate: %s", sentence_speed_gap(p, t));
        return;
    }
    pace_lines(lines);
    if (p->request.rate > 0)
        line_addf(lines, "saturates", "at %.3g requests/s: %s", v->capacity,
                  sentence_saturation(v->saturation));
    if (v->transfer > 0)
        line_addf(lines, "KV transfer", "%.3g ms a prompt, from prefill to decode",
                  v->transfer * 1e3);
    together_line(lines);
    worth_lines(lines);
    energy_line(lines);
    if (v->stall.known) {
        struct answer_line *line = figure_line(lines, "stall", AS_TIME, v->stall);
        const char *often =
            texts_addf(t, v->stall_share < 0.0995 ? "%.2g" : "%.0f", v->stall_share * 100);

        line->text = texts_addf(
            t,
            "between two tokens, when the step also computes a prompt: %s %% of steps%s; band "
            "assumed",
            often, v->stall_share > 0.01 ? ", so this is the p99" : "");
    }
    bool pooling = p->request.model->pooling;
    if (!pooling) {
        beside_line(lines);
        step_line(lines);
        drafts_line(lines);
    }
    /* What was measured of the device and of the server, and what is not used of it. */
    const struct request *q = &lines->plan->request;
    const struct correction *c = &q->correction;
    const struct resolved *r = lines->answer ? &lines->answer->resolved : NULL;

    if (r && r->calibrated[0])
        line_addf(lines, "calibrated", "%s", r->calibrated);
    if (r && r->uncalibrated[0])
        line_addf(lines, "not used", "%s", r->uncalibrated);
    if (request_corrected(q))
        line_addf(lines, "measured",
                  "%d point%s, taken as of TP %d x PP %d: launches x%.2f, work x%.2f, prompts "
                  "x%.2f, TTFT x%.2f of the estimate",
                  c->points, plural_s(c->points), c->tp, c->pp, c->by[CORRECT_FIXED],
                  c->by[CORRECT_WORK], c->by[CORRECT_PROMPTS], c->first);
    line_add(lines, "bound by")->text = sentence_speed_bound(p);
    line_add(lines, "band")->text = sentence_speed_doubts(p, t);
    narrower = sentence_speed_narrower(p, t);
    if (narrower[0])
        line_add(lines, "narrower by")->text = narrower;
    if (!pooling || !v->hit_first)
        line_add(lines, "checked by")->text = sentence_speed_hit(p, v->hit, t);
    if (v->hit_first) /* TTFT where there is a row of it */
        line_add(lines, pooling ? "checked by" : "and by")->text =
            sentence_speed_hit(p, v->hit_first, t);
}

/* ---- fixes ---- */

static const char *fix_cost(const struct plan *p, const struct fix *f, struct texts *t)
{
    bool other = (f->changes & 1u << CHANGE_GPU) && f->request.gpu != p->request.gpu;

    if (f->cost_known && fabs(f->cost_delta) < 0.005)
        return "same cost";
    if (f->cost_known)
        return texts_addf(t, "%+.2f $/h", f->cost_delta);
    if (f->per_hour > 0)
        return texts_addf(t, "%.2f $/h", f->per_hour);
    if (!other && f->gpus == p->layout.gpus) /* whatever they cost */
        return "same GPUs";
    return "cost unknown";
}

/* What a fix gains: speed where that was missed, else memory. */
static const char *fix_gain(const struct plan *p, const struct fix *f, struct texts *t)
{
    /* a plan that was refused for its types has no room to compare with */
    bool room = p->has_memory && p->limit != LIMIT_TYPE;

    if ((p->verdict == VERDICT_SLOW || f->kind == FIX_AT_ONCE) && f->tpot > 0)
        return texts_addf(
            t, f->ttft < 1 ? ", TPOT %.1f ms, TTFT %.0f ms" : ", TPOT %.1f ms, TTFT %.1f s",
            f->tpot * 1e3, f->ttft < 1 ? f->ttft * 1e3 : f->ttft);
    return room ? texts_addf(t, ", %+.2f GiB per GPU", f->gain / GP_GIB) : "";
}

static void fix_lines(struct answer_lines *lines)
{
    const struct answer *a = lines->answer;
    struct texts *t = &lines->texts;

    for (int i = 0; a && i < a->fix_count; i++) {
        const struct fix *f = &a->fixes[i];
        struct answer_line *line = line_add(lines, "");
        char options[FIX_OPTIONS_MAX];

        line->name = line->option = texts_add(t, planner_fix_options(f, options));
        if (f->better != BETTER_NONE) {
            line->amount = better_word(f->better);
            line->text = sentence_better(lines->plan, f, t);
            continue;
        }
        line->text = texts_addf(
            t, "%s%s%s%s", sentence_fix(f, t), f->verdict == VERDICT_MARGINAL ? " (marginal)" : "",
            fix_gain(lines->plan, f, t), f->spans ? ", over several machines" : "");
        line->amount = fix_cost(lines->plan, f, t);
    }
}

/* ---- sources ---- */

/* The source and the date of the price that was asked for. */
static const char *price_source(const struct cost *c, struct texts *t, const char **date)
{
    const struct rent *rent = cost_wanted(c);

    *date = "";
    if (rent && rent->known) {
        *date = sentence_price_date(rent->instance, t);
        return rent->instance->source;
    }
    if (!rent && c->buy.known) {
        *date = sentence_purchase_date(&c->buy, t);
        return c->buy.source;
    }
    return "";
}

static void source_lines(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct request *q = &p->request;
    const char *date, *price = price_source(&p->cost, &lines->texts, &date);

    line_add(lines, "model")->text = q->model->source;
    line_addf(lines, "gpu", "confidence %s: %s",
              q->gpu->confidence[0] ? q->gpu->confidence : "unknown", q->gpu->source);
    line_addf(lines, "engine", "%s (%s)", q->engine->source, q->engine->date);
    line_add(lines, "format")->text = q->precision.weight->source;
    if (price[0])
        line_add(lines, "price")->text = price;
}

static void date_lines(struct answer_lines *lines)
{
    const struct request *q = &lines->plan->request;
    const char *data = q->data_date ? q->data_date : "";
    const char *date, *price = price_source(&lines->plan->cost, &lines->texts, &date);

    line_addf(lines, "sources", "%s%s%smodel %s, GPU confidence %s, engine %s%s%s%s%s",
              data[0] ? "data " : "", data, data[0] ? ", " : "", or_undated(q->model->date),
              q->gpu->confidence[0] ? q->gpu->confidence : "unknown", or_undated(q->engine->date),
              q->engine->checked[0] ? " up to " : "", q->engine->checked,
              price[0] ? ", price " : "", price[0] ? or_undated(date) : "");
}

/* ---- the headline ----
 *
 * The decision in lines of 80 columns: verdict, price, speed, what limits, what would be better.
 * A row is made of parts, the one that matters most first; those that do not fit are left out,
 * as everything stands below it in full.
 */

/* Adds a part to a row where there is room; the first is cut at a space where it is too long. */
static void row_part(struct answer_lines *lines, const char *name, const char *between,
                     const char *part)
{
    struct answer_line *row = lines->count > 0 ? &lines->list[lines->count - 1] : NULL;
    bool first = !row || strcmp(row->name, name) != 0;
    size_t len = strlen(part), cols = HEADLINE_COLS + (name[0] ? 0 : 11);

    if (!part[0])
        return;
    if (!first) {
        if (strlen(row->text) + strlen(between) + len <= cols)
            row->text = texts_addf(&lines->texts, "%s%s%s", row->text, between, part);
        return;
    }
    if (len <= cols) {
        line_addf(lines, name, "%s", part);
        return;
    }
    for (len = cols - 4; len > cols / 2 && part[len] != ' ';)
        len--;
    line_addf(lines, name, "%.*s ...", (int)len, part);
}

static void verdict_row(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct layout *l = &p->layout;
    struct texts *t = &lines->texts;
    const char *shout = plan_verdict_words(p)->shout;
    const char *turned = sentence_turned(p, t);
    const char *layout =
        texts_addf(t, "%s, %d host%s", sentence_layout(l, t), l->hosts, plural_s(l->hosts));
    /* unlike GPUs have their counts in their names */
    const char *count = p->request.gpu->mix ? "" : texts_addf(t, "%d x ", l->gpus);
    const char *text = texts_addf(t, "%s on %s%s (%s): %s", shout, count, p->request.gpu->name,
                                  p->request.gpu->id, layout);

    if (strlen(text) > HEADLINE_COLS + 11)
        text = texts_addf(t, "%s on %s%s: %s", shout, count, p->request.gpu->id, layout);
    row_part(lines, "", "", text);
    if (!turned[0])
        return;
    if (strlen(text) + strlen(turned) + 2 <= HEADLINE_COLS + 11)
        row_part(lines, "", ", ", turned);
    else
        row_part(lines, "options", "", sentence_turned_short(p, t));
}

/* "12,240 tokens" of a value of the field that was solved for. */
static const char *solved_value(enum solve field, double value, struct texts *t)
{
    return field == SOLVE_CONTEXT ? texts_addf(t, "%s tokens", UNITS_TOKENS(value))
                                  : texts_addf(t, "%s", UNITS_TOKENS(value));
}

const char *answer_solved(const struct answer *a, struct texts *t)
{
    static const char *const names[] = {[SOLVE_GPUS] = "GPUs",
                                        [SOLVE_CONTEXT] = "context",
                                        [SOLVE_USERS] = "users",
                                        [SOLVE_PRECISION] = "precision",
                                        [SOLVE_BUDGET] = "budget"};
    const struct request *q = &a->plan.request;
    const struct solution *s = &a->solved;
    const char *text;

    if (!solve_has_limit(q, a->solve))
        return texts_addf(t, "%s: no limit, it keeps no KV", names[a->solve]);
    if (!s->found && s->likely_precision)
        return texts_addf(t, "precision: certain at none, likely in %s", q->precision.id);
    if (!s->found && s->likely > 0)
        return texts_addf(t, "%s: certain at none, likely %s %s", names[a->solve],
                          a->solve == SOLVE_GPUS ? "with" : "up to",
                          solved_value(a->solve, s->likely, t));
    switch (a->solve) {
    case SOLVE_CONTEXT:
        text = texts_addf(t, "context %s tokens", UNITS_TOKENS(q->context));
        break;
    case SOLVE_USERS:
        text = texts_addf(t, "%.0f users", q->users);
        break;
    case SOLVE_PRECISION:
        return texts_addf(t, "precision %s", q->precision.id);
    case SOLVE_BUDGET:
        return texts_addf(t, "%s per hour", UNITS_MONEY(a->plan.cost.per_hour));
    default:
        return texts_addf(t, "%d GPU%s", a->plan.layout.gpus, plural_s(a->plan.layout.gpus));
    }
    if (s->goals)
        text = texts_addf(t, "%s within the goals, %s%s", text,
                          s->sure > 0 ? "surely up to " : "surely at none",
                          s->sure > 0 ? solved_value(a->solve, s->sure, t) : "");
    if (s->likely > 0)
        text = texts_addf(t, "%s for certain, likely up to %s", text,
                          solved_value(a->solve, s->likely, t));
    return text;
}

/* What was solved for is what was asked. */
static void solved_row(struct answer_lines *lines)
{
    const struct answer *a = lines->answer;

    if (!a || a->solve == SOLVE_NONE)
        return;
    const struct solution *s = &a->solved;
    bool likely = s->likely > 0 || s->likely_precision;
    bool best = s->found && !likely && !s->goals && solve_has_limit(&a->plan.request, a->solve);

    row_part(lines, "solved", "",
             !s->found && !likely
                 ? "nothing that fits was found"
                 : texts_addf(&lines->texts, "%s%s", answer_solved(a, &lines->texts),
                              best ? " (the best that fits)" : ""));
}

/* What all below it rests on, where that is a guess. */
static void assumed_row(struct answer_lines *lines)
{
    const struct request *q = &lines->plan->request;

    if (q->model->assumed && q->model->bytes.known)
        row_part(lines, "assumed", "", "unknown architecture: KV cache and activation");
}

static void price_row(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct cost *c = &p->cost;
    const struct rent *rent = cost_wanted(c);
    struct quantity own = plan_token_price(p);
    struct texts *t = &lines->texts;
    struct usage usage;

    if (!p->has_memory)
        return;
    usage_of(p, &usage);
    if (c->per_hour > 0) {
        row_part(lines, "price", "",
                 texts_addf(t, "%s/h%s", UNITS_MONEY(c->per_hour),
                            c->want == WANT_BUY ? " when bought" : ""));
        row_part(lines, "price", ", ", texts_addf(t, "%s a month", UNITS_MONEY(c->per_month)));
        /* of the load that was named; where nobody named one, of all that it holds */
        const char *words =
            p->request.model->pooling ? "%s per million prompt tokens" : "%s per million tokens";

        if (own.known && !load_is_default(lines)) {
            row_part(lines, "price", ", ", texts_addf(t, words, UNITS_MONEY(own.value)));
            words = "%s";
        }
        if (usage.full.known)
            row_part(lines, "price", ", ",
                     texts_addf(t, "%s at full load",
                                texts_addf(t, words, UNITS_MONEY(usage.full.value))));
        return;
    }
    if (c->want != WANT_MARKET && c->market.known)
        row_part(
            lines, "price", "",
            texts_addf(t, "%s/h on a marketplace, no list price", UNITS_MONEY(c->market.per_hour)));
    else if (c->note == COST_NOTE_NO_OFFER && c->buy.known && rent)
        row_part(lines, "price", "", "nobody in the catalogue rents this");
    else
        row_part(lines, "price", "",
                 c->note != COST_NOTE_NONE ? sentence_cost_note(p, t) : "no price is known");
    if (c->buy.known && rent)
        row_part(lines, "price", "; ",
                 texts_addf(t, "%s/h when bought", UNITS_MONEY(c->buy.per_hour.value)));
}

static void speed_row(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct speed *v = &p->speed;
    struct texts *t = &lines->texts;

    if (!p->has_memory || v->gap == SPEED_NO_LAYOUT)
        return;
    if (v->gap != SPEED_KNOWN) {
        row_part(lines, "speed", "", texts_addf(t, "no estimate: %s", sentence_speed_gap(p, t)));
        return;
    }
    if (p->request.model->pooling) {
        row_part(lines, "speed", "", texts_addf(t, "%.3g prompts/s", v->requests.value));
        row_part(lines, "speed", ", ",
                 texts_addf(t, "a prompt in %s", figure_amount(AS_TIME, v->ttft, t)));
        row_part(lines, "speed", ", ", texts_addf(t, "%.3g prompts/s at most", v->full.value));
        return;
    }
    row_part(lines, "speed", "",
             texts_addf(t,
                        v->tpot.value > 0.1 ? "%.1f tokens/s a user (TPOT %s)"
                                            : "%.0f tokens/s a user (TPOT %s)",
                        1 / v->tpot.value, figure_amount(AS_TIME, v->tpot, t)));
    row_part(lines, "speed", ", ", texts_addf(t, "TTFT %s", figure_amount(AS_TIME, v->ttft, t)));
    row_part(lines, "speed", ", ", texts_addf(t, "%.0f tokens/s in all", v->tokens.value));
}

/* How the goals stand, and what is bought for other odds. */
static void goals_row(struct answer_lines *lines)
{
    const struct goals_beside *g = &lines->answer->goals;
    struct texts *t = &lines->texts;
    const char *beside;

    row_part(lines, "goals", "", g->state == GOAL_MET ? "met by the whole band" : "likely met");
    if (g->near.layout.gpus > 0)
        row_part(lines, "goals", "; ",
                 texts_addf(t, "%.0f %% short: %s", fmax(g->near.more * 100, 1),
                            count_beside(&g->near, t)));
    beside = other_beside(g->state == GOAL_MET ? &g->likely : &g->sure, lines->plan, t);
    if (g->state != GOAL_MET)
        row_part(lines, "goals", "; ", texts_addf(t, "sure: %s", beside[0] ? beside : "no count"));
    else if (lines->plan->request.goals == GOALS_SURE && beside[0])
        row_part(lines, "goals", "; ", texts_addf(t, "likely: %s", beside));
}

static void limit_row(struct answer_lines *lines)
{
    const struct plan *p = lines->plan;
    const struct speed *v = &p->speed;
    struct texts *t = &lines->texts;
    bool goals = lines->answer && lines->answer->goals.state != GOAL_NOT_ASKED;
    const struct runner_up *likely = goals ? &lines->answer->goals.likely : NULL;
    const char *text;

    if (p->verdict == VERDICT_FITS && goals) {
        goals_row(lines);
        return;
    }
    for (int i = 0; p->verdict != VERDICT_FITS && (text = sentence_reason(p, i, t)); i++) {
        row_part(lines, "limit", "; ", text);
        if (i == 0 && p->verdict == VERDICT_SLOW && p->limit != LIMIT_BUDGET && goals &&
            likely->layout.gpus > 0)
            row_part(lines, "limit", "; ",
                     texts_addf(t, "%d GPU%s likely meet%s it", likely->layout.gpus,
                                plural_s(likely->layout.gpus),
                                likely->layout.gpus == 1 ? "s" : ""));
    }
    if (p->verdict != VERDICT_FITS || !p->has_memory || v->gap != SPEED_KNOWN)
        return;
    if (p->request.split && v->saturation == SATURATES_PREFILL &&
        v->requests.value > 0.98 * v->full.value) { /* however fast the others decode */
        row_part(lines, "limit", "",
                 "the prefill replicas: prompts wait for them; more of them help");
        return;
    }
    row_part(lines, "limit", "", sentence_speed_bound(p));
    if (p->request.draft_kind != DRAFT_NONE && p->request.accept_length <= 0)
        row_part(lines, "limit", "; ", "drafts count with --acceptance");
    row_part(lines, "limit", "; ",
             texts_addf(t, "%.0f users at most (%s)", v->full_running,
                        sentence_saturation(v->saturation)));
}

static void better_row(struct answer_lines *lines)
{
    const struct answer *a = lines->answer;
    bool fits = lines->plan->verdict == VERDICT_FITS;
    const char *name = fits ? "better" : "cure";
    struct texts *t = &lines->texts;

    if (a && a->fix_count == 0 && !fits)
        row_part(lines, name, "", "no single change that was tried");
    for (int i = 0; a && i < a->fix_count; i++) {
        const struct fix *f = &a->fixes[i];
        const char *word = better_word(f->better);

        /* at the same price per hour it is the tokens that are cheaper */
        double own = plan_token_price(lines->plan).value, now = 0;

        if (f->better != BETTER_NONE && f->cost_known && fabs(f->cost_delta) < 0.005 && own > 0)
            now = better_per_million(f);
        bool fewer = f->kind == FIX_PRECISION && f->better != BETTER_NONE && f->per_hour <= 0;
        const char *price = fewer ? texts_addf(t, ", %d GPU%s", f->gpus, plural_s(f->gpus))
                            : f->per_hour <= 0 ? ""
                            : now > 0 && now < own
                                ? texts_addf(t, ", %.0f %% less a token", 100 * (1 - now / own))
                                : texts_addf(t, ", %s/h", UNITS_MONEY(f->per_hour));

        row_part(lines, name, "; ",
                 texts_addf(t, "%s%s%s%s%s", word, word[0] ? ": " : "", sentence_fix(f, t),
                            f->verdict == VERDICT_MARGINAL ? " (marginal)" : "", price));
    }
}

static void headline_lines(struct answer_lines *lines)
{
    static void (*const rows[])(struct answer_lines *) = {
        verdict_row, solved_row, assumed_row, price_row, speed_row, limit_row, better_row};

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]) && lines->count < HEADLINE_ROWS; i++) {
        /* of what may not start the cure is read first */
        if (rows[i] == speed_row && lines->plan->verdict != VERDICT_FITS &&
            lines->count > HEADLINE_ROWS - 3)
            continue;
        rows[i](lines);
    }
}

/* ---- all kinds ---- */

int answer_lines(const struct plan *plan, const struct answer *answer, enum line_kind kind,
                 struct answer_lines *out)
{
    static void (*const make[LINE_KIND_COUNT])(struct answer_lines *) = {
        [LINE_HEADLINE] = headline_lines, [LINE_READ] = read_lines,
        [LINE_MODEL] = model_lines,       [LINE_LOAD] = load_lines,
        [LINE_GPU_FROM] = gpu_from_lines, [LINE_LAYOUT] = layout_lines,
        [LINE_HOLDS] = holds_lines,       [LINE_RUNNER_UP] = runner_up_lines,
        [LINE_GOALS] = goals_lines,       [LINE_REASON] = reason_lines,
        [LINE_STARTUP] = startup_lines,   [LINE_WARNING] = warning_lines,
        [LINE_STAGE] = stage_lines,       [LINE_POOL] = pool_lines,
        [LINE_RULE] = rule_lines,         [LINE_LOGGED] = logged_lines,
        [LINE_SPEED] = speed_lines,       [LINE_COST] = cost_lines,
        [LINE_FIX] = fix_lines,           [LINE_SOURCE] = source_lines,
        [LINE_DATES] = date_lines,
    };

    out->plan = plan;
    out->answer = answer;
    out->count = 0;
    out->texts = (struct texts){0};
    make[kind](out);
    return out->count;
}

void answer_lines_fini(struct answer_lines *lines)
{
    texts_fini(&lines->texts);
}
