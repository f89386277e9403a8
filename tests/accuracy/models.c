/*
 * models.c - every model profile against a table of parameter counts, when it is here.
 *
 * The table (facts/models.csv of $GPUPLAN_SHARED, or of ../shared beside the sources)
 * has one row per model with params_total and params_active. Totals must agree to the
 * last element. Active counts may differ by a millionth: the table leaves out BLOOM's
 * embedding norm and scales the router's correction bias with the active experts in
 * some families, which we do not. Rows named "(text part)" are compared without our
 * towers. Each difference is printed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "catalog/files.h"

#define COLUMNS_MAX 64
#define ACTIVE_TOLERANCE 1e-6

/* Splits one RFC 4180 record in place; quoted fields lose their quotes. */
static int split(char *line, char *field[COLUMNS_MAX])
{
    char *in = line, *out = line;
    int count = 0;

    while (count < COLUMNS_MAX) {
        bool quoted = *in == '"';
        field[count++] = out;
        in += quoted;
        while (*in && (quoted || *in != ',')) {
            if (quoted && *in == '"' && in[1] != '"') {
                quoted = false;
                in++;
                continue;
            }
            in += quoted && *in == '"';
            *out++ = *in++;
        }
        bool last = *in == '\0';
        *out++ = '\0';
        if (last)
            break;
        in++;
    }
    return count;
}

static int column(char *const *names, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* Number of wrong rows (0 or 1). */
static int compare(const char *profiles, const char *id, bool text_part, double total,
                   double active)
{
    struct model_item item = {0};
    struct gp_err err = {0};
    char path[GP_PATH_MAX];
    double ours, ours_active;

    gp_format(path, sizeof path, "%s/profiles/models/%s.cfg", profiles, id);
    gp_copy(item.model.id, sizeof item.model.id, id);
    if (profile_read(path, model_file_read, &item, NULL, NULL, &err) != GP_OK) {
        printf("%-28s %s: %s\n", id, err.where, err.text);
        return 1;
    }
    ours = model_params(&item.model);
    if (text_part)
        ours -= model_params_role(&item.model, ROLE_VISION);
    ours_active = model_params_active(&item.model);
    if (ours != total)
        printf("%-28s total  %.0f, table %.0f: %+.0f\n", id, ours, total, ours - total);
    if (ours_active != active)
        printf("%-28s active %.0f, table %.0f: %+.0f\n", id, ours_active, active,
               ours_active - active);
    return ours != total || fabs(ours_active / active - 1) > ACTIVE_TOLERANCE;
}

static int compare_all(FILE *table, const char *profiles)
{
    char line[8192], header[8192], *name[COLUMNS_MAX], *field[COLUMNS_MAX];
    int wrong = 0, rows = 0, names, called, total, active;

    if (!fgets(header, sizeof header, table))
        return 1;
    header[strcspn(header, "\r\n")] = '\0';
    names = split(header, name);
    called = column(name, names, "name");
    total = column(name, names, "params_total");
    active = column(name, names, "params_active");
    while (total >= 0 && active >= 0 && fgets(line, sizeof line, table)) {
        line[strcspn(line, "\r\n")] = '\0';
        if (split(line, field) <= (total > active ? total : active))
            continue;
        rows++;
        wrong += compare(profiles, field[0], called >= 0 && strstr(field[called], "(text part)"),
                         strtod(field[total], NULL), strtod(field[active], NULL));
    }
    printf("%d models, %d wrong\n", rows, wrong);
    return rows == 0 || wrong > 0;
}

int main(void)
{
    const char *srcdir = getenv("srcdir"), *shared = getenv("GPUPLAN_SHARED");
    char path[GP_PATH_MAX];
    FILE *table;
    int failed;

    if (!srcdir)
        srcdir = ".";
    if (shared)
        gp_format(path, sizeof path, "%s/facts/models.csv", shared);
    else
        gp_format(path, sizeof path, "%s/../shared/facts/models.csv", srcdir);
    table = fopen(path, "r");
    if (!table) {
        printf("skipped: no table of parameter counts (GPUPLAN_SHARED)\n");
        return 77;
    }
    failed = compare_all(table, srcdir);
    fclose(table);
    return failed;
}
