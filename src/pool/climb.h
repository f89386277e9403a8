/*
 * climb.h - the state of a search (improve.h): a plan whose changes can be taken back, and
 * what they cost. For the files of its moves.
 */
#ifndef GP_POOL_CLIMB_H
#define GP_POOL_CLIMB_H

#include "pool/improve.h"

#define COVER_WORK 14 /* units of a cover beside its nodes */

struct climb_change {
    int w, t;                /* t below 0: not of an hour, but of what it holds */
    short x[POOL_MOST_WAYS]; /* before */
};

struct climb {
    struct assign *a;
    const struct grid *grid;
    struct improve *how;
    struct climb_change *log; /* of the move at hand */
    size_t logged, log_cap;
    int room[POOL_MOST_TYPES]; /* before the move */
    double *starts;            /* [workload] $ */
    double jobs, least_jobs;   /* $ of those that fill free GPUs; when all are done */
    int *kept;                 /* [hour x types + type] what a move leaves to them */
    uint64_t *seen, looks;     /* [workload] the look at the log that met it last */
    bool starting;             /* some start costs something */
    bool is_short;             /* somebody is short of something */
    struct day *day;           /* of a workload that is planned anew */
    uint64_t spent;
    double part, gone; /* of the time; of work or time */
};

void climb_init(struct climb *c, struct assign *a, struct improve *how);
void climb_fini(struct climb *c);

unsigned climb_below(struct climb *c, unsigned n);
double climb_share(struct climb *c);

/* Replicas of a workload in an hour; $ of serving and cut GPUs that this changes. */
double climb_set(struct climb *c, int w, int t, const short *x);

/* So many replicas more of way i that a workload with GPUs of its own holds; likewise. */
double climb_hold(struct climb *c, int w, int i, int more);
void climb_undo(struct climb *c, size_t mark);

/* What a move does beside serving and owning: to starts, and to jobs, which have what it
 * leaves. */
double climb_rest(struct climb *c, bool keep);
double climb_starts(struct climb *c, bool keep);
double climb_own(const struct climb *c);

/* A move that costs that much is kept when it is less than slack; else it is taken back:
 * INFINITY. */
double climb_settle(struct climb *c, double cost, double slack);

int *climb_use(const struct climb *c, int t);
int climb_room(const struct climb *c, int t, int g);

/* The type of which an hour takes most over the room; -1: none. */
int climb_worst(const struct climb *c, int t);

/* $ per replica by chance for each way of a workload, up to what its GPUs and starts cost: so
 * that covers come up that no price of GPUs would ask for. */
void climb_noise(struct climb *c, int w, double *more);

#endif
