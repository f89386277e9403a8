/* test_profile.c - what the profile reader accepts, and what it says when it does not.
 */
#include "catalog/profile.h"

#include "base/units.h"
#include "unit.h"

static struct profile *parsed(const char *text)
{
    struct profile *profile;
    struct gp_err err;

    memset(&err, 0, sizeof err);
    if (profile_parse("x.cfg", text, strlen(text), &profile, &err) != GP_OK)
        fail_msg("%s: %s", err.where, err.text);
    return profile;
}

/* A text that libconfig or the scan before it refuses. */
static void refused(const char *text, const char *where, const char *says)
{
    struct profile *profile;
    struct gp_err err;

    memset(&err, 0, sizeof err);
    assert_int_equal(profile_parse("x.cfg", text, strlen(text), &profile, &err), GP_E_FILE);
    assert_null(profile);
    assert_string_equal(err.where, where);
    if (strstr(err.text, says) == NULL)
        fail_msg("'%s' does not say '%s'", err.text, says);
}

static void finish_with(struct profile *profile, const char *where, const char *text,
                        const char *hint)
{
    struct gp_err err;

    memset(&err, 0, sizeof err);
    assert_int_equal(profile_finish(profile, NULL, NULL, &err), GP_E_FILE);
    assert_string_equal(err.where, where);
    assert_string_equal(err.text, text);
    assert_string_equal(err.hint, hint);
    profile_free(profile);
}

static void finish_well(struct profile *profile)
{
    struct gp_err err;

    memset(&err, 0, sizeof err);
    if (profile_finish(profile, NULL, NULL, &err) != GP_OK)
        fail_msg("%s: %s", err.where, err.text);
    profile_free(profile);
}

static void test_numbers(void **state)
{
    struct profile *p = parsed("a = 80; b = 79.65; c = 3000000000L; d = 1e3; e = -.5;\n");
    struct profile_group top = profile_top(p);
    double a = 0, b = 0, c = 0, d = 0, e = 0, absent = 7;
    const struct profile_field scaled = {"b", PROFILE_NUMBER, .high = 100, .unit = GP_GIB};

    (void)state;
    profile_number(top, "a", &a, 0, 100);
    profile_fields(top, &scaled, 1, &b);
    profile_number(top, "c", &c, 0, 1e12);
    profile_number(top, "d", &d, 0, 1e12);
    profile_number(top, "e", &e, -1, 1);
    profile_number(top, "absent", &absent, 0, 1);
    assert_near(a, 80, 0);
    assert_near(b, 79.65 * GP_GIB, 1);
    assert_near(c, 3e9, 0);
    assert_near(d, 1000, 0);
    assert_near(e, -0.5, 0);
    assert_near(absent, 7, 0); /* the earlier value stays */
    finish_well(p);
}

static void test_number_out_of_range(void **state)
{
    struct profile *p = parsed("a = 1;\n\nmemory_gib = 8000;\n");
    double value = 1;

    (void)state;
    profile_number(profile_top(p), "memory_gib", &value, 1, 4096);
    assert_near(value, 1, 0);
    finish_with(p, "x.cfg:3: memory_gib", "8000 is outside 1..4096", "");
}

static void test_infinite_number(void **state)
{
    struct profile *p = parsed("a = 1e999;\n");
    double value = 1;

    (void)state;
    profile_number(profile_top(p), "a", &value, 0, 1e300);
    assert_near(value, 1, 0);
    finish_with(p, "x.cfg:1: a", "is not a finite number", "");
}

static void test_number_of_wrong_kind(void **state)
{
    struct profile *p = parsed("a = \"80\";\n");
    double value = 1;

    (void)state;
    profile_number(profile_top(p), "a", &value, 0, 100);
    finish_with(p, "x.cfg:1: a", "is a string, expected a number", "");
}

