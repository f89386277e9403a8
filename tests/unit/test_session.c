/*
 * test_session.c - a run from the question to the file, with the stand-in engine, which
 * measures nothing: what becomes of devices, points, stops, journals and results.
 */
#include "measure/session.h"

#include <limits.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/path.h"
#include "measure/result/benchlog.h"
#include "profiles.h"
#include "unit.h"

static char folder[] = "/tmp/gpuplan-session-XXXXXX", out[128], part[140];
static struct planner *planner;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- asking ---- */

static struct options options;

static void give(enum option_id id, const char *text)
{
    struct gp_err err = {0};

    if (options_text(&options, id, option_rows[id].name, text, &err))
        fail_msg("%s: %s", err.where, err.text);
}

/* One device, a few points, one pass, and the file `out`. */
static struct session_request small(const char *how)
{
    setenv("GPUPLAN_STANDIN", how, 1);
    unsetenv("GPUPLAN_STANDIN_NAME");
    memset(&options, 0, sizeof options);
    give(OPT_BACKEND, "cpu");
    give(OPT_DEVICE, "0");
    give(OPT_PRESET, "quick");
    give(OPT_TYPE, "fp32");
    give(OPT_OUT, out);
    return (struct session_request){
        .options = &options, .planner = planner, .tests = "gemm,memory"};
}

static struct session *begin(const struct session_request *how)
{
    struct gp_err err = {0};
    struct session *s = session_new(how, &err);

    if (!s)
        fail_msg("%s: %s", err.where, err.text);
    return s;
}

/* Steps until an event of that kind; false when it is over before. */
static bool until(struct session *s, enum session_event_kind kind, struct session_event *event)
{
    double end = now() + 60;

    while (now() < end) {
        if (session_step(s, 0.1, event) && event->kind == kind)
            return true;
        if (session_state(s) == SESSION_OVER || session_state(s) == SESSION_BROKEN)
            return false;
    }
    fail_msg("nothing happens");
    return false;
}

static void start(struct session *s)
{
    struct session_event event;
    struct gp_err err = {0};

    assert_true(until(s, SESSION_EVENT_READY, &event));
    if (session_start(s, &err))
        fail_msg("%s: %s", err.where, err.text);
}

/* To the end: the exit code. */
static int finish(struct session *s)
{
    struct session_event event;
    struct gp_err err = {0};

    if (session_state(s) == SESSION_WORKING)
        assert_true(until(s, SESSION_EVENT_OVER, &event));
    if (session_finish(s, &err))
        fail_msg("%s: %s", err.where, err.text);
    return session_exit_code(s, false);
}

static void forget_files(void)
{
    unlink(out);
    unlink(part);
}

static int marked(const struct session *s, enum session_mark mark)
{
    struct session_point point;
    int n = 0;

    for (int i = 0; i < session_points(s); i++)
        n += session_point(s, 0, i, &point) && point.mark == mark;
    return n;
}

/* ---- tests ---- */

