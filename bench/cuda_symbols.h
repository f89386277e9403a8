/*
 * cuda_symbols.h - what the engine calls of libcudart and libcublasLt, one row each:
 * X(what it returns, name, (parameters), (arguments)).
 *
 * All of it is exported by 11.8 and by every later version, with the same parameters; but for what
 * is experimental and newer, which says NOT_SUPPORTED where the library does not have it.
 */
#ifndef GP_BENCH_CUDA_SYMBOLS_H
#define GP_BENCH_CUDA_SYMBOLS_H

/* clang-format off */
#define CUDA_RUNTIME_SYMBOLS(X) \
    X(cudaError_t, cudaDeviceCanAccessPeer, (int *can, int device, int peer), (can, device, peer)) \
    X(cudaError_t, cudaDeviceDisablePeerAccess, (int peer), (peer)) \
    X(cudaError_t, cudaDeviceEnablePeerAccess, (int peer, unsigned int flags), (peer, flags)) \
    X(cudaError_t, cudaDeviceGetAttribute, \
      (int *value, enum cudaDeviceAttr attribute, int device), \
      (value, attribute, device)) \
    X(cudaError_t, cudaDeviceGetPCIBusId, (char *text, int size, int device), \
      (text, size, device)) \
    X(cudaError_t, cudaDeviceSynchronize, (void), ()) \
    X(cudaError_t, cudaDriverGetVersion, (int *version), (version)) \
    X(cudaError_t, cudaEventCreate, (cudaEvent_t *event), (event)) \
    X(cudaError_t, cudaEventCreateWithFlags, (cudaEvent_t *event, unsigned int flags), \
      (event, flags)) \
    X(cudaError_t, cudaEventDestroy, (cudaEvent_t event), (event)) \
    X(cudaError_t, cudaEventElapsedTime, (float *ms, cudaEvent_t start, cudaEvent_t end), \
      (ms, start, end)) \
    X(cudaError_t, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream)) \
    X(cudaError_t, cudaEventSynchronize, (cudaEvent_t event), (event)) \
    X(cudaError_t, cudaFree, (void *memory), (memory)) \
    X(cudaError_t, cudaFreeHost, (void *memory), (memory)) \
    X(cudaError_t, cudaGetDeviceCount, (int *count), (count)) \
    X(const char *, cudaGetErrorString, (cudaError_t error), (error)) \
    X(cudaError_t, cudaGetLastError, (void), ()) \
    X(cudaError_t, cudaGraphDestroy, (cudaGraph_t graph), (graph)) \
    X(cudaError_t, cudaGraphExecDestroy, (cudaGraphExec_t exec), (exec)) \
    X(cudaError_t, cudaGraphInstantiateWithFlags, \
      (cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags), \
      (exec, graph, flags)) \
    X(cudaError_t, cudaGraphLaunch, (cudaGraphExec_t exec, cudaStream_t stream), (exec, stream)) \
    X(cudaError_t, cudaHostAlloc, (void **memory, size_t size, unsigned int flags), \
      (memory, size, flags)) \
    X(cudaError_t, cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *data), \
      (stream, function, data)) \
    X(cudaError_t, cudaMalloc, (void **memory, size_t size), (memory, size)) \
    X(cudaError_t, cudaMemGetInfo, (size_t *free_bytes, size_t *total), (free_bytes, total)) \
    X(cudaError_t, cudaMemcpy, \
      (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind), \
      (to, from, bytes, kind)) \
    X(cudaError_t, cudaMemcpy2D, \
      (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, \
       size_t height, enum cudaMemcpyKind kind), \
      (to, to_pitch, from, from_pitch, width, height, kind)) \
    X(cudaError_t, cudaMemcpyAsync, \
      (void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind, \
       cudaStream_t stream), \
      (to, from, bytes, kind, stream)) \
    X(cudaError_t, cudaMemcpyPeerAsync, \
      (void *to, int to_device, const void *from, int from_device, size_t bytes, \
       cudaStream_t stream), \
      (to, to_device, from, from_device, bytes, stream)) \
    X(cudaError_t, cudaMemset, (void *memory, int value, size_t bytes), (memory, value, bytes)) \
    X(cudaError_t, cudaMemsetAsync, (void *memory, int value, size_t bytes, cudaStream_t stream), \
      (memory, value, bytes, stream)) \
    X(cudaError_t, cudaPeekAtLastError, (void), ()) \
    X(cudaError_t, cudaRuntimeGetVersion, (int *version), (version)) \
    X(cudaError_t, cudaSetDevice, (int device), (device)) \
    X(cudaError_t, cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode), \
      (stream, mode)) \
    X(cudaError_t, cudaStreamCreateWithFlags, (cudaStream_t *stream, unsigned int flags), \
      (stream, flags)) \
    X(cudaError_t, cudaStreamDestroy, (cudaStream_t stream), (stream)) \
    X(cudaError_t, cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *graph), \
      (stream, graph)) \
    X(cudaError_t, cudaStreamSynchronize, (cudaStream_t stream), (stream)) \
    X(cudaError_t, cudaStreamWaitEvent, \
      (cudaStream_t stream, cudaEvent_t event, unsigned int flags), \
      (stream, event, flags))

