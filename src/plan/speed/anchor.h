/*
 * anchor.h - a few measured points of a real server, and what they say of the rest.
 *
 * The law (step.h) knows neither the build nor the host of an engine. A point measured on
 * the server itself does. Two factors carry what it says to other loads and layouts:
 *
 *   step  = fixed * a + (rest + prompts * p) * b    fixed: launches, host, per request
 *   TTFT  = c * the law's
 *
 * a and b minimise, over the points,
 *
 *   sum w (ln(predicted / measured) / 0.08)^2 + (ln a / 0.25)^2 + (ln b / 0.20)^2
 *     + (ln p / 0.40)^2        fewer than three points: (ln b / 0.10)^2
 *
 * so that one point alone moves all and turns none upside down, and two are not bent to. Of
 * three points or more one that is apart from the others counts less: w = 1 / (1 + (its miss
 * / 0.10)^2). c is the middle of ln(measured / predicted), held to 1 likewise. What is left after
 * one, two or three points, scored on rows of models left out of the law's fit, is in
 * gpuplan-model(7).
 *
 * Example: Llama-3.1-70B FP8 on 2 H100, 16 users, 23.0 ms by the law, which a server takes
 * 30 ms for: a = 1.15, b = 1.09, p = 1.62, which is 28.0 ms.
 */
#ifndef GP_PLAN_SPEED_ANCHOR_H
#define GP_PLAN_SPEED_ANCHOR_H

#include "plan/layout.h"
#include "plan/request.h"

#define ANCHORS_MAX 64

/* One load of alike requests on a layout, and what was measured. */
struct anchor {
    struct layout layout;
    double users;          /* in flight, all replicas */
    double prompt, output; /* tokens */
    double tpot, ttft;     /* s, means; 0 = not measured */
    /* of a run of requests, which can be replayed; requests 0: it is none */
    double requests, rate;           /* rate: per second; 0 = from the users */
    bool at_once;                    /* all of them came at one moment */
    double middle_tpot, middle_ttft; /* s, medians; 0 = not known */
};

/* request: model, precision, GPU and engine that were measured, without a correction. False
 * when no point has an estimate: *out then corrects nothing. */
bool anchor_fit(const struct request *request, const struct anchor *anchor, int count,
                struct correction *out);

#endif
