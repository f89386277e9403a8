/*
 * serve.h - TPOT, TTFT and throughput of a load of requests on one engine.
 *
 * Admission first: C requests run at once, those that the KV pool and the slots hold; the
 * rest queue. Each brings a prompt of P tokens and takes O tokens out. A prompt is worked
 * off in chunks between or within decode steps, so that a decode waits for the prompts of
 * the others:
 *
 *   pc    seconds that one prompt adds to the running decodes: one pass over prompt and
 *         decode tokens less the pass without the prompt (mixed steps: vLLM,
 *         TensorRT-LLM), or a pass of its own (prefill first: SGLang); shared by the chunks
 *         that come by chance while one step runs: a / (1 - e^-a) of them in a step that has
 *         any, where a = E*C/pp*chunks/O come in the mean (E tokens an iteration: step.h)
 *   turn  seconds that it keeps other prompts waiting: pc, and in mixed steps its share of
 *         the passes that decode meanwhile
 *   t0    = dec(C) + phi * C/O * pc(C)
 *   B     = C / (1 + pc(C) / (O*t0))       requests that decode, 1 at least; the others
 *                                          prefill
 *   TPOT  = dec(B) + phi * (C-1)/C * B/O * pc(B)   as many prompts as others decode
 *   TTFT  = tau + kappa*solo + eta*dec + beta*solo*(C-1)/(2N)   closed loop, N = 10; at
 *           least so much that X*turn <= 1
 *   X     = C / (TTFT + (O-1)*TPOT)        requests/s, by Little's law
 *
 * Each user asks N times, and all begin at once: the first prompts wait for each other.
 * U - C users who queue wait (U-C)/X more for their first token: U in flight, X served.
 *
 * solo is the chunks of a prompt one after the other. Over pp stages some engines
 * (llama.cpp) let chunks of one prompt follow each other: (chunks + pp - 1)/pp of them at
 * best. pc and turn are shared by the stages that have other requests.
 *
 * Requests that arrive at a rate r (open loop) wait for each other's prompts, and for
 * nobody's answer; those in flight follow from Little's law:
 *
 *   rho  = r * turn                         share of the time in steps with prompts
 *   W    = rho * turn (1 + cs^2) / (2 (1 - rho))    mean wait, M/G/1
 *   TTFT = tau + kappa*solo + dec/2 + W
 *   C    = r * (TTFT + (O-1)*TPOT)          the fewest that hold, from idle
 *   B    = 1 + C / (1 + pc/(O*t0))          who arrives finds C in flight and is one more
 *   TPOT = dec(B) + phi * (B-1)/O * pc(B)
 *
 * Lengths that differ (catalog/lengths.h): caches hold more tokens in the mean, attention
 * over a prompt goes by E[P^2], and a prompt waits behind long ones: cs is the standard
 * deviation of a prompt's work over its mean, cp * (1 + attention's share of it). The
 * 95th percentile of TTFT joins those of the wait and of the prompt, which are independent.
 *
 * Disaggregated: x groups only work prompts off for each one that only decodes, and send
 * it their KV. s is a prompt's time where others wait to fill its chunk, w the transfer:
 *
 *   TPOT = dec(B)                           no prompts between the decodes
 *   TTFT = tau + kappa*solo + w + dec/2 + W,   rho = X*s/x, M/G/1 with solo as service
 *   X    = B / ((O-1)*TPOT)                 of the group that decodes
 *   N    = X*TTFT + B                       closed loop: B follows
 *
 * A decode step that a prompt's last chunk of q tokens shares, or waits for, stalls B
 * answers (serve_stall): dec(B) + what the chunk adds with attention over the whole prompt.
 * B * chunks/O of the steps have a chunk; above 1 of 100 the stall is the 99th percentile
 * of the time between two tokens. Held against no measurement.
 *
 * serve_capacity() is the rate at which the queue no longer ends: rho = 0.95, or as many
 * in flight as run at once.
 *
 * TTFT under load is far less certain than TPOT (speed_band_first()).
 */
#ifndef GP_PLAN_SPEED_SERVE_H
#define GP_PLAN_SPEED_SERVE_H

#include "catalog/lengths.h"
#include "plan/speed/step.h"

/* The load of one group of GPUs (layout_group). */
struct serve_load {
    double users;          /* requests in flight, all ranks */
    double admitted;       /* the most that run at once: pool and slots */
    double prompt, output; /* tokens, means */
    struct spread spread;  /* of them */
    double cached;         /* of the prompt, in the prefix cache: read, not computed */
    double chunk;          /* most tokens of a step */
    double captured;       /* tokens of the largest step with a graph; 0 = the engine's */
    double receive;        /* decode steps between two looks for new prompts; 0 = each */
    double rounds;         /* prompts of a user, one after the other; 0 = 10 */
    double prefill;        /* groups that work prompts off for this one, which only decodes; 0 =
                     * it does both */
    double transfer;       /* s that a prompt's KV takes from them */
    double tpot_most;      /* s: serve_rate() is not solved to the end where fewer in flight
                       * exceed it; 0 = it is */
    double solo;           /* serve_solo() of all this, where it is asked more than once; 0 = not
                  * worked out */
};

