/*
 * rules_sglang.c - SGLang: its fraction of the GPU follows from the memory, and windows and
 * recurrent states have pools of their own.
 *
 *   1 - (base + token*c + gpu*tp*pp + graph*batch + prefill graphs) / physical
 *
 * with the chunk c and the largest graph batch of the memory's tier. Example, H100, TP 1:
 * 512 + 1.5*8192 + 128 + 2*256 + 8*58 = 13,904 MiB of 81,559: 0.830.
 */
#include "plan/rules.h"

#include <math.h>

#include "base/units.h"
#include "plan/terms_list.h"

/* ---- the fraction ----
 *
 * server_args.py _handle_gpu_memory_settings(), 0.5.5.post3 to 0.5.15; memory_hook.py:281-345,
 * 0.5.23. Profiles date the versions; a utilization that is given wins.
 */

#define RESERVE_BASE (512 * GP_MIB)
#define RESERVE_TOKEN (1.5 * GP_MIB) /* of a chunk, of 2048 at least */
#define RESERVE_GPU (128 * GP_MIB)   /* of the group */
#define RESERVE_GRAPH (2 * GP_MIB)   /* a request of the largest graph batch */
#define RESERVE_PREFILL (8 * GP_MIB) /* a size of the prefill graphs; with MLA for all of them: */
#define RESERVE_MLA (1536 * GP_MIB)
#define RESERVE_LEAST (10 * GP_GIB) /* on GPUs with more than: */
#define RESERVE_LEAST_FROM (60 * GP_GIB)
#define VISION_FACTOR 0.95 /* on the fraction, for a tower as large as ViT-L */
/* adjust_mem_fraction_for_vlm() reads num_hidden_layers; these families say depth: 24 for it. */
#define VISION_DEPTH "qwen2_5_vl|qwen3_vl|qwen3_vl_moe|qwen3_5|qwen3_5_moe|glm4v|glm4v_moe"

/* Sizes of the prefill graphs up to n tokens (cuda_graph_hook.py). */
static double sglang_prefill_sizes(double n)
{
    static const double spans[][3] = {{4, 32, 4},      {48, 256, 16},     {288, 512, 32},
                                      {576, 1024, 64}, {1280, 4096, 256}, {4608, INFINITY, 512}};
    double count = 0;

    for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++)
        if (n >= spans[i][0])
            count += floor((fmin(n, spans[i][1]) - spans[i][0]) / spans[i][2]) + 1;
    return count;
}

/* The tower beside a ViT-L of 24 layers, 1024 wide: each time that more takes 10 %. One of
 * no known shape by its parameters. */
static double sglang_vision_factor(const struct request *q, const struct load *load)
{
    const struct model_vision *v = &q->model->vision;
    double layers = engine_lists(VISION_DEPTH, q->model->family) ? 24 : v->layers;
    double times = layers > 0 && v->width > 0 ? layers * v->width * v->width / (24.0 * 1024 * 1024)
                                              : load->vision_params / 302e6;

    return VISION_FACTOR * fmax(0.8, fmin(1.05, 1 - 0.1 * (times - 1)));
}

static double sglang_fraction(const struct request *q, const struct load *load,
                              const struct layout *l)
{
    double physical = q->gpu->physical.value, c = load->max_batched_tokens;

    if (q->utilization > 0 || physical <= 0)
        return load->fraction;
    double bytes = RESERVE_BASE + RESERVE_TOKEN * fmax(c, 2048) + RESERVE_GPU * l->tp * l->pp +
                   RESERVE_GRAPH * memory_graph_batch(q, l);
    /* of the prefill graphs, which vision models, delta attention and DeepSeek-V4 run without
     * (cuda_graph_hook.py:193-240) */
    if (q->engine->speed.captured > 0 && !load->has_vision &&
        !model_has_mixer(q->model, MIXER_IS_GATED | MIXER_IS_POOLED))
        bytes += model_has_mixer(q->model, MIXER_IS_PROJECTED)
                     ? RESERVE_MLA
                     : RESERVE_PREFILL * sglang_prefill_sizes(c);
    if (physical > RESERVE_LEAST_FROM)
        bytes = fmax(bytes, RESERVE_LEAST);
    double fraction = round((1 - bytes / physical) * 1000) / 1000;
    if (load->has_vision)
        fraction *= sglang_vision_factor(q, load);
    return fmax(fraction, 0.01);
}

/* The fraction is of what is free before the weights are loaded. */
static struct quantity sglang_budget(const struct stages *s)
{
    const struct request *q = s->request;
    struct quantity budget =
        memory_budget_bytes(q, quantity_sub(s->load->usable, s->non_torch), s->fraction);

