/*
 * catalog.h - the profiles: where they are searched, and how they are read.
 *
 * Search path, the later wins field by field: the source tree or installed pkgdatadir,
 * $XDG_DATA_HOME/gpuplan/profiles, $GPUPLAN_PROFILES, --profiles DIR. A lookup by id
 * opens only <dir>/<class>/<id>.cfg in each of them; listing reads the whole class.
 * Everything is read once and kept; returned pointers are borrowed and live as long as
 * the catalogue. Warnings (unknown keys, with the nearest known name) go to a list.
 *
 * Errors: GP_E_USAGE for an unknown id (with the nearest known one),
 * GP_E_FILE with file:line: field for an invalid file.
 */
#ifndef GP_CATALOG_CATALOG_H
#define GP_CATALOG_CATALOG_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "catalog/bundle.h"
#include "catalog/engine.h"
#include "catalog/family.h"
#include "catalog/gpu.h"
#include "catalog/launch_file.h"
#include "catalog/price.h"
#include "model/format.h"
#include "model/model.h"

struct catalog;

struct catalog *catalog_new(const char *profiles_dir /* --profiles, or NULL */);
/* Exactly these folders, the later wins; all but the first count as the user's own. */
struct catalog *catalog_new_path(const char *const *dirs, size_t count);
void catalog_free(struct catalog *catalog);
/* The day of the data it was shipped with or that --data installed since; "": not known. */
const char *catalog_data_date(const struct catalog *catalog);
/* Where --data installs for this user or the system; false: there is no such folder. */
bool catalog_data_folder(bool system, char *dir, size_t size);
/* Every profile there is can be read; else what is wrong with the first that cannot. */
enum gp_status catalog_check(struct catalog *catalog, struct gp_err *err);
/* A line for --version: the folder and the date of the newest price, or why there is none. */
void catalog_version(const char *profiles_dir, struct strbuf *out);

/* "vllm@0.17": a version inside the range, by which it is found again. */
void catalog_engine_id(const struct engine *engine, char *text, size_t size);

/* What else was typed for GPUs, as "h100-sxm:8" or "h100-sxm/3g.40gb": an instance of a provider
 * (p5.48xlarge), a system (DGX B200), nvidia-smi's name of a MIG instance, lspci's or a shop's.
 * False: none of these. */
bool catalog_gpu_reading(struct catalog *catalog, const char *text, char *reading, size_t size);
/* Does it name a MIG instance? Then the GPU that it is of answers to it, too, but is another. */
bool catalog_gpu_is_slice(const char *text);

/* The GB of a vGPU, as NVIDIA's drivers name one: "L40S-24Q", "GRID T4-8C"; 0: it is none. */
int catalog_vgpu_memory(const char *text);
/* The instance type that is nearly this text; NULL: none is. */
const char *catalog_near_instance(struct catalog *catalog, const char *text);

/* By id; an alias (a Hugging Face repository name) also finds a model, ignoring case. */
enum gp_status catalog_gpu(struct catalog *catalog, const char *id, const struct gpu **gpu,
                           struct gp_err *err);
/* The nearest GPUs to a text that is none: suggest() of base/suggest.h. */
bool catalog_suggest_gpu(struct catalog *catalog, const char *text, const char *as, char *hint,
                         size_t size);
enum gp_status catalog_model(struct catalog *catalog, const char *id, const struct model **model,
                             struct gp_err *err);
enum gp_status catalog_format(struct catalog *catalog, const char *id, const struct format **format,
                              struct gp_err *err);
/* The engines that a plan takes when none is named, the first of them that starts on the GPU; and
 * those that its fixes may name. */
#define CATALOG_ENGINE "vllm"
#define CATALOG_ENGINE_GGUF "llama.cpp" /* for a GGUF file or format */
#define CATALOG_ENGINES_TAKEN                      \
    {                                              \
        CATALOG_ENGINE, "mlx", CATALOG_ENGINE_GGUF \
    }
#define CATALOG_ENGINES_OFFERED                                       \
    {                                                                 \
        CATALOG_ENGINE, "sglang", "tensorrt-llm", CATALOG_ENGINE_GGUF \
    }

