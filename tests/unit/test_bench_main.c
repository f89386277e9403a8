/*
 * test_bench_main.c - an engine program over real pipes, with a stand-in for a backend.
 *
 * The stand-in measures nothing: it sleeps, and says what the point's m asks for, so
 * that every way a device can behave - and misbehave - comes to pass. Each test forks
 * one.
 */
#include "bench/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "bench/job.h"
#include "bench/watch.h"
#include "measure/point/protocol.h"
#include "unit.h"

#define TRIES 5    /* of what a busy machine may spoil: one must be as it should */
#define LONG 300.0 /* s, of a point that is not to end by itself */

/* ---- the stand-in ---- */

enum { /* of a point: its m */
       M_OK = 1,
       M_FAILS, /* while it runs; the device goes on */
       M_OOM,
       M_UNSUPPORTED,
       M_WRONG,  /* the check fails */
       M_SLOW,   /* 100 ms a run */
       M_HOT,    /* thermal throttling throughout */
       M_DRIFTS, /* 10 % slower in its second measurement, 4 % in its third */
       M_TWO,    /* heuristic and tuned */
       M_SMALL,  /* memory for too few copies */
       M_LOST,   /* fails, and the device never answers again */
       M_CHATTY, /* a library that prints on standard output */
       M_PAUSES, /* 2.1 s of preparation: clocks drop */
       M_DIES,   /* lost while it is prepared, by its own word */
       M_BUSY    /* others use the device while the samples are taken */
};

static bool no_devices, no_open, no_heat, in_use, forced;

static struct {
    int m, drifts, prepared, runs, windows, alone;
    bool lost, dead, sampling, seen;
    atomic_bool hot;
} standin;

static void nap(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)((seconds - (long)seconds) * 1e9)};

    while (nanosleep(&t, &t) != 0 && errno == EINTR)
        ;
}

static void describe(struct bench_device *device)
{
    *device = (struct bench_device){
        .name = "stand-in", .kind = "gpu", .units = 1, .memory = 1e9, .free = 1e9, .cache = 1e6};
    device->more = json_pack("{s:i}", "fans", 2);
}

static enum gp_status standin_devices(struct bench_device *out, int max, int *count,
                                      struct gp_err *err)
{
    if (no_devices)
        return gp_fail(err, GP_E_DEVICE, "", "install a driver", "no driver");
    *count = max < 2 ? max : 2;
    for (int i = 0; i < *count; i++) {
        describe(&out[i]);
        out[i].index = i;
    }
    return GP_OK;
}

static enum gp_status standin_open(int index, const struct method_settings *settings, void **ctx,
                                   struct bench_device *device, struct gp_err *err)
{
    (void)settings;
    if (no_open)
        return gp_fail(err, GP_E_DEVICE, "device 0", "wait", "is in use");
    describe(device);
    if (in_use) {
        gp_copy(device->kind, sizeof device->kind, "gpu");
        device->memory = 80e9;
        device->free = 70e9;
    }
    device->index = index;
    *ctx = &standin;
    return GP_OK;
}

static void standin_close(void *ctx)
{
    if (ctx != &standin || standin.prepared != 0)
        abort(); /* something was not released */
}

static bool standin_warm(void *ctx, double *seconds)
{
    (void)ctx;
    nap(*seconds = 0.001);
    if (standin.m == M_PAUSES)
        fputs("reheated\n", stderr);
    return !standin.lost && !no_heat;
}

static enum point_state standin_prepare(void *ctx, const struct point *point, struct prepared *out,
                                        char *why, size_t size)
{
    (void)ctx;
    standin.m = (int)point->m;
    standin.prepared++;
    standin.hot = standin.m == M_HOT;
    if (standin.m == M_PAUSES)
        nap(2.1);
    standin.seen = false;
    if (standin.m == M_DIES) {
        standin.dead = true;
        snprintf(why, size, "device lost: error 700");
        return POINT_ERROR;
    }
    if (standin.m == M_OOM || standin.m == M_UNSUPPORTED) {
        snprintf(why, size, "needs 3 TiB");
        return standin.m == M_OOM ? POINT_OOM : POINT_UNSUPPORTED;
    }
    *out = (struct prepared){.rotation = 4,
                             .cold = standin.m != M_SMALL,
                             .bytes = 1e6,
                             .algorithm = "tile 128x64",
                             .variants = 1};
    if (standin.m == M_TWO) {
        out->variants = 2;
        out->variant[0] = "heuristic";
        out->variant[1] = "tuned";
    }
    return POINT_OK;
}

