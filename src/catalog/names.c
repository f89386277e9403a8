/*
 * names.c - see names.h.
 */
#include "catalog/names.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/str.h"

/* ---- words ---- */

void name_words(const char *text, char words[NAME_WORDS_MAX])
{
    size_t n = 0;
    int before = 0; /* 'a' after a letter, '0' after a digit, '-' after what divides */

    for (const char *c = text; *c; c++) {
        bool point = *c == '.' && before == '0' && isdigit((unsigned char)c[1]);
        int kind = isalpha((unsigned char)*c)            ? 'a'
                   : isdigit((unsigned char)*c) || point ? '0'
                                                         : '-';

        if (n + 3 > NAME_WORDS_MAX) {
            words[0] = '\0';
            return;
        }
        if (kind != '-' && before && kind != before)
            words[n++] = '-';
        if (kind != '-')
            words[n++] = gp_lower(*c);
        before = kind == '-' && n == 0 ? 0 : kind;
    }
    words[n] = '\0';
}

/* Are these the last words? Then *len is what stands before them. */
static bool ends_with(const char *words, const char *last, size_t *len)
{
    size_t n = strlen(words), m = strlen(last);

    if (m == 0 || m > n || strcmp(words + n - m, last) != 0 || (m < n && words[n - m - 1] != '-'))
        return false;
    *len = m < n ? n - m - 1 : 0;
    return true;
}

/* Are these words of it, in a row? */
static const char *words_hold(const char *words, const char *part)
{
    size_t m = strlen(part);

    for (const char *at = words; m > 0 && (at = strstr(at, part)) != NULL; at++)
        if ((at == words || at[-1] == '-') && (at[m] == '-' || at[m] == '\0'))
            return at;
    return NULL;
}

static void cut_out(char *words, char *at, size_t len)
{
    char *end = at + len;

    if (*end == '-')
        end++;
    else if (at > words)
        at--;
    memmove(at, end, strlen(end) + 1);
}

/* The next of a '|' separated list as words; false after the last. */
static bool list_next(const char **list, char item[NAME_WORDS_MAX])
{
    size_t len = strcspn(*list, "|");
    char text[NAME_WORDS_MAX];

    if (**list == '\0')
        return false;
    memcpy(text, *list, len < sizeof(text) ? len : 0);
    text[len < sizeof(text) ? len : 0] = '\0';
    name_words(text, item);
    *list += len + ((*list)[len] == '|');
    return true;
}

static bool takes_off(char *words, const char *list)
{
    char item[NAME_WORDS_MAX];
    size_t len;

    for (const char *rest = list; list_next(&rest, item);)
        if (ends_with(words, item, &len) && len > 0) {
            words[len] = '\0';
            return true;
        }
    return false;
}

static const char *words_hold_any(const char *words, const char *list)
{
    char item[NAME_WORDS_MAX];
    const char *at = NULL;

    for (const char *rest = list; !at && list_next(&rest, item);)
        at = words_hold(words, item);
    return at;
}

/* A date at the end: 0528, 2507, 2024. */
static bool takes_date(char *words)
{
    char *last = strrchr(words, '-');
    int date;

    if (!last || strlen(last + 1) != 4 || strspn(last + 1, "0123456789") != 4)
        return false;
    date = atoi(last + 1);
    if (!(date / 100 >= 20 && date / 100 <= 29 && date % 100 <= 31) &&
        !(date / 100 >= 1 && date / 100 <= 12 && date % 100 >= 1 && date % 100 <= 31))
        return false;
    *last = '\0';
    return true;
}

static void leave_out_kinds(const struct name_rules *rules, char *words)
{
    char item[NAME_WORDS_MAX];

    for (const char *rest = rules->leading; list_next(&rest, item);)
        if (words_hold(words, item) == words && words[strlen(item)])
            cut_out(words, words, strlen(item));
    for (const char *rest = rules->kinds; list_next(&rest, item);)
        for (char *at; (at = strstr(words, item)) && (at = (char *)words_hold(words, item)) &&
                       strcmp(words, item) != 0;)
            cut_out(words, at, strlen(item));
}

/* Billions of parameters at the end of words: "llama-3.1-8-b". Of "a-3-b" it is none. */
static double size_at_end(const char *words, size_t *len)
{
    size_t n = strlen(words), at;

    if (n < 4 || (strcmp(words + n - 2, "-b") != 0 && strcmp(words + n - 2, "-m") != 0))
        return 0;
    for (at = n - 2; at > 0 && words[at - 1] != '-';)
        at--;
    if (at < 2 || !isdigit((unsigned char)words[at]) ||
        (at > 2 && words[at - 3] == '-' && words[at - 2] == 'a'))
        return 0;
    *len = at - 1;
    return strtod(words + at, NULL) * (words[n - 1] == 'm' ? 1e-3 : 1);
}

static bool has_size(const char *words)
{
    for (const char *at = words; (at = strstr(at, "-b")) != NULL; at++)
        if ((at[2] == '-' || at[2] == '\0') && at > words && isdigit((unsigned char)at[-1]))
            return true;
    return false;
}

/* ---- a model's name, taken apart ---- */

struct typed {
    char publisher[96]; /* "" = none; lower case */
    char name[NAME_WORDS_MAX];
    char tag[96]; /* after the colon */
};

