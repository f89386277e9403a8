/*
 * speed.c - how far the estimate of served speed is from what others measured.
 *
 *   speed [FOLDER]        with the constants of the profiles
 *   speed fit [FOLDER]    fits the constants of Hopper, Blackwell and the engines on all
 *                         rows of serving_measured.csv, prints them as the profiles have
 *                         them, and the scores of leaving each model out of the fit
 *
 * The fit starts from priors out of operator tables (aiconfigurator) and is held to them:
 * residuals ln(predicted / measured) / 0.3, pseudo-Huber; constants ln(value / prior) /
 * sigma. Rows of one model, GPU, engine and precision together weigh no more than 12.
 */
#include "speed_rows.h"

#define SIGMA 0.3
#define CAP 12.0
#define PARAMETERS 128
#define ITERATIONS 12

/* ---- what is fitted ---- */

struct parameter {
    double *at;
    double prior, sigma;
    char name[64];
    const char *key; /* in a profile */
    double unit;
};

struct fit {
    struct parameter parameter[PARAMETERS];
    int count;
};

static void add(struct fit *f, double *at, double prior, double sigma, double unit,
                const char *where, const char *key)
{
    struct parameter *p = &f->parameter[f->count++];
    *p = (struct parameter){.at = at, .prior = prior * unit, .sigma = sigma, .key = key,
                            .unit = unit};
    gp_format(p->name, sizeof(p->name), "%s %s", where, key);
}

struct kernel_prior {
    enum kernel kernel;
    double compute, memory, each;
};

/* From the operator tables; sigma 0.15, 0.12 and, of experts, 0.3, 0.12, 0.5. */
static const struct family_prior {
    const char *id;
    struct kernel_prior product[8], expert[8];
    double token, attention, kv, mla;
} family_priors[] = {
    {"hopper",
     {{KERNEL_16, .80, .88, 0}, {KERNEL_FP8, .59, .88, 0}, {KERNEL_FP8_BLOCK, .60, .85, 0}},
     {{KERNEL_16, .35, .85, 50}, {KERNEL_FP8, .36, .85, 120},
      {KERNEL_FP8_BLOCK, .25, .85, 200}, {KERNEL_MXFP4, .36, .72, 20}},
     28, .50, .82, .70},
    {"blackwell",
     {{KERNEL_16, .70, .82, 0}, {KERNEL_FP8, .55, .82, 0}, {KERNEL_FP8_BLOCK, .60, .79, 0},
      {KERNEL_FP4, .46, .74, 0}},
     {{KERNEL_16, .41, .82, 80}, {KERNEL_FP8, .38, .82, 120},
      {KERNEL_FP8_BLOCK, .30, .80, 200}, {KERNEL_FP4, .30, .80, 120},
      {KERNEL_MXFP4, .45, .80, 20}},
     19, .45, .82, .70},
};

static void add_family(struct fit *fit, struct family *f, const struct family_prior *p)
{
    for (int i = 0; i < 8 && p->product[i].memory > 0; i++) {
        const struct kernel_prior *k = &p->product[i];
        char where[48];
        gp_format(where, sizeof(where), "%s products %s", f->id, kernel_word(k->kernel));
        add(fit, &f->product[k->kernel].compute, k->compute, .15, 1, where, "compute");
        add(fit, &f->product[k->kernel].memory, k->memory, .12, 1, where, "memory");
    }
    for (int i = 0; i < 8 && p->expert[i].memory > 0; i++) {
        const struct kernel_prior *k = &p->expert[i];
        char where[48];
        gp_format(where, sizeof(where), "%s experts %s", f->id, kernel_word(k->kernel));
        add(fit, &f->expert[k->kernel].compute, k->compute, .3, 1, where, "compute");
        add(fit, &f->expert[k->kernel].memory, k->memory, .12, 1, where, "memory");
        add(fit, &f->expert[k->kernel].each, k->each, .5, 1e-9, where, "each_ns");
    }
    add(fit, &f->expert_token, p->token, .3, 1e-9, f->id, "expert_token_ns");
    add(fit, &f->prefill_attention, p->attention, .15, 1, f->id, "prefill_attention");
    add(fit, &f->kv_memory, p->kv, .12, 1, f->id, "kv_memory");
    add(fit, &f->mla_compute, p->mla, .2, 1, f->id, "mla_compute");
    add(fit, &f->launch, 1, .05, 1, f->id, "launch");
}

