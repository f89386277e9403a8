/*
 * xml.h - text as XML and HTML take it, in elements and in quoted attributes.
 *
 * Markup becomes entities; what is no character of XML, or no UTF-8, becomes '?'.
 */
#ifndef GP_BASE_XML_H
#define GP_BASE_XML_H

#include "base/str.h"

void xml_text(struct strbuf *out, const char *text);

#endif
