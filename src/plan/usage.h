/*
 * usage.h - how much of a plan its load uses, and what that makes a token cost.
 *
 *   utilisation   requests/s / those served where pool and slots are full (speed.h: full)
 *   full          price / 3600 / (full requests/s * output) * 1,000,000
 *   all           price / 3600 / (requests/s * (prompt + output)) * 1,000,000
 *   idle          price per month * (1 - utilisation)
 *   even          price / 3600 / what an API asks for one request: requests/s from which
 *                 the plan is cheaper than the API
 *   owned         (capital and hosting per hour) / (rent - electricity per hour): the share
 *                 of the hours in use from which buying is cheaper than renting by the hour
 *
 * Example: a plan of $5.00/h that serves 2 of at most 8 requests/s of 1,024 + 256 tokens:
 * utilisation 25 %; $2.71 per million output tokens, $0.68 at full load, $0.54 of input
 * and output together; $2,738 of $3,650 a month are idle.
 */
#ifndef GP_PLAN_USAGE_H
#define GP_PLAN_USAGE_H

#include "plan/plan.h"

struct usage {
    struct quantity share; /* 0..1; unknown without speed: so is the rest, but owned */
    struct quantity full;  /* as plan_token_price(), at full load */
    struct quantity all;   /* $ per million tokens of input and output, at this load */
    struct quantity idle;  /* $ per month */
    struct quantity api;   /* $/h that an API asks for this load; unknown = not asked */
    struct quantity even;  /* requests/s */
    double owned;          /* share of the hours; above 1 = never; 0 = not known */
};

void usage_of(const struct plan *plan, struct usage *out);

#endif
