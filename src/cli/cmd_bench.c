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
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/diagnose_print.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/bench_print.h"
#include "cli/bench_progress.h"
#include "measure/diagnosing.h"
#include "measure/result/shared.h"

struct bench_rank {
    int rank, ranks; /* ranks 0 or 1: alone */
    int local_rank;
    char job[96]; /* of all of them; "" = not told */
    double began; /* s, monotonic */
};

struct bench_job {
    struct bench_run run;     /* first: ready() is given it */
    struct session_plan plan; /* of the session, once it is ready */
    struct bench_rank of;
    bool unwritten; /* the result could not be written */
    bool to_stdout; /* --output - or /dev/stdout */
};

/* ---- one of several processes that srun or mpirun started ----
 *
 * No MPI is needed: the launchers say rank, size and job in the environment. Each rank takes the
 * device of its number on its host, writes FILE.rankN.HOST.json, and rank 0 then waits for the
 * others' files, as long as its own run took and at least a minute ($GPUPLAN_RANK_WAIT, seconds,
 * says otherwise; a signal ends it), and merges them. Files of another job that lie there from
 * before are told apart by the job's id, which each file carries.
 */

#define RANKS_MAX 4096
#define SIGNAL_GRACE 3.0 /* s that a signal leaves the other ranks */

static const struct {
    const char *rank, *size, *local;
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID"}, /* not of a batch script */
};

static int environment_number(const char *name)
{
    const char *text = getenv(name);
    char *end;
    long value = text ? strtol(text, &end, 10) : -1;

    return text && *text && !*end && value >= 0 && value < RANKS_MAX ? (int)value : -1;
}

static void find_job(char *text, size_t size)
{
    static const char *const names[] = {"SLURM_JOB_ID", "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
                                        "PMI_ID",       "HYDRA_JOBID",    NULL};
    const char *step = getenv("SLURM_STEP_ID"), *life = getenv("SLURM_RESTART_COUNT");
    char whole[80];

    text[0] = '\0';
    for (int i = 0; names[i] && !text[0]; i++)
        if (getenv(names[i]))
            gp_format(text, size, "%s%s%s", getenv(names[i]), i == 0 && step ? "." : "",
                      i == 0 && step ? step : "");
    if (life && getenv("SLURM_JOB_ID") && strcmp(life, "0") != 0 &&
        gp_format(whole, sizeof(whole), "%s-r%s", text, life)) /* it was queued again */
        gp_copy(text, size, whole);
}

static void rank_find(struct bench_rank *self)
{
    for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
        int rank = environment_number(launchers[i].rank),
            size = environment_number(launchers[i].size);

        if (rank < 0 || size < 2 || rank >= size)
            continue;
        self->rank = rank;
        self->ranks = size;
        self->local_rank = environment_number(launchers[i].local);
        if (self->local_rank < 0 && environment_number("SLURM_PROCID") == rank &&
            environment_number("SLURM_STEP_NUM_TASKS") == size) /* srun --mpi=pmi2 */
            self->local_rank = environment_number("SLURM_LOCALID");
        if (self->local_rank < 0)
            self->local_rank = rank;
        find_job(self->job, sizeof(self->job));
        return;
    }
}

/* What rank 0 finds of the others. */
struct gathered {
    struct benchlog *log; /* by rank */
    bool *here;
    int count;
};

static void read_ranks(const struct bench_rank *self, const char *dir, const char *prefix,
                       const char *suffix, struct gathered *g)
{
    char **names, path[GP_PATH_MAX];
    size_t count;

    if (path_list(dir, suffix, &names, &count, NULL))
        return;
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(prefix); /* "run.rankN.HOST.json" */
        bool ours = strncmp(names[i], prefix, n) == 0 && isdigit((unsigned char)names[i][n]);
        char *end = NULL;
        long rank = ours ? strtol(names[i] + n, &end, 10) : -1;
        const json_t *launch;

        if (rank < 0 || rank >= self->ranks || *end != '.' || g->here[rank] ||
            !path_join(path, sizeof(path), dir, names[i]) ||
            benchlog_read(path, &g->log[rank], NULL))
            continue;
        launch = json_object_get(g->log[rank].json, "launch");
        const char *id = json_string_value(json_object_get(launch, "job"));
        g->here[rank] = json_integer_value(json_object_get(launch, "rank")) == rank &&
                        json_integer_value(json_object_get(launch, "ranks")) == self->ranks &&
                        strcmp(id ? id : "", self->job) == 0;
        g->count += g->here[rank];
        if (!g->here[rank])
            benchlog_fini(&g->log[rank]);
    }
    path_list_free(names, count);
}

