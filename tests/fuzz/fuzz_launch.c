/*
 * fuzz_launch.c - an engine's arguments, as a log has them, and a saved plan, of anybody's making.
 *
 * The first byte chooses the engine, or the reader of saved plans. What is read, a name and a value
 * behind a blank or "=" in each line, must be a request or an error; whatever is said, asking for
 * it must end.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "answer/launch.h"
#include "answer/request_line.h"
#include "base/path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct catalog *catalog;

static void drop_catalog(void)
{
    catalog_free(catalog);
}

static struct catalog *profiles(void)
{
    const char *srcdir = getenv("srcdir");
    char dir[GP_PATH_MAX];
    const char *dirs[] = {dir};

    if (!catalog) {
        path_join(dir, sizeof dir, srcdir ? srcdir : ".", "profiles");
        catalog = catalog_new_path(dirs, 1);
        atexit(drop_catalog);
    }
    return catalog;
}

static void saved_plan(const char *text, size_t len)
{
    struct request_line line = {0};
    struct gp_err err;

    request_line_saved("fuzz", text, len, &line, &err);
    request_line_fini(&line);
}

static void command(const char *engine, const char *text, size_t len)
{
    static struct launch_request request;
    struct options base = {0};
    const struct launch_engine *table;
    struct launch_reading reading;
    struct gp_err err;
    enum gp_status rc = GP_OK;
    char *lines = strndup(text, len), *rest = lines, *line;

    if (catalog_launch(profiles(), engine, &table, &err))
        abort();
    launch_read_begin(table, 0, &reading);
    while (!rc && (line = strsep(&rest, "\n"))) {
        char *value = line + strcspn(line, " =");

        if (*value)
            *value++ = '\0';
        rc = launch_read_pair(&reading, line, value, &err);
    }
    free(lines);
    if (!rc)
        launch_request(&reading, profiles(), &base, 1, &request, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const engines[] = {"vllm", "sglang", "tensorrt-llm", "llama.cpp", "ollama"};
    size_t which = size > 0 ? (size_t)(data[0] - 'a') % 6 : 0;
    const char *text = (const char *)data + (size > 0);

    size -= size > 0;
    if (which == 5)
        saved_plan(text, size);
    else
        command(engines[which], text, size);
    return 0;
}
