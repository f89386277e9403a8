/*
 * planner_measured.c - see planner_measured.h.
 */
#include "answer/planner_measured.h"

#include <string.h>

#include "answer/planner_calib.h"
#include "answer/planner_log.h"
#include "base/str.h"
#include "plan/search.h"
#include "plan/speed/anchor.h"

/* The layout that the points are of: of this request, whatever its goals. */
static struct layout layout_of(const struct resolved *resolved)
{
    struct request q = resolved->request;
    struct evaluation found;

    q.rate = q.ttft = q.tpot = q.throughput = q.budget = 0;
    search_layout(&q, &resolved->market, SEARCH_FEWEST_GPUS, &found);
    return found.layout;
}

static const char where[] = "--calibration";

enum gp_status planner_measured_read(const char *list, struct serverbench *out, struct gp_err *err)
{
    char files[sizeof(((struct resolved *)0)->measured)], *rest = files, *file;
    enum gp_status rc = GP_OK;

    gp_copy(files, sizeof(files), list);
    while (!rc && (file = strsep(&rest, ",")))
        rc = file[0] && (planner_calib_is_result(file) || planner_log_is(file)) ? GP_OK
             : file[0] ? serverbench_read(file, out, err)
                       : gp_fail(err, GP_E_USAGE, where, "FILE, or FILE,FILE",
                                 "a name in '%s' is empty", list);
    return rc;
}

static bool is_first(const char *text, const char *const *list, int count)
{
    return count == 0 || strcmp(text, list[0]) == 0;
}

/* Of several models, precisions and GPUs to compare, the first of each was measured. */
static bool is_measured(const struct options *options, const struct resolved *r,
                        const struct resolved_from *from)
{
    return is_first(from->model, options->models, options->model_count) &&
           is_first(from->gpu, options->gpus, options->gpu_count) &&
           (options->precision_count > 0
                ? is_first(from->precision, options->precisions, options->precision_count)
                : r->request.precision.native);
}

enum gp_status resolve_measured(struct planner *planner, struct planner_logs **logs,
                                const struct options *options, const struct resolved_from *from,
                                struct resolved *out, struct gp_err *err)
{
    const char *list = options_word(options, OPT_CALIBRATION, "none");
    struct serverbench bench = {.count = 0};

    if (strcmp(list, "none") == 0)
        return GP_OK;
    if (options->gpu_count == 0 || strcmp(options->gpus[0], "all") == 0)
        return gp_fail(err, GP_E_USAGE, where, "--gpu NAME, the one that was measured, first",
                       "no GPU is named");
    if (!is_measured(options, out, from))
        return GP_OK;
    if (!gp_copy(out->measured, sizeof(out->measured), list))
        return gp_fail(err, GP_E_USAGE, where, "put the points of all into one file",
                       "the names are longer than %zu bytes", sizeof(out->measured) - 1);
    enum gp_status rc = planner_log_apply(planner, logs, list, out, err);
    if (!rc)
        rc = planner_measured_read(list, &bench, err);
    if (rc || bench.count == 0) /* of the device alone: planner_calib.h */
        return rc;
    struct layout layout = layout_of(out);
    for (int i = 0; i < bench.count; i++)
        bench.point[i].layout = layout;
    if (!anchor_fit(&out->request, bench.point, bench.count, &out->request.correction))
        return gp_fail(err, GP_E_FILE, where, "--why says what is missing for an estimate",
                       "the plan has no speed to correct, or no point has a TPOT");
    return GP_OK;
}
