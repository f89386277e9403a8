/*
 * main.c - finds the command, parses its options, runs it, writes its output. Without
 * a command, on a terminal, it shows the screens.
 */
#include <locale.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "answer/report.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/say.h"
#include "base/wrap.h"
#include "catalog/catalog.h"
#include "cli/command.h"
#include "measure/devices.h"
#include "measure/runner.h"
#include "measure/runner_child.h"

/* ---- --version ----
 *
 * This program as GNU programs tell it, then the catalogue it plans by and the engines it
 * measures with. These are asked all at once and answer in a fraction of a second: opening
 * CUDA's libraries takes longest. One that says nothing for two seconds is left out.
 */

#define WAIT_MAX 2.0 /* s */

struct engine_program {
    const char *name;
    char path[GP_PATH_MAX];
    struct child child;
    bool found, runs, answered;
    char line[1024]; /* "gpuplan-bench-cpu 0.1.0 (oneDNN 2.6.3)" */
    size_t len;
};

/* With quiet the version alone. */
static void print_version(const char *profiles, bool quiet, struct strbuf *out)
{
    struct engine_program engines[2] = {{.name = "cuda"}, {.name = "cpu"}};
    char option[] = "--version";
    double until = clock_now() + WAIT_MAX;

    strbuf_addf(out, "gpuplan %s\n", GP_VERSION);
    if (quiet)
        return;
    strbuf_add(out, "Copyright (C) 2026 the gpuplan authors\n"
                    "License MIT: free to use, change and pass on; there is NO WARRANTY.\n\n");
    catalog_version(profiles, out);
    for (size_t i = 0; i < 2; i++) { /* both are at work before the first is waited for */
        struct engine_program *e = &engines[i];
        char *argv[] = {e->path, option, NULL};

        e->found = runner_find(e->name, e->path, sizeof(e->path));
        e->runs = e->found && child_start(&e->child, argv, NULL) == GP_OK;
    }
    for (size_t i = 0; i < 2; i++) {
        struct engine_program *e = &engines[i];

        while (e->runs && !e->answered) {
            struct pollfd file = {e->child.out, POLLIN, 0};
            double left = fmax(until - clock_now(), 0);

            if (poll(&file, 1, (int)(1000 * left)) <= 0)
                break;
            long n = child_read(&e->child, e->line + e->len, sizeof(e->line) - 1 - e->len);
            e->len += n > 0 ? (size_t)n : 0;
            e->line[e->len] = '\0';
            char *end = strchr(e->line, '\n');
            e->answered = end || n == 0 || e->len + 1 == sizeof(e->line);
            if (end)
                *end = '\0';
        }
        if (e->runs)
            child_fini(&e->child);
        const char *version = strchr(e->line, ' ');

        strbuf_addf(out, "%-4s engine  %s%s\n", e->name, e->found ? e->path : "not installed",
                    !e->found ? ""
                    : version ? version
                              : " does not answer");
    }
}

/* ---- running a command ---- */

/* Was JSON asked for, however far the command line could be read? */
static bool asks_json(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        char name[64];
        const char *value = NULL;
        int id = argv[i][0] == '-' ? option_split(argv[i], name, sizeof(name), &value) : -1;

        value = value ? value : i + 1 < argc ? argv[i + 1] : "";
        if ((id == OPT_FORMAT || id == OPT_OUT) && strcmp(value, "json") == 0)
            return true;
    }
    return false;
}

static bool json_errors; /* they are on standard output, too, for who reads that */

