/*
 * session_files.c - the names of a session's files, its journal, and its end.
 *
 * FILE is the result; FILE.part, the journal, holds every point that is done until the
 * result is whole and on disk. Of several ranks, each has FILE.rankN.HOST.
 */
#include "run/session_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/mem.h"

/* ---- names ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The same host has the same hash (FNV-1a) in each of its results, so that they can be
 * told apart and compared; who knows the name can find it. */
static void hash_name(char *name, size_t size)
{
    uint64_t h = 14695981039346656037u;

    for (const char *c = name; *c; c++)
        h = (h ^ (unsigned char)*c) * 1099511628211u;
    gp_format(name, size, "host-%016llx", (unsigned long long)h);
}

static void name_host(struct session *s)
{
    char name[65] = "host";

    gethostname(name, sizeof name - 1);
    if (options_flag(&s->options, OPT_ANONYMOUS))
        hash_name(name, sizeof name);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '.')
            *c = '_';
    gp_copy(s->host, sizeof s->host, name);
}

size_t session_stem(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

    return dot && dot != path ? (size_t)(dot - path) : strlen(path);
}

/* run.rankN.HOST.json, the file of this rank, is of run.json. */
static void drop_rank(struct session *s)
{
    char own[100];
    size_t stem = session_stem(s->base), n;

    gp_format(own, sizeof own, ".rank%d.%s", s->how.rank, s->host);
    n = strlen(own);
    if (s->how.ranks > 1 && stem > n && strncmp(s->base + stem - n, own, n) == 0)
        memmove(s->base + stem - n, s->base + stem, strlen(s->base + stem) + 1);
}

/* A result of this name, or the journal of one. */
static bool is_taken(const char *path)
{
    char journal[GP_PATH_MAX];

    return path_is_there(path) ||
           (gp_format(journal, sizeof journal, "%s.part", path) &&
            path_is_there(journal));
}

static bool below_folder(struct session *s, const char *name)
{
    return s->folder[0] ? path_join(s->base, sizeof s->base, s->folder, name)
                        : gp_copy(s->base, sizeof s->base, name);
}

/* A name of our own, where none was given. Ranks must agree on theirs; a second run
 * within a second gets a number. */
static bool own_name(struct session *s)
{
    char stamp[32], name[200];
    bool ok;

    strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", gmtime(&s->began));
    if (s->how.ranks > 1)
        gp_format(name, sizeof name, "gpuplan-bench-%s.json",
                  s->job[0] && !strchr(s->job, '/') ? s->job : "ranks");
    else
        gp_format(name, sizeof name, "gpuplan-bench-%s-%s.json", s->host, stamp);
    ok = below_folder(s, name);
    for (int n = 2; ok && s->how.ranks <= 1 && n < 100 && is_taken(s->base); n++) {
        gp_format(name, sizeof name, "gpuplan-bench-%s-%s-%d.json", s->host, stamp, n);
        ok = below_folder(s, name);
    }
    return ok;
}

static bool name_base(struct session *s)
{
    const char *out = options_word(&s->options, OPT_OUT, NULL);
    const char *resume = options_word(&s->options, OPT_RESUME, NULL);

    s->to_stdout = out && strcmp(out, "-") == 0;
    if (out && !s->to_stdout && s->how.view)
        return gp_format(s->base, sizeof s->base, "%s.json", out);
    if (out && !s->to_stdout)
        return gp_copy(s->base, sizeof s->base, out);
    if (resume && ends_with(resume, ".part")) {
        bool ok =
            gp_format(s->base, sizeof s->base, "%.*s", (int)strlen(resume) - 5, resume);

        drop_rank(s);
        return ok;
    }
    return own_name(s);
}

enum gp_status session_name_files(struct session *s, struct gp_err *err)
{
    const char *resume = options_word(&s->options, OPT_RESUME, NULL);
    size_t n;
    bool ok;

