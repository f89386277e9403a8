/*
 * report_page.c - see report_page.h.
 */
#include "answer/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answer/answer_lines.h"
#include "answer/compare_run.h"
#include "answer/curves.h"
#include "answer/figures.h"
#include "answer/planner.h"
#include "answer/print_plan.h"
#include "answer/report.h"
#include "answer/sentence.h"
#include "base/mem.h"
#include "base/units.h"

#define ALTERNATIVES 15
#define MEMORY_CURVES 2

struct report_page {
    struct planner *planner;
    bool train;
    struct train_answer trained; /* of --train; else: */
    struct answer answer;
    struct comparison *comparison; /* NULL: why says why not; owned */
    char why[GP_ERR_LINE];
    struct load_curve load;
    int loads; /* curves of it that are shown: 0 without a memory */
    struct {   /* those of memory: by context, by users */
        struct plot plot;
        char words[CURVE_WORDS];
    } memory[MEMORY_CURVES];
    int memories; /* done */
    struct measured_rows measured;
    struct strbuf command;
};

/* ---- beginning ---- */

static enum gp_status begin_plan(struct report_page *p, const struct options *options,
                                 const struct answer *answer, struct gp_err *err)
{
    struct gp_err none = {0};
    enum gp_status rc = GP_OK;

    if (answer)
        p->answer = *answer;
    else
        rc = planner_answer(p->planner, options, &p->answer, err);
    if (!rc && !answer)
        rc = planner_betters(p->planner, &p->answer, err);
    if (!rc)
        rc = measured_rows_read(&p->answer, &p->measured, err);
    if (rc)
        return rc;
    if (comparison_begin_all(p->planner, options, &p->comparison, &none)) {
        p->comparison = NULL;
        gp_err_line(&none, p->why);
    }
    p->loads = p->answer.plan.has_memory ? LOAD_KIND_COUNT : 0;
    if (p->loads > 0)
        load_curve_begin(&p->answer, NAN, NAN, &p->load);
    return GP_OK;
}

enum gp_status report_page_begin(struct planner *planner, const struct options *options,
                                 const struct answer *answer, struct report_page **out,
                                 struct gp_err *err)
{
    struct report_page *p = gp_calloc(1, sizeof(*p));

    p->planner = planner;
    p->train = options->value[OPT_TRAIN].given;
    strbuf_init(&p->command);
    options_command(options, "plan", "", &p->command);
    enum gp_status rc = p->train ? planner_train(planner, options, &p->trained, err)
                                 : begin_plan(p, options, answer, err);
    if (rc) {
        report_page_free(p);
        return rc;
    }
    *out = p;
    return GP_OK;
}

bool report_page_step(struct report_page *p, int plans)
{
    static const char *const titles[] = {"Memory of one GPU, against context",
                                         "Memory of one GPU, against users"};

    if (p->comparison && comparison_step(p->comparison, (size_t)plans))
        return true;
    if (p->loads > 0 && load_curve_step(&p->load, plans))
        return true;
    if (p->loads > 0 && p->memories < MEMORY_CURVES) {
        struct memory_curve *curve = gp_calloc(1, sizeof(*curve));
        struct plot *plot = &p->memory[p->memories].plot;

        plot_init(plot);
        memory_curve(curve, &p->answer.plan, (enum sweep)p->memories, NAN, NAN, plot,
                     p->memory[p->memories].words);
        gp_copy(plot->title, sizeof(plot->title), titles[p->memories++]);
        free(curve);
    }
    return p->loads > 0 && p->memories < MEMORY_CURVES;
}

const char *report_page_trouble(const struct report_page *page)
{
    return page->why;
}

bool report_page_fits(const struct report_page *p)
{
    if (p->train)
        return p->trained.memory.verdict != VERDICT_DOES_NOT_FIT;
    return reasons_pass(p->answer.plan.reasons);
}

void report_page_free(struct report_page *p)
{
    if (!p)
        return;
    comparison_free(p->comparison);
    for (int i = 0; i < p->memories; i++)
        plot_fini(&p->memory[i].plot);
    strbuf_fini(&p->command);
    free(p);
}

/* ---- the answer ---- */