static int report_failure(const struct gp_err *err)
{
    char line[GP_ERR_LINE];
    struct strbuf out;
    struct record doc;

    log_line("gpuplan: %s", gp_err_line(err, line));
    if (json_errors) {
        strbuf_init(&out);
        record_init(&doc);
        report_error(err, &doc);
        record_json(&doc, &out);
        gp_out(out.text, out.len);
        record_fini(&doc);
        strbuf_fini(&out);
    }
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

/* --help, --version, --completion SHELL: before any command. -1: none of these. */
static int run_early(int argc, char **argv, struct gp_err *err)
{
    struct strbuf out = STRBUF_EMPTY;
    const char *first = argv[1];
    bool quiet = argc > 2 && (strcmp(argv[2], "-q") == 0 || strcmp(argv[2], "--quiet") == 0);
    bool help =
        strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0;

    if (strcmp(first, "--completion") == 0 || strcmp(first, "completion") == 0) {
        if (command_completion(argc > 2 ? argv[2] : "", &out, err))
            return report_failure(err);
        return print_text(&out);
    }
    if (strcmp(first, "--complete") == 0) {
        command_complete(argc - 2, argv + 2, &out);
        return print_text(&out);
    }
    bool all = help && argc > 2 && strcmp(argv[2] + strspn(argv[2], "-"), "all") == 0;
    if (help && argc > 2 && !all && !command_find(argv[2]))
        return no_such_command(argv[2]);
    if (strcmp(first, "--version") == 0 || strcmp(first, "-V") == 0 ||
        strcmp(first, "version") == 0)
        print_version(NULL, quiet, &out);
    else if (help)
        command_help(argc > 2 ? command_find(argv[2]) : NULL, all, &out);
    else
        return -1;
    if (help)
        wrap_text(&out, wrap_cols());
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

static int run_command(struct invocation *in, int argc, char **argv)
{
    const char *now = getenv("GPUPLAN_NOW"); /* 2026-11-21: makes it another day */
    const char *profiles, *const *warnings;
    struct gp_err err = {0};

    if (command_parse(in, argc, argv, &err))
        return report_failure(&err);
    profiles = options_word(&in->options, OPT_PROFILES, NULL);
    if (options_flag(&in->options, OPT_HELP)) {
        command_help(in->command, false, &in->out);
        wrap_text(&in->out, wrap_cols());
        return print_text(&in->out);
    }
    if (options_flag(&in->options, OPT_VERSION)) {
        print_version(profiles, in->quiet, &in->out);
        return print_text(&in->out);
    }
    if (command_check(in, &err))
        return report_failure(&err);
    long today = now && now[0] ? date_days(now) : (long)(time(NULL) / 86400);
    if (today < 0) {
        gp_fail(&err, GP_E_USAGE, "GPUPLAN_NOW", "write it as in 2026-11-21, or unset it",
                "is not a date");
        return report_failure(&err);
    }
    in->planner = planner_new(profiles, today, devices_local);
    enum gp_status rc = in->command->run(in, &err);
    size_t n = catalog_warnings(planner_catalog(in->planner), &warnings);
    for (size_t i = 0; i < n && !in->quiet && !rc; i++)
        log_line("gpuplan: %s", warnings[i]);
    if (in->command->wraps && in->format == OUTPUT_TEXT && !in->quiet)
        wrap_text(&in->out, wrap_cols());
    if (!rc && !in->command->streams)
        rc = command_write(options_word(&in->options, OPT_OUT, "-"), &in->out, &err);
    planner_free(in->planner);
    return rc ? report_failure(&err) : in->exit_code;
}

int main(int argc, char **argv)
{
    struct gp_err err = {0};
    struct invocation in = {0};

    setlocale(LC_CTYPE, "");
    signal(SIGXFSZ, SIG_IGN); /* a file that becomes too large is an error */
    json_errors = asks_json(argc, argv);
    int used, code = argc > 1 ? run_early(argc, argv, &err) : -1;
    if (code >= 0)
        return code;
    /* no command is named: the screens, with or without options */
    in.command = argc > 1 ? command_find(argv[1]) : NULL;
    used = in.command ? 1 : 0;
    if (argc < 2 || (!in.command && is_option(argv[1])))
        in.command = &cmd_screen;
    if (!in.command)
        return no_such_command(argv[1]);
    strbuf_init(&in.out);
    code = run_command(&in, argc - 1 - used, argv + 1 + used);
    strbuf_fini(&in.out);
    return code;
}
