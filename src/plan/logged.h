/*
 * logged.h - the memory that a server logged when it started, and what it says of the rest.
 *
 * A log is of one model, format, GPU and engine; of anything else the estimate stays. Where
 * what a term depends on is as in the log, the logged figure stands for the estimate:
 *
 *   weights, non-torch   TP, PP, EP
 *   graphs               likewise, and max-num-seqs
 *   activation           likewise, and batched tokens
 *
 * With other limits, or on another layout, a share of the residual is carried over to what is
 * estimated, not to what is counted, and the band moves with it:
 *
 *   term = estimate * (logged / estimate of what was logged)^share
 *   share     other limits   another layout
 *   weights            -              0.4
 *   graphs           0.5              0.4
 *   activation       0.5                0
 *   non-torch          -                0
 *
 * The pool is what the terms leave of the budget, and on the layout of the log the bytes by
 * which the logged pool differs from that: the device's memory when the server started, and
 * terms that the log does not tell. Two starts of a server differ by 0.2 % of the device's
 * memory.
 *
 * Example: a log of 1.22 GiB of graphs where 1.05 were estimated: with the same layout
 * 1.22 GiB; on another, where 0.88 are estimated, 0.88 * (1.22 / 1.05)^0.4 = 0.93 GiB.
 */
#ifndef GP_PLAN_LOGGED_H
#define GP_PLAN_LOGGED_H

#include "base/quantity.h"
#include "plan/layout.h"
#include "plan/request.h"

/* Is anything logged of this request's model, format, GPU and engine? */
bool logged_of(const struct request *request);

enum logged_how { LOGGED_NOT, LOGGED_SCALED, LOGGED_SAME };

/* How a term of this layout follows from the log; seqs and tokens as used, origin: of the
 * term, estimated or corrected. */
enum logged_how logged_how(const struct request *request, const struct layout *layout, double seqs,
                           double tokens, enum logged_term term, enum origin origin);

/* The estimate in bytes, corrected. */
struct quantity logged_apply(const struct request *request, const struct layout *layout,
                             double seqs, double tokens, enum logged_term term,
                             struct quantity estimate);

/* The pool that the corrected terms leave, in bytes, likewise; usable: of the GPU. */
struct quantity logged_pool(const struct request *request, const struct layout *layout, double seqs,
                            double tokens, double usable, struct quantity pool);

/* "weights", "non-torch" */
const char *logged_word(enum logged_term term);

#endif
