/*
 * s_bench_live.c - Bench while engines work: the points and the devices.
 *
 * The points of one device at a time (Tab: the next device), each with a word for its
 * state, what was measured, and how much of the predicted speed that is:
 *
 *     ratio = predicted time / measured time     97 % is 3 % slower than predicted
 *
 * Above it a row per device with what it tells, beside it the point that runs: its samples
 * as they come, their spread, and the result before it. On one column a panel per device
 * with the last minute of it.
 */
#include "tui/bench/s_bench.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "measure/result/benchlog.h"
#include "tui/list.h"

#define POINT_NAME 96

/* ---- what devices tell ---- */

/* A sample is told of as often as the sensors are: some are not seen. */
static void read_sample(struct bench_live *live, int point, const struct session_sensors *s)
{
    if (live->samples.point != point || !(s->samples >= live->samples.count)) {
        memset(&live->samples, 0, sizeof(live->samples));
        live->samples.point = point;
        live->samples.least = INFINITY;
    }
    if (!(s->sample > 0) || !(s->samples > live->samples.count))
        return;
    live->samples.count = (int)s->samples;
    live->samples.least = fmin(live->samples.least, s->sample);
    live->samples.most = fmax(live->samples.most, s->sample);
    spark_add(&live->samples.last, s->sample);
}

void bench_sensors(struct bench *b, const struct session_event *event, double now)
{
    struct bench_live *live;
    struct session_device device;

    if (event->device < 0 || event->device >= BENCH_DEVICES)
        return;
    live = &b->live[event->device];
    live->gauges.now[GAUGE_POWER] = event->sensors.power;
    live->gauges.limit[GAUGE_POWER] = event->sensors.power_limit;
    live->gauges.now[GAUGE_CLOCK] = event->sensors.sm_clock;
    live->gauges.limit[GAUGE_CLOCK] = event->sensors.sm_clock_max;
    live->gauges.now[GAUGE_TEMP] = event->sensors.temperature;
    live->gauges.now[GAUGE_MEMORY] = event->sensors.memory_used / GP_GIB;
    live->gauges.limit[GAUGE_MEMORY] = event->sensors.memory_total / GP_GIB;
    live->gauges.now[GAUGE_LOAD] = event->sensors.load;
    live->gauges.now[GAUGE_TENSOR] = 100 * event->sensors.tensor;
    live->gauges.now[GAUGE_DRAM] = 100 * event->sensors.dram;
    live->gauges.now[GAUGE_BUSY] = 100 * event->sensors.busy;
    gp_copy(live->gauges.throttle, sizeof(live->gauges.throttle),
            event->sensors.throttle ? event->sensors.throttle : "");
    if (session_device(b->session, event->device, &device))
        read_sample(live, device.running, &event->sensors);
    if (live->next == 0) {
        gauges_second(&live->gauges);
        live->next = now + 1;
    }
}

bool bench_seconds(struct bench *b, double now)
{
    bool passed = now >= b->second;

    if (passed)
        b->second = now + 1; /* the clock and what is left go on */
    for (int i = 0; i < BENCH_DEVICES; i++) {
        struct bench_live *live = &b->live[i];

        for (int n = 0; live->next > 0 && now >= live->next && n < SPARK_SECONDS; n++) {
            gauges_second(&live->gauges);
            live->next += 1;
            passed = true;
        }
    }
    return passed;
}

/* ---- points ---- */

enum { COL_STATE, COL_NAME, COL_RATE, COL_TIME, COL_PREDICTED, COL_RATIO, COL_FLAGS, COLUMNS };
static const struct list_column columns[COLUMNS] = {
    [COL_STATE] = {"state", 7, 0, false},          [COL_NAME] = {"point", 0, 0, false},
    [COL_RATE] = {"measured", 12, 0, true},        [COL_TIME] = {"time", 10, 62, true},
    [COL_PREDICTED] = {"predicted", 11, 62, true}, [COL_RATIO] = {"ratio", 5, 0, true},
    [COL_FLAGS] = {"flags", 20, 92, false},
};

