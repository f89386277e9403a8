/*
 * test.h - the vocabulary of a measurement: tests, their kinds, number types, caches.
 *
 * Each fact stands in one row. Whoever lists, parses, plans, runs, predicts, calibrates or
 * explains tests walks test_rows[] and asks for a property (bench_test_is()) or a word, and
 * never compares names. What differs by more than a word is a function of the row.
 *
 * A new test is a row of test_rows.h, and its work in an engine. One whose row says
 * TEST_IS_SIZED and BOUND_MEMORY is planned, estimated, predicted from the memory's
 * bandwidth and calibrated like `memory`, without code of its own.
 */
#ifndef GP_MEASURE_POINT_TEST_H
#define GP_MEASURE_POINT_TEST_H

#include <stdbool.h>
#include <stddef.h>

struct point;

/* ---- tests ---- */

enum bench_test {
#define TEST(ID, word, ...) TEST_##ID,
#include "measure/point/test_rows.h"
#undef TEST
    TEST_COUNT /* also: a test that this version does not know */
};

enum test_property {
    TEST_IS_PRODUCT = 1 << 0,     /* one matrix product of m, n, k, by several algorithms */
    TEST_IS_LIBRARY = 1 << 1,     /* needs a library that multiplies */
    TEST_IS_ROTATED = 1 << 2,     /* its operands rotate, to be cold in the last cache */
    TEST_IS_SIZED = 1 << 3,       /* `bytes` is its size; --size chooses among them */
    TEST_IS_ONCE = 1 << 4,        /* done once: no samples to repeat, nothing to warm up */
    TEST_IS_WHOLE = 1 << 5,       /* takes nearly all memory, as few or as many layers as fit */
    TEST_IS_ALWAYS = 1 << 6,      /* planned however long a point of it takes */
    TEST_NEEDS_MODEL = 1 << 7,    /* measures a model's layers; one is assumed */
    TEST_NEEDS_PLAN = 1 << 8,     /* needs a model that the user named */
    TEST_USES_MODEL = 1 << 9,     /* has more points where a model was named */
    TEST_NEEDS_DEVICES = 1 << 10, /* several devices work on each point together */
    TEST_IS_DEFAULT = 1 << 11,    /* measured when no test is named */
    TEST_IS_CHOSEN = 1 << 12,     /* already chosen when the screen opens */
    TEST_IS_LAYER = 1 << 13,      /* told by a layer of a model and the tokens it takes at once */
};

enum test_bound { /* what a data sheet says of its time */
                  BOUND_NONE,
                  BOUND_WORK,   /* operations / rate, or bytes / memory bandwidth */
                  BOUND_MEMORY, /* bytes / memory bandwidth */
                  BOUND_LINK    /* bytes / rate of the link to the host */
};

enum test_rate { RATE_OPERATIONS, RATE_BYTES, RATE_SECONDS }; /* its figure for people */

enum cal_term { /* time = overhead + work / rate (measure/result/calibration.c) */
                CAL_NONE,
                CAL_RATE, /* of operations; the others of bytes */
                CAL_BANDWIDTH,
                CAL_LINK,
                CAL_ALLREDUCE,
                CAL_LAUNCH, /* overhead alone */
                CAL_COUNT
};
extern const char *const cal_term_words[CAL_COUNT];

struct test_row {
    const char *title;   /* "products of matrices": in a list of tests */
    const char *heading; /* "gemm (m x n x k)": over a list of its points; NULL = word */
    const char *label;   /* "matrix products": of its line of the quick figures */
    const char *help;    /* what it measures and what that tells, one sentence */
    unsigned is;         /* enum test_property, as bits */
    enum test_bound bound;
    enum test_rate rate;
    enum cal_term term; /* that a calibration has of it */
    const char *of;     /* what such a term is of; NULL: by term_of(), kind or word */
    bool typed;         /* each number type has a term of its own */
    double ways;        /* of a test without kinds: bytes moved per byte of its size */
    /* Where a test differs; NULL: as any sized test. */
    double (*operations)(const struct point *point);
    double (*bytes)(const struct point *point);
    void (*name)(const struct point *point, char *text, size_t size);
    /* NULL, or what is wrong with the point, and the field it is of. */
    const char *(*refuse)(const struct point *point, const char **field);
    /* False: the point tells nothing of the term. */
    bool (*term_of)(const struct point *point, char *text, size_t size);
};
extern const struct test_row test_rows[TEST_COUNT];

/* Has it all of these properties? Not a test that is unknown. */
bool bench_test_is(enum bench_test test, unsigned properties);
unsigned bench_tests_that(unsigned properties); /* a bit per test that has all of them */
/* "gemm,memory", as --bench takes it. */
void bench_tests_list(unsigned tests, char *text, size_t size);
extern const char *const bench_test_words[TEST_COUNT];
const char *bench_test_word(enum bench_test test); /* "gemm"; "?" */

/* ---- kinds of a test ---- */

