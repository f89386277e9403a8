/*
 * test_form.c - the form and its answer: what is refused, what stays without an answer,
 * undo, steps, fixes, solving, the pin, and that saved plans and commands read back.
 */
#include "tui/form.h"
#include "tui/worker.h"

#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "base/units.h"
#include "profiles.h"
#include "tui/form.h"

#define TODAY 20778 /* 2026-11-21 */

static struct planner *planner;

static struct form *open_desk(const char *given)
{
    struct gp_err err = {0};
    struct form *form = form_new(planner, NULL, &err);

    assert_non_null(form);
    if (given && form_options(form, given, &err))
        fail_msg("%s: %s: %s", given, err.where, err.text);
    return form;
}

static void set(struct form *form, enum field field, const char *text)
{
    struct gp_err err = {0};

    if (form_set(form, field, text, &err))
        fail_msg("%s '%s': %s: %s", field_rows[field].form->label, text, err.where, err.text);
}

/* ---- the rows ---- */

static void test_rows(void **state)
{
    (void)state;
    for (int f = 0; f < FIELD_COUNT; f++) {
        const struct option_field *row = field_rows[f].form;
        const char *end = strchr(row->explain, '\n');

        assert_non_null(row->label);
        assert_true(strlen(row->label) < 12);
        assert_non_null(end);
        assert_true(end - row->explain <= 76);
        if (strlen(end + 1) > 76)
            fail_msg("%s: second line has %zu columns", row->label, strlen(end + 1));
        assert_null(strchr(end + 1, '\n'));
        assert_true(option_rows[field_rows[f].option].commands & FOR_PLAN);
    }
}

/* What the form cannot hold is refused by name: never a plan without it. */
static void test_options_without_a_field(void **state)
{
    int refused = 0;

    (void)state;
    for (int id = 0; id < OPTION_COUNT; id++) {
        struct options options = {0};
        struct gp_err err = {0};
        unsigned commands = option_rows[id].commands;

        if (field_of(id) != FIELD_COUNT || !(commands & FOR_SCREEN) || !(commands & FOR_PLAN) ||
            commands == FOR_ALL)
            continue;
        options.value[id].given = true;
        options.value[id].number = 1;
        options.value[id].text = "x";
        assert_null(form_new(planner, &options, &err));
        assert_non_null(strstr(err.where, option_rows[id].name));
        assert_int_equal(err.code, GP_E_USAGE);
        refused++;
    }
    assert_true(refused > 5); /* --dp, --disaggregate, --prefix-hit ... */
}

/* ---- changes ---- */

static void test_first(void **state)
{
    struct form *form = open_desk(NULL);

    (void)state;
    assert_string_equal(form->values.value[FIELD_MODEL], "8B");
    assert_true(form->answered);
    assert_true(form->why_count > 10);
    assert_false(form_changed(form));
    assert_string_equal(form->shown[FIELD_CONTEXT], "8,192 tokens");
    assert_false(form_undo(form));
    form_free(form);
}

static void test_from_ask(void **state)
{
    struct options options = {0};
    struct gp_err err = {0};
    struct form *form;

    (void)state;
    options_text(&options, OPT_MODEL, "-m", "llama-3.1-70b", NULL);
    options_text(&options, OPT_GPU, "-g", "l40s:2", NULL);
    options_text(&options, OPT_CONTEXT, "-c", "32k", NULL);
    options_text(&options, OPT_PRECISION, "-p", "native", NULL);
    form = form_new(planner, &options, &err);
    assert_non_null(form);
    assert_string_equal(form->values.value[FIELD_GPU], "l40s");
    assert_string_equal(form->values.value[FIELD_GPUS], "2");
    assert_string_equal(form->values.value[FIELD_CONTEXT], "32k");
    assert_string_equal(form->values.value[FIELD_PRECISION], "");
    assert_string_equal(form->values.gpu, "l40s:2");
    form_free(form);

    options_text(&options, OPT_MODEL, "-m", "8B", NULL);
    assert_null(form_new(planner, &options, &err));
    assert_non_null(strstr(err.text, "one model"));
    memset(&options, 0, sizeof(options));
    options_text(&options, OPT_MODEL, "-m", "no-such-model", NULL);
    assert_null(form_new(planner, &options, &err));
    memset(&options, 0, sizeof(options));
    options_text(&options, OPT_TRAIN, "--train", "lora", NULL);
    assert_null(form_new(planner, &options, &err));
}

