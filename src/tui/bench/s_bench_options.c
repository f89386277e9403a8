/*
 * s_bench_options.c - the options of a measurement on the screen Bench: how one is
 * changed, and the window with those that have no row in the form.
 *
 *   Left Right  the next word; a flag on and off       Del r  the default
 *   Enter       a list of the words, or a line to type  F5     starts with them
 */
#include "tui/bench/s_bench.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tui/list.h"
#include "tui/toolkit/key.h"

const struct bench_option_line bench_lines[BENCH_LINES] = {
    {OPT_TYPE, "Types", "as the test does",
     "Types: which number formats. Left/Right for one, Enter for several; what a "
     "device lacks is reported as unsupported."},
    {OPT_SHAPES, "Shapes", "squares (gemm)",
     "Shapes of gemm: m outputs x n tokens x k inputs, as 4096x8x4096,4096x64x4096; "
     "empty: squares."},
    {OPT_PRESET, "Preset", "normal",
     "Preset: quick has a few points of 0.3 s, normal more of 1 s, thorough gives each "
     "3 s; all go through them twice."},
    {OPT_TIME_LIMIT, "Time limit", "none",
     "Time limit: stops after the point that runs then; the rest can be resumed."},
    {OPT_BACKEND, "Engine", "auto",
     "Engine: auto takes the GPUs where there are some, else the CPU."},
};

/* Has it a row of the form? */
static bool has_row(enum option_id id)
{
    if (id == OPT_DEVICE) /* of which each has one */
        return true;
    for (int i = 0; i < BENCH_LINES; i++)
        if (bench_lines[i].id == id)
            return true;
    return false;
}

/* ---- one option ---- */

enum gp_status bench_set_all(struct app *app, struct bench *b, const struct bench_options *bench,
                             struct gp_err *err)
{
    struct bench_options *now = &b->values.bench;
    bool engine = strcmp(now->value[OPT_BACKEND], bench->value[OPT_BACKEND]) != 0;

    if (memcmp(now, bench, sizeof(*now)) == 0)
        return GP_OK;
    if (b->stage == STAGE_RUN)
        return gp_fail(err, GP_E_USAGE, "", "x stops it", "a run is on: it keeps its options");
    if (b->stage == STAGE_DONE && engine)
        return gp_fail(err, GP_E_USAGE, "", "r goes back to choosing",
                       "another engine is another run");
    *now = *bench;
    if (engine) { /* whose devices are others */
        b->values.left_out = 0;
        bench_renew(app, b);
    } else {
        bench_changed(app, b);
    }
    return GP_OK;
}

static enum gp_status option_set(struct app *app, struct bench *b, enum option_id id,
                                 const char *text, struct gp_err *err)
{
    struct bench_options next = b->values.bench;
    enum gp_status rc = bench_options_put(&next, app->form->planner, id, text, err);

    return rc ? rc : bench_set_all(app, b, &next, err);
}

/* A change by hand; says why where it cannot be, or not now. */
static void option_change(struct app *app, struct bench *b, enum option_id id, const char *text)
{
    struct gp_err err = {0};

    if (option_set(app, b, id, text, &err))
        app_report_err(app, &err);
}

/* What a step walks over, where it is not the words of the table. */
static const char *const steps[OPTION_COUNT] = {
    [OPT_TYPE] = "|bf16|fp16|fp8|int8|fp32|fp32-pedantic|tf32|fp16-acc16|mxfp8|nvfp4",
    [OPT_TIME_LIMIT] = "|1m|5m|15m|30m|1h|2h",
};

/* What is said of a word in a list. */
static const struct {
    enum option_id id;
    const char *word, *more;
} said[] = {
    {OPT_TYPE, "", "of batch and decode the plan's own, of gemm those the device is made for"},
    {OPT_PRESET, "quick", "a few points, 0.3 s each: a minute or two"},
    {OPT_PRESET, "normal", "more points, up to 1 s each: the usual"},
    {OPT_PRESET, "thorough", "up to 3 s each, for a narrow band"},
    {OPT_BACKEND, "auto", "the GPUs where there are some, else the CPU"},
    {OPT_BACKEND, "cuda", "NVIDIA GPUs"},
    {OPT_BACKEND, "cpu", "the processor"},
    {OPT_FILL, "zeros", "draws less power: not comparable"},
    {OPT_CHECK, "none", "whether the results are right is not known then"},
};

static const char *more_of(enum option_id id, const char *word)
{
    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
        if (said[i].id == id && strcmp(said[i].word, word) == 0)
            return said[i].more;
    return "";
}

enum { WORDS = 16 };

/* The words that a step walks over, the default among them, as "" where it is none of
 * the table's. Returns how many; 0: this is no matter of words. */
