/*
 * engine.c - see engine.h; and the keys of an engine profile.
 *
 *   name = "vLLM";  budget = "utilization";  fraction = 0.9;  block = 16;
 *   ranges = (
 *     { until = "0.11"; logit_copies = 9; ... },
 *     { from = "0.12"; until = "0.16"; ... },
 *     { from = "0.20"; fraction = 0.92; graphs_in_budget = true; ... }
 *   );
 *
 * A range says what changed since the one before it; the first adds to the top.
 *
 * Memory terms are GiB, each a number or (value, low, high). `evidence` holds one
 * sentence per term: what the figure was read from, or that it is assumed.
 */
#include "catalog/engine.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "catalog/files.h"
#include "catalog/gpu.h"

const char *engine_term_word(enum engine_term term)
{
    static const char *const words[TERM_COUNT] = {
        [TERM_BUDGET] = "budget",
        [TERM_DEFAULTS] = "defaults",
        [TERM_LOGITS] = "logits",
        [TERM_FORWARD] = "forward",
        [TERM_MOE] = "moe",
        [TERM_VISION] = "vision",
        [TERM_NON_TORCH] = "non_torch",
        [TERM_GRAPHS] = "graphs",
        [TERM_BLOCK] = "block",
        [TERM_OFFLOAD] = "offload",
        [TERM_DRAFT] = "draft",
        [TERM_LORA] = "lora",
        [TERM_KV_OFFLOAD] = "kv_offload",
        [TERM_PROMPT_CACHE] = "prompt_cache",
        [TERM_TABLES] = "tables",
        [TERM_ROPE] = "rope",
        [TERM_STATE] = "state",
        [TERM_SPARSE] = "sparse",
        [TERM_PADDING] = "padding",
        [TERM_LOADED] = "loaded",
    };

    return words[term];
}

const char *engine_budget_word(enum budget budget)
{
    static const char *const words[] = {
#define X(NAME, word) word,
        BUDGETS(X)
#undef X
    };

    return words[budget];
}

double engine_kv_unit(const struct engine *e)
{
    return strcmp(e->kv_offload, "gpu") == 0 ? 1e9 : GP_GIB;
}

bool engine_lists(const char *list, const char *word)
{
    return gp_has_word(list, "|", word);
}

/* "gfx1032" of "RDNA2 (gfx1032)"; "" = it has none. */
static void chip_of(const struct gpu *gpu, char *chip, size_t size)
{
    const char *at = strstr(gpu->architecture, "(gfx");

    gp_format(chip, size, "%.*s", at ? (int)strcspn(at + 1, ")") : 0, at ? at + 1 : "");
}

bool engine_runs_on(const struct engine *engine, const struct gpu *gpu)
{
    char chip[16];

    chip_of(gpu, chip, sizeof(chip));
    return (!engine->vendors[0] || engine_lists(engine->vendors, gpu->vendor)) &&
           (!engine->chips[0] || !chip[0] || engine_lists(engine->chips, chip));
}

/* FP64 runs nowhere. Of a format without a family, a user's own, nothing is known. */
bool engine_runs_format(const struct engine *engine, const struct format *weight)
{
    const char *runs = engine->weight_formats;

    return weight->bits <= 32 &&
           (!runs[0] || !weight->family[0] || engine_lists(runs, weight->family) ||
            engine_lists(runs, weight->id));
}

const struct support *engine_support(const struct engine *e, enum support_kind kind, const char *id,
                                     const char *family, int role)
{
    for (const struct support *s = e->support; s < e->support + e->support_count; s++)
        if (s->kind == (int)kind && (!s->roles || s->roles >> role & 1) &&
            (!s->of[0] || s->of[0] == '*' || engine_lists(s->of, id) ||
             (family[0] && engine_lists(s->of, family))))
            return s;
    return NULL;
}

const struct support *engine_excludes(const struct engine *e, enum support_kind kind,
                                      const char *id, const char *family, int cc)
{
    const struct support *s = cc > 0 ? engine_support(e, kind, id, family, 0) : NULL;

    return s && (cc < s->from || (s->until > 0 && cc > s->until)) ? s : NULL;
}

bool engine_loads_method(const struct engine *e, const char *method, int cc)
{
    bool any = false;

    for (const struct support *s = e->support; s < e->support + e->support_count; s++) {
        if (s->kind == SUPPORT_METHOD && engine_lists(s->of, method))
            return cc == 0 || (cc >= s->from && (s->until == 0 || cc <= s->until));
        any |= s->kind == SUPPORT_METHOD;
    }
    return !any;
}

bool engine_names_family(const char *list, const char *family)
{
    return strcmp(list, "all") == 0 || engine_lists(list, family);
}

/* The number at *text, which it passes; -1 when there is none up to `most`. */
static long version_number(const char **text, long most)
{
    char *end;

    if (**text < '0' || **text > '9')
        return -1;
    long number = strtol(*text, &end, 10);
    *text = end;
    return number > most ? -1 : number;
}

/* What may follow the numbers and does not move a version out of its range: ".1", "rc2",
 * ".post1", ".x" and, behind '+' or '-', a local part or the end of a range. */
