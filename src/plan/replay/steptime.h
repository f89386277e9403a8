/*
 * steptime.h - the planner's time of a step (speed/serve.h), from a table filled on demand.
 *
 * A decode step of d requests that hold m tokens each in the mean is worked out at
 * m = 32 * 2^(i/4) and lies on a line between these; products are kept by the tokens of a step,
 * a prompt's attention is worked out by the chunk.
 */
#ifndef GP_PLAN_REPLAY_STEPTIME_H
#define GP_PLAN_REPLAY_STEPTIME_H

#include "plan/replay/replay.h"
#include "plan/speed/serve.h"

#define STEPTIME_KNOTS 84

struct steptime {
    const struct step *step;       /* borrowed */
    const struct serve_load *load; /* borrowed */
    double knot[STEPTIME_KNOTS];   /* tokens */
    int last;                      /* the knot that was asked for */
    double **decode;               /* of d requests: STEPTIME_KNOTS of them, NAN: not yet; owned */
    int decodes;
    double *alone, *both; /* products by tokens, of a decode step, of one with prompts */
    int tokens;
    double prompts; /* factor on what prompts add */
};

void steptime_init(struct steptime *times, const struct step *step, const struct serve_load *load,
                   int slots, int tokens);
void steptime_fini(struct steptime *times);
/* Its functions; wake, scale and prompts are left to the caller. */
struct replay_clock steptime_clock(struct steptime *times);

#endif