/* Of what begins an address, the last four also begin a path. */
static const char *skip_address(const char *text, bool path)
{
    static const char *const starts[] = {"https://",
                                         "http://",
                                         "hf://",
                                         "ollama://",
                                         "www.",
                                         "hf.co/",
                                         "huggingface.co/",
                                         "hf-mirror.com/",
                                         "modelscope.cn/",
                                         "lmstudio.ai/",
                                         "hf.co:",
                                         "ollama.com/",
                                         "registry.ollama.ai/",
                                         "ollama/",
                                         "library/",
                                         "models/",
                                         "model/"};

    for (size_t i = 0; i + (path ? 0 : 4) < sizeof(starts) / sizeof(starts[0]); i++) {
        size_t n = strlen(starts[i]);

        text += strncasecmp(text, starts[i], n) == 0 ? n : 0;
    }
    return text;
}

bool name_is_address(const char *text)
{
    return skip_address(text, false) != text;
}

/* "https://huggingface.co/Qwen/Qwen3-32B/tree/main?x" is Qwen/Qwen3-32B. */
static bool take_apart(const char *text, struct typed *out)
{
    const char *start = skip_address(text, true), *plus;
    bool url = start != text;
    char plain[256], *slash;
    int len = (int)strcspn(start, "?#");

    *out = (struct typed){.name = ""};
    plus = memchr(start, '+', (size_t)len); /* command-r+ */
    if (plus)
        gp_format(plain, sizeof(plain), "%.*s-plus%.*s", (int)(plus - start), start,
                  (int)(start + len - plus - 1), plus + 1);
    else
        gp_format(plain, sizeof(plain), "%.*s", len, start);
    if (strncmp(plain, "models--", 8) == 0 && (slash = strstr(plain + 8, "--")) != NULL) {
        plain[strcspn(plain, "/")] = '\0';
        memmove(plain, plain + 8, strlen(plain + 8) + 1);
        slash = strstr(plain, "--");
        *slash = '/';
        memmove(slash + 1, slash + 2, strlen(slash + 2) + 1);
    }
    for (size_t n = strlen(plain); n > 1 && plain[n - 1] == '/' && url; n--)
        plain[n - 1] = '\0';
    for (char *sign; (sign = strstr(plain, "\xC3\x97")) != NULL;) { /* the multiplication sign */
        *sign = 'x';
        memmove(sign + 1, sign + 2, strlen(sign + 2) + 1);
    }
    if (!plain[0] || strchr("./~-", plain[0]) || strlen(plain) + 1 == sizeof(plain))
        return false;
    slash = strchr(plain, '/');
    if (slash) {
        char *more = strchr(slash + 1, '/');

        const char *file = more ? strrchr(more, '/') + 1 : NULL;
        size_t n = file ? strlen(file) : 0;
        bool gguf = n > 5 && strcasecmp(file + n - 5, ".gguf") == 0;

        if (!slash[1] || (more && !url && !(gguf && strchr(more + 1, '/') == NULL)))
            return false;
        if (more)
            *more = '\0';
        if (gguf) { /* a file of it says its type: gemma-2-9b-it-Q6_K.gguf, one of several */
            const char *part = strstr(file, "-00001-of-");

            gp_format(out->name, sizeof(out->name), "%.*s",
                      (int)(part ? (size_t)(part - file) : n - 5), file);
        }
        *slash = '\0';
        gp_copy(out->publisher, sizeof(out->publisher), plain);
        slash++;
    } else {
        slash = plain;
    }
    char *colon = strchr(slash, ':');
    if (colon) {
        *colon = '\0';
        gp_copy(out->tag, sizeof(out->tag), colon + 1);
    }
    return (out->name[0] || gp_copy(out->name, sizeof(out->name), slash)) && out->name[0];
}

/* ---- formats ---- */

/* "q-4-k-m", "ud-q-4-k-xl": a type of GGUF file. */
static const struct format *gguf_format(const struct format *formats, size_t count,
                                        const char *words)
{
    char word[NAME_WORDS_MAX];
    size_t len;

    gp_copy(word, sizeof(word), strncmp(words, "ud-", 3) == 0 ? words + 3 : words);
    if (ends_with(word, "xl", &len))
        word[len] = '\0';
    if (strcmp(word, "fp-16") == 0)
        gp_copy(word, sizeof(word), "f-16"); /* as Ollama's tags have it */
    for (size_t i = 0; i < count; i++) {
        char item[NAME_WORDS_MAX];

        if (strcmp(formats[i].family, "gguf-file-mix") != 0)
            continue;
        name_words(formats[i].id, item);
        if (strcmp(item, word) == 0)
            return &formats[i];
        for (const char *rest = formats[i].aliases; list_next(&rest, item);)
            if (strcmp(item, word) == 0)
                return &formats[i];
    }
    return NULL;
}

/* A type of GGUF file at the end of a name. */
static const struct format *takes_gguf(const struct format *formats, size_t count, char *words)
{
    for (char *at = strrchr(words, '-'); at && at > words;) {
        const struct format *f = strlen(at + 1) < 20 ? gguf_format(formats, count, at + 1) : NULL;

        /* "q-8-0" holds no shorter one; "ud" and "i" before it belong to it */
        if (f && at - words > 3 && strncmp(at - 3, "-ud", 3) == 0)
            at -= 3;
        if (f) {
            *at = '\0';
            return f;
        }
        if (strlen(at) > 18)
            break;
        do
            at--;
        while (at > words && *at != '-');
    }
    return NULL;
}

