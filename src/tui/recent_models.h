/*
 * recent_models.h - the models that were chosen in earlier runs, for the top of their list.
 *
 * $XDG_STATE_HOME/gpuplan/recent-models has a name a line, the last one chosen first: an id of
 * the catalogue, a size, "org/name" of the hub's cache, or the absolute path of a folder or
 * file. Anything else in it is passed over; a file that is not ours in size is not read.
 */
#ifndef GP_TUI_RECENT_MODELS_H
#define GP_TUI_RECENT_MODELS_H

#include <stdbool.h>

#include "tui/form.h"

#define RECENT_MODELS 8
#define RECENT_MODEL_MAX 240

struct recent_models {
    int count;
    char id[RECENT_MODELS][RECENT_MODEL_MAX];
};

/* None where there is no file or it cannot be read. */
void recent_models_read(struct recent_models *recent);
/* Can a plan be made of it here and now? */
bool recent_models_is_there(const struct form *form, const char *id);
/* The models that the form has had, the last first, those undone among them: how many; *now:
 * the place of the one it has. */
int recent_models_had(const struct form *form, const char *ids[FORM_UNDO], int *now);
/* Writes the file anew when the form was given other models than it began with. */
void recent_models_keep(const struct form *form);

#endif
