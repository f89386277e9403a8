/*
 * membar.c - see membar.h.
 *
 * Cells are shared out in proportion to bytes, then corrected at the largest part, so
 * that they add up to the width exactly. When the parts need more than is usable the
 * whole need is the width, and a mark stands where the usable memory ends.
 */
#include "tui/membar.h"

#include <math.h>
#include <stdio.h>

#include "util/str.h"
#include "util/units.h"

#define NAME_COLS 15
#define WORDS_MIN 40 /* columns from which "over by" stands beside the bar */

static const struct {
    enum glyph glyph;
    enum ink ink;
} looks[PART_ROLE_COUNT] = {[PART_LIMIT] = {GLYPH_BAR_FREE, INK_TEXT},
                            [PART_WEIGHTS] = {GLYPH_BAR_WEIGHTS, INK_WEIGHTS},
                            [PART_KV] = {GLYPH_BAR_KV, INK_KV},
                            [PART_ACTIVATION] = {GLYPH_BAR_ACTIVATION, INK_ACTIVATION},
                            [PART_RUNTIME] = {GLYPH_BAR_RUNTIME, INK_RUNTIME},
                            [PART_FREE] = {GLYPH_BAR_FREE, INK_FREE}};

enum glyph membar_glyph(enum part_role role)
{
    return looks[role].glyph;
}

enum ink membar_ink(enum part_role role)
{
    return looks[role].ink;
}

/* ---- the bar ---- */

struct stretch {
    enum glyph glyph;
    enum ink ink;
    double bytes;
    int cells;
};

/* What stands side by side in the bar: parts, what others hold, what is free. */
static int stretches_of(const struct plan *plan, struct stretch *out, double *total)
{
    struct part parts[PARTS_MAX];
    int n = parts_list(plan, parts), used = 0;

    *total = 0;
    for (int i = 0; i <= n; i++) {
        bool others = i == n;
        double bytes = others ? plan->request.used : parts[i].q.value;

        if (bytes <= 0 || (!others && parts[i].role == PART_LIMIT))
            continue;
        out[used++] = (struct stretch){
            .glyph = others ? GLYPH_HORIZONTAL : membar_glyph(parts[i].role),
            .ink = others ? INK_DIM : membar_ink(parts[i].role),
            .bytes = bytes};
        *total += bytes;
    }
    return used;
}

static struct stretch *longest(struct stretch *s, int n)
{
    struct stretch *best = s;

    for (int i = 1; i < n; i++)
        if (s[i].cells > best->cells)
            best = &s[i];
    return best;
}

static void share_out(struct stretch *s, int n, double total, int width)
{
    int sum = 0;

    for (int i = 0; i < n; i++) {
        int cells = (int)lround(s[i].bytes / total * width);

        s[i].cells = cells > 0 ? cells : 1;
        sum += s[i].cells;
    }
    for (; sum < width; sum++)
        longest(s, n)->cells++;
    for (; sum > width && longest(s, n)->cells > 1; sum--)
        longest(s, n)->cells--;
}

void membar_draw(struct canvas *canvas, struct rect in, int y, const struct plan *plan)
{
    struct stretch s[PARTS_MAX + 1];
    double total, over = -plan->memory.free.value, lacks = -plan_margin(plan);
    int n = stretches_of(plan, s, &total), width = in.cols, x = 0;
    char words[48] = "";

    if (lacks > 0.005 * GP_GIB && in.cols >= WORDS_MIN)
        gp_format(words, sizeof(words), " lacks %.2f GiB", lacks / GP_GIB);
    width -= gp_width(words);
    if (n == 0 || width < n)
        return;
    share_out(s, n, total, width);
    for (int i = 0; i < n; i++) {
        canvas_run(canvas, in, y, x, s[i].cells, s[i].ink, s[i].glyph);
        x += s[i].cells;
    }
    if (over > 0) { /* where the usable memory ends */
        int end = (int)(plan->memory.usable.value / total * width);

        canvas_glyph(canvas, in, y, end < width ? end : width - 1, INK_BAD,
                     GLYPH_VERTICAL);
    }
    canvas_text(canvas, in, y, width, INK_BAD, words);
}

/* ---- the legend ---- */

/* "0.46..0.81 model", or as much of it as fits whole. */
static void band_words(const struct quantity *q, int room, char *text, size_t size)
{
    const char *origin = origin_word(q->origin);

    gp_format(text, size, "%.2f..%.2f %s", q->low / GP_GIB, q->high / GP_GIB, origin);
    if (q->high - q->low > 0.005 * GP_GIB && gp_width(text) > room)
        gp_format(text, size, "%.2f..%.2f", q->low / GP_GIB, q->high / GP_GIB);
    if (q->high - q->low <= 0.005 * GP_GIB || gp_width(text) > room)
        gp_copy(text, size, origin);
}

static void legend_row(struct canvas *canvas, struct rect in, int y,
                       const struct part *part)
{
    const struct quantity *q = &part->q;
    char number[32], rest[160];
    int x = 2, room;

    if (part->role != PART_LIMIT)
        canvas_glyph(canvas, in, y, 0, membar_ink(part->role),
                     membar_glyph(part->role));
    canvas_fit(canvas, in, y, x, NAME_COLS, INK_TEXT, part->name);
    x += NAME_COLS;
    gp_format(number, sizeof(number), "%8.2f GiB", q->value / GP_GIB);
    x += canvas_text(canvas, in, y, x, q->value < 0 ? INK_BAD : INK_TEXT, number);
    x += 2;
    room = in.cols - x;
    band_words(q, room, rest, sizeof(rest));
    canvas_fit(canvas, in, y, x, room,
               q->origin >= ORIGIN_MODEL ? INK_ESTIMATE : INK_TEXT, rest);
    x += gp_width(rest) + 2;
    if (part->note[0] && in.cols - x >= 8)
        canvas_fit(canvas, in, y, x, in.cols - x, INK_DIM, part->note);
}

int membar_legend(struct canvas *canvas, struct rect in, int y, const struct plan *plan)
{
    struct part parts[PARTS_MAX];
    int n = parts_list(plan, parts), rows = 0;

    for (int i = 0; i < n; i++) {
        if (parts[i].role == PART_FREE && plan->request.used > 0) {
            struct part others = {.name = "held by others",
                                  .role = PART_LIMIT,
                                  .q = quantity_exact(plan->request.used)};

            others.q.origin = ORIGIN_ASSUMED;
            legend_row(canvas, in, y + rows++, &others);
        }
        legend_row(canvas, in, y + rows++, &parts[i]);
    }
    return rows;
}
