/*
 * curves.c - see curves.h.
 */
#include "answer/curves.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "answer/calibrate.h"
#include "answer/sentence.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/products.h"
#include "plan/search.h"
#include "plan/speed/calib.h"
#include "plan/speed/speed.h"
#include "plan/speed/step.h"
#include "plan/sweep.h"

#define LEAST_TOKENS 256.0
#define MOST_TOKENS 131072.0 /* shown of a model that names no maximum */
#define MOST_USERS 1024.0    /* shown when users cost nothing */
#define MOSTLY 0.5           /* weights above this part of the limit are not drawn whole */
#define BEYOND 1.25          /* of the users that fit: where the limit is crossed is seen */
#define FEW_USERS 2.0        /* looked at, at the least */
#define MOST 65536.0         /* at the most */

const struct memory_stack memory_stack[MEMORY_STACK] = {
    {"weights", 'a', PLOT_WEIGHTS, offsetof(struct sweep_point, weights)},
    {"+ activation", 'b', PLOT_ACTIVATION, offsetof(struct sweep_point, activation)},
    {"+ runtime", 'c', PLOT_RUNTIME, offsetof(struct sweep_point, runtime)},
    {"+ KV cache", 'd', PLOT_KV, offsetof(struct sweep_point, kv)},
};

const struct quantity *memory_part(const struct sweep_point *p, int k)
{
    return (const struct quantity *)((const char *)p + memory_stack[k].offset);
}

char *memory_count(enum sweep of, double x, char *text, size_t size)
{
    char number[32];

    units_tokens(number, sizeof(number), x);
    gp_format(text, size, "%s %s%s", number, of == SWEEP_CONTEXT ? "token" : "user",
              x == 1 ? "" : "s");
    return text;
}

/* ---- samples ---- */

static double own_of(const struct plan *plan, enum sweep of)
{
    return of == SWEEP_CONTEXT ? plan->request.context : plan->request.users;
}

static void set_range(const struct memory_curve *m, const struct plan *plan, struct plot *plot,
                      double low, double high)
{
    double own = own_of(plan, m->of), most = plan->request.model->max_context;

    if (m->of == SWEEP_CONTEXT) {
        most = most > 0 ? most : fmax(MOST_TOKENS, roof_curve_ceil2(own));
        plot_range(plot, low, high, fmin(LEAST_TOKENS, own), fmax(most, own));
        return;
    }
    most = m->end.marginal < MOST_USERS ? BEYOND * m->end.marginal : m->end.marginal;
    plot_range(plot, low, high, 1, fmin(ceil(fmax(most, fmax(own, FEW_USERS))), MOST));
}

static void take_samples(struct memory_curve *m, const struct plan *plan, const struct plot *plot)
{
    double x[MEMORY_SAMPLES], low = plot->x.low, high = plot->x.high;
    double wanted[] = {own_of(plan, m->of), m->end.fits, m->end.marginal};
    int count = sweep_values(&plan->request, m->of, low, high, x, MEMORY_SAMPLES - 3);

    for (int i = 0; i < 3; i++)
        if (wanted[i] >= low && wanted[i] <= high && wanted[i] > 0)
            count = sweep_insert(x, count, MEMORY_SAMPLES, wanted[i]);
    m->samples = count;
    for (int i = 0; i < count; i++)
        sweep_at(&plan->request, &plan->layout, m->of, x[i], &m->sample[i]);
}

/* ---- series ---- */

/* Each part between its line and the one below it. */
static void add_stack(const struct memory_curve *m, struct plot *plot)
{
    struct plot_series *part[MEMORY_STACK], *line[MEMORY_STACK];

    for (int k = 0; k < MEMORY_STACK; k++)
        part[k] = plot_add_shade(plot, memory_stack[k].name, memory_stack[k].role, PLOT_PART);
    for (int k = 0; k < MEMORY_STACK; k++) {
        line[k] = plot_add(plot, memory_stack[k].name, memory_stack[k].role, 0);
        line[k]->label = memory_stack[k].label;
    }
    for (int i = 0; i < m->samples; i++) {
        const struct sweep_point *p = &m->sample[i];
        double low, high = p->used;

        for (int k = 0; k < MEMORY_STACK; k++) {
            low = high;
            high += memory_part(p, k)->value;
            plot_span(part[k], p->x, p->known ? low : NAN, p->known ? high : NAN);
            plot_point(line[k], p->x, p->known ? high : NAN);
        }
    }
}

/* The limit, what is usable, and where the plan stands. */
static void add_limits(const struct memory_curve *m, const struct plan *plan, struct plot *plot)
{
    struct plot_series *limit = plot_add(plot, "limit", PLOT_HEADING, 0);
    struct plot_series *usable = plot_add(plot, "usable", PLOT_DIM, 0);
    struct plot_series *own = plot_add(plot, "the plan", PLOT_HEADING, 'P');
    char text[48];

    limit->label = 'l';
    usable->label = 'u';
    for (int i = 0; i < m->samples; i++) {
        const struct sweep_point *p = &m->sample[i];

        plot_point(limit, p->x, p->known ? sweep_limit(p) : NAN);
        plot_point(usable, p->x, p->known ? p->usable.value : NAN);
        if (p->x == own_of(plan, m->of) && p->known)
            plot_point(own, p->x, sweep_taken(p));
    }
    if (m->end.fits > 0)
        plot_rule(plot, true, m->end.fits, PLOT_OK, "fits to %s",
                  memory_count(m->of, m->end.fits, text, sizeof(text)));
}

