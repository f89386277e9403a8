/*
 * rules.h - what one engine does alone.
 *
 * What two or more engines share is data: a key of their profiles (engine.h). What one does
 * alone is a function in its file, rules_ENGINE.c, with its figures from its profile still. Which
 * functions hold is chosen by the profile's key `budget`, the way in which an engine shares
 * out a GPU's memory: a new way is a row here and a file. NULL: nothing of its own.
 *
 *   utilization  rules_vllm.c      the second model runner, groups of equal KV layers
 *   free         -                 TensorRT-LLM
 *   static       rules_sglang.c  the fraction from the GPU's memory, pools of windows and states
 *   asked        rules_llamacpp.c  the graph's buffer, caches for every slot
 */
#ifndef GP_PLAN_RULES_H
#define GP_PLAN_RULES_H

#include "plan/kvcache.h"
#include "plan/load.h"
#include "plan/memory.h"
#include "plan/terms.h"

/* What is alike on all stages of a layout. */
struct stages {
    const struct request *request;
    const struct load *load;
    const struct layout *layout;
    struct weights_cut weights;
    struct kv_cut kv, kv_end;                   /* of full requests, and of them at their end ... */
    bool ends;                                  /* ... where that is less, and there are several */
    struct quantity activation[2], overhead[2]; /* without and with the head */
    struct quantity spare[2];
    struct quantity non_torch, context, graphs, graphs_charged;
    struct quantity budget;
    double fraction;
    double users; /* per replica */
};

struct stage {
    int index; /* of layers [first, end), layers[k] of each kind */
    int first, end;
    int layers[MODEL_MAX_KINDS];
    struct kv_sequence sequence; /* of full context; zero where there is no KV cache */
    struct kv_sequence ended;    /* likewise at its end; the same where that is as long */
    struct quantity weights;
    double mean; /* bytes for the users while they are spread; -1 = not asked yet */
};

#define STAGES_KEPT 8

/* Of the layout that a search judged last: what no option of the engine changes that it turns. */
struct stages_kept {
    bool any;
    struct layout layout;
    double users, batch, slots;
    struct stages stages;
    struct stage of[STAGES_KEPT]; /* those that may bind */
    int count;
};

struct engine_rules {
    /* What of a load depends on more than the profile's figures. */
    void (*load)(const struct request *q, struct load *load);
    /* The share of the GPU where the user gives none. */
    double (*fraction)(const struct request *q, const struct load *load, const struct layout *l);
    struct quantity (*budget)(const struct stages *s);
    /* What the budget leaves for what is outside of it; head: of the stage with the head. */
    struct quantity (*spare)(const struct stages *s, int head);
    /* The requests that a pool can hold the recurrent states of. */
    struct quantity (*states)(const struct stages *s, const struct kv_sequence *one,
                              const struct quantity *pool);
    /* KV of a sequence as it is set aside, where layers differ. */
    void (*reserve)(struct kv_sequence *s, const struct kv_cut *cut, const struct kv_group *groups,
                    int count, const struct request *q);
    void (*terms)(struct terms *w);
};

const struct engine_rules *engine_rules(enum budget budget);

extern const struct engine_rules vllm_rules, sglang_rules, llamacpp_rules;

/* rules_llamacpp.c: bytes of the compute buffer of one graph of `batch` tokens. cells: of the full
 * cache, of all users of a replica. */
double graph_bytes(const struct request *request, int tp, double batch, double cells, double slots);
/* The same where a row of logits is kept for each token: older builds, and programs on the
 * plain library. */
double graph_bytes_of_rows(const struct request *request, double batch);
/* Cells of a window's cache of its own: all slots and the batch, in steps of 256. */
double graph_window_cells(double window, double slots, double batch, double cells);

#endif
