/*
 * diagnosing.h - gathers what plan/diagnose.h asks, while a session measures.
 *
 *     diagnosing_begin(&d);                 // before the engine starts: who else is there
 *     diagnosing_options(&d, &options);     // of the session, where they are not given
 *     diagnosing_event(&d, session, event); // each one: clocks, throttling, the link at work
 *     diagnosing_finish(&d, session);       // the result's figures; its journal goes
 *     diagnosing_record(&d, &doc);          // gpuplan.diagnose/1
 *
 * A link saves power while nothing is copied and a clock while nothing runs: the best value
 * that was seen under load counts. Nothing is assumed of /sys or of a driver: what cannot be
 * read stays unknown.
 */
#ifndef GP_MEASURE_DIAGNOSING_H
#define GP_MEASURE_DIAGNOSING_H

#include "answer/record.h"
#include "measure/session.h"
#include "plan/diagnose.h"
#include "probe/probe.h"

#define DIAGNOSING_DEVICES 32
#define DIAGNOSING_TESTS "memory,gemm,transfer" /* unless others are named */

struct diagnosing_device {
    struct diagnose_facts facts;
    char name[128], profile[96];
    double readings, throttled[DIAGNOSE_THROTTLES]; /* of sensors; of them, throttled */
    double clock, clocks;                           /* Hz, sum and count */
};

struct diagnosing {
    struct diagnosing_device device[DIAGNOSING_DEVICES];
    int count; /* devices of the session */
    struct probe *probe;
    struct device seen[PROBE_MAX];
    size_t seen_count;
    double looked; /* when, by clock_now() */
};

void diagnosing_begin(struct diagnosing *diagnosing);
/* Unless asked otherwise: quick points, less than a minute; no result is kept, the journal
 * goes with the run. A busy GPU is measured: that it is busy is an answer. */
void diagnosing_options(const struct diagnosing *diagnosing, struct options *options);
void diagnosing_event(struct diagnosing *diagnosing, const struct session *session,
                      const struct session_event *event);
/* After session_finish(). */
void diagnosing_finish(struct diagnosing *diagnosing, struct session *session);
/* The journal of a session that was asked with these options: the verdict is what is kept. */
void diagnosing_drop_journal(struct session *session);
/* All devices into an empty record. The worst of them; UNKNOWN without one. */
enum diagnose_status diagnosing_record(const struct diagnosing *diagnosing, struct record *doc);
void diagnosing_end(struct diagnosing *diagnosing);

#endif
