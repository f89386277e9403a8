/*
 * lengths.c - see lengths.h.
 */
#include "catalog/lengths.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define Z95 1.6449 /* standard deviations that 95 of 100 stay below */

/* A lognormal distribution of mean 1. Past a spread of Z95 its quantile would fall again:
 * most values are then small, a few huge. */
static double lengths_quantile95(double sigma)
{
    double s = fmin(sigma, Z95);

    return exp(Z95 * s - s * s / 2);
}

static double sigma_of(double cv)
{
    return sqrt(log1p(cv * cv));
}

/* Of prompt and output together, taken as one such distribution. */
static double share_beyond(double mean, double sd, double context)
{
    double sigma = sigma_of(sd / mean);

    if (sigma <= 0)
        return 0; /* the means alone are judged by the options */
    return erfc((log(context / mean) + sigma * sigma / 2) / (sigma * sqrt(2))) / 2;
}

struct spread spread_of(double prompt, double prompt_sd, double output, double output_sd,
                        double context)
{
    double cp = prompt_sd / prompt, sigma = sigma_of(cp);

    return (struct spread){
        .prompt = cp,
        .output = output_sd / output,
        .middle = exp(-sigma * sigma / 2),
        .late = lengths_quantile95(sigma),
        .end = lengths_quantile95(sigma_of(hypot(prompt_sd, output_sd) / (prompt + output))),
        .beyond = share_beyond(prompt + output, hypot(prompt_sd, output_sd), context),
    };
}

double spread_end(const struct spread *s, double prompt, double output)
{
    return ceil((prompt + output) * (s->end > 0 ? s->end : 1) * (1 - 1e-12));
}

double spread_held(const struct spread *s, double prompt, double output)
{
    return prompt * (1 + s->both) + output * (1 + s->output * s->output) / 2;
}

const char *spread_words(const struct spread *s)
{
    return s->prompt > 0 || s->output > 0 ? "E[(P + O/2)*O]/E[O]" : "prompt + output/2";
}

double spread_square(const struct spread *s)
{
    return 1 + s->prompt * s->prompt;
}

/* ---- of a trace ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct sums {
    double n, prompt, output, prompt2, output2, both;
};

static struct sums sums_of(const struct trace *t, double context)
{
    struct sums s = {0};

    for (size_t i = 0; i < t->count; i++) {
        const struct trace_row *r = &t->row[i];

        if (r->prompt + r->output > context)
            continue;
        s.n++;
        s.prompt += r->prompt;
        s.output += r->output;
        s.prompt2 += r->prompt * r->prompt;
        s.output2 += r->output * r->output;
        s.both += r->prompt * r->output;
    }
    return s;
}

/* Of the requests that the context holds their prompts, or prompts and answers, in order. */
static double *sorted_lengths(const struct trace *t, double context, size_t n, bool answers)
{
    double *length = gp_calloc(n, sizeof(*length));

    for (size_t i = 0, k = 0; i < t->count; i++)
        if (t->row[i].prompt + t->row[i].output <= context)
            length[k++] = t->row[i].prompt + (answers ? t->row[i].output : 0);
    qsort(length, n, sizeof(*length), by_value);
    return length;
}

static double over_mean(double squares, double n, double mean)
{
    return sqrt(fmax(squares / n / (mean * mean) - 1, 0));
}

bool trace_lengths(const struct trace *t, double context, double *prompt, double *output,
                   struct spread *out)
{
    struct sums s = sums_of(t, context);

    if (s.n < 1)
        return false;
    *prompt = s.prompt / s.n;
    *output = s.output / s.n;
    size_t n = (size_t)s.n;
    double *prompts = sorted_lengths(t, context, n, false);
    double *ends = sorted_lengths(t, context, n, true);
    *out = (struct spread){
        .prompt = over_mean(s.prompt2, s.n, *prompt),
        .output = over_mean(s.output2, s.n, *output),
        .both = s.both / s.n / (*prompt * *output) - 1,
        .middle = prompts[(n - 1) / 2] / *prompt,
        .late = prompts[(size_t)(0.95 * (double)(n - 1))] / *prompt,
        .end = ends[(size_t)ceil(0.95 * (double)n) - 1] / (*prompt + *output),
        .beyond = 1 - s.n / (double)t->count,
    };
    free(prompts);
    free(ends);
    return true;
}
