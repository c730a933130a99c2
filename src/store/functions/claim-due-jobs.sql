-- Version: 2
-- Claims up to `most` due jobs of different keys that no worker runs, round-robin over lanes (instance, provider): from the lane after
-- `after_instance` and `after_provider` on, at first ten lanes, each with an equal share of what is wanted. What they leave goes to the next
-- lanes and, after a whole round, to the lanes that have more. No instance and no provider gets more than `cap` running jobs. Claims are
-- serialized by an advisory lock, so that their counts hold; a job that another transaction is changing is skipped. Of
-- suspended instances only what was promised to owners goes on: revocations, erasures and deletions where exports were delivered.
--
-- While any transaction of the database stays open, PostgreSQL keeps the index entries of all jobs that were claimed since. A worker hands
-- each claim what its last one returned as `now_known`, in a row without a job (null stands for one that keeps nothing): the lanes claimed from most often, each with a time before
-- which none of its jobs waits, and the running jobs, with the time of the claim that listed them. Entries before these times are not read
-- again. A job that appears before its lane's time, because its transaction took more than two seconds, waits for the next full claim: there
-- is one every ten seconds that takes at most a fiftieth of the time. See docs/decisions/0079.
--
-- NOTE a claim must not depend on statistics that are older than the queue: the settings leave the planner only the indexes, and one plan.
-- See docs/decisions/0018.
create or replace function claim_due_jobs(
  claimer uuid, wanted text[], most integer, lease_ms float8, after_instance uuid, after_provider text, cap integer, last_known jsonb
) returns table (
  id uuid, instance_id uuid, kind text, key text, provider text, payload jsonb, attempts integer, furthest integer, trace_parent text, now_known jsonb
)
language plpgsql set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  now_at timestamptz;
  -- No claim before this one has a later `claimed_at`, whatever the clock does.
  claim_at timestamptz;
  found_jobs integer := 0;
  -- What is known from the last claim. Lanes are in the order of the ring.
  is_full boolean;
  full_at timestamptz := last_known ->> 'fullAt';
  full_seconds float8 := last_known ->> 'fullSeconds';
  known_instances uuid[];
  known_providers text[];
  known_starts timestamptz[];
  known_times integer[];
  listed_at timestamptz := '-infinity';
  listed_keys text[] := '{}';
  now_listed text[];
  -- Jobs that appear before this time are not overlooked by the next claim.
  recent timestamptz;
  -- Lanes found by this claim.
  found_instances uuid[] := '{}';
  found_providers text[] := '{}';
  found_starts timestamptz[] := '{}';
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
  starts timestamptz[];
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
  -- Known lanes, and one behind the last lane of all. NOTE `coalesce` would keep row-level security from using the index.
  end_instances uuid[];
  end_providers text[];
