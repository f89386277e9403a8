/*
 * test_method.c - the rules of measuring on synthetic clocks: what a naive benchmark
 * would get wrong is played to the method, and the figure must stay right.
 */
#include "measure/point/method.h"

#include "measure/point/point.h"
#include "unit.h"

/* ---- statistics ---- */

/* Reference values from Python's statistics module: median, mean, stdev, quantiles with
 * method="inclusive" (as numpy's percentile), linear_regression. */
static void test_statistics(void **state)
{
    const double a[] = {3.1, 1.2, 2.7, 9.9, 2.2, 2.4, 3.3, 1.9, 2.6, 2.0, 2.5, 2.8};
    double t[12], far[12];
    struct stats s;

    (void)state;
    for (int i = 0; i < 12; i++)
        t[i] = (i + 1) * 0.5;
    s = method_stats(a, t, 12);
    assert_int_equal(s.n, 12);
    assert_near(s.median, 2.55, 1e-12);
    assert_near(s.mean, 3.05, 1e-12);
    assert_near(s.stdev, 2.2293496809608, 1e-12);
    assert_near(s.p05, 1.585, 1e-12);
    assert_near(s.p95, 6.27, 1e-12);
    assert_near(s.q1, 2.15, 1e-12);
    assert_near(s.q3, 2.875, 1e-12);
    assert_near(s.mad, 0.45, 1e-12);
    assert_near(s.min, 1.2, 0);
    assert_near(s.max, 9.9, 0);
    assert_near(s.first_over_median, 3.1 / 2.55, 1e-12);
    assert_near(s.trend_pct_per_s, -9.04977375565611, 1e-9);
    /* ranks 3 and 10 of 12 */
    assert_near(s.ci95_low, 2.0, 0);
    assert_near(s.ci95_high, 3.1, 0);
    assert_int_equal(s.outliers, 0); /* 9.9: 16.3 deviations, a modified z of 11.0 */
    for (int i = 0; i < 12; i++)
        far[i] = a[i] == 9.9 ? 12.5 : a[i];
    s = method_stats(far, NULL, 12);
    assert_int_equal(s.outliers, 1); /* 22.1, and 14.9: kept in max, counted */
    assert_near(s.max, 12.5, 0);
}

static double binomial(int n, int k)
{
    return exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) - n * log(2));
}

/* With samples 1..n the interval's ends are its ranks; the chance that the true median
 * lies between them is an exact binomial sum. */
static void test_interval_covers(void **state)
{
    double a[METHOD_MAX_SAMPLES];

    (void)state;
    for (int n = 1; n <= METHOD_MAX_SAMPLES; n++) {
        struct stats s;
        double covered = 0;

        a[n - 1] = n;
        s = method_stats(a, NULL, n);
        for (int k = (int)s.ci95_low; k < (int)s.ci95_high; k++)
            covered += binomial(n, k);
        if (n >= 10 && (covered < 0.94 || covered > 0.99))
            fail_msg("n = %d covers %.4f", n, covered);
        assert_true(s.ci95_low <= s.median && s.median <= s.ci95_high);
    }
    /* the table of any textbook */
    assert_near(method_stats(a, NULL, 10).ci95_low, 2, 0);
    assert_near(method_stats(a, NULL, 10).ci95_high, 9, 0);
    assert_near(method_stats(a, NULL, 20).ci95_low, 6, 0);
    assert_near(method_stats(a, NULL, 20).ci95_high, 15, 0);
}

static void test_edges(void **state)
{
    const double same[] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 3};
    struct stats s = method_stats(same, NULL, 10);
    json_t *json;

    (void)state;
    assert_int_equal(method_stats(same, NULL, 0).n, 0);
    assert_near(s.mad, 0, 0);
    assert_int_equal(s.outliers, 1);
    s = method_stats(same, NULL, 1);
    assert_near(s.stdev, 0, 0);
    assert_near(s.ci95_low, 2, 0);
    json = stats_to_json(&s, same);
    assert_int_equal(json_array_size(json_object_get(json, "samples")), 1);
    assert_near(json_number_value(json_object_get(json, "median")), 2, 0);
    assert_false(json_boolean_value(json_object_get(json, "converged")));
    json_decref(json);
}

/* ---- decisions ---- */

