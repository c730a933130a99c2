-- What sources allow and how they fare, shared by all processes. None of it belongs to a customer: a source counts the calls of the
-- operator's app for some books, whichever customer they are made for. Books are named by a hash.

-- Calls taken of each limit. A step is a sixtieth of the window (a millisecond for limits on calls at the same time); a call counts from
-- when it is let through until a whole window after the step in which its answer came.
create table source_limits (
  connector_key text not null,
  -- Empty for what the whole app shares.
  scope text not null,
  name text not null,
  calls integer not null,
  -- 0: calls at the same time.
  per_ms bigint not null,
  steps bigint[] not null default '{}',
  taken integer[] not null default '{}',
  updated_at timestamptz not null,
  primary key (connector_key, scope, name)
) with (fillfactor = 50);

-- Until when a source asked not to be called.
create table source_pauses (
  connector_key text not null,
  scope text not null,
  until timestamptz not null,
  primary key (connector_key, scope)
);

create table source_breakers (
  connector_key text not null,
  -- One address of the source: its name, or a hash where a customer named it.
  place text not null,
  state text not null default 'closed' check (state in ('closed', 'open', 'half-open')),
  -- Open: when probes may go. Half-open: when probes that did not report are given up.
  until timestamptz,
  -- Raised whenever it opens, so that a late probe speaks only for its own time.
  opened integer not null default 0,
  probes_out integer not null default 0,
  probes_good integer not null default 0,
  -- Calls of the last minute by steps of five seconds.
  steps bigint[] not null default '{}',
  calls integer[] not null default '{}',
  failures integer[] not null default '{}',
  updated_at timestamptz not null,
  primary key (connector_key, place)
) with (fillfactor = 50);

-- Settles leases and takes a new one, if there is room in every limit. `settled`: what leases were charged, until when they were charged
-- in advance, and how long ago each of their calls ended. A lease is charged at its end, so one that nobody settles (its worker was
-- killed) counts as used at the last moment. Rows are locked in one order; everything behind that sees what others have committed.
create function exchange_source_permits(source text, limits jsonb, settled jsonb, wanted integer, lease_ms bigint, at timestamptz)
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
    -- A charge that nobody settled in time is gone by itself; giving it back once more leaves less than nothing.
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
  -- Room for one call at least in everything; where calls at the same time are counted, a lease is one.
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
  -- Until there is room for all that was wanted: whoever comes back for one call at a time comes back too often.
  return query
    select 0, greatest(1, (b.step + 1) * b.size + b.per_ms - now_ms)::double precision, 0::double precision, b.name,
      -- What has to go first is under way: it may end at any moment.
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

-- Adds what a process has counted, and tells it which breakers are not closed and which of these scopes are paused. Half of twenty or more
-- calls of the last minute failed: open for thirty seconds. `part` is the place of a breaker or the scope of a pause.
create function exchange_source_news(counts jsonb, scopes jsonb, at timestamptz)
returns table ("connectorKey" text, part text, state text, "waitMs" double precision) language plpgsql as $$
#variable_conflict use_column
declare
  counted record;
  breaker source_breakers;
  now_at timestamptz;
  this_step bigint;
begin
  for counted in
    select * from jsonb_to_recordset(counts) as c(source text, place text, calls integer, failures integer) order by 1, 2
  loop
    insert into source_breakers (connector_key, place, updated_at) values (counted.source, counted.place, coalesce(at, clock_timestamp()))
    on conflict do nothing;
    select * into breaker from source_breakers b where b.connector_key = counted.source and b.place = counted.place for update;
    -- What was under way when it opened says nothing new.
    continue when breaker.state <> 'closed';
    now_at := coalesce(at, clock_timestamp());
    this_step := floor(extract(epoch from now_at) / 5);
    select coalesce(array_agg(k.step), '{}') || this_step, coalesce(array_agg(k.calls), '{}') || counted.calls,
      coalesce(array_agg(k.failures), '{}') || counted.failures
    into breaker.steps, breaker.calls, breaker.failures
    from (select o.step, sum(o.calls)::integer as calls, sum(o.failures)::integer as failures
          from unnest(breaker.steps, breaker.calls, breaker.failures) as o(step, calls, failures)
          where o.step > this_step - 12 group by o.step) k;
    if (select sum(c) >= 20 and sum(f) * 2 >= sum(c) from unnest(breaker.calls, breaker.failures) as t(c, f)) then
      update source_breakers b set state = 'open', until = now_at + interval '30 seconds', opened = b.opened + 1,
        steps = '{}', calls = '{}', failures = '{}', updated_at = now_at
      where b.connector_key = counted.source and b.place = counted.place;
    else
      update source_breakers b set steps = breaker.steps, calls = breaker.calls, failures = breaker.failures, updated_at = now_at
      where b.connector_key = counted.source and b.place = counted.place;
    end if;
  end loop;
  now_at := coalesce(at, clock_timestamp());
  return query
    select b.connector_key, b.place, b.state,
      -- Half-open: whoever asks for a probe is told whether there is one.
      case when b.state = 'open' then greatest(0, extract(epoch from b.until - now_at) * 1000)::double precision else 0 end
    from source_breakers b where b.state <> 'closed'
    union all
    select p.connector_key, p.scope, 'paused', (extract(epoch from p.until - now_at) * 1000)::double precision
    from source_pauses p join jsonb_to_recordset(scopes) as w("connectorKey" text, scope text)
      on p.connector_key = w."connectorKey" and p.scope = w.scope
    where p.until > now_at;
end $$;
