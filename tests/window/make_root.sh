#!/bin/bash
# make_root.sh FOLDER [SUITE]: a Debian root with the Blender of a suite (sid without one, the newest there is) and a
# screen without a monitor, for `make test-window`. Leaves at once where it answers; else says why it cannot be made.
# Needs the rights of root, Debian's debootstrap, its package servers, and some 2 GB.
set -euo pipefail
root="${1:?make_root.sh FOLDER [SUITE]}" suite="${2:-sid}"
tools=(blender Xvfb xdotool tesseract)

cannot() {
    echo "No window to test in: $*" >&2
    exit 1
}
within() { DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 chroot "$root" "$@"; }
# /dev is the root's own: who removes the folder should not remove the machine's devices with it.
mount_proc() {
    mountpoint -q "$root/proc" || mount -t proc proc "$root/proc" || cannot "/proc cannot be mounted in $root."
}
answers() { within which "${tools[@]}" >/dev/null 2>&1 && within blender --version 2>/dev/null | head -1 | grep Blender; }

[ "$(id -u)" -eq 0 ] || cannot "a chroot needs the rights of root; run it as root, or in a container."
if [ -x "$root/usr/bin/blender" ]; then
    mount_proc
    answers && exit 0
fi
if ! command -v debootstrap >/dev/null; then
    command -v apt-get >/dev/null || cannot "debootstrap is not installed; it is a package of Debian and others."
    (apt-get update -qq && apt-get install -y -qq --no-install-recommends debootstrap) >/dev/null 2>&1 ||
        cannot "debootstrap cannot be installed; is there a network?"
fi
mirror=$(sed -n 's/^URIs: //p; s/^deb \([^[][^ ]*\) .*/\1/p' /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list \
    2>/dev/null | head -1 || true)
mkdir -p "$(dirname "$root")"
# What was left half made is begun again: debootstrap removes its own folder when all of it is there.
if [ ! -x "$root/usr/bin/apt-get" ] || [ -d "$root/debootstrap" ]; then
    log="$root.log"
    debootstrap --variant=minbase "$suite" "$root" "${mirror:-http://deb.debian.org/debian}" >"$log" 2>&1 ||
        cannot "debootstrap could not get Debian $suite: $(tail -1 "$log")"
fi
cp /etc/resolv.conf "$root/etc/"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/" 2>/dev/null || true # a proxy, where there is one
ln -sf /proc/self/mounts "$root/etc/mtab"
mount_proc
# bl_pkg, Blender's own add-on for extensions, needs cattr and requests.
packages=(blender xvfb xauth xdotool libgl1-mesa-dri libegl1 libegl-mesa0 libgl1 tesseract-ocr tesseract-ocr-eng
    python3-numpy python3-cattr python3-requests)
options=(-y -qq --no-install-recommends -o Dpkg::Options::=--force-unsafe-io)
(within dpkg --configure -a && within apt-get update -qq && within apt-get install "${options[@]}" "${packages[@]}") >"$root.log" 2>&1 ||
    cannot "the packages of Debian $suite cannot be installed: $(tail -1 "$root.log")"
within apt-get clean
answers || cannot "Blender does not start in $root; see $root.log."
