/*
 * bench_setup.c - from options to a run: which engine, devices, points and files.
 *
 * Without --backend the GPUs are measured where the CUDA engine finds some; otherwise
 * the CPU is, and the reason is kept and said. What needs a model takes --model; batch
 * and decode have a default, which is said too.
 */
#include "cli/bench_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe.h"
#include "util/mem.h"
#include "util/units.h"

#define DEFAULT_MODEL "llama-3.1-8b"
#define ASK_TIMEOUT   60.0 /* s an engine may take to list its devices */

double bench_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_warn(struct bench_job *job, const char *fmt, ...)
{
    va_list args;

    if (job->warning_count == BENCH_WARNINGS)
        return;
    va_start(args, fmt);
    vsnprintf(job->warning[job->warning_count++], sizeof job->warning[0], fmt, args);
    va_end(args);
}

/* ---- engine and devices ---- */

/* A program may lie about its name, not about what it says of itself: a stand-in that
 * was left where an engine belongs must not pass for one. */
static void check_engine(struct bench_job *job)
{
    const char *engine = json_string_value(json_object_get(job->hello, "engine"));
    const char *version = json_string_value(json_object_get(job->hello, "version"));

    if (!engine || strcmp(engine, job->backend) != 0)
        bench_warn(job, "NOT a %s engine: %.96s calls itself '%.32s' (%.64s)",
                   job->backend, job->program, engine ? engine : "nothing",
                   version ? version : "no version");
}

static enum gp_status try_backend(struct bench_job *job, const char *name,
                                  struct gp_err *err)
{
    enum gp_status status;

    if (!runner_find(name, job->program, sizeof job->program))
        return gp_fail(err, GP_E_DEVICE, "--backend",
                       "it is built where its libraries are found",
                       "there is no engine gpuplan-bench-%s here", name);
    status = runner_devices(job->program, ASK_TIMEOUT, &job->hello, &job->devices, err);
    if (!status && json_array_size(job->devices) == 0)
        status = gp_fail(err, GP_E_DEVICE, "--backend", "", "%s finds no device", name);
    if (status) {
        json_decref(job->hello);
        json_decref(job->devices);
        job->hello = job->devices = NULL;
        return status;
    }
    gp_copy(job->backend, sizeof job->backend, name);
    check_engine(job);
    return GP_OK;
}

static enum gp_status choose_backend(struct bench_job *job, struct gp_err *err)
{
    const char *asked = ask_word(&job->in->ask, OPT_BACKEND, "auto");
    struct gp_err why = {0};

    if (strcmp(asked, "auto") != 0)
        return try_backend(job, asked, err);
    if (try_backend(job, "cuda", &why) == GP_OK)
        return GP_OK;
    if (try_backend(job, "cpu", err))
        return err->code;
    gp_format(job->chosen, sizeof job->chosen, "measures the CPU: %s", why.text);
    return GP_OK;
}

static double figure(const json_t *json, const char *key)
{
    return json_number_value(json_object_get(json, key));
}

/* The GPU of the catalogue, by name and memory; NULL when it is in no profile. */
static const struct gpu *known_gpu(struct bench_job *job, const json_t *json)
{
    const char *name = json_string_value(json_object_get(json, "name"));
    const struct gpu *const *gpus;
    struct device device;
    size_t count;

    if (strcmp(job->backend, "cuda") != 0 || !name ||
        catalog_gpus(planner_catalog(job->in->planner), &gpus, &count, NULL))
        return NULL;
    memset(&device, 0, sizeof device);
    gp_copy(device.name, sizeof device.name, name);
    device.memory_total = quantity_exact(figure(json, "memory"));
    return probe_match(&device, gpus, count);
}

static enum gp_status add_device(struct bench_job *job, size_t place,
                                 struct gp_err *err)
{
    const json_t *json = json_array_get(job->devices, place);
    struct bench_device_run *d = &job->device[job->device_count];

    if (!json || job->device_count == BENCH_DEVICES)
        return gp_fail(err, GP_E_DEVICE, "--device", "",
                       "there is no device %zu: %s has %zu", place, job->backend,
                       json_array_size(job->devices));
    for (int i = 0; i < job->device_count; i++)
        if (job->device[i].json == json)
            return GP_OK;
    d->json = json;
    d->index = (int)json_integer_value(json_object_get(json, "index"));
    d->gpu = known_gpu(job, json);
    job->device_count++;
    return GP_OK;
}

