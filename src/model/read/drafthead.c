/*
 * drafthead.c - see drafthead.h.
 */
#include "model/read/drafthead.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/path.h"
#include "base/str.h"

#define CONFIG_MOST (1 << 20)

enum gp_status drafthead_read(const char *path, struct draft_head *out, struct gp_err *err)
{
    const struct {
        const char *key;
        int *to, most;
    } keys[] = {
        {"num_hidden_layers", &out->layers, 64},     {"hidden_size", &out->hidden, 1 << 17},
        {"num_attention_heads", &out->heads, 1024},  {"num_key_value_heads", &out->kv_heads, 1024},
        {"head_dim", &out->head_dim, 1 << 12},       {"intermediate_size", &out->ff, 1 << 20},
        {"draft_vocab_size", &out->words, 10000000},
    };
    static const char *const reads[] = {"dflash_config.target_layer_ids",
                                        "eagle_config.eagle_aux_hidden_state_layer_ids"};
    char file[GP_PATH_MAX];
    char *text = NULL;
    size_t size;
    json_t *config = NULL;

    if (path_is_file(path))
        gp_copy(file, sizeof(file), path);
    else
        path_join(file, sizeof(file), path, "config.json");
    enum gp_status rc = path_read(file, CONFIG_MOST, &text, &size, err);
    if (!rc)
        rc = gp_json_parse(file, text, size, &config, err);
    const json_t *layer = gp_json_at(config, "transformer_layer_config");
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !rc; i++) {
        const json_t *value = json_object_get(config, keys[i].key);

        value = json_is_integer(value) ? value : json_object_get(layer, keys[i].key);
        if (!json_is_integer(value))
            continue;
        if (json_integer_value(value) < 1 || json_integer_value(value) > keys[i].most)
            rc = gp_fail(err, GP_E_FILE, file, "", "%s: %lld is outside 1..%d", keys[i].key,
                         json_integer_value(value), keys[i].most);
        else
            *keys[i].to = (int)json_integer_value(value);
    }
    for (size_t i = 0; i < sizeof(reads) / sizeof(reads[0]); i++)
        if (json_array_size(gp_json_at(config, reads[i])) > 0)
            out->reads = (int)json_array_size(gp_json_at(config, reads[i]));
    if (!rc && (out->hidden == 0 || out->heads == 0 || out->layers == 0))
        rc = gp_fail(err, GP_E_FILE, file,
                     "a head's config.json has hidden_size, "
                     "num_attention_heads and num_hidden_layers",
                     "is no EAGLE-3 head and no DFlash draft");
    json_decref(config);
    free(text);
    return rc;
}
