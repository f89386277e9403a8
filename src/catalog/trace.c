/*
 * trace.c - see trace.h.
 */
#include "catalog/trace.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/csv.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/units.h"
#include "catalog/trace_bench.h"

#define HASH_TOKENS 512   /* of a group, where a file does not say (Mooncake) */
#define PRIORITY_MOST 1e9 /* up and down */
#define PRIORITY_WHY "is not a whole number from -1,000,000,000 to 1,000,000,000"

enum column { COL_TIME, COL_PROMPT, COL_OUTPUT, COL_SESSION, COL_PRIORITY, COL_COUNT };
#define MEMBERS COL_SESSION /* of a line of JSON, those that are numbers */

/* Of the Azure form, then of BurstGPT's; case does not count. */
static const char *const names[COL_COUNT][2] = {
    [COL_TIME] = {"TIMESTAMP", "Timestamp"},
    [COL_PROMPT] = {"ContextTokens", "Request tokens"},
    [COL_OUTPUT] = {"GeneratedTokens", "Response tokens"},
    [COL_SESSION] = {"session", "session_id"},
    [COL_PRIORITY] = {"priority", "priority"},
};

struct reading {
    struct csv csv;
    size_t header_count;
    int at[COL_COUNT]; /* -1: the file has none */
    struct trace *trace;
    struct gp_err *err;
};

static enum gp_status trace_refuse(const struct reading *r, const char *what, const char *hint)
{
    char where[192];

    gp_format(where, sizeof(where), "%s:%d", r->csv.name, r->csv.line);
    return gp_fail(r->err, GP_E_FILE, where, hint, "%s", what);
}

static enum gp_status refuse_field(const struct reading *r, enum column column, const char *why)
{
    char what[160];
    const char *text = r->csv.field[r->at[column]];

    gp_format(what, sizeof(what), "%s: '%.40s' %s", names[column][0], text, why);
    return trace_refuse(r, what, "");
}

static int find_column(const struct csv *csv, enum column column)
{
    for (size_t i = 0; i < csv->count; i++)
        for (int form = 0; form < 2; form++)
            if (strcasecmp(csv->field[i], names[column][form]) == 0)
                return (int)i;
    return -1;
}

static enum gp_status read_header(struct reading *r)
{
    bool more;
    enum gp_status rc = csv_next(&r->csv, &more, r->err);

    if (rc)
        return rc;
    for (int c = 0; c < COL_COUNT && more; c++)
        r->at[c] = find_column(&r->csv, (enum column)c);
    r->header_count = r->csv.count;
    if (!more || r->at[COL_PROMPT] < 0 || r->at[COL_OUTPUT] < 0)
        return trace_refuse(r, "is not a trace of requests",
                            "columns TIMESTAMP, ContextTokens, GeneratedTokens, or Timestamp, "
                            "Request tokens, Response tokens");
    return GP_OK;
}

/* "18:17:03.97+01:00" behind a date, in seconds; false when it is something else. */
static bool parse_clock(const char *text, double *seconds)
{
    int hour, minute, used = 0, zone_hour, zone_minute, rest = 0;
    double second;
    char sign;

    if (sscanf(text, "%2d:%2d:%lf%n", &hour, &minute, &second, &used) < 3 || used == 0)
        return false;
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || !(second >= 0 && second < 61))
        return false;
    *seconds = hour * 3600.0 + minute * 60.0 + second;
    text += used;
    if (text[0] == '\0' || strcmp(text, "Z") == 0)
        return true;
    if (sscanf(text, "%c%2d:%2d%n", &sign, &zone_hour, &zone_minute, &rest) < 3 ||
        (sign != '+' && sign != '-') || text[rest] || abs(zone_hour) > 14 || zone_minute < 0 ||
        zone_minute > 59)
        return false;
    double zone = zone_hour * 3600.0 + zone_minute * 60.0;
    *seconds -= sign == '+' ? zone : -zone;
    return true;
}

static enum gp_status read_time(const struct reading *r, double *at)
{
    double clock;