static void test_refuse(void **state)
{
    static const struct {
        enum field field;
        const char *text;
    } bad[] = {
        {FIELD_MODEL, "no-such-model"},
        {FIELD_MODEL, "./not/here"},
        {FIELD_PRECISION, "fp5"},
        {FIELD_KV, "fp5"},
        {FIELD_GPU, "h1000"},
        {FIELD_GPU, "l40s:0"},
        {FIELD_GPU, "all"},
        {FIELD_GPU, "local"},
        {FIELD_GPUS, "0"},
        {FIELD_GPUS, "2.5"},
        {FIELD_GPUS, "257"},
        {FIELD_CONTEXT, "many"},
        {FIELD_CONTEXT, "-1"},
        {FIELD_USERS, "1e9"},
        {FIELD_ENGINE, "vlm"},
        {FIELD_PRICE, "free"},
        {FIELD_UTILIZATION, "2"},
        {FIELD_USED, "12"},
        {FIELD_PRUNE, "120"},
        {FIELD_HOURS, "1000"},
    };
    struct form *form = open_desk("gpu l40s:2");
    struct form_values before = form->values;
    unsigned version = form->version;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct gp_err err = {0};

        if (form_set(form, bad[i].field, bad[i].text, &err) == GP_OK)
            fail_msg("'%s' was taken", bad[i].text);
        assert_true(err.text[0]);
        assert_memory_equal(&before, &form->values, sizeof(before));
        assert_int_equal(form->version, version);
    }
    form_free(form);
}

static void test_no_answer(void **state)
{
    struct form *form = open_desk("context 4k");

    (void)state;
    set(form, FIELD_PROMPT, "8k"); /* more than the context: stays, has no answer */
    assert_false(form->answered);
    assert_non_null(strstr(form->err.text, "exceed the context"));
    assert_string_equal(form->shown[FIELD_PROMPT], "8,192 tokens");
    set(form, FIELD_CONTEXT, "16k");
    assert_true(form->answered);
    form_free(form);
}

static void test_undo(void **state)
{
    struct form *form = open_desk(NULL);
    char text[16];

    (void)state;
    set(form, FIELD_USERS, "4");
    set(form, FIELD_USERS, "8");
    set(form, FIELD_USERS, "8"); /* no change, no step */
    assert_true(form_undo(form));
    assert_string_equal(form->values.value[FIELD_USERS], "4");
    assert_true(form->answer->plan.request.users == 4);
    assert_true(form_redo(form));
    assert_string_equal(form->values.value[FIELD_USERS], "8");
    assert_false(form_redo(form));
    assert_true(form_undo(form) && form_undo(form));
    assert_string_equal(form->values.value[FIELD_USERS], "");
    set(form, FIELD_USERS, "2");
    assert_false(form_redo(form));
    for (int i = 0; i < FORM_UNDO + 20; i++) {
        gp_format(text, sizeof(text), "%d", i + 10);
        set(form, FIELD_USERS, text);
    }
    for (int i = 0; i < FORM_UNDO - 1; i++)
        assert_true(form_undo(form));
    assert_false(form_undo(form));
    assert_string_equal(form->values.value[FIELD_USERS], "30");
    form_free(form);
}

