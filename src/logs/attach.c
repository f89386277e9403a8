/*
 * attach.c - see attach.h.
 */
#include "logs/attach.h"

#include <math.h>
#include <string.h>

#include "answer/launch.h"
#include "answer/record.h"
#include "answer/sentence.h"

#define FULL 0.9 /* of the pool: the next requests wait for it */
#define EMPTY 0.3
#define OFTEN 0.01 /* preemptions of a request */
#define QUEUED 0.5 /* of the TTFT */

/* ---- what is seen ---- */

struct seen {
    const struct scrape *s;
    const struct plan *plan;        /* NULL = none */
    double users;                   /* requests in flight; the plan may be of fewer */
    double requests;                /* answered in the time that the page tells of */
    double preempted;               /* of each of them */
    double queue_share;             /* of the TTFT; NAN = not known */
    double usage, running, waiting; /* NAN = not told */
    double full; /* requests of this load that the server's pool holds; 0 = not known */
};

static double value_of(const struct scrape *s, enum scrape_value v)
{
    return s->given[v] ? s->value[v] : NAN;
}

/* What fills the pool bounds what the lengths make of it: requests differ, and prefixes are
 * shared. A nearly empty pool says too little of how many more it holds. */
static double pool_holds(const struct seen *v, double by_lengths)
{
    double by_fill = v->running > 0 && v->usage > 0 ? v->running / v->usage : 0;

    if (by_fill <= 0 || by_lengths <= 0)
        return fmax(by_fill, by_lengths);
    return v->usage >= EMPTY && v->usage < FULL ? by_fill : fmin(by_fill, by_lengths);
}

static struct seen see_page(const struct scrape *s, const struct plan *plan, double users)
{
    const struct memory *m = plan && plan->has_memory ? &plan->memory : NULL;
    double each = plan ? plan->request.prompt + plan->request.output / 2 : 0;
    double pool = s->given[SCRAPE_POOL] ? s->value[SCRAPE_POOL] : m ? m->kv_cache_tokens.value : 0;
    struct seen out = {
        .s = s,
        .plan = plan,
        .users = users,
        .requests =
            s->given[SCRAPE_REQUESTS] ? s->value[SCRAPE_REQUESTS] : s->histogram[SCRAPE_TTFT].n,
        .queue_share =
            scrape_mean(&s->histogram[SCRAPE_QUEUE]) / scrape_mean(&s->histogram[SCRAPE_TTFT]),
        .usage = value_of(s, SCRAPE_USAGE),
        .running = value_of(s, SCRAPE_RUNNING),
        .waiting = value_of(s, SCRAPE_WAITING),
    };

    out.preempted = out.requests > 0 ? s->value[SCRAPE_PREEMPTIONS] / out.requests : 0;
    out.full = pool_holds(&out, each > 0 ? pool / each : 0);
    return out;
}

/* ---- rules ---- */

static bool is_beyond(double seen, const struct quantity *predicted)
{
    return predicted->known && seen > predicted->high;
}

/* s: the histogram's mean; of llama.cpp seconds over tokens. NAN: not told. */
static double mean_tpot(const struct scrape *s)
{
    double tokens = s->value[SCRAPE_OUTPUT_TOKENS];

    if (s->histogram[SCRAPE_TPOT].n > 0)
        return scrape_mean(&s->histogram[SCRAPE_TPOT]);
    return s->given[SCRAPE_OUTPUT_SECONDS] && tokens > 0 ? s->value[SCRAPE_OUTPUT_SECONDS] / tokens
                                                         : NAN;
}

/* Prompt tokens per second of the time in which prompts were worked on: llama.cpp's. */
static double prompt_rate(const struct scrape *s)
{
    double seconds = s->given[SCRAPE_PROMPT_SECONDS] ? s->value[SCRAPE_PROMPT_SECONDS] : 0;

    return seconds > 0 ? s->value[SCRAPE_PROMPT_TOKENS] / seconds : NAN;
}

/* The same of a plan: a prompt on an idle engine. */
static struct quantity planned_rate(const struct plan *p)
{
    struct quantity solo = p->speed.solo;

