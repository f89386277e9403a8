/*
 * report_catalog.c - the classes, filtering a list, and finding an id in any class.
 */
#include "answer/report_catalog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/sentence.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/suggest.h"
#include "base/units.h"
#include "catalog/files.h"
#include "catalog/names.h"
#include "catalog/registry.h"
#include "model/read/checkpoint.h"
#include "model/read/hub_cache.h"
#include "plan/kvcache.h"
#include "plan/weights.h"

/* ---- one item ---- */

static const enum member_kind member_kinds[] = {
    [PROFILE_TEXT] = MEMBER_CHARS,     [PROFILE_TEXTS] = MEMBER_WORDS,
    [PROFILE_DATE] = MEMBER_CHARS,     [PROFILE_FLAG] = MEMBER_FLAG,
    [PROFILE_COUNT] = MEMBER_SOME_INT, [PROFILE_INTEGER] = MEMBER_SOME,
    [PROFILE_NUMBER] = MEMBER_LISTED,  [PROFILE_QUANTITY] = MEMBER_QUANTITY,
};

static enum member_kind member_kind(const struct profile_field *f)
{
    switch (f->show) {
    case SHOW_FITTED:
        return MEMBER_FITTED;
    case SHOW_VERSION:
        return MEMBER_VERSION;
    case SHOW_COUNT:
        return MEMBER_NUMBER;
    case SHOW_SOME:
    case SHOW_PARAMS:
        return MEMBER_SOME;
    case SHOW_LISTED:
        return MEMBER_LISTED_INT;
    default:
        return member_kinds[f->kind];
    }
}

/* "layer embedding, router": the words of a profile as people write them. */
static void report_bits(struct record *s, const char *name, unsigned bits,
                        const struct profile_word *words)
{
    struct strbuf text = STRBUF_EMPTY;

    for (; words->word; words++)
        if (bits >> words->value & 1)
            strbuf_addf(&text, "%s%s", text.len ? "|" : "", words->word);
    for (char *dash = text.text; (dash = strchr(dash, '-'));)
        *dash = ' ';
    record_words(s, name, text.text);
    strbuf_fini(&text);
}

/* Every field of a table that --show prints, under its label. */
static void report_fields(struct record *s, struct profile_table table, const void *base)
{
    for (const struct profile_field *f = table.fields; f < table.fields + table.count; f++) {
        const char *name = f->label ? f->label : f->key;
        const char *at = (const char *)base + f->offset;
        const int *n = (const int *)(const void *)at;
        const double *number = (const double *)(const void *)at;

        if (f->show == SHOW_NOT ||
            (f->show == SHOW_SET && (f->kind == PROFILE_NUMBER ? *number <= 0 : !*at)))
            continue;
        if (f->group)
            record_group(s, f->group);
        if (f->kind == PROFILE_LIST) {
            n = (const int *)(const void *)((const char *)base + f->list->count);
            record_list(s, name);
            for (int i = 0; i < *n; i++, at += f->list->item_size)
                report_fields(record_append(s, name), f->list->item, at);
        } else if (f->kind == PROFILE_SHARE) {
            record_textf(s, name, n[1] > 0 ? "%d/%d" : "", n[0], n[1]);
        } else if (f->kind == PROFILE_WORD) {
            const struct profile_word *w = f->words;

            while (w->word && w->value != *n)
                w++;
            record_text(s, name, w->word);
        } else if (f->kind == PROFILE_BITS) {
            report_bits(s, name, *(const unsigned *)(const void *)at, f->words);
        } else if (f->kind == PROFILE_NUMBER && f->show >= SHOW_EXACT) {
            record_quantity(s, name, f->as,
                            *number > 0 || f->show == SHOW_EXACT ? quantity_exact(*number)
                                                                 : quantity_unknown(),
                            1, f->decimals);
        } else {
            struct member m = {.name = name,
                               .kind = member_kind(f),
                               .offset = f->offset,
                               .unit = f->as,
                               .divide = f->unit,
                               .decimals = f->decimals};

            record_members(s, &m, 1, base);
        }
        if (f->show == SHOW_PARAMS || f->show == SHOW_THOUSANDS)
            record_style(s, f->show == SHOW_PARAMS ? STYLE_PARAMS : STYLE_THOUSANDS);
        if (f->detail)
            record_detail(s);
    }
}