    /* what is gone on with must be there: a mistyped name would measure all anew */
    if (resume && !path_is_there(resume))
        return gp_fail(err, GP_E_FILE, resume, "without --resume a run starts anew",
                       "cannot open: there is no such journal");
    name_host(s);
    ok = name_base(s);
    n = session_stem(s->base);
    if (s->how.ranks > 1)
        ok = ok && gp_format(s->result, sizeof s->result, "%.*s.rank%d.%s%s", (int)n,
                             s->base, s->how.rank, s->host, s->base + n);
    else
        gp_copy(s->result, sizeof s->result, s->base);
    ok = ok && (resume ? gp_copy(s->journal_path, GP_PATH_MAX, resume)
                       : gp_format(s->journal_path, GP_PATH_MAX, "%s.part", s->result));
    if (!ok)
        return gp_fail(err, GP_E_USAGE, "--output", "", "the name is too long");
    return GP_OK;
}

/* ---- the journal ---- */

static json_t *fingerprint(const struct session *s)
{
    const json_t *hello[SESSION_DEVICES], *device[SESSION_DEVICES];
    char hash[17];

    for (int i = 0; i < s->count; i++) {
        hello[i] = s->hello;
        device[i] = s->unit[i].json;
    }
    points_hash(&s->points, hash);
    return journal_fingerprint(&s->points_options.settings, hash, hello, device,
                               s->count);
}

/* What an earlier run measured counts as if it had been measured now. */
static void take_records(struct session *s, const json_t *records)
{
    const json_t *record;
    size_t i;

    json_array_extend(s->records, (json_t *)records);
    s->resumed = json_array_size(s->records) > 0;
    json_array_foreach(s->records, i, record)
    {
        json_t *point = json_object_get(record, "point");
        json_int_t id = json_integer_value(json_object_get(record, "device"));

        for (int u = 0; u < s->count; u++)
            for (int p = 0; p < s->points.count && s->unit[u].index == id; p++)
                if (strcmp(s->points.point[p].id, session_word(point, "id")) == 0)
                    session_show(&s->unit[u], p, point);
    }
    for (int u = 0; u < s->count; u++)
        session_find_roof(s, &s->unit[u]);
}

enum gp_status session_open_journal(struct session *s, struct gp_err *err)
{
    json_t *print = fingerprint(s), *run = session_options(s);
    struct journal_read read = {0};
    enum gp_status status;

    if (!options_flag(&s->options, OPT_RESUME)) {
        status = journal_create(s->journal_path, print, run, &s->journal, err);
    } else {
        status = journal_resume(s->journal_path, print, run, &read, &s->journal, err);
        if (!status && read.records)
            take_records(s, read.records);
        for (int i = 0; i < read.warning_count; i++)
            session_warn(s, "journal", "%s", read.warning[i]);
        journal_read_fini(&read);
    }
    json_decref(run);
    json_decref(print);
    return status;
}

/* ---- the end ---- */

static int failed_devices(const struct session *s)
{
    int n = 0;

    for (int i = 0; i < s->count; i++)
        n += s->unit[i].failed;
    return n;
}

const char *session_status(const struct session *s)
{
    return failed_devices(s)                       ? "failed"
           : s->stopped || s->limit_hit || s->disk ? "interrupted"
                                                   : "complete";
}

/* A figure of one pass, of which another came to nothing. */
static bool failed_once(const struct benchlog_point *p)
{
    const json_t *flag;
    size_t i;

    json_array_foreach(p->flags, i, flag)
    {
        if (strcmp(json_string_value(flag), "failed_once") == 0)
            return true;
    }
    return false;
}