/* "4096^3 bf16", "gate_up 64 bf16", "read 256 MiB": the test is in the heading, and
 * what is cut off first matters least. */
static void name_point(const struct point *p, char *text, size_t size)
{
    char bytes[32];
    const char *slash = strchr(p->id, '/'), *type = bench_type_word(p->type);

    if (p->layer[0])
        gp_format(text, size, "%s %lld %s", p->layer, (long long)p->n, type);
    else if (p->m > 0 && p->m == p->n && p->n == p->k)
        gp_format(text, size, "%lld^3 %s", (long long)p->m, type);
    else if (p->m > 0)
        gp_format(text, size, "%lldx%lldx%lld %s", (long long)p->m, (long long)p->n,
                  (long long)p->k, type);
    else if (p->kind)
        gp_format(text, size, "%s %s", point_kind(p), units_bytes(bytes, sizeof(bytes), p->bytes));
    else
        gp_copy(text, size, slash ? slash + 1 : p->id);
}

/* "1.234 ms"; "-" without a figure. */
static char *time_text(char *text, size_t size, double seconds)
{
    if (seconds > 0)
        return units_seconds(text, size, seconds, 4);
    gp_copy(text, size, "-");
    return text;
}

static enum ink mark_ink(enum session_mark mark)
{
    static const enum ink inks[] = {
        [MARK_WAITING] = INK_DIM, [MARK_RUNNING] = INK_KEY, [MARK_OK] = INK_OK,
        [MARK_WRONG] = INK_BAD,   [MARK_FAILED] = INK_BAD,  [MARK_UNSUPPORTED] = INK_DIM,
        [MARK_SKIPPED] = INK_DIM,
    };

    return inks[mark];
}

/* A cell of the point's first result. */
static const char *result_cell(const struct session_point *p, int column, char *text, size_t size)
{
    const struct point_result *r = &p->result[0];

    switch (column) {
    case COL_RATE:
        return p->mark == MARK_UNSUPPORTED ? "unsupported" : result_rate(text, size, r);
    case COL_TIME:
        return time_text(text, size, r->median);
    case COL_PREDICTED:
        return time_text(text, size, r->predicted);
    case COL_RATIO:
        gp_copy(text, size, "-");
        if (r->ratio > 0)
            gp_format(text, size, "%.0f %%", 100 * r->ratio);
        return text;
    default:
        return result_flags(r, ", ", text, size)[0] ? text : r->reason;
    }
}

static void draw_point(const struct bench *b, struct canvas *canvas, struct rect in, int y,
                       const struct list_table *table, int index)
{
    struct session_point p;
    char name[POINT_NAME], rate[64];
    int end = in.cols; /* a name may take what is left beside it */
    bool flagged;

    if (!session_point(b->session, b->device, index, &p))
        return;
    flagged = p.mark == MARK_OK && p.count > 0 && p.result[0].disturbed;
    list_cell(canvas, in, y, table, COL_STATE, flagged ? INK_WARN : mark_ink(p.mark),
              flagged                      ? "flagged"
              : p.mark == MARK_UNSUPPORTED ? "-"
                                           : session_mark_word(p.mark));
    if (p.count > 0) {
        bool none = p.mark == MARK_UNSUPPORTED;
        char text[96];

        for (int c = COL_RATE; c < (none ? COL_RATE + 1 : table->count); c++) {
            enum ink ink = none                                      ? INK_DIM
                           : c >= COL_RATIO && p.result[0].disturbed ? INK_WARN
                                                                     : INK_TEXT;

            list_cell(canvas, in, y, table, c, ink, result_cell(&p, c, text, sizeof(text)));
        }
        end = table->x[COL_RATE] + table->cols[COL_RATE] - 1 -
              gp_width(result_cell(&p, COL_RATE, rate, sizeof(rate)));
    }
    name_point(p.point, name, sizeof(name));
    canvas_fit(canvas, in, y, table->x[COL_NAME], end - table->x[COL_NAME], INK_TEXT, name);
    if (index == b->point && b->panel == BENCH_POINTS)
        list_focus(canvas, in, y);
}

