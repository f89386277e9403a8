/*
 * cost.c - see cost.h.
 */
#include "plan/cost.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "plan/power.h"
#include "plan/terms_list.h"

#define HOURS_PER_YEAR 8760.0
#define HOST_ASSUMED 8 /* PCIe slots of a GPU server; a host nobody has described */
#define HOST_WATTS 0.8 /* of a GPU's limit; see cost_host_watts() */
#define BOARD_MOST 16  /* GPUs on one baseboard; a larger link domain is a rack */

/* Host memory per GPU below which no engine worker starts: some catalogues list a GPU
 * with the smallest CPU that can be ordered. Nobody's figure, on the low side. */
#define LEAST_RAM (8.0 * 1024 * 1024 * 1024)

/* Is name one of the words of "aws,gcp"? */
static bool is_named(const char *list, const char *name)
{
    size_t len = strlen(name);

    for (const char *p = list; *p; p += strcspn(p, ","), p += *p == ',')
        if (strcspn(p, ",") == len && strncasecmp(p, name, len) == 0)
            return true;
    return false;
}

bool market_takes(const struct market *market, const struct instance *in)
{
    return (!market->providers[0] || is_named(market->providers, in->provider)) &&
           (!market->region[0] || strcasestr(in->region, market->region)) &&
           (!market->dated || cost_dated(in));
}

bool market_is_narrowed(const struct market *market)
{
    return market->providers[0] || market->region[0] || market->dated;
}

bool cost_dated(const struct instance *in)
{
    return in->date[0] && in->basis == DATE_OWN;
}

int cost_instances(const struct layout *l, int gpu_count, int host_gpus)
{
    int tp = l->prefill_tp > l->tp ? l->prefill_tp : l->tp;

    if (gpu_count < tp && (tp <= host_gpus || gpu_count < host_gpus || tp % gpu_count != 0))
        return 0;
    return layout_hosts(l, gpu_count);
}

/* A MIG slice ("a100-80/3g.40gb") is rented and bought as the GPU it is cut from. Most of
 * those that every search looks through differ in the first letter. */
static inline bool is_gpu(const char *listed, const char *id)
{
    if (*id != *listed)
        return false;
    for (; *id && *id == *listed; id++)
        listed++;
    return (*id == '\0' || *id == '/') && (*listed == '\0' || *listed == '|');
}

