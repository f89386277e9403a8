/*
 * plan_file.h - a saved answer of --plan --format json (gpuplan.plan/1, or gpuplan.train/1
 * of --train), as the request that asks it again.
 *
 * Its `request` gives the options and its `layout` what was chosen: GPU and count, TP, PP,
 * EP, replicas; of --train TP, PP, CP, ZeRO stage and recomputation. An open version range
 * ("vllm@0.33+") asks for the newest one, a closed one for itself. Keys that are no option
 * (of newer versions, too) are left out.
 */
#ifndef GP_ANSWER_PLAN_FILE_H
#define GP_ANSWER_PLAN_FILE_H

#include <stddef.h>

#include "answer/option.h"
#include "base/err.h"

#define PLAN_FILE_MAX (4 << 20) /* bytes */

struct plan_file {
    struct json_t *json;    /* owned: the whole answer */
    struct options options; /* borrows texts from json and from below */
    char gpu[96], engine[48], lora[32], number[32], split[64];
};

/* where names the file in errors. plan_file_fini() also after an error. The struct stays
 * where it is while its options are used. */
enum gp_status plan_file_read(const char *where, const char *text, size_t len,
                              struct plan_file *out, struct gp_err *err);
void plan_file_fini(struct plan_file *file);

#endif
