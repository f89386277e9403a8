/*
 * direct_onednn.c - a developer's check: oneDNN called with nothing around it, to hold the
 * engine's figures against in the same session. Not part of `make check`.
 *
 *   cc -O2 direct_onednn.c -ldnnl -o direct_onednn && ./direct_onednn 2048 2048 2048
 *
 * Prints the median and the best of 41 FP32 products, weights packed (oneDNN v2.6 API),
 * operands of two copies taken in turn as the engine does.
 */
#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if DNNL_VERSION_MAJOR < 3
enum { RUNS = 41, COPIES = 2 };

static void must(dnnl_status_t status, const char *what)
{
    if (status == dnnl_success)
        return;
    fprintf(stderr, "%s: status %d\n", what, (int)status);
    exit(1);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static dnnl_memory_t filled(const dnnl_memory_desc_t *md, dnnl_engine_t engine)
{
    size_t bytes = dnnl_memory_desc_get_size(md);
    float *data = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    dnnl_memory_t memory;

    if (!data)
        exit(1);
    for (size_t i = 0; i < bytes / sizeof *data; i++)
        data[i] = (float)rand() / (float)RAND_MAX * 2 - 1;
    must(dnnl_memory_create(&memory, md, engine, data), "memory");
    return memory;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    long m = argc > 3 ? atol(argv[1]) : 2048, n = argc > 3 ? atol(argv[2]) : 2048;
    long k = argc > 3 ? atol(argv[3]) : 2048;
    dnnl_dims_t xd = {n, k}, wd = {k, m}, yd = {n, m};
    dnnl_memory_desc_t x, w, y;
    dnnl_memory_t xs[COPIES], ws[COPIES], ys[COPIES];
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_matmul_desc_t desc;
    dnnl_primitive_desc_t made;
    dnnl_primitive_t primitive;
    double times[RUNS], work = 2.0 * (double)m * (double)n * (double)k;

    must(dnnl_engine_create(&engine, dnnl_cpu, 0), "engine");
    must(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "stream");
    must(dnnl_memory_desc_init_by_tag(&x, 2, xd, dnnl_f32, dnnl_ab), "x");
    must(dnnl_memory_desc_init_by_tag(&w, 2, wd, dnnl_f32, dnnl_format_tag_any), "w");
    must(dnnl_memory_desc_init_by_tag(&y, 2, yd, dnnl_f32, dnnl_ab), "y");
    must(dnnl_matmul_desc_init(&desc, &x, &w, NULL, &y), "matmul");
    must(dnnl_primitive_desc_create(&made, &desc, NULL, engine, NULL), "desc");
    must(dnnl_primitive_create(&primitive, made), "primitive");
    for (int i = 0; i < COPIES; i++) {
        xs[i] = filled(&x, engine);
        ws[i] = filled(dnnl_primitive_desc_query_md(made, dnnl_query_weights_md, 0), engine);
        ys[i] = filled(&y, engine);
    }
    for (int i = -4; i < RUNS; i++) {
        dnnl_exec_arg_t args[] = {
            {DNNL_ARG_SRC, xs[i & 1]}, {DNNL_ARG_WEIGHTS, ws[i & 1]}, {DNNL_ARG_DST, ys[i & 1]}};
        double start = now();

        must(dnnl_primitive_execute(primitive, stream, 3, args), "execute");
        must(dnnl_stream_wait(stream), "wait");
        if (i >= 0)
            times[i] = now() - start;
    }
    qsort(times, RUNS, sizeof times[0], by_value);
    printf("fp32 %ldx%ldx%ld: median %.4g ms, %.1f GFLOP/s; best %.4g ms\n", m, n, k,
           1e3 * times[RUNS / 2], work / times[RUNS / 2] / 1e9, 1e3 * times[0]);
    return 0;
}
#else
int main(void)
{
    puts("this check is written for oneDNN v2");
    return 77;
}
#endif
