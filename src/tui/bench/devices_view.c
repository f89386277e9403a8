/*
 * devices_view.c - see devices_view.h.
 */
#include "tui/bench/devices_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "probe/probe.h"
#include "probe/probe_cpu.h"
#include "tui/bench/gauge.h"
#include "util/mem.h"
#include "util/units.h"

#define EVERY 1.0 /* s between two looks */

struct minute { /* of one device */
    struct spark power, clock, temperature, memory, busy;
};

struct devices_view {
    struct probe *probe; /* NULL: not looked yet */
    double next;         /* when it looks again */
    size_t count;
    struct device device[PROBE_MAX];
    char profile[PROBE_MAX][GPU_ID_MAX]; /* "" = not in the catalogue */
    struct minute minute[PROBE_MAX + 1]; /* the processor's is the last */
    struct processor cpu;
    struct gp_err why; /* there is no GPU */
    int row;
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

/* ---- looking ---- */

static double value_of(struct quantity q)
{
    return q.known ? q.value : NAN;
}

static void identify(struct devices_view *v, size_t i, const struct gpu *const *gpus,
                     size_t count)
{
    const struct device *d = &v->device[i];
    const struct gpu *gpu = probe_match(d, gpus, count);
    struct gpu slice;

    v->profile[i][0] = '\0';
    if (gpu && !d->slice[0])
        gp_copy(v->profile[i], GPU_ID_MAX, gpu->id);
    else if (gpu && gpu_slice_of(gpu, d->slice, &slice, NULL) == GP_OK)
        gp_copy(v->profile[i], GPU_ID_MAX, slice.id);
}

static void keep_minute(struct devices_view *v, size_t i)
{
    const struct device *d = &v->device[i];
    struct minute *m = &v->minute[i];

    spark_add(&m->power, value_of(d->power));
    spark_add(&m->clock, value_of(d->clock));
    spark_add(&m->temperature, value_of(d->temperature));
    spark_add(&m->memory, value_of(d->memory_used));
    spark_add(&m->busy, value_of(d->busy));
}

static void look(struct app *app, struct devices_view *v)
{
    const struct gpu *const *gpus;
    size_t count = 0, before = v->count;
    struct minute *cpu = &v->minute[PROBE_MAX];

    if (!v->probe)
        v->probe = probe_open();
    memset(&v->why, 0, sizeof v->why);
    probe_read(v->probe, v->device, PROBE_MAX, &v->count, &v->why);
    if (v->count != before) /* another list: what was kept is of other devices */
        memset(v->minute, 0, PROBE_MAX * sizeof *v->minute);
    if (v->count > 0 &&
        catalog_gpus(planner_catalog(app->form->planner), &gpus, &count, NULL))
        count = 0;
    for (size_t i = 0; i < v->count; i++) {
        identify(v, i, gpus, count);
        keep_minute(v, i);
    }
    processor_read(&v->cpu);
    spark_add(&cpu->clock, v->cpu.clock);
    spark_add(&cpu->temperature, v->cpu.temperature);
    spark_add(&cpu->memory, v->cpu.memory - v->cpu.available);
    spark_add(&cpu->busy, v->cpu.busy);
    if (v->row > (int)v->count)
        v->row = (int)v->count;
}

double devices_view_tick(struct app *app, struct devices_view *v, double now)
{
    if (now < v->next)
        return v->next - now;
    look(app, v);
    v->next = now + EVERY;
    app_touch(app);
    return EVERY;
}

/* ---- the table ---- */

struct column {
    const char *title;
    int cols;  /* 0: what is left */
    int least; /* shown when the table is at least so wide */
};
enum {
    COL_ID,
    COL_NAME,
    COL_PROFILE,
    COL_MEMORY,
    COL_BUSY,
    COL_POWER,
    COL_TEMP,
    COL_CLOCK,
    COLUMNS
};
static const struct column columns[COLUMNS] = {
    [COL_ID] = {"id", 4, 0},
    [COL_NAME] = {"device", 0, 0},
    [COL_PROFILE] = {"profile", 20, 90},
    [COL_MEMORY] = {"used GiB", 14, 34},
    [COL_BUSY] = {"busy", 6, 60},
    [COL_POWER] = {"power", 8, 70},
    [COL_TEMP] = {"temp", 6, 60},
    [COL_CLOCK] = {"clock", 10, 76},
};

static void plain(char *text, size_t size, double value, double unit, int decimals,
                  const char *name)
{
    if (isfinite(value))
        gp_format(text, size, "%.*f %s", decimals, value / unit, name);
    else
        gp_copy(text, size, "-");
}

static void memory_cell(char *text, size_t size, double used, double total)
{
    if (isfinite(used) && isfinite(total))
        gp_format(text, size, "%.1f/%.1f", used / GP_GIB, total / GP_GIB);
    else if (isfinite(total))
        gp_format(text, size, "-/%.1f", total / GP_GIB);
    else
        gp_copy(text, size, "-");
}

/* Of the name, what stands before " MIG ". */
static int name_length(const char *name)
{
    const char *mig = strstr(name, " MIG ");

    return (int)(mig ? (size_t)(mig - name) : strlen(name));
}

static void gpu_cell(const struct devices_view *v, int i, int column, char *text,
                     size_t size)
{
    const struct device *d = &v->device[i];

    switch (column) {
    case COL_ID:
        gp_format(text, size, "%d", d->index);
        break;
    case COL_NAME:
        gp_copy(text, size, d->name[0] ? d->name : "unknown");
        if (d->slice[0]) /* what differs comes first */
            gp_format(text, size, "MIG %s of %.*s", d->slice, name_length(d->name),
                      d->name);
        if (!d->name[0] && d->vendor_id)
            gp_format(text, size, "PCI %04x:%04x", d->vendor_id, d->device_id);
        break;
    case COL_PROFILE:
        gp_copy(text, size, v->profile[i][0] ? v->profile[i] : "not in catalogue");
        break;
    case COL_MEMORY:
        memory_cell(text, size, value_of(d->memory_used), value_of(d->memory_total));
        break;
    case COL_BUSY:
        plain(text, size, value_of(d->busy), 0.01, 0, "%");
        break;
    case COL_POWER:
        plain(text, size, value_of(d->power), 1, 0, "W");
        break;
    case COL_TEMP:
        plain(text, size, value_of(d->temperature), 1, 0, "C");
        break;
    default:
        plain(text, size, value_of(d->clock), 1e6, 0, "MHz");
        break;
    }
}

static void cpu_cell(const struct devices_view *v, int column, char *text, size_t size)
{
    const struct processor *p = &v->cpu;

    switch (column) {
    case COL_ID:
        gp_copy(text, size, "cpu");
        break;
    case COL_NAME:
        gp_copy(text, size, p->name[0] ? p->name : "processor");
        break;
    case COL_MEMORY:
        memory_cell(text, size, p->memory - p->available, p->memory);
        break;
    case COL_BUSY:
        plain(text, size, p->busy, 0.01, 0, "%");
        break;
    case COL_TEMP:
        plain(text, size, p->temperature, 1, 0, "C");
        break;
    case COL_CLOCK:
        plain(text, size, p->clock, 1e6, 0, "MHz");
        break;
    default:
        gp_copy(text, size, "-");
        break;
    }
}

/* row -1: the titles. Numbers go right, words left. */
static void draw_row(const struct devices_view *v, struct canvas *canvas,
                     struct rect in, int y, int row)
{
    int fixed = 0, x = 0;
    char text[128];

