/*
 * speed_recent.c - served speed outside the large campaign: serving_recent.csv, 2 and 3.
 *
 * A lab is the repository or site that a row's source names: builds, hosts and flags are its
 * own. Names of models and GPUs are asked as the rows have them. Rules, none of them by a row's
 * result:
 *   trust not low; no speculation; lengths and a concurrency or a rate stated; more than 8
 *   tokens of output; an engine, a model and a GPU that the catalogue knows. A flag leaves a row
 *   out unless it judges that the host decides: such a host is one of those that there are.
 *   cloudrift's dp are replicas, SGLang's attention DP; DeepSeek's sparse attention has its cache
 *   in FP8 on Blackwell by SGLang's default. "wall rate": prompt and HTTP are in the time.
 *   A build without a version is that of its date.
 */
#include "speed_rows.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static const char *const files[] = {"serving_recent.csv", "serving_recent2.csv",
                                    "serving_recent3.csv"};

/* In a row's column, what the catalogue calls it; the first that the text begins with. */
struct word {
    const char *listed, *id;
};

static const struct word engines[] = {
    {"tensorrt-llm", "tensorrt-llm"},
    {"vllm-style", NULL},
    {"vllm", "vllm"},
    {"sglang", "sglang"},
    {"llama.cpp (Ollama)", "ollama"},
    {"llama.cpp", "llama.cpp"},
    {"rapid-mlx", "mlx"},
    {"mlx", "mlx"},
};

/* "": as the checkpoint's name says. */
static const struct word weights[] = {
    {"bf16", "bf16"},       {"fp16", "fp16"},      {"nvfp4", "nvfp4"},
    {"int4", ""},           {"awq", ""},           {"fp8", ""},
    {"mxfp4", "native"},    {"gpt-oss", "native"}, {"4-bit MLX", "mlx-4bit"},
    {"Q8_0", "q8_0"},       {"Q6_K", "q6_k"},      {"UD-Q5_K_XL", "q5_k_m"},
    {"UD-Q4_K_XL", ""},     {"Q4_K_M", "q4_k_m"},  {"Q4_0", "q4_0"},
    {"nemotron_h_moe", ""},
};

static const struct word *word_of(const struct word *list, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(text, list[i].listed, strlen(list[i].listed)) == 0)
            return &list[i];
    return NULL;
}

/* ---- versions ---- */

/* The newest release of the end of a month; rows themselves date the later ones. */
static const struct release {
    const char *engine, *month, *version;
} releases[] = {
    {"vllm", "2025-06", "0.9.1"},    {"vllm", "2025-07", "0.10.0"},
    {"vllm", "2025-08", "0.10.1"},   {"vllm", "2025-09", "0.10.2"},
    {"vllm", "2025-10", "0.11.0"},   {"vllm", "2025-11", "0.11.1"},
    {"vllm", "2025-12", "0.12.0"},   {"vllm", "2026-01", "0.14.0"},
    {"vllm", "2026-02", "0.15.1"},   {"vllm", "2026-03", "0.16.0"},
    {"vllm", "2026-04", "0.19.0"},   {"vllm", "2026-05", "0.20.0"},
    {"vllm", "2026-06", "0.22.0"},   {"vllm", "2026-07", "0.24.0"},
    {"sglang", "2025-06", "0.4.7"},  {"sglang", "2025-10", "0.5.3"},
    {"sglang", "2025-12", "0.5.6"},  {"sglang", "2026-01", "0.5.8"},
    {"sglang", "2026-02", "0.5.9"},  {"sglang", "2026-03", "0.5.9"},
    {"sglang", "2026-05", "0.5.12"}, {"tensorrt-llm", "2026-05", "1.3.0rc14"},
};

/* The build that a row names, or of its date; sgl-cookbook's that name none are of the time of
 * its others, 0.5.3 to 0.5.9. "": unknown. */
