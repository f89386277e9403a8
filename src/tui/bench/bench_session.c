/*
 * bench_session.c - Bench's session: the form as the options of --bench, and what is
 * begun, planned anew and gone on with by them.
 */
#include "tui/bench/s_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/settings.h"
#include "util/mem.h"
#include "util/units.h"

/* ---- small things ---- */

enum session_state bench_state(const struct bench *b)
{
    return b->session ? session_state(b->session) : SESSION_BROKEN;
}

void bench_note(struct bench *b, const char *text)
{
    if (b->notes == BENCH_NOTES) {
        memmove(b->note, b->note + 1, sizeof(b->note) - sizeof(b->note[0]));
        b->notes--;
    }
    gp_copy(b->note[b->notes], sizeof(b->note[0]), text);
    gp_tame(b->note[b->notes++]);
}

/* ---- the form as options ---- */

static void texts_drop(struct bench *b)
{
    while (b->texts > 0)
        free(b->text[--b->texts]);
}

static const char *text_keep(struct bench *b, const char *text)
{
    if (!text || b->texts == BENCH_TEXTS)
        return text ? "" : NULL;
    return b->text[b->texts++] = gp_strdup(text);
}

/* The session outlives what the form lends. */
static void texts_keep(struct bench *b, struct options *options)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        options->value[i].text = text_keep(b, options->value[i].text);
    for (int i = 0; i < options->model_count; i++)
        options->models[i] = text_keep(b, options->models[i]);
    for (int i = 0; i < options->precision_count; i++)
        options->precisions[i] = text_keep(b, options->precisions[i]);
    for (int i = 0; i < options->gpu_count; i++)
        options->gpus[i] = text_keep(b, options->gpus[i]);
}

/* "0,2" when some are left out, "" for all. */
void bench_ask_devices(const struct bench *b, char *text, size_t size)
{
    int found = b->session ? session_found(b->session) : 0;
    size_t len = 0;

    text[0] = '\0';
    for (int i = 0; i < found && b->values.left_out; i++) {
        if (i < 64 && b->values.left_out >> i & 1)
            continue;
        gp_format(text + len, size - len, "%s%d", len ? "," : "", i);
        len = strlen(text);
    }
}

/* The opposite. */
enum gp_status bench_take_devices(struct bench *b, const char *text, struct gp_err *err)
{
    int found = b->session ? session_found(b->session) : 0;
    uint64_t chosen = 0;

    while (*text) {
        char *end;
        unsigned long n = strtoul(text, &end, 10);

        if (end == text || (*end && *end != ',') || *text == '-')
            return gp_fail(err, GP_E_USAGE, "--device", "0,1 or all",
                           "'%.60s' is not a list of devices", text);
        if (n >= 64 || (int)n >= found)
            return gp_fail(err, GP_E_USAGE, "--device", "d shows them",
                           "no device %lu here", n);
        chosen |= (uint64_t)1 << n;
        text = end + (*end == ',');
    }
    b->values.left_out = 0;
    for (int i = 0; chosen && i < found && i < 64; i++)
        if (!(chosen >> i & 1))
            b->values.left_out |= (uint64_t)1 << i;
    return GP_OK;
}

bool bench_ask_model(const struct bench *b)
{
    return (b->values.tests & bench_tests_that(TEST_NEEDS_MODEL)) != 0;
}

/* tests: their names, as struct session_ask wants them. */
static enum gp_status options_of(struct app *app, struct bench *b,
                                 struct options *options, char tests[96],
                                 struct gp_err *err)
{
    char devices[256];
    enum gp_status rc = GP_OK;

    memset(options, 0, sizeof(*options));
    if (bench_ask_model(b))
        form_ask(app->form, options);
    bench_tests_list(b->values.tests, tests, 96);
    bench_ask_devices(b, devices, sizeof(devices));
    if (!tests[0])
        return gp_fail(err, GP_E_USAGE, "", "Space takes one", "no test is chosen");
    if (b->values.left_out && !devices[0] && b->session && session_found(b->session))
        return gp_fail(err, GP_E_USAGE, "", "Space takes one", "no device is chosen");
    rc = bench_options_ask(&b->values.bench, options, err);
    if (!rc && devices[0])
        rc = options_text(options, OPT_DEVICE, "devices", devices, err);
    if (!rc && b->resume[0])
        rc = options_text(options, OPT_RESUME, "journal", b->resume, err);
    return rc;
}

/* ---- the session ---- */

static void lines_drop(struct bench *b)
{
    free(b->lines);
    b->lines = NULL;
    b->line_count = b->sums = 0;
}

