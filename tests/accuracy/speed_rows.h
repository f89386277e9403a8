/*
 * speed_rows.h - served speed as others measured it, each row as gpuplan would be asked.
 */
#ifndef GP_TESTS_ACCURACY_SPEED_ROWS_H
#define GP_TESTS_ACCURACY_SPEED_ROWS_H

#include "plan/speed/serve.h"
#include "plan/speed/speed.h"
#include "table.h"

#define ROWS_MAX 4096
#define COPIES_MAX 64

/* The constants under test: copies that the fit may change. */
struct constants {
    struct family family[COPIES_MAX];
    struct engine engine[COPIES_MAX];
    struct gpu gpu[COPIES_MAX * 2];
    int families, engines, gpus;
};

/* What a row measured. */
enum phase {
    PHASE_TPOT,   /* s per output token, prompts of the others between */
    PHASE_DECODE, /* the same of decoding alone */
    PHASE_WALL,   /* s per output token from asking to the end, the prompt among them */
    PHASE_PROMPT, /* s of one prompt on an idle engine */
    PHASE_RATE    /* s per output token of all users, saturated */
};

struct row {
    char model[MODEL_ID_MAX], gpu[GPU_ID_MAX], engine[24], precision[FORMAT_ID_MAX];
    char lab[48]; /* who measured it, where rows are of many; "" */
    struct request request;
    struct step_load load;
    struct layout layout;
    struct serve_load serve;
    enum phase phase;
    double rate;    /* requests/s that arrive; 0 = so many users ask again and again */
    double asked;   /* requests of the run, at a rate; 0 = not stated */
    double time;    /* s, measured */
    double ttft;    /* s, measured; NAN = not stated */
    double tokens;  /* output tokens/s of all, measured; 0 = not stated */
    double peer;    /* s, aiconfigurator's TPOT; NAN */
    double weights; /* bytes on a GPU */
    bool moe;
};

struct rows {
    struct constants constants;
    struct planner *planner;
    struct row *row;
    int count;
    int left_out;
};

/* One row as gpuplan is asked; ids of the catalogue. */
struct asked {
    const char *model, *gpu, *engine, *precision, *kv; /* precision "": its own; kv may be NULL */
    const char *range; /* version of the engine; NULL = the newest */
    enum phase phase;
    double users, prompt, output;
    int tp, pp, ways, ep, replicas; /* ways: attention DP */
    double time, ttft, peer;
    double tokens;
    double rate;             /* as a row's */
    double captured, rounds; /* as serve_load's */
    double asked;            /* as a row's */
    bool scripts;            /* started by InferenceX's scripts, or ones like them */
    double context;          /* that the server was started with; 0 = prompt + output */
    bool attention_16;       /* the checkpoint has it in 16 bit */
    bool settled;            /* none queued, whatever the memory settings were */
};

/* What gpuplan says. */
struct row_answer {
    double time, ttft, tokens;
    double low, high, ttft_low, ttft_high; /* factors of the bands */
    unsigned doubts;
};

/* Each false when there is no file. */
bool rows_serving(struct rows *rows, int argc, char **argv);
bool rows_recent(struct rows *rows, int argc, char **argv); /* speed_recent.c */
/* speed_tables.c */
bool rows_llamacpp(struct rows *rows, int argc, char **argv);
bool rows_batch1(struct rows *rows, int argc, char **argv);
bool rows_saturated(struct rows *rows, int argc, char **argv);
bool rows_dstack(struct rows *rows, int argc, char **argv);
void rows_init(struct rows *rows);
void rows_fini(struct rows *rows);

/* Adds a row; false, and counted as left out, where there is no estimate. */
bool rows_ask(struct rows *rows, const struct asked *asked);

/* An answer with the constants as they are now; false: none. */
bool row_predict(const struct row *row, struct row_answer *out);

#endif
