# src/files.mk - the sources, folder by folder; tests/lint/listed.sh checks that none is
# left out.

gpuplan_SOURCES = src/cli/allocate.c src/cli/main.c
gpuplan_LDADD = $(program_libs)

base_sources = \
	src/base/clock.c \
	src/base/clock.h \
	src/base/csv.c \
	src/base/csv.h \
	src/base/err.c \
	src/base/err.h \
	src/base/json.c \
	src/base/json.h \
	src/base/exit.c \
	src/base/exit.h \
	src/base/mem.c \
	src/base/mem.h \
	src/base/path.c \
	src/base/path.h \
	src/base/quantity.c \
	src/base/quantity.h \
	src/base/say.c \
	src/base/say.h \
	src/base/quote.c \
	src/base/quote.h \
	src/base/str.c \
	src/base/str.h \
	src/base/suggest.c \
	src/base/suggest.h \
	src/base/table.c \
	src/base/table.h \
	src/base/texts.c \
	src/base/texts.h \
	src/base/thread.c \
	src/base/thread.h \
	src/base/units.c \
	src/base/units.h \
	src/base/xml.c \
	src/base/xml.h

model_sources = \
	src/model/format.c \
	src/model/format.h \
	src/model/gguf.c \
	src/model/gguf.h \
	src/model/model.c \
	src/model/model.h \
	src/model/model_generic.c \
	src/model/model_tensors.c \
	src/model/read/checkpoint.c \
	src/model/read/checkpoint.h \
	src/model/read/gguf.c \
	src/model/read/gguf.h \
	src/model/read/ggufmodel.c \
	src/model/read/hfarch.c \
	src/model/read/hfcheck.c \
	src/model/read/hfconfig.c \
	src/model/read/hfconfig.h \
	src/model/read/hfkeys.c \
	src/model/read/hflayers.c \
	src/model/read/hfquant.c \
	src/model/read/hfvision.c \
	src/model/read/hub_cache.c \
	src/model/read/hub_cache.h \
	src/model/read/jscan.c \
	src/model/read/jscan.h \
	src/model/read/safetensors.c \
	src/model/read/tensorname.c \
	src/model/read/tensors.h \
	src/model/read/tensorsum.c

catalog_sources = \
	src/catalog/catalog.c \
	src/catalog/catalog.h \
	src/catalog/engine.c \
	src/catalog/engine.h \
	src/catalog/family.c \
	src/catalog/family.h \
	src/catalog/files.h \
	src/catalog/format_file.c \
	src/catalog/gpu.c \
	src/catalog/gpu.h \
	src/catalog/launch_file.c \
	src/catalog/launch_file.h \
	src/catalog/lengths.c \
	src/catalog/lengths.h \
	src/catalog/model_file.c \
	src/catalog/names.c \
	src/catalog/names.h \
	src/catalog/price.h \
	src/catalog/price_file.c \
	src/catalog/profile.c \
	src/catalog/profile.h \
	src/catalog/registry.c \
	src/catalog/registry.h \
	src/catalog/trace.c \
	src/catalog/trace.h

