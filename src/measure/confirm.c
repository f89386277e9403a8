/* confirm.c - see confirm.h. */
#include "measure/confirm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "measure/point/line.h"
#include "measure/points.h"
#include "measure/result/measured.h"
#include "plan/speed/calib.h"
#include "plan/speed/speed.h"

const char *confirm_use_word(enum confirm_use use)
{
    static const char *const words[] = {
        [CONFIRM_WAITS] = "not measured", [CONFIRM_COUNTS] = "counts",
        [CONFIRM_LESS] = "counts less",   [CONFIRM_CHECKS] = "checks",
        [CONFIRM_IGNORED] = "ignored",
    };

    return words[use];
}

/* ---- which device ---- */

bool confirm_find(struct confirm *c, const struct session *session)
{
    const struct gpu *planned = c->before.plan.request.gpu;
    struct session_device d;
    struct session_plan plan;
    bool found = false;

    session_plan(session, &plan);
    c->device = -1;
    for (int i = 0; session_found_device(session, i, &d) && !found; i++) {
        gp_copy(c->here, sizeof(c->here), d.gpu ? d.gpu->id : d.name);
        found = planned->host ? !d.gpu && strcmp(plan.backend, "cpu") == 0
                              : d.gpu && strcmp(d.gpu->id, planned->id) == 0;
        c->device = found ? i : -1;
    }
    return found;
}

const char *confirm_tests(const struct plan *plan)
{
    if (plan->request.gpu->host)
        return "memory,batch,fit";
    return plan->layout.tp > 1 ? "memory,batch,decode,fit,allreduce" : "memory,batch,decode,fit";
}

/* ---- predictions ---- */

struct device_law {
    const struct gpu *gpu;
    double low, high; /* of the device alone: x and / */
};

/* A time may be 1/low and high of it, a rate the other way round. */
static struct quantity banded_rate(const struct device_law *law, double rate)
{
    return quantity_band(rate, rate / law->high, rate * law->low, ORIGIN_MODEL);
}

/* Seconds of experts that are multiplied in groups, by the family's share of an engine's own
 * kernel for them; of the two products of a layer each has half of what an expert costs beside. */
static double experts_time(const struct device_law *law, const struct point *p)
{
    const struct family *f = law->gpu->family;
    enum kernel kernel;
    bool alike;

    if (!measured_kernel(p->type, &kernel))
        return NAN;
    struct expert_share share = family_expert(f, kernel, &alike);
    double rate = kernel_rate(kernel, law->gpu);
    rate = rate > 0 ? rate : kernel_rate(KERNEL_16, law->gpu);
    return gemm_norm(point_operations(p) / (family_compute(kernel, law->gpu, share.compute) * rate),
                     point_bytes(p) / (share.memory * law->gpu->bandwidth.value), 2) +
           share.each * p->groups / 2;
}

/* Seconds of so much work in a type. */
static double work_time(const struct device_law *law, enum bench_type type, double operations,
                        double bytes)
{
    const struct family *f = law->gpu->family;
    enum kernel kernel;
    bool alike;

    if (!measured_kernel(type, &kernel))
        return NAN;
    struct product_share share = family_product(f, kernel, &alike);
    double rate = kernel_rate(kernel, law->gpu);
    rate = rate > 0 ? rate : kernel_rate(KERNEL_16, law->gpu);
    return gemm_norm(operations / (family_compute(kernel, law->gpu, share.compute) * rate),
                     bytes / (share.memory * law->gpu->bandwidth.value), f->norm);
}

static double near_of(const struct device_law *law, const struct point *p)
{
    struct gemm g = {.measured = true};
    const struct calib *calib = law->gpu->family->calib;
    enum kernel kernel;

    if (!calib || calib->points == 0 || !measured_kernel(p->type, &kernel))
        return 1;
    calib_near(calib, kernel, (double)p->m, (double)p->k, measured_bytes(p->type), g.near);
    return gemm_near(&g, (double)p->n);
}

