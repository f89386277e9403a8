/* test_str.c - growing text, bounded text, near misses, columns. */
#include "base/quote.h"

#include <locale.h>

#include "unit.h"

static void test_strbuf_grows(void **state)
{
    struct strbuf buf;
    char long_text[1000];

    (void)state;
    memset(long_text, 'y', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    strbuf_init(&buf);
    assert_string_equal(buf.text, "");
    for (int i = 0; i < 100; i++)
        strbuf_addf(&buf, "%d,", i % 10);
    assert_int_equal(buf.len, 200);
    strbuf_clear(&buf);
    assert_string_equal(buf.text, "");
    strbuf_add(&buf, "ab");
    strbuf_addn(&buf, "cdef", 2);
    strbuf_addf(&buf, "[%s]", long_text);
    assert_int_equal(buf.len, 4 + 2 + 999);
    assert_int_equal(strlen(buf.text), buf.len);
    assert_memory_equal(buf.text, "abcd[yyy", 8);
    strbuf_fini(&buf);
    assert_string_equal(buf.text, "");
    strbuf_clear(&buf);
    strbuf_fini(&buf);
}

static void test_copy_cuts_between_characters(void **state)
{
    char small[6];

    (void)state;
    assert_true(gp_copy(small, sizeof small, "abcde"));
    assert_string_equal(small, "abcde");
    assert_false(gp_copy(small, sizeof small, "abcdef"));
    assert_string_equal(small, "abcde");
    assert_false(gp_copy(small, sizeof small, "abcd\xC3\xA9"));
    assert_string_equal(small, "abcd");
    assert_false(gp_copy(small, sizeof small, "abc\xE2\x82\xAC"));
    assert_string_equal(small, "abc");
    assert_false(gp_copy(small, 1, "a"));
    assert_string_equal(small, "");
    assert_false(gp_copy(small, 0, "a"));
}

static void test_format_reports_cut(void **state)
{
    char small[4];

    (void)state;
    assert_true(gp_format(small, sizeof small, "%d", 123));
    assert_false(gp_format(small, sizeof small, "%d", 1234));
    assert_string_equal(small, "123");
}

static void test_case(void **state)
{
    (void)state;
    assert_int_equal(gp_casecmp("H100-SXM", "h100-sxm"), 0);
    assert_true(gp_casecmp("a", "b") < 0);
    assert_true(gp_casecmp("ab", "a") > 0);
    assert_int_equal(gp_lower('Z'), 'z');
    assert_int_equal(gp_lower('['), '[');
}

static void test_width(void **state)
{
    (void)state;
    assert_int_equal(gp_width("abc"), 3);
    assert_int_equal(gp_width("\xFF\x01"), 2);
    assert_int_equal(gp_width("\xE2\x82"), 2); /* cut short: a column per byte */
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        skip();
    assert_int_equal(gp_width("caf\xC3\xA9"), 4);
    assert_int_equal(gp_width("\xE6\xBC\xA2"), 2); /* a wide character */
}

static void test_tame(void **state)
{
    static const struct {
        const char *text, *clean;
    } rows[] = {
        {"caf\xC3\xA9 \xE6\xBC\xA2", "caf\xC3\xA9 \xE6\xBC\xA2"}, /* stays */
        {"a\033[31mb\x7F", "a?[31mb?"},
        {"a\nb\tc\r", "a?b?c?"},
        {"a\xC2\x9B"
         "b\xC2\xA0",
         "a?b\xC2\xA0"}, /* C1; a blank that does not break */
        {"a\xE2\x80\xAE"
         "b\xE2\x81\xA6",
         "a?b?"}, /* turned */
        {"a\xE2\x80\xA8"
         "b",
         "a?b"}, /* ends a line */
        {"a\x9B\xFF"
         "b\xE2\x82",
         "a??b??"},                                            /* no UTF-8 */
        {"\xC0\xAF\xED\xA0\x80\xF4\x90\x80\x80", "?????????"}, /* nor this */
        {"\xF3\xA0\x81\x81", "?"},                             /* a tag: not seen */
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[32];

        gp_copy(text, sizeof text, rows[i].text);
        gp_sanitize(text);
        assert_string_equal(text, rows[i].clean);
        assert_true(gp_lines_are_clean(text, strlen(text)));
        assert_true(gp_is_utf8(text));
    }
}

static void test_tame_lines(void **state)
{
    char text[] = "a\nb\tc\r\033\0d\n";

    (void)state;
    assert_false(gp_lines_are_clean(text, sizeof text - 1));
    assert_int_equal(gp_sanitize_lines(text, sizeof text - 1), sizeof text - 1);
    assert_string_equal(text, "a\nb\tc???d\n");
    assert_true(gp_lines_are_clean(text, sizeof text - 1));
}

static void test_quotes(void **state)
{
    static const struct {
        enum quote how;
        const char *text, *quoted;
    } rows[] = {
        {QUOTE_SHELL, "a/b-c", "a/b-c"},
        {QUOTE_SHELL, "", "''"},
        {QUOTE_SHELL, "it's $(here)", "'it'\\''s $(here)'"},
        {QUOTE_SHELL, "two\n'\\", "$'two\\012\\'\\\\'"},
        {QUOTE_SHELL, "\342\200\256\377", "$'\\342\\200\\256\\377'"},
        {QUOTE_YAML, "a\"\\\n\t", "\"a\\\"\\\\\\n\\U00000009\""},
        {QUOTE_YAML, "\363\240\201\201", "\"\\U000E0041\""},
        {QUOTE_COMMENT, "a\nb\033", "a?b?"},
        {QUOTE_TAG, "0.33.0+cu130", "0.33.0-cu130"},
        {QUOTE_TAG, "-.a b;", "a-b"},
        {QUOTE_LABEL, "-Chat 8B!", "chat-8b"},
        {QUOTE_LABEL, "\342\200\256", ""},
    };
    struct strbuf out;
    (void)state;
    strbuf_init(&out);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        strbuf_clear(&out);
        quote_add(&out, rows[i].how, rows[i].text);
        assert_string_equal(out.text, rows[i].quoted);
    }
    strbuf_clear(&out);
    quote_file(&out, "a b", "x\nEND\nEND2");
    assert_string_equal(out.text, "cat >'a b' <<'END3'\nx\nEND\nEND2\nEND3\n");
    strbuf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strbuf_grows),
        cmocka_unit_test(test_copy_cuts_between_characters),
        cmocka_unit_test(test_format_reports_cut),
        cmocka_unit_test(test_case),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_tame),
        cmocka_unit_test(test_tame_lines),
        cmocka_unit_test(test_quotes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
