/*
 * pool_record.c - see pool_record.h.
 */
#include "pool/pool_record.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "answer/report.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"

double pool_days(const struct pool_run *run)
{
    return run->c.pool.hours / 24.0;
}

const char *pool_hour_words(const struct pool_run *run, int hour, char text[16])
{
    units_hour(text, 16, run->c.pool.hours, hour);
    return text;
}

/* A column of a table for people, too. */
static void add_column(struct record *r, const char *name, const char *unit, const char *title,
                       struct quantity value, double divide, int decimals)
{
    record_quantity(r, name, unit, value, divide, decimals);
    record_title(r, title);
}

/* A text for JSON, CSV and --show alone. */
static void add_detail(struct record *r, const char *name, const char *text)
{
    record_text(r, name, text);
    record_detail(r);
}

/* 0 stands for unknown. */
static struct quantity known_or_none(double value)
{
    return value > 0 ? quantity_of(value, ORIGIN_MODEL) : quantity_unknown();
}

static struct quantity modelled_of(double value)
{
    return quantity_of(value, ORIGIN_MODEL);
}

/* ---- the pool as it was asked ---- */

static void pool_facts(const struct pool_run *run, struct record *r)
{
    const struct pool_file *f = &run->c.file;

    record_text(r, "name", f->name);
    record_text(r, "source", f->source);
    record_count(r, "hours", "", f->hours);
    record_count(r, "workloads", "", (double)f->workload_count);
    record_count(r, "jobs", "", f->job_count);
    record_count(r, "chassis_slots", "", run->c.pool.chassis_slots);
    record_count(r, "spare", "", f->spare);
    record_quantity(r, "headroom", "%", quantity_of(f->headroom, ORIGIN_EXACT), 0.01, 0);
    record_quantity(r, "electricity", "$/kWh", quantity_of(run->c.pool.electricity, ORIGIN_SHEET),
                    1, 4);
    record_count(r, "pue", "", run->c.pool.pue);
    record_quantity(r, "fabric_premium", "$", quantity_of(f->fabric.premium, ORIGIN_SHEET), 1, 0);
    record_quantity(r, "wake", "s", quantity_of(f->moves.wake, ORIGIN_SHEET), 1, 1);
    record_quantity(r, "sleeping", "GB", modelled_of(run->suspended), 1e9, 0);
    record_quantity(r, "restart", "s", quantity_of(f->moves.restart, ORIGIN_SHEET), 1, 0);
    record_quantity(r, "recompose", "s", quantity_of(f->moves.recompose, ORIGIN_SHEET), 1, 0);
    record_quantity(r, "load_rate", "GB/s", quantity_of(f->moves.load_rate, ORIGIN_SHEET), 1e9, 1);
}

static void type_facts(const struct pool_run *run, int t, struct record *r)
{
    const struct pool_case *c = &run->c;
    const struct pool_type *type = &c->types[t];

    record_text(r, "gpu", c->file.types[t].gpu);
    record_count(r, "stock", "", type->stock);
    record_count(r, "buy", "", type->buy);
    record_count(r, "server_gpus", "", type->server_gpus);
    record_flag(r, "module", type->module);
    record_quantity(r, "capital", "$", quantity_of(c->capital[t], ORIGIN_SHEET), 1, 0);
    record_quantity(r, "own", "$/h", quantity_of(type->buy_hour, ORIGIN_SHEET), 1, 3);
    record_text(r, "price", c->figure_of[t][POOL_FIGURE_PRICE]);
    record_quantity(r, "premium", "$/h", quantity_of(type->premium_hour, ORIGIN_SHEET), 1, 3);
    record_quantity(r, "cloud", "$/h",
                    type->cloud_hour > 0 ? quantity_of(type->cloud_hour, ORIGIN_SHEET)
                                         : quantity_unknown(),
                    1, 2);
    record_text(r, "offer", c->figure_of[t][POOL_FIGURE_RENT]);
    record_quantity(r, "busy", "W", quantity_of(type->busy_watts, c->watts_origin[t]), 1, 0);
    record_quantity(r, "idle", "W", quantity_of(type->idle_watts, c->watts_origin[t]), 1, 0);
    add_detail(r, "watts", c->figure_of[t][POOL_FIGURE_WATTS]);
    add_detail(r, "measured", c->replicas.measured[t]);
}

/* ---- workloads ---- */

static void workload_facts(const struct pool_run *run, int w, struct record *r)
{
    const struct pool_file_workload *work = &run->c.file.workloads[w];
    const struct pool_workload *from = &run->c.pool.workloads[w];
    int hours = run->c.pool.hours, peak_hour = 0, tp;
    double most = 0, share, gpu_hours = 0, need = 0, unmet = 0;
    char why[96], at[16];

    for (int h = 0; h < hours; h++) {
        double n = pool_run_taken(run, run->rung, w, h);

        gpu_hours += n;
        if (n > most) {
            most = n;
            peak_hour = h;
        }
        need += from->demand[h] * from->burst;
        unmet += run->answer.rungs[run->rung].unmet[w * hours + h];
    }
    unmet = need > 0 ? unmet / need : 0;
    pool_run_refusal(run, w, why, sizeof(why));
    record_text(r, "name", work->name);
    record_text(r, "model", work->model);
    record_text(r, "verdict", why[0] ? "no fit" : unmet > POOL_UNMET_LEAST ? "short" : "fits");
    add_detail(r, "why", why);
    add_detail(r, "demand", work->demand);
    add_column(r, "peak", "requests/s", "peak req/s",
               quantity_of(pool_demand_peak(work->rate, hours), ORIGIN_SHEET), 1, 2);
    add_column(r, "mean", "requests/s", "mean req/s",
               quantity_of(pool_demand_mean(work->rate, hours), ORIGIN_SHEET), 1, 2);
    add_column(r, "burst", "x", "burst", quantity_of(work->pool.burst, ORIGIN_SHEET), 1, 2);
    add_column(r, "most_gpus", "GPUs", "most GPUs", modelled_of(most), 1, 1);
    record_count(r, "at_hour", "", peak_hour);
    record_detail(r);
    record_text(r, "at", pool_hour_words(run, peak_hour, at));
    add_column(r, "gpu_hours", "GPU-h/day", "GPU-h/day", modelled_of(gpu_hours / pool_days(run)), 1,
               0);
    add_column(r, "unmet", "%", "unmet %", modelled_of(unmet), 0.01, 1);
    bool known = pool_run_penalty(run, w, &share, &tp);
    add_column(r, "fabric_loss", "%", "PCIe loss %",
               known ? modelled_of(share) : quantity_unknown(), 0.01, 0);
    record_positive(r, "fabric_loss_gpus", "", known ? tp : 0);
    record_title(r, "on GPUs");
}

void pool_layout_words(const struct pool_run *run, int candidate, struct strbuf *out)
{
    const struct pool_case *c = &run->c;
    const struct pool_candidate *one = &c->pool.candidates[candidate];
    const struct pool_replica *r = &c->replicas.row[c->replica_of[candidate]];
    const struct layout *l = pool_layout(run, candidate);

    strbuf_add(out, c->file.types[one->type].gpu);
    if (one->slice != POOL_NO_SLICE)
        strbuf_addf(out, "/%s", c->replicas.type[one->type].slice[r->slice].profile);
    if (one->gpus > 1)
        strbuf_addf(out, " x %d", one->gpus);
    if (l->tp > 1)
        strbuf_addf(out, " TP %d", l->tp);
    if (l->pp > 1)
        strbuf_addf(out, " PP %d", l->pp);
    if (l->ep > 1)
        strbuf_addf(out, " EP %d", l->ep);
    if (c->file.workloads[one->workload].open)
        strbuf_addf(out, " %s", r->precision);
}

static void record_layout(const struct pool_run *run, int candidate, struct record *r)
{
    struct strbuf text;

    strbuf_init(&text);
    pool_layout_words(run, candidate, &text);
    record_text(r, "layout", text.text);
    strbuf_fini(&text);
}

/* ---- the ladder ---- */

static const char *const causes[POOL_CAUSES] = {
    [POOL_STRANDED_SERVER] = "server",   [POOL_STRANDED_PEAKS] = "peaks",
    [POOL_STRANDED_TYPE] = "type",       [POOL_STRANDED_SLICE] = "slices",
    [POOL_STRANDED_REPLICA] = "replica", [POOL_STRANDED_HEADROOM] = "headroom",
    [POOL_STRANDED_SPARE] = "spare",     [POOL_STRANDED_START] = "start",
};

