/*
 * engines.c - how far the memory estimate is from what SGLang, TensorRT-LLM and llama.cpp
 * logged at their start, by engine and term.
 *
 *   engines [FOLDER]   reads FOLDER/validation/memory_{sglang,trtllm,llamacpp}.csv and
 *                      memory_recent2_{sglang,llamacpp}.csv; without FOLDER it is
 *                      $GPUPLAN_SHARED, else $srcdir/../shared
 *
 * A row is asked as a user would ask it: model and GPU through the catalogue, the limits
 * that the row states, the engine's defaults where it states none. What cannot be asked,
 * and what is known to be noise, is left out by a rule that is printed, with its count.
 *
 * Split by model. The constants of the profiles (context before the load, memory outside
 * torch, graphs, the factor of recurrent layers in llama.cpp's graph) saw the rows of
 * `fit` and rows without a model's name; everything else is a rule of the source.
 */
#include "base/units.h"
#include "logged.h"
#include "rows_out.h"
#include "table.h"

enum logged_part {
    WEIGHTS,
    HOST,
    BEFORE,
    ACTIVATION,
    OUTSIDE,
    POOL,
    GIVEN, /* the pool, had the weights been as logged */
    TOKENS,
    STATE,
    GRAPHS,
    TOTAL, /* of a process, as nvidia-smi shows it: in the notes */
    TERMS
};

static const char *const term_names[TERMS] = {
    "weights", "host weights",        "before load", "activation", "outside torch",
    "KV pool", "pool, weights given", "tokens",      "state",      "graphs",
    "in all"};

/* One engine's file: where its terms stand, in GiB times `unit`. */
struct set {
    const char *engine, *file, *recent, *gpu_column;
    const char *before; /* version of the first file's rows that state none */
    double unit;
    const char *column[TERMS];
    const char *fit; /* models, '|' between */
};

static const struct set sets[] = {
    {"sglang",
     "validation/memory_sglang.csv",
     "validation/memory_recent2_sglang.csv",
     "gpu",
     "",
     GP_GIB,
     {[WEIGHTS] = "weights_gb",
      [BEFORE] = "avail_before_weights_gb",
      [POOL] = "kv_gb",
      [TOKENS] = "kv_tokens",
      [STATE] = "ssm_state_gb",
      [GRAPHS] = "cuda_graph_gb"},
     "deepseek-r1 nvfp4"},
    {"tensorrt-llm",
     "validation/memory_trtllm.csv",
     NULL,
     "gpu",
     "",
     GP_GIB,
     {[WEIGHTS] = "weights_inside_torch_gib",
      [ACTIVATION] = "activation_inside_torch_gib",
      [OUTSIDE] = "outside_torch_after_warmup_gib",
      [POOL] = "available_kv_gib",
      [TOKENS] = "kv_tokens"},
     "deepseek-r1 nvfp4"},
    {"llama.cpp",
     "validation/memory_llamacpp.csv",
     "validation/memory_recent2_llamacpp.csv",
     "backend_gpu",
     "@b8467", /* the one that a row of it states */
     GP_MIB,
     {[WEIGHTS] = "model_buffer_mib",
      [HOST] = "host_model_buffer_mib",
      [ACTIVATION] = "compute_buffer_mib",
      [POOL] = "kv_buffer_mib",
      [STATE] = "recurrent_state_mib"},
     "qwen3.5-9b q4_k_m"},
};

struct name {
    const char *listed, *id, *precision;
};

