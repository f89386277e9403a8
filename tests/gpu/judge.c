/*
 * judge.c - the table at the end of check-gpu: what was expected of each figure and what
 * was seen.
 *
 *   judge EXPECTED.txt FOLDER
 *
 * EXPECTED.txt says how its rows are read. FOLDER holds results of gpuplan --bench, of
 * torch_ref.py and of check-gpu itself (facts.json: the exit code of each step and why), all
 * with "points", and answers of gpuplan --confirm, whose "terms" have names. Ends 1 when a
 * figure is not as expected or is missing, and when none is as expected. Only a point that is
 * "unsupported" is not on this machine: one that failed, ran out of memory or was skipped is
 * looked at, even where the others of its row are good.
 */
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"

enum { COLUMNS = 7, FILES = 64, VALUES = 4096 };

struct row {
    char *column[COLUMNS]; /* compute capabilities, figure, value, low, high, unit, why */
};

struct value {
    const char *id;
    double is; /* NAN: no figure, and why */
    const char *why;
    bool absent; /* this GPU, library or catalogue has none; else none is a fault */
    double time; /* s, of the point; NAN */
};

struct values {
    struct value *list;
    size_t count;
    const json_t *step; /* what facts.json says of a file that is not there; NULL: it is */
    bool file;
};

static struct {
    char *name;
    json_t *json; /* NULL: none or broken */
} files[FILES];
static size_t file_count;
static const char *folder;

/* ---- files ---- */

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *json = json_load_file(path, JSON_REJECT_DUPLICATES, &error);

    if (!json && json_error_code(&error) != json_error_cannot_open_file)
        fprintf(stderr, "%s:%d: %s\n", path, error.line, error.text);
    return json;
}

