/*
 * compare_view.c - see compare_view.h.
 */
#include "tui/compare/compare_view.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "answer/figures.h"
#include "base/mem.h"
#include "base/units.h"
#include "tui/plan_summary.h"
#include "tui/toolkit/words.h"

#define WORD_MAX 64

/* What a number in a filter is called, and the fact it is. */
static const struct {
    const char *name, *fact;
} numbers[] = {
    {"mem", "memory"},
    {"gpus", "gpus"},
    {"tp", "tp"},
    {"pp", "pp"},
    {"rep", "replicas"},
    {"weights", "weights"},
    {"pool", "kv_pool"},
    {"kv", "kv_pool"},
    {"requests", "holds"},
    {"$", "per_hour"},
    {"$/h", "per_hour"},
    {"$/month", "per_month"},
    {"tpot", "tpot"},
    {"ttft", "ttft"},
    {"tok/s", "output_tokens_per_s"},
    {"$/M", "per_million_output_tokens"},
};
enum { NUMBER_COUNT = sizeof(numbers) / sizeof(numbers[0]) };

/* ---- words ---- */

struct word {
    bool not, is_number;
    char text[WORD_MAX]; /* or the number's name */
    double number;
    bool less, equal, more; /* does a row with such a number hold it? */
};

/* The next word of the filter: its length in *at, 0 at the end. */
static const char *next_word(const char *filter, size_t *length)
{
    filter += strspn(filter, " \t");
    *length = strcspn(filter, " \t");
    return filter;
}

static const char *fact_of(const char *name)
{
    for (int i = 0; i < NUMBER_COUNT; i++)
        if (gp_casecmp(numbers[i].name, name) == 0)
            return numbers[i].fact;
    return NULL;
}

static enum gp_status read_word(const char *text, size_t length, struct word *out,
                                struct gp_err *err)
{
    char whole[WORD_MAX], names[160] = "";

    *out = (struct word){.not = *text == '!' && length > 1};
    text += out->not ;
    length -= out->not ;
    if (length >= sizeof(whole))
        return gp_fail(err, GP_E_USAGE, "filter", "", "a word is too long");
    gp_format(whole, sizeof(whole), "%.*s", (int)length, text);
    const char *sign = whole + strcspn(whole, "<>=");
    gp_format(out->text, sizeof(out->text), "%.*s", (int)(sign - whole), whole);
    if (!*sign)
        return GP_OK;
    out->is_number = true;
    out->less = *sign == '<';
    out->more = *sign == '>';
    out->equal = *sign == '=' || sign[1] == '=';
    size_t signs = *sign != '=' && out->equal ? 2 : 1;
    if (!fact_of(out->text)) {
        for (int i = 0; i < NUMBER_COUNT; i++)
            gp_append(names, sizeof(names), " ", "%s", numbers[i].name);
        return gp_fail(err, GP_E_USAGE, "filter", names, "unknown column '%s'", out->text);
    }
    if (units_parse_number(sign + signs, "filter", &out->number, NULL))
        return gp_fail(err, GP_E_USAGE, "filter", "as in mem>=40, $<10", "'%s' is not a number",
                       sign + signs);
    return GP_OK;
}

/* ---- rows ---- */

const struct fact *compare_view_fact(const struct compare_row *row, const char *key)
{
    return figure_find(&row->facts, key);
}

static bool holds_text(const struct compare_row *row, const char *word)
{
    static const char *const facts[] = {"gpu", "precision", "verdict", "limit", "offer", "engine"};
    const struct gpu *gpu = row->compared->plan.request.gpu;

    if (gp_casecmp(word, "front") == 0)
        return row->compared->front;
    if (gp_casecmp(word, "marked") == 0)
        return row->marked;
    for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
        if (words_match(word, record_get(&row->facts, facts[i]), ""))
            return true;
    return words_match(word, gpu->name, gpu->vendor) || words_match(word, gpu->architecture, "");
}

static bool compare_filter_row(const char *filter, const struct compare_row *row)
{
    struct word word;
    size_t length;

    for (filter = next_word(filter, &length); length > 0;
         filter = next_word(filter + length, &length)) {
        if (read_word(filter, length, &word, NULL))
            continue;
        const struct fact *f = word.is_number ? compare_view_fact(row, fact_of(word.text)) : NULL;
        double value = f ? f->number.value : 0;
        bool holds = !word.is_number       ? holds_text(row, word.text)
                     : !f || !f->known     ? false /* neither more nor less than anything */
                     : value < word.number ? word.less
                     : value > word.number ? word.more
                                           : word.equal;

        if (holds == word.not )
            return false;
    }
    return true;
}

