# tests/files.mk - what `make check` runs; tests/lint/listed.sh checks that nothing is
# left out.
#
#   unit/test_X     one cmocka program per module, linked with the library
#   fuzz/replay_X   a fuzz target run over its kept corpus (fuzz/fuzz_X: libFuzzer)
#   accuracy/X      estimates against figures others published or measured
#   lint/X.sh       rules that a compiler does not check
#   cli/X.sh        the program, as a user calls it ($GPUPLAN)
#
# A test that cannot run here exits 77 and says why.

TEST_EXTENSIONS = .sh
SH_LOG_COMPILER = $(BASH_PATH)

# What the user keeps in the home directory is none of the tests' business.
AM_TESTS_ENVIRONMENT = \
	GPUPLAN='$(abs_top_builddir)/gpuplan$(EXEEXT)'; export GPUPLAN; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	XDG_DATA_HOME='$(abs_top_builddir)/tests/no-data-home'; export XDG_DATA_HOME; \
	LC_ALL=C.UTF-8; export LC_ALL; \
	NO_COLOR=1; export NO_COLOR; \
	unset GPUPLAN_PROFILES COLUMNS LINES;

# Those that take more than four seconds stand first, the longest at the top, so that none
# of them is left when the rest is done.
long_tests = \
	tests/bench/cuda_standin.sh \
	tests/bench/cpu_smoke.sh \
	tests/gpu/rehearsal.sh \
	tests/bench/pitfalls.sh \
	tests/lint/shell.sh \
	tests/cli/bytes.sh \
	tests/cli/bench.sh \
	tests/cli/instructions.sh \
	tests/cli/pool.sh \
	tests/cli/import.sh \
	tests/cli/import_prices.sh \
	tests/script/walk.sh \
	tests/cli/pool_plan.sh \
	tests/script/bench.sh \
	tests/cli/schema.sh \
	tests/script/curves.sh \
	tests/script/replay.sh \
	tests/cli/bench_faults.sh \
	tests/cli/matrix.sh \
	tests/cli/plan.sh \
	tests/tui/burst.sh \
	tests/script/app.sh \
	tests/cli/confirm.sh
TESTS += $(long_tests)

unit_tests = \
	tests/unit/test_action \
	tests/unit/test_bench_main \
	tests/unit/test_anchor \
	tests/unit/test_benchlog \
	tests/unit/test_bundle \
	tests/unit/test_calib \
	tests/unit/test_canvas \
	tests/unit/test_catalog \
	tests/unit/test_chooser \
	tests/unit/test_compare \
	tests/unit/test_compare_run \
	tests/unit/test_compare_view \
	tests/unit/test_cost \
	tests/unit/test_cpu_gemm \
	tests/unit/test_cpu_topology \
	tests/unit/test_form \
	tests/unit/test_draft \
	tests/unit/test_engine \
	tests/unit/test_err \
	tests/unit/test_terms \
	tests/unit/test_facts \
	tests/unit/test_figures \
	tests/unit/test_format \
	tests/unit/test_frame \
	tests/unit/test_glance \
	tests/unit/test_gguf \
	tests/unit/test_hfconfig \
	tests/unit/test_journal \
	tests/unit/test_json \
	tests/unit/test_key_input \
	tests/unit/test_kvcache \
	tests/unit/test_launch \
	tests/unit/test_launch_names \
	tests/unit/test_logged \
	tests/unit/test_layout \
	tests/unit/test_manual \
	tests/unit/test_membar \
	tests/unit/test_memory \
	tests/unit/test_method \
	tests/unit/test_method_check \
	tests/unit/test_model \
	tests/unit/test_paste \
	tests/unit/test_path \
	tests/unit/test_plan \
	tests/unit/test_pool_file \
	tests/unit/test_plot \
	tests/unit/test_point \
	tests/unit/test_points \
	tests/unit/test_pool \
	tests/unit/test_pool_any \
	tests/unit/test_pool_covers \
	tests/unit/test_pool_exact \
	tests/unit/test_power \
	tests/unit/test_predict \
	tests/unit/test_probe \
	tests/unit/test_profile \
	tests/unit/test_prompt \
	tests/unit/test_properties \
	tests/unit/test_protocol \
	tests/unit/test_quantity \
	tests/unit/test_reader \
	tests/unit/test_roofline \
	tests/unit/test_runner \
	tests/unit/test_safetensors \
	tests/unit/test_search \
	tests/unit/test_diagnose \
	tests/unit/test_replay \
	tests/unit/test_serverbench \
	tests/unit/test_session \
	tests/unit/test_settings \
	tests/unit/test_record \
	tests/unit/test_spark \
	tests/unit/test_speed \
	tests/unit/test_str \
	tests/unit/test_suggest \
	tests/unit/test_startup \
	tests/unit/test_sweep \
	tests/unit/test_table \
	tests/unit/test_trace \
	tests/unit/test_train \
	tests/unit/test_units \
	tests/unit/test_vision \
	tests/unit/test_walk \
	tests/unit/test_watch \
	tests/unit/test_worker

