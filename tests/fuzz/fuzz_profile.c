/*
 * fuzz_profile.c - any text as each kind of profile: GPU, formats, engine, prices,
 * server, ownership, family of GPUs.
 *
 * The readers take file names, so the core is fed directly and every getter is tried on
 * the keys that are there; then the text is written to a memory file and given to the
 * readers themselves.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "catalog/files.h"
#include "catalog/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 loses the text it was reading when a syntax error follows it. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libconfig\n";
}

static void ignore(void *ctx, const char *line)
{
    size_t *bytes = ctx;

    *bytes += strlen(line);
}

static void try_getters(struct profile *profile)
{
    static const char *const keys[] = {"name",      "memory_gib", "mig",
                                       "instances", "formats",    "ranges"};
    struct profile_group top = profile_top(profile);
    size_t bytes = 0;
    struct gp_err err;

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char text[32] = "";
        double number = 0;
        int count = profile_length(top, keys[i], 16);

        for (int at = 0; at < count; at++)
            profile_string(profile_item(top, keys[i], at), "id", text, sizeof text);
        profile_number(top, keys[i], &number, -1e9, 1e9);
        profile_strings(top, keys[i], text, sizeof text);
    }
    profile_finish(profile, ignore, &bytes, &err);
}

static void try_readers(const char *path)
{
    struct format_list formats = {0};
    struct engine_item engine = {.id = "x"};
    struct instance_list rows = {0};
    struct server server = {0};
    struct ownership own = {0};
    struct gpu_item gpu = {0};
    struct family_item family = {0};
    struct gp_err err;
    size_t bytes = 0;

    profile_read(path, gpu_file_read, &gpu, ignore, &bytes, &err);
    profile_read(path, format_file_read, &formats, ignore, &bytes, &err);
    profile_read(path, engine_file_read, &engine, ignore, &bytes, &err);
    profile_read(path, price_file_read, &rows, ignore, &bytes, &err);
    rows.user = true;
    profile_read(path, price_file_read, &rows, ignore, &bytes, &err);
    profile_read(path, price_file_server, &server, ignore, &bytes, &err);
    profile_read(path, price_file_ownership, &own, ignore, &bytes, &err);
    profile_read(path, family_file_read, &family, ignore, &bytes, &err);
    free(formats.formats);
    free(engine.list.engines);
    free(rows.instances);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile *profile;
    struct gp_err err;
    char path[64];
    int fd;

    if (profile_parse("fuzz.cfg", (const char *)data, size, &profile, &err) != GP_OK)
        return 0;
    try_getters(profile);
    profile_free(profile);
    fd = memfd_create("profile", MFD_CLOEXEC);
    if (fd < 0)
        return 0;
    if (write(fd, data, size) == (ssize_t)size) {
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
        try_readers(path);
    }
    close(fd);
    return 0;
}
