/*
 * calibrate.c - see calibrate.h.
 */
#include "answer/calibrate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "answer/log_request.h"
#include "answer/sentence.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/units.h"
#include "measure/result/measured.h"
#include "measure/result/shared.h"
#include "plan/logged_fit.h"
#include "plan/search.h"
#include "plan/speed/anchor.h"
#include "plan/speed/calib.h"
#include "probe/cpu_host.h"
#include "probe/probe.h"

#define NAMES_MOST 64 /* files of one folder that are looked at */

struct measured_gpu { /* one GPU with what was measured of it */
    char *key;        /* its id, a newline, what --calibration says; "" = to be looked for anew */
    bool found;
    struct calib calib;
    struct gpu gpu;
    struct family family;
    char used[240], unused[240];
};

struct kept_log {
    char *path;
    struct stat file;
    struct enginelog log;
};

struct calibrations {
    struct measured_gpu **gpus; /* requests borrow them */
    size_t gpu_count, gpu_cap;
    struct kept_log **logs;
    size_t log_count, log_cap;
};

static struct calibrations *calibrations_made(struct calibrations **calibrations)
{
    if (!*calibrations)
        *calibrations = gp_calloc(1, sizeof(**calibrations));
    return *calibrations;
}

void calibrations_free(struct calibrations *c)
{
    if (!c)
        return;
    for (size_t i = 0; i < c->gpu_count; i++) {
        free(c->gpus[i]->key);
        free(c->gpus[i]);
    }
    for (size_t i = 0; i < c->log_count; i++) {
        free(c->logs[i]->path);
        free(c->logs[i]);
    }
    free(c->gpus);
    free(c->logs);
    free(c);
}

void calibrations_forget(struct calibrations *c)
{
    for (size_t i = 0; c && i < c->gpu_count; i++)
        c->gpus[i]->key[0] = '\0';
}

/* ---- whose a result is ---- */

struct source {
    struct catalog *catalog;
    const struct gpu *gpu; /* to plan for, from the catalogue */
    struct measured_gpu *entry;
};

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
    const char *was =
        json_string_value(json_object_get(json_object_get(log->json, "software"), "driver"));
    char now[64] = "";
    struct cpu_host host;

    if (processors) {
        cpu_host_read(&host);
        gp_copy(now, sizeof(now), host.name);
        was = log->device[device].name;
    } else if (!is_here(log, device) || !probe_here_driver(now, sizeof(now))) {
        return false;
    }
    if (!now[0] || !was || !was[0] || strncmp(now, was, sizeof(now) - 1) == 0)
        return false;
    gp_format(text, size,
              "what was measured %.10s with %.60s is not used: here is %.60s now; measure again",
              log->started, was, now);
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

static enum calib_from source_nearness(const struct source *s, const struct benchlog *log,
                                       int device, const struct gpu **sheet)
{
    const char *profile = measured_profile(log, device);

    *sheet = s->gpu;
    if (strcmp(profile, s->gpu->id) == 0)
        return is_here(log, device) ? CALIB_OWN : CALIB_KIND;
    if (s->gpu->host || !profile[0] || strchr(profile, '/') ||
        catalog_gpu(s->catalog, profile, sheet, &(struct gp_err){0}) != GP_OK)
        return CALIB_NONE;
    bool same = (*sheet)->family == s->gpu->family;
    return same && strcmp(s->gpu->family->id, FAMILY_UNKNOWN) != 0 ? CALIB_FAMILY : CALIB_NONE;
}

/* ---- reading results ---- */

static void describe_used(const struct source *s, const struct gpu *sheet, char *text, size_t size)
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