    for (int c = 0; c < COLUMNS; c++)
        fixed += in.cols >= columns[c].least ? columns[c].cols : 0;
    for (int c = 0; c < COLUMNS; c++) {
        int cols = columns[c].cols ? columns[c].cols : in.cols - fixed;
        struct rect cell = {in.y + y, in.x + x, 1, cols};

        if (in.cols < columns[c].least || cols <= 0)
            continue;
        if (row < 0)
            gp_copy(text, sizeof text, columns[c].title);
        else if (row == (int)v->count)
            cpu_cell(v, c, text, sizeof text);
        else
            gpu_cell(v, row, c, text, sizeof text);
        if (c >= COL_MEMORY)
            canvas_right(canvas, cell, 0, row < 0 ? INK_DIM : INK_TEXT, text);
        else
            canvas_fit(canvas, cell, 0, 0, cols - 1, row < 0 ? INK_DIM : INK_TEXT,
                       text);
        x += cols;
    }
}

static void draw_table(const struct devices_view *v, struct canvas *canvas,
                       struct rect in)
{
    struct rect inside = rect_inside(in);
    int rows = (int)v->count + 1, top = v->row - (inside.rows - 2);

    top = top < 0 ? 0 : top;
    canvas_box(canvas, in, "Devices", "now, every second");
    draw_row(v, canvas, inside, 0, -1);
    for (int y = 1; y < inside.rows && top + y - 1 < rows; y++) {
        int row = top + y - 1;

        draw_row(v, canvas, inside, y, row);
        if (row == v->row) {
            canvas_ink(canvas, inside, y, 0, inside.cols, INK_FOCUS);
            canvas_cursor(canvas, inside, y, 0);
        }
    }
}

/* ---- one device ---- */

static void link_text(const struct device *d, char *text, size_t size)
{
    const struct device_link *l = &d->pcie;
    char now[24] = "-", most[24] = "-";

    if (l->gen && l->width)
        gp_format(now, sizeof now, "gen %d x%d", l->gen, l->width);
    if (l->gen_max && l->width_max)
        gp_format(most, sizeof most, "gen %d x%d", l->gen_max, l->width_max);
    gp_format(text, size, "%s of %s", now, most);
}

static void nvlink_text(const struct device *d, char *text, size_t size)
{
    if (d->links > 0)
        gp_format(text, size, "%d of %d links active", d->links_active, d->links);
    else
        gp_copy(text, size, d->links == 0 ? "none" : "-");
}

static void mig_text(const struct devices_view *v, const struct device *d, char *text,
                     size_t size)
{
    static const char *const words[] = {"-", "none", "off", "on"};
    int of_it = 0;

    for (size_t i = 0; i < v->count; i++)
        of_it += v->device[i].slice[0] && v->device[i].index == d->index &&
                 strcmp(v->device[i].bus_id, d->bus_id) == 0;
    if (d->slice[0])
        gp_format(text, size, "%s, %d seen on GPU %d", d->slice, of_it, d->index);
    else
        gp_copy(text, size, words[d->mig]);
}

static int draw_labelled(struct canvas *canvas, struct rect in, int y,
                         const char *label, const char *text)
{
    if (y >= in.rows)
        return 0;
    canvas_text(canvas, in, y, 0, INK_DIM, label);
    canvas_fit(canvas, in, y, 9, in.cols - 9, INK_TEXT, text[0] ? text : "-");
    return 1;
}

static int draw_processes(const struct device *d, struct canvas *canvas, struct rect in,
                          int y)
{
    char text[128], memory[32];

    if (d->processes < 0)
        return y + draw_labelled(canvas, in, y, "programs", "-");
    gp_format(text, sizeof text, "%d compute", d->processes);
    y += draw_labelled(canvas, in, y, "programs", d->processes ? text : "none");
    for (int i = 0; i < d->listed && y < in.rows; i++, y++) {
        const struct device_process *p = &d->process[i];

        gp_copy(memory, sizeof memory, "-");
        if (p->memory.known)
            units_gib(memory, sizeof memory, p->memory.value);
        canvas_textf(canvas, in, y, 2, INK_TEXT, "%8ld %10s  %s", p->pid, memory,
                     p->name[0] ? p->name : "?");
    }
    return y;
}

static void memory_line(const struct device *d, char *text, size_t size)
{
    char free[32], used[32], total[32];

    plain(free, sizeof free, value_of(d->memory_free), GP_GIB, 2, "free");
    plain(used, sizeof used, value_of(d->memory_used), GP_GIB, 2, "used");
    plain(total, sizeof total, value_of(d->memory_total), GP_GIB, 2, "GiB");
    gp_format(text, size, "%s, %s of %s", free, used, total);
}

static void draw_facts(const struct devices_view *v, struct canvas *canvas,
                       struct rect in)
{
    const struct device *d = &v->device[v->row];
    char text[256];
    int y = 0;