static void add_money(const struct pool_run *run, struct record *r, const char *name,
                      const char *title, double dollars)
{
    add_column(r, name, "$/day", title, modelled_of(dollars / pool_days(run)), 1, 0);
    record_style(r, STYLE_THOUSANDS);
}

/* The bound of a cost; 0: none is known. */
static void money_bound(const struct pool_run *run, struct record *r, double dollars)
{
    if (dollars > 0)
        add_money(run, r, "bound", "bound $/day", dollars);
    else
        add_column(r, "bound", "$/day", "bound $/day", quantity_unknown(), 1, 0);
}

/* An hour of a week has its day, too. */
static void record_when(const struct pool_run *run, struct record *r, int hour)
{
    char text[16];

    record_count(r, "hour", "", hour);
    if (run->c.pool.hours > 24)
        record_detail(r);
    record_text(r, "when", pool_hour_words(run, hour, text));
    if (run->c.pool.hours == 24)
        record_detail(r);
}

/* A column where there are jobs at all. */
static void jobs_undone(const struct pool_run *run, struct record *r, double gpu_hours)
{
    add_column(r, "jobs_undone", "GPU-h", "undone GPU-h", modelled_of(gpu_hours / pool_days(run)),
               1, 0);
    if (run->c.pool.job_count == 0)
        record_detail(r);
}

void pool_fleet_words(const struct pool_run *run, enum pool_rung_id id, struct strbuf *out)
{
    const int *gpus = run->answer.rungs[id].gpus;
    const char *comma = "";

    for (int t = 0; t < run->c.pool.type_count; t++) {
        if (gpus[t] == 0)
            continue;
        strbuf_addf(out, "%s%d %s", comma, gpus[t], run->c.file.types[t].gpu);
        comma = ", ";
    }
}

double pool_capital(const struct pool_run *run, enum pool_rung_id id)
{
    const struct pool *pool = &run->c.pool;
    const struct pool_rung *rung = &run->answer.rungs[id];
    double sum = 0;

    for (int t = 0; t < pool->type_count && id != POOL_CLOUD; t++) {
        double fabric = pool_composes(pool, t, id) ? run->c.file.fabric.premium : 0;
        int stock = pool->types[t].stock, bought = rung->gpus[t] - stock;

        sum += (bought > 0 ? bought : 0) * run->c.capital[t] + rung->gpus[t] * fabric;
    }
    return sum;
}

/* GPUs of a rung that are in stock. */
static int in_stock(const struct pool_run *run, enum pool_rung_id id)
{
    const struct pool_rung *rung = &run->answer.rungs[id];
    int n = 0;

    for (int t = 0; t < run->c.pool.type_count && id != POOL_CLOUD; t++) {
        int stock = run->c.types[t].stock;

        n += rung->gpus[t] < stock ? rung->gpus[t] : stock;
    }
    return n;
}

void pool_stranded_words(const struct pool_run *run, enum pool_rung_id id, struct strbuf *out)
{
    static const char *const words[POOL_CAUSES] = {
        [POOL_STRANDED_SERVER] = "left in servers",
        [POOL_STRANDED_PEAKS] = "for other hours",
        [POOL_STRANDED_TYPE] = "of types unused",
        [POOL_STRANDED_SLICE] = "left of cut GPUs",
        [POOL_STRANDED_REPLICA] = "in whole replicas",
        [POOL_STRANDED_HEADROOM] = "for bursts",
        [POOL_STRANDED_SPARE] = "spare",
        [POOL_STRANDED_START] = "starting",
    };
    const double *hours = run->answer.rungs[id].stranded;
    const char *before = "";

    for (int i = 0; i < POOL_CAUSES; i++) {
        if (hours[i] / run->c.pool.hours < 0.05)
            continue;
        strbuf_addf(out, "%s%.1f %s", before, hours[i] / run->c.pool.hours, words[i]);
        before = ", ";
    }
}

static void rung_facts(const struct pool_run *run, enum pool_rung_id id, struct record *r)
{
    const struct pool_rung *rung = &run->answer.rungs[id];
    bool bounded = pool_rung_bounded(rung);
    struct strbuf gpus;
    double stranded = 0;
    char why[96];

    record_text(r, "name", pool_rung_word(id));
    record_group(r, "main");
    add_money(run, r, "cost", "$/day", rung->total);
    money_bound(run, r, bounded ? rung->bound : 0);
    add_column(r, "gap", "%", "gap %", bounded ? modelled_of(rung->gap) : quantity_unknown(), 0.01,
               1);
    pool_run_gap(run, id, why, sizeof(why));
    add_detail(r, "gap_cause", why[0] ? why : NULL);
    record_count(r, "gpus", "", pool_run_gpus(run, id));
    record_title(r, "GPUs");
    add_column(r, "energy", "kWh/day", "kWh/day", modelled_of(rung->kwh / pool_days(run)), 1, 0);
    record_style(r, STYLE_THOUSANDS);
    add_column(r, "utilisation", "%", "busy %", modelled_of(rung->utilisation), 0.01, 0);
    add_column(r, "unmet", "%", "unmet %", modelled_of(rung->unmet_share), 0.01, 1);
    jobs_undone(run, r, rung->jobs_undone);
    record_count(r, "starts", "", rung->starts);
    record_detail(r);
    strbuf_init(&gpus);
    pool_fleet_words(run, id, &gpus);
    record_group(r, "fleet");
    add_column(r, "capital", "$", "to buy $", modelled_of(pool_capital(run, id)), 1, 0);
    record_style(r, STYLE_THOUSANDS);
    record_text(r, "gpus_by_type", gpus.text);
    record_title(r, "GPUs by type");
    strbuf_fini(&gpus);
    for (int i = 0; i < POOL_CAUSES; i++)
        stranded += rung->stranded[i];
    record_group(r, "main");
    add_column(r, "stranded", "%", "stranded %",
               rung->owned_hours > 0 ? modelled_of(stranded / rung->owned_hours)
                                     : quantity_unknown(),
               0.01, 0);
    record_group(r, "stranded");
    for (int i = 0; i < POOL_CAUSES; i++)
        add_column(r, causes[i], "GPUs", i == POOL_STRANDED_START ? "starting" : causes[i],
                   modelled_of(rung->stranded[i] / run->c.pool.hours), 1, 1);
    record_group(r, "money");
    add_money(run, r, "purchase", "purchase", rung->cost.purchase);
    add_money(run, r, "running", "rent, running", rung->cost.running);
    add_money(run, r, "electricity", "electricity", rung->cost.energy);
    add_money(run, r, "starting", "starting", rung->cost.starting);
    add_money(run, r, "penalty", "unmet, priced", rung->cost.penalty);
    record_group(r, NULL);
}

static void record_ladder(const struct pool_run *run, struct record *doc)
{
    record_list(doc, "ladder");
    for (int id = 0; id < POOL_RUNGS; id++)
        rung_facts(run, (enum pool_rung_id)id, record_append(doc, "ladder"));
}

/* ---- hours ---- */

/* candidate < 0: nothing serves it in that hour. */
static void hour_facts(const struct pool_run *run, int hour, int workload, int candidate,
                       int replicas, struct record *r)
{
    const struct pool_rung *rung = &run->answer.rungs[run->rung];
    const struct pool_workload *work = &run->c.pool.workloads[workload];
    int gpus = candidate < 0 ? 0 : run->c.pool.candidates[candidate].gpus * replicas;

    record_when(run, r, hour);
    record_text(r, "workload", run->c.file.workloads[workload].name);
    if (candidate < 0)
        record_text(r, "layout", "");
    else
        record_layout(run, candidate, r);
    record_count(r, "replicas", "", replicas);
    record_count(r, "gpus", "", gpus);
    record_quantity(r, "serves", "requests/s",
                    modelled_of(candidate < 0 ? 0 : replicas * pool_replica_rate(run, candidate)),
                    1, 2);
    record_quantity(r, "needs", "requests/s", modelled_of(work->demand[hour] * work->burst), 1, 2);
    record_quantity(r, "unmet", "requests/s",
                    modelled_of(rung->unmet[workload * run->c.pool.hours + hour]), 1, 2);
}