static int line_of_point(const struct bench *b, int point)
{
    for (int i = 0; i < b->line_count; i++)
        if (b->lines[i].point == point)
            return i;
    return 0;
}

/* The list of points into a rectangle; whole: with predicted time and flags. */
static void bench_points_draw(const struct bench *b, struct canvas *canvas, struct rect in,
                              bool whole)
{
    struct rect inside = rect_inside(in), list;
    struct list_table table = list_table(columns, whole ? COLUMNS : COL_FLAGS, inside.cols);
    struct session_device d;
    char place[64] = "";
    int top;

    if (rect_empty(inside))
        return;
    if (session_device(b->session, b->device, &d) && session_devices(b->session) > 1)
        gp_format(place, sizeof(place), "device %d, Tab: next", d.id);
    canvas_box(canvas, in, "Points", place[0] ? place : NULL);
    list_titles(canvas, inside, &table);
    list = (struct rect){inside.y + 1, inside.x, inside.rows - 1, inside.cols};
    top = list_top(line_of_point(b, b->point), b->line_count, list.rows);
    for (int y = 0; y < list.rows && top + y < b->line_count; y++) {
        const struct bench_line *line = &b->lines[top + y];

        if (line->point < 0)
            canvas_rule(canvas, list, y,
                        test_rows[line->test].heading ? test_rows[line->test].heading
                                                      : bench_test_word(line->test));
        else
            draw_point(b, canvas, list, y, &table, line->point);
    }
}

/* ---- one device ---- */

static void draw_device(const struct bench *b, struct canvas *canvas, struct rect in, int place)
{
    const unsigned every =
        GAUGE_BIT(POWER) | GAUGE_BIT(CLOCK) | GAUGE_BIT(TEMP) | GAUGE_BIT(MEMORY);
    const unsigned set = strcmp(b->plan.backend, "cpu") == 0
                             ? every | GAUGE_BIT(LOAD)
                             : every | GAUGE_BIT(TENSOR) | GAUGE_BIT(COUNT);
    struct rect inside = rect_inside(in);
    struct session_device d;
    struct session_point p;
    char title[120];
    int y = 0;

    if (!session_device(b->session, place, &d))
        return;
    gp_format(title, sizeof(title), "%d %s", d.id, d.name);
    canvas_box(canvas, in, title, NULL);
    if (place == b->device && b->panel >= BENCH_LIVE)
        canvas_cursor(canvas, inside, 0, 0);
    if (d.failed) {
        y += canvas_wrap(canvas, inside, y, INK_BAD, session_is_busy(&d) ? "not measured" : "lost");
        canvas_wrap(canvas, inside, y, INK_TEXT, d.why);
        return;
    }
    if (inside.rows > __builtin_popcount(set)) {
        bool runs = d.running >= 0 && session_point(b->session, place, d.running, &p);

        canvas_fit(canvas, inside, y++, 0, inside.cols, runs ? INK_KEY : INK_DIM,
                   runs             ? p.point->id
                   : bench_warms(b) ? "warm-up"
                                    : "no point runs");
    }
    gauges_draw(canvas, inside, y, &b->live[place].gauges, set);
}

/* ---- all devices, a row each ---- */

/* X(title, columns that a screen must have for it) */
static const struct {
    const char *title;
    enum gauge gauge; /* GAUGE_COUNT: name, or the throttle, which is last */
    int cols, least;
} strip[] = {{"device", GAUGE_COUNT, 22, 0}, {"busy %", GAUGE_BUSY, 7, 0},
             {"load", GAUGE_LOAD, 6, 0},     {"tensor %", GAUGE_TENSOR, 9, 0},
             {"DRAM %", GAUGE_DRAM, 7, 0},   {"W", GAUGE_POWER, 6, 0},
             {"C", GAUGE_TEMP, 4, 0},        {"MHz", GAUGE_CLOCK, 6, 0},
             {"GiB", GAUGE_MEMORY, 7, 0},    {" throttle", GAUGE_COUNT, 0, 0}};
enum { STRIP = sizeof(strip) / sizeof(strip[0]) };

