/*
 * cmd_compare.c - gpuplan --compare: one load on many GPUs and precisions.
 */
#include "cli/command.h"
#include "data/sheet_plan.h"

static void head(const struct sheet *doc, struct strbuf *out)
{
    const struct sheet *request = &sheet_find(doc, "request")->sheets[0];
    const char *engine = sheet_get(request, "engine");
    strbuf_addf(out, "%s: %.0f x %.0f tokens, %s, %s prices\n\n",
                sheet_get(request, "model"), sheet_find(request, "users")->number.value,
                sheet_find(request, "context")->number.value,
                engine[0] ? engine : "engine by precision",
                sheet_get(request, "price"));
}

static void legend(struct strbuf *out)
{
    strbuf_add(
        out,
        "\nweights and KV pool: of one GPU; requests: of the whole context, that all "
        "GPUs hold at once\n"
        "Front of $/h against requests, marked *: nothing that fits is cheaper and "
        "holds as many\n"
        "~ estimated, ? assumed, - unknown; bands and sources: --format json or "
        "csv\n");
}

static void print(struct invocation *in, const struct sheet *doc)
{
    const struct fact *rows = sheet_find(doc, "rows");
    bool csv = in->format == OUTPUT_CSV, people = !csv && !in->quiet;
    if (in->format == OUTPUT_JSON) {
        sheet_json(doc, &in->out);
        return;
    }
    if (people)
        head(doc, &in->out);
    sheet_table(rows->sheets, rows->sheet_count, NULL,
                csv                             ? SHEET_CSV
                : in->format == OUTPUT_MARKDOWN ? SHEET_MARKDOWN
                                                : SHEET_TEXT,
                &in->out);
    if (people)
        legend(&in->out);
}

static enum gp_status run(struct invocation *in, struct gp_err *err)
{
    struct sheet doc;
    bool fits = false;
    if (in->arg_count > 0)
        return gp_fail(err, GP_E_USAGE, in->args[0], "options begin with dashes",
                       "--compare takes no arguments");
    if (in->ask.model_count > 1)
        return gp_fail(err, GP_E_USAGE, "--model", "use --table for several",
                       "compares GPUs for one model");
    sheet_init(&doc);
    enum gp_status status = report_compare(in->planner, &in->ask, &doc, &fits, err);
    if (!status) {
        print(in, &doc);
        in->exit_code = fits ? 0 : 1;
    }
    sheet_fini(&doc);
    return status;
}

const struct command cmd_compare = {
    .name = "compare",
    .usage = "-m MODEL [-p FORMAT]... [-g GPU|all]... [OPTION]...",
    .brief = "the same load on many GPUs and precisions: GPUs, memory, cost, limit",
    .bit = FOR_COMPARE,
    .run = run,
};