static bool version_tail(const char *at)
{
    static const char *const words[] = {"rc", "post", "dev", "x", ""};

    while (*at && *at != '+' && *at != '-') {
        size_t i = 0, digits;

        at += *at == '.';
        while (strncmp(at, words[i], strlen(words[i])) != 0)
            i++;
        at += strlen(words[i]);
        digits = strspn(at, "0123456789");
        if (!words[i][0] && digits == 0)
            return false;
        at += digits;
    }
    return at[strspn(at, "+-.abcdefghijklmnopqrstuvwxyz0123456789")] == '\0';
}

long engine_version(const char *text, long patch)
{
    if (strlen(text) >= ENGINE_VERSION_TEXT)
        return -1;
    if (*text == 'v' || *text == 'b')
        text++;
    long major = version_number(&text, 9999999), minor = 0; /* a build has no more */
    if (*text == '.') {
        text++;
        minor = version_number(&text, 9999);
        if (text[0] == '.' && text[1] >= '0' && text[1] <= '9') {
            text++;
            patch = version_number(&text, 9999);
        }
    }
    if (major < 0 || minor < 0 || patch < 0 || !version_tail(text))
        return -1;
    return (major * 10000 + minor) * 10000 + patch;
}

bool engine_unmeasured(const struct engine *e)
{
    return e->speed.seen[0] && e->from > engine_version(e->speed.seen, ENGINE_LAST_PATCH);
}

const char *hit_kind_word(enum hit_kind kind)
{
#define X(NAME, word, words) [HIT_##NAME] = word,
    static const char *const list[HIT_KIND_COUNT] = {HIT_KINDS(X)};
    return list[kind];
}

const char *hit_phase_word(enum hit_phase phase)
{
    static const char *const list[HIT_PHASE_COUNT] = {HIT_PHASES(X)};
#undef X
    return list[phase];
}

const struct hit *hits_find(const struct hits *hits, enum hit_kind kind, enum hit_phase phase)
{
    for (int i = 0; i < hits->count; i++)
        if (hits->hit[i].kind == (int)kind && hits->hit[i].phase == (int)phase)
            return &hits->hit[i];
    return NULL;
}

long engine_first_of(const struct engine *e, const char *family, char text[ENGINE_VERSION_TEXT])
{
    size_t size = strlen(family);
    const char *at = size > 0 ? e->families : "";

    for (; (at = strstr(at, family)) != NULL && *at; at += size) {
        const char *row = at;

        if (at == e->families || at[-1] != ' ' || !strchr(" |", at[size]))
            continue;
        while (row > e->families && row[-1] != '|')
            row--;
        gp_format(text, ENGINE_VERSION_TEXT, "%.*s", (int)strcspn(row, " "), row);
        return engine_version(text, 0);
    }
    return 0;
}

const struct engine_tier *engine_tier(const struct engine *e, double physical)
{
    for (int i = 0; i < e->tier_count; i++)
        if (e->tier[i].below <= 0 || physical < e->tier[i].below)
            return &e->tier[i];
    return NULL;
}

/* ---- the file ---- */

#define RANGES_MAX 32

static const struct profile_word budgets[] = {
#define X(NAME, word) {word, BUDGET_##NAME},
    BUDGETS(X)
#undef X
        {NULL, 0},
};

static const struct profile_word row_words[] = {
#define X(NAME, word) {word, ROWS_##NAME},
    LOGIT_ROWS(X)
#undef X
        {NULL, 0},
};

static const struct profile_word scheduler_words[] = {
#define X(NAME, word) {word, SCHEDULER_##NAME},
    SCHEDULERS(X)
#undef X
        {NULL, 0},
};

static const struct profile_word priority_words[] = {
#define X(NAME, word) {word, PRIORITY_##NAME},
    PRIORITY_RULES(X)
#undef X
        {NULL, 0},
};

#define TIER(member) PROFILE_AT(struct engine_tier, member)
#define CASE(member) PROFILE_AT(struct speed_case, member)
#define HIT(member) PROFILE_AT(struct hit, member)
#define ROW(member) PROFILE_AT(struct support, member)

static const struct profile_field tier_fields[] = {
    {"below_gib", PROFILE_NUMBER, TIER(below), 0, 65536, GP_GIB, "below", "GiB"},
    {"max_tokens", PROFILE_COUNT, TIER(tokens), 0, 1 << 20, .as = "tokens"},
    {"graphs", PROFILE_COUNT, TIER(graphs[0]), 0, 65536, .as = "requests"},
    {"graphs_tp4", PROFILE_COUNT, TIER(graphs[1]), 0, 65536, .as = "requests"},
    {"context", PROFILE_COUNT, TIER(context), 0, 1 << 24, .as = "tokens"},
};

static const struct profile_field case_fields[] = {
    {"family", PROFILE_TEXT, CASE(family)},
    {"kernel", PROFILE_WORD, CASE(kernel), .words = family_kernels},
    {"experts_us", PROFILE_NUMBER, CASE(experts), 0, 1e4, 1e-6, "experts", "us per layer", 1,
     SHOW_FITTED},
    {"expert_rows", PROFILE_NUMBER, CASE(rows), 0, 4096, .show = SHOW_SOME},
    {"below_tp", PROFILE_COUNT, CASE(below_tp), 0, 1024},
    {"launch", PROFILE_NUMBER, CASE(launch), 0, 100, .show = SHOW_SOME},
};

