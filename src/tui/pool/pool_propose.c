/*
 * pool_propose.c - what would serve a workload that is short: more GPUs, slower goals,
 * another precision; each is a pool file of its own, found and solved like any other.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tui/pool/s_pool.h"

#define SLOWER 1.5 /* times the goals */

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

static struct pool_proposal *add(struct pool_screen *s, int workload)
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
    struct pool_proposal *p = add(s, -1);
    struct pool_file_type *t = &p->c->file.types[type];
    int more = (t->stock + t->buy) / 4;

    more = more - more % t->server_gpus + t->server_gpus;
    t->buy += more;
    gp_format(p->words, sizeof(p->words), "%d more %s may be bought", more, t->gpu);
}

static void slower_goals(struct pool_screen *s, int workload)
{
    struct pool_proposal *p = add(s, workload);
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
    struct pool_proposal *p = add(s, workload);
    struct pool_file_workload *w = &p->c->file.workloads[workload];

    w->open = true;
    w->precision[0] = '\0';
    gp_format(p->words, sizeof(p->words), "%s: fp8 or int4-awq where cheaper", w->name);
}

static void any_gpu(struct pool_screen *s, int workload)
{
    struct pool_proposal *p = add(s, workload);
    struct pool_file_workload *w = &p->c->file.workloads[workload];

    w->gpus[0] = '\0';
    gp_format(p->words, sizeof(p->words), "%s: on all GPUs of the pool", w->name);
}

void pool_propose(struct pool_screen *s, int workload)
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

void pool_proposals_fini(struct pool_screen *s)
{
    for (int i = 0; i < s->proposal_count; i++)
        pool_case_free(s->proposals[i].c);
    s->proposal_count = 0;
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
