/*
 * cost.h - what a layout costs to rent and to own.
 *
 * Renting: instances are sold whole. A TP group never leaves its instance; PP stages and
 * replicas may be spread over several of one type. The cheapest type with at least 8 GiB
 * of host memory per GPU wins within its class: list prices by default; marketplace and
 * auction rows only when asked for.
 *
 *   replica in one instance    instances = ceil(replicas / floor(count / (tp*pp)))
 *   PP over instances          instances = ceil(pp / floor(count / tp)) * replicas
 *
 * A group of GPUs (layout_group) is put on instances smaller than a host only where none that is
 * larger holds it; then on as few machines as can be rented, before the price counts.
 *
 * Owning: capital (GPUs at street or launch price plus a share for the host, or a whole
 * server's price) written off in a straight line, the power drawn at the load, and hosting
 * of the most that may be drawn:
 *
 *   hour = capital*(1 - residual)/(years*8760) + kW*PUE*electricity
 *        + kW at most*hosting*12/8760
 *
 * Example: 8 x H100 in a $310,000..317,000 server over 4 years = $8.95/h of capital.
 *
 * Break-even: the hours of renting that cost as much as the capital, net of what running
 * the owned machine costs in those hours.
 */
#ifndef GP_PLAN_COST_H
#define GP_PLAN_COST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/quantity.h"
#include "catalog/price.h"
#include "plan/layout.h"
#include "plan/request.h"

#define MARKET_TEXT_MAX 128

#define COST_HOURS_PER_MONTH 730.0 /* 8760 / 12 */
#define COST_OLD_DAYS 365          /* a price older than this is warned of */
#define COST_MUCH_LESS 0.75        /* of the money, for what is unusual: chosen, not measured */

struct market { /* borrowed lists; NULL and 0 when not loaded */
    const struct instance *instances;
    size_t instance_count;
    const struct server *servers;
    size_t server_count;
    const struct ownership *ownership; /* NULL: owning is not answered */
    double electricity;                /* $/kWh, 0 = ownership's */
    double hours;                      /* hours used per month; 0 = all 730 */
    long today;                        /* days since 1970-01-01, from the caller */
    /* Which of the instances count, ignoring case: */
    char providers[MARKET_TEXT_MAX]; /* "aws,gcp"; "" = all */
    char region[MARKET_TEXT_MAX];    /* a part of their region; "" = any */
    bool dated;                      /* only prices with a date of their own */
};

/* Does this instance of the market count? */
bool market_takes(const struct market *market, const struct instance *instance);
/* Are there instances that do not? */
bool market_is_narrowed(const struct market *market);

struct rent {
    bool known;
    const struct instance *instance; /* borrowed */
    int instances;                   /* how many of it; GPUs where priced by the GPU */
    int machines;                    /* how many machines those are */
    int gpus_paid;                   /* GPUs rented; may exceed those used */
    bool spot;                       /* the spot price is meant */
    bool apart;                      /* a layout_group() is spread over instances */
    double per_hour, per_month;      /* dollars; month = market.hours or 730 h */
    bool ahead;                      /* dated after today */
    long age_days;                   /* of the price, at least; -1 = undated, or ahead */
};

struct buy {
    bool known;
    bool server;              /* a whole server's price, not single GPUs */
    int machines;             /* servers bought; 0 = hosts of nobody's price */
    int count;                /* servers, else GPUs */
    const char *what;         /* borrowed: "HGX H100 8-GPU server", "h100-sxm" */
    struct quantity capital;  /* dollars */
    struct quantity per_hour; /* dollars, owned and running */
    struct quantity per_month;
    struct quantity running;     /* dollars per hour of power and hosting alone */
    int gpus;                    /* of the whole; some may not be used */
    double watts;                /* of the whole at most: what hosting is paid for */
    double drawn;                /* ... at this load (cost_draw), else that */
    const struct ownership *own; /* borrowed: what the figures above rest on */
    double electricity;          /* $/kWh as used: the market's or own's */
    double hours_share;          /* of the month that power is drawn, 0..1 */
    double break_even_hours;     /* against the rent chosen; 0 = never or unknown */
    const char *as_of;           /* date of the price, "" = unknown; borrowed */
    int launch_year;             /* of a price at launch, which has no other date */
    const char *source;          /* borrowed */
    bool host_assumed;           /* the host's share is nobody's figure */
};

