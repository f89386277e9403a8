/*
 * memory.c - how far the memory estimate is from what vLLM logged, by term, engine
 * version and model.
 *
 *   memory [FOLDER]   reads FOLDER/validation/memory_vllm.csv, memory_vllm_recent.csv and
 *                     memory_recent2_vllm.csv; without FOLDER it is $GPUPLAN_SHARED, else
 *                     $srcdir/../shared
 *
 * Every row is asked the way a user would ask: names through the catalogue, the limits
 * that the row states, the engine's defaults where it states none. Rows that state too
 * little to ask (no GPU, no utilization, no version) are counted, not scored.
 *
 * The constants of profiles/engines/vllm.cfg were fitted on the models of `fitted`
 * alone; what the same rows give for each constant is printed beside the profile's
 * value, and the errors are printed for fitted and other models apart.
 */
#include "base/units.h"
#include "logged.h"
#include "manual.h"
#include "plan/activation.h"
#include "rows_out.h"
#include "table.h"

#define MAX_ROWS 512

/* Models whose rows the constants may see; every other model is scored unseen. That
 * MXFP4 experts are padded, and in which versions, was settled with gpt-oss-20b's rows
 * in view: no other model has them, so nothing unseen scores that term. */
static const char *const fitted[] = {"gpt-oss-20b",          "llama-3.1-8b",    "qwen2.5-7b",
                                     "gemma-2-9b",           "codellama-7b",    "gemma-3-27b",
                                     "deepseek-v2-lite-16b", "qwen3-14b@0.15.0"};

struct name {
    const char *listed, *id, *precision;
};

/* Names of the rows that are no alias of a catalogue model. */
static const struct name names[] = {
    {"RedHatAI/Qwen2.5-7B-Instruct-fp8-dynamic", "qwen2.5-7b", "fp8"},
    {"RedHatAI/Qwen2.5-7B-Instruct-quantized.w8a8", "qwen2.5-7b", "int8"},
    {"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "llama-3.1-8b", "int4-gptq"},
    {"RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8", "llama-3.1-8b", "int8"},
    {"RedHatAI/Mistral-Small-3.1-24B-Instruct-2503-quantized.w8a8", "mistral-small-3.1-24b",
     "int8"},
    {"Qwen2.5-32B-Instruct", "qwen2.5-32b", "bf16"},
    {"Qwen2.5-Math-1.5B", "qwen2.5-1.5b", "bf16"},
    {"DeepSeek-R1-Distill-Qwen-32B", "r1-distill-qwen-32b", "bf16"},
    {"Qwen3-30B-A3B", "qwen3-30b-a3b", "fp16"},
    {"Qwen3.6-27B (autoround-int4)", "qwen3.6-27b", "int4"},
    {"Qwen3.6-35B-A3B (autoround-int4)", "qwen3.6-35b-a3b", "int4"},
    {"nvidia/Qwen3.6-35B-A3B-NVFP4", "qwen3.6-35b-a3b", "nvfp4"},
    {"nvidia/Qwen3.6-27B-NVFP4", "qwen3.6-27b", "nvfp4"},
    {"DeepSeek-V4-Flash-0731", "deepseek-v4-flash", "native"},
};

static const struct name gpus[] = {
    {"H100-80GB", "h100-sxm", NULL},
    {"RTX 3090", "rtx-3090", NULL},
    {"RTX 4090", "rtx-4090", NULL},
    {"L40S", "l40s", NULL},
    {"A100-40GB", "a100-sxm-40", NULL},
    {"22 GiB-class (A10/L4)", "l4", NULL},
    {"T4-class (14.56 GiB)", "t4", NULL},
    {"80GB-class", "h100-sxm", NULL},
    {"RTX 4090 D (24G)", "rtx-4090", NULL},
    {"23.99 GiB card", "rtx-4090", NULL}, /* its defaults: those of 24 GB */
    {"A100-SXM4-40GB", "a100-sxm-40", NULL},
    {"RTX 5090", "rtx-5090", NULL},
    {"AMD 191.69 GiB (MI300X)", "mi300x", NULL},
};

/* ---- asking ---- */

static const struct name *find_name(const struct name *list, size_t count, const char *listed)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].listed, listed) == 0)
            return &list[i];
    return NULL;
}

