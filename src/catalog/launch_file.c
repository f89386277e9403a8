/*
 * launch_file.c - see launch_file.h.
 */
#include "catalog/launch_file.h"

#include <limits.h>
#include <string.h>

#include "base/str.h"
#include "catalog/engine.h"

static const struct profile_word setting_words[] = {
#define X(NAME, word, text) {word, LAUNCH_##NAME},
    LAUNCH_SETTINGS(X)
#undef X
        {NULL, 0},
};

static const struct profile_word form_words[] = {
#define X(NAME, word) {word, LAUNCH_AS_##NAME},
    LAUNCH_FORMS(X)
#undef X
        {NULL, 0},
};

static const struct profile_word unit_words[] = {
#define X(NAME, word) {word, LAUNCH_PER_##NAME},
    LAUNCH_UNITS(X)
#undef X
        {NULL, 0},
};

const char *launch_setting_word(enum launch_setting setting)
{
    return setting_words[setting].word;
}

bool launch_setting_is_text(enum launch_setting setting)
{
    static const bool texts[LAUNCH_SETTING_COUNT] = {
#define X(NAME, word, text) text,
        LAUNCH_SETTINGS(X)
#undef X
    };

    return texts[setting];
}

#define FLAG_AT(member) PROFILE_AT(struct launch_flag, member)

static const struct profile_field flags[] = {
    {"setting", PROFILE_WORD, FLAG_AT(setting), .words = setting_words, .required = true},
    {"as", PROFILE_WORD, FLAG_AT(form), .words = form_words},
    {"unit", PROFILE_WORD, FLAG_AT(unit), .words = unit_words},
    {"flag", PROFILE_TEXT, FLAG_AT(flag), .required = true},
    {"also", PROFILE_TEXT, FLAG_AT(also)},
    {"name", PROFILE_TEXT, FLAG_AT(name)},
    {"key", PROFILE_TEXT, FLAG_AT(key)},
    {"constant", PROFILE_TEXT, FLAG_AT(constant)},
    {"prefix", PROFILE_TEXT, FLAG_AT(prefix)},
    {"suffix", PROFILE_TEXT, FLAG_AT(suffix)},
    {"add", PROFILE_NUMBER, FLAG_AT(add), -16, 16},
    {"least", PROFILE_NUMBER, FLAG_AT(least), 0, 1 << 20},
    {"line", PROFILE_TEXT, FLAG_AT(line), .required = true},
};

#define WORD_AT(member) PROFILE_AT(struct launch_word, member)

static const struct profile_field words[] = {
    {"setting", PROFILE_WORD, WORD_AT(setting), .words = setting_words, .required = true},
    {"value", PROFILE_TEXT, WORD_AT(value), .required = true},
    {"word", PROFILE_TEXT, WORD_AT(word), .required = true},
    {"read", PROFILE_FLAG, WORD_AT(read)},
};

static const struct profile_list flag_list = {PROFILE_TABLE(flags), sizeof(struct launch_flag),
                                              offsetof(struct launch_engine, flag_count),
                                              LAUNCH_FLAGS_MAX};
static const struct profile_list word_list = {PROFILE_TABLE(words), sizeof(struct launch_word),
                                              offsetof(struct launch_engine, word_count),
                                              LAUNCH_WORDS_MAX};

#define AT(member) PROFILE_AT(struct launch_engine, member)

static const struct profile_field fields[] = {
    {"name", PROFILE_TEXT, AT(name)},
    {"command", PROFILE_TEXTS, AT(command)},
    {"image", PROFILE_TEXT, AT(image)},
    {"image_amd", PROFILE_TEXT, AT(image_amd)},
    {"image_host", PROFILE_TEXT, AT(image_host)},
    {"image_command", PROFILE_TEXTS, AT(image_command)},
    {"cache", PROFILE_TEXT, AT(cache)},
    {"cache_host", PROFILE_TEXT, AT(cache_host)},
    {"health", PROFILE_TEXT, AT(health)},
    {"port", PROFILE_COUNT, AT(port), 1, 65000},
    {"all_gpus", PROFILE_FLAG, AT(all_gpus)},
    {"kv_always", PROFILE_FLAG, AT(kv_always)},
    {"hosts", PROFILE_TEXT, AT(hosts)},
    {"ranks", PROFILE_TEXT, AT(ranks)},
    {"unneeded", PROFILE_TEXT, AT(unneeded)},
    {"triton", PROFILE_TEXT, AT(triton)},
    {"on_demand", PROFILE_FLAG, AT(on_demand)},
    {"then", PROFILE_TEXT, AT(then)},
    {"lora_names", PROFILE_TEXT, AT(lora_names)},
    {"dp_tp", PROFILE_COUNT, AT(dp_tp), 0, 1024},
    {"source", PROFILE_TEXT, AT(source)},
    {"date", PROFILE_DATE, AT(date)},
    {"flags", PROFILE_LIST, AT(flag), .list = &flag_list},
    {"words", PROFILE_LIST, AT(word), .list = &word_list},
};

static void read_versions(struct profile_group item, long *from, long *until)
{
    char low[16] = "", high[16] = "";

    profile_string(item, "from", low, sizeof low);
    profile_string(item, "until", high, sizeof high);
    *from = low[0] ? engine_version(low, 0) : 0;
    *until = high[0] ? engine_version(high, ENGINE_LAST_PATCH) : LONG_MAX;
    if (*from < 0 || *until < *from)
        profile_fail(item, *from < 0 ? "from" : "until", "write it as in \"0.19\"",
                     "is not a version, or lower than from");
}

/* A later list takes the place of the whole earlier one. */
void launch_file_read(struct profile_group top, void *item)
{
    struct launch_engine *e = item;

    PROFILE_FIELDS(top, fields, e);
    for (int i = 0, n = profile_length(top, "flags", LAUNCH_FLAGS_MAX); i < n; i++) {
        struct launch_flag *flag = &e->flag[i];

        read_versions(profile_item(top, "flags", i), &flag->from, &flag->until);
        if (flag->name[0])
            continue;
        gp_copy(flag->name, sizeof flag->name, flag->flag + strspn(flag->flag, "-"));
        for (char *p = flag->name; *p; p++) /* "--max-model-len" -> "max_model_len" */
            *p = *p == '-' ? '_' : *p;
    }
    for (int i = 0, n = profile_length(top, "words", LAUNCH_WORDS_MAX); i < n; i++)
        read_versions(profile_item(top, "words", i), &e->word[i].from, &e->word[i].until);
    const struct profile_need needs[] = {
        {"command", e->command[0]}, {"port", e->port}, {"source", e->source[0]}};
    PROFILE_NEEDS(top, needs, "");
}