plan_sources = \
	src/plan/activation.c \
	src/plan/activation.h \
	src/plan/better.c \
	src/plan/better.h \
	src/plan/breaks.c \
	src/plan/breaks.h \
	src/plan/calibration.c \
	src/plan/calibration.h \
	src/plan/compare.c \
	src/plan/compare.h \
	src/plan/cost.c \
	src/plan/cost.h \
	src/plan/diagnose.c \
	src/plan/diagnose.h \
	src/plan/draft.c \
	src/plan/draft.h \
	src/plan/evaluate.c \
	src/plan/evaluate.h \
	src/plan/fix.c \
	src/plan/kvcache.c \
	src/plan/kvcache.h \
	src/plan/kvcache_blocks.c \
	src/plan/layout.c \
	src/plan/layout.h \
	src/plan/load.c \
	src/plan/load.h \
	src/plan/logged.c \
	src/plan/logged.h \
	src/plan/logged_fit.c \
	src/plan/logged_fit.h \
	src/plan/memory.c \
	src/plan/memory.h \
	src/plan/memory_budget.c \
	src/plan/plan.c \
	src/plan/plan.h \
	src/plan/power.c \
	src/plan/power.h \
	src/plan/products.c \
	src/plan/products.h \
	src/plan/reason.c \
	src/plan/reason.h \
	src/plan/request.c \
	src/plan/request.h \
	src/plan/roofline.c \
	src/plan/roofline.h \
	src/plan/rules.c \
	src/plan/rules.h \
	src/plan/rules_llamacpp.c \
	src/plan/rules_sglang.c \
	src/plan/rules_vllm.c \
	src/plan/search.c \
	src/plan/search.h \
	src/plan/solve.c \
	src/plan/solve.h \
	src/plan/speed/anchor.c \
	src/plan/speed/anchor.h \
	src/plan/speed/attention.c \
	src/plan/speed/attention.h \
	src/plan/speed/calib.c \
	src/plan/speed/calib.h \
	src/plan/speed/comm.c \
	src/plan/speed/comm.h \
	src/plan/speed/gemm.c \
	src/plan/speed/gemm.h \
	src/plan/speed/serve.c \
	src/plan/speed/serve.h \
	src/plan/speed/speed.c \
	src/plan/speed/speed.h \
	src/plan/speed/step.c \
	src/plan/speed/step.h \
	src/plan/sweep.c \
	src/plan/sweep.h \
	src/plan/terms.c \
	src/plan/terms.h \
	src/plan/terms_list.c \
	src/plan/terms_list.h \
	src/plan/terms_power.c \
	src/plan/terms_speed.c \
	src/plan/train/train.c \
	src/plan/train/train.h \
	src/plan/train/train_cost.c \
	src/plan/train/train_fix.c \
	src/plan/train/train_plan.c \
	src/plan/train/train_saved.c \
	src/plan/usage.c \
	src/plan/usage.h \
	src/plan/weights.c \
	src/plan/weights.h

answer_sources = \
	src/answer/answer_lines.c \
	src/answer/answer_lines.h \
	src/answer/calibrate.c \
	src/answer/calibrate.h \
	src/answer/compare_run.c \
	src/answer/compare_run.h \
	src/answer/diagnose_print.c \
	src/answer/diagnose_print.h \
	src/answer/document.c \
	src/answer/document.h \
	src/answer/figures.c \
	src/answer/figures.h \
	src/answer/launch.c \
	src/answer/launch.h \
	src/answer/launch_print.c \
	src/answer/launch_print.h \
	src/answer/launch_read.c \
	src/answer/curves.c \
	src/answer/curves.h \
	src/answer/log_request.c \
	src/answer/log_request.h \
	src/answer/option.c \
	src/answer/option.h \
	src/answer/option_rows.h \
	src/answer/planner.c \
	src/answer/planner.h \
	src/answer/plot.c \
	src/answer/plot.h \
	src/answer/print_plan.c \
	src/answer/print_plan.h \
	src/answer/record.c \
	src/answer/record.h \
	src/answer/report.c \
	src/answer/report.h \
	src/answer/report_catalog.c \
	src/answer/report_catalog.h \
	src/answer/report_page.c \
	src/answer/report_page.h \
	src/answer/request_line.c \
	src/answer/request_line.h \
	src/answer/resolve.c \
	src/answer/sentence.c \
	src/answer/sentence.h \
	src/answer/startup.c \
	src/answer/startup.h

