/*
 * engine_cpu.c - gpuplan-bench-cpu: the processors this process may use, as one device.
 *
 * A test is cpu_test_WORD of its file; what has no meaning without a GPU is "unsupported"
 * with its reason. There is no data sheet to compare with (bandwidth_sheet = 0): the
 * memory test's own read rate is what the other tests are held against.
 */
#include <ctype.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "bench/cpu_engine.h"
#include "measure/point/protocol.h"

#define BUSY 0.1 /* of the processors, by others, before anything is measured */

static const struct cpu_test *const tests[TEST_COUNT] = {
#define TEST(ID, word, ...) [TEST_##ID] = &cpu_test_##word,
#include "measure/point/test_rows.h"
#undef TEST
};

/* ---- the device ---- */

/* The types that the library multiplies on this processor, as it answers for 64^3. */
static json_t *product_types(void)
{
    json_t *list = json_array();
    struct refusal why;

    for (int t = 0; t < TYPE_COUNT; t++) {
        struct gemm_shape shape = {(enum bench_type)t, 64, 64, 64};
        struct cpu_gemm *gemm = cpu_gemm_new(&shape, &why);

        if (!gemm)
            continue;
        cpu_gemm_free(gemm);
        json_array_append_new(list, json_string(bench_type_word(shape.type)));
    }
    return list;
}

static json_t *more_of(const struct cpu_topology *t)
{
    static const char *const names[] = {"OMP_NUM_THREADS",
                                        "OMP_WAIT_POLICY",
                                        "OMP_PROC_BIND",
                                        "GOMP_SPINCOUNT",
                                        "GOMP_CPU_AFFINITY",
                                        "KMP_AFFINITY",
                                        "ONEDNN_MAX_CPU_ISA",
                                        "DNNL_MAX_CPU_ISA",
                                        "OPENBLAS_CORETYPE",
                                        "OPENBLAS_NUM_THREADS",
                                        NULL};
    const struct gemm_library *library = cpu_gemm_library();
    json_t *more = json_object();
    char text[160] = "none";

    if (library)
        library->version(text, sizeof text);
    json_object_set_new(more, "library", gp_json_text(text));
    json_object_set_new(more, "product_types", product_types());
    if (library) {
        library->isa(text, sizeof text);
        json_object_set_new(more, "isa", gp_json_text(text));
    }
    json_object_set_new(more, "cpus_allowed", json_integer(t->cpus));
    json_object_set_new(more, "cores", json_integer(t->cores));
    json_object_set_new(more, "threads", json_integer(t->threads));
    json_object_set_new(more, "quota_cpus", gp_json_above_zero(t->quota));
    json_object_set_new(more, "level2_bytes", gp_json_number(t->level2));
    json_object_set_new(more, "last_level_bytes", gp_json_number(t->last_level));
    sys_line(text, sizeof text, "/sys/kernel/mm/transparent_hugepage/enabled");
    json_object_set_new(more, "transparent_hugepage", gp_json_text(text));
    json_object_set_new(more, "env", protocol_environment(names));
    return more;
}

static void engine_describe(const struct cpu_topology *t, struct bench_device *out)
{
    memset(out, 0, sizeof *out);
    gp_copy(out->name, sizeof out->name, t->name);
    gp_copy(out->kind, sizeof out->kind, "cpu");
    out->units = t->threads;
    out->memory = t->memory;
    out->free = t->free;
    out->cache = t->cache;
    out->more = more_of(t);
}

static enum gp_status engine_devices(struct bench_device *out, int max, int *count,
                                     struct gp_err *err)
{
    struct cpu_topology topology;

    (void)err;
    *count = max > 0 ? 1 : 0;
    if (max < 1)
        return GP_OK;
    cpu_topology_read("", NULL, &topology);
    engine_describe(&topology, &out[0]);
    return GP_OK;
}

static void close_engine(void *ctx)
{
    struct cpu_engine *engine = ctx;

    if (!engine)
        return;
    cpu_gemm_free(engine->heater);
    cpu_pool_free(engine->pool);
    free(engine);
}

static enum gp_status open_engine(int index, const struct method_settings *settings, void **ctx,
                                  struct bench_device *device, struct gp_err *err)
{
    /* of the heater: 2 GFLOP and 12 MB, some ten milliseconds of a core's full power */
    const struct gemm_shape shape = {TYPE_FP32, 1024, 1024, 1024};
    struct cpu_engine *engine;