static const char *longest_scheme(const struct name_rules *rules, const char *words, size_t *len)
{
    const char *best = NULL;
    size_t at;

    for (size_t i = 0; i < rules->scheme_count; i++)
        if ((!best || strlen(rules->schemes[i].suffix) > strlen(best)) &&
            ends_with(words, rules->schemes[i].suffix, &at) && at > 0) {
            best = rules->schemes[i].suffix;
            *len = at;
        }
    return best;
}

static bool begins_so(const char *words, const char *list)
{
    char item[NAME_WORDS_MAX];

    for (const char *rest = list; list_next(&rest, item);)
        if (strncmp(words, item, strlen(item)) == 0)
            return true;
    return false;
}

static const struct name_scheme *scheme_of(const struct name_rules *rules, const char *suffix,
                                           const char *publisher, const char *base)
{
    for (size_t i = 0; i < rules->scheme_count; i++) {
        const struct name_scheme *s = &rules->schemes[i];

        if (strcmp(s->suffix, suffix) == 0 &&
            (!s->by[0] || (publisher[0] && gp_has_word(s->by, "|", publisher))) &&
            (!s->of[0] || begins_so(base, s->of)))
            return s;
    }
    return NULL;
}

/* ---- looking up ---- */

struct search {
    const struct name_rules *rules;
    const struct registry_name *known;
    size_t count;
    const struct registry_name *found;
};

static void plain_words(const struct name_rules *rules, const char *text, char out[NAME_WORDS_MAX])
{
    size_t len;

    name_words(text, out);
    leave_out_kinds(rules, out);
    if (longest_scheme(rules, out, &len)) /* published in it: "-BF16" */
        out[len] = '\0';
}

static const char *tail_of(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash ? slash + 1 : name;
}

enum how { SAME, PLAIN, LOOSE, BEGINS, ENDS };

/* Words as people run them together or apart: "gptoss-20-b", "llama-3-1-8-b" for gpt-oss-20-b and
 * llama-3.1-8-b. A number that is a size stays as it is. */
static void loosen_words(char *words)
{
    char *to = words;

    for (const char *at = words; *at; at++) {
        bool letters =
                 at > words && isalpha((unsigned char)at[-1]) && isalpha((unsigned char)at[1]),
             version = at > words + 1 && isdigit((unsigned char)at[-1]) && at[-2] == '-' &&
                       isdigit((unsigned char)at[1]) && (at[2] == '\0' || at[2] == '-') &&
                       !(at[2] == '-' && strchr("bmx", at[3]) && (at[4] == '-' || !at[4]));

        if (*at != '-' || !letters)
            *to++ = *at == '-' && version ? '.' : *at;
    }
    *to = '\0';
    for (char *zero = words; (zero = strstr(zero, ".0-")) != NULL;) /* 4 is 4.0 */
        if (zero[3] == 'b' || zero[3] == 'm')
            zero += 3;
        else
            memmove(zero, zero + 2, strlen(zero + 2) + 1);
}

/* The item whose name answers these words. Of BEGINS and LOOSE, all that do must be of one id; of
 * ENDS the longest name counts, which must say a size. */
static bool look_up(struct search *s, const char *words, enum how how)
{
    char mine[NAME_WORDS_MAX], name[NAME_WORDS_MAX];
    size_t best = 0, len;

    gp_copy(mine, sizeof(mine), words);
    s->found = NULL;
    if (how != SAME)
        leave_out_kinds(s->rules, mine);
    if (how == LOOSE)
        loosen_words(mine);
    for (size_t i = 0; i < s->count; i++) {
        const struct registry_name *k = &s->known[i];

        if (how == SAME || how == BEGINS)
            name_words(tail_of(k->name), name);
        else
            plain_words(s->rules, tail_of(k->name), name);
        if (how == LOOSE)
            loosen_words(name);
        if (how == BEGINS || how == LOOSE) {
            size_t n = strlen(mine);

            if (strncmp(name, mine, n) != 0 || name[n] != (how == BEGINS ? '-' : '\0'))
                continue;
            if (s->found && strcmp(s->found->id, k->id) != 0) {
                s->found = NULL;
                return false;
            }
            s->found = k;
        } else if (how == ENDS) {
            if (strlen(name) <= best || !has_size(name) || !ends_with(mine, name, &len))
                continue;
            best = strlen(name);
            s->found = k;
        } else if (name[0] && strcmp(name, mine) == 0) {
            s->found = k;
            return true;
        }
    }
    return s->found != NULL;
}

/* What stands before the base in a longer name must not change its shape; a version at the end is
 * then its own: EVA-Qwen2.5-72B-v0.2. */
static bool is_finetune(struct search *s, const char *words)
{
    char name[NAME_WORDS_MAX], before[NAME_WORDS_MAX];
    size_t len, n;

    gp_copy(before, sizeof(before), words);
    bool found = look_up(s, before, ENDS), version = false;
    for (n = strlen(before); n > 0 && strchr("0123456789.", before[n - 1]);)
        n--;
    if (!found && n > 3 && before[n] && strncmp(before + n - 3, "-v-", 3) == 0) {
        before[n - 3] = '\0';
        version = found = look_up(s, before, ENDS);
    }
    if (!found)
        return false;
    plain_words(s->rules, tail_of(s->found->name), name);
    leave_out_kinds(s->rules, before);
    if (ends_with(before, name, &len))
        before[len] = '\0';
    if (has_size(before) || words_hold_any(before, s->rules->shapes) || (version && !before[0]))
        s->found = NULL;
    return s->found != NULL;
}