#define X(NAME, word, words) {word, HIT_##NAME},

static const struct profile_word hit_kinds[] = {HIT_KINDS(X){NULL, 0}};
static const struct profile_word hit_phases[] = {HIT_PHASES(X){NULL, 0}};

#undef X

static const struct profile_field hit_fields[] = {
    {"kind", PROFILE_WORD, HIT(kind), .words = hit_kinds, .required = true},
    {"phase", PROFILE_WORD, HIT(phase), .words = hit_phases, .required = true},
    {"families", PROFILE_TEXT, HIT(families), .required = true},
    {"rows", PROFILE_COUNT, HIT(rows), 1, 1 << 20, .required = true},
    {"median", PROFILE_NUMBER, HIT(median), 0, 100, .label = "median_error", .show = SHOW_COUNT,
     .required = true},
    {"p90", PROFILE_NUMBER, HIT(tail), 0, 1000, .label = "p90_error", .show = SHOW_COUNT,
     .required = true},
    {"inside", PROFILE_NUMBER, HIT(inside), 0, 1, .label = "in_band", .show = SHOW_COUNT,
     .required = true},
};

#define X(NAME, word) {word, SUPPORT_##NAME},

static const struct profile_word support_kinds[] = {SUPPORT_KINDS(X){NULL, 0}};

#undef X

static const struct profile_field support_fields[] = {
    {"kind", PROFILE_WORD, ROW(kind), .words = support_kinds, .required = true},
    {"of", PROFILE_TEXT, ROW(of)},
    {"from", PROFILE_COUNT, ROW(from), 0, 999, .show = SHOW_VERSION},
    {"until", PROFILE_COUNT, ROW(until), 0, 999, .show = SHOW_VERSION},
    {"roles", PROFILE_BITS, ROW(roles), .words = format_file_roles},
    {"least", PROFILE_COUNT, ROW(least), 0, 1024},
    {"gates", PROFILE_FLAG, ROW(gates)},
    {"merged", PROFILE_FLAG, ROW(merged)},
    {"cure", PROFILE_TEXT, ROW(cure)},
    {"since", PROFILE_TEXT, ROW(since)},
    {"last", PROFILE_TEXT, ROW(last)},
    {"source", PROFILE_TEXT, ROW(source), .required = true},
};

#define LIST(fields, item, count, max)                                                  \
    {                                                                                   \
        PROFILE_TABLE(fields), sizeof(struct item), offsetof(struct engine, count), max \
    }

static const struct profile_list tiers = LIST(tier_fields, engine_tier, tier_count, ENGINE_TIERS);
static const struct profile_list cases =
    LIST(case_fields, speed_case, speed.case_count, SPEED_CASES);
static const struct profile_list hits = LIST(hit_fields, hit, hits.count, HITS_MAX);
static const struct profile_list supports =
    LIST(support_fields, support, support_count, SUPPORT_MAX);

#define AT(member) PROFILE_AT(struct engine, member)
/* A fitted constant of `speed`. */
#define FITTED(key, member, low, high, unit, label, as, decimals)                                 \
    {                                                                                             \
        key, PROFILE_NUMBER, AT(speed.member), low, high, unit, label, as, decimals, SHOW_FITTED, \
            .in = "speed"                                                                         \
    }

