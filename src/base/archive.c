/*
 * archive.c - see archive.h. POSIX.1-1988 ustar: a head of 512 bytes, then the file's bytes, up to
 * a multiple of 512.
 */
#include "base/archive.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define BLOCK 512

struct head { /* as it lies in the file */
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100];
    char magic[6], version[2], user[32], group[32], major[8], minor[8], prefix[155], rest[12];
};
_Static_assert(sizeof(struct head) == BLOCK, "a head is one block");

/* Octal digits up to a blank or zero byte. */
static bool read_octal(const char *digits, size_t size, uint64_t *value)
{
    size_t at = 0;

    *value = 0;
    for (; at < size && digits[at] >= '0' && digits[at] <= '7'; at++)
        *value = *value * 8 + (uint64_t)(digits[at] - '0');
    return at > 0 && (at == size || digits[at] == '\0' || digits[at] == ' ');
}

/* The sum of the head's bytes with its own field blank. */
static bool sum_is_right(const struct head *head)
{
    const unsigned char *bytes = (const unsigned char *)head;
    uint64_t said, sum = sizeof head->sum * ' ';

    for (size_t i = 0; i < BLOCK; i++)
        if (i < offsetof(struct head, sum) || i >= offsetof(struct head, type))
            sum += bytes[i];
    return read_octal(head->sum, sizeof head->sum, &said) && said == sum;
}

static bool name_is_safe(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._+-/";

    if (name[0] == '\0' || name[strspn(name, letters)] != '\0')
        return false;
    for (const char *part = name; part != NULL; part = strchr(part, '/')) {
        part += part != name; /* past the slash */
        if (*part == '.' || *part == '/' || *part == '\0')
            return false;
    }
    return true;
}

static bool head_name(const struct head *head, char name[ARCHIVE_NAME_MAX])
{
    char prefix[sizeof head->prefix + 1] = "", last[sizeof head->name + 1] = "";

    memcpy(prefix, head->prefix, sizeof head->prefix);
    memcpy(last, head->name, sizeof head->name);
    return gp_format(name, ARCHIVE_NAME_MAX, "%s%s%s", prefix, prefix[0] ? "/" : "", last) &&
           name_is_safe(name);
}

/* The end of an archive is two blocks of zeros; one of an odd writer is enough. */
static bool is_end(const char *block)
{
    for (size_t i = 0; i < BLOCK; i++)
        if (block[i] != '\0')
            return false;
    return true;
}

enum gp_status archive_next(const char *bytes, size_t len, size_t *at, struct archive_file *file,
                            struct gp_err *err)
{
    struct head head;
    uint64_t size;

    file->name[0] = '\0';
    if (*at <= len && len - *at >= BLOCK && is_end(bytes + *at))
        return GP_OK;
    if (*at > 0 && (*at > len || len - *at < BLOCK))
        return gp_fail(err, GP_E_FILE, "", "copy it again", "the archive ends early");
    if (len < BLOCK)
        return gp_fail(err, GP_E_FILE, "", "make data writes one", "not a tar archive");
    memcpy(&head, bytes + *at, BLOCK);
    if (memcmp(head.magic, "ustar", 5) != 0 || !sum_is_right(&head))
        return gp_fail(err, GP_E_FILE, "", "make data writes one",
                       *at == 0 ? "not a tar archive" : "the archive is damaged at byte %zu", *at);
    if (!head_name(&head, file->name))
        return gp_fail(err, GP_E_FILE, "", "", "byte %zu: not the name of a profile", *at);
    if (head.type != '0' && head.type != '\0')
        return gp_fail(err, GP_E_FILE, file->name, "", "not a plain file");
    *at += BLOCK;
    if (!read_octal(head.size, sizeof head.size, &size) || size > len - *at)
        return gp_fail(err, GP_E_FILE, file->name, "copy it again", "the archive ends early");
    file->bytes = bytes + *at;
    file->len = size;
    *at += (size_t)(size + BLOCK - 1) / BLOCK * BLOCK;
    return GP_OK;
}

/* ---- what was linked in (tools/builtin.S) ---------------------------------------------- */

extern const char gp_builtin_begin[] __attribute__((weak));
extern const char gp_builtin_end[] __attribute__((weak));

static struct archive_file *builtin;
static size_t builtin_count;

static void index_builtin(void)
{
    size_t len = gp_builtin_begin != NULL ? (size_t)(gp_builtin_end - gp_builtin_begin) : 0;
    size_t at = 0, cap = 0;

    while (len > 0) {
        builtin = gp_grow(builtin, &cap, builtin_count + 1, sizeof *builtin);
        if (archive_next(gp_builtin_begin, len, &at, &builtin[builtin_count], NULL) != GP_OK ||
            builtin[builtin_count].name[0] == '\0')
            break;
        builtin_count++;
    }
}

const struct archive_file *archive_builtin(size_t *count)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, index_builtin);
    *count = builtin_count;
    return builtin;
}

static int by_name(const void *path, const void *file)
{
    return strcmp(path, ((const struct archive_file *)file)->name);
}

const struct archive_file *archive_builtin_find(const char *path)
{
    const size_t root = strlen(BUILTIN_ROOT);
    size_t count;
    const struct archive_file *files;

    if (strncmp(path, BUILTIN_ROOT, root) != 0 || (files = archive_builtin(&count)) == NULL)
        return NULL;
    return bsearch(path + root, files, count, sizeof *files, by_name);
}
