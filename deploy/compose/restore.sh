#!/usr/bin/env bash
# Begins anew where `backup.sh` was: makes the volumes, fills them and starts everything. Refuses where there is data already.
#   bash deploy/compose/restore.sh ../backup-of-monday
set -euo pipefail

folder=${1:?name the folder of a backup}
environment=${COMPOSE_ENV_FILES:-.env}
[[ -e $environment ]] || cp "$folder/environment" "$environment"
if ! cmp --silent "$folder/environment" "$environment"; then
  echo "restore.sh: $environment has other keys and passwords than $folder/environment; put it aside, and run this again" >&2
  exit 1
fi
project=$(docker compose config | sed -n 's/^name: //p')
image=$(docker compose config --images postgres)
if [[ -n $(docker volume ls --quiet --filter "label=com.docker.compose.project=$project") ]]; then
  echo "restore.sh: the project $project has data already; docker compose down --volumes takes it away" >&2
  exit 1
fi
docker compose up --no-start --no-build
for archive in "$folder"/*.tar.gz; do
  docker run --rm --interactive --network none --volume "${project}_$(basename "$archive" .tar.gz):/to" --entrypoint tar "$image" \
    --directory /to --extract --gzip <"$archive"
done
docker compose up --detach --no-build --wait
