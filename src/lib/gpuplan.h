/*
 * gpuplan.h - libgpuplan: what a model needs, asked from a program; gpuplan(3).
 *
 *   gpuplan *g = gpuplan_open(NULL);
 *   gpuplan_answer *a = gpuplan_ask(g, "{\"model\": \"llama-3.1-70b\", \"gpu\": \"h100-sxm\"}");
 *   if (gpuplan_fits(a))
 *       printf("%g GPUs, %g s a token\n", gpuplan_number(a, "layout.gpus"),
 *              gpuplan_number(a, "speed.tpot"));
 *   gpuplan_answer_free(a);
 *   gpuplan_close(g);
 *
 * Requests are those of gpuplan --batch, answers those of gpuplan --format json (schemas/).
 * Every function may be called by several threads at once, also with one gpuplan; an answer
 * belongs to one thread at a time. Where memory runs out the program ends, as gpuplan does.
 */
#ifndef GPUPLAN_H
#define GPUPLAN_H

#ifdef __cplusplus
extern "C" {
#endif

#define GPUPLAN_ABI 0 /* of libgpuplan.so.0: functions are added, none is changed */

typedef struct gpuplan gpuplan;               /* a catalogue, open */
typedef struct gpuplan_answer gpuplan_answer; /* or an error; never NULL */

int gpuplan_abi(void);             /* of the library that was found: GPUPLAN_ABI */
const char *gpuplan_version(void); /* "0.1.0" */

/* profiles: a folder of one's own that overrides, as --profiles; NULL: none. */
gpuplan *gpuplan_open(const char *profiles);
void gpuplan_close(gpuplan *g);
const char *gpuplan_data_date(gpuplan *g); /* "2026-11-27"; "" = not known */

gpuplan_answer *gpuplan_ask(gpuplan *g, const char *request); /* gpuplan.plan/1, train/1 */
gpuplan_answer *gpuplan_list(gpuplan *g, const char *list);   /* "gpus": gpuplan.list/1 */
gpuplan_answer *gpuplan_show(gpuplan *g, const char *id);     /* "h100-sxm": gpuplan.show/1 */
gpuplan_answer *gpuplan_read(const char *json);               /* an answer that was kept */
void gpuplan_answer_free(gpuplan_answer *a);

const char *gpuplan_json(const gpuplan_answer *a);    /* all of it, one line */
const char *gpuplan_error(const gpuplan_answer *a);   /* "gpu: no GPU 'h1000' (...)"; "" = none */
int gpuplan_fits(const gpuplan_answer *a);            /* 1: fits for sure, or is marginal; 0 */
const char *gpuplan_verdict(const gpuplan_answer *a); /* "fits"; "" = it has none */

/* A value by its path, "memory.per_gpu.weights", "fixes.0.option". Of a quantity its best
 * estimate; its band are the other two. NaN, "" or 0: there is none. Texts last as long as the
 * answer. */
double gpuplan_number(const gpuplan_answer *a, const char *path);
double gpuplan_low(const gpuplan_answer *a, const char *path);
double gpuplan_high(const gpuplan_answer *a, const char *path);
const char *gpuplan_text(const gpuplan_answer *a, const char *path);
int gpuplan_has(const gpuplan_answer *a, const char *path);
int gpuplan_count(const gpuplan_answer *a, const char *path); /* of a list, or of keys */

#ifdef __cplusplus
}
#endif

#endif
