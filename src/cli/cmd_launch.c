/*
 * cmd_launch.c - gpuplan --launch ENGINE|TARGET: the command or manifest that realises a plan.
 */
#include "cli/command.h"

#include <string.h>

#include "answer/launch_print.h"

/* What there is, as the hint of an error. */
static void hint_targets(struct invocation *in, struct gp_err *err)
{
    struct strbuf all = STRBUF_EMPTY;

    launch_targets(planner_catalog(in->planner), &all);
    gp_copy(err->hint, sizeof(err->hint), all.text);
    strbuf_fini(&all);
}

/* The engine that is launched is the one that is planned. */
static enum gp_status take_engine(struct invocation *in, struct gp_err *err)
{
    const char *word = in->args[0], *asked = options_word(&in->options, OPT_ENGINE, "");
    const struct engine *engine, *other = NULL;
    enum gp_status rc = catalog_engine(planner_catalog(in->planner), word, &engine, err);

    if (rc && strchr(word, '@'))
        return rc; /* says which versions there are */
    if (rc) {
        rc = gp_fail(err, GP_E_USAGE, "--launch", "", "cannot launch '%.60s'", word);
        hint_targets(in, err);
        return rc;
    }
    if (asked[0])
        rc = catalog_engine(planner_catalog(in->planner), asked, &other, err);
    if (rc)
        return rc;
    if (other && strcmp(other->id, engine->id) != 0)
        return gp_fail(err, GP_E_USAGE, "--engine", "name the engine once",
                       "--launch %s does not start %s", engine->id, other->name);
    return other ? GP_OK : options_text(&in->options, OPT_ENGINE, "--launch", word, err);
}

static enum gp_status print_launch(struct invocation *in, const struct launch_target *target,
                                   const struct answer *a, struct gp_err *err)
{
    bool fits = a->plan.verdict != VERDICT_DOES_NOT_FIT;
    struct catalog *catalog = planner_catalog(in->planner);
    struct launch launch[2];
    enum gp_status rc = GP_OK;

    if (fits)
        rc = launch_make(in->planner, &in->options, a, launch, err);
    if (fits && !rc && launch->prefill)
        rc = launch_target_splits(catalog, target, err);
    if (rc && !err->hint[0])
        hint_targets(in, err);
    if (rc)
        return rc;
    rc = (in->format == OUTPUT_JSON ? launch_print_json : launch_print)(
        catalog, a, fits ? launch : NULL, target, &in->out, err);
    in->exit_code = !reasons_pass(a->plan.reasons);
    return rc;
}

static enum gp_status run_launch(struct invocation *in, struct gp_err *err)
{
    struct answer a;
    struct launch_target target;
    enum gp_status rc = launch_target_find(planner_catalog(in->planner), in->args[0], &target, err);

    if (!rc && !target.id[0])
        rc = take_engine(in, err);
    if (!rc)
        rc = planner_answer(in->planner, &in->options, &a, err);
    if (!rc)
        rc = print_launch(in, &target, &a, err);
    launch_target_fini(&target);
    return rc;
}

const struct command cmd_launch = {
    .name = "launch",
    .usage = "ENGINE|TARGET -m MODEL [-g GPU[:COUNT]] [OPTION]...",
    .brief = "the command or manifest that starts what --plan plans",
    .bit = FOR_LAUNCH,
    .least = 1,
    .most = 1,
    .takes = "one word",
    .example = "an engine, or docker, compose, k8s, llm-d, dynamo, kserve, skypilot, slurm, triton",
    .text = "a command",
    .one = ONE_EACH,
    .several = "launch them one by one",
    .run = run_launch,
};