const struct compare_column_row compare_columns[COLUMN_COUNT] = {
    [COLUMN_GPU] = {"gpu", "GPU", "GPU", NULL, false, false, 0},
    [COLUMN_PRECISION] = {"precision", "format", "format", NULL, false, false, 0},
    [COLUMN_VERDICT] = {"verdict", "verdict", "verdict", NULL, false, false, 1},
    [COLUMN_GPUS] = {"gpus", "n", "n", "gpus", true, false, 0},
    [COLUMN_LAYOUT] = {"tp", "layout", "layout", NULL, false, false, 6},
    [COLUMN_MEMORY] = {"memory", "memory GiB", "memory", NULL, true, true, 10},
    [COLUMN_WEIGHTS] = {"weights", "weights GiB", "weights", NULL, true, false, 7},
    [COLUMN_POOL] = {"kv_pool", "KV pool GiB", "KV pool", NULL, true, true, 8},
    [COLUMN_REQUESTS] = {"holds", "users", "users", NULL, true, true, 4},
    [COLUMN_TPOT] = {"tpot", "TPOT ms", "TPOT", "tpot", true, false, 3},
    [COLUMN_TOKENS] = {"output_tokens_per_s", "tok/s", "tok/s", "tokens", true, true, 5},
    [COLUMN_MILLION] = {"per_million_output_tokens", "$/M", "$/M", "million", true, false, 2},
    [COLUMN_HOUR] = {"per_hour", "$/h", "$/h", "cost", true, false, 0},
    [COLUMN_MONTH] = {"per_month", "$/month", "$/month", NULL, true, false, 11},
    [COLUMN_LIMIT] = {"limit", "bound by", "limit", NULL, false, false, 9},
    [COLUMN_BAR] = {"memory", "memory of one GPU", "memory", NULL, false, true, 12},
};

void compare_view_init(struct compare_view *view)
{
    *view = (struct compare_view){.sort = COLUMN_HOUR};
}

static void drop_rows(struct compare_view *view)
{
    for (size_t i = 0; i < view->count; i++)
        record_fini(&view->rows[i].facts);
    view->count = view->shown_count = 0;
}

void compare_view_fini(struct compare_view *view)
{
    drop_rows(view);
    record_fini(&view->plan_row.facts);
    free(view->rows);
    free(view->shown);
    free(view->marks);
    *view = (struct compare_view){0};
}

/* ---- cells ---- */

/* "TP 4 PP 2 x 2": what is 1 is left out, but not all of it. */
static void layout_cell(const struct compare_row *row, struct strbuf *out)
{
    const struct layout *l = &row->compared->plan.layout;

    if (!row->compared->plan.has_memory) {
        strbuf_add(out, "-");
        return;
    }
    if (l->prefill_tp > 0)
        strbuf_addf(out, "%dxTP%d:%dx", l->prefill, l->prefill_tp, layout_decoding(l));
    strbuf_addf(out, "TP%d", l->tp);
    if (l->pp > 1)
        strbuf_addf(out, " PP%d", l->pp);
    if (l->replicas > 1 && l->prefill_tp <= 0)
        strbuf_addf(out, " x%d", l->replicas);
    if (l->ep > 1)
        strbuf_addf(out, " EP%d", l->ep);
}

/* What keeps it from being sure; of what fits what takes the time of a step. */
static const char *bound_cell(const struct plan *p)
{
    return p->limit == LIMIT_NONE && p->speed.gap == SPEED_KNOWN ? speed_bound_word(p->speed.bound)
                                                                 : limit_word(p->limit);
}

#define BAND_MOST 1000.0 /* ms; above it the column would be wider than it is worth */

void compare_view_cell(const struct compare_row *row, enum compare_column column,
                       struct strbuf *out)
{
    const struct fact *f = compare_view_fact(row, compare_columns[column].fact);

