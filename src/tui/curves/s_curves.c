/*
 * s_curves.c - the screen Curves: throughput, TPOT, TTFT and cost against users, memory, the
 * roofline; and what stands at the cursor.
 *
 * A curve is a row of curve_rows: to add one, a fill function and a row. One is shown, TPOT and
 * TTFT beside each other; a terminal of 160 columns shows four of them at once, one of 190 all,
 * with one cursor, and Enter one alone. fill() is called when
 * the plan has changed, or the file, or the range that is looked at, never while drawing; it sets
 * axes, series and words. read() says what stands at the cursor, which stands on computed points
 * where there are some, so that every number read off is one that --plan prints; on a mark's
 * series it goes from mark to mark. The data are answer/curves.c and, of the
 * roofline, matrix products of a result file.
 */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/curves.h"
#include "answer/sentence.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/units.h"
#include "measure/point/point.h"
#include "measure/result/benchlog.h"
#include "plan/roofline.h"
#include "tui/app.h"
#include "tui/form.h"
#include "tui/list.h"
#include "tui/settings.h"
#include "tui/toolkit/frame.h"
#include "tui/toolkit/plot_draw.h"
#include "tui/worker.h"

/* Those against users are kinds of the load's curve, in its order. */
enum curve {
    CURVE_TOKENS = LOAD_TOKENS,
    CURVE_TPOT = LOAD_TPOT,
    CURVE_TTFT = LOAD_TTFT,
    CURVE_COST = LOAD_COST,
    CURVE_MEMORY,
    CURVE_ROOFLINE,
    CURVE_COUNT
};

/* What curves of one x have in common: cursor and range. */
enum { BY_USERS, BY_CONTEXT, BY_INTENSITY, BY_COUNT };

#define CURVES_READINGS 24
#define LAYERS 24         /* products of a model at most */
#define SAME_LENGTH 0.05  /* requests whose lengths differ by less are alike */
#define FAR 10            /* columns of a page */
#define MOST_FILES 200    /* of a folder, looked into */
#define START 512         /* bytes of a file that are looked at */
#define LAST_RUN "@bench" /* stands for the last run of Bench */
#define ZOOM_LEAST 1.2    /* a range is no less than this, high over low */
#define WIDE_COLS 160     /* from here on four curves are shown at once, */
#define WIDE_ROWS 34
#define ALL_COLS 190 /* from here on all */
#define VALUE_COL 15 /* where values begin */
#define TEXT_ROWS 30 /* of an export as text */
#define TEXT_COLS 100

struct curve_reading { /* one value at the cursor */
    char mark;         /* of its series; 0: none */
    enum ink ink;
    char name[64], value[64], more[64]; /* more: shown where there is room for it */
};

struct curve_view {
    double low, high;   /* of x that is shown; NAN: all of it */
    double cursor;      /* NAN: where the curve wants it */
    double start;       /* there */
    double least, most; /* of x as far as there is something */
};

struct curves {
    enum curve curve; /* in focus */
    bool alone;       /* it has the screen, where there is room for several */
    bool pooling;     /* of a model that answers with vectors: prompts/s, no TPOT */
    int seen;         /* how many curves the screen had room for when it was filled */
    struct curve_view view[BY_COUNT];
    struct curve_drawn {
        struct plot plot;
        char words[CURVE_WORDS]; /* what it says, or why there is none */
        int series;              /* in focus */
    } drawn[CURVE_COUNT];
    char at[120]; /* over the readings */
    struct curve_reading reading[CURVES_READINGS];
    int readings;
    unsigned version; /* of the form when it was filled */
    bool filled;
    int panel; /* in focus where there is room for one only */
    int top;   /* first reading shown there */

    struct memory_curve memory;
    enum sweep sweep;              /* what memory is shown against */
    struct load_curve load;        /* of all curves against users */
    struct measured_rows measured; /* by --calibration's files: marks of latency */
    struct task *task;             /* of the load curve; NULL: none runs */
    struct load_job *job;          /* the task's */
    unsigned loaded;               /* version of the form that the load's curve is of, */
    double low, high;              /* and the range that was asked for */
    struct roof_curve roof;

    struct benchlog log, bench;           /* shown; the last run of Bench; json NULL: none */
    char file[GP_PATH_MAX];               /* of log */
    int set, sets;                        /* of the roofline: 0 the plan, 1.. products of log */
    int source[PLOT_SERIES][PLOT_POINTS]; /* in log.point */
};

/* ---- which are shown ---- */

/* Answers with a vector or a score: prompts/s, and no TPOT. */
static bool is_pooling(const struct form *form)
{
    return form->answered && form->answer->plan.request.model->pooling;
}

#define SEVERAL 2 /* curves at once from here on have one cursor: all are against users */

/* What memory is shown against. */
static enum sweep sweep_of(const struct curves *c)
{
    return c->seen > SEVERAL ? SWEEP_USERS : c->sweep;
}

static int axis_of(const struct curves *c, enum curve curve)
{
    return curve == CURVE_ROOFLINE                                 ? BY_INTENSITY
           : curve == CURVE_MEMORY && sweep_of(c) == SWEEP_CONTEXT ? BY_CONTEXT
                                                                   : BY_USERS;
}

static struct curve_view *view_of(struct curves *c)
{
    return &c->view[axis_of(c, c->curve)];
}

static const struct plot *plot_of(const struct curves *c)
{
    return &c->drawn[c->curve].plot;
}

static bool is_zoomed(const struct curves *c)
{
    return isfinite(c->view[axis_of(c, c->curve)].low);
}

/* The measured products of a file are no curve of the plan. */
static bool is_measured(const struct curves *c)
{
    return c->curve == CURVE_ROOFLINE && c->set > 0;
}

static bool is_time(enum curve curve)
{
    return curve == CURVE_TPOT || curve == CURVE_TTFT;
}

/* Those of the screen, in its order, that in focus among them: how many. */
static int curves_list(const struct curves *c, enum curve out[CURVE_COUNT])
{
    int n = 0;

    for (int i = 0; i < CURVE_COUNT; i++) {
        enum curve curve = (enum curve)i;
        bool other = (is_time(curve) && is_time(c->curve)) ||
                     (curve == CURVE_MEMORY && c->curve != CURVE_ROOFLINE) ||
                     (curve == CURVE_TPOT && c->curve != CURVE_TTFT) || curve == CURVE_TOKENS ||
                     curve == CURVE_COST;
        bool pair = is_time(curve) && is_time(c->curve);

        if (c->pooling && curve == CURVE_TPOT)
            continue;
        if (curve == c->curve || c->seen == CURVE_COUNT || (c->seen == SEVERAL && pair) ||
            (c->seen > SEVERAL && other && !pair))
            out[n++] = curve;
    }
    return n;
}

/* How many curves there is room for. */
static int room_of(const struct app *app, const struct curves *c)
{
    struct frame frame = app_frame(app);
    int cols = frame.body.cols, rows = frame.body.rows;

    return cols < WIDE_COLS / 2 - 10                                            ? 1
           : c->alone || is_measured(c) || cols < WIDE_COLS || rows < WIDE_ROWS ? SEVERAL
           : cols < ALL_COLS                                                    ? 4
                                                                                : CURVE_COUNT;
}

/* ---- for those who fill and read ---- */

/* fmt: the value, and behind a tab what stands beside it where there is room. */
__attribute__((format(printf, 5, 6))) static void reading_add(struct curves *c, char mark,
                                                              enum ink ink, const char *name,
                                                              const char *fmt, ...)
{
    struct curve_reading *r = &c->reading[c->readings];
    char text[160], *more = text;
    va_list args;

    if (c->readings == CURVES_READINGS)
        return;
    c->readings++;
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    strsep(&more, "\t");
    r->mark = mark;
    r->ink = ink;
    gp_copy(r->name, sizeof(r->name), name);
    gp_copy(r->value, sizeof(r->value), text);
    gp_copy(r->more, sizeof(r->more), more ? more : "");
    gp_sanitize(r->value);
}

