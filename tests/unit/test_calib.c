/* test_calib.c - a device's own points: shares found again, odd ones borne, shapes kept; labs'
 * figures together, and what they say of a lab that was left out. The labs are drawn here. */
#include "plan/speed/calib.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/result/shared.h"
#include "plan/speed/gemm.h"
#include "shipped.h"

static const double rows[] = {4096, 28672, 4096, 6144}, cols[] = {4096, 4096, 14336, 4096};
#define SHAPES (int)(sizeof(rows) / sizeof(rows[0]))

/* Points of BF16 products on a GPU whose kernels reach other shares than its family's. */
static void measure(struct calib *c, const struct gpu *gpu, double compute, double memory)
{
    struct family real = *gpu->family;

    *c = (struct calib){.from = CALIB_OWN, .date = "2026-11-23"};
    c->read = quantity_unknown();
    c->rate = quantity_unknown();
    real.product[KERNEL_16].compute *= compute;
    real.product[KERNEL_16].memory *= memory;
    for (int i = 0; i < SHAPES; i++)
        for (double n = 1; n <= 4096; n *= 4) {
            struct calib_point *p = &c->point[c->points++];
            *p = (struct calib_point){.kernel = KERNEL_16,
                                      .rows = rows[i],
                                      .cols = cols[i],
                                      .tokens = n,
                                      .bytes = 2,
                                      .weight = 1};
            p->time = calib_law(gpu, &real, p);
        }
}

static double ratio(const struct family *f, const struct gpu *gpu)
{
    return f->product[KERNEL_16].memory / gpu->family->product[KERNEL_16].memory;
}

static void finds_shares_again(void **state)
{
    const struct gpu *h100 = profile_gpu(catalog, "h100-sxm");
    struct calib c;
    struct gpu gpu;
    struct family f;

    (void)state;
    measure(&c, h100, 0.9, 0.85);
    calib_fit(&c, h100, h100, &gpu, &f);
    assert_near(ratio(&f, h100), 0.85, 0.01);
    assert_near(f.product[KERNEL_16].compute / h100->family->product[KERNEL_16].compute, 0.9, 0.01);
    assert_true(c.rms < 0.01);
    assert_near(f.product[KERNEL_FP8].memory, h100->family->product[KERNEL_FP8].memory, 1e-9);
    /* two odd points of 24 */
    measure(&c, h100, 0.9, 0.85);
    c.point[0].time *= 3;
    c.point[7].time *= 2.5;
    calib_fit(&c, h100, h100, &gpu, &f);
    assert_near(ratio(&f, h100), 0.85, 0.04);
    /* nonsense stays within bounds */
    measure(&c, h100, 0.001, 0.001);
    calib_fit(&c, h100, h100, &gpu, &f);
    assert_true(f.product[KERNEL_16].memory >= 0.0499 && f.product[KERNEL_16].compute >= 0.0499);
    /* two points are no law */
    measure(&c, h100, 1, 0.7);
    c.points = 2;
    calib_fit(&c, h100, h100, &gpu, &f);
    assert_near(ratio(&f, h100), 1, 1e-9);
}

static void keeps_shapes(void **state)
{
    const struct gpu *h100 = profile_gpu(catalog, "h100-sxm");
    struct calib c;
    struct gpu gpu;
    struct family f;
    float at[CALIB_OCTAVES];

    (void)state;
    measure(&c, h100, 1, 1);
    for (int i = 0; i < 6; i++) /* the first shape alone is slow */
        c.point[i].time *= 1.3;
    calib_fit(&c, h100, h100, &gpu, &f);
    calib_near(&c, KERNEL_16, rows[0], cols[0], 2, at);
    for (int i = 0; i < 6; i++) /* at 1, 4, 16 .. tokens it is as measured */
        assert_near(calib_law(h100, &f, &c.point[i]) * at[2 * i] / c.point[i].time, 1, 1e-4);
    assert_true(at[1] > 1.1);
    calib_near(&c, KERNEL_16, 512, 131072, 2, at); /* far from all that was measured */
    for (int i = 0; i < CALIB_OCTAVES; i++)
        assert_near(at[i], 1, 1e-6);
    calib_near(&c, KERNEL_FP8, rows[0], cols[0], 2, at); /* another kernel */
    assert_near(at[0], 1, 1e-6);
}