static bool standin_run(void *ctx, int variant, int launches, double *seconds)
{
    double each = variant ? 1e-5 : 2e-5;
    static int turn;

    (void)ctx;
    if (standin.m == M_SLOW && turn++ % 2) /* no two alike: five do not converge */
        each *= 1.2;
    if (standin.m == M_CHATTY)
        printf("library: hello {\n");
    if (standin.m == M_FAILS || standin.m == M_LOST) {
        standin.lost = standin.m == M_LOST;
        return false;
    }
    if (standin.m == M_DRIFTS) /* a measurement begins with three single launches */
        each *= standin.drifts >= 6 ? 1.04 : standin.drifts >= 3 ? 1.1 : 1;
    if (standin.m == M_DRIFTS && launches == 1) {
        standin.drifts++;
        standin.drifts -= standin.drifts > 9 ? 1 : 0;
    }
    standin.runs++;
    nap(standin.m == M_SLOW ? 0.1 : 0.002);
    *seconds = each * launches;
    return true;
}

static void standin_check(void *ctx, int variant, struct check *out)
{
    (void)ctx;
    (void)variant;
    *out = (struct check){.done = true,
                          .ok = standin.m != M_WRONG,
                          .n = 256,
                          .max_err = standin.m == M_WRONG ? 40 : 0.2};
    if (!out->ok)
        snprintf(out->why, sizeof out->why, "row 3, column 5: 1 is not 2");
}

static void standin_release(void *ctx)
{
    (void)ctx;
    standin.prepared--;
}

static json_t *standin_counters(void *ctx)
{
    static int joules = 1000;

    (void)ctx;
    return json_pack("{s:i}", "energy_j", joules += 30);
}

static json_t *standin_sensors(void *ctx)
{
    static int joules;

    (void)ctx;
    return json_pack("{s:i, s:i, s:i, s:s, s:i, s:i}", "temp_c", 61, "energy_j", joules++,
                     "throttle_bits", standin.hot ? 0x20 : 0x4, "power_kind", "instant", "power_w",
                     500, "sm_clock_mhz", 1000);
}

static void standin_busy(void *ctx, char *text, size_t size)
{
    (void)ctx;
    if (in_use)
        gp_format(text, size, "somebody computes");
}

static void standin_window(void *ctx, bool begin)
{
    (void)ctx;
    if (standin.prepared != 1 || (begin && standin.m == M_OK && standin.runs < 3))
        abort(); /* not in a point, or before its warm-up */
    standin.windows += begin;
    standin.seen = standin.seen || (begin && standin.m == M_BUSY);
}

static bool standin_latency(void *ctx, int variant, double *seconds)
{
    (void)ctx;
    *seconds = (variant ? 4e-5 : 5e-5) * (standin.alone++ == 0 ? 100 : 1);
    return true;
}

static bool standin_lost(void *ctx)
{
    (void)ctx;
    return standin.dead;
}

static void standin_flags(void *ctx, int variant, json_t *flags)
{
    (void)ctx;
    if (standin.seen)
        json_array_append_new(flags, json_string("shared"));
    if (variant == 1)
        json_array_append_new(flags, json_string("launch_bound"));
}

static const char *standin_reason(void *ctx)
{
    (void)ctx;
    return standin.m == M_LOST ? "" : "error 719: launch failure";
}

static const struct backend backend = {
    .name = "stand-in",
    .version = "of nothing",
    .devices = standin_devices,
    .open = standin_open,
    .close = standin_close,
    .warm = standin_warm,
    .prepare = standin_prepare,
    .run = standin_run,
    .check = standin_check,
    .release = standin_release,
    .sensors = standin_sensors,
    .counters = standin_counters,
    .flags = standin_flags,
    .window = standin_window,
    .latency = standin_latency,
    .busy = standin_busy,
    .lost = standin_lost,
    .reason = standin_reason,
};

/* ---- the other end of the pipes ---- */

struct engine {
    pid_t pid;
    FILE *to, *from;
    int errors;    /* its standard error: a file */
    json_t *lines; /* all that came */
    int code;      /* exit code, or 128 + signal */
};

