/*
 * planner_lengths.c - see planner_lengths.h.
 */
#include "answer/planner_lengths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "plan/plan.h"

void planner_trace_fini(struct planner_trace *kept)
{
    free(kept->path);
    trace_fini(&kept->trace);
    kept->path = NULL;
}

static enum gp_status keep_trace(struct planner_trace *kept, const char *path, struct gp_err *err)
{
    if (kept->path && strcmp(kept->path, path) == 0)
        return GP_OK;
    planner_trace_fini(kept);
    enum gp_status rc = trace_read(path, &kept->trace, err);
    if (!rc)
        kept->path = gp_strdup(path);
    return rc;
}

/* Options that say what the trace says. */
static enum gp_status check_alone(const struct options *options, struct gp_err *err)
{
    static const enum option_id said[] = {OPT_PROMPT, OPT_OUTPUT, OPT_PROMPT_STDDEV,
                                          OPT_OUTPUT_STDDEV};
    char where[80];

    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++) {
        if (!options->value[said[i]].given)
            continue;
        gp_format(where, sizeof(where), "--%s", option_rows[said[i]].name);
        return gp_fail(err, GP_E_USAGE, where, "leave one of them out",
                       "the lengths are those of --trace");
    }
    return GP_OK;
}

static enum gp_status take_trace(const struct options *options, const struct trace *t,
                                 double context, struct request *q, struct gp_err *err)
{
    double most = q->model->max_context;
    double longest = fmax(context, t->longest);
    bool load = options->value[OPT_USERS].given || options->value[OPT_RATE].given;

    q->context = options_or(options, OPT_CONTEXT, most > 0 ? fmin(longest, most) : longest);
    if (!trace_lengths(t, q->context, &q->prompt, &q->output, &q->spread))
        return gp_fail(err, GP_E_USAGE, "--context", "raise --context",
                       "no request of the trace is as short as %.0f tokens", q->context);
    if (!load && t->busiest > 0)
        q->rate = t->busiest;
    return GP_OK;
}

#define SPREAD_MOST 3.0 /* standard deviations over the mean: more is no bell at all */

static enum gp_status read_spread(const struct options *options, enum option_id id, double mean,
                                  double *stddev, struct gp_err *err)
{
    char where[80];

    *stddev = options_or(options, id, 0);
    if (*stddev <= SPREAD_MOST * mean)
        return GP_OK;
    gp_format(where, sizeof(where), "--%s", option_rows[id].name);
    return gp_fail(err, GP_E_USAGE, where, "give lengths this uneven as a --trace",
                   "%.0f is more than %.0f times the mean of %.0f tokens", *stddev, SPREAD_MOST,
                   mean);
}

static enum gp_status take_means(const struct options *options, double context, struct request *q,
                                 struct gp_err *err)
{
    bool given = options->value[OPT_PROMPT].given || options->value[OPT_OUTPUT].given;
    double prompt, output; /* standard deviations */

    q->prompt = options_or(options, OPT_PROMPT, 0);
    q->output = options_or(options, OPT_OUTPUT, 0);
    q->prompt_auto = q->prompt <= 0;
    q->output_auto = q->output <= 0;
    bool room = request_take_context(q, options_or(options, OPT_CONTEXT, context), NULL);
    if (read_spread(options, OPT_PROMPT_STDDEV, q->prompt, &prompt, err) ||
        read_spread(options, OPT_OUTPUT_STDDEV, q->output, &output, err))
        return err->code;
    q->spread = spread_of(q->prompt, prompt, q->output, output, q->context);
    if (given && !room)
        return gp_fail(err, GP_E_USAGE, "--context", "raise --context",
                       "prompt and output of %.0f tokens exceed the context of %.0f",
                       q->prompt + q->output, q->context);
    return GP_OK;
}

enum gp_status planner_lengths(const struct options *options, struct planner_trace *kept,
                               double context, struct request *q, const struct trace **trace,
                               struct gp_err *err)
{
    const char *path = options_word(options, OPT_TRACE, "");
    enum gp_status rc;

    *trace = NULL;
    q->users = options_or(options, OPT_USERS, 1);
    q->rate = options_or(options, OPT_RATE, 0);
    if (options->value[OPT_RATE].given && options->value[OPT_USERS].given)
        return gp_fail(err, GP_E_USAGE, "--rate", "give one of them",
                       "--users and --rate both say how many requests there are");
    if (!path[0])
        return take_means(options, context, q, err);
    rc = check_alone(options, err);
    if (!rc)
        rc = keep_trace(kept, path, err);
    if (!rc)
        rc = take_trace(options, &kept->trace, context, q, err);
    if (!rc)
        *trace = &kept->trace;
    return rc;
}

/* "3" or "3xTP2", up to `end`. tp: 0 where it is not told. */
static bool parse_side(const char *text, const char *end, int *replicas, int *tp)
{
    int used = 0, more = 0;

    *tp = 0;
    if (sscanf(text, "%4d%n", replicas, &used) != 1 || *replicas < 1)
        return false;
    if (text + used == end)
        return true;
    return sscanf(text + used, "x%*1[Tt]%*1[Pp]%4d%n", tp, &more) == 1 && *tp > 0 &&
           text + used + more == end;
}

/* "1:3", "2xTP1:1xTP4", "auto", "none". decode_tp: of those that decode; 0 = not told. */
static bool parse_split(const char *text, struct request *q, int *decode_tp)
{
    const char *colon = strchr(text, ':');

    *decode_tp = 0;
    q->split = strcmp(text, "none") != 0;
    if (!q->split || strcmp(text, "auto") == 0)
        return true;
    return colon && parse_side(text, colon, &q->prefill, &q->prefill_tp) &&
           parse_side(colon + 1, text + strlen(text), &q->decode, decode_tp) &&
           q->prefill + q->decode <= PLAN_MAX_GPUS;
}

enum gp_status planner_split(const struct options *options, struct request *q, struct gp_err *err)
{
    const char *text = options_word(options, OPT_DISAGGREGATE, "none");
    int tp;

    if (!parse_split(text, q, &tp))
        return gp_fail(err, GP_E_USAGE, "--disaggregate",
                       "replicas for prompts and for decoding, as in 1:3 or 2xTP1:1xTP4, "
                       "or auto",
                       "'%s' is not two numbers of replicas", text);
    if (q->split && !q->engine->disaggregation[0])
        return gp_fail(err, GP_E_USAGE, "--disaggregate", "vllm, sglang and tensorrt-llm do",
                       "%s %s has no such mode", q->engine->name, q->engine->range);
    q->tp = (int)options_or(options, OPT_TP, 0);
    if (!options->value[OPT_TP].given && tp > 0)
        q->tp = tp;
    if (q->prefill_tp == 0)
        q->prefill_tp = tp;
    return GP_OK;
}
