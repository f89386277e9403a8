/* session_files.c - see session_files.h. */
#include "measure/session_files.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* The same host has the same hash in each of its results, so that they can be
 * told apart and compared; who knows the name can find it. */
static void hash_name(char *name, size_t size)
{
    gp_format(name, size, "host-%016llx", (unsigned long long)gp_hash(GP_HASH, name, strlen(name)));
}

static void name_host(struct session_files *f, const struct options *options)
{
    char name[65] = "host";

    gethostname(name, sizeof(name) - 1);
    if (options_flag(options, OPT_ANONYMOUS))
        hash_name(name, sizeof(name));
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-' && *c != '.')
            *c = '_';
    gp_copy(f->host, sizeof(f->host), name);
}

size_t session_stem(const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

    return dot && dot != path ? (size_t)(dot - path) : strlen(path);
}

/* run.rankN.HOST.json, the file of this rank, is of run.json. */
static void drop_rank(struct session_files *f, int rank)
{
    char own[100];
    size_t stem = session_stem(f->base), n;

    gp_format(own, sizeof(own), ".rank%d.%s", rank, f->host);
    n = strlen(own);
    if (stem > n && strncmp(f->base + stem - n, own, n) == 0)
        memmove(f->base + stem - n, f->base + stem, strlen(f->base + stem) + 1);
}

/* A result of this name, or the journal of one. */
static bool is_taken(const char *path)
{
    char journal[GP_PATH_MAX];

    return path_is_there(path) ||
           (gp_format(journal, sizeof(journal), "%s.part", path) && path_is_there(journal));
}

static bool name_below(struct session_files *f, const char *folder, const char *name)
{
    return folder && folder[0] ? path_join(f->base, sizeof(f->base), folder, name)
                               : gp_copy(f->base, sizeof(f->base), name);
}

/* A name of our own, where none was given. Ranks must agree on theirs; a second run
 * within a second gets a number. */
static bool name_unnamed(struct session_files *f, const struct session_ask *ask, time_t began)
{
    char stamp[32], name[200];
    bool ok;

    strftime(stamp, sizeof(stamp), "%Y%m%dT%H%M%SZ", gmtime(&began));
    if (ask->ranks > 1)
        gp_format(name, sizeof(name), "gpuplan-bench-%s.json",
                  ask->job[0] && !strchr(ask->job, '/') ? ask->job : "ranks");
    else
        gp_format(name, sizeof(name), "gpuplan-bench-%s-%s.json", f->host, stamp);
    ok = name_below(f, ask->folder, name);
    for (int n = 2; ok && ask->ranks <= 1 && n < 100 && is_taken(f->base); n++) {
        gp_format(name, sizeof(name), "gpuplan-bench-%s-%s-%d.json", f->host, stamp, n);
        ok = name_below(f, ask->folder, name);
    }
    return ok;
}

/* --resume FILE.part alone: FILE. */
static bool name_resumed(struct session_files *f, const struct session_ask *ask, const char *resume)
{
    bool ok = gp_format(f->base, sizeof(f->base), "%.*s", (int)strlen(resume) - 5, resume);

    if (ask->ranks > 1)
        drop_rank(f, ask->rank);
    return ok;
}

static bool name_base(struct session_files *f, const struct session_ask *ask, time_t began)
{
    const char *out = options_word(ask->options, OPT_OUT, NULL);
    const char *resume = options_word(ask->options, OPT_RESUME, NULL);

    f->to_stdout = out && strcmp(out, "-") == 0;
    if (out && !f->to_stdout && ask->view)
        return gp_format(f->base, sizeof(f->base), "%s.json", out);
    if (out && !f->to_stdout)
        return gp_copy(f->base, sizeof(f->base), out);
    if (resume && ends_with(resume, ".part"))
        return name_resumed(f, ask, resume);
    return name_unnamed(f, ask, began);
}

enum gp_status session_files_name(struct session_files *f, const struct session_ask *ask,
                                  time_t began, struct gp_err *err)
{
    const char *resume = options_word(ask->options, OPT_RESUME, NULL);
    size_t n;
    bool ok;

    /* what is gone on with must be there: a mistyped name would measure all anew */
    if (resume && !path_is_there(resume))
        return gp_fail(err, GP_E_FILE, resume, "without --resume a run starts anew",
                       "cannot open: no such journal");
    name_host(f, ask->options);
    ok = name_base(f, ask, began);
    n = session_stem(f->base);
    if (ask->ranks > 1)
        ok = ok && gp_format(f->result, sizeof(f->result), "%.*s.rank%d.%s%s", (int)n, f->base,
                             ask->rank, f->host, f->base + n);
    else
        gp_copy(f->result, sizeof(f->result), f->base);
    ok = ok && (resume ? gp_copy(f->journal, sizeof(f->journal), resume)
                       : gp_format(f->journal, sizeof(f->journal), "%s.part", f->result));
    if (!ok)
        return gp_fail(err, GP_E_USAGE, "--output", "", "the name is too long");
    return GP_OK;
}
