/*
 * option.h - the one table of options: command line, --help, completion, --batch keys
 * and the form of the terminal front end all read it.
 *
 * An option has a name ("max-num-seqs"; the --batch key is the same with underscores),
 * a type with unit and range, a default as it is explained to people, the commands it
 * belongs to, and one line of help. struct options holds the values that were given, checked
 * for type and range but not yet looked up; planner.h turns them into a request.
 *
 * One name has two meanings: --output 256 is a number of tokens, --output plan.json a
 * file (./256 for a file of that name).
 */
#ifndef GP_ANSWER_OPTION_H
#define GP_ANSWER_OPTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "plan/solve.h"

enum option_id {
#define OPTION(id, ...) OPT_##id,
#include "answer/option_rows.h"
#undef OPTION
    OPTION_COUNT
};

enum option_type {
    OPTION_FLAG,
    OPTION_TEXT,    /* looked up later */
    OPTION_WORD,    /* one of `choices` */
    OPTION_COUNTED, /* a whole number, or "auto" where the default says so */
    OPTION_TOKENS,  /* 8192, 8k, 1M */
    OPTION_NUMBER,
    OPTION_BYTES, /* 2GiB */
    OPTION_PATH
};

/* The commands in the order of --help: cmd_<word> of src/cli/, and its bit FOR_<NAME>. */
#define COMMANDS(X)                     \
    X(plan, PLAN)                       \
    X(compare, COMPARE)                 \
    X(table, TABLE)                     \
    X(pool, POOL)                       \
    X(list, LIST)                       \
    X(show, SHOW)                       \
    X(batch, BATCH)                     \
    X(confirm, CONFIRM)                 \
    X(replay, REPLAY)                   \
    X(launch, LAUNCH)                   \
    X(check_plan, CHECK_PLAN)           \
    X(report, REPORT)                   \
    X(check_log, CHECK_LOG)             \
    X(attach, ATTACH)                   \
    X(import_model, IMPORT_MODEL)       \
    X(data, DATA)                       \
    X(bench, BENCH)                     \
    X(compare_results, COMPARE_RESULTS) \
    X(merge, MERGE)                     \
    X(screen, SCREEN)

enum {
#define X(word, NAME) COMMAND_##NAME,
    COMMANDS(X)
#undef X
        COMMAND_COUNT
};

enum { /* bits: which commands take an option */
#define X(word, NAME) FOR_##NAME = 1 << COMMAND_##NAME,
       COMMANDS(X)
#undef X
           FOR_REQUEST = FOR_PLAN | FOR_REPORT | FOR_COMPARE | FOR_TABLE | FOR_LAUNCH | FOR_BENCH |
                         FOR_SCREEN | FOR_CHECK_LOG | FOR_ATTACH | FOR_CONFIRM | FOR_REPLAY,
       FOR_ALL = (1 << COMMAND_COUNT) - 1,
       FOR_PRINTING = FOR_ALL & ~FOR_SCREEN
};

/* Where a plan has the number that holds when none is given. */
struct option_planned {
    enum { PLANNED_NOWHERE, PLANNED_INT, PLANNED_DOUBLE, PLANNED_MEMORY } kind; /* a double there */
    size_t offset;                                                              /* in a plan */
    double scale;
};

/* How an option stands on the form of the screens. */
struct option_field {
    const char *label;   /* "Weights"; NULL: it has no field */
    const char *section; /* heading before it; NULL: none */
    const char *unit;    /* behind its number; NULL: the option's, "": none */
    double step;         /* of a number; 0: x2 and /2 (tokens, users) */
    enum solve solve;    /* what `s` solves for; SOLVE_NONE: cannot */
    struct option_planned planned;
    /* Two lines of at most 76 columns: what it is, and the equation or rule by which it counts,
     * in the symbols of gpuplan-model(7). */
    const char *explain;
    const char *terms[3]; /* what the names of the terms it goes into begin with */
};

