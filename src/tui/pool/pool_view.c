/*
 * pool_view.c - what the screen Pool shows; see s_pool.h.
 *
 *   workloads   verdict, GPUs of each hour as a curve, GPUs now
 *   places      the chassis or servers at the hour, a letter for each GPU
 *   ladder      the five ways to have the GPUs
 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "pool/pool_record.h"
#include "tui/list.h"
#include "tui/pool/s_pool.h"

#define COUNT(value) units_tokens((char[32]){""}, 32, value)

#define LADDER_ROWS (POOL_RUNGS + 1) /* titles, and the ways */
#define TALL 24                      /* rows of the body from which on there is more */
#define NAME 12                      /* cells of a workload's name at 78 */
#define NAME_MOST 30
#define MODEL 24
#define DAY 24
#define WEEK 84 /* cells, two hours each */
#define PART 24
#define MIDDLE_LEAST 6 /* rows of the middle panel with its edges */

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

/* "fits", "short", "no fit" */
static const char *pool_verdict(const struct pool_run *run, int workload)
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

/* Cells that names have beyond NAME, and the others are further right. */
static int name_more(struct rect in)
{
    return list_clamp(in.cols - 78, 0, NAME_MOST - NAME);
}

/* Hours that stand side by side: all of a week, two in a cell, where there is room, else the
 * day of the hour. */
struct span {
    int first, cells, each; /* hours in a cell */
};

static struct span span_of(const struct pool_screen *s, struct rect in)
{
    bool week = s->run->c.pool.hours > DAY && in.cols - 78 - name_more(in) >= WEEK - DAY;

    return week ? (struct span){0, WEEK, 2} : (struct span){s->hour / DAY * DAY, DAY, 1};
}

/* Cells that what stands right of the hours is moved by. */
static int curve_more(const struct pool_screen *s, struct rect in)
{
    return name_more(in) + span_of(s, in).cells - DAY;
}

static void draw_curve(const struct pool_screen *s, int w, struct canvas *canvas, struct rect in,
                       int y)
{
    const struct pool_run *run = s->run;
    struct span span = span_of(s, in);
    int x = 23 + name_more(in);
    double peak = 0;

    for (int h = 0; h < run->c.pool.hours; h++)
        peak = fmax(peak, pool_run_taken(run, run->rung, w, h));
    for (int i = 0; i < span.cells; i++) {
        int hour = span.first + i * span.each;
        double n = pool_run_taken(run, run->rung, w, hour);

        if (span.each > 1)
            n = fmax(n, pool_run_taken(run, run->rung, w, hour + 1));
        int step = peak > 0 && n > 0 ? (int)ceil(n / peak * 8) : 0;
        if (step > 0)
            canvas_glyph(canvas, in, y, x + i, INK_TEXT, (enum glyph)(GLYPH_SPARK1 + step - 1));
        if (s->hour / span.each == hour / span.each)
            canvas_ink(canvas, in, y, x + i, 1, INK_KEY);
    }
}

/* "0     6     12    18", of a week with its day in place of 0, or with all of them. */
static void draw_ruler(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    struct span span = span_of(s, in);
    bool week = s->run->c.pool.hours > DAY;
    int x = 23 + name_more(in), step = span.each > 1 ? DAY : DAY / 4;

    for (int h = 0; h < span.cells * span.each; h += step)
        if (h % DAY == 0 && week)
            canvas_text(canvas, in, 0, x + h / span.each, INK_HEADING,
                        units_weekday((span.first + h) / DAY));
        else
            canvas_textf(canvas, in, 0, x + h, INK_HEADING, "%d", h);
}

