/* runner_line.c - one table of message kinds, one check each; see runner_line.h. */
#include "measure/runner_line.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "measure/point/protocol.h"
#include "measure/point/result.h"
#include "measure/session.h"

#define APART 1e-6         /* figures that were written and read again */
#define NUMBER_MAX 1e24    /* of anything: bytes/s, FLOP/s, seconds */
#define CHATTER_MAX 200000 /* lines in a row without progress */

void line_clean(char *dst, size_t size, const char *text)
{
    gp_copy(dst, size, text ? text : "");
    for (unsigned char *c = (unsigned char *)dst; *c; c++)
        if (*c < 0x20 || *c == 0x7f)
            *c = ' ';
}

void line_init(struct line_state *state, const struct point *points, const int *order, int count,
               int device)
{
    memset(state, 0, sizeof(*state));
    state->points = points;
    state->device = device;
    state->current = -1;
    for (int i = 0; i < count; i++)
        if ((order ? order[i] : i) >= state->limit)
            state->limit = (order ? order[i] : i) + 1;
    state->point = gp_calloc((size_t)state->limit + 1, sizeof(*state->point));
    for (int i = 0; i < count; i++)
        state->point[order ? order[i] : i].asked++;
}

void line_fini(struct line_state *state)
{
    free(state->point);
    state->point = NULL;
}

/* ---- pieces of a line ---- */

struct judge {
    struct line_state *state;
    const char *where;
    const json_t *line;
    struct runner_event *event;
    struct gp_err *err;
};