/* All quantities are memory terms. */
static const struct profile_field fields[] = {
    {NULL, PROFILE_TEXT, AT(name), .label = "name"},
    {NULL, PROFILE_TEXT, AT(range), .label = "versions"},
    {"checked", PROFILE_TEXT, AT(checked)},
    {"gguf", PROFILE_FLAG, AT(gguf)},
    {"layers_only", PROFILE_FLAG, AT(layers_only)},
    {"experts_whole", PROFILE_FLAG, AT(experts_whole)},
    {"one_host", PROFILE_FLAG, AT(one_host)},
    {"bf16_falls_back", PROFILE_FLAG, AT(bf16_falls_back), .label = "bf16_falls_back_to_fp16"},
    {"fp16_refused", PROFILE_TEXT, AT(fp16_refused), .label = "families_not_in_fp16"},
    {"weight_formats", PROFILE_TEXT, AT(weight_formats)},
    {"kv_formats", PROFILE_TEXT, AT(kv_formats)},
    {"support", PROFILE_LIST, AT(support), .list = &supports},
    {"budget", PROFILE_WORD, AT(budget), .words = budgets, .group = "budget and defaults"},
    {"scheduler", PROFILE_WORD, AT(scheduler), .words = scheduler_words},
    {"priority", PROFILE_WORD, AT(priority), .words = priority_words, .label = "gives_way"},
    {"overlap", PROFILE_FLAG, AT(overlap), .label = "schedules_ahead"},
    {"whole_prompt", PROFILE_FLAG, AT(whole_prompt), .label = "admits_whole_prompts"},
    {"in_turn", PROFILE_FLAG, AT(in_turn), .label = "reuses_blocks_in_turn"},
    {"late_ends", PROFILE_FLAG, AT(late_ends), .label = "sees_ends_late"},
    {"no_page_spare", PROFILE_FLAG, AT(no_page_spare), .label = "admits_to_the_last_page"},
    {"fraction", PROFILE_NUMBER, AT(fraction), 0.01, 1, 1, NULL, "of GPU", 3},
    {"block", PROFILE_COUNT, AT(block), 1, 65536, .as = "tokens"},
    {"mla_block", PROFILE_COUNT, AT(mla_block), 0, 65536, .as = "tokens"},
    {"window_groups", PROFILE_FLAG, AT(window_groups)},
    {"window_share", PROFILE_NUMBER, AT(window_share), 0, 1, 1, NULL, "x", 2},
    {"shared_kv_kept", PROFILE_FLAG, AT(shared_kv_kept)},
    {"window_slots", PROFILE_FLAG, AT(window_slots)},
    {"state_share", PROFILE_NUMBER, AT(state_share), 0, 16, 1, NULL, "x", 2},
    {"group_slack", PROFILE_NUMBER, AT(group_slack), 1, 4, 1, NULL, "x", 2},
    {"batches", PROFILE_COUNT, AT(batches), 1, 16, .label = "batches_in_flight"},
    {"state_blocks", PROFILE_COUNT, AT(state_blocks), 1, 16, .as = "per request"},
    {"state_checkpoints", PROFILE_TEXT, AT(checkpoints)},
    {"state_checkpoints_cc90", PROFILE_TEXT, AT(checkpoints_90)},
    {"state_fp32", PROFILE_TEXT, AT(state_fp32)},
    {"conv_fp32", PROFILE_FLAG, AT(conv_fp32)},
    {"whole_slots", PROFILE_FLAG, AT(whole_slots)},
    {"no_evict", PROFILE_FLAG, AT(no_evict)},
    {"state_exit", PROFILE_FLAG, AT(state_exit), .label = "exits_without_state_blocks"},
    {"slots_least", PROFILE_COUNT, AT(slots_least), 0, 65536, .as = "requests"},
    {"slots_most", PROFILE_COUNT, AT(slots_most), 0, 65536, .as = "requests"},
    {"slots_option", PROFILE_TEXT, AT(slots_option)},
    {"disaggregation", PROFILE_TEXT, AT(disaggregation)},
    {"max_num_seqs_small", PROFILE_COUNT, AT(seqs_small), 0, 65536, .as = "requests"},
    {"max_num_seqs_large", PROFILE_COUNT, AT(seqs_large), 0, 65536, .as = "requests"},
    {"max_tokens_small", PROFILE_COUNT, AT(tokens_small), 0, 1 << 20, 1, "max_batched_tokens_small",
     "tokens"},
    {"max_tokens_large", PROFILE_COUNT, AT(tokens_large), 0, 1 << 20, 1, "max_batched_tokens_large",
     "tokens"},
    {"large_gib", PROFILE_NUMBER, AT(large_bytes), 0, 65536, GP_GIB, "large_from", "GiB", 1},
    {"large_except", PROFILE_TEXT, AT(large_except)},
    {"max_tokens_huge", PROFILE_COUNT, AT(tokens_huge), 0, 1 << 20, 1, "max_batched_tokens_huge",
     "tokens"},
    {"huge_gib", PROFILE_NUMBER, AT(huge_bytes), 0, 65536, GP_GIB, "huge_from", "GiB", 1},
    {"defaults_clip", PROFILE_FLAG, AT(defaults_clip)},
    {"tiers", PROFILE_LIST, AT(tier), .list = &tiers},
    {"logit_rows", PROFILE_WORD, AT(logit_rows), .words = row_words, .group = "memory per GPU"},
    {"logit_copies", PROFILE_NUMBER, AT(logit_copies), 0, 64, 1, NULL, "FP32 copies", 1},
    {"base_gib", PROFILE_QUANTITY, AT(base), 0, 1024, GP_GIB, "activation_base", "GiB", 3},
    {"forward_base_gib", PROFILE_QUANTITY, AT(forward_base), 0, 1024, GP_GIB,
     "activation_forward_base", "GiB", 3},
    {"moe_workspace", PROFILE_NUMBER, AT(moe_workspace), 0, 64, 1, NULL, "x", 2},
    {"gathers_tokens", PROFILE_FLAG, AT(gathers_tokens)},
    {"sampler_buffer", PROFILE_FLAG, AT(sampler_buffer)},
    {"vision_run", PROFILE_TEXT, AT(vision_run)},
    {"vision_masks", PROFILE_TEXT, AT(vision_masks)},
    {"vision_gib", PROFILE_QUANTITY, AT(vision), 0, 1024, GP_GIB, "vision", "GiB", 2},
    {"non_torch_1_gib", PROFILE_QUANTITY, AT(non_torch_1), 0, 1024, GP_GIB, "non_torch_1_gpu",
     "GiB", 2},
    {"non_torch_tp_gib", PROFILE_QUANTITY, AT(non_torch_tp), 0, 1024, GP_GIB, "non_torch_tp", "GiB",
     2},
    {"non_torch_pcie_gib", PROFILE_QUANTITY, AT(non_torch_pcie), 0, 1024, GP_GIB, "non_torch_pcie",
     "GiB", 2},
    {"non_torch_pp_gib", PROFILE_QUANTITY, AT(non_torch_pp), 0, 1024, GP_GIB, "non_torch_pp", "GiB",
     2},
    {"non_torch_moe_gib", PROFILE_QUANTITY, AT(non_torch_moe), 0, 1024, GP_GIB, "non_torch_moe",
     "GiB", 2},
    {"context_gib", PROFILE_QUANTITY, AT(context), 0, 1024, GP_GIB, "context", "GiB", 2},
    {"context_tp_gib", PROFILE_QUANTITY, AT(context_tp), 0, 1024, GP_GIB, "context_tp", "GiB", 2},
    {"context_pcie_gib", PROFILE_QUANTITY, AT(context_pcie), 0, 1024, GP_GIB, "context_pcie", "GiB",
     2},
    {"vision_kept_gib", PROFILE_NUMBER, AT(vision_kept), 0, 1024, GP_GIB, "vision_kept", "GiB", 2},
    {"loaded", PROFILE_QUANTITY, AT(loaded), 0.5, 2, 1, NULL, "x", 3},
    {"compute_graph", PROFILE_QUANTITY, AT(compute_graph), 0, 64, 1, NULL, "x", 2},
    {"flash_attention", PROFILE_FLAG, AT(flash_attention)},
    {"masks_fp16", PROFILE_FLAG, AT(masks_fp16)},
    {"kv_copies", PROFILE_TEXT, AT(kv_copies)},
    {"embedding_on_host", PROFILE_FLAG, AT(embedding_on_host)},
    {"ngram_on_host", PROFILE_TEXT, AT(ngram_on_host)},
    {"graphs_gib", PROFILE_QUANTITY, AT(graphs), 0, 1024, GP_GIB, "graphs", "GiB", 2},
    {"graphs_layer_gib", PROFILE_NUMBER, AT(graphs_layer), 0, 1024, GP_GIB, "graphs_layer",
     "GiB a layer", 4},
    {"graphs_layer_tp_gib", PROFILE_NUMBER, AT(graphs_layer_tp), 0, 1024, GP_GIB, "graphs_layer_tp",
     "GiB a layer", 4},
    {"graphs_pcie_gib", PROFILE_QUANTITY, AT(graphs_pcie), 0, 1024, GP_GIB, "graphs_pcie", "GiB",
     2},
    {"graphs_by_slots", PROFILE_FLAG, AT(graphs_by_slots)},
    {"graphs_moe_gib", PROFILE_QUANTITY, AT(graphs_moe), 0, 1024, GP_GIB, "graphs_moe", "GiB", 2},
    {"graphs_charged_gib", PROFILE_QUANTITY, AT(graphs_charged), 0, 1024, GP_GIB, "graphs_charged",
     "GiB", 2},
    {"graphs_in_budget", PROFILE_FLAG, AT(graphs_in_budget)},
    {"logit_copies_low", PROFILE_NUMBER, AT(logit_copies_low), 0, 64, 1, NULL, "FP32 copies", 1},
    {"second", PROFILE_TEXT, AT(second), .label = "second_runner_models"},
    {"second_16bit", PROFILE_FLAG, AT(second_16bit), .label = "second_runner_16bit_only"},
    {"second_copies", PROFILE_NUMBER, AT(second_copies), 0, 64, 1, "second_runner_logit_copies",
     "FP32 copies", 1},
    {"second_kept", PROFILE_NUMBER, AT(second_kept), 0, 64, 1, "second_runner_kept",
     "bytes per slot and word", 3},
    {"second_graphs", PROFILE_FLAG, AT(second_graphs), .label = "second_runner_graphs_in_budget"},
    {"second_draft", PROFILE_FLAG, AT(second_draft), .label = "second_runner_draft_models"},
    {"second_offload", PROFILE_FLAG, AT(second_offload), .label = "second_runner_host_memory"},
    {"rope_table", PROFILE_FLAG, AT(rope_table)},
    {"rope_fp32", PROFILE_TEXT, AT(rope_fp32)},
    {"rope_4x", PROFILE_TEXT, AT(rope_4x)},
    {"embed_whole", PROFILE_TEXT, AT(embed_whole)},
    {"towers_whole", PROFILE_TEXT, AT(towers_whole)},
    {"mla_copies", PROFILE_TEXT, AT(mla_copies)},
    {"nvfp4_scales_twice", PROFILE_TEXT, AT(nvfp4_scales_twice)},
    {"ep_all", PROFILE_FLAG, AT(ep_all), .label = "experts_over_all_gpus"},
    {"tp_or_pp", PROFILE_FLAG, AT(tp_or_pp)},
    {"dp_whole", PROFILE_FLAG, AT(dp_whole)},
    {"language_only", PROFILE_FLAG, AT(language_only)},
    {"offload", PROFILE_TEXT, AT(offload), .label = "host_memory"},
    {"places", PROFILE_TEXT, AT(places), .label = "host_memory_by_itself"},
    {"places_margin_gib", PROFILE_NUMBER, AT(places_margin), 0, 64, GP_GIB, "host_memory_margin",
     "GiB", 2},
    {"offload_kept", PROFILE_FLAG, AT(offload_kept), .label = "host_memory_when_packed"},
    {"offload_groups", PROFILE_FLAG, AT(offload_groups), .label = "host_memory_with_kv_groups"},
    {"kv_offload", PROFILE_TEXT, AT(kv_offload), .label = "kv_host_memory"},
    {"kv_offload_groups", PROFILE_FLAG, AT(kv_offload_groups),
     .label = "kv_host_memory_with_groups"},
    {"draft", PROFILE_TEXT, AT(draft)},
    {"draft_tokens", PROFILE_COUNT, AT(draft_tokens), 0, 64},
    {"draft_slots", PROFILE_COUNT, AT(draft_slots), 0, 65536, .as = "requests"},
    {"yarn", PROFILE_FLAG, AT(yarn)},
    {"draft_vocab", PROFILE_FLAG, AT(draft_vocab), .label = "draft_same_vocabulary"},
    {"draft_cells", PROFILE_FLAG, AT(draft_cells), .label = "draft_as_own_layers"},
    {"state_drafts", PROFILE_FLAG, AT(state_drafts), .label = "state_blocks_per_draft"},
    {"lora", PROFILE_FLAG, AT(lora)},
    {"lora_ranks", PROFILE_TEXT, AT(lora_ranks)},
    {"lora_experts", PROFILE_FLAG, AT(lora_experts)},
    {"lora_chosen", PROFILE_FLAG, AT(lora_chosen), .label = "lora_chosen_modules"},
    {"lora_fp32", PROFILE_FLAG, AT(lora_fp32)},
    {"pad_hidden", PROFILE_COUNT, AT(pad_hidden), 0, 65536, .label = "mxfp4_pad_hidden"},
    {"pad_width", PROFILE_COUNT, AT(pad_width), 0, 65536, .label = "mxfp4_pad_width"},
    {"kernel_us", PROFILE_NUMBER, AT(speed.kernel), 0, 1e4, 1e-6, "speed_kernel", "us", 2,
     SHOW_FITTED, "speed", "speed"},
    FITTED("layer_us", layer, 0, 1e5, 1e-6, "speed_layer", "us", 1),
    FITTED("host_ms", host, 0, 1e3, 1e-3, "speed_host", "ms", 3),
    FITTED("request_us", request, 0, 1e4, 1e-6, "speed_request", "us", 2),
    FITTED("sampler", sampler, 0, 100, 1, "speed_sampler", "passes", 2),
    FITTED("verify_ms", verify, 0, 1e3, 1e-3, "speed_verify", "ms", 2),
    FITTED("verify_work", verify_work, 0, 4, 1, "speed_verify_work", "x", 2),
    FITTED("draft_ms", draft, 0, 1e3, 1e-3, "speed_draft", "ms", 2),
    FITTED("experts_us", experts, 0, 1e4, 1e-6, "speed_experts", "us per layer", 1),
    FITTED("allreduce", allreduce, 0, 100, 1, "speed_allreduce", "x", 2),
    FITTED("kv", kv, 0.01, 2, 1, "speed_kv", "x", 2),
    FITTED("mla_splits", mla_splits, 0, 1024, 1, "speed_mla_splits", "blocks", 0),
    FITTED("mla_span", mla_span, 0, 65536, 1, "speed_mla_span", "tokens", 0),
    {"prefill_alone", PROFILE_FLAG, AT(speed.prefill_alone), .label = "speed_prefill_alone",
     .in = "speed"},
    FITTED("prefill_kernel_us", prefill_kernel, 0, 1e4, 1e-6, "speed_prefill_kernel", "us", 1),
    FITTED("prefill_layer_us", prefill_layer, 0, 1e5, 1e-6, "speed_prefill_layer", "us", 1),
    FITTED("prefill_compute", prefill_compute, 0.01, 1.5, 1, "speed_prefill_compute", "x", 3),
    FITTED("prefill_attention", prefill_attention, 0.01, 2, 1, "speed_prefill_attention", "x", 3),
    FITTED("score_bytes", score_bytes, 0, 1000, 1, "speed_score_bytes", "B", 3),
    {"unpacks", PROFILE_FLAG, AT(speed.unpacks), .label = "speed_unpacks", .in = "speed"},
    FITTED("host_tokens", host_tokens, 0, 65536, 1, "speed_host_tokens", "tokens", 0),
    FITTED("host_copy", host_copy, 0.01, 1, 1, "speed_host_copy", "of PCIe", 2),
    FITTED("host_hop_us", host_hop, 0, 1e4, 1e-6, "speed_host_hop", "us", 1),
    FITTED("prefill_overlap", prefill_overlap, 0, 1, 1, "speed_prefill_overlap", "x", 3),
    FITTED("interference", interference, 0, 2, 1, "speed_interference", "x", 3),
    FITTED("ttft_base_ms", ttft_base, 0, 1e4, 1e-3, "speed_ttft_base", "ms", 1),
    FITTED("ttft_solo", ttft_solo, 0, 100, 1, "speed_ttft_solo", "x", 2),
    FITTED("ttft_decode", ttft_decode, 0, 100, 1, "speed_ttft_decode", "x", 2),
    FITTED("ttft_queue", ttft_queue, 0, 100, 1, "speed_ttft_queue", "x", 2),
    {"cases", PROFILE_LIST, AT(speed.at), .label = "speed_cases", .in = "speed", .list = &cases},
    {"evidence", PROFILE_TEXT, AT(speed.evidence), .label = "speed_evidence", .in = "speed"},
    {"hits", PROFILE_LIST, AT(hits.hit), .list = &hits},
    {"hits_source", PROFILE_TEXT, AT(hits.source)},
    {"source", PROFILE_TEXT, AT(source), .show = SHOW_NOT},
    {"date", PROFILE_TEXT, AT(date), .show = SHOW_NOT},
    {"prompt_cache_gib", PROFILE_NUMBER, AT(prompt_cache_gib), 0, 4096, .show = SHOW_NOT},
    {"vendors", PROFILE_TEXT, AT(vendors), .show = SHOW_NOT},
    {"families", PROFILE_TEXTS, AT(families), .show = SHOW_NOT},
    {"chips", PROFILE_TEXT, AT(chips), .show = SHOW_NOT},
    {"seen", PROFILE_TEXT, AT(speed.seen), .show = SHOW_NOT, .in = "speed"},
    {"captured", PROFILE_NUMBER, AT(speed.captured), 0, 1e6, .show = SHOW_NOT, .in = "speed"},
    {"uncaptured_cc100", PROFILE_TEXT, AT(speed.uncaptured_100), .show = SHOW_NOT, .in = "speed"},
};

