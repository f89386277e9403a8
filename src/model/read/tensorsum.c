/*
 * tensorsum.c - adds up a checkpoint's tensors by layer kind and role.
 *
 * model->bytes.by_role[kind][role] is the sum over the layers of that kind; the row
 * after the last kind holds what lies outside the layers. A fused query-key-value
 * matrix is split by rows, heads : 2 * KV heads. Tensors of prediction layers (MTP)
 * and an output matrix that a tied model ignores are not loaded and not counted. The
 * type that holds most bytes of a role names the role's format.
 *
 * Example: Phi-3-mini's qkv_proj has 32 + 2 * 32 heads, a third of it is query.
 */
#include "model/read/tensors.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/read/jscan.h"

#define SIZE_SLACK 0.01 /* biases and the like that a role may hold besides */

#define TYPES_MAX 8 /* different types of one role that are distinguished */

struct type_bytes {
    char type[16];
    double bytes;
};

struct sum {
    struct model *model;
    bool gguf;
    bool seen[MODEL_MAX_LAYERS];
    bool head, embed;
    double unloaded; /* bytes of MTP layers and an ignored head */
    struct type_bytes types[ROLE_COUNT][TYPES_MAX];
    struct type_bytes down[TYPES_MAX]; /* of them, the down projections */
};

/* ---- the list ---- */

void tensor_list_init(struct tensor_list *list)
{
    memset(list, 0, sizeof *list);
    strbuf_init(&list->names);
}

void tensor_list_fini(struct tensor_list *list)
{
    strbuf_fini(&list->names);
    free(list->items);
}

bool tensor_list_add(void *ctx, const struct file_tensor *tensor)
{
    struct tensor_list *list = ctx;
    struct listed_tensor *item;

    list->items = gp_grow(list->items, &list->cap, list->count + 1, sizeof *item);
    item = &list->items[list->count++];
    item->name = list->names.len;
    item->bytes = tensor->bytes;
    memcpy(item->type, tensor->type, sizeof item->type);
    strbuf_addn(&list->names, tensor->name, strlen(tensor->name) + 1);
    return true;
}

static int by_name(const void *a, const void *b, void *names)
{
    const char *text = names;

    return strcmp(text + ((const struct listed_tensor *)a)->name,
                  text + ((const struct listed_tensor *)b)->name);
}

static enum gp_status check_twice(struct tensor_list *list, const char *where, struct gp_err *err)
{
    char shown[96];

    if (list->count > 1)
        qsort_r(list->items, list->count, sizeof *list->items, by_name, list->names.text);
    for (size_t i = 1; i < list->count; i++) {
        const char *name = list->names.text + list->items[i].name;

        if (by_name(&list->items[i - 1], &list->items[i], list->names.text) == 0)
            return gp_fail(err, GP_E_FILE, where, "the folder seems to hold two checkpoints",
                           "tensor %s is in two files",
                           safe_text(shown, sizeof shown, name, strlen(name)));
    }
    return GP_OK;
}

/* ---- the sum ---- */

void checkpoint_note(struct model *model, const char *fmt, ...)
{
    size_t len = strlen(model->note);
    va_list args;

    if (len > 0 && len + 2 < sizeof model->note) {
        memcpy(model->note + len, "; ", 3);
        len += 2;
    }
    va_start(args, fmt);
    vsnprintf(model->note + len, sizeof model->note - len, fmt, args);
    va_end(args);
}

static void add_type(struct type_bytes slot[TYPES_MAX], const char *type, double bytes)
{
    for (int i = 0; i < TYPES_MAX; i++, slot++) {
        if (slot->type[0] == '\0')
            gp_copy(slot->type, sizeof slot->type, type);
        if (strcmp(slot->type, type) == 0) {
            slot->bytes += bytes;
            return;
        }
    }
}

