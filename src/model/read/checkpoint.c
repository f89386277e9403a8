/*
 * checkpoint.c - from a path to a model: what is there, and which reader takes it.
 *
 *   folder                   config.json with the safetensors beside it (all shards of
 *                            the index, or model.safetensors), else one GGUF set
 *   config.json              the same for the folder it lies in
 *   *.safetensors            config.json beside it, this file's tensors
 *   *.safetensors.index.json config.json beside it, its shards
 *   *.gguf                   the file, or all parts of a split one
 *   params.json              Mistral's own form, where there is no config.json
 *
 * config.json tells the shape, the tensors the exact bytes. Safetensors without
 * config.json are refused: no tensor tells how wide a head is. Where config.json was named
 * and the files beside it are missing, or pointers of Git LFS, it is planned alone, with a
 * note.
 *
 * Example: a folder of Llama-3.1-8B in BF16: 32 layers of one kind from config.json and
 * 16,060,522,496 bytes from four shards.
 */
#include "model/read/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "model/read/gguf.h"
#include "model/read/hfconfig.h"
#include "model/read/jscan.h"
#include "model/read/tensors.h"

#define CONFIG_LIMIT (16u << 20)
#define INDEX_LIMIT (128u << 20)
#define INDEX_NAME "model.safetensors.index.json"
#define SINGLE_NAME "model.safetensors"
#define ADAPTER_NAME "adapter_config.json"
#define MISTRAL_NAME "params.json"
#define LFS_HEAD "version https://git-lfs"

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), tail = strlen(end);

    return len >= tail && gp_casecmp(text + len - tail, end) == 0;
}

bool checkpoint_is_path(const char *text)
{
    struct stat info;

    return text[0] != '\0' && (strchr(text, '/') != NULL || stat(text, &info) == 0);
}

/* ---- files of a folder that is not trusted ----
 *
 * A folder from the network may hold links to anything. A name is resolved first, and
 * what it resolves to must lie in the folder. One layout is let through on purpose:
 * the Hugging Face cache keeps snapshots/<revision>/<name> as links to ../../blobs/,
 * which belong to the same model. Only regular files are read, at positions, so that
 * a 5 GB file costs what its header costs.
 *
 * Example: /m/llama/model.safetensors -> /etc/shadow is refused;
 * models--x/snapshots/abc/model.safetensors -> models--x/blobs/123 is read.
 */

struct safe_file {
    int fd;
    uint64_t size;
    char path[GP_PATH_MAX];
};

static void safe_file_close(struct safe_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}

static bool lies_in(const char *path, const char *dir)
{
    size_t len = strlen(dir);

    return strncmp(path, dir, len) == 0 && (path[len] == '/' || len == 1);
}

/* In the folder, or, of ".../snapshots/<revision>", in ".../blobs" beside it. */
static bool is_inside(const char *dir, const char *path)
{
    static const char mark[] = "/snapshots";
    char folder[PATH_MAX], target[PATH_MAX], blobs[PATH_MAX];
    const size_t len = sizeof(mark) - 1;

    if (realpath(dir, folder) == NULL || realpath(path, target) == NULL)
        return false;
    if (lies_in(target, folder))
        return true;
    const char *revision = strrchr(folder, '/');
    return revision != NULL && (size_t)(revision - folder) >= len &&
           strncmp(revision - len, mark, len) == 0 &&
           gp_format(blobs, sizeof(blobs), "%.*s/blobs", (int)(revision - folder - (long)len),
                     folder) &&
           lies_in(target, blobs);
}

/* Opens `name` in `dir`, following links only as far as the folder (or the blobs of the same
 * Hugging Face cache entry); dir NULL: name is the user's own path. *found is false, and the
 * result GP_OK, when there is none. */
