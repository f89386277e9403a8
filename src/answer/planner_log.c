/*
 * planner_log.c - see planner_log.h.
 */
#include "answer/planner_log.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "answer/log_request.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/logged_fit.h"
#include "plan/search.h"

bool planner_log_is(const char *path)
{
    char head[64];
    size_t at;

    path_head(path, head, sizeof(head));
    at = strspn(head, " \t\r\n");
    if (head[at] == '[') /* "[{" of a list, "[2026-11-26 10:12:01] " of a log */
        at += 1 + strspn(head + at + 1, " \t\r\n");
    return head[at] != '\0' && head[at] != '{';
}

/* ---- what was read ---- */

struct kept_log {
    char *path;
    struct stat file;
    struct enginelog log;
};

struct planner_logs {
    struct kept_log **kept;
    size_t count, cap;
};

void planner_logs_free(struct planner_logs *logs)
{
    for (size_t i = 0; logs && i < logs->count; i++) {
        free(logs->kept[i]->path);
        free(logs->kept[i]);
    }
    if (logs)
        free(logs->kept);
    free(logs);
}

static struct kept_log *find_kept(struct planner_logs *logs, const char *path)
{
    for (size_t i = 0; i < logs->count; i++)
        if (strcmp(logs->kept[i]->path, path) == 0)
            return logs->kept[i];
    logs->kept = gp_grow(logs->kept, &logs->cap, logs->count + 1, sizeof(*logs->kept));
    struct kept_log *k = logs->kept[logs->count++] = gp_calloc(1, sizeof(*k));
    k->path = gp_strdup(path);
    return k;
}

/* A screen asks with every key: a file that has not changed is read once. */
static enum gp_status read_log(struct planner_logs *logs, const char *path,
                               const struct enginelog **out, struct gp_err *err)
{
    struct kept_log *k = find_kept(logs, path);
    struct stat now = {0};
    char *text = NULL;
    size_t len = 0;
    enum gp_status rc;

    *out = &k->log;
    if (stat(path, &now) == 0 && now.st_size == k->file.st_size &&
        now.st_mtim.tv_sec == k->file.st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == k->file.st_mtim.tv_nsec && k->log.engine[0])
        return GP_OK;
    k->file = now;
    rc = path_read(path, ENGINELOG_BYTES, &text, &len, err);
    if (!rc)
        rc = enginelog_parse(path, text, len, &k->log, err);
    if (rc && len > 0 && !k->log.engine[0])
        gp_copy(err->hint, sizeof(err->hint),
                "an engine's start-up log from its first line on, a result of vllm bench serve, "
                "sglang.bench_serving, benchmark_serving.py or llama-bench -o json, or of "
                "gpuplan --bench");
    free(text);
    return rc;
}

/* ---- the log's own request ---- */

struct asked {
    const struct enginelog *log;
    struct log_request request;
    struct resolved resolved;
    char why[200]; /* it is not used; "" = it is */
};

#define REFUSE(a, ...) gp_format((a)->why, sizeof((a)->why), __VA_ARGS__)

/* The log's options on the request's GPU; own: model and format of the request, too. */
static enum gp_status resolve_log(struct planner *p, const struct resolved *plan, bool own,
                                  struct asked *a, struct gp_err *err)
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

static void refuse_other_device(const struct gpu *gpu, struct asked *a)
{
    const struct enginelog_figure *usable = &a->log->figure[ENGINELOG_USABLE];
    double planned = gpu_usable(gpu).value;
    char logged[32], own[32];

    if (a->request.gpu[0] && strcmp(a->request.gpu, gpu->id) != 0)
        REFUSE(a, "it is of %.60s, the plan of %.60s", a->request.gpu, gpu->id);
    else if (usable->ranks > 0 && planned > 0 && fabs(usable->value / planned - 1) > DEVICE_NEAR)
        REFUSE(a, "its device has %s, %.60s has %s",
               units_gib(logged, sizeof(logged), usable->value), gpu->id,
               units_gib(own, sizeof(own), planned));
}

/* Why the log says nothing of this request, in the words of what differs. */
static void refuse_other(const struct resolved *plan, struct asked *a)
{
    const struct request *q = &plan->request, *of = &a->resolved.request;

    if (a->log->failed_line)
        REFUSE(a, "its start failed at line %ld: gpuplan --check-log says why",
               a->log->failed_line);
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
    else
        refuse_other_device(q->gpu, a);
}

/* ---- figures ---- */

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

static struct layout layout_of(const struct asked *a)
{
    const struct request *q = &a->resolved.request;
    struct evaluation found;

    search_layout(q, &a->resolved.market, SEARCH_FEWEST_GPUS, &found);
    return found.layout;
}

/* The figures beside the estimate of what was logged. */
static void fit_log(const struct gpu *gpu, struct asked *a, struct logged *out)
{
    struct request *q = &a->resolved.request;
    struct logged_figures figures;
    double estimate[LOGGED_TERMS], planned;
    struct layout layout;
    char logged[32], own[32];

    q->gpu = gpu; /* as it is calibrated */
    layout = layout_of(a);
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
               "it has a KV pool of %s where %s are planned: was the GPU shared, or another "
               "one?",
               units_gib(logged, sizeof(logged), figures.pool),
               units_gib(own, sizeof(own), fmax(planned, 0)));
        break;
    }
}

/* ---- taking ---- */

static void say_used(const char *path, const struct asked *a, const struct logged *g,
                     struct resolved *plan)
{
    char layout[40];

    gp_format(layout, sizeof(layout), "TP %d", g->tp);
    if (g->pp > 1)
        gp_append(layout, sizeof(layout), " x ", "PP %d", g->pp);
    if (g->ep > 1)
        gp_append(layout, sizeof(layout), ", ", "EP %d", g->ep);
    gp_format(plan->logged, sizeof(plan->logged), "%.80s (%s%s%.24s, %s)", path_name(path),
              a->resolved.request.engine->name, a->log->version[0] ? " " : "", a->log->version,
              layout);
}

static enum gp_status take_log(struct planner *p, const char *path, struct resolved *plan,
                               struct asked *a, struct gp_err *err)
{
    struct gp_err none;
    struct logged found = {.count = 0};
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
    say_used(path, a, &found, plan);
    plan->unlogged[0] = '\0';
    return GP_OK;
}

enum gp_status planner_log_apply(struct planner *planner, struct planner_logs **logs,
                                 const char *list, struct resolved *resolved, struct gp_err *err)
{
    char *files = gp_strdup(list), *rest = files, *path;
    enum gp_status rc = GP_OK;

    while (!rc && (path = strsep(&rest, ","))) {
        struct asked *a;

        if (!path[0] || resolved->logged[0] || !planner_log_is(path))
            continue;
        if (!*logs)
            *logs = gp_calloc(1, sizeof(**logs));
        a = gp_calloc(1, sizeof(*a));
        rc = read_log(*logs, path, &a->log, err);
        if (!rc)
            rc = take_log(planner, path, resolved, a, err);
        free(a);
    }
    free(files);
    return rc;
}