static struct engine start(const char *option)
{
    char *argv[] = {(char *)"standin", (char *)option, NULL};
    struct engine e = {.lines = json_array()};
    int in[2], out[2];
    FILE *errors = tmpfile();

    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    e.errors = dup(fileno(errors));
    fflush(NULL);
    e.pid = fork();
    if (e.pid == 0) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(e.errors, 2);
        close(in[0]), close(in[1]), close(out[0]), close(out[1]);
        json_decref(e.lines);
        exit(bench_main(&backend, option ? 2 : 1, argv));
    }
    fclose(errors);
    close(in[0]);
    close(out[1]);
    fcntl(in[1], F_SETFD, FD_CLOEXEC);
    e.to = fdopen(in[1], "w");
    e.from = fdopen(out[0], "r");
    return e;
}

static void tell(struct engine *e, const char *line)
{
    fprintf(e->to, "%s\n", line);
    fflush(e->to);
}

static double sensors_every = 0.002; /* s */
static double pause_between;         /* s, two tests */
static double longest_warmup = 0.05; /* s; the shortest is a fifth of it */
static double shortest = 0.005;      /* s, of a measurement */

static void tell_settings(struct engine *e, double max_time)
{
    struct method_settings s = method_preset(PRESET_QUICK);
    json_t *json;

    s.max_time = max_time;
    s.min_time = shortest;
    s.warmup = 0.004;
    s.device_warmup_min = longest_warmup / 5;
    s.device_warmup_max = longest_warmup;
    s.force = forced;
    s.pause = pause_between;
    json = protocol_settings(&s, 0);
    json_object_set_new(json, "sensors_s", json_real(sensors_every));
    json_object_set_new(json, "progress_s", json_real(0.01));
    output_send(e->to, json);
}

static void tell_point(struct engine *e, int index, int m)
{
    json_t *json = json_pack("{s:s, s:i, s:{s:s, s:i, s:i, s:i}}", "do", "point", "index", index,
                             "point", "test", "gemm", "m", m, "n", 16, "k", 32);

    output_send(e->to, json);
}

static json_t *next_line(struct engine *e)
{
    static char text[PROTOCOL_LINE + 1];
    json_t *line = NULL;

    if (!fgets(text, sizeof text, e->from))
        return NULL;
    if (gp_json_parse("engine", text, strlen(text), &line, NULL) != GP_OK)
        fail_msg("no JSON: %s", text);
    json_array_append_new(e->lines, line);
    return line;
}

static bool is_line(const json_t *line, const char *t)
{
    const char *word = json_string_value(json_object_get(line, "t"));

    return word && strcmp(word, t) == 0;
}

static void wait_for(struct engine *e, const char *t)
{
    json_t *line;

    while ((line = next_line(e)))
        if (is_line(line, t))
            return;
    fail_msg("never said %s", t);
}

/* Reads to the end and reaps. */
static void finish(struct engine *e)
{
    int status;

    while (next_line(e))
        ;
    assert_int_equal(waitpid(e->pid, &status, 0), e->pid);
    e->code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    if (e->to)
        fclose(e->to);
    fclose(e->from);
}

static void discard(struct engine *e)
{
    close(e->errors);
    json_decref(e->lines);
}

/* The nth line of that kind, or NULL. */
static json_t *said(const struct engine *e, const char *t, int nth)
{
    json_t *line;
    size_t i;

    json_array_foreach(e->lines, i, line) if (is_line(line, t) && nth-- == 0) return line;
    return NULL;
}

static const char *word(const json_t *line, const char *name)
{
    const char *text = json_string_value(json_object_get(line, name));

    return text ? text : "";
}

static bool flagged(const json_t *line, const char *flag)
{
    json_t *one;
    size_t i;

    json_array_foreach(json_object_get(line, "flags"), i,
                       one) if (strcmp(json_string_value(one), flag) == 0) return true;
    return false;
}

static const char *ending(const struct engine *e)
{
    return word(said(e, "done", 0), "status");
}

/* Everything one point comes to, and the engine's end. */
static struct engine one_point(int m, double max_time, int passes)
{
    struct engine e = start(NULL);

    tell_settings(&e, max_time);
    for (int i = 0; i < passes; i++)
        tell_point(&e, 7, m);
    tell(&e, "{\"do\":\"run\"}");
    finish(&e);
    return e;
}

/* ---- tests ---- */

