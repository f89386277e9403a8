/*
 * diagnose_print.c - see diagnose_print.h.
 */
#include "answer/diagnose_print.h"

#include <math.h>
#include <string.h>

#include "answer/sentence.h"
#include "base/str.h"

/* ---- words of a cause; {names} are those of values_of() ---- */

static const struct {
    const char *gpu, *host, *cure; /* host NULL: the same */
} sentences[] = {
    [DIAGNOSE_WRONG_RESULTS] = {"{wrong products}", NULL,
                                "do not use it: run again to see whether it repeats, then "
                                "exchange the device or its memory"},
    [DIAGNOSE_ECC_ERRORS] = {"its memory has {ecc errors} that could not be corrected", NULL,
                             "nvidia-smi -q -d ECC,ROW_REMAPPER shows where; reset the GPU "
                             "(nvidia-smi -r); if they come back, exchange it"},
    [DIAGNOSE_HARDWARE] = {"the board itself slows it down in {braked} % of the readings", NULL,
                           "nvidia-smi -q -d PERFORMANCE names the reason: a power brake "
                           "points to cables and supply, a thermal one to cooling"},
    [DIAGNOSE_SHARED] = {"{processes} on it", "other programs use {others} % of the processors",
                         "nvidia-smi (or top) names them: stop them, or measure when they "
                         "are done"},
    [DIAGNOSE_UNCONFIRMED] = {"{wrong products}, in one run beside other programs", NULL,
                              "measure again when they are done: only what is wrong then as well "
                              "points to the device"},
    [DIAGNOSE_EXPLAINED] = {"{explained products}, by the library or the operands", NULL,
                            "check.why of --bench says which; another version of the library"},
    [DIAGNOSE_HEAT] = {"it is too hot in {hot} % of the readings, {temperature}", NULL,
                       "fans, filters and the inlet air first, then thermal paste; a lower "
                       "power limit (nvidia-smi -pl) until then"},
    [DIAGNOSE_POWER_CAP] = {"its power limit is {limit} W, its data sheet says {sheet watts}", NULL,
                            "nvidia-smi -pl {sheet watts} raises it, where supply and cooling "
                            "allow it"},
    [DIAGNOSE_GOVERNOR] = {"the governor {governor} keeps the clocks low", NULL,
                           "cpupower frequency-set -g performance"},
    [DIAGNOSE_CLOCK] = {"it runs at {clock} MHz of {clock max} and nothing throttles it", NULL,
                        "nvidia-smi -rgc undoes locked clocks; a laptop's profile may too"},
    [DIAGNOSE_LINK_WIDTH] = {"its link has {width} lanes of {width max}", NULL,
                             "reseat the card, then another slot or a shorter riser; lspci -vv "
                             "(LnkCap, LnkSta) of card and slot says which of them is narrow"},
    [DIAGNOSE_LINK_GEN] = {"its link runs at generation {gen} of {gen max} while it copies", NULL,
                           "the slot's generation in the firmware's settings, then the riser; "
                           "lspci -vv (LnkCap) says what the slot can"},
    [DIAGNOSE_PEER] = {"{peers} cannot be reached directly", NULL,
                       "nvidia-smi topo -p2p r shows which; IOMMU and ACS off in the firmware; "
                       "GeForce cards do not have it"},
    [DIAGNOSE_LINK] = {"copies from the host reach {upload} GB/s of the link's {link}", NULL,
                       "bind the process to the socket that the GPU is at: nvidia-smi topo -m, "
                       "numactl --cpunodebind"},
    [DIAGNOSE_MEMORY] = {"memory is read at {read share} % of its sheet", NULL,
                         "where no other cause explains it: ECC on GDDR costs some bandwidth; "
                         "else compare it with another card"},
    [DIAGNOSE_PRODUCTS] = {"products reach {product share} % of the sheet", NULL,
                           "where no other cause explains it: driver and library versions; "
                           "--bench gemm shows all types"},
};

static const char *wrong_products(int count, struct texts *t)
{
    return texts_addf(
        t, count == 1 ? "%d product has a wrong result" : "%d products have wrong results", count);
}

