create table companies (
  instance_id uuid not null references instances (id),
  id uuid not null,
  name text not null check (length(name) >= 1 and length(name) <= 200),
  industry text not null default '',
  full_address text not null default '',
  country text not null default '' check (country = '' or country ~ '^[A-Z]{2}$'),
  city text not null default '',
  contact_number text not null default '',
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id)
);

-- A bank reached through an aggregator, as one instance sees it.
create table child_services (
  instance_id uuid not null references instances (id),
  id uuid not null,
  connector_key text not null,
  institution_id text not null,
  name text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id),
  unique (instance_id, connector_key, institution_id)
);

create table links (
  instance_id uuid not null,
  id uuid not null,
  token_hash bytea not null unique,
  company_id uuid not null,
  service_id uuid not null,
  issued_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  completed_at timestamptz,
  revoked_at timestamptz,
  -- Null: the default purpose of the day on which the link is opened.
  purpose_key text,
  language text check (language in ('en', 'fr-CA')),
  return_url text,
  -- First time.
  opened_at timestamptz,
  -- The bank that the owner chose last, so that the link returns to it.
  institution_id text,
  -- A link that was handed on names the link it came from, and is used up together with it.
  parent_id uuid,
  -- Trace context (W3C traceparent) of the request that caused the row; null: not traced.
  trace_parent text,
  primary key (instance_id, id),
  foreign key (instance_id, company_id) references companies (instance_id, id) on delete cascade,
  foreign key (instance_id, parent_id) references links (instance_id, id) on delete cascade
);
create index links_of_parent on links (instance_id, parent_id) where parent_id is not null;
-- For timelines, for ending a connection and deleting a company.
create index links_of_company on links (instance_id, company_id);
create index links_by_expiry on links (expires_at, id);

-- Links that an owner handed on to somebody else.
create table hand_offs (
  instance_id uuid not null,
  link_id uuid not null,
  -- The bank that the owner had chosen; null: none.
  institution_id text,
  -- Sealed name and address of the recipient; null once the hand-off is over.
  helper bytea,
  -- Null when the owner took the address away.
  mail_id uuid,
  created_at timestamptz not null default clock_timestamp(),
  declined_at timestamptz,
  primary key (instance_id, link_id),
  foreign key (instance_id, link_id) references links (instance_id, id) on delete cascade
);

create table connections (
  instance_id uuid not null,
  id uuid not null,
  company_id uuid not null,
  service_id uuid not null,
  connector_key text not null,
  category text not null,
  entity_id text,
  entity_name text,
  reference text,
  email text not null,
  status smallint not null,
  -- Status that a suspended connection returns to.
  resume_status smallint,
  fault text,
  created_at timestamptz not null default clock_timestamp(),
  updated_at timestamptz not null default clock_timestamp(),
  published_at timestamptz,
  last_read_at timestamptz,
  update_scheduled_at timestamptz not null,
  refresh_hours integer not null,
  credentials bytea,
  credentials_generation integer not null default 0,
  credentials_expires_at timestamptz,
  refresh_owner uuid,
  refresh_lease_until timestamptz,
  cursors jsonb not null default '{}',
  refresh_started_at timestamptz,
  refresh_failures integer not null default 0,
  refresh_not_before timestamptz,
  credentials_issued_at timestamptz,
  credentials_refresh_at timestamptz,
  granted_generation integer not null default 0,
  -- Authorized again: the next complete listing may show known accounts under other ids.
  reidentify boolean not null default false,
  -- Set by a person: the next complete listing may delete any number of records that the source no longer lists.
  accepts_deletions boolean not null default false,
  -- A suspended connection is kept from being read by its owner, by the developer, or by both.
  owner_paused_at timestamptz,
  operator_suspended_at timestamptz,
  -- The data of an ended connection is locked until then, for its owner to fetch; null: there is none, or it is being
  -- erased.
  erase_at timestamptz,
  erased_at timestamptz,
  -- Fault and trouble as codes with their parts, so that pages can say them in the reader’s language.
  fault_code text,
  trouble jsonb,
  -- App keys with which it was authorized; null: the deployment’s.
  source_keys_id uuid,
  -- What a connection reads before its first publication is written where it stays, valid from `-infinity`: readers see
  -- none of it before there is a publication. When that came is said once here; null where the first versions name it
  -- themselves. See docs/decisions/0023.
  first_published_at timestamptz,
  primary key (instance_id, id),
  foreign key (instance_id, company_id) references companies (instance_id, id)
);
create index connections_of_company on connections (instance_id, company_id, created_at);
create index connections_due on connections (update_scheduled_at) where status not in (6, 7, 8, 20, 26, 27);
create index connections_by_reference on connections (connector_key, reference) where reference is not null;
-- One living connection per company and service; disconnected ones stay as history.
create unique index connections_living on connections (instance_id, company_id, service_id) where status <> 26 and entity_id is not null;
create index connections_to_erase on connections (erase_at) where erase_at is not null;
create index connections_by_source_keys on connections (instance_id, source_keys_id) where source_keys_id is not null;
create index connections_to_repair on connections (instance_id) where status = 8;
create index connections_idle on connections (connector_key, credentials_issued_at) where credentials is not null and (status not in (6, 7, 8, 20, 26));
-- Owners who agreed and went no further; queried twice a minute.
create index connections_authorizing on connections (created_at) where status = 6;
create index connections_by_creation on connections (instance_id, created_at, id);

create table connection_timeline (
  instance_id uuid not null,
  connection_id uuid not null,
  id uuid not null default gen_random_uuid(),
  at timestamptz not null default clock_timestamp(),
  from_status smallint,
  to_status smallint not null,
  detail text not null default '',
  detail_code text,
  detail_parts jsonb,
  primary key (instance_id, connection_id, at, id),
  foreign key (instance_id, connection_id) references connections (instance_id, id) on delete cascade
);
create index connection_timeline_by_time on connection_timeline (at, id);

-- An owner’s redirect to a source and back.
create table authorizations (
  instance_id uuid not null,
  id uuid not null,
  link_id uuid not null,
  connection_id uuid not null,
  state_hash bytea not null unique,
  memo bytea,
  memo_match bytea,
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  source_keys_id uuid,
  -- The source’s webhook has said that the owner finished; while a job exchanges the grant, no browser does.
  claimed_until timestamptz,
  -- The memo then holds what the source gave, stored before it is used.
  is_granted boolean not null default false,
  primary key (instance_id, id),
  foreign key (instance_id, connection_id) references connections (instance_id, id) on delete cascade
);
create index authorizations_by_match on authorizations (memo_match) where memo_match is not null;
create index authorizations_by_expiry on authorizations (expires_at);
create index authorizations_of_connection on authorizations (instance_id, connection_id);

-- Refreshed credentials that the connection does not use yet. The newest row is moved into the connection, then all are
-- deleted. NOTE no foreign key: its check would wait for whoever holds the connection’s row, and a fresh token must not
-- wait.
create table credential_versions (
  instance_id uuid not null,
  connection_id uuid not null,
  id uuid not null,
  -- The generation that was refreshed.
  base_generation integer not null,
  -- By the source’s clock; orders the versions.
  issued_at timestamptz not null,
  expires_at timestamptz,
  refresh_at timestamptz,
  sealed bytea not null,
  stored_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, connection_id, id)
);
create index credential_versions_left on credential_versions (stored_at);
