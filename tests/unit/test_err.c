/* test_err.c - errors: filled, cut, wrapped, and mapped to the promised exit codes. */
#include "base/err.h"

#include "unit.h"

static void test_fills_and_returns(void **state)
{
    struct gp_err err;

    (void)state;
    assert_int_equal(
        gp_fail(&err, GP_E_FILE, "a.cfg:3: bits", "use 1..64", "%d is outside 1..64", 80),
        GP_E_FILE);
    assert_int_equal(err.code, GP_E_FILE);
    assert_string_equal(err.where, "a.cfg:3: bits");
    assert_string_equal(err.text, "80 is outside 1..64");
    assert_string_equal(err.hint, "use 1..64");
}

static void test_takes_nulls(void **state)
{
    struct gp_err err;

    (void)state;
    assert_int_equal(gp_fail(NULL, GP_E_USAGE, "x", "y", "z"), GP_E_USAGE);
    gp_fail(&err, GP_E_USAGE, NULL, NULL, "no command");
    assert_string_equal(err.where, "");
    assert_string_equal(err.hint, "");
}

static void test_cuts_long_texts(void **state)
{
    struct gp_err err;
    char text[5000];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    gp_fail(&err, GP_E_FILE, text, text, "%s", text);
    assert_int_equal(strlen(err.where), sizeof err.where - 1);
    assert_int_equal(strlen(err.text), sizeof err.text - 1);
    assert_int_equal(strlen(err.hint), sizeof err.hint - 1);
}

static void test_wraps_itself(void **state)
{
    struct gp_err err;

    (void)state;
    gp_fail(&err, GP_E_FILE, "a.cfg", "look again", "no such field");
    gp_fail(&err, GP_E_USAGE, err.where, err.hint, "--gpu: %s", err.text);
    assert_string_equal(err.where, "a.cfg");
    assert_string_equal(err.text, "--gpu: no such field");
    assert_string_equal(err.hint, "look again");
}

static void test_exit_codes(void **state)
{
    (void)state;
    assert_int_equal(gp_status_exit(GP_OK), 0);
    assert_int_equal(gp_status_exit(GP_E_USAGE), 2);
    assert_int_equal(gp_status_exit(GP_E_FILE), 3);
    assert_int_equal(gp_status_exit(GP_E_DEVICE), 4);
    assert_int_equal(gp_status_exit(GP_E_CHECK), 5);
    assert_int_equal(gp_status_exit(GP_E_NOTHING), 6);
    assert_int_equal(gp_status_exit(GP_E_INTERNAL), 70);
    assert_int_equal(gp_status_exit((enum gp_status)99), 70);
    assert_string_equal(gp_status_word(GP_E_FILE), "file");
    assert_string_equal(gp_status_word((enum gp_status)99), "internal");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fills_and_returns), cmocka_unit_test(test_takes_nulls),
        cmocka_unit_test(test_cuts_long_texts),   cmocka_unit_test(test_wraps_itself),
        cmocka_unit_test(test_exit_codes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