static void a_run_from_end_to_end(void **state)
{
    struct session_request how = small("good");
    struct session *s = begin(&how);
    struct session_plan plan;
    struct session_progress progress;
    struct session_point point;
    struct session_device device;
    struct session_event event;
    struct benchlog log;

    (void)state;
    assert_int_equal(session_state(s), SESSION_LOOKING);
    assert_true(until(s, SESSION_EVENT_READY, &event));
    session_plan(s, &plan);
    assert_string_equal(plan.backend, "cpu");
    assert_string_equal(plan.result, out);
    assert_true(plan.points > 3 && plan.passes == 2 && plan.seconds > 0);
    assert_int_equal(session_found(s), 2);
    assert_int_equal(session_devices(s), 1);
    assert_true(session_device(s, 0, &device));
    assert_string_equal(device.name, "stand-in 0");
    assert_true(isnan(device.bandwidth) && device.memory > 0 && !device.gpu);
    assert_false(session_device(s, 1, &device));
    assert_int_equal(marked(s, MARK_WAITING), plan.points);
    assert_true(access(part, F_OK) != 0); /* nothing is touched before the start */

    assert_int_equal(session_start(s, NULL), GP_OK);
    assert_true(until(s, SESSION_EVENT_BEGIN, &event));
    assert_int_equal(event.device, 0);
    assert_true(session_point(s, 0, event.index, &point));
    assert_int_equal(point.mark, MARK_RUNNING);
    assert_true(until(s, SESSION_EVENT_SENSORS, &event));
    assert_near(event.sensors.temperature, 41.5, 0);
    assert_true(isnan(event.sensors.power));
    assert_true(until(s, SESSION_EVENT_POINT, &event));
    assert_near(event.result.median, 0.002, 0);
    assert_near(event.result.ops, 2 * 512.0 * 512 * 512 / 0.002, 1); /* its plan */
    assert_true(session_point(s, 0, event.index, &point));
    assert_int_equal(point.mark, MARK_OK);
    assert_int_equal(point.count, 1);
    assert_int_equal(point.result[0].state, POINT_OK);
    assert_int_equal(access(part, F_OK), 0);

    assert_int_equal(finish(s), 0);
    session_progress(s, &progress);
    assert_int_equal(progress.done, plan.points * plan.passes);
    assert_near(progress.left, 0, 0);
    assert_string_equal(session_status(s), "complete");
    assert_true(session_summaries(s) > 0);
    assert_true(access(part, F_OK) != 0);
    assert_int_equal(benchlog_read(out, &log, NULL), GP_OK);
    assert_int_equal(log.count, plan.points);
    benchlog_fini(&log);
    session_free(s);
    forget_files();
}

/* The longest of 200 steps of no time, s. */
static double longest_step(const char *engine)
{
    struct session_event event;
    struct session_request how = small(engine);
    struct session *s = begin(&how);
    double longest = 0;

    for (int n = 0; n < 200; n++) {
        double began = now();

        if (session_step(s, 0, &event) && event.kind == SESSION_EVENT_READY)
            assert_int_equal(session_start(s, NULL), GP_OK);
        if (event.kind != SESSION_EVENT_READY) /* that one reads the catalogue */
            longest = fmax(longest, now() - began);
        usleep(1000);
    }
    session_free(s);
    forget_files();
    return longest;
}

/* A busy machine makes a step long now and then, a step that waits does it each time. */
static void a_step_of_no_time_never_waits(void **state)
{
    static const char *const engines[] = {"hang", "deaf", "slow"};

    (void)state;
    for (size_t i = 0; i < sizeof engines / sizeof *engines; i++) {
        double least = INFINITY;

        for (int tries = 0; tries < 6 && least >= 0.2; tries++)
            least = fmin(least, longest_step(engines[i]));
        assert_true(least < 0.2);
    }
}

static void a_plan_can_be_changed(void **state)
{
    struct session_request how = small("good");
    struct session *s = begin(&how);
    struct session_event event;
    struct gp_err err = {0};
    int before;

    (void)state;
    assert_true(until(s, SESSION_EVENT_READY, &event));
    before = session_points(s);
    how.tests = "memory";
    assert_int_equal(session_replan(s, &how, &err), GP_OK);
    assert_true(session_points(s) > 0 && session_points(s) < before);
    give(OPT_SIZE, "1KiB");
    assert_int_equal(session_replan(s, &how, &err), GP_E_USAGE);
    assert_int_equal(session_points(s), 0);
    assert_int_equal(session_start(s, &err), GP_E_INTERNAL);
    how = small("good");
    memset(&options.value[OPT_DEVICE], 0, sizeof options.value[OPT_DEVICE]);
    assert_int_equal(session_replan(s, &how, &err), GP_OK);
    assert_int_equal(session_devices(s), 2);
    assert_int_equal(session_points(s), before);
    assert_int_equal(session_start(s, &err), GP_OK);
    assert_int_equal(finish(s), 0);
    assert_int_equal(session_replan(s, &how, &err), GP_E_INTERNAL);
    session_free(s);
    forget_files();
}

