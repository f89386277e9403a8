/*
 * bench_live.c - Bench while engines work: the points and the devices; and the monitor.
 *
 * The points of one device at a time (Tab: the next device), each with a word for its
 * state, what was measured, and how much of the predicted speed that is:
 *
 *     ratio = predicted time / measured time     97 % is 3 % slower than predicted
 *
 * Predicted is the roofline's; of processors, which have no sheet, products and reads are as a plan
 * takes them.
 *
 * Above it a row per device with what it tells, beside it the point that runs: its samples
 * as they come, their spread, and the result before it. On one column a panel per device
 * with the last minute of it.
 */
#include "tui/bench/s_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "measure/confirm.h"
#include "measure/result/benchlog.h"
#include "probe/cpu_host.h"
#include "probe/probe.h"
#include "tui/list.h"

/* ---- what a device tells of itself, as lines of label, value and last minute ----
 *
 * As much as there is room for, always in the same order: with two rows per gauge the minute
 * stands below the value, as high as there is room for, with one beside it, and with less the
 * values share rows. What nobody told is "-", never 0. */

#define LABEL 9        /* columns of a label */
#define GAUGE_VALUE 22 /* of a value, where its minute stands beside it */
#define GAUGE_LEAST 10 /* of a minute that still says something */
#define MINUTE_ROWS 8  /* of one below its value, at most */
#define GAUGE_BIT(id) (1u << GAUGE_##id)

/* In the order in which they are shown. */
static const struct {
    const char *label, *unit;
    int decimals;
    double full; /* the upper end of its minute where it has no limit of its own; 0: the most
                  * there was */
} gauge_rows[GAUGE_COUNT] = {
    [GAUGE_POWER] = {"power", "W", 0, 0},
    [GAUGE_CLOCK] = {"clock", "MHz", 0, 0},
    [GAUGE_TEMP] = {"temp", "C", 0, 100},
    [GAUGE_BUSY] = {"busy", "% of the time", 0, 100},
    [GAUGE_MEMORY] = {"memory", "GiB", 1, 0},
    [GAUGE_LOAD] = {"load", "runnable", 2, 0},
    [GAUGE_TENSOR] = {"tensor", "% active", 0, 100},
    [GAUGE_DRAM] = {"DRAM", "% active", 0, 100},
};

void gauges_init(struct gauges *g)
{
    memset(g, 0, sizeof(*g));
    for (int i = 0; i < GAUGE_COUNT; i++)
        g->now[i] = g->limit[i] = NAN;
}

/* What is told now is that of a second: it goes into the minutes. */
static void gauges_second(struct gauges *g)
{
    for (int i = 0; i < GAUGE_COUNT; i++)
        spark_add(&g->minute[i], g->now[i]);
}

/* "82.4", "-" */
static char *plain_text(char *text, size_t size, double value, int decimals)
{
    gp_copy(text, size, "-");
    if (isfinite(value))
        gp_format(text, size, "%.*f", decimals, value);
    return text;
}
#define PLAIN(value, decimals) plain_text((char[32]){""}, 32, value, decimals)

/* Why the clock is held down, in words; "-" = not told. Running into the power limit is what
 * a GPU does under load; heat and a brake are not. */
static const char *throttle_text(const struct gauges *g, enum ink *ink)
{
    static const struct {
        const char *told, *said;
        enum ink ink;
    } throttles[] = {
        {"power_cap", "power cap", INK_TEXT},
        {"thermal", "thermal: too hot", INK_WARN},
        {"hw", "hardware brake", INK_WARN},
        {"hardware", "hardware brake", INK_WARN},
    };

    for (size_t i = 0; i < sizeof(throttles) / sizeof(throttles[0]); i++)
        if (strcmp(g->throttle, throttles[i].told) == 0) {
            *ink = throttles[i].ink;
            return throttles[i].said;
        }
    *ink = INK_TEXT;
    return g->throttle[0] ? g->throttle : "-";
}

static bool gauge_limited(const struct gauges *g, int i)
{
    return isfinite(g->limit[i]) && g->limit[i] > 0;
}

/* "664 of 700 W", "664 W", "- of 700 W", "-" */
static const char *gauge_text(const struct gauges *g, int i, enum ink *ink, char text[64])
{
    int decimals;

    if (i == GAUGE_COUNT)
        return throttle_text(g, ink);
    *ink = INK_TEXT;
    decimals = gauge_rows[i].decimals;
    gp_copy(text, 64, PLAIN(g->now[i], decimals));
    if (gauge_limited(g, i))
        gp_append(text, 64, " of ", "%.*f", decimals, g->limit[i]);
    if (gauge_limited(g, i) || isfinite(g->now[i]))
        gp_append(text, 64, " ", "%s", gauge_rows[i].unit);
    return text;
}

static void draw_minute(struct canvas *canvas, struct rect in, int y, int x, int rows,
                        const struct gauges *g, int i)
{
    const struct spark *minute = &g->minute[i];
    int cols = in.cols - x;
    double high = gauge_limited(g, i)      ? g->limit[i]
                  : gauge_rows[i].full > 0 ? gauge_rows[i].full
                                           : spark_most(minute);

    if (cols >= GAUGE_LEAST)
        spark_draw(canvas, (struct rect){in.y + y, in.x + x, rows, int_min(cols, SPARK_SECONDS)},
                   INK_SERIES1, minute, 0, high);
}

/* Those of the set (bit per enum gauge; GAUGE_COUNT: the throttle) into rows y.. of the
 * rectangle; the row after them. */
static int gauges_draw(struct canvas *canvas, struct rect in, int y, const struct gauges *g,
                       unsigned set)
{
    int room = in.rows - y, count = __builtin_popcount(set), minutes = 0, high = 1;
    bool beside = in.cols >= LABEL + GAUGE_VALUE + GAUGE_LEAST, below;
    struct strbuf all;

    strbuf_init(&all);
    for (int i = 0; i < GAUGE_COUNT; i++)
        minutes += (set >> i & 1) && !isnan(spark_most(&g->minute[i]));
    below = room >= count + minutes;
    if (below && minutes > 0)
        high = int_min((room - count) / minutes, MINUTE_ROWS);
    for (int i = 0; i <= GAUGE_COUNT; i++) {
        const char *label = i < GAUGE_COUNT ? gauge_rows[i].label : "throttle", *value;
        bool minute = i < GAUGE_COUNT && !isnan(spark_most(&g->minute[i]));
        char text[64];
        enum ink ink;

        if (!(set >> i & 1))
            continue;
        value = gauge_text(g, i, &ink, text);
        if (room < count) {
            strbuf_addf(&all, "%s%s %s", all.len ? "  " : "", label, value);
            continue;
        }
        canvas_fit(canvas, in, y, 0, LABEL, INK_DIM, label);
        canvas_fit(canvas, in, y, LABEL, minute && beside && !below ? GAUGE_VALUE : in.cols - LABEL,
                   ink, value);
        if (minute && below)
            draw_minute(canvas, in, y + 1, 0, high, g, i);
        else if (minute && beside)
            draw_minute(canvas, in, y, LABEL + GAUGE_VALUE, 1, g, i);
        y += minute && below ? 1 + high : 1;
    }
    y += canvas_wrap(canvas, in, y, INK_TEXT, all.text);
    strbuf_fini(&all);
    return y;
}

