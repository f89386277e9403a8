/*
 * profile_impl.h - shared by profile.c and profile_get.c alone.
 */
#ifndef GP_CATALOG_PROFILE_IMPL_H
#define GP_CATALOG_PROFILE_IMPL_H

#include <libconfig.h>
#include <stdbool.h>
#include <stddef.h>

#include "catalog/profile.h"

struct asked {
    const config_setting_t *group;
    const char *key; /* the getters' callers pass literals */
};

struct profile {
    char *name;
    config_t config;
    bool failed;
    struct gp_err err;
    struct asked *asked;
    size_t asked_count, asked_cap;
};

/* The setting, made known; NULL when it is absent or an error has stuck. */
config_setting_t *profile_find(struct profile_group group, const char *key);

/* Lets the first error stick, with the line of `at`. */
void profile_fail_at(struct profile_group group, const config_setting_t *at,
                     const char *key, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

#endif
