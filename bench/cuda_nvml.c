/*
 * cuda_nvml.c - clocks, power, temperature and why a GPU is held back, from the driver's
 * management library, opened at run time; and the clock that it is asked to hold.
 *
 * The device is found by its PCI bus id and compared by UUID, never by index: the order of NVML is
 * not CUDA's, and CUDA_VISIBLE_DEVICES changes only CUDA's. On a MIG instance the UUIDs differ, and
 * what is read is the whole GPU's: `shared` says so. What is "not supported" is left out, never
 * zero.
 *
 * NVML may answer late, or never (a GPU that fell off the bus, a driver that waits for a lock).
 * Opening it is waited for by 15 s, each call by 5 s; then it is not asked again, points have no
 * sensors, params.sensors_null says why, and what is measured goes on.
 *
 * A locked clock is the driver's, and outlives the process that asked for it. So another holds it:
 * this program again, as PROGRAM --hold-clocks PCI base|MHZ, in a session of its own, where the
 * signals of a terminal and those to our process group do not reach it. It locks, answers with a
 * line, reads until its input ends, unlocks, and is gone. Its input ends when this program does,
 * also by SIGKILL. NVML does not tell what was locked before: the clocks become the driver's own
 * again.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "bench/cuda_ctx.h"
#include "probe/nvml.h"

#define GPM_LEAST 0.1    /* s between two samples: closer ones are invalid on Hopper */
#define CALL_WAIT 5.0    /* s */
#define BUSY_PCT 5       /* of the time, before anything is measured */
#define LOOKS 4          /* of 0.3 s: the driver averages over one second at most */
#define TAKE_WAIT 10.0   /* s: a driver that sleeps takes seconds to wake */
#define GIVE_WAIT 2.0    /* s */
#define DESCRIPTORS 1024 /* more than an engine has open */
#define LOCKED "locked\n"

enum { PSTATE_MAX = 15 /* 32 is "unknown" */, GPM_COUNT = 3 };

/* Counters over a span of time: two samples, at its ends. */
struct gpm_span {
    void *samples[2];
    int first;    /* index of the sample at the beginning; -1 = none */
    double began; /* s, when that was taken */
    struct nvml_gpm_query query;
};

struct nvml {
    struct nvml_api api;
    void *library;
    struct nvml_device *device;
    bool shared, started, gpm;
    atomic_bool silent;              /* it has kept one waiting: a thread is in it for ever */
    struct gpm_span reading, window; /* of two threads */
    json_t *counted;                 /* what the last reading's span came to; NULL */
};

static void gpm_start(struct nvml *nvml)
{
    struct nvml_gpm_support support = {.version = 1};

    nvml->reading.first = nvml->window.first = -1;
    if (nvml->shared || !nvml->api.gpm_support || !nvml->api.gpm_alloc || !nvml->api.gpm_free ||
        !nvml->api.gpm_get || !nvml->api.gpm_metrics ||
        nvml->api.gpm_support(nvml->device, &support) != 0 || !support.supported)
        return;
    nvml->gpm = true;
    for (int i = 0; i < 2; i++)
        nvml->gpm = nvml->gpm && nvml->api.gpm_alloc(&nvml->reading.samples[i]) == 0 &&
                    nvml->api.gpm_alloc(&nvml->window.samples[i]) == 0;
}

/* The device, or why there is none. */
static bool nvml_find_device(struct nvml *nvml, const char *pci, const char *uuid, char *why,
                             size_t size)
{
    char theirs[96] = "";
    int status;

    if ((status = nvml->api.init()) != 0) {
        gp_format(why, size, "NVML cannot be initialised (error %d)", status);
        return false;
    }
    nvml->started = true;
    if ((status = nvml->api.by_pci(pci, &nvml->device)) != 0) {
        gp_format(why, size, "NVML knows no device at PCI %s (error %d)", pci, status);
        return false;
    }
    if (nvml->api.uuid(nvml->device, theirs, sizeof theirs) == 0)
        nvml->shared = uuid[0] && strcasecmp(theirs, uuid) != 0;
    gpm_start(nvml);
    return true;
}

static void nvml_close(struct nvml *nvml)
{
    if (!nvml)
        return;
    for (int i = 0; i < 2; i++) {
        if (nvml->reading.samples[i])
            nvml->api.gpm_free(nvml->reading.samples[i]);
        if (nvml->window.samples[i])
            nvml->api.gpm_free(nvml->window.samples[i]);
    }
    json_decref(nvml->counted);
    if (nvml->started)
        nvml->api.shutdown();
    if (nvml->library)
        dlclose(nvml->library);
    free(nvml);
}