enum bench_kind {
    KIND_NONE,
    KIND_READ,
    KIND_WRITE,
    KIND_COPY,
    KIND_COPY_ENGINE,  /* by the driver */
    KIND_READ_PRODUCT, /* by a product with one column */
    KIND_H2D_PINNED,
    KIND_D2H_PINNED,
    KIND_BOTH_PINNED,
    KIND_H2D_PAGEABLE,
    KIND_D2H_PAGEABLE,
    KIND_STORAGE,
    KIND_PEER,
    KIND_PEER_BOTH,
    KIND_H2D_ALL, /* of all devices at once */
    KIND_D2H_ALL,
    KIND_PLAIN, /* launched by the host */
    KIND_GRAPH,
    KIND_COUNT
};

enum kind_property {
    KIND_IS_PAIR = 1 << 0,   /* between two devices, `from` and `to` */
    KIND_IS_PINNED = 1 << 1, /* host memory that the device reads itself */
    KIND_IS_IN = 1 << 2,     /* to the device */
    KIND_IS_OUT = 1 << 3,    /* from it */
    KIND_IS_ALL = 1 << 5,    /* of all of `devices` at once */
    KIND_IS_TOP = 1 << 4,    /* by other means than a kernel of ours: the largest size alone,
                              * of a GPU */
};

struct kind_row {
    enum bench_test test;
    const char *word;
    const char *hot; /* the word where the bytes stay in the last cache; NULL = the same */
    double ways;     /* bytes moved per byte of the point's size */
    double rate;     /* bytes/s of today's, for estimates of time; 0 = unknown */
    unsigned is;     /* enum kind_property, as bits */
};
extern const struct kind_row kind_rows[KIND_COUNT];

bool bench_kind_is(enum bench_kind kind, unsigned properties);
const char *bench_kind_word(enum bench_kind kind);            /* "" of KIND_NONE */
const char *bench_kind_label(enum bench_kind kind, bool hot); /* "read-cache" where hot */
int bench_kind_parse(enum bench_test test, const char *word); /* -1 = none of the test's */
bool bench_test_has_kinds(enum bench_test test);

/* ---- number types ---- */

/* Operand types; cuBLASLt decides compute and output. */
enum bench_type {
    TYPE_FP32,          /* as frameworks ask for it */
    TYPE_FP32_PEDANTIC, /* no other arithmetic, whatever the library would rather do */
    TYPE_TF32,
    TYPE_FP16,    /* FP32 accumulation */
    TYPE_FP16ACC, /* FP16 accumulation */
    TYPE_BF16,
    TYPE_INT8,      /* INT32 accumulation and output */
    TYPE_FP8,       /* E4M3 x E4M3 -> BF16 */
    TYPE_FP8_ROW,   /* the same, a scale per row of weights and per token */
    TYPE_FP8_BLOCK, /* the same, a scale per 128 x 128 weights, per 128 elements of a token */
    TYPE_MXFP8,
    TYPE_NVFP4,
    TYPE_COUNT /* also: a type that this version does not know, or none */
};

struct type_row {
    double bytes;           /* per element of an operand */
    double scale[2];        /* and of its block's scale: of the weights, of the activations */
    double out;             /* per element of a result */
    const char *arithmetic; /* the rate of a data sheet: as model/format.h names it */
    const char *accumulate; /* what products are added in */
    const char *activation; /* a model's activations and KV cache beside such weights */
    bool cpu;               /* measured on a CPU without being asked for */
    bool sums;              /* all-reduces are measured in it */
    const char *stored[2];  /* formats besides its own whose elements it multiplies as they are
                              * stored */
    bool later;             /* not in a GPU's first look: another's arithmetic, other scales */
};
extern const struct type_row type_rows[TYPE_COUNT];

extern const char *const bench_type_words[TYPE_COUNT]; /* "bf16", "fp16-acc16" */
const char *bench_type_word(enum bench_type type);     /* "?" of an unknown one */
int bench_type_parse(const char *word);
double bench_type_bytes(enum bench_type type); /* bytes per element: 4, 2, 1, 0.5 */
bool bench_type_integer(enum bench_type type); /* OP/s rather than FLOP/s */
/* The first type whose rate on a sheet has this name; TYPE_COUNT = none. */
enum bench_type bench_type_of_arithmetic(const char *arithmetic);
/* The type that multiplies elements of a format as they are stored; TYPE_COUNT = none. */
enum bench_type bench_type_of_format(const char *format);

/* ---- caches ---- */

enum bench_cache {
    CACHE_COLD,         /* operands rotate beyond twice the last cache */
    CACHE_WEIGHTS_COLD, /* only the weight A rotates: decode as it really is */
    CACHE_HOT,          /* one copy: named so, never compared with the others */
    CACHE_COUNT
};
extern const char *const bench_cache_words[CACHE_COUNT];
const char *bench_cache_word(enum bench_cache cache); /* "weights-cold" */
int bench_cache_parse(const char *word);

#endif
