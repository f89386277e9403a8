/*
 * cuda_error.c - what went wrong, in words that say what to do.
 *
 * CUDA reports the same cause under many numbers and different causes under one. The
 * table keeps those a user meets: no driver, driver too old, no device, device lost.
 * "lost" are the sticky errors, after which every call of the process fails the same.
 */
#include <stdio.h>
#include <string.h>

#include "bench/cuda_ctx.h"

static const struct row {
    cudaError_t error;
    struct cuda_trouble trouble;
} rows[] = {
    {cudaErrorNoDevice,
     {"the NVIDIA driver is loaded but shows no GPU",
      "see nvidia-smi; in a container, was the GPU passed in?", true, true}},
    {cudaErrorInsufficientDriver,
     {"no NVIDIA driver that this program can use", "install a newer driver", true,
      true}},
    {cudaErrorStubLibrary,
     {"libcuda.so.1 is the toolkit's stub, not a driver",
      "take .../stubs out of LD_LIBRARY_PATH", true, true}},
    {cudaErrorInitializationError,
     {"the NVIDIA driver could not be initialised", "see nvidia-smi and dmesg", true,
      true}},
    {cudaErrorSystemNotReady,
     {"the GPUs are not ready: the fabric manager does not run",
      "start nvidia-fabricmanager", true, true}},
    {cudaErrorSystemDriverMismatch,
     {"the driver's kernel module and libcuda are of different versions",
      "reboot or reload the module after the driver's update", true, true}},
    {cudaErrorCompatNotSupportedOnDevice,
     {"libcuda's forward compatibility package does not support this GPU",
      "use the driver's own libcuda", true, true}},
    {cudaErrorDevicesUnavailable,
     {"the GPU is busy or in a compute mode that forbids a second process",
      "see nvidia-smi -q -d COMPUTE", true, true}},
    {cudaErrorOperatingSystem,
     {"the operating system refused a request of the NVIDIA driver",
      "is nvidia-uvm loaded (nvidia-modprobe -u), and may this user open /dev/nvidia*?",
      false, true}},
    {cudaErrorMemoryAllocation, {"out of device memory", "", false, false}},
    {cudaErrorECCUncorrectable,
     {"uncorrectable ECC error: device memory lost data",
      "see nvidia-smi -q -d ECC; reset or replace the GPU", true, false}},
    {cudaErrorIllegalAddress,
     {"illegal address in a kernel: the context is lost", "", true, false}},
    {cudaErrorLaunchFailure,
     {"a kernel failed: the context is lost", "see dmesg for Xid", true, false}},
    {cudaErrorLaunchTimeout,
     {"a kernel ran into the display's time limit",
      "measure on a GPU without a display", true, false}},
    {cudaErrorHardwareStackError,
     {"hardware error in a kernel: the context is lost", "see dmesg for Xid", true,
      false}},
    {cudaErrorUnknown,
     {"unknown error: the GPU may have fallen off the bus", "see dmesg for Xid 79",
      true, false}},
    {cudaErrorMisalignedAddress,
     {"misaligned address in a kernel: the context is lost", "", true, false}},
    {cudaErrorIllegalInstruction,
     {"illegal instruction in a kernel: the context is lost", "", true, false}},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

struct cuda_trouble cuda_trouble(cudaError_t error)
{
    struct cuda_trouble other = {cudaGetErrorString(error), "", false, false};

    for (int i = 0; i < ROWS; i++)
        if (rows[i].error == error)
            return rows[i].trouble;
    return other;
}

bool cuda_ok(struct cuda_ctx *ctx, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return true;
    struct cuda_trouble trouble = cuda_trouble(error);
    if (!ctx->lost) /* what came first is the cause */
        snprintf(ctx->fault, sizeof ctx->fault, "%s: %s (CUDA error %d)", what,
                 trouble.text, (int)error);
    ctx->lost |= trouble.lost;
    cudaGetLastError(); /* the next call is not to be blamed for this one */
    return false;
}

const char *lt_word(cublasStatus_t status)
{
    switch (status) {
    case CUBLAS_STATUS_SUCCESS:
        return "success";
    case CUBLAS_STATUS_NOT_INITIALIZED:
        return "not initialised";
    case CUBLAS_STATUS_ALLOC_FAILED:
        return "out of memory";
    case CUBLAS_STATUS_INVALID_VALUE:
        return "invalid value";
    case CUBLAS_STATUS_ARCH_MISMATCH:
        return "not on this compute capability";
    case CUBLAS_STATUS_EXECUTION_FAILED:
        return "execution failed";
    case CUBLAS_STATUS_INTERNAL_ERROR:
        return "internal error";
    case CUBLAS_STATUS_NOT_SUPPORTED:
        return "not supported";
    default:
        return "failed";
    }
}

bool lt_ok(struct cuda_ctx *ctx, cublasStatus_t status, const char *what)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return true;
    if (!ctx->lost)
        snprintf(ctx->fault, sizeof ctx->fault, "%s: cuBLASLt: %s (status %d)", what,
                 lt_word(status), (int)status);
    /* cuBLASLt hides the CUDA error behind its own; the device still knows it */
    cudaError_t behind = cudaPeekAtLastError();
    if (behind != cudaSuccess)
        cuda_ok(ctx, behind, what);
    return false;
}

enum gp_status cuda_fail_device(cudaError_t error, const char *where,
                                struct gp_err *err)
{
    struct cuda_trouble trouble = cuda_trouble(error);
    int driver = 0, runtime = 0;

    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (error == cudaErrorInsufficientDriver && driver == 0)
        return gp_fail(err, GP_E_DEVICE, where,
                       "load the NVIDIA driver, or measure the CPU",
                       "no GPU: no NVIDIA driver is loaded here");
    if (error == cudaErrorUnknown) /* nothing has run yet: no GPU fell off the bus */
        return gp_fail(err, GP_E_DEVICE, where,
                       "is nvidia-uvm loaded (nvidia-modprobe -u)? see dmesg",
                       "no usable GPU: the NVIDIA driver does not say why (CUDA error "
                       "%d)",
                       (int)error);
    if (error == cudaErrorInsufficientDriver)
        return gp_fail(err, GP_E_DEVICE, where,
                       "update the driver, or use a build for an older CUDA",
                       "the NVIDIA driver is too old: it supports CUDA %d.%d, this "
                       "program needs %d.%d",
                       driver / 1000, driver % 1000 / 10, runtime / 1000,
                       runtime % 1000 / 10);
    return gp_fail(err, GP_E_DEVICE, where, trouble.hint, "%s%s (CUDA error %d)",
                   trouble.no_device ? "no usable GPU: " : "", trouble.text,
                   (int)error);
}

enum point_state cuda_failed(struct cuda_ctx *ctx, char *why, size_t size)
{
    snprintf(why, size, "%s%s", ctx->lost ? "device lost: " : "",
             ctx->fault[0] ? ctx->fault : "failed");
    return POINT_ERROR;
}