static void wait_for_ranks(const struct bench_rank *self, const char *base, struct gathered *g)
{
    char dir[GP_PATH_MAX], prefix[GP_PATH_MAX];
    size_t n = session_stem(base);
    const char *name = path_name(base);
    const char *wait = getenv("GPUPLAN_RANK_WAIT");
    double ran = clock_now() - self->began, until = ran < 60 ? 60 : ran;
    int signal, seen = 0;

    if (wait)
        until = strtod(wait, NULL);
    until += clock_now();
    gp_format(dir, sizeof(dir), "%.*s", (int)(name - base), base);
    gp_format(prefix, sizeof(prefix), "%.*s.rank", (int)(base + n - name), name);
    for (;;) {
        read_ranks(self, dir[0] ? dir : ".", prefix, base + n, g);
        if (g->count == self->ranks || clock_now() > until ||
            (seen && session_signals(&signal) > seen))
            return;
        if (!seen && (seen = session_signals(&signal)) > 0) /* the others have it too */
            until = fmin(until, clock_now() + SIGNAL_GRACE);
        usleep(200000);
    }
}

static json_t *merge_found(const struct bench_rank *self, struct gathered *g,
                           struct bench_progress *progress)
{
    struct benchlog *list = gp_calloc((size_t)self->ranks, sizeof(*list));
    json_t *missing = json_array();
    char text[80];
    int n = 0;

    for (int i = 0; i < self->ranks; i++)
        if (g->here[i]) {
            list[n++] = g->log[i];
        } else {
            json_array_append_new(missing, json_integer(i));
            gp_format(text, sizeof(text), "rank %d of %d wrote no result", i, self->ranks);
            bench_progress_say(progress, text);
        }
    json_t *json = n ? benchlog_merge(list, NULL, n) : NULL;
    if (json) {
        if (json_array_size(missing))
            json_object_set_new(json, "status", json_string("failed"));
        json_object_set(json, "missing_ranks", missing);
    }
    json_decref(missing);
    free(list);
    return json;
}

/* ---- the verdict ---- */

/* A point of the reference, "device 3, gemm/bf16/... tuned", and what it came to; the device where
 * there are several. */
static void name_point(const struct benchlog *log, const char *what, const struct point_result *p,
                       struct strbuf *say)
{
    strbuf_addf(say, "  %s: ", what);
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
        name_point(reference, c->slower ? "slower" : "not confirmed", c->a, say);
        benchlog_change_why(c, why, sizeof(why));
        if (c->slower)
            strbuf_addf(say, " %.3f (%.3f..%.3f)\n", c->ratio, c->low, c->high);
        else
            strbuf_addf(say, ": %s\n", why);
    }
    for (int i = 0; i < changes->missing_count; i++) {
        name_point(reference, "not confirmed", changes->missing[i], say);
        strbuf_add(say, ": missing\n");
    }
}

/* --expect: every good point of the reference must be good here and not slower; one
 * that is flagged or unsupported here proves nothing, so it must not pass. */
static enum gp_status compare_reference(const struct bench_job *job, const struct benchlog *log,
                                        struct strbuf *say, bool *failed, struct gp_err *err)
{
    const char *path = options_word(&job->run.in->options, OPT_EXPECT, NULL);
    double tolerance = options_or(&job->run.in->options, OPT_TOLERANCE, 5) / 100;
    struct benchlog reference;
    struct benchlog_changes changes;
    json_t *line;
    enum gp_status rc;
    size_t i;

