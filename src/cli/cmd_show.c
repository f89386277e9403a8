/*
 * cmd_show.c - gpuplan --show ID: all facts about one item.
 *
 * ID is a model (also a folder or file), a GPU or MIG slice, an engine (vllm@0.19), an
 * instance type, a format, a server or a family of GPUs; the classes are searched in that order.
 */
#include "answer/report_catalog.h"
#include "cli/command.h"

static enum gp_status run_show(struct invocation *in, struct gp_err *err)
{
    struct record doc;
    enum gp_status rc = report_show(in->planner, in->args[0], &doc, err);

    if (!rc)
        command_print(in, &doc, NULL, record_lines);
    record_fini(&doc);
    return rc;
}

const struct command cmd_show = {
    .name = "show",
    .usage = "ID",
    .brief = "all facts about a model, GPU, engine, instance, format, server or family",
    .bit = FOR_SHOW,
    .least = 1,
    .most = 1,
    .takes = "one ID",
    .example = "gpuplan --list CLASS has the ids",
    .text = "one item",
    .run = run_show,
};
