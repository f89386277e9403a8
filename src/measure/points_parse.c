/*
 * points_parse.c - tests, types and shapes as they are written on a command line.
 *
 * Lists are parted by commas; a shape is three numbers parted by "x" or ":", m outputs
 * by n tokens by k inputs. A word that is not known is named with its nearest.
 */
#include "measure/points.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define DIM_MAX 2147483648.0 /* 2^31, as point_from_json bounds it */

/* "one of gemm, batch, all" */
static void list_words(const char *const *words, int count, char *text, size_t size)
{
    gp_copy(text, size, "one of ");
    for (int i = 0; i < count; i++)
        gp_append(text, size, i ? ", " : "", "%s", words[i]);
    gp_append(text, size, ", ", "all");
}

static enum gp_status parse_words(const char *text, const char *where, const char *const *words,
                                  int count, unsigned *bits, struct gp_err *err)
{
    char piece[32], hint[256];

    *bits = 0;
    for (const char *at = text;; at++) {
        size_t len = strcspn(at, ",");
        int found = -1;

        gp_format(piece, sizeof piece, "%.*s", (int)(len < 31 ? len : 31), at);
        for (int i = 0; i < count; i++)
            if (gp_casecmp(piece, words[i]) == 0)
                found = i;
        if (found < 0 && strcmp(piece, "all") != 0) {
            list_words(words, count, hint, sizeof hint);
            return gp_fail(err, GP_E_USAGE, where, hint, "unknown word \"%s\"", piece);
        }
        *bits |= found < 0 ? (1u << count) - 1 : 1u << found;
        at += len;
        if (!*at)
            return GP_OK;
    }
}

enum gp_status points_parse_tests(const char *text, const char *where, unsigned *tests,
                                  struct gp_err *err)
{
    return parse_words(text, where, bench_test_words, TEST_COUNT, tests, err);
}

enum gp_status points_parse_types(const char *text, const char *where, unsigned *types,
                                  struct gp_err *err)
{
    return parse_words(text, where, bench_type_words, TYPE_COUNT, types, err);
}

/* A whole number of digits only, up to `end`. */
static bool parse_dim(const char **at, const char *end, int64_t *out)
{
    double value = 0;
    const char *c = *at;

    for (; c < end && *c >= '0' && *c <= '9'; c++)
        value = value * 10 + (*c - '0');
    if (c == *at || value < 1 || value > DIM_MAX)
        return false;
    *at = c;
    *out = (int64_t)value;
    return true;
}

static bool parse_shape(const char *at, const char *end, struct point_shape *out)
{
    int64_t *dims[] = {&out->m, &out->n, &out->k};

    for (int i = 0; i < 3; i++) {
        if (i && (at == end || (*at != 'x' && *at != ':')))
            return false;
        at += i > 0;
        if (!parse_dim(&at, end, dims[i]))
            return false;
    }
    return at == end;
}

enum gp_status points_parse_shapes(const char *text, const char *where, struct point_shape *out,
                                   int max, int *count, struct gp_err *err)
{
    *count = 0;
    for (const char *at = text;; at++) {
        const char *end = at + strcspn(at, ",");

        if (*count == max)
            return gp_fail(err, GP_E_USAGE, where, "", "more than %d shapes", max);
        if (!parse_shape(at, end, &out[*count]))
            return gp_fail(err, GP_E_USAGE, where,
                           "m:n:k, outputs by tokens by inputs, such as 4096:8:4096",
                           "\"%.*s\" is not a shape", (int)(end - at < 60 ? end - at : 60), at);
        ++*count;
        at = end;
        if (!*at)
            return GP_OK;
    }
}
