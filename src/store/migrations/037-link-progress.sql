-- How far each link of an owner has got; the funnel counts it. One row per link, so that a link counts once per step.
create table link_progress (
  instance_id uuid not null,
  link_id uuid not null,
  -- As of the first opening: what is counted of a link stays in one place.
  opened_at timestamptz not null default clock_timestamp(),
  source text not null,
  language text not null,
  is_framed boolean not null,
  steps text[] not null default '{opened}',
  primary key (instance_id, link_id),
  foreign key (instance_id, link_id) references links (instance_id, id) on delete cascade
);
create index link_progress_by_opening on link_progress (instance_id, opened_at);
select enforce_instance_isolation('link_progress');
