/*
 * key.c - see key.h.
 */
#include "tui/toolkit/key.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tui/toolkit/utf8.h"

static const struct {
    const char *name;
    int key;
} names[] = {
    {"Tab", K_TAB},      {"Enter", K_ENTER}, {"Esc", K_ESC},       {"Space", K_SPACE},
    {"Up", K_UP},        {"Down", K_DOWN},   {"Left", K_LEFT},     {"Right", K_RIGHT},
    {"PgUp", K_PGUP},    {"PgDn", K_PGDN},   {"Home", K_HOME},     {"End", K_END},
    {"BS", K_BACKSPACE}, {"Del", K_DELETE},  {"S-Tab", K_BACKTAB},
};
#define NAMES (sizeof(names) / sizeof(names[0]))

int key_find(const char *name)
{
    const char *rest = name;

    for (size_t i = 0; i < NAMES; i++)
        if (strcmp(name, names[i].name) == 0)
            return names[i].key;
    if (name[0] == 'F' && name[1] >= '1' && name[1] <= '9') {
        char *end;
        long n = strtol(name + 1, &end, 10);

        return *end == '\0' && n <= 12 ? K_F1 + (int)n - 1 : K_NONE;
    }
    if (name[0] == 'C' && name[1] == '-' && name[2] >= 'a' && name[2] <= 'z' && !name[3])
        return KEY_CTRL(name[2]);
    if (name[0] == 'M' && name[1] == '-' && name[2] >= '1' && name[2] <= '9' && !name[3])
        return K_ALT_1 + name[2] - '1';
    uint32_t ch = utf8_next(&rest);
    return *rest == '\0' ? (int)ch : K_NONE;
}

char *key_text(int key, char *text, size_t size)
{
    char utf8[5];

    for (size_t i = 0; i < NAMES; i++)
        if (names[i].key == key) {
            gp_copy(text, size, names[i].name);
            return text;
        }
    if (key >= K_F1 && key <= K_F12)
        gp_format(text, size, "F%d", key - K_F1 + 1);
    else if (key >= K_ALT_1 && key <= K_ALT_9)
        gp_format(text, size, "M-%d", key - K_ALT_1 + 1);
    else if (key > 0 && key < 27)
        gp_format(text, size, "C-%c", key + 'a' - 1);
    else if (key > K_SPACE && key < K_SPECIAL)
        gp_format(text, size, "%s", utf8_text((uint32_t)key, utf8));
    else
        gp_copy(text, size, "?");
    return text;
}
