/*
 * record_print.c - a record as lines, records as a table.
 *
 * An aligned table shows a quantity's value with a mark (~ estimated, ? assumed) and
 * leaves its band to the other notations; CSV spreads it over four columns:
 *
 *   GPU       weights GiB/GPU gpu,weights,weights_low,weights_high,weights_origin
 *   h100-sxm           ~65.74        h100-sxm,65.7398,65.7398,66.0685,model
 */
#include "answer/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/table.h"
#include "base/units.h"

#define VALUE_MAX 80

/* Words that people write in capitals, in names made of small letters. */
static void name_words(char *dst, size_t size, const char *name)
{
    static const char *const capitals[][2] = {
        {"gpu", "GPU"},   {"gpus", "GPUs"}, {"kv", "KV"},     {"tp", "TP"},   {"pp", "PP"},
        {"id", "ID"},     {"ram", "RAM"},   {"mig", "MIG"},   {"sm", "SM"},   {"l2", "L2"},
        {"pcie", "PCIe"}, {"pci", "PCI"},   {"nvml", "NVML"}, {"mtp", "MTP"}, {"vcpus", "vCPUs"}};
    size_t used = 0;

    dst[0] = '\0';
    while (*name && used + 1 < size) {
        size_t n = strcspn(name, "_");
        const char *word = name;

        for (size_t i = 0; i < sizeof(capitals) / sizeof(capitals[0]); i++)
            if (strlen(capitals[i][0]) == n && strncmp(name, capitals[i][0], n) == 0)
                word = capitals[i][1];
        gp_format(dst + used, size - used, "%s%.*s", used ? " " : "", (int)n, word);
        used += strlen(dst + used);
        name += n + (name[n] == '_');
    }
}

static const char *origin_mark(enum origin origin)
{
    return origin == ORIGIN_MODEL ? "~" : origin == ORIGIN_ASSUMED ? "?" : "";
}

static void count_text(const struct fact *f, char *dst, size_t size)
{
    if (f->style == STYLE_PARAMS)
        units_params(dst, size, f->number.value);
    else if (f->style == STYLE_THOUSANDS)
        units_tokens(dst, size, f->number.value);
    else
        gp_format(dst, size, "%.12g", f->number.value);
}

/* '|' becomes a comma. */
static void words_text(const char *words, struct strbuf *out)
{
    for (; *words; words++)
        strbuf_addn(out, *words == '|' ? ", " : words, *words == '|' ? 2 : 1);
}

/* ---- tables ---- */

static bool is_number(const struct fact *f)
{
    return f->kind == FACT_COUNT || f->kind == FACT_QUANTITY;
}

static bool is_column(const struct fact *f, const char *group, enum record_as as)
{
    if (f->kind == FACT_LIST || f->kind == FACT_RECORD || f->kind == FACT_SERIES ||
        (f->detail && as != RECORD_CSV))
        return false;
    return !group || !f->group || strcmp(f->group, group) == 0;
}

struct columns {
    struct table_column *column;
    size_t count;
};

static void add_column(struct columns *c, const char *title, bool right)
{
    c->column[c->count++] =
        (struct table_column){gp_strdup(title), right ? TABLE_RIGHT : TABLE_LEFT};
}

static void fact_columns(struct columns *c, const struct fact *f, enum record_as as)
{
    static const char *const ends[] = {"low", "high", "origin"};
    char title[VALUE_MAX];

    if (as == RECORD_CSV) {
        add_column(c, f->name, is_number(f));
        for (int i = 0; i < 3 && f->kind == FACT_QUANTITY; i++) {
            gp_format(title, sizeof(title), "%s_%s", f->name, ends[i]);
            add_column(c, title, i < 2);
        }
        return;
    }
    name_words(title, sizeof(title), f->name);
    if (f->title)
        gp_copy(title, sizeof(title), f->title);
    else if (f->unit[0])
        gp_append(title, sizeof(title), " ", "%s", f->unit);
    add_column(c, title, is_number(f));
}

