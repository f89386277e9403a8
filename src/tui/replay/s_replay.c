/*
 * s_replay.c - the screen Replay: the plan's requests through its engine's scheduler, over time.
 *
 *   head     does it keep up, with what, on what
 *   plots    running and waiting, KV, TTFT, tokens over the replay's time, with one cursor
 *   table    percentiles with low and high, goals, what it serves and costs, what limits and when
 *
 * The layout is that of the plan; rate, replicas, arrivals and goals are changed here, without the
 * form, so that one sees where a deployment breaks: a takes rate and replicas into the plan. Where
 * neither the form nor the user says a rate, OFFERED of the largest is taken, and said.
 *
 * The worker replays in two units: the values, some ms, then their bands by 40 replays more. What
 * is shown stays until the next values are there.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/print_plan.h"
#include "answer/replay_run.h"
#include "answer/sentence.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/units.h"
#include "plan/search.h"
#include "tui/app.h"
#include "tui/list.h"
#include "tui/toolkit/plot_draw.h"
#include "tui/toolkit/words.h"

#define OFFERED 0.6   /* of the largest rate */
#define STEP 1.1      /* of the rate */
#define SLOW 0.5      /* s from which a replay is waited for */
#define FAR 10        /* columns of a page */
#define DAY "86400"   /* s that are replayed of a day or a week, unless more is wanted */
#define HOURS 7200    /* s from which times are shown as hours */
#define LATE_SPANS 50 /* of TTFT, so that each has requests enough for percentiles */
#define SPREAD 200    /* points of a distribution */
#define WAITS 0.5     /* requests in the mean of a span: some wait in it */

/* X(option, label): what is changed here */
#define REPLAY_ROWS(X)                 \
    X(RATE, "Rate")                    \
    X(REPLICAS, "Replicas")            \
    X(ARRIVALS, "Arrivals")            \
    X(SEED, "Seed")                    \
    X(REQUESTS, "Requests")            \
    X(DURATION, "Duration")            \
    X(TRACE, "Trace")                  \
    X(LENGTHS, "Lengths")              \
    X(PREFIX_TOKENS, "Shared prefix")  \
    X(TURNS, "Turns")                  \
    X(THINK_TIME, "Think time")        \
    X(DISTINCT_PROMPTS, "Prompts")     \
    X(MAX_CONCURRENCY, "In flight")    \
    X(MAX_TOKENS, "Max tokens")        \
    X(ROUTER, "Router")                \
    X(LOSE_REPLICA_AT, "Replica lost") \
    X(ADD_REPLICA_AT, "Replica added") \
    X(COLD_START, "Cold start")        \
    X(TTFT_P95, "TTFT p95")            \
    X(TTFT_P99, "TTFT p99")            \
    X(TPOT_P95, "TPOT p95")            \
    X(TPOT_P99, "TPOT p99")            \
    X(E2E_P95, "E2E p95")              \
    X(E2E_P99, "E2E p99")

#define X(id, label) ROW_##id,
enum { REPLAY_ROWS(X) ROWS };
#undef X
#define X(id, label) {OPT_##id, label},
static const struct {
    enum option_id id;
    const char *label;
} rows[ROWS] = {REPLAY_ROWS(X)};
#undef X

#define VALUE 256

struct replay_values {
    char value[ROWS][VALUE]; /* as the option takes it; "" = the form's, or the default */
    double share;            /* the rate is so much of the largest; 0: given, or the form's */
};

enum { UNIT_VALUES, UNIT_BANDS, UNITS };

/* What a unit leaves. Answers of run point into the worker's planner: only texts of them are used
 * here. */
struct replay_view {
    struct replay_run run;
    struct gp_err err;
    double rate, most; /* requests/s, and of what it is a share; 0: of nothing */
    struct quantity hour, million;
    double p50[LATE_SPANS], p99[LATE_SPANS]; /* TTFT, s */
    float spread[SPREAD];                    /* TTFT, s, at (i + 0.5)/SPREAD of the requests */
    int spread_count;                        /* 0: none is answered */
    struct strbuf head, what, engine, text, json, csv;
};

struct replay_job {
    struct form_values form; /* laid out as the plan is */
    struct replay_values values;
    struct replay_view view[UNITS];
};

enum { PLOT_REQUESTS, PLOT_CACHE, PLOT_FIRST, PLOT_TOKENS, PLOTS };

struct replay_screen {
    struct replay_values values;
    struct replay_job *job, *next; /* of these tasks: shown, and to come; NULL */
    struct task *task, *coming;
    double began;      /* clock_now() of what is to come */
    bool slow;         /* it takes so long that it is said */
    int taken;         /* units of the one shown that are drawn */
    bool begun, stale; /* of this version of the form; the values have changed since */
    unsigned version;
    struct plot plot[PLOTS], spread;
    int at;    /* span of the cursor; -1: where most requests wait */
    int panel; /* where there is room for one */
    int asked; /* row that is typed */
    int first; /* plot, where there is no room for all */
};

/* ---- the replay, on the worker ---- */

/* Do requests come at a rate? */
static bool is_paced(const struct replay_values *v)
{
    const char *arrivals = v->value[ROW_ARRIVALS];

    return !v->value[ROW_TRACE][0] && strcmp(arrivals, arrivals_word(ARRIVALS_BURST)) != 0 &&
           strcmp(arrivals, arrivals_word(ARRIVALS_CLOSED)) != 0;
}

/* Texts are borrowed from both; form is changed. rate: that was found; 0: it is given, or none. */
static enum gp_status make_options(struct form_values *form, const struct replay_values *v,
                                   double rate, struct options *out, struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    if (is_paced(v) || v->value[ROW_RATE][0]) /* one says how many requests there are */
        values_set(form, FIELD_USERS, "");
    else
        values_set(form, FIELD_RATE, "");
    values_write_options(form, out);
    for (int i = 0; i < ROWS && !rc; i++)
        if (v->value[i][0])
            rc = options_text(out, rows[i].id, rows[i].label, v->value[i], err);
    if (!rc && rate > 0)
        rc = options_number(out, OPT_RATE, rows[ROW_RATE].label, rate, err);
    return rc;
}

/* To so many digits, down where all of it is wanted. */
static double round_rate(double rate, double share)
{
    double unit = rate > 0 ? pow(10, floor(log10(rate)) - (share < 1 ? 1 : 2)) : 1;

    return (share < 1 ? round(rate / unit) : floor(rate / unit)) * unit;
}

static enum gp_status find_rate(struct replay_job *job, struct replay_view *view,
                                struct planner *planner, struct gp_err *err)
{
    const struct replay_values *v = &job->values;
    struct form_values form = job->form;
    struct options options;

    if (v->share <= 0 || !is_paced(v))
        return GP_OK;
    enum gp_status rc = make_options(&form, v, 0, &options, err);
    if (!rc)
        rc = replay_run_most(planner, &options, &view->most, err);
    if (rc || isnan(view->most)) /* it does not fit: the plan says so */
        view->most = 0;
    else if (view->most <= 0)
        rc = gp_fail(err, GP_E_USAGE, "goals", "t changes them",
                     "not even one request at a time keeps them");
    view->rate = round_rate(v->share * view->most, v->share);
    return rc;
}

