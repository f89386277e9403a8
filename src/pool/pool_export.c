/*
 * pool_export.c - a pool's plan of an hour in the files of other programs; see pool_record.h.
 *
 * Each is a row of `targets`: templates in which a word in braces is filled in. What differs
 * beside them is what a row of the file is of: a layout that runs in the hour, the GPUs of a
 * chassis that are cut alike, or one GPU.
 */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "base/json.h"
#include "base/quote.h"
#include "pool/pool_mps.h"
#include "pool/pool_record.h"

#define MOST_WORDS 20

/* What the words in braces stand for. */
struct words {
    int count;
    struct {
        const char *name;
        struct strbuf text;
    } word[MOST_WORDS];
};

/* The text of a word, empty. */
static struct strbuf *begin_word(struct words *w, const char *name)
{
    int i = 0;

    while (i < w->count && strcmp(w->word[i].name, name) != 0)
        i++;
    if (i == w->count) {
        w->word[w->count++].name = name;
        strbuf_init(&w->word[i].text);
    }
    strbuf_clear(&w->word[i].text);
    return &w->word[i].text;
}

static void set_word(struct words *w, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void set_word(struct words *w, const char *name, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    strbuf_addv(begin_word(w, name), fmt, args);
    va_end(args);
}

/* As that part of the template takes it. */
static void set_quoted(struct words *w, const char *name, enum quote how, const char *text)
{
    quote_add(begin_word(w, name), how, text);
}

/* As JSON writes it; null: "". */
static void set_json(struct words *w, const char *name, const char *text)
{
    struct strbuf *out = begin_word(w, name);

    if (text[0])
        gp_json_add_text(out, text);
    else
        strbuf_add(out, "null");
}

static void set_positive(struct words *w, const char *name, int value)
{
    if (value > 0)
        set_word(w, name, "%d", value);
    else
        set_json(w, name, "");
}

static void fill_in(const char *template, const struct words *words, struct strbuf *out)
{
    for (const char *at = template; *at;) {
        size_t n = strcspn(at, "{");
        int i = 0;

        strbuf_addn(out, at, n);
        at += n;
        if (*at == '\0')
            break;
        n = strcspn(at + 1, "}");
        while (i < words->count &&
               (strlen(words->word[i].name) != n || memcmp(words->word[i].name, at + 1, n) != 0))
            i++;
        strbuf_add(out, i < words->count ? words->word[i].text.text : "{");
        at += i < words->count ? n + 2 : 1;
    }
}

/* ---- the targets ---- */

#define HEAD "# gpuplan --pool: {pool}, {rung}, hour {hour}\n"
#define LAUNCH                                                                             \
    "# its command: gpuplan --launch ENGINE -m {model} -p {precision} -g {gpu} --tp {tp} " \
    "--pp {pp}{context}\n"

struct target {
    void (*rows)(const struct pool_run *run, const struct target *target, int hour,
                 struct words *words, struct strbuf *out);
    const char *head;
    const char *chassis; /* before the rows of one */
    const char *row;
    const char *of_slice, *rest; /* of a row: only slices have the first */
    const char *end;
};

/* A name of letters, digits and hyphens, as hosts and pods have: "Chat 8B" -> "chat-8b-3";
 * the number tells apart what becomes the same. */
static void set_plain(struct words *words, const char *text, int number)
{
    struct strbuf *out = begin_word(words, "name");

    quote_add(out, QUOTE_LABEL, text);
    strbuf_addf(out, "%s%d", out->len > 0 ? "-" : "", number);
}

/* An expression of CEL that asks for the first bytes of that text, as a scalar of YAML. */
static void set_cel(struct words *words, const char *name, const char *attribute, const char *text,
                    size_t len)
{
    struct strbuf cel;

    strbuf_init(&cel);
    strbuf_addf(&cel, "device.attributes['gpu.nvidia.com'].%s == '", attribute);
    for (size_t i = 0; i < len; i++)
        strbuf_addf(&cel, "%s%c", strchr("'\\", text[i]) ? "\\" : "", text[i]);
    strbuf_addc(&cel, '\'');
    set_quoted(words, name, QUOTE_YAML, cel.text);
    strbuf_fini(&cel);
}

/* The first name that the driver prints, which the DRA driver publishes; and as Slurm's
 * AutoDetect=nvml has it: "nvidia_a100-sxm4-40gb", a slice of it "nvidia_a100_1g.5gb", without
 * what follows the first '-' (gpu_nvml.c); a GPU that NVML does not know by its id. */
static void set_product(struct words *words, const struct gpu *gpu, const char *id,
                        const char *profile)
{
    size_t all = strcspn(gpu->nvml_names, "|"), dash = strcspn(gpu->nvml_names, "-|");
    struct strbuf *gres = begin_word(words, "gres");

    set_cel(words, "product", "productName", gpu->nvml_names, all);
    set_cel(words, "slice", "profile", profile, strlen(profile));
    if (all > 0)
        strbuf_addn(gres, gpu->nvml_names, profile[0] ? dash : all);
    else
        strbuf_add(gres, id);
    strbuf_addf(gres, "%s%s", profile[0] ? "_" : "", profile);
    for (char *at = gres->text; *at; at++)
        *at = isgraph((unsigned char)*at) ? gp_lower(*at) : '_';
}

static void add_layouts(const struct pool_run *run, const struct target *target, int hour,
                        struct words *words, struct strbuf *out)
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
        char one_gpu[160];

        if (replicas <= 0)
            continue;
        set_plain(words, w->name, i + 1);
        set_product(words, gpu, id, profile);
        set_word(words, "replicas", "%d", replicas);
        set_word(words, "gpus", "%d", one->gpus);
        set_word(words, "hosts", "%d", hosts);
        set_word(words, "tp", "%d", layout->tp);
        set_word(words, "pp", "%d", layout->pp);
        set_word(words, "gpus_of_host", "%d", one->gpus / hosts);
        begin_word(words, "context");
        if (w->context > 0)
            set_word(words, "context", " -c %.0f", w->context);
        set_word(words, "class", "%s", profile[0] ? "mig" : "gpu");
        gp_format(one_gpu, sizeof(one_gpu), "%s%s%s:%d", id, profile[0] ? "/" : "", profile,
                  one->gpus);
        set_quoted(words, "gpu", QUOTE_SHELL, one_gpu);
        set_quoted(words, "model", QUOTE_SHELL, w->model);
        set_quoted(words, "precision", QUOTE_SHELL, r->precision);
        fill_in(target->row, words, out);
        if (profile[0])
            fill_in(target->of_slice, words, out);
        fill_in(target->rest, words, out);
    }
}

