/* planner_calib.c - see planner_calib.h. */
#include "answer/planner_calib.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "answer/planner_cpu.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/units.h"
#include "measure/result/measured.h"
#include "plan/speed/calib.h"
#include "probe/cpu_host.h"
#include "probe/probe_here.h"

#define NAMES_MOST 64 /* files of one folder that are looked at */

struct entry { /* one GPU with what was measured of it */
    char *key; /* its id, a newline, what --calibration says */
    bool found;
    struct calib calib;
    struct gpu gpu;
    struct family family;
    char used[240], unused[240];
};

struct planner_calib {
    struct entry **entry;
    size_t count, cap;
};

void planner_calib_free(struct planner_calib *c)
{
    for (size_t i = 0; c && i < c->count; i++) {
        free(c->entry[i]->key);
        free(c->entry[i]);
    }
    if (c)
        free(c->entry);
    free(c);
}

void planner_calib_forget(struct planner_calib *c)
{
    for (size_t i = 0; c && i < c->count; i++)
        c->entry[i]->key[0] = '\0';
}

/* ---- whose it is ---- */

struct source {
    struct catalog *catalog;
    const struct gpu *gpu; /* to plan for, from the catalogue */
    struct entry *entry;
};

static const char *driver_of(const struct benchlog *log)
{
    const char *text =
        json_string_value(json_object_get(json_object_get(log->json, "software"), "driver"));

    return text ? text : "";
}

static bool is_processors(const struct benchlog *log, int device)
{
    return strcmp(measured_profile(log, device), CPU_ID) == 0;
}

static bool is_here(const struct benchlog *log, int device)
{
    struct utsname own;

    if (!is_processors(log, device))
        return probe_here_uuid(benchlog_device_text(log, device, "uuid"));
    return uname(&own) == 0 && strcmp(own.nodename, log->device[device].host) == 0;
}

/* The driver of a GPU, the processors of a host: what the figures depend on. */
static bool has_moved(const struct benchlog *log, int device, bool processors, char *text,
                      size_t size)
{
    const char *driver = driver_of(log), *started = log->started;
    char now[64] = "";
    struct cpu_host host;

    if (processors) {
        cpu_host_read(&host);
        gp_copy(now, sizeof(now), host.name);
        driver = log->device[device].name;
    } else if (!is_here(log, device) || !probe_here_driver(now, sizeof(now))) {
        return false;
    }
    if (!now[0] || !driver[0] || strncmp(now, driver, sizeof(now) - 1) == 0)
        return false;
    gp_format(text, size,
              "what was measured %.10s with %.60s is not used: here is %.60s now; "
              "measure again",
              started, driver, now);
    return true;
}

/* Is a library still the file that was measured with? Only this machine's can be looked at. */
static bool is_library_moved(const struct benchlog *log, char *text, size_t size)
{
    const json_t *software = json_object_get(log->json, "software"), *file;
    size_t i;

    json_array_foreach(json_object_get(software, "files"), i, file)
    {
        const char *path = json_string_value(json_object_get(file, "path")), *name;
        struct stat now;

        if (!path || path[0] != '/')
            continue;
        if (stat(path, &now) == 0 &&
            (json_int_t)now.st_size == json_integer_value(json_object_get(file, "bytes")) &&
            (json_int_t)now.st_mtime == json_integer_value(json_object_get(file, "changed")))
            continue;
        name = strrchr(path, '/') + 1;
        gp_format(text, size,
                  "what was measured %.10s is not used: %.60s is another file now, or "
                  "gone; measure again",
                  log->started, name);
        return true;
    }
    return false;
}

static enum calib_from from_of(const struct source *s, const struct benchlog *log, int device,
                               const struct gpu **sheet)
{
    const char *profile = measured_profile(log, device);

    *sheet = s->gpu;
    if (strcmp(profile, s->gpu->id) == 0)
        return is_here(log, device) ? CALIB_OWN : CALIB_KIND;
    if (s->gpu->host || !profile[0] || strchr(profile, '/') ||
        catalog_gpu(s->catalog, profile, sheet, &(struct gp_err){0}) != GP_OK)
        return CALIB_NONE;
    return (*sheet)->family == s->gpu->family ? CALIB_FAMILY : CALIB_NONE;
}