static double product_time(const struct device_law *law, const struct point *p)
{
    return p->groups > 1
               ? experts_time(law, p)
               : work_time(law, p->type, point_operations(p), point_bytes(p)) * near_of(law, p);
}

double confirm_law(const struct gpu *gpu, const struct point *p, double *roof)
{
    const struct device_law law = {.gpu = gpu};
    double operations = point_operations(p), bytes = point_bytes(p);
    enum kernel kernel;

    *roof = measured_kernel(p->type, &kernel) && kernel_rate(kernel, gpu) > 0
                ? fmin(kernel_rate(kernel, gpu), gpu->bandwidth.value * operations / bytes)
                : NAN;
    return operations / product_time(&law, p);
}

static double best_share(const struct gpu *gpu)
{
    double best = 0;

    for (int k = 0; k < KERNEL_COUNT; k++)
        best = fmax(best, gpu->family->product[k].memory);
    return gpu->host ? 1 : best;
}

static void set_rate(struct confirm_term *t, enum test_rate rate, const char *unit, double divide,
                     int decimals)
{
    t->rate = rate;
    t->unit = unit;
    t->divide = divide;
    t->decimals = decimals;
}

static void predict_product(const struct device_law *law, const struct point *p,
                            struct confirm_term *t)
{
    static const char *const units[2][2] = {{"GFLOP/s", "GOP/s"}, {"TFLOP/s", "TOP/s"}};
    double s = product_time(law, p);
    double rate = point_operations(p) / s;
    bool tera = rate >= 1e12, memory = point_bytes(p) / (law->gpu->bandwidth.value * s) > 0.5;

    gp_format(t->name, sizeof(t->name), "%s %s n=%ld", bench_type_word(p->type),
              p->layer[0] ? p->layer : bench_test_word(p->test), (long)point_tokens(p));
    if (memory)
        set_rate(t, RATE_BYTES, "GB/s", 1e9, 1);
    else
        set_rate(t, RATE_OPERATIONS, units[tera][bench_type_integer(p->type)], tera ? 1e12 : 1e9,
                 rate >= (tera ? 1e14 : 1e11) ? 0 : 1);
    if (isfinite(s) && s > 0)
        t->predicted = banded_rate(law, memory ? point_bytes(p) / s : rate);
}

static void predict_one(const struct confirm *c, const struct device_law *law,
                        const struct point *p, struct confirm_term *t)
{
    const struct gpu *gpu = law->gpu;

    if (p->test == TEST_MEMORY) {
        gp_copy(t->name, sizeof(t->name), "memory read");
        set_rate(t, RATE_BYTES, "GB/s", 1e9, 1);
        t->predicted = banded_rate(law, gpu->bandwidth.value * best_share(gpu));
    } else if (p->test == TEST_DECODE) {
        double s = work_time(law, p->type, point_operations(p), point_bytes(p));

        gp_format(t->name, sizeof(t->name), "decode step %s n=%.0f", bench_type_word(p->type),
                  c->before.plan.request.users / fmax(c->before.plan.layout.replicas, 1));
        set_rate(t, RATE_SECONDS, "ms", 1e-3, 1);
        t->predicted = isfinite(s) ? quantity_band(s, s / law->low, s * law->high, ORIGIN_MODEL)
                                   : quantity_unknown();
    } else if (p->test == TEST_FIT) {
        gp_copy(t->name, sizeof(t->name), "memory (fit)");
        set_rate(t, RATE_BYTES, "GiB", GP_GIB, 2);
        t->predicted = quantity_of(p->bytes, ORIGIN_MODEL);
    } else if (p->m > 0) {
        predict_product(law, p, t);
    } else {
        gp_format(t->name, sizeof(t->name), "%s %s", bench_test_word(p->test), point_kind(p));
        set_rate(t, RATE_BYTES, "GB/s", 1e9, 1);
    }
}

