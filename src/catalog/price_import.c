/*
 * price_import.c - see price_import.h.
 *
 * The columns wanted are found in the header once; every row then fills one struct
 * instance, which either starts a new instance type or is compared with the one kept of
 * that type: a row with an on-demand price beats a spot-only one, and the cheaper of
 * equals stays. Types are found again through a small hash table, so that a file of a
 * million rows costs the memory of its distinct types only.
 *
 * Accelerator names are compared without case and punctuation: "RTX-6000-Ada",
 * "RTX6000ADA" and "rtx 6000 ada" are one.
 */
#include "catalog/price_import.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/csv.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/units.h"
#include "catalog/price.h"

#define TYPES_MAX 4096
#define SLOTS 8192 /* of the hash table; a power of two, twice TYPES_MAX */

enum column {
    COL_TYPE,
    COL_ACCELERATOR,
    COL_COUNT,
    COL_PRICE,
    COL_SPOT,
    COL_REGION,
    COL_VCPUS,
    COL_MEMORY,
    COL_INFO,
    COL_MAX
};

static const struct {
    const char *name;
    bool needed;
} columns[COL_MAX] = {
    [COL_TYPE] = {"InstanceType", true},      [COL_ACCELERATOR] = {"AcceleratorName", true},
    [COL_COUNT] = {"AcceleratorCount", true}, [COL_PRICE] = {"Price", true},
    [COL_SPOT] = {"SpotPrice", false},        [COL_REGION] = {"Region", false},
    [COL_VCPUS] = {"vCPUs", false},           [COL_MEMORY] = {"MemoryGiB", false},
    [COL_INFO] = {"GpuInfo", false},
};

/* Which GPU an accelerator's name means. Where `word` is given, it must appear in the
 * type, the name or GpuInfo; the first row that matches counts. */
static const struct {
    const char *name, *word, *gpu;
    bool assumed;
} accelerators[] = {
    {"A10", NULL, "a10", false},
    {"A10G", NULL, "a10g", false},
    {"A16", NULL, "a16", false},
    {"A2", NULL, "a2", false},
    {"A30", NULL, "a30", false},
    {"A40", NULL, "a40", false},
    {"A6000", NULL, "rtx-a6000", false},
    {"RTXA6000", NULL, "rtx-a6000", false},
    {"A100", "PCIE", "a100-pcie-40", false},
    {"A100", "SXM", "a100-sxm-40", false},
    {"A100", NULL, "a100-sxm-40", true},
    {"A10040GB", "PCIE", "a100-pcie-40", false},
    {"A10040GB", NULL, "a100-sxm-40", true},
    {"A10080GB", "PCIE", "a100-pcie-80", false},
    {"A10080GB", "SXM", "a100-sxm-80", false},
    {"A10080GB", NULL, "a100-sxm-80", true},
    {"A10080GBSXM", NULL, "a100-sxm-80", false},
    {"A10080GBPCIE", NULL, "a100-pcie-80", false},
    {"H100", "PCIE", "h100-pcie", false},
    {"H100", "NVL", "h100-nvl", false},
    {"H100", "SXM", "h100-sxm", false},
    {"H100", "HBM3", "h100-sxm", false},
    {"H100", NULL, "h100-sxm", true},
    {"H10080GB", "PCIE", "h100-pcie", false},
    {"H10080GB", "SXM", "h100-sxm", false},
    {"H10080GB", NULL, "h100-sxm", true},
    {"H100MEGA80GB", NULL, "h100-sxm", false},
    {"H100SXM", NULL, "h100-sxm", false},
    {"H100PCIE", NULL, "h100-pcie", false},
    {"H100NVL", NULL, "h100-nvl", false},
    {"H20", "141", "h20-141", false},
    {"H20", NULL, "h20-96", true},
    {"L20", NULL, "l20", false},
    {"H200", "NVL", "h200-nvl", false},
    {"H200", "SXM", "h200-sxm", false},
    {"H200", NULL, "h200-sxm", true},
    {"H200SXM", NULL, "h200-sxm", false},
    {"H200NVL", NULL, "h200-nvl", false},
    {"GH200", NULL, "gh200-96", true},
    {"GH200480GB", NULL, "gh200-96", true},
    {"B200", NULL, "b200", false},
    {"B300", NULL, "b300", false},
    {"GB200", NULL, "gb200", false},
    {"GB300", NULL, "gb300", false},
    {"L4", NULL, "l4", false},
    {"L40", NULL, "l40", false},
    {"L40S", NULL, "l40s", false},
    {"T4", NULL, "t4", false},
    {"P100", "SXM", "p100-sxm2-16", false},
    {"P100", NULL, "p100-pcie-16", true},
    {"V100", "PCIE", "v100-pcie-16", false},
    {"V100", "SXM", "v100-sxm2-16", false},
    {"V100", NULL, "v100-sxm2-16", true},
    {"V10032GB", "PCIE", "v100-pcie-32", false},
    {"V10032GB", NULL, "v100-sxm2-32", true},
    {"RTX6000ADA", NULL, "rtx-6000-ada", false},
    {"RTX5000ADA", NULL, "rtx-5000-ada", false},
    {"RTX4000ADA", NULL, "rtx-4000-ada", false},
    {"RTXPRO6000", "SERVER", "rtx-pro-6000-server", false},
    {"RTXPRO6000", "WORKSTATION", "rtx-pro-6000-ws", false},
    {"RTXPRO6000", NULL, "rtx-pro-6000-server", true},
    {"RTXPRO5000", "72", "rtx-pro-5000-72", false},
    {"RTXPRO5000", NULL, "rtx-pro-5000-48", true},
    {"RTX8000", NULL, "quadro-rtx-8000", false},
    {"RTX2080TI", NULL, "rtx-2080-ti", false},
    {"RTX3060", NULL, "rtx-3060-12g", true},
    {"RTX3070", NULL, "rtx-3070", false},
    {"RTX3080", NULL, "rtx-3080-10g", true},
    {"RTX3090", NULL, "rtx-3090", false},
    {"RTX4060TI", NULL, "rtx-4060-ti-16g", true},
    {"RTX4070", NULL, "rtx-4070", false},
    {"RTX4080", NULL, "rtx-4080", false},
    {"RTX4090", NULL, "rtx-4090", false},
    {"RTX5070", NULL, "rtx-5070", false},
    {"RTX5060TI", NULL, "rtx-5060-ti-16g", true},
    {"RTX5070TI", NULL, "rtx-5070-ti", false},
    {"RTX5080", NULL, "rtx-5080", false},
    {"RTX5090", NULL, "rtx-5090", false},
    {"MI300X", NULL, "mi300x", false},
    {"MI325X", NULL, "mi325x", false},
    {"MI350X", NULL, "mi350x", false},
    {"MI355X", NULL, "mi355x", false},
    {"GAUDI2", NULL, "gaudi2", false},
    {"GAUDI3", NULL, "gaudi3", false},
};