static void draw_work_row(const struct pool_screen *s, struct canvas *canvas, struct rect in, int y,
                          int w)
{
    const struct pool_run *run = s->run;
    const char *verdict = pool_verdict(run, w);
    int name = name_more(in), more = curve_more(s, in), left = in.cols - 78 - more;

    canvas_textf(canvas, in, y, 0, INK_TEXT, "%c", letter_of(w));
    canvas_fit(canvas, in, y, 2, NAME + name, INK_TEXT, run->c.file.workloads[w].name);
    canvas_text(canvas, in, y, 15 + name,
                strcmp(verdict, "fits") == 0    ? INK_OK
                : strcmp(verdict, "short") == 0 ? INK_WARN
                                                : INK_BAD,
                verdict);
    draw_curve(s, w, canvas, in, y);
    canvas_textf(canvas, in, y, 48 + more, INK_TEXT, "%8.4g",
                 pool_run_taken(run, run->rung, w, s->hour));
    canvas_textf(canvas, in, y, 57 + more, INK_TEXT, "%8.2f",
                 run->c.file.workloads[w].rate[s->hour]);
    canvas_textf(canvas, in, y, 67 + more, INK_TEXT, "%5.1f %%", 100 * pool_unmet(run, w, s->hour));
    if (left >= MODEL)
        canvas_fit(canvas, in, y, 77 + more, left, INK_DIM, run->c.file.workloads[w].model);
}

static void draw_workloads(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    int n = (int)s->run->c.file.workload_count, rows = in.rows - 1, more = curve_more(s, in);
    int top = list_top(s->work, n, rows);

    canvas_text(canvas, in, 0, 2, INK_HEADING, "workload");
    canvas_text(canvas, in, 0, 15 + name_more(in), INK_HEADING, "verdict");
    draw_ruler(s, canvas, in);
    canvas_text(canvas, in, 0, 48 + more, INK_HEADING, "GPUs now    req/s   unmet");
    if (in.cols - 78 - more >= MODEL)
        canvas_text(canvas, in, 0, 77 + more, INK_HEADING, "model");
    for (int i = 0; i < rows && top + i < n; i++) {
        draw_work_row(s, canvas, in, i + 1, top + i);
        if (top + i == s->work && s->panel == POOL_PANEL_WORK)
            list_focus(canvas, in, i + 1);
    }
}

/* ---- places ---- */

static void draw_slot(const struct pool_run *run, int hour, int gpu, struct canvas *canvas,
                      struct rect in, int y, int x)
{
    const struct placement *p = &run->placement;
    size_t at = (size_t)hour * (size_t)p->gpus + (size_t)gpu;
    int who = p->who[at];

    canvas_textf(canvas, in, y, x,
                 who == PLACEMENT_FREE            ? INK_FREE
                 : placement_starts(p, hour, gpu) ? INK_KEY
                                                  : INK_TEXT,
                 "%c",
                 who == PLACEMENT_FREE ? '.'
                 : p->cut[at] >= 0     ? '/'
                 : who < 0             ? '*'
                                       : letter_of(run->c.pool.candidates[who - 1].workload));
}

/* Boxes one after the other, each its name and its slots, from line `top` on. Returns how
 * many lines they take; canvas NULL: nothing is drawn. */
static int walk_places(const struct pool_screen *s, struct canvas *canvas, struct rect in, int top)
{
    const struct placement *p = &s->run->placement;
    char name[POOL_FILE_NAME];
    int y = -top, x = 0;

    for (int b = 0; b < p->chassis_count; b++) {
        const struct placement_chassis *chassis = &p->chassis[b];
        int per = in.cols - 12 < chassis->gpus ? in.cols - 12 : chassis->gpus;

        if (x > 0 && x + 12 + per > in.cols) {
            x = 0;
            y++;
        }
        pool_chassis_name(s->run, b, name, sizeof(name));
        if (canvas && y >= 0 && y < in.rows)
            canvas_fit(canvas, in, y, x, 10, INK_DIM, name);
        x += 11;
        for (int g = 0; g < chassis->gpus; g++, x++) {
            if (x >= in.cols) {
                x = 11;
                y++;
            }
            if (canvas && y >= 0 && y < in.rows)
                draw_slot(s->run, s->hour, chassis->first + g, canvas, in, y, x);
        }
        x += 2;
    }
    return p->chassis_count > 0 ? y + top + 1 : 0;
}

static int middle_lines(const struct pool_screen *s, struct rect in)
{
    return s->middle == POOL_SHOW_PLACES ? walk_places(s, NULL, in, 0) : pool_middle_rows(s);
}

/* Lines that fit below the titles, and the first of them that is shown. */
static int middle_page(const struct pool_screen *s, struct rect in)
{
    return in.rows - (s->middle != POOL_SHOW_PLACES);
}

