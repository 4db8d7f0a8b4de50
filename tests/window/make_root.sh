#!/bin/bash
# make_root.sh FOLDER: a Debian root with the distribution's Blender and a screen without a monitor, for `make test-window`.
# Leaves at once where it answers. Needs the rights of root, Debian's debootstrap, and some 2 GB.
set -euo pipefail
root="$1"
if [ "$(id -u)" -ne 0 ]; then
    echo "The window tests need the rights of root for a chroot; run them as root, or in a container." >&2
    exit 1
fi
mounted() { mountpoint -q "$root/$1"; }
mount_all() {
    mounted proc || mount -t proc proc "$root/proc"
    mounted dev || mount --rbind /dev "$root/dev"
}
if [ -x "$root/usr/bin/blender" ]; then
    mount_all
    chroot "$root" blender --version 2>/dev/null | head -1 && exit 0
fi
command -v debootstrap >/dev/null || { apt-get update -qq; apt-get install -y -qq --no-install-recommends debootstrap; }
mirror=$(sed -n 's/^URIs: //p; s/^deb \([^[][^ ]*\) .*/\1/p' /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list \
    2>/dev/null | head -1)
mkdir -p "$(dirname "$root")"
[ -x "$root/usr/bin/apt-get" ] || debootstrap --variant=minbase sid "$root" "${mirror:-http://deb.debian.org/debian}"
cp /etc/resolv.conf "$root/etc/"
cp -r /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/" # a proxy, where there is one
ln -sf /proc/self/mounts "$root/etc/mtab"
mount_all
chroot "$root" apt-get update -qq
# bl_pkg, Blender's own add-on for extensions, needs cattr and requests.
packages=(blender xvfb xauth xdotool libgl1-mesa-dri libegl1 libegl-mesa0 libgl1 imagemagick x11-utils
    python3-numpy python3-cattr python3-requests python3-pip)
DEBIAN_FRONTEND=noninteractive chroot "$root" apt-get install -y -qq --no-install-recommends \
    -o Dpkg::Options::=--force-unsafe-io "${packages[@]}"
chroot "$root" apt-get clean
chroot "$root" blender --version | head -1
