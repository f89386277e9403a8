# man/files.mk - the man pages.

dist_man_MANS = \
	man/gpuplan-bench.1 \
	man/gpuplan-calibrate.1 \
	man/gpuplan-json.7 \
	man/gpuplan-launch.1 \
	man/gpuplan-model.7 \
	man/gpuplan-plan.1 \
	man/gpuplan-pool.1 \
	man/gpuplan-profile.5 \
	man/gpuplan-replay.1 \
	man/gpuplan-screens.7 \
	man/gpuplan-train.1 \
	man/gpuplan.1

# Screens of real terminals, for README.md; make pictures draws them anew.
man_pictures = \
	man/pictures/bench-120x36.svg \
	man/pictures/bench-80x24-ascii.svg \
	man/pictures/bench-80x24-light.svg \
	man/pictures/bench-80x24-mono.svg \
	man/pictures/bench-80x24.svg \
	man/pictures/compare-120x36.svg \
	man/pictures/compare-80x24-ascii.svg \
	man/pictures/compare-80x24-light.svg \
	man/pictures/compare-80x24-mono.svg \
	man/pictures/compare-80x24.svg \
	man/pictures/confirm-80x24-ascii.svg \
	man/pictures/confirm-80x24-light.svg \
	man/pictures/confirm-80x24-mono.svg \
	man/pictures/confirm-80x24.svg \
	man/pictures/curves-memory-80x24-ascii.svg \
	man/pictures/curves-memory-80x24-light.svg \
	man/pictures/curves-memory-80x24-mono.svg \
	man/pictures/curves-memory-80x24.svg \
	man/pictures/curves-roofline-80x24-ascii.svg \
	man/pictures/curves-roofline-80x24-light.svg \
	man/pictures/curves-roofline-80x24-mono.svg \
	man/pictures/curves-roofline-80x24.svg \
	man/pictures/curves-speed-120x36.svg \
	man/pictures/curves-speed-80x24-ascii.svg \
	man/pictures/curves-speed-80x24-light.svg \
	man/pictures/curves-speed-80x24-mono.svg \
	man/pictures/curves-speed-80x24.svg \
	man/pictures/plan-120x36.svg \
	man/pictures/plan-200x60.svg \
	man/pictures/plan-40x12.svg \
	man/pictures/plan-80x24-ascii.svg \
	man/pictures/plan-80x24-light.svg \
	man/pictures/plan-80x24-mono.svg \
	man/pictures/plan-80x24.svg \
	man/pictures/pool-120x36.svg \
	man/pictures/pool-80x24-ascii.svg \
	man/pictures/pool-80x24-light.svg \
	man/pictures/pool-80x24-mono.svg \
	man/pictures/pool-80x24.svg \
	man/pictures/replay-120x36.svg \
	man/pictures/replay-200x60.svg \
	man/pictures/replay-80x24-ascii.svg \
	man/pictures/replay-80x24-light.svg \
	man/pictures/replay-80x24-mono.svg \
	man/pictures/replay-80x24.svg

EXTRA_DIST += man/gpuplan.3 man/picture.awk man/pictures.sh $(man_pictures)