static void test_counts(void **state)
{
    struct profile *p = parsed("a = 8; b = 8L; big = 8030261248L;\n");
    struct profile_group top = profile_top(p);
    double big = 0;
    int a = 0, b = 0;

    (void)state;
    profile_count(top, "a", &a, 1, 64);
    profile_count(top, "b", &b, 1, 64);
    profile_integer(top, "big", &big, 0, 1e15);
    assert_int_equal(a, 8);
    assert_int_equal(b, 8);
    assert_near(big, 8030261248.0, 0);
    finish_well(p);
}

static void test_count_wants_an_integer(void **state)
{
    struct profile *p = parsed("gpus = 8.0;\n");
    int value = 1;

    (void)state;
    profile_count(profile_top(p), "gpus", &value, 1, 64);
    assert_int_equal(value, 1);
    finish_with(p, "x.cfg:1: gpus", "is a float, expected a count",
                "write it without a decimal point");
}

static void test_count_beyond_int(void **state)
{
    struct profile *p = parsed("gpus = 4294967297L;\n");
    int value = 1;

    (void)state;
    profile_count(profile_top(p), "gpus", &value, 1, 64);
    assert_int_equal(value, 1);
    finish_with(p, "x.cfg:1: gpus", "4294967297 is outside 1..64", "");
}

/* libconfig 1.5 reads 4294967297 as 1 without a word. */
static void test_wrapped_integers(void **state)
{
    (void)state;
    refused("a = 1;\nb = 4294967297;\n", "x.cfg:2", "4294967297 does not fit in 32 bits");
    refused("a = 2147483648;\n", "x.cfg:1", "does not fit in 32 bits");
    refused("a = -2147483649;\n", "x.cfg:1", "does not fit in 32 bits");
    refused("a = 0xFFFFFFFF;\n", "x.cfg:1", "does not fit in 32 bits");
    refused("a = [1,\n 2,\n 9999999999];\n", "x.cfg:3", "does not fit in 32 bits");
    refused("a = 99999999999999999999L;\n", "x.cfg:1", "does not fit in 64 bits");
    refused("a = .;\n", "x.cfg:1", "is not a number");
    profile_free(parsed("a = 2147483647; b = -2147483648; c = 0x7FFFFFFF;\n"));
    profile_free(parsed("a = 9999999999.0; b = 9999999999e3; c = 0xFFFFFFFFL;\n"));
}

static void test_wrapped_integers_elsewhere(void **state)
{
    (void)state;
    profile_free(parsed("# 9999999999\n// 9999999999\n/* 9999999999\n */ a = 1;\n"));
    profile_free(parsed("a = \"9999999999\"; b = \"\\\" 9999999999\";\n"));
    profile_free(parsed("x9999999999 = 1; a-9999999999 = 2;\n"));
    /* Lines are still counted behind them. */
    refused("/* \n\n */ a = \"x\ny\";\nb = 9999999999;\n", "x.cfg:5", "32 bits");
}

static void test_texts_refused(void **state)
{
    struct profile *profile;
    struct gp_err err;
    char deep[64];

    (void)state;
    refused("@include \"/etc/passwd\"\n", "x.cfg:1", "is not supported");
    refused("a = ;\n", "x.cfg:1", "syntax error");
    refused("a = 1;\na = 2;\n", "x.cfg:2", "duplicate");
    memset(deep, '(', sizeof deep);
    memcpy(deep, "a = ", 4);
    assert_int_equal(profile_parse("x.cfg", deep, sizeof deep, &profile, &err), GP_E_FILE);
    assert_string_equal(err.text, "( is nested too deeply");
    assert_int_equal(profile_parse("x.cfg", "a = 1;\0", 7, &profile, &err), GP_E_FILE);
    assert_string_equal(err.text, "holds a NUL byte: not a text file");
}

