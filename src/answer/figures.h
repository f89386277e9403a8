/*
 * figures.h - the figures of an answer, each once: what every notation and every screen walks.
 *
 * A figure has a key (JSON), a label (people), a group, a value with band and origin, a unit for
 * either, decimals, and how an amount of it is written. figure_rows[] holds all of that but the
 * value, which figure_value() takes from the plan; figures_of() lists those that people are
 * shown, in order, with their notes. JSON, CSV and Markdown, the text of --plan, the tiles of a
 * page, the rows of --compare and the panels take their figures from here.
 *
 * Memory is that of one GPU: what there is (physical, usable, budget), what takes it up, what is
 * free or short, what stays in host memory. Figures whose role fills (figure_fills) add up with
 * `free`, or less `short`, to usable.
 *
 * Example: Llama-3.1-8B on an H100: FIGURE_TPOT is "tpot" of 0.0072 s in JSON, "TPOT" of 7.20 ms
 * in CSV, "7.20 ms" with "5.3..9.1 ms" in text.
 */
#ifndef GP_ANSWER_FIGURES_H
#define GP_ANSWER_FIGURES_H

#include <stdbool.h>

#include "answer/record.h"
#include "base/texts.h"
#include "plan/plan.h"

/* In the order they are shown. */
enum figure_id {
    FIGURE_PHYSICAL,
    FIGURE_USABLE,
    FIGURE_BUDGET,
    FIGURE_WEIGHTS,
    FIGURE_DRAFT, /* of the weights */
    FIGURE_LORA,
    FIGURE_POOL,       /* what is left for the KV cache, never below 0 */
    FIGURE_POOL_SHORT, /* how much is lacking where the rest overruns the budget */
    FIGURE_KV,
    FIGURE_STATE,
    FIGURE_KV_RESERVED,
    FIGURE_KV_BLOCKS, /* reserved beyond what the tokens and states take */
    FIGURE_ACTIVATION,
    FIGURE_NON_TORCH,
    FIGURE_GRAPHS_CHARGED,
    FIGURE_GRAPHS,
    FIGURE_FREE,
    FIGURE_HOST,
    FIGURE_HOST_KV,
    FIGURE_TABLES,
    FIGURE_TTFT,
    FIGURE_TPOT,
    FIGURE_TOKENS,
    FIGURE_REQUESTS,
    FIGURE_FULL, /* requests/s where pool and slots are full */
    FIGURE_LATE, /* percentiles at a rate, as many as enum late has */
    FIGURE_LATE_LAST = FIGURE_LATE + LATE_COUNT - 1,
    FIGURE_USED_SHARE,
    FIGURE_POWER,
    FIGURE_JOULES,
    FIGURE_HOUR,
    FIGURE_MONTH,
    FIGURE_MILLION,
    FIGURE_COUNT
};

enum figure_group { FIGURES_MEMORY, FIGURES_SPEED, FIGURES_COST };

enum part_role {
    PART_LIMIT, /* no part of the sum */
    PART_WEIGHTS,
    PART_KV,
    PART_ACTIVATION,
    PART_RUNTIME, /* context, libraries, CUDA graphs */
    PART_FREE,
    PART_ROLE_COUNT
};

enum figure_style { AS_GIB, AS_TIME, AS_RATE, AS_SHARE, AS_JOULES, AS_WATTS, AS_MONEY };

struct figure_row {
    size_t at;        /* of its quantity in struct plan; 0: computed */
    const char *key;  /* in JSON; NULL: not there */
    const char *unit; /* ... in which it is value / divide */
    double divide;
    const char *label; /* for people; NULL: JSON alone */
    const char *shown; /* their unit, in which it is value / scale */
    double scale;
    int decimals;
    enum figure_group group;
    enum part_role role;
    enum figure_style style;
};
extern const struct figure_row figure_rows[FIGURE_COUNT];

/* Of a plan that has a memory; in SI. Unknown where the plan has no such figure. */
struct quantity figure_value(const struct plan *plan, enum figure_id id);

/* In JSON; that of a model which answers a prompt with a vector or a score is of prompts. */
const char *figure_key(const struct plan *plan, enum figure_id id);
/* The fact of a figure's key in a record of such a model, too; NULL: it has none. */
const struct fact *figure_find(const struct record *record, const char *key);

/* first..last as facts of JSON. */
void figures_json(const struct plan *plan, enum figure_id first, enum figure_id last,
                  struct record *out);
/* One of memory, which may be that of another pipeline stage. */
void figure_json_memory(const struct memory *memory, enum figure_id id, struct record *out);

struct figure {
    enum figure_id id;
    const char *label;
    const char *shown; /* its unit for people */
    struct quantity value;
    enum part_role role;
    const char *note; /* "" = none */
};

struct figures {
    struct figure list[FIGURE_COUNT];
    int count;
    struct texts texts; /* the notes */
};

/* What people are shown of a plan; none where it has no memory. */
void figures_of(const struct plan *plan, struct figures *out);
void figures_fini(struct figures *figures);

/* Does it take up memory of the GPU? */
static inline bool figure_fills(const struct figure *f)
{
    return figure_rows[f->id].group == FIGURES_MEMORY && f->role != PART_LIMIT &&
           f->role != PART_FREE;
}

/* "22.8 ms", "61.34 GiB", "$2.29"; and its band in the same unit, "17.0..32.5 ms", "" where
 * there is none to tell of. */
const char *figure_amount(enum figure_style style, struct quantity value, struct texts *texts);
const char *figure_band(enum figure_style style, struct quantity value, struct texts *texts);

/* As a fact for people: label, value in their unit, note. */
void figure_fact(const struct figure *figure, struct record *out);

#endif
