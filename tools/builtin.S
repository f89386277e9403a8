/*
 * builtin.S - the profiles inside a static planner: DATA is a tar archive (base/archive.h).
 *
 * Such a program runs on any Linux, whose C library and drivers it does not know, so it opens
 * no library there: dlopen() says so instead of trying (static_libraries.c).
 */
    .section .rodata
    .balign 512
    .global gp_builtin_begin
    .global gp_builtin_end
gp_builtin_begin:
    .incbin DATA
gp_builtin_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