static const struct engine_prior {
    const char *id;
    double experts, allreduce, interference;
} engine_priors[] = {
    {"vllm", 10, 1.2, .95}, {"tensorrt-llm", 8, 1.0, .95}, {"sglang", 10, 1.2, .80}};

static void add_engine(struct fit *fit, struct engine *e, const struct engine_prior *p)
{
    struct engine_speed *s = &e->speed;
    add(fit, &s->kernel, 2.8, .15, 1e-6, e->id, "kernel_us");
    add(fit, &s->host, .5, .4, 1e-3, e->id, "host_ms");
    add(fit, &s->request, 4, .5, 1e-6, e->id, "request_us");
    add(fit, &s->sampler, 3, .4, 1, e->id, "sampler");
    add(fit, &s->experts, p->experts, .4, 1e-6, e->id, "experts_us");
    for (int i = 0; i < s->case_count; i++)
        add(fit, &s->at[i].experts, 50, .4, 1e-6, e->id, "cases experts_us");
    add(fit, &s->allreduce, p->allreduce, .3, 1, e->id, "allreduce");
    add(fit, &s->prefill_layer, 60, .5, 1e-6, e->id, "prefill_layer_us");
    add(fit, &s->prefill_compute, .85, .2, 1, e->id, "prefill_compute");
    add(fit, &s->interference, p->interference, .1, 1, e->id, "interference");
}

static void fit_init(struct fit *fit, struct constants *c)
{
    fit->count = 0;
    for (size_t i = 0; i < sizeof(family_priors) / sizeof(family_priors[0]); i++)
        for (int f = 0; f < c->families; f++)
            if (strcmp(c->family[f].id, family_priors[i].id) == 0)
                add_family(fit, &c->family[f], &family_priors[i]);
    for (size_t i = 0; i < sizeof(engine_priors) / sizeof(engine_priors[0]); i++)
        for (int e = 0; e < c->engines; e++)
            if (strcmp(c->engine[e].id, engine_priors[i].id) == 0)
                add_engine(fit, &c->engine[e], &engine_priors[i]);
}

static void fit_priors(struct fit *fit)
{
    for (int i = 0; i < fit->count; i++)
        *fit->parameter[i].at = fit->parameter[i].prior;
}

/* ---- the fit: Levenberg-Marquardt on ln of the constants ---- */

static double row_error(const struct row *row)
{
    struct serve out;
    return row_predict(row, &out) ? log(out.tpot / row->tpot) : 0;
}

static bool same_group(const struct row *a, const struct row *b)
{
    return strcmp(a->model, b->model) == 0 && strcmp(a->gpu, b->gpu) == 0 &&
           strcmp(a->engine, b->engine) == 0 && strcmp(a->precision, b->precision) == 0;
}

static double weight_of(const struct rows *rows, int i)
{
    int alike = 0;
    for (int j = 0; j < rows->count; j++)
        alike += same_group(&rows->row[i], &rows->row[j]);
    return sqrt(fmin(1, CAP / alike));
}

static double huber(double error, double weight)
{
    double r = error / SIGMA;
    return copysign(sqrt(2 * (sqrt(1 + r * r) - 1)), r) * weight;
}

static void residuals(const struct rows *rows, const double *weight, double *out)
{
    for (int i = 0; i < rows->count; i++)
        out[i] = weight[i] > 0 ? huber(row_error(&rows->row[i]), weight[i]) : 0;
}

static double prior_residual(const struct parameter *p)
{
    return log(*p->at / p->prior) / p->sigma;
}

static double cost_of(const struct rows *rows, const struct fit *fit, const double *r)
{
    double sum = 0;
    for (int i = 0; i < rows->count; i++)
        sum += r[i] * r[i];
    for (int i = 0; i < fit->count; i++)
        sum += prior_residual(&fit->parameter[i]) * prior_residual(&fit->parameter[i]);
    return sum;
}

