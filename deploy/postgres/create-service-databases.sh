#!/bin/sh
# Runs once, when the server's data folder is made: one database per service, with a role that owns
# it (migrations) and a role that owns nothing (the service; row-level security holds for it).
set -eu

create() {
  service=$1 owner_password=$2 app_password=$3
  psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" \
    --set service="$service" --set owner="${service}_owner" --set app="${service}_app" \
    --set owner_password="$owner_password" --set app_password="$app_password" <<'SQL'
CREATE ROLE :"owner" LOGIN PASSWORD :'owner_password';
CREATE ROLE :"app" LOGIN PASSWORD :'app_password';
CREATE DATABASE :"service" OWNER :"owner";
REVOKE ALL ON DATABASE :"service" FROM PUBLIC;
GRANT CONNECT ON DATABASE :"service" TO :"app";
\connect :"service"
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT ALL ON SCHEMA public TO :"owner";
GRANT USAGE ON SCHEMA public TO :"app";
SQL
}

create identity "$IDENTITY_OWNER_PASSWORD" "$IDENTITY_APP_PASSWORD"
create billing "$BILLING_OWNER_PASSWORD" "$BILLING_APP_PASSWORD"
