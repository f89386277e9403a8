/*
 * command.c - the `:` line: actions by their names, options as --plan takes them,
 * files.
 *
 *   solve                            an action (action.h)
 *   users 16                         an option; several are one step of undo
 *   set context 32k                  the same, said longer
 *   rel-ci 2 force                   options of --bench, on its screen
 *   --gpu h100:2 -p fp8              as on the command line
 *   gpuplan --plan -m 70B -g l40s    a whole command, as `c` shows it
 *   compare                          a screen
 *   plan -m 70B -g l40s              a screen and a whole request, the rest its default
 *   save FILE   load FILE   export FILE   dump FILE   inks FILE
 *
 * Nothing is parsed twice: options go to the form as they are, and from there to the
 * option table of the command line.
 */
#include "tui/loop.h"

#include <stdlib.h>
#include <string.h>

#include "answer/option.h"
#include "base/path.h"
#include "tui/toolkit/edit.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/words.h"

#define WORD_MAX 256
#define MANY 200 /* completions, at most */

/* ---- files ---- */

static char inks; /* what `inks` hands to dump_to() */

static bool dump_to(struct app *app, void *ctx, const char *path, struct gp_err *err)
{
    struct canvas canvas;
    struct strbuf out;
    char target[GP_PATH_MAX];

    if (!app->scripted && strcmp(path, "-") == 0)
        return gp_fail(err, GP_E_USAGE, "dump", "name a file", "standard output is this screen") ==
               GP_OK;
    if (!app->scripted) {
        if (app_target(path, target, sizeof(target), err))
            return false;
        path = target;
    }
    strbuf_init(&out);
    canvas_init(&canvas, app->settings.charset);
    app_draw(app, &canvas);
    (ctx == &inks ? canvas_dump_inks : canvas_dump)(&canvas, &out);
    enum gp_status rc = path_write(path, out.text, out.len, err);
    canvas_fini(&canvas);
    strbuf_fini(&out);
    return rc == GP_OK;
}

