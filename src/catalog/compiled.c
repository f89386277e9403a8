/*
 * compiled.c - see compiled.h.
 *
 *   head      magic word, number of entries
 *   entries   by hash and length of the text: where its block is, its size and hash
 *   blocks    a text's settings as nodes, each before its members, then their strings
 *
 * All in this machine's own order and widths, which the magic word holds as well.
 */
#include "catalog/compiled.h"

#include <fcntl.h>
#include <libconfig.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/mem.h"
#include "catalog/profile.h"

#define MAX_BYTES (64u * 1024 * 1024)
#define MAGIC (0x6770636632u ^ ((uint64_t)sizeof(void *) << 56)) /* with the order of its bytes */

struct head {
    uint64_t magic;
    uint64_t count;
};

struct entry {
    uint64_t hash; /* of the text */
    uint64_t block_hash;
    uint32_t len; /* of the text */
    uint32_t at;  /* of its block, from the start of the file */
    uint32_t nodes;
    uint32_t strings; /* bytes; they follow the nodes */
};

struct node {
    union {
        int64_t integer;
        double number;
        struct {
            uint32_t text, members;
        } at;
    } value;
    uint32_t name; /* in the strings; 0 = none */
    uint32_t line;
    int16_t type, format;
    uint32_t zero; /* so that no byte is left unset */
};

struct compiled {
    const char *bytes;
    size_t len;
    bool mapped; /* else built into the program */
    const struct entry *entries;
    size_t count;
};

#define FACTOR 0x9fb21c651e98df25u

static inline uint64_t hash_word(uint64_t hash, const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof word);
    return ((hash << 5 | hash >> 59) ^ word) * FACTOR;
}

/* Eight bytes at a time, four of those in a round: this runs over every profile that is read. */
static uint64_t hash_of(const char *bytes, size_t len)
{
    uint64_t hash = len * 0x9e3779b97f4a7c15u;
    char rest[8] = "";

    for (; len >= 32; bytes += 32, len -= 32)
        hash = hash_word(hash_word(hash_word(hash_word(hash, bytes), bytes + 8), bytes + 16),
                         bytes + 24);
    for (; len >= 8; bytes += 8, len -= 8)
        hash = hash_word(hash, bytes);
    memcpy(rest, bytes, len);
    hash = hash_word(hash, rest);
    hash = (hash ^ hash >> 32) * FACTOR;
    return hash ^ hash >> 29;
}

static bool has_members(int type)
{
    return type == CONFIG_TYPE_GROUP || type == CONFIG_TYPE_LIST || type == CONFIG_TYPE_ARRAY;
}

/* ---- reading -------------------------------------------------------------------- */

static const char *map_file(const char *path, size_t *len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    void *bytes = MAP_FAILED;
    struct stat st;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size <= MAX_BYTES)
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    *len = bytes != MAP_FAILED ? (size_t)st.st_size : 0;
    return bytes != MAP_FAILED ? bytes : NULL;
}

struct compiled *compiled_open(const char *path)
{
    struct compiled *compiled = gp_calloc(1, sizeof *compiled);
    const struct head *head;
    const struct archive_file *file = archive_builtin_find(path);

    if (file != NULL) {
        compiled->bytes = file->bytes;
        compiled->len = file->len;
    } else {
        compiled->bytes = map_file(path, &compiled->len);
        compiled->mapped = compiled->bytes != NULL;
    }
    head = (const void *)compiled->bytes;
    if (compiled->len < sizeof *head || head->magic != MAGIC ||
        head->count > (compiled->len - sizeof *head) / sizeof *compiled->entries) {
        compiled_free(compiled);
        return NULL;
    }
    compiled->count = head->count;
    compiled->entries = (const void *)(compiled->bytes + sizeof *head);
    return compiled;
}

void compiled_free(struct compiled *compiled)
{
    if (compiled == NULL)
        return;
    if (compiled->mapped)
        munmap((void *)compiled->bytes, compiled->len);
    free(compiled);
}

