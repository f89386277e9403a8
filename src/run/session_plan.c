/*
 * session_plan.c - from options to points.
 *
 * What can be told from the words alone is told before an engine is started. What needs
 * a model takes --model; batch and decode have a default, which is said.
 */
#include "run/session_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/mem.h"
#include "util/units.h"

#define DEFAULT_MODEL "llama-3.1-8b"
#define SUBSET        "quick" /* a few points of those; not the preset of that name */
#define SUBSET_LIMIT  100.0   /* s: it is planned for much less, but a machine may be busy */

enum { LOCK_LEAST = 100, LOCK_MOST = 10000 }; /* MHz */

/* ---- words ---- */

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

/* --lock-clocks: MHz or LOCK_BASE */
static enum gp_status parse_lock(const char *text, double *clock, struct gp_err *err)
{
    char *end;
    long mhz = strtol(text, &end, 10);

    *clock = LOCK_BASE;
    if (strcmp(text, "base") == 0)
        return GP_OK;
    if (end == text || *end)
        return gp_fail(err, GP_E_USAGE, "--lock-clocks", "base, or 1410",
                       "'%s' is neither base nor MHz", text);
    if (mhz < LOCK_LEAST || mhz > LOCK_MOST)
        return gp_fail(err, GP_E_USAGE, "--lock-clocks", "", "%s MHz is outside %d..%d",
                       text, LOCK_LEAST, LOCK_MOST);
    *clock = (double)mhz;
    return GP_OK;
}

static enum preset preset_of(const char *word)
{
    return strcmp(word, "quick") == 0      ? PRESET_QUICK
           : strcmp(word, "thorough") == 0 ? PRESET_THOROUGH
                                           : PRESET_NORMAL;
}

/* What was asked for by hand stands above the preset. */
static void take_method(const struct options *options, struct method_settings *m)
{
    m->max_memory = options_or(options, OPT_MAX_MEMORY, 0);
    if (options->value[OPT_SEED].given)
        m->seed = (uint64_t)options->value[OPT_SEED].number;
    m->rel_ci = options_or(options, OPT_REL_CI, 100 * m->rel_ci) / 100;
    m->max_time = options_or(options, OPT_MAX_TIME, m->max_time);
    m->min_time = fmin(m->min_time, m->max_time);
    m->fill = (enum bench_fill)method_word(method_fills, FILL_COUNT,
                                           options_word(options, OPT_FILL, "uniform"));
    m->check = (enum bench_check)method_word(
        method_checks, CHECK_COUNT, options_word(options, OPT_CHECK, "sample"));
    m->algos = options_or(options, OPT_ALGOS, m->algos);
    m->sensors = options_or(options, OPT_NVML_INTERVAL, 1000 * m->sensors) / 1000;
    m->force = options_flag(options, OPT_FORCE);
    if (options->value[OPT_WORKSPACE].given)
        m->workspace = options->value[OPT_WORKSPACE].number;
}

static void take_settings(struct session *s)
{
    struct points_options *options = &s->points_options;

    memset(options, 0, sizeof *options);
    options->subset = strcmp(s->tests_text, SUBSET) == 0 ||
                      (!s->tests_text[0] && !options_flag(&s->options, OPT_PRESET));
    options->preset = preset_of(
        options_word(&s->options, OPT_PRESET, options->subset ? "quick" : "normal"));
    options->settings = method_preset(options->preset);
    take_method(&s->options, &options->settings);
    options->cache = bench_cache_parse(options_word(&s->options, OPT_CACHE, ""));
    options->shapes = s->shapes;
    s->time_limit = options->subset ? SUBSET_LIMIT : 0;
}

/* --size LOW[:HIGH] */
static enum gp_status parse_sizes(const char *text, double *low, double *high,
                                  struct gp_err *err)
{
    char left[64];
    char *colon;

    gp_copy(left, sizeof left, text);
    if ((colon = strchr(left, ':')))
        *colon = '\0';
    if (units_parse_bytes(left, "--size", low, err) ||
        (colon && units_parse_bytes(colon + 1, "--size", high, err)))
        return err->code;
    if (!colon)
        *high = *low;
    if (*low > *high)
        return gp_fail(err, GP_E_USAGE, "--size", "the smaller size comes first",
                       "'%s' ends before it begins", text);
    return GP_OK;
}

