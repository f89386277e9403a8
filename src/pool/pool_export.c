/*
 * pool_export.c - see pool_export.h.
 */
#include "pool/pool_export.h"

#include <ctype.h>
#include <string.h>

#include "answer/record.h"
#include "pool/pool_mps.h"
#include "pool/pool_record.h"

static size_t placement_cell(const struct placement *p, int hour, int gpu)
{
    return (size_t)hour * (size_t)p->gpus + (size_t)gpu;
}

static int replicas_at(const struct pool_run *run, int candidate, int hour)
{
    return run->answer.rungs[run->rung].replicas[candidate * run->c.pool.hours + hour];
}

/* A name of letters, digits and hyphens, as hosts and pods have: "Chat 8B" -> "chat-8b-3";
 * the number tells apart what becomes the same. */
static void plain_name(const char *text, int number, char *out, size_t size)
{
    char name[POOL_FILE_NAME] = "";
    size_t n = 0;

    for (; *text && n < sizeof(name) - 1; text++)
        if (isalnum((unsigned char)*text))
            name[n++] = (char)tolower((unsigned char)*text);
        else if (n > 0 && name[n - 1] != '-')
            name[n++] = '-';
    name[n] = '\0';
    gp_format(out, size, "%s%s%d", name, n > 0 && name[n - 1] != '-' ? "-" : "", number);
}

static void add_head(const struct pool_run *run, int hour, struct strbuf *out)
{
    strbuf_addf(out, "# gpuplan --pool: %s, %s, hour %d\n",
                run->c.file.name[0] ? run->c.file.name : "pool", pool_rung_word(run->rung), hour);
}

/* ---- a neutral plan ---- */

static void gpu_facts(const struct pool_run *run, int hour, int gpu, struct record *r)
{
    const struct placement *p = &run->placement;
    int box = p->box_of[gpu], who = p->who[placement_cell(p, hour, gpu)];
    int unit = p->unit[placement_cell(p, hour, gpu)];
    struct strbuf layout;
    char name[POOL_FILE_NAME];

    strbuf_init(&layout);
    if (who > 0 && p->cut[placement_cell(p, hour, gpu)] < 0)
        pool_layout_words(run, who - 1, &layout);
    pool_box_name(run, box, name, sizeof(name));
    record_text(r, "box", name);
    record_count(r, "slot", "", gpu - p->box[box].first + 1);
    record_text(r, "gpu", run->c.file.types[p->type[gpu]].gpu);
    record_positive(r, "host", "", p->host[placement_cell(p, hour, gpu)]);
    record_text(r, "serves",
                who == PLACEMENT_FREE                       ? ""
                : p->cut[placement_cell(p, hour, gpu)] >= 0 ? "slices"
                : who > 0 ? run->c.file.workloads[run->c.pool.candidates[who - 1].workload].name
                          : run->c.file.jobs[-who - 1].name);
    record_text(r, "layout", layout.text);
    record_positive(r, "replica", "", unit);
    record_flag(r, "starts", placement_starts(p, hour, gpu));
    strbuf_fini(&layout);
}

static void export_compose(const struct pool_run *run, int hour, struct strbuf *out)
{
    struct record doc;

    record_init(&doc);
    record_text(&doc, "schema", "gpuplan.compose/1");
    record_text(&doc, "pool", run->c.file.name);
    record_text(&doc, "rung", pool_rung_word(run->rung));
    record_count(&doc, "hour", "", hour);
    record_list(&doc, "gpus");
    for (int g = 0; g < run->placement.gpus; g++)
        gpu_facts(run, hour, g, record_append(&doc, "gpus"));
    record_json(&doc, out);
    record_fini(&doc);
}

/* ---- mig-parted ---- */

static void add_devices(const struct pool_run *run, int hour, int box, int type, int cut,
                        struct strbuf *out)
{
    const struct placement *p = &run->placement;
    const struct placement_chassis *b = &p->box[box];
    int n = 0;

    for (int g = b->first; g < b->first + b->gpus; g++)
        if (p->type[g] == type && p->cut[placement_cell(p, hour, g)] == cut)
            strbuf_addf(out, "%s%d", n++ ? ", " : "", g - b->first);
}

/* The GPUs of a box that are cut alike; cut -1: whole ones. */
static void add_group(const struct pool_run *run, int hour, int box, int type, int cut,
                      struct strbuf *out)
{
    const struct pool_type *t = &run->c.types[type];
    struct strbuf devices;

