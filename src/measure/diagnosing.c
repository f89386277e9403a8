/*
 * diagnosing.c - see diagnosing.h.
 */
#include "measure/diagnosing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/diagnose_print.h"
#include "base/clock.h"
#include "base/str.h"
#include "measure/result/benchlog.h"
#include "probe/probe_backend.h"

#define LOOK_EVERY 0.5 /* s between two looks at the driver */

/* "powersave" of intel_pstate is its normal mode; ondemand and schedutil rise under load. */
static void take_governor(struct diagnose_facts *f)
{
    char driver[64];

    sys_line(f->governor, sizeof(f->governor),
             "%s/devices/system/cpu/cpu0/cpufreq/scaling_governor", probe_sys());
    gp_sanitize(f->governor);
    sys_line(driver, sizeof(driver), "%s/devices/system/cpu/cpu0/cpufreq/scaling_driver",
             probe_sys());
    f->saves_power = strcmp(f->governor, "powersave") == 0 && driver[0] &&
                     strncmp(driver, "intel_pstate", 12) != 0 &&
                     strncmp(driver, "amd-pstate", 10) != 0;
}

static void look_at_driver(struct diagnosing *d)
{
    d->looked = clock_now();
    if (probe_read(d->probe, d->seen, PROBE_MAX, &d->seen_count, NULL) != GP_OK)
        d->seen_count = 0;
}

void diagnosing_begin(struct diagnosing *d)
{
    memset(d, 0, sizeof(*d));
    d->probe = probe_open();
    look_at_driver(d);
}

void diagnosing_end(struct diagnosing *d)
{
    probe_close(d->probe);
}

void diagnosing_options(const struct diagnosing *d, struct options *options)
{
    bool host = d->seen_count == 0 || strcmp(options_word(options, OPT_BACKEND, ""), "cpu") == 0;
    const struct {
        enum option_id id;
        const char *text;
    } defaults[] = {
        {OPT_PRESET, "quick"},
        {OPT_TIME_LIMIT, "40s"},
        {OPT_FORCE, ""},
        {OPT_SHAPES, host ? "2048:2048:2048" : "8192:8192:8192"},
    };

    for (size_t i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++)
        if (!options->value[defaults[i].id].given)
            options->value[defaults[i].id] =
                (struct option_value){.given = true, .text = defaults[i].text};
    options->value[OPT_OUT] = (struct option_value){.given = true, .text = "-"};
}

/* ---- the devices ---- */

/* The one that the driver names, of the session's; NULL: it does not. */
static const struct device *seen_as(const struct diagnosing *d, const struct session_device *s)
{
    for (size_t i = 0; i < d->seen_count; i++)
        if (s->uuid[0] && strcmp(d->seen[i].uuid, s->uuid) == 0)
            return &d->seen[i];
    return NULL;
}

static void take_devices(struct diagnosing *d, const struct session *session)
{
    struct session_device s;
    struct session_plan plan;

    session_plan(session, &plan);
    for (int i = 0; i < DIAGNOSING_DEVICES && session_device(session, i, &s); i++) {
        struct diagnosing_device *to = &d->device[i];
        const struct device *seen = seen_as(d, &s);

        to->facts = diagnose_nothing();
        to->facts.host = strcmp(plan.backend, "cpu") == 0;
        gp_copy(to->name, sizeof(to->name), s.name);
        gp_copy(to->profile, sizeof(to->profile), s.gpu ? s.gpu->id : "");
        if (s.gpu && s.gpu->power.known && s.gpu->power.value > 0)
            to->facts.power_sheet = s.gpu->power.value;
        if (to->facts.host)
            take_governor(&to->facts);
        d->count = i + 1;
        if (!seen)
            continue;
        /* what holds before anything of ours runs */
        to->facts.processes = seen->processes;
        to->facts.link_gen_max = seen->pcie.gen_max > 0 ? seen->pcie.gen_max : -1;
        to->facts.link_width_max = seen->pcie.width_max > 0 ? seen->pcie.width_max : -1;
        to->facts.ecc = seen->ecc;
        to->facts.ecc_errors = seen->ecc_errors.known ? seen->ecc_errors.value : NAN;
        to->facts.peers = seen->peers;
        to->facts.peers_lost = seen->peers_lost;
    }
}

/* ---- readings ---- */

static void raise_to(double *value, double now)
{
    if (!isnan(now) && !(*value >= now))
        *value = now;
}

