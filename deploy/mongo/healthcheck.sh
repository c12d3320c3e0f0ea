#!/bin/bash
# Healthy as soon as the server may write. The first time that takes a replica set, which this makes as root. Nobody is asked for a password
# once it is made, so that root's is replaced without a new start.
set -euo pipefail

made=/tmp/replica-set.made
if [[ -e $made ]]; then
  exec mongosh --quiet --host 127.0.0.1 /etc/mongo/is-primary.js
fi
mongosh --quiet --host 127.0.0.1 --username root --password "$MONGO_INITDB_ROOT_PASSWORD" \
  --authenticationDatabase admin /etc/mongo/become-primary.js
touch "$made"
