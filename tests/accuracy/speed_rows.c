/*
 * speed_rows.c - see speed_rows.h.
 *
 * Rules, none of them by a row's result:
 *   serving_measured.csv  rows that serving_rules.csv marks with no rule or R4 alone, with
 *                         its repaired layout; blank precision is BF16
 */
#include "speed_rows.h"

struct name {
    const char *listed, *id;
    const char *fp8, *fp4; /* the precision that the release has */
};

/* By a part of the name; the first that matches. fp8 and fp4 "" = as published. */
static const struct name models[] = {
    {"Llama-3.1-70B", "llama-3.1-70b", "fp8", "nvfp4"},
    {"Llama-3.1-8B", "llama-3.1-8b", "fp8", "nvfp4"},
    {"Qwen3-235B-A22B", "qwen3-235b-a22b", "fp8-block", "nvfp4"},
    {"DeepSeek-R1", "deepseek-r1", "", "nvfp4"},
    {"DeepSeek-V3.2", "deepseek-v3.2", "", "nvfp4"},
    {"DeepSeek-V3.1", "deepseek-v3", "", "nvfp4"},
    {"DeepSeek-V3", "deepseek-v3", "", "nvfp4"},
    {"gpt-oss-120b", "gpt-oss-120b", "", ""},
    {"gpt-oss-20b", "gpt-oss-20b", "", ""},
    {"Qwen3-Coder-30B-A3B", "qwen3-30b-a3b", "fp8-block", "nvfp4"},
    {"Qwen3-Coder-480B-A35B", "qwen3-coder-480b-a35b", "fp8-block", "nvfp4"},
    {"Qwen3-30B-A3B", "qwen3-30b-a3b", "fp8-block", "nvfp4"},
    {"Qwen3-8B", "qwen3-8b", "fp8-block", "nvfp4"},
    {"Qwen3-0.6B", "qwen3-0.6b", "fp8-block", "nvfp4"},
    {"Qwen3Guard-Gen-8B", "qwen3-8b", "fp8-block", "nvfp4"},
    {"Nemotron-3-Nano-4B", "nemotron-3-nano-4b", "fp8", "nvfp4"},
    {"Nemotron-3-Nano-Omni-30B-A3B", "nemotron-3-nano-30b-a3b", "fp8", "nvfp4"},
    {"Nemotron-3-Nano-30B-A3B", "nemotron-3-nano-30b-a3b", "fp8", "nvfp4"},
    {"Nemotron-Cascade-2-30B-A3B", "nemotron-3-nano-30b-a3b", "fp8", "nvfp4"},
    {"Nemotron-3-Super-120B-A12B", "nemotron-3-super-120b-a12b", "fp8", "nvfp4"},
};

static const struct name gpus[] = {
    {"h100_sxm", "h100-sxm", "", ""},
    {"h200_sxm", "h200-sxm", "", ""},
    {"b200_sxm", "b200", "", ""},
    {"b300_sxm", "b300", "", ""},
    {"GB10", "dgx-spark-gb10", "", ""},
    {"RTX 5090", "rtx-5090", "", ""},
    {"RTX PRO 6000", "rtx-pro-6000-ws", "", ""},
    {"B200", "b200", "", ""},
    {"B300", "b300", "", ""},
    {"H100", "h100-sxm", "", ""},
    {"H200", "h200-sxm", "", ""},
    {"H20", "h20-96", "", ""},
    {"L40S", "l40s", "", ""},
    {"MI300X", "mi300x", "", ""},
    {"MI355X", "mi355x", "", ""},
    {"A100-SXM-80GB", "a100-sxm-80", "", ""},
    {"Strix Halo", "strix-halo-128", "", ""},
    {"M3 Ultra", "apple-m3-ultra", "", ""},
    {"M2 Max", "apple-m2-max", "", ""},
};

static const struct name engines[] = {
    {"trtllm", "tensorrt-llm", "", ""}, {"tensorrt-llm", "tensorrt-llm", "", ""},
    {"vllm", "vllm", "", ""},           {"sglang", "sglang", "", ""},
    {"llama.cpp", "llama.cpp", "", ""}, {"rapid-mlx", "mlx", "", ""},
};

