/*
 * request.c - see request.h.
 */
#include "plan/request.h"

#include <math.h>

#define CONTEXT_USUAL 8192.0
#define PROMPT_USUAL 1024.0
#define OUTPUT_USUAL 256.0

void request_take_precision(struct request *q, const struct precisions *precision)
{
    q->precision = precision->model;
    q->draft_precision = precision->draft;
    q->model = precision->release ? precision->release : q->model;
    if (q->kv_auto)
        q->kv = precision->model.kv;
}

void request_turn(struct request *q, const struct knobs *k)
{
    q->max_num_seqs = k->seqs > 0 ? k->seqs : q->max_num_seqs;
    q->max_batched_tokens = k->tokens > 0 ? k->tokens : q->max_batched_tokens;
    q->utilization = k->utilization > 0 ? k->utilization : q->utilization;
    q->eager = q->eager || k->eager;
}

bool request_take_context(struct request *q, double context, const struct trace *trace)
{
    double prompt = q->spread.prompt * q->prompt, output = q->spread.output * q->output;

    q->context = context;
    if (trace)
        return trace_lengths(trace, context, &q->prompt, &q->output, &q->spread);
    if (q->prompt_auto)
        q->prompt = fmin(PROMPT_USUAL, ceil(context * 0.75));
    if (q->output_auto && q->model->pooling)
        q->output = 1;
    else if (q->output_auto)
        q->output = fmin(OUTPUT_USUAL, fmax(context - q->prompt, 1));
    q->spread = spread_of(q->prompt, prompt, q->output, output, context);
    return q->prompt + q->output <= context && prompt <= SPREAD_MOST * q->prompt &&
           output <= SPREAD_MOST * q->output;
}

double request_usual_context(const struct request *q)
{
    double physical = q->gpu ? q->gpu->physical.value * fmax(q->gpu_count, 1) : 0;
    const struct engine_tier *tier = engine_tier(q->engine, physical);
    double usual = tier && tier->context > 0 ? tier->context : CONTEXT_USUAL;

    return q->model->max_context > 0 ? fmin(usual, q->model->max_context) : usual;
}
