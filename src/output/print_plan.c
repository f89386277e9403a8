/*
 * print_plan.c - see print_plan.h. Words first, every number with its unit and origin.
 */
#include "output/print_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/parts.h"
#include "output/print_why.h"
#include "util/table.h"
#include "util/units.h"

#define BAR_WIDTH 60

/* ---- the parts ---- */

/* One per role: what the bar is drawn with, and the mark before the part's line. */
static const char glyphs[PART_ROLE_COUNT] = {' ', '#', '=', ':', '-', '.'};

static void band(const struct quantity *q, char *text, size_t size)
{
    text[0] = '\0';
    if (q->high - q->low > 0.005 * GP_GIB)
        gp_format(text, size, "%.2f..%.2f", q->low / GP_GIB, q->high / GP_GIB);
}

static void print_parts(const struct plan *p, struct strbuf *out)
{
    struct part parts[PARTS_MAX];
    int n = parts_list(p, parts);
    char range[40];
    strbuf_add(out, "\nmemory of one GPU         GiB  band           origin\n");
    for (int i = 0; i < n; i++) {
        band(&parts[i].q, range, sizeof(range));
        strbuf_addf(out, " %c  %-17s %7.2f  %-14s %s", glyphs[parts[i].role],
                    parts[i].name, parts[i].q.value / GP_GIB, range,
                    origin_word(parts[i].q.origin));
        if (parts[i].note[0])
            strbuf_addf(out, "%*s%s", 10 - (int)strlen(origin_word(parts[i].q.origin)),
                        "", parts[i].note);
        strbuf_add(out, "\n");
    }
    if (p->layout.pp > 1)
        strbuf_addf(out, "    (stage %d of %d, the one that binds)\n",
                    p->memory.stage + 1, p->layout.pp);
}

static void print_bar(const struct plan *p, struct strbuf *out)
{
    struct part parts[PARTS_MAX];
    int n = parts_list(p, parts), used = 0;
    double room = p->memory.usable.value, sum = 0;
    strbuf_add(out, "    [");
    for (int i = 0; i < n; i++) {
        if (!parts_fills(parts[i].role))
            continue;
        sum += parts[i].q.value;
        int until = (int)lround(fmin(sum / room, 1) * BAR_WIDTH);
        for (; used < until; used++)
            strbuf_addn(out, &glyphs[parts[i].role], 1);
    }
    for (; used < BAR_WIDTH; used++)
        strbuf_add(out, ".");
    strbuf_add(out, sum > room ? "] overflows\n" : "]\n");
}

static void print_pool(const struct plan *p, struct strbuf *out)
{
    const struct memory *m = &p->memory;
    char a[32], b[32], c[32], range[40];
    if (!m->max_concurrency.known)
        return;
    if (m->kv_pool.value <= 0) {
        strbuf_addf(out, "    no room for KV: %s short\n",
                    units_gib(a, sizeof(a), -m->kv_pool.value));
        return;
    }
    band(&m->kv_pool, range, sizeof(range));
    strbuf_addf(
        out, "    KV pool %s%s%s%s: %s tokens, %.1f requests of %s tokens\n",
        units_gib(a, sizeof(a), m->kv_pool.value), range[0] ? " (" : "", range,
        range[0] ? ")" : "", units_tokens(b, sizeof(b), m->kv_cache_tokens.value),
        m->max_concurrency.value, units_tokens(c, sizeof(c), p->request.context));
}

/* ---- head, layout, rule of thumb ---- */

/* ", context 12,240 tokens": the field that was solved for, and its value. */
static void print_solved(const struct answer *a, struct strbuf *out)
{
    const struct request *q = &a->plan.request;
    char tokens[32];
    if (!a->solved)
        return;
    if (!solve_has_limit(q, a->solve)) {
        strbuf_addf(out, ", %s: no limit, it keeps no KV",
                    a->solve == SOLVE_USERS ? "users" : "context");
        return;
    }
    switch (a->solve) {
    case SOLVE_CONTEXT:
        strbuf_addf(out, ", context %s tokens",
                    units_tokens(tokens, sizeof(tokens), q->context));
        break;
    case SOLVE_USERS:
        strbuf_addf(out, ", %.0f users", q->users);
        break;
    case SOLVE_PRECISION:
        strbuf_addf(out, ", precision %s", q->precision.id);
        break;
    case SOLVE_BUDGET:
        strbuf_addf(out, ", $%.2f per hour", a->plan.cost.per_hour);
        break;
    default:
        strbuf_addf(out, ", %d GPU%s", a->plan.layout.gpus,
                    a->plan.layout.gpus == 1 ? "" : "s");
    }
}

