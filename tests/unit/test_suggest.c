/*
 * test_suggest.c - what is suggested for which misspelling: names, options, counts.
 */
#include "unit.h"

#include "answer/option.h"
#include "base/str.h"
#include "base/suggest.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

struct misspelling {
    const char *text, *hint;
};

static const char *const models[] = {
    "codellama-7b",
    "deepseek-r1",
    "deepseek-v3",
    "deepseek-v3.2",
    "gemma-3-27b",
    "gemma-3-4b",
    "gpt-oss-120b",
    "gpt-oss-20b",
    "gpt2-124m",
    "kimi-k2",
    "kimi-k2.5",
    "llama-2-70b",
    "llama-2-7b",
    "llama-3-70b",
    "llama-3-8b",
    "llama-3.1-405b",
    "llama-3.1-70b",
    "llama-3.1-8b",
    "llama-3.2-3b",
    "llama-3.3-70b",
    "mistral-7b-v0.3",
    "mixtral-8x7b",
    "phi-4-14b",
    "qwen2.5-72b",
    "qwen2.5-7b",
    "qwen3-0.6b",
    "qwen3-14b",
    "qwen3-235b-a22b",
    "qwen3-30b-a3b",
    "qwen3-32b",
    "qwen3-8b",
    "qwen3-coder-480b-a35b",
    "r1-distill-llama-70b",
    "r1-distill-qwen-32b",
};

static const char *const gpus[] = {
    "a100-pcie-40", "a100-pcie-80", "a100-sxm-40",  "a100-sxm-80", "b200",
    "gh200-96",     "h100-nvl",     "h100-pcie",    "h100-sxm",    "h200-nvl",
    "h200-sxm",     "l4",           "l40",          "l40s",        "mi300x",
    "rtx-4080",     "rtx-4090",     "rtx-6000-ada", "rtx-a6000",   "t4",
};

static const char *const formats[] = {"bf16",  "fp16",  "fp32",   "fp8",    "int4-awq", "int8",
                                      "mxfp4", "nvfp4", "q4_k_m", "q4_k_s", "q8_0"};

static const char *const keys[] = {"bandwidth_gb_s", "memory_gib", "power_w"};

static void expect(const struct misspelling *rows, size_t n, const char *const *names, size_t count)
{
    char hint[256];

    for (size_t i = 0; i < n; i++) {
        bool found = suggest(rows[i].text, names, count, "*", hint, sizeof hint);

        if (strcmp(hint, rows[i].hint) != 0)
            print_error("'%s'\n", rows[i].text);
        assert_string_equal(hint, rows[i].hint);
        assert_int_equal(found, hint[0] != '\0');
    }
}

static void test_models(void **state)
{
    static const struct misspelling rows[] = {
        /* without version, size or order: newer ones first */
        {"llama-70b", "did you mean llama-3.3-70b, llama-3.1-70b, llama-3-70b or llama-2-70b?"},
        {"70b-llama", "did you mean llama-3.3-70b, llama-3.1-70b, llama-3-70b or llama-2-70b?"},
        {"llama3", "did you mean llama-3-70b, llama-3-8b, llama-3.3-70b or llama-3.2-3b?"},
        {"qwen3", "did you mean qwen3-32b, qwen3-14b, qwen3-8b or qwen3-0.6b?"},
        {"kimi", "did you mean kimi-k2.5 or kimi-k2?"},
        {"deepseek", "did you mean deepseek-r1, deepseek-v3.2 or deepseek-v3?"},
        {"r1-distill", "did you mean r1-distill-llama-70b or r1-distill-qwen-32b?"},
        /* other separators, other case */
        {"llama3.1-8b", "did you mean llama-3.1-8b?"},
        {"Llama 3 70B", "did you mean llama-3-70b, llama-3.3-70b or llama-3.1-70b?"},
        {"phi4", "did you mean phi-4-14b?"},
        {"gptoss", "did you mean gpt-oss-120b or gpt-oss-20b?"},
        /* the tags and repositories of others */
        {"llama3:8b", "did you mean llama-3-8b or llama-3.1-8b?"},
        {"llama3.1:70b-instruct-q4_K_M", "did you mean llama-3.1-70b?"},
        {"Qwen2.5-7B-Instruct-AWQ", "did you mean qwen2.5-7b?"},
        {"meta-llama/Llama-3.1-70B-Instrct", "did you mean llama-3.1-70b?"},
        {"gemma3-27b-it", "did you mean gemma-3-27b?"},
        /* a letter wrong */
        {"lama-3.1-70b", "did you mean llama-3.1-70b?"},
        {"mixtrl-8x7b", "did you mean mixtral-8x7b?"},
        /* the nearest size */
        {"llama-65b", "did you mean llama-3.3-70b, llama-3.1-70b, llama-3-70b or llama-2-70b?"},
        {"llama-3.1-7b", "did you mean llama-3.1-8b or llama-3.1-70b?"},
        {"qwen2.5-70b", "did you mean qwen2.5-72b or qwen2.5-7b?"},
        {"qwen3-30b", "did you mean qwen3-30b-a3b or qwen3-32b?"},
        {"llama-3.1-70", "did you mean llama-3.1-70b?"},
        /* the family at least, or nothing */
        {"gpt-5", "did you mean gpt-oss-120b, gpt-oss-20b or gpt2-124m?"},
        {"chatbot", ""},
        {"no-such-model", ""},
        {"x", ""},
        {"-", ""},
        {"", ""},
        {"\xE6\xBC\xA2\xFF", ""},
    };

    (void)state;
    expect(rows, COUNT(rows), models, COUNT(models));
}

