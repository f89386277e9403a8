/*
 * chooser.c - a list to choose from that typing makes shorter.
 *
 * The words typed may stand in any order, in the id or the text of a choice, in any
 * case: "fp8 70b" finds "Llama-3.1-70B FP8". What is typed is a choice too where the
 * asker takes other text (chooser_spec.free): it is the last row, in quotes, so that
 * Enter never means two things.
 *
 * Where the window is wide, what a choice says more stands beside it; else the one in
 * focus says it below the list.
 */
#include "tui/toolkit/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tui/toolkit/edit.h"
#include "tui/toolkit/frame.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/words.h"

#define TEXT_COLS 36   /* a longer text may be cut where `more` stands beside it */
#define HEADED_COLS 28 /* likewise where it is columns, which must be whole */
#define BESIDE_COLS 76 /* window from which it does */
#define BELOW_ROWS 2
#define BELOW_WHOLE 66 /* columns below which columns alone stand there */
#define LEAST_COLS 50
#define LEAST_ROWS 7

struct layout {
    struct rect box, in; /* the window, and its inside */
    int rows;            /* of the list */
    bool beside;         /* what a choice says more stands beside its text, */
    int text_cols;       /* which then has so many columns; */
    int below_rows;      /* below the list, that of the one in focus; 0: nowhere */
};

struct chooser {
    struct overlay overlay;
    char title[120], free[160], heads[80];
    bool takes_free, many, paths;
    struct choice *choices; /* (count); owned */
    bool *marked;           /* (count); owned */
    int count;
    int text_cols, more_cols; /* of the longest text and `more`; 0: none says more */
    int *shown;               /* (shown_count) which choices match; owned */
    int shown_count;
    int focus, top; /* rows of the list: shown, then the text as typed */
    struct edit filter;
    void (*chosen)(struct app *app, void *ctx, const char *id);
    bool (*means)(struct app *app, void *ctx, const char *text, char *out, size_t size);
    char meaning[160]; /* of what is typed */
    struct app *app;
    void *ctx;
};

/* ---- matching ---- */

/* What is typed, without blanks around it, in text[EDIT_MAX]. */
static const char *typed_text(const struct chooser *c, char *text)
{
    gp_copy(text, EDIT_MAX, c->filter.text);
    return gp_trim(text);
}

/* A row of its own for what is typed: there is some, and it is no choice's id. */
static bool free_row(const struct chooser *c)
{
    char buffer[EDIT_MAX];
    const char *text = typed_text(c, buffer);

    if (!c->takes_free || !text[0])
        return false;
    for (int i = 0; i < c->count; i++)
        if (gp_casecmp(c->choices[i].id, text) == 0)
            return false;
    return true;
}

static int row_count(const struct chooser *c)
{
    return c->shown_count + free_row(c);
}

/* Shows what matches. The focus goes to the choice that is just what was typed, else to the text
 * where it means something by itself, else to a choice that begins so, else to the first. */
static void filter_choices(struct chooser *c)
{
    char buffer[EDIT_MAX];
    const char *text = typed_text(c, buffer);
    int best = 0, found = 0;

    c->shown_count = 0;
    for (int i = 0; i < c->count; i++) {
        const struct choice *choice = &c->choices[i];
        int rank = !text[0]                              ? 0 /* how near it is to what is typed */
                   : gp_casecmp(choice->id, text) == 0   ? 3
                   : gp_casecmp(choice->text, text) == 0 ? 2
                                                         : words_begin(choice->id, text);

        if (!words_match(text, choice->id, choice->text))
            continue;
        if (rank > found) {
            found = rank;
            best = c->shown_count;
        }
        c->shown[c->shown_count++] = i;
    }
    c->focus = best;
    c->top = 0;
    c->meaning[0] = '\0';
    if (c->means && free_row(c) &&
        c->means(c->app, c->ctx, text, c->meaning, sizeof(c->meaning)) && found < 2)
        c->focus = c->shown_count;
}

/* ---- opening ---- */

static const struct overlay_ops ops;