/* A row for each layout of a workload that runs; one, too, where it is served by nothing. */
static void record_hours(const struct pool_run *run, struct record *doc)
{
    const struct pool *pool = &run->c.pool;
    const struct pool_rung *rung = &run->answer.rungs[run->rung];

    record_list(doc, "hours");
    for (int h = 0; h < pool->hours; h++)
        for (int w = 0, i = 0; w < pool->workload_count; w++) {
            bool any = false;

            for (; i < pool->candidate_count && pool->candidates[i].workload <= w; i++) {
                int n = rung->replicas[i * pool->hours + h];

                if (n > 0)
                    hour_facts(run, h, w, i, n, record_append(doc, "hours"));
                any = any || n > 0;
            }
            if (!any && rung->unmet[w * pool->hours + h] > 0)
                hour_facts(run, h, w, -1, 0, record_append(doc, "hours"));
        }
}

/* The same for JSON: a workload has its hours in rows of numbers, and those of each candidate
 * that ever runs. */
static void hours_of_workloads(const struct pool_run *run, struct record *doc)
{
    const struct pool *pool = &run->c.pool;
    const struct pool_rung *rung = &run->answer.rungs[run->rung];
    size_t hours = (size_t)pool->hours;
    double row[POOL_MOST_HOURS];

    record_long_list(doc, "hours");
    for (int w = 0, i = 0; w < pool->workload_count; w++) {
        struct record *r = record_append(doc, "hours"), *runs;

        for (size_t h = 0; h < hours; h++)
            row[h] = pool->workloads[w].demand[h] * pool->workloads[w].burst;
        record_text(r, "workload", run->c.file.workloads[w].name);
        record_series(r, "needs", "requests/s", ORIGIN_SHEET, row, hours);
        record_series(r, "unmet", "requests/s", ORIGIN_MODEL, rung->unmet + (size_t)w * hours,
                      hours);
        record_list(r, "runs");
        for (; i < pool->candidate_count && pool->candidates[i].workload == w; i++) {
            double sum = 0;

            for (size_t h = 0; h < hours; h++)
                sum += row[h] = rung->replicas[(size_t)i * hours + h];
            if (sum <= 0)
                continue;
            runs = record_append(r, "runs");
            record_layout(run, i, runs);
            record_count(runs, "gpus", "", pool->candidates[i].gpus);
            record_quantity(runs, "serves", "requests/s", modelled_of(pool_replica_rate(run, i)), 1,
                            2);
            record_series(runs, "replicas", "", ORIGIN_EXACT, row, hours);
        }
    }
}

static void job_hours(const struct pool_run *run, struct record *doc)
{
    const struct pool *pool = &run->c.pool;

    record_long_list(doc, "job_hours");
    for (int h = 0; h < pool->hours; h++)
        for (int j = 0; j < pool->job_count; j++) {
            int n = run->answer.rungs[run->rung].workers[j * pool->hours + h];

            if (n == 0)
                continue;
            struct record *r = record_append(doc, "job_hours");
            record_when(run, r, h);
            record_text(r, "job", run->c.file.jobs[j].name);
            record_text(r, "gpu", run->c.file.types[pool->jobs[j].type].gpu);
            record_count(r, "gpus", "", n * pool->jobs[j].gpus);
        }
}

/* ---- what if ---- */

static void what_ifs(const struct pool_run *run, struct record *doc)
{
    record_list(doc, "what_ifs");
    for (int i = 0; i < run->what_if_count; i++) {
        const struct pool_what_if *w = &run->what_ifs[i];
        struct record *r = record_append(doc, "what_ifs");

        record_text(r, "if", w->name);
        record_text(r, "gpus_are", w->fleet ? "as planned" : "bought for it");
        record_title(r, "GPUs are");
        record_count(r, "gpus", "", w->gpus);
        record_title(r, "GPUs");
        add_money(run, r, "paid", "$/day", w->paid);
        money_bound(run, r, w->bound);
        add_column(r, "unmet", "%", "unmet %", modelled_of(w->unmet), 0.01, 1);
        jobs_undone(run, r, w->jobs_undone);
    }
}

/* ---- replays ---- */

/* In ms: "47.2 (35.1..121.4)". */
static void percentile_words(struct quantity value, char text[64])
{
    int digits = value.value < 0.1;

    gp_format(text, 64, "%.*f (%.*f..%.*f)", digits, value.value * 1e3, digits, value.low * 1e3,
              digits, value.high * 1e3);
}

/* People see its band, too. */
static void add_percentile(struct record *r, const char *name, const char *title,
                           struct quantity value)
{
    char text[64];

    add_column(r, name, "ms", title, value, 1e-3, 1);
    if (!value.known)
        return;
    percentile_words(value, text);
    record_note(r, text);
    record_style(r, STYLE_NOTE);
}

static void replay_facts(const struct pool_run *run, const struct pool_replay *x, struct record *r)
{
    bool some = x->started > 0;
    char at[16];

    record_text(r, "workload", run->c.file.workloads[x->workload].name);
    record_group(r, "heaviest");
    record_when(run, r, x->hour);
    record_layout(run, x->candidate, r);
    record_spare(r, 1);
    record_count(r, "replicas", "", x->replicas);
    add_column(r, "rate", "requests/s", "req/s", modelled_of(x->rate), 1, 2);
    add_percentile(r, "ttft_p50", "TTFT p50 ms", x->at.ttft[POOL_P50]);
    record_detail(r);
    add_percentile(r, "ttft_p95", "TTFT p95 ms", x->at.ttft[POOL_P95]);
    add_percentile(r, "ttft_p99", "TTFT p99 ms", x->at.ttft[POOL_P99]);
    record_detail(r);
    add_percentile(r, "tpot_p50", "TPOT p50 ms", x->at.tpot[POOL_P50]);
    record_detail(r);
    add_percentile(r, "tpot_p95", "TPOT p95 ms", x->at.tpot[POOL_P95]);
    add_percentile(r, "tpot_p99", "TPOT p99 ms", x->at.tpot[POOL_P99]);
    record_detail(r);
    add_column(r, "holds", "x", "holds x", known_or_none(x->holds), 1, 2);
    record_count(r, "hours_missed", "", x->hours_missed);
    record_title(r, "hours missed");
    add_detail(r, "first_missed",
               x->hours_missed > 0 ? pool_hour_words(run, x->first_missed, at) : NULL);
    add_detail(r, "missed", x->missed);
    add_detail(r, "unknown", x->unknown);
    record_group(r, "starts");
    record_text(r, "starts_at", some ? pool_hour_words(run, x->start_hour, at) : NULL);
    record_title(r, "start at");
    record_count(r, "started", "", x->started);
    record_count(r, "serving", "", x->before);
    add_column(r, "cold_start", "s", "cold start s", known_or_none(x->start_s), 1, 0);
    add_percentile(r, "starting_ttft_p95", "TTFT p95 ms", x->starting.ttft[POOL_P95]);
    add_percentile(r, "starting_tpot_p95", "TPOT p95 ms", x->starting.tpot[POOL_P95]);
    record_group(r, NULL);
}

static void record_replays(const struct pool_run *run, struct record *doc)
{
    record_list(doc, "replays");
    for (int i = 0; i < run->replay_count; i++)
        replay_facts(run, &run->replays[i], record_append(doc, "replays"));
}

/* ---- places and moves ---- */

#define NAMED 4 /* places in one move */

void pool_chassis_name(const struct pool_run *run, int at, char *text, size_t size)
{
    int chassis = run->placement.chassis[at].listed;

    if (chassis >= 0 && (size_t)chassis < run->c.file.chassis_count)
        gp_copy(text, size, run->c.file.chassis[chassis].name);
    else if (chassis >= 0)
        gp_copy(text, size, run->c.file.chassis_count > 0 ? "no chassis" : "pool");
    else
        gp_format(text, size, "server %d", at + 1);
}

/* "1-4,7": the slots of a chassis that a replica has in an hour. */
static void slot_words(const struct placement *p, int hour, int chassis, int unit,
                       struct strbuf *out)
{
    const struct placement_chassis *b = &p->chassis[chassis];
    const char *comma = "";
    int begun = 0;

    for (int i = 0; i <= b->gpus; i++) {
        bool has = i < b->gpus && p->unit[placement_cell(p, hour, b->first + i)] == unit;

        if (has && begun == 0) {
            strbuf_addf(out, "%s%d", comma, i + 1);
            comma = ",";
            begun = i + 1;
        } else if (!has && begun > 0) {
            if (i > begun)
                strbuf_addf(out, "-%d", i);
            begun = 0;
        }
    }
}

