/*
 * quote.h - a text that was given, in the syntax of another program.
 *
 * Names and paths come from users, folders and profiles. What writes a script, a manifest or
 * a comment gets them through here, so that none of them ends the syntax around it:
 *
 *   it's $(here)     shell    'it'\''s $(here)'
 *   two<newline>x    shell    $'two\012x'
 *                    yaml     "two\nx"
 *                    comment  two?x
 *   0.33.0+cu130     tag      0.33.0-cu130
 *   Chat 8B          label    chat-8b
 *
 * Shell and YAML keep every byte of a text that is UTF-8; the others are for being read.
 */
#ifndef GP_BASE_QUOTE_H
#define GP_BASE_QUOTE_H

#include "base/str.h"

enum quote {
    QUOTE_SHELL,   /* one word of bash, ksh or zsh */
    QUOTE_YAML,    /* a scalar between double quotes */
    QUOTE_COMMENT, /* the rest of a line */
    QUOTE_TAG,     /* of a container's image: letters, digits, '_', '.' and '-' */
    QUOTE_LABEL,   /* of Kubernetes: small letters, digits and '-', at most 52; may be "" */
};

void quote_add(struct strbuf *out, enum quote how, const char *text);

/* A shell's command that writes the text into the file of that name. */
void quote_file(struct strbuf *out, const char *name, const char *text);

#endif
