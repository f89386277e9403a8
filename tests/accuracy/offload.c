/*
 * offload.c - tokens/s with layers or experts in host memory, against what others measured.
 *
 *   offload [FOLDER]   FOLDER/validation/offload_shown.csv
 *
 * unpack and host_hop_us were fitted on the five runs of one host (an i9-10900X with an RTX
 * 2080). Left out, that host is planned with what two cores of a server unpack (14 GB/s of
 * Q4_0, gpuplan-model(7)) and with half of the hop, as was assumed before; the others are
 * planned as they are. What a row does not tell of its host is assumed as --plan does.
 *
 * Not asked: rows of engines that are not planned, and of a layout that is not told. Most rates
 * are of whole answers, with the prompt and HTTP in them, and so a few per cent slow.
 */
#include "table.h"

#define ROWS_MAX 64
#define OTHER_UNPACK (14e9 / 2 / 0.5625) /* weights/s and core */
#define PRIOR_HOP 35e-6                  /* s */
#define MEDIAN_MOST 0.25

static const struct asked {
    const char *model, *id, *gpu; /* the row's model; as asked */
    const char *format;
    const char *memory, *threads; /* of its host; "" = not told */
    bool fitted;
} asked[] = {
    {"Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b", "rtx-2080:1", "q4_k_m", "ddr4-3200x4", "10",
     true},
    {"DeepSeek-Coder-V2-Lite", "deepseek-coder-v2-lite", "rtx-2080:1", "q4_k_m", "ddr4-3200x4",
     "10", true},
    {"gemma-2-9b-it", "gemma-2-9b", "rtx-2080:1", "q4_k_m", "ddr4-3200x4", "10", true},
    {"Qwen2.5-Coder-14B-Instruct", "qwen2.5-14b", "rtx-2080:1", "q4_k_m", "ddr4-3200x4", "10",
     true},
    {"Qwen3-14B", "qwen3-14b", "rtx-2080:1", "q4_k_m", "ddr4-3200x4", "10", true},
    {"Qwen3.6-35B-A3B", "qwen3.6-35b-a3b", "rtx-3060-12g:1", "q4_k_m", "", "", false},
};

static void ask(struct options *o, enum option_id id, const char *text)
{
    struct gp_err err = {0};

    if (text[0] && options_text(o, id, option_rows[id].name, text, &err)) {
        fprintf(stderr, "%s: %s\n", err.where, err.text);
        exit(3);
    }
}

/* Plans a row; TPOT in s, 0 = not planned. */
static double plan_row(struct planner *p, const struct table_file *t, const struct asked *a,
                       bool left_out, double *low, double *high)
{
    const char *placed = table_text_of(t, "layers_on_gpu or n_cpu_moe");
    struct options o = {0};
    struct resolved *r = gp_calloc(1, sizeof(*r));
    struct plan *plan = gp_calloc(1, sizeof(*plan));
    struct gp_err err = {0};
    char layers[16] = "";
    double tpot = 0;

    ask(&o, OPT_MODEL, a->id);
    ask(&o, OPT_GPU, a->gpu);
    ask(&o, OPT_PRECISION, a->format);
    ask(&o, OPT_ENGINE, "llama.cpp");
    ask(&o, OPT_CONTEXT, "4096");
    ask(&o, OPT_PROMPT, "64");
    ask(&o, OPT_OUTPUT, "256");
    ask(&o, OPT_HOST_MEMORY, a->memory);
    ask(&o, OPT_HOST_THREADS, a->threads);
    if (sscanf(placed, "n_cpu_moe %15[0-9]", layers) == 1)
        ask(&o, OPT_N_CPU_MOE, layers);
    else if (sscanf(placed, "ngl %15[0-9]", layers) == 1)
        ask(&o, OPT_GPU_LAYERS, layers);
    if (layers[0] && !planner_resolve(p, &o, NULL, NULL, NULL, r, &err)) {
        struct family host = *r->request.host.family;
        struct engine engine = *r->request.engine;

        if (left_out) {
            host.unpack = OTHER_UNPACK;
            engine.speed.host_hop = PRIOR_HOP;
            r->request.host.family = &host;
            r->request.engine = &engine;
        }
        planner_plan(p, r, plan);
        if (plan->speed.gap == SPEED_KNOWN)
            tpot = plan->speed.tpot.value;
        *low = plan->speed.tpot.low;
        *high = plan->speed.tpot.high;
    } else {
        fprintf(stderr, "%s: %s\n", err.where, err.text);
    }
    free(plan);
    free(r);
    return tpot;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double median(double *error, int n)
{
    qsort(error, (size_t)n, sizeof(*error), by_size);
    return n == 0 ? INFINITY : n % 2 ? error[n / 2] : (error[n / 2 - 1] + error[n / 2]) / 2;
}

int main(int argc, char **argv)
{
    struct table_file t;
    double fitted[ROWS_MAX], out[ROWS_MAX], low, high;
    int rows = 0, n = 0, inside = 0;

    if (!table_open(&t, argc, argv, "validation/offload_shown.csv"))
        return 77;
    struct planner *p = table_planner();
    printf("%-30s %-10s %9s %9s %9s  %s\n", "tokens/s", "GPU", "measured", "planned", "left out",
           "band");
    while (table_next(&t)) {
        const struct asked *a = NULL;
        double measured = table_number_of(&t, "tg_tok_s");

        rows++;
        for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
            if (strcmp(asked[i].model, table_text_of(&t, "model")) == 0 &&
                strcmp(table_text_of(&t, "engine"), "llama.cpp") == 0)
                a = &asked[i];
        if (!a || !(measured > 0) || n == ROWS_MAX)
            continue;
        double without = plan_row(p, &t, a, a->fitted, &low, &high);
        double with = plan_row(p, &t, a, false, &low, &high);
        if (with <= 0)
            return 1;
        fitted[n] = fabs(1 / with / measured - 1);
        out[n] = fabs(1 / without / measured - 1);
        inside += measured >= 1 / high && measured <= 1 / low;
        printf("%-30.30s %-10.10s %9.1f %9.1f %9.1f  %.1f..%.1f\n", a->model, a->gpu, measured,
               1 / with, 1 / without, 1 / high, 1 / low);
        n++;
    }
    table_close(&t);
    double median_fitted = median(fitted, n), median_out = median(out, n);
    printf("%d of %d rows asked: median error %.1f %%, hosts left out %.1f %%; %d in band\n", n,
           rows, 100 * median_fitted, 100 * median_out, inside);
    planner_free(p);
    return median_fitted <= MEDIAN_MOST && median_out <= MEDIAN_MOST && inside == n ? 0 : 1;
}