#define COUNT(list) (sizeof(list) / sizeof(list[0]))

static const struct name *name_in(const struct name *list, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(text, list[i].listed))
            return &list[i];
    return NULL;
}

/* ---- copies of the constants ---- */

static struct family *copy_family(struct constants *c, const struct family *f)
{
    int i = 0;
    while (i < c->families && strcmp(c->family[i].id, f->id) != 0)
        i++;
    if (i == c->families)
        c->family[c->families++] = *f;
    return &c->family[i];
}

static const struct gpu *copy_gpu(struct constants *c, const struct gpu *g)
{
    int i = 0;
    while (i < c->gpus && strcmp(c->gpu[i].id, g->id) != 0)
        i++;
    if (i == c->gpus) {
        c->gpu[c->gpus] = *g;
        c->gpu[c->gpus++].family = g->family ? copy_family(c, g->family) : NULL;
    }
    return &c->gpu[i];
}

static const struct engine *copy_engine(struct constants *c, const struct engine *e)
{
    int i = 0;
    while (i < c->engines &&
           (strcmp(c->engine[i].id, e->id) != 0 || strcmp(c->engine[i].range, e->range) != 0))
        i++;
    if (i == c->engines)
        c->engine[c->engines++] = *e;
    return &c->engine[i];
}

/* ---- one row ---- */

/* Releases in FP4 keep the attention of mixtures of experts in 16 bit; others say so. */
static void keep_attention(const struct asked *a, struct request *q)
{
    static const int roles[] = {ROLE_ATTN_Q, ROLE_ATTN_KV, ROLE_ATTN_OUT, ROLE_ATTN_LATENT,
                                ROLE_INDEXER};
    bool fp4 = strcmp(q->precision.weight->id, "nvfp4") == 0 && model_experts(q->model) > 0;
    if (!fp4 && !a->attention_16)
        return;
    for (size_t i = 0; i < COUNT(roles); i++)
        q->precision.by_role[roles[i]] = q->precision.base;
}

static bool resolve(struct rows *rows, const struct asked *a, struct request *q);

/* Files of gpt-oss for llama.cpp and MLX: what the release has in BF16 is in 8 bits (11.27
 * GiB of the 20B: 19.1 billion weights of 4.25 bits and 1.8 of 8.5; "MXFP4-Q8"). */
static void native_q8(struct rows *rows, const struct asked *a, struct request *q)
{
    struct request q8;
    struct asked again = *a;
    bool mlx = strcmp(a->engine, "mlx") == 0;
    if ((!q->engine->gguf && !mlx) ||
        (a->precision[0] != '\0' && strcmp(a->precision, "native") != 0) ||
        strstr(a->model, "gpt-oss") == NULL)
        return;
    again.precision = mlx ? "mlx-8bit" : "q8_0";
    if (!resolve(rows, &again, &q8))
        return;
    for (int role = 0; role < ROLE_COUNT; role++)
        if (role != ROLE_EXPERT)
            q->precision.by_role[role] = q8.precision.by_role[role];
}

static bool resolve(struct rows *rows, const struct asked *a, struct request *q)
{
    static struct resolved resolved;
    struct options options = {0};
    struct gp_err err = {0};
    char engine[48];
    options_text(&options, OPT_MODEL, "model", a->model, NULL);
    if (a->precision[0])
        options_text(&options, OPT_PRECISION, "precision", a->precision, NULL);
    options_text(&options, OPT_GPU, "gpu", a->gpu, NULL);
    gp_format(engine, sizeof(engine), "%s%s%s", a->engine, a->range ? "@" : "",
              a->range ? a->range : "");
    options_text(&options, OPT_ENGINE, "engine", engine, NULL);
    if (a->kv)
        options_text(&options, OPT_KV_PRECISION, "kv", a->kv, NULL);
    options_number(&options, OPT_CONTEXT, "context",
                   a->context > 0 ? a->context : a->prompt + a->output, NULL);
    if (planner_resolve(rows->planner, &options, NULL, NULL, NULL, &resolved, &err)) {
        fprintf(stderr, "%s %s %s: %s\n", a->model, a->gpu, a->precision, err.text);
        return false;
    }
    *q = resolved.request;
    q->prompt = (long)a->prompt;
    q->output = (long)a->output;
    q->gpu = copy_gpu(&rows->constants, q->gpu);
    q->engine = copy_engine(&rows->constants, q->engine);
    keep_attention(a, q);
    native_q8(rows, a, q);
    return true;
}

