/* runner_line.c - one table of message kinds, one check each. */
#include "measure/runner_line.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "measure/point/field.h"
#include "measure/point/protocol.h"
#include "measure/runner_answer.h"
#include "measure/session_device.h"

#define NUMBER_MAX 1e24    /* of anything: bytes/s, FLOP/s, seconds */
#define CHATTER_MAX 200000 /* lines in a row without progress */

void line_clean(char *dst, size_t size, const char *text)
{
    gp_copy(dst, size, text ? text : "");
    for (unsigned char *c = (unsigned char *)dst; *c; c++)
        if (*c < 0x20 || *c == 0x7f)
            *c = ' ';
}

static int order_limit(const int *order, int count)
{
    int limit = 0;

    for (int i = 0; i < count; i++)
        if ((order ? order[i] : i) >= limit)
            limit = (order ? order[i] : i) + 1;
    return limit;
}

void line_init(struct line_state *state, const struct point *points, const int *order, int count,
               int device)
{
    memset(state, 0, sizeof *state);
    state->points = points;
    state->device = device;
    state->current = -1;
    state->limit = order_limit(order, count);
    state->point = gp_calloc((size_t)state->limit + 1, sizeof *state->point);
    for (int i = 0; i < count; i++)
        state->point[order ? order[i] : i].asked++;
}

void line_fini(struct line_state *state)
{
    free(state->point);
    state->point = NULL;
}

/* Points asked for that have no answer at all. */
static int line_missing(const struct line_state *state)
{
    int missing = 0;

    for (int i = 0; i < state->limit; i++)
        if (state->point[i].asked > 0 && state->point[i].variants == 0)
            missing++;
    return missing;
}

/* ---- pieces of a line ------------------------------------------------------------ */

struct judge {
    struct line_state *state;
    const char *where;
    const json_t *line;
    struct runner_event *event;
    struct gp_err *err;
};