    if (d->error[0])
        y += canvas_wrap(canvas, in, y, INK_WARN, d->error);
    y += draw_labelled(canvas, in, y, "profile",
                       v->profile[v->row][0] ? v->profile[v->row]
                                             : "not in the catalogue");
    gp_format(text, sizeof text, "%s (from %s)", d->driver[0] ? d->driver : "-",
              d->backend);
    y += draw_labelled(canvas, in, y, "driver", text);
    memory_line(d, text, sizeof text);
    y += draw_labelled(canvas, in, y, "memory", text);
    link_text(d, text, sizeof text);
    y += draw_labelled(canvas, in, y, "PCIe", text);
    nvlink_text(d, text, sizeof text);
    y += draw_labelled(canvas, in, y, "NVLink", text);
    mig_text(v, d, text, sizeof text);
    y += draw_labelled(canvas, in, y, "MIG", text);
    y += draw_labelled(canvas, in, y, "bus", d->bus_id);
    draw_processes(d, canvas, in, y);
}

static void draw_gauges(const struct devices_view *v, struct canvas *canvas,
                        struct rect in)
{
    const struct device *d = &v->device[v->row];
    const struct minute *m = &v->minute[v->row];
    struct gauge list[GAUGES], *g;
    int n = 0;

    g = gauge_add(list, &n, "power", &m->power, value_of(d->power_limit));
    gauge_of(g, value_of(d->power), value_of(d->power_limit), 0, "W");
    g = gauge_add(list, &n, "clock", &m->clock, value_of(d->clock_max));
    gauge_of(g, value_of(d->clock) / 1e6, value_of(d->clock_max) / 1e6, 0, "MHz");
    g = gauge_add(list, &n, "temp", &m->temperature, 100);
    gauge_of(g, value_of(d->temperature), NAN, 0, "C");
    g = gauge_add(list, &n, "busy", &m->busy, 1);
    gauge_of(g, value_of(d->busy) * 100, NAN, 0, "% of the time");
    g = gauge_add(list, &n, "memory", &m->memory, value_of(d->memory_total));
    gauge_of(g, value_of(d->memory_used) / GP_GIB, value_of(d->memory_total) / GP_GIB,
             1, "GiB");
    g = gauge_add(list, &n, "throttle", NULL, NAN);
    if (d->throttle[0])
        gp_copy(g->text, sizeof g->text, d->throttle);
    gauge_draw(canvas, in, 0, list, n);
}

static void draw_cpu_facts(const struct devices_view *v, struct canvas *canvas,
                           struct rect in)
{
    const struct processor *p = &v->cpu;
    char text[200], left[32], right[32];
    int y = 0;

