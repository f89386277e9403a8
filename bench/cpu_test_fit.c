/*
 * cpu_test_fit.c - test fit: are the planned bytes really there?
 *
 * The bytes are mapped and written, every one, since Linux promises more than it has and
 * the rate counts them all. What is free is asked first: the kernel would answer by
 * killing this process or another. One operation is one write of all.
 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "bench/cpu_engine.h"

enum { PAGE = 4096 };
#define MARGIN 0.97 /* of what is free: page tables, and everybody else */

struct fit_work {
    char *base;
    size_t bytes;
    char mark;
};

/* What the page holds in which byte i lies. */
static char mark_of(const struct fit_work *work, size_t i)
{
    return (char)(work->mark + (char)(i / PAGE));
}

static void touch_part(void *ctx, int part, int parts)
{
    struct fit_work *work = ctx;
    size_t from, to;

    cpu_pool_share(work->bytes, part, parts, &from, &to);
    for (size_t i = from; i < to; i += PAGE)
        memset(work->base + i, mark_of(work, i), to - i < PAGE ? to - i : PAGE);
}

static void fit_release(void *ctx)
{
    struct fit_work *work = ctx;

    cpu_release(work->base, work->bytes);
}

static bool fit_prepare(struct cpu_engine *engine, const struct point *point, void *ctx,
                        struct prepared *out)
{
    struct fit_work *work = ctx;
    double room = cpu_memory_free(""), start = clock_now();
    double allowed = engine->settings.max_memory;

    if (point->bytes > MARGIN * room)
        return cpu_refuse(&engine->why, POINT_OOM, "%.2f GB are planned, %.2f GB are free",
                          point->bytes / 1e9, room / 1e9);
    if (allowed > 0 && point->bytes > allowed)
        return cpu_refuse(&engine->why, POINT_SKIPPED,
                          "%.2f GB are planned, the settings allow %.2f GB", point->bytes / 1e9,
                          allowed / 1e9);
    work->bytes = (size_t)point->bytes;
    if (!(work->base = cpu_alloc(work->bytes)))
        return cpu_refuse(&engine->why, POINT_OOM, "%.2f GB could not be mapped",
                          point->bytes / 1e9);
    cpu_pool_run(engine->pool, touch_part, work);
    out->bytes = point->bytes;
    out->params = json_pack("{s:f, s:f}", "allocate_s", clock_now() - start, "free_bytes", room);
    return true;
}

static bool fit_run(struct cpu_engine *engine, void *ctx, int launches, double *seconds)
{
    struct fit_work *work = ctx;

    (void)seconds;
    for (int i = 0; i < launches; i++) {
        work->mark++;
        cpu_pool_run(engine->pool, touch_part, work);
    }
    return true;
}

static void fit_check(struct cpu_engine *engine, void *ctx, struct check *out)
{
    struct fit_work *work = ctx;

    (void)engine;
    out->done = out->ok = true;
    for (size_t i = 0; i < work->bytes && out->ok; i += PAGE, out->n++) {
        size_t last = work->bytes - i < PAGE ? work->bytes - 1 : i + PAGE - 1;

        out->ok = work->base[i] == mark_of(work, i) && work->base[last] == mark_of(work, last);
    }
    if (!out->ok)
        gp_copy(out->why, sizeof out->why, "a page does not read back as written");
}

const struct cpu_test cpu_test_fit = {
    sizeof(struct fit_work), fit_prepare, fit_run, fit_check, fit_release, NULL};
