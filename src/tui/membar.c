/*
 * membar.c - see membar.h.
 *
 * Cells are shared out in proportion to bytes, then corrected at the largest part, so
 * that they add up to the width exactly.
 */
#include "tui/membar.h"

#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "base/units.h"

/* ---- parts ---- */

int membar_parts(const struct plan *plan, struct membar_part out[MEMBAR_PARTS])
{
    const struct memory *m = &plan->memory;
    double spare = m->kv_pool.value - m->kv_reserved.value;
    double need = m->budget.value - spare;
    double run = need - m->weights.value - m->kv_reserved.value - m->activation.value;
    const struct membar_part all[MEMBAR_PARTS] = {
        {"weights", GLYPH_BAR_WEIGHTS, INK_WEIGHTS, m->weights.value},
        {"KV", GLYPH_BAR_KV, INK_KV, m->kv_reserved.value},
        {"act", GLYPH_BAR_ACTIVATION, INK_ACTIVATION, m->activation.value},
        {"run", GLYPH_BAR_RUNTIME, INK_RUNTIME, run},
        {"others", GLYPH_HORIZONTAL, INK_DIM, spare - plan_margin(plan)},
        {"spare", GLYPH_BAR_FREE, INK_FREE, plan_margin(plan)},
    };
    int n = 0;

    for (int i = 0; i < MEMBAR_PARTS; i++)
        if (all[i].bytes > 1)
            out[n++] = all[i];
    return n;
}

/* ---- the bar ---- */

static int cells_longest(const int *cells, int n)
{
    int best = 0;

    for (int i = 1; i < n; i++)
        if (cells[i] > cells[best])
            best = i;
    return best;
}

static void share_out(const struct membar_part *part, int n, int width, int *cells)
{
    double total = 0;
    int sum = 0;

    for (int i = 0; i < n; i++)
        total += part[i].bytes;
    for (int i = 0; i < n; i++) {
        cells[i] = (int)fmax(lround(part[i].bytes / total * width), 1);
        sum += cells[i];
    }
    for (; sum < width; sum++)
        cells[cells_longest(cells, n)]++;
    for (; sum > width && cells[cells_longest(cells, n)] > 1; sum--)
        cells[cells_longest(cells, n)]--;
}

void membar_draw(struct canvas *canvas, struct rect in, int y, const struct plan *plan)
{
    struct membar_part part[MEMBAR_PARTS];
    int n = membar_parts(plan, part), cells[MEMBAR_PARTS], width, x = 0, end;
    double budget = plan->memory.budget.value, margin = plan_margin(plan);
    char words[32];

    gp_format(words, sizeof(words), " %.2f", budget / GP_GIB);
    width = in.cols - gp_width(words) - 1;
    if (n == 0 || width < n)
        return;
    share_out(part, n, width, cells);
    for (int i = 0; i < n; i++) {
        canvas_run(canvas, in, y, x, cells[i], part[i].ink, part[i].glyph);
        x += cells[i];
    }
    end = margin >= 0 ? width : (int)(budget / (budget - margin) * width);
    canvas_glyph(canvas, in, y, end, margin < 0 ? INK_BAD : INK_FRAME, GLYPH_VERTICAL);
    canvas_text(canvas, in, y, width + 1, INK_TEXT, words);
}

/* ---- the legend ---- */

enum detail { DETAIL_ALL, DETAIL_TIGHT, DETAIL_NUMBERS, DETAILS };

static int legend_width(const struct membar_part *part, int n, enum detail detail,
                        char text[MEMBAR_PARTS][32])
{
    static const char *const formats[DETAILS] = {" %s %.1f", "%s %.1f", "%.0s%.1f"};
    int width = -1;

    for (int i = 0; i < n; i++) {
        gp_format(text[i], 32, formats[detail], part[i].name, part[i].bytes / GP_GIB);
        width += 2 + gp_width(text[i]);
    }
    return width;
}

void membar_legend(struct canvas *canvas, struct rect in, int y, const struct plan *plan)
{
    struct membar_part part[MEMBAR_PARTS];
    char text[MEMBAR_PARTS][32];
    int n = membar_parts(plan, part), detail = DETAIL_ALL, x = 0;

    if (n > 0 && part[n - 1].glyph == GLYPH_BAR_FREE && /* row two says it as well */
        legend_width(part, n, DETAIL_ALL, text) > in.cols)
        n--;
    while (legend_width(part, n, (enum detail)detail, text) > in.cols && detail + 1 < DETAILS)
        detail++;
    for (int i = 0; i < n; i++) {
        canvas_glyph(canvas, in, y, x, part[i].ink, part[i].glyph);
        x += 2 + canvas_text(canvas, in, y, x + 1, INK_TEXT, text[i]);
    }
}