/* Solves a*x = b in place by Cholesky; a is n x n, positive definite. */
static void solve(double *a, double *b, int n)
{
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            a[j * n + j] -= a[j * n + k] * a[j * n + k];
        a[j * n + j] = sqrt(fmax(a[j * n + j], 1e-12));
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++)
                a[i * n + j] -= a[i * n + k] * a[j * n + k];
            a[i * n + j] /= a[j * n + j];
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++)
            b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++)
            b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
}

/* Normal equations of the rows' and the priors' residuals. */
static void normal_equations(const struct rows *rows, struct fit *fit,
                             const double *weight, const double *r, double *a, double *b)
{
    int n = fit->count, m = rows->count;
    double *jacobian = gp_calloc((size_t)m * n, sizeof(double));
    double *moved = gp_calloc(m, sizeof(double));
    const double step = 1e-3;
    for (int p = 0; p < n; p++) {
        double *at = fit->parameter[p].at, old = *at;
        *at = old * exp(step);
        residuals(rows, weight, moved);
        *at = old;
        for (int i = 0; i < m; i++)
            jacobian[(size_t)p * m + i] = (moved[i] - r[i]) / step;
    }
    for (int p = 0; p < n; p++) {
        const struct parameter *c = &fit->parameter[p];
        const double *jp = jacobian + (size_t)p * m;
        b[p] = -prior_residual(c) / c->sigma;
        for (int i = 0; i < m; i++)
            b[p] -= jp[i] * r[i];
        for (int q = 0; q <= p; q++) {
            double sum = p == q ? 1 / (c->sigma * c->sigma) : 0;
            for (int i = 0; i < m; i++)
                sum += jp[i] * jacobian[(size_t)q * m + i];
            a[p * n + q] = a[q * n + p] = sum;
        }
    }
    free(moved);
    free(jacobian);
}

static void fit_step(const struct fit *fit, const double *x)
{
    for (int i = 0; i < fit->count; i++)
        *fit->parameter[i].at *= exp(fmax(fmin(x[i], 0.5), -0.5));
}

/* Fits on the rows whose weight is not 0. */
static void fit_run(const struct rows *rows, struct fit *fit, const double *weight)
{
    int n = fit->count;
    double *a = gp_calloc((size_t)n * n, sizeof(double)), *b = gp_calloc(n, sizeof(double));
    double *r = gp_calloc(rows->count, sizeof(double));
    fit_priors(fit);
    residuals(rows, weight, r);
    double cost = cost_of(rows, fit, r);
    for (int k = 0; k < ITERATIONS; k++) {
        normal_equations(rows, fit, weight, r, a, b);
        solve(a, b, n);
        fit_step(fit, b);
        residuals(rows, weight, r);
        double next = cost_of(rows, fit, r);
        if (next > cost) /* too far: half of the way back */
            for (int i = 0; i < n; i++)
                *fit->parameter[i].at *= exp(-0.5 * fmax(fmin(b[i], 0.5), -0.5));
        residuals(rows, weight, r);
        next = cost_of(rows, fit, r);
        if (fabs(cost - next) < 1e-4 * cost)
            break;
        cost = next;
    }
    free(r);
    free(b);
    free(a);
}

/* ---- scores ---- */

struct score {
    double error[ROWS_MAX];
    int count;
};

