/*
 * benchlog_compare.c - one result file against another; see benchlog.h.
 *
 * The figures of two devices, two methods or two ways of measuring differ for reasons that no ratio
 * shows, so what differs is said in words before any figure.
 */
#include "measure/result/benchlog.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/table.h"

/* Points of both files, sorted, so that a hundred thousand are matched in one walk. */
static int by_key(const void *left, const void *right)
{
    const struct point_result *a = *(const struct point_result *const *)left;
    const struct point_result *b = *(const struct point_result *const *)right;
    int order = a->device - b->device;

    if (!order)
        order = strcmp(a->id, b->id);
    return order ? order : strcmp(a->variant, b->variant);
}

static const struct point_result **sorted_points(const struct benchlog *log)
{
    const struct point_result **list = gp_calloc((size_t)log->count + 1, sizeof(*list));

    for (int i = 0; i < log->count; i++)
        list[i] = &log->point[i];
    qsort(list, (size_t)log->count, sizeof(*list), by_key);
    return list;
}

/* ---- why a point does not count ---- */

/* Adds a word to a list of them, "drift, contended", once. */
static void add_word(char *list, size_t size, const char *word)
{
    size_t len = strlen(list), n = strlen(word);

    for (const char *at = list; n > 0 && (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (at[n] == ',' || at[n] == '\0'))
            return;
    if (len + n + 3 <= size) /* whole words only */
        gp_format(list + len, size - len, "%s%s", len ? ", " : "", word);
}

/* "" of a good point. */
static void add_why(const struct point_result *p, char *list, size_t size)
{
    if (p->state != POINT_OK)
        add_word(list, size, point_state_words[p->state]);
    else if (result_wrong(p))
        add_word(list, size, "wrong");
    for (size_t i = 0; p->flags && i < json_array_size(p->flags); i++) {
        const char *flag = json_string_value(json_array_get(p->flags, i));

        if (p->state == POINT_OK && line_flag_disturbs(flag))
            add_word(list, size, flag);
    }
}

void benchlog_change_why(const struct benchlog_change *c, char *text, size_t size)
{
    text[0] = '\0';
    add_why(result_good(c->a) ? c->b : c->a, text, size);
}

/* ---- comparing ---- */

/* A figure that B does not confirm, because it has no good one; b NULL: no point. */
static void not_confirmed(struct benchlog_changes *out, const struct point_result *b)
{
    if (!b) {
        out->unmeasured++;
        add_word(out->states, sizeof(out->states), "missing");
    } else if (b->state != POINT_OK) {
        out->unmeasured++;
        add_why(b, out->states, sizeof(out->states));
    } else if (result_wrong(b)) {
        out->wrong++;
    } else {
        out->flagged++;
        add_why(b, out->flags, sizeof(out->flags));
    }
}

static void compare_points(struct benchlog_changes *out, const struct point_result *a,
                           const struct point_result *b, double tolerance)
{
    struct benchlog_change *c = &out->change[out->count++];

    *c = (struct benchlog_change){.a = a, .b = b};
    if (a->median > 0 && b->median > 0) {
        c->ratio = a->median / b->median;
        c->low = a->low / b->high;
        c->high = a->high / b->low;
    }
    c->usable = result_good(a) && result_good(b) && c->ratio > 0;
    c->slower = c->usable && c->high < 1 - tolerance;
    c->faster = c->usable && c->low > 1 + tolerance;
    out->slower += c->slower;
    out->faster += c->faster;
    out->unusable += !c->usable;
    out->reference += result_good(a);
    out->confirmed += c->usable && !c->slower;
    if (result_good(a) && !c->usable)
        not_confirmed(out, b);
}

static bool same_point(const struct point_result *a, const struct point_result *b)
{
    return a->device == b->device && strcmp(a->id, b->id) == 0;
}

/* `measured`: B has the point, but not this variant. What is not "heuristic" is there only
 * where it is another algorithm, so that B's is its own best and nothing is missing. */
static void only_in_a(struct benchlog_changes *out, const struct point_result *a, bool measured)
{
    out->only_a++;
    if (!result_good(a) || (measured && !result_is_main(a->variant)))
        return;
    out->reference++;
    out->missing[out->missing_count++] = a;
    not_confirmed(out, NULL);
}

void benchlog_compare(const struct benchlog *a, const struct benchlog *b, double tolerance,
                      struct benchlog_changes *out)
{
    const struct point_result **left = sorted_points(a), **right = sorted_points(b);
    int i = 0, j = 0;

    memset(out, 0, sizeof(*out));
    out->change = gp_calloc((size_t)a->count + 1, sizeof(*out->change));
    out->missing = gp_calloc((size_t)a->count + 1, sizeof(*out->missing));
    while (i < a->count || j < b->count) {
        int order = i >= a->count ? 1 : j >= b->count ? -1 : by_key(&left[i], &right[j]);

        if (order < 0) { /* variants of a point stand together */
            bool measured = (j < b->count && same_point(left[i], right[j])) ||
                            (j > 0 && same_point(left[i], right[j - 1]));

            only_in_a(out, left[i++], measured);
        } else if (order > 0) {
            out->only_b++, j++;
        } else {
            compare_points(out, left[i], right[j], tolerance);
            i++, j++;
        }
    }
    free(left);
    free(right);
}

void benchlog_changes_fini(struct benchlog_changes *changes)
{
    free(changes->change);
    free(changes->missing);
    memset(changes, 0, sizeof(*changes));
}

/* ---- in words ---- */

bool benchlog_confirmed(const struct benchlog_changes *changes)
{
    return changes->reference > 0 && changes->confirmed == changes->reference;
}

void benchlog_confirmed_print(const struct benchlog_changes *c, const char *where,
                              struct strbuf *out)
{
    if (c->reference == 0) {
        strbuf_add(out, "nothing to confirm, the reference has no good point\n");
        return;
    }
    strbuf_addf(out, "%d of %d confirmed", c->confirmed, c->reference);
    if (c->slower)
        strbuf_addf(out, ", %d slower", c->slower);
    if (c->flagged)
        strbuf_addf(out, ", %d flagged %s (%s)", c->flagged, where, c->flags);
    if (c->wrong)
        strbuf_addf(out, ", %d wrong %s", c->wrong, where);
    if (c->unmeasured)
        strbuf_addf(out, ", %d not measured %s (%s)", c->unmeasured, where, c->states);
    strbuf_add(out, "\n");
}

static const char *change_word(const struct benchlog_change *c)
{
    return !result_good(c->a) ? "no reference"
           : !c->usable       ? "not confirmed"
           : c->slower        ? "SLOWER"
           : c->faster        ? "faster"
                              : "same";
}

/* "12 points in both: 2 slower, the most gemm/...: B/A 0.71; 1 faster; ..." */
static void changes_news(const struct benchlog_changes *changes, struct strbuf *out)
{
    const struct benchlog_change *most = NULL;

    for (int i = 0; i < changes->count; i++)
        if (changes->change[i].slower && (!most || changes->change[i].ratio < most->ratio))
            most = &changes->change[i];
    strbuf_addf(out, "%d points in both: %d slower", changes->count, changes->slower);
    if (most)
        strbuf_addf(out, ", the most device %d, %s: B/A %.3f; ", most->a->device, most->a->id,
                    most->ratio);
    strbuf_addf(out, "%s%d faster; %d only in A, %d only in B\nof A's good points, ",
                most ? "" : ", ", changes->faster, changes->only_a, changes->only_b);
    benchlog_confirmed_print(changes, "in B", out);
}

void benchlog_changes_print(const struct benchlog_changes *changes, enum benchlog_view view,
                            bool quiet, struct strbuf *out)
{
    bool csv = view == BENCHLOG_CSV; /* a number stands alone there */
    const struct table_column columns[] = {{"device", TABLE_RIGHT},
                                           {"point", TABLE_LEFT},
                                           {"variant", TABLE_LEFT},
                                           {csv ? "A s" : "A", TABLE_RIGHT},
                                           {csv ? "B s" : "B", TABLE_RIGHT},
                                           {"B/A", TABLE_RIGHT},
                                           {"low", TABLE_RIGHT},
                                           {"high", TABLE_RIGHT},
                                           {"verdict", TABLE_LEFT},
                                           {"why", TABLE_LEFT}};
    struct table table;
    char text[96];

    if (view == BENCHLOG_TEXT)
        changes_news(changes, out);
    if (view == BENCHLOG_TEXT && quiet)
        return;
    table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
    for (int i = 0; i < changes->count; i++) {
        const struct benchlog_change *c = &changes->change[i];
        const struct point_result *side[] = {c->a, c->b};

        table_cellf(&table, "%d", c->a->device);
        table_cell(&table, c->a->id);
        table_cell(&table, c->a->variant);
        for (int k = 0; k < 2; k++)
            if (csv)
                table_cellf(&table, side[k]->median > 0 ? "%.9g" : "", side[k]->median);
            else
                table_cell(&table, result_rate(text, sizeof(text), side[k]));
        table_cellf(&table, c->ratio > 0 ? "%.3f" : "-", c->ratio);
        table_cellf(&table, c->ratio > 0 ? "%.3f" : "-", c->low);
        table_cellf(&table, c->ratio > 0 ? "%.3f" : "-", c->high);
        table_cell(&table, change_word(c));
        benchlog_change_why(c, text, sizeof(text));
        table_cell(&table, text);
    }
    if (csv)
        table_csv(&table, out);
    else if (view == BENCHLOG_MARKDOWN)
        table_markdown(&table, out);
    else
        table_text(&table, out);
    table_fini(&table);
}

json_t *benchlog_changes_json(const struct benchlog_changes *c, const char *a, const char *b,
                              json_t *warnings)
{
    const struct {
        const char *key;
        int count;
    } counts[] = {{"slower", c->slower},       {"faster", c->faster},
                  {"unusable", c->unusable},   {"only_a", c->only_a},
                  {"only_b", c->only_b},       {"reference", c->reference},
                  {"confirmed", c->confirmed}, {"flagged", c->flagged},
                  {"wrong", c->wrong},         {"unmeasured", c->unmeasured}};
    json_t *json = json_object(), *list = json_array();

    json_object_set_new(json, "schema", json_string("gpuplan.bench-compare/1"));
    json_object_set_new(json, "a", gp_json_text(a));
    json_object_set_new(json, "b", gp_json_text(b));
    json_object_set(json, "warnings", warnings);
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
        json_object_set_new(json, counts[i].key, json_integer(counts[i].count));
    for (int i = 0; i < c->count; i++) {
        const struct benchlog_change *one = &c->change[i];
        json_t *point = json_object();
        char why[96];

        benchlog_change_why(one, why, sizeof(why));
        json_object_set_new(point, "device", json_integer(one->a->device));
        json_object_set_new(point, "id", gp_json_text(one->a->id));
        json_object_set_new(point, "variant", gp_json_text(one->a->variant));
        json_object_set_new(point, "ratio", gp_json_above_zero(one->ratio));
        json_object_set_new(point, "low", gp_json_above_zero(one->low));
        json_object_set_new(point, "high", gp_json_above_zero(one->high));
        json_object_set_new(point, "verdict", json_string(change_word(one)));
        json_object_set_new(point, "why", gp_json_text_or_null(why));
        json_array_append_new(list, point);
    }
    json_object_set_new(json, "points", list);
    return json;
}

/* ---- whether they can be set side by side ---- */

/* A setting as one reads it: 0.3, quick. */
static const char *setting_text(const json_t *value, char *text, size_t size)
{
    if (json_is_string(value))
        gp_copy(text, size, json_string_value(value));
    else if (json_is_number(value))
        gp_format(text, size, "%.6g", json_number_value(value));
    else
        gp_copy(text, size, json_is_null(value) ? "not set" : "something else");
    return text;
}

/* Absent in one of them: an older file, which says nothing. */
static void compare_values(const json_t *a, const json_t *b, const char *key, const char *in_a,
                           const char *in_b, json_t *list)
{
    const json_t *left = json_object_get(a, key), *right = json_object_get(b, key);
    char x[128], y[128];

    if (!left || !right || json_equal(left, right))
        return;
    if (json_is_number(left) && json_is_number(right) &&
        json_number_value(left) >= json_number_value(right) &&
        json_number_value(left) <= json_number_value(right))
        return;
    benchlog_warn(list, "differs", "%s is %s in %.200s and %s in %.200s", key,
                  setting_text(left, x, sizeof(x)), in_a, setting_text(right, y, sizeof(y)), in_b);
}

void benchlog_compare_settings(const struct benchlog *a, const struct benchlog *b, const char *in_a,
                               const char *in_b, json_t *list)
{
    static const char *const keys[] = {
        "preset",      "passes", "min_time",          "max_time",
        "rel_ci",      "warmup", "device_warmup_min", "device_warmup_max",
        "sample_time", "algos",  "workspace_bytes",   "fill",
        "lock_clocks"};
    const json_t *left = json_array_get(json_object_get(a->json, "devices"), 0);
    const json_t *right = json_array_get(json_object_get(b->json, "devices"), 0);

    compare_values(left, right, "backend", in_a, in_b, list);
    compare_values(a->json, b->json, "method_version", in_a, in_b, list);
    left = json_object_get(a->json, "settings");
    right = json_object_get(b->json, "settings");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        compare_values(left, right, keys[i], in_a, in_b, list);
}

json_t *benchlog_differences(const struct benchlog *a, const struct benchlog *b, const char *in_a,
                             const char *in_b)
{
    int both = a->device_count < b->device_count ? a->device_count : b->device_count;
    json_t *list = json_array();

    if (a->device_count != b->device_count)
        benchlog_warn(list, "differs", "%.200s has %d device%s, %.200s %d", in_a, a->device_count,
                      a->device_count == 1 ? "" : "s", in_b, b->device_count);
    for (int d = 0; d < both; d++)
        if (strcmp(a->device[d].name, b->device[d].name) != 0)
            benchlog_warn(list, "differs",
                          "another device: %ld is %.200s in %.200s and %.200s in %.200s",
                          a->device[d].id, a->device[d].name, in_a, b->device[d].name, in_b);
    benchlog_compare_settings(a, b, in_a, in_b, list);
    return list;
}
