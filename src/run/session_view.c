/*
 * session_view.c - what can be seen of a session, as plain values.
 *
 * Results are read from the records when they are asked for; nothing is computed here
 * but the roofline, which is arithmetic.
 */
#include "run/session_parts.h"

#include <math.h>
#include <string.h>

#include "util/clock.h"
#include "util/json.h"
#include "util/mem.h"

/* ---- results ---- */

static int rank_of_variant(const json_t *point)
{
    return !benchlog_main_variant(session_word(point, "variant"));
}

static bool is_ok(const json_t *point)
{
    return strcmp(session_word(point, "state"), "ok") == 0;
}

void session_flag(json_t *point, const char *flag)
{
    json_t *flags = json_object_get(point, "flags"), *had;
    size_t i;

    if (!json_is_array(flags)) {
        json_object_set_new(point, "flags", json_array());
        flags = json_object_get(point, "flags");
    }
    json_array_foreach(flags, i, had)
    {
        if (json_is_string(had) && strcmp(json_string_value(had), flag) == 0)
            return;
    }
    json_array_append_new(flags, json_string(flag));
}

static bool is_wrong(const json_t *point)
{
    return json_is_false(json_object_get(json_object_get(point, "check"), "ok"));
}

/* Of two passes one has a figure: it is kept, with what the other came to. */
static void failed_once(json_t *good, const json_t *bad)
{
    char text[400];

    gp_format(text, sizeof text, "in another pass %s: %s", session_word(bad, "state"),
              session_word(bad, "reason"));
    json_object_set_new(good, "reason", gp_json_text(text));
    session_flag(good, "failed_once");
}

static double median_of(const json_t *point)
{
    return session_figure(json_object_get(point, "time_s"), "median");
}

/* Of three passes that drift, the engine has the last two in hand: is the middle one
 * the first, then that is it. */
static bool first_is_middle(const json_t *before, const json_t *now)
{
    const json_t *passes = json_object_get(now, "passes");
    double first = json_number_value(json_array_get(passes, 0));
    double second = json_number_value(json_array_get(passes, 1));
    double third = json_number_value(json_array_get(passes, 2));

    return json_array_size(passes) == 3 && (first - second) * (first - third) < 0 &&
           fabs(median_of(before) - first) <= 1e-9 * first;
}

/* Of two failures: an error tells more than what could not be done. */
static json_t *worse(json_t *before, json_t *now)
{
    return strcmp(session_word(before, "state"), "error") == 0 ? before : now;
}

/* Which of two passes of a variant stands for it: the later, but what was wrong once is
 * not made right by the next, and a figure is not lost to an error. */
static json_t *standing(json_t *before, json_t *now)
{
    if (is_ok(before) && is_ok(now)) {
        if (is_wrong(now) || !(is_wrong(before) || first_is_middle(before, now)))
            return now;
        json_object_set(before, "passes", json_object_get(now, "passes"));
        if (!is_wrong(before))
            session_flag(before, "drift");
        return before;
    }
    if (!is_ok(before) && !is_ok(now))
        return worse(before, now);
    if (is_ok(before))
        failed_once(before, now);
    else
        failed_once(now, before);
    return is_ok(before) ? before : now;
}

/* It failed before there were variants: that is of each of them. */
static bool is_of_all(const json_t *point)
{
    return !is_ok(point) && !session_word(point, "variant")[0];
}

static void show_failure(struct session_unit *u, int index, json_t *point)
{
    json_t **slot = u->shown + (size_t)index * SESSION_VARIANTS;
    json_t **bad = u->bad + index;

    *bad = *bad ? worse(*bad, point) : point;
    for (int i = 0; i < SESSION_VARIANTS && slot[i]; i++)
        if (is_ok(slot[i]))
            failed_once(slot[i], point);
    if (!slot[0] || is_of_all(slot[0]))
        slot[0] = *bad;
}

void session_show(struct session_unit *u, int index, json_t *point)
{
    json_t **slot = u->shown + (size_t)index * SESSION_VARIANTS;
    int i = 0;

    if (is_of_all(point)) {
        show_failure(u, index, point);
        return;
    }
    if (slot[0] && is_of_all(slot[0]))
        slot[0] = NULL;
    if (u->bad[index] && is_ok(point))
        failed_once(point, u->bad[index]);
    while (i < SESSION_VARIANTS && slot[i] &&
           strcmp(session_word(slot[i], "variant"), session_word(point, "variant")) !=
               0)
        i++;
    if (i == SESSION_VARIANTS)
        return;
    slot[i] = slot[i] ? standing(slot[i], point) : point;
    for (; i > 0 && rank_of_variant(slot[i - 1]) > rank_of_variant(slot[i]); i--) {
        json_t *other = slot[i - 1];

        slot[i - 1] = slot[i];
        slot[i] = other;
    }
}

static void read_flags(const json_t *point, struct session_result *out)
{
    const json_t *flag;
    size_t i, len = 0;

    json_array_foreach(json_object_get(point, "flags"), i, flag)
    {
        const char *word = json_string_value(flag);

        if (!word)
            continue;
        gp_format(out->flags + len, sizeof out->flags - len, "%s%s", len ? ", " : "",
                  word);
        len = strlen(out->flags);
        out->disturbed = out->disturbed || benchlog_flag_disturbs(word);
    }
}