/* The point of a mark's series that is nearest to x; -1: it has none. */
static int nearest_point(const struct plot *plot, const struct plot_series *s, double x)
{
    double at = plot_place(&plot->x, x), least = INFINITY;
    int best = -1;

    for (int i = 0; i < s->count; i++) {
        double far = fabs(plot_place(&plot->x, s->x[i]) - at);

        if (far < least) {
            least = far;
            best = i;
        }
    }
    return best;
}

/* "16 users: fits, memory" over the readings. */
static void say_verdict(struct curves *c, enum sweep of, double x, enum verdict verdict,
                        enum limit limit)
{
    char text[48];

    gp_format(c->at, sizeof(c->at), "%s: %s%s%s", memory_count(of, x, text, sizeof(text)),
              verdict_words[verdict].brief, limit != LIMIT_NONE ? ", " : "",
              limit != LIMIT_NONE ? limit_word(limit) : "");
}

/* ---- latency, throughput, cost ---- */

struct load_job {
    struct load_curve curve; /* without points */
    struct load_point point[LOAD_POINTS];
};

static bool load_unit(void *ctx, int i, struct planner *planner)
{
    struct load_job *job = ctx;

    (void)planner;
    load_curve_point(&job->curve, i, &job->point[i]);
    return i + 1 < job->curve.count;
}

/* Gives the points, which take long, to the worker: load_take() takes those that are planned, and
 * fill() draws them. Not where they are there. */
static void load_begin(struct curves *c, struct form *form, struct worker *worker)
{
    static const struct task_ops ops = {TASK_SCREEN, load_unit, free};
    const struct curve_view *v = &c->view[BY_USERS];
    struct load_curve *load = &c->load;
    bool same = load->count > 0 && c->loaded == form->version &&
                (isfinite(v->low) ? c->low == v->low && c->high == v->high : !isfinite(c->low));

    if (same && (c->task || load->done == load->count))
        return;
    task_drop(&c->task);
    load_curve_begin(form->answer, v->low, v->high, load);
    c->loaded = form->version;
    c->low = v->low;
    c->high = v->high;
    c->measured.count = 0;
    if (measured_rows_read(form->answer, &c->measured, NULL))
        c->measured.count = 0; /* the answer has said what is wrong with the file */
    c->job = gp_calloc(1, sizeof(*c->job));
    c->job->curve = c->load;
    c->task = task_begin(worker, &ops, c->job);
}

/* True: points have come. */
static bool load_take(struct curves *c)
{
    int done = task_done(c->task);
    bool more = true;

    if (done == c->load.done)
        return false;
    while (more && c->load.done < done)
        more = load_curve_take(&c->load, &c->job->point[c->load.done]);
    if (!more)
        task_drop(&c->task);
    return true;
}

/* Times that were measured with requests as long as the plan's. */
static void add_measured(struct curves *c, struct plot *plot, const struct request *q,
                         const char *what, enum plot_role role)
{
    struct plot_series *s = NULL;

    for (int i = 0; i < c->measured.count; i++) {
        const struct measured_row *r = &c->measured.row[i];
        double ms = r->measured * 1e3;

        if (strcmp(r->what, what) != 0 || fabs(r->prompt - q->prompt) > SAME_LENGTH * q->prompt ||
            fabs(r->output - q->output) > SAME_LENGTH * q->output)
            continue;
        s = s ? s : plot_add(plot, what, role, 'x');
        if (!s)
            return;
        gp_format(s->name, sizeof(s->name), "%s measured", what);
        plot_point(s, r->users, ms);
        plot->y.high = fmax(plot->y.high, ms * 1.1);
    }
}

static void fill_load(struct curves *c, struct form *form, enum curve curve)
{
    static const char *const what[CURVE_COUNT] = {[CURVE_TPOT] = "TPOT", [CURVE_TTFT] = "TTFT"};
    struct curve_drawn *d = &c->drawn[curve];

    if (!form->answer->plan.has_memory) {
        struct texts why = {0};

        gp_format(d->words, sizeof(d->words), "no curve: %s",
                  sentence_first_reason(&form->answer->plan, &why));
        texts_fini(&why);
    } else if (load_curve_plot(&c->load, (enum load_kind)curve, &d->plot, d->words)) {
        if (what[curve])
            add_measured(c, &d->plot, &form->answer->plan.request, what[curve], PLOT_4);
        c->view[BY_USERS].start = c->load.own;
    } else if (c->load.done < c->load.count) {
        gp_copy(d->words, sizeof(d->words), "planning ...");
    }
}

static void read_time(struct curves *c, enum plot_role role, const char *name,
                      const struct quantity *q)
{
    if (q->known)
        reading_add(c, 0, plot_ink(role), name, "%s ms\t%s..%s", UNITS_PLAIN(q->value * 1e3, 4),
                    UNITS_PLAIN(q->low * 1e3, 4), UNITS_PLAIN(q->high * 1e3, 4));
}

static void read_money(struct curves *c, enum ink ink, const char *name, const struct quantity *q)
{
    if (q->known && q->high > q->low)
        reading_add(c, 0, ink, name, "%s\t%.2f..%.2f", UNITS_MONEY(q->value), q->low, q->high);
    else if (q->known)
        reading_add(c, 0, ink, name, "%s", UNITS_MONEY(q->value));
}

/* Every point is a plan: what it says of itself. */
static void read_load(struct curves *c, const struct form *form, double x)
{
    const struct load_point *p = load_curve_at(&c->load, x);
    const struct plot *plot = plot_of(c);
    bool pooling = is_pooling(form);
    const char *rate = pooling ? "prompts/s" : "tok/s";
    char count[32];

    if (!p)
        return;
    say_verdict(c, SWEEP_USERS, p->users, p->verdict, p->limit);
    if (p->tokens.known)
        reading_add(c, 0, plot_ink(PLOT_1), pooling ? "prompts" : "output", "%.*f %s\t%.*f..%.*f",
                    pooling ? 1 : 0, p->tokens.value, rate, pooling ? 1 : 0, p->tokens.low,
                    pooling ? 1 : 0, p->tokens.high);
    read_time(c, PLOT_1, "TPOT", &p->tpot);
    read_time(c, PLOT_2, pooling ? "a prompt" : "TTFT", &p->ttft);
    if (c->load.knee > 0)
        reading_add(c, 0, INK_OK, "90 % of most", "%.0f users\tmost: %s %s", c->load.knee,
                    units_tokens(count, sizeof(count), round(c->load.most)), rate);
    read_money(c, plot_ink(PLOT_3), "$/M tok", &p->million);
    read_money(c, INK_TEXT, "$ an hour", &p->per_hour);
    if (p->gpus)
        reading_add(c, 0, INK_TEXT, "GPUs", "%d", p->gpus);
    for (int i = 0; i < plot->count; i++) {
        const struct plot_series *s = &plot->series[i];
        int k = s->mark == 'x' ? nearest_point(plot, s, x) : -1;

        if (k >= 0)
            reading_add(c, s->mark, plot_ink(s->role), s->name, "%s ms\tat %.0f users",
                        UNITS_PLAIN(s->y[k], 4), s->x[k]);
    }
}

/* ---- memory ---- */

static void fill_memory(struct curves *c, struct form *form, enum curve curve)
{
    const struct plan *plan = &form->answer->plan;
    struct curve_view *v = &c->view[axis_of(c, curve)];
    struct curve_drawn *d = &c->drawn[curve];
    bool shared = c->seen > SEVERAL && c->load.count > 0; /* the range of those beside it */

    if (memory_curve(&c->memory, plan, sweep_of(c), shared ? c->load.low : v->low,
                     shared ? c->load.high : v->high, &d->plot, d->words))
        v->start = sweep_of(c) == SWEEP_CONTEXT ? plan->request.context : plan->request.users;
}

