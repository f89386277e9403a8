/*
 * session_plan.c - what is measured: which engine is there, which devices it has, and from options
 * to points.
 *
 * Without --backend the GPUs are measured where the CUDA engine finds some; otherwise the CPU is,
 * and the reason is kept and said. A driver takes a second to answer, so the engine's list is
 * awaited like anything else, step by step. Tests that need a model take --model; batch and decode
 * have a default, noted in the result.
 */
#include "measure/session_inside.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "measure/runner_line.h"
#include "probe/probe.h"

#define ASK_TIMEOUT 60.0  /* s an engine may take to list its devices */
#define ASK_SILENCE 3.0   /* s after which the user is told what is awaited */
#define LOOK_DEVICES 1024 /* of one engine */
#define DEFAULT_MODEL "llama-3.1-8b"
#define SUBSET "quick"      /* a few points of those; not the preset of that name */
#define SUBSET_LIMIT 100.0  /* s: it is planned for much less, but a machine may be busy */
#define CONFIRM_LIMIT 120.0 /* s, of --confirm */

enum { LOCK_LEAST = 100, LOCK_MOST = 10000 }; /* MHz */

/* ---- notes ---- */

void notes_add(struct session_notes *notes, const char *code, const char *fmt, ...)
{
    struct session_remark *remark;
    va_list args;

    if (notes->count == NOTES_MAX)
        return;
    notes->remark =
        gp_grow(notes->remark, &notes->cap, (size_t)notes->count + 1, sizeof(*notes->remark));
    remark = &notes->remark[notes->count++];
    remark->code = code;
    va_start(args, fmt);
    vsnprintf(remark->text, sizeof(remark->text), fmt, args);
    va_end(args);
}

void notes_queue(struct session_notes *notes, const char *text)
{
    if (notes->queued == NOTES_WAIT) {
        free(notes->queue[0]);
        memmove(notes->queue, notes->queue + 1, (NOTES_WAIT - 1) * sizeof(*notes->queue));
        notes->queued--;
    }
    notes->queue[notes->queued++] = gp_strdup(text);
}

/* ---- a device, from its engine's line ---- */

#define TEXT(name, member) FIELD_TEXT_AT(struct session_device, name, member)
#define NUMBER(name, member) FIELD_NUMBER_AT(struct session_device, name, member, 1e18)
#define MEMORY(name) FIELD_NUMBER_AT(struct session_device, #name, name, 1.2e15) /* 2^50 */

const struct field session_device_fields[SESSION_DEVICE_FIELDS] = {
    FIELD_AT(struct session_device, "index", id, .type = FIELD_INT, .high = 65535),
    FIELD_AT(struct session_device, "name", name, .type = FIELD_TEXT, .is = FIELD_NEEDED,
             .size = sizeof(((struct session_device *)0)->name)),
    TEXT("uuid", uuid),
    TEXT("pci", pci),
    TEXT("more.driver", driver),
    MEMORY(memory),
    MEMORY(free),
    MEMORY(cache),
    NUMBER("bandwidth_sheet", bandwidth),
    NUMBER("more.power_limit_w", power_limit),
    NUMBER("more.sm_clock_max_mhz", sm_clock_max),
};

static void add_device(struct session_look *look, const json_t *line)
{
    const json_t *types = json_object_get(json_object_get(line, "more"), "product_types");
    const char *driver =
        json_string_value(json_object_get(json_object_get(look->engine, "software"), "driver"));
    struct reading reading = {.where = ""}; /* what is wrong was refused with the line */
    struct found_device *found;

    if (look->count == LOOK_DEVICES)
        return;
    look->found = gp_grow(look->found, &look->cap, (size_t)look->count + 1, sizeof(*look->found));
    found = &look->found[look->count++];
    memset(found, 0, sizeof(*found));
    found->line = json_incref((json_t *)line);
    struct session_device *d = &found->facts;
    d->running = -1;
    d->memory = d->free = d->cache = d->bandwidth = d->power_limit = d->sm_clock_max = NAN;
    fields_read(&reading, FIELDS(session_device_fields), line, d);
    if (driver && driver[0]) /* of all its devices */
        gp_copy(d->driver, sizeof(d->driver), driver);
    d->says_products = json_is_array(types);
    for (size_t i = 0; i < json_array_size(types); i++) {
        const char *word = json_string_value(json_array_get(types, i));
        int type = word ? bench_type_parse(word) : -1;

        d->products |= type < 0 ? 0 : 1u << type;
    }
}

/* Looks a GPU up in the catalogue, by name and memory. CUDA names a MIG instance "NVIDIA
 * A100-SXM4-40GB MIG 1g.5gb": the slice is known by its profile, and by the memory where a driver
 * leaves the profile out. */
