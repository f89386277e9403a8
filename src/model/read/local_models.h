/*
 * local_models.h - the models below a folder, by their names alone.
 *
 * A folder with config.json or safetensors in it is one model, a GGUF file one each (a
 * split one by its first part). Two folders deep, and at most LOCAL_MODELS_LOOK names
 * are read, so that a front end may ask in any folder, however large. Nothing is
 * opened but folders; whether a model can be read is seen when it is chosen.
 */
#ifndef GP_MODEL_READ_LOCAL_MODELS_H
#define GP_MODEL_READ_LOCAL_MODELS_H

#include <stddef.h>

#define LOCAL_MODELS_LOOK 200

/* Paths as reader_model() takes them ("./qwen3-8b"), sorted; returns how many. */
size_t local_models(const char *folder, char ***paths);
void local_models_free(char **paths, size_t count);

#endif
