/*
 * speed_fit.h - constants of families and engines, fitted to rows of measured speed.
 *
 * Each constant starts from a prior and is held to it. What is minimised:
 *
 *   sum of w * huber(ln(predicted / measured) / 0.3)^2
 *     + sum of (ln(constant / prior) / sigma)^2
 *
 * by Levenberg-Marquardt on the logarithms. Rows of one group (model, GPU, engine,
 * precision) together weigh no more than 12, so that no long sweep rules the fit.
 */
#ifndef GP_TESTS_ACCURACY_SPEED_FIT_H
#define GP_TESTS_ACCURACY_SPEED_FIT_H

#include "speed_rows.h"

#define FIT_PARAMETERS 256
#define FIT_ALSO 24

struct parameter {
    double *at, *also[FIT_ALSO]; /* one constant of several version ranges or families */
    int alsos;
    double prior, sigma;
    double unit; /* of the profile's key */
    char name[64];
};

struct fit {
    struct parameter parameter[FIT_PARAMETERS];
    int count;
};

/* Hopper, Blackwell and the serving engines: serving_measured.csv. */
void fit_served(struct fit *fit, struct constants *constants);
/* Every other family: serving_recent.csv. */
void fit_others(struct fit *fit, struct constants *constants);
/* llama.cpp and the shares of its kernels. */
void fit_llamacpp(struct fit *fit, struct constants *constants);
/* The kernels of vLLM 0.6: qwen_bs1_speed_memory.csv. */
void fit_batch1(struct fit *fit, struct constants *constants);

/* Fits on the rows whose weight is not 0. */
void fit_run(const struct rows *rows, struct fit *fit, const double *weight);
void fit_priors(struct fit *fit);
void fit_print(const struct fit *fit);

/* Weight of a row such that those that `alike` says are one group weigh `cap` at most. */
double fit_weight(const struct rows *rows, int row, double cap,
                  bool (*alike)(const struct row *a, const struct row *b));

#endif