static void class_and_date(const struct instance *in, struct record *s)
{
    struct texts texts = {0};

    record_text(s, "class", in->kind == PRICE_MARKET ? "market" : "list");
    record_text(s, "date", sentence_price_date(in, &texts));
    texts_fini(&texts);
}

/* ---- instances ---- */

static enum gp_status report_instance_rows(struct catalog *catalog, struct record *doc,
                                           struct gp_err *err)
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
static enum gp_status report_instance_show(struct planner *planner, const char *id,
                                           struct record *out, struct gp_err *err)
{
    const struct instance *list, *first = NULL;
    size_t n;
    enum gp_status rc = catalog_instances(planner_catalog(planner), &list, &n, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < n; i++) {
        const struct instance *in = &list[i];

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
        struct record *offer = record_append(out, "offers");
        report_fields(offer, instance_tables[INSTANCE_OFFER], in);
        class_and_date(in, offer);
        report_fields(offer, instance_tables[INSTANCE_EVIDENCE], in);
    }
    return first ? GP_OK : gp_fail(err, GP_E_USAGE, "", "", "no such instance");
}

/* ---- servers ---- */

static enum gp_status report_server_rows(struct catalog *catalog, struct record *doc,
                                         struct gp_err *err)
{
    const struct server *list;
    size_t n;
    enum gp_status rc = catalog_servers(catalog, &list, &n, err);

    for (size_t i = 0; i < n && !rc; i++)
        report_fields(record_append(doc, "items"), server_table, &list[i]);
    return rc;
}

static enum gp_status report_server_show(struct planner *planner, const char *id,
                                         struct record *out, struct gp_err *err)
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

/* "sliding+full" */
static void model_mixers(const struct model *m, char *text, size_t size)
{
    unsigned seen = 0;

    text[0] = '\0';
    for (int k = 0; k < m->kind_count; k++) {
        enum mixer mixer = m->kind[k].mixer;
        size_t len = strlen(text);

        if (mixer_is(mixer, MIXER_IS_NOTHING) || (seen >> mixer & 1))
            continue;
        seen |= 1u << mixer;
        gp_format(text + len, size - len, "%s%s", len ? "+" : "", mixer_word(mixer));
    }
}

static const struct layer_kind *expert_kind(const struct model *m)
{
    for (int k = 0; k < m->kind_count; k++)
        if (m->kind[k].experts > 0)
            return &m->kind[k];
    return NULL;
}

static const char *native_word(const struct model *m)
{
    return m->native_name[0] ? m->native_name : m->native_dtype;
}

static void model_row(const struct model *m, struct record *s)
{
    const struct layer_kind *moe = expert_kind(m);
    char attention[120];

    model_mixers(m, attention, sizeof(attention));
    record_text(s, "id", m->id);
    record_text(s, "name", m->name);
    record_text(s, "family", m->family);
    record_count(s, "params_total", "", model_params(m));
    record_style(s, STYLE_PARAMS);
    record_title(s, "params");
    record_count(s, "params_active", "", model_params_active(m));
    record_style(s, STYLE_PARAMS);
    record_title(s, "active");
    record_positive(s, "layers", "", m->layer_count);
    record_positive(s, "hidden", "", m->hidden);
    record_textf(s, "experts", moe ? "%d of %d" : "", moe ? moe->experts_active : 0,
                 moe ? moe->experts : 0);
    record_text(s, "attention", attention);
    record_positive(s, "max_context", "tokens", m->max_context);
    record_style(s, STYLE_THOUSANDS);
    record_text(s, "native", native_word(m));
    record_positive(s, "params_published", "", m->published);
    record_detail(s);
    record_flag(s, "weights_only", m->weights_only);
    record_detail(s);
    record_text(s, "date", m->date);
    record_detail(s);
    record_text(s, "source", m->source);
    record_detail(s);
}

static enum gp_status report_model_rows(struct catalog *catalog, struct record *doc,
                                        struct gp_err *err)
{
    const struct model *const *list;
    struct hub_model *cached;
    struct gp_err unread;
    struct model m;
    size_t n;
    enum gp_status rc = catalog_models(catalog, &list, &n, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < n; i++)
        model_row(list[i], record_append(doc, "items"));
    n = hub_cache_list(&cached); /* one that cannot be read has no row */
    for (size_t i = 0; i < n; i++)
        if (checkpoint_read(cached[i].path, &m, &unread) == GP_OK) {
            gp_copy(m.id, sizeof m.id, cached[i].name);
            model_row(&m, record_append(doc, "items"));
        }
    free(cached);
    return GP_OK;
}