pool_sources = \
	src/pool/assign.c \
	src/pool/assign.h \
	src/pool/bound.c \
	src/pool/bound.h \
	src/pool/cover.c \
	src/pool/fixed.c \
	src/pool/fleet.c \
	src/pool/grid.c \
	src/pool/grid.h \
	src/pool/improve.c \
	src/pool/isolated.c \
	src/pool/ladder.c \
	src/pool/lp.c \
	src/pool/lp.h \
	src/pool/pack.c \
	src/pool/placement.c \
	src/pool/pool.h \
	src/pool/pool_case.c \
	src/pool/pool_case.h \
	src/pool/pool_export.c \
	src/pool/pool_file.c \
	src/pool/pool_file.h \
	src/pool/pool_highs.c \
	src/pool/pool_mps.c \
	src/pool/pool_mps.h \
	src/pool/pool_record.c \
	src/pool/pool_record.h \
	src/pool/pool_run.c \
	src/pool/pool_run.h

logs_sources = \
	src/logs/attach.c \
	src/logs/attach.h \
	src/logs/log_check.c \
	src/logs/log_check.h \
	src/logs/read/enginelog.c \
	src/logs/read/enginelog.h \
	src/logs/read/scrape.c \
	src/logs/read/scrape.h \
	src/logs/read/serverbench.c \
	src/logs/read/serverbench.h

measure_sources = \
	src/measure/confirm.c \
	src/measure/confirm.h \
	src/measure/devices.c \
	src/measure/devices.h \
	src/measure/diagnosing.c \
	src/measure/diagnosing.h \
	src/measure/journal.c \
	src/measure/journal.h \
	src/measure/point/field.c \
	src/measure/point/field.h \
	src/measure/point/line.c \
	src/measure/point/line.h \
	src/measure/point/method.c \
	src/measure/point/method.h \
	src/measure/point/point.c \
	src/measure/point/point.h \
	src/measure/point/protocol.c \
	src/measure/point/protocol.h \
	src/measure/point/result.c \
	src/measure/point/result.h \
	src/measure/point/test.c \
	src/measure/point/test.h \
	src/measure/point/test_rows.h \
	src/measure/points.c \
	src/measure/points.h \
	src/measure/result/benchlog.c \
	src/measure/result/benchlog.h \
	src/measure/result/benchlog_compare.c \
	src/measure/result/benchlog_merge.c \
	src/measure/result/benchlog_print.c \
	src/measure/result/benchlog_summary.c \
	src/measure/result/calibration.c \
	src/measure/result/measured.c \
	src/measure/result/measured.h \
	src/measure/runner.c \
	src/measure/runner.h \
	src/measure/runner_child.c \
	src/measure/runner_child.h \
	src/measure/runner_line.c \
	src/measure/runner_line.h \
	src/measure/session.c \
	src/measure/session.h \
	src/measure/session_file.c \
	src/measure/session_inside.h \
	src/measure/session_plan.c \
	src/measure/session_record.c

probe_sources = \
	src/probe/cpu_host.c \
	src/probe/cpu_host.h \
	src/probe/cpu_topology.c \
	src/probe/cpu_topology.h \
	src/probe/nvml.c \
	src/probe/nvml.h \
	src/probe/probe.c \
	src/probe/probe.h \
	src/probe/probe_backend.h \
	src/probe/probe_nvml.c \
	src/probe/probe_sysfs.c

