/*
 * settings.c - see settings.h.
 */
#include "tui/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/path.h"
#include "base/str.h"
#include "catalog/profile.h"
#include "tui/toolkit/theme.h"

/* In the order of their enums. */
static const struct profile_word themes[] = {
#define X(id, word) {word, SCHEME_##id},
    THEME_SCHEMES(X)
#undef X
        {NULL, 0},
};

static const struct profile_word charsets[] = {
    {"ascii", CHARSET_ASCII},
    {"block", CHARSET_BLOCK},
    {"braille", CHARSET_BRAILLE},
    {NULL, 0},
};

static const struct profile_word screens[] = {
#define X(id, word, ...) {#word, SCREEN_##id},
    SCREENS(X)
#undef X
        {NULL, 0},
};

/* ---- reading ---- */

/* An unknown key is worth a line, but what the file says else still holds. */
static void unknown_key(void *ctx, const char *line)
{
    struct gp_err *err = ctx;
    const char *what = strstr(line, ": unknown key"); /* after file:line: key */
    char where[192];

    if (err->code != GP_OK)
        return;
    gp_format(where, sizeof(where), "%.*s", what ? (int)(what - line) : 0, line);
    gp_fail(err, GP_E_FILE, where, "see FILES in gpuplan(1)", "%s", what ? what + 2 : line);
}

static void settings_get(struct profile_group top, bool by_hand, struct app_settings *s)
{
    int scheme = s->scheme, charset = s->charset, screen = s->screen;

    s->scheme_given |= profile_has(top, "theme");
    profile_word(top, "theme", &scheme, themes);
    s->charset_given |= profile_has(top, "charset");
    profile_word(top, "charset", &charset, charsets);
    profile_word(top, "screen", &screen, screens);
    profile_bool(top, "mouse", &s->mouse);
    if (by_hand)
        profile_bool(top, "plain", &s->plain);
    s->scheme = (enum scheme)scheme;
    s->charset = (enum charset)charset;
    s->screen = (enum screen_id)screen;
}

/* What one file says goes over *out; nothing of it when it holds an error. */
static void read_file(const char *path, bool by_hand, struct app_settings *out, struct gp_err *err)
{
    struct app_settings settings = *out;
    struct gp_err wrong = {.code = GP_OK}, unknown = {.code = GP_OK};
    struct profile *profile;

    if (!path_is_there(path))
        return;
    if (profile_open(path, NULL, &profile, &wrong) == GP_OK) {
        settings_get(profile_top(profile), by_hand, &settings);
        if (profile_finish(profile, unknown_key, &unknown, &wrong) == GP_OK)
            *out = settings;
        profile_free(profile);
    }
    if (err->code == GP_OK)
        *err = wrong.code != GP_OK ? wrong : unknown;
}

enum gp_status settings_read(struct app_settings *out, struct gp_err *err)
{
    char path[GP_PATH_MAX];

    *out = (struct app_settings){.mouse = true};
    *err = (struct gp_err){.code = GP_OK};
    if (path_state_home(path, sizeof(path), "state.cfg"))
        read_file(path, false, out, err);
    if (path_config_home(path, sizeof(path), "gpuplan.cfg"))
        read_file(path, true, out, err);
    return err->code;
}

/* ---- writing ---- */

enum gp_status settings_make_folders(const char *path, struct gp_err *err)
{
    char folder[GP_PATH_MAX];

    gp_copy(folder, sizeof(folder), path);
    for (char *p = strchr(folder + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        if (mkdir(folder, 0700) != 0 && errno != EEXIST)
            return gp_fail(err, GP_E_FILE, folder, "", "cannot make this folder: %s",
                           strerror(errno));
        *p = '/';
    }
    return GP_OK;
}

enum gp_status settings_write(const struct app_settings *settings, char *path, size_t size,
                              struct gp_err *err)
{
    struct strbuf out;

    if (!path_state_home(path, size, "state.cfg")) {
        gp_copy(path, size, "state.cfg");
        return gp_fail(err, GP_E_FILE, "state.cfg", "set HOME or XDG_STATE_HOME",
                       "no folder to keep settings in");
    }
    enum gp_status rc = settings_make_folders(path, err);
    if (rc != GP_OK)
        return rc;
    strbuf_init(&out);
    strbuf_add(&out, "# Written by gpuplan (save-settings). gpuplan.cfg overrides it.\n");
    if (settings->scheme_given)
        strbuf_addf(&out, "theme = \"%s\";\n", themes[settings->scheme].word);
    if (settings->charset_given)
        strbuf_addf(&out, "charset = \"%s\";\n", charsets[settings->charset].word);
    strbuf_addf(&out, "mouse = %s;\n", settings->mouse ? "true" : "false");
    strbuf_addf(&out, "screen = \"%s\";\n", screens[settings->screen].word);
    rc = path_write(path, out.text, out.len, err);
    strbuf_fini(&out);
    return rc;
}

/* ---- where results go ---- */

void settings_results(char *path, size_t size)
{
    if (!path_state_home(path, size, "bench"))
        gp_copy(path, size, ".");
}

void settings_make_results(void)
{
    char path[GP_PATH_MAX];

    if (path_state_home(path, sizeof(path), "bench/"))
        settings_make_folders(path, NULL);
}
