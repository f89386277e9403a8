/*
 * format_file.c - the keys of formats.cfg.
 *
 *   { id = "int4-awq"; bits = 4; group = 128; group_bytes = 2.5; ... }
 *   { id = "fp8-block"; bits = 8; group = 128; group_rows = 128; group_bytes = 4; ... }
 *   { id = "fp8"; bits = 8; row_bytes = 4; ... }        # one scale per output row
 *   { id = "ggml-q4_k"; bits = 4.5; block = 256; fallback_bits = 5.5; ... }
 *   { id = "q4_k_m"; mix = [4.7985, 4.7995]; rules = ["v more q6_k", ...]; ... }
 *
 * Block types of GGUF carry their scales inside `bits`: a Q4_K block is 144 bytes for
 * 256 elements = 4.5. To keep the file short, what formats share is written once in
 * `families`: a format takes its family's keys first, then its own.
 */
#include "catalog/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/gguf.h"
#include "model/model.h"

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
    {"ngram-table", ROLE_NGRAM},
    {"vision", ROLE_VISION},
    {"other", ROLE_OTHER},
    {NULL, 0},
};

static const struct profile_word math_words[] = {
    {"fp32", MATH_FP32}, {"tf32", MATH_TF32}, {"fp16", MATH_FP16},
    {"bf16", MATH_BF16}, {"fp8", MATH_FP8},   {"int8", MATH_INT8},
    {"int4", MATH_INT4}, {"fp4", MATH_FP4},   {NULL, 0},
};

#define AT(member) PROFILE_AT(struct format, member)

static const struct profile_field fields[] = {
    {"name", PROFILE_TEXT, AT(name)},
    {"aliases", PROFILE_TEXTS, AT(aliases)},
    {"math", PROFILE_WORD, AT(math), .words = math_words},
    {"weight_only", PROFILE_FLAG, AT(weight_only)},
    {"source", PROFILE_TEXT, AT(source)},
    {"bits", PROFILE_NUMBER, AT(bits), 0.5, 64},
    {"group", PROFILE_COUNT, AT(group_cols), 0, 65536},
    {"group_rows", PROFILE_COUNT, AT(group_rows), 0, 65536},
    {"group_bytes", PROFILE_NUMBER, AT(group_bytes), 0, 65536},
    {"input_bytes", PROFILE_NUMBER, AT(input_bytes), 0, 64},
    {"tensor_bytes", PROFILE_NUMBER, AT(tensor_bytes), 0, 65536},
    {"block", PROFILE_COUNT, AT(block), 1, 65536},
    {"fallback_bits", PROFILE_NUMBER, AT(fallback_bits), 0, 64},
    {"embedding_bits", PROFILE_NUMBER, AT(embed_bits), 0.5, 32},
    {"output_bits", PROFILE_NUMBER, AT(output_bits), 0.5, 32},
};

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
}

static const struct profile_word rule_parts[] = {
    {"q", PART_Q},       {"k", PART_K},           {"v", PART_V},
    {"out", PART_OUT},   {"gate", PART_GATE},     {"up", PART_UP},
    {"down", PART_DOWN}, {"expert", PART_EXPERT}, {NULL, 0},
};

static const struct profile_word rule_whens[] = {
    {"all", WHEN_ALL},
    {"more", WHEN_MORE},
    {"first-2", WHEN_FIRST_2},
    {"first-4", WHEN_FIRST_4},
    {"first-8th", WHEN_FIRST_8TH},
    {"first-16th", WHEN_FIRST_16TH},
    {"middle", WHEN_MIDDLE},
    {"gqa-4", WHEN_GQA_4},
    {"shared", WHEN_SHARED},
    {"experts-8", WHEN_EXPERTS_8},
    {"70b", WHEN_70B},
    {NULL, 0},
};

static const struct profile_word *find_word(const struct profile_word *words, const char *text)
{
    while (words->word && strcmp(words->word, text) != 0)
        words++;
    return words->word ? words : NULL;
}

