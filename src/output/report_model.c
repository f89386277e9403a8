/*
 * report_model.c - models as records.
 *
 * params_total and params_active are counted tensor by tensor, as planning counts them:
 * integers. What the publisher counts is beside it, with what it holds more.
 */
#include "output/report_catalog.h"

#include <math.h>
#include <string.h>

#include "checkpoint/checkpoint.h"
#include "core/kvcache.h"
#include "core/weights.h"
#include "util/units.h"

/* "sliding+full" */
static void mixers(const struct model *m, char *text, size_t size)
{
    unsigned seen = 0;
    text[0] = '\0';
    for (int k = 0; k < m->kind_count; k++) {
        enum mixer mixer = m->kind[k].mixer;
        size_t len = strlen(text);
        if (mixer == MIXER_NONE || (seen >> mixer & 1))
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

static void row(const struct model *m, struct record *s)
{
    const struct layer_kind *moe = expert_kind(m);
    char attention[120];
    mixers(m, attention, sizeof(attention));
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

enum gp_status report_model_rows(struct catalog *catalog, struct record *doc,
                                 struct gp_err *err)
{
    const struct model *const *list;
    size_t n;
    enum gp_status status = catalog_models(catalog, &list, &n, err);
    for (size_t i = 0; i < n && !status; i++)
        row(list[i], record_append(doc, "items"));
    return status;
}

/* ---- one model ---- */

static void some(struct record *s, const char *name, double value)
{
    if (value > 0)
        record_count(s, name, "", value);
}

static void flag(struct record *s, const char *name, bool value)
{
    if (value)
        record_flag(s, name, true);
}

static void attention_facts(const struct layer_kind *k, struct record *s)
{
    some(s, "heads", k->heads);
    some(s, "kv_heads", k->kv_heads);
    some(s, "head_dim", k->head_dim);
    some(s, "v_head_dim", k->v_head_dim == k->head_dim ? 0 : k->v_head_dim);
    some(s, "window", k->window);
    some(s, "q_lora", k->q_lora);
    some(s, "kv_lora", k->kv_lora);
    some(s, "rope_dim", k->rope_dim);
    some(s, "nope_dim", k->nope_dim);
    some(s, "index_heads", k->index_heads);
    some(s, "index_dim", k->index_dim);
    some(s, "compress", k->compress);
    some(s, "o_groups", k->o_groups);
    some(s, "o_lora", k->o_lora);
    some(s, "streams", k->streams);
    flag(s, "index_shared", k->index_shared);
    flag(s, "qk_norm", k->qk_norm != QK_NORM_NONE);
    flag(s, "q_bias", k->q_bias);
    flag(s, "kv_bias", k->kv_bias);
    flag(s, "o_bias", k->o_bias);
    flag(s, "out_gate", k->out_gate);
    flag(s, "sinks", k->sinks);
    flag(s, "cross", k->cross);
    flag(s, "kv_shared", k->kv_shared);
    flag(s, "k_is_v", k->k_is_v);
}

static void state_facts(const struct layer_kind *k, struct record *s)
{
    some(s, "linear_k_heads", k->lin_k_heads);
    some(s, "linear_v_heads", k->lin_v_heads);
    some(s, "linear_k_dim", k->lin_k_dim);
    some(s, "linear_v_dim", k->lin_v_dim);
    some(s, "groups", k->groups);
    some(s, "conv_kernel", k->conv_kernel);
    some(s, "dt_rank", k->dt_rank);
}

static void mlp_facts(const struct layer_kind *k, struct record *s)
{
    some(s, "intermediate", k->ff);
    some(s, "experts", k->experts);
    some(s, "experts_active", k->experts_active);
    some(s, "expert_intermediate", k->expert_ff);
    some(s, "shared_intermediate", k->shared_ff);
    some(s, "latent", k->latent);
    some(s, "layer_embed", k->layer_embed);
    flag(s, "gated", k->gated);
    flag(s, "mlp_bias", k->mlp_bias);
    flag(s, "shared_gate", k->shared_gate);
    flag(s, "router_bias", k->router_bias);
    flag(s, "expert_bias", k->expert_bias);
}

static void kind_facts(const struct model *m, int k, struct record *s)
{
    struct tensor tensors[MODEL_MAX_TENSORS];
    int n = model_layer_tensors(m, k, tensors);
    double params = 0;
    for (int i = 0; i < n; i++)
        params += tensors[i].rows * tensors[i].cols * tensors[i].count;
    record_text(s, "mixer", mixer_word(m->kind[k].mixer));
    record_count(s, "layers", "", model_kind_layers(m, k));
    record_count(s, "params_per_layer", "", params);
    record_style(s, STYLE_PARAMS);
    attention_facts(&m->kind[k], s);
    state_facts(&m->kind[k], s);
    mlp_facts(&m->kind[k], s);
}

static void shape_facts(const struct model *m, struct record *s)
{
    record_group(s, "shape");
    record_positive(s, "hidden", "", m->hidden);
    record_positive(s, "vocab", "", m->vocab);
    record_positive(s, "layers", "", m->layer_count);
    record_flag(s, "tied_embedding", m->tied);
    record_positive(s, "positions", "", m->positions);
    record_positive(s, "max_context", "tokens", m->max_context);
    record_style(s, STYLE_THOUSANDS);
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
}

static void params_facts(const struct model *m, struct record *s)
{
    record_group(s, "parameters");
    record_count(s, "params_total", "", model_params(m));
    record_style(s, STYLE_PARAMS);
    record_count(s, "params_active", "", model_params_active(m));
    record_style(s, STYLE_PARAMS);
    record_positive(s, "params_published", "", m->published);
    record_style(s, STYLE_PARAMS);
    record_positive(s, "params_published_beyond_total", "", m->published_extra);
    record_text(s, "params_published_note", m->published_note);
    record_text(s, "params_published_source", m->published_source);
    record_positive(s, "params_mtp", "", m->mtp_params);
    record_style(s, STYLE_PARAMS);
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
static enum gp_status weight_facts(struct planner *planner, const struct model *m,
                                   struct record *s, struct gp_err *err)
{
    struct request q = {.model = m};
    enum gp_status status = planner_precision(planner, m, NULL, &q.precision, err);
    if (!status)
        status = catalog_engine(planner_catalog(planner), "vllm", &q.engine, err);
    if (status)
        return status;
    record_group(s, "weights");
    record_text(s, "native", native_word(m));
    record_text(s, "native_dtype", m->native_dtype);
    struct record *formats = record_inside(s, "native_formats");
    for (int r = 0; r < ROLE_COUNT; r++)
        if (model_params_role(m, (enum tensor_role)r) > 0)
            record_text(formats, role_word((enum tensor_role)r),
                        q.precision.by_role[r]->id);
    record_quantity(s, "checkpoint", "GiB",
                    m->bytes.known ? quantity_exact(m->bytes.file_bytes)
                                   : quantity_exact(weights_file_bytes(&q)),
                    GP_GIB, 2);
    record_flag(s, "checkpoint_from_its_tensors", m->bytes.known);
    return GP_OK;
}

static enum gp_status kv_facts(struct planner *planner, const struct model *m,
                               struct record *s, struct gp_err *err)
{
    const struct format *own, *bf16;
    struct catalog *catalog = planner_catalog(planner);
    const char *id = m->native_kv[0] ? m->native_kv : m->native_dtype;
    enum gp_status status = catalog_format(catalog, id[0] ? id : "bf16", &own, err);
    if (!status)
        status = catalog_format(catalog, "bf16", &bf16, err);
    if (status)
        return status;
    bool decoder = m->max_context > 0 && !m->weights_only;
    record_group(s, "KV cache");
    record_count(s, "kv_bytes_per_token", "B",
                 decoder ? kvcache_bytes_per_token(m, own) : NAN);
    record_text(s, "kv_precision", decoder ? own->id : "");
    record_count(s, "kv_bytes_per_token_bf16", "B",
                 decoder ? kvcache_bytes_per_token(m, bf16) : NAN);
    return GP_OK;
}

static enum gp_status model_facts(struct planner *planner, const struct model *m,
                                  const char *id, struct record *s, struct gp_err *err)
{
    bool listed = strcmp(m->id, id) == 0;
    record_text(s, "id", id);
    record_text(s, "name", m->name);
    record_text(s, "family", m->family);
    record_words(s, "aliases",
                 listed ? catalog_aliases(planner_catalog(planner), m->id) : "");
    record_flag(s, "weights_only", m->weights_only);
    params_facts(m, s);
    shape_facts(m, s);
    enum gp_status status = weight_facts(planner, m, s, err);
    if (!status)
        status = kv_facts(planner, m, s, err);
    record_group(s, "evidence");
    record_text(s, "source", m->source);
    record_text(s, "date", m->date);
    record_text(s, "note", m->note);
    return status;
}

enum gp_status report_model_show(struct planner *planner, const char *id,
                                 struct record *out, struct gp_err *err)
{
    const struct model *m;
    enum gp_status status = catalog_model(planner_catalog(planner), id, &m, err);
    return status ? status : model_facts(planner, m, m->id, out, err);
}

enum gp_status report_local_model(struct planner *planner, const char *path,
                                  struct record *out, struct gp_err *err)
{
    struct model m;
    enum gp_status status = reader_model(path, &m, err);
    return status ? status : model_facts(planner, &m, path, out, err);
}