static void test_gpus(void **state)
{
    static const struct misspelling rows[] = {
        {"h100", "did you mean h100-nvl, h100-pcie or h100-sxm?"},
        {"H200", "did you mean h200-nvl or h200-sxm?"},
        {"h100-smx", "did you mean h100-sxm?"},
        {"h10-sxm", "did you mean h100-sxm?"},
        {"a100 80gb", "did you mean a100-pcie-80 or a100-sxm-80?"},
        {"a100-sxm4-80gb", "did you mean a100-sxm-80 or a100-sxm-40?"},
        {"4090", "did you mean rtx-4090?"},
        {"rtx4090", "did you mean rtx-4090?"},
        {"NVIDIA GeForce RTX 4090", "did you mean rtx-4090?"},
        {"NVIDIA H100", "did you mean h100-nvl, h100-pcie or h100-sxm?"},
        {"a6000", "did you mean rtx-a6000?"},
        {"mi300", "did you mean mi300x?"},
        {"l4s", "did you mean l4 or l40s?"},
        {"xy", ""},
        {"completely-different", ""},
    };

    (void)state;
    expect(rows, COUNT(rows), gpus, COUNT(gpus));
}

static void test_words(void **state)
{
    static const struct misspelling format_rows[] = {
        {"fp-8", "did you mean fp8?"},
        {"fp4", "did you mean mxfp4 or nvfp4?"},
        {"awq", "did you mean int4-awq?"},
        {"Q4KM", "did you mean q4_k_m?"},
    };
    static const struct misspelling key_rows[] = {
        {"bandwith_gbs", "did you mean bandwidth_gb_s?"},
        {"memory", "did you mean memory_gib?"},
        {"memory_gib_total", "did you mean memory_gib?"},
        {"colour", ""},
    };

    (void)state;
    expect(format_rows, COUNT(format_rows), formats, COUNT(formats));
    expect(key_rows, COUNT(key_rows), keys, COUNT(keys));
}