begin
  -- Asynchronous commit: a claim lost in a crash of the database is made again, and no worker waits for the disk while others wait for this lock.
  perform set_config('synchronous_commit', 'off', true);
  perform pg_advisory_xact_lock(hashtextextended('claim jobs', 0));
  now_at := clock_timestamp();
  recent := now_at - interval '2 seconds';
  select coalesce(array_agg(x.instance_id), '{}') into suspended from instance_suspensions x;

  is_full := full_at is null or now_at not between full_at and full_at + make_interval(secs => greatest(10, 50 * full_seconds));
  select coalesce(array_agg((l.lane ->> 0)::uuid order by l.n), '{}'), coalesce(array_agg(l.lane ->> 1 order by l.n), '{}'),
    coalesce(array_agg((l.lane ->> 2)::timestamptz order by l.n), '{}'), coalesce(array_agg((l.lane ->> 3)::integer order by l.n), '{}')
  into known_instances, known_providers, known_starts, known_times
  from jsonb_array_elements(last_known -> 'lanes') with ordinality as l (lane, n);
  if is_full then
    select coalesce(array_agg(least(recent, (
        select j.run_at from jobs j where j.state = 'ready' and j.instance_id = l.instance_id and j.provider = l.provider
        order by j.run_at limit 1)) order by l.n), '{}'), coalesce(array_agg(l.times / 2 order by l.n), '{}')
    into known_starts, known_times
    from unnest(known_instances, known_providers, known_times) with ordinality as l (instance_id, provider, times, n);
  else
    listed_at := last_known ->> 'listedAt';
    listed_keys := array(select jsonb_array_elements_text(last_known -> 'running'));
  end if;
  claim_at := greatest(now_at, listed_at);
  end_instances := known_instances || uuid 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  end_providers := known_providers || text U&'\+10FFFF';

  loop
    -- A running job is one that has a worker: so written, only `jobs_by_claim` fits. One without `claimed_at` was claimed before an upgrade; it
    -- counts as claimed later than any other.
    with running as materialized (
      select r.key, r.instance_id, r.provider from jobs r
        where r.state = 'running' and r.key = any(listed_keys) and r.claimed_at < listed_at
      union all select r.key, r.instance_id, r.provider from jobs r where r.worker is not null and case when r.claimed_at is null then 'infinity' else r.claimed_at end >= listed_at)
    select coalesce(array_agg(b.instance_id) filter (where b.is_instance), '{}'), coalesce(array_agg(b.running) filter (where b.is_instance), '{}'),
      coalesce(array_agg(b.provider) filter (where not b.is_instance), '{}'), coalesce(array_agg(b.running) filter (where not b.is_instance), '{}'),
      coalesce(now_listed, array(select r.key from running r))
    into busy_instances, of_instance, busy_providers, of_provider, now_listed
    from (select r.instance_id, r.provider, grouping(r.provider) = 1 as is_instance, count(*)::integer as running
      from running r group by grouping sets ((r.instance_id), (r.provider))) b
    where b.is_instance or b.provider <> '';

    -- A step leads to the next lane: to one before the next known lane, or to this one from its start. A known lane without jobs has no `run_at`.
    with recursive ring as (
        select at_lap as lap, at_instance as instance_id, at_provider collate "C" as provider, null::timestamptz as run_at,
          (select count(*)::integer + 1 from unnest(known_instances, known_providers) k (instance_id, provider)
            where (k.instance_id, k.provider collate "C") <= (at_instance, at_provider collate "C")) as ahead
        union all
        select n.lap, n.instance_id, n.provider, n.run_at, n.ahead
        from ring r cross join lateral (
          (select r.lap, j.instance_id, j.provider, j.run_at, r.ahead from jobs j
            where j.state = 'ready' and (j.instance_id, j.provider) > (r.instance_id, r.provider)
              and (j.instance_id, j.provider) < (end_instances[r.ahead], end_providers[r.ahead])
            order by j.instance_id, j.provider, j.run_at limit 1)
          union all
          (select r.lap, j.instance_id, j.provider, j.run_at, r.ahead + 1 from jobs j
            where j.state = 'ready' and j.instance_id = known_instances[r.ahead] and j.provider = known_providers[r.ahead]
              and j.run_at >= known_starts[r.ahead]
            order by j.run_at limit 1)
          union all
          (select r.lap, known_instances[r.ahead], known_providers[r.ahead], null, r.ahead + 1 where r.ahead <= cardinality(known_instances))
          union all
          (select 2, j.instance_id, j.provider, j.run_at, 1 from jobs j where j.state = 'ready' and r.lap = 1
              and (j.instance_id, j.provider) < (end_instances[1], end_providers[1])
            order by j.instance_id, j.provider, j.run_at limit 1)
          union all
          (select 2, known_instances[1], known_providers[1], null, 1 where r.lap = 1 and cardinality(known_instances) > 0)
          limit 1) n
        where n.lap = 1 or (n.instance_id, n.provider) <= (after_instance, after_provider collate "C"))
    select coalesce(array_agg(l.lap), '{}'), coalesce(array_agg(l.instance_id), '{}'), coalesce(array_agg(l.provider), '{}'), coalesce(array_agg(l.run_at), '{}')
    into laps, instances, providers, starts from (
      select r.lap, r.instance_id, r.provider, r.run_at from ring r
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
      found_instances := found_instances || instances[:64];
      found_providers := found_providers || providers[:64];
      found_starts := found_starts || starts[:least(64, cardinality(instances))];

      return query
      with oldest as materialized (
          select c.place, c.key, c.run_at, l.turn
          from unnest(instances, providers, rooms, starts[:cardinality(instances)]) with ordinality as l (instance_id, provider, room, starts_at, turn)
          cross join lateral (
            select j.ctid as place, j.key, j.run_at from jobs j
            where j.state = 'ready' and j.instance_id = l.instance_id and j.provider = l.provider and j.run_at between l.starts_at and now_at
              and j.kind = any(wanted) and (j.kind in ('revoke', 'erase', 'eraseDelivered', 'removeDelivered', 'abortUpload', 'emptyReplica') or j.instance_id <> all(suspended))
              -- NOTE with `offset`, each key is looked up: one pass over all running jobs would read the entries that are kept.
              and not exists (select 1 from jobs r where r.state = 'running' and r.key = j.key offset 0)
            order by j.run_at limit l.room for update skip locked) c),
        -- NOTE a locked row keeps its ctid until the transaction ends.
        firsts as (select distinct on (o.key) o.place from oldest o order by o.key, o.turn, o.run_at)
      update jobs j set state = 'running', worker = claimer, attempts = j.attempts + 1, claimed_at = claim_at,
        lease_until = now_at + make_interval(secs => lease_ms / 1000)
      from firsts where j.ctid = firsts.place
      returning j.id, j.instance_id, j.kind, j.key, j.provider, j.payload, j.attempts, j.furthest, j.trace_parent, null::jsonb;
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

  if last_known is not null then
    now_known := jsonb_build_object('listedAt', claim_at, 'running', now_listed,
      'fullAt', case when is_full then now_at else full_at end,
      'fullSeconds', case when is_full then extract(epoch from clock_timestamp() - now_at) else full_seconds end,
      'lanes', (select coalesce(jsonb_agg(jsonb_build_array(l.instance_id, l.provider, l.starts_at, l.times) order by l.instance_id, l.provider collate "C"), '[]')
        from (select u.instance_id, u.provider, max(u.starts_at) as starts_at, sum(u.times) as times
          from (select f.instance_id, f.provider, least(f.starts_at, recent) as starts_at, 1 as times
              from unnest(found_instances, found_providers, found_starts) f (instance_id, provider, starts_at)
            union all
            select k.instance_id, k.provider, k.starts_at, k.times
              from unnest(known_instances, known_providers, known_starts, known_times) k (instance_id, provider, starts_at, times)) u
          group by u.instance_id, u.provider order by 4 desc limit 64) l));
    return query select null::uuid, null::uuid, null::text, null::text, null::text, null::jsonb, null::integer, null::integer, null::text, now_known;
  end if;
end
$$;
