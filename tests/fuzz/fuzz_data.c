/*
 * fuzz_data.c - any bytes as a bundle of data: what is accepted has a day, and names that stay
 * within a folder.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/archive.h"
#include "catalog/bundle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    struct archive_file file;
    struct data_stamp stamp;
    struct gp_err err;
    size_t at = 0;

    while (archive_next(bytes, size, &at, &file, &err) == GP_OK && file.name[0] != '\0')
        if (file.name[0] == '/' || strstr(file.name, "..") == file.name ||
            strstr(file.name, "/.") != NULL || file.bytes < bytes ||
            file.len > size - (size_t)(file.bytes - bytes))
            abort();
    if (bundle_check(bytes, size, &stamp, &err) == GP_OK && strlen(stamp.date) != 10)
        abort();
    return 0;
}
