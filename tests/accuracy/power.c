/*
 * power.c - how far the watts of power.h are from what others measured.
 *
 *   power [FOLDER]   FOLDER/traces/splitwise_perf_model.csv: Llama-2-70B and BLOOM-176B on
 *                    A100, mean power of a run as a share of the GPUs' limit; and of
 *                    FOLDER/validation/llamacpp_bench.csv the rows with a peak at the wall
 *
 * The law is given the measured times, so that only the law is scored: m = bytes of the
 * weights and the cache / (time of a token * bandwidth), c and f likewise. Its three
 * constants are fitted anew with each pair of model and TP left out. Runs of prompts above
 * 2,048 tokens are shown and not scored: their mean falls, at last to an idle GPU's, while
 * more of the time goes into prompts, so that it is a mean of something else.
 *
 * A peak at the wall has the prompt in it, the host and the losses of its power supply: it
 * is what a circuit must hold, and none may exceed that.
 */
#include "plan/power.h"
#include "plan/cost.h"
#include "table.h"

#define ROWS_MAX 400
#define BANDWIDTH 2039e9 /* A100 SXM 80 GB */
#define PEAK 312e12
#define LONGEST 2048 /* tokens of a prompt that is scored */
#define PAIRS 8

struct law {
    double base, memory, compute;
};

static const struct law used = {POWER_BASE, POWER_MEMORY, POWER_COMPUTE};

struct run {
    char pair[40];
    double memory, compute; /* m and c of decode steps */
    double reading, prompt; /* of the prompt: m and c */
    double share;           /* of the time in it: f */
    double tokens;          /* of it */
    double watts;           /* measured, of the limit */
};

static const struct shape {
    const char *model;
    double params, token; /* bytes of KV per token, 16 bit */
} shapes[] = {{"llama2-70b", 68.98e9, 2 * 80 * 1024 * 2.0},
              {"bloom-176b", 176.25e9, 2 * 70 * 14336 * 2.0}};

static double at(const struct law *l, double memory, double compute)
{
    return fmin(1, l->base + l->memory * memory + l->compute * compute);
}

static double estimate(const struct law *l, const struct run *r)
{
    return (1 - r->share) * at(l, r->memory, r->compute) + r->share * at(l, r->reading, r->prompt);
}

static void read_run(const struct table_file *t, const struct shape *s, struct run *r)
{
    double tp = table_number_of(t, "tensor_parallel");
    double batch = table_number_of(t, "batch_size");
    double prompt = table_number_of(t, "prompt_size"), out = table_number_of(t, "token_size");
    double step = table_number_of(t, "token_time") / 1e3;
    double first = table_number_of(t, "prompt_time") / 1e3;
    double weights = 2 * s->params / tp, cache = batch * (prompt + out / 2) * s->token / tp;
    gp_format(r->pair, sizeof(r->pair), "%s TP %.0f", s->model, tp);
    r->memory = (weights + cache) / (step * BANDWIDTH);
    r->compute = weights * batch / (step * PEAK);
    r->reading = weights / (first * BANDWIDTH);
    r->prompt = weights * batch * prompt / (first * PEAK);
    r->share = first * 1e3 / table_number_of(t, "e2e_time");
    r->tokens = prompt;
    r->watts = table_number_of(t, "average_power");
}

static int read_runs(struct table_file *t, struct run *runs)
{
    int n = 0;
    while (table_next(t))
        for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
            if (n < ROWS_MAX && table_number_of(t, "average_power") > 0 &&
                strcmp(table_text_of(t, "model"), shapes[i].model) == 0)
                read_run(t, &shapes[i], &runs[n++]);
    return n;
}

/* ---- the fit ---- */

static double error_of(const struct law *l, const struct run *runs, int n, const char *without)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (runs[i].tokens <= LONGEST && strcmp(runs[i].pair, without) != 0)
            sum += fabs(log(estimate(l, &runs[i]) / runs[i].watts));
    return sum;
}

static struct law fit(const struct run *runs, int n, const char *without)
{
    struct law best = used;
    double least = INFINITY;
    for (int b = 15; b < 45; b++)
        for (int m = 15; m < 50; m++)
            for (int c = 4; c < 19; c++) {
                struct law l = {b / 100.0, m / 50.0, c / 10.0};
                double error = error_of(&l, runs, n, without);
                if (error < least) {
                    least = error;
                    best = l;
                }
            }
    return best;
}