static json_t *file_named(const char *name)
{
    char path[1024];

    for (size_t i = 0; i < file_count; i++)
        if (strcmp(files[i].name, name) == 0)
            return files[i].json;
    if (file_count == FILES || !gp_format(path, sizeof path, "%s/%s.json", folder, name))
        return NULL;
    files[file_count].name = gp_strdup(name);
    files[file_count].json = load(path);
    return files[file_count++].json;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

/* Of a result; of --confirm its terms. */
static const json_t *points_of(const json_t *result)
{
    const json_t *points = json_object_get(result, "points");

    return points ? points : json_object_get(result, "terms");
}

static const char *id_of(const json_t *point)
{
    const char *id = text_of(point, "id");

    return *id ? id : text_of(point, "name");
}

/* ---- fields ---- */

static const json_t *at_path(const json_t *json, const char *path)
{
    char key[64];

    while (json && *path) {
        size_t length = strcspn(path, ".");

        if (length >= sizeof key)
            return NULL;
        memcpy(key, path, length);
        key[length] = '\0';
        json = json_object_get(json, key);
        path += length + (path[length] == '.');
    }
    return json;
}

static double number(const json_t *json)
{
    if (json_is_boolean(json))
        return json_is_true(json);
    return json_is_number(json) ? json_number_value(json) : NAN;
}

static double has_flag(const json_t *point, const char *flag)
{
    const json_t *flags = json_object_get(point, "flags");
    const json_t *one;
    size_t i;

    json_array_foreach(
        flags, i,
        one) if (strcmp(json_string_value(one) ? json_string_value(one) : "", flag) == 0) return 1;
    return 0;
}

/* Of the link's rate one way, as the driver tells its generation and width: per cent. */
static double share_of_link(const json_t *result, const json_t *point)
{
    static const double lane[] = {0, 0.25e9, 0.5e9, 0.985e9, 1.969e9, 3.938e9, 7.563e9};
    const json_t *devices = json_object_get(result, "devices");
    const json_t *more = at_path(json_array_get(devices, 0), "more");
    double generation = number(at_path(more, "pcie_gen_max"));
    double width = number(at_path(more, "pcie_width_max"));
    double rate = number(at_path(point, "rate.bytes_per_s"));

    if (!(generation >= 1 && generation <= 6 && width >= 1))
        return NAN;
    return 100 * rate / (lane[(int)generation] * width);
}

/* "a.b.c", "a.b=text" (1 or 0), "flag.NAME" (1 or 0), "link" */
static double field(const json_t *result, const json_t *point, const char *name)
{
    const char *equal = strchr(name, '=');
    const json_t *found;
    char path[128];

    if (strncmp(name, "flag.", 5) == 0)
        return has_flag(point, name + 5);
    if (strcmp(name, "link") == 0)
        return share_of_link(result, point);
    if (!equal)
        return number(at_path(point, name));
    gp_format(path, sizeof path, "%.*s", (int)(equal - name), name);
    found = at_path(point, path);
    if (json_is_boolean(found))
        return strcmp(equal + 1, json_is_true(found) ? "true" : "false") == 0;
    return json_is_string(found) ? strcmp(json_string_value(found), equal + 1) == 0 : NAN;
}

/* ---- terms ---- */

static bool is_variant(const json_t *point, const char *wanted)
{
    const char *variant = text_of(point, "variant");

    if (wanted)
        return fnmatch(wanted, variant, 0) == 0;
    return !*variant || strcmp(variant, "heuristic") == 0;
}

/* Shares of the sheet and predictions need the GPU's profile, a share of the link its sensors. */
static bool needs_sheet(const char *name)
{
    return strstr(name, "pct_spec") || strncmp(name, "predicted", 9) == 0 ||
           strcmp(name, "link") == 0;
}

static void add_value(struct values *out, const json_t *result, const json_t *point,
                      const char *name)
{
    const char *state = text_of(point, "state"), *reason = text_of(point, "reason");
    const char *why = *reason ? reason : text_of(point, "why");
    const json_t *device = json_array_get(json_object_get(result, "devices"), 0);
    bool stateless = strncmp(name, "state", 5) == 0;
    struct value value = {.id = id_of(point), .is = NAN, .why = *why ? why : state};

    if (out->count == VALUES)
        return;
    value.time = number(at_path(point, "time_s.median"));
    if (!*state || strcmp(state, "ok") == 0 || stateless)
        value.is = field(result, point, name);
    if (!isfinite(value.is) && (!*value.why || strcmp(value.why, "ok") == 0))
        value.why = needs_sheet(name) ? "the catalogue does not know this GPU" : "no figure";
    value.absent = strcmp(state, "unsupported") == 0 ||
                   (needs_sheet(name) && json_is_null(json_object_get(device, "profile")));
    out->list[out->count++] = value;
}

static const json_t *point_of(const json_t *result, const char *id)
{
    const json_t *point;
    size_t i;

    json_array_foreach(points_of(result), i, point)
    {
        if (strcmp(id_of(point), id) == 0)
            return point;
    }
    return NULL;
}

/* FILE:ID[@VARIANT]:FIELD */
static struct values take_term(const char *term)
{
    struct values out = {.list = gp_calloc(VALUES, sizeof *out.list)};
    char *copy = gp_strdup(term), *rest = copy;
    const char *file = strsep(&rest, ":"), *id = strsep(&rest, ":"), *name = rest;
    char *variant = id ? strchr(id, '@') : NULL;
    json_t *result = name ? file_named(file) : NULL;
    const json_t *point;
    size_t i;

    if (variant)
        *variant++ = '\0';
    out.file = result != NULL;
    if (!result) {
        char step[64];

        gp_format(step, sizeof step, "step/%s", file);
        out.step = point_of(file_named("facts"), step);
    }
    json_array_foreach(points_of(result), i, point)
    {
        if (fnmatch(id, id_of(point), 0) == 0 && is_variant(point, variant))
            add_value(&out, result, point, name);
    }
    if (out.count == 0 && name && strcmp(copy, "facts") == 0)
        out.file = false; /* a step that was not run has no fact */
    free(copy);
    return out;
}

static const struct value *same_id(const struct values *in, const char *id)
{
    for (size_t i = 0; i < in->count; i++)
        if (strcmp(in->list[i].id, id) == 0)
            return &in->list[i];
    return NULL;
}

/* One with one, else each with that of the same id. */
static void combine(struct values *left, const struct values *right, char operation)
{
    size_t kept = 0;

    for (size_t i = 0; i < left->count; i++) {
        struct value *l = &left->list[i];
        const struct value *r =
            left->count == 1 && right->count == 1 ? &right->list[0] : same_id(right, l->id);

        if (!r)
            continue;
        if (!isfinite(l->is) || !isfinite(r->is)) {
            const struct value *lacks = isfinite(l->is) ? r : l;

            l->why = lacks->why;
            l->absent = lacks->absent;
        }
        l->is = operation == '/' ? l->is / r->is : l->is - r->is;
        l->time = NAN;
        left->list[kept++] = *l;
    }
    left->count = kept;
    if (left->file && !right->file)
        left->step = right->step;
    left->file = left->file && right->file;
}

/* TERM, TERM / TERM or TERM - TERM, with blanks around the sign. */
static struct values take_value(const char *text)
{
    char *copy = gp_strdup(text), *sign = strstr(copy, " / ");
    struct values left, right;

    if (!sign)
        sign = strstr(copy, " - ");
    if (!sign) {
        left = take_term(copy);
    } else {
        char operation = sign[1];

        *sign = '\0';
        left = take_term(copy);
        right = take_term(sign + 3);
        combine(&left, &right, operation);
        free(right.list);
    }
    free(copy);
    return left;
}

/* ---- rows ---- */

static char *trimmed(char *text)
{
    size_t length;

    while (*text == ' ' || *text == '\t')
        text++;
    for (length = strlen(text); length && strchr(" \t\n", text[length - 1]); length--)
        text[length - 1] = '\0';
    return text;
}

/* false: nothing on this line */
static bool read_row(char *line, struct row *row)
{
    int columns = 0;

    line = trimmed(line);
    if (!*line || *line == '#')
        return false;
    for (char *rest = line; rest && columns < COLUMNS; columns++)
        row->column[columns] = trimmed(columns == COLUMNS - 1 ? rest : strsep(&rest, "|"));
    return columns == COLUMNS;
}

struct span {
    double low, high;
    size_t count;              /* with a figure */
    const struct value *fault; /* one that should have a figure and has none */
    const char *why;           /* there is none */
};

static struct span span_of(const struct values *values)
{
    struct span s = {NAN, NAN, 0, NULL, ""};

    for (size_t i = 0; i < values->count; i++) {
        const struct value *v = &values->list[i];

        if (!isfinite(v->is)) {
            s.why = v->why;
            s.fault = v->absent ? s.fault : v;
            continue;
        }
        s.low = s.count && s.low < v->is ? s.low : v->is;
        s.high = s.count && s.high > v->is ? s.high : v->is;
        s.count++;
    }
    return s;
}

static void range_text(double low, double high, char *text, size_t size)
{
    if (!isfinite(low) && !isfinite(high))
        gp_copy(text, size, "any");
    else if (low == high)
        gp_format(text, size, "%.4g", low);
    else if (!isfinite(high))
        gp_format(text, size, ">= %.4g", low);
    else if (!isfinite(low))
        gp_format(text, size, "<= %.4g", high);
    else
        gp_format(text, size, "%.4g..%.4g", low, high);
}

static double bound(const char *text)
{
    return strcmp(text, "-") == 0 ? NAN : strtod(text, NULL);
}

/* PyTorch's of the same point: a time, or a rate by its time. */
static void torch_text(const struct row *row, const struct values *values, char *text, size_t size)
{
    static const char *const names[] = {"torch-large", "torch-layers", "torch-decode"};
    const char *name = strrchr(row->column[2], ':');

    text[0] = '\0';
    if (values->count != 1 || !isfinite(values->list[0].time) || !isfinite(values->list[0].is))
        return;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *point = point_of(file_named(names[i]), values->list[0].id);
        double time = number(at_path(point, "time_s.median"));

        if (!(time > 0))
            continue;
        if (strncmp(name, ":rate.", 6) == 0)
            gp_format(text, size, "%.4g", values->list[0].is * values->list[0].time / time);
        else if (strcmp(name, ":time_s.median") == 0)
            gp_format(text, size, "%.4g", time);
    }
}

