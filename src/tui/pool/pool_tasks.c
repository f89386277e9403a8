/*
 * pool_tasks.c - what takes long of a pool: the layouts that may serve each workload, found by
 * the screens' worker, a workload a unit; and the solving, one unit of another worker without
 * a planner, as it takes seconds and cannot begin again for an answer.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "plan/search.h"
#include "tui/pool/s_pool.h"

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

void pool_find_begin(struct pool_screen *s, struct worker *worker, struct pool_case *c,
                     size_t until)
{
    static const struct task_ops ops = {TASK_SCREEN, find_unit, find_free};

    s->find = gp_calloc(1, sizeof(*s->find));
    s->find->c = c;
    s->find->until = until;
    s->count = until;
    s->finding = task_begin(worker, &ops, s->find);
}

struct pool_case *pool_find_end(struct pool_screen *s, enum gp_status *rc, struct gp_err *err)
{
    struct pool_case *c = s->find->c;

    *rc = s->find->rc;
    *err = s->find->err;
    s->find->c = NULL;
    pool_find_drop(s);
    return c;
}

void pool_find_drop(struct pool_screen *s)
{
    task_drop(&s->finding);
    s->find = NULL;
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

    (void)i, (void)planner;
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

void pool_solve_begin(struct pool_screen *s, struct pool_case *c, bool what_ifs)
{
    static const struct task_ops ops = {TASK_SCREEN, solve_unit, solve_free};
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
    s->solving = task_begin(s->solver, &ops, w);
}

bool pool_solve_ended(struct pool_screen *s, struct pool_outcome *out)
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

void pool_solve_halt(struct pool_screen *s)
{
    if (s->solve)
        atomic_store(&s->solve->halt, true);
}

void pool_solve_drop(struct pool_screen *s)
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