/* Attention DP is written as replicas that share their experts. */
static struct layout layout_asked(const struct asked *a)
{
    return (struct layout){.tp = a->tp,
                           .pp = a->pp > 0 ? a->pp : 1,
                           .ep = a->ways > 1 ? a->tp * a->ways : a->ep,
                           .replicas = a->ways > 1 ? a->ways : 1};
}

#define SETTLED 0.1

/* As many as the memory model lets in; rows of serving_measured.csv that queued are left
 * out by rule, and their memory settings are not stated. Where a row's first tokens came in
 * less than a tenth of the time that a queue would have cost, there was none: what the memory
 * model is short of is scored there, not here. */
static double admitted_of(const struct row *r, const struct load *load, const struct asked *a,
                          const struct memory *m)
{
    if (a->settled || a->phase == PHASE_DECODE || a->phase == PHASE_PROMPT)
        return 1e9;
    double room = speed_admitted(&r->request, load, m) * (a->ways > 1 ? a->ways : 1);
    double wait = (a->users / a->replicas / room - 1) * a->output * a->time;
    return wait > 0 && a->ttft < SETTLED * wait ? 1e9 : room;
}

/* InferenceMAX's launch scripts of DeepSeek-R1 on B200: --scheduler-recv-interval 10, and 30
 * from 16 users on. */
static double receive_interval(const struct request *q, double users)
{
    bool set = strcmp(q->engine->id, "sglang") == 0 && strcmp(q->gpu->id, "b200") == 0 &&
               strcmp(q->model->id, "deepseek-r1") == 0;
    return !set ? 0 : users < 16 ? 10 : 30;
}

bool rows_ask(struct rows *rows, const struct asked *a)
{
    struct row *r = &rows->row[rows->count];
    struct row_answer out;
    struct memory memory;
    rows->left_out++;
    if (rows->count == ROWS_MAX || !resolve(rows, a, &r->request))
        return false;
    struct load load = load_sum(&r->request);
    step_load_sum(&r->request, &load, &r->load);
    r->layout = layout_asked(a);
    r->serve =
        (struct serve_load){.users = fmax(a->users / a->replicas, 1),
                            .admitted = 1e9,
                            .prompt = a->prompt,
                            .output = a->output,
                            .chunk = load.max_batched_tokens,
                            .receive = a->scripts ? receive_interval(&r->request, a->users) : 0,
                            .rounds = a->rounds,
                            .captured = a->captured};
    memory_estimate(&r->request, &load, &r->layout, &memory);
    r->weights = memory.weights.value;
    if (memory.physical.known && r->weights > memory.physical.value)
        return false; /* what the row calls its format cannot be */
    r->serve.admitted = admitted_of(r, &load, a, &memory);
    gp_copy(r->model, sizeof(r->model), a->model);
    gp_copy(r->gpu, sizeof(r->gpu), r->request.gpu->id);
    gp_copy(r->engine, sizeof(r->engine), a->engine);
    gp_copy(r->precision, sizeof(r->precision), r->request.precision.weight->id);
    r->phase = a->phase;
    r->rate = r->request.rate = a->rate;
    r->asked = a->asked;
    r->time = a->time;
    r->ttft = a->ttft;
    r->peer = a->peer;
    r->tokens = a->tokens > 0 ? a->tokens / a->replicas : 0;
    r->moe = model_experts(r->request.model) > 0;
    if (!row_predict(r, &out)) {
        fprintf(stderr, "%s on %s: no estimate (%d)\n", a->model, a->gpu, r->load.gap);
        return false;
    }
    rows->left_out--;
    rows->count++;
    return true;
}

/* Of a run of so many requests, from an idle engine to the last answer: when the last are
 * let in, the others are half done in the mean, and fewer and fewer share a step. */
