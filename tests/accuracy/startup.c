/*
 * startup.c - starts that failed: does a plan say no, and for the engine's own reason?
 *
 *   startup [FOLDER]   reads FOLDER/validation/startup_failures{,2}.csv, and of the files
 *                      memory_vllm.csv and memory_vllm_recent.csv the rows whose outcome
 *                      is "failed: ..."; without FOLDER it is $GPUPLAN_SHARED, else
 *                      $srcdir/../shared
 *
 * A row is asked by its columns, as a user would ask it. The memory of a GPU is the one
 * that the row states, by name, by size, in the engine's message "(free/total GiB)", or as
 * the sum of the parts of its budget over the utilization. What comes before the weights
 * are loaded is the same for any model. Where the GPU is not stated but the pool is, only
 * the need is asked: does one request of full length need what the engine said, and more
 * than there was? Everything else is counted, with what it lacks.
 */
#include "answer/startup.h"
#include "base/units.h"
#include "manual.h"
#include "table.h"

/* Where the columns of a file stand. */
struct source {
    const char *file, *engine, *version, *model, *format, *memory, *util, *kind;
};

static const struct source sources[] = {
    {"validation/startup_failures.csv", "engine", "version", "model", "format", "mem", "util",
     "kind"},
    {"validation/startup_failures2.csv", "engine", "version", "model", "format", "mem", "util",
     "kind"},
    {"validation/memory_vllm.csv", "", "vllm_version", "model", "weight_dtype", "gpu_mem_gb",
     "gpu_memory_utilization", "outcome"},
    {"validation/memory_vllm_recent.csv", "", "vllm_version", "model", "weight_dtype", "gpu_mem_gb",
     "gpu_memory_utilization", "outcome"},
};

/* How a row's cause begins, and the check that it is. */
static const struct {
    const char *kind, *check;
} causes[] = {
    {"failed: KV", "one-request"},
    {"failed: no KV room", "cache-blocks"},
    {"failed: OOM in sampler warm-up", "graphs"},
    {"state blocks", "state-blocks"},
    {"KV smaller than one max-length request", "one-request"},
    {"no KV room", "cache-blocks"},
    {"start-up free memory gate", "free-memory"},
    {"out of memory after KV sizing", "graphs"},
};

/* Models as rows name them, where that is no alias. */
static const struct {
    const char *listed, *id;
} names[] = {
    {"Phi-3.5-mini", "microsoft/Phi-3.5-mini-instruct"},
    {"MiniMax-M2", "MiniMaxAI/MiniMax-M2"},
    {"Qwen/Qwen2.5-7B-Instruct-AWQ", "qwen2.5-7b"},
    {"Qwen2.5-32B-Instruct-AWQ", "qwen2.5-32b"},
};

#define ANY_MODEL "qwen3-0.6b" /* of checks that are made before the weights are read */

struct row {
    const struct table_file *table;
    const struct source *source;
    const char *engine, *kind, *check, *model, *precision;
    double tp, util, context, seqs, tokens, needed, available; /* NAN: not stated */
    double memory, used;                                       /* bytes; memory 0: unknown */
    char version[48];
};

static const char *check_of(const char *kind)
{
    for (size_t i = 0; i < sizeof(causes) / sizeof(causes[0]); i++)
        if (strncmp(causes[i].kind, kind, strlen(causes[i].kind)) == 0)
            return causes[i].check;
    return NULL;
}

static const char *model_of(const char *listed)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i].listed, listed) == 0)
            return names[i].id;
    return listed;
}

/* ---- memory ---- */

/* The number behind a word of the text; NAN when it is not there. */
static double number_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    char *end;
    double value = at ? strtod(at + strlen(word), &end) : NAN;
    return at && end > at + strlen(word) ? value : NAN;
}

/* GiB of the device: its own message, the column, or the parts of its budget. */
static void read_memory(struct row *row)
{
    const char *text = table_text_of(row->table, "error_text");
    const char *parts = table_text_of(row->table, "numbers");
    const char *paren = strstr(text, "on device (");
    double unused = 0, total = 0, stated = table_number_of(row->table, row->source->memory);
    double sum =
        number_after(parts, "consumed ") + number_after(parts, "activation ") + row->available;
    if (paren && sscanf(paren, "on device (%lf/%lf GiB)", &unused, &total) == 2)
        row->used = (total - unused) * GP_GIB;
    else if (!isnan(stated))
        total = stated;
    else if (!isnan(sum) && !isnan(row->util))
        total = sum / row->util;
    row->memory = total * GP_GIB;
}