static enum document_tone tone_of(const struct report_page *p)
{
    enum verdict v = p->train ? p->trained.memory.verdict : p->answer.plan.verdict;

    return v == VERDICT_FITS ? DOCUMENT_GOOD : report_page_fits(p) ? DOCUMENT_PLAIN : DOCUMENT_BAD;
}

/* Lines of one kind, each with `before`: "warning: ...". */
static void add_lines(const struct report_page *p, enum line_kind kind, const char *before,
                      enum document_tone tone, struct document *d)
{
    struct answer_lines lines;

    answer_lines(&p->answer.plan, &p->answer, kind, &lines);
    for (int i = 0; i < lines.count; i++) {
        const struct answer_line *line = &lines.list[i];

        document_line(d, tone,
                      texts_addf(&lines.texts, "%s%s%s%s%s%s", before, line->name,
                                 line->name[0] ? ": " : "", line->text, line->note[0] ? "; " : "",
                                 line->note));
    }
    answer_lines_fini(&lines);
}

enum { TILES = 8 };

/* The tiles of a plan, as they come. */
struct tiles {
    struct document_tile list[TILES];
    int count;
    struct texts texts;
};

static void tile_add(struct tiles *t, const char *value, const char *label, const char *note)
{
    t->list[t->count++] = (struct document_tile){value, label, note};
}

/* "30.0 ms", its band and what the goal says of it. */
static void tile_time(struct tiles *t, const char *label, struct quantity q,
                      const struct goal *goal)
{
    const char *note = figure_band(AS_TIME, q, &t->texts);

    if (goal->asked > 0)
        note = texts_addf(&t->texts, "%s; goal %s %s", note, UNITS_PLAIN(goal->asked * 1e3, 4),
                          goal_word(goal->state));
    tile_add(t, figure_amount(AS_TIME, q, &t->texts), label, note);
}

/* What a reader wants to know first, each figure with its label. */
static void add_tiles(const struct plan *plan, struct document *d)
{
    const struct memory *m = &plan->memory;
    struct quantity hour = figure_value(plan, FIGURE_HOUR);
    bool pooling = plan->request.model->pooling;
    struct quantity million = figure_value(plan, FIGURE_MILLION);
    struct tiles tiles = {.count = 0};
    struct texts *t = &tiles.texts;
    double margin = plan_margin(plan);

    tile_add(&tiles, texts_addf(t, "%d", plan->layout.gpus),
             plan->layout.gpus == 1 ? "GPU" : "GPUs", sentence_layout(&plan->layout, t));
    if (margin >= 0 && hour.known)
        tile_add(&tiles, texts_addf(t, "%s/h", UNITS_MONEY(hour.value)), "cost",
                 texts_addf(t, "%s a month", UNITS_MONEY(figure_value(plan, FIGURE_MONTH).value)));
    if (margin >= 0 && million.known)
        tile_add(&tiles, figure_amount(AS_MONEY, million, t),
                 pooling ? "per million prompt tokens" : "per million output tokens", "");
    if (plan->speed.gap == SPEED_KNOWN) {
        struct goal goals[SPEED_GOALS];

        goals_of(&plan->request, &plan->speed, goals);
        if (!pooling)
            tile_time(&tiles, "TPOT, from token to token", plan->speed.tpot,
                      &goals[SPEED_GOAL_TPOT]);
        tile_time(&tiles, pooling ? "a prompt" : "TTFT, to the first token", plan->speed.ttft,
                  &goals[SPEED_GOAL_TTFT]);
        if (plan->speed.percentile[LATE_TTFT_P99].known)
            tile_time(&tiles, "TTFT in 99 of 100", plan->speed.percentile[LATE_TTFT_P99],
                      &goals[SPEED_GOAL_LATE + LATE_TTFT_P99]);
    }
    if (m->budget.value > 0)
        tile_add(
            &tiles, texts_addf(t, "%.0f %%", 100 * (1 - margin / m->budget.value)),
            "of each GPU's memory budget",
            texts_addf(t, "%.2f GiB %s", fabs(margin) / GP_GIB, margin < 0 ? "short" : "to spare"));
    if (m->max_concurrency.known && margin >= 0)
        tile_add(
            &tiles, texts_add(t, UNITS_TOKENS(compare_capacity(plan))), "requests held at once",
            texts_addf(t, "of %s tokens each", UNITS_TOKENS(memory_end_tokens(&plan->request))));
    document_tiles(d, tiles.list, tiles.count);
    texts_fini(t);
}