static const struct name_tag *find_tag(const struct name_rules *rules, const char *family)
{
    for (size_t i = 0; i < rules->tag_count; i++)
        if (strcmp(rules->tags[i].family, family) == 0)
            return &rules->tags[i];
    return NULL;
}

static const struct name_other *find_other(const struct name_rules *rules, const char *publisher,
                                           const char *words)
{
    for (size_t i = 0; i < rules->other_count; i++)
        if (words_hold(words, rules->others[i].word) &&
            !(publisher[0] && gp_has_word(rules->others[i].but, "|", publisher)))
            return &rules->others[i];
    return NULL;
}

static double bits_of(const struct format *formats, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(formats[i].id, id) == 0)
            return formats[i].per_weight;
    return 16;
}

/* Of two formats in one name the smaller is that of the experts or the MLPs; the larger bounds
 * what the rest may take. */
static void take_format(struct name_reading *out, const struct format *formats, size_t count,
                        const char *format, const char *other)
{
    if (!out->format[0]) {
        gp_copy(out->format, sizeof(out->format), format);
        gp_copy(out->other, sizeof(out->other), other);
        return;
    }
    bool smaller = bits_of(formats, count, format) < bits_of(formats, count, out->format);
    gp_copy(out->other, sizeof(out->other), smaller ? out->format : format);
    if (smaller)
        gp_copy(out->format, sizeof(out->format), format);
}

static void publisher_of(const char *alias, char *publisher, size_t size)
{
    size_t len = strcspn(alias, "/");

    publisher[0] = '\0';
    if (alias[len])
        gp_format(publisher, size, "%.*s", (int)len, alias);
    for (char *c = publisher; *c; c++)
        *c = gp_lower(*c);
}

/* The row of a family for a tag, "70b" or "70b-instruct-q8_0": its model's words, what stands
 * behind the size, and its format; false where it names no model. */
static bool tag_model(const struct name_tag *tag, const char *part, char id[NAME_WORDS_MAX],
                      char rest[NAME_WORDS_MAX], char format[FORMAT_ID_MAX])
{
    char size[32], model[96], type[FORMAT_ID_MAX], words[NAME_WORDS_MAX];
    size_t longest = 0;

    for (const char *row = tag ? tag->sizes : ""; *row;
         row += strcspn(row, "|"), row += *row == '|') {
        type[0] = '\0';
        if (sscanf(row, "%31[^ |] %95[^ |] %23[^ |]", size, model, type) < 2)
            continue;
        name_words(size, words);
        size_t n = strlen(words);
        if (n <= longest || strncmp(part, words, n) != 0 || (part[n] && part[n] != '-'))
            continue;
        longest = n;
        name_words(model, id);
        gp_copy(rest, NAME_WORDS_MAX, part + n);
        gp_copy(format, FORMAT_ID_MAX, type);
    }
    return longest > 0;
}

/* A tag of Ollama's as words of a name: "llama3.1" and "8b" are llama-3.1-8-b. What is no size
 * stands behind the usual one: llama3:instruct. *base: the model that the tag has there. */
static void read_tag(const struct name_tag *tag, char words[NAME_WORDS_MAX],
                     char part[NAME_WORDS_MAX], char base[NAME_WORDS_MAX],
                     char format[FORMAT_ID_MAX])
{
    char sized[NAME_WORDS_MAX], rest[NAME_WORDS_MAX];
    bool word = isalpha((unsigned char)part[0]) && isalpha((unsigned char)part[1]);

    base[0] = format[0] = '\0';
    if (!part[0] || strcmp(part, "latest") == 0)
        gp_copy(part, NAME_WORDS_MAX, tag ? tag->size : "");
    bool known = tag_model(tag, part, base, rest, format);
    if (!known && word && tag && tag->size[0] && strcmp(part, tag->size) != 0) {
        gp_format(sized, sizeof(sized), "%s-%s", tag->size, part);
        known = tag_model(tag, sized, base, rest, format);
        if (known || !has_size(part))
            gp_copy(part, NAME_WORDS_MAX, sized);
    }
    if (known)
        gp_format(words, NAME_WORDS_MAX, "%s%s", base, rest);
    else
        gp_append(words, NAME_WORDS_MAX, part[0] ? "-" : "", "%s", part);
}

/* What was taken off a name. */
struct taken {
    char words[NAME_WORDS_MAX]; /* what is left */
    const char *suffix[4];
    size_t count;
    const struct format *file;
    bool gguf;
};

/* Takes words off the end until what is left is a name; s->found: whose. */
static void take_off(struct search *s, const struct format *formats, size_t format_count,
                     struct taken *t)
{
    size_t len;

    while (!look_up(s, t->words, SAME)) {
        const char *suffix = longest_scheme(s->rules, t->words, &len);
        const struct format *f = suffix ? NULL : takes_gguf(formats, format_count, t->words);

        if (suffix) {
            t->words[len] = '\0';
            if (t->count < sizeof(t->suffix) / sizeof(t->suffix[0]))
                t->suffix[t->count++] = suffix;
        } else if (f) {
            t->file = f;
        } else if (ends_with(t->words, "gguf", &len) && len > 0) {
            t->words[len] = '\0';
            t->gguf = true;
        } else if (!takes_off(t->words, s->rules->kinds) &&
                   (look_up(s, t->words, PLAIN) || !takes_date(t->words))) {
            break;
        }
    }
}