static void test_count_needs_gpu(void **state)
{
    struct form *form = open_desk(NULL);
    struct gp_err err;

    (void)state;
    set(form, FIELD_GPUS, "2"); /* of the GPU that was chosen */
    assert_true(form->values.value[FIELD_GPU][0]);
    assert_int_equal(form->answer->plan.layout.gpus, 2);
    assert_int_equal(form_set(form, FIELD_GPU, "", &err), GP_OK);
    assert_string_equal(form->values.value[FIELD_GPUS], "");
    form_free(form);
}

static void test_steps(void **state)
{
    struct form *form = open_desk("model llama-3.1-8b gpu h100-sxm");
    struct gp_err err = {0};

    (void)state;
    form_step(form, FIELD_CONTEXT, 1, &err);
    assert_string_equal(form->values.value[FIELD_CONTEXT], "16384");
    set(form, FIELD_CONTEXT, "100000");
    form_step(form, FIELD_CONTEXT, 1, &err);
    assert_string_equal(form->values.value[FIELD_CONTEXT], "131072"); /* the model's */
    assert_int_equal(form_step(form, FIELD_CONTEXT, 1, &err), GP_E_USAGE);
    form_step(form, FIELD_GPUS, 1, &err);
    assert_string_equal(form->values.value[FIELD_GPUS], "2");
    form_step(form, FIELD_GPUS, -1, &err);
    form_step(form, FIELD_GPUS, -1, &err); /* below 1: auto */
    assert_string_equal(form->values.value[FIELD_GPUS], "");
    form_step(form, FIELD_TP, 1, &err);
    assert_string_equal(form->values.value[FIELD_TP], "2");
    set(form, FIELD_TP, "");
    form_step(form, FIELD_UTILIZATION, 1, &err);
    assert_string_equal(form->values.value[FIELD_UTILIZATION], "0.93");
    form_step(form, FIELD_USED, 1, &err);
    assert_string_equal(form->values.value[FIELD_USED], "1GiB");
    form_step(form, FIELD_USED, -1, &err);
    assert_int_equal(form_step(form, FIELD_USED, -1, &err), GP_E_USAGE);
    form_step(form, FIELD_USERS, -1, &err);
    assert_string_equal(form->values.value[FIELD_USERS], "");
    form_step(form, FIELD_PRICE, 1, &err);
    assert_string_equal(form->values.value[FIELD_PRICE], "spot");
    form_step(form, FIELD_MODEL, 1, &err);
    assert_string_equal(form->values.value[FIELD_MODEL], "r1-distill-llama-8b");
    form_step(form, FIELD_MODEL, -1, &err);
    assert_string_equal(form->values.value[FIELD_MODEL], "llama-3.1-8b");
    form_free(form);
}

/* A draft is a model, or the model's own layers; whether those are there is not asked. */
static void test_draft(void **state)
{
    struct form *form = open_desk("model llama-3.1-70b gpu h100-sxm:4");
    struct gp_err err = {0};

    (void)state;
    assert_int_equal(form_set(form, FIELD_DRAFT, "llama-3.2-1b", &err), GP_OK);
    assert_string_equal(form->answer->plan.request.draft->id, "llama-3.2-1b");
    assert_int_equal(form->answer->plan.request.draft_tokens, 3);
    assert_int_equal(form_set(form, FIELD_DRAFT, "nosuch", &err), GP_E_USAGE);
    assert_int_equal(form_set(form, FIELD_DRAFT, "eagle3", &err), GP_OK);
    assert_int_equal(form->answer->plan.request.draft_kind, DRAFT_EAGLE3);
    assert_int_equal(form_set(form, FIELD_DRAFT, "none", &err), GP_OK);
    assert_null(form->answer->plan.request.draft);
    assert_int_equal(form_set(form, FIELD_DRAFT, "mtp", &err), GP_OK);
    assert_false(form->answered);
    form_undo(form);
    assert_int_equal(form_set(form, FIELD_LORA, "4:32", &err), GP_OK);
    assert_int_equal(form->answer->plan.request.lora_rank, 32);
    assert_int_equal(form_set(form, FIELD_LORA, "4:33", &err), GP_E_USAGE);
    form_free(form);
}

