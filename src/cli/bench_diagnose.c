/*
 * bench_diagnose.c - see bench_diagnose.h.
 */
#include "cli/bench_diagnose.h"

#include <signal.h>
#include <stdlib.h>

#include "answer/diagnose_print.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/bench_progress.h"
#include "measure/diagnosing.h"
#include "measure/session.h"

struct diagnose_job {
    struct invocation *in;
    struct session *session;
    struct options options; /* of what is measured */
    struct bench_progress progress;
    struct diagnosing d;
    enum gp_status rc;
    struct gp_err err;
};

static bool take_event(void *ctx, const struct session_event *event)
{
    struct diagnose_job *job = ctx;

    diagnosing_event(&job->d, job->session, event);
    if (event->kind == SESSION_EVENT_READY)
        job->rc = session_start(job->session, &job->err);
    if (event->kind == SESSION_EVENT_FAILED) {
        job->err = event->err;
        job->rc = event->err.code;
    }
    bench_progress_event(&job->progress, job->session, event);
    return !job->rc && event->kind != SESSION_EVENT_OVER;
}

/* ---- the verdict ---- */

static enum gp_status print(struct diagnose_job *job, struct gp_err *err)
{
    struct invocation *in = job->in;
    enum diagnose_status worst;
    struct record doc;

    record_init(&doc);
    worst = diagnosing_record(&job->d, &doc);
    if (in->format == OUTPUT_JSON)
        record_json(&doc, &in->out);
    else if (in->quiet)
        strbuf_addf(&in->out, "%s\n", record_get(&doc, "status"));
    else
        diagnose_text(&doc, &in->out);
    record_fini(&doc);
    in->exit_code = worst >= DIAGNOSE_SLOW      ? gp_status_exit(GP_E_CHECK)
                    : worst == DIAGNOSE_UNKNOWN ? gp_status_exit(GP_E_NOTHING)
                                                : 0;
    return path_write(options_word(&in->options, OPT_OUT, "-"), in->out.text, in->out.len, err);
}

static enum gp_status measure(struct diagnose_job *job, struct gp_err *err)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct session_ask ask = {
        .options = &job->options,
        .planner = job->in->planner,
        .tests = job->in->arg_count > 0 ? job->in->args[0] : DIAGNOSING_TESTS,
    };
    int signal;
    enum gp_status rc;

    job->session = session_new(&ask, err);
    if (!job->session)
        return err->code;
    session_signals_catch(numbers, 3);
    session_drive(job->session, take_event, job);
    bench_progress_end(&job->progress);
    rc = job->rc;
    if (rc)
        *err = job->err;
    else
        rc = session_finish(job->session, err);
    if (!rc) {
        diagnosing_finish(&job->d, job->session);
        rc = print(job, err);
    }
    if (session_signals(&signal))
        job->in->exit_code = 128 + signal;
    session_signals_release();
    return rc;
}

enum gp_status bench_diagnose(struct invocation *in, struct gp_err *err)
{
    struct diagnose_job *job;
    enum gp_status rc;

    if (in->format != OUTPUT_TEXT && in->format != OUTPUT_JSON)
        return gp_fail(err, GP_E_USAGE, "--format", "text or json",
                       "a verdict cannot be printed as a table");
    job = gp_calloc(1, sizeof(*job));
    job->in = in;
    job->options = in->options;
    diagnosing_begin(&job->d);
    diagnosing_options(&job->d, &job->options);
    bench_progress_init(&job->progress, options_word(&in->options, OPT_PROGRESS, "auto"), in->quiet,
                        in->verbose);
    rc = measure(job, err);
    diagnosing_end(&job->d);
    session_free(job->session);
    free(job);
    return rc;
}