    *at = NAN;
    if (r->at[COL_TIME] < 0)
        return GP_OK;
    const char *text = r->csv.field[r->at[COL_TIME]];
    if (strchr(text, '-') && strlen(text) > 11 && (text[10] == ' ' || text[10] == 'T')) {
        long day = date_days(text);

        if (day < 0 || !parse_clock(text + 11, &clock))
            return refuse_field(r, COL_TIME, "is not a date and time");
        *at = (double)day * 86400 + clock;
        return GP_OK;
    }
    if (units_parse_number(text, "", at, NULL) || *at < 0 || *at > 1e12)
        return refuse_field(r, COL_TIME, "is neither a date nor seconds");
    return GP_OK;
}

static enum gp_status read_tokens(const struct reading *r, enum column column, double *tokens)
{
    const char *text = r->csv.field[r->at[column]];

    if (units_parse_number(text, "", tokens, NULL) || *tokens != floor(*tokens) || *tokens < 0 ||
        *tokens > TRACE_TOKENS_MAX)
        return refuse_field(r, column, "is not a number of tokens");
    return GP_OK;
}

static enum gp_status add_row(struct reading *r, const struct trace_row *row)
{
    struct trace *t = r->trace;

    if (row->prompt < 1 || row->output < 1) {
        t->failed++;
        return GP_OK;
    }
    if (t->count == TRACE_ROWS_MAX)
        return trace_refuse(r, "is request 8,000,001: at most 8,000,000 are read", "");
    t->row = gp_grow(t->row, &t->cap, t->count + 1, sizeof(*t->row));
    t->row[t->count++] = *row;
    t->longest = fmax(t->longest, row->prompt + row->output);
    t->sessions |= row->session > 0;
    t->priorities |= row->priority != PRIORITY_UNTOLD;
    return GP_OK;
}

/* FNV-1a of a session's name; 0: it has none. */
static uint64_t session_of(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325;

    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3;
    return name[0] == '\0' ? 0 : hash == 0 ? 1 : hash;
}

/* False: it is none. */
static bool priority_of(double value, int *priority)
{
    bool valid = value == floor(value) && fabs(value) <= PRIORITY_MOST;

    *priority = valid ? (int)value : PRIORITY_UNTOLD;
    return valid;
}

static enum gp_status read_row(struct reading *r)
{
    struct trace_row row = {.priority = PRIORITY_UNTOLD};
    const char *priority = r->at[COL_PRIORITY] >= 0 ? r->csv.field[r->at[COL_PRIORITY]] : "";
    double value;

    if (r->csv.count != r->header_count)
        return trace_refuse(r, "does not have as many fields as the header", "");
    enum gp_status rc = read_time(r, &row.at);
    if (!rc)
        rc = read_tokens(r, COL_PROMPT, &row.prompt);
    if (!rc)
        rc = read_tokens(r, COL_OUTPUT, &row.output);
    if (rc)
        return rc;
    if (r->at[COL_SESSION] >= 0)
        row.session = session_of(r->csv.field[r->at[COL_SESSION]]);
    if (priority[0] &&
        (units_parse_number(priority, "", &value, NULL) || !priority_of(value, &row.priority)))
        return refuse_field(r, COL_PRIORITY, PRIORITY_WHY);
    return add_row(r, &row);
}

/* ---- JSON lines ---- */

/* Of Mooncake's form, then of one's own; a time of the first is in ms. */
static const char *const json_names[MEMBERS][2] = {
    [COL_TIME] = {"timestamp", "arrival"},
    [COL_PROMPT] = {"input_length", "prompt"},
    [COL_OUTPUT] = {"output_length", "output"},
};

static enum gp_status refuse_member(const struct reading *r, const char *name, const char *why)
{
    char what[96];

    gp_format(what, sizeof(what), "%s %s", name, why);
    return trace_refuse(r, what,
                        "a request is {\"timestamp\": ms, \"input_length\": N, "
                        "\"output_length\": N, \"hash_ids\": [...]}, or {\"arrival\": s, "
                        "\"prompt\": N, \"output\": N}");
}

/* A number of one of both names; NAN where it is missing and may be. */
static enum gp_status read_member(const struct reading *r, const json_t *line, enum column column,
                                  double *value, int *form)
{
    const json_t *found = NULL;

    for (*form = 0; *form < 2 && !found; (*form)++)
        found = json_object_get(line, json_names[column][*form]);
    (*form)--;
    *value = NAN;
    if (!found && column == COL_TIME)
        return GP_OK;
    if (!found)
        return refuse_member(r, json_names[column][0], "is missing");
    *value = json_number_value(found);
    double most = column == COL_TIME ? 1e15 : TRACE_TOKENS_MAX;
    bool whole = column == COL_TIME || *value == floor(*value);
    if (!json_is_number(found) || !whole || !(*value >= 0) || *value > most)
        return refuse_member(r, json_names[column][*form],
                             column == COL_TIME ? "is no time" : "is not a number of tokens");
    return GP_OK;
}

