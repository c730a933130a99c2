-- The feed of changed records of an instance. See docs/decisions/0060.
create table change_feeds (
  instance_id uuid primary key,
  -- Names the feed in cursors.
  id uuid not null default gen_random_uuid(),
  position bigint not null default 0
);
select enforce_instance_isolation('change_feeds');

-- Publications as the feed last placed them.
create table placed_publications (
  instance_id uuid not null,
  company_id uuid not null,
  service_id uuid not null,
  connection_id uuid not null,
  version bigint not null,
  published_at timestamptz not null,
  primary key (instance_id, company_id, service_id)
);
select enforce_instance_isolation('placed_publications', true);

-- Places of the feed: what became of the records of one company at one service between two publications.
create table placed_changes (
  instance_id uuid not null,
  position bigint not null,
  id uuid not null default gen_random_uuid(),
  company_id uuid not null,
  service_id uuid not null,
  connection_id uuid not null,
  -- all: every record, as of a first publication; some: those changed after one publication, up to another; none: the
  -- data is gone.
  kind text not null check (kind in ('all', 'some', 'none')),
  after timestamptz,
  until timestamptz,
  placed_at timestamptz not null default clock_timestamp(),
  primary key (instance_id, position)
);
select enforce_instance_isolation('placed_changes', true);
