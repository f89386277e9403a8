/*
 * test_pool_file.c - pool files: what they say, what is refused and where, the hours of
 * shapes and logs, and the layouts that serve a workload.
 */
#include "profiles.h"

#include <math.h>

#include "base/str.h"
#include "catalog/trace.h"
#include "pool/pool_case.h"
#include "pool/pool_file.h"
#include "pool/pool_run.h"

#define TODAY 20778 /* 2026-11-21 */

/* A pool of one workload; what follows its demand, and its keys. */
#define POOL(gpus, work)     \
    "gpus = ( " gpus " );\n" \
    "workloads = ( { name = \"a\"; model = \"llama-3.1-8b\";\n" work " } );\n"
#define GPU "{ gpu = \"h100-sxm\"; stock = 8; }"
#define DEMAND "demand = { shape = \"flat\"; mean = 2.0; };"

static enum gp_status parse(const char *text, struct pool_file *out, struct gp_err *err)
{
    struct catalog *catalog = open_profiles();
    enum gp_status rc =
        pool_file_parse(catalog, NULL, "p.cfg", text, strlen(text), NULL, NULL, out, err);
    catalog_free(catalog);
    return rc;
}

static void defaults_are_said(void **state)
{
    struct pool_file file;
    struct gp_err err = {0};

    (void)state;
    assert_int_equal(parse(POOL(GPU, DEMAND), &file, &err), GP_OK);
    assert_int_equal(file.hours, 24);
    assert_int_equal(file.types[0].server_gpus, 8);
    assert_int_equal(file.workload_count, 1);
    assert_int_equal(file.workloads[0].pool.priority, 5);
    for (int h = 0; h < 24; h++)
        assert_float_equal(file.workloads[0].rate[h], 2, 1e-12);
    assert_float_equal(file.workloads[0].pool.burst, 1.5, 1e-12);
    pool_file_fini(&file);
}

