/*
 * report_engine.c - engines and weight formats as records.
 */
#include "answer/report_catalog.h"

#include <string.h>

#include "base/units.h"

/* ---- engines ---- */

#define AT(member) MEMBER_AT(struct engine, member)

static const struct member row_members[] = {
    {"fraction", MEMBER_LISTED, AT(fraction), "of GPU", .decimals = 2},
    {"block", MEMBER_SOME_INT, AT(block), "tokens"},
    {"non_torch", MEMBER_BYTES, AT(non_torch_1)},
    {"graphs", MEMBER_BYTES, AT(graphs)},
    {"gguf", MEMBER_FLAG, AT(gguf)},
    {"date", MEMBER_CHARS, AT(date)},
    {"source", MEMBER_CHARS, AT(source), .detail = true},
};

static const struct member first_members[] = {
    {"name", MEMBER_CHARS, AT(name)},
    {"versions", MEMBER_CHARS, AT(range)},
    {"checked", MEMBER_CHARS, AT(checked)},
    {"gguf", MEMBER_FLAG, AT(gguf)},
    {"layers_only", MEMBER_FLAG, AT(layers_only)},
    {"bf16_from_compute_capability", MEMBER_VERSION, AT(bf16_min_cc)},
    {"bf16_falls_back_to_fp16", MEMBER_FLAG, AT(bf16_falls_back)},
    {"families_not_in_fp16", MEMBER_CHARS, AT(fp16_refused)},
    {"weight_formats", MEMBER_CHARS, AT(weight_formats)},
    {"quantized_from_compute_capability", MEMBER_CHARS, AT(quantized_cc)},
    {"sparse_attention_from_compute_capability", MEMBER_VERSION, AT(sparse_min_cc)},
};

static const struct member show_members[] = {
    {"fraction", MEMBER_LISTED, AT(fraction), "of GPU", .decimals = 3},
    {"block", MEMBER_SOME_INT, AT(block), "tokens"},
    {"mla_block", MEMBER_SOME_INT, AT(mla_block), "tokens"},
    {"window_groups", MEMBER_FLAG, AT(window_groups)},
    {"window_share", MEMBER_LISTED, AT(window_share), "x", .decimals = 2},
    {"shared_kv_kept", MEMBER_FLAG, AT(shared_kv_kept)},
    {"window_slots", MEMBER_FLAG, AT(window_slots)},
    {"state_share", MEMBER_LISTED, AT(state_share), "x", .decimals = 2},
    {"group_slack", MEMBER_LISTED, AT(group_slack), "x", .decimals = 2},
    {"batches_in_flight", MEMBER_SOME_INT, AT(batches)},
    {"state_blocks", MEMBER_SOME_INT, AT(state_blocks), "per request"},
    {"state_checkpoints", MEMBER_CHARS, AT(checkpoints)},
    {"state_checkpoints_cc90", MEMBER_CHARS, AT(checkpoints_90)},
    {"state_fp32", MEMBER_CHARS, AT(state_fp32)},
    {"conv_fp32", MEMBER_FLAG, AT(conv_fp32)},
    {"no_evict", MEMBER_FLAG, AT(no_evict)},
    {"exits_without_state_blocks", MEMBER_FLAG, AT(state_exit)},
    {"slots_least", MEMBER_SOME_INT, AT(slots_least), "requests"},
    {"slots_most", MEMBER_SOME_INT, AT(slots_most), "requests"},
    {"slots_option", MEMBER_CHARS, AT(slots_option)},
    {"disaggregation", MEMBER_CHARS, AT(disaggregation)},
    {"max_num_seqs_small", MEMBER_SOME_INT, AT(seqs_small), "requests"},
    {"max_num_seqs_large", MEMBER_SOME_INT, AT(seqs_large), "requests"},
    {"max_batched_tokens_small", MEMBER_SOME_INT, AT(tokens_small), "tokens"},
    {"max_batched_tokens_large", MEMBER_SOME_INT, AT(tokens_large), "tokens"},
    {"large_from", MEMBER_LISTED, AT(large_bytes), "GiB", GP_GIB, 1},
    {"large_except", MEMBER_CHARS, AT(large_except)},
    {"max_batched_tokens_huge", MEMBER_SOME_INT, AT(tokens_huge), "tokens"},
    {"huge_from", MEMBER_LISTED, AT(huge_bytes), "GiB", GP_GIB, 1},
    {"defaults_clip", MEMBER_FLAG, AT(defaults_clip)},
};

