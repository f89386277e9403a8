/*
 * sheet_plan.c - see sheet_plan.h.
 */
#include "data/sheet_plan.h"

#include <math.h>

void sheet_plan_load(struct sheet *s, const struct resolved *r)
{
    static const char *const price[] = {"on-demand", "spot", "market", "buy"};
    const struct request *q = &r->request;
    sheet_count(s, "context", "tokens", q->context);
    sheet_count(s, "prompt", "tokens", q->prompt);
    sheet_count(s, "output", "tokens", q->output);
    sheet_count(s, "users", "", q->users);
    sheet_text(s, "price", price[q->price]);
    sheet_quantity(s, "hours_per_month", "h",
                   r->market.hours > 0
                       ? quantity_exact(r->market.hours)
                       : quantity_of(COST_HOURS_PER_MONTH, ORIGIN_ASSUMED),
                   1, 0);
}

void sheet_plan_engine(struct sheet *s, const struct engine *e)
{
    sheet_textf(s, "engine", "%s %s", e->name, e->range);
}

void sheet_plan_layout(struct sheet *s, const struct plan *p)
{
    const struct layout *l = &p->layout;
    double none = p->has_memory ? 0 : NAN; /* a refused layout has no size */
    sheet_text(s, "verdict", verdict_word(p->verdict));
    sheet_count(s, "gpus", "", l->gpus + none);
    sheet_count(s, "tp", "", l->tp + none);
    sheet_count(s, "pp", "", l->pp + none);
    sheet_count(s, "ep", "", l->ep + none);
    sheet_title(s, "EP");
    sheet_count(s, "replicas", "", l->replicas + none);
    sheet_title(s, "rep");
    sheet_count(s, "hosts", "", l->hosts + none);
    sheet_detail(s);
    sheet_text(s, "limit", limit_word(p->limit));
    sheet_text(s, "reason", p->reason_count > 0 ? p->reasons[0] : "");
    sheet_detail(s);
}

static const struct rent *wanted(const struct cost *c)
{
    return c->want == WANT_SPOT     ? &c->spot
           : c->want == WANT_MARKET ? &c->market
                                    : &c->on_demand;
}

static void bought(struct sheet *s, const struct buy *b)
{
    struct quantity none = quantity_unknown();
    sheet_quantity(s, "per_hour", "$/h", b->known ? b->per_hour : none, 1, 2);
    sheet_title(s, "$/h");
    sheet_quantity(s, "per_month", "$/month", b->known ? b->per_month : none, 1, 0);
    sheet_title(s, "$/month");
    sheet_text(s, "offer", b->known ? b->what : "");
    sheet_text(s, "price_date", b->known ? b->as_of : "");
    sheet_text(s, "price_note", "");
    sheet_detail(s);
    sheet_text(s, "price_source", b->known ? b->source : "");
    sheet_detail(s);
}

void sheet_plan_cost(struct sheet *s, const struct plan *p)
{
    const struct cost *c = &p->cost;
    const struct rent *r = wanted(c);
    if (c->want == WANT_BUY) {
        bought(s, &c->buy);
        return;
    }
    bool known = p->has_memory && r->known;
    char note[256];
    struct quantity none = quantity_unknown();
    sheet_quantity(s, "per_hour", "$/h",
                   known ? quantity_of(r->per_hour, ORIGIN_SHEET) : none, 1, 2);
    sheet_title(s, "$/h");
    sheet_quantity(s, "per_month", "$/month",
                   known ? quantity_of(r->per_month, ORIGIN_SHEET) : none, 1, 0);
    sheet_title(s, "$/month");
    if (known)
        sheet_textf(s, "offer", "%d x %s/%s", r->instances, r->instance->provider,
                    r->instance->type);
    else
        sheet_text(s, "offer", "");
    sheet_text(s, "price_date", known ? r->instance->date : "");
    sheet_text(s, "price_note", known ? cost_rent_note(r, note, sizeof(note)) : "");
    sheet_detail(s);
    sheet_text(s, "price_source", known ? r->instance->source : "");
    sheet_detail(s);
}
