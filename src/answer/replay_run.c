/*
 * replay_run.c - see replay_run.h.
 */
#include "answer/replay_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/own_points.h"
#include "answer/print_plan.h"
#include "answer/report.h"
#include "answer/sentence.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/units.h"
#include "plan/search.h"

/* ---- what is asked ---- */

/* A day or a week of profiles/shapes, or a file of that kind; false: there is none of the name. */
static bool read_shape(struct planner *planner, const char *text, struct replay_run *run,
                       struct gp_err *err)
{
    struct arrivals_ask *ask = &run->ask.arrivals;
    const char *suffix = strrchr(text, '.');
    struct shape shape = {0};
    double sum = 0;
    char path[4096];

    if (suffix && strcmp(suffix, ".cfg") == 0)
        gp_copy(path, sizeof(path), text);
    else if (catalog_file(planner_catalog(planner), "shapes", "shape", text, path, sizeof(path),
                          err))
        return false;
    if (profile_read(path, shape_read, &shape, NULL, NULL, err))
        return true;
    shape_fit(&shape, shape.count, run->hourly);
    for (int i = 0; i < shape.count; i++)
        sum += run->hourly[i] / shape.count;
    for (int i = 0; i < shape.count; i++)
        run->hourly[i] /= sum;
    ask->hourly = run->hourly;
    ask->hours = shape.count;
    ask->kind = ARRIVALS_POISSON;
    run->weekly = true;
    return true;
}

/* As many requests as come in its day or week, or in --duration. */
static enum gp_status count_shape(const struct options *o, struct arrivals_ask *ask,
                                  struct gp_err *err)
{
    ask->seconds = ask->seconds > 0 ? ask->seconds : 3600.0 * ask->hours;
    double count = ask->rate * ask->seconds;
    double most = 0; /* the hours of --duration may be the busiest */

    for (int i = 0; i < ask->hours; i++)
        most = fmax(most, ask->hourly[i]);
    if (ask->seconds < 3600.0 * ask->hours)
        count *= most;
    if (o->value[OPT_REQUESTS].given)
        return GP_OK;
    if (count > 1e7)
        return gp_fail(err, GP_E_USAGE, "--arrivals", "a lower --rate on fewer GPUs, or --duration",
                       "%.0f million requests are more than the 10 million of a replay",
                       count / 1e6);
    ask->count = (int)(count + 6 * sqrt(count)) + 1;
    return GP_OK;
}

static enum gp_status read_arrivals(struct planner *planner, const struct options *o,
                                    struct replay_run *run, struct gp_err *err)
{
    struct arrivals_ask *ask = &run->ask.arrivals;
    const char *text = options_word(o, OPT_ARRIVALS, "");
    const char *colon = strchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : strlen(text);

    ask->shape = 1;
    for (int k = 0; k < ARRIVALS_TRACE; k++) {
        const char *word = arrivals_word((enum arrivals_kind)k);

        if (strlen(word) != n || strncmp(word, text, n) != 0)
            continue;
        ask->kind = (enum arrivals_kind)k;
        if ((k == ARRIVALS_GAMMA) != (colon != NULL))
            break;
        if (!colon)
            return GP_OK;
        if (units_parse_number(colon + 1, "--arrivals", &ask->shape, err))
            return err->code;
        if (ask->shape >= 0.01 && ask->shape <= 1e4)
            return GP_OK;
        return gp_fail(err, GP_E_USAGE, "--arrivals", "1 is Poisson, less is burstier",
                       "a shape of %g is outside 0.01..10000", ask->shape);
    }
    if (read_shape(planner, text, run, err))
        return err->code;
    return gp_fail(err, GP_E_USAGE, "--arrivals",
                   "poisson, constant, gamma:0.7, burst, closed, or a day or week of requests: "
                   "azure-chat, azure-code, office, evening or a file of that kind",
                   "'%s' is no kind of arrivals", text);
}

/* ---- sessions ---- */

#define THINK_TIME 30 /* s, at a rate: assumed */

/* Of so many turns, each of which adds a prompt: prompts of the plan behind a replay. */
struct session_prompts {
    double added, sd;         /* tokens of a turn */
    double mean, spread, end; /* of the whole prompts; tokens that the last turn holds at its end */
};

static struct session_prompts session_prompts(const struct options *o)
{
    double turns = options_or(o, OPT_TURNS, 0), prefix = options_or(o, OPT_PREFIX_TOKENS, 0);
    double added = options_or(o, OPT_PROMPT, 1024), output = options_or(o, OPT_OUTPUT, 256);
    double sd = options_or(o, OPT_PROMPT_STDDEV, 0),
           output_sd = options_or(o, OPT_OUTPUT_STDDEV, 0);
    double each = added + output, behind = (turns - 1) / 2; /* turns before, in the mean */
    double varies = (behind + 1) * sd * sd + behind * output_sd * output_sd;

    return (struct session_prompts){
        .added = added,
        .sd = sd,
        .mean = round(prefix + added + behind * each),
        .spread = round(sqrt(each * each * (turns * turns - 1) / 12 + varies)),
        .end = prefix + turns * each + 3 * sqrt(turns * (sd * sd + output_sd * output_sd)),
    };
}

static void set_number(struct options *o, enum option_id id, double value)
{
    o->value[id] = (struct option_value){.given = true, .number = value};
}

/* The plan behind it is of whole prompts, of which all but what a turn adds is cached. */
static enum gp_status plan_sessions(struct options *plain, struct gp_err *err)
{
    struct session_prompts p = session_prompts(plain);

    if (!plain->value[OPT_TURNS].given) {
        if (plain->value[OPT_THINK_TIME].given)
            return gp_fail(err, GP_E_USAGE, "--think-time", "--turns N",
                           "requests alone have no turn to think about");
        return GP_OK;
    }
    if (plain->value[OPT_TRACE].given)
        return gp_fail(err, GP_E_USAGE, "--turns", "\"session\" in its lines",
                       "a trace has sessions of its own");
    if (plain->value[OPT_DISTINCT_PROMPTS].given)
        return gp_fail(err, GP_E_USAGE, "--distinct-prompts", "leave it out",
                       "the prompts of a session grow, and do not come again");
    if (plain->value[OPT_PREFIX_HIT].given)
        return gp_fail(err, GP_E_USAGE, "--prefix-hit", "leave it out",
                       "what the turns of a session find in the cache is replayed");
    set_number(plain, OPT_PROMPT, p.mean);
    set_number(plain, OPT_PROMPT_STDDEV, p.spread);
    set_number(plain, OPT_PREFIX_HIT, 1 - fmin(p.added / p.mean, 1));
    if (!plain->value[OPT_CONTEXT].given && p.end > 8192)
        set_number(plain, OPT_CONTEXT, ceil(p.end));
    return GP_OK;
}

/* ---- replicas that are lost and added ---- */

#define LOAD_RATE 1e9  /* bytes/s of weights from storage, */
#define LOAD_ENGINE 60 /* s until an engine that has them takes requests: assumed */

/* s from the start of a replica to its first step. */
static double cold_start(const struct plan *p)
{
    const struct layout *l = &p->layout;

    return ceil(p->memory.weights.value * l->tp * l->pp / LOAD_RATE + LOAD_ENGINE);
}

static enum gp_status read_fleet(const struct options *o, struct replay_run *run,
                                 struct gp_err *err)
{
    struct forecast_ask *ask = &run->ask;
    const struct plan *p = &run->answer.plan;
    bool adds = o->value[OPT_ADD_REPLICA_AT].given;