static void mistakes_have_a_line(void **state)
{
    static const struct {
        const char *text, *where, *what;
    } rows[] = {
        {POOL(GPU, "demand = { requests_per_s = [1, 2]; };"), "p.cfg:3:", "2 values"},
        {POOL(GPU, "demand = { shape = \"flatt\"; mean = 1.0; };"), "p.cfg:3:", "no shape"},
        {POOL(GPU, "demand = { shape = \"flat\"; };"), "p.cfg:3:", "one of the mean"},
        {POOL(GPU, "demand = { trace = \"/etc/passwd\"; };"), "p.cfg:3:", "folder"},
        {POOL(GPU, "demand = { trace = \"../x.csv\"; };"), "p.cfg:3:", "folder"},
        {POOL(GPU, "demand = { burst = 2.0; };"), "p.cfg:3:", "says no rate"},
        {POOL(GPU, ""), "p.cfg:2:", "is missing"},
        {POOL(GPU, "gpus = \"h200\"; " DEMAND), "p.cfg:3:", "not a GPU of this pool"},
        {POOL("{ gpu = \"h100-sxm\"; }", DEMAND), "p.cfg:1:", "none may be bought"},
        {POOL(GPU ", " GPU, DEMAND), "p.cfg:1:", "listed twice"},
        {POOL("", DEMAND), "p.cfg:1:", "no GPUs"},
        {POOL(GPU, "context = 100; prompt = 90; output = 20; " DEMAND), "p.cfg:3:", "do not hold"},
        {"hours = 25;\n" POOL(GPU, DEMAND), "p.cfg:1:", "neither a day nor a week"},
        {POOL(GPU, DEMAND) "jobs = ({ name = \"j\"; gpu = \"h100-sxm\"; gpu_hours = 1;\n"
                           "deadline = 30; });\n",
         "p.cfg:5:", "outside this pool's 24"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct pool_file file;
        struct gp_err err = {0};
        if (parse(rows[i].text, &file, &err) != GP_E_FILE)
            fail_msg("accepted: %s", rows[i].text);
        if (strncmp(err.where, rows[i].where, strlen(rows[i].where)) != 0 ||
            !strstr(err.text, rows[i].what))
            fail_msg("%s\n%s: %s", rows[i].text, err.where, err.text);
    }
}

static void count_lines(void *ctx, const char *line)
{
    assert_non_null(strstr(line, "did you mean tpot_ms"));
    ++*(int *)ctx;
}

static void unknown_keys_warn(void **state)
{
    struct catalog *catalog = open_profiles();
    const char *text = POOL(GPU, "tpotms = 30; " DEMAND);
    struct pool_file file;
    struct gp_err err = {0};
    int lines = 0;

    (void)state;
    assert_int_equal(pool_file_parse(catalog, NULL, "p.cfg", text, strlen(text), count_lines,
                                     &lines, &file, &err),
                     GP_OK);
    assert_int_equal(lines, 1);
    pool_file_fini(&file);
    catalog_free(catalog);
}

static void same_names_are_refused(void **state)
{
    struct pool_file file;
    struct gp_err err = {0};
    const char *text = "gpus = (" GPU ");\nworkloads = (\n"
                       "{ name = \"a\"; model = \"x\"; " DEMAND " },\n"
                       "{ name = \"b\"; model = \"x\"; " DEMAND " },\n"
                       "{ name = \"a\"; model = \"x\"; " DEMAND " });\n";

    (void)state;
    assert_int_equal(parse(text, &file, &err), GP_E_FILE);
    assert_non_null(strstr(err.where, "p.cfg:5:"));
    assert_non_null(strstr(err.text, "also item 1"));
}

/* A week that starts on Friday, begun on Monday; its working days as one day. */
static void shapes_align_by_weekday(void **state)
{
    struct shape week = {.count = 168, .start = 4}, day = {.count = 24};
    double out[POOL_FILE_HOURS];

    (void)state;
    for (int h = 0; h < 168; h++)
        week.value[h] = h;
    for (int h = 0; h < 24; h++)
        day.value[h] = h;
    shape_fit(&week, 168, out);
    assert_float_equal(out[4 * 24], 0, 0); /* Friday midnight is its first hour */
    assert_float_equal(out[0], 3 * 24, 0); /* Monday its fourth day */
    shape_fit(&week, 24, out);
    assert_float_equal(out[5] / out[0], (5 * 5 + 24 * (3 + 4 + 5 + 6 + 0)) / 432.0, 1e-12);
    shape_fit(&day, 168, out);
    assert_float_equal(out[24 * 6 + 7], 7, 0);
}

/* Two days from Thursday 1970: 60 requests in each hour, 600 more in one minute of the
 * tenth hour of the second. */
static void logs_become_hours(void **state)
{
    struct strbuf text;
    struct trace trace;
    struct gp_err err = {0};
    double out[POOL_FILE_HOURS];

    (void)state;
    strbuf_init(&text);
    strbuf_add(&text, "TIMESTAMP,ContextTokens,GeneratedTokens\n");
    for (int minute = 0; minute < 48 * 60; minute++)
        strbuf_addf(&text, "2024-05-%02d %02d:%02d:30,100,10\n", 16 + minute / 1440,
                    minute / 60 % 24, minute % 60);
    for (int i = 0; i < 600; i++)
        strbuf_addf(&text, "2024-05-17 09:20:31,100,10\n");
    assert_int_equal(trace_parse("t.csv", text.text, text.len, &trace, &err), GP_OK);
    assert_true(pool_trace_hours(&trace, 24, out));
    assert_float_equal(out[5], 1 / 60.0, 1e-9);
    assert_float_equal(out[9], 720 / 7200.0, 1e-9);
    assert_true(pool_trace_hours(&trace, 168, out));
    assert_float_equal(out[3 * 24 + 9], 1 / 60.0, 1e-9); /* 16 May 2024: a Thursday */
    assert_float_equal(out[4 * 24 + 9], 660 / 3600.0, 1e-9);
    assert_float_equal(out[0 * 24 + 5], 1 / 60.0, 1e-9); /* Monday: as the days seen */
    assert_float_equal(pool_trace_burst(&trace), 601 * 60 / 660.0, 0.2);
    trace_fini(&trace);
    strbuf_fini(&text);
}

static struct pool_replicas replicas_of(const char *text)
{
    struct planner *planner = planner_new(source_path("profiles"), TODAY, NULL);
    struct pool_file file;
    struct pool_replicas found;
    struct gp_err err = {0};

    assert_int_equal(parse(text, &file, &err), GP_OK);
    assert_int_equal(pool_replicas_begin(planner, &file, &found, &err), GP_OK);
    for (size_t i = 0; i < file.workload_count; i++)
        if (pool_replicas_find(planner, &file, i, &found, &err))
            fail_msg("%s: %s", err.where, err.text);
    pool_file_fini(&file);
    planner_free(planner);
    return found;
}

#define MIG "{ gpu = \"h100-sxm\"; stock = 8; mig = true; }"

/* Each kept layout serves more than as many GPUs of smaller ones; a fabric is no faster
 * than NVLink; without goals a replica serves no less. */
static void replicas_are_worth_their_gpus(void **state)
{
    struct pool_replicas r =
        replicas_of(POOL(MIG, "precision = \"fp8\"; tpot_ms = 20; ttft_ms = 1000; " DEMAND));
    int slices = 0, whole = 0;

    (void)state;
    assert_true(r.count > 0);
    for (size_t i = 0; i < r.count; i++) {
        const struct pool_replica *a = &r.row[i];
        slices += a->slice != POOL_WHOLE;
        whole += a->slice == POOL_WHOLE;
        assert_true(a->rate > 0 || a->fabric_rate > 0);
        assert_true(a->free_rate >= a->rate);
        assert_true(a->weights > 8e9 && a->weights < 10e9);
        if (a->slice == POOL_WHOLE && a->rate > 0)
            assert_true(a->fabric_rate <= a->rate * 1.005);
        for (size_t k = 0; k < i; k++)
            if (r.row[k].slice == a->slice && r.row[k].rate > 0 && a->rate > 0)
                assert_true(a->rate > r.row[k].rate * floor((double)a->gpus / r.row[k].gpus));
    }
    assert_true(slices > 0 && whole > 0);
    pool_replicas_fini(&r);
}

/* Tighter goals never serve more. */
static void goals_cost_throughput(void **state)
{
    struct pool_replicas loose = replicas_of(POOL(GPU, "tpot_ms = 60; " DEMAND)),
                         tight = replicas_of(POOL(GPU, "tpot_ms = 12; " DEMAND));

    (void)state;
    assert_true(loose.count > 0 && tight.count > 0);
    assert_int_equal(loose.row[0].gpus, 1);
    if (tight.row[0].gpus == 1)
        assert_true(tight.row[0].rate < loose.row[0].rate);
    pool_replicas_fini(&loose);
    pool_replicas_fini(&tight);
}

static bool at_once(void *ctx)
{
    (void)ctx;
    return true;
}

/* However little time the solver has, the plan that is there goes on without what is lost, and
 * grows with the demand where there are GPUs to buy. */
static void what_ifs_begin_with_the_plan(void **state)
{
    const struct pool_run_options options = {.name = "mixed-sizes",
                                             .rung = POOL_SHARED,
                                             .no_what_ifs = true},
                                  none = {.rung = POOL_SHARED, .stop = at_once};
    struct planner *planner = planner_new(source_path("profiles"), TODAY, NULL);
    struct pool_run *run = pool_run_new();
    struct gp_err err = {0};

    (void)state;
    assert_int_equal(pool_run(planner, &options, NULL, NULL, run, &err), GP_OK);
    int gpus = pool_run_gpus(run, POOL_SHARED);
    pool_run_what_ifs(run, &none);
    assert_true(run->what_if_count >= 4);
    for (int i = 0; i < 4; i++) {
        const struct pool_what_if *w = &run->what_ifs[i];
        assert_int_equal(w->gpus, i == 0 ? gpus - 8 : i < 3 ? gpus : w->gpus);
        assert_true(w->gpus >= gpus - 8);
        assert_true(w->unmet < (i < 3 ? 0.4 : 0.001));
        assert_true(w->paid > 0.9 * run->answer.rungs[POOL_SHARED].total);
    }
    pool_run_delete(run);
    planner_free(planner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_said),
        cmocka_unit_test(mistakes_have_a_line),
        cmocka_unit_test(unknown_keys_warn),
        cmocka_unit_test(same_names_are_refused),
        cmocka_unit_test(shapes_align_by_weekday),
        cmocka_unit_test(logs_become_hours),
        cmocka_unit_test(replicas_are_worth_their_gpus),
        cmocka_unit_test(goals_cost_throughput),
        cmocka_unit_test(what_ifs_begin_with_the_plan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
