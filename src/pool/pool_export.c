/*
 * pool_export.c - see pool_export.h. Each target is a template; what stands in braces is filled
 * in for each layout that runs in the hour, or for each group of GPUs that are cut alike.
 */
#include "pool/pool_export.h"

#include <ctype.h>
#include <string.h>

#include "answer/record.h"
#include "pool/pool_mps.h"
#include "pool/pool_record.h"

#define LAUNCH                                                                                    \
    "# its command: gpuplan --launch ENGINE -m {model} -p {precision} -g {gpu}:{gpus} --tp {tp} " \
    "--pp {pp}{context}\n"

/* As AutoDetect=nvml names it: "nvidia_a100-sxm4-40gb", a slice of it "nvidia_a100_1g.5gb", without
 * what follows the first '-' (Slurm's gpu_nvml.c); a GPU that NVML does not know by its id. */
static void quote_gres(const char *product, const char *id, const char *profile, struct strbuf *out)
{
    size_t n = profile[0] ? strcspn(product, "-") : strlen(product);

    if (n > 0)
        strbuf_addn(out, product, n);
    else
        strbuf_add(out, id);
    strbuf_addf(out, "%s%s", profile[0] ? "_" : "", profile);
    for (char *at = out->text; *at; at++)
        *at = *at == ' ' ? '_' : (char)tolower((unsigned char)*at);
}

/* The first name that the driver prints, which the DRA driver publishes. */
static void quote_product(const char *product, const char *id, const char *profile,
                          struct strbuf *out)
{
    (void)id;
    (void)profile;
    strbuf_add(out, product);
}

/* Texts for each layout of an hour: before and after `of_slice`, which only slices have. */
static const struct target {
    void (*quote)(const char *product, const char *id, const char *profile, struct strbuf *out);
    const char *head, *layout, *of_slice, *rest;
} targets[] = {
    [POOL_EXPORT_DRA] = {quote_product, "",
                         "---\n" LAUNCH "apiVersion: resource.k8s.io/v1\n"
                         "kind: ResourceClaimTemplate\n"
                         "metadata:\n"
                         "  name: {name}\n"
                         "spec:\n"
                         "  spec:\n"
                         "    devices:\n"
                         "      requests:\n"
                         "      - name: gpus\n"
                         "        exactly:\n"
                         "          deviceClassName: {class}.nvidia.com\n"
                         "          count: {gpus}\n"
                         "          selectors:\n"
                         "          - cel:\n"
                         "              expression: device.attributes['gpu.nvidia.com']."
                         "productName == '{product}'\n",
                         "          - cel:\n"
                         "              expression: device.attributes['gpu.nvidia.com']."
                         "profile == '{profile}'\n",
                         "---\n"
                         "apiVersion: apps/v1\n"
                         "kind: Deployment\n"
                         "metadata:\n"
                         "  name: {name}\n"
                         "spec:\n"
                         "  replicas: {replicas}\n"
                         "  selector: { matchLabels: { app: {name} } }\n"
                         "  template:\n"
                         "    metadata: { labels: { app: {name} } }\n"
                         "    spec:\n"
                         "      resourceClaims:\n"
                         "      - name: gpus\n"
                         "        resourceClaimTemplateName: {name}\n"
                         "      containers:\n"
                         "      - name: server\n"
                         "        image: IMAGE   # of the engine\n"
                         "        resources: { claims: [ { name: gpus } ] }\n"},
    [POOL_EXPORT_SLURM] = {quote_gres,
                           "# One script for each layout; types as AutoDetect=nvml names them: "
                           "change them where\n# gres.conf has others.\n",
                           "\n# ---- {name}.sh ----\n"
                           "#!/bin/sh\n"
                           "#SBATCH --job-name={name}\n"
                           "#SBATCH --array=1-{replicas}\n"
                           "#SBATCH --nodes={hosts}\n"
                           "#SBATCH --gres=gpu:{product}:{gpus_of_host}\n" LAUNCH,
                           "", ""},
};

/* The same for each box, and for its GPUs that are cut alike or whole. */
#define MIG_HEAD                                                               \
    "# nvidia-mig-parted apply -f FILE -c NAME on each; devices as they are\n" \
    "# numbered in that box\nversion: v1\nmig-configs:\n"
