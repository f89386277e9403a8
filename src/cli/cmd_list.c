/*
 * cmd_list.c - gpuplan --list CLASS [FILTER]...: the catalogue, a row per item.
 *
 * --quiet prints the ids alone, one per line: what shell completion asks for.
 */
#include "cli/command.h"

#include <string.h>

#include "answer/report_catalog.h"
#include "measure/devices.h"

static void print_ids(const struct fact *items, struct strbuf *out)
{
    const char *last = "";

    for (size_t i = 0; i < items->record_count; i++) {
        const char *id = record_get(&items->records[i], "id");

        if (strcmp(id, last) != 0) /* an instance type has a row per region */
            strbuf_addf(out, "%s\n", id);
        last = id;
    }
}

static void print_text(const struct record *doc, const struct fact *items, struct strbuf *out)
{
    const char *word = record_get(doc, "class"), *reason = record_get(doc, "reason");

    if (reason[0]) {
        strbuf_addf(out, "no device: %s\n", reason);
        return;
    }
    if (items->record_count == 0) {
        strbuf_addf(out, "0 %s: no row has all these words (gpuplan --list %s shows every one)\n",
                    word, word);
        return;
    }
    record_table(items->records, items->record_count, NULL, RECORD_TEXT, out);
    strbuf_addf(out,
                "\n%zu %s; ~ estimated, ? assumed, - unknown; gpuplan --show ID has "
                "sources and dates\n",
                items->record_count, word);
}

static void print_list(struct invocation *in, const struct record *doc)
{
    const struct fact *items = record_find(doc, "items");

    if (in->format == OUTPUT_JSON)
        record_json(doc, &in->out);
    else if (in->quiet)
        print_ids(items, &in->out);
    else if (in->format == OUTPUT_TEXT)
        print_text(doc, items, &in->out);
    else
        record_table(items->records, items->record_count, NULL,
                     in->format == OUTPUT_CSV ? RECORD_CSV : RECORD_MARKDOWN, &in->out);
}

/* The devices of this machine are no part of the catalogue, and so not of data/. */
static const struct report_class *find_class(const char *word, struct gp_err *err)
{
    if (gp_casecmp(word, devices_class.word) == 0 || gp_casecmp(word, devices_class.singular) == 0)
        return &devices_class;
    return report_class_find(word, err);
}

static enum gp_status run_list(struct invocation *in, struct gp_err *err)
{
    struct record doc = {0};
    const struct report_class *class = find_class(in->arg_count > 0 ? in->args[0] : "", err);

    if (!class)
        return GP_E_USAGE;
    enum gp_status rc = report_list(planner_catalog(in->planner), class, in->args + 1,
                                    in->arg_count - 1, &doc, err);
    if (!rc)
        print_list(in, &doc);
    record_fini(&doc);
    return rc;
}

const struct command cmd_list = {
    .name = "list",
    .usage = "models|gpus|engines|instances|formats|servers|families|shapes|pools|devices "
             "[FILTER]...",
    .brief = "the catalogue, or the devices here: one row per item that matches every "
             "FILTER",
    .bit = FOR_LIST,
    .most = INVOCATION_MAX_ARGS,
    .run = run_list,
};
