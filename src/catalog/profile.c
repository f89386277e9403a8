/*
 * profile.c - profile files: opening, finding settings, errors, unknown keys.
 *
 * Every getter (profile_get.c) goes through profile_find(): it records the name,
 * marks the setting as known through libconfig's hook, and returns NULL once an error
 * has occurred. Unknown keys are compared with the recorded names.
 */
#include "catalog/profile.h"

#include <libconfig.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/profile_impl.h"
#include "catalog/profile_scan.h"
#include "util/mem.h"
#include "util/path.h"
#include "util/str.h"
#include "util/suggest.h"

static char known_mark; /* only its address is used */

/* ---- opening -------------------------------------------------------------------- */

static enum gp_status refuse_text(const struct profile *profile, struct gp_err *err)
{
    char where[192];
    const char *text = config_error_text(&profile->config);

    gp_format(where, sizeof where, "%s:%d", profile->name,
              config_error_line(&profile->config));
    return gp_fail(err, GP_E_FILE, where, "see gpuplan-profile(5)", "%s",
                   text != NULL ? text : "cannot be read");
}

enum gp_status profile_parse(const char *name, const char *text, size_t len,
                             struct profile **out, struct gp_err *err)
{
    struct profile *profile;
    enum gp_status status;
    char *copy;

    *out = NULL;
    if (len > PROFILE_MAX_BYTES)
        return gp_fail(err, GP_E_FILE, name, "", "is %zu bytes, more than %d", len,
                       PROFILE_MAX_BYTES);
    status = profile_scan(name, text, len, err);
    if (status != GP_OK)
        return status;
    profile = gp_calloc(1, sizeof *profile);
    profile->name = gp_strdup(name);
    config_init(&profile->config);
    copy = gp_malloc(len + 1);
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (config_read_string(&profile->config, copy) != CONFIG_TRUE) {
        status = refuse_text(profile, err);
        profile_free(profile);
    } else {
        *out = profile;
    }
    free(copy);
    return status;
}

enum gp_status profile_open(const char *path, struct profile **out, struct gp_err *err)
{
    char *text;
    size_t len;
    enum gp_status status = path_read(path, PROFILE_MAX_BYTES, &text, &len, err);

    *out = NULL;
    if (status != GP_OK)
        return status;
    status = profile_parse(path, text, len, out, err);
    free(text);
    return status;
}

void profile_free(struct profile *profile)
{
    if (profile == NULL)
        return;
    config_destroy(&profile->config);
    free(profile->asked);
    free(profile->name);
    free(profile);
}

struct profile_group profile_top(struct profile *profile)
{
    return (struct profile_group){profile, config_root_setting(&profile->config)};
}

const char *profile_name(const struct profile *profile)
{
    return profile->name;
}

/* ---- errors --------------------------------------------------------------------- */

/* "slices[2].memory_gb" for a key of a group, or for the group itself (key NULL). */
static void field_name(char *dst, size_t size, const config_setting_t *group,
                       const char *key)
{
    const config_setting_t *up[PROFILE_MAX_DEPTH + 2];
    struct strbuf buf;
    int n = 0;

    strbuf_init(&buf);
    for (; group != NULL && group->parent != NULL && n < PROFILE_MAX_DEPTH + 2;
         group = group->parent)
        up[n++] = group;
    while (n-- > 0) {
        if (up[n]->name == NULL)
            strbuf_addf(&buf, "[%d]", config_setting_index(up[n]));
        else
            strbuf_addf(&buf, "%s%s", buf.len > 0 ? "." : "", up[n]->name);
    }
    if (key != NULL)
        strbuf_addf(&buf, "%s%s", buf.len > 0 ? "." : "", key);
    gp_copy(dst, size, buf.text);
    strbuf_fini(&buf);
}