/* ---- one model ---- */

static void kind_facts(const struct model *m, int k, struct record *s)
{
    struct tensor tensors[MODEL_MAX_TENSORS];
    int n = model_layer_tensors(m, k, tensors);
    struct layer_kind kind = m->kind[k];
    double params = 0;

    for (int i = 0; i < n; i++)
        params += tensors[i].rows * tensors[i].cols * tensors[i].count;
    if (kind.v_head_dim == kind.head_dim)
        kind.v_head_dim = 0; /* said once */
    record_text(s, "mixer", mixer_word(kind.mixer));
    record_count(s, "layers", "", model_kind_layers(m, k));
    record_count(s, "params_per_layer", "", params);
    record_style(s, STYLE_PARAMS);
    for (const struct layer_field *f = layer_fields; f < layer_fields + LAYER_FIELDS; f++) {
        const char *at = (const char *)&kind + f->offset;
        int value = 0;

        memcpy(&value, at, f->kind == LAYER_FLAG ? sizeof(bool) : sizeof(value));
        if (value == 0 || !f->label)
            continue;
        if (f->kind == LAYER_COUNT)
            record_count(s, f->label, "", value);
        else
            record_flag(s, f->label, true);
    }
}

static void tower_facts(const struct model *m, struct record *s)
{
    record_list(s, "vision_tower");
    if (m->vision.width == 0)
        return;
    struct record *tower = record_append(s, "vision_tower");
    for (int i = 0; i < VISION_COUNTS; i++) {
        int value;

        memcpy(&value, (const char *)&m->vision + vision_counts[i].offset, sizeof value);
        record_positive(tower, vision_counts[i].key, "", value);
    }
    record_flag(tower, "gated", m->vision.gated);
    record_text(tower, "source", m->vision.source);
}

static void shape_facts(const struct model *m, struct record *s)
{
    report_fields(s, model_tables[MODEL_SHAPE], m);
    record_list(s, "layers_by_kind");
    for (int k = 0; k < m->kind_count; k++)
        kind_facts(m, k, record_append(s, "layers_by_kind"));
    record_list(s, "extras");
    for (int i = 0; i < m->extra_count; i++) {
        struct record *extra = record_append(s, "extras");

        record_text(extra, "name", m->extra[i].name);
        record_text(extra, "role", role_word(m->extra[i].role));
        record_count(extra, "params", "", m->extra[i].elements);
        record_style(extra, STYLE_PARAMS);
    }
    tower_facts(m, s);
}

static void params_facts(const struct model *m, struct record *s)
{
    record_group(s, "parameters");
    record_count(s, "params_total", "", model_params(m));
    record_style(s, STYLE_PARAMS);
    record_count(s, "params_active", "", model_params_active(m));
    record_style(s, STYLE_PARAMS);
    report_fields(s, model_tables[MODEL_PUBLISHED], m);
    struct record *roles = record_inside(s, "params_by_role");
    for (int r = 0; r < ROLE_COUNT; r++) {
        double n = model_params_role(m, (enum tensor_role)r);

        if (n > 0) {
            record_count(roles, role_word((enum tensor_role)r), "", n);
            record_style(roles, STYLE_PARAMS);
        }
    }
}

/* The precision it is published in, and the bytes that makes. */
static enum gp_status weight_facts(struct planner *planner, const struct model *m, struct record *s,
                                   struct gp_err *err)
{
    struct request q = {.model = m};
    enum gp_status rc = planner_precision(planner, m, NULL, &q.precision, err);