/* Lines and marks by the names and figures that they have in the plot, and beside them
 * what each adds, what is free, how far it may go. */
static void read_memory_series(struct curves *c, const struct sweep_point *p)
{
    const struct sweep_end *end = &c->memory.end;
    const struct plot *plot = plot_of(c);
    char text[48];

    for (int i = 0; i < plot->count; i++) {
        const struct plot_series *s = &plot->series[i];
        double gib = (s->mark ? s->y[0] : plot_read(plot, s, p->x)) / GP_GIB;
        char sign = s->label ? s->label : s->mark;

        if (s->count == 0 || s->shade)
            continue;
        text[0] = '\0';
        if (sign > 'a' && sign < 'a' + MEMORY_STACK)
            gp_format(text, sizeof(text), "\t+%.2f GiB",
                      memory_part(p, sign - 'a')->value / GP_GIB);
        else if (s->label == 'u')
            gp_format(text, sizeof(text), "\t%.2f %s", fabs(p->free.value) / GP_GIB,
                      p->free.value < 0 ? "short" : "free");
        reading_add(c, sign, plot_ink(s->role), s->name, "%.2f GiB%s", gib, text);
    }
    if (!(end->fits > 0))
        return;
    memory_count(c->memory.of, end->fits, text, sizeof(text));
    if (end->marginal > end->fits)
        reading_add(c, ':', INK_OK, "fits to", "%s\tmarginal to %.0f", text, end->marginal);
    else
        reading_add(c, ':', INK_OK, "fits to", "%s", text);
}

static void read_memory(struct curves *c, const struct form *form, double x)
{
    const struct sweep_point *p = NULL;
    char more[48] = "", pool[32] = "none";

    (void)form;
    for (int i = 0; i < c->memory.samples; i++)
        if (!p || fabs(c->memory.sample[i].x - x) < fabs(p->x - x))
            p = &c->memory.sample[i];
    if (!p || !p->known)
        return;
    say_verdict(c, c->memory.of, p->x, p->verdict, p->limit);
    read_memory_series(c, p);
    if (p->pool.value > 0)
        gp_format(pool, sizeof(pool), "%.2f GiB", p->pool.value / GP_GIB);
    if (p->requests > 0 && p->requests < 1e9)
        gp_format(more, sizeof(more), "\t%.1f requests", p->requests);
    reading_add(c, 0, INK_TEXT, "KV pool", "%s%s", pool, more);
    for (int k = 1; k <= MEMORY_STACK; k++) { /* parts that are a distance of two lines */
        const struct quantity *q = k < MEMORY_STACK ? memory_part(p, k) : &p->free;

        more[0] = '\0';
        if (q->high - q->low > 0.01 * GP_GIB)
            gp_format(more, sizeof(more), "\t%.2f..%.2f", q->low / GP_GIB, q->high / GP_GIB);
        reading_add(c, 0, INK_TEXT, k < MEMORY_STACK ? memory_stack[k].name + 2 : "free",
                    "%.2f GiB%s", q->value / GP_GIB, more);
    }
    if (p->used > 0)
        reading_add(c, 0, INK_TEXT, "used by others", "%.2f GiB", p->used / GP_GIB);
}

/* ---- matrix products of a result file, under the roofline of their device ----
 *
 * The roof is the sheet's where the file names a GPU of the catalogue. Elsewhere it is the best
 * read bandwidth that the file itself measured, and there is no arithmetic roof. Points that are
 * flagged (result_good) are drawn as a series of their own and said to be; those that failed are
 * left out, and counted in words. Of several algorithms for one product the fastest is shown. */

/* A set, which is shown at a time: products of one test on one device; of a model's layers, of
 * one type, model and split as well. */
static bool same_set(const struct point_result *a, const struct point_result *b)
{
    if (a->test != b->test || a->device != b->device)
        return false;
    return !bench_test_is(a->test, TEST_IS_LAYER) ||
           (a->type == b->type && result_param(a, "tp") == result_param(b, "tp") &&
            strcmp(result_param_text(a, "model"), result_param_text(b, "model")) == 0);
}

/* How many sets there are, in the order of the file; *set: the first point of the wanted one. */
static int find_sets(const struct benchlog *log, int wanted, const struct point_result **set)
{
    int count = 0;

    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];
        int k = 0;

        if (p->test != TEST_GEMM && !bench_test_is(p->test, TEST_IS_LAYER))
            continue;
        while (!same_set(&log->point[k], p))
            k++;
        if (k == i && count++ == wanted)
            *set = p;
    }
    return count;
}

static bool is_shown(const struct point_result *p, const struct point_result *set)
{
    return same_set(p, set) && p->state == POINT_OK && (!p->checked || p->correct) && p->ops > 0;
}

/* The arithmetic intensity; 0: it has none. */
static double x_of(const struct point_result *p)
{
    return p->bytes > 0 ? p->ops / p->bytes : 0;
}

/* What has a series of its own: the layer, or the type; NULL: nothing. */
static const char *group_of(const struct point_result *p)
{
    return bench_test_is(p->test, TEST_IS_LAYER) ? result_param_text(p, "layer")
           : p->type < TYPE_COUNT                ? bench_type_word(p->type)
                                                 : NULL;
}

/* Groups in the order of the file. */
static int groups_of(const struct benchlog *log, const struct point_result *set, const char **out)
{
    int count = 0;

    for (int i = 0; i < log->count && count < PLOT_SERIES / 2; i++) {
        const char *group = group_of(&log->point[i]);
        int k = 0;

        if (!group || !is_shown(&log->point[i], set))
            continue;
        while (k < count && strcmp(out[k], group) != 0)
            k++;
        if (k == count)
            out[count++] = group;
    }
    return count;
}

/* Flagged, and no other algorithm for the same product was measured undisturbed. */
static bool only_flagged(const struct benchlog *log, const struct point_result *p)
{
    for (int i = 0; i < log->count; i++)
        if (log->point[i].device == p->device && result_good(&log->point[i]) &&
            strcmp(log->point[i].id, p->id) == 0)
            return false;
    return !result_good(p);
}

/* Puts a point in, or in the place of a slower one of the same id. */
static void point_put(struct curves *c, int series, int at, double x, double y)
{
    struct plot_series *s = &c->drawn[CURVE_ROOFLINE].plot.series[series];
    int *source = c->source[series], i = 0;

    while (i < s->count && strcmp(c->log.point[source[i]].id, c->log.point[at].id) != 0)
        i++;
    if (i < s->count && y > s->y[i]) {
        s->y[i] = y;
        source[i] = at;
    } else if (i == s->count && i < PLOT_POINTS) {
        source[i] = at;
        plot_point(s, x, y);
    }
}

/* The good points of the i-th group; without a group those of all groups that were only
 * measured on a disturbed machine: worth a look, not to be relied on. */
static void add_marks(struct curves *c, const struct point_result *set, const char *group, int i,
                      double unit)
{
    struct plot *plot = &c->drawn[CURVE_ROOFLINE].plot;
    int series = plot->count;
    char name[64] = "flagged";

    if (group)
        gp_format(name, sizeof(name), "%s measured", group);
    if (!plot_add(plot, name, group ? plot_role(i) : PLOT_WARN, group ? (char)('1' + i) : '!'))
        return;
    for (int k = 0; k < c->log.count; k++) {
        const struct point_result *p = &c->log.point[k];
        const char *own = group_of(p);

        if (is_shown(p, set) && x_of(p) > 0 &&
            (group ? own && strcmp(own, group) == 0 && result_good(p) : only_flagged(&c->log, p)))
            point_put(c, series, k, x_of(p), p->ops / unit);
    }
    if (plot->series[series].count == 0) /* without a point it is none */
        plot->count = series;
}

