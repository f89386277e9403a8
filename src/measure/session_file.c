/*
 * session_file.c - the files of a session: their names, the options that its journal keeps, and the
 * records as one gpuplan.bench/1 document.
 *
 * Points stand in the order of the plan, each variant as the pass that stands for it
 * (session_record.c), and what the roofline predicts.
 *
 * A sum of S bytes over n devices sends and receives 2(n-1)/n S through the link of each, however
 * it is done: rate.bus_bytes_per_s is that over the time, and comparable with the link's rate and
 * between numbers of devices. 1 MiB over 8 in 20 us: 92 GB/s.
 *
 * rate.pct_spec_peak and pct_spec_bw are the point's two rates over the sheet's, whichever bounds
 * it: 8192 x 8192 x 8192 in BF16 in 1.5 ms on an H100 SXM are 733 TFLOP/s, 74 % of 989, and 268
 * GB/s, 8 % of 3350.
 */
#include "measure/session_inside.h"

#include <ctype.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "gpuplan_git.h"
#include "measure/point/protocol.h"
#include "probe/cpu_topology.h"

#define ARGUMENTS 65536 /* bytes of the command line that are kept */

/* ---- names ---- */

/* With --anonymous a hash: the same host has the same in each of its results, so that they can be
 * told apart and compared; who knows the name can find it. */
static void name_host(char *host, size_t size, bool anonymous)
{
    char name[65] = "host";

    gethostname(name, sizeof(name) - 1);
    gp_copy(host, size, name);
    if (anonymous)
        gp_format(host, size, "host-%016llx",
                  (unsigned long long)gp_hash(GP_HASH, name, strlen(name)));
    for (char *c = host; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '.')
            *c = '_';
}

size_t session_stem(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

    return dot && dot != path ? (size_t)(dot - path) : strlen(path);
}

/* A result of this name, or the journal of one. */
static bool is_taken(const char *path)
{
    char journal[GP_PATH_MAX];

    return path_is_there(path) ||
           (gp_format(journal, sizeof(journal), "%s.part", path) && path_is_there(journal));
}

/* A name of our own, where none was given. Ranks must agree on theirs; a second run within a second
 * gets a number. */
static bool name_unnamed(struct session *s)
{
    const char *job = s->job[0] && !strchr(s->job, '/') ? s->job : "ranks";
    struct session_files *f = &s->files;
    char stamp[32], name[200];
    bool ok;

    strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime(&s->work.date));
    for (int n = 1; n < 100; n++) {
        if (s->ask.ranks > 1)
            gp_format(name, sizeof(name), "gpuplan-bench-%s.json", job);
        else if (n == 1)
            gp_format(name, sizeof(name), "gpuplan-bench-%s-%s.json", f->host, stamp);
        else
            gp_format(name, sizeof(name), "gpuplan-bench-%s-%s-%d.json", f->host, stamp, n);
        ok = s->folder[0] ? path_join(f->base, sizeof(f->base), s->folder, name)
                          : gp_copy(f->base, sizeof(f->base), name);
        if (!ok || s->ask.ranks > 1 || !is_taken(f->base))
            break;
    }
    return ok;
}

/* --resume FILE.part alone: FILE; run.rankN.HOST.json, the file of this rank, is of run.json. */
static bool name_resumed(struct session *s, const char *resume)
{
    struct session_files *f = &s->files;
    char own[100];

    if (!gp_format(f->base, sizeof(f->base), "%.*s", (int)strlen(resume) - 5, resume))
        return false;
    size_t stem = session_stem(f->base);
    gp_format(own, sizeof(own), ".rank%d.%s", s->ask.rank, f->host);
    size_t n = strlen(own);
    if (s->ask.ranks > 1 && stem > n && strncmp(f->base + stem - n, own, n) == 0)
        memmove(f->base + stem - n, f->base + stem, strlen(f->base + stem) + 1);
    return true;
}

enum gp_status session_name_files(struct session *s, struct gp_err *err)
{
    const char *out = options_word(&s->options, OPT_OUT, NULL);
    const char *resume = options_word(&s->options, OPT_RESUME, NULL);
    size_t len = resume ? strlen(resume) : 0;
    struct session_files *f = &s->files;
    bool ok;

