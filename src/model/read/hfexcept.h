/*
 * hfexcept.h - which roles does a list of modules cover?
 *
 * Quantised checkpoints list the modules they left alone (or, in mixed ones, the
 * modules of each group). A role counts as covered when the list names one of its
 * modules in at least half of the layers that have it. Entries may be paths, parts of
 * paths, globs or expressions (hfmatch.h), and there may be 20,000 of them: one with a
 * layer number is only held against that layer, one without wildcards only against one
 * layer.
 *
 * Example: {"model.layers.0.mlp", "lm_head"} covers the MLP of one layer of 32, so no
 * role, and the head.
 */
#ifndef GP_MODEL_READ_HFEXCEPT_H
#define GP_MODEL_READ_HFEXCEPT_H

#include <jansson.h>
#include <stdbool.h>

#include "model/model.h"

struct exceptions;

struct exceptions *hfexcept_new(void);
void hfexcept_free(struct exceptions *list);
/* The text is borrowed: it must live as long as the list. */
void hfexcept_add(struct exceptions *list, const char *text);
void hfexcept_add_list(struct exceptions *list, const json_t *array);

bool hfexcept_role(struct exceptions *list, const struct model *model, enum tensor_role role);
bool hfexcept_head(struct exceptions *list);
/* True when the comparisons took too long to be trusted. */
bool hfexcept_spent(const struct exceptions *list);

#endif
