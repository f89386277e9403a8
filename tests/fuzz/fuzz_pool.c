/*
 * fuzz_pool.c - any text as a pool file; what is accepted must be figures that can be
 * planned with. Then the same text as a shape.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "catalog/profile.h"
#include "pool/pool_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 loses the text it was reading when a syntax error follows it. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig\n";
}

static void check_workload(const struct pool_file *file, const struct pool_file_workload *w)
{
    double sum = 0;

    for (int h = 0; h < file->hours; h++) {
        if (!(w->rate[h] >= 0) || !isfinite(w->rate[h]))
            abort();
        sum += w->rate[h];
    }
    if (!(sum > 0) || !(w->pool.burst >= 1) || w->pool.priority < 1 || !w->name[0] || !w->model[0])
        abort();
}

static void try_pool(const char *text, size_t size)
{
    struct pool_file file;
    struct gp_err err;

    if (pool_file_parse(NULL, NULL, "fuzz.cfg", text, size, NULL, NULL, &file, &err))
        return;
    if (file.type_count < 1 || file.workload_count < 1 || (file.hours != 24 && file.hours != 168))
        abort();
    for (size_t i = 0; i < file.workload_count; i++)
        check_workload(&file, &file.workloads[i]);
    for (int i = 0; i < file.job_count; i++)
        if (file.jobs[i].pool.first >= file.jobs[i].pool.end || file.jobs[i].pool.end > file.hours)
            abort();
    pool_file_fini(&file);
}

static void try_shape(const char *text, size_t size)
{
    struct profile *profile;
    struct shape shape = {0};
    double out[POOL_FILE_HOURS];

    if (profile_parse("fuzz.cfg", text, size, &profile, NULL))
        return;
    shape_read(profile_top(profile), &shape);
    if (profile_finish(profile, NULL, NULL, NULL) == GP_OK) {
        shape_fit(&shape, 24, out);
        shape_fit(&shape, 168, out);
        for (int h = 0; h < 168; h++)
            if (!(out[h] >= 0))
                abort();
    }
    profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_pool((const char *)data, size);
    try_shape((const char *)data, size);
    return 0;
}
