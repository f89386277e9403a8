/*
 * hour.h - the least that serving one hour can cost within fleets that are given.
 *
 *   V(n) = max over lambda >= 0 of sum over w of min cover(prices + lambda)
 *                                  - sum over g of lambda[g] room[g]
 *
 * is a lower bound (Lagrange), raised by steps along the mean of the violations.
 */
#ifndef GP_CORE_POOL_HOUR_H
#define GP_CORE_POOL_HOUR_H

#include "core/pool/bound.h"

struct hour {
    struct bound *b; /* its work counts */
    int t;
    double room[POOL_MOST_TYPES];  /* GPUs for use */
    double scale[POOL_MOST_TYPES]; /* $ that a GPU of each type is about worth */
    double gap;                    /* $ that are worth a step */
};

/* The covers of the hour at lambda: the sum of their least costs; use[g] in GPUs. */
double hour_value(struct hour *h, const double *lambda, double *use);

/* Better prices than lambda, in its place: value at them in *value. The bound they
 * give; tries no longer when it is not above `known` soon. */
double hour_raise(struct hour *h, double *lambda, double known, double *value);

#endif
