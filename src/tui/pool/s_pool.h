/*
 * s_pool.h - the state of the screen Pool, its tasks and its proposals.
 */
#ifndef GP_TUI_POOL_S_POOL_H
#define GP_TUI_POOL_S_POOL_H

#include <stdatomic.h>

#include "pool/pool_run.h"
#include "tui/app.h"

#define POOL_UNDO 8
#define POOL_PROPOSALS 8

enum pool_panel { POOL_PANEL_WORK, POOL_PANEL_PLACE, POOL_PANEL_LADDER, POOL_PANELS };

enum pool_phase {
    POOL_EMPTY,
    POOL_FINDING, /* candidates, by the worker */
    POOL_SOLVING, /* in the thread */
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
    struct task *finding; /* NULL: none is at work */
    struct pool_find *find;
    size_t count;          /* workloads that candidates are found for */
    struct worker *solver; /* owned; NULL: nothing was solved yet */
    struct task *solving;  /* NULL: nothing is solved */
    struct pool_solve *solve;
    bool halted;                        /* what is solved was told to stop */
    struct pool_run *before[POOL_UNDO]; /* applied changes, to be undone */
    int before_count;
    struct pool_proposal proposals[POOL_PROPOSALS];
    int proposal_count, trying; /* trying: the one at work */
    int asking;                 /* of run's others: the one whose layouts are found */
    int hour, work, panel, top;
    enum pool_middle middle;
};

/* ---- pool_tasks.c ---- */
/* Finds the candidates of the case's workloads before `until`; the case is the task's. */
void pool_find_begin(struct pool_screen *s, struct worker *worker, struct pool_case *c,
                     size_t until);
/* The case of a task that has finished, and how it went. */
struct pool_case *pool_find_end(struct pool_screen *s, enum gp_status *rc, struct gp_err *err);
void pool_find_drop(struct pool_screen *s);

/* Starts on run; or on the chosen rung of another case; or on the what-ifs of run's rung. */
void pool_solve_begin(struct pool_screen *s, struct pool_case *c, bool what_ifs);
/* Nothing is at work (any more): out, unless NULL, is what a case came to. */
bool pool_solve_ended(struct pool_screen *s, struct pool_outcome *out);
/* It ends soon, with what it has. */
void pool_solve_halt(struct pool_screen *s);
/* It is not wanted any more, and what it works on is not the screen's from now on. */
void pool_solve_drop(struct pool_screen *s);

/* ---- pool_propose.c: changes that may serve what is short ---- */
/* The cheapest that leaves least unmet; -1: none is better than what is. */
int pool_proposal_best(const struct pool_screen *s);

/* ---- pool_view.c ---- */
void pool_draw(const struct app *app, const void *state, struct canvas *canvas,
               const struct frame *frame);
/* Rows of what stands in the middle. */
int pool_middle_rows(const struct pool_screen *s);
/* Share of a workload's demand that is unmet in an hour, or in all (hour < 0). */
double pool_unmet(const struct pool_run *run, int workload, int hour);

#endif
