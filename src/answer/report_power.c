/*
 * report_power.c - see report_power.h.
 */
#include "answer/report_power.h"

#include "base/units.h"
#include "plan/usage.h"

#define OF(member, type) MEMBER_##type, MEMBER_AT(struct power, member)

static const struct member sheet_members[] = {
    {"most", OF(sheet, NUMBER)},
    {"gpu_most", OF(limit, NUMBER)},
    {"host_most", OF(host_most, NUMBER)},
    {"cap", OF(cap, SOME)},
};

static const struct member load_members[] = {
    {"gpu_idle", OF(idle, QUANTITY), "W"},
    {"gpu_decode", OF(decode, QUANTITY), "W"},
    {"gpu_prompt", OF(prompt, QUANTITY), "W"},
    {"gpu", OF(gpu, QUANTITY), "W"},
    {"host", OF(host, QUANTITY), "W"},
    {"at_load", OF(total, QUANTITY), "W"},
    {"busy", OF(busy, NUMBER)},
    {"prompts", OF(prompts, NUMBER)},
    {"joules_per_output_token", OF(joules, QUANTITY), "J"},
    {"output_tokens_per_s_per_w", OF(per_watt, QUANTITY), "tokens/s/W"},
    {"hours_per_month", OF(hours, NUMBER)},
};

void report_power(const struct plan *p, struct record *doc)
{
    const struct power *w = &p->power;

    if (!w->known) {
        record_text(doc, "power", "");
        return;
    }
    struct record *r = record_inside(doc, "power");
    RECORD_MEMBERS(r, sheet_members, w);
    record_flag(r, "host_assumed", p->request.watts_assumed);
    if (w->cap > 0)
        record_count(r, "capped_gpus", "", w->capped_gpus);
    if (!w->loaded)
        return;
    RECORD_MEMBERS(r, load_members, w);
    record_quantity(r, "kwh_per_month", "kWh", w->energy, GP_KWH, 1);
    record_quantity(r, "electricity_per_month", "$", w->electricity, 1, 2);
}

static void api_facts(const struct plan *p, const struct usage *u, struct record *r)
{
    const struct request *q = &p->request;
    double day = 86400 * (q->prompt + q->output);

    record_quantity(r, "per_hour", "$/h", u->api, 1, 2);
    record_quantity(r, "even_requests_per_s", "requests/s", u->even, 1, 3);
    record_quantity(r, "even_tokens_per_day", "tokens/day", quantity_scale(u->even, day), 1, 0);
    record_flag(r, "reached", u->even.known && u->even.value <= p->speed.full.value);
}

void report_usage(const struct plan *p, struct record *cost)
{
    struct usage u;

    usage_of(p, &u);
    record_quantity(cost, "per_million_output_tokens_full", "$", u.full, 1, 3);
    record_quantity(cost, "per_million_tokens", "$", u.all, 1, 3);
    record_quantity(cost, "utilisation", "share", u.share, 1, 4);
    record_quantity(cost, "idle_per_month", "$/month", u.idle, 1, 2);
    record_positive(cost, "buy_from_share_of_hours", "", u.owned <= 1 ? u.owned : 0);
    if (u.api.known)
        api_facts(p, &u, record_inside(cost, "api"));
}
