/*
 * explain_cost.c - renting, owning, and the hours at which they cost the same.
 *
 * Example: 8 x H100 rented at $55.04/h, against a server of $313,500 that costs $0.94/h
 * to run: 313,500 / (55.04 - 0.94) = 5,795 hours.
 */
#include "core/explain_parts.h"

#include <stdio.h>
#include <string.h>

#include "util/str.h"
#include "util/units.h"

static void rent_source(struct term_why *t, const struct rent *r)
{
    const struct instance *in = r->instance;
    gp_format(t->source, sizeof(t->source), "%s%s, %s %s: %s", in->provider,
              in->user ? " (your price file)" : "",
              in->kind == PRICE_MARKET ? "marketplace or auction price of"
                                       : "list price of",
              in->date[0] ? in->date : "unknown date",
              in->source[0] ? in->source : "no source");
}

static enum origin rent_origin(const struct rent *r)
{
    return r->instance->assumed ? ORIGIN_ASSUMED : ORIGIN_SHEET;
}

static void instance_term(struct why *why, const struct rent *r)
{
    const struct layout *l = &why->plan->layout;
    int count = r->instance->gpu_count;
    bool inside = count >= l->tp * l->pp;
    struct term_why *t = why_add(why, "instances",
                                 inside ? "ceil(replicas / floor(count / (tp*pp)))"
                                        : "ceil(pp / floor(count / tp)) * replicas");
    why_in(t, "%s %s", r->instance->provider, r->instance->type);
    why_in(t, "count %d (sheet)", count);
    why_in(t, "tp %d, pp %d, replicas %d", l->tp, l->pp, l->replicas);
    why_in(t, "%d GPUs paid for, %d used", r->gpus_paid, l->gpus);
    why_value(t, quantity_exact(r->instances), 1, "instances");
    rent_source(t, r);
}

static void rent_term(struct why *why, const char *name, const struct rent *r)
{
    char text[40];
    struct term_why *t;
    if (!r->known)
        return;
    t = why_add(why, name, "instances * price of one");
    why_in(t, "instances %d of %s %s", r->instances, r->instance->provider,
           r->instance->type);
    why_in(t, "%s %s/h (%s)", r->spot ? "spot" : "on demand",
           units_money(text, sizeof(text),
                       r->spot ? r->instance->spot : r->instance->on_demand),
           origin_word(rent_origin(r)));
    if (r->instance->region[0])
        why_in(t, "region %s", r->instance->region);
    if (r->age_days >= 0)
        why_in(t, "%ld days old", r->age_days);
    why_value(t, quantity_of(r->per_hour, rent_origin(r)), 1, "$/h");
    rent_source(t, r);
}

static void month_term(struct why *why, const struct rent *r)
{
    struct term_why *t;
    if (!r->known || r->per_hour <= 0)
        return;
    t = why_add(why, "rent per month", "rent * hours per month");
    why_in(t, "hours per month %.4g", r->per_month / r->per_hour);
    why_value(t, quantity_of(r->per_month, rent_origin(r)), 1, "$/month");
    rent_source(t, r);
}

/* ---- owning ---- */

static void own_source(struct term_why *t, const struct ownership *own)
{
    gp_format(t->source, sizeof(t->source), "ownership of %s: %s",
              own->date[0] ? own->date : "unknown date",
              own->source[0] ? own->source : "no source");
}

static void capital_term(struct why *why, const struct buy *b)
{
    char low[40], high[40];
    struct term_why *t = why_add(
        why, "buy: capital",
        b->server ? "servers * price of one" : "GPUs * price * (1 + host share)");
    why_in(t, "%s", b->what);
    if (!b->server)
        why_in(t, "GPUs %d, host share %.4g (assumed)", why->plan->layout.gpus,
               b->own->server_share);
    why_in(t, "%s to %s (%s)", units_money(low, sizeof(low), b->capital.low),
           units_money(high, sizeof(high), b->capital.high),
           origin_word(b->capital.origin));
    why_value(t, b->capital, 1, "$");
    gp_format(t->source, sizeof(t->source), "%s%s%s", b->as_of, b->as_of[0] ? ": " : "",
              b->source);
}

static void running_term(struct why *why, const struct buy *b)
{
    bool own_price = b->electricity == b->own->electricity;
    struct term_why *t = why_add(
        why, "buy: running", "kW*PUE*$/kWh*hours share + kW*hosting*12/8760");
    why_in(t, "kW %.4g (%s)", b->watts / 1000,
           b->server ? "the server's, else GPUs * 1.3" : "GPUs * 1.3, model");
    why_in(t, "PUE %.4g (profile)", b->own->pue);
    why_in(t, "%.4g $/kWh (%s)", b->electricity, own_price ? "profile" : "request");
    why_in(t, "hours share %.4g (request)", b->hours_share);
    why_in(t, "hosting %.4g $/kW and month (profile)", b->own->hosting);
    why_value(t, b->running, 1, "$/h");
    own_source(t, b->own);
}

static void owned_term(struct why *why, const struct buy *b)
{
    const struct ownership *own = b->own;
    struct term_why *t = why_add(why, "buy: per hour",
                                 "capital*(1 - residual)/(years*8760) + running");
    char text[40];
    why_in(t, "capital %s", units_money(text, sizeof(text), b->capital.value));
    why_in(t, "residual %.4g (profile)", own->residual);
    why_in(t, "years %.4g, %.4g to %.4g (profile)", own->years, own->years_low,
           own->years_high);
    why_in(t, "running %s/h", units_money(text, sizeof(text), b->running.value));
    why_value(t, b->per_hour, 1, "$/h");
    own_source(t, own);
}

static void break_even_term(struct why *why, const struct rent *r, const struct buy *b)
{
    char text[40];
    struct term_why *t;
    if (!r->known || b->break_even_hours <= 0)
        return;
    t = why_add(why, "break-even", "capital / (rent - running)");
    why_in(t, "capital %s", units_money(text, sizeof(text), b->capital.value));
    why_in(t, "rent %s/h", units_money(text, sizeof(text), r->per_hour));
    why_in(t, "running %s/h", units_money(text, sizeof(text), b->running.value));
    why_value(t, quantity_of(b->break_even_hours, ORIGIN_MODEL), 1, "hours");
    why_counted(t, "hours of renting that cost as much as the capital");
}

void explain_cost(struct why *why)
{
    const struct cost *c = &why->plan->cost;
    const struct rent *r = c->want == WANT_SPOT     ? &c->spot
                           : c->want == WANT_MARKET ? &c->market
                                                    : &c->on_demand;
    if (r->known)
        instance_term(why, r);
    rent_term(why, "rent: on demand", &c->on_demand);
    rent_term(why, "rent: spot", &c->spot);
    if (c->want == WANT_MARKET)
        rent_term(why, "rent: marketplace", &c->market);
    month_term(why, r);
    if (!c->buy.known)
        return;
    capital_term(why, &c->buy);
    running_term(why, &c->buy);
    owned_term(why, &c->buy);
    break_even_term(why, r, &c->buy);
}