    if (!solo.known || !(solo.low > 0))
        return quantity_unknown();
    return quantity_band(p->request.prompt / solo.value, p->request.prompt / solo.high,
                         p->request.prompt / solo.low, solo.origin);
}

/* What binds. The option that carries the next change: enum launch_setting, or -1. */
struct rule {
    bool holds;
    const char *binds, *says, *next;
    int setting;
    bool slots; /* the option's value: requests of this load that the pool holds */
};

/* The first rule that holds is told. */
static struct rule find_rule(const struct seen *v)
{
    const struct plan *p = v->plan;
    bool waits = v->waiting > 0, full = v->usage >= FULL;
    struct quantity rate = p ? planned_rate(p) : quantity_unknown();
    const struct rule rules[] = {
        {v->preempted > OFTEN, "kv-preempts",
         "requests are preempted and computed again: more run than the KV pool holds",
         "run no more than the pool holds, or make KV smaller", LAUNCH_SEQS, true},
        {full && waits, "kv-pool", "the KV pool is full and requests wait for it",
         "KV in FP8 holds twice the tokens; then a larger share of memory, or one more replica",
         LAUNCH_KV, false},
        {waits && !full && p && p->has_memory && v->running >= 0.95 * p->memory.max_num_seqs,
         "slots", "every slot is taken while the KV pool has room",
         "more slots, as many as the pool holds", LAUNCH_SEQS, true},
        {waits || v->queue_share > QUEUED, "queue", "requests wait in the queue",
         "larger steps finish prompts sooner; then one more replica", LAUNCH_TOKENS, false},
        {p && is_beyond(mean_tpot(v->s), &p->speed.tpot), "decode",
         "output tokens take longer than planned",
         "gpuplan --bench --diagnose says whether the device is slower than its sheet", -1, false},
        {p && (is_beyond(scrape_mean(&v->s->histogram[SCRAPE_TTFT]), &p->speed.ttft) ||
               (rate.known && prompt_rate(v->s) < rate.low)),
         "prefill", "first tokens take longer than planned",
         "larger steps; the prefix cache, where prompts share their beginning", LAUNCH_TOKENS,
         false},
        {v->running == 0 && !waits, "nothing", "nothing runs now", "", -1, false},
        {v->usage < EMPTY && !waits && v->running > 0, "load",
         "nothing binds: the KV pool is mostly empty at this load",
         "the free pool serves more users, or a smaller GPU serves these: see --solve users", -1,
         false},
        {true, "nothing", "nothing binds at this load", "", -1, false},
    };
    size_t i = 0;

    while (!rules[i].holds)
        i++;
    return rules[i];
}

/* What the engine calls its KV cache of 8 bits: "fp8", "q8_0". */
static const char *word_of_8_bits(struct catalog *catalog, const struct launch_engine *table)
{
    const struct format *format;

    for (int i = 0; i < table->word_count; i++)
        if (table->word[i].setting == LAUNCH_KV &&
            catalog_format(catalog, table->word[i].value, &format, NULL) == GP_OK &&
            floor(format->bits) == 8)
            return table->word[i].word;
    return "";
}

/* "--max-num-seqs 180": as the engine is told. */
static void flag_of(const struct rule *rule, const struct seen *v, struct planner *planner,
                    char *text, size_t size)
{
    const struct launch_engine *table;

    text[0] = '\0';
    if (rule->setting < 0 ||
        catalog_launch(planner_catalog(planner), v->s->engine, &table, NULL) != GP_OK)
        return;
    for (int i = table->flag_count - 1; i >= 0; i--)
        if ((int)table->flag[i].setting == rule->setting && !table->flag[i].constant[0])
            gp_copy(text, size, table->flag[i].flag);
    if (text[0] && rule->slots && v->full >= 1)
        gp_append(text, size, " ", "%.0f", floor(v->full));
    if (text[0] && rule->setting == LAUNCH_KV)
        gp_append(text, size, " ", "%s", word_of_8_bits(planner_catalog(planner), table));
}

/* ---- rows ---- */

struct line {
    const char *name, *unit;
    double seen; /* NAN = not told: no row */
    struct quantity predicted;
    double divide;
    int digits;
};

