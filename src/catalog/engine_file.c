/*
 * engine_file.c - the keys of an engine profile.
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
#include "catalog/engine_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "catalog/family_file.h"

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

#define AT(member) PROFILE_AT(struct engine, member)

static const struct profile_field fields[] = {
    {"budget", PROFILE_WORD, AT(budget), .words = budgets},
    {"fraction", PROFILE_NUMBER, AT(fraction), 0.01, 1},
    {"source", PROFILE_TEXT, AT(source)},
    {"date", PROFILE_TEXT, AT(date)},
    {"checked", PROFILE_TEXT, AT(checked)},
    {"max_num_seqs_small", PROFILE_COUNT, AT(seqs_small), 0, 65536},
    {"max_num_seqs_large", PROFILE_COUNT, AT(seqs_large), 0, 65536},
    {"max_tokens_small", PROFILE_COUNT, AT(tokens_small), 0, 1 << 20},
    {"max_tokens_large", PROFILE_COUNT, AT(tokens_large), 0, 1 << 20},
    {"large_gib", PROFILE_NUMBER, AT(large_bytes), 0, 65536, GP_GIB},
    {"large_except", PROFILE_TEXT, AT(large_except)},
    {"max_tokens_huge", PROFILE_COUNT, AT(tokens_huge), 0, 1 << 20},
    {"huge_gib", PROFILE_NUMBER, AT(huge_bytes), 0, 65536, GP_GIB},
    {"defaults_clip", PROFILE_FLAG, AT(defaults_clip)},
    {"block", PROFILE_COUNT, AT(block), 1, 65536},
    {"mla_block", PROFILE_COUNT, AT(mla_block), 0, 65536},
    {"window_groups", PROFILE_FLAG, AT(window_groups)},
    {"window_share", PROFILE_NUMBER, AT(window_share), 0, 1},
    {"shared_kv_kept", PROFILE_FLAG, AT(shared_kv_kept)},
    {"window_slots", PROFILE_FLAG, AT(window_slots)},
    {"state_share", PROFILE_NUMBER, AT(state_share), 0, 16},
    {"slots_least", PROFILE_COUNT, AT(slots_least), 0, 65536},
    {"slots_most", PROFILE_COUNT, AT(slots_most), 0, 65536},
    {"slots_option", PROFILE_TEXT, AT(slots_option)},
    {"disaggregation", PROFILE_TEXT, AT(disaggregation)},
    {"group_slack", PROFILE_NUMBER, AT(group_slack), 1, 4},
    {"batches", PROFILE_COUNT, AT(batches), 1, 16},
    {"state_blocks", PROFILE_COUNT, AT(state_blocks), 1, 16},
    {"state_checkpoints", PROFILE_TEXT, AT(checkpoints)},
    {"state_checkpoints_cc90", PROFILE_TEXT, AT(checkpoints_90)},
    {"state_fp32", PROFILE_TEXT, AT(state_fp32)},
    {"conv_fp32", PROFILE_FLAG, AT(conv_fp32)},
    {"no_evict", PROFILE_FLAG, AT(no_evict)},
    {"state_exit", PROFILE_FLAG, AT(state_exit)},
    {"rope_table", PROFILE_FLAG, AT(rope_table)},
    {"rope_fp32", PROFILE_TEXT, AT(rope_fp32)},
    {"rope_4x", PROFILE_TEXT, AT(rope_4x)},
    {"embed_whole", PROFILE_TEXT, AT(embed_whole)},
    {"mla_copies", PROFILE_TEXT, AT(mla_copies)},
    {"nvfp4_scales_twice", PROFILE_TEXT, AT(nvfp4_scales_twice)},
    {"pad_hidden", PROFILE_COUNT, AT(pad_hidden), 0, 65536},
    {"pad_width", PROFILE_COUNT, AT(pad_width), 0, 65536},
    {"fp8_blocks", PROFILE_FLAG, AT(fp8_blocks)},
    {"fp8_blocks_refine", PROFILE_FLAG, AT(fp8_blocks_refine)},
    {"language_only", PROFILE_FLAG, AT(language_only)},
    {"offload", PROFILE_TEXT, AT(offload)},
    {"offload_kept", PROFILE_FLAG, AT(offload_kept)},
    {"offload_groups", PROFILE_FLAG, AT(offload_groups)},
    {"kv_offload", PROFILE_TEXT, AT(kv_offload)},
    {"kv_offload_groups", PROFILE_FLAG, AT(kv_offload_groups)},
    {"prompt_cache_gib", PROFILE_NUMBER, AT(prompt_cache_gib), 0, 4096},
    {"draft", PROFILE_TEXT, AT(draft)},
    {"draft_tokens", PROFILE_COUNT, AT(draft_tokens), 0, 64},
    {"draft_slots", PROFILE_COUNT, AT(draft_slots), 0, 65536},
    {"draft_vocab", PROFILE_FLAG, AT(draft_vocab)},
    {"draft_cells", PROFILE_FLAG, AT(draft_cells)},
    {"state_drafts", PROFILE_FLAG, AT(state_drafts)},
    {"lora", PROFILE_FLAG, AT(lora)},
    {"lora_ranks", PROFILE_TEXT, AT(lora_ranks)},
    {"lora_experts", PROFILE_FLAG, AT(lora_experts)},
    {"lora_chosen", PROFILE_FLAG, AT(lora_chosen)},
    {"lora_fp32", PROFILE_FLAG, AT(lora_fp32)},
    {"gguf", PROFILE_FLAG, AT(gguf)},
    {"layers_only", PROFILE_FLAG, AT(layers_only)},
    {"vendors", PROFILE_TEXT, AT(vendors)},
    {"bf16_min_cc", PROFILE_COUNT, AT(bf16_min_cc), 0, 999},
    {"bf16_falls_back", PROFILE_FLAG, AT(bf16_falls_back)},
    {"fp16_refused", PROFILE_TEXT, AT(fp16_refused)},
    {"weight_formats", PROFILE_TEXT, AT(weight_formats)},
    {"quantized_cc", PROFILE_TEXT, AT(quantized_cc)},
    {"sparse_min_cc", PROFILE_COUNT, AT(sparse_min_cc), 0, 999},
    {"logit_copies", PROFILE_NUMBER, AT(logit_copies), 0, 64},
    {"logit_copies_low", PROFILE_NUMBER, AT(logit_copies_low), 0, 64},
    {"logit_rows", PROFILE_WORD, AT(logit_rows), .words = row_words},
    {"flash_attention", PROFILE_FLAG, AT(flash_attention)},
    {"embedding_on_host", PROFILE_FLAG, AT(embedding_on_host)},
    {"ngram_on_host", PROFILE_TEXT, AT(ngram_on_host)},
    {"sampler_buffer", PROFILE_FLAG, AT(sampler_buffer)},
    {"vision_run", PROFILE_TEXT, AT(vision_run)},
    {"vision_masks", PROFILE_TEXT, AT(vision_masks)},
    {"graphs_layer_gib", PROFILE_NUMBER, AT(graphs_layer), 0, 1024, GP_GIB},
    {"graphs_layer_tp_gib", PROFILE_NUMBER, AT(graphs_layer_tp), 0, 1024, GP_GIB},
    {"vision_kept_gib", PROFILE_NUMBER, AT(vision_kept), 0, 1024, GP_GIB},
    {"moe_workspace", PROFILE_NUMBER, AT(moe_workspace), 0, 64},
    {"graphs_in_budget", PROFILE_FLAG, AT(graphs_in_budget)},
    {"second", PROFILE_TEXT, AT(second)},
    {"second_16bit", PROFILE_FLAG, AT(second_16bit)},
    {"second_copies", PROFILE_NUMBER, AT(second_copies), 0, 64},
    {"second_kept", PROFILE_NUMBER, AT(second_kept), 0, 64},
    {"second_graphs", PROFILE_FLAG, AT(second_graphs)},
    {"second_draft", PROFILE_FLAG, AT(second_draft)},
    {"second_offload", PROFILE_FLAG, AT(second_offload)},
};

static const struct profile_field terms[] = {
    {"base_gib", PROFILE_QUANTITY, AT(base), 0, 1024, GP_GIB},
    {"forward_base_gib", PROFILE_QUANTITY, AT(forward_base), 0, 1024, GP_GIB},
    {"vision_gib", PROFILE_QUANTITY, AT(vision), 0, 1024, GP_GIB},
    {"non_torch_1_gib", PROFILE_QUANTITY, AT(non_torch_1), 0, 1024, GP_GIB},
    {"non_torch_tp_gib", PROFILE_QUANTITY, AT(non_torch_tp), 0, 1024, GP_GIB},
    {"non_torch_pp_gib", PROFILE_QUANTITY, AT(non_torch_pp), 0, 1024, GP_GIB},
    {"non_torch_moe_gib", PROFILE_QUANTITY, AT(non_torch_moe), 0, 1024, GP_GIB},
    {"graphs_moe_gib", PROFILE_QUANTITY, AT(graphs_moe), 0, 1024, GP_GIB},
    {"loaded", PROFILE_QUANTITY, AT(loaded), 0.5, 2, 1},
    {"compute_graph", PROFILE_QUANTITY, AT(compute_graph), 0, 64, 1},
    {"graphs_gib", PROFILE_QUANTITY, AT(graphs), 0, 1024, GP_GIB},
    {"graphs_charged_gib", PROFILE_QUANTITY, AT(graphs_charged), 0, 1024, GP_GIB},
};

#define TERMS (sizeof terms / sizeof *terms)

/* In `reserve`, MiB but for the last four. */
static const struct profile_field reserves[] = {
    {"base", PROFILE_NUMBER, AT(reserve.base), 0, 65536, GP_MIB},
    {"token", PROFILE_NUMBER, AT(reserve.token), 0, 1024, GP_MIB},
    {"gpu", PROFILE_NUMBER, AT(reserve.gpu), 0, 65536, GP_MIB},
    {"graph", PROFILE_NUMBER, AT(reserve.graph), 0, 1024, GP_MIB},
    {"prefill", PROFILE_NUMBER, AT(reserve.prefill), 0, 1024, GP_MIB},
    {"mla", PROFILE_NUMBER, AT(reserve.mla), 0, 65536, GP_MIB},
    {"least_gib", PROFILE_NUMBER, AT(reserve.least), 0, 1024, GP_GIB},
    {"least_from_gib", PROFILE_NUMBER, AT(reserve.least_from), 0, 65536, GP_GIB},
    {"vision", PROFILE_NUMBER, AT(reserve.vision), 0, 1},
    {"vision_depth", PROFILE_TEXT, AT(reserve.vision_depth)},
};

