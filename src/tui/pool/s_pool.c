/*
 * s_pool.c - the screen Pool: a pool file solved while the screen stays awake, scrubbed
 * through its hours; what is short, the cheapest change, applied and undone.
 *
 *   workloads   verdict, GPUs of each hour as a curve, GPUs now; Enter changes what one asks
 *   places      the chassis or servers at the hour, a letter for each GPU; where there is room the
 *               GPUs of all hours, stacked
 *   ladder      the five ways to have the GPUs
 *
 * What takes long is two tasks: the layouts that may serve each workload are found by the
 * screens' worker, a workload a unit; solving is one unit of another worker without a planner,
 * as it takes seconds and cannot begin again for an answer.
 */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/search.h"
#include "pool/pool_record.h"
#include "pool/pool_run.h"
#include "tui/app.h"
#include "tui/list.h"
#include "tui/toolkit/edit.h"
#include "tui/toolkit/words.h"

#define SLOWER 1.5 /* times the goals */
#define POLL 0.05  /* s between two looks at the thread */

#define POOL_UNDO 8
#define POOL_PROPOSALS 8

enum pool_panel { POOL_PANEL_WORK, POOL_PANEL_PLACE, POOL_PANEL_LADDER, POOL_PANELS };

enum pool_phase {
    POOL_EMPTY,
    POOL_FINDING, /* candidates, by the worker */
    POOL_SOLVING, /* in the thread */
    POOL_EDITING, /* candidates of what was changed by hand, by the worker */
    POOL_TRYING,  /* changes: candidates by the worker, solved in the thread */
    POOL_ASKING,  /* what-ifs: layouts on other GPUs by the worker, then in the thread */
    POOL_READY
};

/* What a change comes to, of the chosen rung. */
struct pool_outcome {
    double total, paid; /* $ over all hours; paid: without the price of shortages */
    double unmet;       /* share of all demand */
    int gpus;
};

/* A change of the file, tried out. */
struct pool_proposal {
    char words[120];
    int workload;        /* whose candidates are others; -1: nobody's */
    struct pool_case *c; /* owned; with all candidates; NULL while these are found */
    struct pool_outcome outcome;
    bool tried;
};

/* Candidates that are found: the job of a task. */
struct pool_find {
    struct pool_case *c; /* owned */
    size_t until;        /* workloads */
    enum gp_status rc;
    struct gp_err err;
};

/* What stands in the middle of the screen. */
enum pool_middle { POOL_SHOW_PLACES, POOL_SHOW_WHAT_IF, POOL_SHOW_CHANGES };

/* What is solved: the job of a task. */
struct pool_solve {
    struct pool_run *run; /* owned while it is solved; or */
    struct pool_case *c;  /* one rung alone of this: `only` */
    enum pool_rung_id only;
    struct pool_outcome outcome; /* of that */
    bool what_ifs;               /* those of run instead */
    bool replays;                /* or these, by the worker with a planner */
    struct pool_run_options options;
    atomic_bool halt;            /* it ends soon, with what it has */
    atomic_int rung;             /* it is at */
    _Atomic double total, bound; /* of that rung so far */
};

struct pool_screen {
    char name[GP_PATH_MAX];
    struct pool_run_options options;
    struct pool_run *run; /* NULL: none is loaded, or its candidates are being found */
    enum pool_phase phase;
    struct task *finding;   /* NULL: none is at work */
    struct pool_find *find; /* its job */
    struct worker *solver;  /* owned; NULL: nothing was solved yet */
    struct task *solving;   /* NULL: nothing is solved */
    struct pool_solve *solve;
    bool halted;                        /* what is solved was told to stop */
    struct pool_run *before[POOL_UNDO]; /* applied changes, to be undone */
    int before_count;
    struct pool_proposal proposals[POOL_PROPOSALS];
    int proposal_count, trying; /* trying: the one at work */
    int editing;                /* the row of edits that a window is open for */
    int asking;                 /* of run's others: the one whose layouts are found */
    int hour, work, panel, top;
    enum pool_middle middle;
};

#define TRY_PART 4 /* a change that is tried gets this part of the usual work */

/* ---- finding ---- */

static bool find_unit(void *ctx, int i, struct planner *planner)
{
    struct pool_find *f = ctx;
    struct pool_replicas *found = &f->c->replicas;
    size_t rows = found->count, refused = found->refused_count, done = f->c->done;
    bool more = true;

    (void)i;
    if (done >= f->until)
        return false;
    f->rc = pool_case_step(planner, f->c, &more, &f->err);
    if (search_abandoned()) { /* this workload again, later */
        found->count = rows;
        found->refused_count = refused;
        f->c->done = done;
        return true;
    }
    return !f->rc && more && f->c->done < f->until;
}

static void find_free(void *ctx)
{
    struct pool_find *f = ctx;

    pool_case_free(f->c);
    free(f);
}

/* Finds the candidates of the case's workloads before `until`; the case is the task's. */
static void pool_find_begin(struct pool_screen *s, struct worker *worker, struct pool_case *c,
                            size_t until)
{
    static const struct task_ops ops = {TASK_SCREEN, find_unit, find_free};

    s->find = gp_calloc(1, sizeof(*s->find));
    s->find->c = c;
    s->find->until = until;
    s->finding = task_begin(worker, &ops, s->find);
}

static void pool_find_drop(struct pool_screen *s)
{
    task_drop(&s->finding);
    s->find = NULL;
}

/* The case of a task that has finished; NULL: err says why it cannot be. */
static struct pool_case *pool_find_end(struct pool_screen *s, struct gp_err *err)
{
    struct pool_case *c = s->find->rc ? NULL : s->find->c;

    *err = s->find->err;
    if (c) /* else the task frees it */
        s->find->c = NULL;
    pool_find_drop(s);
    return c;
}

/* ---- solving ---- */

static bool solve_halted(void *ctx)
{
    return atomic_load(&((struct pool_solve *)ctx)->halt) || search_abandoned();
}

static void solve_progress(void *ctx, enum pool_rung_id rung, double total, double bound)
{
    struct pool_solve *w = ctx;

    atomic_store(&w->rung, (int)rung);
    atomic_store(&w->total, total);
    atomic_store(&w->bound, bound);
}

static bool solve_unit(void *ctx, int i, struct planner *planner)
{
    struct pool_solve *w = ctx;
    struct pool_options options = {.seed = w->options.seed, .stop = solve_halted, .stop_ctx = w};
    struct pool_answer answer;

    (void)i;
    if (w->replays)
        return !atomic_load(&w->halt) && pool_run_replay_step(planner, w->run);
    if (w->what_ifs) {
        pool_run_what_ifs(w->run, &w->options);
    } else if (w->run) {
        pool_run_solve(w->run, &w->options);
    } else { /* is the change worth it? */
        options.work = pool_work(&w->c->pool) / TRY_PART;
        pool_solve_rung(&w->c->pool, w->only, &options, &answer);
        const struct pool_rung *r = &answer.rungs[w->only];
        w->outcome = (struct pool_outcome){r->total, r->total - r->cost.penalty, r->unmet_share, 0};
        for (int t = 0; t < w->c->pool.type_count; t++)
            w->outcome.gpus += r->gpus[t];
        pool_answer_fini(&answer);
    }
    return false;
}

static void solve_free(void *ctx)
{
    struct pool_solve *w = ctx;

    pool_run_delete(w->run);
    pool_case_free(w->c);
    free(w);
}

static const struct task_ops solve_ops = {TASK_SCREEN, solve_unit, solve_free};

/* Replays what the run's workloads meet on its rung. */
static void pool_replay_begin(struct pool_screen *s, struct worker *worker)
{
    s->solve = gp_calloc(1, sizeof(*s->solve));
    s->solve->run = s->run;
    s->solve->replays = true;
    s->solving = task_begin(worker, &solve_ops, s->solve);
}

/* Starts on run; or on the chosen rung of another case; or on the what-ifs of run's rung. */
static void pool_solve_begin(struct pool_screen *s, struct pool_case *c, bool what_ifs)
{
    struct pool_solve *w = gp_calloc(1, sizeof(*w));

    w->run = c ? NULL : s->run;
    w->c = c;
    w->only = s->run->rung;
    w->what_ifs = what_ifs;
    w->options = s->options;
    w->options.stop = solve_halted;
    w->options.progress = solve_progress;
    w->options.stop_ctx = w->options.progress_ctx = w;
    if (!s->solver) {
        s->solver = worker_new(NULL, "");
        worker_start(s->solver);
    }
    s->solve = w;
    s->solving = task_begin(s->solver, &solve_ops, w);
}

