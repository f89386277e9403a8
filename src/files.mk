# src/files.mk - the sources, folder by folder; tests/lint/listed.sh checks that none is
# left out.

gpuplan_SOURCES = src/cli/allocate.c src/cli/main.c
gpuplan_LDADD = $(program_libs)

util_sources = \
	src/util/clock.c \
	src/util/clock.h \
	src/util/csv.c \
	src/util/csv.h \
	src/util/err.c \
	src/util/err.h \
	src/util/json.c \
	src/util/json.h \
	src/util/mem.c \
	src/util/mem.h \
	src/util/path.c \
	src/util/path.h \
	src/util/say.c \
	src/util/say.h \
	src/util/sha256.c \
	src/util/sha256.h \
	src/util/str.c \
	src/util/str.h \
	src/util/suggest.c \
	src/util/suggest.h \
	src/util/table.c \
	src/util/table.h \
	src/util/units.c \
	src/util/units.h

point_sources = \
	src/point/field.c \
	src/point/field.h \
	src/point/line.c \
	src/point/line.h \
	src/point/point.c \
	src/point/point.h \
	src/point/point_decode.c \
	src/point/test.c \
	src/point/test.h

core_sources = \
	src/core/speed/attention.c \
	src/core/speed/attention.h \
	src/core/speed/comm.c \
	src/core/speed/comm.h \
	src/core/speed/family.c \
	src/core/speed/family.h \
	src/core/speed/gemm.h \
	src/core/speed/moe.c \
	src/core/speed/moe.h \
	src/core/speed/serve.c \
	src/core/speed/serve.h \
	src/core/speed/speed.c \
	src/core/speed/speed.h \
	src/core/speed/step.c \
	src/core/speed/step.h \
	src/core/calibration.c \
	src/core/calibration.h \
	src/core/compare.c \
	src/core/compare.h \
	src/core/cost.c \
	src/core/cost.h \
	src/core/draft.c \
	src/core/draft.h \
	src/core/engine.c \
	src/core/engine.h \
	src/core/evaluate.c \
	src/core/evaluate.h \
	src/core/fix.c \
	src/core/format.c \
	src/core/format.h \
	src/core/gguf.c \
	src/core/gguf.h \
	src/core/gpu.c \
	src/core/gpu.h \
	src/core/graph.c \
	src/core/graph.h \
	src/core/kvcache.c \
	src/core/kvcache.h \
	src/core/layout.c \
	src/core/layout.h \
	src/core/lengths.c \
	src/core/lengths.h \
	src/core/load.c \
	src/core/load.h \
	src/core/lora.c \
	src/core/lora.h \
	src/core/memory.c \
	src/core/memory.h \
	src/core/model.c \
	src/core/model.h \
	src/core/model_generic.c \
	src/core/model_tensors.c \
	src/core/plan.c \
	src/core/plan.h \
	src/core/price.h \
	src/core/quantity.c \
	src/core/quantity.h \
	src/core/reason.c \
	src/core/reason.h \
	src/core/request.h \
	src/core/roofline.c \
	src/core/roofline.h \
	src/core/search.c \
	src/core/search.h \
	src/core/solve.c \
	src/core/solve.h \
	src/core/sweep.c \
	src/core/sweep.h \
	src/core/terms.c \
	src/core/terms.h \
	src/core/terms_list.c \
	src/core/terms_list.h \
	src/core/terms_speed.c \
	src/core/train.c \
	src/core/train.h \
	src/core/train_cost.c \
	src/core/train_fix.c \
	src/core/train_plan.c \
	src/core/train_saved.c \
	src/core/weights.c \
	src/core/weights.h