/* A result's device that is nearest to the planned one. */
static void take_log(struct source *s, const struct benchlog *log)
{
    struct measured_gpu *e = s->entry;
    struct calib *made = gp_malloc(sizeof(*made));
    const struct gpu *sheet;

    for (int i = 0; i < log->device_count; i++) {
        enum calib_from from = source_nearness(s, log, i, &sheet);

        if (from == CALIB_NONE || (e->found && e->calib.from <= from) ||
            has_moved(log, i, s->gpu->host, e->unused, sizeof(e->unused)) ||
            (from == CALIB_OWN && is_library_moved(log, e->unused, sizeof(e->unused))))
            continue;
        if (!measured_take(log, i, made)) {
            if (made->ignored > 0)
                gp_format(e->unused, sizeof(e->unused),
                          "all %d points of %.10s were disturbed: measure again on a quiet machine",
                          made->ignored, log->started);
            continue;
        }
        made->from = from;
        int points = made->points;
        e->calib = *made;
        calib_fit(&e->calib, sheet, s->gpu, &e->gpu, &e->family);
        e->gpu.family = &e->family;
        gp_format(e->family.source, sizeof(e->family.source), "%s %s; %s", calib_from_words(from),
                  made->date, s->gpu->family->source);
        e->found = true;
        int left = e->calib.points;
        e->calib.points = points; /* all that were measured, for the words */
        describe_used(s, sheet, e->used, sizeof(e->used));
        e->calib.points = left;
        e->unused[0] = '\0';
    }
    free(made);
}

static bool kept_folder(char path[GP_PATH_MAX])
{
    return path_state_home(path, GP_PATH_MAX, "calibration");
}

/* "h100-sxm@GPU-1234.json" is of h100-sxm. */
static bool is_of_gpu(const char *name, const char *id)
{
    char of[GPU_ID_MAX];
    const char *at = strchr(name, '@');

    gp_format(of, sizeof(of), "%.*s", at ? (int)(at - name) : 0, name);
    for (char *c = of; *c; c++)
        *c = *c == '+' ? '/' : *c;
    return strcmp(of, id) == 0;
}

/* Its own kind first; of another kind only where that says nothing. A kept file that cannot be
 * read is named and passed over: it is not the user's. */
static void take_folder(struct source *s)
{
    char folder[GP_PATH_MAX], path[GP_PATH_MAX], **names = NULL;
    struct gp_err unlisted = {0};
    size_t count = 0;

    if (!kept_folder(folder))
        return;
    if (path_list(folder, ".json", &names, &count, &unlisted))
        gp_format(s->entry->unused, sizeof(s->entry->unused), "%s: %s", folder, unlisted.text);
    for (int own = 1; own >= 0 && !s->entry->found; own--)
        for (size_t i = 0; i < count && i < NAMES_MOST; i++) {
            struct benchlog log = {0};
            struct gp_err err = {0};
            char *text = NULL;
            size_t len;

            if (is_of_gpu(names[i], s->gpu->id) != own || (own == 0 && s->gpu->host) ||
                !path_join(path, sizeof(path), folder, names[i]))
                continue;
            enum gp_status rc = path_read(path, MEASURED_BYTES, &text, &len, &err);
            if (!rc)
                rc = benchlog_parse(path, text, len, &log, &err);
            free(text);
            if (!rc)
                take_log(s, &log);
            else
                gp_format(s->entry->unused, sizeof(s->entry->unused), "%s: %s", names[i], err.text);
            benchlog_fini(&log);
        }
    path_list_free(names, count);
}

/* What several labs shared of the planned GPU or its generation, where no result is as near. */
static void take_shared(struct source *s, const struct shared *shared)
{
    struct measured_gpu *e = s->entry;
    struct shared_sum *sum = gp_malloc(sizeof(*sum));
    struct calib *made = gp_malloc(sizeof(*made));
    char read[96] = "", rate[32], spread[64] = "", odd[48] = "";
    double widest = 0;
    struct cpu_host host;

    if (s->gpu->host)
        cpu_host_read(&host);
    enum calib_from from =
        shared_sums(shared, s->catalog, s->gpu, s->gpu->host ? host.name : NULL, sum);
    if (from != CALIB_NONE && !(e->found && e->calib.from <= from)) {
        shared_calib(sum, from, s->gpu, made);
        e->calib = *made;
        calib_fit(&e->calib, s->gpu, s->gpu, &e->gpu, &e->family);
        e->gpu.family = &e->family;
        e->found = true;
        if (made->read.known)
            gp_format(read, sizeof(read), ", reads %s",
                      units_bandwidth(rate, sizeof(rate), made->read.value));
        for (int f = 0; f < SHARED_FIGURES; f++)
            widest = fmax(widest, sum->figure[f].spread);
        if (sum->labs > 1)
            gp_format(spread, sizeof(spread), "; their spread is %.1f %% at most", 100 * widest);
        if (sum->left_out > 0)
            gp_format(odd, sizeof(odd), "; %d left out, far off", sum->left_out);
        gp_format(e->used, sizeof(e->used), "%s, %d lab%s, %s%s%s%s", calib_from_words(from),
                  sum->labs, sum->labs == 1 ? "" : "s", sum->month, read, spread, odd);
        gp_format(e->family.source, sizeof(e->family.source), "%s, %d labs %s; %.200s",
                  calib_from_words(from), sum->labs, sum->month, s->gpu->family->source);
        e->unused[0] = '\0';
    }
    free(made);
    free(sum);
}

