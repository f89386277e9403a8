/*
 * log_check.c - see log_check.h.
 */
#include "logs/log_check.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "answer/record.h"
#include "answer/sentence.h"
#include "answer/startup.h"
#include "base/units.h"

/* ---- what of the plan a figure is ---- */

/* A figure is a sum of terms of struct memory; the first row whose engine is the log's, or all,
 * counts. */
#define TERM(name) (offsetof(struct memory, name) + 1) /* 0 ends a sum */
static const struct row {
    enum enginelog_term term;
    const char *engine; /* NULL = all */
    const char *name;   /* as gpuplan.plan/1 calls it, where it is one term */
    size_t sum[4];
} rows[] = {
    {ENGINELOG_USABLE, NULL, "usable", {TERM(usable)}},
    {ENGINELOG_WEIGHTS, NULL, "weights", {TERM(weights)}},
    {ENGINELOG_CONSUMED, NULL, "weights_non_torch", {TERM(weights), TERM(non_torch)}},
    {ENGINELOG_ACTIVATION, NULL, "activation", {TERM(activation)}},
    {ENGINELOG_PEAK, NULL, "activation_graphs", {TERM(activation), TERM(graphs_charged)}},
    {ENGINELOG_NON_TORCH, "tensorrt-llm", "non_torch_graphs", {TERM(non_torch), TERM(graphs)}},
    {ENGINELOG_NON_TORCH, NULL, "non_torch", {TERM(non_torch)}},
    {ENGINELOG_TOTAL,
     "tensorrt-llm",
     "all_but_kv",
     {TERM(weights), TERM(non_torch), TERM(activation), TERM(graphs)}},
    {ENGINELOG_TOTAL, NULL, "all_but_kv", {TERM(weights), TERM(non_torch), TERM(activation)}},
    {ENGINELOG_ESTIMATE, NULL, "graphs", {TERM(graphs_charged)}},
    {ENGINELOG_GRAPHS, NULL, "graphs_real", {TERM(graphs)}},
    {ENGINELOG_KV, "llama.cpp", "kv_reserved", {TERM(kv_reserved)}},
    {ENGINELOG_KV, NULL, "kv_pool", {TERM(kv_pool)}},
    {ENGINELOG_TOKENS, NULL, "kv_cache_tokens", {TERM(kv_cache_tokens)}},
    {ENGINELOG_CONCURRENCY, NULL, "max_concurrency", {TERM(max_concurrency)}},
    {ENGINELOG_HOST, NULL, "host", {TERM(host)}},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static struct quantity row_planned(const struct row *row, const struct memory *memory)
{
    struct quantity sum = {0}, term;

    for (size_t i = 0; i < 4 && row->sum[i]; i++) {
        memcpy(&term, (const char *)memory + row->sum[i] - 1, sizeof(term));
        sum = i == 0 ? term : quantity_add(sum, term);
    }
    return sum;
}

static const struct row *row_of(enum enginelog_term term, const char *engine)
{
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].term == term && (!rows[i].engine || strcmp(rows[i].engine, engine) == 0))
            return &rows[i];
    return NULL;
}

/* ---- terms ---- */

static bool is_count(enum enginelog_term term)
{
    return term == ENGINELOG_TOKENS || term == ENGINELOG_CONCURRENCY || term == ENGINELOG_BLOCKS;
}

#define COUNTED 0.005 /* share by which an allocator or a driver differs from what is counted */

/* Half of the last digit that logs print; of weights and of the card itself also what an
 * allocator rounds up, tensor by tensor, and a driver keeps more or less. */
static double slack_of(enum enginelog_term term, struct quantity predicted)
{
    double digit = term == ENGINELOG_TOKENS ? 0.5 : is_count(term) ? 0.005 : 0.005 * GP_GIB;
    bool counted = term == ENGINELOG_WEIGHTS || term == ENGINELOG_USABLE;

    return digit + (counted || predicted.origin == ORIGIN_EXACT ? COUNTED * predicted.value : 0);
}

