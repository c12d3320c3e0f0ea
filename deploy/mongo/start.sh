#!/bin/bash
# The image's own start, with the key by which the members of a replica set know each other in a file that the server
# alone can read, as it insists on.
set -euo pipefail

key=/tmp/replica-set.key
install --owner mongodb --group mongodb --mode 400 /dev/stdin "$key" <<<"$MONGO_KEY"
unset MONGO_KEY

exec docker-entrypoint.sh mongod --replSet platform --keyFile "$key" --bind_ip_all