checkpoint_sources = \
	src/checkpoint/checkpoint.c \
	src/checkpoint/checkpoint.h \
	src/checkpoint/gguf.c \
	src/checkpoint/gguf.h \
	src/checkpoint/ggufmodel.c \
	src/checkpoint/hfarch.c \
	src/checkpoint/hfcheck.c \
	src/checkpoint/hfconfig.c \
	src/checkpoint/hfconfig.h \
	src/checkpoint/hfexcept.c \
	src/checkpoint/hfexpr.c \
	src/checkpoint/hfexcept.h \
	src/checkpoint/hfjson.c \
	src/checkpoint/hfkeys.c \
	src/checkpoint/hflayers.c \
	src/checkpoint/hfmatch.c \
	src/checkpoint/hfmatch.h \
	src/checkpoint/hfmixers.c \
	src/checkpoint/hfquant.c \
	src/checkpoint/hfvision.c \
	src/checkpoint/hub_cache.c \
	src/checkpoint/hub_cache.h \
	src/checkpoint/jscan.c \
	src/checkpoint/jscan.h \
	src/checkpoint/local_models.c \
	src/checkpoint/local_models.h \
	src/checkpoint/reader_file.c \
	src/checkpoint/reader_file.h \
	src/checkpoint/reader_gguf.c \
	src/checkpoint/safetensors.c \
	src/checkpoint/tensorname.c \
	src/checkpoint/tensors.h \
	src/checkpoint/tensorsum.c

catalog_sources = \
	src/catalog/catalog.c \
	src/catalog/catalog.h \
	src/catalog/engine_file.c \
	src/catalog/engine_file.h \
	src/catalog/family_file.c \
	src/catalog/family_file.h \
	src/catalog/format_file.c \
	src/catalog/format_file.h \
	src/catalog/gpu_file.c \
	src/catalog/gpu_file.h \
	src/catalog/model_file.c \
	src/catalog/model_file.h \
	src/catalog/price_file.c \
	src/catalog/price_file.h \
	src/catalog/price_import.c \
	src/catalog/price_import.h \
	src/catalog/profile.c \
	src/catalog/profile.h \
	src/catalog/profile_scan.c \
	src/catalog/profile_scan.h \
	src/catalog/registry.c \
	src/catalog/registry.h \
	src/catalog/trace.c \
	src/catalog/trace.h

probe_sources = \
	src/probe/cpu_topology.c \
	src/probe/cpu_topology.h \
	src/probe/probe.c \
	src/probe/probe.h \
	src/probe/probe_backend.h \
	src/probe/probe_cpu.c \
	src/probe/probe_cpu.h \
	src/probe/probe_match.c \
	src/probe/nvml.c \
	src/probe/nvml.h \
	src/probe/probe_nvml.c \
	src/probe/probe_sysfs.c

request_sources = \
	src/request/option.c \
	src/request/option.h \
	src/request/option_rows.h \
	src/request/planner.c \
	src/request/planner.h \
	src/request/planner_answer.c \
	src/request/planner_lengths.c \
	src/request/planner_lengths.h \
	src/request/planner_train.c \
	src/request/planner_train.h \
	src/request/request_line.c \
	src/request/request_line.h \
	src/request/spelling.c \
	src/request/spelling.h

output_sources = \
	src/output/answer_lines.c \
	src/output/answer_lines.h \
	src/output/batch.c \
	src/output/batch.h \
	src/output/compare_run.c \
	src/output/compare_run.h \
	src/output/parts.c \
	src/output/parts.h \
	src/output/plot.c \
	src/output/plot.h \
	src/output/plot_svg.c \
	src/output/print_compare.c \
	src/output/print_compare.h \
	src/output/print_plan.c \
	src/output/print_plan.h \
	src/output/print_why.c \
	src/output/print_why.h \
	src/output/record.c \
	src/output/record.h \
	src/output/record_json.c \
	src/output/record_plan.c \
	src/output/record_plan.h \
	src/output/record_print.c \
	src/output/report.c \
	src/output/report.h \
	src/output/report_catalog.c \
	src/output/report_catalog.h \
	src/output/report_engine.c \
	src/output/report_family.c \
	src/output/report_gpu.c \
	src/output/report_model.c \
	src/output/report_price.c \
	src/output/report_train.c \
	src/output/report_train.h \
	src/output/sentence.c \
	src/output/sentence_speed.c \
	src/output/sentence.h \
	src/output/startup.c \
	src/output/startup.h \
	src/output/size_table.c

