/*
 * fuzz_names.c - any text as the name of a model and of a GPU. What it is read as is in the
 * catalogue, with a format of the catalogue, and that id is read as itself.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "answer/planner.h"
#include "base/path.h"
#include "catalog/names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct planner *planner;

static void drop_planner(void)
{
    planner_free(planner);
}

static struct planner *profiles(void)
{
    const char *srcdir = getenv("srcdir");
    char dir[GP_PATH_MAX];

    if (!planner) {
        path_join(dir, sizeof dir, srcdir ? srcdir : ".", "profiles");
        planner = planner_new(dir, 20000, NULL);
        atexit(drop_planner);
    }
    return planner;
}

static void read_model(struct catalog *catalog, const char *text)
{
    const struct format *format;
    const struct model *model, *again;
    struct name_reading read;
    struct gp_err err;

    if (catalog_read_name(catalog, text, &read, &err) != GP_OK || read.id == NULL)
        return;
    if (catalog_model(catalog, read.id, &model, &err) != GP_OK ||
        catalog_model(catalog, model->id, &again, &err) != GP_OK || again != model ||
        (read.format[0] && catalog_format(catalog, read.format, &format, &err) != GP_OK) ||
        (read.other[0] && catalog_format(catalog, read.other, &format, &err) != GP_OK) ||
        !(read.size >= 0 && isfinite(read.size)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct gpu *gpu;
    struct gp_err err;
    char text[512];
    int count;

    if (size >= sizeof text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    read_model(planner_catalog(profiles()), text);
    if (planner_named_gpu(profiles(), text, &gpu, &count, &err) == GP_OK &&
        (!(gpu->physical.value > 0 && gpu->physical.value < 1e18) || gpu->id[0] == '\0' ||
         count < 0 || count > PLAN_MAX_GPUS))
        abort();
    return 0;
}