const struct profile_table engine_table = PROFILE_TABLE(fields);

/* Each row: a version, and families behind it. */
static void check_families(struct profile_group item, const struct engine *e)
{
    char text[ENGINE_VERSION_TEXT];

    for (const char *row = e->families, *end; *row; row = end + (*end == '|')) {
        size_t version = strcspn(row, " |");

        end = row + strcspn(row, "|");
        if (version < sizeof text)
            gp_format(text, sizeof text, "%.*s", (int)version, row);
        if (version >= sizeof text || row[version] != ' ' || engine_version(text, 0) <= 0) {
            profile_fail(item, "families", "write it as in \"0.10.1 gpt_oss\"",
                         "\"%.*s\" is not a version and families", (int)(end - row), row);
            return;
        }
    }
}

static void number_support(struct profile_group item, struct engine *engine)
{
    for (int i = 0; i < engine->support_count && !profile_failed(item.profile); i++) {
        struct support *s = &engine->support[i];

        s->since_number = s->since[0] ? engine_version(s->since, 0) : 0;
        s->last_number = s->last[0] ? engine_version(s->last, ENGINE_LAST_PATCH) : LONG_MAX;
        if (s->since_number < 0 || s->last_number < 0)
            profile_fail(item, "support", "write it as in \"0.19\"", "\"%s\" is not a version",
                         s->since_number < 0 ? s->since : s->last);
    }
}