result_sources = \
	src/result/benchlog.c \
	src/result/benchlog.h \
	src/result/benchlog_alike.c \
	src/result/benchlog_calibration.c \
	src/result/benchlog_compare.c \
	src/result/benchlog_merge.c \
	src/result/benchlog_print.c \
	src/result/benchlog_spread.c \
	src/result/benchlog_summary.c \
	src/result/calibration.c \
	src/result/calibration.h \
	src/result/fit.c \
	src/result/fit.h

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
	src/run/points_order.c \
	src/run/points_parse.c \
	src/run/runner.c \
	src/run/runner.h \
	src/run/runner_answer.c \
	src/run/runner_answer.h \
	src/run/runner_child.c \
	src/run/runner_child.h \
	src/run/runner_find.c \
	src/run/runner_line.c \
	src/run/runner_line.h \
	src/run/session.c \
	src/run/session.h \
	src/run/session_device.c \
	src/run/session_device.h \
	src/run/session_drive.c \
	src/run/session_drive.h \
	src/run/session_facts.h \
	src/run/session_files.c \
	src/run/session_files.h \
	src/run/session_host.c \
	src/run/session_inside.h \
	src/run/session_look.c \
	src/run/session_look.h \
	src/run/session_notes.c \
	src/run/session_notes.h \
	src/run/session_options.c \
	src/run/session_options.h \
	src/run/session_plan.c \
	src/run/session_plan.h \
	src/run/session_predict.c \
	src/run/session_predict.h \
	src/run/session_record.c \
	src/run/session_record.h \
	src/run/session_result.c \
	src/run/session_say.c \
	src/run/session_say.h \
	src/run/session_work.c

tui_sources = \
	src/tui/action.c \
	src/tui/action.h \
	src/tui/app.c \
	src/tui/app.h \
	src/tui/app_act.c \
	src/tui/app_draw.c \
	src/tui/app_key.c \
	src/tui/command.c \
	src/tui/field.c \
	src/tui/form.c \
	src/tui/form.h \
	src/tui/form_choices.c \
	src/tui/form_values.c \
	src/tui/form_values.h \
	src/tui/list.c \
	src/tui/list.h \
	src/tui/loop.c \
	src/tui/loop.h \
	src/tui/membar.c \
	src/tui/membar.h \
	src/tui/screen.h \
	src/tui/script.c \
	src/tui/script.h \
	src/tui/settings.c \
	src/tui/settings.h \
	src/tui/bench/bench_options.c \
	src/tui/bench/bench_options.h \
	src/tui/bench/bench_rows.c \
	src/tui/bench/bench_session.c \
	src/tui/bench/devices_view.c \
	src/tui/bench/gauge.c \
	src/tui/bench/gauge.h \
	src/tui/bench/s_bench.c \
	src/tui/bench/s_bench.h \
	src/tui/bench/s_bench_choose.c \
	src/tui/bench/s_bench_done.c \
	src/tui/bench/s_bench_live.c \
	src/tui/bench/s_bench_options.c \
	src/tui/compare/compare_detail.c \
	src/tui/compare/compare_filter.c \
	src/tui/compare/compare_view.c \
	src/tui/compare/compare_view.h \
	src/tui/compare/s_compare.c \
	src/tui/compare/s_compare.h \
	src/tui/compare/s_compare_draw.c \
	src/tui/curves/curve_measured.c \
	src/tui/curves/curve_memory.c \
	src/tui/curves/curve_roofline.c \
	src/tui/curves/curves.c \
	src/tui/curves/curves.h \
	src/tui/curves/curves_draw.c \
	src/tui/curves/s_curves.c \
	src/tui/plain/plain.c \
	src/tui/plain/plain.h \
	src/tui/plain/plain_bench.c \
	src/tui/plain/plain_compare.c \
	src/tui/plain/plain_form.c \
	src/tui/plain/plain_lines.c \
	src/tui/plain/plain_lines.h \
	src/tui/plain/plain_say.c \
	src/tui/plan/plan_answer.c \
	src/tui/plan/plan_answer.h \
	src/tui/plan/s_plan.c \
	src/tui/toolkit/canvas.c \
	src/tui/toolkit/canvas.h \
	src/tui/toolkit/chooser.c \
	src/tui/toolkit/edit.c \
	src/tui/toolkit/edit.h \
	src/tui/toolkit/frame.c \
	src/tui/toolkit/frame.h \
	src/tui/toolkit/key.c \
	src/tui/toolkit/key.h \
	src/tui/toolkit/overlay.c \
	src/tui/toolkit/overlay.h \
	src/tui/toolkit/page.c \
	src/tui/toolkit/page.h \
	src/tui/toolkit/pager.c \
	src/tui/toolkit/paste.c \
	src/tui/toolkit/paste.h \
	src/tui/toolkit/plot_draw.c \
	src/tui/toolkit/plot_draw.h \
	src/tui/toolkit/prompt.c \
	src/tui/toolkit/rect.h \
	src/tui/toolkit/signals.c \
	src/tui/toolkit/signals.h \
	src/tui/toolkit/spark.c \
	src/tui/toolkit/spark.h \
	src/tui/toolkit/term.c \
	src/tui/toolkit/term.h \
	src/tui/toolkit/term_none.c \
	src/tui/toolkit/theme.c \
	src/tui/toolkit/theme.h \
	src/tui/toolkit/utf8.c \
	src/tui/toolkit/utf8.h \
	src/tui/toolkit/words.c \
	src/tui/toolkit/words.h