    if (index != 0)
        return gp_fail(err, GP_E_DEVICE, "cpu", "the processors are device 0",
                       "device %d does not exist", index);
    engine = gp_calloc(1, sizeof *engine);
    engine->settings = *settings;
    cpu_topology_read("", NULL, &engine->topology);
    engine->pool = cpu_pool_new(engine->topology.threads);
    if (!engine->pool) {
        close_engine(engine);
        return gp_fail(err, GP_E_DEVICE, "cpu", "", "no threads can be started");
    }
    cpu_gemm_threads(engine->topology.threads);
    engine->heater = cpu_gemm_new(&shape, &engine->why);
    if (engine->heater &&
        !cpu_gemm_fill(engine->heater, engine->pool, 1, 1, &engine->settings, &engine->why)) {
        cpu_gemm_free(engine->heater);
        engine->heater = NULL;
    }
    engine_describe(&engine->topology, device);
    *ctx = engine;
    return GP_OK;
}

static bool engine_warm(void *ctx, double *seconds)
{
    struct cpu_engine *engine = ctx;
    double start = clock_now();

    if (!engine->heater) /* no library: nothing that heats is measured either */
        return false;
    for (int i = 0; i < 4; i++)
        if (!cpu_gemm_run(engine->heater, 0, 0))
            return false;
    cpu_gemm_wait(engine->heater);
    *seconds = clock_now() - start;
    return true;
}

/* ---- points ---- */

static void engine_release(void *ctx)
{
    struct cpu_engine *engine = ctx;

    if (engine->test)
        engine->test->release(engine->work);
    engine->test = NULL;
    free(engine->work);
    engine->work = NULL;
    json_decref(engine->params);
    engine->params = NULL;
    memset(engine->flags, 0, sizeof engine->flags);
}

static enum point_state engine_prepare(void *ctx, const struct point *point, struct prepared *out,
                                       char *why, size_t size)
{
    struct cpu_engine *engine = ctx;

    *out = (struct prepared){.rotation = 1, .cold = true, .variants = 1, .variant = {""}};
    engine_release(engine);
    if ((unsigned)point->test >= TEST_COUNT || !tests[point->test]) {
        gp_format(why, size,
                  bench_test_is(point->test, TEST_NEEDS_DEVICES)
                      ? "%s needs several devices; the processors are one"
                      : "%s is not measured on a CPU",
                  bench_test_word(point->test));
        return POINT_UNSUPPORTED;
    }
    cpu_gemm_threads(engine->topology.threads);
    engine->test = tests[point->test];
    engine->work = gp_calloc(1, engine->test->size);
    bool ok = engine->test->prepare(engine, point, engine->work, out);
    engine->params = out->params;
    if (ok)
        return POINT_OK;
    gp_copy(why, size, engine->why.text);
    engine_release(engine);
    out->params = NULL;
    return engine->why.state;
}

static bool engine_run(void *ctx, int variant, int launches, double *seconds)
{
    struct cpu_engine *engine = ctx;
    double start = clock_now();

    (void)variant;
    *seconds = 0;
    bool ok = engine->test && engine->test->run(engine, engine->work, launches, seconds);
    if (*seconds == 0)
        *seconds = clock_now() - start;
    return ok;
}

static void engine_check(void *ctx, int variant, struct check *out)
{
    struct cpu_engine *engine = ctx;

    (void)variant;
    memset(out, 0, sizeof *out);
    if (engine->test)
        engine->test->check(engine, engine->work, out);
}

static bool engine_soak(void *ctx, int variant, struct soak *out)
{
    struct cpu_engine *engine = ctx;

    (void)variant;
    return engine->test && engine->test->soak && engine->test->soak(engine->work, out);
}

static void engine_flags(void *ctx, int variant, json_t *out)
{
    const struct cpu_engine *engine = ctx;

    (void)variant;
    for (size_t i = 0; i < sizeof engine->flags / sizeof engine->flags[0]; i++)
        if (engine->flags[i])
            json_array_append_new(out, json_string(engine->flags[i]));
}

/* Called when the samples begin and when they end. */
static void engine_window(void *ctx, bool begin)
{
    struct cpu_engine *engine = ctx;
    struct cpu_load after;

    if (begin) {
        cpu_load_read(&engine->before);
        engine->sampling = true;
        return;
    }
    if (!engine->sampling)
        return;
    engine->sampling = false;
    cpu_load_read(&after);
    struct cpu_share share = cpu_load_share(&engine->before, &after, engine->topology.threads);
    if (share.contended)
        cpu_flag(engine, "contended");
    if (!engine->params)
        return;
    json_object_set_new(engine->params, "waited_share", gp_json_number(share.waited));
    json_object_set_new(engine->params, "others_share", gp_json_number(share.others));
    json_object_set_new(engine->params, "stolen_share", gp_json_number(share.stolen));
}

