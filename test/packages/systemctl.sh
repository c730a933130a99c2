#!/bin/sh
# The part of systemctl that packages use, where systemd is not process 1: runs the units' own lines, without their
# sandbox. Writes each call to /run/systemctl.log.
set -eu
echo "$*" >>/run/systemctl.log
if [ "$1" = --quiet ] || [ "$1" = --system ]; then shift; fi
action=$1
shift
if [ "$action ${1:-}" = "enable --now" ]; then
  action=start
  shift
fi

start() {
  role=${1#countinghouse@}
  role=${role%.service}
  unit=/etc/systemd/system/countinghouse@.service
  [ -e "$unit" ] || unit=/lib/systemd/system/countinghouse@.service
  set -a
  eval "$(sed -n 's/^Environment=//p' "$unit")"
  for file in $(sed -n 's/^EnvironmentFile=-\{0,1\}//p' "$unit" | sed "s/%i/$role/"); do . "$file"; done
  set +a
  install -d -o countinghouse -g countinghouse -m 0700 /var/lib/countinghouse /var/cache/countinghouse
  # shellcheck disable=SC2046 # the unit's line is one of words
  setsid setpriv --reuid=countinghouse --regid=countinghouse --init-groups --no-new-privs --bounding-set=-all \
    $(sed -n 's/^ExecStart=//p' "$unit" | sed "s/%i/$role/") >>"/run/$role.log" 2>&1 </dev/null &
  echo $! >"/run/countinghouse@$role.service.pid"
}

stop() {
  pid=$(cat "/run/$1.pid" 2>/dev/null) || return 0
  kill "$pid" 2>/dev/null || true
  tail --pid="$pid" --follow /dev/null
  rm "/run/$1.pid"
}

unit_of() { echo "${1%.service}.service"; }

running() {
  for file in /run/countinghouse@*.pid; do
    if [ -e "$file" ]; then basename "$file" .pid; fi
  done
}

case "$action" in
  list-units)
    running | sed 's/$/ loaded active running Countinghouse/'
    ;;
  status) running | sed 's/.*/&\n  Active: active (running)/' ;;
  start | reload-or-restart) for unit in "$@"; do stop "$(unit_of "$unit")"; start "$unit"; done ;;
  stop)
    if [ "$1" = 'countinghouse@*' ]; then
      # shellcheck disable=SC2046 # one word for each unit
      set -- $(running)
    fi
    for unit in "$@"; do stop "$(unit_of "$unit")"; done
    ;;
  daemon-reload) ;;
  *) exit 1 ;;
esac
