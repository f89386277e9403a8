/*
 * keep.c - see keep.h.
 */
#include "pool/keep.h"

#include <math.h>
#include <string.h>

static unsigned random_below(uint64_t *random, unsigned n)
{
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((*random >> 33) % n);
}

void keep_nothing(const struct grid *grid, int *kept)
{
    memset(kept, 0, (size_t)grid->hours * (size_t)grid->types * sizeof(*kept));
}

static void keep(const struct grid *grid, int j, int t, int workers, int *kept)
{
    kept[t * grid->types + grid->pool->jobs[j].type] += workers * grid->job_seat[j];
}

/* As many workers as there may be, from an hour by chance on until the work is done. */
static void keep_some(const struct grid *grid, int j, uint64_t *random, int *kept)
{
    const struct pool_job *job = &grid->pool->jobs[j];
    int hours = job->end - job->first, at = (int)random_below(random, (unsigned)hours);
    double left = ceil((job->gpu_hours - 1e-9) / job->gpus);

    for (int k = 0; k < hours && left > 0; k++, at = (at + 1) % hours) {
        int workers = (int)fmin(job->most, left);

        keep(grid, j, job->first + at, workers, kept);
        left -= workers;
    }
}

bool keep_for_jobs(struct assign *a, uint64_t *random, int *kept)
{
    const struct grid *grid = a->grid;
    unsigned how = random_below(random, 3);

    keep_nothing(grid, kept);
    for (int g = 0; g < grid->types && how == 1; g++)
        assign_jobs(a, g, a->room[g]);
    for (int j = 0; j < grid->jobs; j++) {
        for (int t = 0; t < grid->hours && how == 1; t++)
            keep(grid, j, t, a->workers[j * grid->hours + t], kept);
        if (how == 2)
            keep_some(grid, j, random, kept);
    }
    return how > 0;
}
