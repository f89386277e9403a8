/*
 * pool_conclusion.c - what to make of a pool's answer, a sentence each: the decision first, then
 * what sharing, a fabric and the cloud would change, and what is short; see pool_record.h.
 */
#include <math.h>
#include <stdarg.h>

#include "base/units.h"
#include "pool/pool_record.h"

#define HOURS_PER_YEAR 8760.0

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

/* What is served differs: money that holds the price of a shortage compares nothing. */
bool pool_is_short(const struct pool_run *run, enum pool_rung_id id)
{
    const struct pool_rung *r = &run->answer.rungs[id];

    return r->unmet_share > 5e-4 || r->jobs_undone > 0.5;
}

/* "less" or "more" of `than`, in percent; what is within the gaps is no difference. */
static void say_step(const struct pool_run *run, struct record *doc, const char *what,
                     enum pool_rung_id of, enum pool_rung_id than)
{
    const struct pool_rung *a = &run->answer.rungs[of], *b = &run->answer.rungs[than];
    double change = b->total > 0 ? a->total / b->total - 1 : 0;
    bool sure = change < 0 ? !pool_rung_bounded(b) || a->total < b->bound
                           : !pool_rung_bounded(a) || b->total < a->bound;

    if (pool_is_short(run, of) != pool_is_short(run, than)) {
        add_sentence(doc, "%s: %s serves all, %s does not; %d GPUs in place of %d", what,
                     pool_rung_word(pool_is_short(run, of) ? than : of),
                     pool_rung_word(pool_is_short(run, of) ? of : than), pool_run_gpus(run, of),
                     pool_run_gpus(run, than));
        return;
    }
    if (pool_is_short(run, of)) {
        add_sentence(doc, "%s: neither serves all; %d GPUs in place of %d", what,
                     pool_run_gpus(run, of), pool_run_gpus(run, than));
        return;
    }
    add_sentence(doc, "%s: %.1f %% %s money and %d GPUs in place of %d%s", what, fabs(change) * 100,
                 change <= 0 ? "less" : "more", pool_run_gpus(run, of), pool_run_gpus(run, than),
                 sure ? "" : "; within the gaps, so perhaps no difference");
}

/* The decision: what to have, what it takes to buy it, and what a day costs. */
static void say_answer(const struct pool_run *run, struct record *doc)
{
    const struct pool_rung *r = &run->answer.rungs[run->rung];
    char buy[32], day[32], stock[64] = "", unmet[48] = "", jobs[48] = "";
    struct strbuf gpus;

    strbuf_init(&gpus);
    pool_fleet_words(run, run->rung, &gpus);
    units_tokens(day, sizeof(day), (r->total - r->cost.penalty) / pool_days(run));
    units_tokens(buy, sizeof(buy), pool_capital(run, run->rung));
    if (pool_in_stock(run, run->rung) > 0)
        gp_format(stock, sizeof(stock), ", %d of them in stock", pool_in_stock(run, run->rung));
    if (r->unmet_share > 5e-4)
        gp_format(unmet, sizeof(unmet), "; %.1f %% of the demand is unmet", 100 * r->unmet_share);
    if (r->jobs_undone > 0.5)
        gp_format(jobs, sizeof(jobs), "; %.0f GPU-hours a day of jobs undone",
                  r->jobs_undone / pool_days(run));
    if (run->rung == POOL_CLOUD)
        add_sentence(doc, "%s: at most %s at a time; $%s/day", pool_rung_word(run->rung),
                     gpus.len > 0 ? gpus.text : "no GPUs", day);
    else
        add_sentence(
            doc, "%s%s, %s%s; $%s to buy, with servers; $%s/day, purchase and electricity%s%s",
            run->rung == pool_run_cheapest(run) ? "least to own: " : "", pool_rung_word(run->rung),
            gpus.len > 0 ? gpus.text : "no GPUs", stock, buy, day, unmet, jobs);
    strbuf_fini(&gpus);
}

static int composed_gpus(const struct pool_run *run, enum pool_rung_id id)
{
    int n = 0;

    for (int t = 0; t < run->c.pool.type_count; t++)
        n += pool_composes(&run->c.pool, t, id) ? run->answer.rungs[id].gpus[t] : 0;
    return n;
}

/* What a fabric may cost beside another rung; "" where that compares nothing. */
static void premium_words(const struct pool_run *run, enum pool_rung_id than, char *text,
                          size_t size)
{
    const struct pool_case *c = &run->c;
    const struct pool_rung *r = run->answer.rungs;
    double each = pool_break_even(&c->pool, &r[than], &r[POOL_HOURLY]);
    const struct ownership *own = c->replicas.market.ownership;
    double years = c->file.costs.years >= 0 ? c->file.costs.years : own->years;
    double residual = c->file.costs.residual >= 0 ? c->file.costs.residual : own->residual;
    char money[32];

    text[0] = '\0';
    if (!isfinite(each) || pool_is_short(run, POOL_HOURLY) || pool_is_short(run, than))
        return;
    if (each <= 0 || residual >= 1) {
        gp_copy(text, size, "at no price per GPU");
        return;
    }
    units_tokens(money, sizeof(money), each * years * HOURS_PER_YEAR / (1 - residual));
    gp_format(text, size, "up to $%s more for each of %d GPUs, $%.3f/h over %g years", money,
              composed_gpus(run, POOL_HOURLY), each, years);
}