static const struct name models[] = {
    {"DeepSeek-R1-0528-NVFP4-v2", "deepseek-r1", "nvfp4"},
    {"DeepSeek-R1-0528", "deepseek-r1", "native"},
    {"Qwen/Qwen3.5-4B", "qwen3.5-4b", "bf16"},
    {"google/gemma-4-E4B-it", "gemma-4-e4b", "bf16"},
    {"Gemma 4 12B", "gemma-4-12b", ""},
    {"Qwen3.5-9B", "qwen3.5-9b", "q4_k_m"},
    {"Qwen3.5 9B (Ollama)", "qwen3.5-9b", "q4_k_m"},
    {"Qwen3.5-4B", "qwen3.5-4b", "q4_k_m"},
    {"deepseek-coder-v2-16b", "deepseek-v2-lite-16b", "q4_k_m"},
    {"gemma-3 class (26 layers, CPU)", "gemma-2-2b", "q4_k_m"},
    {"Qwen/Qwen3-32B", "qwen3-32b", "bf16"},
    {"Qwen3.8-27B", "qwen3.8-27b", "quant"}, /* the column's */
    {"gemma-4-26B-A4B", "gemma-4-26b-a4b", "q4_k_m"},
};

/* llama.cpp's buffers do not depend on the GPU. */
static const struct name gpus[] = {
    {"B200", "b200", NULL},
    {"B300", "b300", NULL},
    {"RTX 4090 D (24G)", "rtx-4090", NULL},
    {"GB10", "dgx-spark-gb10", "119.7"}, /* as TensorRT-LLM logs it */
    {"80 GB class (78.5 GB before weights)", "h100-sxm", NULL},
    {"RTX PRO 6000 Max-Q", "rtx-pro-6000-max-q", NULL},
    {"RTX 5090", "rtx-5090", NULL},
    {"RTX 3090 Ti", "rtx-3090-ti", NULL},
    {"CMP 170HX (GA100, 64 GB)", "a100-sxm-80", NULL}, /* the same GPU's context */
};

/* Known noise: a word of the row's notes, and why it is left out. */
static const struct {
    const char *word, *why;
} noises[] = {
    {"capped", "noise: tokens capped by a flag"},
    {"co-resident", "noise: another process on the GPU"},
    {"unified memory", "noise: unified memory, page cache inside"},
    {"one after another", "noise: another process on the GPU"},
    {"loader memory", "noise: memory freed while it loaded"},
    {"GTT", "noise: shared memory"},
    {"swa-full", "noise: --swa-full"},
    {"swa total", "noise: --swa-full"},
    {"without absorption", "noise: an old GGUF, K and V of MLA expanded"},
    {"GKE", "noise: a fraction of 0.90 by its pool, not stated"},
    {"in host", "noise: weights in host memory"},
    {"in the probe", "noise: weights in host memory"},
    {"piecewise", "noise: piecewise graphs, not the default"},
    {"recommends", "noise: another process on the GPU"},
};

/* ---- what is asked ---- */

struct asked {
    struct options options;
    struct resolved resolved;
    struct layout layout;
    struct gpu gpu;
    char key[96]; /* model and precision, as in `fit` */
    char seen[64][160];
    int seen_count;
};

static const struct name *find_name(const struct name *list, size_t count, const char *listed)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].listed, listed) == 0)
            return &list[i];
    return NULL;
}

static const char *noise_of(const struct table_file *row)
{
    const char *notes = table_text_of(row, "notes");
    if (strstr(table_text_of(row, "outcome"), "failed"))
        return "the start failed";
    if (strncmp(table_text_of(row, "spec_decode"), "mtp", 3) == 0 &&
        strcmp(table_text_of(row, "spec_decode"), "mtp0") != 0)
        return "noise: drafts, which are not planned";
    for (size_t i = 0; i < sizeof(noises) / sizeof(noises[0]); i++)
        if (strstr(notes, noises[i].word))
            return noises[i].why;
    return NULL;
}