/* Nothing is at work (any more): out, unless NULL, is what a case came to. */
static bool pool_solve_ended(struct pool_screen *s, struct pool_outcome *out)
{
    if (!s->solving)
        return true;
    if (!task_finished(s->solving))
        return false;
    if (out)
        *out = s->solve->outcome;
    s->solve->run = NULL; /* the screen's */
    s->solve->c = NULL;
    s->solve = NULL;
    task_drop(&s->solving);
    return true;
}

/* It is not wanted any more, and what it works on is not the screen's from now on. */
static void pool_solve_drop(struct pool_screen *s)
{
    if (pool_solve_ended(s, NULL))
        return;
    if (s->solve->run)
        s->run = NULL; /* the task frees it */
    for (int i = 0; i < s->proposal_count; i++)
        if (s->proposals[i].c == s->solve->c)
            s->proposals[i].c = NULL;
    s->solve = NULL;
    task_drop(&s->solving);
}
/* ---- changes that may serve what is short ---- */

/* Another change, so far of nothing: the same file, its lists its own. */
static struct pool_proposal *proposal_add(struct pool_screen *s, int workload)
{
    const struct pool_file *from = &s->run->c.file;
    size_t works = from->workload_count, boxes = from->chassis_count;
    struct pool_proposal *p = &s->proposals[s->proposal_count++];

    memset(p, 0, sizeof(*p));
    p->workload = workload;
    p->c = gp_calloc(1, sizeof(*p->c));
    struct pool_file *to = &p->c->file;
    *to = *from;
    to->workloads = gp_calloc(works + 1, sizeof(*to->workloads));
    memcpy(to->workloads, from->workloads, works * sizeof(*to->workloads));
    to->chassis = gp_calloc(boxes + 1, sizeof(*to->chassis));
    if (boxes > 0)
        memcpy(to->chassis, from->chassis, boxes * sizeof(*to->chassis));
    return p;
}

static void pool_proposals_fini(struct pool_screen *s)
{
    for (int i = 0; i < s->proposal_count; i++)
        pool_case_free(s->proposals[i].c);
    s->proposal_count = 0;
}

/* Makes a list of them for the workload; none are tried yet. */
static void pool_propose(struct pool_screen *s, int workload)
{
    const struct pool_file *f = &s->run->c.file;
    const struct pool_file_workload *w = &f->workloads[workload];
    struct pool_proposal *p;

    pool_proposals_fini(s);
    for (int i = 0; i < f->type_count && i < 4; i++) { /* a fourth more of a type, whole servers */
        p = proposal_add(s, -1);
        struct pool_file_type *type = &p->c->file.types[i];
        int more = (type->stock + type->buy) / 4;
        more = more - more % type->server_gpus + type->server_gpus;
        type->buy += more;
        gp_format(p->words, sizeof(p->words), "%d more %s may be bought", more, type->gpu);
    }
    if (w->ttft > 0 || w->tpot > 0) {
        p = proposal_add(s, workload);
        p->c->file.workloads[workload].ttft *= SLOWER;
        p->c->file.workloads[workload].tpot *= SLOWER;
        gp_format(p->words, sizeof(p->words), "%s:", w->name);
        if (w->ttft > 0)
            gp_append(p->words, sizeof(p->words), " ", "TTFT %.0f ms", w->ttft * SLOWER * 1e3);
        if (w->tpot > 0)
            gp_append(p->words, sizeof(p->words), w->ttft > 0 ? ", " : " ", "TPOT %.0f ms",
                      w->tpot * SLOWER * 1e3);
    }
    if (!w->open) {
        p = proposal_add(s, workload);
        p->c->file.workloads[workload].open = true;
        p->c->file.workloads[workload].precision[0] = '\0';
        gp_format(p->words, sizeof(p->words), "%s: fp8 or int4-awq where cheaper", w->name);
    }
    if (w->gpus[0]) {
        p = proposal_add(s, workload);
        p->c->file.workloads[workload].gpus[0] = '\0';
        gp_format(p->words, sizeof(p->words), "%s: on all GPUs of the pool", w->name);
    }
    s->trying = 0;
}

/* The cheapest that leaves least unmet; -1: none is better than what is. */
static int pool_proposal_best(const struct pool_screen *s)
{
    const struct pool_rung *now = &s->run->answer.rungs[s->run->rung];
    int best = -1;

    for (int i = 0; i < s->proposal_count; i++) {
        const struct pool_proposal *p = &s->proposals[i];

        if (p->tried && p->outcome.total < now->total &&
            (best < 0 || p->outcome.total < s->proposals[best].outcome.total))
            best = i;
    }
    return best;
}

#define SHORT 5e-4 /* a share of demand from which on something is short */

#define LADDER_ROWS (POOL_RUNGS + 1) /* titles, and the ways */
#define TALL 24                      /* rows of the body from which on there is more */
#define NAME 12                      /* cells of a workload's name at 78 */
#define NAME_MOST 30
#define MODEL 24
#define DAY 24
#define WEEK 84        /* cells, two hours each */
#define MIDDLE_LEAST 6 /* rows of the middle panel with its edges */

static double pool_unmet(const struct pool_run *run, int workload, int hour)
{
    const struct pool *pool = &run->c.pool;
    const double *unmet = run->answer.rungs[run->rung].unmet;
    double need = 0, left = 0;

    for (int h = 0; h < pool->hours; h++) {
        if (hour >= 0 && h != hour)
            continue;
        need += pool->workloads[workload].demand[h] * pool->workloads[workload].burst;
        left += unmet[workload * pool->hours + h];
    }
    return need > 0 ? left / need : 0;
}

/* GPUs that all workloads take at an hour. */
static double pool_taken(const struct pool_run *run, int hour)
{
    double sum = 0;

    for (int w = 0; w < (int)run->c.file.workload_count; w++)
        sum += pool_run_taken(run, run->rung, w, hour);
    return sum;
}

static char letter_of(int workload)
{
    return (char)('a' + workload % 26);
}

/* A workload's own, wherever it stands. */
static enum ink ink_of(int workload)
{
    return (enum ink)(INK_SERIES1 + workload % 4);
}

/* ---- workloads ---- */

/* Where the columns stand: names get what is more than 78 cells, up to NAME_MOST; the hours that
 * stand side by side are all of a week, two in a cell, where there is room, else the day of the
 * hour; then there may be room for the model. */
struct columns {
    int verdict, curve, now, model, room; /* x of them; cells of the model, 0: not shown */
    int first, cells, each;               /* hours: the first, cells, hours in a cell */
};

static struct columns columns_of(const struct pool_screen *s, struct rect in)
{
    int name = list_clamp(in.cols - 78, 0, NAME_MOST - NAME), left = in.cols - 78 - name;
    bool week = s->run->c.pool.hours > DAY && left >= WEEK - DAY;
    struct columns c = {.verdict = 15 + name,
                        .curve = 23 + name,
                        .first = week ? 0 : s->hour / DAY * DAY,
                        .cells = week ? WEEK : DAY,
                        .each = week ? 2 : 1};

    left -= c.cells - DAY;
    c.now = c.curve + c.cells + 1;
    c.model = c.now + 29;
    c.room = left >= MODEL ? left : 0;
    return c;
}

static void draw_curve(const struct pool_screen *s, int w, struct canvas *canvas, struct rect in,
                       int y, const struct columns *c)
{
    const struct pool_run *run = s->run;
    double peak = 0;

    for (int h = 0; h < run->c.pool.hours; h++)
        peak = fmax(peak, pool_run_taken(run, run->rung, w, h));
    for (int i = 0; i < c->cells; i++) {
        int hour = c->first + i * c->each;
        double n = pool_run_taken(run, run->rung, w, hour);

        if (c->each > 1)
            n = fmax(n, pool_run_taken(run, run->rung, w, hour + 1));
        if (peak > 0 && n > 0)
            canvas_glyph(canvas, in, y, c->curve + i, ink_of(w),
                         (enum glyph)(GLYPH_SPARK1 + (int)ceil(n / peak * 8) - 1));
        if (s->hour / c->each == hour / c->each)
            canvas_ink(canvas, in, y, c->curve + i, 1, INK_FOCUS);
    }
}

