/*
 * fuzz_prices.c - any bytes as a SkyPilot catalogue; what is accepted must be a profile
 * that parses.
 */
#include <stdint.h>
#include <stdlib.h>

#include "catalog/price_import.h"
#include "catalog/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct price_import_summary summary;
    struct profile *profile;
    struct strbuf cfg;
    struct gp_err err;

    strbuf_init(&cfg);
    if (price_import_text("fuzz.csv", (const char *)data, size, NULL, "2026-11-21", &cfg, &summary,
                          &err) == GP_OK) {
        if (profile_parse("fuzz.cfg", cfg.text, cfg.len, &profile, &err) == GP_OK)
            profile_free(profile);
        else if (cfg.len <= PROFILE_MAX_BYTES)
            abort(); /* what we write, we read */
    }
    strbuf_fini(&cfg);
    return 0;
}
