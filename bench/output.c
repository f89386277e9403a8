/* output.c - see output.h. */
#include "bench/output.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/json.h"

bool output_send(FILE *out, json_t *object)
{
    struct strbuf line;
    bool sent;

    strbuf_init(&line);
    gp_json_write(object, false, &line);
    strbuf_add(&line, "\n");
    json_decref(object);
    sent = fwrite(line.text, 1, line.len, out) == line.len && fflush(out) == 0;
    strbuf_fini(&line);
    return sent;
}

void output_library(json_t *software, const void *in)
{
    char path[PATH_MAX];
    struct stat file;
    Dl_info found;

    if (!in || !dladdr(in, &found) || !found.dli_fname || !realpath(found.dli_fname, path) ||
        stat(path, &file) != 0)
        return;
    if (!json_object_get(software, "files"))
        json_object_set_new(software, "files", json_array());
    json_array_append_new(json_object_get(software, "files"),
                          json_pack("{s:o, s:I, s:I}", "path", gp_json_text_or_null(path), "bytes",
                                    (json_int_t)file.st_size, "changed",
                                    (json_int_t)file.st_mtime));
}

json_t *output_device(const struct bench_device *device)
{
    const struct {
        const char *name;
        double value; /* 0: unknown */
    } numbers[] = {
        {"cc", device->cc},         {"units", device->units},
        {"memory", device->memory}, {"free", device->free},
        {"cache", device->cache},   {"bandwidth_sheet", device->bandwidth_sheet},
    };
    json_t *json = json_object();

    json_object_set_new(json, "t", json_string(line_kind_words[LINE_DEVICE]));
    json_object_set_new(json, "index", json_integer(device->index));
    json_object_set_new(json, "name", gp_json_text(device->name));
    json_object_set_new(json, "uuid", gp_json_text_or_null(device->uuid));
    json_object_set_new(json, "pci", gp_json_text_or_null(device->pci));
    json_object_set_new(json, "kind", gp_json_text(device->kind));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        json_object_set_new(json, numbers[i].name, gp_json_above_zero(numbers[i].value));
    json_object_set(json, "more", device->more ? device->more : json_null());
    return json;
}