static void draw_work_row(const struct pool_screen *s, struct canvas *canvas, struct rect in, int y,
                          int w, const struct columns *c)
{
    const struct pool_run *run = s->run;
    const struct pool_file_workload *work = &run->c.file.workloads[w];
    bool lacks = pool_unmet(run, w, -1) > SHORT;
    char why[96];

    pool_run_refusal(run, w, why, sizeof(why));
    canvas_textf(canvas, in, y, 0, ink_of(w), "%c", letter_of(w));
    canvas_fit(canvas, in, y, 2, c->verdict - 3, INK_TEXT, work->name);
    canvas_text(canvas, in, y, c->verdict,
                why[0]  ? INK_BAD
                : lacks ? INK_WARN
                        : INK_OK,
                why[0]  ? "no fit"
                : lacks ? "short"
                        : "fits");
    draw_curve(s, w, canvas, in, y, c);
    canvas_textf(canvas, in, y, c->now, INK_TEXT, "%8.4g %8.2f  %5.1f %%",
                 pool_run_taken(run, run->rung, w, s->hour), work->rate[s->hour],
                 100 * pool_unmet(run, w, s->hour));
    canvas_fit(canvas, in, y, c->model, c->room, INK_DIM, work->model);
}

static void draw_workloads(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    const struct columns c = columns_of(s, in);
    const bool week = s->run->c.pool.hours > DAY;
    int n = (int)s->run->c.file.workload_count, rows = in.rows - 1;
    int top = list_top(s->work, n, rows), step = c.each > 1 ? DAY : DAY / 4;

    canvas_text(canvas, in, 0, 2, INK_HEADING, "workload");
    canvas_text(canvas, in, 0, c.verdict, INK_HEADING, "verdict");
    /* "0     6     12    18", of a week with its day in place of 0, or with all of them */
    for (int h = 0; h < c.cells * c.each; h += step)
        if (h % DAY == 0 && week)
            canvas_text(canvas, in, 0, c.curve + h / c.each, INK_HEADING,
                        units_weekday((c.first + h) / DAY));
        else
            canvas_textf(canvas, in, 0, c.curve + h, INK_HEADING, "%d", h);
    canvas_text(canvas, in, 0, c.now, INK_HEADING, "GPUs now    req/s   unmet");
    canvas_fit(canvas, in, 0, c.model, c.room, INK_HEADING, "model");
    for (int i = 0; i < rows && top + i < n; i++) {
        draw_work_row(s, canvas, in, i + 1, top + i, &c);
        if (top + i == s->work && s->panel == POOL_PANEL_WORK)
            list_focus(canvas, in, i + 1);
    }
}

/* ---- places ---- */

static void draw_slot(const struct pool_run *run, int hour, int gpu, struct canvas *canvas,
                      struct rect in, int y, int x)
{
    const struct placement *p = &run->placement;
    size_t at = (size_t)hour * (size_t)p->gpus + (size_t)gpu;
    int who = p->who[at];

    canvas_textf(canvas, in, y, x,
                 who == PLACEMENT_FREE            ? INK_FREE
                 : placement_starts(p, hour, gpu) ? INK_KEY
                 : who < 0                        ? INK_TEXT
                           : ink_of(run->c.pool.candidates[who - 1].workload),
                 "%c",
                 who == PLACEMENT_FREE ? '.'
                 : p->cut[at] >= 0     ? '/'
                 : who < 0             ? '*'
                                       : letter_of(run->c.pool.candidates[who - 1].workload));
}

/* Boxes one after the other, each its name and its slots, from line `top` on. Returns how
 * many lines they take; canvas NULL: nothing is drawn. */
static int walk_places(const struct pool_screen *s, struct canvas *canvas, struct rect in, int top)
{
    const struct placement *p = &s->run->placement;
    char name[POOL_FILE_NAME];
    int y = -top, x = 0;

    for (int b = 0; b < p->chassis_count; b++) {
        const struct placement_chassis *chassis = &p->chassis[b];
        int per = in.cols - 12 < chassis->gpus ? in.cols - 12 : chassis->gpus;

        if (x > 0 && x + 12 + per > in.cols) {
            x = 0;
            y++;
        }
        pool_chassis_name(s->run, b, name, sizeof(name));
        if (canvas && y >= 0 && y < in.rows)
            canvas_fit(canvas, in, y, x, 10, INK_DIM, name);
        x += 11;
        for (int g = 0; g < chassis->gpus; g++, x++) {
            if (x >= in.cols) {
                x = 11;
                y++;
            }
            if (canvas && y >= 0 && y < in.rows)
                draw_slot(s->run, s->hour, chassis->first + g, canvas, in, y, x);
        }
        x += 2;
    }
    return p->chassis_count > 0 ? y + top + 1 : 0;
}

/* Rows of what stands in the middle. */
static int pool_middle_rows(const struct pool_screen *s)
{
    return s->middle == POOL_SHOW_PLACES    ? s->run->placement.chassis_count
           : s->middle == POOL_SHOW_WHAT_IF ? s->run->what_if_count
                                            : s->proposal_count;
}

static int middle_lines(const struct pool_screen *s, struct rect in)
{
    return s->middle == POOL_SHOW_PLACES ? walk_places(s, NULL, in, 0) : pool_middle_rows(s);
}

/* Lines that fit below the titles, and the first of them that is shown. */
static int middle_page(const struct pool_screen *s, struct rect in)
{
    return in.rows - (s->middle != POOL_SHOW_PLACES);
}

static int middle_top(const struct pool_screen *s, struct rect in)
{
    return list_clamp(s->top, 0, middle_lines(s, in) - middle_page(s, in));
}

#define CHART_LEAST 8 /* rows from which on the hours are drawn below the places */
#define CHART_LEFT 6  /* columns of its axis */

/* GPUs of all hours, one workload's on another's, and what is owned as a line. */
static void draw_hours(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    static const enum glyph glyphs[] = {GLYPH_BAR_WEIGHTS, GLYPH_BAR_KV, GLYPH_BAR_ACTIVATION,
                                        GLYPH_BAR_RUNTIME};
    const struct pool_run *run = s->run;
    int hours = run->c.pool.hours, works = (int)run->c.file.workload_count;
    int base = in.rows - 2, rows = base - 1; /* the lowest row of bars, and how many there are */
    int each = int_max((hours + in.cols - CHART_LEFT - 1) / int_max(in.cols - CHART_LEFT, 1), 1);
    int wide = int_max((in.cols - CHART_LEFT) * each / hours, 1), x = CHART_LEFT;
    double own = pool_run_gpus(run, run->rung), most = own;

    for (int h = 0; h < hours; h++)
        most = fmax(most, pool_taken(run, h));
    if (!(most > 0) || rows < 2)
        return;
    canvas_text(canvas, in, 0, 0, INK_DIM, "GPUs");
    for (int i = 0; i < works && x < in.cols; i++) { /* which is which */
        canvas_glyph(canvas, in, 0, x, ink_of(i), glyphs[i % 4]);
        x += 3 + canvas_textf(canvas, in, 0, x + 1, ink_of(i), " %c %s", letter_of(i),
                              run->c.file.workloads[i].name);
    }
    canvas_textf(canvas, in, base, 0, INK_TEXT, "%4.0f", most / rows);
    if (own > 0) { /* above what is taken of them */
        int y = base - (int)lround(own / most * rows);
        int words = canvas_textf(canvas, in, y, 0, INK_TEXT, "%4.0f", own) + 2;

        words += canvas_textf(canvas, in, y, words, INK_TEXT, "owned") + 1;
        canvas_run(canvas, in, y, words, CHART_LEFT + hours / each * wide - words, INK_HEADING,
                   GLYPH_HORIZONTAL);
    }
    for (int h = 0; h * each < hours; h++) {
        int left = CHART_LEFT + h * wide;
        double sum = 0;

        for (int w = 0; w < works; w++) {
            double before = sum;

            sum += pool_run_taken(run, run->rung, w, h * each);
            for (int k = (int)lround(before / most * rows); k < (int)lround(sum / most * rows); k++)
                canvas_run(canvas, in, base - k, left, wide, ink_of(w), glyphs[w % 4]);
        }
        if (h * each % 6 == 0 && (wide > 1 || h * each % DAY == 0))
            canvas_textf(canvas, in, in.rows - 1, left, INK_DIM, "%d", h * each % DAY);
    }
    x = CHART_LEFT + s->hour / each * wide; /* the hour in focus */
    canvas_run(canvas, in, in.rows - 1, x, wide, INK_KEY, GLYPH_UP);
}

static void draw_places(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    int lines = middle_lines(s, in);
    struct rect below = {in.y + lines + 1, in.x, in.rows - lines - 1, in.cols};

    if (s->run->placement.gpus == 0)
        canvas_text(canvas, in, 0, 0, INK_DIM, "no GPUs of its own");
    walk_places(s, canvas, in, middle_top(s, in));
    if (below.rows >= CHART_LEAST)
        draw_hours(s, canvas, below);
}

/* ---- what if, and changes ---- */

#define OUTCOMES 5 /* columns */

