/*
 * profile.c - profile files: opening, finding settings, errors, unknown keys, getters.
 *
 * Every getter goes through profile_find(): it records the name, marks the setting as
 * known through libconfig's hook, and returns NULL once an error has occurred. Unknown
 * keys are compared with the recorded names.
 *
 * Quantities take an integer or a float, because "80" and "80.0" mean the same there;
 * counts take an integer only, because 8.5 GPUs mean nothing. A band is three numbers,
 * (1.04, 0.51, 1.85) = value, low, high.
 */
#include "catalog/profile.h"

#include <ctype.h>
#include <errno.h>
#include <libconfig.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/suggest.h"
#include "catalog/compiled.h"

struct asked {
    const config_setting_t *group;
    const char *key; /* the getters' callers pass literals */
};

/* A group that was looked into: a bit for each of its names, by name_bit(), and where the one after
 * the last that was found stands. */
struct sought {
    const config_setting_t *group;
    uint64_t names;
    unsigned next;
};

#define SOUGHT 16
#define ASKED_FIRST 128 /* as many as most profiles are asked for */

struct profile {
    char *name;
    config_t config;
    config_setting_t *root;
    void *tree;                   /* of a compiled text: root and all below it */
    const config_setting_t *item; /* the one that is read of a set; NULL = a file of its own */
    bool failed;
    struct gp_err err;
    const config_setting_t *lacking; /* the group of which the error names missing keys; or NULL */
    struct asked *asked;
    size_t asked_count, asked_cap;
    struct sought sought[SOUGHT]; /* groups that were looked into, by their address */
};

static char known_mark; /* only its address is used */

/* config_setting_get_member() looks for a path's separators at each character of each
 * name; keys hold none. */
static config_setting_t *member_of(const config_setting_t *group, const char *key)
{
    const config_list_t *members;

    if (!config_setting_is_group(group) || group->value.list == NULL)
        return NULL;
    members = group->value.list;
    for (unsigned i = 0; i < members->length; i++) {
        const char *name = members->elements[i]->name;

        if (name[0] == key[0] && strcmp(name, key) == 0)
            return members->elements[i];
    }
    return NULL;
}

/* Of the letters in which most names differ. */
static uint64_t name_bit(const char *name)
{
    return (uint64_t)1 << ((name[0] * 5 + name[name[0] != '\0'] * 3) & 63);
}

/* The same for one key after the other of a group: most are not there, and the rest stand in
 * about the order in which they are asked for. libconfig takes no name twice. */
static config_setting_t *find_member(struct profile *profile, const config_setting_t *group,
                                     const char *key)
{
    struct sought *sought = &profile->sought[(uintptr_t)group / sizeof *group % SOUGHT];
    const config_list_t *members;

    if (!config_setting_is_group(group) || group->value.list == NULL)
        return NULL;
    members = group->value.list;
    if (sought->group != group) {
        *sought = (struct sought){.group = group};
        for (unsigned i = 0; i < members->length; i++)
            sought->names |= name_bit(members->elements[i]->name);
    }
    if (!(sought->names & name_bit(key)))
        return NULL;
    for (unsigned n = 0, i = sought->next; n < members->length; n++, i++) {
        i = i < members->length ? i : 0;
        config_setting_t *at = members->elements[i];

        if (at->name[0] == key[0] && strcmp(at->name, key) == 0) {
            sought->next = i + 1;
            return at;
        }
    }
    return NULL;
}

/* ---- refusing what libconfig 1.5 would misread, before it reads ----
 *
 * Integers beyond 32 bits without an L (they wrap silently), any integer beyond 64
 * bits, @include, NUL bytes, brackets nested deeper than PROFILE_MAX_DEPTH, and groups
 * so large that libconfig would take minutes over them.
 * Strings and comments are skipped the way libconfig skips them, and what it need not see,
 * comments and most blanks, is left out of the text that it is given: its lexer takes longer over
 * a byte than the whole scan.
 *
 * A word is a run of [A-Za-z0-9_.+-*]; it is an integer when it is digits (or 0x and
 * hexadecimal digits) after an optional sign, followed by nothing, L or LL. libconfig
 * reads the first two with a 32-bit type and the last two with a 64-bit one, and checks
 * neither: 2147483648 becomes -2147483648. So they are checked here. It also looks
 * through a whole group for each new name, so groups are kept to 1024 settings.
 */