static enum gp_status safe_file_open(const char *dir, const char *name, struct safe_file *file,
                                     bool *found, struct gp_err *err)
{
    struct stat info;

    file->fd = -1;
    *found = false;
    if (dir == NULL ? !gp_copy(file->path, sizeof file->path, name)
                    : !path_join(file->path, sizeof file->path, dir, name))
        return gp_fail(err, GP_E_FILE, name, "", "the path is too long");
    if (lstat(file->path, &info) != 0 && errno == ENOENT)
        return GP_OK;
    if (dir != NULL && !is_inside(dir, file->path))
        return gp_fail(err, GP_E_FILE, file->path, "replace the link by the file",
                       "a link that is broken or leads out of the folder");
    file->fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file->fd < 0)
        return gp_fail(err, GP_E_FILE, file->path, "", "cannot be opened: %s", strerror(errno));
    if (fstat(file->fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        safe_file_close(file);
        return gp_fail(err, GP_E_FILE, file->path, "", "not a regular file");
    }
    file->size = (uint64_t)info.st_size;
    *found = true;
    return GP_OK;
}

static bool safe_file_read(const struct safe_file *file, uint64_t offset, void *dst, size_t len)
{
    char *to = dst;

    if (offset > file->size || len > file->size - offset)
        return false;
    while (len > 0) {
        ssize_t got = pread(file->fd, to, len, (off_t)offset);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        to += got;
        offset += (uint64_t)got;
        len -= (size_t)got;
    }
    return true;
}

/* A clone without its large files has texts of three lines in their place. */
static bool safe_file_is_pointer(const struct safe_file *file)
{
    char head[sizeof LFS_HEAD - 1];

    return file->size < 1024 && safe_file_read(file, 0, head, sizeof head) &&
           memcmp(head, LFS_HEAD, sizeof head) == 0;
}

static enum gp_status fail_pointer(const char *path, struct gp_err *err)
{
    return gp_fail(err, GP_E_FILE, path, "git lfs pull fetches it",
                   "a pointer of Git LFS, not the file itself");
}

/* ---- config.json ---- */

/* The text of dir/name, terminated, at most `limit` bytes, which the caller frees; *text stays
 * NULL when there is no such file. */
