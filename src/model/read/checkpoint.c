/*
 * checkpoint.c - from a path to a model: what is there, and which reader takes it.
 *
 *   folder                   config.json with the safetensors beside it (all shards of
 *                            the index, or model.safetensors), else one GGUF set
 *   config.json              the same for the folder it lies in
 *   *.safetensors            config.json beside it, this file's tensors
 *   *.safetensors.index.json config.json beside it, its shards
 *   *.gguf                   the file, or all parts of a split one
 *
 * config.json tells the shape, the tensors the exact bytes. Safetensors without
 * config.json are refused: no tensor tells how wide a head is.
 *
 * Example: a folder of Llama-3.1-8B in BF16: 32 layers of one kind from config.json and
 * 16,060,522,496 bytes from four shards.
 */
#include "model/read/checkpoint.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "model/read/gguf.h"
#include "model/read/hfconfig.h"
#include "model/read/jscan.h"
#include "model/read/reader_file.h"
#include "model/read/tensors.h"

#define CONFIG_LIMIT (16u << 20)
#define INDEX_LIMIT (128u << 20)
#define INDEX_NAME "model.safetensors.index.json"
#define SINGLE_NAME "model.safetensors"
#define SIDE_NAME "hf_quant_config.json"

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), tail = strlen(end);

    return len >= tail && gp_casecmp(text + len - tail, end) == 0;
}

bool reader_is_path(const char *text)
{
    struct stat info;

    return text[0] != '\0' && (strchr(text, '/') != NULL || stat(text, &info) == 0);
}

/* ---- config.json ---- */

/* The text of dir/name; *text stays NULL when there is no such file. */
static enum gp_status read_optional(const char *dir, const char *name, size_t limit, char **text,
                                    size_t *len, char *where, size_t size, struct gp_err *err)
{
    struct reader_file file;
    bool found;
    enum gp_status rc = reader_file_open(dir, name, &file, &found, err);

    *text = NULL;
    *len = 0;
    if (rc != GP_OK || !found)
        return rc;
    gp_copy(where, size, file.path);
    rc = reader_slurp(&file, limit, text, err);
    *len = (size_t)file.size;
    reader_close(&file);
    return rc;
}

/* *found is false when there is no config.json. */
static enum gp_status read_config(const char *dir, const char *name, bool headers,
                                  struct model *out, bool *found, struct gp_err *err)
{
    char where[GP_PATH_MAX], side_where[GP_PATH_MAX];
    char *text, *side = NULL;
    size_t len, side_len = 0;
    enum gp_status rc =
        read_optional(dir, name, CONFIG_LIMIT, &text, &len, where, sizeof where, err);

    *found = text != NULL;
    if (rc != GP_OK || text == NULL)
        return rc;
    if (dir != NULL)
        rc = read_optional(dir, SIDE_NAME, CONFIG_LIMIT, &side, &side_len, side_where,
                           sizeof side_where, err);
    if (rc == GP_OK)
        rc = hfconfig_parse_pair(where, text, len, side_where, side, side_len, headers, out, err);
    free(text);
    free(side);
    return rc;
}

/* ---- safetensors ---- */

static enum gp_status read_shard(const char *dir, const char *name, struct tensor_list *list,
                                 double *bytes, struct gp_err *err)
{
    struct reader_file file;
    uint8_t first[8];
    uint8_t *head;
    uint64_t length;
    bool found;
    enum gp_status rc = reader_file_open(dir, name, &file, &found, err);

    if (rc != GP_OK)
        return rc;
    if (!found)
        return gp_fail(err, GP_E_FILE, file.path, "download it, or the whole model again",
                       "is missing");
    if (!reader_read(&file, 0, first, sizeof first)) {
        reader_close(&file);
        return gp_fail(err, GP_E_FILE, file.path, "download it again", "has only %llu bytes",
                       (unsigned long long)file.size);
    }
    rc = safetensors_length(file.path, first, file.size, &length, err);
    if (rc == GP_OK) {
        head = gp_malloc((size_t)length + 8);
        if (reader_read(&file, 0, head, (size_t)length + 8))
            rc = safetensors_header(file.path, head, (size_t)length + 8, file.size, tensor_list_add,
                                    list, err);
        else
            rc = gp_fail(err, GP_E_FILE, file.path, "", "cannot be read");
        free(head);
    }
    *bytes += (double)file.size;
    reader_close(&file);
    return rc;
}

static enum gp_status sum_shards(const char *dir, char **names, size_t count, struct model *out,
                                 struct gp_err *err)
{
    struct tensor_list list;
    double bytes = 0;
    enum gp_status rc = GP_OK;

    tensor_list_init(&list);
    for (size_t i = 0; i < count && rc == GP_OK; i++)
        rc = read_shard(dir, names[i], &list, &bytes, err);
    if (rc == GP_OK)
        rc = tensor_sum(&list, out, false, dir, err);
    tensor_list_fini(&list);
    out->bytes.file_bytes = bytes;
    return rc;
}