/* From a row on: which workload breaks first, and which starts slowest; how many rows. */
static int draw_replays(const struct pool_screen *s, struct canvas *canvas, struct rect in, int at)
{
    struct rect rest = {in.y + at, in.x, in.rows - at, in.cols};
    struct strbuf words;

    if (rest.rows < 1)
        return 0;
    strbuf_init(&words);
    pool_breaks_words(s->run, &words);
    int rows = words.len > 0 ? canvas_wrap(canvas, rest, 0, INK_TEXT, words.text) : 0;
    strbuf_clear(&words);
    pool_starts_words(s->run, &words);
    if (words.len > 0)
        rows += canvas_wrap(canvas, rest, rows, INK_TEXT, words.text);
    strbuf_fini(&words);
    return rows;
}

/* A row of either: what it is, GPUs, money, shortage. */
static void draw_outcomes(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    const bool ifs = s->middle == POOL_SHOW_WHAT_IF;
    const struct list_column columns[OUTCOMES] = {{ifs ? "if" : "change", 0, 0, false},
                                                  {"GPUs", 7, 0, true},
                                                  {ifs ? "are" : "", ifs ? 10 : 9, 64, false},
                                                  {"paid $/day", 11, 0, true},
                                                  {"unmet", 8, 0, true}};
    struct list_table table = list_table(columns, OUTCOMES, in.cols);
    double days = pool_days(s->run);
    int best = pool_proposal_best(s), rows = pool_middle_rows(s);

    if (ifs && s->phase == POOL_ASKING) {
        canvas_text(canvas, in, 0, 0, INK_DIM, "trying what would be; x stops");
        return;
    }
    list_titles(canvas, in, &table);
    for (int i = middle_top(s, in), y = 1; i < rows && y < in.rows; i++, y++) {
        const struct pool_what_if *w = ifs ? &s->run->what_ifs[i] : NULL;
        const struct pool_proposal *p = &s->proposals[ifs ? 0 : i];
        const bool known = ifs || p->tried;
        double share = ifs ? w->unmet : p->outcome.unmet;
        char unmet[16];

        gp_format(unmet, sizeof(unmet), "%.1f %%", 100 * share);
        list_cell(canvas, in, y, &table, 0, INK_TEXT, ifs ? w->name : p->words);
        list_cell(canvas, in, y, &table, 1, INK_TEXT,
                  known ? UNITS_TOKENS(ifs ? w->gpus : p->outcome.gpus) : "-");
        list_cell(canvas, in, y, &table, 2, INK_TEXT,
                  ifs         ? (w->fleet ? "as planned" : "bought")
                  : !p->tried ? "not tried"
                  : i == best ? "a: apply"
                              : "");
        list_cell(canvas, in, y, &table, 3, INK_TEXT,
                  known ? UNITS_TOKENS((ifs ? w->paid : p->outcome.paid) / days) : "-");
        list_cell(canvas, in, y, &table, 4, known && share > SHORT ? INK_WARN : INK_TEXT,
                  known ? unmet : "-");
    }
    rows++;
    if (ifs)
        rows += draw_replays(s, canvas, in, rows);
    if (in.rows - rows - 1 >= CHART_LEAST)
        draw_hours(s, canvas, (struct rect){in.y + rows + 1, in.x, in.rows - rows - 1, in.cols});
}

/* ---- the ladder ---- */

/* What the shown way is: where there is room its GPUs, and those that serve nothing; why its
 * gap stays. */
static void draw_shown(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    int y = POOL_RUNGS + 1;
    struct strbuf line;
    char why[96];

    pool_run_gap(s->run, s->run->rung, why, sizeof(why));
    if (in.rows > y + (why[0] != '\0')) {
        strbuf_init(&line);
        pool_fleet_words(s->run, s->run->rung, &line);
        canvas_fit(canvas, in, y++, 0, in.cols, INK_TEXT, line.text);
        strbuf_clear(&line);
        strbuf_add(&line, "idle GPUs, mean: ");
        pool_stranded_words(s->run, s->run->rung, &line);
        canvas_fit(canvas, in, y++, 0, in.cols, INK_TEXT, line.text);
        strbuf_fini(&line);
    }
    if (why[0])
        canvas_textf(canvas, in, y, 0, INK_DIM, "gap %.1f %%: %s",
                     100 * s->run->answer.rungs[s->run->rung].gap, why);
}

#define RUNG_COLUMNS 8
#define LADDER_USED 86                 /* columns of the figures */
#define LADDER_BAR 112                 /* ... and of a bar for the dollars */
#define LADDER_WORDS (LADDER_BAR + 48) /* ... and of what each way is; else the shown one's */

static const char *const ways[POOL_RUNGS] = {
    [POOL_FIXED] = "servers of one model each, by its own peak",
    [POOL_COMPOSED] = "a fabric that gives each model its GPUs once",
    [POOL_SHARED] = "servers that all models use, by the hour",
    [POOL_HOURLY] = "a fabric that is composed again every hour",
    [POOL_CLOUD] = "GPUs rented on demand by the hour",
};

static void draw_ladder(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    bool jobs = s->run->c.pool.job_count > 0;
    double dearest = 0;
    const struct list_column columns[RUNG_COLUMNS] = {
        {"", 9, 0, false},
        {"GPUs", 7, 0, true},
        {"$/day", 12, 0, true},
        {"bound $/day", 12, 0, true},
        {"busy", 5, 0, true},
        {"unmet", 7, 0, true},
        {jobs ? "undone GPU-h" : "kWh/day", 12, jobs ? 72 : 90, true},
        {"to buy $", 13, jobs ? 90 : 72, true}};
    struct rect at = {in.y, in.x + 2, in.rows, in.cols - 2};
    struct list_table table = list_table(columns, RUNG_COLUMNS, at.cols);
    double days = pool_days(s->run);

    list_titles(canvas, at, &table);
    for (int id = 0; id < POOL_RUNGS; id++)
        dearest = fmax(dearest, s->run->answer.rungs[id].total);
    for (int id = 0; id < POOL_RUNGS; id++) {
        const struct pool_rung *r = &s->run->answer.rungs[id];
        enum pool_rung_id rung = (enum pool_rung_id)id;
        char busy[16], unmet[16];
        const char *cells[RUNG_COLUMNS] = {pool_rung_word(rung),
                                           UNITS_TOKENS(pool_run_gpus(s->run, rung)),
                                           UNITS_TOKENS(r->total / days),
                                           pool_rung_bounded(r) ? UNITS_TOKENS(r->bound / days)
                                                                : "-",
                                           busy,
                                           unmet,
                                           UNITS_TOKENS((jobs ? r->jobs_undone : r->kwh) / days),
                                           UNITS_TOKENS(pool_capital(s->run, rung))};

        gp_format(busy, sizeof(busy), "%.0f %%", 100 * r->utilisation);
        gp_format(unmet, sizeof(unmet), "%.1f %%", 100 * r->unmet_share);
        for (int c = 0; c < RUNG_COLUMNS; c++)
            list_cell(canvas, at, id + 1, &table, c,
                      cells[c] == unmet && r->unmet_share > SHORT ? INK_WARN : INK_TEXT, cells[c]);
        if (at.cols >= LADDER_BAR && dearest > 0) /* dollars as a bar, and what it is */
            canvas_run(canvas, at, id + 1, LADDER_USED,
                       (int)lround(r->total / dearest * (LADDER_BAR - LADDER_USED - 2)),
                       INK_SERIES1, GLYPH_BAR_WEIGHTS);
        if (at.cols > LADDER_WORDS)
            canvas_fit(canvas, at, id + 1, LADDER_BAR, at.cols - LADDER_BAR, INK_DIM, ways[id]);
    }
    canvas_glyph(canvas, in, (int)s->run->rung + 1, 0, INK_KEY, GLYPH_CURSOR);
    if (s->panel == POOL_PANEL_LADDER)
        list_focus(canvas, in, (int)s->run->rung + 1);
    draw_shown(s, canvas, at);
}

/* ---- all ---- */

#define PROGRESS_ROWS 9 /* with the edges */

static void draw_progress(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    const struct pool_solve *w = s->solve;

    if (s->phase == POOL_EMPTY) {
        canvas_text(canvas, in, 1, 1, INK_TEXT, "no pool is loaded: :pool FILE");
        return;
    }
    if (s->phase == POOL_FINDING || s->phase == POOL_EDITING) {
        canvas_textf(canvas, in, 1, 1, INK_TEXT, "layouts: %d of %zu workloads",
                     task_done(s->finding), s->find->until);
        return;
    }
    double total = atomic_load(&w->total), bound = atomic_load(&w->bound);
    canvas_textf(canvas, in, 1, 1, INK_TEXT, "solving: %s, way %d of %d",
                 pool_rung_word((enum pool_rung_id)atomic_load(&w->rung)),
                 atomic_load(&w->rung) + 1, POOL_RUNGS);
    if (total > 0)
        canvas_textf(canvas, in, 2, 1, INK_TEXT, "$%s/day so far, what is unmet priced",
                     UNITS_TOKENS(total / pool_days(s->run)));
    if (bound > 0)
        canvas_textf(canvas, in, 3, 1, INK_TEXT, "no plan costs less than $%s/day",
                     UNITS_TOKENS(bound / pool_days(s->run)));
    canvas_text(canvas, in, 5, 1, INK_DIM, "x stops, and keeps the plans found so far");
}

