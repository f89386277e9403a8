/*
 * plan_why.c - which terms of an answer a field goes into.
 */
#include "tui/plan/plan_answer.h"

#include <string.h>

#include "answer/print_why.h"

/* Those of the answer's first rows. */
static const char *const terms_of_answer[3] = {"GPUs", "free", "rent"};

static bool goes_into(enum field field, const struct term *term)
{
    const char *const *names =
        field < FIELD_COUNT ? field_rows[field].form->terms : terms_of_answer;

    for (int i = 0; i < 3 && names[i]; i++)
        if (strncmp(term->name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

void plan_why_text(const struct form *form, enum field first, struct strbuf *out)
{
    for (int pass = 0; pass < 2; pass++) {
        strbuf_add(out, pass == 0 ? "" : "\nall the others\n");
        for (int i = 0; i < form->why_count; i++)
            if (goes_into(first, &form->why[i]) == (pass == 0))
                print_why_term(&form->why[i], out);
    }
}
