/*
 * pool_export.c - a pool's plan of an hour in the files of other programs; see pool_record.h.
 *
 * The plan becomes JSON: a row for each layout that runs in the hour, for each chassis with its
 * GPUs that are cut alike, or for each GPU. Compose is that JSON, the others are templates of it.
 */
#include <ctype.h>
#include <string.h>

#include "base/json.h"
#include "base/quote.h"
#include "base/template.h"
#include "pool/pool_mps.h"
#include "pool/pool_record.h"

#define HEAD "# gpuplan --pool: {{pool|comment}}, {{rung}}, hour {{hour}}\n"
#define LAUNCH                                                                          \
    "# its command: gpuplan --launch ENGINE -m {{model|shell}} -p {{precision|shell}} " \
    "-g {{launch_gpu|shell}} --tp {{tp}} --pp {{pp}}{{#context}} -c {{context}}{{/context}}\n"

static void set_text(json_t *to, const char *name, const char *text)
{
    json_object_set_new(to, name, gp_json_text_or_null(text));
}

static void set_number(json_t *to, const char *name, double value)
{
    json_object_set_new(to, name, gp_json_number(value));
}

static json_t *add_object(json_t *list)
{
    json_t *object = json_object();

    json_array_append_new(list, object);
    return object;
}

static json_t *set_list(json_t *to, const char *name)
{
    json_t *list = json_array();

    json_object_set_new(to, name, list);
    return list;
}

/* A name of letters, digits and hyphens, as hosts and pods have: "Chat 8B" -> "chat-8b-3";
 * the number tells apart what becomes the same. */
static void set_name(json_t *to, const char *text, int number)
{
    struct strbuf name;

    strbuf_init(&name);
    quote_add(&name, QUOTE_LABEL, text);
    strbuf_addf(&name, "%s%d", name.len > 0 ? "-" : "", number);
    set_text(to, "name", name.text);
    strbuf_fini(&name);
}

/* An expression of CEL that asks for the first bytes of that text. */
static void set_cel(json_t *to, const char *name, const char *attribute, const char *text,
                    size_t len)
{
    struct strbuf cel;

    strbuf_init(&cel);
    strbuf_addf(&cel, "device.attributes['gpu.nvidia.com'].%s == '", attribute);
    for (size_t i = 0; i < len; i++)
        strbuf_addf(&cel, "%s%c", strchr("'\\", text[i]) ? "\\" : "", text[i]);
    strbuf_addc(&cel, '\'');
    set_text(to, name, cel.text);
    strbuf_fini(&cel);
}

/* The first name that the driver prints, which the DRA driver publishes; and as Slurm's
 * AutoDetect=nvml has it: "nvidia_a100-sxm4-40gb", a slice of it "nvidia_a100_1g.5gb", without
 * what follows the first '-' (gpu_nvml.c); a GPU that NVML does not know by its id. */
static void set_product(json_t *to, const struct gpu *gpu, const char *id, const char *profile)
{
    size_t all = strcspn(gpu->nvml_names, "|"), dash = strcspn(gpu->nvml_names, "-|");
    struct strbuf gres;

    strbuf_init(&gres);
    set_cel(to, "product", "productName", gpu->nvml_names, all);
    if (profile[0])
        set_cel(to, "slice", "profile", profile, strlen(profile));
    if (all > 0)
        strbuf_addn(&gres, gpu->nvml_names, profile[0] ? dash : all);
    else
        strbuf_add(&gres, id);
    strbuf_addf(&gres, "%s%s", profile[0] ? "_" : "", profile);
    for (char *at = gres.text; *at; at++)
        *at = isgraph((unsigned char)*at) ? gp_lower(*at) : '_';
    set_text(to, "gres", gres.text);
    strbuf_fini(&gres);
}