cuda_unit_tests = \
	tests/unit/test_cuda_algo \
	tests/unit/test_compiled \
	tests/unit/test_names \
	tests/unit/test_number \
	tests/unit/test_cuda_types \
	tests/unit/test_fake_cublaslt

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
if HAVE_CUDA
check_PROGRAMS += $(cuda_unit_tests)
TESTS += $(cuda_unit_tests)
endif
else
TESTS += tests/unit/skipped.sh
endif

# They need the toolkit's headers, and the engine's tables beside the library.
tests_unit_test_cuda_algo_SOURCES = tests/unit/test_cuda_algo.c bench/cuda_algo.c
tests_unit_test_cuda_algo_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
tests/unit/test_cuda_algo-test_cuda_algo.$(OBJEXT): cublaslt_names.h
cublaslt_names.h: tests/unit/cublaslt_names.sed Makefile
	$(AM_V_GEN)echo '#include <cublasLt.h>' | $(CC) $(CUDA_CPPFLAGS) -E - | \
	  sed -n -f $(srcdir)/tests/unit/cublaslt_names.sed >$@
CLEANFILES += cublaslt_names.h
EXTRA_DIST += tests/unit/cublaslt_names.sed
tests_unit_test_cpu_gemm_SOURCES = tests/unit/test_cpu_gemm.c bench/cpu_gemm.c bench/cpu_pool.c \
	bench/method_check.c bench/number.c
tests_unit_test_number_SOURCES = tests/unit/test_number.c bench/number.c bench/cuda_types.c
tests_unit_test_number_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
tests_unit_test_cuda_types_SOURCES = tests/unit/test_cuda_types.c bench/number.c bench/cuda_types.c
tests_unit_test_cuda_types_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)

tests_unit_test_fake_cublaslt_SOURCES = tests/unit/test_fake_cublaslt.c \
	tests/fixtures/fake_cuda.c tests/fixtures/fake_cublaslt.c tests/fixtures/fake_cuda.h \
	bench/number.c bench/cuda_types.c
tests_unit_test_fake_cublaslt_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)

# What the engine tells cuBLASLt, read back from the real one.
if HAVE_CUDA
check_PROGRAMS += tests/bench/lt_descriptors
TESTS += tests/bench/lt_descriptors
endif
tests_bench_lt_descriptors_SOURCES = tests/bench/lt_descriptors.c \
	bench/cuda_algo.c bench/cuda_arena.c bench/number.c bench/cuda_error.c \
	bench/cuda_library.c bench/cuda_lt.c bench/cuda_run.c bench/cuda_types.c
tests_bench_lt_descriptors_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
tests_bench_lt_descriptors_LDADD = libgpuplan.a $(JANSSON_LIBS) -lm
tests_bench_lt_descriptors_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=cublasLtMatmulAlgoGetHeuristic

# Checks that the plan of a pool can be carried out, from its JSON alone.
check_PROGRAMS += tests/pool_check
tests_pool_check_SOURCES = tests/pool_check.c
tests_pool_check_LDADD = $(JANSSON_LIBS) -lm

