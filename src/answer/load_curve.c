/*
 * load_curve.c - see load_curve.h.
 */
#include "answer/load_curve.h"

#include <math.h>
#include <string.h>

#include "answer/sentence.h"
#include "base/units.h"
#include "plan/search.h"
#include "plan/sweep.h"

#define FEW_USERS 16.0 /* looked at, at the least */
#define MOST 65536.0   /* at the most */

/* ---- points ---- */

static void point_at(const struct load_curve *c, double users, struct load_point *out)
{
    struct request q = c->request;
    struct plan plan;
    struct quantity month;
    bool fits;

    q.users = users;
    plan_layout(&q, &c->layout, &c->market, &plan);
    fits = plan.has_memory && plan.verdict != VERDICT_DOES_NOT_FIT;
    *out = (struct load_point){.users = users, .verdict = plan.verdict, .limit = plan.limit};
    if (!fits || plan.speed.gap != SPEED_KNOWN) {
        out->gpus = fits ? plan.layout.gpus : 0;
        return;
    }
    out->gpus = plan.layout.gpus;
    out->tpot = plan.speed.tpot;
    out->ttft = plan.speed.ttft;
    out->tokens = plan.speed.tokens;
    out->million = plan_token_price(&plan);
    plan_prices(&plan, &out->per_hour, &month);
}

/* The users up to which a goal in seconds is reached: between the last point that does and
 * the first that does not. */
static double held_to(const struct load_curve *c, double goal, bool first)
{
    double low = 0, high = 0;

    if (!(goal > 0))
        return 0;
    for (int i = 0; i < c->done && high <= 0; i++) {
        const struct quantity *q = first ? &c->point[i].ttft : &c->point[i].tpot;

        if (q->known && q->value > goal)
            high = c->point[i].users;
        else if (q->known)
            low = c->point[i].users;
    }
    while (high - low > 1) {
        struct load_point p;

        point_at(c, floor((low + high) / 2), &p);
        if ((first ? p.ttft : p.tpot).value > goal)
            high = p.users;
        else
            low = p.users;
    }
    return high > 0 ? low : 0;
}

void load_curve_begin(enum load_kind kind, const struct answer *answer, double low, double high,
                      struct load_curve *c)
{
    const struct plan *plan = &answer->plan;

    memset(c, 0, sizeof(*c));
    c->kind = kind;
    c->request = plan->request;
    c->request.rate = 0;
    c->layout = plan->layout;
    c->market = answer->resolved.market;
    c->own = fmax(1, ceil(plan->request.users));
    c->end = sweep_end(&plan->request, &plan->layout, SWEEP_USERS);
    double most = fmax(fmax(1.5 * c->end.fits, c->own), FEW_USERS);
    c->low = isfinite(low) ? fmax(1, low) : 1;
    c->high = isfinite(high) ? high : exp2(ceil(log2(fmin(most, MOST))));
    c->count = sweep_values(&c->request, SWEEP_USERS, c->low, c->high, c->x, LOAD_POINTS - 3);
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
    if (c->kind == LOAD_SPEED) {
        c->tpot_to = held_to(c, c->request.tpot, false);
        c->ttft_to = held_to(c, c->request.ttft, true);
    }
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
    char label;
    enum plot_role role;
    size_t offset; /* of its quantity in struct load_point */
    double unit;
};

#define DRAWN(member) offsetof(struct load_point, member)

/* What each kind draws, and its axis. */
static const struct {
    const char *unit, *title, *none;
    struct drawn drawn[2];
    int count;
} kinds[LOAD_KIND_COUNT] = {
    [LOAD_SPEED] = {"ms",
                    "milliseconds",
                    "no point of it fits, or its speed is not known",
                    {{"TPOT", 't', PLOT_1, DRAWN(tpot), 1e-3},
                     {"TTFT", 'f', PLOT_2, DRAWN(ttft), 1e-3}},
                    2},
    [LOAD_COST] = {"$/M",
                   "dollars per million output tokens",
                   "no price or no speed is known of this plan",
                   {{"$ per million output tokens", 'm', PLOT_3, DRAWN(million), 1}},
                   1},
    [LOAD_TOKENS] = {"tok/s",
                     "output tokens per second of all users",
                     "no point of it fits, or its speed is not known",
                     {{"output tokens/s", 'o', PLOT_1, DRAWN(tokens), 1}},
                     1},
};

static const struct quantity *value_of(const struct load_point *p, const struct drawn *d)
{
    return (const struct quantity *)((const char *)p + d->offset);
}