/* Empty again, and to be filled. */
static void view_clear(struct replay_view *view)
{
    struct strbuf *texts[] = {&view->head, &view->what, &view->engine,
                              &view->text, &view->json, &view->csv};

    replay_run_fini(&view->run);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        strbuf_fini(texts[i]);
    memset(view, 0, sizeof(*view));
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        strbuf_init(texts[i]);
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;

    return (x > y) - (x < y);
}

static void fill_spread(struct replay_view *view)
{
    const struct forecast *f = &view->run.forecast;
    int count = f->arrivals.load.count, n = 0;
    float *ttft = gp_malloc(((size_t)count + 1) * sizeof(*ttft));

    for (int i = 0; i < count; i++) {
        double value = forecast_seen(f, i).ttft;

        if (value > 0)
            ttft[n++] = (float)value;
    }
    qsort(ttft, (size_t)n, sizeof(*ttft), by_value);
    view->spread_count = n > 0 ? SPREAD : 0;
    for (int i = 0; i < view->spread_count; i++)
        view->spread[i] = ttft[(int)((i + 0.5) / SPREAD * n)];
    free(ttft);
}

/* All that needs the answer. */
static void write_texts(struct replay_view *view)
{
    const struct replay_run *run = &view->run;
    const struct plan *p = &run->answer.plan;
    struct texts texts = {0};
    struct record doc;

    if (!run->done) {
        print_plan_line(&run->answer, &view->head);
        return;
    }
    print_replay_load(run, &view->head);
    strbuf_addf(&view->what, "%s %s, %d x %s %s", p->request.model->name, p->request.precision.id,
                p->layout.gpus, p->request.gpu->id, sentence_layout(&p->layout, &texts));
    strbuf_addf(&view->engine, "%s %s", p->request.engine->name, p->request.engine->range);
    texts_fini(&texts);
    replay_run_prices(run, &view->hour, &view->million);
    fill_spread(view);
    replay_ttft_spans(run, LATE_SPANS, view->p50, view->p99);
    if (!run->ask.bands)
        return;
    print_replay(run, &view->text);
    record_init(&doc);
    report_replay(run, &doc);
    record_json(&doc, &view->json);
    record_fini(&doc);
    replay_timeline_csv(run, &view->csv);
}

static bool replay_unit(void *ctx, int i, struct planner *planner)
{
    struct replay_job *job = ctx;
    struct replay_view *view = &job->view[i];
    struct form_values form = job->form;
    struct options options;
    enum gp_status rc = GP_OK;

    view_clear(view); /* of a unit that was cut short */
    if (i == UNIT_VALUES)
        rc = find_rate(job, view, planner, &view->err);
    else
        view->rate = job->view[0].rate, view->most = job->view[0].most;
    if (!rc)
        rc = make_options(&form, &job->values, view->rate, &options, &view->err);
    if (!rc)
        rc = replay_run_read(planner, &options, &view->run, &view->err);
    view->run.ask.bands = i == UNIT_BANDS;
    view->run.ask.timeline = true;
    if (!rc)
        rc = replay_run_forecast(planner, &view->run, &view->err);
    if (!rc && !search_abandoned())
        write_texts(view);
    if (!rc && view->rate <= 0)
        view->rate = options_or(&options, OPT_RATE, 0);
    return !rc && view->run.done && i + 1 < UNITS;
}

static void replay_free(void *ctx)
{
    struct replay_job *job = ctx;

    for (int i = 0; i < UNITS; i++)
        view_clear(&job->view[i]);
    free(job);
}

/* ---- what is shown ---- */

/* The last that is there; NULL: none yet. */
static const struct replay_view *view_of(const struct replay_screen *s)
{
    return s->taken > 0 ? &s->job->view[s->taken - 1] : NULL;
}

/* A replay to draw; NULL: none. */
static const struct replay_view *replay_of(const struct replay_screen *s)
{
    const struct replay_view *view = view_of(s);

    return view && !view->err.code && view->run.done ? view : NULL;
}

static bool has_rate(const struct replay_screen *s, const struct form *form)
{
    return s->values.value[ROW_RATE][0] || form->values.value[FIELD_RATE][0];
}

/* The form, its layout that of its answer; the GPU without its count, which replicas set. */
static void lay_out(const struct form *form, struct form_values *out)
{
    const struct plan *p = &form->answer->plan;
    const struct {
        enum field field;
        int value;
    } cut[] = {{FIELD_TP, p->layout.tp},
               {FIELD_PP, p->layout.pp},
               {FIELD_EP, p->layout.ep},
               {FIELD_REPLICAS, p->layout.replicas}};
    char number[32];

    *out = form->values;
    values_set(out, FIELD_GPUS, "");
    if (!out->value[FIELD_GPU][0])
        values_set(out, FIELD_GPU, p->request.gpu->id);
    for (size_t i = 0; i < sizeof(cut) / sizeof(cut[0]) && p->layout.gpus > 0; i++) {
        gp_format(number, sizeof(number), "%d", cut[i].value);
        values_set(out, cut[i].field, number);
    }
}

static void replay_begin(struct app *app, struct replay_screen *s)
{
    static const struct task_ops ops = {TASK_SCREEN, replay_unit, replay_free};

    task_drop(&s->coming);
    s->next = NULL;
    if (s->version != app->form->version) {
        s->values.value[ROW_RATE][0] = s->values.value[ROW_REPLICAS][0] = '\0';
        s->values.share = 0;
    }
    s->begun = true;
    s->stale = false;
    s->version = app->form->version;
    if (!app->form->answered) {
        task_drop(&s->task);
        s->job = NULL;
        s->taken = 0;
        return;
    }
    if (!has_rate(s, app->form) && s->values.share <= 0)
        s->values.share = OFFERED;
    s->next = gp_calloc(1, sizeof(*s->next));
    lay_out(app->form, &s->next->form);
    s->next->values = s->values;
    s->began = clock_now();
    s->slow = false;
    s->coming = task_begin(app->worker, &ops, s->next);
}

/* ---- plots ---- */

/* s of a span's begin, as the plots count: from the first request; of a day, from its midnight. */
static double span_time(const struct replay_view *view, int span)
{
    const struct replay_result *r = &view->run.forecast.result;

    return span * r->span_seconds + (view->run.weekly ? r->first : 0);
}

static double time_unit(const struct replay_view *view)
{
    return span_time(view, REPLAY_TIMELINE) > HOURS || view->run.weekly ? 3600 : 1;
}

/* "Tue 14:05"; "312 s". */
static const char *time_name(const struct replay_view *view, int span, char text[48])
{
    static const char *const days[] = {"Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "};
    double at = span_time(view, span);
    int minute = (int)(at / 60);

    if (view->run.weekly)
        gp_format(text, 48, "%s%02d:%02d",
                  view->run.ask.arrivals.hours > 24 ? days[minute / 1440 % 7] : "",
                  minute / 60 % 24, minute % 60);
    else if (at > HOURS)
        gp_format(text, 48, "%.2f h", at / 3600);
    else
        gp_format(text, 48, at < 100 ? "%.1f s" : "%.0f s", at);
    return text;
}

