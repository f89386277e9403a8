/*
 * cmd_bench.c - gpuplan --bench [TEST,...]: measure this machine.
 *
 * The result is always a gpuplan.bench/1 file, written when the run ends however it
 * ends; standard output gets the same as text, JSON, CSV or Markdown. Until then the
 * journal FILE.part holds every point that is done. It is removed when the run was
 * complete and the result is on disk.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench_parts.h"
#include "util/json.h"
#include "util/mem.h"

static enum gp_status open_journal(struct bench_job *job, struct gp_err *err)
{
    bool resume = ask_flag(&job->in->ask, OPT_RESUME);
    const json_t *hello[BENCH_DEVICES], *device[BENCH_DEVICES];
    struct journal_read read = {0};
    enum gp_status status;
    json_t *fingerprint;
    char hash[17];

    for (int i = 0; i < job->device_count; i++) {
        hello[i] = job->hello;
        device[i] = job->device[i].json;
    }
    points_hash(&job->points, hash);
    fingerprint =
        journal_fingerprint(&job->ask.settings, hash, hello, device, job->device_count);
    if (!resume) {
        status = journal_create(job->journal_path, fingerprint, &job->journal, err);
    } else {
        status =
            journal_resume(job->journal_path, fingerprint, &read, &job->journal, err);
        if (!status && read.records)
            json_array_extend(job->records, read.records);
        for (int i = 0; i < read.warning_count; i++)
            bench_warn(job, "%s", read.warning[i]);
        journal_read_fini(&read);
        job->resumed = (int)json_array_size(job->records);
    }
    json_decref(fingerprint);
    return status;
}

/* ---- the verdict ---- */

static int failed_devices(const struct bench_job *job)
{
    int n = 0;

    for (int i = 0; i < job->device_count; i++)
        n += job->device[i].failed;
    return n;
}

static const char *status_word(const struct bench_job *job)
{
    return failed_devices(job)                          ? "failed"
           : job->signal || job->limit_hit || job->disk ? "interrupted"
                                                        : "complete";
}

static int verdict(const struct bench_job *job, const struct benchlog *log)
{
    int ok = 0, wrong = 0, flagged = 0;

    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];

        if (strcmp(p->state, "ok") != 0)
            continue;
        ok++;
        wrong += p->check_done && !p->check_ok;
        flagged += p->disturbed;
    }
    if (job->signal)
        return 128 + job->signal;
    if (job->disk)
        return gp_status_exit(GP_E_FILE);
    if (wrong)
        return gp_status_exit(GP_E_CHECK);
    if (failed_devices(job))
        return gp_status_exit(GP_E_DEVICE);
    if (!ok)
        return gp_status_exit(GP_E_NOTHING);
    if (flagged && ask_flag(&job->in->ask, OPT_STRICT))
        return gp_status_exit(GP_E_CHECK);
    return 0;
}

/* --expect: slower than the reference, or a point of it that is not there. */
static enum gp_status expect(const struct bench_job *job, const struct benchlog *log,
                             struct strbuf *say, bool *slower, struct gp_err *err)
{
    const char *path = ask_word(&job->in->ask, OPT_EXPECT, NULL);
    double tolerance = job->in->ask.value[OPT_TOLERANCE].given
                           ? job->in->ask.value[OPT_TOLERANCE].number / 100
                           : 0.05;
    struct benchlog reference;
    struct benchlog_changes changes;
    enum gp_status status;

