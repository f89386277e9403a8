# onednn.m4 - GP_CHECK_ONEDNN: is there a oneDNN to build the CPU engine with?
#
# Sets ONEDNN_LIBS, the conditional HAVE_ONEDNN and onednn_summary.
AC_DEFUN([GP_CHECK_ONEDNN], [
  AC_ARG_WITH([onednn],
    [AS_HELP_STRING([--with-onednn],
                    [oneDNN for the CPU engine @<:@looked for; no: none@:>@])],
    [], [with_onednn=check])
  have_onednn=no
  AS_IF([test "x$with_onednn" != xno], [
    AC_CHECK_HEADER([dnnl.h],
      [AC_CHECK_LIB([dnnl], [dnnl_engine_create], [have_onednn=yes], [])])])
  onednn_summary=$have_onednn
  AS_IF([test "x$have_onednn" = xyes],
    [ONEDNN_LIBS=-ldnnl
     AC_DEFINE([GP_HAVE_ONEDNN], [1], [oneDNN multiplies for the CPU engine])])
  AS_IF([test "x$have_onednn$with_onednn" = xnoyes],
    [AC_MSG_ERROR([oneDNN (dnnl.h, libdnnl) was asked for and is not there])])
  AC_SUBST([ONEDNN_LIBS])
  AM_CONDITIONAL([HAVE_ONEDNN], [test "x$have_onednn" = xyes])
])
