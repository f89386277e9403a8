/*
 * plan_head.c - the rows of the answer that never move (plan_answer.h).
 */
#include "tui/plan/plan_answer.h"

#include <math.h>
#include <string.h>

#include "answer/figures.h"
#include "answer/sentence.h"
#include "base/str.h"
#include "base/units.h"
#include "tui/membar.h"
#include "tui/toolkit/frame.h"

void plan_answer_title(const struct form *form, char *text, size_t size)
{
    const struct plan *plan = &form->answer->plan;
    struct texts layout = {0};

    if (!form->answered)
        gp_copy(text, size, "Answer");
    else if (plan->has_memory)
        gp_format(text, size, "Answer: %d x %s, %s", plan->layout.gpus,
                  gpu_short_name(plan->request.gpu), sentence_layout(&plan->layout, &layout));
    else
        gp_format(text, size, "Answer: %s", gpu_short_name(plan->request.gpu));
    texts_fini(&layout);
}

/* ---- the first row ---- */

/* A word at its place, or behind the word before it where that is longer. Returns where
 * the next may begin. */
static int head_put(struct canvas *canvas, struct rect in, int y, int at, int next, enum ink ink,
                    const char *text)
{
    int x = at > next ? at : next;

    return x + canvas_fit(canvas, in, y, x, in.cols - x, ink, text) + 1;
}

/* Where GPUs, $/h and $ per million stand. */
struct places {
    int gpus, hour, million;
};

static void draw_decision(struct canvas *canvas, struct rect in, int y, const struct plan *plan,
                          int next)
{
    static const struct places wide = {13, 22, 33}, narrow = {12, 21, 30};
    const struct places *at = in.cols >= 46 ? &wide : &narrow;
    struct quantity hour = figure_value(plan, FIGURE_HOUR);
    struct quantity million = figure_value(plan, FIGURE_MILLION);
    int gpus = plan->layout.gpus;
    char text[64];

    gp_format(text, sizeof(text), "%d GPU%s", gpus, gpus == 1 ? "" : "s");
    next = head_put(canvas, in, y, at->gpus, next, INK_HEADING, text);
    gp_format(text, sizeof(text), hour.known ? "%s/h" : "no price", UNITS_MONEY(hour.value));
    next = head_put(canvas, in, y, at->hour, next, INK_HEADING, text);
    gp_format(text, sizeof(text),
              in.cols >= 54   ? "%s/M tokens out"
              : in.cols >= 46 ? "%s/M tok"
                              : "%s/M",
              UNITS_MONEY(million.value));
    if (million.known)
        head_put(canvas, in, y, at->million, next, INK_HEADING, text);
}

/* "short 31.05 GiB on each L40S", or what else is in the way. */
static void draw_refusal(struct canvas *canvas, struct rect in, int y, const struct plan *plan,
                         int next)
{
    double lacks = plan->has_memory ? -plan_margin(plan) : 0;
    char text[160];

    if (lacks > 0)
        gp_format(text, sizeof(text), "short %s on each %s", UNITS_GIB(lacks),
                  gpu_short_name(plan->request.gpu));
    else
        gp_format(text, sizeof(text), "%s", limit_words[plan->limit].noun);
    head_put(canvas, in, y, in.cols >= 46 ? 9 : 8, next, INK_BAD, text);
}

static void draw_verdict(struct canvas *canvas, struct rect in, int y, const struct form *form)
{
    const struct plan *plan = &form->answer->plan;
    int next;

    if (!form->answered) {
        canvas_text(canvas, in, y, 0, INK_BAD, "NO ANSWER");
        return;
    }
    next = head_put(canvas, in, y, 0, 0, outcome_ink(plan->verdict),
                    verdict_words_for(plan->verdict, plan->limit)->head);
    if (plan->verdict == VERDICT_DOES_NOT_FIT)
        draw_refusal(canvas, in, y, plan, next);
    else
        draw_decision(canvas, in, y, plan, next);
}

