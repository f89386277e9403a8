/*
 * report_price.c - instances to rent and servers to buy as sheets.
 *
 * An instance type may be offered in several regions: --show prints them together. A
 * type that several providers have is named with its provider: "aws/p5.48xlarge".
 */
#include "data/report_catalog.h"

#include <string.h>

#include "util/units.h"

static struct quantity listed(double value)
{
    return value > 0 ? quantity_of(value, ORIGIN_SHEET) : quantity_unknown();
}

static const char *kind_word(const struct instance *in)
{
    return in->kind == PRICE_MARKET ? "market" : "list";
}

/* ---- instances ---- */

static void instance_row(const struct instance *in, struct sheet *s)
{
    sheet_textf(s, "id", "%s/%s", in->provider, in->type);
    sheet_text(s, "gpu", in->gpu);
    sheet_positive(s, "gpus", "", in->gpu_count);
    sheet_positive(s, "vcpus", "", in->vcpus);
    sheet_quantity(s, "ram", "GiB", listed(in->ram), GP_GIB, 0);
    sheet_quantity(s, "on_demand", "$/h", listed(in->on_demand), 1, 3);
    sheet_quantity(s, "spot", "$/h", listed(in->spot), 1, 3);
    sheet_text(s, "region", in->region);
    sheet_text(s, "class", kind_word(in));
    sheet_text(s, "date", in->date);
    sheet_flag(s, "assumed", in->assumed);
    sheet_detail(s);
    sheet_flag(s, "user", in->user);
    sheet_detail(s);
    sheet_text(s, "note", in->note);
    sheet_detail(s);
    sheet_text(s, "source", in->source);
    sheet_detail(s);
}

enum gp_status report_instance_rows(struct catalog *catalog, struct sheet *doc,
                                    struct gp_err *err)
{
    const struct instance *list;
    size_t n;
    enum gp_status status = catalog_instances(catalog, &list, &n, err);
    for (size_t i = 0; i < n && !status; i++)
        instance_row(&list[i], sheet_append(doc, "items"));
    return status;
}

static bool is_instance(const struct instance *in, const char *id)
{
    char full[sizeof(in->provider) + sizeof(in->type) + 1];
    gp_format(full, sizeof(full), "%s/%s", in->provider, in->type);
    return gp_casecmp(full, id) == 0 || gp_casecmp(in->type, id) == 0;
}

static void offer_facts(const struct instance *in, struct sheet *s)
{
    sheet_text(s, "region", in->region);
    sheet_quantity(s, "on_demand", "$/h", listed(in->on_demand), 1, 4);
    sheet_quantity(s, "spot", "$/h", listed(in->spot), 1, 4);
    sheet_text(s, "class", kind_word(in));
    sheet_text(s, "date", in->date);
    sheet_flag(s, "assumed", in->assumed);
    sheet_flag(s, "user", in->user);
    sheet_text(s, "note", in->note);
    sheet_text(s, "source", in->source);
}

static void instance_facts(const struct instance *in, struct sheet *s)
{
    sheet_textf(s, "id", "%s/%s", in->provider, in->type);
    sheet_text(s, "provider", in->provider);
    sheet_text(s, "type", in->type);
    sheet_text(s, "gpu", in->gpu);
    sheet_positive(s, "gpus", "", in->gpu_count);
    sheet_positive(s, "vcpus", "", in->vcpus);
    sheet_quantity(s, "ram", "GiB", listed(in->ram), GP_GIB, 0);
    sheet_group(s, "offers, per hour of the whole instance");
    sheet_list(s, "offers");
}

static enum gp_status ambiguous(const struct instance *a, const struct instance *b,
                                struct gp_err *err)
{
    char hint[240];
    gp_format(hint, sizeof(hint), "name one: %s/%s, %s/%s", a->provider, a->type,
              b->provider, b->type);
    return gp_fail(err, GP_E_USAGE, "--show", hint, "several providers have a '%s'",
                   a->type);
}

enum gp_status report_instance_show(struct planner *planner, const char *id,
                                    struct sheet *out, struct gp_err *err)
{
    const struct instance *list, *first = NULL;
    size_t n;
    enum gp_status status = catalog_instances(planner_catalog(planner), &list, &n, err);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++) {
        if (!is_instance(&list[i], id))
            continue;
        if (first && strcmp(first->provider, list[i].provider) != 0)
            return ambiguous(first, &list[i], err);
        if (!first)
            instance_facts(&list[i], out);
        first = first ? first : &list[i];
        offer_facts(&list[i], sheet_append(out, "offers"));
    }
    return first ? GP_OK : gp_fail(err, GP_E_USAGE, "", "", "no such instance");
}

/* ---- servers ---- */

static struct quantity price(const struct server *v)
{
    double high = v->price_high > v->price_low ? v->price_high : v->price_low;
    if (v->price_low <= 0)
        return quantity_unknown();
    return quantity_band((v->price_low + high) / 2, v->price_low, high, ORIGIN_SHEET);
}

static void server_row(const struct server *v, struct sheet *s)
{
    sheet_text(s, "id", v->id);
    sheet_text(s, "name", v->name);
    sheet_text(s, "kind", v->kind);
    sheet_positive(s, "gpus", "", v->gpus);
    sheet_words(s, "gpu_ids", v->gpu_ids);
    sheet_positive(s, "max_gpus_one_host", "", v->max_gpus_one_host);
    sheet_quantity(s, "power", "W", listed(v->power), 1, 0);
    sheet_quantity(s, "price", "$", price(v), 1, 0);
    sheet_text(s, "price_as_of", v->price_as_of);
    sheet_text(s, "confidence", v->confidence);
    sheet_text(s, "source", v->source);
    sheet_detail(s);
}

enum gp_status report_server_rows(struct catalog *catalog, struct sheet *doc,
                                  struct gp_err *err)
{
    const struct server *list;
    size_t n;
    enum gp_status status = catalog_servers(catalog, &list, &n, err);
    for (size_t i = 0; i < n && !status; i++)
        server_row(&list[i], sheet_append(doc, "items"));
    return status;
}

static void server_facts(const struct server *v, struct sheet *s)
{
    sheet_text(s, "id", v->id);
    sheet_text(s, "name", v->name);
    sheet_text(s, "kind", v->kind);
    sheet_positive(s, "gpus", "", v->gpus);
    sheet_words(s, "gpu_ids", v->gpu_ids);
    sheet_text(s, "interconnect", v->interconnect);
    sheet_positive(s, "max_gpus_one_host", "", v->max_gpus_one_host);
    sheet_positive(s, "rack_units", "", v->rack_units);
    sheet_quantity(s, "power", "W", listed(v->power), 1, 0);
    sheet_group(s, "price");
    sheet_quantity(s, "price", "$", price(v), 1, 0);
    sheet_text(s, "price_as_of", v->price_as_of);
    sheet_group(s, "evidence");
    sheet_text(s, "confidence", v->confidence);
    sheet_text(s, "source", v->source);
    sheet_text(s, "note", v->note);
}

enum gp_status report_server_show(struct planner *planner, const char *id,
                                  struct sheet *out, struct gp_err *err)
{
    const struct server *list;
    size_t n;
    enum gp_status status = catalog_servers(planner_catalog(planner), &list, &n, err);
    if (status)
        return status;
    for (size_t i = 0; i < n; i++)
        if (gp_casecmp(list[i].id, id) == 0) {
            server_facts(&list[i], out);
            return GP_OK;
        }
    return gp_fail(err, GP_E_USAGE, "", "", "no such server");
}
