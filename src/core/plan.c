/*
 * plan.c - one layout as it is shown, see plan.h. The search for a layout, fixes and
 * solving have their own files.
 */
#include "core/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/search.h"
#include "util/str.h"
#include "util/units.h"

double plan_margin(const struct plan *p)
{
    const struct memory *m = &p->memory;
    double kv = m->kv_pool.value - m->kv_reserved.value;
    if (p->limit != LIMIT_USED)
        return kv;
    return fmin(kv, m->usable.value - p->request.used - m->budget.value);
}

/* ---- the knob ---- */

struct term {
    const char *name;
    const char *knob;
    const struct quantity *q;
};

static double width(const struct quantity *q)
{
    return q->high - q->low;
}

static void name_knob(struct plan *p)
{
    const struct memory *m = &p->memory;
    const struct term terms[] = {
        {"CUDA graphs", "raise --memory-utilization, or run without graphs",
         &m->graphs},
        {"the activation peak", "lower --max-num-seqs", &m->activation},
        {"memory outside the allocator", "raise --memory-utilization", &m->non_torch},
        {"the usable memory of the GPU", "measure the device itself", &m->usable},
        {"the weights", "plan with the checkpoint's own files", &m->weights},
    };
    const struct term *widest = &terms[1];
    const struct engine *e = p->request.engine;
    bool graphs = e->budget != BUDGET_UTILIZATION || e->graphs_in_budget ||
                  p->limit == LIMIT_OVERHEAD;
    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
        if (i == 0 && !graphs)
            continue;
        if (width(terms[i].q) > width(widest->q))
            widest = &terms[i];
    }
    gp_format(p->knob, sizeof(p->knob), "%s (%.2f..%.2f GiB): %s", widest->name,
              widest->q->low / GP_GIB, widest->q->high / GP_GIB, widest->knob);
}

/* ---- reasons in words ---- */

static void say_types(const struct plan *p, enum reason reason, char *text, size_t size)
{
    const struct request *q = &p->request;
    const struct engine *e = q->engine;
    const struct gpu *g = q->gpu;
    int cc = g->compute_capability;
    if (reason == REASON_BF16)
        gp_format(text, size,
                  "%s refuses BF16 below compute capability %d.%d, %s has %d.%d: use "
                  "--precision fp16",
                  e->name, e->bf16_min_cc / 10, e->bf16_min_cc % 10, g->id, cc / 10,
                  cc % 10);
    else if (reason == REASON_VENDOR)
        gp_format(text, size, "%s does not run on %s GPUs", e->name, g->vendor);
    else if (reason == REASON_QUANTIZED)
        gp_format(text, size,
                  "%s takes %s weights from compute capability %d.%d on, %s has %d.%d",
                  e->name, q->precision.weight->id, e->quantized_min_cc / 10,
                  e->quantized_min_cc % 10, g->id, cc / 10, cc % 10);
    else
        gp_format(text, size, "%s has no %s KV cache", e->name, q->kv->id);
}

static void say_serving(const struct plan *p, enum reason reason, char *text,
                        size_t size)
{
    const struct request *q = &p->request;
    const struct memory *m = &p->memory;
    char free[32], wants[32];
    double left = m->usable.value - q->used;
    if (reason == REASON_CONTEXT)
        gp_format(text, size,
                  "%.0f tokens of context exceed the %d the model was made for",
                  q->context, q->model->max_context);
    else if (reason == REASON_SEQS)
        gp_format(text, size,
                  "%.0f users per replica exceed max_num_seqs %.0f: the rest would wait",
                  m->users, m->max_num_seqs);
    else
        gp_format(text, size,
                  "%s wants %s but only %s are free: --memory-utilization %.2f at most",
                  q->engine->name, units_gib(wants, sizeof(wants), m->budget.value),
                  units_gib(free, sizeof(free), left),
                  floor(left / m->usable.value * 100) / 100);
}