    if (column == COLUMN_LAYOUT)
        layout_cell(row, out);
    else if (column == COLUMN_BAR)
        strbuf_addf(out, "%*s", COMPARE_BAR, "");
    else if (column == COLUMN_VERDICT)
        strbuf_add(out, plan_verdict_cell(&row->compared->plan));
    else if (column == COLUMN_LIMIT)
        strbuf_add(out, bound_cell(&row->compared->plan));
    else if (column == COLUMN_TPOT && row->compared->plan.request.model->pooling)
        strbuf_add(out, "-"); /* answers with a vector */
    else if (f && column == COLUMN_TPOT) {
        const struct quantity *q = &f->number;
        double low = q->value - q->low, high = q->high - q->value, side = high > low ? high : low;

        record_cell(f, out);
        if (f->known && side > 0 && q->high < BAND_MOST)
            strbuf_addf(out, "±%.*f", side < 10 ? 1 : 0, side);
    } else if (f)
        record_cell(f, out);
}

/* ---- order ---- */

struct sort_key {
    bool own, marked, known, reverse;
    enum verdict verdict;
    bool spans;       /* several machines: last by cost, as in compare_sort() */
    double number;    /* of a column of numbers: ascending */
    const char *text; /* of a column of words; NULL */
    size_t at;
};

static struct sort_key key_of(const struct compare_view *view, size_t at)
{
    const struct compare_column_row *column = &compare_columns[view->sort];
    const struct compare_row *row = &view->rows[at];
    const struct fact *f = compare_view_fact(row, column->fact);
    struct sort_key key = {.marked = row->marked, .verdict = row->compared->plan.verdict, .at = at};

    if (!f)
        return key;
    key.spans = (view->sort == COLUMN_HOUR || view->sort == COLUMN_MONTH) &&
                plan_spans(&row->compared->plan);
    key.reverse = view->reverse != column->descends;
    key.text = view->sort == COLUMN_LIMIT ? bound_cell(&row->compared->plan)
               : f->kind == FACT_TEXT     ? f->text
                                          : NULL;
    key.known = key.text ? key.text[0] != '\0' : f->known;
    key.number = key.text ? 0 : f->number.value;
    return key;
}

static int compare_keys(const void *left, const void *right)
{
    const struct sort_key *a = left, *b = right;
    int order = (int)b->own - (int)a->own;

    if (!order)
        order = (int)b->marked - (int)a->marked;
    if (!order)
        order = (int)a->verdict - (int)b->verdict;
    if (!order)
        order = (int)a->spans - (int)b->spans;
    if (!order)
        order = (int)b->known - (int)a->known;
    if (!order && a->known) {
        order = a->text && b->text ? strcmp(a->text, b->text)
                                   : (a->number > b->number) - (a->number < b->number);
        order = a->reverse ? -order : order;
    }
    return order ? order : (a->at > b->at) - (a->at < b->at);
}

#define PLAN_ROW SIZE_MAX /* in shown: the plan's own */

static bool is_own(const struct compare_view *view, size_t i)
{
    return !view->planned && strcmp(view->rows[i].key, view->own) == 0;
}

size_t compare_view_order(const struct compare_view *view, bool pin, size_t *out)
{
    struct sort_key *keys = gp_calloc(view->count + 1, sizeof(*keys));
    size_t n = 0;

    for (size_t i = 0; i < view->count; i++)
        if (compare_filter_row(view->filter, &view->rows[i]) || (pin && is_own(view, i))) {
            keys[n] = key_of(view, i);
            keys[n++].own = pin && is_own(view, i);
        }
    qsort(keys, n, sizeof(*keys), compare_keys);
    for (size_t i = 0; i < n; i++)
        out[i] = keys[i].at;
    free(keys);
    return n;
}

static void view_arrange(struct compare_view *view)
{
    view->shown = gp_realloc(view->shown, (view->cap + 2) * sizeof(*view->shown));
    view->shown[0] = PLAN_ROW;
    view->shown_count = view->planned + compare_view_order(view, true, view->shown + view->planned);
}

/* ---- rows ---- */

static size_t find_mark(const struct compare_view *view, const char *key)
{
    size_t i = 0;

    while (i < view->mark_count && strcmp(view->marks[i], key) != 0)
        i++;
    return i;
}

static void write_facts(const struct compare_view *view, struct compare_row *row)
{
    record_fini(&row->facts);
    record_init(&row->facts);
    comparison_facts(view->comparison, row->compared, &row->facts);
}