/* "0.22.1rc1" is a 0.22; a date, or nothing, the newest. */
static void read_version(struct row *row)
{
    long version = engine_version(table_text_of(row->table, row->source->version), 0) / 10000;
    gp_copy(row->version, sizeof(row->version), row->engine);
    if (version > 0 && version < 10000)
        gp_format(row->version, sizeof(row->version), "%s@%ld.%ld", row->engine, version / 10000,
                  version % 10000);
}

static void read_row(const struct source *source, const struct table_file *t, struct row *row)
{
    const char *format = table_text_of(t, source->format);
    *row = (struct row){
        .table = t,
        .source = source,
        .engine = source->engine[0] ? table_text_of(t, source->engine) : "vllm",
        .kind = table_text_of(t, source->kind),
        .model = model_of(table_text_of(t, source->model)),
        .precision = strcmp(format, "awq") == 0 ? "int4-awq" : "", /* else as its name says */
        .tp = table_number_of(t, "tp"),
        .util = table_number_of(t, source->util),
        .context = table_number_of(t, "max_model_len"),
        .seqs = table_number_of(t, "max_num_seqs"),
        .tokens = table_number_of(t, "max_num_batched_tokens"),
        .needed = table_number_of(t, "needed_gib"),
        .available = table_number_of(t, "available_gib"),
    };
    row->check = check_of(row->kind);
    read_version(row);
    read_memory(row);
}

/* ---- asking ---- */

/* The GPU by its name, "RTX 4090"; else the catalogue's nearest to the memory: defaults go
 * by memory alone. NULL: neither is stated. */
static const struct gpu *gpu_of(struct planner *planner, const struct row *row)
{
    const struct gpu *const *list, *best = NULL;
    double memory = row->memory;
    char id[48];
    size_t count;
    gp_copy(id, sizeof(id), table_text_of(row->table, "gpu"));
    for (char *c = id; *c; c++)
        *c = *c == ' ' ? '-' : *c;
    if (catalog_gpu(planner_catalog(planner), id, &best, NULL) == GP_OK)
        return best;
    best = NULL;
    if (memory <= 0 || catalog_gpus(planner_catalog(planner), &list, &count, NULL))
        return NULL;
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i]->vendor, "nvidia") == 0 && list[i]->compute_capability >= 80 &&
            (!best || fabs(list[i]->physical.value - memory) < fabs(best->physical.value - memory)))
            best = list[i];
    return best;
}

static void ask_number(struct options *o, enum option_id id, double value)
{
    if (!isnan(value) && value > 0)
        options_number(o, id, option_rows[id].name, value, NULL);
}

static bool resolve(struct planner *planner, const struct row *row, const char *model,
                    const char *gpu, struct resolved *out)
{
    struct options o = {0};
    struct gp_err err = {0};
    options_text(&o, OPT_MODEL, "model", model, NULL);
    if (row->precision[0])
        options_text(&o, OPT_PRECISION, "precision", row->precision, NULL);
    options_text(&o, OPT_GPU, "gpu", gpu, NULL);
    options_text(&o, OPT_ENGINE, "engine", row->version, NULL);
    ask_number(&o, OPT_CONTEXT, row->context);
    ask_number(&o, OPT_MAX_NUM_SEQS, row->seqs);
    ask_number(&o, OPT_MAX_BATCHED_TOKENS, row->tokens);
    ask_number(&o, OPT_MEMORY_UTILIZATION, row->util);
    return planner_resolve(planner, &o, NULL, NULL, NULL, out, &err) == GP_OK;
}

static struct layout layout_of(double tp)
{
    return (struct layout){.tp = tp > 0 ? (int)tp : 1,
                           .pp = 1,
                           .ep = 1,
                           .replicas = 1,
                           .gpus = tp > 0 ? (int)tp : 1,
                           .hosts = 1};
}

/* ---- scoring ---- */

static struct {
    int rows, right, wrong, fit, needs, needs_right, little;
} score;

static void say_little(const struct row *row, const char *why)
{
    score.little++;
    printf("  %-12s %-34.34s %-38.38s states too little: %s\n", row->engine,
           table_text_of(row->table, row->source->model), row->kind, why);
}

static void say(const struct row *row, const char *what, const char *words)
{
    printf("  %-12s %-34.34s %-38.38s %s: %.90s\n", row->engine,
           table_text_of(row->table, row->source->model), row->kind, what, words);
}

