/*
 * test_names.c - what people call models and GPUs, and what that is here. The tables hold a few
 * names of each shape; ../shared/facts, where it is, has those of public lists.
 */
#include "catalog/names.h"

#include <ctype.h>

#include "profiles.h"
#include "tests/sanitized.h"

static struct catalog *catalog;

struct model_row {
    const char *name, *id, *format; /* id NULL: none; format "": as published */
};

static const struct model_row models[] = {
    /* ids of the hub, by the habits of who publishes them */
    {"Qwen/Qwen3-14B-FP8", "qwen3-14b", "fp8-block"},
    {"zai-org/GLM-4.5-Air-FP8", "glm-4.5-air", "fp8"},
    {"zai-org/GLM-5.1-FP8", "glm-5", "fp8-block"},
    {"nvidia/Llama-3.1-70B-Instruct-FP8", "llama-3.1-70b", "fp8-tensor"},
    {"RedHatAI/Llama-3.3-70B-Instruct-quantized.w8a8", "llama-3.3-70b", "int8"},
    {"RedHatAI/gemma-3-12b-it-quantized.w4a16", "gemma-3-12b", "int4"},
    {"somebody/Qwen3-8B-FP8", "qwen3-8b", "fp8"},
    {"somebody/Qwen3-8B-NVFP4-FP8", "qwen3-8b", "nvfp4"},
    {"cpatonn/Qwen3-Next-80B-A3B-Thinking-AWQ-8bit", "qwen3-next-80b-a3b", "int8-gptq"},
    {"mlx-community/Qwen3-14B-4bit", "qwen3-14b", "mlx-4bit"},
    {"somebody/Qwen3-14B-bnb-4bit", "qwen3-14b", "nf4-dq"},
    {"google/gemma-3-27b-it-qat-q4_0-unquantized", "gemma-3-27b", "bf16"},
    {"google/gemma-3-27b-it-qat-q4_0-gguf", "gemma-3-27b", "q4_0"},
    {"openai/gpt-oss-20b", "gpt-oss-20b", ""},
    /* GGUF, with and without its type */
    {"bartowski/google_gemma-3-12b-it-GGUF", "gemma-3-12b", "q4_k_m"},
    {"unsloth/Qwen3-8B-GGUF:UD-Q6_K_XL", "qwen3-8b", "q6_k"},
    {"mradermacher/Qwen3-14B-i1-GGUF:iq3_xxs", "qwen3-14b", "iq3_xxs"},
    {"Qwen3-8B-Q5_K_M", "qwen3-8b", "q5_k_m"},
    {"Qwen/Qwen3-8B-GGUF/Qwen3-8B-Q6_K.gguf", "qwen3-8b", "q6_k"},
    {"https://huggingface.co/unsloth/Qwen3-32B-GGUF/resolve/main/BF16/"
     "Qwen3-32B-Q8_0-00001-of-00002.gguf",
     "qwen3-32b", "q8_0"},
    {"bartowski/Qwen_Qwen3-8B-GGUF:Q5_K_L", "qwen3-8b", "q5_k_m"},
    {"bartowski/THUDM_GLM-4-32B-0414-GGUF", "glm-4-32b-0414", "q4_k_m"},
    /* a branch of a repository is no tag */
    {"TheBloke/Llama-2-13B-GPTQ:gptq-4bit-128g-actorder_True", "llama-2-13b", "int4-gptq"},
    {"TheBloke/Llama-2-13B-GPTQ-4b-128g", "llama-2-13b", "int4-gptq"},
    /* addresses, and folders of a cache */
    {"https://huggingface.co/Qwen/Qwen3-8B-AWQ/blob/main/config.json", "qwen3-8b", "int4-awq"},
    {"hf.co/bartowski/Qwen3-8B-GGUF:Q8_0", "qwen3-8b", "q8_0"},
    {"models--Qwen--Qwen3-8B", "qwen3-8b", ""},
    {"https://ollama.com/library/llama3.1:8b", "llama-3.1-8b", "q4_k_m"},
    /* tags */
    {"llama3.1:latest", "llama-3.1-8b", "q4_k_m"},
    {"llama3.1:8b-instruct-q8_0", "llama-3.1-8b", "q8_0"},
    {"llama2:70b", "llama-2-70b", "q4_0"},
    {"qwen3:235b", "qwen3-235b-a22b", "q4_k_m"},
    {"gemma3:4b-it-qat", "gemma-3-4b", "q4_0"},
    {"deepseek-r1:14b", "r1-distill-qwen-14b", "q4_k_m"},
    {"gpt-oss:latest", "gpt-oss-20b", "mxfp4_moe"}, /* whatever the type is called */
    {"hf.co/unsloth/gpt-oss-20b-GGUF:F16", "gpt-oss-20b", "mxfp4_moe"},
    {"openai/gpt-oss-120b", "gpt-oss-120b", ""},
    {"llama3.1", "llama-3.1-8b", "q4_k_m"}, /* as Ollama writes it, of its usual size */
    {"llama3:instruct", "llama-3-8b", "q4_0"},
    {"llama3.2:1b", "llama-3.2-1b", "q8_0"},
    {"cogito:70b", "llama-3.1-70b", "q4_k_m"}, /* no such name of a model */
    {"cogito:70b-v1-preview-llama-q8_0", "llama-3.1-70b", "q8_0"},
    {"cogito:671b", NULL, ""},
    {"olmo2:13b", "olmo-2-1124-13b", "q4_k_m"},
    {"llama4:maverick", "llama-4-maverick", "q4_k_m"},
    {"bge-m3:latest", "bge-m3", "f16"},
    {"phi4:14b-fp16", "phi-4-14b", "f16"},
    {"mistral:7b-instruct-v0.2-q4_0", "mistral-7b-v0.2", "q4_0"}, /* not what 7b is now */
    {"deepseek-r1:8b-llama-distill-q4_K_M", "r1-distill-llama-8b", "q4_k_m"},
    {"olmo-3:32b", "olmo-3.1-32b", "q4_k_m"},
    /* run together, or apart */
    {"gptoss 20b", "gpt-oss-20b", ""},
    {"deepseekr1", "deepseek-r1", ""},
    {"DeepSeekV3.2", "deepseek-v3.2", ""},
    {"qwen3-30ba3b", "qwen3-30b-a3b", ""},
    {"Llama-3_1-8B-Instruct", "llama-3.1-8b", ""},
    {"qwen2-5-7b-instruct", "qwen2.5-7b", ""},
    {"qwen3-17b", NULL, ""}, /* a size is read as it is */
    {"command r+", "command-r-plus-104b", ""},
    {"exaone 4 32b", "exaone-4.0-32b", ""},
    {"mixtral 8\xC3\x97"
     "7b",
     "mixtral-8x7b", ""},
    {"someone/Kimi-K2-Thinking-Instruct", "kimi-k2.5", ""}, /* one kind off at a time */
    {"someone/llavav1.6_mistral-7b", "llava-v1.6-mistral-7b", ""},
    {"registry.ollama.ai/library/qwen3:8b", "qwen3-8b", "q4_k_m"},
    {"https://lmstudio.ai/models/openai/gpt-oss-20b", "gpt-oss-20b", ""},
    {"modelscope.cn/unsloth/Qwen3-8B-GGUF:Q4_K_M", "qwen3-8b", "q4_k_m"},
    {"unsloth/Qwen3-8B-GGUF:UD-Q8_K_XL", "qwen3-8b", "q8_0"},
    {"gaunernst/gemma-3-27b-it-int4-awq", "gemma-3-27b", "int4-awq"},
    /* said loosely; a name that begins one alone */
    {"Llama 3.1 8B Instruct", "llama-3.1-8b", ""},
    {"qwen3-coder-480b", "qwen3-coder-480b-a35b", ""},
    {"DeepSeek V3 671B", "deepseek-v3", ""},
    {"Meta_Llama_3.1_405B", "llama-3.1-405b", ""},
    /* of another's making, with the base at the end */
    {"somebody/Dolphin-Llama-3.1-8B-GPTQ-Int4", "llama-3.1-8b", "int4-gptq"},
    {"bartowski/EVA-Qwen2.5-72B-v0.2-GGUF", "qwen2.5-72b", "q4_k_m"},
    {"somebody/Mistral-7B-v0.9", NULL, ""}, /* a version of the base's */
    /* no model, or another than the one they name */
    {"lmsys/EAGLE3-Llama-3.1-8B", NULL, ""},
    {"somebody/Qwen3-8B-lora", NULL, ""},
    {"llava-hf/llava-v1.6-mistral-7b-hf", "llava-v1.6-mistral-7b", ""},
    {"cerebras/GLM-4.5-Air-REAP-91B-A12B", NULL, ""},
    {"turboderp/Llama-3.1-8B-Instruct-exl3", NULL, ""},
    {"llava-hf/llava-v1.6-mistral-9b-hf", NULL, ""},
    {"Qwen/Qwen3-9B", NULL, ""},
    {"DeepSeek V3 70B", NULL, ""},
    {"llama-3.1", NULL, ""},
    {"gemma-3n-E4B", "gemma-3n-e4b", ""},
    {"/models/Qwen3-8B", NULL, ""},
    {"./Qwen3-8B", NULL, ""},
    {"a/b/c", NULL, ""},
    {"/", NULL, ""},
    {":", NULL, ""},
    {"org/", NULL, ""},
    {"-", NULL, ""},
    {"", NULL, ""},
};