/* The GPU of the catalogue, or its slice, that the file says a device is. */
static bool gpu_of(const struct curves *c, struct form *form, int device, struct gpu *out)
{
    char id[96], *slice = id;
    const struct gpu *gpu;

    gp_copy(id, sizeof(id), benchlog_device_text(&c->log, device, "profile"));
    strsep(&slice, "/");
    if (!id[0] || id[0] == '.' || catalog_gpu(planner_catalog(form->planner), id, &gpu, NULL))
        return false;
    if (slice)
        return gpu_slice_of(gpu, slice, out, NULL) == GP_OK;
    *out = *gpu;
    return true;
}

static double best_read(const struct benchlog *log, int device)
{
    double best = 0;

    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];

        if (p->device == device && result_good(p) && p->kind == KIND_READ && !p->hot)
            best = fmax(best, p->bytes);
    }
    return best;
}

/* What a set is of, how many points it has, and whose roof is over them. */
static void say_set(struct curves *c, const struct point_result *set, int shown, int flagged,
                    int left_out, const char *roof)
{
    const struct benchlog_device *d = &c->log.device[set->device];
    const char *model = result_param_text(set, "model");
    struct strbuf words;

    strbuf_init(&words);
    strbuf_addf(&words, "%s, measured %.10s on %s: %d point%s", d->name, c->log.started, d->host,
                shown, shown == 1 ? "" : "s");
    if (flagged > 0)
        strbuf_addf(&words, ", %d of them flagged (!)", flagged);
    if (left_out > 0)
        strbuf_addf(&words, ", %d without a figure left out", left_out);
    if (bench_test_is(set->test, TEST_IS_LAYER))
        strbuf_addf(&words, "; %.40s %s%s, TP %.0f", model, bench_type_word(set->type),
                    model[0] ? "" : " layers", result_param(set, "tp"));
    else
        strbuf_addf(&words, "; %s", bench_test_word(set->test));
    strbuf_addf(&words, "; roof: %s", roof);
    if (c->sets > 2)
        strbuf_addf(&words, "; %d of %d, j and k: next", c->set, c->sets - 1);
    gp_copy(c->drawn[CURVE_ROOFLINE].words, CURVE_WORDS, words.text);
    strbuf_fini(&words);
}

static void fill_measured(struct curves *c, struct form *form)
{
    struct curve_view *v = &c->view[BY_INTENSITY];
    struct plot *plot = &c->drawn[CURVE_ROOFLINE].plot;
    const struct point_result *set = NULL;
    const char *groups[PLOT_SERIES];
    struct gpu gpu;
    struct roof roof[PLOT_SERIES];
    double x_low = INFINITY, x_high = 0, y_low = INFINITY, y_high = 0, read = 0, most, unit;
    int shown = 0, flagged = 0, left_out = 0, count, roofs;

    find_sets(&c->log, c->set - 1, &set);
    bool layers = bench_test_is(set->test, TEST_IS_LAYER);
    bool sheet = gpu_of(c, form, set->device, &gpu);
    if (!sheet)
        read = best_read(&c->log, set->device);
    for (int i = 0; i < c->log.count; i++) {
        const struct point_result *p = &c->log.point[i];
        double x = x_of(p);

        if (!is_shown(p, set)) {
            left_out += same_set(p, set);
            continue;
        }
        shown++;
        flagged += !result_good(p);
        if (x <= 0)
            continue;
        x_low = fmin(x_low, x);
        x_high = fmax(x_high, x);
        y_low = fmin(y_low, p->ops);
        y_high = fmax(y_high, p->ops);
    }
    say_set(c, set, shown, flagged, left_out,
            sheet      ? "the sheet"
            : read > 0 ? "the read bandwidth measured with it"
                       : "none is known");
    if (!(x_high > 0))
        return;
    count = groups_of(&c->log, set, groups);
    roofs = layers ? 1 : count;
    most = y_high;
    for (int i = 0; i < roofs; i++) { /* as high as those of the types that were measured */
        const char *type = layers ? bench_type_word(set->type) : groups[i];

        roof[i] = sheet ? roof_of_type(&gpu, (enum bench_type)bench_type_parse(type))
                        : (struct roof){quantity_unknown(), quantity_exact(read)};
        if (roof[i].rate.known)
            most = fmax(most, roof[i].rate.value);
    }
    plot->x = (struct plot_axis){
        .log = true, .base = 2, .title = "intensity, FLOP per byte of memory (log2)"};
    plot_range(plot, v->low, v->high, roof_curve_floor2(x_low), roof_curve_ceil2(x_high * 1.01));
    unit = roof_curve_rates(plot, y_low / 2, most * 1.1, most, false);
    for (int i = 0; i < roofs; i++) {
        char name[64];

        gp_format(name, sizeof(name), "%s %s", layers ? bench_type_word(set->type) : groups[i],
                  sheet ? "sheet" : "read bandwidth");
        roof_curve_line(plot, name, PLOT_DIM, (char)('a' + i), roof[i], unit);
    }
    for (int i = 0; i < count; i++)
        add_marks(c, set, groups[i], i, unit);
    add_marks(c, set, NULL, 0, unit);
    v->start = x_high;
}

/* A mark's point: "down: contended", or its layer, with how much of the prediction it is. */
static void read_point(struct curves *c, const struct plot_series *s, const struct point_result *p,
                       double y)
{
    const char *layer = result_param_text(p, "layer"), *word = "flagged";
    char name[64], share[32] = "";
    const json_t *flag;
    size_t i;

    json_array_foreach(p->flags, i, flag)
    {
        if (line_flag_disturbs(json_string_value(flag)))
            word = json_string_value(flag);
    }
    gp_copy(name, sizeof(name), s->name);
    if (s->mark == '!')
        gp_format(name, sizeof(name), "%s: %s", layer[0] ? layer : p->type_word, word);
    else if (p->ratio > 0)
        gp_format(share, sizeof(share), ", %.0f %%", 100 * p->ratio);
    reading_add(c, s->mark, plot_ink(s->role), name, "%s %s%s\t%.0fx%.0fx%.0f", UNITS_PLAIN(y, 4),
                plot_unit(&plot_of(c)->y), share, p->m, p->n, p->k);
}

/* ---- roofline ---- */

static void fill_roofline(struct curves *c, struct form *form, enum curve curve)
{
    struct curve_view *v = &c->view[BY_INTENSITY];
    struct curve_drawn *d = &c->drawn[curve];

    if (c->set > 0)
        fill_measured(c, form);
    else if (roof_curve(&c->roof, &form->answer->plan, v->low, v->high, &d->plot, d->words))
        v->start = c->roof.start;
}

static void read_roofline(struct curves *c, const struct form *form, double x)
{
    const struct plan *plan = &form->answer->plan;
    const struct model *model = plan->request.model;
    const struct plot *plot = plot_of(c);
    double start = c->view[BY_INTENSITY].start;
    struct products_layer layers[LAYERS]; /* a mark is a product, in the order of these */

    if (c->set > 0) {
        gp_format(c->at, sizeof(c->at), "%s FLOP/B; %% of what was predicted", UNITS_PLAIN(x, 4));
    } else {
        gp_format(c->at, sizeof(c->at), "%s FLOP/B: %s", UNITS_PLAIN(x, 4),
                  x == start  ? "the ridge"
                  : x < start ? "memory bound"
                              : "arithmetic bound");
        products_layers(model, &plan->layout, layers, LAYERS);
    }
    for (int i = 0; i < plot->count; i++) {
        const struct plot_series *s = &plot->series[i];
        double y = s->mark || s->shade ? NAN : plot_read(plot, s, x);
        int k = s->mark ? nearest_point(plot, s, x) : -1;

        if (isfinite(y)) {
            reading_add(c, s->label, plot_ink(s->role), s->name, "%s %s", UNITS_PLAIN(y, 4),
                        plot_unit(&plot->y));
        } else if (k >= 0 && c->set > 0) {
            read_point(c, s, &c->log.point[c->source[i][k]], s->y[k]);
        } else if (k >= 0) {
            const struct products_layer *layer = &layers[k];

            reading_add(c, s->mark, plot_ink(s->role), s->name,
                        "%s %s %s\t%.0fx%.0fx%.0f, %s FLOP/B", layer->name, UNITS_PLAIN(s->y[k], 4),
                        plot_unit(&plot->y), (double)layer->m,
                        roof_curve_tokens(model, layer, c->roof.batch[i]), (double)layer->k,
                        UNITS_PLAIN(s->x[k], 3));
        }
    }
}

