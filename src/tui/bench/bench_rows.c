/*
 * bench_rows.c - rows that several panels of Bench have: a fact with its label, a file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/bench/s_bench.h"

void bench_fact(struct page *page, int indent, const char *label, const char *fmt, ...)
{
    const struct rect *in = &page->in;
    struct rect right = {in->y + page->y, in->x + indent, in->rows - page->y, in->cols - indent};
    char text[640];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    canvas_text(page->canvas, *in, page->y, 0, INK_DIM, label);
    page->y += canvas_wrap(page->canvas, right, 0, INK_TEXT, text);
}

char *bench_path(char *text, size_t size, const char *path)
{
    const char *home = getenv("HOME");
    size_t n = home ? strlen(home) : 0;

    if (n > 1 && strncmp(path, home, n) == 0 && path[n] == '/')
        gp_format(text, size, "~%s", path + n);
    else
        gp_copy(text, size, path);
    return text;
}

void bench_file(struct page *page, const char *name, const char *path)
{
    char text[GP_PATH_MAX + 2];
    const char *shown = bench_path(text, sizeof(text), path);
    const char *slash = strrchr(shown, '/');

    if (slash && gp_width(shown) > page->in.cols - 6)
        shown = slash + 1;
    if (page->canvas)
        canvas_text(page->canvas, page->in, page->y, 0, INK_DIM, name);
    page_row(page, 6, INK_TEXT, shown);
}