static int by_size(const void *a, const void *b)
{
    double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_score(const char *what, struct score *s)
{
    if (s->count == 0)
        return;
    qsort(s->error, s->count, sizeof(double), by_value);
    double bias = s->error[s->count / 2];
    qsort(s->error, s->count, sizeof(double), by_size);
    printf("  %-44s %5d  %5.1f %5.0f  %+5.0f\n", what, s->count,
           100 * fabs(s->error[s->count / 2]),
           100 * fabs(s->error[(int)(0.9 * (s->count - 1))]), 100 * bias);
}

typedef const char *(*group_fn)(const struct row *row);

static const char *users_of(const struct row *row)
{
    double users = row->serve.users;
    return users <= 8     ? "1 to 8 users"
           : users <= 32  ? "9 to 32"
           : users <= 128 ? "33 to 128"
                          : "above 128";
}

static const char *model_of(const struct row *row)
{
    return row->model;
}

static const char *gpu_of(const struct row *row)
{
    return row->gpu;
}

static const char *engine_of(const struct row *row)
{
    return row->engine;
}

static const char *kind_of(const struct row *row)
{
    return row->moe ? "MoE" : "dense";
}

static const char *group_of(const struct row *row)
{
    static char text[160];
    gp_format(text, sizeof(text), "%s %s %s %s", row->model, row->gpu, row->engine,
              row->precision);
    return text;
}

static const char *all_of(const struct row *row)
{
    (void)row;
    return "all";
}

static void score_by(const struct rows *rows, const double *error, group_fn group)
{
    static struct score score;
    bool *done = gp_calloc(rows->count, sizeof(bool));
    for (int i = 0; i < rows->count; i++) {
        char name[160];
        if (done[i])
            continue;
        gp_copy(name, sizeof(name), group(&rows->row[i]));
        score.count = 0;
        for (int j = i; j < rows->count; j++) {
            if (strcmp(group(&rows->row[j]), name) != 0 || isnan(error[j]))
                continue;
            done[j] = true;
            score.error[score.count++] = error[j];
        }
        print_score(name, &score);
    }
    free(done);
}

static void score_all(const char *title, const struct rows *rows, const double *error)
{
    static const group_fn groups[] = {all_of, kind_of, model_of, gpu_of, engine_of, users_of,
                                      group_of};
    printf("%s\n  %-44s %5s  %5s %5s  %5s\n", title, "TPOT, error in %", "rows", "med",
           "p90", "bias");
    for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
        score_by(rows, error, groups[i]);
}

static void errors_now(const struct rows *rows, double *error)
{
    for (int i = 0; i < rows->count; i++)
        error[i] = exp(row_error(&rows->row[i])) - 1;
}

static void leave_models_out(struct rows *rows, struct fit *fit, const double *weight,
                             double *error)
{
    double *some = gp_calloc(rows->count, sizeof(double));
    bool *done = gp_calloc(rows->count, sizeof(bool));
    for (int i = 0; i < rows->count; i++) {
        if (done[i])
            continue;
        for (int j = 0; j < rows->count; j++)
            some[j] = strcmp(rows->row[i].model, rows->row[j].model) == 0 ? 0 : weight[j];
        fit_run(rows, fit, some);
        for (int j = 0; j < rows->count; j++)
            if (some[j] == 0) {
                done[j] = true;
                error[j] = exp(row_error(&rows->row[j])) - 1;
            }
    }
    free(done);
    free(some);
}

static void print_constants(const struct fit *fit)
{
    for (int i = 0; i < fit->count; i++) {
        const struct parameter *p = &fit->parameter[i];
        printf("  %-44s %8.4g  (prior %.4g)\n", p->name, *p->at / p->unit,
               p->prior / p->unit);
    }
}

static void run_fit(struct rows *rows)
{
    static struct fit fit;
    double *error = gp_calloc(rows->count, sizeof(double));
    double *weight = gp_calloc(rows->count, sizeof(double));
    for (int i = 0; i < rows->count; i++)
        weight[i] = weight_of(rows, i);
    fit_init(&fit, &rows->constants);
    fit_priors(&fit);
    errors_now(rows, error);
    score_all("priors alone", rows, error);
    leave_models_out(rows, &fit, weight, error);
    score_all("each model left out of the fit", rows, error);
    fit_run(rows, &fit, weight);
    errors_now(rows, error);
    score_all("fitted on all", rows, error);
    print_constants(&fit);
    free(weight);
    free(error);
}

int main(int argc, char **argv)
{
    static struct rows rows, recent;
    bool fits = argc > 1 && strcmp(argv[1], "fit") == 0;
    double *error = gp_calloc(ROWS_MAX, sizeof(double));
    if (fits) {
        argc--;
        argv++;
    }
    rows_init(&rows);
    if (!rows_serving(&rows, argc, argv))
        return 77;
    printf("serving_measured.csv: %d rows, %d left out by rule\n", rows.count, rows.left_out);
    if (fits)
        run_fit(&rows);
    else {
        errors_now(&rows, error);
        score_all("serving_measured.csv, fitted rows", &rows, error);
        rows_init(&recent);
        rows_recent(&recent, argc, argv);
        printf("serving_recent.csv: %d rows, %d left out\n", recent.count, recent.left_out);
        errors_now(&recent, error);
        score_all("serving_recent.csv", &recent, error);
        rows_fini(&recent);
    }
    free(error);
    rows_fini(&rows);
    return 0;
}