/* ---- pieces: the GPUs of one replica in one chassis ---- */

struct piece {
    int hour, gpu; /* the first of it */
    int chassis, unit, who;
};

/* Goes through the pieces of an hour that are new to it (all: every one). */
struct pieces {
    const struct placement *p;
    int hour, gpu;
    bool all;
};

static bool next_piece(struct pieces *it, struct piece *out)
{
    const struct placement *p = it->p;

    for (; it->gpu < p->gpus; it->gpu++) {
        size_t at = placement_cell(p, it->hour, it->gpu);
        int g = p->chassis[p->chassis_of[it->gpu]].first;

        if (p->who[at] == PLACEMENT_FREE || (!it->all && p->stays[at]))
            continue;
        while (g < it->gpu && p->unit[placement_cell(p, it->hour, g)] != p->unit[at])
            g++;
        if (g < it->gpu) /* a piece that was met */
            continue;
        *out = (struct piece){it->hour, it->gpu++, p->chassis_of[g], p->unit[at], p->who[at]};
        return true;
    }
    return false;
}

static bool is_cut(const struct placement *p, const struct piece *piece)
{
    return p->cut[placement_cell(p, piece->hour, piece->gpu)] >= 0;
}

const char *pool_profile(const struct pool_run *run, int type, int slice)
{
    return run->c.replicas.type[type].slice[run->c.slice_of[type][slice]].profile;
}

/* "h100-sxm as 1g.10gb x 7" */
static void cut_words(const struct pool_run *run, const struct piece *piece, struct strbuf *out)
{
    int type = run->placement.type[piece->gpu];
    int cut = run->placement.cut[placement_cell(&run->placement, piece->hour, piece->gpu)], n = 0;
    const struct pool_type *t = &run->c.types[type];

    strbuf_addf(out, "%s as", run->c.file.types[type].gpu);
    for (int i = 0; i < t->slices; i++)
        if (t->cut[cut][i] > 0)
            strbuf_addf(out, "%s %s x %d", n++ > 0 ? "," : "", pool_profile(run, type, i),
                        t->cut[cut][i]);
}

const char *pool_served_by(const struct pool_run *run, int hour, int gpu)
{
    const struct placement *p = &run->placement;
    size_t at = placement_cell(p, hour, gpu);
    int who = p->who[at];

    return who == PLACEMENT_FREE ? ""
           : p->cut[at] >= 0     ? "slices"
           : who > 0 ? run->c.file.workloads[run->c.pool.candidates[who - 1].workload].name
                     : run->c.file.jobs[-who - 1].name;
}

/* ---- places ---- */

static void hour_places(const void *ctx, int hour, struct record *doc)
{
    const struct pool_run *run = ctx;
    const struct placement *p = &run->placement;
    struct pieces it = {.p = p, .hour = hour, .all = hour == 0};
    struct piece piece;
    char name[POOL_FILE_NAME];

    while (next_piece(&it, &piece)) {
        struct record *r = record_append(doc, "places");
        struct strbuf slots, layout;
        int until = hour + 1;

        while (until < p->hours && p->stays[placement_cell(p, until, piece.gpu)])
            until++;
        strbuf_init(&slots);
        strbuf_init(&layout);
        slot_words(p, hour, piece.chassis, piece.unit, &slots);
        if (is_cut(p, &piece))
            cut_words(run, &piece, &layout);
        else if (piece.who > 0)
            pool_layout_words(run, piece.who - 1, &layout);
        else
            strbuf_add(&layout, run->c.file.types[p->type[piece.gpu]].gpu);
        pool_chassis_name(run, piece.chassis, name, sizeof(name));
        record_count(r, "replica", "", piece.unit);
        record_text(r, "serves", pool_served_by(run, hour, piece.gpu));
        record_text(r, "layout", layout.text);
        record_text(r, "box", name);
        record_count(r, "host", "", p->host[placement_cell(p, hour, piece.gpu)]);
        record_text(r, "slots", slots.text);
        record_count(r, "from", "", hour);
        record_count(r, "until", "", until);
        strbuf_fini(&slots);
        strbuf_fini(&layout);
    }
}

/* ---- moves ---- */

static int by_candidate(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;

    return a->who != b->who ? (a->who > b->who) - (a->who < b->who)
                            : (a->gpu > b->gpu) - (a->gpu < b->gpu);
}

/* Of a candidate's replicas, those that wake or the others. fresh: its pieces that are new to
 * their GPUs. */
struct move {
    const char *word;
    int replicas;
    double seconds;
    bool wakes;
    int skip; /* of the fresh ones of its kind, which another move has */
};

static int fresh_replicas(const struct pool_run *run, const struct piece *fresh, int count,
                          bool wakes)
{
    int n = 0;

    for (int i = 0; i < count; i++)
        n += (i == 0 || fresh[i].unit != fresh[i - 1].unit) &&
             pool_run_wakes(run, fresh[i].hour, fresh[i].gpu) == wakes;
    return n;
}

/* "server 2/3-4, A/7": where the replicas of a move are. */
static void where_words(const struct pool_run *run, const struct move *m, const struct piece *fresh,
                        int count, struct strbuf *out)
{
    int last = 0, named = 0, seen = 0, until = m->skip + m->replicas;
    char name[POOL_FILE_NAME];

    for (int i = 0; i < count && seen <= until; i++) {
        if (pool_run_wakes(run, fresh[i].hour, fresh[i].gpu) != m->wakes)
            continue;
        seen += fresh[i].unit != last;
        last = fresh[i].unit;
        if (seen <= m->skip || seen > until)
            continue;
        if (++named > NAMED) {
            strbuf_add(out, ", ...");
            return;
        }
        pool_chassis_name(run, fresh[i].chassis, name, sizeof(name));
        strbuf_addf(out, "%s%s/", named > 1 ? ", " : "", name);
        slot_words(&run->placement, fresh[i].hour, fresh[i].chassis, fresh[i].unit, out);
    }
}

static struct record *begin_move(const struct pool_run *run, int hour, const char *word,
                                 const char *workload, int replicas, struct record *doc)
{
    struct record *r = record_append(doc, "moves");

    record_when(run, r, hour);
    record_text(r, "move", word);
    record_text(r, "workload", workload);
    record_count(r, "replicas", "", replicas);
    return r;
}

/* What starts, stops, wakes or moves of each candidate. fresh: all that is new to its GPUs, in
 * the candidates' order. */
static void hour_moves(const struct pool_run *run, int hour, const struct piece *fresh, int left,
                       struct record *doc)
{
    const struct pool *pool = &run->c.pool;
    const int *replicas = run->answer.rungs[run->rung].replicas;
    int count;

    for (int i = 0; i < pool->candidate_count; i++, fresh += count, left -= count) {
        int w = pool->candidates[i].workload;
        int before = replicas[i * pool->hours + (hour > 0 ? hour : pool->hours) - 1];
        int more = replicas[i * pool->hours + hour] - before;

        for (count = 0; count < left && fresh[count].who == i + 1;)
            count++;
        if (pool->workloads[w].alone)
            continue; /* its replicas stay, used or not */
        int woken = fresh_replicas(run, fresh, count, true), starts = more - woken;
        int skip = starts > 0 ? starts : 0;
        double start_s = pool_start_s(pool, i, run->rung);
        const struct move moves[] = {
            {"stop", -more, 0, false, 0},
            {"wake", woken, pool_run_wake_s(run, i), true, 0},
            {"start", starts, start_s, false, 0},
            {"move", fresh_replicas(run, fresh, count, false) - skip, start_s, false, skip}};

        for (int k = 0; k < 4; k++) {
            const struct move *m = &moves[k];
            struct strbuf where;

            if (m->replicas <= 0)
                continue;
            struct record *r =
                begin_move(run, hour, m->word, run->c.file.workloads[w].name, m->replicas, doc);
            strbuf_init(&where);
            if (m->seconds > 0)
                where_words(run, m, fresh, count, &where);
            record_layout(run, i, r);
            record_quantity(r, "takes", "s", modelled_of(m->seconds), 1, 0);
            record_text(r, "where", where.text);
            strbuf_fini(&where);
        }
    }
}

