/*
 * form_file.c - a saved plan: one line of --batch.
 *
 * gpuplan --batch FILE prints the answer that the screen shows. The file is written
 * whole or not at all. Reading it is reading a request from a stranger: a key that is
 * no field, a value that cannot be and a second request are refused, and then the form
 * is as it was.
 */
#include "tui/form_parts.h"

#include <stdlib.h>
#include <string.h>

#include "output/batch.h"
#include "util/str.h"

enum gp_status form_save(struct form *form, const char *path, struct gp_err *err)
{
    struct strbuf line;
    struct options options;
    char option[FORM_VALUE];
    enum gp_status status;

    if (!path[0] || strcmp(path, "-") == 0)
        return gp_fail(err, GP_E_USAGE, "", "such as plan.json", "a file needs a name");
    strbuf_init(&line);
    values_ask(&form->values, option, &options);
    batch_write(&options, &line);
    status = path_write(path, line.text, line.len, err);
    strbuf_fini(&line);
    if (!status) {
        gp_copy(form->file, sizeof(form->file), path);
        form->kept = form->values;
    }
    return status;
}

/* The only line that is not blank. */
static enum gp_status only_line(const char *path, const char *text, const char **line,
                                size_t *len, long *number, struct gp_err *err)
{
    long at = 0;

    *line = NULL;
    while (*text) {
        size_t n = strcspn(text, "\n");

        at++;
        if (strspn(text, " \t\r") < n && *line)
            return gp_fail(err, GP_E_FILE, path, "keep one line",
                           "holds several requests, a plan is one");
        if (strspn(text, " \t\r") < n) {
            *line = text;
            *len = n;
            *number = at;
        }
        text += n + (text[n] == '\n');
    }
    if (!*line)
        return gp_fail(err, GP_E_FILE, path, "", "is empty");
    return GP_OK;
}

/* Every value through form_put(), so that it is looked up as if it had been typed. */
static enum gp_status take(struct form *form, const char *path,
                           const struct options *options, struct form_values *values,
                           struct gp_err *err)
{
    struct form_values given;
    enum gp_status status = values_of_options(options, &given, err);

    if (!status && options->value[OPT_SOLVE].given)
        status = gp_fail(err, GP_E_USAGE, path, "leave it out: s solves for a field",
                         "solve is no field of the form");
    if (!status && !given.value[FIELD_MODEL][0])
        status = gp_fail(err, GP_E_USAGE, path, "", "names no model");
    for (int f = 0; f < FIELD_COUNT && !status; f++)
        if (given.value[f][0])
            status = values_put(form->planner, values, (enum field)f, given.value[f],
                                NULL, err);
    return status;
}

enum gp_status form_load(struct form *form, const char *path, struct gp_err *err)
{
    struct form_values values = {0};
    struct batch_request request = {0};
    const char *line;
    char *text;
    size_t len;
    long number = 0;
    enum gp_status status = path_read(path, BATCH_LINE_MAX, &text, &len, err);

    if (status)
        return status;
    status = only_line(path, text, &line, &len, &number, err);
    if (!status)
        status = batch_read(path, number, line, len, &request, err);
    if (!status)
        status = take(form, path, &request.options, &values, err);
    batch_fini(&request);
    free(text);
    if (status)
        return status;
    form_commit(form, &values);
    gp_copy(form->file, sizeof(form->file), path);
    form->kept = form->values;
    return GP_OK;
}