/* Each chassis or server, and of its GPUs those that are cut alike; cut -1: whole ones. */
static void add_cuts(const struct pool_run *run, const struct target *target, int hour,
                     struct words *words, struct strbuf *out)
{
    const struct placement *p = &run->placement;

    for (int b = 0; b < p->chassis_count; b++) {
        const struct placement_chassis *at = &p->chassis[b];
        char name[POOL_FILE_NAME];

        pool_chassis_name(run, b, name, sizeof(name));
        set_plain(words, name, b + 1);
        fill_in(target->chassis, words, out);
        for (int t = 0; t < run->c.pool.type_count; t++)
            for (int cut = -1; cut < run->c.types[t].cuts; cut++) {
                struct strbuf *devices = begin_word(words, "devices"), *slices;

                for (int g = at->first; g < at->first + at->gpus; g++)
                    if (p->type[g] == t && p->cut[placement_cell(p, hour, g)] == cut)
                        strbuf_addf(devices, "%s%d", devices->len > 0 ? ", " : "", g - at->first);
                if (devices->len == 0)
                    continue;
                set_word(words, "cut", "%s", cut >= 0 ? "true" : "false");
                slices = begin_word(words, "slices");
                for (int i = 0; cut >= 0 && i < run->c.types[t].slices; i++)
                    if (run->c.types[t].cut[cut][i] > 0) {
                        strbuf_add(slices, "\n        ");
                        quote_add(slices, QUOTE_YAML, pool_profile(run, t, i));
                        strbuf_addf(slices, ": %d", run->c.types[t].cut[cut][i]);
                    }
                strbuf_add(slices, cut < 0 ? " {}" : "");
                fill_in(target->row, words, out);
            }
    }
}

static void add_gpus(const struct pool_run *run, const struct target *target, int hour,
                     struct words *words, struct strbuf *out)
{
    const struct placement *p = &run->placement;

