/*
 * report_price.c - instances to rent and servers to buy as records.
 *
 * An instance type may be offered in several regions: --show prints them together. A
 * type that several providers have is named with its provider: "aws/p5.48xlarge".
 */
#include "answer/report_catalog.h"

#include <string.h>

#include "answer/sentence.h"
#include "catalog/files.h"

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
        report_fields(s, instance_tables[INSTANCE_WHAT], in);
        record_listed(s, "on_demand", "$/h", in->on_demand, 1, 3);
        record_listed(s, "spot", "$/h", in->spot, 1, 3);
        record_text(s, "region", in->region);
        class_and_date(in, s);
        report_fields(s, instance_tables[INSTANCE_EVIDENCE], in);
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
            report_fields(out, instance_tables[INSTANCE_WHAT], in);
            record_group(out, "offers, per hour of the whole instance");
            record_list(out, "offers");
            first = in;
        }
        offer = record_append(out, "offers");
        report_fields(offer, instance_tables[INSTANCE_OFFER], in);
        class_and_date(in, offer);
        report_fields(offer, instance_tables[INSTANCE_EVIDENCE], in);
    }
    return first ? GP_OK : gp_fail(err, GP_E_USAGE, "", "", "no such instance");
}

/* ---- servers ---- */

enum gp_status report_server_rows(struct catalog *catalog, struct record *doc, struct gp_err *err)
{
    const struct server *list;
    size_t n;
    enum gp_status rc = catalog_servers(catalog, &list, &n, err);

    for (size_t i = 0; i < n && !rc; i++)
        report_fields(record_append(doc, "items"), server_table, &list[i]);
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
            report_fields(out, server_table, &list[i]);
            return GP_OK;
        }
    return gp_fail(err, GP_E_USAGE, "", "", "no such server");
}
