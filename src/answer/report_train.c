/*
 * report_train.c - see report_train.h.
 */
#include "answer/report_train.h"

#include <math.h>

#include "answer/print_plan.h"
#include "answer/record_plan.h"
#include "answer/report.h"
#include "answer/sentence.h"
#include "base/units.h"

#define PART(key, name, member)                          \
    {                                                    \
        key, name, offsetof(struct train_memory, member) \
    }

const struct train_part train_parts[TRAIN_PARTS] = {
    PART("usable", "usable", usable),
    PART("weights", "weights", weights),
    PART("adapters", "adapters", adapters),
    PART("modules", "trained copies", modules),
    PART("gradients", "gradients", gradients),
    PART("master", "master copy", master),
    PART("optimizer", "optimizer", optimizer),
    PART("activations", "activations", activations),
    PART("logits", "logits", logits),
    PART("live_layer", "recomputed layer", live),
    PART("step", "optimizer step", step),
    PART("buffers", "buffers", buffers),
    PART("fragmentation", "fragmentation", fragmentation),
    PART("context", "context and NCCL", context),
    PART("free", "free", free),
};

const struct train_part train_printed[TRAIN_PRINTED] = {
    PART("allocated", "allocated", allocated),
    PART("reserve", "allocator's reserve", reserve),
    PART("reserved", "reserved", reserved),
};

const struct train_part train_host = PART("offloaded", "offloaded", host);

const struct quantity *train_part_bytes(const struct train_memory *m, const struct train_part *part)
{
    return (const struct quantity *)((const char *)m + part->offset);
}

static void setting_facts(const struct resolved *resolved, const struct train *t, struct record *r)
{
    const struct request *q = &resolved->request;
    char word[OPTION_CHOICE_MAX];

    record_text(r, "model", resolved->model_text);
    record_text(r, "model_id", q->model->id);
    record_text(r, "precision", q->precision.id);
    record_flag(r, "precision_native", q->precision.native);
    record_text(r, "gpu", q->gpu->id);
    record_text(r, "method", train_method_word(t->method));
    record_text(r, "optimizer", train_optimizer_word(t->optimizer));
    record_text(r, "base", train_base_word(t));
    record_text(r, "recompute", train_recompute_word(t->recompute));
    record_text(r, "attention", option_choice(OPT_ATTENTION, t->eager_attention, word));
    record_text(r, "loss", train_loss_word(t->loss));
    record_flag(r, "fused", t->fused_kernels);
    record_count(r, "zero", "", t->zero_stage);
    record_text(r, "offload", train_offload_word(t->offload));
    record_flag(r, "step_in_backward", t->step_in_backward);
    record_flag(r, "sequence_parallel", t->sequence_parallel);
    record_flag(r, "device_map", t->device_map);
    record_count(r, "sequence", "tokens", t->sequence);
    record_count(r, "micro_batch", "", t->micro_batch);
    bool lora = t->method != TRAIN_FULL;
    record_count(r, "lora_rank", "", lora ? t->lora_rank : NAN);
    record_text(r, "lora_targets", lora ? option_choice(OPT_LORA_TARGETS, t->targets, word) : "");
    record_text(r, "modules_to_save",
                lora ? option_choice(OPT_MODULES_TO_SAVE, t->modules, word) : "");
    record_quantity(r, "used", "GiB", quantity_of(q->used, ORIGIN_ASSUMED), GP_GIB, 2);
    record_plan_asked(r, resolved);
}

static void verdict_facts(const struct train_answer *a, struct record *r)
{
    const struct request *q = &a->resolved.request;
    const struct train_memory *m = &a->memory;
    struct texts texts = {0};
    const char *text;

    record_text(r, "status", verdict_word(m->verdict));
    record_text(r, "limit", train_limit_word(m->limit));
    record_text(r, "knob", sentence_train_knob(m, &texts));
    record_list(r, "reasons");
    for (int i = 0; (text = sentence_train_reason(q, m, i, &texts)); i++)
        record_item(r, "reasons", text);
    record_list(r, "warnings");
    for (int i = 0; (text = sentence_train_warning(q, m, i, &texts)); i++)
        record_item(r, "warnings", text);
    record_list(r, "fixes");
    for (int i = 0; i < a->fix_count; i++) {
        const struct train_fix *f = &a->fixes[i];
        struct record *fix = record_append(r, "fixes");

        record_text(fix, "what", sentence_train_fix(q, f, &texts));
        record_text(fix, "option", sentence_train_options(q, f, &texts));
        record_text(fix, "status", verdict_word(f->verdict));
        record_count(fix, "gain_gib", "", f->gain / GP_GIB);
        record_count(fix, "gpus", "", f->gpus);
        record_count(fix, "per_hour", "", f->per_hour > 0 ? f->per_hour : NAN);
    }
    texts_fini(&texts);
}

