/*
 * lib_program.c - a program of somebody else's, built against an installed libgpuplan: one plan,
 * one error, and as many threads as are asked for that must all get the same answer.
 */
#include <gpuplan.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REQUEST                                                                      \
    "{\"model\": \"llama-3.1-70b\", \"precision\": \"fp8\", \"gpu\": \"h100-sxm\", " \
    "\"users\": %d}"

static gpuplan *catalogue;
static char wanted[4][64];

static void ask(int users, char *out, size_t size)
{
    char request[200];
    gpuplan_answer *a;

    snprintf(request, sizeof(request), REQUEST, users);
    a = gpuplan_ask(catalogue, request);
    snprintf(out, size, "%s %g %g", gpuplan_verdict(a), gpuplan_number(a, "layout.gpus"),
             gpuplan_number(a, "speed.tpot"));
    gpuplan_answer_free(a);
}

static void *work(void *failed)
{
    char got[64];

    for (int i = 0; i < 8; i++) {
        ask(16 << i % 4, got, sizeof(got));
        if (strcmp(got, wanted[i % 4]) != 0)
            *(int *)failed = 1;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[64];
    int count = argc > 1 ? atoi(argv[1]) : 1, failed[64] = {0}, wrong = 0;
    gpuplan_answer *none;

    catalogue = gpuplan_open(NULL);
    for (int i = 0; i < 4; i++)
        ask(16 << i, wanted[i], sizeof(wanted[i]));
    for (int i = 0; i < count; i++)
        pthread_create(&thread[i], NULL, work, &failed[i]);
    for (int i = 0; i < count; i++) {
        pthread_join(thread[i], NULL);
        wrong |= failed[i];
    }
    none = gpuplan_ask(catalogue, "{\"model\": \"llama-3.1-8b\", \"gpu\": \"h1000\"}");
    printf("%s, data of %s: %s; %s; %d threads %s\n", gpuplan_version(),
           gpuplan_data_date(catalogue), wanted[0], gpuplan_error(none), count,
           wrong ? "differ" : "agree");
    gpuplan_answer_free(none);
    gpuplan_close(catalogue);
    return wrong || gpuplan_abi() != GPUPLAN_ABI;
}