static const struct verb {
    const char *name;
    bool (*run)(struct app *, void *ctx, const char *path, struct gp_err *);
    void *ctx;
} verbs[] = {
    {"dump", dump_to, NULL}, {"inks", dump_to, &inks},     {"save", app_save, NULL},
    {"w", app_save, NULL},   {"export", app_export, NULL}, {"load", app_load, NULL},
    {"o", app_load, NULL},
};
#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static const struct verb *find_verb(const char *name)
{
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

/* ---- words ---- */

/* Short ways to say what people's fingers know. */
static enum action find_action(const char *name)
{
    if (strcmp(name, "q") == 0)
        return ACT_QUIT;
    if (strcmp(name, "q!") == 0)
        return ACT_QUIT_NOW;
    return action_find(name);
}

/* "compare", "--compare" */
static int find_screen(const char *name)
{
    name += strspn(name, "-");
    for (int i = 0; i < SCREEN_COUNT; i++)
        if (gp_casecmp(screen_names[i], name) == 0)
            return i;
    return -1;
}

/* The field whose option a word names ("--users", "users=16", "-u"); -1: none. */
static int find_option(const char *word)
{
    int id = option_find_word(word);

    return id >= 0 && field_of(id) != FIELD_COUNT ? (int)field_of(id) : -1;
}

/* The option that a screen has of its own, beside the plan's; -1: none. */
static int find_of(const struct app *app, enum screen_id screen, const char *word)
{
    bool (*takes)(enum option_id) = app->screens[screen]->takes;
    int id = option_find_word(word);

    return id >= 0 && takes && takes((enum option_id)id) ? id : -1;
}

static int find_own(const struct app *app, const char *word)
{
    return find_of(app, app->screen, word);
}

/* The field that stands in the form under this name ("gpus", "kv cache"); -1: none. */
static int find_label(const char *name)
{
    for (int f = 0; f < FIELD_COUNT; f++)
        if (gp_casecmp(field_rows[f].form->label, name) == 0)
            return f;
    return -1;
}

/* Is it an option of the plan, or of the screen that is shown? */
static bool is_taken(const struct app *app, int id)
{
    return find_own(app, option_rows[id].name) >= 0 ||
           (id != OPT_OUT && field_of(id) != FIELD_COUNT);
}

static bool unknown_word(const struct app *app, const char *word, struct gp_err *err)
{
    const char *names[ACT_COUNT + VERBS + OPTION_COUNT];
    char hint[256];
    size_t n = 0;

    for (int i = 0; i < SCREEN_COUNT; i++)
        if (find_of(app, (enum screen_id)i, word) >= 0)
            return gp_fail(err, GP_E_USAGE, word, "", "is for the screen %s", screen_names[i]) ==
                   GP_OK;
    if (option_find_word(word) >= 0)
        return gp_fail(err, GP_E_USAGE, word, "give it to gpuplan in the shell",
                       "has no field on the screens") == GP_OK;
    for (int i = 1; i < ACT_COUNT; i++)
        names[n++] = action_rows[i].name;
    for (size_t i = 0; i < VERBS; i++)
        if (verbs[i].name[1])
            names[n++] = verbs[i].name;
    for (int i = 0; i < OPTION_COUNT; i++)
        if (is_taken(app, i))
            names[n++] = option_rows[i].name;
    if (!spelling_option(word, "", names, n, hint, sizeof(hint)))
        gp_copy(hint, sizeof(hint), "? lists actions, Tab completes");
    gp_fail(err, GP_E_USAGE, "", hint, "unknown action or option '%.60s'", word);
    return false;
}

/* Of the screen's own, or of the plan. */
static bool set_options(struct app *app, bool own, const char *options, struct gp_err *err)
{
    if (own ? app->screens[app->screen]->options(app, app_state(app, app->screen), options, err)
            : form_options(app->form, options, err))
        return false;
    app_report(app, false, "set: %s", options);
    return true;
}

/* ":solve context": that of a field which is not in focus. */
static bool solve_field(struct app *app, const char *name, struct gp_err *err)
{
    int field = find_label(name);

    if (field < 0)
        field = find_option(name);
    if (field < 0)
        return gp_fail(err, GP_E_USAGE, "solve", "as in: solve context", "unknown field '%.60s'",
                       name) == GP_OK;
    return form_solve(app->form, (enum field)field, err) == GP_OK;
}

/* The options of a line, those of the screen's own and those of the request apart. */
static void part_options(const struct app *app, int screen, const char *line, struct strbuf *own,
                         struct strbuf *request)
{
    struct strbuf *to = NULL;
    char word[WORD_MAX];

    for (line += strspn(line, " "); *line;) {
        const char *from = line;

        words_next(&line, word, sizeof(word));
        if (!to || word[0] == '-')
            to = find_of(app, (enum screen_id)screen, word) >= 0 ? own : request;
        strbuf_addn(to, from, (size_t)(line - from));
        if (!*line)
            strbuf_add(to, " ");
    }
}

/* "gpuplan --bench -m 70B --rel-ci 2": a screen and what the command of its name takes;
 * all of it or nothing. */
static bool run_screen(struct app *app, int screen, const char *options, struct gp_err *err)
{
    int undo = app->form->undo_at;
    struct strbuf own, request;
    char key[16];

    strbuf_init(&own);
    strbuf_init(&request);
    if (app->screens[screen]->complete)
        strbuf_add(&own, options);
    else
        part_options(app, screen, options, &own, &request);
    bool ok = !request.len || form_request(app->form, request.text, err) == GP_OK;
    if (ok && own.len &&
        app->screens[screen]->options(app, app_state(app, (enum screen_id)screen), own.text, err)) {
        ok = false;
        if (app->form->undo_at != undo)
            form_undo(app->form);
    }
    if (ok) {
        if (app->form->planning)
            app->held = key_find(action_key(ACT_SCREENS + screen, key, sizeof(key)));
        else
            app_show(app, (enum screen_id)screen);
        app_report(app, false, "set: %s%s", options,
                   request.len ? "; other options are reset, u undoes it" : "");
    }
    strbuf_fini(&own);
    strbuf_fini(&request);
    return ok;
}

/* One word that stands alone. */
static bool run_word(struct app *app, const char *word, struct gp_err *err)
{
    enum action action = find_action(word);
    int screen = find_screen(word);

    if (action && !(action_rows[action].screens & 1u << app->screen))
        return gp_fail(err, GP_E_USAGE, action_rows[action].name, "", "is not for the screen %s",
                       screen_names[app->screen]) == GP_OK;
    if (action)
        app_act(app, action);
    else if (screen >= 0)
        app_show(app, (enum screen_id)screen);
    else if (find_verb(word))
        return gp_fail(err, GP_E_USAGE, word, "", "needs a file's name") == GP_OK;
    else if (find_option(word) >= 0)
        return gp_fail(err, GP_E_USAGE, word, "as in: users 16", "needs a value") == GP_OK;
    else
        return unknown_word(app, word, err);
    return true;
}

bool app_command(struct app *app, const char *line, struct gp_err *err)
{
    char word[WORD_MAX];
    const char *all, *rest = line + strspn(line, ": ");
    bool whole = strncmp(rest, "gpuplan", 7) == 0 && (!rest[7] || rest[7] == ' ');

    all = rest += whole ? 7 + strspn(rest + 7, " ") : 0;
    if (!words_next(&rest, word, sizeof(word)))
        return true;
    if (find_screen(word) >= 0 && rest[0])
        return run_screen(app, find_screen(word), rest, err);
    if (whole && find_screen(word) < 0)
        return run_screen(app, SCREEN_PLAN, all, err);
    if (strcmp(word, "set") == 0) {
        all = rest;
        if (!words_next(&rest, word, sizeof(word)))
            return gp_fail(err, GP_E_USAGE, "set", "as in: set users 16",
                           "needs an option and its value") == GP_OK;
    }
    if (find_own(app, word) >= 0)
        return set_options(app, true, all, err);
    if (find_verb(word) && rest[0])
        return find_verb(word)->run(app, find_verb(word)->ctx, rest, err);
    if (find_option(word) >= 0 && (rest[0] || strchr(word, '=')))
        return set_options(app, false, all, err);
    if (find_label(word) >= 0 && rest[0]) {
        if (form_set(app->form, (enum field)find_label(word), rest, err))
            return false;
        app_report(app, false, "set: %s %s", field_rows[find_label(word)].form->label, rest);
        return true;
    }
    if (find_action(word) == ACT_SOLVE && rest[0])
        return solve_field(app, rest, err);
    if (find_action(word) && rest[0])
        return gp_fail(err, GP_E_USAGE, word, "", "takes nothing after it") == GP_OK;
    if (rest[0])
        return unknown_word(app, word, err);
    return run_word(app, word, err);
}

/* ---- completion ---- */

struct completion {
    struct strbuf *out;
    const char *begin; /* what the words begin with */
    int count;
};

static void offer_word(struct completion *c, const char *word)
{
    if (c->count >= MANY || strncmp(word, c->begin, strlen(c->begin)) != 0 || strchr(word, ' '))
        return;
    strbuf_addf(c->out, "%s%s", c->count++ ? " " : "", word);
}

static void offer_options(const struct app *app, struct completion *c)
{
    char word[80];

    for (int i = 0; i < OPTION_COUNT; i++) {
        gp_format(word, sizeof(word), "%s%s", c->begin[0] == '-' ? "--" : "", option_rows[i].name);
        if (is_taken(app, i))
            offer_word(c, word);
    }
}

static void offer_first(const struct app *app, struct completion *c)
{
    char name[16];

    for (int i = 1; i < ACT_COUNT; i++)
        if (action_rows[i].screens & 1u << app->screen)
            offer_word(c, action_rows[i].name);
    for (int i = 0; i < SCREEN_COUNT; i++) {
        gp_copy(name, sizeof(name), screen_names[i]);
        name[0] = gp_lower(name[0]);
        offer_word(c, name);
    }
    for (size_t i = 0; i < VERBS; i++)
        if (verbs[i].name[1] && !action_find(verbs[i].name))
            offer_word(c, verbs[i].name);
    offer_word(c, "set");
    offer_options(app, c);
}

/* What the chooser of its field shows; of an option that has none, what it takes. */
static void offer_values(const struct app *app, enum option_id id, struct completion *c)
{
    const struct option_row *row = &option_rows[id];
    char word[WORD_MAX];
    int count = 0;

    for (const char *p = row->choices; p && *p; p += *p == '|') {
        size_t n = strcspn(p, "|");

        gp_format(word, sizeof(word), "%.*s", (int)n, p);
        offer_word(c, word);
        p += n;
    }
    if (row->type >= OPTION_COUNTED && strcmp(row->fallback, "auto") == 0)
        offer_word(c, "auto");
    struct choice *choices = form_choices(app->form, field_of(id), false, &count);
    for (int i = 0; i < count && !row->choices; i++)
        if (choices[i].id[0])
            offer_word(c, choices[i].id);
    free(choices);
}

void app_complete(struct app *app, const char *line, struct strbuf *out)
{
    char first[WORD_MAX] = "", before[WORD_MAX] = "", word[WORD_MAX];
    const char *rest = line + strspn(line, ": "), *last = strrchr(line, ' ');
    struct completion c = {.out = out, .begin = last ? last + 1 : rest};
    int words = 0;

    while (words_next(&rest, word, sizeof(word)) && (rest[0] || c.begin[0] == '\0')) {
        gp_copy(before, sizeof(before), word);
        if (words++ == 0)
            gp_copy(first, sizeof(first), word);
        if (!rest[0])
            break;
    }
    if (words == 0)
        offer_first(app, &c);
    else if (find_verb(first))
        edit_paths(c.begin, out);
    else if (find_screen(first) >= 0 && app->screens[find_screen(first)]->complete)
        app->screens[find_screen(first)]->complete(app, c.begin, out);
    else if (find_option(before) >= 0 && !strchr(before, '='))
        offer_values(app, field_rows[find_option(before)].option, &c);
    else if (find_own(app, before) >= 0 && option_rows[find_own(app, before)].choices)
        offer_values(app, (enum option_id)find_own(app, before), &c);
    else if (find_option(first) >= 0 || find_own(app, first) >= 0 || find_screen(first) >= 0 ||
             strcmp(first, "set") == 0)
        offer_options(app, &c);
}