struct asked {
    struct options options;
    char engine[48], number[8][32];
    int numbers;
    struct resolved resolved;
    struct layout layout;
    struct gpu gpu;
};

/* The GPU of a row: "RTX 3090 x2 (NVLink)" is one of its kind. */
static const struct name *gpu_of(const struct table_file *row)
{
    char name[64];
    gp_copy(name, sizeof(name), table_text_of(row, "gpu"));
    char *count = strstr(name, " x");
    if (count && count[2] >= '2' && count[2] <= '9')
        *count = '\0';
    return find_name(gpus, sizeof(gpus) / sizeof(gpus[0]), name);
}

/* What the notes say of the launch: drafts, and no tower of vision. */
static void ask_notes(struct asked *a, const struct table_file *row)
{
    const char *notes = table_text_of(row, "notes");
    if (strstr(notes, "mtp_spec_tokens=3")) {
        options_text(&a->options, OPT_DRAFT, "draft", "mtp", NULL);
        options_number(&a->options, OPT_SPECULATIVE_TOKENS, "speculative-tokens", 3, NULL);
    }
    if (strstr(notes, "noviz"))
        options_text(&a->options, OPT_LANGUAGE_MODEL_ONLY, "language-model-only", "", NULL);
    if (strstr(notes, "enforce_eager"))
        options_text(&a->options, OPT_ENFORCE_EAGER, "enforce-eager", "", NULL);
}

static const char *precision_of(const struct table_file *row)
{
    const char *dtype = table_text_of(row, "weight_dtype");
    if (strstr(dtype, "mxfp4") || strstr(dtype, "auto"))
        return "native";
    if (strstr(dtype, "fp8"))
        return "fp8";
    if (strcmp(dtype, "float32") == 0)
        return "fp32";
    if (strcmp(dtype, "float16") == 0)
        return "fp16";
    return strstr(dtype, "4") || strstr(dtype, "int8") ? "" : "bf16";
}

static void ask_field(struct asked *a, const struct table_file *row, const char *column,
                      enum option_id id)
{
    double value = table_number_of(row, column);
    if (!isnan(value) && value > 0)
        options_number(&a->options, id, column, value, NULL);
}

/* Why a row cannot be asked; NULL when it can. */
static const char *ask_row(struct planner *planner, const struct table_file *row, struct asked *a,
                           struct gp_err *err)
{
    const char *listed = table_text_of(row, "model"), *precision;
    const struct name *n = find_name(names, sizeof(names) / sizeof(names[0]), listed);
    const struct name *g = gpu_of(row);
    long version = engine_version(table_text_of(row, "vllm_version"), 0) / 10000;
    if (strncmp(table_text_of(row, "model_basis"), "stated", 6) != 0)
        return "model not stated";
    if (strstr(table_text_of(row, "notes"), "utilization uncertain"))
        return "utilization not stated";
    if (strstr(table_text_of(row, "notes"), "DFlash"))
        return "with a drafter of no published shape";
    if (version <= 0 || version > 10000)
        return "no engine version";
    if (!g || isnan(table_number_of(row, "gpu_memory_utilization")))
        return "no GPU or utilization";
    precision = n ? n->precision : precision_of(row);
    if (!precision[0])
        return "weight type not stated";
    if (strcmp(table_text_of(row, "gpu"), "80GB-class") == 0 && strstr(listed, "phi-4"))
        return "weight type not stated"; /* bitsandbytes with LoRA in one process */
    memset(a, 0, sizeof(*a));
    gp_format(a->engine, sizeof(a->engine), "vllm@%ld.%ld", version / 10000, version % 10000);
    options_text(&a->options, OPT_MODEL, "model", n ? n->id : listed, NULL);
    options_text(&a->options, OPT_PRECISION, "precision", precision, NULL);
    options_text(&a->options, OPT_GPU, "gpu", g->id, NULL);
    options_text(&a->options, OPT_ENGINE, "engine", a->engine, NULL);
    if (strncmp(table_text_of(row, "kv_dtype"), "fp8", 3) == 0)
        options_text(&a->options, OPT_KV_PRECISION, "kv", "fp8", NULL);
    ask_notes(a, row);
    ask_field(a, row, "max_model_len", OPT_CONTEXT);
    ask_field(a, row, "max_num_seqs", OPT_MAX_NUM_SEQS);
    ask_field(a, row, "max_num_batched_tokens", OPT_MAX_BATCHED_TOKENS);
    ask_field(a, row, "gpu_memory_utilization", OPT_MEMORY_UTILIZATION);
    if (planner_resolve(planner, &a->options, NULL, NULL, NULL, &a->resolved, err))
        return "not in the catalogue";
    /* the row's own reading of the device's memory, as a live device would be asked */
    a->gpu = *a->resolved.request.gpu;
    double usable = table_number_of(row, "gpu_mem_gb");
    /* 24 is a name, 31.84 the driver's figure, 23.57 a reading */
    if (!isnan(usable) && usable != floor(usable) &&
        fabs(usable * GP_GIB / a->gpu.physical.value - 1) > 1e-3)
        a->gpu.usable = quantity_of(usable * GP_GIB, ORIGIN_MEASURED);
    a->resolved.request.gpu = &a->gpu;
    a->layout = (struct layout){.tp = (int)table_number_of(row, "tp"),
                                .pp = (int)fmax(table_number_of(row, "pp"), 1),
                                .ep = 1,
                                .replicas = 1};
    return NULL;
}