static void test_nearest(void **state)
{
    char hint[24], long_text[4096];

    (void)state;
    assert_string_equal(suggest_name("lama-3.1-70b", models, COUNT(models)), "llama-3.1-70b");
    assert_null(suggest_name("h100", gpus, 0));
    assert_true(suggest("h200", gpus, COUNT(gpus), "-g *:8", hint, sizeof hint));
    assert_string_equal(hint, "did you mean -g h200-nv"); /* cut, terminated */
    memset(long_text, 'a', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    assert_null(suggest_name(long_text, models, COUNT(models)));
    for (size_t i = 0; i + 1 < sizeof long_text; i += 2)
        long_text[i] = '1';
    assert_null(suggest_name(long_text, models, COUNT(models)));
}

/* Flags of engines and of other tools, among the options of the commands given. */
static void test_options(void **state)
{
    static const struct {
        const char *text;
        unsigned commands;
        const char *hint;
    } rows[] = {
        {"--ctx", FOR_PLAN, "did you mean --context TOKENS?"},
        {"--ctx_size", FOR_PLAN, "did you mean --context TOKENS?"},
        {"--max-model-len=8192", FOR_PLAN, "did you mean --context TOKENS?"},
        {"--MaxModelLen", FOR_PLAN, "did you mean --context TOKENS?"},
        {"--gpus", FOR_PLAN, "did you mean --gpu GPU[/SLICE][:COUNT]?"},
        {"--tensor-parallel-size", FOR_PLAN, "did you mean --tp N?"},
        {"--kv-cache-dtype", FOR_PLAN, "did you mean --kv-precision FORMAT?"},
        {"--gpu-memory-utilization", FOR_PLAN, "did you mean --memory-utilization SHARE?"},
        {"--max-num-batched-tokens", FOR_PLAN, "did you mean --max-batched-tokens TOKENS?"},
        {"--batch-size", FOR_PLAN, "did you mean --users N?"},
        {"--max-seq-len", FOR_PLAN, "did you mean --context TOKENS or --sequence TOKENS?"},
        {"--max-seq-len", FOR_COMPARE, "did you mean --context TOKENS?"},
        {"--dtype", FOR_PLAN, "did you mean --precision FORMAT?"},
        {"--contxt", FOR_PLAN, "did you mean --context?"},
        {"--maxnumseqs", FOR_PLAN, "did you mean --max-num-seqs?"},
        {"--outptu", FOR_COMPARE_RESULTS, "did you mean --output?"},
        {"--temperature", FOR_PLAN, ""},
        {"--", FOR_PLAN, ""},
        {"--ctx", FOR_LIST, ""},
    };
    char hint[256];

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *names[OPTION_COUNT];
        size_t n = 0;

        for (int j = 0; j < OPTION_COUNT; j++)
            if (option_rows[j].commands & rows[i].commands)
                names[n++] = option_rows[j].name;
        assert_int_equal(option_find(rows[i].text + 2), -1); /* refused, as before */
        spelling_option(rows[i].text, "--", names, n, hint, sizeof hint);
        assert_string_equal(hint, rows[i].hint);
    }
}

static void test_counts(void **state)
{
    static const struct {
        const char *text, *name;
        int count;
    } rows[] = {
        {"8xH200", "H200", 8},
        {"8 x H200", "H200", 8},
        {"H100x8", "H100", 8},
        {"H100 x8", "H100", 8},
        {"8*l40s", "l40s", 8},
        {"l40s*16", "l40s", 16},
        {"2\xC3\x97h100", "h100", 2},
        {"mi300xx8", "mi300x", 8},
        {"2x a100 80gb", "a100 80gb", 2},
        {"rtx-4090X2", "rtx-4090", 2},
        {"dual-3090", "3090", 2},
        {"Quad RTX A6000", "RTX A6000", 4},
        {"octo_h100", "h100", 8},
        {"4 A100s", "A100s", 4},
        {"RTX 4090 (x2)", "RTX 4090", 2},
        {"H100 (8)", "H100", 8},
        {"H100 (4x)", "H100", 4},
        {"H200 8x", "H200", 8},
        {"h200-8x", "h200", 8},
        {"4090 2 x", "4090", 2},
        {"HGX H100 8x80GB", "HGX H100 80GB", 8},
        {"A100 4x40 GB", "A100 40 GB", 4},
        {"H200 8-GPU", "H200", 8},
        {"L40S 4 GPUs", "L40S", 4},
        {"8-GPU H100", "H100", 8},
        {"server with 4x L40S", "L40S", 4},
        {"Supermicro 2x 3090", "3090", 2},
    };
    static const char *const others[] = {"h100",
                                         "h100:8",
                                         "mi300x",
                                         "8x",
                                         "x8",
                                         "0xh100",
                                         "8",
                                         "",
                                         "max-1550",
                                         "h100x",
                                         "h100x8y",
                                         "1234567xh100",
                                         "RTX 3060 VENTUS 2X 12GB",
                                         "m3 max 128",
                                         "gx10",
                                         "RX 580 8G",
                                         "PCIe 4.0 x",
                                         "h100x1234567",
                                         "dual",
                                         "dual-",
                                         "quadro-rtx-8000",
                                         "dualh100",
                                         "RX 7900 (RADV)",
                                         "H100 (80GB)",
                                         "H100 (0)"};
    char name[64];
    int count;

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(spelling_count(rows[i].text, name, sizeof name, &count));
        assert_string_equal(name, rows[i].name);
        assert_int_equal(count, rows[i].count);
    }
    for (size_t i = 0; i < COUNT(others); i++) {
        count = -1;
        assert_false(spelling_count(others[i], name, sizeof name, &count));
        assert_int_equal(count, -1); /* left alone */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models),  cmocka_unit_test(test_gpus),
        cmocka_unit_test(test_words),   cmocka_unit_test(test_nearest),
        cmocka_unit_test(test_options), cmocka_unit_test(test_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
