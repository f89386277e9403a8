/*
 * cmd_batch.c - gpuplan --batch FILE|-: one JSON request per line in, one answer out.
 *
 * A request's keys are the long options with underscores: {"model": "llama-3.1-8b",
 * "gpu": "h100-sxm", "context": 8192}. "id" is copied into the answer. A line that
 * cannot be answered gets a gpuplan.error/1 line, and the run goes on.
 *
 * Input is taken as it comes: whatever one read() brings is answered before the next,
 * so that a program at the other end of a pipe may wait for each answer. A large block
 * is shared among threads, each with a planner of its own, some lines at a time, as one line
 * may take a thousand times as long as another; answers keep their order.
 */
#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/request_line.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/say.h"
#include "measure/devices.h"

#define BLOCK (1 << 18) /* bytes of one read */
#define MOST_WORKERS 8
#define LINES_PER_WORKER 32 /* fewer are not worth a thread */
#define PORTIONS 128        /* of a block, at most */

/* Lines that are answered one after the other. */
struct portion {
    const char *text; /* lines [text, text + len) */
    size_t len;
    long line; /* number of the first */
    struct strbuf out;
};

struct run;

struct worker {
    pthread_t thread;
    struct planner *planner;
    struct run *run;
    bool failed; /* a line had no answer */
};

struct run {
    struct invocation *in;
    int input;
    const char *name;
    bool to_file;
    char *block; /* the lines not answered yet */
    size_t len, cap;
    long line;     /* lines answered so far */
    bool skipping; /* inside a line that was too long */
    struct worker worker[MOST_WORKERS];
    int workers;
    struct portion portion[PORTIONS + 1]; /* of the block; what is too long */
    size_t portions;
    atomic_size_t next; /* portion that nobody has taken */
};

static enum gp_status open_input(struct run *r, struct gp_err *err)
{
    r->name = r->in->arg_count ? r->in->args[0] : "-";
    if (strcmp(r->name, "-") == 0) {
        r->name = "standard input";
        r->input = STDIN_FILENO;
        return GP_OK;
    }
    errno = EISDIR;
    r->input = path_is_dir(r->name) ? -1 : open(r->name, O_RDONLY | O_CLOEXEC);
    if (r->input < 0)
        return gp_fail(err, GP_E_FILE, r->name, "check the name", "cannot be read: %s",
                       strerror(errno));
    return GP_OK;
}

/* ---- answering a block of whole lines ---- */

static void portion_answer(struct worker *w, struct portion *p)
{
    const char *at = p->text, *end = p->text + p->len;

    for (long line = p->line; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t len = (size_t)((stop ? stop : end) - at);

        if (strspn(at, " \t\r") < len)
            w->failed |= !batch_answer(w->planner, w->run->name, line, at, len,
                                       w->run->in->quiet, &p->out);
        at += len + 1;
    }
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    struct run *r = w->run;

    for (size_t i; (i = atomic_fetch_add(&r->next, 1)) < r->portions;)
        portion_answer(w, &r->portion[i]);
    return NULL;
}

static long count_lines(const char *text, size_t len)
{
    long lines = 0;

    for (const char *p = text; (p = memchr(p, '\n', len - (size_t)(p - text))); p++)
        lines++;
    return lines;
}

/* Cuts the block into portions of as many bytes; returns how many workers they are worth. */
static int cut_block(struct run *r, size_t len)
{
    long lines = count_lines(r->block, len);
    int n = (int)(lines / LINES_PER_WORKER);

    n = n < 1 ? 1 : n > r->workers ? r->workers : n;
    size_t most = n > 1 ? PORTIONS : 1, at = 0;
    for (r->portions = 0; at < len; r->portions++) {
        struct portion *p = &r->portion[r->portions];
        size_t until = at + (len - at) / (most - r->portions);

        while (until < len && (until == at || r->block[until - 1] != '\n'))
            until++;
        p->text = r->block + at;
        p->len = until - at;
        p->line = r->line + 1;
        r->line += count_lines(p->text, p->len);
        at = until;
    }
    atomic_store(&r->next, 0);
    return n;
}

