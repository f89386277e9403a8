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

#define HINT                                                              \
    "a result of vllm bench serve, sglang.bench_serving, TensorRT-LLM's " \
    "benchmark_serving.py or llama-bench -o json"

#define MS_MAX 1e9 /* of a time */
#define TOKENS_MAX 1e15
#define USERS_MAX 1e6

/* ---- a run against a server ---- */

struct run {
    double completed, duration, input, output; /* requests, s, tokens of all */
    double ttft, tpot, latency;                /* ms, means */
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
    NUMBER("duration", duration, MS_MAX),
    NUMBER("max_concurrency", users, USERS_MAX),
};

/* Requests in flight in the mean. */
static double in_flight(const struct run *r)
{
    double each = r->output / r->completed;
    double latency = r->latency > 0 ? r->latency : r->ttft + fmax(each - 1, 0) * r->tpot;

    if (r->users > 0 && r->rate <= 0)
        return fmin(r->users, r->completed);
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
                           .ttft = r.ttft / 1e3};
    if (out->users < 1)
        return reading_refuse(reading, "max_concurrency",
                              "and duration are both missing: the users are not known");
    return true;
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
static bool take_test(struct reading *reading, const json_t *json, struct anchor *out)
{
    struct test t = {0};

    if (!fields_read(reading, FIELDS(test_fields), json, &t))
        return false;
    if (t.rate <= 0 || t.prompt + t.generated <= 0)
        return reading_refuse(reading, "avg_ts", "is not a rate");
    *out = (struct anchor){0};
    if (t.generated > 0 && t.prompt <= 0)
        *out = (struct anchor){
            .users = 1, .prompt = fmax(t.depth, 1), .output = t.generated, .tpot = 1 / t.rate};
    else if (t.generated <= 0 && t.depth <= 0)
        *out =
            (struct anchor){.users = 1, .prompt = t.prompt, .output = 1, .ttft = t.prompt / t.rate};
    return true;
}

/* ---- the file ---- */

static bool take_point(struct reading *reading, const json_t *json, struct serverbench *out)
{
    struct anchor point;
    bool of_server = json_object_get(json, "mean_tpot_ms") != NULL;

    if (!json_is_object(json) || (!of_server && !json_object_get(json, "avg_ts")))
        return reading_refuse(reading, "mean_tpot_ms", "is missing, and so is avg_ts");
    if (!(of_server ? take_run : take_test)(reading, json, &point))
        return false;
    if (out->count == ANCHORS_MAX)
        return reading_refuse(reading, "", "more than %d points", ANCHORS_MAX);
    if (point.users > 0)
        out->point[out->count++] = point;
    return true;
}

static void take_all(struct reading *reading, const json_t *json, struct serverbench *out)
{
    const json_t *one;
    size_t i;

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

enum gp_status serverbench_parse(const char *where, char *text, size_t len, struct serverbench *out,
                                 struct gp_err *err)
{
    enum gp_status rc = GP_OK;
    int before = out->count, line = 0;

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
