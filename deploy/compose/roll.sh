#!/usr/bin/env bash
# Replaces the replicas of a service by as many with today's image and environment, without a failed request: new ones come up beside
# the old ones, which end as they are asked to when these are healthy, and whatever state they are in. Where the new ones do not come up they
# are removed, and the old ones go on. Not for the gateway, whose port of the host one alone can have.
#   bash deploy/compose/roll.sh identity
set -euo pipefail

service=${1:?which service}
mapfile -t old < <(docker compose ps --all --quiet "$service")
if [[ ${#old[@]} -eq 0 ]]; then
  echo "roll.sh: there is nothing of $service" >&2
  exit 1
fi
new() { docker compose ps --all --quiet "$service" | grep -vxF "$(printf '%s\n' "${old[@]}")" || true; }
# `--wait` would wait for the old ones as well, which may be what is to be mended.
come_up() {
  docker compose up --detach --no-deps --no-build --no-recreate --scale "$service=$((2 * ${#old[@]}))" "$service" || return
  local made container health restarts
  mapfile -t made < <(new)
  [[ ${#made[@]} -eq ${#old[@]} ]] || return
  for container in "${made[@]}"; do
    health=
    until [[ $health == healthy ]]; do
      read -r health restarts < <(docker inspect --format '{{.State.Health.Status}} {{.RestartCount}}' "$container") || return
      # One that ends is started again by the engine: a few times may have been the part that it needs.
      [[ $health == healthy || $health == starting && $restarts -lt 5 ]] || return
      [[ $health == healthy ]] || sleep 1
    done
  done
}
if ! come_up; then
  mapfile -t failed < <(new)
  if [[ ${#failed[@]} -gt 0 ]]; then
    docker logs --tail 20 "${failed[0]}" >&2
    docker rm --force "${failed[@]}" >/dev/null
  fi
  echo "roll.sh: new replicas of $service do not come up; the old ones go on" >&2
  exit 1
fi
docker stop "${old[@]}"
docker rm "${old[@]}"