void confirm_predict(struct confirm *c, const struct session *session)
{
    struct device_law law = {.gpu = c->before.plan.request.gpu};

    speed_doubt_law(law.gpu, &law.low, &law.high);
    c->terms = 0;
    for (int i = 0; i < session_points(session) && c->terms < CONFIRM_TERMS; i++) {
        struct session_point p;
        struct confirm_term *t = &c->term[c->terms];

        if (!session_point(session, 0, i, &p))
            continue;
        *t = (struct confirm_term){.point = i,
                                   .test = p.point->test,
                                   .predicted = quantity_unknown(),
                                   .measured = NAN,
                                   .error = NAN};
        predict_one(c, &law, p.point, t);
        c->terms++;
    }
}

/* ---- what was measured ---- */

/* Do its flags say no more than that the times vary? */
static bool only_scatters(const struct point_result *r)
{
    for (size_t i = 0; i < json_array_size(r->flags); i++) {
        const char *flag = json_string_value(json_array_get(r->flags, i));

        if (line_flag_disturbs(flag) && strcmp(flag, "drift") != 0 &&
            strcmp(flag, "unconverged") != 0)
            return false;
    }
    return true;
}

static void measure_one(struct confirm_term *t, const struct session_point *of)
{
    const struct point_result *r = &of->result[0];
    const struct quantity *q = &t->predicted;
    const struct point *p = of->point;
    bool wrong = result_wrong(r);

    if (of->count == 0)
        return;
    if (r->state != POINT_OK || !(r->median > 0)) {
        t->use = CONFIRM_IGNORED;
        gp_copy(t->why, sizeof(t->why), r->reason[0] ? r->reason : point_state_words[r->state]);
        return;
    }
    t->measured = p->test == TEST_FIT          ? p->bytes
                  : t->rate == RATE_SECONDS    ? r->median
                  : t->rate == RATE_OPERATIONS ? r->ops
                  : p->m > 0                   ? point_bytes(p) / r->median
                                               : r->bytes;
    result_flags(r, ", ", t->why, sizeof(t->why));
    if (wrong && r->why[0])
        gp_append(t->why, sizeof(t->why), ": ", "%s", r->why);
    if (p->test == TEST_FIT) /* bytes are there whoever else computes */
        t->use = wrong ? CONFIRM_IGNORED : CONFIRM_CHECKS;
    else if (wrong || (r->disturbed && !only_scatters(r)))
        t->use = CONFIRM_IGNORED;
    else if (p->test == TEST_DECODE || p->groups > 1) /* it corrects nothing */
        t->use = CONFIRM_CHECKS;
    else
        t->use = r->disturbed ? CONFIRM_LESS : CONFIRM_COUNTS;
    if (!q->known || !(q->value > 0))
        return;
    t->error = t->measured / q->value - 1;
    t->in_band = t->measured >= q->low && t->measured <= q->high;
}

void confirm_measure(struct confirm *c, const struct session *session)
{
    for (int i = 0; i < c->terms; i++) {
        struct session_point p;

        if (session_point(session, 0, c->term[i].point, &p))
            measure_one(&c->term[i], &p);
    }
}

/* ---- the plan after ---- */

bool confirm_counts(const struct confirm *c)
{
    for (int i = 0; i < c->terms; i++)
        if (c->term[i].use == CONFIRM_COUNTS || c->term[i].use == CONFIRM_LESS)
            return true;
    return false;
}

struct quantity confirm_so_far(const struct resolved *before, struct planner *planner,
                               const struct benchlog *log)
{
    struct resolved *now = gp_malloc(sizeof(*now));
    struct plan *plan = gp_malloc(sizeof(*plan));
    struct quantity tpot = {.known = false};

    *now = *before;
    if (planner_running(planner, log, now)) {
        planner_plan(planner, now, plan);
        if (plan->speed.gap == SPEED_KNOWN)
            tpot = plan->speed.tpot;
    }
    free(plan);
    free(now);
    return tpot;
}

