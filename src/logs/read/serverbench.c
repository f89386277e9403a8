/*
 * serverbench.c - see serverbench.h.
 */
#include "logs/read/serverbench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "measure/point/field.h"

#define HINT                                                                            \
    "a result of vllm bench serve, sglang.bench_serving, benchmark_serving.py, "        \
    "llama-bench (json or md), guidellm, aiperf, inference-perf or InferenceX, or the " \
    "JSON of llm-d's benchmark report"

#define MS_MAX 1e9 /* of a time */
#define TOKENS_MAX 1e15
#define USERS_MAX 1e6

/* ---- a run against a server ---- */

struct run {
    double completed, duration, input, output; /* requests, s, tokens of all */
    double ttft, tpot, latency;                /* ms, means */
    double middle_ttft, middle_tpot;           /* ms, medians */
    double users;                              /* at most in flight; 0 = no limit */
    double rate;                               /* requests/s that came; 0 = all at once */
};

#define NUMBER(name, member, most) FIELD_NUMBER_AT(struct run, name, member, most)
#define NEEDED(name, member, most) \
    FIELD_AT(struct run, name, member, .type = FIELD_NUMBER, .high = (most), .is = FIELD_NEEDED)

static const struct field run_fields[] = {
    NEEDED("completed", completed, USERS_MAX * 1e3),
    NEEDED("total_input_tokens", input, TOKENS_MAX),
    NEEDED("total_output_tokens", output, TOKENS_MAX),
    NEEDED("mean_tpot_ms", tpot, MS_MAX),
    NUMBER("mean_ttft_ms", ttft, MS_MAX),
    NUMBER("mean_e2el_ms", latency, MS_MAX),
    NUMBER("mean_e2e_latency_ms", latency, MS_MAX),
    NUMBER("median_tpot_ms", middle_tpot, MS_MAX),
    NUMBER("median_ttft_ms", middle_ttft, MS_MAX),
    NUMBER("duration", duration, MS_MAX),
    NUMBER("max_concurrency", users, USERS_MAX),
};

/* Requests in flight in the mean. Of those that came all at once the ones that decode: their time
 * to the first token is a queue's. */
static double in_flight(const struct run *r)
{
    double decodes = fmax(r->output / r->completed - 1, 0) * r->tpot;
    double latency = r->latency > 0 ? r->latency : r->ttft + decodes;

    if (r->users > 0 && r->rate <= 0)
        return fmin(r->users, r->completed);
    if (r->rate <= 0)
        latency = decodes;
    return r->duration > 0 ? fmax(r->completed * latency / 1e3 / r->duration, 1) : 0;
}

static bool take_run(struct reading *reading, const json_t *json, struct anchor *out)
{
    struct run r = {0};

    if (!fields_read(reading, FIELDS(run_fields), json, &r))
        return false;
    r.rate = json_number_value(json_object_get(json, "request_rate")); /* or "inf" */
    if (r.completed < 1 || r.input <= 0 || r.output <= 0 || r.tpot <= 0)
        return reading_refuse(reading, "completed", "no request was answered");
    *out = (struct anchor){.users = in_flight(&r),
                           .prompt = r.input / r.completed,
                           .output = r.output / r.completed,
                           .tpot = r.tpot / 1e3,
                           .ttft = r.ttft / 1e3,
                           .requests = r.completed,
                           .rate = fmax(r.rate, 0),
                           .at_once = r.rate <= 0 && r.users <= 0,
                           .middle_tpot = r.middle_tpot / 1e3,
                           .middle_ttft = r.middle_ttft / 1e3};
    if (out->users < 1)
        return reading_refuse(reading, "max_concurrency",
                              "and duration are both missing: the users are not known");
    return true;
}

/* ---- a run of others, by where its figures are ---- */

/* A run is of the first form whose TPOT it has. Times are in what `units` names ("ms", "s/token"),
 * else in `unit`. Where nothing tells how many were in flight, rate times latency does. guidellm's
 * time_per_output_token_ms counts the first token in; its inter_token_latency_ms is what others
 * call TPOT. */