static const struct member overheads[] = {
    {"activation_base", MEMBER_QUANTITY, AT(base), "GiB", GP_GIB, 3},
    {"activation_forward_base", MEMBER_QUANTITY, AT(forward_base), "GiB", GP_GIB, 3},
    {"moe_workspace", MEMBER_LISTED, AT(moe_workspace), "x", .decimals = 2},
    {"sampler_buffer", MEMBER_FLAG, AT(sampler_buffer)},
    {"vision_run", MEMBER_CHARS, AT(vision_run)},
    {"vision_masks", MEMBER_CHARS, AT(vision_masks)},
    {"vision", MEMBER_BYTES, AT(vision)},
    {"non_torch_1_gpu", MEMBER_BYTES, AT(non_torch_1)},
    {"non_torch_tp", MEMBER_BYTES, AT(non_torch_tp)},
    {"non_torch_pp", MEMBER_BYTES, AT(non_torch_pp)},
    {"non_torch_moe", MEMBER_BYTES, AT(non_torch_moe)},
    {"vision_kept", MEMBER_LISTED, AT(vision_kept), "GiB", GP_GIB, 2},
    {"loaded", MEMBER_QUANTITY, AT(loaded), "x", 1, 3},
    {"compute_graph", MEMBER_QUANTITY, AT(compute_graph), "x", 1, 2},
    {"flash_attention", MEMBER_FLAG, AT(flash_attention)},
    {"embedding_on_host", MEMBER_FLAG, AT(embedding_on_host)},
    {"ngram_on_host", MEMBER_CHARS, AT(ngram_on_host)},
    {"graphs", MEMBER_BYTES, AT(graphs)},
    {"graphs_layer", MEMBER_LISTED, AT(graphs_layer), "GiB a layer", GP_GIB, 4},
    {"graphs_layer_tp", MEMBER_LISTED, AT(graphs_layer_tp), "GiB a layer", GP_GIB, 4},
    {"graphs_moe", MEMBER_BYTES, AT(graphs_moe)},
    {"graphs_charged", MEMBER_BYTES, AT(graphs_charged)},
    {"graphs_in_budget", MEMBER_FLAG, AT(graphs_in_budget)},
    {"logit_copies_low", MEMBER_LISTED, AT(logit_copies_low), "FP32 copies", .decimals = 1},
    {"second_runner_models", MEMBER_CHARS, AT(second)},
    {"second_runner_16bit_only", MEMBER_FLAG, AT(second_16bit)},
    {"second_runner_logit_copies", MEMBER_LISTED, AT(second_copies), "FP32 copies", .decimals = 1},
    {"second_runner_kept", MEMBER_LISTED, AT(second_kept), "bytes per slot and word",
     .decimals = 3},
    {"second_runner_graphs_in_budget", MEMBER_FLAG, AT(second_graphs)},
    {"second_runner_draft_models", MEMBER_FLAG, AT(second_draft)},
    {"second_runner_host_memory", MEMBER_FLAG, AT(second_offload)},
    {"rope_table", MEMBER_FLAG, AT(rope_table)},
    {"rope_fp32", MEMBER_CHARS, AT(rope_fp32)},
    {"rope_4x", MEMBER_CHARS, AT(rope_4x)},
    {"embed_whole", MEMBER_CHARS, AT(embed_whole)},
    {"mla_copies", MEMBER_CHARS, AT(mla_copies)},
    {"nvfp4_scales_twice", MEMBER_CHARS, AT(nvfp4_scales_twice)},
    {"fp8_blocks", MEMBER_FLAG, AT(fp8_blocks)},
    {"fp8_blocks_refine", MEMBER_FLAG, AT(fp8_blocks_refine)},
    {"language_only", MEMBER_FLAG, AT(language_only)},
    {"host_memory", MEMBER_CHARS, AT(offload)},
    {"host_memory_when_packed", MEMBER_FLAG, AT(offload_kept)},
    {"host_memory_with_kv_groups", MEMBER_FLAG, AT(offload_groups)},
    {"kv_host_memory", MEMBER_CHARS, AT(kv_offload)},
    {"kv_host_memory_with_groups", MEMBER_FLAG, AT(kv_offload_groups)},
    {"draft", MEMBER_CHARS, AT(draft)},
    {"draft_tokens", MEMBER_SOME_INT, AT(draft_tokens)},
    {"draft_slots", MEMBER_SOME_INT, AT(draft_slots), "requests"},
    {"draft_same_vocabulary", MEMBER_FLAG, AT(draft_vocab)},
    {"draft_as_own_layers", MEMBER_FLAG, AT(draft_cells)},
    {"state_blocks_per_draft", MEMBER_FLAG, AT(state_drafts)},
    {"lora", MEMBER_FLAG, AT(lora)},
    {"lora_ranks", MEMBER_CHARS, AT(lora_ranks)},
    {"lora_experts", MEMBER_FLAG, AT(lora_experts)},
    {"lora_chosen_modules", MEMBER_FLAG, AT(lora_chosen)},
    {"lora_fp32", MEMBER_FLAG, AT(lora_fp32)},
    {"mxfp4_pad_hidden", MEMBER_SOME_INT, AT(pad_hidden)},
    {"mxfp4_pad_width", MEMBER_SOME_INT, AT(pad_width)},
};

