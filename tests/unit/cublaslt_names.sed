# cublaslt_names.sed - the enumerators of a preprocessed cublasLt.h that stand for parts
# of an algorithm, as X(ALGO_TILE, 8x16, CUBLASLT_MATMUL_TILE_8x16)
s/.*\(CUBLASLT_MATMUL_\(TILE\|STAGES\)_\([0-9A-Za-z]*\)\) *=.*/X(ALGO_\2, \3, \1)/p
s/.*\(CUBLASLT_MATMUL_INNER_SHAPE_\([0-9A-Z]*\)\) *=.*/X(ALGO_INNER, \2, \1)/p
s/.*\(CUBLASLT_CLUSTER_SHAPE_\([0-9A-Za-z]*\)\) *=.*/X(ALGO_CLUSTER, \2, \1)/p
s/.*\(CUBLASLT_REDUCTION_SCHEME_\(NONE\|INPLACE\|COMPUTE\|OUTPUT\)[A-Z_]*\) *=.*/X(ALGO_REDUCTION, \2, \1)/p