void chooser_open(struct display *display, const struct chooser_spec *options)
{
    struct chooser *c = (struct chooser *)overlay_new(&ops);
    size_t count = (size_t)options->count + 1; /* never none */

    if (options->many)
        c->overlay.bar = "Space:mark  type:find  Enter:take the marked  Esc:back";
    else if (options->paths)
        c->overlay.bar = "type:find  Up/Down:move  Enter:choose  Tab:path  Esc:back";
    gp_copy(c->title, sizeof(c->title), options->title);
    gp_copy(c->free, sizeof(c->free), options->free ? options->free : "");
    gp_copy(c->heads, sizeof(c->heads), options->heads ? options->heads : "");
    c->takes_free = options->free != NULL;
    c->many = options->many;
    c->paths = options->paths;
    c->count = options->count;
    c->choices = gp_calloc(count, sizeof(*c->choices));
    c->marked = gp_calloc(count, sizeof(*c->marked));
    c->shown = gp_calloc(count, sizeof(*c->shown));
    c->more_cols = gp_width(c->heads);
    for (int i = 0; i < c->count; i++) {
        struct choice *choice = &c->choices[i];

        *choice = options->choices[i];
        c->text_cols = int_max(c->text_cols, gp_width(choice->text));
        c->more_cols = int_max(c->more_cols, gp_width(choice->more));
        c->marked[i] = options->marked && gp_has_word(options->marked, ",", choice->id);
    }
    c->chosen = options->chosen;
    c->means = options->means;
    c->app = display->app;
    c->ctx = options->ctx;
    filter_choices(c);
    for (int i = 0; i < c->count; i++)
        if (options->selected && strcmp(options->selected, c->choices[i].id) == 0)
            c->focus = i;
    overlay_push(display, &c->overlay);
}

void chooser_set_columns(struct display *display, const char *id, const char *columns, int cols)
{
    struct chooser *c = (struct chooser *)display->top;
    size_t n = strlen(columns), most = (size_t)cols;

    if (!c || c->overlay.ops != &ops)
        return;
    for (int i = 0; i < c->count; i++)
        if (strcmp(c->choices[i].id, id) == 0 && strlen(c->choices[i].more) >= most) {
            memset(c->choices[i].more, ' ', most);
            memcpy(c->choices[i].more, columns, n < most ? n : most);
        }
}

static void chooser_free(struct overlay *overlay)
{
    struct chooser *c = (struct chooser *)overlay;

    free(c->choices);
    free(c->marked);
    free(c->shown);
}

/* ---- keys ---- */

/* The answer: the ids that are marked, else the one in focus, else what was typed.
 * False when there is none. */
static bool chooser_answer(const struct chooser *c, struct strbuf *out)
{
    char text[EDIT_MAX];

    for (int i = 0; c->many && i < c->count; i++)
        if (c->marked[i])
            strbuf_addf(out, "%s%s", out->len ? "," : "", c->choices[i].id);
    if (out->len > 0)
        return true;
    if (c->focus < c->shown_count)
        strbuf_add(out, c->choices[c->shown[c->focus]].id);
    else if (free_row(c))
        strbuf_add(out, typed_text(c, text));
    else
        return false;
    return true;
}

static void chooser_take(struct display *display, struct chooser *c)
{
    struct strbuf id;

    strbuf_init(&id);
    if (chooser_answer(c, &id)) {
        c->overlay.closed = true;
        display->report_bad = false;
        c->chosen(display->app, c->ctx, id.text);
        if (free_row(c) && display->report_bad)
            c->overlay.closed = false; /* what was typed may be mended */
    }
    strbuf_fini(&id);
}

static struct layout layout_of(const struct chooser *c, struct rect body);

/* Moves the focus; false when the key is none that does. */
static bool move_focus(struct chooser *c, int key, int page)
{
    int last = row_count(c) - 1;
    int by = key == K_UP || key == KEY_CTRL('p')     ? -1
             : key == K_DOWN || key == KEY_CTRL('n') ? 1
             : key == K_PGUP                         ? -page
             : key == K_PGDN                         ? page
             : key == K_HOME                         ? -c->focus
             : key == K_END                          ? last - c->focus
                                                     : 0;

    c->focus = int_max(int_min(c->focus + by, last), 0);
    return by != 0 || key == K_HOME || key == K_END;
}

/* The first row seen of `rows`, so that the focus is among them. */
static int first_row(const struct chooser *c, int rows)
{
    if (c->focus < c->top)
        return c->focus;
    if (c->focus >= c->top + rows)
        return c->focus - rows + 1;
    return c->top;
}

static void chooser_key(struct display *display, struct overlay *overlay, int key)
{
    struct chooser *c = (struct chooser *)overlay;
    int rows = layout_of(c, frame_of(display->rows, display->cols).body).rows, count;
    char text[EDIT_MAX];
    struct strbuf words;

    if (key == K_ESC || key == KEY_CTRL('g')) {
        overlay->closed = true;
        return;
    }
    if (key == K_ENTER) {
        chooser_take(display, c);
        return;
    }
    if (c->many && key == K_SPACE) {
        if (c->focus < c->shown_count)
            c->marked[c->shown[c->focus]] = !c->marked[c->shown[c->focus]];
        c->focus += c->focus + 1 < c->shown_count;
    } else if (key == K_TAB && c->paths) { /* a path that is typed where one may be */
        gp_format(text, sizeof(text), "%.*s", (int)c->filter.at, c->filter.text);
        strbuf_init(&words);
        edit_paths(text, &words);
        count = edit_complete(&c->filter, words.text);
        display_report(display, false, count == 0 ? "no such path" : count == 1 ? "" : words.text);
        strbuf_fini(&words);
        filter_choices(c);
    } else if (!move_focus(c, key, rows) && edit_key(&c->filter, key)) {
        filter_choices(c);
    }
    c->top = first_row(c, rows);
}

