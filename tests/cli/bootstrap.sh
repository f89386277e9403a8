#!/bin/bash
# bootstrap.sh - on each system bootstrap asks its own package manager for its own names; one that
# is no root prints the command. The managers are stand-ins that write down what they were asked.
. "${srcdir:-.}/tests/cli/lib.sh"

[ -f "$src/bootstrap" ] || skip "no bootstrap here"
tools=$work/tools
mkdir "$tools" "$work/tree"
cp "$src/bootstrap" "$work/tree/bootstrap"
for tool in sh env cat awk grep sed tail head find sort tr dirname rm id; do
    ln -s "$(command -v $tool)" "$tools/$tool"
done
cat >"$work/manager" <<'END'
#!/bin/sh
echo "${0##*/} $*" >>"$ASKED"
exit 1
END
chmod +x "$work/manager"
ASKED=$work/asked
export ASKED

# ask MANAGER: what it was asked to install, in one call.
ask() {
    rm -f "$tools"/apt-get "$tools"/dnf "$tools"/zypper "$tools"/pacman "$tools"/apk "$ASKED"
    : >"$ASKED"
    cp "$work/manager" "$tools/$1"
    (cd "$work/tree" && PATH=$tools sh ./bootstrap) >"$work/said" 2>&1
    rc=$?
    if [ "$(id -u)" -eq 0 ]; then
        asked=$(grep -m 1 install "$ASKED" || grep -m 1 -E -- '-S |add ' "$ASKED")
    else
        asked=$(sed -n 's/^  as root: \(.* && \)\{0,1\}//p' "$work/said")
    fi
    assert_eq "$1: what is missing keeps it from going on" 1 "$rc"
}

while read -r manager words libconfig jansson curses compiler; do
    ask "$manager"
    words=$(echo "$words" | tr _ ' ')
    assert_contains "$manager: as it is called" "$manager $words " "$asked "
    for package in "$libconfig" "$jansson" "$curses" "$compiler" autoconf automake make gcc; do
        assert_contains "$manager: $package" " $package " "$asked "
    done
    [ "$manager" = apt-get ] || assert_lacks "$manager: no name of Debian's" "libc6-dev" "$asked"
    [ "$(id -u)" -ne 0 ] ||
        assert_true "$manager: then one by one" [ "$(grep -c libconfig "$ASKED")" -eq 2 ]
done <<'END'
apt-get install_-y libconfig-dev libjansson-dev libncurses-dev libc6-dev
dnf install_-y libconfig-devel jansson-devel ncurses-devel glibc-devel
zypper --non-interactive_install libconfig-devel libjansson-devel ncurses-devel glibc-devel
pacman -S_--needed_--noconfirm libconfig jansson ncurses glibc
apk add libconfig-dev jansson-dev ncurses-dev musl-dev
END
finish
