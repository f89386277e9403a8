/*
 * cuda_error.c - what went wrong, in words that say what to do.
 *
 * CUDA reports the same cause under many numbers and different causes under one. The
 * table keeps those a user meets: no driver, driver too old, no device, device lost.
 * "lost" are the sticky errors, after which every call of the process fails the same.
 */
#include <stdarg.h>
#include <stdio.h>

#include "bench/cuda_ctx.h"

static const struct trouble {
    cudaError_t error;
    const char *text, *hint;
    bool lost, no_device; /* no further call can succeed; there is none to be used */
} rows[] = {
    {cudaErrorNoDevice, "the NVIDIA driver is loaded but shows no GPU",
     "see nvidia-smi; in a container, was the GPU passed in?", true, true},
    {cudaErrorInsufficientDriver, "no NVIDIA driver that this program can use",
     "install a newer driver", true, true},
    {cudaErrorStubLibrary, "libcuda.so.1 is the toolkit's stub, not a driver",
     "take .../stubs out of LD_LIBRARY_PATH", true, true},
    {cudaErrorInitializationError, "the NVIDIA driver could not be initialised",
     "see nvidia-smi and dmesg", true, true},
    {cudaErrorSystemNotReady, "the GPUs are not ready: the fabric manager does not run",
     "start nvidia-fabricmanager", true, true},
    {cudaErrorSystemDriverMismatch,
     "the driver's kernel module and libcuda are of different versions",
     "reboot or reload the module after the driver's update", true, true},
    {cudaErrorCompatNotSupportedOnDevice,
     "libcuda's forward compatibility package does not support this GPU",
     "use the driver's own libcuda", true, true},
    {cudaErrorDevicesUnavailable,
     "the GPU is busy or in a compute mode that forbids a second process",
     "see nvidia-smi -q -d COMPUTE", true, true},
    {cudaErrorOperatingSystem, "the operating system refused a request of the NVIDIA driver",
     "is nvidia-uvm loaded (nvidia-modprobe -u), and may this user open /dev/nvidia*?", false,
     true},
    {cudaErrorMemoryAllocation, "out of device memory", "", false, false},
    {cudaErrorECCUncorrectable, "uncorrectable ECC error: device memory lost data",
     "see nvidia-smi -q -d ECC; reset or replace the GPU", true, false},
    {cudaErrorIllegalAddress, "illegal address in a kernel: the context is lost", "", true, false},
    {cudaErrorLaunchFailure, "a kernel failed: the context is lost", "see dmesg for Xid", true,
     false},
    {cudaErrorLaunchTimeout, "a kernel ran into the display's time limit",
     "measure on a GPU without a display", true, false},
    {cudaErrorHardwareStackError, "hardware error in a kernel: the context is lost",
     "see dmesg for Xid", true, false},
    {cudaErrorUnknown, "unknown error: the GPU may have fallen off the bus", "see dmesg for Xid 79",
     true, false},
    {cudaErrorMisalignedAddress, "misaligned address in a kernel: the context is lost", "", true,
     false},
    {cudaErrorIllegalInstruction, "illegal instruction in a kernel: the context is lost", "", true,
     false},
};

static struct trouble trouble_of(cudaError_t error)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].error == error)
            return rows[i];
    return (struct trouble){error, cudaGetErrorString(error), "", false, false};
}

bool cuda_refuse(struct cuda_ctx *ctx, enum point_state state, const char *fmt, ...)
{
    va_list args;

    if (ctx->lost)
        return false;
    ctx->state = state;
    va_start(args, fmt);
    vsnprintf(ctx->fault, sizeof ctx->fault, fmt, args);
    va_end(args);
    return false;
}

bool cuda_ok(struct cuda_ctx *ctx, cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return true;
    struct trouble trouble = trouble_of(error);
    cuda_refuse(ctx, POINT_ERROR, "%s: %s (CUDA error %d)", what, trouble.text, (int)error);
    ctx->lost |= trouble.lost;
    cudaGetLastError(); /* the next call is not to be blamed for this one */
    return false;
}

const char *lt_word(cublasStatus_t status)
{
    static const char *const words[] = {
        [CUBLAS_STATUS_SUCCESS] = "success",
        [CUBLAS_STATUS_NOT_INITIALIZED] = "not initialised",
        [CUBLAS_STATUS_ALLOC_FAILED] = "out of memory",
        [CUBLAS_STATUS_INVALID_VALUE] = "invalid value",
        [CUBLAS_STATUS_ARCH_MISMATCH] = "not on this compute capability",
        [CUBLAS_STATUS_EXECUTION_FAILED] = "execution failed",
        [CUBLAS_STATUS_INTERNAL_ERROR] = "internal error",
        [CUBLAS_STATUS_NOT_SUPPORTED] = "not supported",
    };
    bool known = (size_t)status < sizeof words / sizeof words[0] && words[status];

    return known ? words[status] : "failed";
}

