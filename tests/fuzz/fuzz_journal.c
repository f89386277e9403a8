/*
 * fuzz_journal.c - any bytes as a journal; what is accepted must be whole: cut at
 * `good`, the text must read the same again, with nothing torn.
 */
#include <stdint.h>
#include <stdlib.h>

#include "measure/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct journal_read first, again;
    struct gp_err err;

    if (journal_parse("run.part", text, size, NULL, &first, &err) == GP_OK) {
        if (first.good > size || !first.records)
            abort();
        if (journal_parse("run.part", text, first.good, NULL, &again, &err) != GP_OK ||
            again.torn || again.good != first.good || again.skipped != first.skipped ||
            json_array_size(again.records) != json_array_size(first.records))
            abort();
        for (size_t i = 0; i < json_array_size(first.records); i++) {
            const json_t *record = json_array_get(first.records, i);

            if (!json_is_integer(json_object_get(record, "device")) ||
                !json_is_string(json_object_get(record, "id")))
                abort();
        }
        journal_read_fini(&again);
    }
    journal_read_fini(&first);
    return 0;
}
