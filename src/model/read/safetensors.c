/*
 * safetensors.c - the header of a safetensors file, checked as its format demands.
 *
 *   bytes 0..7    N, little endian
 *   bytes 8..8+N  JSON {"name": {"dtype", "shape", "data_offsets": [begin, end]}, ...},
 *                 may be padded with spaces; "__metadata__" maps strings to strings
 *   the rest      the data; offsets count from byte 8+N
 *
 * A tensor takes product(shape) * bits / 8 bytes and must be given exactly those;
 * sorted by offset, the tensors follow each other from 0 to the end of the file with
 * no hole and no overlap. Example: {"w": {"dtype": "BF16", "shape": [2, 3],
 * "data_offsets": [0, 12]}} needs a file of 8 + N + 12 bytes.
 *
 * The text is cut member by member (jscan.h), so that a header of 100 MB takes two
 * or three times its size while it is checked, and nothing afterwards.
 */
#include "model/read/checkpoint.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "model/read/jscan.h"

#define HEADER_MAX 100000000u
#define TENSORS_MAX 1000000u
#define NAME_MAX_LEN 1024u
#define VALUE_MAX_LEN 4096u
#define VALUE_DEPTH 3

struct dtype {
    const char *name;
    unsigned bits;
};

static const struct dtype dtypes[] = {
    {"BOOL", 8},        {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6}, {"U8", 8},
    {"I8", 8},          {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8},
    {"F8_E5M2FNUZ", 8}, {"I16", 16},    {"U16", 16},    {"F16", 16},    {"BF16", 16},
    {"I32", 32},        {"U32", 32},    {"F32", 32},    {"C64", 64},    {"F64", 64},
    {"I64", 64},        {"U64", 64},
};

/* What the checks after the walk need of one tensor. */
struct entry {
    uint64_t begin, end;
    size_t name;         /* offset in header.names */
    struct jslice value; /* parsed again when the tensor is handed out */
};

struct header {
    const char *where;
    struct gp_err *err;
    struct strbuf names; /* decoded, each with its terminator */
    struct entry *entries;
    size_t count, cap;
};

static enum gp_status bad_tensor(const struct header *head, const char *name, const char *what)
{
    char shown[96];

    return gp_fail(head->err, GP_E_FILE, head->where, "download the file again, or leave it out",
                   "tensor %s: %s", safe_text(shown, sizeof shown, name, strlen(name)), what);
}

enum gp_status safetensors_length(const char *where, const uint8_t first[8], uint64_t file_size,
                                  uint64_t *length, struct gp_err *err)
{
    uint64_t n = 0;

    for (int i = 7; i >= 0; i--)
        n = n << 8 | first[i];
    *length = n;
    if (n < 2)
        return gp_fail(err, GP_E_FILE, where, "not a safetensors file",
                       "the header is %llu bytes long: too short for a JSON object",
                       (unsigned long long)n);
    if (n > HEADER_MAX)
        return gp_fail(err, GP_E_FILE, where, "not a safetensors file",
                       "the header is %llu bytes long; the format allows 100,000,000",
                       (unsigned long long)n);
    if (file_size < 8 || n > file_size - 8)
        return gp_fail(err, GP_E_FILE, where, "the file is cut off: download it again",
                       "the header is %llu bytes long, but the whole file has %llu",
                       (unsigned long long)n, (unsigned long long)file_size);
    return GP_OK;
}

/* An integer >= 0 that fits a signed 64-bit one. */
static bool get_u64(const json_t *value, uint64_t *out)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0)
        return false;
    *out = (uint64_t)json_integer_value(value);
    return true;
}

/* product(shape) * bits / 8, refusing overflow and loose bits. */
static const char *tensor_bytes(const json_t *shape, const struct dtype *dtype,
                                struct file_tensor *tensor, uint64_t *bytes)
{
    uint64_t elements = 1, dim, bits;

