/*
 * report_engine.c - engines and weight formats as records.
 */
#include "answer/report_catalog.h"

#include <string.h>

#include "base/units.h"
#include "catalog/files.h"

/* ---- engines ---- */

#define AT(member) MEMBER_AT(struct engine, member)

static const struct member row_members[] = {
    {"fraction", MEMBER_LISTED, AT(fraction), "of GPU", .decimals = 2},
    {"block", MEMBER_SOME_INT, AT(block), "tokens"},
    {"non_torch", MEMBER_BYTES, AT(non_torch_1)},
    {"graphs", MEMBER_BYTES, AT(graphs)},
    {"gguf", MEMBER_FLAG, AT(gguf)},
    {"date", MEMBER_CHARS, AT(date)},
    {"source", MEMBER_CHARS, AT(source), .detail = true},
};

enum gp_status report_engine_rows(struct catalog *catalog, struct record *doc, struct gp_err *err)
{
    const struct engine *list;
    size_t n;
    enum gp_status rc = catalog_engines(catalog, &list, &n, err);

    for (size_t i = 0; i < n && !rc; i++) {
        struct record *s = record_append(doc, "items");
        char id[64];

        catalog_engine_id(&list[i], id, sizeof(id));
        record_text(s, "id", id);
        record_text(s, "name", list[i].name);
        record_text(s, "versions", list[i].range);
        record_text(s, "budget", engine_budget_word(list[i].budget));
        RECORD_MEMBERS(s, row_members, &list[i]);
    }
    return rc;
}

enum gp_status report_engine_show(struct planner *planner, const char *id, struct record *out,
                                  struct gp_err *err)
{
    const struct engine *e;
    char own[64];
    enum gp_status rc = catalog_engine(planner_catalog(planner), id, &e, err);

    if (rc)
        return rc;
    catalog_engine_id(e, own, sizeof(own));
    record_text(out, "id", own);
    report_fields(out, engine_table, e);
    record_group(out, "evidence");
    record_list(out, "evidence");
    for (int t = 0; t < TERM_COUNT; t++)
        if (e->evidence[t][0]) {
            struct record *one = record_append(out, "evidence");

            record_text(one, "term", engine_term_word((enum engine_term)t));
            record_text(one, "text", e->evidence[t]);
        }
    record_text(out, "source", e->source);
    record_text(out, "date", e->date);
    return GP_OK;
}

/* ---- formats ---- */

/* Scales included, on a large matrix; a mix has the mean of an 8B model. */
static double bits_per_weight(const struct format *f)
{
    const double n = 8192;

    return f->mix ? format_core_bits(f, 8.03e9) : format_bytes(f, n, n) * 8 / (n * n);
}

enum gp_status report_format_rows(struct catalog *catalog, struct record *doc, struct gp_err *err)
{
    const struct format *list;
    size_t n;
    enum gp_status rc = catalog_formats(catalog, &list, &n, err);

    for (const struct format *f = list; !rc && f < list + n; f++) {
        struct record *s = record_append(doc, "items");

        record_text(s, "id", f->id);
        record_text(s, "name", f->name);
        record_text(s, "family", f->family);
        record_quantity(s, "bits", "per weight", quantity_exact(bits_per_weight(f)), 1, 3);
        record_text(s, "arithmetic", format_math_word(f->math));
        record_flag(s, "weight_only", f->weight_only);
        record_positive(s, "block", "weights", f->block);
        record_text(s, "source", f->source);
        record_detail(s);
    }
    return rc;
}

static void bits_fact(struct record *s, const char *name, double bits, int decimals)
{
    record_quantity(s, name, "bits", bits > 0 ? quantity_exact(bits) : quantity_unknown(), 1,
                    decimals);
}

enum gp_status report_format_show(struct planner *planner, const char *id, struct record *out,
                                  struct gp_err *err)
{
    const struct format *f;
    struct strbuf kept;
    enum gp_status rc = catalog_format(planner_catalog(planner), id, &f, err);

    if (rc)
        return rc;
    record_text(out, "id", f->id);
    record_text(out, "name", f->name);
    record_text(out, "family", f->family);
    record_text(out, "arithmetic", format_math_word(f->math));
    record_flag(out, "weight_only", f->weight_only);
    record_group(out, "storage");
    bits_fact(out, "element", f->bits, 3);
    bits_fact(out, "per_weight", bits_per_weight(f), 4);
    record_positive(out, "group_columns", "", f->group_cols);
    record_positive(out, "group_rows", "", f->group_rows);
    record_quantity(out, "per_group", "B", quantity_exact(f->group_bytes), 1, 2);
    record_quantity(out, "per_input", "B", quantity_exact(f->input_bytes), 1, 2);
    record_quantity(out, "per_tensor", "B", quantity_exact(f->tensor_bytes), 1, 2);
    record_positive(out, "block", "weights", f->block);
    bits_fact(out, "fallback", f->fallback_bits, 3);
    strbuf_init(&kept);
    for (int r = 0; r < ROLE_COUNT; r++)
        if (f->keep_roles >> r & 1)
            strbuf_addf(&kept, "%s%s", kept.len ? "|" : "", role_word((enum tensor_role)r));
    record_words(out, "kept_in_16_bit", kept.text);
    strbuf_fini(&kept);
    if (f->mix) {
        record_group(out, "file mix");
        bits_fact(out, "core_8b", f->core_bits_8b, 4);
        bits_fact(out, "core_70b", f->core_bits_70b, 4);
        bits_fact(out, "token_embedding", f->embed_bits, 4);
        bits_fact(out, "output", f->output_bits, 4);
        if (f->rules > 0)
            record_words(out, "rules", f->rule_words);
    }
    record_group(out, "evidence");
    record_text(out, "source", f->source);
    return GP_OK;
}