static bool is_result(const char *path)
{
    char head[512];

    path_head(path, head, sizeof(head));
    return strstr(head, BENCHLOG_SCHEMA) != NULL;
}

/* What the user named is read whole, and an error is one. */
static enum gp_status take_named(struct source *s, const char *list, struct gp_err *err)
{
    char *files = gp_strdup(list), *rest = files, *file;
    struct shared shared = {0};
    enum gp_status rc = GP_OK;
    bool any = false;

    while (!rc && (file = strsep(&rest, ","))) {
        struct benchlog log = {0};
        bool is_shared = file[0] && shared_is(file);

        any = any || is_shared;
        if (is_shared)
            rc = shared_read(file, &shared, err);
        if (!file[0] || is_shared || !is_result(file))
            continue;
        any = true;
        rc = benchlog_read(file, &log, err);
        if (!rc)
            take_log(s, &log);
        benchlog_fini(&log);
    }
    free(files);
    if (!rc && shared.count > 0)
        take_shared(s, &shared);
    shared_fini(&shared);
    if (any && !rc && !s->entry->found && !s->entry->unused[0])
        gp_format(s->entry->unused, sizeof(s->entry->unused),
                  "--calibration has no good point of %s or its generation", s->gpu->id);
    return rc;
}

/* That of the key; *made: there was none, it is empty. */
static struct measured_gpu *measured_entry(struct calibrations *c, const char *key, bool *made)
{
    *made = false;
    for (size_t i = 0; i < c->gpu_count; i++)
        if (strcmp(c->gpus[i]->key, key) == 0)
            return c->gpus[i];
    *made = true;
    c->gpus = gp_grow(c->gpus, &c->gpu_cap, c->gpu_count + 1, sizeof(*c->gpus));
    struct measured_gpu *e = c->gpus[c->gpu_count++] = gp_calloc(1, sizeof(*e));
    e->key = gp_strdup(key);
    return e;
}

enum gp_status calibrate_gpu(struct calibrations **calibrations, struct catalog *catalog,
                             const struct options *options, struct resolved *resolved,
                             struct gp_err *err)
{
    const struct gpu *gpu = resolved->request.gpu;
    const char *list = options_word(options, OPT_CALIBRATION, "");
    struct source s = {.catalog = catalog, .gpu = gpu};
    enum gp_status rc = GP_OK;
    char key[1024];
    bool made;

