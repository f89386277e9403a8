/*
 * bench_rank.c - one of several processes that srun or mpirun started.
 *
 * No MPI is needed: the launchers say rank, size and job in the environment. Each rank takes the
 * device of its number on its host, writes FILE.rankN.HOST.json, and rank 0 then waits for the
 * others' files, as long as its own run took and at least a minute ($GPUPLAN_RANK_WAIT, seconds,
 * says otherwise; a signal ends it), and merges them. Files of another job that lie there from
 * before are told apart by the job's id, which each file carries.
 */
#include "cli/bench_rank.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "cli/bench_print.h"
#include "measure/result/benchlog.h"
#include "measure/session.h"

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

void bench_rank_find(struct bench_rank *self)
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

/* ---- rank 0 ---- */

struct gathered {
    struct benchlog *log; /* by rank */
    bool *here;
    int count;
};

/* N of "run.rankN.HOST.json" when the name is one of ours; -1. */
static int rank_of(const char *name, const char *prefix)
{
    size_t n = strlen(prefix);
    char *end;
    long rank;

    if (strncmp(name, prefix, n) != 0 || !isdigit((unsigned char)name[n]))
        return -1;
    rank = strtol(name + n, &end, 10);
    return *end == '.' && rank < RANKS_MAX ? (int)rank : -1;
}

static bool is_of_job(const struct bench_rank *self, const struct benchlog *log, int rank)
{
    const json_t *launch = json_object_get(log->json, "launch");
    const char *id = json_string_value(json_object_get(launch, "job"));

    return json_integer_value(json_object_get(launch, "rank")) == rank &&
           json_integer_value(json_object_get(launch, "ranks")) == self->ranks &&
           strcmp(id ? id : "", self->job) == 0;
}

static void read_ranks(const struct bench_rank *self, const char *dir, const char *prefix,
                       const char *suffix, struct gathered *g)
{
    char **names, path[GP_PATH_MAX];
    size_t count;

    if (path_list(dir, suffix, &names, &count, NULL))
        return;
    for (size_t i = 0; i < count; i++) {
        int rank = rank_of(names[i], prefix);

        if (rank < 0 || rank >= self->ranks || g->here[rank] ||
            !path_join(path, sizeof(path), dir, names[i]) ||
            benchlog_read(path, &g->log[rank], NULL))
            continue;
        g->here[rank] = is_of_job(self, &g->log[rank], rank);
        if (g->here[rank])
            g->count++;
        else
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
    json_t *missing = json_array(), *json;
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
    json = n ? benchlog_merge(list, NULL, n) : NULL;
    if (json) {
        if (json_array_size(missing))
            json_object_set_new(json, "status", json_string("failed"));
        json_object_set(json, "missing_ranks", missing);
    }
    json_decref(missing);
    free(list);
    return json;
}

enum gp_status bench_rank_merge(const struct bench_rank *self, const char *base,
                                struct bench_progress *progress, int *missing, json_t **merged,
                                struct gp_err *err)
{
    struct gathered g = {.log = gp_calloc((size_t)self->ranks, sizeof(*g.log)),
                         .here = gp_calloc((size_t)self->ranks, sizeof(*g.here))};
    struct strbuf stragglers;
    enum gp_status rc;

    wait_for_ranks(self, base, &g);
    *missing = self->ranks - g.count;
    *merged = merge_found(self, &g, progress);
    rc = *merged ? benchlog_write(base, *merged, err)
                 : gp_fail(err, GP_E_NOTHING, base, "", "no rank wrote a result");
    strbuf_init(&stragglers);
    bench_stragglers(*merged, &stragglers);
    bench_progress_say(progress, stragglers.text);
    strbuf_fini(&stragglers);
    for (int i = 0; i < self->ranks; i++)
        if (g.here[i])
            benchlog_fini(&g.log[i]);
    free(g.log);
    free(g.here);
    return rc;
}
