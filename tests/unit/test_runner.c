/*
 * test_runner.c - engines that crash, hang, babble and lie, and one that does not.
 *
 * All are tests/fixtures/standin_engine, told by GPUPLAN_STANDIN how to behave.
 */
#include "measure/runner.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "unit.h"

#define COUNT 4
#define TRIES 4       /* of what a busy machine may spoil: one of them must be as it should */
#define PATIENCE 60.0 /* s */

static struct point points[COUNT];
static char program[1024];

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int open_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int n = 0;

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n;
}

static bool no_children(void)
{
    return waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD;
}

static struct runner_plan plan_of(int device, double timeout)
{
    struct runner_plan plan = {
        .program = program, .device = device, .points = points, .count = COUNT, .timeout = timeout};

    plan.settings = method_preset(PRESET_QUICK);
    return plan;
}

/* What one engine said, counted. */
struct story {
    int hello, device, start, sensors, point, log, failed, done;
    int errors;       /* among the points */
    char reason[200]; /* of the last of them */
    bool interrupted;
    struct gp_err err;
};

static void tell(struct story *s, const struct runner_event *e)
{
    int *counts[] = {&s->hello, &s->device, &s->start,  &s->sensors,
                     &s->point, &s->log,    &s->failed, &s->done};
    const char *status = json_string_value(json_object_get(e->json, "status"));

    ++*counts[e->kind];
    if (e->kind == EVENT_FAILED)
        s->err = e->err;
    if (e->kind == EVENT_DONE)
        s->interrupted = strcmp(status, "interrupted") == 0;
    if (e->kind != EVENT_POINT)
        return;
    assert_string_equal(json_string_value(json_object_get(e->json, "id")), points[e->index].id);
    if (strcmp(json_string_value(json_object_get(e->json, "state")), "error") == 0) {
        s->errors++;
        snprintf(s->reason, sizeof s->reason, "%s",
                 json_string_value(json_object_get(e->json, "reason")));
    }
}

static void follow(struct runner *runner, struct story *stories)
{
    struct runner_event event;
    double until = now() + PATIENCE;

    while (runner_busy(runner) && now() < until)
        if (runner_step(runner, 0.2, &event))
            tell(&stories[event.engine], &event);
    assert_false(runner_busy(runner));
}

/* One engine that behaves so, to its end. */
static struct story play(const char *how, double timeout)
{
    struct runner *runner = runner_new();
    struct runner_plan plan = plan_of(0, timeout);
    struct story story = {0};
    struct gp_err err;
    int files = open_files();

    setenv("GPUPLAN_STANDIN", how, 1);
    assert_int_equal(runner_start(runner, &plan, &err), 0);
    follow(runner, &story);
    runner_free(runner);
    assert_true(no_children());
    assert_int_equal(open_files(), files);
    assert_int_equal(story.failed + story.done, 1);
    return story;
}

static void test_good(void **state)
{
    struct story s = play("good", 10);

    (void)state;
    assert_int_equal(s.hello, 1);
    assert_int_equal(s.device, 1);
    assert_int_equal(s.start, COUNT);
    assert_int_equal(s.sensors, COUNT);
    assert_int_equal(s.point, COUNT);
    assert_int_equal(s.done, 1);
    assert_false(s.interrupted);
}

