/*
 * bench_progress.c - what --bench says on standard error while it works.
 *
 * On a terminal one line that is written over, at most ten times a second:
 *   [ 37/212] gemm/bf16/4096x8x4096/weights-cold  812 TFLOP/s  61 C  688 W  ETA 4m10s
 * otherwise a line per point, at most one every five seconds; or JSON lines. The time
 * left is the sum of the estimates of what is left, times what the points done took
 * over what they were estimated at.
 */
#include "cli/bench_parts.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/json.h"

#define TTY_EVERY   0.1
#define PLAIN_EVERY 5.0
#define EWMA        0.9

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

static double eta(const struct bench_progress *p)
{
    double factor = p->estimated > 0 ? p->took / p->estimated : 1;

    return p->left > 0 ? p->left * factor : 0;
}

static void clear(struct bench_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}

static void write_json(const struct bench_progress *p, const char *id)
{
    json_t *json = json_object();
    struct strbuf out;

    json_object_set_new(json, "t", json_string("progress"));
    json_object_set_new(json, "done", json_integer(p->done));
    json_object_set_new(json, "of", json_integer(p->of));
    json_object_set_new(json, "id", gp_json_text(id));
    json_object_set_new(json, "rate", p->rate[0] ? gp_json_text(p->rate) : json_null());
    json_object_set_new(json, "temp_c",
                        p->temp > 0 ? gp_json_number(p->temp) : json_null());
    json_object_set_new(json, "power_w",
                        p->power > 0 ? gp_json_number(p->power) : json_null());
    json_object_set_new(json, "eta_s", gp_json_number(eta(p)));
    strbuf_init(&out);
    gp_json_write(json, false, &out);
    fprintf(stderr, "%s\n", out.text);
    strbuf_fini(&out);
    json_decref(json);
}

static void line(const struct bench_progress *p, const char *id, struct strbuf *out)
{
    int left = (int)(eta(p) + 0.5);

    strbuf_addf(out, "[%*d/%d] %s", p->of > 999 ? 4 : 3, p->done, p->of, id);
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

static void show(struct bench_job *job, const char *id, bool point)
{
    struct bench_progress *p = &job->progress;
    double now = bench_now();
    struct strbuf out;

    if (p->kind == PROGRESS_NONE || (p->kind != PROGRESS_TTY && !point))
        return;
    if (p->kind == PROGRESS_JSON) {
        write_json(p, id);
        return;
    }
    if (now - p->last < (p->kind == PROGRESS_TTY ? TTY_EVERY : PLAIN_EVERY) &&
        p->done < p->of)
        return;
    p->last = now;
    strbuf_init(&out);
    line(p, id, &out);
    if (p->kind == PROGRESS_TTY) {
        fprintf(stderr, "\r%.*s\033[K", 118, out.text);
        p->shown = true;
    } else {
        fprintf(stderr, "%s\n", out.text);
    }
    fflush(stderr);
    strbuf_fini(&out);
}

void bench_progress_start(struct bench_job *job, int device, int index)
{
    struct bench_progress *p = &job->progress;

    p->began[device] = bench_now();
    gp_copy(p->point[device], POINT_ID_MAX, job->points.point[index].id);
    show(job, p->point[device], false);
}

void bench_progress_sensors(struct bench_job *job, const json_t *sensors)
{
    struct bench_progress *p = &job->progress;

    p->temp = json_number_value(json_object_get(sensors, "temp_c"));
    p->power = json_number_value(json_object_get(sensors, "power_w"));
    show(job, p->point[0], false);
}

void bench_progress_point(struct bench_job *job, int device, int index,
                          const json_t *json)
{
    struct bench_progress *p = &job->progress;
    const struct point *point = &job->points.point[index];
    const json_t *rate = json_object_get(json, "rate");
    struct benchlog_point shown = {
        .test = bench_test_word(point->test),
        .type = bench_type_word(point->type),
        .median = json_number_value(
            json_object_get(json_object_get(json, "time_s"), "median")),
        .ops = json_number_value(json_object_get(rate, "ops_per_s")),
        .bytes = json_number_value(json_object_get(rate, "bytes_per_s")),
    };
    double now = bench_now();

    if (p->began[device] > 0) { /* else a further variant of the same point */
        p->estimated = EWMA * p->estimated + job->points.seconds[index];
        p->took = EWMA * p->took + (now - p->began[device]);
        p->left -= job->points.seconds[index] / job->device_count;
        p->done++;
    }
    p->began[device] = 0;
    benchlog_rate(p->rate, sizeof p->rate, &shown);
    show(job, point->id, true);
}

void bench_progress_say(struct bench_job *job, const char *text)
{
    struct bench_progress *p = &job->progress;

    clear(p);
    if (p->kind == PROGRESS_JSON) {
        json_t *json = json_object();
        struct strbuf out;

        json_object_set_new(json, "t", json_string("log"));
        json_object_set_new(json, "text", gp_json_text(text));
        strbuf_init(&out);
        gp_json_write(json, false, &out);
        fprintf(stderr, "%s\n", out.text);
        strbuf_fini(&out);
        json_decref(json);
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
