#!/usr/bin/env bash
# Copies all that the platform keeps, and its keys and passwords, into a new folder, as it is at one moment: everything stands still
# meanwhile. What every part keeps fits together then, and `restore.sh` begins there. The folder is there once it has everything.
#   bash deploy/compose/backup.sh ../backup-of-monday
set -euo pipefail

folder=${1:?name a folder that is not there yet}
folder=${folder%/}
if [[ -e $folder ]]; then
  echo "backup.sh: $folder is there already" >&2
  exit 1
fi
environment=${COMPOSE_ENV_FILES:-.env}
project=$(docker compose config | sed -n 's/^name: //p')
# Any image with tar will do, and this one is there.
image=$(docker compose config --images postgres)
# What begins again. Compose would begin what is over as well, and a migration has the password it was made with, which may be
# another one by now.
mapfile -t running < <(docker compose ps --quiet --status running)
umask 077
part=$folder.part
mkdir "$part"
again() {
  rm -rf "$part"
  [[ ${#running[@]} -eq 0 ]] || docker start "${running[@]}"
  while docker compose ps --format '{{.Health}}' | grep -qx starting; do sleep 1; done
}
trap again EXIT
cp "$environment" "$part/environment"
# Calls in flight are answered, and databases write what they have in memory.
docker compose stop
for volume in $(docker volume ls --quiet --filter "label=com.docker.compose.project=$project"); do
  name=$(docker volume inspect --format '{{index .Labels "com.docker.compose.volume"}}' "$volume")
  # What is only worked in, and what `npm run models` installs again.
  case $name in *-work | models) continue ;; esac
  docker run --rm --network none --volume "$volume:/from:ro" --entrypoint tar "$image" \
    --directory /from --create --gzip . >"$part/$name.tar.gz"
done
mv "$part" "$folder"