/* ---- words ---- */

static void say_used(const struct source *s, const struct gpu *sheet, char *text, size_t size)
{
    const struct calib *c = &s->entry->calib;
    char rate[32], read[96] = "", products[96] = "", left[64] = "", links[64] = "";

    if (c->read.known && sheet->host)
        gp_format(read, sizeof(read), ": reads %s",
                  units_bandwidth(rate, sizeof(rate), c->read.value));
    else if (c->read.known && sheet->bandwidth.known)
        gp_format(read, sizeof(read), ": reads %s, %.0f %% of its sheet",
                  units_bandwidth(rate, sizeof(rate), c->read.value),
                  100 * c->read.value / sheet->bandwidth.value);
    if (c->points > 0)
        gp_format(products, sizeof(products), "%s %d products, %.0f %% off the law",
                  read[0] ? "," : ":", c->points, 100 * c->rms);
    if (c->reduces > 0 || c->peer > 0)
        gp_format(links, sizeof(links), ", %d all-reduce%s%s", c->reduces,
                  c->reduces == 1 ? "" : "s", c->peer > 0 ? " and copies between GPUs" : "");
    if (c->scattered || c->ignored)
        gp_format(left, sizeof(left), "; %d scattered, %d disturbed and left out", c->scattered,
                  c->ignored);
    gp_format(text, size, "%s %s (%.40s)%s%s%s%s", calib_from_words(c->from), c->date,
              c->from == CALIB_OWN ? c->host : c->device, read, products, links, left);
}

/* ---- reading ---- */

static bool has_figures(const struct source *s, const struct benchlog *log, int device,
                        struct calib *made)
{
    bool has = measured_take(log, device, made);

    if (!has && made->ignored > 0)
        gp_format(s->entry->unused, sizeof(s->entry->unused),
                  "all %d points of %.10s were disturbed: measure again on a quiet machine",
                  made->ignored, log->started);
    return has;
}

/* A result's device that is nearest to the planned one; false: none is. */
static bool take_log(struct source *s, const struct benchlog *log)
{
    struct entry *e = s->entry;
    struct calib *made = gp_malloc(sizeof(*made));
    const struct gpu *sheet;
    bool taken = false;

    for (int i = 0; i < log->device_count; i++) {
        enum calib_from from = from_of(s, log, i, &sheet);

        if (from == CALIB_NONE || (e->found && e->calib.from <= from) ||
            has_moved(log, i, s->gpu->host, e->unused, sizeof(e->unused)) ||
            (from == CALIB_OWN && is_library_moved(log, e->unused, sizeof(e->unused))) ||
            !has_figures(s, log, i, made))
            continue;
        made->from = from;
        int points = made->points;
        e->calib = *made;
        calib_fit(&e->calib, sheet, s->gpu, &e->gpu, &e->family);
        e->gpu.family = &e->family;
        gp_format(e->family.source, sizeof(e->family.source), "%s %s; %s", calib_from_words(from),
                  made->date, s->gpu->family->source);
        taken = e->found = true;
        int left = e->calib.points;
        e->calib.points = points;
        say_used(s, sheet, e->used, sizeof(e->used));
        e->calib.points = left;
        e->unused[0] = '\0';
    }
    free(made);
    return taken;
}

static bool kept_folder(char path[GP_PATH_MAX])
{
    return path_state_home(path, GP_PATH_MAX, "calibration");
}

