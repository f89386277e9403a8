/*
 * price_import.h - a SkyPilot catalogue (catalogs/v8/<cloud>/vms.csv) as a price file.
 *
 * The CSV is untrusted: RFC 4180, read by header name because order and presence of
 * the columns differ per cloud, sizes capped, and GpuInfo (a Python literal, JSON, null
 * or a name) searched for words but never evaluated. What comes out is the text of a
 * profiles/prices/<cloud>.cfg that price_file.c reads back.
 *
 * One row is kept per instance type: that of the cheapest region. "A100" means 40 GB;
 * "H100" hides SXM, PCIe and NVL: unless the type or GpuInfo says which, SXM is assumed
 * and the row marked so.
 */
#ifndef GP_CATALOG_PRICE_IMPORT_H
#define GP_CATALOG_PRICE_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

#define PRICE_IMPORT_MAX_BYTES (32 * 1024 * 1024)

struct price_import_summary {
    char provider[32];
    char date[12];           /* of the prices; "" = unknown */
    bool date_of_file;       /* the day the file was last written: nobody gave a better one */
    size_t rows;             /* data rows of the file */
    size_t kept;             /* instance types written */
    size_t merged;           /* further regions and zones of a type that was kept */
    size_t no_gpu;           /* rows without an accelerator */
    size_t no_price;         /* rows with neither price */
    size_t unknown;          /* rows of accelerators that the catalogue does not have */
    size_t assumed;          /* types whose form factor is a guess */
    char unknown_names[160]; /* of those, the first few */
};

/* provider: NULL takes the name of the file's folder ("aws/vms.csv") or of the file.
 * date: when the catalogue was fetched, "2026-11-21"; "" takes the file's own. */
enum gp_status price_import(const char *path, const char *provider, const char *date,
                            struct strbuf *out_cfg, struct price_import_summary *summary,
                            struct gp_err *err);

/* The same from memory, where "" is no date; `name` stands for the file in messages. */
enum gp_status price_import_text(const char *name, const char *text, size_t len,
                                 const char *provider, const char *date, struct strbuf *out_cfg,
                                 struct price_import_summary *summary, struct gp_err *err);

#endif