static void read_one(const char *name, const char *id, const char *format)
{
    struct name_reading read;
    const struct model *model = NULL;
    struct gp_err err = {0};

    assert_int_equal(catalog_read_name(catalog, name, &read, &err), GP_OK);
    if ((read.id == NULL) != (id == NULL) || (id != NULL && strcmp(read.id, id) != 0) ||
        strcmp(read.format, format) != 0)
        fail_msg("%s: read as %s with '%s', not %s with '%s'", name, read.id ? read.id : "nothing",
                 read.format, id ? id : "nothing", format);
    if (id != NULL)
        assert_int_equal(catalog_model(catalog, read.id, &model, &err), GP_OK);
}

static void test_models(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
        read_one(models[i].name, models[i].id, models[i].format);
}

/* The models of the table of Ollama's tags are in the catalogue, and are what the tags mean. */
static void test_tags(void **state)
{
    char line[400], family[64] = "", tag[64], id[96], name[200], *at;
    struct gp_err err = {0};
    FILE *file;
    int rows = 0;

    (void)state;

    file = fopen(source_path("profiles/names.cfg"), "r");
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL && strncmp(line, "# GPUs", 6) != 0) {
        if ((at = strstr(line, "{ family = \"")) != NULL)
            sscanf(at, "{ family = \"%63[^\"]", family);
        at = strstr(line, "sizes = [");
        at = at ? at + 9 : strncmp(line, "        \"", 9) == 0 ? line : NULL;
        for (; at && family[0] && (at = strchr(at, '"')) != NULL;
             at = strchr(at + 1, '"') + 1, rows++) {
            const struct model *model = NULL;
            struct name_reading read;

            assert_int_equal(sscanf(at, "\"%63[^ ] %95[^ \"]", tag, id), 2);
            snprintf(name, sizeof(name), "%s:%s", family, tag);
            assert_int_equal(catalog_model(catalog, id, &model, &err), GP_OK);
            assert_int_equal(catalog_read_name(catalog, name, &read, &err), GP_OK);
            if (read.id == NULL || strcmp(read.id, model->id) != 0 || !read.gguf)
                fail_msg("%s: read as %s, not %s", name, read.id ? read.id : "nothing", id);
        }
    }
    fclose(file);
    assert_true(rows > 100);
}