/* One GPU's budget: the parts that the screens' bar has. */
static void add_bar(const struct plan *plan, struct document *d)
{
    const struct memory *m = &plan->memory;
    double margin = plan_margin(plan), whole = m->budget.value - fmin(margin, 0);
    double spare = m->kv_pool.value - m->kv_reserved.value;
    const struct {
        const char *name;
        double bytes;
        int role;
    } all[] = {
        {"weights", m->weights.value, PLOT_WEIGHTS},
        {"KV cache", m->kv_reserved.value, PLOT_KV},
        {"activation", m->activation.value, PLOT_ACTIVATION},
        {"runtime",
         m->budget.value - spare - m->weights.value - m->kv_reserved.value - m->activation.value,
         PLOT_RUNTIME},
        {"others", spare - margin, PLOT_DIM},
        {"to spare", margin, -1}};
    struct document_part part[sizeof(all) / sizeof(all[0])];
    int n = 0;

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        if (all[i].bytes > 1 && whole > 0) {
            part[n].share = all[i].bytes / whole;
            part[n].role = all[i].role;
            gp_format(part[n].text, sizeof(part[n].text), "%s %.1f GiB", all[i].name,
                      all[i].bytes / GP_GIB);
            n++;
        }
    document_bar(d, part, n);
}

static void add_answer(const struct report_page *p, struct document *d)
{
    const struct plan *plan = &p->answer.plan;
    char text[160];

    gp_format(text, sizeof(text), " on %d x %s", plan->layout.gpus, plan->request.gpu->name);
    document_answer(d, tone_of(p), plan_verdict_words(plan)->shout, text);
    if (plan->has_memory) {
        add_tiles(plan, d);
        add_bar(plan, d);
    }
    add_lines(p, LINE_MODEL, "", DOCUMENT_PLAIN, d);
    add_lines(p, LINE_LOAD, "", DOCUMENT_PLAIN, d);
    add_lines(p, LINE_LAYOUT, "", DOCUMENT_PLAIN, d);
    add_lines(p, LINE_GPU_FROM, "", DOCUMENT_PLAIN, d);
    add_lines(p, LINE_REASON, "", DOCUMENT_PLAIN, d);
    add_lines(p, LINE_STARTUP, "", DOCUMENT_PLAIN, d);
    add_lines(p, LINE_WARNING, "warning: ", DOCUMENT_PLAIN, d);
}

/* The values that are, or are not, in GiB. */
static void add_rows(const struct record *all, bool memory, struct document *d)
{
    struct record some = *all;
    struct table table;

    some.facts = gp_calloc(all->count + 1, sizeof(*some.facts));
    some.count = 0;
    for (size_t i = 0; i < all->count; i++)
        if ((strcmp(all->facts[i].unit, "GiB") == 0) == memory) {
            some.facts[some.count] = all->facts[i];
            some.facts[some.count++].decimals = memory ? 2 : all->facts[i].decimals;
        }
    record_rows_table(&some, &table);
    document_table(d, &table);
    table_fini(&table);
    free(some.facts); /* what they point to is that of `all` */
}

static void add_values(const struct report_page *p, struct document *d)
{
    struct record rows = {0};

    if (p->train)
        report_train_rows(&p->trained, &rows);
    else
        print_plan_rows(&p->answer, &rows);
    document_heading(d, "Layout, speed and cost");
    add_rows(&rows, false, d);
    document_heading(d, "Memory of one GPU");
    add_rows(&rows, true, d);
    record_fini(&rows);
}