enum gp_status confirm_after(struct confirm *c, struct planner *planner,
                             const struct options *options, const char *result, struct gp_err *err)
{
    struct options with = *options;
    enum gp_status rc = GP_OK;

    c->measured = confirm_counts(c);
    if (!c->measured)
        return GP_OK;
    with.value[OPT_CALIBRATION] = (struct option_value){.given = true, .text = result};
    if (!rc)
        rc = planner_answer(planner, &with, &c->after, err);
    c->measured = !rc && c->after.resolved.calibrated[0];
    return rc;
}

/* ---- in words ---- */

/* Of a test; NULL: it has none. */
static const struct confirm_term *term_of(const struct confirm *c, enum bench_test test)
{
    for (int i = 0; i < c->terms; i++)
        if (c->term[i].test == test)
            return &c->term[i];
    return NULL;
}

static void say_tpot(const struct confirm *c, struct strbuf *out)
{
    const struct speed *before = &c->before.plan.speed, *after = &c->after.plan.speed;
    double goal = c->after.plan.request.tpot;
    bool was = before->tpot.value <= goal, is = after->tpot.value <= goal;

    if (!c->measured || before->gap != SPEED_KNOWN || after->gap != SPEED_KNOWN)
        return;
    strbuf_addf(out, "TPOT %s ms, not %s", UNITS_PLAIN(1e3 * after->tpot.value, 3),
                UNITS_PLAIN(1e3 * before->tpot.value, 3));
    if (goal > 0)
        strbuf_addf(out, "; %s the goal of %.3g ms",
                    is && was ? "still within"
                    : is      ? "now within"
                    : was     ? "no longer within"
                              : "still beyond",
                    1e3 * goal);
    strbuf_addf(out, "; the band is %.1f times as wide as before\n",
                log(after->tpot.high / after->tpot.low) /
                    log(before->tpot.high / before->tpot.low));
}

void confirm_say(const struct confirm *c, struct strbuf *out)
{
    const struct confirm_term *read = term_of(c, TEST_MEMORY), *fit = term_of(c, TEST_FIT);
    const struct request *q = &c->before.plan.request;
    double bandwidth = q->gpu->bandwidth.value;
    int ignored = 0, waits = 0;

    if (read && !isnan(read->measured) && read->use != CONFIRM_IGNORED)
        strbuf_addf(out, "%s reads memory %.0f %% %s than %s\n", q->gpu->id,
                    100 * fabs(read->measured / bandwidth - 1),
                    read->measured < bandwidth ? "slower" : "faster",
                    q->gpu->bandwidth.origin == ORIGIN_ASSUMED ? "assumed"
                    : q->gpu->host                             ? "measured before"
                                                               : "its sheet says");
    say_tpot(c, out);
    if (fit && fit->use == CONFIRM_CHECKS)
        strbuf_addf(out, "the planned %.2f GiB were allocated and held what was written\n",
                    fit->measured / GP_GIB);
    else if (fit && fit->use == CONFIRM_IGNORED)
        strbuf_addf(out, "the planned memory could not be allocated now: %s\n", fit->why);
    if (q->gpu->host) /* reads and FP32 bound what an engine's kernels reach, and do not tell it */
        strbuf_addf(out,
                    "%s has kernels of its own: measure them with its benchmark (llama-bench -m "
                    "MODEL.gguf -p %.0f -n %.0f -o json >FILE), and plan with --calibration FILE\n",
                    q->engine->id, q->prompt, q->output);
    for (int i = 0; i < c->terms; i++) {
        ignored += c->term[i].use == CONFIRM_IGNORED && !isnan(c->term[i].measured);
        waits += c->term[i].use == CONFIRM_WAITS;
    }
    if (ignored)
        strbuf_addf(out,
                    "%d of %d terms were disturbed and are not used: close other programs and "
                    "confirm again\n",
                    ignored, c->terms);
    if (waits)
        strbuf_addf(out, "%d of %d terms were not measured: stopped, or out of time\n", waits,
                    c->terms);
    if (c->after.resolved.uncalibrated[0])
        strbuf_addf(out, "%s\n", c->after.resolved.uncalibrated);
    if (!c->measured)
        strbuf_add(out, "no measurement could be used: the plan is unchanged\n");
}
