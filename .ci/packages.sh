# shellcheck shell=bash
# packages.sh - what others get in place of the sources, each where it would be used; sourced by
# .ci/run, whose $work and $bare.tar these are.

: "${work:?}" "${bare:?}"
package_plan='--plan -m llama-3.1-70b -g h100-sxm -q'

# The planner in a folder with nothing else: no library, no profiles, no /proc, no home.
package_static() {
    local size root=$work/empty
    cd "$work/install" && make static || return
    size=$(wc -c <gpuplan-static)
    echo "$size bytes"
    [ "$size" -lt 12000000 ] || return 1
    mkdir -p "$root" && cp gpuplan-static "$root/gpuplan" || return
    [ "$(id -u)" -eq 0 ] || { echo "needs root to try it alone"; return 77; }
    # shellcheck disable=SC2086 # words
    [ "$(env -i PATH=/usr/sbin:/sbin:/usr/bin:/bin chroot "$root" /gpuplan $package_plan)" = "$(./gpuplan $package_plan)" ]
}

# The data of tomorrow, packed and installed by it.
package_data() {
    local out
    cd "$work/install" || return
    cp -RL profiles "$work/tomorrow" && chmod -R u+w "$work/tomorrow" &&
        sed -i 's/^date = .*/date = "2099-12-31";/' "$work/tomorrow/data.cfg" &&
        out=$(bash "$tree/tools/bundle.sh" "$work/tomorrow" profiles.compiled "$work/tomorrow.d") &&
        mkdir -p "$work/empty/data" && cp "$out" "$work/empty/data.tar" &&
        env -i PATH=/usr/sbin:/sbin:/usr/bin:/bin XDG_DATA_HOME=/data chroot "$work/empty" /gpuplan --data /data.tar &&
        env -i PATH=/usr/sbin:/sbin:/usr/bin:/bin XDG_DATA_HOME=/data chroot "$work/empty" /gpuplan --version |
        grep 'data of 2099-12-31'
}

# pip installs it without a network, and the program answers.
package_wheel() {
    python3 -m venv "$work/venv" || { echo "no python3 -m venv here"; return 77; }
    cd "$work/install" && make wheel || return
    "$work/venv/bin/pip" install --no-index packages-*/gpuplan-*.whl &&
        cd / && env -i "$work/venv/bin/gpuplan" --plan -m llama-3.1-8b -g l4 -q
}

# Debian's packages: lintian is silent, and a bare root runs what apt installed.
package_deb() {
    command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null ||
        { echo "needs debhelper"; return 77; }
    cd "$work/install" && make deb || return
    if command -v lintian >/dev/null; then
        [ -z "$(lintian --allow-root packages-*/*.deb | tee /dev/stderr)" ] || return 1
    fi
    [ -f "$bare.tar" ] || { echo "built, but there is no bare root to install it in"; return 77; }
    rm -rf "$bare" && unpack "$bare" && cp packages-*/*.deb "$bare/tmp/" || return
    within "$bare" root 'apt-get update && apt-get install -y --no-install-recommends \
        /tmp/gpuplan_*.deb /tmp/gpuplan-data_*.deb /tmp/gpuplan-bench-cpu_*.deb' &&
        within "$bare" root 'cd / && gpuplan --plan -m llama-3.1-8b -g l4 -q'
}
