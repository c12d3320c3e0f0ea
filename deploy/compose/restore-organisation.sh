#!/usr/bin/env bash
# Puts the work of one organisation back as it was in a backup, files included, while everything runs: what content, pipelines and
# notebooks have of it. The databases of the backup run beside the others meanwhile.
#   bash deploy/compose/restore-organisation.sh ../backup-of-monday org_01M8C05GDC9RGSNA667EVTVJMM
set -euo pipefail

folder=${1:?name the folder of a backup} organisation=${2:?name the id of an organisation}
project=$(docker compose config | sed -n 's/^name: //p')
image=$(docker compose config --images postgres)
at_that_time() { (. "$folder/environment" && printf %s "${!1:-${2:-}}"); }
forget() {
  docker rm --force "$project-before-postgres" "$project-before-mongo"
  docker volume rm --force "$project-before-postgres" "$project-before-mongo"
} &>/dev/null
trap forget EXIT

extract() { # ARCHIVE VOLUME [OPTION]...
  docker run --rm --interactive --network none --volume "$2:/to" --entrypoint tar "$image" \
    --directory /to --extract --gzip "${@:3}" <"$folder/$1.tar.gz"
}
beside() { # STORE FOLDER PORT [COMMAND]...
  extract "$1" "$project-before-$1"
  docker run --detach --name "$project-before-$1" --network "${project}_default" --volume "$project-before-$1:$2" \
    "$(docker compose config --images "$1")" "${@:4}" >/dev/null
  until docker exec "$project-before-$1" bash -c "exec 3<>/dev/tcp/127.0.0.1/$3" 2>/dev/null; do sleep 1; done
}
beside postgres /var/lib/postgresql 5432
until docker exec "$project-before-postgres" pg_isready --quiet --host 127.0.0.1; do sleep 1; done
# By itself it is no member of a replica set.
beside mongo /data/db 27017 mongod --bind_ip_all --auth

restore() { # SERVICE ADDRESS
  docker compose exec -T "$1" node "apps/$1/src/main.ts" organisation restore "$organisation" --from "$2" ||
    echo "restore-organisation.sh: $1 stays as it is" >&2
}
files() { extract objects "${project}_objects" --skip-old-files --wildcards "*/$organisation/*" || true; }
# First, so that whatever names them finds them.
files
for service in pipelines notebooks; do
  name=${service^^}
  user=$(at_that_time "${name}_APP_USER" "${service}_app") password=$(at_that_time "${name}_APP_PASSWORD")
  restore "$service" "postgres://$user:$password@$project-before-postgres:5432/$service"
done
user=$(at_that_time CONTENT_APP_USER content_app) password=$(at_that_time CONTENT_APP_PASSWORD)
restore content "mongodb://$user:$password@$project-before-mongo:27017/content?directConnection=true"
# Once more, for what was about to be removed.
files
# Searches find what is there again when their indexes are built anew.
bash deploy/compose/roll.sh content >/dev/null