static void words_are_checked_before_anything_starts(void **state)
{
    struct session_request how = small("good");
    struct gp_err err = {0};

    (void)state;
    how.tests = "memory,nonsense";
    assert_null(session_new(&how, &err));
    assert_int_equal(err.code, GP_E_USAGE);
    how = small("good");
    give(OPT_TIME_LIMIT, "soon");
    assert_null(session_new(&how, &err));
    assert_string_equal(err.where, "--time-limit");
}

static void stopped_while_it_looks(void **state)
{
    struct session_request how = small("hang");
    struct session *s = begin(&how);
    struct session_event event;

    (void)state;
    assert_false(session_step(s, 0.05, &event));
    session_stop(s, SESSION_AFTER_POINT, SIGINT);
    assert_true(session_step(s, 0, &event));
    assert_int_equal(event.kind, SESSION_EVENT_FAILED);
    assert_int_equal(session_state(s), SESSION_BROKEN);
    assert_int_equal(session_exit_code(s, false), 130);
    assert_false(session_step(s, 0, &event));
    session_free(s);
    assert_true(access(part, F_OK) != 0);
}

/* An engine that hangs before it has named a device: said while it is waited for, and
 * the same limit ends it as any other silence. False: what is said after 3 s came too late. */
static bool told_of_silence(double timeout)
{
    struct session_request how = small("hang");
    struct session_event event;
    struct session *s;
    double began = now();
    char text[80];
    bool told;

    snprintf(text, sizeof text, "%g", timeout);
    setenv("GPUPLAN_ENGINE_TIMEOUT", text, 1);
    s = begin(&how);
    told = until(s, SESSION_EVENT_NOTE, &event);
    if (told) {
        snprintf(text, sizeof text,
                 "asks gpuplan-bench-cpu for its devices; it may be silent for %g s", timeout);
        assert_string_equal(event.text, text);
        assert_true(now() - began > 2.9);
        assert_true(until(s, SESSION_EVENT_FAILED, &event));
        snprintf(text, sizeof text, "wrote nothing for %g s", timeout);
        assert_non_null(strstr(event.err.text, text));
    }
    unsetenv("GPUPLAN_ENGINE_TIMEOUT");
    session_free(s);
    return told;
}

static void silent_while_it_looks(void **state)
{
    (void)state;
    if (!told_of_silence(3.5))
        assert_true(told_of_silence(20));
}

static void no_device(void **state)
{
    struct session_request how = small("nodevice");
    struct session *s = begin(&how);
    struct session_event event;

    (void)state;
    assert_true(until(s, SESSION_EVENT_FAILED, &event));
    assert_non_null(strstr(event.err.text, "told to have none"));
    assert_int_equal(session_state(s), SESSION_BROKEN);
    assert_int_equal(session_exit_code(s, false), 4);
    session_free(s);
}

/* Stopped after a point or at once, and gone on with: nothing is measured twice. */
static void stopped_and_resumed(void **state)
{
    (void)state;
    for (int level = SESSION_AFTER_POINT; level <= SESSION_NOW; level++) {
        struct session_request how = small("waits:1");
        struct session *s = begin(&how);
        struct session_event event;
        int done;

        start(s);
        assert_true(until(s, SESSION_EVENT_POINT, &event));
        session_stop(s, (enum session_stop_level)level, 0);
        assert_true(until(s, SESSION_EVENT_NOTE, &event));
        assert_int_equal(finish(s), 130);
        assert_string_equal(session_status(s), "interrupted");
        done = marked(s, MARK_OK);
        assert_true(done >= 1 && done < session_points(s));
        assert_int_equal(marked(s, MARK_SKIPPED), session_points(s) - done);
        session_free(s);
        assert_int_equal(access(part, F_OK), 0);

        how = small("good");
        give(OPT_RESUME, part);
        s = begin(&how);
        start(s);
        assert_int_equal(marked(s, MARK_OK), done);
        assert_int_equal(finish(s), 0);
        assert_int_equal(marked(s, MARK_OK), session_points(s));
        session_free(s);
        assert_true(access(part, F_OK) != 0);
        forget_files();
    }
}

