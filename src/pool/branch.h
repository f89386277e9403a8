/*
 * branch.h - a higher bound where whole units count: fleets in intervals.
 *
 * The prices of bound.h cannot see that a fleet is a whole number of servers.
 * So the plans are divided by the size of one fleet, at most k units here, at
 * least k + 1 there, each part gets its own prices and bound, and the lowest of
 * all parts still open bounds the whole (branch and bound). The part with the
 * lowest bound is divided first, by the type whose mean use is furthest from
 * whole units, in dollars.
 *
 * Example: servers of 8 at $218 a day and 56.4 GPUs needed at least: $1539
 * without, 8 servers and $1744 with it, when 7 servers leave a shortage that
 * costs more.
 */
#ifndef GP_POOL_BRANCH_H
#define GP_POOL_BRANCH_H

#include "pool/bound.h"

/* Raises b->best until it meets `upper`, the work is spent or stop() says so;
 * the prices stay those of all plans. */
void branch_raise(struct bound *b, double upper, uint64_t work, bool (*stop)(void *ctx), void *ctx);

#endif