/* "vllm" (the newest range), "vllm@0.19", "vllm@0.19.1", "llama.cpp". */
enum gp_status catalog_engine(struct catalog *catalog, const char *name,
                              const struct engine **engine, struct gp_err *err);
/* The range of versions before one that catalog_engine() gave; NULL: it is the oldest. */
const struct engine *catalog_engine_before(struct catalog *catalog, const struct engine *engine);

/* How an engine is started, by the engine's id. */
enum gp_status catalog_launch(struct catalog *catalog, const char *id,
                              const struct launch_engine **launch, struct gp_err *err);

enum gp_status catalog_family(struct catalog *catalog, const char *id, const struct family **family,
                              struct gp_err *err);

/* Sets gpu->family, where there is a profile of it. */
enum gp_status catalog_gpu_family(struct catalog *catalog, struct gpu *gpu, struct gp_err *err);

/* Adds the other GPUs that a text may be the name of: "h100-pcie, h100-nvl" for H100. */
void catalog_gpu_namesakes(struct catalog *catalog, const char *text, const char *id,
                           struct strbuf *out);

/* What a name of a model means (names.h); out->id NULL: no model of the catalogue. */
struct name_reading;
enum gp_status catalog_read_name(struct catalog *catalog, const char *text,
                                 struct name_reading *out, struct gp_err *err);
/* "did you mean a or b?", the models of the family that the text begins with; "" when none is
 * near. */
void catalog_near_models(struct catalog *catalog, const char *text, char *hint, size_t size);

/* Whole classes, sorted by id (instances by provider and type). */
enum gp_status catalog_gpus(struct catalog *catalog, const struct gpu *const **list, size_t *count,
                            struct gp_err *err);
/* Those that are weighed where none is named: not the ones of sets, which are cards that people
 * have rather than what they would choose. */
enum gp_status catalog_gpus_offered(struct catalog *catalog, const struct gpu *const **list,
                                    size_t *count, struct gp_err *err);
/* Of them, those that some instance has. */
enum gp_status catalog_gpus_sold(struct catalog *catalog, const struct gpu *const **list,
                                 size_t *count, struct gp_err *err);
enum gp_status catalog_families(struct catalog *catalog, const struct family *const **list,
                                size_t *count, struct gp_err *err);
enum gp_status catalog_models(struct catalog *catalog, const struct model *const **list,
                              size_t *count, struct gp_err *err);
/* Reads up to `most` models ahead, so that the list takes no time later. True: there may be
 * more. */
bool catalog_models_ahead(struct catalog *catalog, size_t most);
enum gp_status catalog_formats(struct catalog *catalog, const struct format **list, size_t *count,
                               struct gp_err *err);
enum gp_status catalog_engines(struct catalog *catalog, const struct engine **list, size_t *count,
                               struct gp_err *err);
enum gp_status catalog_instances(struct catalog *catalog, const struct instance **list,
                                 size_t *count, struct gp_err *err);
enum gp_status catalog_servers(struct catalog *catalog, const struct server **list, size_t *count,
                               struct gp_err *err);
enum gp_status catalog_ownership(struct catalog *catalog, const struct ownership **own,
                                 struct gp_err *err);

/* Aliases of a model, '|' separated; "" when it has none. */
const char *catalog_aliases(struct catalog *catalog, const char *model_id);
/* Of them, the base models: pretrained, not trained to chat; likewise. */
const char *catalog_base_models(struct catalog *catalog, const char *model_id);

/* The file of an id of a folder that others read ("pools", "shapes"): the last of the search
 * path, whole, into path[size]. what names it in "no pool 'lab'". */
enum gp_status catalog_file(struct catalog *catalog, const char *folder, const char *what,
                            const char *id, char *path, size_t size, struct gp_err *err);

/* Ids of a folder's files with that suffix, each once, sorted; path_list_free() frees them. */
size_t catalog_names(struct catalog *catalog, const char *folder, const char *suffix,
                     char ***names);

/* The template of a target of --launch: launch/ID.tmpl, the last of the search path. */
bool catalog_template(struct catalog *catalog, const char *id, char *path, size_t size);

/* Warnings since the last call: "file:line: field: unknown, did you mean ...". */
size_t catalog_warnings(struct catalog *catalog, const char *const **lines);

#endif