/* Of a sweep, one row of each weight type, layout and release. */
static bool seen_before(struct asked *a, const struct set *set, const struct table_file *row)
{
    char key[160];
    if (strcmp(set->engine, "tensorrt-llm") != 0)
        return false;
    gp_format(key, sizeof(key), "%s %s tp%s ep%s %s %s", table_text_of(row, "model"),
              table_text_of(row, "gpu"), table_text_of(row, "tp"), table_text_of(row, "ep"),
              table_text_of(row, "trtllm_version"),
              table_text_of(row, "weights_inside_torch_gib")[0] ? "full" : "trimmed");
    for (int i = 0; i < a->seen_count; i++)
        if (strcmp(a->seen[i], key) == 0)
            return true;
    if (a->seen_count < 64)
        gp_copy(a->seen[a->seen_count++], sizeof(a->seen[0]), key);
    return false;
}

static void ask_field(struct asked *a, const struct table_file *row, const char *column,
                      enum option_id id)
{
    double value = table_number_of(row, column);
    if (!isnan(value) && value > 0)
        options_number(&a->options, id, column, value, NULL);
}

static void ask_limits(struct asked *a, const struct set *set, const struct table_file *row)
{
    double slots = table_number_of(row, "n_parallel"), cells = table_number_of(row, "n_ctx");
    ask_field(a, row, "max_seq_len", OPT_CONTEXT);
    ask_field(a, row, "context_len", OPT_CONTEXT);
    ask_field(a, row, "max_num_tokens", OPT_MAX_BATCHED_TOKENS);
    ask_field(a, row, "chunked_prefill_size", OPT_MAX_BATCHED_TOKENS);
    ask_field(a, row, "n_ubatch", OPT_MAX_BATCHED_TOKENS);
    ask_field(a, row, "mem_fraction_static", OPT_MEMORY_UTILIZATION);
    ask_field(a, row, "free_gpu_memory_fraction", OPT_MEMORY_UTILIZATION);
    if (strcmp(set->engine, "llama.cpp") != 0)
        return;
    /* -c is shared: one user of it all, and the slots as given */
    options_number(&a->options, OPT_CONTEXT, "n_ctx", cells, NULL);
    options_number(&a->options, OPT_MAX_NUM_SEQS, "n_parallel", slots > 0 ? slots : 1, NULL);
}

/* The device's memory as the row logs it, as a live device would be asked. */
static void ask_device(struct asked *a, const struct table_file *row)
{
    double total = table_number_of(row, "gpu_mem_gib"), context = 0;
    double before =
        table_number_of(row, "weights_gb") + table_number_of(row, "avail_after_weights_gb");
    if (isnan(total) || total == round(total)) {
        context = a->resolved.request.engine->non_torch_1.value;
        total = table_number_of(row, "tp") > 1 ? NAN : before;
    }
    /* of memory that the host uses, too, what the engine found */
    if (strstr(a->gpu.memory_type, "unified") &&
        !isnan(table_number_of(row, "avail_before_weights_gb")))
        total = table_number_of(row, "avail_before_weights_gb");
    if (!isnan(total))
        a->gpu.usable = quantity_of(total * GP_GIB + context, ORIGIN_MEASURED);
}

/* GiB in all, without drafts or with MTP: "24441 MiB baseline, 25797 MiB with". */
static double total_of(const struct table_file *row, bool mtp)
{
    const char *notes = table_text_of(row, "notes");
    const char *at = strstr(notes, mtp ? "baseline," : "VRAM ");
    char *unit = NULL;
    double value;
    if (at)
        at += strcspn(at, "0123456789");
    value = at ? strtod(at, &unit) : NAN;
    if (!at || !strstr(notes, "baseline") || unit == at)
        return NAN;
    return strncmp(unit, " GiB", 4) == 0 ? value : value / 1024;
}