static void csv_cells(struct table *table, const struct fact *f)
{
    const struct quantity *q = &f->number;

    if (f->kind == FACT_QUANTITY && f->known) {
        table_cellf(table, "%.10g", q->value);
        table_cellf(table, "%.10g", q->low);
        table_cellf(table, "%.10g", q->high);
        table_cell(table, origin_word(q->origin));
    } else if (f->kind == FACT_QUANTITY) {
        for (int i = 0; i < 4; i++)
            table_cell(table, "");
    } else if (f->kind == FACT_COUNT) {
        table_cellf(table, f->known ? "%.15g" : "", q->value);
    } else {
        table_cell(table, f->text);
    }
}

void record_cell(const struct fact *f, struct strbuf *out)
{
    char text[VALUE_MAX];
    size_t from = out->len;

    if (f->kind == FACT_QUANTITY && f->known && f->style == STYLE_THOUSANDS) {
        strbuf_addf(out, "%s%s", origin_mark(f->number.origin),
                    units_tokens(text, sizeof(text), f->number.value));
    } else if (f->kind == FACT_QUANTITY && f->known) {
        strbuf_addf(out, "%s%.*f", origin_mark(f->number.origin), f->decimals, f->number.value);
    } else if (f->kind == FACT_COUNT && f->known) {
        count_text(f, text, sizeof(text));
        strbuf_add(out, text);
    } else if (f->style == STYLE_MARK) {
        strbuf_add(out, f->text[0] == 'y' ? "*" : "");
        return;
    } else if (f->kind == FACT_WORDS) {
        words_text(f->text, out);
    } else if (f->text) {
        strbuf_add(out, f->text);
    }
    if (out->len == from)
        strbuf_add(out, "-");
}

static void table_as(const struct table *table, enum record_as as, struct strbuf *out)
{
    if (as == RECORD_TEXT)
        table_text(table, out);
    else if (as == RECORD_CSV)
        table_csv(table, out);
    else
        table_markdown(table, out);
}

void record_table_use(const struct record *rows, size_t count, const char *group, enum record_as as,
                      record_table_fn *use, void *ctx)
{
    struct table table;
    struct columns c = {0};
    struct strbuf cell;

    if (count == 0)
        return;
    strbuf_init(&cell);
    c.column = gp_calloc(rows[0].count * 4 + 1, sizeof(*c.column));
    for (size_t i = 0; i < rows[0].count; i++)
        if (is_column(&rows[0].facts[i], group, as))
            fact_columns(&c, &rows[0].facts[i], as);
    table_init(&table, c.column, c.count);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < rows[i].count; k++) {
            const struct fact *f = &rows[i].facts[k];

            if (!is_column(f, group, as))
                continue;
            if (as == RECORD_CSV) {
                csv_cells(&table, f);
                continue;
            }
            strbuf_clear(&cell);
            record_cell(f, &cell);
            table_cell(&table, cell.text);
        }
    use(ctx, &table);
    table_fini(&table);
    strbuf_fini(&cell);
    for (size_t i = 0; i < c.count; i++)
        free((char *)c.column[i].title);
    free(c.column);
}

struct printing {
    enum record_as as;
    struct strbuf *out;
};

static void print_table(void *ctx, const struct table *table)
{
    const struct printing *p = ctx;

    table_as(table, p->as, p->out);
}

void record_table(const struct record *rows, size_t count, const char *group, enum record_as as,
                  struct strbuf *out)
{
    struct printing p = {as, out};

    record_table_use(rows, count, group, as, print_table, &p);
}