/* What was asked: the model and how it is stored, the users, the engine. */
static void print_load(const struct answer *a, struct strbuf *out)
{
    const struct request *q = &a->plan.request;
    char params[32], tokens[32];
    strbuf_addf(out, "%s (%s parameters%s), %s weights%s", q->model->name,
                units_params(params, sizeof(params), model_params(q->model)),
                a->resolved.generic ? ", shape assumed" : "", q->precision.id,
                q->precision.native ? " as published" : "");
    if (q->model->weights_only) {
        strbuf_add(out, "\nweights only: no tokens, no KV cache, no engine\n");
        return;
    }
    strbuf_addf(out, ", %s KV cache\n%.0f user%s x %s tokens, %s %s\n", q->kv->id,
                q->users, q->users == 1 ? "" : "s",
                units_tokens(tokens, sizeof(tokens), q->context), q->engine->name,
                q->engine->range);
}

static void print_second(const struct plan *p, struct strbuf *out)
{
    const struct runner_up *r = &p->second;
    char words[96], money[48] = "";
    if (r->layout.gpus == 0)
        return;
    if (r->per_hour > 0)
        gp_format(money, sizeof(money), ", $%.2f/h", r->per_hour);
    strbuf_addf(out, "  runner-up: %d GPU%s, %s%s (%s)\n", r->layout.gpus,
                r->layout.gpus == 1 ? "" : "s",
                layout_words(&r->layout, words, sizeof(words)), money, r->lost);
}

static void print_head(const struct answer *a, struct strbuf *out)
{
    const struct plan *p = &a->plan;
    const struct request *q = &p->request;
    const struct layout *l = &p->layout;
    char words[96];
    print_load(a, out);
    strbuf_addf(out, "\n%s on %d x %s (%s)",
                p->verdict == VERDICT_FITS       ? "FITS"
                : p->verdict == VERDICT_MARGINAL ? "MARGINAL"
                                                 : "DOES NOT FIT",
                l->gpus, q->gpu->name, q->gpu->id);
    strbuf_addf(out, ": %s, %d host%s\n", layout_words(l, words, sizeof(words)),
                l->hosts, l->hosts == 1 ? "" : "s");
    print_second(p, out);
    if (a->resolved.gpu_chosen)
        strbuf_addf(out, "no GPU was named: this is %s\n",
                    a->solve == SOLVE_GPUS ? "the one of which the fewest fit"
                                           : "the cheapest list price that fits");
    if (a->resolved.gpu_local)
        strbuf_add(out, "no GPU was named: this is the one in this machine\n");
    if (a->solve == SOLVE_NONE)
        return;
    strbuf_add(out, a->solved ? "solved" : "solving found nothing that fits");
    print_solved(a, out);
    strbuf_add(out, a->solved && solve_has_limit(q, a->solve)
                        ? " (the best that fits)\n"
                        : "\n");
}

static void print_lines(const char *title, const char (*lines)[240], int count,
                        struct strbuf *out)
{
    for (int i = 0; i < count; i++)
        strbuf_addf(out, "%s%s\n", title, lines[i]);
}

static void print_rule(const struct plan *p, struct strbuf *out)
{
    const struct memory *m = &p->memory;
    char a[32], b[32];
    strbuf_addf(out,
                "    rule of thumb at %s: %.4g B x %.4g bit / 8 x 1.25 = %s in all; "
                "counted weights: %s\n",
                p->request.precision.id, model_params(p->request.model) / 1e9,
                p->request.precision.weight->bits,
                units_gib(a, sizeof(a), m->rule_of_thumb),
                units_gib(b, sizeof(b), m->file_bytes));
}