static struct quantity known_quantity(bool known, double value)
{
    return known && value > 0 ? quantity_of(value, ORIGIN_MODEL) : quantity_unknown();
}

static struct quantity mean_usage(const struct plan *p)
{
    const struct memory *m = &p->memory;

    if (!p->has_memory || m->kv_pool.value <= 0)
        return quantity_unknown();
    return quantity_band(fmin(m->kv_mean.value / m->kv_pool.value, 1), 0,
                         fmin(m->kv_reserved.value / m->kv_pool.value, 1), ORIGIN_MODEL);
}

static void record_rows_of(const struct seen *v, struct record *doc)
{
    static const struct plan none;
    const struct scrape *s = v->s;
    const struct plan *p = v->plan ? v->plan : &none;
    const struct scrape_histogram *ttft = &s->histogram[SCRAPE_TTFT],
                                  *tpot = &s->histogram[SCRAPE_TPOT];
    const struct speed *fast = &p->speed;
    double load = fmax(v->users, fast->users); /* what is not run at once waits */
    bool known = v->plan && fast->gap == SPEED_KNOWN && fast->tpot.known;
    double produced = s->seconds <= 0                  ? value_of(s, SCRAPE_OUTPUT_RATE)
                      : s->given[SCRAPE_OUTPUT_TOKENS] ? s->value[SCRAPE_OUTPUT_TOKENS] / s->seconds
                                                       : NAN;
    const struct line lines[] = {
        {"running", "", v->running, known_quantity(known, fast->running), 1, 1},
        {"waiting", "", v->waiting, known_quantity(known, load - fast->running), 1, 1},
        {"kv_usage", "%", v->usage, v->plan ? mean_usage(p) : quantity_unknown(), 0.01, 1},
        {"kv_cache_tokens", "", value_of(s, SCRAPE_POOL),
         p->has_memory ? p->memory.kv_cache_tokens : quantity_unknown(), 1, 0},
        {"preempted", "%", s->given[SCRAPE_PREEMPTIONS] ? v->preempted : NAN, quantity_unknown(),
         0.01, 2},
        {"ttft", "ms", scrape_mean(ttft), known ? fast->ttft : quantity_unknown(), 1e-3, 1},
        {"ttft_p50", "ms", scrape_quantile(ttft, 0.5), known_quantity(known, fast->middle), 1e-3,
         1},
        {"ttft_p95", "ms", scrape_quantile(ttft, 0.95), known_quantity(known, fast->late), 1e-3, 1},
        {"tpot", "ms", mean_tpot(s), known ? fast->tpot : quantity_unknown(), 1e-3, 2},
        {"tpot_p95", "ms", scrape_quantile(tpot, 0.95), quantity_unknown(), 1e-3, 2},
        {"prompt_tokens_per_s", "", prompt_rate(s), known ? planned_rate(p) : quantity_unknown(), 1,
         1},
        {"queue", "ms", scrape_mean(&s->histogram[SCRAPE_QUEUE]), quantity_unknown(), 1e-3, 1},
        {"output_tokens_per_s", "", produced, known ? fast->tokens : quantity_unknown(), 1, 1},
        {"requests_per_s", "", s->seconds > 0 && v->requests > 0 ? v->requests / s->seconds : NAN,
         known ? fast->requests : quantity_unknown(), 1, 3},
        {"prefix_hit", "%",
         s->value[SCRAPE_QUERIES] > 0 ? s->value[SCRAPE_HITS] / s->value[SCRAPE_QUERIES]
                                      : value_of(s, SCRAPE_HIT_RATE),
         quantity_unknown(), 0.01, 1},
    };

    record_list(doc, "rows");
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const struct line *l = &lines[i];
        struct predicted_vs_seen b = {
            l->name,      l->unit,   "seen", quantity_of(l->seen, ORIGIN_MEASURED),
            l->predicted, l->divide, 0,      l->digits};
        struct record *row;
        bool in;

        if (!isnan(l->seen))
            predicted_vs_seen_record(&b, doc, "rows", &row, &in);
    }
}

/* ---- the answer ---- */