static void test_rotation(void **state)
{
    const double mib = 1024 * 1024;
    bool cold;

    (void)state;
    assert_int_equal(method_rotation(50 * mib, 32 * mib, 1e12, &cold), 4);
    assert_true(cold);
    /* whatever fits: the copies are at least twice the cache, and at least two */
    for (double copy = 1 * mib; copy < 4096 * mib; copy *= 1.7) {
        int r = method_rotation(50 * mib, copy, 1e12, &cold);

        assert_true(cold && r >= 2 && r * copy >= 100 * mib);
        assert_true(r == 2 || (r - 1) * copy < 100 * mib); /* and no more than that */
    }
    /* too little memory: fewer copies, and it says so */
    assert_int_equal(method_rotation(50 * mib, 32 * mib, 70 * mib, &cold), 2);
    assert_false(cold);
    assert_int_equal(method_rotation(50 * mib, 32 * mib, 1, &cold), 1);
    assert_false(cold);
    /* one copy alone far beyond the cache is cold by itself */
    assert_int_equal(method_rotation(50 * mib, 200 * mib, 250 * mib, &cold), 1);
    assert_true(cold);
    /* more copies than a graph may have nodes */
    assert_int_equal(method_rotation(50 * mib, 8192, 1e12, &cold), 512);
    assert_false(cold);
    assert_int_equal(method_rotation(50 * mib, 0, 1e12, &cold), 1);
    assert_false(cold);
}

static void test_launches(void **state)
{
    (void)state;
    assert_int_equal(method_launches(12e-6, 0.005, 0, 4), 420);
    assert_int_equal(method_launches(1, 0.005, 0, 1), 1);
    assert_int_equal(method_launches(1, 0.005, 0, 7), 7);
    assert_int_equal(method_launches(1e-9, 0.005, 0, 1), 512);
    assert_int_equal(method_launches(0, 0.005, 0, 7), 511);
    assert_int_equal(method_launches(1e-9, 0.005, 0, 600), 600);
    /* 1 ms: 5 would do for 5 ms, 16 fit in 0.1 s; 10 ms: they do not */
    assert_int_equal(method_launches(1e-3, 0.005, 0.1, 1), 16);
    assert_int_equal(method_launches(1e-3, 0.005, 0.1, 7), 21);
    assert_int_equal(method_launches(10e-3, 0.005, 0.1, 1), 1);
    assert_int_equal(method_launches(10e-3, 0.005, 0.1, 2), 2);
    assert_int_equal(method_launches(12e-6, 0.005, 0.1, 4), 420);
    for (int r = 1; r <= 512; r++)
        for (double each = 1e-7; each < 1; each *= 3) {
            int g = method_launches(each, 0.005, 0, r);

            assert_int_equal(g % r, 0);
            assert_true(g >= r && g <= 512);
            assert_true(g * each >= 0.005 || g + r > 512);
        }
}

static void test_order(void **state)
{
    enum { N = 57 };
    int a[N], b[N], c[N], seen[N] = {0}, moved = 0, differ = 0;

    (void)state;
    method_order(0x5eed, N, a);
    method_order(0x5eed, N, b);
    method_order(0x5eee, N, c);
    for (int i = 0; i < N; i++) {
        assert_in_range(a[i], 0, N - 1);
        seen[a[i]]++;
        moved += a[i] != i;
        differ += a[i] != c[i];
        assert_int_equal(a[i], b[i]);
    }
    for (int i = 0; i < N; i++)
        assert_int_equal(seen[i], 1);
    assert_true(moved > N / 2 && differ > N / 2);
    method_order(1, 0, a);
}

static void test_drift(void **state)
{
    (void)state;
    assert_false(method_drift(1.00, 1.029));
    assert_true(method_drift(1.00, 1.031));
    assert_true(method_drift(1.031, 1.00));
    assert_false(method_drift(5e-6, 5e-6));
}