static enum gp_status choose_devices(struct bench_job *job, struct gp_err *err)
{
    const char *text = ask_word(&job->in->ask, OPT_DEVICE, "all");
    size_t all = json_array_size(job->devices);
    enum gp_status status = GP_OK;

    if (job->ranks > 1)
        return add_device(job, (size_t)job->local_rank % all, err);
    for (size_t i = 0; strcmp(text, "all") == 0 && i < all && !status; i++)
        status = add_device(job, i, err);
    while (strcmp(text, "all") != 0 && !status) {
        char *end;
        unsigned long n = strtoul(text, &end, 10);

        if (end == text || (*end && *end != ',') || *text == '-' || n > 1000)
            return gp_fail(err, GP_E_USAGE, "--device", "0,1 or all",
                           "'%s' is no list of devices", text);
        status = add_device(job, n, err);
        if (!*end)
            break;
        text = end + 1;
    }
    return status;
}

/* ---- what to measure ---- */

static enum gp_status parse_time(const char *text, double *seconds, struct gp_err *err)
{
    char *end;
    double n = strtod(text, &end);
    double unit = strcmp(end, "h") == 0            ? 3600
                  : strcmp(end, "m") == 0          ? 60
                  : strcmp(end, "s") == 0 || !*end ? 1
                                                   : 0;

    if (end == text || !(n > 0) || n > 1e6 || unit <= 0)
        return gp_fail(err, GP_E_USAGE, "--time-limit", "90s, 10m or 2h",
                       "'%s' is no time", text);
    *seconds = n * unit;
    return GP_OK;
}

static enum gp_status take_tests(struct bench_job *job, struct gp_err *err)
{
    struct invocation *in = job->in;
    struct strbuf text;
    enum gp_status status;

    strbuf_init(&text);
    for (int i = 0; i < in->arg_count; i++)
        strbuf_addf(&text, "%s%s", i ? "," : "", in->args[i]);
    status = points_parse_tests(text.len ? text.text : "gemm,batch,memory,transfer",
                                "--bench", &job->tests, err);
    strbuf_fini(&text);
    return status;
}

static unsigned bit(enum bench_test test)
{
    return 1u << test;
}

static enum gp_status take_model(struct bench_job *job, struct gp_err *err)
{
    struct ask ask = job->in->ask;
    unsigned need = bit(TEST_BATCH) | bit(TEST_DECODE) | bit(TEST_FIT);
    enum gp_status status = GP_OK;

    if (!(job->tests & need))
        return GP_OK;
    if (ask.model_count > 1)
        return gp_fail(err, GP_E_USAGE, "--model", "",
                       "one model is measured at a time");
    if (ask.model_count == 0) {
        if (job->tests == bit(TEST_FIT))
            return gp_fail(err, GP_E_USAGE, "--model", "name one", "fit needs a model");
        job->model_assumed = true;
        status = ask_text(&ask, OPT_MODEL, "--model", DEFAULT_MODEL, err);
    }
    job->answer = gp_calloc(1, sizeof *job->answer);
    if (!status)
        status = planner_answer(job->in->planner, &ask, job->answer, err);
    if (status)
        return status;
    job->ask.request = &job->answer->plan.request;
    if (job->model_assumed) {
        job->tests &= ~bit(TEST_FIT);
        job->ask.tp = (int)ask_or(&ask, OPT_TP, 1);
        bench_warn(job, "the layers are those of " DEFAULT_MODEL ": --model chooses");
    } else {
        job->ask.layout = &job->answer->plan.layout;
    }
    return GP_OK;
}

static enum preset preset_of(const char *word)
{
    return strcmp(word, "quick") == 0      ? PRESET_QUICK
           : strcmp(word, "thorough") == 0 ? PRESET_THOROUGH
                                           : PRESET_NORMAL;
}

