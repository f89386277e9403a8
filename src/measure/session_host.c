/*
 * session_host.c - where and by what a session measured.
 */
#include "measure/session_inside.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/json.h"
#include "gpuplan_git.h"
#include "probe/cpu_topology.h"

#define ARGUMENTS 65536 /* bytes of the command line that are kept */

extern char **environ;

/* ---- the program ---- */

/* What stands between "://" and "@" is masked: no option wants a password, but people
 * paste. */
static json_t *without_secret(const char *text)
{
    const char *from = strstr(text, "://"), *to = from ? strchr(from, '@') : NULL;
    char kept[1024];

    if (!to || (strchr(from + 3, '/') && strchr(from + 3, '/') < to))
        return gp_json_text(text);
    gp_format(kept, sizeof(kept), "%.*s***%s", (int)(from + 3 - text), text, to);
    return gp_json_text(kept);
}

/* An argument that names the host (-o run-$(hostname).json) would undo --anonymous. */
static json_t *without_host(const struct session *s, const char *text)
{
    char name[65] = "";

    gethostname(name, sizeof(name) - 1);
    if (options_flag(&s->options, OPT_ANONYMOUS) && name[0] && strstr(text, name))
        return json_string("***");
    return without_secret(text);
}

/* The command line as it was typed; null where the system does not tell. */
static json_t *arguments(const struct session *s)
{
    static char text[ARGUMENTS + 1];
    FILE *file = fopen("/proc/self/cmdline", "re");
    size_t len = file ? fread(text, 1, ARGUMENTS, file) : 0;
    json_t *list = len ? json_array() : json_null();

    if (file)
        fclose(file);
    text[len] = '\0';
    for (size_t i = 0; i < len; i += strlen(text + i) + 1)
        json_array_append_new(list, without_host(s, text + i));
    return list;
}

json_t *session_tool(const struct session *s)
{
    json_t *json = json_object();

    json_object_set_new(json, "version", json_string(GP_VERSION));
    json_object_set_new(json, "git", gp_json_text(GP_GIT[0] ? GP_GIT : "v" GP_VERSION));
    json_object_set_new(json, "argv", arguments(s));
    json_object_set_new(json, "seed", json_integer((json_int_t)s->plan.options.settings.seed));
    return json;
}

/* ---- the machine ---- */

static json_t *environment(void)
{
    static const char *const names[] = {"CUBLAS", "CUDA",  "NVIDIA_TF32", "NCCL_", "OMP_",
                                        "ONEDNN", "DNNL_", "OPENBLAS",    "GOMP_", NULL};
    json_t *json = json_object();

    for (char **e = environ; *e; e++)
        for (int i = 0; names[i]; i++) {
            const char *equals = strchr(*e, '=');
            char name[64];

            if (!equals || strncmp(*e, names[i], strlen(names[i])) != 0)
                continue;
            gp_format(name, sizeof(name), "%.*s", (int)(equals - *e), *e);
            json_object_set_new(json, name, gp_json_text(equals + 1));
        }
    return json;
}

/* Memory nodes, as sysfs has them; null where there is none. */
static json_t *numa_nodes(void)
{
    json_t *count = json_null();
    glob_t found;

    if (glob("/sys/devices/system/node/node[0-9]*", 0, NULL, &found) != 0)
        return count;
    count = json_integer((json_int_t)found.gl_pathc);
    globfree(&found);
    return count;
}

json_t *session_host(const struct session *s)
{
    json_t *json = json_object();
    struct cpu_topology ours;
    struct cpu_info info;
    struct utsname name;

    cpu_info_read("/proc", &info);
    cpu_topology_read("", NULL, &ours);
    json_object_set_new(json, "name", gp_json_text(s->files.host));
    json_object_set_new(json, "cpu", info.name[0] ? gp_json_text(info.name) : json_null());
    json_object_set_new(json, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    json_object_set_new(json, "cpus_allowed", json_integer(ours.cpus));
    json_object_set_new(json, "quota_cpus",
                        ours.quota > 0 ? gp_json_number(ours.quota) : json_null());
    json_object_set_new(json, "numa_nodes", numa_nodes());
    json_object_set_new(json, "kernel",
                        uname(&name) == 0 ? gp_json_text(name.release) : json_null());
    json_object_set_new(json, "env", environment());
    return json;
}