static int middle_top(const struct pool_screen *s, struct rect in)
{
    return list_clamp(s->top, 0, middle_lines(s, in) - middle_page(s, in));
}

static void draw_places(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    if (s->run->placement.gpus == 0)
        canvas_text(canvas, in, 0, 0, INK_DIM, "no GPUs of its own");
    walk_places(s, canvas, in, middle_top(s, in));
}

int pool_middle_rows(const struct pool_screen *s)
{
    return s->middle == POOL_SHOW_PLACES    ? s->run->placement.chassis_count
           : s->middle == POOL_SHOW_WHAT_IF ? s->run->what_if_count
                                            : s->proposal_count;
}

/* ---- what if, and changes ---- */

#define OUTCOMES 5 /* columns */

static const struct list_column if_columns[OUTCOMES] = {{"if", 0, 0, false},
                                                        {"GPUs", 7, 0, true},
                                                        {"are", 10, 64, false},
                                                        {"paid $/day", 11, 0, true},
                                                        {"unmet", 8, 0, true}};
static const struct list_column change_columns[OUTCOMES] = {{"change", 0, 0, false},
                                                            {"GPUs", 7, 0, true},
                                                            {"", 9, 64, false},
                                                            {"paid $/day", 11, 0, true},
                                                            {"unmet", 8, 0, true}};

/* One row of either: what it is, GPUs, money, shortage. */
static void draw_outcome(const struct list_table *table, struct canvas *canvas, struct rect in,
                         int y, const char *const cells[OUTCOMES], double unmet)
{
    for (int i = 0; i < OUTCOMES; i++)
        list_cell(canvas, in, y, table, i, i == 4 && unmet > 5e-4 ? INK_WARN : INK_TEXT, cells[i]);
}

static void draw_what_ifs(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    struct list_table table = list_table(if_columns, OUTCOMES, in.cols);
    double days = pool_days(s->run);
    int top = middle_top(s, in);

    if (s->phase == POOL_ASKING) {
        canvas_text(canvas, in, 0, 0, INK_DIM, "trying what would be; x stops");
        return;
    }
    list_titles(canvas, in, &table);
    for (int i = top, y = 1; i < s->run->what_if_count && y < in.rows; i++, y++) {
        const struct pool_what_if *w = &s->run->what_ifs[i];
        char unmet[16];

        gp_format(unmet, sizeof(unmet), "%.1f %%", 100 * w->unmet);
        const char *cells[] = {w->name, COUNT(w->gpus), w->fleet ? "as planned" : "bought",
                               COUNT(w->paid / days), unmet};
        draw_outcome(&table, canvas, in, y, cells, w->unmet);
    }
}

static void draw_changes(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    struct list_table table = list_table(change_columns, OUTCOMES, in.cols);
    double days = pool_days(s->run);
    int top = middle_top(s, in), best = pool_proposal_best(s);

    list_titles(canvas, in, &table);
    for (int i = top, y = 1; i < s->proposal_count && y < in.rows; i++, y++) {
        const struct pool_proposal *p = &s->proposals[i];
        char unmet[16];

        gp_format(unmet, sizeof(unmet), "%.1f %%", 100 * p->outcome.unmet);
        const char *cells[] = {p->words, p->tried ? COUNT(p->outcome.gpus) : "-",
                               !p->tried   ? "not tried"
                               : i == best ? "a: apply"
                                           : "",
                               p->tried ? COUNT(p->outcome.paid / days) : "-",
                               p->tried ? unmet : "-"};
        draw_outcome(&table, canvas, in, y, cells, p->tried ? p->outcome.unmet : 0);
    }
}

static void draw_middle(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    static void (*const draws[])(const struct pool_screen *, struct canvas *,
                                 struct rect) = {draw_places, draw_what_ifs, draw_changes};

    draws[s->middle](s, canvas, in);
}

/* ---- the ladder ---- */

