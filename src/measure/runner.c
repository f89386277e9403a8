/*
 * runner.c - one loop over all engines: read, judge, time, stop, bury.
 *
 * A step first looks whether some engine has a whole line waiting, and reports that; only when none
 * has, it polls. So a flood from one engine is read no faster than the caller takes it (its pipe
 * fills and it waits), and engines take turns.
 *
 * An engine ends in three steps: it is asked (SIGTERM to its group, after a refusal, a time-out or
 * STOP_NOW), it is killed three seconds later, it is reaped. Only then its last event is delivered:
 * whoever gets FAILED or DONE can rely on its device's memory being free. A gpuplan that was
 * suspended longer than a time-out starts the clocks anew when it wakes: it must not blame its
 * engines.
 */
#include "measure/runner.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/units.h"
#include "measure/point/protocol.h"
#include "measure/runner_child.h"
#include "measure/runner_line.h"

#ifndef GP_LIBEXECDIR
#define GP_LIBEXECDIR "" /* not installed */
#endif

#define GRACE 3.0  /* s between asking an engine to end and killing it */
#define SLOWER 3.0 /* than its estimate a point may be, besides */
#define SLICE 0.05 /* s between looks at a process that is ending */
#define CHUNK 65536
#define BUFFER (PROTOCOL_LINE + CHUNK)

struct engine {
    struct child child;
    struct line_state line;
    char where[128];          /* "gpuplan-bench-cuda, device 0" */
    double timeout, patience; /* s without a line; without progress, though it talks */
    double warmup;            /* s more of that before its first point ... */
    const double *seconds;    /* ... and in one SLOWER times this, by index; or NULL */
    char *buffer;             /* what was read: [start, end) is not yet judged */
    size_t start, end;
    bool eof; /* it closed its output */
    double last_line, last_progress;
    double ending_at; /* when it was seen to end or was asked to; 0 = no */
    bool asked_to_end, killed;
    bool waits;    /* when it is warm, to be told to go */
    bool stop_now; /* by our caller */
    bool failed;   /* `why` says it; its output counts no more */
    struct gp_err why;
    bool over; /* its last event was delivered */
};

struct runner {
    struct engine **engine;
    size_t count, cap;
    size_t turn;   /* which engine is looked at first */
    json_t *lent;  /* the last event's json */
    double looked; /* when poll() was last called */
};

struct runner *runner_new(void)
{
    return gp_calloc(1, sizeof(struct runner));
}

static void engine_free(struct engine *e)
{
    child_fini(&e->child);
    line_fini(&e->line);
    free(e->buffer);
    free(e);
}

void runner_free(struct runner *runner)
{
    if (!runner)
        return;
    for (size_t i = 0; i < runner->count; i++)
        child_signal(&runner->engine[i]->child, SIGKILL);
    for (size_t i = 0; i < runner->count; i++)
        engine_free(runner->engine[i]);
    json_decref(runner->lent);
    free(runner->engine);
    free(runner);
}

bool runner_busy(const struct runner *runner)
{
    for (size_t i = 0; i < runner->count; i++)
        if (!runner->engine[i]->over)
            return true;
    return false;
}

const char *runner_words(struct runner *runner, int engine)
{
    if (engine < 0 || (size_t)engine >= runner->count)
        return "";
    return runner->engine[engine]->child.words;
}

/* ---- starting ---- */

static void add_line(struct strbuf *text, json_t *line)
{
    gp_json_write(line, false, text);
    strbuf_add(text, "\n");
    json_decref(line);
}

static struct engine *engine_new(const char *program, double timeout)
{
    struct engine *e = gp_calloc(1, sizeof(*e));
    const char *slash = strrchr(program, '/');

    e->buffer = gp_malloc(BUFFER);
    e->timeout = e->patience = timeout > 0 ? timeout : 60;
    e->last_line = e->last_progress = clock_now();
    gp_copy(e->where, sizeof(e->where), slash ? slash + 1 : program);
    return e;
}

/* The number of the engine that runs argv; -1: it cannot be started, and is freed. */
static int engine_launch(struct runner *runner, struct engine *e, char *const argv[],
                         struct gp_err *err)
{
    if (child_start(&e->child, argv, err) != GP_OK) {
        engine_free(e);
        return -1;
    }
    runner->engine =
        gp_grow(runner->engine, &runner->cap, runner->count + 1, sizeof(*runner->engine));
    runner->engine[runner->count] = e;
    return (int)runner->count++;
}