static void read_time(const json_t *point, struct session_result *out)
{
    const json_t *time = json_object_get(point, "time_s");
    const json_t *band = json_object_get(time, "ci95");
    const json_t *low = json_array_get(band, 0), *high = json_array_get(band, 1);
    const json_t *n = json_object_get(time, "n");

    out->samples = (int)json_integer_value(n);
    out->median = session_figure(time, "median");
    out->min = session_figure(time, "min");
    out->max = session_figure(time, "max");
    out->low = json_is_number(low) ? json_number_value(low) : out->median;
    out->high = json_is_number(high) ? json_number_value(high) : out->median;
}

static void read_rate(const struct session *s, int index, const json_t *point,
                      struct session_result *out)
{
    const struct point *p = &s->points.point[index];
    const json_t *rate = json_object_get(point, "rate");
    struct benchlog_point shown = {.test = bench_test_word(p->test),
                                   .type = bench_type_word(p->type)};

    out->operations = session_figure(rate, "ops_per_s");
    out->bytes = session_figure(rate, "bytes_per_s");
    shown.median = isfinite(out->median) ? out->median : 0;
    shown.ops = isfinite(out->operations) ? out->operations : 0;
    shown.bytes = isfinite(out->bytes) ? out->bytes : 0;
    if (is_ok(point))
        benchlog_rate(out->rate, sizeof out->rate, &shown);
}

void session_read_result(const struct session *s, const struct session_unit *u,
                         int index, const json_t *point, struct session_result *out)
{
    struct roofline line = session_predict(u, &s->points.point[index]);
    const json_t *check = json_object_get(point, "check");
    const json_t *right = json_object_get(check, "ok");

    memset(out, 0, sizeof *out);
    out->variant = session_word(point, "variant");
    out->state = session_word(point, "state");
    out->reason = session_word(point, "reason");
    out->passes = (int)json_array_size(json_object_get(point, "passes"));
    read_time(point, out);
    read_rate(s, index, point, out);
    read_flags(point, out);
    out->check = json_is_boolean(right) ? json_is_true(right) : -1;
    out->predicted = line.time.known ? line.time.value : NAN;
    out->ratio = out->median > 0 ? out->predicted / out->median : NAN;
    out->bound = line.time.known ? roof_bound_word(line.bound) : "";
    out->origin = line.time.known ? origin_word(line.time.origin) : "";
}

/* ---- points ---- */

static enum session_mark mark_of(const struct session *s, const struct session_unit *u,
                                 int index)
{
    json_t **slot = u->shown + (size_t)index * SESSION_VARIANTS;
    const char *state = slot[0] ? session_word(slot[0], "state") : "";
    const json_t *right = json_object_get(json_object_get(slot[0], "check"), "ok");

    if (u->running == index)
        return MARK_RUNNING;
    if (slot[0] && strcmp(state, "ok") == 0)
        return json_is_false(right) ? MARK_WRONG : MARK_OK;
    if (slot[0])
        return strcmp(state, "unsupported") == 0 ? MARK_UNSUPPORTED : MARK_FAILED;
    return u->failed || s->state == SESSION_OVER || s->state == SESSION_DONE
               ? MARK_SKIPPED
               : MARK_WAITING;
}

const char *session_mark_word(enum session_mark mark)
{
    static const char *const words[] = {"waiting", "running",     "ok",     "wrong",
                                        "failed",  "unsupported", "skipped"};

    return (unsigned)mark < sizeof words / sizeof *words ? words[mark] : "?";
}

bool session_point(const struct session *s, int place, int index,
                   struct session_point *out)
{
    const struct session_unit *u = &s->unit[place];
    const struct point *p;

    memset(out, 0, sizeof *out);
    if (place < 0 || place >= s->count || index < 0 || index >= s->points.count)
        return false;
    p = &s->points.point[index];
    *out = (struct session_point){
        .index = index,
        .id = p->id,
        .test = bench_test_word(p->test),
        .type = bench_type_word(p->type),
        .layer = p->layer,
        .kind = point_kind(p),
        .m = p->m,
        .n = p->n,
        .k = p->k,
        .size = bench_test_is(p->test, TEST_IS_SIZED) ? p->bytes : 0,
        .seconds = s->points.seconds[index],
        .bytes = s->points.bytes[index],
        .operations = point_operations(p),
        .moved = point_bytes(p),
        .mark = mark_of(s, u, index),
    };
    for (int i = 0; i < SESSION_VARIANTS; i++) {
        const json_t *point = u->shown[(size_t)index * SESSION_VARIANTS + (size_t)i];

        if (point)
            session_read_result(s, u, index, point, &out->result[out->count++]);
    }
    return true;
}

int session_points(const struct session *s)
{
    return s->points.count;
}

/* ---- devices ---- */

