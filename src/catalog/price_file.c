/*
 * price_file.c - the keys of price, ownership and server profiles.
 *
 *   provider = "aws";  date = "2026-07-20";  kind = "list";
 *   instances = (
 *     { type = "g4dn.xlarge"; gpu = "t4"; count = 1; vcpus = 4; ram_gib = 16;
 *       on_demand = 0.526; region = "us-east-1"; },
 *   );
 *
 * Prices are dollars per hour of the whole instance. A row without on_demand and spot
 * would be no offer and is refused.
 */
#include "catalog/price_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"
#include "util/str.h"
#include "util/units.h"

#define ROWS_MAX 8192

static const struct profile_word kinds[] = {
    {"list", PRICE_LIST},
    {"marketplace", PRICE_MARKET},
    {"auction", PRICE_MARKET},
    {NULL, 0},
};

/* "2026", "2026-07", "2026-Q2" or "2026-07-20"; ages are computed from it. */
static void read_date(struct profile_group group, const char *key, char *date,
                      size_t size)
{
    size_t len;

    if (!profile_has(group, key))
        return;
    profile_string(group, key, date, size);
    len = strlen(date);
    if (len == 0)
        return;
    for (size_t i = 0; i < len; i++) {
        bool quarter = i == 5 && date[i] == 'Q' && len == 7;

        if (!(i == 4 || i == 7 ? date[i] == '-'
                               : isdigit((unsigned char)date[i]) || quarter)) {
            profile_fail(group, key, "write it as in \"2026-07-20\"",
                         "\"%s\" is not a date", date);
            return;
        }
    }
    if (len != 4 && len != 7 && len != 10)
        profile_fail(group, key, "write it as in \"2026-07-20\"",
                     "\"%s\" is not a date", date);
}

/* What may stand at the top of a price file as well as in a row. */
static void read_shared(struct profile_group group, struct instance *row)
{
    int kind = (int)row->kind;

    profile_string(group, "provider", row->provider, sizeof row->provider);
    profile_string(group, "region", row->region, sizeof row->region);
    read_date(group, "date", row->date, sizeof row->date);
    profile_word(group, "kind", &kind, kinds);
    row->kind = (enum price_class)kind;
    profile_bool(group, "assumed", &row->assumed);
    profile_bool(group, "per_gpu", &row->per_gpu);
    profile_string(group, "note", row->note, sizeof row->note);
    profile_string(group, "source", row->source, sizeof row->source);
}

static void read_row(struct profile_group item, struct instance *row)
{
    read_shared(item, row);
    profile_string(item, "type", row->type, sizeof row->type);
    profile_string(item, "gpu", row->gpu, sizeof row->gpu);
    profile_count(item, "count", &row->gpu_count, 1, 1024);
    profile_count(item, "vcpus", &row->vcpus, 1, 100000);
    profile_scaled(item, "ram_gib", &row->ram, GP_GIB, 0.1, 1e6);
    profile_number(item, "on_demand", &row->on_demand, 0, 1e6);
    profile_number(item, "spot", &row->spot, 0, 1e6);
}

static struct instance *find_row(struct instance_list *list,
                                 const struct instance *like, size_t known)
{
    for (size_t i = 0; i < known; i++) {
        struct instance *row = &list->instances[i];

        if (strcmp(row->type, like->type) == 0 &&
            strcmp(row->provider, like->provider) == 0 &&
            strcmp(row->region, like->region) == 0)
            return row;
    }
    list->instances =
        gp_grow(list->instances, &list->cap, list->count + 1, sizeof *list->instances);
    list->instances[list->count] = *like;
    return &list->instances[list->count++];
}

static void check_row(struct profile_group item, const struct instance *row)
{
    const char *missing = row->gpu[0] == '\0'        ? "gpu"
                          : row->gpu_count == 0      ? "count"
                          : row->provider[0] == '\0' ? "provider"
                                                     : NULL;

    if (missing != NULL)
        profile_fail(item, missing, "", "is missing");
    else if (row->per_gpu && row->gpu_count != 1)
        profile_fail(item, "count", "with per_gpu = true, count must be 1",
                     "is %d, and the price is for one GPU", row->gpu_count);
    else if (row->on_demand <= 0 && row->spot <= 0)
        profile_fail(item, "on_demand", "give on_demand or spot", "has no price");
}