/* Each fails with these words, after this many points that count. */
static void test_failures(void **state)
{
    static const struct {
        const char *how;
        int points;
        const char *text;
    } all[] = {
        {"crash:2", 2, "ended by signal 11 (SIGSEGV) while it measured gemm/"},
        {"killed:1", 1, "ended by signal 9 (SIGKILL) while it measured gemm/"},
        {"exit:1", 1, "ended with exit code 3 while it measured gemm/"},
        {"babble:1", 1, "not valid JSON"},
        {"huge:3", 3, "a line of more than 1048576 bytes"},
        {"endless:1", 1, "a line of more than 1048576 bytes"},
        {"nan:1", 1, "not valid JSON"},
        {"infinite:1", 1, "not valid JSON"},
        {"index:2", 2, "point 3000 was not asked for"},
        {"id:1", 1, "not \"gemm/other\""},
        {"twice:1", 2, "it reported point 1 2 times"},
        {"unstarted:2", 2, "reported point 2 without starting it"},
        {"state:0", 0, "state \"great\" is not one of ok, "},
        {"deep:1", 1, "nested deeper than 64 levels"},
        {"short", 1, "but 3 points have no result"},
        {"early", 0, "ended with exit code 4 before it said hello; it wrote: libstandin"},
        {"nodevice", 0, "no device: the stand-in was told to have none"},
        {"protocol", 0, "it speaks protocol 99"},
        {"otherdevice", 0, "it opened device 1, not 0"},
        {"after", 4, "it went on after it was done"},
        {"device", 0, "name holds control characters"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct story s = play(all[i].how, 10);

        if (s.failed != 1 || s.point != all[i].points || !strstr(s.err.text, all[i].text))
            fail_msg("%s: failed %d, %d points, \"%s\"", all[i].how, s.failed, s.point, s.err.text);
        assert_string_equal(s.err.where, "standin_engine, device 0");
        assert_int_equal(s.err.code, GP_E_DEVICE);
        assert_null(strchr(s.err.text, '\033'));
    }
}

/* One figure that nobody can use, or that contradicts the others: the point is an error
 * that says which, and all the others are measured. */
static void test_unfit_answers(void **state)
{
    static const struct {
        const char *how, *reason;
    } all[] = {
        {"negative:2", "ops_per_s is -1, outside"},
        {"ci:1", "time_s.ci95 is not an interval around the median"},
        {"samples:1", "time_s.samples are not as many as n says"},
        {"noci:1", "time_s.ci95[0] is missing"},
        {"contrary:1", "contradict its samples: time_s.median is 0.0020005, not 0.002"},
        {"rate:1", "contradict its samples: rate.ops_per_s is 9e+13, not "},
        {"type:1", "params.type is \"fp16-acc16\", not \"fp32\""},
        {"power:1", "mean is not a number"},
        {"control:1", "algo.name is not printable text"},
        {"reason:1", "reason holds control characters"},
        {"check:1", "check.ok is neither true nor false"},
        {"flag:1", "flags[0] is not printable text"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct story s = play(all[i].how, 10);

        if (s.failed || s.point != COUNT || s.errors != 1 || !strstr(s.reason, all[i].reason))
            fail_msg("%s: %d of %d points are errors: \"%s\"; %s", all[i].how, s.errors, s.point,
                     s.reason, s.err.text);
    }
}

static void test_unknown_words_are_ignored(void **state)
{
    struct story s = play("unknown:1", 10);

    (void)state;
    assert_int_equal(s.done, 1);
    assert_int_equal(s.point, COUNT);
}

/* One that falls silent in a point, once it was quick enough to come so far in the time
 * that ends it: that is 0.4 s at first, and four times as much with each try. */
static struct story fall_silent(const char *how, const char *said)
{
    char text[80];
    double timeout = 0.1, began;
    struct story s;
    int tries = 0;

    do {
        timeout *= 4;
        began = now();
        s = play(how, timeout);
        snprintf(text, sizeof text, "%s for %g s while it measured", said, timeout);
        /* SIGTERM is enough: SIGKILL would follow 3 s later */
    } while ((!strstr(s.err.text, text) || now() - began > timeout + 2.5) && ++tries < TRIES);
    if (tries == TRIES)
        fail_msg("%s: after %.1f s \"%s\"", how, now() - began, s.err.text);
    return s;
}

static void test_hang(void **state)
{
    struct story s = fall_silent("hang:1", "wrote nothing");

    (void)state;
    assert_int_equal(s.point, 1);
    s = play("deaf", 0.3);
    assert_non_null(strstr(s.err.text, "before it said hello"));
}

/* Sensors come from a thread of their own: they are no sign of work. */
static void test_stall(void **state)
{
    struct story s = fall_silent("stall:1", "wrote lines but made no progress");

    (void)state;
    assert_int_equal(s.point, 1);
}

static void test_closed_output(void **state)
{
    struct story s = play("closes", 30);

    (void)state;
    assert_non_null(strstr(s.err.text, "closed its output but did not end"));
}

/* 100 KiB of complaints do not block it, and the last line is in the message. */
static void test_noise(void **state)
{
    struct story s = play("noise", 10);

    (void)state;
    assert_int_equal(s.done, 1);
    assert_int_equal(s.point, COUNT);
    s = play("noisecrash:1", 10);
    assert_non_null(strstr(s.err.text, "SIGSEGV"));
    assert_non_null(strstr(s.err.text, "; it wrote: last  [31mwords"));
}

/* A process that the engine started dies with it, though it holds the pipe open. */
static void test_grandchild(void **state)
{
    struct story s = play("child:1", 2 * PATIENCE); /* follow() waits for half of that */

    (void)state;
    assert_non_null(strstr(s.err.text, "SIGSEGV"));
}

static void test_words(void **state)
{
    struct runner *runner = runner_new();
    struct runner_plan plan = plan_of(0, 10);
    struct story story = {0};
    struct gp_err err;
    const char *words;

    (void)state;
    setenv("GPUPLAN_STANDIN", "noise", 1);
    assert_int_equal(runner_start(runner, &plan, &err), 0);
    follow(runner, &story);
    words = runner_words(runner, 0);
    assert_true(strlen(words) <= 4096 && strlen(words) > 4000);
    assert_string_equal(words + strlen(words) - 17, "last  [31mwords\n\n");
    runner_free(runner);
}

static struct story stop_after_first(const char *how, enum stop_level level)
{
    struct runner *runner = runner_new();
    struct runner_plan plan = plan_of(0, 10);
    struct runner_event event;
    struct story story = {0};
    struct gp_err err;
    bool told = false;

    setenv("GPUPLAN_STANDIN", how, 1);
    assert_int_equal(runner_start(runner, &plan, &err), 0);
    while (runner_busy(runner)) {
        if (!runner_step(runner, 0.2, &event))
            continue;
        tell(&story, &event);
        if (event.kind == EVENT_START && !told) {
            runner_stop(runner, level);
            told = true;
        }
    }
    runner_free(runner);
    assert_true(no_children());
    return story;
}

static void test_stop(void **state)
{
    struct story s = stop_after_first("waits:0", STOP_AFTER_POINT);

    (void)state;
    assert_int_equal(s.done, 1);
    assert_true(s.interrupted);
    assert_int_equal(s.point, 1);
    s = stop_after_first("waits:0", STOP_NOW);
    assert_int_equal(s.done, 1);
    assert_true(s.interrupted);
    assert_true(s.point <= 1);
}

static void test_stop_stubborn(void **state)
{
    double began = now();
    struct story s = stop_after_first("stubborn", STOP_NOW);

    (void)state;
    assert_int_equal(s.done, 1);
    assert_true(s.interrupted);
    assert_true(now() - began > 2.9 && now() - began < PATIENCE);
}

/* One crashes, one hangs, one is good: each gets its own end. */
static void test_others_go_on(void **state)
{
    static const char *const how[] = {"crash:1", "hang:0", "slow"};
    struct runner *runner = runner_new();
    struct story stories[3] = {{0}};
    struct gp_err err;

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct runner_plan plan = plan_of(i, i == 1 ? 0.5 : 10);

        setenv("GPUPLAN_STANDIN", how[i], 1);
        assert_int_equal(runner_start(runner, &plan, &err), i);
    }
    follow(runner, stories);
    assert_int_equal(stories[0].failed, 1);
    assert_int_equal(stories[0].point, 1);
    assert_string_equal(stories[0].err.where, "standin_engine, device 0");
    assert_int_equal(stories[1].failed, 1);
    assert_int_equal(stories[2].done, 1);
    assert_int_equal(stories[2].point, COUNT);
    runner_free(runner);
    assert_true(no_children());
}

/* The second pass runs the same indices again; more than that is a lie. */
static void test_passes(void **state)
{
    static const int order[] = {2, 0, 1, 3, 3, 1, 0, 2};
    struct runner *runner = runner_new();
    struct runner_plan plan = plan_of(0, 10);
    struct story story = {0};
    struct gp_err err;

    (void)state;
    plan.order = order;
    plan.count = 8;
    setenv("GPUPLAN_STANDIN", "good", 1);
    assert_int_equal(runner_start(runner, &plan, &err), 0);
    follow(runner, &story);
    assert_int_equal(story.point, 8);
    assert_int_equal(story.done, 1);
    runner_free(runner);
}

/* More than a pipe holds, to an engine that never reads: starting does not block. */
static void test_large_plan(void **state)
{
    enum { MANY = 3000 };
    struct point *many = calloc(MANY, sizeof *many);
    struct runner *runner = runner_new();
    struct runner_plan plan = plan_of(0, 10);
    struct story story = {0};
    struct runner_event event;
    struct gp_err err;

    (void)state;
    for (int i = 0; i < MANY; i++) {
        many[i] = points[0];
        many[i].m = 64 + i;
        point_name(&many[i]);
    }
    plan.points = many;
    plan.count = MANY;
    setenv("GPUPLAN_STANDIN", "good", 1);
    assert_int_equal(runner_start(runner, &plan, &err), 0);
    while (runner_busy(runner))
        if (runner_step(runner, 0.2, &event) && event.kind == EVENT_POINT)
            story.point++;
    assert_int_equal(story.point, MANY);
    setenv("GPUPLAN_STANDIN", "deaf", 1);
    assert_int_equal(runner_start(runner, &plan, &err), 1);
    runner_free(runner); /* while it runs */
    assert_true(no_children());
    free(many);
}

static void test_cannot_start(void **state)
{
    struct runner *runner = runner_new();
    struct runner_plan plan = plan_of(0, 10);
    struct gp_err err;
    int files = open_files();

    (void)state;
    plan.program = "/nowhere/gpuplan-bench-cuda";
    assert_int_equal(runner_start(runner, &plan, &err), -1);
    assert_int_equal(err.code, GP_E_DEVICE);
    assert_string_equal(err.where, "/nowhere/gpuplan-bench-cuda");
    assert_int_equal(open_files(), files);
    assert_false(runner_busy(runner));
    runner_free(runner);
}

static void test_step_waits(void **state)
{
    struct runner *runner = runner_new();
    struct runner_plan plan = plan_of(0, 2 * PATIENCE);
    struct runner_event event;
    struct gp_err err;
    double began;

    (void)state;
    assert_false(runner_step(runner, 5, &event)); /* nothing to wait for */
    setenv("GPUPLAN_STANDIN", "deaf", 1);
    runner_start(runner, &plan, &err);
    began = now();
    assert_false(runner_step(runner, 0.3, &event));
    assert_true(now() - began > 0.25 && now() - began < PATIENCE); /* not its limit */
    runner_free(runner);
}

/* Lists the devices of the stand-in; the kind of the last event. */
static enum runner_event_kind list(const char *how, double timeout, int *devices,
                                   struct gp_err *err)
{
    enum runner_event_kind last = EVENT_LOG;
    struct runner *runner = runner_new();
    struct runner_event event;

    setenv("GPUPLAN_STANDIN", how, 1);
    *devices = 0;
    assert_true(runner_list(runner, program, timeout, err) >= 0);
    while (runner_busy(runner)) {
        if (!runner_step(runner, 0.2, &event))
            continue;
        if (event.kind == EVENT_HELLO)
            assert_string_equal(json_string_value(json_object_get(event.json, "engine")),
                                "standin");
        *devices += event.kind == EVENT_DEVICE;
        last = event.kind;
        *err = event.err;
    }
    runner_free(runner);
    return last;
}

/* Two engines that wait for each other, device 1 behaving so and taking half a second
 * to become warm; when each began its first point, s from the start. */
static void begin_together(const char *how, double timeout, double first[2], int *failed)
{
    struct runner *runner = runner_new();
    struct runner_event event;
    struct gp_err err;
    double began = now();

    first[0] = first[1] = -1;
    *failed = 0;
    setenv("GPUPLAN_STANDIN", how, 1);
    setenv("GPUPLAN_STANDIN_ON", "1", 1);
    for (int device = 0; device < 2; device++) {
        struct runner_plan plan = plan_of(device, 10);

        plan.wait = true;
        plan.timeout = timeout;
        plan.settings.device_warmup_max = 0.5;
        assert_int_equal(runner_start(runner, &plan, &err), device);
    }
    while (runner_busy(runner)) {
        if (!runner_step(runner, 0.2, &event))
            continue;
        if (event.kind == EVENT_START && first[event.engine] < 0)
            first[event.engine] = now() - began;
        *failed += event.kind == EVENT_FAILED;
    }
    unsetenv("GPUPLAN_STANDIN_ON");
    runner_free(runner);
}

/* The one that is warm first waits for the other, but not for one that died, nor for
 * one that knows nothing of waiting. */
static void test_common_start(void **state)
{
    double first[2], timeout = 0.125;
    int failed, tries = 0;

    (void)state;
    do { /* who reads it may be late for one of them */
        begin_together("warm", 10, first, &failed);
        assert_int_equal(failed, 0);
        assert_true(first[0] > 0.45 && first[1] > 0.45);
    } while (fabs(first[0] - first[1]) >= 0.3 && ++tries < TRIES);
    assert_true(tries < TRIES);
    begin_together("cold", 10, first, &failed);
    assert_int_equal(failed, 1);
    assert_true(first[0] > 0.45);
    begin_together("rash", 10, first, &failed);
    assert_int_equal(failed, 0);
    assert_true(first[0] > 0 && first[1] > 0);
    do { /* who waits for it does not hang, once both were quick enough to begin with it */
        timeout *= 4;
        begin_together("frozen", timeout, first, &failed);
    } while ((failed != 1 || first[0] < timeout + 0.4 || first[1] > 0) && timeout < 30);
    assert_true(timeout < 30);
}

static void test_devices(void **state)
{
    int devices;
    struct gp_err err;
    struct runner *runner = runner_new();

    (void)state;
    assert_int_equal(list("good", 5, &devices, &err), EVENT_DONE);
    assert_int_equal(devices, 2);
    assert_int_equal(list("nodevice", 5, &devices, &err), EVENT_FAILED);
    assert_int_equal(err.code, GP_E_DEVICE);
    assert_non_null(strstr(err.text, "told to have none"));
    assert_string_equal(err.hint, "tell it otherwise");
    assert_int_equal(list("hang", 0.3, &devices, &err), EVENT_FAILED);
    assert_int_equal(err.code, GP_E_DEVICE);
    assert_int_equal(runner_list(runner, "/no/such/engine", 1, &err), -1);
    assert_int_equal(err.code, GP_E_DEVICE);
    runner_free(runner);
    assert_true(no_children());
}

static void test_find(void **state)
{
    char path[256], dir[] = "/tmp/gpuplan-find-XXXXXX", made[256];

    (void)state;
    assert_non_null(mkdtemp(dir));
    snprintf(made, sizeof made, "%s/gpuplan-bench-standin", dir);
    setenv("GPUPLAN_LIBEXEC", dir, 1);
    assert_false(runner_find("standin", path, sizeof path));
    assert_int_equal(symlink(program, made), 0);
    assert_true(runner_find("standin", path, sizeof path));
    assert_string_equal(path, made);
    unlink(made);
    rmdir(dir);
    unsetenv("GPUPLAN_LIBEXEC");
}

static bool find_program(void)
{
    const char *given = getenv("GPUPLAN_STANDIN_ENGINE");
    const char *top = getenv("top_builddir");

    if (given)
        snprintf(program, sizeof program, "%s", given);
    else
        snprintf(program, sizeof program, "%s/tests/fixtures/standin_engine", top ? top : ".");
    return access(program, X_OK) == 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),          cmocka_unit_test(test_failures),
        cmocka_unit_test(test_unfit_answers), cmocka_unit_test(test_unknown_words_are_ignored),
        cmocka_unit_test(test_hang),          cmocka_unit_test(test_stall),
        cmocka_unit_test(test_closed_output), cmocka_unit_test(test_noise),
        cmocka_unit_test(test_grandchild),    cmocka_unit_test(test_words),
        cmocka_unit_test(test_stop),          cmocka_unit_test(test_stop_stubborn),
        cmocka_unit_test(test_others_go_on),  cmocka_unit_test(test_passes),
        cmocka_unit_test(test_large_plan),    cmocka_unit_test(test_cannot_start),
        cmocka_unit_test(test_step_waits),    cmocka_unit_test(test_common_start),
        cmocka_unit_test(test_devices),       cmocka_unit_test(test_find),
    };

    if (!find_program()) {
        fprintf(stderr, "test_runner: no %s\n", program);
        return 1;
    }
    for (int i = 0; i < COUNT; i++) {
        points[i] = (struct point){
            .test = TEST_GEMM, .type = TYPE_FP32, .tp = 1, .m = 64 << i, .n = 8, .k = 64};
        point_name(&points[i]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
