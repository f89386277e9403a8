/*
 * front.h - what speed costs: layouts and users of which no other is better.
 *
 * Of a request every layout is looked at with more and more users (1 to 16, then each 15 %
 * more), as far as its memory holds them for sure and its goals are reached:
 *
 *   tokens/s of a user   1/TPOT
 *   tokens/s of a GPU    output tokens/s of all users / GPUs
 *   $ per million        dollars per hour / output tokens per hour * 1e6
 *
 * A point is on a front when no other has as many tokens/s for a user and as many for a
 * GPU, or as few dollars per million, and more of one. Replicas change neither: where no
 * count is given a layout is one copy of the model, or as many as share their experts. A
 * copy that spans several machines is left out: its slowdown is not estimated.
 *
 * Example: Llama-3.1-70B FP8 on H100: TP 8 with one user is the fastest for him and the
 * dearest per token; TP 2 with as many users as it holds the other end.
 */
#ifndef GP_PLAN_FRONT_H
#define GP_PLAN_FRONT_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/cost.h"
#include "plan/layout.h"
#include "plan/request.h"

struct front_point {
    const struct request *request; /* GPU and precision; borrowed */
    struct layout layout;
    double users;              /* in flight */
    double ttft, tpot;         /* s */
    double tokens;             /* output tokens/s, all GPUs */
    double per_hour;           /* dollars; 0 = unknown */
    double low, high;          /* of TPOT's band: value / low .. value * high */
    bool best_gpu, best_money; /* which front it is on */
};

struct front {
    struct front_point *points; /* owned */
    size_t count, cap;
    size_t seen; /* points that were looked at */
};

void front_fini(struct front *front);

/* Looks at all points of a request; its users and its rate are not read. */
void front_add(struct front *front, const struct request *request, const struct market *market);

double front_of_user(const struct front_point *point); /* tokens/s */
double front_of_gpu(const struct front_point *point);  /* tokens/s */
double front_million(const struct front_point *point); /* dollars; infinite: unknown */

/* Keeps the points of both fronts, the fastest for a user first. */
void front_keep(struct front *front);

#endif
