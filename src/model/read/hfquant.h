/*
 * hfquant.h - between a quantiser's form (hfquant.c) and the count by its rules
 * (hfmodules.c).
 *
 * A scheme says how a matrix is stored: a struct format of which id is the catalogue's format
 * nearest to it (the arithmetic, the kernels) and bits, groups and scales are its own.
 * QUANT_KEPT is the one of what is left in the model's 16-bit type.
 *
 * Example: GPTQ, 3 bit, groups of 64: id "int4-g64", 3 bits and 2 + 3/8 bytes a group.
 */
#ifndef GP_MODEL_READ_HFQUANT_H
#define GP_MODEL_READ_HFQUANT_H

#include "model/format.h"
#include "model/read/hfconfig.h"

#define QUANT_KEPT 0

struct quant;
struct quant *quant_new(struct hf *hf);
void quant_free(struct quant *q);
int quant_scheme(struct quant *q, const struct format *f);
/* Of a role that no rule names: what is neither linear, embedding nor head. */
void quant_role(struct quant *q, enum tensor_role role, int scheme);
const struct format *quant_format(const struct quant *q, int scheme);

/* The modules that prefix + text names are stored as said. The first rule that names a module
 * holds. Prefix is "re:" of an expression without it, else "". */
void quant_rule(struct quant *q, const char *prefix, const char *text, int scheme);
void quant_rules(struct quant *q, const char *prefix, const json_t *texts, int scheme);

/* Fills model->bytes and model->native; the schemes of what no rule names: linear layers,
 * embedding, head. */
void quant_count(struct quant *q, int rest, int embed, int head);

#endif
