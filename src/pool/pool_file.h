/*
 * pool_file.h - what a pool file says, checked and with its demand worked out.
 *
 * A mix of models with their demand over a day (24 values) or a week (168), what there is
 * of GPUs and what may be bought, where they are plugged in, and what changing costs. The
 * keys are those of gpuplan-profile(5), "Pools". Nothing is looked up here but the shapes
 * and traces that a demand names; models and GPUs are still words.
 *
 * Demand is requests/s, the mean of each hour, times `burst` (busiest minute over the
 * mean of its hour) when capacity is sized:
 *
 *   requests_per_s = [24 or 168 values]
 *   shape = "azure-code"; mean or peak = requests/s
 *   trace = "log.csv"; times `scale`; lengths and burst of the trace, where not given.
 *       Of a day or more: by the hour; shorter: its mean, all day, or in a shape
 *
 * Numbers are SI: seconds, watts, bytes/s, dollars. Files are untrusted: everything is
 * bounded before it is kept, and a trace is only looked for beside the file.
 */
#ifndef GP_POOL_POOL_FILE_H
#define GP_POOL_POOL_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "catalog/catalog.h"
#include "catalog/gpu.h"
#include "catalog/profile.h"
#include "catalog/shape.h"
#include "model/format.h"
#include "pool/pool.h"

#define POOL_FILE_HOURS SHAPE_HOURS
#define POOL_FILE_WORKLOADS 4096
#define POOL_FILE_JOBS 64
#define POOL_FILE_TYPES 16
#define POOL_FILE_CHASSIS 1024
#define POOL_FILE_NAME 40
#define POOL_OTHER_TIMES 4 /* as many GPUs of another type, at most: it may be slower */

/* What a workload shares with others. */
enum pool_isolation {
    POOL_SHARES,   /* GPUs of a host, slices of a GPU */
    POOL_OWN_GPU,  /* whole GPUs */
    POOL_OWN_HOST, /* hosts of its own */
    POOL_ISOLATION_COUNT
};

/* Keys of a workload that are options of --plan, and are looked up after the file is read. */
#define POOL_LOOKED_UP 5

struct pool_looked_up {
    const char *key, *option;
};
extern const struct pool_looked_up pool_looked_up[POOL_LOOKED_UP];

struct pool_file_workload {
    char name[POOL_FILE_NAME];
    char where[96];              /* file and line of its model, for an error */
    char at[POOL_LOOKED_UP][96]; /* and of these */
    char model[256], precision[FORMAT_ID_MAX], kv_precision[FORMAT_ID_MAX]; /* "" = its own */
    bool open;                      /* precision = "open": whichever is cheapest */
    char engine[48];                /* "" = the planner's */
    char gpus[160];                 /* allowed, '|' separated; "" = all of the pool */
    char demand[192];               /* where it is from, in words */
    double context, prompt, output; /* tokens; 0 = the planner's */
    double ttft, tpot;              /* goals, s; 0 = none */
    double ttft_p95, tpot_p95;      /* of 95 in 100 requests, likewise */
    char calibration[160];          /* measurements of its server, beside the file; "" = none */
    enum pool_isolation isolation;
    double rate[POOL_FILE_HOURS]; /* requests/s, the mean of each hour */
    struct pool_workload pool;    /* the rest as the solver has it, without its demand */
};

/* Work that may wait: a batch, a fine-tuning. */
struct pool_file_job {
    char name[POOL_FILE_NAME];
    char gpu[GPU_ID_MAX]; /* what it runs on */
    struct pool_job pool; /* the rest as the solver has it, without its type; most 0 = any number */
};

/* Where a type may be plugged in: SXM and OAM modules are on a server's board. */
enum pool_place { POOL_PLACE_BY_FORM, POOL_PLACE_ANY, POOL_PLACE_SERVER, POOL_PLACE_CHASSIS };