static void add_fixes(const struct report_page *p, struct document *d)
{
    static const struct table_column columns[] = {
        {"change", TABLE_LEFT}, {"options", TABLE_LEFT}, {"what it gives", TABLE_LEFT}};
    struct answer_lines lines;
    struct table table;

    answer_lines(&p->answer.plan, &p->answer, LINE_FIX, &lines);
    if (lines.count > 0) {
        document_heading(d, "Ways to change it, each one planned");
        table_init(&table, columns, 3);
        for (int i = 0; i < lines.count; i++) {
            table_cell(&table, lines.list[i].text);
            table_cell(&table, lines.list[i].option);
            table_cell(&table, lines.list[i].amount);
        }
        document_table(d, &table);
        table_fini(&table);
    }
    answer_lines_fini(&lines);
}

/* ---- alternatives ---- */

static const struct {
    const char *fact, *title;
    enum table_align align;
} alternatives[] = {{"front", "*", TABLE_LEFT},
                    {"gpu", "GPU", TABLE_LEFT},
                    {"precision", "format", TABLE_LEFT},
                    {"gpus", "GPUs", TABLE_RIGHT},
                    {"tp", "TP", TABLE_RIGHT},
                    {"pp", "PP", TABLE_RIGHT},
                    {"verdict", "verdict", TABLE_LEFT},
                    {"tpot", "TPOT ms", TABLE_RIGHT},
                    {"output_tokens_per_s", "tokens/s", TABLE_RIGHT},
                    {"per_hour", "$/h", TABLE_RIGHT},
                    {"per_million_output_tokens", "$/M out", TABLE_RIGHT},
                    {"holds", "requests held", TABLE_RIGHT},
                    {"price_date", "price of", TABLE_RIGHT}};
#define ALTERNATIVE_COLUMNS (sizeof(alternatives) / sizeof(alternatives[0]))
/* PP, verdict, tokens/s, requests held and the date: not on a phone */
#define ALTERNATIVE_MINOR (1u << 5 | 1u << 6 | 1u << 8 | 1u << 11 | 1u << 12)

static void alternative_row(const struct report_page *p, const struct compared *row, bool own,
                            struct table *table)
{
    struct record facts = {0};
    struct strbuf cell = STRBUF_EMPTY;

    comparison_facts(p->comparison, row, &facts);
    for (size_t i = 0; i < ALTERNATIVE_COLUMNS; i++) {
        const struct fact *f = figure_find(&facts, alternatives[i].fact);

        strbuf_clear(&cell);
        if (own && i == 0)
            strbuf_add(&cell, "=");
        else if (f && strcmp(f->name, "verdict") == 0)
            strbuf_add(&cell, verdict_words[row->plan.verdict].brief);
        else if (f)
            record_cell(f, &cell);
        table_cell(table, cell.text);
    }
    strbuf_fini(&cell);
    record_fini(&facts);
}

/* The plan itself first, then the best in the order of --compare. */
static void add_alternatives(const struct report_page *p, struct document *d)
{
    const struct request *q = &p->answer.plan.request;
    struct compared own = {p->answer.plan, false};
    struct table_column columns[ALTERNATIVE_COLUMNS];
    struct table table;
    int shown = 0;

    document_heading(d, "Alternatives: the same load on other GPUs and in other formats");
    if (!p->comparison) {
        document_line(d, DOCUMENT_PLAIN, p->why);
        return;
    }
    for (size_t i = 0; i < ALTERNATIVE_COLUMNS; i++)
        columns[i] = (struct table_column){alternatives[i].title, alternatives[i].align};
    table_init(&table, columns, ALTERNATIVE_COLUMNS);
    alternative_row(p, &own, true, &table);
    for (size_t i = 0; i < comparison_done(p->comparison) && shown < ALTERNATIVES; i++) {
        const struct compared *row = comparison_row(p->comparison, i);
        const struct plan *plan = &row->plan;
        bool same = plan->request.gpu == q->gpu && plan->layout.gpus == own.plan.layout.gpus &&
                    strcmp(plan->request.precision.id, q->precision.id) == 0;

        if (plan->verdict == VERDICT_DOES_NOT_FIT || same)
            continue;
        alternative_row(p, row, false, &table);
        shown++;
    }
    document_table_wide(d, &table, ALTERNATIVE_MINOR);
    table_fini(&table);
    document_line(d, DOCUMENT_SMALL,
                  "= the plan, * on the front of gpuplan --compare; ~ estimated, ? assumed, - "
                  "unknown. The fewest GPUs of each kind that fit and reach the goals.");
}