    if (!json_is_array(shape) || json_array_size(shape) > 8)
        return "shape is not a list of at most 8 sizes";
    tensor->rank = (int)json_array_size(shape);
    for (int i = 0; i < tensor->rank; i++) {
        if (!get_u64(json_array_get(shape, (size_t)i), &dim))
            return "shape holds something other than sizes";
        if (__builtin_mul_overflow(elements, dim, &elements))
            return "shape has more elements than 64 bits can count";
        tensor->dims[i] = (double)dim;
    }
    if (__builtin_mul_overflow(elements, (uint64_t)dtype->bits, &bits))
        return "shape has more bits than 64 bits can count";
    if (bits % 8 != 0)
        return "its bits do not fill whole bytes";
    *bytes = bits / 8;
    return NULL;
}

/* The fields of one tensor; returns what is wrong, or NULL. */
static const char *read_fields(const json_t *object, struct file_tensor *tensor,
                               struct entry *entry)
{
    const json_t *offsets = json_object_get(object, "data_offsets");
    const char *type = json_string_value(json_object_get(object, "dtype"));
    const struct dtype *dtype = NULL;
    uint64_t bytes = 0;
    const char *wrong;

    for (size_t i = 0; type != NULL && i < sizeof dtypes / sizeof dtypes[0]; i++)
        if (strcmp(dtypes[i].name, type) == 0)
            dtype = &dtypes[i];

    if (!json_is_object(object) || json_object_size(object) != 3)
        return "its entry must hold exactly dtype, shape and data_offsets";
    if (dtype == NULL)
        return type == NULL ? "no dtype" : "an unknown dtype";
    if (!json_is_array(offsets) || json_array_size(offsets) != 2 ||
        !get_u64(json_array_get(offsets, 0), &entry->begin) ||
        !get_u64(json_array_get(offsets, 1), &entry->end))
        return "data_offsets is not a pair of offsets";
    if (entry->end < entry->begin)
        return "data_offsets end before they begin";
    wrong = tensor_bytes(json_object_get(object, "shape"), dtype, tensor, &bytes);
    if (wrong != NULL)
        return wrong;
    if (entry->end - entry->begin != bytes)
        return "data_offsets do not match dtype and shape";
    tensor->bytes = (double)bytes;
    gp_copy(tensor->type, sizeof tensor->type, dtype->name);
    return NULL;
}

static enum gp_status parse_tensor(const struct header *head, const char *name,
                                   struct file_tensor *tensor, struct entry *entry)
{
    json_t *object;
    const char *wrong;

    memset(tensor, 0, sizeof *tensor);
    tensor->name = name;
    if (entry->value.len > VALUE_MAX_LEN)
        return bad_tensor(head, name, "its entry is longer than 4096 bytes");
    object = jslice_parse(head->where, entry->value, head->err);
    if (object == NULL)
        return GP_E_FILE;
    wrong = read_fields(object, tensor, entry);
    json_decref(object);
    return wrong == NULL ? GP_OK : bad_tensor(head, name, wrong);
}

/* One JSON string and nothing else: jscan cuts "a" "b" out as one value. */
static bool is_string(struct jslice value)
{
    if (value.len < 2 || value.text[0] != '"' || value.text[value.len - 1] != '"')
        return false;
    for (size_t i = 1; i + 1 < value.len; i++) {
        unsigned char c = (unsigned char)value.text[i];

        if (c == '"' || c < 0x20)
            return false;
        if (c == '\\' && ++i + 1 >= value.len)
            return false;
    }
    return true;
}

static enum gp_status add_member(struct header *head, struct jslice key, struct jslice value)
{
    char name[NAME_MAX_LEN];
    struct file_tensor tensor;
    struct entry *entry;
    struct jscan scan;
    bool more = true;