struct option_row {
    const char *name; /* without dashes */
    char key;         /* one-letter form, or 0 */
    enum option_type type;
    const char *argument; /* "TOKENS"; NULL for a flag */
    char unit[12];        /* "tokens", "GiB", "" */
    double low, high;     /* range of numbers, inclusive; of a text: numbers with commas */
    const char *choices;  /* "text|json|csv|markdown", or NULL */
    const char *fallback; /* the default, in words */
    unsigned commands;
    const char *group; /* heading of --help before it; NULL: that of the row above */
    bool common;       /* one of the few that --help without a word shows */
    bool many;         /* may be given several times */
    bool manual_only;  /* only the author of a kernel sets it: not in --help and the like */
    const char *help;
    struct option_field form;
    struct option_field count; /* of what stands behind its colon: "l40s:2" */
};

extern const struct option_row option_rows[OPTION_COUNT];

#define OPTIONS_MAX_MANY 160 /* models, precisions and GPUs in one request */

struct option_value {
    bool given;
    const char *text; /* borrowed; NULL when it was given as a number */
    double number;    /* of numeric types; 0 = auto */
};

struct options {
    struct option_value value[OPTION_COUNT];
    const char *models[OPTIONS_MAX_MANY]; /* all values of --model, in order */
    const char *precisions[OPTIONS_MAX_MANY];
    const char *gpus[OPTIONS_MAX_MANY];
    int model_count, precision_count, gpu_count;
    bool running; /* of a server that runs: what is not given is the engine's own */
};

/* The row whose name (or key, when the text is one letter) this is; -1 if none. Dashes
 * and underscores are the same. */
int option_find(const char *name);

/* Sets one option, checking type and range. where names it in messages ("--context",
 * "line 3: context"). text is borrowed. */
enum gp_status options_text(struct options *options, enum option_id id, const char *where,
                            const char *text, struct gp_err *err);
enum gp_status options_number(struct options *options, enum option_id id, const char *where,
                              double value, struct gp_err *err);

/* Is the word one of the choices of this option? */
bool option_has_choice(enum option_id id, const char *word);

/* The error of an option that may be given once. */
enum gp_status options_twice(const char *where, struct gp_err *err);

/* Fails with `why` when an option of fine-tuning was given. */
enum gp_status options_inference(const struct options *options, const char *why,
                                 struct gp_err *err);

/* The command line of the same request with `changes` ("--gpu h200-sxm:8 --tp auto") in
 * place of what was given: "gpuplan --COMMAND ...", ready to paste into a shell. */
void options_command(const struct options *options, const char *command, const char *changes,
                     struct strbuf *out);

/* A word as it is typed, "--users=16", "users=16", "-u16" or "-u=16", as the option's name with
 * its dashes and the value in it, NULL: none. The option's id, -1: unknown. */
int option_split(const char *word, char *name, size_t size, const char **value);
/* The option that such a word names, "-users" among them; -1: none. */
int option_find_word(const char *word);
/* Does the text say what holds where nothing is given: "auto", or the default's word? */
bool option_means_default(enum option_id id, const char *text);

bool options_flag(const struct options *options, enum option_id id);
/* The number given, or `fallback`. */
double options_or(const struct options *options, enum option_id id, double fallback);
/* The place of the word given, or of the default, among the row's choices, which are in
 * the order of their enum; -1 when it is none of them. */
int options_choice(const struct options *options, enum option_id id);
/* The choice at that place, as answers print what was used; "none" for -1. */
#define OPTION_CHOICE_MAX 24
const char *option_choice(enum option_id id, int place, char word[OPTION_CHOICE_MAX]);
/* The word given, or `fallback`. */
const char *options_word(const struct options *options, enum option_id id, const char *fallback);

/* How else options and counts are written: engines' flags, other planners'
 * words, "8xH200". For messages only: what is said here is suggested, never accepted.
 *
 * "did you mean --context TOKENS?" for an option that is not in the table; dashes is what stands
 * before its name: "--", or "" where there is no command line. names[count] are the names that may
 * be meant here, options' or others. False and "" when none is near. */
bool spelling_option(const char *text, const char *dashes, const char *const *names, size_t count,
                     char *hint, size_t size);

/* "8xH200", "H100 x8", "H100 8x", "8*l40s", "2 x a100 80gb" and "dual-3090" as a name and a count;
 * false when the text is none of these. */
bool spelling_count(const char *text, char *name, size_t size, int *count);

#endif
