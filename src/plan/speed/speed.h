/*
 * speed.h - how fast a layout serves its load, with bands that say why they are wide.
 *
 *   TPOT, TTFT, requests/s     serve.h, for the users of one group of GPUs
 *   output tokens/s            requests/s * output tokens, all groups together
 *
 * Users beyond what the pool and the slots hold at once queue: they raise TTFT, not the
 * throughput. A band is the product of what is not known, each source a factor (enum
 * doubt), their logarithms added in quadrature: an MoE (x1.24) on an engine build that is
 * not known (x1.35) has exp(sqrt(0.215^2 + 0.300^2)) = 1.45 above. TTFT is /2..x2.75 of its law
 * at least on an idle engine, /2.8..x4.8 under a steady load, /3.5..x5 where all ask at once: rows
 * of other laboratories than the fitted ones spread so (no such rows of the last). Factors are as
 * wide as nine of ten of such rows need (speed fit), in each group of two laboratories 85 of 100.
 *
 * Example: Llama-3.1-70B FP8 on 2 x H100, vLLM, 16 users of 1,024 + 256 tokens: TPOT 17 ms,
 * 13..23; 59 tokens/s for a user.
 */
#ifndef GP_PLAN_SPEED_SPEED_H
#define GP_PLAN_SPEED_SPEED_H

#include "base/quantity.h"
#include "plan/layout.h"
#include "plan/load.h"
#include "plan/memory.h"
#include "plan/request.h"
#include "plan/speed/serve.h"
#include "plan/speed/step.h"

/* How a TTFT comes about, by which it is more or less certain. */
enum first_kind {
    FIRST_IDLE,   /* one request, nobody else */
    FIRST_STEADY, /* among users who come and go */
    FIRST_BURST,  /* all at once */
    FIRST_COUNT
};

#define SPEED_SOLO 1.5 /* of a prompt's step, beside its TPOT's factors */

/* What widens a band. */
enum doubt {
    DOUBT_DENSE, /* the law itself, by the kind of model */
    DOUBT_EXPERTS,
    DOUBT_MIXED,        /* MLA, recurrent layers */
    DOUBT_BUILD,        /* build, flags and host of the engine are not known */
    DOUBT_FAMILY,       /* constants of a GPU family that few rows or none have shown */
    DOUBT_KERNEL,       /* another kernel's figures stand in */
    DOUBT_INT4_EXPERTS, /* AWQ and GPTQ experts: kernels differ by two */
    DOUBT_PCIE,         /* GPUs of one layer linked by PCIe */
    DOUBT_MANY,         /* more than 128 users at once */
    DOUBT_DRAFT,        /* speculative decoding: held against no measurement */
    DOUBT_MANY_EXPERTS, /* the same of experts, MLA and recurrent layers */
    DOUBT_ATTENTION_DP, /* ranks of attention DP wait for each other's prompts */
    DOUBT_POINT,        /* one, two, three or more points of the server correct the law */
    DOUBT_POINTS_2,
    DOUBT_POINTS_3,
    DOUBT_LAYOUT,    /* these are of another layout */
    DOUBT_NETWORK,   /* hosts joined by adapters that are not known */
    DOUBT_BANDWIDTH, /* the band of the memory's bandwidth itself */
    DOUBT_RATE,      /* arithmetic that is assumed, where several users share a step */
    DOUBT_ON_HOST,   /* weights or KV in host memory: its bandwidth, and the law */
    DOUBT_ARRIVALS,  /* requests arrive at a rate: how many are in flight is estimated */
    DOUBT_NEWER,     /* the engine is newer than any whose speed was measured */
    DOUBT_LOCAL,     /* of the build and the law, but of experts: one user of llama.cpp or MLX */
    DOUBT_LOCAL_GPU, /* its GPU's family, where rows have shown it */
    DOUBT_MEASURED,  /* what measurements leave open of the device, in place of its family */
    DOUBT_COUNT
};

/* What takes most of a decode step. */
enum speed_bound {
    SPEED_BY_WEIGHTS, /* reading weights */
    SPEED_BY_COMPUTE, /* arithmetic of the products */
    SPEED_BY_EXPERTS,
    SPEED_BY_KV,      /* reading the cache */
    SPEED_BY_LINK,    /* all-reduces */
    SPEED_BY_LAUNCH,  /* kernels, host, sampler */
    SPEED_BY_PREFILL, /* prompts of the others */
    SPEED_BY_DRAFT,   /* what drafts tokens */
    SPEED_BY_HOST,    /* weights in host memory */
    SPEED_BY_COUNT
};

/* A load beside the one that is asked, on the other side of a step of the law. */
enum neighbour {
    NEIGHBOUR_NONE,
    NEIGHBOUR_USER_MORE, /* fewer tokens/s */
    NEIGHBOUR_USER_LESS, /* more tokens/s */
    NEIGHBOUR_TOKEN_MORE,
    NEIGHBOUR_TOKEN_LESS,
    NEIGHBOUR_COUNT
};

struct speed_beside {
    enum neighbour load;
    double tokens; /* output tokens/s there */
    bool graphs;   /* a step with a prompt then no longer has a CUDA graph, or again has one;
                    * else its products take other tiles */
};

/* What drafting is worth: decode steps alone. */
struct speed_drafts {
    double plain; /* s per token of a step that drafts nothing; 0: nothing is to be drafted */
    double asked; /* likewise, of as many tokens as are drafted */
    int best;     /* tokens drafted with which it is least; 0: none */
    double least; /* s then */
    double pays;  /* users up to whom what is drafted is faster than nothing; 0: none */
    bool always;  /* up to as many as run at once */
};