static void test_works(void **state)
{
    struct engine e = one_point(M_OK, 0.3, 1);
    json_t *point = said(&e, "point", 0), *time, *sensors;

    (void)state;
    assert_int_equal(e.code, 0);
    assert_string_equal(ending(&e), "complete");
    assert_true(is_line(json_array_get(e.lines, 0), "hello"));
    assert_string_equal(word(said(&e, "hello", 0), "engine"), "stand-in");
    assert_string_equal(word(said(&e, "device", 0), "name"), "stand-in");
    assert_int_equal(json_integer_value(json_object_get(said(&e, "start", 0), "index")), 7);
    assert_string_equal(word(point, "state"), "ok");
    assert_string_equal(word(point, "id"), "gemm/fp32/1x16x32/cold");
    assert_int_equal(json_integer_value(json_object_get(point, "index")), 7);
    time = json_object_get(point, "time_s");
    assert_near(json_number_value(json_object_get(time, "median")), 2e-5, 1e-12);
    assert_int_equal(json_array_size(json_object_get(time, "samples")),
                     json_integer_value(json_object_get(time, "n")));
    assert_near(json_number_value(json_object_get(json_object_get(point, "rate"), "ops_per_s")),
                2.0 * 1 * 16 * 32 / 2e-5, 1);
    assert_near(json_number_value(json_object_get(json_object_get(point, "rate"), "ops_per_j")),
                2.0 * 1 * 16 * 32 / 2e-5 / 500, 1e-2);
    assert_near(json_number_value(json_object_get(json_object_get(point, "rate"), "ops_per_clock")),
                2.0 * 1 * 16 * 32 / 2e-5 / 1e9, 1e-9);
    assert_true(json_is_true(json_object_get(point, "valid")));
    sensors = json_object_get(point, "sensors");
    assert_string_equal(word(json_object_get(sensors, "throttle"), "class"), "power_cap");
    assert_true(json_number_value(json_object_get(sensors, "energy_j")) >= 2);
    assert_string_equal(word(sensors, "power_kind"), "instant");
    assert_int_equal(json_array_size(json_object_get(point, "flags")), 1);
    assert_true(flagged(point, "power_cap"));
    discard(&e);
}

/* A window without three readings gives no class, and says so; the preset's shortest
 * has three. */
static void test_no_sensors(void **state)
{
    struct method_settings quick = method_preset(PRESET_QUICK);
    struct job job;
    struct engine e;

    (void)state;
    job_init(&job);
    assert_true(quick.min_time > 3 * job.settings.sensors);
    job_fini(&job);
    sensors_every = 0.5;
    e = one_point(M_OK, 0.05, 1);
    sensors_every = 0.002;
    assert_true(json_is_null(json_object_get(said(&e, "point", 0), "sensors")));
    assert_true(flagged(said(&e, "point", 0), "no_sensors"));
    assert_false(flagged(said(&e, "point", 0), "power_cap"));
    discard(&e);
    e = one_point(M_OK, 0.05, 1); /* what only grows: from the first sample to the last */
    assert_near(json_number_value(
                    json_object_get(json_object_get(said(&e, "point", 0), "sensors"), "energy_j")),
                30, 1e-9);
    discard(&e);
}

static void test_states(void **state)
{
    struct engine e = start(NULL);

    (void)state;
    tell_settings(&e, 0.05);
    tell_point(&e, 0, M_FAILS);
    tell_point(&e, 1, M_OOM);
    tell_point(&e, 2, M_UNSUPPORTED);
    tell_point(&e, 3, M_OK);
    tell(&e, "{\"do\":\"run\"}");
    finish(&e);
    assert_int_equal(e.code, 0);
    assert_string_equal(word(said(&e, "point", 0), "state"), "error");
    assert_string_equal(word(said(&e, "point", 0), "reason"), "error 719: launch failure");
    assert_null(json_object_get(said(&e, "point", 0), "time_s"));
    assert_string_equal(word(said(&e, "point", 1), "state"), "oom");
    assert_string_equal(word(said(&e, "point", 1), "reason"), "needs 3 TiB");
    assert_string_equal(word(said(&e, "point", 2), "state"), "unsupported");
    assert_string_equal(word(said(&e, "point", 3), "state"), "ok");
    assert_string_equal(ending(&e), "complete");
    discard(&e);
}

static void test_wrong_result(void **state)
{
    struct engine e = one_point(M_WRONG, 0.05, 1);
    json_t *point = said(&e, "point", 0), *check = json_object_get(point, "check");

    (void)state;
    assert_true(json_is_false(json_object_get(check, "ok")));
    assert_true(json_is_false(json_object_get(point, "valid")));
    assert_true(flagged(point, "wrong"));
    assert_true(json_is_object(json_object_get(point, "time_s"))); /* kept */
    discard(&e);
}

