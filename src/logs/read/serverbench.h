/*
 * serverbench.h - what an engine's own benchmark measured, as points that correct the law.
 *
 *   vllm bench serve --save-result           one object, or one per line
 *   sglang.bench_serving --output-file       one per line
 *   TensorRT-LLM's benchmark_serving.py      as vLLM's
 *   llama-bench -o json, jsonl, md           a list of objects, one per line, a row each
 *   guidellm, aiperf, inference-perf, llm-d's benchmark reports, rows of InferenceX: by the
 *   table of where each has its means (serverbench.c)
 *
 * Requests in flight are max_concurrency where as many as that were always waiting
 * (request_rate inf); otherwise they follow from Little's law: completed * latency /
 * duration. Lengths are the means of the run. Of llama-bench a generation is one user at
 * its depth, a prompt a TTFT; a test of both together is passed over.
 *
 * The file is anyone's: its size, the number of its points, types and ranges are checked
 * first. Python writes Infinity and NaN, which are no JSON: they are read as unknown.
 */
#ifndef GP_LOGS_READ_SERVERBENCH_H
#define GP_LOGS_READ_SERVERBENCH_H

#include <stddef.h>

#include "base/err.h"
#include "plan/speed/anchor.h"

#define SERVERBENCH_BYTES ((size_t)256 << 20)

struct serverbench {
    struct anchor point[ANCHORS_MAX]; /* without a layout */
    int count;
};

/* Adds the file's points; GP_E_FILE says where it is wrong, what is missing or that they
 * are too many. */
enum gp_status serverbench_read(const char *path, struct serverbench *out, struct gp_err *err);
/* The same of len bytes, which it may change. */
enum gp_status serverbench_parse(const char *where, char *text, size_t len, struct serverbench *out,
                                 struct gp_err *err);

#endif