    if (!rc)
        rc = catalog_engine(planner_catalog(planner), CATALOG_ENGINE, &q.engine, err);
    if (rc)
        return rc;
    record_group(s, "weights");
    record_text(s, "native", native_word(m));
    record_text(s, "native_dtype", m->native_dtype);
    struct record *formats = record_inside(s, "native_formats");
    for (int r = 0; r < ROLE_COUNT; r++)
        if (model_params_role(m, (enum tensor_role)r) > 0)
            record_text(formats, role_word((enum tensor_role)r), q.precision.by_role[r]->id);
    record_list(s, "quantized_checkpoints");
    for (int i = 0; i < m->checkpoint_count; i++) {
        const struct model_checkpoint *c = &m->checkpoint[i];
        struct record *one = record_append(s, "quantized_checkpoints");

        record_text(one, "format", c->format);
        for (int r = 0; r < ROLE_COUNT; r++) /* that differ from the format's rule */
            if (c->role[r][0] && model_params_role(m, (enum tensor_role)r) > 0)
                record_text(one, role_word((enum tensor_role)r), c->role[r]);
        record_positive(one, "ff", "", c->ff);
        record_text(one, "source", c->source);
    }
    record_quantity(s, "checkpoint", "GiB",
                    m->bytes.known && !m->bytes.inferred ? quantity_exact(m->bytes.file_bytes)
                                                         : weights_files(&q),
                    GP_GIB, 2);
    record_flag(s, "checkpoint_from_its_tensors", m->bytes.known && !m->bytes.inferred);
    return GP_OK;
}

static enum gp_status kv_facts(struct planner *planner, const struct model *m, struct record *s,
                               struct gp_err *err)
{
    const struct format *own, *bf16;
    struct catalog *catalog = planner_catalog(planner);
    const char *id = m->native_kv[0] ? m->native_kv : m->native_dtype;
    enum gp_status rc = catalog_format(catalog, id[0] ? id : "bf16", &own, err);

    if (!rc)
        rc = catalog_format(catalog, "bf16", &bf16, err);
    if (rc)
        return rc;
    bool decoder = m->max_context > 0 && !m->weights_only;
    record_group(s, "KV cache");
    record_count(s, "kv_bytes_per_token", "B",
                 decoder ? kvcache_bytes_per_token(m, own, NULL) : NAN);
    record_text(s, "kv_precision", decoder ? own->id : "");
    record_count(s, "kv_bytes_per_token_bf16", "B",
                 decoder ? kvcache_bytes_per_token(m, bf16, NULL) : NAN);
    return GP_OK;
}

static enum gp_status model_facts(struct planner *planner, const struct model *m, const char *id,
                                  struct record *s, struct gp_err *err)
{
    bool listed = strcmp(m->id, id) == 0;

    record_text(s, "id", id);
    report_fields(s, model_tables[MODEL_NAMES], m);
    record_words(s, "aliases", listed ? catalog_aliases(planner_catalog(planner), m->id) : "");
    report_fields(s, model_tables[MODEL_USE], m);
    params_facts(m, s);
    shape_facts(m, s);
    enum gp_status rc = weight_facts(planner, m, s, err);
    if (!rc)
        rc = kv_facts(planner, m, s, err);
    report_fields(s, model_tables[MODEL_EVIDENCE], m);
    return rc;
}

static enum gp_status report_model_show(struct planner *planner, const char *id, struct record *out,
                                        struct gp_err *err)
{
    const struct model *m;
    enum gp_status rc = catalog_model(planner_catalog(planner), id, &m, err);

    return rc ? rc : model_facts(planner, m, m->id, out, err);
}

static enum gp_status report_local_model(struct planner *planner, const char *path,
                                         struct record *out, struct gp_err *err)
{
    struct hub_model hub;
    struct model m;
    bool cached = !path_is_there(path) && hub_cache_find(path, &hub);
    enum gp_status rc = checkpoint_read(cached ? hub.path : path, &m, err);

    return rc ? rc : model_facts(planner, &m, path, out, err);
}

#define OF_GPU(member) MEMBER_AT(struct gpu, member)

static const struct member gpu_members[] = {
    {"id", MEMBER_CHARS, OF_GPU(id)},
    {"name", MEMBER_CHARS, OF_GPU(name)},
    {"architecture", MEMBER_CHARS, OF_GPU(architecture)},
    {"memory", MEMBER_BYTES, OF_GPU(physical)},
    {"usable", MEMBER_BYTES, OF_GPU(usable)},
    {"bandwidth", MEMBER_QUANTITY, OF_GPU(bandwidth), "GB/s", 1e9},
    {"bf16", MEMBER_QUANTITY, OF_GPU(rate[MATH_BF16]), "TFLOPS", 1e12, 1},
    {"fp8", MEMBER_QUANTITY, OF_GPU(rate[MATH_FP8]), "TFLOPS", 1e12, 1},
    {"power", MEMBER_QUANTITY, OF_GPU(power), "W"},
    {"interconnect", MEMBER_CHARS, OF_GPU(interconnect)},
    {"mig", MEMBER_SOME_INT, OF_GPU(mig_max)},
    {"year", MEMBER_SOME_INT, OF_GPU(release_year)},
    {"confidence", MEMBER_CHARS, OF_GPU(confidence)},
    {"vendor", MEMBER_CHARS, OF_GPU(vendor), .detail = true},
    {"source", MEMBER_CHARS, OF_GPU(source), .detail = true},
};

