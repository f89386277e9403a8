/*
 * session_look.c - which engine and which devices.
 *
 * Without --backend the GPUs are measured where the CUDA engine finds some; otherwise
 * the CPU is, and the reason is kept and said. A driver takes a second to answer, so
 * the engine's list is awaited like anything else, step by step.
 */
#include "run/session_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"
#include "probe/probe.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"

#define ASK_TIMEOUT 60.0 /* s an engine may take to list its devices */
#define ASK_SILENCE 3.0  /* s after which somebody who waits is told for what */

static const char *const automatic[] = {"cuda", "cpu"};

/* ---- the engine ---- */

static bool is_auto(const struct session *s)
{
    return strcmp(options_word(&s->options, OPT_BACKEND, "auto"), "auto") == 0;
}

static void forget(struct session *s)
{
    runner_free(s->runner);
    json_decref(s->hello);
    json_decref(s->listed);
    s->runner = NULL;
    s->hello = s->listed = NULL;
}

static enum gp_status try_backend(struct session *s, const char *name,
                                  struct gp_err *err)
{
    gp_copy(s->backend, sizeof s->backend, name);
    if (!runner_find(name, s->program, sizeof s->program))
        return gp_fail(err, GP_E_DEVICE, "--backend",
                       "it is built where its libraries are found",
                       "there is no engine gpuplan-bench-%s here", name);
    s->runner = runner_new();
    s->listed = json_array();
    s->asked_at = clock_now();
    return runner_list(s->runner, s->program, session_timeout(ASK_TIMEOUT), err) < 0
               ? err->code
               : GP_OK;
}

/* A driver that hangs is the usual reason: nothing else would show on the terminal. */
static void say_silence(struct session *s)
{
    char text[200];

    if (!(s->asked_at > 0) || clock_now() - s->asked_at < ASK_SILENCE)
        return;
    s->asked_at = 0;
    gp_format(text, sizeof text,
              "asks gpuplan-bench-%s for its devices; it may be silent for %s s",
              s->backend, UNITS_PLAIN(session_timeout(ASK_TIMEOUT), 3));
    session_say(s, text);
}

/* Starts the next engine there is; an error when there is none left. */
static enum gp_status try_next(struct session *s, struct gp_err *err)
{
    enum gp_status status;

    forget(s);
    s->trying++;
    if (!is_auto(s))
        return try_backend(s, options_word(&s->options, OPT_BACKEND, ""), err);
    status = try_backend(s, automatic[s->trying], err);
    if (status && s->trying == 0) {
        gp_copy(s->why_not, sizeof s->why_not, err->text);
        return try_next(s, err);
    }
    return status;
}

/* A program may lie about its name, not about what it says of itself: a stand-in that
 * was left where an engine belongs must not pass for one. */
static void check_engine(struct session *s)
{
    const char *engine = session_word(s->hello, "engine");
    const char *version = session_word(s->hello, "version");

    if (strcmp(engine, s->backend) != 0)
        session_warn(s, "not_this_engine",
                     "NOT a %s engine: %.96s calls itself '%.32s' (%.64s)", s->backend,
                     s->program, *engine ? engine : "nothing",
                     *version ? version : "no version");
}

/* ---- devices ---- */

/* CUDA names a MIG instance "NVIDIA A100-SXM4-40GB MIG 1g.5gb": the slice is known by
 * its profile, and by the memory where a driver leaves the profile out. */
static void read_slice(const char *name, struct device *device)
{
    const char *mig = strstr(name, " MIG ");

    if (mig)
        gp_copy(device->slice, sizeof device->slice, mig + 5);
}

/* The GPU of the catalogue, or the slice of it, by name and memory. */
static void know_gpu(struct session *s, struct session_unit *u)
{
    const char *name = session_word(u->json, "name");
    double memory = session_figure(u->json, "memory");
    const struct gpu *const *gpus, *gpu;
    struct device device;
    size_t count;

    if (strcmp(s->backend, "cuda") != 0 || !*name ||
        catalog_gpus(planner_catalog(s->how.planner), &gpus, &count, NULL))
        return;
    memset(&device, 0, sizeof device);
    gp_copy(device.name, sizeof device.name, name);
    read_slice(name, &device);
    device.memory_total =
        isfinite(memory) ? quantity_exact(memory) : quantity_unknown();
    gpu = probe_match(&device, gpus, count);
    if (gpu && device.slice[0])
        u->known = gpu_slice_of(gpu, device.slice, &u->gpu, NULL) == GP_OK;
    else if (gpu) {
        u->known = true;
        u->gpu = *gpu;
    }
}

