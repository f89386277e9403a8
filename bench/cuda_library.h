/*
 * cuda_library.h - finds and opens libcudart and libcublasLt when the program runs.
 *
 * Neither is linked: a missing library would end the program before main(), and a machine
 * that only has PyTorch has them in a Python package. The functions that the engine calls
 * are defined in cuda_library.c under their own names and hand on to the library, so that
 * no other file knows. Both libraries are of one CUDA major version, 11 to 13, whatever
 * the headers were that this was built with.
 *
 * Looked for in this order; $GPUPLAN_CUDA alone where it is set:
 *
 *   $LD_LIBRARY_PATH           each folder
 *   $CUDA_HOME, $CUDA_PATH     a toolkit
 *   $VIRTUAL_ENV, $CONDA_PREFIX  their Python packages
 *   the loader's own search
 *   /usr/local/cuda, /usr/local/cuda-*
 *   where python3 of $PATH is, ~/.local, /usr/local, /usr   their Python packages
 *
 * The first folder with a libcublasLt wins whose libcudart is found as well, except that
 * what the driver is too old for comes last.
 */
#ifndef GP_BENCH_CUDA_LIBRARY_H
#define GP_BENCH_CUDA_LIBRARY_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "base/err.h"

/* GP_E_DEVICE where they are not found; nothing of CUDA may be called then. Once: later
 * calls repeat the answer. */
enum gp_status cuda_library_open(struct gp_err *err);

/* "CUDA 13.0 from /usr/local/cuda/lib64/libcudart.so.13, cuBLASLt 13.1.0 from ...". */
int cuda_library_runtime(void); /* 12080, of an opened library */
void cuda_library_describe(char *text, size_t size);
const void *cuda_library_place(void); /* an address in cuBLASLt; NULL: it is not open */

/* dlopen() of another library of NVIDIA's, such as NCCL, in the same places and wherever
 * the loader looks. */
void *cuda_library_load(const char *name);

/* Where struct cudaDeviceProp begins the same in all versions; the rest differs. */
struct cuda_identity {
    char name[256];
    unsigned char uuid[16];
    char luid[8];
    unsigned luid_mask;
    size_t memory; /* bytes */
};

cudaError_t cuda_identify(int device, struct cuda_identity *out);

#endif