int session_exit_code(const struct session *s, bool strict)
{
    int ok = 0, wrong = 0, flagged = 0, errors = 0;

    for (int i = 0; s->have_log && i < s->log.count; i++) {
        const struct benchlog_point *p = &s->log.point[i];

        errors += strcmp(p->state, "error") == 0 || failed_once(p);
        if (strcmp(p->state, "ok") != 0)
            continue;
        ok++;
        wrong += p->check_done && !p->check_ok;
        flagged += p->disturbed;
    }
    if (s->stopped)
        return 128 + (s->signal ? s->signal : 2);
    if (s->state == SESSION_BROKEN)
        return gp_status_exit(s->broken.code);
    if (s->disk)
        return gp_status_exit(GP_E_FILE);
    if (wrong)
        return gp_status_exit(GP_E_CHECK);
    if (failed_devices(s) || errors)
        return gp_status_exit(GP_E_DEVICE);
    if (!ok)
        return gp_status_exit(GP_E_NOTHING);
    return flagged && strict ? gp_status_exit(GP_E_CHECK) : 0;
}

static enum gp_status make_log(struct session *s, struct gp_err *err)
{
    json_t *json;
    enum gp_status status;

    if (s->have_log)
        return GP_OK;
    json = session_document(s);
    status = benchlog_from_json("result", json, &s->log, err);
    json_decref(json);
    s->have_log = status == GP_OK;
    if (status && err)
        err->code = GP_E_INTERNAL;
    return status ? GP_E_INTERNAL : GP_OK;
}

void session_settle(struct session *s)
{
    journal_close(s->journal, !session_can_resume(s));
    s->journal = NULL;
}

/* Devices that failed before their first point leave nothing; whoever interrupts a run
 * before it may have a script that goes on with it. */
bool session_can_resume(const struct session *s)
{
    const char *status = session_status(s);

    return strcmp(status, "complete") != 0 &&
           (json_array_size(s->records) > 0 || strcmp(status, "failed") != 0);
}

enum gp_status session_finish(struct session *s, struct gp_err *err)
{
    enum gp_status status;

    if (s->state != SESSION_OVER && s->state != SESSION_DONE)
        return gp_fail(err, GP_E_INTERNAL, "session", "", "it is not over");
    if ((status = make_log(s, err)) != GP_OK)
        return status;
    s->state = SESSION_DONE;
    if (s->to_stdout)
        return GP_OK;
    if ((status = benchlog_write(s->result, s->log.json, err)) == GP_OK)
        session_settle(s);
    return status;
}

const struct benchlog *session_log(const struct session *s)
{
    return s->have_log ? &s->log : NULL;
}

/* ---- what a complete run came to ---- */

/* The reason of the first point that has no figure; "" when none says one. */
static const char *first_reason(const struct benchlog *log)
{
    for (int i = 0; i < log->count; i++)
        if (strcmp(log->point[i].state, "ok") != 0 && log->point[i].reason[0])
            return log->point[i].reason;
    return "";
}

void session_outcome(const struct session *s, char *text, size_t size)
{
    struct benchlog_tally t = benchlog_tally(&s->log);
    int count = s->log.count;

    if (t.good == count)
        gp_copy(text, size, "Complete: every point was measured.");
    else if (t.good > 0)
        gp_format(text, size, "Complete: %d of %d points have a good figure.", t.good,
                  count);
    else if (t.without == count)
        gp_format(text, size, "Nothing was measured: %s", first_reason(&s->log));
    else
        gp_format(text, size, "No good figure: %d flagged, %d wrong, %d without one.",
                  t.flagged, t.wrong, t.without);
}

const char *session_outcome_word(const struct session *s, char *text, size_t size)
{
    struct benchlog_tally t;

    if (!s->have_log || strcmp(session_status(s), "complete") != 0)
        return session_status(s);
    t = benchlog_tally(&s->log);
    if (t.good == s->log.count)
        gp_copy(text, size, "complete");
    else
        gp_format(text, size, "%d of %d good", t.good, s->log.count);
    return text;
}

static const json_t *summary(const struct session *s)
{
    return s->have_log ? json_object_get(s->log.json, "summary") : NULL;
}

int session_summaries(const struct session *s)
{
    return (int)json_array_size(summary(s));
}

const char *session_summary(const struct session *s, int i)
{
    const char *text = json_string_value(json_array_get(summary(s), (size_t)i));

    return i >= 0 && text ? text : "";
}
