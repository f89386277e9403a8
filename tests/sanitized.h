/*
 * sanitized.h - is this built with AddressSanitizer? There a test of many cases takes some times
 * as long, and may take fewer of them where the release build takes all.
 */
#ifndef GP_SANITIZED_H
#define GP_SANITIZED_H

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

#endif