/* What stands at the right of a panel's edge: how much of it is in sight ("1-8 of 30") where that
 * is not all, and the hour. */
static void right_words(const struct pool_screen *s, enum pool_panel panel, struct rect in,
                        bool one, char *text, size_t size)
{
    int n = (int)s->run->c.file.workload_count, top = 0, page = 0;
    bool hours = panel == POOL_PANEL_WORK || (panel == POOL_PANEL_PLACE && one);
    char hour[16];

    text[0] = '\0';
    if (panel == POOL_PANEL_LADDER && in.cols <= LADDER_WORDS) {
        gp_format(text, size, "%s: %s", pool_rung_word(s->run->rung), ways[s->run->rung]);
        return;
    }
    if (panel == POOL_PANEL_WORK) {
        page = in.rows - 1;
        top = list_top(s->work, n, page);
    } else {
        n = panel == POOL_PANEL_PLACE && s->phase != POOL_ASKING ? middle_lines(s, in) : 0;
        page = middle_page(s, in);
        top = middle_top(s, in);
    }
    if (n > page)
        gp_format(text, size, "%d-%d of %d%s", top + 1, top + page < n ? top + page : n, n,
                  (int)panel == s->panel ? "  j/k" : "");
    if (hours)
        gp_append(text, size, "  ", "%s  h/l hour", pool_hour_words(s->run, s->hour, hour));
    if (one)
        gp_append(text, size, "", "  Tab");
}

/* All workloads, as long as the places, or half of what is free, are left beside them. */
static int work_rows(const struct pool_screen *s, int free, struct rect in)
{
    int all = (int)s->run->c.file.workload_count + 3;
    int middle = walk_places(s, NULL, in, 0) + 2;
    int rest = free - (middle > MIDDLE_LEAST ? middle : MIDDLE_LEAST);
    int most = rest > free / 2 ? rest : free / 2;

    return list_clamp(all < most ? all : most, 3, free);
}

static void pool_draw(const struct app *app, const void *state, struct canvas *canvas,
                      const struct frame *frame)
{
    static const char *const titles[] = {"Workloads", NULL, "Ways to own the GPUs"};
    static const char *const middles[] = {"GPUs: a letter each, bold: new, . free, * job, / slices",
                                          "What if", "Changes"};
    static void (*const draws[])(const struct pool_screen *, struct canvas *,
                                 struct rect) = {draw_workloads, draw_places, draw_ladder};
    const struct pool_screen *s = state;
    int rows[POOL_PANELS] = {0, 0, LADDER_ROWS + 2};
    struct rect panel[POOL_PANELS];
    char right[64], why[96];

    (void)app;
    if (s->phase == POOL_EMPTY || s->phase == POOL_FINDING || s->phase == POOL_SOLVING ||
        s->phase == POOL_EDITING) {
        struct rect box = frame->body;

        box.rows = int_min(box.rows, PROGRESS_ROWS);
        canvas_box(canvas, box, "Pool", s->name);
        draw_progress(s, canvas, rect_inside(box));
        return;
    }
    pool_run_gap(s->run, s->run->rung, why, sizeof(why));
    rows[POOL_PANEL_LADDER] += (why[0] != '\0') + (frame->body.rows >= TALL ? 2 : 0);
    rows[POOL_PANEL_WORK] =
        work_rows(s, frame->body.rows - rows[POOL_PANEL_LADDER], rect_inside(frame->body));
    if (frame->size == SIZE_ONE)
        for (int i = 0; i < POOL_PANELS; i++)
            panel[i] = i == s->panel ? frame->body : (struct rect){0};
    else
        frame_rows(frame->body, rows, POOL_PANELS, panel);
    for (int i = 0; i < POOL_PANELS; i++) {
        if (rect_empty(panel[i]))
            continue;
        right_words(s, (enum pool_panel)i, rect_inside(panel[i]), frame->size == SIZE_ONE, right,
                    sizeof(right));
        canvas_box(canvas, panel[i], titles[i] ? titles[i] : middles[s->middle],
                   right[0] ? right : NULL);
        (i == POOL_PANEL_PLACE && s->middle != POOL_SHOW_PLACES ? draw_outcomes : draws[i])(
            s, canvas, rect_inside(panel[i]));
    }
}

/* ---- loading ---- */

static void run_drop(struct pool_run **run)
{
    pool_run_delete(*run);
    *run = NULL;
}

static void close_all(struct pool_screen *s)
{
    pool_solve_drop(s);
    pool_find_drop(s);
    pool_proposals_fini(s);
    while (s->before_count > 0)
        run_drop(&s->before[--s->before_count]);
    run_drop(&s->run);
    s->phase = POOL_EMPTY;
}

static void pool_close(struct app *app, void *state)
{
    struct pool_screen *s = state;

    (void)app;
    close_all(s);
    worker_free(s->solver);
}

static void pool_warn(void *ctx, const char *line)
{
    app_report(ctx, true, "%s", line);
}

static enum gp_status pool_load(struct app *app, struct pool_screen *s, const char *name,
                                struct gp_err *err)
{
    struct pool_case *c = gp_calloc(1, sizeof(*c));
    enum gp_status rc = pool_case_read(app->form->planner, name, pool_warn, app, c, err);

    if (rc) {
        free(c);
        return rc;
    }
    close_all(s);
    gp_copy(s->name, sizeof(s->name), name);
    s->phase = POOL_FINDING;
    s->hour = s->work = s->panel = s->top = 0;
    s->middle = POOL_SHOW_PLACES;
    pool_find_begin(s, app->worker, c, c->file.workload_count);
    return GP_OK;
}

static bool pool_takes(enum option_id id)
{
    return id == OPT_SEED || id == OPT_SOLVE_SECONDS || id == OPT_RUNG;
}

/* "FILE --seed 3": the file first, then options. */
static enum gp_status pool_options_line(struct app *app, void *state, const char *line,
                                        struct gp_err *err)
{
    struct pool_screen *s = state;
    char word[GP_PATH_MAX], value[80], name[GP_PATH_MAX] = "";
    struct options options = {0};
    enum gp_status rc = GP_OK;

    while (!rc && words_next(&line, word, sizeof(word))) {
        int id = word[0] == '-' ? option_find_word(word) : -1;

        if (word[0] != '-' && !name[0]) {
            gp_copy(name, sizeof(name), word);
        } else if (id < 0 || !pool_takes((enum option_id)id)) {
            rc = gp_fail(err, GP_E_USAGE, word, "pool FILE --seed N --rung NAME",
                         "is not an option of the Pool screen");
        } else {
            words_next(&line, value, sizeof(value)); /* else "": refused */
            rc = options_text(&options, (enum option_id)id, word, value, err);
        }
    }
    if (rc)
        return rc;
    s->options = (struct pool_run_options){
        .seed = (uint64_t)options_or(&options, OPT_SEED, 24301),
        .seconds = options_or(&options, OPT_SOLVE_SECONDS, 0),
        .rung = options_choice(&options, OPT_RUNG),
    };
    return pool_load(app, s, name[0] ? name : s->name, err);
}

/* ---- what goes on ---- */

static void pool_failed(struct app *app, struct pool_screen *s, const struct gp_err *err)
{
    app_report_err(app, err);
    if (s->before_count > 0) { /* an applied change cannot be planned */
        run_drop(&s->run);
        s->run = s->before[--s->before_count];
        s->phase = POOL_READY;
    } else {
        close_all(s);
    }
}

/* All candidates are known. */
static void begin_solving(struct app *app, struct pool_screen *s)
{
    struct gp_err err = {0};

    if (pool_case_build(&s->run->c, &err)) {
        pool_failed(app, s, &err);
        return;
    }
    s->phase = POOL_SOLVING;
    s->halted = false;
    pool_solve_begin(s, NULL, false);
}

static void find_some(struct app *app, struct pool_screen *s)
{
    struct gp_err err = {0};

    if (!task_finished(s->finding))
        return;
    struct pool_case *c = pool_find_end(s, &err);
    if (!c) {
        pool_failed(app, s, &err);
        return;
    }
    s->run = pool_run_new();
    s->run->c = *c;
    free(c);
    begin_solving(app, s);
}

