/*
 * day.h - moves of improve.h: the day of one workload as a whole, starts included (dynamic
 * programming over its hours and the covers that they may choose from).
 */
#ifndef GP_POOL_DAY_H
#define GP_POOL_DAY_H

#include "pool/climb.h"

struct day *day_new(void);

/* The best day that its covers allow, in place of the one it has; $ of serving that this
 * changes, its starts aside. */
double day_replan(struct climb *c, int w);

/* That as a move of its own: the change in cost, or INFINITY when it was taken back. */
double day_move(struct climb *c, double slack);

#endif