static bool in_list(const char *list, const char *id)
{
    for (const char *p = list; p && *p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
        if (is_gpu(p, id))
            return true;
    return false;
}

double cost_least(const struct gpu *gpu, int gpus, enum price_want want,
                  const struct market *market)
{
    double least = INFINITY;

    if (want == WANT_BUY)
        return 0;
    for (size_t i = 0; i < market->instance_count; i++) {
        const struct instance *in = &market->instances[i];
        bool listed = in->kind != PRICE_MARKET;

        if (!is_gpu(in->gpu, gpu->id) || listed != (want != WANT_MARKET) ||
            !market_takes(market, in))
            continue;
        int paid = in->per_gpu ? gpus : (gpus + in->gpu_count - 1) / in->gpu_count;
        if (want != WANT_SPOT && in->on_demand > 0)
            least = fmin(least, in->on_demand * paid);
        if (want != WANT_ON_DEMAND && in->spot > 0)
            least = fmin(least, in->spot * paid);
    }
    return least;
}

int cost_widest(const struct gpu *gpu, const struct market *market)
{
    int most = gpu->link_domain > HOST_ASSUMED ? gpu->link_domain : HOST_ASSUMED;

    for (size_t i = 0; i < market->instance_count; i++)
        if (market->instances[i].gpu_count > most && is_gpu(market->instances[i].gpu, gpu->id))
            most = market->instances[i].gpu_count;
    for (size_t i = 0; i < market->server_count; i++)
        if (market->servers[i].max_gpus_one_host > most &&
            in_list(market->servers[i].gpu_ids, gpu->id))
            most = market->servers[i].max_gpus_one_host;
    return most;
}

int cost_host_gpus(const struct gpu *gpu, const struct market *market, bool *assumed)
{
    /* by its construction: an Apple GPU or a Jetson is one with its computer; 0 = unknown */
    bool built_in =
        strcmp(gpu->interconnect, "none") == 0 || strncmp(gpu->form_factor, "SoC", 3) == 0;
    bool slots = strncmp(gpu->form_factor, "PCIe", 4) == 0;
    bool board = gpu->link_domain > 1 && gpu->link_domain <= BOARD_MOST;
    bool slice = strchr(gpu->id, '/') && !strchr(gpu->id, '@'); /* 24GB@1008GB/s is none */
    int usual = slice || built_in ? 1 : slots ? HOST_ASSUMED : board ? gpu->link_domain : 0;
    double most = INFINITY;
    int offered = 0, server = 0;

    for (size_t i = 0; i < market->instance_count; i++) {
        const struct instance *in = &market->instances[i];

        if (is_gpu(in->gpu, gpu->id) && in->kind != PRICE_MARKET && in->on_demand > 0 &&
            market_takes(market, in))
            most = fmin(most, in->on_demand / in->gpu_count / COST_MUCH_LESS);
    }
    for (size_t i = 0; i < market->instance_count; i++) {
        const struct instance *in = &market->instances[i];

        if (!is_gpu(in->gpu, gpu->id))
            continue;
        /* nobody rents a machine of an unusual size that costs much more than usual ones */
        bool dear =
            usual > 0 && in->gpu_count > usual && !in->user && in->on_demand > in->gpu_count * most;

        if (in->kind == PRICE_LIST && in->gpu_count > offered && !dear && market_takes(market, in))
            offered = in->gpu_count;
    }
    for (size_t i = 0; i < market->server_count; i++) {
        const struct server *s = &market->servers[i];

        if (s->max_gpus_one_host > server && strcmp(s->kind, "composable") != 0 &&
            in_list(s->gpu_ids, gpu->id))
            server = s->max_gpus_one_host;
    }
    *assumed = false;
    if (usual == 1)
        return 1;
    if (usual == 0)
        usual = server;
    if (offered >= usual && offered > 0)
        return offered;
    *assumed = usual == 0 || (slots && server < usual);
    return usual > 0 ? usual : HOST_ASSUMED;
}

const struct server *cost_host_server(const struct gpu *gpu, const struct market *market,
                                      double *watts)
{
    double limit = gpu->power.known ? gpu->power.value : 0;
    const struct server *most = NULL;

    *watts = 0;
    for (size_t i = 0; limit > 0 && i < market->server_count; i++) {
        const struct server *s = &market->servers[i];

        if (s->power > 0 && s->gpus > 0 && s->power / s->gpus - limit > *watts &&
            in_list(s->gpu_ids, gpu->id)) {
            *watts = s->power / s->gpus - limit;
            most = s;
        }
    }
    return most;
}

double cost_host_watts(const struct gpu *gpu, const struct market *market, bool *assumed)
{
    double watts, limit = gpu->power.known ? gpu->power.value : 0;

    *assumed = !cost_host_server(gpu, market, &watts);
    return *assumed ? HOST_WATTS * limit : watts;
}

/* ---- renting ---- */

/* At equal price a stated row before an assumed one, one with a date of its own before
 * others, the later date, the first listed of what is still equal. */
static bool better_row(const struct instance *a, const struct instance *b)
{
    int dates = strcmp(a->date, b->date); /* undated is "" */

    if (a->assumed != b->assumed)
        return !a->assumed;
    if (cost_dated(a) != cost_dated(b))
        return cost_dated(a);
    return dates != 0 ? dates > 0 : a < b;
}

static void add_offer(struct prices *p, enum price_want want, const struct offer *new)
{
    struct offer *list = p->of[want].offer;
    size_t n = p->of[want].count;

    if (new->price <= 0)
        return;
    for (size_t i = 0; i < n; i++)
        if (list[i].size == new->size && list[i].instance->per_gpu == new->instance->per_gpu) {
            /* the user's own prices win over the catalogue's, then the lower price */
            const struct instance *a = new->instance, *b = list[i].instance;
            double less = list[i].price - new->price;

            if (a->user != b->user ? a->user : fabs(less) > 1e-9 ? less > 0 : better_row(a, b))
                list[i] = *new;
            return;
        }
    list = p->of[want].offer = gp_grow(list, &p->of[want].cap, n + 1, sizeof(*list));
    list[n] = *new;
    p->of[want].count = n + 1;
}

void prices_init(const struct request *q, const struct market *market, struct prices *out)
{
    *out = (struct prices){.request = q, .market = market};
    if (q->gpu->memory_only)
        return;
    for (size_t i = 0; i < market->instance_count; i++) {
        const struct instance *in = &market->instances[i];
        bool listed = in->kind != PRICE_MARKET;

        if (!is_gpu(in->gpu, q->gpu->id) || !market_takes(market, in) ||
            (in->ram > 0 && in->ram < in->gpu_count * LEAST_RAM))
            continue;
        struct offer offer = {.instance = in,
                              .price = in->on_demand,
                              .size = in->per_gpu ? q->host_gpus : in->gpu_count};
        add_offer(out, listed ? WANT_ON_DEMAND : WANT_MARKET, &offer);
        offer.price = in->spot;
        offer.spot = true;
        add_offer(out, listed ? WANT_SPOT : WANT_MARKET, &offer);
    }
}

void prices_fini(struct prices *p)
{
    for (int want = 0; want < WANT_BUY; want++)
        free(p->of[want].offer);
}

int prices_most_gpus(const struct prices *p, double per_hour)
{
    enum price_want want = p->request->price;
    double least = INFINITY;

    if (want == WANT_BUY)
        return INT_MAX;
    for (size_t i = 0; i < p->of[want].count; i++) {
        const struct offer *o = &p->of[want].offer[i];

        least = fmin(least, o->price / (o->instance->per_gpu ? 1 : o->instance->gpu_count));
    }
    return (int)fmin(per_hour / least * (1 + 1e-9), INT_MAX); /* 0 without an offer */
}

bool prices_own(const struct prices *p)
{
    enum price_want want = p->request->price;

    for (size_t i = 0; want != WANT_BUY && i < p->of[want].count; i++)
        if (p->of[want].offer[i].instance->user)
            return true;
    return false;
}

/* GPUs that are paid where a host is sold in slices: whole baseboards, as nobody cuts one, and
 * of cards 1, 2, 4, ... up to all of a host. */
static int slices_paid(const struct request *q, const struct layout *l, int hosts, int host)
{
    bool board = q->gpu->link_domain > 1 && q->gpu->link_domain <= BOARD_MOST &&
                 strncmp(q->gpu->form_factor, "PCIe", 4) != 0;
    int left = l->gpus - (hosts - 1) * host, slice = 1;

    while (slice < left)
        slice *= 2;
    return board || slice > host || left <= 0 ? hosts * host : (hosts - 1) * host + slice;
}

/* One offer for one layout. */
struct bid {
    const struct offer *offer;
    int instances, machines;
    int gpus; /* rented */
    bool apart;
    bool torn; /* ... over less than hosts */
    double per_hour;
};

/* The user's own prices, then what keeps a group of GPUs together or in whole hosts, or in few
 * machines where nothing does, then the lower price. */
static bool better_bid(const struct bid *a, const struct bid *b)
{
    const struct instance *x = a->offer->instance, *y = b->offer->instance;

    if (x->user != y->user)
        return x->user;
    if (a->torn != b->torn)
        return !a->torn;
    if (a->torn && a->machines != b->machines)
        return a->machines < b->machines;
    if (fabs(a->per_hour - b->per_hour) > 1e-9)
        return a->per_hour < b->per_hour;
    return better_row(x, y);
}

/* offer NULL: no instance can host the layout. */
static struct bid best_bid(const struct prices *p, enum price_want want, const struct layout *l)
{
    struct bid best = {0};
    int group = layout_widest(l), host = p->request->host_gpus;
    bool rack = p->request->gpu->link_domain > BOARD_MOST; /* of hosts, joined by a link */

    for (size_t i = 0; i < p->of[want].count; i++) {
        const struct offer *offer = &p->of[want].offer[i];
        struct bid bid = {.offer = offer, .machines = cost_instances(l, offer->size, host)};

        bid.instances = offer->instance->per_gpu
                            ? slices_paid(p->request, l, bid.machines, offer->size)
                            : bid.machines;
        bid.gpus = bid.instances * (offer->instance->per_gpu ? 1 : offer->instance->gpu_count);
        bid.apart = offer->size < group && !(rack && group <= p->request->gpu->link_domain);
        bid.torn = bid.apart && offer->size < host;
        if (bid.machines == 0 || (bid.apart && p->request->engine->one_host))
            continue;
        bid.per_hour = bid.instances * offer->price;
        if (!best.offer || better_bid(&bid, &best))
            best = bid;
    }
    return best;
}

static struct rent cheapest_rent(const struct prices *p, enum price_want want,
                                 const struct layout *l)
{
    const struct market *market = p->market;
    double hours = market->hours > 0 ? market->hours : COST_HOURS_PER_MONTH;
    struct bid bid = best_bid(p, want, l);

    if (!bid.offer)
        return (struct rent){.age_days = -1};
    long day = market->today > 0 ? date_days(bid.offer->instance->date) : -1;
    long age = day < 0 ? -1 : market->today - day;
    bool ahead = day >= 0 && age < 0; /* the clock is wrong, or the date is */
    return (struct rent){.known = true,
                         .instance = bid.offer->instance,
                         .instances = bid.instances,
                         .machines = bid.machines,
                         .gpus_paid = bid.instances * bid.offer->instance->gpu_count,
                         .spot = bid.offer->spot,
                         .apart = bid.apart,
                         .per_hour = bid.per_hour,
                         .per_month = bid.per_hour * hours,
                         .ahead = ahead,
                         .age_days = ahead ? -1 : age};
}

/* ---- owning ---- */

static void finish_buy(const struct market *market, struct buy *buy)
{
    const struct ownership *own = market->ownership;
    double kwh = market->electricity > 0 ? market->electricity : own->electricity;
    double used = market->hours > 0 ? market->hours / COST_HOURS_PER_MONTH : 1;
    double energy = buy->drawn / 1000 * own->pue * kwh;
    double hosting = buy->watts / 1000 * own->hosting * 12 / HOURS_PER_YEAR;
    double keep = 1 - own->residual;
    struct quantity c = buy->capital;
    struct quantity capital =
        quantity_band(c.value * keep / (own->years * HOURS_PER_YEAR),
                      c.low * keep / (own->years_high * HOURS_PER_YEAR),
                      c.high * keep / (own->years_low * HOURS_PER_YEAR), ORIGIN_MODEL);

    buy->running = quantity_of(energy * used + hosting, ORIGIN_MODEL);
    struct quantity wall = quantity_add(capital, buy->running);
    buy->per_month = quantity_scale(wall, COST_HOURS_PER_MONTH);
    buy->per_hour = quantity_scale(wall, 1 / used); /* of use, as renting counts */
    buy->own = own;
    buy->electricity = kwh;
    buy->hours_share = used;
    buy->known = true;
}

static bool buy_server(const struct request *q, const struct layout *l, const struct market *market,
                       struct buy *buy)
{
    const struct gpu *gpu = q->gpu;
    const struct server *best = NULL;
    int count = 0;
    double price = 0;

    for (size_t i = 0; i < market->server_count; i++) {
        const struct server *s = &market->servers[i];
        int n = s->gpus > 0 ? cost_instances(l, s->gpus, q->host_gpus) : 0;

        if (n == 0 || s->price_low <= 0 || !in_list(s->gpu_ids, gpu->id))
            continue;
        double p = n * (s->price_low + fmax(s->price_high, s->price_low)) / 2;
        if (!best || p < price) {
            best = s;
            count = n;
            price = p;
        }
    }
    /* a server bought for a fraction of its GPUs is no fair price for them */
    if (!best || l->gpus * 2 <= count * best->gpus)
        return false;
    buy->server = true;
    buy->machines = buy->count = count;
    buy->what = best->name;
    buy->capital = quantity_band(price, count * best->price_low,
                                 count * fmax(best->price_high, best->price_low), ORIGIN_SHEET);
    buy->watts = count * (best->power > 0 ? best->power : best->gpus * power_most(q));
    buy->gpus = count * best->gpus;
    buy->as_of = best->price_as_of;
    buy->source = best->source;
    return true;
}

static bool buy_gpus(const struct request *q, const struct layout *l, const struct market *market,
                     struct buy *buy)
{
    const struct gpu *gpu = q->gpu;
    struct quantity p = gpu->street_price.known ? gpu->street_price : gpu->launch_price;

    if (!p.known || p.value <= 0)
        return false;
    double host = market->ownership->server_share;
    buy->host_assumed = true;
    buy->count = l->gpus;
    buy->what = gpu->id;
    buy->capital = quantity_band(p.value * l->gpus * (1 + host), p.low * l->gpus,
                                 p.high * l->gpus * (1 + 2 * host), ORIGIN_ASSUMED);
    buy->watts = l->gpus * power_most(q);
    buy->gpus = l->gpus;
    buy->as_of = gpu->street_price.known ? gpu->street_as_of : "";
    buy->launch_year = gpu->street_price.known ? 0 : gpu->release_year;
    buy->source = gpu->street_price.known ? gpu->street_source : "launch price";
    return true;
}

/* ---- all of it ---- */

const struct rent *cost_wanted(const struct cost *c)
{
    const struct rent *const rents[] = {
        [WANT_ON_DEMAND] = &c->on_demand,
        [WANT_SPOT] = &c->spot,
        [WANT_MARKET] = &c->market,
        [WANT_BUY] = NULL,
    };

    return rents[c->want];
}

bool cost_says_market(const struct cost *c)
{
    const struct rent *wanted = cost_wanted(c);

    return c->market.known && wanted && (c->want == WANT_MARKET || !wanted->known);
}

const struct rent *cost_weighed(const struct cost *c)
{
    return c->want == WANT_BUY ? &c->on_demand : cost_wanted(c);
}

static enum cost_note note_of(const struct request *q, const struct market *market,
                              const struct cost *c)
{
    const struct rent *r = cost_wanted(c);

    if (q->gpu->memory_only)
        return COST_NOTE_MEMORY_ONLY;
    if (!r)
        return c->buy.known ? COST_NOTE_NONE : COST_NOTE_NO_PURCHASE;
    if (!r->known && market->instance_count == 0)
        return COST_NOTE_NONE;
    if (!r->known)
        return market_is_narrowed(market) ? COST_NOTE_NARROWED : COST_NOTE_NO_OFFER;
    if (r->age_days > COST_OLD_DAYS)
        return COST_NOTE_OLD;
    if (r->ahead)
        return COST_NOTE_AHEAD;
    return r->age_days < 0 || !cost_dated(r->instance) ? COST_NOTE_UNDATED : COST_NOTE_NONE;
}

static struct buy buy_layout(const struct request *q, const struct layout *l,
                             const struct market *market)
{
    struct buy buy = {0};

    if (market->ownership && !q->gpu->memory_only &&
        (buy_server(q, l, market, &buy) || buy_gpus(q, l, market, &buy))) {
        buy.drawn = buy.watts;
        finish_buy(market, &buy);
    }
    return buy;
}

struct price cost_price(const struct prices *p, const struct layout *l)
{
    const struct request *q = p->request;

    if (q->price == WANT_BUY) {
        struct buy buy = buy_layout(q, l, p->market);

        return (struct price){.per_hour = buy.known ? buy.per_hour.value : 0,
                              .machines = buy.machines};
    }
    struct bid bid = best_bid(p, q->price, l);
    return (struct price){.per_hour = bid.per_hour,
                          .machines = bid.machines,
                          .rented = bid.offer != NULL,
                          .apart = bid.apart,
                          .gpus = bid.gpus};
}

/* What the price class that was asked for comes to, and the break-even against it. */
static void cost_settle(struct cost *out)
{
    const struct rent *rent = cost_wanted(out), *weighed = cost_weighed(out);
    struct buy *buy = &out->buy;

    /* hours of use after which renting has cost the capital, less what the owned machine takes
     * to run in those hours; 0 when it is written off before */
    if (buy->known) {
        double share = buy->hours_share > 0 ? buy->hours_share : 1;
        double saved = weighed->known ? weighed->per_hour - buy->running.value / share : 0;
        double hours = saved > 0 ? buy->capital.value / saved : 0;

        buy->break_even_hours = hours <= buy->own->years * HOURS_PER_YEAR * share ? hours : 0;
    }
    if (!rent && out->buy.known) {
        out->per_hour = out->buy.per_hour.value;
        out->per_month = out->buy.per_month.value;
        out->machines = out->buy.machines;
    } else if (rent && rent->known) {
        out->per_hour = rent->per_hour;
        out->per_month = rent->per_month;
        out->machines = rent->machines;
    }
}

void cost_draw(struct cost *cost, const struct market *market, double watts)
{
    if (!cost->buy.known)
        return;
    cost->buy.drawn = fmin(watts, cost->buy.watts);
    finish_buy(market, &cost->buy);
    cost_settle(cost);
}

void cost_estimate(const struct prices *prices, const struct layout *l, struct cost *out)
{
    const struct request *q = prices->request;
    const struct market *market = prices->market;

    memset(out, 0, sizeof(*out));
    out->want = q->price;
    out->on_demand = cheapest_rent(prices, WANT_ON_DEMAND, l);
    out->spot = cheapest_rent(prices, WANT_SPOT, l);
    out->market = cheapest_rent(prices, WANT_MARKET, l);
    out->buy = buy_layout(q, l, market);
    cost_settle(out);
    out->note = note_of(q, market, out);
}

/* ---- terms ---- */

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

    return (struct term_source){in->provider, in->user ? "(your price file)" : "", in->date,
                                words[in->kind][in->date[0] ? in->basis : 3],
                                in->source[0] ? in->source : "no source"};
}

