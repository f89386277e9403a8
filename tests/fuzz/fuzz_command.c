/*
 * fuzz_command.c - any lines at the `:` prompt, on any screen, and what Tab makes of
 * them; after each the whole screen is drawn.
 *
 * What writes or reads files is left out: a fuzzer would find its way into this folder.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app_parts.h"
#include "util/path.h"

#define TODAY 20000 /* 2024-10-04: an answer does not depend on the clock */
#define LINES 8     /* of one input, at most */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct planner *planner;

static void drop_planner(void)
{
    planner_free(planner);
}

static struct planner *catalogue(void)
{
    const char *srcdir = getenv("srcdir");
    char dir[GP_PATH_MAX];

    if (!planner) {
        path_join(dir, sizeof dir, srcdir ? srcdir : ".", "profiles");
        planner = planner_new(dir, TODAY, NULL);
        atexit(drop_planner);
    }
    return planner;
}

static bool touches_files(const char *line)
{
    static const char *const words[] = {"dump",   "inks",   "save", "w ",
                                        "export", "load",   "o ",   "save-settings",
                                        "start",  "suspend"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(line, words[i]))
            return true;
    return strchr(line, '/') != NULL; /* a model's path */
}

static void try_line(struct app *app, const char *line)
{
    struct canvas canvas;
    struct strbuf words;
    struct gp_err err = {0};

    if (touches_files(line))
        return;
    strbuf_init(&words);
    app_complete(app, line, &words);
    strbuf_fini(&words);
    if (!app_command(app, line, &err) && !err.text[0])
        abort(); /* refused without a reason */
    canvas_init(&canvas, CHARSET_BRAILLE);
    app_draw(app, &canvas);
    canvas_fini(&canvas);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ask ask = {0};
    struct app_start start = {.planner = catalogue(), .ask = &ask, .script = ""};
    struct app app;
    char *text = malloc(size + 1), *line, *next;

    memcpy(text, data, size);
    text[size] = '\0';
    if (app_begin(&app, &start, NULL))
        abort();
    line = text;
    for (int i = 0; line && i < LINES && !app.quit; i++, line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        try_line(&app, line);
    }
    app_end(&app);
    free(text);
    return 0;
}
