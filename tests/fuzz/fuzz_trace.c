/*
 * fuzz_trace.c - any bytes as a log of requests; the lengths of what is accepted must be
 * figures that can be planned with.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "catalog/trace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace trace;
    struct spread s;
    struct gp_err err;
    double prompt, output;

    if (trace_parse("fuzz.csv", (const char *)data, size, &trace, &err) != GP_OK)
        return 0;
    for (double context = trace.longest; context >= 1; context = floor(context / 7))
        if (trace_lengths(&trace, context, &prompt, &output, &s) &&
            !(prompt >= 1 && output >= 1 && prompt + output <= context * (1 + 1e-9) &&
              s.prompt >= 0 && s.output >= 0 && s.both >= -1 && s.beyond >= 0 && s.beyond <= 1 &&
              isfinite(spread_held(&s, prompt, output))))
            abort();
    for (size_t i = 0; i < trace.count; i++)
        if (trace.row[i].priority != PRIORITY_UNTOLD && abs(trace.row[i].priority) > 1000000000)
            abort();
    if (!(trace.rate >= 0 && trace.busiest >= 0 && isfinite(trace.busiest)))
        abort();
    trace_fini(&trace);
    return 0;
}