static void match_device(struct found_device *found, struct catalog *catalog)
{
    struct session_device *d = &found->facts;
    const char *mig = strstr(d->name, " MIG ");
    const struct gpu *const *gpus;
    struct device device;
    size_t count;

    if (!d->name[0] || catalog_gpus(catalog, &gpus, &count, NULL))
        return;
    memset(&device, 0, sizeof(device));
    gp_copy(device.name, sizeof(device.name), d->name);
    if (mig)
        gp_copy(device.slice, sizeof(device.slice), mig + 5);
    device.memory_total = isfinite(d->memory) ? quantity_exact(d->memory) : quantity_unknown();
    const struct gpu *gpu = probe_match(&device, gpus, count);
    if (!gpu)
        return;
    if (!device.slice[0])
        found->gpu = *gpu;
    else if (gpu_slice_of(gpu, device.slice, &found->gpu, NULL) != GP_OK)
        return;
    d->gpu = &found->gpu;
}

void session_device_opened(struct session_device *facts, const json_t *line)
{
    struct session_device opened = *facts;
    struct reading reading = {.where = ""};

    fields_read(&reading, FIELDS(session_device_fields), line, &opened);
    facts->power_limit = opened.power_limit;
    facts->sm_clock_max = opened.sm_clock_max;
}

/* ---- sensors ---- */

#define AT(field) offsetof(struct session_sensors, field)
const struct session_sensor_row session_sensor_rows[SESSION_SENSOR_ROWS] = {
    {"power_w", {"power_w"}, AT(power), 1},
    {"power_limit_w", {NULL}, AT(power_limit), 1},
    {"clock_mhz", {"sm_clock_mhz", "clock_mhz"}, AT(sm_clock), 1},
    {"clock_max_mhz", {NULL}, AT(sm_clock_max), 1},
    {"mem_clock_mhz", {"mem_clock_mhz"}, AT(memory_clock), 1},
    {"temp_c", {"temp_c"}, AT(temperature), 1},
    {"mem_temp_c", {"mem_temp_c"}, AT(memory_temperature), 1},
    {"memory_used", {"memory_used"}, AT(memory_used), 1},
    {"memory", {NULL}, AT(memory_total), 1},
    {"busy_pct", {"sm_active_pct", "gpu_busy_pct"}, AT(busy), 100},
    {"tensor_active_pct", {"tensor_active_pct"}, AT(tensor), 100},
    {"dram_active_pct", {"dram_active_pct"}, AT(dram), 100},
    {"load1", {"load1"}, AT(load), 1},
};
#undef AT

double *session_sensor(struct session_sensors *sensors, int row)
{
    return (double *)(void *)((char *)sensors + session_sensor_rows[row].offset);
}