void bench_sum_up(struct bench *b)
{
    int points = session_points(b->session);
    struct session_point p;

    lines_drop(b);
    session_plan(b->session, &b->plan);
    b->lines = gp_calloc((size_t)points + TEST_COUNT, sizeof(*b->lines));
    for (int i = 0; i < points && session_point(b->session, 0, i, &p); i++) {
        struct bench_sum *sum = &b->sum[b->sums > 0 ? b->sums - 1 : 0];

        if (b->sums == 0 || strcmp(sum->test, p.test) != 0) {
            if (b->sums == TEST_COUNT)
                break;
            sum = &b->sum[b->sums++];
            *sum = (struct bench_sum){.test = p.test};
            b->lines[b->line_count++] = (struct bench_line){-1, p.test};
        }
        sum->points++;
        sum->seconds += p.seconds * b->plan.passes;
        sum->bytes = fmax(sum->bytes, p.bytes);
        b->lines[b->line_count++] = (struct bench_line){i, p.test};
    }
}

void bench_drop(struct bench *b)
{
    session_free(b->session);
    b->session = NULL;
    texts_drop(b);
    lines_drop(b);
}

void bench_renew(struct app *app, struct bench *b)
{
    struct options options;
    char tests[96], folder[GP_PATH_MAX];
    struct session_ask how = {.options = &options,
                              .planner = app->form->planner,
                              .tests = tests,
                              .folder = folder};

    bench_drop(b);
    memset(&b->err, 0, sizeof(b->err));
    for (int i = 0; i < BENCH_DEVICES; i++) {
        b->live[i].told = false;
        gauges_init(&b->live[i].gauges);
    }
    b->stage = STAGE_CHOOSE;
    b->panel = b->notes = b->stopping = b->device = b->point = 0;
    b->saved[0] = b->unwritten[0] = '\0';
    b->wanted = b->stale = false;
    b->follow = true;
    b->version = app->form->version;
    settings_results(&app->settings, folder, sizeof(folder));
    if (options_of(app, b, &options, tests, &b->err) == GP_OK) {
        texts_keep(b, &options);
        b->session = session_new(&how, &b->err);
    }
    app_touch(app);
}

void bench_replan(struct app *app, struct bench *b)
{
    struct options options;
    char tests[96], folder[GP_PATH_MAX], *old[BENCH_TEXTS];
    struct session_ask how = {.options = &options,
                              .planner = app->form->planner,
                              .tests = tests,
                              .folder = folder};
    int count = b->texts;

    b->stale = false;
    b->version = app->form->version;
    memset(&b->err, 0, sizeof(b->err));
    settings_results(&app->settings, folder, sizeof(folder));
    lines_drop(b);
    app_touch(app);
    if (options_of(app, b, &options, tests, &b->err))
        return;
    memcpy(old, b->text, sizeof(old));
    b->texts = 0;
    texts_keep(b, &options);
    if (session_replan(b->session, &how, &b->err) == GP_OK)
        bench_sum_up(b);
    while (count > 0)
        free(old[--count]);
}

void bench_changed(struct app *app, struct bench *b)
{
    if (bench_state(b) == SESSION_BROKEN)
        bench_renew(app, b);
    else
        b->stale = true;
    app_touch(app);
}

void bench_begin(struct app *app, struct bench *b)
{
    char folder[GP_PATH_MAX];
    enum session_state state = bench_state(b);
    struct session_device d;

    if (state == SESSION_LOOKING) {
        b->wanted = true;
        app_report(app, false, "starts as soon as the devices are known");
        return;
    }
    if (state == SESSION_READY && b->stale)
        bench_replan(app, b);
    b->wanted = false;
    if (state != SESSION_READY || b->err.text[0]) {
        app_report_err(app, &b->err);
        return;
    }
    settings_results(&app->settings, folder, sizeof(folder));
    settings_make_results(folder);
    if (session_start(b->session, &b->err)) {
        app_report_err(app, &b->err);
        return;
    }
    for (int i = 0; i < BENCH_DEVICES && session_device(b->session, i, &d); i++)
        b->live[i].gauges.limit[GAUGE_MEMORY] = d.memory / GP_GIB;
    b->stage = STAGE_RUN;
    b->resume[0] = '\0';
    app->interrupted = false;
    b->panel = b->device = b->point = 0;
    b->follow = true;
    app_touch(app);
}

/* ---- what became of it ---- */

bool bench_unfinished(const struct bench *b)
{
    return b->stage == STAGE_DONE &&
           strcmp(session_status(b->session), "complete") != 0;
}

/* Another session for the same plan, which begins with what this one measured. */
void bench_go_on(struct app *app, struct bench *b)
{
    bool some = session_can_resume(b->session); /* else it begins anew */

    gp_copy(b->resume, sizeof(b->resume), some ? b->plan.journal : "");
    bench_renew(app, b);
    b->wanted = bench_state(b) != SESSION_BROKEN;
    app_report(app, false, "%s as soon as the devices are known",
               some ? "goes on" : "starts");
}