static struct edit *chooser_line(struct overlay *overlay)
{
    return &((struct chooser *)overlay)->filter;
}

static void chooser_pasted(struct display *display, struct overlay *overlay, const char *why)
{
    (void)display;
    (void)why; /* the app says it: the list leaves its line in sight */
    filter_choices((struct chooser *)overlay);
}

/* ---- what is seen ---- */

/* Columns before a text: the cursor, and the mark where several can be taken. */
static int text_margin(const struct chooser *c)
{
    return c->many ? 6 : 2;
}

/* A small screen is the window's; else it is as large as its list, and stays so. */
static struct layout layout_of(const struct chooser *c, struct rect body)
{
    struct layout l = {.text_cols = c->text_cols};
    int text = text_margin(c) + c->text_cols, rows = 3 + c->count + c->takes_free;
    int whole = text + c->more_cols + 5, cols = text + 4, left; /* with the edge */
    bool more = c->more_cols > 0;

    if (more)
        cols = whole < BESIDE_COLS ? BESIDE_COLS : whole + 1;
    if (cols < LEAST_COLS)
        cols = LEAST_COLS;
    if (body.cols < BESIDE_COLS || cols > body.cols)
        cols = body.cols;
    l.beside = more && cols >= BESIDE_COLS;
    if (more && (!l.beside || whole > cols))
        rows += l.below_rows = BELOW_ROWS;
    if (rows < LEAST_ROWS)
        rows = LEAST_ROWS;
    if (body.rows <= LEAST_ROWS + 4)
        rows = body.rows;
    left = cols - 2 - text_margin(c) - 3 - (c->heads[0] ? (int)strlen(c->heads) : c->more_cols);
    l.box = frame_middle(body, rows, cols);
    l.in = rect_inside(l.box);
    if (l.below_rows > 0 && l.in.rows < LEAST_ROWS)
        l.below_rows = 1;
    l.rows = l.in.rows - 1 - l.below_rows;
    if (l.rows < 1)
        l.rows = 1;
    if (left < (c->heads[0] ? HEADED_COLS : TEXT_COLS))
        left = c->heads[0] ? HEADED_COLS : TEXT_COLS;
    if (l.text_cols > left)
        l.text_cols = left;
    return l;
}

/* How much of columns stands in so many: none is cut in two. */
static int whole_columns(const char *text, int cols)
{
    int n = int_min((int)strlen(text), cols);

    while (n > 0 && n < (int)strlen(text) && text[n] != ' ' && text[n - 1] != ' ')
        n--;
    return n;
}

static void draw_choice(const struct chooser *c, struct canvas *canvas, const struct layout *l,
                        int y, int row)
{
    const struct choice *choice = &c->choices[c->shown[row]];
    struct rect in = l->in;
    int x = text_margin(c), next = x + l->text_cols + 2;

    if (c->many)
        canvas_text(canvas, in, y, 2, INK_TEXT, c->marked[c->shown[row]] ? "[x]" : "[ ]");
    (choice->tail ? canvas_fit_end : canvas_fit)(
        canvas, in, y, x, l->beside ? l->text_cols : in.cols - x - 1, INK_TEXT, choice->text);
    if (l->beside && c->heads[0] && gp_width(choice->more) > in.cols - next - 1)
        canvas_textf(
            canvas, in, y, next, INK_DIM, "%.*s",
            whole_columns(choice->more, int_min((int)strlen(c->heads), in.cols - next - 1)),
            choice->more);
    else if (l->beside)
        canvas_fit(canvas, in, y, next, in.cols - next - 1, INK_DIM, choice->more);
}