/* Does a device of this kind ever tell it? */
static bool strip_shows(const struct bench *b, int column)
{
    bool cpu = strcmp(b->plan.backend, "cpu") == 0;
    enum gauge g = strip[column].gauge;

    if (cpu)
        return g != GAUGE_TENSOR && g != GAUGE_DRAM && g != GAUGE_BUSY;
    return g != GAUGE_LOAD;
}

static void strip_value(const struct bench_live *live, int column, char *text, size_t size)
{
    double value = live->gauges.now[strip[column].gauge];

    gp_copy(text, size, "-");
    if (isfinite(value))
        gp_format(text, size,
                  strip[column].gauge == GAUGE_LOAD || strip[column].gauge == GAUGE_MEMORY ? "%.1f"
                                                                                           : "%.0f",
                  value);
}

static void strip_row(const struct bench *b, struct canvas *canvas, struct rect in, int y,
                      int place)
{
    const struct bench_live *live = &b->live[place];
    struct session_device d;
    enum ink ink;
    const char *throttle = gauges_throttle(&live->gauges, &ink);
    char text[200];
    int x = 0;

    if (!session_device(b->session, place, &d))
        return;
    gp_format(text, sizeof(text), "%d %s", d.id, d.name);
    canvas_fit(canvas, in, y, 0, strip[0].cols, place == b->device ? INK_KEY : INK_TEXT, text);
    x = strip[0].cols;
    for (int i = 1; i < STRIP - 1 && !d.failed; i++) {
        if (!strip_shows(b, i))
            continue;
        strip_value(live, i, text, sizeof(text));
        canvas_text(canvas, in, y, x + strip[i].cols - gp_width(text), INK_TEXT, text);
        x += strip[i].cols;
    }
    if (d.failed) {
        gp_format(text, sizeof(text), "%s: %s", session_is_busy(&d) ? "not measured" : "lost",
                  d.why);
        canvas_fit(canvas, in, y, x + 1, in.cols - x - 1, INK_BAD, text);
        return;
    }
    canvas_fit(canvas, in, y, x + 1, in.cols - x - 1, ink, throttle);
}

static void draw_strip(const struct bench *b, struct canvas *canvas, struct rect in)
{
    struct rect inside = rect_inside(in);
    int devices = session_devices(b->session), x = 0, rows = inside.rows - 1, top = 0;

    canvas_box(canvas, in, devices == 1 ? "Device" : "Devices",
               devices > rows ? "Tab: next" : NULL);
    for (int i = 0; i < STRIP; i++) {
        if (!strip_shows(b, i))
            continue;
        if (i == 0 || i == STRIP - 1)
            canvas_text(canvas, inside, 0, x, INK_DIM, strip[i].title);
        else
            canvas_text(canvas, inside, 0, x + strip[i].cols - gp_width(strip[i].title), INK_DIM,
                        strip[i].title);
        x += strip[i].cols;
    }
    if (b->device >= rows)
        top = b->device - rows + 1;
    for (int i = 0; i < rows && top + i < devices && top + i < BENCH_DEVICES; i++)
        strip_row(b, canvas, inside, i + 1, top + i);
}

/* ---- the point that runs ---- */

/* The newest result before this point; false: there is none. */
static bool result_before(const struct bench *b, int point, struct session_point *out)
{
    for (int i = point - 1; i >= 0; i--)
        if (session_point(b->session, b->device, i, out) && out->count > 0)
            return true;
    return false;
}

static void draw_samples(const struct bench_live *live, struct page *page)
{
    char now[32], least[32], most[32];
    double last = spark_value(&live->samples.last, 0);

    if (!isfinite(last)) {
        page_words(page, 0, INK_DIM, "warm-up, no sample yet");
        return;
    }
    bench_fact(page, 9, "sample", "%d: %s", live->samples.count, time_text(now, sizeof(now), last));
    spark_draw(page->canvas, page->in, page->y++, 0, page->in.cols, INK_SERIES1,
               &live->samples.last, 0.9 * live->samples.least, live->samples.most);
    bench_fact(page, 9, "spread", "%.1f %%  %s..%s",
               100 * (live->samples.most / live->samples.least - 1),
               time_text(least, sizeof(least), live->samples.least),
               time_text(most, sizeof(most), live->samples.most));
}