enum cost_note { /* why a price is unknown or to be doubted */
                 COST_NOTE_NONE,
                 COST_NOTE_MEMORY_ONLY, /* this GPU is not priced */
                 COST_NOTE_NO_PURCHASE, /* no price to buy this GPU at */
                 COST_NOTE_NO_OFFER,    /* no instance of this price class hosts the layout */
                 COST_NOTE_NARROWED,    /* no instance among those that count does */
                 COST_NOTE_UNDATED,     /* no date of its own */
                 COST_NOTE_OLD,         /* older than COST_OLD_DAYS */
                 COST_NOTE_AHEAD        /* its date is to come */
};

struct cost {
    struct rent on_demand, spot, market; /* the cheapest of each class */
    struct buy buy;
    enum price_want want;
    double per_hour, per_month; /* of what was asked for; 0 = unknown */
    int machines;               /* that this price buys or rents; 0 = unknown */
    enum cost_note note;
};

/* What a market asks for one GPU: of each price class and each instance size the row
 * that wins there, so that a layout is priced by a few rows. */
struct offer {
    const struct instance *instance; /* borrowed */
    double price;                    /* dollars per hour of one */
    int size;                        /* GPUs of one request that it can hold */
    bool spot;
};

struct prices {
    const struct request *request; /* borrowed: gpu, host_gpus, price */
    const struct market *market;   /* borrowed */
    struct {
        struct offer *offer;
        size_t count, cap;
    } of[WANT_BUY]; /* on demand, spot, market */
};

void prices_init(const struct request *request, const struct market *market, struct prices *out);
void prices_fini(struct prices *prices);

/* The most GPUs that so many dollars an hour may pay; INT_MAX where that is not bounded:
 * they are bought. At least n x the lowest price per GPU is paid for n. */
int prices_most_gpus(const struct prices *prices, double per_hour);

/* Are any of them the user's own, which come before all others? */
bool prices_own(const struct prices *prices);

/* What a layout costs as it was asked for: no more than a search needs. */
struct price {
    double per_hour; /* dollars; 0 = unknown */
    int machines;    /* that this rents or buys; 0 = unknown */
    bool rented;     /* a rent is known */
    bool apart;      /* a layout_group() is spread over instances */
    int gpus;        /* of what this rents; 0: it is bought, or nobody rents it out */
};
struct price cost_price(const struct prices *prices, const struct layout *layout);

void cost_estimate(const struct prices *prices, const struct layout *layout, struct cost *out);

/* Owning at the watts that the load takes (power.h), not at the most. */
void cost_draw(struct cost *cost, const struct market *market, double watts);

/* The rent that was asked for; NULL when buying was. */
const struct rent *cost_wanted(const struct cost *cost);
/* Is a market's price said: it was asked for, or nothing else of what was is known? */
bool cost_says_market(const struct cost *cost);
/* The rent that buying is weighed against: that, else renting on demand. */
const struct rent *cost_weighed(const struct cost *cost);

/* Instances of one type that host the layout; 0 when a TP group does not fit in one, unless it is
 * over hosts and these are as large as one. */
int cost_instances(const struct layout *layout, int gpu_count, int host_gpus);

/* Has the price a date of its own? Not that of a file, nor the day it was read. */
bool cost_dated(const struct instance *instance);

/* As many of a GPU as any machine holds that is known, or may. */
int cost_widest(const struct gpu *gpu, const struct market *market);

/* GPUs of this kind that a usual host holds; *assumed when nothing in the catalogue shows
 * such a host. 1 for a MIG slice and for a GPU that is part of its computer, 8 PCIe
 * cards, a board's own number (link_domain up to 16), else what servers show. A listed
 * instance may raise it where its GPUs cost no more than a third above the cheapest, never lower
 * it: 3 cards that are rented one by one fit into one workstation all the same. The largest server
 * of the catalogue is no usual host. */
int cost_host_gpus(const struct gpu *gpu, const struct market *market, bool *assumed);

/* Dollars an hour that nobody asks less than for so many, as instances are rented whole: INFINITY
 * where nobody rents it out so; 0 where it is bought. */
double cost_least(const struct gpu *gpu, int gpus, enum price_want want,
                  const struct market *market);

/* W that a GPU's share of its host draws at most: of the catalogue's servers that state
 * their power the most, less their GPUs' limits; else *assumed, 0.8 of its limit (DGX A100
 * 1.03, DGX H100 0.82, eight PCIe cards 0.79, NVL72 0.39). */
double cost_host_watts(const struct gpu *gpu, const struct market *market, bool *assumed);
/* The server that says so, NULL = none does; *watts: of one GPU's share of it. */
const struct server *cost_host_server(const struct gpu *gpu, const struct market *market,
                                      double *watts);

struct terms;

/* Appends the terms of --why (terms_list.h). */
void cost_terms(struct terms *terms);

#endif
