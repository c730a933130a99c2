-- Version: 2
-- Settles leases of permits and takes a new one where every limit has room. `settled`: what each lease was charged, until when it was charged
-- in advance, and how long ago each of its calls ended. A lease is charged at its end, so that a lease that nobody settles (its worker was
-- killed) counts as used at the last moment. Rows are locked in one order; the statements after the lock see what others have committed.
create or replace function exchange_source_permits(source text, limits jsonb, settled jsonb, wanted integer, lease_ms bigint, at timestamptz)
returns table (granted integer, "waitMs" double precision, "untilMs" double precision, "blockedBy" text, "isHeld" boolean)
language plpgsql as $$
#variable_conflict use_column
declare
  now_ms bigint;
  pause_ms double precision;
  room integer;
begin
  insert into source_limits (connector_key, scope, name, calls, per_ms, updated_at)
  select source, l.scope, l.name, l.calls, l."perMs", coalesce(at, clock_timestamp())
  from jsonb_to_recordset(limits) as l(scope text, name text, calls integer, "perMs" bigint)
  where not exists (select from source_limits s where s.connector_key = source and s.scope = l.scope and s.name = l.name)
  order by l.scope, l.name
  on conflict do nothing;
  perform from source_limits s
  where s.connector_key = source and (s.scope, s.name) in (select l->>'scope', l->>'name' from jsonb_array_elements(limits) l)
  order by s.scope, s.name for update;

  now_ms := floor(extract(epoch from coalesce(at, clock_timestamp())) * 1000);
  select extract(epoch from max(p.until)) * 1000 - now_ms into pause_ms from source_pauses p
  where p.connector_key = source and (p.scope = '' or p.scope in (select l->>'scope' from jsonb_array_elements(limits) l));

  with changes as (
    select s.scope, s.name, s.steps, s.taken, l.calls, l."perMs" as span, greatest(1, l."perMs" / 60) as size
    from source_limits s
    join jsonb_to_recordset(limits) as l(scope text, name text, calls integer, "perMs" bigint) on l.scope = s.scope and l.name = s.name
    where s.connector_key = source
  ), counted as (
    select c.scope, c.name, m.step, sum(m.n)::integer as n
    from changes c cross join lateral (
      select k.step, k.n from unnest(c.steps, c.taken) as k(step, n)
      union all
      select r.until / c.size, case when c.span = 0 then -1 else -r.granted end
      from jsonb_to_recordset(settled) as r(until bigint, granted integer)
      union all
      select (now_ms - a.age::bigint) / c.size, 1
      from jsonb_to_recordset(settled) as r(ages jsonb) cross join lateral jsonb_array_elements_text(r.ages) as a(age)
      where c.span > 0) m
    -- A charge that was not settled in time has expired by itself; returning it as well would count below zero.
    where (m.step + 1) * c.size + c.span > now_ms
    group by c.scope, c.name, m.step having sum(m.n) > 0
  )
  update source_limits s set calls = c.calls, per_ms = c.span, updated_at = coalesce(at, clock_timestamp()),
    steps = coalesce((select array_agg(k.step order by k.step) from counted k where k.scope = c.scope and k.name = c.name), '{}'),
    taken = coalesce((select array_agg(k.n order by k.step) from counted k where k.scope = c.scope and k.name = c.name), '{}')
  from changes c where s.connector_key = source and s.scope = c.scope and s.name = c.name;

  if wanted = 0 then
    return;
  end if;
  if pause_ms > 0 then
    return query select 0, pause_ms, 0::double precision, 'pause', false;
    return;
  end if;
  -- At least one call in every limit; in a limit of concurrent calls a lease counts as one.
  select min(case when u.per_ms > 0 then u.calls - u.used when u.used < u.calls then wanted else 0 end) into room
  from (select s.calls, s.per_ms, (select coalesce(sum(n), 0) from unnest(s.taken) as n)::integer as used
        from source_limits s
        where s.connector_key = source and (s.scope, s.name) in (select l->>'scope', l->>'name' from jsonb_array_elements(limits) l)) u;
  if room >= 1 then
    update source_limits s set
      steps = s.steps || (now_ms + lease_ms) / greatest(1, s.per_ms / 60),
      taken = s.taken || case when s.per_ms = 0 then 1 else least(room, wanted) end
    where s.connector_key = source and (s.scope, s.name) in (select l->>'scope', l->>'name' from jsonb_array_elements(limits) l);
    return query select least(room, wanted), 0::double precision, (now_ms + lease_ms)::double precision, null::text, false;
    return;
  end if;
  -- Wait until all wanted calls fit: a process that returned for each single call would return too often.
  return query
    select 0, greatest(1, (b.step + 1) * b.size + b.per_ms - now_ms)::double precision, 0::double precision, b.name,
      -- What must end first is in flight: it may end at any moment.
      b.per_ms = 0 or b.step * b.size > now_ms
    from (
      select s.name, s.per_ms, greatest(1, s.per_ms / 60) as size, (
        select min(f.step) from (select k.step, sum(k.n) over (order by k.step) as freed from unnest(s.steps, s.taken) as k(step, n)) f
        where f.freed >= (select sum(n) from unnest(s.taken) as n) - s.calls
          + case when s.per_ms = 0 then 1 else least(wanted, s.calls) end) as step
      from source_limits s
      where s.connector_key = source and (s.scope, s.name) in (select l->>'scope', l->>'name' from jsonb_array_elements(limits) l)
        and (select coalesce(sum(n), 0) from unnest(s.taken) as n) >= s.calls) b
    order by 2 desc limit 1;
end $$;