static double run_time(const struct serve_load *l, const struct step *step,
                       const struct serve *serve)
{
    double b = serve->decoding, tokens = l->prompt + l->output / 2, tail = 0;
    if (l->users > serve->running)
        tail = l->output * (step_decode(step, b / 2, tokens) - step_decode(step, b, tokens) / 2);
    return 1 / (serve->requests * l->output) + tail / (l->users * l->output);
}

static double time_of(const struct row *row, const struct step *step, const struct serve *serve)
{
    const struct serve_load *l = &row->serve;
    switch (row->phase) {
    case PHASE_DECODE:
        return step_decode(step, l->users, l->prompt + l->output / 2);
    case PHASE_WALL:
        return (serve->ttft + (l->output - 1) * serve->tpot) / l->output;
    case PHASE_PROMPT:
        return serve->solo;
    case PHASE_RATE:
        return run_time(l, step, serve);
    default:
        return serve->tpot;
    }
}

#define ENDS 12    /* turns until the two agree */
#define CLOSE 0.01 /* ... as nearly as this share of the rate */

/* Of a run of N requests at a rate r, in which an answer takes L: those in flight rise as they
 * come and fall as they end, so that one sees r*L*(1 - L/(3T)) beside it in the mean, T = N/r,
 * and r*T*(1 - T/(3L)) where T < L. As of a rate that much lower. */
static bool rate_estimate(const struct row *row, const struct step *step, struct serve *out)
{
    double rate = row->rate, lasts = row->asked / row->rate;
    bool held = serve_rate(step, &row->serve, rate, out);

    for (int i = 0; i < ENDS && row->asked > 0; i++) {
        double one = out->ttft + (row->serve.output - 1) * out->tpot;
        double part = one < lasts ? 1 - one / (3 * lasts) : lasts / one * (1 - lasts / (3 * one));
        double less = row->rate * part - rate;
        if (fabs(less) < CLOSE * row->rate)
            break;
        rate += less / 2;
        held = serve_rate(step, &row->serve, rate, out);
    }
    return held;
}

bool row_predict(const struct row *row, struct row_answer *out)
{
    struct step step;
    struct serve serve;
    struct speed speed;
    step_cut(&row->load, &row->layout, &step);
    if (step.gap != SPEED_KNOWN)
        return false;
    if (row->rate <= 0)
        serve_estimate(&step, &row->serve, &serve);
    else if (!rate_estimate(row, &step, &serve))
        return false;
    speed_band(&step, &serve, serve.running, &speed);
    *out = (struct row_answer){.time = time_of(row, &step, &serve),
                               .ttft = serve.ttft,
                               .tokens = serve.requests * row->serve.output,
                               .low = speed.factor_low,
                               .high = speed.factor_high,
                               .doubts = speed.doubts};
    bool lone = row->rate <= 0 && row->serve.users <= 1;
    speed_band_first(&speed, lone ? FIRST_IDLE : FIRST_STEADY, &out->ttft_low, &out->ttft_high);
    if (row->phase == PHASE_PROMPT)
        speed_band_first(&speed, FIRST_IDLE, &out->low, &out->high);
    return isfinite(out->time) && out->time > 0;
}

/* ---- serving_measured.csv ---- */

static bool only_r4(const char *rules)
{
    while (*rules == ' ')
        rules++;
    return rules[0] == '\0' || (strncmp(rules, "R4", 2) == 0 && strchr(rules, ' ') == NULL);
}

/* The caches of quantized releases: TensorRT-LLM's in FP8, SGLang's and vLLM's on B200
 * (InferenceMAX's launch scripts set kv-cache-dtype to fp8 there). */
static const char *serving_kv(const char *engine, const char *precision, const char *model,
                              const char *gpu)
{
    bool fp4 = strcmp(precision, "fp4") == 0, fp8 = strcmp(precision, "fp8") == 0;
    bool oss = strstr(model, "gpt-oss") != NULL;
    if (strcmp(engine, "trtllm") == 0)
        return fp4 || fp8 || oss ? "fp8" : "bf16";
    if (strcmp(engine, "vllm") == 0)
        return strcmp(gpu, "b200") == 0 && (fp4 || fp8 || oss) ? "fp8" : "bf16";
    return strcmp(engine, "sglang") == 0 && strcmp(gpu, "b200") == 0 && (fp4 || fp8) ? "fp8"
                                                                                     : "bf16";
}