# Validates what is printed against schemas/.
check_PROGRAMS += tests/schema/validate
tests_schema_validate_SOURCES = tests/schema/validate.c
tests_schema_validate_LDADD = $(JANSSON_LIBS)

# The table of check-gpu.
check_PROGRAMS += tests/gpu/judge
tests_gpu_judge_SOURCES = tests/gpu/judge.c
tests_gpu_judge_LDADD = libgpuplan.a $(JANSSON_LIBS)
EXTRA_DIST += tests/engines/standin.py tests/engines/steps.py tests/engines/sglang_steps.py \
	tests/engines/vllm_steps.py
EXTRA_DIST += tests/gpu/check-gpu.sh tests/gpu/expected.txt tests/gpu/torch_ref.py

replays = \
	tests/fuzz/replay_batch \
	tests/fuzz/replay_benchlog \
	tests/fuzz/replay_command \
	tests/fuzz/replay_data \
	tests/fuzz/replay_gguf \
	tests/fuzz/replay_hfconfig \
	tests/fuzz/replay_journal \
	tests/fuzz/replay_launch \
	tests/fuzz/replay_names \
	tests/fuzz/replay_pool \
	tests/fuzz/replay_profile \
	tests/fuzz/replay_protocol \
	tests/fuzz/replay_safetensors \
	tests/fuzz/replay_enginelog \
	tests/fuzz/replay_scrape \
	tests/fuzz/replay_serverbench \
	tests/fuzz/replay_trace

fuzzers = \
	tests/fuzz/fuzz_batch \
	tests/fuzz/fuzz_benchlog \
	tests/fuzz/fuzz_command \
	tests/fuzz/fuzz_data \
	tests/fuzz/fuzz_gguf \
	tests/fuzz/fuzz_hfconfig \
	tests/fuzz/fuzz_journal \
	tests/fuzz/fuzz_launch \
	tests/fuzz/fuzz_names \
	tests/fuzz/fuzz_pool \
	tests/fuzz/fuzz_profile \
	tests/fuzz/fuzz_protocol \
	tests/fuzz/fuzz_safetensors \
	tests/fuzz/fuzz_enginelog \
	tests/fuzz/fuzz_scrape \
	tests/fuzz/fuzz_serverbench \
	tests/fuzz/fuzz_trace

check_PROGRAMS += $(replays)
TESTS += $(replays)

if ENABLE_FUZZ
noinst_PROGRAMS += $(fuzzers)
endif

