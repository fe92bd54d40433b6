# shellcheck shell=bash
# A minimal Debian to change into, below $debian; for scripts that have mounts of their own.

mirror() {
  local sources=/etc/apt/sources.list.d/debian.sources
  if [ -e "$sources" ]; then
    sed -n 's/^URIs: *//p' "$sources" | head -n 1
  else
    sed -n 's/^deb \(\[[^]]*\] \)\{0,1\}\([^ ]*\).*/\2/p' /etc/apt/sources.list | head -n 1
  fi
}

# RELEASE: the way to the package mirror is this machine's: its sources, keys and apt settings.
make_debian() {
  debootstrap --variant=minbase "$1" "$debian" "$(mirror)" >"$debian.log" 2>&1 || {
    tail -n 20 "$debian.log"
    return 1
  }
  chmod 755 "$debian"
  local settings
  for settings in sources.list sources.list.d apt.conf apt.conf.d auth.conf auth.conf.d trusted.gpg.d; do
    rm -rf "$debian/etc/apt/$settings"
    if [ -e "/etc/apt/$settings" ]; then cp -r "/etc/apt/$settings" "$debian/etc/apt/"; fi
  done
  rm -rf "$debian"/var/cache/apt/* "$debian"/var/lib/apt/lists/*
}

mount_in() {
  mkdir -p "$debian$2"
  mount --rbind "$1" "$debian$2"
  if [ "${3:-}" = read-only ]; then mount -o remount,bind,ro "$debian$2"; fi
}

mount_system() {
  mount_in /dev /dev
  mount -t proc proc "$debian/proc"
  cp /etc/resolv.conf /etc/hosts "$debian/etc/"
}

inside() { chroot "$debian" env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb CI=true "$@"; }
