/*
 * test_frame.c - the screen's rectangles, over all sizes of terminal.
 */
#include "tui/toolkit/frame.h"

#include "unit.h"

#define ROWS 80
#define COLS 250

static bool inside(struct rect r, struct rect body)
{
    return r.y >= body.y && r.x >= body.x && r.y + r.rows <= body.y + body.rows &&
           r.x + r.cols <= body.x + body.cols;
}

static bool apart(struct rect a, struct rect b)
{
    return a.y + a.rows <= b.y || b.y + b.rows <= a.y || a.x + a.cols <= b.x || b.x + b.cols <= a.x;
}

/* Inside the body, not over each other, and `first` is there. */
static void check_panels(struct rect body, const struct rect *panels, int count, int first)
{
    assert_false(rect_empty(panels[first]));
    for (int i = 0; i < count; i++) {
        if (rect_empty(panels[i]))
            continue;
        assert_true(inside(panels[i], body));
        for (int k = 0; k < i; k++)
            assert_true(rect_empty(panels[k]) || apart(panels[i], panels[k]));
    }
}

static void check_size(int rows, int cols)
{
    struct frame f = frame_of(rows, cols);
    struct rect screen = {0, 0, rows, cols}, panels[BENCH_PANELS];
    int focus = (rows + cols) % PLAN_SIDE;

    assert_true(inside(f.bar, screen));
    assert_int_equal(f.bar.rows, 1);
    assert_int_equal(f.bar.y, rows - 1);
    if (f.size == SIZE_TOO_SMALL) {
        assert_true(cols < FRAME_MIN_COLS || rows < FRAME_MIN_ROWS);
        return;
    }
    assert_int_equal(f.tabs.rows + f.body.rows + f.explain.rows + f.bar.rows, rows);
    assert_true(apart(f.body, f.explain) && apart(f.tabs, f.body));
    assert_true(f.explain.rows >= 1 && f.body.rows >= 9);
    frame_plan(f.body, f.size, focus, panels);
    check_panels(f.body, panels, PLAN_PANELS, f.size == SIZE_ONE ? focus : 0);
    frame_stack(f.body, f.size, focus % 2, COMPARE_ROWS, panels);
    check_panels(f.body, panels, COMPARE_PANELS, f.size == SIZE_ONE ? focus % 2 : 0);
    frame_stack(f.body, f.size, focus % 2, CURVES_ROWS, panels);
    check_panels(f.body, panels, CURVES_PANELS, f.size == SIZE_ONE ? focus % 2 : 0);
    for (int devices = 0; devices <= 16; devices++) {
        frame_bench(f.body, f.size, 0, devices, panels);
        check_panels(f.body, panels, BENCH_PANELS, BENCH_POINTS);
        if (f.size != SIZE_ONE)
            assert_false(rect_empty(panels[BENCH_LIVE]));
    }
}

static void test_all_sizes(void **state)
{
    (void)state;
    for (int rows = 1; rows <= ROWS; rows++)
        for (int cols = 1; cols <= COLS; cols++)
            check_size(rows, cols);
}

/* On one column everything can be reached. */
static void test_focus_shows(void **state)
{
    struct frame f = frame_of(12, 40);
    struct rect panels[BENCH_PANELS];

    (void)state;
    assert_int_equal(f.size, SIZE_ONE);
    for (int focus = 0; focus < PLAN_SIDE; focus++) {
        frame_plan(f.body, f.size, focus, panels);
        assert_int_equal(panels[focus].rows, f.body.rows - FRAME_STRIP);
        assert_int_equal(panels[PLAN_STRIP].rows, FRAME_STRIP);
    }
}

/* More room shows more: two columns from 70 x 18, Compare's rows from 200 x 60. */
static void test_plan_grows(void **state)
{
    static const struct {
        int rows, cols;
        bool answer, side, below;
    } sizes[] = {{18, 70, true, false, false},  {23, 80, true, false, false},
                 {24, 80, true, false, false},  {40, 79, true, false, false},
                 {36, 120, true, true, false},  {60, 200, true, true, true},
                 {17, 70, false, false, false}, {12, 40, false, false, false}};
    struct rect panels[PLAN_PANELS];

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        struct frame f = frame_of(sizes[i].rows, sizes[i].cols);

        frame_plan(f.body, f.size, PLAN_FORM, panels);
        assert_false(rect_empty(panels[PLAN_FORM]));
        assert_int_equal(!rect_empty(panels[PLAN_ANSWER]), sizes[i].answer);
        assert_int_equal(rect_empty(panels[PLAN_STRIP]), sizes[i].answer);
        assert_int_equal(!rect_empty(panels[PLAN_SIDE]), sizes[i].side);
        assert_int_equal(!rect_empty(panels[PLAN_ROWS]), sizes[i].below);
    }
}

static void test_rows_and_columns(void **state)
{
    static const int heights[3] = {0, 2, 0}, weights[2] = {1, 3};
    struct rect body = {1, 2, 11, 41}, out[3];

    (void)state;
    frame_rows(body, heights, 3, out);
    assert_int_equal(out[0].rows + out[1].rows + out[2].rows, 11);
    assert_int_equal(out[1].rows, 2);
    assert_int_equal(out[2].y, out[1].y + 2);
    frame_columns(body, weights, 2, 10, out);
    assert_int_equal(out[0].cols, 10);
    assert_int_equal(out[1].cols, 31);
    frame_columns(body, weights, 2, 30, out); /* no room for two */
    assert_int_equal(out[0].cols, 41);
    assert_true(rect_empty(out[1]));
    assert_int_equal(frame_middle(body, 100, 20).rows, 11);
    assert_int_equal(frame_middle(body, 3, 21).x, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_sizes),
        cmocka_unit_test(test_focus_shows),
        cmocka_unit_test(test_plan_grows),
        cmocka_unit_test(test_rows_and_columns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