/* A fix that is a flag. */
static void test_apply_flag(void **state)
{
    struct form *form = open_desk("model llama-3.1-8b gpu rtx-4090:1");
    struct gp_err err = {0};
    int at = -1;

    (void)state;
    set(form, FIELD_PRECISION, "q4_k_m");
    set(form, FIELD_GPU_LAYERS, "33"); /* told, so that the engine moves none */
    set(form, FIELD_CONTEXT, "128k");
    set(form, FIELD_USERS, "2");
    for (int i = 0; i < form->answer->fix_count; i++)
        at = form->answer->fixes[i].kind == FIX_HOST_KV ? i : at;
    assert_true(at >= 0);
    assert_int_equal(form_apply(form, at, &err), GP_OK);
    assert_string_equal(form->values.value[FIELD_NO_KV], "on");
    assert_int_equal(form->answer->plan.verdict, VERDICT_FITS);
    form_free(form);
}

/* Every field of every kind can be stepped both ways without an error of its own. */
static void test_all_steps(void **state)
{
    struct form *form = open_desk("model qwen3-30b-a3b gpu h100-sxm");

    (void)state;
    for (int f = 0; f < FIELD_COUNT; f++)
        for (int by = -1; by <= 1; by += 2) {
            struct gp_err err = {0};
            enum gp_status status = form_step(form, (enum field)f, by, &err);

            if (status && !strstr(err.text, " is the "))
                fail_msg("%s: %s: %s", field_rows[f].form->label, err.where, err.text);
            while (form->undo_at > 1)
                form_undo(form);
        }
    form_free(form);
}

/* ---- fixes, solving, pin ---- */

static void test_apply(void **state)
{
    struct form *form = open_desk("model 70B precision int8 gpu l40s:1");
    struct gp_err err = {0};
    int n;

    (void)state;
    assert_int_equal(form->answer->plan.verdict, VERDICT_DOES_NOT_FIT);
    n = form->answer->fix_count;
    assert_true(n >= 2);
    for (int i = 0; i < n; i++) {
        assert_int_equal(form_apply(form, i, &err), GP_OK);
        assert_int_equal(form->answer->plan.verdict, VERDICT_FITS);
        assert_true(form_undo(form)); /* one step, whatever it changed */
        assert_int_equal(form->answer->plan.verdict, VERDICT_DOES_NOT_FIT);
    }
    assert_int_equal(form_apply(form, n, &err), GP_E_USAGE);
    form_free(form);
}

/* Until what is being planned is answered. */
static void settle(struct form *form)
{
    const struct timespec pause = {0, 500 * 1000};

    while (form->planning) {
        nanosleep(&pause, NULL); /* the other thread plans */
        form_poll(form);
    }
}

static enum gp_status solve(struct form *form, enum field field, struct gp_err *err)
{
    enum gp_status rc = form_solve(form, field, err);
    enum field solved;

    if (rc)
        return rc;
    settle(form);
    assert_true(form_solved(form, &solved, err));
    assert_int_equal(solved, field);
    assert_false(form_solved(form, &solved, &(struct gp_err){0}));
    return err->code;
}

static struct worker *worker;

/* Planned by a thread, whose planner looks where the test's looks. */
static void in_background(struct form *form)
{
    static char profiles[GP_PATH_MAX];

    worker = worker_new(form->planner, source_path("profiles"));
    worker_start(worker);
    gp_copy(profiles, sizeof(profiles), source_path("profiles"));
    form->values.profiles = profiles;
    form->worker = worker;
}

static void close_background(struct form *form)
{
    form_free(form);
    worker_free(worker);
    worker = NULL;
}

