/*
 * goals.c - see goals.h.
 */
#include "plan/goals.h"

#include <math.h>

#define CLOSE 2e-5 /* of a goal: nearer no two figures under load are solved */

const char *goal_word(enum goal_state state)
{
    static const char *const words[] = {[GOAL_NOT_ASKED] = "",
                                        [GOAL_MET] = "met",
                                        [GOAL_LIKELY] = "likely",
                                        [GOAL_UNLIKELY] = "unlikely",
                                        [GOAL_MISSED] = "missed"};

    return words[state];
}

/* bad, good: the ends of the band, where less is better or their negatives. */
static enum goal_state state_of(double asked, double bad, double value, double good)
{
    asked += fabs(asked) * CLOSE;
    return bad <= asked     ? GOAL_MET
           : value <= asked ? GOAL_LIKELY
           : good <= asked  ? GOAL_UNLIKELY
                            : GOAL_MISSED;
}

enum goal_state goals_of(const struct request *q, const struct speed *v,
                         struct goal out[SPEED_GOALS])
{
    /* of a rate that is served, what arrives; for sure as much as can be served */
    bool served = q->rate > 0 && q->rate * q->output >= q->throughput * (1 - CLOSE);
    struct quantity tokens = served ? quantity_scale(v->full, q->output) : v->tokens;
    struct goal goals[SPEED_GOALS] = {
        [SPEED_GOAL_TTFT] = {q->ttft, v->ttft, GOAL_NOT_ASKED},
        [SPEED_GOAL_TPOT] = {q->tpot, v->tpot, GOAL_NOT_ASKED},
        [SPEED_GOAL_THROUGHPUT] = {q->throughput, tokens, GOAL_NOT_ASKED},
        [SPEED_GOAL_RATE] = {q->rate, v->full, GOAL_NOT_ASKED},
    };
    enum goal_state worst = GOAL_NOT_ASKED;

    for (int i = 0; i < LATE_COUNT; i++)
        goals[SPEED_GOAL_LATE + i] = (struct goal){v->percentile[i].known ? q->late[i] : 0,
                                                   v->percentile[i], GOAL_NOT_ASKED};
    for (int i = 0; i < SPEED_GOALS; i++) {
        const struct quantity *e = &goals[i].estimate;

        out[i] = goals[i];
        if (goals[i].asked <= 0)
            continue;
        out[i].state = i == SPEED_GOAL_THROUGHPUT || i == SPEED_GOAL_RATE
                           ? state_of(-goals[i].asked, -e->low, -e->value, -e->high)
                           : state_of(goals[i].asked, e->high, e->value, e->low);
        worst = out[i].state > worst ? out[i].state : worst;
    }
    return worst;
}

struct goal_ends goals_ends(const struct request *q, const struct step *s,
                            const struct serve *serve, double running)
{
    struct speed band;

    if (q->goals != GOALS_SURE)
        return (struct goal_ends){1, 1};
    double low, high;

    speed_band(s, serve, running, &band);
    speed_band_first(&band, q->rate <= 0 && q->users <= 1 ? FIRST_IDLE : FIRST_STEADY, &low, &high);
    return (struct goal_ends){high, band.factor_high};
}