static int words_of(enum option_id id, char word[WORDS][32], int *fallback)
{
    const struct option_row *row = &option_rows[id];
    const char *list = steps[id] ? steps[id] : row->type == OPTION_FLAG ? "off|on" : row->choices;
    const char *own = id == OPT_BACKEND ? "auto" : row->fallback;
    int n = 0;

    *fallback = -1;
    while (list && *list && n < WORDS - 1) {
        size_t len = strcspn(list, "|");

        gp_format(word[n], 32, "%.*s", (int)len, list);
        if (!word[n][0] || strcmp(word[n], own) == 0)
            *fallback = n;
        list += len + (list[len] == '|');
        n++;
    }
    if (n > 0 && *fallback < 0) {
        memmove(word + 1, word, (size_t)n * sizeof(word[0]));
        word[0][0] = '\0';
        *fallback = 0;
        n++;
    }
    return n;
}

void bench_step(struct app *app, struct bench *b, enum option_id id, int by)
{
    const char *now = b->values.bench.value[id];
    char word[WORDS][32];
    int at, n = words_of(id, word, &at);

    if (n == 0) {
        app_report(app, false, "%s: Enter takes a value", option_rows[id].name);
        return;
    }
    for (int i = 0; i < n; i++)
        if (now[0] && strcmp(word[i], now) == 0)
            at = i;
    option_change(app, b, id, word[(at + by + n) % n]);
}

static void word_chosen(struct app *app, void *ctx, const char *word)
{
    struct bench *b = ctx;

    option_change(app, b, b->edited, word);
}

/* The default's row has the id "auto", which means it wherever it is typed. */
static void choose(struct app *app, struct bench *b, enum option_id id)
{
    struct choice *list = gp_calloc(WORDS, sizeof(*list));
    const char *now = b->values.bench.value[id];
    char word[WORDS][32];
    int fallback, n = words_of(id, word, &fallback);
    struct chooser_ask options = {.title = option_rows[id].name,
                                  .choices = list,
                                  .count = n,
                                  .selected = now[0] ? now : "auto",
                                  .many = id == OPT_TYPE,
                                  .marked = now,
                                  .chosen = word_chosen,
                                  .ctx = b};

    for (int i = 0; i < n; i++) {
        const char *more = more_of(id, word[i]);

        gp_copy(list[i].id, sizeof(list[i].id), i == fallback ? "auto" : word[i]);
        gp_copy(list[i].text, sizeof(list[i].text),
                word[i][0] ? word[i] : option_rows[id].fallback);
        gp_copy(list[i].more, sizeof(list[i].more),
                more[0] || i != fallback ? more : "the default");
    }
    chooser_open(&app->display, &options);
    free(list);
}

static bool value_typed(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct bench *b = ctx;

    return option_set(app, b, b->edited, text, err) == GP_OK;
}

/* What to type, where the table does not say it in few words. */
static const char *const hints[OPTION_COUNT] = {
    [OPT_SHAPES] = "MxNxK, several with ',': 4096x8x4096",
    [OPT_TIME_LIMIT] = "90s, 10m or 2h",
};

static void ask_for(struct app *app, struct bench *b, enum option_id id)
{
    const struct option_row *row = &option_rows[id];
    char label[48], hint[160], range[80], fallback[80];
    struct prompt_ask options = {.label = label,
                                 .text = b->values.bench.value[id],
                                 .hint = hint,
                                 .history = PROMPT_VALUE,
                                 .done = value_typed,
                                 .ctx = b};

    gp_format(label, sizeof(label), "%s: ", row->name);
    gp_format(hint, sizeof(hint), "%s; empty: %s",
              hints[id] ? hints[id] : bench_option_range(id, range, sizeof(range)),
              bench_option_default(id, fallback, sizeof(fallback)));
    prompt_open(&app->display, &options);
}

void bench_edit(struct app *app, struct bench *b, enum option_id id)
{
    b->edited = id;
    if (option_rows[id].type == OPTION_FLAG)
        bench_step(app, b, id, 1);
    else if (option_rows[id].type == OPTION_WORD || id == OPT_TYPE)
        choose(app, b, id);
    else
        ask_for(app, b, id);
}

/* ---- those without a row of their own ---- */

static int list_more(enum option_id ids[OPTION_COUNT])
{
    int n = 0;

    for (int id = 0; id < OPTION_COUNT; id++)
        if (bench_option((enum option_id)id) && !has_row((enum option_id)id))
            ids[n++] = (enum option_id)id;
    return n;
}

/* "2 set: rel-ci 2, force" */
void bench_more_text(const struct bench *b, char *text, size_t size)
{
    enum option_id ids[OPTION_COUNT];
    int n = list_more(ids), set = 0;
    size_t len;

    for (int i = 0; i < n; i++)
        set += b->values.bench.value[ids[i]][0] != '\0';
    if (set == 0) {
        gp_copy(text, size, "options, none set");
        return;
    }
    gp_format(text, size, "%d set:", set);
    for (int i = 0, told = 0; i < n; i++) {
        const char *value = b->values.bench.value[ids[i]];
        bool flag = option_rows[ids[i]].type == OPTION_FLAG;

        len = strlen(text);
        if (value[0])
            gp_format(text + len, size - len, "%s %s%s%s", told++ ? "," : "",
                      option_rows[ids[i]].name, flag ? "" : " ", flag ? "" : value);
    }
}