/* A value not known is never named: its cause does not hold. */
static const char *diagnose_fill(const struct diagnose_facts *f, const char *words, struct texts *t)
{
    const struct sentence_value values[] = {
        {"wrong products", SAY_TEXT, .text = wrong_products(f->wrong, t)},
        {"explained products", SAY_TEXT, .text = wrong_products(f->explained, t)},
        {"ecc errors", SAY_TEXT,
         .text = texts_addf(t, "%.0f error%s", f->ecc_errors, f->ecc_errors == 1 ? "" : "s")},
        {"braked", SAY_NUMBER, .number = 100 * f->throttled[DIAGNOSE_BY_HARDWARE]},
        {"hot", SAY_NUMBER, .number = 100 * f->throttled[DIAGNOSE_BY_HEAT]},
        {"temperature", SAY_TEXT,
         .text = isnan(f->temperature) ? "no reading of how hot"
                                       : texts_addf(t, "up to %.0f degrees C", f->temperature)},
        {"processes", SAY_TEXT,
         .text = texts_addf(
             t, f->processes == 1 ? "%d other program computes" : "%d other programs compute",
             f->processes)},
        {"others", SAY_NUMBER, .number = 100 * f->others},
        {"limit", SAY_NUMBER, .number = f->power_limit},
        {"sheet watts", SAY_NUMBER, .number = f->power_sheet},
        {"governor", SAY_TEXT, .text = f->governor},
        {"clock", SAY_NUMBER, .number = f->clock / 1e6},
        {"clock max", SAY_NUMBER, .number = f->clock_max / 1e6},
        {"width", SAY_NUMBER, .number = f->link_width},
        {"width max", SAY_NUMBER, .number = f->link_width_max},
        {"gen", SAY_NUMBER, .number = f->link_gen},
        {"gen max", SAY_NUMBER, .number = f->link_gen_max},
        {"peers", SAY_TEXT,
         .text = f->peers > 0 ? texts_addf(t, "%d of %d other GPUs", f->peers_lost, f->peers)
                              : texts_addf(t, "%d of the other GPUs", f->peers_lost)},
        {"upload", SAY_SHARE, .number = f->upload / 1e9},
        {"link", SAY_SHARE, .number = diagnose_link(f->link_gen, f->link_width) / 1e9},
        {"read share", SAY_NUMBER, .number = 100 * f->read_share},
        {"product share", SAY_NUMBER, .number = 100 * f->product_share},
        {.name = NULL},
    };

    return sentence_fill(words, values, t);
}

/* ---- evidence ---- */

struct fact_row {
    const char *name, *unit;
    double value, divide; /* NAN: not told */
    int digits;
    bool gpu; /* processors have no such thing */
};

static double count_or(int n)
{
    return n < 0 ? NAN : n;
}

/* ---- a device ---- */

void diagnose_record(const struct diagnose_facts *f, const char *name, const char *profile,
                     struct record *device)
{
    struct diagnosis d = diagnose(f);
    struct texts texts = {0};

