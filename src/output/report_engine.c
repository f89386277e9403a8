/*
 * report_engine.c - engines and weight formats as records.
 */
#include "output/report_catalog.h"

#include <limits.h>
#include <string.h>

#include "util/units.h"

/* ---- engines ---- */

/* "vllm@0.17": a version inside the range, by which it is found again. */
static void engine_id(const struct engine *e, char *text, size_t size)
{
    int version = e->from > 0 ? e->from : e->until < INT_MAX ? e->until : 0;
    if (version > 0)
        gp_format(text, size, "%s@%d.%d", e->id, version / 10000, version % 10000);
    else
        gp_copy(text, size, e->id);
}

static struct quantity share(double value)
{
    return value > 0 ? quantity_of(value, ORIGIN_SHEET) : quantity_unknown();
}

static void engine_row(const struct engine *e, struct record *s)
{
    char id[64];
    engine_id(e, id, sizeof(id));
    record_text(s, "id", id);
    record_text(s, "name", e->name);
    record_text(s, "versions", e->range);
    record_text(s, "budget", engine_budget_word(e->budget));
    record_quantity(s, "fraction", "of GPU", share(e->fraction), 1, 2);
    record_positive(s, "block", "tokens", e->block);
    record_quantity(s, "non_torch", "GiB", e->non_torch_1, GP_GIB, 2);
    record_quantity(s, "graphs", "GiB", e->graphs, GP_GIB, 2);
    record_flag(s, "gguf", e->gguf);
    record_text(s, "date", e->date);
    record_text(s, "source", e->source);
    record_detail(s);
}

enum gp_status report_engine_rows(struct catalog *catalog, struct record *doc,
                                  struct gp_err *err)
{
    const struct engine *list;
    size_t n;
    enum gp_status status = catalog_engines(catalog, &list, &n, err);
    for (size_t i = 0; i < n && !status; i++)
        engine_row(&list[i], record_append(doc, "items"));
    return status;
}

static void default_facts(const struct engine *e, struct record *s)
{
    record_group(s, "budget and defaults");
    record_text(s, "budget", engine_budget_word(e->budget));
    record_quantity(s, "fraction", "of GPU", share(e->fraction), 1, 3);
    record_positive(s, "block", "tokens", e->block);
    record_positive(s, "mla_block", "tokens", e->mla_block);
    record_flag(s, "window_groups", e->window_groups);
    record_quantity(s, "group_slack", "x", share(e->group_slack), 1, 2);
    record_positive(s, "batches_in_flight", "", e->batches);
    record_positive(s, "state_blocks", "per request", e->state_blocks);
    record_text(s, "state_fp32", e->state_fp32);
    record_flag(s, "conv_fp32", e->conv_fp32);
    record_flag(s, "exits_without_state_blocks", e->state_exit);
    record_positive(s, "max_num_seqs_small", "requests", e->seqs_small);
    record_positive(s, "max_num_seqs_large", "requests", e->seqs_large);
    record_positive(s, "max_batched_tokens_small", "tokens", e->tokens_small);
    record_positive(s, "max_batched_tokens_large", "tokens", e->tokens_large);
    record_quantity(s, "large_from", "GiB", share(e->large_bytes), GP_GIB, 1);
    record_text(s, "large_except", e->large_except);
    record_positive(s, "max_batched_tokens_huge", "tokens", e->tokens_huge);
    record_quantity(s, "huge_from", "GiB", share(e->huge_bytes), GP_GIB, 1);
    record_flag(s, "defaults_clip", e->defaults_clip);
}