static const char *driver_of(const struct session *s, const struct session_unit *u)
{
    const char *text = session_word(json_object_get(s->hello, "software"), "driver");

    return *text ? text : session_word(json_object_get(u->json, "more"), "driver");
}

static void describe(const struct session *s, const struct session_unit *u,
                     struct session_device *out)
{
    *out = (struct session_device){
        .id = u->index,
        .name = session_word(u->json, "name"),
        .driver = driver_of(s, u),
        .uuid = session_word(u->json, "uuid"),
        .pci = session_word(u->json, "pci"),
        .memory = session_figure(u->json, "memory"),
        .free = session_figure(u->json, "free"),
        .cache = session_figure(u->json, "cache"),
        .bandwidth = session_figure(u->json, "bandwidth_sheet"),
        .gpu = u->known ? &u->gpu : NULL,
        .failed = u->failed,
        .why = u->why,
        .running = u->running,
    };
}

int session_found(const struct session *s)
{
    return s->found ? (int)json_array_size(s->listed) : 0;
}

bool session_found_device(const struct session *s, int i, struct session_device *out)
{
    if (i < 0 || i >= session_found(s))
        return false;
    describe(s, &s->found[i], out);
    return true;
}

int session_devices(const struct session *s)
{
    return s->count;
}

bool session_device(const struct session *s, int place, struct session_device *out)
{
    if (place < 0 || place >= s->count)
        return false;
    describe(s, &s->unit[place], out);
    return true;
}

/* ---- sensors ---- */

/* The limits are facts of the device, told once; readings come with each line. */
static double fact(const struct session_unit *u, const char *key)
{
    double value = session_figure(json_object_get(u->opened, "more"), key);

    return isfinite(value) ? value
                           : session_figure(json_object_get(u->json, "more"), key);
}

static const char *throttle_of(const json_t *json)
{
    const json_t *bits = json_object_get(json, "throttle_bits");

    return json_is_integer(bits)
               ? throttle_word(method_throttle_now((uint64_t)json_integer_value(bits)))
               : "";
}

void session_sensors(const struct session_unit *u, const json_t *json,
                     struct session_sensors *out)
{
    double clock = session_figure(json, "sm_clock_mhz");
    double active = session_figure(json, "sm_active_pct");

    *out = (struct session_sensors){
        .power = session_figure(json, "power_w"),
        .power_limit = fact(u, "power_limit_w"),
        .sm_clock = isfinite(clock) ? clock : session_figure(json, "clock_mhz"),
        .sm_clock_max = fact(u, "sm_clock_max_mhz"),
        .memory_clock = session_figure(json, "mem_clock_mhz"),
        .temperature = session_figure(json, "temp_c"),
        .memory_temperature = session_figure(json, "mem_temp_c"),
        .memory_used = session_figure(json, "memory_used"),
        .memory_total = session_figure(u->json, "memory"),
        .busy =
            (isfinite(active) ? active : session_figure(json, "gpu_busy_pct")) / 100,
        .tensor = session_figure(json, "tensor_active_pct") / 100,
        .dram = session_figure(json, "dram_active_pct") / 100,
        .load = session_figure(json, "load1"),
        .throttle = throttle_of(json),
    };
}

/* ---- the whole ---- */

void session_plan(const struct session *s, struct session_plan *out)
{
    *out = (struct session_plan){
        .points = s->points.count,
        .passes = POINTS_PASSES,
        .devices = s->count,
        .subset = s->points_options.subset,
        .seconds = points_time(&s->points_options, &s->points),
        .bytes = s->points.most_bytes,
        .backend = s->backend,
        .chosen = s->chosen,
        .result = s->to_stdout ? "" : s->result,
        .journal = s->journal_path,
        .base = s->base,
    };
}

void session_progress(const struct session *s, struct session_progress *out)
{
    const struct session_estimate *e = &s->estimate;
    double factor = e->estimated > 0 ? e->took / e->estimated : 1;
    double now = s->ended > 0 ? s->ended : clock_now();
    double warmup = s->points_options.settings.device_warmup_min - (now - s->clock);
    double left = fmax(0, e->left) * factor +
                  fmax(0, e->rests) * s->points_options.settings.pause +
                  (e->warms ? fmax(0, warmup) : 0);

    *out = (struct session_progress){
        .done = e->done,
        .of = e->of,
        .elapsed = s->state == SESSION_LOOKING || s->state == SESSION_READY
                       ? 0
                       : now - s->clock,
        .left = s->state == SESSION_WORKING ? left : 0,
    };
}

int session_notes(const struct session *s)
{
    return s->note_count + s->points.note_count + (s->chosen[0] != '\0');
}

const char *session_note(const struct session *s, int i)
{
    if (i < 0 || i >= session_notes(s))
        return "";
    if (i < s->note_count)
        return s->note[i].text;
    i -= s->note_count;
    return i < s->points.note_count ? s->points.note[i] : s->chosen;
}

const char *session_note_code(const struct session *s, int i)
{
    if (i >= 0 && i < s->note_count)
        return s->note[i].code;
    return i - s->note_count < s->points.note_count ? "plan" : "device";
}