static void take_sensors(struct diagnosing_device *to, const struct session_sensors *s)
{
    static const struct {
        const char *word;
        enum diagnose_throttle by;
    } words[] = {
        {"power_cap", DIAGNOSE_BY_POWER},
        {"thermal", DIAGNOSE_BY_HEAT},
        {"hw", DIAGNOSE_BY_HARDWARE},
    };

    raise_to(&to->facts.clock_max, s->sm_clock_max * 1e6);
    raise_to(&to->facts.power, s->power);
    raise_to(&to->facts.power_limit, s->power_limit);
    raise_to(&to->facts.temperature, s->temperature);
    if (s->sm_clock > 0) {
        to->clock += s->sm_clock * 1e6;
        to->clocks++;
    }
    if (!s->throttle || !s->throttle[0])
        return;
    to->readings++;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        to->throttled[words[i].by] += strcmp(s->throttle, words[i].word) == 0;
}

/* The link while it works. */
static void take_links(struct diagnosing *d, const struct session *session)
{
    struct session_device s;

    if (clock_now() - d->looked < LOOK_EVERY)
        return;
    look_at_driver(d);
    for (int i = 0; i < d->count && session_device(session, i, &s); i++) {
        const struct device *seen = seen_as(d, &s);
        struct diagnose_facts *f = &d->device[i].facts;

        if (seen && seen->pcie.gen > f->link_gen)
            f->link_gen = seen->pcie.gen;
        if (seen && seen->pcie.width > f->link_width)
            f->link_width = seen->pcie.width;
    }
}

void diagnosing_event(struct diagnosing *d, const struct session *session,
                      const struct session_event *event)
{
    if (event->kind == SESSION_EVENT_READY)
        take_devices(d, session);
    if (event->kind != SESSION_EVENT_SENSORS || event->device < 0 || event->device >= d->count)
        return;
    take_sensors(&d->device[event->device], &event->sensors);
    take_links(d, session);
}

/* ---- results ---- */

static void take_point(struct diagnose_facts *f, const struct point_result *p)
{
    if (f->host)
        raise_to(&f->others, result_param(p, "others_share"));
    else if (result_flagged(p, "shared") && f->processes < 1)
        f->processes = 1; /* came while it was measured */
    if (result_wrong(p))
        *(p->cause[0] ? &f->explained : &f->wrong) += 1;
    if (p->state != POINT_OK || result_wrong(p))
        return;
    f->good++;
    if (p->test == TEST_MEMORY && p->kind == KIND_READ && !p->hot && p->bytes > 0) {
        raise_to(&f->read, p->bytes);
        if (p->ratio > 0)
            raise_to(&f->read_share, p->ratio);
    }
    if (p->test == TEST_GEMM && p->ops > 0) {
        raise_to(&f->product, p->ops);
        if (p->ratio > 0)
            raise_to(&f->product_share, p->ratio);
    }
    if (p->kind == KIND_H2D_PINNED && p->bytes > 0)
        raise_to(&f->upload, p->bytes);
}

void diagnosing_drop_journal(struct session *session)
{
    struct session_plan plan;

    session_plan(session, &plan);
    session_settle(session);
    if (plan.journal && plan.journal[0])
        remove(plan.journal); /* of a run that the time limit ended */
}

void diagnosing_finish(struct diagnosing *d, struct session *session)
{
    const struct benchlog *log = session_log(session);

    diagnosing_drop_journal(session);
    for (int i = 0; log && i < log->count; i++)
        if (log->point[i].device >= 0 && log->point[i].device < d->count)
            take_point(&d->device[log->point[i].device].facts, &log->point[i]);
    for (int i = 0; i < d->count; i++) {
        struct diagnosing_device *to = &d->device[i];

        if (to->clocks > 0)
            to->facts.clock = to->clock / to->clocks;
        for (int t = 0; t < DIAGNOSE_THROTTLES && to->readings > 0; t++)
            to->facts.throttled[t] = to->throttled[t] / to->readings;
    }
}

/* ---- the verdict ---- */

enum diagnose_status diagnosing_record(const struct diagnosing *d, struct record *doc)
{
    enum diagnose_status worst = d->count > 0 ? DIAGNOSE_HEALTHY : DIAGNOSE_UNKNOWN;

    for (int i = 0; i < d->count; i++) {
        struct diagnosis of = diagnose(&d->device[i].facts);

        worst = of.status > worst ? of.status : worst;
    }
    record_text(doc, "schema", "gpuplan.diagnose/1");
    record_text(doc, "status", diagnose_status_word(worst));
    record_list(doc, "devices");
    for (int i = 0; i < d->count; i++)
        diagnose_record(&d->device[i].facts, d->device[i].name, d->device[i].profile,
                        record_append(doc, "devices"));
    return worst;
}