#define SETTINGS_MAX 1024 /* of one group */

struct scan {
    const char *name;
    const char *at, *end;
    char *out; /* where the next of what is left goes */
    int line;
    int depth;
    int settings[PROFILE_MAX_DEPTH + 1]; /* so far, of the group open at each depth */
    struct gp_err *err;
};

static enum gp_status refuse_word(const struct scan *scan, const char *hint, const char *text,
                                  const char *word, size_t len)
{
    char where[192], cut[48];

    if (len >= sizeof cut)
        len = sizeof cut - 1;
    memcpy(cut, word, len);
    cut[len] = '\0';
    gp_format(where, sizeof where, "%s:%d", scan->name, scan->line);
    return gp_fail(scan->err, GP_E_FILE, where, hint, "%s %s", cut, text);
}

/* Passes a comment; its line ends stay. */
static void skip_comment(struct scan *scan)
{
    const char *stop;

    if (*scan->at == '#' || scan->at[1] == '/') { /* the caller has seen that there is one */
        stop = memchr(scan->at, '\n', (size_t)(scan->end - scan->at));
        scan->at = stop != NULL ? stop : scan->end;
        return;
    }
    *scan->out++ = ' '; /* it parts two words */
    for (scan->at += 2; scan->at < scan->end; scan->at++) {
        if (*scan->at == '\n') {
            scan->line++;
            *scan->out++ = '\n';
        }
        if (*scan->at == '*' && scan->at + 1 < scan->end && scan->at[1] == '/') {
            scan->at += 2;
            return;
        }
    }
}

static void scan_copy(struct scan *scan, const char *until)
{
    size_t len = (size_t)(until - scan->at);

    memcpy(scan->out, scan->at, len);
    scan->out += len;
    scan->at = until;
}

static void skip_string(struct scan *scan)
{
    const char *quote = memchr(scan->at + 1, '"', (size_t)(scan->end - scan->at - 1));
    size_t len = quote ? (size_t)(quote - scan->at) : 0;
    const char *at = scan->at + 1;

    /* most have neither: a look at all of them at once is the shorter way */
    if (quote && !memchr(scan->at, '\\', len) && !memchr(scan->at, '\n', len)) {
        scan_copy(scan, quote + 1);
        return;
    }
    for (; at < scan->end && *at != '"'; at++) {
        if (*at == '\n')
            scan->line++;
        if (*at == '\\' && at + 1 < scan->end && at[1] != '\n')
            at++;
    }
    scan_copy(scan, at < scan->end ? at + 1 : scan->end);
}

static inline bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || (c >= '*' && c <= '-' && c != ',');
}

static inline bool parts_words(char c)
{
    return c == '=' || c == ';' || c == ',' || c == '\n' || c == '"' || c == '{' || c == '}' ||
           c == '(' || c == ')' || c == '[' || c == ']';
}

/* Length of the integer at the start of a word of `len`, without its L; 0 for none. */
static size_t integer_digits(const char *word, size_t len, bool *hex)
{
    size_t i = 0;

    *hex = false;
    if (len > 2 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X')) {
        *hex = true;
        for (i = 2; i < len && isxdigit((unsigned char)word[i]); i++)
            ;
        return i;
    }
    if (len > 0 && (word[0] == '-' || word[0] == '+'))
        i++;
    if (i == len || !isdigit((unsigned char)word[i]))
        return 0;
    while (i < len && isdigit((unsigned char)word[i]))
        i++;
    return i;
}

static enum gp_status check_word(const struct scan *scan, const char *word, size_t len)
{
    char digits[40];
    bool hex;
    size_t used = integer_digits(word, len, &hex);
    size_t rest = len - used;
    bool wide = rest > 0 && word[used] == 'L';
    long long value;

    if (len == 1 && *word == '.')
        return refuse_word(scan, "", "is not a number", word, len);
    if (used == 0 || (rest > 0 && !wide) || rest > 2 || (rest == 2 && word[used + 1] != 'L'))
        return GP_OK; /* a name, a float, or something libconfig itself refuses */
    if (used <= 9)
        return GP_OK; /* 32 bits hold it: nearly all */
    if (used >= sizeof digits)
        return refuse_word(scan, "write it with a decimal point", "has too many digits", word, len);
    memcpy(digits, word, used);
    digits[used] = '\0';
    errno = 0;
    value = strtoll(digits, NULL, hex ? 16 : 10);
    if (errno == ERANGE)
        return refuse_word(scan, "write it with a decimal point", "does not fit in 64 bits", word,
                           len);
    if (!wide && (value > INT32_MAX || value < INT32_MIN))
        return refuse_word(scan, "append an L", "does not fit in 32 bits", word, len);
    return GP_OK;
}

