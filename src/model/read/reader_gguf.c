/*
 * reader_gguf.c - a GGUF file, or all parts of a split one, to a model with its bytes.
 *
 * llama-gguf-split names the parts name-00001-of-00003.gguf and numbers them in
 * split.no; the first holds the metadata. Whichever part is named, all are read, and a
 * missing one is called by its name. Tensor facts are gathered over all parts before
 * the shape is built from the first part's metadata.
 *
 * Example: m-00002-of-00002.gguf given: m-00001-of-00002.gguf is read first.
 */
#include "model/read/gguf.h"
#include "model/read/reader_file.h"
#include "model/read/tensors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

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

static enum gp_status finish_set(const struct gguf_meta *meta, struct gather *gather,
                                 struct model *out, struct gp_err *err)
{
    enum gp_status rc = gguf_model(meta, gather->facts, out, err);

    if (rc == GP_OK)
        rc = tensor_sum(&gather->list, out, true, meta->where, err);
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
        rc = finish_set(&meta, &gather, out, err);
    if (rc == GP_OK && meta.split_count <= 1)
        out->bytes.file_bytes = (double)input->size;
    gather_fini(&gather);
    gguf_meta_fini(&meta);
    return rc;
}

/* ---- files ---- */

static bool read_file(void *ctx, uint64_t offset, void *dst, size_t len)
{
    return reader_read(ctx, offset, dst, len);
}

static enum gp_status scan_file(struct reader_file *file, struct gguf_meta *meta,
                                struct gather *gather, double *bytes, struct gp_err *err)
{
    struct gguf_input input = {.read = read_file, .ctx = file, .size = file->size};

    *bytes += (double)file->size;
    return gguf_scan(meta, &input, gather_tensor, gather, err);
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

static enum gp_status open_part(const char *dir, const char *name, struct reader_file *file,
                                struct gp_err *err)
{
    bool found;
    enum gp_status rc = reader_file_open(dir, name, file, &found, err);

    if (rc == GP_OK && !found)
        rc = gp_fail(err, GP_E_FILE, file->path, "", "is missing");
    return rc;
}

static enum gp_status check_part(const struct gguf_meta *meta, int no, int count,
                                 struct gp_err *err)
{
    if (meta->split_no != no || meta->split_count != count)
        return gp_fail(err, GP_E_FILE, meta->where, "the parts belong to different sets",
                       "says it is part %d of %d, but its name says %d of %d", meta->split_no + 1,
                       meta->split_count, no + 1, count);
    return GP_OK;
}

static enum gp_status add_part(const char *dir, const char *name, int no, int count,
                               struct gguf_meta *first, struct gather *gather, double *bytes,
                               struct gp_err *err)
{
    struct reader_file file;
    struct gguf_meta own;
    enum gp_status rc = open_part(dir, name, &file, err);

    if (rc != GP_OK)
        return rc;
    gguf_meta_init(&own, file.path);
    rc = scan_file(&file, no == 0 ? first : &own, gather, bytes, err);
    if (rc == GP_OK)
        rc = check_part(no == 0 ? first : &own, no, count, err);
    gguf_meta_fini(&own);
    reader_close(&file);
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
        rc = finish_set(&first, &gather, out, err);
    if (rc == GP_OK)
        out->bytes.file_bytes = bytes;
    gather_fini(&gather);
    gguf_meta_fini(&first);
    return rc;
}

static enum gp_status read_single(const char *dir, const char *name, struct model *out,
                                  struct gp_err *err)
{
    struct reader_file file;
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
    reader_close(&file);
    return rc;
}

enum gp_status reader_gguf(const char *dir, const char *name, struct model *out, struct gp_err *err)
{
    int count = 1;
    size_t stem = split_stem(name, &count);

    if (stem > 0 && count > 1)
        return read_parts(dir, name, stem, count, out, err);
    return read_single(dir, name, out, err);
}
