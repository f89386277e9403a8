/*
 * s_pool.c - the screen Pool: a pool file solved while the screen stays awake, scrubbed
 * through its hours; what is short, the cheapest change, applied and undone.
 */
#include <stdlib.h>
#include <string.h>

#include "output/pool_record.h"
#include "output/print_pool.h"
#include "tui/list.h"
#include "tui/pool/s_pool.h"
#include "util/clock.h"
#include "util/str.h"

#define POLL  0.05 /* s between two looks at the thread */
#define SLICE 0.005 /* s of candidates in one tick */

/* ---- loading ---- */

static void drop(struct pool_run **run)
{
    pool_run_delete(*run);
    *run = NULL;
}

static void close_all(struct pool_screen *s)
{
    pool_worker_stop(&s->worker);
    pool_proposals_fini(s);
    while (s->before_count > 0)
        drop(&s->before[--s->before_count]);
    drop(&s->run);
    s->phase = POOL_EMPTY;
}

static void pool_close(struct app *app, void *state)
{
    (void)app;
    close_all(state);
}

static void warn(void *ctx, const char *line)
{
    app_report(ctx, true, "%s", line);
}

static enum gp_status load(struct app *app, struct pool_screen *s, const char *name,
                           struct gp_err *err)
{
    struct pool_run *run = pool_run_new();
    enum gp_status rc =
        pool_case_read(app->form->planner, name, warn, app, &run->c, err);

    if (rc) {
        pool_run_delete(run);
        return rc;
    }
    close_all(s);
    gp_copy(s->name, sizeof(s->name), name);
    s->run = run;
    s->phase = POOL_FINDING;
    s->hour = s->work = s->panel = s->top = 0;
    s->what_if = false;
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
    char text[GP_PATH_MAX + 256], *rest = text, *word, name[GP_PATH_MAX] = "";
    struct options options = {0};
    enum gp_status rc = GP_OK;

    if (!gp_copy(text, sizeof(text), line))
        return gp_fail(err, GP_E_USAGE, "pool", "", "the line is too long");
    while (!rc && (word = strsep(&rest, " "))) {
        int id = word[0] == '-' ? option_find_word(word) : -1;
        if (word[0] == '\0')
            continue;
        if (word[0] != '-' && !name[0])
            gp_copy(name, sizeof(name), word);
        else if (id < 0 || !pool_takes((enum option_id)id))
            rc = gp_fail(err, GP_E_USAGE, word, "pool FILE --seed N --rung NAME",
                         "is not an option of the Pool screen");
        else
            rc = options_text(&options, (enum option_id)id, word,
                              rest ? strsep(&rest, " ") : "", err);
    }
    if (rc)
        return rc;
    s->options = (struct pool_run_options){
        .seed = (uint64_t)options_or(&options, OPT_SEED, 24301),
        .seconds = options_or(&options, OPT_SOLVE_SECONDS, 0),
        .rung = options_choice(&options, OPT_RUNG),
    };
    return load(app, s, name[0] ? name : s->name, err);
}

/* ---- what goes on ---- */

static void failed(struct app *app, struct pool_screen *s, const struct gp_err *err)
{
    app_report_err(app, err);
    if (s->before_count > 0) { /* an applied change cannot be planned */
        drop(&s->run);
        s->run = s->before[--s->before_count];
        s->phase = POOL_READY;
    } else {
        close_all(s);
    }
}

static double find_some(struct app *app, struct pool_screen *s)
{
    struct gp_err err = {0};
    double until = clock_now() + SLICE;
    bool more = true;
    enum gp_status rc = GP_OK;

    while (!rc && more && clock_now() < until)
        rc = pool_case_step(app->form->planner, &s->run->c, &more, &err);
    if (!rc && more)
        return 0;
    if (!rc)
        rc = pool_case_build(&s->run->c, &err);
    if (rc) {
        failed(app, s, &err);
        return -1;
    }
    s->phase = POOL_SOLVING;
    pool_worker_solve(s);
    return POLL;
}

