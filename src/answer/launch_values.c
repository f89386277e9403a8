/*
 * launch_values.c - the values of launch.h, which writers and readers both set.
 */
#include "answer/launch.h"

#include "base/str.h"

void launch_set_number(struct launch_values *v, enum launch_setting setting, double number)
{
    v->given[setting] = true;
    v->number[setting] = number;
}

void launch_set_text(struct launch_values *v, enum launch_setting setting, const char *text)
{
    v->given[setting] = true;
    gp_copy(v->text[setting], LAUNCH_TEXT_MAX, text);
}
