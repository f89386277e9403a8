/* session_plan.c - see session_plan.h. */
#include "measure/session_plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/units.h"
#include "measure/point/line.h"
#include "plan/roofline.h"

#define DEFAULT_MODEL "llama-3.1-8b"
#define SUBSET "quick"      /* a few points of those; not the preset of that name */
#define SUBSET_LIMIT 100.0  /* s: it is planned for much less, but a machine may be busy */
#define CONFIRM_LIMIT 120.0 /* s, of --confirm */

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

static enum preset preset_of(const char *word)
{
    return strcmp(word, "quick") == 0      ? PRESET_QUICK
           : strcmp(word, "thorough") == 0 ? PRESET_THOROUGH
                                           : PRESET_NORMAL;
}

/* What was asked for by hand stands above the preset. */
static void take_method(const struct options *options, struct method_settings *m)
{
    for (int i = 0; i < METHOD_NUMBER_COUNT; i++) {
        const struct method_number *row = &method_numbers[i];
        int id = row->option ? option_find(row->option) : -1;

        if (id >= 0 && options->value[id].given)
            *method_number(m, i) = options->value[id].number / row->scale;
    }
    m->min_time = fmin(m->min_time, m->max_time);
    if (options->value[OPT_SEED].given)
        m->seed = (uint64_t)options->value[OPT_SEED].number;
    m->fill = (enum bench_fill)line_word(method_fills, FILL_COUNT,
                                         options_word(options, OPT_FILL, "uniform"));
    m->check = (enum bench_check)line_word(method_checks, CHECK_COUNT,
                                           options_word(options, OPT_CHECK, "sample"));
    m->force = options_flag(options, OPT_FORCE);
}

static void take_settings(struct bench_plan *plan, const struct session_ask *ask)
{
    struct points_options *options = &plan->options;

    memset(options, 0, sizeof(*options));
    options->subset = strcmp(ask->tests, SUBSET) == 0 ||
                      (!ask->tests[0] && !options_flag(ask->options, OPT_PRESET));
    options->preset = preset_of(options_word(ask->options, OPT_PRESET,
                                             options->subset || ask->confirm ? "quick" : "normal"));
    options->settings = method_preset(options->preset);
    take_method(ask->options, &options->settings);
    options->cache = bench_cache_parse(options_word(ask->options, OPT_CACHE, ""));
    plan->time_limit = options->subset ? SUBSET_LIMIT : ask->confirm ? CONFIRM_LIMIT : 0;
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

/* Warm-up counts, for it is the user's time: said before it is spent. */
static void warn_of_limit(const struct bench_plan *plan, struct session_notes *notes)
{
    const struct method_settings *m = &plan->options.settings;

    if (plan->time_limit > 0 && plan->time_limit <= m->device_warmup_max)
        notes_add(notes, "time_limit",
                  "--time-limit %s s: warming the device up alone takes %s to %s s of it",
                  UNITS_PLAIN(plan->time_limit, 3), UNITS_PLAIN(m->device_warmup_min, 3),
                  UNITS_PLAIN(m->device_warmup_max, 3));
}

static enum gp_status check_model(const struct bench_plan *plan, const struct options *options,
                                  struct gp_err *err)
{
    unsigned need = bench_tests_that(TEST_NEEDS_MODEL);

    if (plan->tests & need && options->model_count > 1)
        return gp_fail(err, GP_E_USAGE, "--model", "", "one model is measured at a time");
    if (!(plan->tests & ~bench_tests_that(TEST_NEEDS_PLAN)) && options->model_count == 0)
        return gp_fail(err, GP_E_USAGE, "--model", "name one", "fit needs a model");
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
    enum gp_status rc;
    size_t len;

    if (named && names_test(tests, SUBSET))
        return gp_fail(err, GP_E_USAGE, "--bench", "or name tests and --preset quick",
                       SUBSET " stands alone");
    plan->tests = bench_tests_that(TEST_IS_DEFAULT);
    if (!named)
        return GP_OK;
    rc = points_parse_tests(tests, "--bench", &plan->tests, err);
    len = rc == GP_OK ? 0 : strlen(err->hint);
    if (len > 0)
        gp_format(err->hint + len, sizeof(err->hint) - len, ", or " SUBSET " alone");
    return rc;
}

static enum gp_status take_shapes(struct bench_plan *plan, const char *text, struct gp_err *err)
{
    free(plan->shapes);
    plan->shapes = gp_calloc(POINTS_SHAPES, sizeof(*plan->shapes));
    plan->options.shapes = plan->shapes;
    return points_parse_shapes(text, "--shapes", plan->shapes, POINTS_SHAPES,
                               &plan->options.shape_count, err);
}

enum gp_status bench_plan_check(struct bench_plan *plan, const struct session_ask *ask,
                                struct gp_err *err)
{
    struct points_options *options = &plan->options;
    const char *text;
    double low, high;
    enum gp_status rc;

    take_settings(plan, ask);
    rc = take_tests(plan, ask->tests, err);
    if (!rc && (text = options_word(ask->options, OPT_TYPE, NULL)))
        rc = points_parse_types(text, "--type", &options->types, err);
    if (!rc && (text = options_word(ask->options, OPT_SHAPES, NULL)))
        rc = take_shapes(plan, text, err);
    if (!rc && (text = options_word(ask->options, OPT_TIME_LIMIT, NULL)))
        rc = parse_time(text, &plan->time_limit, err);
    if (!rc && (text = options_word(ask->options, OPT_LOCK_CLOCKS, NULL)))
        rc = parse_lock(text, &options->settings.lock_clock, err);
    if (!rc && (text = options_word(ask->options, OPT_SIZE, NULL)))
        rc = parse_sizes(text, &low, &high, err);
    if (!rc && (text = options_word(ask->options, OPT_STORAGE, NULL)))
        rc = take_storage(plan, text, err);
    return rc ? rc : check_model(plan, ask->options, err);
}

/* ---- which devices ---- */

static enum gp_status add_device(struct bench_plan *plan, const struct session_look *look,
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
        rc = add_device(plan, look, (int)n, err);
        if (!*end)
            break;
        text = end + 1;
    }
    return rc;
}

