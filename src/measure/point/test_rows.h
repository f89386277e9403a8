/*
 * test_rows.h - the tests, a row each, in the order in which they are measured:
 * TEST(ID, word, the fields of struct test_row that are not zero).
 *
 * The word is that of a command line, of ids and of files. test.h makes the ids of it and
 * test.c the table; the lists of words and the engines' tables (cpu_test_WORD,
 * cuda_WORD_prepare) follow. The functions are those of test.c.
 */
TEST(GEMM, gemm, .title = "products of matrices", .heading = "gemm (m x n x k)",
     .label = "matrix products",
     .help = "gemm: y = x W for square matrices, or the shapes given: rate = 2 m n k / time, "
             "against the data sheet's.",
     .is = TEST_IS_PRODUCT | TEST_IS_LIBRARY | TEST_IS_ROTATED | TEST_IS_DEFAULT | TEST_IS_CHOSEN,
     .bound = BOUND_WORK, .rate = RATE_OPERATIONS, .term = CAL_RATE, .of = "gemm", .typed = true,
     .operations = product_operations, .bytes = product_bytes, .name = gemm_name,
     .refuse = product_refuse)
TEST(BATCH, batch, .title = "the plan's layers", .heading = "batch (layer, tokens)",
     .label = "a layer",
     .help = "batch: the linear layers of the plan's model as one GPU holds them, for 1 to 8192 "
             "tokens: where weights stop being the limit.",
     .is = TEST_IS_PRODUCT | TEST_IS_LIBRARY | TEST_IS_ROTATED | TEST_NEEDS_MODEL | TEST_IS_LAYER |
           TEST_IS_DEFAULT | TEST_IS_CHOSEN,
     .bound = BOUND_WORK, .rate = RATE_OPERATIONS, .term = CAL_BANDWIDTH, .typed = true,
     .operations = product_operations, .bytes = product_bytes, .name = batch_name,
     .refuse = product_refuse, .term_of = batch_term)
TEST(
    MEMORY, memory, .title = "read, write and copy", .label = "memory",
    .help =
        "memory: bytes per second of the device's memory, beyond its caches: what bounds decoding.",
    .is = TEST_IS_SIZED | TEST_IS_ROTATED | TEST_IS_ALWAYS | TEST_IS_DEFAULT | TEST_IS_CHOSEN,
    .bound = BOUND_MEMORY, .rate = RATE_BYTES, .term = CAL_BANDWIDTH)
TEST(TRANSFER, transfer, .title = "to and from the host", .label = "transfer",
     .help = "transfer: host to device and back, pinned and pageable, and a file from storage.",
     .is = TEST_IS_SIZED | TEST_IS_DEFAULT, .bound = BOUND_LINK, .rate = RATE_BYTES,
     .term = CAL_LINK, .bytes = transfer_bytes, .name = transfer_name, .refuse = transfer_refuse,
     .term_of = transfer_term)
TEST(DECODE, decode, .title = "a whole decoder step", .label = "a decoder step",
     .help = "decode: one step of the plan's model with its layers, KV reads and head, for its "
             "users and context.",
     .is = TEST_IS_LIBRARY | TEST_IS_ROTATED | TEST_IS_WHOLE | TEST_NEEDS_MODEL,
     .bound = BOUND_WORK, .rate = RATE_SECONDS, .operations = decode_operations,
     .bytes = decode_bytes, .name = decode_name, .refuse = decode_refuse)
TEST(FIT, fit, .title = "allocates the plan", .label = "fit",
     .help = "fit: allocates the bytes per GPU that the plan asks for: does the plan fit for real?",
     .is = TEST_IS_SIZED | TEST_IS_ONCE | TEST_NEEDS_MODEL | TEST_NEEDS_PLAN, .bound = BOUND_NONE,
     .rate = RATE_BYTES, .ways = 1, .name = fit_name)
TEST(ALLREDUCE, allreduce, .title = "sums over devices", .label = "sums",
     .help = "allreduce: the sum over all chosen devices, 1 KiB to 256 MiB; two devices or more.",
     .is = TEST_IS_SIZED | TEST_NEEDS_DEVICES | TEST_USES_MODEL, .bound = BOUND_NONE,
     .rate = RATE_BYTES, .term = CAL_ALLREDUCE, .typed = true, .name = allreduce_name,
     .refuse = allreduce_refuse, .term_of = allreduce_term)
