/*
 * launch_manifest.c - see launch_print.h: Kubernetes, Slurm and Triton.
 */
#include "answer/launch_print.h"

#include <string.h>

#include "base/json.h"

/* A name that Kubernetes takes: small letters, digits and dashes, at most 52. */
static void plain_name(const struct launch *l, char *name, size_t size)
{
    const char *model = l->values.text[LAUNCH_MODEL];
    const char *slash = strrchr(model, '/');
    size_t n = 0;

    for (const char *p = slash ? slash + 1 : model; *p && n + 1 < size && n < 52; p++) {
        char c = gp_lower(*p);
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');

        if (plain || (n > 0 && name[n - 1] != '-'))
            name[n++] = plain ? c : '-';
    }
    while (n > 0 && name[n - 1] == '-')
        n--;
    name[n] = '\0';
    if (n == 0)
        gp_copy(name, size, "model");
}

/* ---- Kubernetes ---- */

/* The pod of one node of a group; node 1 stands for all but the first. */
static void k8s_pod(const struct launch *l, const char *name, int node, const char *in,
                    struct strbuf *out)
{
    struct launch_place place = {.node = node, .anywhere = true};
    struct launch_command c;
    const char *version = strstr(l->image, "{version}");
    char image[128], inner[24];

    if (l->nodes > 1) {
        place.master = "$(LWS_LEADER_ADDRESS)";
        place.node_text = node ? "$(LWS_WORKER_INDEX)" : NULL;
    }
    gp_format(image, sizeof(image), "%.*s%s",
              version ? (int)(version - l->image) : (int)strlen(l->image), l->image,
              version ? l->version_text : "");
    gp_format(inner, sizeof(inner), "%s  ", in);
    launch_command(l, &place, &c);
    strbuf_addf(out, "%scontainers:\n%s- name: server\n%simage: ", in, in, inner);
    gp_json_add_text(out, image);
    strbuf_add(out, "\n");
    strbuf_addf(out, "%scommand:\n", inner);
    for (size_t i = 0; i < c.argv.count; i++) {
        strbuf_addf(out, "%s- ", inner);
        gp_json_add_text(out, c.argv.at[i].text);
        strbuf_add(out, "\n");
    }
    for (size_t i = 0; i < c.env.count; i++) {
        strbuf_addf(out, "%s%s%s- name: %s\n%s  value: ", i ? "" : inner, i ? "" : "env:\n", inner,
                    c.env.at[i].name, inner);
        gp_json_add_text(out, c.env.at[i].text);
        strbuf_add(out, "\n");
    }
    if (node == 0)
        strbuf_addf(out, "%sports:\n%s- containerPort: %d\n", inner, inner, l->table->port);
    if (l->resource[0])
        strbuf_addf(out, "%sresources:\n%s  limits:\n%s    %s: %d\n", inner, inner, inner,
                    l->resource, l->host_gpus);
    strbuf_addf(out, "%svolumeMounts:\n%s- name: shm\n%s  mountPath: /dev/shm\n", inner, inner,
                inner);
    if (c.file[0])
        strbuf_addf(out, "%s- name: config\n%s  mountPath: /config\n%sworkingDir: /config\n", inner,
                    inner, inner);
    strbuf_addf(out, "%svolumes:\n%s- name: shm\n%s  emptyDir:\n%s    medium: Memory\n", in, in, in,
                in);
    if (c.file[0])
        strbuf_addf(out, "%s- name: config\n%s  configMap:\n%s    name: %s\n", in, in, in, name);
    launch_command_fini(&c);
}

static void write_k8s(const struct launch *l, struct strbuf *out)
{
    struct launch_place place = {.anywhere = true};
    struct launch_command c;
    char name[64];

    plain_name(l, name, sizeof(name));
    launch_command(l, &place, &c);
    if (c.file[0]) {
        strbuf_addf(out, "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: %s\ndata:\n  ", name);
        gp_json_add_text(out, c.file);
        strbuf_add(out, ": ");
        gp_json_add_text(out, c.text.text);
        strbuf_add(out, "\n---\n");
    }
    launch_command_fini(&c);
    if (l->nodes > 1) { /* a group over hosts */
        strbuf_addf(out,
                    "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata:\n"
                    "  name: %s\nspec:\n  replicas: %d\n  leaderWorkerTemplate:\n    size: %d\n"
                    "    leaderTemplate:\n      metadata:\n        labels:\n          app: %s\n"
                    "      spec:\n",
                    name, l->groups, l->nodes, name);
        k8s_pod(l, name, 0, "        ", out);
        strbuf_add(out, "    workerTemplate:\n      spec:\n");
        k8s_pod(l, name, 1, "        ", out);
    } else {
        strbuf_addf(out,
                    "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: %s\nspec:\n"
                    "  replicas: %d\n  selector:\n    matchLabels:\n      app: %s\n"
                    "  template:\n    metadata:\n      labels:\n        app: %s\n    spec:\n",
                    name, l->groups, name, name);
        k8s_pod(l, name, 0, "      ", out);
    }
    strbuf_addf(out,
                "---\napiVersion: v1\nkind: Service\nmetadata:\n  name: %s\nspec:\n"
                "  selector:\n    app: %s\n  ports:\n  - port: %d\n",
                name, name, l->table->port);
}

