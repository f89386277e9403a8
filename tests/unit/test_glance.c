/*
 * test_glance.c - the answer's first rows stand still: over random edits of the form every
 * word of them is at its place, at each width that a screen gives them.
 *
 *   GPUPLAN_EDITS=300 GPUPLAN_SEED=7 tests/unit/test_glance      more of them, and others;
 *   .ci/run does the first
 */
#include "tui/plan/plan_answer.h"

#include <stdlib.h>

#include "profiles.h"
#include "tui/form.h"
#include "unit.h"

#define TODAY 20778 /* 2026-11-21 */

static struct planner *planner;
static unsigned seed = 4242;

static int any(int below)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (unsigned)below);
}

/* One edit: a field stepped either way, now and then a model, a GPU, or all undone. What is
 * refused leaves the form as it was. */
static void edit(struct form *form)
{
    static const char *const models[] = {
        "8B", "70B", "llama-3.1-8b", "qwen3-30b-a3b", "deepseek-v3", "gpt-oss-120b", "gemma-3-27b"};
    static const char *const gpus[] = {"h100-sxm", "l40s:1", "l4",   "rtx-4090:2",
                                       "b200:8",   "mi300x", "t4:4", ""};
    struct gp_err err = {0};

    switch (any(8)) {
    case 0:
        form_set(form, FIELD_MODEL, models[any(7)], &err);
        break;
    case 1:
        form_set(form, FIELD_GPU, gpus[any(8)], &err);
        break;
    case 2:
        if (any(3) == 0)
            form_request(form, "", &err);
        else
            form_undo(form);
        break;
    default:
        form_step(form, (enum field)any(FIELD_COUNT), any(2) ? 1 : -1, &err);
    }
}

/* The text of a row. */
static const char *row_text(const struct canvas *c, int y, char *text)
{
    int n = 0;

    for (int x = 0; x < c->cols; x++) {
        uint32_t ch = c->cells[y * c->cols + x].ch;

        text[n++] = ch && ch < 127 ? (char)ch : ' ';
    }
    text[n] = '\0';
    return text;
}

static bool begins(const char *text, const char *const *words)
{
    while (*words && strncmp(text, *words, strlen(*words)) != 0)
        words++;
    return *words != NULL;
}

/* Where a decision's words stand: GPUs, $/h, $ per million. */
static void check_decision(const char *row, const int at[3])
{
    assert_true(row[at[0]] >= '1' && row[at[0]] <= '9' && row[at[0] - 1] == ' ');
    assert_non_null(strstr(row, " GPU"));
    assert_true(strstr(row, " GPU") < row + at[1]);
    assert_true(row[at[1] - 1] == ' ');
    if (strncmp(row + at[1], "no list price", 13) == 0)
        return; /* and so none per million, where it ends */
    assert_true(strncmp(row + at[1], "no price", 8) == 0 || row[at[1]] == '$');
    assert_true(row[at[2]] == '$' || row[at[2]] == ' ' || row[at[2]] == '\0');
    if (row[at[2]] == '$')
        assert_non_null(strstr(row + at[2], "/M"));
}

static void check_head(const struct form *form, int cols, const int at[3])
{
    static const char *const shouts[] = {"FITS ",        "FITS, SLOW ", "LIKELY SLOW ", "NOT SURE ",
                                         "OVER BUDGET ", "OVER POWER ", "MARGINAL ",    NULL};
    static const char *const refusals[] = {"NO FIT ", "NO ANSWER", NULL};
    char row[256];
    struct canvas c;

    canvas_init(&c, CHARSET_ASCII);
    canvas_clear(&c, PLAN_HEAD, cols);
    plan_head_draw(&c, canvas_rect(&c), form);
    row_text(&c, 0, row);
    if (begins(row, shouts))
        check_decision(row, at);
    else if (!begins(row, refusals))
        fail_msg("first row: %s", row);
    if (form->answered && form->answer->plan.has_memory) {
        const struct memory *m = &form->answer->plan.memory;
        bool shown = m->weights.value * cols > m->weights.value + m->kv_reserved.value;

        assert_memory_equal(row_text(&c, 1, row), "memory ", 7);
        assert_non_null(strstr(row, " % of budget, "));
        if (shown) /* weights come first */
            assert_int_equal(row_text(&c, 2, row)[0], '#');
        row_text(&c, 2, row);
        assert_non_null(strchr(row, '|'));
        assert_int_equal(row_text(&c, 3, row)[0], '#');
    }
    canvas_fini(&c);
}

static bool is_decided(const struct form *form)
{
    return form->answered && form->answer->plan.verdict != VERDICT_DOES_NOT_FIT;
}

static void test_stands_still(void **state)
{
    static const int wide[3] = {13, 22, 33}, narrow[3] = {12, 21, 30};
    struct gp_err err = {0};
    struct form *form = form_new(planner, NULL, &err);
    const char *wish = getenv("GPUPLAN_EDITS"), *other = getenv("GPUPLAN_SEED");
    int edits = wish ? atoi(wish) : 120, answered = 0, decided = 0;

    (void)state;
    assert_non_null(form);
    seed = other ? (unsigned)atoi(other) : seed;
    for (int i = 0; i < edits; i++) {
        edit(form);
        if (!is_decided(form) && any(2))
            form_undo(form); /* or the walk stays where nothing fits */
        answered += form->answered;
        decided += is_decided(form);
        check_head(form, 48, wide);
        check_head(form, 62, wide);
        check_head(form, 40, narrow);
    }
    assert_true(answered > edits / 2); /* or nothing was looked at */
    assert_true(decided > edits / 4);
    form_free(form);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_stands_still)};
    int failed;

    planner = planner_new(source_path("profiles"), TODAY, NULL);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    planner_free(planner);
    return failed;
}
