#!/bin/bash
# Healthy as soon as the server may write. The first time that takes a replica set, which this makes.
set -euo pipefail

exec mongosh --quiet --host 127.0.0.1 --username root --password "$MONGO_INITDB_ROOT_PASSWORD" \
  --authenticationDatabase admin /etc/mongo/become-primary.js