static enum gp_status scan_mark(struct scan *scan)
{
    char c = *scan->at++;

    *scan->out++ = c;
    if (c == '\n')
        scan->line++;
    else if (c == '@')
        return refuse_word(scan, "put the settings into the file itself", "is not supported",
                           "@include", 8);
    else if ((c == ')' || c == ']' || c == '}') && scan->depth > 0)
        scan->depth--;
    else if (c == '(' || c == '[' || c == '{') {
        if (scan->depth == PROFILE_MAX_DEPTH)
            return refuse_word(scan, "", "is nested too deeply", &c, 1);
        scan->settings[++scan->depth] = 0;
    } else if ((c == '=' || c == ':') && ++scan->settings[scan->depth] > SETTINGS_MAX)
        return refuse_word(scan, "", "exceeds 1024 settings in one group", &c, 1);
    return GP_OK;
}

/* What is left goes to `out`, which has room for the text and a NUL. */
static enum gp_status profile_scan(const char *name, const char *text, size_t len, char *out,
                                   struct gp_err *err)
{
    struct scan scan = {
        .name = name, .at = text, .end = text + len, .out = out, .line = 1, .err = err};
    enum gp_status rc = GP_OK;

    if (memchr(text, '\0', len) != NULL)
        return gp_fail(err, GP_E_FILE, name, "", "holds a NUL byte: not a text file");
    while (rc == GP_OK && scan.at < scan.end) {
        char next = scan.at + 1 < scan.end ? scan.at[1] : '\0';

        if (*scan.at == ' ') { /* most of them stand beside a mark that parts words, too */
            char before = scan.out > out ? scan.out[-1] : '\n';

            while (scan.at < scan.end && *scan.at == ' ')
                scan.at++;
            if (!parts_words(before) && scan.at < scan.end && !parts_words(*scan.at))
                *scan.out++ = ' ';
        } else if (*scan.at == '#' || (*scan.at == '/' && (next == '/' || next == '*'))) {
            skip_comment(&scan);
        } else if (*scan.at == '"') {
            skip_string(&scan);
        } else if (word_char(*scan.at)) {
            const char *at = scan.at;

            while (at < scan.end && word_char(*at))
                at++;
            rc = check_word(&scan, scan.at, (size_t)(at - scan.at));
            scan_copy(&scan, at);
        } else {
            rc = scan_mark(&scan);
        }
    }
    *scan.out = '\0';
    return rc;
}

/* ---- opening -------------------------------------------------------------------- */

static struct profile *new_profile(const char *name)
{
    struct profile *profile = gp_calloc(1, sizeof *profile);

    profile->name = gp_strdup(name);
    config_init(&profile->config);
    return profile;
}

enum gp_status profile_parse(const char *name, const char *text, size_t len, struct profile **out,
                             struct gp_err *err)
{
    struct profile *profile;
    enum gp_status rc;
    char where[192], *left;

    *out = NULL;
    if (len > PROFILE_MAX_BYTES)
        return gp_fail(err, GP_E_FILE, name, "", "is %zu bytes, more than %d", len,
                       PROFILE_MAX_BYTES);
    left = gp_malloc(len + 1);
    rc = profile_scan(name, text, len, left, err);
    if (rc != GP_OK) {
        free(left);
        return rc;
    }
    profile = new_profile(name);
    if (config_read_string(&profile->config, left) == CONFIG_TRUE) {
        profile->root = config_root_setting(&profile->config);
        *out = profile;
    } else {
        const char *why = config_error_text(&profile->config);

        gp_format(where, sizeof where, "%s:%d", name, config_error_line(&profile->config));
        rc = gp_fail(err, GP_E_FILE, where, "see gpuplan-profile(5)", "%s",
                     why != NULL ? why : "cannot be read");
        profile_free(profile);
    }
    free(left);
    return rc;
}

