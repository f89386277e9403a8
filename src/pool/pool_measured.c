/*
 * pool_measured.c - see pool_measured.h.
 */
#include "pool/pool_measured.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "measure/result/calibration.h"

#define RESULT_BYTES ((size_t)64 << 20)

static double slowest_load(const struct calibration *c)
{
    double rate = 0;

    for (int i = 0; i < c->terms; i++) {
        const struct calibration_term *t = &c->term[i];

        if (t->kind != CAL_LINK || strncmp(t->of, "storage", 7) != 0 || !(t->rate.value > 0))
            continue;
        rate = rate > 0 && rate < t->rate.value ? rate : t->rate.value;
    }
    return rate;
}

static enum gp_status find_load(const char *path, const json_t *json, double *rate,
                                struct gp_err *err)
{
    struct calibration c = {0};
    enum gp_status rc = calibration_from_json(path, json_object_get(json, "calibration"), &c, err);

    if (rc)
        return rc;
    *rate = slowest_load(&c);
    calibration_fini(&c);
    return *rate > 0 ? GP_OK
                     : gp_fail(err, GP_E_FILE, path, "gpuplan --bench transfer --storage FILE",
                               "holds no transfer from storage");
}

enum gp_status pool_measured_load(const char *path, double *rate, struct gp_err *err)
{
    char *text;
    size_t len;
    json_t *json = NULL;
    enum gp_status rc = path_read(path, RESULT_BYTES, &text, &len, err);

    if (rc)
        return rc;
    rc = gp_json_parse(path, text, len, &json, err);
    free(text);
    if (rc)
        return rc;
    rc = find_load(path, json, rate, err);
    json_decref(json);
    return rc;
}
