/*
 * exit.h - the end of the program where no memory is left, from wherever that shows.
 *
 * This and nothing else in the libraries prints and ends the program: after a failed allocation
 * of a few kilobytes not even a proper error can be built. Nothing that is half done is finished
 * or flushed on the way. Exit code 70.
 */
#ifndef GP_BASE_EXIT_H
#define GP_BASE_EXIT_H

/* Prints the line and ends the program, at once. */
_Noreturn void gp_out_of_memory(void);

/* Called before that line is printed; NULL: nothing. The terminal front end gives the
 * terminal back here, so that the line can be read. It must not allocate. */
extern void (*gp_before_exit)(void);

#endif
