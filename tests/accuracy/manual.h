/*
 * manual.h - whether gpuplan-model(7) still says what an accuracy program found.
 */
#ifndef GP_TESTS_ACCURACY_MANUAL_H
#define GP_TESTS_ACCURACY_MANUAL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"

#define MANUAL_MAX (1 << 20)

/* The page with spaces for its line ends; NULL, and a word why, where it cannot be read. */
static inline const char *manual_text(void)
{
    static char *text;
    const char *folder = getenv("srcdir");
    char path[GP_PATH_MAX];
    struct gp_err err = {0};
    size_t length;
    gp_format(path, sizeof(path), "%s/man/gpuplan-model.7", folder ? folder : ".");
    if (!text && path_read(path, MANUAL_MAX, &text, &length, &err))
        fprintf(stderr, "%s: %s\n", path, err.text);
    for (char *end = text; end && (end = strchr(end, '\n'));)
        *end = ' ';
    return text;
}

/* 0; 1, and the words, where the page does not have them. */
static inline int manual_lacks(const char *words)
{
    const char *text = manual_text();
    if (text && strstr(text, words))
        return 0;
    printf("FAIL: gpuplan-model(7) does not say: %s\n", words);
    return 1;
}

#endif
