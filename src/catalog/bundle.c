/*
 * bundle.c - see bundle.h.
 */
#include "catalog/bundle.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/path.h"
#include "base/sha256.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/profile.h"

#define MANIFEST "MANIFEST"
#define STAMP_FILE "profiles/data.cfg"
#define HASH_LEN 64
#define OPEN_FOLDERS 16

/* ---- the date ---------------------------------------------------------------------- */

static const struct profile_field stamp_fields[] = {
    {"format", PROFILE_COUNT, PROFILE_AT(struct data_stamp, format), 1, 1000, .required = true},
    {"date", PROFILE_DATE, PROFILE_AT(struct data_stamp, date), .required = true},
};

static void read_stamp(struct profile_group top, void *target)
{
    struct data_stamp *stamp = target;

    PROFILE_FIELDS(top, stamp_fields, stamp);
    if (profile_failed(top.profile))
        return;
    if (strlen(stamp->date) != strlen("2026-11-27"))
        profile_fail(top, "date", "a day, such as 2026-11-27", "is not a day");
    else if (stamp->format > DATA_FORMAT)
        profile_fail(top, "format", "update gpuplan", "data of format %d need a newer gpuplan",
                     stamp->format);
}

enum gp_status data_stamp_read(const char *dir, struct data_stamp *stamp, struct gp_err *err)
{
    char path[GP_PATH_MAX];

    *stamp = (struct data_stamp){0};
    if (!path_join(path, sizeof path, dir, "data.cfg") || !path_is_there(path))
        return GP_OK;
    return profile_read(path, read_stamp, stamp, NULL, NULL, err);
}

/* ---- is it whole? ------------------------------------------------------------------ */

/* The next line of the manifest must be this file's: "HASH  profiles/gpus/l4.cfg". */
static enum gp_status check_file(const struct archive_file *file, const char **line,
                                 const char *end, struct gp_err *err)
{
    char wanted[HASH_LEN + 2 + ARCHIVE_NAME_MAX + 1], hex[HASH_LEN + 1];
    size_t len;

    sha256_hex(file->bytes, file->len, hex);
    gp_format(wanted, sizeof wanted, "%s  %s\n", hex, file->name);
    len = strlen(wanted);
    if ((size_t)(end - *line) < len ||
        memcmp(*line + HASH_LEN, wanted + HASH_LEN, len - HASH_LEN) != 0)
        return gp_fail(err, GP_E_FILE, file->name, "copy the bundle again",
                       "is not the next file of the manifest");
    if (memcmp(*line, wanted, HASH_LEN) != 0)
        return gp_fail(err, GP_E_FILE, file->name, "copy the bundle again",
                       "is not what the manifest says: its SHA-256 is %.16s...", hex);
    *line += len;
    return GP_OK;
}

static bool name_belongs(const char *name)
{
    return strncmp(name, "profiles/", strlen("profiles/")) == 0 ||
           strcmp(name, "profiles.compiled") == 0;
}

static enum gp_status check_stamp(const struct archive_file *file, struct data_stamp *stamp,
                                  struct gp_err *err)
{
    struct profile *profile;
    enum gp_status rc = profile_parse(file->name, file->bytes, file->len, &profile, err);

    if (rc != GP_OK)
        return rc;
    read_stamp(profile_top(profile), stamp);
    rc = profile_finish(profile, NULL, NULL, err);
    profile_free(profile);
    return rc;
}

enum gp_status bundle_check(const char *bytes, size_t len, struct data_stamp *stamp,
                            struct gp_err *err)
{
    char last[ARCHIVE_NAME_MAX] = "";
    struct archive_file file;
    const char *line, *end;
    size_t at = 0;
    enum gp_status rc = archive_next(bytes, len, &at, &file, err);

    *stamp = (struct data_stamp){0};
    if (rc == GP_OK && strcmp(file.name, MANIFEST) != 0)
        rc = gp_fail(err, GP_E_FILE, file.name, "make data writes such a file",
                     "a bundle of data begins with its MANIFEST");
    if (rc != GP_OK)
        return rc;
    line = file.bytes;
    end = line + file.len;
    while ((rc = archive_next(bytes, len, &at, &file, err)) == GP_OK && file.name[0] != '\0') {
        if (!name_belongs(file.name) || strcmp(file.name, last) <= 0)
            return gp_fail(err, GP_E_FILE, file.name, "", "does not belong there");
        gp_copy(last, sizeof last, file.name);
        rc = check_file(&file, &line, end, err);
        if (rc == GP_OK && strcmp(file.name, STAMP_FILE) == 0)
            rc = check_stamp(&file, stamp, err);
        if (rc != GP_OK)
            return rc;
    }
    if (rc == GP_OK && line != end)
        return gp_fail(err, GP_E_FILE, MANIFEST, "copy the bundle again",
                       "names files that are not there");
    if (rc == GP_OK && stamp->date[0] == '\0')
        return gp_fail(err, GP_E_FILE, STAMP_FILE, "", "is missing");
    return rc;
}

/* ---- installing -------------------------------------------------------------------- */

