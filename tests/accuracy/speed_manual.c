/*
 * speed_manual.c - see speed_manual.h.
 */
#include "speed_manual.h"

#include "manual.h"

static const struct line {
    const char *set, *label;
    group_fn group;
    const char *name; /* NULL: all of the set */
    bool band;
} lines[] = {
    {"serving_measured.csv", "one campaign, H100 to B200", group_all, NULL, true},
    {"serving_measured.csv", "  dense", group_kind, "dense", true},
    {"serving_measured.csv", "  experts", group_kind, "MoE", true},
    {"serving_measured.csv", "  vLLM", group_engine, "vllm", false},
    {"serving_measured.csv", "  TensorRT-LLM", group_engine, "tensorrt-llm", false},
    {"serving_measured.csv", "  SGLang", group_engine, "sglang", false},
    {"serving_measured.csv", "  2 to 8 users", group_users, "2 to 8 users", false},
    {"serving_measured.csv", "  9 to 32", group_users, "9 to 32", false},
    {"serving_measured.csv", "  33 to 128", group_users, "33 to 128", false},
    {"serving_recent*.csv", "others' builds, by pairs", group_all, NULL, true},
    {"serving_recent*.csv", "  so many users", group_load, "so many users", true},
    {"serving_recent*.csv", "  request rates", group_load, "request rate", true},
    {"serving_recent*.csv", "  vLLM", group_engine, "vllm", true},
    {"serving_recent*.csv", "  SGLang", group_engine, "sglang", true},
    {"serving_recent*.csv", "  llama.cpp", group_engine, "llama.cpp", true},
    {"llamacpp_bench.csv", "llama.cpp, decoding", group_phase, "decoding alone", true},
    {"llamacpp_bench.csv", "llama.cpp, prompts", group_phase, "prompts", true},
    {"qwen_bs1_speed_memory.csv", "vLLM 0.6, one user", group_all, NULL, true},
    {"throughput_trtllm.csv", "TensorRT-LLM, saturated", group_all, NULL, true},
    {"throughput_trtllm.csv", "  dense", group_kind, "dense", true},
    {"throughput_trtllm.csv", "  experts", group_kind, "MoE", true},
    {"throughput_vllm_dstack.csv", "vLLM 0.6, 405B", group_all, NULL, true},
    {"throughput_vllm_dstack.csv", "  H100", group_gpu, "h100-sxm", true},
    {"throughput_vllm_dstack.csv", "  MI300X", group_gpu, "mi300x", true},
};

/* 5.4, but 12: two digits. */
static void percent(char *out, size_t size, double share)
{
    gp_format(out, size, 100 * share < 9.95 ? "%.1f" : "%.0f", 100 * share);
}

static int check_line(const struct line *l, const struct score *s)
{
    char median[16], band[32] = "", text[160];
    percent(median, sizeof(median), s->median);
    if (l->band)
        gp_format(band, sizeof(band), "  /%.2f..x%.2f", s->low, s->high);
    gp_format(text, sizeof(text), "%-27s %5d %4s %4.0f %4.0f %%%s", l->label, s->rows, median,
              100 * s->tail, 100 * s->inside, band);
    return manual_lacks(text);
}

int manual_check(const char *set, const struct rows *rows, const struct plan_summary *outcome)
{
    int wrong = 0;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        if (strcmp(lines[i].set, set) != 0)
            continue;
        struct score s = score_of(rows, outcome, lines[i].group, lines[i].name);
        wrong += check_line(&lines[i], &s);
    }
    return wrong;
}

int manual_check_points(const char *set, int points, const struct score *score)
{
    static const char *const labels[] = {"one point", "  two", "  three"};
    bool campaign = strcmp(set, "serving_measured.csv") == 0;
    struct line l = {.set = set, .label = labels[points - 1]};
    if (points == 1)
        l.label = campaign ? "one campaign, one point" : "others' builds, one point";
    if (!campaign && strcmp(set, "serving_recent*.csv") != 0)
        return 0;
    return check_line(&l, score);
}

int manual_check_ttft(const char *set, const struct rows *rows, const struct plan_summary *outcome)
{
    struct score s = score_of(rows, outcome, group_all, NULL);
    bool campaign = strcmp(set, "serving_measured.csv") == 0;
    char text[120];
    gp_format(text, sizeof(text), "TTFT %s has errors of %.0f and %.0f %%, %.0f %% inside",
              campaign ? "in the campaign" : "elsewhere", 100 * s.median, 100 * s.tail,
              100 * s.inside);
    if (!campaign && strcmp(set, "serving_recent*.csv") != 0)
        return 0;
    return manual_lacks(text);
}
