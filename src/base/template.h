/*
 * template.h - a text with places that JSON fills: Mustache, as far as manifests need it.
 *
 *   image: {{image|yaml}}              the value at a path, in the syntax of another program
 *   {{#env}}- {{name}}{{/env}}         for each element, or once where there is something
 *   {{^hub}}no repository{{/hub}}      where there is nothing: absent, "", 0, false, []
 *   {{<pod}}...{{/pod}}                kept, printed nowhere; {{>pod}} prints it, indented as
 *                                      the tag is
 *   {{! nothing }}
 *
 * A name is looked up from the innermost object outwards; {{.}} is the element itself. A line
 * with nothing but one such tag (no value) leaves no line. Quotes are those of quote.h:
 *
 *   shell yaml comment tag label      likewise
 *   dollar                            "$$" for "$", as Kubernetes and Compose want it, in yaml
 *   inner                             within '...' of a shell
 *   raw                               nothing is quoted; of what is quoted already
 */
#ifndef GP_BASE_TEMPLATE_H
#define GP_BASE_TEMPLATE_H

#include "base/err.h"
#include "base/json.h"
#include "base/str.h"

/* GP_E_FILE, where:line: a tag or section does not end, a quote or block is unknown. */
enum gp_status template_render(const char *where, const char *text, const json_t *context,
                               struct strbuf *out, struct gp_err *err);
/* The same of what is between {{<block}} and its end; nothing where there is no such block. */
enum gp_status template_block(const char *where, const char *text, const char *block,
                              const json_t *context, struct strbuf *out, struct gp_err *err);

#endif
