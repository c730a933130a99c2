-- What an instance used of a quota when it was counted last, with what was admitted since. Only where counting takes
-- long: an admission must not count a million rows.
create table instance_uses (
  instance_id uuid not null references instances (id) on delete cascade,
  name text not null,
  used bigint not null,
  counted_at timestamptz not null,
  took_ms double precision not null,
  primary key (instance_id, name)
);
select enforce_instance_isolation('instance_uses');