/* With the usable memory that plans use. */
static struct gpu gpu_with_usable(const struct gpu *g)
{
    struct gpu copy = *g;

    copy.usable = gpu_usable(g);
    return copy;
}

static enum gp_status report_gpu_rows(struct catalog *catalog, struct record *doc,
                                      struct gp_err *err)
{
    const struct gpu *const *list;
    size_t n;
    enum gp_status rc = catalog_gpus(catalog, &list, &n, err);

    for (size_t i = 0; i < n && !rc; i++) {
        struct gpu g = gpu_with_usable(list[i]);

        RECORD_MEMBERS(record_append(doc, "items"), gpu_members, &g);
    }
    return rc;
}

/* ---- one GPU ---- */

/* "h100-sxm", or a slice: "h100-sxm/3g.40gb". */
static enum gp_status report_gpu_show(struct planner *planner, const char *id, struct record *out,
                                      struct gp_err *err)
{
    const struct gpu *g;
    struct gpu cut;
    char whole[GPU_ID_MAX + 32];

    if (!gp_copy(whole, sizeof(whole), id))
        return gp_fail(err, GP_E_USAGE, "", "", "the id is too long");
    char *slash = strchr(whole, '/');
    if (slash)
        *slash = '\0';
    enum gp_status rc = catalog_gpu(planner_catalog(planner), whole, &g, err);
    if (!rc && slash) {
        rc = gpu_slice_of(g, slash + 1, &cut, err);
        if (rc && err)
            gp_copy(err->where, sizeof(err->where), "--show");
        g = &cut;
    }
    if (!rc) {
        cut = gpu_with_usable(g);
        report_fields(out, gpu_table, &cut);
    }
    return rc;
}

/* ---- families ---- */

#define OF_FAMILY(member) MEMBER_AT(struct family, member)

static const struct member family_members[] = {
    {"id", MEMBER_CHARS, OF_FAMILY(id)},
    {"name", MEMBER_CHARS, OF_FAMILY(name)},
    {"compute", MEMBER_FITTED, OF_FAMILY(product[KERNEL_16].compute), "of 16-bit rate",
     .decimals = 3},
    {"memory", MEMBER_FITTED, OF_FAMILY(product[KERNEL_16].memory), "of bandwidth", .decimals = 3},
    {"kv_memory", MEMBER_FITTED, OF_FAMILY(kv_memory), "of bandwidth", .decimals = 3},
    {"prefill_attention", MEMBER_FITTED, OF_FAMILY(prefill_attention), "of 16-bit rate",
     .decimals = 3},
    {"launch", MEMBER_FITTED, OF_FAMILY(launch), "x", .decimals = 2},
    {"spread", MEMBER_FITTED, OF_FAMILY(spread), "x", .decimals = 2},
    {"date", MEMBER_CHARS, OF_FAMILY(date)},
    {"source", MEMBER_CHARS, OF_FAMILY(source), .detail = true},
};

static void kernel_shares(struct record *s, enum kernel kernel, double compute, double memory)
{
    record_text(s, "kernel", kernel_word(kernel));
    record_fitted(s, "compute", "of the rate", compute, 1, 3);
    record_fitted(s, "memory", "of bandwidth", memory, 1, 3);
}

static void kernel_facts(const struct family *f, struct record *s)
{
    record_list(s, "products");
    for (int k = 0; k < KERNEL_COUNT; k++)
        if (f->product[k].memory > 0)
            kernel_shares(record_append(s, "products"), (enum kernel)k, f->product[k].compute,
                          f->product[k].memory);
    record_list(s, "experts");
    for (int k = 0; k < KERNEL_COUNT; k++) {
        if (f->expert[k].memory <= 0)
            continue;
        struct record *one = record_append(s, "experts");
        kernel_shares(one, (enum kernel)k, f->expert[k].compute, f->expert[k].memory);
        record_fitted(one, "each", "ns", f->expert[k].each, 1e-9, 1);
    }
}

