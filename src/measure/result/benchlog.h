/*
 * benchlog.h - results of measurements: gpuplan.bench/1, read, written, compared and merged.
 *
 * A result file is one JSON object: host, software, devices, settings and points, each point
 * (measure/point/result.h) with its raw samples. It comes from another machine, perhaps cut off or
 * edited, so what reads it trusts nothing: sizes first, then types, then ranges.
 *
 * Compare, of two files: ratio = rate of B over rate of A = median A / median B, and from the two
 * 95 % intervals of the medians low = A.low / B.high, high = A.high / B.low. A point is a
 * regression when even `high` is below 1 - tolerance: 100 us (99..101) against 110 us (109..111) is
 * 0.909 (0.892..0.927), one at a tolerance of 5 %.
 *
 * Of more files: one document of all devices, and the devices that lag behind their like.
 */
#ifndef GP_MEASURE_RESULT_BENCHLOG_H
#define GP_MEASURE_RESULT_BENCHLOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "measure/point/result.h"

#define BENCHLOG_SCHEMA "gpuplan.bench/1"
#define BENCHLOG_HINT "was it written by gpuplan --bench, and whole?"
#define BENCHLOG_BYTES ((size_t)512 << 20)
#define BENCHLOG_POINTS 100000

struct benchlog_device { /* texts are borrowed from the file's JSON */
    long id;
    const char *name, *host;
};

struct benchlog {
    json_t *json;
    const char *host, *status, *started;
    int device_count, count;
    struct benchlog_device *device;
    struct point_result *point; /* their `device` is a place in device[] */
};

/* Takes the document on success only (json_incref'd); *out wants benchlog_fini. */
enum gp_status benchlog_from_json(const char *where, json_t *json, struct benchlog *out,
                                  struct gp_err *err);
enum gp_status benchlog_parse(const char *where, const char *text, size_t len, struct benchlog *out,
                              struct gp_err *err);
enum gp_status benchlog_read(const char *path, struct benchlog *out, struct gp_err *err);
void benchlog_fini(struct benchlog *log);
/* The same file once more: each wants benchlog_fini. False: it is none any more. */
bool benchlog_share(const struct benchlog *log, struct benchlog *out);

/* Whole or not at all. */
enum gp_status benchlog_write(const char *path, const json_t *json, struct gp_err *err);

/* How many points are what; they add up to the log's count. */
struct benchlog_tally {
    int good, flagged, wrong, without; /* without a figure */
};
struct benchlog_tally benchlog_tally(const struct benchlog *log);

/* What a file says of a device beyond the struct ("profile", "kind"), by its place in device[]; ""
 * = nothing. Texts live as long as the file. */
const char *benchlog_device_text(const struct benchlog *log, int place, const char *key);