static enum gp_status read_optional(const char *dir, const char *name, size_t limit, char **text,
                                    size_t *len, char *where, size_t size, struct gp_err *err)
{
    struct safe_file file;
    bool found;
    enum gp_status rc = safe_file_open(dir, name, &file, &found, err);

    *text = NULL;
    *len = 0;
    if (rc != GP_OK || !found)
        return rc;
    gp_copy(where, size, file.path);
    *len = (size_t)file.size;
    if (file.size > limit) {
        rc = gp_fail(err, GP_E_FILE, file.path, "", "%llu bytes, more than %zu",
                     (unsigned long long)file.size, limit);
    } else {
        *text = gp_malloc(*len + 1);
        (*text)[*len] = '\0';
        rc = safe_file_is_pointer(&file) ? fail_pointer(file.path, err)
             : !safe_file_read(&file, 0, *text, *len)
                 ? gp_fail(err, GP_E_FILE, file.path, "", "cannot be read")
                 : GP_OK;
        if (rc != GP_OK) {
            free(*text);
            *text = NULL;
        }
    }
    safe_file_close(&file);
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
    /* of ModelOpt, AutoGPTQ, AutoAWQ */
    static const char *const sides[] = {"hf_quant_config.json", "quantize_config.json",
                                        "quant_config.json"};
    for (size_t i = 0; dir != NULL && i < 3 && rc == GP_OK && side == NULL; i++)
        rc = read_optional(dir, sides[i], CONFIG_LIMIT, &side, &side_len, side_where,
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
    struct safe_file file;
    uint8_t first[8];
    uint8_t *head;
    uint64_t length;
    bool found;
    enum gp_status rc = safe_file_open(dir, name, &file, &found, err);

    if (rc != GP_OK)
        return rc;
    if (!found)
        return gp_fail(err, GP_E_FILE, file.path, "download it, or the whole model again",
                       "is missing");
    if (safe_file_is_pointer(&file)) {
        safe_file_close(&file);
        return fail_pointer(file.path, err);
    }
    if (!safe_file_read(&file, 0, first, sizeof first)) {
        safe_file_close(&file);
        return gp_fail(err, GP_E_FILE, file.path, "download it again", "has only %llu bytes",
                       (unsigned long long)file.size);
    }
    rc = safetensors_length(file.path, first, file.size, &length, err);
    if (rc == GP_OK) {
        head = gp_malloc((size_t)length + 8);
        if (safe_file_read(&file, 0, head, (size_t)length + 8))
            rc = safetensors_header(file.path, head, (size_t)length + 8, file.size, tensor_list_add,
                                    list, err);
        else
            rc = gp_fail(err, GP_E_FILE, file.path, "", "cannot be read");
        free(head);
    }
    *bytes += (double)file.size;
    safe_file_close(&file);
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

/* ---- GGUF: a file, or all parts of a split one ----
 *
 * llama-gguf-split names the parts name-00001-of-00003.gguf and numbers them in
 * split.no; the first holds the metadata. Whichever part is named, all are read, and a
 * missing one is called by its name. Tensor facts are gathered over all parts before
 * the shape is built from the first part's metadata.
 *
 * Example: m-00002-of-00002.gguf given: m-00001-of-00002.gguf is read first.
 */

struct gather {
    struct gguf_facts *facts;
    struct tensor_list list;
    file_tensor_fn fn; /* the caller's, or NULL */
    void *ctx;
};

static bool gather_tensor(void *ctx, const struct file_tensor *tensor)
{
    struct gather *gather = ctx;

    if (!gguf_facts_add(gather->facts, tensor))
        return false;
    tensor_list_add(&gather->list, tensor);
    return gather->fn == NULL || gather->fn(gather->ctx, tensor);
}

static void gather_init(struct gather *gather, file_tensor_fn fn, void *ctx)
{
    gather->facts = gp_calloc(1, sizeof *gather->facts);
    gather->fn = fn;
    gather->ctx = ctx;
    tensor_list_init(&gather->list);
}

static void gather_fini(struct gather *gather)
{
    tensor_list_fini(&gather->list);
    free(gather->facts);
}

/* The set's first metadata and all its tensors to a model. */
static enum gp_status gather_finish(struct gather *gather, const struct gguf_meta *meta,
                                    double bytes, struct model *out, struct gp_err *err)
{
    enum gp_status rc = gguf_model(meta, gather->facts, out, err);

    if (rc == GP_OK)
        rc = tensor_sum(&gather->list, out, true, meta->where, err);
    if (rc == GP_OK)
        out->bytes.file_bytes = bytes;
    return rc;
}

/* One file of its own; a part of a split file only reports its number and tensors. */
enum gp_status gguf_parse(const char *where, const struct gguf_input *input, struct model *out,
                          int *split_no, int *split_count, file_tensor_fn fn, void *ctx,
                          struct gp_err *err)
{
    struct gguf_meta meta;
    struct gather gather;
    enum gp_status rc;

    memset(out, 0, sizeof *out);
    gguf_meta_init(&meta, where);
    gather_init(&gather, fn, ctx);
    rc = gguf_scan(&meta, input, gather_tensor, &gather, err);
    *split_no = meta.split_no;
    *split_count = meta.split_count;
    if (rc == GP_OK && meta.split_count <= 1)
        rc = gather_finish(&gather, &meta, (double)input->size, out, err);
    gather_fini(&gather);
    gguf_meta_fini(&meta);
    return rc;
}

static bool read_file(void *ctx, uint64_t offset, void *dst, size_t len)
{
    return safe_file_read(ctx, offset, dst, len);
}

/* "stem-00002-of-00003.gguf": the stem's length; 0 when the name is not of this form.
 */
static size_t split_stem(const char *name, int *count)
{
    static const char form[] = "-00000-of-00000.gguf";
    size_t len = strlen(name), tail = sizeof form - 1;

    if (len <= tail)
        return 0;
    for (size_t i = 0; i < tail; i++) {
        char c = name[len - tail + i];

        if (form[i] == '0' ? c < '0' || c > '9' : c != form[i])
            return 0;
    }
    *count = (int)strtol(name + len - 10, NULL, 10);
    return len - tail;
}

static enum gp_status open_part(const char *dir, const char *name, struct safe_file *file,
                                struct gp_err *err)
{
    bool found;
    enum gp_status rc = safe_file_open(dir, name, file, &found, err);

    if (rc == GP_OK && !found)
        return gp_fail(err, GP_E_FILE, file->path, "", "is missing");
    if (rc == GP_OK && safe_file_is_pointer(file)) {
        safe_file_close(file);
        return fail_pointer(file->path, err);
    }
    return rc;
}

static enum gp_status add_part(const char *dir, const char *name, int no, int count,
                               struct gguf_meta *first, struct gather *gather, double *bytes,
                               struct gp_err *err)
{
    struct safe_file file;
    struct gguf_input input = {.read = read_file, .ctx = &file};
    struct gguf_meta own, *meta = no == 0 ? first : &own;
    enum gp_status rc = open_part(dir, name, &file, err);

    if (rc != GP_OK)
        return rc;
    gguf_meta_init(&own, file.path);
    input.size = file.size;
    *bytes += (double)file.size;
    rc = gguf_scan(meta, &input, gather_tensor, gather, err);
    if (rc == GP_OK && (meta->split_no != no || meta->split_count != count))
        rc = gp_fail(err, GP_E_FILE, meta->where, "the parts belong to different sets",
                     "says it is part %d of %d, but its name says %d of %d", meta->split_no + 1,
                     meta->split_count, no + 1, count);
    gguf_meta_fini(&own);
    safe_file_close(&file);
    return rc;
}

static enum gp_status read_parts(const char *dir, const char *name, size_t stem, int count,
                                 struct model *out, struct gp_err *err)
{
    struct gguf_meta first;
    struct gather gather;
    char part[GP_PATH_MAX];
    double bytes = 0;
    enum gp_status rc = GP_OK;

    gguf_meta_init(&first, name);
    gather_init(&gather, NULL, NULL);
    for (int no = 0; no < count && rc == GP_OK; no++) {
        gp_format(part, sizeof part, "%.*s-%05d-of-%05d.gguf", (int)stem, name, no + 1, count);
        rc = add_part(dir, part, no, count, &first, &gather, &bytes, err);
    }
    if (rc == GP_OK)
        rc = gather_finish(&gather, &first, bytes, out, err);
    gather_fini(&gather);
    gguf_meta_fini(&first);
    return rc;
}

static enum gp_status read_single(const char *dir, const char *name, struct model *out,
                                  struct gp_err *err)
{
    struct safe_file file;
    struct gguf_input input = {.read = read_file, .ctx = &file};
    int no, count;
    enum gp_status rc = open_part(dir, name, &file, err);

    if (rc != GP_OK)
        return rc;
    input.size = file.size;
    rc = gguf_parse(file.path, &input, out, &no, &count, NULL, NULL, err);
    if (rc == GP_OK && count > 1)
        rc = gp_fail(err, GP_E_FILE, file.path,
                     "rename the parts to name-00001-of-00003.gguf and so on",
                     "is part %d of %d, but its name does not say so", no + 1, count);
    safe_file_close(&file);
    return rc;
}

static enum gp_status checkpoint_read_gguf(const char *dir, const char *name, struct model *out,
                                           struct gp_err *err)
{
    int count = 1;
    size_t stem = split_stem(name, &count);

    if (stem > 0 && count > 1)
        return read_parts(dir, name, stem, count, out, err);
    return read_single(dir, name, out, err);
}

/* ---- folders ---- */

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
        /* another part of the set that the first one begins */
        const char *mark = strstr(name, "-00001-of-"), *next = names[i];
        size_t stem = mark == NULL ? 0 : (size_t)(mark - name);
        bool same = mark != NULL && strncmp(name, next, stem) == 0 &&
                    strlen(name) == strlen(next) && strcmp(name + stem + 6, next + stem + 6) == 0;

        if (name[0] == '\0')
            gp_copy(name, size, next);
        else if (!same)
            rc = gp_fail(err, GP_E_FILE, dir, "name one of them",
                         "holds several GGUF models: %.80s, %.80s", name, next);
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

static bool has_tensors(const char *dir)
{
    char **names;
    size_t count;

    if (path_list(dir, ".safetensors", &names, &count, NULL) != GP_OK)
        return false;
    path_list_free(names, count);
    return count > 0;
}

/* An adapter has the shape of a change, not of a model. */
static enum gp_status fail_adapter(const char *path, struct gp_err *err)
{
    char where[GP_PATH_MAX], base[96] = "its base", kind[24] = "LORA", hint[200], told[64];
    const char *dir = path_is_dir(path) ? path : NULL, *name = dir ? ADAPTER_NAME : path;
    json_error_t error;
    char *text;
    size_t len;
    long long rank = 0;

    if (read_optional(dir, name, CONFIG_LIMIT, &text, &len, where, sizeof where, NULL) == GP_OK &&
        text != NULL) {
        json_t *root = json_loadb(text, len, 0, &error);
        const char *of = json_string_value(json_object_get(root, "base_model_name_or_path"));
        const json_t *mlx = json_object_get(root, "lora_parameters");

        if (of == NULL && mlx != NULL)
            of = json_string_value(json_object_get(root, "model"));
        if (of != NULL && of[0] != '\0')
            safe_text(base, sizeof base, of, strlen(of));
        rank = json_integer_value(mlx != NULL ? json_object_get(mlx, "rank")
                                              : json_object_get(root, "r"));
        of = json_string_value(json_object_get(root, "peft_type"));
        if (of != NULL && of[0] != '\0')
            safe_text(kind, sizeof kind, of, strlen(of));
        json_decref(root);
    }
    free(text);
    bool lora =
        strstr(kind, "LORA") != NULL; /* of others no engine that is known here serves any */
    gp_format(hint, sizeof hint, "plan its base: -m %s", base);
    if (lora)
        gp_format(hint, sizeof hint, "plan its base: -m %s --lora 1:%lld", base,
                  rank > 0 ? rank : 16);
    gp_format(told, sizeof told, "an adapter%s%s, not a model", lora ? "" : " of the kind ",
              lora ? "" : kind);
    return gp_fail(err, GP_E_FILE, path, hint, "%s", told);
}

static enum gp_status no_model(const char *dir, struct gp_err *err)
{
    char path[GP_PATH_MAX];

    if (path_join(path, sizeof path, dir, ADAPTER_NAME) && path_is_file(path))
        return fail_adapter(dir, err);
    if (has_tensors(dir))
        return gp_fail(err, GP_E_FILE, dir,
                       "put the model's config.json beside the .safetensors files",
                       "config.json is missing: the head width cannot be read from "
                       "tensors alone");
    return gp_fail(err, GP_E_FILE, dir, "a model folder holds one of the two",
                   "holds neither config.json nor a .gguf file");
}

/* config.json, or params.json where there is none. */
static enum gp_status read_shape(const char *dir, bool headers, struct model *out, bool *found,
                                 struct gp_err *err)
{
    enum gp_status rc = read_config(dir, "config.json", headers, out, found, err);

    return rc != GP_OK || *found ? rc : read_config(dir, MISTRAL_NAME, headers, out, found, err);
}

static bool err_is_pointer(const struct gp_err *err)
{
    return err != NULL && strstr(err->text, "Git LFS") != NULL;
}

/* The shape without the files beside it, of which `err` says why they do not count. */
static enum gp_status read_alone(const char *dir, struct model *out, struct gp_err *err)
{
    struct gp_err why = *err;
    const char *slash = strrchr(why.where, '/');
    bool found;
    enum gp_status rc = read_shape(dir, false, out, &found, err);

    if (rc == GP_OK)
        checkpoint_note(out, "%.60s: %.160s; counted by config.json alone",
                        slash ? slash + 1 : why.where, why.text);
    return rc;
}

/* named: config.json itself was given. */
static enum gp_status read_folder(const char *dir, bool named, struct model *out,
                                  struct gp_err *err)
{
    char gguf[GP_PATH_MAX];
    bool config, tensors = false;
    enum gp_status rc = read_shape(dir, has_tensors(dir), out, &config, err);

    if (rc == GP_OK && config)
        rc = sum_folder(dir, out, &tensors, err);
    if (rc != GP_OK && config && (named || err_is_pointer(err)))
        return read_alone(dir, out, err);
    if (rc != GP_OK || tensors)
        return rc;
    rc = pick_gguf(dir, gguf, sizeof gguf, err);
    if (rc == GP_OK && gguf[0] != '\0')
        return checkpoint_read_gguf(dir, gguf, out, err);
    if (rc != GP_OK && !config)
        return rc;
    return config ? GP_OK : no_model(dir, err);
}

/* A file beside its config.json: an index of shards, or tensors. */
static enum gp_status read_beside(const char *dir, const char *name, struct model *out,
                                  struct gp_err *err)
{
    char copy[GP_PATH_MAX];
    char *names[1] = {copy};
    bool found;
    enum gp_status rc = read_config(dir, "config.json", true, out, &found, err);

    if (rc == GP_OK && !found)
        rc = no_model(dir, err);
    if (rc != GP_OK)
        return rc;
    if (ends_with(name, ".json"))
        return sum_index(dir, name, out, &found, err);
    gp_copy(copy, sizeof copy, name);
    return sum_shards(dir, names, 1, out, err);
}

/* By its first bytes: Ollama keeps GGUF files as blobs/sha256-... */
static bool is_gguf(const char *path)
{
    char magic[4] = "";
    FILE *file = fopen(path, "re");
    bool is = file && fread(magic, sizeof magic, 1, file) == 1 && memcmp(magic, "GGUF", 4) == 0;

    if (file)
        fclose(file);
    return is;
}

/* Any other .json is taken for a configuration; the tensors stay unknown unless it is
 * the folder's own config.json. */
enum gp_status checkpoint_read(const char *path, struct model *out, struct gp_err *err)
{
    struct stat info;
    char dir[GP_PATH_MAX] = ".";
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *called = path;
    bool found,
        tensors = ends_with(path, ".safetensors") || ends_with(path, ".safetensors.index.json");
    enum gp_status rc;

    memset(out, 0, sizeof *out);
    if (stat(path, &info) != 0)
        return gp_fail(err, GP_E_FILE, path, "gpuplan --list models shows the catalogue",
                       "no such file or folder");
    if (slash && !gp_format(dir, sizeof dir, "%.*s", slash == path ? 1 : (int)(slash - path), path))
        return gp_fail(err, GP_E_FILE, path, "", "the path is too long");
    if (S_ISDIR(info.st_mode)) {
        rc = read_folder(path, false, out, err);
    } else if (strcmp(name, ADAPTER_NAME) == 0) {
        rc = fail_adapter(path, err);
    } else if (ends_with(path, ".gguf") || (S_ISREG(info.st_mode) && is_gguf(path))) {
        rc = checkpoint_read_gguf(NULL, path, out, err);
    } else if (tensors || strcmp(name, "config.json") == 0) {
        called = dir;
        rc = tensors ? read_beside(dir, name, out, err) : read_folder(dir, true, out, err);
    } else if (ends_with(path, ".json")) {
        rc = read_config(NULL, path, false, out, &found, err);
    } else {
        rc = gp_fail(err, GP_E_FILE, path, "give a folder, config.json, *.safetensors or *.gguf",
                     "not a model file that gpuplan can read");
    }
    if (rc == GP_OK)
        name_after(called, out);
    return rc;
}
