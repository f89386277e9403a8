/*
 * parts.c - see parts.h.
 */
#include "answer/parts.h"

#include <string.h>

#include "base/str.h"
#include "base/units.h"

bool parts_fills(enum part_role role)
{
    return role != PART_LIMIT && role != PART_FREE;
}

static struct part *add(struct part *parts, int *n, const char *name, enum part_role role,
                        struct quantity q)
{
    struct part *p = &parts[(*n)++];

    *p = (struct part){.name = name, .role = role, .q = q};
    return p;
}

static void users_note(const struct plan *p, char *note, size_t size)
{
    char tokens[32], mean[32], spread[64] = "";
    const struct memory *m = &p->memory;

    if (m->users > 1 && m->kv_mean.value < m->kv_reserved.value)
        gp_format(spread, sizeof(spread), "; %s while spread",
                  units_gib(mean, sizeof(mean), m->kv_mean.value));
    gp_format(note, size, "%.0f x %s tokens%s%s", m->users,
              units_tokens(tokens, sizeof(tokens), p->request.context),
              p->layout.replicas > 1 ? ", per replica" : "", spread);
}

static void weights_note(const struct plan *p, char *note, size_t size)
{
    const struct memory *m = &p->memory;
    const struct {
        const char *what;
        double bytes;
    } added[] = {
        {"added by the engine at load", m->split.loaded},
        {p->request.draft_mtp ? "MTP layers" : "the draft", m->draft.value},
        {"slots of adapters", m->lora.value},
    };
    char gib[32];

    for (size_t i = 0, n = 0; i < sizeof(added) / sizeof(added[0]); i++) {
        if (added[i].bytes <= 0.01 * GP_GIB)
            continue;
        gp_format(note + n, size - n, "%s%s%s %s", n ? ", " : "",
                  units_gib(gib, sizeof(gib), added[i].bytes), n ? "" : " of it", added[i].what);
        n = strlen(note);
    }
}

/* vLLM takes an estimate from the budget, or nothing, and captures them afterwards. */
static void graphs_note(const struct memory *m, char *note, size_t size)
{
    char gib[32];

    if (m->graphs_charged.high <= 0)
        gp_copy(note, size, "on top of the budget");
    else if (m->graphs_charged.value != m->graphs.value)
        gp_format(note, size, "%s charged to the budget",
                  units_gib(gib, sizeof(gib), m->graphs_charged.value));
}

static void add_host(const struct plan *p, struct part *parts, int *n)
{
    const struct memory *m = &p->memory;
    const struct request *q = &p->request;
    char kv[32];

    if (m->host.high <= 0)
        return;
    struct part *part = add(parts, n, "host memory", PART_LIMIT, m->host);
    if (q->host_bytes > 0)
        gp_copy(part->note, sizeof(part->note), "weights of this GPU; pinned, up to twice as much");
    else if (m->host_kv.value > 0 && !q->kv_on_host)
        gp_format(part->note, sizeof(part->note), "weights kept there, and %s of KV",
                  units_gib(kv, sizeof(kv), m->host_kv.value));
    else
        gp_copy(part->note, sizeof(part->note), "weights kept there");
}

static void add_host_kv(const struct plan *p, struct part *parts, int *n)
{
    const struct request *q = &p->request;

    if (q->host_kv <= 0 && !q->kv_on_host)
        return;
    struct part *part = add(parts, n, "KV in host memory", PART_LIMIT, p->memory.host_kv);
    bool each = strcmp(q->engine->kv_offload, "gpu") == 0;
    gp_copy(part->note, sizeof(part->note),
            q->kv_on_host ? "of all users of a replica"
            : each        ? "for later requests, of each GPU"
                          : "for later requests, of a replica");
}

static void add_tables(const struct plan *p, struct part *parts, int *n)
{
    if (p->memory.tables.value <= 0)
        return;
    struct part *part = add(parts, n, "n-gram tables", PART_LIMIT, p->memory.tables);
    gp_copy(part->note, sizeof(part->note),
            p->layout.ep > p->layout.tp ? "in host memory, pinned, shared by a host's replicas"
                                        : "in host memory, pinned, of a replica");
}

/* What is free, or how much is missing: never a size below 0. */
static void add_free(const struct memory *m, struct part *parts, int *n)
{
    bool lacks = m->free.value < 0;
    struct quantity q = lacks ? quantity_sub(quantity_exact(0), m->free) : m->free;

    add(parts, n, lacks ? "short" : "free", PART_FREE, quantity_max0(q));
}

static void add_kv(const struct plan *p, struct part *parts, int *n)
{
    const struct memory *m = &p->memory;
    struct part *part = add(parts, n, "KV needed", PART_KV, m->kv_needed);

    users_note(p, part->note, sizeof(part->note));
    if (m->state.value > 0)
        add(parts, n, "recurrent state", PART_KV, m->state);
    double extra = m->kv_reserved.value - m->kv_needed.value - m->state.value;
    if (extra > 0.005 * m->kv_reserved.value) {
        part = add(parts, n, "KV blocks", PART_KV, quantity_exact(extra));
        gp_copy(part->note, sizeof(part->note), "rounding, windows and layer groups");
    }
}

static void add_overheads(const struct plan *p, struct part *parts, int *n)
{
    const struct memory *m = &p->memory;
    struct part *part = add(parts, n, "activation", PART_ACTIVATION, m->activation);

    gp_format(part->note, sizeof(part->note), "max-num-seqs %.0f, batched tokens %.0f",
              m->max_num_seqs, m->max_batched_tokens);
    add(parts, n, "non-torch", PART_RUNTIME, m->non_torch);
    if (m->graphs.high > 0) { /* not every engine captures them */
        part = add(parts, n, "CUDA graphs", PART_RUNTIME, m->graphs);
        graphs_note(m, part->note, sizeof(part->note));
    }
}

int parts_list(const struct plan *p, struct part parts[PARTS_MAX])
{
    const struct memory *m = &p->memory;
    const struct request *q = &p->request;
    int n = 0;
    struct part *part;

    add(parts, &n, "physical", PART_LIMIT, m->physical);
    add(parts, &n, "usable", PART_LIMIT, m->usable);
    part = add(parts, &n, "budget", PART_LIMIT, quantity_max0(m->budget));
    if (memory_budget(q) == BUDGET_UTILIZATION || memory_budget(q) == BUDGET_STATIC)
        gp_format(part->note, sizeof(part->note), "%.2f of it, by %s%s", m->fraction,
                  q->utilization > 0 ? "request" : q->engine->name,
                  q->headroom > 0 ? ", less headroom" : "");
    else if (memory_budget(q) == BUDGET_FREE)
        gp_format(part->note, sizeof(part->note), "%.2f of what is left goes to KV", m->fraction);
    part = add(parts, &n, "weights", PART_WEIGHTS, m->weights);
    weights_note(p, part->note, sizeof(part->note));
    if (!q->model->weights_only)
        add_kv(p, parts, &n);
    if (model_is_served(q->model))
        add_overheads(p, parts, &n);
    add_free(m, parts, &n);
    add_host(p, parts, &n);
    if (!q->model->weights_only) {
        add_host_kv(p, parts, &n);
        add_tables(p, parts, &n);
    }
    return n;
}
