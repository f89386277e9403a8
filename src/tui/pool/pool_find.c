/*
 * pool_find.c - the layouts that may serve each workload, found beside the keys; see s_pool.h.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "tui/pool/s_pool.h"

static bool find_unit(void *job, int i, struct planner *planner)
{
    struct pool_find *f = job;
    bool more = true;

    (void)i;
    f->rc = pool_case_step(planner, f->c, &more, &f->err);
    return !f->rc && more && f->c->done < f->until;
}

static void find_free(void *job)
{
    struct pool_find *f = job;

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
    s->task = task_begin(worker, &ops, s->find);
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
    task_drop(&s->task);
    s->find = NULL;
}