static double running_of(const struct replay_view *view, int i)
{
    return view->run.forecast.result.span[i].running;
}

static double waiting_of(const struct replay_view *view, int i)
{
    return view->run.forecast.result.span[i].waiting;
}

static double cache_of(const struct replay_view *view, int i)
{
    return 100 * view->run.forecast.result.span[i].occupancy / view->run.forecast.replicas;
}

static double p50_of(const struct replay_view *view, int i)
{
    return view->p50[i * LATE_SPANS / REPLAY_TIMELINE];
}

static double p99_of(const struct replay_view *view, int i)
{
    return view->p99[i * LATE_SPANS / REPLAY_TIMELINE];
}

static double read_of(const struct replay_view *view, int i)
{
    const struct replay_result *r = &view->run.forecast.result;

    return r->span[i].prompt_tokens / r->span_seconds;
}

static double made_of(const struct replay_view *view, int i)
{
    const struct replay_result *r = &view->run.forecast.result;

    return r->span[i].output_tokens / r->span_seconds;
}

static const struct replay_plot {
    const char *title, *unit;
    struct {
        const char *name;
        enum plot_role role;
        char label;
        double (*value)(const struct replay_view *view, int span);
    } line[2];
} plots[PLOTS] = {
    [PLOT_REQUESTS] = {"r running, w waiting",
                       "requests",
                       {{"running", PLOT_1, 'r', running_of},
                        {"waiting", PLOT_WARN, 'w', waiting_of}}},
    [PLOT_CACHE] = {"KV cache", "% full", {{"KV cache", PLOT_KV, 0, cache_of}}},
    [PLOT_FIRST] = {"TTFT: 5 p50, 9 p99",
                    "s",
                    {{"TTFT p99", PLOT_2, '9', p99_of}, {"TTFT p50", PLOT_1, '5', p50_of}}},
    [PLOT_TOKENS] = {"tokens: i prompts, o output",
                     "tok/s",
                     {{"prompts", PLOT_3, 'i', read_of}, {"output", PLOT_1, 'o', made_of}}},
};

static void add_goal_rules(const struct replay_view *view, struct plot *plot, bool upright)
{
    for (int i = 0; i < FORECAST_GOALS; i++) {
        const struct forecast_goal *g = &view->run.ask.goal[i];

        if (g->measure == MEASURE_TTFT && g->most > 0)
            plot_rule(plot, upright, g->most, PLOT_HEADING, "goal at %s", point_key(g->point));
    }
}

static void fill_plot(const struct replay_view *view, int which, struct plot *plot)
{
    const struct replay_plot *row = &plots[which];
    double unit = time_unit(view), most = 0;
    int by = which == PLOT_FIRST ? REPLAY_TIMELINE / LATE_SPANS : 1;
    int hours = view->run.weekly ? (view->run.ask.arrivals.hours > 24 ? 168 : 24) : 0;

    gp_copy(plot->title, sizeof(plot->title), row->title);
    plot->legend = 0;
    plot->x = (struct plot_axis){.low = span_time(view, 0) / unit,
                                 .high = span_time(view, REPLAY_TIMELINE) / unit,
                                 .hours = hours,
                                 .title = hours      ? "hour"
                                          : unit > 1 ? "hours since the first request"
                                                     : "seconds since the first request"};
    for (int k = 0; k < 2 && row->line[k].name; k++) {
        struct plot_series *line = plot_add(plot, row->line[k].name, row->line[k].role, 0);

        if (!line)
            continue;
        line->label = row->line[k].label;
        for (int i = by / 2; i < REPLAY_TIMELINE; i += by) {
            double value = row->line[k].value(view, i);

            if (!isnan(value))
                plot_point(line, span_time(view, i) / unit, value);
            most = fmax(most, value);
        }
    }
    plot->y = (struct plot_axis){.low = 0,
                                 .high = which == PLOT_CACHE ? 100
                                         : most > 0          ? 1.1 * most
                                                             : 1,
                                 .unit = row->unit};
    if (which == PLOT_FIRST)
        add_goal_rules(view, plot, false);
}

static void fill_spread_plot(const struct replay_view *view, struct plot *plot)
{
    struct plot_series *line;

    if (view->spread_count == 0 || !(line = plot_add(plot, "requests", PLOT_1, 0)))
        return;
    for (int i = 0; i < view->spread_count; i++)
        plot_point(line, view->spread[i], 100 * (i + 0.5) / SPREAD);
    plot->legend = 0;
    plot->x = (struct plot_axis){.low = view->spread[0] / 1.1,
                                 .high = view->spread[SPREAD - 1] * 1.2,
                                 .log = true,
                                 .base = 10,
                                 .title = "TTFT, s"};
    plot->y = (struct plot_axis){.low = 0, .high = 100, .unit = "%"};
    add_goal_rules(view, plot, true);
}

/* Where most wait; where none does, where the KV cache is fullest. */
static int worst_span(const struct replay_view *view)
{
    int waits = 0, full = 0;

    for (int i = 1; i < REPLAY_TIMELINE; i++) {
        waits = waiting_of(view, i) > waiting_of(view, waits) ? i : waits;
        full = cache_of(view, i) > cache_of(view, full) ? i : full;
    }
    return waiting_of(view, waits) > WAITS ? waits : full;
}

/* Takes what is replayed: true when there was something. */
static bool replay_take(struct replay_screen *s)
{
    int done = s->coming ? task_done(s->coming) : 0;

    if (done > 0) { /* in place of the one before */
        task_drop(&s->task);
        s->task = s->coming;
        s->job = s->next;
        s->coming = NULL;
        s->next = NULL;
        s->taken = 0;
    }
    done = s->task ? task_done(s->task) : 0;
    if (done == s->taken)
        return false;
    s->taken = done;
    const struct replay_view *view = replay_of(s);
    for (int i = 0; i < PLOTS; i++)
        plot_clear(&s->plot[i]);
    for (int i = 0; view && i < PLOTS; i++)
        fill_plot(view, i, &s->plot[i]);
    plot_clear(&s->spread);
    if (view)
        fill_spread_plot(view, &s->spread);
    return true;
}

static bool is_replaying(const struct replay_screen *s)
{
    return s->coming || (s->task && !task_finished(s->task));
}

static int cursor_of(const struct replay_screen *s)
{
    const struct replay_view *view = replay_of(s);

    return s->at >= 0 || !view ? int_max(s->at, 0) : worst_span(view);
}

/* ---- the screen's time ---- */

static void replay_open(struct app *app, void *state)
{
    struct replay_screen *s = state;

    (void)app;
    for (int i = 0; i < PLOTS; i++)
        plot_init(&s->plot[i]);
    plot_init(&s->spread);
    s->at = -1;
}

static void replay_close(struct app *app, void *state)
{
    struct replay_screen *s = state;

    (void)app;
    task_drop(&s->coming);
    task_drop(&s->task);
    for (int i = 0; i < PLOTS; i++)
        plot_fini(&s->plot[i]);
    plot_fini(&s->spread);
}