bool name_read_model(const struct name_rules *rules, const struct registry_name *known,
                     size_t count, const struct format *formats, size_t format_count,
                     const char *text, struct name_reading *out)
{
    struct search search = {rules, known, count, NULL};
    const struct name_tag *tag = NULL;
    struct taken t = {.count = 0};
    char part[NAME_WORDS_MAX], base[NAME_WORDS_MAX] = "", tag_format[FORMAT_ID_MAX] = "";
    struct typed typed;
    bool ollama = false;
    size_t len;

    *out = (struct name_reading){.id = NULL};
    if (!take_apart(text, &typed))
        return false;
    if (typed.publisher[0])
        gp_format(out->repository, sizeof(out->repository), "%s/%s", typed.publisher, typed.name);
    for (char *c = typed.publisher; *c; c++)
        *c = gp_lower(*c);
    gp_format(out->name, sizeof(out->name), "%s%s%s", typed.name, typed.tag[0] ? ":" : "",
              typed.tag);
    name_words(typed.name, t.words);
    name_words(typed.tag, part);
    tag = typed.publisher[0] ? NULL : find_tag(rules, t.words);
    if (typed.tag[0]) {
        t.file = gguf_format(formats, format_count, part);
        t.gguf = t.file || !longest_scheme(rules, t.words, &len); /* else a branch of it */
        ollama = t.gguf && (!t.file || !typed.publisher[0]);
        if (!t.gguf)
            gp_append(t.words, sizeof(t.words), "-", "%s", part);
    } else if (tag && strcmp(tag->text, typed.name) == 0) {
        t.gguf = ollama = true;
    }
    if (ollama) {
        out->repository[0] = '\0';
        if (t.file)
            part[0] = '\0';
        read_tag(tag, t.words, part, base, tag_format);
    }
    out->unlike = find_other(rules, typed.publisher, t.words);
    if (out->unlike && ends_with(t.words, out->unlike->word, &len) && len > 0)
        t.words[len] = '\0';
    struct taken whole = t;
    take_off(&search, formats, format_count, &t);
    if (!search.found && base[0])
        look_up(&search, base, SAME);
    if (!search.found)
        look_up(&search, t.words, LOOSE);
    /* "google_gemma-3-4b": who published the base stands before it */
    if (!search.found && typed.publisher[0] && strchr(typed.name, '_')) {
        struct taken after = whole;

        name_words(strchr(typed.name, '_') + 1, after.words);
        take_off(&search, formats, format_count, &after);
        if (search.found)
            t = after;
    }
    if (!search.found && (!typed.publisher[0] || has_size(t.words)))
        look_up(&search, t.words, BEGINS);
    if (!search.found && (out->size = size_at_end(t.words, &len)) > 0) {
        gp_copy(part, sizeof(part), t.words);
        part[len] = '\0';
        if (!look_up(&search, part, PLAIN))
            out->size = 0;
    }
    if (!search.found && !out->unlike)
        out->derived = is_finetune(&search, t.words);
    if (search.found && out->unlike) { /* unless the catalogue's is itself such a model */
        name_words(search.found->name, part);
        if (words_hold(part, out->unlike->word))
            out->unlike = NULL;
    }
    out->base = search.found ? search.found->id : NULL;
    if (!out->unlike)
        out->id = out->base;
    if (!out->id)
        return true;
    char publisher[sizeof(typed.publisher)];
    gp_copy(publisher, sizeof(publisher), ollama ? "ollama" : typed.publisher);
    if (!publisher[0])
        for (size_t i = 0; i < count && !publisher[0]; i++)
            if (strcmp(known[i].id, out->id) == 0)
                publisher_of(known[i].name, publisher, sizeof(publisher));
    for (size_t i = 0; i < t.count && !t.file; i++) {
        const struct name_scheme *s = scheme_of(rules, t.suffix[i], publisher, t.words);

        if (s && !(s->of[0] && (out->format[0] || t.gguf)))
            take_format(out, formats, format_count, s->format, s->other);
    }
    out->gguf = t.file || (t.gguf && !out->format[0]);
    if (out->gguf) {
        char id[NAME_WORDS_MAX];

        name_words(out->id, id);
        const struct name_scheme *all = scheme_of(rules, "any-gguf", publisher, id);
        gp_copy(out->format, sizeof(out->format),
                all                     ? all->format
                : t.file                ? t.file->id
                : tag_format[0]         ? tag_format
                : tag && tag->format[0] ? tag->format
                                        : rules->gguf);
    }
    if (t.file)
        out->other[0] = '\0';
    return true;
}

/* ---- GPUs ---- */

const char *name_counted(const char *text, int *count)
{
    static const struct {
        const char *word;
        int count;
    } words[] = {{"single", 1}, {"dual", 2},  {"twin", 2}, {"double", 2}, {"triple", 3},
                 {"quad", 4},   {"hexa", 6},  {"octo", 8}, {"octa", 8},   {"one", 1},
                 {"two", 2},    {"three", 3}, {"four", 4}, {"six", 6},    {"eight", 8}};

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        size_t n = strlen(words[i].word);

        if (strncasecmp(text, words[i].word, n) != 0 || !strchr(" -_", text[n]) || !text[n])
            continue;
        *count = words[i].count;
        return text + n + strspn(text + n, " -_");
    }
    return NULL;
}

