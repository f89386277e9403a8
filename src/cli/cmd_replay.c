/*
 * cmd_replay.c - gpuplan --replay: the engine's scheduler over arrivals or a log of requests.
 *
 * Exit code 1 when the plan does not fit or a goal is missed at the 95th percentile.
 */
#include <math.h>
#include <stdlib.h>

#include "answer/replay_run.h"
#include "base/path.h"
#include "base/units.h"
#include "cli/command.h"
#include "logs/attach.h"

/* A file beside the answer. */
static enum gp_status write_csv(const struct invocation *in, enum option_id id,
                                const struct replay_run *run,
                                void (*make)(const struct replay_run *run, struct strbuf *out),
                                struct gp_err *err)
{
    const char *path = options_word(&in->options, id, "");
    struct strbuf text;

    if (!path[0] || !run->done)
        return GP_OK;
    strbuf_init(&text);
    make(run, &text);
    enum gp_status rc = path_write(path, text.text, text.len, err);
    strbuf_fini(&text);
    return rc;
}

/* Lengths spread as a page's histogram does: requests that are all alike run in step. */
static void take_spread(const struct scrape *page, enum scrape_of of, const struct options *given,
                        enum option_id mean, enum option_id id, struct options *o)
{
    double deviation = round(scrape_deviation(&page->histogram[of]));

    if (deviation > 0 && deviation <= 1e9 && !given->value[mean].given && !given->value[id].given)
        o->value[id] = (struct option_value){.given = true, .number = deviation};
}

/* The options of a running server's load: what its metrics page tells and nobody gave. */
static enum gp_status take_page(struct invocation *in, struct scrape *page,
                                struct attach_options *like, struct gp_err *err)
{
    const char *path = options_word(&in->options, OPT_LIKE, "");
    char *text = NULL;
    size_t len = 0;
    enum gp_status rc = path_read_input(path, SCRAPE_BYTES, &text, &len, err);

    if (!rc)
        rc = scrape_parse(path, text, len, page, err);
    free(text);
    if (!rc)
        rc = attach_request(page, in->planner, &in->options, like, err);
    if (!rc && !like->options.value[OPT_USERS].given && !like->options.value[OPT_RATE].given)
        rc = gp_fail(err, GP_E_USAGE, path, "give --users or --rate",
                     "no request was in flight when the page was read");
    if (rc)
        return rc;
    take_spread(page, SCRAPE_PROMPT, &in->options, OPT_PROMPT, OPT_PROMPT_STDDEV, &like->options);
    take_spread(page, SCRAPE_OUTPUT, &in->options, OPT_OUTPUT, OPT_OUTPUT_STDDEV, &like->options);
    in->options = like->options;
    return rc;
}

/* --scale: so many times the load; that of a trace is the replay's. */
static enum gp_status scale_load(struct options *o, struct gp_err *err)
{
    struct option_value *users = &o->value[OPT_USERS], *rate = &o->value[OPT_RATE];
    double by = options_or(o, OPT_SCALE, 1);

    if (!o->value[OPT_SCALE].given)
        return GP_OK;
    if (!users->given && !rate->given && !o->value[OPT_TRACE].given)
        return gp_fail(err, GP_E_USAGE, "--scale", "--rate, --users, --like or a trace",
                       "there is no load to scale");
    users->number = users->given ? fmax(round(users->number * by), 1) : users->number;
    rate->number *= by;
    return GP_OK;
}

static enum gp_status replay_print(struct invocation *in, struct gp_err *err)
{
    struct replay_run run;
    struct record doc;
    struct scrape page;
    struct attach_options like;
    enum gp_status rc = GP_OK;

    if (in->options.value[OPT_LIKE].given)
        rc = take_page(in, &page, &like, err);
    if (!rc)
        rc = scale_load(&in->options, err);
    if (rc)
        return rc;
    rc = replay_run_options(in->planner, &in->options, &run, err);

    if (!rc)
        rc = write_csv(in, OPT_TIMELINE, &run, replay_timeline_csv, err);
    if (!rc)
        rc = write_csv(in, OPT_REQUESTS_OUT, &run, replay_requests_csv, err);
    record_init(&doc);
    if (!rc) {
        if (in->format != OUTPUT_TEXT || in->quiet)
            report_replay(&run, &doc);
        if (in->format == OUTPUT_JSON)
            record_json(&doc, &in->out);
        else if (in->format != OUTPUT_TEXT)
            record_rows(&doc, output_record_as(in->format), &in->out);
        else if (in->quiet)
            strbuf_addf(&in->out, "%s\n",
                        !run.done                ? record_get(&doc, "verdict")
                        : run.solved             ? UNITS_PLAIN(run.rate.value, 3)
                        : run.forecast.saturated ? "overloaded"
                                                 : "keeps up");
        else
            print_replay(&run, &in->out);
        in->exit_code = !replay_run_passes(&run);
    }
    record_fini(&doc);
    replay_run_fini(&run);
    return rc;
}

static enum gp_status run_replay(struct invocation *in, struct gp_err *err)
{
    if (in->arg_count > 0 && in->options.value[OPT_TRACE].given)
        return gp_fail(err, GP_E_USAGE, "--trace", "leave one of them out",
                       "the trace is named twice");
    if (in->arg_count > 0 && options_text(&in->options, OPT_TRACE, "trace", in->args[0], err))
        return err->code;
    return replay_print(in, err);
}

const struct command cmd_replay = {
    .name = "replay",
    .usage = "[TRACE] -m MODEL [-g GPU[:COUNT]] [--rate N | -u USERS] [OPTION]...",
    .brief = "the engine's scheduler over arrivals or a trace: percentiles with bands, what limits",
    .bit = FOR_REPLAY,
    .most = 1,
    .takes = "one trace",
    .example = "a CSV or JSON lines file of requests",
    .one = ONE_EACH,
    .several = "use --compare for several",
    .wraps = true,
    .run = run_replay,
};