static void vfail_at(struct profile_group group, const config_setting_t *at,
                     const char *key, const char *hint, const char *fmt, va_list args)
{
    char where[192], field[96], text[320];

    if (group.profile == NULL || group.profile->failed)
        return;
    vsnprintf(text, sizeof text, fmt, args);
    field_name(field, sizeof field, group.setting, key);
    if (at == NULL || config_setting_source_line(at) == 0)
        gp_format(where, sizeof where, "%s%s%s", group.profile->name,
                  field[0] != '\0' ? ": " : "", field);
    else
        gp_format(where, sizeof where, "%s:%u%s%s", group.profile->name,
                  config_setting_source_line(at), field[0] != '\0' ? ": " : "", field);
    gp_fail(&group.profile->err, GP_E_FILE, where, hint, "%s", text);
    group.profile->failed = true;
}

void profile_fail_at(struct profile_group group, const config_setting_t *at,
                     const char *key, const char *hint, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vfail_at(group, at, key, hint, fmt, args);
    va_end(args);
}

void profile_fail(struct profile_group group, const char *key, const char *hint,
                  const char *fmt, ...)
{
    const config_setting_t *at = NULL;
    va_list args;

    if (group.setting != NULL && key != NULL && config_setting_is_group(group.setting))
        at = config_setting_get_member(group.setting, key);
    va_start(args, fmt);
    vfail_at(group, at != NULL ? at : group.setting, key, hint, fmt, args);
    va_end(args);
}

bool profile_failed(const struct profile *profile)
{
    return profile->failed;
}

/* ---- unknown keys --------------------------------------------------------------- */

static void warn_unknown(struct profile *profile, const config_setting_t *at,
                         profile_warn_fn warn, void *ctx)
{
    const char *names[128];
    char field[96], line[512];
    const char *near;
    size_t count = 0;

    for (size_t i = 0; i < profile->asked_count && count < 128; i++)
        if (profile->asked[i].group == at->parent)
            names[count++] = profile->asked[i].key;
    near = suggest_name(at->name, names, count);
    field_name(field, sizeof field, at, NULL);
    gp_format(line, sizeof line, "%s:%u: %s: unknown key%s%s%s", profile->name,
              config_setting_source_line(at), field,
              near != NULL ? ", did you mean " : "", near != NULL ? near : "",
              near != NULL ? "?" : "");
    warn(ctx, line);
}

/* Depth is at most PROFILE_MAX_DEPTH: the scan saw to that. */
static void warn_group(struct profile *profile, const config_setting_t *group,
                       profile_warn_fn warn, void *ctx)
{
    int count = config_setting_length(group);

    for (int i = 0; i < count; i++) {
        const config_setting_t *at = config_setting_get_elem(group, (unsigned)i);

        if (at->name != NULL && at->hook == NULL)
            warn_unknown(profile, at, warn, ctx);
        else if (config_setting_is_group(at) || config_setting_is_list(at))
            warn_group(profile, at, warn, ctx);
    }
}

enum gp_status profile_finish(struct profile *profile, profile_warn_fn warn, void *ctx,
                              struct gp_err *err)
{
    if (profile->failed) {
        if (err != NULL)
            *err = profile->err;
        return profile->err.code;
    }
    if (warn != NULL)
        warn_group(profile, config_root_setting(&profile->config), warn, ctx);
    return GP_OK;
}

/* ---- finding -------------------------------------------------------------------- */

config_setting_t *profile_find(struct profile_group group, const char *key)
{
    struct profile *profile = group.profile;
    config_setting_t *at;

    if (profile == NULL || group.setting == NULL || profile->failed)
        return NULL;
    profile->asked = gp_grow(profile->asked, &profile->asked_cap,
                             profile->asked_count + 1, sizeof *profile->asked);
    profile->asked[profile->asked_count++] = (struct asked){group.setting, key};
    at = config_setting_get_member(group.setting, key);
    if (at != NULL)
        at->hook = &known_mark;
    return at;
}

bool profile_has(struct profile_group group, const char *key)
{
    return profile_find(group, key) != NULL;
}

void profile_require(struct profile_group group, const char *key)
{
    if (group.profile == NULL || group.setting == NULL)
        return;
    if (profile_find(group, key) == NULL)
        profile_fail_at(group, group.setting, key, "", "is missing");
}

bool profile_here(struct profile_group group)
{
    return group.setting != NULL;
}
