/*
 * s_bench_confirm.c - Confirm, the second page of Bench: what the plan on the form rests on,
 * predicted before the run and measured after it; then the plan turns to what was measured.
 *
 * The result is kept by the session itself (calibrate.h); w saves it under a name besides,
 * D removes what is kept of the planned GPU.
 */
#include "tui/bench/s_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/calibrate.h"
#include "base/mem.h"
#include "base/units.h"
#include "measure/confirm.h"

bool bench_confirm_first(const struct app *app)
{
    const struct answer *a = app->form->answered ? app->form->answer : NULL;

    return a && (a->resolved.gpu_local || a->plan.request.gpu->host);
}

enum gp_status bench_confirm_ask(const struct form *form, struct options *options, char *tests,
                                 size_t size, struct gp_err *err)
{
    const struct plan *plan = form->answered ? &form->answer->plan : NULL;

    gp_copy(tests, size, plan ? confirm_tests(plan) : "memory,fit");
    form_ask(form, options);
    return plan && plan->request.gpu->host
               ? options_text(options, OPT_BACKEND, "confirm", "cpu", err)
               : GP_OK;
}

/* The form answered again, with what is kept now. */
static void plan_refresh(struct app *app)
{
    planner_measured_anew(app->form->planner);
    worker_reload_measurements(app->worker);
    form_again(app->form);
}

void bench_confirm_ready(const struct app *app, struct bench *b)
{
    free(b->confirm);
    b->confirm = NULL;
    if (b->page != BENCH_PAGE_CONFIRM || !app->form->answered)
        return;
    b->confirm = gp_calloc(1, sizeof(*b->confirm));
    b->confirm->before = *app->form->answer;
    if (b->confirm->before.plan.speed.gap == SPEED_KNOWN && confirm_find(b->confirm, b->session))
        confirm_predict(b->confirm, b->session);
}

void bench_confirm_over(struct app *app, struct bench *b)
{
    struct confirm *c = b->confirm;

    if (c)
        confirm_measure(c, b->session);
    if (session_log(b->session))
        plan_refresh(app);
    b->refresh = REFRESH_MEASURED;
    bench_confirm_tick(app, b);
}

void bench_confirm_tick(struct app *app, struct bench *b)
{
    struct confirm *c = b->confirm;

    if (b->refresh == REFRESH_NOT || app->form->planning)
        return;
    if (c && b->refresh == REFRESH_MEASURED && app->form->answered) {
        c->after = *app->form->answer;
        c->measured = confirm_counts(c) && c->after.resolved.calibrated[0];
    }
    b->refresh = REFRESH_NOT;
    b->version = app->form->version;
    app_touch(app);
}

/* ---- what is shown ---- */

/* In the room there is. */
static const char *use_word(const struct confirm_term *t)
{
    if (t->use == CONFIRM_IGNORED)
        return "ignored";
    if (isnan(t->error))
        return "";
    if (t->use == CONFIRM_LESS)
        return t->in_band ? "in band ~" : "outside ~";
    return t->in_band ? "in band" : "outside";
}

static void show_term(struct page *page, const struct confirm_term *t)
{
    const struct quantity *q = &t->predicted;
    char predicted[32] = "-", band[32] = "-", measured[32] = "-", error[16] = "-", row[160];

    if (q->known) {
        int decimals = q->high / t->divide < 999.5 ? t->decimals : 0; /* for its column */

        gp_format(predicted, sizeof(predicted), "%.*f %s", t->decimals, q->value / t->divide,
                  t->unit);
        gp_format(band, sizeof(band), "%.*f..%.*f", decimals, q->low / t->divide, decimals,
                  q->high / t->divide);
    }
    if (!isnan(t->measured))
        gp_format(measured, sizeof(measured), "%.*f", t->decimals, t->measured / t->divide);
    if (!isnan(t->error))
        gp_format(error, sizeof(error), "%+.0f %%", 100 * t->error);
    gp_format(row, sizeof(row), "%-20.20s%13s%13s%9s%9s  %s", t->name, predicted, band, measured,
              error, use_word(t));
    page_row(page, 0, t->use == CONFIRM_IGNORED ? INK_WARN : INK_TEXT, row);
}

static void show_tpot(struct page *page, const char *when, const struct plan *p)
{
    const struct quantity *q = &p->speed.tpot;

    page_wordsf(page, 0, INK_TEXT, "TPOT %s: %s ms (%s..%s), %s", when,
                UNITS_PLAIN(1e3 * q->value, 3), UNITS_PLAIN(1e3 * q->low, 3),
                UNITS_PLAIN(1e3 * q->high, 3), origin_word(q->origin));
}

