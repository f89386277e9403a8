/* runner_answer.c - one point of a result file, and what its samples come to. */
#include "measure/runner_answer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "measure/point/method.h"
#include "measure/result/benchlog.h"
#include "measure/runner_line.h"

#define APART 1e-6 /* figures that were written and read again */
#define TEXT_MAX 512

struct answer {
    const struct point *point;
    const json_t *line;
    char *why;
    size_t size;
};

static bool refuse_answer(const struct answer *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse_answer(const struct answer *a, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(a->why, a->size, fmt, args);
    va_end(args);
    return false;
}

/* ---- as a file's reader sees it ---- */

bool answer_readable(const json_t *point, char *why, size_t size)
{
    json_t *copy = json_copy((json_t *)point);
    json_t *file =
        json_pack("{s:s, s:s, s:[{s:i, s:s}], s:[O]}", "schema", BENCHLOG_SCHEMA, "status",
                  "complete", "devices", "id", 0, "name", "engine", "points", copy);
    struct benchlog log;
    struct gp_err err = {0};
    bool fit;

    /* what is gpuplan's to say, and comes later */
    json_object_set_new(copy, "device", json_integer(0));
    json_object_set_new(copy, "test", json_string(""));
    json_object_del(copy, "predicted");
    fit = benchlog_from_json("", file, &log, &err) == GP_OK;
    if (fit) {
        benchlog_fini(&log);
    } else {
        const char *field = strstr(err.where, "points[0].");

        gp_format(why, size, "%s %s", field ? field + strlen("points[0].") : err.where, err.text);
    }
    json_decref(copy);
    json_decref(file);
    return fit;
}

static bool is_clean_text(const json_t *text)
{
    const char *c = json_string_value(text);

    if (!c || json_string_length(text) > TEXT_MAX)
        return false;
    while (*c && (unsigned char)*c >= 0x20 && *c != 0x7f)
        c++;
    return !*c;
}

static bool is_yes_or_no(const json_t *value)
{
    return !value || json_is_null(value) || json_is_boolean(value);
}

/* What benchlog does not read, but people and scripts do. */
static bool check_words(const struct answer *a)
{
    const json_t *name = json_object_get(json_object_get(a->line, "algo"), "name");
    const json_t *check = json_object_get(a->line, "check");
    json_t *flag;
    size_t i;

    if (name && !json_is_null(name) && !is_clean_text(name))
        return refuse_answer(a, "algo.name is not printable text");
    if (!is_yes_or_no(json_object_get(check, "ok")))
        return refuse_answer(a, "check.ok is neither true nor false");
    if (!is_yes_or_no(json_object_get(a->line, "valid")))
        return refuse_answer(a, "valid is neither true nor false");
    json_array_foreach(json_object_get(a->line, "flags"), i, flag)
    {
        if (!is_clean_text(flag))
            return refuse_answer(a, "flags[%zu] is not printable text", i);
    }
    return true;
}

/* ---- figures ---- */

static bool is_near(double a, double b)
{
    return fabs(a - b) <= APART * fmax(fabs(a), fabs(b));
}

static bool check_figure(const struct answer *a, const char *name, const json_t *said, double is)
{
    if (!json_is_number(said))
        return refuse_answer(a, "%s is missing", name);
    if (!is_near(json_number_value(said), is))
        return refuse_answer(a, "the engine's figures contradict its samples: %s is %.9g, not %.9g",
                             name, json_number_value(said), is);
    return true;
}

static bool check_rate(const struct answer *a, const char *name, double work, double median)
{
    const json_t *said = json_object_get(json_object_get(a->line, "rate"), name);
    char full[48];

    gp_format(full, sizeof full, "rate.%s", name);
    if (work > 0)
        return check_figure(a, full, said, work / median);
    if (said && !json_is_null(said))
        return refuse_answer(a, "%s is of a point that has none", full);
    return true;
}

static bool check_figures(const struct answer *a, const json_t *time)
{
    const json_t *list = json_object_get(time, "samples");
    const json_t *ci = json_object_get(time, "ci95");
    double samples[METHOD_MAX_SAMPLES];
    int n = (int)json_array_size(list);
    struct stats is;

    if (n < 1 || n > METHOD_MAX_SAMPLES)
        return refuse_answer(a, "time_s.samples are missing");
    for (int i = 0; i < n; i++)
        samples[i] = json_number_value(json_array_get(list, (size_t)i));
    is = method_stats(samples, NULL, n);
    return check_figure(a, "time_s.median", json_object_get(time, "median"), is.median) &&
           check_figure(a, "time_s.min", json_object_get(time, "min"), is.min) &&
           check_figure(a, "time_s.max", json_object_get(time, "max"), is.max) &&
           check_figure(a, "time_s.ci95[0]", json_array_get(ci, 0), is.ci95_low) &&
           check_figure(a, "time_s.ci95[1]", json_array_get(ci, 1), is.ci95_high) &&
           check_rate(a, "ops_per_s", point_operations(a->point), is.median) &&
           check_rate(a, "bytes_per_s", point_bytes(a->point), is.median);
}

static bool check_type(const struct answer *a)
{
    const char *type =
        json_string_value(json_object_get(json_object_get(a->line, "params"), "type"));

    if (!type || strcmp(type, bench_type_word(a->point->type)) != 0)
        return refuse_answer(a, "params.type is \"%.32s\", not \"%s\"", type ? type : "",
                             bench_type_word(a->point->type));
    return true;
}

bool answer_fit(const struct point *point, const json_t *line, char *why, size_t size)
{
    const struct answer a = {point, line, why, size};
    const char *state = json_string_value(json_object_get(line, "state"));
    const json_t *time = json_object_get(line, "time_s");

    if (!answer_readable(line, why, size) || !check_words(&a))
        return false;
    if (!state || strcmp(state, "ok") != 0)
        return true;
    return check_type(&a) && (!json_is_object(time) || check_figures(&a, time));
}

json_t *answer_error(const struct point *point, const json_t *line, const char *why)
{
    json_t *json = json_object();
    char text[256], variant[LINE_WORD];

    line_clean(variant, sizeof variant, json_string_value(json_object_get(line, "variant")));
    line_clean(text, sizeof text, why);
    json_object_set_new(json, "t", json_string(line_kind_words[LINE_POINT]));
    json_object_set(json, "index", json_object_get(line, "index"));
    json_object_set_new(json, "id", gp_json_text(point->id));
    json_object_set_new(json, "state", json_string("error"));
    json_object_set_new(json, "reason", gp_json_text(text));
    json_object_set_new(json, "variant", gp_json_text(variant));
    json_object_set_new(json, "params", point_to_json(point));
    return json;
}
