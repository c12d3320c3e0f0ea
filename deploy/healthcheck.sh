#!/bin/bash
# The health check of every image: whether the app says at /readyz that it answers what it is asked, the gateway where clients are,
# any other beside its metrics. Ends with 0 or 1. Bash speaks TCP by itself: a Node that starts for each check would cost some eighty
# times as much CPU.
set -u

# Seconds; less than the image's own limit, so that this says why.
limit=9

fail() {
  echo "$1" >&2
  exit 1
}

if [[ ${APP-} == gateway ]]; then
  listen=${GATEWAY_HOST:-127.0.0.1}:${PLATFORM_PORT:-8080}
else
  listen=${METRICS_LISTEN-}
  [[ -n $listen ]] || fail 'METRICS_LISTEN is not set'
fi
host=${listen%:*} host=${host#[} host=${host%]} port=${listen##*:}

{ exec 3<> "/dev/tcp/$host/$port"; } 2> /dev/null || fail "nothing listens at $host:$port"
printf 'GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
IFS= read -r -t "$limit" -u 3 status || fail "no answer within $limit s"
status=${status%$'\r'}
# To the end, so that the connection is closed and not reset.
while IFS= read -r -t "$limit" -u 3 _; do :; done
[[ $status == HTTP/1.?' 200 '* ]] || fail "$status"
