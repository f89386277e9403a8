/*
 * point_decode.c - in which types a decoder step is measured, and what it leaves out.
 *
 * A step is planned with a weight format, that of the head, and that of the KV cache. An
 * engine measures those or says that it has no such product: INT4 weights that are
 * multiplied in BF16 are a quarter of the bytes of BF16 weights, so that a step of these
 * says nothing of one of those.
 */
#include "measure/point/point.h"

#include <string.h>

#include "base/str.h"

const char *point_weights(const struct point *point)
{
    return point->weights[0] ? point->weights : bench_type_word(point->type);
}

const char *point_head(const struct point *point)
{
    return point->head[0] ? point->head : point_weights(point);
}

const char *point_kv(const struct point *point)
{
    return point->kv[0] ? point->kv : type_rows[point->type].activation;
}

bool point_decode_types(const struct point *point, struct decode_types *out, char *why, size_t size)
{
    const struct {
        const char *what, *format;
        enum bench_type *type;
    } all[] = {{"weights", point_weights(point), &out->linear},
               {"a head", point_head(point), &out->head},
               {"a KV cache", point_kv(point), &out->kv}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        *all[i].type = bench_type_of_format(all[i].format);
        if (*all[i].type == TYPE_COUNT) {
            gp_format(why, size,
                      "no library here multiplies %s of %s, and nothing else is "
                      "measured in its place",
                      all[i].what, all[i].format);
            return false;
        }
    }
    if (out->linear == point->type)
        return true;
    gp_format(why, size, "weights of %s are not multiplied as %s", point_weights(point),
              bench_type_word(point->type));
    return false;
}

void point_omitted(const struct point *point, const char *more, char *text, size_t size)
{
    bool narrow = bench_type_bytes(point->type) < 2 || strstr(point_kv(point), "8");
    const struct {
        bool left_out;
        const char *word;
    } parts[] = {
        {true, "embedding"},
        {true, "norm"},
        {true, "rope"},
        {narrow, "quantisation and scales of activations"},
        {true, "append to KV cache"},
        {true, "softmax"},
        {more[0] != '\0', more},
        {true, "activation function"},
        {true, "residual sums"},
        {strstr(point->stand_in, "experts") != NULL, "expert routing"},
        {point->tp > 1, "all-reduce"},
        {point->pp > 1, "transfers between pipeline stages"},
        {true, "sampling"},
        {true, "work of the host"},
    };

    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].left_out)
            gp_append(text, size, ", ", "%s", parts[i].word);
}
