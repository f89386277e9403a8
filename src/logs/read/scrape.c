/*
 * scrape.c - see scrape.h.
 *
 * Names: vLLM's wheels 0.6.6, 0.8.5 and 0.33.0 (engine/metrics.py, v1/metrics/loggers.py),
 * SGLang's 0.5.5 and 0.5.23 (metrics/collector.py, observability/metrics_collector.py),
 * TensorRT-LLM's tensorrt_llm/metrics/collector.py of 2025 and 2026, llama.cpp 0c1e57098
 * (tools/server/server-context.cpp); read 2026-11.
 */
#include "logs/read/scrape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define VALUE_MAX 1e18

enum way { ADDS, MOST }; /* of several series */

/* A counter's name may end in _total; that of another version is a row of its own. */
static const struct metric {
    const char *engine, *name;
    enum way way;
    enum scrape_value value;
} metrics[] = {
    {"vllm", "vllm:num_requests_running", ADDS, SCRAPE_RUNNING},
    {"vllm", "vllm:num_requests_waiting", ADDS, SCRAPE_WAITING},
    {"vllm", "vllm:kv_cache_usage_perc", MOST, SCRAPE_USAGE},
    {"vllm", "vllm:gpu_cache_usage_perc", MOST, SCRAPE_USAGE},
    {"vllm", "vllm:num_preemptions", ADDS, SCRAPE_PREEMPTIONS},
    {"vllm", "vllm:request_success", ADDS, SCRAPE_REQUESTS},
    {"vllm", "vllm:prompt_tokens", ADDS, SCRAPE_PROMPT_TOKENS},
    {"vllm", "vllm:generation_tokens", ADDS, SCRAPE_OUTPUT_TOKENS},
    {"vllm", "vllm:prefix_cache_queries", ADDS, SCRAPE_QUERIES},
    {"vllm", "vllm:prefix_cache_hits", ADDS, SCRAPE_HITS},
    {"vllm", "vllm:gpu_prefix_cache_queries", ADDS, SCRAPE_QUERIES},
    {"vllm", "vllm:gpu_prefix_cache_hits", ADDS, SCRAPE_HITS},
    {"sglang", "sglang:num_running_reqs", ADDS, SCRAPE_RUNNING},
    {"sglang", "sglang:num_queue_reqs", ADDS, SCRAPE_WAITING},
    {"sglang", "sglang:token_usage", MOST, SCRAPE_USAGE},
    {"sglang", "sglang:max_total_num_tokens", ADDS, SCRAPE_POOL},
    {"sglang", "sglang:gen_throughput", ADDS, SCRAPE_OUTPUT_RATE},
    {"sglang", "sglang:cache_hit_rate", MOST, SCRAPE_HIT_RATE},
    {"sglang", "sglang:num_retracted_requests", ADDS, SCRAPE_PREEMPTIONS},
    {"sglang", "sglang:num_requests", ADDS, SCRAPE_REQUESTS},
    {"sglang", "sglang:prompt_tokens", ADDS, SCRAPE_PROMPT_TOKENS},
    {"sglang", "sglang:generation_tokens", ADDS, SCRAPE_OUTPUT_TOKENS},
    {"tensorrt-llm", "trtllm_num_active_requests", ADDS, SCRAPE_RUNNING},
    {"tensorrt-llm", "trtllm_num_requests_running", ADDS, SCRAPE_RUNNING},
    {"tensorrt-llm", "trtllm_server_queue_length", ADDS, SCRAPE_WAITING},
    {"tensorrt-llm", "trtllm_num_requests_waiting", ADDS, SCRAPE_WAITING},
    {"tensorrt-llm", "trtllm_kv_cache_utilization", MOST, SCRAPE_USAGE},
    {"tensorrt-llm", "trtllm_kv_cache_hit_rate", MOST, SCRAPE_HIT_RATE},
    {"tensorrt-llm", "trtllm_request_success", ADDS, SCRAPE_REQUESTS},
    {"tensorrt-llm", "trtllm_prompt_tokens", ADDS, SCRAPE_PROMPT_TOKENS},
    {"llama.cpp", "llamacpp:requests_processing", ADDS, SCRAPE_RUNNING},
    {"llama.cpp", "llamacpp:requests_deferred", ADDS, SCRAPE_WAITING},
    {"llama.cpp", "llamacpp:kv_cache_usage_ratio", MOST, SCRAPE_USAGE}, /* until 2025 */
    {"llama.cpp", "llamacpp:prompt_tokens", ADDS, SCRAPE_PROMPT_TOKENS},
    {"llama.cpp", "llamacpp:prompt_seconds", ADDS, SCRAPE_PROMPT_SECONDS},
    {"llama.cpp", "llamacpp:tokens_predicted", ADDS, SCRAPE_OUTPUT_TOKENS},
    {"llama.cpp", "llamacpp:tokens_predicted_seconds", ADDS, SCRAPE_OUTPUT_SECONDS},
};

