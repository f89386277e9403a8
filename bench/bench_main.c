/*
 * bench_main.c - an engine program around a backend: arguments, plan, stopping, codes.
 *
 * Standard output carries the protocol and nothing else: whatever a library prints there is sent to
 * standard error instead. The main thread reads the plan and measures, a second one reads what
 * comes later, a third (watch.c) reads the sensors.
 *
 * Stopping has two levels: after the point that runs ("stop" on standard input), and now, after the
 * sample that runs (end of input, SIGINT, SIGTERM, SIGHUP). A second signal ends the program on the
 * spot. When nobody reads our lines any more the work is in vain, and it ends without a word.
 */
#include "bench/backend.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "bench/job.h"
#include "bench/measure.h"
#include "bench/watch.h"
#include "measure/point/protocol.h"

#ifndef GP_VERSION
#define GP_VERSION "unknown"
#endif

#define DEVICES_MAX 64
#define SIGNAL_EXIT 128
#define MEMORY_USED 0.1   /* of a GPU, by others, and what a context of ours takes: */
#define OWN_CONTEXT 0.8e9 /* bytes */

enum { STOP_LEVEL_NONE, STOP_LEVEL_POINT, STOP_LEVEL_NOW };

static atomic_int stop_level;
static atomic_int stop_signal;
static atomic_bool told_to_go;

static bool stop_now(void)
{
    return atomic_load(&stop_level) >= STOP_LEVEL_NOW;
}

static bool stop_soon(void)
{
    return atomic_load(&stop_level) != STOP_LEVEL_NONE;
}

static void raise_stop(int level)
{
    int seen = atomic_load(&stop_level);

    while (seen < level && !atomic_compare_exchange_weak(&stop_level, &seen, level))
        ;
}

static void on_signal(int number)
{
    static double first;

    if (!atomic_exchange(&stop_signal, number))
        first = clock_now();
    else if (clock_now() - first > 1.5) /* a launcher tells the step and the job */
        _exit(SIGNAL_EXIT + number);
    raise_stop(STOP_LEVEL_NOW);
}

/* ---- lines ---- */

void output_library(json_t *software, const void *in)
{
    char path[PATH_MAX];
    struct stat file;
    Dl_info found;

    if (!in || !dladdr(in, &found) || !found.dli_fname || !realpath(found.dli_fname, path) ||
        stat(path, &file) != 0)
        return;
    if (!json_object_get(software, "files"))
        json_object_set_new(software, "files", json_array());
    json_array_append_new(json_object_get(software, "files"),
                          json_pack("{s:o, s:I, s:I}", "path", gp_json_text_or_null(path), "bytes",
                                    (json_int_t)file.st_size, "changed",
                                    (json_int_t)file.st_mtime));
}

json_t *output_device(const struct bench_device *device)
{
    const struct {
        const char *name;
        double value; /* 0: unknown */
    } numbers[] = {
        {"cc", device->cc},         {"units", device->units},
        {"memory", device->memory}, {"free", device->free},
        {"cache", device->cache},   {"bandwidth_sheet", device->bandwidth_sheet},
    };
    json_t *json = json_object();

    json_object_set_new(json, "t", json_string(line_kind_words[LINE_DEVICE]));
    json_object_set_new(json, "index", json_integer(device->index));
    json_object_set_new(json, "name", gp_json_text(device->name));
    json_object_set_new(json, "uuid", gp_json_text_or_null(device->uuid));
    json_object_set_new(json, "pci", gp_json_text_or_null(device->pci));
    json_object_set_new(json, "kind", gp_json_text(device->kind));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_object_set_new(json, numbers[i].name, gp_json_above_zero(numbers[i].value));
    json_object_set(json, "more", device->more ? device->more : json_null());
    return json;
}

