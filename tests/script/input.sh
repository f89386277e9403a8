#!/bin/bash
# input.sh - what terminals send beside keys does nothing, on every screen: at once, and with a
# pause behind each byte, where Esc by itself is a key.
. "${srcdir:-.}/tests/script/lib.sh"

# Alt with a key, as Esc before it: after a pause it is Esc and that key.
alt_keys() {
    printf '%s\n' '\e\e['{A,B,C,D,H,F,3~,5~,15~} '\e\eO'{P,A,D} \
        '\e'{a,c,D,e,j,k,p,q,Q,r,s,u,U,w,x,y} '\e'{'!','$','(B',')0','#8',' F','%G','/'} \
        '\e'{':',';','=','>','?','~'} '\e'{'\x0d','\x7f','\x15'}
}

# other_sequences: a line each, as :bytes takes them.
other_sequences() {
    # keys with Shift, Alt, Ctrl, Meta as xterm, VTE, kitty, foot, Windows Terminal send them
    printf '%s\n' '\e[1;'{2..16}{A,B,C,D,E,F,H,P,Q,R,S} '\e['{2,3,5,6,15,17,24}';'{2..8}'~'
    # keys that have no meaning here: Insert, keypad's 5, Menu, Help, F13 to F20
    printf '%s\n' '\e[2~' '\e[E' '\e[G' '\eOE' '\e['{25,26,28,29,31,32,33,34}'~'
    # CSI-u and kitty's protocol: with modifiers, repeats, releases, other layouts, texts
    printf '%s\n' '\e['{97,100,113,117,120,81,68,88}';'{5,3,6}u '\e['{117,113,68}u \
        '\e[97;1:3u' '\e[1;1:3A' '\e[57399u' '\e[57441;2u' '\e[1089:1089:97;5u' '\e[97;;229u' \
        '\e[113;2:2u' '\e[?1u' '\e[?31u'
    # modifyOtherKeys
    printf '%s\n' '\e[27;'{2,5,6}';'{9,13,97,113,117,120}'~'
    # SS3 with modifiers (old Konsole, VTE), the keypad of application mode
    printf '%s\n' '\eO'{2,5}{A,B,C,D,P,Q,R,S} '\eO1;5P' '\eO'{j..l} '\eO'{n..y} '\eOX' '\eOI'
    # rxvt: Shift and Ctrl; Linux's console
    printf '%s\n' '\e['{a..d} '\eO'{a..d} '\e['{2,3,5,6,7,8}{'^','@','$'} '\e[[F'
    # focus, and answers of devices: what they are, status, where the cursor stands, modes,
    # settings, sizes, locator
    printf '%s\n' '\e['{I,O} '\e[?'{'1;2','62;22','64;1;2;6;9;15;18;21;22','6','61;4;6'}c \
        '\e[>'{'0;276;0','41;390;0','1;10;0','85;95;0'}c '\e[=0c' '\e[0n' '\e[3n' '\e[?10n' \
        '\e['{'1;1','24;80','45;160'}R '\e[?24;80;1R' '\e[?'{2004,1049,2026}';'{0,1,2}'$y' '\e[4;2$y' \
        '\e[8;24;80t' '\e[4;600;800t' '\e[9;60;200t' '\e[1t' '\e[2;1;1x' '\e[1;1;80;80;1;0x' '\e[1;2&w'
    # mouse: X10, SGR, urxvt's, pixels; moves, releases, wheels to the side
    printf '%s\n' '\e[M !!' '\e[M"qQ' '\e[Mauu' '\e[<'{0,2,35,66,67,128}';10;10'{M,m} \
        '\e[<0;4;1M' '\e[32;10;10M' '\e[97;5;5M' '\e[<35;1000;1000m' '\e[3;1T' '\e[1;2;3;4;5;6T'
    # strings: colours, clipboard, titles; terminfo, version, settings; graphics; and C1
    printf '%s\n' '\e]'{10,11,12,4\;1}';rgb:1c1c/1c1c/1c1c'{'\x07','\e\\'} '\e]52;c;cXVpdA==\e\\' \
        '\e]lxterm\e\\' '\e]Lq\e\\' '\eP1+r436f=323536\e\\' '\eP0+r\e\\' '\eP>|XTerm(380)\e\\' \
        '\eP1$r0m\e\\' '\eP!|00000000\e\\' '\e_Gi=31;OK\e\\' '\e_Gi=1;ENODATA:q\e\\' '\e^quit\e\\' \
        '\eXDq\e\\' '\x9b1;5D' '\x9b97;5u' '\xc2\x9b5;5~' '\x8fX' '\x9d11;rgb:0/0/0\x9c' '\x90q\x9c'
}
alt_keys >"$work/alt"
other_sequences >"$work/others"
assert_eq "at least 300 sequences" 1 "$(($(sort -u "$work/alt" "$work/others" | wc -l) >= 300))"

# fed SCREEN LINE...: the lines lead to it; each of the sequences then leaves it as it is.
fed() {
    local name=$1
    shift
    {
        printf '%s\n' "$@" 'Esc' ':dump before'
        sed 's/^/:bytes /' "$work/alt" "$work/others"
        sed 's/^/:pieces /' "$work/others"
        echo ':dump after'
    } | sed "/^:dump/s|\$|.$name|" >"$work/feed"
    screen "$name" -m 8B -g l40s:1 -u 4 <"$work/feed"
    # what else runs here takes and gives memory
    sed -i 's/[0-9.]* GiB free/GiB free/' "before.$name" "after.$name"
    assert_eq "what $name shows behind them" "$(cat "before.$name")" "$(cat "after.$name")"
}
fed plan ":users 5" "g Down Down Down"
fed compare "2" Down Down
fed curves "3" Right
fed bench "4" ":test gemm" ":wait"
lab_pool >lab.cfg
fed pool ":pool lab.cfg" ":wait"
fed replay "6" ":wait"

# Each named key in all the forms that terminals have for it.
screen "forms" -m 8B -g l40s:1 <<'KEYS'
:bytes \e[B\eOB\x1b[1;1B\x9bB\e[1;129B
:bytes \e[A\eOA
:dump -
KEYS
only 1
shows "[1 Plan]"

# A digit edits the number in focus; elsewhere, and with Alt, it is a screen. Undo says what it did,
# and one suggestion is a list, too.
screen "digits" -m 8B -g l40s:1 -u 16 <<'KEYS'
/ "users" Enter
2 "1"
:dump -
Enter u
:dump -
M-2
:dump -
1 g 2
:dump -
1 Tab Enter
:dump -
KEYS
shows "Users: 21"
shows "undone: Users 21 -> 16 (U redoes)"
assert_eq "Alt, and where no number is" 2 "$(printf '%s\n' "$out" | grep -c '\[2 Compare\]')"
shows "Index ──"

screen "an index, a title, an automatic layout" -m deepseek-v3 -p fp8 -u 32 -c 16k <<'KEYS'
:dump -
Tab y "tpot" Enter
:dump -
Esc 2
:wait
:click 4 56
:dump -
:click 4 56
:dump -
KEYS
shows "+Layout     auto: TP"
shows "│   TPOT = "
shows "sort TPOT"
finish