static void add_tensor(struct sum *sum, const char *name, const struct listed_tensor *item)
{
    struct model *model = sum->model;
    struct tensor_place place =
        sum->gguf ? tensorname_gguf(model, name) : tensorname_hf(model, name);
    int row = model->kind_count;
    double query = 1;

    if (place.layer < 0 && !place.mtp) {
        sum->embed = sum->embed || place.role == ROLE_EMBED;
        sum->head = sum->head || place.role == ROLE_HEAD;
    }
    if (place.mtp || (place.layer < 0 && place.role == ROLE_HEAD && model->tied)) {
        sum->unloaded += item->bytes;
        return;
    }
    if (place.layer >= 0) {
        row = model->layer[place.layer];
        sum->seen[place.layer] = true;
    }
    if (place.layer >= 0 && place.fused_qkv) { /* the query's share of its rows */
        const struct layer_kind *kind = &model->kind[row];
        double q = (double)kind->heads * kind->head_dim * (kind->out_gate ? 2 : 1);
        double kv = (double)kind->kv_heads * (kind->head_dim + kind->v_head_dim);

        query = q + kv > 0 ? q / (q + kv) : 1;
    }
    add_type(sum->types[place.role], item->type, item->bytes);
    if (strstr(name, ".ffn_down"))
        add_type(sum->down, item->type, item->bytes);
    model->bytes.by_role[row][place.role] += item->bytes * query;
    if (place.fused_qkv) {
        add_type(sum->types[ROLE_ATTN_KV], item->type, item->bytes * (1 - query));
        model->bytes.by_role[row][ROLE_ATTN_KV] += item->bytes * (1 - query);
    }
}

static enum gp_status check_complete(struct sum *sum, const char *where, struct gp_err *err)
{
    const struct model *model = sum->model;

    for (int i = 0; i < model->layer_count; i++)
        if (!sum->seen[i])
            return gp_fail(err, GP_E_FILE, where,
                           "a file of the checkpoint is missing, or config.json "
                           "belongs to another model",
                           "layer %d of %d has no tensor", i, model->layer_count);
    if (!sum->embed && model->vocab > 0)
        return gp_fail(err, GP_E_FILE, where, "a file of the checkpoint is missing",
                       "the token embedding is missing");
    return GP_OK;
}

static struct type_bytes *main_of(struct type_bytes types[TYPES_MAX])
{
    struct type_bytes *best = &types[0];

    for (int i = 1; i < TYPES_MAX; i++)
        if (types[i].bytes > best->bytes)
            best = &types[i];
    return best;
}

static const char *main_type(struct sum *sum, enum tensor_role role)
{
    return main_of(sum->types[role])->type;
}

/* "Q4_K" -> "ggml-q4_k"; the types of integers have no format and leave id as it is. */
static void name_gguf_type(const char *type, char id[FORMAT_ID_MAX])
{
    static const char prefix[] = "ggml-";
    size_t n = strlen(prefix);

    if (type[0] == '\0' || (type[0] == 'I' && type[1] != 'Q') || strcmp(type, "F64") == 0)
        return;
    memcpy(id, prefix, n);
    for (; *type && n + 1 < FORMAT_ID_MAX; type++)
        id[n++] = gp_lower(*type);
    id[n] = '\0';
}

/* Plain floating point tensors say themselves what they are; config.json may promise
 * another type, to which an engine will convert them. */
static void name_plain_types(struct sum *sum)
{
    static const char *const words[][2] = {{"F32", "fp32"}, {"F16", "fp16"}, {"BF16", "bf16"}};
    struct model *model = sum->model;
    bool differs = false;

    for (int role = 0; role < ROLE_COUNT; role++) {
        const char *type = main_type(sum, (enum tensor_role)role);

        if (strcmp(model->native[role], model->native_dtype) != 0)
            continue; /* quantised: the type is a packed one */
        for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
            if (strcmp(type, words[i][0]) != 0)
                continue;
            differs = differs || (role != ROLE_NORM && role != ROLE_ROUTER &&
                                  strcmp(words[i][1], model->native_dtype) != 0);
            gp_copy(model->native[role], FORMAT_ID_MAX, words[i][1]);
        }
    }
    if (differs)
        checkpoint_note(model,
                        "config.json says %s, but the tensors have another type: "
                        "counted as stored",
                        model->native_dtype);
}

/* What config.json makes of the layers and what the files hold must be the same, where
 * the types are plain enough to tell: a tensor that is missing or of another shape
 * would be planned too small. Norms and biases are left out, vision towers may be
 * uncounted. */
static enum gp_status check_size(const struct model *model, const char *where, struct gp_err *err)
{
    static const enum tensor_role roles[] = {
        ROLE_EMBED,       ROLE_HEAD,    ROLE_ATTN_Q,      ROLE_ATTN_KV, ROLE_ATTN_OUT,
        ROLE_ATTN_LATENT, ROLE_INDEXER, ROLE_RECURRENT,   ROLE_MLP,     ROLE_EXPERT,
        ROLE_SHARED,      ROLE_ROUTER,  ROLE_LAYER_EMBED, ROLE_NGRAM,
    };
    double held = 0, made = 0;

    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        const char *type = model->native[roles[i]];
        double elements = model_params_role(model, roles[i]);
        double width = strcmp(type, "fp32") == 0                                ? 4
                       : strcmp(type, "fp16") == 0 || strcmp(type, "bf16") == 0 ? 2
                                                                                : 0;