static void replay_show(struct app *app, void *state)
{
    struct replay_screen *s = state;

    if (app->form->planning)
        return;
    if (!s->begun || s->stale || s->version != app->form->version)
        replay_begin(app, s);
    if (replay_take(s))
        app_touch(app);
}

static double replay_tick(struct app *app, void *state, double now)
{
    struct replay_screen *s = state;

    if (app->screen != SCREEN_REPLAY)
        return -1;
    replay_show(app, s);
    if (s->coming && !s->slow && now - s->began > SLOW) {
        s->slow = true;
        app_touch(app);
    }
    return is_replaying(s) ? WORKER_POLL : -1;
}

/* ---- changing ---- */

static bool put_value(struct replay_screen *s, int row, const char *text, struct gp_err *err)
{
    struct options scratch = {0};
    char copy[VALUE];

    if (!gp_copy(copy, sizeof(copy), text))
        return gp_fail(err, GP_E_USAGE, rows[row].label, "", "is too long") == GP_OK;
    const char *value = gp_trim(copy);
    if (value[0] && options_text(&scratch, rows[row].id, rows[row].label, value, err))
        return false;
    if (row == ROW_RATE)
        s->values.share = 0;
    gp_copy(s->values.value[row], VALUE, value);
    s->stale = true;
    return true;
}

static void put_number(struct replay_screen *s, int row, double number)
{
    struct gp_err err;
    char text[32];

    gp_format(text, sizeof(text), "%.10g", number);
    put_value(s, row, text, &err);
}

static void rate_step(struct app *app, struct replay_screen *s, int by)
{
    const struct replay_view *view = view_of(s);
    double rate = s->values.value[ROW_RATE][0] ? strtod(s->values.value[ROW_RATE], NULL)
                  : view                       ? view->rate
                                               : 0;
    double next = rate * (by > 0 ? STEP : 1 / STEP);

    if (!is_paced(&s->values) && !s->values.value[ROW_RATE][0])
        app_report(app, false, "these arrivals have no rate; o: others");
    else if (rate <= 0)
        app_report(app, false, "the rate is being looked for");
    else if (next >= 1e-3 && next <= 1e6)
        put_number(s, ROW_RATE, round_rate(next, 1));
}

static void replicas_step(struct app *app, struct replay_screen *s, int by)
{
    const struct form *form = app->form;
    int now = s->values.value[ROW_REPLICAS][0] ? atoi(s->values.value[ROW_REPLICAS])
              : form->answered                 ? form->answer->plan.layout.replicas
                                               : 1;

    if (now + by < 1)
        return;
    put_number(s, ROW_REPLICAS, now + by);
    if (s->values.share > 0) { /* the load stays */
        const struct replay_view *view = view_of(s);

        if (view && view->rate > 0 && s->values.share < 1)
            put_number(s, ROW_RATE, view->rate);
    }
}

static void seed_step(struct app *app, struct replay_screen *s, int by)
{
    double seed =
        s->values.value[ROW_SEED][0] ? strtod(s->values.value[ROW_SEED], NULL) : FORECAST_SEED;

    put_number(s, ROW_SEED, seed + by);
    app_report(app, false, "arrivals and lengths of seed %.0f", seed + by);
}

static void most_rate(struct app *app, struct replay_screen *s, int by)
{
    (void)app;
    (void)by;
    s->values.value[ROW_RATE][0] = '\0';
    s->values.share = 1;
    s->stale = true;
}

static void all_reset(struct app *app, struct replay_screen *s, int by)
{
    (void)by;
    memset(&s->values, 0, sizeof(s->values));
    s->at = -1;
    s->stale = true;
    app_report(app, false, "rate, replicas, arrivals and goals of the plan");
}

static bool value_typed(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct replay_screen *s = ctx;

    (void)app;
    return put_value(s, s->asked, text, err);
}

static void value_ask(struct app *app, struct replay_screen *s, int i)
{
    const struct option_row *option = &option_rows[rows[i].id];
    char label[40], hint[240];

    s->asked = i;
    gp_format(label, sizeof(label), "%s: ", rows[i].label);
    gp_format(hint, sizeof(hint), "%s; empty: %s",
              option->choices   ? option->choices
              : option->unit[0] ? option->unit
                                : option->help,
              i < ROW_ARRIVALS ? "as the plan has it" : option->fallback);
    prompt_open(&app->display, &(struct prompt_spec){.label = label,
                                                     .text = s->values.value[i],
                                                     .hint = hint,
                                                     .history = PROMPT_VALUE,
                                                     .done = value_typed,
                                                     .ctx = s});
}

/* A day or week of the catalogue. */
static bool is_shape(struct app *app, const char *id)
{
    char **names;
    size_t count = catalog_names(planner_catalog(app->form->planner), "shapes", ".cfg", &names);
    bool found = false;

    for (size_t i = 0; i < count; i++)
        found |= strcmp(names[i], id) == 0;
    path_list_free(names, count);
    return found;
}

static void arrivals_chosen(struct app *app, void *ctx, const char *id)
{
    struct replay_screen *s = ctx;
    const char *dot = strrchr(id, '.');
    bool trace = path_is_there(id) && !(dot && strcmp(dot, ".cfg") == 0);
    struct gp_err err;

    s->values.value[trace ? ROW_ARRIVALS : ROW_TRACE][0] = '\0';
    gp_copy(s->values.value[ROW_DURATION], VALUE, is_shape(app, id) ? DAY : "");
    s->at = -1;
    if (!put_value(s, trace ? ROW_TRACE : ROW_ARRIVALS, id, &err))
        app_report_err(app, &err);
    if (!is_paced(&s->values)) { /* a trace has a rate of its own */
        s->values.value[ROW_RATE][0] = '\0';
        s->values.share = 0;
    }
    app_touch(app);
}

static void arrivals_open(struct app *app, struct replay_screen *s, int by)
{
    static const struct {
        const char *id, *more;
    } kinds[] = {
        {"poisson", "independent of each other, at the rate"},
        {"constant", "one every 1/rate seconds"},
        {"gamma:0.5", "burstier than Poisson; other shapes may be typed"},
        {"burst", "all at once"},
        {"closed", "the plan's users, each asks again when it is answered"},
    };
    enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
    char **names;
    size_t count = catalog_names(planner_catalog(app->form->planner), "shapes", ".cfg", &names);
    struct choice *choices = gp_calloc(KINDS + count, sizeof(*choices));
    const char *now = s->values.value[ROW_TRACE][0]      ? s->values.value[ROW_TRACE]
                      : s->values.value[ROW_ARRIVALS][0] ? s->values.value[ROW_ARRIVALS]
                                                         : "poisson";

    (void)by;
    for (size_t i = 0; i < KINDS + count; i++) {
        const char *id = i < KINDS ? kinds[i].id : names[i - KINDS];

        gp_copy(choices[i].id, sizeof(choices[i].id), id);
        gp_copy(choices[i].text, sizeof(choices[i].text), id);
        gp_copy(choices[i].more, sizeof(choices[i].more),
                i < KINDS
                    ? kinds[i].more
                    : "hour by hour over a day; of a week its Monday, or as long as Duration says");
    }
    path_list_free(names, count);
    chooser_open(&app->display,
                 &(struct chooser_spec){.title = "Arrivals",
                                        .choices = choices,
                                        .count = (int)(KINDS + count),
                                        .selected = now,
                                        .free = "gamma:SHAPE, or a path of a trace or of a day",
                                        .paths = true,
                                        .chosen = arrivals_chosen,
                                        .ctx = s});
    free(choices);
}

