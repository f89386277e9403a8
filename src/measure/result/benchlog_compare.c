/*
 * benchlog_compare.c - one result file against another; see benchlog.h.
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
    const struct benchlog_point *a = *(const struct benchlog_point *const *)left;
    const struct benchlog_point *b = *(const struct benchlog_point *const *)right;
    int order = a->device - b->device;

    if (!order)
        order = strcmp(a->id, b->id);
    return order ? order : strcmp(a->variant, b->variant);
}

static const struct benchlog_point **sorted(const struct benchlog *log)
{
    const struct benchlog_point **list = gp_calloc((size_t)log->count + 1, sizeof *list);

    for (int i = 0; i < log->count; i++)
        list[i] = &log->point[i];
    qsort(list, (size_t)log->count, sizeof *list, by_key);
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
static void add_why(const struct benchlog_point *p, char *list, size_t size)
{
    if (p->state != POINT_OK)
        add_word(list, size, point_state_words[p->state]);
    else if (benchlog_wrong(p))
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
    add_why(benchlog_good(c->a) ? c->b : c->a, text, size);
}

/* ---- comparing ---- */

/* A figure that B does not confirm, because it has no good one; b NULL: no point. */
static void not_confirmed(struct benchlog_changes *out, const struct benchlog_point *b)
{
    if (!b) {
        out->unmeasured++;
        add_word(out->states, sizeof out->states, "missing");
    } else if (b->state != POINT_OK) {
        out->unmeasured++;
        add_why(b, out->states, sizeof out->states);
    } else if (benchlog_wrong(b)) {
        out->wrong++;
    } else {
        out->flagged++;
        add_why(b, out->flags, sizeof out->flags);
    }
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
    out->reference += benchlog_good(a);
    out->confirmed += c->usable && !c->slower;
    if (benchlog_good(a) && !c->usable)
        not_confirmed(out, b);
}

static bool same_point(const struct benchlog_point *a, const struct benchlog_point *b)
{
    return a->device == b->device && strcmp(a->id, b->id) == 0;
}

/* `measured`: B has the point, but not this variant. What is not "heuristic" is there only
 * where it is another algorithm, so that B's is its own best and nothing is missing. */
static void only_in_a(struct benchlog_changes *out, const struct benchlog_point *a, bool measured)
{
    out->only_a++;
    if (!benchlog_good(a) || (measured && !benchlog_main_variant(a->variant)))
        return;
    out->reference++;
    out->missing[out->missing_count++] = a;
    not_confirmed(out, NULL);
}

void benchlog_compare(const struct benchlog *a, const struct benchlog *b, double tolerance,
                      struct benchlog_changes *out)
{
    const struct benchlog_point **left = sorted(a), **right = sorted(b);
    int i = 0, j = 0;

    memset(out, 0, sizeof *out);
    out->change = gp_calloc((size_t)a->count + 1, sizeof *out->change);
    out->missing = gp_calloc((size_t)a->count + 1, sizeof *out->missing);
    while (i < a->count || j < b->count) {
        int order = i >= a->count ? 1 : j >= b->count ? -1 : by_key(&left[i], &right[j]);

        if (order < 0) { /* variants of a point stand together */
            bool measured = (j < b->count && same_point(left[i], right[j])) ||
                            (j > 0 && same_point(left[i], right[j - 1]));

            only_in_a(out, left[i++], measured);
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
    free(changes->missing);
    memset(changes, 0, sizeof *changes);
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

static const char *word(const struct benchlog_change *c)
{
    return !benchlog_good(c->a) ? "no reference"
           : !c->usable         ? "not confirmed"
           : c->slower          ? "SLOWER"
           : c->faster          ? "faster"
                                : "same";
}

static void print_sums(const struct benchlog_changes *c, struct strbuf *out)
{
    strbuf_addf(out,
                "%d points in both: %d slower, %d faster; %d only in A, %d only in B\n"
                "of A's good points, ",
                c->count, c->slower, c->faster, c->only_a, c->only_b);
    benchlog_confirmed_print(c, "in B", out);
}

void benchlog_changes_print(const struct benchlog_changes *changes, enum benchlog_view view,
                            struct strbuf *out)
{
    static const struct table_column columns[] = {{"device", TABLE_RIGHT}, {"point", TABLE_LEFT},
                                                  {"variant", TABLE_LEFT}, {"A", TABLE_RIGHT},
                                                  {"B", TABLE_RIGHT},      {"B/A", TABLE_RIGHT},
                                                  {"low", TABLE_RIGHT},    {"high", TABLE_RIGHT},
                                                  {"verdict", TABLE_LEFT}, {"why", TABLE_LEFT}};
    struct table table;
    char text[96];

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
        benchlog_change_why(c, text, sizeof text);
        table_cell(&table, text);
    }
    if (view == BENCHLOG_CSV)
        table_csv(&table, out);
    else if (view == BENCHLOG_MARKDOWN)
        table_markdown(&table, out);
    else
        table_text(&table, out);
    table_fini(&table);
    if (view == BENCHLOG_TEXT)
        print_sums(changes, out);
}

static json_t *change_json(const struct benchlog_change *c)
{
    json_t *one = json_object();
    bool known = c->ratio > 0;
    char why[96];

    benchlog_change_why(c, why, sizeof why);
    json_object_set_new(one, "device", json_integer(c->a->device));
    json_object_set_new(one, "id", gp_json_text(c->a->id));
    json_object_set_new(one, "variant", gp_json_text(c->a->variant));
    json_object_set_new(one, "ratio", known ? gp_json_number(c->ratio) : json_null());
    json_object_set_new(one, "low", known ? gp_json_number(c->low) : json_null());
    json_object_set_new(one, "high", known ? gp_json_number(c->high) : json_null());
    json_object_set_new(one, "verdict", json_string(word(c)));
    json_object_set_new(one, "why", why[0] ? gp_json_text(why) : json_null());
    return one;
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
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        json_object_set_new(json, counts[i].key, json_integer(counts[i].count));
    for (int i = 0; i < c->count; i++)
        json_array_append_new(list, change_json(&c->change[i]));
    json_object_set_new(json, "points", list);
    return json;
}
