/*
 * report_train.c - see report_train.h.
 */
#include "output/report_train.h"

#include "output/report.h"
#include "util/json.h"
#include "util/units.h"

int train_parts(const struct train_memory *m, struct train_part parts[TRAIN_PARTS])
{
    const struct train_part all[] = {
        {"usable", "usable", m->usable},
        {"weights", "weights", m->weights},
        {"adapters", "adapters", m->adapters},
        {"gradients", "gradients", m->gradients},
        {"master", "master copy", m->master},
        {"optimizer", "optimizer", m->optimizer},
        {"activations", "activations", m->activations},
        {"logits", "logits", m->logits},
        {"live_layer", "recomputed layer", m->live},
        {"step", "optimizer step", m->step},
        {"buffers", "buffers", m->buffers},
        {"fragmentation", "fragmentation", m->fragmentation},
        {"context", "context and NCCL", m->context},
        {"free", "free", m->free},
    };
    for (int i = 0; i < TRAIN_PARTS; i++)
        parts[i] = all[i];
    return TRAIN_PARTS;
}

static json_t *notes(const char (*text)[240], int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, gp_json_text(text[i]));
    return list;
}

static void put(json_t *o, const char *key, json_t *value)
{
    json_object_set_new_nocheck(o, key, value);
}

static json_t *setting(const struct request *q, const struct train *t)
{
    json_t *o = json_object();
    put(o, "model", gp_json_text(q->model->id));
    put(o, "gpu", gp_json_text(q->gpu->id));
    put(o, "method", gp_json_text(train_method_word(t->method)));
    put(o, "optimizer", gp_json_text(train_optimizer_word(t->optimizer)));
    put(o, "recompute", gp_json_text(train_recompute_word(t->recompute)));
    put(o, "zero", json_integer(t->zero_stage));
    put(o, "sequence", gp_json_number(t->sequence));
    put(o, "micro_batch", gp_json_number(t->micro_batch));
    put(o, "lora_rank",
        t->method == TRAIN_FULL ? json_null() : json_integer(t->lora_rank));
    return o;
}

static json_t *fix_list(const struct train_fix *fixes, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++) {
        json_t *o = json_object();
        put(o, "what", gp_json_text(fixes[i].what));
        put(o, "option", gp_json_text(fixes[i].option));
        put(o, "status", gp_json_text(verdict_word(fixes[i].verdict)));
        put(o, "gain_gib", gp_json_number(fixes[i].gain / GP_GIB));
        put(o, "gpus", json_integer(fixes[i].gpus));
        json_array_append_new(list, o);
    }
    return list;
}

static json_t *verdict(const struct train_memory *m, const struct train_fix *fixes,
                       int count)
{
    json_t *o = json_object();
    put(o, "status", gp_json_text(verdict_word(m->verdict)));
    put(o, "limit", gp_json_text(train_limit_word(m->limit)));
    put(o, "knob", m->knob[0] ? gp_json_text(m->knob) : json_null());
    put(o, "reasons", notes(m->reasons, m->reason_count));
    put(o, "warnings", notes(m->warnings, m->warning_count));
    put(o, "fixes", fix_list(fixes, count));
    return o;
}

static json_t *why_list(const struct request *q, const struct train_memory *m)
{
    struct term_why t[EXPLAIN_MAX];
    json_t *list = json_array();
    int n = train_explain(q, m, t);
    for (int i = 0; i < n; i++)
        json_array_append_new(list, report_term(&t[i]));
    return list;
}

json_t *report_train(const struct request *q, const struct train_memory *m,
                     const struct train_fix *fixes, int fix_count, bool why)
{
    struct train_part parts[TRAIN_PARTS];
    json_t *o = json_object(), *memory = json_object(), *layout = json_object();
    int n = train_parts(m, parts);
    put(o, "schema", gp_json_text("gpuplan.train/1"));
    put(o, "request", setting(q, &m->train));
    put(o, "verdict", verdict(m, fixes, fix_count));
    put(layout, "gpus", json_integer(m->train.gpus));
    put(layout, "data_parallel", json_integer(m->data_parallel));
    put(layout, "tp", json_integer(m->train.tp));
    put(layout, "pp", json_integer(m->train.pp));
    put(o, "layout", layout);
    for (int i = 0; i < n; i++)
        put(memory, parts[i].key, report_quantity(parts[i].bytes, GP_GIB, "GiB"));
    put(memory, "total", report_quantity(m->total, GP_GIB, "GiB"));
    put(o, "memory_per_gpu", memory);
    put(o, "params", gp_json_number(m->params));
    put(o, "trainable", gp_json_number(m->trainable));
    if (why)
        put(o, "why", why_list(q, m));
    return o;
}