/* A kept file that cannot be read is named and passed over: it is not the user's. */
static void take_kept(struct source *s, const char *folder, const char *name)
{
    char path[GP_PATH_MAX], *text = NULL;
    struct benchlog log = {0};
    struct gp_err err = {0};
    size_t len;

    if (!path_join(path, sizeof(path), folder, name))
        return;
    enum gp_status rc = path_read(path, MEASURED_BYTES, &text, &len, &err);
    if (!rc)
        rc = benchlog_parse(path, text, len, &log, &err);
    free(text);
    if (!rc)
        take_log(s, &log);
    else
        gp_format(s->entry->unused, sizeof(s->entry->unused), "%s: %s", name, err.text);
    benchlog_fini(&log);
}

/* "h100-sxm@GPU-1234.json" is of h100-sxm. */
static bool is_of(const char *name, const char *id)
{
    char of[GPU_ID_MAX];
    const char *at = strchr(name, '@');

    gp_format(of, sizeof(of), "%.*s", at ? (int)(at - name) : 0, name);
    for (char *c = of; *c; c++)
        *c = *c == '+' ? '/' : *c;
    return strcmp(of, id) == 0;
}

/* Its own kind first; of another kind only where that says nothing. */
static void take_folder(struct source *s)
{
    char folder[GP_PATH_MAX], **names = NULL;
    size_t count = 0;

    if (!kept_folder(folder) || path_list(folder, ".json", &names, &count, NULL))
        return;
    for (int own = 1; own >= 0 && !s->entry->found; own--)
        for (size_t i = 0; i < count && i < NAMES_MOST; i++)
            if (is_of(names[i], s->gpu->id) == own && !(own == 0 && s->gpu->host))
                take_kept(s, folder, names[i]);
    path_list_free(names, count);
}

bool planner_calib_is_result(const char *path)
{
    char head[512];

    path_head(path, head, sizeof(head));
    return strstr(head, BENCHLOG_SCHEMA) != NULL;
}

/* What the user named is read whole, and an error is one. */
static enum gp_status take_named(struct source *s, const char *list, struct gp_err *err)
{
    char *files = gp_strdup(list), *rest = files, *file;
    enum gp_status rc = GP_OK;
    bool any = false;

    while (!rc && (file = strsep(&rest, ","))) {
        struct benchlog log = {0};

        if (!file[0] || !planner_calib_is_result(file))
            continue;
        any = true;
        rc = benchlog_read(file, &log, err);
        if (!rc)
            take_log(s, &log);
        benchlog_fini(&log);
    }
    free(files);
    if (any && !rc && !s->entry->found && !s->entry->unused[0])
        gp_format(s->entry->unused, sizeof(s->entry->unused),
                  "--calibration has no good point of %s or its generation", s->gpu->id);
    return rc;
}

static struct entry *find(struct planner_calib *c, const char *key)
{
    for (size_t i = 0; i < c->count; i++)
        if (strcmp(c->entry[i]->key, key) == 0)
            return c->entry[i];
    return NULL;
}

static struct entry *add(struct planner_calib *c, const char *key)
{
    c->entry = gp_grow(c->entry, &c->cap, c->count + 1, sizeof(*c->entry));
    struct entry *e = c->entry[c->count++] = gp_calloc(1, sizeof(*e));
    e->key = gp_strdup(key);
    return e;
}

enum gp_status planner_calib_apply(struct planner_calib **calib, struct catalog *catalog,
                                   const struct options *options, struct resolved *resolved,
                                   struct gp_err *err)
{
    const struct gpu *gpu = resolved->request.gpu;
    const char *list = options_word(options, OPT_CALIBRATION, "");
    struct source s = {.catalog = catalog, .gpu = gpu};
    enum gp_status rc = GP_OK;
    char key[1024];

