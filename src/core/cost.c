/*
 * cost.c - see cost.h.
 */
#include "core/cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/str.h"

#define HOURS_PER_YEAR 8760.0
#define HOST_ASSUMED   8  /* PCIe slots of a GPU server; a host nobody has described */
#define BOARD_MOST     16 /* GPUs on one baseboard; a larger link domain is a rack */

/* Host memory per GPU below which no engine worker starts: some catalogues list a GPU
 * with the smallest CPU that can be ordered. Nobody's figure, on the low side. */
#define LEAST_RAM (8.0 * 1024 * 1024 * 1024)

/* Days before month m in a year that is not a leap year. */
static const int month_days[12] = {0,   31,  59,  90,  120, 151,
                                   181, 212, 243, 273, 304, 334};

long cost_date_days(const char *date)
{
    int y = 0, m = 1, d = 1, used = 0;
    if (sscanf(date, "%4d-%2d-%2d%n", &y, &m, &d, &used) < 1 || y < 1970 || y > 9999)
        return -1;
    if (m < 1 || m > 12 || d < 1)
        return -1;
    long leaps =
        (y - 1) / 4 - (y - 1) / 100 + (y - 1) / 400 - 477; /* before 1970: 477 */
    bool leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
    int next = m < 12 ? month_days[m] : 365;
    if (d > next - month_days[m - 1] + (leap && m == 2))
        return -1;
    return 365L * (y - 1970) + leaps + month_days[m - 1] + (leap && m > 2 ? 1 : 0) + d -
           1;
}

int cost_instances(const struct layout *l, int gpu_count)
{
    return gpu_count < l->tp ? 0 : layout_hosts(l, gpu_count);
}

