/*
 * bench_progress.c - what --bench prints on standard error while it works.
 *
 * On a terminal one line that is written over, at most ten times a second:
 *   [ 37/212] gemm/bf16/4096x8x4096/weights-cold  812 TFLOP/s  61 C  688 W  ETA 4m10s
 * otherwise a line per point, at most one every five seconds, and in a long one a line a minute; or
 * the same as JSON lines, each point's.
 */
#include "cli/bench_progress.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/say.h"

#define TTY_EVERY 0.1
#define PLAIN_EVERY 5.0
#define LONG_EVERY 60.0 /* in a point that takes long */

static void clear_line(struct bench_progress *p)
{
    if (p->shown)
        log_over("");
    p->shown = false;
}

static void write_json(json_t *json)
{
    struct strbuf out = STRBUF_EMPTY;

    gp_json_write(json, false, &out);
    log_line("%s", out.text);
    strbuf_fini(&out);
    json_decref(json);
}

static void put_number(json_t *json, const char *name, double number)
{
    json_object_set_new(json, name, isfinite(number) ? gp_json_number(number) : json_null());
}

static void say_progress_json(const struct bench_progress *p, const struct session *session,
                              const struct session_progress *at)
{
    struct session_sensors now = p->sensors[p->device];
    struct session_device device;
    json_t *json = json_pack("{ss si si}", "t", "progress", "done", at->done, "of", at->of);

    if (session_device(session, p->device, &device))
        json_object_set_new(json, "device", json_integer(device.id));
    json_object_set_new(json, "id", gp_json_text(p->point));
    json_object_set_new(json, "rate", gp_json_text_or_null(p->rate));
    put_number(json, "ops_per_s", p->operations > 0 ? p->operations : NAN);
    put_number(json, "bytes_per_s", p->bytes > 0 ? p->bytes : NAN);
    for (int i = 0; i < SESSION_SENSOR_ROWS; i++)
        put_number(json, session_sensor_rows[i].name,
                   session_sensor_rows[i].unit * *session_sensor(&now, i));
    json_object_set_new(json, "throttle", gp_json_text_or_null(now.throttle));
    put_number(json, "elapsed_s", at->elapsed);
    put_number(json, "eta_s", at->left);
    write_json(json);
}

/* What fits beside the cursor on the terminal; elsewhere a line has no end. */
static int line_room(const struct bench_progress *p)
{
    struct winsize size;

    if (p->kind != PROGRESS_TTY)
        return INT_MAX;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col < 2)
        return 79;
    return size.ws_col - 1;
}

/* Of a point whose name is too long its end, where the shape stands. */
static void add_line(const struct bench_progress *p, const struct session_progress *at,
                     struct strbuf *out)
{
    const char *name = p->point[0] ? p->point : "warm-up";
    const struct session_sensors *now = &p->sensors[p->device];
    int eta = (int)(at->left + 0.5);
    struct strbuf end = STRBUF_EMPTY;

    if (p->rate[0])
        strbuf_addf(&end, "  %s", p->rate);
    if (isfinite(now->temperature))
        strbuf_addf(&end, "  %.0f C", now->temperature);
    if (isfinite(now->power))
        strbuf_addf(&end, "  %.0f W", now->power);
    if (eta >= 60)
        strbuf_addf(&end, "  ETA %dm%02ds", eta / 60, eta % 60);
    else
        strbuf_addf(&end, "  ETA %ds", eta);
    strbuf_addf(out, "[%*d/%d] ", at->of > 999 ? 4 : 3, at->done, at->of);
    int left = line_room(p) - (int)out->len - (int)end.len;
    if ((int)strlen(name) <= left)
        strbuf_add(out, name);
    else if (left > 3)
        strbuf_addf(out, "..%s", name + strlen(name) - (size_t)(left - 2));
    strbuf_add(out, end.text);
    strbuf_fini(&end);
}

static void show_progress(struct bench_progress *p, const struct session *session, bool point)
{
    struct session_progress at;
    double now = clock_now();
    struct strbuf out = STRBUF_EMPTY;

    if (p->kind == PROGRESS_NONE ||
        (p->kind != PROGRESS_TTY && !point && now - p->last < LONG_EVERY))
        return;
    session_progress(session, &at);
    if (p->kind == PROGRESS_JSON) {
        p->last = now;
        say_progress_json(p, session, &at);
        return;
    }
    if (now - p->last < (p->kind == PROGRESS_TTY ? TTY_EVERY : PLAIN_EVERY) && at.done < at.of)
        return;
    p->last = now;
    add_line(p, &at, &out);
    if (p->kind == PROGRESS_TTY) {
        out.text[out.len < (size_t)line_room(p) ? out.len : (size_t)line_room(p)] = '\0';
        log_over(out.text);
        p->shown = true;
    } else {
        log_line("%s", out.text);
    }
    strbuf_fini(&out);
}