static double number_or_nan(const json_t *line, const char *key)
{
    const json_t *value = json_object_get(line, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

void session_sensors_read(const struct session_device *facts, const json_t *line,
                          struct session_sensors *out)
{
    const json_t *bits = json_object_get(line, "throttle_bits");

    for (int i = 0; i < SESSION_SENSOR_ROWS; i++) {
        const struct session_sensor_row *row = &session_sensor_rows[i];
        double value = NAN;

        for (int k = 0; k < 2 && row->said[k] && !isfinite(value); k++)
            value = number_or_nan(line, row->said[k]) / row->unit;
        *session_sensor(out, i) = value;
    }
    out->power_limit = facts->power_limit;
    out->sm_clock_max = facts->sm_clock_max;
    out->memory_total = facts->memory;
    out->throttle = json_is_integer(bits)
                        ? throttle_word(method_throttle_now((uint64_t)json_integer_value(bits)))
                        : "";
    out->samples = number_or_nan(line, "samples");
    out->sample = number_or_nan(line, "sample_s");
}

/* ---- which engine ---- */

double look_timeout(double usual)
{
    const char *text = getenv("GPUPLAN_ENGINE_TIMEOUT");
    double given = text ? strtod(text, NULL) : 0;

    return given > 0 ? given : usual;
}

void look_fini(struct session_look *look)
{
    runner_free(look->runner);
    look->runner = NULL;
    json_decref(look->engine);
    look->engine = NULL;
    for (int i = 0; i < look->count; i++)
        json_decref(look->found[i].line);
    free(look->found);
    look->found = NULL;
    look->count = 0;
    look->cap = 0;
}

/* Starts the next engine there is. */
static enum gp_status try_next(struct session_look *look, const struct options *options,
                               struct gp_err *err)
{
    static const char *const automatic[] = {"cuda", "cpu"};
    const char *name = options_word(options, OPT_BACKEND, "auto");

    look_fini(look);
    look->trying++;
    gp_copy(look->backend, sizeof(look->backend),
            strcmp(name, "auto") == 0 ? automatic[look->trying] : name);
    if (!runner_find(look->backend, look->program, sizeof(look->program)))
        return gp_fail(err, GP_E_DEVICE, "--backend", "it is built where its libraries are found",
                       "engine gpuplan-bench-%s is not installed here", look->backend);
    look->runner = runner_new();
    look->asked_at = clock_now();
    return runner_list(look->runner, look->program, look_timeout(ASK_TIMEOUT), err) < 0 ? err->code
                                                                                        : GP_OK;
}

/* This engine will not do: the next step starts another, or it is the end. */
static enum look_state try_another(struct session_look *look, const struct options *options,
                                   const struct gp_err *err)
{
    if (strcmp(options_word(options, OPT_BACKEND, "auto"), "auto") != 0 || look->trying > 0)
        return LOOK_FAILED;
    gp_copy(look->why_not, sizeof(look->why_not), err->text);
    look_fini(look);
    return LOOK_WAITS;
}

/* A driver that hangs is the usual reason: nothing else would show on the terminal. */
static void say_silence(struct session_look *look, struct session_notes *notes)
{
    char text[200];

    if (!(look->asked_at > 0) || clock_now() - look->asked_at < ASK_SILENCE)
        return;
    look->asked_at = 0;
    gp_format(text, sizeof(text),
              "asks gpuplan-bench-%s for its devices; it may be silent for %s s", look->backend,
              UNITS_PLAIN(look_timeout(ASK_TIMEOUT), 3));
    notes_queue(notes, text);
}

/* The list is whole. A program may lie about its name, not about what it says of itself: a stand-in
 * that was left where an engine belongs must not pass for one. */
static enum look_state finish_list(struct session_look *look, struct catalog *catalog,
                                   struct session_notes *notes)
{
    const char *name = json_string_value(json_object_get(look->engine, "engine"));
    const char *version = json_string_value(json_object_get(look->engine, "version"));

    runner_free(look->runner);
    look->runner = NULL;
    if (look->why_not[0])
        gp_format(look->chosen, sizeof(look->chosen), "measures the CPU: %s", look->why_not);
    if (!name || strcmp(name, look->backend) != 0)
        notes_add(notes, "not_this_engine", "NOT a %s engine: %.96s calls itself '%.32s' (%.64s)",
                  look->backend, look->program, name && name[0] ? name : "nothing",
                  version && version[0] ? version : "no version");
    for (int i = 0; i < look->count && strcmp(look->backend, "cuda") == 0; i++)
        match_device(&look->found[i], catalog);
    return LOOK_DONE;
}

/* The GPU of --gpu that a dry run is for, "h100-sxm:2"; NULL: what is here. */
static const char *dry_gpu(const struct options *options)
{
    static const char *const here[] = {"all", "local", CPU_ID};
    const char *text = options->gpu_count ? options->gpus[0] : "";
    size_t length = strcspn(text, ":");

    if (!options_flag(options, OPT_DRY_RUN) || !*text ||
        strcmp(options_word(options, OPT_BACKEND, "auto"), "cpu") == 0)
        return NULL;
    for (size_t i = 0; i < sizeof(here) / sizeof(here[0]); i++)
        if (strlen(here[i]) == length && strncmp(text, here[i], length) == 0)
            return NULL;
    return text;
}

/* A dry run for a GPU that --gpu names needs none: it is what its profile says. A session can be
 * prepared where there is no GPU. */
static enum look_state look_at_profile(struct session_look *look, const struct options *options,
                                       struct planner *planner, struct session_notes *notes,
                                       struct gp_err *err)
{
    const struct gpu *gpu;
    int count;

    if (planner_named_gpu(planner, dry_gpu(options), &gpu, &count, err))
        return LOOK_FAILED;
    if (options->gpu_count > 1)
        gp_fail(err, GP_E_USAGE, "--gpu", "name one", "a session is planned for one kind of GPU");
    else if (count > SESSION_DEVICES)
        gp_fail(err, GP_E_USAGE, "--gpu", "", "a session measures %d devices at most, not %d",
                SESSION_DEVICES, count);
    else if (gpu->compute_capability == 0)
        gp_fail(err, GP_E_USAGE, "--gpu", "leave it out to see what is here",
                "the engines measure NVIDIA GPUs and processors, not the %s", gpu->name);
    if (err->code)
        return LOOK_FAILED;
    gp_copy(look->backend, sizeof(look->backend), "cuda");
    look->engine = json_pack("{s:s, s:s}", "engine", "cuda", "version", GP_VERSION);
    for (int i = 0; i < (count ? count : 1); i++) {
        json_t *line =
            json_pack("{s:i, s:s, s:f, s:f, s:f, s:f}", "index", i, "name", gpu->name, "memory",
                      gpu->physical.value, "free", gpu_usable(gpu).value, "cache",
                      gpu->l2.known ? gpu->l2.value : 0, "bandwidth_sheet", gpu->bandwidth.value);

        add_device(look, line);
        json_decref(line);
    }
    for (int i = 0; i < look->count; i++) {
        look->found[i].gpu = *gpu;
        look->found[i].facts.gpu = &look->found[i].gpu;
    }
    notes_add(notes, "plan", "the %s is as its profile says: no device was asked", gpu->name);
    return LOOK_DONE;
}

enum look_state look_step(struct session_look *look, const struct options *options,
                          struct planner *planner, double seconds, struct session_notes *notes,
                          struct gp_err *err)
{
    struct runner_event said;

    if (dry_gpu(options)) {
        *err = (struct gp_err){.code = GP_OK};
        return look_at_profile(look, options, planner, notes, err);
    }
    if (!look->runner && try_next(look, options, err))
        return try_another(look, options, err);
    if (!runner_step(look->runner, seconds, &said)) {
        say_silence(look, notes);
        return LOOK_WAITS;
    }
    if (said.kind == EVENT_HELLO) {
        json_decref(look->engine);
        look->engine = json_incref((json_t *)said.json);
    } else if (said.kind == EVENT_DEVICE) {
        add_device(look, said.json);
    } else if (said.kind == EVENT_FAILED) {
        *err = said.err;
        return try_another(look, options, err);
    } else if (said.kind == EVENT_DONE && look->count == 0) {
        gp_fail(err, GP_E_DEVICE, "--backend", "", "%s finds no device", look->backend);
        return try_another(look, options, err);
    } else if (said.kind == EVENT_DONE) {
        return finish_list(look, planner_catalog(planner), notes);
    }
    return LOOK_WAITS;
}

/* ---- what the words of the options decide ---- */

static enum gp_status parse_time(const char *text, double *seconds, struct gp_err *err)
{
    char *end;
    double n = strtod(text, &end);
    double unit = strcmp(end, "h") == 0            ? 3600
                  : strcmp(end, "m") == 0          ? 60
                  : strcmp(end, "s") == 0 || !*end ? 1
                                                   : 0;

    if (end == text || !(n > 0) || n > 1e6 || unit <= 0)
        return gp_fail(err, GP_E_USAGE, "--time-limit", "90s, 10m or 2h", "'%s' is not a time",
                       text);
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
        return gp_fail(err, GP_E_USAGE, "--lock-clocks", "", "%s MHz is outside %d..%d", text,
                       LOCK_LEAST, LOCK_MOST);
    *clock = (double)mhz;
    return GP_OK;
}

/* What was asked for by hand stands above the preset. */
static void take_settings(struct bench_plan *plan, const struct session_request *ask)
{
    struct points_options *points = &plan->options;
    struct method_settings *m = &points->settings;
    const struct options *options = ask->options;

    memset(points, 0, sizeof(*points));
    points->subset =
        strcmp(ask->tests, SUBSET) == 0 || (!ask->tests[0] && !options_flag(options, OPT_PRESET));
    points->preset = (enum preset)line_word(
        method_presets, PRESET_COUNT,
        options_word(options, OPT_PRESET, points->subset || ask->confirm ? "quick" : "normal"));
    *m = method_preset(points->preset);
    for (int i = 0; i < METHOD_NUMBER_COUNT; i++) {
        const struct method_number *row = &method_numbers[i];
        int id = row->option ? option_find(row->option) : -1;

        if (id >= 0 && options->value[id].given)
            *method_number(m, i) = options->value[id].number / row->scale;
    }
    m->min_time = fmin(m->min_time, m->max_time);
    if (m->soak > 0) { /* heats the device itself */
        points->subset = false;
        m->device_warmup_min = m->device_warmup_max = 0;
    }
    if (options->value[OPT_SEED].given)
        m->seed = (uint64_t)options->value[OPT_SEED].number;
    m->fill = (enum bench_fill)line_word(method_fills, FILL_COUNT,
                                         options_word(options, OPT_FILL, "uniform"));
    m->check = (enum bench_check)line_word(method_checks, CHECK_COUNT,
                                           options_word(options, OPT_CHECK, "sample"));
    m->force = options_flag(options, OPT_FORCE);
    points->cache = bench_cache_parse(options_word(options, OPT_CACHE, ""));
    plan->time_limit = points->subset ? SUBSET_LIMIT : ask->confirm ? CONFIRM_LIMIT : 0;
}

/* --size LOW[:HIGH] */
static enum gp_status parse_sizes(const char *text, double *low, double *high, struct gp_err *err)
{
    char left[64];
    char *colon;

    gp_copy(left, sizeof(left), text);
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

/* --storage FILE: by its whole path, for an engine may run elsewhere, and the point's id
 * stands for the file. */
static enum gp_status take_storage(struct bench_plan *plan, const char *text, struct gp_err *err)
{
    char *path = realpath(text, NULL);
    struct stat about;
    enum gp_status rc = GP_OK;

    if (!path || stat(path, &about) != 0 || access(path, R_OK) != 0)
        rc = gp_fail(err, GP_E_FILE, text, "", "cannot read it: %s", strerror(errno));
    else if (!S_ISREG(about.st_mode) || about.st_size < 1)
        rc = gp_fail(err, GP_E_FILE, text, "", "is not a file, or is empty");
    else if (!gp_copy(plan->storage, sizeof(plan->storage), path))
        rc = gp_fail(err, GP_E_FILE, text, "", "its path is longer than %zu bytes",
                     sizeof(plan->storage) - 1);
    if (!rc) {
        plan->options.storage = plan->storage;
        plan->options.storage_bytes = (double)about.st_size;
    }
    free(path);
    return rc;
}

/* Is it one of the words between the commas? */
static bool names_test(const char *list, const char *word)
{
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (strcspn(at, ",") == strlen(word) && strncmp(at, word, strlen(word)) == 0)
            return true;
    return false;
}

static enum gp_status take_tests(struct bench_plan *plan, const char *tests, struct gp_err *err)
{
    bool named = tests[0] && !plan->options.subset;

    if (named && names_test(tests, SUBSET))
        return gp_fail(err, GP_E_USAGE, "--bench", "or name tests and --preset quick",
                       SUBSET " stands alone");
    if (plan->options.settings.soak > 0 && tests[0] &&
        strcmp(tests, bench_test_word(TEST_GEMM)) != 0)
        return gp_fail(err, GP_E_USAGE, "--soak", "leave out the test, or name gemm",
                       "repeats products, not %s", tests);
    plan->tests =
        plan->options.settings.soak > 0 ? 1u << TEST_GEMM : bench_tests_that(TEST_IS_DEFAULT);
    if (!named)
        return GP_OK;
    enum gp_status rc =
        points_parse_words(tests, "--bench", bench_test_words, TEST_COUNT, &plan->tests, err);
    size_t len = rc == GP_OK ? 0 : strlen(err->hint);
    if (len > 0)
        gp_format(err->hint + len, sizeof(err->hint) - len, ", or " SUBSET " alone");
    return rc;
}

enum gp_status bench_plan_check(struct bench_plan *plan, const struct session_request *ask,
                                struct gp_err *err)
{
    struct points_options *points = &plan->options;
    const struct options *options = ask->options;
    const char *text;

    take_settings(plan, ask);
    enum gp_status rc = take_tests(plan, ask->tests, err);
    if (!rc && (text = options_word(options, OPT_TYPE, NULL)))
        rc = points_parse_words(text, "--type", bench_type_words, TYPE_COUNT, &points->types, err);
    if (!rc && (text = options_word(options, OPT_SHAPES, NULL))) {
        free(plan->shapes);
        points->shapes = plan->shapes = gp_calloc(POINTS_SHAPES, sizeof(*plan->shapes));
        rc = points_parse_shapes(text, "--shapes", plan->shapes, POINTS_SHAPES,
                                 &points->shape_count, err);
    }
    if (!rc && (text = options_word(options, OPT_TIME_LIMIT, NULL)))
        rc = parse_time(text, &plan->time_limit, err);
    if (!rc && (text = options_word(options, OPT_LOCK_CLOCKS, NULL)))
        rc = parse_lock(text, &points->settings.lock_clock, err);
    if (!rc && (text = options_word(options, OPT_SIZE, NULL)))
        rc = parse_sizes(text, &plan->size_least, &plan->size_most, err);
    if (!rc && (text = options_word(options, OPT_STORAGE, NULL)))
        rc = take_storage(plan, text, err);
    if (!rc && plan->tests & bench_tests_that(TEST_NEEDS_MODEL) && options->model_count > 1)
        rc = gp_fail(err, GP_E_USAGE, "--model", "", "one model is measured at a time");
    if (!rc && !(plan->tests & ~bench_tests_that(TEST_NEEDS_PLAN)) && options->model_count == 0)
        rc = gp_fail(err, GP_E_USAGE, "--model", "name one", "fit needs a model");
    return rc;
}

/* ---- which devices ---- */

static enum gp_status choose_device(struct bench_plan *plan, const struct session_look *look,
                                    int place, struct gp_err *err)
{
    if (place >= look->count || plan->devices == SESSION_DEVICES)
        return gp_fail(err, GP_E_DEVICE, "--device", "", "no device %d: %s has %d", place,
                       look->backend, look->count);
    for (int i = 0; i < plan->devices; i++)
        if (plan->device[i] == &look->found[place])
            return GP_OK;
    plan->device[plan->devices++] = &look->found[place];
    return GP_OK;
}

/* --device 0,1 */
static enum gp_status add_listed(struct bench_plan *plan, const struct session_look *look,
                                 const char *text, struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    while (!rc) {
        char *end;
        unsigned long n = strtoul(text, &end, 10);

        if (end == text || (*end && *end != ',') || *text == '-' || n > 1000)
            return gp_fail(err, GP_E_USAGE, "--device", "0,1 or all",
                           "'%s' is not a list of devices", text);
        rc = choose_device(plan, look, (int)n, err);
        if (!*end)
            break;
        text = end + 1;
    }
    return rc;
}

static enum gp_status choose_devices(struct bench_plan *plan, const struct session_request *ask,
                                     struct session_look *look, struct session_notes *notes,
                                     struct gp_err *err)
{
    const char *text = options_word(ask->options, OPT_DEVICE, "all");
    enum gp_status rc = GP_OK;

    plan->devices = 0;
    if (ask->ranks > 1 && ask->local_rank >= look->count)
        notes_queue(notes, "more ranks than devices on this host: two measure the same one at "
                           "once, and slow each other down");
    if (ask->ranks > 1)
        return choose_device(plan, look, ask->local_rank % look->count, err);
    if (strcmp(text, "all") != 0)
        return add_listed(plan, look, text, err);
    for (int i = 0; i < look->count && !rc; i++)
        rc = choose_device(plan, look, i, err);
    return rc;
}

/* ---- the model, and what the devices can ---- */

/* The devices that are measured as --gpu names them, "h100-sxm:2": the smallest kind, and as many
 * as there are, or a whole number of the replicas asked for. Where one replica takes more, its
 * share is measured. "" = the catalogue does not know them all. */
static char *measured_gpus(const struct bench_plan *plan, const struct options *options, bool cpu,
                           char *text, size_t size)
{
    int replica = (int)(options_or(options, OPT_TP, 1) * options_or(options, OPT_PP, 1));
    int count = plan->devices < replica ? replica : plan->devices - plan->devices % replica;
    const struct gpu *least = plan->device[0]->facts.gpu;

    for (int i = 1; i < plan->devices && least; i++) {
        const struct gpu *gpu = plan->device[i]->facts.gpu;

        if (!gpu || gpu_usable(gpu).value < gpu_usable(least).value)
            least = gpu;
    }
    gp_copy(text, size, cpu && count == 1 ? CPU_ID : "");
    if (least)
        gp_format(text, size, "%s:%d", least->id, count);
    return text;
}

/* Left to itself the planner would choose GPUs and how many, and `fit` allocate a part of a model
 * on a device that is taken to hold the whole: it plans for those that are measured. */
static enum gp_status plan_model(struct bench_plan *plan, struct planner *planner,
                                 const struct options *asked, bool cpu, struct gp_err *err)
{
    struct options options = *asked;
    char gpus[GPU_ID_MAX + 16];

    if (asked->gpu_count == 0 && measured_gpus(plan, asked, cpu, gpus, sizeof(gpus))[0] &&
        options_text(&options, OPT_GPU, "--gpu", gpus, err) == GP_OK &&
        planner_answer(planner, &options, plan->answer, err) == GP_OK)
        return GP_OK;
    return planner_answer(planner, asked, plan->answer, err);
}

static enum gp_status take_model(struct bench_plan *plan, const struct session_request *ask,
                                 bool cpu, struct session_notes *notes, struct gp_err *err)
{
    unsigned need = bench_tests_that(TEST_NEEDS_MODEL);
    struct options options = *ask->options;
    bool assumed = options.model_count == 0;
    enum gp_status rc = GP_OK;

    if (!assumed) /* whose messages are measured; none is assumed for them */
        need |= bench_tests_that(TEST_USES_MODEL);
    if (!(plan->tests & need))
        return GP_OK;
    if (assumed)
        rc = options_text(&options, OPT_MODEL, "--model", DEFAULT_MODEL, err);
    plan->answer = gp_calloc(1, sizeof(*plan->answer));
    if (!rc)
        rc = plan_model(plan, ask->planner, &options, cpu, err);
    if (rc)
        return rc;
    plan->options.request = &plan->answer->plan.request;
    if (!assumed) {
        const struct resolved *of = &plan->answer->resolved;

        plan->options.layout = &plan->answer->plan.layout;
        if (options.gpu_count == 0 && (of->gpu_chosen || of->gpu_local))
            notes_add(
                notes, "plan", "planned on %d x %s and not on what is measured, %s: -g chooses",
                plan->options.layout->gpus, of->request.gpu->name, plan->device[0]->facts.name);
        return GP_OK;
    }
    if (plan->tests & bench_tests_that(TEST_NEEDS_PLAN))
        notes_add(notes, "plan", "fit left out: it needs a model: --model");
    plan->tests &= ~bench_tests_that(TEST_NEEDS_PLAN);
    plan->options.tp = (int)options_or(&options, OPT_TP, 1);
    notes_add(notes, "plan", "the layers are those of " DEFAULT_MODEL ": --model chooses");
    return GP_OK;
}

/* Products that no library is there for are refused before anything is measured; --confirm does
 * without them. */
static enum gp_status check_products(struct bench_plan *plan, bool confirm,
                                     struct session_notes *notes, struct gp_err *err)
{
    unsigned need = bench_tests_that(TEST_IS_LIBRARY), all = (1u << TYPE_COUNT) - 1;
    bool told = true; /* each says which types it multiplies */

    for (int i = 0; i < plan->devices; i++) {
        told = told && plan->device[i]->facts.says_products;
        all &= plan->device[i]->facts.products;
    }
    plan->options.products = told ? all : 0;
    if (!told || plan->options.products || !(plan->tests & need))
        return GP_OK;
    if (confirm) {
        plan->tests &= ~need;
        notes_add(
            notes, "plan",
            "the CPU engine was built without oneDNN and OpenBLAS: its arithmetic is not measured");
        return GP_OK;
    }
    return gp_fail(
        err, GP_E_DEVICE, "--bench",
        "as root: apt-get install libdnnl-dev; then ./bootstrap; memory, transfer and fit need "
        "neither",
        "gemm, batch and decode need oneDNN or OpenBLAS, and the CPU engine was built without");
}

/* The smallest device decides, so that all measure the same points. */
static void take_device_figures(struct bench_plan *plan, const char *backend)
{
    struct points_options *options = &plan->options;
    const struct gpu *gpu = plan->device[0]->facts.gpu;

    options->devices = plan->devices;
    options->cpu = strcmp(backend, "cpu") == 0;
    for (int i = 0; i < plan->devices; i++) {
        const struct session_device *d = &plan->device[i]->facts;

        if (i < POINTS_DEVICES)
            options->device[i] = d->id;
        if (d->memory > 0 && (options->memory <= 0 || d->memory < options->memory))
            options->memory = d->memory;
        options->cache_bytes = fmax(options->cache_bytes, d->cache);
    }
    if (!gpu)
        return;
    options->bandwidth = gpu->bandwidth.known ? gpu->bandwidth.value : 0;
    for (int t = 0; t < TYPE_COUNT; t++)
        options->rate[t] = roof_of_type(gpu, (enum bench_type)t).rate.value;
}

typedef bool keep_point(const void *ctx, const struct point *point);

/* Drops what is not to be kept. */
static void keep_points(struct points *p, keep_point *keep, const void *ctx)
{
    int kept = 0;

    p->total_seconds = p->most_bytes = 0;
    for (int i = 0; i < p->count; i++) {
        if (!keep(ctx, &p->point[i]))
            continue;
        p->point[kept] = p->point[i];
        p->seconds[kept] = p->seconds[i];
        p->bytes[kept] = p->bytes[i];
        p->total_seconds += p->seconds[kept];
        p->most_bytes = fmax(p->most_bytes, p->bytes[kept]);
        kept++;
    }
    p->count = kept;
}

static bool is_size(const void *ctx, const struct point *p)
{
    const struct bench_plan *plan = ctx;
    bool sized = bench_test_is(p->test, TEST_IS_SIZED) && !bench_test_is(p->test, TEST_IS_ONCE);

    return !sized || (p->bytes >= plan->size_least && p->bytes <= plan->size_most);
}

/* --size drops the memory, transfer and allreduce points outside. */
static enum gp_status take_sizes(struct bench_plan *plan, const struct session_request *ask,
                                 struct session_notes *notes, struct gp_err *err)
{
    const char *text = options_word(ask->options, OPT_SIZE, NULL);
    struct points *p = &plan->points;
    int all = p->count;

    if (!text)
        return GP_OK;
    keep_points(p, is_size, plan);
    if (p->count && p->count < all)
        notes_add(notes, "plan", "--size %s left out %d of %d points", text, all - p->count, all);
    if (!p->count)
        return gp_fail(err, GP_E_USAGE, "--size", "see --dry-run for the sizes there are",
                       "no point is of that size");
    return GP_OK;
}

/* ---- what --confirm needs of it ---- */

/* The number of tokens of a planned product, or of one of that layer, that is nearest to these. */
static int64_t nearest_batch(const struct points *p, const struct point *of, double tokens)
{
    int64_t best = 0;
    double least = INFINITY;

    for (int i = 0; i < p->count; i++) {
        const struct point *one = &p->point[i];
        double apart = fabs(log2(fmax((double)point_tokens(one), 1) / tokens));
        bool same = !of || (one->m == of->m && one->k == of->k && one->type == of->type &&
                            strcmp(one->layer, of->layer) == 0);

        if (bench_test_is(one->test, TEST_IS_LAYER) && same && apart < least) {
            least = apart;
            best = point_tokens(one);
        }
    }
    return best;
}

struct confirmed {          /* what a plan rests on: its decode step, a chunk of its prompts */
    int64_t decode, prompt; /* tokens; 0 = not measured */
    double read;            /* bytes of the largest */
    const struct points *all;
};

/* Experts of several numbers of tokens may be one product, which is that of the first. */
static bool is_of_batch(const struct confirmed *c, const struct point *p, int64_t tokens)
{
    if (p->tokens > 0 && tokens > 0)
        tokens = nearest_batch(c->all, p, (double)tokens);
    return point_tokens(p) == tokens;
}

static bool is_confirmed(const void *ctx, const struct point *p)
{
    const struct confirmed *c = ctx;

    if (bench_test_is(p->test, TEST_IS_LAYER))
        return is_of_batch(c, p, c->decode) || is_of_batch(c, p, c->prompt);
    return p->test != kind_rows[KIND_READ].test ||
           (p->kind == KIND_READ && p->cache != CACHE_HOT && p->bytes >= c->read);
}

static void take_confirmed(struct bench_plan *plan)
{
    const struct request *q = plan->options.request;
    struct points *p = &plan->points;
    struct points all = *p; /* keep_points() moves those that stay */
    struct confirmed c = {.all = &all};

    if (!q->gpu->host) /* of processors reads of memory say it */
        c.decode =
            nearest_batch(p, NULL, fmax(q->users / fmax(plan->options.layout->replicas, 1), 1));
    c.prompt = nearest_batch(p, NULL, fmax(q->prompt, 1));
    all.point = gp_malloc(((size_t)p->count + 1) * sizeof(*p->point));
    memcpy(all.point, p->point, (size_t)p->count * sizeof(*p->point));
    for (int i = 0; i < p->count; i++)
        if (p->point[i].kind == KIND_READ && p->point[i].cache != CACHE_HOT)
            c.read = fmax(c.read, p->point[i].bytes);
    keep_points(p, is_confirmed, &c);
    free(all.point);
}

/* ---- the plan ---- */

void bench_plan_drop(struct bench_plan *plan)
{
    points_fini(&plan->points);
    memset(&plan->points, 0, sizeof(plan->points));
    free(plan->answer);
    plan->answer = NULL;
    plan->devices = 0;
}

enum gp_status bench_plan_make(struct bench_plan *plan, const struct session_request *ask,
                               struct session_look *look, struct session_notes *notes,
                               struct gp_err *err)
{
    const struct method_settings *m = &plan->options.settings;
    enum gp_status rc = choose_devices(plan, ask, look, notes, err);

    if (!rc && plan->options.settings.lock_clock != 0 && strcmp(look->backend, "cuda") != 0)
        rc = gp_fail(err, GP_E_USAGE, "--lock-clocks", look->chosen,
                     "needs a GPU: a CPU's clock cannot be locked");
    if (!rc)
        rc = check_products(plan, ask->confirm, notes, err);
    if (!rc)
        rc = take_model(plan, ask, strcmp(look->backend, "cpu") == 0, notes, err);
    if (!rc) {
        take_device_figures(plan, look->backend);
        plan->options.tests = plan->tests;
        rc = points_plan(&plan->options, &plan->points, err);
    }
    if (!rc)
        rc = take_sizes(plan, ask, notes, err);
    if (!rc && ask->confirm)
        take_confirmed(plan);
    if (rc) {
        bench_plan_drop(plan);
        return rc;
    }
    /* warm-up counts, for it is the user's time: said before it is spent */
    if (plan->time_limit > 0 && plan->time_limit <= m->device_warmup_max)
        notes_add(notes, "time_limit",
                  "--time-limit %s s: warming the device up alone takes %s to %s s of it",
                  UNITS_PLAIN(plan->time_limit, 3), UNITS_PLAIN(m->device_warmup_min, 3),
                  UNITS_PLAIN(m->device_warmup_max, 3));
    if (plan->options.subset)
        notes_add(notes, "plan", "the quick subset: a few points with short samples");
    return GP_OK;
}