static enum origin rent_origin(const struct rent *r)
{
    return r->instance->assumed ? ORIGIN_ASSUMED : ORIGIN_SHEET;
}

static void add_rent(struct terms *w, const char *name, const struct rent *r)
{
    int known = w->known_count;

    if (!r->known)
        return;
    const struct instance *in = r->instance;
    double price = r->spot ? in->spot : in->on_demand;

    input_number(w, "instances", r->instances, NULL);
    input_money(w, "price", quantity_exact(price), "/h", origin_word(rent_origin(r)));
    input_word(w, "region", in->region);
    if (r->ahead)
        input_word(w, "age", "dated ahead of this clock");
    else
        input_unit(w, "age", in->basis == DATE_READ ? 0 : (double)r->age_days, "days", NULL);
    term_add(w, name, "rent", "instances * price of one", quantity_of(r->per_hour, rent_origin(r)),
             "$/h", source_rent(r), "instances, price, region, age");
    input_word(w, r->instance->provider, r->instance->type);
    term_takes_last(w, 0);
    inputs_truncate(w, known);
}

static void input_owning(struct terms *w, const struct buy *b)
{
    const struct ownership *own = b->own;

    input_unit(w, "servers", b->server ? b->count : 0, b->what, NULL);
    input_unit(w, "GPUs", b->server ? 0 : b->count, b->what, NULL);
    input_number(w, "year of launch", b->launch_year, NULL);
    input_number(w, "host share", b->server ? 0 : own->server_share, "assumed");
    input_money(w, "capital", b->capital, NULL, origin_word(b->capital.origin));
    input_number(w, "kW", b->drawn / 1000, b->drawn < b->watts ? "at this load, model" : "at most");
    input_number(w, "kW at most", b->watts / 1000,
                 b->server ? "the server's, else GPUs and hosts" : "GPUs and hosts");
    input_number(w, "PUE", own->pue, "profile");
    input_unit(w, "electricity", b->electricity, "$/kWh",
               b->electricity == own->electricity ? "profile" : "request");
    input_number(w, "hours share", b->hours_share, "request");
    input_unit(w, "hosting", own->hosting, "$/kW and month", "profile");
    input_number(w, "residual", own->residual, "profile");
    input_number(w, "years", own->years, "profile");
    w->known[w->known_count - 1].value =
        quantity_band(own->years, own->years_low, own->years_high, ORIGIN_SHEET);
}