/* `assumed = true` marks every memory term of a range that was not measured. */
static void engine_read_keys(struct profile_group item, struct engine *engine)
{
    struct profile_group evidence = profile_sub(item, "evidence");
    bool assumed = engine->base.origin == ORIGIN_ASSUMED;

    profile_bool(item, "assumed", &assumed);
    PROFILE_FIELDS(item, fields, engine);
    if (profile_has(item, "support"))
        number_support(item, engine);
    if (profile_has(item, "families"))
        check_families(item, engine);
    for (size_t i = 0; i < engine_table.count; i++) {
        struct quantity *term = (void *)((char *)engine + fields[i].offset);

        if (fields[i].kind == PROFILE_QUANTITY && term->known)
            term->origin = assumed ? ORIGIN_ASSUMED : ORIGIN_MODEL;
    }
    for (int i = 0; i < TERM_COUNT; i++)
        profile_string(evidence, engine_term_word((enum engine_term)i), engine->evidence[i],
                       sizeof(engine->evidence[i]));
}

static long read_version(struct profile_group item, const char *key, char *text, size_t size,
                         long open_end)
{
    long version;

    text[0] = '\0';
    profile_string(item, key, text, size);
    if (text[0] == '\0')
        return open_end;
    version = engine_version(text, open_end == 0 ? 0 : ENGINE_LAST_PATCH);
    if (version < 0)
        profile_fail(item, key, "write it as in \"0.19\"", "\"%s\" is not a version", text);
    return version;
}

