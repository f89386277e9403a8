/*
 * cmd_pool.c - gpuplan --pool: a mix of models over a day on a stock of GPUs.
 *
 * Exit code 1 when the chosen rung leaves demand unmet: a workload that nothing serves, or
 * more than there are GPUs for. SIGINT, SIGTERM and SIGHUP end the search, and what it found
 * is printed.
 */
#include "cli/command.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/say.h"
#include "base/str.h"
#include "measure/session.h"
#include "pool/pool_record.h"
#include "tui/loop.h"
#include "tui/settings.h"

#define TELL_EVERY 0.2 /* s */

static void warn_pool(void *ctx, const char *line)
{
    const struct invocation *in = ctx;

    if (!in->quiet)
        log_line("gpuplan: %s", line);
}

/* ---- while it is solved ---- */

struct solving {
    const struct pool_run *run;
    double told; /* clock_now() */
    bool shown;
};

static bool is_stopped(void *ctx)
{
    int last;

    (void)ctx;
    return session_signals(&last) > 0;
}

/* One line of a terminal, written over. */
static void tell_progress(void *ctx, enum pool_rung_id rung, double total, double bound)
{
    struct solving *s = ctx;
    double days = pool_days(s->run), now = clock_now();
    char line[96];

    if (total <= 0 || now - s->told < TELL_EVERY)
        return;
    s->told = now;
    s->shown = true;
    gp_format(line, sizeof(line), "%s: $%.0f/day, bound $%.0f/day; Ctrl-C keeps it",
              pool_rung_word(rung), total / days, bound / days);
    log_over(line);
}

static enum gp_status solve_pool(struct invocation *in, struct pool_run_options *options,
                                 struct pool_run *run, struct gp_err *err)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct solving s = {.run = run};
    int last;

    options->stop = is_stopped;
    if (isatty(STDERR_FILENO) && !in->quiet) {
        options->progress = tell_progress;
        options->progress_ctx = &s;
    }
    session_signals_catch(numbers, 3);
    enum gp_status rc = pool_run_answer(in->planner, options, run, err);
    if (s.shown)
        log_over("");
    in->exit_code = rc                           ? 0
                    : session_signals(&last) > 0 ? 128 + last
                                                 : pool_run_short(run, run->rung);
    session_signals_release();
    return rc;
}

/* ---- the command ---- */

static enum gp_status print_answer(struct invocation *in, const struct pool_run *run,
                                   struct gp_err *err)
{
    const struct options *o = &in->options;
    int kind = options_choice(o, OPT_EXPORT);
    int hour = (int)options_or(o, OPT_AT, pool_run_busiest(run));

    if (hour >= run->c.pool.hours)
        return gp_fail(err, GP_E_USAGE, "--at", "", "this pool has hours 0 to %d",
                       run->c.pool.hours - 1);
    if (kind >= 0)
        return pool_export(run, (enum pool_export)kind, hour, &in->out, err);
    print_pool(run, in->format, in->quiet, o->value[OPT_RUNG].given, &in->out);
    return GP_OK;
}

/* The pool on its screen, by the line that opens it there with the options that were given. */
static enum gp_status show_screen(struct invocation *in, struct gp_err *err)
{
    static const enum option_id kept[] = {OPT_SEED, OPT_SOLVE_SECONDS, OPT_RUNG};
    static const struct options none;
    struct app_start start = {
        .planner = in->planner, .options = &none, .script = getenv("GPUPLAN_SCRIPT")};
    struct gp_err wrong = {0};
    char report[GP_ERR_LINE];
    struct strbuf line;

    strbuf_init(&line);
    strbuf_addf(&line, "pool %s", in->args[0]);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        if (in->options.value[kept[i]].given)
            strbuf_addf(&line, " --%s %s", option_rows[kept[i]].name,
                        in->options.value[kept[i]].text);
    start.command = line.text;
    if (settings_read(&start.settings, &wrong))
        start.report = gp_err_line(&wrong, report);
    in->exit_code = app_run(&start, err);
    strbuf_fini(&line);
    return err->code;
}

static enum gp_status run_pool(struct invocation *in, struct gp_err *err)
{
    const struct options *o = &in->options;
    struct pool_run_options options = {
        .name = in->args[0],
        .seed = (uint64_t)options_or(o, OPT_SEED, 24301),
        .seconds = options_or(o, OPT_SOLVE_SECONDS, 0),
        .rung = options_choice(o, OPT_RUNG),
        .gpus = o->gpus,
        .gpu_count = o->gpu_count,
        .no_what_ifs = o->value[OPT_EXPORT].given || in->format == OUTPUT_CSV || in->quiet,
    };
    struct pool_run *answer;

    if (options_flag(o, OPT_ON_SCREEN))
        return show_screen(in, err);
    answer = pool_run_new();
    enum gp_status rc = pool_case_load(in->planner, options.name, warn_pool, in, &answer->c, err);
    if (!rc)
        rc = solve_pool(in, &options, answer, err);
    if (!rc)
        rc = print_answer(in, answer, err);
    pool_run_delete(answer);
    return rc;
}

const struct command cmd_pool = {
    .name = "pool",
    .usage = "FILE|NAME [--rung NAME] [--export KIND] [OPTION]...",
    .brief = "a mix of models over a day: fixed servers, shared ones or a composable pool",
    .bit = FOR_POOL,
    .least = 1,
    .most = 1,
    .takes = "one file, or the name of one of profiles/pools",
    .example = "gpuplan --pool mixed-sizes",
    .run = run_pool,
};