struct building {
    const struct node *nodes;
    size_t count, used;
    const char *strings;
    uint32_t strings_len;
    config_setting_t *settings;
    config_setting_t **slots; /* of lists: every node but the first takes one */
    size_t slots_left;
    config_list_t *lists;
    config_t *config;
};

/* The next node and what is below it; NULL: the block is none that compiled_text() wrote. */
static config_setting_t *build_setting(struct building *b, config_setting_t *parent, int depth)
{
    const struct node *node;
    config_setting_t *setting;
    config_list_t *list;
    uint32_t members;

    if (b->used == b->count || depth > PROFILE_MAX_DEPTH + 1)
        return NULL;
    setting = &b->settings[b->used];
    list = &b->lists[b->used];
    node = &b->nodes[b->used++];
    if (node->name >= b->strings_len)
        return NULL;
    setting->name = node->name != 0 ? (char *)b->strings + node->name : NULL;
    setting->type = node->type;
    setting->format = node->format;
    setting->line = node->line;
    setting->parent = parent;
    setting->config = b->config;
    setting->hook = NULL;
    setting->file = NULL;
    if (node->type == CONFIG_TYPE_FLOAT) {
        setting->value.fval = node->value.number;
    } else if (node->type == CONFIG_TYPE_INT64) {
        setting->value.llval = node->value.integer;
    } else if (node->type == CONFIG_TYPE_INT || node->type == CONFIG_TYPE_BOOL) {
        setting->value.ival = (int)node->value.integer;
    } else if (node->type == CONFIG_TYPE_STRING) {
        if (node->value.at.text >= b->strings_len)
            return NULL;
        setting->value.sval = (char *)b->strings + node->value.at.text;
    } else if (has_members(node->type)) {
        members = node->value.at.members;
        if (members > b->slots_left)
            return NULL;
        b->slots_left -= members;
        setting->value.list = members > 0 ? list : NULL;
        list->length = members;
        list->elements = b->slots;
        b->slots += members;
        for (uint32_t i = 0; i < members; i++) {
            list->elements[i] = build_setting(b, setting, depth + 1);
            if (list->elements[i] == NULL ||
                (node->type == CONFIG_TYPE_GROUP && list->elements[i]->name == NULL))
                return NULL;
        }
    } else {
        return NULL;
    }
    return setting;
}

static const struct entry *entry_of(const struct compiled *compiled, uint64_t hash, size_t len)
{
    size_t low = 0, high = compiled->count;

    while (low < high) {
        size_t at = low + (high - low) / 2;

        if (compiled->entries[at].hash < hash)
            low = at + 1;
        else
            high = at;
    }
    if (low == compiled->count || compiled->entries[low].hash != hash ||
        compiled->entries[low].len != len)
        return NULL;
    return &compiled->entries[low];
}

config_setting_t *compiled_find(const struct compiled *compiled, const char *text, size_t len,
                                config_t *config, void **tree)
{
    const struct entry *entry;
    struct building b;
    size_t size, each = sizeof *b.settings + sizeof *b.lists + sizeof *b.slots;
    config_setting_t *root;
    char *memory;

    if (compiled == NULL || (entry = entry_of(compiled, hash_of(text, len), len)) == NULL)
        return NULL;
    size = entry->nodes * sizeof(struct node) + entry->strings;
    if (entry->nodes == 0 || entry->strings == 0 || entry->at % sizeof(uint64_t) != 0 ||
        entry->nodes > compiled->len / sizeof(struct node) || entry->at > compiled->len ||
        size > compiled->len - entry->at ||
        hash_of(compiled->bytes + entry->at, size) != entry->block_hash ||
        compiled->bytes[entry->at + size - 1] != '\0')
        return NULL;
    memory = gp_malloc(entry->nodes * each);
    b = (struct building){.nodes = (const void *)(compiled->bytes + entry->at),
                          .count = entry->nodes,
                          .slots_left = entry->nodes - 1,
                          .settings = (void *)memory,
                          .strings_len = entry->strings,
                          .config = config};
    b.strings = (const char *)(b.nodes + b.count);
    b.lists = (void *)(b.settings + b.count);
    b.slots = (void *)(b.lists + b.count);
    root = build_setting(&b, NULL, 0);
    if (root == NULL || b.used != b.count || root->type != CONFIG_TYPE_GROUP) {
        free(memory);
        return NULL;
    }
    *tree = memory;
    return root;
}

