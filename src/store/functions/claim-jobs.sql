-- Version: 6
-- Claims up to `most` due jobs of different keys that no worker runs, round-robin over lanes (instance, provider): from the lane after
-- `after_instance` and `after_provider` on, at first ten lanes, each with an equal share of what is wanted. What they leave goes to the next
-- lanes and, after a whole round, to the lanes that have more. No instance and no provider gets more than `cap` running jobs. Claims are
-- serialized by an advisory lock, so that their counts hold; a job that another transaction is changing is skipped. Of
-- suspended instances only what was promised to owners goes on: revocations, erasures and deletions where exports were delivered.
--
-- NOTE a claim must not depend on statistics that are older than the queue: the settings leave the planner only the indexes, and one plan.
-- See docs/decisions/0018.
create or replace function claim_jobs(
  claimer uuid, wanted text[], most integer, lease_ms float8, after_instance uuid, after_provider text, cap integer
) returns setof jobs
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
declare
  now_at timestamptz;
  found_jobs integer := 0;
  -- Running jobs by instance, and by provider.
  busy_instances uuid[];
  busy_providers text[];
  of_instance integer[];
  of_provider integer[];
  -- Lane after which the next group begins; the second lap begins after the last lane.
  at_lap integer := 1;
  at_instance uuid := after_instance;
  at_provider text := after_provider;
  group_size integer := least(10, most);
  laps integer[];
  instances uuid[];
  providers text[];
  rooms integer[];
  ends_ring boolean;
  share integer;
  room integer;
  left_over integer;
  given integer;
  has_more boolean := false;
  suspended uuid[];
  i integer;
  p integer;
begin
  -- Asynchronous commit: a claim lost in a crash of the database is made again, and no worker waits for the disk while others wait for this lock.
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtextextended('claim jobs', 0));
  now_at := clock_timestamp();
  select coalesce(array_agg(x.instance_id), '{}') into suspended from instance_suspensions x;
  loop
    select coalesce(array_agg(b.instance_id) filter (where b.is_instance), '{}'), coalesce(array_agg(b.running) filter (where b.is_instance), '{}'),
      coalesce(array_agg(b.provider) filter (where not b.is_instance), '{}'), coalesce(array_agg(b.running) filter (where not b.is_instance), '{}')
    into busy_instances, of_instance, busy_providers, of_provider
    from (select r.instance_id, r.provider, grouping(r.provider) = 1 as is_instance, count(*)::integer as running
      from jobs r where r.state = 'running' group by grouping sets ((r.instance_id), (r.provider))) b
    where b.is_instance or b.provider <> '';

    with recursive ring as (
        select at_lap as lap, at_instance as instance_id, at_provider collate "C" as provider, null::timestamptz as run_at
        union all
        select n.lap, n.instance_id, n.provider, n.run_at from ring r cross join lateral (
          (select r.lap, j.instance_id, j.provider, j.run_at from jobs j
            where j.state = 'ready' and (j.instance_id, j.provider) > (r.instance_id, r.provider)
            order by j.instance_id, j.provider, j.run_at limit 1)
          union all
          (select 2, j.instance_id, j.provider, j.run_at from jobs j where j.state = 'ready' and r.lap = 1
            order by j.instance_id, j.provider, j.run_at limit 1)
          limit 1) n
        where n.lap = 1 or (n.instance_id, n.provider) <= (after_instance, after_provider collate "C"))
    select coalesce(array_agg(l.lap), '{}'), coalesce(array_agg(l.instance_id), '{}'), coalesce(array_agg(l.provider), '{}')
    into laps, instances, providers from (
      select r.lap, r.instance_id, r.provider from ring r
      where r.run_at <= now_at and coalesce(of_instance[array_position(busy_instances, r.instance_id)], 0) < cap
        and coalesce(of_provider[array_position(busy_providers, r.provider)], 0) < cap
      limit group_size) l;
    ends_ring := cardinality(instances) < group_size;

    if cardinality(instances) > 0 then
      left_over := most - found_jobs;
      share := ceil(left_over::float8 / cardinality(instances));
      rooms := '{}';
      for n in 1..cardinality(instances) loop
        i := coalesce(array_position(busy_instances, instances[n]), cardinality(busy_instances) + 1);
        busy_instances[i] := instances[n];
        p := coalesce(array_position(busy_providers, providers[n]), cardinality(busy_providers) + 1);
        busy_providers[p] := providers[n];
        room := least(share, left_over, cap - coalesce(of_instance[i], 0), cap - case providers[n] when '' then 0 else coalesce(of_provider[p], 0) end);
        -- Lanes before it in this group may take all that the cap leaves it: it begins the next group, when their number of jobs is known.
        if room <= 0 then
          instances := instances[:n - 1];
          providers := providers[:n - 1];
          ends_ring := false;
          exit;
        end if;
        rooms[n] := room;
        left_over := left_over - room;
        of_instance[i] := coalesce(of_instance[i], 0) + room;
        of_provider[p] := coalesce(of_provider[p], 0) + room;
      end loop;

      return query
      with oldest as materialized (
          select c.place, c.key, c.run_at, l.turn
          from unnest(instances, providers, rooms) with ordinality as l (instance_id, provider, room, turn) cross join lateral (
            select j.ctid as place, j.key, j.run_at from jobs j
            where j.state = 'ready' and j.instance_id = l.instance_id and j.provider = l.provider and j.run_at <= now_at
              and j.kind = any(wanted) and (j.kind in ('revoke', 'erase', 'eraseDelivered', 'removeDelivered', 'abortUpload', 'emptyReplica') or j.instance_id <> all(suspended))
              and not exists (select 1 from jobs r where r.state = 'running' and r.key = j.key)
            order by j.run_at limit l.room for update skip locked) c),
        -- NOTE a locked row keeps its ctid until the transaction ends.
        firsts as (select distinct on (o.key) o.place from oldest o order by o.key, o.turn, o.run_at)
      update jobs j set state = 'running', worker = claimer, attempts = j.attempts + 1,
        lease_until = now_at + make_interval(secs => lease_ms / 1000)
      from firsts where j.ctid = firsts.place
      returning j.*;
      get diagnostics given = row_count;
      found_jobs := found_jobs + given;
      exit when found_jobs >= most;
      has_more := has_more or given >= share;
    end if;

    if ends_ring then
      exit when not has_more;
      has_more := false;
      at_lap := 1;
      at_instance := after_instance;
      at_provider := after_provider;
    else
      at_lap := laps[cardinality(instances)];
      at_instance := instances[cardinality(instances)];
      at_provider := providers[cardinality(instances)];
      -- A round has many groups where caps cut them short, and there may be many rounds.
      group_size := least(group_size * 2, 10000);
    end if;
  end loop;
end
$$;