    if (!jslice_string(key, name, sizeof name)) {
        safe_text(name, 64, key.text, key.len);
        return bad_tensor(head, name, "its name is not a string of less than 1024 bytes");
    }
    if (head->count >= TENSORS_MAX)
        return gp_fail(head->err, GP_E_FILE, head->where, "this is not a model",
                       "more than %u tensors", TENSORS_MAX);
    head->entries = gp_grow(head->entries, &head->cap, head->count + 1, sizeof *entry);
    entry = &head->entries[head->count++];
    entry->name = head->names.len;
    entry->value = value;
    strbuf_addn(&head->names, name, strlen(name) + 1);
    if (strcmp(name, "__metadata__") != 0)
        return parse_tensor(head, name, &tensor, entry);
    entry->begin = entry->end = 0; /* it holds strings to strings */
    enum gp_status rc = jscan_open(&scan, head->where, value, VALUE_DEPTH, head->err);
    while (rc == GP_OK && more) {
        struct jslice at, text;

        rc = jscan_next(&scan, &at, &text, &more);
        if (rc == GP_OK && more && !is_string(text))
            rc = gp_fail(head->err, GP_E_FILE, head->where, "the file is damaged",
                         "__metadata__ holds a value that is not a string");
    }
    return rc;
}

static int by_name(const void *a, const void *b, void *names)
{
    const char *text = names;

    return strcmp(text + ((const struct entry *)a)->name, text + ((const struct entry *)b)->name);
}

