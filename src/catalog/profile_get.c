/*
 * profile_get.c - the getters of profile.h: one value, of the right kind and range.
 *
 * Quantities take an integer or a float, because "80" and "80.0" mean the same there;
 * counts take an integer only, because 8.5 GPUs mean nothing. A band is three numbers,
 * (1.04, 0.51, 1.85) = value, low, high.
 */
#include "catalog/profile.h"

#include <libconfig.h>
#include <math.h>
#include <string.h>

#include "catalog/profile_impl.h"
#include "util/str.h"
#include "util/suggest.h"

static const char *kind_of(const config_setting_t *at)
{
    static const struct profile_word kinds[] = {
        {"a group", CONFIG_TYPE_GROUP},    {"an integer", CONFIG_TYPE_INT},
        {"an integer", CONFIG_TYPE_INT64}, {"a float", CONFIG_TYPE_FLOAT},
        {"a string", CONFIG_TYPE_STRING},    {"true or false", CONFIG_TYPE_BOOL},
        {"an array", CONFIG_TYPE_ARRAY},   {"a list", CONFIG_TYPE_LIST},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].value == config_setting_type(at))
            return kinds[i].word;
    return "nothing";
}

static void wrong_kind(struct profile_group group, const config_setting_t *at,
                       const char *key, const char *wanted)
{
    const char *hint = "";

    if (config_setting_type(at) == CONFIG_TYPE_FLOAT && strcmp(wanted, "a count") == 0)
        hint = "write it without a decimal point";
    profile_fail_at(group, at, key, hint, "is %s, expected %s", kind_of(at), wanted);
}

/* ---- scalars -------------------------------------------------------------------- */

static bool number_of(const config_setting_t *at, double *value)
{
    if (config_setting_type(at) == CONFIG_TYPE_INT)
        *value = config_setting_get_int(at);
    else if (config_setting_type(at) == CONFIG_TYPE_INT64)
        *value = (double)config_setting_get_int64(at);
    else if (config_setting_type(at) == CONFIG_TYPE_FLOAT)
        *value = config_setting_get_float(at);
    else
        return false;
    return true;
}

static void read_number(struct profile_group group, const config_setting_t *at,
                        const char *key, double *value, double low, double high)
{
    double number;

    if (!number_of(at, &number))
        wrong_kind(group, at, key, "a number");
    else if (!isfinite(number))
        profile_fail_at(group, at, key, "", "is not a finite number");
    else if (number < low || number > high)
        profile_fail_at(group, at, key, "", "%.10g is outside %.10g..%.10g", number,
                        low, high);
    else
        *value = number;
}

void profile_number(struct profile_group group, const char *key, double *value,
                    double low, double high)
{
    const config_setting_t *at = profile_find(group, key);

    if (at != NULL)
        read_number(group, at, key, value, low, high);
}

void profile_scaled(struct profile_group group, const char *key, double *value,
                    double unit, double low, double high)
{
    const config_setting_t *at = profile_find(group, key);
    double number = NAN;

    if (at == NULL)
        return;
    read_number(group, at, key, &number, low, high);
    if (!isnan(number))
        *value = number * unit;
}

void profile_quantity(struct profile_group group, const char *key,
                      struct quantity *value, double unit, double low, double high,
                      enum origin origin)
{
    const config_setting_t *at = profile_find(group, key);
    double part[3];

    if (at == NULL)
        return;
    if (!config_setting_is_list(at) && !config_setting_is_array(at)) {
        read_number(group, at, key, &part[0], low, high);
        part[1] = part[2] = part[0];
    } else if (config_setting_length(at) == 3) {
        for (unsigned i = 0; i < 3; i++)
            read_number(group, config_setting_get_elem(at, i), key, &part[i], low,
                        high);
    } else {
        profile_fail_at(group, at, key, "write a number or (value, low, high)",
                        "has %d parts", config_setting_length(at));
    }
    if (group.profile->failed)
        return;
    if (part[1] > part[0] || part[2] < part[0]) {
        profile_fail_at(group, at, key, "write (value, low, high)",
                        "%.10g is outside its band %.10g..%.10g", part[0], part[1],
                        part[2]);
        return;
    }
    *value =
        (struct quantity){part[0] * unit, part[1] * unit, part[2] * unit, origin, true};
}