#define CUBLASLT_SYMBOLS(X) \
    X(cublasStatus_t, cublasLtCreate, (cublasLtHandle_t *handle), (handle)) \
    X(cublasStatus_t, cublasLtDestroy, (cublasLtHandle_t handle), (handle)) \
    X(size_t, cublasLtGetVersion, (void), ()) \
    X(cublasStatus_t, cublasLtMatmul, \
      (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, const void *alpha, \
       const void *a, cublasLtMatrixLayout_t a_layout, const void *b, \
       cublasLtMatrixLayout_t b_layout, const void *beta, const void *c, \
       cublasLtMatrixLayout_t c_layout, void *d, cublasLtMatrixLayout_t d_layout, \
       const cublasLtMatmulAlgo_t *algo, void *workspace, size_t workspace_size, \
       cudaStream_t stream), \
      (handle, desc, alpha, a, a_layout, b, b_layout, beta, c, c_layout, d, d_layout, \
       algo, workspace, workspace_size, stream)) \
    X(cublasStatus_t, cublasLtMatmulAlgoConfigGetAttribute, \
      (const cublasLtMatmulAlgo_t *algo, \
       cublasLtMatmulAlgoConfigAttributes_t attribute, void *value, size_t size, \
       size_t *written), \
      (algo, attribute, value, size, written)) \
    X(cublasStatus_t, cublasLtMatmulAlgoGetHeuristic, \
      (cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, \
       cublasLtMatrixLayout_t a_layout, cublasLtMatrixLayout_t b_layout, \
       cublasLtMatrixLayout_t c_layout, cublasLtMatrixLayout_t d_layout, \
       cublasLtMatmulPreference_t preference, int wanted, \
       cublasLtMatmulHeuristicResult_t *results, int *found), \
      (handle, desc, a_layout, b_layout, c_layout, d_layout, preference, wanted, \
       results, found)) \
    X(cublasStatus_t, cublasLtMatmulDescCreate, \
      (cublasLtMatmulDesc_t *desc, cublasComputeType_t compute, \
       cudaDataType_t scale), \
      (desc, compute, scale)) \
    X(cublasStatus_t, cublasLtMatmulDescDestroy, (cublasLtMatmulDesc_t desc), (desc)) \
    X(cublasStatus_t, cublasLtMatmulDescSetAttribute, \
      (cublasLtMatmulDesc_t desc, cublasLtMatmulDescAttributes_t attribute, \
       const void *value, size_t size), \
      (desc, attribute, value, size)) \
    X(cublasStatus_t, cublasLtMatmulPreferenceCreate, (cublasLtMatmulPreference_t *preference), \
      (preference)) \
    X(cublasStatus_t, cublasLtMatmulPreferenceDestroy, (cublasLtMatmulPreference_t preference), \
      (preference)) \
    X(cublasStatus_t, cublasLtMatmulPreferenceSetAttribute, \
      (cublasLtMatmulPreference_t preference, \
       cublasLtMatmulPreferenceAttributes_t attribute, const void *value, \
       size_t size), \
      (preference, attribute, value, size)) \
    X(cublasStatus_t, cublasLtMatrixLayoutCreate, \
      (cublasLtMatrixLayout_t *layout, cudaDataType type, uint64_t rows, \
       uint64_t columns, int64_t ld), \
      (layout, type, rows, columns, ld)) \
    X(cublasStatus_t, cublasLtMatrixLayoutDestroy, (cublasLtMatrixLayout_t layout), (layout)) \
    X(cublasStatus_t, cublasLtMatrixLayoutSetAttribute, \
      (cublasLtMatrixLayout_t layout, cublasLtMatrixLayoutAttribute_t attribute, \
       const void *value, size_t size), \
      (layout, attribute, value, size))

#define CUBLASLT_LATER_SYMBOLS(X) \
    X(cublasStatus_t, cublasLtGroupedMatrixLayoutCreate, \
      (cublasLtMatrixLayout_t *layout, cudaDataType type, int groups, const void *rows, \
       const void *columns, const void *ld), \
      (layout, type, groups, rows, columns, ld))

/* Headers before 13.2 do not declare it. */
cublasStatus_t cublasLtGroupedMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType type,
                                                 int groups, const void *rows, const void *columns,
                                                 const void *ld);

/* clang-format on */

#endif
