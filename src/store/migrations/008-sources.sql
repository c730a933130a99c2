-- Version of each directory of banks: raised with each change that a search could show. A process searches in memory
-- (store/sources/institution-search.ts) and compares this number first.
create table directories (
  connector_key text primary key,
  version bigint not null
);

-- Directories of banks; they belong to no instance.
create table institutions (
  connector_key text not null,
  id text not null,
  name text not null,
  countries text[] not null,
  routing_numbers text[] not null,
  url text,
  closed_at timestamptz,
  seen_at timestamptz not null,
  -- Search words: lower case without accents, in both languages (model/values/institution-names.ts). Filled each night.
  search_text text not null default '',
  -- Order of popularity: banks connected lately in the whole deployment, counted each night; then the provider’s order.
  connected integer not null default 0,
  provider_rank integer,
  primary key (connector_key, id)
);

create table institution_requests (
  instance_id uuid not null references instances (id),
  id uuid not null,
  service_id uuid not null,
  name text not null,
  country text not null,
  url text not null default '',
  note text not null default '',
  state text not null default 'open',
  requested_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  answer text not null default '',
  answered_at timestamptz,
  -- The link with which an owner named a missing bank, to limit the requests per link; null for a developer’s.
  link_id uuid,
  primary key (instance_id, id)
);
create index institution_requests_of_link on institution_requests (instance_id, link_id) where link_id is not null;

-- Sources that an instance does not offer.
create table hidden_sources (
  instance_id uuid not null references instances (id),
  connector_key text not null,
  primary key (instance_id, connector_key)
);

-- App keys of an instance at a source; they win over the deployment’s. The row of an earlier app stays, no longer
-- current, for the connections made with it.
create table source_keys (
  instance_id uuid not null references instances (id),
  id uuid not null,
  connector_key text not null,
  -- Hash of the app’s identity at the source: a new secret of the same app replaces the old one in its row.
  app text not null,
  is_current boolean not null default true,
  sealed bytea not null,
  generation integer not null default 1,
  -- Names of the keys with time and user: name -> {"at", "by"}.
  names jsonb not null,
  tested_at timestamptz not null default clock_timestamp(),
  test text not null check (test in ('accepted', 'refused', 'untested')),
  -- The source’s reason, in plain words; empty when it accepted the keys.
  test_reason text not null,
  primary key (instance_id, id),
  unique (instance_id, connector_key, app)
);
create unique index source_keys_current on source_keys (instance_id, connector_key) where is_current;
create index source_keys_by_source on source_keys (connector_key) where is_current;

-- Calls counted against each limit. A step is a sixtieth of the window (a millisecond for concurrent calls); a call
-- counts from its start until a whole window after the step in which its answer came.
create table source_limits (
  connector_key text not null,
  -- Empty for what the whole app shares.
  scope text not null,
  name text not null,
  calls integer not null,
  -- 0: concurrent calls.
  per_ms bigint not null,
  steps bigint[] not null default '{}'::bigint[],
  taken integer[] not null default '{}'::integer[],
  updated_at timestamptz not null,
  primary key (connector_key, scope, name)
) with (fillfactor=50);

create table source_breakers (
  connector_key text not null,
  -- Host of the source, or a hash where a customer named it.
  endpoint text not null,
  state text not null default 'closed' check (state in ('closed', 'open', 'half-open')),
  -- Open: when probes may start. Half-open: when probes without an answer are given up.
  until timestamptz,
  -- Raised at each opening, so that a late probe counts only for its own time.
  opened integer not null default 0,
  probes_out integer not null default 0,
  probes_good integer not null default 0,
  -- Calls of the last minute, in steps of five seconds.
  steps bigint[] not null default '{}'::bigint[],
  calls integer[] not null default '{}'::integer[],
  failures integer[] not null default '{}'::integer[],
  updated_at timestamptz not null,
  -- When the breaker closed last: calls that began before do not count.
  closed_at timestamptz,
  primary key (connector_key, endpoint)
) with (fillfactor=50);

-- Until when a source asked not to be called.
create table source_pauses (
  connector_key text not null,
  scope text not null,
  until timestamptz not null,
  primary key (connector_key, scope)
);

-- Sources that refuse the operator’s keys.
create table source_alarms (
  connector_key text not null,
  -- Identifies a set of keys: an alarm does not apply to new keys.
  client_hash bytea not null,
  message text not null,
  raised_at timestamptz not null default clock_timestamp(),
  -- When one caller may try again.
  retry_at timestamptz not null,
  primary key (connector_key, client_hash)
);