/* ---- Slurm ---- */

/* The same line on each node, which puts its own number in: one word of bash -c. */
static void slurm_nodes(const struct launch *l, const char *words, struct strbuf *out)
{
    const struct launch_flag *headless = launch_flag_of(l->table, l->version, LAUNCH_HEADLESS);

    strbuf_add(out, "MASTER=$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | "
                    "head -n 1)\nexport MASTER\nsrun bash -c '");
    for (const char *p = words; *p; p++)
        strbuf_add(out, *p == '\'' ? "'\\''" : (char[]){*p, '\0'});
    if (headless)
        strbuf_addf(out, " \\\n    $([ \"$SLURM_NODEID\" -eq 0 ] || echo %s)", headless->flag);
    strbuf_add(out, "'\n");
}

static void write_slurm(const struct launch *l, struct strbuf *out)
{
    bool mpi = strcmp(l->table->hosts, "mpi") == 0 && l->nodes > 1;
    struct launch_place place = {.anywhere = true};
    struct launch_command c;
    struct strbuf words;
    char port[64], name[64];

    gp_format(port, sizeof(port), "$((%d + ${SLURM_ARRAY_TASK_ID:-0}))", l->table->port);
    place.port = port;
    if (l->nodes > 1 && !mpi) {
        place.node_text = "$SLURM_NODEID";
        place.master = "$MASTER";
        place.any_node = true;
    }
    plain_name(l, name, sizeof(name));
    strbuf_addf(out, "#SBATCH --job-name=%s\n#SBATCH --nodes=%d\n#SBATCH --ntasks-per-node=%d\n",
                name, l->nodes, mpi ? l->host_gpus : 1);
    if (l->resource[0])
        strbuf_addf(out, "#SBATCH --gres=gpu:%d\n", l->host_gpus);
    else
        strbuf_add(out, "#SBATCH --exclusive\n"); /* all processors, as planned */
    if (l->groups > 1)
        strbuf_addf(out, "#SBATCH --array=0-%d\n", l->groups - 1);
    launch_command(l, &place, &c);
    if (c.file[0])
        launch_shell_file(c.file, c.text.text, out);
    strbuf_init(&words);
    launch_shell_words(&c, "    ", &words);
    if (l->nodes > 1 && !mpi)
        slurm_nodes(l, words.text, out);
    else
        strbuf_addf(out, "%s%s\n", mpi ? "srun --mpi=pmix " : "", words.text);
    strbuf_fini(&words);
    launch_command_fini(&c);
}

/* ---- Triton ---- */

/* A server for each replica: instances of one would share its GPUs. */
static void triton_servers(const struct launch *l, struct strbuf *out)
{
    for (int g = 0; g < l->per_host; g++) {
        int first = g * l->host_gpus, port = 8000 + 10 * g;

        if (l->per_host > 1 && l->visible) {
            strbuf_addf(out, "%s=", l->visible);
            for (int i = 0; i < l->host_gpus; i++)
                strbuf_addf(out, "%s%d", i ? "," : "", first + i);
            strbuf_add(out, " ");
        }
        strbuf_add(out, "tritonserver --model-repository=model_repository");
        if (l->per_host > 1)
            strbuf_addf(out, " \\\n    --http-port=%d --grpc-port=%d --metrics-port=%d &", port,
                        port + 1, port + 2);
        strbuf_add(out, "\n");
    }
    if (l->per_host > 1)
        strbuf_add(out, "wait\n");
}

static void write_triton(const struct launch *l, struct strbuf *out)
{
    static const char pbtxt[] = "backend: \"%s\"\ninstance_group [\n  {\n    count: 1\n"
                                "    kind: KIND_MODEL\n  }\n]\n";
    bool python = strcmp(l->table->triton, "python") == 0;
    struct strbuf config;
    char name[64], path[160], text[160];

    plain_name(l, name, sizeof(name));
    strbuf_init(&config);
    launch_config(l, &config);
    if (python)
        strbuf_addf(out, "# model.py: that of tensorrtllm_backend's LLM API example, beside "
                         "model.yaml\n");
    gp_format(path, sizeof(path), "model_repository/%s/config.pbtxt", name);
    gp_format(text, sizeof(text), pbtxt, l->table->triton);
    strbuf_addf(out, "mkdir -p model_repository/%s/1\n", name);
    launch_shell_file(path, text, out);
    gp_format(path, sizeof(path), "model_repository/%s/1/model.%s", name,
              python ? "yaml" : "json"); /* JSON is YAML */
    launch_shell_file(path, config.text, out);
    triton_servers(l, out);
    strbuf_fini(&config);
}

void launch_manifest(const struct launch *l, enum launch_target target, struct strbuf *out)
{
    if (target == TARGET_K8S)
        write_k8s(l, out);
    else if (target == TARGET_SLURM)
        write_slurm(l, out);
    else if (target == TARGET_TRITON)
        write_triton(l, out);
}