/* ---- writing -------------------------------------------------------------------- */

struct writing {
    struct strbuf nodes, strings;
    bool failed;
};

static uint32_t add_string(struct writing *w, const char *text)
{
    size_t at = w->strings.len;

    strbuf_addn(&w->strings, text, strlen(text) + 1);
    return (uint32_t)at;
}

static void add_setting(struct writing *w, const config_setting_t *setting)
{
    struct node node = {.line = config_setting_source_line(setting),
                        .type = (int16_t)config_setting_type(setting),
                        .format = (int16_t)setting->format};
    int members = has_members(node.type) ? config_setting_length(setting) : 0;

    if (setting->name != NULL)
        node.name = add_string(w, setting->name);
    if (node.type == CONFIG_TYPE_FLOAT)
        node.value.number = config_setting_get_float(setting);
    else if (node.type == CONFIG_TYPE_INT64)
        node.value.integer = config_setting_get_int64(setting);
    else if (node.type == CONFIG_TYPE_INT)
        node.value.integer = config_setting_get_int(setting);
    else if (node.type == CONFIG_TYPE_BOOL)
        node.value.integer = config_setting_get_bool(setting);
    else if (node.type == CONFIG_TYPE_STRING)
        node.value.at.text = add_string(w, config_setting_get_string(setting));
    else if (has_members(node.type))
        node.value.at.members = (uint32_t)members;
    else
        w->failed = true;
    strbuf_addn(&w->nodes, (const char *)&node, sizeof node);
    for (int i = 0; i < members; i++)
        add_setting(w, config_setting_get_elem(setting, (unsigned)i));
}

bool compiled_text(struct compiled_text *out, const char *text, size_t len,
                   const config_setting_t *root)
{
    struct writing w = {.failed = false};

    strbuf_init(&w.nodes);
    strbuf_init(&w.strings);
    strbuf_addc(&w.strings, '\0'); /* offset 0 stands for no name */
    add_setting(&w, root);
    *out = (struct compiled_text){.len = len, .nodes = w.nodes.len / sizeof(struct node)};
    out->hash = hash_of(text, len);
    strbuf_init(&out->block);
    strbuf_addn(&out->block, w.nodes.text, w.nodes.len);
    strbuf_addn(&out->block, w.strings.text, w.strings.len);
    strbuf_fini(&w.nodes);
    strbuf_fini(&w.strings);
    return !w.failed;
}

static int by_hash(const void *a, const void *b)
{
    const struct compiled_text *x = a, *y = b;

    return (x->hash > y->hash) - (x->hash < y->hash);
}

void compiled_file(struct compiled_text *texts, size_t count, struct strbuf *out)
{
    struct head head = {.magic = MAGIC, .count = count};
    size_t at = sizeof head + count * sizeof(struct entry);

    qsort(texts, count, sizeof *texts, by_hash);
    strbuf_addn(out, (const char *)&head, sizeof head);
    for (size_t i = 0; i < count; i++) {
        const struct compiled_text *text = &texts[i];
        struct entry entry = {.hash = text->hash,
                              .len = (uint32_t)text->len,
                              .at = (uint32_t)at,
                              .nodes = (uint32_t)text->nodes};

        entry.strings = (uint32_t)(text->block.len - text->nodes * sizeof(struct node));
        entry.block_hash = hash_of(text->block.text, text->block.len);
        strbuf_addn(out, (const char *)&entry, sizeof entry);
        at += (text->block.len + 7) / 8 * 8;
    }
    for (size_t i = 0; i < count; i++) {
        strbuf_addn(out, texts[i].block.text, texts[i].block.len);
        while (out->len % 8 != 0)
            strbuf_addc(out, '\0');
    }
}
