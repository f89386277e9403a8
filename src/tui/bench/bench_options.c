/*
 * bench_options.c - see bench_options.h.
 */
#include "tui/bench/bench_options.h"

#include <string.h>

#include "answer/option.h"
#include "base/units.h"
#include "measure/session.h"
#include "tui/form.h"
#include "tui/toolkit/words.h"

/* The screen shows the plan, the progress and the way to go on by itself. */
bool bench_option(enum option_id id)
{
    return session_measures_by(id) && !(option_rows[id].commands & FOR_PLAN);
}

/* ---- one value ---- */

static bool is_word(const char *text, const char *a, const char *b)
{
    return strcmp(text, a) == 0 || strcmp(text, b) == 0;
}

/* As the command line checks it, then as the engine's side does: some texts are taken
 * apart only there. */
static enum gp_status value_check(struct planner *planner, enum option_id id, const char *where,
                                  const char *text, struct gp_err *err)
{
    const struct option_row *row = &option_rows[id];
    struct options options = {0};
    struct session_request how = {.options = &options, .planner = planner};
    enum gp_status rc;

    if (row->type == OPTION_FLAG && !is_word(text, "on", "yes"))
        return gp_fail(err, GP_E_USAGE, where, "on or off", "'%.60s' is not one of the choices",
                       text);
    if ((rc = options_text(&options, id, where, text, err)) != GP_OK)
        return rc;
    struct session *session = session_new(&how, err); /* looks at words, starts nothing */
    rc = session ? GP_OK : err->code;
    session_free(session);
    return rc;
}

enum gp_status bench_options_put(struct bench_options *bench, struct planner *planner,
                                 enum option_id id, const char *text, struct gp_err *err)
{
    const struct option_row *row = &option_rows[id];
    char typed[2 * BENCH_VALUE], where[40], *value;

    gp_format(where, sizeof(where), "--%s", row->name);
    text += strspn(text, " \t");
    gp_copy(typed, sizeof(typed), text);
    value = gp_trim(typed);
    if (strlen(value) >= BENCH_VALUE)
        return gp_fail(err, GP_E_USAGE, where, "", "is longer than %d bytes", BENCH_VALUE - 1);
    if (strcmp(value, row->fallback) == 0 || strcmp(value, "auto") == 0 ||
        (row->type == OPTION_FLAG && strcmp(value, "no") == 0))
        value[0] = '\0';
    enum gp_status rc = value[0] ? value_check(planner, id, where, value, err) : GP_OK;
    if (rc)
        return rc;
    memset(bench->value[id], 0, BENCH_VALUE); /* so that equal ones compare equal */
    gp_copy(bench->value[id], BENCH_VALUE, value[0] && row->type == OPTION_FLAG ? "on" : value);
    return GP_OK;
}

/* ---- a line of them ---- */

#define WORD_BYTES 1024 /* of a word as it is typed; longer values are refused later */

static enum gp_status option_named(const char *word, int *id, struct gp_err *err)
{
    const char *names[OPTION_COUNT], *name = word + strspn(word, "-");
    char hint[256];
    size_t n = 0;

    *id = option_find(name);
    if (*id >= 0 && bench_option((enum option_id) * id))
        return GP_OK;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (bench_option((enum option_id)i))
            names[n++] = option_rows[i].name;
    if (!spelling_option(name, "", names, n, hint, sizeof(hint)))
        gp_copy(hint, sizeof(hint), "as in: rel-ci 2 force");
    return gp_fail(err, GP_E_USAGE, "", hint, "'%.60s' is not an option of --bench", word);
}

/* The value of a flag is a word of its own only where it can be nothing else. */
static void take_switch(const char **line, char word[WORD_BYTES])
{
    const char *rest = *line;

    if (words_next(&rest, word, WORD_BYTES) &&
        (is_word(word, "on", "off") || is_word(word, "yes", "no")))
        *line = rest;
    else
        gp_copy(word, WORD_BYTES, "on");
}

enum gp_status bench_options_line(struct bench_options *bench, struct planner *planner,
                                  const char *line, struct gp_err *err)
{
    struct bench_options next = *bench;
    char word[WORD_BYTES], value[WORD_BYTES];
    enum gp_status rc = GP_OK;

    while (!rc && words_next(&line, word, sizeof(word))) {
        char *equals = strchr(word, '=');
        int id;

        if (equals)
            *equals = '\0';
        if ((rc = option_named(word, &id, err)) != GP_OK)
            return rc;
        if (equals)
            gp_copy(value, sizeof(value), equals + 1);
        else if (option_rows[id].type == OPTION_FLAG)
            take_switch(&line, value);
        else if (!words_next(&line, value, sizeof(value)))
            return gp_fail(err, GP_E_USAGE, word, "as in: rel-ci 2", "needs a value");
        rc = bench_options_put(&next, planner, (enum option_id)id, value, err);
    }
    if (!rc)
        *bench = next;
    return rc;
}

/* ---- as an ask, as a command ---- */

enum gp_status bench_options_ask(const struct bench_options *bench, struct options *options,
                                 struct gp_err *err)
{
    enum gp_status rc = GP_OK;
    char where[40];

    for (int id = 0; id < OPTION_COUNT && !rc; id++) {
        gp_format(where, sizeof(where), "--%s", option_rows[id].name);
        if (bench->value[id][0])
            rc = options_text(options, (enum option_id)id, where, bench->value[id], err);
    }
    return rc;
}

void bench_options_command(const struct bench_options *bench, struct strbuf *out)
{
    for (int id = 0; id < OPTION_COUNT; id++) {
        if (!bench->value[id][0])
            continue;
        strbuf_addf(out, " --%s", option_rows[id].name);
        if (option_rows[id].type == OPTION_FLAG)
            continue;
        strbuf_add(out, " ");
        strbuf_quote(out, bench->value[id]);
    }
}

/* ---- for people ---- */

char *bench_option_default(enum option_id id, char *text, size_t size)
{
    const struct option_row *row = &option_rows[id];
    bool number = row->fallback[strspn(row->fallback, "0123456789.")] == '\0';

    gp_format(text, size, "%s%s%s", row->fallback, number && row->unit[0] ? " " : "",
              number ? row->unit : "");
    return text;
}

char *bench_option_range(enum option_id id, char *text, size_t size)
{
    const struct option_row *row = &option_rows[id];
    const char *p = row->choices;
    char low[32], high[32];

    text[0] = '\0';
    if (row->type == OPTION_FLAG)
        gp_copy(text, size, "on, off");
    else if (row->type == OPTION_BYTES)
        gp_format(text, size, "%s to %s", units_bytes(low, sizeof(low), row->low),
                  units_bytes(high, sizeof(high), row->high));
    else if (row->type >= OPTION_COUNTED && row->type != OPTION_PATH)
        gp_format(text, size, "%.16g to %.16g%s%s", row->low, row->high, row->unit[0] ? " " : "",
                  row->unit);
    else if (row->type != OPTION_WORD)
        gp_copy(text, size, row->argument ? row->argument : "");
    while (row->type == OPTION_WORD && p && *p) {
        size_t n = strcspn(p, "|");

        gp_append(text, size, ", ", "%.*s", (int)n, p);
        p += n + (p[n] == '|');
    }
    return text;
}