    ask->lose_at = options_or(o, OPT_LOSE_REPLICA_AT, 0);
    if (o->value[OPT_COLD_START].given && !adds)
        return gp_fail(err, GP_E_USAGE, "--cold-start", "--add-replica-at SECONDS",
                       "no replica is started");
    if (adds) {
        run->cold_start = options_or(o, OPT_COLD_START, cold_start(p));
        ask->add_at = fmax(options_or(o, OPT_ADD_REPLICA_AT, 0) + run->cold_start, 1e-3);
    }
    if (ask->lose_at > 0 && !adds && speed_groups(&p->layout) < 2 &&
        p->verdict != VERDICT_DOES_NOT_FIT)
        return gp_fail(err, GP_E_USAGE, "--lose-replica-at",
                       "--replicas 2, or --add-replica-at SECONDS for one in its place",
                       "there is one replica: nothing would be served without it");
    return GP_OK;
}

/* ---- the load ---- */

static enum gp_status read_ask(struct planner *planner, const struct options *o,
                               struct replay_run *run, struct gp_err *err)
{
    const struct request *q = &run->answer.plan.request;
    const struct trace *trace = planner_trace(planner, &run->answer.resolved);
    struct forecast_ask *out = &run->ask;
    struct arrivals_ask *ask = &out->arrivals;

    *ask = forecast_arrivals(q);
    if (trace && trace->seconds > 0) { /* the plan is of its busiest minute */
        ask->kind = ARRIVALS_TRACE;
        ask->rate = o->value[OPT_RATE].given ? q->rate : trace->rate * options_or(o, OPT_SCALE, 1);
    }
    ask->users = (int)options_or(o, OPT_MAX_CONCURRENCY, 0);
    ask->count = (int)options_or(o, OPT_REQUESTS, trace ? 0 : ask->count);
    ask->seconds = options_or(o, OPT_DURATION, 0);
    ask->seed = (uint64_t)options_or(o, OPT_SEED, (double)ask->seed);
    if (o->value[OPT_LENGTHS].given)
        ask->lengths = (enum lengths_kind)options_choice(o, OPT_LENGTHS);
    ask->most = options_or(o, OPT_MAX_TOKENS, 0);
    ask->prefix = (int)options_or(o, OPT_PREFIX_TOKENS, 0);
    ask->distinct = (int)options_or(o, OPT_DISTINCT_PROMPTS, 0);
    ask->trace = trace;
    if (o->value[OPT_TURNS].given) {
        struct session_prompts p = session_prompts(o);

        ask->turns = (int)options_or(o, OPT_TURNS, 0);
        ask->prompt = p.added;
        ask->prompt_sd = p.sd;
        ask->think = options_or(o, OPT_THINK_TIME, q->rate > 0 ? THINK_TIME : 0);
    }
    if (o->value[OPT_ARRIVALS].given && trace && trace->seconds > 0)
        return gp_fail(err, GP_E_USAGE, "--arrivals", "leave one of them out",
                       "a trace has arrivals of its own");
    if (o->value[OPT_ARRIVALS].given && read_arrivals(planner, o, run, err))
        return err->code;
    bool paced = ask->kind == ARRIVALS_POISSON || ask->kind == ARRIVALS_CONSTANT ||
                 ask->kind == ARRIVALS_GAMMA;
    if (paced && q->rate <= 0)
        return gp_fail(err, GP_E_USAGE, "--arrivals", "--rate N, in requests per second",
                       "%s arrivals need a rate", arrivals_word(ask->kind));
    if (ask->hours > 0 && count_shape(o, ask, err))
        return err->code;
    if (ask->kind == ARRIVALS_CLOSED) {
        if (q->rate > 0)
            return gp_fail(err, GP_E_USAGE, "--arrivals", "--users N in place of --rate",
                           "a closed loop has users, no rate");
        ask->users = (int)q->users;
    }
    out->router = (enum router)options_choice(o, OPT_ROUTER);
    out->router = o->value[OPT_ROUTER].given ? out->router : ROUTER_LEAST;
    if (read_fleet(o, run, err))
        return err->code;
    out->bands = true;
    out->timeline = o->value[OPT_TIMELINE].given;
    out->stop = search_abandoned; /* a screen's worker may be called away */
    return GP_OK;
}

/* More come than this plan serves, or than its memory holds at once: what does such a server do
 * with them? The layout is then that of the most users that fit. */
static void plan_overloaded(struct planner *planner, struct replay_run *run)
{
    struct plan *p = &run->answer.plan;
    struct resolved r = run->answer.resolved;

    for (r.request.users = 256; r.request.users >= 1; r.request.users /= 4) {
        struct plan plan;

        r.request.rate = 0;
        planner_plan(planner, &r, &plan);
        if (plan.verdict == VERDICT_DOES_NOT_FIT)
            continue;
        *p = plan;
        return;
    }
}

/* --ttft and --tpot are of 95 in 100 requests here. */
static const struct {
    enum option_id id;
    enum measure measure;
    enum point point;
} goal_options[FORECAST_GOALS] = {
    {OPT_TTFT, MEASURE_TTFT, POINT_P95},     {OPT_TPOT, MEASURE_TPOT, POINT_P95},
    {OPT_TTFT_P95, MEASURE_TTFT, POINT_P95}, {OPT_TTFT_P99, MEASURE_TTFT, POINT_P99},
    {OPT_TPOT_P95, MEASURE_TPOT, POINT_P95}, {OPT_TPOT_P99, MEASURE_TPOT, POINT_P99},
    {OPT_E2E_P95, MEASURE_E2E, POINT_P95},   {OPT_E2E_P99, MEASURE_E2E, POINT_P99},
};

/* The options of the plan behind a replay; the goals are of percentiles, which a plan does not
 * know. solve: the rate that keeps them is looked for. */
static enum gp_status read_goals(const struct options *o, struct options *plain,
                                 struct forecast_ask *ask, bool *solve, struct gp_err *err)
{
    const char *field = options_word(o, OPT_SOLVE, "");
    bool any = false;

    *plain = *o;
    for (int i = 0; i < FORECAST_GOALS; i++) {
        double ms = options_or(o, goal_options[i].id, 0);

        ask->goal[i] =
            (struct forecast_goal){goal_options[i].measure, goal_options[i].point, ms / 1e3};
        any |= ms > 0;
        plain->value[goal_options[i].id] = (struct option_value){0};
    }
    plain->value[OPT_SOLVE] = (struct option_value){0};
    *solve = field[0] != '\0';
    if (!*solve)
        return GP_OK;
    if (strcmp(field, "rate") != 0)
        return gp_fail(err, GP_E_USAGE, "--solve", "gpuplan --plan solves for it",
                       "a replay solves for rate, not for %s", field);
    if (!any)
        return gp_fail(err, GP_E_USAGE, "--solve", "--ttft-p99 MS, --tpot-p95 MS",
                       "the rate is solved for goals, and there is none");
    if (o->value[OPT_RATE].given || o->value[OPT_USERS].given || o->value[OPT_TRACE].given)
        return gp_fail(err, GP_E_USAGE, "--solve", "leave out --rate, --users and the trace",
                       "the rate is given and asked for");
    return GP_OK;
}

/* Why a plan cannot be replayed. */
static enum gp_status fail_gap(enum forecast_gap gap, const struct plan *p, struct gp_err *err)
{
    if (gap == FORECAST_NO_SCHEDULER)
        return gp_fail(err, GP_E_USAGE, "--engine", "vLLM, SGLang, TensorRT-LLM and llama.cpp",
                       "the scheduler of %s is not known: nothing can be replayed",
                       p->request.engine->name);
    return gp_fail(err, GP_E_USAGE, "--replay", "gpuplan --plan says what is missing",
                   "this plan has no speed, so that its steps have no time");
}