enum gp_status profile_open(const char *path, const struct compiled *compiled, struct profile **out,
                            struct gp_err *err)
{
    struct profile *profile;
    char *text;
    size_t len;
    enum gp_status rc = path_read(path, PROFILE_MAX_BYTES, &text, &len, err);

    *out = NULL;
    if (rc != GP_OK)
        return rc;
    profile = new_profile(path);
    profile->root = compiled_find(compiled, text, len, &profile->config, &profile->tree);
    if (profile->root != NULL) {
        *out = profile;
    } else {
        profile_free(profile);
        rc = profile_parse(path, text, len, out, err);
    }
    free(text);
    return rc;
}

void profile_free(struct profile *profile)
{
    if (profile == NULL)
        return;
    config_destroy(&profile->config);
    free(profile->tree);
    free(profile->asked);
    free(profile->name);
    free(profile);
}

struct profile_group profile_top(struct profile *profile)
{
    return (struct profile_group){.profile = profile, .setting = profile->root};
}

/* ---- errors --------------------------------------------------------------------- */

/* "slices[2].memory_gb" for a key of a group, or for the group itself (key NULL). */
static void field_name(char *dst, size_t size, const config_setting_t *group, const char *key)
{
    const config_setting_t *up[PROFILE_MAX_DEPTH + 2];
    struct strbuf buf;
    int n = 0;

    strbuf_init(&buf);
    for (; group != NULL && group->parent != NULL && n < PROFILE_MAX_DEPTH + 2;
         group = group->parent)
        up[n++] = group;
    while (n-- > 0) {
        if (up[n]->name == NULL)
            strbuf_addf(&buf, "[%d]", config_setting_index(up[n]));
        else
            strbuf_addf(&buf, "%s%s", buf.len > 0 ? "." : "", up[n]->name);
    }
    if (key != NULL)
        strbuf_addf(&buf, "%s%s", buf.len > 0 ? "." : "", key);
    gp_copy(dst, size, buf.text);
    strbuf_fini(&buf);
}

static void where_of(struct profile_group group, const config_setting_t *at, const char *field,
                     char *text, size_t size)
{
    if (at == NULL || config_setting_source_line(at) == 0)
        gp_format(text, size, "%s%s%s", group.profile->name, field[0] != '\0' ? ": " : "", field);
    else
        gp_format(text, size, "%s:%u%s%s", group.profile->name, config_setting_source_line(at),
                  field[0] != '\0' ? ": " : "", field);
}

void profile_where(struct profile_group group, const char *key, char *text, size_t size)
{
    const config_setting_t *at = group.setting != NULL ? member_of(group.setting, key) : NULL;
    char field[96];

    text[0] = '\0';
    if (group.profile == NULL)
        return;
    field_name(field, sizeof field, group.setting, key);
    where_of(group, at != NULL ? at : group.setting, field, text, size);
}

#define MEANT "did you mean "

/* A key of the group that nothing reads and that is nearly `key`: a misspelling; or NULL. */
static const char *misspelt_key(const config_setting_t *group, const char *key)
{
    const char *names[128];
    size_t count = 0;

    if (group == NULL || key == NULL || !config_setting_is_group(group) ||
        member_of(group, key) != NULL)
        return NULL;
    for (int i = 0; i < config_setting_length(group) && count < 128; i++) {
        const config_setting_t *at = config_setting_get_elem(group, (unsigned)i);

        if (at->name != NULL && at->hook == NULL)
            names[count++] = at->name;
    }
    return suggest_name(key, names, count);
}

static void vfail_at(struct profile_group group, const config_setting_t *at, const char *key,
                     const char *hint, const char *fmt, va_list args)
{
    char where[192], field[96], text[320], meant[96];
    const char *misspelt;

    if (group.profile == NULL || group.profile->failed)
        return;
    vsnprintf(text, sizeof text, fmt, args);
    misspelt = misspelt_key(group.setting, key);
    if (misspelt != NULL) {
        gp_format(meant, sizeof meant, MEANT "%s in place of %.40s?", key, misspelt);
        hint = meant;
    }
    field_name(field, sizeof field, group.setting, key);
    where_of(group, at, field, where, sizeof where);
    gp_fail(&group.profile->err, GP_E_FILE, where, hint, "%s", text);
    group.profile->failed = true;
}