static const char *version_of(const struct table_file *t, const char *engine)
{
    const char *version = table_text_of(t, "version"), *date = table_text_of(t, "date");
    const char *when = strncmp(version, "202", 3) == 0 ? version : date;

    if (version[0] >= '0' && version[0] <= '9' && strchr(version, '.'))
        return version;
    for (size_t i = 0; i < COUNT(releases); i++)
        if (strcmp(engine, releases[i].engine) == 0 && strncmp(when, releases[i].month, 7) == 0)
            return releases[i].version;
    return strstr(table_text_of(t, "source"), "sgl-cookbook") ? "0.5.9" : "";
}

/* ---- one row ---- */

/* "owner/repository" of GitHub, else the site. */
static void lab_of(const char *source, char *out, size_t size)
{
    const char *at = strstr(source, "github");

    if (at) {
        at += strcspn(at, ":/") + 1;
        size_t owner = strcspn(at, "/") + 1;
        gp_format(out, size, "%.*s", (int)(owner + strcspn(at + owner, "/@:#")), at);
        return;
    }
    at = strstr(source, "://");
    at = at ? at + 3 : source;
    gp_format(out, size, "%.*s", (int)strcspn(at, "/"), at);
}

/* Rounds of prompts, one after another: llama-benchy starts each of its runs anew. */
static double rounds_of(const struct table_file *t)
{
    double rounds = table_number_of(t, "num_prompts") / table_number_of(t, "concurrency");

    if (strstr(table_text_of(t, "notes"), "llama-benchy"))
        return 1;
    return rounds > 0 ? fmax(rounds, 1) : 0;
}

static double at_least_one(double value)
{
    return value >= 1 ? value : 1;
}

/* Engines' own programs, and llama-benchy, give the rate of decoding alone. */
static enum phase phase_of(const struct table_file *t)
{
    const char *notes = table_text_of(t, "notes"), *engine = table_text_of(t, "engine");
    bool decodes = strstr(engine, "bench") || strstr(notes, "decode rate only") ||
                   strstr(table_text_of(t, "dataset"), "llama-benchy") ||
                   strstr(notes, "llama-benchy");

    return decodes ? PHASE_DECODE : strstr(notes, "wall rate") ? PHASE_WALL : PHASE_TPOT;
}

/* As stated; SGLang's default for sparse attention on compute capability 10.0 and later
 * (server_args.py, 0.5.6: "for Blackwell, we support fp8 only currently"). */
static const char *kv_of(const struct table_file *t, const char *engine)
{
    static const struct word stated[] = {
        {"fp8", "fp8"}, {"q8_0", "q8_0"}, {"q4_0", "q4_0"}, {"f16", "fp16"}};
    const struct word *w = word_of(stated, COUNT(stated), table_text_of(t, "kv_dtype"));
    const char *gpu = table_text_of(t, "gpu");
    bool sparse = strcmp(engine, "sglang") == 0 && strstr(table_text_of(t, "model"), "V3.2");

    if (!w && sparse && (strstr(gpu, "B200") || strstr(gpu, "B300")))
        return "fp8";
    return w ? w->id : NULL;
}

static bool usable(const struct table_file *t)
{
    const char *flags = table_text_of(t, "flags"), *rate = table_text_of(t, "request_rate");
    bool host = strncmp(flags, "inter-token latency scatters", 28) == 0 ||
                strncmp(flags, "its sweep is decided by the host", 32) == 0;
    bool load = table_number_of(t, "concurrency") >= 1 ||
                (strtod(rate, NULL) > 0 && isfinite(strtod(rate, NULL)));

    return (flags[0] == '\0' || host) && load && strcmp(table_text_of(t, "trust"), "low") != 0 &&
           table_number_of(t, "isl") > 0 && table_number_of(t, "osl") > 8 &&
           strncmp(table_text_of(t, "spec_decode"), "none", 4) == 0;
}

