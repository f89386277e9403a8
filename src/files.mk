# src/files.mk - the sources, folder by folder; tests/lint/listed.sh checks that none is
# left out.

gpuplan_SOURCES = src/cli/main.c
gpuplan_LDADD = $(program_libs)

util_sources = \
	src/util/err.c \
	src/util/err.h \
	src/util/json.c \
	src/util/json.h \
	src/util/mem.c \
	src/util/mem.h \
	src/util/path.c \
	src/util/path.h \
	src/util/str.c \
	src/util/str.h \
	src/util/table.c \
	src/util/table.h \
	src/util/units.c \
	src/util/units.h

core_sources = \
	src/core/compare.c \
	src/core/compare.h \
	src/core/cost.c \
	src/core/cost.h \
	src/core/engine.c \
	src/core/engine.h \
	src/core/explain.c \
	src/core/explain.h \
	src/core/explain_cost.c \
	src/core/explain_kv.c \
	src/core/explain_memory.c \
	src/core/explain_parts.h \
	src/core/fix.c \
	src/core/format.c \
	src/core/format.h \
	src/core/gpu.c \
	src/core/gpu.h \
	src/core/kvcache.c \
	src/core/kvcache.h \
	src/core/layout.c \
	src/core/layout.h \
	src/core/memory.c \
	src/core/memory.h \
	src/core/model.c \
	src/core/model.h \
	src/core/model_generic.c \
	src/core/model_tensors.c \
	src/core/parts.c \
	src/core/parts.h \
	src/core/plan.c \
	src/core/plan.h \
	src/core/price.h \
	src/core/quantity.c \
	src/core/quantity.h \
	src/core/request.h \
	src/core/roofline.c \
	src/core/roofline.h \
	src/core/solve.c \
	src/core/solve.h \
	src/core/train.c \
	src/core/train.h \
	src/core/train_fix.c \
	src/core/train_plan.c \
	src/core/train_saved.c \
	src/core/weights.c \
	src/core/weights.h

data_sources = \
	src/data/batch.c \
	src/data/batch.h \
	src/data/benchlog.c \
	src/data/benchlog.h \
	src/data/benchlog_calibration.c \
	src/data/benchlog_compare.c \
	src/data/benchlog_merge.c \
	src/data/benchlog_print.c \
	src/data/benchlog_summary.c \
	src/data/catalog.c \
	src/data/catalog.h \
	src/data/catalog_class.c \
	src/data/catalog_class.h \
	src/data/compare_table.c \
	src/data/csv.c \
	src/data/csv.h \
	src/data/engine_file.c \
	src/data/engine_file.h \
	src/data/format_file.c \
	src/data/format_file.h \
	src/data/gguf.c \
	src/data/gguffacts.c \
	src/data/ggufmodel.c \
	src/data/gpu_file.c \
	src/data/gpu_file.h \
	src/data/hfarch.c \
	src/data/hfcheck.c \
	src/data/hfconfig.c \
	src/data/hfconfig.h \
	src/data/hfexcept.c \
	src/data/hfexcept.h \
	src/data/hfjson.c \
	src/data/hflayers.c \
	src/data/hfmatch.c \
	src/data/hfmatch.h \
	src/data/hfmixers.c \
	src/data/hfquant.c \
	src/data/hfvision.c \
	src/data/jscan.c \
	src/data/jscan.h \
	src/data/model_file.c \
	src/data/model_file.h \
	src/data/option.c \
	src/data/option.h \
	src/data/planner.c \
	src/data/planner.h \
	src/data/price_file.c \
	src/data/price_file.h \
	src/data/price_import.c \
	src/data/price_import.h \
	src/data/print_plan.c \
	src/data/print_plan.h \
	src/data/print_why.c \
	src/data/print_why.h \
	src/data/profile.c \
	src/data/profile.h \
	src/data/profile_get.c \
	src/data/profile_impl.h \
	src/data/profile_scan.c \
	src/data/profile_scan.h \
	src/data/reader.c \
	src/data/reader_parts.h \
	src/data/readerfile.c \
	src/data/readergguf.c \
	src/data/readers.h \
	src/data/report.c \
	src/data/report.h \
	src/data/report_catalog.c \
	src/data/report_catalog.h \
	src/data/report_engine.c \
	src/data/report_gpu.c \
	src/data/report_model.c \
	src/data/report_price.c \
	src/data/report_train.c \
	src/data/report_train.h \
	src/data/safetensors.c \
	src/data/sheet.c \
	src/data/sheet.h \
	src/data/sheet_plan.c \
	src/data/sheet_plan.h \
	src/data/sheet_print.c \
	src/data/shelf.c \
	src/data/shelf.h \
	src/data/size_table.c \
	src/data/tensorname.c \
	src/data/tensorsum.c

