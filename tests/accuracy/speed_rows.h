/*
 * speed_rows.h - served speed as others measured it, each row as gpuplan would be asked.
 */
#ifndef GP_TESTS_ACCURACY_SPEED_ROWS_H
#define GP_TESTS_ACCURACY_SPEED_ROWS_H

#include "core/speed/serve.h"
#include "table.h"

#define ROWS_MAX 4096
#define COPIES_MAX 32

/* The constants under test: copies that the fit may change. */
struct constants {
    struct family family[COPIES_MAX];
    struct engine engine[COPIES_MAX];
    struct gpu gpu[COPIES_MAX * 2];
    int families, engines, gpus;
};

struct row {
    char model[MODEL_ID_MAX], gpu[GPU_ID_MAX], engine[24], precision[FORMAT_ID_MAX];
    struct request request;
    struct step_load load;
    struct layout layout;
    struct serve_load serve;
    double tpot, ttft;  /* s, measured; NAN = not stated */
    double peer;        /* s, aiconfigurator's TPOT; NAN */
    bool moe;
};

struct rows {
    struct constants constants;
    struct planner *planner;
    struct row *row;
    int count;
    int left_out;
};

/* Each false when there is no file. */
bool rows_serving(struct rows *rows, int argc, char **argv);
bool rows_recent(struct rows *rows, int argc, char **argv);
void rows_init(struct rows *rows);
void rows_fini(struct rows *rows);

/* What gpuplan says of a row with the constants as they are now. */
bool row_predict(const struct row *row, struct serve *out);

#endif
