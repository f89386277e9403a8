/*
 * test_membar.c - the bar's cells add up at every width, no part is lost, and what is
 * too much is said.
 */
#include "tui/membar.h"

#include "unit.h"
#include "util/units.h"

#define ROWS 16

static struct engine engine;
static struct model model;

static struct quantity gib(double value)
{
    return quantity_exact(value * GP_GIB);
}

static struct plan plan_of(double weights, double kv, double activation, double graphs,
                           double usable)
{
    struct plan p = {.has_memory = true,
                     .request = {.engine = &engine, .model = &model}};
    struct memory *m = &p.memory;

    m->physical = m->usable = m->budget = gib(usable);
    m->weights = gib(weights);
    m->kv_needed = m->kv_reserved = gib(kv);
    m->activation = gib(activation);
    m->non_torch = gib(0);
    m->graphs = quantity_band(graphs * GP_GIB, graphs / 2 * GP_GIB, graphs * 2 * GP_GIB,
                              ORIGIN_MODEL);
    m->free = gib(usable - weights - kv - activation - graphs);
    p.memory.kv_pool = quantity_add(p.memory.free, p.memory.kv_reserved);
    return p;
}

static int count(const struct canvas *c, const char *glyph)
{
    int n = 0;

    for (int x = 0; x < c->cols; x++)
        n += c->cells[x].ch == (uint32_t)(unsigned char)glyph[0];
    return n;
}

static void draw(struct canvas *c, int cols, const struct plan *p)
{
    canvas_init(c, CHARSET_ASCII);
    canvas_clear(c, ROWS, cols);
    membar_draw(c, canvas_rect(c), 0, p);
}

static void test_every_width(void **state)
{
    struct plan p = plan_of(60, 0.01, 2, 0.02, 80);

    (void)state;
    for (int cols = 6; cols <= 200; cols++) {
        struct canvas c;

        draw(&c, cols, &p);
        assert_int_equal(count(&c, " "), 0); /* the whole width is used */
        assert_true(count(&c, "#") >= 1);
        assert_true(count(&c, "=") >= 1); /* 10 MiB still have a cell */
        assert_true(count(&c, ":") >= 1);
        assert_true(count(&c, "-") >= 1);
        assert_true(count(&c, ".") >= 1);
        if (cols == 80)
            assert_in_range(count(&c, "#"), 58, 60);
        canvas_fini(&c);
    }
}

static void test_over(void **state)
{
    struct plan p = plan_of(67.7, 2.5, 0.6, 0.9, 44.4);
    struct strbuf text;
    struct canvas c;

    (void)state;
    draw(&c, 60, &p);
    strbuf_init(&text);
    canvas_dump(&c, &text);
    assert_non_null(strstr(text.text, " lacks 27.30 GiB\n"));
    assert_int_equal(count(&c, "."), 1); /* the one of 27.30: nothing is free */
    assert_int_equal(count(&c, "|"), 1); /* where usable ends */
    strbuf_fini(&text);
    canvas_fini(&c);
}

static void test_legend(void **state)
{
    struct plan p = plan_of(60, 5, 2, 1, 80);
    struct strbuf text;
    struct canvas c;

    (void)state;
    canvas_init(&c, CHARSET_ASCII);
    canvas_clear(&c, ROWS, 60);
    assert_int_equal(membar_legend(&c, canvas_rect(&c), 0, &p), 9);
    strbuf_init(&text);
    canvas_dump(&c, &text);
    assert_non_null(strstr(text.text, "# weights           60.00 GiB  exact\n"));
    assert_non_null(
        strstr(text.text, "- CUDA graphs        1.00 GiB  0.50..2.00 model"));
    assert_non_null(strstr(text.text, ". free              12.00 GiB"));
    strbuf_fini(&text);

    canvas_clear(&c, ROWS, 40); /* no half of a band */
    membar_legend(&c, canvas_rect(&c), 0, &p);
    strbuf_init(&text);
    canvas_dump(&c, &text);
    assert_non_null(strstr(text.text, "1.00 GiB  model\n"));
    strbuf_fini(&text);

    p.request.used = 3 * GP_GIB;
    canvas_clear(&c, ROWS, 60);
    assert_int_equal(membar_legend(&c, canvas_rect(&c), 0, &p), 10);
    canvas_fini(&c);
}

static void test_scrolled_off(void **state)
{
    struct plan p = plan_of(60, 5, 2, 1, 80);
    struct canvas c;

    (void)state;
    canvas_init(&c, CHARSET_ASCII);
    canvas_clear(&c, ROWS, 60);
    membar_draw(&c, canvas_rect(&c), -1, &p);
    membar_legend(&c, canvas_rect(&c), -20, &p);
    membar_legend(&c, canvas_rect(&c), ROWS + 5, &p);
    for (int i = 0; i < ROWS * 60; i++)
        assert_int_equal(c.cells[i].ch, ' ');
    canvas_fini(&c);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_width), cmocka_unit_test(test_over),
        cmocka_unit_test(test_legend), cmocka_unit_test(test_scrolled_off)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