    /* what is gone on with must be there: a mistyped name would measure all anew */
    if (resume && !path_is_there(resume))
        return gp_fail(err, GP_E_FILE, resume, "without --resume a run starts anew",
                       "cannot open: no such journal");
    name_host(f->host, sizeof(f->host), options_flag(&s->options, OPT_ANONYMOUS));
    bool stream = path_is_stream(out ? out : "", &f->to_stdout); /* no journal lies beside it */
    if (out && !stream)
        ok = gp_format(f->base, sizeof(f->base), "%s%s", out, s->ask.view ? ".json" : "");
    else if (len >= 5 && strcmp(resume + len - 5, ".part") == 0)
        ok = name_resumed(s, resume);
    else
        ok = name_unnamed(s);
    size_t n = session_stem(f->base);
    if (s->ask.ranks > 1)
        ok = ok && gp_format(f->result, sizeof(f->result), "%.*s.rank%d.%s%s", (int)n, f->base,
                             s->ask.rank, f->host, f->base + n);
    else
        gp_copy(f->result, sizeof(f->result), f->base);
    ok = ok && (resume ? gp_copy(f->journal, sizeof(f->journal), resume)
                       : gp_format(f->journal, sizeof(f->journal), "%s.part", f->result));
    if (stream && !f->to_stdout && !s->ask.view)
        ok = ok && gp_copy(f->result, sizeof(f->result), out);
    if (!ok)
        return gp_fail(err, GP_E_USAGE, "--output", "", "the name is too long");
    return GP_OK;
}

/* ---- the options that a journal keeps ---- */

/* Of a command alone: what it prints, its exit code, its files. */
static const enum option_id of_command[] = {
    OPT_DRY_RUN,  OPT_RESUME, OPT_STRICT,  OPT_TOLERANCE, OPT_EXPECT, OPT_PROM,
    OPT_PROGRESS, OPT_SORT,   OPT_SHARE,   OPT_PROFILES,  OPT_FORMAT, OPT_OUT,
    OPT_WHY,      OPT_QUIET,  OPT_VERBOSE, OPT_HELP,      OPT_VERSION};

bool session_measures_by(enum option_id id)
{
    for (size_t i = 0; i < sizeof(of_command) / sizeof(of_command[0]); i++)
        if (id == of_command[i])
            return false;
    return option_rows[id].commands & FOR_BENCH;
}

static json_t *texts_json(const char *const *texts, int count)
{
    json_t *list = json_array();

    for (int i = 0; i < count; i++)
        json_array_append_new(list, gp_json_text(texts[i]));
    return list;
}

json_t *session_options_json(const struct session *s)
{
    json_t *json = json_object(), *kept = json_object();
    const struct options *o = &s->options;

    for (int id = 0; id < OPTION_COUNT; id++)
        if (o->value[id].given && session_measures_by((enum option_id)id))
            json_object_set_new(kept, option_rows[id].name,
                                id == OPT_MODEL ? texts_json(o->models, o->model_count)
                                : id == OPT_PRECISION
                                    ? texts_json(o->precisions, o->precision_count)
                                : id == OPT_GPU     ? texts_json(o->gpus, o->gpu_count)
                                : o->value[id].text ? gp_json_text(o->value[id].text)
                                                    : gp_json_number(o->value[id].number));
    json_object_set_new(json, "tests", json_string(s->tests));
    json_object_set_new(json, "options", kept);
    return json;
}

static enum gp_status recall_value(struct options *options, enum option_id id, const char *where,
                                   const json_t *value, struct gp_err *err)
{
    enum gp_status rc = GP_OK;
    const json_t *item;
    size_t i;

    if (json_is_number(value))
        return options_number(options, id, where, json_number_value(value), err);
    if (json_is_string(value))
        return options_text(options, id, where, json_string_value(value), err);
    if (!json_is_array(value) || !option_rows[id].many)
        return gp_fail(err, GP_E_FILE, where, "", "is not the value of an option");
    json_array_foreach(value, i, item)
    {
        if (!rc && json_is_string(item))
            rc = options_text(options, id, where, json_string_value(item), err);
    }
    return rc;
}

enum gp_status session_recall_options(struct session *s, struct gp_err *err)
{
    const char *path = options_word(&s->options, OPT_RESUME, NULL), *name, *tests;
    const json_t *run;
    json_t *value;
    enum gp_status rc;
    char where[GP_PATH_MAX];

