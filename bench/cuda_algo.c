/*
 * cuda_algo.c - see cuda_algo.h.
 *
 * Source: cublasLt.h of CUDA 11.8 to 13, of which a test compares every name (stages 29
 * and 30 are gone since 12). The first 35 tiles have an order of their own. From 36 on
 * (CUDA 12.8) they follow rules:
 *   to 311   rows in eights, columns in 64s, up to 768 each and 49152 in all
 *   to 630   rows in 64s, columns in eights, up to 768 each and 65536 in all
 * each without those that came before.
 */
#include "bench/cuda_algo.h"

#include <stdbool.h>

#include "base/str.h"

struct shape {
    short rows, columns;
};

enum { TILE_SIDE = 768, TILE_FIRST = 35 };

static const struct shape tiles[] = {
    {0, 0},     {8, 8},    {8, 16},   {16, 8},   {8, 32},    {16, 16},   {32, 8},    {8, 64},
    {16, 32},   {32, 16},  {64, 8},   {32, 32},  {32, 64},   {64, 32},   {32, 128},  {64, 64},
    {128, 32},  {64, 128}, {128, 64}, {64, 256}, {128, 128}, {256, 64},  {64, 512},  {128, 256},
    {256, 128}, {512, 64}, {64, 96},  {96, 64},  {96, 128},  {128, 160}, {160, 128}, {192, 128},
    {128, 192}, {128, 96}, {32, 256}, {256, 32},
};

static const struct shape late_tiles[] = {
    /* from 631 on */
    {256, 512}, {256, 1024}, {512, 512}, {512, 1024}, {4, 1},   {8, 1},   {16, 1},  {24, 1},
    {32, 1},    {40, 1},     {48, 1},    {64, 1},     {128, 1}, {192, 1}, {256, 1},
};

/* k, and how many are in flight; 0 = the library decides. */
static const struct shape stages[] = {
    {0, 0},   {16, 1},  {16, 2}, {16, 3},  {16, 4},  {16, 5},  {16, 6},  {32, 1},
    {32, 2},  {32, 3},  {32, 4}, {32, 5},  {32, 6},  {64, 1},  {64, 2},  {64, 3},
    {64, 4},  {64, 5},  {64, 6}, {128, 1}, {128, 2}, {128, 3}, {128, 4}, {128, 5},
    {128, 6}, {32, 10}, {8, 4},  {16, 10}, {8, 5},   {16, 80}, {64, 80}, {8, 3},
    {8, 0},   {16, 0},  {32, 0}, {64, 0},  {128, 0}, {256, 0}, {768, 0},
};

static const struct shape clusters[] = {
    /* from 2 on; the third is always 1 */
    {1, 1},  {2, 1},  {4, 1},  {1, 2},  {2, 2},  {4, 2},  {1, 4},  {2, 4},  {4, 4},  {8, 1},
    {1, 8},  {8, 2},  {2, 8},  {16, 1}, {1, 16}, {3, 1},  {5, 1},  {6, 1},  {7, 1},  {9, 1},
    {10, 1}, {11, 1}, {12, 1}, {13, 1}, {14, 1}, {15, 1}, {3, 2},  {5, 2},  {6, 2},  {7, 2},
    {1, 3},  {2, 3},  {3, 3},  {4, 3},  {5, 3},  {3, 4},  {1, 5},  {2, 5},  {3, 5},  {1, 6},
    {2, 6},  {1, 7},  {2, 7},  {1, 9},  {1, 10}, {1, 11}, {1, 12}, {1, 13}, {1, 14}, {1, 15},
};

static const char *const reductions[] = {"none", "inplace", "compute", NULL, "output"};
static const char *const inners[] = {"undefined", "mma884", "mma1684", "mma1688", "mma16816"};

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static bool is_first(int rows, int columns)
{
    for (int i = 1; i <= TILE_FIRST; i++)
        if (tiles[i].rows == rows && tiles[i].columns == columns)
            return true;
    return false;
}

static bool is_tall(int rows, int columns) /* of the first rule */
{
    return columns % 64 == 0 && rows * columns <= 49152;
}

static bool algo_tile(int id, struct shape *out)
{
    int at = TILE_FIRST;

    if (id <= TILE_FIRST)
        return *out = tiles[id], true;
    for (int rule = 0; rule < 2; rule++)
        for (int rows = rule ? 64 : 8; rows <= TILE_SIDE; rows += rule ? 64 : 8)
            for (int columns = rule ? 8 : 64; columns <= TILE_SIDE; columns += rule ? 8 : 64) {
                if (is_first(rows, columns) ||
                    (rule ? is_tall(rows, columns) || rows * columns > 65536
                          : !is_tall(rows, columns)))
                    continue;
                if (++at == id)
                    return *out = (struct shape){(short)rows, (short)columns}, true;
            }
    if (id > at + COUNT(late_tiles))
        return false;
    return *out = late_tiles[id - at - 1], true;
}

static const char *algo_word(enum algo_part part, int id)
{
    if (part == ALGO_REDUCTION)
        return id < COUNT(reductions) ? reductions[id] : NULL;
    if (part == ALGO_INNER)
        return id < COUNT(inners) ? inners[id] : NULL;
    if (id == 0)
        return part == ALGO_CLUSTER ? "auto" : "undefined";
    return NULL;
}

void cuda_algo_word(enum algo_part part, int id, char *text, size_t size)
{
    const char *known = id >= 0 ? algo_word(part, id) : NULL;
    struct shape s = {0, 0};

    if (known)
        gp_copy(text, size, known);
    else if (part == ALGO_TILE && id > 0 && algo_tile(id, &s))
        gp_format(text, size, "%dx%d", s.rows, s.columns);
    else if (part == ALGO_CLUSTER && id >= 2 && id - 2 < COUNT(clusters))
        gp_format(text, size, "%dx%dx1", clusters[id - 2].rows, clusters[id - 2].columns);
    else if (part == ALGO_STAGES && id > 0 && id < COUNT(stages) && stages[id].columns)
        gp_format(text, size, "%dx%d", stages[id].rows, stages[id].columns);
    else if (part == ALGO_STAGES && id > 0 && id < COUNT(stages) && stages[id].rows)
        gp_format(text, size, "%dxauto", stages[id].rows);
    else
        gp_format(text, size, "#%d", id);
}
