#!/bin/sh
# skipped.sh - stands for the unit tests where cmocka is not installed.
echo "skipped: the unit tests need cmocka (Debian: libcmocka-dev)"
exit 77
