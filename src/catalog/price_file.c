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
#include "catalog/files.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"

#define ROWS_MAX 8192

static const struct profile_word kinds[] = {
    {"list", PRICE_LIST},
    {"marketplace", PRICE_MARKET},
    {"auction", PRICE_MARKET},
    {NULL, 0},
};

static const struct profile_word date_bases[] = {
    {"own", DATE_OWN},
    {"file", DATE_FILE},
    {"read", DATE_READ},
    {NULL, 0},
};

#define AT(member) PROFILE_AT(struct instance, member)

static const struct profile_field what_fields[] = {
    {"gpu", PROFILE_TEXT, AT(gpu)},
    {"count", PROFILE_COUNT, AT(gpu_count), 1, 1024, .label = "gpus"},
    {"vcpus", PROFILE_COUNT, AT(vcpus), 1, 100000},
    {"ram_gib", PROFILE_NUMBER, AT(ram), 0.1, 1e6, GP_GIB, "ram", "GiB"},
};

static const struct profile_field offer_fields[] = {
    {"provider", PROFILE_TEXT, AT(provider), .show = SHOW_NOT},
    {"type", PROFILE_TEXT, AT(type), .show = SHOW_NOT},
    {"region", PROFILE_TEXT, AT(region)},
    {"on_demand", PROFILE_NUMBER, AT(on_demand), 0, 1e6, 1, NULL, "$/h", 4},
    {"spot", PROFILE_NUMBER, AT(spot), 0, 1e6, 1, NULL, "$/h", 4},
};

static const struct profile_field evidence_fields[] = {
    {"date", PROFILE_DATE, AT(date), .show = SHOW_NOT}, /* with its basis, as sentences have it */
    {"date_basis", PROFILE_WORD, AT(basis), .words = date_bases, .show = SHOW_NOT},
    {"kind", PROFILE_WORD, AT(kind), .words = kinds, .show = SHOW_NOT},
    {"assumed", PROFILE_FLAG, AT(assumed), .detail = true},
    {"per_gpu", PROFILE_FLAG, AT(per_gpu), .detail = true},
    {NULL, PROFILE_FLAG, AT(user), .label = "user", .detail = true},
    {"note", PROFILE_TEXT, AT(note), .detail = true},
    {"source", PROFILE_TEXT, AT(source), .detail = true},
};

const struct profile_table instance_tables[INSTANCE_PARTS] = {
    PROFILE_TABLE(what_fields), PROFILE_TABLE(offer_fields), PROFILE_TABLE(evidence_fields)};

/* What may stand in a row may stand at the top, for all of them. */
static void read_row(struct profile_group group, struct instance *row)
{
    if (profile_has(group, "date"))
        row->basis = DATE_OWN; /* unless the group says what it is */
    for (int i = 0; i < INSTANCE_PARTS; i++)
        profile_fields(group, instance_tables[i].fields, instance_tables[i].count, row);
}

/* The row of an earlier file that this one replaces in part. Every row is held against
 * all of those: most differ in the first letter. */
static struct instance *find_row(const struct instance_list *list, const struct instance *like,
                                 size_t known)
{
    for (size_t i = 0; i < known; i++) {
        struct instance *row = &list->instances[i];

        if (row->type[0] == like->type[0] && strcmp(row->type, like->type) == 0 &&
            strcmp(row->provider, like->provider) == 0 && strcmp(row->region, like->region) == 0)
            return row;
    }
    return NULL;
}

static bool has_provider(const struct instance_list *list, const char *provider, size_t known)
{
    for (size_t i = 0; i < known; i++)
        if (strcmp(list->instances[i].provider, provider) == 0)
            return true;
    return false;
}

void price_file_read(struct profile_group top, void *target)
{
    struct instance_list *list = target;
    struct instance shared = {0};
    size_t known = list->count;              /* rows of this same file are never matched */
    char fresh[sizeof shared.provider] = ""; /* of which no earlier file has any */

    read_row(top, &shared);
    int n = profile_length(top, "instances", ROWS_MAX);
    list->instances =
        gp_grow(list->instances, &list->cap, known + (size_t)n, sizeof(*list->instances));
    for (int i = 0; i < n && !profile_failed(top.profile); i++) {
        struct profile_group item = profile_item(top, "instances", i);
        struct instance like = shared, *row;

        profile_require(item, "type");
        read_row(item, &like);
        if (strcmp(fresh, like.provider) != 0 && !has_provider(list, like.provider, known))
            gp_copy(fresh, sizeof fresh, like.provider);
        row = strcmp(fresh, like.provider) == 0 ? NULL : find_row(list, &like, known);
        if (row != NULL) {
            read_row(top, row);
            read_row(item, row);
        } else {
            row = &list->instances[list->count++];
            *row = like;
        }
        row->user = list->user;
        const struct profile_need needs[] = {
            {"gpu", row->gpu[0]}, {"count", row->gpu_count}, {"provider", row->provider[0]}};
        PROFILE_NEEDS(item, needs, "");
        if (profile_failed(top.profile))
            return;
        if (row->per_gpu && row->gpu_count != 1)
            profile_fail(item, "count", "with per_gpu = true, count must be 1",
                         "is %d, and the price is for one GPU", row->gpu_count);
        else if (row->on_demand <= 0 && row->spot <= 0)
            profile_fail(item, "on_demand", "give on_demand or spot", "has no price");
    }
}

