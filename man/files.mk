# man/files.mk - the man pages.

dist_man_MANS = \
	man/gpuplan-bench.1 \
	man/gpuplan-model.7 \
	man/gpuplan-profile.5 \
	man/gpuplan.1
