#!/usr/bin/env bash
# Replaces the replicas of a service by as many with today's image and environment, without a failed request: new ones come up beside
# the old ones, which end as they are asked to when these are healthy. Where they do not come up they are removed, and the old ones go on.
# Not for the gateway, whose port of the host one alone can have.
#   bash deploy/compose/roll.sh identity
set -euo pipefail

service=${1:?which service}
mapfile -t old < <(docker compose ps --quiet "$service")
if [[ ${#old[@]} -eq 0 ]]; then
  echo "roll.sh: nothing runs of $service" >&2
  exit 1
fi
if ! docker compose up --detach --no-deps --no-build --no-recreate --wait --scale "$service=$((2 * ${#old[@]}))" "$service"; then
  mapfile -t new < <(docker compose ps --all --quiet "$service" | grep -vxF "$(printf '%s\n' "${old[@]}")")
  if [[ ${#new[@]} -gt 0 ]]; then
    docker logs --tail 20 "${new[0]}" >&2
    docker rm --force "${new[@]}" >/dev/null
  fi
  echo "roll.sh: new replicas of $service do not come up; the old ones go on" >&2
  exit 1
fi
docker stop "${old[@]}"
docker rm "${old[@]}"