/* ---- scoring ---- */

enum logged_part { WEIGHTS, POOL, TOKENS, CONCURRENCY, ACTIVATION, NON_TORCH, GRAPHS, TERMS };

static const char *const term_names[TERMS] = {"weights",    "KV pool",   "KV tokens", "concurrency",
                                              "activation", "non-torch", "graphs"};
static const char *const term_columns[TERMS] = {
    "weights_gib_per_gpu", "kv_cache_gib_per_gpu", "kv_cache_tokens", "max_concurrency",
    "activation_peak_gib", "non_torch_gib",        "cuda_graph_gib"};

struct score {
    double sum, worst, width; /* percent; width of the band */
    int count, held;
};

static void take(struct score *s, double error, double width, bool held)
{
    s->width += width;
    s->sum += fabs(error);
    s->worst = fmax(s->worst, fabs(error));
    s->count++;
    s->held += held;
}

static struct quantity predicted(const struct memory *m, const struct memory *all,
                                 enum logged_part term)
{
    switch (term) {
    case WEIGHTS:
        return quantity_scale(m->weights, 1 / GP_GIB);
    case POOL:
        return quantity_scale(m->kv_pool, 1 / GP_GIB);
    case TOKENS:
        return all->kv_cache_tokens;
    case CONCURRENCY:
        return all->max_concurrency;
    case ACTIVATION:
        return quantity_scale(m->activation, 1 / GP_GIB);
    case NON_TORCH:
        return quantity_scale(m->non_torch, 1 / GP_GIB);
    default:
        return quantity_scale(m->graphs, 1 / GP_GIB);
    }
}

static bool is_fitted(const char *id, const char *version)
{
    char with_version[128];
    gp_format(with_version, sizeof(with_version), "%s@%.6s", id, version);
    for (size_t i = 0; i < sizeof(fitted) / sizeof(fitted[0]); i++)
        if (strcmp(fitted[i], id) == 0 || strcmp(fitted[i], with_version) == 0)
            return true;
    return false;
}

static struct score totals[2][TERMS]; /* [fitted?][term] */

/* The KV pool as simpler rules have it, on the same rows: budget less these. */
enum peer { PEER_CHECKPOINT, PEER_QUARTER, PEER_CONSTANT, PEER_CONFIGURATOR, PEERS };
static const char *const peer_names[PEERS] = {
    "the checkpoint's bytes alone", "the checkpoint's bytes x 1.25",
    "llm-d planner's constants for Llama (4.80 GiB, 0.15 or 0.60 outside torch)",
    "aiconfigurator 0.12's activation, NCCL and reserve of 3.5 GiB"};