static void reads(void **state)
{
    const struct gpu *h100 = profile_gpu(catalog, "h100-sxm");
    const struct gpu *h200 = profile_gpu(catalog, "h200-sxm");
    struct calib c;
    struct gpu gpu;
    struct family f;

    (void)state;
    measure(&c, h100, 1, 1);
    c.points = 0;
    c.read = quantity_of(0.5 * h100->bandwidth.value, ORIGIN_MEASURED);
    calib_fit(&c, h100, h100, &gpu, &f);
    assert_true(f.product[KERNEL_16].memory <= 0.5);
    assert_true(f.kv_memory < 0.6 * h100->family->kv_memory);
    assert_near(gpu.bandwidth.value, h100->bandwidth.value, 1);   /* the sheet's stays */
    c.read = quantity_of(h100->bandwidth.value, ORIGIN_MEASURED); /* nothing gets faster */
    calib_fit(&c, h100, h100, &gpu, &f);
    assert_near(ratio(&f, h100), 1, 1e-9);
    /* to another GPU of the generation shares go, shapes do not */
    measure(&c, h100, 1, 0.8);
    c.from = CALIB_FAMILY;
    calib_fit(&c, h100, h200, &gpu, &f);
    assert_near(ratio(&f, h200), 0.8, 0.01);
    assert_int_equal(c.points, 0);
    assert_string_equal(gpu.id, "h200-sxm");
}

/* Of processors: what a stream reads, and what an engine's rows of weights reach of it. */
static void rows_of_processors(void **state)
{
    const struct family *cpu;
    struct calib c = {.from = CALIB_OWN};
    struct gpu host = {.host = true, .bandwidth = quantity_of(24e9, ORIGIN_ASSUMED)}, out;
    struct family f;
    float at[CALIB_OCTAVES];

    (void)state;
    assert_int_equal(catalog_family(catalog, "cpu", &cpu, NULL), GP_OK);
    host.family = cpu;
    c.read = quantity_of(40e9, ORIGIN_MEASURED);
    c.rate = quantity_of(300e9, ORIGIN_MEASURED);
    calib_fit(&c, &host, &host, &out, &f);
    assert_near(out.bandwidth.value, 40e9, 1);
    assert_near(out.rate[MATH_BF16].value, 300e9, 1);
    assert_near(f.product[KERNEL_GGUF16].memory, cpu->product[KERNEL_GGUF16].memory, 1e-9);
    for (int i = 0; i < 4; i++) /* rows at half of the stream, whatever the sheet assumed */
        c.point[i] = (struct calib_point){.kernel = KERNEL_GGUF16,
                                          .rows = 1024 << i,
                                          .cols = 2048,
                                          .tokens = 1,
                                          .bytes = 2,
                                          .weight = 1,
                                          .time = (1024 << i) * 2048 * 2 / 20e9};
    c.points = 4;
    calib_fit(&c, &host, &host, &out, &f);
    assert_true(f.product[KERNEL_GGUF16].memory > 0.46 && f.product[KERNEL_GGUF16].memory < 0.54);
    assert_near(f.product[KERNEL_GGUF].memory, cpu->product[KERNEL_GGUF].memory, 1e-9);
    c.point[0].time *= 1.5;
    calib_fit(&c, &host, &host, &out, &f);
    calib_near(&c, KERNEL_GGUF16, 1024, 2048, 2, at);
    assert_true(at[0] > 1.3);
    calib_near(&c, KERNEL_GGUF16, 1024, 2048, 0.5, at); /* a format of a quarter the bytes */
    assert_true(at[0] < 1.1);
}