void compare_key(const struct request *q, char key[COMPARE_KEY])
{
    gp_format(key, COMPARE_KEY, "%s:%d %s", q->gpu->id, q->gpu_count, q->precision.id);
}

void compare_view_own(struct compare_view *view, const char *key, const struct plan *plan)
{
    gp_copy(view->own, sizeof(view->own), key);
    view->planned = plan && view->comparison;
    if (view->planned) {
        view->plan = (struct compared){.plan = *plan};
        view->plan_row.compared = &view->plan;
        gp_format(view->plan_row.key, sizeof(view->plan_row.key), "plan: %.80s", key);
        write_facts(view, &view->plan_row);
    }
    view_arrange(view);
}

/* Columns are as wide as the widest cell of any row, shown or not. What does not fit has its
 * reason in place of figures. */
static void add_row(struct compare_view *view, const struct compared *compared)
{
    struct strbuf cell;

    view->rows = gp_grow(view->rows, &view->cap, view->count + 1, sizeof(*view->rows));
    struct compare_row *row = &view->rows[view->count++];
    *row = (struct compare_row){.compared = compared};
    compare_key(&compared->plan.request, row->key);
    row->marked = find_mark(view, row->key) < view->mark_count;
    write_facts(view, row);
    bool refused = compared->plan.verdict == VERDICT_DOES_NOT_FIT;
    strbuf_init(&cell);
    for (int c = 0; c < (refused ? COLUMN_VERDICT : COLUMN_COUNT); c++) {
        strbuf_clear(&cell);
        compare_view_cell(row, (enum compare_column)c, &cell);
        int wide = gp_width(cell.text) + (c == COLUMN_TPOT); /* ASCII: "+-" */
        view->width[c] = wide > view->width[c] ? wide : view->width[c];
    }
    strbuf_fini(&cell);
}

/* The comparison is sorted now and knows its front: so are the rows, and do they. */
static void view_settle(struct compare_view *view, size_t done)
{
    for (size_t i = 0; i < done; i++) {
        const struct compared *compared = comparison_row(view->comparison, i);
        size_t at = i;

        while (at < view->count && view->rows[at].compared != compared)
            at++;
        if (at == view->count)
            add_row(view, compared);
        struct compare_row row = view->rows[at];
        view->rows[at] = view->rows[i];
        view->rows[i] = row;
        if (compared->front)
            write_facts(view, &view->rows[i]);
    }
}

/* The mark that all numbers of a column have; 0: none is marked, or not all alike. */
static char mark_of(const struct compare_view *view, enum compare_column column,
                    struct strbuf *cell)
{
    char mark = 0;

    for (size_t i = 0; i < view->count; i++) {
        if (column > COLUMN_VERDICT && view->rows[i].compared->plan.verdict == VERDICT_DOES_NOT_FIT)
            continue; /* its reason stands there */
        strbuf_clear(cell);
        compare_view_cell(&view->rows[i], column, cell);
        char first = cell->text[0];
        if (first == '-' || !first)
            continue; /* unknown */
        if ((first != '~' && first != '?') || (mark && first != mark))
            return 0;
        mark = first;
    }
    return mark;
}

/* Marks of whole columns, and how many rows are good. */
static void note_marks(struct compare_view *view)
{
    struct strbuf cell;

    strbuf_init(&cell);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        view->mark[c] = mark_of(view, (enum compare_column)c, &cell);
        if (view->mark[c] && view->width[c] <= gp_width(compare_columns[c].title))
            view->width[c] = gp_width(compare_columns[c].title) + 1;
    }
    strbuf_fini(&cell);
    view->good = 0;
    for (size_t i = 0; i < view->count; i++)
        view->good += view->rows[i].compared->plan.verdict == VERDICT_FITS;
}

void compare_view_begin(struct compare_view *view, const struct comparison *comparison)
{
    drop_rows(view);
    view->planned = false;
    view->comparison = comparison;
    view->complete = false;
    for (int c = 0; c < COLUMN_COUNT; c++)
        view->width[c] = gp_width(compare_columns[c].title);
}