/* Lets the first error stick, with the line of `at`. */
__attribute__((format(printf, 5, 6))) static void profile_fail_at(struct profile_group group,
                                                                  const config_setting_t *at,
                                                                  const char *key, const char *hint,
                                                                  const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vfail_at(group, at, key, hint, fmt, args);
    va_end(args);
}

void profile_fail(struct profile_group group, const char *key, const char *hint, const char *fmt,
                  ...)
{
    const config_setting_t *at = NULL;
    va_list args;

    if (group.setting != NULL && key != NULL)
        at = member_of(group.setting, key);
    va_start(args, fmt);
    vfail_at(group, at != NULL ? at : group.setting, key, hint, fmt, args);
    va_end(args);
}

bool profile_failed(const struct profile *profile)
{
    return profile->failed;
}

/* ---- unknown keys --------------------------------------------------------------- */

/* Depth is at most PROFILE_MAX_DEPTH: the scan saw to that. */
static void warn_group(struct profile *profile, const config_setting_t *group, profile_warn_fn warn,
                       void *ctx)
{
    const config_list_t *members = group->value.list;

    for (unsigned i = 0; members != NULL && i < members->length; i++) {
        const config_setting_t *at = members->elements[i];
        const char *names[128], *near;
        char field[96], line[512];
        size_t known = 0;

        if (profile->item != NULL && group == profile->item->parent && at != profile->item)
            continue;
        if (at->name == NULL || at->hook != NULL) {
            if (config_setting_is_group(at) || config_setting_is_list(at))
                warn_group(profile, at, warn, ctx);
            continue;
        }
        for (size_t k = 0; k < profile->asked_count && known < 128; k++)
            if (profile->asked[k].group == group)
                names[known++] = profile->asked[k].key;
        near = suggest_name(at->name, names, known);
        field_name(field, sizeof field, at, NULL);
        gp_format(line, sizeof line, "%s:%u: %s: unknown key%s%s%s", profile->name,
                  config_setting_source_line(at), field, near != NULL ? ", did you mean " : "",
                  near != NULL ? near : "", near != NULL ? "?" : "");
        warn(ctx, line);
    }
}

enum gp_status profile_finish(struct profile *profile, profile_warn_fn warn, void *ctx,
                              struct gp_err *err)
{
    if (profile->failed) {
        if (err != NULL)
            *err = profile->err;
        return profile->err.code;
    }
    if (warn != NULL)
        warn_group(profile, profile->root, warn, ctx);
    return GP_OK;
}

enum gp_status profile_read_compiled(const char *path, const struct compiled *compiled,
                                     profile_read_fn read, void *target, profile_warn_fn warn,
                                     void *ctx, struct gp_err *err)
{
    struct profile *profile;
    enum gp_status rc = profile_open(path, compiled, &profile, err);

    if (rc != GP_OK)
        return rc;
    read(profile_top(profile), target);
    rc = profile_finish(profile, warn, ctx, err);
    profile_free(profile);
    return rc;
}

enum gp_status profile_read(const char *path, profile_read_fn read, void *target,
                            profile_warn_fn warn, void *ctx, struct gp_err *err)
{
    return profile_read_compiled(path, NULL, read, target, warn, ctx, err);
}

enum gp_status profile_read_item(const char *path, const struct compiled *compiled, const char *id,
                                 profile_read_fn read, void *target, profile_warn_fn warn,
                                 void *ctx, struct gp_err *err)
{
    struct profile *profile;
    enum gp_status rc = profile_open(path, compiled, &profile, err);
    struct profile_group top, item = {.profile = NULL};

    if (rc != GP_OK)
        return rc;
    top = profile_top(profile);
    for (int i = 0; i < profile_length(top, PROFILE_SET, PROFILE_SET_MAX); i++) {
        char its[256] = "";

        item = profile_item(top, PROFILE_SET, i);
        profile_string(item, "id", its, sizeof its);
        if (strcmp(its, id) == 0)
            break;
        item.setting = NULL;
    }
    profile->item = item.setting;
    item.common = profile->root;
    if (item.setting == NULL)
        profile_fail(top, PROFILE_SET, "", "holds no item '%s'", id);
    else
        read(item, target);
    rc = profile_finish(profile, warn, ctx, err);
    profile_free(profile);
    return rc;
}

/* ---- finding -------------------------------------------------------------------- */