static struct score peers[PEERS], pool_of_budget; /* a small pool exaggerates an error */
static struct score pcie[TERMS];                  /* of all rows with TP, GPUs on PCIe alone */
static double pool_errors[MAX_ROWS];              /* of unseen models */

/* base_backend.py of aiconfigurator-core 0.12: 2*c*heads*d*k bytes of activation, and the
 * constants of its h100_sxm.yaml; workspaces of block scales are left out. */
static double configurator(const struct model *model, const struct layout *l,
                           const struct memory *m)
{
    static const double k[2][3] = {{11, 6.5, 5}, {22, 13, 10}}; /* dense, MoE; TP 1, 2, 4 */
    static const double nccl[3] = {0, 358612992, 411041792};
    int i = l->tp >= 4 ? 2 : l->tp >= 2;
    double width = (double)model->kind[0].heads * model->kind[0].head_dim;
    double active = 2 * m->max_batched_tokens * width * k[model_experts(model) > 0][i];

    return fmax(active, 73400320) + nccl[i] + 3758096384;
}

static void score_peers(const struct model *model, const struct layout *l, const struct memory *m,
                        double logged)
{
    double count = l->tp * l->pp, bytes = m->file_bytes / count;
    const double taken[PEERS] = {bytes, 1.25 * bytes,
                                 bytes + (4.80 + (count > 1 ? 0.60 : 0.15)) * GP_GIB,
                                 bytes + configurator(model, l, m)};
    for (int p = 0; p < PEERS; p++) {
        double pool = fmax(m->budget.value - taken[p], 0) / GP_GIB;
        take(&peers[p], 100 * (pool / logged - 1), 0, false);
    }
}
#define RANGES 16
static struct score ranges[RANGES][TERMS];
static const struct engine *range_engine[RANGES];

static int range_index(const struct engine *engine)
{
    int i = 0;
    while (i < RANGES - 1 && range_engine[i] && range_engine[i] != engine)
        i++;
    range_engine[i] = engine;
    return i;
}

static struct logged_rows starts;

/* The row as the log of a start. */
static void keep_start(const struct table_file *row, const struct asked *a)
{
    struct logged_figures figures = {
        .term = {[LOGGED_WEIGHTS] = table_number_of(row, term_columns[WEIGHTS]) * GP_GIB,
                 [LOGGED_ACTIVATION] = table_number_of(row, term_columns[ACTIVATION]) * GP_GIB,
                 [LOGGED_NON_TORCH] = table_number_of(row, term_columns[NON_TORCH]) * GP_GIB,
                 [LOGGED_GRAPHS] = table_number_of(row, term_columns[GRAPHS]) * GP_GIB,
                 [LOGGED_CHARGED] = NAN},
        .pool = table_number_of(row, term_columns[POOL]) * GP_GIB,
    };
    logged_rows_add(&starts, &a->resolved.request, &a->layout, &figures);
}

static void score_row(const struct table_file *row, const struct asked *a)
{
    const struct request *q = &a->resolved.request;
    const char *version = table_text_of(row, "vllm_version");
    struct memory first, all;
    /* a pipeline's log speaks of its first stage, its tokens of the scarcest */
    struct load load = load_sum(q);
    memory_stage(q, &load, &a->layout, 0, &first);
    memory_estimate(q, &load, &a->layout, &all);
    bool fit = is_fitted(q->model->id, version);
    int range = range_index(q->engine);
    printf("%-24.24s %-10.10s tp%d pp%d %-8.8s %s", q->model->id, q->precision.id, a->layout.tp,
           a->layout.pp, version, fit ? "fit  " : "score");
    for (int t = 0; t < TERMS; t++) {
        double logged = table_number_of(row, term_columns[t]);
        struct quantity p = predicted(&first, &all, (enum logged_part)t);
        if (isnan(logged) || logged <= 0 || !p.known) {
            printf("        -       ");
            continue;
        }
        double error = 100 * (p.value / logged - 1);
        bool held = logged >= p.low * 0.995 && logged <= p.high * 1.005;
        printf(" %7.5g %+6.1f%%", logged, error);
        double width = 100 * (p.high - p.low) / logged;
        take(&totals[fit][t], error, width, held);
        row_out(q, &(struct row_out){"memory of vLLM", term_names[t], NAN, logged, p.value, p.low,
                                     p.high, NAN, ""});
        if (t == POOL && !fit) {
            pool_errors[totals[0][POOL].count - 1] = fabs(error);
            score_peers(q->model, &a->layout, &first, logged);
            take(&pool_of_budget, error * logged * GP_GIB / first.budget.value, 0, held);
        }
        take(&ranges[range][t], error, width, held);
        if (a->layout.tp > 1 && !gpu_linked(q->gpu, 8)) /* a bridge of two may be missing */
            take(&pcie[t], error, width, held);
    }
    printf("\n");
}

