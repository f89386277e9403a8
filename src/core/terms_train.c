/*
 * terms_train.c - the terms of fine-tuning: --train --why. Equations of train.h.
 */
#include <stddef.h>

#include "core/terms_list.h"
#include "core/train.h"
#include "util/units.h"

struct row {
    const char *name, *equation, *source;
    size_t offset;      /* of the quantity in struct train_memory */
    const char *inputs; /* names, see terms_list.h */
};

#define PART(field) offsetof(struct train_memory, field)

static const char megatron[] = "NVIDIA/Megatron-LM theoretical_memory_usage.py";

static const char zero[] = "ZeRO stages: EleutherAI/cookbook; step in the backward pass: "
                           "pytorch/torchtune training/memory.py";
static const char offloaded[] =
    "microsoft/DeepSpeed stage_1_and_2.py, stage3.py estimate_zero2 and "
    "zero3_model_states_mem_needs (16 and 18 B per parameter, buffer factor 1.5)";

static const char activations[] =
    "sequence, micro-batch, layers, h, vocab, recompute, attention, base, loss, TP, PP, "
    "CP, sequence parallel, in series";
static const char states[] = "method, base, optimizer, weights, gradients, master, moments, "
                             "parameters, of this rank, rank r, adapters on, N, ZeRO";

static const char updated[] = "method, optimizer, gradients, parameters, of this rank, N, "
                              "ZeRO, offload, step in backward";

static const struct row rows[] = {
    {"weights",
     "parameters of this rank * 2 (qlora: linears * bits/8, the rest * 2; of another base: "
     "bytes of its format) [/N at ZeRO-3]; in series: within 1.25 layers",
     "the model's tensors; bitsandbytes NF4; Accelerate 1.15 utils/modeling.py "
     "get_balanced_memory",
     PART(weights), states},
    {"adapters", "sum over adapted matrices of r * (in + out) * bytes [/N at ZeRO-3]",
     "LoRA, Hu et al. 2021; PEFT keeps adapters in FP32", PART(adapters), states},
    {"trained copies",
     "words * h * (2 of a 16-bit base, adapters' bytes where it is prepared for k-bit "
     "training); their gradients and moments likewise [/N as the adapters']",
     "huggingface/peft 0.21 utils/other.py ModulesToSaveWrapper (deepcopy), "
     "prepare_model_for_kbit_training",
     PART(modules), "modules to save, h, vocab, base, N, ZeRO"},
    {"gradients",
     "trained * bytes [/N from ZeRO-2]; step in the backward pass: of the largest tensor, "
     "or unit / N; none where offloaded from ZeRO-2", zero, PART(gradients), updated},
    {"master", "trained * FP32 copy [/N from ZeRO-1]", megatron, PART(master), states},
    {"optimizer", "trained * moments [/N from ZeRO-1]", megatron, PART(optimizer),
     states},
    {"activations",
     "sequence / CP * micro-batch * micro-batches in flight (in series: 1) * bytes kept "
     "per token and layer (sequence parallel: all / TP; full recompute: 2*h; eager "
     "attention: 5 * heads * sequence of scores; GPTQ: up to 2 * linears of dequantised matrices)",
     "counted as autograd keeps them; Korthikanti et al. 2022; copies fitted on "
     "Lightning-AI/litgpt resource tables; AutoAWQ gemm.py and bitsandbytes "
     "_functions.py keep inputs, GPTQModel tritonv2.py nothing, torch.py the matrix",
     PART(activations), activations},
    {"logits",
     "sequence * micro-batch * vocab * 14 (eager: 16-bit logits 2, FP32 copy 4, "
     "log-softmax 4, gradient 4); * 8 (chunked, all of 16 bit); fused: one chunk * 6, and h * 2",
     "huggingface/transformers loss_utils.py ForCausalLMLoss; Lightning-AI/litgpt "
     "utils.py chunked_cross_entropy; linkedin/Liger-Kernel "
     "fused_linear_cross_entropy.py",
     PART(logits), activations},
    {"recomputed layer", "sequence * micro-batch * bytes of the widest layer",
     "Korthikanti et al. 2022", PART(live), states},
    {"optimizer step", "a copy of what the optimizer updates",
     "pytorch/pytorch torch.optim documentation, foreach", PART(step), states},
    {"peak", "max(activations + max(logits, recomputed layer), optimizer step)",
     "the two moments do not meet", PART(peak), states},
    {"buffers",
     "DDP: gradients again; ZeRO-1, 2: two buckets of 5e8 * 2; ZeRO-3: "
     "gathered layers; qlora: one matrix in 16 bit",
     "pytorch DistributedDataParallel (gradient_as_bucket_view); DeepSpeed defaults",
     PART(buffers), states},
    {"keys and values of other ranks",
     "2 blocks of sequence / CP * micro-batch * 2 * KV heads * (K + V), up to the whole "
     "sequence; part of the buffers",
     "Liu et al. 2023, Ring Attention; NVIDIA/Megatron-LM context parallel (all-gather)",
     PART(exchange), "sequence, micro-batch, TP, CP"},
    {"fragmentation", "0.05 * (peak + buffers), up to 0.10",
     "not measured: a planning reserve", PART(fragmentation), states},
    {"context", "CUDA context 0.47..0.92 GiB; NCCL 1..2 GiB with several GPUs",
     "stas00/ml-engineering training/performance", PART(context), states},
    {"total",
     "weights + adapters + gradients + master + optimizer + peak + buffers + "
     "fragmentation + context",
     "", PART(total), states},
    {"allocated", "weights + adapters + gradients + master + optimizer + peak + buffers",
     "what torch.cuda.max_memory_allocated prints", PART(allocated), states},
    {"reserve", "fragmentation, up to 0.25 * (peak + buffers), at most what is left",
     "not measured; pytorch CUDACachingAllocator rounds to 2 MiB and keeps free blocks",
     PART(reserve), "usable, used"},
    {"reserved", "allocated + reserve", "what torch.cuda.max_memory_reserved prints",
     PART(reserved), "usable, used"},
    {"host memory",
     "(master + moments + gradients as wide as the master, offloaded parameters: and "
     "weights) / N * ranks of a host, up to 1.5 times",
     offloaded, PART(host), "offload, optimizer, parameters, N, ZeRO, ranks of a host"},
    {"free", "usable - used - total", "", PART(free), "usable, used, total"},
};

