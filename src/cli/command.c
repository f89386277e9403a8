/*
 * command.c - the command table, and parsing a command line by the option table.
 */
#include "cli/command.h"

#include <string.h>

#include "answer/option.h"
#include "base/path.h"
#include "base/say.h"
#include "base/str.h"

#define X(word, NAME) &cmd_##word,
const struct command *const commands[] = {COMMANDS(X) NULL};
#undef X

const struct command *command_find(const char *name)
{
    for (int i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name + strspn(name, "-")) == 0)
            return commands[i];
    return NULL;
}

/* The names of the options that these commands take; returns how many. */
static size_t option_names(unsigned bits, const char *names[OPTION_COUNT])
{
    size_t n = 0;

    for (int i = 0; i < OPTION_COUNT; i++)
        if (option_rows[i].commands & bits)
            names[n++] = option_rows[i].name;
    return n;
}

enum gp_status command_unknown(const char *arg, struct gp_err *err)
{
    const char *names[OPTION_COUNT + 32];
    size_t n = option_names(FOR_SCREEN, names);
    char hint[256];

    /* What went, until the next release. */
    if (strcmp(arg + strspn(arg, "-"), "import-prices") == 0)
        return gp_fail(err, GP_E_USAGE, arg, "python3 tools/import_prices.py FILE >PROFILE",
                       "is a script in the sources now");
    if (strcmp(arg + strspn(arg, "-"), "merge") == 0)
        return gp_fail(err, GP_E_USAGE, arg, "gpuplan --compare-results FILE...",
                       "is part of --compare-results, which takes several files");
    for (int i = 0; commands[i]; i++)
        names[n++] = commands[i]->name;
    names[n++] = "completion";
    if (!spelling_option(arg, "--", names, n, hint, sizeof(hint)))
        gp_format(hint, sizeof(hint),
                  arg[0] == '-' ? "gpuplan --help lists them"
                                : "gpuplan --help lists them; a model: gpuplan --plan -m %.100s",
                  arg);
    return gp_fail(err, GP_E_USAGE, arg, hint, "unknown command%s",
                   arg[0] == '-' ? " or option" : "");
}

/* ---- parsing ---- */

static bool is_command(const char *arg)
{
    return strncmp(arg, "--", 2) == 0 && command_find(arg);
}

/* "-m 70B --plan" is a command that stands too late. */
static enum gp_status too_late(const char *arg, struct gp_err *err)
{
    char hint[256];

    gp_format(hint, sizeof(hint), "gpuplan %.60s, and then the options", arg);
    return gp_fail(err, GP_E_USAGE, arg, hint, "a command is the first argument");
}

/* The command's own options first, then those of others. */
static enum gp_status unknown_option(const struct command *command, const char *arg,
                                     struct gp_err *err)
{
    const char *names[OPTION_COUNT];
    char hint[256];
    size_t own = option_names(command->bit, names);

    if (is_command(arg))
        return too_late(arg, err);
    if (!spelling_option(arg, "--", names, own, hint, sizeof(hint)) &&
        !spelling_option(arg, "--", names, option_names(~0u, names), hint, sizeof(hint)))
        gp_copy(hint, sizeof(hint), "see gpuplan --help");
    return gp_fail(err, GP_E_USAGE, arg, hint, "unknown option");
}

/* Without a command there are the screens, which nobody has to have meant. */
static enum gp_status not_taken(const struct command *command, const char *typed,
                                struct gp_err *err)
{
    char where[80], hint[80];

    gp_format(where, sizeof(where), "%.*s", (int)strcspn(typed, "="), typed);
    gp_format(hint, sizeof(hint), "gpuplan help %s lists its options", command->name);
    if (command == &cmd_screen)
        return gp_fail(err, GP_E_USAGE, where, "gpuplan --plan, and then the options",
                       "is an option of commands");
    return gp_fail(err, GP_E_USAGE, where, hint, "--%s does not take this option", command->name);
}

/* A dash alone and a negative number are none. */
static bool is_option(const char *arg)
{
    char name[64];
    const char *value;

    return arg[0] == '-' && arg[1] != '\0' && option_split(arg, name, sizeof(name), &value) >= 0;
}

static enum gp_status take_option(struct invocation *in, int argc, char **argv, int *i,
                                  struct gp_err *err)
{
    char name[64], where[80];
    const char *value;
    int id = option_split(argv[*i], name, sizeof(name), &value);

