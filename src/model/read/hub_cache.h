/*
 * hub_cache.h - the models that the Hugging Face hub's client has stored here, and those below
 * a folder, by their names alone.
 *
 * $HF_HUB_CACHE, else $HF_HOME/hub, else ~/.cache/huggingface/hub holds a folder
 * models--org--name per model; its refs/main names the revision, whose files lie in
 * snapshots/<revision>. Only names and refs/main are read.
 *
 * Ollama's and LM Studio's stores are listed likewise: by names that -m takes.
 *
 * Example: "Qwen/Qwen3-8B" is .../models--Qwen--Qwen3-8B/snapshots/b968826d9c46...
 */
#ifndef GP_MODEL_READ_HUB_CACHE_H
#define GP_MODEL_READ_HUB_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#define HUB_CACHE_MAX 200

struct hub_model {
    char name[128];  /* "org/name" */
    char path[1024]; /* of the snapshot */
    char revision[64];
};

/* The snapshot of "org/name"; false when it is not there. */
bool hub_cache_find(const char *name, struct hub_model *model);
/* At most HUB_CACHE_MAX, by name; the caller frees *models. */
size_t hub_cache_list(struct hub_model **models);

/* The models below a folder: a folder with config.json or safetensors in it is one, a GGUF
 * file one each (a split one by its first part). Two folders deep, and at most
 * LOCAL_MODELS_LOOK names are read, so that a front end may ask in any folder, however large.
 * Nothing is opened but folders; whether a model can be read is seen when it is chosen. */
#define LOCAL_MODELS_LOOK 200

/* Paths as checkpoint_read() takes them ("./qwen3-8b"), sorted; returns how many. */
size_t local_models(const char *folder, char ***paths);
void local_models_free(char **paths, size_t count);
/* Those of LM Studio: ~/.lmstudio/models, before that ~/.cache/lm-studio/models. */
size_t lmstudio_models(char ***paths);
/* What Ollama has pulled, as `ollama run` names it: "llama3.3:70b"; $OLLAMA_MODELS, else
 * ~/.ollama/models. By the names of its manifests alone; freed as above. */
size_t ollama_models(char ***names);

#endif
