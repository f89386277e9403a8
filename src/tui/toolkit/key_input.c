/*
 * key_input.c - see key_input.h.
 */
#include "tui/toolkit/key_input.h"

#include <stdlib.h>
#include <string.h>

#define ESC 0x1b
#define ESC_WAIT 0.025  /* s after Esc in which what belongs to it comes */
#define LATE_WAIT 0.25  /* ... an introducer, on a slow line */
#define BROKEN_WAIT 0.5 /* s of silence after which a sequence, or an Esc in a paste, is over */
#define X10_BYTES 3     /* of an old mouse report, behind ESC [ M */
#define MODIFIERS 0x3f  /* of a key's second parameter less one: not Caps Lock and Num Lock */
#define PASTE_END "\033[201~"

enum state {
    GROUND,
    AFTER_ESC,
    AFTER_TWO,
    INTERMEDIATE,
    CSI,
    SS3,
    CONSOLE,
    STRING,
    STRING_ESC,
    RAW
};

/* Keys by the last byte of their sequence, ... */
static const struct {
    char last;
    int key;
} by_last[] = {
    {'A', K_UP},  {'B', K_DOWN}, {'C', K_RIGHT}, {'D', K_LEFT}, {'H', K_HOME},
    {'F', K_END}, {'P', K_F1},   {'Q', K_F2},    {'R', K_F3},   {'S', K_F4},
};
/* ... by the number before '~', and those of CSI-u that some terminals send for the oldest. */
struct numbered_key {
    int number, key;
};
static const struct numbered_key by_number[] = {
    {1, K_HOME}, {3, K_DELETE}, {4, K_END},  {5, K_PGUP}, {6, K_PGDN}, {7, K_HOME}, {8, K_END},
    {11, K_F1},  {12, K_F2},    {13, K_F3},  {14, K_F4},  {15, K_F5},  {17, K_F6},  {18, K_F7},
    {19, K_F8},  {20, K_F9},    {21, K_F10}, {23, K_F11}, {24, K_F12}, {0, K_NONE},
};
static const struct numbered_key by_code[] = {
    {9, K_TAB}, {13, K_ENTER}, {27, K_ESC}, {127, K_BACKSPACE}, {0, K_NONE}};

static int find_last(char last)
{
    for (size_t i = 0; i < sizeof(by_last) / sizeof(by_last[0]); i++)
        if (by_last[i].last == last)
            return by_last[i].key;
    return K_NONE;
}

static int find_number(const struct numbered_key *row, long number)
{
    while (row->key && row->number != number)
        row++;
    return row->key;
}

/* ---- whole sequences ---- */

/* The parameters of a CSI: the first number, and whether a modifier is held or the key was let
 * go ("1;5:3"). False: these are no parameters of a key. */
static bool key_parameters(const char *text, const char *end, long *number)
{
    char *p;
    long modifiers = 1, event = 1;

    for (const char *c = text; c < end; c++)
        if (!strchr("0123456789;:", *c))
            return false;
    *number = strtol(text, &p, 10);
    if (*p == ':') /* kitty's other layouts of the key */
        p += strspn(p, ":0123456789");
    if (*p == ';') {
        modifiers = strtol(p + 1, &p, 10);
        if (*p == ':')
            event = strtol(p + 1, &p, 10);
    }
    return ((modifiers ? modifiers - 1 : 0) & MODIFIERS) == 0 && event != 3;
}

static int mouse_report(struct key_input *input, int button, long x, long y, bool pressed)
{
    struct term_mouse *mouse = &input->mouse;

    button &= ~0x1c; /* Shift, Alt, Ctrl */
    *mouse = (struct term_mouse){.y = (int)y - 1, .x = (int)x - 1};
    mouse->click = pressed && button == 0;
    mouse->wheel = pressed && button == 64 ? -1 : pressed && button == 65 ? 1 : 0;
    if (!input->mouse_on || x < 1 || y < 1 || x > 10000 || y > 10000)
        return K_NONE;
    return mouse->click || mouse->wheel ? K_MOUSE : K_NONE;
}