/* ---- curves ---- */

static void add_load_curves(const struct report_page *p, struct plot *plot, struct document *d)
{
    static const char *const titles[LOAD_KIND_COUNT] = {
        "Output tokens per second, against users", "Time per output token, against users",
        "Time to first token, against users", "Cost per million output tokens, against users"};
    char words[CURVE_WORDS];

    for (int i = 0; i < p->loads; i++) {
        plot_clear(plot);
        if (!load_curve_plot(&p->load, (enum load_kind)i, plot, words))
            continue;
        gp_copy(plot->title, sizeof(plot->title), titles[i]);
        document_plot(d, plot, words);
    }
}

static void add_curves(const struct report_page *p, struct document *d)
{
    const struct plan *plan = &p->answer.plan;
    struct roof_curve roof;
    struct plot plot;
    char words[CURVE_WORDS];

    if (p->loads == 0)
        return;
    document_heading(d, "Curves: of the plan's layout, bands shaded");
    plot_init(&plot);
    add_load_curves(p, &plot, d);
    for (int i = 0; i < p->memories; i++)
        if (p->memory[i].plot.count > 0)
            document_plot(d, &p->memory[i].plot, p->memory[i].words);
    plot_clear(&plot);
    if (p->comparison && compare_plot(p->comparison, plan, &plot, words)) {
        gp_copy(plot.title, sizeof(plot.title), "All GPUs and formats, and the front");
        document_plot(d, &plot, words);
    }
    plot_clear(&plot); /* the products of the plan: under the roof, and by tokens at once */
    if (roof_curve(&roof, plan, NAN, NAN, &plot, words))
        document_plot(d, &plot, words);
    plot_clear(&plot);
    if (roof_curve_by_batch(plan, NAN, NAN, &plot)) {
        gp_copy(plot.title, sizeof(plot.title), "Matrix products, by tokens at once");
        document_plot(d, &plot,
                      "predicted, of one GPU: gpuplan --confirm measures them where the GPU is");
    }
    plot_fini(&plot);
}

/* ---- measured, sources ---- */

/* Times of a server, products of --bench. */
static void add_measured_plots(const struct report_page *p, struct document *d)
{
    static const char *const times[] = {"TPOT", "TTFT"};
    const struct gpu *gpu = p->answer.plan.request.gpu, *sheet = NULL;
    struct plot plot;
    char words[CURVE_WORDS];

    plot_init(&plot);
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        plot_clear(&plot);
        if (measured_plot_times(&p->answer, &p->measured, times[i], &plot, words))
            document_plot(d, &plot, words);
    }
    plot_clear(&plot);
    if (gpu->host || catalog_gpu(planner_catalog(p->planner), gpu->id, &sheet, NULL))
        sheet = NULL;
    if (measured_plot_products(&p->answer, sheet, &plot, words))
        document_plot(d, &plot, words);
    plot_fini(&plot);
}

static void add_measured(const struct report_page *p, struct document *d)
{
    bool calibrated = p->answer.resolved.calibrated[0] != '\0';
    struct table table;

    document_heading(d, "Measured against predicted");
    if (calibrated)
        document_line(d, DOCUMENT_PLAIN, p->answer.resolved.calibrated);
    else if (p->measured.count == 0)
        document_line(d, DOCUMENT_PLAIN,
                      "Nothing is measured: every figure is counted or estimated. gpuplan "
                      "--bench measures these GPUs; --calibration FILE takes what a server's "
                      "own benchmark measured.");
    if (p->measured.count > 0)
        document_line(d, DOCUMENT_PLAIN, p->measured.words);
    add_measured_plots(p, d);
    if (p->measured.count == 0)
        return;
    measured_rows_table(&p->measured, &table);
    document_table(d, &table);
    table_fini(&table);
}