/* Each name in a profile is read as its own model, with a suffix too, unless the name says
 * the format. */
static void test_own_names(void **state)
{
    const struct model *const *list;
    struct gp_err err = {0};
    size_t count;

    (void)state;
    assert_int_equal(catalog_models(catalog, &list, &count, &err), GP_OK);
    for (size_t i = 0; i < count; i++) {
        const char *alias = catalog_aliases(catalog, list[i]->id);

        for (size_t len; *alias; alias += len + (alias[len] == '|')) {
            struct name_reading read;
            char name[200];

            len = strcspn(alias, "|");
            snprintf(name, sizeof(name), "%.*s-GPTQ-Int8", (int)len, alias);
            if (strchr(name, ':') != NULL)
                continue;
            assert_int_equal(catalog_read_name(catalog, name, &read, &err), GP_OK);
            if (read.id == NULL || strcmp(read.id, list[i]->id) != 0)
                fail_msg("%s: read as %s, not %s", name, read.id ? read.id : "nothing",
                         list[i]->id);
        }
    }
}

static const struct {
    const char *name, *id;
} gpus[] = {
    {"NVIDIA H100 80GB HBM3", "h100-sxm"},
    {"H100 80GB HBM3", "h100-sxm"},
    {"H100", "h100-sxm"},
    {"H100 PCIe", "h100-pcie"},
    {"NVIDIA A100-SXM4-40GB", "a100-sxm-40"},
    {"A100 80GB", "a100-sxm-80"},
    {"A100 PCIe", "a100-pcie-80"},
    {"Tesla V100-SXM2-16GB", "v100-sxm2-16"},
    {"NVIDIA GeForce RTX 4090", "rtx-4090"},
    {"GeForce RTX 5090", "rtx-5090"},
    {"3090", "rtx-3090"},
    {"4060 Ti 16GB", "rtx-4060-ti-16g"},
    {"RTX 6000 Ada", "rtx-6000-ada"},
    {"A6000", "rtx-a6000"},
    {"7900 XTX", "rx-7900-xtx"},
    {"AMD Radeon RX 7900 XTX (RADV NAVI31)", "rx-7900-xtx"},
    {"AMD Instinct MI355X", "mi355x"},
    {"Apple M3 Ultra", "apple-m3-ultra"},
    {"Intel Arc (TM) B580", "arc-b580"},
    {"A10G", "a10g"},
    /* other cards with a word more or less */
    {"RTX 4090 Laptop GPU", "rtx-4090-laptop"},
    {"RTX 4080 SUPER", "rtx-4080-super"},
    {"RTX 5090 D", "rtx-5090-d"},
    {"Apple M4", "apple-m4"},
    {"4060 Ti 8GB", "rtx-4060-ti-8g"},
    {"L40S 48GB PCIe", "l40s"}, /* how it is built in */
    {"MI300X OAM", "mi300x"},
    {"10de:2684", "rtx-4090"},
    {"1002:74a1", "mi300x"},
    {"agx thor", "jetson-agx-thor-128"},
    {"B200 192GB", "b200"},
    {"V100 32GB", "v100-sxm2-32"},
    {"NVIDIA H100", "h100-sxm"}, /* as four rarer ones are called, too */
    {"RTX 2060", "rtx-2060-6g"},
    {"NVIDIA GeForce GTX 1060", "gtx-1060-6g"},
    {"RTX 3050", "rtx-3050-8g"},
    {"H100 96GB", "h100-sxm-96"}, /* the nearest memory */
    {"A100 PCI-E 40GB", "a100-pcie-40"},
    {"H100 80GBPCIe", "h100-pcie"},
    {"Gaudi3 PCIe", "gaudi3-pcie"},
    {"RTX 4090 LaptopGPU", "rtx-4090-laptop"},
    {"RTX 4090 SXM", NULL},
    {"4090 24G", "rtx-4090"},
    {"W6800", "radeon-pro-w6800"},
    {"RTX 6000 Blackwell", NULL}, /* no Quadro */
    {"RTX 4090 Max-Q", NULL},
    {"RTX 6000", "quadro-rtx-6000"}, /* the one of that name; the answer says so */
    {"A100 60GB", NULL},
    {"NVIDIA", NULL},
    {"80GB", NULL},
    {"", NULL},
};