static void send_hello(struct watch *watch, const struct backend *backend)
{
    json_t *line = json_pack("{s:s, s:i, s:s, s:s}", "t", line_kind_words[LINE_HELLO], "protocol",
                             PROTOCOL_VERSION, "engine", backend->name, "version", GP_VERSION);
    json_t *software = backend->software ? backend->software() : json_object();

    json_object_set_new(software, "libraries", gp_json_text(backend->version));
    json_object_set_new(line, "software", software);
    json_object_set_new(line, "method_version", json_integer(METHOD_VERSION));
    watch_send(watch, line);
}

static void send_done(struct watch *watch, enum run_status status)
{
    watch_end(watch, json_pack("{s:s, s:s}", "t", line_kind_words[LINE_DONE], "status",
                               run_status_words[status]));
}

/* An error and the end; the exit code it comes to. */
static int give_up(struct watch *watch, const struct gp_err *err)
{
    json_t *line = json_pack("{s:s, s:s}", "t", line_kind_words[LINE_ERROR], "code",
                             gp_status_word(err->code));
    struct strbuf text;

    strbuf_init(&text);
    if (err->where[0])
        strbuf_addf(&text, "%s: ", err->where);
    strbuf_add(&text, err->text);
    json_object_set_new(line, "text", gp_json_text(text.text));
    json_object_set_new(line, "hint", gp_json_text(err->hint));
    strbuf_fini(&text);
    watch_send(watch, line);
    send_done(watch, RUN_FAILED);
    return err->code == GP_E_FILE ? gp_status_exit(GP_E_USAGE) : gp_status_exit(err->code);
}

/* ---- the plan ---- */

/* Reads up to "run". GP_OK also when it was stopped before. */
static enum gp_status read_plan(struct line_reader *reader, struct job *job, struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    while (rc == GP_OK && !job->run && !job->stop && !stop_now()) {
        size_t len = 0;
        const char *line = line_reader_next(reader, &len);

        if (line)
            rc = job_line(job, line, len, err);
        else if (reader->too_long)
            rc = gp_fail(err, GP_E_FILE, "plan", "", "a line of more than %d bytes", PROTOCOL_LINE);
        else if (reader->eof)
            rc = gp_fail(err, GP_E_FILE, "plan", "gpuplan --bench starts engines",
                         "ends before {\"do\":\"run\"}");
    }
    return rc;
}

/* The second thread: what comes later, until the input ends. It is never joined; what it
 * touches is static or its own. */
static void *read_later(void *arg)
{
    struct line_reader *reader = arg;
    struct job late;

    job_init(&late);
    late.run = true;
    for (;;) {
        size_t len = 0;
        const char *line = line_reader_next(reader, &len);

        if (line)
            job_line(&late, line, len, NULL);
        else if (reader->eof || reader->too_long)
            break;
        if (late.stop)
            raise_stop(STOP_LEVEL_POINT);
        if (late.go)
            atomic_store(&told_to_go, true);
    }
    raise_stop(STOP_LEVEL_NOW);
    return NULL;
}

/* Signals are for the main thread: the others start with them blocked. */
static bool start_reading(struct line_reader *reader)
{
    sigset_t all, before;
    pthread_t thread;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, read_later, reader) == 0;
    if (started)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* ---- a run ---- */

static bool engine_is_ended(const struct bench_run *run)
{
    return stop_soon() || watch_gone(run->watch);
}

/* Exit code by what ended it. */
static int engine_finish(struct bench_run *run, bool complete)
{
    int number = atomic_load(&stop_signal);

    send_done(run->watch, complete ? RUN_COMPLETE : RUN_INTERRUPTED);
    return number && !complete ? SIGNAL_EXIT + number : 0;
}

static int report_lost(struct bench_run *run)
{
    const char *why = run->backend->reason ? run->backend->reason(run->ctx) : "";
    struct gp_err err;

    gp_fail(&err, GP_E_DEVICE, "", "see the kernel log (Xid) and reset the device",
            "the device no longer answers%s%s; the points that are left are not measured",
            why[0] ? ": " : "", why);
    return give_up(run->watch, &err);
}