static void memory_facts(const struct train_memory *m, struct record *doc)
{
    if (m->limit == TRAIN_LIMIT_LAYOUT) {
        record_text(doc, "memory_per_gpu", "");
        record_text(doc, "memory_per_host", "");
        return;
    }
    struct record *r = record_inside(doc, "memory_per_gpu");
    for (int i = 0; i < TRAIN_PARTS; i++)
        record_quantity(r, train_parts[i].key, "GiB", *train_part_bytes(m, &train_parts[i]), GP_GIB,
                        2);
    record_quantity(r, "total", "GiB", m->total, GP_GIB, 2);
    for (int i = 0; i < TRAIN_PRINTED; i++)
        record_quantity(r, train_printed[i].key, "GiB", *train_part_bytes(m, &train_printed[i]),
                        GP_GIB, 2);
    r = record_inside(doc, "memory_per_host");
    record_quantity(r, train_host.key, "GiB", m->host, GP_GIB, 2);
}

void report_train(const struct train_answer *a, bool why, struct record *doc)
{
    const struct request *q = &a->resolved.request;
    const struct train_memory *m = &a->memory;

    record_text(doc, "schema", "gpuplan.train/1");
    setting_facts(&a->resolved, &m->train, record_inside(doc, "request"));
    verdict_facts(a, record_inside(doc, "verdict"));
    struct record *r = record_inside(doc, "layout");
    record_count(r, "gpus", "", m->train.gpus);
    record_count(r, "hosts", "", a->priced.has_memory ? a->priced.layout.hosts : NAN);
    record_count(r, "data_parallel", "", m->data_parallel);
    record_count(r, "tp", "", m->train.tp);
    record_count(r, "pp", "", m->train.pp);
    record_count(r, "cp", "", m->train.cp);
    memory_facts(m, doc);
    report_cost(&a->priced, false, doc);
    record_count(doc, "params", "", m->params);
    record_count(doc, "trainable", "", m->trainable);
    if (why) {
        struct term terms[TERMS_MAX];

        report_terms(terms, terms_of_train(q, m, &a->priced, terms), doc);
    }
}

bool train_part_is_there(const struct quantity *bytes)
{
    return bytes->known && (bytes->value != 0 || bytes->high != 0);
}

void report_train_rows(const struct train_answer *a, struct record *r)
{
    const struct request *q = &a->resolved.request;
    const struct train_memory *m = &a->memory;
    int hosts = a->priced.layout.hosts;
    struct texts texts = {0};
    const char *reason = sentence_train_reason(q, m, 0, &texts);

    record_text(r, "verdict", verdict_word(m->verdict));
    record_note(r, reason ? reason : "");
    record_text(r, "GPU", q->gpu->id);
    record_note(r, q->gpu->name);
    record_quantity(r, "GPUs", "", quantity_exact(m->train.gpus), 1, 0);
    record_note(r, a->priced.has_memory ? texts_addf(&texts, "data parallel %d, ZeRO %d, %d host%s",
                                                     m->data_parallel, m->train.zero_stage, hosts,
                                                     hosts == 1 ? "" : "s")
                                        : "");
    texts_fini(&texts);
    for (int i = 0; i < TRAIN_PARTS; i++) {
        const struct quantity *b = train_part_bytes(m, &train_parts[i]);

        if (train_part_is_there(b))
            record_quantity(r, train_parts[i].name, "GiB", *b, GP_GIB, 4);
    }
    for (int i = 0; i < TRAIN_PRINTED; i++)
        record_quantity(r, train_printed[i].name, "GiB", *train_part_bytes(m, &train_printed[i]),
                        GP_GIB, 4);
    if (train_part_is_there(&m->host))
        record_quantity(r, "offloaded, of one host", "GiB", m->host, GP_GIB, 4);
    if (a->priced.has_memory)
        print_cost_rows(&a->priced, r);
}
