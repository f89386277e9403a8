/*
 * bench_session.c - Bench's session: the form as the options of --bench, and what is
 * begun, planned anew and gone on with by them.
 */
#include "tui/bench/s_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "tui/settings.h"

/* ---- rows that several panels have ---- */

void bench_fact(struct page *page, int indent, const char *label, const char *fmt, ...)
{
    const struct rect *in = &page->in;
    struct rect right = {in->y + page->y, in->x + indent, in->rows - page->y, in->cols - indent};
    struct strbuf text;
    va_list args;

    strbuf_init(&text);
    va_start(args, fmt);
    strbuf_addv(&text, fmt, args);
    va_end(args);
    canvas_text(page->canvas, *in, page->y, 0, INK_DIM, label);
    page->y += canvas_wrap(page->canvas, right, 0, INK_TEXT, text.text);
    strbuf_fini(&text);
}

char *bench_path(char *text, size_t size, const char *path)
{
    const char *home = getenv("HOME");
    size_t n = home ? strlen(home) : 0;

    if (n > 1 && strncmp(path, home, n) == 0 && path[n] == '/')
        gp_format(text, size, "~%s", path + n);
    else
        gp_copy(text, size, path);
    return text;
}

void bench_file(struct page *page, const char *name, const char *path)
{
    char text[GP_PATH_MAX + 2];
    const char *shown = bench_path(text, sizeof(text), path);
    const char *slash = strrchr(shown, '/');

    if (slash && gp_width(shown) > page->in.cols - 6)
        shown = slash + 1;
    if (page->canvas)
        canvas_text(page->canvas, page->in, page->y, 0, INK_DIM, name);
    page_row(page, 6, INK_TEXT, shown);
}

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
            return gp_fail(err, GP_E_USAGE, "--device", "d shows them", "no device %lu here", n);
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

/* What a session asks for, and the texts of it: the session outlives what the form
 * lends. */
struct bench_ask {
    struct form form; /* as it was */
    struct bench_options bench;
    char tests[96], devices[256], resume[GP_PATH_MAX], folder[GP_PATH_MAX];
    struct options options;
    struct session_ask how;
};

/* The tests that are chosen. */
static enum gp_status ask_tests(const struct bench *b, struct bench_ask *ask, struct gp_err *err)
{
    struct options *options = &ask->options;
    enum gp_status rc;

    if (!ask->tests[0])
        return gp_fail(err, GP_E_USAGE, "", "Space takes one", "no test is chosen");
    if (b->values.left_out && !ask->devices[0] && b->session && session_found(b->session))
        return gp_fail(err, GP_E_USAGE, "", "Space takes one", "no device is chosen");
    if (bench_ask_model(b))
        form_ask(&ask->form, options);
    rc = bench_options_ask(&ask->bench, options, err);
    if (!rc && ask->devices[0])
        rc = options_text(options, OPT_DEVICE, "devices", ask->devices, err);
    return rc;
}

static enum gp_status ask_fill(const struct bench *b, struct bench_ask *ask, struct gp_err *err)
{
    struct options *options = &ask->options;
    enum gp_status rc = GP_OK;

    if (b->page == BENCH_PAGE_DIAGNOSE)
        bench_diagnose_ask(b, options, ask->tests, sizeof(ask->tests));
    else if (b->page == BENCH_PAGE_CONFIRM)
        rc = bench_confirm_ask(&ask->form, options, ask->tests, sizeof(ask->tests), err);
    else
        rc = ask_tests(b, ask, err);
    if (!rc && ask->resume[0])
        rc = options_text(options, OPT_RESUME, "journal", ask->resume, err);
    return rc;
}

/* The form as it is now; NULL: b->err says why it cannot be asked. */
static struct bench_ask *ask_new(const struct app *app, struct bench *b)
{
    struct bench_ask *ask = gp_calloc(1, sizeof(*ask));

    memset(&b->err, 0, sizeof(b->err));
    b->version = app->form->version;
    b->stale = false;
    ask->form = *app->form;
    ask->bench = b->values.bench;
    ask->how = (struct session_ask){.options = &ask->options,
                                    .planner = app->form->planner,
                                    .tests = ask->tests,
                                    .confirm = b->page == BENCH_PAGE_CONFIRM,
                                    .folder = ask->folder};
    bench_tests_list(b->values.tests, ask->tests, sizeof(ask->tests));
    bench_ask_devices(b, ask->devices, sizeof(ask->devices));
    gp_copy(ask->resume, sizeof(ask->resume), b->resume);
    settings_results(ask->folder, sizeof(ask->folder));
    if (ask_fill(b, ask, &b->err)) {
        free(ask);
        return NULL;
    }
    return ask;
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

        if (b->sums == 0 || sum->test != p.point->test) {
            if (b->sums == TEST_COUNT)
                break;
            sum = &b->sum[b->sums++];
            *sum = (struct bench_sum){.test = p.point->test};
            b->lines[b->line_count++] = (struct bench_line){-1, p.point->test};
        }
        sum->points++;
        sum->seconds += p.seconds * b->plan.passes;
        sum->bytes = fmax(sum->bytes, p.bytes);
        b->lines[b->line_count++] = (struct bench_line){i, p.point->test};
    }
}

void bench_drop(struct bench *b)
{
    bench_diagnose_free(b);
    session_free(b->session);
    free(b->ask);
    free(b->confirm);
    b->session = NULL;
    b->ask = NULL;
    b->confirm = NULL;
    lines_drop(b);
}

void bench_renew(struct app *app, struct bench *b)
{
    bench_drop(b);
    for (int i = 0; i < BENCH_DEVICES; i++) {
        b->live[i].next = 0;
        gauges_init(&b->live[i].gauges);
    }
    b->stage = STAGE_CHOOSE;
    b->panel = b->notes = b->stopping = b->device = b->point = 0;
    b->saved[0] = b->unwritten[0] = '\0';
    b->wanted = false;
    b->follow = true;
    if (b->page == BENCH_PAGE_DIAGNOSE)
        bench_diagnose_new(b);
    b->ask = ask_new(app, b);
    if (b->ask)
        b->session = session_new(&b->ask->how, &b->err);
    app_touch(app);
}

void bench_replan(struct app *app, struct bench *b)
{
    struct bench_ask *ask = ask_new(app, b);

    lines_drop(b);
    app_touch(app);
    if (!ask)
        return;
    if (session_replan(b->session, &ask->how, &b->err) == GP_OK) {
        bench_sum_up(b);
        bench_confirm_ready(app, b);
    }
    free(b->ask);
    b->ask = ask;
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
    settings_make_results();
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
    return b->stage == STAGE_DONE && b->page != BENCH_PAGE_DIAGNOSE &&
           strcmp(session_status(b->session), "complete") != 0;
}

/* Another session for the same plan, which begins with what this one measured. */
void bench_go_on(struct app *app, struct bench *b)
{
    bool some = session_can_resume(b->session); /* else it begins anew */

    gp_copy(b->resume, sizeof(b->resume), some ? b->plan.journal : "");
    bench_renew(app, b);
    b->wanted = bench_state(b) != SESSION_BROKEN;
    app_report(app, false, "%s as soon as the devices are known", some ? "goes on" : "starts");
}
