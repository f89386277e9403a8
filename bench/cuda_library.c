/*
 * cuda_library.c - see cuda_library.h.
 *
 * libcublasLt.so.13 is 541 MB: whether one is there is seen by its name, and only the pair
 * that is chosen is opened.
 */
#include "bench/cuda_library.h"

#include <assert.h>
#include <cublasLt.h>
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "bench/cuda_symbols.h"

/* ---- the functions, under their own names ---- */

#define SLOT(type, name, parameters, arguments) type(*name) parameters;
#define ROW(type, name, parameters, arguments) {#name, &api.name},
#define FORWARD(type, name, parameters, arguments) \
    type(name) parameters                          \
    {                                              \
        return api.name arguments;                 \
    }

#define FORWARD_LATER(type, name, parameters, arguments)                    \
    type(name) parameters                                                   \
    {                                                                       \
        return api.name ? api.name arguments : CUBLAS_STATUS_NOT_SUPPORTED; \
    }

static struct {
    CUDA_RUNTIME_SYMBOLS(SLOT)
    CUBLASLT_SYMBOLS(SLOT)
    CUBLASLT_LATER_SYMBOLS(SLOT)
    cudaError_t (*properties)(void *properties, int device);
} api;

struct symbol {
    const char *name;
    void *slot;
};

static const struct symbol runtime_symbols[] = {
    CUDA_RUNTIME_SYMBOLS(ROW)
    /* a macro for another name in the headers of CUDA 12 */
    {"cudaGetDeviceProperties", &api.properties},
};
static const struct symbol lt_symbols[] = {CUBLASLT_SYMBOLS(ROW)};
static const struct symbol later_symbols[] = {CUBLASLT_LATER_SYMBOLS(ROW)};

CUDA_RUNTIME_SYMBOLS(FORWARD)
CUBLASLT_SYMBOLS(FORWARD)
CUBLASLT_LATER_SYMBOLS(FORWARD_LATER)

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* The structure has 728 bytes in 11.8, 1032 in 12 and 1008 in 13. */
cudaError_t cuda_identify(int device, struct cuda_identity *out)
{
    union {
        struct cuda_identity known;
        char whole[16384];
    } properties = {.whole = ""};
    cudaError_t error = api.properties(&properties, device);

    *out = properties.known;
    return error;
}

static_assert(offsetof(struct cuda_identity, uuid) == offsetof(struct cudaDeviceProp, uuid),
              "cudaDeviceProp begins otherwise");
static_assert(offsetof(struct cuda_identity, memory) ==
                  offsetof(struct cudaDeviceProp, totalGlobalMem),
              "cudaDeviceProp begins otherwise");

/* ---- where they may be ---- */

static const struct major {
    int version; /* as the driver counts: 12000 */
    const char *runtime, *lt;
} majors[] = {
    {13000, "libcudart.so.13", "libcublasLt.so.13"},
    {12000, "libcudart.so.12", "libcublasLt.so.12"},
    {11000, "libcudart.so.11.0", "libcublasLt.so.11"},
};

struct folders {
    char **paths; /* "" stands for the loader's own search */
    size_t count;
};

/* Of a toolkit, of a Python installation, of its packages, of NVIDIA's among them. */
#define BELOW                                                                   \
    "{,/lib64,/lib,/targets/*-linux/lib,/lib/*-linux-gnu,/nvidia/*/lib,/*/lib," \
    "/lib/python3*/*-packages/nvidia/*/lib}"

static void add_folder(struct folders *list, const char *path)
{
    list->paths = gp_realloc(list->paths, (list->count + 1) * sizeof *list->paths);
    list->paths[list->count++] = gp_strdup(path);
}