    strbuf_init(&devices);
    add_devices(run, hour, box, type, cut, &devices);
    if (devices.len > 0) {
        strbuf_addf(out, "    - devices: [%s]\n      mig-enabled: %s\n", devices.text,
                    cut >= 0 ? "true" : "false");
        strbuf_add(out, cut >= 0 ? "      mig-devices:\n" : "      mig-devices: {}\n");
        for (int i = 0; cut >= 0 && i < t->slices; i++)
            if (t->cut[cut][i] > 0)
                strbuf_addf(out, "        \"%s\": %d\n",
                            run->c.replicas.type[type].slice[run->c.slice_of[type][i]].profile,
                            t->cut[cut][i]);
    }
    strbuf_fini(&devices);
}

static void export_mig(const struct pool_run *run, int hour, struct strbuf *out)
{
    char name[POOL_FILE_NAME], plain[POOL_FILE_NAME + 12];

    add_head(run, hour, out);
    strbuf_add(out, "# nvidia-mig-parted apply -f FILE -c NAME on each; devices as they are\n"
                    "# numbered in that box\nversion: v1\nmig-configs:\n");
    for (int b = 0; b < run->placement.box_count; b++) {
        pool_box_name(run, b, name, sizeof(name));
        plain_name(name, b + 1, plain, sizeof(plain));
        strbuf_addf(out, "  %s:\n", plain);
        for (int t = 0; t < run->c.pool.type_count; t++)
            for (int cut = -1; cut < run->c.types[t].cuts; cut++)
                add_group(run, hour, b, t, cut, out);
    }
}

/* ---- layouts of an hour ---- */

struct layout_of_hour {
    const char *workload, *gpu, *profile; /* profile "": whole GPUs */
    const struct gpu *of;
    char name[POOL_FILE_NAME + 12];
    int gpus, replicas;
    const struct layout *layout;
};

static bool take_layout(const struct pool_run *run, int candidate, int hour,
                        struct layout_of_hour *out)
{
    const struct pool_case *c = &run->c;
    const struct pool_candidate *one = &c->pool.candidates[candidate];
    const struct pool_replica *r = &c->replicas.row[c->replica_of[candidate]];

    *out = (struct layout_of_hour){
        .workload = c->file.workloads[one->workload].name,
        .gpu = c->file.types[one->type].gpu,
        .of = &c->replicas.type[one->type],
        .profile =
            r->slice == POOL_WHOLE ? "" : c->replicas.type[one->type].slice[r->slice].profile,
        .gpus = one->gpus,
        .replicas = replicas_at(run, candidate, hour),
        .layout = pool_layout(run, candidate),
    };
    plain_name(out->workload, candidate + 1, out->name, sizeof(out->name));
    return out->replicas > 0;
}

/* What serves it, for `gpuplan --launch`, as a comment: the texts come from the file. */
static void add_launch(const struct pool_run *run, int candidate, const struct layout_of_hour *l,
                       struct strbuf *out)
{
    const struct pool_case *c = &run->c;
    const struct pool_file_workload *w = &c->file.workloads[c->pool.candidates[candidate].workload];
    const struct pool_replica *r = &c->replicas.row[c->replica_of[candidate]];

    strbuf_addf(out,
                "# its command: gpuplan --launch ENGINE -m %s -p %s -g %s%s%s:%d --tp %d "
                "--pp %d",
                w->model, r->precision, l->gpu, l->profile[0] ? "/" : "", l->profile, l->gpus,
                l->layout->tp, l->layout->pp);
    if (w->context > 0)
        strbuf_addf(out, " -c %.0f", w->context);
    strbuf_add(out, "\n");
}

/* ---- Kubernetes ---- */

/* The first name that the driver prints, which the DRA driver publishes. */
static void product_name(const struct gpu *gpu, char *out, size_t size)
{
    gp_format(out, size, "%.*s", (int)strcspn(gpu->nvml_names, "|"), gpu->nvml_names);
}

static void add_claim(const struct layout_of_hour *l, struct strbuf *out)
{
    char product[128];

    product_name(l->of, product, sizeof(product));
    strbuf_addf(out,
                "apiVersion: resource.k8s.io/v1\n"
                "kind: ResourceClaimTemplate\n"
                "metadata:\n"
                "  name: %s\n"
                "spec:\n"
                "  spec:\n"
                "    devices:\n"
                "      requests:\n"
                "      - name: gpus\n"
                "        exactly:\n"
                "          deviceClassName: %s\n"
                "          count: %d\n"
                "          selectors:\n",
                l->name, l->profile[0] ? "mig.nvidia.com" : "gpu.nvidia.com", l->gpus);
    strbuf_addf(out,
                "          - cel:\n"
                "              expression: device.attributes['gpu.nvidia.com']."
                "productName == '%s'\n",
                product);
    if (l->profile[0])
        strbuf_addf(out,
                    "          - cel:\n"
                    "              expression: device.attributes['gpu.nvidia.com']."
                    "profile == '%s'\n",
                    l->profile);
}