    if (id < 0)
        return unknown_option(in->command, argv[*i], err);
    const struct option_row *row = &option_rows[id];
    gp_format(where, sizeof(where), "--%s", row->name);
    for (int j = *i + 1; !(row->commands & in->command->bit) && j < argc; j++)
        if (is_command(argv[j]))
            return too_late(argv[j], err);
    if (!(row->commands & in->command->bit))
        return not_taken(in->command, argv[*i], err);
    if (row->type == OPTION_FLAG) {
        if (value)
            return gp_fail(err, GP_E_USAGE, where, "leave the value out", "takes no value");
        value = "";
    } else if (!value) {
        if (*i + 1 >= argc || is_option(argv[*i + 1]))
            return gp_fail(err, GP_E_USAGE, where, row->help, "needs a value: %s", row->argument);
        value = argv[++*i];
    }
    if (id == OPT_OUT && gp_has_word("yaml|yml|wide|table", "|", value))
        return gp_fail(err, GP_E_USAGE, where, "did you mean -f json? ./NAME is a file",
                       "'%s' is no format", value);
    if (id == OPT_OUT && option_has_choice(OPT_FORMAT, value)) {
        log_line("gpuplan: --output %s: taken as --format %s (for a file of that name: ./%s)",
                 value, value, value);
        id = OPT_FORMAT;
        row = &option_rows[id];
    }
    if (in->options.value[id].given && !row->many && row->type != OPTION_FLAG)
        return options_twice(where, err);
    return options_text(&in->options, (enum option_id)id, where, value, err);
}

/* A name that stands alone is most likely a model's. */
static const char *argument_hint(const struct invocation *in, char *hint, size_t size)
{
    if (!(option_rows[OPT_MODEL].commands & in->command->bit) || in->options.model_count > 0)
        return "options begin with dashes";
    gp_format(hint, size, "-m %.120s", in->args[0]);
    return hint;
}

enum gp_status command_check(const struct invocation *in, struct gp_err *err)
{
    const struct command *c = in->command;
    const struct options *o = &in->options;
    const char *twice = c->one & ONE_MODEL && o->model_count > 1           ? "--model"
                        : c->one & ONE_PRECISION && o->precision_count > 1 ? "--precision"
                        : c->one & ONE_GPU && o->gpu_count > 1             ? "--gpu"
                                                                           : NULL;
    char where[40], hint[160];

    gp_format(where, sizeof(where), "--%s", c->name);
    if (c->most == 0 && in->arg_count > 0)
        return gp_fail(err, GP_E_USAGE, in->args[0], argument_hint(in, hint, sizeof(hint)),
                       "%s takes no arguments", where);
    if (in->arg_count < c->least || in->arg_count > c->most)
        return gp_fail(err, GP_E_USAGE, where, c->example, "%s %s",
                       in->arg_count < c->least ? "needs" : "takes", c->takes);
    if (c->text && (in->format == OUTPUT_CSV || in->format == OUTPUT_MARKDOWN))
        return gp_fail(err, GP_E_USAGE, "--format", "text or json",
                       "%s cannot be printed as a table", c->text);
    if (in->format == OUTPUT_PROMETHEUS && !(c->bit & (FOR_BENCH | FOR_COMPARE_RESULTS)))
        return gp_fail(err, GP_E_USAGE, "--format", "text, json, csv or markdown",
                       "prometheus is for measurements");
    if (twice)
        return gp_fail(err, GP_E_USAGE, twice, c->several, "--%s takes one", c->name);
    return GP_OK;
}

/* "-g rtx-5090 -g rtx-5070-ti" of one plan are its GPUs. */
static void join_gpus(struct invocation *in)
{
    struct options *o = &in->options;

    if (o->gpu_count < 2 || !(in->command->bit & (FOR_PLAN | FOR_LAUNCH)) || o->gpu_count > 8)
        return;
    for (int i = 0; i < o->gpu_count; i++)
        gp_append(in->mixed, sizeof(in->mixed), "+", "%.40s", o->gpus[i]);
    o->gpus[0] = in->mixed;
    o->gpu_count = 1;
    o->value[OPT_GPU].text = in->mixed;
}

