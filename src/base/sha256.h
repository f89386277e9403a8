/*
 * sha256.h - the SHA-256 of bytes in memory, as sha256sum prints it: the identity of a
 * file that a profile was made from.
 *
 * Example: sha256_hex("abc", 3) begins with ba7816bf.
 */
#ifndef GP_BASE_SHA256_H
#define GP_BASE_SHA256_H

#include <stddef.h>

void sha256_hex(const void *data, size_t len, char hex[65]);

#endif