enum verdict { AS_EXPECTED, NOT_HERE, NOT_RUN, LOOK, MISSING };

/* Of the device and the library that were measured with: 90 for 9.0, 120900 for 12.9; NAN where
 * no result says. */
static void find_machine(double *cc, double *lt)
{
    static const char *const names[] = {"smoke", "types", "large", "layers"};

    *cc = *lt = NAN;
    for (size_t i = 0; i < sizeof names / sizeof *names && isnan(*cc); i++) {
        const json_t *result = file_named(names[i]);

        *cc = number(json_object_get(json_array_get(json_object_get(result, "devices"), 0), "cc"));
        *lt = number(json_object_get(json_object_get(result, "software"), "cublaslt"));
    }
}

/* "-", "8.9", "9.0..9.9@120900". What is not known keeps a row. */
static bool row_applies(const char *where)
{
    const char *to = strstr(where, ".."), *at = strchr(where, '@');
    double cc, lt;

    find_machine(&cc, &lt);
    return !(bound(where) > cc / 10) && !(to && strtod(to + 2, NULL) < cc / 10) &&
           !(at && strtod(at + 1, NULL) > lt);
}

/* Of a row without a figure: what the step says that should have made it. */
static enum verdict without_figure(const struct values *values, bool may_lack, const char **why)
{
    const char *state = values->step ? text_of(values->step, "state") : "";

