/*
 * pool_record.h - what a pool's answer says, gpuplan.pool/1, and what it is printed as: text, JSON,
 * CSV, Markdown, a page, and the plan of an hour in the files of other programs.
 *
 * The ladder and all money are per day, whether the pool is of a day or a week.
 */
#ifndef GP_POOL_POOL_RECORD_H
#define GP_POOL_POOL_RECORD_H

#include "answer/document.h"
#include "answer/print_plan.h"
#include "answer/record.h"
#include "pool/pool_run.h"

/* The answer. `whole`: candidates, and what runs where in each hour, too: as many lines as
 * there are workloads or replicas times hours, which only JSON has. */
void pool_record(const struct pool_run *run, struct record *doc, bool whole);

/* Days that a pool's hours are. */
double pool_days(const struct pool_run *run);

/* "19:00", of a week "Wed 19:00". */
const char *pool_hour_words(const struct pool_run *run, int hour, char text[16]);

/* $ to buy what a rung has beyond the stock, servers and the fabric's premium included. */
double pool_capital(const struct pool_run *run, enum pool_rung_id id);
/* "16 h100-pcie, 8 l40s": its GPUs. */
void pool_fleet_words(const struct pool_run *run, enum pool_rung_id id, struct strbuf *out);
/* Of its replays: which workload's requests wait too long first, and when; the longest start of a
 * replica. "" while they are not known. */
void pool_breaks_words(const struct pool_run *run, struct strbuf *out);
void pool_starts_words(const struct pool_run *run, struct strbuf *out);
/* "4.0 left in servers, 22.3 for other hours": GPUs of it that serve nothing, in the mean, by
 * cause. */
void pool_stranded_words(const struct pool_run *run, enum pool_rung_id id, struct strbuf *out);

/* "h100-sxm/1g.10gb x 2 TP 2" */
void pool_layout_words(const struct pool_run *run, int candidate, struct strbuf *out);

/* The workload or job that a GPU serves in an hour, "slices", or "". */
const char *pool_served_by(const struct pool_run *run, int hour, int gpu);

/* "server 3", or the name of a chassis. */
void pool_chassis_name(const struct pool_run *run, int chassis, char *text, size_t size);

/* The name of a slice of a type: "1g.10gb". */
const char *pool_profile(const struct pool_run *run, int type, int slice);

/* hours: CSV is of the hours of the chosen rung, else of the ladder. */
void print_pool(const struct pool_run *run, enum output_format format, bool quiet, bool hours,
                struct strbuf *out);

/* The same as one page for the colleague who has no terminal: the ladder, GPUs by the hour,
 * workloads, what-ifs, sources. command: the line that prints the same answer. */
void pool_page(const struct pool_run *run, const char *command, struct strbuf *out);

/* In the order of --export. */
enum pool_export {
    POOL_EXPORT_COMPOSE, /* neutral: which GPU of which chassis goes to which host, as JSON
                            (gpuplan.compose/1), to be mapped onto a vendor's own calls */
    POOL_EXPORT_MIG,     /* how each GPU that is cut is cut: YAML of NVIDIA's mig-parted */
    POOL_EXPORT_DRA,     /* Kubernetes: a Deployment and a ResourceClaimTemplate per layout */
    POOL_EXPORT_SLURM,   /* sbatch for each layout */
    POOL_EXPORT_MPS      /* the rung's whole problem for another solver: pool_mps.h */
};

/* Of the chosen rung in an hour. Nothing is started and nothing changed: they are texts. */
enum gp_status pool_export(const struct pool_run *run, enum pool_export kind, int hour,
                           struct strbuf *out, struct gp_err *err);

#endif