/* GPUs that are cut in another way than in the hour before come first. */
static void moves_of_hour(const void *ctx, int hour, struct record *doc)
{
    const struct pool_run *run = ctx;
    const struct placement *p = &run->placement;
    struct piece *fresh = gp_calloc((size_t)p->gpus + 1, sizeof(*fresh)), piece;
    struct pieces it = {.p = p, .hour = hour};
    int count = 0;

    while (next_piece(&it, &piece)) {
        struct strbuf layout;
        char name[POOL_FILE_NAME];

        if (piece.who > 0 && !is_cut(p, &piece))
            fresh[count++] = piece;
        if (!is_cut(p, &piece))
            continue;
        struct record *r = begin_move(run, hour, "cut", "slices", 1, doc);
        strbuf_init(&layout);
        cut_words(run, &piece, &layout);
        pool_chassis_name(run, piece.chassis, name, sizeof(name));
        record_text(r, "layout", layout.text);
        record_quantity(r, "takes", "s", quantity_unknown(), 1, 0);
        record_textf(r, "where", "%s/%d", name, piece.gpu - p->chassis[piece.chassis].first + 1);
        strbuf_fini(&layout);
    }
    if (count > 1)
        qsort(fresh, (size_t)count, sizeof(*fresh), by_candidate);
    hour_moves(run, hour, fresh, count, doc);
    free(fresh);
}

/* ---- the conclusion: the decision first, then what sharing, a fabric and the cloud would change,
 * and what is short ---- */

#define HOURS_PER_YEAR 8760.0
#define NOTHING "nothing can be served: "

