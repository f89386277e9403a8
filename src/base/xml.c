/*
 * xml.c - see xml.h.
 */
#include "base/xml.h"

void xml_text(struct strbuf *out, const char *text)
{
    static const struct {
        char c;
        const char *entity;
    } entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    bool utf8 = gp_is_utf8(text);

    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        const char *entity = NULL;

        for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++)
            if (*c == (unsigned char)entities[i].c)
                entity = entities[i].entity;
        if (entity)
            strbuf_add(out, entity);
        else if (*c < 0x20 || *c == 0x7f || (*c >= 0x80 && !utf8))
            strbuf_add(out, "?");
        else
            strbuf_addn(out, (const char *)c, 1);
    }
}
