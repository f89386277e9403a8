/*
 * recent_models.c - see recent_models.h.
 */
#include "tui/recent_models.h"

#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "base/str.h"
#include "model/read/hub_cache.h"
#include "tui/settings.h"

#define FILE_MOST 16384 /* bytes; ours has at most 8 lines of 240 */

static bool recent_has(const struct recent_models *r, const char *id)
{
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->id[i], id) == 0)
            return true;
    return false;
}

static void recent_add(struct recent_models *r, const char *id)
{
    bool plain = id[0] && strlen(id) < RECENT_MODEL_MAX && gp_is_utf8(id);

    for (const char *p = id; *p; p++)
        plain = plain && (unsigned char)*p >= ' ' && *p != 0x7f;
    if (plain && r->count < RECENT_MODELS && !recent_has(r, id))
        gp_copy(r->id[r->count++], RECENT_MODEL_MAX, id);
}

void recent_models_read(struct recent_models *r)
{
    char path[GP_PATH_MAX], *text = NULL;
    size_t len;

    r->count = 0;
    if (!path_state_home(path, sizeof(path), "recent-models") || !path_is_file(path) ||
        path_read(path, FILE_MOST, &text, &len, NULL))
        return;
    for (char *at = text, *line; (line = strsep(&at, "\n"));)
        recent_add(r, line);
    free(text);
}

bool recent_models_is_there(const struct form *form, const char *id)
{
    const struct model *model;
    struct hub_model hub;

    return (id[0] >= '0' && id[0] <= '9') || path_is_there(id) || hub_cache_find(id, &hub) ||
           catalog_model(planner_catalog(form->planner), id, &model, NULL) == GP_OK;
}

int recent_models_had(const struct form *form, const char *ids[FORM_UNDO], int *now)
{
    int n = 0;

    for (int at = form->undo_last; at >= form->undo_first; at--) {
        if (at == form->undo_at) {
            *now = n;
            ids[n++] = form->values.value[FIELD_MODEL];
        }
        for (int i = 0; at > form->undo_first && i < form->undo[at % FORM_UNDO].count; i++)
            if (form->undo[at % FORM_UNDO].change[i].field == FIELD_MODEL)
                ids[n++] = form->undo[at % FORM_UNDO].change[i].text;
    }
    return n;
}

void recent_models_keep(const struct form *form)
{
    struct recent_models before, now = {0};
    const char *ids[FORM_UNDO];
    char path[GP_PATH_MAX], *whole;
    struct strbuf out;
    int at, n = recent_models_had(form, ids, &at);

    for (; at < n - 1; at++) { /* what it was given, not what it began with */
        if (!ids[at][0] || strcmp(ids[at], ids[n - 1]) == 0 ||
            !recent_models_is_there(form, ids[at]))
            continue;
        whole = path_is_there(ids[at]) ? realpath(ids[at], NULL) : NULL;
        recent_add(&now, whole ? whole : ids[at]);
        free(whole);
    }
    if (now.count == 0 || !path_state_home(path, sizeof(path), "recent-models"))
        return;
    recent_models_read(&before);
    for (int i = 0; i < before.count; i++)
        recent_add(&now, before.id[i]);
    strbuf_init(&out);
    for (int i = 0; i < now.count; i++)
        strbuf_addf(&out, "%s\n", now.id[i]);
    if (settings_make_folders(path, NULL) == GP_OK)
        path_write(path, out.text, out.len, NULL); /* a list that cannot be kept is no loss */
    strbuf_fini(&out);
}