static void say_shortage(const struct plan *p, enum reason reason, char *text,
                         size_t size)
{
    const struct memory *m = &p->memory;
    char a[32], b[32], c[32];
    if (reason == REASON_WEIGHTS)
        gp_format(text, size, "the weights take %s per GPU, %s may be used",
                  units_gib(a, sizeof(a), m->weights.value),
                  units_gib(b, sizeof(b), m->budget.value));
    else if (reason == REASON_OVERHEAD)
        gp_format(text, size, "weights %s and overheads leave no room for KV (%s)",
                  units_gib(a, sizeof(a), m->weights.value),
                  units_gib(b, sizeof(b), m->kv_pool.value));
    else
        gp_format(text, size,
                  "%.0f x %.0f tokens need %s of KV per GPU, %s are left (band up to "
                  "%s)",
                  m->users, p->request.context,
                  units_gib(a, sizeof(a), m->kv_reserved.value),
                  units_gib(b, sizeof(b), m->kv_pool.value),
                  units_gib(c, sizeof(c), m->kv_pool.high));
}

static void say_margins(const struct plan *p, enum reason reason, char *text,
                        size_t size)
{
    const struct memory *m = &p->memory;
    const struct request *q = &p->request;
    struct quantity need =
        quantity_add(quantity_add(m->activation, m->non_torch), m->graphs);
    double rest = (m->usable.low - q->used) * (1 - m->fraction * (1 - q->headroom));
    if (reason == REASON_CROSSES)
        gp_format(text, size, "the users need %.2f GiB of KV, the pool is %.2f..%.2f GiB",
                  m->kv_reserved.value / GP_GIB, m->kv_pool.low / GP_GIB,
                  m->kv_pool.high / GP_GIB);
    else if (reason == REASON_OVERRUNS)
        gp_format(text, size,
                  "all parts together leave %.2f..%.2f GiB: it may run out",
                  m->free.low / GP_GIB, m->free.high / GP_GIB);
    else if (reason == REASON_DECIDES)
        gp_format(text, size, "what decides: %s", p->knob);
    else
        gp_format(text, size,
                  "the engine's overheads take up to %.2f GiB, its fraction leaves %.2f",
                  need.high / GP_GIB, fmax(rest, 0) / GP_GIB);
}

static void say_search(const struct plan *p, enum reason reason, char *text, size_t size)
{
    char words[96];
    if (reason == REASON_COUNT_OF)
        gp_format(text, size,
                  "no layout of %d GPUs with at most %d pipeline stages is valid",
                  p->request.gpu_count, search_most_stages(&p->request));
    else
        gp_format(text, size, "%d GPU%s would be marginal: %s", p->nearly.gpus,
                  p->nearly.gpus == 1 ? "" : "s",
                  layout_words(&p->nearly, words, sizeof(words)));
}

static void say_reason(const struct plan *p, enum reason reason, char *text, size_t size)
{
    if (reason == REASON_LAYOUT)
        layout_refusal_words(&p->request, &p->layout, text, size);
    else if (reason <= REASON_KV_FORMAT)
        say_types(p, reason, text, size);
    else if (reason <= REASON_USED)
        say_serving(p, reason, text, size);
    else if (reason <= REASON_KV)
        say_shortage(p, reason, text, size);
    else if (reason <= REASON_REST_TIGHT)
        say_margins(p, reason, text, size);
    else
        say_search(p, reason, text, size);
}

/* ---- warnings in words ---- */

static void say_slow_type(const struct request *q, char *text, size_t size)
{
    const struct gpu *g = q->gpu;
    enum format_math math = q->precision.weight->math;
    struct quantity half = g->rate[MATH_FP16], fp8 = g->rate[MATH_FP8];
    gp_format(text, size,
              "%s runs %s at only %.4g %s, %.1f times slower than FP16: prefill and "
              "large batches crawl%s",
              g->id, format_math_word(math), g->rate[math].value / 1e12,
              math == MATH_INT8 || math == MATH_INT4 ? "TOPS" : "TFLOPS",
              half.value / g->rate[math].value,
              fp8.known && fp8.value > half.value
                  ? "; FP8 is the fast 8-bit type here"
                  : "");
}