#define OWN(member) PROFILE_AT(struct ownership, member)

void price_file_ownership(struct profile_group top, void *target)
{
    static const struct profile_field fields[] = {
        {"electricity", PROFILE_NUMBER, OWN(electricity), 0, 10},
        {"pue", PROFILE_NUMBER, OWN(pue), 1, 5},
        {"hosting", PROFILE_NUMBER, OWN(hosting), 0, 100000},
        {"years", PROFILE_NUMBER, OWN(years), 0.1, 50},
        {"years_low", PROFILE_NUMBER, OWN(years_low), 0.1, 50},
        {"years_high", PROFILE_NUMBER, OWN(years_high), 0.1, 50},
        {"residual", PROFILE_NUMBER, OWN(residual), 0, 1},
        {"server_share", PROFILE_NUMBER, OWN(server_share), 0, 10},
        {"source", PROFILE_TEXT, OWN(source)},
        {"date", PROFILE_DATE, OWN(date)},
    };
    struct ownership *own = target;

    PROFILE_FIELDS(top, fields, own);
    if (own->years_low > own->years || own->years_high < own->years)
        profile_fail(top, "years", "years_low <= years <= years_high",
                     "%g is outside its band %g..%g", own->years, own->years_low, own->years_high);
}

#define SERVER(member) PROFILE_AT(struct server, member)

static const struct profile_field server_fields[] = {
    {NULL, PROFILE_TEXT, SERVER(id), .label = "id"},
    {"name", PROFILE_TEXT, SERVER(name)},
    {"kind", PROFILE_TEXT, SERVER(kind)},
    {"gpus", PROFILE_COUNT, SERVER(gpus), 1, 1024},
    {"gpu_ids", PROFILE_TEXTS, SERVER(gpu_ids)},
    {"interconnect", PROFILE_TEXT, SERVER(interconnect), .detail = true},
    {"max_gpus_one_host", PROFILE_COUNT, SERVER(max_gpus_one_host), 1, 1024},
    {"rack_units", PROFILE_COUNT, SERVER(rack_units), 1, 100, .detail = true},
    {"power_w", PROFILE_NUMBER, SERVER(power), 1, 1e7, 1, "power", "W"},
    {"price_low", PROFILE_NUMBER, SERVER(price_low), 1, 1e9, .show = SHOW_NOT},
    {"price_high", PROFILE_NUMBER, SERVER(price_high), 1, 1e9, .show = SHOW_NOT},
    {NULL, PROFILE_QUANTITY, SERVER(price), .label = "price", .as = "$", .group = "price"},
    {"price_as_of", PROFILE_TEXT, SERVER(price_as_of)},
    {"confidence", PROFILE_TEXT, SERVER(confidence), .group = "evidence"},
    {"source", PROFILE_TEXT, SERVER(source), .detail = true},
    {"note", PROFILE_TEXT, SERVER(note), .detail = true},
};

const struct profile_table server_table = PROFILE_TABLE(server_fields);

void price_file_server(struct profile_group top, void *target)
{
    struct server *server = target;
    char vendor[32]; /* this and the slots are not held */
    int slots = 0;

    PROFILE_FIELDS(top, server_fields, server);
    profile_string(top, "vendor", vendor, sizeof vendor);
    profile_count(top, "slots", &slots, 1, 1024);
    if (server->price_low > 0)
        server->price = quantity_band((server->price_low + server->price_high) / 2,
                                      server->price_low, server->price_high, ORIGIN_SHEET);
    if (server->name[0] == '\0')
        profile_require(top, "name");
    if (server->price_low > 0 && server->price_high < server->price_low)
        profile_fail(top, "price_high", "", "is below price_low");
}
