/*
 * main.c - finds the command, parses its options, runs it, writes its output. Without
 * a command, on a terminal, it shows the screens.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/path.h"
#include "base/say.h"
#include "cli/command.h"
#include "measure/devices.h"
#include "plan/cost.h"

static int report_failure(const struct gp_err *err)
{
    char line[GP_ERR_LINE];

    gp_say("gpuplan: %s", gp_err_line(err, line));
    return gp_status_exit(err->code);
}

static int print_text(struct strbuf *out)
{
    struct gp_err err = {0};
    enum gp_status rc = path_write("-", out->text, out->len, &err);

    strbuf_fini(out);
    return rc ? report_failure(&err) : 0;
}

static int no_such_command(const char *name)
{
    struct gp_err err = {0};

    command_unknown(name, &err);
    return report_failure(&err);
}

static bool is_quiet(const char *arg)
{
    return strcmp(arg, "-q") == 0 || strcmp(arg, "--quiet") == 0;
}

/* --help, --version, --completion SHELL: before any command. -1: none of these. */
static int run_early(int argc, char **argv, struct gp_err *err)
{
    struct strbuf out;
    const char *first = argv[1];
    bool help =
        strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0;

    strbuf_init(&out);
    if (strcmp(first, "--completion") == 0 || strcmp(first, "completion") == 0) {
        if (command_completion(argc > 2 ? argv[2] : "", &out, err))
            return report_failure(err);
        return print_text(&out);
    }
    if (strcmp(first, "--complete") == 0) {
        command_complete(argc - 2, argv + 2, &out);
        return print_text(&out);
    }
    if (help && argc > 2 && !command_find(argv[2]))
        return no_such_command(argv[2]);
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0 ||
        strcmp(first, "version") == 0)
        command_version(NULL, argc > 2 && is_quiet(argv[2]), &out);
    else if (help)
        command_help(argc > 2 ? command_find(argv[2]) : NULL, &out);
    else
        return -1;
    return print_text(&out);
}

/* "-m", "-m70B", "--model", "--model=70B" */
static bool is_option(const char *arg)
{
    char name[64];
    bool whole = strncmp(arg, "--", 2) == 0;

    if (arg[0] != '-' || !arg[1])
        return false;
    gp_format(name, sizeof(name), "%.*s", whole ? (int)strcspn(arg + 2, "=") : 1,
              arg + (whole ? 2 : 1));
    return option_find(name) >= 0;
}

/* The command, and how many arguments its name took: none when no command is named. */
static const struct command *choose_command(int argc, char **argv, int *used)
{
    const struct command *command = argc > 1 ? command_find(argv[1]) : NULL;

    *used = command ? 1 : 0;
    return argc < 2 || (!command && is_option(argv[1])) ? &cmd_screen : command;
}

/* Days since 1970-01-01; $GPUPLAN_NOW (2026-11-21) makes it another day. -1: it is set,
 * but no date. */
static long today_days(void)
{
    const char *now = getenv("GPUPLAN_NOW");

    return now && now[0] ? date_days(now) : (long)(time(NULL) / 86400);
}

static void print_warnings(struct invocation *in)
{
    const char *const *lines;
    size_t n = catalog_warnings(planner_catalog(in->planner), &lines);

    for (size_t i = 0; i < n && !in->quiet; i++)
        gp_say("gpuplan: %s", lines[i]);
}

static int finish_run(struct invocation *in, struct gp_err *err)
{
    const char *file = options_word(&in->options, OPT_OUT, "-");

    print_warnings(in);
    if (in->command->streams)
        return in->exit_code;
    if (path_write(file, in->out.text, in->out.len, err))
        return report_failure(err);
    return in->exit_code;
}

static int run_command(struct invocation *in, int argc, char **argv)
{
    struct gp_err err = {0};
    int code;

    if (command_parse(in, argc, argv, &err))
        return report_failure(&err);
    if (options_flag(&in->options, OPT_HELP)) {
        command_help(in->command, &in->out);
        return print_text(&in->out);
    }
    if (options_flag(&in->options, OPT_VERSION)) {
        command_version(options_word(&in->options, OPT_PROFILES, NULL), in->quiet, &in->out);
        return print_text(&in->out);
    }
    if (command_check(in, &err))
        return report_failure(&err);
    if (today_days() < 0) {
        gp_fail(&err, GP_E_USAGE, "GPUPLAN_NOW", "write it as in 2026-11-21, or unset it",
                "is not a date");
        return report_failure(&err);
    }
    in->planner =
        planner_new(options_word(&in->options, OPT_PROFILES, NULL), today_days(), devices_local);
    code = in->command->run(in, &err) ? report_failure(&err) : finish_run(in, &err);
    planner_free(in->planner);
    return code;
}

int main(int argc, char **argv)
{
    struct gp_err err = {0};
    struct invocation in = {0};

    setlocale(LC_CTYPE, "");
    signal(SIGXFSZ, SIG_IGN); /* a file that becomes too large is an error */
    int used, code = argc > 1 ? run_early(argc, argv, &err) : -1;
    if (code >= 0)
        return code;
    in.command = choose_command(argc, argv, &used);
    if (!in.command)
        return no_such_command(argv[1]);
    strbuf_init(&in.out);
    code = run_command(&in, argc - 1 - used, argv + 1 + used);
    strbuf_fini(&in.out);
    return code;
}