tests_fuzz_replay_batch_SOURCES = tests/fuzz/fuzz_batch.c tests/fuzz/replay.c
tests_fuzz_replay_batch_LDADD = $(program_libs)
tests_fuzz_fuzz_batch_SOURCES = tests/fuzz/fuzz_batch.c
tests_fuzz_fuzz_batch_LDADD = $(program_libs)
tests_fuzz_fuzz_batch_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_benchlog_SOURCES = tests/fuzz/fuzz_benchlog.c tests/fuzz/replay.c
tests_fuzz_replay_benchlog_LDADD = $(program_libs)
tests_fuzz_fuzz_benchlog_SOURCES = tests/fuzz/fuzz_benchlog.c
tests_fuzz_fuzz_benchlog_LDADD = $(program_libs)
tests_fuzz_fuzz_benchlog_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_command_SOURCES = tests/fuzz/fuzz_command.c tests/fuzz/replay.c
tests_fuzz_replay_command_LDADD = $(program_libs)
tests_fuzz_fuzz_command_SOURCES = tests/fuzz/fuzz_command.c
tests_fuzz_fuzz_command_LDADD = $(program_libs)
tests_fuzz_fuzz_command_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_data_SOURCES = tests/fuzz/fuzz_data.c tests/fuzz/replay.c
tests_fuzz_replay_data_LDADD = $(program_libs)
tests_fuzz_fuzz_data_SOURCES = tests/fuzz/fuzz_data.c
tests_fuzz_fuzz_data_LDADD = $(program_libs)
tests_fuzz_fuzz_data_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_gguf_SOURCES = tests/fuzz/fuzz_gguf.c tests/fuzz/replay.c
tests_fuzz_replay_gguf_LDADD = $(program_libs)
tests_fuzz_fuzz_gguf_SOURCES = tests/fuzz/fuzz_gguf.c
tests_fuzz_fuzz_gguf_LDADD = $(program_libs)
tests_fuzz_fuzz_gguf_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_hfconfig_SOURCES = tests/fuzz/fuzz_hfconfig.c tests/fuzz/replay.c
tests_fuzz_replay_hfconfig_LDADD = $(program_libs)
tests_fuzz_fuzz_hfconfig_SOURCES = tests/fuzz/fuzz_hfconfig.c
tests_fuzz_fuzz_hfconfig_LDADD = $(program_libs)
tests_fuzz_fuzz_hfconfig_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_journal_SOURCES = tests/fuzz/fuzz_journal.c tests/fuzz/replay.c
tests_fuzz_replay_journal_LDADD = $(program_libs)
tests_fuzz_fuzz_journal_SOURCES = tests/fuzz/fuzz_journal.c
tests_fuzz_fuzz_journal_LDADD = $(program_libs)
tests_fuzz_fuzz_journal_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_launch_SOURCES = tests/fuzz/fuzz_launch.c tests/fuzz/replay.c
tests_fuzz_replay_launch_LDADD = $(program_libs)
tests_fuzz_fuzz_launch_SOURCES = tests/fuzz/fuzz_launch.c
tests_fuzz_fuzz_launch_LDADD = $(program_libs)
tests_fuzz_fuzz_launch_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_names_SOURCES = tests/fuzz/fuzz_names.c tests/fuzz/replay.c
tests_fuzz_replay_names_LDADD = $(program_libs)
tests_fuzz_fuzz_names_SOURCES = tests/fuzz/fuzz_names.c
tests_fuzz_fuzz_names_LDADD = $(program_libs)
tests_fuzz_fuzz_names_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_pool_SOURCES = tests/fuzz/fuzz_pool.c tests/fuzz/replay.c
tests_fuzz_replay_pool_LDADD = $(program_libs)
tests_fuzz_fuzz_pool_SOURCES = tests/fuzz/fuzz_pool.c
tests_fuzz_fuzz_pool_LDADD = $(program_libs)
tests_fuzz_fuzz_pool_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_profile_SOURCES = tests/fuzz/fuzz_profile.c tests/fuzz/replay.c
tests_fuzz_replay_profile_LDADD = $(program_libs)
tests_fuzz_fuzz_profile_SOURCES = tests/fuzz/fuzz_profile.c
tests_fuzz_fuzz_profile_LDADD = $(program_libs)
tests_fuzz_fuzz_profile_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_protocol_SOURCES = tests/fuzz/fuzz_protocol.c tests/fuzz/replay.c
tests_fuzz_replay_protocol_LDADD = $(program_libs)
tests_fuzz_fuzz_protocol_SOURCES = tests/fuzz/fuzz_protocol.c
tests_fuzz_fuzz_protocol_LDADD = $(program_libs)
tests_fuzz_fuzz_protocol_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_safetensors_SOURCES = tests/fuzz/fuzz_safetensors.c tests/fuzz/replay.c
tests_fuzz_replay_safetensors_LDADD = $(program_libs)
tests_fuzz_fuzz_safetensors_SOURCES = tests/fuzz/fuzz_safetensors.c
tests_fuzz_fuzz_safetensors_LDADD = $(program_libs)
tests_fuzz_fuzz_safetensors_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_enginelog_SOURCES = tests/fuzz/fuzz_enginelog.c tests/fuzz/replay.c
tests_fuzz_replay_enginelog_LDADD = $(program_libs)
tests_fuzz_fuzz_enginelog_SOURCES = tests/fuzz/fuzz_enginelog.c
tests_fuzz_fuzz_enginelog_LDADD = $(program_libs)
tests_fuzz_fuzz_enginelog_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_scrape_SOURCES = tests/fuzz/fuzz_scrape.c tests/fuzz/replay.c
tests_fuzz_replay_scrape_LDADD = $(program_libs)
tests_fuzz_fuzz_scrape_SOURCES = tests/fuzz/fuzz_scrape.c
tests_fuzz_fuzz_scrape_LDADD = $(program_libs)
tests_fuzz_fuzz_scrape_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_serverbench_SOURCES = tests/fuzz/fuzz_serverbench.c tests/fuzz/replay.c
tests_fuzz_replay_serverbench_LDADD = $(program_libs)
tests_fuzz_fuzz_serverbench_SOURCES = tests/fuzz/fuzz_serverbench.c
tests_fuzz_fuzz_serverbench_LDADD = $(program_libs)
tests_fuzz_fuzz_serverbench_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_trace_SOURCES = tests/fuzz/fuzz_trace.c tests/fuzz/replay.c
tests_fuzz_replay_trace_LDADD = $(program_libs)
tests_fuzz_fuzz_trace_SOURCES = tests/fuzz/fuzz_trace.c
tests_fuzz_fuzz_trace_LDADD = $(program_libs)
tests_fuzz_fuzz_trace_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)