static const struct form {
    const char *tpot, *ttft, *latency, *prompt, *output, *users, *rate, *units;
    double unit;
} forms[] = {
    /* guidellm 0.8, benchmarks[] of benchmarks.json */
    {"metrics.inter_token_latency_ms.successful.mean",
     "metrics.time_to_first_token_ms.successful.mean", NULL,
     "metrics.prompt_token_count.successful.mean", "metrics.output_token_count.successful.mean",
     "metrics.request_concurrency.successful.mean", NULL, NULL, 1e-3},
    /* aiperf 0.13, profile_export_aiperf.json */
    {"inter_token_latency.avg", "time_to_first_token.avg", "request_latency.avg",
     "input_sequence_length.avg", "output_sequence_length.avg", NULL, "request_throughput.avg",
     "inter_token_latency.unit", 1e-3},
    /* inference-perf 0.7, stage_N_ and summary_lifecycle_metrics.json */
    {"successes.latency.time_per_output_token.mean", "successes.latency.time_to_first_token.mean",
     "successes.latency.request_latency.mean", "successes.prompt_len.mean",
     "successes.output_len.mean", "load_summary.concurrency",
     "successes.throughput.requests_per_sec", NULL, 1},
    /* llm-d's benchmark report 0.2, as inference-perf writes it, and 0.1 */
    {"results.request_performance.aggregate.latency.time_per_output_token.mean",
     "results.request_performance.aggregate.latency.time_to_first_token.mean",
     "results.request_performance.aggregate.latency.request_latency.mean",
     "results.request_performance.aggregate.requests.input_length.mean",
     "results.request_performance.aggregate.requests.output_length.mean", NULL,
     "results.request_performance.aggregate.throughput.request_rate.mean",
     "results.request_performance.aggregate.latency.time_per_output_token.units", 1},
    {"metrics.latency.time_per_output_token.mean", "metrics.latency.time_to_first_token.mean",
     "metrics.latency.request_latency.mean", "metrics.requests.input_length.mean",
     "metrics.requests.output_length.mean", NULL, "metrics.throughput.requests_per_sec",
     "metrics.latency.time_per_output_token.units", 1},
    /* InferenceX: a row of its results */
    {"mean_tpot|metrics.mean_tpot", "mean_ttft|metrics.mean_ttft", NULL, "isl", "osl", "conc", NULL,
     NULL, 1},
};

static const struct form *form_of(const json_t *json)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (!isnan(gp_json_number_of(json, forms[i].tpot)))
            return &forms[i];
    return NULL;
}

static bool take_form(struct reading *reading, const struct form *f, const json_t *json,
                      struct anchor *out)
{
    const char *units = f->units ? gp_json_text_at(json, f->units) : "";
    double s = strncmp(units, "ms", 2) == 0 ? 1e-3 : units[0] == 's' ? 1 : f->unit;
    double users = gp_json_number_of(json, f->users), ttft = gp_json_number_of(json, f->ttft);
    double latency = gp_json_number_of(json, f->latency), rate = gp_json_number_of(json, f->rate);

    *out = (struct anchor){.users = users > 0 ? users : fmax(rate * latency * s, 1),
                           .prompt = gp_json_number_of(json, f->prompt),
                           .output = gp_json_number_of(json, f->output),
                           .tpot = gp_json_number_of(json, f->tpot) * s,
                           .ttft = ttft > 0 ? ttft * s : 0};
    if (!(out->tpot > 0 && out->tpot < MS_MAX / 1e3 && out->ttft < MS_MAX / 1e3))
        return reading_refuse(reading, f->tpot, "is not the time of a token");
    if (!(out->prompt >= 1 && out->prompt < 1e9))
        return reading_refuse(reading, f->prompt, "is not the length of a prompt");
    if (!(out->output >= 1 && out->output < 1e9))
        return reading_refuse(reading, f->output, "is not the length of an answer");
    if (!(users > 0) && !(rate > 0 && latency > 0))
        return reading_refuse(reading, f->users ? f->users : f->rate,
                              "is missing: the users are not known");
    return out->users <= USERS_MAX || reading_refuse(reading, f->users ? f->users : f->rate,
                                                     "means more than a million users");
}

/* ---- a test of llama-bench ---- */

struct test {
    double prompt, generated, depth, rate; /* tokens; tokens/s */
};

static const struct field test_fields[] = {
    FIELD_NUMBER_AT(struct test, "n_prompt", prompt, 1e9),
    FIELD_NUMBER_AT(struct test, "n_gen", generated, 1e9),
    FIELD_NUMBER_AT(struct test, "n_depth", depth, 1e9),
    FIELD_AT(struct test, "avg_ts", rate, .type = FIELD_NUMBER, .high = 1e9, .is = FIELD_NEEDED),
};

/* Of both kinds at once users is 0: nothing to take. */
static bool test_point(struct reading *reading, const struct test *t, struct anchor *out)
{
    if (t->rate <= 0 || t->prompt + t->generated <= 0)
        return reading_refuse(reading, "avg_ts", "is not a rate");
    *out = (struct anchor){0};
    if (t->generated > 0 && t->prompt <= 0)
        *out = (struct anchor){
            .users = 1, .prompt = fmax(t->depth, 1), .output = t->generated, .tpot = 1 / t->rate};
    else if (t->generated <= 0 && t->depth <= 0)
        *out = (struct anchor){
            .users = 1, .prompt = t->prompt, .output = 1, .ttft = t->prompt / t->rate};
    return true;
}

static bool take_test(struct reading *reading, const json_t *json, struct anchor *out)
{
    struct test t = {0};

    return fields_read(reading, FIELDS(test_fields), json, &t) && test_point(reading, &t, out);
}