static void add_layouts(const struct pool_run *run, int hour, json_t *rows)
{
    const struct pool_case *c = &run->c;

    for (int i = 0; i < c->pool.candidate_count; i++) {
        const struct pool_candidate *one = &c->pool.candidates[i];
        const struct pool_replica *r = &c->replicas.row[c->replica_of[i]];
        const struct pool_file_workload *w = &c->file.workloads[one->workload];
        const struct gpu *gpu = &c->replicas.type[one->type];
        const struct layout *layout = pool_layout(run, i);
        const char *id = c->file.types[one->type].gpu;
        const char *profile = r->slice == POOL_WHOLE ? "" : gpu->slice[r->slice].profile;
        int replicas = run->answer.rungs[run->rung].replicas[i * c->pool.hours + hour];
        int hosts = layout->hosts > 1 ? layout->hosts : 1;
        char launch_gpu[160];

        if (replicas <= 0)
            continue;
        json_t *row = add_object(rows);
        set_name(row, w->name, i + 1);
        set_product(row, gpu, id, profile);
        set_number(row, "replicas", replicas);
        set_number(row, "gpus", one->gpus);
        set_number(row, "hosts", hosts);
        set_number(row, "tp", layout->tp);
        set_number(row, "pp", layout->pp);
        set_number(row, "gpus_of_host", one->gpus / hosts);
        set_number(row, "context", w->context);
        set_text(row, "class", profile[0] ? "mig" : "gpu");
        gp_format(launch_gpu, sizeof(launch_gpu), "%s%s%s:%d", id, profile[0] ? "/" : "", profile,
                  one->gpus);
        set_text(row, "launch_gpu", launch_gpu);
        set_text(row, "model", w->model);
        set_text(row, "precision", r->precision);
    }
}

/* GPUs of a chassis that are cut alike; cut -1: whole ones. */
static void add_cut(const struct pool_run *run, int hour, int chassis, int type, int cut,
                    json_t *cuts)
{
    const struct placement *p = &run->placement;
    const struct placement_chassis *at = &p->chassis[chassis];
    const struct pool_type *t = &run->c.types[type];
    struct strbuf devices;

    strbuf_init(&devices);
    for (int g = at->first; g < at->first + at->gpus; g++)
        if (p->type[g] == type && p->cut[placement_cell(p, hour, g)] == cut)
            strbuf_addf(&devices, "%s%d", devices.len > 0 ? ", " : "", g - at->first);
    if (devices.len > 0) {
        json_t *row = add_object(cuts), *slices = set_list(row, "slices");

        set_text(row, "devices", devices.text);
        set_text(row, "cut", cut >= 0 ? "true" : "false");
        for (int i = 0; cut >= 0 && i < t->slices; i++)
            if (t->cut[cut][i] > 0) {
                json_t *slice = add_object(slices);

                set_text(slice, "profile", pool_profile(run, type, i));
                set_number(slice, "count", t->cut[cut][i]);
            }
    }
    strbuf_fini(&devices);
}

static void add_cuts(const struct pool_run *run, int hour, json_t *rows)
{
    char name[POOL_FILE_NAME];

    for (int b = 0; b < run->placement.chassis_count; b++) {
        json_t *row = add_object(rows), *cuts = set_list(row, "cuts");

        pool_chassis_name(run, b, name, sizeof(name));
        set_name(row, name, b + 1);
        for (int t = 0; t < run->c.pool.type_count; t++)
            for (int cut = -1; cut < run->c.types[t].cuts; cut++)
                add_cut(run, hour, b, t, cut, cuts);
    }
}

static void add_gpus(const struct pool_run *run, int hour, json_t *rows)
{
    const struct placement *p = &run->placement;

    for (int g = 0; g < p->gpus; g++) {
        size_t at = placement_cell(p, hour, g);
        json_t *row = add_object(rows);
        char name[POOL_FILE_NAME];
        struct strbuf layout;

        strbuf_init(&layout);
        if (p->who[at] > 0 && p->cut[at] < 0)
            pool_layout_words(run, p->who[at] - 1, &layout);
        pool_chassis_name(run, p->chassis_of[g], name, sizeof(name));
        set_text(row, "box", name);
        set_number(row, "slot", g - p->chassis[p->chassis_of[g]].first + 1);
        set_text(row, "gpu", run->c.file.types[p->type[g]].gpu);
        json_object_set_new(row, "host", gp_json_above_zero(p->host[at]));
        set_text(row, "serves", pool_served_by(run, hour, g));
        set_text(row, "layout", layout.text);
        json_object_set_new(row, "replica", gp_json_above_zero(p->unit[at]));
        json_object_set_new(row, "starts", json_boolean(placement_starts(p, hour, g)));
        strbuf_fini(&layout);
    }
}