enum gp_status price_file_read(const char *path, bool user, struct instance_list *list,
                               profile_warn_fn warn, void *ctx, struct gp_err *err)
{
    struct instance shared = {0};
    size_t known = list->count; /* rows of this same file are never matched */
    struct profile *profile;
    struct profile_group top;
    enum gp_status status = profile_open(path, &profile, err);

    if (status != GP_OK)
        return status;
    top = profile_top(profile);
    read_shared(top, &shared);
    for (int i = 0, n = profile_length(top, "instances", ROWS_MAX);
         i < n && !profile_failed(profile); i++) {
        struct profile_group item = profile_item(top, "instances", i);
        struct instance like = shared, *row;

        profile_require(item, "type");
        read_shared(item, &like);
        profile_string(item, "type", like.type, sizeof like.type);
        row = find_row(list, &like, known);
        read_shared(top, row);
        read_row(item, row);
        row->user = user;
        check_row(item, row);
    }
    status = profile_finish(profile, warn, ctx, err);
    profile_free(profile);
    return status;
}

enum gp_status price_file_ownership(const char *path, struct ownership *own,
                                    profile_warn_fn warn, void *ctx, struct gp_err *err)
{
    struct profile *profile;
    struct profile_group top;
    enum gp_status status = profile_open(path, &profile, err);

    if (status != GP_OK)
        return status;
    top = profile_top(profile);
    profile_number(top, "electricity", &own->electricity, 0, 10);
    profile_number(top, "pue", &own->pue, 1, 5);
    profile_number(top, "hosting", &own->hosting, 0, 100000);
    profile_number(top, "years", &own->years, 0.1, 50);
    profile_number(top, "years_low", &own->years_low, 0.1, 50);
    profile_number(top, "years_high", &own->years_high, 0.1, 50);
    profile_number(top, "residual", &own->residual, 0, 1);
    profile_number(top, "server_share", &own->server_share, 0, 10);
    profile_string(top, "source", own->source, sizeof own->source);
    read_date(top, "date", own->date, sizeof own->date);
    if (!profile_failed(profile) &&
        (own->years_low > own->years || own->years_high < own->years))
        profile_fail(top, "years", "years_low <= years <= years_high",
                     "%g is outside its band %g..%g", own->years, own->years_low,
                     own->years_high);
    status = profile_finish(profile, warn, ctx, err);
    profile_free(profile);
    return status;
}

static void read_server(struct profile_group top, struct server *server)
{
    int slots = 0;
    char vendor[32] = "";

    profile_string(top, "name", server->name, sizeof server->name);
    profile_string(top, "vendor", vendor, sizeof vendor);
    profile_string(top, "kind", server->kind, sizeof server->kind);
    profile_count(top, "gpus", &server->gpus, 1, 1024);
    profile_strings(top, "gpu_ids", server->gpu_ids, sizeof server->gpu_ids);
    profile_string(top, "interconnect", server->interconnect,
                   sizeof server->interconnect);
    profile_count(top, "max_gpus_one_host", &server->max_gpus_one_host, 1, 1024);
    profile_count(top, "slots", &slots, 1, 1024);
    profile_count(top, "rack_units", &server->rack_units, 1, 100);
    profile_number(top, "power_w", &server->power, 1, 1e7);
    profile_number(top, "price_low", &server->price_low, 1, 1e9);
    profile_number(top, "price_high", &server->price_high, 1, 1e9);
    profile_string(top, "price_as_of", server->price_as_of, sizeof server->price_as_of);
    profile_string(top, "confidence", server->confidence, sizeof server->confidence);
    profile_string(top, "note", server->note, sizeof server->note);
    profile_string(top, "source", server->source, sizeof server->source);
}

enum gp_status price_file_server(const char *path, struct server *server,
                                 profile_warn_fn warn, void *ctx, struct gp_err *err)
{
    struct profile *profile;
    enum gp_status status = profile_open(path, &profile, err);

    if (status != GP_OK)
        return status;
    read_server(profile_top(profile), server);
    if (server->name[0] == '\0')
        profile_require(profile_top(profile), "name");
    if (server->price_low > 0 && server->price_high < server->price_low)
        profile_fail(profile_top(profile), "price_high", "", "is below price_low");
    status = profile_finish(profile, warn, ctx, err);
    profile_free(profile);
    return status;
}
