# shellcheck shell=bash
# fresh.sh - a machine that has nothing: bare Debian 12 roots, for .ci/run; sourced.
#
# Needs root, mmdebstrap or debootstrap, and a mirror; without one of them its steps are
# skipped. $work, $tree and $jobs are .ci/run's. Nothing of this machine is seen in a root
# but the kernel's file systems, and these go with the last process in it.

: "${work:?}" "${tree:?}" "${jobs:?}"
bare=$work/bare # .tar: one root, from which a fresh one is unpacked

# make_root: a minimal Debian 12 as $bare.tar, by whichever tool there is.
make_root() {
    if command -v mmdebstrap >/dev/null; then
        mmdebstrap --variant=minbase bookworm "$bare.tar"
    else
        debootstrap --variant=minbase bookworm "$bare.d" &&
            tar -C "$bare.d" --exclude='./dev/*' -cf "$bare.tar" . && rm -rf "$bare.d"
    fi
}

bare_base() {
    [ "$(id -u)" -eq 0 ] || { echo "needs root"; return 77; }
    unshare --mount --pid --fork true || { echo "unshare does not work here"; return 77; }
    command -v mmdebstrap >/dev/null || command -v debootstrap >/dev/null ||
        { echo "neither mmdebstrap nor debootstrap is installed"; return 77; }
    make_root && return
    rm -f "$bare.tar"
    echo "no root can be made, for want of a mirror or of rights: see above"
    return 77
}

# Made while other steps run: begin, made when it is wanted, end in any case.
bare_begin() {
    bare_base >"$work/bare.log" 2>&1 &
    bare_pid=$!
}

bare_made() {
    local status
    wait "$bare_pid"
    status=$?
    bare_pid=
    cat "$work/bare.log"
    return $status
}

bare_end() {
    [ -z "${bare_pid:-}" ] || kill "$bare_pid" 2>/dev/null
}

# unpack ROOT: a fresh root with the sources in the home of root and of a plain user.
unpack() {
    mkdir -p "$1" && tar -C "$1" -xf "$bare.tar" || return 1
    echo 'user:x:1000:1000::/srv/user:/bin/bash' >>"$1/etc/passwd"
    mkdir -p "$1/root/gpuplan" "$1/srv/user/gpuplan"
    tar -C "$1/root/gpuplan" -xf "$work/tree.tar" &&
        tar -C "$1/srv/user/gpuplan" -xf "$work/tree.tar" &&
        chown -R 1000:1000 "$1/srv/user"
}

# within ROOT USER COMMAND: in the sources of that user.
within() {
    local home=/root id=0:0
    [ "$2" = root ] || home=/srv/user id=1000:1000
    # shellcheck disable=SC2016 # for the inner shell
    unshare --mount --pid --fork --kill-child sh -c '
        root=$1 id=$2
        shift 2
        mount -t proc proc "$root/proc" && mount --rbind /dev "$root/dev" &&
            mount --rbind /sys "$root/sys" || exit 99
        cp /etc/resolv.conf "$root/etc/resolv.conf"
        exec chroot --userspec="$id" "$root" env -i "$@"' sh "$1" "$id" \
        HOME="$home" TERM=xterm PATH=/usr/sbin:/usr/bin:/sbin:/bin MAKEFLAGS="-j$jobs" \
        ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
        bash -c "cd ~/gpuplan && $3"
}

# readme N: the N-th of the two commands that README.md promises.
readme() {
    sed -n 's/^    \(\.\/bootstrap && .*\)/\1/p' "$tree/README.md" | sed -n "${1}p" | grep .
}

# first_bench ROOT USER: --bench without options: figures in less than two minutes.
first_bench() {
    local start=$SECONDS took
    within "$1" "$2" './gpuplan --bench --progress none -o /tmp/first.json' || return
    took=$((SECONDS - start))
    echo "took $took s"
    [ "$took" -lt 120 ] && grep -q '"gemm/fp32/.*"' "$1/tmp/first.json" &&
        [ "$(grep -c '"state": "ok"' "$1/tmp/first.json")" -ge 6 ]
}

# ---- the steps --------------------------------------------------------------------------

# A plain user: bootstrap prints what root is to run; then everything goes by itself.
bare_as_user() {
    local command
    unpack "$bare" || return
    within "$bare" user ./bootstrap >"$work/printed"
    [ $? -eq 1 ] || { echo "bootstrap should have ended with 1"; return 1; }
    cat "$work/printed"
    command=$(sed -n 's/^  as root: //p' "$work/printed" | grep .) ||
        { echo "no command for root"; return 1; }
    within "$bare" root "$command" && within "$bare" user "$(readme 1)" &&
        within "$bare" user "$(readme 2)"
}

bare_user_bench() {
    first_bench "$bare" user
}

# after_bootstrap LIBRARY COUNT: what root's bootstrap left behind, and how often it says
# that there are no screens.
after_bootstrap() {
    within "$bare" root './gpuplan-bench-cpu --devices; ./gpuplan </dev/null 2>&1; :' |
        tee "$work/said"
    grep -q "\"library\": \"$1" "$work/said" &&
        [ "$(grep -c 'without terminal screens' "$work/said")" -eq "$2" ] && return
    echo "wanted: library $1, screens missing $2"
    return 1
}

# Libraries and options that come and go leave nothing old behind. In root's own copy of
# the sources.
bare_again() {
    within "$bare" root 'apt-get remove -y libdnnl-dev && ./bootstrap --without-onednn \
        --without-openblas --disable-tui CFLAGS=-O0' && after_bootstrap none 1 || return
    within "$bare" root './gpuplan --bench'
    [ $? -eq 4 ] || { echo "--bench without a library should have ended with 4"; return 1; }
    within "$bare" root './bootstrap CFLAGS=-O0' && after_bootstrap oneDNN 0 || return
    within "$bare" root 'apt-get remove -y libdnnl-dev && apt-get install -y \
        --no-install-recommends libopenblas-dev && ./bootstrap' &&
        after_bootstrap OpenBLAS 0
}

# Root in a fresh one: bootstrap installs by itself.
bare_install() {
    rm -rf "$bare"
    unpack "$bare" && within "$bare" root "$(readme 1)" && first_bench "$bare" root
}