/* "| llama 8B Q4_K - Medium | ... | pp512 @ d4096 | 123.45 +- 0.6 |": the last two cells. */
static bool row_test(const char *row, size_t len, struct test *t)
{
    const char *cell[3] = {NULL};
    char *end;

    for (size_t i = 0; i < len; i++)
        if (row[i] == '|') {
            cell[0] = cell[1];
            cell[1] = cell[2];
            cell[2] = row + i;
        }
    if (!cell[0])
        return false;
    const char *what = cell[0] + 1 + strspn(cell[0] + 1, " ");
    bool prompt = strncmp(what, "pp", 2) == 0;
    *t = (struct test){.rate = strtod(cell[1] + 1, NULL)};
    if (!prompt && strncmp(what, "tg", 2) != 0)
        return false;
    *(prompt ? &t->prompt : &t->generated) = strtod(what + 2, &end);
    if (strncmp(end, " @ d", 4) == 0)
        t->depth = strtod(end + 4, &end);
    return *end == ' ' && t->prompt + t->generated <= 1e9 && t->depth <= 1e9 && t->rate <= 1e9;
}

/* ---- the file ---- */

static bool add_point(struct reading *reading, const struct anchor *point, struct serverbench *out)
{
    if (out->count == ANCHORS_MAX)
        return reading_refuse(reading, "", "more than %d points", ANCHORS_MAX);
    if (point->users > 0)
        out->point[out->count++] = *point;
    return true;
}

static bool take_point(struct reading *reading, const json_t *json, struct serverbench *out)
{
    struct anchor point;
    bool of_server = json_object_get(json, "mean_tpot_ms") != NULL;
    const struct form *form = of_server ? NULL : form_of(json);

    if (!json_is_object(json) || (!of_server && !form && !json_object_get(json, "avg_ts")))
        return reading_refuse(reading, "mean_tpot_ms",
                              "is missing, as is what other benchmarks call it");
    if (form ? !take_form(reading, form, json, &point)
             : !(of_server ? take_run : take_test)(reading, json, &point))
        return false;
    return add_point(reading, &point, out);
}

static void take_all(struct reading *reading, const json_t *json, struct serverbench *out)
{
    const json_t *one;
    size_t i;

    if (json_is_array(json_object_get(json, "benchmarks"))) /* guidellm's */
        json = json_object_get(json, "benchmarks");
    if (!json_is_array(json)) {
        take_point(reading, json, out);
        return;
    }
    json_array_foreach((json_t *)json, i, one)
    {
        gp_format(reading->at, sizeof(reading->at), "[%zu]", i);
        if (!take_point(reading, one, out))
            return;
    }
}

/* Where a text of one value per line has its next one; a value over several lines is the
 * whole text. */
static size_t value_length(const char *text, size_t len)
{
    const char *end = memchr(text, '\n', len);
    size_t line = end ? (size_t)(end - text) + 1 : len;
    size_t last = line;

    while (last > 0 && strchr(" \t\r\n", text[last - 1]))
        last--;
    return last > 0 && text[0] == '{' && text[last - 1] == '}' ? line : len;
}

static enum gp_status parse_value(const char *where, int line, const char *text, size_t len,
                                  struct serverbench *out, struct gp_err *err)
{
    struct reading reading = {.where = where, .hint = HINT, .err = err};
    json_t *json = NULL;
    enum gp_status rc = gp_json_parse(where, text, len, &json, err);

    if (rc)
        gp_copy(err->hint, sizeof(err->hint), HINT);
    if (!rc && line > 0)
        gp_format(reading.at, sizeof(reading.at), "line %d", line);
    if (!rc)
        take_all(&reading, json, out);
    json_decref(json);
    return rc ? rc : reading.status;
}

/* llama-bench -o md: what it prints where nothing else is asked for. */
static enum gp_status parse_table(const char *where, const char *text, size_t len,
                                  struct serverbench *out, struct gp_err *err)
{
    struct reading reading = {.where = where, .hint = HINT, .err = err};
    struct anchor point;
    struct test test;
    int line = 1;

    for (size_t at = 0, n; at < len && !reading.status; at += n + 1, line++) {
        const char *end = memchr(text + at, '\n', len - at);

        n = end ? (size_t)(end - text) - at : len - at;
        gp_format(reading.at, sizeof(reading.at), "line %d", line);
        if (row_test(text + at, n, &test) && test_point(&reading, &test, &point))
            add_point(&reading, &point, out);
    }
    return reading.status;
}

enum gp_status serverbench_parse(const char *where, char *text, size_t len, struct serverbench *out,
                                 struct gp_err *err)
{
    enum gp_status rc = GP_OK;
    int before = out->count, line = 0;

    if (len > 0 && text[0] == '|') {
        rc = parse_table(where, text, len, out, err);
        len = 0;
    }
    gp_json_scrub(text, len);
    for (size_t at = 0; !rc && at < len;) {
        if (strchr(" \t\r\n", text[at])) {
            at++;
            continue;
        }
        size_t n = value_length(text + at, len - at);
        line += at > 0 || n < len;
        rc = parse_value(where, line, text + at, n, out, err);
        at += n;
    }
    if (!rc && out->count == before)
        rc = gp_fail(err, GP_E_FILE, where, HINT, "no measured point");
    return rc;
}

enum gp_status serverbench_read(const char *path, struct serverbench *out, struct gp_err *err)
{
    char *text = NULL;
    size_t len;
    enum gp_status rc = path_read(path, SERVERBENCH_BYTES, &text, &len, err);

    if (!rc)
        rc = serverbench_parse(path, text, len, out, err);
    free(text);
    return rc;
}
