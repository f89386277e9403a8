/*
 * trace_bench.c - the requests of a benchmark's result, with the times that it measured.
 */
#include "catalog/trace_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"

/* A file that has its requests one by one: paths of their figures; times in `unit` s, latencies in
 * `each` s. first: a time, or where `ttft` says so how long it took. */
struct form {
    const char *name;
    const char *sign; /* a request that has this is of the form */
    const char *at, *first, *end, *prompt, *output;
    double unit, each;
    bool spans; /* first and end are lengths of time */
};

static const struct form forms[] = {
    {"guidellm", "time_to_first_token_ms", "start_time|request_start_time",
     "time_to_first_token_ms", "request_latency", "prompt_tokens", "output_tokens", 1, 1e-3, true},
    {"aiperf", "metrics", "metadata.request_start_ns", "metrics.time_to_first_token.value",
     "metrics.request_latency.value", "metrics.input_sequence_length.value",
     "metrics.output_sequence_length.value", 1e-9, 1e-3, true},
    {"inference-perf", "info", "start_time", NULL, "end_time", "info.input_tokens",
     "info.output_tokens|info.response_metrics.output_tokens", 1, 1, false},
};

static bool add_request(struct trace *t, struct trace_row row)
{
    if (!(row.prompt >= 1 && row.output >= 1 && row.prompt < 1e9 && row.output < 1e9)) {
        t->failed++;
        return true;
    }
    row.prompt = floor(row.prompt);
    row.output = floor(row.output);
    row.ttft = row.ttft > 0 && row.ttft < 1e9 ? row.ttft : 0;
    row.latency = row.latency >= row.ttft && row.latency < 1e9 ? row.latency : 0;
    t->row = gp_grow(t->row, &t->cap, t->count + 1, sizeof(*t->row));
    t->row[t->count++] = row;
    t->longest = fmax(t->longest, row.prompt + row.output);
    return true;
}

/* False: it is of no form. */
static bool take_request(const json_t *one, struct trace *t)
{
    const struct form *f = forms, *end = forms + sizeof(forms) / sizeof(forms[0]);
    const json_t *times;

    while (f < end && !json_object_get(one, f->sign))
        f++;
    if (f == end)
        return false;
    struct trace_row row = {.at = gp_json_number_of(one, f->at) * f->unit,
                            .prompt = gp_json_number_of(one, f->prompt),
                            .output = gp_json_number_of(one, f->output)};
    if (f->spans) {
        row.ttft = gp_json_number_of(one, f->first) * f->each;
        row.latency =
            gp_json_number_of(one, f->end) * (strcmp(f->name, "guidellm") == 0 ? 1 : f->each);
    } else {
        times = gp_json_at(one, "info.output_token_times");
        times = times ? times : gp_json_at(one, "info.response_metrics.output_token_times");
        row.ttft = json_number_value(json_array_get(times, 0)) - row.at;
        row.latency = gp_json_number_of(one, f->end) - row.at;
    }
    return add_request(t, row);
}

/* vLLM's and SGLang's: a list of each figure. */
static bool take_lists(const json_t *run, struct trace *t)
{
    const json_t *prompts = json_object_get(run, "input_lens");
    const json_t *outputs = json_object_get(run, "output_lens");
    const json_t *firsts = json_object_get(run, "ttfts"), *gaps = json_object_get(run, "itls");
    const json_t *starts = json_object_get(run, "start_times");

    if (!json_is_array(prompts) || json_array_size(prompts) != json_array_size(outputs))
        return false;
    for (size_t i = 0; i < json_array_size(prompts); i++) {
        const json_t *own = json_array_get(gaps, i);
        struct trace_row row = {
            .at = starts ? json_number_value(json_array_get(starts, i)) : NAN,
            .prompt = json_number_value(json_array_get(prompts, i)),
            .output = json_number_value(json_array_get(outputs, i)),
            .ttft = json_number_value(json_array_get(firsts, i)),
        };

        row.latency = row.ttft;
        for (size_t k = 0; k < json_array_size(own); k++)
            row.latency += json_number_value(json_array_get(own, k));
        add_request(t, row);
    }
    t->users = json_number_value(json_object_get(run, "max_concurrency"));
    t->asked = json_number_value(json_object_get(run, "request_rate")); /* or "inf" */
    return true;
}

