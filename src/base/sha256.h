/*
 * sha256.h - what a file was: the SHA-256 of its bytes, in hexadecimal.
 */
#ifndef GP_BASE_SHA256_H
#define GP_BASE_SHA256_H

#include <stddef.h>

void sha256_hex(const void *data, size_t len, char hex[65]);

#endif
