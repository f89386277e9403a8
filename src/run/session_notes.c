/* session_notes.c - see session_notes.h. */
#include "run/session_notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"
#include "util/str.h"

void notes_fini(struct session_notes *notes)
{
    for (int i = 0; i < notes->queued; i++)
        free(notes->queue[i]);
    free(notes->remark);
}

static void add_text(struct session_notes *notes, const char *code, const char *text)
{
    if (notes->count == NOTES_MAX)
        return;
    notes->remark = gp_grow(notes->remark, &notes->cap, (size_t)notes->count + 1,
                            sizeof(*notes->remark));
    notes->remark[notes->count].code = code;
    gp_copy(notes->remark[notes->count].text, SESSION_NOTE, text);
    notes->count++;
}

void notes_add(struct session_notes *notes, const char *code, const char *fmt, ...)
{
    char text[SESSION_NOTE];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    add_text(notes, code, text);
}

void notes_add_said(struct session_notes *notes, const char *code, const char *fmt, ...)
{
    char text[SESSION_NOTE];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    add_text(notes, code, text);
    notes_say(notes, text);
}

static void drop_first(struct session_notes *notes)
{
    free(notes->queue[0]);
    memmove(notes->queue, notes->queue + 1, (NOTES_WAIT - 1) * sizeof(*notes->queue));
    notes->queued--;
}

void notes_say(struct session_notes *notes, const char *text)
{
    if (notes->queued == NOTES_WAIT)
        drop_first(notes);
    notes->queue[notes->queued++] = gp_strdup(text);
}

bool notes_next(struct session_notes *notes, char *text, size_t size)
{
    if (notes->queued == 0)
        return false;
    gp_copy(text, size, notes->queue[0]);
    drop_first(notes);
    return true;
}