/* The first that a page has counts: of vLLM the mean over a request, then between tokens. */
static const struct series {
    const char *engine, *name;
    enum scrape_of of;
} histograms[] = {
    {"vllm", "vllm:time_to_first_token_seconds", SCRAPE_TTFT},
    {"vllm", "vllm:request_time_per_output_token_seconds", SCRAPE_TPOT},
    {"vllm", "vllm:inter_token_latency_seconds", SCRAPE_TPOT},
    {"vllm", "vllm:time_per_output_token_seconds", SCRAPE_TPOT},
    {"vllm", "vllm:request_queue_time_seconds", SCRAPE_QUEUE},
    {"vllm", "vllm:request_prompt_tokens", SCRAPE_PROMPT},
    {"vllm", "vllm:request_generation_tokens", SCRAPE_OUTPUT},
    {"sglang", "sglang:time_to_first_token_seconds", SCRAPE_TTFT},
    {"sglang", "sglang:inter_token_latency_seconds", SCRAPE_TPOT},
    {"sglang", "sglang:time_per_output_token_seconds", SCRAPE_TPOT},
    {"sglang", "sglang:queue_time_seconds", SCRAPE_QUEUE},
    {"sglang", "sglang:prompt_tokens_histogram", SCRAPE_PROMPT},
    {"sglang", "sglang:generation_tokens_histogram", SCRAPE_OUTPUT},
    {"tensorrt-llm", "trtllm_time_to_first_token_seconds", SCRAPE_TTFT},
    {"tensorrt-llm", "trtllm_time_per_output_token_seconds", SCRAPE_TPOT},
    {"tensorrt-llm", "trtllm_request_queue_time_seconds", SCRAPE_QUEUE},
};
#define METRICS (sizeof(metrics) / sizeof(metrics[0]))
#define HISTOGRAMS (sizeof(histograms) / sizeof(histograms[0]))

/* ---- one line ---- */

struct sample {
    char name[96];
    char labels[1024]; /* inside of the braces */
    double value;
};

#define SERIES_MOST 256

/* A page as it is read. */
struct page {
    struct scrape *out;
    int from[SCRAPE_OF_COUNT]; /* the row that a histogram is of, 1 on; 0 = none */
    int value_from[SCRAPE_VALUE_COUNT];
    uint64_t series[SERIES_MOST]; /* hashes of the values' names and labels */
    int series_count;
};

static bool number_of(const char *text, double *value)
{
    char *end;

    *value = strtod(text, &end);
    if (end == text || isnan(*value))
        return false;
    return isinf(*value) || fabs(*value) <= VALUE_MAX;
}

/* Where the braces that begin at p end, quotes heeded; NULL: nowhere. */
static const char *braces_end(const char *p)
{
    bool quoted = false;

    for (; *p; p++) {
        if (quoted && *p == '\\' && p[1])
            p++;
        else if (*p == '"')
            quoted = !quoted;
        else if (!quoted && *p == '}')
            return p;
    }
    return NULL;
}

static bool read_sample(const char *line, struct sample *s)
{
    size_t n = strcspn(line, "{ \t");
    const char *p = line + n;

    if (n == 0 || n >= sizeof(s->name) || line[0] == '#')
        return false;
    gp_format(s->name, sizeof(s->name), "%.*s", (int)n, line);
    s->labels[0] = '\0';
    if (*p == '{') {
        const char *end = braces_end(p + 1);

        if (!end || !gp_format(s->labels, sizeof(s->labels), "%.*s", (int)(end - p - 1), p + 1))
            return false;
        p = end + 1;
    }
    return number_of(p + strspn(p, " \t"), &s->value);
}

/* The value of a label, unescaped no further than prometheus needs; false: it has none. */
static bool label_of(const struct sample *s, const char *name, char *text, size_t size)
{
    char key[48];

    gp_format(key, sizeof(key), "%s=\"", name);
    for (const char *p = strstr(s->labels, key); p; p = strstr(p + 1, key)) {
        if (p > s->labels && p[-1] != ',' && p[-1] != ' ')
            continue;
        p += strlen(key);
        gp_format(text, size, "%.*s", (int)(strcspn(p, "\"") & 1023), p);
        gp_sanitize(text);
        return true;
    }
    return false;
}

