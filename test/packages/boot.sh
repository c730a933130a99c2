#!/bin/sh
# Boots systemd as process 1 of a Debian installation in the folder $1, in namespaces of its own but for the network, and
# in the control group $2. The machine’s clock, kernel modules, kernel settings and network are out of its reach.
set -eu
root=$1
mount --bind "$root" "$root"
mkdir -p "$root/sys" "$root/dev" "$root/proc" "$root/run"
mount -t cgroup2 cgroup2 "$root/run"
mkdir "$root/run/$2"
echo $$ >"$root/run/$2/cgroup.procs"
umount "$root/run"
exec unshare --mount --pid --fork --uts --ipc --cgroup --kill-child=SIGKILL sh -euc '
  root=$0
  mount -t proc proc "$root/proc"
  mount --bind "$root/proc/sys" "$root/proc/sys"
  mount -o remount,bind,ro "$root/proc/sys"
  mount -t sysfs -o ro sysfs "$root/sys"
  mount -t cgroup2 cgroup2 "$root/sys/fs/cgroup"
  mount -t tmpfs -o mode=755 tmpfs "$root/run"
  mount -t tmpfs -o mode=755 tmpfs "$root/dev"
  for name in null zero full random urandom tty; do
    : >"$root/dev/$name"
    mount --bind "/dev/$name" "$root/dev/$name"
  done
  mkdir "$root/dev/pts" "$root/dev/shm"
  mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
  ln -s pts/ptmx "$root/dev/ptmx"
  ln -s /proc/self/fd "$root/dev/fd"
  cd "$root"
  mkdir -p old
  pivot_root . old
  umount -l old
  exec env -i container=chroot PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    setpriv --bounding-set=-sys_module,-sys_time,-sys_rawio,-net_admin,-syslog,-audit_control,-audit_read \
    /lib/systemd/systemd --system --unit=multi-user.target --show-status=false --log-target=console --log-level=warning
' "$root"
