-- Names that the field uses, and the functions' own files: src/store/functions holds the present text of each function under its version.
create table schema_functions (
  name text primary key,
  version integer not null,
  checksum text not null,
  applied_at timestamptz not null default now()
);

alter table record_versions rename column place to record_set;
alter function place_of(uuid, uuid, text) rename to record_set_key;
alter function places_of(uuid, uuid) rename to record_set_keys;

alter table stages rename to staged_runs;
alter index stages_pkey rename to staged_runs_pkey;

alter table replay_parts rename column place to cursor;
alter table source_breakers rename column place to endpoint;
alter function exchange_source_news(jsonb, jsonb, timestamptz) rename to exchange_call_counts;

alter table login_throttle rename to login_rate_limits;
alter index login_throttle_pkey rename to login_rate_limits_pkey;
alter index login_throttle_by_end rename to login_rate_limits_by_end;

alter function keep_instances_apart(regclass, boolean, text) rename to enforce_instance_isolation;
alter function refuse_audit_change() rename to forbid_audit_change;