/* ---- the monitor: which devices are here, what they do now ----
 *
 * The drivers are opened when it is first shown and asked once a second while it is. A row per
 * GPU (or MIG instance) and one for the processor; below it all that is known of the one in
 * focus. */

#define EVERY 1.0 /* s between two looks */

struct devices_view {
    struct probe *probe; /* NULL: not looked yet */
    double next;         /* when it looks again */
    size_t count;
    struct device device[PROBE_MAX];
    char profile[PROBE_MAX][GPU_ID_MAX]; /* "" = not in the catalogue */
    struct gpu slice[PROBE_MAX];
    const struct gpu *planned[PROBE_MAX + 1]; /* NULL = none; the last one's the processor's */
    struct gauges gauges[PROBE_MAX], cpu_gauges;
    struct processor cpu;
    struct gp_err why; /* there is no GPU */
    int row;           /* in focus; the processor's is the last */
};

struct devices_view *devices_view_new(void)
{
    return gp_calloc(1, sizeof(struct devices_view));
}

void devices_view_free(struct devices_view *view)
{
    if (view)
        probe_close(view->probe);
    free(view);
}

static double value_of(struct quantity q)
{
    return q.known ? q.value : NAN;
}

static void read_gpu(struct gauges *g, const struct device *d)
{
    g->now[GAUGE_POWER] = value_of(d->power);
    g->limit[GAUGE_POWER] = value_of(d->power_limit);
    g->now[GAUGE_CLOCK] = value_of(d->clock) / 1e6;
    g->limit[GAUGE_CLOCK] = value_of(d->clock_max) / 1e6;
    g->now[GAUGE_TEMP] = value_of(d->temperature);
    g->now[GAUGE_BUSY] = value_of(d->busy) * 100;
    g->now[GAUGE_MEMORY] = value_of(d->memory_used) / GP_GIB;
    g->limit[GAUGE_MEMORY] = value_of(d->memory_total) / GP_GIB;
    gp_copy(g->throttle, sizeof(g->throttle), d->throttle);
    gauges_second(g);
}

static void read_cpu(struct gauges *g, struct processor *cpu)
{
    processor_read(cpu);
    g->now[GAUGE_CLOCK] = cpu->clock / 1e6;
    g->now[GAUGE_TEMP] = cpu->temperature;
    g->now[GAUGE_BUSY] = cpu->busy * 100;
    g->now[GAUGE_MEMORY] = (cpu->memory - cpu->available) / GP_GIB;
    g->limit[GAUGE_MEMORY] = cpu->memory / GP_GIB;
    gauges_second(g);
}

double devices_view_tick(struct app *app, struct devices_view *v, double now)
{
    const struct gpu *const *gpus;
    size_t count = 0, before = v->count;
    int cpus;

    if (now < v->next)
        return v->next - now;
    if (!v->probe) {
        v->probe = probe_open();
        gauges_init(&v->cpu_gauges);
    }
    memset(&v->why, 0, sizeof(v->why));
    probe_read(v->probe, v->device, PROBE_MAX, &v->count, &v->why);
    if (v->count > 0 && catalog_gpus(planner_catalog(app->form->planner), &gpus, &count, NULL))
        count = 0;
    for (size_t i = 0; i < v->count; i++) {
        const struct device *d = &v->device[i];
        const struct gpu *gpu = probe_match(d, gpus, count);

        if (v->count != before) /* another list: what was kept is of other devices */
            gauges_init(&v->gauges[i]);
        if (gpu && d->slice[0])
            gpu = gpu_slice_of(gpu, d->slice, &v->slice[i], NULL) == GP_OK ? &v->slice[i] : NULL;
        v->planned[i] = gpu;
        gp_copy(v->profile[i], GPU_ID_MAX, gpu ? gpu->id : "");
        read_gpu(&v->gauges[i], d);
    }
    if (!v->planned[PROBE_MAX])
        planner_named_gpu(app->form->planner, CPU_ID, &v->planned[PROBE_MAX], &cpus, NULL);
    read_cpu(&v->cpu_gauges, &v->cpu);
    v->row = list_clamp(v->row, 0, (int)v->count);
    v->next = now + EVERY;
    app_touch(app);
    return EVERY;
}

enum { MON_ID, MON_NAME, MON_PROFILE, MON_MEMORY, MON_FIGURES, MON_COLUMNS = 8 };
static const struct list_column monitor_columns[MON_COLUMNS] = {
    [MON_ID] = {"id", 3, 0, false},
    [MON_NAME] = {"device", 0, 0, false},
    [MON_PROFILE] = {"profile", 19, 90, false},
    [MON_MEMORY] = {"used GiB", 13, 34, true},
    [MON_FIGURES] = {"busy", 5, 60, true},
    {"power", 7, 70, true},
    {"temp", 5, 60, true},
    {"clock", 9, 76, true},
};

static const struct gauges *gauges_of(const struct devices_view *v, int row)
{
    return row == (int)v->count ? &v->cpu_gauges : &v->gauges[row];
}

static void monitor_cell(const struct devices_view *v, int row, int column, char *text, size_t size)
{
    static const struct {
        enum gauge gauge;
        const char *unit;
    } figures[] = {{GAUGE_BUSY, "%"}, {GAUGE_POWER, "W"}, {GAUGE_TEMP, "C"}, {GAUGE_CLOCK, "MHz"}};
    const struct device *d = row == (int)v->count ? NULL : &v->device[row]; /* NULL: processor */
    const struct gauges *g = gauges_of(v, row);
    double value;

    gp_copy(text, size, "-");
    if (column >= MON_FIGURES) {
        value = g->now[figures[column - MON_FIGURES].gauge];
        if (isfinite(value))
            gp_format(text, size, "%.0f %s", value, figures[column - MON_FIGURES].unit);
    } else if (column == MON_MEMORY) {
        if (isfinite(g->limit[GAUGE_MEMORY]))
            gp_format(text, size, "%s/%.1f", PLAIN(g->now[GAUGE_MEMORY], 1),
                      g->limit[GAUGE_MEMORY]);
    } else if (!d) {
        if (column != MON_PROFILE)
            gp_copy(text, size,
                    column == MON_ID ? "cpu"
                    : v->cpu.name[0] ? v->cpu.name
                                     : "processor");
    } else if (column == MON_ID) {
        gp_format(text, size, "%d", d->index);
    } else if (column == MON_PROFILE) {
        gp_copy(text, size, v->profile[row][0] ? v->profile[row] : "not in catalogue");
    } else if (d->slice[0]) { /* what differs comes first */
        const char *mig = strstr(d->name, " MIG ");

        gp_format(text, size, "MIG %s of %.*s", d->slice,
                  (int)(mig ? (size_t)(mig - d->name) : strlen(d->name)), d->name);
    } else if (!d->name[0] && d->vendor_id) {
        gp_format(text, size, "PCI %04x:%04x", d->vendor_id, d->device_id);
    } else {
        gp_copy(text, size, d->name[0] ? d->name : "unknown");
    }
}