static enum gp_status choose_devices(struct bench_plan *plan, const struct session_ask *ask,
                                     struct session_look *look, struct session_notes *notes,
                                     struct gp_err *err)
{
    const char *text = options_word(ask->options, OPT_DEVICE, "all");
    enum gp_status rc = GP_OK;

    plan->devices = 0;
    if (ask->ranks > 1 && ask->local_rank >= look->count)
        notes_say(notes, "more ranks than devices on this host: two measure the same one "
                         "at once, and slow each other down");
    if (ask->ranks > 1)
        return add_device(plan, look, ask->local_rank % look->count, err);
    if (strcmp(text, "all") != 0)
        return add_listed(plan, look, text, err);
    for (int i = 0; i < look->count && !rc; i++)
        rc = add_device(plan, look, i, err);
    return rc;
}

/* ---- the model, and what the devices can ---- */

/* No model was named: says which one is taken. */
static void say_assumed_model(struct bench_plan *plan, const struct options *options,
                              struct session_notes *notes)
{
    if (plan->tests & bench_tests_that(TEST_NEEDS_PLAN))
        notes_add(notes, "plan", "fit left out: it needs a model: --model");
    plan->tests &= ~bench_tests_that(TEST_NEEDS_PLAN);
    plan->options.tp = (int)options_or(options, OPT_TP, 1);
    notes_add(notes, "plan", "the layers are those of " DEFAULT_MODEL ": --model chooses");
}

static enum gp_status take_model(struct bench_plan *plan, const struct session_ask *ask,
                                 struct session_notes *notes, struct gp_err *err)
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
        rc = planner_answer(ask->planner, &options, plan->answer, err);
    if (rc)
        return rc;
    plan->options.request = &plan->answer->plan.request;
    if (assumed)
        say_assumed_model(plan, &options, notes);
    else
        plan->options.layout = &plan->answer->plan.layout;
    return GP_OK;
}

/* Only a GPU's driver takes a clock; elsewhere the option would be kept and not done.
 */
static enum gp_status check_lock(const struct bench_plan *plan, const struct session_look *look,
                                 struct gp_err *err)
{
    if (plan->options.settings.lock_clock == 0 || strcmp(look->backend, "cuda") == 0)
        return GP_OK;
    return gp_fail(err, GP_E_USAGE, "--lock-clocks", look->chosen,
                   "needs a GPU: a CPU's clock cannot be locked");
}

/* The types that all devices multiply; *told: each says which. */
static unsigned product_types(const struct bench_plan *plan, bool *told)
{
    unsigned all = (1u << TYPE_COUNT) - 1;

    *told = true;
    for (int i = 0; i < plan->devices; i++) {
        *told = *told && plan->device[i]->facts.says_products;
        all &= plan->device[i]->facts.products;
    }
    return *told ? all : 0;
}

/* Products that no library is there for are refused before anything is measured; --confirm does
 * without them. */