static void show_terms(struct page *page, const struct bench *b)
{
    const struct confirm *c = b->confirm;
    struct strbuf words;

    page_row(page, 0, INK_DIM,
             "term                    predicted    low..high measured    error  band");
    for (int i = 0; i < c->terms; i++)
        show_term(page, &c->term[i]);
    show_tpot(page, "planned", &c->before.plan);
    if (b->stage != STAGE_DONE) {
        page_words(page, 0, INK_TEXT, "F5 measures these, two minutes at most; p all of Bench");
        return;
    }
    if (b->refresh == REFRESH_MEASURED) {
        page_words(page, 0, INK_TEXT, "planning with what was measured...");
        return;
    }
    if (c->measured)
        show_tpot(page, "calibrated", &c->after.plan);
    strbuf_init(&words);
    confirm_say(c, &words);
    for (char *at = words.text, *line; (line = strsep(&at, "\n")) && line[0];)
        page_words(page, 0, INK_TEXT, line);
    strbuf_fini(&words);
    page_words(page, 0, INK_TEXT,
               "kept for later plans: w saves it under a name too, D drops it, "
               "r again, p all of Bench");
}

static void show_why_not(struct page *page, const struct app *app, const struct bench *b)
{
    if (bench_state(b) == SESSION_LOOKING)
        page_words(page, 0, INK_TEXT, "looks for devices");
    else if (b->err.text[0])
        page_words(page, 0, INK_BAD, b->err.text);
    else if (!app->form->answered)
        page_words(page, 0, INK_BAD, app->form->err.text);
    else if (b->confirm && b->confirm->before.plan.speed.gap != SPEED_KNOWN)
        page_words(page, 0, INK_WARN, "the plan has no estimate of speed to confirm");
    else if (b->confirm)
        page_wordsf(page, 0, INK_WARN,
                    "this host has no %s: it cannot confirm the plan, it has %s; p measures that",
                    b->confirm->before.plan.request.gpu->id, b->confirm->here);
}

void bench_confirm_draw(const struct app *app, const struct bench *b, struct canvas *canvas,
                        const struct frame *frame)
{
    struct page page = {.canvas = canvas, .in = rect_inside(frame->body)};
    const struct plan *p = app->form->answered ? &app->form->answer->plan : NULL;
    char note[96] = "";

    if (p)
        gp_format(note, sizeof(note), "%.40s %.16s on %.24s", p->request.model->id,
                  p->request.precision.id, p->request.gpu->id);
    canvas_box(canvas, frame->body, "Confirm", note);
    if (b->confirm && b->confirm->terms > 0 && !b->err.text[0])
        show_terms(&page, b);
    else
        show_why_not(&page, app, b);
    canvas_cursor(canvas, page.in, 0, 0);
}

void bench_confirm_explain(struct strbuf *out)
{
    strbuf_add(out, "Confirm: only what the plan rests on is measured, and the plan takes it.\n"
                    "~ scattered and counts less; ignored: other programs disturbed it.");
}

/* ---- keys ---- */

static bool drop_kept(struct app *app, struct bench *b)
{
    const char *gpu = app->form->answered ? app->form->answer->plan.request.gpu->id : "";
    int dropped = calibration_drop(gpu);

    if (dropped > 0) {
        plan_refresh(app);
        b->refresh = REFRESH_DROPPED;
        bench_confirm_tick(app, b);
    }
    app_report(app, false,
               dropped > 0 ? "the measurements of %s are dropped" : "nothing is kept for %s",
               gpu[0] ? gpu : "it");
    return true;
}

bool bench_confirm_act(struct app *app, struct bench *b, enum action action)
{
    bool here = b->page == BENCH_PAGE_CONFIRM;
    bool none = here && b->stage == STAGE_CHOOSE && (!b->confirm || b->confirm->terms == 0);

    if (action == ACT_CONFIRM && b->stage == STAGE_RUN) {
        app_report(app, true, "it runs: x stops after the point");
        return true;
    }
    if (action == ACT_CONFIRM) {
        b->page = b->page == BENCH_PAGE_TESTS ? BENCH_PAGE_CONFIRM : BENCH_PAGE_TESTS;
        bench_renew(app, b);
        return true;
    }
    if (action == ACT_DROP)
        return drop_kept(app, b);
    if (!here || b->stage != STAGE_CHOOSE)
        return false;
    if (action == ACT_START || action == ACT_OPEN) {
        if (none)
            app_report(app, true, "nothing to confirm here");
        else
            bench_begin(app, b);
        return true;
    }
    return action == ACT_TOGGLE || action == ACT_OPTIONS || action == ACT_LEFT ||
           action == ACT_RIGHT || action == ACT_PANEL || action == ACT_PANEL_BACK;
}
