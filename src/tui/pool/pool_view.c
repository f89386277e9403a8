/*
 * pool_view.c - what the screen Pool shows; see s_pool.h.
 *
 *   workloads   verdict, GPUs of each hour as a curve, GPUs now
 *   places      the chassis or servers at the hour, a letter for each GPU
 *   ladder      the five ways to have the GPUs
 */
#include <math.h>
#include <string.h>

#include "output/pool_record.h"
#include "tui/list.h"
#include "tui/pool/s_pool.h"
#include "util/str.h"

#define LADDER_ROWS (POOL_RUNGS + 1)

double pool_unmet(const struct pool_run *run, int workload, int hour)
{
    const struct pool *pool = &run->c.pool;
    const double *unmet = run->answer.rungs[run->rung].unmet;
    double need = 0, left = 0;

    for (int h = 0; h < pool->hours; h++) {
        if (hour >= 0 && h != hour)
            continue;
        need += pool->workloads[workload].demand[h] * pool->workloads[workload].burst;
        left += unmet[workload * pool->hours + h];
    }
    return need > 0 ? left / need : 0;
}

const char *pool_verdict(const struct pool_run *run, int workload)
{
    char why[96];

    pool_run_refusal(run, workload, why, sizeof(why));
    return why[0] ? "no fit" : pool_unmet(run, workload, -1) > 5e-4 ? "short" : "fits";
}

static char letter_of(int workload)
{
    return (char)('a' + workload % 26);
}

/* ---- workloads ---- */

static enum ink verdict_ink(const char *verdict)
{
    return strcmp(verdict, "fits") == 0    ? INK_OK
           : strcmp(verdict, "short") == 0 ? INK_WARN
                                           : INK_BAD;
}

static void draw_curve(const struct pool_run *run, int w, int hour, struct canvas *canvas,
                       struct rect in, int y, int x)
{
    int day = hour / 24 * 24;
    double peak = 0;

    for (int h = 0; h < run->c.pool.hours; h++)
        peak = fmax(peak, pool_run_taken(run, run->rung, w, h));
    for (int h = day; h < day + 24; h++) {
        double n = pool_run_taken(run, run->rung, w, h);
        int step = peak > 0 && n > 0 ? (int)ceil(n / peak * 8) : 0;
        if (step > 0)
            canvas_glyph(canvas, in, y, x + h - day, INK_TEXT,
                         (enum glyph)(GLYPH_SPARK1 + step - 1));
        if (h == hour)
            canvas_ink(canvas, in, y, x + h - day, 1, INK_KEY);
    }
}

static void draw_work_row(const struct pool_screen *s, struct canvas *canvas, struct rect in,
                          int y, int w)
{
    const struct pool_run *run = s->run;
    const char *verdict = pool_verdict(run, w);

    canvas_textf(canvas, in, y, 0, INK_TEXT, "%c", letter_of(w));
    canvas_fit(canvas, in, y, 2, 12, INK_TEXT, run->c.file.workloads[w].name);
    canvas_text(canvas, in, y, 15, verdict_ink(verdict), verdict);
    draw_curve(run, w, s->hour, canvas, in, y, 23);
    canvas_textf(canvas, in, y, 48, INK_TEXT, "%8.4g",
                 pool_run_taken(run, run->rung, w, s->hour));
    canvas_textf(canvas, in, y, 57, INK_TEXT, "%8.2f",
                 run->c.file.workloads[w].rate[s->hour]);
    canvas_textf(canvas, in, y, 67, INK_TEXT, "%5.1f %%",
                 100 * pool_unmet(run, w, s->hour));
}

static void draw_workloads(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    int n = (int)s->run->c.file.workload_count, rows = in.rows - 1;
    int top = list_top(s->work, n, rows);

    canvas_text(canvas, in, 0, 0, INK_HEADING, "  workload     verdict");
    canvas_textf(canvas, in, 0, 23, INK_HEADING, "hours of %s",
                 s->run->c.pool.hours > 24 ? "the day" : "a day");
    canvas_text(canvas, in, 0, 48, INK_HEADING, "GPUs now    req/s   unmet");
    for (int i = 0; i < rows && top + i < n; i++) {
        draw_work_row(s, canvas, in, i + 1, top + i);
        if (top + i == s->work && s->panel == POOL_PANEL_WORK)
            list_focus(canvas, in, i + 1);
    }
}