static enum gp_status write_failed(const char *path, struct gp_err *err)
{
    return gp_fail(err, GP_E_FILE, path, errno == EACCES ? "as root, or without --system" : "",
                   "cannot be written: %s", strerror(errno));
}

/* The folders of a path before its last part, those that are not there. */
static enum gp_status make_folders(const char *path, struct gp_err *err)
{
    char folder[GP_PATH_MAX];

    gp_copy(folder, sizeof folder, path);
    for (char *slash = folder + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (mkdir(folder, 0755) != 0 && errno != EEXIST)
            return write_failed(folder, err);
        *slash = '/';
    }
    return GP_OK;
}

static enum gp_status write_file(const char *dir, const struct archive_file *file,
                                 struct gp_err *err)
{
    char path[GP_PATH_MAX];
    enum gp_status rc = path_join(path, sizeof path, dir, file->name)
                            ? make_folders(path, err)
                            : gp_fail(err, GP_E_FILE, dir, "", "the name is too long");
    size_t done = 0;
    int fd;

    if (rc != GP_OK)
        return rc;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
    while (fd >= 0 && done < file->len) {
        ssize_t n = write(fd, file->bytes + done, file->len - done);

        if (n < 0 && errno != EINTR)
            break;
        done += n > 0 ? (size_t)n : 0;
    }
    if (fd < 0 || done < file->len || fsync(fd) != 0)
        rc = write_failed(path, err);
    if (fd >= 0)
        close(fd);
    return rc;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static void remove_folder(const char *path)
{
    nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

/* Unpacked, and every profile read as a plan would read it. */
static enum gp_status unpack_bundle(const char *bytes, size_t len, const char *dir,
                                    struct gp_err *err)
{
    char profiles[GP_PATH_MAX];
    const char *const dirs[] = {profiles};
    struct archive_file file;
    struct catalog *catalog;
    size_t at = 0;
    enum gp_status rc;

    while ((rc = archive_next(bytes, len, &at, &file, err)) == GP_OK && file.name[0] != '\0' &&
           (rc = write_file(dir, &file, err)) == GP_OK)
        continue;
    if (rc != GP_OK)
        return rc;
    if (!path_join(profiles, sizeof profiles, dir, "profiles"))
        return gp_fail(err, GP_E_FILE, dir, "", "the name is too long");
    catalog = catalog_new_path(dirs, 1);
    rc = catalog_check(catalog, err);
    catalog_free(catalog);
    return rc;
}

/* FOLDER/current leads to NAME from now on. */
static enum gp_status point_to(const char *folder, const char *name, struct gp_err *err)
{
    char link[GP_PATH_MAX], current[GP_PATH_MAX];

    if (!gp_format(link, sizeof link, "%s/.link-%ld", folder, (long)getpid()) ||
        !path_join(current, sizeof current, folder, DATA_CURRENT))
        return gp_fail(err, GP_E_FILE, folder, "", "the name is too long");
    unlink(link);
    if (symlink(name, link) == 0 && rename(link, current) == 0)
        return GP_OK;
    enum gp_status rc = write_failed(current, err);
    unlink(link);
    return rc;
}

/* All days but the new one and the one before it. */
static void remove_older(const char *folder, const char *now, const char *before)
{
    char **names, path[GP_PATH_MAX];
    size_t count;

    if (path_list(folder, "", &names, &count, NULL) != GP_OK)
        return;
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], now) != 0 && strcmp(names[i], before) != 0 &&
            strspn(names[i], "0123456789-") == strlen(names[i]) &&
            path_join(path, sizeof path, folder, names[i]))
            remove_folder(path);
    path_list_free(names, count);
}

enum gp_status bundle_install(const char *bytes, size_t len, const char *folder, struct gp_err *err)
{
    char dir[GP_PATH_MAX], to[GP_PATH_MAX], current[GP_PATH_MAX], before[64] = "";
    struct data_stamp stamp;
    enum gp_status rc = bundle_check(bytes, len, &stamp, err);
    ssize_t n;

    if (rc == GP_OK && (!gp_format(dir, sizeof dir, "%s/.new-%ld", folder, (long)getpid()) ||
                        !path_join(to, sizeof to, folder, stamp.date) ||
                        !path_join(current, sizeof current, folder, DATA_CURRENT)))
        rc = gp_fail(err, GP_E_FILE, folder, "", "the name is too long");
    if (rc != GP_OK)
        return rc;
    remove_folder(dir);
    rc = unpack_bundle(bytes, len, dir, err);
    n = readlink(current, before, sizeof before - 1);
    before[n > 0 ? n : 0] = '\0';
    if (rc == GP_OK && strcmp(before, stamp.date) != 0)
        remove_folder(to); /* left by one that was interrupted */
    if (rc == GP_OK && rename(dir, to) != 0)
        rc = write_failed(to, err);
    if (rc == GP_OK)
        rc = point_to(folder, stamp.date, err);
    if (rc == GP_OK)
        remove_older(folder, stamp.date, before);
    remove_folder(dir);
    return rc;
}