static const char *ask_row(struct planner *planner, const struct set *set, const char *version,
                           const struct table_file *row, bool mtp, struct asked *a,
                           struct gp_err *err)
{
    static char engine[64], quant[32];
    const struct name *m =
        find_name(models, sizeof(models) / sizeof(models[0]), table_text_of(row, "model"));
    const struct name *g =
        find_name(gpus, sizeof(gpus) / sizeof(gpus[0]), table_text_of(row, set->gpu_column));
    bool llama = strcmp(set->engine, "llama.cpp") == 0;
    const char *noise = noise_of(row), *kv = table_text_of(row, llama ? "ctk" : "kv_dtype");
    if (noise)
        return noise;
    if (!m)
        return "model not stated, or its shape not known";
    if (!llama && !g)
        return "no GPU";
    if (llama && isnan(table_number_of(row, "n_ctx")))
        return "no context";
    if (!m->precision[0] && !llama)
        return "weight type not stated";
    if (seen_before(a, set, row))
        return "one sweep: alike in weights, layout and release";
    if (mtp && isnan(total_of(row, true)))
        return "";
    memset(&a->options, 0, sizeof(a->options));
    gp_format(engine, sizeof(engine), "%s%s", set->engine,
              strncmp(table_text_of(row, "sglang_version"), "0.5.9", 5) ? version : "@0.5.9");
    gp_copy(quant, sizeof(quant),
            strcmp(m->precision, "quant") == 0 ? table_text_of(row, "quant") : m->precision);
    if (!quant[0])
        gp_copy(quant, sizeof(quant), "q4_k_m");
    gp_format(a->key, sizeof(a->key), "%s %s", m->id, quant);
    options_text(&a->options, OPT_MODEL, "model", m->id, NULL);
    options_text(&a->options, OPT_PRECISION, "precision", quant, NULL);
    options_text(&a->options, OPT_GPU, "gpu", g ? g->id : "h100-sxm", NULL);
    if (mtp) {
        options_text(&a->options, OPT_DRAFT, "draft", "mtp", NULL);
        options_number(&a->options, OPT_SPECULATIVE_TOKENS, "speculative-tokens", 2, NULL);
    }
    options_text(&a->options, OPT_ENGINE, "engine", engine, NULL);
    if (strncmp(kv, "fp8", 3) == 0 || kv[0] == 'q')
        options_text(&a->options, OPT_KV_PRECISION, "kv", kv[0] == 'f' ? "fp8" : kv, NULL);
    ask_limits(a, set, row);
    if (planner_resolve(planner, &a->options, NULL, NULL, NULL, &a->resolved, err))
        return "not in the catalogue";
    double tp = table_number_of(row, "tp"), ep = table_number_of(row, "ep");
    a->gpu = *a->resolved.request.gpu;
    if (!llama && g->precision)
        a->gpu.physical = a->gpu.usable =
            quantity_of(strtod(g->precision, NULL) * GP_GIB, ORIGIN_MEASURED);
    ask_device(a, row);
    a->resolved.request.gpu = &a->gpu;
    a->layout = (struct layout){
        .tp = tp > 0 ? (int)tp : 1, .pp = 1, .ep = ep > 0 ? (int)ep : 1, .replicas = 1};
    return NULL;
}

/* ---- scoring ---- */

struct score {
    double sum, worst, width;
    int count, held;
};

static void take(struct score *s, double logged, const struct quantity *p)
{
    double error = fabs(p->value / logged - 1);
    s->sum += 100 * error;
    s->worst = fmax(s->worst, 100 * error);
    s->width += 100 * (p->high - p->low) / 2 / logged;
    s->held += logged >= p->low * 0.995 && logged <= p->high * 1.005;
    s->count++;
}

/* The pool on the weights that the row logs; unknown where it logs none. */
static struct quantity pool_given(const struct asked *a, const struct memory *m,
                                  double logged_weights)
{
    enum budget budget = a->resolved.request.engine->budget;
    double more = m->weights.value - logged_weights;
    if (isnan(logged_weights) || budget == BUDGET_ASKED || m->sequence.state > 0)
        return quantity_unknown();
    return quantity_add(m->kv_pool,
                        quantity_exact(budget == BUDGET_FREE ? m->fraction * more : more));
}

