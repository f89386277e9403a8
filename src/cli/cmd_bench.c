/*
 * cmd_bench.c - gpuplan --bench [TEST,...]: measure this machine.
 *
 * The result is always a gpuplan.bench/1 file, written when the run ends however it ends; standard
 * output gets the same as text, JSON, CSV or Markdown. Until then the journal FILE.part holds every
 * point that is done.
 *
 * SIGINT, SIGTERM and SIGHUP stop it, as measure/session.h says. One that comes when all is
 * measured changes nothing but the exit code.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/bench_diagnose.h"
#include "cli/bench_print.h"
#include "cli/bench_progress.h"
#include "cli/bench_rank.h"
#include "cli/command.h"
#include "measure/session.h"

struct bench_job {
    struct invocation *in;
    struct session *session;
    struct session_plan plan; /* of the session, once it is ready */
    struct bench_rank of;
    bool over;         /* the run is: there is something to finish */
    enum gp_status rc; /* why it ended before; err says it */
    struct gp_err err;
    bool unwritten; /* the result could not be written */
    bool to_stdout; /* --output - */
    struct bench_progress progress;
};

/* ---- the verdict ---- */

/* "device 3, gemm/bf16/...  tuned", the device where there are several. */
static void name_point(const struct benchlog *log, const struct point_result *p, struct strbuf *say)
{
    if (log->device_count > 1)
        strbuf_addf(say, "device %ld, ", log->device[p->device].id);
    strbuf_addf(say, "%s%s%s", p->id, p->variant[0] ? " " : "", p->variant);
}

/* Each point that the run does not confirm. */
static void name_unconfirmed(const struct benchlog *reference,
                             const struct benchlog_changes *changes, struct strbuf *say)
{
    char why[96];

    for (int i = 0; i < changes->count; i++) {
        const struct benchlog_change *c = &changes->change[i];

        if (!c->slower && !(result_good(c->a) && !c->usable))
            continue;
        strbuf_add(say, c->slower ? "  slower: " : "  not confirmed: ");
        name_point(reference, c->a, say);
        benchlog_change_why(c, why, sizeof(why));
        if (c->slower)
            strbuf_addf(say, " %.3f (%.3f..%.3f)\n", c->ratio, c->low, c->high);
        else
            strbuf_addf(say, ": %s\n", why);
    }
    for (int i = 0; i < changes->missing_count; i++) {
        strbuf_add(say, "  not confirmed: ");
        name_point(reference, changes->missing[i], say);
        strbuf_add(say, ": missing\n");
    }
}

/* --expect: every good point of the reference must be good here and not slower; one
 * that is flagged or unsupported here proves nothing, so it must not pass. */
static enum gp_status compare_reference(const struct bench_job *job, const struct benchlog *log,
                                        struct strbuf *say, bool *failed, struct gp_err *err)
{
    const char *path = options_word(&job->in->options, OPT_EXPECT, NULL);
    double tolerance = job->in->options.value[OPT_TOLERANCE].given
                           ? job->in->options.value[OPT_TOLERANCE].number / 100
                           : 0.05;
    struct benchlog reference;
    struct benchlog_changes changes;
    json_t *differences, *line;
    enum gp_status rc;
    size_t i;

    *failed = false;
    if (!path)
        return GP_OK;
    if ((rc = benchlog_read(path, &reference, err)) != GP_OK)
        return rc;
    benchlog_compare(&reference, log, tolerance, &changes);
    *failed = !benchlog_confirmed(&changes);
    differences = benchlog_differences(&reference, log, path, "this run");
    json_array_foreach(differences, i, line) strbuf_addf(say, "warning: %s\n", benchlog_line(line));
    json_decref(differences);
    strbuf_addf(say, "against %s (tolerance %.3g %%): ", path, 100 * tolerance);
    benchlog_confirmed_print(&changes, "here", say);
    name_unconfirmed(&reference, &changes, say);
    benchlog_changes_fini(&changes);
    benchlog_fini(&reference);
    return GP_OK;
}

/* ---- where the result goes ---- */

static enum gp_status show_result(struct bench_job *job, const struct benchlog *log,
                                  const struct strbuf *say, struct gp_err *err)
{
    bool file = options_flag(&job->in->options, OPT_OUT) && !job->to_stdout;
    enum output_format format = file ? OUTPUT_TEXT : job->in->format;
    enum gp_status rc;
    struct strbuf out;

    strbuf_init(&out);
    bench_print(log, format, job->in->quiet, &out);
    if (format == OUTPUT_TEXT) {
        if (job->plan.subset)
            bench_glance(log, &out);
        strbuf_add(&out, say->text);
        if (!job->to_stdout && !job->unwritten)
            strbuf_addf(&out, "result: %s\n", job->plan.result);
    } else { /* a verdict is not lost because a program reads standard output */
        bench_progress_say(&job->progress, say->text);
    }
    rc = path_write("-", out.text, out.len, err);
    strbuf_fini(&out);
    return rc;
}

