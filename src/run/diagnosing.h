/*
 * diagnosing.h - gathers what core/diagnose.h asks, while a session measures.
 *
 *     diagnosing_begin(&d);                 // before the engine starts: who else is there
 *     diagnosing_event(&d, session, event); // each one: clocks, throttling, the link at work
 *     diagnosing_finish(&d, session);       // the result's figures
 *
 * A link saves power while nothing is copied and a clock while nothing runs: the best value
 * that was seen under load counts. Nothing is assumed of /sys or of a driver: what cannot be
 * read stays unknown.
 */
#ifndef GP_RUN_DIAGNOSING_H
#define GP_RUN_DIAGNOSING_H

#include "core/diagnose.h"
#include "probe/probe.h"
#include "run/session.h"

#define DIAGNOSING_DEVICES 32

struct diagnosing_device {
    struct diagnose_facts facts;
    char name[128], profile[96];
    double readings, throttled[DIAGNOSE_THROTTLES]; /* of sensors; of them, throttled */
    double clock, clocks;                           /* Hz, sum and count */
};

struct diagnosing {
    struct diagnosing_device device[DIAGNOSING_DEVICES];
    int count;             /* devices of the session */
    struct probe *probe;
    struct device seen[PROBE_MAX];
    size_t seen_count;
    double looked;         /* when, by clock_now() */
};

void diagnosing_begin(struct diagnosing *diagnosing);
void diagnosing_event(struct diagnosing *diagnosing, const struct session *session,
                      const struct session_event *event);
/* After session_finish(). */
void diagnosing_finish(struct diagnosing *diagnosing, const struct session *session);
void diagnosing_end(struct diagnosing *diagnosing);

#endif
