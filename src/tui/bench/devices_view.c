/*
 * devices_view.c - the monitor inside Bench: which devices are here, what they do now.
 *
 * The drivers are opened when it is first shown and asked once a second while it is. A
 * row per GPU (or MIG instance) and one for the processor; below it all that is known
 * of the one in focus. Numbers that a driver does not tell are "-".
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "probe/cpu_host.h"
#include "probe/probe.h"
#include "tui/bench/s_bench.h"
#include "tui/list.h"

#define EVERY 1.0 /* s between two looks */
#define LABEL 9   /* columns of what is said of one device */

struct devices_view {
    struct probe *probe; /* NULL: not looked yet */
    double next;         /* when it looks again */
    size_t count;
    struct device device[PROBE_MAX];
    char profile[PROBE_MAX][GPU_ID_MAX]; /* "" = not in the catalogue */
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

/* ---- looking ---- */

static double value_of(struct quantity q)
{
    return q.known ? q.value : NAN;
}

static void device_identify(struct devices_view *v, size_t i, const struct gpu *const *gpus,
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

static void devices_look(struct app *app, struct devices_view *v)
{
    const struct gpu *const *gpus;
    size_t count = 0, before = v->count;

    if (!v->probe) {
        v->probe = probe_open();
        gauges_init(&v->cpu_gauges);
    }
    memset(&v->why, 0, sizeof(v->why));
    probe_read(v->probe, v->device, PROBE_MAX, &v->count, &v->why);
    if (v->count > 0 && catalog_gpus(planner_catalog(app->form->planner), &gpus, &count, NULL))
        count = 0;
    for (size_t i = 0; i < v->count; i++) {
        if (v->count != before) /* another list: what was kept is of other devices */
            gauges_init(&v->gauges[i]);
        device_identify(v, i, gpus, count);
        read_gpu(&v->gauges[i], &v->device[i]);
    }
    read_cpu(&v->cpu_gauges, &v->cpu);
    v->row = list_clamp(v->row, 0, (int)v->count);
}

double devices_view_tick(struct app *app, struct devices_view *v, double now)
{
    if (now < v->next)
        return v->next - now;
    devices_look(app, v);
    v->next = now + EVERY;
    app_touch(app);
    return EVERY;
}

/* ---- the table ---- */

enum { COL_ID, COL_NAME, COL_PROFILE, COL_MEMORY, COL_FIGURES, COLUMNS = 8 };
static const struct list_column columns[COLUMNS] = {
    [COL_ID] = {"id", 3, 0, false},
    [COL_NAME] = {"device", 0, 0, false},
    [COL_PROFILE] = {"profile", 19, 90, false},
    [COL_MEMORY] = {"used GiB", 13, 34, true},
    [COL_FIGURES] = {"busy", 5, 60, true},
    {"power", 7, 70, true},
    {"temp", 5, 60, true},
    {"clock", 9, 76, true},
};
static const struct { /* from COL_FIGURES on */
    enum gauge gauge;
    const char *unit;
} figures[] = {{GAUGE_BUSY, "%"}, {GAUGE_POWER, "W"}, {GAUGE_TEMP, "C"}, {GAUGE_CLOCK, "MHz"}};

/* "82.4", "-" */
static char *plain_text(char *text, size_t size, double value, int decimals)
{
    gp_copy(text, size, "-");
    if (isfinite(value))
        gp_format(text, size, "%.*f", decimals, value);
    return text;
}
#define PLAIN(value, decimals) plain_text((char[32]){""}, 32, value, decimals)

static const struct gauges *gauges_of(const struct devices_view *v, int row)
{
    return row == (int)v->count ? &v->cpu_gauges : &v->gauges[row];
}

static void memory_cell(const struct gauges *g, char *text, size_t size)
{
    double total = g->limit[GAUGE_MEMORY];

    gp_copy(text, size, "-");
    if (isfinite(total))
        gp_format(text, size, "%s/%.1f", PLAIN(g->now[GAUGE_MEMORY], 1), total);
}

static void figure_cell(const struct gauges *g, int figure, char *text, size_t size)
{
    double now = g->now[figures[figure].gauge];

    gp_copy(text, size, "-");
    if (isfinite(now))
        gp_format(text, size, "%.0f %s", now, figures[figure].unit);
}

static void gpu_name(const struct device *d, char *text, size_t size)
{
    const char *mig = strstr(d->name, " MIG ");
    size_t length = mig ? (size_t)(mig - d->name) : strlen(d->name);

    if (d->slice[0]) /* what differs comes first */
        gp_format(text, size, "MIG %s of %.*s", d->slice, (int)length, d->name);
    else if (!d->name[0] && d->vendor_id)
        gp_format(text, size, "PCI %04x:%04x", d->vendor_id, d->device_id);
    else
        gp_copy(text, size, d->name[0] ? d->name : "unknown");
}

static void cell_text(const struct devices_view *v, int row, int column, char *text, size_t size)
{
    bool cpu = row == (int)v->count;

    if (column >= COL_FIGURES)
        figure_cell(gauges_of(v, row), column - COL_FIGURES, text, size);
    else if (column == COL_MEMORY)
        memory_cell(gauges_of(v, row), text, size);
    else if (cpu)
        gp_copy(text, size,
                column == COL_ID        ? "cpu"
                : column == COL_PROFILE ? "-"
                : v->cpu.name[0]        ? v->cpu.name
                                        : "processor");
    else if (column == COL_ID)
        gp_format(text, size, "%d", v->device[row].index);
    else if (column == COL_NAME)
        gpu_name(&v->device[row], text, size);
    else
        gp_copy(text, size, v->profile[row][0] ? v->profile[row] : "not in catalogue");
}

static void draw_table(const struct devices_view *v, struct canvas *canvas, struct rect in)
{
    struct rect inside = rect_inside(in);
    struct list_table table = list_table(columns, COLUMNS, inside.cols);
    int rows = (int)v->count + 1, row = list_top(v->row, rows, inside.rows - 1);
    char text[128];

    canvas_box(canvas, in, "Devices", "now, every second");
    list_titles(canvas, inside, &table);
    for (int y = 1; y < inside.rows && row < rows; y++, row++) {
        for (int c = 0; c < COLUMNS; c++) {
            cell_text(v, row, c, text, sizeof(text));
            list_cell(canvas, inside, y, &table, c, INK_TEXT, text);
        }
        if (row == v->row)
            list_focus(canvas, inside, y);
    }
}

/* ---- one device ---- */

static void nvlink_text(const struct device *d, char *text, size_t size)
{
    if (d->links > 0)
        gp_format(text, size, "%d of %d links active", d->links_active, d->links);
    else
        gp_copy(text, size, d->links == 0 ? "none" : "-");
}

static void mig_text(const struct devices_view *v, const struct device *d, char *text, size_t size)
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

static void show_gpu(struct page *page, const struct devices_view *v)
{
    const struct device *d = &v->device[v->row];
    const char *profile = v->profile[v->row];
    char text[256];

    if (d->error[0])
        page->y += canvas_wrap(page->canvas, page->in, 0, INK_WARN, d->error);
    bench_fact(page, LABEL, "profile", "%s", profile[0] ? profile : "not in the catalogue");
    bench_fact(page, LABEL, "driver", "%s (from %s)", d->driver[0] ? d->driver : "-", d->backend);
    bench_fact(page, LABEL, "memory", "%s free, %s used of %s GiB",
               PLAIN(value_of(d->memory_free) / GP_GIB, 2),
               PLAIN(value_of(d->memory_used) / GP_GIB, 2),
               PLAIN(value_of(d->memory_total) / GP_GIB, 2));
    char now[24] = "-", most[24] = "-";

    if (d->pcie.gen && d->pcie.width)
        gp_format(now, sizeof(now), "gen %d x%d", d->pcie.gen, d->pcie.width);
    if (d->pcie.gen_max && d->pcie.width_max)
        gp_format(most, sizeof(most), "gen %d x%d", d->pcie.gen_max, d->pcie.width_max);
    gp_format(text, sizeof(text), "%s of %s", now, most);
    bench_fact(page, LABEL, "PCIe", "%s", text);
    nvlink_text(d, text, sizeof(text));
    bench_fact(page, LABEL, "NVLink", "%s", text);
    mig_text(v, d, text, sizeof(text));
    bench_fact(page, LABEL, "MIG", "%s", text);
    bench_fact(page, LABEL, "bus", "%s", d->bus_id[0] ? d->bus_id : "-");
    if (d->processes > 0)
        bench_fact(page, LABEL, "programs", "%d compute", d->processes);
    else
        bench_fact(page, LABEL, "programs", d->processes < 0 ? "-" : "none");
    for (int i = 0; i < d->listed; i++) {
        const struct device_process *p = &d->process[i];
        char memory[32] = "-";

        if (p->memory.known)
            units_gib(memory, sizeof(memory), p->memory.value);
        canvas_textf(page->canvas, page->in, page->y++, 2, INK_TEXT, "%8ld %10s  %s", p->pid,
                     memory, p->name[0] ? p->name : "?");
    }
}

static void show_cpu(struct page *page, const struct devices_view *v)
{
    const struct processor *p = &v->cpu;
    char left[32] = "-", right[32] = "-";

    if (p->cores > 0)
        bench_fact(page, LABEL, "cores", "%d, %d processors in %d socket%s", p->cores, p->cpus,
                   p->sockets, p->sockets == 1 ? "" : "s");
    else
        bench_fact(page, LABEL, "cores", "%d processors", p->cpus);
    if (p->level2 > 0)
        units_bytes(left, sizeof(left), p->level2);
    if (p->level3 > 0)
        units_bytes(right, sizeof(right), p->level3);
    bench_fact(page, LABEL, "caches", "level 2 %s, level 3 %s", left, right);
    bench_fact(page, LABEL, "memory", "%s free of %s GiB", PLAIN(p->available / GP_GIB, 2),
               PLAIN(p->memory / GP_GIB, 2));
    bench_fact(page, LABEL, "load", "%s runnable, mean of a minute", PLAIN(p->load, 2));
    if (v->count == 0)
        bench_fact(page, 0, "", "no GPU: %s", v->why.text);
}

static void draw_one(const struct devices_view *v, struct canvas *canvas, struct rect in)
{
    static const int weights[2] = {6, 5};
    struct rect inside = rect_inside(in), part[2];
    struct page page = {.canvas = canvas};
    bool cpu = v->row == (int)v->count;
    const char *name = cpu ? v->cpu.name : v->device[v->row].name;
    unsigned set = GAUGE_BIT(CLOCK) | GAUGE_BIT(TEMP) | GAUGE_BIT(BUSY) | GAUGE_BIT(MEMORY) |
                   (cpu ? 0 : GAUGE_BIT(POWER) | GAUGE_BIT(COUNT));

    if (in.rows < 3)
        return;
    canvas_box(canvas, in, name[0] ? name : cpu ? "processor" : "unknown", NULL);
    frame_columns(inside, weights, 2, 30, part);
    page.in = inside;
    if (!rect_empty(part[1])) {
        page.in = part[0];
        page.in.cols -= 2; /* a gap */
        gauges_draw(canvas, part[1], 0, gauges_of(v, v->row), set);
    }
    (cpu ? show_cpu : show_gpu)(&page, v);
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

void devices_view_explain(struct strbuf *out)
{
    strbuf_add(out, "Driver readings, once a second; \"-\": not reported. used = total "
                    "less free, with the driver's share. d or Esc goes back.");
}

void devices_view_title(const struct devices_view *v, struct strbuf *out)
{
    bool mig = v->count > 0 && v->device[0].slice[0];

    strbuf_addf(out, "%zu %s%s", v->count, mig ? "device" : "GPU", v->count == 1 ? "" : "s");
}
