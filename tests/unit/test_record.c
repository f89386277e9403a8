/*
 * test_record.c - one sheet, every notation.
 */
#include "unit.h"

#include "answer/record.h"

static void fill(struct record *s, const char *id)
{
    record_init(s);
    record_text(s, "id", id);
    record_group(s, "memory");
    record_quantity(s, "kv_pool", "GiB", quantity_band(2e9, 1e9, 4e9, ORIGIN_MODEL), 1e9, 2);
    record_quantity(s, "spot", "$/h", quantity_unknown(), 1, 2);
    record_group(s, "rest");
    record_count(s, "params", "", 8030261248.0);
    record_style(s, STYLE_PARAMS);
    record_positive(s, "window", "tokens", 0);
    record_flag(s, "front", true);
    record_style(s, STYLE_MARK);
    record_words(s, "names", "a|b");
    record_text(s, "source", "long");
    record_detail(s);
}

static void assert_printed(struct strbuf *out, const char *wanted)
{
    assert_string_equal(out->text, wanted);
    strbuf_clear(out);
}

static void test_table(void **state)
{
    struct record rows[2];
    struct strbuf out;
    (void)state;
    fill(&rows[0], "x");
    fill(&rows[1], "yy");
    strbuf_init(&out);
    record_table(rows, 2, NULL, RECORD_TEXT, &out);
    assert_printed(&out, "ID  KV pool GiB  spot $/h  params  window tokens  front  names\n"
                         "x         ~2.00         -  8.03 B              -  *      a, b\n"
                         "yy        ~2.00         -  8.03 B              -  *      a, b\n");
    record_table(rows, 1, "memory", RECORD_MARKDOWN, &out);
    assert_printed(&out, "| ID | KV pool GiB | spot $/h |\n| --- | ---: | ---: |\n"
                         "| x | ~2.00 | - |\n");
    record_table(rows, 1, NULL, RECORD_CSV, &out);
    assert_printed(&out, "id,kv_pool,kv_pool_low,kv_pool_high,kv_pool_origin,"
                         "spot,spot_low,spot_high,spot_origin,params,window,front,names,source\n"
                         "x,2,1,4,model,,,,,8030261248,,yes,a|b,long\n");
    record_table(rows, 0, NULL, RECORD_TEXT, &out);
    assert_printed(&out, "");
    strbuf_fini(&out);
    record_fini(&rows[0]);
    record_fini(&rows[1]);
}

static void test_lines(void **state)
{
    struct record s;
    struct strbuf out;
    (void)state;
    fill(&s, "x\x1b[2J"); /* a file's text is no terminal command */
    record_count(record_append(&s, "layers"), "heads", "", 32);
    strbuf_init(&out);
    record_lines(&s, &out);
    assert_printed(&out, "  ID: x [2J\n"
                         "\nmemory\n  KV pool: 2.00 GiB (model, 1.00..4.00)\n"
                         "  spot: unknown\n"
                         "\nrest\n  params: 8.03 B (8030261248)\n  window: unknown\n"
                         "  front: yes\n  names: a, b\n  source: long\n"
                         "  layers:\n    heads 32\n");
    strbuf_fini(&out);
    record_fini(&s);
}

static void test_json(void **state)
{
    struct record s;
    struct strbuf out;
    (void)state;
    record_init(&s);
    record_text(&s, "id", "");
    record_count(&s, "params", "", 671026419200.0);
    record_quantity(&s, "price", "$", quantity_exact(2.5), 1, 2);
    record_flag(&s, "front", false);
    record_words(&s, "names", "a|b");
    record_text(record_inside(&s, "request"), "gpu", "t4");
    record_list(&s, "rows");
    strbuf_init(&out);
    record_json(&s, &out);
    assert_printed(&out, "{\n  \"id\": null,\n  \"params\": 671026419200,\n"
                         "  \"price\": {\n    \"value\": 2.5,\n    \"low\": 2.5,\n"
                         "    \"high\": 2.5,\n    \"unit\": \"$\",\n"
                         "    \"origin\": \"exact\"\n  },\n  \"front\": false,\n"
                         "  \"names\": [\n    \"a\",\n    \"b\"\n  ],\n"
                         "  \"request\": {\n    \"gpu\": \"t4\"\n  },\n"
                         "  \"rows\": []\n}\n");
    strbuf_fini(&out);
    record_fini(&s);
}

static void test_nested(void **state)
{
    struct record s;
    (void)state;
    record_init(&s);
    for (int i = 0; i < 100; i++)
        record_textf(record_append(&s, "rows"), "id", "row %d", i);
    assert_int_equal(record_find(&s, "rows")->record_count, 100);
    assert_string_equal(record_get(&record_find(&s, "rows")->records[99], "id"), "row 99");
    assert_null(record_find(&s, "columns"));
    assert_string_equal(record_get(&s, "columns"), "");
    record_fini(&s);
}

static void make_part(const void *ctx, int part, struct record *into)
{
    for (int i = 0; i < *(const int *)ctx; i++)
        record_count(record_append(into, "rows"), "n", "", part * 10 + i);
}

/* Numbers in a row, and a list that is made while it is written. */
static void test_long(void **state)
{
    const double values[] = {1, 2.5, 0};
    struct record s, first;
    struct strbuf out;
    int each = 2;

    (void)state;
    record_init(&s);
    record_init(&first);
    strbuf_init(&out);
    record_series(&s, "plain", "", ORIGIN_EXACT, values, 3);
    record_series(&s, "rate", "requests/s", ORIGIN_MODEL, values, 1);
    record_parts(&s, "rows", make_part, &each, 2);
    record_json(&s, &out);
    assert_printed(&out, "{\n"
                         "  \"plain\": [1, 2.5, 0],\n"
                         "  \"rate\": {\"values\": [1], \"unit\": \"requests/s\", "
                         "\"origin\": \"model\"},\n"
                         "  \"rows\": [\n"
                         "    {\"n\": 0},\n"
                         "    {\"n\": 1},\n"
                         "    {\"n\": 10},\n"
                         "    {\"n\": 11}\n"
                         "  ]\n"
                         "}\n");
    assert_int_equal(record_parts_first(record_find(&s, "rows"), 1, &first), 4);
    assert_int_equal(record_find(&first, "rows")->record_count, 2); /* a whole part */
    each = 0;
    record_json_line(&s, NULL, &out);
    assert_printed(&out, "{\"plain\": [1, 2.5, 0], \"rate\": {\"values\": [1], \"unit\": "
                         "\"requests/s\", \"origin\": \"model\"}, \"rows\": []}\n");
    strbuf_fini(&out);
    record_fini(&first);
    record_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),  cmocka_unit_test(test_lines), cmocka_unit_test(test_json),
        cmocka_unit_test(test_nested), cmocka_unit_test(test_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