/* A megabyte of settings in one group would keep libconfig busy for a minute. */
static void test_large_group(void **state)
{
    char text[16 * 1100 + 64] = "b = ( { x = 1; } );\n";
    size_t len = strlen(text);
    struct profile *profile;
    struct gp_err err;

    (void)state;
    for (int i = 0; i < 1100; i++)
        len += (size_t)snprintf(text + len, sizeof text - len, "a%d = 1;\n", i);
    assert_int_equal(profile_parse("x.cfg", text, len, &profile, &err), GP_E_FILE);
    assert_string_equal(err.where, "x.cfg:1025");
    assert_string_equal(err.text, "= exceeds 1024 settings in one group");
}

static void test_file_not_there(void **state)
{
    struct profile *profile;
    struct gp_err err;

    (void)state;
    assert_int_equal(profile_open("no/such/file.cfg", NULL, &profile, &err), GP_E_FILE);
    assert_null(profile);
    assert_string_equal(err.where, "no/such/file.cfg");
}

static void test_strings(void **state)
{
    struct profile *p = parsed("a = \"one \"\n \"two\"; l = [\"x\", \"y\"]; one = \"z\";\n");
    struct profile_group top = profile_top(p);
    char a[16] = "", list[16] = "", one[4] = "", absent[4] = "old";

    (void)state;
    profile_string(top, "a", a, sizeof a);
    profile_strings(top, "l", list, sizeof list);
    profile_strings(top, "one", one, sizeof one);
    profile_string(top, "absent", absent, sizeof absent);
    assert_string_equal(a, "one two");
    assert_string_equal(list, "x|y");
    assert_string_equal(one, "z");
    assert_string_equal(absent, "old");
    finish_well(p);
}

static void test_string_too_long(void **state)
{
    struct profile *p = parsed("a = \"12345\";\n");
    char value[5] = "old";

    (void)state;
    profile_string(profile_top(p), "a", value, sizeof value);
    assert_string_equal(value, "old");
    finish_with(p, "x.cfg:1: a", "is 5 bytes long, at most 4 fit", "shorten it");
}

static void test_string_with_control_character(void **state)
{
    struct profile *p = parsed("a = \"a\\x1b[2J\";\n");
    char value[16] = "old";

    (void)state;
    profile_string(profile_top(p), "a", value, sizeof value);
    finish_with(p, "x.cfg:1: a", "holds a control character (U+001B)", "");
}

static void test_list_too_long_together(void **state)
{
    struct profile *p = parsed("a = [\"12\",\n \"34\"];\n");
    char value[5] = "old";

    (void)state;
    profile_strings(profile_top(p), "a", value, sizeof value);
    assert_string_equal(value, "old");
    finish_with(p, "x.cfg:2: a", "is longer than 4 bytes in all", "");
}

static const struct profile_word colours[] = {{"red", 1}, {"green", 2}, {"blue", 5}, {NULL, 0}};

static void test_words(void **state)
{
    struct profile *p = parsed("a = \"Green\"; b = [\"red\", \"blue\"]; c = true;\n");
    struct profile_group top = profile_top(p);
    unsigned bits = 0;
    bool yes = false;
    int a = 0;

    (void)state;
    profile_word(top, "a", &a, colours);
    profile_bits(top, "b", &bits, colours);
    profile_bool(top, "c", &yes);
    assert_int_equal(a, 2);
    assert_int_equal(bits, 1u << 1 | 1u << 5);
    assert_true(yes);
    finish_well(p);
}

static void test_word_suggested(void **state)
{
    struct profile *p = parsed("a = \"grene\";\n");
    int value = 0;

    (void)state;
    profile_word(profile_top(p), "a", &value, colours);
    finish_with(p, "x.cfg:1: a", "unknown value \"grene\"", "did you mean \"green\"?");
}

static void test_words_listed(void **state)
{
    struct profile *p = parsed("a = [\"red\", \"xyzzy\"];\n");
    unsigned bits = 3;

    (void)state;
    profile_bits(profile_top(p), "a", &bits, colours);
    assert_int_equal(bits, 3);
    finish_with(p, "x.cfg:1: a", "unknown value \"xyzzy\"", "one of red, green, blue");
}

