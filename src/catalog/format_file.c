/*
 * format_file.c - the keys of formats.cfg.
 *
 *   { id = "int4-awq"; bits = 4; group = 128; group_bytes = 2.5; ... }
 *   { id = "fp8-block"; bits = 8; group = 128; group_rows = 128; group_bytes = 4; ... }
 *   { id = "fp8"; bits = 8; row_bytes = 4; ... }        # one scale per output row
 *   { id = "ggml-q4_k"; bits = 4.5; block = 256; fallback_bits = 5.5; ... }
 *   { id = "q4_k_m"; mix = [4.7985, 4.7995]; embedding_bits = 4.5; ... }
 *
 * Block types of GGUF carry their scales inside `bits`: a Q4_K block is 144 bytes for
 * 256 elements = 4.5. To keep the file short, what formats share is written once in
 * `families`: a format takes its family's keys first, then its own.
 */
#include "catalog/format_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/model.h"
#include "util/mem.h"
#include "util/str.h"

#define FORMATS_MAX 512

const struct profile_word format_file_roles[] = {
    {"embedding", ROLE_EMBED},
    {"head", ROLE_HEAD},
    {"norm", ROLE_NORM},
    {"router", ROLE_ROUTER},
    {"attention-q", ROLE_ATTN_Q},
    {"attention-kv", ROLE_ATTN_KV},
    {"attention-out", ROLE_ATTN_OUT},
    {"attention-latent", ROLE_ATTN_LATENT},
    {"indexer", ROLE_INDEXER},
    {"recurrent", ROLE_RECURRENT},
    {"mlp", ROLE_MLP},
    {"expert", ROLE_EXPERT},
    {"shared", ROLE_SHARED},
    {"layer-embedding", ROLE_LAYER_EMBED},
    {"vision", ROLE_VISION},
    {"other", ROLE_OTHER},
    {NULL, 0},
};

static const struct profile_word math_words[] = {
    {"fp32", MATH_FP32}, {"tf32", MATH_TF32}, {"fp16", MATH_FP16},
    {"bf16", MATH_BF16}, {"fp8", MATH_FP8},   {"int8", MATH_INT8},
    {"int4", MATH_INT4}, {"fp4", MATH_FP4},   {NULL, 0},
};

static void read_layout(struct profile_group item, struct format *format)
{
    profile_number(item, "bits", &format->bits, 0.5, 64);
    profile_count(item, "group", &format->group_cols, 0, 65536);
    profile_count(item, "group_rows", &format->group_rows, 0, 65536);
    profile_number(item, "group_bytes", &format->group_bytes, 0, 65536);
    if (profile_has(item, "row_bytes")) { /* one set of scales for each row */
        profile_number(item, "row_bytes", &format->group_bytes, 0, 65536);
        format->group_cols = 0;
        format->group_rows = 1;
    }
    profile_number(item, "input_bytes", &format->input_bytes, 0, 64);
    profile_number(item, "tensor_bytes", &format->tensor_bytes, 0, 65536);
    profile_count(item, "block", &format->block, 1, 65536);
    profile_number(item, "fallback_bits", &format->fallback_bits, 0, 64);
}

static void read_mix(struct profile_group item, struct format *format)
{
    int count = profile_length(item, "mix", 2);

    if (count > 0) {
        format->mix = true;
        profile_number_at(item, "mix", 0, &format->core_bits_8b, 0.5, 32);
        format->core_bits_70b = format->core_bits_8b;
    }
    if (count > 1)
        profile_number_at(item, "mix", 1, &format->core_bits_70b, 0.5, 32);
    profile_number(item, "embedding_bits", &format->embed_bits, 0.5, 32);
    profile_number(item, "output_bits", &format->output_bits, 0.5, 32);
}

static void read_keys(struct profile_group item, struct format *format)
{
    int math = (int)format->math;

    profile_string(item, "name", format->name, sizeof format->name);
    profile_word(item, "math", &math, math_words);
    format->math = (enum format_math)math;
    profile_bool(item, "weight_only", &format->weight_only);
    profile_bits(item, "keep", &format->keep_roles, format_file_roles);
    profile_string(item, "source", format->source, sizeof format->source);
    read_layout(item, format);
    read_mix(item, format);
}

static struct format *find_format(struct format_list *list, const char *id, size_t *at)
{
    for (size_t i = 0; i < list->count; i++) {
        if (gp_casecmp(list->formats[i].id, id) == 0) {
            *at = i;
            return &list->formats[i];
        }
    }
    list->formats =
        gp_grow(list->formats, &list->cap, list->count + 1, sizeof *list->formats);
    list->aliases = gp_grow(list->aliases, &list->aliases_cap, list->count + 1,
                            sizeof *list->aliases);
    *at = list->count++;
    memset(&list->formats[*at], 0, sizeof *list->formats);
    list->aliases[*at][0] = '\0';
    gp_copy(list->formats[*at].id, sizeof list->formats[*at].id, id);
    return &list->formats[*at];
}

static void validate_format(struct profile_group item, const struct format *format)
{
    if (format->bits <= 0)
        profile_fail(item, "bits", "a format needs its bits per element", "is missing");
    else if (format->group_bytes > 0 && format->group_cols == 0 &&
             format->group_rows == 0)
        profile_fail(item, "group_bytes", "give group or row_bytes",
                     "needs the size of a group");
    else if (format->mix && (format->embed_bits <= 0 || format->output_bits <= 0))
        profile_fail(item, "mix", "give embedding_bits and output_bits",
                     "needs the bits of embedding and output");
}

static void read_format(struct profile_group top, struct profile_group item,
                        struct format_list *list)
{
    char id[FORMAT_ID_MAX] = "";
    struct format *format;
    size_t at;

    profile_require(item, "id");
    profile_string(item, "id", id, sizeof id);
    if (profile_failed(item.profile))
        return;
    format = find_format(list, id, &at);
    if (profile_has(item, "family")) {
        struct profile_group families = profile_sub(top, "families");

        profile_string(item, "family", format->family, sizeof format->family);
        read_keys(profile_sub_named(families, format->family), format);
    }
    read_keys(item, format);
    if (format->group_bytes > 0 && format->group_cols > 0 && format->group_rows == 0)
        format->group_rows = 1; /* groups lie along one row */
    profile_strings(item, "aliases", list->aliases[at], sizeof list->aliases[at]);
    if (format->name[0] == '\0')
        gp_copy(format->name, sizeof format->name, id);
    validate_format(item, format);
}

enum gp_status format_file_read(const char *path, struct format_list *list,
                                profile_warn_fn warn, void *ctx, struct gp_err *err)
{
    struct profile *profile;
    struct profile_group top;
    enum gp_status status = profile_open(path, &profile, err);

    if (status != GP_OK)
        return status;
    top = profile_top(profile);
    for (int i = 0, n = profile_length(top, "formats", FORMATS_MAX);
         i < n && !profile_failed(profile); i++)
        read_format(top, profile_item(top, "formats", i), list);
    status = profile_finish(profile, warn, ctx, err);
    profile_free(profile);
    return status;
}