static void lost_devices(void **state)
{
    static const struct {
        const char *how;
        bool told;
    } ends[] = {{"killed:2", true}, {"stall:2", true}, {"leaves:2", false}};

    (void)state;
    setenv("GPUPLAN_ENGINE_TIMEOUT", "3", 1); /* enough to come so far in */
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct session_request how = small(ends[i].how);
        struct session *s = begin(&how);
        struct session_device device;
        struct session_event event;

        start(s);
        if (ends[i].told) {
            assert_true(until(s, SESSION_EVENT_LOST, &event));
            assert_int_equal(event.device, 0);
        }
        assert_int_equal(finish(s), 4);
        assert_string_equal(session_status(s), "failed");
        assert_int_equal(marked(s, MARK_OK), 2);
        assert_true(session_device(s, 0, &device) && device.failed && device.why[0]);
        session_free(s);
        assert_int_equal(access(part, F_OK), 0);
        forget_files();
    }
    unsetenv("GPUPLAN_ENGINE_TIMEOUT");
}

static void a_point_in_error_is_no_success(void **state)
{
    struct session_request how = small("error:1");
    struct session *s = begin(&how);
    struct session_point point;
    int once = 0;

    (void)state;
    start(s);
    assert_int_equal(finish(s), 4);
    assert_int_equal(marked(s, MARK_FAILED), 0); /* it was well in the other pass */
    for (int i = 0; i < session_points(s); i++) {
        assert_true(session_point(s, 0, i, &point));
        if (!point.result[0].disturbed)
            continue;
        assert_true(result_flagged(&point.result[0], "failed_once"));
        assert_string_equal(point.result[0].reason, "in another pass error: ");
        once++;
    }
    assert_int_equal(once, 1);
    session_free(s);
    forget_files();
}

/* What fails before it has variants fails for each of them. */
static void a_failure_of_all_variants_shows(void **state)
{
    struct session_request how = small("fades");
    struct session *s = begin(&how);
    struct session_point point;

    (void)state;
    start(s);
    assert_int_equal(finish(s), 4);
    for (int i = 0; i < session_points(s); i++) {
        assert_true(session_point(s, 0, i, &point));
        assert_int_equal(point.count, 1);
        assert_string_equal(point.result[0].variant, "heuristic");
        assert_true(result_flagged(&point.result[0], "failed_once"));
    }
    session_free(s);
    forget_files();
}

/* Of three passes the middle one stands, also when it is the first. */
static void the_middle_pass_stands(void **state)
{
    struct session_request how = small("drifts");
    struct session *s = begin(&how);
    struct session_point point;

    (void)state;
    start(s);
    assert_int_equal(finish(s), 0);
    for (int i = 0; i < session_points(s); i++) {
        assert_true(session_point(s, 0, i, &point));
        assert_near(point.result[0].median, 0.002, 1e-9);
        assert_true(result_flagged(&point.result[0], "drift"));
        assert_true(point.result[0].disturbed);
    }
    session_free(s);
    forget_files();
}

/* What was wrong once is not made right by the next pass. */
static void a_wrong_result_stands(void **state)
{
    struct session_request how = small("wrong:1");
    struct session *s = begin(&how);

    (void)state;
    start(s);
    assert_int_equal(finish(s), 5);
    assert_int_equal(marked(s, MARK_WRONG), 1);
    session_free(s);
    forget_files();
}