/* ---- changes that are tried ---- */

/* The workloads that a change leaves as they are; false: one is left to be found. */
static bool copy_known(const struct pool_screen *s, struct pool_proposal *p)
{
    while (p->c->done < p->c->file.workload_count) {
        if ((int)p->c->done == p->workload)
            return false;
        pool_case_copy(&s->run->c, p->c);
    }
    return true;
}

static void try_known(struct pool_screen *s, struct pool_proposal *p)
{
    struct gp_err err = {0};

    p->tried = copy_known(s, p) && pool_case_build(p->c, &err) == GP_OK;
    if (p->tried)
        pool_solve_begin(s, p->c, false);
}

/* Starts to try a change out; one whose candidates cannot be found is left out. */
static void try_next(struct app *app, struct pool_screen *s)
{
    struct pool_proposal *p = &s->proposals[s->trying];
    struct gp_err err = {0};

    if (pool_replicas_begin(app->form->planner, &p->c->file, &p->c->replicas, &err))
        return;
    if (copy_known(s, p)) {
        try_known(s, p);
        return;
    }
    pool_find_begin(s, app->worker, p->c, p->c->done + 1);
    p->c = NULL;
}

static void report_best(struct app *app, struct pool_screen *s)
{
    const struct pool_rung *r = &s->run->answer.rungs[s->run->rung];
    int best = pool_proposal_best(s);
    double days = pool_days(s->run);

    if (best < 0) {
        app_report(app, false, "none of %d changes serves more for less", s->proposal_count);
        return;
    }
    const struct pool_proposal *p = &s->proposals[best];
    const char *paid = UNITS_TOKENS(p->outcome.paid / days);
    if (pool_run_short(s->run, s->run->rung))
        app_report(app, false, "%s: $%s/day, unmet %.1f %% in place of %.1f %%; a applies it",
                   p->words, paid, 100 * p->outcome.unmet, 100 * r->unmet_share);
    else
        app_report(app, false, "%s: $%s/day in place of $%s/day; a applies it", p->words, paid,
                   UNITS_TOKENS((r->total - r->cost.penalty) / days));
}

static void try_some(struct app *app, struct pool_screen *s)
{
    struct pool_proposal *p = &s->proposals[s->trying];
    struct pool_outcome outcome = {0};
    struct gp_err err;

    if (s->finding && task_finished(s->finding)) {
        p->c = pool_find_end(s, &err);
        if (p->c)
            try_known(s, p);
    }
    if (s->finding || !pool_solve_ended(s, &outcome))
        return;
    if (s->trying < s->proposal_count)
        p->outcome = outcome;
    if (++s->trying < s->proposal_count) {
        try_next(app, s);
        return;
    }
    s->phase = POOL_READY;
    s->middle = POOL_SHOW_CHANGES;
    s->panel = POOL_PANEL_PLACE;
    s->top = 0;
    report_best(app, s);
}

/* Layouts on the other GPUs that what-ifs ask about, one after the other; then the what-ifs. */
static void ask_next(struct app *app, struct pool_screen *s)
{
    struct pool_run *run = s->run;

    for (; s->asking < run->other_count; s->asking++) {
        struct pool_case *c = run->others[s->asking];

        if (!c || c->pool.candidates)
            continue;
        run->others[s->asking] = NULL;
        pool_find_begin(s, app->worker, c, c->file.workload_count);
        return;
    }
    pool_solve_begin(s, NULL, true);
}

static void ask_some(struct app *app, struct pool_screen *s)
{
    struct gp_err err;

    if (s->finding && task_finished(s->finding)) {
        struct pool_case *c = pool_find_end(s, &err);

        if (c && pool_case_build(c, &err) == GP_OK)
            s->run->others[s->asking] = c;
        else
            pool_case_free(c);
        s->asking++;
        ask_next(app, s);
    }
    bool replays = s->solve && s->solve->replays;
    if (s->finding || !pool_solve_ended(s, NULL))
        return;
    if (!replays && !s->halted) { /* who breaks first is asked, too */
        pool_replay_begin(s, app->worker);
        return;
    }
    s->phase = POOL_READY;
    if (s->halted) { /* what was asked of it is no answer */
        s->run->what_if_count = s->run->replay_count = s->run->replayed = 0;
        s->middle = POOL_SHOW_PLACES;
        return;
    }
    struct strbuf words;
    strbuf_init(&words);
    pool_breaks_words(s->run, &words);
    if (words.len > 0)
        app_report(app, false, "%s", words.text);
    strbuf_fini(&words);
}

static void solve_some(struct app *app, struct pool_screen *s)
{
    if (!pool_solve_ended(s, NULL))
        return;
    s->phase = POOL_READY;
    s->hour = pool_run_busiest(s->run);
    app_report(app, false, "%s",
               s->run->halted ? "stopped: the best plans so far, their bounds may be low"
                              : "solved; v: the next way, i: what if, p: cheaper changes");
}

/* The case of a change, its candidates known, becomes the pool; the one before is kept. */
static void change_take(struct app *app, struct pool_screen *s, struct pool_proposal *p)
{
    if (s->before_count == POOL_UNDO) {
        run_drop(&s->before[0]);
        memmove(s->before, s->before + 1, sizeof(s->before[0]) * (POOL_UNDO - 1));
        s->before_count--;
    }
    s->before[s->before_count++] = s->run;
    s->run = pool_run_new();
    s->run->c.file = p->c->file;
    s->run->c.replicas = p->c->replicas;
    s->run->c.done = p->c->done;
    memset(&p->c->file, 0, sizeof(p->c->file));
    memset(&p->c->replicas, 0, sizeof(p->c->replicas));
    app_report(app, false, "applied: %s; u undoes it", p->words);
    pool_proposals_fini(s);
    s->middle = POOL_SHOW_PLACES;
    begin_solving(app, s);
}

/* ---- what a workload asks, changed by hand ---- */

enum { EDIT_DEMAND, EDIT_TTFT, EDIT_TPOT, EDIT_WEIGHTS, EDIT_MODEL, EDIT_PROMPT, EDIT_OUTPUT };

static const struct edit_row {
    const char *name, *hint;
    size_t offset; /* of a number in struct pool_file_workload, or of a text of `size` bytes; */
    double unit;   /* the number in it */
    size_t size;   /* 0: a number */
} edits[] = {
    [EDIT_DEMAND] = {"Demand", "requests/s at the peak; all hours are scaled with it", 0, 1, 0},
    [EDIT_TTFT] = {"TTFT goal", "ms; 0: none", offsetof(struct pool_file_workload, ttft), 1e-3, 0},
    [EDIT_TPOT] = {"TPOT goal", "ms; 0: none", offsetof(struct pool_file_workload, tpot), 1e-3, 0},
    [EDIT_WEIGHTS] = {"Weights", "a format, such as fp8; empty: as published",
                      offsetof(struct pool_file_workload, precision), 0, FORMAT_ID_MAX},
    [EDIT_MODEL] = {"Model", "an id, a size such as 70B, or a path",
                    offsetof(struct pool_file_workload, model), 0, 256},
    [EDIT_PROMPT] = {"Prompt", "tokens", offsetof(struct pool_file_workload, prompt), 1, 0},
    [EDIT_OUTPUT] = {"Output", "tokens", offsetof(struct pool_file_workload, output), 1, 0},
};
enum { EDITS = sizeof(edits) / sizeof(edits[0]) };

static char *edit_text(const struct pool_file_workload *w, const struct pool *pool, int i,
                       char text[256])
{
    const char *at = (const char *)w + edits[i].offset;

    if (edits[i].size > 0)
        gp_copy(text, 256, at);
    else
        gp_format(text, 256, "%.6g",
                  i == EDIT_DEMAND ? pool_demand_peak(w->rate, pool->hours)
                                   : *(const double *)(const void *)at / edits[i].unit);
    return text;
}

/* Candidates of what was changed are known, or were found: it is solved. */
static void edit_some(struct app *app, struct pool_screen *s)
{
    struct pool_proposal *p = &s->proposals[0];
    struct gp_err err = {0};

    if (s->finding) {
        if (!task_finished(s->finding))
            return;
        p->c = pool_find_end(s, &err);
        if (p->c)
            p->workload = -1; /* the others are as they were */
    }
    if (p->c && copy_known(s, p)) {
        change_take(app, s, p);
    } else if (p->c) {
        pool_find_begin(s, app->worker, p->c, p->c->done + 1);
        p->c = NULL;
    } else {
        pool_proposals_fini(s);
        s->phase = POOL_READY;
        app_report_err(app, &err);
    }
}