/* ---- places ---- */

static void slot_text(const struct pool_run *run, int hour, int gpu, char *out, size_t size,
                      enum ink *ink)
{
    const struct seating *p = &run->seating;
    size_t at = (size_t)hour * (size_t)p->gpus + (size_t)gpu;
    int who = p->who[at];

    *ink = who == SEATING_FREE ? INK_FREE : seating_starts(p, hour, gpu) ? INK_KEY : INK_TEXT;
    gp_format(out, size, "%c",
              who == SEATING_FREE ? '.'
              : p->cut[at] >= 0   ? '/'
              : who < 0           ? '*'
                                  : letter_of(run->c.pool.candidates[who - 1].workload));
}

/* Boxes one after the other, each its name and its slots. */
static void draw_places(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    const struct seating *p = &s->run->seating;
    char name[POOL_FILE_NAME], cell[4];
    int y = -s->top, x = 0;
    enum ink ink;

    for (int b = 0; b < p->box_count && y < in.rows; b++) {
        const struct seating_box *box = &p->box[b];
        int per = in.cols - 12 < box->gpus ? in.cols - 12 : box->gpus;
        if (x > 0 && x + 12 + per > in.cols) {
            x = 0;
            y++;
        }
        pool_box_name(s->run, b, name, sizeof(name));
        if (y >= 0)
            canvas_fit(canvas, in, y, x, 10, INK_DIM, name);
        x += 11;
        for (int g = 0; g < box->gpus; g++, x++) {
            if (x >= in.cols) {
                x = 11;
                y++;
            }
            slot_text(s->run, s->hour, box->first + g, cell, sizeof(cell), &ink);
            if (y >= 0)
                canvas_text(canvas, in, y, x, ink, cell);
        }
        x += 2;
    }
    if (p->gpus == 0)
        canvas_text(canvas, in, 0, 0, INK_DIM, "no GPUs of its own");
}

/* ---- what if ---- */

static void draw_what_ifs(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    double days = pool_days(s->run);

    if (s->phase == POOL_ASKING) {
        canvas_text(canvas, in, 0, 0, INK_DIM, "trying what would be");
        return;
    }
    canvas_text(canvas, in, 0, 0, INK_HEADING,
                "if                             GPUs             $/day   unmet");
    for (int i = s->top, y = 1; i < s->run->what_if_count && y < in.rows; i++, y++) {
        const struct pool_what_if *w = &s->run->what_ifs[i];
        canvas_fit(canvas, in, y, 0, 30, INK_TEXT, w->name);
        canvas_textf(canvas, in, y, 31, INK_TEXT, "%-4d %-10s %7.0f", w->gpus,
                     w->fleet ? "as planned" : "bought", w->paid / days);
        canvas_textf(canvas, in, y, 55, w->unmet > 5e-4 ? INK_WARN : INK_TEXT, "%6.1f %%",
                     100 * w->unmet);
    }
}

/* ---- the ladder ---- */

static void draw_ladder(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    double days = pool_days(s->run);
    char why[96];

    canvas_text(canvas, in, 0, 2, INK_HEADING,
                "           GPUs      $/day     bound   busy   unmet");
    for (int id = 0; id < POOL_RUNGS; id++) {
        const struct pool_rung *r = &s->run->answer.rungs[id];
        bool shown = id == (int)s->run->rung;
        if (shown)
            canvas_glyph(canvas, in, id + 1, 0, INK_KEY, GLYPH_CURSOR);
        canvas_textf(canvas, in, id + 1, 2, INK_TEXT, "%-9s %5d %10.0f",
                     pool_rung_word((enum pool_rung_id)id),
                     pool_run_gpus(s->run, (enum pool_rung_id)id), r->total / days);
        if (pool_rung_bounded(r))
            canvas_textf(canvas, in, id + 1, 29, INK_TEXT, "%8.0f", r->bound / days);
        else
            canvas_text(canvas, in, id + 1, 36, INK_DIM, "-");
        canvas_textf(canvas, in, id + 1, 38, INK_TEXT, "%4.0f %%  %5.1f %%",
                     100 * r->utilisation, 100 * r->unmet_share);
        if (r->jobs_undone > 0.5)
            canvas_textf(canvas, in, id + 1, 57, INK_WARN, "%.0f GPU-h undone",
                         r->jobs_undone / days);
        if (shown && s->panel == POOL_PANEL_LADDER)
            list_focus(canvas, in, id + 1);
    }
    pool_run_gap(s->run, s->run->rung, why, sizeof(why));
    if (why[0])
        canvas_textf(canvas, in, POOL_RUNGS + 1, 2, INK_DIM, "gap %.1f %%: %s",
                     100 * s->run->answer.rungs[s->run->rung].gap, why);
}