/* NULL when there is no library or no such device; `why` says which. */
static struct nvml *nvml_open(const char *pci, const char *uuid, char *why, size_t size)
{
    struct nvml *nvml = gp_calloc(1, sizeof *nvml);
    const char *missing;

    nvml->library = dlopen(NVML_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!nvml->library)
        gp_copy(why, size, "no " NVML_LIBRARY ": no sensors");
    else if ((missing = nvml_bind(&nvml->api, nvml->library, NVML_FOR_SENSORS)))
        gp_format(why, size, NVML_LIBRARY " lacks %s: no sensors", missing);
    else if (nvml_find_device(nvml, pci, uuid, why, size))
        return nvml;
    nvml_close(nvml);
    return NULL;
}

/* ---- with a limit ---- */

struct opening { /* the thread's, should it be left to itself; so is struct asking */
    char pci[64], uuid[96], why[160];
    struct nvml *nvml;
};

static void opening_work(void *state)
{
    struct opening *o = state;

    o->nvml = nvml_open(o->pci, o->uuid, o->why, sizeof o->why);
}

static void opening_drop(void *state)
{
    nvml_close(((struct opening *)state)->nvml);
    free(state);
}

static struct nvml *nvml_open_in_time(const char *pci, const char *uuid, char *why, size_t size)
{
    struct opening *o = gp_calloc(1, sizeof *o);
    double wait = deadline_driver();

    gp_copy(o->pci, sizeof o->pci, pci);
    gp_copy(o->uuid, sizeof o->uuid, uuid);
    if (!deadline_run(wait, opening_work, opening_drop, o)) {
        gp_format(why, size, "NVML has not answered for %g s: no sensors", wait);
        return NULL;
    }
    gp_copy(why, size, o->why);
    struct nvml *nvml = o->nvml;
    free(o);
    return nvml;
}

struct told { /* by NVML; what was not asked for is NULL or 0 */
    json_t *json;
    int count;
};

struct asking {
    struct nvml *nvml;
    void (*call)(struct nvml *nvml, struct told *told);
    struct told told;
};

static void asking_work(void *state)
{
    struct asking *a = state;

    a->call(a->nvml, &a->told);
}

static void asking_drop(void *state)
{
    json_decref(((struct asking *)state)->told.json);
    free(state);
}

static double call_wait(void)
{
    double wait = deadline_driver();

    return wait < CALL_WAIT ? wait : CALL_WAIT;
}

/* Nothing is told where there is no NVML, or where it does not answer. */
static struct told nvml_ask(struct nvml *nvml, void (*call)(struct nvml *nvml, struct told *told))
{
    struct told told = {NULL, 0};
    struct asking *a;

    if (!nvml || nvml->silent)
        return told;
    a = gp_calloc(1, sizeof *a);
    a->nvml = nvml;
    a->call = call;
    if (!deadline_run(call_wait(), asking_work, asking_drop, a)) {
        nvml->silent = true;
        return told;
    }
    told = a->told;
    free(a);
    return told;
}

static void call_close(struct nvml *nvml, struct told *told)
{
    (void)told;
    nvml_close(nvml);
}

/* Only their number is asked for: what a list holds differs between versions. Which of
 * them is this one cannot be told in a container, where numbers of processes differ. */
static void call_others(struct nvml *nvml, struct told *told)
{
    int count = nvml->shared ? 0 : nvml_process_count(&nvml->api, nvml->device);

    told->count = count > 1 ? count - 1 : 0;
}

static bool nvml_lock_clock(struct nvml *nvml, double mhz, char *why, size_t size)
{
    unsigned clock = mhz == LOCK_BASE ? NVML_CLOCK_TDP : (unsigned)mhz;
    int status = nvml->api.lock && nvml->api.unlock ? nvml->api.lock(nvml->device, clock, clock)
                                                    : NVML_ERROR_NOT_SUPPORTED;

    if (status == NVML_ERROR_NO_PERMISSION)
        gp_copy(why, size, "that needs root");
    else if (status == NVML_ERROR_NOT_SUPPORTED)
        gp_copy(why, size, "this GPU or its driver does not do that");
    else if (status == NVML_ERROR_INVALID_ARGUMENT)
        gp_copy(why, size, "this GPU has no such clock");
    else if (status != 0)
        gp_format(why, size, "NVML error %d", status);
    return status == 0;
}

