#!/bin/bash
# instructions.sh - what one --plan and one plan of --batch take, in instructions, which
# do not depend on the load: tests/speed.sh has the limits.
exec bash "${srcdir:-.}/tests/speed.sh" --count "${GPUPLAN:-./gpuplan}"