static void find_all(struct session *s)
{
    size_t n = json_array_size(s->listed);

    s->found = gp_calloc(n, sizeof *s->found);
    for (size_t i = 0; i < n; i++) {
        struct session_unit *u = &s->found[i];

        u->json = json_array_get(s->listed, i);
        u->index = (int)json_integer_value(json_object_get(u->json, "index"));
        u->running = -1;
        know_gpu(s, u);
    }
}

static enum gp_status add_device(struct session *s, size_t place, struct gp_err *err)
{
    if (place >= json_array_size(s->listed) || s->count == SESSION_DEVICES)
        return gp_fail(err, GP_E_DEVICE, "--device", "",
                       "there is no device %zu: %s has %zu", place, s->backend,
                       json_array_size(s->listed));
    for (int i = 0; i < s->count; i++)
        if (s->unit[i].json == s->found[place].json)
            return GP_OK;
    s->unit[s->count++] = s->found[place];
    return GP_OK;
}

enum gp_status session_choose(struct session *s, struct gp_err *err)
{
    const char *text = options_word(&s->options, OPT_DEVICE, "all");
    size_t all = json_array_size(s->listed);
    enum gp_status status = GP_OK;

    s->count = 0;
    if (s->how.ranks > 1 && (size_t)s->how.local_rank >= all)
        session_say(s, "more ranks than devices on this host: two measure the same one "
                       "at once, and slow each other down");
    if (s->how.ranks > 1)
        return add_device(s, (size_t)s->how.local_rank % all, err);
    for (size_t i = 0; strcmp(text, "all") == 0 && i < all && !status; i++)
        status = add_device(s, i, err);
    while (strcmp(text, "all") != 0 && !status) {
        char *end;
        unsigned long n = strtoul(text, &end, 10);

        if (end == text || (*end && *end != ',') || *text == '-' || n > 1000)
            return gp_fail(err, GP_E_USAGE, "--device", "0,1 or all",
                           "'%s' is no list of devices", text);
        status = add_device(s, n, err);
        if (!*end)
            break;
        text = end + 1;
    }
    return status;
}

/* ---- the step ---- */

/* The list is whole: on to the plan. */
static bool ready(struct session *s, struct session_event *event)
{
    runner_free(s->runner);
    s->runner = NULL;
    if (s->why_not[0])
        gp_format(s->chosen, sizeof s->chosen, "measures the CPU: %s", s->why_not);
    check_engine(s);
    s->look_notes = s->note_count;
    find_all(s);
    s->state = SESSION_READY;
    event->kind = SESSION_EVENT_READY;
    if (session_make_plan(s, &event->err))
        event->kind = SESSION_EVENT_FAILED;
    return true;
}

/* This engine will not do: another, or the end. */
static bool not_this(struct session *s, struct session_event *event)
{
    if (is_auto(s) && s->trying == 0) {
        gp_copy(s->why_not, sizeof s->why_not, event->err.text);
        if (try_next(s, &event->err) == GP_OK)
            return false;
    }
    event->kind = SESSION_EVENT_FAILED;
    return true;
}

bool session_look(struct session *s, double seconds, struct session_event *event)
{
    struct runner_event said;

    if (!s->runner && try_next(s, &event->err))
        return not_this(s, event);
    if (!runner_step(s->runner, seconds, &said)) {
        say_silence(s);
        return false;
    }
    if (said.kind == EVENT_HELLO) {
        json_decref(s->hello);
        s->hello = json_incref((json_t *)said.json);
    } else if (said.kind == EVENT_DEVICE) {
        json_array_append(s->listed, (json_t *)said.json);
    } else if (said.kind == EVENT_FAILED) {
        event->err = said.err;
        return not_this(s, event);
    } else if (said.kind == EVENT_DONE && json_array_size(s->listed) == 0) {
        gp_fail(&event->err, GP_E_DEVICE, "--backend", "", "%s finds no device",
                s->backend);
        return not_this(s, event);
    } else if (said.kind == EVENT_DONE) {
        return ready(s, event);
    }
    return false;
}
