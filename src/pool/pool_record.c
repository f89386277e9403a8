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

static struct quantity modelled(double value)
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
    record_quantity(r, "sleeping", "GB", modelled(run->sleepers), 1e9, 0);
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
    record_text(r, "watts", c->figure_of[t][POOL_FIGURE_WATTS]);
    record_detail(r);
    record_text(r, "measured", c->replicas.measured[t]);
    record_detail(r);
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
        asked && h->bound > 0 ? modelled(h->bound / pool_days(run)) : quantity_unknown(), 1, 0);
    record_text(r, "highs_trouble", h->trouble);
}

/* ---- workloads ---- */

/* Share of a workload's demand that the chosen rung leaves out. */
static double unmet_of(const struct pool_run *run, int w)
{
    const struct pool *pool = &run->c.pool;
    double need = 0, unmet = 0;

    for (int h = 0; h < pool->hours; h++) {
        need += pool->workloads[w].demand[h] * pool->workloads[w].burst;
        unmet += run->answer.rungs[run->rung].unmet[w * pool->hours + h];
    }
    return need > 0 ? unmet / need : 0;
}

static void workload_facts(const struct pool_run *run, int w, struct record *r)
{
    const struct pool_file_workload *work = &run->c.file.workloads[w];
    int hours = run->c.pool.hours, peak_hour = 0, tp;
    double most = 0, share, gpu_hours = 0;
    char why[96], at[16];

    for (int h = 0; h < hours; h++) {
        double n = pool_run_taken(run, run->rung, w, h);

        gpu_hours += n;
        if (n > most) {
            most = n;
            peak_hour = h;
        }
    }
    pool_run_refusal(run, w, why, sizeof(why));
    double unmet = unmet_of(run, w);
    record_text(r, "name", work->name);
    record_text(r, "model", work->model);
    record_text(r, "verdict", why[0] ? "no fit" : unmet > 5e-4 ? "short" : "fits");
    record_text(r, "why", why);
    record_detail(r);
    record_text(r, "demand", work->demand);
    record_detail(r);
    record_quantity(r, "peak", "requests/s",
                    quantity_of(pool_demand_peak(work->rate, hours), ORIGIN_SHEET), 1, 2);
    record_title(r, "peak req/s");
    record_quantity(r, "mean", "requests/s",
                    quantity_of(pool_demand_mean(work->rate, hours), ORIGIN_SHEET), 1, 2);
    record_title(r, "mean req/s");
    record_quantity(r, "burst", "x", quantity_of(work->burst, ORIGIN_SHEET), 1, 2);
    record_title(r, "burst");
    record_quantity(r, "most_gpus", "GPUs", modelled(most), 1, 1);
    record_title(r, "most GPUs");
    record_count(r, "at_hour", "", peak_hour);
    record_detail(r);
    record_text(r, "at", pool_hour_words(run, peak_hour, at));
    record_quantity(r, "gpu_hours", "GPU-h/day", modelled(gpu_hours / pool_days(run)), 1, 0);
    record_title(r, "GPU-h/day");
    record_quantity(r, "unmet", "%", modelled(unmet), 0.01, 1);
    record_title(r, "unmet %");
    bool known = pool_run_penalty(run, w, &share, &tp);
    record_quantity(r, "fabric_loss", "%", known ? modelled(share) : quantity_unknown(), 0.01, 0);
    record_title(r, "PCIe loss %");
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

static void candidate_facts(const struct pool_run *run, int i, struct record *r)
{
    const struct pool_case *c = &run->c;
    const struct pool_candidate *one = &c->pool.candidates[i];
    const struct pool_replica *from = &c->replicas.row[c->replica_of[i]];
    const struct layout *l = from->rate > 0 ? &from->server : &from->fabric;

    record_text(r, "workload", c->file.workloads[one->workload].name);
    record_text(r, "gpu", c->file.types[one->type].gpu);
    record_text(r, "slice",
                from->slice == POOL_WHOLE ? ""
                                          : c->replicas.type[one->type].slice[from->slice].profile);
    record_text(r, "precision", from->precision);
    record_count(r, "gpus", "", one->gpus);
    record_count(r, "tp", "", l->tp);
    record_count(r, "pp", "", l->pp);
    record_count(r, "ep", "", l->ep);
    record_quantity(r, "server_rate", "requests/s",
                    one->rate > 0 ? modelled(one->rate) : quantity_unknown(), 1, 2);
    record_quantity(r, "fabric_rate", "requests/s",
                    one->composed_rate > 0 ? modelled(one->composed_rate) : quantity_unknown(), 1,
                    2);
    record_quantity(r, "load", "s", modelled(one->load_s), 1, 1);
}

/* ---- the ladder ---- */

static const char *const causes[POOL_CAUSES] = {
    [POOL_STRANDED_SERVER] = "server",   [POOL_STRANDED_PEAKS] = "peaks",
    [POOL_STRANDED_TYPE] = "type",       [POOL_STRANDED_SLICE] = "slices",
    [POOL_STRANDED_REPLICA] = "replica", [POOL_STRANDED_HEADROOM] = "headroom",
    [POOL_STRANDED_SPARE] = "spare",     [POOL_STRANDED_START] = "start",
};

static void money(const struct pool_run *run, struct record *r, const char *name, const char *title,
                  double dollars)
{
    record_quantity(r, name, "$/day", modelled(dollars / pool_days(run)), 1, 0);
    record_style(r, STYLE_THOUSANDS);
    record_title(r, title);
}

/* The bound of a cost; 0: none is known. */
static void money_bound(const struct pool_run *run, struct record *r, double dollars)
{
    if (dollars > 0) {
        money(run, r, "bound", "bound $/day", dollars);
        return;
    }
    record_quantity(r, "bound", "$/day", quantity_unknown(), 1, 0);
    record_title(r, "bound $/day");
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
    record_quantity(r, "jobs_undone", "GPU-h", modelled(gpu_hours / pool_days(run)), 1, 0);
    record_title(r, "undone GPU-h");
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

static void fleet_facts(const struct pool_run *run, enum pool_rung_id id, struct record *r)
{
    struct strbuf gpus;

    strbuf_init(&gpus);
    pool_fleet_words(run, id, &gpus);
    record_group(r, "fleet");
    record_quantity(r, "capital", "$", modelled(pool_capital(run, id)), 1, 0);
    record_style(r, STYLE_THOUSANDS);
    record_title(r, "to buy $");
    record_text(r, "gpus_by_type", gpus.text);
    record_title(r, "GPUs by type");
    record_group(r, NULL);
    strbuf_fini(&gpus);
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

static void stranded_facts(const struct pool_run *run, const struct pool_rung *rung,
                           struct record *r)
{
    double all = 0;

    for (int i = 0; i < POOL_CAUSES; i++)
        all += rung->stranded[i];
    record_group(r, "main");
    record_quantity(r, "stranded", "%",
                    rung->owned_hours > 0 ? modelled(all / rung->owned_hours) : quantity_unknown(),
                    0.01, 0);
    record_title(r, "stranded %");
    record_group(r, "stranded");
    for (int i = 0; i < POOL_CAUSES; i++) {
        record_quantity(r, causes[i], "GPUs", modelled(rung->stranded[i] / run->c.pool.hours), 1,
                        1);
        record_title(r, i == POOL_STRANDED_START ? "starting" : causes[i]);
    }
    record_group(r, NULL);
}

static void rung_facts(const struct pool_run *run, enum pool_rung_id id, struct record *r)
{
    const struct pool_rung *rung = &run->answer.rungs[id];
    bool bounded = pool_rung_bounded(rung);
    char why[96];

    record_text(r, "name", pool_rung_word(id));
    record_group(r, "main");
    money(run, r, "cost", "$/day", rung->total);
    money_bound(run, r, bounded ? rung->bound : 0);
    record_quantity(r, "gap", "%", bounded ? modelled(rung->gap) : quantity_unknown(), 0.01, 1);
    record_title(r, "gap %");
    pool_run_gap(run, id, why, sizeof(why));
    record_text(r, "gap_cause", why[0] ? why : NULL);
    record_detail(r);
    record_count(r, "gpus", "", pool_run_gpus(run, id));
    record_title(r, "GPUs");
    record_quantity(r, "energy", "kWh/day", modelled(rung->kwh / pool_days(run)), 1, 0);
    record_style(r, STYLE_THOUSANDS);
    record_title(r, "kWh/day");
    record_quantity(r, "utilisation", "%", modelled(rung->utilisation), 0.01, 0);
    record_title(r, "busy %");
    record_quantity(r, "unmet", "%", modelled(rung->unmet_share), 0.01, 1);
    record_title(r, "unmet %");
    jobs_undone(run, r, rung->jobs_undone);
    record_count(r, "starts", "", rung->starts);
    record_detail(r);
    fleet_facts(run, id, r);
    stranded_facts(run, rung, r);
    record_group(r, "money");
    money(run, r, "purchase", "purchase", rung->cost.purchase);
    money(run, r, "running", "rent, running", rung->cost.running);
    money(run, r, "electricity", "electricity", rung->cost.energy);
    money(run, r, "starting", "starting", rung->cost.starting);
    money(run, r, "penalty", "unmet, priced", rung->cost.penalty);
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
                    modelled(candidate < 0 ? 0 : replicas * rate_of(run, candidate)), 1, 2);
    record_quantity(r, "needs", "requests/s", modelled(work->demand[hour] * work->burst), 1, 2);
    record_quantity(r, "unmet", "requests/s",
                    modelled(rung->unmet[workload * run->c.pool.hours + hour]), 1, 2);
    strbuf_fini(&text);
}

/* Rows of a workload in an hour; one, too, where it is served by nothing. */
static void workload_hour(const struct pool_run *run, int hour, int w, int first,
                          struct record *doc)
{
    const struct pool *pool = &run->c.pool;
    const struct pool_rung *rung = &run->answer.rungs[run->rung];
    bool any = false;

    for (int i = first; i < pool->candidate_count && pool->candidates[i].workload == w; i++) {
        int n = rung->replicas[i * pool->hours + hour];

        any = any || n > 0;
        if (n > 0)
            hour_facts(run, hour, w, i, n, record_append(doc, "hours"));
    }
    if (!any && rung->unmet[w * pool->hours + hour] > 0)
        hour_facts(run, hour, w, -1, 0, record_append(doc, "hours"));
}

void pool_record_hours(const struct pool_run *run, struct record *doc)
{
    const struct pool *pool = &run->c.pool;

    record_list(doc, "hours");
    for (int h = 0; h < pool->hours; h++)
        for (int w = 0, first = 0; w < pool->workload_count; w++) {
            workload_hour(run, h, w, first, doc);
            while (first < pool->candidate_count && pool->candidates[first].workload <= w)
                first++;
        }
}

/* What runs of a candidate, hour by hour; nothing where it never does. */
static void run_facts(const struct pool_run *run, int candidate, struct record *work)
{
    const struct pool *pool = &run->c.pool;
    const int *n = run->answer.rungs[run->rung].replicas + (size_t)candidate * pool->hours;
    double replicas[POOL_MOST_HOURS], sum = 0;
    struct strbuf text;

    for (int h = 0; h < pool->hours; h++)
        sum += replicas[h] = n[h];
    if (sum <= 0)
        return;
    struct record *r = record_append(work, "runs");
    strbuf_init(&text);
    pool_layout_words(run, candidate, &text);
    record_text(r, "layout", text.text);
    record_count(r, "gpus", "", pool->candidates[candidate].gpus);
    record_quantity(r, "serves", "requests/s", modelled(rate_of(run, candidate)), 1, 2);
    record_series(r, "replicas", "", ORIGIN_EXACT, replicas, (size_t)pool->hours);
    strbuf_fini(&text);
}

/* The same for JSON: a workload has its hours in rows of numbers. */
static void hours_of_workloads(const struct pool_run *run, struct record *doc)
{
    const struct pool *pool = &run->c.pool;
    size_t hours = (size_t)pool->hours;
    double needs[POOL_MOST_HOURS];

    record_long_list(doc, "hours");
    for (int w = 0, i = 0; w < pool->workload_count; w++) {
        struct record *r = record_append(doc, "hours");
        const double *unmet = run->answer.rungs[run->rung].unmet + (size_t)w * hours;

        for (size_t h = 0; h < hours; h++)
            needs[h] = pool->workloads[w].demand[h] * pool->workloads[w].burst;
        record_text(r, "workload", run->c.file.workloads[w].name);
        record_series(r, "needs", "requests/s", ORIGIN_SHEET, needs, hours);
        record_series(r, "unmet", "requests/s", ORIGIN_MODEL, unmet, hours);
        record_list(r, "runs");
        for (; i < pool->candidate_count && pool->candidates[i].workload == w; i++)
            run_facts(run, i, r);
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
        money(run, r, "paid", "$/day", w->paid);
        money_bound(run, r, w->bound);
        record_quantity(r, "unmet", "%", modelled(w->unmet), 0.01, 1);
        record_title(r, "unmet %");
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

    record_quantity(doc, name, "$/h", known ? modelled(each) : quantity_unknown(), 1, 4);
}

static void candidates(const struct pool_run *run, struct record *doc)
{
    record_long_list(doc, "candidates");
    for (int i = 0; i < run->c.pool.candidate_count; i++)
        candidate_facts(run, i, record_append(doc, "candidates"));
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
    record_quantity(doc, "coincidence", "%", modelled(run->answer.coincidence), 0.01, 1);
    break_even(run, doc, "break_even_premium", POOL_SHARED);
    break_even(run, doc, "break_even_premium_fixed", POOL_FIXED);
    record_list(doc, "workloads");
    for (int w = 0; w < run->c.pool.workload_count; w++)
        workload_facts(run, w, record_append(doc, "workloads"));
    if (whole) {
        candidates(run, doc);
        hours_of_workloads(run, doc);
        job_hours(run, doc);
    }
    pool_record_moves(run, doc);
    if (whole)
        pool_record_places(run, doc);
    what_ifs(run, doc);
    pool_record_conclusion(run, doc);
}
