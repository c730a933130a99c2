-- Seal of the head of an audit chain: a keyed hash, without which whoever writes to the database could cut off the newest
-- entries and set the head back. An earlier release writes entries without moving it.
alter table audit_chains add column sealed_position bigint, add column head_hash bytea;

-- How far the entries of a chain have been passed on, by destination; the lease is of the process that passes them on.
create table audit_cursors (
  instance_id uuid not null,
  sink text not null,
  position bigint not null,
  leased_until timestamptz,
  primary key (instance_id, sink)
);
select enforce_instance_isolation('audit_cursors');

-- Failed logins of addresses that no user has, counted by network until their minute is over and becomes entries.
create table unknown_logins (
  minute timestamptz not null,
  network text not null,
  attempts integer not null,
  -- Keyed hashes of the first addresses.
  addresses text[] not null,
  primary key (minute, network)
);
