/*
 * lengths.c - see lengths.h.
 */
#include "core/lengths.h"

#include <math.h>

#define Z95 1.6449 /* standard deviations that 95 of 100 stay below */

/* A lognormal distribution of mean 1. Past a spread of Z95 its quantile would fall again:
 * most values are then small, a few huge. */
static double quantile95(double sigma)
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
        .late = quantile95(sigma),
        .beyond = share_beyond(prompt + output, hypot(prompt_sd, output_sd), context),
    };
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