    *slower = false;
    if (!path)
        return GP_OK;
    if ((status = benchlog_read(path, &reference, err)) != GP_OK)
        return status;
    benchlog_compare(&reference, log, tolerance, &changes);
    *slower = changes.slower > 0 || changes.only_a > 0 || changes.count == 0;
    strbuf_addf(say, "against %s: ", path);
    if (changes.slower)
        strbuf_addf(say, "%d of %d points are more than %.3g %% slower", changes.slower,
                    changes.count, 100 * tolerance);
    else
        strbuf_addf(say, "no point of %d is more than %.3g %% slower", changes.count,
                    100 * tolerance);
    strbuf_addf(say, ", %d unusable, %d missing here\n", changes.unusable,
                changes.only_a);
    for (int i = 0; i < changes.count; i++)
        if (changes.change[i].slower)
            strbuf_addf(say, "  slower: %s %s %.3f (%.3f..%.3f)\n",
                        changes.change[i].a->id, changes.change[i].a->variant,
                        changes.change[i].ratio, changes.change[i].low,
                        changes.change[i].high);
    benchlog_changes_fini(&changes);
    benchlog_fini(&reference);
    return GP_OK;
}

/* ---- writing ---- */

static void print(const struct bench_job *job, const struct benchlog *log,
                  enum output_format format, struct strbuf *out)
{
    const json_t *summary = json_object_get(log->json, "summary"), *line;
    size_t i;

    if (format == OUTPUT_JSON) {
        gp_json_write(log->json, true, out);
        return;
    }
    if (format == OUTPUT_CSV || !job->in->quiet)
        benchlog_print(log,
                       format == OUTPUT_CSV        ? BENCHLOG_CSV
                       : format == OUTPUT_MARKDOWN ? BENCHLOG_MARKDOWN
                                                   : BENCHLOG_TEXT,
                       out);
    if (format == OUTPUT_CSV)
        return;
    strbuf_add(out, "\n");
    json_array_foreach(summary, i, line) strbuf_addf(
        out, "%s%s\n", format == OUTPUT_MARKDOWN ? "- " : "", json_string_value(line));
    json_array_foreach(json_object_get(log->json, "warnings"), i, line) strbuf_addf(
        out, "%s%s\n",
        format == OUTPUT_MARKDOWN ? "- note: " : "note: ", json_string_value(line));
}

static enum gp_status write_prom(const struct bench_job *job,
                                 const struct benchlog *log, struct gp_err *err)
{
    const char *dir = ask_word(&job->in->ask, OPT_PROM, NULL);
    char path[GP_PATH_MAX], name[64] = "gpuplan.prom";
    struct strbuf text;
    enum gp_status status;

    if (!dir)
        return GP_OK;
    if (job->ranks > 1)
        gp_format(name, sizeof name, "gpuplan-rank%d.prom", job->rank);
    if (!path_join(path, sizeof path, dir, name))
        return gp_fail(err, GP_E_USAGE, "--prom", "", "the name is too long");
    strbuf_init(&text);
    benchlog_prometheus(log, &text);
    status = path_write(path, text.text, text.len, err);
    strbuf_fini(&text);
    return status;
}

/* The record first: it is what must not be lost. */
static enum gp_status write_files(struct bench_job *job, const struct benchlog *log,
                                  struct gp_err *err)
{
    const char *out = ask_word(&job->in->ask, OPT_OUT, NULL);
    enum output_format format = job->in->format;
    enum gp_status status = GP_OK;
    struct strbuf view;

    if (!job->to_stdout)
        status = benchlog_write(job->result, log->json, err);
    if (!status && out && !job->to_stdout &&
        (format == OUTPUT_CSV || format == OUTPUT_MARKDOWN)) {
        strbuf_init(&view);
        print(job, log, format, &view);
        status = path_write(out, view.text, view.len, err);
        strbuf_fini(&view);
    }
    return status;
}

static enum gp_status show(struct bench_job *job, const struct benchlog *log,
                           const struct strbuf *say)
{
    bool file = ask_flag(&job->in->ask, OPT_OUT) && !job->to_stdout;
    enum output_format format = file ? OUTPUT_TEXT : job->in->format;
    struct strbuf out;
    bool ok;

    strbuf_init(&out);
    print(job, log, format, &out);
    if (format == OUTPUT_TEXT) {
        strbuf_add(&out, say->text);
        if (!job->to_stdout)
            strbuf_addf(&out, "result: %s\n", job->result);
    }
    ok = fwrite(out.text, 1, out.len, stdout) == out.len && fflush(stdout) == 0;
    strbuf_fini(&out);
    return ok ? GP_OK : GP_E_FILE;
}