static void print_scores(const char *title, const struct score scores[TERMS])
{
    printf("%-34s", title);
    for (int t = 0; t < TERMS; t++) {
        const struct score *s = &scores[t];
        if (s->count)
            printf("  %6.2f (%5.1f) %2d", s->sum / s->count, s->worst, s->count);
        else
            printf("        -         ");
    }
    printf("\n");
}

/* ---- fitting again ---- */

struct residuals {
    double value[MAX_ROWS];
    int count;
};

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(struct residuals *r)
{
    if (r->count == 0)
        return NAN;
    qsort(r->value, (size_t)r->count, sizeof(r->value[0]), ascending);
    return r->value[r->count / 2];
}

static void push(struct residuals *r, double value)
{
    if (!isnan(value) && r->count < MAX_ROWS)
        r->value[r->count++] = value;
}

enum {
    FIT_BASE,
    FIT_FORWARD,
    FIT_MOE,
    FIT_VISION,
    FIT_NT1,
    FIT_NT_TP,
    FIT_NT_PP,
    FIT_GRAPHS,
    FIT_GRAPHS_MOE,
    FITS
};

static struct residuals fits_of[RANGES][FITS];

/* What each constant would have to be for this row to come out right. */
static void refit_row(const struct table_file *row, const struct asked *a)
{
    const struct request *q = &a->resolved.request;
    struct residuals *r = fits_of[range_index(q->engine)];
    double logged = table_number_of(row, "activation_peak_gib") * GP_GIB;
    struct load load = load_sum(q);
    struct activation act = activation_estimate(q, &load, &a->layout, a->layout.pp == 1);
    const struct engine *e = q->engine;
    bool sampler = act.sampling.value > act.forward.value && a->layout.pp == 1;
    double rest = logged - act.peak.value;
    if (!is_fitted(q->model->id, table_text_of(row, "vllm_version")))
        return;
    if (act.vision.value > 0)
        push(&r[FIT_VISION], rest + e->vision.value);
    else if (act.moe.value > 0)
        push(&r[FIT_MOE], (rest + act.moe.value) / act.moe.value * e->moe_workspace);
    else if (sampler)
        push(&r[FIT_BASE], rest + e->base.value);
    else if (a->layout.pp == 1)
        push(&r[FIT_FORWARD], rest + e->forward_base.value);
    double nt = table_number_of(row, "non_torch_gib") * GP_GIB;
    push(&r[a->layout.tp > 1 ? FIT_NT_TP : a->layout.pp > 1 ? FIT_NT_PP : FIT_NT1], nt);
    double graphs = table_number_of(row, "cuda_graph_gib") * GP_GIB;
    bool moe = e->graphs_moe.known && model_experts(q->model) > 0;
    double layers = ceil((double)q->model->layer_count / a->layout.pp);
    double each = e->graphs_layer + e->graphs_layer_tp / a->layout.tp;
    push(&r[moe ? FIT_GRAPHS_MOE : FIT_GRAPHS], graphs <= 0 ? NAN
                                                : moe       ? graphs
                                                            : graphs - layers * each);
}

static void print_fit(const char *name, double profile, struct residuals *r, double unit)
{
    if (r->count > 0)
        printf("  %-16s profile %6.3f   median of %2d fitted rows %6.3f\n", name, profile / unit,
               r->count, median(r) / unit);
}

