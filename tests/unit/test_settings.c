/*
 * test_settings.c - what is remembered, what is set by hand, and which of them counts.
 */
#include "tui/settings.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "unit.h"

static char home[64];
static struct app_settings got;
static struct gp_err err;

static void put(const char *folder, const char *name, const char *text)
{
    char path[200];

    snprintf(path, sizeof path, "%s/%s", home, folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/gpuplan", home, folder);
    mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/gpuplan/%s", home, folder, name);
    assert_int_equal(path_write(path, text, strlen(text), NULL), GP_OK);
}

static int start(void **state)
{
    char path[100];

    (void)state;
    strcpy(home, "/tmp/gpuplan-settings.XXXXXX");
    assert_non_null(mkdtemp(home));
    snprintf(path, sizeof path, "%s/config", home);
    setenv("XDG_CONFIG_HOME", path, 1);
    snprintf(path, sizeof path, "%s/state", home);
    setenv("XDG_STATE_HOME", path, 1);
    return 0;
}

static int stop(void **state)
{
    static const char *const names[] = {"config/gpuplan/gpuplan.cfg",
                                        "state/gpuplan/state.cfg",
                                        "config/gpuplan",
                                        "state/gpuplan",
                                        "config",
                                        "state",
                                        ""};
    char path[200];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", home, names[i]);
        remove(path);
    }
    assert_false(path_is_there(home));
    return 0;
}

static void without_files_the_defaults_hold(void **state)
{
    (void)state;
    assert_int_equal(settings_read(&got, &err), GP_OK);
    assert_true(got.mouse);
    assert_false(got.scheme_given || got.charset_given || got.plain);
    assert_int_equal(got.screen, SCREEN_PLAN);
}

static void what_is_written_is_read_again(void **state)
{
    struct app_settings settings = {.scheme = SCHEME_LIGHT,
                                    .scheme_given = true,
                                    .charset = CHARSET_BRAILLE,
                                    .screen = SCREEN_BENCH};
    char path[200], *text;
    size_t len;

    (void)state;
    assert_int_equal(settings_write(&settings, path, sizeof path, &err), GP_OK);
    assert_non_null(strstr(path, "/state/gpuplan/state.cfg"));
    assert_int_equal(path_read(path, 1000, &text, &len, &err), GP_OK);
    assert_null(strstr(text, "charset")); /* the terminal's, not the user's */
    free(text);
    assert_int_equal(settings_read(&got, &err), GP_OK);
    assert_true(got.scheme_given);
    assert_false(got.charset_given);
    assert_false(got.mouse);
    assert_int_equal(got.scheme, SCHEME_LIGHT);
    assert_int_equal(got.screen, SCREEN_BENCH);
}

static void what_is_set_by_hand_counts_more(void **state)
{
    (void)state;
    put("state", "state.cfg", "theme = \"dark\";\nmouse = false;\nscreen = \"bench\";\n");
    put("config", "gpuplan.cfg", "theme = \"mono\";\nplain = true;\nmouse = true;\n");
    assert_int_equal(settings_read(&got, &err), GP_OK);
    assert_int_equal(got.scheme, SCHEME_MONO);
    assert_int_equal(got.screen, SCREEN_BENCH);
    assert_true(got.mouse);
    assert_true(got.plain);
}

static void a_bad_value_names_its_line(void **state)
{
    (void)state;
    put("state", "state.cfg", "mouse = false;\n");
    put("config", "gpuplan.cfg", "mouse = true;\ntheme = \"drak\";\n");
    assert_int_equal(settings_read(&got, &err), GP_E_FILE);
    assert_non_null(strstr(err.where, "gpuplan.cfg:2: theme"));
    assert_non_null(strstr(err.hint, "dark"));
    assert_false(got.mouse); /* the other file still holds */
    assert_false(got.scheme_given);
}

static void an_unknown_key_is_told_but_the_rest_holds(void **state)
{
    (void)state;
    put("config", "gpuplan.cfg", "colour = \"red\";\nplain = true;\n");
    assert_int_equal(settings_read(&got, &err), GP_E_FILE);
    assert_non_null(strstr(err.where, "gpuplan.cfg:1: colour"));
    assert_non_null(strstr(err.text, "unknown key"));
    assert_true(got.plain);
}

static void state_cannot_turn_plain_on(void **state)
{
    (void)state;
    put("state", "state.cfg", "plain = true;\n");
    assert_int_equal(settings_read(&got, &err), GP_E_FILE);
    assert_false(got.plain);
}

static void broken_texts_are_errors_only(void **state)
{
    static const char *const texts[] = {"theme = ",   "\x01\x02",         "{{{{",
                                        "mouse = 3;", "@include \"x\"\n", "screen = (1);"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        put("config", "gpuplan.cfg", texts[i]);
        assert_int_equal(settings_read(&got, &err), GP_E_FILE);
        assert_true(got.mouse);
        assert_non_null(strstr(err.where, "gpuplan.cfg"));
    }
}

static void a_folder_that_cannot_be_made_is_told(void **state)
{
    struct app_settings settings = {.mouse = true};
    char path[200];

    (void)state;
    setenv("XDG_STATE_HOME", "/dev/null/state", 1);
    assert_int_equal(settings_write(&settings, path, sizeof path, &err), GP_E_FILE);
    assert_non_null(strstr(err.where, "/dev/null"));
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        T(without_files_the_defaults_hold),
        T(what_is_written_is_read_again),
        T(what_is_set_by_hand_counts_more),
        T(a_bad_value_names_its_line),
        T(an_unknown_key_is_told_but_the_rest_holds),
        T(state_cannot_turn_plain_on),
        T(broken_texts_are_errors_only),
        T(a_folder_that_cannot_be_made_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