/* In `speed`: times in microseconds or milliseconds, as the keys say. */
static const struct profile_field speeds[] = {
    {"kernel_us", PROFILE_NUMBER, AT(speed.kernel), 0, 1e4, 1e-6},
    {"layer_us", PROFILE_NUMBER, AT(speed.layer), 0, 1e5, 1e-6},
    {"host_ms", PROFILE_NUMBER, AT(speed.host), 0, 1e3, 1e-3},
    {"request_us", PROFILE_NUMBER, AT(speed.request), 0, 1e4, 1e-6},
    {"sampler", PROFILE_NUMBER, AT(speed.sampler), 0, 100},
    {"experts_us", PROFILE_NUMBER, AT(speed.experts), 0, 1e4, 1e-6},
    {"allreduce", PROFILE_NUMBER, AT(speed.allreduce), 0, 100},
    {"kv", PROFILE_NUMBER, AT(speed.kv), 0.01, 2},
    {"prefill_alone", PROFILE_FLAG, AT(speed.prefill_alone)},
    {"prefill_kernel_us", PROFILE_NUMBER, AT(speed.prefill_kernel), 0, 1e4, 1e-6},
    {"captured", PROFILE_NUMBER, AT(speed.captured), 0, 1e6},
    {"uncaptured_cc100", PROFILE_TEXT, AT(speed.uncaptured_100)},
    {"prefill_layer_us", PROFILE_NUMBER, AT(speed.prefill_layer), 0, 1e5, 1e-6},
    {"prefill_attention", PROFILE_NUMBER, AT(speed.prefill_attention), 0.01, 2},
    {"prefill_overlap", PROFILE_NUMBER, AT(speed.prefill_overlap), 0, 1},
    {"score_bytes", PROFILE_NUMBER, AT(speed.score_bytes), 0, 1000},
    {"unpacks", PROFILE_FLAG, AT(speed.unpacks)},
    {"prefill_compute", PROFILE_NUMBER, AT(speed.prefill_compute), 0.01, 1.5},
    {"interference", PROFILE_NUMBER, AT(speed.interference), 0, 2},
    {"ttft_base_ms", PROFILE_NUMBER, AT(speed.ttft_base), 0, 1e4, 1e-3},
    {"ttft_solo", PROFILE_NUMBER, AT(speed.ttft_solo), 0, 100},
    {"ttft_decode", PROFILE_NUMBER, AT(speed.ttft_decode), 0, 100},
    {"ttft_queue", PROFILE_NUMBER, AT(speed.ttft_queue), 0, 100},
    {"evidence", PROFILE_TEXT, AT(speed.evidence)},
};