bool memory_curve(struct memory_curve *m, const struct plan *plan, enum sweep of, double low,
                  double high, struct plot *plot, char words[CURVE_WORDS])
{
    struct texts why = {0};

    m->of = of;
    m->samples = 0;
    if (!plan->has_memory) {
        gp_format(words, CURVE_WORDS, "no memory to show: %s", sentence_first_reason(plan, &why));
        texts_fini(&why);
        return false;
    }
    m->end = sweep_end(&plan->request, &plan->layout, of);
    plot->x = (struct plot_axis){.log = of == SWEEP_CONTEXT,
                                 .base = 2,
                                 .whole = true,
                                 .title = of == SWEEP_CONTEXT ? "tokens of a request (log2)"
                                                              : "users: requests in flight"};
    set_range(m, plan, plot, low, high);
    take_samples(m, plan, plot);
    /* Up to what is taken, but not so far that the limit is at the bottom; where not even
     * the first point fits, so far that it can be seen. */
    double most = 0, limit = 0, first = 0, low_end = 0;

    for (int i = 0; i < m->samples; i++) {
        const struct sweep_point *p = &m->sample[i];

        most = fmax(most, sweep_taken(p));
        limit = fmax(limit, fmax(sweep_limit(p), p->usable.value));
        if (i == 0)
            first = sweep_taken(p);
        if (i == 0 && p->weights.value > MOSTLY * sweep_limit(p) &&
            p->weights.value < sweep_limit(p))
            low_end = p->weights.value * (1 - (1 - MOSTLY) / 4);
    }
    plot->y =
        (struct plot_axis){.low = low_end,
                           .high = 1.05 * fmin(fmax(most, limit), fmax(1.3 * limit, 1.1 * first)),
                           .bytes = true,
                           .title = "memory of one GPU, bytes"};
    add_stack(m, plot);
    add_limits(m, plan, plot);
    const struct sweep_end *end = &m->end;
    char fits[48] = "nothing fits for certain", marginal[48] = "", own[48];

    memory_count(m->of, own_of(plan, m->of), own, sizeof(own));
    if (end->marginal > end->fits)
        memory_count(m->of, end->marginal, marginal, sizeof(marginal));
    if (end->fits > 0)
        memory_count(m->of, end->fits, fits, sizeof(fits));
    gp_format(words, CURVE_WORDS, "%s%s%s%s%s; then %s. The plan's %s: %s",
              end->fits > 0 ? "fits to " : "", fits, m->of == SWEEP_CONTEXT ? "" : " at once",
              marginal[0] ? ", marginal to " : "", marginal, limit_words[end->after].end, own,
              verdict_words[plan->verdict].brief);
    return true;
}

#define KNEE 0.9    /* of the most tokens/s */
#define GROWING 0.8 /* a knee beyond this part of all users is none: it still grows */

/* ---- points ---- */

static void point_at(const struct load_curve *c, double users, struct load_point *out)
{
    struct request q = c->request;
    struct plan plan;
    struct quantity month;

    q.users = users;
    plan_layout(&q, &c->layout, &c->market, &plan);
    bool fits = plan.has_memory && plan.verdict != VERDICT_DOES_NOT_FIT;
    *out = (struct load_point){.users = users, .verdict = plan.verdict, .limit = plan.limit};
    if (!fits || plan.speed.gap != SPEED_KNOWN) {
        out->gpus = fits ? plan.layout.gpus : 0;
        return;
    }
    out->gpus = plan.layout.gpus;
    out->tpot = q.model->pooling ? quantity_unknown() : plan.speed.tpot;
    out->ttft = plan.speed.ttft;
    out->tokens = plan.speed.tokens;
    out->million = plan_token_price(&plan);
    plan_prices(&plan, &out->per_hour, &month);
}

/* A time of a point, of which for sure the worse end counts. */
static double point_time(const struct load_point *p, bool first, bool sure)
{
    const struct quantity *q = first ? &p->ttft : &p->tpot;

    return !q->known ? NAN : sure ? q->high : q->value;
}

/* The users up to which a goal in seconds is likely, or for sure, reached: between the last point
 * that does and the first that does not. */
static double held_to(const struct load_curve *c, double goal, bool first, bool sure)
{
    double low = 0, high = 0;

    if (!(goal > 0))
        return 0;
    for (int i = 0; i < c->done && high <= 0; i++) {
        double time = point_time(&c->point[i], first, sure);

        if (time > goal)
            high = c->point[i].users;
        else if (time <= goal)
            low = c->point[i].users;
    }
    while (high - low > 1) {
        struct load_point p;

        point_at(c, floor((low + high) / 2), &p);
        if (point_time(&p, first, sure) > goal)
            high = p.users;
        else
            low = p.users;
    }
    return high > 0 ? low : 0;
}

/* The fewest users that reach this many tokens/s. */
static struct load_point first_with(const struct load_curve *c, double tokens)
{
    int i = 0;
    double low, high;

    while (i < c->done - 1 && !(c->point[i].tokens.value >= tokens))
        i++;
    struct load_point best = c->point[i];
    low = i > 0 ? c->point[i - 1].users : best.users;
    for (high = best.users; high - low > 1;) {
        struct load_point p;

        point_at(c, floor((low + high) / 2), &p);
        if (p.tokens.value >= tokens) {
            best = p;
            high = p.users;
        } else {
            low = p.users;
        }
    }
    return best;
}

static void find_knee(struct load_curve *c)
{
    double last = 0;

    for (int i = 0; i < c->done; i++) {
        if (!c->point[i].tokens.known)
            continue;
        c->most = fmax(c->most, c->point[i].tokens.value);
        last = c->point[i].users;
    }
    if (!(c->most > 0))
        return;
    struct load_point knee = first_with(c, KNEE * c->most);

    if (knee.users < GROWING * last) {
        c->knee = knee.users;
        c->knee_pace = c->request.model->pooling ? knee.ttft.value : knee.tpot.value;
    }
}

void load_curve_begin(const struct answer *answer, double low, double high, struct load_curve *c)
{
    const struct plan *plan = &answer->plan;

    memset(c, 0, sizeof(*c));
    c->request = plan->request;
    c->request.rate = 0;
    c->layout = plan->layout;
    c->market = answer->resolved.market;
    c->own = fmax(1, ceil(plan->request.users));
    c->end = sweep_end(&plan->request, &plan->layout, SWEEP_USERS);
    double most = fmin(fmax(fmax(c->end.marginal, c->end.fits), fmax(c->own, FEW_USERS)), MOST);
    c->low = isfinite(low) ? fmin(fmax(1, low), most - 1) : 1;
    c->high = isfinite(high) ? fmax(fmin(high, most), c->low + 1) : most;
    c->count = sweep_values(&c->request, SWEEP_USERS, c->low, c->high, c->x, LOAD_POINTS / 2 - 3);
    for (int i = 1; i < LOAD_POINTS / 2; i++) /* as close on an axis that is not logarithmic */
        c->count = sweep_insert(c->x, c->count, LOAD_POINTS,
                                round(c->low + (c->high - c->low) * i / (LOAD_POINTS / 2)));
    if (c->own >= c->low && c->own <= c->high)
        c->count = sweep_insert(c->x, c->count, LOAD_POINTS, c->own);
    for (int i = 0; i < 2; i++)
        if (c->end.fits + i >= c->low && c->end.fits + i <= c->high)
            c->count = sweep_insert(c->x, c->count, LOAD_POINTS, c->end.fits + i);
}