/* ---- cost ---- */

static void print_rent(const char *name, const struct rent *r, struct strbuf *out)
{
    char hour[32], month[32], note[256], age[48] = "undated";
    if (!r->known)
        return;
    if (r->age_days >= 0)
        gp_format(age, sizeof(age), "%s, %ld days old%s", r->instance->date,
                  r->age_days, r->age_days > COST_OLD_DAYS ? ": check it" : "");
    strbuf_addf(out, "    %-11s %9s/h  %10s/month  %d x %s %s, %d GPU%s (%s)\n", name,
                units_money(hour, sizeof(hour), r->per_hour),
                units_money(month, sizeof(month), r->per_month), r->instances,
                r->instance->provider, r->instance->type, r->gpus_paid,
                r->gpus_paid == 1 ? "" : "s", age);
    if (cost_rent_note(r, note, sizeof(note))[0])
        strbuf_addf(out, "%16s%s\n", "", note);
}

static void print_buy(const struct cost *c, struct strbuf *out)
{
    const struct buy *b = &c->buy;
    char hour[32], month[32], capital[32];
    if (!b->known)
        return;
    strbuf_addf(out, "    %-11s %9s/h  %10s/month  %s for %s (%s, %s), %.1f kW\n",
                "buy", units_money(hour, sizeof(hour), b->per_hour.value),
                units_money(month, sizeof(month), b->per_month.value), b->what,
                units_money(capital, sizeof(capital), b->capital.value),
                b->as_of[0] ? b->as_of : "undated", origin_word(b->capital.origin),
                b->watts / 1000);
    if (b->break_even_hours > 0)
        strbuf_addf(out, "    break-even  after %.0f hours of renting (%.1f months)\n",
                    b->break_even_hours,
                    b->break_even_hours / (COST_HOURS_PER_MONTH * b->hours_share));
    else if (c->on_demand.known || c->spot.known || c->market.known)
        strbuf_addf(out, "    break-even  not within %.0f years\n", b->own->years);
}

static void print_cost(const struct plan *p, struct strbuf *out)
{
    const struct cost *c = &p->cost;
    strbuf_add(out, "\ncost\n");
    print_rent("on demand", &c->on_demand, out);
    print_rent("spot", &c->spot, out);
    if (c->want == WANT_MARKET)
        print_rent("marketplace", &c->market, out);
    print_buy(c, out);
    if (c->note[0])
        strbuf_addf(out, "    %s\n", c->note);
    if (!c->on_demand.known && !c->spot.known && !c->buy.known && !c->note[0])
        strbuf_add(out, "    no price is known\n");
}

/* ---- fixes, sources, why ---- */

static void print_fix(const struct answer *a, const struct options *options,
                      const struct fix *f, struct strbuf *out)
{
    char money[40] = "cost unknown", room[40] = "";
    /* a plan that was refused for its types has no room to compare with */
    if (a->plan.has_memory && a->plan.limit != LIMIT_TYPE)
        gp_format(room, sizeof(room), ", %+.2f GiB/GPU", f->gain / GP_GIB);
    if (f->per_hour > 0)
        gp_format(money, sizeof(money), "%.2f $/h", f->per_hour);
    if (f->cost_known && fabs(f->cost_delta) < 0.005)
        gp_copy(money, sizeof(money), "same cost");
    else if (f->cost_known)
        gp_format(money, sizeof(money), "%+.2f $/h", f->cost_delta);
    strbuf_addf(out, "    %-12s  %s%s%s%s\n      ", money, f->what,
                f->verdict == VERDICT_MARGINAL ? " (marginal)" : "", room,
                f->spans ? ", over several machines" : "");
    planner_fix_command(options, a, f, out);
    strbuf_add(out, "\n");
}

