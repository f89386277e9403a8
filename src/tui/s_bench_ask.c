/*
 * s_bench_ask.c - Bench's form as the options of --bench.
 */
#include "tui/s_bench.h"

#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

void bench_ask_drop(struct bench *b)
{
    while (b->texts > 0)
        free(b->text[--b->texts]);
}

static const char *keep(struct bench *b, const char *text)
{
    if (!text || b->texts == BENCH_TEXTS)
        return text ? "" : NULL;
    return b->text[b->texts++] = gp_strdup(text);
}

/* The session outlives what the desk lends. */
void bench_ask_keep(struct bench *b, struct ask *ask)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        ask->value[i].text = keep(b, ask->value[i].text);
    for (int i = 0; i < ask->model_count; i++)
        ask->models[i] = keep(b, ask->models[i]);
    for (int i = 0; i < ask->precision_count; i++)
        ask->precisions[i] = keep(b, ask->precisions[i]);
    for (int i = 0; i < ask->gpu_count; i++)
        ask->gpus[i] = keep(b, ask->gpus[i]);
}

static enum gp_status give(struct ask *ask, enum option_id id, const char *name,
                           const char *text, struct gp_err *err)
{
    return text[0] ? ask_text(ask, id, name, text, err) : GP_OK;
}

/* "0,2" when some are left out, "" for all. */
void bench_ask_devices(const struct bench *b, char *text, size_t size)
{
    int found = b->session ? session_found(b->session) : 0;
    size_t len = 0;

    text[0] = '\0';
    for (int i = 0; i < found && b->form.left_out; i++) {
        if (i < 64 && b->form.left_out >> i & 1)
            continue;
        gp_format(text + len, size - len, "%s%d", len ? "," : "", i);
        len = strlen(text);
    }
}

void bench_ask_tests(const struct bench *b, char *text, size_t size)
{
    size_t len = 0;

    text[0] = '\0';
    for (int i = 0; i < BENCH_TESTS; i++) {
        if (!(b->form.tests >> i & 1))
            continue;
        gp_format(text + len, size - len, "%s%s", len ? "," : "", bench_tests[i].name);
        len = strlen(text);
    }
}

bool bench_ask_model(const struct bench *b)
{
    for (int i = 0; i < BENCH_TESTS; i++)
        if (b->form.tests >> i & 1 && bench_tests[i].model)
            return true;
    return false;
}

enum gp_status bench_ask(struct app *app, struct bench *b, struct ask *ask,
                         char tests[96], struct gp_err *err)
{
    const struct bench_form *f = &b->form;
    const char *engine = bench_engines[f->engine];
    char devices[256];
    enum gp_status status = GP_OK;

    memset(ask, 0, sizeof *ask);
    if (bench_ask_model(b))
        desk_ask(app->desk, ask);
    bench_ask_tests(b, tests, 96);
    bench_ask_devices(b, devices, sizeof devices);
    if (!tests[0])
        return gp_fail(err, GP_E_USAGE, "", "Space takes one", "no test is chosen");
    if (b->form.left_out && !devices[0] && b->session && session_found(b->session))
        return gp_fail(err, GP_E_USAGE, "", "Space takes one", "no device is chosen");
    status = give(ask, OPT_TYPE, "types", f->types, err);
    if (!status)
        status = give(ask, OPT_SHAPES, "shapes", f->shapes, err);
    if (!status)
        status = give(ask, OPT_PRESET, "preset", bench_presets[f->preset], err);
    if (!status)
        status = give(ask, OPT_TIME_LIMIT, "time limit", f->limit, err);
    if (!status)
        status = give(ask, OPT_DEVICE, "devices", devices, err);
    if (!status && f->engine)
        status = give(ask, OPT_BACKEND, "engine", engine, err);
    if (!status)
        status = give(ask, OPT_RESUME, "journal", b->resume, err);
    return status;
}