/* What of the request the page did not say. */
static void record_assumed(const struct attach_options *q, const struct plan *p, struct record *doc)
{
    if (q->one)
        record_item(doc, "notes",
                    "one GPU is assumed; for more give --gpu GPU:COUNT and --tp, which is all of "
                    "them otherwise");
    if (q->no_prompt || q->no_output)
        record_itemf(doc, "notes",
                     "the page does not tell %s: %.0f + %.0f tokens are assumed; "
                     "give --prompt and --output-tokens",
                     !q->no_output   ? "how long prompts are"
                     : !q->no_prompt ? "how long answers are"
                                     : "how long requests are",
                     p->request.prompt, p->request.output);
    if (p->verdict == VERDICT_DOES_NOT_FIT)
        record_item(doc, "notes",
                    "by the plan this server could not start, but it runs: it differs in its "
                    "precision, GPU or memory; its start-up log says how: gpuplan --check-log");
    else if (q->verdict == VERDICT_DOES_NOT_FIT)
        record_itemf(doc, "notes",
                     "%.0f requests at once are more than the pool holds: the "
                     "figures are of the %.0f that it runs, the others wait",
                     q->users, p->request.users);
}

static void record_notes(const struct scrape *s, const char *why, const struct attach_options *q,
                         const struct plan *p, struct record *doc)
{
    const struct {
        bool holds;
        const char *says;
    } notes[] = {
        {s->cut, "a page ends within a line, so it was cut off: what it lacks is not seen here"},
        {s->twice, "a series stands twice in a page, and is counted twice: two pages in one file? "
                   "--attach FIRST SECOND takes them apart"},
        {s->models, "a page is of several models, whose figures are added up: attach each server "
                    "by itself"},
        {s->seconds <= 0,
         "one page: its means are since the server started; a second one gives rates"},
        {s->histogram[SCRAPE_TTFT].n <= 0 && s->given[SCRAPE_PROMPT_SECONDS],
         "the server does not report TTFT, only how fast it works on prompts, and of TPOT only "
         "the mean"},
    };

    record_list(doc, "notes");
    if (p)
        record_assumed(q, p, doc);
    for (size_t i = 0; i < sizeof(notes) / sizeof(notes[0]); i++)
        if (notes[i].holds)
            record_item(doc, "notes", notes[i].says);
    if (why[0])
        record_item(doc, "notes", why);
}

static void record_plan_of(const struct plan *p, const struct attach_options *q, struct record *doc)
{
    struct texts texts = {0};

    record_text(doc, "model", p ? p->request.model->id : "");
    record_text(doc, "gpu", p ? p->request.gpu->id : "");
    record_positive(doc, "gpus", "", p ? p->layout.gpus : 0);
    record_text(doc, "layout", p ? sentence_layout(&p->layout, &texts) : "");
    record_positive(doc, "users", "", p ? fmax(q->users, p->request.users) : 0);
    record_positive(doc, "compared", "", p ? p->request.users : 0);
    record_positive(doc, "prompt", "tokens", p ? round(p->request.prompt) : 0);
    record_positive(doc, "output", "tokens", p ? round(p->request.output) : 0);
    record_text(doc, "verdict", p ? verdict_word(q->verdict) : "");
    texts_fini(&texts);
}

void attach(const char *file, const struct scrape *s, struct planner *planner,
            const struct attach_options *request, const struct answer *answer, const char *why,
            struct record *doc)
{
    struct seen v = see_page(s, answer ? &answer->plan : NULL, request->users);
    struct rule rule = find_rule(&v);
    char text[160];

    record_text(doc, "schema", "gpuplan.attach/1");
    record_text(doc, "file", file);
    record_text(doc, "engine", s->engine);
    record_text(doc, "served", s->model);
    record_quantity(doc, "interval", "s",
                    s->seconds > 0 ? quantity_exact(s->seconds) : quantity_unknown(), 1, 1);
    record_text(doc, "binds", rule.binds);
    record_text(doc, "says", rule.says);
    record_text(doc, "next", rule.next);
    flag_of(&rule, &v, planner, text, sizeof(text));
    record_text(doc, "flag", text);
    const struct memory *m = v.plan && v.plan->has_memory ? &v.plan->memory : NULL;
    text[0] = '\0';
    if (m && v.usage < FULL)
        gp_format(text, sizeof(text), "%.0f %% of the KV pool, %.1f GiB per GPU, is empty now",
                  (1 - v.usage) * 100, (1 - v.usage) * m->kv_pool.value / (1 << 30));
    record_text(doc, "wasted", text);
    record_plan_of(v.plan, request, doc);
    record_rows_of(&v, doc);
    record_notes(s, why, request, v.plan, doc);
}

