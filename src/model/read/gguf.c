/*
 * gguf.c - a GGUF v2 or v3 file: metadata and tensor list, checked byte by byte.
 *
 *   "GGUF", u32 version, i64 tensors, i64 pairs
 *   pairs:    string key, u32 type, value (a string is u64 length + bytes; an array is
 *             u32 item type, u64 items)
 *   tensors:  string name, u32 rank, u64 dims[], u32 type, u64 offset
 *   data:     at the next multiple of general.alignment (32); each tensor's offset is
 *             the padded sum of the sizes before it
 *
 * A tensor of type Q4_K stores 256 elements in 144 bytes: 4096 x 4096 takes 9,437,184.
 * Every length is held against the bytes left before it is believed; arrays of the
 * tokenizer are stepped over; nothing is allocated by a count that the file claims,
 * only by what has been read of it. Names are compared by sorting, since a file can
 * be built to make anything quadratic slow.
 */
#include "model/read/gguf.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/read/jscan.h"

#define WINDOW 65536u
#define KEY_MAX 65535u
#define NAME_LIMIT 64u         /* ggml keeps names in 64 bytes */
#define STRING_KEPT 256u       /* longer strings are stepped over */
#define ARRAY_KEPT 1024u       /* per-layer lists; longer arrays are stepped over */
#define ITEMS_MAX (1u << 30)   /* ggml's own cap */
#define STRINGS_MAX (1u << 24) /* no tokenizer has as many words */
#define PAIRS_MAX 1000000u
#define TENSORS_MAX 1000000u
#define PAIR_BYTES 13u   /* the least a pair takes */
#define TENSOR_BYTES 24u /* the least a tensor's record takes */
#define ALIGN_DEFAULT 32u
#define ALIGN_MAX (1u << 20)

enum gguf_type {
    GGUF_U8,
    GGUF_I8,
    GGUF_U16,
    GGUF_I16,
    GGUF_U32,
    GGUF_I32,
    GGUF_F32,
    GGUF_BOOL,
    GGUF_STRING,
    GGUF_ARRAY,
    GGUF_U64,
    GGUF_I64,
    GGUF_F64,
    GGUF_TYPES
};