/* ---- the table ---- */

#define LAYOUT_EXPLAIN "P: your plan; dotted: its band. "

static const struct curve_row {
    const char *title;
    const char *explain; /* one or two lines, with the equation */
    char key;            /* as the title says it */
    bool snap;           /* the cursor stands on points that were computed */
    void (*fill)(struct curves *c, struct form *form, enum curve curve);
    void (*read)(struct curves *c, const struct form *form, double x);
} curve_rows[CURVE_COUNT] = {
    [CURVE_TOKENS] = {"Output tok/s", LAYOUT_EXPLAIN "tokens/s = requests/s x output, all users.",
                      'p', true, fill_load, read_load},
    [CURVE_TPOT] = {"TPOT", LAYOUT_EXPLAIN "TPOT of a step.", 't', true, fill_load, read_load},
    [CURVE_TTFT] = {"TTFT", LAYOUT_EXPLAIN "TTFT = wait + prefill.", 't', true, fill_load,
                    read_load},
    [CURVE_COST] = {"$/M tokens", LAYOUT_EXPLAIN "$/M tokens = 1e6 $/h / (3600 tokens/s).", '$',
                    true, fill_load, read_load},
    [CURVE_MEMORY] = {"Memory of one GPU",
                      "Memory of one GPU by part, stacked; each point is a plan of its own.", 'm',
                      true, fill_memory, read_memory},
    [CURVE_ROOFLINE] = {"Roofline",
                        "Roof = min(rate, intensity x bandwidth) of the sheet; marks are "
                        "predicted, or measured (o).",
                        'r', false, fill_roofline, read_roofline},
};

/* Title and explanation of those that are of prompts, of a model that answers with vectors. */
static const struct {
    const char *title, *explain;
} pooling_curves[CURVE_COUNT] = {
    [CURVE_TOKENS] = {"Prompts/s", LAYOUT_EXPLAIN "prompts/s of all users."},
    [CURVE_TTFT] = {"Time of a prompt", LAYOUT_EXPLAIN "time = wait + the prompt's steps."},
    [CURVE_COST] = {"$/M tokens",
                    LAYOUT_EXPLAIN "$/M prompt tokens = 1e6 $/h / (3600 prompts/s x prompt)."},
};

static struct curve_row curve_row_of(const struct curves *c, enum curve curve)
{
    struct curve_row row = curve_rows[curve];

    if (c->pooling && pooling_curves[curve].title) {
        row.title = pooling_curves[curve].title;
        row.explain = pooling_curves[curve].explain;
    }
    return row;
}

/* ---- filling ---- */

/* x of the cursor of a curve. */
static double cursor_of(const struct curves *c, enum curve curve)
{
    const struct curve_view *v = &c->view[axis_of(c, curve)];
    const struct plot_axis *x = &c->drawn[curve].plot.x;

    return fmin(fmax(isfinite(v->cursor) ? v->cursor : v->start, x->low), x->high);
}

static double curves_cursor(const struct curves *c)
{
    return cursor_of(c, c->curve);
}

static void read_cursor(struct curves *c, struct form *form)
{
    c->readings = 0;
    c->at[0] = '\0';
    if (plot_of(c)->count > 0)
        curve_rows[c->curve].read(c, form, curves_cursor(c));
}

/* Draws what is planned. */
static void curve_redraw(struct app *app, struct curves *c)
{
    enum curve shown[CURVE_COUNT];
    int n = curves_list(c, shown);

    for (int i = 0; i < n; i++) {
        enum curve curve = shown[i];
        struct curve_drawn *d = &c->drawn[curve];
        struct curve_view *v = &c->view[axis_of(c, curve)];

        plot_clear(&d->plot);
        d->words[0] = '\0';
        if (!app->form->answered && !(curve == CURVE_ROOFLINE && c->set > 0))
            gp_format(d->words, sizeof(d->words), "no plan: %s", app->form->err.text);
        else
            curve_rows[curve].fill(c, app->form, curve);
        gp_copy(d->plot.title, sizeof(d->plot.title), curve_row_of(c, curve).title);
        if (d->series >= d->plot.count)
            d->series = 0;
        while (d->series < d->plot.count - 1 && d->plot.series[d->series].shade)
            d->series++;
        if (!isfinite(v->low) && d->plot.count > 0) {
            v->least = d->plot.x.low;
            v->most = d->plot.x.high;
        }
    }
    read_cursor(c, app->form);
    app_touch(app);
}

/* "Llama 3.1 70B bf16, 2 x h100-sxm TP 2" */
static void curves_of(const struct app *app, const struct curves *c, char *text, size_t size)
{
    const struct plan *p = &app->form->answer->plan;

    text[0] = '\0';
    if (is_measured(c))
        gp_copy(text, size, c->file[0] ? c->file : "last run of Bench");
    else if (app->form->answered)
        gp_format(text, size, "%s %s, %d x %s TP %d", p->request.model->name,
                  p->request.precision.id, p->layout.gpus, p->request.gpu->id, p->layout.tp);
}

static void curve_fill(struct app *app, struct curves *c)
{
    struct form *form = app->form;
    enum curve shown[CURVE_COUNT];
    bool load = false;

    for (int i = 0; i < BY_COUNT; i++)
        c->view[i].start = NAN;
    c->pooling = is_pooling(form);
    if (c->pooling && c->curve == CURVE_TPOT)
        c->curve = CURVE_TTFT;
    c->sets = 1 + find_sets(&c->log, -1, NULL);
    c->set = (c->set % c->sets + c->sets) % c->sets;
    c->version = form->version;
    c->filled = true;
    c->seen = room_of(app, c);
    for (int i = curves_list(c, shown) - 1; i >= 0; i--)
        load = load || shown[i] <= CURVE_COST;
    if (load && form->answered && form->answer->plan.has_memory)
        load_begin(c, form, app->worker);
    if (c->task)
        load_take(c);
    curve_redraw(app, c);
}

/* ---- moving ---- */

/* Curve i of the n that share a rectangle. */
static struct rect box_of(struct rect in, int n, int i)
{
    int across = n <= SEVERAL ? n : (n + 1) / 2, down = (n + across - 1) / across;
    int col = i % across, row = i / across;
    int y = in.rows * row / down, x = in.cols * col / across;

    return (struct rect){in.y + y, in.x + x, in.rows * (row + 1) / down - y,
                         in.cols * (col + 1) / across - x};
}

/* The boxes of those that are shown, and which is in focus. */
static int curve_boxes(const struct app *app, const struct curves *c, enum curve shown[CURVE_COUNT],
                       struct rect box[CURVE_COUNT], int *focus)
{
    struct frame frame = app_frame(app);
    struct rect panel[CURVES_PANELS];
    int n = curves_list(c, shown);

    frame_stack(frame.body, frame.size, c->panel, CURVES_ROWS, panel);
    *focus = 0;
    for (int i = 0; i < n; i++) {
        box[i] = box_of(panel[CURVES_PLOT], n, i);
        if (shown[i] == c->curve)
            *focus = i;
    }
    return n;
}

/* Columns of the curve in focus. */
static int columns_of(const struct app *app, const struct curves *c)
{
    enum curve shown[CURVE_COUNT];
    struct rect box[CURVE_COUNT];
    int focus;

    curve_boxes(app, c, shown, box, &focus);
    return plot_area(rect_inside(box[focus]), plot_of(c)).cols;
}