/* Starts to try a change out; one whose candidates cannot be found is left out. */
static void try_next(struct app *app, struct pool_screen *s)
{
    struct pool_proposal *p = &s->proposals[s->trying];
    struct gp_err err = {0};
    bool more = true;
    enum gp_status rc = pool_replicas_begin(app->form->planner, &p->c->file,
                                            &p->c->replicas, &err);

    while (!rc && more) {
        if ((int)p->c->done == p->workload)
            rc = pool_case_step(app->form->planner, p->c, &more, &err);
        else
            more = pool_case_copy(&s->run->c, p->c);
    }
    if (!rc)
        rc = pool_case_build(p->c, &err);
    p->tried = rc == GP_OK;
    if (p->tried)
        pool_worker_try(s, p);
    else
        atomic_store(&s->worker.done, true);
}

static void report_best(struct app *app, struct pool_screen *s)
{
    int best = pool_proposal_best(s);
    const struct pool_proposal *p = &s->proposals[best];

    if (best < 0)
        app_report(app, false, "none of %d changes serves more for less", s->proposal_count);
    else
        app_report(app, false, "%s: unmet %.1f %% in place of %.1f %%; a applies it", p->words,
                   100 * p->unmet, 100 * s->run->answer.rungs[s->run->rung].unmet_share);
}

static double try_some(struct app *app, struct pool_screen *s)
{
    if (!pool_worker_ended(&s->worker))
        return POLL;
    if (++s->trying < s->proposal_count) {
        try_next(app, s);
        return POLL;
    }
    s->phase = POOL_READY;
    report_best(app, s);
    return -1;
}

static double ask_some(struct pool_screen *s)
{
    if (!pool_worker_ended(&s->worker))
        return POLL;
    s->phase = POOL_READY;
    return -1;
}

static double pool_tick(struct app *app, void *state, double now)
{
    struct pool_screen *s = state;

    (void)now;
    if (s->phase == POOL_READY || s->phase == POOL_EMPTY)
        return -1;
    app_touch(app);
    if (s->phase == POOL_FINDING)
        return find_some(app, s);
    if (s->phase == POOL_TRYING)
        return try_some(app, s);
    if (s->phase == POOL_ASKING)
        return ask_some(s);
    if (!pool_worker_ended(&s->worker))
        return POLL;
    s->phase = POOL_READY;
    s->hour = pool_run_busiest(s->run);
    return -1;
}

/* ---- changes ---- */

static void propose(struct app *app, struct pool_screen *s)
{
    pool_propose(s, s->work);
    if (s->proposal_count == 0)
        return;
    s->phase = POOL_TRYING;
    app_report(app, false, "trying %d changes for %s", s->proposal_count,
               s->run->c.file.workloads[s->work].name);
    try_next(app, s);
}

/* The case of the best change becomes the pool; the one before is kept. */
static void apply(struct app *app, struct pool_screen *s)
{
    int best = pool_proposal_best(s);

    if (best < 0) {
        app_report(app, true, "p looks for a change first");
        return;
    }
    if (s->before_count == POOL_UNDO) {
        drop(&s->before[0]);
        memmove(s->before, s->before + 1, sizeof(s->before[0]) * (POOL_UNDO - 1));
        s->before_count--;
    }
    s->before[s->before_count++] = s->run;
    s->run = pool_run_new();
    s->run->c.file = s->proposals[best].c->file;
    s->run->c.replicas = s->proposals[best].c->replicas;
    s->run->c.done = s->proposals[best].c->done;
    memset(&s->proposals[best].c->file, 0, sizeof(s->proposals[best].c->file));
    memset(&s->proposals[best].c->replicas, 0, sizeof(s->proposals[best].c->replicas));
    app_report(app, false, "applied: %s; u undoes it", s->proposals[best].words);
    pool_proposals_fini(s);
    s->what_if = false;
    s->phase = POOL_FINDING; /* all are found: it builds and solves */
}

static void undo(struct app *app, struct pool_screen *s)
{
    if (s->before_count == 0) {
        app_report(app, false, "nothing is applied");
        return;
    }
    pool_proposals_fini(s);
    drop(&s->run);
    s->run = s->before[--s->before_count];
    s->what_if = false;
    app_report(app, false, "undone");
}

/* ---- what if ---- */