static void row_chosen(struct app *app, void *ctx, const char *id)
{
    int i = list_clamp(atoi(id), 0, ROWS - 1);

    if (i == ROW_ARRIVALS)
        arrivals_open(app, ctx, 0);
    else
        value_ask(app, ctx, i);
}

/* All from the row on. */
static void rows_open(struct app *app, struct replay_screen *s, int from)
{
    const struct replay_view *view = view_of(s);
    struct choice choices[ROWS] = {0};

    for (int i = from; i < ROWS; i++) {
        struct choice *c = &choices[i - from];
        char rate[64] = "";

        if (i == ROW_RATE && view && view->rate > 0)
            gp_format(rate, sizeof(rate), "%s requests/s", UNITS_PLAIN(view->rate, 4));
        gp_format(c->id, sizeof(c->id), "%d", i);
        gp_format(c->text, sizeof(c->text), "%-14s %.80s", rows[i].label,
                  s->values.value[i][0] ? s->values.value[i]
                  : rate[0]             ? rate
                  : i < ROW_ARRIVALS    ? "the plan's"
                                        : option_rows[rows[i].id].fallback);
        gp_copy(c->more, sizeof(c->more), option_rows[rows[i].id].help);
    }
    chooser_open(&app->display, &(struct chooser_spec){.title = from ? "Goals" : "Replay",
                                                       .choices = choices,
                                                       .count = ROWS - from,
                                                       .chosen = row_chosen,
                                                       .ctx = s});
}

/* Rate, and replicas where they were changed, become the plan's. */
static void take_plan(struct app *app, struct replay_screen *s, int by)
{
    const struct replay_view *view = replay_of(s);
    const struct form_values *form = s->job ? &s->job->form : NULL;
    struct strbuf given;

    (void)by;
    if (!view || is_replaying(s) || view->rate <= 0) {
        app_report(app, false,
                   view ? "these arrivals have no rate to take" : "nothing is replayed");
        return;
    }
    strbuf_init(&given);
    strbuf_addf(&given, "--rate %s", UNITS_PLAIN(view->rate, 10));
    if (s->values.value[ROW_REPLICAS][0])
        strbuf_addf(&given, " --gpu %s:%d --tp %s --pp %s --replicas %s", form->value[FIELD_GPU],
                    view->run.answer.plan.layout.gpus, form->value[FIELD_TP], form->value[FIELD_PP],
                    s->values.value[ROW_REPLICAS]);
    app_take(app, given.text);
    strbuf_fini(&given);
}

/* ---- where things stand ---- */

#define TABLE_ROWS 10 /* of a table below plots, */
#define TALL_ROWS 18  /* and where there is room for more */
#define ROOMY 30      /* rows of the body */

struct places {
    struct rect head, table, plot[PLOTS];
    int which[PLOTS]; /* plot of each rectangle */
    int count;
};

static struct places places_of(const struct app *app, const struct replay_screen *s)
{
    struct frame frame = app_frame(app);
    struct rect part[2], body = frame.body, plots_in;
    struct places p = {.head = {body.y, body.x, 1, body.cols}};
    int across = 1;

    body.y++;
    body.rows--;
    if (frame.size == SIZE_THREE) {
        int table = body.cols < 160 ? 50 : 66;

        plots_in = (struct rect){body.y, body.x, body.rows, body.cols - table};
        p.table = (struct rect){body.y, body.x + body.cols - table, body.rows, table};
        p.count = body.rows >= 44 ? PLOTS : PLOTS - 1;
    } else {
        frame_stack(body, frame.size, s->panel, body.rows < ROOMY ? TABLE_ROWS : TALL_ROWS, part);
        plots_in = part[0];
        p.table = part[1];
        across = frame.size < SIZE_TWO ? 1 : 2;
        p.count = plots_in.rows >= ROOMY - TABLE_ROWS && across == 2 ? PLOTS : across;
    }
    for (int i = 0; i < p.count; i++) {
        int down = p.count / across, row = i / across, col = i % across;
        int y = plots_in.rows * row / down, x = plots_in.cols * col / across;

        p.which[i] = p.count == PLOTS ? i : (s->first + i) % PLOTS;
        if (!rect_empty(plots_in))
            p.plot[i] =
                (struct rect){plots_in.y + y, plots_in.x + x, plots_in.rows * (row + 1) / down - y,
                              plots_in.cols * (col + 1) / across - x};
    }
    return p;
}

static void cursor_move(struct app *app, struct replay_screen *s, int columns)
{
    struct places p = places_of(app, s);
    int width = rect_empty(p.plot[0])
                    ? p.head.cols
                    : plot_area(rect_inside(p.plot[0]), &s->plot[p.which[0]]).cols;

    if (!replay_of(s))
        return;
    s->at = list_clamp(cursor_of(s) + columns * int_max(REPLAY_TIMELINE / int_max(width, 1), 1), 0,
                       REPLAY_TIMELINE - 1);
}

static void panel_next(struct app *app, struct replay_screen *s, int by)
{
    bool one = app_frame(app).size <= SIZE_ONE;

    if (one && s->panel == 0 && s->first < PLOTS - 1 && by > 0)
        s->first++;
    else if (one)
        s->panel = !s->panel, s->first = 0;
    else
        s->first = (s->first + by + PLOTS) % PLOTS;
}

static bool replay_act(struct app *app, void *state, enum action action)
{
    static const struct {
        enum action action;
        void (*act)(struct app *app, struct replay_screen *s, int by);
        int by;
    } acts[] = {
        {ACT_LEFT, cursor_move, -1},
        {ACT_RIGHT, cursor_move, 1},
        {ACT_PAGE_UP, cursor_move, -FAR},
        {ACT_PAGE_DOWN, cursor_move, FAR},
        {ACT_FIRST, cursor_move, -LIST_ALL},
        {ACT_LAST, cursor_move, LIST_ALL},
        {ACT_PANEL, panel_next, 1},
        {ACT_PANEL_BACK, panel_next, -1},
        {ACT_RATE_MORE, rate_step, 1},
        {ACT_RATE_LESS, rate_step, -1},
        {ACT_REPLICAS_MORE, replicas_step, 1},
        {ACT_REPLICAS_LESS, replicas_step, -1},
        {ACT_SEED, seed_step, 1},
        {ACT_MOST_RATE, most_rate, 0},
        {ACT_ARRIVALS, arrivals_open, 0},
        {ACT_EDIT, rows_open, 0},
        {ACT_REPLAY_GOALS, rows_open, ROW_TTFT_P95},
        {ACT_RESET, all_reset, 0},
        {ACT_APPLY, take_plan, 0},
    };
    struct replay_screen *s = state;

    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
        if (acts[i].action == action) {
            acts[i].act(app, s, acts[i].by);
            if (app->screen == SCREEN_REPLAY)
                replay_show(app, s);
            app_touch(app);
            return true;
        }
    return false;
}