static void test_throttle(void **state)
{
    uint64_t bits[100] = {0};

    (void)state;
    assert_int_equal(method_throttle(bits, 2, 0.05), THROTTLE_UNKNOWN);
    assert_int_equal(method_throttle(bits, 100, 0.05), THROTTLE_NONE);
    bits[0] = 0x1 | 0x2 | 0x10 | 0x100;
    assert_int_equal(method_throttle(bits, 100, 0.05), THROTTLE_NONE);
    bits[50] = 0x4;
    assert_int_equal(method_throttle(bits, 100, 0.05), THROTTLE_POWER_CAP);
    bits[1] = bits[2] = 0x20; /* 2 %: no more than a moment */
    assert_int_equal(method_throttle(bits, 100, 0.05), THROTTLE_POWER_CAP);
    bits[3] = 0x40;
    assert_int_equal(method_throttle(bits, 100, 0.05), THROTTLE_THERMAL);
    bits[1] = bits[2] = bits[3] = 0x80;
    assert_int_equal(method_throttle(bits, 100, 0.05), THROTTLE_HW);
    /* of readings 0.2 s apart, one alone is longer than a moment */
    bits[2] = bits[3] = 0;
    assert_int_equal(method_throttle(bits, 10, 0.05), THROTTLE_NONE);
    assert_int_equal(method_throttle(bits, 10, 0.2), THROTTLE_HW);
    assert_int_equal(method_throttle_now(0x1 | 0x4), THROTTLE_POWER_CAP);
    assert_int_equal(method_throttle_now(0x4 | 0x40), THROTTLE_THERMAL);
    assert_int_equal(method_throttle_now(0x1), THROTTLE_NONE);
    assert_string_equal(throttle_word(THROTTLE_POWER_CAP), "power_cap");
}

/* ---- when to stop ---- */

static void test_stop(void **state)
{
    struct method_settings s = method_preset(PRESET_NORMAL);
    double a[METHOD_MAX_SAMPLES];

    (void)state;
    for (int i = 0; i < METHOD_MAX_SAMPLES; i++)
        a[i] = 1 + 0.001 * (i % 7);
    assert_int_equal(method_stop(&s, a, 9, 0.5), STOP_NOT);  /* too few */
    assert_int_equal(method_stop(&s, a, 10, 0.2), STOP_NOT); /* too soon */
    assert_int_equal(method_stop(&s, a, 10, 0.31), STOP_CONVERGED);
    assert_int_equal(method_stop(&s, a, 0, 99), STOP_NOT);
    assert_int_equal(method_stop(&s, a, 4, 1.1), STOP_NOT); /* four cover 88 % */
    assert_int_equal(method_stop(&s, a, 5, 0.9), STOP_NOT); /* there is time for ten */
    assert_int_equal(method_stop(&s, a, 5, 1.1), STOP_CONVERGED);
    a[3] = 1.03; /* the ends of five are the interval */
    assert_int_equal(method_stop(&s, a, 5, 1.1), STOP_TIME);
    a[3] = 1.003;
    assert_int_equal(method_stop(&s, a, 1, 14.9), STOP_NOT);
    assert_int_equal(method_stop(&s, a, 1, 15.1), STOP_TIME);
    /* two levels 20 % apart: the interval never narrows */
    for (int i = 0; i < METHOD_MAX_SAMPLES; i++)
        a[i] = i % 2 ? 1 : 1.2;
    assert_int_equal(method_stop(&s, a, 41, 0.5), STOP_NOT);
    assert_int_equal(method_stop(&s, a, 42, 0.5), STOP_PLATEAU);
    assert_int_equal(method_stop(&s, a, 20, 1.0), STOP_TIME);
    /* a spread that shrinks by more than 10 % in 32 samples goes on until 200 */
    for (int i = 0; i < METHOD_MAX_SAMPLES; i++)
        a[i] = 1 + ((i * 37) % 101) / 101.0;
    s.max_time = 1e9;
    assert_int_equal(method_stop(&s, a, 60, 0.5), STOP_NOT);
    assert_int_not_equal(method_stop(&s, a, 200, 0.5), STOP_NOT);
    /* 200 samples of 512 launches of 1 us are over after 0.1 s: narrow, so converged */
    for (int i = 0; i < METHOD_MAX_SAMPLES; i++)
        a[i] = 1e-6 * (1 + 0.001 * (i % 7));
    assert_int_equal(method_stop(&s, a, 199, 0.1), STOP_NOT);
    assert_int_equal(method_stop(&s, a, 200, 0.1), STOP_CONVERGED);
    for (int i = 0; i < METHOD_MAX_SAMPLES; i++)
        a[i] = i % 2 ? 1e-6 : 1.2e-6;
    assert_int_equal(method_stop(&s, a, 200, 0.1), STOP_SAMPLES);
}