void load_curve_point(const struct load_curve *c, int i, struct load_point *out)
{
    point_at(c, c->x[i], out);
}

bool load_curve_take(struct load_curve *c, const struct load_point *point)
{
    c->point[c->done++] = *point;
    if (c->done < c->count)
        return true;
    c->tpot_to = held_to(c, c->request.tpot, false, false);
    c->ttft_to = held_to(c, c->request.ttft, true, false);
    c->tpot_sure = held_to(c, c->request.tpot, false, true);
    c->ttft_sure = held_to(c, c->request.ttft, true, true);
    find_knee(c);
    return false;
}

bool load_curve_step(struct load_curve *c, int points)
{
    bool more = c->done < c->count;

    for (int i = 0; i < points && more; i++) {
        struct load_point point;

        load_curve_point(c, c->done, &point);
        if (search_abandoned())
            return true;
        more = load_curve_take(c, &point);
    }
    return more;
}

const struct load_point *load_curve_at(const struct load_curve *c, double users)
{
    const struct load_point *best = NULL;

    for (int i = 0; i < c->done; i++)
        if (!best || fabs(c->point[i].users - users) < fabs(best->users - users))
            best = &c->point[i];
    return best;
}

/* ---- the plot ---- */

/* A value of a point with its band, in the plot's unit. */
struct drawn {
    const char *name;
    enum plot_role role;
    size_t offset; /* of its quantity in struct load_point */
    double unit;
};

#define DRAWN(member) offsetof(struct load_point, member)

/* What each kind draws, and its axis. */
struct load_row {
    struct drawn drawn;
    const char *unit, *title, *none;
    bool log;
};

static const struct load_row kinds[LOAD_KIND_COUNT] = {
    [LOAD_TOKENS] = {{"output tokens/s", PLOT_1, DRAWN(tokens), 1},
                     "tok/s",
                     "output tokens per second of all users",
                     "no point of it fits, or its speed is not known",
                     false},
    [LOAD_TPOT] = {{"TPOT", PLOT_1, DRAWN(tpot), 1e-3},
                   "ms",
                   "milliseconds",
                   "no point of it fits, or its speed is not known",
                   false},
    [LOAD_TTFT] = {{"TTFT", PLOT_2, DRAWN(ttft), 1e-3},
                   "ms",
                   "milliseconds",
                   "no point of it fits, or its speed is not known",
                   false},
    [LOAD_COST] = {{"$ per million output tokens", PLOT_3, DRAWN(million), 1},
                   "$/M",
                   "dollars per million output tokens",
                   "no price or no speed is known of this plan",
                   true},
};

/* What they are of a model that answers a prompt with a vector or a score. */
static const struct {
    const char *name, *unit, *title;
} pooling_kinds[LOAD_KIND_COUNT] = {
    [LOAD_TOKENS] = {"prompts/s", "prompts/s", "prompts per second of all users"},
    [LOAD_TPOT] = {"TPOT", "ms", "milliseconds"},
    [LOAD_TTFT] = {"a prompt", "ms", "milliseconds"},
    [LOAD_COST] = {"$ per million prompt tokens", "$/M", "dollars per million prompt tokens"},
};

static struct load_row row_of(const struct load_curve *c, enum load_kind kind)
{
    struct load_row row = kinds[kind];

    if (c->request.model->pooling) {
        row.drawn.name = pooling_kinds[kind].name;
        row.unit = pooling_kinds[kind].unit;
        row.title = pooling_kinds[kind].title;
    }
    return row;
}

static const struct quantity *value_of(const struct load_point *p, const struct drawn *d)
{
    return (const struct quantity *)((const char *)p + d->offset);
}

#define BAND_MOST 2.0 /* a band beyond so many times the line's highest value runs out of sight */
#define GOAL_MOST 2.0 /* so is a goal */

/* The line fills the plot; its band as far as that leaves the line its shape. */
static void fit_y(const struct load_curve *c, const struct drawn *d, double goal, struct plot *plot)
{
    double low = INFINITY, line = 0, high = 0;

    for (int i = 0; i < c->done; i++) {
        const struct quantity *q = value_of(&c->point[i], d);

        if (!q->known || !(q->low > 0))
            continue;
        low = fmin(low, q->low / d->unit);
        line = fmax(line, q->value / d->unit);
        high = fmax(high, q->high / d->unit);
    }
    high = plot->y.log ? high : fmin(high, BAND_MOST * line);
    if (goal > high && goal <= GOAL_MOST * line)
        high = goal;
    plot->y.low = plot->y.log ? low / 1.1 : 0;
    plot->y.high = high * 1.05;
}

static void add_drawn(const struct load_curve *c, const struct drawn *d, struct plot *plot)
{
    struct plot_series *band = plot_add_shade(plot, d->name, d->role, PLOT_BAND);
    struct plot_series *line = plot_add(plot, d->name, d->role, 0);

    for (int i = 0; i < c->done; i++) {
        const struct quantity *q = value_of(&c->point[i], d);
        double x = c->point[i].users;

        plot_span(band, x, q->known ? q->low / d->unit : NAN, q->known ? q->high / d->unit : NAN);
        plot_point(line, x, q->known ? q->value / d->unit : NAN);
    }
}

static void add_own(const struct load_curve *c, const struct drawn *d, struct plot *plot)
{
    const struct load_point *p = load_curve_at(c, c->own);
    struct plot_series *s = plot_add(plot, "the plan", PLOT_HEADING, 'P');

    if (!p || p->users != c->own)
        return;
    if (value_of(p, d)->known)
        plot_point(s, c->own, value_of(p, d)->value / d->unit);
}

