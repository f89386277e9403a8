/*
 * trace.h - a log of requests: when each came, and its tokens.
 *
 * A CSV file with a header in one of two forms, columns in any order, others ignored, or JSON
 * lines:
 *
 *   Azure LLM inference   TIMESTAMP, ContextTokens, GeneratedTokens
 *   BurstGPT              Timestamp, Request tokens, Response tokens
 *   Mooncake   {"timestamp": ms, "input_length": N, "output_length": N, "hash_ids": [...]}
 *   one's own  {"arrival": s, "prompt": N, "output": N, "max_tokens": N, "hash_ids": [...],
 *               "hash_tokens": N, "session": "name", "think": s, "priority": N}
 *
 * or the result of a benchmark (trace_bench.h).
 *
 * Requests of a session (CSV: a column of that name) are the turns of a conversation, in the order
 * of the file: each comes at its time, but not before the answer to the one before it, or `think`
 * seconds after that answer; its prompt holds what went before.
 *
 * A priority (CSV: a column of that name, empty where there is none) is what the engine is told.
 *
 * Requests with the same leading hash_ids share so many groups of 512 tokens (hash_tokens).
 * A time is a date ("2023-11-16 18:17:03.97") or seconds from any beginning; a file
 * without times still has its lengths. A request without prompt or answer (BurstGPT:
 * failed) is counted and left out. The file comes from anywhere: size, rows and figures
 * are bounded, and an error names its line.
 *
 * Example: the Azure conversation trace of 2023-11-16: 19,366 requests in 58 minutes,
 * prompts of 1,155 tokens in the mean, answers of 211; 5.5 requests/s, 8.5 in the busiest
 * minute.
 */
#ifndef GP_CATALOG_TRACE_H
#define GP_CATALOG_TRACE_H

#include <stddef.h>

#include "base/err.h"
#include "catalog/lengths.h"

#define TRACE_BYTES_MAX ((size_t)512 << 20)
#define TRACE_ROWS_MAX 8000000
#define TRACE_TOKENS_MAX 1e9

enum gp_status trace_read(const char *path, struct trace *out, struct gp_err *err);
enum gp_status trace_parse(const char *name, const char *text, size_t len, struct trace *out,
                           struct gp_err *err);
void trace_fini(struct trace *trace);

#endif