static void fit_y(const struct load_curve *c, const struct drawn *d, int count, struct plot *plot)
{
    double low = INFINITY, high = 0;

    for (int k = 0; k < count; k++)
        for (int i = 0; i < c->done; i++) {
            const struct quantity *q = value_of(&c->point[i], &d[k]);

            if (!q->known || !(q->low > 0))
                continue;
            low = fmin(low, q->low / d[k].unit);
            high = fmax(high, q->high / d[k].unit);
        }
    plot->y.low = low / 1.1;
    plot->y.high = high * 1.1;
}

static void add_drawn(const struct load_curve *c, const struct drawn *d, struct plot *plot)
{
    struct plot_series *band = plot_add_shade(plot, d->name, d->role, PLOT_BAND);
    struct plot_series *line = plot_add(plot, d->name, d->role, 0);

    line->label = d->label;
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

static void add_rules(const struct load_curve *c, struct plot *plot)
{
    const struct request *q = &c->request;

    if (c->kind == LOAD_SPEED && q->tpot > 0)
        plot_rule(plot, false, q->tpot * 1e3, PLOT_1, "TPOT goal %s ms",
                  UNITS_PLAIN(q->tpot * 1e3, 4));
    if (c->kind == LOAD_SPEED && q->ttft > 0)
        plot_rule(plot, false, q->ttft * 1e3, PLOT_2, "TTFT goal %s ms",
                  UNITS_PLAIN(q->ttft * 1e3, 4));
    if (c->kind == LOAD_COST && q->api_out > 0)
        plot_rule(plot, false, q->api_out, PLOT_WARN, "an API's $%s", UNITS_PLAIN(q->api_out, 4));
    if (c->kind == LOAD_TOKENS && q->throughput > 0)
        plot_rule(plot, false, q->throughput, PLOT_1, "goal %s tok/s",
                  UNITS_PLAIN(q->throughput, 4));
    if (c->end.fits > 1)
        plot_rule(plot, true, c->end.fits, PLOT_WARN, "%.0f users: %s", c->end.fits,
                  c->end.marginal > c->end.fits ? "marginal beyond"
                                                : limit_words[c->end.after].end);
}

/* ---- words ---- */

/* "TPOT goal reached to 12 users, " */
static void add_goal(const char *name, double goal, double to, const struct load_curve *c,
                     char *words)
{
    size_t used = strlen(words);

    if (!(goal > 0))
        return;
    if (to > 0)
        gp_format(words + used, CURVE_WORDS - used, "%s goal reached to %.0f user%s; ", name, to,
                  to == 1 ? "" : "s");
    else
        gp_format(words + used, CURVE_WORDS - used, "%s goal %s; ", name,
                  c->point[0].tpot.known &&
                          (name[1] == 'P' ? c->point[0].tpot : c->point[0].ttft).value > goal
                      ? "missed by a single user"
                      : "reached as far as it fits");
}

static void say_words(const struct load_curve *c, char words[CURVE_WORDS])
{
    char marginal[32] = "";
    size_t used;

    words[0] = '\0';
    if (c->kind == LOAD_SPEED && c->done == c->count) {
        add_goal("TPOT", c->request.tpot, c->tpot_to, c, words);
        add_goal("TTFT", c->request.ttft, c->ttft_to, c, words);
    }
    if (c->end.marginal > c->end.fits)
        gp_format(marginal, sizeof(marginal), ", marginal to %.0f", c->end.marginal);
    used = strlen(words);
    if (c->end.fits < 1)
        gp_format(words + used, CURVE_WORDS - used, "nothing fits for certain: %s",
                  limit_words[c->end.after].end);
    else
        gp_format(words + used, CURVE_WORDS - used, "%d x %s fit %.0f user%s%s; then %s",
                  c->layout.gpus, c->request.gpu->id, c->end.fits, c->end.fits == 1 ? "" : "s",
                  marginal, limit_words[c->end.after].end);
}

/* ---- all of it ---- */

bool load_curve_plot(const struct load_curve *c, struct plot *plot, char words[CURVE_WORDS])
{
    const struct drawn *d = kinds[c->kind].drawn;
    int count = kinds[c->kind].count, i = 0;

    while (i < c->done && !value_of(&c->point[i], d)->known)
        i++;
    if (i == c->done) {
        gp_copy(words, CURVE_WORDS, kinds[c->kind].none);
        return false;
    }
    plot->x = (struct plot_axis){.low = c->low,
                                 .high = c->high,
                                 .log = true,
                                 .base = 2,
                                 .title = "users: requests in flight (log2)"};
    plot->y = (struct plot_axis){
        .log = true, .base = 10, .unit = kinds[c->kind].unit, .title = kinds[c->kind].title};
    fit_y(c, d, count, plot);
    for (int k = 0; k < count; k++)
        add_drawn(c, &d[k], plot);
    add_own(c, d, plot);
    add_rules(c, plot);
    say_words(c, words);
    return true;
}