/* The setting, made known; NULL when it is absent or an error has stuck. */
static config_setting_t *profile_find(struct profile_group group, const char *key)
{
    struct profile *profile = group.profile;
    config_setting_t *at;

    if (profile == NULL || group.setting == NULL || profile->failed)
        return NULL;
    if (profile->asked_count == profile->asked_cap)
        profile->asked = gp_grow(profile->asked, &profile->asked_cap,
                                 profile->asked_count + ASKED_FIRST, sizeof *profile->asked);
    profile->asked[profile->asked_count++] = (struct asked){group.setting, key};
    at = find_member(profile, group.setting, key);
    if (group.common != NULL) {
        config_setting_t *all = member_of(group.common, key);

        if (all != NULL)
            all->hook = &known_mark;
        if (at == NULL)
            return all;
    }
    if (at != NULL)
        at->hook = &known_mark;
    return at;
}

bool profile_has(struct profile_group group, const char *key)
{
    return profile_find(group, key) != NULL;
}

static void profile_missing(struct profile_group group, const char *key, const char *hint)
{
    struct profile *p = group.profile;
    const char *misspelt;

    if (!p->failed) {
        profile_fail_at(group, group.setting, key, hint, "is missing");
        p->lacking = group.setting;
    } else if (p->lacking == group.setting) {
        gp_append(p->err.where, sizeof p->err.where, ", ", "%s", key);
        gp_copy(p->err.text, sizeof p->err.text, "are missing");
        misspelt = misspelt_key(group.setting, key);
        if (misspelt != NULL && strncmp(p->err.hint, MEANT, strlen(MEANT)) != 0)
            gp_format(p->err.hint, sizeof p->err.hint, MEANT "%s in place of %.40s?", key,
                      misspelt);
    }
}

void profile_require(struct profile_group group, const char *key)
{
    if (group.profile == NULL || group.setting == NULL)
        return;
    const config_setting_t *at = profile_find(group, key);
    if (at != NULL && group.common == NULL)
        return;
    if (member_of(group.setting, key) == NULL) /* where an error has stuck nothing is found */
        profile_missing(group, key, "");
}

void profile_needs(struct profile_group group, const struct profile_need *needs, size_t count,
                   const char *hint)
{
    for (size_t i = 0; i < count; i++)
        if (!needs[i].there)
            profile_missing(group, needs[i].key, hint);
}

bool profile_here(struct profile_group group)
{
    return group.setting != NULL;
}

/* ---- getters: one value, of the right kind and range ---------------------------- */

static const char *kind_of(const config_setting_t *at)
{
    static const struct profile_word kinds[] = {
        {"a group", CONFIG_TYPE_GROUP},    {"an integer", CONFIG_TYPE_INT},
        {"an integer", CONFIG_TYPE_INT64}, {"a float", CONFIG_TYPE_FLOAT},
        {"a string", CONFIG_TYPE_STRING},  {"true or false", CONFIG_TYPE_BOOL},
        {"an array", CONFIG_TYPE_ARRAY},   {"a list", CONFIG_TYPE_LIST},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].value == config_setting_type(at))
            return kinds[i].word;
    return "nothing";
}

static void wrong_kind(struct profile_group group, const config_setting_t *at, const char *key,
                       const char *wanted)
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

static void read_number(struct profile_group group, const config_setting_t *at, const char *key,
                        double *value, double low, double high)
{
    double number;

    if (!number_of(at, &number))
        wrong_kind(group, at, key, "a number");
    else if (!isfinite(number))
        profile_fail_at(group, at, key, "", "is not a finite number");
    else if (number < low || number > high)
        profile_fail_at(group, at, key, "", "%.10g is outside %.10g..%.10g", number, low, high);
    else
        *value = number;
}

/* A number times `unit`. */
static void read_scaled(struct profile_group group, const char *key, double *value, double unit,
                        double low, double high)
{
    const config_setting_t *at = profile_find(group, key);
    double number = NAN;

    if (at != NULL)
        read_number(group, at, key, &number, low, high);
    if (!isnan(number))
        *value = number * unit;
}

void profile_number(struct profile_group group, const char *key, double *value, double low,
                    double high)
{
    read_scaled(group, key, value, 1, low, high);
}