    /* a tower whose shape the engine does not read counts as a ViT-L */
    if (s->load->has_vision && q->utilization <= 0) {
        double times = VISION_FACTOR / sglang_vision_factor(q, s->load);

        budget.low *= fmin(times, 1);
        budget.high *= fmax(times, 1);
    }
    return budget;
}

/* What the fraction leaves, less activation and graphs. */
static struct quantity sglang_spare(const struct stages *s, int head)
{
    const struct request *q = s->request;
    struct quantity taken = quantity_add(s->non_torch, quantity_exact(q->used));
    struct quantity room = quantity_max0(quantity_sub(s->load->usable, taken));

    return quantity_sub(quantity_scale(room, 1 - s->fraction * (1 - q->headroom)),
                        quantity_add(s->activation[head], s->graphs));
}

/* The requests that the states' own pool holds, one slot of which is padding. */
static double sglang_states_in(const struct request *q, const struct kv_sequence *one, double pool)
{
    const struct engine *e = q->engine;
    double blocks = kvcache_state_blocks(q);
    double share = e->state_share / (1 + e->state_share);
    double slots = floor(fmax(pool, 0) * share / one->state) - 1;

    return floor(fmax(slots, 0) / blocks);
}

static struct quantity sglang_states(const struct stages *s, const struct kv_sequence *one,
                                     const struct quantity *pool)
{
    if (s->request->engine->state_share <= 0 || one->state <= 0)
        return quantity_unknown();
    return quantity_band(sglang_states_in(s->request, one, pool->value),
                         sglang_states_in(s->request, one, pool->low),
                         sglang_states_in(s->request, one, pool->high), ORIGIN_MODEL);
}

/* ---- pools ---- */

/* A cell of the pool is a token of every full layer and window_share of one in the
 * windows' pool, so that a request of fewer tokens than a window counts for more cells.
 * Where there are states, they have a pool of their own, state_share as large; a request
 * takes the larger share that it needs of the two. */
static void sglang_reserve(struct kv_sequence *s, const struct kv_cut *cut,
                           const struct kv_group *groups, int count, const struct request *q)
{
    const struct engine *e = q->engine;
    double full = 0, windows = 0, tokens = cut->tokens, most = 0, pools = 1;
    double own = 0, drafts = 0;

    for (int g = 0; g < count; g++) {
        const struct kv_type *t = groups[g].type;
        bool window = mixer_is(t->kind->mixer, MIXER_IS_WINDOWED);

        if (t->bytes > 0)
            *(t->draft ? &drafts : &own) += groups[g].layers;
        if (t->draft)
            continue;
        *(window ? &windows : &full) += groups[g].layers * t->bytes;
        if (window)
            most = fmax(most, fmin(t->kind->window, cut->tokens) + e->block);
    }
    double share = full > 0 && e->window_share > 0 ? e->window_share : 1;
    if (full > 0 && windows > 0)
        tokens = fmax(tokens, most / share);
    double cell = full + share * windows;
    if (own > 0) /* pool_configurator.py: a draft's layer is taken for one of the model's */
        cell *= 1 + drafts / own;
    s->reserved = ceil(tokens / e->block) * e->block * cell;
    if (s->state > 0 && e->state_share > 0) {
        pools = 1 + e->state_share;
        s->reserved =
            fmax(s->reserved * pools, kvcache_state_blocks(q) * s->state * pools / e->state_share);
    }
    s->cell = cell * pools;
    s->block = cell > 0 ? s->cell * e->block : s->state;
}

/* ---- terms ---- */

static void sglang_terms(struct terms *w)
{
    const struct plan *p = w->plan;

    if (p->request.utilization > 0)
        return;
    input_bytes(w, "base", quantity_exact(RESERVE_BASE));
    input_unit(w, "token", RESERVE_TOKEN / GP_MIB, "MiB", "engine");
    input_unit(w, "gpu", RESERVE_GPU / GP_MIB, "MiB", "engine");
    input_unit(w, "graph", RESERVE_GRAPH / GP_MIB, "MiB", "engine");
    input_number(w, "batch", memory_graph_batch(&p->request, &p->layout), "engine");
    input_bytes(w, "least", quantity_exact(RESERVE_LEAST));
    term_add(w, "fraction", "fraction",
             "1 - max(base + token*max(c, 2048) + gpu*tp*pp + graph*batch + prefill graphs, "
             "least) / physical [* vision]",
             quantity_of(p->memory.fraction, ORIGIN_MODEL), "of GPU",
             source_engine(p->request.engine, TERM_BUDGET),
             "base, token, c, gpu, tp, pp, graph, batch, least, physical");
}

const struct engine_rules sglang_rules = {
    .fraction = sglang_fraction,
    .budget = sglang_budget,
    .spare = sglang_spare,
    .states = sglang_states,
    .reserve = sglang_reserve,
    .terms = sglang_terms,
};
