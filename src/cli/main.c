/*
 * main.c - finds the command, parses its options, runs it, writes what it says.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/command.h"
#include "run/devices.h"
#include "util/path.h"

#define VERSION_LINE "gpuplan " GP_VERSION "\n"

static int complain(const struct gp_err *err)
{
    fprintf(stderr, "gpuplan: %s%s%s", err->where, err->where[0] ? ": " : "",
            err->text);
    fprintf(stderr, err->hint[0] ? " (%s)\n" : "\n", err->hint);
    return gp_status_exit(err->code);
}

static int print(struct strbuf *out)
{
    struct gp_err err = {0};
    enum gp_status status = path_write("-", out->text, out->len, &err);
    strbuf_fini(out);
    return status ? complain(&err) : 0;
}

static int no_such_command(const char *name)
{
    struct gp_err err = {0};
    gp_fail(&err, GP_E_USAGE, name, "gpuplan --help lists them",
            "there is no such command");
    return complain(&err);
}

/* --help, --version, --completion SHELL: before any command. -1: none of these. */
static int early(int argc, char **argv, struct gp_err *err)
{
    struct strbuf out;
    const char *first = argv[1];
    bool help = strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 ||
                strcmp(first, "help") == 0;
    strbuf_init(&out);
    if (strcmp(first, "--completion") == 0) {
        if (command_completion(argc > 2 ? argv[2] : "", &out, err))
            return complain(err);
        return print(&out);
    }
    if (help && argc > 2 && !command_find(argv[2]))
        return no_such_command(argv[2]);
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0)
        strbuf_add(&out, VERSION_LINE);
    else if (help)
        command_help(argc > 2 ? command_find(argv[2]) : NULL, &out);
    else
        return -1;
    return print(&out);
}

static int no_command(void)
{
    struct gp_err err = {0};
    gp_fail(&err, GP_E_USAGE, "", "gpuplan --help lists them", "a command is needed");
    return complain(&err);
}

static void warnings(struct invocation *in)
{
    const char *const *lines;
    size_t n = catalog_warnings(planner_catalog(in->planner), &lines);
    for (size_t i = 0; i < n && !in->quiet; i++)
        fprintf(stderr, "gpuplan: %s\n", lines[i]);
}

static int finish(struct invocation *in, struct gp_err *err)
{
    const char *file = ask_word(&in->ask, OPT_OUT, "-");
    warnings(in);
    if (in->command->streams)
        return in->exit_code;
    if (path_write(file, in->out.text, in->out.len, err))
        return complain(err);
    return in->exit_code;
}

static int run(struct invocation *in, int argc, char **argv)
{
    struct gp_err err = {0};
    int code;
    if (command_parse(in, argc, argv, &err))
        return complain(&err);
    if (ask_flag(&in->ask, OPT_HELP)) {
        command_help(in->command, &in->out);
        return print(&in->out);
    }
    if (ask_flag(&in->ask, OPT_VERSION)) {
        strbuf_add(&in->out, VERSION_LINE);
        return print(&in->out);
    }
    in->planner = planner_new(ask_word(&in->ask, OPT_PROFILES, NULL),
                              (long)(time(NULL) / 86400), devices_local);
    code = in->command->run(in, &err) ? complain(&err) : finish(in, &err);
    planner_free(in->planner);
    return code;
}

int main(int argc, char **argv)
{
    struct gp_err err = {0};
    struct invocation in = {0};
    setlocale(LC_CTYPE, "");
    if (argc < 2)
        return no_command();
    int code = early(argc, argv, &err);
    if (code >= 0)
        return code;
    in.command = command_find(argv[1]);
    if (!in.command)
        return no_such_command(argv[1]);
    strbuf_init(&in.out);
    code = run(&in, argc - 2, argv + 2);
    strbuf_fini(&in.out);
    return code;
}