static void nvml_put(json_t *object, const char *name, double value)
{
    json_object_set_new(object, name, gp_json_number(value));
}

static void put_number(struct nvml *nvml, json_t *out, const char *name,
                       int (*get)(struct nvml_device *, unsigned *), double unit)
{
    unsigned value;

    if (get && get(nvml->device, &value) == NVML_SUCCESS)
        nvml_put(out, name, value * unit);
}

/* One of several of its kind: a clock, a place that is hot. */
static void put_one_of(struct nvml *nvml, json_t *out, const char *name,
                       int (*get)(struct nvml_device *, int, unsigned *), int which)
{
    unsigned value;

    if (get && get(nvml->device, which, &value) == NVML_SUCCESS)
        nvml_put(out, name, value);
}

static void call_facts(struct nvml *nvml, struct told *told)
{
    const struct nvml_api *api = &nvml->api;
    json_t *facts = json_object();
    char text[96] = "";
    unsigned on, pending;
    int mode;

    if (api->driver && api->driver(text, sizeof text) == NVML_SUCCESS)
        json_object_set_new(facts, "driver", gp_json_text(text));
    put_number(nvml, facts, "power_limit_w", api->power_limit, 1e-3);
    put_number(nvml, facts, "power_limit_default_w", api->default_limit, 1e-3);
    put_number(nvml, facts, "pcie_gen_max", api->max_link_gen, 1);
    put_number(nvml, facts, "pcie_width_max", api->max_link_width, 1);
    if (api->persistence && api->persistence(nvml->device, &mode) == NVML_SUCCESS)
        json_object_set_new(facts, "persistence", json_boolean(mode));
    put_one_of(nvml, facts, "sm_clock_max_mhz", api->max_clock, NVML_CLOCK_SM);
    put_one_of(nvml, facts, "mem_clock_max_mhz", api->max_clock, NVML_CLOCK_MEMORY);
    if (api->mig_mode && api->mig_mode(nvml->device, &on, &pending) == NVML_SUCCESS)
        json_object_set_new(facts, "mig", json_boolean(on));
    json_object_set_new(facts, "sensors_of_whole_gpu", json_boolean(nvml->shared));
    told->json = facts;
}

/* The field is the power of this instant, without the averaging of older calls. */
static void put_power(struct nvml *nvml, json_t *out)
{
    struct nvml_field fields[2] = {{.id = NVML_FIELD_POWER_INSTANT},
                                   {.id = NVML_FIELD_MEMORY_TEMP}};
    bool read = nvml->api.fields && nvml->api.fields(nvml->device, 2, fields) == 0;
    unsigned mw;

    if (read && fields[0].status == 0) {
        nvml_put(out, "power_w", fields[0].value.u / 1e3);
        json_object_set_new(out, "power_kind", json_string("instant"));
    } else if (nvml->api.power && nvml->api.power(nvml->device, &mw) == 0) {
        nvml_put(out, "power_w", mw / 1e3);
        json_object_set_new(out, "power_kind", json_string("average"));
    }
    if (read && fields[1].status == 0)
        nvml_put(out, "mem_temp_c", fields[1].value.u);
}

/* ---- the counters of Hopper and newer ---- */

static bool span_begin(struct nvml *nvml, struct gpm_span *span, int at)
{
    span->first = nvml->api.gpm_get(nvml->device, span->samples[at]) == 0 ? at : -1;
    span->began = clock_now(); /* not before the sample: a span is no shorter than it says */
    return span->first >= 0;
}

/* From the beginning until now, where the next span begins: a value by each name, null
 * where it is not told, or NULL. */