static void edit_begin(struct app *app, struct pool_screen *s, struct pool_proposal *p)
{
    struct gp_err err = {0};

    if (pool_replicas_begin(app->form->planner, &p->c->file, &p->c->replicas, &err)) {
        pool_proposals_fini(s);
        app_report_err(app, &err);
        return;
    }
    s->phase = POOL_EDITING;
    edit_some(app, s);
}

/* Every hour of a workload's demand, times a factor. */
static void scale_demand(struct app *app, struct pool_screen *s, double factor)
{
    pool_proposals_fini(s);
    struct pool_proposal *p = proposal_add(s, -1); /* what a replica can serve stays */
    struct pool_file_workload *w = &p->c->file.workloads[s->work];
    for (int h = 0; h < POOL_FILE_HOURS; h++)
        w->rate[h] *= factor;
    gp_format(p->words, sizeof(p->words), "%s: %.4g requests/s at its peak", w->name,
              pool_demand_peak(w->rate, s->run->c.pool.hours));
    edit_begin(app, s, p);
}

static bool edit_typed(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct pool_screen *s = ctx;
    const struct edit_row *row = &edits[s->editing];
    const struct pool_file_workload *now = &s->run->c.file.workloads[s->work];
    double number = 0, peak = pool_demand_peak(now->rate, s->run->c.pool.hours);

    if (row->size == 0 && units_parse_number(text, row->name, &number, err))
        return false;
    if (row->size == 0 && (number < 0 || number > 1e9 ||
                           (number <= 0 && s->editing != EDIT_TTFT && s->editing != EDIT_TPOT))) {
        gp_fail(err, GP_E_USAGE, row->name, row->hint, "%s is outside of what can be", text);
        return false;
    }
    if (s->editing == EDIT_DEMAND) {
        if (peak > 0)
            scale_demand(app, s, number / peak);
        return true;
    }
    if (strlen(text) >= (row->size ? row->size : 256)) {
        gp_fail(err, GP_E_USAGE, row->name, row->hint, "is too long");
        return false;
    }
    pool_proposals_fini(s);
    struct pool_proposal *p = proposal_add(s, s->work);
    char *at = (char *)&p->c->file.workloads[s->work] + row->offset;
    if (row->size > 0)
        gp_copy(at, row->size, text);
    else
        *(double *)(void *)at = number * row->unit;
    gp_format(p->words, sizeof(p->words), "%s: %s %s", now->name, row->name, text);
    edit_begin(app, s, p);
    return true;
}

static void edit_chosen(struct app *app, void *ctx, const char *id)
{
    struct pool_screen *s = ctx;
    char text[256], label[40];

    s->editing = list_clamp(atoi(id), 0, EDITS - 1);
    gp_format(label, sizeof(label), "%s: ", edits[s->editing].name);
    prompt_open(&app->display,
                &(struct prompt_spec){.label = label,
                                      .text = edit_text(&s->run->c.file.workloads[s->work],
                                                        &s->run->c.pool, s->editing, text),
                                      .hint = edits[s->editing].hint,
                                      .history = PROMPT_VALUE,
                                      .done = edit_typed,
                                      .ctx = s});
}

static void edit_open(struct app *app, struct pool_screen *s)
{
    const struct pool_file_workload *w = &s->run->c.file.workloads[s->work];
    struct choice choices[EDITS] = {0};
    char text[256];

    for (int i = 0; i < EDITS; i++) {
        gp_format(choices[i].id, sizeof(choices[i].id), "%d", i);
        gp_format(choices[i].text, sizeof(choices[i].text), "%-10s %.100s", edits[i].name,
                  edit_text(w, &s->run->c.pool, i, text));
        gp_copy(choices[i].more, sizeof(choices[i].more), edits[i].hint);
    }
    chooser_open(
        &app->display,
        &(struct chooser_spec){
            .title = w->name, .choices = choices, .count = EDITS, .chosen = edit_chosen, .ctx = s});
}

/* ---- a pool to begin with ---- */

static void pool_chosen(struct app *app, void *ctx, const char *id)
{
    struct gp_err err;

    (void)ctx;
    if (pool_options_line(app, app_state(app, SCREEN_POOL), id, &err))
        app_report_err(app, &err);
    else
        app_show(app, SCREEN_POOL);
}

/* "a week: Azure's code and chat" */
static void example_words(struct catalog *catalog, const char *name, char *text, size_t size)
{
    struct pool_file file;
    struct gp_err err;
    char path[GP_PATH_MAX];

    gp_copy(text, size, "an example");
    if (pool_file_find(catalog, name, path, sizeof(path), &err) ||
        pool_file_read(catalog, path, NULL, NULL, &file, &err))
        return;
    gp_format(text, size, "%d hours: %s", file.hours, file.name);
    pool_file_fini(&file);
}

static void pool_offer(struct app *app)
{
    struct catalog *catalog = planner_catalog(app->form->planner);
    char **names;
    size_t count = catalog_names(catalog, "pools", ".cfg", &names);
    struct choice *choices = gp_calloc(count + 1, sizeof(*choices));

    for (size_t i = 0; i < count; i++) {
        gp_copy(choices[i].id, sizeof(choices[i].id), names[i]);
        gp_copy(choices[i].text, sizeof(choices[i].text), names[i]);
        example_words(catalog, names[i], choices[i].more, sizeof(choices[i].more));
    }
    chooser_open(&app->display, &(struct chooser_spec){.title = "Pool: models over a day",
                                                       .choices = choices,
                                                       .count = (int)count,
                                                       .free = "a path of a pool file",
                                                       .paths = true,
                                                       .chosen = pool_chosen});
    path_list_free(names, count);
    free(choices);
}

/* The examples, files, and after a '-' its options. */
static void pool_complete(const struct app *app, const char *begin, struct strbuf *out)
{
    char **names;
    size_t count = catalog_names(planner_catalog(app->form->planner), "pools", ".cfg", &names);

    for (int id = 0; id < OPTION_COUNT && begin[0] == '-'; id++)
        if (pool_takes((enum option_id)id) &&
            strncmp(option_rows[id].name, begin + strspn(begin, "-"),
                    strlen(begin + strspn(begin, "-"))) == 0)
            strbuf_addf(out, "%s--%s", out->len ? " " : "", option_rows[id].name);
    for (size_t i = 0; i < count; i++)
        if (strncmp(names[i], begin, strlen(begin)) == 0)
            strbuf_addf(out, "%s%s", out->len ? " " : "", names[i]);
    path_list_free(names, count);
    if (out->len)
        strbuf_add(out, " ");
    edit_paths(begin, out);
}

/* ---- time ---- */

/* Nothing is at work. */
static bool pool_rests(const struct pool_screen *s)
{
    return s->phase == POOL_READY || s->phase == POOL_EMPTY;
}

static double pool_tick(struct app *app, void *state, double now)
{
    struct pool_screen *s = state;

    (void)now;
    if (pool_rests(s))
        return -1;
    app_touch(app);
    if (s->phase == POOL_FINDING)
        find_some(app, s);
    else if (s->phase == POOL_EDITING)
        edit_some(app, s);
    else if (s->phase == POOL_TRYING)
        try_some(app, s);
    else if (s->phase == POOL_ASKING)
        ask_some(app, s);
    else
        solve_some(app, s);
    return pool_rests(s) ? -1 : POLL;
}

/* What was found until now is kept: plans, or the changes that are tried already. */
static bool pool_stop(struct app *app, struct pool_screen *s)
{
    if (pool_rests(s))
        return false;
    if (s->phase == POOL_FINDING) {
        close_all(s);
        app_report(app, false, "stopped: no layout was known yet");
        return true;
    }
    pool_find_drop(s);
    if (s->phase == POOL_EDITING) {
        pool_proposals_fini(s);
        s->phase = POOL_READY;
        app_report(app, false, "stopped: nothing is changed");
        return true;
    }
    if (s->phase == POOL_TRYING) {
        s->proposals[s->trying].tried = false; /* half of it is no answer */
        s->trying = s->proposal_count;
    }
    s->halted = true;
    if (s->solve) /* it ends soon, with what it has */
        atomic_store(&s->solve->halt, true);
    app_report(app, false, "stopping");
    return true;
}

/* ---- changes ---- */

static void changes_try(struct app *app, struct pool_screen *s)
{
    pool_propose(s, s->work);
    if (s->proposal_count == 0)
        return;
    s->phase = POOL_TRYING;
    app_report(app, false, "trying %d changes for %s", s->proposal_count,
               s->run->c.file.workloads[s->work].name);
    try_next(app, s);
}

static void change_apply(struct app *app, struct pool_screen *s)
{
    int best = pool_proposal_best(s);

    if (best < 0)
        app_report(app, true, "p looks for a change first");
    else
        change_take(app, s, &s->proposals[best]);
}

