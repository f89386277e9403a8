# blas.m4 - GP_CHECK_CBLAS: a BLAS for the CPU engine where there is no oneDNN.
#
# Sets CBLAS_LIBS, the conditional HAVE_CBLAS and cblas_summary. FP32 only.
AC_DEFUN([GP_CHECK_CBLAS], [
  AC_ARG_WITH([openblas],
    [AS_HELP_STRING([--with-openblas],
                    [OpenBLAS for the CPU engine where oneDNN is absent @<:@looked for;
                     no: none@:>@])],
    [], [with_openblas=check])
  have_cblas=no
  AS_IF([test "x$with_openblas" != xno], [
    AC_CHECK_HEADER([cblas.h],
      [AC_CHECK_LIB([openblas], [cblas_sgemm], [have_cblas=yes], [])])])
  cblas_summary=$have_cblas
  AS_IF([test "x$have_cblas" = xyes],
    [CBLAS_LIBS=-lopenblas])
  AS_IF([test "x$have_cblas$have_onednn" = xyesno],
    [AC_DEFINE([GP_HAVE_CBLAS], [1], [a BLAS multiplies for the CPU engine])])
  AS_IF([test "x$have_cblas$with_openblas" = xnoyes],
    [AC_MSG_ERROR([OpenBLAS (cblas.h, libopenblas) was asked for and is not there])])
  AC_SUBST([CBLAS_LIBS])
  AM_CONDITIONAL([HAVE_CBLAS], [test "x$have_cblas" = xyes])
])