static void bands(void **state)
{
    const struct gpu *l40s = profile_gpu(catalog, "l40s"), *h100 = profile_gpu(catalog, "h100-sxm");
    struct calib c = {.from = CALIB_OWN, .rms = 0.02};
    struct gpu host = {.host = true};
    double own = calib_doubt(&c, l40s);

    (void)state;
    assert_true(own < 1.03);
    c.rms = 0.2; /* they scatter */
    assert_true(calib_doubt(&c, l40s) > 1.2);
    assert_true(calib_doubt(&c, h100) > 1.2);
    c.rms = NAN;
    assert_true(calib_doubt(&c, &host) > 1.2); /* other kernels than llama.cpp's */
    c.from = CALIB_KIND;
    assert_true(calib_doubt(&c, l40s) > own);
    c.from = CALIB_FAMILY;
    assert_true(calib_doubt(&c, l40s) > 1.15);
    for (c.from = CALIB_OWN; c.from < CALIB_FROM_COUNT; c.from++) /* measured: no wider for it */
        for (c.labs = 0; c.labs < 2; c.labs++) {
            c.apart = 0.5;
            assert_true(calib_doubt(&c, h100) <= h100->family->spread + 1e-9);
            assert_true(calib_doubt(&c, l40s) <= l40s->family->spread + 1e-9);
        }
}

/* ---- labs ---- */

static double normal(unsigned *seed)
{
    double sum = -6;

    for (int i = 0; i < 12; i++)
        sum += rand_r(seed) / (double)RAND_MAX;
    return sum;
}

/* Devices that make `spread` more or less of their sheet. */
static void draw_labs(struct shared_device *lab, int labs, double spread, unsigned *seed)
{
    for (int i = 0; i < labs; i++) {
        double off = exp(spread * normal(seed));

        lab[i] = (struct shared_device){.gpu = "h100-sxm", .month = "2026-11"};
        gp_format(lab[i].lab, sizeof(lab[i].lab), "%d", i);
        lab[i].read = 3.0e12 * off;
        lab[i].kernel[KERNEL_16] =
            (struct shared_kernel){.compute = 0.8 * off, .memory = 0.88 * off, .points = 10};
    }
}

/* Of a lab that no file is of, what the others' band holds; of 90 in 100 as it says. */
static void labs_left_out(void **state)
{
    static const double spread[] = {0.01, 0.02, 0.04, 0.06};
    const struct gpu *h100 = profile_gpu(catalog, "h100-sxm");
    struct shared_device lab[4];
    unsigned seed = 1;

    (void)state;
    for (size_t s = 0; s < sizeof(spread) / sizeof(spread[0]); s++) {
        int held = 0, trials = 1000;
        double apart = 0;

        for (int i = 0; i < trials; i++) {
            struct shared three = {.device = lab, .count = 3};
            struct shared_sum sum;

            draw_labs(lab, 4, spread[s], &seed);
            assert_int_equal(CALIB_KIND, shared_sums(&three, catalog, h100, NULL, &sum));
            double off = log(lab[3].kernel[KERNEL_16].memory / sum.figure[3].value);
            held += fabs(off) <= sum.apart;
            apart += sum.apart / trials;
        }
        print_message("labs %.0f %% apart: a fourth in the band of three %.1f %%, band %.1f %%\n",
                      100 * spread[s], 100.0 * held / trials, 100 * apart);
        assert_true(held >= 0.85 * trials);
        assert_true(spread[s] > 0.02 || apart < 0.07); /* of one lab: 0.08 */
    }
}