static void replay_click(struct app *app, void *state, int y, int x)
{
    struct replay_screen *s = state;
    struct places p = places_of(app, s);
    struct frame frame = app_frame(app);

    y += frame.body.y;
    x += frame.body.x;
    for (int i = 0; i < p.count && replay_of(s); i++) {
        const struct rect box = p.plot[i];

        if (y < box.y || y >= box.y + box.rows || x < box.x || x >= box.x + box.cols)
            continue;
        struct rect area = plot_area(rect_inside(box), &s->plot[p.which[i]]);
        s->at = list_clamp((x - area.x) * (REPLAY_TIMELINE - 1) / int_max(area.cols - 1, 1), 0,
                           REPLAY_TIMELINE - 1);
        app_touch(app);
    }
}

/* ---- painting ---- */

/* The real cursor stands on the first line at the cursor. */
static void draw_plot(struct canvas *canvas, struct rect box, const struct replay_screen *s,
                      int which, const struct replay_view *view)
{
    struct plot plot = s->plot[which];
    struct rect in = rect_inside(box), area;
    int at = cursor_of(s), row, col;
    double x = span_time(view, at) / time_unit(view);
    char title[100];

    canvas_box(canvas, box, plots[which].title, plots[which].unit);
    if (plot.count == 0)
        return;
    gp_format(title, sizeof(title), " %s ", plot.x.title);
    canvas_fit(canvas, box, box.rows - 1, 2, box.cols - 4, INK_DIM, title);
    plot.x.title = NULL; /* it stands in the lower edge */
    plot_draw(canvas, in, &plot, x);
    area = plot_area(in, &plot);
    if (plot_cell(&plot, area, x, plots[which].line[0].value(view, at), &row, &col) ||
        plot_cell(&plot, area, x, 0, &row, &col)) {
        canvas_ink(canvas, area, row, col, 1, INK_FOCUS);
        canvas_cursor(canvas, area, row, col);
    }
}

static const struct {
    enum measure measure;
    const char *label, *unit;
    double divide;
} measures[] = {
    {MEASURE_TTFT, "TTFT", "ms", 1e-3},
    {MEASURE_TPOT, "TPOT", "ms", 1e-3},
    {MEASURE_ITL, "gap", "ms", 1e-3},
    {MEASURE_E2E, "E2E", "s", 1},
};
enum { MEASURES_SHOWN = sizeof(measures) / sizeof(measures[0]) };
static const enum point shown_points[] = {POINT_P50, POINT_P90, POINT_P95, POINT_P99};

#define SPREAD_ROWS 9 /* from here on there is room for it */
#define OVERLOAD 30   /* times the value: an end of a band where the server no longer keeps up */

static const char *cell_text(char text[32], const struct quantity *q, double value, double divide)
{
    gp_copy(text, 32,
            !q->known                     ? "-"
            : value > OVERLOAD * q->value ? "overload"
                                          : UNITS_PLAIN(value / divide, 3));
    return text;
}

/* Requests by their TTFT, below the table. */
static void draw_spread(struct canvas *canvas, struct rect in, const struct replay_screen *s)
{
    struct rect plot = {in.y + 1, in.x, in.rows - 1, in.cols};

    canvas_rule(canvas, in, 0, "% of requests by their TTFT");
    if (s->spread.count > 0)
        plot_draw(canvas, plot, &s->spread, NAN);
}

/* A row of percentiles; pick: 0 the value, -1 low, 1 high. */
static void draw_points(struct canvas *canvas, struct rect in, int y, int each,
                        const struct replay_view *view, int m, int pick, enum ink ink)
{
    const struct quantity *q = view->run.forecast.point[measures[m].measure];
    char text[32];

    for (int i = 0; i < 4; i++) {
        const struct quantity *at = &q[shown_points[i]];
        double value = pick < 0 ? at->low : pick > 0 ? at->high : at->value;

        cell_text(text, at, value, measures[m].divide);
        list_text(canvas, in, y, 9 + i * each, each, true, ink,
                  pick && !view->run.ask.bands ? "..." : text);
    }
}

/* Rows used. tall: low and high of each; else of the 99th alone, beside it. */
static int draw_percentiles(struct canvas *canvas, struct rect in, const struct replay_view *view,
                            bool tall)
{
    int each = int_min((in.cols - (tall ? 10 : 28)) / 4, 12), y = 0;
    char low[32], high[32], text[80];

    for (int i = 0; i < 4; i++)
        list_text(canvas, in, y, 9 + i * each, each, true, INK_HEADING, point_key(shown_points[i]));
    if (!tall)
        canvas_text(canvas, in, y, 11 + 4 * each, INK_HEADING, "p99 low..high");
    for (int m = 0; m < MEASURES_SHOWN; m++) {
        const struct quantity *p99 = &view->run.forecast.point[measures[m].measure][POINT_P99];

        canvas_textf(canvas, in, ++y, 1, INK_TEXT, "%s %s", measures[m].label, measures[m].unit);
        draw_points(canvas, in, y, each, view, m, 0, INK_TEXT);
        if (tall) {
            canvas_text(canvas, in, ++y, 1, INK_DIM, "   low");
            draw_points(canvas, in, y, each, view, m, -1, INK_DIM);
            canvas_text(canvas, in, ++y, 1, INK_DIM, "   high");
            draw_points(canvas, in, y, each, view, m, 1, INK_DIM);
        } else {
            gp_format(text, sizeof(text), "%s..%s",
                      cell_text(low, p99, p99->low, measures[m].divide),
                      cell_text(high, p99, p99->high, measures[m].divide));
            canvas_text(canvas, in, y, 11 + 4 * each, INK_DIM, view->run.ask.bands ? text : "...");
        }
    }
    return y + 1;
}

/* "waiting 12 % of the time, from 312 s, most 41 at 640 s"; brief: without "of the time" */
static void say_when(const struct replay_view *view, struct strbuf *out, bool brief)
{
    int first = -1, most = 0, waits = 0;
    char a[48], b[48];

    for (int i = 0; i < REPLAY_TIMELINE; i++) {
        waits += waiting_of(view, i) > WAITS;
        first = first < 0 && waiting_of(view, i) > WAITS ? i : first;
        most = waiting_of(view, i) > waiting_of(view, most) ? i : most;
    }
    if (waits >= REPLAY_TIMELINE / 100)
        strbuf_addf(out, "%s %.0f %%%s, from %s, most %.0f at %s",
                    brief ? "; waiting" : "\nwaiting", 100.0 * waits / REPLAY_TIMELINE,
                    brief ? "" : " of the time", time_name(view, first, a), waiting_of(view, most),
                    time_name(view, most, b));
}

/* "goal TTFT p95 1 s: kept, not for sure", a line for each; brief: all in one. */
static void say_goals(const struct replay_view *view, struct strbuf *out, bool brief)
{
    char a[32];

    for (int i = 0; i < FORECAST_GOALS; i++) {
        const struct forecast_goal *g = &view->run.ask.goal[i];
        const struct quantity *at = &view->run.forecast.point[g->measure][g->point];

        if (g->most <= 0 || !at->known)
            continue;
        strbuf_addf(out, "%s%s %s %s: %s",
                    !out->len ? "goal "
                    : brief   ? "; "
                              : "\ngoal ",
                    g->measure == MEASURE_TTFT   ? "TTFT"
                    : g->measure == MEASURE_TPOT ? "TPOT"
                                                 : "E2E",
                    point_key(g->point), units_seconds(a, sizeof(a), g->most, 3),
                    view->run.ask.bands    ? replay_goal_words(at, g->most)
                    : at->value <= g->most ? "kept"
                                           : "missed");
    }
}