static void link_facts(const struct link_law *law, const char *name, struct record *s)
{
    record_list(s, name);
    for (int i = 0; i < LINK_SIZES; i++) {
        if (law->latency[i] <= 0)
            continue;
        struct record *one = record_append(s, name);
        record_count(one, "gpus", "", 2 << i);
        record_fitted(one, "latency", "us", law->latency[i], 1e-6, 2);
        record_quantity(one, "root", "us", quantity_of(law->root[i], ORIGIN_MODEL), 1e-6, 2);
        record_fitted(one, "share", "of the link", law->share[i], 1, 3);
    }
}

static enum gp_status report_family_rows(struct catalog *catalog, struct record *doc,
                                         struct gp_err *err)
{
    const struct family *const *list;
    size_t n;
    enum gp_status rc = catalog_families(catalog, &list, &n, err);

    for (size_t i = 0; i < n && !rc; i++)
        RECORD_MEMBERS(record_append(doc, "items"), family_members, list[i]);
    return rc;
}

static enum gp_status report_family_show(struct planner *planner, const char *id,
                                         struct record *out, struct gp_err *err)
{
    const struct family *f;
    enum gp_status rc = catalog_family(planner_catalog(planner), id, &f, err);

    if (rc)
        return rc;
    report_fields(out, family_tables[0], f);
    kernel_facts(f, out);
    report_fields(out, family_tables[1], f);
    link_facts(&f->link, "link", out);
    link_facts(&f->pcie, "pcie", out);
    report_fields(out, family_tables[2], f);
    return GP_OK;
}

/* ---- engines ---- */

#define OF_ENGINE(member) MEMBER_AT(struct engine, member)

static const struct member engine_members[] = {
    {"fraction", MEMBER_LISTED, OF_ENGINE(fraction), "of GPU", .decimals = 2},
    {"block", MEMBER_SOME_INT, OF_ENGINE(block), "tokens"},
    {"non_torch", MEMBER_BYTES, OF_ENGINE(non_torch_1)},
    {"graphs", MEMBER_BYTES, OF_ENGINE(graphs)},
    {"gguf", MEMBER_FLAG, OF_ENGINE(gguf)},
    {"date", MEMBER_CHARS, OF_ENGINE(date)},
    {"source", MEMBER_CHARS, OF_ENGINE(source), .detail = true},
};

static enum gp_status report_engine_rows(struct catalog *catalog, struct record *doc,
                                         struct gp_err *err)
{
    const struct engine *list;
    size_t n;
    enum gp_status rc = catalog_engines(catalog, &list, &n, err);

    for (size_t i = 0; i < n && !rc; i++) {
        struct record *s = record_append(doc, "items");
        char id[64];

        catalog_engine_id(&list[i], id, sizeof(id));
        record_text(s, "id", id);
        record_text(s, "name", list[i].name);
        record_text(s, "versions", list[i].range);
        record_text(s, "budget", engine_budget_word(list[i].budget));
        RECORD_MEMBERS(s, engine_members, &list[i]);
    }
    return rc;
}

static enum gp_status report_engine_show(struct planner *planner, const char *id,
                                         struct record *out, struct gp_err *err)
{
    const struct engine *e;
    char own[64];
    enum gp_status rc = catalog_engine(planner_catalog(planner), id, &e, err);

    if (rc)
        return rc;
    catalog_engine_id(e, own, sizeof(own));
    record_text(out, "id", own);
    report_fields(out, engine_table, e);
    record_group(out, "evidence");
    record_list(out, "evidence");
    for (int t = 0; t < TERM_COUNT; t++)
        if (e->evidence[t][0]) {
            struct record *one = record_append(out, "evidence");

            record_text(one, "term", engine_term_word((enum engine_term)t));
            record_text(one, "text", e->evidence[t]);
        }
    record_text(out, "source", e->source);
    record_text(out, "date", e->date);
    return GP_OK;
}

/* ---- formats ---- */

static enum gp_status report_format_rows(struct catalog *catalog, struct record *doc,
                                         struct gp_err *err)
{
    const struct format *list;
    size_t n;
    enum gp_status rc = catalog_formats(catalog, &list, &n, err);