void compare_view_update(struct compare_view *view)
{
    const struct comparison *c = view->comparison;
    size_t done = c ? comparison_done(c) : 0;
    bool complete = c && done == comparison_total(c);

    if (complete && !view->complete)
        view_settle(view, done);
    for (size_t i = view->count; i < done; i++)
        add_row(view, comparison_row(c, i));
    view->complete = complete;
    note_marks(view);
    view_arrange(view);
}

const struct compare_row *compare_view_row(const struct compare_view *view, size_t i)
{
    return view->shown[i] == PLAN_ROW ? &view->plan_row : &view->rows[view->shown[i]];
}

size_t compare_view_find(const struct compare_view *view, const char *key)
{
    size_t i = 0;

    while (i < view->shown_count && strcmp(compare_view_row(view, i)->key, key) != 0)
        i++;
    return i;
}

void compare_view_sort(struct compare_view *view, enum compare_column column, bool reverse)
{
    view->sort = column;
    view->reverse = reverse;
    view_arrange(view);
}

enum gp_status compare_view_filter(struct compare_view *view, const char *filter,
                                   struct gp_err *err)
{
    struct word word;
    size_t length;

    if (strlen(filter) >= COMPARE_FILTER)
        return gp_fail(err, GP_E_USAGE, "filter", "", "is longer than %d characters",
                       COMPARE_FILTER - 1);
    for (const char *at = next_word(filter, &length); length > 0;
         at = next_word(at + length, &length))
        if (read_word(at, length, &word, err))
            return GP_E_USAGE;
    gp_copy(view->filter, sizeof(view->filter), filter);
    view_arrange(view);
    return GP_OK;
}

/* May the word become "mem>=40", which it is not yet? */
static bool word_waits(const char *text, size_t length)
{
    struct word word;

    if (read_word(text, length, &word, NULL))
        return true;
    for (int i = 0; i < NUMBER_COUNT; i++)
        if (!word.is_number && strncasecmp(numbers[i].name, word.text, strlen(word.text)) == 0)
            return true;
    return false;
}

void compare_view_typed(struct compare_view *view, const char *text)
{
    size_t length, last = 0, used = 0;
    char whole[COMPARE_FILTER];

    for (const char *at = next_word(text, &length); length > 0;
         at = next_word(at + length, &length)) {
        last = (size_t)(at - text);
        used = last + length;
    }
    if (used > 0 && word_waits(text + last, used - last))
        used = last;
    while (used > 0 && text[used - 1] == ' ')
        used--;
    if (gp_format(whole, sizeof(whole), "%.*s", (int)used, text))
        compare_view_filter(view, whole, NULL);
}

void compare_view_mark(struct compare_view *view, const char *key)
{
    size_t at = find_mark(view, key);
    bool marked = at == view->mark_count;

    if (marked) {
        view->marks =
            gp_grow(view->marks, &view->mark_cap, view->mark_count + 1, sizeof(*view->marks));
        gp_copy(view->marks[view->mark_count++], COMPARE_KEY, key);
    } else {
        memmove(view->marks[at], view->marks[--view->mark_count], COMPARE_KEY);
    }
    for (size_t i = 0; i < view->count; i++)
        if (strcmp(view->rows[i].key, key) == 0)
            view->rows[i].marked = marked;
    view_arrange(view);
}

/* ---- columns ---- */

#define GPU_LEAST 12 /* columns of the GPU's id that must be seen */

int compare_view_columns(const struct compare_view *view, int cols,
                         enum compare_column out[COLUMN_COUNT], int *gpu_width)
{
    bool taken[COLUMN_COUNT] = {false};
    int used = 0, count = 0, whole = view->width[COLUMN_GPU];
    int least = whole < GPU_LEAST ? whole : GPU_LEAST;

    for (int rank = 0; rank < COLUMN_COUNT; rank++)
        for (int c = 0; c < COLUMN_COUNT; c++) {
            int wide = (c == COLUMN_GPU ? least : view->width[c]) + (used > 0 ? 2 : 0);
            int own = compare_columns[c].rank;

            own = own > 2 && c == (int)view->sort ? 2 : own;
            if (own != rank || (rank > 0 && used + wide > cols))
                continue;
            taken[c] = true;
            used += wide;
        }
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (taken[c])
            out[count++] = (enum compare_column)c;
    *gpu_width = least + (cols > used ? cols - used : 0); /* what is left is the id's */
    *gpu_width = *gpu_width > whole ? whole : *gpu_width;
    return count;
}
