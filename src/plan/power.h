/*
 * power.h - what a plan draws, idle, at its load and at most, and what a token takes.
 *
 * A GPU that works draws a share of its limit (TDP) by what it does: clocks and leakage,
 * bytes moved, arithmetic. m is the share of the sheet's bandwidth, c the share of the
 * sheet's arithmetic that it reaches:
 *
 *   w(m, c) = TDP * min(1, 0.28 + 0.72*m + 1.40*c)
 *   decode    m = bytes of a step / (step * BW), c = FLOP of a step / (step * P)
 *   prompts   m = 0, c = FLOP of a prompt / (pc * P)
 *   idle      0.12 * TDP, the model loaded and no request in flight
 *
 * A group of GPUs works on prompts for f = requests/s * pc of the time. Users who keep
 * asking leave no pause; requests that arrive by themselves leave one while none is in
 * flight, exp(-C) of the time where C are in the mean:
 *
 *   gpu   = (1 - busy)*idle + f*prompts + (busy - f)*decode
 *   host  = most * (0.5 + 0.5 * gpu/TDP)           most: of one GPU's share of its host
 *   total = GPUs * (gpu + host), J per token = total / (output tokens/s)
 *
 * What a circuit must hold is the sheet's worst case, whatever the load: GPUs * (TDP +
 * most), with most by cost_host_watts().
 *
 * Example: Llama-3.1-70B FP8 on 2 x H100, 16 users: m 0.63, c 0.03: a GPU draws 540 W in
 * decode steps, 700 W in prompts; 580 W in the mean, with the host's share 2.2 kW.
 */
#ifndef GP_PLAN_POWER_H
#define GP_PLAN_POWER_H

#include <stdbool.h>

#include "base/quantity.h"
#include "plan/cost.h"
#include "plan/layout.h"
#include "plan/load.h"
#include "plan/request.h"
#include "plan/speed/speed.h"

#define POWER_BASE 0.28    /* of TDP: clocks up, work in flight */
#define POWER_MEMORY 0.72  /* ... per share of the bandwidth */
#define POWER_COMPUTE 1.40 /* ... per share of the arithmetic */
#define POWER_IDLE 0.12    /* of TDP */
#define POWER_HOST 0.50    /* of its host's share at most, whatever the GPU does */

struct power {
    bool known;                           /* a limit is known: sheet holds */
    double limit, host_most;              /* W of one GPU, and of its share of a host */
    double sheet;                         /* W of the plan at most, hosts included */
    double cap;                           /* W; 0 = none was given */
    int capped_gpus;                      /* such GPUs that stay under the cap */
    bool loaded;                          /* the speed is known: the rest holds */
    double memory, compute;               /* m and c of a decode step */
    double prompt_compute;                /* c of prompts */
    double busy, prompts;                 /* shares of the time */
    struct quantity idle, decode, prompt; /* W of one GPU */
    struct quantity gpu;                  /* W of one GPU at this load */
    struct quantity host;                 /* W of its share of a host */
    struct quantity total;                /* W of the plan at this load */
    struct quantity joules;               /* per output token */
    struct quantity per_watt;             /* output tokens/s per W */
    double hours;                         /* of use per month */
    struct quantity energy;               /* J in a month, cooling not counted */
    struct quantity electricity; /* dollars of it per month, with PUE; unknown = no price */
};

extern const char power_law_source[]; /* of the shares of TDP */

/* Share of its limit that a GPU draws which works. */
double power_share(double memory, double compute);

/* W of one GPU and its share of a host at most; 0 = the data sheet gives no limit. */
double power_most(const struct request *request);

/* load: load_sum(request); speed: of this layout. */
void power_estimate(const struct request *request, const struct load *load,
                    const struct layout *layout, const struct speed *speed,
                    const struct market *market, struct power *out);

/* W that those GPUs of what is bought draw which the plan does not use. */
double power_unused(const struct power *power, const struct layout *layout, int gpus);

#endif
