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
    double requests;                /* answered in the time that the page tells of */
    double preempted;               /* of each of them */
    double queue_share;             /* of the TTFT; NAN = not known */
    double usage, running, waiting; /* NAN = not told */
    double full; /* requests of this load that the server's pool holds; 0 = no plan */
};

static double value_of(const struct scrape *s, enum scrape_value v)
{
    return s->given[v] ? s->value[v] : NAN;
}

static struct seen see_page(const struct scrape *s, const struct plan *plan)
{
    const struct memory *m = plan && plan->has_memory ? &plan->memory : NULL;
    double each = plan ? plan->request.prompt + plan->request.output / 2 : 0;
    struct seen out = {
        .s = s,
        .plan = plan,
        .requests =
            s->given[SCRAPE_REQUESTS] ? s->value[SCRAPE_REQUESTS] : s->histogram[SCRAPE_TTFT].n,
        .queue_share =
            scrape_mean(&s->histogram[SCRAPE_QUEUE]) / scrape_mean(&s->histogram[SCRAPE_TTFT]),
        .usage = value_of(s, SCRAPE_USAGE),
        .running = value_of(s, SCRAPE_RUNNING),
        .waiting = value_of(s, SCRAPE_WAITING),
        .full = each > 0 ? (s->given[SCRAPE_POOL] ? s->value[SCRAPE_POOL]
                            : m                   ? m->kv_cache_tokens.value
                                                  : 0) /
                               each
                         : 0,
    };

    out.preempted = out.requests > 0 ? s->value[SCRAPE_PREEMPTIONS] / out.requests : 0;
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
    bool known = v->plan && fast->gap == SPEED_KNOWN && fast->tpot.known;
    double produced = s->seconds <= 0                  ? value_of(s, SCRAPE_OUTPUT_RATE)
                      : s->given[SCRAPE_OUTPUT_TOKENS] ? s->value[SCRAPE_OUTPUT_TOKENS] / s->seconds
                                                       : NAN;
    const struct line lines[] = {
        {"running", "", v->running, known_quantity(known, fast->running), 1, 1},
        {"waiting", "", v->waiting, known_quantity(known, fast->users - fast->running), 1, 1},
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

static void record_notes(const struct scrape *s, const char *why, struct record *doc)
{
    record_list(doc, "notes");
    if (s->cut)
        record_item(doc, "notes",
                    "a page ends within a line, so it was cut off: what it lacks is not seen here");
    if (s->twice)
        record_item(doc, "notes",
                    "a series stands twice in a page, and is counted twice: two "
                    "pages in one file? --attach FIRST SECOND takes them apart");
    if (s->models)
        record_item(doc, "notes",
                    "a page is of several models, whose figures are added up: attach "
                    "each server by itself");
    if (s->seconds <= 0)
        record_item(doc, "notes",
                    "one page: its means are since the server started; a second one gives rates");
    if (s->histogram[SCRAPE_TTFT].n <= 0 && s->given[SCRAPE_PROMPT_SECONDS])
        record_item(doc, "notes",
                    "the server does not report TTFT, only how fast it works on "
                    "prompts, and of TPOT only the mean");
    if (why[0])
        record_item(doc, "notes", why);
}

static void record_plan_of(const struct plan *p, struct record *doc)
{
    struct texts texts = {0};

    record_text(doc, "model", p ? p->request.model->id : "");
    record_text(doc, "gpu", p ? p->request.gpu->id : "");
    record_positive(doc, "gpus", "", p ? p->layout.gpus : 0);
    record_text(doc, "layout", p ? sentence_layout(&p->layout, &texts) : "");
    record_positive(doc, "users", "", p ? p->request.users : 0);
    record_positive(doc, "prompt", "tokens", p ? round(p->request.prompt) : 0);
    record_positive(doc, "output", "tokens", p ? round(p->request.output) : 0);
    record_text(doc, "verdict", p ? verdict_word(p->verdict) : "");
    texts_fini(&texts);
}

void attach(const char *file, const struct scrape *s, struct planner *planner,
            const struct answer *answer, const char *why, struct record *doc)
{
    struct seen v = see_page(s, answer ? &answer->plan : NULL);
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
    record_plan_of(v.plan, doc);
    record_rows_of(&v, doc);
    record_notes(s, why, doc);
}

/* ---- text ---- */

static void print_if(const struct record *doc, const char *name, const char *before,
                     struct strbuf *out)
{
    const char *text = record_get(doc, name);

    if (text[0])
        strbuf_addf(out, "%s%s\n", before, text);
}

static double count_of(const struct record *doc, const char *name)
{
    const struct fact *f = record_find(doc, name);

    return f && f->known ? f->number.value : 0;
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
                    record_get(doc, "model"), count_of(doc, "gpus"), record_get(doc, "gpu"),
                    record_get(doc, "layout"), record_get(doc, "engine"), count_of(doc, "users"),
                    count_of(doc, "prompt"), count_of(doc, "output"), record_get(doc, "verdict"));
    if (rows && rows->record_count > 0) {
        strbuf_add(out, "\n");
        record_table(rows->records, rows->record_count, NULL, RECORD_TEXT, out);
    }
    for (size_t i = 0; notes && i < notes->record_count; i++)
        strbuf_addf(out, "%snote: %s\n", i == 0 ? "\n" : "", record_get(&notes->records[i], ""));
}

/* ---- the request ---- */

static enum gp_status set_mean(struct options *o, enum option_id id, const char *where,
                               const struct scrape_histogram *h, struct gp_err *err)
{
    double mean = scrape_mean(h);

    if (o->value[id].given || !(mean >= 1) || mean > 1e9)
        return GP_OK;
    return options_number(o, id, where, round(mean), err);
}

/* The GPUs of a server that runs are known: one where no count is given, none is searched for. */
static enum gp_status fix_gpu(const struct options *given, struct attach_options *out,
                              struct gp_err *err)
{
    const char *gpu = given->gpu_count > 0 ? given->gpus[0] : "";

    for (int i = OPT_TP; i <= OPT_REPLICAS; i++)
        if (given->value[i].given)
            return GP_OK;
    out->one = !strchr(gpu, ':');
    if (!out->one || !gpu[0])
        return GP_OK;
    gp_format(out->gpu, sizeof(out->gpu), "%.100s:1", gpu);
    out->options.gpu_count = 0;
    out->options.value[OPT_GPU].given = false;
    return options_text(&out->options, OPT_GPU, "--gpu", out->gpu, err);
}

enum gp_status attach_request(const struct scrape *s, const struct options *given,
                              struct attach_options *request, struct gp_err *err)
{
    struct options *out = &request->options;
    double users = fmin(s->value[SCRAPE_RUNNING] + s->value[SCRAPE_WAITING], 1e6);
    enum gp_status rc;

    *out = *given;
    rc = fix_gpu(given, request, err);
    if (!rc && out->model_count == 0 && s->model[0])
        rc = options_text(out, OPT_MODEL, "model_name", s->model, err);
    if (!rc && !given->value[OPT_ENGINE].given)
        rc = options_text(out, OPT_ENGINE, "--engine", s->engine, err);
    if (!rc && users >= 1 && !given->value[OPT_USERS].given && !given->value[OPT_RATE].given)
        rc = options_number(out, OPT_USERS, "--users", round(users), err);
    if (!rc)
        rc = set_mean(out, OPT_PROMPT, "--prompt", &s->histogram[SCRAPE_PROMPT], err);
    return rc ? rc
              : set_mean(out, OPT_OUTPUT, "--output-tokens", &s->histogram[SCRAPE_OUTPUT], err);
}