static void say_warning(const struct plan *p, enum warning warning, char *text,
                        size_t size)
{
    const struct request *q = &p->request;
    const char *gpu = q->gpu->id, *format = q->precision.weight->id;
    const char *math = format_math_word(q->precision.weight->math);
    switch (warning) {
    case WARNING_FP16:
        gp_format(text, size, "%s has no BF16: run the activations in FP16 (--dtype half)",
                  gpu);
        break;
    case WARNING_VENDOR:
        gp_format(text, size, "nobody has said whether %s runs on %s GPUs",
                  q->engine->name, q->gpu->vendor);
        break;
    case WARNING_WEIGHTS_ONLY:
        gp_copy(text, size,
                "only the weights are counted: what this kind of model needs to run is "
                "not estimated");
        break;
    case WARNING_VISION:
        gp_copy(text, size,
                "the vision tower is not counted: GGUF keeps it in a file of its own");
        break;
    case WARNING_GGUF:
        gp_format(text, size,
                  "%s is a GGUF format; %s does not run it well: llama.cpp is its engine",
                  format, q->engine->name);
        break;
    case WARNING_UNPACKED:
        gp_format(text, size,
                  "%s has no %s arithmetic: %s weights are unpacked to 16 bit, which "
                  "saves memory but no arithmetic",
                  gpu, math, format);
        break;
    case WARNING_SLOW_TYPE:
        say_slow_type(q, text, size);
        break;
    case WARNING_ZEROS:
        gp_copy(text, size,
                "unstructured pruning saves no memory: zeros are stored like any other "
                "weight; 2:4 does save");
        break;
    case WARNING_SPARSE:
        gp_format(text, size,
                  "%s has no sparse tensor cores (they start at compute capability 8.0)",
                  gpu);
        break;
    case WARNING_CONFIDENCE:
        gp_format(text, size, "the figures of %s are of low confidence", gpu);
        break;
    case WARNING_COUNT:
        break;
    }
}

void plan_say(struct plan *p)
{
    p->reason_count = p->warning_count = 0;
    for (int r = 0; r < REASON_COUNT; r++)
        if (p->reason_bits >> r & 1 && p->reason_count < PLAN_MAX_REASONS)
            say_reason(p, (enum reason)r, p->reasons[p->reason_count++], 240);
    for (int w = 0; w < WARNING_COUNT; w++)
        if (p->warning_bits >> w & 1 && p->warning_count < PLAN_MAX_REASONS)
            say_warning(p, (enum warning)w, p->warnings[p->warning_count++], 240);
}

/* ---- one layout ---- */

static bool has_knob(const struct plan *p)
{
    unsigned rest = 1u << REASON_REST_LACKS | 1u << REASON_REST_TIGHT;
    return (p->reason_bits >> REASON_DECIDES & 1) ||
           ((p->reason_bits & rest) && p->verdict == VERDICT_MARGINAL);
}

void plan_fill(const struct request *q, const struct load *load,
               const struct layout *layout, const struct market *market, struct plan *p)
{
    struct evaluation e;
    memset(p, 0, sizeof(*p));
    evaluate(q, load, NULL, layout, &e);
    p->request = *q;
    p->layout = e.layout;
    p->verdict = e.verdict;
    p->limit = e.limit;
    p->reason_bits = e.reasons;
    p->has_memory = e.valid;
    if (p->has_memory) {
        p->warning_bits = load->warnings;
        memory_estimate(q, load, &p->layout, &p->memory);
        cost_estimate(q, &p->layout, market, &p->cost);
        if (has_knob(p))
            name_knob(p);
    }
    if (p->cost.machines > 0)
        p->layout.hosts = p->cost.machines;
    plan_say(p);
}

void plan_layout(const struct request *q, const struct layout *layout,
                 const struct market *market, struct plan *p)
{
    struct load load = load_sum(q);
    plan_fill(q, &load, layout, market, p);
}

bool plan_spans(const struct plan *p)
{
    const struct rent *r = cost_wanted(&p->cost);
    return r && r->known ? r->apart : layout_group(&p->layout) > p->request.host_gpus;
}
