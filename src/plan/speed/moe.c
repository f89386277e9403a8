/*
 * moe.c - see moe.h.
 */
#include "plan/speed/moe.h"

#include <math.h>

#define SKEW 0.95     /* exponent of the tokens: routing is no fair draw */
#define IMBALANCE 0.3 /* of the fullest rank under EP */

double moe_reached(double experts, double active, double tokens)
{
    if (active >= experts)
        return experts;
    return experts * (1 - pow(1 - active / experts, pow(tokens, SKEW)));
}

double moe_read(const struct moe *m, double tokens)
{
    return m->pad > 0 ? m->experts : moe_reached(m->experts, m->active, tokens);
}

double moe_time(const struct moe *m, double tokens, double compute)
{
    double reached = moe_read(m, tokens);
    double even = m->ep > 1 ? 1 + IMBALANCE * sqrt(m->ep / fmax(reached, 1)) : 1;
    double arithmetic = m->compute * tokens * compute;
    double memory = m->expert * reached * even + m->traffic * (tokens + m->pad);

    return m->times * (sqrt(arithmetic * arithmetic + memory * memory) + m->each * reached +
                       m->token * tokens + m->fixed);
}