static void labs_together(void **state)
{
    const struct gpu *h100 = profile_gpu(catalog, "h100-sxm"),
                     *h200 = profile_gpu(catalog, "h200-sxm"), *l4 = profile_gpu(catalog, "l4");
    struct shared_device lab[6];
    struct shared all = {.device = lab, .count = 1};
    struct calib *c = calloc(1, sizeof(*c));
    struct shared_sum sum;
    struct gpu gpu;
    struct family f;
    unsigned seed = 7;

    (void)state;
    draw_labs(lab, 6, 0.01, &seed);
    assert_int_equal(CALIB_KIND, shared_sums(&all, catalog, h100, NULL, &sum));
    assert_true(fabs(sum.apart - 0.08) < 1e-3); /* one lab is one result */
    all.count = 6;
    shared_sums(&all, catalog, h100, NULL, &sum);
    assert_int_equal(6, sum.labs);
    assert_true(sum.apart < 0.05);
    assert_int_equal(CALIB_FAMILY, shared_sums(&all, catalog, h200, NULL, &sum));
    assert_true(sum.apart > 0.05);
    assert_int_equal(CALIB_NONE, shared_sums(&all, catalog, l4, NULL, &sum));

    strcpy(lab[5].lab, "0"); /* two devices of one lab */
    shared_sums(&all, catalog, h100, NULL, &sum);
    assert_int_equal(5, sum.labs);
    lab[4].kernel[KERNEL_16].memory = 0.4; /* nobody else measures so */
    shared_sums(&all, catalog, h100, NULL, &sum);
    assert_int_equal(1, sum.left_out);
    assert_true(sum.figure[3].value > 0.85);

    shared_calib(&sum, CALIB_KIND, h100, c);
    calib_fit(c, h100, h100, &gpu, &f);
    assert_true(fabs(f.product[KERNEL_16].memory - sum.figure[3].value) < 1e-9);
    assert_true(calib_covers(c, KERNEL_16) && !calib_covers(c, KERNEL_FP8));
    assert_near(calib_doubt(c, h100), 1, 1e-9); /* no wider than without */
    assert_true(fabs(log(calib_doubt(c, l4)) - hypot(sum.apart, 0.02)) < 1e-3);
    free(c);
}

static enum gp_status labs_parse(const char *text, struct gp_err *err)
{
    struct shared s = {0};
    enum gp_status rc = shared_parse("f", text, strlen(text), &s, err);

    shared_fini(&s);
    return rc;
}

#define FILE_OF(devices) "{\"schema\": \"gpuplan.share/1\", \"devices\": " devices "}"
#define DEVICE_OF(more) "[{\"lab\": \"a\", \"gpu\": \"l4\", " more "}]"

static void labs_refused(void **state)
{
    static const struct {
        const char *text, *where;
    } bad[] = {
        {"{}", "schema"},
        {FILE_OF("[]"), "devices"},
        {FILE_OF("[3]"), "devices[0]"},
        {FILE_OF("[{\"lab\": \"a\"}]"), "gpu"},
        {FILE_OF(DEVICE_OF("\"read_bytes_per_s\": 3")), "read_bytes_per_s"},
        {FILE_OF(DEVICE_OF("\"products\": []")), "products"},
        {FILE_OF(DEVICE_OF("\"products\": [{\"compute\": 1}]")), "products[0].kernel"},
        {FILE_OF(DEVICE_OF(
             "\"products\": [{\"kernel\": \"fp8\", \"compute\": 7, \"memory\": 1, \"n\": 9}]")),
         "products[0].compute"},
    };
    struct gp_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(GP_E_FILE, labs_parse(bad[i].text, &err));
        if (!strstr(err.where, bad[i].where) && !strstr(err.text, bad[i].where))
            fail_msg("%s: %s: %s", bad[i].text, err.where, err.text);
    }
    assert_int_equal(GP_OK, labs_parse(FILE_OF(DEVICE_OF("\"read_bytes_per_s\": 3e11")), &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_shares_again),
        cmocka_unit_test(keeps_shapes),
        cmocka_unit_test(reads),
        cmocka_unit_test(rows_of_processors),
        cmocka_unit_test(bands),
        cmocka_unit_test(labs_left_out),
        cmocka_unit_test(labs_together),
        cmocka_unit_test(labs_refused),
    };
    return cmocka_run_group_tests(tests, catalog_setup, catalog_teardown);
}
