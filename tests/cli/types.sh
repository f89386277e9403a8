#!/bin/sh
# types.sh - every type that transformers generates text with, by the defaults of its class:
# at least 85 % of the causal and of the image-text ones are planned, and all that are refused
# say why.
#
# Needs the Python package transformers, whose models need not be there: skipped without.
# GPUPLAN_TRANSFORMERS names the interpreter that has it, such as venv/bin/python.

. "${srcdir:-.}/tests/cli/lib.sh"

python=${GPUPLAN_TRANSFORMERS:-python3}
if ! "$python" -c 'import transformers' 2>/dev/null; then
    echo "needs transformers (GPUPLAN_TRANSFORMERS=venv/bin/python)"
    exit 77
fi

# a folder a type; modeling_auto itself would need torch, so its tables are read as text
"$python" - "$work/types" <<'PYTHON' 2>/dev/null
import ast, json, os, sys
import transformers
from transformers.models.auto.configuration_auto import CONFIG_MAPPING

path = os.path.join(os.path.dirname(transformers.__file__), "models/auto/modeling_auto.py")
groups = {"MODEL_FOR_CAUSAL_LM_MAPPING_NAMES": "causal",
          "MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES": "image-text"}
for node in ast.parse(open(path).read()).body:
    name = isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "")
    if name not in groups:
        continue
    for entry in node.value.args[0].elts:
        model_type, classes = ast.literal_eval(entry)
        try:
            config = CONFIG_MAPPING[model_type]()
            config.architectures = [classes if isinstance(classes, str) else classes[0]]
            text = config.to_json_string(use_diff=False)
        except Exception:  # a class that its own defaults do not pass
            continue
        folder = os.path.join(sys.argv[1], groups[name], model_type)
        os.makedirs(folder, exist_ok=True)
        open(os.path.join(folder, "config.json"), "w").write(text)
print(transformers.__version__)
PYTHON

for group in causal image-text; do
    planned=0 count=0
    for folder in "$work/types/$group"/*/; do
        count=$((count + 1))
        run --plan -m "$folder" -g h100-sxm:8 -q
        case $rc in
        0 | 1) planned=$((planned + 1)) ;;
        3) assert_contains "$folder: why it is refused" "config.json: " "$err" ;;
        *) assert_eq "$folder: exit code" "0, 1 or 3" "$rc" ;;
        esac
    done
    echo "$group: $planned of $count types are planned by their defaults"
    assert_eq "$group: at least 85 % are planned" 1 $((100 * planned >= 85 * count))
done
finish