/* What --output names where it is not the result itself. */
static enum gp_status write_view(const struct bench_job *job, const struct benchlog *log,
                                 struct gp_err *err)
{
    const char *path = options_word(&job->in->options, OPT_OUT, NULL);
    enum output_format format = job->in->format;
    enum gp_status rc;
    struct strbuf view;

    if (!path || job->to_stdout || (format != OUTPUT_CSV && format != OUTPUT_MARKDOWN))
        return GP_OK;
    strbuf_init(&view);
    bench_print(log, format, job->in->quiet, &view);
    rc = path_write(path, view.text, view.len, err);
    strbuf_fini(&view);
    return rc;
}

static enum gp_status write_prom(const struct bench_job *job, const struct benchlog *log,
                                 struct gp_err *err)
{
    const char *dir = options_word(&job->in->options, OPT_PROM, NULL);
    char path[GP_PATH_MAX], name[64] = "gpuplan.prom";
    struct strbuf text;
    enum gp_status rc;

    if (!dir)
        return GP_OK;
    if (job->of.ranks > 1)
        gp_format(name, sizeof(name), "gpuplan-rank%d.prom", job->of.rank);
    if (!path_join(path, sizeof(path), dir, name))
        return gp_fail(err, GP_E_USAGE, "--prom", "", "the name is too long");
    strbuf_init(&text);
    benchlog_prometheus(log, &text);
    rc = path_write(path, text.text, text.len, err);
    strbuf_fini(&text);
    return rc;
}

/* ---- the end ---- */

/* Files first: the record is what must not be lost. *err is the first that failed. */
static enum gp_status report_result(struct bench_job *job, const struct benchlog *log,
                                    enum gp_status written, struct gp_err *err)
{
    enum gp_status rc = written, next;
    struct gp_err why = {0};
    struct strbuf say;
    bool failed = false;

    strbuf_init(&say);
    if (!rc && job->of.ranks < 2) /* of several ranks, rank 0 writes one */
        rc = write_view(job, log, err);
    job->unwritten = written != GP_OK;
    if (session_can_resume(job->session) || written)
        strbuf_addf(&say, "to continue: --resume %s\n", job->plan.journal);
    next = compare_reference(job, log, &say, &failed, &why);
    if (!next && (next = show_result(job, log, &say, &why)) == GP_OK && job->to_stdout)
        session_settle(job->session);
    if (!next)
        next = write_prom(job, log, &why);
    if (next && !rc) {
        rc = next;
        *err = why;
    }
    job->in->exit_code =
        session_exit_code(job->session, options_flag(&job->in->options, OPT_STRICT));
    if (failed && job->in->exit_code == 0)
        job->in->exit_code = gp_status_exit(GP_E_CHECK);
    strbuf_fini(&say);
    return rc;
}

/* Rank 0: the result, and the view that --output names, are of all ranks. */
static enum gp_status merge_ranks(struct bench_job *job, struct gp_err *err)
{
    struct benchlog log = {0};
    int missing = 0;
    json_t *merged;
    enum gp_status rc;

    if (job->of.ranks < 2 || job->of.rank != 0)
        return GP_OK;
    rc = bench_rank_merge(&job->of, job->plan.base, &job->progress, &missing, &merged, err);
    if (!rc)
        rc = benchlog_from_json("the merged result", merged, &log, err);
    if (!rc)
        rc = write_view(job, &log, err);
    benchlog_fini(&log);
    json_decref(merged);
    if (!rc && missing && job->in->exit_code == 0)
        job->in->exit_code = gp_status_exit(GP_E_DEVICE);
    return rc;
}

static enum gp_status finish_run(struct bench_job *job, struct gp_err *err)
{
    enum gp_status rc = session_finish(job->session, err);
    const struct benchlog *log = session_log(job->session);

    if (!log)
        return rc;
    rc = report_result(job, log, rc, err);
    return rc ? rc : merge_ranks(job, err);
}

/* ---- the run ---- */

static void say_notes(struct bench_job *job)
{
    for (int i = 0; i < session_notes(job->session) && !job->in->quiet; i++)
        bench_progress_say(&job->progress, session_note(job->session, i));
}

static enum gp_status dry_run(struct bench_job *job, struct gp_err *err)
{
    struct strbuf *out = &job->in->out;

    session_dry_run(job->session, out);
    return path_write("-", out->text, out->len, err);
}

/* The engine has listed its devices, the points are known. */
static enum gp_status start_run(struct bench_job *job, struct gp_err *err)
{
    enum gp_status rc;