    *failed = false;
    if (!path)
        return GP_OK;
    if ((rc = benchlog_read(path, &reference, err)) != GP_OK)
        return rc;
    benchlog_compare(&reference, log, tolerance, &changes);
    *failed = !benchlog_confirmed(&changes);
    json_t *differences = benchlog_differences(&reference, log, path, "this run");
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
    bool file = options_flag(&job->run.in->options, OPT_OUT) && !job->to_stdout;
    enum output_format format = file ? OUTPUT_TEXT : job->run.in->format;
    struct strbuf out;

    strbuf_init(&out);
    bench_print(log, format, job->run.in->quiet, &out);
    if (format == OUTPUT_TEXT) {
        if (job->plan.subset)
            bench_glance(log, &out);
        strbuf_add(&out, say->text);
        if (!job->to_stdout && !job->unwritten)
            strbuf_addf(&out, "result: %s\n", job->plan.result);
    } else { /* a verdict is not lost because a program reads standard output */
        bench_progress_say(&job->run.progress, say->text);
    }
    enum gp_status rc = command_write(
        job->to_stdout ? options_word(&job->run.in->options, OPT_OUT, "-") : "-", &out, err);
    strbuf_fini(&out);
    return rc;
}

/* What --output names where it is not the result itself. */
static enum gp_status write_view(const struct bench_job *job, const struct benchlog *log,
                                 struct gp_err *err)
{
    const char *path = options_word(&job->run.in->options, OPT_OUT, NULL);
    enum output_format format = job->run.in->format;
    struct strbuf view;

    if (!path || job->to_stdout || format < OUTPUT_CSV)
        return GP_OK;
    strbuf_init(&view);
    bench_print(log, format, job->run.in->quiet, &view);
    enum gp_status rc = command_write(path, &view, err);
    strbuf_fini(&view);
    return rc;
}

static enum gp_status write_prom(const struct bench_job *job, const struct benchlog *log,
                                 struct gp_err *err)
{
    const char *dir = options_word(&job->run.in->options, OPT_PROM, NULL);
    char path[GP_PATH_MAX], name[64] = "gpuplan.prom";
    struct strbuf text;

    if (!dir)
        return GP_OK;
    if (job->of.ranks > 1)
        gp_format(name, sizeof(name), "gpuplan-rank%d.prom", job->of.rank);
    if (!path_join(path, sizeof(path), dir, name))
        return gp_fail(err, GP_E_USAGE, "--prom", "", "the name is too long");
    strbuf_init(&text);
    benchlog_prometheus(log, &text);
    enum gp_status rc = command_write(path, &text, err);
    strbuf_fini(&text);
    return rc;
}

static enum gp_status write_share(const struct bench_job *job, const struct benchlog *log,
                                  struct gp_err *err)
{
    const char *path = options_word(&job->run.in->options, OPT_SHARE, NULL);

    return path ? shared_write(path, log, planner_catalog(job->run.in->planner), err) : GP_OK;
}

/* ---- the end ---- */

/* Files first: the record is what must not be lost. *err is the first that failed. */
static enum gp_status report_result(struct bench_job *job, const struct benchlog *log,
                                    enum gp_status written, struct gp_err *err)
{
    enum gp_status rc = written;
    struct gp_err why = {0};
    struct strbuf say;
    bool failed = false;

    strbuf_init(&say);
    if (!rc && job->of.ranks < 2) /* of several ranks, rank 0 writes one */
        rc = write_view(job, log, err);
    if (!rc && job->of.ranks < 2)
        rc = write_share(job, log, err);
    job->unwritten = written != GP_OK;
    if (session_can_resume(job->run.session) || written)
        strbuf_addf(&say, "to continue: --resume %s\n", job->plan.journal);
    enum gp_status next = compare_reference(job, log, &say, &failed, &why);
    if (!next && (next = show_result(job, log, &say, &why)) == GP_OK && job->to_stdout)
        session_settle(job->run.session);
    if (!next)
        next = write_prom(job, log, &why);
    if (next && !rc) {
        rc = next;
        *err = why;
    }
    job->run.in->exit_code =
        session_exit_code(job->run.session, options_flag(&job->run.in->options, OPT_STRICT));
    if (failed && job->run.in->exit_code == 0)
        job->run.in->exit_code = gp_status_exit(GP_E_CHECK);
    strbuf_fini(&say);
    return rc;
}

