/*
 * s_pool.c - the screen Pool: a pool file solved while the screen stays awake, scrubbed
 * through its hours; what is short, the cheapest change, applied and undone.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "pool/pool_record.h"
#include "tui/list.h"
#include "tui/pool/s_pool.h"

#define SLOWER 1.5 /* times the goals */
#define POLL 0.05  /* s between two looks at the thread */

/* The same file, its lists its own. */
static void copy_file(const struct pool_file *from, struct pool_file *to)
{
    size_t works = from->workload_count, boxes = from->chassis_count;

    *to = *from;
    to->workloads = gp_calloc(works + 1, sizeof(*to->workloads));
    memcpy(to->workloads, from->workloads, works * sizeof(*to->workloads));
    to->chassis = gp_calloc(boxes + 1, sizeof(*to->chassis));
    if (boxes > 0)
        memcpy(to->chassis, from->chassis, boxes * sizeof(*to->chassis));
}

static struct pool_proposal *proposal_add(struct pool_screen *s, int workload)
{
    struct pool_proposal *p = &s->proposals[s->proposal_count++];

    memset(p, 0, sizeof(*p));
    p->workload = workload;
    p->c = gp_calloc(1, sizeof(*p->c));
    copy_file(&s->run->c.file, &p->c->file);
    return p;
}

/* A fourth more of a type, whole servers. */
static void more_gpus(struct pool_screen *s, int type)
{
    struct pool_proposal *p = proposal_add(s, -1);
    struct pool_file_type *t = &p->c->file.types[type];
    int more = (t->stock + t->buy) / 4;

    more = more - more % t->server_gpus + t->server_gpus;
    t->buy += more;
    gp_format(p->words, sizeof(p->words), "%d more %s may be bought", more, t->gpu);
}

static void slower_goals(struct pool_screen *s, int workload)
{
    struct pool_proposal *p = proposal_add(s, workload);
    struct pool_file_workload *w = &p->c->file.workloads[workload];

    w->ttft *= SLOWER;
    w->tpot *= SLOWER;
    char ttft[32] = "", tpot[32] = "";
    if (w->ttft > 0)
        gp_format(ttft, sizeof(ttft), " TTFT %.0f ms", w->ttft * 1e3);
    if (w->tpot > 0)
        gp_format(tpot, sizeof(tpot), " TPOT %.0f ms", w->tpot * 1e3);
    gp_format(p->words, sizeof(p->words), "%s:%s%s%s", w->name, ttft, ttft[0] && tpot[0] ? "," : "",
              tpot);
}

static void open_precision(struct pool_screen *s, int workload)
{
    struct pool_proposal *p = proposal_add(s, workload);
    struct pool_file_workload *w = &p->c->file.workloads[workload];

    w->open = true;
    w->precision[0] = '\0';
    gp_format(p->words, sizeof(p->words), "%s: fp8 or int4-awq where cheaper", w->name);
}

static void any_gpu(struct pool_screen *s, int workload)
{
    struct pool_proposal *p = proposal_add(s, workload);
    struct pool_file_workload *w = &p->c->file.workloads[workload];

    w->gpus[0] = '\0';
    gp_format(p->words, sizeof(p->words), "%s: on all GPUs of the pool", w->name);
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

    pool_proposals_fini(s);
    for (int t = 0; t < f->type_count && t < 4; t++)
        more_gpus(s, t);
    if (w->ttft > 0 || w->tpot > 0)
        slower_goals(s, workload);
    if (!w->open)
        open_precision(s, workload);
    if (w->gpus[0])
        any_gpu(s, workload);
    s->trying = 0;
}

int pool_proposal_best(const struct pool_screen *s)
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
            rc = options_text(&options, (enum option_id)id, word, rest ? strsep(&rest, " ") : "",
                              err);
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

static double find_some(struct app *app, struct pool_screen *s)
{
    struct gp_err err = {0};
    enum gp_status rc;

    if (!task_finished(s->finding))
        return POLL;
    struct pool_case *c = pool_find_end(s, &rc, &err);
    s->run = pool_run_new();
    s->run->c = *c;
    free(c);
    if (rc)
        pool_failed(app, s, &err);
    else
        begin_solving(app, s);
    return POLL;
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
    char then[32], now[32];

    if (best < 0) {
        app_report(app, false, "none of %d changes serves more for less", s->proposal_count);
        return;
    }
    units_tokens(then, sizeof(then), s->proposals[best].outcome.paid / days);
    units_tokens(now, sizeof(now), (r->total - r->cost.penalty) / days);
    if (pool_run_short(s->run, s->run->rung))
        app_report(app, false, "%s: $%s/day, unmet %.1f %% in place of %.1f %%; a applies it",
                   s->proposals[best].words, then, 100 * s->proposals[best].outcome.unmet,
                   100 * r->unmet_share);
    else
        app_report(app, false, "%s: $%s/day in place of $%s/day; a applies it",
                   s->proposals[best].words, then, now);
}