static void solve_some(bool background)
{
    struct form *form = open_desk("model llama-3.1-70b precision fp8 gpu h100-sxm:2");
    struct gp_err err = {0};
    char more[32];

    if (background)
        in_background(form);
    assert_int_equal(solve(form, FIELD_USERS, &err), GP_OK);
    assert_int_equal(form->answer->plan.verdict, VERDICT_FITS);
    gp_format(more, sizeof(more), "%.0f", form->answer->plan.request.users + 1);
    set(form, FIELD_USERS, more);
    settle(form);
    assert_int_not_equal(form->answer->plan.verdict, VERDICT_FITS);
    assert_true(form_undo(form)); /* the solution is one step */
    assert_true(form_undo(form));
    assert_string_equal(form->values.value[FIELD_USERS], "");
    settle(form);
    assert_int_equal(solve(form, FIELD_CONTEXT, &err), GP_OK);
    assert_int_equal(form->answer->plan.verdict, VERDICT_FITS);
    set(form, FIELD_CONTEXT, "");
    set(form, FIELD_GPUS, "8");
    settle(form);
    assert_int_equal(solve(form, FIELD_GPUS, &err), GP_OK);
    assert_string_equal(form->values.value[FIELD_GPUS], "1");
    assert_int_equal(solve(form, FIELD_GPU, &err), GP_OK);
    assert_int_equal(form->answer->plan.verdict, VERDICT_FITS);
    assert_string_equal(form->values.gpu, form->values.value[FIELD_GPU]);
    assert_int_equal(form_solve(form, FIELD_PRICE, &err), GP_E_USAGE);
    close_background(form);

    form = open_desk("model llama-3.1-405b gpu t4:1");
    if (background)
        in_background(form);
    assert_int_equal(solve(form, FIELD_USERS, &err), GP_E_USAGE);
    assert_non_null(strstr(err.text, "no value"));
    assert_int_equal(form->answer->plan.verdict, VERDICT_DOES_NOT_FIT);
    close_background(form);
}

static void test_solve(void **state)
{
    (void)state;
    solve_some(false);
}

static void test_solve_in_background(void **state)
{
    (void)state;
    solve_some(true);
}

/* What was changed while a value was looked for stays, and the value is not put in. */
static void test_change_while_solving(void **state)
{
    struct form *form = open_desk("model llama-3.1-70b rate 2 ttft 1000 tpot 20");
    struct gp_err err = {0};
    enum field solved;

    (void)state;
    in_background(form);
    assert_int_equal(form_solve(form, FIELD_GPU, &err), GP_OK);
    assert_true(form->planning);
    set(form, FIELD_RATE, "3");
    settle(form);
    assert_true(form_solved(form, &solved, &err));
    assert_int_equal(err.code, GP_E_USAGE);
    assert_string_equal(form->values.value[FIELD_GPU], "");
    assert_string_equal(form->values.value[FIELD_RATE], "3");
    assert_true(form->answer->plan.request.rate > 2.9);
    close_background(form);
}