static void add_matches(struct folders *list, const char *pattern)
{
    glob_t found;

    if (glob(pattern, GLOB_BRACE | GLOB_ONLYDIR, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_folder(list, found.gl_pathv[i]);
        globfree(&found);
    }
}

/* A folder that the user names may have any characters. */
static void add_below(struct folders *list, const char *root)
{
    struct strbuf pattern;

    if (!root || !*root)
        return;
    strbuf_init(&pattern);
    for (; *root; root++)
        strbuf_addf(&pattern, strchr("\\*?[]{},~", *root) ? "\\%c" : "%c", *root);
    strbuf_add(&pattern, BELOW);
    add_matches(list, pattern.text);
    strbuf_fini(&pattern);
}

/* Calls `add` with each folder of a list such as $PATH. */
static void each_folder(struct folders *list, const char *variable,
                        void (*add)(struct folders *list, const char *folder))
{
    const char *text = getenv(variable);
    char *copy = gp_strdup(text ? text : ""), *rest = copy, *folder;

    while ((folder = strsep(&rest, ":")))
        if (*folder)
            add(list, folder);
    free(copy);
}

/* /opt/env/bin with a python3 in it: what is installed in /opt/env. */
static void add_python(struct folders *list, const char *folder)
{
    char path[PATH_MAX], *slash;

    if (!gp_format(path, sizeof path, "%s/python3", folder) || access(path, X_OK) != 0)
        return;
    *strrchr(path, '/') = '\0';
    if ((slash = strrchr(path, '/')))
        *slash = '\0';
    add_below(list, path);
}

static void list_folders(struct folders *list)
{
    static const char *const named[] = {"CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV", "CONDA_PREFIX"};
    const char *only = getenv("GPUPLAN_CUDA"), *home = getenv("HOME");
    char local[PATH_MAX];

    if (only && *only) {
        add_below(list, only);
        return;
    }
    each_folder(list, "LD_LIBRARY_PATH", add_folder);
    for (size_t i = 0; i < COUNT(named); i++)
        add_below(list, getenv(named[i]));
    add_folder(list, "");
    add_matches(list, "/usr/local/cuda" BELOW);
    add_matches(list, "/usr/local/cuda-*" BELOW);
    each_folder(list, "PATH", add_python);
    if (home && gp_format(local, sizeof local, "%s/.local", home))
        add_below(list, local);
    add_below(list, "/usr/local");
    add_below(list, "/usr");
}

static const struct folders *library_folders(void)
{
    static struct folders list;

    if (!list.paths)
        list_folders(&list);
    return &list;
}

static void *open_in(const char *folder, const char *name)
{
    char path[PATH_MAX];

    if (!*folder)
        return dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!gp_format(path, sizeof path, "%s/%s", folder, name) || access(path, R_OK) != 0)
        return NULL;
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static void *open_anywhere(const char *name)
{
    const struct folders *list = library_folders();
    void *library = NULL;

    for (size_t i = 0; i < list->count && !library; i++)
        library = open_in(list->paths[i], name);
    return library;
}

void *cuda_library_load(const char *name)
{
    void *library = open_anywhere(name);

    return library ? library : open_in("", name);
}

/* ---- the pair ---- */

static struct {
    bool tried;
    struct gp_err err; /* why there is none */
    void *runtime, *lt;
    int version; /* 13000, of their names */
} opened;

/* What the driver can run, 0 where it does not say or there is none. */
static int driver_version(bool *loaded)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    int (*options)(int *version) = NULL;
    int version = 0;

    *loaded = driver != NULL;
    if (driver)
        *(void **)&options = dlsym(driver, "cuDriverGetVersion");
    if (options && options(&version) != 0)
        version = 0;
    if (driver)
        dlclose(driver);
    return version;
}

/* The name that is missing, NULL for none. */
static const char *bind_all(void *library, const struct symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!(*(void **)symbols[i].slot = dlsym(library, symbols[i].name)))
            return symbols[i].name;
    return NULL;
}

static const char *path_of(void *library)
{
    struct link_map *map = NULL;

    return dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map ? map->l_name : "";
}

