/*
 * plan_summary.c - see plan_summary.h.
 */
#include "tui/plan_summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/search.h"

struct plan_summary plan_summary_of(const struct plan *plan)
{
    struct quantity hour, month, million = plan_token_price(plan);
    struct plan_summary out = {
        .known = true, .verdict = plan->verdict, .limit = plan->limit, .gpus = plan->layout.gpus};

    plan_prices(plan, &hour, &month);
    out.per_hour = hour.known ? hour.value : 0;
    out.million = million.known ? million.value : 0;
    if (plan->speed.gap == SPEED_KNOWN && verdict_holds(plan->verdict) &&
        !plan->request.model->pooling) /* of what answers with tokens */
        out.tpot = plan->speed.tpot.value;
    return out;
}

/* ---- words ---- */

enum ink plan_summary_ink(enum verdict verdict)
{
    return verdict == VERDICT_FITS ? INK_OK : verdict != VERDICT_DOES_NOT_FIT ? INK_WARN : INK_BAD;
}

/* ---- columns ---- */

static const char *money_or_dash(double dollars, char text[32])
{
    return dollars > 0 ? units_money(text, 32, dollars) : "-";
}

char *plan_summary_text(const struct plan_summary *o, int cols, char text[PLAN_SUMMARY_TEXT])
{
    char hour[32], million[32], tpot[32] = "-", gpus[16] = "-";

    text[0] = '\0';
    if (!o || !o->known)
        return text;
    const char *word = o->gain && o->gain[0] ? o->gain : verdict_words[o->verdict].brief;
    if (o->verdict == VERDICT_DOES_NOT_FIT) {
        gp_format(text, PLAN_SUMMARY_TEXT, "%-8s %s", word,
                  o->limit == LIMIT_NONE ? "" : limit_words[o->limit].noun);
        return text;
    }
    gp_format(gpus, sizeof(gpus), "%d", o->gpus);
    if (o->tpot > 0)
        gp_format(tpot, sizeof(tpot), "%.*f", o->tpot < 99.5e-3 ? 1 : 0, o->tpot * 1e3);
    gp_format(text, PLAN_SUMMARY_TEXT, "%-8s %3s", word, gpus);
    if (cols != PLAN_SUMMARY_GAIN)
        gp_append(text, PLAN_SUMMARY_TEXT, "", " %8s", money_or_dash(o->per_hour, hour));
    if (cols >= PLAN_SUMMARY_GAIN)
        gp_append(text, PLAN_SUMMARY_TEXT, "", " %7s", tpot);
    if (cols == PLAN_SUMMARY_GAIN || cols >= PLAN_SUMMARY_WHOLE)
        gp_append(text, PLAN_SUMMARY_TEXT, "", " %7s", money_or_dash(o->million, million));
    return text;
}

const char *plan_summary_titles(int cols)
{
    return cols >= PLAN_SUMMARY_WHOLE   ? "verdict    n      $/h TPOT ms     $/M"
           : cols >= PLAN_SUMMARY_SHORT ? "verdict    n      $/h TPOT ms"
           : cols == PLAN_SUMMARY_GAIN  ? "gain       n TPOT ms     $/M"
                                        : "verdict    n      $/h";
}

int plan_summary_compare(const struct plan_summary *a, const struct plan_summary *b)
{
    if (a->known != b->known)
        return a->known ? -1 : 1;
    if (a->verdict != b->verdict)
        return (int)a->verdict - (int)b->verdict;
    if ((a->per_hour > 0) != (b->per_hour > 0))
        return a->per_hour > 0 ? -1 : 1;
    if (a->per_hour < b->per_hour || a->per_hour > b->per_hour)
        return a->per_hour < b->per_hour ? -1 : 1;
    return a->gpus - b->gpus;
}

/* ---- all of a field ---- */

void plan_summaries_free(struct plan_summaries *o)
{
    free(o->rows);
    *o = (struct plan_summaries){0};
}

void plan_summaries_list(struct plan_summaries *o, struct form *form, enum field field, bool open)
{
    int count;
    bool gpus = field == FIELD_GPU;
    struct choice *choices = form_choices(form, field, field != FIELD_PRECISION, &count);

    o->field = field;
    o->open = open;
    o->count = 0;
    o->rows = gp_realloc(o->rows, ((size_t)count + 1) * sizeof(*o->rows));
    for (int i = 0; i < count; i++)
        /* of all GPUs neither a word for "choose for me" nor a slice of another */
        if (!gpus || !open ||
            (choices[i].id[0] && strcmp(choices[i].id, "local") != 0 &&
             !strchr(choices[i].id, '/'))) {
            o->rows[o->count] = (struct plan_summary_row){0};
            gp_copy(o->rows[o->count++].id, sizeof(o->rows[0].id), choices[i].id);
        }
    free(choices);
}

/* What the form asks, with this model, GPU or format in place of its own. */
static bool outcome_resolve(const struct plan_summaries *o, const struct form_copy *form,
                            const char *id, struct planner *planner, struct resolved *out)
{
    static const enum option_id layout[] = {OPT_TP, OPT_PP, OPT_EP, OPT_REPLICAS};
    const struct request *now = &form->answer.plan.request;
    const char *count = form->values.value[FIELD_GPUS];
    bool gpu = o->field == FIELD_GPU, model = o->field == FIELD_MODEL;
    char name[GPU_ID_MAX + 32];
    struct options options;

    values_write_options(&form->values, &options);
    for (size_t i = 0; o->open && i < sizeof(layout) / sizeof(layout[0]); i++)
        options.value[layout[i]] = (struct option_value){0};
    gp_copy(name, sizeof(name), gpu ? id : now->gpu->id);
    if (count[0] && !o->open)
        gp_format(name + strlen(name), sizeof(name) - strlen(name), ":%s", count);
    return planner_resolve(planner, &options, model ? id : NULL,
                           gpu || model ? NULL
                           : id[0]      ? id
                                        : "native",
                           name, out, NULL) == GP_OK;
}

void plan_summaries_plan(struct plan_summaries *o, int i, const struct form_copy *form,
                         struct planner *planner)
{
    struct plan_summary_row *row = &o->rows[i];
    struct resolved resolved;
    struct options options;
    struct answer *answer;
    struct plan plan;

    if (row->summary.known)
        return;
    if (o->field == FIELD_GPU && !row->id[0]) { /* the one chosen when nobody names one */
        values_write_options(&form->values, &options);
        options.gpu_count = 0;
        answer = gp_malloc(sizeof(*answer));
        if (planner_answer(planner, &options, answer, NULL) == GP_OK)
            row->summary = plan_summary_of(&answer->plan);
        free(answer);
    } else if (outcome_resolve(o, form, row->id, planner, &resolved)) {
        planner_plan(planner, &resolved, &plan);
        row->summary = plan_summary_of(&plan);
    }
    if (search_abandoned())
        row->summary.known = false;
}

int plan_summaries_find(const struct plan_summaries *o, const char *id)
{
    for (int i = 0; i < o->count; i++)
        if (strcmp(o->rows[i].id, id) == 0)
            return i;
    return -1;
}
