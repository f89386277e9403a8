/*
 * shipped.h - the shipped profiles, open for a whole group of tests:
 *
 *   return cmocka_run_group_tests(tests, catalog_setup, catalog_teardown);
 */
#ifndef GP_TESTS_SHIPPED_H
#define GP_TESTS_SHIPPED_H

#include "profiles.h"

static struct catalog *catalog;

static inline int catalog_setup(void **state)
{
    (void)state;
    catalog = open_profiles();
    return 0;
}

static inline int catalog_teardown(void **state)
{
    (void)state;
    catalog_free(catalog);
    return 0;
}

#endif
