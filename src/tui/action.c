/*
 * action.c - see action.h.
 */
#include "tui/action.h"

#include <string.h>

#include "tui/toolkit/key.h"
#include "tui/toolkit/words.h"

#define X(id, ...) [ACT_##id] = {__VA_ARGS__},
#define S(id, word, name, key, help) \
    [ACT_SCREEN_##id] = {"screen-" #word, key, ON_ALL, 0, "", help},
const struct action_row action_rows[ACT_COUNT] = {[ACT_NONE] = {"", "", 0, 0, "", ""},
                                                  ACTIONS_FIRST(X) SCREENS(S) ACTIONS(X)};
#undef S
#undef X

#define X(id, word, name, ...) name,
const char *const screen_names[SCREEN_COUNT] = {SCREENS(X)};
#undef X

enum action action_of_key(int key, enum screen_id screen)
{
    unsigned bit = 1u << screen;
    enum action found = ACT_NONE;
    char name[16];

    for (int i = 1; i < ACT_COUNT; i++) {
        const struct action_row *row = &action_rows[i];
        const char *names = row->screens & bit ? row->keys : "";
        bool has = false;

        while (!has && words_next(&names, name, sizeof(name)))
            has = key_find(name) == key;
        if (!has)
            continue;
        if (row->screens != ON_ALL)
            return (enum action)i;
        if (!found)
            found = (enum action)i;
    }
    return found;
}

enum action action_find(const char *name)
{
    for (int i = 1; i < ACT_COUNT; i++)
        if (strcmp(action_rows[i].name, name) == 0)
            return (enum action)i;
    return ACT_NONE;
}

const char *action_key(enum action action, char *text, size_t size)
{
    const char *names = action_rows[action].keys;

    if (!words_next(&names, text, size))
        text[0] = '\0';
    return text;
}

/* "Enter:edit" of the actions of that screen and rank. */
static void add_rank(enum screen_id screen, int rank, int cols, action_word word_now,
                     const void *ctx, struct strbuf *left)
{
    char key[16];

    for (int i = 1; i < ACT_COUNT; i++) {
        const struct action_row *row = &action_rows[i];
        const char *name = row->word;
        struct strbuf word;

        if (row->rank != rank || !(row->screens & 1u << screen))
            continue;
        if (word_now && !(name = word_now(ctx, (enum action)i)))
            continue;
        strbuf_init(&word);
        strbuf_addf(&word, "%s%s:%s", left->len ? "  " : "",
                    action_key((enum action)i, key, sizeof(key)), name);
        if ((int)(left->len + word.len) <= cols)
            strbuf_addn(left, word.text, word.len);
        strbuf_fini(&word);
    }
}

void action_bar(enum screen_id screen, int cols, action_word word, const void *ctx,
                struct strbuf *left, struct strbuf *right)
{
    enum { RANKS = 8 };

    strbuf_add(right, "?:help  q:quit");
    for (int rank = 2; rank < RANKS; rank++)
        add_rank(screen, rank, cols - (int)right->len - 3, word, ctx, left);
}

/* Of the actions that hold on a screen, those everywhere or those of its own. Without
 * out only the width of the keys is measured. Returns the widest. */
static int add_part(enum screen_id screen, bool all, int wide, struct strbuf *out)
{
    int widest = 0;

    for (int i = 1; i < ACT_COUNT; i++) {
        const struct action_row *row = &action_rows[i];
        const char *names = row->keys;
        struct strbuf keys; /* "Enter, F5"; of an action without a key what `:` takes */
        char name[16];

        if ((row->screens == ON_ALL) != all || !(row->screens & 1u << screen))
            continue;
        strbuf_init(&keys);
        while (words_next(&names, name, sizeof(name)))
            strbuf_addf(&keys, "%s%s", keys.len ? ", " : "", name);
        if (!keys.len)
            strbuf_addf(&keys, ":%s", row->name);
        widest = (int)keys.len > widest ? (int)keys.len : widest;
        if (out)
            strbuf_addf(out, "  %-*s  %s\n", wide, keys.text, row->help);
        strbuf_fini(&keys);
    }
    return widest;
}

void action_help(enum screen_id screen, struct strbuf *out)
{
    int own = add_part(screen, false, 0, NULL), all = add_part(screen, true, 0, NULL);
    int wide = own > all ? own : all;

    strbuf_addf(out, "%s\n", screen_names[screen]);
    add_part(screen, false, wide, out);
    strbuf_add(out, "\nEverywhere\n");
    add_part(screen, true, wide, out);
    strbuf_add(out, "\nText is typed only in windows: Enter takes it, Esc does not.\n");
}
