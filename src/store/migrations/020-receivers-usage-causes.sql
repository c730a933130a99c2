-- An address of ours at which a developer without one of his own receives the events of one subscription.
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

-- The last requests that came there.
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

-- How often each operation of the API was asked for, by day and status of the answer.
create table api_usage (
  instance_id uuid not null references instances (id) on delete cascade,
  day date not null,
  operation text not null,
  status smallint not null,
  requests bigint not null,
  primary key (instance_id, day, operation, status)
);

-- What a sentence about a connection says, as a code with its parts, so that pages can say it in the language of whoever reads.
alter table connections add column fault_code text, add column trouble jsonb;
alter table connection_timeline add column detail_code text, add column detail_parts jsonb;
