/*
 * bench_print.c - a result as text, JSON, CSV, Markdown or for Prometheus.
 */
#include "cli/bench_parts.h"

#include <stdio.h>
#include <string.h>

#include "util/json.h"
#include "util/path.h"
#include "util/say.h"

static void add_lines(const json_t *list, const char *before, struct strbuf *out)
{
    const json_t *line;
    size_t i;

    json_array_foreach(list, i, line)
        strbuf_addf(out, "%s%s\n", before, benchlog_line(line));
}

static void print(const struct bench_job *job, const struct benchlog *log,
                  enum output_format format, struct strbuf *out)
{
    bool markdown = format == OUTPUT_MARKDOWN;

    if (format == OUTPUT_JSON) {
        gp_json_write(log->json, true, out);
        return;
    }
    if (format == OUTPUT_CSV || !job->in->quiet)
        benchlog_print(log,
                       format == OUTPUT_CSV ? BENCHLOG_CSV
                       : markdown           ? BENCHLOG_MARKDOWN
                                            : BENCHLOG_TEXT,
                       out);
    if (format == OUTPUT_CSV)
        return;
    strbuf_add(out, "\n");
    add_lines(json_object_get(log->json, "summary"), markdown ? "- " : "", out);
    add_lines(json_object_get(log->json, "warnings"),
              markdown ? "- note: " : "note: ", out);
}

/* On standard error, as --progress wants it there. */
static void say_lines(struct bench_job *job, const char *text)
{
    char line[400];

    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        gp_format(line, sizeof(line), "%.*s", (int)(n < 399 ? n : 399), text);
        bench_progress_say(job, line);
    }
}

enum gp_status bench_show(struct bench_job *job, const struct benchlog *log,
                          const struct strbuf *say, struct gp_err *err)
{
    bool file = options_flag(&job->in->options, OPT_OUT) && !job->to_stdout;
    enum output_format format = file ? OUTPUT_TEXT : job->in->format;
    struct strbuf out;
    bool ok;

    strbuf_init(&out);
    print(job, log, format, &out);
    if (format == OUTPUT_TEXT) {
        if (job->plan.subset)
            bench_glance(log, &out);
        strbuf_add(&out, say->text);
        if (!job->to_stdout && !job->unwritten)
            strbuf_addf(&out, "result: %s\n", job->plan.result);
    } else { /* a verdict is not lost because a program reads standard output */
        say_lines(job, say->text);
    }
    ok = gp_out(out.text, out.len);
    strbuf_fini(&out);
    return ok ? GP_OK
              : gp_fail(err, GP_E_FILE, "standard output", "", "cannot be written");
}

enum gp_status bench_write_view(struct bench_job *job, const struct benchlog *log,
                                struct gp_err *err)
{
    const char *path = options_word(&job->in->options, OPT_OUT, NULL);
    enum output_format format = job->in->format;
    enum gp_status rc;
    struct strbuf view;

    if (!path || job->to_stdout || (format != OUTPUT_CSV && format != OUTPUT_MARKDOWN))
        return GP_OK;
    strbuf_init(&view);
    print(job, log, format, &view);
    rc = path_write(path, view.text, view.len, err);
    strbuf_fini(&view);
    return rc;
}

enum gp_status bench_write_prom(const struct bench_job *job, const struct benchlog *log,
                                struct gp_err *err)
{
    const char *dir = options_word(&job->in->options, OPT_PROM, NULL);
    char path[GP_PATH_MAX], name[64] = "gpuplan.prom";
    struct strbuf text;
    enum gp_status rc;

    if (!dir)
        return GP_OK;
    if (job->ranks > 1)
        gp_format(name, sizeof(name), "gpuplan-rank%d.prom", job->rank);
    if (!path_join(path, sizeof(path), dir, name))
        return gp_fail(err, GP_E_USAGE, "--prom", "", "the name is too long");
    strbuf_init(&text);
    benchlog_prometheus(log, &text);
    rc = path_write(path, text.text, text.len, err);
    strbuf_fini(&text);
    return rc;
}