/* *found is false when there is no such index. */
static enum gp_status sum_index(const char *dir, const char *index, struct model *out, bool *found,
                                struct gp_err *err)
{
    char where[GP_PATH_MAX];
    char **names = NULL, *text;
    size_t count = 0, len;
    double total;
    enum gp_status rc =
        read_optional(dir, index, INDEX_LIMIT, &text, &len, where, sizeof where, err);

    *found = text != NULL;
    if (rc != GP_OK || text == NULL)
        return rc;
    rc = safetensors_index(where, text, len, &names, &count, &total, err);
    free(text);
    if (rc == GP_OK)
        rc = sum_shards(dir, names, count, out, err);
    path_list_free(names, count);
    return rc;
}

/* Without an index: every file, when their names say they belong together. */
static enum gp_status sum_loose(const char *dir, struct model *out, bool *found, struct gp_err *err)
{
    char **names;
    size_t count;
    enum gp_status rc = path_list(dir, ".safetensors", &names, &count, err);

    *found = rc == GP_OK && count > 0;
    if (*found) {
        const char *mark = strstr(names[0], "-of-");
        long of = mark == NULL ? 1 : strtol(mark + 4, NULL, 10);

        if (of < 0 || (size_t)of != count)
            rc = gp_fail(err, GP_E_FILE, dir, "download what is missing, or name one file",
                         "%zu .safetensors of %ld, but no " INDEX_NAME, count, of);
    }
    if (rc == GP_OK && *found)
        rc = sum_shards(dir, names, count, out, err);
    path_list_free(names, count);
    return rc;
}

static enum gp_status sum_folder(const char *dir, struct model *out, bool *found,
                                 struct gp_err *err)
{
    char single[] = SINGLE_NAME;
    char *names[1] = {single};
    char path[GP_PATH_MAX];
    enum gp_status rc = sum_index(dir, INDEX_NAME, out, found, err);

    if (rc != GP_OK || *found)
        return rc;
    if (path_join(path, sizeof path, dir, SINGLE_NAME) && path_is_file(path)) {
        *found = true;
        return sum_shards(dir, names, 1, out, err);
    }
    return sum_loose(dir, out, found, err);
}

/* ---- folders ---- */

/* Is this file another part of the set the first one begins? */
static bool same_set(const char *a, const char *b)
{
    const char *mark = strstr(a, "-00001-of-");
    size_t stem = mark == NULL ? 0 : (size_t)(mark - a);

    return mark != NULL && strncmp(a, b, stem) == 0 && strlen(a) == strlen(b) &&
           strcmp(a + stem + 6, b + stem + 6) == 0;
}

/* The one GGUF set of a folder; NULL in *name when there is none. Projector and draft
 * files (mmproj-, mtp-) are not models of their own. */
static enum gp_status pick_gguf(const char *dir, char *name, size_t size, struct gp_err *err)
{
    char **names;
    size_t count;
    enum gp_status rc = path_list(dir, ".gguf", &names, &count, err);

    name[0] = '\0';
    for (size_t i = 0; rc == GP_OK && i < count; i++) {
        if (strncmp(names[i], "mmproj", 6) == 0 || strncmp(names[i], "mtp-", 4) == 0)
            continue;
        if (name[0] == '\0')
            gp_copy(name, size, names[i]);
        else if (!same_set(name, names[i]))
            rc = gp_fail(err, GP_E_FILE, dir, "name one of them",
                         "holds several GGUF models: %.80s, %.80s", name, names[i]);
    }
    path_list_free(names, count);
    return rc;
}

/* "org/model" from a Hugging Face cache path, else the last part of the path. */
static void name_after(const char *path, struct model *out)
{
    char whole[PATH_MAX], shown[96];
    const char *cache;
    char *end;

    if (realpath(path, whole) != NULL && path_is_dir(path))
        path = whole; /* "." has a name too; a file goes by the one it was given */
    cache = strstr(path, "models--");
    if (cache != NULL)
        memmove(whole, cache + 8, strlen(cache + 8) + 1);
    else if (path != whole)
        gp_copy(whole, sizeof whole, path);
    if (cache != NULL) {
        whole[strcspn(whole, "/")] = '\0';
        end = strstr(whole, "--");
        if (end != NULL) {
            *end = '/';
            memmove(end + 1, end + 2, strlen(end + 2) + 1);
        }
        end = whole;
    } else {
        size_t len = strlen(whole);

        while (len > 1 && whole[len - 1] == '/')
            whole[--len] = '\0';
        end = strrchr(whole, '/');
        end = end == NULL || end[1] == '\0' ? whole : end + 1;
    }
    if (ends_with(end, ".gguf") || ends_with(end, ".json"))
        end[strlen(end) - 5] = '\0';
    safe_text(shown, sizeof shown, end, strlen(end));
    if (shown[0] == '\0' || strcmp(shown, ".") == 0 || strcmp(shown, "..") == 0)
        return;
    gp_copy(out->id, sizeof out->id, shown);
    gp_copy(out->name, sizeof out->name, shown);
}