static int by_arrival(const void *a, const void *b)
{
    const struct trace_row *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

/* In order of arrival. Where each user asked when answered, the times are the server's own doing:
 * those who replay ask in the same way. */
static void finish_rows(struct trace *t)
{
    bool timed = t->count > 0;

    t->users = t->users >= 1 && t->users <= 1e6 ? t->users : 0;
    t->asked = t->asked >= 1e-6 && t->asked <= 1e6 ? t->asked : 0;
    for (size_t i = 0; i < t->count; i++) {
        timed &= !isnan(t->row[i].at);
        t->measured |= t->row[i].ttft > 0;
    }
    if (timed && (t->asked > 0 || t->users <= 0)) {
        qsort(t->row, t->count, sizeof(*t->row), by_arrival);
        double first = t->row[0].at;
        for (size_t i = 0; i < t->count; i++)
            t->row[i].at -= first;
    } else {
        for (size_t i = 0; i < t->count; i++)
            t->row[i].at = NAN;
        if (t->users <= 0 && t->asked <= 0)
            t->users = (double)t->count; /* all at once */
    }
}

#define HINT                                                                        \
    "vllm bench serve --save-result --save-detailed, sglang.bench_serving "         \
    "--output-details, guidellm's benchmarks.json, aiperf's profile_export.jsonl, " \
    "inference-perf's per_request_lifecycle_metrics.json"

static enum gp_status take_document(const char *where, const json_t *doc, struct trace *t,
                                    struct gp_err *err)
{
    const json_t *runs = json_object_get(doc, "benchmarks"), *one, *list = doc;
    size_t i;

    if (runs && json_array_size(runs) != 1)
        return gp_fail(err, GP_E_FILE, where, "keep one: jq '.benchmarks |= .[2:3]'",
                       "holds %zu runs, and one is replayed", json_array_size(runs));
    if (runs)
        list = gp_json_at(json_array_get(runs, 0), "requests.successful");
    if (json_is_object(doc) && !runs) {
        if (t->count > 0 && json_object_get(doc, "input_lens"))
            return gp_fail(err, GP_E_FILE, where, "keep one line", "holds several runs");
        return take_lists(doc, t) || take_request(doc, t)
                   ? GP_OK
                   : gp_fail(err, GP_E_FILE, where, HINT, "has no requests one by one");
    }
    json_array_foreach((json_t *)list, i, one)
    {
        if (!take_request(one, t))
            return gp_fail(err, GP_E_FILE, where, HINT, "request %zu is of no form that is known",
                           i + 1);
    }
    return GP_OK;
}

bool trace_bench_is(const char *text, size_t len)
{
    static const char *const signs[] = {"input_lens\"", "time_to_first_token_ms\"",
                                        "time_to_first_token\"", "output_token_times\"",
                                        "mean_ttft_ms\""};
    const char *at = text, *end = text + len;

    while (at < end && (at = memchr(at, '"', (size_t)(end - at)))) {
        at++;
        for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
            if ((size_t)(end - at) >= strlen(signs[i]) &&
                memcmp(at, signs[i], strlen(signs[i])) == 0)
                return true;
    }
    return false;
}

enum gp_status trace_bench_parse(const char *name, const char *text, size_t len, struct trace *out,
                                 struct gp_err *err)
{
    char *own = gp_malloc(len + 1), where[192];
    enum gp_status rc;
    json_t *doc;
    int line = 0;

    memcpy(own, text, len);
    own[len] = '\0';
    gp_json_scrub(own, len);
    rc = gp_json_parse(name, own, len, &doc, err);
    if (!rc) {
        rc = take_document(name, doc, out, err);
        json_decref(doc);
    } else if (strchr(own, '\n')) { /* an object a line */
        rc = GP_OK;
        for (char *at = own, *next; !rc && *at; at = next) {
            size_t n = strcspn(at, "\n");

            next = at + n + (at[n] == '\n');
            line++;
            if (strspn(at, " \t\r") >= n)
                continue;
            gp_format(where, sizeof(where), "%s:%d", name, line);
            rc = gp_json_parse(where, at, n, &doc, err);
            if (!rc)
                rc = take_document(where, doc, out, err);
            json_decref(doc);
        }
    }
    free(own);
    if (!rc)
        finish_rows(out);
    return rc;
}