static void test_presets(void **state)
{
    struct method_settings s = method_preset(PRESET_QUICK);

    (void)state;
    assert_near(s.max_time, 0.3, 0);
    assert_near(s.min_time, 0.3, 0);
    assert_near(s.device_warmup_min, 3, 0);
    assert_near(s.device_warmup_max, 10, 0);
    assert_near(method_preset(PRESET_NORMAL).max_time, 1, 0);
    assert_near(method_preset(PRESET_NORMAL).device_warmup_min, 3, 0);
    assert_near(method_preset(PRESET_THOROUGH).max_time, 3, 0);
    assert_near(method_preset(PRESET_THOROUGH).rel_ci, 0.01, 0);
}

/* ---- a device that is made of arithmetic ---- */

struct synthetic {
    double clock;       /* s */
    double each;        /* s per operation when warm and cold-cached */
    int runs, launches; /* calls, operations so far */
    double cold_first;  /* factor of the first operation ever */
    double alone;       /* factor of one launched by itself; 0 = 1 */
    double warm_after;  /* s; until then operations get faster, from 1.5 times */
    double cache, copy; /* bytes; below the cache an operation takes 0.4 */
    int rotation;
    double noise;               /* +- share, pseudo-random */
    double outlier_every;       /* every so many runs one takes ten times as long */
    int fail_at, stop_at;       /* run number; 0 = never */
    int slow_at;                /* and of the one that takes a hundred times as long */
    int windows, before_window; /* calls of window(); operations before it */
    unsigned random;
};

static double synthetic_now(void *ctx)
{
    return ((struct synthetic *)ctx)->clock;
}

static double uniform(struct synthetic *s)
{
    s->random = s->random * 1664525u + 1013904223u;
    return (s->random >> 8) / 16777216.0;
}

static bool synthetic_run(void *ctx, int launches, double *seconds)
{
    struct synthetic *s = ctx;

    *seconds = 0;
    if (++s->runs == s->fail_at)
        return false;
    for (int i = 0; i < launches; i++) {
        double each = s->each * (1 + s->noise * (2 * uniform(s) - 1));

        if (s->rotation * s->copy < s->cache)
            each *= 0.4; /* what is asked for is still in the cache */
        if (s->clock + *seconds < s->warm_after)
            each *= 1.5 - 0.5 * (s->clock + *seconds) / s->warm_after;
        if (launches == 1 && s->alone > 0)
            each *= s->alone;
        if (s->launches++ == 0 && s->cold_first > 0)
            each *= s->cold_first;
        *seconds += each;
    }
    if (s->outlier_every > 0 && s->runs % (int)s->outlier_every == 0)
        *seconds *= 10;
    if (s->runs == s->slow_at)
        *seconds *= 100;
    s->clock += *seconds;
    return true;
}

static bool synthetic_stop(void *ctx)
{
    struct synthetic *s = ctx;

    return s->stop_at && s->runs >= s->stop_at;
}

static void synthetic_window(void *ctx)
{
    struct synthetic *s = ctx;

    s->windows++;
    s->before_window = s->launches;
}

static struct measured *measure_by(struct method_settings settings, struct synthetic *s,
                                   int rotation)
{
    static struct measured m;
    struct sampler sampler = {.ctx = s,
                              .now = synthetic_now,
                              .run = synthetic_run,
                              .stop = synthetic_stop,
                              .window = synthetic_window};

    s->rotation = rotation;
    method_measure(&settings, &sampler, rotation, &m);
    return &m;
}

static struct measured *measure(struct synthetic *s, int rotation)
{
    return measure_by(method_preset(PRESET_NORMAL), s, rotation);
}

static struct measured *sum(enum preset preset, struct synthetic *s)
{
    struct method_settings settings = method_preset(preset);

    return measure_by(method_of_sums(&settings), s, 1);
}

static void test_measures(void **state)
{
    struct synthetic s = {.each = 20e-6, .noise = 0.005};
    struct measured *m = measure(&s, 4);

    (void)state;
    assert_near(m->stats.median, 20e-6, 0.05e-6);
    assert_true(m->stats.converged && m->reason == STOP_CONVERGED);
    assert_int_equal(m->launches % 4, 0);
    assert_true(m->launches * 20e-6 >= 0.0049);
    assert_true(m->stats.n >= 10 && m->times[m->stats.n - 1] >= 0.3);
    assert_true(m->times[m->stats.n - 1] < 0.32);
    assert_int_equal(s.windows, 1);
    assert_true(s.before_window * 20e-6 > 0.099); /* 100 ms were not counted */
}