/* CPU seconds of this process, all threads. */
static double cpu_now(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/* Eight plans begun one after the other, and one left: true when that takes much less than so
 * many whole ones. Where this thread stands still the other plans on, and it may not. */
static bool abandons(void)
{
    struct form *form = open_desk("model kimi-k2.5 gpu l40s rate 20 tpot 30");
    double from, whole, next, left;

    in_background(form);
    set(form, FIELD_RATE, "19"); /* the thread's planner reads its profiles */
    settle(form);
    from = cpu_now();
    set(form, FIELD_RATE, "21");
    settle(form);
    whole = cpu_now() - from;
    from = cpu_now();
    for (int i = 0; i < 8; i++) {
        set(form, FIELD_RATE, i % 2 ? "19" : "22");
        assert_true(form->planning);
    }
    set(form, FIELD_RATE, "20");
    settle(form);
    next = cpu_now() - from;
    assert_near(form->answer->plan.request.rate, 20, 1e-9);
    assert_true(form->answered);
    form_again(form); /* what was measured has changed */
    assert_true(form->planning);
    from = cpu_now();
    close_background(form);
    left = cpu_now() - from;
    print_message("a plan takes %.3f s, the last of nine %.3f s, leaving it %.3f s\n", whole, next,
                  left);
    return next < 4 * whole && left <= whole / 2;
}

/* A plan in work is abandoned for the next one, and at the end: it takes much less than the
 * whole, and what it found is not shown. */
static void test_abandon(void **state)
{
    int tries = 0;

    (void)state;
    while (!abandons() && ++tries < 6)
        ;
    assert_true(tries < 6);
}

static void test_pin(void **state)
{
    struct form *form = open_desk("model llama-3.1-70b precision fp8");
    double weights = form->answer->plan.memory.weights.value;

    (void)state;
    form_pin(form);
    assert_true(form->pinned);
    set(form, FIELD_PRECISION, "int4-awq");
    set(form, FIELD_MODEL, "llama-3.1-8b");
    assert_true(form->pin->plan.memory.weights.value == weights);
    assert_string_equal(form->pin->plan.request.model->id, "llama-3.1-70b");
    form_pin(form);
    assert_false(form->pinned);
    form_free(form);
}

/* ---- commands and files ---- */

static const char *const plans[] = {
    "model 70B",
    "model llama-3.1-70b precision fp8 gpu h100-sxm:2 context 32k users 16",
    "model qwen3-30b-a3b kv-precision fp8 gpu a100-sxm-80/3g.40gb:2 ep 2 tp 2",
    "model 8B precision q4_k_m engine llama.cpp price spot used 2GiB headroom 0.1",
    "model gemma-3-27b prompt 2000 output-tokens 500 context 4096 tp 2 pp auto "
    "replicas 2 max-num-seqs 64 max-batched-tokens 4k memory-utilization 0.85 "
    "prune 2:4 hours 200 electricity 0.31 price buy",
    "model 8B provider aws,gcp region us dated hours 100",
    "model 8B dated off gpu l4",
};

static void test_command(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
        struct form *form = open_desk(plans[i]), *again;
        struct strbuf text;

        strbuf_init(&text);
        form_command(form, "plan", &text);
        assert_int_equal(strncmp(text.text, "gpuplan --plan -m ", 18), 0);
        again = open_desk(text.text + strlen("gpuplan --plan "));
        assert_memory_equal(&form->values, &again->values, sizeof(form->values));
        strbuf_fini(&text);
        form_free(form);
        form_free(again);
    }
}

static void test_save(void **state)
{
    char path[] = "/tmp/gpuplan-form-XXXXXX";
    int file = mkstemp(path);
    struct gp_err err = {0};

    (void)state;
    assert_true(file >= 0);
    close(file);
    for (size_t i = 0; i < sizeof(plans) / sizeof(plans[0]); i++) {
        struct form *form = open_desk(plans[i]), *again = open_desk("users 3");

        assert_true(form_changed(form));
        assert_int_equal(form_save(form, path, &err), GP_OK);
        assert_false(form_changed(form));
        if (form_load(again, path, &err))
            fail_msg("%s: %s: %s", plans[i], err.where, err.text);
        for (int f = 0; f < FIELD_COUNT; f++) {
            const char *a = form->values.value[f], *b = again->values.value[f];

            if (form_number(form, (enum field)f) < 0)
                assert_string_equal(a, b);
            else
                assert_true(form_number(form, (enum field)f) == form_number(again, (enum field)f));
        }
        assert_string_equal(again->file, path);
        assert_true(form_undo(again));
        assert_string_equal(again->values.value[FIELD_USERS], "3");
        form_free(form);
        form_free(again);
    }
    unlink(path);
}

