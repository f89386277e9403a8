/* test_table.c - the same cells as text, CSV and Markdown, hostile ones disarmed. */
#include "base/table.h"

#include "unit.h"

static const struct table_column columns[] = {{"GPU", TABLE_LEFT}, {"GiB", TABLE_RIGHT}};

typedef void printer(const struct table *table, struct strbuf *out);

static void expect(const struct table *table, printer *print, const char *want)
{
    struct strbuf out;

    strbuf_init(&out);
    print(table, &out);
    assert_string_equal(out.text, want);
    strbuf_fini(&out);
}

static void test_three_notations(void **state)
{
    struct table table;

    (void)state;
    table_init(&table, columns, 2);
    expect(&table, table_text, "GPU  GiB\n");
    table_cell(&table, "h100-sxm");
    table_cellf(&table, "%.2f", 79.65);
    table_cell(&table, "b200");
    table_cellf(&table, "%.2f", 178.36);
    expect(&table, table_text,
           "GPU          GiB\n"
           "h100-sxm   79.65\n"
           "b200      178.36\n");
    expect(&table, table_csv, "GPU,GiB\nh100-sxm,79.65\nb200,178.36\n");
    expect(&table, table_markdown,
           "| GPU | GiB |\n| --- | ---: |\n| h100-sxm | 79.65 |\n| b200 | 178.36 |\n");
    table_fini(&table);
}

static void test_incomplete_row(void **state)
{
    struct table table;

    (void)state;
    table_init(&table, columns, 2);
    table_cell(&table, "l4");
    expect(&table, table_text, "GPU  GiB\nl4\n");
    expect(&table, table_csv, "GPU,GiB\nl4,\n");
    table_fini(&table);
}

static void test_hostile_cells(void **state)
{
    struct table table;

    (void)state;
    table_init(&table, columns, 2);
    table_cell(&table, "a\033[31m|b");
    table_cell(&table, "=1+1");
    expect(&table, table_text, "GPU        GiB\na?[31m|b  =1+1\n");
    expect(&table, table_csv, "GPU,GiB\na?[31m|b,'=1+1\n");
    expect(&table, table_markdown, "| GPU | GiB |\n| --- | ---: |\n| a?\\[31m\\|b | =1+1 |\n");
    table_fini(&table);
}

static void test_markdown_text(void **state)
{
    static const char *const cases[][2] = {
        {"plain_name*2 >= 3", "plain_name*2 >= 3"},
        {"<script>x</script>", "&lt;script>x&lt;/script>"},
        {"a&lt;b", "a&amp;lt;b"},
        {"![p](http://x) `c`", "!\\[p](http://x) \\`c\\`"},
        {"a|b\\", "a\\|b\\\\"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct strbuf out;

        strbuf_init(&out);
        table_markdown_text(&out, cases[i][0]);
        assert_string_equal(out.text, cases[i][1]);
        strbuf_fini(&out);
    }
}

static void test_csv_fields(void **state)
{
    static const char *const cases[][2] = {
        {"plain", "plain"},
        {"", ""},
        {"a,b", "\"a,b\""},
        {"say \"hi\"", "\"say \"\"hi\"\"\""},
        {"two\nlines", "\"two\nlines\""},
        {"-3.5", "-3.5"},
        {"+1e3", "+1e3"},
        {"-", "-"},
        {"-3 GiB", "'-3 GiB"},
        {"=A1", "'=A1"},
        {"@SUM(A1,B1)", "\"'@SUM(A1,B1)\""},
        {"+cmd|x", "'+cmd|x"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct strbuf out;

        strbuf_init(&out);
        table_csv_field(&out, cases[i][0]);
        assert_string_equal(out.text, cases[i][1]);
        strbuf_fini(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_notations),
        cmocka_unit_test(test_incomplete_row),
        cmocka_unit_test(test_hostile_cells),
        cmocka_unit_test(test_markdown_text),
        cmocka_unit_test(test_csv_fields),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
