/*
 * requests.h - random requests over the shipped profiles, for properties that hold for all.
 *
 * GPUPLAN_SEARCH_SEED begins elsewhere, GPUPLAN_SEARCH_SEEDS goes through so many from there.
 * Each thing found wrong names its request as a command, and all are told before the test
 * fails.
 */
#ifndef GP_TESTS_REQUESTS_H
#define GP_TESTS_REQUESTS_H

#include "profiles.h"

#include <unistd.h>

#include "answer/planner.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/search.h"

#define TODAY 20778 /* 2026-11-21 */

static struct planner *planner;
static const struct gpu *const *gpus;
static const struct model *const *model_list;
static size_t gpu_count, model_count;
static char texts[OPTION_COUNT][64]; /* what the ask borrows */
static char trace_file[] = "/tmp/gpuplan-search-XXXXXX";

/* ---- random requests ---- */

static uint64_t random_state = 1;

static inline unsigned random_below(unsigned n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((random_state >> 33) % n);
}

static inline void give(struct options *options, enum option_id id, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline void give(struct options *options, enum option_id id, const char *format, ...)
{
    struct gp_err err = {0};
    va_list args;
    va_start(args, format);
    vsnprintf(texts[id], sizeof(texts[id]), format, args);
    va_end(args);
    if (options_text(options, id, option_rows[id].name, texts[id], &err))
        fail_msg("--%s %s: %s", option_rows[id].name, texts[id], err.text);
}

static inline struct options random_ask(void)
{
    static const char *const precisions[] = {"native", "native", "fp8", "int4-awq"};
    static const char *const engines[] = {"vllm",   "vllm",         "vllm@0.19",
                                          "sglang", "tensorrt-llm", "llama.cpp"};
    struct options options = {0};
    give(&options, OPT_MODEL, "%s", model_list[random_below((unsigned)model_count)]->id);
    give(&options, OPT_GPU, "%s", gpus[random_below((unsigned)gpu_count)]->id);
    give(&options, OPT_PRECISION, "%s", precisions[random_below(4)]);
    give(&options, OPT_ENGINE, "%s", engines[random_below(6)]);
    give(&options, OPT_CONTEXT, "%u", 256u << random_below(9));
    if (random_below(8) == 0)
        give(&options, OPT_RATE, "%u.%u", random_below(1u << random_below(6)), 1 + random_below(9));
    else
        give(&options, OPT_USERS, "%u", 1 + random_below(1u << random_below(10)));
    if (random_below(4) == 0)
        give(&options, OPT_MEMORY_UTILIZATION, "0.%u", 80 + random_below(16));
    if (random_below(4) == 0)
        give(&options, OPT_TPOT, "%u", 4u << random_below(6));
    if (random_below(6) == 0)
        give(&options, OPT_POWER_CAP, "%u", 500u << random_below(8));
    if (random_below(6) == 0)
        give(&options, OPT_TTFT, "%u", 50u << random_below(6));
    if (random_below(8) == 0)
        give(&options, OPT_MAX_BATCHED_TOKENS, "%u", 512u << random_below(5));
    if (random_below(8) == 0)
        give(&options, OPT_THROUGHPUT, "%u", 20u << random_below(10));
    if (random_below(8) == 0)
        give(&options, OPT_BUDGET, "%u", 1u << random_below(8));
    if (random_below(10) == 0)
        give(&options, OPT_DISAGGREGATE, "auto");
    return options;
}

/* The request as a command, for a message. */
static inline const char *command_of(const struct options *options)
{
    static struct strbuf text;
    strbuf_fini(&text);
    strbuf_init(&text);
    options_command(options, "plan", "", &text);
    return text.text;
}

static inline bool resolve(const struct options *options, struct resolved *out)
{
    struct gp_err err = {0};
    return planner_resolve(planner, options, NULL, NULL, NULL, out, &err) == GP_OK;
}

static inline struct plan search(const struct resolved *r)
{
    struct plan p;
    search_plan(&r->request, &r->market, SEARCH_FEWEST_GPUS, &p);
    return p;
}

/* Options besides, so that little fits; those that contradict each other as well. */
static inline void random_more(struct options *options)
{
    static const char *const caches[] = {"auto", "fp8", "bf16", "q8_0"};
    static const char *const precisions[] = {"q4_k_m", "q8_0", "nvfp4", "int8", "fp16"};
    static const char *const prices[] = {"spot", "market", "buy"};
    static const struct {
        enum option_id id;
        const char *text[2];
    } words[] = {
        {OPT_DRAFT, {"mtp", "qwen3-0.6b"}}, {OPT_PROVIDER, {"aws", "verda,lambda"}},
        {OPT_PRUNE, {"layers:2", "50%"}},   {OPT_DISAGGREGATE, {"auto", "1:2"}},
        {OPT_PREFIX_HIT, {"0.5", "0.9"}},   {OPT_PROMPT_STDDEV, {"200", "800"}},
        {OPT_HEADROOM, {"0.1", "0.3"}},     {OPT_LANGUAGE_MODEL_ONLY, {"", ""}},
        {OPT_ENGINE, {"ollama", "mlx"}},    {OPT_NO_KV_OFFLOAD, {"", ""}},
    };
    static const struct {
        enum option_id id;
        unsigned low, bits;
    } counts[] = {
        {OPT_TP, 1, 5},
        {OPT_PP, 1, 5},
        {OPT_EP, 1, 5},
        {OPT_REPLICAS, 1, 5},
        {OPT_DP, 1, 4},
        {OPT_MAX_PP, 1, 6},
        {OPT_MAX_NUM_SEQS, 1, 10},
        {OPT_LORA, 1, 6},
        {OPT_GPU_LAYERS, 1, 6},
        {OPT_N_CPU_MOE, 1, 5},
        {OPT_CPU_OFFLOAD_GB, 1, 6},
        {OPT_KV_OFFLOAD_GB, 1, 6},
        {OPT_PROMPT, 1, 13},
        {OPT_OUTPUT, 1, 10},
        {OPT_SPECULATIVE_TOKENS, 1, 4},
    };
    if (random_below(2)) {
        options->gpu_count = 0;
        give(options, OPT_GPU, "%s:%u", gpus[random_below((unsigned)gpu_count)]->id,
             1u << random_below(5));
    }
    if (random_below(4) == 0)
        options->value[OPT_ENGINE].given = false;
    if (random_below(4) == 0)
        options->value[OPT_CONTEXT].given = false;
    if (random_below(3) == 0)
        give(options, OPT_KV_PRECISION, "%s", caches[random_below(4)]);
    if (random_below(4) == 0) {
        options->precision_count = 0;
        give(options, OPT_PRECISION, "%s", precisions[random_below(5)]);
    }
    if (random_below(8) == 0)
        give(options, OPT_PRICE, "%s", prices[random_below(3)]);
    if (random_below(12) == 0)
        give(options, OPT_USED, "%uGiB", 1 + random_below(16));
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (random_below(16) == 0)
            give(options, words[i].id, "%s", words[i].text[random_below(2)]);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        if (random_below(12) == 0)
            give(options, counts[i].id, "%u",
                 counts[i].low + random_below(1u << random_below(counts[i].bits)));
}

/* What takes a format, or lengths, with it. */
static inline void random_companions(struct options *options)
{
    static const char *const formats[] = {"q8_0", "q4_k_m"};
    if (random_below(10) == 0) {
        options->precision_count = 0;
        give(options, OPT_PRECISION, "%s", formats[random_below(2)]);
        give(options, OPT_ENGINE, "llama.cpp");
        give(options, OPT_DRAFT, "%s", random_below(2) ? "qwen3-0.6b" : "llama-3.2-1b");
    }
    if (random_below(10) == 0) {
        options->value[OPT_PROMPT].given = options->value[OPT_OUTPUT].given = false;
        options->value[OPT_PROMPT_STDDEV].given = false;
        give(options, OPT_TRACE, "%s", trace_file);
    }
}

/* "gpuplan --plan -m ID --gpu l40s:2" as an ask; its words are cut out of `text`. */
static inline struct options ask_of(char *text)
{
    struct options options = {0};
    struct gp_err err = {0};
    char *save, *whole = strdup(text), *word = strtok_r(text, " ", &save);
    word = strtok_r(NULL, " ", &save); /* --plan */
    while ((word = strtok_r(NULL, " ", &save))) {
        int id = option_find(word + strspn(word, "-"));
        assert_true(id >= 0);
        bool flag = option_rows[id].type == OPTION_FLAG;
        const char *value = flag ? "" : strtok_r(NULL, " ", &save);
        assert_non_null(value);
        if (options_text(&options, (enum option_id)id, word, value, &err))
            fail_msg("%s: %s", whole, err.text);
    }
    free(whole);
    return options;
}

/* ---- what is wrong ---- */

static unsigned found_wrong, seed;

/* Tells it, and goes on: a seed's first fault says little of how many there are. */
static inline void wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

static inline void wrong(const char *format, ...)
{
    va_list args;
    fprintf(stderr, "seed %u: ", seed);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    found_wrong++;
}

/* ---- the run ---- */

static inline unsigned number_from(const char *name, unsigned fallback)
{
    const char *text = getenv(name);
    return text && *text ? (unsigned)strtoul(text, NULL, 10) : fallback;
}

/* Runs each seed; fails when anything was wrong in any. */
static inline void each_seed(void (*requests)(void))
{
    unsigned first = number_from("GPUPLAN_SEARCH_SEED", 1);
    unsigned seeds = number_from("GPUPLAN_SEARCH_SEEDS", 1);
    found_wrong = 0;
    for (seed = first; seed - first < seeds; seed++) {
        random_state = seed;
        requests();
    }
    if (found_wrong > 0)
        fail_msg("%u wrong", found_wrong);
}

/* ---- the planner ---- */

/* Requests of three kinds, the longest of 30,000 tokens. */
static inline void write_trace(void)
{
    int file = mkstemp(trace_file);
    assert_true(file >= 0);
    dprintf(file, "TIMESTAMP,ContextTokens,GeneratedTokens\n");
    for (int i = 0; i < 300; i++)
        dprintf(file, "%d,%d,%d\n", i / 3,
                i % 10 == 0  ? 29000
                : i % 3 == 0 ? 4000
                             : 300,
                i % 10 == 0 ? 1000 : 200 + i % 7);
    close(file);
}

static inline int setup(void **state)
{
    struct gp_err err = {0};
    (void)state;
    write_trace();
    planner = planner_new(source_path("profiles"), TODAY, NULL);
    struct catalog *catalog = planner_catalog(planner);
    assert_int_equal(catalog_gpus_offered(catalog, &gpus, &gpu_count, &err), GP_OK);
    assert_int_equal(catalog_models(catalog, &model_list, &model_count, &err), GP_OK);
    return 0;
}

static inline int teardown(void **state)
{
    (void)state;
    planner_free(planner);
    unlink(trace_file);
    return 0;
}

#endif
