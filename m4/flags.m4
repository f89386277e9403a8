# flags.m4 - compiler flags of our own. They live in variables of ours, so that the
# user's CFLAGS and LDFLAGS stay the user's.

# GP_TRY_FLAG(VARIABLE, FLAG) - appends FLAG to VARIABLE when the compiler takes it.
AC_DEFUN([GP_TRY_FLAG], [
  gp_saved_CFLAGS=$CFLAGS
  CFLAGS="$CFLAGS -Werror $2"
  AC_MSG_CHECKING([whether $CC takes $2])
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])],
    [AC_MSG_RESULT([yes])
     $1="$$1 $2"],
    [AC_MSG_RESULT([no])])
  CFLAGS=$gp_saved_CFLAGS
])

# GP_WARNING_FLAGS - sets GP_CFLAGS. Contraction of a*b+c into one rounding is off, so
# that every machine prints the same figures.
AC_DEFUN([GP_WARNING_FLAGS], [
  GP_CFLAGS=
  m4_foreach_w([flag], [-Wall -Wextra -Wshadow -Wstrict-prototypes
                        -Wmissing-prototypes -Wpointer-arith -Wwrite-strings -Wvla
                        -Wno-format-zero-length
                        -ffp-contract=off], [
    GP_TRY_FLAG([GP_CFLAGS], flag)])
  AS_IF([test "x$enable_werror" = xyes], [GP_CFLAGS="$GP_CFLAGS -Werror"])
  AC_SUBST([GP_CFLAGS])
])

# GP_SANITIZER_FLAGS - sets SANITIZER_FLAGS (to compile and to link with) and
# FUZZER_LDFLAGS. GCC sees null pointers in checks that UBSan itself inserted: the
# format warnings are off in such a build only.
AC_DEFUN([GP_SANITIZER_FLAGS], [
  SANITIZER_FLAGS=
  FUZZER_LDFLAGS=
  gp_asan="-fsanitize=address,undefined -fno-sanitize-recover=undefined"
  gp_asan="$gp_asan -fno-omit-frame-pointer"
  AS_IF([test "x$enable_asan" = xyes || test "x$enable_fuzz" = xyes], [
    SANITIZER_FLAGS=$gp_asan
    GP_TRY_FLAG([GP_CFLAGS], [-Wno-format-truncation])
    GP_TRY_FLAG([GP_CFLAGS], [-Wno-format-overflow])])
  AS_IF([test "x$enable_fuzz" = xyes], [
    SANITIZER_FLAGS="$SANITIZER_FLAGS -fsanitize=fuzzer-no-link"
    FUZZER_LDFLAGS=-fsanitize=fuzzer])
  AS_IF([test -n "$SANITIZER_FLAGS"], [
    gp_saved_CFLAGS=$CFLAGS
    CFLAGS="$CFLAGS $SANITIZER_FLAGS"
    AC_MSG_CHECKING([whether $CC links with $SANITIZER_FLAGS])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
      [AC_MSG_RESULT([yes])],
      [AC_MSG_RESULT([no])
       AC_MSG_ERROR([the sanitizers asked for do not work here (--enable-fuzz needs CC=clang)])])
    CFLAGS=$gp_saved_CFLAGS])
  AC_SUBST([SANITIZER_FLAGS])
  AC_SUBST([FUZZER_LDFLAGS])
])
