/*
 * fuzz_batch.c - any line as a request of --batch, with the source tree's catalogue.
 *
 * Whatever comes in, one line of JSON must come out, and it must name its schema. The
 * planner keeps what it has read, so that most inputs cost an answer and no start-up; a
 * fresh one is taken now and then, because bare sizes are kept too.
 */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer/request_line.h"
#include "base/path.h"

#define INPUTS_PER_PLANNER 500
#define TODAY 20000 /* 2024-10-04: an answer does not depend on the clock */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct planner *planner;

static void drop_planner(void)
{
    planner_free(planner);
    planner = NULL;
}

static struct planner *catalogue(void)
{
    static int inputs;
    const char *srcdir = getenv("srcdir");
    char dir[GP_PATH_MAX];

    if (inputs == 0)
        atexit(drop_planner);
    if (inputs++ % INPUTS_PER_PLANNER == 0) {
        drop_planner();
        path_join(dir, sizeof dir, srcdir ? srcdir : ".", "profiles");
        planner = planner_new(dir, TODAY, NULL);
    }
    return planner;
}

static void check(const struct strbuf *out, bool answered)
{
    json_t *reply = json_loadb(out->text, out->len, 0, NULL);
    const char *schema = json_string_value(json_object_get(reply, "schema"));

    if (memchr(out->text, '\n', out->len) != out->text + out->len - 1 || !schema ||
        (strcmp(schema, "gpuplan.error/1") != 0) != answered) {
        fprintf(stderr, "no answer: %s\n", out->text);
        abort();
    }
    json_decref(reply);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strbuf out;
    strbuf_init(&out);
    bool row = size % 2 > 0;
    bool answered = batch_answer(catalogue(), "fuzz", 1, (const char *)data, size, row, &out);

    check(&out, answered);
    strbuf_fini(&out);
    return 0;
}