#define CASE_AT(member) PROFILE_AT(struct speed_case, member)

static const struct profile_field cases[] = {
    {"family", PROFILE_TEXT, CASE_AT(family)},
    {"kernel", PROFILE_WORD, CASE_AT(kernel), .words = family_file_kernels},
    {"experts_us", PROFILE_NUMBER, CASE_AT(experts), 0, 1e4, 1e-6},
    {"expert_rows", PROFILE_NUMBER, CASE_AT(rows), 0, 4096},
    {"below_tp", PROFILE_COUNT, CASE_AT(below_tp), 0, 1024},
};

static void read_speed(struct profile_group group, struct engine_speed *speed,
                       struct engine *engine)
{
    int count = profile_length(group, "cases", SPEED_CASES);

    profile_fields(group, speeds, sizeof speeds / sizeof *speeds, engine);
    if (count > 0)
        speed->case_count = count;
    for (int i = 0; i < count && !profile_failed(group.profile); i++) {
        profile_require(profile_item(group, "cases", i), "kernel");
        profile_fields(profile_item(group, "cases", i), cases, sizeof cases / sizeof *cases,
                       &speed->at[i]);
    }
}

#define HIT_AT(member) PROFILE_AT(struct hit, member)
#define X(NAME, word, words) {word, HIT_##NAME},

