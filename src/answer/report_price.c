/*
 * report_price.c - instances to rent and servers to buy as records.
 *
 * An instance type may be offered in several regions: --show prints them together. A
 * type that several providers have is named with its provider: "aws/p5.48xlarge".
 */
#include "answer/report_catalog.h"

#include <math.h>
#include <string.h>

#include "answer/sentence.h"
#include "base/units.h"

#define AT(member) MEMBER_AT(struct instance, member)

static const struct member what_members[] = {
    {"gpu", MEMBER_CHARS, AT(gpu)},
    {"gpus", MEMBER_SOME_INT, AT(gpu_count)},
    {"vcpus", MEMBER_SOME_INT, AT(vcpus)},
    {"ram", MEMBER_LISTED, AT(ram), "GiB", GP_GIB},
};

static const struct member row_members[] = {
    {"assumed", MEMBER_FLAG, AT(assumed), .detail = true},
    {"per_gpu", MEMBER_FLAG, AT(per_gpu), .detail = true},
    {"user", MEMBER_FLAG, AT(user), .detail = true},
    {"note", MEMBER_CHARS, AT(note), .detail = true},
    {"source", MEMBER_CHARS, AT(source), .detail = true},
};

static void class_and_date(const struct instance *in, struct record *s)
{
    struct texts texts = {0};

    record_text(s, "class", in->kind == PRICE_MARKET ? "market" : "list");
    record_text(s, "date", sentence_price_date(in, &texts));
    texts_fini(&texts);
}

/* ---- instances ---- */

enum gp_status report_instance_rows(struct catalog *catalog, struct record *doc, struct gp_err *err)
{
    const struct instance *list;
    size_t n;
    enum gp_status rc = catalog_instances(catalog, &list, &n, err);

    for (size_t i = 0; i < n && !rc; i++) {
        const struct instance *in = &list[i];
        struct record *s = record_append(doc, "items");

        record_textf(s, "id", "%s/%s", in->provider, in->type);
        RECORD_MEMBERS(s, what_members, in);
        record_listed(s, "on_demand", "$/h", in->on_demand, 1, 3);
        record_listed(s, "spot", "$/h", in->spot, 1, 3);
        record_text(s, "region", in->region);
        class_and_date(in, s);
        RECORD_MEMBERS(s, row_members, in);
    }
    return rc;
}

static bool is_instance(const struct instance *in, const char *id)
{
    char full[sizeof(in->provider) + sizeof(in->type) + 1];

    gp_format(full, sizeof(full), "%s/%s", in->provider, in->type);
    return gp_casecmp(full, id) == 0 || gp_casecmp(in->type, id) == 0;
}

/* The offers of one instance: its rows follow each other, and no other provider has the name. */
enum gp_status report_instance_show(struct planner *planner, const char *id, struct record *out,
                                    struct gp_err *err)
{
    const struct instance *list, *first = NULL;
    size_t n;
    enum gp_status rc = catalog_instances(planner_catalog(planner), &list, &n, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < n; i++) {
        const struct instance *in = &list[i];
        struct record *offer;

        if (!is_instance(in, id))
            continue;
        if (first && strcmp(first->provider, in->provider) != 0) {
            char hint[240];

            gp_format(hint, sizeof(hint), "name one: %s/%s, %s/%s", first->provider, first->type,
                      in->provider, in->type);
            return gp_fail(err, GP_E_USAGE, "--show", hint, "several providers have a '%s'",
                           first->type);
        }
        if (!first) {
            record_textf(out, "id", "%s/%s", in->provider, in->type);
            record_text(out, "provider", in->provider);
            record_text(out, "type", in->type);
            RECORD_MEMBERS(out, what_members, in);
            record_group(out, "offers, per hour of the whole instance");
            record_list(out, "offers");
            first = in;
        }
        offer = record_append(out, "offers");
        record_text(offer, "region", in->region);
        record_listed(offer, "on_demand", "$/h", in->on_demand, 1, 4);
        record_listed(offer, "spot", "$/h", in->spot, 1, 4);
        class_and_date(in, offer);
        RECORD_MEMBERS(offer, row_members, in);
    }
    return first ? GP_OK : gp_fail(err, GP_E_USAGE, "", "", "no such instance");
}

/* ---- servers ---- */

#define SERVER(member) MEMBER_AT(struct server, member)

static const struct member server_members[] = {
    {"id", MEMBER_CHARS, SERVER(id)},
    {"name", MEMBER_CHARS, SERVER(name)},
    {"kind", MEMBER_CHARS, SERVER(kind)},
    {"gpus", MEMBER_SOME_INT, SERVER(gpus)},
    {"gpu_ids", MEMBER_WORDS, SERVER(gpu_ids)},
    {"interconnect", MEMBER_CHARS, SERVER(interconnect), .detail = true},
    {"max_gpus_one_host", MEMBER_SOME_INT, SERVER(max_gpus_one_host)},
    {"rack_units", MEMBER_SOME_INT, SERVER(rack_units), .detail = true},
    {"power", MEMBER_LISTED, SERVER(power), "W"},
};

static const struct member server_evidence[] = {
    {"price_as_of", MEMBER_CHARS, SERVER(price_as_of)},
    {"confidence", MEMBER_CHARS, SERVER(confidence), .group = "evidence"},
    {"source", MEMBER_CHARS, SERVER(source), .detail = true},
    {"note", MEMBER_CHARS, SERVER(note), .detail = true},
};

/* A row of --list has the same facts as --show. */
static void server_facts(const struct server *v, struct record *s)
{
    double high = fmax(v->price_high, v->price_low);
    struct quantity price = quantity_unknown();

    if (v->price_low > 0)
        price = quantity_band((v->price_low + high) / 2, v->price_low, high, ORIGIN_SHEET);
    RECORD_MEMBERS(s, server_members, v);
    record_group(s, "price");
    record_quantity(s, "price", "$", price, 1, 0);
    RECORD_MEMBERS(s, server_evidence, v);
}

enum gp_status report_server_rows(struct catalog *catalog, struct record *doc, struct gp_err *err)
{
    const struct server *list;
    size_t n;
    enum gp_status rc = catalog_servers(catalog, &list, &n, err);

    for (size_t i = 0; i < n && !rc; i++)
        server_facts(&list[i], record_append(doc, "items"));
    return rc;
}

enum gp_status report_server_show(struct planner *planner, const char *id, struct record *out,
                                  struct gp_err *err)
{
    const struct server *list;
    size_t n;
    enum gp_status rc = catalog_servers(planner_catalog(planner), &list, &n, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < n; i++)
        if (gp_casecmp(list[i].id, id) == 0) {
            server_facts(&list[i], out);
            return GP_OK;
        }
    return gp_fail(err, GP_E_USAGE, "", "", "no such server");
}