static void print_fits(void)
{
    printf("\nconstants, and what the fitted models' rows alone would make of them (GiB; "
           "the MoE factor has no unit)\n");
    for (int i = 0; i < RANGES && range_engine[i]; i++) {
        const struct engine *e = range_engine[i];
        struct residuals *r = fits_of[i];
        printf("%s %s\n", e->name, e->range);
        print_fit("base", e->base.value, &r[FIT_BASE], GP_GIB);
        print_fit("forward base", e->forward_base.value, &r[FIT_FORWARD], GP_GIB);
        print_fit("MoE workspace", e->moe_workspace, &r[FIT_MOE], 1);
        print_fit("vision", e->vision.value, &r[FIT_VISION], GP_GIB);
        print_fit("non-torch, 1 GPU", e->non_torch_1.value, &r[FIT_NT1], GP_GIB);
        print_fit("non-torch, TP", e->non_torch_tp.value, &r[FIT_NT_TP], GP_GIB);
        print_fit("non-torch, PP", e->non_torch_pp.value, &r[FIT_NT_PP], GP_GIB);
        print_fit("CUDA graphs", e->graphs.value, &r[FIT_GRAPHS], GP_GIB);
        print_fit("CUDA graphs, MoE", e->graphs_moe.value, &r[FIT_GRAPHS_MOE], GP_GIB);
    }
}

/* ---- all rows ---- */

/* Percent of all rows whose logged value lies in the band. */
static double held_share(enum logged_part t)
{
    int n = totals[0][t].count + totals[1][t].count;
    return 100.0 * (totals[0][t].held + totals[1][t].held) / (n > 0 ? n : 1);
}

static void print_summary(void)
{
    char title[64];
    printf("\nmean absolute error in percent (worst) rows\n%-34s", "");
    for (int t = 0; t < TERMS; t++)
        printf("  %-16s", term_names[t]);
    printf("\n");
    print_scores("models the constants were fitted on", totals[1]);
    print_scores("models they have never seen", totals[0]);
    print_scores("TP over PCIe, all models", pcie);
    for (int i = 0; i < RANGES && range_engine[i]; i++) {
        gp_format(title, sizeof(title), "vLLM %s, all models", range_engine[i]->range);
        print_scores(title, ranges[i]);
    }
    qsort(pool_errors, (size_t)totals[0][POOL].count, sizeof(double), ascending);
    printf(
        "\nKV pool of unseen models, mean error (worst):  gpuplan %.2f %% (%.1f), median %.2f %%",
        totals[0][POOL].sum / totals[0][POOL].count, totals[0][POOL].worst,
        pool_errors[totals[0][POOL].count / 2]);
    printf("\n  as a share of the budget %.2f %% (%.2f)", pool_of_budget.sum / pool_of_budget.count,
           pool_of_budget.worst);
    for (int p = 0; p < PEERS; p++)
        printf("\n  %-75s %.1f %% (%.1f)", peer_names[p], peers[p].sum / peers[p].count,
               peers[p].worst);
    printf("\nbands hold the logged value, all rows (mean width of the band):");
    for (int t = 0; t < TERMS; t++) {
        int n = totals[0][t].count + totals[1][t].count;
        if (n)
            printf("  %s %.0f%% (%.2g%%)", term_names[t], held_share((enum logged_part)t),
                   (totals[0][t].width + totals[1][t].width) / n);
    }
    printf("\n");
}

/* Fails when the unseen models are worse than promised, or a band holds too few rows. */
static int verdict(void)
{
    static const struct {
        enum logged_part term;
        double percent;
    } promised[] = {{WEIGHTS, 0.5}, {POOL, 1}, {CONCURRENCY, 1}, {ACTIVATION, 5}};
    int bad = 0;
    for (size_t i = 0; i < sizeof(promised) / sizeof(promised[0]); i++) {
        const struct score *s = &totals[0][promised[i].term];
        bool ok = s->count > 0 && s->sum / s->count <= promised[i].percent;
        printf("%s: %.2f %% on %d unseen rows, promised %.1f %%: %s\n",
               term_names[promised[i].term], s->count ? s->sum / s->count : NAN, s->count,
               promised[i].percent, ok ? "ok" : "MISSED");
        bad += !ok;
    }
    for (int t = 0; t < TERMS; t++)
        if (held_share((enum logged_part)t) < 90) {
            printf("%s: %.0f %% of the rows in their band, promised 90 %%: MISSED\n", term_names[t],
                   held_share((enum logged_part)t));
            bad++;
        }
    return bad ? 1 : 0;
}