int runner_start(struct runner *runner, const struct runner_plan *plan, struct gp_err *err)
{
    char *argv[] = {(char *)plan->program, NULL};
    struct engine *e = engine_new(plan->program, plan->timeout);
    size_t len = strlen(e->where);
    struct strbuf text;
    int number;

    line_init(&e->line, plan->points, plan->order, plan->count, plan->device);
    gp_format(e->where + len, sizeof(e->where) - len, ", device %d", plan->device);
    if ((number = engine_launch(runner, e, argv, err)) < 0)
        return -1;
    e->waits = plan->wait;
    e->patience = fmax(plan->patience, e->timeout);
    e->warmup = plan->settings.device_warmup_max;
    e->seconds = plan->seconds;
    strbuf_init(&text);
    add_line(&text, protocol_settings(&plan->settings, plan->device));
    for (int i = 0; i < plan->count; i++) {
        int index = plan->order ? plan->order[i] : i;

        add_line(&text, json_pack("{ss si so}", "do", "point", "index", index, "point",
                                  point_to_json(&plan->points[index])));
    }
    strbuf_add(&text, plan->wait ? "{\"do\":\"run\",\"wait\":true}\n" : "{\"do\":\"run\"}\n");
    child_say(&e->child, text.text, text.len);
    strbuf_fini(&text);
    return number;
}

int runner_list(struct runner *runner, const char *program, double timeout, struct gp_err *err)
{
    char list[] = "--devices";
    char *argv[] = {(char *)program, list, NULL};
    struct engine *e = engine_new(program, timeout);

    line_init(&e->line, NULL, NULL, 0, -1);
    e->line.listing = true;
    return engine_launch(runner, e, argv, err);
}

/* ---- failing and stopping ---- */

static void ask_to_end(struct engine *e)
{
    if (e->asked_to_end)
        return;
    e->asked_to_end = true;
    e->ending_at = clock_now();
    child_signal(&e->child, SIGTERM);
}

/* The first reason counts: what follows is its consequence. */
static void fail_engine(struct engine *e, const struct gp_err *why)
{
    if (!e->failed && !e->over)
        e->why = *why;
    e->failed = true;
    ask_to_end(e);
}

/* WHAT "while it measured gemm/...; it wrote:" the last line of its standard error. */
static void fail_engine_with(struct engine *e, const char *hint, const char *what)
{
    char all[CHILD_WORDS + 1], at[160], *line;
    struct gp_err why;

    if (!e->line.hello)
        gp_copy(at, sizeof(at), "before it said hello");
    else if (e->line.current >= 0)
        gp_format(at, sizeof(at), "while it measured %s", e->line.points[e->line.current].id);
    else
        gp_copy(at, sizeof(at),
                e->line.done    ? "after it was done"
                : e->line.ready ? "between two points"
                                : "before its first point");
    memcpy(all, e->child.words, e->child.words_len + 1);
    for (;;) {
        line = strrchr(all, '\n');
        line = line ? line + 1 : all;
        if (line[strspn(line, " ")] || line == all)
            break;
        line[-1] = '\0';
    }
    line += strspn(line, " ");
    gp_fail(&why, GP_E_DEVICE, e->where, hint, "%s %s%s%.140s", what, at,
            *line ? "; it wrote: " : "", line);
    fail_engine(e, &why);
}

static double allowed_silence(const struct engine *e)
{
    double more = e->line.ready ? 0 : e->warmup;

    if (e->seconds && e->line.current >= 0)
        more += SLOWER * e->seconds[e->line.current];
    return e->patience + more;
}

void runner_stop(struct runner *runner, enum stop_level level)
{
    static const char stop[] = "{\"do\":\"stop\"}\n";

    for (size_t i = 0; i < runner->count; i++) {
        struct engine *e = runner->engine[i];

        if (e->over)
            continue;
        if (level == STOP_AFTER_POINT) {
            child_say(&e->child, stop, sizeof stop - 1);
            continue;
        }
        e->stop_now = true;
        ask_to_end(e);
    }
}

/* ---- lines ---- */

/* The next whole line that was read, without its newline; NULL when there is none. */
static const char *next_line(struct engine *e, size_t *len)
{
    char *from = e->buffer + e->start;
    char *end = memchr(from, '\n', e->end - e->start);
    struct gp_err why;

    if ((end ? (size_t)(end - from) : e->end - e->start) > PROTOCOL_LINE) {
        gp_fail(&why, GP_E_DEVICE, e->where, "", "it wrote a line of more than %d bytes",
                PROTOCOL_LINE);
        fail_engine(e, &why);
        return NULL;
    }
    if (!end)
        return NULL;
    *len = (size_t)(end - from);
    e->start += *len + 1;
    return from;
}