struct import {
    struct csv csv;
    int at[COL_MAX]; /* field of each column, -1 when the file has none */
    size_t header_count;
    struct instance *rows;
    int *regions; /* rows seen of each type */
    size_t count, cap, regions_cap;
    uint16_t *slots; /* row + 1, 0 = free */
    struct price_import_summary *summary;
    struct gp_err *err;
};

/* ---- fields --------------------------------------------------------------------- */

static const char *field_of(const struct import *in, enum column column)
{
    return in->at[column] >= 0 ? in->csv.field[in->at[column]] : "";
}

static enum gp_status refuse_field(const struct import *in, enum column column, const char *problem)
{
    char where[192];

    gp_format(where, sizeof where, "%s:%d: %s", in->csv.name, in->csv.line, columns[column].name);
    return gp_fail(in->err, GP_E_FILE, where, "", "'%.40s' %s", field_of(in, column), problem);
}

/* Blank reads as 0. */
static enum gp_status number(const struct import *in, enum column column, double high,
                             double *value)
{
    const char *text = field_of(in, column);
    char *end;

    *value = 0;
    if (*text == '\0')
        return GP_OK;
    if (!isdigit((unsigned char)*text) && *text != '.')
        return refuse_field(in, column, "is not a number");
    *value = strtod(text, &end);
    if (*end != '\0' || strpbrk(text, "xX") != NULL)
        return refuse_field(in, column, "is not a number");
    if (!isfinite(*value) || *value > high)
        return refuse_field(in, column, "is too large");
    return GP_OK;
}

static enum gp_status read_text(const struct import *in, enum column column, char *dst, size_t size)
{
    const char *from = field_of(in, column);

    for (const char *c = from; *c != '\0'; c++)
        if ((unsigned char)*c < ' ' || *c == 127)
            return refuse_field(in, column, "holds a control character");
    return gp_copy(dst, size, from) ? GP_OK : refuse_field(in, column, "is too long");
}

