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

#define AT(member) PROFILE_AT(struct launch_engine, member)

static const struct profile_field fields[] = {
    {"name", PROFILE_TEXT, AT(name)},
    {"command", PROFILE_TEXTS, AT(command)},
    {"image", PROFILE_TEXT, AT(image)},
    {"image_amd", PROFILE_TEXT, AT(image_amd)},
    {"image_host", PROFILE_TEXT, AT(image_host)},
    {"port", PROFILE_COUNT, AT(port), 1, 65000},
    {"all_gpus", PROFILE_FLAG, AT(all_gpus)},
    {"kv_always", PROFILE_FLAG, AT(kv_always)},
    {"hosts", PROFILE_TEXT, AT(hosts)},
    {"ranks", PROFILE_TEXT, AT(ranks)},
    {"triton", PROFILE_TEXT, AT(triton)},
    {"on_demand", PROFILE_FLAG, AT(on_demand)},
    {"then", PROFILE_TEXT, AT(then)},
    {"lora_names", PROFILE_TEXT, AT(lora_names)},
    {"dp_tp", PROFILE_COUNT, AT(dp_tp), 0, 1024},
    {"source", PROFILE_TEXT, AT(source)},
    {"date", PROFILE_DATE, AT(date)},
};

#define FLAG_AT(member) PROFILE_AT(struct launch_flag, member)

static const struct profile_field flags[] = {
    {"setting", PROFILE_WORD, FLAG_AT(setting), .words = setting_words},
    {"as", PROFILE_WORD, FLAG_AT(form), .words = form_words},
    {"unit", PROFILE_WORD, FLAG_AT(unit), .words = unit_words},
    {"flag", PROFILE_TEXT, FLAG_AT(flag)},
    {"also", PROFILE_TEXT, FLAG_AT(also)},
    {"name", PROFILE_TEXT, FLAG_AT(name)},
    {"key", PROFILE_TEXT, FLAG_AT(key)},
    {"constant", PROFILE_TEXT, FLAG_AT(constant)},
    {"prefix", PROFILE_TEXT, FLAG_AT(prefix)},
    {"suffix", PROFILE_TEXT, FLAG_AT(suffix)},
    {"add", PROFILE_NUMBER, FLAG_AT(add), -16, 16},
    {"least", PROFILE_NUMBER, FLAG_AT(least), 0, 1 << 20},
    {"line", PROFILE_TEXT, FLAG_AT(line)},
};

#define WORD_AT(member) PROFILE_AT(struct launch_word, member)

static const struct profile_field words[] = {
    {"setting", PROFILE_WORD, WORD_AT(setting), .words = setting_words},
    {"value", PROFILE_TEXT, WORD_AT(value)},
    {"word", PROFILE_TEXT, WORD_AT(word)},
    {"read", PROFILE_FLAG, WORD_AT(read)},
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

/* "--max-model-len" -> "max_model_len" */
static void name_flag(struct launch_flag *flag)
{
    if (flag->name[0])
        return;
    gp_copy(flag->name, sizeof flag->name, flag->flag + strspn(flag->flag, "-"));
    for (char *p = flag->name; *p; p++)
        *p = *p == '-' ? '_' : *p;
}

static void read_flag(struct profile_group item, struct launch_flag *flag)
{
    static const char *const needed[] = {"setting", "flag", "line"};

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        profile_require(item, needed[i]);
    PROFILE_FIELDS(item, flags, flag);
    read_versions(item, &flag->from, &flag->until);
    name_flag(flag);
}

static void read_word(struct profile_group item, struct launch_word *word)
{
    static const char *const needed[] = {"setting", "value", "word"};

    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        profile_require(item, needed[i]);
    PROFILE_FIELDS(item, words, word);
    read_versions(item, &word->from, &word->until);
}

/* A later list takes the place of the whole earlier one. */
void launch_file_read(struct profile_group top, void *item)
{
    struct launch_engine *e = item;
    int flag_count = profile_length(top, "flags", LAUNCH_FLAGS_MAX);
    int word_count = profile_length(top, "words", LAUNCH_WORDS_MAX);

    PROFILE_FIELDS(top, fields, e);
    if (flag_count > 0) {
        memset(e->flag, 0, sizeof e->flag);
        e->flag_count = flag_count;
    }
    if (word_count > 0) {
        memset(e->word, 0, sizeof e->word);
        e->word_count = word_count;
    }
    for (int i = 0; i < flag_count && !profile_failed(top.profile); i++)
        read_flag(profile_item(top, "flags", i), &e->flag[i]);
    for (int i = 0; i < word_count && !profile_failed(top.profile); i++)
        read_word(profile_item(top, "words", i), &e->word[i]);
    if (e->command[0] == '\0' || e->port == 0 || e->source[0] == '\0')
        profile_fail(top, "command", "give command, port and source", "is missing");
}
