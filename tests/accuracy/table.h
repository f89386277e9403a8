/*
 * table.h - a CSV table in memory, for the accuracy programs.
 */
#ifndef GP_TESTS_ACCURACY_TABLE_H
#define GP_TESTS_ACCURACY_TABLE_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/planner.h"
#include "base/csv.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"

struct table_file {
    struct csv csv;
    char *text;
    char *head[CSV_FIELDS_MAX];
    size_t columns;
};

/* FOLDER/name, FOLDER being argv[1], $GPUPLAN_SHARED or $srcdir/../shared. False, and
 * a word why, when there is no such file: the program then exits 77. */
static inline bool table_open(struct table_file *t, int argc, char **argv, const char *name)
{
    char folder[GP_PATH_MAX], file[GP_PATH_MAX];
    const char *named = argc > 1 ? argv[1] : getenv("GPUPLAN_SHARED");
    const char *srcdir = getenv("srcdir");
    struct gp_err err = {0};
    size_t len;
    bool more;
    gp_format(folder, sizeof(folder), "%s/../shared", srcdir ? srcdir : ".");
    path_join(file, sizeof(file), named ? named : folder, name);
    if (!path_is_file(file) || path_read(file, 1 << 24, &t->text, &len, &err)) {
        printf("skipped: no %s (set GPUPLAN_SHARED)\n", name);
        return false;
    }
    csv_init(&t->csv, name, t->text, len);
    if (csv_next(&t->csv, &more, &err) || !more)
        return false;
    t->columns = t->csv.count;
    for (size_t i = 0; i < t->columns; i++)
        t->head[i] = gp_strdup(t->csv.field[i]);
    return true;
}

/* A planner on the source tree's own profiles. */
static inline struct planner *table_planner(void)
{
    char dir[GP_PATH_MAX];
    const char *srcdir = getenv("srcdir");
    path_join(dir, sizeof(dir), srcdir ? srcdir : ".", "profiles");
    return planner_new(dir, 0, NULL);
}

static inline void table_close(struct table_file *t)
{
    for (size_t i = 0; i < t->columns; i++)
        free(t->head[i]);
    csv_fini(&t->csv);
    free(t->text);
}

static inline bool table_next(struct table_file *t)
{
    struct gp_err err = {0};
    bool more;
    if (csv_next(&t->csv, &more, &err)) {
        fprintf(stderr, "%s: %s\n", err.where, err.text);
        exit(3);
    }
    return more;
}

static inline const char *table_text_of(const struct table_file *t, const char *column)
{
    for (size_t i = 0; i < t->columns && i < t->csv.count; i++)
        if (strcmp(t->head[i], column) == 0)
            return t->csv.field[i];
    return "";
}

static inline double table_number_of(const struct table_file *t, const char *column)
{
    const char *text = table_text_of(t, column);
    char *end;
    double value = strtod(text, &end);
    return end > text ? value : NAN;
}

#endif
