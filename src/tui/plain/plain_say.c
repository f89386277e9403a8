/*
 * plain_say.c - an answer in sentences and "name: value" lines.
 *
 * The same parts, figures and roundings as --plan prints; what there stands in columns
 * and bars is said in words, since a screen reader reads lines.
 */
#include "tui/plain/plain_lines.h"

#include <math.h>

#include "core/parts.h"
#include "output/print_why.h"
#include "tui/toolkit/words.h"
#include "util/str.h"
#include "util/units.h"

/* ---- the verdict ---- */

static const char *const verdicts[] = {
    [VERDICT_FITS] = "fits",
    [VERDICT_MARGINAL] = "marginal",
    [VERDICT_DOES_NOT_FIT] = "does not fit",
};

static void say_layout(const struct plan *p, struct strbuf *out)
{
    const struct layout *l = &p->layout;
    char words[96];

    strbuf_addf(out, "%d x %s (%s), %s, %d host%s", l->gpus, p->request.gpu->name,
                p->request.gpu->id, layout_words(l, words, sizeof words), l->hosts,
                l->hosts == 1 ? "" : "s");
}

static void say_verdict(const struct plan *p)
{
    double room = p->memory.budget.value, used; /* what the verdict goes by */
    struct strbuf layout;

    strbuf_init(&layout);
    say_layout(p, &layout);
    if (p->has_memory && room > 0) {
        used = room - plan_margin(p);
        plain_say("Result: %s. %.2f of %.2f GiB budget per GPU, %.0f percent. %s.",
                  verdicts[p->verdict], used / GP_GIB, room / GP_GIB, 100 * used / room,
                  layout.text);
    } else {
        plain_say("Result: %s. %s.", verdicts[p->verdict], layout.text);
    }
    strbuf_fini(&layout);
}

static void say_load(const struct answer *a)
{
    const struct request *q = &a->plan.request;
    char params[32], tokens[32];

    plain_say("Model: %s, %s parameters%s, %s weights%s.", q->model->name,
              units_params(params, sizeof params, model_params(q->model)),
              a->resolved.generic ? ", shape assumed" : "", q->precision.id,
              q->precision.native ? " as published" : "");
    if (q->model->weights_only) {
        plain_say("Weights only: no tokens, no KV cache, no engine.");
        return;
    }
    plain_say("Load: %.0f user%s of %s tokens, %s KV cache, %s %s.", q->users,
              q->users > 1 ? "s" : "", units_tokens(tokens, sizeof tokens, q->context),
              q->kv->id, q->engine->name, q->engine->range);
}

/* ---- memory ---- */

static void say_part(const struct part *part)
{
    const struct quantity *q = &part->q;
    char band[64] = "";

    if (q->high - q->low > 0.005 * GP_GIB)
        gp_format(band, sizeof band, ", between %.2f and %.2f", q->low / GP_GIB,
                  q->high / GP_GIB);
    plain_say("%s: %.2f GiB, %s%s%s%s.", part->name, q->value / GP_GIB,
              origin_word(q->origin), band, part->note[0] ? ", " : "", part->note);
}

static void say_pool(const struct plan *p)
{
    const struct memory *m = &p->memory;
    char tokens[32], context[32];

    if (!m->max_concurrency.known)
        return;
    if (m->kv_pool.value <= 0) {
        plain_say("KV pool: no room, %.2f GiB short.", -m->kv_pool.value / GP_GIB);
        return;
    }
    plain_say("KV pool: %.2f GiB, %s tokens, %.1f requests of %s tokens.",
              m->kv_pool.value / GP_GIB,
              units_tokens(tokens, sizeof tokens, m->kv_cache_tokens.value),
              m->max_concurrency.value,
              units_tokens(context, sizeof context, p->request.context));
}

static void say_memory(const struct plan *p)
{
    struct part parts[PARTS_MAX];
    int count = parts_list(p, parts);

    plain_say("Memory of one GPU:");
    for (int i = 0; i < count; i++)
        say_part(&parts[i]);
    say_pool(p);
    plain_say("Rule of thumb: %.2f GiB in all, weights counted %.2f GiB.",
              p->memory.rule_of_thumb / GP_GIB, p->memory.file_bytes / GP_GIB);
}

/* ---- cost ---- */

static void say_rent(const char *name, const struct rent *r)
{
    char hour[32], month[32], note[256], age[64] = "undated";

    if (!r->known)
        return;
    if (r->age_days >= 0)
        gp_format(age, sizeof age, "price of %s, %ld days old%s", r->instance->date,
                  r->age_days, r->age_days > COST_OLD_DAYS ? ", check it" : "");
    cost_rent_note(r, note, sizeof note);
    plain_say("%s: %s per hour, %s per month, %d x %s %s, %d GPU%s, %s%s%s.", name,
              units_money(hour, sizeof hour, r->per_hour),
              units_money(month, sizeof month, r->per_month), r->instances,
              r->instance->provider, r->instance->type, r->gpus_paid,
              r->gpus_paid == 1 ? "" : "s", age, note[0] ? ", " : "", note);
}

