/*
 * rows_out.h - what an accuracy program scored, a line a row, for the page of `make accuracy`.
 *
 * Appends to the file that $GPUPLAN_ACCURACY_ROWS names; nothing without it. Columns: set, what
 * (TPOT, KV pool, ...), engine, its version range, GPU, format, users, measured, planned, low,
 * high, another planner's figure, its name. Empty: not known.
 */
#ifndef GP_TESTS_ACCURACY_ROWS_OUT_H
#define GP_TESTS_ACCURACY_ROWS_OUT_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "plan/request.h"

struct row_out {
    const char *set, *what;
    double users;
    double measured, planned, low, high; /* of one unit */
    double peer;                         /* NAN: none */
    const char *peer_name;
};

static inline void row_out(const struct request *q, const struct row_out *r)
{
    static FILE *file;
    const char *path = getenv("GPUPLAN_ACCURACY_ROWS");
    const double numbers[] = {r->users, r->measured, r->planned, r->low, r->high, r->peer};

    if (!path || !isfinite(r->planned) || !isfinite(r->measured) || r->measured <= 0)
        return;
    if (!file)
        file = fopen(path, "a");
    if (!file)
        return;
    fprintf(file, "\"%s\",\"%s\",%s,%s,%s,%s", r->set, r->what, q->engine ? q->engine->id : "",
            q->engine ? q->engine->range : "", q->gpu ? q->gpu->id : "",
            q->precision.id[0] ? q->precision.id : "");
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        fprintf(file, ",");
        if (isfinite(numbers[i]))
            fprintf(file, "%.6g", numbers[i]);
    }
    fprintf(file, ",%s\n", isfinite(r->peer) ? r->peer_name : "");
    fflush(file);
}

#endif
