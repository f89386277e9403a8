/*
 * s_bench_export.c - what Bench shows, elsewhere: as a file, and the command for it.
 */
#include "tui/bench/s_bench.h"

#include <string.h>

#include "result/benchlog.h"
#include "run/devices.h"
#include "util/json.h"

void bench_command(const struct app *app, const void *state, struct strbuf *out)
{
    const struct bench *b = state;
    char text[256];

    if (b->monitor) {
        strbuf_add(out, "gpuplan --list devices");
        return;
    }
    bench_tests_list(b->values.tests, text, sizeof text);
    if (bench_ask_model(b)) {
        char start[128];

        gp_format(start, sizeof start, "--bench %s", text);
        form_command(app->form, start, out);
    } else {
        strbuf_addf(out, "gpuplan --bench %s", text);
    }
    bench_options_command(&b->values.bench, out);
    bench_ask_devices(b, text, sizeof text);
    if (text[0])
        strbuf_addf(out, " --device %s", text);
    if (bench_unfinished(b) && session_can_resume(b->session)) {
        strbuf_add(out, " --resume ");
        strbuf_quote(out, b->plan.journal);
    }
}

static enum gp_status export_devices(const struct app *app, const char *suffix,
                                     struct strbuf *out, struct gp_err *err)
{
    struct record doc;
    const struct fact *items;
    enum gp_status status;

    record_init(&doc);
    status = report_list(planner_catalog(app->form->planner), &devices_class, NULL, 0,
                         &doc, err);
    items = status ? NULL : record_find(&doc, "items");
    if (items && strcmp(suffix, "json") == 0)
        record_json(&doc, out);
    else if (items)
        record_table(items->records, items->record_count, NULL,
                     strcmp(suffix, "csv") == 0 ? RECORD_CSV : RECORD_TEXT, out);
    record_fini(&doc);
    return status;
}

enum gp_status bench_export(const struct app *app, const void *state,
                            const char *suffix, struct strbuf *out, struct gp_err *err)
{
    const struct bench *b = state;
    const struct benchlog *log = b->session ? session_log(b->session) : NULL;

    if (b->monitor)
        return export_devices(app, suffix, out, err);
    if (log && strcmp(suffix, "json") == 0)
        gp_json_write(log->json, true, out);
    else if (log)
        benchlog_print(log, strcmp(suffix, "csv") == 0 ? BENCHLOG_CSV : BENCHLOG_TEXT,
                       out);
    else if (b->line_count > 0 && strcmp(suffix, "txt") == 0)
        session_dry_run(b->session, out);
    else
        return gp_fail(err, GP_E_NOTHING, "", "txt has the plan",
                       "nothing is measured yet");
    for (int i = 0;
         log && strcmp(suffix, "txt") == 0 && i < session_summaries(b->session); i++)
        strbuf_addf(out, "%s%s\n", i ? "" : "\n", session_summary(b->session, i));
    return GP_OK;
}
