/*
 * bench_progress.c - what --bench says on standard error while it works.
 *
 * On a terminal one line that is written over, at most ten times a second:
 *   [ 37/212] gemm/bf16/4096x8x4096/weights-cold  812 TFLOP/s  61 C  688 W  ETA 4m10s
 * otherwise a line per point, at most one every five seconds; or JSON lines.
 */
#include "cli/bench_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/json.h"

#define TTY_EVERY   0.1
#define PLAIN_EVERY 5.0

void bench_progress_init(struct bench_job *job, const char *word)
{
    struct bench_progress *p = &job->progress;

    p->kind = strcmp(word, "none") == 0    ? PROGRESS_NONE
              : strcmp(word, "json") == 0  ? PROGRESS_JSON
              : strcmp(word, "plain") == 0 ? PROGRESS_PLAIN
              : isatty(STDERR_FILENO)      ? PROGRESS_TTY
                                           : PROGRESS_PLAIN;
    if (job->in->quiet && strcmp(word, "auto") == 0)
        p->kind = PROGRESS_NONE;
    p->last = -PLAIN_EVERY;
}

static void clear(struct bench_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}

static void write_json(json_t *json)
{
    struct strbuf out;

    strbuf_init(&out);
    gp_json_write(json, false, &out);
    fprintf(stderr, "%s\n", out.text);
    strbuf_fini(&out);
    json_decref(json);
}

static void say_json(const struct bench_progress *p, const struct session_progress *at)
{
    json_t *json = json_object();

    json_object_set_new(json, "t", json_string("progress"));
    json_object_set_new(json, "done", json_integer(at->done));
    json_object_set_new(json, "of", json_integer(at->of));
    json_object_set_new(json, "id", gp_json_text(p->point));
    json_object_set_new(json, "rate", p->rate[0] ? gp_json_text(p->rate) : json_null());
    json_object_set_new(json, "temp_c",
                        p->temp > 0 ? gp_json_number(p->temp) : json_null());
    json_object_set_new(json, "power_w",
                        p->power > 0 ? gp_json_number(p->power) : json_null());
    json_object_set_new(json, "eta_s", gp_json_number(at->left));
    write_json(json);
}

static void line(const struct bench_progress *p, const struct session_progress *at,
                 struct strbuf *out)
{
    int left = (int)(at->left + 0.5);

    strbuf_addf(out, "[%*d/%d] %s", at->of > 999 ? 4 : 3, at->done, at->of, p->point);
    if (p->rate[0])
        strbuf_addf(out, "  %s", p->rate);
    if (p->temp > 0)
        strbuf_addf(out, "  %.0f C", p->temp);
    if (p->power > 0)
        strbuf_addf(out, "  %.0f W", p->power);
    if (left >= 60)
        strbuf_addf(out, "  ETA %dm%02ds", left / 60, left % 60);
    else
        strbuf_addf(out, "  ETA %ds", left);
}

static void show(struct bench_job *job, bool point)
{
    struct bench_progress *p = &job->progress;
    struct session_progress at;
    double now = bench_now();
    struct strbuf out;

    if (p->kind == PROGRESS_NONE || (p->kind != PROGRESS_TTY && !point))
        return;
    session_progress(job->session, &at);
    if (p->kind == PROGRESS_JSON) {
        say_json(p, &at);
        return;
    }
    if (now - p->last < (p->kind == PROGRESS_TTY ? TTY_EVERY : PLAIN_EVERY) &&
        at.done < at.of)
        return;
    p->last = now;
    strbuf_init(&out);
    line(p, &at, &out);
    if (p->kind == PROGRESS_TTY) {
        fprintf(stderr, "\r%.*s\033[K", 118, out.text);
        p->shown = true;
    } else {
        fprintf(stderr, "%s\n", out.text);
    }
    fflush(stderr);
    strbuf_fini(&out);
}

static void take_id(struct bench_job *job, const struct session_event *event)
{
    struct session_point point;

    if (session_point(job->session, event->device, event->index, &point))
        gp_copy(job->progress.point, sizeof job->progress.point, point.id);
}

void bench_progress_event(struct bench_job *job, const struct session_event *event)
{
    struct bench_progress *p = &job->progress;

    switch (event->kind) {
    case SESSION_EVENT_BEGIN:
        take_id(job, event);
        show(job, false);
        break;
    case SESSION_EVENT_SENSORS:
        p->temp = isfinite(event->sensors.temperature) ? event->sensors.temperature : 0;
        p->power = isfinite(event->sensors.power) ? event->sensors.power : 0;
        show(job, false);
        break;
    case SESSION_EVENT_POINT:
        take_id(job, event);
        gp_copy(p->rate, sizeof p->rate, event->result.rate);
        show(job, true);
        break;
    case SESSION_EVENT_LOG:
        if (job->in->verbose)
            bench_progress_say(job, event->text);
        break;
    case SESSION_EVENT_NOTE:
    case SESSION_EVENT_LOST:
        bench_progress_say(job, event->text);
        break;
    default:
        break;
    }
}

void bench_progress_say(struct bench_job *job, const char *text)
{
    struct bench_progress *p = &job->progress;
    json_t *json;

    clear(p);
    if (p->kind == PROGRESS_JSON) {
        json = json_object();
        json_object_set_new(json, "t", json_string("log"));
        json_object_set_new(json, "text", gp_json_text(text));
        write_json(json);
    } else {
        fprintf(stderr, "gpuplan: %s\n", text);
    }
    fflush(stderr);
}

void bench_progress_end(struct bench_job *job)
{
    clear(&job->progress);
    fflush(stderr);
}