/* The nearest x of the series that lies at least `columns` beyond; its last one. */
static double next_point(const struct plot *plot, const struct plot_series *s, double x, int width,
                         int columns)
{
    int way = columns < 0 ? -1 : 1;
    double here = plot_place(&plot->x, x), best = x, far = INFINITY, most = 0;
    double least = s->mark ? 1e-9 : (abs(columns) - 0.5) / fmax(width - 1, 1);

    for (int i = 0; i < s->count; i++) {
        double place = plot_place(&plot->x, s->x[i]), gap = way * (place - here);

        if (!(place >= -1e-9 && place <= 1 + 1e-9) || gap <= 0)
            continue;
        if (gap >= least && gap < far) {
            far = gap;
            best = s->x[i];
        } else if (isinf(far) && gap > most) {
            most = gap;
            best = s->x[i];
        }
    }
    return best;
}

/* The series in focus. */
static const struct plot_series *series_of(const struct curves *c)
{
    return &plot_of(c)->series[c->drawn[c->curve].series];
}

static void cursor_move(struct app *app, struct curves *c, int columns)
{
    const struct plot *plot = plot_of(c);
    const struct plot_series *s = series_of(c);
    int width = columns_of(app, c);

    if (plot->count == 0)
        return;
    if (s->mark || curve_rows[c->curve].snap)
        view_of(c)->cursor = next_point(plot, s, curves_cursor(c), width, columns);
    else
        view_of(c)->cursor = plot_move(plot, width, curves_cursor(c), columns);
    read_cursor(c, app->form);
}

/* The cursor onto the nearest point of the series in focus, where it stands on such. */
static void cursor_snap(struct app *app, struct curves *c)
{
    const struct plot_series *s = series_of(c);

    if ((s->mark || curve_rows[c->curve].snap) && s->count > 0)
        view_of(c)->cursor = s->x[nearest_point(plot_of(c), s, curves_cursor(c))];
    read_cursor(c, app->form);
}

static void choose_series(struct app *app, struct curves *c, int by)
{
    const struct plot *plot = plot_of(c);
    int *at = &c->drawn[c->curve].series;

    if (plot->count == 0)
        return;
    do
        *at = (*at + by + plot->count) % plot->count;
    while ((plot->series[*at].count == 0 || plot->series[*at].shade) && *at != 0);
    cursor_snap(app, c);
    app_report(app, false, "series %d of %d: %s", *at + 1, plot->count, plot->series[*at].name);
}

static void up_down(struct app *app, struct curves *c, int by)
{
    if (c->panel == CURVES_READING && app_frame(app).size == SIZE_ONE) {
        c->top = list_clamp(c->top + by, 0, c->readings - 1);
    } else if (c->curve == CURVE_ROOFLINE && c->sets > 1) {
        c->set += by;
        curve_fill(app, c);
    } else {
        choose_series(app, c, by);
    }
}

/* Half (by > 0) or twice the range, the cursor where it is; never beyond what there is. */
static void zoom_by(struct app *app, struct curves *c, int by)
{
    struct curve_view *v = view_of(c);
    const struct plot_axis *axis = &plot_of(c)->x;
    double factor = by > 0 ? 0.5 : 2, x = curves_cursor(c), low = axis->low, high = axis->high;

    if (plot_of(c)->count == 0 || (by < 0 && !is_zoomed(c)))
        return;
    low = axis->log ? x * pow(low / x, factor) : x - (x - low) * factor;
    high = axis->log ? x * pow(high / x, factor) : x + (high - x) * factor;
    if (by > 0 && (axis->log ? high / low < ZOOM_LEAST : high - low < 2))
        return;
    v->cursor = x;
    v->low = fmax(low, v->least);
    v->high = fmin(high, v->most);
    if (v->low <= v->least && v->high >= v->most)
        v->low = v->high = NAN;
    curve_fill(app, c);
}

/* ---- result files ---- */

static const struct curve_view WHOLE = {NAN, NAN, NAN, NAN, 0, 0};

static void open_file(struct app *app, const char *path)
{
    struct curves *c = app_state(app, SCREEN_CURVES);
    bool last = strcmp(path, LAST_RUN) == 0;
    struct benchlog log;
    struct gp_err err;

    if (last && !benchlog_share(&c->bench, &log))
        return;
    if (!last && benchlog_read(path, &log, &err)) {
        app_report_err(app, &err);
        return;
    }
    benchlog_fini(&c->log);
    c->log = log;
    c->set = 1;
    c->curve = CURVE_ROOFLINE;
    c->view[BY_INTENSITY] = WHOLE;
    gp_copy(c->file, sizeof(c->file), last ? "" : path);
    curve_fill(app, c);
    if (c->sets == 1)
        app_report(app, false, "this result has no matrix products (gpuplan --bench gemm, batch)");
}

void curves_show_log(struct app *app, const struct benchlog *log)
{
    struct curves *c = app_state(app, SCREEN_CURVES);
    struct benchlog copy;

    if (!benchlog_share(log, &copy))
        return;
    benchlog_fini(&c->bench);
    c->bench = copy;
    open_file(app, LAST_RUN);
}

struct found {
    struct choice *choice;
    int count;
    size_t cap;
};

static struct choice *found_add(struct found *f, const char *id, const char *text)
{
    f->choice = gp_grow(f->choice, &f->cap, (size_t)f->count + 1, sizeof(*f->choice));
    struct choice *c = &f->choice[f->count++];
    memset(c, 0, sizeof(*c));
    gp_copy(c->id, sizeof(c->id), id);
    gp_copy(c->text, sizeof(c->text), text);
    return c;
}

/* The value of a JSON text near the start, "" when it is not there. */
static char *json_text(const char *text, const char *key, char out[64])
{
    char quoted[48];

    gp_format(quoted, sizeof(quoted), "\"%s\"", key);
    const char *at = strstr(text, quoted);
    at = at ? strchr(at + strlen(quoted), '"') : NULL;
    gp_copy(out, 64, at ? at + 1 : "");
    out[strcspn(out, "\"")] = '\0';
    gp_sanitize(out);
    return out;
}

/* A result is known by its schema, near the start. */
static void look_into(struct found *f, const char *folder)
{
    const bool here = strcmp(folder, ".") == 0; /* then without the "./" */
    char **names, path[GP_PATH_MAX], head[START + 1], schema[64], started[64], status[64];
    size_t count;

    if (path_list(folder, ".json", &names, &count, NULL))
        return;
    for (size_t i = 0; i < count && i < MOST_FILES; i++) {
        struct choice *c;

        if (!path_join(path, sizeof(path), folder, names[i]))
            continue;
        if (here)
            gp_copy(path, sizeof(path), names[i]);
        path_head(path, head, sizeof(head));
        if (strlen(path) >= sizeof(c->id) ||
            strcmp(json_text(head, "schema", schema), BENCHLOG_SCHEMA) != 0)
            continue;
        c = found_add(f, path, names[i]);
        gp_format(c->more, sizeof(c->more), "%s  %s%s%s", json_text(head, "started", started),
                  json_text(head, "status", status), here ? "" : "  in ", here ? "" : folder);
    }
    path_list_free(names, count);
}

static void file_chosen(struct app *app, void *ctx, const char *id)
{
    (void)ctx;
    open_file(app, id);
}

/* A list of the results in the current folder and Bench's own; another may be typed. */
static void choose_file(struct app *app, struct curves *c, int by)
{
    struct found found = {NULL, 0, 0};
    struct chooser_spec options = {.title = "Result file",
                                   .chosen = file_chosen,
                                   .free = "a path of a gpuplan.bench/1 file",
                                   .paths = true};
    char folder[GP_PATH_MAX];

    (void)by;
    if (c->bench.json)
        found_add(&found, LAST_RUN, "last run of Bench");
    look_into(&found, ".");
    settings_results(folder, sizeof(folder));
    if (strcmp(folder, ".") != 0)
        look_into(&found, folder);
    options.choices = found.choice;
    options.count = found.count;
    chooser_open(&app->display, &options);
    free(found.choice);
}

