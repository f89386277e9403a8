/*
 * layout.c - see layout.h.
 */
#include "core/layout.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/str.h"

/* vLLM and Megatron pad the vocabulary to a multiple of this before cutting it. */
#define VOCAB_PAD 64

enum share_rule { SHARE_ALL, SHARE_TP, SHARE_KV, SHARE_EXPERT };

static const enum share_rule share_rules[ROLE_COUNT] = {
    [ROLE_EMBED] = SHARE_TP,    [ROLE_HEAD] = SHARE_TP,
    [ROLE_NORM] = SHARE_ALL,    [ROLE_ROUTER] = SHARE_ALL,
    [ROLE_ATTN_Q] = SHARE_TP,   [ROLE_ATTN_KV] = SHARE_KV,
    [ROLE_ATTN_OUT] = SHARE_TP, [ROLE_ATTN_LATENT] = SHARE_ALL,
    [ROLE_INDEXER] = SHARE_ALL, [ROLE_RECURRENT] = SHARE_TP,
    [ROLE_MLP] = SHARE_TP,      [ROLE_EXPERT] = SHARE_EXPERT,
    [ROLE_SHARED] = SHARE_TP,   [ROLE_LAYER_EMBED] = SHARE_TP,
    [ROLE_VISION] = SHARE_TP,   [ROLE_OTHER] = SHARE_ALL,
};

int layout_kv_heads(const struct layer_kind *kind, int tp)
{
    int per = (kind->kv_heads + tp - 1) / tp;
    return per > 1 ? per : 1;
}

double layout_share(const struct model *model, const struct layer_kind *kind,
                    enum tensor_role role, const struct layout *layout)
{
    (void)model;
    switch (share_rules[role]) {
    case SHARE_TP:
        return 1.0 / layout->tp;
    case SHARE_KV:
        /* MLA's up projection kv_b is cut by heads like any other matrix */
        if (!kind || kind->kv_heads <= 0 || kind->mixer == MIXER_MLA)
            return 1.0 / layout->tp;
        return (double)layout_kv_heads(kind, layout->tp) / kind->kv_heads;
    case SHARE_EXPERT:
        return 1.0 / (layout->ep > layout->tp ? layout->ep : layout->tp);
    case SHARE_ALL:
        break;
    }
    return 1.0;
}

int layout_stage_first(const struct model *model, int pp, int stage)
{
    int base = model->layer_count / pp, rest = model->layer_count % pp;
    /* stages pp-1-rest .. pp-2 hold one layer more, the last never does */
    int more = stage - (pp - 1 - rest);
    more = more < 0 ? 0 : more > rest ? rest : more;
    return stage >= pp ? model->layer_count : stage * base + more;
}