static void answer_block(struct run *r, size_t len)
{
    int n = cut_block(r, len);
    bool started[MOST_WORKERS] = {false};

    for (int i = 1; i < n; i++)
        started[i] = pthread_create(&r->worker[i].thread, NULL, worker_main, &r->worker[i]) == 0;
    worker_main(&r->worker[0]);
    for (int i = 1; i < n; i++)
        if (started[i])
            pthread_join(r->worker[i].thread, NULL);
}

static bool flush_answers(struct run *r)
{
    bool ok = true;

    for (size_t i = 0; i < r->portions; i++) {
        struct strbuf *out = &r->portion[i].out;

        if (r->to_file)
            strbuf_addn(&r->in->out, out->text, out->len);
        else
            ok = ok && gp_out_json(out->text, out->len);
        strbuf_clear(out);
    }
    r->portions = 0;
    return ok;
}

/* ---- reading ---- */

/* A line longer than a request may be is answered with an error once and then passed
 * over without being kept. */
static void pass_over(struct run *r)
{
    char *stop = memchr(r->block, '\n', r->len);
    size_t used = stop ? (size_t)(stop - r->block) + 1 : r->len;

    if (!r->skipping) {
        struct portion *p = &r->portion[r->portions++];

        r->worker[0].failed |=
            !batch_answer(r->worker[0].planner, r->name, r->line + 1, r->block, r->len,
                          r->in->quiet, &p->out);
    }
    r->skipping = stop == NULL;
    r->line += stop != NULL;
    memmove(r->block, r->block + used, r->len - used);
    r->len -= used;
}

static enum gp_status answer_all(struct run *r, struct gp_err *err)
{
    for (;;) {
        r->block = gp_grow(r->block, &r->cap, r->len + BLOCK + 1, 1);
        ssize_t got = read(r->input, r->block + r->len, BLOCK);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return gp_fail(err, GP_E_FILE, r->name, "", "cannot be read: %s", strerror(errno));
        r->len += (size_t)got;
        r->block[r->len] = '\0';
        if (r->skipping)
            pass_over(r);
        size_t n = r->len; /* whole lines */
        while (got > 0 && n > 0 && r->block[n - 1] != '\n')
            n--;
        if (n > 0 && !r->skipping) {
            answer_block(r, n);
            memmove(r->block, r->block + n, r->len - n);
            r->len -= n;
        }
        if (r->len > REQUEST_LINE_MAX && !r->skipping)
            pass_over(r);
        if (!flush_answers(r))
            return gp_fail(err, GP_E_FILE, "standard output", "", "cannot be written: %s",
                           strerror(errno));
        if (got == 0)
            return GP_OK;
    }
}

/* ---- the command ---- */

static enum gp_status batch_run(struct invocation *in, struct gp_err *err)
{
    const char *file = options_word(&in->options, OPT_OUT, "-");
    struct run r = {.in = in, .to_file = strcmp(file, "-") != 0};
    const char *dir = options_word(&in->options, OPT_PROFILES, NULL);
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    enum gp_status rc = open_input(&r, err);

    if (rc)
        return rc;
    r.workers = cpus < 1 ? 1 : cpus > MOST_WORKERS ? MOST_WORKERS : (int)cpus;
    for (int i = 0; i < r.workers; i++) {
        r.worker[i].run = &r;
        r.worker[i].planner =
            i == 0 ? in->planner : planner_new(dir, planner_today(in->planner), devices_local);
    }
    for (int i = 0; i <= PORTIONS; i++)
        strbuf_init(&r.portion[i].out);
    rc = answer_all(&r, err);
    for (int i = 0; i <= PORTIONS; i++)
        strbuf_fini(&r.portion[i].out);
    for (int i = 0; i < r.workers; i++) {
        if (r.worker[i].failed && options_flag(&in->options, OPT_STRICT))
            in->exit_code = gp_status_exit(GP_E_FILE);
        if (i > 0)
            planner_free(r.worker[i].planner);
    }
    free(r.block);
    if (r.input != STDIN_FILENO)
        close(r.input);
    if (!rc && r.to_file)
        rc = command_write(file, &in->out, err);
    return rc;
}

const struct command cmd_batch = {
    .name = "batch",
    .usage = "FILE|-",
    .brief = "one JSON request per line in, one JSON answer per line out",
    .bit = FOR_BATCH,
    .most = 1,
    .takes = "one file",
    .streams = true,
    .run = batch_run,
};
