/*
 * planner_measured.c - see planner_measured.h.
 */
#include "request/planner_measured.h"

#include <string.h>

#include "core/search.h"
#include "core/speed/anchor.h"
#include "result/serverbench.h"
#include "util/str.h"

/* The layout that the points are of: of this request, whatever its goals. */
static struct layout layout_of(const struct resolved *resolved)
{
    struct request q = resolved->request;
    struct evaluation found;
    q.rate = q.ttft = q.tpot = 0;
    search_layout(&q, &resolved->market, SEARCH_FEWEST_GPUS, &found);
    return found.layout;
}

static enum gp_status read_files(const char *list, struct serverbench *out, struct gp_err *err)
{
    char files[sizeof(((struct resolved *)0)->measured)], *rest = files, *file;
    enum gp_status status = GP_OK;
    gp_copy(files, sizeof(files), list);
    while (!status && (file = strsep(&rest, ",")))
        status = serverbench_read(file, out, err);
    return status;
}

enum gp_status resolve_measured(const struct options *options, struct resolved *out,
                                struct gp_err *err)
{
    const char *list = options_word(options, OPT_CALIBRATION, "none");
    static const char where[] = "--calibration";
    struct serverbench bench = {.count = 0};
    if (strcmp(list, "none") == 0)
        return GP_OK;
    if (!gp_copy(out->measured, sizeof(out->measured), list))
        return gp_fail(err, GP_E_USAGE, where, "put the points of all into one file",
                       "the names are longer than %zu bytes", sizeof(out->measured) - 1);
    if (!out->request.gpu)
        return gp_fail(err, GP_E_USAGE, where, "--gpu NAME: the one that was measured",
                       "no GPU is named");
    enum gp_status status = read_files(list, &bench, err);
    if (status)
        return status;
    struct layout layout = layout_of(out);
    for (int i = 0; i < bench.count; i++)
        bench.point[i].layout = layout;
    if (!anchor_fit(&out->request, bench.point, bench.count, &out->request.correction))
        return gp_fail(err, GP_E_FILE, where, "--why says what is missing for an estimate",
                       "there is no estimate to correct, or no point has a TPOT");
    return GP_OK;
}