static void add_sources(const struct report_page *p, struct document *d)
{
    time_t now = (time_t)planner_today(p->planner) * 86400;
    struct tm day;
    char text[96], date[16];

    gmtime_r(&now, &day);
    strftime(date, sizeof(date), "%Y-%m-%d", &day);
    document_heading(d, "Sources and dates");
    if (!p->train) {
        add_lines(p, LINE_SOURCE, "", DOCUMENT_SMALL, d);
        add_lines(p, LINE_DATES, "", DOCUMENT_SMALL, d);
    } else {
        document_line(d, DOCUMENT_SMALL, p->trained.resolved.request.gpu->source);
        document_line(d, DOCUMENT_SMALL, p->trained.resolved.request.model->source);
    }
    gp_format(text, sizeof(text), "gpuplan %s, %s. The same answer:", GP_VERSION, date);
    document_line(d, DOCUMENT_SMALL, text);
    document_line(d, DOCUMENT_CODE, p->command.text);
}

/* ---- training ---- */

static void add_train_answer(const struct report_page *p, struct document *d)
{
    const struct train_answer *a = &p->trained;
    const struct request *q = &a->resolved.request;
    const struct train *train = &a->memory.train;
    struct quantity hour = figure_value(&a->priced, FIGURE_HOUR);
    struct texts texts = {0};
    const char *text = texts_addf(&texts, " on %d x %s", train->gpus, q->gpu->name);

    if (a->priced.has_memory && hour.known)
        text = texts_addf(&texts, "%s, %s/h", text, UNITS_MONEY(hour.value));
    document_answer(d, tone_of(p), verdict_words[a->memory.verdict].shout, text);
    document_line(
        d, DOCUMENT_PLAIN,
        texts_addf(&texts, "%s parameters trained by %s with %s, %.0f x %.0f tokens per GPU",
                   UNITS_PARAMS(a->memory.trainable), train_method_word(train->method),
                   train_optimizer_word(train->optimizer), train->micro_batch, train->sequence));
    for (int i = 0; (text = sentence_train_reason(q, &a->memory, i, &texts)); i++)
        document_line(d, DOCUMENT_PLAIN, text);
    for (int i = 0; (text = sentence_train_warning(q, &a->memory, i, &texts)); i++)
        document_line(d, DOCUMENT_PLAIN, text);
    texts_fini(&texts);
}

static void add_train_fixes(const struct report_page *p, struct document *d)
{
    static const struct table_column columns[] = {{"change", TABLE_LEFT},
                                                  {"options", TABLE_LEFT},
                                                  {"GPUs", TABLE_RIGHT},
                                                  {"$/h", TABLE_RIGHT}};
    const struct train_answer *a = &p->trained;
    const struct request *q = &a->resolved.request;
    struct texts texts = {0};
    struct table table;

    if (a->fix_count == 0 || a->memory.verdict == VERDICT_FITS)
        return;
    document_heading(d, "What would fit, each one planned");
    table_init(&table, columns, 4);
    for (int i = 0; i < a->fix_count; i++) {
        table_cell(&table, sentence_train_fix(q, &a->fixes[i], &texts));
        table_cell(&table, sentence_train_options(q, &a->fixes[i], &texts));
        table_cellf(&table, "%d", a->fixes[i].gpus);
        table_cellf(&table, a->fixes[i].per_hour > 0 ? "%.2f" : "-", a->fixes[i].per_hour);
    }
    document_table(d, &table);
    table_fini(&table);
    texts_fini(&texts);
}

/* ---- all of it ---- */

void report_page_write(const struct report_page *p, struct strbuf *out)
{
    const struct request *q = p->train ? &p->trained.resolved.request : &p->answer.plan.request;
    struct document d;
    char title[320];

    gp_format(title, sizeof(title), "%s %s on %s", p->train ? "Fine-tuning" : "Serving",
              q->model->name, q->gpu->name);
    document_init(&d, title);
    if (p->train) {
        add_train_answer(p, &d);
        add_values(p, &d);
        add_train_fixes(p, &d);
    } else {
        add_answer(p, &d);
        add_fixes(p, &d);
        add_alternatives(p, &d);
        add_curves(p, &d);
        add_values(p, &d);
        add_measured(p, &d);
    }
    add_sources(p, &d);
    document_end(&d, out);
    document_fini(&d);
}
