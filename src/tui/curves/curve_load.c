/*
 * curve_load.c - speed, cost and GPU count against users: what stands at the cursor. The
 * curves themselves are answer/load_curve.c.
 */
#include <math.h>
#include <stdlib.h>

#include "answer/sentence.h"
#include "base/mem.h"
#include "base/units.h"
#include "tui/curves/curves.h"

static enum load_kind kind_of(const struct curves *c)
{
    return c->curve == CURVE_SPEED ? LOAD_SPEED : c->curve == CURVE_COST ? LOAD_COST : LOAD_GPUS;
}

struct load_job {
    struct load_curve curve; /* without points */
    struct load_point point[LOAD_POINTS];
};

static bool load_unit(void *ctx, int i, struct planner *planner)
{
    struct load_job *job = ctx;

    (void)planner;
    load_curve_point(&job->curve, i, &job->point[i]);
    return i + 1 < job->curve.count;
}

static const struct task_ops load_ops = {TASK_SCREEN, load_unit, free};

bool curve_begin_load(struct curves *c, struct form *form, struct worker *worker)
{
    const struct curve_view *v = &c->view[c->curve];
    const struct plan *plan = &form->answer->plan;
    struct texts why = {0};

    if (!plan->has_memory) {
        gp_format(c->words, sizeof(c->words), "no curve: %s", sentence_first_reason(plan, &why));
        texts_fini(&why);
        return false;
    }
    load_curve_begin(kind_of(c), form->answer, v->low, v->high, &c->load);
    c->job = gp_calloc(1, sizeof(*c->job));
    c->job->curve = c->load;
    c->task = task_begin(worker, &load_ops, c->job);
    return true;
}

enum curve_take curve_take_load(struct curves *c)
{
    int done = task_done(c->task);
    bool more = true;

    if (done == c->load.done)
        return CURVE_SAME;
    while (more && c->load.done < done)
        more = load_curve_take(&c->load, &c->job->point[c->load.done]);
    if (more)
        return CURVE_MORE;
    task_drop(&c->task);
    return CURVE_LAST;
}

void curve_fill_load(struct curves *c, struct form *form)
{
    (void)form;
    if (load_curve_plot(&c->load, &c->plot, c->words))
        c->start = c->load.own;
    else if (c->load.done < c->load.count)
        gp_copy(c->words, sizeof(c->words), "planning ...");
}

/* ---- reading ---- */

static void say_time(struct curves *c, char mark, enum ink ink, const char *name,
                     const struct quantity *q)
{
    if (!q->known)
        return;
    curve_say(c, mark, ink, name, "%s ms", UNITS_PLAIN(q->value * 1e3, 4));
    curve_more(c, "%s..%s", UNITS_PLAIN(q->low * 1e3, 4), UNITS_PLAIN(q->high * 1e3, 4));
}

static void say_money(struct curves *c, char mark, const char *name, const struct quantity *q)
{
    char money[32];

    if (!q->known)
        return;
    curve_say(c, mark, mark ? plot_ink(PLOT_3) : INK_TEXT, name, "%s",
              units_money(money, sizeof(money), q->value));
    if (q->high > q->low)
        curve_more(c, "%.2f..%.2f", q->low, q->high);
}

/* Every point is a plan: what it says of itself. */
void curve_read_load(struct curves *c, const struct form *form, double x)
{
    const struct load_point *p = load_curve_at(&c->load, x);
    char text[48];
    bool gpus = c->curve == CURVE_GPUS;

    (void)form;
    if (!p)
        return;
    gp_format(c->at, sizeof(c->at), "%s: %s%s%s",
              memory_count(SWEEP_USERS, p->users, text, sizeof(text)),
              verdict_words[p->verdict].brief, p->limit != LIMIT_NONE ? ", " : "",
              p->limit != LIMIT_NONE ? limit_word(p->limit) : "");
    if (p->gpus)
        curve_say(c, gpus ? 'n' : 0, gpus ? plot_ink(PLOT_1) : INK_TEXT, "GPUs", "%d", p->gpus);
    say_time(c, c->curve == CURVE_SPEED ? 't' : 0, plot_ink(PLOT_1), "TPOT", &p->tpot);
    say_time(c, c->curve == CURVE_SPEED ? 'f' : 0, plot_ink(PLOT_2), "TTFT", &p->ttft);
    if (p->tokens.known) {
        curve_say(c, 0, INK_TEXT, "output", "%.0f tok/s", p->tokens.value);
        curve_more(c, "%.0f..%.0f", p->tokens.low, p->tokens.high);
    }
    say_money(c, c->curve == CURVE_COST ? 'm' : 0, "$/M tok", &p->million);
    say_money(c, 0, "$ an hour", &p->per_hour);
}
