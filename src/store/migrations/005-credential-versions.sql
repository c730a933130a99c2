-- What a source gave and the connection does not use yet. Its newest row is moved into the connection, then all of them are deleted.
-- NOTE without a foreign key: its check would wait for whoever holds the connection's row, and a fresh token must not wait.
create table credential_versions (
  instance_id uuid not null,
  connection_id uuid not null,
  id uuid not null,
  -- The generation that was refreshed.
  base_generation integer not null,
  -- By the source's clock, which orders them.
  issued_at timestamptz not null,
  expires_at timestamptz,
  refresh_at timestamptz,
  sealed bytea not null,
  stored_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, connection_id, id)
);
create index credential_versions_left on credential_versions (stored_at);

alter table connections
  -- When the refresh under way began; still there after it only when it was cut off.
  add refresh_started_at timestamptz,
  add refresh_failures integer not null default 0,
  -- After a failed refresh nobody asks the source before this.
  add refresh_not_before timestamptz,
  -- By the source's clock.
  add credentials_issued_at timestamptz,
  -- A refresh is welcome from here on and due at credentials_expires_at.
  add credentials_refresh_at timestamptz,
  -- The generation that the owner's last authorization gave; what was refreshed before it is of no use.
  add granted_generation integer not null default 0;

-- Sources that refuse the operator's keys.
create table source_alarms (
  connector_key text not null,
  -- Tells one set of keys from another: new keys are not under the alarm of the old ones.
  client_hash bytea not null,
  message text not null,
  raised_at timestamptz not null default clock_timestamp(),
  -- From here on one caller may ask again.
  retry_at timestamptz not null,
  primary key (connector_key, client_hash)
);
