/*
 * pool_highs.c - see pool_run.h. The functions are those of highs_c_api.h of
 * HiGHS 1.5 to 1.15, with HighsInt as an int.
 */
#include "pool/pool_run.h"

#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "pool/pool_mps.h"

#define NAME_MOST 512 /* kHighsMaximumStringLength */
#define COLUMNS_MOST 20000000

/* Result, name here, name there, arguments. */
#define FUNCTIONS(F)                                                                              \
    F(void *, create, "Highs_create", (void))                                                     \
    F(void, destroy, "Highs_destroy", (void *highs))                                              \
    F(const char *, version, "Highs_version", (void))                                             \
    F(int, int_size, "Highs_getSizeofHighsInt", (void *highs))                                    \
    F(int, set_bool, "Highs_setBoolOptionValue", (void *highs, const char *option, int x))        \
    F(int, set_int, "Highs_setIntOptionValue", (void *highs, const char *option, int x))          \
    F(int, set_double, "Highs_setDoubleOptionValue", (void *highs, const char *option, double x)) \
    F(int, read, "Highs_readModel", (void *highs, const char *file))                              \
    F(int, run, "Highs_run", (void *highs))                                                       \
    F(int, columns, "Highs_getNumCol", (const void *highs))                                       \
    F(int, column_name, "Highs_getColName", (const void *highs, int column, char *name))          \
    F(int, solution, "Highs_getSolution",                                                         \
      (const void *highs, double *x, double *xd, double *row, double *rowd))                      \
    F(int, info_int, "Highs_getIntInfoValue", (const void *highs, const char *info, int *x))      \
    F(int, info_double, "Highs_getDoubleInfoValue",                                               \
      (const void *highs, const char *info, double *x))

#define MEMBER(result, name, there, arguments) result(*name) arguments;
#define ROW(result, name, there, arguments) {there, offsetof(struct api, name)},

struct api {
    void *library;
    FUNCTIONS(MEMBER)
};

static const struct {
    const char *name;
    size_t at;
} functions[] = {FUNCTIONS(ROW)};

/* The library stays open: its threads may outlive a run. */
static bool api_open(struct api *api)
{
    static const char *const usual[] = {"libhighs.so.1", "libhighs.so"};
    const char *path = secure_getenv("GPUPLAN_HIGHS");

    *api = (struct api){0};
    if (path && strcmp(path, "none") == 0)
        return false;
    if (path && *path)
        api->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < 2 && !(path && *path) && !api->library; i++)
        api->library = dlopen(usual[i], RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; api->library && i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *found = dlsym(api->library, functions[i].name);

        if (!found) {
            dlclose(api->library);
            api->library = NULL;
            break;
        }
        memcpy((char *)api + functions[i].at, &found, sizeof(found));
    }
    return api->library != NULL;
}

bool pool_highs_find(struct pool_highs *out)
{
    struct api api;
    bool found = api_open(&api);

    *out = (struct pool_highs){0};
    gp_copy(out->version, sizeof(out->version), found ? api.version() : "");
    return found;
}

/* ---- one program ---- */

/* In a folder of its own, which is to be removed. */
static bool write_program(const struct pool *pool, enum pool_rung_id rung, char *folder,
                          size_t size, char *path, size_t path_size)
{
    const char *parent = getenv("TMPDIR");
    struct gp_err ignored = {0};
    struct strbuf text;
    bool ok;

    gp_format(folder, size, "%s/gpuplan-XXXXXX", parent && *parent ? parent : "/tmp");
    if (!mkdtemp(folder))
        return false;
    gp_format(path, path_size, "%s/pool.mps", folder);
    strbuf_init(&text);
    pool_mps(pool, rung, &text);
    ok = !path_write(path, text.text, text.len, &ignored);
    strbuf_fini(&text);
    if (!ok)
        rmdir(folder);
    return ok;
}

struct names {
    const struct api *api;
    void *highs;
    char name[NAME_MOST];
};

static const char *column_name(void *ctx, int column)
{
    struct names *n = ctx;

    n->name[0] = '\0';
    return n->api->column_name(n->highs, column, n->name) == 0 ? n->name : NULL;
}

/* Its plan and bound into the answer; why not, or NULL. */
static const char *read_solution(const struct api *api, void *highs, const struct pool *pool,
                                 struct pool_answer *answer, struct pool_highs *out)
{
    struct names names = {.api = api, .highs = highs};
    int columns = api->columns(highs), status = 0;
    const char *trouble = NULL;
    double *x;
    int *replicas;

    if (columns <= 0 || columns > COLUMNS_MOST ||
        api->info_double(highs, "mip_dual_bound", &out->bound) != 0)
        return "it gave no bound";
    if (!isfinite(out->bound) || out->bound < 0)
        out->bound = 0;
    x = gp_calloc((size_t)columns, sizeof(*x));
    replicas =
        gp_calloc((size_t)pool->candidate_count * (size_t)pool->hours + 1, sizeof(*replicas));
    if (api->info_int(highs, "primal_solution_status", &status) != 0 || status != 2 ||
        api->solution(highs, x, NULL, NULL, NULL) != 0)
        trouble = "it found no plan in that time";
    else if (!pool_mps_read(pool, out->rung, columns, column_name, &names, x, replicas))
        trouble = "its plan does not belong to this pool";
    out->taken = pool_adopt(pool, out->rung, trouble ? NULL : replicas, out->bound, answer);
    free(x);
    free(replicas);
    return trouble;
}

static const char *solve_program(const struct api *api, const struct pool *pool, double seconds,
                                 struct pool_answer *answer, struct pool_highs *out)
{
    const char *trouble = "it does not read the program";
    void *highs = api->create();
    char folder[480], path[512];
    sigset_t before;
    int rc = -1;

    if (!highs)
        return "it does not start";
    api->set_bool(highs, "output_flag", 0);
    api->set_int(highs, "threads", 1);
    api->set_double(highs, "time_limit", seconds);
    path_hold_signals(&before);
    if (api->int_size(highs) != (int)sizeof(int)) {
        trouble = "it was built with long integers";
    } else if (!write_program(pool, out->rung, folder, sizeof(folder), path, sizeof(path))) {
        trouble = "no temporary file for its program";
    } else {
        rc = api->read(highs, path);
        unlink(path);
        rmdir(folder);
    }
    path_let_signals(&before);
    if (rc >= 0)
        trouble = api->run(highs) < 0 ? "it failed" : read_solution(api, highs, pool, answer, out);
    api->destroy(highs);
    return trouble;
}

void pool_highs_solve(const struct pool *pool, enum pool_rung_id rung, double seconds,
                      struct pool_answer *answer, struct pool_highs *out)
{
    const char *trouble;
    struct api api;

    *out = (struct pool_highs){.rung = rung};
    if (!api_open(&api))
        return;
    gp_copy(out->version, sizeof(out->version), api.version());
    trouble = solve_program(&api, pool, seconds, answer, out);
    gp_copy(out->trouble, sizeof(out->trouble), trouble ? trouble : "");
}
