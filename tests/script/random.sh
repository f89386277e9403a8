#!/bin/bash
# random.sh - random keys and sequences on every screen: no crash, and what was measured stays: y,
# which answers the question of D, is left out, as is what quits. GPUPLAN_KEYS: how many; SEED: which.
. "${srcdir:-.}/tests/script/lib.sh"

GPUPLAN_LIBEXEC=$work/none # nothing is measured
export GPUPLAN_LIBEXEC
mkdir -p state/gpuplan/calibration
echo '{}' >state/gpuplan/calibration/l40s@GPU-1.json
lab_pool >lab.cfg

# keys COUNT SEED: lines of keys, texts and bytes of sequences, each line on one of the screens.
keys() {
    awk -v n="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        split("Up Down Left Right PgUp PgDn Home End Tab S-Tab Enter Enter Esc Esc Space BS Del " \
              "F1 F2 F3 F4 F5 F6 F7 F8 F9 M-1 M-2 M-3 M-4 M-5 M-6 C-a C-e C-k C-u C-w C-l ? : a b c " \
              "e f g h i j k l m n o p r s t u v w x z A B E G M N S T U V X $ + - = [ ] 0 1 2 " \
              "3 4 5 6 7 8 9 . , ; ! < > *", key)
        for (nkeys = 1; nkeys in key;)
            nkeys++
        split("\\e[ \\eO \\e \\e] \\eP \\e[? \\e[< \\e[200~ \\e[201~ \\x9b", begin)
        split("A B C D H F M R Z ~ u c n t r $w 1 2 3 9 ; 5 : < \\x07 \\e\\\\ m x X I O", rest)
        for (i = 0; i < n; i++) {
            if (i % 40 == 0)
                printf "\n:size %d %d\n:why\nEsc Esc Esc M-%d\n", 40 + rand() * 160,
                       12 + rand() * 40, 1 + rand() * 6
            if (rand() < 0.8) {
                printf "%s ", key[1 + int(rand() * (nkeys - 1))]
                continue
            }
            printf "\n:%s ", rand() < 0.5 ? "bytes" : "pieces"
            for (k = 1 + int(rand() * 3); k > 0; k--) {
                printf "%s", begin[1 + int(rand() * 10)]
                for (j = int(rand() * 6); j > 0; j--)
                    printf "%s", rest[1 + int(rand() * 31)]
            }
            printf "\n"
        }
    }'
}

ended=0 count=${GPUPLAN_KEYS:-800} seed=${SEED:-1}
for ((at = 0; at < count; at += 400, seed++)); do
    { echo ":pool lab.cfg"; keys 400 "$seed"; printf "\n:dump end\n"; } >"$work/random"
    rm -f end
    screen "random keys, SEED=$seed" -m 8B -g l40s:1 <"$work/random"
    [ -s end ] || ended=$((ended + 1)) # quit
done
assert_true "few runs quit" test "$ended" -le $((count / 2000))
assert_eq "what was measured is kept" "{}" "$(cat state/gpuplan/calibration/l40s@GPU-1.json)"
finish