/* What is asked of a figure, in its plot's unit; 0: nothing. */
static double goal_of(const struct request *q, enum load_kind kind)
{
    return kind == LOAD_TPOT   ? q->tpot * 1e3
           : kind == LOAD_TTFT ? q->ttft * 1e3
           : kind == LOAD_COST ? q->api_out
                               : q->throughput;
}

static void add_rules(const struct load_curve *c, enum load_kind kind, struct plot *plot)
{
    static const char *const goals[LOAD_KIND_COUNT][2] = {
        {"goal ", " tok/s"}, {"TPOT goal ", " ms"}, {"TTFT goal ", " ms"}, {"an API's $", ""}};
    double goal = goal_of(&c->request, kind);
    bool pooling = c->request.model->pooling;

    if (goal > 0)
        plot_rule(plot, false, goal, PLOT_WARN, "%s%s%s",
                  pooling && kind != LOAD_COST ? "goal " : goals[kind][0], UNITS_PLAIN(goal, 4),
                  pooling && kind == LOAD_TOKENS ? " prompts/s" : goals[kind][1]);
    if (kind == LOAD_TOKENS && c->knee > 0)
        plot_rule(plot, true, c->knee, PLOT_OK, "%.0f users: 90 %% of the most", c->knee);
    if (c->end.fits > 1)
        plot_rule(plot, true, c->end.fits, PLOT_WARN, "%.0f users: %s", c->end.fits,
                  c->end.marginal > c->end.fits ? "marginal beyond"
                                                : limit_words[c->end.after].end);
}

/* ---- words ---- */

/* "TPOT goal likely to 12 users, surely to 5; " */
static void add_goal(bool first, double goal, double to, double sure, const struct load_curve *c,
                     char *words)
{
    const char *name = !first ? "TPOT" : c->request.model->pooling ? "a prompt's" : "TTFT";
    const char *likely = to > 0 ? "likely to"
                         : point_time(&c->point[0], first, false) > goal
                             ? "missed by a single user"
                             : "likely as far as it fits";

    if (!(goal > 0))
        return;
    gp_append(words, CURVE_WORDS, "", "%s goal %s", name, likely);
    if (to > 0)
        gp_append(words, CURVE_WORDS, "", " %.0f user%s", to, to == 1 ? "" : "s");
    if (sure > 0)
        gp_append(words, CURVE_WORDS, "", ", surely to %.0f", sure);
    else if (point_time(&c->point[0], first, false) <= goal)
        gp_append(words, CURVE_WORDS, "", ", surely %s",
                  point_time(&c->point[0], first, true) > goal ? "at none" : "too");
    gp_append(words, CURVE_WORDS, "", "; ");
}

static void say_words(const struct load_curve *c, enum load_kind kind, char words[CURVE_WORDS])
{
    char marginal[32] = "", count[32];
    bool done = c->done == c->count, pooling = c->request.model->pooling;
    const char *rate = pooling ? "prompts/s" : "tok/s";
    const char *most = c->most < 100 ? units_plain(count, sizeof(count), c->most, 3)
                                     : units_tokens(count, sizeof(count), round(c->most));

    words[0] = '\0';
    if (kind == LOAD_TPOT && done)
        add_goal(false, c->request.tpot, c->tpot_to, c->tpot_sure, c, words);
    if (kind == LOAD_TTFT && done)
        add_goal(true, c->request.ttft, c->ttft_to, c->ttft_sure, c, words);
    if (kind == LOAD_TOKENS && done && c->knee > 0)
        gp_format(words, CURVE_WORDS, "90 %% of the most, %s %s, from %.0f users on, at %s %s ms; ",
                  most, rate, c->knee, pooling ? "a prompt in" : "TPOT",
                  UNITS_PLAIN(c->knee_pace * 1e3, 3));
    else if (kind == LOAD_TOKENS && done && c->most > 0)
        gp_format(words, CURVE_WORDS, "no knee: it still grows at %s %s, where room ends; ", most,
                  rate);
    if (c->end.marginal > c->end.fits)
        gp_format(marginal, sizeof(marginal), ", marginal to %.0f", c->end.marginal);
    size_t used = strlen(words);
    if (c->end.fits < 1)
        gp_format(words + used, CURVE_WORDS - used, "nothing fits for certain: %s",
                  limit_words[c->end.after].end);
    else
        gp_format(words + used, CURVE_WORDS - used, "%d x %s fit %.0f user%s%s; then %s",
                  c->layout.gpus, c->request.gpu->id, c->end.fits, c->end.fits == 1 ? "" : "s",
                  marginal, limit_words[c->end.after].end);
}

/* ---- all of it ---- */

bool load_curve_plot(const struct load_curve *c, enum load_kind kind, struct plot *plot,
                     char words[CURVE_WORDS])
{
    const struct load_row row = row_of(c, kind);
    const struct drawn *d = &row.drawn;
    int i = 0;

    while (i < c->done && !value_of(&c->point[i], d)->known)
        i++;
    if (i == c->done) {
        gp_copy(words, CURVE_WORDS, row.none);
        return false;
    }
    plot->x = (struct plot_axis){
        .low = c->low, .high = c->high, .whole = true, .title = "users: requests in flight"};
    plot->y = (struct plot_axis){.log = row.log, .base = 10, .unit = row.unit, .title = row.title};
    fit_y(c, d, goal_of(&c->request, kind), plot);
    add_drawn(c, d, plot);
    add_own(c, d, plot);
    add_rules(c, kind, plot);
    say_words(c, kind, words);
    return true;
}

#define LAYERS 24 /* products of a model at most */

/* ---- axes and lines ---- */

double roof_curve_floor2(double value)
{
    return value > 0 && isfinite(value) ? exp2(floor(log2(value) + 1e-9)) : 1;
}

double roof_curve_ceil2(double value)
{
    return value > 0 && isfinite(value) ? exp2(ceil(log2(value) - 1e-9)) : 1;
}