    for (int g = 0; g < p->gpus; g++) {
        size_t at = placement_cell(p, hour, g);
        char name[POOL_FILE_NAME];
        struct strbuf layout;

        strbuf_init(&layout);
        if (p->who[at] > 0 && p->cut[at] < 0)
            pool_layout_words(run, p->who[at] - 1, &layout);
        pool_chassis_name(run, p->chassis_of[g], name, sizeof(name));
        set_word(words, "comma", "%s", g > 0 ? "," : "");
        set_json(words, "box", name);
        set_word(words, "slot", "%d", g - p->chassis[p->chassis_of[g]].first + 1);
        set_json(words, "gpu", run->c.file.types[p->type[g]].gpu);
        set_positive(words, "host", p->host[at]);
        set_json(words, "serves", pool_served_by(run, hour, g));
        set_json(words, "layout", layout.text);
        set_positive(words, "replica", p->unit[at]);
        set_word(words, "starts", "%s", placement_starts(p, hour, g) ? "true" : "false");
        fill_in(target->row, words, out);
        strbuf_fini(&layout);
    }
    set_word(words, "last", "%s", p->gpus > 0 ? "\n  " : "");
}

static const struct target targets[] = {
    [POOL_EXPORT_DRA] = {add_layouts, HEAD, "",
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
                         "              expression: {product}\n",
                         "          - cel:\n"
                         "              expression: {slice}\n",
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
                         "        resources: { claims: [ { name: gpus } ] }\n",
                         ""},
    [POOL_EXPORT_SLURM] = {add_layouts,
                           HEAD "# One script for each layout; types as AutoDetect=nvml names "
                                "them: change them where\n# gres.conf has others.\n",
                           "",
                           "\n# ---- {name}.sh ----\n"
                           "#!/bin/sh\n"
                           "#SBATCH --job-name={name}\n"
                           "#SBATCH --array=1-{replicas}\n"
                           "#SBATCH --nodes={hosts}\n"
                           "#SBATCH --gres=gpu:{gres}:{gpus_of_host}\n" LAUNCH,
                           "", "", ""},
    [POOL_EXPORT_MIG] = {add_cuts,
                         HEAD "# nvidia-mig-parted apply -f FILE -c NAME on each; devices as they "
                              "are\n# numbered in that box\nversion: v1\nmig-configs:\n",
                         "  {name}:\n",
                         "    - devices: [{devices}]\n"
                         "      mig-enabled: {cut}\n"
                         "      mig-devices:{slices}\n",
                         "", "", ""},
    [POOL_EXPORT_COMPOSE] = {add_gpus,
                             "{\n"
                             "  \"schema\": \"gpuplan.compose/1\",\n"
                             "  \"pool\": {json_pool},\n"
                             "  \"rung\": \"{rung}\",\n"
                             "  \"hour\": {hour},\n"
                             "  \"gpus\": [",
                             "",
                             "{comma}\n"
                             "    {\n"
                             "      \"box\": {box},\n"
                             "      \"slot\": {slot},\n"
                             "      \"gpu\": {gpu},\n"
                             "      \"host\": {host},\n"
                             "      \"serves\": {serves},\n"
                             "      \"layout\": {layout},\n"
                             "      \"replica\": {replica},\n"
                             "      \"starts\": {starts}\n"
                             "    }",
                             "", "", "{last}]\n}\n"},
};

enum gp_status pool_export(const struct pool_run *run, enum pool_export kind, int hour,
                           struct strbuf *out, struct gp_err *err)
{
    const struct target *target = &targets[kind];
    struct words words = {.count = 0};

    if (kind == POOL_EXPORT_MPS) {
        pool_mps(&run->c.pool, run->rung, out);
        return GP_OK;
    }
    if (run->rung == POOL_CLOUD && kind != POOL_EXPORT_DRA)
        return gp_fail(err, GP_E_USAGE, "--export", "--rung shared or hourly",
                       "a cloud has no chassis to say this of");
    set_quoted(&words, "pool", QUOTE_COMMENT, run->c.file.name[0] ? run->c.file.name : "pool");
    set_json(&words, "json_pool", run->c.file.name);
    set_word(&words, "rung", "%s", pool_rung_word(run->rung));
    set_word(&words, "hour", "%d", hour);
    fill_in(target->head, &words, out);
    target->rows(run, target, hour, &words, out);
    fill_in(target->end, &words, out);
    for (int i = 0; i < words.count; i++)
        strbuf_fini(&words.word[i].text);
    return GP_OK;
}
