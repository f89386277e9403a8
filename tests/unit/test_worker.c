/*
 * test_worker.c - tasks of the thread that plans beside the keys: their order, what may be
 * read of them, and who frees their job.
 */
#include "tui/worker.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "unit.h"

#define UNITS 50

static atomic_int clock_of_units, freed, running;
static atomic_bool hold; /* units wait for it to go */

struct count {
    int units, value[UNITS]; /* value: when the unit ran, by clock_of_units */
};

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

static bool count_unit(void *ctx, int i, struct planner *planner)
{
    struct count *job = ctx;

    assert_non_null(planner);
    atomic_store(&running, 1);
    while (atomic_load(&hold))
        nap();
    job->value[i] = atomic_fetch_add(&clock_of_units, 1) + 1;
    return i + 1 < job->units;
}

static void count_free(void *ctx)
{
    atomic_fetch_add(&freed, 1);
    free(ctx);
}

static const struct task_ops answer_ops = {TASK_ANSWER, count_unit, count_free};
static const struct task_ops list_ops = {TASK_LIST, count_unit, count_free};
static const struct task_ops page_ops = {TASK_PAGE, count_unit, count_free};

static struct planner *planner;
static struct worker *worker;

static int setup(void **state)
{
    (void)state;
    planner = planner_new(NULL, 20000, NULL);
    worker = worker_new(planner, "");
    atomic_store(&clock_of_units, 0);
    atomic_store(&freed, 0);
    atomic_store(&running, 0);
    atomic_store(&hold, false);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    worker_free(worker);
    planner_free(planner);
    return 0;
}

static struct task *begin(const struct task_ops *ops, struct count **job)
{
    *job = gp_calloc(1, sizeof(**job));
    (*job)->units = UNITS;
    return task_begin(worker, ops, *job);
}

static void wait_for(atomic_int *number, int value)
{
    double end = clock_now() + 20;

    while (atomic_load(number) < value && clock_now() < end)
        nap();
    assert_true(atomic_load(number) >= value);
}

/* What task_done() counts is there, in order. */
static void check_units(const struct task *task, const struct count *job)
{
    for (int i = 0, done = task_done(task); i < done; i++)
        assert_true(job->value[i] > (i ? job->value[i - 1] : 0));
}

static void test_without_a_thread(void **state)
{
    struct count *job;
    struct task *task = begin(&list_ops, &job);

    (void)state;
    assert_true(task_finished(task));
    assert_int_equal(task_done(task), UNITS);
    check_units(task, job);
    task_drop(&task);
    assert_null(task);
    assert_int_equal(atomic_load(&freed), 1);
    task_drop(&task);
}

static void test_thread(void **state)
{
    struct count *job;
    struct task *task;

    (void)state;
    worker_start(worker);
    task = begin(&list_ops, &job);
    while (!task_finished(task)) {
        check_units(task, job);
        nap();
    }
    assert_int_equal(task_done(task), UNITS);
    check_units(task, job);
    task_drop(&task);
    assert_int_equal(atomic_load(&freed), 1);
}

/* The list that was opened later is planned before the rest of the page. */
static void test_rank(void **state)
{
    struct count *page_job, *list_job;
    struct task *page, *list;

    (void)state;
    worker_start(worker);
    atomic_store(&hold, true);
    page = begin(&page_ops, &page_job);
    wait_for(&running, 1);
    list = begin(&list_ops, &list_job);
    atomic_store(&hold, false);
    task_wait(page, INFINITY);
    assert_true(task_finished(list));
    assert_int_equal(page_job->value[0], 1); /* the unit that ran is done */
    assert_true(list_job->value[UNITS - 1] < page_job->value[1]);
    task_drop(&page);
    task_drop(&list);
}

/* An answer ends the unit that runs, which is not counted and runs again. */
static void test_answer(void **state)
{
    struct count *page_job, *answer_job;
    struct task *page, *answer;

    (void)state;
    worker_start(worker);
    atomic_store(&hold, true);
    page = begin(&page_ops, &page_job);
    wait_for(&running, 1);
    answer = begin(&answer_ops, &answer_job);
    atomic_store(&hold, false);
    task_wait(page, INFINITY);
    assert_true(task_finished(answer));
    assert_int_equal(task_done(page), UNITS);
    assert_int_equal(atomic_load(&clock_of_units), 2 * UNITS + 1);
    assert_true(answer_job->value[UNITS - 1] < page_job->value[0]);
    check_units(page, page_job);
    check_units(answer, answer_job);
    task_drop(&page);
    task_drop(&answer);
}

/* Dropped within a unit: nobody waits, and the job lives until the unit ends. */
static void test_drop(void **state)
{
    struct count *job;
    struct task *task;
    double before;

    (void)state;
    worker_start(worker);
    atomic_store(&hold, true);
    task = begin(&list_ops, &job);
    wait_for(&running, 1);
    before = clock_now();
    task_drop(&task);
    assert_true(clock_now() - before < 5);
    assert_int_equal(atomic_load(&freed), 0);
    atomic_store(&hold, false);
    wait_for(&freed, 1);
    assert_int_equal(atomic_load(&clock_of_units), 1); /* and no unit more */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_without_a_thread, setup, teardown),
        cmocka_unit_test_setup_teardown(test_thread, setup, teardown),
        cmocka_unit_test_setup_teardown(test_rank, setup, teardown),
        cmocka_unit_test_setup_teardown(test_answer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_drop, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