/* What saturates when more arrive. */
enum saturation {
    SATURATES_PREFILL,  /* the work of prompts */
    SATURATES_RUNNING,  /* requests at once: the engine's slots */
    SATURATES_POOL,     /* the same: what the KV pool holds (speed.h tells the two) */
    SATURATES_DECODE,   /* decode steps: more requests at once are hardly served faster */
    SATURATES_TRANSFER, /* the link between prefill and decode */
    SATURATES_COUNT
};

#define BUSY_MOST 0.95 /* share of the time in prompts at which a queue no longer ends */

struct serve {
    double running;      /* requests at once; disaggregated: that decode */
    double decoding;     /* of them, in the mean */
    double tpot;         /* s per output token after the first */
    double ttft;         /* s, mean of a closed loop */
    double solo;         /* s, a prompt on an idle engine, mean */
    double prompt;       /* s that one prompt adds to the decodes, or takes apart from them */
    double turn;         /* s that it keeps other prompts waiting, the decodes meanwhile too */
    double spread;       /* standard deviation of a prompt's work over its mean */
    double decode;       /* s of a decode step without prompts */
    double requests;     /* per second */
    double middle, late; /* s: TTFT that 50, 95 of 100 requests stay below; 0 = not known */
};

/* What one load comes to on one step with so many others, but for its users, for as many of them
 * as are admitted and for the pace that is of use: a search asks for the same ones again, as it
 * copies a layout. */
#define SERVE_KEPT 32
struct serve_kept {
    struct serve_load load;
    double solo; /* serve_solo(); 0 = not worked out */
    int count;   /* the last ones, in turn */
    struct {
        double others, solo;
        bool arrives;
        struct serve at;
    } of[SERVE_KEPT];
};

/* The step of the layout that was asked for last, and what is kept of it. */
struct serve_cut {
    const struct step_load *load; /* NULL: of none */
    int tp, pp, ep;
    struct step step;
    struct step_others others;
    struct serve_kept kept;
};
const struct step *serve_cut(struct serve_cut *cut, const struct step_load *load,
                             const struct layout *layout);

/* s of a prompt on an idle engine; users and admitted are not read. */
double serve_solo(const struct step *step, const struct serve_load *load);

void serve_estimate(const struct step *step, const struct serve_load *load, struct serve *out);

/* One step as a replay has it: so many requests decode, which alone takes `time`, of it `work`
 * products; `tokens` of prompts in `chunks` pieces, whose attention and element-wise kernels
 * take `rest`. products: of all its tokens. */
struct serve_step {
    double decoding, time, work;
    double tokens, rest, products;
};

/* s that q tokens of a prompt behind c others take besides products. */
double serve_chunk(const struct step *step, double q, double c);
/* Products of so many tokens in a step with prompts. */
double serve_products(const struct step *step, double tokens);
/* s that the prompts of a step add to it, or that one with prompts alone takes. */
double serve_prompts(const struct step *step, const struct serve_load *load,
                     const struct serve_step *at);
/* Do prompts run in steps of their own? */
bool serve_alone(const struct step *step);

/* s between two tokens of an answer where a prompt's last chunk comes between; 0: none
 * does. at: of serve_estimate() or serve_rate(); share: 0..1 of the steps with a chunk. */
double serve_stall(const struct step *step, const struct serve_load *load, const struct serve *at,
                   double *share);

/* s: one process reads all requests and splits their texts; assumed */
#define SERVE_READ 2e-3

/* TTFT, s, of users who all send their first request at once to an idle engine: the mean, and
 * the last. Prompts fill steps in turn, beside those that decode by then; who has no slot waits
 * for answers to end. at: of serve_estimate().
 *
 *   T    = steps of C*P tokens * (products + C/steps * rest of a prompt + half the decodes)
 *   mean = tau + kappa*(T + T/C)/2 + C * 1 ms,  last = tau + kappa*T + C * 2 ms
 */
void serve_burst(const struct step *step, const struct serve_load *load, const struct serve *at,
                 double *mean, double *last);

/* Below what TTFT and TPOT, s, no load comes: those of one request at a time. */
void serve_least(const struct step *step, const struct serve_load *load, double *ttft,
                 double *tpot);

/* The same of requests that arrive at a rate, per second; load->users is not read. False
 * when more arrive than can be served: out is then of load->admitted at once. */
bool serve_rate(const struct step *step, const struct serve_load *load, double rate,
                struct serve *out);

/* Requests per second that can be served at most, and what then saturates (NULL: not
 * asked). full: serve_estimate() of load->admitted users; NULL: not known. */
double serve_capacity(const struct step *step, const struct serve_load *load,
                      const struct serve *full, enum saturation *by);

/* Requests in flight that are rarely exceeded where `mean` are in the mean: arrivals are
 * independent, so that the count spreads as its root. */
double serve_peak(double mean);

#endif
