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
        record_quantity(s, "bits", "per weight", quantity_exact(f->per_weight), 1, 3);
        record_text(s, "arithmetic", format_math_word(f->math));
        record_flag(s, "weight_only", f->weight_only);
        record_positive(s, "block", "weights", f->block);
        record_text(s, "source", f->source);
        record_detail(s);
    }
    return rc;
}

enum gp_status report_format_show(struct planner *planner, const char *id, struct record *out,
                                  struct gp_err *err)
{
    const struct format *f;
    enum gp_status rc = catalog_format(planner_catalog(planner), id, &f, err);

    if (!rc)
        report_fields(out, format_table, f);
    return rc;
}