static void name_range(struct engine *engine, const char *from, const char *until)
{
    if (from[0] == '\0' && until[0] == '\0')
        gp_copy(engine->range, sizeof engine->range, "all versions");
    else if (from[0] == '\0')
        gp_format(engine->range, sizeof engine->range, "up to %s", until);
    else if (until[0] == '\0')
        gp_format(engine->range, sizeof engine->range, "%s+", from);
    else if (strcmp(from, until) == 0)
        gp_copy(engine->range, sizeof engine->range, from);
    else
        gp_format(engine->range, sizeof engine->range, "%s-%s", from, until);
}

/* The range of this engine that starts at `from`, or a new one, in version order: it takes
 * what it does not say from the range before it. */
static struct engine *engine_find_range(struct engine_list *list, const struct engine *shared,
                                        long from)
{
    size_t at = 0;

    while (at < list->count && list->engines[at].from < from)
        at++;
    if (at < list->count && list->engines[at].from == from)
        return &list->engines[at];
    memmove(&list->engines[at + 1], &list->engines[at], (list->count - at) * sizeof *list->engines);
    list->count++;
    list->engines[at] = at > 0 ? list->engines[at - 1] : *shared;
    return &list->engines[at];
}

static void engine_check_range(struct profile_group item, const struct engine_list *list,
                               const struct engine *engine)
{
    const struct engine *before = engine > list->engines ? engine - 1 : NULL;

    const struct profile_need needs[] = {
        {"non_torch_1_gib", engine->non_torch_1.known},
        {"non_torch_tp_gib", engine->non_torch_tp.known},
        {"non_torch_pp_gib", engine->non_torch_pp.known},
        {"base_gib", engine->base.known},
        {"forward_base_gib", engine->forward_base.known},
        {"vision_gib", engine->vision.known},
        {"graphs_gib", engine->graphs.known},
        {"graphs_charged_gib", engine->graphs_charged.known},
        {"fraction", engine->fraction > 0},
        {"block", engine->block >= 1},
    };
    PROFILE_NEEDS(item, needs, "a range needs these, of its own or of the one before it");
    if (engine->logit_copies_low > engine->logit_copies)
        profile_fail(item, "logit_copies_low", "0 where it is the only sampler",
                     "is more than logit_copies");
    else if (engine->until < engine->from)
        profile_fail(item, "until", "", "is lower than from");
    else if (before != NULL && before->until >= engine->from)
        profile_fail(item, "from", "", "overlaps the range %s", before->range);
}