static void change_undo(struct app *app, struct pool_screen *s)
{
    if (s->before_count == 0) {
        app_report(app, false, "nothing is applied");
        return;
    }
    pool_proposals_fini(s);
    run_drop(&s->run);
    s->run = s->before[--s->before_count];
    s->middle = POOL_SHOW_PLACES;
    app_report(app, false, "undone");
}

/* ---- what if ---- */

/* Asked when they are first looked at, for each rung. */
static void ask_what_if(struct app *app, struct pool_screen *s)
{
    struct gp_err err = {0};

    if (s->middle != POOL_SHOW_WHAT_IF || s->run->what_if_count > 0)
        return;
    s->phase = POOL_ASKING;
    s->halted = false;
    s->asking = 0;
    if (s->run->other_count == 0) /* names none: cannot fail */
        pool_run_others_begin(app->form->planner, s->run, &s->options, &err);
    ask_next(app, s);
}

/* ---- keys ---- */

static void choose_rung(struct app *app, struct pool_screen *s, int by)
{
    s->run->what_if_count = 0;
    s->middle = s->middle == POOL_SHOW_CHANGES ? POOL_SHOW_PLACES : s->middle;
    pool_proposals_fini(s);
    pool_run_choose(s->run, ((int)s->run->rung + by + POOL_RUNGS) % POOL_RUNGS);
    s->options.rung = (int)s->run->rung;
    s->top = 0;
    ask_what_if(app, s);
}

static bool act_ready(struct app *app, struct pool_screen *s, enum action action)
{
    int hours = s->run->c.pool.hours, rows = list_step(action, 10);

    if (action == ACT_LEFT || action == ACT_RIGHT)
        s->hour = (s->hour + (action == ACT_LEFT ? -1 : 1) + hours) % hours;
    else if (rows != 0) {
        int n = (int)s->run->c.file.workload_count;

        if (s->panel == POOL_PANEL_WORK)
            s->work = list_clamp(s->work + rows, 0, n - 1);
        else if (s->panel == POOL_PANEL_PLACE)
            s->top = list_clamp(s->top + rows, 0, pool_middle_rows(s) - 1);
        else
            choose_rung(app, s, rows > 0 ? 1 : -1);
    } else if (action == ACT_EDIT)
        edit_open(app, s);
    else if (action == ACT_MORE || action == ACT_LESS)
        scale_demand(app, s, action == ACT_MORE ? 1.1 : 1 / 1.1);
    else if (action == ACT_RUNG)
        choose_rung(app, s, 1);
    else if (action == ACT_WHAT_IF) {
        s->middle = s->middle == POOL_SHOW_WHAT_IF ? POOL_SHOW_PLACES : POOL_SHOW_WHAT_IF;
        s->panel = POOL_PANEL_PLACE; /* its rows are moved */
        s->top = 0;
        ask_what_if(app, s);
    } else if (action == ACT_PROPOSE)
        changes_try(app, s);
    else if (action == ACT_APPLY)
        change_apply(app, s);
    else if (action == ACT_UNDO)
        change_undo(app, s);
    else
        return false;
    return true;
}

static bool pool_act(struct app *app, void *state, enum action action)
{
    struct pool_screen *s = state;
    bool done = action == ACT_PANEL || action == ACT_PANEL_BACK;

    if (done)
        s->panel = (s->panel + (action == ACT_PANEL ? 1 : POOL_PANELS - 1)) % POOL_PANELS;
    else if (action == ACT_STOP)
        done = pool_stop(app, s);
    else if (s->phase == POOL_READY)
        done = act_ready(app, s, action);
    else if (action == ACT_UNDO || action == ACT_APPLY)
        done = true; /* not the plan's, while this pool is solved */
    if (done)
        app_touch(app);
    return done;
}

/* ---- words ---- */

static void pool_explain(const struct app *app, const void *state, struct strbuf *out)
{
    const struct pool_screen *s = state;
    char why[96];

    (void)app;
    if (s->phase != POOL_READY && s->phase != POOL_TRYING && s->phase != POOL_ASKING)
        return;
    const struct pool_file_workload *w = &s->run->c.file.workloads[s->work];
    pool_run_refusal(s->run, s->work, why, sizeof(why));
    if (s->panel == POOL_PANEL_LADDER) {
        strbuf_addf(out, "%s: %s", pool_rung_word(s->run->rung), ways[s->run->rung]);
        return;
    }
    strbuf_addf(out, "%s: %s", w->name, w->model);
    if (why[0])
        strbuf_addf(out, "; not served: %s; p looks for the cheapest change", why);
    else if (pool_unmet(s->run, s->work, -1) > SHORT)
        strbuf_addf(out,
                    "; %.1f %% of its demand is more than its GPUs serve; p looks for "
                    "the cheapest change",
                    100 * pool_unmet(s->run, s->work, -1));
    else
        strbuf_addf(out, "; %s; burst x %.2f", w->demand, w->pool.burst);
    int moves = s->run->placement.gpus > 0 ? s->run->placement.moves[s->hour] : 0;
    strbuf_addf(out, ". %d move%s at this hour.", moves, moves == 1 ? "" : "s");
}

static void pool_title(const struct app *app, const void *state, struct strbuf *out)
{
    const struct pool_screen *s = state;

    (void)app;
    if (s->run && s->phase != POOL_SOLVING) /* else its box says it, and what runs is here */
        strbuf_addf(out, "%s%s", path_name(s->name), s->before_count > 0 ? "*" : "");
}

static void pool_running(const void *state, struct strbuf *out)
{
    const struct pool_screen *s = state;

    if (s->phase == POOL_FINDING)
        strbuf_addf(out, "pool 0/%d", POOL_RUNGS);
    else if (s->phase == POOL_SOLVING)
        strbuf_addf(out, "pool %d/%d", atomic_load(&s->solve->rung) + 1, POOL_RUNGS);
}

/* The word of an action that the pool screen takes in its phase; NULL: it does not. */
static const char *pool_word(const void *state, enum action action)
{
    const struct pool_screen *s = state;
    bool ready = s->phase == POOL_READY;

    switch (action) {
    case ACT_STOP:
        return pool_rests(s) ? NULL : action_rows[action].word;
    case ACT_APPLY:
        return ready && pool_proposal_best(s) >= 0 ? action_rows[action].word : NULL;
    case ACT_WHAT_IF:
        return !ready ? NULL : s->middle == POOL_SHOW_WHAT_IF ? "places" : action_rows[action].word;
    case ACT_EDIT:
    case ACT_RUNG:
    case ACT_PROPOSE:
    case ACT_EXPORT:
        return ready ? action_rows[action].word : NULL;
    default:
        return action_rows[action].word;
    }
}

static void pool_command(const struct app *app, const void *state, struct strbuf *out)
{
    const struct pool_screen *s = state;

    (void)app;
    strbuf_add(out, "gpuplan --pool ");
    strbuf_quote(out, s->name);
    if (s->run && s->phase == POOL_READY)
        strbuf_addf(out, " --rung %s", pool_rung_word(s->run->rung));
}

static enum gp_status pool_export_text(const struct app *app, const void *state, const char *suffix,
                                       struct strbuf *out, struct gp_err *err)
{
    const struct pool_screen *s = state;

    if (s->phase != POOL_READY)
        return gp_fail(err, GP_E_NOTHING, "", "", "the pool is not solved yet");
    if (strcmp(suffix, "html") == 0) {
        struct strbuf command;

        strbuf_init(&command);
        pool_command(app, state, &command);
        pool_page(s->run, command.text, out);
        strbuf_fini(&command);
        return GP_OK;
    }
    print_pool(s->run,
               strcmp(suffix, "json") == 0  ? OUTPUT_JSON
               : strcmp(suffix, "csv") == 0 ? OUTPUT_CSV
               : strcmp(suffix, "md") == 0  ? OUTPUT_MARKDOWN
                                            : OUTPUT_TEXT,
               false, false, out);
    return GP_OK;
}

/* Until a pool is loaded its tab offers some. */
static bool pool_here(const void *state)
{
    return state && ((const struct pool_screen *)state)->phase != POOL_EMPTY;
}

const struct screen_ops screen_pool = {
    .state_size = sizeof(struct pool_screen),
    .close = pool_close,
    .draw = pool_draw,
    .act = pool_act,
    .tick = pool_tick,
    .explain = pool_explain,
    .title = pool_title,
    .running = pool_running,
    .word = pool_word,
    .suffixes = "txt json csv md html",
    .export = pool_export_text,
    .command = pool_command,
    .takes = pool_takes,
    .options = pool_options_line,
    .here = pool_here,
    .offer = pool_offer,
    .complete = pool_complete,
};