static enum gp_status read_header(struct import *in)
{
    bool more;
    enum gp_status rc = csv_next(&in->csv, &more, in->err);

    if (rc != GP_OK)
        return rc;
    in->header_count = more ? in->csv.count : 0;
    for (int c = 0; c < COL_MAX; c++) {
        in->at[c] = -1;
        for (size_t f = 0; f < in->header_count; f++)
            if (gp_casecmp(in->csv.field[f], columns[c].name) == 0 && in->at[c] < 0)
                in->at[c] = (int)f;
        if (in->at[c] < 0 && columns[c].needed) {
            char where[192];

            gp_format(where, sizeof where, "%s:%d: %s", in->csv.name, in->csv.line,
                      columns[c].name);
            return gp_fail(in->err, GP_E_FILE, where, "a SkyPilot vms.csv has this column",
                           "is not in the header");
        }
    }
    return GP_OK;
}

/* ---- accelerators --------------------------------------------------------------- */

static void squeeze(const char *from, char *dst, size_t size)
{
    size_t len = 0;

    for (; *from != '\0' && len + 1 < size; from++)
        if (isalnum((unsigned char)*from))
            dst[len++] = (char)toupper((unsigned char)*from);
    dst[len] = '\0';
}

static bool says(const struct import *in, const char *word)
{
    return strcasestr(field_of(in, COL_TYPE), word) != NULL ||
           strcasestr(field_of(in, COL_ACCELERATOR), word) != NULL ||
           strcasestr(field_of(in, COL_INFO), word) != NULL;
}

static bool find_gpu(const struct import *in, struct instance *row)
{
    char name[40];

    squeeze(field_of(in, COL_ACCELERATOR), name, sizeof name);
    for (size_t i = 0; i < sizeof accelerators / sizeof *accelerators; i++) {
        const char *word = accelerators[i].word;

        if (strcmp(accelerators[i].name, name) != 0 || (word != NULL && !says(in, word)))
            continue;
        gp_copy(row->gpu, sizeof row->gpu, accelerators[i].gpu);
        row->assumed = accelerators[i].assumed;
        return true;
    }
    return false;
}

static void note_unknown(const struct import *in)
{
    struct price_import_summary *summary = in->summary;
    size_t len = strlen(summary->unknown_names);
    char name[40] = "";

    summary->unknown++;
    for (const char *c = field_of(in, COL_ACCELERATOR); *c != '\0'; c++)
        if (isprint((unsigned char)*c) && strlen(name) + 1 < sizeof name)
            name[strlen(name)] = *c;
    if (strstr(summary->unknown_names, name) == NULL &&
        len + strlen(name) + 3 < sizeof summary->unknown_names)
        gp_format(summary->unknown_names + len, sizeof summary->unknown_names - len, "%s%s",
                  len > 0 ? ", " : "", name);
}

/* ---- rows ----------------------------------------------------------------------- */

static size_t hash(const char *type)
{
    uint32_t h = 2166136261u; /* FNV-1a */

    for (; *type != '\0'; type++)
        h = (h ^ (unsigned char)*type) * 16777619u;
    return h & (SLOTS - 1);
}

static double offer(const struct instance *row)
{
    return row->on_demand > 0 ? row->on_demand : row->spot;
}

static bool better(const struct instance *a, const struct instance *b)
{
    if ((a->on_demand > 0) != (b->on_demand > 0))
        return a->on_demand > 0;
    return offer(a) < offer(b);
}

static enum gp_status keep_row(struct import *in, const struct instance *row)
{
    size_t slot = hash(row->type), at;

    while (in->slots[slot] != 0 && strcmp(in->rows[in->slots[slot] - 1].type, row->type) != 0)
        slot = (slot + 1) & (SLOTS - 1);
    if (in->slots[slot] != 0) {
        at = in->slots[slot] - 1u;
        in->summary->merged++;
        in->regions[at]++;
        if (better(row, &in->rows[at]))
            in->rows[at] = *row;
        return GP_OK;
    }
    if (in->count == TYPES_MAX)
        return refuse_field(in, COL_TYPE, "is instance type 4097: at most 4096 are read");
    in->rows = gp_grow(in->rows, &in->cap, in->count + 1, sizeof *in->rows);
    in->regions = gp_grow(in->regions, &in->regions_cap, in->count + 1, sizeof *in->regions);
    in->rows[in->count] = *row;
    in->regions[in->count] = 1;
    in->slots[slot] = (uint16_t)++in->count;
    return GP_OK;
}