tui_sources = \
	src/tui/action.c \
	src/tui/action.h \
	src/tui/app.c \
	src/tui/app.h \
	src/tui/app_act.c \
	src/tui/app_key.c \
	src/tui/bench/bench_options.c \
	src/tui/bench/bench_options.h \
	src/tui/bench/s_bench.c \
	src/tui/bench/s_bench.h \
	src/tui/bench/bench_live.c \
	src/tui/command.c \
	src/tui/compare/compare_view.c \
	src/tui/compare/compare_view.h \
	src/tui/compare/s_compare.c \
	src/tui/curves/s_curves.c \
	src/tui/form.c \
	src/tui/form.h \
	src/tui/form_fields.c \
	src/tui/form_values.c \
	src/tui/list.c \
	src/tui/list.h \
	src/tui/loop.c \
	src/tui/loop.h \
	src/tui/membar.c \
	src/tui/membar.h \
	src/tui/plan_summary.c \
	src/tui/plan_summary.h \
	src/tui/plain/plain.c \
	src/tui/plain/plain.h \
	src/tui/plan/plan_answer.c \
	src/tui/plan/plan_answer.h \
	src/tui/plan/plan_alternatives.c \
	src/tui/plan/plan_alternatives.h \
	src/tui/plan/s_plan.c \
	src/tui/pool/s_pool.c \
	src/tui/screen.h \
	src/tui/script.c \
	src/tui/settings.c \
	src/tui/settings.h \
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
	src/tui/toolkit/pager.c \
	src/tui/toolkit/plot_draw.c \
	src/tui/toolkit/plot_draw.h \
	src/tui/toolkit/prompt.c \
	src/tui/toolkit/signals.c \
	src/tui/toolkit/signals.h \
	src/tui/toolkit/term.c \
	src/tui/toolkit/term.h \
	src/tui/toolkit/theme.h \
	src/tui/toolkit/utf8.c \
	src/tui/toolkit/utf8.h \
	src/tui/toolkit/words.c \
	src/tui/toolkit/words.h \
	src/tui/worker.c \
	src/tui/worker.h

cli_sources = \
	src/cli/bench_print.c \
	src/cli/bench_print.h \
	src/cli/bench_progress.c \
	src/cli/bench_progress.h \
	src/cli/cmd_batch.c \
	src/cli/cmd_bench.c \
	src/cli/cmd_check_log.c \
	src/cli/cmd_check_plan.c \
	src/cli/cmd_compare.c \
	src/cli/cmd_confirm.c \
	src/cli/cmd_import_model.c \
	src/cli/cmd_launch.c \
	src/cli/cmd_list.c \
	src/cli/cmd_plan.c \
	src/cli/cmd_pool.c \
	src/cli/cmd_report.c \
	src/cli/cmd_results.c \
	src/cli/cmd_screen.c \
	src/cli/cmd_show.c \
	src/cli/cmd_table.c \
	src/cli/command.c \
	src/cli/command.h \
	src/cli/completion.c

bench_sources = \
	bench/backend.h \
	bench/bench_main.c \
	bench/job.c \
	bench/job.h \
	bench/measure.c \
	bench/measure.h \
	bench/method_check.c \
	bench/method_loop.c \
	bench/method_stats.c \
	bench/number.c \
	bench/number.h \
	bench/storage.c \
	bench/storage.h \
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
	bench/cpu_pool.c \
	bench/cpu_pool.h \
	bench/cpu_test_decode.c \
	bench/cpu_test_fit.c \
	bench/cpu_test_gemm.c \
	bench/cpu_test_memory.c \
	bench/cpu_test_transfer.c

cuda_engine_sources = \
	bench/engine_cuda.c \
	bench/cpu_pool.c \
	bench/cpu_pool.h \
	bench/cuda_algo.c \
	bench/cuda_algo.h \
	bench/cuda_allreduce.c \
	bench/cuda_arena.c \
	bench/cuda_check.c \
	bench/cuda_ctx.h \
	bench/cuda_decode.c \
	bench/cuda_devices.c \
	bench/cuda_error.c \
	bench/cuda_fit.c \
	bench/cuda_gemm.c \
	bench/cuda_library.c \
	bench/cuda_library.h \
	bench/cuda_lt.c \
	bench/cuda_lt.h \
	bench/cuda_memory.c \
	bench/cuda_nvml.c \
	bench/cuda_peer.c \
	bench/cuda_run.c \
	bench/cuda_symbols.h \
	bench/cuda_transfer.c \
	bench/cuda_types.c \
	bench/cuda_types.h

libgpuplan_a_SOURCES = \
	$(base_sources) \
	$(model_sources) \
	$(catalog_sources) \
	$(plan_sources) \
	$(answer_sources) \
	$(pool_sources) \
	$(logs_sources) \
	$(measure_sources) \
	$(probe_sources) \
	$(tui_sources) \
	$(cli_sources) \
	$(bench_sources)
