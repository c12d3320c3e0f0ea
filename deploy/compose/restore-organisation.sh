#!/usr/bin/env bash
# Puts the work of one organisation back as it was in a backup, files included, while everything runs: what content, pipelines and
# notebooks have of it. The databases of the backup run beside the others meanwhile. Ends with an error where a service has not put it back.
#   bash deploy/compose/restore-organisation.sh ../backup-of-monday org_01M8C05GDC9RGSNA667EVTVJMM
set -euo pipefail

folder=${1:?name the folder of a backup} organisation=${2:?name the id of an organisation}
# Of one that was deleted every service has been told: nobody would remove what came back.
known=0
[[ $organisation =~ ^org_[0-9A-Za-z]+$ ]] &&
  known=$(docker compose exec -T postgres psql -U postgres -tA identity -c "SELECT count(*) FROM organisations WHERE id = '$organisation'")
if [[ $known != 1 ]]; then
  echo "restore-organisation.sh: there is no organisation $organisation" >&2
  exit 1
fi
project=$(docker compose config | sed -n 's/^name: //p')
image=$(docker compose config --images postgres)
# Of this run alone: another one may be at work.
before=$project-before-$$
at_that_time() { (. "$folder/environment" && printf %s "${!1:-${2:-}}"); }
forget() {
  docker rm --force "$before-postgres" "$before-mongo" || true
  docker volume rm --force "$before-postgres" "$before-mongo" || true
} &>/dev/null
trap forget EXIT

extract() { # ARCHIVE VOLUME [OPTION]...
  docker run --rm --interactive --network none --volume "$2:/to" --entrypoint tar "$image" \
    --directory /to --extract --gzip "${@:3}" <"$folder/$1.tar.gz"
}
answers() { # STORE COMMAND...
  until docker exec "$before-$1" "${@:2}" &>/dev/null; do
    if [[ $(docker inspect --format '{{.State.Running}}' "$before-$1") != true ]]; then
      docker logs --tail 20 "$before-$1" >&2
      echo "restore-organisation.sh: $1 of the backup does not start" >&2
      exit 1
    fi
    sleep 1
  done
}
beside() { # STORE FOLDER PORT [COMMAND]...
  extract "$1" "$before-$1"
  docker run --detach --name "$before-$1" --network "${project}_default" --volume "$before-$1:$2" \
    "$(docker compose config --images "$1")" "${@:4}" >/dev/null
  answers "$1" bash -c "exec 3<>/dev/tcp/127.0.0.1/$3"
}
beside postgres /var/lib/postgresql 5432
answers postgres pg_isready --quiet --host 127.0.0.1
# By itself it is no member of a replica set.
beside mongo /data/db 27017 mongod --bind_ip_all --auth

failed=()
restore() { # SERVICE ADDRESS
  docker compose exec -T "$1" node "apps/$1/src/main.ts" organisation restore "$organisation" --from "$2" || failed+=("$1")
}
files() {
  local said
  said=$(extract objects "${project}_objects" --skip-old-files --wildcards "*/$organisation/*" 2>&1) && return
  # It had none.
  [[ $said == *'Not found in archive'* ]] && return
  echo "$said" >&2
  echo 'restore-organisation.sh: its files are not there again' >&2
  exit 1
}
# First, so that whatever names them finds them.
files
for service in pipelines notebooks; do
  name=${service^^}
  user=$(at_that_time "${name}_APP_USER" "${service}_app") password=$(at_that_time "${name}_APP_PASSWORD")
  restore "$service" "postgres://$user:$password@$before-postgres:5432/$service"
done
user=$(at_that_time CONTENT_APP_USER content_app) password=$(at_that_time CONTENT_APP_PASSWORD)
restore content "mongodb://$user:$password@$before-mongo:27017/content?directConnection=true"
# Once more, for what was about to be removed.
files
# Searches find what is there again when their indexes are built anew.
bash deploy/compose/roll.sh content >/dev/null
if [[ ${#failed[@]} -gt 0 ]]; then
  echo "restore-organisation.sh: not put back: ${failed[*]}; it says above why" >&2
  exit 1
fi
