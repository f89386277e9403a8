/*
 * files.h - the files of the catalogue's classes: what each reader fills, and the table of
 * its keys.
 *
 * A reader is called once per folder of the search path that has the file. The first call
 * finds its item zeroed but for the id, later ones the values of earlier files. A class that
 * is one table is read by it, printed by it in --show (answer/report_catalog.h), and every
 * key of it stands in gpuplan-profile(5) (tests/cli/man.sh).
 */
#ifndef GP_CATALOG_FILES_H
#define GP_CATALOG_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/path.h"
#include "base/str.h"
#include "catalog/engine.h"
#include "catalog/family.h"
#include "catalog/gpu.h"
#include "catalog/price.h"
#include "catalog/profile.h"
#include "model/format.h"
#include "model/model.h"

/* Items begin with what has their id; aliases are '|' separated. */

/* gpus/ID.cfg: GiB, GB/s, TFLOPS and watts; the struct holds bytes, bytes/s, FLOP/s. A rate
 * of 0 means that the hardware has no such mode, an absent one that it is unknown. */
struct gpu_item {
    struct gpu gpu;
    char aliases[160];
};
extern const struct profile_table gpu_table;
void gpu_file_read(struct profile_group top, void *gpu_item);

/* families/ID.cfg: times in microseconds and nanoseconds as the keys say, shares of the data
 * sheet as fractions; the struct holds seconds. The table in three parts: before the shares
 * of its kernels, before its links, and after them. */
struct family_item {
    struct family family;
    char aliases[1]; /* families have none */
};
#define FAMILY_PARTS 3
extern const struct profile_table family_tables[FAMILY_PARTS];
extern const struct profile_word family_kernels[]; /* as profiles write them */
void family_file_read(struct profile_group top, void *family_item);

/* engines/ID.cfg: the version ranges of an engine, in the order of their versions, which may
 * not overlap. Keys at the top hold for all of them, each range gives what differs from the
 * one before it. What a later file says at its top changes every range that is there, what
 * its range says that range and the newer ones: a copy of a file, laid over it, changes
 * nothing. */
struct engine_list {
    struct engine *engines;
    size_t count, cap;
};
struct engine_item {
    char id[24];
    char aliases[96];
    char formats_at[GP_PATH_MAX + 16]; /* "file:line" of the last weight_formats; "" */
    bool checked;                      /* they are formats of the catalogue */
    struct engine_list list;
};
extern const struct profile_table engine_table;
void engine_file_read(struct profile_group top, void *engine_item);

/* models/ID.cfg. What is written reads back as the same shape; exact bytes, which only the
 * model's files know, are left out. */
struct model_item {
    struct model model;
    char aliases[512];
    char base[320]; /* of them, those that were not trained to chat */
};
enum {
    MODEL_NAMES,
    MODEL_USE,
    MODEL_PUBLISHED,
    MODEL_NATIVE,
    MODEL_SHAPE,
    MODEL_EVIDENCE,
    MODEL_PARTS
};
extern const struct profile_table model_tables[MODEL_PARTS];
void model_file_read(struct profile_group top, void *model_item);
void model_file_write(const struct model *model, struct strbuf *out);

/* formats.cfg: every weight format, in one file because every plan needs several of them; a
 * later file may change single fields of an id or add formats of its own. */
struct format_list {
    struct format *formats;
    size_t count, cap;
};
extern const struct profile_word format_file_roles[]; /* enum tensor_role: "embedding", ... */
extern const struct profile_table format_table;
void format_file_read(struct profile_group top, void *format_list);

/* prices/PROVIDER.cfg holds what its rows share (provider, date, kind, source) and one short
 * group per instance. Rows are matched over the search path by provider, type and region: a
 * later file changes the fields it gives. Beside it prices/ownership.cfg, servers/ID.cfg. */
struct instance_list {
    struct instance *instances;
    size_t count, cap;
    bool user; /* of the file read next: its rows win over the catalogue's */
};
enum { INSTANCE_WHAT, INSTANCE_OFFER, INSTANCE_EVIDENCE, INSTANCE_PARTS };
extern const struct profile_table instance_tables[INSTANCE_PARTS], server_table;
void price_file_read(struct profile_group top, void *instance_list);
void price_file_ownership(struct profile_group top, void *ownership);
void price_file_server(struct profile_group top, void *server);

#endif