/* Is it that name, or with this behind it? */
static bool is_named(const char *text, const char *name, const char *suffix)
{
    size_t len = strlen(name);

    return strncmp(text, name, len) == 0 && strcmp(text + len, suffix) == 0;
}

static bool is_of(const struct page *p, const char *engine)
{
    return !p->out->engine[0] || strcmp(p->out->engine, engine) == 0;
}

static void take_engine(struct page *p, const char *engine, const struct sample *s)
{
    struct scrape *out = p->out;

    gp_copy(out->engine, sizeof(out->engine), engine);
    if (!out->model[0] && !label_of(s, "model_name", out->model, sizeof(out->model)))
        out->model[0] = '\0';
}

/* No page has a series twice. */
static void check_series(struct page *p, const struct sample *s)
{
    uint64_t hash = gp_hash(GP_HASH, s->name, strlen(s->name) + 1);
    char model[sizeof(p->out->model)];

    hash = gp_hash(hash, s->labels, strlen(s->labels));
    for (int i = 0; i < p->series_count; i++)
        p->out->twice = p->out->twice || p->series[i] == hash;
    if (p->series_count < SERIES_MOST)
        p->series[p->series_count++] = hash;
    if (label_of(s, "model_name", model, sizeof(model)) && p->out->model[0])
        p->out->models = p->out->models || strcmp(model, p->out->model) != 0;
}

static bool take_value(struct page *p, const struct sample *s)
{
    for (size_t i = 0; i < METRICS; i++) {
        const struct metric *m = &metrics[i];
        double *value = &p->out->value[m->value];

        if (!is_of(p, m->engine) ||
            !(is_named(s->name, m->name, "") || is_named(s->name, m->name, "_total")))
            continue;
        if (!isfinite(s->value) || s->value < 0)
            return true;
        if (p->value_from[m->value] && p->value_from[m->value] != (int)i + 1)
            return true; /* another version's name of the same */
        p->value_from[m->value] = (int)i + 1;
        *value = m->way == ADDS ? *value + s->value : fmax(*value, s->value);
        p->out->given[m->value] = true;
        take_engine(p, m->engine, s);
        check_series(p, s);
        return true;
    }
    return false;
}

/* Blocks and their size are labels of vLLM's page. */
static bool take_config(struct page *p, const struct sample *s)
{
    char blocks[32], size[32];
    double a, b;

    if (strcmp(s->name, "vllm:cache_config_info") != 0)
        return false;
    if (label_of(s, "num_gpu_blocks", blocks, sizeof(blocks)) &&
        label_of(s, "block_size", size, sizeof(size)) && number_of(blocks, &a) &&
        number_of(size, &b) && a > 0 && b > 0 && a * b < VALUE_MAX) {
        p->out->value[SCRAPE_POOL] += a * b;
        p->out->given[SCRAPE_POOL] = true;
    }
    return true;
}

/* ---- histograms ---- */

static void add_bucket(struct scrape_histogram *h, double le, double count)
{
    int at = 0;

    while (at < h->buckets && h->le[at] < le)
        at++;
    if (at < h->buckets && h->le[at] == le) {
        h->count[at] += count;
        return;
    }
    if (h->buckets == SCRAPE_BUCKETS)
        return;
    for (int i = h->buckets; i > at; i--) {
        h->le[i] = h->le[i - 1];
        h->count[i] = h->count[i - 1];
    }
    h->le[at] = le;
    h->count[at] = count;
    h->buckets++;
}

static bool take_part(struct scrape_histogram *h, const struct sample *s, const char *name)
{
    char text[48];
    double le;

    if (is_named(s->name, name, "_sum"))
        h->sum += s->value;
    else if (is_named(s->name, name, "_count"))
        h->n += s->value;
    else if (is_named(s->name, name, "_bucket") && label_of(s, "le", text, sizeof(text)) &&
             number_of(text, &le))
        add_bucket(h, le, s->value);
    else
        return false;
    return true;
}

static void take_histogram(struct page *p, const struct sample *s)
{
    for (size_t i = 0; i < HISTOGRAMS; i++) {
        const struct series *row = &histograms[i];
        struct scrape_histogram part = {.buckets = 0};
        int *from = &p->from[row->of];

        if (!is_of(p, row->engine) || !isfinite(s->value) || s->value < 0 ||
            !take_part(&part, s, row->name))
            continue;
        if (*from && *from < (int)i + 1)
            return;
        if (*from != (int)i + 1)
            memset(&p->out->histogram[row->of], 0, sizeof(part));
        *from = (int)i + 1;
        take_part(&p->out->histogram[row->of], s, row->name);
        take_engine(p, row->engine, s);
        return;
    }
}