static void say_buy(const struct cost *c)
{
    const struct buy *b = &c->buy;
    char hour[32], month[32], capital[32];

    if (!b->known)
        return;
    plain_say("Buy: %s per hour, %s per month, %s for %s, %s, %s, %.1f kW.",
              units_money(hour, sizeof hour, b->per_hour.value),
              units_money(month, sizeof month, b->per_month.value),
              units_money(capital, sizeof capital, b->capital.value), b->what,
              b->as_of[0] ? b->as_of : "undated", origin_word(b->capital.origin),
              b->watts / 1000);
    if (b->break_even_hours > 0)
        plain_say("Break-even: after %.0f hours of renting, %.1f months.",
                  b->break_even_hours,
                  b->break_even_hours / (COST_HOURS_PER_MONTH * b->hours_share));
}

static void say_cost(const struct cost *c)
{
    say_rent("Cost on demand", &c->on_demand);
    say_rent("Cost spot", &c->spot);
    if (c->want == WANT_MARKET)
        say_rent("Cost on the marketplace", &c->market);
    say_buy(c);
    if (c->note[0])
        plain_say("Cost: %s.", c->note);
    else if (!c->on_demand.known && !c->spot.known && !c->buy.known)
        plain_say("Cost: no price is known.");
}

/* ---- suggestions ---- */

static void say_fix(int number, const struct fix *f)
{
    char money[64] = "cost unknown";

    if (f->per_hour > 0)
        gp_format(money, sizeof money, "$%.2f per hour", f->per_hour);
    if (f->cost_known && fabs(f->cost_delta) < 0.005)
        gp_copy(money, sizeof money, "same cost");
    else if (f->cost_known)
        gp_format(money, sizeof money, "$%.2f per hour %s", fabs(f->cost_delta),
                  f->cost_delta > 0 ? "more" : "less");
    plain_say("%d. %s, %s: %.2f GiB more room per GPU, %s%s.", number, f->what,
              f->option, f->gain / GP_GIB, money,
              f->verdict == VERDICT_MARGINAL ? ", still marginal" : "");
}

static void say_fixes(const struct answer *a)
{
    bool fits = a->plan.verdict == VERDICT_FITS;

    if (fits && a->fix_count == 0)
        return;
    if (a->fix_count == 0)
        plain_say("Suggestions: no single change makes it fit.");
    else
        plain_say("Suggestions, each one was planned:");
    for (int i = 0; i < a->fix_count; i++)
        say_fix(i + 1, &a->fixes[i]);
}

/* ---- the whole ---- */

static void say_answer(const struct answer *a)
{
    const struct plan *p = &a->plan;

    say_verdict(p);
    if (a->resolved.gpu_chosen)
        plain_say("No GPU was named: this is the cheapest list price that fits.");
    if (a->resolved.gpu_local)
        plain_say("No GPU was named: this is the one in this machine.");
    for (int i = 0; i < p->reason_count; i++)
        plain_say("Reason: %s.", p->reasons[i]);
    for (int i = 0; i < p->warning_count; i++)
        plain_say("Warning: %s.", p->warnings[i]);
    say_load(a);
    if (p->has_memory) {
        say_memory(p);
        say_cost(&p->cost);
    }
    plain_say(
        "Speed: not in this version; measure runs the model's layers on this machine.");
    say_fixes(a);
}

static void say_command(const struct form *form)
{
    struct strbuf out;

    strbuf_init(&out);
    form_command(form, "plan", &out);
    plain_say("The command that prints the same: %s", out.text);
    strbuf_fini(&out);
}

void plain_result(const struct plain *plain)
{
    plain_say("%s", "");
    if (plain->form->answered) {
        say_answer(plain->form->answer);
    } else {
        plain_say("Result: no answer.");
        plain_say_err(&plain->form->err);
    }
    say_command(plain->form);
}

void plain_why(const struct plain *plain, const char *word)
{
    struct strbuf out;
    int said = 0;

    if (!plain->form->answered) {
        plain_say_err(&plain->form->err);
        return;
    }
    strbuf_init(&out);
    for (int i = 0; i < plain->form->why_count; i++) {
        const struct term_why *t = &plain->form->why[i];

        if (!words_match(word, t->name, ""))
            continue;
        print_why_term(t, &out);
        said++;
    }
    plain_say_lines(out.text);
    if (said == 0)
        plain_say("No number has %s in its name; why alone prints all.", word);
    strbuf_fini(&out);
}