/* ---- a server's own benchmark ---- */

#define OWN_ROUNDS 16  /* at most, */
#define OWN_CLOSE 0.01 /* ... until no more is left */
#define OWN_REQUESTS 1000
#define OWN_PACE 0.5 /* of a miss: near saturation a step's time counts more than once */

/* One of its runs as it came. */
static struct forecast_ask ask_own(const struct replay_run *run, const struct anchor *point)
{
    struct forecast_ask ask = run->ask;
    struct arrivals_ask *a = &ask.arrivals;
    bool drawn = a->kind == ARRIVALS_CONSTANT || a->kind == ARRIVALS_GAMMA;

    memset(ask.goal, 0, sizeof(ask.goal));
    ask.lose_at = ask.add_at = 0;
    ask.bands = ask.timeline = false;
    ask.served = true;
    a->kind = point->rate > 0  ? (drawn ? a->kind : ARRIVALS_POISSON)
              : point->at_once ? ARRIVALS_BURST
                               : ARRIVALS_CLOSED;
    a->trace = NULL;
    a->hours = 0;
    a->turns = 0;
    a->seconds = 0;
    a->rate = point->rate;
    a->users = point->rate > 0 || point->at_once ? 0 : (int)fmax(point->users, 1);
    a->count = (int)fmin(fmax(point->requests, 1), OWN_REQUESTS);
    a->prompt_sd *= point->prompt / a->prompt;
    a->output_sd *= point->output / a->output;
    a->prompt = point->prompt;
    a->output = point->output;
    return ask;
}

/* Is half of the time to a first token and more a wait for a step, which no factor on prompts and
 * the front end moves? */
static bool is_queue(const struct forecast *f)
{
    return f->point[MEASURE_QUEUE][POINT_P50].value > f->point[MEASURE_TTFT][POINT_P50].value / 2;
}

/* ln(measured / replayed), of medians where they are known. */
static void keep_miss(const struct forecast *f, enum measure measure, double middle, double mean,
                      double *out, int *count)
{
    const struct quantity *at = &f->point[measure][middle > 0 ? POINT_P50 : POINT_MEAN];

    if (at->known && at->value > 0)
        out[(*count)++] = log((middle > 0 ? middle : mean) / at->value);
}

/* The points of --calibration corrected the closed form, in which alike requests run in a steady
 * number. Runs whose arrivals are known are replayed, and correct what is left. */
static enum gp_status fit_own(struct replay_run *run, struct gp_err *err)
{
    struct correction *c = &run->answer.plan.request.correction;
    struct serverbench bench = {.count = 0};

    if (!request_corrected(&run->answer.plan.request))
        return GP_OK;
    enum gp_status rc = calibrate_points(run->answer.resolved.measured, &bench, err);
    for (int round = 0; !rc && round < OWN_ROUNDS; round++) {
        double step[ANCHORS_MAX], first[ANCHORS_MAX];
        int steps = 0, firsts = 0;

        for (int i = 0; i < bench.count; i++) {
            const struct anchor *point = &bench.point[i];
            struct forecast_ask ask = ask_own(run, point);
            struct forecast f;

            if (point->requests <= 0 || forecast_run(&run->answer.plan, &ask, &f) != FORECAST_KNOWN)
                continue;
            if (point->tpot > 0)
                keep_miss(&f, MEASURE_TPOT, point->middle_tpot, point->tpot, step, &steps);
            if (!point->at_once && point->ttft > 0 && !is_queue(&f))
                keep_miss(&f, MEASURE_TTFT, point->middle_ttft, point->ttft, first, &firsts);
            forecast_fini(&f);
        }
        /* one that is apart from the others does not count */
        double slow = gp_middle(step, steps), late = gp_middle(first, firsts);
        if (fabs(slow) < OWN_CLOSE && fabs(late) < OWN_CLOSE)
            break;
        for (int i = 0; i < CORRECT_COUNT; i++)
            c->by[i] *= exp(OWN_PACE * slow);
        c->first *= exp(OWN_PACE * late);
    }
    return rc;
}

/* The largest rate, and the request at it. */
static enum gp_status solve_rate(struct planner *planner, const struct options *o,
                                 struct replay_run *out, struct gp_err *err)
{
    struct arrivals_ask *ask = &out->ask.arrivals;
    const struct plan *p = &out->answer.plan;

    /* the plan's GPUs, not those of as many users as there may be */
    if (out->answer.resolved.request.gpu_count == 0 && p->verdict != VERDICT_DOES_NOT_FIT)
        out->answer.resolved.request.gpu_count = p->layout.gpus;
    plan_overloaded(planner, out);
    ask->kind = ARRIVALS_POISSON;
    ask->users = (int)options_or(o, OPT_MAX_CONCURRENCY, 0);
    ask->think = options_or(o, OPT_THINK_TIME, THINK_TIME);
    if (o->value[OPT_ARRIVALS].given && read_arrivals(planner, o, out, err))
        return err->code;
    if (ask->kind == ARRIVALS_BURST || ask->kind == ARRIVALS_CLOSED || ask->hours > 0)
        return gp_fail(err, GP_E_USAGE, "--arrivals", "poisson, constant or gamma:SHAPE",
                       "%s arrivals have no rate to solve for", options_word(o, OPT_ARRIVALS, ""));
    if (out->answer.plan.verdict == VERDICT_DOES_NOT_FIT)
        return GP_OK;
    if (fit_own(out, err))
        return err->code;
    enum forecast_gap gap = forecast_solve_rate(&out->answer.plan, &out->ask, &out->rate);
    if (gap != FORECAST_KNOWN)
        return fail_gap(gap, &out->answer.plan, err);
    out->solved = true;
    ask->rate = out->rate.value > 0 ? out->rate.value : 1e-3;
    return GP_OK;
}

/* ---- hour by hour ---- */