double roof_curve_rates(struct plot *plot, double low, double high, double most, bool whole)
{
    bool giga = most > 0 && most < 1e12;
    double unit = giga ? 1e9 : 1e12;

    plot->y = (struct plot_axis){.low = roof_curve_floor2(low / unit),
                                 .high = roof_curve_ceil2(high / unit),
                                 .log = true,
                                 .base = 2,
                                 .unit = whole  ? (giga ? "GOP/s" : "TOP/s")
                                         : giga ? "GFLOP/s"
                                                : "TFLOP/s"};
    plot->y.title = plot->y.unit;
    return unit;
}

void roof_curve_line(struct plot *plot, const char *name, enum plot_role role, char label,
                     struct roof roof, double unit)
{
    bool flat = roof.rate.known && roof.rate.value > 0;
    bool slope = roof.bandwidth.known && roof.bandwidth.value > 0;
    double rate = flat ? roof.rate.value : INFINITY;
    double bandwidth = slope ? roof.bandwidth.value : INFINITY;
    double low = plot->x.low, high = plot->x.high, ridge = rate / bandwidth;
    struct plot_series *s = flat || slope ? plot_add(plot, name, role, 0) : NULL;

    if (!s)
        return;
    s->label = label;
    plot_point(s, low, fmin(rate, low * bandwidth) / unit);
    if (ridge > low && ridge < high)
        plot_point(s, ridge, rate / unit);
    plot_point(s, high, fmin(rate, high * bandwidth) / unit);
}

/* ---- points ---- */

/* The type in which this GPU computes with weights of that format: its own, else the 16
 * bit of the activations, else FP16. */
static enum format_math math_of(const struct request *q, const struct format *f)
{
    const enum format_math tries[] = {f->math, q->precision.base->math, MATH_FP16};

    for (int i = 0; i < 3; i++)
        if (!q->gpu->rate[tries[i]].known || q->gpu->rate[tries[i]].value > 0)
            return tries[i];
    return f->math;
}

static double operand_bytes(enum format_math math)
{
    switch (math) {
    case MATH_FP32:
    case MATH_TF32:
        return 4;
    case MATH_FP8:
    case MATH_INT8:
        return 1;
    case MATH_FP4:
    case MATH_INT4:
        return 0.5;
    default:
        return 2;
    }
}

static double stored_bytes(const struct request *q, const struct format *f, double m, double k,
                           bool head)
{
    struct format copy = *f;

    if (f->mix)
        copy.bits = head ? f->output_bits : format_core_bits(f, model_params(q->model));
    return format_bytes(&copy, m, k);
}

struct work {
    double intensity, rate; /* FLOP per byte; FLOP/s that the law of speed predicts */
    enum roof_bound bound;  /* of the sheet */
    bool above;             /* faster than the sheet allows */
};

static struct work work_of(const struct request *q, const struct products_layer *layer, double n)
{
    const struct format *f = q->precision.by_role[layer->role];
    enum format_math math = math_of(q, f);
    struct roof roof = roof_of_gpu(q->gpu, math, false);
    double m = (double)layer->m, k = (double)layer->k;
    double operations = 2 * m * n * k;
    double bytes = stored_bytes(q, f, m, k, layer->role == ROLE_HEAD) +
                   n * k * operand_bytes(math) + m * n * q->precision.base->bits / 8;
    struct roofline line = roofline_work(&roof, operations, bytes);
    double time = step_product_time(
        q, f, m, k, stored_bytes(q, f, m, k, layer->role == ROLE_HEAD) / (m * k), n);

    return (struct work){operations / bytes, time > 0 ? operations / time : NAN, line.bound,
                         line.time.known && time > 0 && time < line.time.value};
}

double roof_curve_tokens(const struct model *model, const struct products_layer *layer, double n)
{
    for (int k = 0; k < model->kind_count && layer->role == ROLE_EXPERT; k++)
        if (model->kind[k].experts > 0)
            return fmax(1, n * model->kind[k].experts_active / model->kind[k].experts);
    return n;
}

struct tally {
    int memory, above, all;
};

static struct tally add_batch(struct roof_curve *c, const struct plan *plan, const char *name,
                              double n, double unit, struct plot *plot)
{
    const struct request *q = &plan->request;
    struct products_layer layer[LAYERS];
    int count = products_layers(q->model, &plan->layout, layer, LAYERS), mark = 0;
    struct tally tally = {0};

    for (int i = 0; i < plot->count; i++)
        mark += plot->series[i].mark != 0;
    c->batch[plot->count] = n;
    struct plot_series *s = plot_add(plot, name, plot_role(mark), (char)('1' + mark));
    if (s) /* "decode b=16": its last word, or that of a prompt */
        gp_copy(s->tag, sizeof(s->tag), strchr(name, '=') ? strchr(name, ' ') + 1 : "prefill");
    for (int i = 0; i < count; i++) {
        struct work w = work_of(q, &layer[i], roof_curve_tokens(q->model, &layer[i], n));

        plot_point(s, w.intensity, w.rate / unit);
        tally.memory += w.bound == ROOF_MEMORY;
        tally.above += w.above;
        tally.all++;
    }
    return tally;
}

/* "memory bound", or how many products are. */
static const char *tally_text(struct tally tally, struct texts *t)
{
    if (tally.memory == tally.all || tally.memory == 0)
        return tally.memory ? "memory bound" : "arithmetic bound";
    return texts_addf(t, "memory bound in %d of %d products", tally.memory, tally.all);
}

/* ---- the curve ---- */

static bool is_positive(struct quantity q)
{
    return q.known && q.value > 0;
}

static void add_roof(struct plot *plot, const struct gpu *gpu, enum format_math math, char label,
                     double unit)
{
    struct roof roof = roof_of_gpu(gpu, math, false);
    char name[64];

    gp_format(name, sizeof(name), "%s roof%s", format_math_word(math),
              is_positive(roof.rate) ? "" : " (no rate known)");
    roof_curve_line(plot, name, label == 'a' ? PLOT_TEXT : PLOT_DIM, label, roof, unit);
}

#define RIDGE_MOST 65536.0 /* tokens at once looked at for the ridge */

/* The tokens at once from which on the largest product of a layer is bound by arithmetic; 0: by
 * none looked at. */