static void test_gpus(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(gpus) / sizeof(gpus[0]); i++) {
        const struct gpu *gpu = NULL;
        struct gp_err err = {0};

        catalog_gpu(catalog, gpus[i].name, &gpu, &err);
        if ((gpu == NULL) != (gpus[i].id == NULL) ||
            (gpu != NULL && strcmp(gpu->id, gpus[i].id) != 0))
            fail_msg("%s: %s, not %s", gpus[i].name, gpu ? gpu->id : "nothing",
                     gpus[i].id ? gpus[i].id : "nothing");
    }
}

static unsigned draw(unsigned *seed, unsigned below)
{
    *seed = *seed * 1103515245u + 12345u;
    return (*seed >> 16) % below;
}

/* A name as another writes it: its case, what divides its words, what stands before and behind. */
static void mutate(const char *name, const char *const *before, const char *const *behind,
                   unsigned *seed, char *out, size_t size)
{
    static const char divide[] = "-_ ";
    bool loud = draw(seed, 2);
    size_t n = (size_t)snprintf(out, size, "%s", before[draw(seed, 4)]);

    for (const char *c = name; *c && n + 40 < size; c++) {
        bool cut = strchr("-_ ", *c) != NULL;

        if (cut && draw(seed, 12) == 0 &&
            !(isdigit((unsigned char)c[-1]) && isdigit((unsigned char)c[1])))
            continue;
        out[n++] = cut && draw(seed, 3) == 0                          ? divide[draw(seed, 3)]
                   : *c == '.' && draw(seed, 4) == 0                  ? '_'
                   : loud && islower((unsigned char)*c)               ? (char)toupper(*c)
                   : draw(seed, 6) == 0 && isalpha((unsigned char)*c) ? (char)(*c ^ 0x20)
                                                                      : *c;
    }
    out[n] = '\0';
    for (unsigned i = draw(seed, 3); i > 0; i--)
        n += (size_t)snprintf(out + n, size - n, "%s", behind[draw(seed, 6)]);
}