static const struct {
    void (*add)(const struct pool_run *run, int hour, json_t *rows);
    const char *template; /* NULL: the JSON itself */
} targets[] = {
    [POOL_EXPORT_DRA] = {add_layouts, HEAD "{{#rows}}\n"
                                           "---\n" LAUNCH "apiVersion: resource.k8s.io/v1\n"
                                           "kind: ResourceClaimTemplate\n"
                                           "metadata:\n"
                                           "  name: {{name}}\n"
                                           "spec:\n"
                                           "  spec:\n"
                                           "    devices:\n"
                                           "      requests:\n"
                                           "      - name: gpus\n"
                                           "        exactly:\n"
                                           "          deviceClassName: {{class}}.nvidia.com\n"
                                           "          count: {{gpus}}\n"
                                           "          selectors:\n"
                                           "          - cel:\n"
                                           "              expression: {{product|yaml}}\n"
                                           "{{#slice}}\n"
                                           "          - cel:\n"
                                           "              expression: {{slice|yaml}}\n"
                                           "{{/slice}}\n"
                                           "---\n"
                                           "apiVersion: apps/v1\n"
                                           "kind: Deployment\n"
                                           "metadata:\n"
                                           "  name: {{name}}\n"
                                           "spec:\n"
                                           "  replicas: {{replicas}}\n"
                                           "  selector: { matchLabels: { app: {{name}} } }\n"
                                           "  template:\n"
                                           "    metadata: { labels: { app: {{name}} } }\n"
                                           "    spec:\n"
                                           "      resourceClaims:\n"
                                           "      - name: gpus\n"
                                           "        resourceClaimTemplateName: {{name}}\n"
                                           "      containers:\n"
                                           "      - name: server\n"
                                           "        image: IMAGE   # of the engine\n"
                                           "        resources: { claims: [ { name: gpus } ] }\n"
                                           "{{/rows}}\n"},
    [POOL_EXPORT_SLURM] = {add_layouts, HEAD
                           "# One script for each layout; types as AutoDetect=nvml names "
                           "them: change them where\n# gres.conf has others.\n"
                           "{{#rows}}\n"
                           "\n# ---- {{name}}.sh ----\n"
                           "#!/bin/sh\n"
                           "#SBATCH --job-name={{name}}\n"
                           "#SBATCH --array=1-{{replicas}}\n"
                           "#SBATCH --nodes={{hosts}}\n"
                           "#SBATCH --gres=gpu:{{gres}}:{{gpus_of_host}}\n" LAUNCH "{{/rows}}\n"},
    [POOL_EXPORT_MIG] = {add_cuts,
                         HEAD "# nvidia-mig-parted apply -f FILE -c NAME on each; devices as they "
                              "are\n# numbered in that box\nversion: v1\nmig-configs:\n"
                              "{{#rows}}\n"
                              "  {{name}}:\n"
                              "{{#cuts}}\n"
                              "    - devices: [{{devices}}]\n"
                              "      mig-enabled: {{cut}}\n"
                              "      mig-devices:{{^slices}} {}{{/slices}}\n"
                              "{{#slices}}\n"
                              "        {{profile|yaml}}: {{count}}\n"
                              "{{/slices}}\n"
                              "{{/cuts}}\n"
                              "{{/rows}}\n"},
    [POOL_EXPORT_COMPOSE] = {add_gpus, NULL},
};

enum gp_status pool_export(const struct pool_run *run, enum pool_export kind, int hour,
                           struct strbuf *out, struct gp_err *err)
{
    const char *name = run->c.file.name;
    enum gp_status rc = GP_OK;

    if (kind == POOL_EXPORT_MPS) {
        pool_mps(&run->c.pool, run->rung, out);
        return GP_OK;
    }
    if (run->rung == POOL_CLOUD && kind != POOL_EXPORT_DRA)
        return gp_fail(err, GP_E_USAGE, "--export", "--rung shared or hourly",
                       "a cloud has no chassis to say this of");
    const char *template = targets[kind].template;
    json_t *doc = json_object();

    if (!template)
        set_text(doc, "schema", "gpuplan.compose/1");
    set_text(doc, "pool", template && !name[0] ? "pool" : name);
    set_text(doc, "rung", pool_rung_word(run->rung));
    set_number(doc, "hour", hour);
    targets[kind].add(run, hour, set_list(doc, template ? "rows" : "gpus"));
    if (template)
        rc = template_render("--export", template, doc, out, err);
    else
        gp_json_write(doc, true, out);
    json_decref(doc);
    return rc;
}
