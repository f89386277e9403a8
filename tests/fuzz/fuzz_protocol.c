/*
 * fuzz_protocol.c - any bytes as the job an engine reads from its standard input; what
 * is accepted must be a point that can be written and read again as the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/job.h"
#include "measure/point/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same_again(const struct point *point)
{
    json_t *json = point_to_json(point);
    struct point again;

    if (point_from_json(json, "again", &again, NULL) != GP_OK || strcmp(again.id, point->id) != 0 ||
        !(point_bytes(&again) >= 0) || point_operations(&again) != point_operations(point))
        abort();
    json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct job job;
    struct gp_err err;
    size_t from = 0;

    job_init(&job);
    while (from < size) {
        const uint8_t *end = memchr(data + from, '\n', size - from);
        size_t len = end ? (size_t)(end - data) - from : size - from;

        job_line(&job, (const char *)data + from, len, &err);
        from += len + 1;
    }
    for (size_t i = 0; i < job.count && i < 8; i++)
        same_again(&job.points[i].point);
    job_fini(&job);
    return 0;
}