/* ESC [ < button ; x ; y M, m when it is let go */
static int mouse_sgr(struct key_input *input, char last)
{
    char *p;
    long button = strtol(input->seq + 3, &p, 10), x = *p == ';' ? strtol(p + 1, &p, 10) : 0;
    long y = *p == ';' ? strtol(p + 1, &p, 10) : 0;

    return mouse_report(input, (int)(button & 0xff), x, y, last == 'M' && *p == 'M');
}

static int csi_key(struct key_input *input, char last)
{
    const char *first = input->seq + 2, *end = input->seq + input->len - 1;
    long number;

    if (*first == '<' && (last == 'M' || last == 'm'))
        return mouse_sgr(input, last);
    if (!key_parameters(first, end, &number))
        return K_NONE;
    if (last == '~' && number == 200) {
        paste_begin(&input->paste);
        return K_NONE;
    }
    if (last == '~')
        return find_number(by_number, number);
    if (last == 'u')
        return find_number(by_code, number);
    if (last == 'Z')
        return first == end ? K_BACKTAB : K_NONE;
    if (last == 'R' && first != end) /* where the cursor stands */
        return K_NONE;
    return first == end || number == 1 ? find_last(last) : K_NONE;
}

/* ---- byte by byte ---- */

static void sequence_begin(struct key_input *input, enum state state, const char *bytes)
{
    input->state = state;
    input->len = strlen(bytes);
    memcpy(input->seq, bytes, input->len + 1);
}

static int sequence_end(struct key_input *input, int key)
{
    input->state = GROUND;
    input->len = 0;
    return key;
}

static enum state state_after_esc(unsigned char byte)
{
    return !byte                       ? GROUND
           : byte == '['               ? CSI
           : byte == 'O'               ? SS3
           : strchr("]P_^X", byte)     ? STRING
           : byte >= ' ' && byte < '0' ? INTERMEDIATE
                                       : GROUND;
}

/* The bytes behind Esc, by what they are part of. */
static int sequence_byte(struct key_input *input, unsigned char byte)
{
    int key;

    if (input->state == RAW) { /* ESC [ M, then button, column and row, each and 32 */
        const unsigned char *at = (const unsigned char *)input->seq + 3;

        input->seq[input->len++] = (char)byte;
        return --input->raw > 0 ? K_NONE
                                : sequence_end(input, mouse_report(input, at[0] - 32, at[1] - 32L,
                                                                   at[2] - 32L, true));
    }
    if (input->state == STRING_ESC && byte == '\\')
        return sequence_end(input, K_NONE);
    if (byte == ESC && (input->state == AFTER_ESC || input->state == STRING)) {
        input->state = input->state == STRING ? STRING_ESC : AFTER_TWO;
        return K_NONE;
    }
    if (byte == ESC) { /* another sequence instead of this one */
        key = input->state == AFTER_TWO ? K_ESC : K_NONE;
        sequence_begin(input, AFTER_ESC, "\033");
        return key;
    }
    if (input->state == STRING_ESC)
        sequence_begin(input, AFTER_ESC, "\033");
    if (input->state == STRING)
        return byte == '\a' || byte == 0x9c ? sequence_end(input, K_NONE) : K_NONE;
    if (input->len + 1 < sizeof(input->seq)) {
        input->seq[input->len++] = (char)byte;
        input->seq[input->len] = '\0';
    } else { /* longer than any key: to its end, but no key */
        input->seq[2] = '?';
    }
    switch ((enum state)input->state) {
    case AFTER_TWO: /* Alt with a key that is a sequence: */
        input->seq[1] = '?';
        /* fall through */
    case AFTER_ESC:
        key = input->state == AFTER_TWO    ? K_NONE
              : byte == '\t'               ? K_BACKTAB /* of Linux's console */
              : byte >= '1' && byte <= '9' ? K_ALT_1 + byte - '1'
                                           : K_NONE;
        input->state = (int)state_after_esc(byte);
        return input->state == GROUND ? sequence_end(input, key) : K_NONE;
    case CSI:
        if (byte == '[' && input->len == 3) {
            input->state = CONSOLE;
            return K_NONE;
        }
        if (byte >= ' ' && byte < '@')
            return K_NONE;
        if (byte == 'M' && input->len == 3) {
            input->state = RAW;
            input->raw = X10_BYTES;
            return K_NONE;
        }
        return sequence_end(input, input->seq[1] == '[' ? csi_key(input, (char)byte) : K_NONE);
    case SS3: /* some put the modifiers between: ESC O 5 A */
        if (byte >= ' ' && byte < '@')
            return K_NONE;
        return sequence_end(input, input->seq[1] != 'O' || input->len != 3 ? K_NONE
                                   : byte == 'M'                           ? K_ENTER
                                                                           : find_last((char)byte));
    case CONSOLE: /* ESC [ [ A to E: F1 to F5 */
        return sequence_end(input, byte >= 'A' && byte <= 'E' ? K_F1 + byte - 'A' : K_NONE);
    case INTERMEDIATE:
        return byte >= ' ' && byte < '0' ? K_NONE : sequence_end(input, K_NONE);
    default:
        return sequence_end(input, K_NONE);
    }
}