/* Allocating the planned bytes is done once, not until an interval is narrow. */
static void test_fit_runs_once(void **state)
{
    struct engine e = start(NULL);
    json_t *point, *time;

    (void)state;
    tell_settings(&e, 0.3);
    tell(&e, "{\"do\":\"point\",\"index\":0,\"point\":{\"test\":\"fit\","
             "\"bytes\":1e6}}");
    tell(&e, "{\"do\":\"run\"}");
    finish(&e);
    point = said(&e, "point", 0);
    time = json_object_get(point, "time_s");
    assert_int_equal(json_integer_value(json_object_get(time, "n")), 1);
    assert_near(json_number_value(json_object_get(time, "median")), 2e-5, 1e-12);
    assert_false(flagged(point, "unconverged"));
    discard(&e);
}

static void test_two_variants(void **state)
{
    struct engine e = one_point(M_TWO, 0.05, 1);
    json_t *heuristic = said(&e, "point", 0), *tuned = said(&e, "point", 1);

    (void)state;
    assert_string_equal(word(heuristic, "variant"), "heuristic");
    assert_string_equal(word(tuned, "variant"), "tuned");
    assert_near(json_number_value(json_object_get(json_object_get(tuned, "time_s"), "median")),
                1e-5, 1e-12);
    assert_true(flagged(tuned, "launch_bound") && !flagged(heuristic, "launch_bound"));
    assert_null(said(&e, "start", 1));
    discard(&e);
}

static void test_not_cold(void **state)
{
    struct engine e = one_point(M_SMALL, 0.05, 1);

    (void)state;
    assert_true(flagged(said(&e, "point", 0), "not-cold"));
    discard(&e);
}

/* Of a point of 0.05 s, of which a busy machine may make more than 0.1. */
static bool is_throttled_for_a_moment(void)
{
    struct engine e = one_point(M_HOT, 0.05, 1);
    bool throttled = flagged(said(&e, "point", 0), "throttled");

    discard(&e);
    return throttled;
}

/* For longer than 0.1 s; a moment of it is nothing. */
static void test_throttled(void **state)
{
    struct engine e;
    json_t *point;
    int tries = 0;

    (void)state;
    while (is_throttled_for_a_moment() && ++tries < TRIES)
        ;
    assert_true(tries < TRIES);
    shortest = 0.2;
    e = one_point(M_HOT, 0.4, 1);
    shortest = 0.005;
    point = said(&e, "point", 0);
    assert_true(flagged(point, "throttled"));
    assert_non_null(said(&e, "log", 0)); /* it cooled down and tried again */
    assert_null(said(&e, "point", 1));
    assert_string_equal(
        word(json_object_get(json_object_get(point, "sensors"), "throttle"), "class"), "thermal");
    discard(&e);
}

static void test_drift(void **state)
{
    struct engine e = one_point(M_DRIFTS, 0.05, 2);
    json_t *first = said(&e, "point", 0), *second = said(&e, "point", 1);

    (void)state;
    assert_false(flagged(first, "drift"));
    assert_true(flagged(second, "drift"));
    assert_int_equal(json_array_size(json_object_get(second, "passes")), 3);
    assert_near(json_number_value(json_object_get(json_object_get(second, "time_s"), "median")),
                2e-5 * 1.04, 1e-10); /* the middle of three */
    discard(&e);
    e = one_point(M_OK, 0.05, 2);
    assert_false(flagged(said(&e, "point", 1), "drift"));
    assert_int_equal(json_array_size(json_object_get(said(&e, "point", 1), "passes")), 2);
    discard(&e);
}

static void test_device_lost(void **state)
{
    struct engine e = start(NULL);

    (void)state;
    tell_settings(&e, 0.05);
    tell_point(&e, 0, M_OK);
    tell_point(&e, 1, M_LOST);
    tell_point(&e, 2, M_OK);
    tell(&e, "{\"do\":\"run\"}");
    finish(&e);
    assert_int_equal(e.code, 4);
    assert_string_equal(word(said(&e, "error", 0), "code"), "device");
    assert_string_equal(ending(&e), "failed");
    assert_string_equal(word(said(&e, "point", 0), "state"), "ok");
    assert_string_equal(word(said(&e, "point", 1), "state"), "error");
    assert_null(said(&e, "point", 2));
    discard(&e);
}

/* Lost in the preparation: said once with its cause, and nothing more is tried. */
static void test_device_dies(void **state)
{
    struct engine e = start(NULL);

    (void)state;
    tell_settings(&e, 0.05);
    tell_point(&e, 0, M_DIES);
    tell_point(&e, 1, M_OK);
    tell(&e, "{\"do\":\"run\"}");
    finish(&e);
    assert_int_equal(e.code, 4);
    assert_string_equal(ending(&e), "failed");
    assert_non_null(strstr(word(said(&e, "error", 0), "text"), "error 719"));
    assert_non_null(strstr(word(said(&e, "error", 0), "text"), "not measured"));
    assert_string_equal(word(said(&e, "point", 0), "state"), "error");
    assert_null(said(&e, "point", 1));
    discard(&e);
}