/* Rank 0: the result, and the view that --output names, are of all ranks. */
static enum gp_status merge_ranks(struct bench_job *job, struct gp_err *err)
{
    const struct bench_rank *self = &job->of;
    struct gathered g = {.log = gp_calloc((size_t)self->ranks, sizeof(*g.log)),
                         .here = gp_calloc((size_t)self->ranks, sizeof(*g.here))};
    const char *base = job->plan.base;
    struct benchlog log = {0};
    struct strbuf stragglers;

    wait_for_ranks(self, base, &g);
    json_t *merged = merge_found(self, &g, &job->run.progress);
    enum gp_status rc = merged ? benchlog_write(base, merged, err)
                               : gp_fail(err, GP_E_NOTHING, base, "", "no rank wrote a result");
    strbuf_init(&stragglers);
    bench_stragglers(merged, &stragglers);
    bench_progress_say(&job->run.progress, stragglers.text);
    strbuf_fini(&stragglers);
    if (!rc)
        rc = benchlog_from_json("the merged result", merged, &log, err);
    if (!rc)
        rc = write_view(job, &log, err);
    if (!rc)
        rc = write_share(job, &log, err);
    if (!rc && g.count < self->ranks && job->run.in->exit_code == 0)
        job->run.in->exit_code = gp_status_exit(GP_E_DEVICE);
    benchlog_fini(&log);
    json_decref(merged);
    for (int i = 0; i < self->ranks; i++)
        if (g.here[i])
            benchlog_fini(&g.log[i]);
    free(g.log);
    free(g.here);
    return rc;
}

/* ---- the run ---- */

static enum gp_status bench_ready(struct bench_run *run, struct gp_err *err)
{
    struct bench_job *job = (struct bench_job *)run;
    struct invocation *in = run->in;

    if (options_flag(&in->options, OPT_DRY_RUN)) {
        run->over = true;
        session_dry_run(run->session, &in->out);
        return path_write("-", in->out.text, in->out.len, err);
    }
    session_plan(run->session, &job->plan);
    enum gp_status rc = session_start(run->session, err);
    if (!rc)
        bench_run_notes(run);
    return rc;
}

/* What would fail after an hour of measuring fails before it. */
static enum gp_status check_early(const struct invocation *in, struct gp_err *err)
{
    const char *expect = options_word(&in->options, OPT_EXPECT, NULL);
    const char *dir = options_word(&in->options, OPT_PROM, NULL);
    struct benchlog reference = {0};
    enum gp_status rc = expect ? benchlog_read(expect, &reference, err) : GP_OK;

    benchlog_fini(&reference);
    if (!rc && dir && !path_is_dir(dir))
        return gp_fail(err, GP_E_FILE, dir, "--prom takes an existing folder", "is not a folder");
    if (!rc && dir && access(dir, W_OK | X_OK) != 0)
        return gp_fail(err, GP_E_FILE, dir, "", "cannot write: %s", strerror(errno));
    return rc;
}

static enum gp_status open_session(struct bench_job *job, struct gp_err *err)
{
    struct invocation *in = job->run.in;
    const char *out = options_word(&in->options, OPT_OUT, "");
    bool stream = path_is_stream(out, &job->to_stdout);
    struct strbuf tests;
    struct session_request options = {
        .options = &in->options,
        .planner = in->planner,
        .rank = job->of.rank,
        .ranks = job->of.ranks,
        .local_rank = job->of.local_rank,
        .job = job->of.job,
        .view = in->format >= OUTPUT_CSV,
    };

    if (job->of.ranks > 1 && stream) /* several documents in one stream would be torn */
        return gp_fail(err, GP_E_USAGE, "--output", "name a file", "%d ranks cannot share %s",
                       job->of.ranks, job->to_stdout ? "standard output" : out);
    strbuf_init(&tests);
    for (int i = 0; i < in->arg_count; i++)
        strbuf_addf(&tests, "%s%s", i ? "," : "", in->args[i]);
    options.tests = tests.text;
    job->run.session = session_new(&options, err);
    strbuf_fini(&tests);
    return job->run.session ? check_early(in, err) : err->code;
}