/* Warm-up counts, for it is the user's time: said before it is spent. */
static void check_limit(struct session *s)
{
    const struct method_settings *m = &s->points_options.settings;

    if (s->time_limit > 0 && s->time_limit <= m->device_warmup_max)
        session_warn(s, "time_limit",
                     "--time-limit %s s: warming the device up alone takes %s to %s s of it",
                     UNITS_PLAIN(s->time_limit, 3),
                     UNITS_PLAIN(m->device_warmup_min, 3),
                     UNITS_PLAIN(m->device_warmup_max, 3));
}

static enum gp_status check_model(const struct session *s, struct gp_err *err)
{
    unsigned need = bench_tests_that(TEST_NEEDS_MODEL);

    if (s->tests & need && s->options.model_count > 1)
        return gp_fail(err, GP_E_USAGE, "--model", "",
                       "one model is measured at a time");
    if (!(s->tests & ~bench_tests_that(TEST_NEEDS_PLAN)) && s->options.model_count == 0)
        return gp_fail(err, GP_E_USAGE, "--model", "name one", "fit needs a model");
    return GP_OK;
}

/* --storage FILE: by its whole path, for an engine may run elsewhere, and the point's id
 * stands for the file. */
static enum gp_status take_storage(struct session *s, const char *text,
                                   struct gp_err *err)
{
    char *path = realpath(text, NULL);
    struct stat about;
    enum gp_status status = GP_OK;

    if (!path || stat(path, &about) != 0 || access(path, R_OK) != 0)
        status = gp_fail(err, GP_E_FILE, text, "", "cannot read it: %s", strerror(errno));
    else if (!S_ISREG(about.st_mode) || about.st_size < 1)
        status = gp_fail(err, GP_E_FILE, text, "", "is not a file, or is empty");
    else if (!gp_copy(s->storage, sizeof s->storage, path))
        status = gp_fail(err, GP_E_FILE, text, "", "its path is longer than %zu bytes",
                         sizeof s->storage - 1);
    if (!status) {
        s->points_options.storage = s->storage;
        s->points_options.storage_bytes = (double)about.st_size;
    }
    free(path);
    return status;
}

/* Is it one of the words between the commas? */
static bool names_test(const char *list, const char *word)
{
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == strlen(word) && strncmp(at, word, strlen(word)) == 0)
            return true;
    return false;
}

static enum gp_status take_tests(struct session *s, struct gp_err *err)
{
    bool named = s->tests_text[0] && !s->points_options.subset;

    if (named && names_test(s->tests_text, SUBSET))
        return gp_fail(err, GP_E_USAGE, "--bench", "or name tests and --preset quick",
                       SUBSET " stands alone");
    s->tests = bench_tests_that(TEST_IS_DEFAULT);
    return named ? points_parse_tests(s->tests_text, "--bench", &s->tests, err) : GP_OK;
}

enum gp_status session_check(struct session *s, struct gp_err *err)
{
    struct points_options *options = &s->points_options;
    const char *text;
    double low, high;
    enum gp_status status;

    take_settings(s);
    status = take_tests(s, err);
    if (!status && (text = options_word(&s->options, OPT_TYPE, NULL)))
        status = points_parse_types(text, "--type", &options->types, err);
    if (!status && (text = options_word(&s->options, OPT_SHAPES, NULL)))
        status = points_parse_shapes(text, "--shapes", s->shapes, POINTS_SHAPES,
                                     &options->shape_count, err);
    if (!status && (text = options_word(&s->options, OPT_TIME_LIMIT, NULL)))
        status = parse_time(text, &s->time_limit, err);
    if (!status && (text = options_word(&s->options, OPT_LOCK_CLOCKS, NULL)))
        status = parse_lock(text, &options->settings.lock_clock, err);
    if (!status && (text = options_word(&s->options, OPT_SIZE, NULL)))
        status = parse_sizes(text, &low, &high, err);
    if (!status && (text = options_word(&s->options, OPT_STORAGE, NULL)))
        status = take_storage(s, text, err);
    return status ? status : check_model(s, err);
}

/* ---- model and devices ---- */

