/*
 * usage.c - see usage.h.
 */
#include "plan/usage.h"

#include <math.h>
#include <string.h>

void usage_of(const struct plan *p, struct usage *out)
{
    const struct request *q = &p->request;
    const struct speed *v = &p->speed;
    struct quantity hour, month;
    double priced = q->output * request_priced(q);
    double tokens = q->prompt + (q->model->pooling ? 0 : q->output);
    double api = (q->prompt * q->api_in + q->output * q->api_out) / 1e6;

    memset(out, 0, sizeof(*out));
    const struct buy *b = &p->cost.buy;
    const struct rent *rent = cost_weighed(&p->cost);
    if (b->known && rent->known && rent->instances > 0) {
        double kwh = b->drawn / 1000 * b->own->pue * b->electricity;
        double fixed = b->per_month.value / COST_HOURS_PER_MONTH - kwh * b->hours_share;
        double saved = rent->per_hour - kwh;

        out->owned = saved > 0 ? fixed / saved : INFINITY;
    }
    if (v->gap != SPEED_KNOWN || v->full.value <= 0)
        return;
    plan_prices(p, &hour, &month);
    /* The load and the most are estimated alike: their ratio is surer than either. */
    double share = fmin(1, v->requests.value / v->full.value);
    bool given = v->requests.low == v->requests.high; /* a rate */
    out->share =
        quantity_band(share, given ? share * v->full.value / v->full.high : share,
                      given ? fmin(1, share * v->full.value / v->full.low) : share, ORIGIN_MODEL);
    out->full = plan_per_million(hour, quantity_scale(v->full, priced));
    out->all = plan_per_million(hour, quantity_scale(v->requests, tokens));
    if (hour.known)
        out->idle =
            quantity_band(month.value * (1 - out->share.value), month.low * (1 - out->share.high),
                          month.high * (1 - out->share.low), ORIGIN_MODEL);
    if (q->api_out <= 0)
        return;
    out->api = quantity_scale(v->requests, 3600 * api);
    if (hour.known)
        out->even = quantity_scale(hour, 1 / (3600 * api));
}