/* The smallest device decides, so that all measure the same points. */
static void take_device_figures(struct bench_job *job)
{
    static const enum format_math math[TYPE_COUNT] = {
        [TYPE_FP32] = MATH_FP32,    [TYPE_TF32] = MATH_TF32, [TYPE_FP16] = MATH_FP16,
        [TYPE_FP16ACC] = MATH_FP16, [TYPE_BF16] = MATH_BF16, [TYPE_INT8] = MATH_INT8,
        [TYPE_FP8] = MATH_FP8,      [TYPE_MXFP8] = MATH_FP8, [TYPE_NVFP4] = MATH_FP4};
    struct points_ask *ask = &job->ask;

    for (int i = 0; i < job->device_count; i++) {
        double memory = figure(job->device[i].json, "memory");
        double cache = figure(job->device[i].json, "cache");

        if (memory > 0 && (ask->memory <= 0 || memory < ask->memory))
            ask->memory = memory;
        ask->cache_bytes = cache > ask->cache_bytes ? cache : ask->cache_bytes;
    }
    if (!job->device[0].gpu)
        return;
    ask->bandwidth =
        job->device[0].gpu->bandwidth.known ? job->device[0].gpu->bandwidth.value : 0;
    for (int t = 0; t < TYPE_COUNT; t++)
        ask->rate[t] = job->device[0].gpu->rate[math[t]].known
                           ? job->device[0].gpu->rate[math[t]].value
                           : 0;
}

static enum gp_status take_settings(struct bench_job *job, struct gp_err *err)
{
    const struct ask *given = &job->in->ask;
    struct points_ask *ask = &job->ask;
    const char *text;
    enum gp_status status = GP_OK;

    ask->preset = preset_of(ask_word(given, OPT_PRESET, "normal"));
    ask->settings = method_preset(ask->preset);
    ask->settings.max_memory = ask_or(given, OPT_MAX_MEMORY, 0);
    if (given->value[OPT_SEED].given)
        ask->settings.seed = (uint64_t)given->value[OPT_SEED].number;
    ask->cache = bench_cache_parse(ask_word(given, OPT_CACHE, ""));
    ask->devices = job->device_count;
    ask->cpu = strcmp(job->backend, "cpu") == 0;
    job->passes = ask->preset == PRESET_QUICK ? 1 : 2;
    if ((text = ask_word(given, OPT_TYPE, NULL)))
        status = points_parse_types(text, "--type", &ask->types, err);
    if (!status && (text = ask_word(given, OPT_SHAPES, NULL))) {
        status = points_parse_shapes(text, "--shapes", job->shapes, POINTS_SHAPES,
                                     &ask->shape_count, err);
        ask->shapes = job->shapes;
    }
    if (!status && (text = ask_word(given, OPT_TIME_LIMIT, NULL)))
        status = parse_time(text, &job->time_limit, err);
    return status;
}

/* --size LOW[:HIGH]: drops the memory, transfer and allreduce points outside. */
static enum gp_status take_sizes(struct bench_job *job, struct gp_err *err)
{
    const char *text = ask_word(&job->in->ask, OPT_SIZE, NULL);
    struct points *p = &job->points;
    double low, high;
    char left[64];
    int kept = 0;

    if (!text)
        return GP_OK;
    gp_copy(left, sizeof left, text);
    char *colon = strchr(left, ':');
    if (colon)
        *colon = '\0';
    if (units_parse_bytes(left, "--size", &low, err) ||
        (colon && units_parse_bytes(colon + 1, "--size", &high, err)))
        return err->code;
    if (!colon)
        high = low;
    p->total_seconds = p->most_bytes = 0;
    for (int i = 0; i < p->count; i++) {
        enum bench_test test = p->point[i].test;
        bool sized =
            test == TEST_MEMORY || test == TEST_TRANSFER || test == TEST_ALLREDUCE;

        if (sized && (p->point[i].bytes < low || p->point[i].bytes > high))
            continue;
        p->point[kept] = p->point[i];
        p->seconds[kept] = p->seconds[i];
        p->bytes[kept] = p->bytes[i];
        p->total_seconds += p->seconds[kept];
        p->most_bytes = p->bytes[kept] > p->most_bytes ? p->bytes[kept] : p->most_bytes;
        kept++;
    }
    p->count = kept;
    if (!kept)
        return gp_fail(err, GP_E_USAGE, "--size",
                       "see --dry-run for the sizes there are",
                       "no point is of that size");
    return GP_OK;
}