    if (!gpu || !gpu->family || strcmp(list, "none") == 0)
        return GP_OK;
    struct calibrations *c = calibrations_made(calibrations);
    gp_format(key, sizeof(key), "%s\n%s", gpu->id, list);
    s.entry = measured_entry(c, key, &made);
    if (made) {
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

enum gp_status calibrate_catalog_gpu(struct calibrations **calibrations, struct catalog *catalog,
                                     const char *id, const struct gpu **gpu, char *used,
                                     size_t size, struct gp_err *err)
{
    static const struct options none;
    struct resolved *r = gp_calloc(1, sizeof(*r));
    enum gp_status rc = catalog_gpu(catalog, id, &r->request.gpu, err);

    if (!rc)
        rc = calibrate_gpu(calibrations, catalog, &none, r, err);
    *gpu = r->request.gpu;
    gp_copy(used, size, r->calibrated);
    free(r);
    return rc;
}

/* ---- keeping results ---- */

/* The place of one device's figures, in a folder that is made; "" = there is nothing to keep. */
static enum gp_status kept_path(const struct benchlog *log, int device, char path[GP_PATH_MAX],
                                struct gp_err *err)
{
    const char *profile = measured_profile(log, device);
    const char *uuid = is_processors(log, device) ? "" : benchlog_device_text(log, device, "uuid");
    char folder[GP_PATH_MAX], name[192];

    path[0] = '\0';
    if (!profile[0] || !gp_format(name, sizeof(name), "%.60s@%.90s.json", profile,
                                  uuid[0] ? uuid : log->device[device].host))
        return GP_OK;
    for (char *c = name; *c; c++)
        if (*c == '/')
            *c = '+';
    if (!kept_folder(folder))
        return gp_fail(err, GP_E_FILE, "calibration", "set HOME or XDG_STATE_HOME",
                       "no folder to keep it in is known");
    for (char *slash = folder + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(folder, 0755); /* one that cannot be made shows when the file is written */
        *slash = '/';
    }
    mkdir(folder, 0755);
    if (!path_join(path, GP_PATH_MAX, folder, name))
        path[0] = '\0';
    return GP_OK;
}

/* What would be kept of a device, and where; NULL: nothing. */
static json_t *kept_json(const struct benchlog *log, int device, char path[GP_PATH_MAX],
                         enum gp_status *rc, struct gp_err *err)
{
    struct benchlog old = {0};

    *rc = kept_path(log, device, path, err);
    if (*rc || !path[0])
        return NULL;
    /* points of another driver or other libraries are not put beside these */
    bool joins = path_is_file(path) && benchlog_read(path, &old, NULL) == GP_OK;
    const json_t *before = json_object_get(old.json, "software");
    const json_t *now = json_object_get(log->json, "software");
    joins = joins && (before == now || (before && now && json_equal(before, now)));
    json_t *json = measured_slim(log, device, joins ? &old : NULL);
    benchlog_fini(&old);
    return json;
}

enum gp_status calibration_keep(const struct benchlog *log, struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    for (int i = 0; i < log->device_count && !rc; i++) {
        char path[GP_PATH_MAX];
        json_t *json = kept_json(log, i, path, &rc, err);

        if (json)
            rc = benchlog_write(path, json, err);
        json_decref(json);
    }
    return rc;
}

bool calibrate_running(struct calibrations **calibrations, struct catalog *catalog,
                       const struct gpu *sheet, const struct benchlog *log, const struct gpu **gpu)
{
    bool made;
    struct measured_gpu *e = measured_entry(calibrations_made(calibrations), "\nrunning", &made);
    struct source s = {.catalog = catalog, .gpu = sheet, .entry = e};

    *e = (struct measured_gpu){.key = e->key};
    for (int i = 0; i < log->device_count; i++) {
        char path[GP_PATH_MAX];
        enum gp_status rc;
        json_t *json = kept_json(log, i, path, &rc, NULL);
        struct benchlog kept = {0};

        if (json && benchlog_from_json("result", json, &kept, NULL) == GP_OK)
            take_log(&s, &kept);
        benchlog_fini(&kept);
        json_decref(json);
    }
    *gpu = e->found ? &e->gpu : sheet;
    return e->found;
}

int calibration_drop(const char *gpu)
{
    char folder[GP_PATH_MAX], path[GP_PATH_MAX], **names = NULL;
    size_t count = 0;
    int dropped = 0;

    if (!kept_folder(folder) || path_list(folder, ".json", &names, &count, NULL))
        return 0;
    for (size_t i = 0; i < count; i++)
        dropped += is_of_gpu(names[i], gpu) && path_join(path, sizeof(path), folder, names[i]) &&
                   remove(path) == 0;
    path_list_free(names, count);
    return dropped;
}

/* ---- a server's start-up log ---- */

/* Results and benchmarks are JSON, or llama-bench's table. */
static bool is_log(const char *path)
{
    char head[64];

    path_head(path, head, sizeof(head));
    size_t at = strspn(head, " \t\r\n");
    if (head[at] == '[') /* "[{" of a list, "[2026-11-26 10:12:01] " of a log */
        at += 1 + strspn(head + at + 1, " \t\r\n");
    return head[at] != '\0' && head[at] != '{' && head[at] != '|';
}

/* A screen asks with every key: a file that has not changed is read once. */
static enum gp_status read_log(struct calibrations *c, const char *path,
                               const struct enginelog **out, struct gp_err *err)
{
    struct kept_log *k = NULL;
    struct stat now = {0};
    char *text = NULL;
    size_t len = 0;

    for (size_t i = 0; i < c->log_count && !k; i++)
        if (strcmp(c->logs[i]->path, path) == 0)
            k = c->logs[i];
    if (!k) {
        c->logs = gp_grow(c->logs, &c->log_cap, c->log_count + 1, sizeof(*c->logs));
        k = c->logs[c->log_count++] = gp_calloc(1, sizeof(*k));
        k->path = gp_strdup(path);
    }
    *out = &k->log;
    if (stat(path, &now) == 0 && now.st_size == k->file.st_size &&
        now.st_mtim.tv_sec == k->file.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == k->file.st_mtim.tv_nsec && k->log.engine[0])
        return GP_OK;
    k->file = now;
    enum gp_status rc = path_read(path, ENGINELOG_BYTES, &text, &len, err);
    if (!rc)
        rc = enginelog_parse(path, text, len, &k->log, err);
    if (rc && len > 0 && !k->log.engine[0])
        gp_copy(err->hint, sizeof(err->hint),
                "an engine's start-up log from its first line on, a result of vllm bench serve, "
                "sglang.bench_serving, llama-bench, guidellm, aiperf or inference-perf, llm-d's "
                "report as JSON (yq -o json), or a result of gpuplan --bench");
    free(text);
    return rc;
}

/* The log's own request. */
struct log_plan {
    const struct enginelog *log;
    struct log_request request;
    struct resolved resolved;
    char why[200]; /* it is not used; "" = it is */
};

#define REFUSE(a, ...) gp_format((a)->why, sizeof((a)->why), __VA_ARGS__)

/* The log's options on the request's GPU; own: model and format of the request, too. */
static enum gp_status resolve_log(struct planner *p, const struct resolved *plan, bool own,
                                  struct log_plan *a, struct gp_err *err)
{
    struct options base = {.model_count = 0};
    const struct request *q = &plan->request;
    enum gp_status rc = options_text(&base, OPT_GPU, "--gpu", q->gpu->id, err);

    if (!rc && own)
        rc = options_text(&base, OPT_MODEL, "--model", plan->model_text, err);
    if (!rc && own && !q->precision.native)
        rc = options_text(&base, OPT_PRECISION, "--precision", q->precision.id, err);
    if (!rc)
        rc = options_text(&base, OPT_CALIBRATION, "--calibration", "none", err);
    if (!rc)
        rc = log_request(planner_catalog(p), a->log, &base, &a->request, err);
    return rc ? rc
              : planner_resolve(p, &a->request.request.options, NULL, NULL, NULL, &a->resolved,
                                err);
}

#define DEVICE_NEAR 0.05 /* share by which the memory of alike devices may differ */

/* Why the log says nothing of this request, in the words of what differs. */
static void refuse_other(const struct resolved *plan, struct log_plan *a)
{
    const struct request *q = &plan->request, *of = &a->resolved.request;
    const struct enginelog_figure *usable = &a->log->figure[ENGINELOG_USABLE];
    double planned = gpu_usable(q->gpu).value;
    char logged[32], own[32];

    if (a->log->failed_line)
        REFUSE(a, "its start failed at line %ld: gpuplan --check-log says why",
               a->log->failed_line);
    else if (a->log->estimated)
        REFUSE(a, "it is an estimate, of no server that ran");
    else if (a->log->mixed)
        REFUSE(a, "the lines of two servers are mixed in it");
    else if (of->model != q->model)
        REFUSE(a, "it is of %.60s, the plan of %.60s", of->model->id, q->model->id);
    else if (of->precision.weight != q->precision.weight)
        REFUSE(a, "it is of %.40s weights, the plan of %.40s", of->precision.weight->id,
               q->precision.weight->id);
    else if (strcmp(of->engine->id, q->engine->id) != 0)
        REFUSE(a, "it is of %s, the plan of %s: give --engine %s", of->engine->name,
               q->engine->name, of->engine->id);
    else if (of->engine != q->engine && a->log->version[0])
        REFUSE(a, "it is of %s %s, the plan of %s: give --engine %s@%.20s", of->engine->name,
               a->log->version, q->engine->range, of->engine->id, a->log->version);
    else if (a->request.gpu[0] && strcmp(a->request.gpu, q->gpu->id) != 0)
        REFUSE(a, "it is of %.60s, the plan of %.60s", a->request.gpu, q->gpu->id);
    else if (usable->ranks > 0 && planned > 0 && fabs(usable->value / planned - 1) > DEVICE_NEAR)
        REFUSE(a, "its device has %s, %.60s has %s",
               units_gib(logged, sizeof(logged), usable->value), q->gpu->id,
               units_gib(own, sizeof(own), planned));
}

/* What a line tells is a term, or a sum: then the others, as logged or as estimated, are
 * taken off. The first row of a term that the log tells counts. */
static const struct told {
    enum enginelog_term figure;
    const char *engine; /* NULL = all */
    enum logged_term term;
    unsigned others; /* bits of enum logged_term */
} told[] = {
#define BIT(term) (1u << LOGGED_##term)
    {ENGINELOG_WEIGHTS, NULL, LOGGED_WEIGHTS, 0},
    {ENGINELOG_ESTIMATE, NULL, LOGGED_CHARGED, 0},
    {ENGINELOG_GRAPHS, NULL, LOGGED_GRAPHS, 0},
    {ENGINELOG_ACTIVATION, NULL, LOGGED_ACTIVATION, 0},
    {ENGINELOG_PEAK, NULL, LOGGED_ACTIVATION, BIT(CHARGED)},
    {ENGINELOG_NON_TORCH, "tensorrt-llm", LOGGED_NON_TORCH, BIT(GRAPHS)},
    {ENGINELOG_NON_TORCH, NULL, LOGGED_NON_TORCH, 0},
    {ENGINELOG_CONSUMED, NULL, LOGGED_NON_TORCH, BIT(WEIGHTS)},
    {ENGINELOG_TOTAL, "tensorrt-llm", LOGGED_ACTIVATION,
     BIT(WEIGHTS) | BIT(NON_TORCH) | BIT(GRAPHS)},
    {ENGINELOG_TOTAL, NULL, LOGGED_ACTIVATION, BIT(WEIGHTS) | BIT(NON_TORCH)},
#undef BIT
};

static void fill_figures(const struct enginelog *log, const double estimate[LOGGED_TERMS],
                         struct logged_figures *out)
{
    for (int t = 0; t < LOGGED_TERMS; t++)
        out->term[t] = NAN;
    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++) {
        const struct told *row = &told[i];
        double bytes = log->figure[row->figure].value;

        if (log->figure[row->figure].ranks == 0 || !isnan(out->term[row->term]) ||
            (row->engine && strcmp(row->engine, log->engine) != 0))
            continue;
        for (int t = 0; t < LOGGED_TERMS; t++)
            if (row->others & (1u << t))
                bytes -= isnan(out->term[t]) ? estimate[t] : out->term[t];
        out->term[row->term] = bytes > 0 ? bytes : NAN;
    }
    out->pool = log->figure[ENGINELOG_KV].ranks > 0 ? log->figure[ENGINELOG_KV].value : NAN;
}

/* The figures beside the estimate of what was logged. */
static void fit_log(const struct gpu *gpu, struct log_plan *a, struct logged *out)
{
    struct request *q = &a->resolved.request;
    struct logged_figures figures;
    double estimate[LOGGED_TERMS], planned;
    struct evaluation best;
    char logged[32], own[32];

    q->gpu = gpu; /* as it is calibrated */
    search_layout(q, &a->resolved.market, SEARCH_FEWEST_GPUS, &best);
    struct layout layout = best.layout;
    logged_estimates(q, &layout, estimate);
    fill_figures(a->log, estimate, &figures);
    switch (logged_fit(q, &layout, &figures, out, &planned)) {
    case LOGGED_FINE:
        break;
    case LOGGED_NOTHING:
        REFUSE(a, "it tells no figure of memory: gpuplan --check-log says what it has");
        break;
    case LOGGED_WEIGHTS_OFF:
        REFUSE(a, "it has %s of weights where %s are planned: another precision or model",
               units_gib(logged, sizeof(logged), figures.term[LOGGED_WEIGHTS]),
               units_gib(own, sizeof(own), planned));
        break;
    case LOGGED_POOL_OFF:
        REFUSE(a,
               "it has a KV pool of %s where %s are planned: was the GPU shared, or another one?",
               units_gib(logged, sizeof(logged), figures.pool),
               units_gib(own, sizeof(own), fmax(planned, 0)));
        break;
    }
}

static enum gp_status apply_log(struct planner *p, const char *path, struct resolved *plan,
                                struct log_plan *a, struct gp_err *err)
{
    struct gp_err none;
    struct logged found = {.count = 0};
    struct texts texts = {0};
    enum gp_status rc = resolve_log(p, plan, false, a, &none);

