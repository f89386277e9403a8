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

static void engine_start(struct engine_program *engine)
{
    char option[] = "--version", *argv[] = {engine->path, option, NULL};

    engine->found = runner_find(engine->name, engine->path, sizeof(engine->path));
    engine->runs = engine->found && child_start(&engine->child, argv, NULL) == GP_OK;
}

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

/* All are at work before the first is waited for. */
static void engines_ask(struct engine_program *engines, size_t count)
{
    double until = clock_now() + WAIT_MAX;

    for (size_t i = 0; i < count; i++)
        engine_start(&engines[i]);
    for (struct engine_program *e = engines; e < engines + count; e++) {
        while (e->runs && !e->answered) {
            struct pollfd file = {e->child.out, POLLIN, 0};
            double left = fmax(until - clock_now(), 0);

            if (poll(&file, 1, (int)(1000 * left)) <= 0)
                break;
            engine_read(e);
        }
        if (e->runs)
            child_fini(&e->child);
    }
}

/* "/usr/libexec/gpuplan/gpuplan-bench-cpu 0.1.0 (oneDNN 2.6.3)" */
static void add_engines(struct strbuf *out)
{
    struct engine_program engines[2] = {{.name = "cuda"}, {.name = "cpu"}};

    engines_ask(engines, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct engine_program *e = &engines[i];
        const char *version = strchr(e->line, ' ');

        strbuf_addf(out, "%-4s engine  %s%s\n", e->name, e->found ? e->path : "not installed",
                    !e->found ? ""
                    : version ? version
                              : " does not answer");
    }
}

static void add_catalog(const char *profiles, struct strbuf *out)
{
    struct catalog *catalog = catalog_new(profiles);
    const struct instance *offers;
    const char *newest = "";
    struct gp_err err = {0};
    size_t count;

    strbuf_add(out, "catalogue    ");
    if (catalog_instances(catalog, &offers, &count, &err) == GP_OK) {
        for (size_t i = 0; i < count; i++)
            if (strcmp(offers[i].date, newest) > 0)
                newest = offers[i].date;
        strbuf_addf(out, "%s, prices up to %s\n", catalog_folder(catalog), newest);
    } else {
        strbuf_addf(out, "%s: %s\n", err.where, err.text);
    }
    catalog_free(catalog);
}

void command_version(const char *profiles, bool quiet, struct strbuf *out)
{
    strbuf_add(out, "gpuplan " GP_VERSION "\n");
    if (quiet)
        return;
    strbuf_add(out, "Copyright (C) 2026 the gpuplan authors\n"
                    "License MIT: free to use, change and pass on; there is NO WARRANTY.\n\n");
    add_catalog(profiles, out);
    add_engines(out);
}
