/*
 * cmd_confirm.c - gpuplan --confirm: measure just what a plan rests on, and plan again.
 */
#include "cli/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "answer/record.h"
#include "answer/sentence.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/table.h"
#include "base/units.h"
#include "cli/bench_progress.h"
#include "measure/confirm.h"
#include "measure/session.h"

struct confirm_job {
    struct bench_run run; /* first: ready() is given it */
    struct confirm c;
    struct options options; /* of the plan, and of what is measured for it */
    struct session_request ask;
    char folder[GP_PATH_MAX];
    char device[16];
};

/* ---- what is measured ---- */

/* Where results of the screen are, too; else the current folder. */
static void take_folder(struct confirm_job *job)
{
    char path[GP_PATH_MAX];

    if (!path_state_home(path, sizeof(path), "bench/"))
        return;
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0755); /* one that cannot be made shows when the result is written */
        *slash = '/';
    }
    path_state_home(job->folder, sizeof(job->folder), "bench");
}

/* The devices are known: only the planned one is measured, as often as the plan has it. */
static enum gp_status confirm_ready(struct bench_run *run, struct gp_err *err)
{
    struct confirm_job *job = (struct confirm_job *)run;
    enum gp_status rc = GP_OK;

    if (!confirm_find(&job->c, job->run.session))
        return gp_fail(err, GP_E_DEVICE, "--confirm",
                       "plan for what is here: the same with -g local",
                       "this host has no %s: it cannot confirm that plan; it has %.100s",
                       job->c.before.plan.request.gpu->id,
                       job->c.here[0] ? job->c.here : "no device to measure");
    if (job->c.before.plan.layout.tp <= 1) {
        gp_format(job->device, sizeof(job->device), "%d", job->c.device);
        job->options.value[OPT_DEVICE] = (struct option_value){.given = true, .text = job->device};
        rc = session_replan(job->run.session, &job->ask, err);
    }
    if (rc)
        return rc;
    confirm_predict(&job->c, job->run.session);
    bench_run_notes(run);
    return session_start(job->run.session, err);
}

/* ---- text ---- */

static void print_terms(const struct confirm *c, struct strbuf *out)
{
    static const struct table_column columns[] = {
        {"term", TABLE_LEFT},      {"predicted", TABLE_RIGHT}, {"low..high", TABLE_RIGHT},
        {"measured", TABLE_RIGHT}, {"error", TABLE_RIGHT},     {"band", TABLE_LEFT},
        {"used", TABLE_LEFT},
    };
    struct table t;

    table_init(&t, columns, sizeof(columns) / sizeof(columns[0]));
    for (int i = 0; i < c->terms; i++) {
        const struct confirm_term *m = &c->term[i];
        const struct quantity *q = &m->predicted;
        bool both = q->known && !isnan(m->measured);

        table_cell(&t, m->name);
        if (q->known) {
            table_cellf(&t, "%.*f %s", m->decimals, q->value / m->divide, m->unit);
            table_cellf(&t, "%.*f..%.*f", m->decimals, q->low / m->divide, m->decimals,
                        q->high / m->divide);
        } else {
            table_cell(&t, "-");
            table_cell(&t, "-");
        }
        if (isnan(m->measured))
            table_cell(&t, "-");
        else
            table_cellf(&t, "%.*f %s", m->decimals, m->measured / m->divide, m->unit);
        if (both)
            table_cellf(&t, "%+.1f %%", 100 * m->error);
        else
            table_cell(&t, "-");
        table_cell(&t, !both ? "-" : m->in_band ? "in band" : "outside");
        table_cellf(&t, "%s%s%s", confirm_use_word(m->use), m->why[0] ? ": " : "", m->why);
    }
    table_text(&t, out);
    table_fini(&t);
}

static void print_speed(const char *name, struct quantity q, double divide, const char *unit,
                        struct strbuf *out)
{
    if (q.known)
        strbuf_addf(out, "  %s%s (%s..%s) %s %s", name, UNITS_PLAIN(q.value / divide, 3),
                    UNITS_PLAIN(q.low / divide, 3), UNITS_PLAIN(q.high / divide, 3), unit,
                    origin_word(q.origin));
}

static void print_speeds(const char *when, const struct plan *p, struct strbuf *out)
{
    strbuf_addf(out, "%s: %s", when, verdict_word(p->verdict));
    if (p->speed.gap == SPEED_KNOWN) {
        print_speed("TPOT ", p->speed.tpot, 1e-3, "ms", out);
        print_speed("TTFT ", p->speed.ttft, 1e-3, "ms", out);
        print_speed("", p->speed.tokens, 1, "tokens/s", out);
    }
    strbuf_add(out, "\n");
}

static void print_text(const struct confirm_job *job, const char *result, struct strbuf *out)
{
    const struct confirm *c = &job->c;
    const struct request *q = &c->before.plan.request;

    strbuf_addf(out, "Confirm: %s here, plan = %s %s on %d x %s\n\n", c->here, q->model->id,
                q->precision.id, c->before.plan.layout.gpus, q->gpu->id);
    if (!job->run.in->quiet)
        print_terms(c, out);
    strbuf_add(out, "\n");
    print_speeds("before", &c->before.plan, out);
    if (c->measured)
        print_speeds("after ", &c->after.plan, out);
    strbuf_add(out, "\n");
    confirm_say(c, out);
    if (c->measured)
        strbuf_addf(out, "kept for plans of %s: %s\n", q->gpu->id, result);
}

/* ---- JSON ---- */