static void draw_rung(const struct pool_screen *s, enum pool_rung_id id,
                      const struct list_table *table, struct canvas *canvas, struct rect in)
{
    const struct pool_rung *r = &s->run->answer.rungs[id];
    double days = pool_days(s->run);
    bool jobs = s->run->c.pool.job_count > 0, bound = pool_rung_bounded(r);
    int y = (int)id + 1;

    list_cell(canvas, in, y, table, 0, INK_TEXT, pool_rung_word(id));
    list_cell(canvas, in, y, table, 1, INK_TEXT, COUNT(pool_run_gpus(s->run, id)));
    list_cell(canvas, in, y, table, 2, INK_TEXT, COUNT(r->total / days));
    list_cell(canvas, in, y, table, 3, INK_TEXT, bound ? COUNT(r->bound / days) : "-");
    char share[2][16];
    gp_format(share[0], sizeof(share[0]), "%.0f %%", 100 * r->utilisation);
    gp_format(share[1], sizeof(share[1]), "%.1f %%", 100 * r->unmet_share);
    list_cell(canvas, in, y, table, 4, INK_TEXT, share[0]);
    list_cell(canvas, in, y, table, 5, r->unmet_share > 5e-4 ? INK_WARN : INK_TEXT, share[1]);
    list_cell(canvas, in, y, table, 6, INK_TEXT,
              jobs ? COUNT(r->jobs_undone / days) : COUNT(r->kwh / days));
    list_cell(canvas, in, y, table, 7, INK_TEXT, COUNT(pool_capital(s->run, id)));
}

/* What the shown way is: where there is room its GPUs, and those that serve nothing; why its
 * gap stays. */
static void draw_shown(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    int y = POOL_RUNGS + 1;
    struct strbuf line;
    char why[96];

    pool_run_gap(s->run, s->run->rung, why, sizeof(why));
    if (in.rows > y + (why[0] != '\0')) {
        strbuf_init(&line);
        pool_fleet_words(s->run, s->run->rung, &line);
        canvas_fit(canvas, in, y++, 0, in.cols, INK_TEXT, line.text);
        strbuf_clear(&line);
        strbuf_add(&line, "GPUs that serve nothing: ");
        pool_stranded_words(s->run, s->run->rung, &line);
        canvas_fit(canvas, in, y++, 0, in.cols, INK_TEXT, line.text);
        strbuf_fini(&line);
    }
    if (why[0])
        canvas_textf(canvas, in, y, 0, INK_DIM, "gap %.1f %%: %s",
                     100 * s->run->answer.rungs[s->run->rung].gap, why);
}

static void draw_ladder(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    bool jobs = s->run->c.pool.job_count > 0;
    const struct list_column columns[] = {{"", 9, 0, false},
                                          {"GPUs", 7, 0, true},
                                          {"$/day", 12, 0, true},
                                          {"bound $/day", 12, 0, true},
                                          {"busy", 5, 0, true},
                                          {"unmet", 7, 0, true},
                                          {jobs ? "undone GPU-h" : "kWh/day", 12, 72, true},
                                          {"to buy $", 13, 90, true}};
    struct rect at = {in.y, in.x + 2, in.rows, in.cols - 2};
    struct list_table table = list_table(columns, 8, at.cols);

    list_titles(canvas, at, &table);
    for (int id = 0; id < POOL_RUNGS; id++)
        draw_rung(s, (enum pool_rung_id)id, &table, canvas, at);
    canvas_glyph(canvas, in, (int)s->run->rung + 1, 0, INK_KEY, GLYPH_CURSOR);
    if (s->panel == POOL_PANEL_LADDER)
        list_focus(canvas, in, (int)s->run->rung + 1);
    draw_shown(s, canvas, at);
}

/* ---- all ---- */

static void draw_progress(const struct pool_screen *s, struct canvas *canvas, struct rect in)
{
    const struct pool_solve *w = s->solve;

    if (s->phase == POOL_EMPTY) {
        canvas_text(canvas, in, 1, 1, INK_TEXT, "no pool is loaded: :pool FILE");
        return;
    }
    if (s->phase == POOL_FINDING) {
        canvas_textf(canvas, in, 1, 1, INK_TEXT, "layouts: %d of %zu workloads",
                     task_done(s->finding), s->count);
        return;
    }
    double total = atomic_load(&w->total), bound = atomic_load(&w->bound);
    canvas_textf(canvas, in, 1, 1, INK_TEXT, "solving: %s, way %d of %d",
                 pool_rung_word((enum pool_rung_id)atomic_load(&w->rung)),
                 atomic_load(&w->rung) + 1, POOL_RUNGS);
    if (total > 0)
        canvas_textf(canvas, in, 2, 1, INK_TEXT, "$%s/day so far, what is unmet priced",
                     COUNT(total / pool_days(s->run)));
    if (bound > 0)
        canvas_textf(canvas, in, 3, 1, INK_TEXT, "no plan costs less than $%s/day",
                     COUNT(bound / pool_days(s->run)));
    canvas_text(canvas, in, 5, 1, INK_DIM, "x stops, and keeps the plans found so far");
}

