# bench.mk - builds gpuplan-bench-cuda alone, for a machine that has only gcc, a CUDA
# toolkit and jansson; no autotools. From the top folder:
#
#   make -f bench/bench.mk gpuplan-bench-cuda
#   make -f bench/bench.mk gpuplan-bench-cuda CUDA=/opt/cuda-12.4 CC=gcc-12
#
# CUDA      the toolkit (default: $CUDA_HOME, else /usr/local/cuda)
# CUDA_LIB  where libcudart.so and libcublasLt.so lie (default: lib64 of it)
# JANSSON   flags for jansson (default: pkg-config's, else -ljansson)
#
# `make -f bench/bench.mk clean` removes what it built.

cuda_engine_sources = bench/bench_main.c bench/engine_cuda.c bench/cuda_algo.c bench/cuda_allreduce.c \
	bench/cuda_arena.c bench/cuda_check.c bench/cuda_convert.c bench/cuda_decode.c \
	bench/cuda_devices.c \
	bench/cuda_error.c bench/cuda_fit.c bench/cuda_gemm.c bench/cuda_kernel.c \
	bench/cuda_lt.c bench/cuda_memory.c bench/cuda_peer.c bench/cuda_run.c \
	bench/cuda_sensors.c \
	bench/cuda_transfer.c \
	bench/cuda_types.c bench/clock_lock.c bench/sensors_nvml.c
bench_common_sources = bench/measure.c bench/measure_answer.c bench/method.c bench/method_check.c \
	bench/method_loop.c bench/method_stats.c bench/orders.c bench/point.c \
	bench/protocol.c bench/watch.c src/util/err.c src/util/json.c src/util/mem.c \
	src/util/str.c

CUDA ?= $(or $(CUDA_HOME),/usr/local/cuda)
CUDA_LIB ?= $(CUDA)/lib64
JANSSON ?= $(shell pkg-config --cflags --libs jansson 2>/dev/null || echo -ljansson)
CFLAGS ?= -O2 -g -Wall -Wextra
VERSION ?= $(shell sed -n 's/^AC_INIT(\[gpuplan\], \[\(.*\)\])/\1/p' configure.ac)

gpuplan-bench-cuda: $(cuda_engine_sources) $(bench_common_sources)
	$(CC) -std=gnu11 -D_GNU_SOURCE -DGP_VERSION='"$(VERSION)"' -I. -Isrc \
	  -isystem $(CUDA)/include $(CFLAGS) -o $@ $(cuda_engine_sources) \
	  $(bench_common_sources) $(LDFLAGS) -L$(CUDA_LIB) -Wl,-rpath,$(CUDA_LIB) \
	  -lcublasLt -lcudart $(JANSSON) -lm -ldl -lpthread

clean:
	rm -f gpuplan-bench-cuda

.PHONY: clean print-common
print-common:
	@echo $(bench_common_sources)