    record_text(device, "device", name);
    record_text(device, "profile", profile);
    record_text(device, "status", diagnose_status_word(d.status));
    record_text(device, "governor", f->governor);
    record_list(device, "causes");
    for (int i = 0; i < d.count; i++) {
        struct record *r = record_append(device, "causes");

        record_text(r, "cause", diagnose_cause_word(d.cause[i]));
        record_text(r, "status", diagnose_status_word(diagnose_cause_status(d.cause[i])));
        const char *host = f->host ? sentences[d.cause[i]].host : NULL;
        record_text(r, "text", diagnose_fill(f, host ? host : sentences[d.cause[i]].gpu, &texts));
        record_text(r, "cure", diagnose_fill(f, sentences[d.cause[i]].cure, &texts));
    }
    texts_fini(&texts);
    const struct fact_row rows[] = {
        {"read", "GB/s", f->read, 1e9, 1, false},
        {"read_of_sheet", "%", f->read_share, 0.01, 1, true},
        {"products", "TFLOP/s", f->product, 1e12, 2, false},
        {"products_of_sheet", "%", f->product_share, 0.01, 1, true},
        {"copy_from_host", "GB/s", f->upload, 1e9, 1, true},
        {"link", "GB/s", diagnose_link(f->link_gen, f->link_width), 1e9, 1, true},
        {"link_generation", "", count_or(f->link_gen), 1, 0, true},
        {"link_generation_max", "", count_or(f->link_gen_max), 1, 0, true},
        {"link_width", "", count_or(f->link_width), 1, 0, true},
        {"link_width_max", "", count_or(f->link_width_max), 1, 0, true},
        {"clock", "MHz", f->clock, 1e6, 0, false},
        {"clock_max", "MHz", f->clock_max, 1e6, 0, false},
        {"power", "W", f->power, 1, 0, false},
        {"power_limit", "W", f->power_limit, 1, 0, true},
        {"power_sheet", "W", f->power_sheet, 1, 0, true},
        {"temperature", "C", f->temperature, 1, 0, false},
        {"throttled_by_power", "%", f->throttled[DIAGNOSE_BY_POWER], 0.01, 0, true},
        {"throttled_by_heat", "%", f->throttled[DIAGNOSE_BY_HEAT], 0.01, 0, true},
        {"throttled_by_hardware", "%", f->throttled[DIAGNOSE_BY_HARDWARE], 0.01, 0, true},
        {"ecc", "", count_or(f->ecc), 1, 0, true},
        {"ecc_errors", "", f->ecc_errors, 1, 0, true},
        {"peers", "", count_or(f->peers), 1, 0, true},
        {"peers_without_access", "", count_or(f->peers_lost), 1, 0, true},
        {"other_programs", "", count_or(f->processes), 1, 0, true},
        {"processors_used_by_others", "%", f->others, 0.01, 0, false},
        {"points", "", f->good, 1, 0, false},
        {"wrong", "", f->wrong, 1, 0, false},
        {"wrong_by_library", "", f->explained, 1, 0, false},
    };

    record_list(device, "evidence");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (rows[i].gpu && f->host)
            continue;
        struct record *r = record_append(device, "evidence");
        record_text(r, "name", rows[i].name);
        record_text(r, "unit", rows[i].unit);
        record_quantity(r, "value", "",
                        isnan(rows[i].value) ? quantity_unknown()
                                             : quantity_of(rows[i].value, ORIGIN_MEASURED),
                        rows[i].divide, rows[i].digits);
    }
}

/* ---- text ---- */

static void print_evidence(const struct record *device, struct strbuf *out)
{
    const struct fact *rows = record_find(device, "evidence");
    struct strbuf unknown = STRBUF_EMPTY;

    strbuf_add(out, "evidence:\n");
    for (size_t i = 0; rows && i < rows->record_count; i++) {
        const struct record *r = &rows->records[i];
        const struct fact *value = record_find(r, "value");

        if (!value || !value->number.known) {
            strbuf_addf(&unknown, "%s%s", unknown.len ? ", " : "", record_get(r, "name"));
            continue;
        }
        strbuf_addf(out, "  %-26s %.*f%s%s\n", record_get(r, "name"), value->decimals,
                    value->number.value, record_get(r, "unit")[0] ? " " : "",
                    record_get(r, "unit"));
    }
    if (unknown.len)
        strbuf_addf(out, "no reading here of: %s\n", unknown.text);
    strbuf_fini(&unknown);
}

static void print_device(const struct record *device, struct strbuf *out)
{
    const struct fact *causes = record_find(device, "causes");
    size_t count = causes ? causes->record_count : 0;
    const char *status = record_get(device, "status");

    strbuf_addf(out, "%s: %s: %s\n", status, record_get(device, "device"),
                count > 0                        ? record_get(&causes->records[0], "text")
                : strcmp(status, "unknown") == 0 ? "nothing could be measured"
                                                 : "nothing holds it back");
    for (size_t i = 0; i < count; i++) {
        const struct record *c = &causes->records[i];

        if (i > 0)
            strbuf_addf(out, "also: %s\n", record_get(c, "text"));
        strbuf_addf(out, "  cure: %s\n", record_get(c, "cure"));
    }
    print_evidence(device, out);
}

void diagnose_text(const struct record *doc, struct strbuf *out)
{
    const struct fact *devices = record_find(doc, "devices");

    for (size_t i = 0; devices && i < devices->record_count; i++) {
        if (i > 0)
            strbuf_add(out, "\n");
        print_device(&devices->records[i], out);
    }
}