static void engine_busy(void *ctx, char *text, size_t size)
{
    const struct cpu_engine *engine = ctx;
    const struct timespec look = {.tv_nsec = 300 * 1000 * 1000};
    struct cpu_load before, after;

    cpu_load_read(&before);
    nanosleep(&look, NULL);
    cpu_load_read(&after);
    struct cpu_share share = cpu_load_share(&before, &after, engine->topology.threads);
    if (share.others + share.stolen > BUSY)
        gp_format(text, size, "other programs already use %.0f %% of the processors",
                  100 * fmin(share.others + share.stolen, 1));
}

/* ---- sensors ---- */

/* Mean of the whole numbers in the files that match; NAN when there are none. */
static double mean_of(const char *pattern)
{
    double sum = 0;
    int count = 0;
    glob_t found;

    if (glob(pattern, 0, NULL, &found) != 0)
        return NAN;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        char text[64];

        sys_line(text, sizeof text, "%s", found.gl_pathv[i]);
        if (!isdigit((unsigned char)text[0]))
            continue;
        sum += strtod(text, NULL);
        count++;
    }
    globfree(&found);
    return count ? sum / count : NAN;
}

/* What a virtual machine hides is left out. Context switches that nobody asked for and
 * a load above the threads used say that others want the same processors. */
static json_t *engine_sensors(void *ctx)
{
    json_t *json = json_object();
    double clock = mean_of("/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq");
    double temp = mean_of("/sys/class/hwmon/hwmon*/temp1_input");
    const struct cpu_engine *engine = ctx;
    double free = cpu_memory_free(""), load;
    struct cpu_info info;

    if (isnan(clock)) {
        cpu_info_read("/proc", &info);
        clock = info.clock / 1e3; /* kHz */
    }
    if (isfinite(clock))
        json_object_set_new(json, "clock_mhz", gp_json_number(clock / 1e3));
    if (engine->topology.memory > free && free > 0)
        json_object_set_new(json, "memory_used", gp_json_number(engine->topology.memory - free));
    if (isfinite(temp))
        json_object_set_new(json, "temp_c", gp_json_number(temp / 1000));
    if (getloadavg(&load, 1) == 1)
        json_object_set_new(json, "load1", gp_json_number(load));
    return json;
}

static json_t *engine_counters(void *ctx)
{
    struct rusage usage;

    (void)ctx;
    return getrusage(RUSAGE_SELF, &usage) == 0
               ? json_pack("{s:I}", "involuntary_switches", (json_int_t)usage.ru_nivcsw)
               : NULL;
}

/* "oneDNN 2.6.3": its name in small letters, and the rest. */
static json_t *engine_software(void)
{
    json_t *json = json_object();
    char text[160] = "";

    if (!cpu_gemm_library())
        return json;
    cpu_gemm_library()->version(text, sizeof text);
    char *rest = text + strcspn(text, " ");
    if (*rest)
        *rest++ = '\0';
    for (char *c = text; *c; c++)
        *c = gp_lower(*c);
    json_object_set_new(json, text, gp_json_text_or_null(rest));
    output_library(json, cpu_gemm_library()->place());
    return json;
}

/* GNU's OpenMP lets a thread that waits in a barrier spin for milliseconds (300000 turns). Where
 * somebody else holds the core its partner needs, all of that is lost: beside two busy threads on
 * two cores a product of 2 us took 8 ms in every sample, a decoder step of 0.13 ms 160 ms; with
 * 1000 turns, 0.06 and 1.4 ms. In a quiet machine 1000 cost nothing (2.1 us both) and spare the
 * threads that read the decoder's cache (219 -> 134 us); never to spin costs (47 us). The library
 * reads this before main(), so the program starts over with it, once. */
static void start_over(char **argv)
{
    char path[PATH_MAX];

    if (!cpu_gemm_library() || getenv("GOMP_SPINCOUNT") || getenv("OMP_WAIT_POLICY"))
        return;
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0 || setenv("GOMP_SPINCOUNT", "1000", 1) != 0)
        return;
    path[length] = '\0';
    execv(path, argv);
}

int main(int argc, char **argv)
{
    static char version[96] = "without oneDNN and BLAS";
    struct backend backend = {
        .name = "cpu",
        .version = version,
        .software = engine_software,
        .devices = engine_devices,
        .open = open_engine,
        .close = close_engine,
        .warm = engine_warm,
        .prepare = engine_prepare,
        .run = engine_run,
        .check = engine_check,
        .soak = engine_soak,
        .release = engine_release,
        .sensors = engine_sensors,
        .counters = engine_counters,
        .flags = engine_flags,
        .window = engine_window,
        .busy = engine_busy,
    };

    start_over(argv);
    if (cpu_gemm_library())
        cpu_gemm_library()->version(version, sizeof version);
    return bench_main(&backend, argc, argv);
}
