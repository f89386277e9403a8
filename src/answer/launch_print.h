/*
 * launch_print.h - a plan's command as text, JSON (gpuplan.launch/1) or a manifest.
 *
 * The text is a shell script: whatever is not a command is a comment, and a plan that does
 * not fit is nothing but comments. Kubernetes gets YAML, Slurm a batch script, Triton a
 * script that writes its model repository.
 */
#ifndef GP_ANSWER_LAUNCH_PRINT_H
#define GP_ANSWER_LAUNCH_PRINT_H

#include "answer/launch.h"

enum launch_target { TARGET_ENGINE, TARGET_K8S, TARGET_SLURM, TARGET_TRITON };

/* "k8s"; TARGET_ENGINE for any other word. */
enum launch_target launch_target_find(const char *word);

/* Can that be printed of this engine? The hint names those of the catalogue that can. */
enum gp_status launch_target_check(struct catalog *catalog, const struct launch *launch,
                                   enum launch_target target, struct gp_err *err);

/* launch NULL: the plan does not fit. */
void launch_print(const struct answer *answer, const struct launch *launch,
                  enum launch_target target, struct strbuf *out);
void launch_print_json(const struct answer *answer, const struct launch *launch,
                       enum launch_target target, struct strbuf *out);

/* ---- launch_manifest.c ---- */

/* NAME=value and the words, quoted for a shell, a word and its value on a line. */
void launch_shell_words(const struct launch_command *command, const char *indent,
                        struct strbuf *out);

#endif