static bool recent_row(struct rows *rows, const struct table_file *t)
{
    const struct word *e = word_of(engines, COUNT(engines), table_text_of(t, "engine"));
    const struct word *w = word_of(weights, COUNT(weights), table_text_of(t, "weights"));
    double tpot = table_number_of(t, "median_tpot_ms"), mean = table_number_of(t, "mean_tpot_ms");
    double dp = at_least_one(table_number_of(t, "dp"));
    double tp = at_least_one(table_number_of(t, "tp")), ep = at_least_one(table_number_of(t, "ep"));
    double users = table_number_of(t, "concurrency");
    char version[24] = "", *plus;

    if (!e || !e->id || !w || !usable(t) || (isnan(tpot) && isnan(mean)) ||
        rows->count == ROWS_MAX) {
        rows->left_out++;
        return false;
    }
    const char *model = table_text_of(t, "model"), *base = strrchr(model, '/');
    bool unsloth = strncmp(w->listed, "UD-Q4", 5) == 0 && strstr(model, "Q4") == NULL;
    bool cloudrift = strstr(table_text_of(t, "source"), "deplodock") != NULL;
    bool replicas = cloudrift || strcmp(e->id, "sglang") != 0;
    bool attention_dp = dp > 1 && !replicas;
    gp_copy(version, sizeof(version), version_of(t, e->id));
    if ((plus = strstr(version, "rc")) || (plus = strstr(version, ".post")))
        *plus = '\0';
    bool engine_dated =
        strcmp(e->id, "llama.cpp") && strcmp(e->id, "mlx") && strcmp(e->id, "ollama") && version[0];
    struct asked a = {
        .model = model,
        .gpu = table_text_of(t, "gpu"),
        .engine = e->id,
        .precision = unsloth ? "q4_k_m" : w->id,
        .kv = kv_of(t, e->id),
        .users = users >= 1 ? users : 1,
        .rate = users >= 1 ? 0 : table_number_of(t, "request_rate"),
        .prompt = at_least_one(table_number_of(t, "isl")),
        .output = at_least_one(table_number_of(t, "osl")),
        .tp = (int)(attention_dp ? at_least_one(tp / dp) : tp),
        .pp = (int)at_least_one(table_number_of(t, "pp")),
        .ways = attention_dp ? (int)dp : 1,
        .ep = strcmp(table_text_of(t, "ep"), "on") == 0 ? (int)tp : (int)ep,
        .replicas = replicas ? (int)dp : 1,
        .time = (isnan(tpot) ? mean : tpot) / 1e3,
        .phase = phase_of(t),
        .ttft = table_number_of(t, "mean_ttft_ms") / 1e3,
        .peer = NAN,
        .range = engine_dated ? version : NULL,
        .rounds = rounds_of(t),
        .asked = users >= 1 ? 0 : fmax(table_number_of(t, "num_prompts"), 0),
        .settled = strstr(table_text_of(t, "notes"), "concurrency = average batch") != NULL,
        .tokens = phase_of(t) != PHASE_TPOT ? 0 : table_number_of(t, "output_tok_s"),
    };
    /* and a harness modelled on it, whose tokens come some at a time as its scripts set */
    a.scripts = strstr(table_text_of(t, "notes"), "modelled on InferenceX") ||
                strstr(table_text_of(t, "source"), "InferenceX");
    if (!rows_ask(rows, &a))
        return false;
    struct row *r = &rows->row[rows->count - 1];
    gp_copy(r->model, sizeof(r->model), base ? base + 1 : model);
    lab_of(table_text_of(t, "source"), r->lab, sizeof(r->lab));
    return true;
}

bool rows_recent(struct rows *rows, int argc, char **argv)
{
    for (size_t i = 0; i < COUNT(files); i++) {
        struct table_file t;
        char name[64];

        gp_format(name, sizeof(name), "validation/%s", files[i]);
        if (!table_open(&t, argc, argv, name))
            return false;
        while (table_next(&t))
            recent_row(rows, &t);
        table_close(&t);
    }
    return true;
}