/* "1-8 of 30" where there is more than fits. */
static void part_words(char text[PART], int top, int page, int count)
{
    text[0] = '\0';
    if (count > page)
        gp_format(text, PART, "%d-%d of %d", top + 1, top + page < count ? top + page : count,
                  count);
}

/* What stands at the right of a panel's edge: how much of it is in sight, and the hour. */
static void right_words(const struct pool_screen *s, enum pool_panel panel, struct rect in,
                        bool one, char *text, size_t size)
{
    int n = (int)s->run->c.file.workload_count;
    char part[PART] = "", hour[16];
    bool hours = panel == POOL_PANEL_WORK || (panel == POOL_PANEL_PLACE && one);

    if (panel == POOL_PANEL_WORK)
        part_words(part, list_top(s->work, n, in.rows - 1), in.rows - 1, n);
    else if (panel == POOL_PANEL_PLACE && s->phase != POOL_ASKING)
        part_words(part, middle_top(s, in), middle_page(s, in), middle_lines(s, in));
    if (panel == POOL_PANEL_LADDER && s->run->rung != POOL_CLOUD) {
        gp_format(text, size, "%s: %s GPUs, $%s to buy", pool_rung_word(s->run->rung),
                  COUNT(pool_run_gpus(s->run, s->run->rung)),
                  COUNT(pool_capital(s->run, s->run->rung)));
        return;
    }
    gp_format(text, size, "%s%s%s%s%s%s", part, part[0] && (int)panel == s->panel ? "  j/k" : "",
              part[0] && hours ? "  " : "", hours ? pool_hour_words(s->run, s->hour, hour) : "",
              hours ? "  h/l hour" : "", one ? "  Tab" : "");
}

/* All workloads, as long as the places, or half of what is free, are left beside them. */
static int work_rows(const struct pool_screen *s, int free, struct rect in)
{
    int all = (int)s->run->c.file.workload_count + 3;
    int middle = walk_places(s, NULL, in, 0) + 2;
    int rest = free - (middle > MIDDLE_LEAST ? middle : MIDDLE_LEAST);
    int most = rest > free / 2 ? rest : free / 2;

    return list_clamp(all < most ? all : most, 3, free);
}

void pool_draw(const struct app *app, const void *state, struct canvas *canvas,
               const struct frame *frame)
{
    static const char *const titles[] = {"Workloads", NULL, "Ladder"};
    static const char *const middles[] = {"GPUs: a letter each, bold: new, . free, * job, / slices",
                                          "What if", "Changes"};
    static void (*const draws[])(const struct pool_screen *, struct canvas *,
                                 struct rect) = {draw_workloads, draw_middle, draw_ladder};
    const struct pool_screen *s = state;
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
    rows[POOL_PANEL_LADDER] += (why[0] != '\0') + (frame->body.rows >= TALL ? 2 : 0);
    rows[POOL_PANEL_WORK] =
        work_rows(s, frame->body.rows - rows[POOL_PANEL_LADDER], rect_inside(frame->body));
    if (frame->size == SIZE_ONE)
        for (int i = 0; i < POOL_PANELS; i++)
            panel[i] = i == s->panel ? frame->body : (struct rect){0};
    else
        frame_rows(frame->body, rows, POOL_PANELS, panel);
    for (int i = 0; i < POOL_PANELS; i++) {
        if (rect_empty(panel[i]))
            continue;
        right_words(s, (enum pool_panel)i, rect_inside(panel[i]), frame->size == SIZE_ONE, right,
                    sizeof(right));
        canvas_box(canvas, panel[i], titles[i] ? titles[i] : middles[s->middle],
                   right[0] ? right : NULL);
        draws[i](s, canvas, rect_inside(panel[i]));
    }
}