/* ---- files ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

static enum gp_status name_files(struct bench_job *job, struct gp_err *err)
{
    const char *out = ask_word(&job->in->ask, OPT_OUT, NULL);
    const char *resume = ask_word(&job->in->ask, OPT_RESUME, NULL);
    char stamp[32];
    bool ok = true;

    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", gmtime(&job->began));
    job->to_stdout = out && strcmp(out, "-") == 0;
    if (out && !job->to_stdout)
        ok = gp_copy(job->base, sizeof job->base, out);
    else if (resume && ends_with(resume, ".part"))
        gp_format(job->base, sizeof job->base, "%.*s", (int)strlen(resume) - 5, resume);
    else if (job->ranks > 1)
        gp_format(job->base, sizeof job->base, "gpuplan-bench-%s.json",
                  job->job_id[0] && !strchr(job->job_id, '/') ? job->job_id : "ranks");
    else
        gp_format(job->base, sizeof job->base, "gpuplan-bench-%s-%s.json", job->host,
                  stamp);
    if (job->in->format == OUTPUT_CSV || job->in->format == OUTPUT_MARKDOWN)
        if (out &&
            !job->to_stdout) /* the view has that name; the record is beside it */
            ok = ok && gp_format(job->base, sizeof job->base, "%s.json", out);
    if (job->ranks > 1)
        ok = ok && bench_rank_name(job, job->result, sizeof job->result);
    else
        gp_copy(job->result, sizeof job->result, job->base);
    ok = ok &&
         (resume ? gp_copy(job->journal_path, GP_PATH_MAX, resume)
                 : gp_format(job->journal_path, GP_PATH_MAX, "%s.part", job->result));
    if (!ok)
        return gp_fail(err, GP_E_USAGE, "--output", "", "the name is too long");
    return GP_OK;
}

enum gp_status bench_setup(struct bench_job *job, struct gp_err *err)
{
    enum gp_status status;

    job->began = time(NULL);
    job->clock = bench_now();
    job->records = json_array();
    bench_rank_find(job);
    status = take_tests(job, err);
    if (!status)
        status = name_files(job, err);
    if (!status)
        status = choose_backend(job, err);
    if (!status)
        status = choose_devices(job, err);
    if (!status)
        status = take_settings(job, err);
    if (!status)
        status = take_model(job, err);
    if (status)
        return status;
    take_device_figures(job);
    job->ask.tests = job->tests;
    status = points_plan(&job->ask, &job->points, err);
    return status ? status : take_sizes(job, err);
}

void bench_job_fini(struct bench_job *job)
{
    json_decref(job->hello);
    json_decref(job->devices);
    json_decref(job->records);
    points_fini(&job->points);
    free(job->answer);
    if (job->journal)
        journal_close(job->journal, false);
}

/* ---- --dry-run ---- */

void bench_dry_run(const struct bench_job *job, struct strbuf *out)
{
    const struct points *p = &job->points;
    char size[32];

    for (int i = 0; i < job->device_count; i++)
        strbuf_addf(out, "device %d: %s (%s)\n", job->device[i].index,
                    json_string_value(json_object_get(job->device[i].json, "name")),
                    job->backend);
    for (int i = 0; i < p->count; i++)
        strbuf_addf(out, "%-64s %10s %7.1f s\n", p->point[i].id,
                    units_bytes(size, sizeof size, p->bytes[i]),
                    p->seconds[i] * job->passes);
    for (int i = 0; i < p->note_count; i++)
        strbuf_addf(out, "note: %s\n", p->note[i]);
    for (int i = 0; i < job->warning_count; i++)
        strbuf_addf(out, "note: %s\n", job->warning[i]);
    strbuf_addf(
        out,
        "%d points, %d pass%s, about %.0f s, at most %s at once on each device; "
        "result in %s\n",
        p->count, job->passes, job->passes == 1 ? "" : "es",
        p->total_seconds * job->passes, units_bytes(size, sizeof size, p->most_bytes),
        job->result);
}