static double ridge_tokens(const struct request *q, const struct layout *layout, double ridge)
{
    struct products_layer layer[LAYERS];
    int count = products_layers(q->model, layout, layer, LAYERS), best = -1;
    double low = 0, high = 1;

    for (int i = 0; i < count; i++)
        if (layer[i].role != ROLE_HEAD &&
            (best < 0 || layer[i].m * layer[i].k > layer[best].m * layer[best].k))
            best = i;
    if (best < 0 || !(ridge > 0))
        return 0;
    while (high < RIDGE_MOST &&
           work_of(q, &layer[best], roof_curve_tokens(q->model, &layer[best], high)).intensity <
               ridge) {
        low = high;
        high *= 2;
    }
    while (high - low > 1) {
        double n = floor((low + high) / 2);

        if (work_of(q, &layer[best], roof_curve_tokens(q->model, &layer[best], n)).intensity <
            ridge)
            low = n;
        else
            high = n;
    }
    return high < RIDGE_MOST ? high : 0;
}

/* The products of decode steps of one user, of the users of a replica and of 64, and of a
 * prompt; and what there is to say of them. */
static void add_batches(struct roof_curve *c, const struct plan *plan, double ridge, double unit,
                        struct plot *plot, char words[CURVE_WORDS])
{
    const struct request *q = &plan->request;
    double users = fmax(1, ceil(plan->memory.users));
    double batch[] = {1, users, 64}, turn = ridge_tokens(q, &plan->layout, ridge);
    struct tally own = {0}, prefill;
    struct texts t = {0};
    int above = 0;

    for (int i = 0; i < 3; i++) {
        struct tally decode;

        if ((i == 1 && users == 1) || (i == 2 && users == 64))
            continue;
        decode =
            add_batch(c, plan, texts_addf(&t, "decode b=%.0f", batch[i]), batch[i], unit, plot);
        above += decode.above;
        if (batch[i] == users)
            own = decode;
    }
    prefill = add_batch(c, plan, texts_addf(&t, "prefill %s", UNITS_TOKENS(q->prompt)), q->prompt,
                        unit, plot);
    above += prefill.above;
    if (turn > 0)
        plot_rule(plot, true, ridge, PLOT_DIM, "ridge: batch %.0f", turn);
    if (ridge > 0)
        gp_format(words, CURVE_WORDS,
                  "ridge %.0f FLOP/B%s; decode at %.0f user%s is %s, prefill of %s tokens %s",
                  ridge, q->gpu->confidence[0] == 'l' ? " (figures of low confidence)" : "", users,
                  users == 1 ? "" : "s", tally_text(own, &t), UNITS_TOKENS(q->prompt),
                  tally_text(prefill, &t));
    else
        gp_format(words, CURVE_WORDS, "no ridge: the sheet of %s lacks a rate or a bandwidth",
                  q->gpu->id);
    if (above > 0) /* the law is fitted to what was measured: a sheet may promise less */
        gp_append(words, CURVE_WORDS, "; ", "%d product%s above the sheet's roof", above,
                  above == 1 ? "" : "s");
    texts_fini(&t);
}

bool roof_curve(struct roof_curve *c, const struct plan *plan, double low, double high,
                struct plot *plot, char words[CURVE_WORDS])
{
    const struct request *q = &plan->request;
    enum format_math math = math_of(q, q->precision.weight);
    enum format_math base = math_of(q, q->precision.base);
    struct roof roof = roof_of_gpu(q->gpu, math, false);
    bool both = is_positive(roof.rate) && is_positive(roof.bandwidth);
    double ridge = both ? roof.rate.value / roof.bandwidth.value : 0;
    struct texts why = {0};
    double unit;

    if (!is_positive(roof.rate) && !is_positive(roof.bandwidth)) {
        gp_format(words, CURVE_WORDS, "no roofline: the sheet of %s has neither rate nor bandwidth",
                  q->gpu->id);
        return false;
    }
    if (!plan->has_memory) {
        gp_format(words, CURVE_WORDS, "no products to show: %s", sentence_first_reason(plan, &why));
        texts_fini(&why);
        return false;
    }
    bool whole = math == MATH_INT8 || math == MATH_INT4;
    double rate = is_positive(roof.rate) ? roof.rate.value : 0;
    double bandwidth = is_positive(roof.bandwidth) ? roof.bandwidth.value : 0;
    double peak = rate;

    plot->x = (struct plot_axis){
        .log = true, .base = 2, .title = "intensity, FLOP per byte of memory (log2)"};
    plot_range(plot, low, high, 1, roof_curve_ceil2(fmax(8 * ridge, 2048)));
    if (!(peak > 0))
        peak = bandwidth * plot->x.high;
    unit =
        roof_curve_rates(plot, bandwidth > 0 ? fmin(plot->x.low * bandwidth, peak / 16) : peak / 64,
                         peak * 1.2, rate, whole);
    add_roof(plot, q->gpu, math, 'a', unit);
    if (base != math && is_positive(q->gpu->rate[base])) /* some products are computed in it */
        add_roof(plot, q->gpu, base, 'b', unit);
    add_batches(c, plan, ridge, unit, plot, words);
    c->start = ridge > 0 ? ridge : 64;
    gp_format(plot->title, sizeof(plot->title), "Roofline  %s %s (dense)", q->gpu->id,
              format_math_word(math));
    return true;
}

/* ---- by batch ---- */

#define MOST_BATCH 8192.0

bool roof_curve_by_batch(const struct plan *plan, double low_x, double high_x, struct plot *plot)
{
    struct products_layer layer[LAYERS];
    double low = INFINITY, high = 0, unit;
    int count =
        plan->has_memory ? products_layers(plan->request.model, &plan->layout, layer, LAYERS) : 0;

    for (int i = 0; i < count; i++) {
        double n = roof_curve_tokens(plan->request.model, &layer[i], MOST_BATCH);

        low = fmin(low, work_of(&plan->request, &layer[i], 1).rate);
        high = fmax(high, work_of(&plan->request, &layer[i], n).rate);
    }
    if (!(high > 0))
        return false;
    plot->x = (struct plot_axis){.log = true, .base = 2, .title = "batch: tokens at once (log2)"};
    plot_range(plot, low_x, high_x, 1, MOST_BATCH);
    unit = roof_curve_rates(plot, low, high * 1.1, high, false);
    for (int i = 0; i < count && i < 8; i++) {
        struct plot_series *s = plot_add(plot, layer[i].name, plot_role(i), 0);

        if (!s)
            break;
        s->label = (char)('a' + i);
        for (double n = 1; n <= MOST_BATCH; n *= 2) {
            double tokens = roof_curve_tokens(plan->request.model, &layer[i], n);

            plot_point(s, n, work_of(&plan->request, &layer[i], tokens).rate / unit);
        }
    }
    return true;
}