    if (rc) /* a model of its own name, or none: it is taken as the planned one */
        rc = resolve_log(p, plan, true, a, err);
    if (rc)
        return rc;
    refuse_other(plan, a);
    if (!a->why[0])
        fit_log(plan->request.gpu, a, &found);
    if (a->why[0]) {
        gp_format(plan->unlogged, sizeof(plan->unlogged), "%.80s: %s", path_name(path), a->why);
        return GP_OK;
    }
    found.engine = plan->request.engine;
    plan->request.logged = found;
    const struct layout of = {.tp = found.tp, .pp = found.pp, .ep = found.ep, .replicas = 1};
    gp_format(plan->logged, sizeof(plan->logged), "%.80s (%s%s%.24s, %s)", path_name(path),
              a->resolved.request.engine->name, a->log->version[0] ? " " : "", a->log->version,
              sentence_layout(&of, &texts));
    texts_fini(&texts);
    plan->unlogged[0] = '\0';
    return GP_OK;
}

enum gp_status calibrate_from_logs(struct planner *planner, struct calibrations **calibrations,
                                   const char *list, struct resolved *resolved, struct gp_err *err)
{
    char *files = gp_strdup(list), *rest = files, *path;
    enum gp_status rc = GP_OK;

    while (!rc && (path = strsep(&rest, ","))) {
        if (!path[0] || resolved->logged[0] || !is_log(path))
            continue;
        struct log_plan *a = gp_calloc(1, sizeof(*a));
        rc = read_log(calibrations_made(calibrations), path, &a->log, err);
        if (!rc)
            rc = apply_log(planner, path, resolved, a, err);
        free(a);
    }
    free(files);
    return rc;
}

/* ---- a server's benchmarks ---- */

enum gp_status calibrate_points(const char *list, struct serverbench *out, struct gp_err *err)
{
    char *files = gp_strdup(list), *rest = files, *file;
    enum gp_status rc = GP_OK;