static const unsigned value_bytes[GGUF_TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

struct ggml_type {
    const char *name; /* NULL: no such type any more */
    unsigned block, bytes;
};

/* Indexed by the type id in the file. */
static const struct ggml_type ggml_types[] = {
    {"F32", 1, 4},        {"F16", 1, 2},       {"Q4_0", 32, 18},     {"Q4_1", 32, 20},
    {NULL, 0, 0},         {NULL, 0, 0},        {"Q5_0", 32, 22},     {"Q5_1", 32, 24},
    {"Q8_0", 32, 34},     {"Q8_1", 32, 36},    {"Q2_K", 256, 84},    {"Q3_K", 256, 110},
    {"Q4_K", 256, 144},   {"Q5_K", 256, 176},  {"Q6_K", 256, 210},   {"Q8_K", 256, 292},
    {"IQ2_XXS", 256, 66}, {"IQ2_XS", 256, 74}, {"IQ3_XXS", 256, 98}, {"IQ1_S", 256, 50},
    {"IQ4_NL", 32, 18},   {"IQ3_S", 256, 110}, {"IQ2_S", 256, 82},   {"IQ4_XS", 256, 136},
    {"I8", 1, 1},         {"I16", 1, 2},       {"I32", 1, 4},        {"I64", 1, 8},
    {"F64", 1, 8},        {"IQ1_M", 256, 56},  {"BF16", 1, 2},       {NULL, 0, 0},
    {NULL, 0, 0},         {NULL, 0, 0},        {"TQ1_0", 256, 54},   {"TQ2_0", 256, 66},
    {NULL, 0, 0},         {NULL, 0, 0},        {NULL, 0, 0},         {"MXFP4", 32, 17},
    {"NVFP4", 64, 36},    {"Q1_0", 128, 18},   {"Q2_0", 64, 18},
};

/* A position in the file behind a window of bytes. */
struct cursor {
    const struct gguf_input *input;
    const char *where;
    struct gp_err *err;
    uint64_t pos;
    uint64_t base; /* position of window[0] */
    size_t filled;
    uint8_t *window;
};

struct record { /* one tensor's line */
    size_t name;
    int rank;
    uint32_t type;
    uint64_t dims[4];
    uint64_t offset, bytes;
};

struct scan {
    struct gguf_meta *meta;
    struct cursor at;
    struct strbuf names;
    struct record *records;
    size_t count, cap;
    uint64_t alignment;
};

static enum gp_status cut_off(struct cursor *at, const char *what)
{
    return gp_fail(at->err, GP_E_FILE, at->where,
                   "the file is cut off or damaged: download it again", "%s at byte %llu of %llu",
                   what, (unsigned long long)at->pos, (unsigned long long)at->input->size);
}

static uint64_t bytes_left(const struct cursor *at)
{
    return at->input->size - at->pos;
}

/* Copies the next n <= WINDOW bytes. */
static bool take_bytes(struct cursor *at, void *dst, size_t n)
{
    if (n > bytes_left(at) || n > WINDOW)
        return false;
    if (at->pos < at->base || at->pos + n > at->base + at->filled) {
        uint64_t left = bytes_left(at);
        size_t want = left < WINDOW ? (size_t)left : WINDOW;

        at->base = at->pos;
        at->filled = 0;
        if (!at->input->read(at->input->ctx, at->pos, at->window, want))
            return false;
        at->filled = want;
    }
    memcpy(dst, at->window + (at->pos - at->base), n);
    at->pos += n;
    return true;
}

static bool take_uint(struct cursor *at, unsigned bytes, uint64_t *value)
{
    uint8_t raw[8];

    if (!take_bytes(at, raw, bytes))
        return false;
    *value = 0;
    for (unsigned i = bytes; i-- > 0;)
        *value = *value << 8 | raw[i];
    return true;
}

/* A string of at most `limit` bytes into text (appended with its terminator). */
static enum gp_status take_string(struct cursor *at, uint64_t limit, const char *what,
                                  struct strbuf *text)
{
    char chunk[1024];
    uint64_t len;

    if (!take_uint(at, 8, &len))
        return cut_off(at, what);
    if (len > bytes_left(at))
        return cut_off(at, "a string longer than the rest of the file");
    if (len > limit)
        return cut_off(at, what);
    while (len > 0) {
        size_t n = len < sizeof chunk ? (size_t)len : sizeof chunk;

        if (!take_bytes(at, chunk, n))
            return cut_off(at, what);
        if (memchr(chunk, '\0', n) != NULL)
            return cut_off(at, "a string that holds a NUL");
        strbuf_addn(text, chunk, n);
        len -= n;
    }
    strbuf_addn(text, "", 1);
    return GP_OK;
}

static enum gp_status skip_string(struct cursor *at)
{
    uint64_t len;

    if (!take_uint(at, 8, &len) || len > bytes_left(at) || len > ITEMS_MAX)
        return cut_off(at, "a string longer than the rest of the file");
    at->pos += len;
    return GP_OK;
}

static double to_number(uint32_t type, uint64_t raw)
{
    union {
        uint32_t u;
        float f;
    } single = {.u = (uint32_t)raw};
    union {
        uint64_t u;
        double f;
    } wide = {.u = raw};

    switch (type) {
    case GGUF_I8:
        return (int8_t)raw;
    case GGUF_I16:
        return (int16_t)raw;
    case GGUF_I32:
        return (int32_t)raw;
    case GGUF_I64:
        return (double)(int64_t)raw;
    case GGUF_F32:
        return (double)single.f;
    case GGUF_F64:
        return wide.f;
    default:
        return (double)raw;
    }
}

static enum gp_status read_array(struct scan *scan, struct gguf_kv *kv)
{
    struct cursor *at = &scan->at;
    struct gguf_meta *meta = scan->meta;
    uint64_t type, count, raw;
    enum gp_status rc = GP_OK;

    if (!take_uint(at, 4, &type) || !take_uint(at, 8, &count))
        return cut_off(at, "an array without type and length");
    if (type == GGUF_ARRAY)
        return cut_off(at, "an array of arrays (ggml refuses it too)");
    if (type >= GGUF_TYPES)
        return cut_off(at, "an array of an unknown type");
    if (count > ITEMS_MAX)
        return cut_off(at, "an array of more than 2^30 items");
    kv->type = (uint32_t)type;
    kv->count = count;
    kv->array = true;
    if (type == GGUF_STRING) {
        if (count > bytes_left(at) / 8 || count > STRINGS_MAX)
            return cut_off(at, "an array of more strings than the file can hold");
        for (uint64_t i = 0; i < count && rc == GP_OK; i++)
            rc = skip_string(at);
        return rc;
    }
    if (count > bytes_left(at) / value_bytes[type])
        return cut_off(at, "an array longer than the rest of the file");
    if (count > ARRAY_KEPT) {
        at->pos += count * value_bytes[type];
        return GP_OK;
    }
    kv->first = meta->number_count;
    for (uint64_t i = 0; i < count; i++) {
        if (!take_uint(at, value_bytes[type], &raw))
            return cut_off(at, "an array that is cut off");
        meta->numbers = gp_grow(meta->numbers, &meta->number_cap, meta->number_count + 1,
                                sizeof *meta->numbers);
        meta->numbers[meta->number_count++] = to_number(kv->type, raw);
    }
    return GP_OK;
}

/* A string value: kept when short, else stepped over. */
static enum gp_status read_text(struct scan *scan, struct gguf_kv *kv)
{
    struct cursor *at = &scan->at;
    uint64_t start = at->pos, len;
    size_t offset = scan->meta->text.len;
    enum gp_status rc;

    if (!take_uint(at, 8, &len))
        return cut_off(at, "a string without its length");
    at->pos = start;
    if (len > STRING_KEPT)
        return skip_string(at);
    rc = take_string(at, STRING_KEPT, "a string that is too long", &scan->meta->text);
    if (rc == GP_OK)
        kv->string = offset;
    return rc;
}

static enum gp_status read_value(struct scan *scan, struct gguf_kv *kv)
{
    struct cursor *at = &scan->at;
    uint64_t type, raw;

    if (!take_uint(at, 4, &type))
        return cut_off(at, "a value without its type");
    kv->type = (uint32_t)type;
    if (type == GGUF_ARRAY)
        return read_array(scan, kv);
    if (type == GGUF_STRING)
        return read_text(scan, kv);
    if (type >= GGUF_TYPES)
        return cut_off(at, "a value of an unknown type");
    if (!take_uint(at, value_bytes[type], &raw))
        return cut_off(at, "a value that is cut off");
    kv->number = to_number(kv->type, raw);
    kv->numeric = true;
    return GP_OK;
}

static int by_key(const void *a, const void *b, void *text)
{
    const char *names = text;

    return strcmp(names + *(const size_t *)a, names + *(const size_t *)b);
}

/* No name twice: sorts offsets of names. */
static enum gp_status check_twice(struct cursor *at, const char *text, size_t *offsets,
                                  size_t count, const char *what)
{
    char shown[96];
    enum gp_status rc = GP_OK;

    qsort_r(offsets, count, sizeof *offsets, by_key, (void *)(uintptr_t)text);
    for (size_t i = 1; i < count && rc == GP_OK; i++) {
        const char *name = text + offsets[i];

        if (strcmp(text + offsets[i - 1], name) == 0)
            rc = gp_fail(at->err, GP_E_FILE, at->where, "download the file again",
                         "%s %s is listed twice", what,
                         safe_text(shown, sizeof shown, name, strlen(name)));
    }
    free(offsets);
    return rc;
}

static enum gp_status read_pairs(struct scan *scan, uint64_t count)
{
    struct gguf_meta *meta = scan->meta;
    size_t *offsets;

    for (uint64_t i = 0; i < count; i++) {
        struct gguf_kv kv = {.string = SIZE_MAX, .first = SIZE_MAX};
        enum gp_status rc;

        kv.key = meta->text.len;
        rc = take_string(&scan->at, KEY_MAX, "a key that is too long", &meta->text);
        if (rc == GP_OK)
            rc = read_value(scan, &kv);
        if (rc != GP_OK)
            return rc;
        meta->kv = gp_grow(meta->kv, &meta->cap, meta->count + 1, sizeof kv);
        meta->kv[meta->count++] = kv;
    }
    offsets = gp_malloc((meta->count + 1) * sizeof *offsets);
    for (size_t i = 0; i < meta->count; i++)
        offsets[i] = meta->kv[i].key;
    return check_twice(&scan->at, meta->text.text, offsets, meta->count, "key");
}

/* elements/block*bytes, each step checked. */
static const char *record_bytes(struct record *record)
{
    const struct ggml_type *type;
    uint64_t elements = 1;

    if (record->type >= sizeof ggml_types / sizeof ggml_types[0] ||
        ggml_types[record->type].name == NULL)
        return "has an unknown type";
    type = &ggml_types[record->type];
    for (int i = 0; i < record->rank; i++) {
        if (record->dims[i] > INT64_MAX ||
            __builtin_mul_overflow(elements, record->dims[i], &elements) || elements > INT64_MAX)
            return "has more elements than 63 bits can count";
    }
    if (record->dims[0] % type->block != 0)
        return "has rows that do not fill whole blocks of its type";
    if (__builtin_mul_overflow(elements / type->block, (uint64_t)type->bytes, &record->bytes) ||
        record->bytes > INT64_MAX)
        return "has more bytes than 63 bits can count";
    return NULL;
}

static enum gp_status bad_record(struct scan *scan, const struct record *record, const char *wrong)
{
    const char *name = scan->names.text + record->name;
    char shown[96];

    return gp_fail(scan->at.err, GP_E_FILE, scan->at.where,
                   "the file is damaged: download it again", "tensor %s %s",
                   safe_text(shown, sizeof shown, name, strlen(name)), wrong);
}

static enum gp_status read_record(struct scan *scan, struct record *record)
{
    struct cursor *at = &scan->at;
    uint64_t rank, type;
    const char *wrong;
    enum gp_status rc;

    memset(record, 0, sizeof *record);
    record->name = scan->names.len;
    rc = take_string(at, NAME_LIMIT - 1, "a tensor name of 64 bytes or more", &scan->names);
    if (rc != GP_OK)
        return rc;
    if (!take_uint(at, 4, &rank))
        return cut_off(at, "a tensor without its number of dimensions");
    if (rank > 4)
        return bad_record(scan, record, "has more than 4 dimensions");
    record->rank = (int)rank;
    record->dims[0] = 1;
    for (uint64_t i = 0; i < rank; i++)
        if (!take_uint(at, 8, &record->dims[i]))
            return cut_off(at, "a tensor without its dimensions");
    if (!take_uint(at, 4, &type) || !take_uint(at, 8, &record->offset))
        return cut_off(at, "a tensor without type and offset");
    record->type = (uint32_t)type;
    wrong = record_bytes(record);
    return wrong == NULL ? GP_OK : bad_record(scan, record, wrong);
}

static enum gp_status read_records(struct scan *scan, uint64_t count)
{
    size_t *offsets;

    if (count > bytes_left(&scan->at) / TENSOR_BYTES)
        return cut_off(&scan->at, "more tensors claimed than the file can list");
    for (uint64_t i = 0; i < count; i++) {
        struct record record;
        enum gp_status rc = read_record(scan, &record);

        if (rc != GP_OK)
            return rc;
        scan->records = gp_grow(scan->records, &scan->cap, scan->count + 1, sizeof record);
        scan->records[scan->count++] = record;
    }
    offsets = gp_malloc((scan->count + 1) * sizeof *offsets);
    for (size_t i = 0; i < scan->count; i++)
        offsets[i] = scan->records[i].name;
    return check_twice(&scan->at, scan->names.text, offsets, scan->count, "tensor");
}

static enum gp_status read_alignment(struct scan *scan)
{
    double value;

    scan->alignment = ALIGN_DEFAULT;
    if (gguf_find(scan->meta, "general.alignment") == NULL)
        return GP_OK;
    if (!gguf_number(scan->meta, "general.alignment", &value) || !(value >= 1) ||
        value > ALIGN_MAX || ((uint64_t)value & ((uint64_t)value - 1)) != 0 ||
        (double)(uint64_t)value != value)
        return gp_fail(scan->at.err, GP_E_FILE, scan->at.where, "the file is damaged",
                       "general.alignment is not a power of two up to %u", ALIGN_MAX);
    scan->alignment = (uint64_t)value;
    return GP_OK;
}

/* Offsets are the running padded sum, and the last byte lies in the file. */
static enum gp_status check_layout(struct scan *scan)
{
    uint64_t mask = scan->alignment - 1, size = scan->at.input->size;
    uint64_t data = (scan->at.pos + mask) & ~mask, next = 0, end = 0;

    for (size_t i = 0; i < scan->count; i++) {
        const struct record *record = &scan->records[i];

        if (record->offset != next)
            return bad_record(scan, record,
                              record->offset < next ? "overlaps the tensor before it"
                                                    : "leaves a hole before it");
        end = record->offset + record->bytes;
        next = (end + mask) & ~mask;
        if (next < record->offset || next > INT64_MAX)
            return bad_record(scan, record, "ends past 63 bits");
    }
    if (scan->count > 0 && (data > size || end > size - data))
        return gp_fail(scan->at.err, GP_E_FILE, scan->at.where,
                       "the file is cut off: download it again",
                       "the tensors end at byte %llu, but the file has %llu",
                       (unsigned long long)(data + end), (unsigned long long)size);
    return GP_OK;
}

static enum gp_status read_head(struct scan *scan, uint64_t *tensors, uint64_t *pairs)
{
    struct cursor *at = &scan->at;
    char magic[4];
    uint64_t version;

    if (!take_bytes(at, magic, sizeof magic) || memcmp(magic, "GGUF", 4) != 0)
        return gp_fail(at->err, GP_E_FILE, at->where, "",
                       "not a GGUF file: it does not begin with GGUF");
    if (!take_uint(at, 4, &version))
        return cut_off(at, "no version");
    if ((version & 0xffff) == 0)
        return gp_fail(at->err, GP_E_FILE, at->where, "convert it again on a little-endian machine",
                       "the file was written in the other byte order (big-endian)");
    if (version != 2 && version != 3)
        return gp_fail(at->err, GP_E_FILE, at->where,
                       version < 2 ? "convert it again with a newer llama.cpp" : "",
                       "GGUF version %llu is not supported, only 2 and 3",
                       (unsigned long long)version);
    if (!take_uint(at, 8, tensors) || !take_uint(at, 8, pairs))
        return cut_off(at, "no counts");
    if (*pairs > bytes_left(at) / PAIR_BYTES || *pairs > PAIRS_MAX)
        return cut_off(at, "more metadata claimed than the file can hold");
    if (*tensors > bytes_left(at) / TENSOR_BYTES || *tensors > TENSORS_MAX)
        return cut_off(at, "more tensors claimed than the file can list");
    return GP_OK;
}

/* split.no and split.count, 0 and 1 when the file stands alone. */
static enum gp_status read_split(struct scan *scan)
{
    struct gguf_meta *meta = scan->meta;
    double no = 0, count = 0;

    gguf_number(meta, "split.no", &no);
    gguf_number(meta, "split.count", &count);
    meta->split_no = 0;
    meta->split_count = 1;
    if (count == 0 && no == 0)
        return GP_OK;
    if (!(count >= 1) || count > 9999 || !(no >= 0) || no >= count)
        return gp_fail(scan->at.err, GP_E_FILE, scan->at.where, "the file is damaged",
                       "split.no %g is outside split.count %g", no, count);
    meta->split_no = (int)no;
    meta->split_count = (int)count;
    return GP_OK;
}

enum gp_status gguf_scan(struct gguf_meta *meta, const struct gguf_input *input, file_tensor_fn fn,
                         void *ctx, struct gp_err *err)
{
    struct scan scan = {.meta = meta};
    uint64_t tensors = 0, pairs = 0;
    enum gp_status rc;

    scan.at.input = input;
    scan.at.where = meta->where;
    scan.at.err = err;
    scan.at.window = gp_malloc(WINDOW);
    strbuf_init(&scan.names);
    rc = read_head(&scan, &tensors, &pairs);
    if (rc == GP_OK)
        rc = read_pairs(&scan, pairs);
    if (rc == GP_OK)
        rc = read_records(&scan, tensors);
    if (rc == GP_OK)
        rc = read_alignment(&scan);
    if (rc == GP_OK)
        rc = check_layout(&scan);
    if (rc == GP_OK)
        rc = read_split(&scan);
    for (size_t i = 0; rc == GP_OK && fn != NULL && i < scan.count; i++) {
        const struct record *record = &scan.records[i];
        struct file_tensor tensor = {.rank = record->rank};

        tensor.name = scan.names.text + record->name;
        tensor.bytes = (double)record->bytes;
        for (int d = 0; d < record->rank; d++)
            tensor.dims[d] = (double)record->dims[d];
        gp_copy(tensor.type, sizeof tensor.type, ggml_types[record->type].name);
        if (!fn(ctx, &tensor))
            rc = bad_record(&scan, record, "does not belong to this model");
    }
    strbuf_fini(&scan.names);
    free(scan.records);
    free(scan.at.window);
    return rc;
}

/* ---- look-ups by key ---- */

void gguf_meta_init(struct gguf_meta *meta, const char *where)
{
    memset(meta, 0, sizeof *meta);
    meta->where = where;
    meta->split_count = 1;
    strbuf_init(&meta->text);
}

void gguf_meta_fini(struct gguf_meta *meta)
{
    strbuf_fini(&meta->text);
    free(meta->kv);
    free(meta->numbers);
}

const struct gguf_kv *gguf_find(const struct gguf_meta *meta, const char *key)
{
    for (size_t i = 0; i < meta->count; i++)
        if (strcmp(meta->text.text + meta->kv[i].key, key) == 0)
            return &meta->kv[i];
    return NULL;
}

bool gguf_number(const struct gguf_meta *meta, const char *key, double *value)
{
    const struct gguf_kv *kv = gguf_find(meta, key);

    if (kv == NULL || kv->array || !kv->numeric)
        return false;
    *value = kv->number;
    return true;
}

const char *gguf_string(const struct gguf_meta *meta, const char *key)
{
    const struct gguf_kv *kv = gguf_find(meta, key);

    return kv == NULL || kv->string == SIZE_MAX ? NULL : meta->text.text + kv->string;
}