static json_t *span_end(struct nvml *nvml, struct gpm_span *span)
{
    static const struct {
        unsigned id;
        const char *name;
    } wanted[GPM_COUNT] = {{NVML_GPM_SM, "sm_active_pct"},
                           {NVML_GPM_TENSOR, "tensor_active_pct"},
                           {NVML_GPM_DRAM, "dram_active_pct"}};
    struct nvml_gpm_query *q = &span->query;
    int first = span->first;
    bool far = first >= 0 && clock_now() - span->began >= GPM_LEAST;

    if (!far || !span_begin(nvml, span, !first))
        return NULL;
    q->version = 1;
    q->count = GPM_COUNT;
    q->first = span->samples[first];
    q->second = span->samples[!first];
    for (int i = 0; i < GPM_COUNT; i++)
        q->metrics[i] = (struct nvml_gpm_metric){.id = wanted[i].id};
    if (nvml->api.gpm_metrics(q) != 0)
        return NULL;
    json_t *out = json_object();
    for (int i = 0; i < GPM_COUNT; i++)
        json_object_set_new(out, wanted[i].name,
                            q->metrics[i].status == 0 ? gp_json_number(q->metrics[i].value)
                                                      : json_null());
    return out;
}

/* Readings come more often than samples may: some say again what the last span was.
 * False where the counters do not answer. */
static bool put_gpm(struct nvml *nvml, json_t *out)
{
    json_t *counted;

    if (!nvml->gpm)
        return false;
    if (nvml->reading.first < 0)
        return span_begin(nvml, &nvml->reading, 0);
    if ((counted = span_end(nvml, &nvml->reading))) {
        json_decref(nvml->counted);
        nvml->counted = counted;
    }
    json_object_update(out, nvml->counted);
    return !nvml->counted || json_is_number(json_object_get(nvml->counted, "sm_active_pct"));
}

static void call_sensors(struct nvml *nvml, struct told *told)
{
    const struct nvml_api *api = &nvml->api;
    json_t *out = json_object();
    struct nvml_memory memory;
    struct nvml_busy rates;
    unsigned long long bits;
    int state;

    if (api->memory && !nvml->shared && api->memory(nvml->device, &memory) == NVML_SUCCESS)
        nvml_put(out, "memory_used", (double)memory.used);
    put_one_of(nvml, out, "temp_c", api->temperature, 0);
    put_one_of(nvml, out, "sm_clock_mhz", api->clock, NVML_CLOCK_SM);
    put_one_of(nvml, out, "mem_clock_mhz", api->clock, NVML_CLOCK_MEMORY);
    if (api->pstate && api->pstate(nvml->device, &state) == NVML_SUCCESS && state <= PSTATE_MAX)
        nvml_put(out, "pstate", state);
    if (nvml_reasons(api, nvml->device, &bits) == NVML_SUCCESS)
        json_object_set_new(out, "throttle_bits", json_integer((json_int_t)bits));
    put_number(nvml, out, "pcie_gen", api->link_gen, 1);
    put_number(nvml, out, "pcie_width", api->link_width, 1);
    put_power(nvml, out);
    /* another name, for it is another figure: that a kernel ran, be it on one of all
     * multiprocessors, over what the driver averages, up to a second */
    if (!put_gpm(nvml, out) && !nvml->shared && api->busy &&
        api->busy(nvml->device, &rates) == NVML_SUCCESS)
        nvml_put(out, "gpu_busy_pct", rates.gpu);
    if (json_object_size(out) > 0)
        told->json = out;
    else
        json_decref(out);
}

struct clock_lock {
    pid_t pid;
    int fd;
};

/* ---- the clock: this program ---- */

/* Reads until the end, or a whole line into `line` where there is one; false when
 * neither comes in time. */
static bool lock_read_line(int fd, double seconds, char *line, size_t size)
{
    double until = clock_now() + seconds, left;
    size_t len = 0;

    while ((left = until - clock_now()) > 0) {
        struct pollfd look = {.fd = fd, .events = POLLIN};
        char byte;

        if (poll(&look, 1, (int)(1e3 * left) + 1) <= 0)
            continue;
        ssize_t n = read(fd, &byte, 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n > 0 && line && len + 1 < size)
            line[len++] = byte;
        if (line)
            line[len] = '\0';
        if (n <= 0 || (line && byte == '\n'))
            return true;
    }
    return false;
}

static struct clock_lock *lock_start(const char *pci, double mhz, char *why, size_t size)
{
    struct clock_lock *lock = calloc(1, sizeof *lock);
    char bus[24], clock[16] = "base";
    char name[] = "gpuplan-bench-cuda", option[] = "--hold-clocks";
    char *const argv[] = {name, option, bus, clock, NULL};
    posix_spawn_file_actions_t files;
    int pair[2];