/* Its scripts of gpt-oss for vLLM: max-cudagraph-capture-size 2048. */
static double captured_tokens(const struct asked *a)
{
    bool set = strcmp(a->engine, "vllm") == 0 && strcmp(a->model, "gpt-oss-120b") == 0;
    return set ? 2048 : 0;
}

/* The version that a row states. SGLang's that name none are of its time, before prompts ran in
 * graphs; vLLM's are planned as the newest. */
static const char *serving_range(const char *engine, const char *version)
{
    bool stated = strncmp(version, "0.", 2) == 0;
    if (strcmp(engine, "sglang") == 0)
        return !stated || strncmp(version, "0.5.9", 5) == 0 ? "0.5.9" : "0.5.8";
    return strcmp(engine, "vllm") == 0 && stated ? version : NULL;
}

static void serving_row(struct rows *rows, const struct table_file *t,
                        const struct table_file *rule)
{
    const struct name *m = name_in(models, COUNT(models), table_text_of(t, "model_path"));
    const struct name *g = name_in(gpus, COUNT(gpus), table_text_of(t, "system"));
    const struct name *e = name_in(engines, COUNT(engines), table_text_of(t, "backend"));
    const char *precision = table_text_of(t, "precision");
    const char *at = strstr(table_text_of(t, "silicon_data_source"), "silicon_concurrency=");
    double batch = table_number_of(t, "batch_size"), ways = table_number_of(rule, "attention_dp");
    if (!m || !g || !e) {
        rows->left_out++;
        return;
    }
    struct asked a = {
        .model = m->id,
        .gpu = g->id,
        .engine = e->id,
        .range = serving_range(e->id, table_text_of(t, "backend_version")),
        .precision = strcmp(precision, "fp8") == 0   ? m->fp8
                     : strcmp(precision, "fp4") == 0 ? m->fp4
                                                     : "bf16",
        .kv = serving_kv(table_text_of(t, "backend"), precision, m->id, g->id),
        .users = at ? strtod(at + strlen("silicon_concurrency="), NULL)
                    : (isnan(batch) ? 1 : batch) * ways,
        .prompt = table_number_of(t, "isl"),
        .output = table_number_of(t, "osl"),
        .tp = (int)table_number_of(rule, "tp"),
        .ways = (int)ways,
        .ep = (int)table_number_of(rule, "ep"),
        .replicas = 1,
        .time = table_number_of(t, "silicon_tpot_ms") / 1e3,
        .ttft = table_number_of(t, "silicon_ttft_ms") / 1e3,
        .peer = table_number_of(rule, "aiconfigurator_tpot_ms") / 1e3,
        .settled = true,
        .scripts = true,
    };
    a.captured = captured_tokens(&a);
    rows_ask(rows, &a);
}

bool rows_serving(struct rows *rows, int argc, char **argv)
{
    struct table_file t, rule;
    int at = 0;
    if (!table_open(&t, argc, argv, "validation/serving_measured.csv"))
        return false;
    if (!table_open(&rule, argc, argv, "validation/serving_rules.csv")) {
        table_close(&t);
        return false;
    }
    while (table_next(&rule)) {
        int row = (int)table_number_of(&rule, "row");
        while (at < row && table_next(&t))
            at++;
        if (!only_r4(table_text_of(&rule, "rules")) || isnan(table_number_of(&rule, "tp")) ||
            rows->count == ROWS_MAX)
            rows->left_out++;
        else
            serving_row(rows, &t, &rule);
    }
    table_close(&rule);
    table_close(&t);
    return true;
}

void rows_init(struct rows *rows)
{
    memset(rows, 0, sizeof(*rows));
    rows->row = gp_calloc(ROWS_MAX, sizeof(*rows->row));
    rows->planner = table_planner();
}

void rows_fini(struct rows *rows)
{
    planner_free(rows->planner);
    free(rows->row);
}