/* What a group says holds for the ranges from that version on: within one file the later
 * ones are not there yet, a later file's change those of the earlier files. */
static void read_over(struct profile_group group, struct engine_list *list, long from)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->engines[i].from >= from)
            engine_read_keys(group, &list->engines[i]);
}

/* For an error that can be told when the formats have been read (catalog_engine). */
static void note_formats(struct profile_group group, struct engine_item *item)
{
    if (profile_has(group, "weight_formats"))
        profile_where(group, "weight_formats", item->formats_at, sizeof item->formats_at);
}

static void read_range(struct profile_group item, const struct engine *shared,
                       struct engine_list *list, long *newest)
{
    char from_text[16], until_text[16];
    long from = read_version(item, "from", from_text, sizeof from_text, 0);
    long until = read_version(item, "until", until_text, sizeof until_text, LONG_MAX);
    size_t before = list->count;
    struct engine *engine;

    if (profile_failed(item.profile))
        return;
    if (from < *newest)
        profile_fail(item, "from", "write the ranges in the order of their versions",
                     "is lower than in the range before it");
    *newest = from;
    engine = engine_find_range(list, shared, from);
    if (list->count > before || until_text[0] != '\0') {
        engine->from = from;
        engine->until = until;
        name_range(engine, from_text, until_text);
    }
    read_over(item, list, from);
    engine_check_range(item, list, engine);
}

/* Leaves the rows of `support` that hold for this range: for all of it, or where it begins. */
static void keep_support(struct engine *e)
{
    int kept = 0;

    for (int i = 0; i < e->support_count; i++)
        if (e->support[i].since_number <= e->from && e->from <= e->support[i].last_number)
            e->support[kept++] = e->support[i];
    e->support_count = kept;
}

void engine_file_read(struct profile_group top, void *target)
{
    struct engine_item *item = target;
    struct engine shared = {.group_slack = 1, .batches = 1, .state_blocks = 1};
    long newest = 0;

    gp_copy(shared.id, sizeof shared.id, item->id);
    gp_copy(shared.name, sizeof shared.name, item->id);
    profile_strings(top, "aliases", item->aliases, sizeof item->aliases);
    profile_string(top, "name", shared.name, sizeof shared.name);
    read_over(top, &item->list, 0);
    engine_read_keys(top, &shared);
    note_formats(top, item);
    int n = profile_length(top, "ranges", RANGES_MAX);
    item->list.engines = gp_grow(item->list.engines, &item->list.cap, item->list.count + (size_t)n,
                                 sizeof *item->list.engines);
    for (int i = 0; i < n && !profile_failed(top.profile); i++) {
        read_range(profile_item(top, "ranges", i), &shared, &item->list, &newest);
        note_formats(profile_item(top, "ranges", i), item);
    }
    for (size_t i = 0; i < item->list.count; i++)
        keep_support(&item->list.engines[i]);
    if (item->list.count == 0)
        profile_fail(top, "ranges", "an engine needs at least one version range", "is missing");
}
