/*
 * hfmatch.h - does a pattern of an ignore list name a module?
 *
 * Quantised checkpoints list what they left alone: exact module paths, parts of paths
 * ("self_attn", "lm_head"), shell globs ("model.layers.*.mlp.gate*") and regular
 * expressions after "re:". All come from an untrusted file, so the matcher is a small
 * backtracking one with a budget of steps instead of a regular expression library
 * that a pattern can send round for hours.
 *
 * Example: "re:.*mlp\.(gate|up)_proj$" matches "model.layers.3.mlp.up_proj".
 */
#ifndef GP_MODEL_READ_HFMATCH_H
#define GP_MODEL_READ_HFMATCH_H

#include <stdbool.h>

/* *budget is counted down; at 0 nothing matches any more. */
bool hfmatch(const char *pattern, const char *module, long *budget);

#endif