/* The groups of a row that is added next. */
static enum gp_status read_hashes(const struct reading *r, const json_t *line)
{
    struct trace *t = r->trace;
    const json_t *ids = json_object_get(line, "hash_ids");
    const json_t *tokens = json_object_get(line, "hash_tokens");
    int group = tokens ? (int)fmin(fmax(json_number_value(tokens), 0), 1e6) : HASH_TOKENS;

    if (!ids)
        return GP_OK;
    if (!json_is_array(ids))
        return refuse_member(r, "hash_ids", "is not a list");
    if (group < 1 || (t->hash_tokens > 0 && t->hash_tokens != group))
        return refuse_member(r, "hash_tokens", "is not 1 or more, and alike in all lines");
    t->hash_tokens = group;
    for (size_t i = 0; i < json_array_size(ids); i++) {
        if (!json_is_integer(json_array_get(ids, i)))
            return refuse_member(r, "hash_ids", "holds more than whole numbers");
        if (t->hashes >= UINT32_MAX)
            return refuse_member(r, "hash_ids", "are more than 4 billion in all");
        t->hash = gp_grow(t->hash, &t->hash_cap, t->hashes + 1, sizeof(*t->hash));
        t->hash[t->hashes++] = (uint64_t)json_integer_value(json_array_get(ids, i));
    }
    return GP_OK;
}

static enum gp_status read_session(const struct reading *r, const json_t *line,
                                   struct trace_row *row)
{
    const json_t *session = json_object_get(line, "session");
    const json_t *think = json_object_get(line, "think");
    char number[32];

    if (json_is_integer(session))
        gp_format(number, sizeof(number), "%lld", (long long)json_integer_value(session));
    if (session && !json_is_integer(session) && !json_is_string(session))
        return refuse_member(r, "session", "is neither a name nor a whole number");
    if (think && (!session || !json_is_number(think) || !(json_number_value(think) >= 0) ||
                  json_number_value(think) > 1e9))
        return refuse_member(r, "think", "is not seconds after the answer before in a session");
    row->session =
        session ? session_of(json_is_integer(session) ? number : json_string_value(session)) : 0;
    row->think = think ? json_number_value(think) : 0;
    return GP_OK;
}

static enum gp_status read_line(struct reading *r, const json_t *line)
{
    struct trace *t = r->trace;
    struct trace_row row = {.priority = PRIORITY_UNTOLD};
    size_t count = t->count, hashes = t->hashes;
    int form;
    enum gp_status rc = GP_OK;

    if (!json_is_object(line))
        return trace_refuse(r, "is no request", "an object {...} on each line");
    rc = read_member(r, line, COL_PROMPT, &row.prompt, &form);
    if (!rc)
        rc = read_member(r, line, COL_OUTPUT, &row.output, &form);
    if (!rc)
        rc = read_member(r, line, COL_TIME, &row.at, &form);
    row.at *= form == 0 ? 1e-3 : 1;
    if (!rc && isnan(row.at) != (r->at[COL_TIME] < 0) && t->count + t->failed > 0)
        rc = refuse_member(r, "timestamp", "is in some lines and not in others");
    r->at[COL_TIME] = isnan(row.at) ? -1 : 0;
    const json_t *most = json_object_get(line, "max_tokens");
    if (!rc && most &&
        !(json_number_value(most) >= 1 && json_number_value(most) <= TRACE_TOKENS_MAX))
        rc = refuse_member(r, "max_tokens", "is not a number of tokens");
    row.most = most ? floor(json_number_value(most)) : 0;
    const json_t *priority = json_object_get(line, "priority");
    if (!rc && priority &&
        !(json_is_number(priority) && priority_of(json_number_value(priority), &row.priority)))
        rc = refuse_member(r, "priority", PRIORITY_WHY);
    if (!rc)
        rc = read_session(r, line, &row);
    if (!rc)
        rc = read_hashes(r, line);
    if (!rc)
        rc = add_row(r, &row);
    if (rc)
        return rc;
    if (t->count == count) { /* one that failed */
        t->hashes = hashes;
        return GP_OK;
    }
    t->hash_at = gp_grow(t->hash_at, &t->at_cap, t->count + 1, sizeof(*t->hash_at));
    t->hash_at[count] = (uint32_t)hashes;
    t->hash_at[t->count] = (uint32_t)t->hashes;
    return GP_OK;
}