static void print_fixes(const struct answer *a, const struct options *options,
                        struct strbuf *out)
{
    bool fits = a->plan.verdict == VERDICT_FITS;
    if (a->fix_count > 0)
        strbuf_add(out, fits ? "\nfewer GPUs\n"
                             : "\nwhat would fit (each one was planned)\n");
    else if (!fits)
        strbuf_add(out, "\nno single change makes it fit\n");
    for (int i = 0; i < a->fix_count; i++)
        print_fix(a, options, &a->fixes[i], out);
}

/* "    name    text", broken at spaces so that lines stay under 100 columns. */
static void print_source(const char *name, const char *text, struct strbuf *out)
{
    const size_t width = 86;
    strbuf_addf(out, "    %-8s", name);
    while (strlen(text) > width) {
        size_t n = width;
        while (n > 1 && text[n] != ' ')
            n--;
        n = n > 1 ? n : width;
        strbuf_addn(out, text, n);
        strbuf_add(out, "\n            ");
        text += n + (text[n] == ' ');
    }
    strbuf_addf(out, "%s\n", text);
}

static void print_sources(const struct plan *p, struct strbuf *out)
{
    const struct request *q = &p->request;
    char engine[300], gpu[560];
    gp_format(engine, sizeof(engine), "%s (%s)", q->engine->source, q->engine->date);
    strbuf_add(out, "\nsources\n");
    print_source("model", q->model->source, out);
    gp_format(gpu, sizeof(gpu), "confidence %s: %s",
              q->gpu->confidence[0] ? q->gpu->confidence : "unknown", q->gpu->source);
    print_source("gpu", gpu, out);
    print_source("engine", engine, out);
    print_source("format", q->precision.weight->source, out);
    if (p->cost.on_demand.known)
        print_source("price", p->cost.on_demand.instance->source, out);
}

void print_plan(const struct answer *a, const struct options *options, bool why,
                bool verbose, struct strbuf *out)
{
    const struct plan *p = &a->plan;
    struct term_why terms[EXPLAIN_MAX];
    print_head(a, out);
    print_lines("  ", p->reasons, p->reason_count, out);
    print_lines("  warning: ", p->warnings, p->warning_count, out);
    if (p->has_memory) {
        print_parts(p, out);
        print_bar(p, out);
        print_pool(p, out);
        print_rule(p, out);
        print_cost(p, out);
    }
    print_fixes(a, options, out);
    if (why)
        print_why(terms, explain_plan(p, terms), out);
    if (verbose || !why)
        print_sources(p, out);
}

void print_plan_line(const struct answer *a, struct strbuf *out)
{
    const struct plan *p = &a->plan;
    strbuf_addf(out, "%s: %d x %s, TP %d, PP %d, replicas %d", verdict_word(p->verdict),
                p->layout.gpus, p->request.gpu->id, p->layout.tp, p->layout.pp,
                p->layout.replicas);
    if (p->limit != LIMIT_NONE)
        strbuf_addf(out, ", limit %s", limit_word(p->limit));
    print_solved(a, out);
    strbuf_add(out, "\n");
}

void print_plan_table(const struct answer *a, enum output_format format,
                      struct strbuf *out)
{
    static const struct table_column columns[] = {
        {"part", TABLE_LEFT},     {"GiB per GPU", TABLE_RIGHT},
        {"low GiB", TABLE_RIGHT}, {"high GiB", TABLE_RIGHT},
        {"origin", TABLE_LEFT},   {"note", TABLE_LEFT}};
    struct part parts[PARTS_MAX];
    struct table table;
    int n = a->plan.has_memory ? parts_list(&a->plan, parts) : 0;
    table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
    for (int i = 0; i < n; i++) {
        table_cell(&table, parts[i].name);
        table_cellf(&table, "%.4f", parts[i].q.value / GP_GIB);
        table_cellf(&table, "%.4f", parts[i].q.low / GP_GIB);
        table_cellf(&table, "%.4f", parts[i].q.high / GP_GIB);
        table_cell(&table, origin_word(parts[i].q.origin));
        table_cell(&table, parts[i].note);
    }
    if (format == OUTPUT_CSV)
        table_csv(&table, out);
    else
        table_markdown(&table, out);
    table_fini(&table);
}