/* The first launch loads modules and touches pages: 3000 times as long. A mean over all
 * launches is off by more than ten percent; ours does not move. */
static void test_cold_first_sample(void **state)
{
    struct synthetic s = {.each = 20e-6, .cold_first = 100000};
    struct measured *m = measure(&s, 1);
    struct synthetic naive = {.each = 20e-6, .cold_first = 100000};
    double seconds;

    (void)state;
    synthetic_run(&naive, 1000, &seconds);
    assert_true(seconds / 1000 > 1.1 * 20e-6);
    assert_near(m->stats.median, 20e-6, 1e-9);
    assert_near(m->stats.max, 20e-6, 1e-9); /* nor is it anywhere among the samples */
    assert_near(m->stats.first_over_median, 1, 1e-6);
}

/* Should one get among them all the same, the median stays. */
static void test_slow_sample_among_few(void **state)
{
    double a[12];
    struct stats s;

    (void)state;
    for (int i = 0; i < 12; i++)
        a[i] = i ? 1 + 0.001 * i : 30;
    s = method_stats(a, NULL, 12);
    assert_near(s.median, 1.006, 0.001);
    assert_true(s.mean > 3);
    assert_near(s.first_over_median, 30 / s.median, 1e-9);
    assert_int_equal(s.outliers, 1);
}

/* Operations too long for ten samples of two copies each: an H100's FP32 product of
 * 8192 cubed, a T4's in FP16, an A100's in FP32. Five are near each other, or not. */
static void test_long_operation(void **state)
{
    static const double each[] = {22e-3, 30e-3, 44e-3, 56e-3, 0.38};

    (void)state;
    for (int preset = PRESET_QUICK; preset <= PRESET_THOROUGH; preset++)
        for (size_t i = 0; i < sizeof each / sizeof each[0]; i++) {
            struct synthetic steady = {.each = each[i], .noise = 0.005};
            struct synthetic noisy = {.each = each[i], .outlier_every = 3};
            struct method_settings s = method_preset((enum preset)preset);

            assert_true(measure_by(s, &steady, 2)->stats.converged);
            if (2 * each[i] * 10 > s.max_time)
                assert_false(measure_by(s, &noisy, 2)->stats.converged);
        }
}

/* Clocks that need 80 ms to rise: over before the first sample. */
static void test_slow_clocks_at_first(void **state)
{
    struct synthetic s = {.each = 20e-6, .warm_after = 0.08};
    struct measured *m = measure(&s, 2);

    (void)state;
    assert_near(m->stats.median, 20e-6, 1e-9);
    assert_near(m->stats.max, 20e-6, 1e-9);
}

/* One copy of 32 MiB under a cache of 50: 2.5 times too fast. What method_rotation says
 * gives the time that weights from memory take. */
static void test_warm_cache(void **state)
{
    const double mib = 1024 * 1024;
    struct synthetic s = {.each = 20e-6, .cache = 50 * mib, .copy = 32 * mib};
    struct synthetic naive = s;
    bool cold;
    int rotation = method_rotation(s.cache, s.copy, 1e12, &cold);

    (void)state;
    assert_near(measure(&naive, 1)->stats.median, 0.4 * 20e-6, 1e-9);
    assert_true(cold);
    assert_near(measure(&s, rotation)->stats.median, 20e-6, 1e-9);
    assert_int_equal(measure(&s, rotation)->launches % rotation, 0);
}

static void test_outliers_do_not_move_it(void **state)
{
    struct synthetic s = {.each = 20e-6, .noise = 0.01, .outlier_every = 7};
    struct measured *m = measure(&s, 1);

    (void)state;
    assert_near(m->stats.median, 20e-6, 0.1e-6);
    assert_true(m->stats.outliers >= m->stats.n / 8);
    assert_true(m->stats.mean > 1.5 * m->stats.median);
}

