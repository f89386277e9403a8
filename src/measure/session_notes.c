/* session_notes.c - see session_notes.h. */
#include "measure/session_notes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

void notes_fini(struct session_notes *notes)
{
    for (int i = 0; i < notes->queued; i++)
        free(notes->queue[i]);
    free(notes->remark);
}

/* The remark's text, or NULL when there are too many. */
static const char *add_remark(struct session_notes *notes, const char *code, const char *fmt,
                              va_list args)
{
    struct session_remark *remark;

    if (notes->count == NOTES_MAX)
        return NULL;
    notes->remark =
        gp_grow(notes->remark, &notes->cap, (size_t)notes->count + 1, sizeof(*notes->remark));
    remark = &notes->remark[notes->count++];
    remark->code = code;
    vsnprintf(remark->text, sizeof(remark->text), fmt, args);
    return remark->text;
}

void notes_add(struct session_notes *notes, const char *code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    add_remark(notes, code, fmt, args);
    va_end(args);
}

void notes_add_said(struct session_notes *notes, const char *code, const char *fmt, ...)
{
    const char *text;
    va_list args;

    va_start(args, fmt);
    if ((text = add_remark(notes, code, fmt, args)))
        notes_say(notes, text);
    va_end(args);
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