    while (!rc && (file = strsep(&rest, ",")))
        if (!file[0])
            rc = gp_fail(err, GP_E_USAGE, "--calibration", "FILE, or FILE,FILE",
                         "a name in '%s' is empty", list);
        else if (!is_result(file) && !shared_is(file) && !is_log(file))
            rc = serverbench_read(file, out, err);
    free(files);
    return rc;
}

enum gp_status calibrate_request(struct planner *planner, struct calibrations **calibrations,
                                 const char *list, struct resolved *out, struct gp_err *err)
{
    struct serverbench bench = {.count = 0};
    struct evaluation found;

    if (!gp_copy(out->measured, sizeof(out->measured), list))
        return gp_fail(err, GP_E_USAGE, "--calibration", "put the points of all into one file",
                       "the names are longer than %zu bytes", sizeof(out->measured) - 1);
    enum gp_status rc = calibrate_from_logs(planner, calibrations, list, out, err);
    if (!rc)
        rc = calibrate_points(list, &bench, err);
    if (rc || bench.count == 0) /* of the device alone: calibrate_gpu() */
        return rc;
    /* the points are of the layout that this request has, whatever its goals */
    struct request any_goals = out->request;
    any_goals.rate = any_goals.ttft = any_goals.tpot = any_goals.throughput = any_goals.budget = 0;
    search_layout(&any_goals, &out->market, SEARCH_FEWEST_GPUS, &found);
    for (int i = 0; i < bench.count; i++)
        bench.point[i].layout = found.layout;
    if (!anchor_fit(&out->request, bench.point, bench.count, &out->request.correction))
        return gp_fail(err, GP_E_FILE, "--calibration",
                       "--why says what is missing for an estimate",
                       "the plan has no speed to correct, or no point has a TPOT");
    return GP_OK;
}
