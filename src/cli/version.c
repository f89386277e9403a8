/*
 * version.c - --version: this program as GNU programs tell it, then the catalogue it
 * plans by and the engines it measures with.
 *
 * The engines are asked all at once and answer in a fraction of a second: opening CUDA's
 * libraries takes longest. One that says nothing for two seconds is left out.
 */
#include <math.h>
#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "base/path.h"
#include "catalog/catalog.h"
#include "cli/command.h"
#include "measure/runner.h"
#include "measure/runner_child.h"

#define WAIT_MAX 2.0 /* s */

struct engine_program {
    const char *name;
    char path[GP_PATH_MAX];
    struct child child;
    bool found, runs, answered;
    char line[1024]; /* "gpuplan-bench-cpu 0.1.0 (oneDNN 2.6.3)" */
    size_t len;
};

/* Takes the first line of what it writes. */
static void engine_read(struct engine_program *engine)
{
    char *end;
    long n = child_read(&engine->child, engine->line + engine->len,
                        sizeof(engine->line) - 1 - engine->len);

    engine->len += n > 0 ? (size_t)n : 0;
    engine->line[engine->len] = '\0';
    end = strchr(engine->line, '\n');
    engine->answered = end || n == 0 || engine->len + 1 == sizeof(engine->line);
    if (end)
        *end = '\0';
}

/* "/usr/libexec/gpuplan/gpuplan-bench-cpu 0.1.0 (oneDNN 2.6.3)" */
static void add_engines(struct strbuf *out)
{
    struct engine_program engines[2] = {{.name = "cuda"}, {.name = "cpu"}};
    char option[] = "--version";
    double until = clock_now() + WAIT_MAX;

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
            engine_read(e);
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

void command_version(const char *profiles, bool quiet, struct strbuf *out)
{
    struct gp_err err = {0};
    char date[16];

    strbuf_add(out, "gpuplan " GP_VERSION "\n");
    if (quiet)
        return;
    strbuf_add(out, "Copyright (C) 2026 the gpuplan authors\n"
                    "License MIT: free to use, change and pass on; there is NO WARRANTY.\n\n");
    struct catalog *catalog = catalog_new(profiles);
    if (catalog_newest_price(catalog, date, &err) == GP_OK)
        strbuf_addf(out, "catalogue    %s, prices up to %s\n", catalog_folder(catalog), date);
    else
        strbuf_addf(out, "catalogue    %s: %s\n", err.where, err.text);
    catalog_free(catalog);
    add_engines(out);
}