#define SAME 0.05  /* lengths that differ by less are one */
#define SAMPLES 32 /* of the lines, beside those of the points */

/* ---- rows ---- */

static struct measured_times measured_rows_predict(const struct answer *a,
                                                   const struct anchor *point, bool corrected)
{
    struct request q = a->plan.request;
    struct plan plan;

    q.users = point->users;
    q.rate = 0;
    q.prompt = point->prompt;
    q.output = point->output;
    q.spread = (struct spread){0};
    if (!corrected)
        q.correction.points = 0;
    plan_layout(&q, &a->plan.layout, &a->resolved.market, &plan);
    if (plan.speed.gap != SPEED_KNOWN)
        return (struct measured_times){quantity_unknown(), quantity_unknown()};
    return (struct measured_times){plan.speed.tpot, plan.speed.ttft};
}

static void add_row(struct measured_rows *out, const struct anchor *point, const char *what,
                    double measured, const struct quantity *predicted,
                    const struct quantity *corrected)
{
    if (measured > 0 && predicted->known && predicted->value > 0)
        out->row[out->count++] = (struct measured_row){
            what,           point->users,     point->prompt,    point->output,
            measured,       predicted->value, corrected->value, predicted->low,
            predicted->high};
}

static int by_size(const void *a, const void *b)
{
    const double *p = a, *q = b;

    return (*p > *q) - (*p < *q);
}

/* The median of |predicted / measured - 1|, in per cent. */
static double median_error(const struct measured_rows *rows, bool corrected)
{
    double error[2 * ANCHORS_MAX];

    for (int i = 0; i < rows->count; i++) {
        const struct measured_row *r = &rows->row[i];

        error[i] = 100 * fabs((corrected ? r->corrected : r->predicted) / r->measured - 1);
    }
    qsort(error, (size_t)rows->count, sizeof(error[0]), by_size);
    return rows->count % 2 ? error[rows->count / 2]
                           : (error[rows->count / 2 - 1] + error[rows->count / 2]) / 2;
}

enum gp_status measured_rows_read(const struct answer *a, struct measured_rows *out,
                                  struct gp_err *err)
{
    struct serverbench bench = {.count = 0};

    out->count = 0;
    if (!a->resolved.measured[0])
        return GP_OK;
    enum gp_status rc = calibrate_points(a->resolved.measured, &bench, err);
    if (rc)
        return rc;
    for (int i = 0; i < bench.count; i++) {
        const struct anchor *point = &bench.point[i];
        struct measured_times before = measured_rows_predict(a, point, false);
        struct measured_times after = measured_rows_predict(a, point, true);

        add_row(out, point, "TPOT", point->tpot, &before.tpot, &after.tpot);
        add_row(out, point, "TTFT", point->ttft, &before.ttft, &after.ttft);
    }
    if (out->count > 0)
        gp_format(out->words, sizeof(out->words),
                  "Measured: %s. Median error %.0f %% as predicted, %.0f %% corrected by "
                  "these points.",
                  a->resolved.measured, median_error(out, false), median_error(out, true));
    return GP_OK;
}

void measured_rows_table(const struct measured_rows *rows, struct table *table)
{
    static const struct table_column columns[] = {
        {"what", TABLE_LEFT},    {"users", TABLE_RIGHT},       {"prompt", TABLE_RIGHT},
        {"output", TABLE_RIGHT}, {"measured ms", TABLE_RIGHT}, {"predicted", TABLE_RIGHT},
        {"error", TABLE_RIGHT},  {"corrected", TABLE_RIGHT},   {"error", TABLE_RIGHT}};

    table_init(table, columns, sizeof(columns) / sizeof(columns[0]));
    for (int i = 0; i < rows->count; i++) {
        const struct measured_row *r = &rows->row[i];

        table_cell(table, r->what);
        table_cellf(table, "%.1f", r->users);
        table_cellf(table, "%.0f", r->prompt);
        table_cellf(table, "%.0f", r->output);
        table_cellf(table, "%.2f", r->measured * 1e3);
        table_cellf(table, "%.2f", r->predicted * 1e3);
        table_cellf(table, "%+.0f %%", 100 * (r->predicted / r->measured - 1));
        table_cellf(table, "%.2f", r->corrected * 1e3);
        table_cellf(table, "%+.0f %%", 100 * (r->corrected / r->measured - 1));
    }
}

/* ---- times ---- */

static bool is_alike(double a, double b)
{
    return fabs(a - b) <= SAME * fmax(a, b);
}

static bool of_length(const struct measured_row *row, const struct measured_row *like)
{
    return strcmp(row->what, like->what) == 0 && is_alike(row->prompt, like->prompt) &&
           is_alike(row->output, like->output);
}

static int count_alike(const struct measured_rows *rows, const struct measured_row *like)
{
    int count = 0;

    for (int i = 0; i < rows->count; i++)
        count += of_length(&rows->row[i], like);
    return count;
}

struct users {
    double at[SAMPLES + 2 * ANCHORS_MAX];
    int count;
};

static void y_of_times(struct plot *plot)
{
    double low = INFINITY, high = 0;

    for (int i = 0; i < plot->count; i++)
        for (int k = 0; k < plot->series[i].count; k++) {
            const struct plot_series *s = &plot->series[i];

            low = fmin(low, s->y[k]);
            high = fmax(high, s->shade ? s->top[k] : s->y[k]);
        }
    plot->y = (struct plot_axis){
        .low = low / 1.1, .high = high * 1.1, .log = true, .base = 10, .title = "ms", .unit = "ms"};
}

bool measured_plot_times(const struct answer *a, const struct measured_rows *rows, const char *what,
                         struct plot *plot, char words[CURVE_WORDS])
{
    /* The row whose length most others have; NULL: none is of that time. */
    const struct measured_row *like = NULL;

