/*
 * engine_file.c - the keys of an engine profile.
 *
 *   name = "vLLM";  budget = "utilization";  fraction = 0.9;  block = 16;
 *   ranges = (
 *     { until = "0.11"; logit_copies = 9; ... },
 *     { from = "0.12"; until = "0.16"; ... },
 *     { from = "0.21"; fraction = 0.92; graphs_in_budget = true; ... }
 *   );
 *
 * Memory terms are GiB, each a number or (value, low, high). `evidence` holds one
 * sentence per term: what the figure was read from, or that it is assumed.
 */
#include "catalog/engine_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"
#include "util/str.h"
#include "util/units.h"

#define RANGES_MAX 32

static const struct profile_word budgets[] = {
    {"utilization", BUDGET_UTILIZATION},
    {"free", BUDGET_FREE},
    {"static", BUDGET_STATIC},
    {"asked", BUDGET_ASKED},
    {NULL, 0},
};

static void read_defaults(struct profile_group item, struct engine *engine)
{
    profile_count(item, "max_num_seqs_small", &engine->seqs_small, 0, 65536);
    profile_count(item, "max_num_seqs_large", &engine->seqs_large, 0, 65536);
    profile_count(item, "max_tokens_small", &engine->tokens_small, 0, 1 << 20);
    profile_count(item, "max_tokens_large", &engine->tokens_large, 0, 1 << 20);
    profile_scaled(item, "large_gib", &engine->large_bytes, GP_GIB, 0, 65536);
    profile_string(item, "large_except", engine->large_except,
                   sizeof engine->large_except);
    profile_count(item, "block", &engine->block, 1, 65536);
    profile_bool(item, "window_groups", &engine->window_groups);
    profile_bool(item, "rope_table", &engine->rope_table);
    profile_count(item, "pad_hidden", &engine->pad_hidden, 0, 65536);
    profile_count(item, "pad_width", &engine->pad_width, 0, 65536);
    profile_bool(item, "gguf", &engine->gguf);
    profile_string(item, "vendors", engine->vendors, sizeof engine->vendors);
    profile_count(item, "bf16_min_cc", &engine->bf16_min_cc, 0, 999);
    profile_count(item, "quantized_min_cc", &engine->quantized_min_cc, 0, 999);
    profile_string(item, "quantized_any", engine->quantized_any,
                   sizeof engine->quantized_any);
}

/* `assumed = true` marks every memory term of a range that was not measured. */
static void read_terms(struct profile_group item, struct engine *engine)
{
    bool assumed = engine->base.origin == ORIGIN_ASSUMED;
    enum origin origin;
    struct {
        const char *key;
        struct quantity *term;
    } terms[] = {
        {"base_gib", &engine->base},
        {"forward_base_gib", &engine->forward_base},
        {"vision_gib", &engine->vision},
        {"non_torch_1_gib", &engine->non_torch_1},
        {"non_torch_tp_gib", &engine->non_torch_tp},
        {"non_torch_pp_gib", &engine->non_torch_pp},
        {"graphs_gib", &engine->graphs},
    };

    profile_bool(item, "assumed", &assumed);
    origin = assumed ? ORIGIN_ASSUMED : ORIGIN_MODEL;
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        profile_quantity(item, terms[i].key, terms[i].term, GP_GIB, 0, 1024, origin);
        if (terms[i].term->known)
            terms[i].term->origin = origin;
    }
    profile_number(item, "logit_copies", &engine->logit_copies, 0, 64);
    profile_number(item, "moe_workspace", &engine->moe_workspace, 0, 64);
    profile_bool(item, "graphs_in_budget", &engine->graphs_in_budget);
}

static void read_keys(struct profile_group item, struct engine *engine)
{
    struct profile_group evidence = profile_sub(item, "evidence");
    int budget = (int)engine->budget;

    profile_word(item, "budget", &budget, budgets);
    engine->budget = (enum budget)budget;
    profile_number(item, "fraction", &engine->fraction, 0.01, 1);
    profile_string(item, "source", engine->source, sizeof engine->source);
    profile_string(item, "date", engine->date, sizeof engine->date);
    read_defaults(item, engine);
    read_terms(item, engine);
    for (int i = 0; i < TERM_COUNT; i++)
        profile_string(evidence, engine_term_word((enum engine_term)i), engine->evidence[i],
                       sizeof engine->evidence[i]);
}