static enum gp_status no_model(const char *dir, struct gp_err *err)
{
    char **names;
    size_t count = 0;
    enum gp_status rc = path_list(dir, ".safetensors", &names, &count, err);

    if (rc != GP_OK)
        return rc;
    path_list_free(names, count);
    if (count > 0)
        return gp_fail(err, GP_E_FILE, dir,
                       "put the model's config.json beside the .safetensors files",
                       "config.json is missing: the head width cannot be read from "
                       "tensors alone");
    return gp_fail(err, GP_E_FILE, dir, "a model folder holds one of the two",
                   "holds neither config.json nor a .gguf file");
}

static bool has_tensors(const char *dir)
{
    char **names;
    size_t count;

    if (path_list(dir, ".safetensors", &names, &count, NULL) != GP_OK)
        return false;
    path_list_free(names, count);
    return count > 0;
}

static enum gp_status read_folder(const char *dir, struct model *out, struct gp_err *err)
{
    char gguf[GP_PATH_MAX];
    bool config, tensors = false;
    enum gp_status rc = read_config(dir, "config.json", has_tensors(dir), out, &config, err);

    if (rc == GP_OK && config)
        rc = sum_folder(dir, out, &tensors, err);
    if (rc != GP_OK || tensors)
        return rc;
    rc = pick_gguf(dir, gguf, sizeof gguf, err);
    if (rc == GP_OK && gguf[0] != '\0')
        return reader_gguf(dir, gguf, out, err);
    if (rc != GP_OK && !config)
        return rc;
    return config ? GP_OK : no_model(dir, err);
}

/* The folder a file lies in, and its name there. */
static enum gp_status split_path(const char *path, char *dir, size_t size, const char **name,
                                 struct gp_err *err)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL) {
        gp_copy(dir, size, ".");
        *name = path;
        return GP_OK;
    }
    *name = slash + 1;
    if (!gp_format(dir, size, "%.*s", slash == path ? 1 : (int)(slash - path), path))
        return gp_fail(err, GP_E_FILE, path, "", "the path is too long");
    return GP_OK;
}

static enum gp_status read_beside(const char *path, struct model *out, struct gp_err *err)
{
    char dir[GP_PATH_MAX];
    const char *name;
    bool found;
    enum gp_status rc = split_path(path, dir, sizeof dir, &name, err);

    if (rc == GP_OK)
        rc = read_config(dir, "config.json", true, out, &found, err);
    if (rc == GP_OK && !found)
        rc = no_model(dir, err);
    if (rc != GP_OK)
        return rc;
    if (ends_with(name, ".json")) {
        rc = sum_index(dir, name, out, &found, err);
    } else {
        char copy[GP_PATH_MAX];
        char *names[1] = {copy};

        gp_copy(copy, sizeof copy, name);
        rc = sum_shards(dir, names, 1, out, err);
    }
    if (rc == GP_OK)
        name_after(dir, out);
    return rc;
}

/* Any other .json is taken for a configuration; the tensors stay unknown unless it is
 * the folder's own config.json. */
static enum gp_status read_json(const char *path, struct model *out, struct gp_err *err)
{
    char dir[GP_PATH_MAX];
    const char *name;
    bool found;
    enum gp_status rc = split_path(path, dir, sizeof dir, &name, err);

    if (rc != GP_OK)
        return rc;
    if (strcmp(name, "config.json") == 0) {
        rc = read_folder(dir, out, err);
        if (rc == GP_OK)
            name_after(dir, out);
        return rc;
    }
    rc = read_config(NULL, path, false, out, &found, err);
    if (rc == GP_OK)
        name_after(path, out);
    return rc;
}

static enum gp_status read_named(const char *path, struct model *out, struct gp_err *err)
{
    enum gp_status rc;

    if (ends_with(path, ".gguf")) {
        rc = reader_gguf(NULL, path, out, err);
        if (rc == GP_OK)
            name_after(path, out);
        return rc;
    }
    if (ends_with(path, ".safetensors") || ends_with(path, ".safetensors.index.json"))
        return read_beside(path, out, err);
    if (ends_with(path, ".json"))
        return read_json(path, out, err);
    return gp_fail(err, GP_E_FILE, path, "give a folder, config.json, *.safetensors or *.gguf",
                   "not a model file that gpuplan can read");
}

enum gp_status reader_model(const char *path, struct model *out, struct gp_err *err)
{
    struct stat info;
    enum gp_status rc;

    memset(out, 0, sizeof *out);
    if (stat(path, &info) != 0)
        return gp_fail(err, GP_E_FILE, path, "gpuplan --list models shows the catalogue",
                       "no such file or folder");
    if (!S_ISDIR(info.st_mode))
        return read_named(path, out, err);
    rc = read_folder(path, out, err);
    if (rc == GP_OK)
        name_after(path, out);
    return rc;
}