static void draw_monitor(const struct devices_view *v, struct canvas *canvas, struct rect box)
{
    struct rect in = rect_inside(box);
    struct list_table table = list_table(monitor_columns, MON_COLUMNS, in.cols);
    int rows = (int)v->count + 1, row = list_top(v->row, rows, in.rows - 1);
    char text[128];

    canvas_box(canvas, box, "Devices", "now, every second");
    list_titles(canvas, in, &table);
    for (int y = 1; y < in.rows && row < rows; y++, row++) {
        for (int c = 0; c < MON_COLUMNS; c++) {
            monitor_cell(v, row, c, text, sizeof(text));
            list_cell(canvas, in, y, &table, c, INK_TEXT, text);
        }
        if (row == v->row)
            list_focus(canvas, in, y);
    }
}

/* "gen 5 x16", "-" */
static char *pcie_text(char *text, size_t size, int gen, int width)
{
    gp_copy(text, size, "-");
    if (gen && width)
        gp_format(text, size, "gen %d x%d", gen, width);
    return text;
}
#define PCIE(gen, width) pcie_text((char[32]){""}, 32, gen, width)

static void show_gpu(struct page *page, const struct devices_view *v)
{
    static const char *const mig[] = {"-", "none", "off", "on"};
    const struct device *d = &v->device[v->row];
    const char *profile = v->profile[v->row];
    int slices = 0; /* of the same GPU */

    for (size_t i = 0; i < v->count; i++)
        slices += v->device[i].slice[0] && v->device[i].index == d->index &&
                  strcmp(v->device[i].bus_id, d->bus_id) == 0;
    if (d->error[0])
        page->y += canvas_wrap(page->canvas, page->in, 0, INK_WARN, d->error);
    bench_fact(page, LABEL, "profile", "%s", profile[0] ? profile : "not in the catalogue");
    bench_fact(page, LABEL, "driver", "%s (from %s)", d->driver[0] ? d->driver : "-", d->backend);
    bench_fact(page, LABEL, "memory", "%s free, %s used of %s GiB",
               PLAIN(value_of(d->memory_free) / GP_GIB, 2),
               PLAIN(value_of(d->memory_used) / GP_GIB, 2),
               PLAIN(value_of(d->memory_total) / GP_GIB, 2));
    bench_fact(page, LABEL, "PCIe", "%s of %s", PCIE(d->pcie.gen, d->pcie.width),
               PCIE(d->pcie.gen_max, d->pcie.width_max));
    if (d->links > 0)
        bench_fact(page, LABEL, "NVLink", "%d of %d links active", d->links_active, d->links);
    else
        bench_fact(page, LABEL, "NVLink", d->links == 0 ? "none" : "-");
    if (d->slice[0])
        bench_fact(page, LABEL, "MIG", "%s, %d seen on GPU %d", d->slice, slices, d->index);
    else
        bench_fact(page, LABEL, "MIG", "%s", mig[d->mig]);
    bench_fact(page, LABEL, "bus", "%s", d->bus_id[0] ? d->bus_id : "-");
    if (d->processes > 0)
        bench_fact(page, LABEL, "programs", "%d compute", d->processes);
    else
        bench_fact(page, LABEL, "programs", d->processes < 0 ? "-" : "none");
    for (int i = 0; i < d->listed; i++) {
        const struct device_process *p = &d->process[i];

        canvas_textf(page->canvas, page->in, page->y++, 2, INK_TEXT, "%8ld %10s  %s", p->pid,
                     p->memory.known ? UNITS_GIB(p->memory.value) : "-",
                     p->name[0] ? p->name : "?");
    }
}

static void show_cpu(struct page *page, const struct devices_view *v)
{
    const struct processor *p = &v->cpu;

    if (p->cores > 0)
        bench_fact(page, LABEL, "cores", "%d, %d processors in %d socket%s", p->cores, p->cpus,
                   p->sockets, p->sockets == 1 ? "" : "s");
    else
        bench_fact(page, LABEL, "cores", "%d processors", p->cpus);
    bench_fact(page, LABEL, "caches", "level 2 %s, level 3 %s",
               p->level2 > 0 ? BENCH_BYTES(p->level2) : "-",
               p->level3 > 0 ? BENCH_BYTES(p->level3) : "-");
    bench_fact(page, LABEL, "memory", "%s free of %s GiB", PLAIN(p->available / GP_GIB, 2),
               PLAIN(p->memory / GP_GIB, 2));
    bench_fact(page, LABEL, "load", "%s runnable, mean of a minute", PLAIN(p->load, 2));
    if (v->count == 0)
        bench_fact(page, 0, "", "no GPU: %s", v->why.text);
}

#define RATE_COLS 18 /* of a rate; then its bar */

/* What a plan takes of it: its rates as bars, and the memory's bandwidth. */
static void show_planned(struct page *page, const struct gpu *gpu)
{
    const struct rect in = page->in;
    const int room = in.cols - LABEL - RATE_COLS;
    double most = 0;

    if (!gpu || in.rows - page->y < MATH_COUNT + 5)
        return;
    page->y++;
    page_rule(page, "What a plan takes of it");
    if (gpu->bandwidth.known)
        bench_fact(page, LABEL, "memory", "%.4g GB/s, %s", gpu->bandwidth.value / 1e9,
                   origin_word(gpu->bandwidth.origin));
    for (int m = 0; m < MATH_COUNT; m++)
        most = fmax(most, gpu->rate[m].known ? gpu->rate[m].value : 0);
    for (int m = 0; m < MATH_COUNT && most > 0; m++) {
        const struct quantity *rate = &gpu->rate[m];
        bool none = rate->value <= 0;

        if (!rate->known)
            continue;
        canvas_text(page->canvas, in, page->y, 0, INK_DIM, format_math_word((enum format_math)m));
        if (none)
            canvas_text(page->canvas, in, page->y, LABEL, INK_DIM, "none");
        else
            canvas_textf(page->canvas, in, page->y, LABEL, INK_TEXT, "%.4g %c%s",
                         rate->value / (rate->value < 1e12 ? 1e9 : 1e12),
                         rate->value < 1e12 ? 'G' : 'T',
                         m == MATH_INT8 || m == MATH_INT4 ? "OP/s" : "FLOP/s");
        if (room > 8)
            canvas_run(page->canvas, in, page->y, LABEL + RATE_COLS,
                       (int)lround(room * rate->value / most), INK_SERIES1, GLYPH_FULL);
        page->y++;
    }
}