static void score_plan(const struct row *row, const struct resolved *r)
{
    struct request q = r->request;
    struct gpu gpu = *q.gpu;
    struct market nowhere = {0};
    struct layout layout = layout_of(row->tp);
    struct plan p;
    /* 24 is a name, 22.06 a reading */
    if (row->memory > 0 && row->memory / GP_GIB != floor(row->memory / GP_GIB))
        gpu.usable = quantity_of(row->memory, ORIGIN_MEASURED);
    q.gpu = &gpu;
    q.used = row->used;
    plan_layout(&q, &layout, &nowhere, &p);
    struct startup s = startup_check(&p);
    struct texts texts = {0};
    bool fits = p.verdict == VERDICT_FITS || !s.check;
    bool right = !fits && strcmp(s.check, row->check) == 0;
    score.rows++;
    score.fit += fits;
    score.right += right;
    score.wrong += !right && !fits;
    say(row,
        fits    ? "CALLED A FIT"
        : right ? "right"
                : "WRONG CAUSE",
        s.check ? startup_message(&p, &s, &texts) : "");
    texts_fini(&texts);
}

/* One request of the model against the pool that the row states. */
static void score_need(const struct row *row, const struct resolved *r)
{
    const struct request *q = &r->request;
    struct kv_sequence s = {0};
    char words[160];
    double tp = row->tp > 0 ? row->tp : 1, tokens = memory_max_batched_tokens(q);
    for (; tp <= 16; tp *= 2) { /* the first that needs as much, where it is not stated */
        s = kvcache_sequence(q, (int)tp, 0, q->model->layer_count, q->context, tokens);
        if (row->tp > 0 || s.reserved / GP_GIB < row->needed * 1.01)
            break;
    }
    double need = s.reserved / GP_GIB;
    bool right = fabs(need / row->needed - 1) < 0.01 && need > row->available;
    score.needs++;
    score.needs_right += right;
    gp_format(words, sizeof(words), "%.2f GiB for one request at TP %.0f, said %.2f", need, tp,
              row->needed);
    say(row, right ? "need right" : "NEED WRONG", words);
}

static void score_row(struct planner *planner, const struct row *row)
{
    struct resolved r;
    const struct gpu *gpu = gpu_of(planner, row);
    bool before_weights = row->check && strcmp(row->check, "free-memory") == 0;
    bool names_model = row->model[0] && resolve(planner, row, row->model, "h100-sxm", &r);
    if (!row->check)
        say_little(row, "it starts, or dies in its first step");
    else if (strstr(table_text_of(row->table, "source"), "backport"))
        say_little(row, "a build of its own, of what the engine refuses there");
    else if (before_weights && row->used <= 0)
        say_little(row, "the memory is the host's");
    else if (!before_weights && !names_model)
        say_little(row, row->model[0] ? "a model of no published shape" : "no model");
    else if (gpu && resolve(planner, row, before_weights ? ANY_MODEL : row->model, gpu->id, &r))
        score_plan(row, &r);
    else if (!gpu && row->needed > 0 && row->context > 0)
        score_need(row, &r);
    else
        say_little(row, "no GPU");
}

static bool score_file(struct planner *planner, const struct source *source, int argc, char **argv)
{
    struct table_file table = {0};
    if (!table_open(&table, argc, argv, source->file))
        return false;
    while (table_next(&table)) {
        struct row row;
        if (!source->engine[0] && strncmp(table_text_of(&table, source->kind), "failed: ", 8) != 0)
            continue;
        read_row(source, &table, &row);
        score_row(planner, &row);
    }
    table_close(&table);
    return true;
}

/* The ACCURACY section's sentences on them. */
static int manual_differs(void)
{
    char words[160];
    gp_format(words, sizeof(words),
              "Of %d published starts that failed, %d give enough detail to plan them. None of "
              "these plans fits,",
              score.rows + score.needs + score.little, score.rows);
    return manual_lacks(words);
}

int main(int argc, char **argv)
{
    struct planner *planner = table_planner();
    bool any = false;
    printf("starts that failed, and what the plan says\n");
    for (size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++)
        any = score_file(planner, &sources[i], argc, argv) || any;
    planner_free(planner);
    if (!any)
        return 77;
    printf("%d starts asked: %d right, %d wrong cause, %d called a fit; %d needs asked: %d "
           "right; %d rows state too little\n",
           score.rows, score.right, score.wrong, score.fit, score.needs, score.needs_right,
           score.little);
    return manual_differs() || score.right != score.rows || score.needs_right != score.needs;
}
