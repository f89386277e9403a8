/*
 * pool_record.c - see pool_record.h.
 */
#include "pool/pool_record.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "pool/pool_demand.h"

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
    record_quantity(r, "sleeping", "GB", modelled_of(run->sleepers), 1e9, 0);
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
    record_quantity(r, "capital", "$", quantity_of(c->capital[t], c->figure[t][POOL_FIGURE_PRICE]),
                    1, 0);
    record_quantity(r, "own", "$/h", quantity_of(type->buy_hour, c->figure[t][POOL_FIGURE_PRICE]),
                    1, 3);
    record_text(r, "price", c->figure_of[t][POOL_FIGURE_PRICE]);
    record_quantity(r, "premium", "$/h", quantity_of(type->premium_hour, ORIGIN_SHEET), 1, 3);
    record_quantity(r, "cloud", "$/h",
                    type->cloud_hour > 0
                        ? quantity_of(type->cloud_hour, c->figure[t][POOL_FIGURE_RENT])
                        : quantity_unknown(),
                    1, 2);
    record_text(r, "offer", c->figure_of[t][POOL_FIGURE_RENT]);
    record_quantity(r, "busy", "W", quantity_of(type->busy_watts, c->figure[t][POOL_FIGURE_WATTS]),
                    1, 0);
    record_quantity(r, "idle", "W", quantity_of(type->idle_watts, c->figure[t][POOL_FIGURE_WATTS]),
                    1, 0);
    add_detail(r, "watts", c->figure_of[t][POOL_FIGURE_WATTS]);
    add_detail(r, "measured", c->replicas.measured[t]);
}

/* Who gave the plan and the bound of the chosen rung: HiGHS where it was asked and better. */
static void solver_facts(const struct pool_run *run, struct record *r)
{
    const struct pool_highs *h = &run->highs;
    bool asked = pool_highs_answered(h), its = asked && h->rung == run->rung;

    record_text(r, "plan_by", its && h->plan ? "HiGHS" : "gpuplan");
    record_text(r, "bound_by", its && h->raised ? "HiGHS" : "gpuplan");
    record_text(r, "highs", asked ? h->version : "");
    record_text(r, "highs_rung", asked ? pool_rung_word(h->rung) : "");
    record_quantity(
        r, "highs_bound", "$/day",
        asked && h->bound > 0 ? modelled_of(h->bound / pool_days(run)) : quantity_unknown(), 1, 0);
    record_text(r, "highs_trouble", h->trouble);
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
    record_text(r, "verdict", why[0] ? "no fit" : unmet > 5e-4 ? "short" : "fits");
    add_detail(r, "why", why);
    add_detail(r, "demand", work->demand);
    add_column(r, "peak", "requests/s", "peak req/s",
               quantity_of(pool_demand_peak(work->rate, hours), ORIGIN_SHEET), 1, 2);
    add_column(r, "mean", "requests/s", "mean req/s",
               quantity_of(pool_demand_mean(work->rate, hours), ORIGIN_SHEET), 1, 2);
    add_column(r, "burst", "x", "burst", quantity_of(work->burst, ORIGIN_SHEET), 1, 2);
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

const struct layout *pool_layout(const struct pool_run *run, int candidate)
{
    const struct pool_replica *r = &run->c.replicas.row[run->c.replica_of[candidate]];
    int type = run->c.pool.candidates[candidate].type;
    bool fabric = pool_composes(&run->c.pool, type, run->rung);

    return (fabric ? r->fabric_rate > 0 : r->rate <= 0) ? &r->fabric : &r->server;
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

/* requests/s of one replica on the chosen rung. */
static double rate_of(const struct pool_run *run, int candidate)
{
    const struct pool_candidate *one = &run->c.pool.candidates[candidate];

    return pool_composes(&run->c.pool, one->type, run->rung) ? one->composed_rate : one->rate;
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
void pool_record_when(const struct pool_run *run, struct record *r, int hour)
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

    for (int t = 0; t < run->c.pool.type_count; t++)
        if (gpus[t] > 0)
            strbuf_addf(out, "%s%d %s", out->len > 0 ? ", " : "", gpus[t],
                        run->c.file.types[t].gpu);
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

int pool_in_stock(const struct pool_run *run, enum pool_rung_id id)
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
    const double *hours = run->answer.rungs[id].stranded;
    const char *before = "";

    for (int i = 0; i < POOL_CAUSES; i++) {
        if (hours[i] / run->c.pool.hours < 0.05)
            continue;
        strbuf_addf(out, "%s%s %.1f", before, i == POOL_STRANDED_START ? "starting" : causes[i],
                    hours[i] / run->c.pool.hours);
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

void pool_record_ladder(const struct pool_run *run, struct record *doc)
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
    struct strbuf text;

    strbuf_init(&text);
    if (candidate >= 0)
        pool_layout_words(run, candidate, &text);
    pool_record_when(run, r, hour);
    record_text(r, "workload", run->c.file.workloads[workload].name);
    record_text(r, "layout", text.text);
    record_count(r, "replicas", "", replicas);
    record_count(r, "gpus", "",
                 candidate < 0 ? 0 : run->c.pool.candidates[candidate].gpus * replicas);
    record_quantity(r, "serves", "requests/s",
                    modelled_of(candidate < 0 ? 0 : replicas * rate_of(run, candidate)), 1, 2);
    record_quantity(r, "needs", "requests/s", modelled_of(work->demand[hour] * work->burst), 1, 2);
    record_quantity(r, "unmet", "requests/s",
                    modelled_of(rung->unmet[workload * run->c.pool.hours + hour]), 1, 2);
    strbuf_fini(&text);
}

/* A row for each layout of a workload that runs; one, too, where it is served by nothing. */
void pool_record_hours(const struct pool_run *run, struct record *doc)
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
            struct strbuf text;
            double sum = 0;

            for (size_t h = 0; h < hours; h++)
                sum += row[h] = rung->replicas[(size_t)i * hours + h];
            if (sum <= 0)
                continue;
            strbuf_init(&text);
            pool_layout_words(run, i, &text);
            runs = record_append(r, "runs");
            record_text(runs, "layout", text.text);
            record_count(runs, "gpus", "", pool->candidates[i].gpus);
            record_quantity(runs, "serves", "requests/s", modelled_of(rate_of(run, i)), 1, 2);
            record_series(runs, "replicas", "", ORIGIN_EXACT, row, hours);
            strbuf_fini(&text);
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
            pool_record_when(run, r, h);
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

/* ---- all ---- */

static void break_even(const struct pool_run *run, struct record *doc, const char *name,
                       enum pool_rung_id than)
{
    const struct pool_rung *r = run->answer.rungs;
    double each = pool_break_even(&run->c.pool, &r[than], &r[POOL_HOURLY]);

    bool known = isfinite(each) && !pool_is_short(run, than) && !pool_is_short(run, POOL_HOURLY);

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
    record_text(doc, "schema", "gpuplan.pool/1");
    pool_facts(run, record_inside(doc, "pool"));
    record_list(doc, "types");
    for (int t = 0; t < run->c.pool.type_count; t++)
        type_facts(run, t, record_append(doc, "types"));
    pool_record_ladder(run, doc);
    record_text(doc, "rung", pool_rung_word(run->rung));
    solver_facts(run, record_inside(doc, "solver"));
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
    pool_record_moves(run, doc);
    if (whole)
        pool_record_places(run, doc);
    what_ifs(run, doc);
    pool_record_conclusion(run, doc);
}