probe_sources = \
	src/probe/probe.c \
	src/probe/probe.h \
	src/probe/probe_match.c \
	src/probe/probe_nvml.c \
	src/probe/probe_parts.h \
	src/probe/probe_sysfs.c

run_sources = \
	src/run/devices.c \
	src/run/devices.h \
	src/run/journal.c \
	src/run/journal.h \
	src/run/journal_read.c \
	src/run/points.c \
	src/run/points.h \
	src/run/points_cost.c \
	src/run/points_layers.c \
	src/run/points_parse.c \
	src/run/runner.c \
	src/run/runner.h \
	src/run/runner_child.c \
	src/run/runner_child.h \
	src/run/runner_find.c \
	src/run/runner_line.c \
	src/run/runner_line.h \
	src/run/session.c \
	src/run/session.h \
	src/run/session_facts.h \
	src/run/session_files.c \
	src/run/session_host.c \
	src/run/session_look.c \
	src/run/session_parts.h \
	src/run/session_plan.c \
	src/run/session_predict.c \
	src/run/session_result.c \
	src/run/session_view.c \
	src/run/session_work.c

tui_sources = \
	src/tui/action.c \
	src/tui/action.h \
	src/tui/canvas.c \
	src/tui/canvas.h \
	src/tui/frame.c \
	src/tui/frame.h \
	src/tui/key.c \
	src/tui/key.h \
	src/tui/rect.h \
	src/tui/theme.c \
	src/tui/theme.h \
	src/tui/utf8.c \
	src/tui/utf8.h

cli_sources = \
	src/cli/bench_parts.h \
	src/cli/bench_print.c \
	src/cli/bench_progress.c \
	src/cli/bench_rank.c \
	src/cli/cmd_batch.c \
	src/cli/cmd_bench.c \
	src/cli/cmd_compare.c \
	src/cli/cmd_import.c \
	src/cli/cmd_list.c \
	src/cli/cmd_plan.c \
	src/cli/cmd_results.c \
	src/cli/cmd_show.c \
	src/cli/cmd_table.c \
	src/cli/command.c \
	src/cli/command.h \
	src/cli/completion.c \
	src/cli/print_train.c \
	src/cli/print_train.h

bench_sources = \
	bench/backend.h \
	bench/bench_main.c \
	bench/cpu_topology.c \
	bench/cpu_topology.h \
	bench/measure.c \
	bench/measure.h \
	bench/method.c \
	bench/method.h \
	bench/method_check.c \
	bench/method_loop.c \
	bench/method_stats.c \
	bench/orders.c \
	bench/orders.h \
	bench/point.c \
	bench/point.h \
	bench/protocol.c \
	bench/protocol.h \
	bench/watch.c \
	bench/watch.h

cpu_engine_sources = \
	bench/engine_cpu.c \
	bench/cpu_engine.h \
	bench/cpu_gemm.c \
	bench/cpu_gemm.h \
	bench/cpu_gemm_blas.c \
	bench/cpu_gemm_onednn.c \
	bench/cpu_load.c \
	bench/cpu_load.h \
	bench/cpu_number.c \
	bench/cpu_pool.c \
	bench/cpu_pool.h \
	bench/cpu_test_decode.c \
	bench/cpu_test_fit.c \
	bench/cpu_test_gemm.c \
	bench/cpu_test_memory.c \
	bench/cpu_test_transfer.c

cuda_engine_sources = \
	bench/engine_cuda.c \
	bench/cuda_allreduce.c \
	bench/cuda_arena.c \
	bench/cuda_check.c \
	bench/cuda_convert.c \
	bench/cuda_convert.h \
	bench/cuda_ctx.h \
	bench/cuda_decode.c \
	bench/cuda_error.c \
	bench/cuda_fit.c \
	bench/cuda_gemm.c \
	bench/cuda_kernel.c \
	bench/cuda_kernel.h \
	bench/cuda_lt.c \
	bench/cuda_lt.h \
	bench/cuda_memory.c \
	bench/cuda_run.c \
	bench/cuda_transfer.c \
	bench/cuda_types.c \
	bench/cuda_types.h \
	bench/sensors_nvml.c \
	bench/sensors_nvml.h

libgpuplan_a_SOURCES = \
	$(util_sources) \
	$(core_sources) \
	$(data_sources) \
	$(probe_sources) \
	$(run_sources) \
	$(tui_sources) \
	$(cli_sources) \
	$(bench_sources)
