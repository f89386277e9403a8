# cuda.m4 - GP_CHECK_CUDA: is there a CUDA toolkit to build the GPU engine with?
#
# Looks for cuda_runtime.h and cublasLt.h in --with-cuda=DIR, else in $CUDA_HOME,
# $CUDA_PATH, beside nvcc, in /usr/local/cuda and in /usr. Nothing is compiled or run:
# the engine is plain C built by the host compiler, and opens the libraries when it runs.
# Sets CUDA_CPPFLAGS, the conditional HAVE_CUDA and cuda_summary. Not found is an error
# only when asked for.

# GP_CUDA_IN(DIR) - a shell test that succeeds and sets cuda_include.
AC_DEFUN([GP_CUDA_IN], [
  for gp_sub in include targets/$host_cpu_guess-linux/include; do
    AS_IF([test "x$have_cuda" = xno && test -f "$1/$gp_sub/cuda_runtime.h" &&
           test -f "$1/$gp_sub/cublasLt.h"],
      [have_cuda=yes
       cuda_dir=$1
       cuda_include=$1/$gp_sub])
  done
])

AC_DEFUN([GP_CHECK_CUDA], [
  AC_ARG_WITH([cuda],
    [AS_HELP_STRING([--with-cuda=DIR],
                    [CUDA toolkit for the GPU engine @<:@looked for; no: none@:>@])],
    [], [with_cuda=check])
  AC_ARG_VAR([CUDA_HOME],
    [folder of the CUDA toolkit to build with, where --with-cuda names none])
  AC_ARG_VAR([CUDA_PATH], [the same; CUDA_HOME goes first])
  AC_PATH_PROG([NVCC], [nvcc], [], [$PATH:/usr/local/cuda/bin])
  AC_MSG_CHECKING([for a CUDA toolkit with cuBLASLt])
  have_cuda=no
  host_cpu_guess=`uname -m`
  test "x$host_cpu_guess" = xaarch64 && host_cpu_guess=sbsa
  gp_nvcc_home=
  test -n "$NVCC" && gp_nvcc_home=`dirname "$NVCC"`/..
  AS_CASE([$with_cuda],
    [no], [gp_cuda_dirs=],
    [check|yes], [gp_cuda_dirs="$CUDA_HOME $CUDA_PATH $gp_nvcc_home /usr/local/cuda /usr"],
    [gp_cuda_dirs=$with_cuda])
  for gp_dir in $gp_cuda_dirs; do
    GP_CUDA_IN([$gp_dir])
  done
  AS_IF([test "x$have_cuda" = xyes], [
    cuda_dir=`cd "$cuda_dir" && pwd`
    cuda_include=`cd "$cuda_include" && pwd`
    cuda_version=`$SED -n 's/^@%:@define CUDART_VERSION  *@<:@(@:>@*\(@<:@0-9@:>@*\).*/\1/p' \
      "$cuda_include/cuda_runtime_api.h" 2>/dev/null | head -n 1`
    AS_IF([test -n "$cuda_version"],
      [cuda_version=`expr $cuda_version / 1000`.`expr $cuda_version % 1000 / 10`])
    CUDA_CPPFLAGS="-isystem $cuda_include"
    cuda_summary="$cuda_version in $cuda_dir"],
    [cuda_summary=no])
  AC_MSG_RESULT([$cuda_summary])
  AS_IF([test "x$have_cuda" = xno && test "x$with_cuda" != xno &&
         test "x$with_cuda" != xcheck],
    [AC_MSG_ERROR([no CUDA toolkit with cuda_runtime.h and cublasLt.h (--with-cuda=$with_cuda)])])
  AC_SUBST([CUDA_CPPFLAGS])
  AM_CONDITIONAL([HAVE_CUDA], [test "x$have_cuda" = xyes])
])