static int read_version(struct profile_group item, const char *key, char *text,
                        size_t size, int open_end)
{
    int version;

    text[0] = '\0';
    profile_string(item, key, text, size);
    if (text[0] == '\0')
        return open_end;
    version = engine_version(text);
    if (version < 0)
        profile_fail(item, key, "write it as in \"0.19\"", "\"%s\" is not a version",
                     text);
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
    else
        gp_format(engine->range, sizeof engine->range, "%s-%s", from, until);
}

/* The range of this engine that starts at `from`, or a new one, in version order. */
static struct engine *find_range(struct engine_list *list, const char *id, int from,
                                 const struct engine *shared)
{
    size_t at = 0;

    while (at < list->count &&
           (strcmp(list->engines[at].id, id) < 0 ||
            (strcmp(list->engines[at].id, id) == 0 && list->engines[at].from < from)))
        at++;
    if (at < list->count && strcmp(list->engines[at].id, id) == 0 &&
        list->engines[at].from == from)
        return &list->engines[at];
    list->engines =
        gp_grow(list->engines, &list->cap, list->count + 1, sizeof *list->engines);
    memmove(&list->engines[at + 1], &list->engines[at],
            (list->count - at) * sizeof *list->engines);
    list->count++;
    list->engines[at] = *shared;
    return &list->engines[at];
}

static void validate_range(struct profile_group item, const struct engine_list *list,
                           const struct engine *engine)
{
    const struct engine *before = engine > list->engines ? engine - 1 : NULL;

    if (!engine->non_torch_1.known || !engine->non_torch_tp.known ||
        !engine->non_torch_pp.known)
        profile_fail(item, "non_torch_1_gib",
                     "give non_torch_1_gib, non_torch_tp_gib and non_torch_pp_gib",
                     "is missing");
    else if (!engine->base.known || !engine->forward_base.known ||
             !engine->graphs.known || !engine->vision.known)
        profile_fail(item, "base_gib",
                     "give base_gib, forward_base_gib, vision_gib and graphs_gib",
                     "a memory term is missing");
    else if (engine->fraction <= 0 || engine->block < 1)
        profile_fail(item, "fraction", "give fraction and block",
                     "a default is missing");
    else if (engine->until < engine->from)
        profile_fail(item, "until", "", "is lower than from");
    else if (before != NULL && strcmp(before->id, engine->id) == 0 &&
             before->until >= engine->from)
        profile_fail(item, "from", "", "overlaps the range %s", before->range);
}

static void read_range(struct profile_group item, const struct engine *shared,
                       struct engine_list *list)
{
    char from_text[16], until_text[16];
    int from = read_version(item, "from", from_text, sizeof from_text, 0);
    int until = read_version(item, "until", until_text, sizeof until_text, INT_MAX);
    size_t before = list->count;
    struct engine *engine;

    if (profile_failed(item.profile))
        return;
    engine = find_range(list, shared->id, from, shared);
    if (list->count > before || until_text[0] != '\0') {
        engine->from = from;
        engine->until = until;
        name_range(engine, from_text, until_text);
    }
    read_keys(item, engine);
    validate_range(item, list, engine);
}

/* A later file's top holds for every range there is. */
static void read_over(struct profile_group top, const char *id,
                      struct engine_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->engines[i].id, id) == 0)
            read_keys(top, &list->engines[i]);
}

enum gp_status engine_file_read(const char *path, const char *id,
                                struct engine_list *list, char *aliases,
                                size_t aliases_size, profile_warn_fn warn, void *ctx,
                                struct gp_err *err)
{
    struct engine shared = {0};
    struct profile *profile;
    struct profile_group top;
    enum gp_status status = profile_open(path, &profile, err);

    if (status != GP_OK)
        return status;
    top = profile_top(profile);
    gp_copy(shared.id, sizeof shared.id, id);
    gp_copy(shared.name, sizeof shared.name, id);
    profile_strings(top, "aliases", aliases, aliases_size);
    profile_string(top, "name", shared.name, sizeof shared.name);
    read_over(top, id, list);
    read_keys(top, &shared);
    for (int i = 0, n = profile_length(top, "ranges", RANGES_MAX);
         i < n && !profile_failed(profile); i++)
        read_range(profile_item(top, "ranges", i), &shared, list);
    status = profile_finish(profile, warn, ctx, err);
    profile_free(profile);
    return status;
}
