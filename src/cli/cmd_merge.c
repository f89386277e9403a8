/*
 * cmd_merge.c - gpuplan --merge FILE...: shares of several labs, and results of --bench, as one
 * share with the constants of each GPU and family (measure/result/shared.h).
 */
#include <string.h>

#include "base/json.h"
#include "base/table.h"
#include "cli/command.h"
#include "measure/result/shared.h"

static enum gp_status add_file(const char *path, struct catalog *catalog, struct shared *all,
                               struct gp_err *err)
{
    struct benchlog log = {0};

    if (shared_is(path))
        return shared_read(path, all, err);
    enum gp_status rc = benchlog_read(path, &log, err);
    if (!rc && shared_take(&log, catalog, all) == 0)
        rc = gp_fail(err, GP_E_FILE, path, "products and reads: --bench memory,batch,gemm",
                     "has no good point of a device that the catalogue knows");
    benchlog_fini(&log);
    return rc;
}

/* "h100-sxm, by 3 labs: another one within 4.6 %": then a line for each figure. */
static void print_constants(const json_t *constants, struct strbuf *out)
{
    const json_t *one, *figure;
    size_t i, k;

    json_array_foreach((json_t *)constants, i, one)
    {
        long labs = (long)gp_json_number_at(one, "labs");
        long odd = (long)gp_json_number_at(one, "left_out");

        strbuf_addf(out, "\n%s %s, by %ld lab%s: another one within %.1f %%\n",
                    gp_json_text_at(one, "of"), gp_json_text_at(one, "id"), labs,
                    labs == 1 ? "" : "s", 100 * (gp_json_number_at(one, "band") - 1));
        if (odd > 0)
            strbuf_addf(out, "  left out: %ld, over 40 %% off the others\n", odd);
        json_array_foreach(json_object_get(one, "figures"), k, figure)
        {
            double of = gp_json_number_at(figure, "labs");

            strbuf_addf(out, "  %-32s %.3g", gp_json_text_at(figure, "figure"),
                        gp_json_number_at(figure, "value"));
            if (of > 1)
                strbuf_addf(out, "  spread %.1f %% of %.0f",
                            gp_json_number_at(figure, "spread_pct"), of);
            strbuf_add(out, "\n");
        }
    }
}

static enum gp_status run_merge(struct invocation *in, struct gp_err *err)
{
    bool to_file = strcmp(options_word(&in->options, OPT_OUT, "-"), "-") != 0;
    struct catalog *catalog = planner_catalog(in->planner);
    struct shared all = {0};
    enum gp_status rc = GP_OK;

    if (to_file && !in->options.value[OPT_FORMAT].given)
        in->format = OUTPUT_JSON; /* a file is for keeping */
    for (int i = 0; i < in->arg_count && !rc; i++)
        rc = add_file(in->args[i], catalog, &all, err);
    if (!rc) {
        json_t *json = shared_json(&all, catalog);

        if (in->format == OUTPUT_JSON) {
            gp_json_write(json, true, &in->out);
        } else {
            strbuf_addf(&in->out, "%d file%s, %zu device%s\n", in->arg_count,
                        in->arg_count == 1 ? "" : "s", all.count, all.count == 1 ? "" : "s");
            print_constants(json_object_get(json, "constants"), &in->out);
            strbuf_add(&in->out, "\nto keep: -o FILE; to plan with: --calibration FILE\n");
        }
        json_decref(json);
    }
    shared_fini(&all);
    return rc;
}

const struct command cmd_merge = {
    .name = "merge",
    .usage = "FILE... [OPTION]...",
    .brief = "what labs shared (--bench --share) as constants of GPUs with their spread",
    .bit = FOR_MERGE,
    .least = 1,
    .most = INVOCATION_MAX_ARGS,
    .takes = "shares or result files",
    .example = "a.json b.json c.json -o labs.json",
    .text = "constants",
    .run = run_merge,
};