/* ---- the page ---- */

static void read_lines(struct page *p, const char *text, size_t len)
{
    struct sample s;
    char line[2048];

    while (len > 0) {
        const char *end = memchr(text, '\n', len);
        size_t n = end ? (size_t)(end - text) : len;

        if (n < sizeof(line)) {
            gp_format(line, sizeof(line), "%.*s", (int)n, text);
            if (read_sample(line, &s) && !take_config(p, &s) && !take_value(p, &s))
                take_histogram(p, &s);
        }
        text += n + (end != NULL);
        len -= n + (end != NULL);
    }
}

/* Counts that fall from bucket to bucket are none. */
static void check_buckets(struct scrape_histogram *h)
{
    for (int i = 1; i < h->buckets; i++)
        h->count[i] = fmax(h->count[i], h->count[i - 1]);
}

enum gp_status scrape_parse(const char *where, const char *text, size_t len, struct scrape *out,
                            struct gp_err *err)
{
    struct page p = {.out = out};

    memset(out, 0, sizeof(*out));
    if (len > SCRAPE_BYTES)
        return gp_fail(err, GP_E_FILE, where, "", "is larger than %zu MiB", SCRAPE_BYTES >> 20);
    read_lines(&p, text, len);
    out->cut = len > 0 && text[len - 1] != '\n';
    if (!out->engine[0])
        return gp_fail(err, GP_E_FILE, where,
                       "curl -s HOST:PORT/metrics; SGLang needs --enable-metrics, llama-server "
                       "--metrics, TensorRT-LLM return_perf_metrics and /prometheus/metrics",
                       "no metric of vLLM, SGLang, TensorRT-LLM or llama.cpp is in it");
    for (int i = 0; i < SCRAPE_OF_COUNT; i++)
        check_buckets(&out->histogram[i]);
    return GP_OK;
}

/* ---- two pages ---- */

static bool subtract_page(struct scrape_histogram *h, const struct scrape_histogram *first)
{
    if (first->buckets == 0)
        return true;
    if (h->n < first->n || h->buckets != first->buckets)
        return false;
    h->n -= first->n;
    h->sum = fmax(h->sum - first->sum, 0);
    for (int i = 0; i < h->buckets; i++) {
        if (h->le[i] != first->le[i] || h->count[i] < first->count[i])
            return false;
        h->count[i] -= first->count[i];
    }
    check_buckets(h);
    return true;
}

enum gp_status scrape_between(const char *where, const struct scrape *first,
                              const struct scrape *second, double seconds, struct scrape *out,
                              struct gp_err *err)
{
    bool same = strcmp(first->engine, second->engine) == 0;
    bool forth = same;

    *out = *second;
    out->seconds = seconds;
    out->cut = first->cut || second->cut;
    out->twice = first->twice || second->twice;
    out->models = first->models || second->models;
    for (int i = SCRAPE_COUNTERS; i < SCRAPE_VALUE_COUNT; i++) {
        forth = forth && out->value[i] >= first->value[i];
        out->value[i] -= first->value[i];
    }
    for (int i = 0; i < SCRAPE_OF_COUNT; i++)
        forth = forth && subtract_page(&out->histogram[i], &first->histogram[i]);
    if (forth)
        return GP_OK;
    return gp_fail(err, GP_E_FILE, where,
                   "two pages of one server, the earlier one first; "
                   "a server that started again counts anew",
                   same ? "counts less than the page before" : "is of another engine");
}

double scrape_mean(const struct scrape_histogram *h)
{
    return h->n > 0 ? h->sum / h->n : NAN;
}

double scrape_deviation(const struct scrape_histogram *h)
{
    double mean = scrape_mean(h), square = 0, before = 0;

    for (int i = 0; i < h->buckets && !isnan(mean); before = h->count[i++]) {
        double from = i > 0 ? h->le[i - 1] : 0, to = isfinite(h->le[i]) ? h->le[i] : 2 * from;
        double off = (from + to) / 2 - mean;

        square += (h->count[i] - before) * off * off;
    }
    return before > 0 ? sqrt(square / before) : 0;
}

double scrape_quantile(const struct scrape_histogram *h, double q)
{
    double all = h->buckets > 0 ? h->count[h->buckets - 1] : 0, before = 0, low = 0;

    if (all <= 0)
        return NAN;
    for (int i = 0; i < h->buckets; i++) {
        double in = h->count[i] - before;

        if (h->count[i] >= q * all && in > 0)
            return isinf(h->le[i]) ? low : low + (h->le[i] - low) * (q * all - before) / in;
        before = h->count[i];
        low = h->le[i];
    }
    return low;
}
