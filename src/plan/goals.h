/*
 * goals.h - how an estimate stands to the goals of speed: a band against a number.
 *
 *   met        the whole band reaches the goal
 *   likely     its middle does
 *   unlikely   its better end alone does
 *   missed     not even that
 *
 * What is bought is what is likely; --goals sure buys what is met. A band holds nine of ten
 * measured values, so the middle is as often too good as too bad: who must not miss a goal
 * buys the second, if there is a count that meets it, and who may buys the first and
 * measures.
 *
 * Example: TTFT 197 ms, 56..987, against 200 ms is likely; 207 ms, 59..1034, is unlikely, 4 %
 * over: GOALS_NEAR, within which fewer GPUs are named beside.
 */
#ifndef GP_PLAN_GOALS_H
#define GP_PLAN_GOALS_H

#include "plan/request.h"
#include "plan/speed/speed.h"

#define GOALS_NEAR 1.1 /* times a goal: a miss that a band of an estimate cannot tell from none */

/* The worse the later. */
enum goal_state { GOAL_NOT_ASKED, GOAL_MET, GOAL_LIKELY, GOAL_UNLIKELY, GOAL_MISSED };

enum speed_goal {
    SPEED_GOAL_TTFT,
    SPEED_GOAL_TPOT,
    SPEED_GOAL_THROUGHPUT,
    SPEED_GOAL_RATE,
    SPEED_GOAL_LATE
};
#define SPEED_GOALS (SPEED_GOAL_LATE + LATE_COUNT)

struct goal {
    double asked;             /* s, tokens/s, requests/s; 0 = not */
    struct quantity estimate; /* of the same: what is served at most, where a rate is the goal */
    enum goal_state state;
};

/* Of a speed that is known; returns the worst state. */
enum goal_state goals_of(const struct request *request, const struct speed *speed,
                         struct goal out[SPEED_GOALS]);

/* The state by which a plan is too slow: past what is bought. */
static inline bool goal_fails(const struct request *request, enum goal_state state)
{
    return state > (request->goals == GOALS_SURE ? GOAL_MET : GOAL_LIKELY);
}

/* How many times worse than its value an estimate may be, for which the goals are judged: 1
 * where the middle counts. serve: NULL for the least; running: requests at once. */
struct goal_ends {
    double ttft, tpot; /* tpot: of tokens/s and requests/s, too */
};
struct goal_ends goals_ends(const struct request *request, const struct step *step,
                            const struct serve *serve, double running);

const char *goal_word(enum goal_state state); /* "met", ...; "" = not asked */

#endif
