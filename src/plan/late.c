/*
 * late.c - see late.h: the goals of a request.
 */
#include "plan/late.h"

#include <math.h>

#include "plan/layout.h"
#include "plan/request.h"

static const struct {
    const char *key, *label;
} lates[LATE_COUNT] = {
#define X(NAME, measure, point, key, label) [LATE_##NAME] = {key, label},
    LATES(X)
#undef X
};

const char *late_key(enum late late)
{
    return lates[late].key;
}

const char *late_label(enum late late)
{
    return lates[late].label;
}

bool late_asked(const struct request *q)
{
    for (int i = 0; i < LATE_COUNT; i++)
        if (q->late[i] > 0)
            return true;
    return false;
}

int late_least(const struct request *q, const struct layout *l)
{
    for (int i = 0; q->floors && i < q->floors->count; i++) {
        const struct late_floor *f = &q->floors->list[i];

        if (f->tp == l->tp && f->pp == l->pp && f->ep == l->ep)
            return f->least;
    }
    return 0;
}

double late_miss(const struct request *q, const struct layout *l)
{
    return (double)late_least(q, l) / l->replicas;
}

/* Of the goals of one measure. */
static double least_goal(const struct request *q, enum late first)
{
    double least = 0;

    for (int i = first; i < (int)first + LATE_POINTS; i++)
        if (q->late[i] > 0 && (least <= 0 || q->late[i] < least))
            least = q->late[i];
    return least * LATE_SLACK;
}

double late_mean_ttft(const struct request *q)
{
    return least_goal(q, LATE_TTFT_P50);
}

double late_mean_tpot(const struct request *q)
{
    return least_goal(q, LATE_TPOT_P50);
}