static enum gp_status parse_lines(struct reading *r, const char *text, size_t len)
{
    enum gp_status rc = GP_OK;

    r->csv.line = 0;
    for (size_t from = 0; !rc && from < len;) {
        const char *end = memchr(text + from, '\n', len - from);
        size_t until = end ? (size_t)(end - text) : len, blank = from;
        json_t *line;
        char where[192];

        r->csv.line++;
        while (blank < until && isspace((unsigned char)text[blank]))
            blank++;
        gp_format(where, sizeof(where), "%s:%d", r->csv.name, r->csv.line);
        if (blank < until) {
            rc = gp_json_parse(where, text + from, until - from, &line, r->err);
            if (!rc) {
                rc = read_line(r, line);
                json_decref(line);
            }
        }
        from = until + 1;
    }
    if (r->trace->hash_tokens == 0) {
        free(r->trace->hash_at);
        r->trace->hash_at = NULL;
    }
    return rc;
}

/* ---- the rate ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Minutes from the first arrival on; a file shorter than one has its mean alone. */
static void find_rate(struct trace *t)
{
    double *at = gp_calloc(t->count, sizeof(*at));
    size_t most = 0, from = 0;

    for (size_t i = 0; i < t->count; i++)
        at[i] = t->row[i].at;
    qsort(at, t->count, sizeof(*at), by_value);
    t->seconds = at[t->count - 1] - at[0];
    for (size_t i = 0; i < t->count; i++) {
        if (floor((at[i] - at[0]) / 60) > floor((at[from] - at[0]) / 60))
            from = i;
        most = i - from + 1 > most ? i - from + 1 : most;
    }
    free(at);
    if (t->seconds < 1) { /* no rate follows from a moment */
        t->seconds = 0;
        return;
    }
    t->rate = (double)t->count / t->seconds;
    t->busiest = t->seconds < 60 ? t->rate : (double)most / 60;
}

enum gp_status trace_parse(const char *name, const char *text, size_t len, struct trace *out,
                           struct gp_err *err)
{
    struct reading r = {.trace = out, .err = err, .at = {-1, -1, -1, -1}};
    bool more = true;

    memset(out, 0, sizeof(*out));
    csv_init(&r.csv, name, text, len);
    size_t blank = 0;
    while (blank < len && strchr(" \t\r\n", text[blank]) && text[blank])
        blank++;
    bool json = blank < len && (text[blank] == '{' || text[blank] == '[');
    bool bench = json && trace_bench_is(text, len);
    enum gp_status rc = bench  ? trace_bench_parse(name, text, len, out, err)
                        : json ? parse_lines(&r, text, len)
                               : read_header(&r);
    if (bench && !rc && out->count > 0)
        r.at[COL_TIME] = isnan(out->row[0].at) ? -1 : 0;
    while (!rc && more && !json) {
        rc = csv_next(&r.csv, &more, err);
        if (!rc && more)
            rc = read_row(&r);
    }
    if (!rc && out->count == 0)
        rc = gp_fail(err, GP_E_FILE, name, "", "holds no request");
    if (!rc && r.at[COL_TIME] >= 0)
        find_rate(out);
    csv_fini(&r.csv);
    if (rc)
        trace_fini(out);
    return rc;
}

enum gp_status trace_read(const char *path, struct trace *out, struct gp_err *err)
{
    char *text;
    size_t len;
    enum gp_status rc = path_read(path, TRACE_BYTES_MAX, &text, &len, err);

    if (rc)
        return rc;
    rc = trace_parse(path, text, len, out, err);
    free(text);
    return rc;
}

void trace_fini(struct trace *t)
{
    free(t->row);
    free(t->hash);
    free(t->hash_at);
    memset(t, 0, sizeof(*t));
}
