/*
 * test_membar.c - the bar's cells add up at every width, no part is lost, and what is
 * too much is said.
 */
#include "tui/membar.h"

#include "base/units.h"
#include "unit.h"

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
    struct plan p = {.has_memory = true, .request = {.engine = &engine, .model = &model}};
    struct memory *m = &p.memory;

    m->physical = m->usable = m->budget = gib(usable);
    m->weights = gib(weights);
    m->kv_needed = m->kv_reserved = gib(kv);
    m->activation = gib(activation);
    m->non_torch = gib(0);
    m->graphs =
        quantity_band(graphs * GP_GIB, graphs / 2 * GP_GIB, graphs * 2 * GP_GIB, ORIGIN_MODEL);
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
    for (int cols = 12; cols <= 200; cols++) {
        struct canvas c;

        draw(&c, cols, &p);
        assert_int_equal(count(&c, " "), 1); /* before the budget, nowhere else */
        assert_int_equal(count(&c, "|"), 1);
        assert_true(count(&c, "#") >= 1);
        assert_true(count(&c, "=") >= 1); /* 10 MiB still have a cell */
        assert_true(count(&c, ":") >= 1);
        assert_true(count(&c, "-") >= 1);
        assert_true(count(&c, ".") >= 2); /* what is to spare, and that of 80.00 */
        if (cols == 87)
            assert_in_range(count(&c, "#"), 58, 60);
        canvas_fini(&c);
    }
}

/* The budget ends within the bar; the parts add up to the need. */
static void test_over(void **state)
{
    struct plan p = plan_of(67.7, 2.5, 0.6, 0.9, 44.4);
    struct membar_part part[MEMBAR_PARTS];
    int n = membar_parts(&p, part);
    double sum = 0;
    struct canvas c;

    (void)state;
    for (int i = 0; i < n; i++)
        sum += part[i].bytes;
    assert_float_equal(sum / GP_GIB, 67.7 + 2.5 + 0.6 + 0.9, 1e-6);
    draw(&c, 60, &p);
    assert_int_equal(count(&c, "."), 1); /* the one of 44.40: nothing is to spare */
    assert_int_equal(count(&c, "|"), 1); /* where the budget ends */
    assert_int_equal(c.cells[(int)(44.4 / 71.7 * 53)].ch, '|');
    canvas_fini(&c);
}

static void check_legend(const struct plan *p, int cols, const char *wanted)
{
    struct strbuf text;
    struct canvas c;

    canvas_init(&c, CHARSET_ASCII);
    canvas_clear(&c, 1, cols);
    membar_legend(&c, canvas_rect(&c), 0, p);
    strbuf_init(&text);
    canvas_dump(&c, &text);
    assert_string_equal(gp_trim(text.text), wanted);
    strbuf_fini(&text);
    canvas_fini(&c);
}

static void test_legend(void **state)
{
    struct plan p = plan_of(60, 5, 2, 1, 80);

    (void)state;
    check_legend(&p, 70, "# weights 60.0 = KV 5.0 : act 2.0 - run 1.0 . spare 12.0");
    check_legend(&p, 48, "# weights 60.0 = KV 5.0 : act 2.0 - run 1.0");
    check_legend(&p, 41, "#weights 60.0 =KV 5.0 :act 2.0 -run 1.0");
    check_legend(&p, 30, "#60.0 =5.0 :2.0 -1.0");
    p.request.used = 20 * GP_GIB; /* others hold more than the engine leaves them */
    p.limit = LIMIT_USED;
    check_legend(&p, 70, "# weights 60.0 = KV 5.0 : act 2.0 - run 1.0 - others 32.0");
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