static void add_deployment(const struct layout_of_hour *l, struct strbuf *out)
{
    strbuf_addf(out,
                "---\n"
                "apiVersion: apps/v1\n"
                "kind: Deployment\n"
                "metadata:\n"
                "  name: %s\n"
                "spec:\n"
                "  replicas: %d\n"
                "  selector: { matchLabels: { app: %s } }\n"
                "  template:\n"
                "    metadata: { labels: { app: %s } }\n"
                "    spec:\n"
                "      resourceClaims:\n"
                "      - name: gpus\n"
                "        resourceClaimTemplateName: %s\n"
                "      containers:\n"
                "      - name: server\n"
                "        image: IMAGE   # of the engine\n"
                "        resources: { claims: [ { name: gpus } ] }\n",
                l->name, l->replicas, l->name, l->name, l->name);
}

static void export_dra(const struct pool_run *run, int hour, struct strbuf *out)
{
    struct layout_of_hour l;

    add_head(run, hour, out);
    for (int i = 0; i < run->c.pool.candidate_count; i++) {
        if (!take_layout(run, i, hour, &l))
            continue;
        strbuf_add(out, "---\n");
        add_launch(run, i, &l, out);
        add_claim(&l, out);
        add_deployment(&l, out);
    }
}

/* ---- Slurm ---- */

/* As AutoDetect=nvml names it: "nvidia_a100-sxm4-40gb", a slice of it "nvidia_a100_1g.5gb",
 * without what follows the first '-' (Slurm's gpu_nvml.c); a GPU that NVML does not know by
 * its id. */
static void gres_type(const struct layout_of_hour *l, char *out, size_t size)
{
    char product[128];

    product_name(l->of, product, sizeof(product));
    if (l->profile[0])
        product[strcspn(product, "-")] = '\0';
    gp_format(out, size, "%s%s%s", product[0] ? product : l->gpu, l->profile[0] ? "_" : "",
              l->profile);
    for (char *at = out; *at; at++)
        *at = *at == ' ' ? '_' : (char)tolower((unsigned char)*at);
}

static void add_sbatch(const struct layout_of_hour *l, struct strbuf *out)
{
    int hosts = l->layout->hosts > 1 ? l->layout->hosts : 1;
    char type[160];

    gres_type(l, type, sizeof(type));
    strbuf_addf(out,
                "#!/bin/sh\n"
                "#SBATCH --job-name=%s\n"
                "#SBATCH --array=1-%d\n"
                "#SBATCH --nodes=%d\n"
                "#SBATCH --gres=gpu:%s:%d\n",
                l->name, l->replicas, hosts, type, l->gpus / hosts);
}

static void export_slurm(const struct pool_run *run, int hour, struct strbuf *out)
{
    struct layout_of_hour l;

    add_head(run, hour, out);
    strbuf_add(out, "# One script for each layout; types as AutoDetect=nvml names them: change "
                    "them where\n# gres.conf has others.\n");
    for (int i = 0; i < run->c.pool.candidate_count; i++) {
        if (!take_layout(run, i, hour, &l))
            continue;
        strbuf_addf(out, "\n# ---- %s.sh ----\n", l.name);
        add_sbatch(&l, out);
        add_launch(run, i, &l, out);
    }
}

/* ---- another solver ---- */

static void export_mps(const struct pool_run *run, int hour, struct strbuf *out)
{
    (void)hour; /* all of them */
    pool_mps(&run->c.pool, run->rung, out);
}

/* ---- all ---- */

enum gp_status pool_export(const struct pool_run *run, enum pool_export kind, int hour,
                           struct strbuf *out, struct gp_err *err)
{
    static void (*const writers[])(const struct pool_run *, int, struct strbuf *) = {
        [POOL_EXPORT_COMPOSE] = export_compose, [POOL_EXPORT_MIG] = export_mig,
        [POOL_EXPORT_DRA] = export_dra,         [POOL_EXPORT_SLURM] = export_slurm,
        [POOL_EXPORT_MPS] = export_mps,
    };

    if (run->rung == POOL_CLOUD && kind != POOL_EXPORT_DRA && kind != POOL_EXPORT_MPS)
        return gp_fail(err, GP_E_USAGE, "--export", "--rung shared or hourly",
                       "a cloud has no chassis to say this of");
    writers[kind](run, hour, out);
    return GP_OK;
}