static bool refuse_line(const struct judge *j, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse_line(const struct judge *j, const char *fmt, ...)
{
    char raw[256], text[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(raw, sizeof raw, fmt, args);
    va_end(args);
    line_clean(text, sizeof text, raw);
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

/* ---- the fields ------------------------------------------------------------------ */

#define TEXT(called, most, properties)                                                             \
    {                                                                                              \
        .name = (called), .type = FIELD_STRING, .size = (most), .is = FIELD_CHECKED | (properties) \
    }
#define NUMBER(called, most)                                                        \
    {                                                                               \
        .name = (called), .type = FIELD_NUMBER, .high = (most), .is = FIELD_CHECKED \
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

static const struct field point_fields[] = {
    TEXT("variant", LINE_WORD - 1, FIELD_RAW),
    TEXT("reason", 1024, FIELD_RAW),
    OBJECT("time_s"),
    OBJECT("rate"),
    OBJECT("params"),
    OBJECT("algo"),
    OBJECT("sensors"),
    OBJECT("check"),
    NUMBER("rate.ops_per_s", NUMBER_MAX),
    NUMBER("rate.bytes_per_s", NUMBER_MAX),
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

/* ---- the kinds of line ----------------------------------------------------------- */

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
    return check_fields(j, FIELDS(hello_fields), NULL);
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
    return check_fields(j, FIELDS(device_fields), NULL) &&
           check_fields(j, FIELDS(session_device_fields), &unused);
}

/* An engine may come back to a point: each pass, and one more when passes drift. */
static bool take_start(struct judge *j)
{
    int index = asked_index(j);
    struct line_point *p;

    if (index < 0)
        return false;
    p = &j->state->point[index];
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

/* Only `fit` allocates and has nothing to time. */
static bool take_result(const struct judge *j, int index)
{
    const json_t *time = json_object_get(j->line, "time_s");
    bool timed = !bench_test_is(j->state->points[index].test, TEST_IS_ONCE);
    int state;

    if (!check_fields(j, FIELDS(state_field), &state))
        return false;
    if (state == POINT_OK && timed && !json_is_object(time))
        return refuse_line(j, "point %d is ok but has no times", index);
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
    int index = asked_index(j);
    const char *id = json_string_value(json_object_get(j->line, "id"));

    if (index < 0)
        return false;
    if (!j->state->point[index].started)
        return refuse_line(j, "it reported point %d without starting it", index);
    if (!id || strcmp(id, j->state->points[index].id) != 0)
        return refuse_line(j, "point %d is %s, not \"%.60s\"", index, j->state->points[index].id,
                           id ? id : "");
    j->event->index = index;
    return check_fields(j, FIELDS(point_fields), NULL) && take_result(j, index) &&
           count_answer(j, index);
}

static bool take_sensors(struct judge *j)
{
    j->event->index = j->state->current;
    return true;
}

static bool take_log(struct judge *j)
{
    return check_fields(j, FIELDS(log_fields), NULL);
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

    if (!check_fields(j, FIELDS(error_fields), NULL))
        return false;
    line_clean(text, sizeof text, json_string_value(json_object_get(j->line, "text")));
    line_clean(hint, sizeof hint, json_string_value(json_object_get(j->line, "hint")));
    gp_fail(&j->state->said, code < 0 ? GP_E_DEVICE : codes[code], j->where, hint, "%s", text);
    j->state->error = true;
    return true;
}

static bool take_done(struct judge *j)
{
    int status;

    if (!check_fields(j, FIELDS(status_field), &status))
        return false;
    j->state->done = true;
    j->state->status = (enum run_status)status;
    j->state->current = -1;
    if (j->state->status == RUN_COMPLETE && line_missing(j->state) > 0)
        return refuse_line(j, "it says that it is complete, but %d points have no result",
                           line_missing(j->state));
    return true;
}

static const struct kind {
    enum runner_event_kind event;
    bool report;
    bool (*take)(struct judge *judge);
} kinds[LINE_KINDS] = {
    [LINE_HELLO] = {EVENT_HELLO, true, take_hello},
    [LINE_DEVICE] = {EVENT_DEVICE, true, take_device},
    [LINE_READY] = {EVENT_READY, false, take_ready},
    [LINE_START] = {EVENT_START, true, take_start},
    [LINE_SENSORS] = {EVENT_SENSORS, true, take_sensors},
    [LINE_POINT] = {EVENT_POINT, true, take_point},
    [LINE_LOG] = {EVENT_LOG, true, take_log},
    [LINE_ERROR] = {EVENT_FAILED, false, take_error}, /* reported when it has ended */
    [LINE_DONE] = {EVENT_DONE, false, take_done},
};

bool line_is_progress(enum runner_event_kind kind)
{
    return kind != EVENT_SENSORS && kind != EVENT_LOG;
}

static const struct kind *find_kind(const char *word)
{
    int kind = line_word(line_kind_words, LINE_KINDS, word);

    return kind < 0 ? NULL : &kinds[kind];
}

/* The object's kind; NULL after a refusal, or when it is to be ignored. */
static const struct kind *kind_of(const struct judge *j, bool *refused)
{
    const char *word = json_string_value(json_object_get(j->line, "t"));
    const struct kind *kind = word ? find_kind(word) : NULL;

    *refused = true;
    if (!word)
        refuse_line(j, "a line is not an object with a word \"t\"");
    else if (!j->state->hello && (!kind || (kind->take != take_hello && kind->take != take_error &&
                                            kind->take != take_log)))
        refuse_line(j, "it said \"%.20s\" before hello", word);
    else if (j->state->done)
        refuse_line(j, "it went on after it was done");
    else
        *refused = false;
    return *refused ? NULL : kind;
}

/* An answer that cannot be kept becomes an error of its point; the engine goes on. */
static void keep_fit(const struct judge *j, json_t **json)
{
    const struct point *point = &j->state->points[j->event->index];
    json_t *unfit;
    char why[256];

    if (answer_fit(point, *json, why, sizeof why))
        return;
    unfit = answer_error(point, *json, why);
    json_decref(*json);
    *json = unfit;
}

enum line_verdict line_judge(struct line_state *state, const char *where, const char *text,
                             size_t len, struct runner_event *event, json_t **json,
                             struct gp_err *err)
{
    struct judge j = {.state = state, .where = where, .event = event, .err = err};
    const struct kind *kind;
    struct gp_err bad;
    bool refused;

    *json = NULL;
    if (gp_json_parse("", text, len, json, &bad) != GP_OK) {
        refuse_line(&j, "it wrote a line that is %s", bad.text);
        return LINE_REFUSED;
    }
    j.line = *json;
    kind = kind_of(&j, &refused);
    if (refused || !sane_numbers(&j, j.line))
        return LINE_REFUSED;
    if (kind && line_is_progress(kind->event))
        state->chatter = 0;
    else if (++state->chatter > CHATTER_MAX) {
        refuse_line(&j, "%ld lines in a row without any progress", state->chatter);
        return LINE_REFUSED;
    }
    if (!kind)
        return LINE_IGNORED;
    event->kind = kind->event;
    event->index = -1;
    if (!kind->take(&j))
        return LINE_REFUSED;
    if (kind->event == EVENT_POINT)
        keep_fit(&j, json);
    return kind->report ? LINE_EVENT : LINE_IGNORED;
}