static const char *const modules[] = {"none", "embedding", "head",
                                      "embedding and head"};

static void know_setting(struct terms *w, const struct request *q,
                         const struct train_memory *m)
{
    const struct train *t = &m->train;
    const struct recipe *r = train_recipe(t->optimizer);
    know_number(w, "sequence", t->sequence, NULL);
    know_number(w, "micro-batch", t->micro_batch, NULL);
    know_number(w, "layers", q->model->layer_count, NULL);
    know_number(w, "h", q->model->hidden, NULL);
    know_number(w, "vocab", q->model->vocab, NULL);
    know_word(w, "recompute", train_recompute_word(t->recompute));
    know_word(w, "attention", t->eager_attention ? "eager" : "flash");
    know_word(w, "base", train_base_word(t));
    know_word(w, "loss", train_loss_word(t->loss));
    know_number(w, "TP", t->tp, NULL);
    know_number(w, "PP", t->pp, NULL);
    know_word(w, "method", train_method_word(t->method));
    know_word(w, "optimizer", r->word);
    know_unit(w, "weights", r->weight, "B", NULL);
    know_unit(w, "gradients", r->gradient, "B", NULL);
    know_unit(w, "master", r->master, "B", NULL);
    know_unit(w, "moments", r->state, "B", NULL);
    know_number(w, "parameters", m->params, NULL);
    know_number(w, "of this rank", m->local, NULL);
    know_number(w, "rank r", t->method == TRAIN_FULL ? 0 : t->lora_rank, NULL);
    know_word(w, "adapters on",
              t->method == TRAIN_FULL  ? ""
              : t->targets == LORA_QV ? "query and value"
                                       : "every linear");
    know_word(w, "modules to save", modules[t->modules]);
    know_number(w, "N", m->shards, NULL);
    know_number(w, "CP", t->cp > 1 ? t->cp : 0, NULL);
    know_word(w, "sequence parallel", t->sequence_parallel ? "yes" : "");
    know_word(w, "in series", t->device_map ? "yes" : "");
    know_number(w, "ZeRO", t->zero_stage, NULL);
    know_word(w, "offload", train_offload_word(t->offload));
    know_word(w, "step in backward", t->step_in_backward ? "yes" : "");
    bool part = q->host_gpus > 0 && q->host_gpus < t->gpus;
    know_number(w, "ranks of a host", part ? q->host_gpus : t->gpus, NULL);
    know_bytes(w, "usable", m->usable);
    know_bytes(w, "used", quantity_of(q->used, ORIGIN_ASSUMED));
    know_bytes(w, "total", m->total);
}

static void add_cost(struct terms *w)
{
    const struct layout *l = &w->plan->layout;
    know_number(w, "tp", l->tp, "GPUs of one host");
    know_number(w, "pp", l->pp, NULL);
    know_number(w, "replicas", l->replicas, NULL);
    terms_cost(w);
}

int terms_of_train(const struct request *q, const struct train_memory *m,
                   const struct plan *priced, struct term out[TERMS_MAX])
{
    struct terms terms = {.term = out, .plan = priced};
    if (m->limit == TRAIN_LIMIT_LAYOUT)
        return 0;
    know_setting(&terms, q, m);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        term_add(&terms, rows[i].name, rows[i].equation,
                 *(const struct quantity *)((const char *)m + rows[i].offset), "GiB",
                 source_counted(rows[i].source[0] ? rows[i].source : "the parts above"),
                 rows[i].inputs);
    if (priced)
        add_cost(&terms);
    return terms.count;
}