/* ---- text ---- */

static void print_if(const struct record *doc, const char *name, const char *before,
                     struct strbuf *out)
{
    const char *text = record_get(doc, name);

    if (text[0])
        strbuf_addf(out, "%s%s\n", before, text);
}

void attach_text(const struct record *doc, struct strbuf *out)
{
    const struct fact *rows = record_find(doc, "rows"), *notes = record_find(doc, "notes");

    strbuf_addf(out, "%s: %s\n", record_get(doc, "binds"), record_get(doc, "says"));
    print_if(doc, "next", "next: ", out);
    print_if(doc, "flag", "flag: ", out);
    print_if(doc, "wasted", "wasted: ", out);
    if (record_get(doc, "model")[0])
        strbuf_addf(out, "planned: %s on %.0f x %s, %s, %s; %.0f users of %.0f + %.0f tokens: %s\n",
                    record_get(doc, "model"), record_number(doc, "gpus"), record_get(doc, "gpu"),
                    record_get(doc, "layout"), record_get(doc, "engine"),
                    record_number(doc, "users"), record_number(doc, "prompt"),
                    record_number(doc, "output"), record_get(doc, "verdict"));
    if (rows && rows->record_count > 0) {
        strbuf_add(out, "\n");
        record_table(rows->records, rows->record_count, NULL, RECORD_TEXT, out);
    }
    for (size_t i = 0; notes && i < notes->record_count; i++)
        strbuf_addf(out, "%snote: %s\n", i == 0 ? "\n" : "", record_get(&notes->records[i], ""));
}

/* ---- the request ---- */

static enum gp_status set_number(struct options *o, enum option_id id, double value,
                                 struct gp_err *err)
{
    char where[48];

    if (o->value[id].given || !(value >= 1) || value > 1e9)
        return GP_OK;
    gp_format(where, sizeof(where), "--%s", option_rows[id].name);
    return options_number(o, id, where, round(value), err);
}

/* Tokens of a request: the histogram's mean; without one what was counted over the requests
 * that were answered. NAN: the page tells neither. */
static double mean_tokens(const struct scrape *s, enum scrape_of of, enum scrape_value total)
{
    double mean = scrape_mean(&s->histogram[of]);
    double requests = s->value[SCRAPE_REQUESTS];

    if (!isnan(mean))
        return mean;
    return s->given[total] && requests > 0 ? s->value[total] / requests : NAN;
}

static enum gp_status set_lengths(const struct scrape *s, const struct options *given,
                                  struct attach_options *request, struct gp_err *err)
{
    struct options *out = &request->options;
    double prompt = mean_tokens(s, SCRAPE_PROMPT, SCRAPE_PROMPT_TOKENS);
    double output = mean_tokens(s, SCRAPE_OUTPUT, SCRAPE_OUTPUT_TOKENS);
    double most = options_or(given, OPT_PROMPT, isnan(prompt) ? 0 : prompt) +
                  options_or(given, OPT_OUTPUT, isnan(output) ? 0 : output);
    enum gp_status rc = set_number(out, OPT_PROMPT, prompt, err);

    request->no_prompt = isnan(prompt) && !given->value[OPT_PROMPT].given;
    request->no_output = isnan(output) && !given->value[OPT_OUTPUT].given;
    if (!rc)
        rc = set_number(out, OPT_OUTPUT, output, err);
    if (!rc && most > 4096) /* of what the server holds at most the page says nothing */
        rc = set_number(out, OPT_CONTEXT, ceil(most / 4096) * 8192, err);
    return rc;
}

