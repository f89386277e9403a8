/*
 * edit.c - see edit.h.
 */
#include "tui/toolkit/edit.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/utf8.h"

/* ---- characters ---- */

static size_t char_before(const struct edit *edit)
{
    size_t at = edit->at;

    while (at > 0 && (edit->text[--at] & 0xc0) == 0x80)
        ;
    return at;
}

static size_t char_after(const struct edit *edit)
{
    size_t at = edit->at;

    if (at < edit->len)
        at++;
    while (at < edit->len && (edit->text[at] & 0xc0) == 0x80)
        at++;
    return at;
}

/* Takes the bytes from `from` to `to` away; the cursor stands where they were. */
static void edit_cut(struct edit *edit, size_t from, size_t to)
{
    memmove(edit->text + from, edit->text + to, edit->len - to + 1);
    edit->len -= to - from;
    edit->at = from;
}

void edit_put(struct edit *edit, size_t before, const char *text)
{
    size_t len = strlen(text);

    if (before > edit->at)
        before = edit->at;
    if (edit->len - before + len >= sizeof(edit->text))
        return;
    edit_cut(edit, edit->at - before, edit->at);
    memmove(edit->text + edit->at + len, edit->text + edit->at, edit->len - edit->at + 1);
    memcpy(edit->text + edit->at, text, len);
    edit->len += len;
    edit->at += len;
}

void edit_set(struct edit *edit, const char *text)
{
    uint32_t ch;
    char utf8[5];

    *edit = (struct edit){.len = 0};
    while ((ch = utf8_next(&text)) != 0) {
        bool bad = !gp_is_clean(ch) || ch == 0xfffd;

        edit_put(edit, 0, utf8_text(bad ? '?' : ch, utf8));
    }
}

bool edit_type(struct edit *edit, const char *text)
{
    size_t kept = edit->fresh ? 0 : edit->len;

    if (kept + strlen(text) >= sizeof(edit->text))
        return false;
    if (edit->fresh)
        edit_cut(edit, 0, edit->len);
    edit->fresh = false;
    edit_put(edit, 0, text);
    return true;
}

/* ---- keys ---- */

bool edit_key(struct edit *edit, int key)
{
    char utf8[5];
    size_t at = edit->at;
    bool fresh = edit->fresh;

    edit->fresh = false;
    switch (key) {
    case K_LEFT:
    case KEY_CTRL('b'):
        edit->at = char_before(edit);
        return true;
    case K_RIGHT:
    case KEY_CTRL('f'):
        edit->at = char_after(edit);
        return true;
    case K_HOME:
    case KEY_CTRL('a'):
        edit->at = 0;
        return true;
    case K_END:
    case KEY_CTRL('e'):
        edit->at = edit->len;
        return true;
    case K_BACKSPACE:
    case KEY_CTRL('h'):
    case 0x7f:
        edit_cut(edit, char_before(edit), edit->at);
        return true;
    case K_DELETE:
    case KEY_CTRL('d'):
        edit_cut(edit, edit->at, char_after(edit));
        return true;
    case KEY_CTRL('k'):
        edit_cut(edit, edit->at, edit->len);
        return true;
    case KEY_CTRL('u'):
        edit_cut(edit, 0, edit->at);
        return true;
    case KEY_CTRL('w'):
        while (at > 0 && edit->text[at - 1] == ' ')
            at--;
        while (at > 0 && edit->text[at - 1] != ' ')
            at--;
        edit_cut(edit, at, edit->at);
        return true;
    }
    if (key >= K_SPECIAL || !gp_is_clean((uint32_t)key))
        return false;
    edit->fresh = fresh;
    edit_type(edit, utf8_text((uint32_t)key, utf8));
    return true;
}

/* ---- completion ---- */

