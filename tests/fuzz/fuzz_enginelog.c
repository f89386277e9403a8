/*
 * fuzz_enginelog.c - any bytes as a start-up log; what is accepted must be in order: figures
 * finite and within the band of their ranks, texts ended and tame.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "result/enginelog.h"
#include "util/str.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_be_tame(const char *text, size_t size)
{
    if (!memchr(text, '\0', size) || !gp_lines_are_tame(text, strlen(text)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct enginelog *log = malloc(sizeof(*log));
    struct gp_err err;
    char *text = malloc(size + 1);

    if (log && text) {
        if (size > 0)
            memcpy(text, data, size);
        if (enginelog_parse("fuzz.log", text, size, log, &err) == GP_OK) {
            for (int t = 0; t < ENGINELOG_TERM_COUNT; t++) {
                const struct enginelog_figure *f = &log->figure[t];
                if (f->ranks < 0 || f->ranks > ENGINELOG_RANKS || !isfinite(f->value) ||
                    f->low > f->value || f->high < f->value)
                    abort();
            }
            for (int i = 0; i < log->pairs; i++) {
                must_be_tame(log->pair[i].name, sizeof(log->pair[i].name));
                must_be_tame(log->pair[i].value, sizeof(log->pair[i].value));
            }
            must_be_tame(log->failure, sizeof(log->failure));
            must_be_tame(log->last, sizeof(log->last));
            must_be_tame(log->version, sizeof(log->version));
        }
    }
    free(text);
    free(log);
    return 0;
}