# Against published and measured figures; `make accuracy` also shows what they print.
accuracy_programs = \
	tests/accuracy/drafts \
	tests/accuracy/engines \
	tests/accuracy/files \
	tests/accuracy/memory \
	tests/accuracy/models \
	tests/accuracy/offload \
	tests/accuracy/operators \
	tests/accuracy/power \
	tests/accuracy/replay \
	tests/accuracy/speed \
	tests/accuracy/startup \
	tests/accuracy/train \
	tests/accuracy/trainers

tests_accuracy_speed_SOURCES = \
	tests/accuracy/speed.c \
	tests/accuracy/speed_fit.c \
	tests/accuracy/speed_fit.h \
	tests/accuracy/speed_hit_share.c \
	tests/accuracy/speed_hit_share.h \
	tests/accuracy/speed_labs.c \
	tests/accuracy/speed_labs.h \
	tests/accuracy/speed_manual.c \
	tests/accuracy/speed_manual.h \
	tests/accuracy/speed_recent.c \
	tests/accuracy/speed_rows.c \
	tests/accuracy/speed_rows.h \
	tests/accuracy/speed_score.c \
	tests/accuracy/speed_score.h \
	tests/accuracy/speed_tables.c

check_PROGRAMS += $(accuracy_programs)
TESTS += $(accuracy_programs) $(accuracy_scripts)

# Stand-ins for the driver's library, whole, without the optional functions, and old.
fake_libraries = \
	tests/fixtures/fake_nvml.so \
	tests/fixtures/fake_nvml_basic.so \
	tests/fixtures/fake_nvml_old.so \
	tests/fixtures/fake_driver.so \
	tests/fixtures/fail_call.so \
	tests/fixtures/fail_malloc.so \
	tests/fixtures/fast_clock.so
check_DATA = $(fake_libraries)
CLEANFILES += $(fake_libraries)