static const struct {
    enum measure measure;
    enum point point;
    double share;
} lates[LATE_COUNT] = {
#define X(NAME, measure, point, ...) \
    [LATE_##NAME] = {MEASURE_##measure, POINT_##point, SHARE_##point},
#define SHARE_P50 0.50
#define SHARE_P95 0.95
#define SHARE_P99 0.99
    LATES(X)
#undef X
};

static double seen_value(const struct forecast_seen *s, enum measure measure)
{
    return measure == MEASURE_TTFT ? s->ttft : measure == MEASURE_TPOT ? s->tpot : s->e2e;
}

/* Which of so many parts a request belongs to; -1: none. */
typedef int part_fn(const struct replay_run *run, int parts, int request);

/* Requests in the order of their parts; first[p] of part p, and behind the last part. */
static int *order_by_part(const struct replay_run *run, part_fn *part, int parts, int *first)
{
    int all = run->forecast.arrivals.load.count, of;
    int *order = gp_malloc(((size_t)all + 1) * sizeof(*order));

    memset(first, 0, ((size_t)parts + 1) * sizeof(*first));
    for (int i = 0; i < all; i++)
        if ((of = part(run, parts, i)) >= 0)
            first[of]++;
    for (int p = 1; p <= parts; p++)
        first[p] += first[p - 1];
    for (int i = all; i-- > 0;)
        if ((of = part(run, parts, i)) >= 0)
            order[--first[of]] = i;
    return order;
}

/* The points of a measure, whose first is late[m]; values are reordered. */
static void fill_points(float *value, int n, int m, double *late)
{
    for (int i = m, from = 0; i < m + LATE_POINTS; i++)
        late[i] = forecast_percentile(value, n, lates[i].share, &from);
}

#define LATE_MEASURES (LATE_COUNT / LATE_POINTS)

static void fill_parts(const struct replay_run *run, part_fn *part, int parts,
                       struct replay_part *out)
{
    int *first = gp_malloc(((size_t)parts + 1) * sizeof(*first)), most = 0;
    int *order = order_by_part(run, part, parts, first);

    for (int p = 0; p < parts; p++) {
        out[p].requests = first[p + 1] - first[p];
        most = out[p].requests > most ? out[p].requests : most;
    }
    float *value = gp_malloc(LATE_MEASURES * ((size_t)most + 1) * sizeof(*value));
    for (int p = 0; p < parts; p++) {
        int n[LATE_MEASURES] = {0};

        for (int i = first[p]; i < first[p + 1]; i++) {
            struct forecast_seen s = forecast_seen(&run->forecast, order[i]);

            for (int k = 0; k < LATE_MEASURES; k++) {
                double v = seen_value(&s, lates[k * LATE_POINTS].measure);

                if (!isnan(v))
                    value[(size_t)k * (size_t)most + (size_t)n[k]++] = (float)v;
            }
        }
        for (int k = 0; k < LATE_MEASURES; k++)
            fill_points(value + (size_t)k * (size_t)most, n[k], k * LATE_POINTS, out[p].late);
    }
    free(first);
    free(order);
    free(value);
}

/* That in which it came. */
static int hour_of(const struct replay_run *run, int hours, int request)
{
    const struct replay_load *l = &run->forecast.arrivals.load;
    double at = (l->turn ? run->forecast.result.arrival : l->arrival)[request];

    return !isnan(at) && at < 3600.0 * hours ? (int)(at / 3600) : -1;
}

static int priority_of(const struct replay_run *run, int parts, int request)
{
    int n = 0;

    while (n < parts && run->priority[n] != run->forecast.arrivals.load.priority[request])
        n++;
    return n < parts ? n : -1;
}

/* Of a load without priorities, or with too many, none. */
static void fill_priorities(struct replay_run *run)
{
    const struct replay_load *l = &run->forecast.arrivals.load;

    for (int i = 0; l->priority && i < l->count; i++) {
        int n = run->priorities;

        if (priority_of(run, n, i) >= 0)
            continue;
        if (n == REPLAY_PRIORITIES) {
            run->priorities = 0;
            return;
        }
        for (; n > 0 && run->priority[n - 1] > l->priority[i]; n--)
            run->priority[n] = run->priority[n - 1];
        run->priority[n] = l->priority[i];
        run->priorities++;
    }
    if (run->priorities > 0)
        fill_parts(run, priority_of, run->priorities, run->urgent);
}

/* By the replicas that there are when it comes; those in flight when one is lost feel it. */
static int phase_of(const struct replay_run *run, int phases, int request)
{
    const struct forecast *f = &run->forecast;
    double at = f->result.arrival[request] - f->arrivals.load.counts_from;
    double answered = at + (double)f->result.outcome[request].e2e;

    (void)phases;
    return !(at >= 0)                                            ? -1
           : run->ask.add_at > 0 && at >= run->ask.add_at        ? PHASE_ADDED
           : run->ask.lose_at > 0 && answered > run->ask.lose_at ? PHASE_LOST
                                                                 : PHASE_WHOLE;
}

/* What a benchmark measured of the requests that are replayed. */
static void fill_truth(struct replay_run *run)
{
    const struct trace *t = run->ask.arrivals.trace;
    float *value = gp_malloc(((t ? t->count : 0) + 1) * sizeof(*value));

    for (int m = 0; t && t->measured && m < LATE_COUNT; m += LATE_POINTS) {
        int n = 0;

        for (size_t i = 0; i < t->count; i++) {
            const struct trace_row *row = &t->row[i];
            double rest = row->output - 1;
            double v = lates[m].measure == MEASURE_TTFT  ? row->ttft
                       : lates[m].measure == MEASURE_E2E ? row->latency
                       : row->latency > 0 && rest > 0    ? (row->latency - row->ttft) / rest
                                                         : 0;

            if (v > 0)
                value[n++] = (float)v;
        }
        fill_points(value, n, m, run->truth.late);
        run->truth.requests = n > run->truth.requests ? n : run->truth.requests;
    }
    free(value);
}

static enum late late_of(const struct forecast_goal *g)
{
    int i = 0;

    while (i < LATE_COUNT - 1 && (lates[i].measure != g->measure || lates[i].point != g->point))
        i++;
    return (enum late)i;
}

/* Hours whose percentile exceeds a goal; *first: of them. */
static int hours_missing(const struct replay_run *run, const struct forecast_goal *g, int *first)
{
    enum late late = late_of(g);
    int count = 0;

    for (int h = run->forecast.hours - 1; h >= 0; h--)
        if (run->hour[h].late[late] > g->most) {
            *first = h;
            count++;
        }
    return count;
}

static int busiest_hour(const struct replay_run *run)
{
    int busiest = 0;

    for (int h = 1; h < run->forecast.hours; h++)
        if (run->hour[h].requests > run->hour[busiest].requests)
            busiest = h;
    return busiest;
}

/* Where a goal is missed, of all requests or in an hour: the fewest of these GPUs that keep all of
 * them at the rate of the busiest hour. */
static void fill_cure(struct replay_run *run)
{
    const struct forecast *f = &run->forecast;
    struct request q = run->answer.resolved.request;
    bool missed = false;
    struct plan p;
    int first;

    for (int i = 0; i < FORECAST_GOALS; i++) {
        const struct forecast_goal *g = &run->ask.goal[i];
        const struct quantity *at = &f->point[g->measure][g->point];

        if (g->most <= 0)
            continue;
        q.late[late_of(g)] = g->most;
        missed |= (at->known && at->value > g->most) || hours_missing(run, g, &first) > 0;
    }
    if (!missed || f->rate <= 0 || run->solved)
        return;
    run->cure_rate = f->hours > 0 ? run->hour[busiest_hour(run)].requests / 3600.0 : f->rate;
    q.rate = run->cure_rate;
    q.gpu_count = q.replicas = q.tp = q.pp = 0;
    plan_request(&q, &run->answer.resolved.market, &p);
    if (p.verdict == VERDICT_FITS)
        run->cure = (struct runner_up){.layout = p.layout, .per_hour = p.cost.per_hour};
}

enum gp_status replay_run_read(struct planner *planner, const struct options *o,
                               struct replay_run *out, struct gp_err *err)
{
    struct options plain;
    bool solve;

    memset(out, 0, sizeof(*out));
    enum gp_status rc = read_goals(o, &plain, &out->ask, &solve, err);
    if (!rc && solve && (o->value[OPT_LOSE_REPLICA_AT].given || o->value[OPT_ADD_REPLICA_AT].given))
        rc = gp_fail(err, GP_E_USAGE, "--solve", "--replicas N, as many as are left",
                     "the rate is solved for replicas that stay");
    if (solve)
        plain.value[OPT_ARRIVALS] = (struct option_value){0};
    struct options asked = plain;
    if (!rc)
        rc = plan_sessions(&plain, err);
    if (!rc)
        rc = planner_answer(planner, &plain, &out->answer, err);
    if (!rc)
        rc = read_ask(planner, &asked, out, err);
    if (!rc && solve)
        rc = solve_rate(planner, o, out, err);
    return rc;
}

/* Of a change behind the last answer nothing would be seen. */
static enum gp_status check_fleet(const struct replay_run *run, struct gp_err *err)
{
    const struct forecast *f = &run->forecast;
    double end = f->result.last - f->arrivals.load.counts_from;
    bool lost = run->ask.lose_at > end;
    char a[32], b[32];

    if (!lost && run->ask.add_at <= end)
        return GP_OK;
    return gp_fail(err, GP_E_USAGE, lost ? "--lose-replica-at" : "--add-replica-at",
                   "an earlier time, or more --requests",
                   "the last answer is there after %s, and the replica %s after %s",
                   units_seconds(a, sizeof(a), end, 3), lost ? "goes" : "serves",
                   units_seconds(b, sizeof(b), lost ? run->ask.lose_at : run->ask.add_at, 3));
}

enum gp_status replay_run_forecast(struct planner *planner, struct replay_run *out,
                                   struct gp_err *err)
{
    const struct plan *p = &out->answer.plan;

    if (p->verdict == VERDICT_DOES_NOT_FIT)
        plan_overloaded(planner, out);
    if (p->verdict == VERDICT_DOES_NOT_FIT)
        return GP_OK;
    if (!out->solved && fit_own(out, err))
        return err->code;
    enum forecast_gap gap = forecast_run(p, &out->ask, &out->forecast);
    if (gap != FORECAST_KNOWN)
        return fail_gap(gap, p, err);
    enum gp_status rc = check_fleet(out, err);

    if (rc)
        return rc;
    out->done = true;
    int hours = out->forecast.hours;
    out->hour = gp_calloc((size_t)hours + 1, sizeof(*out->hour));
    if (hours > 0)
        fill_parts(out, hour_of, hours, out->hour);
    if (out->ask.lose_at > 0 || out->ask.add_at > 0)
        fill_parts(out, phase_of, PHASE_COUNT, out->phase);
    fill_priorities(out);
    fill_truth(out);
    if (out->ask.bands)
        fill_cure(out);
    return GP_OK;
}

enum gp_status replay_run_options(struct planner *planner, const struct options *o,
                                  struct replay_run *out, struct gp_err *err)
{
    enum gp_status rc = replay_run_read(planner, o, out, err);

    return rc ? rc : replay_run_forecast(planner, out, err);
}

enum gp_status replay_run_most(struct planner *planner, const struct options *o, double *rate,
                               struct gp_err *err)
{
    static const enum option_id loads[] = {OPT_RATE,      OPT_USERS,           OPT_ARRIVALS,
                                           OPT_TRACE,     OPT_LOSE_REPLICA_AT, OPT_ADD_REPLICA_AT,
                                           OPT_COLD_START};
    struct options alone = *o;
    struct replay_run run;
    double busiest = 1;

    for (size_t i = 0; i < sizeof(loads) / sizeof(loads[0]); i++)
        alone.value[loads[i]] = (struct option_value){0};
    enum gp_status rc = replay_run_read(planner, &alone, &run, err);
    alone.value[OPT_ARRIVALS] = o->value[OPT_ARRIVALS];
    if (!rc && alone.value[OPT_ARRIVALS].given)
        rc = read_arrivals(planner, &alone, &run, err);
    if (!rc && run.ask.arrivals.hours > 0) { /* the busiest hour is to be served, too */
        for (int i = 0; i < run.ask.arrivals.hours; i++)
            busiest = fmax(busiest, run.hourly[i]);
        alone.value[OPT_ARRIVALS] = (struct option_value){0};
        run.ask.arrivals.hours = 0;
    }
    run.ask.bands = false;
    if (!rc)
        rc = solve_rate(planner, &alone, &run, err);
    *rate = run.solved ? run.rate.value / busiest : NAN;
    replay_run_fini(&run);
    return rc;
}

void replay_run_fini(struct replay_run *run)
{
    forecast_fini(&run->forecast);
    free(run->hour);
}

bool replay_run_passes(const struct replay_run *run)
{
    for (int i = 0; i < FORECAST_GOALS; i++) {
        const struct forecast_goal *g = &run->ask.goal[i];
        const struct quantity *q = &run->forecast.point[g->measure][g->point];

        if (run->done && g->most > 0 && q->known && q->value > g->most)
            return false;
    }
    return run->done && !(run->solved && run->rate.value <= 0);
}

/* ---- the record ---- */

static const struct {
    const char *label;
    double divide;
    const char *unit;
    int decimals;
} measures[MEASURE_COUNT] = {
    [MEASURE_TTFT] = {"TTFT", 1e-3, "ms", 1},   [MEASURE_TPOT] = {"TPOT", 1e-3, "ms", 2},
    [MEASURE_ITL] = {"gap", 1e-3, "ms", 2},     [MEASURE_E2E] = {"end to end", 1, "s", 3},
    [MEASURE_QUEUE] = {"queue", 1e-3, "ms", 1},
};

void replay_run_prices(const struct replay_run *run, struct quantity *hour,
                       struct quantity *million)
{
    struct quantity month;

    plan_prices(&run->answer.plan, hour, &month);
    *million = plan_per_million(
        *hour, quantity_scale(run->forecast.tokens, request_priced(&run->answer.plan.request)));
}

bool replay_run_has_goals(const struct replay_run *run)
{
    for (int i = 0; i < FORECAST_GOALS; i++)
        if (run->ask.goal[i].most > 0)
            return true;
    return false;
}

static void part_facts(const struct replay_part *part, struct record *in)
{
    record_count(in, "requests", "", part->requests);
    for (int i = 0; i < LATE_COUNT; i++)
        record_positive(in, late_key((enum late)i), "s", isnan(part->late[i]) ? 0 : part->late[i]);
}

static const struct {
    const char *key, *words;
} phases[PHASE_COUNT] = {
    [PHASE_WHOLE] = {"before", "before"},
    [PHASE_LOST] = {"lost", "without it"},
    [PHASE_ADDED] = {"added", "with the new one"},
};

static void fleet_facts(const struct replay_run *run, struct record *doc)
{
    struct record *in = record_inside(doc, "fleet");

    record_positive(in, "lost_at", "s", run->ask.lose_at);
    record_positive(in, "serves_at", "s", run->ask.add_at);
    record_positive(in, "cold_start", "s", run->cold_start);
    record_count(in, "restarted", "", run->forecast.result.restarted);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        part_facts(&run->phase[phase], record_inside(in, phases[phase].key));
}

void report_replay(const struct replay_run *run, struct record *doc)
{
    const struct forecast *f = &run->forecast;
    const struct replay_result *r = &f->result;
    const struct plan *p = &run->answer.plan;
    struct quantity hour, million;
    struct record *in;
    char word[OPTION_CHOICE_MAX];

    report_begin(doc, "gpuplan.replay/1", p->request.data_date);
    record_text(doc, "verdict", verdict_word(p->verdict));
    report_plan_head(&run->answer, doc);
    if (!run->done)
        return;
    record_textf(doc, "engine", "%s@%s", p->request.engine->id, p->request.engine->range);
    record_text(doc, "policy", option_choice(OPT_SCHEDULING_POLICY, (int)p->request.policy, word));
    record_count(doc, "replicas", "", f->replicas);
    record_count(doc, "runs", "", f->runs);
    record_count(doc, "seeds", "", f->seeds);
    record_count(doc, "steps", "", (double)r->steps);
    record_count(doc, "requests", "", f->asked);
    record_count(doc, "completed", "", r->completed);
    record_count(doc, "refused", "", r->refused);
    record_quantity(doc, "duration", "s",
                    quantity_band(f->seconds, f->seconds, f->seconds, ORIGIN_MODEL), 1, 3);
    record_positive(doc, "rate", "requests/s", f->rate);
    if (run->solved)
        record_quantity(doc, "rate_kept", "requests/s", run->rate, 1, 3);
    for (int m = 0; m < MEASURE_COUNT; m++) {
        in = record_inside(doc, measure_key((enum measure)m));
        for (int i = 0; i < POINT_COUNT; i++)
            record_quantity(in, point_key((enum point)i), measures[m].unit, f->point[m][i],
                            measures[m].divide, measures[m].decimals);
    }
    record_quantity(doc, "output_tokens_per_s", "tokens/s", f->tokens, 1, 1);
    record_quantity(doc, "requests_per_s", "requests/s", f->requests, 1, 3);
    record_quantity(doc, "goodput", "requests/s", f->goodput, 1, 3);
    replay_run_prices(run, &hour, &million);
    record_quantity(doc, "cost_per_million", "USD", million, 1, 2);
    if (hour.known && hour.value > 0)
        record_quantity(doc, "goodput_per_dollar", "requests/USD",
                        quantity_scale(f->goodput, 3600 / hour.value), 1, 1);
    record_count(doc, "preemptions", "", (double)r->preemptions);
    record_count(doc, "recomputed_tokens", "tokens", (double)r->recomputed);
    double read = (double)(r->cached_tokens + r->prompt_tokens);
    record_count(doc, "hit_rate", "", read > 0 ? (double)r->cached_tokens / read : 0);
    if (p->request.host_kv > 0)
        record_count(doc, "host_hit_rate", "", read > 0 ? (double)r->host_tokens / read : 0);
    if (f->sessions > 0) {
        in = record_inside(doc, "sessions");
        record_count(in, "count", "", f->sessions);
        record_positive(in, "turns", "", run->ask.arrivals.turns);
        record_count(in, "think", "s", run->ask.arrivals.think);
        record_count(in, "history", "tokens", f->history);
        record_count(in, "found", "tokens", (double)r->history_tokens);
    }
    if (run->ask.lose_at > 0 || run->ask.add_at > 0)
        fleet_facts(run, doc);
    in = record_inside(doc, "kv_occupancy");
    record_count(in, "mean", "", f->occupancy);
    record_count(in, "p99", "", f->occupancy_late);
    record_count(in, "max", "", r->occupancy_most);
    in = record_inside(doc, "running");
    record_count(in, "mean", "", f->running);
    record_count(in, "max", "", r->running_most);
    in = record_inside(doc, "waiting");
    record_count(in, "mean", "", f->waiting);
    record_count(in, "max", "", r->waiting_most);
    record_count(doc, "utilisation", "", f->utilization);
    if (f->hours > 0)
        record_long_list(doc, "hours");
    for (int h = 0; h < f->hours; h++) {
        in = record_append(doc, "hours");
        record_count(in, "hour", "", h);
        part_facts(&run->hour[h], in);
    }
    if (run->priorities > 0)
        record_long_list(doc, "priorities");
    for (int i = 0; i < run->priorities; i++) {
        in = record_append(doc, "priorities");
        record_count(in, "priority", "",
                     run->priority[i] == PRIORITY_UNTOLD ? NAN : run->priority[i]);
        part_facts(&run->urgent[i], in);
    }
    if (run->truth.requests > 0)
        part_facts(&run->truth, record_inside(doc, "measured"));
    if (run->cure_rate > 0) {
        in = record_inside(doc, "cure");
        record_count(in, "rate", "requests/s", run->cure_rate);
        record_positive(in, "gpus", "", run->cure.layout.gpus);
        record_positive(in, "tp", "", run->cure.layout.tp);
        record_positive(in, "pp", "", run->cure.layout.pp);
        record_positive(in, "replicas", "", run->cure.layout.replicas);
        record_positive(in, "per_hour", "USD", run->cure.per_hour);
    }
    record_flag(doc, "saturated", f->saturated);
    record_count(doc, "overload_risk", "", (double)f->overloads / fmax(f->runs, 1));
    record_text(doc, "limit", replay_limit_word(f->limit));
    record_quantity(doc, "capacity", "requests/s", p->speed.full, 1, 3);
}

/* ---- text ---- */

#define OVERLOAD 30 /* times the value */

/* An end of a band so far away that the server no longer keeps up there is none. */
static bool is_overload(const struct quantity *q, double value)
{
    return value > OVERLOAD * q->value;
}

const char *replay_goal_words(const struct quantity *at, double most)
{
    return at->high <= most    ? "kept for sure"
           : at->value <= most ? "kept, not for sure"
           : at->low <= most   ? "missed, not for sure"
                               : "missed";
}

static const char *time_text(char text[32], const struct quantity *q, double value)
{
    if (!q->known)
        return "-";
    if (is_overload(q, value))
        return "overload";
    return units_seconds(text, 32, value, 3);
}

static void print_measure(const struct replay_run *run, enum measure m, struct strbuf *out)
{
    char a[32], b[32], c[32], d[32], e[32];
    const struct quantity *p = run->forecast.point[m];

    strbuf_addf(out, "  %-8s p50 %s, p95 %s, p99 %s (%s to %s)", measures[m].label,
                time_text(a, &p[POINT_P50], p[POINT_P50].value),
                time_text(b, &p[POINT_P95], p[POINT_P95].value),
                time_text(c, &p[POINT_P99], p[POINT_P99].value),
                time_text(d, &p[POINT_P99], p[POINT_P99].low),
                time_text(e, &p[POINT_P99], p[POINT_P99].high));
    for (int i = 0; i < FORECAST_GOALS; i++) {
        const struct forecast_goal *g = &run->ask.goal[i];
        const struct quantity *at = &p[g->point];

        if (g->measure != m || g->most <= 0 || !at->known)
            continue;
        strbuf_addf(out, "; goal %s at %s: %s", units_seconds(a, sizeof(a), g->most, 3),
                    point_key(g->point), replay_goal_words(at, g->most));
    }
    strbuf_add(out, "\n");
}

void print_replay_load(const struct replay_run *run, struct strbuf *out)
{
    const struct forecast *f = &run->forecast;

    if (run->solved)
        strbuf_addf(out, "UP TO %s requests/s (%s to %s) keep the goals",
                    UNITS_PLAIN(run->rate.value, 3), UNITS_PLAIN(run->rate.low, 3),
                    UNITS_PLAIN(run->rate.high, 3));
    else if (f->rate > 0)
        strbuf_addf(out, "%s %s requests/s", f->saturated ? "OVERLOADED by" : "KEEPS UP with",
                    UNITS_PLAIN(run->ask.arrivals.rate > 0 ? run->ask.arrivals.rate : f->rate, 3));
    else {
        double users = f->arrivals.load.users, count = users > 0 ? users : f->arrivals.load.count;

        strbuf_addf(out, "KEEPS UP with %s request%s %s", UNITS_TOKENS(count),
                    count == 1 ? "" : "s", users > 0 ? "in flight" : "at once");
    }
}

static void print_decision(const struct replay_run *run, struct strbuf *out)
{
    const struct forecast *f = &run->forecast;
    const struct plan *p = &run->answer.plan;
    const struct request *q = &p->request;
    struct texts texts = {0};
    struct quantity hour, million;

    print_replay_load(run, out);
    strbuf_addf(out, " on %s%s (%s): %s, %s %s\n",
                q->gpu->mix ? "" : texts_addf(&texts, "%d x ", p->layout.gpus), q->gpu->name,
                q->gpu->id, sentence_layout(&p->layout, &texts), q->engine->name, q->engine->range);
    texts_fini(&texts);
    print_measure(run, MEASURE_TTFT, out);
    print_measure(run, MEASURE_TPOT, out);
    strbuf_addf(out, "  limit    %s; GPU busy %.0f %% of the time, KV %.0f %% full at most",
                replay_limit_words(f->limit), 100 * f->utilization, 100 * f->result.occupancy_most);
    if (f->overloads > 0)
        strbuf_addf(out, "; overloaded in %d of %d replays with other step times", f->overloads,
                    f->runs);
    strbuf_add(out, "\n");
    replay_run_prices(run, &hour, &million);
    strbuf_addf(out, "  price    %s/h, %s per million tokens; %s tokens/s, %s requests/s\n",
                hour.known ? UNITS_MONEY(hour.value) : "unknown",
                million.known ? UNITS_MONEY(million.value) : "unknown",
                UNITS_PLAIN(f->tokens.value, 3), UNITS_PLAIN(f->requests.value, 3));
    if (!replay_run_has_goals(run))
        return;
    strbuf_addf(out, "  goals    %s requests/s keep all of them (%s to %s)",
                UNITS_PLAIN(f->goodput.value, 3), UNITS_PLAIN(f->goodput.low, 3),
                UNITS_PLAIN(f->goodput.high, 3));
    if (hour.known && hour.value > 0)
        strbuf_addf(out, ", %s for $1", UNITS_TOKENS(f->goodput.value * 3600 / hour.value));
    strbuf_add(out, "\n");
}

static void print_points(const struct forecast *f, struct strbuf *out)
{
    static const struct table_column columns[] = {
        {"", TABLE_LEFT},     {"p50", TABLE_RIGHT}, {"p90", TABLE_RIGHT},  {"p95", TABLE_RIGHT},
        {"p99", TABLE_RIGHT}, {"low", TABLE_RIGHT}, {"high", TABLE_RIGHT}, {"mean", TABLE_RIGHT}};
    struct table table;

    table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
    for (int m = 0; m < MEASURE_COUNT; m++) {
        const struct quantity *p = f->point[m];
        const double at[] = {p[POINT_P50].value, p[POINT_P90].value, p[POINT_P95].value,
                             p[POINT_P99].value, p[POINT_P99].low,   p[POINT_P99].high,
                             p[POINT_MEAN].value};

        table_cellf(&table, "%s, %s", measures[m].label, measures[m].unit);
        for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
            table_cell(&table, !p[POINT_P99].known ? "-"
                               : is_overload(&p[POINT_P99], at[i])
                                   ? "overload"
                                   : UNITS_PLAIN(at[i] / measures[m].divide, 3));
    }
    table_text(&table, out);
    table_fini(&table);
}

/* Times to the first token, apart. */
static void print_priorities(const struct replay_run *run, struct strbuf *out)
{
    static const struct table_column columns[] = {{"TTFT of priority", TABLE_LEFT},
                                                  {"requests", TABLE_RIGHT},
                                                  {"p50, s", TABLE_RIGHT},
                                                  {"p95, s", TABLE_RIGHT},
                                                  {"p99, s", TABLE_RIGHT}};
    struct table table;

    if (run->priorities == 0)
        return;
    table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
    for (int i = 0; i < run->priorities; i++) {
        const struct replay_part *part = &run->urgent[i];

        if (run->priority[i] == PRIORITY_UNTOLD)
            table_cell(&table, "none");
        else
            table_cellf(&table, "%d", run->priority[i]);
        table_cell(&table, UNITS_TOKENS(part->requests));
        for (int m = LATE_TTFT_P50; m <= LATE_TTFT_P99; m++)
            table_cell(&table, isnan(part->late[m]) ? "-" : UNITS_PLAIN(part->late[m], 3));
    }
    strbuf_add(out, "\n");
    table_text(&table, out);
    table_fini(&table);
}

/* "Tue 14:00" of a shape's week, "14:00" of its day, "hour 14" of a log. */
static const char *hour_name(const struct replay_run *run, int hour, struct texts *t)
{
    static const char *const days[] = {"Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "};

    if (!run->weekly)
        return texts_addf(t, "hour %d", hour);
    return texts_addf(t, "%s%02d:00", run->ask.arrivals.hours > 24 ? days[hour / 24 % 7] : "",
                      hour % 24);
}

/* "p50 92 ms (replay -12 %, in its band)" of a benchmark's own percentiles. */
static void print_truth(const struct replay_run *run, struct strbuf *out)
{
    char a[32];

    for (int i = 0; run->truth.requests > 0 && i < LATE_COUNT; i++) {
        const struct quantity *q = &run->forecast.point[lates[i].measure][lates[i].point];
        double truth = run->truth.late[i];

        if (i % LATE_POINTS == 0)
            strbuf_addf(out, "%s  measured %.*s", i > 0 ? "\n" : "",
                        (int)strlen(late_label((enum late)i)) - 4, late_label((enum late)i));
        if (isnan(truth) || !q->known)
            continue;
        strbuf_addf(out, "%s %s %s (replay %+.0f %%, %s its band)", i % LATE_POINTS > 0 ? "," : "",
                    point_key(lates[i].point), units_seconds(a, sizeof(a), truth, 3),
                    100 * (q->value / truth - 1),
                    truth >= q->low && truth <= q->high ? "in" : "outside");
    }
    if (run->truth.requests > 0)
        strbuf_add(out, "\n");
}

/* Where a goal is missed by the hour, and what cures it. */
static void print_hours(const struct replay_run *run, struct strbuf *out)
{
    const struct forecast *f = &run->forecast;
    struct texts t = {0};
    char a[32], b[32];
    int first = 0, at;

    for (int i = 0; f->hours > 0 && i < FORECAST_GOALS; i++) {
        const struct forecast_goal *g = &run->ask.goal[i];
        enum late late = late_of(g);
        int n = g->most > 0 ? hours_missing(run, g, &first) : 0;

        if (g->most <= 0)
            continue;
        strbuf_addf(out, "  hours    %s above %s in %d of %d", late_label(late),
                    units_seconds(a, sizeof(a), g->most, 3), n, f->hours);
        if (n > 0)
            strbuf_addf(out, ", first %s (%s requests/s): %s", hour_name(run, first, &t),
                        UNITS_PLAIN(run->hour[first].requests / 3600.0, 3),
                        units_seconds(b, sizeof(b), run->hour[first].late[late], 3));
        strbuf_add(out, "\n");
    }
    if (f->hours > 0) {
        at = busiest_hour(run);
        const double *late = run->hour[at].late;

        strbuf_addf(
            out, "  busiest  %s, %s requests/s: TTFT p99 %s, TPOT p99 %s\n", hour_name(run, at, &t),
            UNITS_PLAIN(run->hour[at].requests / 3600.0, 3),
            units_seconds(a, sizeof(a), late[LATE_TTFT_P99], 3),
            isnan(late[LATE_TPOT_P99]) ? "-" : units_seconds(b, sizeof(b), late[LATE_TPOT_P99], 3));
    }
    if (run->cure_rate > 0 && run->cure.layout.gpus > 0)
        strbuf_addf(out, "  cure     %d GPUs, %s, %s/h keep the goals at %s requests/s\n",
                    run->cure.layout.gpus, sentence_layout(&run->cure.layout, &t),
                    run->cure.per_hour > 0 ? UNITS_MONEY(run->cure.per_hour) : "unknown",
                    UNITS_PLAIN(run->cure_rate, 3));
    else if (run->cure_rate > 0)
        strbuf_addf(out, "  cure     no count of these GPUs keeps the goals at %s requests/s\n",
                    UNITS_PLAIN(run->cure_rate, 3));
    texts_fini(&t);
}

/* What the turns of sessions could have found in the cache, and what of it is left. */
static void print_sessions(const struct replay_run *run, struct strbuf *out)
{
    const struct forecast *f = &run->forecast;
    char think[32];

    if (f->sessions == 0)
        return;
    strbuf_addf(out, "\n%s sessions", UNITS_TOKENS(f->sessions));
    if (run->ask.arrivals.turns > 0)
        strbuf_addf(out, " of %d turn%s, the next %s after the answer", run->ask.arrivals.turns,
                    run->ask.arrivals.turns == 1 ? "" : "s",
                    run->ask.arrivals.think > 0
                        ? units_seconds(think, sizeof(think), run->ask.arrivals.think, 3)
                        : "at once");
    if (f->history > 0)
        strbuf_addf(out, "; of their history %.0f %% found in the cache",
                    100 * fmin((double)f->result.history_tokens / f->history, 1));
}

/* What the loss of a replica costs, and when another one serves. */
static void print_fleet(const struct replay_run *run, struct strbuf *out)
{
    const struct forecast_ask *ask = &run->ask;
    const struct forecast *f = &run->forecast;
    char a[32], b[32], c[32];
    const char *between = "";

    if (ask->lose_at > 0)
        strbuf_addf(out, "  lost     1 of %d replica%s after %s: %s request%s begin%s again\n",
                    f->replicas, f->replicas == 1 ? "" : "s",
                    units_seconds(a, sizeof(a), ask->lose_at, 3), UNITS_TOKENS(f->result.restarted),
                    f->result.restarted == 1 ? "" : "s", f->result.restarted == 1 ? "s" : "");
    if (ask->add_at > 0)
        strbuf_addf(out, "  added    1 serves after %s, started %s before\n",
                    units_seconds(a, sizeof(a), ask->add_at, 3),
                    units_seconds(b, sizeof(b), run->cold_start, 3));
    if (ask->lose_at <= 0 && ask->add_at <= 0)
        return;
    strbuf_add(out, "  p99      ");
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        const struct replay_part *at = &run->phase[phase];

        if (at->requests == 0)
            continue;
        strbuf_addf(out, "%s%s TTFT %s, TPOT %s", between, phases[phase].words,
                    units_seconds(b, sizeof(b), at->late[LATE_TTFT_P99], 3),
                    isnan(at->late[LATE_TPOT_P99])
                        ? "-"
                        : units_seconds(c, sizeof(c), at->late[LATE_TPOT_P99], 3));
        between = "; ";
    }
    strbuf_add(out, "\n");
}

