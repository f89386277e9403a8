/*
 * cmd_show.c - gpuplan --show ID: all facts about one item.
 *
 * ID is a model (also a folder or file), a GPU or MIG slice, an engine (vllm@0.19), an
 * instance type, a format, a server or a family of GPUs; the classes are searched in that order.
 */
#include "answer/report_catalog.h"
#include "cli/command.h"

static enum gp_status print_item(struct invocation *in, const struct record *doc,
                                 struct gp_err *err)
{
    switch (in->format) {
    case OUTPUT_TEXT:
        record_lines(doc, &in->out);
        return GP_OK;
    case OUTPUT_JSON:
        record_json(doc, &in->out);
        return GP_OK;
    default:
        return gp_fail(err, GP_E_USAGE, "--format", "text or json; --list has tables",
                       "cannot print one item as a table");
    }
}

static enum gp_status run_show(struct invocation *in, struct gp_err *err)
{
    struct record doc;

    if (in->arg_count != 1)
        return gp_fail(err, GP_E_USAGE, "--show", "gpuplan --list CLASS has the ids",
                       in->arg_count ? "takes one ID" : "needs an ID");
    enum gp_status rc = report_show(in->planner, in->args[0], &doc, err);
    if (!rc)
        rc = print_item(in, &doc, err);
    record_fini(&doc);
    return rc;
}

const struct command cmd_show = {
    .name = "show",
    .usage = "ID",
    .brief = "all facts about a model, GPU, engine, instance, format, server or family",
    .bit = FOR_SHOW,
    .run = run_show,
};