/* Warnings are {"code","text"}; files of before 2026-12 have the texts alone. */
void benchlog_warn(json_t *list, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
const char *benchlog_line(const json_t *warning); /* its text, "" = it has none */
/* Adds a text to a list of them, as the summary is. */
void benchlog_text(json_t *list, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* ---- views (benchlog_print.c) ---- */
enum benchlog_view { BENCHLOG_TEXT, BENCHLOG_CSV, BENCHLOG_MARKDOWN };
void benchlog_print(const struct benchlog *log, enum benchlog_view view, struct strbuf *out);
/* Of many devices, what is news: points that a device has not, and the rows that are flagged,
 * wrong, without a figure, or of a straggler. */
void benchlog_print_news(const struct benchlog *log, struct strbuf *out);
void benchlog_prometheus(const struct benchlog *log, struct strbuf *out);

/* ---- what the figures mean, in words (benchlog_summary.c): an array of texts ---- */
json_t *benchlog_summary(const struct benchlog *log);
/* Adds to a document what follows from its points: stragglers, calibration, summary. */
void benchlog_conclude(json_t *json);

/* ---- in a few numbers (calibration.c) ---- */
/* What the good points of a run say of its devices, as the "calibration" of a result file:
 *
 *   {"run_id", "equation", "terms": [{"device", "run_id", "kind", "of", "type",
 *    "ops_per_s" or "bytes_per_s": {"value", "low", "high"}, "pct_spec_bw", "overhead_s",
 *    "n", "rms_pct"}], "products": [{"device", "run_id", "type", "peak_ops_per_s",
 *    "pct_spec_peak", "n", "efficiency": [{"log2_ops", "efficiency", "n", "rms_pct"}]}],
 *    "excluded": [{"device", "id", "variant", "flags"}]}
 *
 * "terms", each of one kind of work on one device: time = overhead + work / rate, with 90 % bands,
 * the number of points and their relative error; "products", the sustained peak of each type and
 * the share of it by size; "excluded", what was measured but not used. Each names the run that it
 * is of; what is not known is null. */
json_t *benchlog_calibration(const struct benchlog *log);

/* ---- two files (benchlog_compare.c) ---- */
struct benchlog_change {
    const struct point_result *a, *b;
    double ratio, low, high; /* rate of B over rate of A; above 1 is faster */
    bool usable;             /* both points are good */
    bool slower, faster;     /* beyond tolerance, even at the near end of the band */
};
struct benchlog_changes {
    struct benchlog_change *change;
    int count, slower, faster, unusable;
    int only_a, only_b; /* points the other file does not have */
    /* Every good point of A is one of: confirmed (good in B, not slower), slower, flagged, wrong or
     * not measured in B. */
    int reference, confirmed, flagged, wrong, unmeasured;
    char flags[96], states[96];          /* of those flagged and unmeasured: "drift, shared" */
    const struct point_result **missing; /* good in A, no point in B */
    int missing_count;
};
void benchlog_compare(const struct benchlog *a, const struct benchlog *b, double tolerance,
                      struct benchlog_changes *out);
void benchlog_changes_fini(struct benchlog_changes *changes);
/* Does B confirm all that A has? Not when A has nothing good. */
bool benchlog_confirmed(const struct benchlog_changes *changes);
/* "2 of 4 confirmed, 1 slower, 1 flagged here (contended)"; where: "here", "in B" */
void benchlog_confirmed_print(const struct benchlog_changes *changes, const char *where,
                              struct strbuf *out);
/* Why a pair cannot be compared: "contended", "unsupported"; "" = it can. */
void benchlog_change_why(const struct benchlog_change *change, char *text, size_t size);
void benchlog_changes_print(const struct benchlog_changes *changes, enum benchlog_view view,
                            bool quiet, struct strbuf *out);
/* warnings: of benchlog_differences, becomes part of it. */
json_t *benchlog_changes_json(const struct benchlog_changes *changes, const char *a, const char *b,
                              json_t *warnings);
/* What differs besides the figures (device, backend, method, settings). in_a and in_b name the
 * files in it. */
json_t *benchlog_differences(const struct benchlog *a, const struct benchlog *b, const char *in_a,
                             const char *in_b);
/* Of those the backend, method and settings, added to a list. */
void benchlog_compare_settings(const struct benchlog *a, const struct benchlog *b, const char *in_a,
                               const char *in_b, json_t *list);

/* ---- many files, many devices (benchlog_merge.c) ---- */
/* One document: devices renumbered and given their host and run_id, points renumbered, calibration,
 * summary and stragglers of all of them, a run_id of its own, warnings of what differs from the
 * first file; names NULL: by their hosts. */
json_t *benchlog_merge(const struct benchlog *logs, const char *const *names, int count);
/* GP_E_FILE names a file that is the same run as another, or of another method. */
enum gp_status benchlog_mergeable(const struct benchlog *logs, const char *const *names, int count,
                                  struct gp_err *err);

#define BENCHLOG_STRAGGLER 0.03
/* Each device whose rate on a point lies more than 3 % under the median of all devices of that
 * name: host, device, name, id, variant, ratio, of (how many). Only good points are compared, of
 * three devices or more (of two, each is compared with the faster). */
json_t *benchlog_stragglers(const struct benchlog *log);
/* Adds to a list of texts how far devices of one name agree, or which are slower. */
void benchlog_text_spread(const struct benchlog *log, json_t *list);

#endif