/* Asked when they are first looked at, for each rung. */
static void ask_what_if(struct pool_screen *s)
{
    if (!s->what_if || s->run->what_if_count > 0)
        return;
    s->phase = POOL_ASKING;
    pool_worker_ask(s);
}

/* ---- keys ---- */

static void choose_rung(struct pool_screen *s, int by)
{
    s->run->what_if_count = 0;

    pool_proposals_fini(s);
    pool_run_choose(s->run, ((int)s->run->rung + by + POOL_RUNGS) % POOL_RUNGS);
    s->options.rung = (int)s->run->rung;
    s->top = 0;
    ask_what_if(s);
}

static void up_down(struct pool_screen *s, int by)
{
    int n = (int)s->run->c.file.workload_count;

    if (s->panel == POOL_PANEL_WORK)
        s->work = list_clamp(s->work + by, 0, n - 1);
    else if (s->panel == POOL_PANEL_PLACE)
        s->top = list_clamp(s->top + by, 0,
                            s->what_if ? s->run->what_if_count : s->run->seating.box_count);
    else
        choose_rung(s, by > 0 ? 1 : -1);
}

static bool act_ready(struct app *app, struct pool_screen *s, enum action action)
{
    int hours = s->run->c.pool.hours, rows = list_step(action, 10);

    if (action == ACT_LEFT || action == ACT_RIGHT)
        s->hour = (s->hour + (action == ACT_LEFT ? -1 : 1) + hours) % hours;
    else if (rows != 0)
        up_down(s, rows);
    else if (action == ACT_RUNG)
        choose_rung(s, 1);
    else if (action == ACT_WHAT_IF) {
        s->what_if = !s->what_if;
        ask_what_if(s);
    } else if (action == ACT_PROPOSE)
        propose(app, s);
    else if (action == ACT_APPLY)
        apply(app, s);
    else if (action == ACT_UNDO)
        undo(app, s);
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
    strbuf_addf(out, "%s: %s", w->name, w->model);
    if (why[0])
        strbuf_addf(out, "; not served: %s; p looks for the cheapest change", why);
    else if (pool_unmet(s->run, s->work, -1) > 5e-4)
        strbuf_addf(out, "; %.1f %% of its demand is more than its GPUs serve; p looks for "
                         "the cheapest change",
                    100 * pool_unmet(s->run, s->work, -1));
    else
        strbuf_addf(out, "; %s; burst x %.2f", w->demand, w->burst);
    strbuf_addf(out, ". %d moves at this hour.",
                s->run->seating.gpus > 0 ? s->run->seating.moves[s->hour] : 0);
}

static void pool_title(const struct app *app, const void *state, struct strbuf *out)
{
    const struct pool_screen *s = state;

    (void)app;
    if (s->run)
        strbuf_addf(out, "%s%s", path_name(s->name), s->before_count > 0 ? "*" : "");
}

static enum gp_status pool_export_text(const struct app *app, const void *state,
                                       const char *suffix, struct strbuf *out,
                                       struct gp_err *err)
{
    const struct pool_screen *s = state;

    (void)app;
    if (s->phase != POOL_READY)
        return gp_fail(err, GP_E_NOTHING, "", "", "the pool is not solved yet");
    print_pool(s->run,
               strcmp(suffix, "json") == 0  ? OUTPUT_JSON
               : strcmp(suffix, "csv") == 0 ? OUTPUT_CSV
               : strcmp(suffix, "md") == 0  ? OUTPUT_MARKDOWN
                                            : OUTPUT_TEXT,
               false, false, out);
    return GP_OK;
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

/* Hidden until a pool is loaded. */
static bool pool_here(const void *state)
{
    return state && ((const struct pool_screen *)state)->run;
}

const struct screen_ops screen_pool = {
    .state_size = sizeof(struct pool_screen),
    .close = pool_close,
    .draw = pool_draw,
    .act = pool_act,
    .tick = pool_tick,
    .explain = pool_explain,
    .title = pool_title,
    .suffixes = "txt json csv md",
    .export = pool_export_text,
    .command = pool_command,
    .takes = pool_takes,
    .options = pool_options_line,
    .here = pool_here,
    .own_line = true,
};
