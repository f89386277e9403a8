/*
 * cuda_sensors.c - what the driver's management library tells of an opened GPU, and the
 * clock that it is asked to hold.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/str.h"
#include "bench/clock_lock.h"
#include "bench/cuda_ctx.h"
#include "bench/sensors_nvml.h"

#define BUSY_PCT 5 /* of the time, before anything is measured */
#define LOOKS 4    /* of 0.3 s: the driver averages over one second at most */

void cuda_sensors_open(struct cuda_ctx *ctx, struct bench_device *device)
{
    char why[160] = "";
    json_t *facts;

    ctx->nvml = nvml_open(device->pci, device->uuid, why, sizeof why);
    if (ctx->nvml) {
        facts = nvml_facts(ctx->nvml);
        if (nvml_shared(ctx->nvml)) /* CUDA's id is the instance's, not the GPU's */
            memcpy(device->uuid, "MIG", 3);
        json_object_update(device->more, facts);
        json_decref(facts);
    } else {
        json_object_set_new(device->more, "sensors", gp_json_text(why));
    }
}

/* A GPU that runs at another clock than was asked for would be measured for nothing. */
enum gp_status cuda_lock_clock(void *opaque, struct bench_device *device, struct gp_err *err)
{
    struct cuda_ctx *ctx = opaque;
    double mhz = ctx->settings.lock_clock;
    char why[160] = "";

    if (mhz == 0)
        return GP_OK;
    if (ctx->nvml && nvml_shared(ctx->nvml))
        gp_copy(why, sizeof why, "it is one of the instances that share a GPU");
    else
        ctx->lock = clock_lock_take(device->pci, mhz, why, sizeof why);
    if (!ctx->lock)
        return gp_fail(err, GP_E_DEVICE, device->name, "leave --lock-clocks out",
                       "its clock cannot be locked: %s", why);
    json_object_set_new(device->more, "sm_clock_locked",
                        mhz == LOCK_BASE ? json_string("base") : gp_json_number(mhz));
    return GP_OK;
}

json_t *cuda_sensors(void *opaque)
{
    struct cuda_ctx *ctx = opaque;

    return ctx->nvml ? nvml_sensors(ctx->nvml) : NULL;
}

json_t *cuda_counters(void *opaque)
{
    struct cuda_ctx *ctx = opaque;

    return ctx->nvml ? nvml_counters(ctx->nvml) : NULL;
}

json_t *cuda_means(void *opaque)
{
    struct cuda_ctx *ctx = opaque;

    return ctx->nvml ? nvml_window_means(ctx->nvml) : NULL;
}

/* By the counters, else by the driver's average. */
static double busy_pct(struct cuda_ctx *ctx, bool *counted)
{
    json_t *all = nvml_sensors(ctx->nvml);
    const json_t *sms = json_object_get(all, "sm_active_pct");
    double pct = json_number_value(sms ? sms : json_object_get(all, "gpu_busy_pct"));

    *counted = sms != NULL;
    json_decref(all);
    return pct;
}

/* The counters tell what the multiprocessors did since they were read last. The
 * driver's average reaches further back, to a run that may have ended: it is looked at
 * again. */
void cuda_busy(void *opaque, char *text, size_t size)
{
    struct cuda_ctx *ctx = opaque;
    const struct timespec look = {.tv_nsec = 300 * 1000 * 1000};
    int others = ctx->nvml ? nvml_others(ctx->nvml) : 0, looks = 0;
    bool counted;
    double pct;

    if (others > 0)
        gp_format(text, size, "%d other process%s on it already", others,
                  others == 1 ? " computes" : "es compute");
    if (others > 0 || !ctx->nvml)
        return;
    busy_pct(ctx, &counted);
    do {
        nanosleep(&look, NULL);
        pct = busy_pct(ctx, &counted);
    } while (pct > BUSY_PCT && !counted && ++looks < LOOKS);
    if (pct > BUSY_PCT)
        gp_format(text, size,
                  counted ? "its multiprocessors are busy already, %.0f %%"
                          : "kernels run on it already, %.0f %% of the time",
                  pct);
}
