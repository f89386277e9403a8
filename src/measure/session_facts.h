/*
 * session_facts.h - what can be seen of a session: plain values, in SI units.
 *
 * An unknown number is NAN. Texts are the session's own; they stay until the
 * next call that changes it (session_step, session_replan, session_finish).
 */
#ifndef GP_MEASURE_SESSION_FACTS_H
#define GP_MEASURE_SESSION_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/point/test.h"

struct gpu;

#define SESSION_DEVICES 64 /* that one session measures at most */
#define SESSION_VARIANTS 8 /* results of one point: "heuristic", "tuned" */
#define SESSION_NOTE 256

struct session_device {
    int id;                           /* as its engine counts */
    char name[257];                   /* "NVIDIA H100 80GB HBM3" */
    char driver[80];                  /* version; "" = unknown */
    char uuid[129], pci[65];          /* "" = unknown */
    double memory, free;              /* bytes; free as it was when it was listed */
    double cache;                     /* bytes of the last one */
    double bandwidth;                 /* bytes/s by the driver's clocks and bus */
    double power_limit, sm_clock_max; /* W, MHz */
    bool says_products;               /* which types it multiplies: */
    unsigned products;                /* bit per enum bench_type */
    const struct gpu *gpu;            /* of the catalogue, or a MIG slice of it; NULL = neither */
    bool failed;                      /* its engine is lost */
    char why[SESSION_NOTE];           /* and why */
    int running;                      /* index of the point that runs, -1 = none */
};

struct session_sensors {                    /* of one reading; NAN = not told */
    double power, power_limit;              /* W */
    double sm_clock, sm_clock_max;          /* MHz; of a CPU, the cores' mean */
    double memory_clock;                    /* MHz */
    double temperature, memory_temperature; /* degrees C */
    double memory_used, memory_total;       /* bytes */
    double busy;          /* 0..1: SMs; of a GPU that does not count them, the time with a kernel */
    double tensor, dram;  /* 0..1: tensor cores, memory interface */
    double load;          /* of a CPU: runnable processes */
    double samples;       /* of the point that runs */
    double sample;        /* s of one operation, the latest of them */
    const char *throttle; /* "none", "power_cap", "thermal", "hw", "unknown";
                                * "" = not told */
};

/* The readings by the names of a result: gpuplan-bench(1). */
struct session_sensor_row {
    const char *name;
    const char *said[2]; /* as an engine says it, the better one first; NULL = a fact */
    size_t offset;       /* of the double in struct session_sensors */
    double unit;         /* that the name is in, per one of the struct: 100 = % */
};
#define SESSION_SENSOR_ROWS 13
extern const struct session_sensor_row session_sensor_rows[SESSION_SENSOR_ROWS];
double *session_sensor(struct session_sensors *sensors, int row);

enum session_mark {
    MARK_WAITING,
    MARK_RUNNING,
    MARK_OK,
    MARK_WRONG,
    MARK_FAILED,
    MARK_UNSUPPORTED,
    MARK_SKIPPED
};

/* One way of doing a point's work, as measured last. */
struct session_result {
    const char *variant; /* "", "heuristic", "tuned" */
    const char *state;   /* "ok", "unsupported", "oom", "error" */
    const char *reason;  /* when it is not ok */
    bool ok;             /* the state is: it has a figure */
    int samples, passes;
    double median, low, high, min, max; /* s of one operation; low..high: 95 % */
    double operations, bytes;           /* per second */
    double predicted;                   /* s, what the sheet's roofline allows */
    double ratio;                       /* predicted over measured */
    const char *bound;                  /* "memory", "arithmetic", "link", "" */
    const char *origin;                 /* of predicted: "sheet", "measured", "" */
    int check;                          /* 1 right, 0 wrong, -1 not checked */
    bool disturbed;                     /* a flag says: not to be used */
    char flags[96];                     /* "drift, not-cold" */
    char rate[32];                      /* for people: "812 TFLOP/s" */
};

struct session_point {
    int index;
    const char *id; /* "gemm/bf16/4096x8x4096/weights-cold" */
    enum bench_test test;
    enum bench_type type;
    const char *layer;        /* of batch: "gate_up", else "" */
    const char *kind;         /* of memory, transfer, allreduce: "read", else "" */
    int64_t m, n, k;          /* of gemm and batch; n is the batch; else 0 */
    double size;              /* bytes of memory, transfer, allreduce, fit; else 0 */
    double seconds, bytes;    /* it takes about so long (one pass) and so much */
    double operations, moved; /* FLOP and least bytes of one operation */
    enum session_mark mark;
    int count;                                      /* of result */
    struct session_result result[SESSION_VARIANTS]; /* what a framework gets is first */
};

struct session_plan { /* what a start would do */
    int points, passes, devices;
    bool subset;                  /* the quick one */
    double seconds, bytes;        /* in all; at most at once on one device */
    const char *backend;          /* "cuda", "cpu" */
    const char *chosen;           /* why it and not another, "" = it was asked for */
    const char *result, *journal; /* files; result "" = none is written */
    const char *base;             /* what ranks merge into; else the same as result */
};

struct session_progress {
    int done, of;         /* measurements, over all devices and passes */
    double elapsed, left; /* s */
};

const char *session_mark_word(enum session_mark mark);

#endif
