/*
 * terms_cost.c - the terms of renting, of owning, and of where they meet.
 *
 * Example: 8 x H100 rented at $55.04/h, against a server of $313,500 that costs $0.94/h
 * to run: 313,500 / (55.04 - 0.94) = 5,795 hours.
 */
#include "core/terms_list.h"

static struct term_source source_rent(const struct rent *r)
{
    const struct instance *in = r->instance;
    static const char *const words[][4] = {
        [PRICE_LIST] = {"list price", "list price, dated by its file",
                        "list price, no later than that", "undated list price"},
        [PRICE_MARKET] = {"marketplace or auction price",
                          "marketplace or auction price, dated by its file",
                          "marketplace or auction price, no later than that",
                          "undated marketplace or auction price"},
    };
    return (struct term_source){in->provider, in->user ? "(your price file)" : "",
                                in->date, words[in->kind][in->date[0] ? in->basis : 3],
                                in->source[0] ? in->source : "no source"};
}

static enum origin rent_origin(const struct rent *r)
{
    return r->instance->assumed ? ORIGIN_ASSUMED : ORIGIN_SHEET;
}

static void know_offer(struct terms *w, const struct rent *r)
{
    const struct instance *in = r->instance;
    double price = r->spot ? in->spot : in->on_demand;
    know_number(w, "instances", r->instances, NULL);
    know_money(w, "price", quantity_exact(price), "/h", origin_word(rent_origin(r)));
    know_word(w, "region", in->region);
    know_unit(w, "age", in->basis == DATE_READ ? 0 : (double)r->age_days, "days", NULL);
}

static void add_rent(struct terms *w, const char *name, const struct rent *r)
{
    int known = w->known_count;
    if (!r->known)
        return;
    know_offer(w, r);
    term_add(w, name, "instances * price of one",
             quantity_of(r->per_hour, rent_origin(r)), "$/h", source_rent(r),
             "instances, price, region, age");
    know_word(w, r->instance->provider, r->instance->type);
    term_takes_last(w, 0);
    terms_forget(w, known);
}

/* How many instances of what was asked for. */
static void add_instances(struct terms *w, const struct rent *r)
{
    const struct layout *l = &w->plan->layout;
    int count = r->instance->gpu_count;
    know_number(w, "count", count, "sheet");
    know_number(w, "GPUs paid for", r->gpus_paid, NULL);
    know_number(w, "used", l->gpus, NULL);
    term_add(w, "instances",
             count >= l->tp * l->pp ? "ceil(replicas / floor(count / (tp*pp)))"
                                    : "ceil(pp / floor(count / tp)) * replicas",
             quantity_exact(r->instances), "instances", source_rent(r),
             "count, tp, pp, replicas, GPUs paid for, used");
    know_word(w, r->instance->provider, r->instance->type);
    term_takes_last(w, 0);
}

static void add_month(struct terms *w, const struct rent *r)
{
    if (r->per_hour <= 0)
        return;
    know_number(w, "hours per month", r->per_month / r->per_hour, NULL);
    term_add(w, "rent per month", "rent * hours per month",
             quantity_of(r->per_month, rent_origin(r)), "$/month", source_rent(r),
             "hours per month");
}

/* ---- owning ---- */

static void know_owning(struct terms *w, const struct buy *b)
{
    const struct ownership *own = b->own;
    know_word(w, "bought", b->what);
    know_number(w, "GPUs", b->server ? 0 : w->plan->layout.gpus, NULL);
    know_number(w, "host share", b->server ? 0 : own->server_share, "assumed");
    know_money(w, "capital", b->capital, NULL, origin_word(b->capital.origin));
    know_number(w, "kW", b->watts / 1000,
                b->server ? "the server's, else GPUs * 1.3" : "GPUs * 1.3, model");
    know_number(w, "PUE", own->pue, "profile");
    know_unit(w, "electricity", b->electricity, "$/kWh",
              b->electricity == own->electricity ? "profile" : "request");
    know_number(w, "hours share", b->hours_share, "request");
    know_unit(w, "hosting", own->hosting, "$/kW and month", "profile");
    know_number(w, "residual", own->residual, "profile");
    know_number(w, "years", own->years, "profile");
    w->known[w->known_count - 1].value =
        quantity_band(own->years, own->years_low, own->years_high, ORIGIN_SHEET);
    know_money(w, "running", quantity_exact(b->running.value), "/h", NULL);
}

static void add_owning(struct terms *w, const struct buy *b)
{
    const struct ownership *own = b->own;
    struct term_source source = {"ownership", "", own->date, "",
                                 own->source[0] ? own->source : "no source"};
    know_owning(w, b);
    term_add(w, "buy: capital",
             b->server ? "servers * price of one" : "GPUs * price * (1 + host share)",
             b->capital, "$",
             source_text(b->as_of[0] ? b->as_of : "undated", b->source),
             "bought, GPUs, host share, capital");
    term_add(w, "buy: running", "kW*PUE*$/kWh*hours share + kW*hosting*12/8760",
             b->running, "$/h", source, "kW, PUE, electricity, hours share, hosting");
    term_add(w, "buy: per hour", "capital*(1 - residual)/(years*8760) + running",
             b->per_hour, "$/h", source, "capital, residual, years, running");
}

void terms_cost(struct terms *w)
{
    const struct cost *c = &w->plan->cost;
    const struct rent *r = cost_weighed(c);
    if (r->known)
        add_instances(w, r);
    add_rent(w, "rent: on demand", &c->on_demand);
    add_rent(w, "rent: spot", &c->spot);
    if (c->want == WANT_MARKET)
        add_rent(w, "rent: marketplace", &c->market);
    if (r->known)
        add_month(w, r);
    if (!c->buy.known)
        return;
    add_owning(w, &c->buy);
    if (!r->known || c->buy.break_even_hours <= 0)
        return;
    know_money(w, "rent", quantity_exact(r->per_hour), "/h", NULL);
    term_add(w, "break-even", "capital / (rent - running)",
             quantity_of(c->buy.break_even_hours, ORIGIN_MODEL), "hours",
             source_counted("hours of renting that cost as much as the capital"),
             "capital, rent, running");
}