    gp_format(text, sizeof text, "%d processors", p->cpus);
    if (p->cores > 0)
        gp_format(text, sizeof text, "%d, %d processors in %d socket%s", p->cores,
                  p->cpus, p->sockets, p->sockets == 1 ? "" : "s");
    y += draw_labelled(canvas, in, y, "cores", text);
    gp_format(text, sizeof text, "level 2 %s, level 3 %s",
              p->level2 > 0 ? units_bytes(left, sizeof left, p->level2) : "-",
              p->level3 > 0 ? units_bytes(right, sizeof right, p->level3) : "-");
    y += draw_labelled(canvas, in, y, "caches", text);
    gp_format(text, sizeof text, "%s free of %s",
              isfinite(p->available) ? units_gib(left, sizeof left, p->available) : "-",
              isfinite(p->memory) ? units_gib(right, sizeof right, p->memory) : "-");
    y += draw_labelled(canvas, in, y, "memory", text);
    plain(text, sizeof text, p->load, 1, 2, "runnable, mean of a minute");
    y += draw_labelled(canvas, in, y, "load", text);
    if (v->count == 0) {
        struct rect rest = {in.y + y, in.x, in.rows - y, in.cols};

        gp_format(text, sizeof text, "no GPU: %s", v->why.text);
        canvas_wrap(canvas, rest, 0, INK_DIM, text);
    }
}

static void draw_cpu_gauges(const struct devices_view *v, struct canvas *canvas,
                            struct rect in)
{
    const struct processor *p = &v->cpu;
    const struct minute *m = &v->minute[PROBE_MAX];
    struct gauge list[GAUGES], *g;
    int n = 0;