/* ---- --diagnose: why is this device slow? ---- */

struct diagnose_job {
    struct bench_run run;   /* first: ready() is given it */
    struct options options; /* of what is measured */
    struct diagnosing d;
};

static void diagnose_event(struct bench_run *run, const struct session_event *event)
{
    diagnosing_event(&((struct diagnose_job *)run)->d, run->session, event);
}

static enum gp_status diagnose_ready(struct bench_run *run, struct gp_err *err)
{
    return session_start(run->session, err);
}

/* 5 when a device is slow or broken, 6 when nothing could be measured. */
static enum gp_status print_verdict(struct diagnose_job *job, struct gp_err *err)
{
    struct invocation *in = job->run.in;
    struct record doc;

    record_init(&doc);
    enum diagnose_status worst = diagnosing_record(&job->d, &doc);
    command_print(in, &doc, "status", diagnose_text);
    record_fini(&doc);
    in->exit_code = worst >= DIAGNOSE_SLOW      ? gp_status_exit(GP_E_CHECK)
                    : worst == DIAGNOSE_UNKNOWN ? gp_status_exit(GP_E_NOTHING)
                                                : 0;
    return command_write(options_word(&in->options, OPT_OUT, "-"), &in->out, err);
}

static enum gp_status run_diagnose(struct invocation *in, struct gp_err *err)
{
    struct diagnose_job *job;
    struct session_request ask = {
        .planner = in->planner,
        .tests = in->arg_count > 0 ? in->args[0] : DIAGNOSING_TESTS,
    };

    if (in->format != OUTPUT_TEXT && in->format != OUTPUT_JSON)
        return gp_fail(err, GP_E_USAGE, "--format", "text or json",
                       "a verdict cannot be printed as a table");
    job = gp_calloc(1, sizeof(*job));
    job->options = in->options;
    ask.options = &job->options;
    bench_run_init(&job->run, in, diagnose_ready);
    job->run.seen = diagnose_event;
    diagnosing_begin(&job->d);
    diagnosing_options(&job->d, &job->options);
    job->run.session = session_new(&ask, err);
    enum gp_status rc = job->run.session ? bench_run_drive(&job->run, err) : err->code;
    if (!rc)
        rc = session_finish(job->run.session, err);
    if (!rc) {
        diagnosing_finish(&job->d, job->run.session);
        rc = print_verdict(job, err);
    }
    int signal = bench_run_end(&job->run);
    if (signal)
        in->exit_code = signal;
    diagnosing_end(&job->d);
    free(job);
    return rc;
}

static enum gp_status run_bench(struct invocation *in, struct gp_err *err)
{
    struct bench_job *job;

    if (options_flag(&in->options, OPT_DIAGNOSE))
        return run_diagnose(in, err);
    job = gp_calloc(1, sizeof(*job));
    job->of.began = clock_now();
    bench_run_init(&job->run, in, bench_ready);
    rank_find(&job->of);
    enum gp_status rc = open_session(job, err);
    if (!rc)
        rc = bench_run_drive(&job->run, err);
    if (!rc && job->run.over && session_state(job->run.session) == SESSION_OVER) {
        rc = session_finish(job->run.session, err);
        const struct benchlog *log = session_log(job->run.session);
        if (log)
            rc = report_result(job, log, rc, err);
        if (!rc && log && job->of.ranks > 1 && job->of.rank == 0)
            rc = merge_ranks(job, err);
    }
    int signal = bench_run_end(&job->run);
    if (signal) { /* what went wrong is said, but the signal decides the code */
        if (rc)
            bench_progress_say(&job->run.progress, err->text);
        in->exit_code = signal;
        rc = GP_OK;
    }
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
    .most = INVOCATION_MAX_ARGS,
    .streams = true,
    .run = run_bench,
};
