/*
 * err.h - how every function of gpuplan reports what went wrong.
 *
 * A function that can fail returns an enum gp_status and fills a struct gp_err that
 * the caller owns: where (a file and line, or a field or option), what (one lower-case
 * clause without a full stop) and a hint (what to do about it). Libraries never print
 * and never exit; src/cli prints "gpuplan: where: text (hint)" once and maps the status
 * to the exit code with gp_status_exit().
 */
#ifndef GP_BASE_ERR_H
#define GP_BASE_ERR_H

enum gp_status {
    GP_OK = 0,
    GP_E_USAGE,   /* the command line or a request field is wrong      -> exit 2 */
    GP_E_FILE,    /* a file cannot be read or holds something wrong    -> exit 3 */
    GP_E_DEVICE,  /* no usable device or engine                        -> exit 4 */
    GP_E_CHECK,   /* a measurement failed its correctness check        -> exit 5 */
    GP_E_NOTHING, /* nothing could be measured                         -> exit 6 */
    GP_E_INTERNAL /* a bug, or memory ran out                          -> exit 70 */
};

struct gp_err {
    enum gp_status code;
    char where[192]; /* "profiles/gpus/h100.cfg:12: memory_gib", "--context", or "" */
    char text[320];  /* "8000 is outside 1..4096" */
    char hint[256];  /* "did you mean bandwidth_gb_s?", or "" */
};

/* Fills *err (err may be NULL) and returns code. Longer texts are cut, never overrun. */
enum gp_status gp_fail(struct gp_err *err, enum gp_status code, const char *where, const char *hint,
                       const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* "where: text (hint)", what is empty left out, in line[GP_ERR_LINE]. */
#define GP_ERR_LINE 800
char *gp_err_line(const struct gp_err *err, char *line);

/* The exit code that the documentation promises for a status. */
int gp_status_exit(enum gp_status code);

/* A short stable word for a status ("usage", "file", ...), as in JSON errors. */
const char *gp_status_word(enum gp_status code);

#endif
