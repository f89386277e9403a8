/*
 * launch_print.h - a plan's command as text, JSON (gpuplan.launch/1) or a target's manifest.
 *
 * The text is a shell script: whatever is not a command is a comment, and a plan that does
 * not fit is nothing but comments. A target is a template, profiles/launch/ID.tmpl
 * (base/template.h; its values: launch_target.c): Kubernetes gets YAML, Slurm a batch script,
 * Triton a script that writes its model repository, Docker and Compose their containers. A
 * user's template is one more target.
 */
#ifndef GP_ANSWER_LAUNCH_PRINT_H
#define GP_ANSWER_LAUNCH_PRINT_H

#include "answer/launch.h"
#include "base/path.h"

struct launch_target {
    char id[32]; /* "k8s"; "": the engine's own command */
    char path[GP_PATH_MAX];
    char *text;
};

/* That of the word; the engine's own command where it is no target's. */
enum gp_status launch_target_find(struct catalog *catalog, const char *word,
                                  struct launch_target *out, struct gp_err *err);
/* GP_E_USAGE, with those that do as the hint: it cannot start replicas of two kinds. */
enum gp_status launch_target_splits(struct catalog *catalog, const struct launch_target *target,
                                    struct gp_err *err);
void launch_target_fini(struct launch_target *target);

/* "an engine: vllm, ...; or compose, docker, k8s, ...": what --launch takes. */
void launch_targets(struct catalog *catalog, struct strbuf *out);

/* launch NULL: the plan does not fit. GP_E_USAGE: the target does not take it, and its hint
 * says what does. */
enum gp_status launch_print(struct catalog *catalog, const struct answer *answer,
                            const struct launch *launch, const struct launch_target *target,
                            struct strbuf *out, struct gp_err *err);
enum gp_status launch_print_json(struct catalog *catalog, const struct answer *answer,
                                 const struct launch *launch, const struct launch_target *target,
                                 struct strbuf *out, struct gp_err *err);

/* ---- between its two files ---- */

#define LAUNCH_NOTES_MAX 12
struct launch_comments {
    const char *text[LAUNCH_NOTES_MAX + 1];
    int count;
};

/* What the target is given, and its file's name. */
enum gp_status launch_manifest(struct catalog *catalog, const struct launch_target *target,
                               const struct answer *answer, const struct launch *launch,
                               const struct launch_comments *comments, struct strbuf *name,
                               struct strbuf *out, struct gp_err *err);

/* Words from the one `from` on, quoted for a shell, a word and its value on a line; from 0 the
 * variables before them, too. */
void launch_shell_words(const struct launch_command *command, size_t from, const char *indent,
                        struct strbuf *out);

#endif
