/*
 * hits.c - see hits.h.
 */
#include "catalog/hits.h"

#include <stddef.h>

const char *hit_kind_word(enum hit_kind kind)
{
#define X(NAME, word, words) [HIT_##NAME] = word,
    static const char *const list[HIT_KIND_COUNT] = {HIT_KINDS(X)};
    return list[kind];
}

const char *hit_phase_word(enum hit_phase phase)
{
    static const char *const list[HIT_PHASE_COUNT] = {HIT_PHASES(X)};
#undef X
    return list[phase];
}

const struct hit *hits_find(const struct hits *hits, enum hit_kind kind, enum hit_phase phase)
{
    for (int i = 0; i < hits->count; i++)
        if (hits->hit[i].kind == (int)kind && hits->hit[i].phase == (int)phase)
            return &hits->hit[i];
    return NULL;
}
