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
#define GPU_FACTOR 16  /* of LOAD_GPUS: so many times the plan's users */
#define STEPS 32       /* points of a search */

/* ---- points ---- */

static void plan_at(const struct load_curve *c, double users, struct plan *plan)
{
    struct request q = c->request;

    q.users = users;
    if (c->kind == LOAD_GPUS)
        plan_request(&q, &c->market, plan);
    else
        plan_layout(&q, &c->layout, &c->market, plan);
}

static void point_at(const struct load_curve *c, double users, struct load_point *out)
{
    struct plan plan;
    struct quantity month;
    bool fits;

    plan_at(c, users, &plan);
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
    double most;

    memset(c, 0, sizeof(*c));
    c->kind = kind;
    c->request = plan->request;
    c->request.rate = 0;
    c->layout = plan->layout;
    c->market = answer->resolved.market;
    c->own = fmax(1, ceil(plan->request.users));
    if (kind == LOAD_GPUS) {
        c->request.gpu_count = c->request.replicas = 0;
        most = GPU_FACTOR * c->own;
    } else {
        c->end = sweep_end(&plan->request, &plan->layout, SWEEP_USERS);
        most = fmax(1.5 * c->end.fits, c->own);
    }
    c->low = isfinite(low) ? fmax(1, low) : 1;
    c->high = isfinite(high) ? high : exp2(ceil(log2(fmin(fmax(most, FEW_USERS), MOST))));
    c->count = sweep_values(&c->request, SWEEP_USERS, c->low, c->high, c->x,
                            kind == LOAD_GPUS ? STEPS : LOAD_POINTS - 3);
    if (c->own >= c->low && c->own <= c->high)
        c->count = sweep_insert(c->x, c->count, LOAD_POINTS, c->own);
    for (int i = 0; i < 2 && kind != LOAD_GPUS; i++)
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

static const struct drawn speeds[] = {{"TPOT", 't', PLOT_1, DRAWN(tpot), 1e-3},
                                      {"TTFT", 'f', PLOT_2, DRAWN(ttft), 1e-3}};
static const struct drawn costs[] = {
    {"$ per million output tokens", 'm', PLOT_3, DRAWN(million), 1}};

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

/* A stair: as many GPUs up to the users of the next point. */
static void add_stair(const struct load_curve *c, struct plot *plot)
{
    struct plot_series *s = plot_add(plot, "GPUs", PLOT_1, 0);
    double most = 1;

    s->label = 'n';
    for (int i = 0; i < c->done; i++) {
        const struct load_point *p = &c->point[i];

        if (i > 0 && p->gpus && c->point[i - 1].gpus)
            plot_point(s, p->users, c->point[i - 1].gpus);
        plot_point(s, p->users, p->gpus ? p->gpus : NAN);
        most = fmax(most, p->gpus);
    }
    plot->y.high = 1.15 * most;
}

static void add_own(const struct load_curve *c, const struct drawn *d, struct plot *plot)
{
    const struct load_point *p = load_curve_at(c, c->own);
    struct plot_series *s = plot_add(plot, "the plan", PLOT_HEADING, 'P');

    if (!p || p->users != c->own)
        return;
    if (d && value_of(p, d)->known)
        plot_point(s, c->own, value_of(p, d)->value / d->unit);
    else if (!d && p->gpus)
        plot_point(s, c->own, p->gpus);
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
    if (c->kind != LOAD_GPUS && c->end.fits > 1)
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

static void say_gpus(const struct load_curve *c, char words[CURVE_WORDS])
{
    const struct load_point *own = load_curve_at(c, c->own), *none = NULL;
    char ends[64] = "";

    for (int i = 0; i < c->done && !none; i++)
        none = c->point[i].gpus ? NULL : &c->point[i];
    if (none)
        gp_format(ends, sizeof(ends), "; none serves %.0f: %s", none->users,
                  limit_words[none->limit].end);
    gp_format(words, CURVE_WORDS, "the fewest %s for so many users%s: %d for the plan's %.0f%s%s",
              c->request.gpu->id,
              c->request.ttft > 0 || c->request.tpot > 0 ? " that reach the goals" : "",
              own ? own->gpus : 0, c->own, ends, c->done < c->count ? " ..." : "");
}

static void say_words(const struct load_curve *c, char words[CURVE_WORDS])
{
    char marginal[32] = "";
    size_t used;

    words[0] = '\0';
    if (c->kind == LOAD_GPUS) {
        say_gpus(c, words);
        return;
    }
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

static bool has_value(const struct load_curve *c, const struct drawn *d)
{
    for (int i = 0; i < c->done; i++)
        if (d ? value_of(&c->point[i], d)->known : c->point[i].gpus > 0)
            return true;
    return false;
}

bool load_curve_plot(const struct load_curve *c, struct plot *plot, char words[CURVE_WORDS])
{
    const struct drawn *d = c->kind == LOAD_SPEED ? speeds : c->kind == LOAD_COST ? costs : NULL;
    int count = c->kind == LOAD_SPEED ? 2 : 1;

    if (!has_value(c, d)) {
        gp_copy(words, CURVE_WORDS,
                c->kind == LOAD_COST ? "no price or no speed is known of this plan"
                                     : "no point of it fits, or its speed is not known");
        return false;
    }
    plot->x = (struct plot_axis){.low = c->low,
                                 .high = c->high,
                                 .log = true,
                                 .base = 2,
                                 .title = "users: requests in flight (log2)"};
    if (d) {
        plot->y = (struct plot_axis){
            .log = true,
            .base = 10,
            .unit = c->kind == LOAD_SPEED ? "ms" : "$/M",
            .title = c->kind == LOAD_SPEED ? "milliseconds" : "dollars per million output tokens"};
        fit_y(c, d, count, plot);
        for (int k = 0; k < count; k++)
            add_drawn(c, &d[k], plot);
    } else {
        plot->y = (struct plot_axis){.unit = "GPUs", .title = "GPUs"};
        add_stair(c, plot);
    }
    add_own(c, d, plot);
    add_rules(c, plot);
    say_words(c, words);
    return true;
}
