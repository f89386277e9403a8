/*
 * terms_list.h - how terms are written down: inputs by name first, then the terms.
 *
 *   input_bytes(&terms, "usable", memory->usable);
 *   input_number(&terms, "utilization", 0.92, "request");
 *   term_add(&terms, "budget", "budget", "utilization * usable", memory->budget, "GiB",
 *            source_engine(engine, TERM_BUDGET), "utilization, usable");
 *
 * An input is known once and named by every term that has it; a term leaves out those
 * of its inputs that are 0 or empty. The last of a name wins, and inputs_truncate() takes
 * back those of a loop. A name that stands for nothing known is shown as it is: "no
 * head on this stage".
 */
#ifndef GP_PLAN_TERMS_LIST_H
#define GP_PLAN_TERMS_LIST_H

#include <stdbool.h>

#include "plan/plan.h"
#include "plan/terms.h"

#define KNOWN_MAX 256

struct terms {
    const struct plan *plan;
    struct term *term; /* TERMS_MAX of them */
    int count;
    struct term_input known[KNOWN_MAX];
    int known_count;
};

/* symbol: what equations call it, an input of later terms unless one of that name is
 * known. value: in SI where the unit is GiB, else in the unit. inputs: names, ", "
 * between. */
void term_add(struct terms *terms, const char *name, const char *symbol, const char *equation,
              struct quantity value, const char *unit, struct term_source source,
              const char *inputs);

/* origin NULL: not told. */
void input_number(struct terms *terms, const char *name, double number, const char *origin);
void input_unit(struct terms *terms, const char *name, double number, const char *unit,
                const char *origin);
void input_bytes(struct terms *terms, const char *name, struct quantity bytes);
void input_exact(struct terms *terms, const char *name, double bytes);
void input_money(struct terms *terms, const char *name, struct quantity dollars, const char *unit,
                 const char *origin);
void input_word(struct terms *terms, const char *name, const char *word);
/* The last term is of a part of what its name says: "mlp", "sliding" of 52 layers. */
void term_is_part(struct terms *terms, const char *part, int layers);
/* A number behind that name. */
void term_has_size(struct terms *terms, const char *before, int number);
/* The last one becomes an input of the last term, `times` of it, and is forgotten. */
void term_takes_last(struct terms *terms, int times);
/* Takes back all but the first `count`. */
void inputs_truncate(struct terms *terms, int count);

struct term_source source_engine(const struct engine *engine, enum engine_term term);
/* Of a rule that has its own evidence, else of another. */
struct term_source source_rule(const struct engine *engine, enum engine_term term,
                               enum engine_term other);
struct term_source source_model(const struct model *model);
struct term_source source_gpu(const struct gpu *gpu);
struct term_source source_text(const char *name, const char *text);
/* An equation of gpuplan's own. */
struct term_source source_counted(const char *what);

/* terms_speed.c: the terms of speed/. */
void terms_speed(struct terms *terms);
/* terms_power.c: those of power.h and usage.h. */
void terms_power(struct terms *terms);

#endif
