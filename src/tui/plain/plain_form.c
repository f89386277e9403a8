/*
 * plain_form.c - plain mode's questions: one per field, a list where there is one.
 *
 * A short list is read out with its question; of a long one the count, since nobody
 * wants 124 models read to them. Words make it shorter; a single match is taken. Eight
 * are named at a time, the ninth number goes on.
 */
#include "tui/plain/plain_lines.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tui/toolkit/words.h"

#define PAGE 8  /* choices named at once */
#define SHORT 9 /* a list of so many is named with its question */

static const enum field asked[] = {FIELD_MODEL, FIELD_PRECISION, FIELD_GPU,
                                   FIELD_GPUS,  FIELD_CONTEXT,   FIELD_USERS};
#define ASKED ((int)(sizeof(asked) / sizeof(asked[0])))

struct list {
    struct choice *choices; /* (count); owned */
    int count;
    int *match; /* (matches) of the words; owned */
    int matches;
    int first; /* of those, the first named; -1 = none is */
};

/* ---- lists ---- */

static void list_open(struct plain *plain, enum field field, struct list *list)
{
    *list = (struct list){.first = -1};
    list->choices = form_choices(plain->form, field, true, &list->count);
    list->match = gp_calloc((size_t)list->count + 1, sizeof(*list->match));
    for (int i = 0; i < list->count; i++)
        list->match[list->matches++] = i;
}

static void list_close(struct list *list)
{
    free(list->choices);
    free(list->match);
}

/* How many are named now. */
static int named(const struct list *list)
{
    int left = list->matches - list->first;

    if (list->first < 0)
        return 0;
    return left > SHORT ? PAGE : left;
}

static void name_choices(const struct list *list)
{
    int count = named(list);

    for (int i = 0; i < count; i++) {
        const struct choice *c = &list->choices[list->match[list->first + i]];

        plain_say("%d. %s%s%s", i + 1, c->text, c->more[0] ? ": " : "", c->more);
    }
    if (list->first + count < list->matches)
        plain_say("%d. %d more", count + 1, list->matches - list->first - count);
}

static void list_name(struct list *list, int first)
{
    list->first = first;
    name_choices(list);
}

static int find_id(const struct list *list, const char *text)
{
    for (int i = 0; i < list->count; i++)
        if (gp_casecmp(list->choices[i].id, text) == 0)
            return i;
    return -1;
}

static void list_filter(struct list *list, const char *words)
{
    list->matches = 0;
    list->first = -1;
    for (int i = 0; i < list->count; i++)
        if (words_match(words, list->choices[i].id, list->choices[i].text))
            list->match[list->matches++] = i;
}

/* ---- one question ---- */

enum dialog_step { STEP_STAY, STEP_NEXT, STEP_BACK, STEP_QUIT };

static enum dialog_step put_value(struct plain *plain, enum field field, const char *text)
{
    struct gp_err err;

    if (form_set(plain->form, field, text, &err)) {
        plain_say_err(&err);
        return STEP_STAY;
    }
    plain_say("%s: %s.", field_rows[field].form->label, plain->form->shown[field]);
    if (!plain->form->answered)
        plain_say_err(&plain->form->err);
    return STEP_NEXT;
}

/* Words: one choice is taken, several are named, of none the form says what is wrong.
 */
static enum dialog_step take_words(struct plain *plain, enum field field, struct list *list,
                                   const char *text)
{
    int exact = find_id(list, text);

    if (exact >= 0)
        return put_value(plain, field, list->choices[exact].id);
    list_filter(list, text);
    if (list->matches == 1)
        return put_value(plain, field, list->choices[list->match[0]].id);
    if (list->matches > 1) {
        plain_say("%d match.", list->matches);
        list_name(list, 0);
        return STEP_STAY;
    }
    list_filter(list, "");
    return put_value(plain, field, text);
}

static enum dialog_step take_answer(struct plain *plain, enum field field, struct list *list,
                                    const char *text)
{
    int count = named(list), n = plain_number(text, count + 1);
    bool more = list->first >= 0 && list->first + count < list->matches;

    if (n > 0 && n <= count)
        return put_value(plain, field, list->choices[list->match[list->first + n - 1]].id);
    if ((n > count && count > 0 && more) || (gp_casecmp(text, "more") == 0 && more)) {
        list_name(list, list->first + count);
        return STEP_STAY;
    }
    if (list->count == 0)
        return put_value(plain, field, text);
    return take_words(plain, field, list, text);
}

static void explain_field(enum field field, struct list *list)
{
    const char *other = form_free_text(field);

    plain_say_lines(field_rows[field].form->explain);
    if (other && list->count > 0)
        plain_say("Besides the list: %s.", other);
    if (list->count > 0)
        list_name(list, 0);
}

static void head(enum field field, struct list *list)
{
    if (list->count == 0)
        return;
    plain_say("%s: %d to choose from%s.", field_rows[field].form->label, list->count,
              list->count > SHORT ? "; words find them, ? names them" : "");
    if (list->count <= SHORT)
        list_name(list, 0);
}

static enum dialog_step ask_once(struct plain *plain, enum field field, struct list *list)
{
    char question[200], text[PLAIN_LINE];

    gp_format(question, sizeof(question), "%s [%s]: ", field_rows[field].form->label,
              plain->form->shown[field]);
    if (!plain_ask(plain, question, text) || !text[0])
        return STEP_NEXT;
    if (strcmp(text, "?") == 0) {
        explain_field(field, list);
        return STEP_STAY;
    }
    if (gp_casecmp(text, "q") == 0 || gp_casecmp(text, "quit") == 0)
        return STEP_QUIT;
    if (strcmp(text, "<") == 0 || gp_casecmp(text, "back") == 0)
        return STEP_BACK;
    return take_answer(plain, field, list, text);
}

static enum dialog_step ask_field(struct plain *plain, enum field field)
{
    struct list list;
    enum dialog_step step = STEP_STAY;

    if (plain->ended)
        return STEP_NEXT;
    list_open(plain, field, &list);
    head(field, &list);
    while (step == STEP_STAY)
        step = ask_once(plain, field, &list);
    list_close(&list);
    return step;
}

void plain_form(struct plain *plain)
{
    for (int i = 0; i < ASKED;) {
        enum dialog_step step = ask_field(plain, asked[i]);

        if (step == STEP_QUIT) {
            plain->quit = true;
            return;
        }
        i += step == STEP_BACK ? -(i > 0) : 1;
    }
}