static void the_journal_stays_until_the_result_is_safe(void **state)
{
    struct session_request how = small("killed:1");
    struct session *s = begin(&how);

    (void)state;
    start(s);
    assert_int_equal(finish(s), 4);
    session_free(s);
    how = small("good");
    give(OPT_RESUME, part);
    options.value[OPT_OUT].text = "-";
    s = begin(&how);
    start(s);
    assert_int_equal(finish(s), 0);
    assert_int_equal(access(part, F_OK), 0);
    session_settle(s);
    assert_true(access(part, F_OK) != 0);
    session_free(s);
    forget_files();
}

static void a_journal_to_go_on_with_must_be_there(void **state)
{
    struct session_request how = small("good");
    struct gp_err err = {0};

    (void)state;
    give(OPT_RESUME, part);
    assert_null(session_new(&how, &err));
    assert_int_equal(err.code, GP_E_FILE);
    assert_true(access(part, F_OK) != 0);
}

/* What passes through the link of each of four GPUs: 2 x 3/4 of the message. */
static void a_sum_has_its_bus_rate(void **state)
{
    struct session_request how = small("good");
    struct session_event event;
    struct session *s;
    json_t *file, *point, *rate;
    int sums = 0;
    size_t i;

    (void)state;
    memset(&options.value[OPT_DEVICE], 0, sizeof options.value[OPT_DEVICE]);
    how.tests = "allreduce,memory";
    s = begin(&how);
    assert_true(until(s, SESSION_EVENT_READY, &event));
    assert_int_equal(session_start(s, NULL), GP_OK);
    assert_int_equal(finish(s), 0);
    session_free(s);
    file = json_load_file(out, 0, NULL);
    json_array_foreach(json_object_get(file, "points"), i, point)
    {
        const char *test = json_string_value(json_object_get(point, "test"));

        rate = json_object_get(point, "rate");
        if (strcmp(test, "allreduce") == 0) {
            double bytes = json_number_value(json_object_get(rate, "bytes_per_s"));

            assert_near(json_number_value(json_object_get(rate, "bus_bytes_per_s")), 1.5 * bytes,
                        1e-9 * bytes);
            sums++;
        } else {
            assert_null(json_object_get(rate, "bus_bytes_per_s"));
        }
    }
    assert_int_equal(sums, 4);
    json_decref(file);
    forget_files();
}

/* Both ways between two GPUs, by the first engine alone. */
static void peers_are_measured_together(void **state)
{
    struct session_request how = small("good");
    struct session_event event;
    struct session *s;
    struct session_point shown;
    json_t *file, *point;
    int pairs = 0, turn = 0;
    size_t i;

    (void)state;
    memset(&options.value[OPT_DEVICE], 0, sizeof options.value[OPT_DEVICE]);
    options.value[OPT_BACKEND].text = "cuda";
    how.tests = "transfer";
    s = begin(&how);
    assert_true(until(s, SESSION_EVENT_READY, &event));
    assert_int_equal(session_start(s, NULL), GP_OK);
    /* copies of the host first, all of one GPU before any of the next; then those of both */
    while (session_state(s) == SESSION_WORKING && until(s, SESSION_EVENT_BEGIN, &event)) {
        bool together;

        assert_true(session_point(s, event.device, event.index, &shown));
        together = point_together(shown.point);
        assert_true(2 * together + event.device >= turn);
        turn = 2 * together + event.device;
    }
    assert_int_equal(finish(s), 0);
    session_free(s);
    file = json_load_file(out, 0, NULL);
    json_array_foreach(json_object_get(file, "points"), i, point)
    {
        const char *id = json_string_value(json_object_get(point, "id"));

        assert_string_equal(json_string_value(json_object_get(point, "state")), "ok");
        if (strncmp(id, "transfer/peer/", 14) != 0)
            continue;
        assert_string_equal(id,
                            pairs ? "transfer/peer/1-0/67108864" : "transfer/peer/0-1/67108864");
        assert_int_equal(json_integer_value(json_object_get(point, "device")), 0);
        assert_true(json_is_null(json_object_get(point, "predicted")));
        pairs++;
    }
    assert_int_equal(pairs, 2);
    json_decref(file);
    forget_files();
}