static void record_term(const struct enginelog *log, const struct row *row, const struct plan *plan,
                        struct record *doc, struct log_verdict *v)
{
    const struct enginelog_figure *f = &log->figure[row->term];
    bool count = is_count(row->term), in;
    struct quantity predicted = row_planned(row, &plan->memory);
    struct predicted_vs_seen beside = {
        .name = row->name,
        .unit = count ? "" : "GiB",
        .seen_name = "logged",
        .seen = quantity_band(f->value, f->low, f->high, ORIGIN_MEASURED),
        .predicted = predicted,
        .divide = count ? 1 : GP_GIB,
        .slack = slack_of(row->term, predicted),
        .digits = row->term == ENGINELOG_TOKENS ? 0
                  : log->devices > 0            ? 3
                                                : 2,
    };
    struct record *r;
    bool compared = predicted_vs_seen_record(&beside, doc, "terms", &r, &in);

    record_count(r, "line", "", (double)f->line);
    record_detail(r);
    v->terms += compared;
    v->outside += compared && !in;
}

/* Blocks of vLLM's pool are tokens, by the block that the log names. */
static void blocks_as_tokens(struct enginelog *log)
{
    const struct enginelog_figure *blocks = &log->figure[ENGINELOG_BLOCKS];
    struct enginelog_figure *tokens = &log->figure[ENGINELOG_TOKENS];
    const char *text = enginelog_option(log, "block_size");
    double size = 16;

    if (text && units_parse_number(text, "block_size", &size, NULL) != GP_OK)
        size = 16;
    if (blocks->ranks == 0 || tokens->ranks > 0)
        return;
    *tokens = *blocks;
    tokens->value *= size;
    tokens->low *= size;
    tokens->high *= size;
}

static void record_terms(const struct enginelog *logged, const struct plan *plan,
                         struct record *doc, struct log_verdict *v)
{
    struct enginelog log = *logged;

    record_list(doc, "terms");
    if (!plan || !plan->has_memory)
        return;
    blocks_as_tokens(&log);
    for (int t = 0; t < ENGINELOG_TERM_COUNT; t++) {
        const struct row *row = row_of((enum enginelog_term)t, log.engine);

        if (row && log.figure[t].ranks > 0)
            record_term(&log, row, plan, doc, v);
    }
}

/* ---- the start ---- */

static void record_failure(const struct enginelog *log, struct record *doc)
{
    /* llama.cpp's own words for a GPU's memory do not need a pool */
    bool sized = log->figure[ENGINELOG_KV].ranks > 0 || log->figure[ENGINELOG_TOKENS].ranks > 0;
    const char *check = startup_of_message(log->engine, log->failure, sized);

    if (!log->failed_line)
        return;
    struct record *r = record_inside(doc, "failure");
    record_count(r, "line", "", (double)log->failed_line);
    record_text(r, "text", log->failure);
    record_text(r, "check", check ? check : "");
    record_text(r, "cure", startup_cure(check));
}

static void record_notes(const struct enginelog *log, const struct log_request *request,
                         const char *why, struct record *doc)
{
    record_list(doc, "notes");
    for (int i = 0; i < request->notes; i++)
        record_item(doc, "notes", request->note[i]);
    if (request->reading.unknown[0])
        record_itemf(doc, "notes", "given to the engine and not planned: %.200s",
                     request->reading.unknown);
    if (log->starts > 1)
        record_itemf(doc, "notes", "the log has %d starts: the last one is compared", log->starts);
    if (log->devices == 0 && enginelog_option(log, "verbosity"))
        record_item(doc, "notes", "the log has no sizes: llama-server prints them with -lv 4");
    if (log->others[0])
        record_itemf(doc, "notes", "lines of other engines are in it: %.60s", log->others);
    if (log->mixed)
        record_item(doc, "notes",
                    "the lines of two servers are mixed in it, and so are the figures above: log "
                    "each into a file of its own");
    if (log->odd > 0)
        record_itemf(doc, "notes", "%d figure%s left out: no size can be that", log->odd,
                     log->odd > 1 ? "s are" : " is");
    if (log->pairs_lost)
        record_item(doc, "notes", "the log has more options than are read");
    if (!log->started && !log->failed_line && !log->estimated)
        record_itemf(doc, "notes",
                     "the log ends before the server was ready; its last known line is %ld: %.120s",
                     log->last_line, log->last);
    if (why[0])
        record_item(doc, "notes", why);
}

/* ---- the plan ---- */

