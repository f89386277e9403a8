/* test_figures.c - the figures of an answer: each once, the same in every notation. */
#include "answer/figures.h"

#include <string.h>

#include "base/units.h"

#include "sample.h"

static const struct figure *figures_find(const struct figures *f, enum figure_id id)
{
    for (int i = 0; i < f->count; i++)
        if (f->list[i].id == id)
            return &f->list[i];
    return NULL;
}

static struct plan planned(void)
{
    static struct sample s;
    struct market market = sample_aws_market();
    struct plan p;

    plan_request(sample_request(&s, sample_llama_70b()), &market, &p);
    return p;
}

static void test_rows(void **state)
{
    (void)state;
    for (int i = 0; i < FIGURE_COUNT; i++) {
        const struct figure_row *row = &figure_rows[i];

        assert_true(row->key || row->label);
        assert_true(row->divide > 0 && row->scale > 0);
        for (int k = 0; k < i; k++)
            if ((row->key && figure_rows[k].key && strcmp(row->key, figure_rows[k].key) == 0) ||
                (row->label && figure_rows[k].label &&
                 strcmp(row->label, figure_rows[k].label) == 0))
                fail_msg("figures %d and %d have one name: %s, %s", k, i, row->key, row->label);
    }
}

/* What takes up memory and what is free make what is usable. */
static void test_memory_adds_up(void **state)
{
    struct plan p = planned();
    struct figures figures;
    double sum = 0;

    (void)state;
    assert_true(p.has_memory);
    figures_of(&p, &figures);
    for (int i = 0; i < figures.count; i++)
        sum += figure_fills(&figures.list[i]) ? figures.list[i].value.value : 0;
    sum += figures_find(&figures, FIGURE_FREE)->value.value;
    assert_true(fabs(sum - figures_find(&figures, FIGURE_USABLE)->value.value) < 0.01 * GP_GIB);
    assert_null(figures_find(&figures, FIGURE_KV_RESERVED)); /* JSON alone */
    figures_fini(&figures);
    p.memory.free.value = -GP_GIB;
    figures_of(&p, &figures);
    assert_string_equal(figures_find(&figures, FIGURE_FREE)->label, "short");
    assert_true(figures_find(&figures, FIGURE_FREE)->value.value == GP_GIB);
    figures_fini(&figures);
}

/* JSON and the rows of CSV have the same values, each in its unit. */
static void test_notations_agree(void **state)
{
    struct plan p = planned();
    struct figures figures;
    struct record json, rows;

    (void)state;
    record_init(&json);
    record_init(&rows);
    figures_json(&p, FIGURE_PHYSICAL, FIGURE_MILLION, &json);
    figures_of(&p, &figures);
    for (int i = 0; i < figures.count; i++) {
        const struct figure_row *row = &figure_rows[figures.list[i].id];
        const struct fact *a = row->key ? record_find(&json, row->key) : NULL, *b;

        figure_fact(&figures.list[i], &rows);
        b = record_find(&rows, figures.list[i].label);
        assert_non_null(b);
        if (a && a->known &&
            fabs(a->number.value * row->divide - b->number.value * row->scale) >
                1e-9 * fabs(b->number.value * row->scale))
            fail_msg("%s: %g %s, %g %s", row->key, a->number.value, row->unit, b->number.value,
                     row->shown);
    }
    assert_true(figures.count > 8);
    figures_fini(&figures);
    record_fini(&json);
    record_fini(&rows);
}

static void test_amounts(void **state)
{
    static const struct {
        enum figure_style style;
        double value, low, high;
        const char *amount, *band;
    } cases[] = {
        {AS_TIME, 0.0228, 0.017, 0.0325, "22.8 ms", "17.0..32.5 ms"},
        {AS_TIME, 1.634, 1, 2, "1.63 s", "1.00..2.00 s"},
        {AS_RATE, 158.4, 158.4, 158.4, "158/s", ""},
        {AS_GIB, 2 * GP_GIB, GP_GIB, 3 * GP_GIB, "2.00 GiB", "1.00..3.00"},
        {AS_MONEY, 529.83, 287.48, 1241.79, "$529.83", "287.48..1,242"},
        {AS_SHARE, 0.25, 0.2, 0.3, "25 %", ""},
    };
    struct texts texts = {0};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct quantity q =
            quantity_band(cases[i].value, cases[i].low, cases[i].high, ORIGIN_MODEL);

        assert_string_equal(figure_amount(cases[i].style, q, &texts), cases[i].amount);
        assert_string_equal(figure_band(cases[i].style, q, &texts), cases[i].band);
    }
    texts_fini(&texts);
}

/* Texts keep their places, however long and many. */
static void test_texts_stay(void **state)
{
    struct texts texts = {0};
    const char *first = texts_addf(&texts, "%d", 1), *all = "";

    (void)state;
    for (int i = 0; i < 3000; i++)
        all = texts_addf(&texts, "%s%c", all, 'a' + i % 26);
    assert_string_equal(first, "1");
    assert_int_equal(strlen(all), 3000);
    assert_int_equal(all[2999], 'a' + 2999 % 26);
    assert_string_equal(texts_add(&texts, ""), "");
    texts_fini(&texts);
    assert_null(texts.last);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_memory_adds_up),
        cmocka_unit_test(test_notations_agree),
        cmocka_unit_test(test_amounts),
        cmocka_unit_test(test_texts_stay),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
