/*
 * fuzz_protocol.c - any bytes as the orders an engine reads from its standard input; what
 * is accepted must be a point that can be written and read again as the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/orders.h"
#include "bench/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void same_again(const struct point *point)
{
    json_t *json = point_to_json(point);
    struct point again;

    if (point_from_json(json, "again", &again, NULL) != GP_OK ||
        strcmp(again.id, point->id) != 0 || !(point_bytes(&again) >= 0) ||
        point_operations(&again) != point_operations(point))
        abort();
    json_decref(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orders orders;
    struct gp_err err;
    size_t from = 0;

    orders_init(&orders);
    while (from < size) {
        const uint8_t *end = memchr(data + from, '\n', size - from);
        size_t len = end ? (size_t)(end - data) - from : size - from;

        orders_line(&orders, (const char *)data + from, len, &err);
        from += len + 1;
    }
    for (size_t i = 0; i < orders.count && i < 8; i++)
        same_again(&orders.points[i].point);
    orders_fini(&orders);
    return 0;
}
