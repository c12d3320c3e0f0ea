#!/bin/sh
# Runs once, when the server's data folder is made: a database for each program that keeps its data here, closed to
# everybody else.
set -eu

as_superuser() {
  psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" "$@"
}

# A database with the role that owns it.
create() {
  name=$1 owner_password=$2
  as_superuser --set name="$name" --set owner="${name}_owner" --set owner_password="$owner_password" <<'SQL'
CREATE ROLE :"owner" LOGIN PASSWORD :'owner_password';
CREATE DATABASE :"name" OWNER :"owner";
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
\connect :"name"
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT ALL ON SCHEMA public TO :"owner";
SQL
}

# The owner migrates; the running service has a role that owns nothing, and row-level security holds for it.
create_for_service() {
  name=$1 owner_password=$2 app_password=$3
  create "$name" "$owner_password"
  as_superuser --set name="$name" --set app="${name}_app" --set app_password="$app_password" <<'SQL'
CREATE ROLE :"app" LOGIN PASSWORD :'app_password';
GRANT CONNECT ON DATABASE :"name" TO :"app";
\connect :"name"
GRANT USAGE ON SCHEMA public TO :"app";
SQL
}

create_for_service identity "$IDENTITY_OWNER_PASSWORD" "$IDENTITY_APP_PASSWORD"
create_for_service billing "$BILLING_OWNER_PASSWORD" "$BILLING_APP_PASSWORD"
create_for_service pipelines "$PIPELINES_OWNER_PASSWORD" "$PIPELINES_APP_PASSWORD"
create_for_service notebooks "$NOTEBOOKS_OWNER_PASSWORD" "$NOTEBOOKS_APP_PASSWORD"
create keycloak "$KEYCLOAK_OWNER_PASSWORD"
