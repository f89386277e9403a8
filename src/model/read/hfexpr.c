/*
 * hfexpr.c - a sum that a row of a table states as text.
 *
 *   test    = sum [ ("<" | "=") sum ]          1 or 0
 *   sum     = product { ("+" | "-") product }
 *   product = factor { ("*" | "/") factor }    / is whole: 7/2 = 3, and x/0 = 0
 *   factor  = number | name | "(" test ")"
 *
 * The texts are this program's own; only the values of their names come from a file.
 *
 * Example: "n*(4*d*d + 9*d) + p*p*3*d" with n=27, d=1152, p=14 is 143,987,328.
 */
#include "model/read/hfconfig.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cursor {
    const char *at;
    hf_value_fn *value;
    const void *object;
};

static double read_test(struct cursor *c);

static char next_sign(struct cursor *c, const char *signs)
{
    c->at += strspn(c->at, " ");
    return *c->at != '\0' && strchr(signs, *c->at) != NULL ? *c->at++ : '\0';
}

static double read_factor(struct cursor *c)
{
    char name[64], *end;
    size_t n = 0;
    double value;

    if (next_sign(c, "(")) {
        value = read_test(c);
        next_sign(c, ")");
        return value;
    }
    if (isdigit((unsigned char)*c->at)) {
        value = strtod(c->at, &end);
        c->at = end;
        return value;
    }
    while (n < sizeof name - 1 && (isalnum((unsigned char)*c->at) || *c->at == '_' ||
                                   *c->at == '^' || (*c->at == '-' && memchr(name, '^', n))))
        name[n++] = *c->at++;
    name[n] = '\0';
    return c->value(c->object, name);
}

static double read_product(struct cursor *c)
{
    double value = read_factor(c);
    char sign;

    while ((sign = next_sign(c, "*/")) != '\0') {
        double right = read_factor(c);

        if (sign == '*')
            value *= right;
        else
            value = right > 0 ? floor(value / right) : 0;
    }
    return value;
}

static double read_sum(struct cursor *c)
{
    double value = read_product(c);
    char sign;

    while ((sign = next_sign(c, "+-")) != '\0')
        value += (sign == '+' ? 1 : -1) * read_product(c);
    return value;
}

static double read_test(struct cursor *c)
{
    double value = read_sum(c);
    char sign = next_sign(c, "<=");

    if (sign == '<')
        return value < read_sum(c);
    return sign == '=' ? value == read_sum(c) : value;
}

double hfexpr(const char *text, hf_value_fn *value, const void *object)
{
    struct cursor c = {text, value, object};

    return text == NULL ? 0 : read_test(&c);
}
