-- Claims go round the instances and, within one, round the providers: each pair is a lane, found by its index without counting what waits.

alter table jobs
  -- The connector whose source the work goes to; empty for work of our own.
  add column provider text collate "C" not null default '' check (provider ~ '^[a-z0-9-]*$'),
  add column died_at timestamptz;

drop index jobs_due;
drop index jobs_leased;
create index jobs_lanes on jobs (instance_id, provider, run_at) where state = 'ready';
create index jobs_dead on jobs (instance_id, died_at, id) where state = 'dead';

-- Every job leaves at least two dead rows behind; they are cleared long before a fifth of the table is dead.
alter table jobs set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
  autovacuum_analyze_scale_factor = 0.05, autovacuum_analyze_threshold = 2000);

-- Who works: together their slots are what one instance and one provider may hold a share of.
create table workers (
  id uuid primary key,
  slots integer not null,
  seen_at timestamptz not null default clock_timestamp()
);

-- Claims up to `most` due jobs of different keys that nobody runs. The lanes come in turn, from the one after `after_instance` and
-- `after_provider` on, each with a tenth of what is wanted; only when that is not enough do those with more give the rest. No instance and
-- no provider gets past `cap` running jobs. Claims wait for each other, so that what they count holds; none waits for a job that another
-- transaction is changing.
--
-- NOTE a claim must not depend on statistics that are older than the queue: these two settings leave the planner only the indexes.
create function claim_jobs(
  claimer uuid, wanted text[], most integer, lease_ms float8, after_instance uuid, after_provider text, cap integer
) returns setof jobs
language plpgsql set enable_seqscan = off set enable_bitmapscan = off as $$
declare
  now_at timestamptz;
  busy_instances uuid[];
  busy_providers text[];
  full_instances uuid[];
  full_providers text[];
  share integer := ceil(most / 10.0);
  at_instance uuid := after_instance;
  -- No key of a provider holds this character, so the lane behind is the next one.
  at_provider text := after_provider || chr(1);
  lane record;
  has_wrapped boolean := false;
  found_ids uuid[];
  found_keys text[];
  -- One place in each of these four for every candidate.
  ids uuid[] := '{}';
  keys text[] := '{}';
  instances uuid[] := '{}';
  providers text[] := '{}';
  long_instances uuid[] := '{}';
  long_providers text[] := '{}';
begin
  -- A claim that a crash of the database takes back is made again. Nobody waits for the disk while all wait for this lock.
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtextextended('claim jobs', 0));
  now_at := clock_timestamp();
  select coalesce(array_agg(instance_id), '{}'), coalesce(array_agg(provider), '{}') into busy_instances, busy_providers
  from jobs where state = 'running';
  full_instances := array(select i from unnest(busy_instances) i group by i having count(*) >= cap);
  full_providers := array(select p from unnest(busy_providers) p where p <> '' group by p having count(*) >= cap);

  while cardinality(ids) < most loop
    select j.instance_id, j.provider, j.run_at into lane from jobs j
    where j.state = 'ready' and (j.instance_id, j.provider) >= (at_instance, at_provider)
    order by j.instance_id, j.provider, j.run_at limit 1;
    if not found then
      exit when has_wrapped;
      has_wrapped := true;
      at_instance := '00000000-0000-0000-0000-000000000000';
      at_provider := '';
      continue;
    end if;
    exit when has_wrapped and (lane.instance_id, lane.provider) > (after_instance, after_provider collate "C");
    at_instance := lane.instance_id;
    if lane.instance_id = any(full_instances) then
      at_provider := chr(127);
      continue;
    end if;
    at_provider := lane.provider || chr(1);
    if lane.run_at > now_at or lane.provider = any(full_providers) then
      continue;
    end if;
    select coalesce(array_agg(id), '{}'), coalesce(array_agg(key), '{}') into found_ids, found_keys from (
      select j.id, j.key from jobs j
      where j.state = 'ready' and j.instance_id = lane.instance_id and j.provider = lane.provider and j.run_at <= now_at
        and j.kind = any(wanted) and not exists (select 1 from jobs r where r.state = 'running' and r.key = j.key)
      order by j.run_at limit share) oldest;
    ids := ids || found_ids;
    keys := keys || found_keys;
    instances := instances || array_fill(lane.instance_id, array[cardinality(found_ids)]);
    providers := providers || array_fill(lane.provider, array[cardinality(found_ids)]);
    if cardinality(found_ids) = share then
      long_instances := long_instances || lane.instance_id;
      long_providers := long_providers || lane.provider;
    end if;
  end loop;
  if cardinality(ids) < most and share < most and cardinality(long_providers) > 0 then
    select ids || array_agg(j.id), keys || array_agg(j.key), instances || array_agg(l.instance_id), providers || array_agg(l.provider)
    into ids, keys, instances, providers
    from unnest(long_instances, long_providers) as l (instance_id, provider) cross join lateral (
      select id, key from jobs j
      where j.state = 'ready' and j.instance_id = l.instance_id and j.provider = l.provider and j.run_at <= now_at
        and j.kind = any(wanted) and not exists (select 1 from jobs r where r.state = 'running' and r.key = j.key)
      order by j.run_at offset share limit most - share) j;
  end if;
  if cardinality(ids) = 0 then
    return;
  end if;

  return query
  with candidates as (
      select c.*, row_number() over (partition by instance_id, provider order by place) as turn_of_lane,
        row_number() over (partition by key order by place) as turn_of_key
      from unnest(ids, keys, instances, providers) with ordinality as c (id, key, instance_id, provider, place)),
    ranked as (
      select c.*, row_number() over (partition by instance_id order by turn_of_lane, place) as turn_of_instance,
        row_number() over (partition by provider order by turn_of_lane, place) as turn_of_provider
      from candidates c where turn_of_key = 1),
    picked as materialized (
      select id from jobs where state = 'ready' and id = any(array(
        select r.id from ranked r
        where r.turn_of_instance + (select count(*) from unnest(busy_instances) b where b = r.instance_id) <= cap
          and (r.provider = '' or r.turn_of_provider + (select count(*) from unnest(busy_providers) b where b = r.provider) <= cap)
        order by r.turn_of_lane, r.place limit most))
      for update skip locked)
  update jobs set state = 'running', worker = claimer, attempts = jobs.attempts + 1,
    lease_until = now_at + make_interval(secs => lease_ms / 1000)
  from picked where jobs.id = picked.id
  returning jobs.*;
end
$$;
