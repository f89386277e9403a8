/*
 * trace_bench.h - a benchmark's result as a log of requests, with what it measured of each.
 *
 *   vllm bench serve --save-detailed, sglang.bench_serving --output-details   lists of figures
 *   guidellm benchmarks.json (one run), inference-perf per_request_lifecycle_metrics.json,
 *   aiperf profile_export.jsonl                                               a request each
 *
 * Requests that came at a rate keep their times; of users who asked when answered only the lengths
 * and how many there were are kept (struct trace: users), so that a replay asks in the same way.
 *
 * Example: {"request_rate": "inf", "max_concurrency": 8, "input_lens": [900, ...], ...} is a
 * closed loop of 8 users.
 */
#ifndef GP_CATALOG_TRACE_BENCH_H
#define GP_CATALOG_TRACE_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "catalog/lengths.h"

/* Does it look like one? */
bool trace_bench_is(const char *text, size_t len);
enum gp_status trace_bench_parse(const char *name, const char *text, size_t len, struct trace *out,
                                 struct gp_err *err);

#endif