static void test_bool_of_wrong_kind(void **state)
{
    struct profile *p = parsed("a = 1;\n");
    bool value = false;

    (void)state;
    profile_bool(profile_top(p), "a", &value);
    finish_with(p, "x.cfg:1: a", "is an integer, expected true or false", "");
}

static void test_quantities(void **state)
{
    struct profile *p = parsed("a = 2; b = (1.04, 0.51, 1.85);\n");
    struct quantity a = quantity_unknown(), b = a, absent = a;

    (void)state;
    profile_quantity(profile_top(p), "a", &a, 1e9, 0, 10, ORIGIN_SHEET);
    profile_quantity(profile_top(p), "b", &b, 1, 0, 10, ORIGIN_MODEL);
    profile_quantity(profile_top(p), "absent", &absent, 1, 0, 10, ORIGIN_MODEL);
    assert_true(a.known && b.known && !absent.known);
    assert_near(a.value, 2e9, 0);
    assert_near(a.high, 2e9, 0);
    assert_int_equal(a.origin, ORIGIN_SHEET);
    assert_near(b.low, 0.51, 0);
    assert_near(b.high, 1.85, 0);
    finish_well(p);
}

static void test_quantity_outside_its_band(void **state)
{
    struct profile *p = parsed("a = (1.0, 2.0, 3.0);\n");
    struct quantity value = quantity_unknown();

    (void)state;
    profile_quantity(profile_top(p), "a", &value, 1, 0, 10, ORIGIN_MODEL);
    assert_false(value.known);
    finish_with(p, "x.cfg:1: a", "1 is outside its band 2..3", "write (value, low, high)");
}

static void test_quantity_of_two_parts(void **state)
{
    struct profile *p = parsed("a = (1.0, 2.0);\n");
    struct quantity value = quantity_unknown();

    (void)state;
    profile_quantity(profile_top(p), "a", &value, 1, 0, 10, ORIGIN_MODEL);
    assert_false(value.known);
    finish_with(p, "x.cfg:1: a", "has 2 parts", "write a number or (value, low, high)");
}

static void test_groups_and_lists(void **state)
{
    struct profile *p = parsed("g = { a = 1; };\n"
                               "l = ( { a = 2; },\n { a = 300; } ); n = [4, 5];\n");
    struct profile_group top = profile_top(p), none;
    int a = 0, n = 0;
    double x = 0;

    (void)state;
    profile_count(profile_sub(top, "g"), "a", &a, 0, 9);
    assert_int_equal(a, 1);
    none = profile_sub(top, "none");
    assert_false(profile_here(none));
    profile_count(none, "a", &a, 0, 9); /* says nothing, changes nothing */
    assert_int_equal(a, 1);
    assert_int_equal(profile_length(top, "n", 8), 2);
    profile_count_at(top, "n", 1, &n, 0, 9);
    profile_number_at(top, "n", 0, &x, 0, 9);
    assert_int_equal(n, 5);
    assert_near(x, 4, 0);
    profile_number_at(top, "n", 2, &x, 0, 9); /* past the end: nothing */
    assert_near(x, 4, 0);
    assert_int_equal(profile_length(top, "l", 8), 2);
    profile_count(profile_item(top, "l", 0), "a", &a, 0, 9);
    assert_int_equal(a, 2);
    profile_count(profile_item(top, "l", 1), "a", &a, 0, 9);
    assert_true(profile_failed(p));
    finish_with(p, "x.cfg:3: l[1].a", "300 is outside 0..9", "");
}

static void test_item_is_no_group(void **state)
{
    struct profile *p = parsed("l = ( { a = 2; },\n 3 );\n");

    (void)state;
    assert_int_equal(profile_length(profile_top(p), "l", 8), 2);
    assert_false(profile_here(profile_item(profile_top(p), "l", 1)));
    finish_with(p, "x.cfg:2: l", "is an integer, expected a group { ... }", "");
}