    if (!gpu || !gpu->family || strcmp(list, "none") == 0)
        return GP_OK;
    if (!*calib)
        *calib = gp_calloc(1, sizeof(**calib));
    gp_format(key, sizeof(key), "%s\n%s", gpu->id, list);
    if (!(s.entry = find(*calib, key))) {
        s.entry = add(*calib, key);
        rc = take_named(&s, list, err);
        if (!rc && !s.entry->found)
            take_folder(&s);
    }
    if (s.entry->found)
        resolved->request.gpu = &s.entry->gpu;
    gp_copy(resolved->calibrated, sizeof(resolved->calibrated), s.entry->used);
    gp_copy(resolved->uncalibrated, sizeof(resolved->uncalibrated), s.entry->unused);
    return rc;
}

enum gp_status planner_calib_gpu(struct planner_calib **calib, struct catalog *catalog,
                                 const char *id, const struct gpu **gpu, char *used, size_t size,
                                 struct gp_err *err)
{
    static const struct options none;
    struct resolved *r = gp_calloc(1, sizeof(*r));
    enum gp_status rc = catalog_gpu(catalog, id, &r->request.gpu, err);

    if (!rc)
        rc = planner_calib_apply(calib, catalog, &none, r, err);
    *gpu = r->request.gpu;
    gp_copy(used, size, r->calibrated);
    free(r);
    return rc;
}

/* ---- keeping ---- */

/* One device's name in the folder. */
static bool kept_name(const struct benchlog *log, int device, char *name, size_t size)
{
    const char *profile = measured_profile(log, device);
    const char *uuid = is_processors(log, device) ? "" : benchlog_device_text(log, device, "uuid");

    if (!profile[0] || !gp_format(name, size, "%.60s@%.90s.json", profile,
                                  uuid[0] ? uuid : log->device[device].host))
        return false;
    for (char *c = name; *c; c++)
        if (*c == '/')
            *c = '+';
    return true;
}

static enum gp_status make_folder(char folder[GP_PATH_MAX], struct gp_err *err)
{
    if (!kept_folder(folder))
        return gp_fail(err, GP_E_FILE, "calibration", "set HOME or XDG_STATE_HOME",
                       "no folder to keep it in is known");
    for (char *slash = folder + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(folder, 0755); /* one that cannot be made shows when the file is written */
        *slash = '/';
    }
    mkdir(folder, 0755);
    return GP_OK;
}

/* Driver and libraries, as the engine named them: points of others are not put beside these. */
static bool same_software(const struct benchlog *a, const struct benchlog *b)
{
    const json_t *of_a = json_object_get(a->json, "software");
    const json_t *of_b = json_object_get(b->json, "software");

    return of_a == of_b || (of_a && of_b && json_equal(of_a, of_b));
}

static enum gp_status keep_device(const struct benchlog *log, int device, struct gp_err *err)
{
    char folder[GP_PATH_MAX], path[GP_PATH_MAX], name[192];
    struct benchlog old = {0};
    bool has_old;
    json_t *json;
    enum gp_status rc = GP_OK;

    if (!kept_name(log, device, name, sizeof(name)))
        return GP_OK;
    rc = make_folder(folder, err);
    if (rc || !path_join(path, sizeof(path), folder, name))
        return rc;
    has_old =
        path_is_file(path) && benchlog_read(path, &old, NULL) == GP_OK && same_software(&old, log);
    json = measured_slim(log, device, has_old ? &old : NULL);
    if (json)
        rc = benchlog_write(path, json, err);
    json_decref(json);
    benchlog_fini(&old);
    return rc;
}

int planner_calib_drop(const char *gpu)
{
    char folder[GP_PATH_MAX], path[GP_PATH_MAX], **names = NULL;
    size_t count = 0;
    int dropped = 0;

    if (!kept_folder(folder) || path_list(folder, ".json", &names, &count, NULL))
        return 0;
    for (size_t i = 0; i < count; i++)
        dropped += is_of(names[i], gpu) && path_join(path, sizeof(path), folder, names[i]) &&
                   remove(path) == 0;
    path_list_free(names, count);
    return dropped;
}

enum gp_status planner_calib_keep(const struct benchlog *log, struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    for (int i = 0; i < log->device_count && !rc; i++)
        rc = keep_device(log, i, err);
    return rc;
}
