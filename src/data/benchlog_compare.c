/*
 * benchlog_compare.c - one result file against another; see benchlog.h.
 */
#include "data/benchlog.h"

#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/mem.h"
#include "util/table.h"

/* Points of both files, sorted, so that a hundred thousand are matched in one walk. */
static int by_key(const void *left, const void *right)
{
    const struct benchlog_point *a = *(const struct benchlog_point *const *)left;
    const struct benchlog_point *b = *(const struct benchlog_point *const *)right;
    int order = a->device - b->device;

    if (!order)
        order = strcmp(a->id, b->id);
    return order ? order : strcmp(a->variant, b->variant);
}

static const struct benchlog_point **sorted(const struct benchlog *log)
{
    const struct benchlog_point **list =
        gp_calloc((size_t)log->count + 1, sizeof *list);

    for (int i = 0; i < log->count; i++)
        list[i] = &log->point[i];
    qsort(list, (size_t)log->count, sizeof *list, by_key);
    return list;
}

static void judge(struct benchlog_changes *out, const struct benchlog_point *a,
                  const struct benchlog_point *b, double tolerance)
{
    struct benchlog_change *c = &out->change[out->count++];

    *c = (struct benchlog_change){.a = a, .b = b};
    if (a->median > 0 && b->median > 0) {
        c->ratio = a->median / b->median;
        c->low = a->low / b->high;
        c->high = a->high / b->low;
    }
    c->usable = benchlog_good(a) && benchlog_good(b) && c->ratio > 0;
    c->slower = c->usable && c->high < 1 - tolerance;
    c->faster = c->usable && c->low > 1 + tolerance;
    out->slower += c->slower;
    out->faster += c->faster;
    out->unusable += !c->usable;
}

void benchlog_compare(const struct benchlog *a, const struct benchlog *b,
                      double tolerance, struct benchlog_changes *out)
{
    const struct benchlog_point **left = sorted(a), **right = sorted(b);
    int i = 0, j = 0;

    memset(out, 0, sizeof *out);
    out->change = gp_calloc((size_t)a->count + 1, sizeof *out->change);
    while (i < a->count || j < b->count) {
        int order = i >= a->count   ? 1
                    : j >= b->count ? -1
                                    : by_key(&left[i], &right[j]);

        if (order < 0) {
            out->only_a++, i++;
        } else if (order > 0) {
            out->only_b++, j++;
        } else {
            judge(out, left[i], right[j], tolerance);
            i++, j++;
        }
    }
    free(left);
    free(right);
}

void benchlog_changes_fini(struct benchlog_changes *changes)
{
    free(changes->change);
    memset(changes, 0, sizeof *changes);
}

static const char *word(const struct benchlog_change *c)
{
    return !c->usable  ? "unusable"
           : c->slower ? "SLOWER"
           : c->faster ? "faster"
                       : "same";
}

void benchlog_changes_print(const struct benchlog_changes *changes,
                            enum benchlog_view view, struct strbuf *out)
{
    static const struct table_column columns[] = {
        {"device", TABLE_RIGHT}, {"point", TABLE_LEFT}, {"variant", TABLE_LEFT},
        {"A", TABLE_RIGHT},      {"B", TABLE_RIGHT},    {"B/A", TABLE_RIGHT},
        {"low", TABLE_RIGHT},    {"high", TABLE_RIGHT}, {"verdict", TABLE_LEFT}};
    struct table table;
    char text[64];

    table_init(&table, columns, sizeof columns / sizeof columns[0]);
    for (int i = 0; i < changes->count; i++) {
        const struct benchlog_change *c = &changes->change[i];

        table_cellf(&table, "%d", c->a->device);
        table_cell(&table, c->a->id);
        table_cell(&table, c->a->variant);
        table_cell(&table, benchlog_rate(text, sizeof text, c->a));
        table_cell(&table, benchlog_rate(text, sizeof text, c->b));
        table_cellf(&table, c->ratio > 0 ? "%.3f" : "-", c->ratio);
        table_cellf(&table, c->ratio > 0 ? "%.3f" : "-", c->low);
        table_cellf(&table, c->ratio > 0 ? "%.3f" : "-", c->high);
        table_cell(&table, word(c));
    }
    if (view == BENCHLOG_CSV)
        table_csv(&table, out);
    else if (view == BENCHLOG_MARKDOWN)
        table_markdown(&table, out);
    else
        table_text(&table, out);
    table_fini(&table);
    if (view == BENCHLOG_TEXT)
        strbuf_addf(out,
                    "%d points in both: %d slower, %d faster, %d unusable; %d only in "
                    "A, %d only in B\n",
                    changes->count, changes->slower, changes->faster, changes->unusable,
                    changes->only_a, changes->only_b);
}

json_t *benchlog_changes_json(const struct benchlog_changes *changes, const char *a,
                              const char *b)
{
    json_t *json = json_object(), *list = json_array();

    json_object_set_new(json, "schema", json_string("gpuplan.bench-compare/1"));
    json_object_set_new(json, "a", gp_json_text(a));
    json_object_set_new(json, "b", gp_json_text(b));
    json_object_set_new(json, "slower", json_integer(changes->slower));
    json_object_set_new(json, "faster", json_integer(changes->faster));
    json_object_set_new(json, "unusable", json_integer(changes->unusable));
    json_object_set_new(json, "only_a", json_integer(changes->only_a));
    json_object_set_new(json, "only_b", json_integer(changes->only_b));
    for (int i = 0; i < changes->count; i++) {
        const struct benchlog_change *c = &changes->change[i];
        json_t *one = json_object();
        bool known = c->ratio > 0;

        json_object_set_new(one, "device", json_integer(c->a->device));
        json_object_set_new(one, "id", gp_json_text(c->a->id));
        json_object_set_new(one, "variant", gp_json_text(c->a->variant));
        json_object_set_new(one, "ratio",
                            known ? gp_json_number(c->ratio) : json_null());
        json_object_set_new(one, "low", known ? gp_json_number(c->low) : json_null());
        json_object_set_new(one, "high", known ? gp_json_number(c->high) : json_null());
        json_object_set_new(one, "verdict", json_string(word(c)));
        json_array_append_new(list, one);
    }
    json_object_set_new(json, "points", list);
    return json;
}