/* The engine cuts layers over GPUs by an option, so a server of several is TP. */
static bool has_tp(struct planner *planner, const struct options *o)
{
    const struct launch_engine *table;
    const struct engine *engine;

    return catalog_engine(planner_catalog(planner), options_word(o, OPT_ENGINE, ""), &engine,
                          NULL) == GP_OK &&
           catalog_launch(planner_catalog(planner), engine->id, &table, NULL) == GP_OK &&
           launch_flag_of(table, engine_version(engine->checked, 0), LAUNCH_TP);
}

/* A server that runs is one replica, on all GPUs that were named, without a pipeline. */
static enum gp_status set_layout(struct planner *planner, const struct options *given,
                                 struct attach_options *out, struct gp_err *err)
{
    const char *gpu = given->gpu_count > 0 ? given->gpus[0] : "";
    bool counted = strchr(gpu, ':') || gpu[strspn(gpu, "0123456789")] == 'x';
    bool tp = given->value[OPT_TP].given, pp = given->value[OPT_PP].given;
    double copies = fmax(options_or(given, OPT_REPLICAS, 1), options_or(given, OPT_DP, 1));
    double each = options_or(given, OPT_TP, 1) * options_or(given, OPT_PP, 1);
    enum gp_status rc = GP_OK;

    if (has_tp(planner, &out->options) && !pp)
        rc = set_number(&out->options, OPT_PP, 1, err);
    if (!rc && !given->value[OPT_DP].given)
        rc = set_number(&out->options, OPT_REPLICAS, 1, err);
    if (!rc && !given->value[OPT_DP].given) /* engines spread experts only when told to */
        rc = set_number(&out->options, OPT_EP, 1, err);
    if (rc || counted || !gpu[0])
        return rc;
    out->one = !tp && !pp && copies <= 1;
    gp_format(out->gpu, sizeof(out->gpu), "%.100s:%.0f", gpu, each * copies);
    out->options.gpu_count = 0;
    out->options.value[OPT_GPU].given = false;
    return options_text(&out->options, OPT_GPU, "--gpu", out->gpu, err);
}

enum gp_status attach_request(const struct scrape *s, struct planner *planner,
                              const struct options *given, struct attach_options *request,
                              struct gp_err *err)
{
    struct options *out = &request->options;
    double users = fmin(s->value[SCRAPE_RUNNING] + s->value[SCRAPE_WAITING], 1e6);
    enum gp_status rc = GP_OK;

    *out = *given;
    if (out->model_count == 0 && s->model[0])
        rc = options_text(out, OPT_MODEL, "model_name", s->model, err);
    if (!rc && !given->value[OPT_ENGINE].given)
        rc = options_text(out, OPT_ENGINE, "--engine", s->engine, err);
    if (!rc)
        rc = set_layout(planner, given, request, err);
    if (!rc && !given->value[OPT_RATE].given)
        rc = set_number(out, OPT_USERS, users, err);
    if (!rc)
        rc = set_lengths(s, given, request, err);
    request->users = options_or(out, OPT_USERS, 0);
    return rc;
}

/* The requests that an overloaded server runs at once: those seen, else what the pool holds. */
static double most_at_once(const struct scrape *s, const struct plan *p, int try)
{
    double each = p->request.prompt + p->request.output;

    return try == 0   ? s->value[SCRAPE_RUNNING]
           : try == 1 ? p->memory.kv_cache_tokens.low / each
                      : p->memory.max_concurrency.low;
}

enum gp_status attach_plan(const struct scrape *s, struct planner *planner,
                           struct attach_options *request, struct answer *answer,
                           struct gp_err *err)
{
    struct options *o = &request->options;
    enum gp_status rc = planner_answer(planner, o, answer, err);
    const struct plan *p = &answer->plan;

    if (rc)
        return rc;
    request->verdict = p->verdict;
    if (p->verdict != VERDICT_DOES_NOT_FIT || !p->has_memory || !(request->users >= 1))
        return rc;
    for (int try = 0; try < 3 && p->verdict == VERDICT_DOES_NOT_FIT && !rc; try++) {
        double users = floor(most_at_once(s, p, try));

        if (!(users >= 1) || users >= options_or(o, OPT_USERS, 0))
            continue;
        rc = options_number(o, OPT_USERS, "--users", users, err);
        if (!rc)
            rc = planner_answer(planner, o, answer, err);
    }
    return rc;
}