/* A GPU that others use is refused before its first point, unless that is wanted. */
static void test_busy_before(void **state)
{
    static const char both[] = "somebody computes; 12 % of its memory is in use already";
    struct engine e;

    (void)state;
    in_use = true;
    e = one_point(M_OK, 0.05, 1);
    assert_int_equal(e.code, 4);
    assert_string_equal(ending(&e), "failed");
    assert_null(said(&e, "point", 0));
    assert_non_null(strstr(word(said(&e, "error", 0), "text"), both));
    assert_non_null(strstr(word(said(&e, "error", 0), "hint"), "--force"));
    discard(&e);
    forced = true;
    e = one_point(M_OK, 0.05, 1);
    in_use = forced = false;
    assert_string_equal(word(said(&e, "log", 0), "code"), "busy");
    assert_string_equal(word(said(&e, "log", 0), "text"), both);
    assert_string_equal(word(said(&e, "point", 0), "state"), "ok");
    discard(&e);
    e = one_point(M_OK, 0.05, 1);
    assert_null(said(&e, "log", 0));
    discard(&e);
}

/* Warm, it waits until it is told to go, or to stop. */
static void test_waits(void **state)
{
    struct engine e = start(NULL);
    double told;

    (void)state;
    tell_settings(&e, 0.02);
    tell_point(&e, 0, M_OK);
    tell(&e, "{\"do\":\"run\",\"wait\":true}");
    wait_for(&e, "ready");
    assert_null(said(&e, "start", 0));
    usleep(200000);
    told = clock_now();
    tell(&e, "{\"do\":\"go\"}");
    wait_for(&e, "start");
    assert_true(clock_now() - told < 20);
    finish(&e);
    assert_string_equal(ending(&e), "complete");
    discard(&e);
    e = start(NULL);
    tell_settings(&e, 0.02);
    tell_point(&e, 0, M_OK);
    tell(&e, "{\"do\":\"run\",\"wait\":true}");
    wait_for(&e, "ready");
    tell(&e, "{\"do\":\"stop\"}");
    finish(&e);
    assert_string_equal(ending(&e), "interrupted");
    assert_null(said(&e, "start", 0));
    discard(&e);
}

/* There is no point to wait for: a stop after the point ends the warm-up, too. */
static void test_stop_while_warming(void **state)
{
    struct engine e = start(NULL);
    double told;

    (void)state;
    longest_warmup = 30;
    tell_settings(&e, 0.02);
    longest_warmup = 0.05;
    tell_point(&e, 0, M_OK);
    tell(&e, "{\"do\":\"run\"}");
    wait_for(&e, "device");
    usleep(100000);
    told = clock_now();
    tell(&e, "{\"do\":\"stop\"}");
    finish(&e);
    assert_true(clock_now() - told < 10);
    assert_string_equal(ending(&e), "interrupted");
    assert_null(said(&e, "start", 0));
    discard(&e);
}

/* Seconds from the first point's answer to the second's, of a gemm and another test. */
static double between(const char *second)
{
    struct engine e = start(NULL);
    double first;

    tell_settings(&e, 0.02);
    tell_point(&e, 0, M_OK);
    fprintf(e.to, "{\"do\":\"point\",\"index\":1,\"point\":%s}\n", second);
    tell(&e, "{\"do\":\"run\"}");
    wait_for(&e, "point");
    first = clock_now();
    wait_for(&e, "point");
    first = clock_now() - first;
    finish(&e);
    assert_string_equal(ending(&e), "complete");
    discard(&e);
    return first;
}

/* Both ways within one try: a busy machine is late with one or the other line. */
static void test_rests(void **state)
{
    int tries = 0;

    (void)state;
    pause_between = 0.3;
    while ((between("{\"test\":\"memory\",\"kind\":\"read\",\"bytes\":4096}") < 0.3 ||
            between("{\"test\":\"gemm\",\"m\":8,\"n\":8,\"k\":8}") > 0.3) &&
           ++tries < TRIES)
        ;
    assert_true(tries < TRIES);
    pause_between = 0;
}