static enum gp_status take_model(struct session *s, struct gp_err *err)
{
    unsigned need = bench_tests_that(TEST_NEEDS_MODEL);
    struct options options = s->options;
    enum gp_status status = GP_OK;

    s->model_assumed = false;
    if (options.model_count >
        0) /* whose messages are measured; none is assumed for them */
        need |= bench_tests_that(TEST_USES_MODEL);
    if (!(s->tests & need))
        return GP_OK;
    if (options.model_count == 0) {
        s->model_assumed = true;
        status = options_text(&options, OPT_MODEL, "--model", DEFAULT_MODEL, err);
    }
    s->answer = gp_calloc(1, sizeof *s->answer);
    if (!status)
        status = planner_answer(s->how.planner, &options, s->answer, err);
    if (status)
        return status;
    s->points_options.request = &s->answer->plan.request;
    if (s->model_assumed) {
        if (s->tests & bench_tests_that(TEST_NEEDS_PLAN))
            session_warn(s, "plan", "fit left out: it needs a model of yours, --model");
        s->tests &= ~bench_tests_that(TEST_NEEDS_PLAN);
        s->points_options.tp = (int)options_or(&options, OPT_TP, 1);
        session_warn(s, "plan",
                     "the layers are those of " DEFAULT_MODEL ": --model chooses");
    } else {
        s->points_options.layout = &s->answer->plan.layout;
    }
    return GP_OK;
}

/* Only a GPU's driver takes a clock; elsewhere the option would be kept and not done.
 */
static enum gp_status check_lock(const struct session *s, struct gp_err *err)
{
    if (s->points_options.settings.lock_clock == 0 || strcmp(s->backend, "cuda") == 0)
        return GP_OK;
    return gp_fail(err, GP_E_USAGE, "--lock-clocks", s->chosen,
                   "needs a GPU; a CPU has no such lock");
}

/* The types that an engine says it multiplies, of all devices; 0 = one does not say. */
static unsigned product_types(const struct session *s, bool *says)
{
    unsigned all = (1u << TYPE_COUNT) - 1, types;
    const json_t *list, *word;
    size_t k;

    *says = true;
    for (int i = 0; i < s->count; i++) {
        list = json_object_get(json_object_get(s->unit[i].json, "more"), "product_types");
        if (!json_is_array(list))
            return *says = false;
        types = 0;
        json_array_foreach(list, k, word)
            for (int t = 0; t < TYPE_COUNT; t++)
                types |= (unsigned)(json_is_string(word) &&
                                    strcmp(json_string_value(word),
                                           bench_type_word((enum bench_type)t)) == 0)
                         << t;
        all &= types;
    }
    return all;
}

/* Products that no library is there for are refused before anything is measured. */
static enum gp_status check_products(struct session *s, struct gp_err *err)
{
    unsigned need = bench_tests_that(TEST_IS_LIBRARY);
    bool says;

    s->points_options.products = product_types(s, &says);
    if (!says || s->points_options.products || !(s->tests & need))
        return GP_OK;
    return gp_fail(err, GP_E_DEVICE, "--bench",
                   "as root: apt-get install libdnnl-dev; then ./bootstrap; memory, "
                   "transfer and fit need neither",
                   "gemm, batch and decode need oneDNN or OpenBLAS, and the CPU engine "
                   "was built without");
}

/* The smallest device decides, so that all measure the same points. */
static void take_device_figures(struct session *s)
{
    struct points_options *options = &s->points_options;
    const struct gpu *gpu = &s->unit[0].gpu;

    options->devices = s->count;
    for (int i = 0; i < s->count && i < POINTS_DEVICES; i++)
        options->device[i] = s->unit[i].index;
    options->cpu = strcmp(s->backend, "cpu") == 0;
    for (int i = 0; i < s->count; i++) {
        double memory = session_figure(s->unit[i].json, "memory");
        double cache = session_figure(s->unit[i].json, "cache");

        if (memory > 0 && (options->memory <= 0 || memory < options->memory))
            options->memory = memory;
        options->cache_bytes =
            cache > options->cache_bytes ? cache : options->cache_bytes;
    }
    if (!s->unit[0].known)
        return;
    options->bandwidth = gpu->bandwidth.known ? gpu->bandwidth.value : 0;
    for (int t = 0; t < TYPE_COUNT; t++)
        options->rate[t] = roof_of_type(gpu, (enum bench_type)t).rate.value;
}