static void draw_now(const struct bench *b, struct canvas *canvas, struct rect in)
{
    struct page page = {.canvas = canvas, .in = rect_inside(in)};
    const struct bench_live *live = &b->live[b->device];
    struct session_device d;
    struct session_point p;
    bool runs;

    if (rect_empty(page.in) || !session_device(b->session, b->device, &d))
        return;
    runs = d.running >= 0 && session_point(b->session, b->device, d.running, &p);
    canvas_box(canvas, in, runs ? "This point" : "No point runs", NULL);
    if (runs) {
        page_words(&page, 0, INK_KEY, p.point->id);
        draw_samples(live, &page);
    } else {
        page_words(&page, 0, INK_DIM, bench_warms(b) ? "the devices warm up" : "");
    }
    if (result_before(b, runs ? d.running : session_points(b->session), &p)) {
        const struct point_result *r = &p.result[0];
        char name[POINT_NAME], rate[32], flags[96];

        name_point(p.point, name, sizeof(name));
        result_flags(r, ", ", flags, sizeof(flags));
        bench_fact(&page, 9, "before", "%s: %s%s%s", name,
                   r->state == POINT_OK ? result_rate(rate, sizeof(rate), r)
                                        : point_state_words[r->state],
                   flags[0] ? ", " : "", flags);
    }
}

/* ---- what is left ---- */