static void test_others_use_it(void **state)
{
    struct engine e = one_point(M_BUSY, 0.05, 1);

    (void)state;
    assert_true(flagged(said(&e, "point", 0), "shared"));
    discard(&e);
    e = one_point(M_OK, 0.05, 1);
    assert_false(flagged(said(&e, "point", 0), "shared"));
    discard(&e);
}

/* One operation by itself, beside what it takes in a queue; its first is not counted.
 */
static void test_latency(void **state)
{
    struct engine e = one_point(M_OK, 0.05, 1);
    json_t *point = said(&e, "point", 0), *alone;

    (void)state;
    alone = json_object_get(point, "latency_s");
    assert_near(json_number_value(json_object_get(alone, "median")), 5e-5, 1e-12);
    assert_near(json_number_value(json_object_get(alone, "max")), 5e-5, 1e-12);
    assert_int_equal(json_integer_value(json_object_get(alone, "n")), 31);
    assert_near(json_number_value(json_object_get(json_object_get(point, "time_s"), "median")),
                2e-5, 1e-12);
    assert_true(json_number_value(json_object_get(point, "first_s")) > 0);
    discard(&e);
}

static void test_chatty_library(void **state)
{
    struct engine e = one_point(M_CHATTY, 0.05, 1); /* next_line() takes only JSON */
    char text[64] = "";

    (void)state;
    assert_string_equal(word(said(&e, "point", 0), "state"), "ok");
    assert_true(pread(e.errors, text, sizeof text - 1, 0) > 0);
    assert_non_null(strstr(text, "library: hello {"));
    discard(&e);
}

static void test_reheats(void **state)
{
    struct engine e = one_point(M_PAUSES, 0.05, 1);
    char text[64] = "";

    (void)state;
    assert_true(pread(e.errors, text, sizeof text - 1, 0) > 0);
    assert_non_null(strstr(text, "reheated"));
    discard(&e);
}

static struct engine start_slow(double max_time)
{
    struct engine e = start(NULL);

    tell_settings(&e, max_time);
    tell_point(&e, 0, M_SLOW);
    tell_point(&e, 1, M_SLOW);
    tell(&e, "{\"do\":\"run\"}");
    wait_for(&e, "start");
    return e;
}

static void test_progress(void **state)
{
    struct engine e = start_slow(0.5);
    json_t *sensors;

    (void)state;
    finish(&e);
    sensors = said(&e, "sensors", 20);
    assert_non_null(sensors);
    assert_int_equal(json_integer_value(json_object_get(sensors, "temp_c")), 61);
    assert_true(flagged(said(&e, "point", 0), "unconverged"));
    discard(&e);
}

/* True when it stopped after the first point; false when that had ended before the word. */
static bool stops_after_point(void)
{
    struct engine e = start_slow(0.5);
    bool at_once;

    tell(&e, "nonsense"); /* which is no reason to end a measurement */
    tell(&e, "{\"do\":\"stop\"}");
    finish(&e);
    at_once = !said(&e, "start", 1);
    assert_int_equal(e.code, 0);
    assert_string_equal(word(said(&e, "point", 0), "state"), "ok");
    if (at_once)
        assert_string_equal(ending(&e), "interrupted");
    discard(&e);
    return at_once;
}

static void test_stop_after_point(void **state)
{
    int tries = 0;

    (void)state;
    while (!stops_after_point() && ++tries < TRIES)
        ;
    assert_true(tries < TRIES);
}

static void test_end_of_input_stops_now(void **state)
{
    struct engine e = start_slow(LONG);

    (void)state;
    fclose(e.to);
    e.to = NULL;
    finish(&e);
    assert_int_equal(e.code, 0);
    assert_string_equal(ending(&e), "interrupted");
    assert_null(said(&e, "point", 0)); /* half a measurement is none */
    discard(&e);
}

static void test_signals(void **state)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct engine e = start_slow(LONG);

        kill(e.pid, numbers[i]);
        finish(&e);
        assert_int_equal(e.code, 128 + numbers[i]);
        assert_string_equal(ending(&e), "interrupted");
        discard(&e);
    }
}

static void test_signal_while_planning(void **state)
{
    struct engine e = start(NULL);

    (void)state;
    tell_settings(&e, 0.1);
    wait_for(&e, "hello");
    nap(0.1);
    kill(e.pid, SIGTERM);
    finish(&e);
    assert_int_equal(e.code, 128 + SIGTERM);
    assert_string_equal(ending(&e), "interrupted");
    discard(&e);
}