void print_replay(const struct replay_run *run, struct strbuf *out)
{
    const struct forecast *f = &run->forecast;
    const struct replay_result *r = &f->result;
    double read = (double)(r->cached_tokens + r->prompt_tokens);
    char span[32];

    if (!run->done) {
        print_plan_line(&run->answer, out);
        strbuf_add(out, "nothing was replayed: gpuplan --plan with the same options says why, and "
                        "what would fit\n");
        return;
    }
    print_decision(run, out);
    print_fleet(run, out);
    print_hours(run, out);
    print_truth(run, out);
    strbuf_addf(out, "\n%s requests in %s: %s steps, %s preemptions", UNITS_TOKENS(f->asked),
                units_seconds(span, sizeof(span), f->seconds, 3), UNITS_TOKENS((double)r->steps),
                UNITS_TOKENS((double)r->preemptions));
    if (r->refused > 0)
        strbuf_addf(out, ", %s refused (longer than the context or the KV pool)",
                    UNITS_TOKENS(r->refused));
    if (r->cached_tokens > 0)
        strbuf_addf(out, ", %.0f %% of the prompts' tokens cached",
                    100 * (double)r->cached_tokens / read);
    if (r->host_tokens > 0)
        strbuf_addf(out, " (%.0f %% in host memory)", 100 * (double)r->host_tokens / read);
    print_sessions(run, out);
    strbuf_addf(out, "\nrunning %s in the mean, %d at most%s; waiting %s, %d\n\n",
                UNITS_PLAIN(f->running, 3), r->running_most,
                f->replicas > 1 ? " on one replica" : "", UNITS_PLAIN(f->waiting, 3),
                r->waiting_most);
    print_points(f, out);
    strbuf_addf(out, "low, high: of p99, by %d replays with other step times%s\n", f->runs,
                f->seeds > 0 ? " and 9 with other arrivals" : " and the sample's size");
    print_priorities(run, out);
}

