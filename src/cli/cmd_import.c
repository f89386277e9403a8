/*
 * cmd_import.c - gpuplan --import-prices FILE [PROVIDER] [DATE]: a price profile from a
 * SkyPilot catalogue file.
 *
 * The profile goes to standard output or --output; what was read and where to put it
 * stands in its first lines, as comments. Without DATE the rows get the day on which the
 * file was last written, and are labelled so: it does not say when it was true.
 */
#include "base/clock.h"
#include "catalog/price_import.h"
#include "cli/command.h"
#include "plan/cost.h"

/* A name is for comments here: nothing that would end the line. */
static void add_comment(struct strbuf *out, const char *label, const char *text)
{
    size_t from = out->len;

    strbuf_addf(out, "# %s%s", label, text);
    for (size_t i = from; i < out->len; i++)
        if ((unsigned char)out->text[i] < 0x20)
            out->text[i] = ' ';
    strbuf_add(out, "\n");
}

static void add_skipped(const struct price_import_summary *s, struct strbuf *out)
{
    if (s->merged)
        strbuf_addf(out, "# %zu rows are other regions or zones of the same types.\n", s->merged);
    if (s->no_gpu)
        strbuf_addf(out, "# %zu rows left out: no accelerator.\n", s->no_gpu);
    if (s->no_price)
        strbuf_addf(out, "# %zu rows left out: no price.\n", s->no_price);
    if (s->unknown) {
        strbuf_addf(out, "# %zu rows left out: GPU not in the catalogue.\n", s->unknown);
        add_comment(out, "  among them: ", s->unknown_names);
    }
    if (s->assumed)
        strbuf_addf(out,
                    "# %zu types do not state the form factor: the likeliest is "
                    "assumed and marked.\n",
                    s->assumed);
}

static void add_head(const struct price_import_summary *s, const char *file, struct strbuf *out)
{
    add_comment(out, "from ", file);
    strbuf_addf(out, "# %zu instance types kept of %zu rows.\n", s->kept, s->rows);
    add_skipped(s, out);
    if (s->date_of_file)
        strbuf_addf(out,
                    "# Dated %s by the file, which was last written then. If it was\n"
                    "# fetched on another day, give that: --import-prices FILE DATE.\n",
                    s->date);
    strbuf_addf(out,
                "# Put this file at $XDG_DATA_HOME/gpuplan/profiles/prices/%s.cfg\n"
                "# (XDG_DATA_HOME is ~/.local/share unless set); its prices then win.\n",
                s->provider);
}

static enum gp_status arguments(const struct invocation *in, const char **provider,
                                const char **date, struct gp_err *err)
{
    *provider = NULL;
    *date = "";
    if (in->arg_count < 1 || in->arg_count > 3)
        return gp_fail(err, GP_E_USAGE, "--import-prices", "FILE [PROVIDER] [DATE]",
                       "takes a SkyPilot catalogue file");
    for (int i = 1; i < in->arg_count; i++)
        if (date_days(in->args[i]) >= 0)
            *date = in->args[i];
        else if (!*provider)
            *provider = in->args[i];
        else
            return gp_fail(err, GP_E_USAGE, in->args[i], "a date looks like 2026-11-21",
                           "is not a date");
    return GP_OK;
}

static enum gp_status run(struct invocation *in, struct gp_err *err)
{
    struct price_import_summary summary;
    const char *provider, *date;
    struct strbuf profile;
    enum gp_status rc = arguments(in, &provider, &date, err);

    if (rc)
        return rc;
    if (in->format != OUTPUT_TEXT)
        return gp_fail(err, GP_E_USAGE, "--format", "leave it out", "a profile has one format");
    strbuf_init(&profile);
    rc = price_import(in->args[0], provider, date, &profile, &summary, err);
    if (!rc) {
        add_head(&summary, in->args[0], &in->out);
        strbuf_add(&in->out, "\n");
        strbuf_add(&in->out, profile.text);
    }
    strbuf_fini(&profile);
    return rc;
}

const struct command cmd_import = {
    .name = "import-prices",
    .usage = "FILE [PROVIDER] [DATE]",
    .brief = "a price profile from a SkyPilot catalogue file (vms.csv)",
    .bit = FOR_IMPORT,
    .run = run,
};