    g = gauge_add(list, &n, "busy", &m->busy, 1);
    gauge_of(g, p->busy * 100, NAN, 0, "% of the time");
    g = gauge_add(list, &n, "clock", &m->clock, NAN);
    gauge_of(g, p->clock / 1e6, NAN, 0, "MHz");
    g = gauge_add(list, &n, "temp", &m->temperature, 100);
    gauge_of(g, p->temperature, NAN, 0, "C");
    g = gauge_add(list, &n, "memory", &m->memory, p->memory);
    gauge_of(g, (p->memory - p->available) / GP_GIB, p->memory / GP_GIB, 1, "GiB");
    gauge_draw(canvas, in, 0, list, n);
}

static void draw_one(const struct devices_view *v, struct canvas *canvas,
                     struct rect in)
{
    struct rect inside = rect_inside(in), part[2];
    static const int weights[2] = {6, 5};
    bool cpu = v->row == (int)v->count;
    const char *name = cpu ? v->cpu.name : v->device[v->row].name;

    if (in.rows < 3)
        return;
    canvas_box(canvas, in, name[0] ? name : cpu ? "processor" : "unknown", NULL);
    frame_columns(inside, weights, 2, 30, part);
    if (rect_empty(part[1]))
        part[0] = inside;
    else
        part[0].cols -= 2; /* a gap */
    (cpu ? draw_cpu_facts : draw_facts)(v, canvas, part[0]);
    if (!rect_empty(part[1]))
        (cpu ? draw_cpu_gauges : draw_gauges)(v, canvas, part[1]);
}

void devices_view_draw(const struct devices_view *v, struct canvas *canvas,
                       const struct frame *frame)
{
    struct rect part[2];
    int rows[2] = {(int)v->count + 4, 0};

    if (v->next <= 0) {
        canvas_wrap(canvas, frame->body, 0, INK_TEXT, " Querying the drivers.");
        return;
    }
    if (rows[0] > frame->body.rows / 2)
        rows[0] = frame->body.rows / 2;
    frame_rows(frame->body, rows, 2, part);
    draw_table(v, canvas, part[0]);
    draw_one(v, canvas, part[1]);
}

/* ---- keys and words ---- */

bool devices_view_act(struct devices_view *v, enum action action)
{
    int last = (int)v->count, by;

    switch (action) {
    case ACT_UP:
        by = -1;
        break;
    case ACT_DOWN:
        by = 1;
        break;
    case ACT_PAGE_UP:
        by = -8;
        break;
    case ACT_PAGE_DOWN:
        by = 8;
        break;
    case ACT_FIRST:
        by = -PROBE_MAX;
        break;
    case ACT_LAST:
        by = PROBE_MAX;
        break;
    default:
        return false;
    }
    v->row += by;
    v->row = v->row < 0 ? 0 : v->row > last ? last : v->row;
    return true;
}

void devices_view_click(struct devices_view *v, int y)
{
    int row = y - 2; /* the box and the titles */

    if (row >= 0 && row <= (int)v->count)
        v->row = row;
}

void devices_view_explain(const struct devices_view *v, struct strbuf *out)
{
    (void)v;
    strbuf_add(out, "Driver readings, once a second; \"-\": not reported. used = total "
                    "less free, with the driver's share. d or Esc goes back.");
}

void devices_view_title(const struct devices_view *v, struct strbuf *out)
{
    bool mig = v->count > 0 && v->device[0].slice[0];

    strbuf_addf(out, "%zu %s%s", v->count, mig ? "device" : "GPU",
                v->count == 1 ? "" : "s");
}