/* A MIG slice ("a100-80/3g.40gb") is rented and bought as the GPU it is cut from. */
static bool is_gpu(const char *listed, const char *id)
{
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

static int largest_instance(const struct gpu *gpu, const struct market *market)
{
    int most = 0;
    for (size_t i = 0; i < market->instance_count; i++) {
        const struct instance *in = &market->instances[i];
        if (in->kind == PRICE_LIST && in->gpu_count > most && is_gpu(in->gpu, gpu->id))
            most = in->gpu_count;
    }
    return most;
}

static int largest_server(const struct gpu *gpu, const struct market *market)
{
    int most = 0;
    for (size_t i = 0; i < market->server_count; i++) {
        const struct server *s = &market->servers[i];
        if (s->max_gpus_one_host > most && strcmp(s->kind, "composable") != 0 &&
            in_list(s->gpu_ids, gpu->id))
            most = s->max_gpus_one_host;
    }
    return most;
}

/* An Apple GPU or a Jetson is one with its computer. */
static bool built_in(const struct gpu *gpu)
{
    return strcmp(gpu->interconnect, "none") == 0 ||
           strncmp(gpu->form_factor, "SoC", 3) == 0;
}

/* By its construction; 0 = that does not tell. */
static int usual_host(const struct gpu *gpu)
{
    if (strchr(gpu->id, '/') || built_in(gpu))
        return 1;
    if (strncmp(gpu->form_factor, "PCIe", 4) == 0)
        return HOST_ASSUMED;
    return gpu->link_domain > 1 && gpu->link_domain <= BOARD_MOST ? gpu->link_domain
                                                                  : 0;
}

int cost_host_gpus(const struct gpu *gpu, const struct market *market, bool *assumed)
{
    int usual = usual_host(gpu), offered = largest_instance(gpu, market);
    int server = largest_server(gpu, market);
    bool slots = strncmp(gpu->form_factor, "PCIe", 4) == 0;
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

/* ---- renting ---- */

static struct rent rent_of(const struct instance *in, int n, double price, bool spot,
                           const struct market *market)
{
    double hours = market->hours > 0 ? market->hours : COST_HOURS_PER_MONTH;
    return (struct rent){.known = true,
                         .instance = in,
                         .instances = n,
                         .gpus_paid = n * in->gpu_count,
                         .spot = spot,
                         .per_hour = n * price,
                         .per_month = n * price * hours};
}

static void set_age(struct rent *r, const struct market *market)
{
    long day = r->known && market->today > 0 ? cost_date_days(r->instance->date) : -1;
    r->age_days = day < 0 ? -1 : market->today > day ? market->today - day : 0;
}

/* The user's own prices win over the catalogue's, what keeps a replica together over
 * what does not, then the lower price; at equal price a stated row before an assumed
 * one, a dated before an undated one. */
static bool better(const struct rent *a, const struct rent *b)
{
    if (!b->known || a->instance->user != b->instance->user)
        return !b->known || a->instance->user;
    if (a->apart != b->apart)
        return !a->apart;
    if (fabs(a->per_hour - b->per_hour) > 1e-9)
        return a->per_hour < b->per_hour;
    if (a->instance->assumed != b->instance->assumed)
        return !a->instance->assumed;
    return strcmp(a->instance->date, b->instance->date) > 0; /* undated is "" */
}

static void offer(struct rent *best, const struct rent *r)
{
    if (better(r, best))
        *best = *r;
}

static void rent_cheapest(const struct request *q, const struct layout *l,
                          const struct market *market, struct cost *out)
{
    const struct gpu *gpu = q->gpu;
    int group = layout_group(l);
    for (size_t i = 0; i < market->instance_count; i++) {
        const struct instance *in = &market->instances[i];
        if (!is_gpu(in->gpu, gpu->id))
            continue;
        int size = in->per_gpu ? q->host_gpus : in->gpu_count;
        int machines = cost_instances(l, size);
        int n = in->per_gpu ? l->gpus : machines;
        if (machines == 0 || (in->ram > 0 && in->ram < in->gpu_count * LEAST_RAM))
            continue;
        struct rent listed = rent_of(in, n, in->on_demand, false, market);
        struct rent spot = rent_of(in, n, in->spot, true, market);
        listed.apart = spot.apart = size < group;
        listed.machines = spot.machines = machines;
        bool market_row = in->kind == PRICE_MARKET;
        if (in->on_demand > 0)
            offer(market_row ? &out->market : &out->on_demand, &listed);
        if (in->spot > 0)
            offer(market_row ? &out->market : &out->spot, &spot);
    }
}

char *cost_rent_note(const struct rent *r, char *text, size_t size)
{
    const struct instance *in = r->instance;
    text[0] = '\0';
    if (r->known && (in->assumed || in->note[0]))
        gp_format(text, size, "%s%s", in->assumed ? "assumed: " : "note: ",
                  in->note[0] ? in->note : "a key figure is a guess");
    if (r->known && r->apart) {
        size_t n = strlen(text);
        gp_format(text + n, size - n,
                  "%sthe GPUs of one request are in several instances", n ? "; " : "");
    }
    return text;
}

/* ---- owning ---- */

static void finish_buy(const struct market *market, struct buy *buy)
{
    const struct ownership *own = market->ownership;
    double kwh = market->electricity > 0 ? market->electricity : own->electricity;
    double kw = buy->watts / 1000;
    double used = market->hours > 0 ? market->hours / COST_HOURS_PER_MONTH : 1;
    double energy = kw * own->pue * kwh,
           hosting = kw * own->hosting * 12 / HOURS_PER_YEAR;
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

static bool buy_server(const struct gpu *gpu, const struct layout *l,
                       const struct market *market, struct buy *buy)
{
    const struct server *best = NULL;
    int count = 0;
    double price = 0;
    for (size_t i = 0; i < market->server_count; i++) {
        const struct server *s = &market->servers[i];
        int n = s->gpus > 0 ? cost_instances(l, s->gpus) : 0;
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
    buy->machines = count;
    gp_format(buy->what, sizeof(buy->what), "%d x %s", count, best->name);
    buy->capital =
        quantity_band(price, count * best->price_low,
                      count * fmax(best->price_high, best->price_low), ORIGIN_SHEET);
    double gpu_watts = gpu->power.known ? gpu->power.value : 0;
    buy->watts = count * (best->power > 0 ? best->power : best->gpus * gpu_watts * 1.3);
    gp_copy(buy->as_of, sizeof(buy->as_of), best->price_as_of);
    gp_copy(buy->source, sizeof(buy->source), best->source);
    return true;
}

static bool buy_gpus(const struct gpu *gpu, const struct layout *l,
                     const struct market *market, struct buy *buy)
{
    struct quantity p = gpu->street_price.known ? gpu->street_price : gpu->launch_price;
    if (!p.known || p.value <= 0)
        return false;
    double host = market->ownership->server_share;
    buy->host_assumed = true;
    gp_format(buy->what, sizeof(buy->what), "%d x %s and hosts", l->gpus, gpu->id);
    buy->capital = quantity_band(p.value * l->gpus * (1 + host), p.low * l->gpus,
                                 p.high * l->gpus * (1 + 2 * host), ORIGIN_ASSUMED);
    buy->watts = l->gpus * (gpu->power.known ? gpu->power.value : 0) * 1.3;
    if (gpu->street_price.known)
        gp_copy(buy->as_of, sizeof(buy->as_of), gpu->street_as_of);
    else if (gpu->release_year > 0)
        gp_format(buy->as_of, sizeof(buy->as_of), "%d launch", gpu->release_year);
    gp_copy(buy->source, sizeof(buy->source),
            gpu->street_price.known ? gpu->street_source : "launch price");
    return true;
}

/* Hours of use after which renting has cost the capital, less what the owned machine
 * takes to run in those hours; 0 when it is written off before. */
static double break_even(const struct rent *rent, const struct buy *buy)
{
    double share = buy->hours_share > 0 ? buy->hours_share : 1;
    double saved = rent->known ? rent->per_hour - buy->running.value / share : 0;
    double hours = saved > 0 ? buy->capital.value / saved : 0;
    return hours <= buy->own->years * HOURS_PER_YEAR * share ? hours : 0;
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

static void note(const struct request *q, const struct market *market, struct cost *c)
{
    const struct rent *r = cost_wanted(c);
    if (!r && !c->buy.known)
        gp_format(c->note, sizeof(c->note), "no purchase price of %s is known",
                  q->gpu->id);
    else if (r && !r->known && market->instance_count > 0)
        gp_format(c->note, sizeof(c->note),
                  "no %s price of an instance that can host this",
                  c->want == WANT_SPOT     ? "spot"
                  : c->want == WANT_MARKET ? "marketplace"
                                           : "list");
    else if (r && r->known && r->age_days < 0)
        gp_format(c->note, sizeof(c->note), "the price has no date: check it");
    else if (r && r->known && r->age_days > COST_OLD_DAYS)
        gp_format(c->note, sizeof(c->note), "the price is %ld days old: check it",
                  r->age_days);
}

void cost_estimate(const struct request *q, const struct layout *l,
                   const struct market *market, struct cost *out)
{
    const struct rent *rent;
    memset(out, 0, sizeof(*out));
    out->want = q->price;
    rent = cost_wanted(out);
    rent_cheapest(q, l, market, out);
    set_age(&out->on_demand, market);
    set_age(&out->spot, market);
    set_age(&out->market, market);
    if (market->ownership) {
        if (buy_server(q->gpu, l, market, &out->buy) ||
            buy_gpus(q->gpu, l, market, &out->buy))
            finish_buy(market, &out->buy);
        if (out->buy.known)
            out->buy.break_even_hours =
                break_even(rent ? rent : &out->on_demand, &out->buy);
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
    note(q, market, out);
}