/* Calls for each of a '|' separated list, twice, and counts those that are read as anything. */
static void mutate_all(const char *list, const char *const *before, const char *const *behind,
                       unsigned *seed, const void *of, bool (*reads)(const char *, const void *),
                       int counts[2])
{
    char name[200], text[300];

    for (size_t len; *list; list += len + (list[len] == '|')) {
        len = strcspn(list, "|");
        snprintf(name, sizeof(name), "%.*s", (int)len, list);
        for (int i = 0; i < 2 && !strchr(name, ':'); i++) {
            const char *slash = strrchr(name, '/');

            mutate(slash ? slash + 1 : name, before, behind, seed, text, sizeof(text));
            counts[1]++;
            counts[0] += reads(text, of);
        }
    }
}

static int misread;

static bool reads_model(const char *text, const void *of)
{
    const struct model *model = of;
    struct name_reading read;

    assert_int_equal(catalog_read_name(catalog, text, &read, NULL), GP_OK);
    if (read.id && strcmp(read.id, model->id) != 0) {
        print_error("%s: read as %s, not %s\n", text, read.id, model->id);
        misread++;
    }
    return read.id != NULL;
}

static bool reads_gpu(const char *text, const void *of)
{
    const struct gpu *want = of, *gpu = NULL; /* whose name, unchanged, is read as this one */
    char reading[160];

    if (catalog_gpu(catalog, text, &gpu, NULL) != GP_OK &&
        (!catalog_gpu_reading(catalog, text, reading, sizeof(reading)) ||
         catalog_gpu(catalog, reading, &gpu, NULL) != GP_OK))
        return false;
    if (gpu != want) {
        print_error("%s: read as %s, not %s\n", text, gpu->id, want->id);
        misread++;
    }
    return true;
}