static void record_plan_of(struct record *r, const struct plan *p)
{
    const struct speed *v = &p->speed;
    bool known = v->gap == SPEED_KNOWN;

    record_text(r, "verdict", verdict_word(p->verdict));
    record_quantity(r, "tpot", "s", known ? v->tpot : quantity_unknown(), 1, 6);
    record_quantity(r, "ttft", "s", known ? v->ttft : quantity_unknown(), 1, 6);
    record_quantity(r, "output_tokens_per_s", "tokens/s", known ? v->tokens : quantity_unknown(), 1,
                    3);
}

static void record_terms_of(struct record *doc, const struct confirm *c)
{
    record_list(doc, "terms");
    for (int i = 0; i < c->terms; i++) {
        const struct confirm_term *t = &c->term[i];
        struct record *r = record_append(doc, "terms");

        record_text(r, "name", t->name);
        record_quantity(r, "predicted", t->unit, t->predicted, t->divide, 4);
        record_quantity(r, "measured", t->unit,
                        isnan(t->measured) ? quantity_unknown()
                                           : quantity_of(t->measured, ORIGIN_MEASURED),
                        t->divide, 4);
        record_count(r, "error_pct", "", isnan(t->error) ? NAN : 100 * t->error);
        record_text(r, "band", isnan(t->error) ? "" : t->in_band ? "in" : "outside");
        record_text(r, "used", confirm_use_word(t->use));
        record_text(r, "why", t->why);
    }
}

static void print_json(const struct confirm_job *job, const char *result, struct strbuf *out)
{
    const struct confirm *c = &job->c;
    const struct request *q = &c->before.plan.request;
    struct record doc;
    struct strbuf words;

    record_init(&doc);
    strbuf_init(&words);
    confirm_say(c, &words);
    record_text(&doc, "schema", "gpuplan.confirm/1");
    record_text(&doc, "device", c->here);
    record_text(&doc, "gpu", q->gpu->id);
    record_text(&doc, "model", q->model->id);
    record_text(&doc, "precision", q->precision.id);
    record_text(&doc, "result", result);
    record_flag(&doc, "calibrated", c->measured);
    record_terms_of(&doc, c);
    record_plan_of(record_inside(&doc, "before"), &c->before.plan);
    if (c->measured)
        record_plan_of(record_inside(&doc, "after"), &c->after.plan);
    record_list(&doc, "words");
    for (char *at = words.text, *line; at && (line = strsep(&at, "\n")) && line[0];)
        record_item(&doc, "words", line);
    record_json(&doc, out);
    strbuf_fini(&words);
    record_fini(&doc);
}

/* ---- the run ---- */

static enum gp_status finish_job(struct confirm_job *job, struct gp_err *err)
{
    struct session_plan plan;
    enum gp_status rc = session_finish(job->run.session, err);

    if (rc)
        return rc;
    session_plan(job->run.session, &plan);
    confirm_measure(&job->c, job->run.session);
    rc = confirm_after(&job->c, job->run.in->planner, &job->run.in->options, plan.result, err);
    if (rc)
        return rc;
    if (job->run.in->format == OUTPUT_JSON)
        print_json(job, plan.result, &job->run.in->out);
    else
        print_text(job, plan.result, &job->run.in->out);
    /* 6: nothing counted; 1: the plan does not fit, or misses a goal */
    int code = session_exit_code(job->run.session, options_flag(&job->run.in->options, OPT_STRICT));
    job->run.in->exit_code = code               ? code
                             : !job->c.measured ? gp_status_exit(GP_E_NOTHING)
                                                : !reasons_pass(job->c.after.plan.reasons);
    return GP_OK;
}

static enum gp_status run_confirm(struct invocation *in, struct gp_err *err)
{
    struct confirm_job *job = gp_calloc(1, sizeof(*job));
    enum gp_status rc = GP_OK;
    int signal;

    if (in->options.gpu_count == 0)
        rc = options_text(&in->options, OPT_GPU, "--gpu", "local", err);
    bench_run_init(&job->run, in, confirm_ready);
    if (!rc)
        rc = planner_answer(in->planner, &in->options, &job->c.before, err);
    if (!rc && job->c.before.plan.speed.gap == SPEED_NO_FAMILY)
        rc = gp_fail(err, GP_E_USAGE, "--confirm", "", "%s is planned for memory alone",
                     job->c.before.plan.request.gpu->id);
    if (!rc) {
        job->options = in->options;
        job->options.value[OPT_OUT].given = false;
        take_folder(job);
        job->ask = (struct session_request){
            .options = &job->options,
            .planner = in->planner,
            .tests = confirm_tests(&job->c.before.plan),
            .folder = job->folder,
            .confirm = true,
        };
        if (job->c.before.plan.request.gpu->host)
            job->options.value[OPT_BACKEND] = (struct option_value){.given = true, .text = "cpu"};
        job->run.session = session_new(&job->ask, err);
        rc = job->run.session ? bench_run_drive(&job->run, err) : err->code;
        if (!rc)
            rc = finish_job(job, err);
        signal = bench_run_end(&job->run);
        if (signal && !rc)
            in->exit_code = signal;
    }
    free(job);
    return rc;
}

const struct command cmd_confirm = {
    .name = "confirm",
    .usage = "-m MODEL [-g GPU[:COUNT]] [OPTION]...",
    .brief = "measure what a plan rests on, and plan again: predicted, measured, error",
    .bit = FOR_CONFIRM,
    .text = "what was measured",
    .one = ONE_EACH,
    .several = "confirm them one by one",
    .run = run_confirm,
};