static void read_integer(struct profile_group group, const config_setting_t *at,
                         const char *key, long long *value, long long low,
                         long long high)
{
    long long number;

    if (config_setting_type(at) == CONFIG_TYPE_INT)
        number = config_setting_get_int(at);
    else if (config_setting_type(at) == CONFIG_TYPE_INT64)
        number = config_setting_get_int64(at);
    else {
        wrong_kind(group, at, key, "a count");
        return;
    }
    if (number < low || number > high)
        profile_fail_at(group, at, key, "", "%lld is outside %lld..%lld", number, low,
                        high);
    else
        *value = number;
}

static void read_count(struct profile_group group, const config_setting_t *at,
                       const char *key, int *value, int low, int high)
{
    long long number = *value;

    if (at == NULL)
        return;
    read_integer(group, at, key, &number, low, high);
    *value = (int)number;
}

void profile_count(struct profile_group group, const char *key, int *value, int low,
                   int high)
{
    read_count(group, profile_find(group, key), key, value, low, high);
}

void profile_integer(struct profile_group group, const char *key, double *value,
                     double low, double high)
{
    const config_setting_t *at = profile_find(group, key);
    const double exact = 9007199254740992.0; /* 2^53 */
    long long number;

    if (at == NULL)
        return;
    low = low < -exact ? -exact : low;
    high = high > exact ? exact : high;
    number = 0;
    read_integer(group, at, key, &number, (long long)low, (long long)high);
    if (!group.profile->failed)
        *value = (double)number;
}

void profile_bool(struct profile_group group, const char *key, bool *value)
{
    const config_setting_t *at = profile_find(group, key);

    if (at == NULL)
        return;
    if (config_setting_type(at) != CONFIG_TYPE_BOOL)
        wrong_kind(group, at, key, "true or false");
    else
        *value = config_setting_get_bool(at) != 0;
}

/* ---- texts ---------------------------------------------------------------------- */

static const char *text_of(struct profile_group group, const config_setting_t *at,
                           const char *key)
{
    const char *text;

    if (config_setting_type(at) != CONFIG_TYPE_STRING) {
        wrong_kind(group, at, key, "a string in quotes");
        return NULL;
    }
    text = config_setting_get_string(at);
    if (text == NULL)
        return "";
    for (const char *c = text; *c != '\0';) {
        uint32_t ch;
        int bytes = gp_utf8(c, &ch);

        if (bytes > 0 && gp_is_tame(ch)) {
            c += bytes;
            continue;
        }
        if (bytes == 0)
            profile_fail_at(group, at, key, "save the file as UTF-8", "is not UTF-8");
        else
            profile_fail_at(group, at, key, "", "holds a control character (U+%04X)",
                            (unsigned)ch);
        return NULL;
    }
    return text;
}

static void read_string(struct profile_group group, const config_setting_t *at,
                        const char *key, char *value, size_t size)
{
    const char *text = text_of(group, at, key);

    if (text == NULL)
        return;
    if (strlen(text) >= size)
        profile_fail_at(group, at, key, "shorten it",
                        "is %zu bytes long, at most %zu fit", strlen(text), size - 1);
    else
        gp_copy(value, size, text);
}

void profile_string(struct profile_group group, const char *key, char *value,
                    size_t size)
{
    const config_setting_t *at = profile_find(group, key);

    if (at != NULL)
        read_string(group, at, key, value, size);
}

/* Index of the word in the table, or -1 after an error that lists or suggests words. */
static int read_word(struct profile_group group, const config_setting_t *at,
                     const char *key, const struct profile_word *words)
{
    const char *text = text_of(group, at, key);
    const char *names[128], *near;
    struct strbuf hint;
    size_t count = 0;

    if (text == NULL)
        return -1;
    for (; words[count].word != NULL && count < 128; count++) {
        if (gp_casecmp(words[count].word, text) == 0)
            return (int)count;
        names[count] = words[count].word;
    }
    strbuf_init(&hint);
    near = suggest_name(text, names, count);
    if (near != NULL)
        strbuf_addf(&hint, "did you mean \"%s\"?", near);
    else
        for (size_t i = 0; i < count; i++)
            strbuf_addf(&hint, "%s%s", i == 0 ? "one of " : ", ", names[i]);
    profile_fail_at(group, at, key, hint.text, "unknown value \"%.60s\"", text);
    strbuf_fini(&hint);
    return -1;
}

void profile_word(struct profile_group group, const char *key, int *value,
                  const struct profile_word *words)
{
    const config_setting_t *at = profile_find(group, key);
    int index = at != NULL ? read_word(group, at, key, words) : -1;

    if (index >= 0)
        *value = words[index].value;
}

/* ---- lists ---------------------------------------------------------------------- */

