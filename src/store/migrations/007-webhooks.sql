-- Head of an instance’s feed. Whoever assigns positions holds its row, so positions are assigned in the order in which
-- they become visible and a reader misses none.
create table event_feeds (
  instance_id uuid primary key references instances (id),
  position bigint not null default 0
);

create table events (
  instance_id uuid not null,
  id uuid not null,
  kind text not null,
  company_id uuid not null,
  service_id uuid not null,
  session_id uuid not null,
  -- Names what must not be announced twice, such as a publication.
  dedupe_key text not null,
  -- Canonical JSON without the signature, the same bytes on every attempt.
  body text not null,
  -- A test event is for this subscription alone and stays out of the feed.
  only_for uuid,
  created_at timestamptz not null default clock_timestamp(),
  -- Null until the committed event has its position in the feed and its deliveries.
  position bigint,
  trace_parent text,
  primary key (instance_id, id),
  unique (instance_id, dedupe_key)
);
create unique index events_feed on events (instance_id, position) where position is not null;
create index events_waiting on events (instance_id, created_at, id) where position is null;
create index events_by_time on events (instance_id, created_at);
create index events_of_company on events (instance_id, company_id);

create table subscriptions (
  instance_id uuid not null references instances (id),
  id uuid not null,
  event text not null,
  callback_url text not null check (length(callback_url) <= 2048),
  status text not null default 'active' check (status in ('active', 'disabled')),
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  disabled_at timestamptz,
  -- Position of the feed at that time: later events were not delivered.
  disabled_position bigint,
  -- First failed attempt since the last success, and the number of failures since.
  failing_since timestamptz,
  failure_count integer not null default 0,
  -- No attempts before: the receiver has failed many times in a row.
  paused_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id),
  unique (instance_id, event, callback_url)
);

create table subscription_secrets (
  instance_id uuid not null,
  id uuid not null,
  subscription_id uuid not null,
  sealed bytea not null,
  -- From then on it signs the body; the newest such secret does. In the future: announced, it signs headers only.
  active_from timestamptz not null default clock_timestamp(),
  -- Null until a successor is known.
  expires_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id),
  foreign key (instance_id, subscription_id) references subscriptions (instance_id, id) on delete cascade
);
create index subscription_secrets_of on subscription_secrets (instance_id, subscription_id);

create table deliveries (
  instance_id uuid not null,
  id uuid not null default gen_random_uuid(),
  event_id uuid not null,
  subscription_id uuid not null,
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  -- Attempts of the schedule made so far; a replay starts the schedule again.
  step smallint not null default 0,
  -- All attempts ever; numbers them.
  attempt_count integer not null default 0,
  due_at timestamptz not null default clock_timestamp(),
  -- Claim of the worker that makes an attempt.
  lease uuid,
  leased_until timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  delivered_at timestamptz,
  primary key (instance_id, id),
  unique (instance_id, subscription_id, event_id),
  foreign key (instance_id, event_id) references events (instance_id, id) on delete cascade,
  foreign key (instance_id, subscription_id) references subscriptions (instance_id, id) on delete cascade
);
create index deliveries_due on deliveries (instance_id, subscription_id, due_at) where status = 'pending';
create index deliveries_in_flight on deliveries (instance_id, subscription_id) where lease is not null;
create index deliveries_of_event on deliveries (instance_id, event_id);
create index deliveries_by_time on deliveries (instance_id, created_at, id);

create table delivery_attempts (
  instance_id uuid not null,
  delivery_id uuid not null,
  number integer not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  -- Status of the answer; null when there is an error instead.
  http_status integer,
  error text,
  -- The first 4 KiB of the answer, scrubbed.
  response text not null default '',
  primary key (instance_id, delivery_id, number),
  foreign key (instance_id, delivery_id) references deliveries (instance_id, id) on delete cascade
);
create index delivery_attempts_by_time on delivery_attempts (instance_id, started_at);

-- Built-in webhook receivers, each for the events of one subscription.
create table receivers (
  instance_id uuid not null,
  id uuid not null,
  subscription_id uuid not null,
  -- Keyed hash of the secret part of the address.
  token_hash bytea not null unique,
  behaviour text not null default 'accept' check (behaviour in ('accept', 'fail', 'slow', 'gone')),
  created_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, id),
  unique (instance_id, subscription_id),
  foreign key (instance_id, subscription_id) references subscriptions (instance_id, id) on delete cascade
);

-- The last requests to a built-in receiver.
create table receiver_requests (
  instance_id uuid not null,
  receiver_id uuid not null,
  id uuid not null,
  received_at timestamptz not null default clock_timestamp(),
  headers jsonb not null,
  body bytea not null,
  checks jsonb not null,
  answered smallint not null,
  primary key (instance_id, receiver_id, id),
  foreign key (instance_id, receiver_id) references receivers (instance_id, id) on delete cascade
);
create index receiver_requests_newest on receiver_requests (instance_id, receiver_id, received_at desc, id);