struct speed {
    enum speed_gap gap;                     /* SPEED_KNOWN: the rest holds */
    double users;                           /* in flight, all replicas */
    double running;                         /* of them, at once; the rest queue */
    struct quantity tpot, ttft;             /* s */
    struct quantity solo;                   /* s: TTFT of a single request */
    struct quantity burst, burst_last;      /* s: TTFT where all users' requests arrive at once, the
                                     * mean and the last; unknown: one user, or a rate */
    struct quantity stall;                  /* s between two tokens with a prompt's chunk between;
                                     * unknown: none comes */
    double stall_share;                     /* 0..1 of the steps that have one */
    double middle, late;                    /* s: TTFT of 50, 95 of 100 requests; 0 = not known */
    struct quantity percentile[LATE_COUNT]; /* s, by replay (late.h); unknown: not replayed */
    struct quantity tokens;                 /* output tokens/s, all replicas */
    struct quantity requests;               /* per second, all replicas */
    struct quantity full;                   /* ... where pool and slots are full: saturation */
    double full_running;                    /* requests at once then, all replicas */
    double capacity;                        /* requests/s at most, all replicas */
    enum saturation saturation;             /* what saturates then */
    double transfer;                        /* s that a prompt's KV takes to where it decodes; 0 =
                                     * it is there */
    struct step_parts part;                 /* s of a decode step */
    struct speed_drafts drafts;
    struct serve serve; /* of one group of GPUs */
    double prompts;     /* s per output token that prompts of others add */
    struct speed_beside beside;
    enum speed_bound bound;
    unsigned doubts;                   /* bits of enum doubt */
    const struct hit *hit, *hit_first; /* rows of this kind: TPOT, TTFT; NULL: none */
    double network;                    /* 0..1 of the TPOT: waits for other hosts */
    double stalled;                    /* prompts of others at a rate, over a lone decode step */
    double factor_low, factor_high;    /* of the TPOT's band: value / low .. value * high */
    double host_low, host_high;        /* of DOUBT_ON_HOST, for the host's part of the step */
    double host_share;                 /* that part, 0..1: the other doubts are of the rest */
};

/* Slots of a replica; where an engine has one for each user, whatever a rate leads to. */
double speed_slots(const struct request *request, const struct load *load);

/* Groups of GPUs that decode apart: replicas, or all that share their experts. */
double speed_groups(const struct layout *layout);
/* s in which a prompt's KV goes from a group that works prompts off to one that decodes; *base: of
 * it what a request takes whatever its prompt. */
double speed_transfer(const struct request *request, const struct load *load,
                      const struct layout *layout, double *base);

/* Those of them that have something to do: a user is served by one. */
double speed_busy(const struct request *request, const struct layout *layout);

/* One group of a layout under the request's load, of users or of a rate; admitted:
 * requests of a replica that run at once. False: more arrive than it serves. */
bool speed_serve(const struct request *request, const struct step *step, const struct load *load,
                 const struct layout *layout, double admitted, struct serve *out);

/* Requests per second that a layout serves at most, all groups together. */
double speed_capacity(const struct request *request, const struct load *load,
                      const struct layout *layout, const struct step *step, double admitted);

/* Below what TTFT and TPOT no number of such replicas comes, s. */
void speed_least(const struct request *request, const struct load *load,
                 const struct layout *layout, const struct step *step, double *ttft, double *tpot);

/* The requests in flight that a rate leads to, all groups together, at their peak. */
double speed_users(const struct layout *layout, const struct serve *serve);

/* load: load_sum(request); memory: of this layout. */
void speed_estimate(const struct request *request, const struct load *load,
                    const struct layout *layout, const struct memory *memory, struct speed *out);

/* Requests of one replica that run at once: as many as the pool holds while they are
 * spread, and as there are slots. */
double speed_admitted(const struct request *request, const struct load *load,
                      const struct memory *memory);

/* Doubts and factors of a TPOT while `running` requests run, into those four fields; serve: NULL
 * where the share of the network is not asked. */
void speed_band(const struct step *step, const struct serve *serve, double running,
                struct speed *out);

/* Of it the low factor of steps alone, without what the prompts of others add at a rate: of what is
 * served at most, and of what is replayed. */
double speed_step_low(const struct speed *speed);

/* Those of a TTFT: what its kind has at least, of a lone prompt SPEED_SOLO times the TPOT's. */
void speed_band_first(const struct speed *speed, enum first_kind kind, double *low, double *high);

/* Of which kind an estimate is, for the rows that it is checked by. */
enum hit_kind speed_kind(const struct step_load *load);

/* Factors of one source alone: the value may be as little as 1/low, as much as high of
 * what is estimated. gpu: whose family's spread and bandwidth count. */
void speed_doubt(enum doubt doubt, const struct gpu *gpu, double *low, double *high);
/* The same of an estimate's own doubt: a network counts by its share, as it may be COMM_SLOW times
 * as slow as said. */
void speed_doubt_of(const struct speed *speed, enum doubt doubt, const struct gpu *gpu, double *low,
                    double *high);
/* The same of the law of one kernel on this device: what the generation, or what was measured
 * of the device, leaves open, its bandwidth, and 10 % for the law. */
void speed_doubt_law(const struct gpu *gpu, double *low, double *high);

const char *speed_saturation_word(enum saturation saturation); /* "prefill", ... */
const char *speed_bound_word(enum speed_bound bound);          /* "weights", "kv-cache", ... */

#endif
