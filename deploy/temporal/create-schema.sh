#!/bin/sh
# Creates Temporal's databases in PostgreSQL, or brings those of an older server up to date. deploy/local.sh and deploy/compose.yaml run
# it. The tool reads SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD.
#
#   deploy/temporal/create-schema.sh [PATH OF temporal-sql-tool]
set -eu
tool=${1:-temporal-sql-tool}
export SQL_PLUGIN=postgres12
for schema in temporal visibility; do
  SQL_DATABASE=temporal
  [ "$schema" = temporal ] || SQL_DATABASE=temporal_visibility
  export SQL_DATABASE
  "$tool" create-database
  "$tool" setup-schema --version 0.0
  "$tool" update-schema --schema-name "postgresql/v12/$schema"
done