/* No name of the catalogue, written otherwise, silently becomes another model or GPU. */
static void test_mutated(void **state)
{
    static const char *const owner[] = {"", "", "someone/", "https://huggingface.co/someone/"},
                             *const suffix[] = {"-AWQ",      "-GGUF", "-bnb-4bit",
                                                "-Instruct", "_FP8",  "-GPTQ-Int4"},
                             *const maker[] = {"", "", "NVIDIA ", "ASUS "},
                             *const more[] = {" GPU", "", " OC", " (rev a1)", "", " Edition"};
    const struct model *const *models_list;
    const struct gpu *const *gpu_list;
    unsigned seed = 7;
    size_t count;
    int model_counts[2] = {0}, gpu_counts[2] = {0};

    (void)state;
    assert_int_equal(catalog_models(catalog, &models_list, &count, NULL), GP_OK);
    for (size_t i = 0; i < count; i++) {
        const struct model *m = models_list[i];

        mutate_all(m->id, owner, suffix, &seed, m, reads_model, model_counts);
        mutate_all(catalog_aliases(catalog, m->id), owner, suffix, &seed, m, reads_model,
                   model_counts);
    }
    assert_int_equal(catalog_gpus(catalog, &gpu_list, &count, NULL), GP_OK);
    for (size_t i = 0; i < count; i++) {
        char names[sizeof(gpu_list[i]->nvml_names)], *rest = names;
        const struct gpu *plain;

        mutate_all(gpu_list[i]->id, maker, more, &seed, gpu_list[i], reads_gpu, gpu_counts);
        gp_copy(names, sizeof(names), gpu_list[i]->nvml_names);
        for (char *one; (one = strtok_r(NULL, "|", &rest)) != NULL;)
            if (catalog_gpu(catalog, one, &plain, NULL) == GP_OK)
                mutate_all(one, maker, more, &seed, plain, reads_gpu, gpu_counts);
    }
    assert_int_equal(misread, 0);
    printf("models %d of %d, gpus %d of %d\n", model_counts[0], model_counts[1], gpu_counts[0],
           gpu_counts[1]);
    assert_true(model_counts[0] > 0.8 * model_counts[1] && gpu_counts[0] > 0.8 * gpu_counts[1]);
}

/* Any bytes: nothing breaks, and what is read is in the catalogue. */
static void test_any_text(void **state)
{
    static const char *const parts[] = {"Qwen3",    "8B",  "-",      "_",    ".",        "/",
                                        ":",        "AWQ", "FP8",    "q4",   "K_M",      "it",
                                        "\xC3\xA9", " ",   "hf.co/", "GGUF", "https://", "24GB",
                                        "(",        ")",   "4090",   "RTX",  "|"};
    unsigned seed = 1;

    (void)state;
    for (int round = 0; round < 400; round++) {
        char text[400] = "";
        struct name_reading read;
        const struct gpu *gpu;
        const struct model *model;

        for (int n = 0; n < 1 + round % 40; n++) {
            seed = seed * 1103515245u + 12345u;
            strncat(text, parts[(seed >> 16) % (sizeof(parts) / sizeof(parts[0]))],
                    sizeof(text) - strlen(text) - 1);
        }
        if (catalog_read_name(catalog, text, &read, NULL) == GP_OK && read.id != NULL)
            assert_int_equal(catalog_model(catalog, read.id, &model, NULL), GP_OK);
        catalog_gpu(catalog, text, &gpu, NULL);
    }
}

/* One of "int4|int4-g32"? */
static bool is_one_of(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = list; *at; at += strcspn(at, "|"), at += *at == '|')
        if (strcspn(at, "|") == len && strncmp(at, word, len) == 0)
            return true;
    return false;
}