cli_sources = \
	src/cli/bench_print.c \
	src/cli/bench_print.h \
	src/cli/bench_progress.c \
	src/cli/bench_progress.h \
	src/cli/bench_rank.c \
	src/cli/bench_rank.h \
	src/cli/cmd_batch.c \
	src/cli/cmd_bench.c \
	src/cli/cmd_compare.c \
	src/cli/cmd_import.c \
	src/cli/cmd_import_model.c \
	src/cli/cmd_list.c \
	src/cli/cmd_plan.c \
	src/cli/cmd_results.c \
	src/cli/cmd_screen.c \
	src/cli/cmd_show.c \
	src/cli/cmd_table.c \
	src/cli/command.c \
	src/cli/command.h \
	src/cli/completion.c \
	src/cli/print_train.c \
	src/cli/print_train.h \
	src/cli/version.c

bench_sources = \
	bench/backend.h \
	bench/bench_main.c \
	bench/measure.c \
	bench/measure_answer.c \
	bench/measure.h \
	bench/measure_answer.h \
	bench/method.c \
	bench/method.h \
	bench/method_check.c \
	bench/method_loop.c \
	bench/method_stats.c \
	bench/job.c \
	bench/job.h \
	bench/protocol.c \
	bench/protocol.h \
	bench/watch.c \
	bench/watch.h

cpu_engine_sources = \
	bench/engine_cpu.c \
	bench/cpu_engine.c \
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
	bench/clock_lock.c \
	bench/clock_lock.h \
	bench/cuda_algo.c \
	bench/cuda_algo.h \
	bench/cuda_allreduce.c \
	bench/cuda_arena.c \
	bench/cuda_check.c \
	bench/cuda_convert.c \
	bench/cuda_convert.h \
	bench/cuda_ctx.h \
	bench/cuda_decode.c \
	bench/cuda_devices.c \
	bench/cuda_error.c \
	bench/cuda_fit.c \
	bench/cuda_gemm.c \
	bench/cuda_kernel.c \
	bench/cuda_kernel.h \
	bench/cuda_library.c \
	bench/cuda_library.h \
	bench/cuda_lt.c \
	bench/cuda_lt.h \
	bench/cuda_memory.c \
	bench/cuda_peer.c \
	bench/cuda_run.c \
	bench/cuda_sensors.c \
	bench/cuda_symbols.h \
	bench/cuda_transfer.c \
	bench/cuda_types.c \
	bench/cuda_types.h \
	bench/sensors_nvml.c \
	bench/sensors_nvml.h

libgpuplan_a_SOURCES = \
	$(util_sources) \
	$(core_sources) \
	$(point_sources) \
	$(checkpoint_sources) \
	$(catalog_sources) \
	$(request_sources) \
	$(output_sources) \
	$(result_sources) \
	$(probe_sources) \
	$(run_sources) \
	$(tui_sources) \
	$(cli_sources) \
	$(bench_sources)