static int by_offset(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

/* No name twice; drops the metadata entry. */
static enum gp_status check_names(struct header *head)
{
    size_t kept = 0;

    if (head->count > 1)
        qsort_r(head->entries, head->count, sizeof *head->entries, by_name, head->names.text);
    for (size_t i = 1; i < head->count; i++)
        if (by_name(&head->entries[i - 1], &head->entries[i], head->names.text) == 0)
            return bad_tensor(head, head->names.text + head->entries[i].name, "listed twice");
    for (size_t i = 0; i < head->count; i++)
        if (strcmp(head->names.text + head->entries[i].name, "__metadata__") != 0)
            head->entries[kept++] = head->entries[i];
    head->count = kept;
    return GP_OK;
}

/* No hole, no overlap, and the last byte of data is the last of the file. */
static enum gp_status check_offsets(struct header *head, uint64_t data_size)
{
    uint64_t next = 0;

    if (head->count > 1)
        qsort(head->entries, head->count, sizeof *head->entries, by_offset);
    for (size_t i = 0; i < head->count; i++) {
        const struct entry *entry = &head->entries[i];

        if (entry->begin != next)
            return bad_tensor(head, head->names.text + entry->name,
                              entry->begin < next ? "overlaps the tensor before it"
                                                  : "leaves a hole before it");
        next = entry->end;
    }
    if (next != data_size)
        return gp_fail(head->err, GP_E_FILE, head->where,
                       "the file is cut off or damaged: download it again",
                       "the tensors take %llu bytes, but the file holds %llu",
                       (unsigned long long)next, (unsigned long long)data_size);
    return GP_OK;
}

enum gp_status safetensors_header(const char *where, const uint8_t *head, size_t len,
                                  uint64_t file_size, file_tensor_fn fn, void *ctx,
                                  struct gp_err *err)
{
    struct header state = {.where = where, .err = err};
    struct jslice object, key, value;
    struct jscan scan;
    bool more = true;
    uint64_t n;
    enum gp_status rc;

    if (len < 8)
        return gp_fail(err, GP_E_FILE, where, "the file is cut off: download it again",
                       "only %zu bytes, no header", len);
    rc = safetensors_length(where, head, file_size, &n, err);
    if (rc != GP_OK)
        return rc;
    if (len - 8 < n)
        return gp_fail(err, GP_E_FILE, where, "the file is cut off: download it again",
                       "the header ends after %zu of %llu bytes", len - 8, (unsigned long long)n);
    if (head[8] != '{')
        return gp_fail(err, GP_E_FILE, where, "not a safetensors file",
                       "the header does not begin with '{'");
    object.text = (const char *)head + 8;
    object.len = (size_t)n;
    strbuf_init(&state.names);
    rc = jscan_open(&scan, where, object, VALUE_DEPTH, err);
    while (rc == GP_OK && more) {
        rc = jscan_next(&scan, &key, &value, &more);
        if (rc == GP_OK && more)
            rc = add_member(&state, key, value);
    }
    if (rc == GP_OK)
        rc = check_names(&state);
    if (rc == GP_OK)
        rc = check_offsets(&state, file_size - 8 - n);
    for (size_t i = 0; rc == GP_OK && fn != NULL && i < state.count; i++) {
        struct file_tensor tensor;
        const char *name = state.names.text + state.entries[i].name;

        rc = parse_tensor(&state, name, &tensor, &state.entries[i]);
        if (rc == GP_OK && !fn(ctx, &tensor))
            rc = bad_tensor(&state, name, "does not belong to this model");
    }
    strbuf_fini(&state.names);
    free(state.entries);
    return rc;
}

/* ---- model.safetensors.index.json ---- */

#define INDEX_NAMES_MAX 4000000u
#define SHARDS_MAX 10000u

/* The names of one column of weight_map, as slices of the text. */
struct slices {
    struct jslice *items;
    size_t count, cap;
};

static void slices_add(struct slices *list, struct jslice item)
{
    list->items = gp_grow(list->items, &list->cap, list->count + 1, sizeof item);
    list->items[list->count++] = item;
}

static int compare_slices(const void *a, const void *b)
{
    const struct jslice *x = a, *y = b;
    size_t n = x->len < y->len ? x->len : y->len;
    int order = memcmp(x->text, y->text, n);

    if (order != 0)
        return order;
    return x->len < y->len ? -1 : x->len > y->len;
}

/* A shard lies in the folder of its index: a plain name, nothing that leads away. */
static const char *shard_wrong(const char *name)
{
    size_t len = strlen(name), end = strlen(".safetensors");

    if (strchr(name, '/') != NULL || strchr(name, '\\') != NULL)
        return "leads out of the folder";
    if (name[0] == '.')
        return "is a hidden file or a parent folder";
    if (len <= end || strcmp(name + len - end, ".safetensors") != 0)
        return "is not a .safetensors file";
    return NULL;
}

static enum gp_status read_weight_map(const char *where, struct jslice object,
                                      struct slices *tensors, struct slices *files,
                                      struct gp_err *err)
{
    struct jscan scan;
    struct jslice key, value;
    bool more = true;
    enum gp_status rc = jscan_open(&scan, where, object, 1, err);

    while (rc == GP_OK) {
        rc = jscan_next(&scan, &key, &value, &more);
        if (rc != GP_OK || !more)
            break;
        if (!is_string(key) || !is_string(value))
            return gp_fail(err, GP_E_FILE, where, "the file is damaged",
                           "weight_map: a tensor or shard name is not a string");
        if (tensors->count >= INDEX_NAMES_MAX)
            return gp_fail(err, GP_E_FILE, where, "this is not a model",
                           "weight_map: more than %u tensors", INDEX_NAMES_MAX);
        slices_add(tensors, key);
        if (files->count == 0 || compare_slices(&files->items[files->count - 1], &value) != 0)
            slices_add(files, value);
    }
    return rc;
}

static enum gp_status check_tensor_names(const char *where, struct slices *tensors,
                                         struct gp_err *err)
{
    char shown[96];

    if (tensors->count > 1)
        qsort(tensors->items, tensors->count, sizeof *tensors->items, compare_slices);
    for (size_t i = 1; i < tensors->count; i++)
        if (compare_slices(&tensors->items[i - 1], &tensors->items[i]) == 0)
            return gp_fail(
                err, GP_E_FILE, where, "download the file again", "weight_map: %s is listed twice",
                safe_text(shown, sizeof shown, tensors->items[i].text, tensors->items[i].len));
    return GP_OK;
}

/* Sorted, each once, checked, copied. */
static enum gp_status take_shards(const char *where, struct slices *files, char ***shards,
                                  size_t *count, struct gp_err *err)
{
    char name[256], shown[96];
    char **out = NULL;
    size_t cap = 0, n = 0;
    enum gp_status rc = GP_OK;

    if (files->count > 1)
        qsort(files->items, files->count, sizeof *files->items, compare_slices);
    for (size_t i = 0; i < files->count && rc == GP_OK; i++) {
        const struct jslice *item = &files->items[i];
        const char *wrong = NULL;

        if (i > 0 && compare_slices(item - 1, item) == 0)
            continue;
        if (!jslice_string(*item, name, sizeof name))
            wrong = "is not a file name";
        else
            wrong = shard_wrong(name);
        safe_text(shown, sizeof shown, item->text, item->len);
        if (wrong != NULL) {
            rc = gp_fail(err, GP_E_FILE, where, "every shard must lie beside its index",
                         "weight_map: %s %s", shown, wrong);
        } else if (n >= SHARDS_MAX) {
            rc = gp_fail(err, GP_E_FILE, where, "this is not a model",
                         "weight_map: more than %u files", SHARDS_MAX);
        } else {
            out = gp_grow(out, &cap, n + 1, sizeof *out);
            out[n++] = gp_strdup(name);
        }
    }
    *shards = out;
    *count = n;
    return rc;
}

static enum gp_status read_total_size(const char *where, struct jslice object, double *total,
                                      struct gp_err *err)
{
    json_t *metadata, *size;
    enum gp_status rc = GP_OK;

    if (object.len > 65536)
        return gp_fail(err, GP_E_FILE, where, "this is not an index file",
                       "metadata is longer than 64 KiB");
    metadata = jslice_parse(where, object, err);
    if (metadata == NULL)
        return GP_E_FILE;
    size = json_object_get(metadata, "total_size");
    if (json_is_number(size) && json_number_value(size) >= 0)
        *total = json_number_value(size);
    else if (!json_is_object(metadata) || (size != NULL && !json_is_null(size)))
        rc = gp_fail(err, GP_E_FILE, where, "download the file again",
                     "metadata: total_size must be a number of bytes");
    json_decref(metadata);
    return rc;
}

/* Finds the two members that matter. */
static enum gp_status walk_index(const char *where, struct jslice text, struct slices *tensors,
                                 struct slices *files, double *total, struct gp_err *err)
{
    struct jscan scan;
    struct jslice key, value;
    bool more = true, seen[2] = {false, false};
    char name[32];
    int member;
    enum gp_status rc = jscan_open(&scan, where, text, 8, err);

    while (rc == GP_OK) {
        rc = jscan_next(&scan, &key, &value, &more);
        if (rc != GP_OK || !more)
            break;
        if (!jslice_string(key, name, sizeof name))
            continue;
        member = strcmp(name, "metadata") == 0 ? 0 : strcmp(name, "weight_map") == 0 ? 1 : 2;
        if (member == 2)
            continue;
        if (seen[member])
            return gp_fail(err, GP_E_FILE, where, "download the file again", "%s is listed twice",
                           name);
        seen[member] = true;
        rc = member == 0 ? read_total_size(where, value, total, err)
                         : read_weight_map(where, value, tensors, files, err);
    }
    if (rc == GP_OK && files->count == 0)
        rc = gp_fail(err, GP_E_FILE, where, "not a safetensors index",
                     "weight_map is missing or empty");
    return rc;
}

enum gp_status safetensors_index(const char *where, const char *text, size_t len, char ***shards,
                                 size_t *count, double *total_size, struct gp_err *err)
{
    struct jslice whole = {text, len};
    struct slices tensors = {0}, files = {0};
    double total = 0;
    enum gp_status rc;

    *shards = NULL;
    *count = 0;
    rc = walk_index(where, whole, &tensors, &files, &total, err);
    if (rc == GP_OK)
        rc = check_tensor_names(where, &tensors, err);
    if (rc == GP_OK)
        rc = take_shards(where, &files, shards, count, err);
    if (rc != GP_OK) {
        path_list_free(*shards, *count);
        *shards = NULL;
        *count = 0;
    }
    if (total_size != NULL)
        *total_size = total;
    free(tensors.items);
    free(files.items);
    return rc;
}