    for (int i = 0; i < rows->count; i++)
        if (strcmp(rows->row[i].what, what) == 0 &&
            (!like || count_alike(rows, &rows->row[i]) > count_alike(rows, like)))
            like = &rows->row[i];
    int shown = 0, in = 0, all = 0;
    struct users users;
    char other[80] = "";

    if (!like)
        return false;
    double low = like->users, high = like->users;

    for (int i = 0; i < rows->count; i++)
        if (of_length(&rows->row[i], like)) {
            low = fmin(low, rows->row[i].users);
            high = fmax(high, rows->row[i].users);
        }
    plot->x = (struct plot_axis){.low = roof_curve_floor2(fmax(low / 1.5, 1)),
                                 .high = roof_curve_ceil2(high * 1.5),
                                 .log = true,
                                 .base = 2,
                                 .title = "users (log2)"};
    /* Where the lines are planned: at the points, and in even steps between and beside them. */
    double step = log2(plot->x.high / plot->x.low) / (SAMPLES - 1);

    users.count = 0;
    for (int i = 0; i < SAMPLES; i++)
        users.at[users.count++] = plot->x.low * exp2(i * step);
    for (int i = 0; i < rows->count; i++)
        if (of_length(&rows->row[i], like))
            users.at[users.count++] = rows->row[i].users;
    qsort(users.at, (size_t)users.count, sizeof(users.at[0]), by_size);
    /* The lines: predicted with its band, and corrected. */
    struct plot_series *band = plot_add_shade(plot, "predicted", PLOT_1, PLOT_BAND);
    struct plot_series *before = plot_add(plot, "predicted", PLOT_1, 0);
    struct plot_series *after = plot_add(plot, "corrected by the points", PLOT_DIM, 0);
    bool tpot = strcmp(like->what, "TPOT") == 0;

    before->label = 'p';
    after->label = 'c';
    for (int i = 0; i < users.count; i++) {
        struct anchor at = {.users = users.at[i], .prompt = like->prompt, .output = like->output};
        struct measured_times t = measured_rows_predict(a, &at, false),
                              c = measured_rows_predict(a, &at, true);
        struct quantity p = tpot ? t.tpot : t.ttft, q = tpot ? c.tpot : c.ttft;

        plot_span(band, at.users, p.known ? p.low * 1e3 : NAN, p.known ? p.high * 1e3 : NAN);
        plot_point(before, at.users, p.known ? p.value * 1e3 : NAN);
        plot_point(after, at.users, q.known ? q.value * 1e3 : NAN);
    }
    struct plot_series *marks = plot_add(plot, "measured", PLOT_2, '1');
    for (int i = 0; i < rows->count; i++) {
        const struct measured_row *r = &rows->row[i];

        all += strcmp(r->what, what) == 0;
        if (!of_length(r, like))
            continue;
        plot_point(marks, r->users, r->measured * 1e3);
        in += r->measured >= r->low && r->measured <= r->high;
        shown++;
    }
    y_of_times(plot);
    gp_format(plot->title, sizeof(plot->title), "%s, measured and predicted, against users", what);
    if (all > shown)
        gp_format(other, sizeof(other), "; %d of other lengths are in the table", all - shown);
    gp_format(words, CURVE_WORDS,
              "%d of %d point%s within the predicted band; requests of %.0f and %.0f tokens%s", in,
              shown, shown == 1 ? "" : "s", like->prompt, like->output, other);
    return true;
}

/* ---- products ---- */

#define BATCH_MOST 8192.0

/* Of one kernel; the worst and best ratio so far. */
static void add_kernel(const struct calib *c, const struct gpu *gpu, enum kernel kernel, int i,
                       double *low, double *high, struct plot *plot)
{
    struct plot_series *s = NULL;
    char name[64];

    gp_format(name, sizeof(name), "%s measured", kernel_word(kernel));
    for (int k = 0; k < c->points; k++) {
        const struct calib_point *p = &c->point[k];
        double ratio = calib_law(gpu, gpu->family, p) / p->time;

        if (p->kernel != kernel || !isfinite(ratio))
            continue;
        s = s ? s : plot_add(plot, name, plot_role(i), (char)('1' + i));
        if (!s || s->count == PLOT_POINTS)
            return;
        plot_point(s, p->tokens, ratio);
        *low = fmin(*low, ratio);
        *high = fmax(*high, ratio);
    }
}

bool measured_plot_products(const struct answer *a, const struct gpu *sheet, struct plot *plot,
                            char words[CURVE_WORDS])
{
    const struct gpu *gpu = a->plan.request.gpu;
    const struct calib *c = gpu->family ? gpu->family->calib : NULL;
    const struct gpu *law = sheet ? sheet : gpu;
    double least, most, low, high;

    if (!c || c->points == 0 || !law->family)
        return false;
    speed_doubt_law(law, &least, &most);
    plot->x = (struct plot_axis){.low = 1,
                                 .high = BATCH_MOST,
                                 .log = true,
                                 .base = 2,
                                 .title = "batch: tokens at once (log2)"};
    low = 1 / most;
    high = least;
    struct plot_series *band = plot_add_shade(plot, "predicted", PLOT_DIM, PLOT_BAND);
    plot_span(band, 1, low, high);
    plot_span(band, BATCH_MOST, low, high);
    for (int k = 0, i = 0; k < KERNEL_COUNT; k++) {
        int before = plot->count;

        add_kernel(c, law, (enum kernel)k, i, &low, &high, plot);
        i += plot->count > before;
    }
    plot->y = (struct plot_axis){
        .low = low / 1.15, .high = high * 1.15, .title = "measured rate / predicted rate"};
    plot_rule(plot, false, 1, PLOT_HEADING, "as predicted");
    gp_copy(plot->title, sizeof(plot->title), "Rate of products, measured / predicted");
    gp_format(words, CURVE_WORDS,
              "%s %s: %d products; the band, %.2f to %.2f, is that of the law %s",
              calib_from_words(c->from), c->date, c->points, 1 / most, least,
              sheet ? "before anything was measured"
                    : "with the bandwidth and the rate that were measured");
    return plot->count > 1;
}
