/*
 * record_plan.c - see record_plan.h.
 */
#include "output/record_plan.h"

#include <math.h>

#include "output/sentence.h"

void record_plan_load(struct record *s, const struct resolved *r)
{
    static const char *const price[] = {"on-demand", "spot", "market", "buy"};
    const struct request *q = &r->request;
    record_count(s, "context", "tokens", q->context);
    record_count(s, "prompt", "tokens", q->prompt);
    record_count(s, "output", "tokens", q->output);
    record_count(s, "users", "", q->users);
    record_text(s, "price", price[q->price]);
    record_quantity(s, "hours_per_month", "h",
                    r->market.hours > 0
                        ? quantity_exact(r->market.hours)
                        : quantity_of(COST_HOURS_PER_MONTH, ORIGIN_ASSUMED),
                    1, 0);
}

void record_plan_engine(struct record *s, const struct engine *e)
{
    record_textf(s, "engine", "%s %s", e->name, e->range);
}

void record_plan_layout(struct record *s, const struct plan *p)
{
    const struct layout *l = &p->layout;
    double none = p->has_memory ? 0 : NAN; /* a refused layout has no size */
    char reason[SENTENCE_MAX];
    record_text(s, "verdict", verdict_word(p->verdict));
    record_count(s, "gpus", "", l->gpus + none);
    record_count(s, "tp", "", l->tp + none);
    record_count(s, "pp", "", l->pp + none);
    record_count(s, "ep", "", l->ep + none);
    record_title(s, "EP");
    record_count(s, "replicas", "", l->replicas + none);
    record_title(s, "rep");
    record_count(s, "hosts", "", l->hosts + none);
    record_detail(s);
    record_text(s, "limit", limit_word(p->limit));
    record_text(s, "reason", sentence_first_reason(p, reason));
    record_detail(s);
}

static void bought(struct record *s, const struct buy *b)
{
    struct quantity none = quantity_unknown();
    record_quantity(s, "per_hour", "$/h", b->known ? b->per_hour : none, 1, 2);
    record_title(s, "$/h");
    record_quantity(s, "per_month", "$/month", b->known ? b->per_month : none, 1, 0);
    record_title(s, "$/month");
    record_text(s, "offer", b->known ? b->what : "");
    record_text(s, "price_date", b->known ? b->as_of : "");
    record_text(s, "price_note", "");
    record_detail(s);
    record_text(s, "price_source", b->known ? b->source : "");
    record_detail(s);
}

void record_plan_cost(struct record *s, const struct plan *p)
{
    const struct cost *c = &p->cost;
    const struct rent *r = cost_wanted(c);
    if (!r) {
        bought(s, &c->buy);
        return;
    }
    bool known = p->has_memory && r->known;
    char note[256];
    struct quantity none = quantity_unknown();
    record_quantity(s, "per_hour", "$/h",
                    known ? quantity_of(r->per_hour, ORIGIN_SHEET) : none, 1, 2);
    record_title(s, "$/h");
    record_quantity(s, "per_month", "$/month",
                    known ? quantity_of(r->per_month, ORIGIN_SHEET) : none, 1, 0);
    record_title(s, "$/month");
    if (known)
        record_textf(s, "offer", "%d x %s/%s", r->instances, r->instance->provider,
                     r->instance->type);
    else
        record_text(s, "offer", "");
    record_text(s, "price_date", known ? r->instance->date : "");
    record_text(s, "price_note", known ? cost_rent_note(r, note, sizeof(note)) : "");
    record_detail(s);
    record_text(s, "price_source", known ? r->instance->source : "");
    record_detail(s);
}