static bool is_sequence(const config_setting_t *at)
{
    return config_setting_is_list(at) || config_setting_is_array(at);
}

void profile_strings(struct profile_group group, const char *key, char *value,
                     size_t size)
{
    const config_setting_t *at = profile_find(group, key);
    int count = at != NULL && is_sequence(at) ? config_setting_length(at) : 1;
    struct strbuf joined;

    if (at == NULL)
        return;
    strbuf_init(&joined);
    for (int i = 0; i < count && !group.profile->failed; i++) {
        const config_setting_t *item =
            is_sequence(at) ? config_setting_get_elem(at, (unsigned)i) : at;
        const char *text = text_of(group, item, key);

        if (text != NULL && strchr(text, '|') != NULL)
            profile_fail_at(group, item, key, "write a list of strings", "holds a '|'");
        else if (text != NULL)
            strbuf_addf(&joined, "%s%s", i > 0 ? "|" : "", text);
        if (joined.len >= size)
            profile_fail_at(group, item, key, "", "is longer than %zu bytes in all",
                            size - 1);
    }
    if (!group.profile->failed)
        gp_copy(value, size, joined.text);
    strbuf_fini(&joined);
}

void profile_bits(struct profile_group group, const char *key, unsigned *bits,
                  const struct profile_word *words)
{
    const config_setting_t *at = profile_find(group, key);
    unsigned set = 0;

    if (at == NULL)
        return;
    if (!is_sequence(at)) {
        wrong_kind(group, at, key, "a list of strings");
        return;
    }
    for (int i = 0; i < config_setting_length(at); i++) {
        int index =
            read_word(group, config_setting_get_elem(at, (unsigned)i), key, words);

        if (index < 0)
            return;
        set |= 1u << words[index].value;
    }
    *bits = set;
}

int profile_length(struct profile_group group, const char *key, int max)
{
    const config_setting_t *at = profile_find(group, key);

    if (at == NULL)
        return 0;
    if (!is_sequence(at)) {
        wrong_kind(group, at, key, "a list");
        return 0;
    }
    if (config_setting_length(at) > max) {
        profile_fail_at(group, at, key, "", "has %d items, at most %d are read",
                        config_setting_length(at), max);
        return 0;
    }
    return config_setting_length(at);
}

/* Item i of a list that profile_length() has seen. */
static config_setting_t *item_at(struct profile_group group, const char *key, int i)
{
    config_setting_t *list;

    if (group.profile == NULL || group.setting == NULL || group.profile->failed ||
        i < 0)
        return NULL;
    list = config_setting_get_member(group.setting, key);
    if (list == NULL || !is_sequence(list))
        return NULL;
    return config_setting_get_elem(list, (unsigned)i);
}

struct profile_group profile_item(struct profile_group group, const char *key, int i)
{
    config_setting_t *at = item_at(group, key, i);

    if (at != NULL && !config_setting_is_group(at)) {
        wrong_kind(group, at, key, "a group { ... }");
        at = NULL;
    }
    return (struct profile_group){group.profile, at};
}

void profile_string_at(struct profile_group group, const char *key, int i, char *value,
                       size_t size)
{
    const config_setting_t *at = item_at(group, key, i);

    if (at != NULL)
        read_string(group, at, key, value, size);
}

void profile_count_at(struct profile_group group, const char *key, int i, int *value,
                      int low, int high)
{
    read_count(group, item_at(group, key, i), key, value, low, high);
}

void profile_number_at(struct profile_group group, const char *key, int i,
                       double *value, double low, double high)
{
    const config_setting_t *at = item_at(group, key, i);

    if (at != NULL)
        read_number(group, at, key, value, low, high);
}

struct profile_group profile_sub(struct profile_group group, const char *key)
{
    config_setting_t *at = profile_find(group, key);

    if (at != NULL && !config_setting_is_group(at)) {
        wrong_kind(group, at, key, "a group { ... }");
        at = NULL;
    }
    return (struct profile_group){group.profile, at};
}

struct profile_group profile_sub_named(struct profile_group group, const char *name)
{
    struct profile_group none = {group.profile, NULL};
    config_setting_t *at = NULL;

    if (group.profile->failed)
        return none;
    if (group.setting != NULL)
        at = config_setting_get_member(group.setting, name);
    if (at == NULL || !config_setting_is_group(at)) {
        profile_fail_at(group, at, name, "", "is not a group");
        return none;
    }
    at->hook = group.setting; /* known, like all that profile_find() returns */
    return (struct profile_group){group.profile, at};
}