/* Operations that take a second each: three samples, not ten, and it says so. */
static void test_slow_operation(void **state)
{
    struct synthetic s = {.each = 1.0}, endless = {.each = 4.0};
    struct measured *m = measure(&s, 1);

    (void)state;
    assert_int_equal(m->launches, 1);
    assert_int_equal(m->stats.n, 5);
    assert_int_equal(m->reason, STOP_CONVERGED);
    m = measure(&endless, 1); /* 15 times max_time is the end, whatever there is */
    assert_int_equal(m->stats.n, 4);
    assert_int_equal(m->reason, STOP_TIME);
    assert_false(m->stats.converged);
}

/* 10 us: 512 launches are 5.12 ms, so ten runs of them a sample. 30 ms: two launches a
 * sample, and 20 before the first. Quick has 0.3 s: twenty samples of 15 ms. */
static void test_sums_over_devices(void **state)
{
    struct synthetic fast = {.each = 10e-6}, slow = {.each = 0.03};
    struct synthetic quick = {.each = 10e-6}, single = {.each = 10e-6};
    struct synthetic queued = {.each = 150e-6, .alone = 1.2};
    struct synthetic stops = {.each = 10e-6, .stop_at = 60};
    struct measured *m = sum(PRESET_NORMAL, &fast);

    (void)state;
    assert_int_equal(m->launches, 512);
    assert_int_equal(m->runs, 10);
    assert_near(m->stats.median, 10e-6, 1e-12);
    assert_near(m->times[0], 0.0512, 1e-9);
    assert_true(m->stats.converged && m->stats.n == 10);
    m = sum(PRESET_THOROUGH, &slow);
    assert_int_equal(m->launches * m->runs, 2);
    assert_true(slow.before_window >= 20 && slow.before_window <= 23);
    assert_near(m->stats.median, 0.03, 1e-9);
    m = sum(PRESET_QUICK, &quick);
    assert_near(m->times[0], 3 * 0.00512, 1e-9);
    assert_true(m->stats.converged);
    m = sum(PRESET_NORMAL, &queued); /* the first estimate was of launches alone */
    assert_int_equal(m->launches * m->runs, 334);
    m = sum(PRESET_NORMAL, &stops); /* also between the runs of a sample */
    assert_true(m->interrupted && stops.runs == 60);
    m = measure(&single, 1); /* of others, the most are 512 */
    assert_int_equal(m->launches * m->runs, 500);
    assert_near(m->times[0], 0.005, 1e-9);
}

/* Whatever holds one batch up before the samples, the last one too, does not make those
 * shorter: 200 short ones would be over before the sensors were read. */
static void test_one_slow_batch_leaves_the_size(void **state)
{
    (void)state;
    for (int at = 0; at <= 30; at++) {
        struct synthetic s = {.each = 20e-6, .slow_at = at};
        struct measured *m = measure(&s, 1);

        assert_int_equal(m->launches * m->runs, 250);
    }
}

static void test_noise_never_settles(void **state)
{
    struct synthetic s = {.each = 0.006, .noise = 0.6};
    struct measured *m = measure(&s, 1);

    (void)state;
    assert_true(m->reason == STOP_PLATEAU || m->reason == STOP_TIME);
    assert_false(m->stats.converged);
}

static void test_failure_and_stop(void **state)
{
    struct synthetic fails = {.each = 20e-6, .fail_at = 2};
    struct synthetic later = {.each = 20e-6, .fail_at = 40};
    struct synthetic stops = {.each = 20e-6, .stop_at = 30};
    struct synthetic frozen = {.each = 0};
    struct measured *m = measure(&fails, 1);

    (void)state;
    assert_true(m->failed);
    assert_int_equal(m->stats.n, 0);
    m = measure(&later, 1);
    assert_true(m->failed && !m->interrupted && m->stats.n > 0);
    m = measure(&stops, 1);
    assert_true(m->interrupted && !m->failed);
    assert_int_equal(stops.runs, 30);
    m = measure(&frozen, 1); /* a clock that stands still measured nothing */
    assert_true(m->failed);
}

/* ---- device warm-up ---- */

static struct warmed warm(struct synthetic *s)
{
    struct method_settings settings = method_preset(PRESET_NORMAL);
    struct sampler sampler = {
        .ctx = s, .now = synthetic_now, .run = synthetic_run, .stop = synthetic_stop};
    struct warmed out;

    s->rotation = 1;
    method_warmup(&settings, &sampler, &out);
    return out;
}

