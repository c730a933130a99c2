-- What a request with an Idempotency-Key was answered, for 24 hours: asked again, it is answered the same. Sealed, because answers may show a secret once.
create table idempotency_keys (
  instance_id uuid not null references instances (id) on delete cascade,
  id uuid not null,
  -- Of user and key, keyed.
  key_hash bytea not null,
  -- Of method, address and body, keyed.
  request_hash bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  status integer,
  headers jsonb,
  sealed bytea,
  primary key (instance_id, id),
  unique (instance_id, key_hash)
);
create index idempotency_keys_by_time on idempotency_keys (created_at);
select keep_instances_apart('idempotency_keys');