/* Text, until the mark of its end. */
static int paste_byte(struct key_input *input, unsigned char byte)
{
    if (byte == (unsigned char)PASTE_END[input->len]) {
        input->len++;
        if (PASTE_END[input->len])
            return K_NONE;
        input->len = 0;
        paste_end(&input->paste);
        return K_PASTE;
    }
    for (size_t i = 0; i < input->len; i++)
        paste_add(&input->paste, (unsigned char)PASTE_END[i]);
    input->len = byte == ESC;
    uint32_t ch = byte == ESC ? 0 : utf8_take(&input->utf8, byte);
    if (ch)
        paste_add(&input->paste, ch);
    return K_NONE;
}

static int character_key(struct key_input *input, unsigned char byte)
{
    uint32_t ch =
        input->utf8.len == 0 && byte >= 0x80 && byte < 0xa0 ? byte : utf8_take(&input->utf8, byte);

    if (ch >= 0x80 && ch < 0xa0) { /* one byte, or two in UTF-8, for Esc and a letter */
        char bytes[] = {ESC, (char)(ch - 0x40), '\0'};
        enum state state = state_after_esc((unsigned char)bytes[1]);

        if (state != GROUND && state != INTERMEDIATE)
            sequence_begin(input, state, bytes);
        return K_NONE;
    }
    return ch == '\r' || ch == '\n' ? K_ENTER : ch == 127 || ch == 8 ? K_BACKSPACE : (int)ch;
}

int key_input_byte(struct key_input *input, unsigned char byte, double now)
{
    bool late = input->late && now - input->since <= LATE_WAIT;
    enum state state = late ? state_after_esc(byte) : GROUND;

    input->late = false;
    input->since = now;
    if (input->paste.on)
        return paste_byte(input, byte);
    if (input->state != GROUND)
        return sequence_byte(input, byte);
    if (state != GROUND && state != INTERMEDIATE) {
        char bytes[] = {ESC, (char)byte, '\0'};

        sequence_begin(input, state, bytes);
        return K_NONE;
    }
    if (byte != ESC)
        return character_key(input, byte);
    input->utf8.len = 0;
    sequence_begin(input, AFTER_ESC, "\033");
    return K_NONE;
}

static bool is_short(int state)
{
    return state == AFTER_ESC || state == AFTER_TWO || state == INTERMEDIATE;
}

double key_input_wait(const struct key_input *input, double now)
{
    double end =
        input->since + (is_short(input->state) && !input->paste.on ? ESC_WAIT : BROKEN_WAIT);

    if (input->state == GROUND && !(input->paste.on && input->len))
        return -1;
    return end > now ? end - now : 0;
}

int key_input_silence(struct key_input *input, double now)
{
    int state = input->state;

    if (key_input_wait(input, now) != 0)
        return K_NONE;
    sequence_end(input, K_NONE);
    if (input->paste.on) {
        paste_end(&input->paste);
        return K_PASTE;
    }
    if (state != AFTER_ESC && state != AFTER_TWO)
        return K_NONE;
    input->late = true;
    input->since = now;
    return K_ESC;
}
