/*
 * result.h - one measured point: what an engine answers, and what a journal, a result file and a
 * calibration know of it.
 *
 * One table (result.c) has the fields, their types and bounds. An engine writes its answer by it;
 * the judge of an engine's lines, the journal and the reader of result files read by it; what is
 * read is what is shown, compared and fitted. The JSON stays beside the values, because it holds
 * more than is read of it: samples, algorithm, sensors.
 *
 * What is read comes from another program or machine, so types, lengths and ranges are checked,
 * and statistics that contradict themselves (min > median, ci95 upside down, n that is not the
 * number of samples) are refused with the name of the field. Unknown fields are ignored; a number
 * that is not known is null in the JSON and 0 here.
 *
 * A result counts (result_good) when its state is "ok", its check did not fail and no flag says
 * that the machine was disturbed. Others are kept, for people.
 */
#ifndef GP_MEASURE_POINT_RESULT_H
#define GP_MEASURE_POINT_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "measure/point/line.h"
#include "measure/point/point.h"

#define RESULT_SAMPLES 2000
#define RESULT_DEVICES 1024 /* of one file, and the indices that a pair may name */
#define RESULT_VARIANT 31   /* bytes of a variant's name */

struct reading; /* measure/point/field.h */

struct point_result { /* texts are borrowed from the JSON */
    const char *id, *variant, *reason;
    const char *why, *cause;           /* of its check: struct check, method.h */
    const char *test_word, *type_word; /* as the JSON says; "" = it does not */
    enum bench_test test;              /* TEST_COUNT = none of this version's */
    enum bench_type type;              /* TYPE_COUNT = likewise, or none */
    enum bench_kind kind;              /* KIND_NONE = likewise */
    bool hot;                          /* its bytes stay in the last cache: no figure of memory */
    enum point_state state;
    int device;            /* its place among the file's, or its engine's number */
    double m, n, k, size;  /* of its parameters, size: "bytes"; 0 = none */
    double groups, tokens; /* of experts: how many, and of the step they are for */
    int from, to;          /* of a pair of devices */
    int samples, passes;
    double median, low, high;         /* s, low and high of its 95 % interval; 0 = none */
    double min, max;                  /* s */
    double ops, bytes;                /* per second */
    double per_joule, per_clock;      /* operations */
    double sheet_ops, sheet_bytes;    /* ops and bytes in % of the sheet's */
    double clock, power, temp;        /* mean MHz, mean W, highest degrees C */
    double predicted, ratio;          /* s by the roofline; predicted over measured time */
    const char *bound, *origin;       /* of predicted: "memory", "sheet"; "" = none */
    bool converged, checked, correct; /* correct: when it was checked */
    bool disturbed;                   /* a flag makes the figure unfit for use */
    const json_t *flags, *json;       /* json: all of it */
};

/* What an engine says of a point is read from its line or the journal; a file also has what
 * gpuplan added: test, prediction, shares of the sheet. */
enum result_source { RESULT_ANSWER, RESULT_FILE };

/* Reads and checks; false when something was refused. The texts live as long as `json`. */
bool result_read(struct reading *reading, const json_t *json, enum result_source source,
                 struct point_result *out);

/* Adds to an object what an engine says (id, variant, state, reason, rates), or what gpuplan adds
 * in a file. Rates only of a result that is ok, their shares of the sheet where there are rates. */
void result_write(const struct point_result *result, enum result_source source, json_t *json);

bool result_good(const struct point_result *result);
bool result_wrong(const struct point_result *result); /* its check failed */
bool result_flagged(const struct point_result *result, const char *flag);
char *result_flags(const struct point_result *result, const char *between, char *text, size_t size);
/* Is it the variant that figures are taken from, "" or "heuristic"? The others ("tuned",
 * "framework", "padded") stand beside it. */
bool result_is_main(const char *variant);
bool result_usable(const struct point_result *result); /* good, and of that variant */

/* "812 TFLOP/s", "3.1 TB/s", "41 us": its figure for people; "-" = none. */
char *result_rate(char *text, size_t size, const struct point_result *result);

/* What its parameters say beyond the struct: 0 and "" where they do not. */
double result_param(const struct point_result *result, const char *key);
const char *result_param_text(const struct point_result *result, const char *key);

#endif