void profile_quantity(struct profile_group group, const char *key, struct quantity *value,
                      double unit, double low, double high, enum origin origin)
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
            read_number(group, config_setting_get_elem(at, i), key, &part[i], low, high);
    } else {
        profile_fail_at(group, at, key, "write a number or (value, low, high)", "has %d parts",
                        config_setting_length(at));
    }
    if (group.profile->failed)
        return;
    if (part[1] > part[0] || part[2] < part[0]) {
        profile_fail_at(group, at, key, "write (value, low, high)",
                        "%.10g is outside its band %.10g..%.10g", part[0], part[1], part[2]);
        return;
    }
    *value = (struct quantity){part[0] * unit, part[1] * unit, part[2] * unit, origin, true};
}

static void read_integer(struct profile_group group, const config_setting_t *at, const char *key,
                         long long *value, long long low, long long high)
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
        profile_fail_at(group, at, key, "", "%lld is outside %lld..%lld", number, low, high);
    else
        *value = number;
}

static void read_count(struct profile_group group, const config_setting_t *at, const char *key,
                       int *value, int low, int high)
{
    long long number = *value;

    if (at == NULL)
        return;
    read_integer(group, at, key, &number, low, high);
    *value = (int)number;
}

void profile_count(struct profile_group group, const char *key, int *value, int low, int high)
{
    read_count(group, profile_find(group, key), key, value, low, high);
}

void profile_integer(struct profile_group group, const char *key, double *value, double low,
                     double high)
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

static const char *text_of(struct profile_group group, const config_setting_t *at, const char *key)
{
    const char *text;

    if (config_setting_type(at) != CONFIG_TYPE_STRING) {
        wrong_kind(group, at, key, "a string in quotes");
        return NULL;
    }
    text = config_setting_get_string(at);
    if (text == NULL)
        return "";
    for (const char *c = text;;) {
        uint32_t ch = 0;
        int bytes;

        while (*c >= ' ' && *c <= '~') /* nearly all */
            c++;
        if (*c == '\0')
            return text;
        bytes = gp_utf8(c, &ch);
        if (bytes > 0 && gp_is_clean(ch)) {
            c += bytes;
            continue;
        }
        if (bytes == 0)
            profile_fail_at(group, at, key, "save the file as UTF-8", "is not UTF-8");
        else
            profile_fail_at(group, at, key, "", "holds a control character (U+%04X)", (unsigned)ch);
        return NULL;
    }
}

static void read_string(struct profile_group group, const config_setting_t *at, const char *key,
                        char *value, size_t size)
{
    const char *text = text_of(group, at, key);

    if (text == NULL)
        return;
    size_t len = strlen(text);
    if (len >= size)
        profile_fail_at(group, at, key, "shorten it", "is %zu bytes long, at most %zu fit", len,
                        size - 1);
    else
        memcpy(value, text, len + 1);
}

void profile_string(struct profile_group group, const char *key, char *value, size_t size)
{
    const config_setting_t *at = profile_find(group, key);

    if (at != NULL)
        read_string(group, at, key, value, size);
}

/* Index of the word in the table, or -1 after an error that lists or suggests words. */
static int read_word(struct profile_group group, const config_setting_t *at, const char *key,
                     const struct profile_word *words)
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

/* "2026", "2026-07", "2026-Q2", "2026-07-20" */
static void read_date(struct profile_group group, const char *key, char *date, size_t size)
{
    const config_setting_t *at = profile_find(group, key);
    size_t len, good = 0;

    if (at == NULL)
        return;
    read_string(group, at, key, date, size);
    len = strlen(date);
    while (good < len &&
           (good == 4 || good == 7 ? date[good] == '-'
                                   : isdigit((unsigned char)date[good]) ||
                                         (good == 5 && date[good] == 'Q' && len == 7)))
        good++;
    if (good < len || (len != 0 && len != 4 && len != 7 && len != 10))
        profile_fail_at(group, at, key, "write it as in \"2026-07-20\"", "\"%s\" is not a date",
                        date);
}

/* ---- lists ---------------------------------------------------------------------- */

static bool is_sequence(const config_setting_t *at)
{
    return config_setting_is_list(at) || config_setting_is_array(at);
}