int edit_complete(struct edit *edit, const char *words)
{
    size_t len = strcspn(words, " "), word = 0; /* bytes: in which all agree; before the cursor */
    char text[EDIT_MAX];
    int count = 0;

    for (const char *p = words + strspn(words, " "); *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " "), same = 0;

        while (same < len && same < n && p[same] == words[same])
            same++;
        len = same;
        p += n;
        count++;
    }
    while (word < edit->at && edit->text[edit->at - word - 1] != ' ')
        word++;
    gp_format(text, sizeof(text), "%.*s%s", (int)len, words,
              count == 1 && len > 0 && !strchr("/=:", words[len - 1]) ? " " : "");
    edit->fresh = false;
    if (count > 0 && len >= word)
        edit_put(edit, word, text);
    return count;
}

#define PATHS_MAX 200

void edit_paths(const char *begin, struct strbuf *out)
{
    char dir[GP_PATH_MAX], path[GP_PATH_MAX + 300];
    const char *slash = strrchr(begin, '/');
    bool hidden = slash ? slash[1] == '.' : begin[0] == '.';
    struct dirent **entry;
    int count, taken = 0;

    gp_format(dir, sizeof(dir), "%.*s", slash ? (int)(slash - begin) + 1 : 0, begin);
    count = scandir(dir[0] ? dir : ".", &entry, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entry[i]->d_name;

        gp_format(path, sizeof(path), "%s%s", dir, name);
        if (path_is_dir(path))
            gp_format(path, sizeof(path), "%s%s/", dir, name);
        if ((hidden || name[0] != '.') && taken < PATHS_MAX && !strchr(path, ' ') &&
            strncmp(path, begin, strlen(begin)) == 0)
            strbuf_addf(out, "%s%s", taken++ ? " " : "", path);
        free(entry[i]);
    }
    if (count >= 0)
        free(entry);
}

/* ---- what is seen ---- */

void edit_draw(const struct edit *edit, struct canvas *canvas, struct rect in, int y, int x,
               bool cursor)
{
    /* The cursor may stand behind the last character, never on what says "more". */
    int room = in.cols - x - (edit->at < edit->len ? 2 : 1);
    const char *from = edit->text;

    if (room < 1)
        return;
    while (gp_columns(from, (size_t)(edit->text + edit->at - from)) > room - (from > edit->text))
        utf8_next(&from);
    int at = x + (from > edit->text);
    if (from > edit->text)
        canvas_glyph(canvas, in, y, x, INK_DIM, GLYPH_MORE);
    canvas_fit(canvas, in, y, at, in.cols - at, INK_TEXT, from);
    if (edit->fresh)
        canvas_ink(canvas, in, y, at, gp_width(from), INK_FOCUS);
    if (cursor)
        canvas_cursor(canvas, in, y, at + gp_columns(from, (size_t)(edit->text + edit->at - from)));
}

/* ---- what is pasted ---- */

void paste_begin(struct paste *paste)
{
    *paste = (struct paste){.on = true};
}

/* The character of a field that stands for this one. */
static uint32_t paste_plain(uint32_t ch)
{
    if (ch == '\r' || ch == '\n' || ch == '\t')
        return ' ';
    return gp_is_clean(ch) && ch != 0xfffd ? ch : '?';
}

static void paste_put(struct paste *paste, const char *text, size_t len)
{
    paste->over |= paste->len + len >= sizeof(paste->text);
    if (paste->over)
        return;
    memcpy(paste->text + paste->len, text, len);
    paste->len += len;
    paste->text[paste->len] = '\0';
}

void paste_add(struct paste *paste, uint32_t ch)
{
    char utf8[5];

    if ((ch == '\r' || ch == '\n') && paste->blanks == 0 && paste->len > 0 &&
        paste->text[paste->len - 1] == '\\')
        paste->text[--paste->len] = '\0';
    if (paste_plain(ch) == ' ') {
        paste->blanks += paste->len > 0;
        return;
    }
    for (; paste->blanks > 0; paste->blanks--)
        paste_put(paste, " ", 1);
    utf8_text(paste_plain(ch), utf8);
    paste_put(paste, utf8, strlen(utf8));
}

void paste_end(struct paste *paste)
{
    paste->on = false;
}