/* ---- CSV ---- */

void replay_requests_csv(const struct replay_run *run, struct strbuf *out)
{
    const struct forecast *f = &run->forecast;
    const struct replay_load *l = &f->arrivals.load;

    strbuf_add(out, "id,arrival_s,queue_s,ttft_s,tpot_s,e2e_s,prompt,cached,output,preemptions,"
                    "replica\n");
    for (int i = 0; i < l->count; i++) {
        const struct replay_outcome *o = &f->result.outcome[i];
        struct forecast_seen s = forecast_seen(f, i);

        strbuf_addf(out, "%d,", i);
        if (!isnan(f->result.arrival[i])) /* a turn whose session was refused never came */
            strbuf_addf(out, "%.6f", f->result.arrival[i] - f->result.first);
        strbuf_add(out, ",");
        if (isnan(s.e2e)) {
            strbuf_addf(out, ",,,,%d,,%d,,\n", l->prompt[i], l->output[i]);
            continue;
        }
        strbuf_addf(out, "%.6f,%.6f,", s.queue, s.ttft);
        if (!isnan(s.tpot))
            strbuf_addf(out, "%.6f", s.tpot);
        strbuf_addf(out, ",%.6f,%d,%d,%d,%d,%d\n", s.e2e, l->prompt[i], (int)o->cached,
                    l->output[i], o->preemptions, o->replica);
    }
}