/* What the ACCURACY section has of these figures. Returns how many of them are others now. */
static int manual_differs(void)
{
    static const char *const manual_peers[PEERS] = {
        "the checkpoint's bytes alone", "the checkpoint's bytes x 1.25",
        "a constant of 4.95 to 5.40 GiB (llm-d planner's for Llama)",
        "activation, NCCL and reserve of aiconfigurator 0.12"};
    char words[240];
    int wrong = 0;
    double mean[TERMS];
    for (int t = 0; t < TERMS; t++)
        mean[t] = totals[0][t].sum / totals[0][t].count;
    gp_format(words, sizeof(words), "was fitted (%d rows;", totals[0][WEIGHTS].count);
    wrong += manual_lacks(words);
    gp_format(words, sizeof(words),
              "weights %.2f %%   KV pool %.2f %%   concurrency %.2f %%   activation %.1f %%",
              mean[WEIGHTS], mean[POOL], mean[CONCURRENCY], mean[ACTIVATION]);
    wrong += manual_lacks(words);
    gp_format(words, sizeof(words),
              "%d of these rows are of TP over PCIe: KV pool %.1f %%, KV tokens %.1f %%.",
              pcie[TOKENS].count, pcie[POOL].sum / pcie[POOL].count,
              pcie[TOKENS].sum / pcie[TOKENS].count);
    wrong += manual_lacks(words);
    for (int p = 0; p < PEERS; p++) {
        gp_format(words, sizeof(words), "%-59s%6.1f %%", manual_peers[p],
                  peers[p].sum / peers[p].count);
        wrong += manual_lacks(words);
    }
    gp_format(words, sizeof(words),
              "Of all %d rows, fitted ones included, the bands hold %.0f %% of the weights, "
              "%.0f %% of the activations, %.0f %% of the non-torch memory and %.0f %% of the "
              "pools.",
              totals[0][WEIGHTS].count + totals[1][WEIGHTS].count, held_share(WEIGHTS),
              held_share(ACTIVATION), held_share(NON_TORCH), held_share(POOL));
    return wrong + manual_lacks(words);
}

/* Returns how many rows were not scored. */
static int score_file(struct planner *planner, struct table_file *rows, struct asked *a)
{
    struct gp_err err = {0};
    int skipped = 0;
    while (table_next(rows)) {
        const char *why = ask_row(planner, rows, a, &err);
        if (why) {
            skipped++;
            printf("# not scored: %s, %s: %s\n", table_text_of(rows, "model"),
                   table_text_of(rows, "vllm_version"), why);
            continue;
        }
        score_row(rows, a);
        if (!isnan(table_number_of(rows, term_columns[WEIGHTS])))
            keep_start(rows, a);
        refit_row(rows, a);
    }
    return skipped;
}

int main(int argc, char **argv)
{
    static const char *const files[] = {"validation/memory_vllm.csv",
                                        "validation/memory_vllm_recent.csv",
                                        "validation/memory_recent2_vllm.csv"};
    struct table_file rows = {0};
    int skipped = 0;
    if (!table_open(&rows, argc, argv, files[0]))
        return 77;
    struct planner *planner = table_planner();
    struct asked *a = gp_malloc(sizeof(*a));
    printf("%-24s %-10s %-7s %-8s %-5s", "model", "weights", "", "vLLM", "split");
    for (int t = 0; t < TERMS; t++)
        printf(" %-15s", term_names[t]);
    printf("\n");
    skipped += score_file(planner, &rows, a);
    for (size_t i = 1; i < sizeof(files) / sizeof(files[0]); i++) {
        table_close(&rows);
        if (table_open(&rows, argc, argv, files[i]))
            skipped += score_file(planner, &rows, a);
    }
    print_summary();
    print_fits();
    printf("\n%d rows not scored\n", skipped);
    int wrong = logged_rows_print(&starts, "vLLM");
    int code = verdict() || manual_differs() || wrong;
    planner_free(planner);
    free(a);
    table_close(&rows);
    return code;
}
