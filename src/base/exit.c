/* exit.c - see exit.h. It allocates nothing: malloc() itself calls it (cli/allocate.c). */
#include "base/exit.h"

#include <unistd.h>

void (*gp_before_exit)(void);

void gp_out_of_memory(void)
{
    static const char line[] = "gpuplan: out of memory\n";

    if (gp_before_exit)
        gp_before_exit();
    ssize_t n = write(STDERR_FILENO, line, sizeof(line) - 1);
    (void)n;
    _exit(70);
}