#define MIG_BOX "  {name}:\n"
#define MIG_GROUP \
    "    - devices: [{devices}]\n      mig-enabled: {cut}\n      mig-devices:{slices}\n"

struct word {
    const char *name, *text; /* name NULL: the end */
};

static void add_text(const char *template, const struct word *words, struct strbuf *out)
{
    for (const char *at = template; *at;) {
        size_t n = strcspn(at, "{");
        const struct word *w = words;

        strbuf_addn(out, at, n);
        at += n;
        if (*at == '\0')
            break;
        n = strcspn(at + 1, "}");
        while (w->name && (strlen(w->name) != n || memcmp(w->name, at + 1, n) != 0))
            w++;
        strbuf_add(out, w->name ? w->text : "{");
        at += w->name ? n + 2 : 1;
    }
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

static void add_head(const struct pool_run *run, int hour, const char *more, struct strbuf *out)
{
    strbuf_addf(out, "# gpuplan --pool: %s, %s, hour %d\n%s",
                run->c.file.name[0] ? run->c.file.name : "pool", pool_rung_word(run->rung), hour,
                more);
}

/* ---- layouts of an hour ---- */

static void add_layout(const struct pool_run *run, const struct target *target, int candidate,
                       int replicas, struct strbuf *out)
{
    const struct pool_case *c = &run->c;
    const struct pool_candidate *one = &c->pool.candidates[candidate];
    const struct pool_replica *r = &c->replicas.row[c->replica_of[candidate]];
    const struct pool_file_workload *w = &c->file.workloads[one->workload];
    const struct gpu *gpu = &c->replicas.type[one->type];
    const struct layout *layout = pool_layout(run, candidate);
    const char *id = c->file.types[one->type].gpu;
    const char *profile = r->slice == POOL_WHOLE ? "" : gpu->slice[r->slice].profile;
    const int numbers[] = {replicas, one->gpus, layout->hosts > 1 ? layout->hosts : 1, layout->tp,
                           layout->pp};
    char name[POOL_FILE_NAME + 12], number[5][12], each[12], context[24] = "";
    struct strbuf first, product, type;

    strbuf_init(&first);
    strbuf_init(&product);
    strbuf_init(&type);
    plain_name(w->name, candidate + 1, name, sizeof(name));
    for (int i = 0; i < 5; i++)
        gp_format(number[i], sizeof(number[i]), "%d", numbers[i]);
    gp_format(each, sizeof(each), "%d", one->gpus / numbers[2]);
    if (w->context > 0)
        gp_format(context, sizeof(context), " -c %.0f", w->context);
    strbuf_addn(&first, gpu->nvml_names, strcspn(gpu->nvml_names, "|"));
    target->quote(first.text, id, profile, &product);
    strbuf_addf(&type, "%s%s%s", id, profile[0] ? "/" : "", profile);
    const struct word words[] = {{"name", name},
                                 {"replicas", number[0]},
                                 {"gpus", number[1]},
                                 {"hosts", number[2]},
                                 {"tp", number[3]},
                                 {"pp", number[4]},
                                 {"gpus_of_host", each},
                                 {"context", context},
                                 {"product", product.text},
                                 {"profile", profile},
                                 {"class", profile[0] ? "mig" : "gpu"},
                                 {"gpu", type.text},
                                 {"model", w->model},
                                 {"precision", r->precision},
                                 {NULL, NULL}};
    add_text(target->layout, words, out);
    if (profile[0])
        add_text(target->of_slice, words, out);
    add_text(target->rest, words, out);
    strbuf_fini(&first);
    strbuf_fini(&product);
    strbuf_fini(&type);
}

static void export_layouts(const struct pool_run *run, enum pool_export kind, int hour,
                           struct strbuf *out)
{
    const struct pool *pool = &run->c.pool;

    add_head(run, hour, targets[kind].head, out);
    for (int i = 0; i < pool->candidate_count; i++) {
        int replicas = run->answer.rungs[run->rung].replicas[i * pool->hours + hour];

        if (replicas > 0)
            add_layout(run, &targets[kind], i, replicas, out);
    }
}

/* ---- GPUs that are cut ---- */

/* The GPUs of a box that are cut alike; cut -1: whole ones. */
static void add_group(const struct pool_run *run, int hour, int box, int type, int cut,
                      struct strbuf *out)
{
    const struct placement *p = &run->placement;
    const struct placement_chassis *b = &p->box[box];
    const struct pool_type *t = &run->c.types[type];
    struct strbuf devices, slices;

    strbuf_init(&devices);
    strbuf_init(&slices);
    for (int g = b->first; g < b->first + b->gpus; g++)
        if (p->type[g] == type && p->cut[placement_cell(p, hour, g)] == cut)
            strbuf_addf(&devices, "%s%d", devices.len > 0 ? ", " : "", g - b->first);
    for (int i = 0; cut >= 0 && i < t->slices; i++)
        if (t->cut[cut][i] > 0)
            strbuf_addf(&slices, "\n        \"%s\": %d",
                        run->c.replicas.type[type].slice[run->c.slice_of[type][i]].profile,
                        t->cut[cut][i]);
    const struct word words[] = {{"devices", devices.text},
                                 {"cut", cut >= 0 ? "true" : "false"},
                                 {"slices", cut >= 0 ? slices.text : " {}"},
                                 {NULL, NULL}};
    if (devices.len > 0)
        add_text(MIG_GROUP, words, out);
    strbuf_fini(&devices);
    strbuf_fini(&slices);
}

static void export_mig(const struct pool_run *run, int hour, struct strbuf *out)
{
    char name[POOL_FILE_NAME], plain[POOL_FILE_NAME + 12];

    add_head(run, hour, MIG_HEAD, out);
    for (int b = 0; b < run->placement.box_count; b++) {
        pool_box_name(run, b, name, sizeof(name));
        plain_name(name, b + 1, plain, sizeof(plain));
        add_text(MIG_BOX, (const struct word[]){{"name", plain}, {NULL, NULL}}, out);
        for (int t = 0; t < run->c.pool.type_count; t++)
            for (int cut = -1; cut < run->c.types[t].cuts; cut++)
                add_group(run, hour, b, t, cut, out);
    }
}

/* ---- a neutral plan ---- */

static void export_compose(const struct pool_run *run, int hour, struct strbuf *out)
{
    const struct placement *p = &run->placement;
    struct record doc;

    record_init(&doc);
    record_text(&doc, "schema", "gpuplan.compose/1");
    record_text(&doc, "pool", run->c.file.name);
    record_text(&doc, "rung", pool_rung_word(run->rung));
    record_count(&doc, "hour", "", hour);
    record_list(&doc, "gpus");
    for (int g = 0; g < p->gpus; g++) {
        size_t at = placement_cell(p, hour, g);
        struct record *r = record_append(&doc, "gpus");
        struct strbuf layout;
        char name[POOL_FILE_NAME];

        strbuf_init(&layout);
        if (p->who[at] > 0 && p->cut[at] < 0)
            pool_layout_words(run, p->who[at] - 1, &layout);
        pool_box_name(run, p->box_of[g], name, sizeof(name));
        record_text(r, "box", name);
        record_count(r, "slot", "", g - p->box[p->box_of[g]].first + 1);
        record_text(r, "gpu", run->c.file.types[p->type[g]].gpu);
        record_positive(r, "host", "", p->host[at]);
        record_text(r, "serves", pool_served_by(run, hour, g));
        record_text(r, "layout", layout.text);
        record_positive(r, "replica", "", p->unit[at]);
        record_flag(r, "starts", placement_starts(p, hour, g));
        strbuf_fini(&layout);
    }
    record_json(&doc, out);
    record_fini(&doc);
}

enum gp_status pool_export(const struct pool_run *run, enum pool_export kind, int hour,
                           struct strbuf *out, struct gp_err *err)
{
    if (run->rung == POOL_CLOUD && kind != POOL_EXPORT_DRA && kind != POOL_EXPORT_MPS)
        return gp_fail(err, GP_E_USAGE, "--export", "--rung shared or hourly",
                       "a cloud has no chassis to say this of");
    if (kind == POOL_EXPORT_COMPOSE)
        export_compose(run, hour, out);
    else if (kind == POOL_EXPORT_MIG)
        export_mig(run, hour, out);
    else if (kind == POOL_EXPORT_MPS)
        pool_mps(&run->c.pool, run->rung, out);
    else
        export_layouts(run, kind, hour, out);
    return GP_OK;
}
