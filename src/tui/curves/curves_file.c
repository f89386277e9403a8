/*
 * curves_file.c - see curves_file.h. A result is known by its schema, near the start.
 */
#include "tui/curves/curves_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/benchlog.h"
#include "tui/app.h"
#include "tui/bench/s_bench.h"
#include "tui/settings.h"
#include "util/mem.h"
#include "util/path.h"
#include "util/str.h"

#define MOST_FILES 200 /* of a folder, looked into */
#define START      512 /* bytes of a file that are looked at */

struct found {
    struct choice *choice;
    int count;
    size_t cap;
};

static struct choice *add(struct found *f)
{
    f->choice = gp_grow(f->choice, &f->cap, (size_t)f->count + 1, sizeof *f->choice);
    memset(&f->choice[f->count], 0, sizeof *f->choice);
    return &f->choice[f->count++];
}

/* The value of a JSON text near the start, "" when it is not there. */
static void find_text(const char *text, const char *key, char *out, size_t size)
{
    char quoted[48];
    const char *at;

    gp_format(quoted, sizeof quoted, "\"%s\"", key);
    gp_copy(out, size, "");
    at = strstr(text, quoted);
    at = at ? strchr(at + strlen(quoted), '"') : NULL;
    if (at) {
        gp_copy(out, size, at + 1);
        out[strcspn(out, "\"")] = '\0';
        gp_tame(out);
    }
}

static bool is_result(const char *path, char *more, size_t size)
{
    char text[START + 1] = "", schema[64], started[32], status[32];
    FILE *file = path_is_file(path) ? fopen(path, "r") : NULL;
    size_t len;

    if (!file)
        return false;
    len = fread(text, 1, START, file);
    fclose(file);
    text[len] = '\0';
    find_text(text, "schema", schema, sizeof schema);
    find_text(text, "started", started, sizeof started);
    find_text(text, "status", status, sizeof status);
    gp_format(more, size, "%s  %s", started, status);
    return strcmp(schema, BENCHLOG_SCHEMA) == 0;
}

static void look_into(struct found *f, const char *folder)
{
    char **names, path[GP_PATH_MAX], more[96];
    size_t count;

    if (path_list(folder, ".json", &names, &count, NULL))
        return;
    for (size_t i = 0; i < count && i < MOST_FILES; i++) {
        struct choice *c;
        bool here = strcmp(folder, ".") == 0;

        if (here)
            gp_copy(path, sizeof path, names[i]);
        else if (!path_join(path, sizeof path, folder, names[i]))
            continue;
        if (strlen(path) >= sizeof c->id || !is_result(path, more, sizeof more))
            continue;
        c = add(f);
        gp_copy(c->id, sizeof c->id, path);
        gp_copy(c->text, sizeof c->text, names[i]);
        gp_format(c->more, sizeof c->more, "%s%s%s", more, here ? "" : "  in ",
                  here ? "" : folder);
    }
    path_list_free(names, count);
}

static void chosen(struct app *app, void *ctx, const char *id)
{
    (void)ctx;
    curves_open_file(app, id);
}

void curves_choose_file(struct app *app)
{
    struct found found = {NULL, 0, 0};
    struct chooser_ask options = {.title = "Result file",
                                  .chosen = chosen,
                                  .free = "a path of a gpuplan.bench/1 file",
                                  .paths = true};
    char folder[GP_PATH_MAX];

    if (curves_has_bench(app)) {
        struct choice *c = add(&found);

        gp_copy(c->id, sizeof c->id, CURVES_BENCH);
        gp_copy(c->text, sizeof c->text, "last run of Bench");
    }
    look_into(&found, ".");
    settings_results(&app->settings, folder, sizeof folder);
    if (strcmp(folder, ".") != 0)
        look_into(&found, folder);
    options.choices = found.choice;
    options.count = found.count;
    chooser_open(&app->display, &options);
    free(found.choice);
}