    if (!path || !path_is_there(path)) /* session_name_files says so */
        return GP_OK;
    json_decref(s->recalled);
    s->recalled = NULL;
    if ((rc = journal_header(path, &s->recalled, err)) != GP_OK)
        return rc;
    run = json_object_get(s->recalled, "run");
    tests = json_string_value(json_object_get(run, "tests"));
    if (!s->tests[0] && tests)
        gp_copy(s->tests, sizeof(s->tests), tests);
    json_object_foreach(json_object_get(run, "options"), name, value)
    {
        int id = option_find(name);

        gp_format(where, sizeof(where), "%s: %s", path, name);
        if (id >= 0 && session_measures_by((enum option_id)id) && !s->options.value[id].given &&
            !rc)
            rc = recall_value(&s->options, (enum option_id)id, where, value, err);
    }
    return rc;
}

/* ---- where and by what it was measured ---- */

/* What stands between "://" and "@" is masked: no option wants a password, but people paste. With
 * --anonymous also an argument that names the host (-o run-$(hostname).json). */
static json_t *argument_json(const char *text, bool anonymous)
{
    const char *from = strstr(text, "://"), *to = from ? strchr(from, '@') : NULL;
    char kept[1024], name[65] = "";

    gethostname(name, sizeof(name) - 1);
    if (anonymous && name[0] && strstr(text, name))
        return json_string("***");
    if (!to || (strchr(from + 3, '/') && strchr(from + 3, '/') < to))
        return gp_json_text(text);
    gp_format(kept, sizeof(kept), "%.*s***%s", (int)(from + 3 - text), text, to);
    return gp_json_text(kept);
}

/* With the command line as it was typed; null where the system does not tell. */
static json_t *tool_json(const struct session *s)
{
    static char text[ARGUMENTS + 1];
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t len = file ? fread(text, 1, ARGUMENTS, file) : 0;
    json_t *json = json_object(), *list = len ? json_array() : json_null();

    if (file)
        fclose(file);
    text[len] = '\0';
    for (size_t i = 0; i < len; i += strlen(text + i) + 1)
        json_array_append_new(list,
                              argument_json(text + i, options_flag(&s->options, OPT_ANONYMOUS)));
    json_object_set_new(json, "version", json_string(GP_VERSION));
    json_object_set_new(json, "git", gp_json_text(GP_GIT[0] ? GP_GIT : "v" GP_VERSION));
    json_object_set_new(json, "argv", list);
    json_object_set_new(json, "seed", json_integer((json_int_t)s->plan.options.settings.seed));
    return json;
}