/* What keeps the goals at that rate, where they are missed. */
static void say_cure(const struct replay_view *view, struct strbuf *out, const char *between)
{
    const struct replay_run *run = &view->run;
    struct texts texts = {0};

    if (run->cure_rate > 0 && run->cure.layout.gpus > 0)
        strbuf_addf(out, "%s%d GPUs, %s, %s/h keep the goals at %s requests/s", between,
                    run->cure.layout.gpus, sentence_layout(&run->cure.layout, &texts),
                    run->cure.per_hour > 0 ? UNITS_MONEY(run->cure.per_hour) : "unknown",
                    UNITS_PLAIN(run->cure_rate, 3));
    else if (run->cure_rate > 0)
        strbuf_addf(out, "%sno count of these GPUs keeps the goals at %s requests/s", between,
                    UNITS_PLAIN(run->cure_rate, 3));
    texts_fini(&texts);
}

/* Lines below the percentiles, the most needed first; brief: three of 76 columns. */
static void say_lines(const struct replay_view *view, struct strbuf *out, bool brief)
{
    const struct forecast *f = &view->run.forecast;
    const struct replay_result *r = &f->result;
    const char *limit = replay_limit_words(f->limit);
    double read = (double)(r->cached_tokens + r->prompt_tokens);
    bool priced = view->hour.known && view->hour.value > 0,
         tight = brief && replay_run_has_goals(&view->run);

    say_goals(view, out, brief);
    strbuf_addf(out, "%slimit: %.*s", out->len ? "\n" : "",
                brief ? (int)strcspn(limit, ":") : (int)strlen(limit), limit);
    if (f->limit != REPLAY_LIMIT_NONE)
        say_when(view, out, brief);
    if (!brief)
        say_cure(view, out, "\n");
    if (replay_run_has_goals(&view->run))
        strbuf_addf(out, "\nwithin goals %s of %s requests/s", UNITS_PLAIN(f->goodput.value, 3),
                    UNITS_PLAIN(f->requests.value, 3));
    else
        strbuf_addf(out, "\nserved %s requests/s", UNITS_PLAIN(f->requests.value, 3));
    if (priced)
        strbuf_addf(out, ", %s for $1", UNITS_TOKENS(f->goodput.value * 3600 / view->hour.value));
    if (!tight)
        strbuf_addf(out, "; %s tok/s", UNITS_PLAIN(f->tokens.value, 3));
    if (priced)
        strbuf_addf(out, "%s%s/h", brief ? "; " : "\n", UNITS_MONEY(view->hour.value));
    if (priced && view->million.known)
        strbuf_addf(out, ", %s/M%s", UNITS_MONEY(view->million.value), tight ? "" : " tokens");
    strbuf_addf(out, "\npreemptions %s; prompts cached %.0f %%; refused %d",
                UNITS_TOKENS((double)r->preemptions),
                read > 0 ? 100 * (double)r->cached_tokens / read : 0, r->refused);
    strbuf_addf(out, "\nGPU busy %.0f %%; KV %.0f %% full in the mean, %.0f %% at most",
                100 * f->utilization, 100 * f->occupancy, 100 * r->occupancy_most);
    strbuf_addf(out, "\nrunning %s in the mean, %d at most%s; waiting %s, %d",
                UNITS_PLAIN(f->running, 3), r->running_most,
                f->replicas > 1 ? " on one replica" : "", UNITS_PLAIN(f->waiting, 3),
                r->waiting_most);
}

/* What stands at the cursor; brief: in one line of 76 columns. */
static void say_cursor(const struct replay_view *view, int at, struct strbuf *out, bool brief)
{
    char a[48], b[32];
    const struct replay_result *r = &view->run.forecast.result;

    strbuf_addf(out, "%s: running %.1f, waiting %.1f, KV %.0f %%", time_name(view, at, a),
                running_of(view, at), waiting_of(view, at), cache_of(view, at));
    if (!isnan(p99_of(view, at)))
        strbuf_addf(out, ", TTFT p99 %s", units_seconds(b, sizeof(b), p99_of(view, at), 3));
    if (brief)
        return;
    if (!isnan(p50_of(view, at)))
        strbuf_addf(out, ", p50 %s", units_seconds(b, sizeof(b), p50_of(view, at), 3));
    strbuf_addf(out, "; %s tok/s of prompts, %s of answers; %d preempted",
                UNITS_PLAIN(read_of(view, at), 3), UNITS_PLAIN(made_of(view, at), 3),
                r->span[at].preemptions);
}

/* Each line of a text by itself; one that is too long goes on indented, or ends. Rows used. */
static int draw_lines(struct canvas *canvas, struct rect in, char *text, bool wrap)
{
    struct page page = {.canvas = canvas, .in = in};
    char *line;

    while ((line = strsep(&text, "\n")))
        if (wrap)
            page_words(&page, 2, INK_TEXT, line);
        else
            canvas_fit(canvas, in, page.y++, 0, in.cols, INK_TEXT, line);
    return page.y;
}

static struct rect rect_below(struct rect r, int by)
{
    return (struct rect){r.y + by, r.x, r.rows - by, r.cols};
}

static void draw_table(struct canvas *canvas, struct rect box, const struct replay_view *view,
                       const struct replay_screen *s)
{
    struct rect in = rect_inside(box), rest;
    bool tall = in.rows >= 26;
    struct strbuf text;
    char title[80], heading[80];

    gp_format(heading, sizeof(heading), "Percentiles by %.50s", view->engine.text);
    gp_format(title, sizeof(title), "%s requests%s",
              UNITS_TOKENS(view->run.forecast.arrivals.load.count),
              view->run.ask.bands ? "" : ", bands to come ...");
    canvas_box(canvas, box, heading, title);
    rest = rect_below(in, draw_percentiles(canvas, in, view, tall));
    strbuf_init(&text);
    say_lines(view, &text, in.rows < TALL_ROWS - 2);
    if (tall)
        canvas_rule(canvas, rest, 0, "");
    rest = (struct rect){rest.y + tall, in.x + 1, rest.rows - tall, in.cols - 2};
    rest = rect_below(rest, draw_lines(canvas, rest, text.text, tall));
    if (tall) {
        strbuf_clear(&text);
        say_cursor(view, cursor_of(s), &text, false);
        canvas_rule(canvas, (struct rect){rest.y, in.x, rest.rows, in.cols}, 0, "at the cursor");
        rest = rect_below(rest, 1);
        rest = rect_below(rest, draw_lines(canvas, rest, text.text, true));
    }
    if (tall && rest.rows >= SPREAD_ROWS)
        draw_spread(canvas, (struct rect){rest.y, in.x, rest.rows, in.cols}, s);
    strbuf_fini(&text);
}

