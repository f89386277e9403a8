/*
 * test_sheet.c - one sheet, every notation.
 */
#include "unit.h"

#include "data/sheet.h"

static void fill(struct sheet *s, const char *id)
{
    sheet_init(s);
    sheet_text(s, "id", id);
    sheet_group(s, "memory");
    sheet_quantity(s, "kv_pool", "GiB", quantity_band(2e9, 1e9, 4e9, ORIGIN_MODEL), 1e9,
                   2);
    sheet_quantity(s, "spot", "$/h", quantity_unknown(), 1, 2);
    sheet_group(s, "rest");
    sheet_count(s, "params", "", 8030261248.0);
    sheet_style(s, STYLE_PARAMS);
    sheet_positive(s, "window", "tokens", 0);
    sheet_flag(s, "front", true);
    sheet_style(s, STYLE_MARK);
    sheet_words(s, "names", "a|b");
    sheet_text(s, "source", "long");
    sheet_detail(s);
}

static void assert_printed(struct strbuf *out, const char *wanted)
{
    assert_string_equal(out->text, wanted);
    strbuf_clear(out);
}

static void test_table(void **state)
{
    struct sheet rows[2];
    struct strbuf out;
    (void)state;
    fill(&rows[0], "x");
    fill(&rows[1], "yy");
    strbuf_init(&out);
    sheet_table(rows, 2, NULL, SHEET_TEXT, &out);
    assert_printed(&out,
                   "ID  KV pool GiB  spot $/h  params  window tokens  front  names\n"
                   "x         ~2.00         -  8.03 B              -  *      a, b\n"
                   "yy        ~2.00         -  8.03 B              -  *      a, b\n");
    sheet_table(rows, 1, "memory", SHEET_MARKDOWN, &out);
    assert_printed(&out, "| ID | KV pool GiB | spot $/h |\n| --- | ---: | ---: |\n"
                         "| x | ~2.00 | - |\n");
    sheet_table(rows, 1, NULL, SHEET_CSV, &out);
    assert_printed(
        &out, "id,kv_pool,kv_pool_low,kv_pool_high,kv_pool_origin,"
              "spot,spot_low,spot_high,spot_origin,params,window,front,names,source\n"
              "x,2,1,4,model,,,,,8030261248,,yes,a|b,long\n");
    sheet_table(rows, 0, NULL, SHEET_TEXT, &out);
    assert_printed(&out, "");
    strbuf_fini(&out);
    sheet_fini(&rows[0]);
    sheet_fini(&rows[1]);
}

static void test_lines(void **state)
{
    struct sheet s;
    struct strbuf out;
    (void)state;
    fill(&s, "x\x1b[2J"); /* a file's text is no terminal command */
    sheet_count(sheet_append(&s, "layers"), "heads", "", 32);
    strbuf_init(&out);
    sheet_lines(&s, &out);
    assert_printed(&out, "  ID: x [2J\n"
                         "\nmemory\n  KV pool: 2.00 GiB (model, 1.00..4.00)\n"
                         "  spot: unknown\n"
                         "\nrest\n  params: 8.03 B (8030261248)\n  window: unknown\n"
                         "  front: yes\n  names: a, b\n  source: long\n"
                         "  layers:\n    heads 32\n");
    strbuf_fini(&out);
    sheet_fini(&s);
}

static void test_json(void **state)
{
    struct sheet s;
    struct strbuf out;
    (void)state;
    sheet_init(&s);
    sheet_text(&s, "id", "");
    sheet_count(&s, "params", "", 671026419200.0);
    sheet_quantity(&s, "price", "$", quantity_exact(2.5), 1, 2);
    sheet_flag(&s, "front", false);
    sheet_words(&s, "names", "a|b");
    sheet_text(sheet_inside(&s, "request"), "gpu", "t4");
    sheet_list(&s, "rows");
    strbuf_init(&out);
    sheet_json(&s, &out);
    assert_printed(&out, "{\n  \"id\": null,\n  \"params\": 671026419200,\n"
                         "  \"price\": {\n    \"value\": 2.5,\n    \"low\": 2.5,\n"
                         "    \"high\": 2.5,\n    \"unit\": \"$\",\n"
                         "    \"origin\": \"exact\"\n  },\n  \"front\": false,\n"
                         "  \"names\": [\n    \"a\",\n    \"b\"\n  ],\n"
                         "  \"request\": {\n    \"gpu\": \"t4\"\n  },\n"
                         "  \"rows\": []\n}\n");
    strbuf_fini(&out);
    sheet_fini(&s);
}

static void test_nested(void **state)
{
    struct sheet s;
    (void)state;
    sheet_init(&s);
    for (int i = 0; i < 100; i++)
        sheet_textf(sheet_append(&s, "rows"), "id", "row %d", i);
    assert_int_equal(sheet_find(&s, "rows")->sheet_count, 100);
    assert_string_equal(sheet_get(&sheet_find(&s, "rows")->sheets[99], "id"), "row 99");
    assert_null(sheet_find(&s, "columns"));
    assert_string_equal(sheet_get(&s, "columns"), "");
    sheet_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_nested),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
