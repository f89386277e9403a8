/*
 * form.h - what the user works on: the form, its answer, what can be undone, what is
 * pinned.
 *
 * The form is a small value: one text per field, "" for the default, exactly what the
 * options of --plan take. Every change goes through form_set(), which checks it, plans
 * anew by the same functions as --plan (about a millisecond) and keeps the form before
 * in a ring for undo. So every number on a screen is one that --plan prints for
 * form_command(), and nothing is computed while drawing.
 *
 * A value that cannot be (no such GPU, no number) is refused and nothing changes. Values
 * that cannot be together (an engine that does not run on this vendor's GPUs) stay; then
 * there is no answer, and form->err says why.
 */
#ifndef GP_TUI_FORM_H
#define GP_TUI_FORM_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/planner.h"
#include "base/err.h"
#include "base/path.h"
#include "plan/terms.h"
#include "tui/form_values.h"
#include "tui/toolkit/overlay.h"

#define FORM_UNDO 100

struct form {
    struct planner *planner; /* borrowed */
    struct form_values values;
    char gpu_option[FORM_VALUE]; /* GPU and GPUs as --gpu takes them: "l40s:2" */
    char profiles[GP_PATH_MAX];  /* --profiles of the command line; "" = none */
    struct answer *answer;       /* owned; valid when `answered` */
    bool answered;
    struct gp_err err;           /* why there is no answer */
    char shown[FIELD_COUNT][80]; /* what stands in the form: "16 requests", "auto: 2" */
    struct term *why;            /* terms of the answer, made when it is planned */
    int why_count;
    unsigned version;      /* grows with every answer */
    struct worker *worker; /* borrowed; NULL: a change waits for its answer */
    bool planning;         /* the answer is of the values before: see form_job.h */
    struct task *task;     /* of the answer; NULL: none is being planned */
    struct form_job *job;  /* the task's */
    struct {
        bool done; /* form_solve() is at its end, and nobody was told */
        enum field field;
        struct gp_err err; /* why there is no value; code GP_OK: it is in the form */
    } solved;

    struct form_values undo[FORM_UNDO]; /* a ring: undo_at is the form now */
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
 * default. */
enum gp_status form_request(struct form *form, const char *given, struct gp_err *err);
/* The next (+1) or previous (-1) choice, or a number's step; a count's step below 1 is
 * auto. */
enum gp_status form_step(struct form *form, enum field field, int by, struct gp_err *err);
enum gp_status form_reset(struct form *form, enum field field, struct gp_err *err);
enum gp_status form_reset_all(struct form *form, struct gp_err *err);
bool form_undo(struct form *form);
bool form_redo(struct form *form);
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

/* From now on changes are planned by this worker (form_job.h), which lives longer. */
void form_background(struct form *form, struct worker *worker);
/* Takes an answer that has come: true when there was one. */
bool form_poll(struct form *form);
/* For form_job.c: what is made of a new answer; values put in as one step
 * of undo, not planned yet; false: the form has them. */
void form_answered(struct form *form);
bool form_take(struct form *form, const struct form_values *values);

/* What can be chosen for a field, in order; to be freed. details: also what is said
 * about each, which plans every precision, and folders with a model in them below the
 * current one. */
struct choice *form_choices(struct form *form, enum field field, bool details, int *count);
/* What else may be typed, for the chooser; NULL = nothing. */
const char *form_free_text(enum field field);

/* The number that counts for a field: given, or the default that the plan took; < 0
 * when there is none. (field.c) */
double form_number(const struct form *form, enum field field);
/* Makes form->shown anew. (field.c) */
void form_show(struct form *form);

/* The form as options; texts are borrowed from the form. */
void form_ask(const struct form *form, struct options *options);

/* What it asks and the answer to it, for another thread. */
struct form_copy {
    struct form_values values;
    char gpu_option[FORM_VALUE], profiles[GP_PATH_MAX];
    struct answer answer;
};
void form_copy(const struct form *form, struct form_copy *out); /* of one that is answered */
void form_copy_ask(const struct form_copy *copy, struct options *options);

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