static void take_id(struct bench_progress *p, const struct session *session,
                    const struct session_event *event)
{
    struct session_point point;

    if (!session_point(session, event->device, event->index, &point))
        return;
    p->device = event->device;
    gp_copy(p->point, sizeof(p->point), point.point->id);
}

static void progress_event(struct bench_progress *p, const struct session *session,
                           const struct session_event *event)
{
    switch (event->kind) {
    case SESSION_EVENT_BEGIN:
        take_id(p, session, event);
        show_progress(p, session, false);
        break;
    case SESSION_EVENT_SENSORS:
        p->sensors[event->device] = event->sensors;
        show_progress(p, session, false);
        break;
    case SESSION_EVENT_POINT:
        take_id(p, session, event);
        p->rate[0] = '\0';
        if (event->result.state == POINT_OK)
            result_rate(p->rate, sizeof(p->rate), &event->result);
        p->operations = event->result.ops;
        p->bytes = event->result.bytes;
        show_progress(p, session, true);
        break;
    case SESSION_EVENT_LOG:
        if (p->verbose)
            bench_progress_say(p, event->text);
        break;
    case SESSION_EVENT_NOTE:
    case SESSION_EVENT_LOST:
        bench_progress_say(p, event->text);
        break;
    default:
        break;
    }
}

void bench_progress_say(struct bench_progress *p, const char *text)
{
    struct strbuf line = STRBUF_EMPTY;

    clear_line(p);
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        strbuf_clear(&line);
        strbuf_addn(&line, text, n);
        if (p->kind == PROGRESS_JSON)
            write_json(json_pack("{ss so}", "t", "log", "text", gp_json_text(line.text)));
        else
            log_line("gpuplan: %s", line.text);
    }
    strbuf_fini(&line);
}

/* ---- a run ---- */

void bench_run_init(struct bench_run *run, struct invocation *in,
                    enum gp_status (*ready)(struct bench_run *run, struct gp_err *err))
{
    static const enum progress_kind kinds[] = {PROGRESS_PLAIN, PROGRESS_PLAIN, PROGRESS_JSON,
                                               PROGRESS_NONE};
    int word = options_choice(&in->options, OPT_PROGRESS); /* auto, plain, json, none */
    struct bench_progress *p = &run->progress;

    run->in = in;
    run->ready = ready;
    p->verbose = in->verbose;
    p->kind = word > 0                ? kinds[word]
              : in->quiet             ? PROGRESS_NONE
              : isatty(STDERR_FILENO) ? PROGRESS_TTY
                                      : PROGRESS_PLAIN;
    p->last = clock_now() - PLAIN_EVERY;
    for (int i = 0; i < SESSION_DEVICES; i++) {
        for (int k = 0; k < SESSION_SENSOR_ROWS; k++)
            *session_sensor(&p->sensors[i], k) = NAN;
        p->sensors[i].throttle = "";
    }
}

void bench_run_notes(struct bench_run *run)
{
    for (int i = 0; i < session_notes(run->session) && !run->in->quiet; i++)
        bench_progress_say(&run->progress, session_note(run->session, i));
}

static bool run_event(void *ctx, const struct session_event *event)
{
    struct bench_run *run = ctx;

    if (run->seen)
        run->seen(run, event);
    if (event->kind == SESSION_EVENT_READY)
        run->rc = run->ready(run, &run->err);
    if (event->kind == SESSION_EVENT_FAILED) {
        run->err = event->err;
        run->rc = event->err.code;
    }
    run->over |= event->kind == SESSION_EVENT_OVER;
    progress_event(&run->progress, run->session, event);
    return !run->rc && !run->over;
}

enum gp_status bench_run_drive(struct bench_run *run, struct gp_err *err)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

    session_signals_catch(numbers, 3);
    session_drive(run->session, run_event, run);
    clear_line(&run->progress);
    if (run->rc)
        *err = run->err;
    return run->rc;
}

int bench_run_end(struct bench_run *run)
{
    int signal, code = session_signals(&signal) ? 128 + signal : 0;

    session_signals_release();
    session_free(run->session);
    return code;
}