static void overhead_facts(const struct engine *e, struct record *s)
{
    record_group(s, "memory per GPU");
    record_quantity(s, "logit_copies", "FP32 copies",
                    quantity_of(e->logit_copies, ORIGIN_SHEET), 1, 1);
    record_quantity(s, "activation_base", "GiB", e->base, GP_GIB, 3);
    record_quantity(s, "activation_forward_base", "GiB", e->forward_base, GP_GIB, 3);
    record_quantity(s, "moe_workspace", "x", share(e->moe_workspace), 1, 2);
    record_quantity(s, "vision", "GiB", e->vision, GP_GIB, 2);
    record_quantity(s, "non_torch_1_gpu", "GiB", e->non_torch_1, GP_GIB, 2);
    record_quantity(s, "non_torch_tp", "GiB", e->non_torch_tp, GP_GIB, 2);
    record_quantity(s, "non_torch_pp", "GiB", e->non_torch_pp, GP_GIB, 2);
    record_quantity(s, "graphs", "GiB", e->graphs, GP_GIB, 2);
    record_quantity(s, "graphs_charged", "GiB", e->graphs_charged, GP_GIB, 2);
    record_flag(s, "graphs_in_budget", e->graphs_in_budget);
    record_text(s, "second_runner_models", e->second);
    record_flag(s, "second_runner_16bit_only", e->second_16bit);
    record_quantity(s, "second_runner_logit_copies", "FP32 copies",
                    quantity_of(e->second_copies, ORIGIN_SHEET), 1, 1);
    record_quantity(s, "second_runner_kept", "bytes per slot and word",
                    quantity_of(e->second_kept, ORIGIN_SHEET), 1, 3);
    record_flag(s, "second_runner_graphs_in_budget", e->second_graphs);
    record_flag(s, "rope_table", e->rope_table);
    record_positive(s, "mxfp4_pad_hidden", "", e->pad_hidden);
    record_positive(s, "mxfp4_pad_width", "", e->pad_width);
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

enum gp_status report_engine_show(struct planner *planner, const char *id,
                                  struct record *out, struct gp_err *err)
{
    const struct engine *e;
    char own[64];
    enum gp_status status = catalog_engine(planner_catalog(planner), id, &e, err);
    if (status)
        return status;
    engine_id(e, own, sizeof(own));
    record_text(out, "id", own);
    record_text(out, "name", e->name);
    record_text(out, "versions", e->range);
    record_flag(out, "gguf", e->gguf);
    if (e->bf16_min_cc > 0)
        record_textf(out, "bf16_from_compute_capability", "%d.%d", e->bf16_min_cc / 10,
                     e->bf16_min_cc % 10);
    else
        record_text(out, "bf16_from_compute_capability", "");
    if (e->quantized_min_cc > 0)
        record_textf(out, "quantized_from_compute_capability", "%d.%d",
                     e->quantized_min_cc / 10, e->quantized_min_cc % 10);
    else
        record_text(out, "quantized_from_compute_capability", "");
    default_facts(e, out);
    overhead_facts(e, out);
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

enum gp_status report_format_rows(struct catalog *catalog, struct record *doc,
                                  struct gp_err *err)
{
    const struct format *list;
    size_t n;
    enum gp_status status = catalog_formats(catalog, &list, &n, err);
    for (size_t i = 0; i < n && !status; i++)
        format_row(&list[i], record_append(doc, "items"));
    return status;
}

static void kept_roles(const struct format *f, struct record *s)
{
    struct strbuf words;
    strbuf_init(&words);
    for (int r = 0; r < ROLE_COUNT; r++)
        if (f->keep_roles >> r & 1)
            strbuf_addf(&words, "%s%s", words.len ? "|" : "",
                        role_word((enum tensor_role)r));
    record_words(s, "kept_in_16_bit", words.text);
    strbuf_fini(&words);
}

static struct quantity bits(double value)
{
    return value > 0 ? quantity_exact(value) : quantity_unknown();
}

static void mix_facts(const struct format *f, struct record *s)
{
    if (!f->mix)
        return;
    record_group(s, "file mix");
    record_quantity(s, "core_8b", "bits", bits(f->core_bits_8b), 1, 4);
    record_quantity(s, "core_70b", "bits", bits(f->core_bits_70b), 1, 4);
    record_quantity(s, "token_embedding", "bits", bits(f->embed_bits), 1, 4);
    record_quantity(s, "output", "bits", bits(f->output_bits), 1, 4);
}

enum gp_status report_format_show(struct planner *planner, const char *id,
                                  struct record *out, struct gp_err *err)
{
    const struct format *f;
    enum gp_status status = catalog_format(planner_catalog(planner), id, &f, err);
    if (status)
        return status;
    record_text(out, "id", f->id);
    record_text(out, "name", f->name);
    record_text(out, "family", f->family);
    record_text(out, "arithmetic", format_math_word(f->math));
    record_flag(out, "weight_only", f->weight_only);
    record_group(out, "storage");
    record_quantity(out, "element", "bits", bits(f->bits), 1, 3);
    record_quantity(out, "per_weight", "bits", bits(bits_per_weight(f)), 1, 4);
    record_positive(out, "group_columns", "", f->group_cols);
    record_positive(out, "group_rows", "", f->group_rows);
    record_quantity(out, "per_group", "B", quantity_exact(f->group_bytes), 1, 2);
    record_quantity(out, "per_input", "B", quantity_exact(f->input_bytes), 1, 2);
    record_quantity(out, "per_tensor", "B", quantity_exact(f->tensor_bytes), 1, 2);
    record_positive(out, "block", "weights", f->block);
    record_quantity(out, "fallback", "bits", bits(f->fallback_bits), 1, 3);
    kept_roles(f, out);
    mix_facts(f, out);
    record_group(out, "evidence");
    record_text(out, "source", f->source);
    return GP_OK;
}