enum gp_status command_parse(struct invocation *in, int argc, char **argv, struct gp_err *err)
{
    enum gp_status rc = GP_OK;
    bool only_args = false;

    for (int i = 0; i < argc && !rc; i++) {
        bool option = !only_args && argv[i][0] == '-' && argv[i][1] != '\0';

        if (option && strcmp(argv[i], "--") == 0) {
            only_args = true;
        } else if (option) {
            rc = take_option(in, argc, argv, &i, err);
        } else if (in->arg_count >= INVOCATION_MAX_ARGS) {
            rc = gp_fail(err, GP_E_USAGE, argv[i], "", "too many arguments");
        } else {
            in->args[in->arg_count++] = argv[i];
        }
    }
    in->format = (enum output_format)options_choice(&in->options, OPT_FORMAT);
    in->quiet = options_flag(&in->options, OPT_QUIET);
    in->verbose = options_flag(&in->options, OPT_VERBOSE);
    if (!rc)
        join_gpus(in);
    return rc;
}

/* ---- help ---- */

static void help_option(int id, struct strbuf *out)
{
    const struct option_row *row = &option_rows[id];
    char key[8] = "    ", left[64];

    if (row->key)
        gp_format(key, sizeof(key), "-%c, ", row->key);
    gp_format(left, sizeof(left), "%s--%s%s%s", key, row->name, row->argument ? " " : "",
              row->argument ? row->argument : "");
    strbuf_addf(out, "  %-30s %s", left, row->help);
    if (row->choices)
        strbuf_add(out, " (");
    for (const char *c = row->choices; c && *c; c++)
        strbuf_addf(out, "%s%c", *c == '|' ? "," : "", *c == '|' ? ' ' : *c);
    if (row->choices)
        strbuf_addc(out, ')');
    if (row->type != OPTION_FLAG && strcmp(row->fallback, "none") != 0)
        strbuf_addf(out, " [%s]", row->fallback);
    strbuf_add(out, "\n");
}

/* The options of some commands under the headings of their groups. */
static void help_options(unsigned bits, bool common, struct strbuf *out)
{
    const char *group = "";

    for (int i = 0; i < OPTION_COUNT; i++) {
        const struct option_row *row = &option_rows[i];

        group = row->group ? row->group : group;
        if (row->manual_only || !(row->commands & bits) || (common && !row->common))
            continue;
        if (group[0])
            strbuf_addf(out, "\n%s:\n", group);
        group = "";
        help_option(i, out);
    }
}

void command_help(const struct command *command, bool all, struct strbuf *out)
{
    if (command) {
        strbuf_addf(out, "usage: gpuplan --%s %s\n      %s\n", command->name, command->usage,
                    command->brief);
        help_options(command->bit, false, out);
        return;
    }
    strbuf_add(out, "gpuplan - plan GPU inference and measure GPUs: memory, count, cost\n\n"
                    "usage: gpuplan [OPTION]...             screens, on a terminal\n"
                    "       gpuplan --COMMAND [OPTION]...\n\ncommands:\n");
    for (int i = 0; commands[i]; i++)
        if (all)
            strbuf_addf(out, "  --%s %s\n      %s\n", commands[i]->name, commands[i]->usage,
                        commands[i]->brief);
        else
            strbuf_addf(out, "  --%-15s  %s\n", commands[i]->name, commands[i]->brief);
    help_options(~0u, !all, out);
    strbuf_add(out, "\nexit codes: 0 fits, 1 does not fit, 2 usage, 3 bad file, 4 no device,\n"
                    "  5 wrong or flagged, 6 nothing measured, 130 or 143 interrupted\n"
                    "example: gpuplan --plan -m llama-3.1-70b -p fp8 -g h100-sxm -c 8k -u 16\n");
    if (!all)
        strbuf_addf(out,
                    "%d options in all: gpuplan help all; of one command: gpuplan help plan, "
                    "gpuplan help bench\n",
                    OPTION_COUNT);
    strbuf_add(out, "manual: gpuplan(1), which names the others\n");
}

enum gp_status command_write(const char *path, const struct strbuf *out, struct gp_err *err)
{
    struct gp_err own = {0};
    char line[GP_ERR_LINE];

    if (path_write(path, out->text, out->len, &own) != GP_OK)
        *err = own;
    else if (own.text[0])
        log_line("gpuplan: %s", gp_err_line(&own, line));
    return own.code;
}
