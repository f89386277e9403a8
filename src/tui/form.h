/*
 * form.h - what the user works on: the form, its answer, what can be undone, what is
 * pinned.
 *
 * A field is an option (answer/option_rows.h: its label, section, step and explanation are
 * columns of the option's row) and its value one text, "" for the default, exactly what the
 * option of --plan takes. Two fields share one option: GPU "l40s" and GPUs "2" are
 * --gpu l40s:2. There is no second parser: a value is checked by options_text() as on the
 * command line and looked up by the planner.
 *
 * Every change goes through form_set(), which checks it, plans anew by the same functions as
 * --plan (about a millisecond) and keeps the text before for undo. So every number on a
 * screen is one that --plan prints for form_command(), and nothing is computed while drawing.
 *
 * A value that cannot be (no such GPU, no number) is refused and nothing changes. Values
 * that cannot be together (an engine that does not run on this vendor's GPUs) stay; then
 * there is no answer, and form->err says why.
 *
 * To add a field: .form of its option's row and a word of FIELDS. One that is chosen from a
 * list also has a row in form_fields.c.
 */
#ifndef GP_TUI_FORM_H
#define GP_TUI_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/planner.h"
#include "base/err.h"
#include "base/path.h"
#include "plan/terms.h"
#include "tui/toolkit/overlay.h"

/* ---- fields ---- */

/* X(id, option, the columns of its row): in the order of the form. */
#define FIELDS(X)                            \
    X(MODEL, MODEL, form)                    \
    X(PRECISION, PRECISION, form)            \
    X(GPU, GPU, form)                        \
    X(GPUS, GPU, count)                      \
    X(CONTEXT, CONTEXT, form)                \
    X(PROMPT, PROMPT, form)                  \
    X(OUTPUT, OUTPUT, form)                  \
    X(USERS, USERS, form)                    \
    X(RATE, RATE, form)                      \
    X(RESERVE, RESERVE, form)                \
    X(TTFT, TTFT, form)                      \
    X(TPOT, TPOT, form)                      \
    X(THROUGHPUT, THROUGHPUT, form)          \
    X(GOALS, GOALS, form)                    \
    X(TP, TP, form)                          \
    X(PP, PP, form)                          \
    X(EP, EP, form)                          \
    X(REPLICAS, REPLICAS, form)              \
    X(MAX_PP, MAX_PP, form)                  \
    X(ENGINE, ENGINE, form)                  \
    X(KV, KV_PRECISION, form)                \
    X(MAX_SEQS, MAX_NUM_SEQS, form)          \
    X(BATCHED, MAX_BATCHED_TOKENS, form)     \
    X(UTILIZATION, MEMORY_UTILIZATION, form) \
    X(HEADROOM, HEADROOM, form)              \
    X(USED, USED, form)                      \
    X(GPU_LAYERS, GPU_LAYERS, form)          \
    X(CPU_MOE, N_CPU_MOE, form)              \
    X(CPU_OFFLOAD, CPU_OFFLOAD_GB, form)     \
    X(KV_OFFLOAD, KV_OFFLOAD_GB, form)       \
    X(NO_KV, NO_KV_OFFLOAD, form)            \
    X(DRAFT, DRAFT, form)                    \
    X(DRAFTED, SPECULATIVE_TOKENS, form)     \
    X(LORA, LORA, form)                      \
    X(MEASURED, CALIBRATION, form)           \
    X(PRUNE, PRUNE, form)                    \
    X(PRICE, PRICE, form)                    \
    X(BUDGET, BUDGET, form)                  \
    X(PROVIDER, PROVIDER, form)              \
    X(REGION, REGION, form)                  \
    X(DATED, DATED, form)                    \
    X(HOURS, HOURS, form)                    \
    X(ELECTRICITY, ELECTRICITY, form)        \
    X(POWER_CAP, POWER_CAP, form)

#define X(id, ...) FIELD_##id,
enum field { FIELDS(X) FIELD_COUNT };
#undef X

struct field_row {
    enum option_id option;
    const struct option_field *form;
};
extern const struct field_row field_rows[FIELD_COUNT];

/* The field of an option; FIELD_COUNT: it has none. */
enum field field_of(int option);
bool field_is_number(enum field field);
/* The number that the plan took where none is given; < 0: there is none. */
double field_planned(const struct answer *answer, enum field field);

/* ---- values ---- */

#define FORM_VALUE 256
#define MODEL_DEFAULT "8B"

struct form_values {
    const char *profiles;                /* --profiles of the command line; "" = none; borrowed */
    char gpu[FORM_VALUE];                /* GPU and GPUs as --gpu takes them: "l40s:2" */
    char value[FIELD_COUNT][FORM_VALUE]; /* as the option takes it; "" = default */
};

void values_default(struct form_values *values, const char *profiles);
/* Puts a text in that is known to be right. */
void values_set(struct form_values *values, enum field field, const char *text);
/* As options; texts are borrowed. */
void values_write_options(const struct form_values *values, struct options *options);
/* What the options give, each checked likewise; the rest is the default. */
enum gp_status values_of_options(struct planner *planner, const struct options *options,
                                 struct form_values *values, struct gp_err *err);
/* Checks a value by itself, as text and by looking it up, and puts it in. answer: the
 * plan before, NULL = none; it says which GPU a count is of when nobody named one. */
enum gp_status values_put(struct planner *planner, struct form_values *values, enum field field,
                          const char *text, const struct answer *answer, struct gp_err *err);