static bool is_word(const char *list, const char *word)
{
    return gp_has_word(list, "|", word);
}

/* Letters that are at most so many words of GPUs' names run together, "laptopgpu": *len is that of
 * the first. */
static bool split_word(const struct name_rules *rules, const char *word, int most, size_t *len)
{
    char part[NAME_WORDS_MAX];
    size_t n, rest;

    for (n = strlen(word); n > 0; n--) {
        gp_format(part, sizeof(part), "%.*s", (int)n, word);
        if ((is_word(rules->gpu_modifiers, part) || is_word(rules->gpu_variants, part) ||
             is_word(rules->gpu_ignored, part)) &&
            !(n == 1 && !word[n] && strchr("ms", part[0])) && /* DGXS, and not of many */
            (!word[n] || (most > 1 && split_word(rules, word + n, most - 1, &rest)))) {
            *len = n;
            return true;
        }
    }
    return false;
}

static void split_words(const struct name_rules *rules, char words[NAME_WORDS_MAX])
{
    char from[NAME_WORDS_MAX], *rest = from, *word, *pci;
    size_t len;

    gp_copy(from, sizeof(from), words);
    if ((pci = (char *)words_hold(from, "pci-e")) != NULL)
        memmove(pci + 3, pci + 4, strlen(pci + 4) + 1);
    words[0] = '\0';
    while ((word = strtok_r(NULL, "-", &rest)) != NULL) {
        for (; split_word(rules, word, 4, &len) && word[len]; word += len)
            gp_append(words, NAME_WORDS_MAX, "-", "%.*s", (int)len, word);
        gp_append(words, NAME_WORDS_MAX, "-", "%s", word);
    }
}

static void read_gpu_words(const struct name_rules *rules, const char *text, bool typed,
                           struct gpu_words *out)
{
    char plain[NAME_WORDS_MAX];
    char *open;

    *out = (struct gpu_words){.count = 0};
    if (!gp_copy(plain, sizeof(plain), text))
        return;
    while ((open = strchr(plain, '(')) != NULL && strchr(open, ')')) { /* (RADV NAVI31) */
        char *end = strchr(open, ')') + 1;

        memmove(open, end, strlen(end) + 1);
    }
    name_words(plain, out->text);
    if (typed)
        split_words(rules, out->text);
    const char *before = "";
    for (char *at = out->text; at && *at;) {
        char *next = strchr(at, '-');
        const char *last = out->count ? out->word[out->count - 1] : "";

        if (next)
            *next++ = '\0';
        if (isdigit((unsigned char)last[0]) && strncmp(at, "gb", 2) == 0 && at[2]) {
            out->gb = strtod(last, NULL); /* 80GBPCIe */
            out->count--;
            at += 2;
            last = "";
        }
        if (isdigit((unsigned char)last[0]) &&
            (strcmp(at, "g") == 0 || strcmp(at, "gb") == 0 || strcmp(at, "gib") == 0) &&
            !(strcmp(at, "g") == 0 && out->count < 3 &&
              !isdigit((unsigned char)out->word[0][0]))) { /* A10G, and 4090 24G */
            out->gb = strtod(last, NULL);
            out->count--;
        } else if (isdigit((unsigned char)at[0]) && !at[1] &&
                   is_word(rules->gpu_numbered, before)) {
            if (strcmp(before, "sxm") == 0) /* SXM4, and no SXM 80GB */
                out->version[0] = at[0];
        } else if (!is_word(rules->gpu_ignored, at) && out->count < GPU_WORDS) {
            out->word[out->count++] = at;
        }
        before = at;
        at = next;
    }
}

void name_gpu_words(const struct name_rules *rules, const char *text, struct gpu_words *out)
{
    read_gpu_words(rules, text, true, out);
}

static bool has_word(const struct gpu_words *words, const char *word)
{
    for (int i = 0; i < words->count; i++)
        if (strcmp(words->word[i], word) == 0)
            return true;
    return false;
}

/* strcasestr() of a word that is small and short, whose own way takes ten times as long. */
static bool name_holds(const char *name, const char *word)
{
    for (; *name; name++) {
        size_t n = 0;

        if ((*name | 0x20) != word[0]) /* a letter of either case, or a digit */
            continue;
        while (word[n] && gp_lower(name[n]) == word[n])
            n++;
        if (!word[n])
            return true;
    }
    return false;
}

int name_gpu_match(const struct name_rules *rules, const struct gpu_words *mine, const char *name,
                   const char *form, double memory_gb)
{
    struct gpu_words its, built;
    bool same;

    for (int i = 0; i < mine->count; i++) /* of most names nothing is to be read */
        if ((i == 0 || isdigit((unsigned char)mine->word[i][0])) &&
            !name_holds(name, mine->word[i]))
            return 0;
    if (mine->count == 0)
        return 0;
    read_gpu_words(rules, name, false, &its);
    same = !mine->version[0] || !its.version[0] || mine->version[0] == its.version[0];
    built.count = -1; /* hardly ever asked for */
    for (int i = 0; i < mine->count; i++) {
        if (has_word(&its, mine->word[i]))
            continue;
        if (i > 0 && built.count < 0)
            read_gpu_words(rules, form, false, &built);
        if (i == 0 || !has_word(&built, mine->word[i]))
            return 0;
        same = false;
    }
    for (int i = 0; i < its.count; i++) {
        double number = strtod(its.word[i], NULL);
        bool memory = isdigit((unsigned char)its.word[i][0]) &&
                      (memory_gb > 0 ? fabs(number - memory_gb) < 0.5 : number < 1000);

        if (has_word(mine, its.word[i]))
            continue;
        if (!memory && !is_word(rules->gpu_variants, its.word[i]))
            return 0;
        same = same && memory;
    }
    bool memory_more = its.count > mine->count || (its.gb > 0 && mine->gb == 0);
    return !same ? 1 : memory_more ? 2 : 3;
}