        if (width == 0 && elements > 0)
            return GP_OK; /* quantized: packed shapes do not give the type */
        made += elements * width;
        for (int k = 0; k <= model->kind_count; k++)
            held += model->bytes.by_role[k][roles[i]];
    }
    if (fabs(held - made) <= SIZE_SLACK * made)
        return GP_OK;
    return gp_fail(err, GP_E_FILE, where,
                   "a tensor is missing or config.json belongs to another model",
                   "the tensors hold %.0f bytes, but config.json implies %.0f", held, made);
}

/* A model of an unknown type has the elements of its files: what its attention does not
 * account for is spread over the layers. */
static void fit_elements(const struct tensor_list *list, struct model *model)
{
    double inside = 0, outside = 0, rest;
    int layers = model->layer_count;

    for (size_t i = 0; i < list->count; i++) {
        const struct listed_tensor *item = &list->items[i];
        struct tensor_place place = tensorname_hf(model, list->names.text + item->name);
        /* bytes per element of a plain type; 1 of one that packs several into a word */
        double width = strcmp(item->type, "F32") == 0                                      ? 4
                       : strcmp(item->type, "BF16") == 0 || strcmp(item->type, "F16") == 0 ? 2
                                                                                           : 1;
        double elements = item->bytes / width;

        if (place.layer >= 0 && !place.mtp)
            inside += elements;
        else if (place.role != ROLE_EMBED && place.role != ROLE_HEAD)
            outside += elements;
    }
    rest = inside - model_params_role(model, ROLE_ATTN_Q) - model_params_role(model, ROLE_ATTN_KV) -
           model_params_role(model, ROLE_ATTN_OUT) - model_params_role(model, ROLE_NORM);
    model->kind[0].extra = rest > 0 ? floor(rest / layers) : 0;
    if (outside > 0 && model->extra_count < MODEL_MAX_EXTRAS)
        model->extra[model->extra_count++] =
            (struct model_extra){"other tensors", ROLE_OTHER, outside};
}

/* Of a method that nobody read, the tensors tell the bits at least. */
static void name_by_width(struct model *model)
{
    for (int role = 0; role < ROLE_COUNT; role++) {
        double elements = model_params_role(model, (enum tensor_role)role), bytes = 0;

        for (int k = 0; k <= model->kind_count; k++)
            bytes += model->bytes.by_role[k][role];
        if (bytes > 0 && bytes * 8 < elements * 9.5)
            gp_copy(model->native[role], FORMAT_ID_MAX,
                    bytes * 8 < elements * 5.5 ? "int4" : "int8-gptq");
    }
    checkpoint_note(model, "method \"%s\" is not known here: bytes are those of its tensors",
                    model->native_unread);
}

enum gp_status tensor_sum(struct tensor_list *list, struct model *model, bool gguf,
                          const char *where, struct gp_err *err)
{
    struct sum sum = {.model = model, .gguf = gguf};
    enum gp_status rc = check_twice(list, where, err);

    if (rc != GP_OK)
        return rc;
    if (model->assumed && !gguf) /* ggufmodel.c has counted them */
        fit_elements(list, model);
    model->bytes = (struct model_bytes){.known = false};
    for (size_t i = 0; i < list->count; i++)
        add_tensor(&sum, list->names.text + list->items[i].name, &list->items[i]);
    rc = check_complete(&sum, where, err);
    if (rc != GP_OK)
        return rc;
    if (!sum.head && !model->tied && model->vocab > 0) {
        model->tied = true;
        checkpoint_note(model, "the files hold no output matrix: the embedding is used");
    }
    for (int role = 0; gguf && role < ROLE_COUNT; role++)
        name_gguf_type(main_type(&sum, (enum tensor_role)role), model->native[role]);
    for (int i = 0; gguf && i < 2; i++) {
        struct type_bytes *main = main_of(sum.down);

        name_gguf_type(main->type, model->native_down[i]);
        *main = (struct type_bytes){.bytes = 0};
    }
    if (!gguf)
        name_plain_types(&sum);
    if (sum.unloaded > 0)
        checkpoint_note(model, "%.0f bytes of MTP layers or of a copied head are not loaded",
                        sum.unloaded);
    if (model->native_unread[0])
        name_by_width(model);
    model->bytes.known = true;
    return gguf || model->assumed ? GP_OK : check_size(model, where, err);
}