static int measure_all(struct bench_run *run)
{
    const struct timespec step = {.tv_nsec = 1000 * 1000};
    size_t most = 0, next = 0;

    for (size_t i = 0; i < run->job.count; i++)
        if ((size_t)run->job.points[i].index > most)
            most = (size_t)run->job.points[i].index;
    run->medians = gp_calloc(most + 1, sizeof *run->medians);
    if (run->job.count && !engine_is_ended(run))
        measure_warmup(run);
    if (run->job.wait && !engine_is_ended(run)) {
        /* Several devices begin at one moment, warm, because that is how they are used: they
         * share links, power and air. */
        watch_send(run->watch, json_pack("{s:s}", "t", line_kind_words[LINE_READY]));
        while (!atomic_load(&told_to_go) && !engine_is_ended(run))
            nanosleep(&step, NULL);
    }
    for (; next < run->job.count && !engine_is_ended(run); next++) {
        enum measured_point done = measure_point(run, &run->job.points[next]);

        if (done == POINT_DEVICE_LOST)
            return report_lost(run);
        if (done == POINT_STOPPED)
            break;
    }
    return engine_finish(run, next == run->job.count);
}

static void send_warning(struct watch *watch, const char *code, const char *text)
{
    watch_send(watch, json_pack("{s:s, s:s, s:s, s:o}", "t", line_kind_words[LINE_LOG], "level",
                                "warning", "code", code, "text", gp_json_text(text)));
}

/* A device that others use gives figures of both: said before it costs an hour. Of a
 * GPU they are refused; a processor always has others. */
static enum gp_status look_for_others(struct bench_run *run, const struct bench_device *device,
                                      struct gp_err *err)
{
    double planned = run->job.settings.max_memory, used = device->memory - device->free;
    bool gpu = strcmp(device->kind, "gpu") == 0;
    char text[240] = ""; /* what they do with it */

    if (engine_is_ended(run))
        return GP_OK;
    if (run->backend->busy)
        run->backend->busy(run->ctx, text, sizeof text);
    if (gpu && device->free > 0 && used > MEMORY_USED * device->memory + OWN_CONTEXT)
        gp_append(text, sizeof text, "; ", "%.0f %% of its memory is in use already",
                  100 * used / device->memory);
    if (text[0] && gpu && !run->job.settings.force)
        return gp_fail(err, GP_E_DEVICE, "",
                       "wait, choose other devices with --device, or use --force", "busy: %s",
                       text);
    if (text[0])
        send_warning(run->watch, "busy", text);
    if (planned > 0 && device->free > 0 && device->free < planned) {
        gp_format(text, sizeof text, "%.2f GB of memory are free, less than %.2f",
                  device->free / 1e9, planned / 1e9);
        send_warning(run->watch, "memory", text);
    }
    return GP_OK;
}

static int open_and_measure(struct bench_run *run)
{
    struct bench_device device = {.index = run->job.device};
    struct gp_err err = {.code = GP_E_INTERNAL};
    int code;
    enum gp_status rc =
        run->backend->open(run->job.device, &run->job.settings, &run->ctx, &device, &err);

    if (rc != GP_OK) {
        err.code = rc;
        return give_up(run->watch, &err);
    }
    rc = look_for_others(run, &device, &err);
    if (rc == GP_OK && run->backend->hold && !engine_is_ended(run))
        rc = run->backend->hold(run->ctx, &device, &err);
    watch_send(run->watch, output_device(&device));
    if (rc != GP_OK) {
        code = give_up(run->watch, &err);
    } else {
        watch_start(run->watch, run->backend, run->ctx, run->job.settings.sensors,
                    run->job.progress_s);
        code = measure_all(run);
        watch_stop(run->watch);
    }
    run->backend->close(run->ctx);
    json_decref(device.more);
    return code;
}