/* ---- the screen ---- */

static void curves_open(struct app *app, void *state)
{
    struct curves *c = state;

    (void)app;
    for (int i = 0; i < CURVE_COUNT; i++)
        plot_init(&c->drawn[i].plot);
    for (int i = 0; i < BY_COUNT; i++)
        c->view[i] = WHOLE;
    c->low = c->high = NAN;
}

static void curves_close(struct app *app, void *state)
{
    struct curves *c = state;

    (void)app;
    for (int i = 0; i < CURVE_COUNT; i++)
        plot_fini(&c->drawn[i].plot);
    task_drop(&c->task);
    benchlog_fini(&c->log);
    benchlog_fini(&c->bench);
}

static void curves_show(struct app *app, void *state)
{
    struct curves *c = state;

    if (!c->filled || c->version != app->form->version || c->seen != room_of(app, c))
        curve_fill(app, c);
}

static double curves_tick(struct app *app, void *state, double now)
{
    struct curves *c = state;

    (void)now;
    if (app->screen != SCREEN_CURVES)
        return -1;
    curves_show(app, c);
    if (c->task && load_take(c))
        curve_redraw(app, c);
    return c->task ? WORKER_POLL : -1;
}

static void choose_curve(struct app *app, struct curves *c, int by)
{
    c->curve = (enum curve)((c->curve + by + CURVE_COUNT) % CURVE_COUNT);
    if (c->pooling && c->curve == CURVE_TPOT)
        c->curve = by < 0 ? CURVE_TOKENS : CURVE_TTFT;
    c->top = 0;
    curve_fill(app, c);
}

/* The curve of a letter. Pressed again, that of TTFT beside TPOT; memory against the other. */
static void curve_by_letter(struct app *app, struct curves *c, int curve)
{
    bool again = (int)c->curve == curve;

    if (curve == CURVE_MEMORY && again)
        c->sweep = c->sweep == SWEEP_USERS ? SWEEP_CONTEXT : SWEEP_USERS;
    if (curve == CURVE_TPOT && again)
        curve = CURVE_TTFT;
    choose_curve(app, c, curve - (int)c->curve);
}

static void curve_alone(struct app *app, struct curves *c, int by)
{
    struct frame frame = app_frame(app);

    (void)by;
    c->alone = !c->alone && frame.body.cols >= WIDE_COLS && frame.body.rows >= WIDE_ROWS;
    curve_fill(app, c);
}

static void panel_next(struct app *app, struct curves *c, int by)
{
    if (app_frame(app).size == SIZE_ONE)
        c->panel = (c->panel + 1) % CURVES_PANELS;
    else
        choose_series(app, c, by);
}

static bool curves_act(struct app *app, void *state, enum action action)
{
    static const struct {
        enum action action;
        void (*act)(struct app *app, struct curves *c, int by);
        int by;
    } acts[] = {
        {ACT_CURVE_THROUGHPUT, curve_by_letter, CURVE_TOKENS},
        {ACT_CURVE_LATENCY, curve_by_letter, CURVE_TPOT},
        {ACT_CURVE_COST, curve_by_letter, CURVE_COST},
        {ACT_CURVE_MEMORY, curve_by_letter, CURVE_MEMORY},
        {ACT_CURVE_ROOFLINE, curve_by_letter, CURVE_ROOFLINE},
        {ACT_CURVE_NEXT, choose_curve, 1},
        {ACT_CURVE_BACK, choose_curve, -1},
        {ACT_LEFT, cursor_move, -1},
        {ACT_RIGHT, cursor_move, 1},
        {ACT_PAGE_UP, cursor_move, -FAR},
        {ACT_PAGE_DOWN, cursor_move, FAR},
        {ACT_FIRST, cursor_move, -LIST_ALL},
        {ACT_LAST, cursor_move, LIST_ALL},
        {ACT_UP, up_down, -1},
        {ACT_DOWN, up_down, 1},
        {ACT_ZOOM_IN, zoom_by, 1},
        {ACT_ZOOM_OUT, zoom_by, -1},
        {ACT_PANEL, panel_next, 1},
        {ACT_PANEL_BACK, panel_next, -1},
        {ACT_SERIES, choose_series, 1},
        {ACT_MEASURED, choose_file, 0},
        {ACT_ALONE, curve_alone, 0},
    };
    struct curves *c = state;
    bool back = action == ACT_BACK && is_zoomed(c), done = back;

    curves_show(app, state);
    if (back) {
        view_of(c)->low = view_of(c)->high = NAN;
        curve_fill(app, c);
    }
    for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
        if (acts[i].action == action) {
            acts[i].act(app, c, acts[i].by);
            done = true;
        }
    if (done)
        app_touch(app);
    return done;
}

static bool is_in(struct rect r, int y, int x)
{
    return y >= r.y && y < r.y + r.rows && x >= r.x && x < r.x + r.cols;
}

static void curves_click(struct app *app, void *state, int y, int x)
{
    struct curves *c = state;
    struct frame frame = app_frame(app);
    enum curve shown[CURVE_COUNT];
    struct rect box[CURVE_COUNT], area;
    int focus, n = curve_boxes(app, c, shown, box, &focus);

    for (int i = 0; i < n; i++) {
        if (!is_in(box[i], y + frame.body.y, x + frame.body.x))
            continue;
        if (shown[i] != c->curve)
            choose_curve(app, c, (int)shown[i] - (int)c->curve);
        area = plot_area(rect_inside(box[i]), plot_of(c));
        x -= area.x - frame.body.x;
        if (plot_of(c)->count == 0 || x < 0 || x >= area.cols)
            return;
        view_of(c)->cursor = plot_move(plot_of(c), area.cols, plot_of(c)->x.low, x);
        cursor_snap(app, c);
        app_touch(app);
        return;
    }
}

/* ---- painting ---- */

/* The cell under the cursor of the series in focus; the real cursor stands there. */
static void draw_focus(struct canvas *canvas, struct rect in, const struct curves *c)
{
    const struct plot *plot = plot_of(c);
    const struct plot_series *s = series_of(c);
    struct rect area = plot_area(in, plot);
    double x = curves_cursor(c), y;
    int i, row, col;

    if (s->mark) {
        i = nearest_point(plot, s, x);
        y = i < 0 ? NAN : s->y[i];
        x = i < 0 ? x : s->x[i];
    } else {
        y = plot_read(plot, s, x);
    }
    if (!plot_cell(plot, area, x, y, &row, &col) &&
        !plot_cell(plot, area, curves_cursor(c), plot->y.low, &row, &col))
        return;
    canvas_ink(canvas, area, row, col, 1, INK_FOCUS);
    canvas_cursor(canvas, area, row, col);
}

/* what: the plan; "" = it is said elsewhere. */
static void draw_curve(struct canvas *canvas, struct rect box, const struct curves *c,
                       enum curve curve, const char *what, bool alone, bool one_of)
{
    static const char *const against[] = {" against context", " against users"};
    const struct curve_drawn *d = &c->drawn[curve];
    struct rect in = rect_inside(box);
    struct plot plot = d->plot;
    char title[200];
    bool focus = curve == c->curve;