/* A whole GPU, an instance of one, and a name that nobody knows. */
static void devices_of_the_catalogue(void **state)
{
    static const struct {
        const char *name, *id;
    } cases[] = {{"NVIDIA A100-SXM4-40GB MIG 1g.5gb", "a100-sxm-40/1g.5gb"},
                 {"NVIDIA A100-SXM4-40GB MIG 9g.90gb", NULL},
                 {"NVIDIA A100-SXM4-40GB", NULL}, /* it has 1 GiB */
                 {"NVIDIA Unheard-of", NULL}};
    struct session_event event;
    struct session_device device;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct session_request how = small("good");
        struct session *s;

        setenv("GPUPLAN_STANDIN_NAME", cases[i].name, 1);
        options.value[OPT_BACKEND].text = "cuda";
        s = begin(&how);
        assert_true(until(s, SESSION_EVENT_READY, &event));
        assert_true(session_device(s, 0, &device));
        assert_int_equal(device.gpu != NULL, cases[i].id != NULL);
        if (cases[i].id)
            assert_string_equal(device.gpu->id, cases[i].id);
        session_free(s);
    }
}

/* ---- the stand-in, under the engines' names ---- */

static bool prepare(void)
{
    static const char *const names[] = {"cpu", "cuda"};
    const char *given = getenv("GPUPLAN_STANDIN_ENGINE"), *top = getenv("top_builddir");
    char program[1024], whole[PATH_MAX], link[1200];

    if (given)
        snprintf(program, sizeof program, "%s", given);
    else
        snprintf(program, sizeof program, "%s/tests/fixtures/standin_engine", top ? top : ".");
    if (!mkdtemp(folder) || !realpath(program, whole))
        return false;
    snprintf(out, sizeof out, "%s/run.json", folder);
    snprintf(part, sizeof part, "%s.part", out);
    for (size_t i = 0; i < 2; i++) {
        snprintf(link, sizeof link, "%s/gpuplan-bench-%s", folder, names[i]);
        if (symlink(whole, link) != 0)
            return false;
    }
    setenv("GPUPLAN_LIBEXEC", folder, 1);
    planner = planner_new(source_path("profiles"), 20000, NULL);
    return planner;
}

static void tidy(void)
{
    char name[200];

    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%s/gpuplan-bench-%s", folder, i ? "cpu" : "cuda");
        unlink(name);
    }
    forget_files();
    rmdir(folder);
    planner_free(planner);
}

int main(void)
{
    setenv("XDG_STATE_HOME", "/dev/null/state", 1); /* nothing is kept */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_from_end_to_end),
        cmocka_unit_test(a_step_of_no_time_never_waits),
        cmocka_unit_test(a_plan_can_be_changed),
        cmocka_unit_test(words_are_checked_before_anything_starts),
        cmocka_unit_test(stopped_while_it_looks),
        cmocka_unit_test(silent_while_it_looks),
        cmocka_unit_test(no_device),
        cmocka_unit_test(stopped_and_resumed),
        cmocka_unit_test(lost_devices),
        cmocka_unit_test(a_point_in_error_is_no_success),
        cmocka_unit_test(a_wrong_result_stands),
        cmocka_unit_test(the_middle_pass_stands),
        cmocka_unit_test(a_failure_of_all_variants_shows),
        cmocka_unit_test(the_journal_stays_until_the_result_is_safe),
        cmocka_unit_test(a_journal_to_go_on_with_must_be_there),
        cmocka_unit_test(a_sum_has_its_bus_rate),
        cmocka_unit_test(peers_are_measured_together),
        cmocka_unit_test(devices_of_the_catalogue),
    };
    int failed;

    if (!prepare()) {
        fprintf(stderr, "test_session: the stand-in engine or the profiles are missing\n");
        return 1;
    }
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    tidy();
    return failed;
}