static const struct profile_word hit_kinds[] = {HIT_KINDS(X){NULL, 0}};
static const struct profile_word hit_phases[] = {HIT_PHASES(X){NULL, 0}};

#undef X

static const struct profile_field hits[] = {
    {"kind", PROFILE_WORD, HIT_AT(kind), .words = hit_kinds},
    {"phase", PROFILE_WORD, HIT_AT(phase), .words = hit_phases},
    {"families", PROFILE_TEXT, HIT_AT(families)},
    {"rows", PROFILE_COUNT, HIT_AT(rows), 1, 1 << 20},
    {"median", PROFILE_NUMBER, HIT_AT(median), 0, 100},
    {"p90", PROFILE_NUMBER, HIT_AT(tail), 0, 1000},
    {"inside", PROFILE_NUMBER, HIT_AT(inside), 0, 1},
};

/* A later list takes the place of the whole earlier one. */
static void read_hits(struct profile_group top, struct engine *engine)
{
    int count = profile_length(top, "hits", HITS_MAX);

    profile_string(top, "hits_source", engine->hits.source, sizeof engine->hits.source);
    if (count <= 0)
        return;
    engine->hits.count = count;
    for (int i = 0; i < count && !profile_failed(top.profile); i++) {
        struct profile_group item = profile_item(top, "hits", i);

        for (size_t k = 0; k < sizeof hits / sizeof *hits; k++)
            profile_require(item, hits[k].key);
        engine->hits.hit[i] = (struct hit){.rows = 0};
        profile_fields(item, hits, sizeof hits / sizeof *hits, &engine->hits.hit[i]);
    }
}

#define TIER_AT(member) PROFILE_AT(struct engine_tier, member)

static const struct profile_field tiers[] = {
    {"below_gib", PROFILE_NUMBER, TIER_AT(below), 0, 65536, GP_GIB},
    {"max_tokens", PROFILE_COUNT, TIER_AT(tokens), 0, 1 << 20},
    {"graphs", PROFILE_COUNT, TIER_AT(graphs[0]), 0, 65536},
    {"graphs_tp4", PROFILE_COUNT, TIER_AT(graphs[1]), 0, 65536},
    {"context", PROFILE_COUNT, TIER_AT(context), 0, 1 << 24},
};

