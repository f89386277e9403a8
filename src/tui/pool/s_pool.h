/*
 * s_pool.h - the state of the screen Pool, its worker and its proposals.
 *
 * Candidates are found in tick(), a workload at a time; what is solved is solved in a
 * thread of its own that works on a run nobody else touches until it is done, and tells its
 * progress through atomics. The planner is only asked in tick().
 */
#ifndef GP_TUI_POOL_S_POOL_H
#define GP_TUI_POOL_S_POOL_H

#include <pthread.h>
#include <stdatomic.h>

#include "request/pool_run.h"
#include "tui/app.h"

#define POOL_UNDO      8
#define POOL_PROPOSALS 8

enum pool_panel { POOL_PANEL_WORK, POOL_PANEL_PLACE, POOL_PANEL_LADDER, POOL_PANELS };

enum pool_phase {
    POOL_EMPTY,
    POOL_FINDING, /* candidates, a workload per tick */
    POOL_SOLVING, /* in the thread */
    POOL_TRYING,  /* changes: candidates in ticks, solved in the thread */
    POOL_ASKING,  /* what-ifs, in the thread */
    POOL_READY
};

/* A change of the file, tried out. */
struct pool_proposal {
    char words[120];
    int workload;          /* whose candidates are others; -1: nobody's */
    struct pool_case *c;   /* owned; with all candidates */
    double total;          /* $ over all hours of the chosen rung */
    double unmet;
    bool tried;
};

struct pool_worker {
    pthread_t thread;
    bool on;
    atomic_bool done, stop;
    atomic_int rung;             /* it is at */
    _Atomic double total, bound; /* of that rung so far */
    struct pool_run *run;        /* what it works on */
    struct pool_run_options options;
    enum pool_rung_id only;      /* one rung alone, of `of`; POOL_RUNGS: all of run */
    struct pool_proposal *of;
    bool what_ifs;               /* those of run instead */
};

struct pool_screen {
    char name[GP_PATH_MAX];
    struct pool_run_options options;
    struct pool_run *run;       /* NULL: none is loaded */
    enum pool_phase phase;
    struct pool_worker worker;
    struct pool_run *before[POOL_UNDO]; /* applied changes, to be undone */
    int before_count;
    struct pool_proposal proposals[POOL_PROPOSALS];
    int proposal_count, trying; /* trying: the one at work */
    int hour, work, panel, top;
    bool what_if;               /* what-ifs in the place of the GPUs */
};

/* ---- pool_worker.c ---- */
/* Starts on run, or on one rung of a proposal. */
void pool_worker_solve(struct pool_screen *s);
void pool_worker_try(struct pool_screen *s, struct pool_proposal *proposal);
/* What-ifs of run's chosen rung. */
void pool_worker_ask(struct pool_screen *s);
/* True once: it has ended. */
bool pool_worker_ended(struct pool_worker *worker);
void pool_worker_stop(struct pool_worker *worker);

/* ---- pool_propose.c: changes that may serve what is short ---- */
/* Makes a list of them for the workload; none are tried yet. */
void pool_propose(struct pool_screen *s, int workload);
void pool_proposals_fini(struct pool_screen *s);
/* The cheapest that leaves least unmet; -1: none is better than what is. */
int pool_proposal_best(const struct pool_screen *s);

/* ---- pool_view.c ---- */
void pool_draw(const struct app *app, const void *state, struct canvas *canvas,
               const struct frame *frame);
/* Share of a workload's demand that is unmet in an hour, or in all (hour < 0). */
double pool_unmet(const struct pool_run *run, int workload, int hour);
/* "fits", "short", "no fit" */
const char *pool_verdict(const struct pool_run *run, int workload);

#endif
