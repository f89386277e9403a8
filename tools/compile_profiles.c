/*
 * compile_profiles.c - writes the compiled form of a folder of profiles (catalog/compiled.h).
 *
 *   compile_profiles FOLDER FILE
 *
 * A file that cannot be read stays out: gpuplan says what is wrong with it when it is asked for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "catalog/compiled.h"
#include "catalog/profile.h"

struct compiled_list {
    struct compiled_text *texts;
    size_t count, cap;
};

static void add_file(struct compiled_list *list, const char *path)
{
    struct profile *profile;
    struct compiled_text one;
    char *text;
    size_t len;

    if (path_read(path, PROFILE_MAX_BYTES, &text, &len, NULL) != GP_OK)
        return;
    if (profile_parse(path, text, len, &profile, NULL) == GP_OK) {
        bool whole = compiled_text(&one, text, len, profile_top(profile).setting);

        if (whole) {
            list->texts = gp_grow(list->texts, &list->cap, list->count + 1, sizeof *list->texts);
            list->texts[list->count++] = one;
        } else {
            strbuf_fini(&one.block);
        }
        profile_free(profile);
    }
    free(text);
}

/* The files of a folder and of those in it. */
static void add_folder(struct compiled_list *list, const char *dir, int depth)
{
    char **names = NULL, path[GP_PATH_MAX];
    size_t count = 0;

    if (path_list(dir, "", &names, &count, NULL) != GP_OK)
        return;
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(names[i]);

        if (names[i][0] == '.' || !path_join(path, sizeof path, dir, names[i]))
            continue;
        if (path_is_dir(path) && depth == 0)
            add_folder(list, path, 1);
        else if (len > 4 && strcmp(names[i] + len - 4, ".cfg") == 0)
            add_file(list, path);
    }
    path_list_free(names, count);
}

int main(int argc, char **argv)
{
    struct compiled_list list = {0};
    struct strbuf bytes;
    FILE *file;
    bool written;

    if (argc != 3) {
        fprintf(stderr, "usage: compile_profiles FOLDER FILE\n");
        return 2;
    }
    strbuf_init(&bytes);
    add_folder(&list, argv[1], 0);
    compiled_file(list.texts, list.count, &bytes);
    file = fopen(argv[2], "wb");
    written = file != NULL && fwrite(bytes.text, 1, bytes.len, file) == bytes.len;
    if (file == NULL || fclose(file) != 0 || !written) {
        fprintf(stderr, "compile_profiles: %s: cannot be written\n", argv[2]);
        written = false;
    }
    for (size_t i = 0; i < list.count; i++)
        strbuf_fini(&list.texts[i].block);
    free(list.texts);
    strbuf_fini(&bytes);
    return written ? 0 : 1;
}