static void test_load_refuses(void **state)
{
    static const char *const bad[][2] = {
        {"{\"model\": \"8B\", \"gpus\": 2}\n", "gpus"},
        {"{\"model\": \"8B\"}\n{\"model\": \"70B\"}\n", "several"},
        {"", "empty"},
        {"[1]\n", "object"},
        {"{\"model\": \"8B\"", "JSON"},
        {"{\"gpu\": \"l40s\"}\n", "no model"},
        {"{\"model\": \"8B\", \"solve\": \"users\"}\n", "solve"},
        {"{\"model\": \"8B\", \"users\": -4}\n", "outside"},
        {"{\"model\": \"8B\", \"gpu\": \"h1000\"}\n", "h1000"},
        {"{\"model\": \"8B\", \"train\": \"lora\"}\n", "inference"},
    };
    char path[] = "/tmp/gpuplan-form-XXXXXX", message[700];
    struct form *form = open_desk("users 3");
    struct form_values before = form->values;
    int file = mkstemp(path);

    (void)state;
    close(file);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        struct gp_err err = {0};

        assert_int_equal(path_write(path, bad[i][0], strlen(bad[i][0]), &err), GP_OK);
        assert_int_not_equal(form_load(form, path, &err), GP_OK);
        gp_format(message, sizeof(message), "%s: %s", err.where, err.text);
        if (!strstr(message, bad[i][1]))
            fail_msg("%s gives %s", bad[i][0], message);
        assert_memory_equal(&before, &form->values, sizeof(before));
    }
    unlink(path);
    assert_int_equal(form_load(form, path, &(struct gp_err){0}), GP_E_FILE);
    form_free(form);
}

/* ---- choices ---- */

static void test_choices(void **state)
{
    static const struct {
        enum field field;
        int least;
    } rows[] = {{FIELD_MODEL, 100}, {FIELD_PRECISION, 20}, {FIELD_KV, 4},   {FIELD_GPU, 70},
                {FIELD_ENGINE, 5},  {FIELD_PRICE, 4},      {FIELD_PRUNE, 3}};
    struct form *form = open_desk("model llama-3.1-8b gpu h100-sxm");

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int count;
        struct choice *choices = form_choices(form, rows[i].field, true, &count);

        assert_true(count >= rows[i].least);
        for (int k = 0; k < count; k += 1 + k / 16) { /* can be taken: of a long list, some */
            struct gp_err err = {0};

            if (form_set(form, rows[i].field, choices[k].id, &err))
                fail_msg("%s: %s", choices[k].id, err.text);
            assert_true(choices[k].text[0]);
        }
        form_request(form, "", NULL);
        form_options(form, "model llama-3.1-8b gpu h100-sxm", NULL);
        free(choices);
    }
    form_free(form);
}

static void test_native_first(void **state)
{
    struct form *form = open_desk("model llama-3.1-8b gpu h100-sxm");
    int count;
    struct choice *choices = form_choices(form, FIELD_PRECISION, true, &count);

    (void)state;
    assert_string_equal(choices[0].id, "");
    assert_non_null(strstr(choices[0].text, "as published: bf16"));
    assert_non_null(strstr(choices[0].more, "14.99 GiB per GPU: fits on 1"));
    free(choices);
    form_free(form);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_options_without_a_field),
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_from_ask),
        cmocka_unit_test(test_refuse),
        cmocka_unit_test(test_no_answer),
        cmocka_unit_test(test_undo),
        cmocka_unit_test(test_count_needs_gpu),
        cmocka_unit_test(test_steps),
        cmocka_unit_test(test_draft),
        cmocka_unit_test(test_apply_flag),
        cmocka_unit_test(test_all_steps),
        cmocka_unit_test(test_apply),
        cmocka_unit_test(test_solve),
        cmocka_unit_test(test_solve_in_background),
        cmocka_unit_test(test_change_while_solving),
        cmocka_unit_test(test_abandon),
        cmocka_unit_test(test_pin),
        cmocka_unit_test(test_command),
        cmocka_unit_test(test_save),
        cmocka_unit_test(test_load_refuses),
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_native_first),
    };
    int failed;

    unsetenv("GPUPLAN_PROFILES");
    setenv("XDG_DATA_HOME", "/nonexistent", 1);
    planner = planner_new(source_path("profiles"), TODAY, NULL);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    planner_free(planner);
    return failed;
}