static void replay_draw(const struct app *app, const void *state, struct canvas *canvas,
                        const struct frame *frame)
{
    const struct replay_screen *s = state;
    const struct replay_view *view = replay_of(s), *any = view_of(s);
    struct places p = places_of(app, s);
    struct rect head = {p.head.y, p.head.x + 1, 1, p.head.cols - 2};
    struct rect in = rect_inside(frame->body);

    if (!view) {
        canvas_box(canvas, frame->body, "Replay", NULL);
        if (!app->form->answered && !app->form->planning)
            canvas_wrap(canvas, in, 0, INK_TEXT, app->form->err.text);
        else if (!any)
            canvas_text(canvas, in, 0, 0, INK_TEXT, "replaying ...");
        else if (any->err.code) {
            char line[GP_ERR_LINE];

            canvas_wrap(canvas, in, 0, INK_BAD, gp_err_line(&any->err, line));
        } else
            canvas_wrap(canvas, in, 0, INK_BAD, any->head.text);
        canvas_cursor(canvas, in, 0, 0);
        return;
    }
    bool kept = replay_run_passes(&view->run);
    bool before = s->coming && s->slow; /* what is shown is of other values */
    int cols = canvas_textf(canvas, head, 0, 0,
                            before                         ? INK_DIM
                            : view->run.forecast.saturated ? INK_BAD
                            : kept                         ? INK_OK
                                                           : INK_WARN,
                            "%s%s%s", before ? "replaying ...; before: " : "", view->head.text,
                            !replay_run_has_goals(&view->run) ? ""
                            : kept                            ? ", goals kept"
                                                              : ", GOALS MISSED");
    canvas_fit(canvas, head, 0, cols + 2, head.cols - cols - 2, INK_TEXT, view->what.text);
    canvas_cursor(canvas, head, 0, 0);
    for (int i = p.count - 1; i >= 0; i--)
        if (!rect_empty(p.plot[i]))
            draw_plot(canvas, p.plot[i], s, p.which[i], view);
    if (!rect_empty(p.table))
        draw_table(canvas, p.table, view, s);
}

/* ---- words ---- */

static void replay_explain(const struct app *app, const void *state, struct strbuf *out)
{
    const struct replay_screen *s = state;
    const struct replay_view *view = replay_of(s);

    (void)app;
    if (!view)
        return;
    say_cursor(view, cursor_of(s), out, true);
    strbuf_add(out, "\n");
    if (view->most > 0 && s->job->values.share < 1)
        strbuf_addf(out, "the plan has no rate: this is %.0f %% of the %s requests/s that %s",
                    100 * s->job->values.share, UNITS_PLAIN(view->most, 3),
                    replay_run_has_goals(&view->run) ? "keep the goals" : "it can serve");
    else if (view->most > 0)
        strbuf_addf(out, "%s requests/s: the most that %s", UNITS_PLAIN(view->rate, 3),
                    replay_run_has_goals(&view->run) ? "keep the goals" : "it can serve");
    else if (view->run.cure_rate > 0)
        say_cure(view, out, "");
    else
        strbuf_add(out, "left, right: through time; a: this rate into the plan");
}

static void replay_title(const struct app *app, const void *state, struct strbuf *out)
{
    const struct replay_screen *s = state;

    (void)app;
    if (is_replaying(s))
        strbuf_add(out, "replaying ...");
    else if (s->values.value[ROW_TRACE][0])
        strbuf_add(out, path_name(s->values.value[ROW_TRACE]));
}

static const char *replay_word(const void *state, enum action action)
{
    const struct replay_screen *s = state;

    switch (action) {
    case ACT_EDIT:
        return "change";
    case ACT_RATE_MORE:
        return is_paced(&s->values) ? "rate" : NULL;
    case ACT_RESET:
        return "plan's";
    case ACT_APPLY:
        return "into plan";
    default:
        return action_rows[action].word;
    }
}

static enum gp_status replay_export(const struct app *app, const void *state, const char *suffix,
                                    struct strbuf *out, struct gp_err *err)
{
    const struct replay_screen *s = state;
    const struct replay_view *view = replay_of(s);

    (void)app;
    if (!view || !view->run.ask.bands)
        return gp_fail(err, GP_E_NOTHING, "", "", "%s",
                       is_replaying(s) ? "the replay is not done yet" : "nothing is replayed");
    strbuf_add(out, strcmp(suffix, "json") == 0  ? view->json.text
                    : strcmp(suffix, "csv") == 0 ? view->csv.text
                                                 : view->text.text);
    return GP_OK;
}

static void replay_command(const struct app *app, const void *state, struct strbuf *out)
{
    const struct replay_screen *s = state;
    const struct replay_view *view = view_of(s);
    struct form_values form;
    struct options options;
    struct strbuf changes;
    struct gp_err err;

    if (!view) {
        form_command(app->form, "replay", out);
        return;
    }
    form = s->job->form;
    const struct replay_values *v = &s->job->values;
    strbuf_init(&changes);
    for (int i = 0; i < ROWS; i++)
        if (v->value[i][0]) {
            strbuf_addf(&changes, "%s--%s ", changes.len ? " " : "", option_rows[rows[i].id].name);
            strbuf_quote(&changes, v->value[i]);
        }
    make_options(&form, v, view->rate, &options, &err);
    options_command(&options, "replay", changes.text, out);
    strbuf_fini(&changes);
}

/* ---- options at `:` ---- */

static int row_of(enum option_id id)
{
    for (int i = 0; i < ROWS; i++)
        if (rows[i].id == id)
            return i;
    return -1;
}

/* All but those of the form. */
static bool replay_takes(enum option_id id)
{
    return row_of(id) >= 0 && field_of((int)id) == FIELD_COUNT;
}

static enum gp_status replay_options(struct app *app, void *state, const char *line,
                                     struct gp_err *err)
{
    struct replay_screen *s = state;
    struct replay_values before = s->values;
    char word[2 * VALUE], name[VALUE], next[2 * VALUE];

    (void)app;
    while (words_next(&line, word, sizeof(word))) {
        const char *value = NULL;
        int id = option_split(word, name, sizeof(name), &value);

        if (id < 0)
            id = option_find_word(word);
        int row = id >= 0 ? row_of((enum option_id)id) : -1;
        if (!value)
            words_next(&line, next, sizeof(next));
        if (row >= 0 && put_value(s, row, value ? value : next, err))
            continue;
        s->values = before;
        return row >= 0 ? err->code
                        : gp_fail(err, GP_E_USAGE, word, "as in: arrivals burst",
                                  "is not an option of the Replay screen");
    }
    return GP_OK;
}

const struct screen_ops screen_replay = {
    .state_size = sizeof(struct replay_screen),
    .open = replay_open,
    .close = replay_close,
    .show = replay_show,
    .draw = replay_draw,
    .act = replay_act,
    .tick = replay_tick,
    .explain = replay_explain,
    .title = replay_title,
    .word = replay_word,
    .suffixes = "txt json csv",
    .export = replay_export,
    .command = replay_command,
    .takes = replay_takes,
    .options = replay_options,
    .click = replay_click,
};