/* The part of the timeline in which a request's first token came. */
static int span_of(const struct replay_run *run, int spans, int request)
{
    const struct replay_result *r = &run->forecast.result;
    double at = r->arrival[request] - r->first + (float)forecast_seen(&run->forecast, request).ttft;

    return isnan(at)
               ? -1
               : (int)fmin(fmax(at / (r->span_seconds * REPLAY_TIMELINE / spans), 0), spans - 1);
}

void replay_ttft_spans(const struct replay_run *run, int spans, double *p50, double *p99)
{
    int first[REPLAY_TIMELINE + 1], *order = order_by_part(run, span_of, spans, first);
    float *ttft = gp_malloc(((size_t)first[spans] + 1) * sizeof(*ttft));

    for (int i = 0; i < first[spans]; i++)
        ttft[i] = (float)forecast_seen(&run->forecast, order[i]).ttft;
    for (int n = 0; n < spans; n++) {
        int from = 0;

        p50[n] = forecast_percentile(ttft + first[n], first[n + 1] - first[n], 0.5, &from);
        p99[n] = forecast_percentile(ttft + first[n], first[n + 1] - first[n], 0.99, &from);
    }
    free(order);
    free(ttft);
}

void replay_timeline_csv(const struct replay_run *run, struct strbuf *out)
{
    const struct forecast *f = &run->forecast;
    const struct replay_result *r = &f->result;
    double p50[REPLAY_TIMELINE], p99[REPLAY_TIMELINE];

    replay_ttft_spans(run, REPLAY_TIMELINE, p50, p99);
    strbuf_add(out, "t_s,running,waiting,kv_occupancy,prompt_tokens,output_tokens,preemptions,"
                    "ttft_p50_ms,ttft_p99_ms\n");
    for (int n = 0; n < REPLAY_TIMELINE; n++) {
        const struct replay_span *span = &r->span[n];

        strbuf_addf(out, "%.3f,%.2f,%.2f,%.4f,%.0f,%.0f,%d,", n * r->span_seconds, span->running,
                    span->waiting, span->occupancy / f->replicas, span->prompt_tokens,
                    span->output_tokens, span->preemptions);
        if (!isnan(p50[n]))
            strbuf_addf(out, "%.1f,%.1f", 1e3 * p50[n], 1e3 * p99[n]);
        else
            strbuf_add(out, ",");
        strbuf_add(out, "\n");
    }
}
