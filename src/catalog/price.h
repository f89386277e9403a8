/*
 * price.h - what GPUs cost to rent and to own, with dates.
 *
 * An instance is sold whole: a plan that needs 3 of its 8 GPUs pays for 8. Marketplace
 * and auction rows are a class of their own and never win unless asked for.
 */
#ifndef GP_CATALOG_PRICE_H
#define GP_CATALOG_PRICE_H

#include <stdbool.h>

#include "base/quantity.h"
#include "catalog/gpu.h"

enum price_class { PRICE_LIST, PRICE_MARKET /* marketplace, auction: not an offer */ };

enum date_basis {
    DATE_OWN,  /* the source's own date */
    DATE_FILE, /* the imported file's, nobody gave a better one */
    DATE_READ  /* the day a source without a date was read: no later than that */
};

struct instance {
    char provider[32];
    char type[64];
    char gpu[GPU_ID_MAX];
    int gpu_count;          /* 1 where per_gpu */
    bool per_gpu;           /* a price per GPU, sold in slices of up to a whole host */
    int vcpus;              /* 0 = unknown */
    double ram;             /* bytes; 0 = unknown */
    double on_demand, spot; /* dollars per hour of the whole instance; 0 = not offered */
    char region[32];
    char date[12];         /* "2026-07-20"; "" = unknown */
    enum date_basis basis; /* of the date */
    enum price_class kind;
    bool assumed; /* the form factor or another key figure is a guess */
    bool user;    /* from the user's own file: wins over the catalogue */
    char note[96];
    char source[128];
};

struct server { /* something to buy */
    char id[40];
    char name[64];
    char kind[16];     /* "fixed", "pcie", "rack", "composable" */
    int gpus;          /* per server; 0 = open */
    char gpu_ids[160]; /* '|' separated */
    char interconnect[80];
    int max_gpus_one_host; /* 0 = unknown */
    int rack_units;
    double power;                 /* W; 0 = unknown */
    double price_low, price_high; /* dollars; 0 = unknown */
    struct quantity price;        /* the same */
    char price_as_of[16];
    char confidence[8];
    char note[256];
    char source[160];
};

struct ownership {      /* what owning costs; profiles/prices/ownership.cfg */
    double electricity; /* dollars per kWh */
    double pue;
    double hosting;                      /* dollars per kW and month; 0 = own room */
    double years, years_low, years_high; /* straight-line depreciation */
    double residual;                     /* share of the price left at the end */
    double server_share;                 /* price of the host per dollar of GPUs; assumed */
    char source[256];
    char date[12];
};

#endif