bool lt_ok(struct cuda_ctx *ctx, cublasStatus_t status, const char *what)
{
    if (status == CUBLAS_STATUS_SUCCESS)
        return true;
    cuda_refuse(ctx, POINT_ERROR, "%s: cuBLASLt: %s (status %d)", what, lt_word(status),
                (int)status);
    /* cuBLASLt hides the CUDA error behind its own; the device still knows it */
    cudaError_t behind = cudaPeekAtLastError();
    if (behind != cudaSuccess)
        cuda_ok(ctx, behind, what);
    return false;
}

enum gp_status cuda_fail_device(cudaError_t error, const char *where, struct gp_err *err)
{
    struct trouble trouble = trouble_of(error);
    int driver = 0, runtime = 0;

    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    if (error == cudaErrorInsufficientDriver && driver == 0)
        return gp_fail(err, GP_E_DEVICE, where, "load the NVIDIA driver, or measure the CPU",
                       "no GPU: no NVIDIA driver is loaded here");
    if (error == cudaErrorUnknown) /* nothing has run yet: no GPU fell off the bus */
        return gp_fail(
            err, GP_E_DEVICE, where, "is nvidia-uvm loaded (nvidia-modprobe -u)? see dmesg",
            "no usable GPU: the NVIDIA driver does not say why (CUDA error %d)", (int)error);
    if (error == cudaErrorInsufficientDriver)
        return gp_fail(
            err, GP_E_DEVICE, where, "update the driver, or use a build for an older CUDA",
            "the NVIDIA driver is too old: it supports CUDA %d.%d, this program needs %d.%d",
            driver / 1000, driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10);
    return gp_fail(err, GP_E_DEVICE, where, trouble.hint, "%s%s (CUDA error %d)",
                   trouble.no_device ? "no usable GPU: " : "", trouble.text, (int)error);
}

/* ---- calls that every test makes ---- */

bool cuda_wait(struct cuda_ctx *ctx, const char *what)
{
    return cuda_ok(ctx, cudaStreamSynchronize(ctx->stream), what);
}

bool cuda_send_later(struct cuda_ctx *ctx, void *to, const void *host, size_t bytes,
                     cudaStream_t stream, const char *what)
{
    return cuda_ok(ctx, cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, stream), what);
}

bool cuda_send(struct cuda_ctx *ctx, void *to, const void *host, size_t bytes, cudaStream_t stream,
               const char *what)
{
    return cuda_send_later(ctx, to, host, bytes, stream, what) &&
           cuda_ok(ctx, cudaStreamSynchronize(stream), what);
}

bool cuda_fetch(struct cuda_ctx *ctx, void *host, const void *from, size_t bytes, const char *what)
{
    return cuda_ok(ctx, cudaMemcpy(host, from, bytes, cudaMemcpyDeviceToHost), what);
}

bool cuda_record(struct cuda_ctx *ctx, cudaEvent_t event, cudaStream_t stream)
{
    return cuda_ok(ctx, cudaEventRecord(event, stream), "event");
}

bool cuda_depend(struct cuda_ctx *ctx, cudaStream_t stream, cudaEvent_t event)
{
    return cuda_ok(ctx, cudaStreamWaitEvent(stream, event, 0), "event");
}

bool cuda_mark_new(struct cuda_ctx *ctx, cudaEvent_t *event)
{
    return cuda_ok(ctx, cudaEventCreateWithFlags(event, cudaEventDisableTiming), "event");
}

bool cuda_stream_new(struct cuda_ctx *ctx, cudaStream_t *stream)
{
    return cuda_ok(ctx, cudaStreamCreateWithFlags(stream, cudaStreamNonBlocking),
                   "cudaStreamCreate");
}

bool cuda_select(struct cuda_ctx *ctx, int device)
{
    return cuda_ok(ctx, cudaSetDevice(device), "cudaSetDevice");
}

bool cuda_takes_part(struct cuda_ctx *ctx, const struct point *point)
{
    int visible = 0;

    if (!cuda_ok(ctx, cudaGetDeviceCount(&visible), "cudaGetDeviceCount"))
        return false;
    for (int d = 0; d < POINT_DEVICES; d++)
        if (point->devices >> d & 1 && d >= visible)
            return cuda_refuse(ctx, POINT_UNSUPPORTED, "needs GPU %d; %d of them visible", d,
                               visible);
    return point->devices >> ctx->device & 1 ||
           cuda_refuse(ctx, POINT_UNSUPPORTED, "GPU %d does not take part", ctx->device);
}

bool cuda_elapsed(struct cuda_ctx *ctx, cudaEvent_t start, cudaEvent_t stop, double *seconds)
{
    float ms = 0;
    bool ok = cuda_ok(ctx, cudaEventElapsedTime(&ms, start, stop), "event time");

    *seconds = 1e-3 * (double)ms;
    return ok;
}
