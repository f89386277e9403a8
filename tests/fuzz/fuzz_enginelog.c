/*
 * fuzz_enginelog.c - any bytes as a start-up log; what is accepted must be in order: figures
 * finite and within the band of their ranks, texts ended and clean. As a calibration it is
 * used, or left out with a reason, or an error; the memory that follows must be finite.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <unistd.h>

#include "answer/calibrate.h"
#include "base/path.h"
#include "base/str.h"
#include "logs/read/enginelog.h"
#include "plan/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_be_tame(const char *text, size_t size)
{
    if (!memchr(text, '\0', size) || !gp_lines_are_clean(text, strlen(text)))
        abort();
}

static struct planner *planner;

static void drop_planner(void)
{
    planner_free(planner);
}

/* A request that several of the corpus are of. */
static void resolve(struct resolved *out)
{
    const char *srcdir = getenv("srcdir");
    struct options options = {0};
    char dir[GP_PATH_MAX];

    if (!planner) {
        path_join(dir, sizeof(dir), srcdir ? srcdir : ".", "profiles");
        planner = planner_new(dir, 0, NULL);
        atexit(drop_planner);
    }
    options_text(&options, OPT_ENGINE, "", "vllm@0.19", NULL);
    options_text(&options, OPT_CALIBRATION, "", "none", NULL);
    if (planner_resolve(planner, &options, "llama-3.1-8b", NULL, "h100-sxm", out, NULL))
        abort();
}

static void as_calibration(const uint8_t *data, size_t size)
{
    static struct resolved out;
    struct calibrations *kept = NULL;
    struct gp_err err;
    char path[64];
    int file = memfd_create("log", MFD_CLOEXEC);

    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    gp_format(path, sizeof(path), "/proc/self/fd/%d", file);
    resolve(&out);
    if (calibrate_from_logs(planner, &kept, path, &out, &err) == GP_OK) {
        struct load load = load_sum(&out.request);
        struct layout layout = {.gpus = 2, .tp = 2, .pp = 1, .ep = 1, .replicas = 1, .hosts = 1};
        struct memory m;

        memory_estimate(&out.request, &load, &layout, &m);
        if ((out.logged[0] && out.unlogged[0]) || !isfinite(m.kv_pool.low) ||
            !isfinite(m.free.high) || m.kv_pool.low > m.kv_pool.high)
            abort();
    }
    calibrations_free(kept);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static unsigned turn;
    struct enginelog *log = malloc(sizeof(*log));
    struct gp_err err;
    char *text = malloc(size + 1);

    if (log && text) {
        if (size > 0)
            memcpy(text, data, size);
        if (enginelog_parse("fuzz.log", text, size, log, &err) == GP_OK) {
            for (int t = 0; t < ENGINELOG_TERM_COUNT; t++) {
                const struct enginelog_figure *f = &log->figure[t];
                if (f->ranks < 0 || f->ranks > ENGINELOG_RANKS || !isfinite(f->value) ||
                    f->low > f->value || f->high < f->value)
                    abort();
            }
            for (int i = 0; i < log->pairs; i++) {
                must_be_tame(log->pair[i].name, sizeof(log->pair[i].name));
                must_be_tame(log->pair[i].value, sizeof(log->pair[i].value));
            }
            must_be_tame(log->failure, sizeof(log->failure));
            must_be_tame(log->last, sizeof(log->last));
            must_be_tame(log->version, sizeof(log->version));
        }
    }
    free(text);
    free(log);
    if (turn++ < 64 || turn % 16 == 0) /* a plan takes as long as many logs */
        as_calibration(data, size);
    return 0;
}
