/*
 * plan_fix.c - the suggestions of a plan, chosen and put into the form.
 */
#include <stdlib.h>

#include "tui/app.h"
#include "tui/plan/plan_parts.h"
#include "util/mem.h"
#include "util/str.h"

static void apply_fix(struct app *app, int i)
{
    char option[sizeof(app->form->answer->fixes[0].option)];
    struct gp_err err = {0};

    gp_copy(option, sizeof(option), app->form->answer->fixes[i].option);
    if (form_apply(app->form, i, &err))
        app_report_err(app, &err);
    else
        app_report(app, false, "applied: %s (u undoes it)", option);
}

static void fix_chosen(struct app *app, void *ctx, const char *id)
{
    (void)ctx;
    apply_fix(app, atoi(id) - 1);
}

bool plan_fix_apply(struct app *app)
{
    const struct answer *a = app->form->answer;
    struct choice choices[PLAN_MAX_FIXES] = {0};
    struct chooser_ask options = {
        .title = "What would fit", .choices = choices, .chosen = fix_chosen};

    if (!app->form->answered || a->fix_count == 0) {
        app_report(app, false, "there is nothing to apply");
        return true;
    }
    if (a->fix_count == 1) {
        apply_fix(app, 0);
        return true;
    }
    for (int i = 0; i < a->fix_count; i++) {
        const struct fix *f = &a->fixes[i];

        gp_format(choices[i].id, sizeof(choices[i].id), "%d", i + 1);
        gp_format(choices[i].text, sizeof(choices[i].text), "%d. %s", i + 1, f->option);
        if (f->per_hour > 0)
            gp_format(choices[i].more, sizeof(choices[i].more), "%s, %.2f $/h", f->what,
                      f->per_hour);
        else
            gp_format(choices[i].more, sizeof(choices[i].more), "%s, cost unknown",
                      f->what);
    }
    options.count = a->fix_count;
    chooser_open(&app->display, &options);
    return true;
}
