-- Keys that a customer has set for an app of its own at a source; they win over the operator's. The row of an earlier app stays, no longer
-- current, for the connections that were made with it.
create table source_keys (
  instance_id uuid not null references instances (id),
  id uuid not null,
  connector_key text not null,
  -- Hash of what names the app at the source: a new secret of the same app goes into the same row.
  app text not null,
  is_current boolean not null default true,
  sealed bytea not null,
  generation integer not null default 1,
  -- Which keys are set, since when and by whom: name -> {"at", "by"}.
  names jsonb not null,
  tested_at timestamptz not null default clock_timestamp(),
  test text not null check (test in ('accepted', 'refused', 'untested')),
  -- What the source said, in plain words; empty when it took them.
  test_reason text not null,
  primary key (instance_id, id),
  unique (instance_id, connector_key, app)
);
create unique index source_keys_current on source_keys (instance_id, connector_key) where is_current;
create index source_keys_by_source on source_keys (connector_key) where is_current;

-- Sources that a customer offers to nobody.
create table hidden_sources (
  instance_id uuid not null references instances (id),
  connector_key text not null,
  primary key (instance_id, connector_key)
);

-- The app with which it was made; null: the deployment's.
alter table connections add column source_keys_id uuid;
alter table authorizations add column source_keys_id uuid;
create index connections_by_source_keys on connections (instance_id, source_keys_id) where source_keys_id is not null;
