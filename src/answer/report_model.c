/*
 * report_model.c - models as records.
 *
 * params_total and params_active are counted tensor by tensor, as planning counts them:
 * integers. What the publisher counts is beside it, with what it holds more.
 */
#include "answer/report_catalog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/units.h"
#include "catalog/files.h"
#include "model/read/checkpoint.h"
#include "model/read/hub_cache.h"
#include "plan/kvcache.h"
#include "plan/weights.h"

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

enum gp_status report_model_rows(struct catalog *catalog, struct record *doc, struct gp_err *err)
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
        record_text(one, "source", c->source);
    }
    record_quantity(s, "checkpoint", "GiB",
                    m->bytes.known ? quantity_exact(m->bytes.file_bytes)
                                   : quantity_exact(weights_file_bytes(&q)),
                    GP_GIB, 2);
    record_flag(s, "checkpoint_from_its_tensors", m->bytes.known);
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

enum gp_status report_model_show(struct planner *planner, const char *id, struct record *out,
                                 struct gp_err *err)
{
    const struct model *m;
    enum gp_status rc = catalog_model(planner_catalog(planner), id, &m, err);

    return rc ? rc : model_facts(planner, m, m->id, out, err);
}

enum gp_status report_local_model(struct planner *planner, const char *path, struct record *out,
                                  struct gp_err *err)
{
    struct hub_model hub;
    struct model m;
    bool cached = !path_is_there(path) && hub_cache_find(path, &hub);
    enum gp_status rc = checkpoint_read(cached ? hub.path : path, &m, err);

    return rc ? rc : model_facts(planner, &m, path, out, err);
}