static int do_run(const struct backend *backend, struct watch *watch)
{
    static struct line_reader reader; /* the reading thread outlives this function */
    struct bench_run run = {.backend = backend,
                            .watch = watch,
                            .stop_now = stop_now,
                            .stop_soon = stop_soon,
                            .test = -1};
    struct gp_err err = {.code = GP_E_INTERNAL};
    int code;

    job_init(&run.job);
    line_reader_init(&reader, STDIN_FILENO);
    send_hello(watch, backend);
    if (read_plan(&reader, &run.job, &err) != GP_OK)
        code = give_up(watch, &err);
    else if (!run.job.run)
        code = engine_finish(&run, false);
    else if (!start_reading(&reader))
        code = give_up(watch, (gp_fail(&err, GP_E_INTERNAL, "", "", "no more threads"), &err));
    else
        code = open_and_measure(&run);
    free(run.medians);
    job_fini(&run.job);
    return code;
}

static int do_devices(const struct backend *backend, struct watch *watch)
{
    struct bench_device *devices = gp_calloc(DEVICES_MAX, sizeof *devices);
    struct gp_err err = {.code = GP_OK};
    int count = 0, code = 0;
    enum gp_status rc = backend->devices(devices, DEVICES_MAX, &count, &err);

    send_hello(watch, backend);
    if (rc == GP_OK && count > 0) {
        for (int i = 0; i < count && i < DEVICES_MAX; i++) {
            watch_send(watch, output_device(&devices[i]));
            json_decref(devices[i].more);
        }
        send_done(watch, RUN_COMPLETE);
    } else {
        if (!err.text[0])
            gp_fail(&err, GP_E_DEVICE, "", "", "no device");
        err.code = rc == GP_OK ? GP_E_DEVICE : rc;
        code = give_up(watch, &err);
    }
    free(devices);
    return code;
}

/* ---- the command line ---- */

static const char usage[] =
    "usage: gpuplan-bench-%s [--devices | --version | --help]\n"
    "Measures one device. gpuplan --bench starts it and speaks to it in JSON lines on\n"
    "standard input and output; gpuplan-bench(1) has the protocol.\n"
    "  --devices   list the devices that this engine can use\n"
    "  --version   of this engine and of its libraries\n";

/* With signals and standard output as an engine has them. */
static int with_output(const struct backend *backend,
                       int (*work)(const struct backend *, struct watch *))
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = on_signal};
    int fd = dup(STDOUT_FILENO);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

    if (!out) {
        fprintf(stderr, "gpuplan-bench-%s: standard output: %s\n", backend->name, strerror(errno));
        return gp_status_exit(GP_E_INTERNAL);
    }
    fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO); /* descriptor 1 goes where messages go */
    sigemptyset(&action.sa_mask);       /* no SA_RESTART: reading the plan must end */
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaction(numbers[i], &action, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    struct watch *watch = watch_new(out);
    int code = work(backend, watch);
    watch_free(watch);
    fclose(out);
    return code;
}

int bench_main(const struct backend *backend, int argc, char **argv)
{
    const char *option = argc > 1 ? argv[1] : "";

    if (argc == 1)
        return with_output(backend, do_run);
    if (argc == 2 && strcmp(option, "--devices") == 0)
        return with_output(backend, do_devices);
    if (argc == 2 && strcmp(option, "--version") == 0) {
        printf("gpuplan-bench-%s %s (%s)\n", backend->name, GP_VERSION, backend->version);
        return 0;
    }
    if (argc == 2 && strcmp(option, "--help") == 0) {
        printf(usage, backend->name);
        return 0;
    }
    fprintf(stderr, "gpuplan-bench-%s: %s: unknown option (try --help)\n", backend->name,
            argc > 2 ? argv[2] : option);
    return gp_status_exit(GP_E_USAGE);
}