static const struct member reserve_members[] = {
    {"reserve_base", MEMBER_LISTED, AT(reserve.base), "MiB", GP_MIB, 0},
    {"reserve_token", MEMBER_LISTED, AT(reserve.token), "MiB", GP_MIB, 1},
    {"reserve_gpu", MEMBER_LISTED, AT(reserve.gpu), "MiB", GP_MIB, 0},
    {"reserve_graph", MEMBER_LISTED, AT(reserve.graph), "MiB", GP_MIB, 0},
    {"reserve_prefill", MEMBER_LISTED, AT(reserve.prefill), "MiB", GP_MIB, 0},
    {"reserve_mla", MEMBER_LISTED, AT(reserve.mla), "MiB", GP_MIB, 0},
    {"reserve_least", MEMBER_LISTED, AT(reserve.least), "GiB", GP_GIB, 0},
    {"reserve_least_from", MEMBER_LISTED, AT(reserve.least_from), "GiB", GP_GIB, 0},
};

static const struct member speed_members[] = {
    {"speed_kernel", MEMBER_FITTED, AT(speed.kernel), "us", 1e-6, 2},
    {"speed_layer", MEMBER_FITTED, AT(speed.layer), "us", 1e-6, 1},
    {"speed_host", MEMBER_FITTED, AT(speed.host), "ms", 1e-3, 3},
    {"speed_request", MEMBER_FITTED, AT(speed.request), "us", 1e-6, 2},
    {"speed_sampler", MEMBER_FITTED, AT(speed.sampler), "passes", .decimals = 2},
    {"speed_experts", MEMBER_FITTED, AT(speed.experts), "us per layer", 1e-6, 1},
    {"speed_allreduce", MEMBER_FITTED, AT(speed.allreduce), "x", .decimals = 2},
    {"speed_kv", MEMBER_FITTED, AT(speed.kv), "x", .decimals = 2},
    {"speed_prefill_alone", MEMBER_FLAG, AT(speed.prefill_alone)},
    {"speed_prefill_kernel", MEMBER_FITTED, AT(speed.prefill_kernel), "us", 1e-6, 1},
    {"speed_prefill_layer", MEMBER_FITTED, AT(speed.prefill_layer), "us", 1e-6, 1},
    {"speed_prefill_compute", MEMBER_FITTED, AT(speed.prefill_compute), "x", .decimals = 3},
    {"speed_prefill_attention", MEMBER_FITTED, AT(speed.prefill_attention), "x", .decimals = 3},
    {"speed_score_bytes", MEMBER_FITTED, AT(speed.score_bytes), "B", .decimals = 3},
    {"speed_unpacks", MEMBER_FLAG, AT(speed.unpacks)},
    {"speed_prefill_overlap", MEMBER_FITTED, AT(speed.prefill_overlap), "x", .decimals = 3},
    {"speed_interference", MEMBER_FITTED, AT(speed.interference), "x", .decimals = 3},
    {"speed_ttft_base", MEMBER_FITTED, AT(speed.ttft_base), "ms", 1e-3, 1},
    {"speed_ttft_solo", MEMBER_FITTED, AT(speed.ttft_solo), "x", .decimals = 2},
    {"speed_ttft_decode", MEMBER_FITTED, AT(speed.ttft_decode), "x", .decimals = 2},
    {"speed_ttft_queue", MEMBER_FITTED, AT(speed.ttft_queue), "x", .decimals = 2},
};