static struct quantity predicted(const struct asked *a, const struct memory *m,
                                 const struct load *load, double logged_weights,
                                 enum logged_part term)
{
    const struct engine *e = a->resolved.request.engine;
    double share = e->state_share, slots = 0;
    bool asked = e->budget == BUDGET_ASKED, states = m->sequence.state > 0;
    struct quantity outside = quantity_add(m->non_torch, m->graphs);
    switch (term) {
    case WEIGHTS:
        return m->weights;
    case HOST:
        return load->on_host > 0 ? quantity_of(load->on_host, ORIGIN_MODEL) : quantity_unknown();
    case BEFORE:
        return quantity_sub(m->usable, m->non_torch);
    case ACTIVATION:
        return m->activation;
    case OUTSIDE:
        return outside;
    case POOL:
        slots = kvcache_slots(&a->resolved.request, 1);
        if (asked)
            return quantity_exact(m->kv_reserved.value - slots * m->sequence.state);
        return states && share > 0 ? quantity_scale(m->kv_pool, 1 / (1 + share)) : m->kv_pool;
    case GIVEN:
        return pool_given(a, m, logged_weights);
    case TOKENS:
        return m->kv_cache_tokens;
    case STATE:
        slots = kvcache_slots(&a->resolved.request, 1);
        if (!states)
            return quantity_unknown();
        return asked ? quantity_exact(slots * m->sequence.state)
                     : quantity_scale(m->kv_pool, share / (1 + share));
    case TOTAL:
        return quantity_add(quantity_add(m->weights, quantity_exact(m->kv_reserved.value)),
                            quantity_add(m->activation, outside));
    default:
        return m->graphs;
    }
}

/* TensorRT-LLM's line has the temporary KV of the profiled step in it. */
static double logged_of_row(const struct set *set, const struct table_file *row,
                            enum logged_part term)
{
    const char *column = set->column[term == GIVEN ? POOL : term];
    double value = column ? table_number_of(row, column) : NAN;
    double kv = table_number_of(row, "tmp_kv_gib");
    if (term == ACTIVATION && !isnan(kv))
        value -= kv;
    /* Ollama's column holds the states too */
    if (term == POOL && strcmp(table_text_of(row, "kv_detail"), "context column") == 0)
        return NAN;
    return value;
}

static struct logged_rows starts;
static int manual_wrong; /* lines that gpuplan-model(7) has otherwise */

/* The row as the log of a start. */
static void keep_start(const struct set *set, const struct table_file *row, const struct asked *a)
{
    struct logged_figures figures = {
        .term = {[LOGGED_WEIGHTS] = set->unit * logged_of_row(set, row, WEIGHTS),
                 [LOGGED_ACTIVATION] = set->unit * logged_of_row(set, row, ACTIVATION),
                 [LOGGED_NON_TORCH] = NAN,
                 [LOGGED_GRAPHS] = set->unit * logged_of_row(set, row, GRAPHS),
                 [LOGGED_CHARGED] = NAN},
        .pool = set->unit * logged_of_row(set, row, POOL),
    };
    logged_rows_add(&starts, &a->resolved.request, &a->layout, &figures);
}