/* ---- the others ---- */

/* "memory 95 % of budget, 2.16 GiB to spare; measured" */
static void draw_fill(struct canvas *canvas, struct rect in, int y, const struct plan *plan)
{
    double budget = plan->memory.budget.value, margin = plan_margin(plan);
    double part = (budget - margin) / budget * 100, gib = fabs(margin) / GP_GIB;
    const char *what = margin < 0 ? "short" : "to spare";
    const char *logged = plan->memory.kv_pool.origin == ORIGIN_MEASURED ? "; measured" : "";
    char whole[80], text[80], less[80], bare[80];
    const char *texts[] = {whole, text, less, bare, NULL};

    if (!plan->has_memory || budget <= 0)
        return;
    gp_format(whole, sizeof(whole), "memory %.0f %% of budget, %.2f GiB %s%s", part, gib, what,
              logged);
    gp_format(text, sizeof(text), "memory %.0f %% of budget, %.1f GiB %s%s", part, gib, what,
              logged);
    gp_format(less, sizeof(less), "memory %.0f %% of budget, %.0f GiB %s%s", part, gib, what,
              logged);
    gp_format(bare, sizeof(bare), "memory %.0f %% of budget, %.0f GiB %s", part, gib, what);
    canvas_fit_first(canvas, in, y, 0, in.cols, margin < 0 ? INK_BAD : INK_TEXT, texts);
}

void plan_head_draw(struct canvas *canvas, struct rect in, const struct form *form)
{
    const struct plan *plan = &form->answer->plan;

    draw_verdict(canvas, in, 0, form);
    if (!form->answered || !plan->has_memory)
        return;
    draw_fill(canvas, in, 1, plan);
    if (in.rows < PLAN_HEAD)
        return;
    membar_draw(canvas, in, 2, plan);
    membar_legend(canvas, in, 3, plan);
}

/* "TPOT 52.1 ms  TTFT 578 ms  18.5 tok/s model" */
static void draw_pace(struct canvas *canvas, struct rect in, int y, const struct plan *plan)
{
    const struct speed *v = &plan->speed;
    struct texts t = {0};
    const char *text, *rate;

    if (v->gap == SPEED_KNOWN) {
        rate = figure_amount(AS_RATE, v->tokens, &t);
        text = texts_addf(&t, "TPOT %s TTFT %s %.*s%s %s", figure_amount(AS_TIME, v->tpot, &t),
                          figure_amount(AS_TIME, v->ttft, &t), (int)strcspn(rate, "/"), rate,
                          in.cols >= 46 ? " tok/s" : "/s",
                          plan_is_measured(plan) ? "measured" : origin_word(v->tpot.origin));
    } else {
        text = sentence_first_reason(plan, &t);
    }
    canvas_fit(canvas, in, y, 0, in.cols, INK_TEXT, text);
    texts_fini(&t);
}

void plan_strip_draw(struct canvas *canvas, struct rect in, const struct form *form)
{
    const struct answer *a = form->answer;
    char change[FIX_OPTIONS_MAX], text[FIX_OPTIONS_MAX + 40];

    draw_verdict(canvas, in, 0, form);
    if (!form->answered) {
        canvas_fit(canvas, in, 1, 0, in.cols, INK_TEXT, form->err.text);
        canvas_fit(canvas, in, 2, 0, in.cols, INK_TEXT, "u: undo the last change");
        return;
    }
    draw_fill(canvas, in, 1, &a->plan);
    if (a->plan.verdict != VERDICT_DOES_NOT_FIT || a->fix_count == 0) {
        draw_pace(canvas, in, 2, &a->plan);
        return;
    }
    gp_format(text, sizeof(text), "a: %d ways out, such as %s", a->fix_count,
              plan_fix_change(&a->plan, &a->fixes[0], change));
    canvas_fit(canvas, in, 2, 0, in.cols, INK_KEY, text);
}
