/*
 * measured_plot.h - what was measured, as points over what was predicted before.
 *
 *   times     of a server's own benchmark: TPOT or TTFT against users; predicted without these
 *             points, with its band, and corrected by them; of requests of one length
 *   products  of --bench: rate / predicted rate against the tokens at once; the band around 1
 *             is what the law leaves open where nothing is measured (speed_doubt_law)
 */
#ifndef GP_ANSWER_MEASURED_PLOT_H
#define GP_ANSWER_MEASURED_PLOT_H

#include <stdbool.h>

#include "answer/measured_rows.h"
#include "answer/memory_curve.h"
#include "answer/plot.h"

/* what: "TPOT" or "TTFT". False: nothing to draw. */
bool measured_plot_times(const struct answer *answer, const struct measured_rows *rows,
                         const char *what, struct plot *plot, char words[CURVE_WORDS]);
/* sheet: the answer's GPU as it is in the catalogue; NULL: as measured (of processors, whose
 * bandwidth and rate are measured). False: no product of it was measured. */
bool measured_plot_products(const struct answer *answer, const struct gpu *sheet, struct plot *plot,
                            char words[CURVE_WORDS]);

#endif