/* A later list takes the place of the whole earlier one. */
static void read_tiers(struct profile_group item, struct engine *engine)
{
    int count = profile_length(item, "tiers", ENGINE_TIERS);

    if (count <= 0)
        return;
    memset(engine->tier, 0, sizeof engine->tier);
    engine->tier_count = count;
    for (int i = 0; i < count; i++)
        profile_fields(profile_item(item, "tiers", i), tiers, sizeof tiers / sizeof *tiers,
                       &engine->tier[i]);
}

/* `assumed = true` marks every memory term of a range that was not measured. */
static void read_terms(struct profile_group item, struct engine *engine)
{
    bool assumed = engine->base.origin == ORIGIN_ASSUMED;

    profile_bool(item, "assumed", &assumed);
    profile_fields(item, terms, TERMS, engine);
    for (size_t i = 0; i < TERMS; i++) {
        struct quantity *term = (void *)((char *)engine + terms[i].offset);

        if (term->known)
            term->origin = assumed ? ORIGIN_ASSUMED : ORIGIN_MODEL;
    }
}

static void read_keys(struct profile_group item, struct engine *engine)
{
    struct profile_group evidence = profile_sub(item, "evidence");

    profile_fields(item, fields, sizeof fields / sizeof *fields, engine);
    profile_fields(profile_sub(item, "reserve"), reserves, sizeof reserves / sizeof *reserves,
                   engine);
    read_speed(profile_sub(item, "speed"), &engine->speed, engine);
    read_hits(item, engine);
    read_tiers(item, engine);
    read_terms(item, engine);
    for (int i = 0; i < TERM_COUNT; i++)
        profile_string(evidence, engine_term_word((enum engine_term)i), engine->evidence[i],
                       sizeof engine->evidence[i]);
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
static struct engine *find_range(struct engine_list *list, const struct engine *shared, long from)
{
    size_t at = 0;

    while (at < list->count && list->engines[at].from < from)
        at++;
    if (at < list->count && list->engines[at].from == from)
        return &list->engines[at];
    list->engines = gp_grow(list->engines, &list->cap, list->count + 1, sizeof *list->engines);
    memmove(&list->engines[at + 1], &list->engines[at], (list->count - at) * sizeof *list->engines);
    list->count++;
    list->engines[at] = at > 0 ? list->engines[at - 1] : *shared;
    return &list->engines[at];
}

static void validate_range(struct profile_group item, const struct engine_list *list,
                           const struct engine *engine)
{
    const struct engine *before = engine > list->engines ? engine - 1 : NULL;

    if (!engine->non_torch_1.known || !engine->non_torch_tp.known || !engine->non_torch_pp.known)
        profile_fail(item, "non_torch_1_gib",
                     "give non_torch_1_gib, non_torch_tp_gib and non_torch_pp_gib", "is missing");
    else if (!engine->base.known || !engine->forward_base.known || !engine->graphs.known ||
             !engine->graphs_charged.known || !engine->vision.known)
        profile_fail(item, "base_gib",
                     "give base_gib, forward_base_gib, vision_gib, graphs_gib and "
                     "graphs_charged_gib",
                     "a memory term is missing");
    else if (engine->logit_copies_low > engine->logit_copies)
        profile_fail(item, "logit_copies_low", "0 where it is the only sampler",
                     "is more than logit_copies");
    else if (engine->fraction <= 0 || engine->block < 1)
        profile_fail(item, "fraction", "give fraction and block", "a default is missing");
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
            read_keys(group, &list->engines[i]);
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
    engine = find_range(list, shared, from);
    if (list->count > before || until_text[0] != '\0') {
        engine->from = from;
        engine->until = until;
        name_range(engine, from_text, until_text);
    }
    read_over(item, list, from);
    validate_range(item, list, engine);
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
    read_keys(top, &shared);
    note_formats(top, item);
    for (int i = 0, n = profile_length(top, "ranges", RANGES_MAX);
         i < n && !profile_failed(top.profile); i++) {
        read_range(profile_item(top, "ranges", i), &shared, &item->list, &newest);
        note_formats(profile_item(top, "ranges", i), item);
    }
    if (item->list.count == 0)
        profile_fail(top, "ranges", "an engine needs at least one version range", "is missing");
}