static double try_some(struct app *app, struct pool_screen *s)
{
    struct pool_outcome outcome = {0};

    if (s->finding && task_finished(s->finding)) {
        struct pool_proposal *p = &s->proposals[s->trying];
        struct gp_err err = {0};
        enum gp_status rc;

        p->c = pool_find_end(s, &rc, &err);
        if (!rc)
            try_known(s, p);
    }
    if (s->finding || !pool_solve_ended(s, &outcome))
        return POLL;
    if (s->trying < s->proposal_count)
        s->proposals[s->trying].outcome = outcome;
    if (++s->trying < s->proposal_count) {
        try_next(app, s);
        return POLL;
    }
    s->phase = POOL_READY;
    s->middle = POOL_SHOW_CHANGES;
    s->panel = POOL_PANEL_PLACE;
    s->top = 0;
    report_best(app, s);
    return -1;
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

static double ask_some(struct app *app, struct pool_screen *s)
{
    if (s->finding && task_finished(s->finding)) {
        struct gp_err err = {0};
        enum gp_status rc;
        struct pool_case *c = pool_find_end(s, &rc, &err);

        if (!rc && pool_case_build(c, &err) == GP_OK)
            s->run->others[s->asking] = c;
        else
            pool_case_free(c);
        s->asking++;
        ask_next(app, s);
    }
    if (s->finding || !pool_solve_ended(s, NULL))
        return POLL;
    s->phase = POOL_READY;
    if (s->halted) { /* what was asked of it is no answer */
        s->run->what_if_count = 0;
        s->middle = POOL_SHOW_PLACES;
    }
    return -1;
}

static double solve_some(struct app *app, struct pool_screen *s)
{
    if (!pool_solve_ended(s, NULL))
        return POLL;
    s->phase = POOL_READY;
    s->hour = pool_run_busiest(s->run);
    if (s->run->halted)
        app_report(app, false, "stopped: the best plans so far, their bounds may be low");
    else
        app_report(app, false, "solved; v: the next way, i: what if, p: cheaper changes");
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
    return s->phase == POOL_ASKING ? ask_some(app, s) : solve_some(app, s);
}

/* What was found until now is kept: plans, or the changes that are tried already. */
static bool pool_stop(struct app *app, struct pool_screen *s)
{
    if (s->phase == POOL_READY || s->phase == POOL_EMPTY)
        return false;
    if (s->phase == POOL_FINDING) {
        close_all(s);
        app_report(app, false, "stopped: no layout was known yet");
        return true;
    }
    pool_find_drop(s);
    if (s->phase == POOL_TRYING) {
        s->proposals[s->trying].tried = false; /* half of it is no answer */
        s->trying = s->proposal_count;
    }
    s->halted = true;
    pool_solve_halt(s);
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

/* The case of the best change becomes the pool; the one before is kept. */
static void change_apply(struct app *app, struct pool_screen *s)
{
    int best = pool_proposal_best(s);

    if (best < 0) {
        app_report(app, true, "p looks for a change first");
        return;
    }
    if (s->before_count == POOL_UNDO) {
        run_drop(&s->before[0]);
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
    s->middle = POOL_SHOW_PLACES;
    begin_solving(app, s);
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
    } else if (action == ACT_RUNG)
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
    strbuf_addf(out, "%s: %s", w->name, w->model);
    if (why[0])
        strbuf_addf(out, "; not served: %s; p looks for the cheapest change", why);
    else if (pool_unmet(s->run, s->work, -1) > 5e-4)
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

/* What may be done just now. */
static const char *pool_word(const void *state, enum action action)
{
    const struct pool_screen *s = state;
    bool ready = s->phase == POOL_READY;

    switch (action) {
    case ACT_STOP:
        return ready || s->phase == POOL_EMPTY ? NULL : action_rows[action].word;
    case ACT_APPLY:
        return ready && pool_proposal_best(s) >= 0 ? action_rows[action].word : NULL;
    case ACT_WHAT_IF:
        return !ready ? NULL : s->middle == POOL_SHOW_WHAT_IF ? "places" : action_rows[action].word;
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

/* Hidden until a pool is loaded. */
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
    .own_line = true,
};