static void test_warmup(void **state)
{
    struct synthetic steady = {.each = 0.01};
    struct synthetic rises = {.each = 0.01, .warm_after = 4.5};
    struct synthetic noisy = {.each = 0.3, .noise = 0.9};
    struct synthetic stops = {.each = 0.01, .stop_at = 5};
    struct synthetic fails = {.each = 0.01, .fail_at = 5};
    struct warmed w = warm(&steady);

    (void)state;
    assert_true(w.steady && w.seconds >= 3 && w.seconds < 4.5);
    assert_near(w.rate, 100, 1);
    w = warm(&rises); /* two equal windows after the clocks have risen */
    assert_true(w.steady && w.seconds > 5 && w.seconds < 8);
    assert_near(w.rate, 100, 1);
    w = warm(&noisy);
    assert_true(w.seconds < 32);
    w = warm(&stops);
    assert_true(w.interrupted && !w.failed);
    w = warm(&fails);
    assert_true(w.failed);
}

/* The rate is steady from the start; the clock falls until it has settled. */
static double falling_clock(void *ctx)
{
    struct synthetic *s = ctx;

    s->windows++;
    return s->clock < 6 ? 1980 - 60 * s->clock : 1620;
}

static double unknown_clock(void *ctx)
{
    ((struct synthetic *)ctx)->windows++;
    return 0;
}

static void test_warmup_clock(void **state)
{
    struct method_settings settings = method_preset(PRESET_NORMAL);
    struct synthetic falls = {.each = 0.01, .rotation = 1};
    struct synthetic unknown = {.each = 0.01, .rotation = 1};
    struct sampler sampler = {.ctx = &falls,
                              .now = synthetic_now,
                              .run = synthetic_run,
                              .stop = synthetic_stop,
                              .clock = falling_clock};
    struct warmed w;

    (void)state;
    method_warmup(&settings, &sampler, &w);
    assert_true(w.steady && w.seconds >= 7 && w.seconds < 10);
    assert_near(w.clock, 1620, 0.5);
    assert_true(falls.windows >= 7);
    sampler.ctx = &unknown;
    sampler.clock = unknown_clock;
    method_warmup(&settings, &sampler, &w);
    assert_true(w.steady && w.seconds < 4.5);
    assert_near(w.clock, 0, 0);
}

/* ---- correctness ---- */

static void test_no_zeros(void **state)
{
    struct check few = {.done = true, .ok = true}, many = few, none = few;
    struct check bad = {.done = true, .ok = false, .why = "is 1, not 2"}, meant = few;

    (void)state;
    method_no_zeros(&few, FILL_UNIFORM, 2, 16); /* NVFP4: two codes of sixteen */
    assert_true(few.ok);
    assert_near(few.zeros, 0.125, 1e-12);
    method_no_zeros(&many, FILL_NORMAL, 100, 100);
    assert_false(many.ok);
    assert_non_null(strstr(many.why, "100 % of the operands are zero"));
    method_no_zeros(&none, FILL_UNIFORM, 0, 0);
    assert_true(none.ok);
    method_no_zeros(&bad, FILL_UNIFORM, 100, 100); /* what came first is kept */
    assert_string_equal(bad.why, "is 1, not 2");
    method_no_zeros(&meant, FILL_ZEROS, 100, 100); /* asked for: a flag says so */
    assert_true(meant.ok);
    assert_near(meant.zeros, 1, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_statistics),
        cmocka_unit_test(test_interval_covers),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_launches),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_drift),
        cmocka_unit_test(test_throttle),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_presets),
        cmocka_unit_test(test_measures),
        cmocka_unit_test(test_cold_first_sample),
        cmocka_unit_test(test_slow_sample_among_few),
        cmocka_unit_test(test_slow_clocks_at_first),
        cmocka_unit_test(test_long_operation),
        cmocka_unit_test(test_warm_cache),
        cmocka_unit_test(test_outliers_do_not_move_it),
        cmocka_unit_test(test_slow_operation),
        cmocka_unit_test(test_sums_over_devices),
        cmocka_unit_test(test_one_slow_batch_leaves_the_size),
        cmocka_unit_test(test_noise_never_settles),
        cmocka_unit_test(test_failure_and_stop),
        cmocka_unit_test(test_warmup),
        cmocka_unit_test(test_warmup_clock),
        cmocka_unit_test(test_no_zeros),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