/* "down more q6_k": a part, when, and a GGML type of this file or one read before. */
static bool parse_rule(const struct format_list *list, const char *text, struct format_rule *rule)
{
    char part[16], when[16], type[16], id[32];

    if (sscanf(text, " %15[^ |] %15[^ |] %15[^ |]", part, when, type) != 3)
        return false;
    const struct profile_word *p = find_word(rule_parts, part);
    const struct profile_word *w = find_word(rule_whens, when);
    gp_format(id, sizeof id, "ggml-%s", type);
    for (size_t i = 0; p && w && i < list->count; i++) {
        const struct format *f = &list->formats[i];

        if (strcmp(f->id, id) != 0)
            continue;
        *rule =
            (struct format_rule){(unsigned)p->value, w->value, f->bits, f->block, f->fallback_bits};
        return true;
    }
    return false;
}

static void read_rules(struct profile_group item, const struct format_list *list,
                       struct format *format)
{
    if (!profile_has(item, "rules"))
        return;
    format->typed = true;
    format->rules = 0;
    profile_strings(item, "rules", format->rule_words, sizeof format->rule_words);
    for (const char *at = format->rule_words; at && *at;
         at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (format->rules == FORMAT_RULES ||
            !parse_rule(list, at, &format->rule[format->rules++])) {
            profile_fail(item, "rules", "as \"down more q6_k\": a part, when, a GGML type",
                         "has a rule that is not known, or more than %d", FORMAT_RULES);
            return;
        }
}

static void read_keys(struct profile_group item, struct format *format)
{
    PROFILE_FIELDS(item, fields, format);
    if (profile_has(item, "row_bytes")) { /* one set of scales for each row */
        profile_number(item, "row_bytes", &format->group_bytes, 0, 65536);
        format->group_cols = 0;
        format->group_rows = 1;
    }
    profile_bits(item, "keep", &format->keep_roles, format_file_roles);
    read_mix(item, format);
}

/* The format of that id, or a new one. */
static struct format *find_format(struct format_list *list, const char *id)
{
    struct format *format;

    for (size_t i = 0; i < list->count; i++)
        if (gp_casecmp(list->formats[i].id, id) == 0)
            return &list->formats[i];
    list->formats = gp_grow(list->formats, &list->cap, list->count + 1, sizeof *list->formats);
    format = &list->formats[list->count++];
    *format = (struct format){0};
    gp_copy(format->id, sizeof format->id, id);
    return format;
}

static void validate_format(struct profile_group item, const struct format *format)
{
    if (format->bits <= 0)
        profile_fail(item, "bits", "a format needs its bits per element", "is missing");
    else if (format->group_bytes > 0 && format->group_cols == 0 && format->group_rows == 0)
        profile_fail(item, "group_bytes", "give group or row_bytes", "needs the size of a group");
    else if (format->mix && (format->embed_bits <= 0 || format->output_bits <= 0))
        profile_fail(item, "mix", "give embedding_bits and output_bits",
                     "needs the bits of embedding and output");
}

static void read_format(struct profile_group top, struct profile_group item,
                        struct format_list *list)
{
    char id[FORMAT_ID_MAX] = "";
    struct format *format;

    profile_require(item, "id");
    profile_string(item, "id", id, sizeof id);
    if (profile_failed(item.profile))
        return;
    format = find_format(list, id);
    if (profile_has(item, "family")) {
        struct profile_group families = profile_sub(top, "families");

        profile_string(item, "family", format->family, sizeof format->family);
        read_keys(profile_sub_named(families, format->family), format);
    }
    read_keys(item, format);
    read_rules(item, list, format);
    if (format->group_bytes > 0 && format->group_cols > 0 && format->group_rows == 0)
        format->group_rows = 1; /* groups lie along one row */
    if (format->name[0] == '\0')
        gp_copy(format->name, sizeof format->name, id);
    validate_format(item, format);
}

void format_file_read(struct profile_group top, void *list)
{
    for (int i = 0, n = profile_length(top, "formats", FORMATS_MAX);
         i < n && !profile_failed(top.profile); i++)
        read_format(top, profile_item(top, "formats", i), list);
}