void devices_view_draw(const struct devices_view *v, struct canvas *canvas,
                       const struct frame *frame)
{
    static const int weights[2] = {6, 5};
    const bool cpu = v->row == (int)v->count;
    const char *name = cpu ? v->cpu.name : v->device[v->row].name;
    const unsigned set = GAUGE_BIT(CLOCK) | GAUGE_BIT(TEMP) | GAUGE_BIT(BUSY) | GAUGE_BIT(MEMORY) |
                         (cpu ? 0 : GAUGE_BIT(POWER) | GAUGE_BIT(COUNT));
    int rows[2] = {(int)v->count + 4, 0}, gauges = 0;
    struct rect part[2], column[2];
    struct page page = {.canvas = canvas};

    if (v->next <= 0) {
        canvas_wrap(canvas, frame->body, 0, INK_TEXT, " Querying the drivers.");
        return;
    }
    if (rows[0] > frame->body.rows / 2)
        rows[0] = frame->body.rows / 2;
    frame_rows(frame->body, rows, 2, part);
    draw_monitor(v, canvas, part[0]);
    if (part[1].rows < 3)
        return;
    page.in = rect_inside(part[1]);
    frame_columns(page.in, weights, 2, 30, column);
    if (!rect_empty(column[1])) {
        page.in = column[0];
        page.in.cols -= 2; /* a gap */
        gauges = gauges_draw(canvas, column[1], 0, gauges_of(v, v->row), set);
    }
    (cpu ? show_cpu : show_gpu)(&page, v);
    show_planned(&page, v->planned[cpu ? PROBE_MAX : v->row]);
    if (!rect_empty(column[1])) /* as high as what is in it */
        part[1].rows = int_min(part[1].rows, 2 + int_max(page.y, gauges));
    canvas_box(canvas, part[1], name[0] ? name : cpu ? "processor" : "unknown", NULL);
}

bool devices_view_act(struct devices_view *v, enum action action)
{
    int by = list_step(action, 8);

    v->row = list_clamp(v->row + by, 0, (int)v->count);
    return by != 0;
}

void devices_view_click(struct devices_view *v, int y)
{
    int row = y - 2; /* the box and the titles */

    if (row >= 0 && row <= (int)v->count)
        v->row = row;
}

void devices_view_title(const struct devices_view *v, struct strbuf *out)
{
    bool mig = v->count > 0 && v->device[0].slice[0];

    strbuf_addf(out, "%zu %s%s", v->count, mig ? "device" : "GPU", v->count == 1 ? "" : "s");
}

/* ---- what devices tell ---- */

#define POINT_NAME 96

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
    live->samples.told++;
    live->samples.sum += s->sample;
    live->samples.squares += s->sample * s->sample;
    live->samples.least = fmin(live->samples.least, s->sample);
    live->samples.most = fmax(live->samples.most, s->sample);
    spark_add(&live->samples.last, s->sample);
}

double bench_sample_mean(const struct bench *b, int point, double *spread)
{
    const struct bench_live *live = &b->live[b->device];
    double n = live->samples.told, mean = live->samples.sum / n;

    *spread = NAN;
    if (live->samples.point != point || n < 1)
        return NAN;
    if (n >= 3)
        *spread = 1.96 * sqrt(fmax(live->samples.squares / n - mean * mean, 0) / (n - 1)) / mean;
    return mean;
}

