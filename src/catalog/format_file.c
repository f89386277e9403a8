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

/* A number of bits or bytes, exactly known. */
#define BITS(key, member, low, high, label, decimals, show)                          \
    {                                                                                \
        key, PROFILE_NUMBER, AT(member), low, high, 1, label, "bits", decimals, show \
    }
#define BYTES(key, member, high, label)                                        \
    {                                                                          \
        key, PROFILE_NUMBER, AT(member), 0, high, 1, label, "B", 2, SHOW_EXACT \
    }

static const struct profile_field fields[] = {
    {NULL, PROFILE_TEXT, AT(id), .label = "id"},
    {"name", PROFILE_TEXT, AT(name)},
    {"aliases", PROFILE_TEXTS, AT(aliases), .show = SHOW_NOT},
    {NULL, PROFILE_TEXT, AT(family), .label = "family"},
    {"math", PROFILE_WORD, AT(math), .label = "arithmetic", .words = math_words},
    {"weight_only", PROFILE_FLAG, AT(weight_only)},
    {"bits", PROFILE_NUMBER, AT(bits), 0.5, 64, 1, "element", "bits", 3, SHOW_EXACT,
     .group = "storage"},
    BITS(NULL, per_weight, 0, 0, "per_weight", 4, SHOW_EXACT),
    {"group", PROFILE_COUNT, AT(group_cols), 0, 65536, .label = "group_columns"},
    {"group_rows", PROFILE_COUNT, AT(group_rows), 0, 65536},
    BYTES("group_bytes", group_bytes, 65536, "per_group"),
    BYTES("input_bytes", input_bytes, 64, "per_input"),
    BYTES("tensor_bytes", tensor_bytes, 65536, "per_tensor"),
    {"block", PROFILE_COUNT, AT(block), 1, 65536, .as = "weights"},
    BITS("fallback_bits", fallback_bits, 0, 64, "fallback", 3, SHOW_KNOWN),
    {"keep", PROFILE_BITS, AT(keep_roles), .label = "kept_in_16_bit", .words = format_file_roles},
    {NULL, PROFILE_NUMBER, AT(core_bits_8b), 0, 0, 1, "core_8b", "bits", 4, SHOW_SET,
     .group = "file mix"},
    BITS(NULL, core_bits_70b, 0, 0, "core_70b", 4, SHOW_SET),
    BITS("embedding_bits", embed_bits, 0.5, 32, "token_embedding", 4, SHOW_SET),
    BITS("output_bits", output_bits, 0.5, 32, "output", 4, SHOW_SET),
    {NULL, PROFILE_TEXTS, AT(rule_words), .label = "rules", .show = SHOW_SET},
    {"source", PROFILE_TEXT, AT(source), .group = "evidence"},
};

const struct profile_table format_table = PROFILE_TABLE(fields);

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

static const struct profile_word *find_word(const struct profile_word *words, const char *text,
                                            size_t len)
{
    while (words->word && (strncmp(words->word, text, len) != 0 || words->word[len] != '\0'))
        words++;
    return words->word ? words : NULL;
}

/* "down more q6_k": a part, when, and a GGML type of this file or one read before. */
static bool parse_rule(const struct format_list *list, const char *text, struct format_rule *rule)
{
    static const char ggml[] = "ggml-";
    const size_t before = sizeof ggml - 1;
    const char *word[3];
    size_t len[3];

    for (int i = 0; i < 3; i++) {
        word[i] = text + strspn(text, " ");
        len[i] = strcspn(word[i], " |");
        text = word[i] + len[i];
    }
    const struct profile_word *p = find_word(rule_parts, word[0], len[0]);
    const struct profile_word *w = find_word(rule_whens, word[1], len[1]);
    for (size_t i = 0; p && w && len[2] > 0 && i < list->count; i++) {
        const struct format *f = &list->formats[i];

        if (f->id[before] != *word[2] || strncmp(f->id, ggml, before) != 0 ||
            strncmp(f->id + before, word[2], len[2]) != 0 || f->id[before + len[2]] != '\0')
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
    int count = profile_length(item, "mix", 2);
    if (count > 0) {
        format->mix = true;
        profile_number_at(item, "mix", 0, &format->core_bits_8b, 0.5, 32);
        format->core_bits_70b = format->core_bits_8b;
    }
    if (count > 1)
        profile_number_at(item, "mix", 1, &format->core_bits_70b, 0.5, 32);
}

static void read_format(struct profile_group top, struct profile_group item,
                        struct format_list *list)
{
    char id[FORMAT_ID_MAX] = "";
    struct format *format;
    const double n = 8192; /* rows and columns of a large matrix */
    size_t at = 0;

    profile_require(item, "id");
    profile_string(item, "id", id, sizeof id);
    if (profile_failed(item.profile))
        return;
    while (at < list->count && (gp_lower(list->formats[at].id[0]) != gp_lower(id[0]) ||
                                gp_casecmp(list->formats[at].id, id) != 0))
        at++;
    if (at == list->count) {
        list->formats[list->count++] = (struct format){0};
        gp_copy(list->formats[at].id, sizeof(list->formats[at].id), id);
    }
    format = &list->formats[at];
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
    format->per_weight =
        format->mix ? format_core_bits(format, 8.03e9) : format_bytes(format, n, n) * 8 / (n * n);
    if (format->bits <= 0)
        profile_fail(item, "bits", "a format needs its bits per element", "is missing");
    else if (format->group_bytes > 0 && format->group_cols == 0 && format->group_rows == 0)
        profile_fail(item, "group_bytes", "give group or row_bytes", "needs the size of a group");
    else if (format->mix && (format->embed_bits <= 0 || format->output_bits <= 0))
        profile_fail(item, "mix", "give embedding_bits and output_bits",
                     "needs the bits of embedding and output");
}

void format_file_read(struct profile_group top, void *list)
{
    struct format_list *formats = list;
    int n = profile_length(top, "formats", FORMATS_MAX);

    formats->formats = gp_grow(formats->formats, &formats->cap, formats->count + (size_t)n,
                               sizeof(*formats->formats));
    for (int i = 0; i < n && !profile_failed(top.profile); i++)
        read_format(top, profile_item(top, "formats", i), formats);
}
