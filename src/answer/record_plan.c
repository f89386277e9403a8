/*
 * record_plan.c - see record_plan.h.
 */
#include "answer/record_plan.h"

#include <math.h>
#include <string.h>

#include "answer/figures.h"
#include "answer/sentence.h"

void record_plan_market(struct record *s, const struct market *market)
{
    record_text(s, "provider", market->providers);
    record_text(s, "region", market->region);
    record_flag(s, "dated", market->dated);
}

void record_plan_asked(struct record *r, const struct resolved *resolved)
{
    const struct request *q = &resolved->request;
    char price[OPTION_CHOICE_MAX];

    record_flag(r, "language_model_only", q->text_only);
    if (resolved->prune[0])
        record_text(r, "prune", resolved->prune);
    else if (q->prune == PRUNE_UNSTRUCTURED)
        record_count(r, "prune", "%", q->prune_share * 100);
    else
        record_text(r, "prune", q->prune == PRUNE_2_4 ? "2:4" : "none");
    record_text(r, "price", option_choice(OPT_PRICE, (int)q->price, price));
    record_plan_market(r, &resolved->market);
    record_positive(r, "hours", "h", resolved->market.hours);
    record_positive(r, "electricity", "$/kWh", resolved->market.electricity);
}

void record_plan_load(struct record *s, const struct resolved *r)
{
    char price[OPTION_CHOICE_MAX];
    const struct request *q = &r->request;

    record_count(s, "context", "tokens", q->context);
    record_count(s, "prompt", "tokens", q->prompt);
    record_count(s, "output", "tokens", q->output);
    record_count(s, "users", "", q->users);
    record_text(s, "price", option_choice(OPT_PRICE, (int)q->price, price));
    record_plan_market(s, &r->market);
    record_quantity(s, "hours_per_month", "h",
                    r->market.hours > 0 ? quantity_exact(r->market.hours)
                                        : quantity_of(COST_HOURS_PER_MONTH, ORIGIN_ASSUMED),
                    1, 0);
}

void record_plan_prices(const struct record *s, struct strbuf *out)
{
    const char *provider = record_get(s, "provider"), *region = record_get(s, "region");

    strbuf_addf(out, "%s prices%s%s%s%s%s", record_get(s, "price"), provider[0] ? " of " : "",
                provider, region[0] ? " in " : "", region,
                strcmp(record_get(s, "dated"), "yes") == 0 ? ", dated only" : "");
}

void record_plan_engine(struct record *s, const struct engine *e)
{
    record_textf(s, "engine", "%s %s", e->name, e->range);
}

void record_plan_layout(struct record *s, const struct plan *p)
{
    const struct layout *l = &p->layout;
    double none = p->has_memory ? 0 : NAN; /* a refused layout has no size */
    struct texts texts = {0};

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
    record_text(s, "reason", sentence_first_reason(p, &texts));
    record_detail(s);
    texts_fini(&texts);
}

/* A figure as a column: title, decimals; without a title in JSON, CSV and --show alone. */
static void figure_column(struct record *s, const struct plan *p, enum figure_id id,
                          const char *title, int decimals)
{
    const struct figure_row *row = &figure_rows[id];

    record_quantity(s, row->key, row->shown, figure_value(p, id), row->scale, decimals);
    if (title)
        record_title(s, title);
    else
        record_detail(s);
}

void record_plan_speed(struct record *s, const struct plan *p)
{
    figure_column(s, p, FIGURE_TOKENS, "tokens/s", 0);
    figure_column(s, p, FIGURE_TPOT, "TPOT ms", 1);
    figure_column(s, p, FIGURE_TTFT, NULL, 0);
    figure_column(s, p, FIGURE_JOULES, NULL, 2);
    figure_column(s, p, FIGURE_MILLION, "$/M out", 2);
}

void record_plan_cost(struct record *s, const struct plan *p)
{
    const struct rent *r = cost_wanted(&p->cost);
    const struct buy *b = &p->cost.buy;
    bool serves = p->verdict != VERDICT_DOES_NOT_FIT;
    bool rented = serves && r && r->known, bought = serves && !r && b->known;
    struct quantity hour = figure_value(p, FIGURE_HOUR), month = figure_value(p, FIGURE_MONTH);
    struct texts texts = {0};

    hour.known = month.known = hour.known && serves;
    record_quantity(s, "per_hour", "$/h", hour, 1, 2);
    record_title(s, "$/h");
    record_quantity(s, "per_month", "$/month", month, 1, 0);
    record_title(s, "$/month");
    if (rented)
        record_textf(s, "offer", "%d x %s/%s", r->instances, r->instance->provider,
                     r->instance->type);
    else
        record_text(s, "offer", bought ? sentence_purchase(b, &texts) : "");
    record_text(s, "price_date",
                rented   ? sentence_price_date(r->instance, &texts)
                : bought ? sentence_purchase_date(b, &texts)
                         : "");
    record_text(s, "price_note", rented ? sentence_rent_note(p, r, &texts) : "");
    record_detail(s);
    record_text(s, "price_source", rented ? r->instance->source : bought ? b->source : "");
    record_detail(s);
    texts_fini(&texts);
}