static enum gp_status check_products(struct bench_plan *plan, bool confirm,
                                     struct session_notes *notes, struct gp_err *err)
{
    unsigned need = bench_tests_that(TEST_IS_LIBRARY);
    bool told;

    plan->options.products = product_types(plan, &told);
    if (!told || plan->options.products || !(plan->tests & need))
        return GP_OK;
    if (confirm) {
        plan->tests &= ~need;
        notes_add(notes, "plan",
                  "the CPU engine was built without oneDNN and OpenBLAS: its arithmetic is not "
                  "measured");
        return GP_OK;
    }
    return gp_fail(err, GP_E_DEVICE, "--bench",
                   "as root: apt-get install libdnnl-dev; then ./bootstrap; memory, "
                   "transfer and fit need neither",
                   "gemm, batch and decode need oneDNN or OpenBLAS, and the CPU engine "
                   "was built without");
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

struct sizes {
    double low, high;
};

static bool is_size(const void *ctx, const struct point *p)
{
    const struct sizes *s = ctx;
    bool sized = bench_test_is(p->test, TEST_IS_SIZED) && !bench_test_is(p->test, TEST_IS_ONCE);

    return !sized || (p->bytes >= s->low && p->bytes <= s->high);
}

/* --size drops the memory, transfer and allreduce points outside. */
static enum gp_status take_sizes(struct bench_plan *plan, const struct session_ask *ask,
                                 struct session_notes *notes, struct gp_err *err)
{
    const char *text = options_word(ask->options, OPT_SIZE, NULL);
    struct points *p = &plan->points;
    struct sizes sizes;
    int all = p->count;

    if (!text)
        return GP_OK;
    if (parse_sizes(text, &sizes.low, &sizes.high, err))
        return err->code;
    keep_points(p, is_size, &sizes);
    if (p->count && p->count < all)
        notes_add(notes, "plan", "--size %s left out %d of %d points", text, all - p->count, all);
    if (!p->count)
        return gp_fail(err, GP_E_USAGE, "--size", "see --dry-run for the sizes there are",
                       "no point is of that size");
    return GP_OK;
}

/* ---- what --confirm needs of it ---- */

/* The number of tokens of a planned product that is nearest to these. */
static int64_t nearest_batch(const struct points *p, double tokens)
{
    int64_t best = 0;
    double least = INFINITY;

    for (int i = 0; i < p->count; i++) {
        double apart = fabs(log2((double)fmax((double)p->point[i].n, 1) / tokens));

        if (bench_test_is(p->point[i].test, TEST_IS_LAYER) && apart < least) {
            least = apart;
            best = p->point[i].n;
        }
    }
    return best;
}

struct confirmed {          /* what a plan rests on: its decode step, a chunk of its prompts */
    int64_t decode, prompt; /* tokens; 0 = not measured */
    double read;            /* bytes of the largest */
};

static bool is_confirmed(const void *ctx, const struct point *p)
{
    const struct confirmed *c = ctx;

    if (bench_test_is(p->test, TEST_IS_LAYER))
        return p->n == c->decode || p->n == c->prompt;
    return p->test != kind_rows[KIND_READ].test ||
           (p->kind == KIND_READ && p->cache != CACHE_HOT && p->bytes >= c->read);
}

static void take_confirmed(struct bench_plan *plan)
{
    const struct request *q = plan->options.request;
    struct points *p = &plan->points;
    struct confirmed c = {.read = 0};

    if (!q->gpu->host) /* of processors reads of memory say it */
        c.decode = nearest_batch(p, fmax(q->users / fmax(plan->options.layout->replicas, 1), 1));
    c.prompt = nearest_batch(p, fmax(q->prompt, 1));
    for (int i = 0; i < p->count; i++)
        if (p->point[i].kind == KIND_READ && p->point[i].cache != CACHE_HOT)
            c.read = fmax(c.read, p->point[i].bytes);
    keep_points(p, is_confirmed, &c);
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

void bench_plan_fini(struct bench_plan *plan)
{
    bench_plan_drop(plan);
    free(plan->shapes);
}

enum gp_status bench_plan_make(struct bench_plan *plan, const struct session_ask *ask,
                               struct session_look *look, struct session_notes *notes,
                               struct gp_err *err)
{
    enum gp_status rc = choose_devices(plan, ask, look, notes, err);

    if (!rc)
        rc = check_lock(plan, look, err);
    if (!rc)
        rc = check_products(plan, ask->confirm, notes, err);
    if (!rc)
        rc = take_model(plan, ask, notes, err);
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
    warn_of_limit(plan, notes);
    if (plan->options.subset)
        notes_add(notes, "plan", "the quick subset: a few points with short samples");
    return GP_OK;
}