static int common_divisor(int a, int b)
{
    while (b > 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

int layout_group(const struct layout *l)
{
    int replicas = l->ep > l->tp ? l->ep / common_divisor(l->ep, l->tp) : 1;
    return l->tp * l->pp * replicas;
}

int layout_hosts(const struct layout *l, int host_gpus)
{
    int group = layout_group(l), replica = l->tp * l->pp;
    int host = host_gpus > 1 ? host_gpus : 1;
    int unit = group <= host ? group : replica;
    if (unit <= host) {
        int units = replica * l->replicas / unit, per_host = host / unit;
        return (units + per_host - 1) / per_host;
    }
    int stages = host / l->tp > 0 ? host / l->tp : 1;
    return (l->pp + stages - 1) / stages * l->replicas;
}

char *layout_words(const struct layout *l, char *text, size_t size)
{
    struct part {
        const char *format;
        int n;
    } const parts[] = {
        {" x PP %d", l->pp}, {" x %d replicas", l->replicas}, {", EP %d", l->ep}};
    gp_format(text, size, "TP %d", l->tp);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        size_t n = strlen(text);
        if (parts[i].n > 1)
            gp_format(text + n, size - n, parts[i].format, parts[i].n);
    }
    return text;
}

/* ---- validity ---- */

struct reasons {
    char *text;
    size_t size, len;
};

static void reason(struct reasons *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void reason(struct reasons *r, const char *fmt, ...)
{
    char line[200];
    va_list args;
    if (r->size == 0) {
        r->len++;
        return;
    }
    va_start(args, fmt);
    vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    if (r->len < r->size)
        r->len += (size_t)snprintf(r->text + r->len, r->size - r->len, "%s%s",
                                   r->len ? "; " : "", line);
    else
        r->len++;
}

static void check_attention(struct reasons *r, const struct layer_kind *k, int tp)
{
    if (k->heads > 0 && k->heads % tp != 0)
        reason(r, "TP=%d does not divide %d attention heads", tp, k->heads);
    if (k->mixer == MIXER_MLA || k->mixer == MIXER_CSA || k->kv_heads <= 0)
        return;
    if (k->kv_heads % tp != 0 && tp % k->kv_heads != 0)
        reason(r, "TP=%d neither divides nor is a multiple of %d KV heads", tp,
               k->kv_heads);
}

static void check_width(struct reasons *r, const struct layer_kind *k, int tp, int ep)
{
    int per_expert = ep > tp ? 1 : tp / (ep > 0 ? ep : 1);
    if (k->ff % tp != 0)
        reason(r, "TP=%d does not divide the MLP width %d", tp, k->ff);
    if (k->experts > 0 && k->expert_ff % per_expert != 0)
        reason(r, "TP=%d does not divide the expert width %d", per_expert,
               k->expert_ff);
    if (k->lin_v_heads % tp != 0)
        reason(r, "TP=%d does not divide %d recurrent heads", tp, k->lin_v_heads);
}

static bool same_width(const struct layer_kind *a, const struct layer_kind *b)
{
    return a->heads == b->heads && a->kv_heads == b->kv_heads && a->ff == b->ff &&
           a->expert_ff == b->expert_ff && a->lin_v_heads == b->lin_v_heads;
}

static void check_kinds(struct reasons *r, const struct model *m,
                        const struct layout *l)
{
    for (int k = 0; k < m->kind_count; k++) {
        bool seen = false;
        for (int j = 0; j < k; j++)
            seen = seen || same_width(&m->kind[j], &m->kind[k]);
        if (seen)
            continue;
        check_attention(r, &m->kind[k], l->tp);
        check_width(r, &m->kind[k], l->tp, l->ep);
    }
}

static void check_ep(struct reasons *r, const struct request *q, const struct layout *l)
{
    int experts = model_experts(q->model);
    if (l->ep <= 1)
        return;
    if (q->engine->gguf)
        reason(r, "EP=%d: %s does not spread experts over GPUs", l->ep,
               q->engine->name);
    if (experts == 0)
        reason(r, "EP=%d: the model has no experts", l->ep);
    else if (experts % l->ep != 0)
        reason(r, "EP=%d does not divide %d experts", l->ep, experts);
    if (l->tp * l->replicas % l->ep != 0)
        reason(r, "EP=%d does not divide TP x replicas = %d", l->ep,
               l->tp * l->replicas);
    if (l->ep < l->tp && l->tp % l->ep != 0)
        reason(r, "EP=%d does not divide TP=%d", l->ep, l->tp);
}

bool layout_valid(const struct request *q, const struct layout *l, char *why,
                  size_t size)
{
    const struct model *m = q->model;
    struct reasons r = {.text = why, .size = size};
    if (size > 0)
        why[0] = '\0';
    check_kinds(&r, m, l);
    int padded = (m->vocab + VOCAB_PAD - 1) / VOCAB_PAD * VOCAB_PAD;
    if (m->vocab > 0 && padded % l->tp != 0)
        reason(&r, "TP=%d does not divide the vocabulary of %d", l->tp, m->vocab);
    if (l->pp > 1 && l->pp > m->layer_count)
        reason(&r, "PP=%d exceeds the %d layers", l->pp, m->layer_count);
    check_ep(&r, q, l);
    if (q->gpu->link_domain == 1 && layout_group(l) > 1)
        reason(&r, "MIG instances cannot be joined: one must hold the model");
    else if (q->host_gpus > 0 && l->tp > q->host_gpus)
        reason(&r, "TP=%d exceeds the %d GPUs one host can hold%s", l->tp, q->host_gpus,
               q->host_assumed ? " (assumed)" : "");
    if (q->gpu_count > 0 && l->gpus != q->gpu_count)
        reason(&r, "TP %d x PP %d x replicas %d = %d GPUs, but %d were asked for",
               l->tp, l->pp, l->replicas, l->gpus, q->gpu_count);
    return r.len == 0;
}
