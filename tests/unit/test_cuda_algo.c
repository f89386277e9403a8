/* test_cuda_algo.c - every name in the toolkit's header, which the table must have. */
#include <ctype.h>
#include <cublasLt.h>

#include "bench/cuda_algo.h"
#include "unit.h"

static const struct {
    enum algo_part part;
    const char *name;
    int id;
} names[] = {
#define X(part, name, id) {part, #name, (int)(id)},
#include "cublaslt_names.h"
#undef X
};
enum { NAMES = sizeof names / sizeof names[0] };

/* The last that the table has: a newer toolkit may have more. */
static const int last[ALGO_PARTS] = {645, 38, 4, 4, 51};

static void as_the_header(void **state)
{
    int seen[ALGO_PARTS] = {0};

    (void)state;
    for (int i = 0; i < NAMES; i++) {
        char text[16], want[24] = "";

        for (size_t c = 0; names[i].name[c] && c < sizeof want - 1; c++)
            want[c] = (char)tolower((unsigned char)names[i].name[c]);
        if (names[i].id > last[names[i].part])
            snprintf(want, sizeof want, "#%d", names[i].id);
        cuda_algo_word(names[i].part, names[i].id, text, sizeof text);
        assert_string_equal(text, want);
        seen[names[i].part]++;
    }
    /* as many as those of CUDA 11.8 at the least: the header was read */
    assert_true(seen[ALGO_TILE] >= 34 && seen[ALGO_STAGES] >= 31);
    assert_true(seen[ALGO_REDUCTION] == 4 && seen[ALGO_INNER] >= 5);
    assert_true(seen[ALGO_CLUSTER] >= 51);
}

static void says(enum algo_part part, int id, const char *want)
{
    char text[16];

    cuda_algo_word(part, id, text, sizeof text);
    assert_string_equal(text, want);
}

static void without_a_header(void **state)
{
    (void)state;
    says(ALGO_TILE, 18, "128x64");
    says(ALGO_TILE, 36, "8x128");
    says(ALGO_TILE, 311, "768x64");
    says(ALGO_TILE, 312, "64x16");
    says(ALGO_TILE, 630, "768x80");
    says(ALGO_TILE, 631, "256x512");
    says(ALGO_TILE, 645, "256x1");
    says(ALGO_STAGES, 10, "32x4");
    says(ALGO_STAGES, 33, "16xauto");
    says(ALGO_CLUSTER, 0, "auto");
}

static void unknown(void **state)
{
    (void)state;
    for (int part = 0; part < ALGO_PARTS; part++) {
        says((enum algo_part)part, last[part] + 1000,
             part == ALGO_TILE      ? "#1645"
             : part == ALGO_STAGES  ? "#1038"
             : part == ALGO_CLUSTER ? "#1051"
                                    : "#1004");
        says((enum algo_part)part, -1, "#-1");
        says((enum algo_part)part, 2147483647, "#2147483647");
    }
    says(ALGO_TILE, 646, "#646");
    says(ALGO_STAGES, 39, "#39");
    says(ALGO_CLUSTER, 1, "#1"); /* a gap */
    says(ALGO_CLUSTER, 52, "#52");
    says(ALGO_REDUCTION, 3, "#3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_header),
        cmocka_unit_test(without_a_header),
        cmocka_unit_test(unknown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
