/*
 * report_price.c - instances to rent and servers to buy as records.
 *
 * An instance type may be offered in several regions: --show prints them together. A
 * type that several providers have is named with its provider: "aws/p5.48xlarge".
 */
#include "output/report_catalog.h"

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

static void instance_row(const struct instance *in, struct record *s)
{
    record_textf(s, "id", "%s/%s", in->provider, in->type);
    record_text(s, "gpu", in->gpu);
    record_positive(s, "gpus", "", in->gpu_count);
    record_positive(s, "vcpus", "", in->vcpus);
    record_quantity(s, "ram", "GiB", listed(in->ram), GP_GIB, 0);
    record_quantity(s, "on_demand", "$/h", listed(in->on_demand), 1, 3);
    record_quantity(s, "spot", "$/h", listed(in->spot), 1, 3);
    record_text(s, "region", in->region);
    record_text(s, "class", kind_word(in));
    record_text(s, "date", in->date);
    record_flag(s, "assumed", in->assumed);
    record_detail(s);
    record_flag(s, "user", in->user);
    record_detail(s);
    record_text(s, "note", in->note);
    record_detail(s);
    record_text(s, "source", in->source);
    record_detail(s);
}

enum gp_status report_instance_rows(struct catalog *catalog, struct record *doc,
                                    struct gp_err *err)
{
    const struct instance *list;
    size_t n;
    enum gp_status status = catalog_instances(catalog, &list, &n, err);
    for (size_t i = 0; i < n && !status; i++)
        instance_row(&list[i], record_append(doc, "items"));
    return status;
}

static bool is_instance(const struct instance *in, const char *id)
{
    char full[sizeof(in->provider) + sizeof(in->type) + 1];
    gp_format(full, sizeof(full), "%s/%s", in->provider, in->type);
    return gp_casecmp(full, id) == 0 || gp_casecmp(in->type, id) == 0;
}

static void offer_facts(const struct instance *in, struct record *s)
{
    record_text(s, "region", in->region);
    record_quantity(s, "on_demand", "$/h", listed(in->on_demand), 1, 4);
    record_quantity(s, "spot", "$/h", listed(in->spot), 1, 4);
    record_text(s, "class", kind_word(in));
    record_text(s, "date", in->date);
    record_flag(s, "assumed", in->assumed);
    record_flag(s, "user", in->user);
    record_text(s, "note", in->note);
    record_text(s, "source", in->source);
}

static void instance_facts(const struct instance *in, struct record *s)
{
    record_textf(s, "id", "%s/%s", in->provider, in->type);
    record_text(s, "provider", in->provider);
    record_text(s, "type", in->type);
    record_text(s, "gpu", in->gpu);
    record_positive(s, "gpus", "", in->gpu_count);
    record_positive(s, "vcpus", "", in->vcpus);
    record_quantity(s, "ram", "GiB", listed(in->ram), GP_GIB, 0);
    record_group(s, "offers, per hour of the whole instance");
    record_list(s, "offers");
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
                                    struct record *out, struct gp_err *err)
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
        offer_facts(&list[i], record_append(out, "offers"));
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

static void server_row(const struct server *v, struct record *s)
{
    record_text(s, "id", v->id);
    record_text(s, "name", v->name);
    record_text(s, "kind", v->kind);
    record_positive(s, "gpus", "", v->gpus);
    record_words(s, "gpu_ids", v->gpu_ids);
    record_positive(s, "max_gpus_one_host", "", v->max_gpus_one_host);
    record_quantity(s, "power", "W", listed(v->power), 1, 0);
    record_quantity(s, "price", "$", price(v), 1, 0);
    record_text(s, "price_as_of", v->price_as_of);
    record_text(s, "confidence", v->confidence);
    record_text(s, "source", v->source);
    record_detail(s);
}

enum gp_status report_server_rows(struct catalog *catalog, struct record *doc,
                                  struct gp_err *err)
{
    const struct server *list;
    size_t n;
    enum gp_status status = catalog_servers(catalog, &list, &n, err);
    for (size_t i = 0; i < n && !status; i++)
        server_row(&list[i], record_append(doc, "items"));
    return status;
}

static void server_facts(const struct server *v, struct record *s)
{
    record_text(s, "id", v->id);
    record_text(s, "name", v->name);
    record_text(s, "kind", v->kind);
    record_positive(s, "gpus", "", v->gpus);
    record_words(s, "gpu_ids", v->gpu_ids);
    record_text(s, "interconnect", v->interconnect);
    record_positive(s, "max_gpus_one_host", "", v->max_gpus_one_host);
    record_positive(s, "rack_units", "", v->rack_units);
    record_quantity(s, "power", "W", listed(v->power), 1, 0);
    record_group(s, "price");
    record_quantity(s, "price", "$", price(v), 1, 0);
    record_text(s, "price_as_of", v->price_as_of);
    record_group(s, "evidence");
    record_text(s, "confidence", v->confidence);
    record_text(s, "source", v->source);
    record_text(s, "note", v->note);
}

enum gp_status report_server_show(struct planner *planner, const char *id,
                                  struct record *out, struct gp_err *err)
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