/* Names of public lists whose model or GPU is in the catalogue; each eighth under a sanitizer. */
static void test_public_models(void **state)
{
    FILE *file = open_shared("facts/model_names.csv");
    char line[1000], *field[12];
    int all = 0, right = 0, wrong = 0, rows = 0;

    (void)state;
    if (file == NULL)
        skip();
    assert_non_null(fgets(line, sizeof(line), file));
    int n = csv_split(line, field, 12), name = csv_column(field, n, "name"),
        base = csv_column(field, n, "base_id"), format = csv_column(field, n, "precision"),
        also = csv_column(field, n, "also");
    while (fgets(line, sizeof(line), file) != NULL) {
        struct name_reading read;
        const struct model *model = NULL;

        if (SANITIZED && rows++ % 8 != 0)
            continue;
        csv_split(line, field, 12);
        bool known = catalog_model(catalog, field[base], &model, NULL) == GP_OK;
        const char *want = known ? model->id : "";
        if (catalog_model(catalog, field[name], &model, NULL) == GP_OK) { /* an alias */
            read = (struct name_reading){.id = model->id};
        } else {
            assert_int_equal(catalog_read_name(catalog, field[name], &read, NULL), GP_OK);
        }
        wrong += !known && read.id != NULL;
        all += known;
        right += known && read.id != NULL && strcmp(read.id, want) == 0 &&
                 (read.format[0] == '\0' || strcmp(read.format, field[format]) == 0 ||
                  is_one_of(field[also], read.format));
    }
    fclose(file);
    if ((!SANITIZED && right < 0.9 * all) || wrong > 0)
        fail_msg("%d of %d names read right, %d that the catalogue lacks", right, all, wrong);
}

/* What is sold around a GPU, and what lspci, nvidia-smi and shops call it. */
static void test_gpu_readings(void **state)
{
    static const struct {
        const char *text, *reading;
    } cases[] = {
        {"p5.48xlarge", "h100-sxm:8"},
        {"P5.48XLARGE:2", "h100-sxm:16"},
        {"g6.12xlarge", "l4:4"},
        {"Standard_ND96isr_H100_v5", "h100-sxm:8"},
        {"a2-ultragpu-1g", "a100-sxm-80:1"},
        {"DGX B200", "b200:8"},
        {"NVIDIA DGX H100", "h100-sxm:8"},
        {"HGX B300", "b300:8"},
        {"GB200 NVL72", "gb200:72"},
        {"NVIDIA H100 80GB HBM3 MIG 3g.40gb", "h100-sxm/3g.40gb"},
        {"NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", "a100-sxm-40/1g.5gb"},
        {"NVIDIA H200 MIG 2g.35gb:3", "h200-sxm/2g.35gb:3"},
        {"Mac Studio M2 Ultra 192GB", "apple-m2-ultra"},
        {"MacBook Pro M3 Max 36GB", "apple-m3-max:36GB"},
        {"m4-max-64gb", "apple-m4-max:64gb"},
        {"m4max-64gb", "apple-m4-max:64gb"},
        {"iMac M4", "apple-m-4"},
        {"NVIDIA Corporation GB202 [GeForce RTX 5090] (rev a1)", "rtx-5090"},
        {"01:00.0 VGA compatible controller: NVIDIA Corporation AD102 [GeForce RTX 4090] (rev a1)",
         "rtx-4090"},
        {"MSI GeForce RTX 4070 Ti SUPER 16G VENTUS 3X OC", "rtx-4070-ti-super-16-gb"},
        {"ASUS ROG Strix RTX 3090 OC 24GB", "rtx-3090-24-gb"},
        {"Ryzen AI Max+ 395", "strix-halo-128"},
        {"EVGA GeForce RTX 3090 FTW3 Ultra", "rtx-3090"}, /* words of other GPUs' names */
        {"XFX Speedster MERC310 RX 7900 XTX", "rx-7900-xtx"},
        {"PNY GeForce RTX 5060 Ti 16GB OC Dual Fan", "rtx-5060-ti-16-gb"},
        {"Sparkle Intel Arc A770 TITAN OC Edition", "arc-a-770"},
        {"ASUS TUF-RTX4090-O24G-GAMING", "rtx-4090-24-gb"},
        {"MacBook Pro 16 M3 Max 128GB", "apple-m3-max"},
        {"4080s", "rtx-4080-super"},
        {"5080 mobile", "rtx-5080-laptop"},
        {"Sapphire Radeon RX 6800 XT Nitro+", "rx-6800-xt"},
        {"NVIDIA HGX H200 8-GPU", "h200-sxm:8"},
        {"Atlas 800T A2", NULL}, /* of another maker */
        {"rtx 4070tis", "rtx-4070-ti-super"},
        {"RTX 4090 mobile", "rtx-4090-laptop"},
        {"nvidia/h100", "h100-sxm"},
        {"ml.g5.12xlarge", "a10g:4"},
        {"p5e.48xlarge:2", "h200-sxm:16"},
        {"ND96isr H100 v5", "h100-sxm:8"},
        {"NC24ads_A100_v4", "a100-pcie-80:1"},
        {"GB200 NVL4", "gb200:4"},
        {"DGX Station A100", "a100-sxm-80:4"},
        {"HGX H100 4-GPU", "h100-sxm:4"},
        {"ASUS ROG Astral GeForce RTX 5090 32GB GDDR7 OC", "rtx-5090-32-gb"},
        {"Razer Blade 18 RTX 5090", "rtx-5090-laptop"},
        {"NVIDIA Corporation Device [10de:2330] (rev a1)", "10-de-2330"},
        {"Tenstorrent Wormhole n300", NULL},                                    /* no GB300 */
        {"MSI GeForce RTX 4090 Ti SUPRIM", NULL},                               /* no such card */
        {"Navi 31 [Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M] (rev c8)", NULL}, /* one of four */
        {"dual 3090", NULL},
        {"h100-sxm: 1", NULL}, /* a count that is none, and no name of another's */
        {"h100-sxm:0", NULL},
        {"p5.47xlarge", NULL},
        {"RTX 9090", NULL},
        {"MIG 3g.40gb", NULL},
        {"Foo Bar", NULL},
        {"rtx-5090+foo", NULL},
        {"h100-smx", NULL},
        {"", NULL},
    };
    char reading[160];

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool is = catalog_gpu_reading(catalog, cases[i].text, reading, sizeof(reading));

        if (is != (cases[i].reading != NULL) || (is && strcmp(reading, cases[i].reading) != 0))
            fail_msg("%s: %s, not %s", cases[i].text, is ? reading : "nothing",
                     cases[i].reading ? cases[i].reading : "nothing");
    }
    assert_string_equal(catalog_near_instance(catalog, "p5.47xlarge"), "p5.48xlarge");
    assert_null(catalog_near_instance(catalog, "rtx-9090"));
}

