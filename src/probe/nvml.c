/* nvml.c - see nvml.h. */
#include "probe/nvml.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

static const struct {
    const char *name;
    size_t offset; /* of the pointer in struct nvml_api */
    unsigned need;
} functions[] = {
#define X(member, name, parameters, need) {name, offsetof(struct nvml_api, member), need},
    NVML_FUNCTIONS(X)
#undef X
};

const char *nvml_bind(struct nvml_api *api, void *library, unsigned need)
{
    for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *address = dlsym(library, functions[i].name);

        if (!address && functions[i].need & need)
            return functions[i].name;
        *(void **)(void *)((char *)api + functions[i].offset) = address;
    }
    return NULL;
}

int nvml_reasons(const struct nvml_api *api, struct nvml_device *device, unsigned long long *bits)
{
    int code = NVML_ERROR_NOT_SUPPORTED;

    if (api->reasons)
        code = api->reasons(device, bits);
    if (code != NVML_SUCCESS && api->reasons_old)
        code = api->reasons_old(device, bits);
    return code;
}

int nvml_processes(const struct nvml_api *api, struct nvml_device *device, unsigned *count,
                   void *list)
{
    return api->processes_v3   ? api->processes_v3(device, count, list)
           : api->processes_v2 ? api->processes_v2(device, count, list)
           : api->processes    ? api->processes(device, count, list)
                               : NVML_ERROR_NOT_SUPPORTED;
}

int nvml_process_count(const struct nvml_api *api, struct nvml_device *device)
{
    unsigned count = 0;
    int code = nvml_processes(api, device, &count, NULL);
    bool told = code == NVML_SUCCESS || code == NVML_ERROR_INSUFFICIENT_SIZE;

    return told && count < 1u << 20 ? (int)count : -1;
}