    if (values->file) {
        *why = values->count ? *why : "no such point";
        return may_lack || values->count ? NOT_HERE : MISSING;
    }
    *why = values->step ? text_of(values->step, "reason") : "";
    if (strcmp(state, "unsupported") == 0)
        return NOT_HERE;
    return strcmp(state, "ok") == 0 ? MISSING : NOT_RUN;
}

/* The first value that is outside: its point, and what it says. */
static void say_outside(const struct values *values, double low, double high)
{
    for (size_t i = 0; i < values->count; i++) {
        const struct value *v = &values->list[i];

        if (isfinite(v->is) && (v->is < low || v->is > high)) {
            printf("      %s%s%.140s\n", v->id, *v->why && strcmp(v->why, "ok") ? ": " : "",
                   strcmp(v->why, "ok") ? v->why : "");
            return;
        }
    }
}

static enum verdict judge_row(const struct row *row)
{
    static const char *const words[] = {"ok", "not here", "not run", "LOOK", "MISSING"};
    bool may_lack = row->column[2][0] == '?';
    struct values values = take_value(row->column[2] + may_lack);
    struct span seen = span_of(&values);
    double low = bound(row->column[3]), high = bound(row->column[4]);
    char wanted[48], is[64] = "-", torch[24];
    enum verdict verdict = AS_EXPECTED;

    range_text(low, high, wanted, sizeof wanted);
    torch_text(row, &values, torch, sizeof torch);
    if (seen.count) {
        range_text(seen.low, seen.high, is, sizeof is);
        if (seen.count > 1)
            gp_format(is + strlen(is), sizeof is - strlen(is), " of %zu", seen.count);
    } else if (!seen.fault) {
        verdict = without_figure(&values, may_lack, &seen.why);
    }
    if (seen.fault || seen.low < low || seen.high > high)
        verdict = LOOK;
    printf("%-46.46s %14s  %-20s %-10s %-9s %s\n", row->column[1], wanted, is, torch,
           row->column[5], words[verdict]);
    if (verdict == LOOK)
        printf("      %s\n", row->column[6]);
    if (seen.fault)
        printf("      %s: %.140s\n", seen.fault->id, seen.fault->why);
    else if (verdict == LOOK)
        say_outside(&values, low, high);
    else if (verdict != AS_EXPECTED && *seen.why)
        printf("      %.140s\n", seen.why);
    free(values.list);
    return verdict;
}

int main(int argc, char **argv)
{
    FILE *table = argc > 2 ? fopen(argv[1], "r") : NULL;
    size_t room = 0, counts[MISSING + 1] = {0};
    char *line = NULL;
    int at = 0;

    if (!table) {
        fprintf(stderr, "usage: judge EXPECTED.txt FOLDER\n");
        return 2;
    }
    folder = argv[2];
    printf("%-46s %14s  %-20s %-10s %-9s\n", "figure", "expected", "seen", "PyTorch", "unit");
    while (getline(&line, &room, table) > 0) {
        struct row row;
        char *hash = strchr(line, '\n');

        at++;
        if (hash)
            *hash = '\0';
        if (!read_row(line, &row)) {
            if (*trimmed(line) && *trimmed(line) != '#') {
                fprintf(stderr, "%s:%d: not %d columns\n", argv[1], at, COLUMNS);
                return 2;
            }
            continue;
        }
        if (row_applies(row.column[0]))
            counts[judge_row(&row)]++;
    }
    printf("%zu as expected, %zu to look at, %zu missing, %zu not on this machine, %zu not run\n",
           counts[AS_EXPECTED], counts[LOOK], counts[MISSING], counts[NOT_HERE], counts[NOT_RUN]);
    free(line);
    fclose(table);
    for (size_t i = 0; i < file_count; i++) {
        free(files[i].name);
        json_decref(files[i].json);
    }
    return counts[LOOK] + counts[MISSING] > 0 || counts[AS_EXPECTED] == 0;
}