    session_plan(job->session, &job->plan);
    if ((rc = session_start(job->session, err)) != GP_OK)
        return rc;
    say_notes(job);
    return GP_OK;
}

/* What one event comes to; *err and its code when it is the end. */
static bool take_event(void *ctx, const struct session_event *event)
{
    struct bench_job *job = ctx;

    if (event->kind == SESSION_EVENT_READY && options_flag(&job->in->options, OPT_DRY_RUN)) {
        job->rc = dry_run(job, &job->err);
        return false;
    }
    if (event->kind == SESSION_EVENT_READY)
        job->rc = start_run(job, &job->err);
    if (event->kind == SESSION_EVENT_FAILED) {
        job->err = event->err;
        job->rc = event->err.code;
    }
    job->over = event->kind == SESSION_EVENT_OVER;
    bench_progress_event(&job->progress, job->session, event);
    return !job->rc && !job->over;
}

static enum gp_status check_reference(const struct bench_job *job, struct gp_err *err)
{
    const char *path = options_word(&job->in->options, OPT_EXPECT, NULL);
    struct benchlog reference;
    enum gp_status rc;

    if (!path)
        return GP_OK;
    rc = benchlog_read(path, &reference, err);
    benchlog_fini(&reference);
    return rc;
}

/* --prom writes last; that it cannot is said first. */
static enum gp_status check_prom(const struct bench_job *job, struct gp_err *err)
{
    const char *dir = options_word(&job->in->options, OPT_PROM, NULL);

    if (dir && !path_is_dir(dir))
        return gp_fail(err, GP_E_FILE, dir, "--prom takes an existing folder", "is not a folder");
    if (dir && access(dir, W_OK | X_OK) != 0)
        return gp_fail(err, GP_E_FILE, dir, "", "cannot write: %s", strerror(errno));
    return GP_OK;
}

/* Standard output is one: several documents in it would be torn. */
static enum gp_status check_ranks(const struct bench_job *job, struct gp_err *err)
{
    if (job->of.ranks > 1 && job->to_stdout)
        return gp_fail(err, GP_E_USAGE, "-o -", "name a file",
                       "%d ranks cannot share standard output", job->of.ranks);
    return GP_OK;
}

static enum gp_status open_session(struct bench_job *job, struct gp_err *err)
{
    struct invocation *in = job->in;
    struct strbuf tests;
    struct session_ask options = {
        .options = &in->options,
        .planner = in->planner,
        .rank = job->of.rank,
        .ranks = job->of.ranks,
        .local_rank = job->of.local_rank,
        .job = job->of.job,
        .view = in->format == OUTPUT_CSV || in->format == OUTPUT_MARKDOWN,
    };

    strbuf_init(&tests);
    for (int i = 0; i < in->arg_count; i++)
        strbuf_addf(&tests, "%s%s", i ? "," : "", in->args[i]);
    options.tests = tests.text;
    job->session = session_new(&options, err);
    strbuf_fini(&tests);
    return job->session ? GP_OK : err->code;
}

static enum gp_status run_bench(struct invocation *in, struct gp_err *err)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct bench_job *job = gp_calloc(1, sizeof(*job));
    enum gp_status rc;
    int signal;

    if (options_flag(&in->options, OPT_DIAGNOSE)) {
        free(job);
        return bench_diagnose(in, err);
    }
    job->in = in;
    job->of.began = clock_now();
    job->to_stdout = strcmp(options_word(&in->options, OPT_OUT, ""), "-") == 0;
    bench_progress_init(&job->progress, options_word(&in->options, OPT_PROGRESS, "auto"), in->quiet,
                        in->verbose);
    bench_rank_find(&job->of);
    rc = check_ranks(job, err);
    if (!rc)
        rc = open_session(job, err);
    if (!rc) /* before an hour of measuring */
        rc = check_reference(job, err);
    if (!rc)
        rc = check_prom(job, err);
    session_signals_catch(numbers, 3);
    if (!rc) {
        session_drive(job->session, take_event, job);
        bench_progress_end(&job->progress);
        if ((rc = job->rc) != GP_OK)
            *err = job->err;
    }
    if (!rc && job->over)
        rc = finish_run(job, err);
    if (session_signals(&signal)) { /* what went wrong is said, but the signal decides the code */
        if (rc)
            bench_progress_say(&job->progress, err->text);
        in->exit_code = 128 + signal;
        rc = GP_OK;
    }
    session_signals_release();
    session_free(job->session);
    free(job);
    return rc;
}

const struct command cmd_bench = {
    .name = "bench",
    .usage = "[TEST,...] [OPTION]...",
    .brief = "measure: "
#define TEST(ID, word, ...) #word ", "
#include "measure/point/test_rows.h"
#undef TEST
             "all; without TEST: quick",
    .bit = FOR_BENCH,
    .streams = true,
    .run = run_bench,
};