static void clock_text(char *text, size_t size, double seconds)
{
    long s = lround(seconds);

    if (s >= 3600)
        gp_format(text, size, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        gp_format(text, size, "%ld:%02ld", s / 60, s % 60);
}

/* Engines open their devices and warm them up; those of several begin together. */
bool bench_warms(const struct bench *b)
{
    struct session_progress p;
    struct session_device d;

    session_progress(b->session, &p);
    for (int i = 0; session_device(b->session, i, &d); i++)
        if (d.running >= 0)
            return false;
    return p.done == 0 && !b->stopping;
}

/* "points: 12 ok, 1 flagged, 9 to go": of all devices. */
static void counts_text(const struct bench *b, char *text, size_t size)
{
    int ok = 0, flagged = 0, bad = 0, left = 0;
    struct session_point p;

    for (int i = 0; i < session_devices(b->session); i++)
        for (int k = 0; session_point(b->session, i, k, &p); k++) {
            bool disturbed = p.count > 0 && p.result[0].disturbed;

            ok += p.mark == MARK_OK && !disturbed;
            flagged += p.mark == MARK_OK && disturbed;
            bad += p.mark == MARK_WRONG || p.mark == MARK_FAILED;
            left += p.mark == MARK_WAITING || p.mark == MARK_RUNNING;
        }
    gp_format(text, size, "points: %d ok", ok);
    if (flagged)
        gp_format(text + strlen(text), size - strlen(text), ", %d flagged", flagged);
    if (bad)
        gp_format(text + strlen(text), size - strlen(text), ", %d failed", bad);
    gp_format(text + strlen(text), size - strlen(text), ", %d to go", left);
}

static void draw_bar(const struct bench *b, struct page *page)
{
    bool warms = bench_warms(b);
    struct session_progress p;
    int width = page->in.cols / 2, full;
    char elapsed[32], left[32], counts[80];

    session_progress(b->session, &p);
    full = p.of > 0 ? width * p.done / p.of : 0;
    clock_text(elapsed, sizeof(elapsed), p.elapsed);
    clock_text(left, sizeof(left), p.left);
    canvas_run(page->canvas, page->in, 0, 0, full, INK_SERIES1, GLYPH_FULL);
    canvas_run(page->canvas, page->in, 0, full, width - full, INK_FREE, GLYPH_EMPTY);
    canvas_textf(page->canvas, page->in, 0, width + 1, INK_TEXT, "%d %%",
                 p.of > 0 ? 100 * p.done / p.of : 0);
    counts_text(b, counts, sizeof(counts));
    canvas_textf(page->canvas, page->in, 1, 0, INK_TEXT, "elapsed %s   %s%s   %s", elapsed,
                 warms ? "warm-up" : "left about ", warms ? "" : left, counts);
    page->y = 2;
}

/* From which on the newest have room, and the last one always. */
static int first_note(const struct bench *b, int rows, int cols)
{
    int first = b->notes;

    while (first > 0) {
        rows -= 1 + gp_width(b->note[first - 1]) / cols;
        if (rows < 0 && first < b->notes)
            break;
        first--;
    }
    return first;
}

static void draw_run_words(const struct bench *b, struct canvas *canvas, struct rect in)
{
    struct page page = {.canvas = canvas, .in = rect_inside(in)};

    if (rect_empty(page.in))
        return;
    canvas_box(canvas, in, "Run",
               b->stopping == 2   ? "stops now"
               : b->stopping == 1 ? "stops after the point"
                                  : NULL);
    if (b->panel == BENCH_WORDS)
        canvas_cursor(canvas, page.in, 0, 0);
    draw_bar(b, &page);
    bench_file(&page, "kept", b->plan.journal);
    for (int i = first_note(b, page.in.rows - page.y, page.in.cols); i < b->notes; i++)
        page_words(&page, 0, INK_WARN, b->note[i]);
}

/* ---- the whole ---- */

void bench_live_draw(const struct app *app, const struct bench *b, struct canvas *canvas,
                     const struct frame *frame)
{
    struct rect panel[BENCH_PANELS];

    (void)app;
    frame_bench(frame->body, frame->size, b->panel, session_devices(b->session), panel);
    bench_points_draw(b, canvas, panel[BENCH_POINTS], false);
    if (frame->size > SIZE_ONE) {
        draw_strip(b, canvas, panel[BENCH_LIVE]);
        draw_now(b, canvas, panel[BENCH_NOW]);
    }
    for (int i = BENCH_LIVE; i < BENCH_PANELS && frame->size <= SIZE_ONE; i++)
        if (!rect_empty(panel[i]))
            draw_device(b, canvas, panel[i], i - BENCH_LIVE);
    draw_run_words(b, canvas, panel[BENCH_WORDS]);
}

/* ---- keys ---- */

/* Tab: the next device. Where one panel fills the screen: its points, then what it
 * tells, then the next device's; after the last, how far the run is. */
void bench_live_act(struct app *app, struct bench *b, enum action action)
{
    int devices = session_devices(b->session), by = action == ACT_PANEL ? 1 : -1;
    struct frame frame = app_frame(app);
    int at;

    devices = devices < BENCH_DEVICES ? devices : BENCH_DEVICES;
    if (devices < 1)
        return;
    if (frame.size > SIZE_ONE || b->stage != STAGE_RUN) {
        b->panel = BENCH_POINTS;
        b->device = (b->device + by + devices) % devices;
        return;
    }
    at = b->panel == BENCH_WORDS ? 2 * devices : 2 * b->device + (b->panel != 0);
    at = (at + by + 2 * devices + 1) % (2 * devices + 1);
    b->device = at / 2 < devices ? at / 2 : b->device;
    b->panel = at == 2 * devices ? BENCH_WORDS : at % 2 ? BENCH_LIVE + b->device : BENCH_POINTS;
}

bool bench_points_act(struct bench *b, enum action action, int page)
{
    int by = list_step(action, page);

    if (action == ACT_BACK) { /* back to where it works */
        b->follow = true;
        return b->stage == STAGE_RUN;
    }
    if (by == 0)
        return false;
    b->point = list_clamp(b->point + by, 0, session_points(b->session) - 1);
    b->follow = false;
    return true;
}

static void explain_result(const struct point_result *r, struct strbuf *out)
{
    char rate[32], median[32], low[32], high[32], predicted[32], flags[96];

    if (r->state != POINT_OK) {
        strbuf_addf(out, "%s%s%s", point_state_words[r->state], r->reason[0] ? ": " : "",
                    r->reason);
        return;
    }
    strbuf_addf(out, "%s%s%s in %s (%s..%s, %d samples)", r->variant, r->variant[0] ? " " : "",
                result_rate(rate, sizeof(rate), r), time_text(median, sizeof(median), r->median),
                time_text(low, sizeof(low), r->low), time_text(high, sizeof(high), r->high),
                r->samples);
    if (r->predicted > 0)
        strbuf_addf(out, "; predicted %s by %s%s%s",
                    time_text(predicted, sizeof(predicted), r->predicted), r->bound,
                    r->origin[0] ? ", " : "", r->origin);
    if (r->checked)
        strbuf_addf(out, "; %s", r->correct ? "result right" : "RESULT WRONG");
    if (result_flags(r, ", ", flags, sizeof(flags))[0])
        strbuf_addf(out, "; flags: %s", flags);
}

void bench_point_explain(const struct bench *b, struct strbuf *out)
{
    struct session_point p;
    char bytes[32], time[32];

    if (!b->session || !session_point(b->session, b->device, b->point, &p))
        return;
    strbuf_addf(out, "%s: ", p.point->id);
    if (p.count == 0)
        strbuf_addf(out, "%s; takes %s%s and %s", session_mark_word(p.mark),
                    p.seconds < 1 ? "" : "about ", session_say_time(time, sizeof(time), p.seconds),
                    units_bytes(bytes, sizeof(bytes), p.bytes));
    for (int i = 0; i < p.count; i++) {
        strbuf_add(out, i ? "; " : "");
        explain_result(&p.result[i], out);
    }
}

/* ---- the words ---- */

/* Returns text[size], or a constant one. */
static const char *status_words(const struct bench *b, char *text, size_t size)
{
    if (b->unwritten[0] && !b->saved[0])
        return "NOT WRITTEN: the result is in no file; w saves it under another name.";
    return session_outcome(b->session, text, size);
}

static void show_file(struct page *page, const struct bench *b)
{
    if (b->unwritten[0])
        page_words(page, 0, INK_BAD, b->unwritten);
    else
        bench_file(page, "file", b->plan.result);
    if (b->saved[0])
        bench_file(page, b->unwritten[0] ? "file" : "also", b->saved);
}

static const char *next_words(const struct bench *b)
{
    if (!bench_unfinished(b))
        return "next: 3 shows it in Curves, w saves under a name, r new run";
    if (session_some_busy(b->session))
        return b->values.bench.value[OPT_FORCE][0]
                   ? "next: F5 measures all the same (force is on), r new run"
                   : "next: o, Enter, F5 measures all the same (force); or wait, then "
                     "F5; or r and leave it out";
    return session_can_resume(b->session)
               ? "next: F5 continues, c the command for it, 3 Curves, r new run"
               : "next: F5 tries again, r new run";
}

static enum ink status_ink(const struct bench *b)
{
    struct benchlog_tally t;

    if (b->unwritten[0] && !b->saved[0])
        return INK_BAD;
    if (bench_unfinished(b))
        return INK_WARN;
    t = benchlog_tally(session_log(b->session));
    return t.good == 0 ? INK_BAD : t.flagged || t.wrong || t.without ? INK_WARN : INK_OK;
}

static void show_words(struct page *page, const struct bench *b)
{
    bool busy = session_some_busy(b->session);
    char text[480];

    page_words(page, 0, status_ink(b), status_words(b, text, sizeof(text)));
    for (int i = 0; i < session_devices(b->session); i++)
        if (session_say_lost(b->session, i, text, sizeof(text)))
            page_words(page, 0, INK_BAD, text);
    if (!busy)
        show_file(page, b);
    page_words(page, 0, INK_TEXT, next_words(b));
    if (busy) /* what to do is more than a file with nothing in it */
        show_file(page, b);
    for (int i = 0; i < session_summaries(b->session); i++)
        page_words(page, 0, INK_TEXT, session_summary(b->session, i));
}

static void draw_result_words(const struct bench *b, struct canvas *canvas, struct rect in)
{
    struct page page = {.canvas = canvas, .in = rect_inside(in)};
    char word[40];

    canvas_box(canvas, in, "Result", session_outcome_word(b->session, word, sizeof(word)));
    show_words(&page, b);
    if (page.y > page.in.rows) /* not all of it */
        canvas_glyph(canvas, page.in, page.in.rows - 1, page.in.cols - 1, INK_TEXT, GLYPH_MORE);
    if (b->panel == BENCH_WORDS)
        canvas_cursor(canvas, page.in, 0, 0);
}

void bench_done_draw(const struct app *app, const struct bench *b, struct canvas *canvas,
                     const struct frame *frame)
{
    struct rect part[2];
    struct page words = {.in = rect_inside(frame->body)};
    int rows[2] = {0, 0};

    (void)app;
    if (frame->size <= SIZE_ONE) {
        if (b->panel == BENCH_WORDS)
            draw_result_words(b, canvas, frame->body);
        else
            bench_points_draw(b, canvas, frame->body, true);
        return;
    }
    show_words(&words, b);
    rows[0] = words.y + 2 < frame->body.rows - 8 ? words.y + 2 : frame->body.rows - 8;
    frame_rows(frame->body, rows, 2, part);
    draw_result_words(b, canvas, part[0]);
    bench_points_draw(b, canvas, part[1], true);
}

/* ---- keys ---- */

static bool save_result(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct bench *b = ctx;
    const struct benchlog *log = session_log(b->session);
    char path[GP_PATH_MAX];

    if (!log || !text[0]) {
        gp_fail(err, GP_E_USAGE, "", "", "a file needs a name");
        return false;
    }
    if (app_target(text, path, sizeof(path), err))
        return false;
    if (path_is_dir(path)) {
        gp_fail(err, GP_E_FILE, path, "", "is a folder");
        return false;
    }
    if (benchlog_write(path, log->json, err))
        return false;
    gp_copy(b->saved, sizeof(b->saved), path);
    app_report(app, false, "saved as %s", path);
    return true;
}

/* Everything there is to read, for a screen too small for it. */
static void read_all(struct app *app, const struct bench *b)
{
    struct strbuf out;
    char text[480];

    strbuf_init(&out);
    strbuf_addf(&out, "%s\n", status_words(b, text, sizeof(text)));
    for (int i = 0; i < session_devices(b->session); i++)
        if (session_say_lost(b->session, i, text, sizeof(text)))
            strbuf_addf(&out, "%s\n", text);
    strbuf_addf(&out, "%s\n\n", next_words(b));
    for (int i = 0; i < session_summaries(b->session); i++)
        strbuf_addf(&out, "%s\n", session_summary(b->session, i));
    strbuf_add(&out, "\n");
    benchlog_print(session_log(b->session), BENCHLOG_TEXT, &out);
    for (int i = 0; i < session_notes(b->session); i++)
        strbuf_addf(&out, "note: %s\n", session_note(b->session, i));
    strbuf_addf(&out, "file: %s\n", b->plan.result);
    pager_open(&app->display, "Result", out.text);
    strbuf_fini(&out);
}

bool bench_done_act(struct app *app, struct bench *b, enum action action)
{
    const char *slash = strrchr(b->plan.result, '/');
    struct prompt_ask options = {.label = "Save result as: ",
                                 .text = slash ? slash + 1 : b->plan.result,
                                 .hint = "a file name, .json",
                                 .history = PROMPT_FILE,
                                 .done = save_result,
                                 .ctx = b};
    struct frame frame = app_frame(app);

    switch (action) {
    case ACT_SAVE_RESULT:
        prompt_open(&app->display, &options);
        return true;
    case ACT_OPTIONS:
        bench_options_open(app, b, OPT_FORCE);
        return true;
    case ACT_AGAIN:
        bench_renew(app, b);
        return true;
    case ACT_START:
        if (!bench_unfinished(b))
            return false;
        bench_go_on(app, b);
        return true;
    case ACT_OPEN:
        if (session_log(b->session))
            read_all(app, b);
        return true;
    case ACT_PANEL:
    case ACT_PANEL_BACK:
        if (frame.size > SIZE_ONE)
            return false; /* the next device */
        if (b->panel == BENCH_WORDS)
            b->device = (b->device + 1) % session_devices(b->session);
        b->panel = b->panel == BENCH_WORDS ? BENCH_POINTS : BENCH_WORDS;
        return true;
    default:
        return false;
    }
}