static void test_nobody_reads(void **state)
{
    struct engine e = start_slow(LONG);
    int status;
    char text[8];

    (void)state;
    fclose(e.from);
    assert_int_equal(waitpid(e.pid, &status, 0), e.pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(pread(e.errors, text, sizeof text, 0), 0); /* not a word */
    fclose(e.to);
    discard(&e);
}

static void test_wrong_plans(void **state)
{
    static const char no_rows[] =
        "{\"protocol\":1,\"do\":\"settings\"}\n{\"do\":\"point\",\"index\":0,"
        "\"point\":{\"test\":\"gemm\",\"m\":0,\"n\":1,\"k\":1}}";
    static const char *const plans[] = {
        "{\"do\":\"run\"}",
        "{\"protocol\":2,\"do\":\"settings\"}",
        no_rows,
        "}{",
        "{\"protocol\":1,\"do\":\"settings\"}", /* and the input ends */
    };

    (void)state;
    for (size_t i = 0; i < sizeof plans / sizeof plans[0]; i++) {
        struct engine e = start(NULL);

        tell(&e, plans[i]);
        fclose(e.to);
        e.to = NULL;
        finish(&e);
        assert_int_equal(e.code, 2);
        assert_string_equal(word(said(&e, "error", 0), "code"), "file");
        assert_non_null(strstr(word(said(&e, "error", 0), "text"), "plan"));
        assert_string_equal(ending(&e), "failed");
        assert_null(said(&e, "device", 0)); /* no device was opened for it */
        discard(&e);
    }
}

static void test_no_open(void **state)
{
    struct engine e;

    (void)state;
    no_open = true;
    e = one_point(M_OK, 0.05, 1);
    no_open = false;
    assert_int_equal(e.code, 4);
    assert_string_equal(word(said(&e, "error", 0), "hint"), "wait");
    assert_string_equal(ending(&e), "failed");
    discard(&e);
}

/* A processor without a library has nothing to heat with, but memory to measure. */
static void test_no_heat(void **state)
{
    struct engine e;

    (void)state;
    no_heat = true;
    e = one_point(M_OK, 0.05, 1);
    no_heat = false;
    assert_int_equal(e.code, 0);
    assert_non_null(strstr(word(said(&e, "log", 0), "text"), "no warm-up"));
    assert_string_equal(word(said(&e, "point", 0), "state"), "ok");
    discard(&e);
}

static void test_devices(void **state)
{
    struct engine e = start("--devices");

    (void)state;
    finish(&e);
    assert_int_equal(e.code, 0);
    assert_non_null(said(&e, "hello", 0));
    assert_int_equal(json_integer_value(json_object_get(said(&e, "device", 1), "index")), 1);
    assert_string_equal(ending(&e), "complete");
    discard(&e);
    no_devices = true;
    e = start("--devices");
    no_devices = false;
    finish(&e);
    assert_int_equal(e.code, 4);
    assert_string_equal(word(said(&e, "error", 0), "text"), "no driver");
    discard(&e);
}

static void test_usage(void **state)
{
    struct engine e = start("--frobnicate");
    char text[128] = "";

    (void)state;
    finish(&e);
    assert_int_equal(e.code, 2);
    assert_true(pread(e.errors, text, sizeof text - 1, 0) > 0);
    assert_non_null(strstr(text, "--frobnicate"));
    assert_int_equal(json_array_size(e.lines), 0);
    discard(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_works),
        cmocka_unit_test(test_no_sensors),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_wrong_result),
        cmocka_unit_test(test_fit_runs_once),
        cmocka_unit_test(test_two_variants),
        cmocka_unit_test(test_not_cold),
        cmocka_unit_test(test_throttled),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_device_lost),
        cmocka_unit_test(test_device_dies),
        cmocka_unit_test(test_busy_before),
        cmocka_unit_test(test_waits),
        cmocka_unit_test(test_rests),
        cmocka_unit_test(test_stop_while_warming),
        cmocka_unit_test(test_others_use_it),
        cmocka_unit_test(test_latency),
        cmocka_unit_test(test_chatty_library),
        cmocka_unit_test(test_reheats),
        cmocka_unit_test(test_progress),
        cmocka_unit_test(test_stop_after_point),
        cmocka_unit_test(test_end_of_input_stops_now),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_signal_while_planning),
        cmocka_unit_test(test_nobody_reads),
        cmocka_unit_test(test_wrong_plans),
        cmocka_unit_test(test_no_open),
        cmocka_unit_test(test_no_heat),
        cmocka_unit_test(test_devices),
        cmocka_unit_test(test_usage),
    };

    alarm(60); /* an engine that hangs fails the test */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