fake_source = $(top_srcdir)/tests/fixtures/fake_nvml.c
build_fake = $(AM_V_CCLD)$(MKDIR_P) tests/fixtures && \
	$(CC) $(CFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $(fake_source)

tests/fixtures/fake_nvml.so: $(fake_source)
	$(build_fake)

tests/fixtures/fake_nvml_basic.so: $(fake_source)
	$(build_fake) -DFAKE_BASIC

tests/fixtures/fake_nvml_old.so: $(fake_source)
	$(build_fake) -DFAKE_OLD

fake_driver_sources = $(top_srcdir)/tests/fixtures/fake_driver.c \
	$(top_srcdir)/tests/fixtures/ptx.c

tests/fixtures/fake_driver.so: $(fake_driver_sources) $(top_srcdir)/tests/fixtures/ptx.h
	$(AM_V_CCLD)$(MKDIR_P) tests/fixtures && \
	$(CC) -I$(top_srcdir) $(CFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $(fake_driver_sources)

tests/fixtures/fail_call.so: $(top_srcdir)/tests/fixtures/fail_call.c
	$(AM_V_CCLD)$(MKDIR_P) tests/fixtures && \
	$(CC) $(CFLAGS) -D_GNU_SOURCE -fPIC -shared $(LDFLAGS) -o $@ $(top_srcdir)/tests/fixtures/fail_call.c

tests/fixtures/fail_malloc.so: $(top_srcdir)/tests/fixtures/fail_malloc.c
	$(AM_V_CCLD)$(MKDIR_P) tests/fixtures && \
	$(CC) $(CFLAGS) -D_GNU_SOURCE -fPIC -shared $(LDFLAGS) -o $@ $(top_srcdir)/tests/fixtures/fail_malloc.c

tests/fixtures/fast_clock.so: $(top_srcdir)/tests/fixtures/fast_clock.c
	$(AM_V_CCLD)$(MKDIR_P) tests/fixtures && \
	$(CC) $(CFLAGS) -D_GNU_SOURCE -fPIC -shared $(LDFLAGS) -o $@ $(top_srcdir)/tests/fixtures/fast_clock.c

# Every signal on a pseudo-terminal.
check_PROGRAMS += tests/tui/signals
TESTS += tests/tui/signals
tests_tui_signals_SOURCES = tests/tui/signals.c
tests_tui_signals_LDADD =

# A stand-in for an engine program: it measures nothing and misbehaves on request.
check_PROGRAMS += tests/fixtures/standin_engine
tests_fixtures_standin_engine_SOURCES = tests/fixtures/standin_engine.c
tests_fixtures_standin_engine_LDADD = libgpuplan.a $(JANSSON_LIBS) -lm

# The CUDA engine with a stand-in for the CUDA libraries, for its error paths: one library
# that is opened under both names, and the engine told to look there alone.
fake_cuda_sources = \
	$(top_srcdir)/tests/fixtures/fake_cuda.c \
	$(top_srcdir)/tests/fixtures/fake_cublaslt.c \
	$(top_srcdir)/bench/number.c \
	$(top_srcdir)/bench/cuda_types.c \
	$(top_srcdir)/src/measure/point/field.c \
	$(top_srcdir)/src/measure/point/line.c \
	$(top_srcdir)/src/measure/point/point.c \
	$(top_srcdir)/src/measure/point/test.c \
	$(top_srcdir)/src/base/err.c \
	$(top_srcdir)/src/base/json.c \
	$(top_srcdir)/src/base/exit.c \
	$(top_srcdir)/src/base/mem.c \
	$(top_srcdir)/src/base/str.c
fake_cuda = tests/fixtures/cuda/libcudart.so.13
standin = tests/bench/standin-bench-cuda
if HAVE_CUDA
check_DATA += $(standin)
endif
CLEANFILES += $(standin) $(fake_cuda) tests/fixtures/cuda/libcublasLt.so.13

$(fake_cuda): $(fake_cuda_sources) $(top_srcdir)/tests/fixtures/fake_cuda.h
	$(AM_V_CCLD)$(MKDIR_P) tests/fixtures/cuda && \
	$(CC) $(DEFS) $(AM_CPPFLAGS) $(CUDA_CPPFLAGS) $(CFLAGS) $(SANITIZER_FLAGS) -fPIC -shared \
	  -Wl,-soname,libcudart.so.13 $(LDFLAGS) -o $@ $(fake_cuda_sources) $(JANSSON_LIBS) -lm -lpthread && \
	ln -sf libcudart.so.13 tests/fixtures/cuda/libcublasLt.so.13

# Its warm-up takes seconds of the clock and measures nothing: a faster clock, except where
# a sanitizer must be loaded before everything else, or with STANDIN_REAL_CLOCK=1.
fast = $(abs_top_builddir)/tests/fixtures/fast_clock.so
$(standin): $(fake_cuda) tests/fixtures/fast_clock.so gpuplan-bench-cuda$(EXEEXT) Makefile
	$(AM_V_GEN)$(MKDIR_P) tests/bench && printf '%s\n' '#!/bin/sh' \
	  'GPUPLAN_CUDA=$(abs_top_builddir)/tests/fixtures/cuda; export GPUPLAN_CUDA' \
	  "test -n '$(SANITIZER_FLAGS)'\$$STANDIN_REAL_CLOCK || export LD_PRELOAD=$(fast)" \
	  'exec $(abs_top_builddir)/gpuplan-bench-cuda "$$@"' >$@ && chmod +x $@

lint_tests = \
	tests/lint/circles.sh \
	tests/lint/config.sh \
	tests/lint/dialect.sh \
	tests/lint/engines.sh \
	tests/lint/host.sh \
	tests/lint/includes.sh \
	tests/lint/length.sh \
	tests/lint/listed.sh \
	tests/lint/man.sh \
	tests/lint/mixers.sh \
	tests/lint/printers.sh \
	tests/lint/private.sh

cli_tests = \
	tests/cli/attach.sh \
	tests/bench/clock_lock.sh \
	tests/bench/cuda_libraries.sh \
	tests/bench/cuda_result.sh \
	tests/bench/soak.sh \
	tests/cli/batch.sh \
	tests/cli/bootstrap.sh \
	tests/cli/better.sh \
	tests/cli/calibration.sh \
	tests/cli/calibration_log.sh \
	tests/cli/check_log.sh \
	tests/cli/check_plan.sh \
	tests/cli/checkpoints.sh \
	tests/cli/compare.sh \
	tests/cli/completion.sh \
	tests/cli/copy.sh \
	tests/cli/cpu.sh \
	tests/cli/data.sh \
	tests/cli/devices.sh \
	tests/cli/diagnose.sh \
	tests/cli/accuracy_page.sh \
	tests/cli/action.sh \
	tests/cli/answers.sh \
	tests/cli/files.sh \
	tests/cli/habits.sh \
	tests/cli/headline.sh \
	tests/cli/hostile.sh \
	tests/cli/launch.sh \
	tests/cli/layouts.sh \
	tests/cli/list.sh \
	tests/cli/man.sh \
	tests/cli/memory.sh \
	tests/cli/newcomers.sh \
	tests/cli/packaging.sh \
	tests/cli/panel.sh \
	tests/cli/pictures.sh \
	tests/cli/readme.sh \
	tests/cli/replay.sh \
	tests/cli/report.sh \
	tests/cli/show.sh \
	tests/cli/sizes.sh \
	tests/cli/table.sh \
	tests/cli/targets.sh \
	tests/cli/types.sh \
	tests/cli/version.sh \
	tests/cli/why.sh \
	tests/script/confirm.sh \
	tests/script/diagnose.sh \
	tests/script/explain.sh \
	tests/script/compare.sh \
	tests/script/glance.sh \
	tests/script/input.sh \
	tests/script/plain.sh \
	tests/script/plan.sh \
	tests/script/pool.sh \
	tests/script/random.sh \
	tests/script/readme.sh \
	tests/script/recent.sh \
	tests/script/tasks.sh \
	tests/script/windows.sh \
	tests/tui/bench.sh \
	tests/tui/ends.sh \
	tests/tui/input.sh \
	tests/tui/mouse.sh \
	tests/tui/paste.sh \
	tests/tui/sizes.sh

TESTS += $(lint_tests) $(cli_tests)

test_helpers = \
	tests/sanitized.h \
	tests/accuracy/logged.h \
	tests/accuracy/manual.h \
	tests/accuracy/rows_out.h \
	tests/accuracy/table.h \
	tests/unit/hostile.h \
	tests/unit/pool_cases.h \
	tests/unit/profiles.h \
	tests/unit/requests.h \
	tests/unit/shipped.h \
	tests/unit/sample.h \
	tests/unit/unit.h \
	tests/lint/lint.sh \
	tests/unit/skipped.sh \
	tests/cli/lib.sh \
	tests/script/lib.sh \
	tests/tui/lib.sh

EXTRA_DIST += tests/speed.sh tests/bench/direct_onednn.c tests/bench/toolkits.sh $(long_tests) $(lint_tests) $(cli_tests) $(accuracy_scripts) $(test_helpers)
EXTRA_DIST += \
	tests/fixtures \
	tests/fuzz/corpus \
	tests/cluster
