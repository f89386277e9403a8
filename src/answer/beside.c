/*
 * beside.c - see beside.h.
 */
#include "answer/beside.h"

bool beside_record(const struct beside *b, struct record *doc, const char *list,
                   struct record **row, bool *in)
{
    const struct quantity *p = &b->predicted, *seen = &b->seen;
    bool both = p->known && seen->known;
    struct record *r = record_append(doc, list);

    *in = both && seen->value >= p->low - b->slack && seen->value <= p->high + b->slack;
    record_text(r, "name", b->name);
    record_text(r, "unit", b->unit);
    record_quantity(r, b->seen_name, "", *seen, b->divide, b->digits);
    record_quantity(r, "predicted", "", *p, b->divide, b->digits);
    record_quantity(r, "low", "", p->known ? quantity_of(p->low, p->origin) : *p, b->divide,
                    b->digits);
    record_quantity(r, "high", "", p->known ? quantity_of(p->high, p->origin) : *p, b->divide,
                    b->digits);
    record_quantity(r, "error", "%",
                    both && seen->value != 0 ? quantity_exact((p->value / seen->value - 1) * 100)
                                             : quantity_unknown(),
                    1, 1);
    record_text(r, "in_band", !both ? "" : *in ? "yes" : "no");
    *row = r;
    return both;
}