static __attribute__((format(printf, 2, 3))) bool refuse_line(const struct judge *j,
                                                              const char *fmt, ...)
{
    char raw[256], text[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(raw, sizeof(raw), fmt, args);
    va_end(args);
    line_clean(text, sizeof(text), raw);
    gp_fail(j->err, GP_E_DEVICE, j->where, "gpuplan and the engine may have different versions",
            "%s", text);
    return false;
}

/* Are these fields of the line what they should be? out: of those that are stored. */
static bool check_fields(const struct judge *j, const struct field *fields, int count, void *out)
{
    struct gp_err bad;
    struct reading reading = {.where = "", .err = &bad};

    return fields_read(&reading, fields, count, j->line, out) ||
           refuse_line(j, "%s %s", bad.where, bad.text);
}

/* Every number anywhere in the line is one that a measurement can give. */
static bool sane_numbers(const struct judge *j, const json_t *value)
{
    const char *key;
    json_t *item;
    size_t i;

    if (json_is_number(value) && !(fabs(json_number_value(value)) <= NUMBER_MAX))
        return refuse_line(j, "the number %g is too large", json_number_value(value));
    json_object_foreach((json_t *)value, key, item) if (!sane_numbers(j, item)) return false;
    json_array_foreach(value, i, item) if (!sane_numbers(j, item)) return false;
    return true;
}

/* The index, when it is one that was asked for; -1 after a refusal. */
static int asked_index(const struct judge *j)
{
    const json_t *value = json_object_get(j->line, "index");
    json_int_t index = json_integer_value(value);

    if (!json_is_integer(value)) {
        refuse_line(j, "a point has no index");
        return -1;
    }
    if (index < 0 || index >= j->state->limit || !j->state->point[index].asked) {
        refuse_line(j, "point %lld was not asked for", (long long)index);
        return -1;
    }
    return (int)index;
}

/* ---- the fields ---- */

#define TEXT(called, most, properties)                                                             \
    {                                                                                              \
        .name = (called), .type = FIELD_STRING, .size = (most), .is = FIELD_CHECKED | (properties) \
    }
#define OBJECT(called)                         \
    {                                          \
        .name = (called), .type = FIELD_OBJECT \
    }

static const struct field hello_fields[] = {
    TEXT("engine", LINE_WORD, FIELD_NEEDED | FIELD_RAW),
    TEXT("version", 512, FIELD_RAW),
    OBJECT("software"),
};

/* Beside session_device_fields. */
static const struct field device_fields[] = {
    TEXT("host", 256, 0), /* no file with a control character in it could be read */
    TEXT("kind", LINE_WORD, FIELD_RAW),
};

#define WORD(called, list, count)                                                                  \
    {                                                                                              \
        .name = (called), .type = FIELD_WORD, .words = (list), .size = (count), .is = FIELD_NEEDED \
    } /* into an int */

static const struct field state_field[] = {WORD("state", point_state_words, POINT_STATES)};
static const struct field status_field[] = {WORD("status", run_status_words, RUN_STATUSES)};

static const struct field log_fields[] = {
    TEXT("level", LINE_WORD, FIELD_RAW),
    TEXT("text", 8192, FIELD_NEEDED | FIELD_RAW),
};

static const struct field error_fields[] = {
    TEXT("text", 8192, FIELD_NEEDED | FIELD_RAW),
    TEXT("hint", 8192, FIELD_RAW),
};

/* ---- the kinds of line ---- */

static bool take_hello(struct judge *j)
{
    const json_t *protocol = json_object_get(j->line, "protocol");

    if (j->state->hello)
        return refuse_line(j, "it said hello twice");
    if (!json_is_integer(protocol))
        return refuse_line(j, "its hello has no protocol");
    if (json_integer_value(protocol) != PROTOCOL_VERSION)
        return refuse_line(j, "it speaks protocol %lld, this gpuplan speaks %d",
                           (long long)json_integer_value(protocol), PROTOCOL_VERSION);
    j->state->hello = true;
    return true;
}

static bool take_device(struct judge *j)
{
    const json_t *index = json_object_get(j->line, "index");
    struct session_device unused;

    if (j->state->known_device && !j->state->listing)
        return refuse_line(j, "it named its device twice");
    if (!json_is_integer(index) || json_integer_value(index) < 0 ||
        (!j->state->listing && json_integer_value(index) != j->state->device))
        return refuse_line(j, "it opened device %lld, not %d", (long long)json_integer_value(index),
                           j->state->device);
    j->state->known_device = true;
    return check_fields(j, FIELDS(session_device_fields), &unused);
}

/* An engine may come back to a point: each pass, and one more when passes drift. */
static bool take_start(struct judge *j)
{
    int index = asked_index(j);

    if (index < 0)
        return false;
    struct line_point *p = &j->state->point[index];
    if (++p->started > p->asked + 2)
        return refuse_line(j, "it started point %d %d times", index, p->started);
    j->state->current = index;
    j->state->ready = true;
    j->event->index = index;
    return true;
}

static bool take_ready(struct judge *j)
{
    j->state->ready = true;
    return true;
}

/* Counts the answer under its variant; a second one for the same pass is a lie. */
static bool count_answer(const struct judge *j, int index)
{
    struct line_point *p = &j->state->point[index];
    const char *name = json_string_value(json_object_get(j->line, "variant"));
    int v = 0;

    name = name ? name : "";
    while (v < p->variants && strcmp(p->variant[v], name) != 0)
        v++;
    if (v == LINE_VARIANTS)
        return refuse_line(j, "point %d has more than %d variants", index, LINE_VARIANTS);
    if (v == p->variants) {
        gp_copy(p->variant[v], LINE_WORD, name);
        p->variants++;
    }
    if (++p->answered[v] > p->asked)
        return refuse_line(j, "it reported point %d %d times%s%s", index, p->answered[v],
                           *name ? ", variant " : "", name);
    return true;
}

static bool take_point(struct judge *j)
{
    int index = asked_index(j), state;
    const char *id = json_string_value(json_object_get(j->line, "id"));

    if (index < 0)
        return false;
    if (!j->state->point[index].started)
        return refuse_line(j, "it reported point %d without starting it", index);
    if (!id || strcmp(id, j->state->points[index].id) != 0)
        return refuse_line(j, "point %d is %s, not \"%.60s\"", index, j->state->points[index].id,
                           id ? id : "");
    j->event->index = index;
    return check_fields(j, FIELDS(state_field), &state) && count_answer(j, index);
}

/* The engine's own last words become the error that is reported. */
static bool take_error(struct judge *j)
{
    static const char *const words[] = {"usage", "file", "device", "check", "nothing", "internal"};
    static const enum gp_status codes[] = {GP_E_USAGE, GP_E_FILE,    GP_E_DEVICE,
                                           GP_E_CHECK, GP_E_NOTHING, GP_E_INTERNAL};
    char text[320], hint[256];
    int code = line_word(words, sizeof(words) / sizeof(words[0]),
                         json_string_value(json_object_get(j->line, "code")));

    line_clean(text, sizeof(text), json_string_value(json_object_get(j->line, "text")));
    line_clean(hint, sizeof(hint), json_string_value(json_object_get(j->line, "hint")));
    gp_fail(&j->state->said, code < 0 ? GP_E_DEVICE : codes[code], j->where, hint, "%s", text);
    j->state->error = true;
    return true;
}

static bool take_done(struct judge *j)
{
    int status, missing = 0;

    if (!check_fields(j, FIELDS(status_field), &status))
        return false;
    j->state->done = true;
    j->state->status = (enum run_status)status;
    j->state->current = -1;
    for (int i = 0; i < j->state->limit; i++)
        missing += j->state->point[i].asked > 0 && j->state->point[i].variants == 0;
    if (j->state->status == RUN_COMPLETE && missing > 0)
        return refuse_line(j, "it says that it is complete, but %d points have no result", missing);
    return true;
}

static const struct kind {
    enum runner_event_kind event;
    bool report;
    bool (*take)(struct judge *judge); /* NULL: there is nothing to take */
    const struct field *fields;        /* of which nothing is stored */
    int count;
} kinds[LINE_KINDS] = {
    [LINE_HELLO] = {EVENT_HELLO, true, take_hello, FIELDS(hello_fields)},
    [LINE_DEVICE] = {EVENT_DEVICE, true, take_device, FIELDS(device_fields)},
    [LINE_READY] = {EVENT_READY, false, take_ready, NULL, 0},
    [LINE_START] = {EVENT_START, true, take_start, NULL, 0},
    [LINE_SENSORS] = {EVENT_SENSORS, true, NULL, NULL, 0},
    [LINE_POINT] = {EVENT_POINT, true, take_point, NULL, 0},
    [LINE_LOG] = {EVENT_LOG, true, NULL, FIELDS(log_fields)},
    /* reported when it has ended */
    [LINE_ERROR] = {EVENT_FAILED, false, take_error, FIELDS(error_fields)},
    [LINE_DONE] = {EVENT_DONE, false, take_done, NULL, 0},
};

bool line_is_progress(enum runner_event_kind kind)
{
    return kind != EVENT_SENSORS && kind != EVENT_LOG;
}

/* ---- may what it says of a point be kept? ---- */

static bool is_clean_text(const json_t *text)
{
    const char *c = json_string_value(text);

    if (!c || json_string_length(text) > 512)
        return false;
    while (*c && (unsigned char)*c >= 0x20 && *c != 0x7f)
        c++;
    return !*c;
}

/* What no program reads, but people and scripts do. */
static void check_words(struct reading *r, const json_t *line)
{
    const json_t *name = json_object_get(json_object_get(line, "algo"), "name");
    const json_t *ok = json_object_get(json_object_get(line, "check"), "ok");
    const json_t *valid = json_object_get(line, "valid");
    json_t *flag;
    size_t i;

    if (name && !json_is_null(name) && !is_clean_text(name))
        reading_refuse(r, "algo.name", "is not printable text");
    if (ok && !json_is_null(ok) && !json_is_boolean(ok))
        reading_refuse(r, "check.ok", "is neither true nor false");
    if (valid && !json_is_null(valid) && !json_is_boolean(valid))
        reading_refuse(r, "valid", "is neither true nor false");
    json_array_foreach(json_object_get(line, "flags"), i, flag)
    {
        if (!is_clean_text(flag))
            reading_refuse(r, "", "flags[%zu] is not printable text", i);
    }
}

static void check_figure(struct reading *r, const char *name, const json_t *said, double is)
{
    double number = json_number_value(said);

    if (!json_is_number(said))
        reading_refuse(r, name, "is missing");
    else if (!(fabs(number - is) <= APART * fmax(fabs(number), fabs(is))))
        reading_refuse(r, "", "the engine's figures contradict its samples: %s is %.9g, not %.9g",
                       name, number, is);
}

/* Median, interval, least and most are those of the samples, and the rates the plan's operations
 * and bytes over the median. */
static void check_figures(struct reading *r, const struct point *point, const json_t *line)
{
    const json_t *time = json_object_get(line, "time_s"), *rate = json_object_get(line, "rate");
    const json_t *list = json_object_get(time, "samples"), *ci = json_object_get(time, "ci95");
    double samples[METHOD_MAX_SAMPLES];
    int n = (int)json_array_size(list);

    if (n < 1 || n > METHOD_MAX_SAMPLES) {
        reading_refuse(r, "time_s.samples", "are missing");
        return;
    }
    for (int i = 0; i < n; i++)
        samples[i] = json_number_value(json_array_get(list, (size_t)i));
    struct stats is = method_stats(samples, NULL, n);
    check_figure(r, "time_s.median", json_object_get(time, "median"), is.median);
    check_figure(r, "time_s.min", json_object_get(time, "min"), is.min);
    check_figure(r, "time_s.max", json_object_get(time, "max"), is.max);
    check_figure(r, "time_s.ci95[0]", json_array_get(ci, 0), is.ci95_low);
    check_figure(r, "time_s.ci95[1]", json_array_get(ci, 1), is.ci95_high);
    for (int i = 0; i < 2; i++) {
        double work = i ? point_bytes(point) : point_operations(point);
        const json_t *said = json_object_get(rate, i ? "bytes_per_s" : "ops_per_s");
        const char *name = i ? "rate.bytes_per_s" : "rate.ops_per_s";

        if (work > 0)
            check_figure(r, name, said, work / is.median);
        else if (said && !json_is_null(said))
            reading_refuse(r, name, "is of a point that has none");
    }
}

/* An answer that cannot be kept becomes an error of its point that names the field, so that one odd
 * value costs neither the engine nor the result file. */
static void keep_fit(const struct judge *j, json_t **json)
{
    const struct point *point = &j->state->points[j->event->index];
    const char *type = bench_type_word(point->type), *variant;
    struct gp_err err;
    struct reading r = {.where = "", .err = &err};
    struct point_result result;
    char raw[256], why[256], name[LINE_WORD];

    if (result_read(&r, *json, RESULT_ANSWER, &result))
        check_words(&r, *json);
    if (!r.status && result.state == POINT_OK && strcmp(result.type_word, type) != 0)
        reading_refuse(&r, "params.type", "is \"%.32s\", not \"%s\"", result.type_word, type);
    if (!r.status && result.state == POINT_OK)
        check_figures(&r, point, *json);
    if (!r.status)
        return;
    variant = json_string_value(json_object_get(*json, "variant"));
    line_clean(name, sizeof(name), variant ? variant : "");
    gp_format(raw, sizeof(raw), "%.120s%s%.120s", err.where, err.where[0] ? " " : "", err.text);
    line_clean(why, sizeof(why), raw);
    result = (struct point_result){
        .id = point->id, .state = POINT_ERROR, .reason = why, .variant = name};
    json_decref(*json);
    *json = json_pack("{ss si}", "t", line_kind_words[LINE_POINT], "index", j->event->index);
    result_write(&result, RESULT_ANSWER, *json);
    json_object_set_new(*json, "params", point_to_json(point));
}

/* ---- a line ---- */

enum line_verdict line_judge(struct line_state *state, const char *where, const char *text,
                             size_t len, struct runner_event *event, json_t **json,
                             struct gp_err *err)
{
    struct judge j = {.state = state, .where = where, .event = event, .err = err};
    struct gp_err bad;
    bool fits = true;

    *json = NULL;
    if (gp_json_parse("", text, len, json, &bad) != GP_OK) {
        refuse_line(&j, "it wrote a line that is %s", bad.text);
        return LINE_REFUSED;
    }
    j.line = *json;
    const char *word = json_string_value(json_object_get(j.line, "t"));
    int place = line_word(line_kind_words, LINE_KINDS, word);
    const struct kind *kind = place < 0 ? NULL : &kinds[place];
    state->chatter = kind && line_is_progress(kind->event) ? 0 : state->chatter + 1;
    if (!word)
        fits = refuse_line(&j, "a line is not an object with a word \"t\"");
    else if (!state->hello && place != LINE_HELLO && place != LINE_ERROR && place != LINE_LOG)
        fits = refuse_line(&j, "it said \"%.20s\" before hello", word);
    else if (state->done)
        fits = refuse_line(&j, "it went on after it was done");
    else if (state->chatter > CHATTER_MAX)
        fits = refuse_line(&j, "%ld lines in a row without any progress", state->chatter);
    if (!fits || !sane_numbers(&j, j.line))
        return LINE_REFUSED;
    if (!kind)
        return LINE_IGNORED;
    event->kind = kind->event;
    event->index = kind->event == EVENT_SENSORS ? state->current : -1;
    if ((kind->take && !kind->take(&j)) || !check_fields(&j, kind->fields, kind->count, NULL))
        return LINE_REFUSED;
    if (kind->event == EVENT_POINT)
        keep_fit(&j, json);
    return kind->report ? LINE_EVENT : LINE_IGNORED;
}