/* How often estimates of this engine have been right. */
static void hit_facts(const struct hits *hits, struct record *s)
{
    record_list(s, "hits");
    for (int i = 0; i < hits->count; i++) {
        const struct hit *h = &hits->hit[i];
        struct record *one = record_append(s, "hits");

        record_text(one, "kind", hit_kind_word((enum hit_kind)h->kind));
        record_text(one, "phase", hit_phase_word((enum hit_phase)h->phase));
        record_text(one, "families", h->families);
        record_count(one, "rows", "", h->rows);
        record_count(one, "median_error", "", h->median);
        record_count(one, "p90_error", "", h->tail);
        record_count(one, "in_band", "", h->inside);
    }
    record_text(s, "hits_source", hits->source);
}

static void speed_facts(const struct engine_speed *v, struct record *s)
{
    record_list(s, "speed_cases");
    for (int i = 0; i < v->case_count; i++) {
        struct record *one = record_append(s, "speed_cases");

        record_text(one, "family", v->at[i].family);
        record_text(one, "kernel", kernel_word((enum kernel)v->at[i].kernel));
        record_fitted(one, "experts", "us per layer", v->at[i].experts, 1e-6, 1);
        record_positive(one, "expert_rows", "", v->at[i].rows);
        record_positive(one, "below_tp", "", v->at[i].below_tp);
    }
    record_text(s, "speed_evidence", v->evidence);
}

#define TIER_AT(member) MEMBER_AT(struct engine_tier, member)

static const struct member tier_members[] = {
    {"below", MEMBER_LISTED, TIER_AT(below), "GiB", GP_GIB, 0},
    {"max_tokens", MEMBER_SOME_INT, TIER_AT(tokens), "tokens"},
    {"graphs", MEMBER_SOME_INT, TIER_AT(graphs[0]), "requests"},
    {"graphs_tp4", MEMBER_SOME_INT, TIER_AT(graphs[1]), "requests"},
    {"context", MEMBER_SOME_INT, TIER_AT(context), "tokens"},
};

static void engine_tiers(const struct engine *e, struct record *s)
{
    record_list(s, "tiers");
    for (int i = 0; i < e->tier_count; i++)
        RECORD_MEMBERS(record_append(s, "tiers"), tier_members, &e->tier[i]);
}

static void engine_row(const struct engine *e, struct record *s)
{
    char id[64];

    catalog_engine_id(e, id, sizeof(id));
    record_text(s, "id", id);
    record_text(s, "name", e->name);
    record_text(s, "versions", e->range);
    record_text(s, "budget", engine_budget_word(e->budget));
    RECORD_MEMBERS(s, row_members, e);
}

enum gp_status report_engine_rows(struct catalog *catalog, struct record *doc, struct gp_err *err)
{
    const struct engine *list;
    size_t n;
    enum gp_status rc = catalog_engines(catalog, &list, &n, err);

    for (size_t i = 0; i < n && !rc; i++)
        engine_row(&list[i], record_append(doc, "items"));
    return rc;
}

static void engine_evidence(const struct engine *e, struct record *s)
{
    record_group(s, "evidence");
    record_list(s, "evidence");
    for (int t = 0; t < TERM_COUNT; t++) {
        if (!e->evidence[t][0])
            continue;
        struct record *one = record_append(s, "evidence");
        record_text(one, "term", engine_term_word((enum engine_term)t));
        record_text(one, "text", e->evidence[t]);
    }
    record_text(s, "source", e->source);
    record_text(s, "date", e->date);
}

enum gp_status report_engine_show(struct planner *planner, const char *id, struct record *out,
                                  struct gp_err *err)
{
    const struct engine *e;
    char own[64];
    enum gp_status rc = catalog_engine(planner_catalog(planner), id, &e, err);

