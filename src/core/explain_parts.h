/*
 * explain_parts.h - what the files of explain.c share. Nobody else includes it.
 *
 * A term is started with why_add(), given its inputs one by one (each a name, a value
 * with its unit, and in brackets where it comes from), its value and its source.
 */
#ifndef GP_CORE_EXPLAIN_PARTS_H
#define GP_CORE_EXPLAIN_PARTS_H

#include "core/explain.h"

struct why {
    const struct plan *plan;
    struct term_why *out;  /* EXPLAIN_MAX of them */
    int count;
    struct term_why spare; /* takes what no longer finds room */
};

struct term_why *why_add(struct why *why, const char *name, const char *equation);

/* One input more: "kv 8 (exact)". Inputs are separated by ", ". */
void why_in(struct term_why *term, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* "usable 79.19 GiB (sheet)", with its band when it has one. */
void why_in_bytes(struct term_why *term, const char *name, struct quantity bytes);
/* The same for bytes that are counted. */
void why_in_exact(struct term_why *term, const char *name, double bytes);
/* "s 8,192 (request)" */
void why_in_count(struct term_why *term, const char *name, double count,
                  const char *origin);

/* The value: in units of `unit` (GP_GIB for "GiB"). */
void why_value(struct term_why *term, struct quantity value, double unit,
               const char *word);
void why_gib(struct term_why *term, struct quantity bytes);

/* Sources: the engine's evidence for a term, the model's and the GPU's profile. */
void why_engine(const struct why *why, struct term_why *term, enum engine_term which);
void why_model(const struct why *why, struct term_why *term);
void why_gpu(const struct why *why, struct term_why *term);
void why_counted(struct term_why *term, const char *what);

/* explain_memory.c, explain_kv.c and explain_cost.c */
void explain_weights(struct why *why);
void explain_overheads(struct why *why);
void explain_pool(struct why *why);
void explain_kv(struct why *why);
void explain_cost(struct why *why);

#endif