struct window {
    struct overlay overlay;
    struct bench *b; /* outlives every window */
    enum option_id ids[OPTION_COUNT];
    int count, focus;
};

/* Where there is room; else a value stands with the default: "zeros, not uniform". */
enum { COL_OPTION, COL_VALUE, COL_DEFAULT, COLUMNS };
static const struct list_column columns[COLUMNS] = {
    {"option", 14, 0, false}, {"value", 13, 58, false}, {"default", 0, 0, false}};

static void window_key(struct display *display, struct overlay *overlay, int key)
{
    struct app *app = display->app;
    struct window *w = (struct window *)overlay;
    enum option_id id = w->ids[w->focus];
    enum action action = action_of_key(key, SCREEN_BENCH);
    bool words = option_rows[id].type <= OPTION_WORD && option_rows[id].type != OPTION_TEXT;

    w->focus = list_clamp(w->focus + list_step(action, 4), 0, w->count - 1);
    if (key == K_DELETE || key == K_BACKSPACE || action == ACT_AGAIN)
        option_change(app, w->b, id, "");
    else if (action == ACT_LEFT || action == ACT_RIGHT)
        bench_step(app, w->b, id, action == ACT_LEFT ? -1 : 1);
    else if (action == ACT_TOGGLE && words)
        bench_step(app, w->b, id, 1);
    else if (action == ACT_OPEN || action == ACT_TOGGLE)
        bench_edit(app, w->b, id);
    overlay->passed = action == ACT_HELP || action == ACT_START;
    overlay->closed = action == ACT_BACK || action == ACT_QUIT || action == ACT_OPTIONS ||
                      action == ACT_START || key == KEY_CTRL('g');
}

static void draw_option(const struct window *w, struct canvas *canvas, struct rect in, int y, int i,
                        const struct list_table *table)
{
    enum option_id id = w->ids[i];
    const char *value = w->b->values.bench.value[id];
    bool both = value[0] && !table->cols[COL_VALUE];
    char text[80], last[BENCH_VALUE + 100];

    bench_option_default(id, text, sizeof(text));
    gp_format(last, sizeof(last), "%s%s%s", both ? value : "", both ? ", not " : "", text);
    list_cell(canvas, in, y, table, COL_OPTION, INK_TEXT, option_rows[id].name);
    list_cell(canvas, in, y, table, COL_VALUE, INK_KEY, value[0] ? value : "-");
    list_cell(canvas, in, y, table, COL_DEFAULT, both ? INK_KEY : INK_DIM, last);
}

static void draw_help(enum option_id id, struct canvas *canvas, struct rect in, int y)
{
    struct rect below = {in.y + y + 1, in.x, in.rows - y - 1, in.cols};
    char range[120], text[400];

    canvas_rule(canvas, in, y, option_rows[id].name);
    bench_option_range(id, range, sizeof(range));
    gp_format(text, sizeof(text), "%s: %s", range, option_rows[id].help);
    canvas_wrap(canvas, below, 0, INK_TEXT, text);
}

static void window_draw(const struct overlay *overlay, struct canvas *canvas, struct rect body,
                        struct rect bottom)
{
    const struct window *w = (const struct window *)overlay;
    struct rect box = frame_middle(body, w->count + 6, 76), in = rect_inside(box);
    struct rect cells = {in.y, in.x + 2, in.rows, in.cols - 3};
    struct list_table table = list_table(columns, COLUMNS, cells.cols);
    bool wide = table.cols[COL_VALUE] > 0, head = wide && in.rows > 10;
    int rows = in.rows - head - 1 - (wide ? 2 : 3); /* the rest is help */
    int top = list_top(w->focus, w->count, rows), y = 0;

    (void)bottom;
    canvas_fill(canvas, box);
    canvas_box(canvas, box, "More options of the measurement", NULL);
    if (head) {
        list_titles(canvas, cells, &table);
        y++;
    }
    for (int i = 0; i < rows && top + i < w->count; i++)
        draw_option(w, canvas, cells, y + i, top + i, &table);
    canvas_glyph(canvas, in, y + w->focus - top, 0, INK_FOCUS, GLYPH_CURSOR);
    list_focus(canvas, in, y + w->focus - top);
    if (top > 0)
        canvas_glyph(canvas, in, y, in.cols - 1, INK_KEY, GLYPH_UP);
    if (top + rows < w->count)
        canvas_glyph(canvas, in, y + rows - 1, in.cols - 1, INK_KEY, GLYPH_DOWN);
    draw_help(w->ids[w->focus], canvas, in, y + rows);
}

static const struct overlay_ops ops = {
    .size = sizeof(struct window),
    .draw = window_draw,
    .key = window_key,
    .bar = "Enter:change  Del:default  F5:start  Esc:back",
};

void bench_options_open(struct app *app, struct bench *b, enum option_id focus)
{
    struct window *w = (struct window *)overlay_new(&ops);

    w->b = b;
    w->count = list_more(w->ids);
    for (int i = 0; i < w->count; i++)
        if (w->ids[i] == focus)
            w->focus = i;
    overlay_push(&app->display, &w->overlay);
}