/* ---- all ---- */

static void draw_progress(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    double days = s->run ? s->run->c.file.hours / 24.0 : 1;
    double total = atomic_load(&s->worker.total), bound = atomic_load(&s->worker.bound);

    if (s->phase == POOL_EMPTY || !s->run) {
        canvas_text(canvas, in, 1, 1, INK_TEXT, "no pool is loaded: :pool FILE");
        return;
    }
    if (s->phase == POOL_FINDING) {
        canvas_textf(canvas, in, 1, 1, INK_TEXT, "layouts: %zu of %zu workloads",
                     s->run->c.done, s->run->c.file.workload_count);
        return;
    }
    canvas_textf(canvas, in, 1, 1, INK_TEXT, "solving: %s",
                 pool_rung_word((enum pool_rung_id)atomic_load(&s->worker.rung)));
    if (total > 0)
        canvas_textf(canvas, in, 2, 1, INK_TEXT, "$%.0f/day so far", total / days);
    if (bound > 0)
        canvas_textf(canvas, in, 3, 1, INK_TEXT, "no plan costs less than $%.0f/day",
                     bound / days);
}

void pool_draw(const struct app *app, const void *state, struct canvas *canvas,
               const struct frame *frame)
{
    const struct pool_screen *s = state;
    static const char *const days[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
    int rows[POOL_PANELS] = {0, 0, LADDER_ROWS + 2};
    struct rect panel[POOL_PANELS];
    char right[64], why[96];

    (void)app;
    if (s->phase == POOL_EMPTY || s->phase == POOL_FINDING || s->phase == POOL_SOLVING) {
        canvas_box(canvas, frame->body, "Pool", s->name);
        draw_progress(s, canvas, rect_inside(frame->body));
        return;
    }
    pool_run_gap(s->run, s->run->rung, why, sizeof(why));
    rows[POOL_PANEL_LADDER] += why[0] != '\0';
    if (frame->size == SIZE_ONE)
        for (int i = 0; i < POOL_PANELS; i++)
            panel[i] = i == s->panel ? frame->body : (struct rect){0};
    else
        frame_rows(frame->body, rows, POOL_PANELS, panel);
    gp_format(right, sizeof(right), "%s%s%02d:00  h/l hour",
              s->run->c.pool.hours > 24 ? days[s->hour / 24] : "",
              s->run->c.pool.hours > 24 ? " " : "", s->hour % 24);
    static const char *const titles[] = {"Workloads", "GPUs: a letter each, . free, * job",
                                         "Ladder"};
    static void (*const draws[])(const struct pool_screen *, struct canvas *, struct rect) = {
        draw_workloads, draw_places, draw_ladder};
    for (int i = 0; i < POOL_PANELS; i++) {
        if (rect_empty(panel[i]))
            continue;
        bool what_if = i == POOL_PANEL_PLACE && s->what_if;
        bool hour = i == POOL_PANEL_WORK || frame->size == SIZE_ONE;
        canvas_box(canvas, panel[i], what_if ? "What if" : titles[i], hour ? right : NULL);
        if (what_if)
            draw_what_ifs(s, canvas, rect_inside(panel[i]));
        else
            draws[i](s, canvas, rect_inside(panel[i]));
    }
}