static void say_premium(const struct pool_run *run, struct record *doc)
{
    char shared[120], fixed[120];

    if (composed_gpus(run, POOL_HOURLY) == 0) {
        add_sentence(doc, "hourly composes no GPU: there is nothing for a fabric to pay for");
        return;
    }
    premium_words(run, POOL_SHARED, shared, sizeof(shared));
    premium_words(run, POOL_FIXED, fixed, sizeof(fixed));
    if (shared[0])
        add_sentence(doc, "a composable fabric pays against shared servers: %s", shared);
    if (fixed[0])
        add_sentence(doc, "a composable fabric pays against a server for each model: %s", fixed);
}

/* Where no type is on offer it is said that way. */
static void say_cloud(const struct pool_run *run, struct record *doc)
{
    char what[64];
    bool offered = false;

    for (int t = 0; t < run->c.pool.type_count; t++)
        offered = offered || run->c.types[t].cloud_hour > 0;
    gp_format(what, sizeof(what), "the cloud by the hour, against %s", pool_rung_word(run->rung));
    if (!offered)
        add_sentence(doc, "cloud: none of these GPUs is on offer");
    else if (run->rung != POOL_CLOUD)
        say_step(run, doc, what, POOL_CLOUD, run->rung);
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

        if (w->another && w->unmet <= r->unmet_share + 5e-4 &&
            w->jobs_undone <= r->jobs_undone + 0.5 && (!best || w->paid < best->paid))
            best = w;
    }
    if (!best || best->paid > paid * (1 - r->gap) * 0.99)
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

void pool_record_conclusion(const struct pool_run *run, struct record *doc)
{
    const struct pool_file *file = &run->c.file;
    const char *rung = pool_rung_word(run->rung);
    char why[96];

    record_list(doc, "conclusion");
    say_answer(run, doc);
    if (run->halted)
        add_sentence(doc, "stopped before the search had ended: plans may be dearer than they need "
                          "be, and no what-ifs were asked");
    say_step(run, doc, "sharing servers over the day, against a server for each model", POOL_SHARED,
             POOL_FIXED);
    say_step(run, doc, "composing GPUs by the hour, against sharing servers", POOL_HOURLY,
             POOL_SHARED);
    for (int t = 0; t < file->type_count; t++)
        if (run->c.types[t].module)
            add_sentence(doc, "%s is not composed: composed and hourly have it in servers",
                         file->types[t].gpu);
    say_premium(run, doc);
    if (run->c.pool.workload_count > 1)
        add_sentence(doc,
                     "coincidence: all together need %.0f %% of the sum of each one's own peak",
                     run->answer.coincidence * 100);
    for (int id = 0; id < POOL_RUNGS; id++) {
        const struct pool_rung *r = &run->answer.rungs[id];
        char jobs[64] = "", paid[32];

        if (!pool_is_short(run, (enum pool_rung_id)id))
            continue;
        units_tokens(paid, sizeof(paid), (r->total - r->cost.penalty) / pool_days(run));
        if (r->jobs_undone > 0.5)
            gp_format(jobs, sizeof(jobs), " and %.0f GPU-hours of jobs undone",
                      r->jobs_undone / pool_days(run));
        add_sentence(doc,
                     "%s: $%s/day are paid, the rest is the price of what there are too few GPUs "
                     "for: %.1f %% of the demand is unmet%s",
                     pool_rung_word((enum pool_rung_id)id), paid, 100 * r->unmet_share, jobs);
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
    if (run->what_ifs_left > 0)
        add_sentence(doc,
                     "what if: %d found no plan in their time; --solve-seconds gives them longer",
                     run->what_ifs_left);
    for (int w = 0; w < run->c.pool.workload_count; w++) {
        pool_run_refusal(run, w, why, sizeof(why));
        if (why[0])
            add_sentence(doc, "%s is not served: %s", file->workloads[w].name, why);
    }
    if (run->sleepers > 0)
        add_sentence(doc, "engines that sleep need %.0f GB of host memory on one server",
                     run->sleepers / 1e9);
    if (pool_highs_answered(&run->highs) && run->highs.rung == run->rung)
        add_sentence(doc, "%s was also asked of HiGHS %s: %s", rung, run->highs.version,
                     run->highs.plan     ? "the plan shown is its own"
                     : run->highs.raised ? "the bound shown is its own"
                                         : "it knew nothing better");
    if (!run->placement.whole && run->placement.gpus > 0)
        add_sentence(doc,
                     "%d replica-hours of %s found no server or chassis with room in one piece",
                     run->placement.unplaced, rung);
    else if (!run->placement.whole)
        add_sentence(doc, "too many GPUs to say which serves what");
}