/* Pairs "option value" into the form, each checked likewise. */
enum gp_status values_options(struct planner *planner, struct form_values *values,
                              const char *given, const struct answer *answer, struct gp_err *err);
/* The best value of this field that still fits, put in, as --solve finds it. */
enum gp_status values_solve(struct planner *planner, struct form_values *values, enum field field,
                            struct gp_err *err);

/* ---- the form ---- */

#define FORM_UNDO 100 /* forms, the one now among them */

struct form_change { /* what a step of undo puts back, or a step of redo */
    enum field field;
    char text[FORM_VALUE];
};

struct form {
    struct planner *planner; /* borrowed */
    struct form_values values;
    struct answer *answer; /* owned; valid when `answered` */
    bool answered;
    struct gp_err err;           /* why there is no answer */
    char shown[FIELD_COUNT][80]; /* what stands in the form: "16 requests", "auto: 2" */
    struct term *why;            /* terms of the answer, made when it is planned */
    int why_count;
    unsigned version; /* grows with every answer */
    struct worker
        *worker;       /* borrowed, set on a terminal: plans; NULL: a change waits for its answer */
    bool planning;     /* the answer is of the values before: see form.c */
    struct task *task; /* of the answer; NULL: none is being planned */
    struct form_job *job; /* the task's */
    struct {
        bool done; /* form_solve() is at its end, and nobody was told */
        enum field field;
        struct gp_err err; /* why there is no value; code GP_OK: it is in the form */
    } solved;

    /* A ring of the changes that led to forms undo_first + 1..undo_last; undo_at is the form
     * now. A step that is undone holds the texts that redo puts back. */
    struct form_step {
        struct form_change *change; /* (count); owned */
        int count;
    } undo[FORM_UNDO];
    int undo_first, undo_at, undo_last;

    bool pinned;
    struct form_values pin_form;
    struct answer *pin;      /* owned */
    struct model *pin_model; /* owned: the planner forgets models nobody asks for */

    char file[GP_PATH_MAX];  /* it was saved to or loaded from; "" = none */
    struct form_values kept; /* as it was then, or when the program began */
};

/* options: what the command line said; without a model the form starts with 8B. Words it
 * cannot use: *err, NULL. */
struct form *form_new(struct planner *planner, const struct options *options, struct gp_err *err);
void form_free(struct form *form);

enum gp_status form_set(struct form *form, enum field field, const char *text, struct gp_err *err);
/* Several at once, one step of undo: pairs "option value", as fixes and `:` give them
 * ("--gpu l40s:2 --kv-precision fp8"). */
enum gp_status form_options(struct form *form, const char *given, struct gp_err *err);
/* The same of a whole command, as form_command() writes it: what is not named has its
 * default; "" resets all. */
enum gp_status form_request(struct form *form, const char *given, struct gp_err *err);
/* The next (+1) or previous (-1) choice, or a number's step; a count's step below 1 is
 * auto. */
enum gp_status form_step(struct form *form, enum field field, int by, struct gp_err *err);
/* What was changed back, with the texts from before; NULL: there was nothing. */
const struct form_step *form_undo(struct form *form);
const struct form_step *form_redo(struct form *form);
void form_pin(struct form *form); /* again: lets go */

/* Puts fix i of the answer into the form. */
enum gp_status form_apply(struct form *form, int i, struct gp_err *err);
/* The best value of this field that still fits, put into it: found at once, or, on a
 * terminal, by the thread that plans, and form_solved() says it. Not while `planning`. An
 * error: this field has no best value. */
enum gp_status form_solve(struct form *form, enum field field, struct gp_err *err);
/* Once after each form_solve(): true when it has come to its end. */
bool form_solved(struct form *form, enum field *field, struct gp_err *err);

/* The same form, answered again: what was measured has changed. On a terminal by the thread
 * that plans. */
void form_again(struct form *form);

/* Takes an answer that has come: true when there was one. */
bool form_poll(struct form *form);

/* What can be chosen for a field, in order; to be freed. details: also what is said
 * about each, which plans every precision, and folders with a model in them below the
 * current one. */
struct choice *form_choices(struct form *form, enum field field, bool details, int *count);
/* What else may be typed, for the chooser; NULL = nothing. */
const char *form_free_text(enum field field);

/* The number that counts for a field: given, or the default that the plan took; < 0
 * when there is none. */
double form_number(const struct form *form, enum field field);
/* Makes form->shown anew. */
void form_show(struct form *form);

/* Writes the list of recent models (form_fields.c) anew when the form was given other models than
 * it began with. */
void recent_models_keep(const struct form *form);

/* The form as options; texts are borrowed from the form. */
void form_write_options(const struct form *form, struct options *options);

/* What it asks and the answer to it, for another thread. */
struct form_copy {
    struct form_values values;
    struct answer answer;
};
void form_copy(const struct form *form, struct form_copy *out); /* of one that is answered */

/* "gpuplan --plan -m 70B -g l40s:2": the command that gives the same answer. */
void form_command(const struct form *form, const char *command, struct strbuf *out);

/* Does it say a count or a layout, so that these are not to be found? */
bool form_lays_out(const struct form *form);
/* Would the form be lost: is it another than the one that is kept? */
bool form_changed(const struct form *form);
/* A saved plan is one request of --batch: {"model": "70B", "gpu": "l40s:2"}. */
enum gp_status form_save(struct form *form, const char *path, struct gp_err *err);
enum gp_status form_load(struct form *form, const char *path, struct gp_err *err);

#endif
