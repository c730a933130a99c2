-- PostgreSQL took this index to look up single records among all of a connection where it had no statistics, and every record paid for it.
drop index record_versions_of_connection;

-- One index instead of two, for every record pays for each: it finds the versions of a record and allows one current version only.
create unique index record_versions_of_record on record_versions (instance_id, company_id, service_id, entity, id, valid_to) nulls not distinct;
alter table record_versions drop constraint record_versions_pkey;
drop index record_versions_current;

-- As before but for how it counts: once for each instance and provider, not once for each candidate. A plan is made once only: for a claim of
-- fifty, making it took as long as the claim.
create or replace function claim_jobs(
  claimer uuid, wanted text[], most integer, lease_ms float8, after_instance uuid, after_provider text, cap integer
) returns setof jobs
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
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
    of_instances as (select b as instance_id, count(*) as running from unnest(busy_instances) b group by b),
    of_providers as (select b as provider, count(*) as running from unnest(busy_providers) b group by b),
    picked as materialized (
      select id from jobs where state = 'ready' and id = any(array(
        select r.id from ranked r
          left join of_instances i on i.instance_id = r.instance_id left join of_providers p on p.provider = r.provider
        where r.turn_of_instance + coalesce(i.running, 0) <= cap and (r.provider = '' or r.turn_of_provider + coalesce(p.running, 0) <= cap)
        order by r.turn_of_lane, r.place limit most))
      for update skip locked)
  update jobs set state = 'running', worker = claimer, attempts = jobs.attempts + 1,
    lease_until = now_at + make_interval(secs => lease_ms / 1000)
  from picked where jobs.id = picked.id
  returning jobs.*;
end
$$;