void profile_strings(struct profile_group group, const char *key, char *value, size_t size)
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
        if (i > 0)
            strbuf_addc(&joined, '|');
        strbuf_add(&joined, text != NULL ? text : "");
        if (joined.len >= size)
            profile_fail_at(group, item, key, "", "is longer than %zu bytes in all", size - 1);
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
        int index = read_word(group, config_setting_get_elem(at, (unsigned)i), key, words);

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

    if (group.profile == NULL || group.setting == NULL || group.profile->failed || i < 0)
        return NULL;
    list = member_of(group.setting, key);
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
    return (struct profile_group){.profile = group.profile, .setting = at};
}

void profile_count_at(struct profile_group group, const char *key, int i, int *value, int low,
                      int high)
{
    read_count(group, item_at(group, key, i), key, value, low, high);
}

void profile_number_at(struct profile_group group, const char *key, int i, double *value,
                       double low, double high)
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
    return (struct profile_group){.profile = group.profile, .setting = at};
}

struct profile_group profile_sub_named(struct profile_group group, const char *name)
{
    struct profile_group none = {.profile = group.profile};
    config_setting_t *at = NULL;

    if (group.profile->failed)
        return none;
    if (group.setting != NULL)
        at = member_of(group.setting, name);
    if (at == NULL || !config_setting_is_group(at)) {
        profile_fail_at(group, at, name, "", "is not a group");
        return none;
    }
    at->hook = group.setting; /* known, like all that profile_find() returns */
    return (struct profile_group){.profile = group.profile, .setting = at};
}

/* ---- structs -------------------------------------------------------------------- */

static void read_share(struct profile_group group, const char *key, int share[2])
{
    int count = profile_length(group, key, 2);

    if (count == 0)
        return;
    profile_count_at(group, key, 0, &share[0], 0, 64);
    profile_count_at(group, key, 1, &share[1], 1, 64);
    if (count != 2 || share[0] > share[1])
        profile_fail(group, key, "write [part, whole], as in [3, 7]", "is not a share");
}

static void read_list(struct profile_group group, const struct profile_field *f, char *base)
{
    const struct profile_list *list = f->list;
    int count = profile_length(group, f->key, list->max);

    if (count == 0)
        return;
    memcpy(base + list->count, &count, sizeof(count));
    memset(base + f->offset, 0, f->size);
    for (int i = 0; i < count && !group.profile->failed; i++) {
        struct profile_group item = profile_item(group, f->key, i);

        for (size_t k = 0; k < list->item.count; k++)
            if (list->item.fields[k].required)
                profile_require(item, list->item.fields[k].key);
        profile_fields(item, list->item.fields, list->item.count,
                       base + f->offset + (size_t)i * list->item_size);
    }
}

static void read_field(struct profile_group group, const struct profile_field *f, char *base)
{
    void *member = base + f->offset;
    double unit = f->unit != 0 ? f->unit : 1;

    switch (f->kind) {
    case PROFILE_TEXT:
        profile_string(group, f->key, member, f->size);
        break;
    case PROFILE_TEXTS:
        profile_strings(group, f->key, member, f->size);
        break;
    case PROFILE_DATE:
        read_date(group, f->key, member, f->size);
        break;
    case PROFILE_FLAG:
        profile_bool(group, f->key, member);
        break;
    case PROFILE_WORD:
        profile_word(group, f->key, member, f->words);
        break;
    case PROFILE_BITS:
        profile_bits(group, f->key, member, f->words);
        break;
    case PROFILE_COUNT:
        profile_count(group, f->key, member, (int)f->low, (int)f->high);
        break;
    case PROFILE_INTEGER:
        profile_integer(group, f->key, member, f->low, f->high);
        break;
    case PROFILE_NUMBER:
        read_scaled(group, f->key, member, unit, f->low, f->high);
        break;
    case PROFILE_QUANTITY:
        profile_quantity(group, f->key, member, unit, f->low, f->high, ORIGIN_SHEET);
        break;
    case PROFILE_SHARE:
        read_share(group, f->key, member);
        break;
    case PROFILE_LIST:
        read_list(group, f, base);
    }
}

void profile_fields(struct profile_group group, const struct profile_field *fields, size_t count,
                    void *base)
{
    struct profile_group inner = group;
    const char *in = NULL;

    for (size_t i = 0; i < count; i++) {
        const struct profile_field *f = &fields[i];

        if (f->key == NULL)
            continue;
        if (f->in != NULL && (in == NULL || strcmp(in, f->in) != 0))
            inner = profile_sub(group, in = f->in);
        read_field(f->in != NULL ? inner : group, f, base);
    }
}
