/*
 * session_predict.h - what the roofline allows a point on a device: session_predict.c says
 * from which figures.
 */
#ifndef GP_MEASURE_SESSION_PREDICT_H
#define GP_MEASURE_SESSION_PREDICT_H

#include "measure/point/point.h"
#include "measure/session_facts.h"
#include "plan/roofline.h"

/* The best of this run that is good, as a roof without a sheet; 0 = none. */
struct session_roof {
    double read;                          /* bytes/s beyond the cache */
    double rate[TYPE_COUNT];              /* operations/s of products */
    const struct point *best[TYPE_COUNT]; /* the point of that rate, borrowed */
};

void session_roof_take(struct session_roof *roof, const struct session_device *device,
                       const struct point *point, const struct session_result *result);

/* What the roofline allows a point; unknown when nothing bounds it. */
struct roofline session_predict(const struct session_device *device,
                                const struct session_roof *roof, const struct point *point);
/* What the data sheet alone says of the type's rate, and of the bandwidth that the
 * point's bytes go through: of memory, or of the link both ways in one; a quantity that
 * it does not say, or that the point does not use, is unknown. */
struct roof session_sheet(const struct session_device *device, const struct session_roof *roof,
                          const struct point *point);

#endif
