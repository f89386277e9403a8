/*
 * sha256.c - SHA-256 of FIPS 180-4, one block at a time.
 */
#include "base/sha256.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const uint32_t sha256_rounds[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn_right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void sha256_block(uint32_t state[8], const uint8_t block[64])
{
    uint32_t w[64], s[8];

    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16 |
               (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] +
               (turn_right(w[i - 15], 7) ^ turn_right(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (turn_right(w[i - 2], 17) ^ turn_right(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, state, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]);
        uint32_t most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        uint32_t a = s[7] + (turn_right(s[4], 6) ^ turn_right(s[4], 11) ^ turn_right(s[4], 25)) +
                     choice + sha256_rounds[i] + w[i];
        uint32_t b = (turn_right(s[0], 2) ^ turn_right(s[0], 13) ^ turn_right(s[0], 22)) + most;

        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += a;
        s[0] = a + b;
    }
    for (int i = 0; i < 8; i++)
        state[i] += s[i];
}

void sha256_hex(const void *data, size_t len, char hex[65])
{
    uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    const uint8_t *at = data;
    uint8_t tail[128] = {0};
    size_t rest = len % 64, padded = rest < 56 ? 64 : 128;

    for (size_t i = 0; i + 64 <= len; i += 64)
        sha256_block(state, at + i);
    if (rest > 0)
        memcpy(tail, at + len - rest, rest);
    tail[rest] = 0x80;
    for (int i = 0; i < 8; i++)
        tail[padded - 1 - (size_t)i] = (uint8_t)((uint64_t)len * 8 >> 8 * i);
    for (size_t i = 0; i < padded; i += 64)
        sha256_block(state, tail + i);
    for (int i = 0; i < 8; i++)
        snprintf(hex + 8 * i, 9, "%08x", state[i]);
}