void bench_sensors(struct bench *b, const struct session_event *event, double now)
{
    const struct session_sensors *s = &event->sensors;
    struct bench_live *live;
    struct session_device device;

    if (event->device < 0 || event->device >= BENCH_DEVICES)
        return;
    live = &b->live[event->device];
    struct gauges *g = &live->gauges;
    g->now[GAUGE_POWER] = s->power;
    g->limit[GAUGE_POWER] = s->power_limit;
    g->now[GAUGE_CLOCK] = s->sm_clock;
    g->limit[GAUGE_CLOCK] = s->sm_clock_max;
    g->now[GAUGE_TEMP] = s->temperature;
    g->now[GAUGE_MEMORY] = s->memory_used / GP_GIB;
    g->limit[GAUGE_MEMORY] = s->memory_total / GP_GIB;
    g->now[GAUGE_LOAD] = s->load;
    g->now[GAUGE_TENSOR] = 100 * s->tensor;
    g->now[GAUGE_DRAM] = 100 * s->dram;
    g->now[GAUGE_BUSY] = 100 * s->busy;
    gp_copy(g->throttle, sizeof(g->throttle), s->throttle ? s->throttle : "");
    if (session_device(b->session, event->device, &device))
        read_sample(live, device.running, s);
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

#define FLAGS_LEAST 92 /* columns from which the list has flags: then they take what is left */
#define NAME_COLS 22   /* of a point's name beside them */
enum {
    COL_STATE,
    COL_NAME,
    COL_RATE,
    COL_TIME,
    COL_PREDICTED,
    COL_RATIO,
    COL_BAR,
    COL_FLAGS,
    COLUMNS
};
#define BAR_COLS 17   /* of a ratio as a bar, */
#define BAR_MOST 1.5  /* up to so much */
#define BAR_LEAST 116 /* columns from which the list has them */
static const struct list_column point_columns[COLUMNS] = {
    [COL_STATE] = {"state", 7, 0, false},
    [COL_NAME] = {"point", 0, 0, false},
    [COL_RATE] = {"measured", 12, 0, true},
    [COL_TIME] = {"time", 10, 62, true},
    [COL_PREDICTED] = {"predicted", 12, 62, true},
    [COL_RATIO] = {"ratio", 5, 0, true},
    [COL_BAR] = {"bar  | predicted", BAR_COLS, BAR_LEAST, false},
    [COL_FLAGS] = {"flags", 0, FLAGS_LEAST, false},
};

/* "4096^3 bf16", "gate_up 64 bf16", "read 256 MiB": the test is in the heading, and
 * what is cut off first matters least. */
static void name_point(const struct point *p, char *text, size_t size)
{
    char bytes[32];
    const char *slash = strchr(p->id, '/'), *type = bench_type_word(p->type);

    if (p->layer[0])
        gp_format(text, size, "%s %lld %s", p->layer, (long long)point_tokens(p), type);
    else if (p->m > 0 && p->m == p->n && p->n == p->k)
        gp_format(text, size, "%lld^3 %s", (long long)p->m, type);
    else if (p->m > 0)
        gp_format(text, size, "%lldx%lldx%lld %s", (long long)p->m, (long long)p->n,
                  (long long)p->k, type);
    else if (p->kind)
        gp_format(text, size, "%s %s", point_kind(p), units_bytes(bytes, sizeof(bytes), p->bytes));
    else if (p->test == TEST_FIT)
        gp_format(text, size, "%s, %s", p->model, units_bytes(bytes, sizeof(bytes), p->bytes));
    else if (p->test == TEST_DECODE)
        gp_format(text, size, "%s tp%d %lldx%.0f %s", p->model, p->tp, (long long)p->n, p->context,
                  point_weights(p));
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
#define TIME(seconds) time_text((char[32]){""}, 32, seconds)
#define FLAGS(result) result_flags(result, ", ", (char[96]){""}, 96)

static const enum ink mark_inks[] = {
    [MARK_WAITING] = INK_DIM, [MARK_RUNNING] = INK_ACCENT, [MARK_OK] = INK_OK,
    [MARK_WRONG] = INK_BAD,   [MARK_FAILED] = INK_BAD,     [MARK_UNSUPPORTED] = INK_DIM,
    [MARK_SKIPPED] = INK_DIM,
};

/* s that a product, or a read of memory, takes by the plan's figures of these processors; NAN: they
 * say nothing. */
static double plan_time(const struct bench *b, const struct point *p)
{
    const struct gpu *host = bench_host(b);
    double roof;

    return !host      ? NAN
           : p->m > 0 ? point_operations(p) / confirm_law(host, p, &roof)
           : p->test == TEST_MEMORY && p->kind == KIND_READ ? point_bytes(p) / host->bandwidth.value
                                                            : NAN;
}

/* The point's first result, with what a plan says of it where the run has no roof. */
static struct point_result result_of(const struct bench *b, const struct session_point *p)
{
    struct point_result r = p->result[0];
    double s = r.predicted > 0 || r.state != POINT_OK ? NAN : plan_time(b, p->point);

    if (s > 0 && r.median > 0) {
        r.predicted = s;
        r.ratio = s / r.median;
        r.bound = "the plan's figures of this processor";
        r.origin = "";
    }
    return r;
}

/* What is predicted of a point, as it is measured: "734 TFLOP/s". */
static const char *predicted_text(const struct point *p, double seconds, char *text, size_t size)
{
    struct point_result r = {.test = p->test, .type = p->type, .median = seconds};

    if (!(seconds > 0))
        return "-";
    r.ops = point_operations(p) / seconds;
    r.bytes = point_bytes(p) / seconds;
    return result_rate(text, size, &r);
}

/* How much of the predicted speed was reached; what is predicted as a line over it. */
static void draw_ratio(struct canvas *canvas, struct rect in, int y, int x, double ratio,
                       enum ink ink)
{
    const int cols = BAR_COLS - 1, at = (int)(cols / BAR_MOST);

    if (ratio > 0)
        canvas_run(canvas, in, y, x, (int)ceil(cols * fmin(ratio / BAR_MOST, 1)), ink, GLYPH_FULL);
    if (ratio > 0)
        canvas_glyph(canvas, in, y, x + at, INK_FRAME, GLYPH_VERTICAL);
}

/* A cell of a point's result. */
static const char *result_cell(const struct session_point *p, const struct point_result *r,
                               int column, char *text, size_t size)
{
    if (column == COL_RATE)
        return p->mark == MARK_UNSUPPORTED ? "unsupported" : result_rate(text, size, r);
    if (column == COL_TIME)
        return time_text(text, size, r->median);
    if (column == COL_PREDICTED)
        return predicted_text(p->point, r->predicted, text, size);
    if (column == COL_FLAGS) {
        if (!result_flags(r, ", ", text, size)[0] && !result_wrong(r))
            return r->reason;
        if (result_wrong(r))
            gp_append(text, size, ": ", "%s", r->why[0] ? r->why : "the check of it failed");
        return text;
    }
    gp_copy(text, size, "-");
    if (r->ratio > 0)
        gp_format(text, size, r->ratio < 9.995 ? "%.0f %%" : "%.3gx",
                  r->ratio < 9.995 ? 100 * r->ratio : r->ratio);
    return text;
}

static void draw_point(const struct bench *b, struct canvas *canvas, struct rect in, int y,
                       const struct list_table *table, int index)
{
    struct session_point p;
    char name[POINT_NAME], text[300];
    int end = in.cols; /* a name may take what is left beside it */
    bool none, disturbed, flagged;

    if (!session_point(b->session, b->device, index, &p))
        return;
    const struct point_result r = result_of(b, &p);
    none = p.mark == MARK_UNSUPPORTED;
    disturbed = p.count > 0 && p.result[0].disturbed;
    flagged = p.mark == MARK_OK && disturbed;
    list_cell(canvas, in, y, table, COL_STATE, flagged ? INK_WARN : mark_inks[p.mark],
              flagged ? "flagged"
              : none  ? "-"
                      : session_mark_word(p.mark));
    for (int c = COL_RATE; p.count > 0 && c < (none ? COL_RATE + 1 : table->count); c++) {
        if (c == COL_BAR) {
            if (table->cols[c] > 0)
                draw_ratio(canvas, in, y, table->x[c], r.ratio, disturbed ? INK_WARN : INK_OK);
            continue;
        }
        const char *cell = result_cell(&p, &r, c, text, sizeof(text));

        list_cell(canvas, in, y, table, c,
                  none                          ? INK_DIM
                  : c >= COL_RATIO && disturbed ? INK_WARN
                                                : INK_TEXT,
                  cell);
        if (c == COL_RATE)
            end = table->x[c] + table->cols[c] - 1 - gp_width(cell);
    }
    name_point(p.point, name, sizeof(name));
    canvas_fit(canvas, in, y, table->x[COL_NAME], end - table->x[COL_NAME], INK_TEXT, name);
    if (p.count == 0 && table->count == COLUMNS && plan_time(b, p.point) > 0)
        list_cell(canvas, in, y, table, COL_PREDICTED, INK_DIM,
                  predicted_text(p.point, plan_time(b, p.point), text, sizeof(text)));
    if (p.count == 0 && p.mark == MARK_WAITING && table->count == COLUMNS) {
        gp_format(text, sizeof(text), "%s%s, %s", p.seconds < 1 ? "" : "~", BENCH_TIME(p.seconds),
                  BENCH_BYTES(p.bytes));
        list_cell(canvas, in, y, table, COL_FLAGS, INK_DIM, text);
    }
    if (index == b->point && b->panel == BENCH_POINTS && b->stage != STAGE_CHOOSE)
        list_focus(canvas, in, y);
}

/* The list of points into a box; whole: with what is predicted and flags, where there is room. */
static void draw_points(const struct bench *b, struct canvas *canvas, struct rect in, bool whole)
{
    struct rect inside = rect_inside(in), list;
    struct list_column columns[COLUMNS];
    struct session_device d;
    char place[64] = "";
    int top, at = 0;

    if (rect_empty(inside))
        return;
    whole = whole && inside.cols >= FLAGS_LEAST;
    memcpy(columns, point_columns, sizeof(columns));
    columns[COL_NAME].cols = whole ? NAME_COLS : 0;
    struct list_table table = list_table(columns, whole ? COLUMNS : COL_FLAGS, inside.cols);
    if (session_device(b->session, b->device, &d) && session_devices(b->session) > 1)
        gp_format(place, sizeof(place), "device %d, Tab: next", d.id);
    canvas_box(canvas, in, "Points", place[0] ? place : NULL);
    list_titles(canvas, inside, &table);
    list = (struct rect){inside.y + 1, inside.x, inside.rows - 1, inside.cols};
    while (at < b->line_count && b->lines[at] != b->point)
        at++;
    at = at < b->line_count ? at : 0;
    top = list_top(at, b->line_count, list.rows);
    if (b->stage == STAGE_RUN && b->follow &&
        list.rows > 0) /* points come in any order: by pages */
        top = list_clamp(at / list.rows * list.rows, 0, b->line_count - list.rows);
    for (int y = 0; y < list.rows && top + y < b->line_count; y++) {
        int line = b->lines[top + y];

        if (line >= 0) {
            draw_point(b, canvas, list, y, &table, line);
        } else {
            enum bench_test test = (enum bench_test)BENCH_HEADING(line);
            const char *heading = test_rows[test].heading;

            canvas_rule(canvas, list, y, heading ? heading : bench_test_word(test));
        }
    }
}

/* ---- one device ---- */

/* What a device of this backend tells. */
static unsigned gauge_set(const struct bench *b)
{
    const unsigned every =
        GAUGE_BIT(POWER) | GAUGE_BIT(CLOCK) | GAUGE_BIT(TEMP) | GAUGE_BIT(MEMORY);

    return strcmp(b->plan.backend, "cpu") == 0
               ? every | GAUGE_BIT(LOAD)
               : every | GAUGE_BIT(BUSY) | GAUGE_BIT(TENSOR) | GAUGE_BIT(COUNT);
}

void bench_gauges_draw(const struct bench *b, struct page *page)
{
    if (page->y < page->in.rows)
        gauges_draw(page->canvas, page->in, page->y, &b->live[b->device].gauges, gauge_set(b));
}

static void draw_device(const struct bench *b, struct canvas *canvas, struct rect in, int place)
{
    const unsigned set = gauge_set(b);
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

static const struct strip {
    struct list_column column;
    enum gauge gauge; /* GAUGE_COUNT: the name, or the throttle, which is last */
    const char *only; /* the backend whose devices tell it; NULL: all */
    int decimals;
} strip[] = {{{"device", 22, 0, false}, GAUGE_COUNT, NULL, 0},
             {{"busy %", 6, 0, true}, GAUGE_BUSY, "cuda", 0},
             {{"load", 5, 0, true}, GAUGE_LOAD, "cpu", 1},
             {{"tensor %", 8, 0, true}, GAUGE_TENSOR, "cuda", 0},
             {{"DRAM %", 6, 0, true}, GAUGE_DRAM, "cuda", 0},
             {{"W", 5, 0, true}, GAUGE_POWER, NULL, 0},
             {{"C", 3, 0, true}, GAUGE_TEMP, NULL, 0},
             {{"MHz", 5, 0, true}, GAUGE_CLOCK, NULL, 0},
             {{"GiB", 6, 0, true}, GAUGE_MEMORY, NULL, 1},
             {{"throttle", 0, 0, false}, GAUGE_COUNT, NULL, 0}};
enum { STRIP = sizeof(strip) / sizeof(strip[0]) };

static void strip_row(const struct bench *b, struct canvas *canvas, struct rect in, int y,
                      int place, const struct list_table *table, const struct strip *const *cells)
{
    const struct gauges *g = &b->live[place].gauges;
    struct session_device d;
    char text[200];
    enum ink ink;
    const char *throttle = throttle_text(g, &ink);

    if (!session_device(b->session, place, &d))
        return;
    gp_format(text, sizeof(text), "%d %s", d.id, d.name);
    list_cell(canvas, in, y, table, 0, place == b->device ? INK_KEY : INK_TEXT, text);
    if (d.failed) {
        gp_format(text, sizeof(text), "%s: %s", session_is_busy(&d) ? "not measured" : "lost",
                  d.why);
        canvas_fit(canvas, in, y, table->x[1], in.cols, INK_BAD, text);
        return;
    }
    for (int i = 1; i < table->count - 1; i++)
        list_cell(canvas, in, y, table, i, INK_TEXT,
                  PLAIN(g->now[cells[i]->gauge], cells[i]->decimals));
    list_cell(canvas, in, y, table, table->count - 1, ink, throttle);
}

static void draw_strip(const struct bench *b, struct canvas *canvas, struct rect box)
{
    const char *backend = strcmp(b->plan.backend, "cpu") == 0 ? "cpu" : "cuda";
    int devices = session_devices(b->session), rows = box.rows - 3, count = 0;
    int top = b->device >= rows ? b->device - rows + 1 : 0;
    struct rect in = rect_inside(box);
    struct list_column columns[STRIP];
    const struct strip *cells[STRIP];

    canvas_box(canvas, box, devices == 1 ? "Device" : "Devices",
               devices > rows ? "Tab: next" : NULL);
    for (int i = 0; i < STRIP; i++)
        if (!strip[i].only || strcmp(strip[i].only, backend) == 0) {
            columns[count] = strip[i].column;
            cells[count++] = &strip[i];
        }
    struct list_table table = list_table(columns, count, in.cols);
    list_titles(canvas, in, &table);
    for (int i = 0; i < rows && top + i < devices && top + i < BENCH_DEVICES; i++)
        strip_row(b, canvas, in, i + 1, top + i, &table, cells);
}

/* ---- the point that runs ---- */

/* What a sample of a point comes to, as its result will say it. */
static char *sample_rate(char text[32], const struct point *p, double seconds)
{
    const struct point_result r = {.test = p->test,
                                   .type = p->type,
                                   .median = seconds,
                                   .ops = point_operations(p) / seconds,
                                   .bytes = point_bytes(p) / seconds};

    return result_rate(text, 32, &r);
}

/* "62.8 GFLOP/s +-4.1 %", beside what is predicted; the samples as bars; their ends. */
static void draw_samples(const struct bench *b, const struct session_point *p, int point,
                         struct page *page)
{
    const struct bench_live *live = &b->live[b->device];
    double least = live->samples.least, most = live->samples.most;
    double spread, mean = bench_sample_mean(b, point, &spread);
    char rate[32], low[32], high[32], interval[32] = "";

    if (!isfinite(mean)) {
        page_words(page, 0, INK_DIM, "warm-up, no sample yet");
        return;
    }
    if (isfinite(spread))
        gp_format(interval, sizeof(interval), " +-%.1f %%", 100 * spread);
    bench_fact(page, LABEL, "rate", "%s%s", sample_rate(rate, p->point, mean), interval);
    spark_draw(page->canvas, (struct rect){page->in.y + page->y++, page->in.x, 1, page->in.cols},
               INK_SERIES1, &live->samples.last, 0.9 * least, most);
    bench_fact(page, LABEL, "sample", "%d: %s..%s", live->samples.count,
               sample_rate(low, p->point, most), sample_rate(high, p->point, least));
}

/* The sweep that a point belongs to, as a curve that grows: operations/s of its layer and type
 * against tokens, with what the plan takes for them and the roof of the device behind. False:
 * there is no room, or it is none. */
static bool draw_sweep(const struct bench *b, struct page *page, const struct point *of)
{
    struct rect rest = {page->in.y + page->y, page->in.x, page->in.rows - page->y, page->in.cols};
    const struct gpu *gpu;
    struct session_device d;
    struct session_point p;
    struct plot plot;
    double low = INFINITY, high = 0, most = 0, scale;

    if (!of->layer[0] || rest.rows < 8 || rest.cols < 34 ||
        !session_device(b->session, b->device, &d))
        return false;
    gpu = d.gpu ? d.gpu : bench_host(b);
    plot_init(&plot);
    struct plot_series *roof = plot_add(&plot, "roof", PLOT_DIM, '\0');
    struct plot_series *law = plot_add(&plot, "plan", PLOT_2, '\0');
    struct plot_series *seen = plot_add(&plot, "measured", PLOT_1, 'o');
    for (int i = 0; session_point(b->session, b->device, i, &p); i++) {
        double top = NAN, rate = gpu ? confirm_law(gpu, p.point, &top) : NAN;
        double spread, x = (double)point_tokens(p.point), mean = bench_sample_mean(b, i, &spread);

        if (strcmp(p.point->layer, of->layer) != 0 || p.point->type != of->type ||
            p.point->test != of->test)
            continue;
        mean = p.count > 0 && p.result[0].state == POINT_OK
                   ? p.result[0].ops
                   : point_operations(p.point) / mean; /* NAN: nothing yet */
        plot_point(roof, x, top);
        plot_point(law, x, rate);
        plot_point(seen, x, mean);
        low = fmin(low, x);
        high = fmax(high, x);
        most = fmax(fmax(most, mean), fmax(rate, top));
    }
    scale = most >= 1e12 ? 1e12 : 1e9;
    for (int i = 0; i < plot.count; i++)
        for (int k = 0; k < plot.series[i].count; k++)
            plot.series[i].y[k] /= scale;
    plot.x = (struct plot_axis){.low = low, .high = high, .log = true, .base = 2};
    plot.y = (struct plot_axis){.low = 0, .high = 1.05 * most / scale};
    plot.x.title = "tokens";
    plot.y.unit = scale > 1e9 ? "TFLOP/s" : "GFLOP/s";
    if (high > low && most > 0) {
        canvas_textf(page->canvas, rest, 0, 0, INK_DIM, "%s by tokens: o measured, plan, roof",
                     plot.y.unit);
        rest.y++;
        rest.rows--;
        plot_draw(page->canvas, rest, &plot, NAN);
    }
    plot_fini(&plot);
    return high > low && most > 0;
}

#define SWEEP_COLS 48 /* of one, beside others */
#define SWEEP_ROWS 12
#define SWEEPS_MOST 4

/* The sweeps among the points, side by side; false: none, or no room. */
static bool draw_sweeps(const struct bench *b, struct canvas *canvas, struct rect in)
{
    struct point of[SWEEPS_MOST];
    struct session_point p;
    int most = int_min(in.cols / SWEEP_COLS, SWEEPS_MOST), n = 0;

    if (in.rows < SWEEP_ROWS)
        return false;
    for (int i = 0; n < most && session_point(b->session, b->device, i, &p); i++)
        if (p.point->layer[0] && (n == 0 || strcmp(of[n - 1].layer, p.point->layer) != 0 ||
                                  of[n - 1].type != p.point->type))
            of[n++] = *p.point;
    for (int i = 0; i < n; i++) {
        int from = in.cols * i / n;
        struct rect box = {in.y, in.x + from, in.rows, in.cols * (i + 1) / n - from};
        struct page page = {.canvas = canvas, .in = rect_inside(box)};
        char title[80];

        gp_format(title, sizeof(title), "%s %s", of[i].layer, bench_type_word(of[i].type));
        canvas_box(canvas, box, title, NULL);
        if (!draw_sweep(b, &page, &of[i]))
            page_words(&page, 0, INK_DIM, "nothing is predicted of it");
    }
    return n > 0;
}

int bench_points_draw(const struct bench *b, struct canvas *canvas, struct rect in)
{
    struct rect points = in, below = in;

    points.rows = int_min(in.rows, b->line_count + 3); /* with edges and titles */
    below.y += points.rows;
    below.rows -= points.rows;
    draw_points(b, canvas, points, true);
    return draw_sweeps(b, canvas, below) ? in.rows : points.rows;
}

static void draw_now(const struct bench *b, struct canvas *canvas, struct rect in)
{
    struct page page = {.canvas = canvas, .in = rect_inside(in)};
    const struct point *sweep = NULL; /* the point that runs, else the newest */
    struct session_device d;
    struct session_point p;

    if (rect_empty(page.in) || !session_device(b->session, b->device, &d))
        return;
    bool runs = d.running >= 0 && session_point(b->session, b->device, d.running, &p);
    canvas_box(canvas, in, runs ? "This point" : "No point runs", NULL);
    if (runs) {
        page_words(&page, 0, INK_KEY, p.point->id);
        sweep = p.point;
        draw_samples(b, &p, d.running, &page);
    } else {
        page_words(&page, 0, INK_DIM, bench_warms(b) ? "the devices warm up" : "");
    }
    for (int i = runs ? d.running : session_points(b->session); i > 0;) {
        if (!session_point(b->session, b->device, --i, &p) || p.count == 0)
            continue;
        const struct point_result *r = &p.result[0];
        const char *flags = FLAGS(r);
        char name[POINT_NAME], rate[32];

        sweep = sweep ? sweep : p.point;
        name_point(p.point, name, sizeof(name));
        bench_fact(&page, LABEL, "before", "%s: %s%s%s", name,
                   r->state == POINT_OK ? result_rate(rate, sizeof(rate), r)
                                        : point_state_words[r->state],
                   flags[0] ? ", " : "", flags);
        break; /* the newest */
    }
    page.y++;
    if (!sweep || !draw_sweep(b, &page, sweep))
        bench_gauges_draw(b, &page);
}

/* ---- what is left ---- */

/* "1:02:03", "2:03" */
static void add_clock(struct strbuf *out, double seconds)
{
    long s = lround(seconds);

    if (s >= 3600)
        strbuf_addf(out, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
    else
        strbuf_addf(out, "%ld:%02ld", s / 60, s % 60);
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
    return p.done == p.before && !b->stopping;
}

/* "0:12   left about 1:04   points: 12 ok, 1 flagged, 9 to go": of all devices. */
static void progress_words(const struct bench *b, const struct session_progress *progress,
                           struct strbuf *out)
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
    strbuf_add(out, "elapsed ");
    add_clock(out, progress->elapsed);
    strbuf_add(out, bench_warms(b) ? "   warm-up" : "   left about ");
    if (!bench_warms(b))
        add_clock(out, progress->left);
    strbuf_addf(out, "   points: %d ok", ok);
    if (flagged)
        strbuf_addf(out, ", %d flagged", flagged);
    if (bad)
        strbuf_addf(out, ", %d failed", bad);
    strbuf_addf(out, ", %d to go", left);
}

void bench_progress_draw(const struct bench *b, struct page *page)
{
    struct session_progress p;
    struct strbuf words;
    int width = page->in.cols / 2, full, y = page->y;

    session_progress(b->session, &p);
    full = p.of > 0 ? width * p.done / p.of : 0;
    canvas_run(page->canvas, page->in, y, 0, full, INK_SERIES1, GLYPH_FULL);
    canvas_run(page->canvas, page->in, y, full, width - full, INK_FREE, GLYPH_EMPTY);
    canvas_textf(page->canvas, page->in, y, width + 1, INK_TEXT, "%d %%",
                 p.of > 0 ? 100 * p.done / p.of : 0);
    strbuf_init(&words);
    progress_words(b, &p, &words);
    canvas_text(page->canvas, page->in, y + 1, 0, INK_TEXT, words.text);
    strbuf_fini(&words);
    page->y += 2;
}

static void draw_run_words(const struct bench *b, struct canvas *canvas, struct rect in)
{
    struct page page = {.canvas = canvas, .in = rect_inside(in)};
    int first = b->notes, room;

    if (rect_empty(page.in))
        return;
    canvas_box(canvas, in, "Run",
               b->stopping == 2   ? "stops now"
               : b->stopping == 1 ? "stops after the point"
                                  : NULL);
    if (b->panel == BENCH_WORDS)
        canvas_cursor(canvas, page.in, 0, 0);
    bench_progress_draw(b, &page);
    bench_file(&page, "kept", b->plan.journal);
    room = page.in.rows - page.y;
    while (first > 0) { /* the newest that have room, and the last one always */
        room -= 1 + gp_width(b->note[first - 1]) / page.in.cols;
        if (room < 0 && first < b->notes)
            break;
        first--;
    }
    for (int i = first; i < b->notes; i++)
        page_words(&page, 0, INK_WARN, b->note[i]);
}

/* ---- the whole ---- */

void bench_live_draw(const struct bench *b, struct canvas *canvas, const struct frame *frame)
{
    struct rect panel[BENCH_PANELS];

    frame_bench(frame->body, frame->size, b->panel, session_devices(b->session), panel);
    draw_points(b, canvas, panel[BENCH_POINTS], false);
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

    devices = devices < BENCH_DEVICES ? devices : BENCH_DEVICES;
    if (devices < 1)
        return;
    if (frame.size > SIZE_ONE || b->stage != STAGE_RUN) {
        b->panel = BENCH_POINTS;
        b->device = (b->device + by + devices) % devices;
        return;
    }
    int at = b->panel == BENCH_WORDS ? 2 * devices : 2 * b->device + (b->panel != 0);
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
    const char *flags = FLAGS(r);
    char rate[32];

    if (r->state != POINT_OK) {
        strbuf_addf(out, "%s%s%s", point_state_words[r->state], r->reason[0] ? ": " : "",
                    r->reason);
        return;
    }
    strbuf_addf(out, "%s%s%s in %s (%s..%s, %d samples)", r->variant, r->variant[0] ? " " : "",
                result_rate(rate, sizeof(rate), r), TIME(r->median), TIME(r->low), TIME(r->high),
                r->samples);
    if (r->predicted > 0)
        strbuf_addf(out, "; predicted %s by %s%s%s", TIME(r->predicted), r->bound,
                    r->origin[0] ? ", " : "", r->origin);
    if (r->checked)
        strbuf_addf(out, "; %s%s%s", r->correct ? "result right" : "RESULT WRONG",
                    r->correct || !r->why[0] ? "" : ": ", r->correct ? "" : r->why);
    if (flags[0])
        strbuf_addf(out, "; flags: %s", flags);
}

void bench_point_explain(const struct bench *b, struct strbuf *out)
{
    struct session_point p;

    if (!b->session || !session_point(b->session, b->device, b->point, &p))
        return;
    strbuf_addf(out, "%s: ", p.point->id);
    if (p.count == 0)
        strbuf_addf(out, "%s; takes %s%s and %s", session_mark_word(p.mark),
                    p.seconds < 1 ? "" : "about ", BENCH_TIME(p.seconds), BENCH_BYTES(p.bytes));
    for (int i = 0; i < p.count; i++) {
        strbuf_add(out, i ? "; " : "");
        const struct point_result r = i ? p.result[i] : result_of(b, &p);

        explain_result(&r, out);
    }
    if (b->stage == STAGE_RUN && p.count == 0)
        strbuf_add(out, "\nratio: the measured speed in percent of the predicted one");
}

/* ---- the words ---- */

/* The result is in no file. */
static bool is_unwritten(const struct bench *b)
{
    return b->unwritten[0] && !b->saved[0];
}

/* What the run came to, in words or text[480]. */
static const char *status_words(const struct bench *b, char text[480])
{
    return is_unwritten(b) ? "NOT WRITTEN: the result is in no file; w saves it under another name."
                           : session_outcome(b->session, text, 480);
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
    if (is_unwritten(b))
        return INK_BAD;
    if (bench_unfinished(b))
        return INK_WARN;
    struct benchlog_tally t = benchlog_tally(session_log(b->session));
    return t.good == 0 ? INK_BAD : t.flagged || t.wrong || t.without ? INK_WARN : INK_OK;
}

static void show_words(struct page *page, const struct bench *b)
{
    bool busy = session_some_busy(b->session);
    char text[480];

    page_words(page, 0, status_ink(b), status_words(b, text));
    for (int i = 0; i < session_devices(b->session); i++)
        if (session_text_lost(b->session, i, text, sizeof(text)))
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

void bench_done_draw(const struct bench *b, struct canvas *canvas, const struct frame *frame)
{
    struct rect part[2];
    struct page words = {.in = rect_inside(frame->body)};
    int rows[2] = {0, 0};

    if (frame->size <= SIZE_ONE) {
        if (b->panel == BENCH_WORDS)
            draw_result_words(b, canvas, frame->body);
        else
            bench_points_draw(b, canvas, frame->body);
        return;
    }
    show_words(&words, b);
    rows[0] = words.y + 2 < frame->body.rows - 8 ? words.y + 2 : frame->body.rows - 8;
    frame_rows(frame->body, rows, 2, part);
    draw_result_words(b, canvas, part[0]);
    bench_points_draw(b, canvas, part[1]);
}

/* ---- keys ---- */

static bool save_result(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct bench *b = ctx;
    const struct benchlog *log = session_log(b->session);
    char path[GP_PATH_MAX];
    enum gp_status rc;

    if (!log || !text[0])
        rc = gp_fail(err, GP_E_USAGE, "", "", "a file needs a name");
    else if ((rc = app_target(text, path, sizeof(path), err)) == GP_OK)
        rc = path_is_dir(path) ? gp_fail(err, GP_E_FILE, path, "", "is a folder")
                               : benchlog_write(path, log->json, err);
    if (rc)
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
    strbuf_addf(&out, "%s\n", status_words(b, text));
    for (int i = 0; i < session_devices(b->session); i++)
        if (session_text_lost(b->session, i, text, sizeof(text)))
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
    struct prompt_spec options = {.label = "Save result as: ",
                                  .text = slash ? slash + 1 : b->plan.result,
                                  .hint = "a file name, .json",
                                  .history = PROMPT_FILE,
                                  .done = save_result,
                                  .ctx = b};
    bool one = app_frame(app).size <= SIZE_ONE; /* else Tab: the next device */

    if (action == ACT_SAVE_RESULT) {
        prompt_open(&app->display, &options);
    } else if (action == ACT_START && bench_unfinished(b)) {
        bench_go_on(app, b);
    } else if (action == ACT_OPEN) {
        if (session_log(b->session))
            read_all(app, b);
    } else if (one && (action == ACT_PANEL || action == ACT_PANEL_BACK)) {
        if (b->panel == BENCH_WORDS)
            b->device = (b->device + 1) % session_devices(b->session);
        b->panel = b->panel == BENCH_WORDS ? BENCH_POINTS : BENCH_WORDS;
    } else {
        return false;
    }
    return true;
}