    gp_format(title, sizeof(title), "%s[%c] %s%s%s%s%s",
              focus && one_of ? theme_glyph(canvas->charset, GLYPH_CURSOR) : "",
              curve_rows[curve].key, curve_row_of(c, curve).title,
              curve == CURVE_MEMORY && !one_of ? against[sweep_of(c) == SWEEP_USERS] : "",
              curve == CURVE_ROOFLINE && is_measured(c) ? ", measured" : "", what[0] ? "  " : "",
              what);
    canvas_box(canvas, box, title, plot.count ? plot_unit(&plot.y) : NULL);
    if (plot.count == 0) {
        canvas_wrap(canvas, in, 0, INK_TEXT, d->words);
        if (focus)
            canvas_cursor(canvas, in, 0, 0);
        return;
    }
    plot.legend = alone && curve >= CURVE_MEMORY ? 2 : 0; /* the others are one line */
    plot.x.title = NULL;                                  /* it stands in the lower edge */
    gp_format(title, sizeof(title), " %s ", d->plot.x.title);
    canvas_fit(canvas, box, box.rows - 1, 2, box.cols - 4, INK_DIM, title);
    plot_draw(canvas, in, &plot, cursor_of(c, curve));
    if (focus)
        draw_focus(canvas, in, c);
}

/* "a weights     33.88 GiB  33.10..34.20" in `width` columns. */
static void draw_value(struct canvas *canvas, struct rect in, int y, int x, int width,
                       const struct curve_reading *r)
{
    char text[80];

    gp_format(text, sizeof(text), "%c %s", r->mark ? r->mark : ' ', r->name);
    canvas_fit(canvas, in, y, x, width, r->ink, text);
    int used = gp_width(text) + 1;
    if (used < VALUE_COL && VALUE_COL + gp_width(r->value) <= width)
        used = VALUE_COL;
    canvas_fit(canvas, in, y, x + used, width - used, INK_TEXT, r->value);
    used += gp_width(r->value) + 2;
    if (r->more[0] && used + gp_width(r->more) <= width)
        canvas_text(canvas, in, y, x + used, INK_DIM, r->more);
}

static void draw_reading(struct canvas *canvas, struct rect box, const struct curves *c,
                         const char *what, bool alone)
{
    struct rect in = rect_inside(box);
    int columns = in.cols < 70 ? 1 : in.cols >= 110 && c->readings > 2 * in.rows ? 3 : 2;
    int rows = in.rows, each = in.cols / columns, top = 0;

    if (alone && c->readings > rows)
        top = c->top < c->readings - rows ? c->top : c->readings - rows;
    canvas_box(canvas, box, c->at[0] ? c->at : "Reading", what[0] ? what : NULL);
    if (rows * columns < c->readings) /* what does not fit is not left out silently */
        canvas_text(canvas, box, box.rows - 1, 3, INK_DIM, alone ? " j k: more " : " e: all ");
    for (int i = 0; i + top < c->readings && i < rows * columns; i++)
        draw_value(canvas, in, i % rows, i / rows * each + 1, each - 2, &c->reading[i + top]);
    if (alone)
        canvas_cursor(canvas, in, 0, 1);
}

static void curves_draw(const struct app *app, const void *state, struct canvas *canvas,
                        const struct frame *frame)
{
    const struct curves *c = state;
    struct rect panels[CURVES_PANELS], box[CURVE_COUNT];
    enum curve shown[CURVE_COUNT];
    int focus, n = curve_boxes(app, c, shown, box, &focus);
    bool alone = frame->size <= SIZE_ONE;
    char what[160];

    curves_of(app, c, what, sizeof(what));
    frame_stack(frame->body, frame->size, c->panel, CURVES_ROWS, panels);
    if (!rect_empty(panels[CURVES_READING]))
        draw_reading(canvas, panels[CURVES_READING], c, n > 1 ? what : "", alone);
    for (int i = 0; i < n && !rect_empty(panels[CURVES_PLOT]); i++)
        draw_curve(canvas, box[i], c, shown[i], n > 1 ? "" : what, alone, n > 1);
}

/* ---- words ---- */

static void curves_explain(const struct app *app, const void *state, struct strbuf *out)
{
    const struct curves *c = state;

    (void)app;
    if (c->drawn[c->curve].words[0] && plot_of(c)->count > 0)
        strbuf_addf(out, "%s\n", c->drawn[c->curve].words);
    strbuf_add(out, curve_row_of(c, c->curve).explain);
}

static void curves_title(const struct app *app, const void *state, struct strbuf *out)
{
    const struct curves *c = state;

    (void)app;
    strbuf_add(out, is_zoomed(c) ? "zoomed in; Esc: all" : "");
}

/* What is shown as text, for people. */
static void curves_text(const struct app *app, const struct curves *c, struct strbuf *out)
{
    struct canvas canvas;
    const char *words = c->drawn[c->curve].words;
    struct plot plot = *plot_of(c);
    char what[160];

    plot.legend = 6;
    canvas_init(&canvas, app->settings.charset);
    canvas_clear(&canvas, TEXT_ROWS, TEXT_COLS);
    plot_draw(&canvas, canvas_rect(&canvas), &plot, curves_cursor(c));
    curves_of(app, c, what, sizeof(what));
    strbuf_addf(out, "%s  %s\ny: %s\n", plot.title, what, plot_unit(&plot.y));
    canvas_dump(&canvas, out);
    strbuf_addf(out, "%s\n\n%s\n", words, c->at);
    for (int i = 0; i < c->readings; i++)
        strbuf_addf(out, "%c %-24s %s  %s\n", c->reading[i].mark ? c->reading[i].mark : ' ',
                    c->reading[i].name, c->reading[i].value, c->reading[i].more);
    canvas_fini(&canvas);
}

static enum gp_status curves_export(const struct app *app, const void *state, const char *suffix,
                                    struct strbuf *out, struct gp_err *err)
{
    const struct curves *c = state;

    if (plot_of(c)->count == 0)
        return gp_fail(err, GP_E_NOTHING, "", "", "%s", c->drawn[c->curve].words);
    if (strcmp(suffix, "csv") == 0)
        plot_csv(plot_of(c), out);
    else if (strcmp(suffix, "svg") == 0)
        plot_svg(plot_of(c), out);
    else
        curves_text(app, c, out);
    return GP_OK;
}

/* The form with the cursor's context or users and the plan's layout. */
static void command_at(const struct app *app, const struct curves *c, struct strbuf *out)
{
    struct form_values values = app->form->values;
    const struct plan *plan = &app->form->answer->plan;
    const struct {
        enum field field;
        int value;
    } cut[] = {{FIELD_TP, plan->layout.tp},
               {FIELD_PP, plan->layout.pp},
               {FIELD_EP, plan->layout.ep},
               {FIELD_REPLICAS, plan->layout.replicas}};
    bool context = axis_of(c, c->curve) == BY_CONTEXT;
    struct options options;
    char number[32];

    for (int i = 0; i < 4; i++) {
        gp_format(number, sizeof(number), "%d", cut[i].value);
        values_set(&values, cut[i].field, number);
    }
    if (!values.value[FIELD_GPU][0]) /* the curve is of the one that was chosen */
        values_set(&values, FIELD_GPU, plan->request.gpu->id);
    gp_format(number, sizeof(number), "%.0f", curves_cursor(c));
    values_set(&values, context ? FIELD_CONTEXT : FIELD_USERS, number);
    values_write_options(&values, &options);
    options_command(&options, "plan", "", out);
}

static void curves_command(const struct app *app, const void *state, struct strbuf *out)
{
    const struct curves *c = state;

    if (is_measured(c) && c->file[0]) {
        strbuf_add(out, "gpuplan --compare-results ");
        strbuf_quote(out, c->file);
        strbuf_add(out, " --format csv");
    } else if (curve_rows[c->curve].snap && app->form->answered && plot_of(c)->count > 0) {
        command_at(app, c, out);
    } else {
        form_command(app->form, "plan", out);
    }
}

const struct screen_ops screen_curves = {
    .state_size = sizeof(struct curves),
    .open = curves_open,
    .close = curves_close,
    .show = curves_show,
    .draw = curves_draw,
    .act = curves_act,
    .tick = curves_tick,
    .explain = curves_explain,
    .title = curves_title,
    .suffixes = "txt csv svg",
    .export = curves_export,
    .command = curves_command,
    .click = curves_click,
};
