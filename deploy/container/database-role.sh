#!/bin/sh
# A role without the rights of a superuser, whom row-level security would not restrict, and its database.
set -eu
psql -v ON_ERROR_STOP=1 -v "password=$COUNTINGHOUSE_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
create role countinghouse login password :'password';
create database countinghouse owner countinghouse;
SQL