/* ---- the score ---- */

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Median and 90th percentile in %, and how many lie in the band of an A100. */
static double print_score(const char *name, double *error, int n)
{
    int inside = 0;
    if (n == 0)
        return 0;
    qsort(error, (size_t)n, sizeof(*error), by_size);
    for (int i = 0; i < n; i++)
        inside += error[i] <= log(1.12);
    printf("  %-34s %4d rows  %5.1f %% median  %5.1f %% of ten nine  %3d %% in band\n", name, n,
           100 * error[n / 2], 100 * error[n * 9 / 10], 100 * inside / n);
    return error[n / 2];
}

static double score(const char *name, const struct run *runs, int n, bool left_out, bool longer)
{
    double error[ROWS_MAX];
    char pair[PAIRS][40];
    struct law law[PAIRS];
    int pairs = 0, count = 0;
    for (int i = 0; i < n; i++) {
        int k = 0;
        while (k < pairs && strcmp(pair[k], runs[i].pair) != 0)
            k++;
        if (k == pairs && pairs < PAIRS) {
            gp_copy(pair[k], sizeof(pair[k]), runs[i].pair);
            law[pairs++] = left_out ? fit(runs, n, runs[i].pair) : used;
        }
        if ((runs[i].tokens > LONGEST) == longer)
            error[count++] = fabs(log(estimate(&law[k], &runs[i]) / runs[i].watts));
    }
    return print_score(name, error, count);
}

static bool score_runs(int argc, char **argv, bool *right)
{
    static struct run runs[ROWS_MAX];
    struct table_file t;
    if (!table_open(&t, argc, argv, "traces/splitwise_perf_model.csv"))
        return false;
    int n = read_runs(&t, runs);
    struct law all = fit(runs, n, "");
    printf("mean power of runs on A100; fitted to all: %.2f + %.2f*m + %.1f*c, used: %.2f + "
           "%.2f*m + %.1f*c\n",
           all.base, all.memory, all.compute, used.base, used.memory, used.compute);
    *right &= score("constants as used", runs, n, false, false) < 0.05;
    *right &= score("each pair left out of the fit", runs, n, true, false) < 0.06;
    score("prompts above 2,048: not scored", runs, n, false, true);
    table_close(&t);
    return true;
}

/* ---- at the wall ---- */

static const struct {
    const char *text, *id;
} cards[] = {{"RTX 4090", "rtx-4090"},
             {"RTX 3060", "rtx-3060-12g"},
             {"RTX 2080 Ti", "rtx-2080-ti"},
             {"(Nvidia Spark)", "dgx-spark-gb10"}};

static const struct gpu *card_of(struct catalog *catalog, const char *text)
{
    struct gp_err err = {0};
    const struct gpu *gpu = NULL;
    for (size_t i = 0; i < sizeof(cards) / sizeof(cards[0]); i++)
        if (strstr(text, cards[i].text) && catalog_gpu(catalog, cards[i].id, &gpu, &err))
            gpu = NULL;
    return gpu && gpu->power.known ? gpu : NULL;
}

static bool score_peaks(int argc, char **argv, bool *right)
{
    struct table_file t;
    struct planner *planner;
    struct market none = {0};
    double ratio[ROWS_MAX];
    int n = 0;
    if (!table_open(&t, argc, argv, "validation/llamacpp_bench.csv"))
        return false;
    planner = table_planner();
    while (table_next(&t)) {
        const char *note = strstr(table_text_of(&t, "notes"), "peak wall power ");
        double peak = note ? strtod(note + strlen("peak wall power "), NULL) : 0;
        const struct gpu *gpu =
            peak > 0 ? card_of(planner_catalog(planner), table_text_of(&t, "gpu")) : NULL;
        struct request q = {.gpu = gpu};
        if (!gpu || n == ROWS_MAX)
            continue;
        q.host_watts = cost_host_watts(gpu, &none, &q.watts_assumed);
        ratio[n++] = peak / power_most(&q);
    }
    table_close(&t);
    planner_free(planner);
    qsort(ratio, (size_t)n, sizeof(*ratio), by_size);
    if (n > 0)
        printf("peaks at the wall, desktops: %d rows, %.0f..%.0f %% of what a circuit must "
               "hold, median %.0f %%\n",
               n, 100 * ratio[0], 100 * ratio[n - 1], 100 * ratio[n / 2]);
    *right &= n > 0 && ratio[n - 1] <= 1;
    return true;
}

int main(int argc, char **argv)
{
    bool right = true, runs = score_runs(argc, argv, &right);
    bool peaks = score_peaks(argc, argv, &right);
    return !runs || !peaks ? 77 : right ? 0 : 1;
}
