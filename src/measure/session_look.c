/* session_look.c - see session_look.h. */
#include "measure/session_look.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"

#define ASK_TIMEOUT 60.0  /* s an engine may take to list its devices */
#define LOOK_DEVICES 1024 /* of one engine */
#define ASK_SILENCE 3.0   /* s after which the user is told what is awaited */

static const char *const automatic[] = {"cuda", "cpu"};

double look_timeout(double usual)
{
    const char *text = getenv("GPUPLAN_ENGINE_TIMEOUT");
    double given = text ? strtod(text, NULL) : 0;

    return given > 0 ? given : usual;
}

static bool is_auto(const struct options *options)
{
    return strcmp(options_word(options, OPT_BACKEND, "auto"), "auto") == 0;
}

static void drop_devices(struct session_look *look)
{
    for (int i = 0; i < look->count; i++)
        session_device_fini(&look->found[i]);
    look->count = 0;
}

void look_fini(struct session_look *look)
{
    runner_free(look->runner);
    look->runner = NULL;
    session_engine_fini(&look->engine);
    drop_devices(look);
    free(look->found);
    look->found = NULL;
    look->cap = 0;
}

/* ---- the engine ---- */

static enum gp_status try_backend(struct session_look *look, const char *name, struct gp_err *err)
{
    gp_copy(look->backend, sizeof(look->backend), name);
    if (!runner_find(name, look->program, sizeof(look->program)))
        return gp_fail(err, GP_E_DEVICE, "--backend", "it is built where its libraries are found",
                       "engine gpuplan-bench-%s is not installed here", name);
    look->runner = runner_new();
    look->asked_at = clock_now();
    return runner_list(look->runner, look->program, look_timeout(ASK_TIMEOUT), err) < 0 ? err->code
                                                                                        : GP_OK;
}

/* Starts the next engine there is; an error when there is none left. */
static enum gp_status try_next(struct session_look *look, const struct options *options,
                               struct gp_err *err)
{
    enum gp_status rc;

    look_fini(look);
    look->trying++;
    if (!is_auto(options))
        return try_backend(look, options_word(options, OPT_BACKEND, ""), err);
    rc = try_backend(look, automatic[look->trying], err);
    if (rc && look->trying == 0) {
        gp_copy(look->why_not, sizeof(look->why_not), err->text);
        return try_next(look, options, err);
    }
    return rc;
}

/* This engine will not do: another is started, or it is the end. */
static enum look_state try_another(struct session_look *look, const struct options *options,
                                   struct gp_err *err)
{
    if (is_auto(options) && look->trying == 0) {
        gp_copy(look->why_not, sizeof(look->why_not), err->text);
        if (try_next(look, options, err) == GP_OK)
            return LOOK_WAITS;
    }
    return LOOK_FAILED;
}

/* A driver that hangs is the usual reason: nothing else would show on the terminal. */
static void say_silence(struct session_look *look, struct session_notes *notes)
{
    char text[200];

    if (!(look->asked_at > 0) || clock_now() - look->asked_at < ASK_SILENCE)
        return;
    look->asked_at = 0;
    gp_format(text, sizeof(text),
              "asks gpuplan-bench-%s for its devices; it may be silent for %s s", look->backend,
              UNITS_PLAIN(look_timeout(ASK_TIMEOUT), 3));
    notes_say(notes, text);
}

/* A program may lie about its name, not about what it says of itself: a stand-in that
 * was left where an engine belongs must not pass for one. */
static void check_engine(const struct session_look *look, struct session_notes *notes)
{
    const struct session_engine *e = &look->engine;

    if (strcmp(e->name, look->backend) != 0)
        notes_add(notes, "not_this_engine", "NOT a %s engine: %.96s calls itself '%.32s' (%.64s)",
                  look->backend, look->program, e->name[0] ? e->name : "nothing",
                  e->version[0] ? e->version : "no version");
}

/* ---- the step ---- */

static void add_device(struct session_look *look, const json_t *line)
{
    if (look->count == LOOK_DEVICES)
        return;
    look->found = gp_grow(look->found, &look->cap, (size_t)look->count + 1, sizeof(*look->found));
    session_device_read(&look->found[look->count++], &look->engine, line);
}

/* The list is whole. */
static enum look_state finish_list(struct session_look *look, struct session_notes *notes)
{
    runner_free(look->runner);
    look->runner = NULL;
    if (look->why_not[0])
        gp_format(look->chosen, sizeof(look->chosen), "measures the CPU: %s", look->why_not);
    check_engine(look, notes);
    return LOOK_DONE;
}

enum look_state look_step(struct session_look *look, const struct options *options, double seconds,
                          struct session_notes *notes, struct gp_err *err)
{
    struct runner_event said;

    if (!look->runner && try_next(look, options, err))
        return try_another(look, options, err);
    if (!runner_step(look->runner, seconds, &said)) {
        say_silence(look, notes);
        return LOOK_WAITS;
    }
    if (said.kind == EVENT_HELLO) {
        session_engine_read(&look->engine, said.json);
    } else if (said.kind == EVENT_DEVICE) {
        add_device(look, said.json);
    } else if (said.kind == EVENT_FAILED) {
        *err = said.err;
        return try_another(look, options, err);
    } else if (said.kind == EVENT_DONE && look->count == 0) {
        gp_fail(err, GP_E_DEVICE, "--backend", "", "%s finds no device", look->backend);
        return try_another(look, options, err);
    } else if (said.kind == EVENT_DONE) {
        return finish_list(look, notes);
    }
    return LOOK_WAITS;
}

void look_match(struct session_look *look, struct catalog *catalog)
{
    for (int i = 0; i < look->count && strcmp(look->backend, "cuda") == 0; i++)
        session_device_match(&look->found[i], catalog);
}