    for (const struct format *f = list; !rc && f < list + n; f++) {
        struct record *s = record_append(doc, "items");

        record_text(s, "id", f->id);
        record_text(s, "name", f->name);
        record_text(s, "family", f->family);
        record_quantity(s, "bits", "per weight", quantity_exact(f->per_weight), 1, 3);
        record_text(s, "arithmetic", format_math_word(f->math));
        record_flag(s, "weight_only", f->weight_only);
        record_positive(s, "block", "weights", f->block);
        record_text(s, "source", f->source);
        record_detail(s);
    }
    return rc;
}

/* report_engine.c: engines and formats */
static enum gp_status report_format_show(struct planner *planner, const char *id,
                                         struct record *out, struct gp_err *err)
{
    const struct format *f;
    enum gp_status rc = catalog_format(planner_catalog(planner), id, &f, err);

    if (!rc)
        report_fields(out, format_table, f);
    return rc;
}

/* ---- shapes and pools: files that --pool reads ---- */

struct titled {
    char name[96], source[320];
};

static void read_title(struct profile_group top, void *item)
{
    struct titled *t = item;

    profile_string(top, "name", t->name, sizeof(t->name));
    profile_string(top, "source", t->source, sizeof(t->source));
}

/* A file of a folder: what it says of itself. */
static enum gp_status record_file_title(struct catalog *catalog, const char *folder,
                                        const char *what, const char *id, struct record *row,
                                        struct gp_err *err)
{
    char path[GP_PATH_MAX];
    struct titled title = {0};
    enum gp_status rc = catalog_file(catalog, folder, what, id, path, sizeof(path), err);

    if (!rc)
        rc = profile_read(path, read_title, &title, NULL, NULL, err);
    if (rc)
        return rc;
    record_text(row, "id", id);
    record_text(row, "name", title.name);
    record_text(row, "source", title.source);
    return GP_OK;
}

static enum gp_status report_files(struct catalog *catalog, const char *folder, const char *what,
                                   struct record *doc, struct gp_err *err)
{
    char **names;
    size_t count = catalog_names(catalog, folder, ".cfg", &names);
    enum gp_status rc = GP_OK;

    for (size_t i = 0; i < count && !rc; i++)
        rc = record_file_title(catalog, folder, what, names[i], record_append(doc, "items"), err);
    path_list_free(names, count);
    return rc;
}

const struct report_class report_classes[] = {
    {"models", "model", report_model_rows, report_model_show},
    {"gpus", "gpu", report_gpu_rows, report_gpu_show},
    {"engines", "engine", report_engine_rows, report_engine_show},
    {"instances", "instance", report_instance_rows, report_instance_show},
    {"formats", "format", report_format_rows, report_format_show},
    {"servers", "server", report_server_rows, report_server_show},
    {"families", "family", report_family_rows, report_family_show},
    {"shapes", "shape", NULL, NULL},
    {"pools", "pool", NULL, NULL},
    {NULL, NULL, NULL, NULL},
};

static enum gp_status class_rows(const struct report_class *c, struct catalog *catalog,
                                 struct record *doc, struct gp_err *err)
{
    return c->rows ? c->rows(catalog, doc, err)
                   : report_files(catalog, c->word, c->singular, doc, err);
}

const struct report_class *report_class_find(const char *word, struct gp_err *err)
{
    const char *words[16];
    char hint[256] = "";
    size_t n = 0, len = 0;

    for (const struct report_class *c = report_classes; c->word; c++) {
        if (gp_casecmp(word, c->word) == 0 || gp_casecmp(word, c->singular) == 0)
            return c;
        words[n++] = c->word;
    }
    words[n++] = "devices"; /* the command's own: what is in this machine */
    if (suggest(word, words, n, "*", hint, sizeof(hint)))
        gp_copy(hint + strlen(hint), sizeof(hint) - strlen(hint), " ");
    for (size_t i = 0; i < n; i++) {
        len = strlen(hint);
        gp_format(hint + len, sizeof(hint) - len, "%s%s", i ? ", " : "classes: ", words[i]);
    }
    if (word[0])
        gp_fail(err, GP_E_USAGE, "--list", hint, "unknown class '%.60s'", word);
    else
        gp_fail(err, GP_E_USAGE, "--list", hint, "needs a class");
    return NULL;
}

