/*
 * wrap.c - see wrap.h.
 */
#include "base/wrap.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define USUAL_COLS 80
#define LEAST_COLS 20
#define MOST_COLS 10000

int wrap_cols(void)
{
    const char *said = getenv("COLUMNS");
    struct winsize size;
    char *end;
    long cols;

    if (said && said[0]) {
        cols = strtol(said, &end, 10);
        if (*end == '\0' && (cols == 0 || cols >= LEAST_COLS))
            return cols > MOST_COLS ? 0 : (int)cols;
    }
    if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
        size.ws_col >= LEAST_COLS)
        return size.ws_col;
    return USUAL_COLS;
}

/* Characters, each a column wide here: the bytes that do not go on with one. */
static int text_cols(const char *text, size_t len)
{
    int cols = 0;

    for (size_t i = 0; i < len; i++)
        cols += ((unsigned char)text[i] & 0xc0) != 0x80;
    return cols;
}

int wrap_widest(const char *text)
{
    int most = 0;

    for (; *text; text += text[0] == '\n') {
        size_t len = strcspn(text, "\n");
        int cols = text_cols(text, len);

        most = cols > most ? cols : most;
        text += len;
    }
    return most;
}

/* The column where the text goes on below: its last column's, where that leaves a third of the
 * line, else two behind its first word. */
static int hanging_cols(const char *line, size_t len, int cols)
{
    size_t first = strspn(line, " ");
    int hang = (int)first + 2;

    for (size_t i = first; i + 2 < len && i < 4 * (size_t)cols; i++)
        if (line[i] == ' ' && line[i + 1] == ' ' && line[i + 2] != ' ' &&
            text_cols(line, i + 2) <= cols * 2 / 3)
            hang = text_cols(line, i + 2);
    return hang <= cols / 2 || hang > (int)first + 2 ? hang : (int)first;
}

/* Bytes of the line that stand in cols columns, up to a space, in a command one before an option;
 * a word that is wider is whole. */
static size_t cut_bytes(const char *line, size_t len, size_t from, bool command, int cols)
{
    size_t cut = 0;

    for (size_t i = from, at = 0, used = 0; i <= len; i++) {
        if (i < len && (line[i] != ' ' || (command && line[i + 1] != '-')))
            continue;
        used += (size_t)text_cols(line + at, i - at);
        at = i;
        if (cut == 0 || used <= (size_t)cols)
            cut = i;
        if (used > (size_t)cols)
            break;
    }
    return cut > 0 ? cut : len;
}

static void wrap_line(const char *line, size_t len, int cols, struct strbuf *out)
{
    size_t first = strspn(line, " ");
    bool command = strncmp(line + first, "gpuplan ", 8) == 0;
    int hang = command ? (int)first + 4 : hanging_cols(line, len, cols);
    const char *end = command ? " \\\n" : "\n";
    int room = command ? cols - 2 : cols;

    while (len > 0 && text_cols(line, len) > (room > 0 ? room : 1)) {
        size_t cut = cut_bytes(line, len, first, command, room);

        if (cut >= len)
            break;
        strbuf_addn(out, line, cut);
        while (cut < len && line[cut] == ' ')
            cut++;
        if (cut >= len)
            return;
        strbuf_addf(out, "%s%*s", end, hang, "");
        line += cut;
        len -= cut;
        first = 0;
        room = (command ? cols - 2 : cols) - hang;
    }
    strbuf_addn(out, line, len);
}

void wrap_text(struct strbuf *text, int cols)
{
    struct strbuf out = STRBUF_EMPTY;

    if (cols <= 0)
        return;
    for (const char *line = text->text; *line;) {
        size_t len = strcspn(line, "\n");

        if (text_cols(line, len) > cols)
            wrap_line(line, len, cols, &out);
        else
            strbuf_addn(&out, line, len);
        line += len;
        if (*line == '\n') {
            strbuf_addc(&out, '\n');
            line++;
        }
    }
    strbuf_fini(text);
    *text = out;
}
