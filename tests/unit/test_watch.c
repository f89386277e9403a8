/* test_watch.c - the thread that reads the sensors: how often, how many, what of them.
 */
#include "bench/watch.h"

#include <math.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "unit.h"

static double takes;     /* s, of one reading */
static double lasted;    /* s, the last window */
static atomic_int asked; /* readings */
static int64_t bits;     /* of throttling, in each of them */

static void rest(double seconds)
{
    double whole = floor(seconds);
    struct timespec time = {(time_t)whole, (long)(1e9 * (seconds - whole))};

    nanosleep(&time, NULL);
}

static json_t *read_standin(void *ctx)
{
    int n = atomic_fetch_add(&asked, 1);

    (void)ctx;
    if (takes > 0)
        rest(takes);
    return json_pack("{s:i, s:i, s:I}", "n", n, "temp_c", 50 + n % 2, "throttle_bits",
                     (json_int_t)bits);
}

static const struct backend standin = {.name = "standin", .sensors = read_standin};

/* What a window comes to of so many readings, or of so many seconds. */
static struct watched watched(double every, int readings, double seconds)
{
    FILE *nowhere = fopen("/dev/null", "w");
    struct watch *watch = watch_new(nowhere);
    double begin = clock_now(), end = begin + (readings ? 30 : seconds);
    struct watched out;

    atomic_store(&asked, 0);
    watch_window(watch);
    assert_true(watch_start(watch, &standin, NULL, every, 60));
    while (clock_now() < end && (!readings || atomic_load(&asked) < readings))
        rest(0.001);
    watch_stop(watch);
    lasted = clock_now() - begin;
    out = watch_close(watch);
    watch_free(watch);
    fclose(nowhere);
    return out;
}

static double figure(const json_t *sensors, const char *name)
{
    return json_number_value(json_object_get(sensors, name));
}

/* Readings in a window of 0.4 s: `least` of them or more in one of a few, as a busy machine
 * is late; never more than one each `every` seconds. */
static struct watched readings_in_time(double every, double each, int least)
{
    struct watched out;
    int tries = 0;

    for (;;) {
        out = watched(every, 0, 0.4);
        assert_true(atomic_load(&asked) <= lasted / each + 1);
        if (atomic_load(&asked) >= least)
            return out;
        json_decref(out.sensors);
        assert_true(++tries < 10);
    }
}

/* As often as asked for, never more. */
static void test_interval(void **state)
{
    struct watched rare, often;

    (void)state;
    takes = 0;
    rare = readings_in_time(0.05, 0.05, 3);
    often = readings_in_time(0.01, 0.01, 10);
    assert_int_equal(figure(often.sensors, "samples"), atomic_load(&asked));
    json_decref(rare.sensors);
    json_decref(often.sensors);
}

/* A driver that takes longer than the interval is asked at every second moment, and not
 * all the time; what a reading stands for grows with it. */
static void test_slow_driver(void **state)
{
    struct watched out;

    (void)state;
    takes = 0.012;
    bits = 0x40; /* thermal: 8 of 20 ms are more than 0.1 s, 8 of 10 ms would not be */
    out = watched(0.01, 8, 0);
    assert_int_equal(out.throttle, THROTTLE_THERMAL);
    assert_near(figure(json_object_get(out.sensors, "throttle"), "fraction"), 1, 0);
    json_decref(out.sensors);
    bits = 0x3; /* idle, and the clock that an application asked for: nothing slows it */
    out = readings_in_time(0.01, 0.02, 3);
    assert_near(figure(json_object_get(out.sensors, "throttle"), "fraction"), 0, 0);
    json_decref(out.sensors);
    bits = 0;
    takes = 0;
}

/* A long window: the whole of it, in a bounded number of readings. */
static void test_long_window(void **state)
{
    struct watched out;
    double samples;

    (void)state;
    out = watched(2e-5, 10000, 0);
    samples = figure(out.sensors, "samples");
    assert_true(samples >= 2048 && samples <= 4096);
    assert_true(json_number_value(json_object_get(json_object_get(out.sensors, "n"), "max")) >
                9990);
    json_decref(out.sensors);
}

/* Nothing follows the last line, though the thread still reads: gpuplan takes what does for an
 * engine of another version. */
static void test_end(void **state)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    struct watch *watch = watch_new(out);
    int before;

    (void)state;
    assert_true(watch_start(watch, &standin, NULL, 1e-4, 0));
    watch_end(watch, json_pack("{s:s}", "t", "done"));
    before = atomic_load(&asked);
    while (atomic_load(&asked) < before + 5)
        rest(0.001);
    watch_free(watch);
    fclose(out);
    assert_true(size >= 14 && strcmp(text + size - 14, "{\"t\": \"done\"}\n") == 0);
    free(text);
}

static void test_too_few(void **state)
{
    struct watched out = watched(10, 0, 0.05);

    (void)state;
    assert_true(json_is_null(out.sensors));
    assert_int_equal(out.throttle, THROTTLE_UNKNOWN);
    json_decref(out.sensors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_interval),    cmocka_unit_test(test_slow_driver),
        cmocka_unit_test(test_long_window), cmocka_unit_test(test_end),
        cmocka_unit_test(test_too_few),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