struct pool_file_type {
    char gpu[GPU_ID_MAX];
    char where[96];  /* file and line of it; "" = it is from no file */
    int stock, buy;  /* owned; that may be bought besides */
    int server_gpus; /* in one server */
    enum pool_place place;
    double price;      /* dollars; 0 = the catalogue's */
    double rent;       /* dollars/h in a cloud; 0 = the catalogue's */
    double idle, busy; /* W; 0 = assumed of the GPU's limit */
    double watts;      /* of its share of a host at most; 0 = the catalogue's */
    bool mig;          /* may be cut into slices */
};

struct pool_file_chassis {
    char name[POOL_FILE_NAME];
    int slots, hosts, per_host; /* GPUs; hosts on its fabric; GPUs one of them can hold */
    double watts;               /* its cap for GPUs; 0 = none */
};

struct pool_file_fabric {
    int pcie_gen;   /* of the links between its GPUs; 0 = each GPU's own */
    double premium; /* dollars per GPU beyond those of a server */
};

/* Seconds of each kind of change. */
struct pool_file_moves {
    double wake;      /* weights are in host memory */
    double load_rate; /* bytes/s from storage into each host */
    double restart;   /* of the engine, beside its weights */
    double recompose; /* a GPU to another host */
};

struct pool_file_costs { /* < 0 = the catalogue's */
    double years, residual, electricity, pue, hosting, share;
};

struct pool_file {
    char name[80], note[256], source[256];
    int hours;          /* 24 or 168 */
    int server_gpus;    /* in one server, where its type does not say */
    int spare;          /* GPUs of each type kept free for failures */
    double host_memory; /* bytes of an ordinary server for weights that sleep; 0 = enough */
    double headroom;    /* share of each replica's throughput that is left free */
    struct pool_file_workload *workloads;
    size_t workload_count;
    struct pool_file_job jobs[POOL_FILE_JOBS];
    int job_count;
    struct pool_file_type types[POOL_FILE_TYPES];
    int type_count;
    struct pool_file_chassis *chassis;
    size_t chassis_count;
    struct pool_file_fabric fabric;
    struct pool_file_moves moves;
    struct pool_file_costs costs;
    double power_cap; /* W of everything; 0 = none */
};

/* name: a file, or the id of one in the catalogue's "pools". *path is what was read. */
enum gp_status pool_file_find(struct catalog *catalog, const char *name, char *path, size_t size,
                              struct gp_err *err);

/* On failure *out is empty. warn may be NULL. */
enum gp_status pool_file_read(struct catalog *catalog, const char *path, profile_warn_fn warn,
                              void *ctx, struct pool_file *out, struct gp_err *err);
/* The same of a text; catalog NULL: no shapes, folder NULL: no traces. */
enum gp_status pool_file_parse(struct catalog *catalog, const char *folder, const char *name,
                               const char *text, size_t len, profile_warn_fn warn, void *ctx,
                               struct pool_file *out, struct gp_err *err);
/* The same file with GPUs of another type alone, up to four times as many as there may be of all
 * of them; jobs run on it, and workloads may. */
enum gp_status pool_file_other_gpu(const struct pool_file *file, const char *gpu,
                                   struct pool_file *out, struct gp_err *err);
void pool_file_fini(struct pool_file *file);

/* GPUs of a chassis that its hosts can hold. */
int pool_file_held(const struct pool_file_chassis *chassis);

/* ---- demand by the hour ---- */

struct trace;

struct pool_source {
    struct catalog *catalog; /* of shapes; NULL: there are none */
    const char *folder;      /* of traces, ends in '/' or is ""; NULL: there are none */
};

/* The largest and the mean of n hours' rates, requests/s. */
double pool_demand_peak(const double *value, int n);
double pool_demand_mean(const double *value, int n);

/* Requests/s by the hour of a log of a day or more, whose first day's midnight, or first
 * second where it tells no dates, is hour 0; false: it is shorter. */
bool pool_trace_hours(const struct trace *trace, int hours, double out[POOL_FILE_HOURS]);

/* The busiest minute over the mean of its hour; of less than an hour over the mean. */
double pool_trace_burst(const struct trace *trace);

#endif