void record_rows_table(const struct record *record, struct table *table)
{
    static const struct table_column columns[] = {
        {"part", TABLE_LEFT}, {"value", TABLE_RIGHT}, {"low", TABLE_RIGHT}, {"high", TABLE_RIGHT},
        {"unit", TABLE_LEFT}, {"origin", TABLE_LEFT}, {"note", TABLE_LEFT}};

    table_init(table, columns, sizeof(columns) / sizeof(columns[0]));
    for (size_t i = 0; i < record->count; i++) {
        const struct fact *f = &record->facts[i];
        const double figures[] = {f->number.value, f->number.low, f->number.high};

        table_cell(table, f->name);
        for (int k = 0; k < 3; k++)
            if (is_number(f)) /* it may be unknown */
                table_cellf(table, f->known ? "%.*f" : "", f->decimals, figures[k]);
            else
                table_cell(table, k == 0 ? f->text : "");
        table_cell(table, f->unit);
        table_cell(table, f->known ? origin_word(f->number.origin) : "");
        table_cell(table, f->note ? f->note : "");
    }
}

void record_rows(const struct record *record, enum record_as as, struct strbuf *out)
{
    struct table table;

    record_rows_table(record, &table);
    table_as(&table, as, out);
    table_fini(&table);
}

/* ---- lines ---- */

static void value_text(const struct fact *f, struct strbuf *out)
{
    const struct quantity *q = &f->number;
    char text[VALUE_MAX];
    size_t from = out->len;

    if (f->kind == FACT_QUANTITY && f->known) {
        strbuf_addf(out, "%.*f %s (%s", f->decimals, q->value, f->unit, origin_word(q->origin));
        if (q->low < q->value || q->high > q->value)
            strbuf_addf(out, ", %.*f..%.*f", f->decimals, q->low, f->decimals, q->high);
        strbuf_add(out, ")");
    } else if (f->kind == FACT_COUNT && f->known) {
        count_text(f, text, sizeof(text));
        strbuf_addf(out, "%s%s%s", text, f->unit[0] ? " " : "", f->unit);
        if (f->style == STYLE_PARAMS)
            strbuf_addf(out, " (%.0f)", q->value);
    } else if (f->kind == FACT_WORDS && f->text[0]) {
        words_text(f->text, out);
    } else {
        strbuf_add(out, f->text && f->text[0] ? f->text : "unknown");
    }
    for (size_t i = from; i < out->len; i++) /* a file's text must not command the terminal */
        if ((unsigned char)out->text[i] < 0x20 || out->text[i] == 0x7F)
            out->text[i] = ' ';
}

/* "mixer full, layers 32, heads 32"; what is absent or "no" is left out. */
static void short_line(const struct record *record, struct strbuf *out)
{
    const char *comma = "";
    char name[VALUE_MAX];

    for (size_t i = 0; i < record->count; i++) {
        const struct fact *f = &record->facts[i];
        bool no = f->kind == FACT_FLAG && f->text[0] == 'n';

        if (is_number(f) ? !f->known : !f->text || !f->text[0] || no)
            continue;
        name_words(name, sizeof(name), f->name);
        strbuf_addf(out, "%s%s", comma, name);
        if (f->kind != FACT_FLAG) {
            strbuf_add(out, " ");
            value_text(f, out);
        }
        comma = ", ";
    }
    strbuf_add(out, "\n");
}

void record_lines(const struct record *record, struct strbuf *out)
{
    const char *group = NULL;
    char name[VALUE_MAX];

    for (size_t i = 0; i < record->count; i++) {
        const struct fact *f = &record->facts[i];

        if (f->group && (!group || strcmp(group, f->group) != 0))
            strbuf_addf(out, "%s%s\n", i ? "\n" : "", f->group);
        group = f->group;
        name_words(name, sizeof(name), f->name);
        strbuf_addf(out, "  %s:", name);
        if (f->kind != FACT_LIST && f->kind != FACT_RECORD) {
            strbuf_add(out, " ");
            value_text(f, out);
            strbuf_add(out, "\n");
            continue;
        }
        strbuf_add(out, f->record_count ? "\n" : " none\n");
        for (size_t k = 0; k < f->record_count; k++) {
            strbuf_add(out, "    ");
            short_line(&f->records[k], out);
        }
    }
}