static enum gp_status read_figures(const struct import *in, struct instance *row, double *gpus)
{
    double vcpus, ram;
    enum gp_status rc = number(in, COL_COUNT, 1024, gpus);

    if (rc == GP_OK)
        rc = number(in, COL_PRICE, 1e6, &row->on_demand);
    if (rc == GP_OK)
        rc = number(in, COL_SPOT, 1e6, &row->spot);
    if (rc == GP_OK)
        rc = number(in, COL_VCPUS, 1e5, &vcpus);
    if (rc == GP_OK)
        rc = number(in, COL_MEMORY, 1e6, &ram);
    if (rc != GP_OK)
        return rc;
    row->gpu_count = (int)*gpus;
    row->vcpus = (int)vcpus;
    row->ram = ram * GP_GIB;
    rc = read_text(in, COL_TYPE, row->type, sizeof row->type);
    if (rc == GP_OK && row->type[0] == '\0')
        return refuse_field(in, COL_TYPE, "is empty");
    return rc == GP_OK ? read_text(in, COL_REGION, row->region, sizeof row->region) : rc;
}

static enum gp_status read_row(struct import *in)
{
    struct instance row = {0};
    double gpus;
    enum gp_status rc;

    in->summary->rows++;
    if (in->csv.count != in->header_count) {
        char where[192];

        gp_format(where, sizeof where, "%s:%d", in->csv.name, in->csv.line);
        return gp_fail(in->err, GP_E_FILE, where, "", "has %zu fields, but the header has %zu",
                       in->csv.count, in->header_count);
    }
    rc = read_figures(in, &row, &gpus);
    if (rc != GP_OK)
        return rc;
    if (field_of(in, COL_ACCELERATOR)[0] == '\0')
        in->summary->no_gpu++;
    else if (row.on_demand <= 0 && row.spot <= 0)
        in->summary->no_price++;
    else if (gpus < 1 || gpus != row.gpu_count || !find_gpu(in, &row))
        note_unknown(in); /* a fraction of a GPU is no GPU of the catalogue either */
    else
        return keep_row(in, &row);
    return GP_OK;
}

/* ---- writing -------------------------------------------------------------------- */

static void add_quoted(struct strbuf *out, const char *key, const char *value)
{
    strbuf_addf(out, "%s = \"", key);
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\')
            strbuf_addn(out, "\\", 1);
        strbuf_addn(out, value, 1);
    }
    strbuf_add(out, "\";");
}

static void write_row(struct strbuf *out, const struct instance *row, int regions)
{
    strbuf_add(out, "    { ");
    add_quoted(out, "type", row->type);
    strbuf_addf(out, " gpu = \"%s\"; count = %d;", row->gpu, row->gpu_count);
    if (row->vcpus > 0)
        strbuf_addf(out, " vcpus = %d;", row->vcpus);
    if (row->ram >= 0.1 * GP_GIB)
        strbuf_addf(out, " ram_gib = %.10g;", row->ram / GP_GIB);
    if (row->on_demand > 0)
        strbuf_addf(out, " on_demand = %.10g;", row->on_demand);
    if (row->spot > 0)
        strbuf_addf(out, " spot = %.10g;", row->spot);
    if (row->region[0] != '\0') {
        strbuf_add(out, " ");
        add_quoted(out, "region", row->region);
    }
    if (row->assumed)
        strbuf_add(out, " assumed = true;");
    if (row->assumed || regions > 1) {
        strbuf_add(out, " note = \"");
        if (row->assumed)
            strbuf_add(out, "form factor or memory size assumed");
        if (regions > 1)
            strbuf_addf(out, "%scheapest of %d offers", row->assumed ? "; " : "", regions);
        strbuf_add(out, "\";");
    }
    strbuf_add(out, " }");
}

/* Peers' offers and auction floors are a class of their own (price.h). */
static const char *kind_of(const char *provider)
{
    if (strcmp(provider, "vast") == 0 || strcmp(provider, "hyperbolic") == 0)
        return "marketplace";
    return strcmp(provider, "mithril") == 0 ? "auction" : "list";
}