static void draw_list(const struct chooser *c, struct canvas *canvas, const struct layout *l)
{
    int total = row_count(c), top = first_row(c, l->rows), last = top + l->rows - 1;
    struct rect in = l->in, none = {in.y + 1, in.x, in.rows - 1, in.cols};
    char typed[EDIT_MAX], line[EDIT_MAX + 240];
    const char *text = typed_text(c, typed);

    gp_format(line, sizeof(line),
              total && c->meaning[0] ? "\"%s\": %s"
              : total                ? "\"%s\" as typed"
              : text[0]              ? "nothing matches \"%s\": Backspace shows more"
                                     : "nothing to choose from",
              text, c->meaning);
    if (total == 0)
        canvas_wrap(canvas, none, 0, INK_WARN, line);
    for (int row = top; row <= last && row < total; row++) {
        int y = 1 + row - top;

        if (row < c->shown_count)
            draw_choice(c, canvas, l, y, row);
        else
            canvas_fit(canvas, in, y, text_margin(c), in.cols - text_margin(c) - 1, INK_TEXT, line);
        if (row != c->focus)
            continue;
        canvas_glyph(canvas, in, y, 0, INK_FOCUS, GLYPH_CURSOR);
        canvas_ink(canvas, in, y, 0, in.cols - 1, INK_FOCUS);
        canvas_cursor(canvas, in, y, 0);
    }
    if (top > 0)
        canvas_glyph(canvas, in, 1, in.cols - 1, INK_KEY, GLYPH_UP);
    if (last + 1 < total)
        canvas_glyph(canvas, in, l->rows, in.cols - 1, INK_KEY, GLYPH_DOWN);
}

static void draw_filter(const struct chooser *c, struct canvas *canvas, const struct layout *l)
{
    struct rect in = l->in;
    int heads = text_margin(c) + l->text_cols + 2;
    char hint[240];

    canvas_text(canvas, in, 0, 0, INK_KEY, "/");
    if (l->beside && c->heads[0]) {
        canvas_textf(canvas, in, 0, heads, INK_DIM, "%.*s",
                     whole_columns(c->heads, in.cols - heads - 1), c->heads);
        in.cols = heads - 1;
    }
    if (c->filter.len > 0) {
        edit_draw(&c->filter, canvas, in, 0, 2, row_count(c) == 0);
        return;
    }
    gp_format(hint, sizeof(hint), "type words to find it%s%s", c->free[0] ? ", or " : "", c->free);
    canvas_fit(canvas, in, 0, 2, in.cols - 2, INK_DIM, hint);
}

/* What does not stand whole in the row in focus. */
static void draw_below(const struct chooser *c, struct canvas *canvas, const struct layout *l)
{
    struct rect in = l->in;
    int x = c->heads[0] && !l->beside ? 1 : 2; /* columns are as wide as the screen */
    struct rect below = {in.y + in.rows - l->below_rows, in.x + x, l->below_rows, in.cols - x};
    int rows = 0;

    if (l->below_rows == 0 || c->focus >= c->shown_count)
        return;
    const struct choice *choice = &c->choices[c->shown[c->focus]];
    if (l->beside && gp_width(choice->text) <= l->text_cols &&
        gp_width(choice->more) <= in.cols - text_margin(c) - l->text_cols - 3)
        return;
    if (l->beside)
        rows = canvas_wrap(canvas, below, 0, INK_TEXT, choice->text);
    else if (c->heads[0] && l->below_rows > 1)
        rows = canvas_fit(canvas, below, 0, 0, below.cols, INK_DIM, c->heads) > 0;
    below.y += rows;
    below.rows -= rows;
    if (rows > 0 && !l->beside) /* columns, under their titles */
        canvas_textf(canvas, below, 0, 0, INK_TEXT, "%.*s",
                     (int)strlen(c->heads) + (below.cols >= BELOW_WHOLE ? 40 : 0), choice->more);
    else
        canvas_wrap(canvas, below, 0, INK_DIM, choice->more);
}

static void chooser_draw(const struct overlay *overlay, struct canvas *canvas, struct rect body,
                         struct rect bottom)
{
    const struct chooser *c = (const struct chooser *)overlay;
    struct layout l = layout_of(c, body);
    char right[80];
    int marked = 0;

    (void)bottom;
    for (int i = 0; i < c->count; i++)
        marked += c->marked[i];
    if (c->many && marked > 0)
        gp_format(right, sizeof(right), "%d marked, %d of %d", marked, c->shown_count, c->count);
    else
        gp_format(right, sizeof(right), "%d of %d", c->shown_count, c->count);
    canvas_fill(canvas, l.box);
    canvas_box(canvas, l.box, c->title, right);
    canvas_accent(canvas, l.box);
    draw_filter(c, canvas, &l);
    draw_list(c, canvas, &l);
    draw_below(c, canvas, &l);
}

static const struct overlay_ops ops = {
    .size = sizeof(struct chooser),
    .draw = chooser_draw,
    .key = chooser_key,
    .line = chooser_line,
    .pasted = chooser_pasted,
    .free = chooser_free,
    .bar = "type:find  Up/Down:move  Enter:choose  Esc:back",
};