static enum gp_status finish(struct bench_job *job, struct gp_err *err)
{
    struct benchlog log;
    struct strbuf say;
    struct gp_err written = {0};
    json_t *json = bench_result(job, status_word(job));
    enum gp_status status = benchlog_from_json("result", json, &log, err), first;
    bool slower = false, whole;

    json_decref(json);
    if (status) {
        err->code = GP_E_INTERNAL;
        return GP_E_INTERNAL;
    }
    strbuf_init(&say);
    whole = strcmp(log.status, "complete") == 0;
    status = write_files(job, &log, &written);
    if (job->journal) {
        journal_close(job->journal, whole && !status);
        job->journal = NULL;
    }
    if (!whole || status)
        strbuf_addf(&say, "go on with: --resume %s\n", job->journal_path);
    first = expect(job, &log, &say, &slower, err);
    if (show(job, &log, &say) && !status)
        status =
            gp_fail(&written, GP_E_FILE, "standard output", "", "cannot be written");
    job->in->exit_code = verdict(job, &log);
    if (slower && job->in->exit_code == 0)
        job->in->exit_code = gp_status_exit(GP_E_CHECK);
    if (!status && !first)
        first = write_prom(job, &log, err);
    if (status)
        *err = written;
    strbuf_fini(&say);
    benchlog_fini(&log);
    return status ? status : first;
}

static enum gp_status measure(struct bench_job *job, struct gp_err *err)
{
    enum gp_status status;

    bench_signals(true);
    if ((status = open_journal(job, err)) != GP_OK)
        return status;
    for (int i = 0; i < job->warning_count; i++)
        if (!job->in->quiet)
            bench_progress_say(job, job->warning[i]);
    if (job->chosen[0] && !job->in->quiet)
        bench_progress_say(job, job->chosen);
    bench_run(job, err); /* what it could not start is a failed device in the result */
    *err = (struct gp_err){0};
    status = finish(job, err);
    bench_signals(false);
    if (!status && job->ranks > 1 && job->rank == 0 && !job->to_stdout) {
        int before = job->warning_count;

        status = bench_rank_merge(job, err);
        for (int i = before; i < job->warning_count; i++)
            bench_progress_say(job, job->warning[i]);
        if (!status && job->warning_count > before && job->in->exit_code == 0)
            job->in->exit_code = gp_status_exit(GP_E_DEVICE);
    }
    return status;
}

static enum gp_status run(struct invocation *in, struct gp_err *err)
{
    struct bench_job *job = gp_calloc(1, sizeof *job);
    enum gp_status status;

    job->in = in;
    bench_progress_init(job, ask_word(&in->ask, OPT_PROGRESS, "auto"));
    status = bench_setup(job, err);
    if (!status && ask_flag(&in->ask, OPT_EXPECT)) { /* before an hour of measuring */
        struct benchlog reference;

        status = benchlog_read(ask_word(&in->ask, OPT_EXPECT, ""), &reference, err);
        benchlog_fini(&reference);
    }
    if (!status && ask_flag(&in->ask, OPT_DRY_RUN)) {
        bench_dry_run(job, &in->out);
        if (fwrite(in->out.text, 1, in->out.len, stdout) != in->out.len ||
            fflush(stdout) != 0)
            status =
                gp_fail(err, GP_E_FILE, "standard output", "", "cannot be written");
    } else if (!status) {
        status = measure(job, err);
    }
    if (status && job->signal) { /* said, but the signal decides the code */
        bench_progress_say(job, err->text);
        in->exit_code = 128 + job->signal;
        status = GP_OK;
    }
    bench_job_fini(job);
    free(job);
    return status;
}

const struct command cmd_bench = {
    .name = "bench",
    .usage = "[TEST,...] [OPTION]...",
    .brief = "measure: gemm, batch, memory, transfer, decode, fit, allreduce, all",
    .bit = FOR_BENCH,
    .streams = true,
    .run = run,
};