static json_t *host_json(const struct session *s)
{
    static const char *const variables[] = {"CUBLAS", "CUDA",  "NVIDIA_TF32", "NCCL_", "OMP_",
                                            "ONEDNN", "DNNL_", "OPENBLAS",    "GOMP_", NULL};
    json_t *json = json_object();
    struct cpu_topology ours;
    struct cpu_info info;
    struct utsname name;
    glob_t nodes; /* of memory, as sysfs has them */

    cpu_info_read("/proc", &info);
    cpu_topology_read("", NULL, &ours);
    json_object_set_new(json, "name", gp_json_text(s->files.host));
    json_object_set_new(json, "cpu", gp_json_text_or_null(info.name));
    json_object_set_new(json, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    json_object_set_new(json, "cpus_allowed", json_integer(ours.cpus));
    json_object_set_new(json, "quota_cpus", gp_json_above_zero(ours.quota));
    json_object_set_new(json, "numa_nodes", json_null());
    if (glob("/sys/devices/system/node/node[0-9]*", 0, NULL, &nodes) == 0) {
        json_object_set_new(json, "numa_nodes", json_integer((json_int_t)nodes.gl_pathc));
        globfree(&nodes);
    }
    json_object_set_new(json, "kernel",
                        uname(&name) == 0 ? gp_json_text(name.release) : json_null());
    json_object_set_new(json, "env", protocol_environment(variables));
    return json;
}

/* What a soak of all its points came to; NULL = there was none. A point that says less than another
 * changes nothing. */
static json_t *soak_json(const struct device_run *d, int points)
{
    static const char *const counted[] = {"seconds", "products", "compared", "wrong"};
    double sum[4] = {0}, least = INFINITY, mean = 0, hottest = -INFINITY, watts = 0, slowed = 0;
    const char *class = NULL;
    json_t *json;
    bool any = false;

    for (int i = 0; i < points; i++) {
        const struct session_record *record = shown_of(&d->shown, i)[0];
        const json_t *soak = record ? json_object_get(record->json, "soak") : NULL;
        const json_t *sensors = record ? json_object_get(record->json, "sensors") : NULL;
        const json_t *clock = json_object_get(sensors, "sm_clock_mhz");
        const json_t *throttle = json_object_get(sensors, "throttle");
        double seconds = fmax(json_number_value(json_object_get(soak, "seconds")), 0);

        if (!json_is_object(soak))
            continue;
        any = true;
        for (int k = 0; k < 4; k++)
            sum[k] += fmax(json_number_value(json_object_get(soak, counted[k])), 0);
        if (json_is_object(clock))
            least = fmin(least, json_number_value(json_object_get(clock, "min")));
        mean += seconds * json_number_value(json_object_get(clock, "mean"));
        watts += seconds * record->result.power;
        if (record->result.temp > 0)
            hottest = fmax(hottest, record->result.temp);
        slowed += seconds * json_number_value(json_object_get(throttle, "fraction"));
        if (json_is_object(throttle))
            class = json_string_value(json_object_get(throttle, "class"));
    }
    if (!any)
        return NULL;
    json = json_object();
    for (int k = 0; k < 4; k++)
        json_object_set_new(json, counted[k],
                            k ? json_integer((json_int_t)sum[k]) : gp_json_number(sum[k]));
    json_object_set_new(json, "sm_clock_min_mhz",
                        isfinite(least) ? gp_json_above_zero(least) : json_null());
    json_object_set_new(json, "sm_clock_mean_mhz", gp_json_above_zero(mean / fmax(sum[0], 1e-9)));
    json_object_set_new(json, "temp_max_c", isfinite(hottest) ? json_real(hottest) : json_null());
    json_object_set_new(json, "power_mean_w", gp_json_above_zero(watts / fmax(sum[0], 1e-9)));
    json_object_set_new(json, "throttled",
                        class ? gp_json_number(slowed / fmax(sum[0], 1e-9)) : json_null());
    json_object_set_new(json, "throttle", gp_json_text_or_null(class));
    json_object_set_new(json, "exit_code",
                        json_integer(sum[3] > 0        ? gp_status_exit(GP_E_CHECK)
                                     : d->facts.failed ? gp_status_exit(GP_E_DEVICE)
                                                       : 0));
    return json;
}

/* A device as its engine listed it, and what can be told only of one that was opened: driver,
 * limits, free memory. */
static json_t *device_json(const struct device_run *d, const char *backend, int points)
{
    json_t *soak = soak_json(d, points);
    json_t *json = json_copy((json_t *)d->listed), *more = json_object();
    const struct session_device *facts = &d->facts;

    json_object_del(json, "t");
    json_object_del(json, "index");
    json_object_update(more, json_object_get(json, "more"));
    json_object_update(more, json_object_get(d->opened, "more"));
    json_object_set_new(json, "more", more);
    if (json_is_number(json_object_get(d->opened, "free")))
        json_object_set(json, "free", json_object_get(d->opened, "free"));
    json_object_set_new(json, "id", json_integer(facts->id));
    json_object_set_new(json, "backend", json_string(backend));
    json_object_set_new(json, "profile", facts->gpu ? gp_json_text(facts->gpu->id) : json_null());
    json_object_set_new(json, "state", json_string(facts->failed ? "failed" : "ok"));
    json_object_set_new(json, "reason", gp_json_text_or_null(facts->why));
    if (soak)
        json_object_set_new(json, "soak", soak);
    return json;
}

static json_t *settings_json(const struct session *s)
{
    json_t *json = protocol_settings(&s->plan.options.settings, 0);
    char hash[17];

    json_object_del(json, "protocol");
    json_object_del(json, "do");
    json_object_del(json, "device");
    if (!(s->plan.options.settings.max_memory > 0))
        json_object_set_new(json, "max_memory", json_null());
    points_hash(&s->plan.points, hash);
    json_object_set_new(json, "preset", json_string(method_presets[s->plan.options.preset]));
    json_object_set_new(json, "passes", json_integer(points_passes(&s->plan.options.settings)));
    json_object_set_new(json, "plan", json_string(hash));
    return json;
}

/* ---- points ---- */

static json_t *measured_json(const struct session *s, const struct device_run *d,
                             const struct session_record *record)
{
    json_t *json = json_deep_copy(record->json);
    struct point_result r;
    double gpus;

    session_see_result(s, d, record, &r);
    gpus = result_param(&r, "gpus");
    if (r.test == TEST_ALLREDUCE && gpus >= 2 && r.bytes > 0)
        json_object_set_new(json_object_get(json, "rate"), "bus_bytes_per_s",
                            gp_json_number(2 * (gpus - 1) / gpus * r.bytes));
    result_write(&r, RESULT_FILE, json);
    return json;
}

/* What was planned but not measured is listed too, with the reason. */
static json_t *skipped_json(const struct session *s, const struct session_device *d,
                            const struct point *p)
{
    const struct point_result skipped = {
        .id = p->id,
        .variant = "",
        .state = POINT_SKIPPED,
        .reason = d->failed                                      ? "the engine failed"
                  : point_together(p) && !session_all_well(s, p) ? "a device that takes part failed"
                  : s->work.stopped                              ? "interrupted"
                  : s->work.limit_hit                            ? "time limit"
                  : s->work.disk                                 ? "disk full"
                                                                 : "interrupted",
    };
    json_t *json = json_object();

    result_write(&skipped, RESULT_ANSWER, json);
    json_object_set_new(json, "device", json_integer(d->id));
    json_object_set_new(json, "test", json_string(bench_test_word(p->test)));
    json_object_set_new(json, "params", point_to_json(p));
    return json;
}

/* What several devices do together and none did stands under the first. */
static void add_points(struct session *s, struct device_run *d, json_t *list)
{
    int points = s->plan.points.count;

    for (int i = 0; i < points && s->work.resumed; i++) {
        struct session_record **slot = shown_of(&d->shown, i);

        for (int v = 0; v < SESSION_VARIANTS && slot[v]; v++)
            records_compare_passes(&s->work.records, slot[v]);
    }
    if (s->work.resumed) /* of what no engine could compare, flags first: the rest is the roof */
        session_find_roof(s, d);
    for (int i = 0; i < points; i++) {
        const struct point *p = &s->plan.points.point[i];
        struct session_record **slot = shown_of(&d->shown, i);

        for (int v = 0; v < SESSION_VARIANTS && slot[v]; v++)
            json_array_append_new(list, measured_json(s, d, slot[v]));
        if (!slot[0] && (!point_together(p) || d == s->device))
            json_array_append_new(list, skipped_json(s, &d->facts, p));
    }
}

/* ---- the document ---- */

json_t *session_document(struct session *s)
{
    json_t *json = json_object(), *engine = json_deep_copy(s->look.engine);
    json_t *devices = json_array(), *points = json_array(), *warnings = json_array();
    double ended = s->work.ended > 0 ? s->work.ended : clock_now();
    char stamp[32], id[160];

    strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%SZ", gmtime(&s->work.date));
    gp_format(id, sizeof(id), "%s-%s-%ld", s->files.host, stamp, (long)getpid());
    json_object_set_new(json, "schema", json_string(BENCHLOG_SCHEMA));
    json_object_set_new(json, "method_version", json_integer(METHOD_VERSION));
    json_object_set_new(json, "status", json_string(session_status(s)));
    json_object_set_new(json, "run_id", gp_json_text(id));
    json_object_set_new(json, "started", gp_json_text(stamp));
    json_object_set_new(json, "elapsed_s", gp_json_number(ended - s->work.began));
    json_object_set_new(json, "tool", tool_json(s));
    json_object_set_new(json, "host", host_json(s));
    if (s->ask.ranks > 1)
        json_object_set_new(json, "launch",
                            json_pack("{so si si}", "job", gp_json_text(s->job), "rank",
                                      s->ask.rank, "ranks", s->ask.ranks));
    if (options_flag(&s->options, OPT_ANONYMOUS)) /* paths may name a user */
        json_object_del(json_object_get(engine, "software"), "files");
    json_object_del(engine, "t");
    json_object_set_new(json, "engine", engine);
    json_object_set(json, "software", json_object_get(engine, "software"));
    for (int i = 0; i < s->devices; i++) {
        json_array_append_new(devices,
                              device_json(&s->device[i], s->look.backend, s->plan.points.count));
        add_points(s, &s->device[i], points);
    }
    json_object_set_new(json, "devices", devices);
    json_object_set_new(json, "settings", settings_json(s));
    json_object_set_new(json, "points", points);
    for (int i = 0; i < session_notes(s); i++)
        benchlog_warn(warnings, session_note_code(s, i), "%s", session_note(s, i));
    json_object_set_new(json, "warnings", warnings);
    benchlog_conclude(json);
    return json;
}