bool name_begins(const char *text, const char *name)
{
    char mine[NAME_WORDS_MAX], its[NAME_WORDS_MAX];

    name_words(text, mine);
    name_words(name, its);
    return mine[0] && words_hold(its, mine) == its;
}

/* Where the words of a name stand in what was typed, one behind the other; -1: nowhere. */
static int words_at(const struct gpu_words *mine, const struct gpu_words *its, int first)
{
    int n = its->count - first;
    bool number = false;

    for (int i = first; i < its->count; i++)
        number |= isdigit((unsigned char)its->word[i][0]) != 0;
    for (int at = 0; at + n <= mine->count; at++) {
        int same = 0;

        while (same < n && strcmp(mine->word[at + same], its->word[first + same]) == 0)
            same++;
        if (same == n && (number || n == mine->count)) /* a name without one must be all */
            return at;
    }
    return -1;
}

/* The longest name in what was typed. False where there is none, where the word behind it makes
 * another card of it, or where another GPU is named beside it. */
static bool find_gpu_name(const struct name_rules *rules, const struct registry_name *known,
                          size_t count, const struct gpu_words *mine, bool apple, int *at, int *n)
{
    struct gpu_words its;
    const char *id = NULL;

    *n = 0;
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < count; i++) {
            read_gpu_words(rules, known[i].name, false, &its);
            int first = apple && its.count > 1 && strcmp(its.word[0], "apple") == 0;
            int where = its.count > 0 ? words_at(mine, &its, first) : -1,
                length = its.count - first;

            if (where < 0)
                continue;
            if (round == 0 && length > *n) {
                *at = where;
                *n = length;
                id = known[i].id;
            } else if (round == 1 && strcmp(known[i].id, id) != 0 &&
                       (where >= *at + *n || where + length <= *at)) {
                return false;
            }
        }
    return *n > 0 &&
           !(*at + *n < mine->count && is_word(rules->gpu_modifiers, mine->word[*at + *n]));
}

void name_gpu_in_full(const struct name_rules *rules, const char *text, char out[NAME_WORDS_MAX])
{
    char words[NAME_WORDS_MAX], from[16], to[32];
    char *rest = words;
    bool behind = false;

    name_words(text, words);
    out[0] = '\0';
    for (char *word; (word = strtok_r(NULL, "-", &rest)) != NULL;) {
        const char *said = word;

        for (const char *row = behind ? rules->gpu_short : ""; *row && said == word;
             row += strcspn(row, "|"), row += *row == '|')
            if (sscanf(row, "%15s %31[^|]", from, to) == 2 && strcmp(from, word) == 0)
                said = to;
        gp_append(out, NAME_WORDS_MAX, "-", "%s", said);
        behind = strspn(word, "0123456789") > 2 || (behind && strcmp(word, "ti") == 0);
    }
}

/* "Razer Blade 16 RTX 5090": a portable machine's GPU is the laptop's. */
static bool is_portable(const struct name_rules *rules, const char *text)
{
    char words[NAME_WORDS_MAX], laptop[] = "laptop|mobile|max q";

    name_words(text, words);
    return words_hold_any(words, rules->gpu_portable) && !words_hold_any(words, laptop);
}

bool name_gpu_known(const struct name_rules *rules, const struct registry_name *known, size_t count,
                    const char *text, char out[NAME_WORDS_MAX])
{
    const char *open = strrchr(text, '['), *close = open ? strchr(open, ']') : NULL;
    char plain[NAME_WORDS_MAX], words[NAME_WORDS_MAX], item[NAME_WORDS_MAX];
    struct gpu_words mine;
    bool apple = false, found = false;
    bool several = close && memchr(open, '/', (size_t)(close - open)); /* one chip of many cards */
    int at = 0, n = 0;

    gp_format(plain, sizeof(plain), "%.*s", close ? (int)(close - open - 1) : (int)strlen(text),
              close ? open + 1 : text);
    name_words(plain, words);
    for (const char *list = rules->gpu_leading; list_next(&list, item);)
        apple |= words_hold(words, item) == words && words[strlen(item)];
    for (int full = 0; full < 2 && !found; full++) {
        if (full)
            name_gpu_in_full(rules, plain, words);
        name_gpu_words(rules, full ? words : plain, &mine);
        found = !several && !words_hold_any(words, rules->gpu_others) &&
                find_gpu_name(rules, known, count, &mine, apple, &at, &n) &&
                (strchr(text, ' ') || apple || n == mine.count);
    }
    gp_copy(out, NAME_WORDS_MAX, apple ? "apple" : "");
    for (int i = at; i < at + n; i++)
        gp_append(out, NAME_WORDS_MAX, "-", "%s%.1s", mine.word[i],
                  strcmp(mine.word[i], "sxm") == 0 ? mine.version : "");
    if (is_portable(rules, text))
        gp_append(out, NAME_WORDS_MAX, "-", "laptop");
    if (mine.gb > 0)
        gp_append(out, NAME_WORDS_MAX, "-", "%g-gb", mine.gb);
    return found;
}

