/*
 * replay.c - runs a fuzz target over a kept corpus, without a fuzzer.
 *
 * Linked with one fuzz_NAME.c each to a program replay_NAME that takes files and
 * folders; without arguments it takes $srcdir/tests/fuzz/corpus/NAME, as `make check`
 * calls it. Every input lies in a block of exactly its own size, so that a read past
 * its end is seen by AddressSanitizer. A target fails by crashing.
 */
#include <dirent.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PREFIX "replay_"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int run_file(const char *path, size_t size)
{
    uint8_t *data = malloc(size ? size : 1);
    FILE *file = fopen(path, "rb");
    size_t got = data && file ? fread(data, 1, size, file) : 0;

    if (file)
        fclose(file);
    if (!file || got != size) {
        fprintf(stderr, "replay: cannot read %s\n", path);
        free(data);
        return -1;
    }
    /* Named first, so that the last line says which input crashed. */
    printf("%s\n", path);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

/* How many inputs were run in a file or folder; -1 when one could not be read. */
static int run_path(const char *path)
{
    char name[PATH_MAX];
    struct dirent *entry;
    struct stat st;
    int total = 0, ran;
    DIR *dir;

    if (stat(path, &st) != 0) {
        fprintf(stderr, "replay: no %s\n", path);
        return -1;
    }
    if (!S_ISDIR(st.st_mode))
        return run_file(path, (size_t)st.st_size);
    dir = opendir(path);
    if (!dir)
        return -1;
    while (total >= 0 && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        ran = run_path(name);
        total = ran < 0 ? -1 : total + ran;
    }
    closedir(dir);
    return total;
}

/* $srcdir/tests/fuzz/corpus/NAME, from the program's own name replay_NAME. */
static void default_corpus(char *path, size_t size, const char *program)
{
    const char *srcdir = getenv("srcdir");
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;

    if (strncmp(name, PREFIX, strlen(PREFIX)) == 0)
        name += strlen(PREFIX);
    snprintf(path, size, "%s/tests/fuzz/corpus/%s", srcdir ? srcdir : ".", name);
}

int main(int argc, char **argv)
{
    char corpus[PATH_MAX];
    int total = 0;

    for (int i = 1; i < argc; i++) {
        int ran = run_path(argv[i]);

        if (ran < 0)
            return EXIT_FAILURE;
        total += ran;
    }
    if (argc == 1) {
        default_corpus(corpus, sizeof corpus, argv[0]);
        total = run_path(corpus);
    }
    if (total <= 0) {
        fprintf(stderr, "replay: no inputs\n");
        return EXIT_FAILURE;
    }
    printf("%d inputs\n", total);
    return EXIT_SUCCESS;
}
