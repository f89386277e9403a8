/*
 * pool_export.h - a pool's plan of an hour in the files of other programs.
 *
 *   compose     neutral: which GPU of which chassis goes to which host, as JSON
 *               (gpuplan.compose/1), to be mapped onto a vendor's own calls
 *   mig-parted  how each GPU that is cut is cut: YAML of NVIDIA's mig-parted
 *   dra         Kubernetes: a Deployment and a ResourceClaimTemplate for each layout
 *   slurm       gres.conf lines, and sbatch for each layout
 *
 *   mps         the rung's whole problem for another solver: pool_mps.h
 *
 * Nothing is started and nothing changed: they are texts.
 */
#ifndef GP_POOL_POOL_EXPORT_H
#define GP_POOL_POOL_EXPORT_H

#include "base/str.h"
#include "pool/pool_run.h"

/* In the order of --export. */
enum pool_export {
    POOL_EXPORT_COMPOSE,
    POOL_EXPORT_MIG,
    POOL_EXPORT_DRA,
    POOL_EXPORT_SLURM,
    POOL_EXPORT_MPS
};

/* Of the chosen rung in an hour. */
enum gp_status pool_export(const struct pool_run *run, enum pool_export kind, int hour,
                           struct strbuf *out, struct gp_err *err);

#endif