    gp_copy(bus, sizeof bus, pci);
    if (mhz != LOCK_BASE)
        gp_format(clock, sizeof clock, "%.0f", mhz);
    int rc = !lock                                                           ? ENOMEM
             : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0 ? errno
                                                                             : 0;
    if (rc == 0) { /* input and output of the other process are pair[1] */
        posix_spawn_file_actions_init(&files);
        posix_spawn_file_actions_adddup2(&files, pair[1], STDIN_FILENO);
        posix_spawn_file_actions_adddup2(&files, pair[1], STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        rc = posix_spawn(&lock->pid, "/proc/self/exe", &files, NULL, argv, environ);
        posix_spawn_file_actions_destroy(&files);
        close(pair[1]);
        if (rc == 0) {
            lock->fd = pair[0];
            return lock;
        }
        close(pair[0]);
    }
    gp_format(why, size, "no process can be started for it: %s", strerror(rc));
    free(lock);
    return NULL;
}

/* Unlocks, and waits until that is done. */
static void clock_lock_give(struct clock_lock *lock)
{
    if (!lock)
        return;
    shutdown(lock->fd, SHUT_WR);
    if (lock_read_line(lock->fd, GIVE_WAIT, NULL, 0))
        waitpid(lock->pid, NULL, 0);
    close(lock->fd);
    free(lock);
}

static struct clock_lock *clock_lock_take(const char *pci, double mhz, char *why, size_t size)
{
    struct clock_lock *lock = lock_start(pci, mhz, why, size);
    char line[160] = "";

    if (!lock)
        return NULL;
    if (!lock_read_line(lock->fd, TAKE_WAIT, line, sizeof line))
        gp_copy(why, size, "the driver does not answer");
    else if (strcmp(line, LOCKED) == 0)
        return lock;
    else
        gp_format(why, size, "%.*s", (int)strcspn(line, "\n"),
                  line[0] ? line : "the process for it failed");
    clock_lock_give(lock);
    return NULL;
}

/* ---- the other process ---- */

static void lock_answer(const char *text)
{
    ssize_t sent = write(STDOUT_FILENO, text, strlen(text));

    (void)sent; /* when nobody hears it, the input has ended */
}

int clock_lock_hold(const char *pci, const char *clock)
{
    unsigned whole = (unsigned)strtoul(clock, NULL, 10);
    double mhz = strcmp(clock, "base") == 0 ? LOCK_BASE : whole;
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    char why[160] = "", byte;
    ssize_t n;

    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        signal(numbers[i], SIG_IGN); /* they would leave the clocks locked */
    setsid();
    for (int fd = STDERR_FILENO + 1; fd < DESCRIPTORS; fd++)
        close(fd); /* the engine's output must end with the engine */
    struct nvml *nvml = nvml_open(pci, "", why, sizeof why);
    bool locked = nvml && nvml_lock_clock(nvml, mhz, why, sizeof why);
    if (locked) {
        lock_answer(LOCKED);
        do /* until the engine is gone */
            n = read(STDIN_FILENO, &byte, 1);
        while (n > 0 || (n < 0 && errno == EINTR));
        nvml->api.unlock(nvml->device);
    } else {
        lock_answer(why);
        lock_answer("\n");
    }
    nvml_close(nvml);
    return locked ? 0 : 1;
}

/* ---- what the engine asks ---- */

void cuda_sensors_open(struct cuda_ctx *ctx, struct bench_device *device)
{
    char why[160] = "";
    json_t *facts;

    ctx->nvml = nvml_open_in_time(device->pci, device->uuid, why, sizeof why);
    if (ctx->nvml) {
        facts = nvml_ask(ctx->nvml, call_facts).json;
        if (ctx->nvml->shared) /* CUDA's id is the instance's, not the GPU's */
            memcpy(device->uuid, "MIG", 3);
        json_object_update(device->more, facts);
        json_decref(facts);
    } else {
        json_object_set_new(device->more, "sensors", gp_json_text(why));
    }
}

/* Also where it keeps silent: a thread may be in it. */
void cuda_sensors_close(struct cuda_ctx *ctx)
{
    nvml_ask(ctx->nvml, call_close);
    clock_lock_give(ctx->lock);
}

/* A GPU that runs at another clock than was asked for would be measured for nothing. */
enum gp_status cuda_lock_clock(void *opaque, struct bench_device *device, struct gp_err *err)
{
    struct cuda_ctx *ctx = opaque;
    double mhz = ctx->settings.lock_clock;
    char why[160] = "";

