/*
 * fuzz_command.c - any lines at the `:` prompt, on any screen, and what Tab makes of
 * them; after the last the whole screen is drawn.
 *
 * It begins with one layout of a small model: to search all of them at each beginning
 * would leave 50 inputs a second, and fuzz_batch does that. A line that is refused must
 * change nothing, so the next input goes on from there and nothing need be drawn.
 * What writes or reads files is left out: a fuzzer would find its way into this folder.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "tui/loop.h"

#define TODAY 20000             /* 2024-10-04: an answer does not depend on the clock */
#define LINES 2                 /* of one input, at most: a step, and another or back */
#define INPUTS_PER_PLANNER 2000 /* it keeps every bare size it is asked for */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct planner *planner;
static struct app app;
static bool begun; /* and as it began */

static void drop_app(void)
{
    if (begun)
        app_end(&app);
    begun = false;
}

static void drop_all(void)
{
    drop_app();
    planner_free(planner);
    planner = NULL;
}

static struct planner *catalogue(void)
{
    static int inputs;
    const char *srcdir = getenv("srcdir");
    char dir[GP_PATH_MAX];

    if (inputs == 0)
        atexit(drop_all);
    if (inputs++ % INPUTS_PER_PLANNER == 0) {
        drop_all();
        path_join(dir, sizeof dir, srcdir ? srcdir : ".", "profiles");
        planner = planner_new(dir, TODAY, NULL);
    }
    return planner;
}

static void begin(void)
{
    static const struct {
        enum option_id id;
        const char *value;
    } first[] = {{OPT_MODEL, "8B"}, {OPT_GPU, "h100-sxm:1"}, {OPT_TP, "1"}};
    struct gp_err err = {0};
    struct options options = {0};
    struct app_start start = {.planner = catalogue(), .options = &options, .script = ""};

    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
        if (options_text(&options, first[i].id, "", first[i].value, NULL))
            abort();
    if (!begun && app_begin(&app, &start, &err)) {
        fprintf(stderr, "fuzz_command: %s: %s (srcdir says where profiles/ is)\n", err.where,
                err.text);
        exit(1);
    }
    begun = true;
}

static bool touches_files(const char *line)
{
    static const char *const words[] = {"dump", "inks", "save",          "w ",    "export",
                                        "load", "o ",   "save-settings", "start", "suspend"};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strstr(line, words[i]))
            return true;
    return strchr(line, '/') != NULL; /* a model's path */
}

/* True when it was taken. */
static bool try_line(const char *line)
{
    unsigned version = app.form->version;
    enum screen_id screen = app.screen;
    struct strbuf words;
    struct gp_err err = {0};

    if (touches_files(line))
        return false;
    strbuf_init(&words);
    app_complete(&app, line, &words);
    strbuf_fini(&words);
    if (app_command(&app, line, &err))
        return true;
    if (!err.text[0])
        abort(); /* refused without a reason */
    if (app.form->version != version || app.screen != screen)
        abort(); /* refused, and yet it changed something */
    return false;
}

static void draw(void)
{
    struct canvas canvas;

    canvas_init(&canvas, CHARSET_BRAILLE);
    app_draw(&app, &canvas);
    canvas_fini(&canvas);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *line = text, *next;
    bool taken = false;

    memcpy(text, data, size);
    text[size] = '\0';
    begin();
    for (int i = 0; line && i < LINES && !app.quit; i++, line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        taken = try_line(line) || taken;
    }
    if (taken) {
        draw();
        drop_app();
    }
    free(text);
    return 0;
}
