# shellcheck shell=bash
# packages.sh - what others get in place of the sources, each where it would be used; sourced by
# .ci/run, whose $work, $jobs and $bare.tar these are.

: "${work:?}" "${bare:?}" "${jobs:?}"
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
        cd / && env -i "$work/venv/bin/gpuplan" --plan -m llama-3.1-8b -g l4 -q &&
        env -i "$work/venv/bin/python" "$tree/packaging/python/rule_of_thumb.py" llama-3.1-8b l4
}

# Debian's packages: lintian is silent, and a bare root runs what apt installed. As root it
# installs what builds them, as bootstrap does.
package_deb() {
    local package
    command -v dh >/dev/null && command -v lintian >/dev/null ||
        { [ "$(id -u)" -eq 0 ] && command -v apt-get &&
            apt-get update && apt-get install -y --no-install-recommends debhelper lintian; } ||
        { echo "needs debhelper and lintian"; return 77; }
    cd "$work/install" && make deb || return
    [ -z "$(lintian --allow-root -I packages-*/*.deb 2>&1 | tee /dev/stderr)" ] || return 1
    if [ ! -f "$bare.tar" ]; then
        for package in packages-*/*.deb; do dpkg -x "$package" "$work/deb" || return; done
        env -i GPUPLAN_PROFILES="$work/deb/usr/share/gpuplan/profiles" \
            "$work/deb/usr/bin/gpuplan" --plan -m llama-3.1-8b -g l4 -q
        return
    fi
    rm -rf "$bare" && unpack "$bare" && cp packages-*/*.deb "$bare/tmp/" || return
    within "$bare" root 'apt-get update && apt-get install -y --no-install-recommends \
        /tmp/gpuplan_*.deb /tmp/gpuplan-data_*.deb /tmp/gpuplan-bench-cpu_*.deb' &&
        within "$bare" root 'cd / && gpuplan --plan -m llama-3.1-8b -g l4 -q'
}

# The library installed: a program of C and one of Python against it, 8 threads that must agree.
package_lib() {
    local root=$work/lib-root
    cd "$work/install" && CFLAGS=-O1 make -j"$jobs" install-lib DESTDIR="$root" &&
        make install DESTDIR="$root" || return
    local lib=$root$work/usr/lib share=$root$work/usr/share/gpuplan
    PKG_CONFIG_PATH=$lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root pkg-config --exists gpuplan &&
        "${CC:-cc}" -I"$root$work/usr/include" "$tree/tests/lib_program.c" -L"$lib" -lgpuplan \
            -lpthread -o "$work/lib_program" || return
    export LD_LIBRARY_PATH=$lib GPUPLAN_PROFILES=$share/profiles
    "$work/lib_program" 8 || return
    mkdir -p "$work/python" && cp -R "$tree/packaging/python" "$work/python/gpuplan" &&
        PYTHONPATH=$work/python GPUPLAN_LIBRARY=$lib/libgpuplan.so.0 \
            python3 "$tree/packaging/python/rule_of_thumb.py" llama-3.1-70b h100-sxm
    local status=$?
    unset LD_LIBRARY_PATH GPUPLAN_PROFILES
    return $status
}