/* Keeps both or none; the first reason is kept. */
static bool open_pair(const char *folder, const struct major *major)
{
    void *lt = open_in(folder, major->lt);
    void *runtime = lt ? open_in(folder, major->runtime) : NULL;
    const char *missing = NULL;

    if (!lt)
        return false;
    if (!runtime)
        runtime = open_anywhere(major->runtime);
    if (!runtime)
        gp_format(opened.err.text, sizeof opened.err.text,
                  "no CUDA libraries: %.120s is here, but no %s", path_of(lt), major->runtime);
    else if ((missing = bind_all(runtime, runtime_symbols, COUNT(runtime_symbols))) ||
             (missing = bind_all(lt, lt_symbols, COUNT(lt_symbols))))
        gp_format(opened.err.text, sizeof opened.err.text,
                  "no CUDA libraries: those in %.120s have no %s", path_of(lt), missing);
    if (runtime && !missing) {
        for (size_t i = 0; i < COUNT(later_symbols); i++)
            *(void **)later_symbols[i].slot = dlsym(lt, later_symbols[i].name);
        opened.runtime = runtime;
        opened.lt = lt;
        opened.version = major->version;
        return true;
    }
    if (runtime)
        dlclose(runtime);
    dlclose(lt);
    return false;
}

/* Those that the driver can run, or else those that it cannot: its error says so. */
static bool open_any(int driver, bool fitting)
{
    const struct folders *list = library_folders();

    for (size_t i = 0; i < list->count; i++)
        for (size_t m = 0; m < COUNT(majors); m++) {
            bool fits = driver == 0 || majors[m].version <= driver;

            if (fits == fitting && open_pair(list->paths[i], &majors[m]))
                return true;
        }
    return false;
}

static void library_explain(bool driver)
{
    const char *only = getenv("GPUPLAN_CUDA");
    char reason[sizeof opened.err.text];

    gp_copy(reason, sizeof reason, opened.err.text);
    if (!reason[0] && only && *only)
        gp_format(reason, sizeof reason,
                  "no CUDA libraries: GPUPLAN_CUDA=%.120s has no libcublasLt.so.13, .12 or .11",
                  only);
    gp_fail(&opened.err, GP_E_DEVICE, "",
            "install a CUDA toolkit or PyTorch, or name their folder: GPUPLAN_CUDA=DIR", "%s",
            reason[0] ? reason
            : driver  ? "no CUDA libraries: libcublasLt.so.13, .12 or .11 is not found"
                      : "no GPU: neither an NVIDIA driver nor the CUDA libraries are here");
}

enum gp_status cuda_library_open(struct gp_err *err)
{
    bool driver_loaded;

    if (!opened.tried) {
        int driver = driver_version(&driver_loaded);

        opened.tried = true;
        if (!open_any(driver, true) && !open_any(driver, false))
            library_explain(driver_loaded);
    }
    if (opened.lt)
        return GP_OK;
    if (err)
        *err = opened.err;
    return GP_E_DEVICE;
}

const void *cuda_library_place(void)
{
    return *(void *const *)lt_symbols[0].slot;
}

/* Without a driver 11.8 does not say; it alone came with cuBLASLt 11.11. */
int cuda_library_runtime(void)
{
    size_t lt = cublasLtGetVersion();
    int runtime = 0;

    if (cudaRuntimeGetVersion(&runtime) == cudaSuccess && runtime)
        return runtime;
    return lt >= 111100 && lt < 120000 ? 11080 : opened.version;
}

void cuda_library_describe(char *text, size_t size)
{
    size_t lt;

    if (!opened.lt) {
        gp_copy(text, size, "no CUDA libraries found");
        return;
    }
    lt = cublasLtGetVersion();
    int runtime = cuda_library_runtime();
    gp_format(text, size, "CUDA %d.%d from %.200s, cuBLASLt %zu.%zu.%zu from %.200s",
              runtime / 1000, runtime % 1000 / 10, path_of(opened.runtime), lt / 10000,
              lt / 100 % 100, lt % 100, path_of(opened.lt));
}