bool name_same_machine(const char *type, const char *typed)
{
    static const char *const starts[] = {"Standard_", "ml.", "NVIDIA "};
    char its[NAME_WORDS_MAX], mine[NAME_WORDS_MAX];

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        size_t n = strlen(starts[i]);

        type += strncasecmp(type, starts[i], n) == 0 ? n : 0;
        typed += strncasecmp(typed, starts[i], n) == 0 ? n : 0;
    }
    if (gp_lower(*type) != gp_lower(*typed))
        return false;
    name_words(type, its);
    name_words(typed, mine);
    return mine[0] && strcmp(its, mine) == 0;
}

bool name_gpu_machine(const struct name_rules *rules, const char *text, char gpu[64])
{
    char name[64];

    for (const char *row = rules->gpu_machines; *row; row += strcspn(row, "|"), row += *row == '|')
        if (sscanf(row, "%63s %63[^|]", name, gpu) == 2 && strchr(gpu, ':') &&
            name_same_machine(name, text))
            return true;
    return false;
}

/* ---- the file ---- */

static void string_words(struct profile_group item, const char *key, char *out, size_t size)
{
    char text[NAME_WORDS_MAX] = "", words[NAME_WORDS_MAX];

    profile_string(item, key, text, sizeof(text));
    name_words(text, words);
    gp_copy(out, size, words);
}

/* At the place of this row in its file, before those of earlier files: the first that fits
 * counts. */
static void *insert_row(void *rows, size_t *cap, size_t *count, size_t size, int at,
                        const void *row)
{
    char *bytes = gp_grow(rows, cap, *count + 1, size);
    char *to = bytes + (size_t)at * size;

    memmove(to + size, to, (*count - (size_t)at) * size);
    memcpy(to, row, size);
    (*count)++;
    return bytes;
}

void names_file_read(struct profile_group top, void *target)
{
    struct name_rules *r = target;

    for (int i = 0, n = profile_length(top, "schemes", 1000); i < n; i++) {
        struct profile_group item = profile_item(top, "schemes", i);
        struct name_scheme s = {.suffix = ""};

        string_words(item, "suffix", s.suffix, sizeof(s.suffix));
        profile_strings(item, "by", s.by, sizeof(s.by));
        profile_strings(item, "of", s.of, sizeof(s.of));
        profile_string(item, "format", s.format, sizeof(s.format));
        profile_string(item, "other", s.other, sizeof(s.other));
        r->schemes = insert_row(r->schemes, &r->scheme_cap, &r->scheme_count, sizeof(s), i, &s);
    }
    for (int i = 0, n = profile_length(top, "tags", 1000); i < n; i++) {
        struct profile_group item = profile_item(top, "tags", i);
        struct name_tag t = {.family = ""};

        string_words(item, "family", t.family, sizeof(t.family));
        profile_string(item, "family", t.text, sizeof(t.text));
        string_words(item, "size", t.size, sizeof(t.size));
        profile_strings(item, "sizes", t.sizes, sizeof(t.sizes));
        profile_string(item, "format", t.format, sizeof(t.format));
        r->tags = insert_row(r->tags, &r->tag_cap, &r->tag_count, sizeof(t), i, &t);
    }
    for (int i = 0, n = profile_length(top, "others", 1000); i < n; i++) {
        struct profile_group item = profile_item(top, "others", i);
        struct name_other o = {.word = ""};

        string_words(item, "word", o.word, sizeof(o.word));
        profile_string(item, "what", o.what, sizeof(o.what));
        profile_string(item, "hint", o.hint, sizeof(o.hint));
        profile_strings(item, "but", o.but, sizeof(o.but));
        r->others = insert_row(r->others, &r->other_cap, &r->other_count, sizeof(o), i, &o);
    }
    profile_strings(top, "leading", r->leading, sizeof(r->leading));
    profile_strings(top, "kinds", r->kinds, sizeof(r->kinds));
    profile_strings(top, "shapes", r->shapes, sizeof(r->shapes));
    profile_string(top, "gguf", r->gguf, sizeof(r->gguf));
    profile_strings(top, "gpu_ignored", r->gpu_ignored, sizeof(r->gpu_ignored));
    profile_strings(top, "gpu_numbered", r->gpu_numbered, sizeof(r->gpu_numbered));
    profile_strings(top, "gpu_variants", r->gpu_variants, sizeof(r->gpu_variants));
    profile_strings(top, "gpu_leading", r->gpu_leading, sizeof(r->gpu_leading));
    profile_strings(top, "gpu_modifiers", r->gpu_modifiers, sizeof(r->gpu_modifiers));
    profile_strings(top, "gpu_short", r->gpu_short, sizeof(r->gpu_short));
    profile_strings(top, "gpu_others", r->gpu_others, sizeof(r->gpu_others));
    profile_strings(top, "gpu_portable", r->gpu_portable, sizeof(r->gpu_portable));
    profile_strings(top, "gpu_machines", r->gpu_machines, sizeof(r->gpu_machines));
    char source[512];
    profile_string(top, "source", source, sizeof(source));
}

void names_fini(struct name_rules *rules)
{
    free(rules->schemes);
    free(rules->tags);
    free(rules->others);
}
