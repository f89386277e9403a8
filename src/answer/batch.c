/*
 * batch.c - see batch.h.
 */
#include "answer/batch.h"

#include <jansson.h>

#include "answer/report.h"
#include "answer/request_line.h"
#include "base/json.h"
#include "base/path.h"

enum gp_status batch_report(struct planner *planner, const struct options *options,
                            const char *place, bool brief, struct record *doc, struct gp_err *err)
{
    struct answer a;
    struct train_answer t;
    bool why = options_flag(options, OPT_WHY), train = options->value[OPT_TRAIN].given;
    enum gp_status rc;

    if (train)
        rc = planner_train(planner, options, &t, err);
    else
        rc = options_inference(options, "is for --train only", err);
    if (!rc && !train)
        rc = planner_answer(planner, options, &a, err);
    if (rc)
        request_line_place(err, place);
    else if (train)
        report_train(&t, why, doc);
    else
        report_plan(&a, options, why, brief, doc);
    return rc;
}

bool batch_answer(struct planner *planner, const char *where, long line, const char *text,
                  size_t len, struct strbuf *out)
{
    struct gp_err err = {0};
    struct request_line request;
    struct record doc;
    char place[GP_PATH_MAX];

    gp_format(place, sizeof(place), "%s:%ld", where, line);
    record_init(&doc);
    enum gp_status rc = request_line_read(where, line, text, len, &request, &err);
    if (!rc)
        rc = batch_report(planner, &request.options, place,
                          !options_flag(&request.options, OPT_WHY), &doc, &err);
    if (rc)
        report_error(&err, &doc);
    const json_t *id = json_object_get(request.json, "id");
    struct strbuf given;
    strbuf_init(&given);
    if (id)
        gp_json_write(id, false, &given);
    record_json_line(&doc, id ? given.text : NULL, out);
    strbuf_fini(&given);
    record_fini(&doc);
    request_line_fini(&request);
    return rc == GP_OK;
}
