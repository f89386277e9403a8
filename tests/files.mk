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

unit_tests = \
	tests/unit/test_catalog \
	tests/unit/test_compare \
	tests/unit/test_cost \
	tests/unit/test_err \
	tests/unit/test_explain \
	tests/unit/test_facts \
	tests/unit/test_format \
	tests/unit/test_gguf \
	tests/unit/test_hfconfig \
	tests/unit/test_json \
	tests/unit/test_kvcache \
	tests/unit/test_layout \
	tests/unit/test_manual \
	tests/unit/test_memory \
	tests/unit/test_model \
	tests/unit/test_path \
	tests/unit/test_plan \
	tests/unit/test_price_import \
	tests/unit/test_probe \
	tests/unit/test_profile \
	tests/unit/test_quantity \
	tests/unit/test_reader \
	tests/unit/test_safetensors \
	tests/unit/test_sheet \
	tests/unit/test_str \
	tests/unit/test_table \
	tests/unit/test_train \
	tests/unit/test_units

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
else
TESTS += tests/unit/skipped.sh
endif

replays = \
	tests/fuzz/replay_batch \
	tests/fuzz/replay_prices \
	tests/fuzz/replay_profile

fuzzers = \
	tests/fuzz/fuzz_batch \
	tests/fuzz/fuzz_prices \
	tests/fuzz/fuzz_profile

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
tests_fuzz_replay_prices_SOURCES = tests/fuzz/fuzz_prices.c tests/fuzz/replay.c
tests_fuzz_replay_prices_LDADD = $(program_libs)
tests_fuzz_fuzz_prices_SOURCES = tests/fuzz/fuzz_prices.c
tests_fuzz_fuzz_prices_LDADD = $(program_libs)
tests_fuzz_fuzz_prices_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)
tests_fuzz_replay_profile_SOURCES = tests/fuzz/fuzz_profile.c tests/fuzz/replay.c
tests_fuzz_replay_profile_LDADD = $(program_libs)
tests_fuzz_fuzz_profile_SOURCES = tests/fuzz/fuzz_profile.c
tests_fuzz_fuzz_profile_LDADD = $(program_libs)
tests_fuzz_fuzz_profile_LDFLAGS = $(AM_LDFLAGS) $(FUZZER_LDFLAGS)

# Against published and measured figures; `make accuracy` also shows what they print.
accuracy_programs = \
	tests/accuracy/files \
	tests/accuracy/memory \
	tests/accuracy/models \
	tests/accuracy/train

check_PROGRAMS += $(accuracy_programs)
TESTS += $(accuracy_programs) $(accuracy_scripts)

# Stand-ins for the driver's library, whole, without the optional functions, and old.
fake_libraries = \
	tests/fixtures/fake_nvml.so \
	tests/fixtures/fake_nvml_basic.so \
	tests/fixtures/fake_nvml_old.so
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

lint_tests = \
	tests/lint/includes.sh \
	tests/lint/length.sh \
	tests/lint/listed.sh \
	tests/lint/man.sh \
	tests/lint/private.sh \
	tests/lint/shell.sh

cli_tests = \
	tests/cli/batch.sh \
	tests/cli/compare.sh \
	tests/cli/completion.sh \
	tests/cli/devices.sh \
	tests/cli/import.sh \
	tests/cli/list.sh \
	tests/cli/man.sh \
	tests/cli/plan.sh \
	tests/cli/readme.sh \
	tests/cli/show.sh \
	tests/cli/table.sh

TESTS += $(lint_tests) $(cli_tests)

test_helpers = \
	tests/accuracy/table.h \
	tests/unit/hostile.h \
	tests/unit/profiles.h \
	tests/unit/sample.h \
	tests/unit/unit.h \
	tests/lint/lint.sh \
	tests/unit/skipped.sh \
	tests/cli/lib.sh

EXTRA_DIST += $(lint_tests) $(cli_tests) $(accuracy_scripts) $(test_helpers)
EXTRA_DIST += \
	tests/fixtures \
	tests/fuzz/corpus
