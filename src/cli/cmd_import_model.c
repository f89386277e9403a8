/*
 * cmd_import_model.c - gpuplan --import-model PATH|ORG/NAME [DATE]: a model profile from
 * a folder, a config.json, a GGUF file or a model in the hub's local cache.
 *
 * The source says where it was read and what it was: the revision of a snapshot, else
 * the SHA-256 of its config.json or of the file's name alone for GGUF. Without DATE the
 * profile carries the day on which it is made.
 */
#include "base/clock.h"
#include "base/path.h"
#include "catalog/files.h"
#include "cli/command.h"
#include "model/read/checkpoint.h"
#include "model/read/hub_cache.h"
#include "plan/cost.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CONFIG_LIMIT (16u << 20)

/* ---- SHA-256 of FIPS 180-4, one block at a time ---- */

static const uint32_t sha256_rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn_right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void sha256_block(uint32_t state[8], const uint8_t block[64])
{
    uint32_t w[64], s[8];

    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] +
               (turn_right(w[i - 15], 7) ^ turn_right(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (turn_right(w[i - 2], 17) ^ turn_right(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t a = s[7] + (turn_right(s[4], 6) ^ turn_right(s[4], 11) ^ turn_right(s[4], 25)) +
                     choice + sha256_rounds[i] + w[i];
        uint32_t b = (turn_right(s[0], 2) ^ turn_right(s[0], 13) ^ turn_right(s[0], 22)) + most;

        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += a;
        s[0] = a + b;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

static void sha256_hex(const void *data, size_t len, char hex[65])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint8_t *at = data;
    uint8_t tail[128] = {0};
    size_t rest = len % 64, padded = rest < 56 ? 64 : 128;

    for (size_t i = 0; i + 64 <= len; i += 64)
        sha256_block(state, at + i);
    if (rest > 0)
        memcpy(tail, at + len - rest, rest);
    tail[rest] = 0x80;
    for (int i = 0; i < 8; i++)
        tail[padded - 1 - (size_t)i] = (uint8_t)((uint64_t)len * 8 >> 8 * i);
    for (size_t i = 0; i < padded; i += 64)
        sha256_block(state, tail + i);
    for (int i = 0; i < 8; i++)
        snprintf(hex + 8 * i, 9, "%08x", state[i]);
}

/* ---- the profile ---- */

/* ", sha256 ba78..." of the config.json that was read; "" when there is none. */
static enum gp_status add_hash(const char *path, char *text, size_t size, struct gp_err *err)
{
    char config[GP_PATH_MAX], hex[65], *bytes = NULL;
    enum gp_status rc;
    size_t len;

    text[0] = '\0';
    if (path_is_dir(path) ? !path_join(config, sizeof config, path, "config.json")
                          : !gp_copy(config, sizeof config, path))
        return GP_OK;
    len = strlen(config);
    if (len <= 5 || strcmp(config + len - 5, ".json") != 0 || !path_is_there(config))
        return GP_OK;
    rc = path_read(config, CONFIG_LIMIT, &bytes, &len, err);
    if (!rc) {
        sha256_hex(bytes, len, hex);
        gp_format(text, size, ", sha256 %s", hex);
    }
    free(bytes);
    return rc;
}

static enum gp_status import_run(struct invocation *in, struct gp_err *err)
{
    struct hub_model hub = {.name = ""};
    struct model model;
    time_t now = (time_t)planner_today(in->planner) * 86400;
    struct tm day;
    const char *path = in->args[0], *date = in->arg_count == 2 ? in->args[1] : NULL;
    char hash[96], id[MODEL_ID_MAX];
    enum gp_status rc;

    if (date && date_days(date) < 0)
        return gp_fail(err, GP_E_USAGE, date, "a date looks like 2026-11-21", "is not a date");
    if (in->format != OUTPUT_TEXT)
        return gp_fail(err, GP_E_USAGE, "--format", "leave it out", "a profile has one format");
    if (!path_is_there(path) && hub_cache_find(path, &hub))
        path = hub.path;
    rc = checkpoint_read(path, &model, err);
    if (!rc)
        rc = add_hash(path, hash, sizeof hash, err);
    if (rc)
        return rc;
    if (hub.name[0])
        gp_format(model.source, sizeof model.source,
                  "%s of the hub's cache, revision "
                  "%s%s",
                  hub.name, hub.revision, hash);
    else
        gp_format(model.source, sizeof model.source, "%.160s%s", path, hash);
    if (date)
        gp_copy(model.date, sizeof model.date, date);
    else if (!gmtime_r(&now, &day) || !strftime(model.date, sizeof(model.date), "%Y-%m-%d", &day))
        model.date[0] = '\0';
    gp_copy(id, sizeof(id), path_name(model.name));
    for (char *c = id; *c; c++) /* an id may be a file's name */
        *c = strchr("abcdefghijklmnopqrstuvwxyz0123456789.-", gp_lower(*c)) ? gp_lower(*c) : '-';
    strbuf_addf(&in->out,
                "# %.0f parameters.\n"
                "# Put this file at $XDG_DATA_HOME/gpuplan/profiles/models/%s.cfg\n"
                "# (XDG_DATA_HOME is ~/.local/share unless set), then: --model %s\n\n",
                model_params(&model), id, id);
    model_file_write(&model, &in->out);
    return GP_OK;
}

const struct command cmd_import_model = {
    .name = "import-model",
    .usage = "PATH|ORG/NAME [DATE]",
    .brief = "a model profile from a folder, config.json, GGUF file or the hub's cache",
    .bit = FOR_IMPORT_MODEL,
    .least = 1,
    .most = 2,
    .takes = "a model's folder, its config.json, a GGUF file, or the name of a model in the hub's "
             "local cache",
    .example = "PATH|ORG/NAME [DATE]",
    .run = import_run,
};