    if (rc)
        return rc;
    catalog_engine_id(e, own, sizeof(own));
    record_text(out, "id", own);
    RECORD_MEMBERS(out, first_members, e);
    record_group(out, "budget and defaults");
    record_text(out, "budget", engine_budget_word(e->budget));
    RECORD_MEMBERS(out, show_members, e);
    RECORD_MEMBERS(out, reserve_members, e);
    engine_tiers(e, out);
    record_group(out, "memory per GPU");
    record_text(out, "logit_rows", engine_rows_word(e->logit_rows));
    record_quantity(out, "logit_copies", "FP32 copies", quantity_of(e->logit_copies, ORIGIN_SHEET),
                    1, 1);
    RECORD_MEMBERS(out, overheads, e);
    record_group(out, "speed");
    RECORD_MEMBERS(out, speed_members, e);
    speed_facts(&e->speed, out);
    hit_facts(&e->hits, out);
    engine_evidence(e, out);
    return GP_OK;
}

/* ---- formats ---- */

/* Scales included, on a large matrix; a mix has the mean of an 8B model. */
static double bits_per_weight(const struct format *f)
{
    const double n = 8192;

    return f->mix ? format_core_bits(f, 8.03e9) : format_bytes(f, n, n) * 8 / (n * n);
}

static void format_row(const struct format *f, struct record *s)
{
    record_text(s, "id", f->id);
    record_text(s, "name", f->name);
    record_text(s, "family", f->family);
    record_quantity(s, "bits", "per weight", quantity_exact(bits_per_weight(f)), 1, 3);
    record_text(s, "arithmetic", format_math_word(f->math));
    record_flag(s, "weight_only", f->weight_only);
    record_positive(s, "block", "weights", f->block);
    record_text(s, "source", f->source);
    record_detail(s);
}

enum gp_status report_format_rows(struct catalog *catalog, struct record *doc, struct gp_err *err)
{
    const struct format *list;
    size_t n;
    enum gp_status rc = catalog_formats(catalog, &list, &n, err);

    for (size_t i = 0; i < n && !rc; i++)
        format_row(&list[i], record_append(doc, "items"));
    return rc;
}

static void kept_roles(const struct format *f, struct record *s)
{
    struct strbuf words;

    strbuf_init(&words);
    for (int r = 0; r < ROLE_COUNT; r++)
        if (f->keep_roles >> r & 1)
            strbuf_addf(&words, "%s%s", words.len ? "|" : "", role_word((enum tensor_role)r));
    record_words(s, "kept_in_16_bit", words.text);
    strbuf_fini(&words);
}

static void bits_fact(struct record *s, const char *name, double bits, int decimals)
{
    record_quantity(s, name, "bits", bits > 0 ? quantity_exact(bits) : quantity_unknown(), 1,
                    decimals);
}

static void mix_facts(const struct format *f, struct record *s)
{
    if (!f->mix)
        return;
    record_group(s, "file mix");
    bits_fact(s, "core_8b", f->core_bits_8b, 4);
    bits_fact(s, "core_70b", f->core_bits_70b, 4);
    bits_fact(s, "token_embedding", f->embed_bits, 4);
    bits_fact(s, "output", f->output_bits, 4);
    if (f->rules > 0)
        record_words(s, "rules", f->rule_words);
}

enum gp_status report_format_show(struct planner *planner, const char *id, struct record *out,
                                  struct gp_err *err)
{
    const struct format *f;
    enum gp_status rc = catalog_format(planner_catalog(planner), id, &f, err);

    if (rc)
        return rc;
    record_text(out, "id", f->id);
    record_text(out, "name", f->name);
    record_text(out, "family", f->family);
    record_text(out, "arithmetic", format_math_word(f->math));
    record_flag(out, "weight_only", f->weight_only);
    record_group(out, "storage");
    bits_fact(out, "element", f->bits, 3);
    bits_fact(out, "per_weight", bits_per_weight(f), 4);
    record_positive(out, "group_columns", "", f->group_cols);
    record_positive(out, "group_rows", "", f->group_rows);
    record_quantity(out, "per_group", "B", quantity_exact(f->group_bytes), 1, 2);
    record_quantity(out, "per_input", "B", quantity_exact(f->input_bytes), 1, 2);
    record_quantity(out, "per_tensor", "B", quantity_exact(f->tensor_bytes), 1, 2);
    record_positive(out, "block", "weights", f->block);
    bits_fact(out, "fallback", f->fallback_bits, 3);
    kept_roles(f, out);
    mix_facts(f, out);
    record_group(out, "evidence");
    record_text(out, "source", f->source);
    return GP_OK;
}