static void score_row(const struct set *set, const struct table_file *row, bool mtp,
                      const struct asked *a, struct score scores[2][TERMS])
{
    struct memory m;
    struct load load = load_sum(&a->resolved.request);
    bool fit = strcmp(set->fit, a->key) == 0;
    memory_estimate(&a->resolved.request, &load, &a->layout, &m);
    printf("%-12s %-24.24s tp%d ep%d %s", set->engine, a->key, a->layout.tp, a->layout.ep,
           fit ? "fit  " : "score");
    for (int t = 0; t < TERMS; t++) {
        double logged = mtp ? NAN : logged_of_row(set, row, (enum logged_part)t);
        struct quantity p = predicted(a, &m, &load, set->unit * logged_of_row(set, row, WEIGHTS),
                                      (enum logged_part)t);
        double unit = t == TOKENS ? 1 : set->unit;
        if (t == TOTAL) {
            logged = total_of(row, mtp);
            unit = GP_GIB;
        }
        bool stated =
            t != WEIGHTS || strcmp(set->engine, "llama.cpp") != 0 || table_text_of(row, "quant")[0];
        if (isnan(logged) || logged <= 0 || !p.known || !stated)
            continue;
        take(&scores[fit][t], logged * unit, &p);
        row_out(&a->resolved.request,
                &(struct row_out){"memory of other engines", term_names[t], NAN, logged * unit,
                                  p.value, p.low, p.high, NAN, ""});
        printf("  %s %.6g %+.1f%%", term_names[t], logged, 100 * (p.value / (logged * unit) - 1));
    }
    printf("\n");
}

static void print_scores(const char *engine, struct score scores[2][TERMS])
{
    printf("\n%-14s %-20s %-5s  %2s  %8s %8s  %7s  %s\n", engine, "term", "split", "n", "mean %",
           "worst %", "in band", "band, half, %");
    for (int t = 0; t < TERMS; t++)
        for (int fit = 1; fit >= 0; fit--) {
            const struct score *s = &scores[fit][t];
            if (s->count)
                printf("%-14s %-20s %-5s  %2d  %8.2f %8.2f  %6d%%  %8.1f\n", "", term_names[t],
                       fit ? "fit" : "score", s->count, s->sum / s->count, s->worst,
                       100 * s->held / s->count, s->width / s->count);
        }
}

/* ---- rows left out, by rule ---- */

struct left {
    const char *why;
    int count;
};

static void leave(struct left *list, const char *why)
{
    while (list->why && strcmp(list->why, why) != 0)
        list++;
    list->why = why;
    list->count++;
}

static bool score_file(struct planner *planner, const struct set *set, const char *file, int argc,
                       char **argv, struct score scores[2][TERMS], struct left *left)
{
    struct table_file rows = {0};
    struct gp_err err = {0};
    struct asked *a;
    if (!file || !table_open(&rows, argc, argv, file))
        return false;
    a = gp_malloc(sizeof(*a));
    memset(a, 0, sizeof(*a));
    while (table_next(&rows))
        for (int mtp = 0; mtp <= 1; mtp++) {
            const char *why =
                ask_row(planner, set, file == set->file ? set->before : "", &rows, mtp, a, &err);
            if (why && !mtp)
                leave(left, why);
            if (why)
                break;
            score_row(set, &rows, mtp, a, scores);
            if (strcmp(set->engine, "llama.cpp") != 0) /* the weights' type is not stated */
                keep_start(set, &rows, a);
        }
    free(a);
    table_close(&rows);
    return true;
}

static bool score_set(struct planner *planner, const struct set *set, int argc, char **argv)
{
    struct score scores[2][TERMS] = {0};
    struct left left[32] = {0};
    if (!score_file(planner, set, set->file, argc, argv, scores, left))
        return false;
    score_file(planner, set, set->recent, argc, argv, scores, left);
    print_scores(set->engine, scores);
    if (starts.count > 0)
        manual_wrong += logged_rows_print(&starts, set->engine);
    starts.count = 0;
    for (struct left *l = left; l->why; l++)
        printf("  left out: %3d rows: %s\n", l->count, l->why);
    printf("\n");
    return true;
}

int main(int argc, char **argv)
{
    struct planner *planner = table_planner();
    bool any = false;
    for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++)
        any = score_set(planner, &sets[i], argc, argv) || any;
    printf("DeepSeek-R1 is the one model that TensorRT-LLM's rows name: its FP8 rows are\n"
           "another checkpoint than the NVFP4 rows that were seen, not another shape.\n");
    planner_free(planner);
    return any ? manual_wrong > 0 : 77;
}
