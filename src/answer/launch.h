/*
 * launch.h - a plan as the command that starts its engine, and such a command as a request.
 *
 *   answer --launch_make()--> struct launch --launch_command()--> words, variables, a file
 *   the arguments of a log --launch_read_pair()--> struct launch_reading
 *   --launch_request()--> options that plan the same memory
 *
 * Both ways walk the engine's table (launch_file.h). What a plan sets is one value each
 * (struct launch_values); shares of memory are in the engine's own meaning:
 *
 *   vLLM          fraction x (1 - headroom), of all memory
 *   SGLang        likewise, of what is free before the load: weights and KV
 *   TensorRT-LLM  KV pool / (usable - used - weights - activation - non-torch - graphs)
 *
 * A group is a replica, or those that share their experts: one command, on one host or, by
 * the engine's own options, on several. Example: 2 x TP 4 on a host of 8 GPUs are two
 * commands, on GPUs 0-3 and port 8000, and on GPUs 4-7 and port 8001.
 */
#ifndef GP_ANSWER_LAUNCH_H
#define GP_ANSWER_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/planner.h"
#include "base/err.h"
#include "base/str.h"
#include "catalog/engine.h"
#include "catalog/launch_file.h"

#define LAUNCH_TEXT_MAX 320

struct launch_values {
    bool given[LAUNCH_SETTING_COUNT];
    double number[LAUNCH_SETTING_COUNT];
    char text[LAUNCH_SETTING_COUNT][LAUNCH_TEXT_MAX];
};

void launch_set_number(struct launch_values *values, enum launch_setting setting, double number);
void launch_set_text(struct launch_values *values, enum launch_setting setting, const char *text);

struct launch {
    const struct launch_engine *table;
    long version;                           /* whose options are written, engine_version() */
    char version_text[ENGINE_VERSION_TEXT]; /* "0.33.0" */
    struct launch_values values;
    int groups;
    int ways;                     /* replicas of a group */
    int gpus;                     /* of a group */
    int nodes;                    /* hosts that a group spans */
    int per_host;                 /* groups on one host */
    int host_gpus;                /* GPUs of a group on one of its hosts */
    bool uneven;                  /* more of them than planned: they hold as many GPUs each */
    char resource[48];            /* "nvidia.com/gpu"; "": processors, no GPU is asked for */
    const char *image;            /* the table's, of that kind of device */
    bool foreign;                 /* it is of other GPUs: the table has none of these */
    const char *visible;          /* the variable that says which GPUs are seen; NULL */
    bool hub;                     /* the model is downloaded when it starts */
    bool checkpoint;              /* the model is a placeholder: it has to be made or found */
    bool draft_file;              /* so is the draft */
    bool base;                    /* the model was not trained to chat */
    char chat[160];               /* a release of it that was, or the same; "" = none is known */
    bool headroom;                /* is asked for and no option can leave it */
    const struct launch *prefill; /* of the replicas that only work prompts off, where the others
                                   * decode; NULL: each does both */
};

/* The answer must have a layout. GP_E_USAGE when the engine has no option for what the
 * plan sets. out[1] is that of out->prefill, where there is one. */
enum gp_status launch_make(struct planner *planner, const struct options *options,
                           const struct answer *answer, struct launch out[2], struct gp_err *err);

/* ---- writing: launch_write.c ---- */

struct launch_word_at {
    const char *name; /* of a variable; NULL: a word of the command */
    char *text;
    bool raw; /* an expression of the shell or of Kubernetes: not to be quoted */
};

struct launch_list {
    struct launch_word_at *at;
    size_t count, cap;
};

struct launch_command {
    struct launch_list argv, env;
    char file[LAUNCH_TEXT_MAX]; /* name of the engine's own file; "" = none */
    struct strbuf text;         /* what is in it */
};

/* Which part of which group. Texts, where they are given, stand for what is only known
 * where it runs: "$SLURM_NODEID". */
struct launch_place {
    int group, node;
    const char *node_text, *master, *port;
    bool any_node;     /* node_text may be any node's: what only some have is left out */
    bool anywhere;     /* a scheduler hands out the GPUs */
    bool container;    /* the image's command, on its default port and on all addresses */
    bool only_options; /* neither the command nor its model, address and place among hosts: of an
                        * operator that has its own */
};

void launch_command(const struct launch *launch, const struct launch_place *place,
                    struct launch_command *out);
void launch_command_fini(struct launch_command *command);

/* The row that carries a setting in that version; NULL when there is none. */
const struct launch_flag *launch_flag_of(const struct launch_engine *table, long version,
                                         enum launch_setting setting);
/* The engine's name of the value in its own configuration and the value, for each value
 * that a command of node 0 carries: what Triton's model.json holds. JSON, one object. */
void launch_config(const struct launch *launch, struct strbuf *out);

/* ---- reading: launch_read.c. Nothing of it is trusted. ---- */

struct launch_reading {
    const struct launch_engine *table;
    long version;
    struct launch_values values;
    double users;      /* of a replica, where the caller knows; 0 */
    char unknown[256]; /* options that the table has not, ", " between */
    int unknown_count;
};

/* version: engine_version(); of llama.cpp and others without releases 0. */
void launch_read_begin(const struct launch_engine *table, long version, struct launch_reading *out);
/* One value by the option ("--max-model-len") or by the engine's own name
 * ("max_model_len"), as a start-up log prints it; value NULL or "": a switch. What the
 * table has not is counted as unknown. */
enum gp_status launch_read_pair(struct launch_reading *reading, const char *name, const char *value,
                                struct gp_err *err);

/* Options and the texts that they borrow: keep it where it is. */
struct launch_request {
    struct options options;
    char engine[48], model[LAUNCH_TEXT_MAX], precision[FORMAT_ID_MAX], kv[FORMAT_ID_MAX];
    char gpu[160], draft[LAUNCH_TEXT_MAX], lora[32];
};

/* The request of `groups` such commands. base: what no option of an engine says, the GPU,
 * users, lengths, goals and prices; what an option says is taken from the reading, or is
 * the engine's default. */
enum gp_status launch_request(const struct launch_reading *reading, struct catalog *catalog,
                              const struct options *base, int groups, struct launch_request *out,
                              struct gp_err *err);

#endif
