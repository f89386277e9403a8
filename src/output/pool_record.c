/*
 * pool_record.c - see pool_record.h.
 */
#include "output/pool_record.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "request/pool_demand.h"
#include "util/str.h"

double pool_days(const struct pool_run *run)
{
    return run->c.pool.hours / 24.0;
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
    record_quantity(r, "electricity", "$/kWh",
                    quantity_of(run->c.pool.electricity, ORIGIN_SHEET), 1, 4);
    record_count(r, "pue", "", run->c.pool.pue);
    record_quantity(r, "fabric_premium", "$", quantity_of(f->fabric.premium, ORIGIN_SHEET), 1,
                    0);
    record_quantity(r, "wake", "s", quantity_of(f->moves.wake, ORIGIN_SHEET), 1, 1);
    record_quantity(r, "sleeping", "GB", modelled(run->sleepers), 1e9, 0);
    record_quantity(r, "restart", "s", quantity_of(f->moves.restart, ORIGIN_SHEET), 1, 0);
    record_quantity(r, "recompose", "s", quantity_of(f->moves.recompose, ORIGIN_SHEET), 1, 0);
    record_quantity(r, "load_rate", "GB/s", quantity_of(f->moves.load_rate, ORIGIN_SHEET),
                    1e9, 1);
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
    record_quantity(r, "own", "$/h",
                    quantity_of(type->buy_hour, c->figure[t][POOL_FIGURE_PRICE]), 1, 3);
    record_text(r, "price", c->figure_of[t][POOL_FIGURE_PRICE]);
    record_quantity(r, "premium", "$/h", quantity_of(type->premium_hour, ORIGIN_SHEET), 1, 3);
    record_quantity(r, "cloud", "$/h",
                    type->cloud_hour > 0
                        ? quantity_of(type->cloud_hour, c->figure[t][POOL_FIGURE_RENT])
                        : quantity_unknown(),
                    1, 2);
    record_text(r, "offer", c->figure_of[t][POOL_FIGURE_RENT]);
    record_quantity(r, "busy", "W",
                    quantity_of(type->busy_watts, c->figure[t][POOL_FIGURE_WATTS]), 1, 0);
    record_quantity(r, "idle", "W",
                    quantity_of(type->idle_watts, c->figure[t][POOL_FIGURE_WATTS]), 1, 0);
    record_text(r, "watts", c->figure_of[t][POOL_FIGURE_WATTS]);
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
    record_quantity(r, "highs_bound", "$/day",
                    asked && h->bound > 0 ? modelled(h->bound / pool_days(run))
                                          : quantity_unknown(),
                    1, 0);
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
    char why[96];

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
    record_title(r, "mean");
    record_quantity(r, "burst", "x", quantity_of(work->burst, ORIGIN_SHEET), 1, 2);
    record_title(r, "burst");
    record_quantity(r, "most_gpus", "GPUs", modelled(most), 1, 1);
    record_title(r, "most GPUs");
    record_count(r, "at_hour", "", peak_hour);
    record_title(r, "at h");
    record_quantity(r, "gpu_hours", "GPU-h/day", modelled(gpu_hours / pool_days(run)), 1, 0);
    record_title(r, "GPU-h/day");
    record_quantity(r, "unmet", "%", modelled(unmet), 0.01, 1);
    record_title(r, "unmet %");
    bool known = pool_run_penalty(run, w, &share, &tp);
    record_quantity(r, "fabric_loss", "%", known ? modelled(share) : quantity_unknown(), 0.01,
                    0);
    record_title(r, "PCIe loss %");
    record_positive(r, "fabric_loss_gpus", "", known ? tp : 0);
    record_title(r, "at GPUs");
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

static void candidate_facts(const struct pool_run *run, int i, struct record *r)
{
    const struct pool_case *c = &run->c;
    const struct pool_candidate *one = &c->pool.candidates[i];
    const struct pool_replica *from = &c->replicas.row[c->replica_of[i]];
    const struct layout *l = from->rate > 0 ? &from->server : &from->fabric;

    record_text(r, "workload", c->file.workloads[one->workload].name);
    record_text(r, "gpu", c->file.types[one->type].gpu);
    record_text(r, "slice", from->slice == POOL_WHOLE
                                ? ""
                                : c->replicas.type[one->type].slice[from->slice].profile);
    record_text(r, "precision", from->precision);
    record_count(r, "gpus", "", one->gpus);
    record_count(r, "tp", "", l->tp);
    record_count(r, "pp", "", l->pp);
    record_count(r, "ep", "", l->ep);
    record_quantity(r, "server_rate", "requests/s",
                    one->rate > 0 ? modelled(one->rate) : quantity_unknown(), 1, 2);
    record_quantity(r, "fabric_rate", "requests/s",
                    one->composed_rate > 0 ? modelled(one->composed_rate)
                                           : quantity_unknown(),
                    1, 2);
    record_quantity(r, "load", "s", modelled(one->load_s), 1, 1);
}

/* ---- the ladder ---- */

static const char *const causes[POOL_CAUSES] = {
    [POOL_STRANDED_SERVER] = "server",     [POOL_STRANDED_PEAKS] = "peaks",
    [POOL_STRANDED_TYPE] = "type",         [POOL_STRANDED_SLICE] = "slices",
    [POOL_STRANDED_REPLICA] = "replica",   [POOL_STRANDED_HEADROOM] = "headroom",
    [POOL_STRANDED_SPARE] = "spare",       [POOL_STRANDED_START] = "starting",
};

static void money(const struct pool_run *run, struct record *r, const char *name,
                  const char *title, double dollars)
{
    record_quantity(r, name, "$/day", modelled(dollars / pool_days(run)), 1, 0);
    record_title(r, title);
}

/* A column where there are jobs at all. */
static void jobs_undone(const struct pool_run *run, struct record *r, double gpu_hours)
{
    record_quantity(r, "jobs_undone", "GPU-h", modelled(gpu_hours / pool_days(run)), 1, 0);
    record_title(r, "undone GPU-h");
    if (run->c.pool.job_count == 0)
        record_detail(r);
}

static void gpus_by_type(const struct pool_run *run, const struct pool_rung *rung,
                         struct record *r)
{
    struct strbuf text;

    strbuf_init(&text);
    for (int t = 0; t < run->c.pool.type_count; t++)
        if (rung->gpus[t] > 0)
            strbuf_addf(&text, "%s%d %s", text.len > 0 ? ", " : "", rung->gpus[t],
                        run->c.file.types[t].gpu);
    record_text(r, "gpus_by_type", text.text);
    record_detail(r);
    strbuf_fini(&text);
}

static void stranded_facts(const struct pool_run *run, const struct pool_rung *rung,
                           struct record *r)
{
    double all = 0;

    for (int i = 0; i < POOL_CAUSES; i++)
        all += rung->stranded[i];
    record_group(r, "main");
    record_quantity(r, "stranded", "%",
                    rung->owned_hours > 0 ? modelled(all / rung->owned_hours)
                                          : quantity_unknown(),
                    0.01, 0);
    record_title(r, "stranded %");
    record_group(r, "stranded");
    for (int i = 0; i < POOL_CAUSES; i++) {
        record_quantity(r, causes[i], "GPUs", modelled(rung->stranded[i] / run->c.pool.hours),
                        1, 1);
        record_title(r, causes[i]);
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
    record_quantity(r, "bound", "$/day",
                    bounded ? modelled(rung->bound / pool_days(run)) : quantity_unknown(), 1,
                    0);
    record_title(r, "bound");
    record_quantity(r, "gap", "%", bounded ? modelled(rung->gap) : quantity_unknown(), 0.01,
                    1);
    record_title(r, "gap %");
    pool_run_gap(run, id, why, sizeof(why));
    record_text(r, "gap_cause", why[0] ? why : NULL);
    record_detail(r);
    record_count(r, "gpus", "", pool_run_gpus(run, id));
    record_title(r, "GPUs");
    gpus_by_type(run, rung, r);
    record_quantity(r, "energy", "kWh/day", modelled(rung->kwh / pool_days(run)), 1, 0);
    record_title(r, "kWh/day");
    record_quantity(r, "utilisation", "%", modelled(rung->utilisation), 0.01, 0);
    record_title(r, "busy %");
    record_quantity(r, "unmet", "%", modelled(rung->unmet_share), 0.01, 1);
    record_title(r, "unmet %");
    jobs_undone(run, r, rung->jobs_undone);
    record_count(r, "starts", "", rung->starts);
    record_detail(r);
    stranded_facts(run, rung, r);
    record_group(r, "money");
    money(run, r, "purchase", "purchase", rung->cost.purchase);
    money(run, r, "running", "rent, running", rung->cost.running);
    money(run, r, "electricity", "electricity", rung->cost.energy);
    money(run, r, "starting", "starting", rung->cost.starting);
    money(run, r, "penalty", "unmet", rung->cost.penalty);
    record_group(r, NULL);
}

void pool_record_ladder(const struct pool_run *run, struct record *doc)
{
    record_list(doc, "ladder");
    for (int id = 0; id < POOL_RUNGS; id++)
        rung_facts(run, (enum pool_rung_id)id, record_append(doc, "ladder"));
}

/* ---- hours ---- */

static void hour_facts(const struct pool_run *run, int hour, int candidate, int replicas,
                       struct record *r)
{
    const struct pool_candidate *one = &run->c.pool.candidates[candidate];
    const struct pool_rung *rung = &run->answer.rungs[run->rung];
    struct strbuf text;

    strbuf_init(&text);
    pool_layout_words(run, candidate, &text);
    record_count(r, "hour", "", hour);
    record_text(r, "workload", run->c.file.workloads[one->workload].name);
    record_text(r, "layout", text.text);
    record_count(r, "replicas", "", replicas);
    record_count(r, "gpus", "", one->gpus * replicas);
    bool server = !pool_composes(&run->c.pool, one->type, run->rung);
    record_quantity(r, "serves", "requests/s",
                    modelled(replicas * (server ? one->rate : one->composed_rate)), 1, 2);
    const struct pool_workload *work = &run->c.pool.workloads[one->workload];
    record_quantity(r, "needs", "requests/s", modelled(work->demand[hour] * work->burst), 1,
                    2);
    record_quantity(r, "unmet", "requests/s",
                    modelled(rung->unmet[one->workload * run->c.pool.hours + hour]), 1, 2);
    strbuf_fini(&text);
}

void pool_record_hours(const struct pool_run *run, struct record *doc)
{
    const struct pool *pool = &run->c.pool;
    const struct pool_rung *rung = &run->answer.rungs[run->rung];

    record_list(doc, "hours");
    for (int h = 0; h < pool->hours; h++)
        for (int i = 0; i < pool->candidate_count; i++) {
            int n = rung->replicas[i * pool->hours + h];
            if (n > 0)
                hour_facts(run, h, i, n, record_append(doc, "hours"));
        }
}

static void job_hours(const struct pool_run *run, struct record *doc)
{
    const struct pool *pool = &run->c.pool;

    record_list(doc, "job_hours");
    for (int h = 0; h < pool->hours; h++)
        for (int j = 0; j < pool->job_count; j++) {
            int n = run->answer.rungs[run->rung].workers[j * pool->hours + h];
            if (n == 0)
                continue;
            struct record *r = record_append(doc, "job_hours");
            record_count(r, "hour", "", h);
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
        record_quantity(r, "bound", "$/day",
                        w->bound > 0 ? modelled(w->bound / pool_days(run))
                                     : quantity_unknown(),
                        1, 0);
        record_title(r, "bound");
        record_quantity(r, "unmet", "%", modelled(w->unmet), 0.01, 1);
        record_title(r, "unmet %");
        jobs_undone(run, r, w->jobs_undone);
    }
}

/* ---- what to make of it ---- */

static double total_of(const struct pool_run *run, enum pool_rung_id id)
{
    return run->answer.rungs[id].total;
}

static void say(struct record *doc, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct record *doc, const char *fmt, ...)
{
    char line[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    record_item(doc, "conclusion", line);
}

/* What is served differs: money that holds the price of a shortage compares nothing. */
static bool is_short(const struct pool_run *run, enum pool_rung_id id)
{
    const struct pool_rung *r = &run->answer.rungs[id];

    return r->unmet_share > 5e-4 || r->jobs_undone > 0.5;
}

static void say_short(const struct pool_run *run, struct record *doc, enum pool_rung_id id)
{
    const struct pool_rung *r = &run->answer.rungs[id];
    char jobs[64] = "";

    if (!is_short(run, id))
        return;
    if (r->jobs_undone > 0.5)
        gp_format(jobs, sizeof(jobs), " and %.0f GPU-hours of jobs undone",
                  r->jobs_undone / pool_days(run));
    say(doc,
        "%s: $%.0f/day are paid, the rest is the price of what there are too few GPUs for: "
        "%.1f %% of the demand is unmet%s",
        pool_rung_word(id), (r->total - r->cost.penalty) / pool_days(run),
        100 * r->unmet_share, jobs);
}

/* "less" or "more" of `than`, in percent; what is within the gaps is no difference. */
static void say_step(const struct pool_run *run, struct record *doc, const char *what,
                     enum pool_rung_id of, enum pool_rung_id than)
{
    const struct pool_rung *a = &run->answer.rungs[of], *b = &run->answer.rungs[than];
    double change = b->total > 0 ? a->total / b->total - 1 : 0;
    bool sure = change < 0 ? !pool_rung_bounded(b) || a->total < b->bound
                           : !pool_rung_bounded(a) || b->total < a->bound;

    if (is_short(run, of) != is_short(run, than)) {
        say(doc, "%s: %s serves all, %s does not; %d GPUs in place of %d", what,
            pool_rung_word(is_short(run, of) ? than : of),
            pool_rung_word(is_short(run, of) ? of : than), pool_run_gpus(run, of),
            pool_run_gpus(run, than));
        return;
    }
    say(doc, "%s: %.1f %% %s money and %d GPUs in place of %d%s", what, fabs(change) * 100,
        change <= 0 ? "less" : "more", pool_run_gpus(run, of), pool_run_gpus(run, than),
        sure ? "" : "; within the gaps, so perhaps no difference");
}

/* How far the plan may be from the least, and why nothing nearer is proved. */
static void say_gap(const struct pool_run *run, struct record *doc, enum pool_rung_id id)
{
    char why[96];

    pool_run_gap(run, id, why, sizeof(why));
    if (why[0])
        say(doc, "%s: at most %.1f %% above the least: %s", pool_rung_word(id),
            100 * run->answer.rungs[id].gap, why);
}

static int composed_gpus(const struct pool_run *run, enum pool_rung_id id)
{
    int n = 0;

    for (int t = 0; t < run->c.pool.type_count; t++)
        n += pool_composes(&run->c.pool, t, id) ? run->answer.rungs[id].gpus[t] : 0;
    return n;
}

static void say_premium(const struct pool_run *run, struct record *doc)
{
    const struct pool_case *c = &run->c;
    double each = run->answer.break_even_hour;
    const struct ownership *own = c->replicas.market.ownership;
    double years = c->file.costs.years >= 0 ? c->file.costs.years : own->years;
    double residual = c->file.costs.residual >= 0 ? c->file.costs.residual : own->residual;
    int composed = composed_gpus(run, POOL_HOURLY);

    if (composed == 0)
        say(doc, "hourly composes no GPU: there is nothing for a fabric to pay for");
    else if (!isfinite(each) || is_short(run, POOL_HOURLY) != is_short(run, POOL_SHARED))
        return;
    else if (each <= 0 || residual >= 1)
        say(doc, "a composable fabric does not pay here at any price per GPU");
    else
        say(doc,
            "a composable fabric pays up to $%.0f for each of %d composed GPUs beyond a "
            "server's price ($%.3f/h over %.0f years); no premium is counted but the file's",
            each * years * 8760 / (1 - residual), composed, each, years);
}

static void say_modules(const struct pool_run *run, struct record *doc)
{
    for (int t = 0; t < run->c.pool.type_count; t++)
        if (run->c.types[t].module)
            say(doc, "%s is not composed: composed and hourly have it in servers",
                run->c.file.types[t].gpu);
}

static void say_sleepers(const struct pool_run *run, struct record *doc)
{
    if (run->sleepers > 0)
        say(doc, "engines that sleep need %.0f GB of host memory on one server",
            run->sleepers / 1e9);
}

static void say_refused(const struct pool_run *run, struct record *doc)
{
    char why[96];

    for (int w = 0; w < run->c.pool.workload_count; w++) {
        pool_run_refusal(run, w, why, sizeof(why));
        if (why[0])
            say(doc, "%s is not served: %s", run->c.file.workloads[w].name, why);
    }
}

/* What to make of it, a sentence each; the first is the verdict. */
static void add_conclusion(const struct pool_run *run, struct record *doc)
{
    double least = total_of(run, run->rung), cloud = total_of(run, POOL_CLOUD);

    record_list(doc, "conclusion");
    say_step(run, doc, "sharing servers over the day, against a server for each model",
             POOL_SHARED, POOL_FIXED);
    say_step(run, doc, "composing GPUs by the hour, against sharing servers", POOL_HOURLY,
             POOL_SHARED);
    say_modules(run, doc);
    say_premium(run, doc);
    say(doc, "peaks: all together need %.0f %% of the sum of each one's own peak",
        run->answer.coincidence * 100);
    for (int id = 0; id < POOL_RUNGS; id++)
        say_short(run, doc, (enum pool_rung_id)id);
    for (int id = 0; id < POOL_RUNGS; id++)
        say_gap(run, doc, (enum pool_rung_id)id);
    if (cloud > 0 && least > 0 && !is_short(run, POOL_CLOUD) && !is_short(run, run->rung))
        say(doc, "cloud on demand, by the hour: %.1f times the cost of %s", cloud / least,
            pool_rung_word(run->rung));
    say_refused(run, doc);
    say_sleepers(run, doc);
    if (pool_highs_answered(&run->highs) && run->highs.rung == run->rung)
        say(doc, "%s was also asked of HiGHS %s: %s", pool_rung_word(run->rung),
            run->highs.version,
            run->highs.plan     ? "the plan shown is its own"
            : run->highs.raised ? "the bound shown is its own"
                                : "it knew nothing better");
    if (!run->seating.whole && run->seating.gpus > 0)
        say(doc, "%d replica-hours of %s found no server or chassis with room in one piece",
            run->seating.unplaced, pool_rung_word(run->rung));
    else if (!run->seating.whole)
        say(doc, "too many GPUs to say which serves what");
}

void pool_record(const struct pool_run *run, struct record *doc)
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
    record_quantity(doc, "break_even_premium", "$/h",
                    isfinite(run->answer.break_even_hour)
                        ? modelled(run->answer.break_even_hour)
                        : quantity_unknown(),
                    1, 4);
    record_list(doc, "workloads");
    for (int w = 0; w < run->c.pool.workload_count; w++)
        workload_facts(run, w, record_append(doc, "workloads"));
    record_list(doc, "candidates");
    for (int i = 0; i < run->c.pool.candidate_count; i++)
        candidate_facts(run, i, record_append(doc, "candidates"));
    pool_record_hours(run, doc);
    job_hours(run, doc);
    pool_record_moves(run, doc);
    pool_record_places(run, doc);
    what_ifs(run, doc);
    add_conclusion(run, doc);
}
