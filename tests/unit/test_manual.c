/*
 * test_manual.c - the worked numbers of gpuplan-model(7) are the program's own.
 *
 * Each line is reckoned with the functions a plan is made with and the shipped
 * profiles, and looked for, as printed, in the page. A line that is missing is
 * printed as it should be: put it there.
 */
#include "answer/sentence.h"
#include "plan/activation.h"
#include "plan/draft.h"
#include "plan/plan.h"
#include "plan/train/train.h"
#include "profiles.h"
#include "sample.h"

static struct plan planned(const struct request *q, struct layout l, const struct market *market)
{
    static const struct market nowhere;
    struct plan p;
    plan_layout(q, &l, market ? market : &nowhere, &p);
    return p;
}

static char *page;
static int missing;

static void load_page(void)
{
    FILE *file = fopen(source_path("man/gpuplan-model.7"), "r");
    assert_non_null(file);
    page = calloc(1, 1 << 20);
    assert_non_null(page);
    assert_true(fread(page, 1, (1 << 20) - 1, file) > 1000);
    fclose(file);
}

/* The page has this very text. */
static void shows(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static void shows(const char *fmt, ...)
{
    char line[400];
    va_list args;
    va_start(args, fmt);
    vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    if (strstr(page, line))
        return;
    print_error("gpuplan-model.7 lacks: %s\n", line);
    missing++;
}

static char *tokens(double n)
{
    static char text[8][40];
    static int next;
    char *to = text[next++ % 8];
    return units_tokens(to, sizeof(text[0]), n);
}

static double layer_elements(const struct model *m, int k)
{
    struct tensor t[MODEL_MAX_TENSORS];
    int n = model_layer_tensors(m, k, t);
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += t[i].rows * t[i].cols * t[i].count;
    return sum;
}

struct shipped {
    struct catalog *catalog;
    struct sample sample;
    struct request *q;
};

static struct request *shipped_request(struct shipped *w, const char *model, const char *engine,
                                       const char *precision)
{
    struct request *q = sample_request(&w->sample, sample_llama_8b());
    q->model = profile_model(w->catalog, model);
    q->gpu = profile_gpu(w->catalog, "h100-sxm");
    q->engine = profile_engine(w->catalog, engine);
    q->precision = profile_precision(w->catalog, precision);
    q->kv = profile_format(w->catalog, "bf16");
    return q;
}

static double role_bits(const struct request *q, enum tensor_role role)
{
    struct layout l = sample_layout(1, 1, 1, 1);
    return weights_on(q, &l, 0).role[role] * 8 / model_params_role(q->model, role);
}

static void manual_parameters(struct shipped *w)
{
    const struct model *m = profile_model(w->catalog, "llama-3.1-8b");
    const struct model *moe = profile_model(w->catalog, "mixtral-8x7b");

    shows("32 * %s + 2 * 128,256*4,096 + 4,096 = %s", tokens(layer_elements(m, 0)),
          tokens(model_params(m)));
    shows("%s - 32 * 6/8 * 8*3*4,096*14,336 = %s", tokens(model_params(moe)),
          tokens(model_params_active(moe)));
}

static void manual_weights(struct shipped *w)
{
    const struct format *awq = profile_format(w->catalog, "int4-awq");
    struct layout one = sample_layout(1, 1, 1, 1), four = sample_layout(4, 1, 1, 1);
    struct request *q;
    double bytes = format_bytes(awq, 4096, 4096);

    shows("4096*4096*4/8 + 4096*(4096/128)*2.5 = %s bytes = %.5f bits per weight", tokens(bytes),
          bytes * 8 / (4096.0 * 4096));
    q = shipped_request(w, "llama-3.1-8b", "vllm@0.19", "bf16");
    struct weights bf16 = weights_on(q, &one, 0);
    shows("Llama-3.1-8B BF16    %.2f GiB + rope table %.2f GiB = %.2f GiB",
          weights_file_bytes(q) / GP_GIB, bf16.loaded / GP_GIB, bf16.total / GP_GIB);
    q = shipped_request(w, "llama-3.1-8b", "vllm@0.19", "fp8");
    shows("Llama-3.1-8B FP8     %.2f GiB", weights_on(q, &one, 0).total / GP_GIB);
    q = shipped_request(w, "llama-4-scout", "vllm@0.19", "bf16");
    shows("10,485,760 * 128 * 2 bytes = %.2f GiB", weights_on(q, &four, 0).loaded / GP_GIB);
    for (int i = 0; i < 2; i++) {
        q = shipped_request(w, "llama-3.1-8b", "vllm@0.19", i ? "fp8" : "bf16");
        q->prune = PRUNE_2_4;
        shows("%d bits become %.0f", i ? 8 : 16, role_bits(q, ROLE_MLP));
    }
}

static void manual_seven(struct shipped *w)
{
    static const struct {
        const char *id, *text;
    } rows[] = {
        {"llama-3.1-8b", "Llama-3.1-8B         32 * 32768 * 8*(128+128)*2"},
        {"llama-3.1-70b", "Llama-3.1-70B        80 * 32768 * 8*(128+128)*2"},
        {"qwen3-32b", "Qwen3-32B            64 * 32768 * 8*(128+128)*2"},
        {"gemma-3-27b", "Gemma-3-27B          (10*32768 + 52*1024) * 16*(128+128)*2"},
        {"gpt-oss-120b", "gpt-oss-120b         (18*32768 + 18*128) * 8*(64+64)*2"},
        {"deepseek-v3", "DeepSeek-V3          61 * 32768 * (512+64)*2"},
        {"qwen3-next-80b-a3b", "Qwen3-Next-80B-A3B   12 * 32768 * 2*(256+256)*2"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct request *q = shipped_request(w, rows[i].id, "vllm@0.19", "bf16");
        struct kv_sequence s = kvcache_sequence(q, 1, 0, q->model->layer_count, 32768, 8192);
        shows("%s = %.2f GiB", rows[i].text, s.exact / GP_GIB);
    }
}

static void manual_kv(struct shipped *w)
{
    struct request *q = shipped_request(w, "llama-3.1-8b", "vllm@0.19", "bf16");
    shows("32 * 8*(128 + 128)*2 = %s bytes per token",
          tokens(kvcache_bytes_per_token(q->model, q->kv, q->gpu)));
    shows("16 tokens per block, %.0f MiB; TP 2: %.0f KiB per token and GPU",
          kvcache_sequence(q, 1, 0, 32, 8192, 8192).block / GP_MIB,
          kvcache_sequence(q, 2, 0, 32, 8192, 8192).per_token / GP_KIB);
    manual_seven(w);
    q = shipped_request(w, "qwen3-next-80b-a3b", "vllm@0.19", "bf16");
    shows("36 * (32*128*128*2 + (2*16*128 + 32*128)*3*2) = %s bytes",
          tokens(kvcache_sequence(q, 1, 0, 48, 1, 8192).state));
    q = shipped_request(w, "gemma-3-27b", "vllm@0.19", "bf16");
    struct kv_sequence s = kvcache_sequence(q, 1, 0, 62, 8192, 8192);
    shows("512 + 6*513 = %s blocks of %.2f MiB = %.2f GiB", tokens(s.reserved / s.block),
          s.block / GP_MIB, s.reserved / GP_GIB);
}

static void manual_memory(struct shipped *w)
{
    struct request *q = shipped_request(w, "llama-3.1-8b", "vllm@0.19", "bf16");
    struct layout one = sample_layout(1, 1, 1, 1);
    struct memory m;
    q->utilization = 0.95;
    struct load load = load_sum(q);
    memory_estimate(q, &load, &one, &m);
    struct activation a = activation_estimate(q, &load, &one, true);
    shows("1024*128256*(3*4 + 2) + 132*128256*4 + 8192*4096*2 bytes + %.2f GiB = %.2f GiB",
          q->engine->base.value / GP_GIB, a.sampling.value / GP_GIB);
    shows("8192*(2*4096 + 3*14336)*2 bytes + %.2f GiB = %.2f GiB",
          q->engine->forward_base.value / GP_GIB, a.forward.value / GP_GIB);
    shows("0.95 * %.2f = %.2f GiB", m.usable.value / GP_GIB, m.budget.value / GP_GIB);
    shows("%.2f - %.2f - %.2f - %.2f = %.2f GiB", m.budget.value / GP_GIB, m.weights.value / GP_GIB,
          m.activation.value / GP_GIB, m.non_torch.value / GP_GIB, m.kv_pool.value / GP_GIB);
    shows("%s tokens, %.1f requests of 8,192", tokens(m.kv_cache_tokens.value),
          m.max_concurrency.value);
    q = shipped_request(w, "mixtral-8x7b", "vllm@0.19", "bf16");
    load = load_sum(q);
    a = activation_estimate(q, &load, &one, true);
    shows("%.2f * 8192*2*(2*14336 + 14336)*2 bytes = %.2f GiB", q->engine->moe_workspace,
          a.moe.value / GP_GIB);
    q = shipped_request(w, "gemma-3-27b", "vllm@0.19", "bf16");
    load = load_sum(q);
    a = activation_estimate(q, &load, &one, true);
    shows("%.0f*256*5376*2 + %.0f*4096*588*2 bytes = %.2f GiB", a.tower.items, a.tower.items,
          a.vision.value / GP_GIB);
    shows("%.0f*%.0f*(588 + 10*1152)*2 bytes = %.2f GiB", a.tower.items, a.tower.patches,
          a.tower.pass.value / GP_GIB);
    shows("max(%.2f, %.2f + %.2f) = %.2f GiB", a.tower.pass.value / GP_GIB,
          a.sampling.value / GP_GIB, a.vision.value / GP_GIB, a.peak.value / GP_GIB);
}

static void manual_engines(struct shipped *w)
{
    static const struct {
        const char *id, *text;
    } rows[] = {
        {"vllm@0.19", "vLLM 0.19      0.90 * usable - weights - activation - non-torch"},
        {"tensorrt-llm", "TensorRT-LLM   0.90 * (usable - everything else)"},
        {"sglang", "SGLang         0.830 * (usable - non-torch) - weights"},
        {"llama.cpp", "llama.cpp      usable - everything else"},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct request *q = shipped_request(w, "llama-3.1-8b", rows[i].id, "bf16");
        struct layout one = sample_layout(1, 1, 1, 1);
        struct memory m;
        struct load load = load_sum(q);
        memory_estimate(q, &load, &one, &m);
        shows("%s = %.2f GiB", rows[i].text, m.kv_pool.value / GP_GIB);
    }
}

static void manual_verdict(struct shipped *w)
{
    struct request *q = shipped_request(w, "llama-3.1-70b", "vllm@0.21", "bf16");
    struct plan p = planned(q, sample_layout(2, 1, 1, 1), NULL);
    const struct memory *m = &p.memory;
    struct texts texts = {0};

    assert_int_equal(p.verdict, VERDICT_MARGINAL);
    shows("%.2f - %.2f - %.2f - %.2f - %.2f = %.2f GiB", m->budget.value / GP_GIB,
          m->weights.value / GP_GIB, m->activation.value / GP_GIB, m->non_torch.value / GP_GIB,
          m->graphs_charged.value / GP_GIB, m->kv_pool.value / GP_GIB);
    shows("pool %.2f to %.2f GiB, need %.2f GiB: %s", m->kv_pool.low / GP_GIB,
          m->kv_pool.high / GP_GIB, m->kv_reserved.value / GP_GIB, verdict_word(p.verdict));
    shows("70,553,706,496 * 16/8 * 1.25 = %.2f GB; the checkpoint has %.2f GiB",
          m->rule_of_thumb / 1e9, m->file_bytes / GP_GIB);
    q = shipped_request(w, "qwen3-14b", "vllm", "bf16");
    p = planned(q, sample_layout(5, 1, 1, 1), NULL);
    assert_int_equal(p.limit, LIMIT_LAYOUT);
    shows("TP=5 neither divides nor is a multiple of 8 KV heads");
    assert_non_null(strstr(sentence_first_reason(&p, &texts),
                           "TP=5 neither divides nor is a multiple of 8 KV heads"));
    texts_fini(&texts);
}

static void manual_cost(void)
{
    struct market market = sample_aws_market();
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_70b());
    q->host_watts = 575; /* of a DGX H100 */
    struct plan p = planned(q, sample_layout(8, 1, 1, 1), &market);
    const struct buy *b = &p.cost.buy;
    double capital = b->per_hour.value - b->running.value;

    shows("%.2f kW * 1.5 * $0.0861 = $%.2f/h", b->watts / 1000, b->running.value);
    shows("$%s/(4*8760) + $%.2f = $%.2f + $%.2f = $%.2f/h", tokens(b->capital.value),
          b->running.value, capital, b->running.value, b->per_hour.value);
    shows("$%s / ($%.2f - $%.2f) = %s hours", tokens(b->capital.value), p.cost.per_hour,
          b->running.value, tokens(b->break_even_hours));
    shows("$%.2f/h = $%s/month", p.cost.per_hour, tokens(p.cost.per_month));
}

static void manual_speed(struct shipped *w)
{
    const struct gpu *ada = profile_gpu(w->catalog, "rtx-4090"),
                     *l40s = profile_gpu(w->catalog, "l40s");
    double ec = l40s->family->product[KERNEL_16].compute;

    assert_true(family_compute(KERNEL_16, l40s, ec) == ec);
    shows("1 / sqrt(1 + (1/%.3f^2 - 1) * (%.1f/%.1f)^2) = %.3f", ec,
          ada->rate[MATH_BF16].value / 1e12, ada->rate_fp16acc.value / 1e12,
          family_compute(KERNEL_16, ada, ec));
}

static void manual_energy(struct shipped *w)
{
    struct request *q = shipped_request(w, "llama-3.1-70b", "vllm", "fp8");
    q->users = 16;
    q->prompt = 1024;
    q->output = 256;
    q->host_watts = 575;
    struct plan p = planned(q, sample_layout(2, 1, 1, 1), NULL);
    const struct power *e = &p.power;
    shows("700 W * (0.28 + 0.72*%.3f + 1.40*%.3f) = %.0f W", e->memory, e->compute,
          e->decode.value);
    shows("2 * (700 W + 575 W) = %.2f kW", e->sheet / 1000);
}

static void manual_training(struct shipped *w)
{
    struct request *q = shipped_request(w, "llama-3.1-8b", "vllm", "bf16");
    struct train full = train_defaults(TRAIN_FULL);
    struct train_memory m;

    full.gpus = 1;
    full.zero_stage = 0;
    train_estimate(q, &full, &m);
    shows("8,030,261,248 * 18 bytes = %.1f GiB", m.states.value / GP_GIB);
    full.gpus = 8;
    full.zero_stage = 3;
    train_estimate(q, &full, &m);
    shows("8,030,261,248 * 16 bytes / 8 = %.1f GiB", m.states.value / GP_GIB);
    shows("2048 * 128,256 * 14 bytes = %.2f GiB", m.logits.value / GP_GIB);
    full.loss = LOSS_FUSED;
    train_estimate(q, &full, &m);
    shows("64 * 128,256 * 6 + 2048 * 4096 * 2 bytes = %.2f GiB", m.logits.value / GP_GIB);
    struct train less = train_defaults(TRAIN_FULL);
    double offloaded[OFFLOAD_COUNT];
    less.gpus = 1;
    for (int o = OFFLOAD_OPTIMIZER; o < OFFLOAD_COUNT; o++) {
        less.offload = (enum train_offload)o;
        train_estimate(q, &less, &m);
        offloaded[o] = m.host.value / GP_GIB;
    }
    shows("8,030,261,248 * 16 bytes = %.1f GiB, 18 bytes: %.1f GiB", offloaded[OFFLOAD_OPTIMIZER],
          offloaded[OFFLOAD_PARAMETERS]);
    less.offload = OFFLOAD_NONE;
    less.step_in_backward = true;
    train_estimate(q, &less, &m);
    shows("128,256 * 4096 * 4 bytes = %.2f GiB", m.gradients.value / GP_GIB);
    struct train ring = train_defaults(TRAIN_FULL);
    ring.gpus = ring.cp = 4;
    ring.sequence = 8192;
    train_estimate(q, &ring, &m);
    shows("2 * 2048 * 2 * 8 * (128 + 128) bytes = %.0f MiB", m.exchange.value / GP_MIB);
    struct train head = train_defaults(TRAIN_QLORA);
    head.gpus = 1;
    train_estimate(q, &head, &m);
    double states = m.states.value;
    head.modules = MODULES_HEAD;
    train_estimate(q, &head, &m);
    shows("128,256 * 4096 * 16 bytes = %.2f GiB", (m.states.value - states) / GP_GIB);
}

static void test_manual(void **state)
{
    struct shipped w = {.catalog = open_profiles()};

    (void)state;
    load_page();
    missing = 0;
    manual_parameters(&w);
    manual_weights(&w);
    manual_kv(&w);
    manual_memory(&w);
    manual_engines(&w);
    manual_verdict(&w);
    manual_cost();
    manual_speed(&w);
    manual_energy(&w);
    manual_training(&w);
    catalog_free(w.catalog);
    free(page);
    assert_int_equal(missing, 0);
}

/* Every name of a term that a plan can have stands in the manual. */
static void test_manual_names(void **state)
{
    static const char *const names[] = {
        "physical",        "usable",          "budget",    "checkpoint", "rope table",
        "absorbed MLA",    "padding",         "pruning",   "sampling",   "forward",
        "workspace",       "vision",          "non-torch", "graphs",     "KV pool",
        "KV cache tokens", "max concurrency", "margin",    "free",       "rule of thumb",
        "instances",       "capital",         "running",   "break-even"};

    (void)state;
    load_page();
    missing = 0;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        shows("%s", names[i]);
    free(page);
    assert_int_equal(missing, 0);
}

static void test_host_memory(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_gpt_oss_20b());
    (void)state;
    load_page();
    missing = 0;
    s.engine.pad_hidden = 0;
    q->precision = sample_gpt_oss_precision();
    q->host_experts = 20;
    struct plan p = planned(q, sample_layout(1, 1, 1, 1), NULL);
    shows("bytes = %.3f GiB\na layer", p.memory.host.value / 20 / GP_GIB);
    shows("of 24, %.2f GiB are in host memory", p.memory.host.value / GP_GIB);
    free(page);
    assert_int_equal(missing, 0);
}

static void test_added(void **state)
{
    struct sample s;
    struct request *q = sample_request(&s, sample_llama_8b());
    struct catalog *catalog = open_profiles();
    const struct model *m = profile_model(catalog, "deepseek-v3");
    struct model mtp;
    char elements[40], stated[40];
    (void)state;
    load_page();
    missing = 0;
    q->lora_slots = 1;
    q->lora_rank = 16;
    struct plan p = planned(q, sample_layout(1, 1, 1, 1), NULL);
    shows("rank 16: %.1f MiB an adapter", p.memory.lora.value / GP_MIB);
    assert_int_equal(draft_mtp(m, &mtp), 1);
    shows("has %s elements in its MTP layer",
          units_tokens(elements, sizeof(elements), model_params(&mtp)));
    shows("the checkpoint's\n%s count", units_tokens(stated, sizeof(stated), m->mtp_params));
    catalog_free(catalog);
    free(page);
    assert_int_equal(missing, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_manual),
        cmocka_unit_test(test_manual_names),
        cmocka_unit_test(test_host_memory),
        cmocka_unit_test(test_added),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
