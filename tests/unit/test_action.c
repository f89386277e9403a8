/*
 * test_action.c - the table of actions: no key twice, everything reachable, bars and
 * help made from it; and the names of keys.
 */
#include "tui/action.h"

#include "tui/toolkit/key.h"
#include "unit.h"

/* A digit, an action and a help for each, and none for a screen that is not there. */
static void test_every_screen_is_whole(void **state)
{
    (void)state;
    for (int s = 0; s < SCREEN_COUNT; s++) {
        const struct action_row *row = &action_rows[ACT_SCREENS + s];
        char digit[8];
        struct strbuf help;

        gp_format(digit, sizeof(digit), "%d M-%d", s + 1, s + 1);
        strbuf_init(&help);
        action_help((enum screen_id)s, &help);
        assert_true(screen_names[s] && screen_names[s][0]);
        assert_memory_equal(help.text, screen_names[s], strlen(screen_names[s]));
        assert_int_equal(help.text[strlen(screen_names[s])], '\n');
        assert_null(strstr(help.text, "(null)"));
        assert_string_equal(row->keys, digit);
        assert_memory_equal(row->name, "screen-", 7);
        assert_int_equal(gp_casecmp(row->name + 7, screen_names[s]), 0);
        strbuf_fini(&help);
    }
    for (int i = 1; i < ACT_COUNT; i++)
        if (i < ACT_SCREENS || i >= ACT_SCREENS + SCREEN_COUNT)
            assert_false(strncmp(action_rows[i].name, "screen-", 7) == 0);
}

/* All keys of a row, at most 8. */
static int keys_of(const struct action_row *row, int keys[8])
{
    char names[64], *save = NULL;
    int n = 0;

    gp_copy(names, sizeof names, row->keys);
    for (char *name = strtok_r(names, " ", &save); name && n < 8;
         name = strtok_r(NULL, " ", &save)) {
        keys[n] = key_find(name);
        if (keys[n] == K_NONE)
            fail_msg("%s: no key is named '%s'", row->name, name);
        n++;
    }
    return n;
}

static bool share_key(const struct action_row *a, const struct action_row *b)
{
    int x[8], y[8], n = keys_of(a, x), m = keys_of(b, y);

    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            if (x[i] == y[k])
                return true;
    return false;
}

/* Not even one of a screen and one that holds everywhere: help would lie. */
static void test_no_key_twice(void **state)
{
    (void)state;
    for (int i = 1; i < ACT_COUNT; i++)
        for (int k = i + 1; k < ACT_COUNT; k++) {
            const struct action_row *a = &action_rows[i], *b = &action_rows[k];

            assert_string_not_equal(a->name, b->name);
            if ((a->screens & b->screens) && share_key(a, b))
                fail_msg("%s and %s share a key", a->name, b->name);
        }
}

static void test_found_by_key_and_name(void **state)
{
    (void)state;
    for (int i = 1; i < ACT_COUNT; i++) {
        const struct action_row *row = &action_rows[i];
        int keys[8], n = keys_of(row, keys);

        assert_int_equal(action_find(row->name), i);
        assert_true(row->help[0] != '\0');
        assert_true(row->rank == 0 || row->word[0]);
        for (int s = 0; s < SCREEN_COUNT; s++)
            for (int k = 0; k < n && row->screens & 1u << s; k++)
                assert_int_equal(action_of_key(keys[k], (enum screen_id)s), i);
    }
    assert_int_equal(action_find("nothing"), ACT_NONE);
    assert_int_equal(action_of_key('~', SCREEN_PLAN), ACT_NONE);
    assert_int_equal(action_of_key('a', SCREEN_BENCH), ACT_NONE);
}

static void test_bar_keeps_help_and_quit(void **state)
{
    (void)state;
    for (int cols = 40; cols <= 200; cols++)
        for (int s = 0; s < SCREEN_COUNT; s++) {
            struct strbuf left, right;

            strbuf_init(&left);
            strbuf_init(&right);
            action_bar((enum screen_id)s, cols, NULL, NULL, &left, &right);
            assert_string_equal(right.text, "?:help  q:quit");
            assert_true((int)(left.len + right.len) < cols);
            strbuf_fini(&left);
            strbuf_fini(&right);
        }
}

static void test_help_names_every_action(void **state)
{
    (void)state;
    for (int s = 0; s < SCREEN_COUNT; s++) {
        struct strbuf help;

        strbuf_init(&help);
        action_help((enum screen_id)s, &help);
        for (int i = 1; i < ACT_COUNT; i++)
            if (action_rows[i].screens & 1u << s)
                assert_non_null(strstr(help.text, action_rows[i].help));
        strbuf_fini(&help);
    }
}

static void test_key_names(void **state)
{
    static const char *const names[] = {"a",  "?",    "Enter", "Space", "Esc", "Tab", "S-Tab",
                                        "Up", "PgDn", "F1",    "F12",   "C-l", "é"};
    char text[16];

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_string_equal(key_text(key_find(names[i]), text, sizeof text), names[i]);
    assert_int_equal(key_find("F13"), K_NONE);
    assert_int_equal(key_find("ab"), K_NONE);
    assert_int_equal(key_find(""), K_NONE);
    assert_int_equal(key_find("C-z"), 26);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_screen_is_whole),
        cmocka_unit_test(test_no_key_twice),
        cmocka_unit_test(test_found_by_key_and_name),
        cmocka_unit_test(test_bar_keeps_help_and_quit),
        cmocka_unit_test(test_help_names_every_action),
        cmocka_unit_test(test_key_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
