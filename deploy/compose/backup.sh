#!/usr/bin/env bash
# Copies all that the platform keeps, and its keys and passwords, into a new folder, as it is at one moment: everything stands still
# meanwhile. What every part keeps fits together then, and `restore.sh` begins there.
#   bash deploy/compose/backup.sh ../backup-of-monday
set -euo pipefail

folder=${1:?name a folder that is not there yet}
environment=${COMPOSE_ENV_FILES:-.env}
project=$(docker compose config | sed -n 's/^name: //p')
# Any image with tar will do, and this one is there.
image=$(docker compose config --images postgres)
umask 077
mkdir "$folder"
cp "$environment" "$folder/environment"

again() {
  docker compose start
  while docker compose ps --format '{{.Health}}' | grep -qx starting; do sleep 1; done
}
# Calls in flight are answered, and databases write what they have in memory.
trap again EXIT
docker compose stop
for volume in $(docker volume ls --quiet --filter "label=com.docker.compose.project=$project"); do
  name=$(docker volume inspect --format '{{index .Labels "com.docker.compose.volume"}}' "$volume")
  # What is only worked in, and what `npm run models` installs again.
  case $name in *-work | models) continue ;; esac
  docker run --rm --network none --volume "$volume:/from:ro" --entrypoint tar "$image" \
    --directory /from --create --gzip . >"$folder/$name.tar.gz"
done