/* Judges lines until one is worth an event. */
static bool next_event(struct engine *e, struct runner_event *out, json_t **json)
{
    const char *line;
    size_t len;

    while (!e->failed && (line = next_line(e, &len))) {
        enum line_verdict verdict = line_judge(&e->line, e->where, line, len, out, json, &out->err);

        e->last_line = clock_now();
        if (verdict == LINE_REFUSED)
            fail_engine(e, &out->err);
        else if (verdict == LINE_IGNORED || line_is_progress(out->kind))
            e->last_progress = e->line.chatter ? e->last_progress : e->last_line;
        if (verdict == LINE_EVENT)
            return true;
        json_decref(*json);
        *json = NULL;
    }
    return false;
}

static void read_lines(struct engine *e)
{
    if (e->start > 0) {
        memmove(e->buffer, e->buffer + e->start, e->end - e->start);
        e->end -= e->start;
        e->start = 0;
    }
    if (e->end == BUFFER)
        return; /* next_line refuses it */
    long n = child_read(&e->child, e->buffer + e->end, BUFFER - e->end);
    if (n > 0)
        e->end += (size_t)n;
    e->eof = e->eof || n == 0;
}

/* ---- the end of an engine ---- */

static void last_event(struct engine *e, struct runner_event *out, json_t **json)
{
    enum run_status status = e->failed                                        ? RUN_FAILED
                             : e->line.done && e->line.status == RUN_COMPLETE ? RUN_COMPLETE
                                                                              : RUN_INTERRUPTED;
    char what[80];

    if (!e->failed && (!e->line.done || e->line.status == RUN_FAILED)) { /* was that a failure? */
        if (e->line.error)
            fail_engine(e, &e->line.said);
        else if (e->line.done)
            fail_engine_with(e, "", "said that it failed");
        else if (!e->stop_now)
            fail_engine_with(e, child_ending(&e->child, what, sizeof(what)), what);
    }
    e->over = true;
    out->index = -1;
    out->kind = e->failed ? EVENT_FAILED : EVENT_DONE;
    if (e->failed)
        out->err = e->why;
    *json =
        json_pack("{ss ss}", "t", line_kind_words[LINE_DONE], "status", run_status_words[status]);
    child_fini(&e->child);
}

/* Kills what was asked to end and did not; asks what should have ended by itself. */
static void hurry_engine(struct engine *e, double now)
{
    if (!e->ending_at && (e->eof || e->line.done || e->line.error))
        e->ending_at = now;
    if (!e->ending_at || now - e->ending_at < GRACE)
        return;
    if (!e->asked_to_end) {
        if (!e->line.done && !e->line.error)
            fail_engine_with(e, "", "closed its output but did not end");
        ask_to_end(e);
    } else if (!e->killed) {
        e->killed = true;
        child_signal(&e->child, SIGKILL);
    }
}

/* It is over when it was reaped and all it wrote was read. What outlived it in another group may
 * hold the pipe open: that is not waited for longer than GRACE. */
static bool engine_has_ended(struct engine *e, double now)
{
    hurry_engine(e, now);
    if (!child_reap(&e->child))
        return false;
    if (!e->ending_at)
        e->ending_at = now;
    child_read_words(&e->child);
    return e->failed || e->eof || now - e->ending_at > GRACE + 1;
}

/* ---- the common start ---- */

/* Is it still to become warm? One that begins without waiting is, whatever it says. */
static bool warms_up(const struct engine *e)
{
    return e->waits && !e->over && !e->failed && !e->asked_to_end && !e->eof && !e->line.ready &&
           !e->line.done && !e->line.error;
}

/* Warm, and silent until it is told to go. */
static bool is_held(const struct engine *e)
{
    return e->waits && e->line.ready && e->line.current < 0;
}

/* When the last one is warm, or has ended, the others need not wait any more. */
static void let_go(struct runner *runner)
{
    static const char go[] = "{\"do\":\"go\"}\n";

    for (size_t i = 0; i < runner->count; i++)
        if (warms_up(runner->engine[i]))
            return;
    for (size_t i = 0; i < runner->count; i++) {
        struct engine *e = runner->engine[i];

        if (e->waits && !e->over)
            child_say(&e->child, go, sizeof go - 1);
        e->waits = false;
    }
}