static void test_list_with_too_many_items(void **state)
{
    struct profile *p = parsed("l = [1, 2, 3];\n");

    (void)state;
    assert_int_equal(profile_length(profile_top(p), "l", 2), 0);
    finish_with(p, "x.cfg:1: l", "has 3 items, at most 2 are read", "");
}

static void test_missing_key(void **state)
{
    struct profile *p = parsed("g = {\n a = 1; };\n");

    (void)state;
    profile_require(profile_sub(profile_top(p), "g"), "b");
    finish_with(p, "x.cfg:1: g.b", "is missing", "");
}

static void test_own_error(void **state)
{
    struct profile *p = parsed("a = 1;\nb = 2;\n");

    (void)state;
    profile_fail(profile_top(p), "b", "try 3", "%d is even", 2);
    profile_fail(profile_top(p), "a", "", "the first error stays");
    finish_with(p, "x.cfg:2: b", "2 is even", "try 3");
}

struct lines {
    char text[4][160];
    int count;
};

static void collect(void *ctx, const char *line)
{
    struct lines *lines = ctx;

    assert_true(lines->count < 4);
    snprintf(lines->text[lines->count++], sizeof lines->text[0], "%s", line);
}

static void test_unknown_keys(void **state)
{
    struct profile *p = parsed("memory_gib = 1;\nbandwith_gb_s = 2;\n"
                               "g = {\n qqqq = 3; };\nl = ( { nam = \"x\"; } );\n");
    struct profile_group top = profile_top(p), item;
    struct lines lines = {.count = 0};
    struct gp_err err;
    double value = 0;
    char name[8] = "";

    (void)state;
    profile_number(top, "memory_gib", &value, 0, 9);
    profile_number(top, "bandwidth_gb_s", &value, 0, 9);
    profile_number(profile_sub(top, "g"), "memory_gib", &value, 0, 9);
    assert_int_equal(profile_length(top, "l", 4), 1);
    item = profile_item(top, "l", 0);
    profile_string(item, "name", name, sizeof name);
    assert_int_equal(profile_finish(p, collect, &lines, &err), GP_OK);
    assert_int_equal(lines.count, 3);
    assert_string_equal(lines.text[0], "x.cfg:2: bandwith_gb_s: unknown key, "
                                       "did you mean bandwidth_gb_s?");
    assert_string_equal(lines.text[1], "x.cfg:4: g.qqqq: unknown key");
    assert_string_equal(lines.text[2], "x.cfg:5: l[0].nam: unknown key, did you mean name?");
    profile_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_number_out_of_range),
        cmocka_unit_test(test_infinite_number),
        cmocka_unit_test(test_number_of_wrong_kind),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_count_wants_an_integer),
        cmocka_unit_test(test_count_beyond_int),
        cmocka_unit_test(test_wrapped_integers),
        cmocka_unit_test(test_wrapped_integers_elsewhere),
        cmocka_unit_test(test_texts_refused),
        cmocka_unit_test(test_large_group),
        cmocka_unit_test(test_file_not_there),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_string_too_long),
        cmocka_unit_test(test_string_with_control_character),
        cmocka_unit_test(test_list_too_long_together),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_word_suggested),
        cmocka_unit_test(test_words_listed),
        cmocka_unit_test(test_bool_of_wrong_kind),
        cmocka_unit_test(test_quantities),
        cmocka_unit_test(test_quantity_outside_its_band),
        cmocka_unit_test(test_quantity_of_two_parts),
        cmocka_unit_test(test_groups_and_lists),
        cmocka_unit_test(test_item_is_no_group),
        cmocka_unit_test(test_list_with_too_many_items),
        cmocka_unit_test(test_missing_key),
        cmocka_unit_test(test_own_error),
        cmocka_unit_test(test_unknown_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