static void test_public_gpus(void **state)
{
    FILE *file = open_shared("facts/gpu_names.csv");
    char line[1000], *field[8];
    int all = 0, right = 0, wrong = 0;

    (void)state;
    if (file == NULL)
        skip();
    assert_non_null(fgets(line, sizeof(line), file));
    while (fgets(line, sizeof(line), file) != NULL) {
        const struct gpu *known = NULL, *gpu = NULL;

        csv_split(line, field, 8);
        catalog_gpu(catalog, field[1], &known, NULL);
        bool is_known = known != NULL && strcmp(known->id, field[1]) == 0;
        catalog_gpu(catalog, field[0], &gpu, NULL);
        all += is_known;
        wrong += !is_known && gpu != NULL;
        right += is_known && gpu == known;
    }
    fclose(file);
    if (right < 0.95 * all || wrong > 0)
        fail_msg("%d of %d names read right, %d that the catalogue lacks", right, all, wrong);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_models),       cmocka_unit_test(test_own_names),
        cmocka_unit_test(test_gpu_readings), cmocka_unit_test(test_gpus),
        cmocka_unit_test(test_tags),         cmocka_unit_test(test_any_text),
        cmocka_unit_test(test_mutated),      cmocka_unit_test(test_public_models),
        cmocka_unit_test(test_public_gpus),
    };
    int failed;

    catalog = open_profiles();
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    catalog_free(catalog);
    return failed;
}