/* ---- the step ---- */

static bool deliver_event(struct runner *runner, struct runner_event *out)
{
    double now = clock_now();

    for (size_t n = 0; n < runner->count; n++) {
        size_t i = (runner->turn + n) % runner->count;
        struct engine *e = runner->engine[i];
        json_t *json = NULL;

        if (e->over)
            continue;
        memset(out, 0, sizeof(*out));
        out->engine = (int)i;
        if (!next_event(e, out, &json)) {
            if (!engine_has_ended(e, now))
                continue;
            last_event(e, out, &json);
        }
        out->json = runner->lent = json;
        runner->turn = i + 1;
        return true;
    }
    return false;
}

enum { STREAMS = 3 };

/* gap: seconds since the last time that we looked. */
static void take_streams(struct engine *e, const struct pollfd fds[STREAMS], double gap)
{
    double now = clock_now();
    char what[80];

    if (fds[1].revents)
        child_read_words(&e->child);
    if (fds[2].revents)
        child_flush(&e->child);
    if (fds[0].revents)
        read_lines(e);
    /* we were suspended, and what it wrote meanwhile is to be read; or it waits for us */
    if (gap > e->timeout || is_held(e))
        e->last_line = e->last_progress = now;
    if (e->over || e->ending_at)
        return;
    if (!fds[0].revents && now - e->last_line > e->timeout)
        gp_format(what, sizeof(what), "wrote nothing for %s s", UNITS_PLAIN(e->timeout, 3));
    else if (now - e->last_progress > allowed_silence(e))
        gp_format(what, sizeof(what), "wrote lines but made no progress for %s s",
                  UNITS_PLAIN(allowed_silence(e), 3));
    else
        return;
    fail_engine_with(e, "the device or its driver may hang; it was stopped", what);
}

static void wait_for_more(struct runner *runner, double left)
{
    struct pollfd *fds = gp_calloc(runner->count + 1, STREAMS * sizeof(*fds));
    double sleep = 0.25;

    for (size_t i = 0; i < runner->count; i++) {
        const struct engine *e = runner->engine[i];
        struct pollfd *fd = fds + STREAMS * i;
        bool out = !e->over && !e->failed && !e->eof;

        fd[0] = (struct pollfd){.fd = out ? e->child.out : -1, .events = POLLIN};
        fd[1] = (struct pollfd){.fd = e->over ? -1 : e->child.err, .events = POLLIN};
        fd[2] = (struct pollfd){.fd = !e->over && child_has_more(&e->child) ? e->child.in : -1,
                                .events = POLLOUT};
        /* a process that ends without closing anything, or that is being killed, must be looked
         * at */
        if (!e->over && (e->ending_at > 0 || e->eof))
            sleep = SLICE;
    }
    sleep = fmin(sleep, left);
    int ready = poll(fds, STREAMS * runner->count, sleep > 0 ? (int)ceil(sleep * 1e3) : 0);
    double gap = runner->looked > 0 ? clock_now() - runner->looked : 0;
    runner->looked = clock_now();
    for (size_t i = 0; ready >= 0 && i < runner->count; i++)
        take_streams(runner->engine[i], fds + STREAMS * i, gap);
    free(fds);
}

bool runner_step(struct runner *runner, double seconds, struct runner_event *out)
{
    double until = clock_now() + seconds, left = seconds;

    json_decref(runner->lent);
    runner->lent = NULL;
    for (;;) {
        if (deliver_event(runner, out))
            return true;
        let_go(runner);
        if (!runner_busy(runner) || left < 0)
            return false;
        wait_for_more(runner, left);
        left = until - clock_now();
        if (left <= 0)
            return deliver_event(runner, out);
    }
}

/* ---- where an engine program lies ---- */

static bool can_run(const char *path)
{
    return path_is_file(path) && access(path, X_OK) == 0;
}

bool runner_find(const char *name, char *path, size_t size)
{
    const char *asked = getenv("GPUPLAN_LIBEXEC");
    char program[64], beside[GP_PATH_MAX];

    if (!gp_format(program, sizeof(program), "gpuplan-bench-%s", name))
        return false;
    if (asked && *asked)
        return path_join(path, size, asked, program) && can_run(path);
    if (path_program_dir(beside, sizeof(beside)) && path_join(path, size, beside, program) &&
        can_run(path))
        return true;
    return *GP_LIBEXECDIR && path_join(path, size, GP_LIBEXECDIR, program) && can_run(path);
}