static void add_sentence(struct record *doc, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void add_sentence(struct record *doc, const char *fmt, ...)
{
    struct strbuf line;
    va_list args;

    strbuf_init(&line);
    va_start(args, fmt);
    strbuf_addv(&line, fmt, args);
    va_end(args);
    record_item(doc, "conclusion", line.text);
    strbuf_fini(&line);
}

/* How much less or more `of` costs than `than`; what is within the gaps is no difference. */
static void say_step(const struct pool_run *run, struct record *doc, const char *what,
                     const char *against, enum pool_rung_id of, enum pool_rung_id than)
{
    const struct pool_rung *a = &run->answer.rungs[of], *b = &run->answer.rungs[than];
    int mine = pool_run_gpus(run, of), other = pool_run_gpus(run, than);
    double change = b->total > 0 ? a->total / b->total - 1 : 0;
    bool sure = change < 0 ? !pool_rung_bounded(b) || a->total < b->bound
                           : !pool_rung_bounded(a) || b->total < a->bound;
    bool lacks = pool_run_short(run, of), others_lack = pool_run_short(run, than);

    if (lacks && others_lack)
        add_sentence(doc, "neither %s nor %s serves all of the demand", what, against);
    else if (lacks || others_lack)
        add_sentence(doc, "%s serves all of the demand, with %d GPUs; %s does not",
                     lacks ? against : what, lacks ? other : mine, lacks ? what : against);
    else if (fabs(change) < 0.0005)
        add_sentence(doc, "%s costs as much as %s: %d GPUs in place of %d", what, against, mine,
                     other);
    else
        add_sentence(doc, "%s costs %.1f %% %s than %s: %d GPUs in place of %d%s", what,
                     fabs(change) * 100, change < 0 ? "less" : "more", against, mine, other,
                     sure ? "" : "; less than the search tells apart, so perhaps no difference");
}

/* The decision: what to have, what it takes to buy it, and what a day costs. */
static void say_answer(const struct pool_run *run, struct record *doc)
{
    const struct pool_rung *r = &run->answer.rungs[run->rung];
    char buy[32], day[32];
    struct strbuf line;

    strbuf_init(&line);
    units_tokens(day, sizeof(day), (r->total - r->cost.penalty) / pool_days(run));
    units_tokens(buy, sizeof(buy), pool_capital(run, run->rung));
    strbuf_addf(&line, "%s%s%s ", run->rung == pool_run_cheapest(run) ? "least to own: " : "",
                pool_rung_word(run->rung), run->rung == POOL_CLOUD ? ": at most" : ",");
    if (pool_run_gpus(run, run->rung) == 0)
        strbuf_add(&line, "no GPUs");
    pool_fleet_words(run, run->rung, &line);
    if (run->rung == POOL_CLOUD) {
        strbuf_addf(&line, " at a time; $%s/day", day);
    } else {
        if (in_stock(run, run->rung) > 0)
            strbuf_addf(&line, ", %d of them in stock", in_stock(run, run->rung));
        strbuf_addf(&line, "; $%s to buy, with servers; $%s/day, purchase and electricity", buy,
                    day);
        if (r->unmet_share > POOL_UNMET_LEAST)
            strbuf_addf(&line, "; %.1f %% of the demand is unmet", 100 * r->unmet_share);
        if (r->jobs_undone > POOL_UNDONE_LEAST)
            strbuf_addf(&line, "; %.0f GPU-hours a day of jobs undone",
                        r->jobs_undone / pool_days(run));
    }
    record_item(doc, "conclusion", line.text);
    strbuf_fini(&line);
}

static int composed_gpus(const struct pool_run *run, enum pool_rung_id id)
{
    int n = 0;

    for (int t = 0; t < run->c.pool.type_count; t++)
        n += pool_composes(&run->c.pool, t, id) ? run->answer.rungs[id].gpus[t] : 0;
    return n;
}

/* What a fabric may cost beside another rung, where that compares anything. */
static void say_premium(const struct pool_run *run, struct record *doc, const char *against,
                        enum pool_rung_id than)
{
    const struct pool_case *c = &run->c;
    const struct pool_rung *r = run->answer.rungs;
    double each = pool_break_even(&c->pool, &r[than], &r[POOL_HOURLY]);
    const struct ownership *own = c->replicas.market.ownership;
    double years = c->file.costs.years >= 0 ? c->file.costs.years : own->years;
    double residual = c->file.costs.residual >= 0 ? c->file.costs.residual : own->residual;
    char money[32];

    if (!isfinite(each) || pool_run_short(run, POOL_HOURLY) || pool_run_short(run, than))
        return;
    if (each <= 0 || residual >= 1) {
        add_sentence(doc, "a composable fabric never pays against %s, even if it cost nothing",
                     against);
        return;
    }
    units_tokens(money, sizeof(money), each * years * HOURS_PER_YEAR / (1 - residual));
    add_sentence(
        doc,
        "a composable fabric pays against %s while it adds less than $%s to each of its %d "
        "GPUs ($%.3f/h over %g years)",
        against, money, composed_gpus(run, POOL_HOURLY), each, years);
}

/* Where no type is on offer it is said that way. */
static void say_cloud(const struct pool_run *run, struct record *doc)
{
    bool offered = false;

    for (int t = 0; t < run->c.pool.type_count; t++)
        offered = offered || run->c.types[t].cloud_hour > 0;
    if (!offered)
        add_sentence(doc, "no cloud of the catalogue offers these GPUs");
    else if (run->rung != POOL_CLOUD)
        say_step(run, doc, "renting in the cloud by the hour", pool_rung_word(run->rung),
                 POOL_CLOUD, run->rung);
}

void pool_breaks_words(const struct pool_run *run, struct strbuf *out)
{
    const struct pool_replay *r = pool_run_first_to_break(run);
    char at[16], first[16], ttft[64];

    if (!r)
        return;
    percentile_words(r->at.ttft[POOL_P95], ttft);
    const char *name = run->c.file.workloads[r->workload].name;
    if (r->missed[0])
        strbuf_addf(out, "%s breaks first: %s at %s", name, r->missed,
                    pool_hour_words(run, r->hour, at));
    else
        strbuf_addf(out,
                    "%s breaks first, at %s, when demand is %.2f times as high; TTFT p95 is "
                    "%s ms there",
                    name, pool_hour_words(run, r->hour, at), r->holds, ttft);
    if (r->missed[0] && r->hours_missed > 1)
        strbuf_addf(out, ", and in %d hours, the first %s", r->hours_missed,
                    pool_hour_words(run, r->first_missed, first));
}

void pool_starts_words(const struct pool_run *run, struct strbuf *out)
{
    const struct pool_replay *longest = NULL;
    char at[16];

    for (int i = 0; i < run->replay_count; i++) {
        const struct pool_replay *r = &run->replays[i];

        if (r->started > 0 && (!longest || r->start_s > longest->start_s))
            longest = r;
    }
    if (longest)
        strbuf_addf(out, "%s starts slowest: a replica of %s serves %.0f s later",
                    run->c.file.workloads[longest->workload].name,
                    pool_hour_words(run, longest->start_hour, at), longest->start_s);
}

static void say_first_to_break(const struct pool_run *run, struct record *doc)
{
    const struct pool_replay *r = pool_run_first_to_break(run);
    struct strbuf words;

    if (!r)
        return;
    strbuf_init(&words);
    pool_breaks_words(run, &words);
    if (r->missed[0] && r->hours_missed > 1)
        strbuf_add(&words, "; ttft_p95_ms and tpot_p95_ms in the file plan for percentiles");
    add_sentence(doc, "%s", words.text);
    strbuf_fini(&words);
}

/* The type that would be the cheapest for all, where it serves no less. */
static void say_another(const struct pool_run *run, struct record *doc)
{
    const struct pool_rung *r = &run->answer.rungs[run->rung];
    const struct pool_what_if *best = NULL;
    double paid = r->total - r->cost.penalty;
    char day[32], gpus[32];

    for (int i = 0; i < run->what_if_count; i++) {
        const struct pool_what_if *w = &run->what_ifs[i];

        if (w->another && w->unmet <= r->unmet_share + POOL_UNMET_LEAST &&
            w->jobs_undone <= r->jobs_undone + POOL_UNDONE_LEAST && (!best || w->paid < best->paid))
            best = w;
    }
    if (!best || paid <= 0 || best->paid > paid * (1 - r->gap) * 0.99)
        return;
    units_tokens(day, sizeof(day), best->paid / pool_days(run));
    units_tokens(gpus, sizeof(gpus), best->gpus);
    add_sentence(doc,
                 "%s would be cheaper: $%s/day with %s of them at $%.3f/h %s (%s), %.1f %% less "
                 "money; -g asks about others",
                 best->name, day, gpus, best->each_hour,
                 run->rung == POOL_CLOUD ? "rented" : "owned", best->price_of,
                 100 * (1 - best->paid / paid));
}

/* The least GPUs of one type that serve a workload, and how many of it there can be: of the type
 * that lacks fewest. 0: nothing serves it, however many there are. */
static int least_need(const struct pool_run *run, int workload, int *type, int *there)
{
    const struct pool *pool = &run->c.pool;
    int need = 0;

    for (int i = 0; i < pool->candidate_count; i++) {
        const struct pool_candidate *c = &pool->candidates[i];
        int has = pool->types[c->type].stock + pool->types[c->type].buy;

        if (c->workload != workload || (need > 0 && c->gpus - has >= need - *there))
            continue;
        need = c->gpus;
        *type = c->type;
        *there = has;
    }
    return need;
}

/* "llama-3.1-405b needs at least 56 l4, the pool has 1"; "" when the pool has enough. */
static void need_words(const struct pool_run *run, int workload, struct strbuf *out)
{
    int type = 0, there = 0, need = least_need(run, workload, &type, &there);

    if (need > there)
        strbuf_addf(out, "%s needs at least %d %s, the pool has %d",
                    run->c.file.workloads[workload].model, need, run->c.file.types[type].gpu,
                    there);
}

/* Why a workload is not served at all: no GPU serves it, or there are too few; "" when it is. */
static void refusal_words(const struct pool_run *run, int workload, struct strbuf *out)
{
    char why[96];

    pool_run_refusal(run, workload, why, sizeof(why));
    if (why[0])
        strbuf_addf(out, "%s", why);
    else
        need_words(run, workload, out);
}

/* Does the pool serve nothing of anything? Then that is the whole answer. */
static bool say_nothing_served(const struct pool_run *run, struct record *doc)
{
    const struct pool *pool = &run->c.pool;
    struct strbuf line;
    char refused[96];
    bool nothing = pool->workload_count > 0 && pool_run_gpus(run, run->rung) == 0;

    strbuf_init(&line);
    strbuf_add(&line, NOTHING);
    for (int w = 0; w < pool->workload_count && nothing; w++) {
        struct strbuf why;

        strbuf_init(&why);
        refusal_words(run, w, &why);
        nothing = why.len > 0;
        pool_run_refusal(run, w, refused, sizeof(refused));
        strbuf_addf(&line, "%s%s%s%s", w ? "; " : "",
                    refused[0] ? run->c.file.workloads[w].name : "", refused[0] ? ": " : "",
                    why.text);
        strbuf_fini(&why);
    }
    if (nothing)
        record_item(doc, "conclusion", line.text);
    strbuf_fini(&line);
    return nothing;
}

/* What a rung that leaves demand unmet has too few of. */
static void say_lack(const struct pool_run *run, enum pool_rung_id id, struct strbuf *out)
{
    enum pool_rung_id servers = id == POOL_COMPOSED ? POOL_FIXED : POOL_SHARED;
    bool fabric = id == POOL_COMPOSED || id == POOL_HOURLY;
    int slots = run->c.pool.chassis_slots;

    if (fabric && slots > 0 && !pool_run_short(run, servers))
        strbuf_addf(out, "too few slots in its chassis (%d)", slots);
    else
        strbuf_add(out, "too few GPUs");
}

static void record_conclusion(const struct pool_run *run, struct record *doc)
{
    const struct pool_file *file = &run->c.file;
    const char *rung = pool_rung_word(run->rung);
    char why[96];

    record_list(doc, "conclusion");
    if (say_nothing_served(run, doc))
        return;
    say_answer(run, doc);
    if (run->halted)
        add_sentence(doc, "stopped before the search had ended: plans may be dearer than they need "
                          "be, and no what-ifs were asked");
    say_step(run, doc, "sharing servers over the day", "a server for each model", POOL_SHARED,
             POOL_FIXED);
    say_step(run, doc, "composing GPUs by the hour", "sharing servers", POOL_HOURLY, POOL_SHARED);
    for (int t = 0; t < file->type_count; t++)
        if (run->c.types[t].module)
            add_sentence(doc, "%s sits on its server's board, so no fabric composes it",
                         file->types[t].gpu);
    if (composed_gpus(run, POOL_HOURLY) == 0) {
        add_sentence(doc, "no GPU here would be composed, so a fabric brings nothing");
    } else {
        say_premium(run, doc, "shared servers", POOL_SHARED);
        say_premium(run, doc, "a server for each model", POOL_FIXED);
    }
    if (run->c.pool.workload_count > 1)
        add_sentence(doc,
                     run->answer.coincidence > 0.995
                         ? "all workloads peak in the same hour (%.0f %%): sharing over the day "
                           "saves little"
                         : "peaks come at different hours: together the workloads need at most "
                           "%.0f %% of what their peaks add up to",
                     run->answer.coincidence * 100);
    for (int id = 0; id < POOL_RUNGS; id++) {
        const struct pool_rung *r = &run->answer.rungs[id];
        char jobs[64] = "", paid[32];
        struct strbuf lack;

        if (!pool_run_short(run, (enum pool_rung_id)id))
            continue;
        units_tokens(paid, sizeof(paid), (r->total - r->cost.penalty) / pool_days(run));
        if (r->jobs_undone > POOL_UNDONE_LEAST)
            gp_format(jobs, sizeof(jobs), " and %.0f GPU-hours of jobs undone",
                      r->jobs_undone / pool_days(run));
        strbuf_init(&lack);
        say_lack(run, (enum pool_rung_id)id, &lack);
        add_sentence(doc,
                     "%s has %s: %.1f %% of the demand is unmet%s; its GPUs cost $%s/day, the rest "
                     "of its cost is what unmet demand is priced at",
                     pool_rung_word((enum pool_rung_id)id), lack.text, 100 * r->unmet_share, jobs,
                     paid);
        strbuf_fini(&lack);
    }
    for (int id = 0; id < POOL_RUNGS; id++) {
        pool_run_gap(run, (enum pool_rung_id)id, why, sizeof(why));
        if (why[0])
            add_sentence(doc, "%s: no plan is more than %.1f %% cheaper: %s",
                         pool_rung_word((enum pool_rung_id)id), 100 * run->answer.rungs[id].gap,
                         why);
    }
    say_cloud(run, doc);
    say_another(run, doc);
    say_first_to_break(run, doc);
    if (run->what_ifs_left > 0)
        add_sentence(doc,
                     "what if: %d found no plan in their time; --solve-seconds gives them longer",
                     run->what_ifs_left);
    for (int w = 0; w < run->c.pool.workload_count; w++) {
        struct strbuf refusal;

        strbuf_init(&refusal);
        refusal_words(run, w, &refusal);
        if (refusal.len > 0)
            add_sentence(doc, "%s is not served: %s", file->workloads[w].name, refusal.text);
        strbuf_fini(&refusal);
    }
    if (run->suspended > 0)
        add_sentence(doc, "engines that sleep need %.0f GB of host memory on one server",
                     run->suspended / 1e9);
    if (!run->placement.whole && run->placement.gpus > 0)
        add_sentence(doc,
                     "%d replica-hours of %s found no server or chassis with room in one piece",
                     run->placement.unplaced, rung);
    else if (!run->placement.whole)
        add_sentence(doc, "too many GPUs to say which serves what");
}

/* ---- all ---- */

static void break_even(const struct pool_run *run, struct record *doc, const char *name,
                       enum pool_rung_id than)
{
    const struct pool_rung *r = run->answer.rungs;
    double each = pool_break_even(&run->c.pool, &r[than], &r[POOL_HOURLY]);

    bool known = isfinite(each) && !pool_run_short(run, than) && !pool_run_short(run, POOL_HOURLY);

    record_quantity(doc, name, "$/h", known ? modelled_of(each) : quantity_unknown(), 1, 4);
}

static void add_candidates(const struct pool_run *run, struct record *doc)
{
    const struct pool_case *c = &run->c;

    record_long_list(doc, "candidates");
    for (int i = 0; i < c->pool.candidate_count; i++) {
        const struct pool_candidate *one = &c->pool.candidates[i];
        const struct pool_replica *from = &c->replicas.row[c->replica_of[i]];
        const struct layout *l = from->rate > 0 ? &from->server : &from->fabric;
        const struct gpu_slice *slices = c->replicas.type[one->type].slice;
        struct record *r = record_append(doc, "candidates");

        record_text(r, "workload", c->file.workloads[one->workload].name);
        record_text(r, "gpu", c->file.types[one->type].gpu);
        record_text(r, "slice", from->slice == POOL_WHOLE ? "" : slices[from->slice].profile);
        record_text(r, "precision", from->precision);
        record_count(r, "gpus", "", one->gpus);
        record_count(r, "tp", "", l->tp);
        record_count(r, "pp", "", l->pp);
        record_count(r, "ep", "", l->ep);
        record_quantity(r, "server_rate", "requests/s", known_or_none(one->rate), 1, 2);
        record_quantity(r, "fabric_rate", "requests/s", known_or_none(one->composed_rate), 1, 2);
        record_quantity(r, "load", "s", modelled_of(one->load_s), 1, 1);
    }
}

void pool_record(const struct pool_run *run, struct record *doc, bool whole)
{
    bool still = run->rung == POOL_FIXED || run->rung == POOL_COMPOSED; /* all day */

    report_begin(doc, "gpuplan.pool/1", run->data_date);
    pool_facts(run, record_inside(doc, "pool"));
    record_list(doc, "types");
    for (int t = 0; t < run->c.pool.type_count; t++)
        type_facts(run, t, record_append(doc, "types"));
    record_ladder(run, doc);
    record_text(doc, "rung", pool_rung_word(run->rung));
    record_quantity(doc, "coincidence", "%", modelled_of(run->answer.coincidence), 0.01, 1);
    break_even(run, doc, "break_even_premium", POOL_SHARED);
    break_even(run, doc, "break_even_premium_fixed", POOL_FIXED);
    record_list(doc, "workloads");
    for (int w = 0; w < run->c.pool.workload_count; w++)
        workload_facts(run, w, record_append(doc, "workloads"));
    if (whole) {
        add_candidates(run, doc);
        hours_of_workloads(run, doc);
        job_hours(run, doc);
    }
    record_parts(doc, "moves", moves_of_hour, run, still ? 0 : run->c.pool.hours);
    if (whole)
        record_parts(doc, "places", hour_places, run, run->placement.hours);
    record_replays(run, doc);
    what_ifs(run, doc);
    record_conclusion(run, doc);
}

/* ---- as text, and as a page ---- */

#define WIDTH 80     /* of the conclusion */
#define HEAT_ROWS 40 /* workloads in the map, at most */
#define MOVE_ROWS 60
#define WORK_ROWS 60

static const struct {
    const char *group, *title;
} ladder_tables[] = {
    {"main", "Ways to own the GPUs. Bound: no such plan costs less; stranded: paid for and idle"},
    {"fleet", "To buy, servers included; what is in stock is not bought"},
    {"money", "$/day, by what it is for"},
    {"stranded", "GPUs that are paid for and idle, on average, by cause"},
};

static const struct {
    const char *group, *title;
} replay_tables[] = {
    {"heaviest",
     "The busiest minute of each workload's heaviest hour, replayed; bands in brackets"},
    {"starts", "While replicas start, in the hour with most to do for those that serve"},
};

/* The second only where something starts. */
static size_t replay_tables_shown(const struct pool_run *run)
{
    bool starts = false;

    for (int i = 0; i < run->replay_count; i++)
        starts |= run->replays[i].started > 0;
    return 1 + starts;
}

/* "- text", its words on lines of at most WIDTH. */
static void add_wrapped(const char *text, struct strbuf *out)
{
    size_t used = 1;

    strbuf_add(out, "-");
    while (*text) {
        size_t n = strcspn(text, " ");

        if (used + 1 + n > WIDTH) {
            strbuf_add(out, "\n ");
            used = 1;
        }
        strbuf_addf(out, " %.*s", (int)n, text);
        used += 1 + n;
        text += n + (text[n] == ' ');
    }
    strbuf_add(out, "\n");
}

static void print_conclusion(const struct record *doc, struct strbuf *out)
{
    const struct fact *list = record_find(doc, "conclusion");

    for (size_t i = 0; i < list->record_count; i++)
        add_wrapped(record_get(&list->records[i], ""), out);
}

/* ---- the heat map ---- */

/* GPUs that each workload takes, a character for each hour by its share of the peak: the
 * heat map, also of the screen. */
static char heat_char(double value, double peak)
{
    static const char ramp[] = " .:-=+*#%@";
    int top = (int)sizeof(ramp) - 2;

    if (value <= 0 || peak <= 0)
        return ramp[0];
    int step = (int)ceil(value / peak * top);
    return ramp[step > top ? top : step < 1 ? 1 : step];
}

static void print_heat(const struct pool_run *run, struct strbuf *out)
{
    const struct pool_file *f = &run->c.file;

    strbuf_addf(out, "\nGPUs by the hour, %s: each row by its own peak (%s)\n\n%-18s ",
                pool_rung_word(run->rung), " .:-=+*#%@", "");
    for (int h = 0; h < 24; h += 6)
        strbuf_addf(out, "|%02d%9s", h, "");
    strbuf_add(out, "|  peak\n");
    for (int w = 0; w < (int)f->workload_count && w < HEAT_ROWS; w++) {
        double peak = 0;

        for (int h = 0; h < f->hours; h++)
            peak = fmax(peak, pool_run_taken(run, run->rung, w, h));
        for (int day = 0; day < f->hours / 24; day++) {
            char label[64];

            if (f->hours > 24)
                gp_format(label, sizeof(label), "%.13s %s", f->workloads[w].name,
                          units_weekday(day));
            else
                gp_copy(label, sizeof(label), f->workloads[w].name);
            strbuf_addf(out, "%-18.18s |", label);
            for (int h = day * 24; h < day * 24 + 24; h++) {
                char heat = heat_char(pool_run_taken(run, run->rung, w, h), peak);

                strbuf_addf(out, "%c%c", heat, heat);
            }
            strbuf_addf(out, day == 0 ? "|  %.4g\n" : "|\n", peak);
        }
    }
    if (f->workload_count > HEAT_ROWS)
        strbuf_addf(out, "... and %zu more: --format json\n", f->workload_count - HEAT_ROWS);
}

static void print_rows(const struct record *doc, const char *name, const char *group,
                       const char *title, size_t most, enum record_as as, struct strbuf *out)
{
    const struct fact *rows = record_find(doc, name);
    size_t count = rows->record_count;
    struct record first;

    record_init(&first);
    if (rows->parts) {
        count = record_parts_first(rows, most, &first);
        rows = record_find(&first, name);
    }
    if (count > 0) {
        strbuf_addf(out, "\n%s\n\n", title);
        record_table(rows->records, count < most ? count : most, group, as, out);
        if (most < count)
            strbuf_addf(out, "... and %zu more: --format json\n", count - most);
    }
    record_fini(&first);
}

static void print_text(const struct pool_run *run, const struct record *doc, enum record_as as,
                       struct strbuf *out)
{
    const struct pool_file *f = &run->c.file;
    const struct fact *types = record_find(doc, "types"), *ladder = record_find(doc, "ladder");

    strbuf_addf(out, "%s: %zu workload%s, %d job%s, %d hours\n", f->name[0] ? f->name : "pool",
                f->workload_count, f->workload_count == 1 ? "" : "s", f->job_count,
                f->job_count == 1 ? "" : "s", f->hours);
    for (size_t i = 0; i < types->record_count; i++) {
        const struct record *t = &types->records[i];
        const struct pool_type *type = &run->c.types[i];

        strbuf_addf(out, "  %s: %d in stock, %d may be bought, servers of %d; $%.3f/h owned (%s)",
                    record_get(t, "gpu"), type->stock, type->buy, type->server_gpus, type->buy_hour,
                    record_get(t, "price"));
        if (type->cloud_hour > 0)
            strbuf_addf(out, ", $%.2f/h in the cloud (%s)", type->cloud_hour,
                        record_get(t, "offer"));
        if (run->c.replicas.measured[i][0])
            strbuf_addf(out, "; %s", run->c.replicas.measured[i]);
        strbuf_add(out, "\n");
    }
    strbuf_add(out, "\n");
    print_conclusion(doc, out);
    if (strncmp(record_get(&record_find(doc, "conclusion")->records[0], ""), NOTHING,
                strlen(NOTHING)) == 0)
        return;
    for (size_t i = 0; i < sizeof(ladder_tables) / sizeof(ladder_tables[0]); i++) {
        strbuf_addf(out, "\n%s.\n\n", ladder_tables[i].title);
        record_table(ladder->records, ladder->record_count, ladder_tables[i].group, as, out);
    }
    print_rows(doc, "workloads", NULL, "Workloads, and what they take of the chosen rung.",
               WORK_ROWS, as, out);
    print_heat(run, out);
    for (size_t i = 0; i < replay_tables_shown(run); i++)
        print_rows(doc, "replays", replay_tables[i].group, replay_tables[i].title, POOL_REPLAYS, as,
                   out);
    print_rows(doc, "moves", NULL, "Moves.", MOVE_ROWS, as, out);
    print_rows(doc, "what_ifs", NULL, "What if.", POOL_WHAT_IFS, as, out);
    strbuf_add(out, "\n~ estimated, ? assumed, - unknown; hours, candidates and sources: "
                    "--format json\n");
}

void print_pool(const struct pool_run *run, enum output_format format, bool quiet, bool hours,
                struct strbuf *out)
{
    struct record doc;

    record_init(&doc);
    if (format == OUTPUT_CSV) {
        (hours ? record_hours : record_ladder)(run, &doc);
        const struct fact *rows = record_find(&doc, hours ? "hours" : "ladder");
        record_table(rows->records, rows->record_count, NULL, RECORD_CSV, out);
    } else {
        pool_record(run, &doc, format == OUTPUT_JSON);
        if (format == OUTPUT_JSON)
            record_json(&doc, out);
        else if (quiet)
            print_conclusion(&doc, out);
        else
            print_text(run, &doc, output_record_as(format), out);
    }
    record_fini(&doc);
}

/* ---- a page ---- */

#define SHOWN 7 /* workloads with a part of their own in the plot */

static void put_table(void *ctx, const struct table *table)
{
    document_table(ctx, table);
}

static void add_table(const struct record *doc, const char *name, const char *group,
                      const char *heading, struct document *d)
{
    const struct fact *rows = record_find(doc, name);

    if (rows->record_count == 0)
        return;
    document_heading(d, heading);
    record_table_use(rows->records, rows->record_count, group, RECORD_TEXT, put_table, d);
}

static double taken_gpus(const struct pool_run *run, int from, int to, int hour)
{
    double sum = 0;

    for (int w = from; w < to; w++)
        sum += pool_run_taken(run, run->rung, w, hour);
    return sum;
}

/* The GPUs of workloads from..to-1, on those of the ones before. */
static void add_part(const struct pool_run *run, struct plot *plot, int i, int from, int to)
{
    const char *name = to - from > 1 ? "others" : run->c.file.workloads[from].name;
    struct plot_series *part = plot_add_shade(plot, name, plot_role(i), PLOT_PART);
    struct plot_series *line = plot_add(plot, name, plot_role(i), 0);

    if (!part || !line)
        return;
    line->label = (char)('a' + i);
    for (int h = 0; h < run->c.pool.hours; h++) {
        double low = taken_gpus(run, 0, from, h), high = taken_gpus(run, 0, to, h);

        plot_span(part, h, low, high);
        plot_point(line, h, high);
        plot->y.high = fmax(plot->y.high, 1.1 * high);
    }
}

static void add_hours(const struct pool_run *run, struct document *d)
{
    int count = (int)run->c.file.workload_count, shown = count > SHOWN + 1 ? SHOWN : count;
    struct plot plot;

    plot_init(&plot);
    plot.x = (struct plot_axis){
        .high = run->c.pool.hours - 1, .title = "hour", .hours = run->c.pool.hours};
    plot.y = (struct plot_axis){.high = 1, .unit = "GPUs", .title = "GPUs in use"};
    gp_format(plot.title, sizeof(plot.title), "GPUs in use by the hour, %s",
              pool_rung_word(run->rung));
    for (int i = 0; i < shown; i++)
        add_part(run, &plot, i, i, i + 1);
    if (shown < count)
        add_part(run, &plot, shown, shown, count);
    document_heading(d, "Hours");
    document_plot(d, &plot, "workloads on each other; MIG slices as their share of memory");
    plot_fini(&plot);
}

void pool_page(const struct pool_run *run, const char *command, struct strbuf *out)
{
    const struct pool_file *f = &run->c.file;
    const struct fact *list, *types;
    struct strbuf line;
    struct document d;
    struct record doc;

    record_init(&doc);
    strbuf_init(&line);
    pool_record(run, &doc, false);
    list = record_find(&doc, "conclusion");
    types = record_find(&doc, "types");
    strbuf_addf(&line, "Pool %s: %zu workloads, %d hours", f->name, f->workload_count, f->hours);
    document_init(&d, line.text);
    for (size_t i = 0; i < list->record_count; i++) {
        const char *text = record_get(&list->records[i], "");

        if (i == 0) /* the first sentence is the answer */
            document_answer(&d, pool_run_short(run, run->rung) ? DOCUMENT_BAD : DOCUMENT_GOOD, "",
                            text);
        else
            document_line(&d, DOCUMENT_PLAIN, text);
    }
    for (size_t i = 0; i < sizeof(ladder_tables) / sizeof(ladder_tables[0]); i++)
        add_table(&doc, "ladder", ladder_tables[i].group, ladder_tables[i].title, &d);
    add_hours(run, &d);
    add_table(&doc, "workloads", NULL, "Workloads", &d);
    for (size_t i = 0; i < replay_tables_shown(run); i++)
        add_table(&doc, "replays", replay_tables[i].group, replay_tables[i].title, &d);
    add_table(&doc, "what_ifs", NULL, "What if", &d);
    document_heading(&d, "Sources");
    if (f->note[0])
        document_line(&d, DOCUMENT_SMALL, f->note);
    if (f->source[0])
        document_line(&d, DOCUMENT_SMALL, f->source);
    for (size_t t = 0; t < types->record_count; t++) {
        const struct record *type = &types->records[t];

        strbuf_clear(&line);
        strbuf_addf(&line, "%s: owned, %s; cloud, %s; %s", record_get(type, "gpu"),
                    record_get(type, "price"), record_get(type, "offer"),
                    record_get(type, "watts"));
        document_line(&d, DOCUMENT_SMALL, line.text);
    }
    document_line(&d, DOCUMENT_CODE, command);
    document_end(&d, out);
    document_fini(&d);
    strbuf_fini(&line);
    record_fini(&doc);
}