void cost_terms(struct terms *w)
{
    const struct cost *c = &w->plan->cost;
    const struct rent *r = cost_weighed(c);
    const struct layout *l = &w->plan->layout;

    if (r->known) {
        int count = r->instance->gpu_count;

        input_number(w, "count", count, "sheet");
        input_number(w, "GPUs paid for", r->gpus_paid, NULL);
        input_number(w, "used", l->gpus, NULL);
        term_add(w, "instances", "instances",
                 l->prefill_tp > 0        ? "hosts of those that decode, and of the others that do "
                                            "not go beside them"
                 : count >= l->tp * l->pp ? "ceil(replicas / floor(count / (tp*pp)))"
                                          : "ceil(pp / floor(count / tp)) * replicas",
                 quantity_exact(r->instances), "instances", source_rent(r),
                 "count, tp, pp, replicas, GPUs paid for, used");
        input_word(w, r->instance->provider, r->instance->type);
        term_takes_last(w, 0);
    }
    add_rent(w, "rent: on demand", &c->on_demand);
    add_rent(w, "rent: spot", &c->spot);
    if (c->want == WANT_MARKET)
        add_rent(w, "rent: marketplace", &c->market);
    if (r->known && r->per_hour > 0) {
        input_number(w, "hours per month", r->per_month / r->per_hour, NULL);
        term_add(w, "rent per month", "month", "rent * hours per month",
                 quantity_of(r->per_month, rent_origin(r)), "$/month", source_rent(r),
                 "hours per month");
    }
    if (!c->buy.known)
        return;
    const struct ownership *own = c->buy.own;
    struct term_source source = {"ownership", "", own->date, "",
                                 own->source[0] ? own->source : "no source"};

    input_owning(w, &c->buy);
    term_add(w, "buy: capital", "capital",
             c->buy.server ? "servers * price of one" : "GPUs * price * (1 + host share)",
             c->buy.capital, "$",
             source_text(c->buy.as_of[0] ? c->buy.as_of : "undated", c->buy.source),
             "servers, GPUs, year of launch, host share, capital");
    term_add(w, "buy: running", "running", "kW*PUE*$/kWh*hours share + kW at most*hosting*12/8760",
             c->buy.running, "$/h", source,
             "kW, PUE, electricity, hours share, kW at most, hosting");
    term_add(w, "buy: per hour", "owning", "capital*(1 - residual)/(years*8760) + running",
             c->buy.per_hour, "$/h", source, "capital, residual, years, running");
    if (!r->known || c->buy.break_even_hours <= 0)
        return;
    input_money(w, "rent", quantity_exact(r->per_hour), "/h", NULL);
    term_add(w, "break-even", "hours", "capital / (rent - running)",
             quantity_of(c->buy.break_even_hours, ORIGIN_MODEL), "hours",
             source_counted("hours of renting that cost as much as the capital"),
             "capital, rent, running");
}