static void record_plan(const struct answer *a, struct record *doc)
{
    const struct plan *p = a ? &a->plan : NULL;
    struct texts texts = {0};
    char options[FIX_OPTIONS_MAX];

    record_text(doc, "model", p ? p->request.model->id : "");
    record_text(doc, "gpu", p ? p->request.gpu->id : "");
    record_positive(doc, "gpus", "", p ? p->layout.gpus : 0);
    record_text(doc, "layout", p ? sentence_layout(&p->layout, &texts) : "");
    record_text(doc, "planned_engine", p ? p->request.engine->range : "");
    record_text(doc, "verdict", p ? verdict_word(p->verdict) : "");
    record_text(doc, "reason", p ? sentence_first_reason(p, &texts) : "");
    record_list(doc, "fixes");
    for (int i = 0; a && i < a->fix_count; i++) {
        struct record *r = record_append(doc, "fixes");

        record_text(r, "options", planner_fix_options(&a->fixes[i], options));
        record_text(r, "text", sentence_fix(&a->fixes[i], &texts));
    }
    texts_fini(&texts);
}

void log_check(const char *file, const struct enginelog *log, const struct log_request *request,
               const struct answer *answer, const char *why, struct record *doc,
               struct log_verdict *v)
{
    *v = (struct log_verdict){.failed = log->failed_line > 0};
    record_text(doc, "schema", "gpuplan.check-log/1");
    record_text(doc, "file", file);
    record_text(doc, "engine", log->engine);
    record_text(doc, "version", log->version);
    record_text(doc, "status",
                log->failed_line ? "failed"
                : log->started   ? "started"
                : log->estimated ? "estimated"
                                 : "unfinished");
    record_failure(log, doc);
    record_count(doc, "lines", "", (double)log->lines);
    record_count(doc, "known_lines", "", (double)log->known);
    record_count(doc, "ranks", "", log->ranks);
    record_plan(answer, doc);
    record_list(doc, "options");
    for (int i = 0; i < log->pairs; i++) {
        struct record *r = record_append(doc, "options");

        record_text(r, "name", log->pair[i].name);
        record_text(r, "value", log->pair[i].value);
        record_flag(r, "chosen", log->pair[i].chosen);
    }
    record_terms(log, answer ? &answer->plan : NULL, doc, v);
    record_count(doc, "outside", "", v->outside);
    record_notes(log, request, why, doc);
}

/* ---- text ---- */

void log_check_text(const struct record *doc, struct strbuf *out)
{
    const struct fact *notes = record_find(doc, "notes"), *failure = record_find(doc, "failure");
    const struct fact *terms = record_find(doc, "terms"), *fixes = record_find(doc, "fixes");
    const char *version = record_get(doc, "version"), *reason = record_get(doc, "reason");
    bool failed = failure && failure->record_count > 0;

    strbuf_addf(out, "%s: %s%s%s, %.0f lines, %.0f rank%s\n", record_get(doc, "status"),
                record_get(doc, "engine"), version[0] ? " " : "", version,
                record_number(doc, "lines"), record_number(doc, "ranks"),
                record_number(doc, "ranks") > 1 ? "s" : "");
    if (failed) {
        const char *cure = record_get(failure->records, "cure");

        strbuf_addf(out, "stopped at line %.0f: %s\n", record_number(failure->records, "line"),
                    record_get(failure->records, "text"));
        strbuf_addf(out, "%s%s\n", cure[0] ? "cure: " : "",
                    cure[0] ? cure : "gpuplan does not know this way to stop");
    }
    if (record_get(doc, "model")[0])
        strbuf_addf(out, "planned: %s on %.0f x %s, %s, %s %s: %s%s%s\n", record_get(doc, "model"),
                    record_number(doc, "gpus"), record_get(doc, "gpu"), record_get(doc, "layout"),
                    record_get(doc, "engine"), record_get(doc, "planned_engine"),
                    record_get(doc, "verdict"), reason[0] ? ": " : "", reason);
    if (terms && terms->record_count > 0) {
        strbuf_add(out, "\n");
        record_table(terms->records, terms->record_count, NULL, RECORD_TEXT, out);
        strbuf_addf(out, "\n%zu of %zu in their band\n",
                    terms->record_count - (size_t)record_number(doc, "outside"),
                    terms->record_count);
    }
    if (failure && fixes && fixes->record_count > 0) {
        strbuf_add(out, "\nplanned to start:\n");
        for (size_t i = 0; i < fixes->record_count && i < 5; i++)
            strbuf_addf(out, "  %-36s %s\n", record_get(&fixes->records[i], "options"),
                        record_get(&fixes->records[i], "text"));
    }
    for (size_t i = 0; notes && i < notes->record_count; i++)
        strbuf_addf(out, "%snote: %s\n", i == 0 ? "\n" : "", record_get(&notes->records[i], ""));
}