/* --size drops the memory, transfer and allreduce points outside. */
static enum gp_status take_sizes(struct session *s, struct gp_err *err)
{
    const char *text = options_word(&s->options, OPT_SIZE, NULL);
    struct points *p = &s->points;
    double low, high;
    int kept = 0;

    if (!text)
        return GP_OK;
    if (parse_sizes(text, &low, &high, err))
        return err->code;
    p->total_seconds = p->most_bytes = 0;
    for (int i = 0; i < p->count; i++) {
        enum bench_test test = p->point[i].test;
        bool sized =
            bench_test_is(test, TEST_IS_SIZED) && !bench_test_is(test, TEST_IS_ONCE);

        if (sized && (p->point[i].bytes < low || p->point[i].bytes > high))
            continue;
        p->point[kept] = p->point[i];
        p->seconds[kept] = p->seconds[i];
        p->bytes[kept] = p->bytes[i];
        p->total_seconds += p->seconds[kept];
        p->most_bytes = fmax(p->most_bytes, p->bytes[kept]);
        kept++;
    }
    if (kept && kept < p->count)
        session_warn(s, "plan", "--size %s left out %d of %d points", text,
                     p->count - kept, p->count);
    p->count = kept;
    if (!kept)
        return gp_fail(err, GP_E_USAGE, "--size",
                       "see --dry-run for the sizes there are",
                       "no point is of that size");
    return GP_OK;
}

/* ---- the plan ---- */

void session_drop_plan(struct session *s)
{
    points_fini(&s->points);
    memset(&s->points, 0, sizeof s->points);
    free(s->answer);
    s->answer = NULL;
    for (int i = 0; i < s->count; i++) {
        free(s->unit[i].shown);
        free(s->unit[i].bad);
        free(s->unit[i].order);
        json_decref(s->unit[i].opened);
    }
    s->count = 0;
}

enum gp_status session_make_plan(struct session *s, struct gp_err *err)
{
    enum gp_status status = session_choose(s, err);

    if (!status)
        status = check_lock(s, err);
    if (!status)
        status = check_products(s, err);
    if (!status)
        status = take_model(s, err);
    if (!status) {
        take_device_figures(s);
        s->points_options.tests = s->tests;
        status = points_plan(&s->points_options, &s->points, err);
    }
    if (!status)
        status = take_sizes(s, err);
    if (!status)
        check_limit(s);
    if (!status && s->points_options.subset)
        session_warn(s, "plan",
                     "the quick subset: a few points with short samples");
    if (status) {
        session_drop_plan(s);
        return status;
    }
    for (int i = 0; i < s->count; i++) {
        s->unit[i].shown = gp_calloc((size_t)s->points.count * SESSION_VARIANTS,
                                     sizeof *s->unit[i].shown);
        s->unit[i].bad = gp_calloc((size_t)s->points.count, sizeof *s->unit[i].bad);
    }
    return GP_OK;
}

void session_dry_run(const struct session *s, struct strbuf *out)
{
    const struct points *p = &s->points;
    char size[32];

    for (int i = 0; i < s->count; i++)
        strbuf_addf(out, "device %d: %s (%s)\n", s->unit[i].index,
                    session_word(s->unit[i].json, "name"), s->backend);
    for (int i = 0; i < p->count; i++)
        strbuf_addf(out, "%-64s %10s %7.1f s\n", p->point[i].id,
                    units_bytes(size, sizeof size, p->bytes[i]),
                    p->seconds[i] * POINTS_PASSES);
    for (int i = 0; i < p->note_count; i++)
        strbuf_addf(out, "note: %s\n", p->note[i]);
    for (int i = 0; i < s->note_count; i++)
        strbuf_addf(out, "note: %s\n", s->note[i].text);
    strbuf_addf(
        out,
        "%d points, %d passes, about %.0f s with warm-up and rests, at most %s at once "
        "on each device; result in %s\n",
        p->count, POINTS_PASSES, points_time(&s->points_options, p),
        units_bytes(size, sizeof size, p->most_bytes), s->result);
}