/* ---- lists ---- */

static bool text_holds(const char *text, const char *part)
{
    size_t n = strlen(part);

    for (; *text; text++) {
        size_t i = 0;

        while (i < n && text[i] && gp_lower(text[i]) == gp_lower(part[i]))
            i++;
        if (i == n)
            return true;
    }
    return n == 0;
}

static bool row_holds(const struct record *row, const char *part)
{
    for (size_t i = 0; i < row->count; i++)
        if (!row->facts[i].detail && row->facts[i].text && row->facts[i].kind != FACT_FLAG &&
            text_holds(row->facts[i].text, part))
            return true;
    return false;
}

static void rows_filter(struct fact *items, const char *const *filters, int filter_count)
{
    size_t kept = 0;

    for (size_t i = 0; i < items->record_count; i++) {
        bool keep = true;

        for (int k = 0; k < filter_count && keep; k++)
            keep = row_holds(&items->records[i], filters[k]);
        if (keep)
            items->records[kept++] = items->records[i];
    }
    items->record_count = kept;
}

enum gp_status report_list(struct catalog *catalog, const struct report_class *class,
                           const char *const *filters, int filter_count, struct record *doc,
                           struct gp_err *err)
{
    record_text(doc, "schema", "gpuplan.list/1");
    record_text(doc, "class", class->word);
    record_list(doc, "items");
    size_t items = doc->count - 1; /* rows() may add facts about all of them */
    enum gp_status rc = class_rows(class, catalog, doc, err);
    if (!rc)
        rows_filter(&doc->facts[items], filters, filter_count);
    return rc;
}

struct names {
    const char **names;
    size_t count, cap;
};

/* The nearest ids of all classes. */
static enum gp_status unknown_id(struct catalog *catalog, const char *id, struct gp_err *err)
{
    struct record lists[sizeof(report_classes) / sizeof(report_classes[0])];
    struct names all = {0};
    char hint[200];
    int n = 0;

    for (; report_classes[n].word; n++) {
        record_init(&lists[n]);
        record_list(&lists[n], "items");
        class_rows(&report_classes[n], catalog, &lists[n], NULL);
        const struct fact *items = &lists[n].facts[0];
        for (size_t i = 0; i < items->record_count; i++) {
            all.names = gp_grow(all.names, &all.cap, all.count + 1, sizeof(*all.names));
            all.names[all.count++] = record_get(&items->records[i], "id");
        }
    }
    suggest(id, all.names, all.count, "*", hint, sizeof(hint));
    gp_fail(err, GP_E_USAGE, "--show", hint[0] ? hint : "see gpuplan --list CLASS",
            "no model, GPU, engine, instance, format, server, family, shape or pool '%.80s'", id);
    free(all.names);
    while (n > 0)
        record_fini(&lists[--n]);
    return GP_E_USAGE;
}

static void show_begin(struct record *doc, const struct report_class *class)
{
    record_init(doc);
    record_text(doc, "schema", "gpuplan.show/1");
    record_text(doc, "class", class->singular);
}

/* "There is no such item" is about one class only; anything else is the answer. */
static bool is_answer(enum gp_status rc, const struct gp_err *err)
{
    return rc != GP_E_USAGE || strcmp(err->where, "--show") == 0;
}

enum gp_status report_show(struct planner *planner, const char *id, struct record *doc,
                           struct gp_err *err)
{
    struct gp_err mine = {0};
    struct hub_model cached;
    struct name_reading read;
    enum gp_status rc = GP_E_USAGE;

    for (const struct report_class *c = report_classes; c->word; c++) {
        show_begin(doc, c);
        rc = c->show ? c->show(planner, id, doc, &mine)
                     : record_file_title(planner_catalog(planner), c->word, c->singular, id, doc,
                                         &mine);
        if (is_answer(rc, &mine)) {
            if (rc && err)
                *err = mine;
            return rc;
        }
        record_fini(doc);
    }
    show_begin(doc, &report_classes[0]);
    if (catalog_read_name(planner_catalog(planner), id, &read, NULL) == GP_OK && read.id)
        return report_model_show(planner, read.id, doc, err); /* it takes some time */
    if (path_is_file(id) || path_is_dir(id) || hub_cache_find(id, &cached))
        return report_local_model(planner, id, doc, err);
    return unknown_id(planner_catalog(planner), id, err);
}
