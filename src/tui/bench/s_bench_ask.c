/*
 * s_bench_ask.c - Bench's form as the options of --bench.
 */
#include "tui/bench/s_bench.h"

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

/* The session outlives what the form lends. */
void bench_ask_keep(struct bench *b, struct options *options)
{
    for (int i = 0; i < OPTION_COUNT; i++)
        options->value[i].text = keep(b, options->value[i].text);
    for (int i = 0; i < options->model_count; i++)
        options->models[i] = keep(b, options->models[i]);
    for (int i = 0; i < options->precision_count; i++)
        options->precisions[i] = keep(b, options->precisions[i]);
    for (int i = 0; i < options->gpu_count; i++)
        options->gpus[i] = keep(b, options->gpus[i]);
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
                           "'%.60s' is no list of devices", text);
        if (n >= 64 || (int)n >= found)
            return gp_fail(err, GP_E_USAGE, "--device", "d shows them",
                           "there is no device %lu here", n);
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

enum gp_status bench_ask(struct app *app, struct bench *b, struct options *options,
                         char tests[96], struct gp_err *err)
{
    char devices[256];
    enum gp_status status = GP_OK;

    memset(options, 0, sizeof *options);
    if (bench_ask_model(b))
        form_ask(app->form, options);
    bench_tests_list(b->values.tests, tests, 96);
    bench_ask_devices(b, devices, sizeof devices);
    if (!tests[0])
        return gp_fail(err, GP_E_USAGE, "", "Space takes one", "no test is chosen");
    if (b->values.left_out && !devices[0] && b->session && session_found(b->session))
        return gp_fail(err, GP_E_USAGE, "", "Space takes one", "no device is chosen");
    status = bench_options_ask(&b->values.bench, options, err);
    if (!status && devices[0])
        status = options_text(options, OPT_DEVICE, "devices", devices, err);
    if (!status && b->resume[0])
        status = options_text(options, OPT_RESUME, "journal", b->resume, err);
    return status;
}
