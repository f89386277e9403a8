/*
 * command.h - what a command is, and what a running one is given.
 *
 * A command is one file cmd_<word>.c that ends in const struct command cmd_<word>, and a
 * row in COMMANDS (option.h). main() parses the command line into a struct invocation,
 * calls run(), and writes `out` to standard output or to --output, whole or not at all.
 * run() never prints and never exits: it leaves its text in out, its verdict in exit_code
 * and its errors in *err.
 */
#ifndef GP_CLI_COMMAND_H
#define GP_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/option.h"
#include "answer/planner.h"
#include "answer/print_plan.h"
#include "answer/record.h"
#include "base/err.h"
#include "base/str.h"

#define INVOCATION_MAX_ARGS 64

struct command;

struct invocation {
    const struct command *command;
    struct options options;
    const char *args[INVOCATION_MAX_ARGS]; /* what is not an option, in order; borrowed */
    int arg_count;
    enum output_format format;
    bool quiet, verbose;
    struct planner *planner;
    struct strbuf out;
    char mixed[160]; /* several GPUs of one plan, as one name */
    int exit_code;   /* 0, or 1 when a plan does not fit */
};

struct command {
    const char *name;    /* "plan": the first argument, with or without dashes */
    const char *usage;   /* what follows the name */
    const char *brief;   /* one line for --help */
    unsigned bit;        /* FOR_PLAN ... of option.h */
    int least, most;     /* arguments that it takes beside options, */
    const char *takes;   /* in words, "one file", */
    const char *example; /* and as a hint */
    const char *text;    /* "a page": prints it as text or JSON, not as a table */
    unsigned one;        /* ONE_MODEL, ...: what it does not take several of, */
    const char *several; /* and what does: "use --compare for several" */
    bool streams;        /* writes its output itself while it works (--batch) */
    bool wraps;          /* its text is for people to read: as wide as the terminal */
    enum gp_status (*run)(struct invocation *in, struct gp_err *err);
};

enum { ONE_MODEL = 1, ONE_PRECISION = 2, ONE_GPU = 4, ONE_EACH = 7 };

extern const struct command *const commands[]; /* ends with NULL */

#define X(word, NAME) extern const struct command cmd_##word;
COMMANDS(X)
#undef X

/* The command of this name, dashes ignored; NULL when there is none. */
const struct command *command_find(const char *name);

/* The error of a first argument that is not a command, with the nearest ones. */
enum gp_status command_unknown(const char *arg, struct gp_err *err);

/* Commands and the common options, or all of them; or the help of one command. */
void command_help(const struct command *command, bool all, struct strbuf *out);

/* A completion script for "bash", "zsh" or "fish". */
enum gp_status command_completion(const char *shell, struct strbuf *out, struct gp_err *err);
/* What may stand in place of the last of these words of a line, as those scripts read it. */
void command_complete(int argc, char **argv, struct strbuf *out);

/* Parses argv after the command's name into in->options and in->args. */
enum gp_status command_parse(struct invocation *in, int argc, char **argv, struct gp_err *err);
/* Does the command take what was given, and so often? */
enum gp_status command_check(const struct invocation *in, struct gp_err *err);

/* To a file or "-", and says what path_write has to say of a file that it wrote. */
enum gp_status command_write(const char *path, const struct strbuf *out, struct gp_err *err);

/* A document as JSON, as one of its words (--quiet; NULL: it has none) or as text. */
static inline void command_print(struct invocation *in, const struct record *doc, const char *quiet,
                                 void (*text)(const struct record *doc, struct strbuf *out))
{
    if (in->format == OUTPUT_JSON)
        record_json(doc, &in->out);
    else if (in->quiet && quiet)
        strbuf_addf(&in->out, "%s\n", record_get(doc, quiet));
    else
        text(doc, &in->out);
}

#endif