    if (mhz == 0)
        return GP_OK;
    if (ctx->nvml && ctx->nvml->shared)
        gp_copy(why, sizeof why, "it is one of the instances that share a GPU");
    else
        ctx->lock = clock_lock_take(device->pci, mhz, why, sizeof why);
    if (!ctx->lock)
        return gp_fail(err, GP_E_DEVICE, device->name, "leave --lock-clocks out",
                       "its clock cannot be locked: %s", why);
    json_object_set_new(device->more, "sm_clock_locked",
                        mhz == LOCK_BASE ? json_string("base") : gp_json_number(mhz));
    return GP_OK;
}

json_t *cuda_sensors(void *opaque)
{
    return nvml_ask(((struct cuda_ctx *)opaque)->nvml, call_sensors).json;
}

static void call_energy(struct nvml *nvml, struct told *told)
{
    unsigned long long mj;

    if (nvml->api.energy && nvml->api.energy(nvml->device, &mj) == 0)
        told->json = json_pack("{s:f}", "energy_j", (double)mj / 1e3);
}

json_t *cuda_counters(void *opaque)
{
    return nvml_ask(((struct cuda_ctx *)opaque)->nvml, call_energy).json;
}

/* The counters from one call to the other: no mean of readings, which would be closer to each other
 * than the counters allow. Null for less than 100 ms. While another thread reads the sensors. */
static void call_window(struct nvml *nvml, struct told *told)
{
    (void)told;
    span_begin(nvml, &nvml->window, 0);
}

static void call_means(struct nvml *nvml, struct told *told)
{
    told->json = span_end(nvml, &nvml->window);
}

void cuda_sensors_window(struct cuda_ctx *ctx, bool begin)
{
    char why[80];

    if (nvml_ask(ctx->nvml, call_others).count > 0)
        ctx->shared = true;
    if (begin && ctx->nvml && ctx->nvml->gpm)
        nvml_ask(ctx->nvml, call_window);
    if (begin || !ctx->nvml || !ctx->nvml->silent || !ctx->params)
        return;
    gp_format(why, sizeof why, "NVML has not answered for %g s", call_wait());
    json_object_set_new(ctx->params, "sensors_null", gp_json_text(why));
}

json_t *cuda_means(void *opaque)
{
    struct nvml *nvml = ((struct cuda_ctx *)opaque)->nvml;
    json_t *value;
    const char *name;
    void *next;

    if (!nvml || !nvml->gpm)
        return NULL;
    json_t *out =
        json_pack("{s:n, s:n, s:n}", "sm_active_pct", "tensor_active_pct", "dram_active_pct");
    json_t *counted = nvml_ask(nvml, call_means).json;
    json_object_foreach_safe(counted, next, name, value)
    {
        if (json_is_number(value))
            json_object_set_new(out, name,
                                json_pack("{s:O, s:n, s:n}", "mean", value, "min", "max"));
    }
    json_decref(counted);
    return out;
}

/* By the counters, else by the driver's average. */
static double busy_pct(struct cuda_ctx *ctx, bool *counted)
{
    json_t *all = nvml_ask(ctx->nvml, call_sensors).json;
    const json_t *sms = json_object_get(all, "sm_active_pct");
    double pct = json_number_value(sms ? sms : json_object_get(all, "gpu_busy_pct"));

    *counted = sms != NULL;
    json_decref(all);
    return pct;
}

/* The counters tell what the multiprocessors did since they were read last. The driver's average
 * reaches further back, to a run that may have ended: it is looked at again. */
void cuda_busy(void *opaque, char *text, size_t size)
{
    struct cuda_ctx *ctx = opaque;
    const struct timespec look = {.tv_nsec = 300 * 1000 * 1000};
    int others = nvml_ask(ctx->nvml, call_others).count, looks = 0;
    bool counted;
    double pct;

    if (others > 0)
        gp_format(text, size, "%d other process%s on it already", others,
                  others == 1 ? " computes" : "es compute");
    if (others > 0 || !ctx->nvml)
        return;
    busy_pct(ctx, &counted);
    do {
        nanosleep(&look, NULL);
        pct = busy_pct(ctx, &counted);
    } while (pct > BUSY_PCT && !counted && ++looks < LOOKS);
    if (pct > BUSY_PCT)
        gp_format(text, size,
                  counted ? "its multiprocessors are busy already, %.0f %%"
                          : "kernels run on it already, %.0f %% of the time",
                  pct);
}