static void write_file(const struct import *in, struct strbuf *out)
{
    const char *provider = in->summary->provider;

    strbuf_add(out, "# Imported from a SkyPilot catalogue: dollars per hour of the whole "
                    "instance.\n# One row per type, that of its cheapest region.\n\n");
    add_quoted(out, "provider", provider);
    strbuf_addf(out, "\nkind = \"%s\";\n", kind_of(provider));
    if (in->summary->date[0] != '\0') {
        add_quoted(out, "date", in->summary->date);
        strbuf_add(out, in->summary->date_of_file ? "\ndate_basis = \"file\";\n" : "\n");
    }
    strbuf_add(out, "source = \"SkyPilot catalogue, imported\";\ninstances = (\n");
    for (size_t i = 0; i < in->count; i++) {
        write_row(out, &in->rows[i], in->regions[i]);
        strbuf_add(out, i + 1 < in->count ? ",\n" : "\n");
    }
    strbuf_add(out, ");\n");
}

/* The name of the file's folder when the file is a vms.csv, else its own. */
static void provider_of(const char *path, char *dst, size_t size)
{
    char copy[GP_PATH_MAX], *base, *dot;
    size_t len = 0;

    gp_copy(copy, sizeof copy, path);
    base = strrchr(copy, '/');
    if (base != NULL && gp_casecmp(base + 1, "vms.csv") == 0) {
        *base = '\0';
        base = strrchr(copy, '/');
    }
    base = base != NULL ? base + 1 : copy;
    dot = strrchr(base, '.');
    if (dot != NULL && dot != base)
        *dot = '\0';
    for (; *base != '\0' && len + 1 < size; base++)
        if (isalnum((unsigned char)*base) || strchr("-_", *base) != NULL)
            dst[len++] = gp_lower(*base);
    dst[len] = '\0';
    if (len == 0)
        gp_copy(dst, size, "imported");
}

static enum gp_status read_all(struct import *in)
{
    enum gp_status rc = read_header(in);
    bool more = true;

    while (rc == GP_OK) {
        rc = csv_next(&in->csv, &more, in->err);
        if (rc != GP_OK || !more)
            return rc;
        rc = read_row(in);
    }
    return rc;
}

/* The day on which the file was last written, "2026-11-20". */
static void date_of_file(const char *path, char *date, size_t size)
{
    struct stat st;
    struct tm day;

    if (stat(path, &st) == 0 && localtime_r(&st.st_mtime, &day) != NULL)
        strftime(date, size, "%Y-%m-%d", &day);
}

/* The summary is empty but for the date. */
static enum gp_status import_text(const char *name, const char *text, size_t len,
                                  const char *provider, struct strbuf *out_cfg,
                                  struct price_import_summary *summary, struct gp_err *err)
{
    struct import in = {.summary = summary, .err = err};
    enum gp_status rc;

    provider_of(provider != NULL ? provider : name, summary->provider, sizeof summary->provider);
    if (len > PRICE_IMPORT_MAX_BYTES)
        return gp_fail(err, GP_E_FILE, name, "", "is longer than 32 MiB");
    in.slots = gp_calloc(SLOTS, sizeof *in.slots);
    csv_init(&in.csv, name, text, len);
    rc = read_all(&in);
    summary->kept = in.count;
    for (size_t i = 0; i < in.count; i++)
        summary->assumed += in.rows[i].assumed;
    if (rc == GP_OK && in.count == 0)
        rc = gp_fail(err, GP_E_FILE, name, "", "holds no GPU instance with a price");
    if (rc == GP_OK)
        write_file(&in, out_cfg);
    csv_fini(&in.csv);
    free(in.rows);
    free(in.regions);
    free(in.slots);
    return rc;
}

enum gp_status price_import_text(const char *name, const char *text, size_t len,
                                 const char *provider, const char *date, struct strbuf *out_cfg,
                                 struct price_import_summary *summary, struct gp_err *err)
{
    memset(summary, 0, sizeof *summary);
    gp_copy(summary->date, sizeof summary->date, date);
    return import_text(name, text, len, provider, out_cfg, summary, err);
}

enum gp_status price_import(const char *path, const char *provider, const char *date,
                            struct strbuf *out_cfg, struct price_import_summary *summary,
                            struct gp_err *err)
{
    char *bytes;
    size_t len;
    enum gp_status rc = path_read(path, PRICE_IMPORT_MAX_BYTES, &bytes, &len, err);

    memset(summary, 0, sizeof *summary);
    if (rc != GP_OK)
        return rc;
    gp_copy(summary->date, sizeof summary->date, date);
    if (date[0] == '\0') {
        date_of_file(path, summary->date, sizeof summary->date);
        summary->date_of_file = true;
    }
    rc = import_text(path, bytes, len, provider, out_cfg, summary, err);
    free(bytes);
    return rc;
}
