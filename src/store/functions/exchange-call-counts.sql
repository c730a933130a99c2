-- Version: 2
-- Circuit breakers: adds the calls that a process has counted, and returns the breakers that are not closed and the pauses of `scopes`. A
-- breaker opens for 30 seconds when half of at least 20 calls of the last minute failed. Calls that began before it closed last do not
-- count: those that hung while the source was down come back after it has recovered. `part` is the endpoint of a breaker or the scope of a pause.
create or replace function exchange_call_counts(counts jsonb, scopes jsonb, at timestamptz)
returns table ("connectorKey" text, part text, state text, "waitMs" double precision) language plpgsql as $$
#variable_conflict use_column
declare
  counted record;
  breaker source_breakers;
  now_at timestamptz;
  this_step bigint;
begin
  for counted in
    select * from jsonb_to_recordset(counts) as c(source text, endpoint text, calls integer, failures integer, "begunAgoMs" double precision)
    order by 1, 2
  loop
    insert into source_breakers (connector_key, endpoint, updated_at) values (counted.source, counted.endpoint, coalesce(at, clock_timestamp()))
    on conflict do nothing;
    select * into breaker from source_breakers b where b.connector_key = counted.source and b.endpoint = counted.endpoint for update;
    now_at := coalesce(at, clock_timestamp());
    -- Calls that were in flight when it opened tell nothing new.
    continue when breaker.state <> 'closed' or now_at - make_interval(secs => counted."begunAgoMs" / 1000) < breaker.closed_at;
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
      where b.connector_key = counted.source and b.endpoint = counted.endpoint;
    else
      update source_breakers b set steps = breaker.steps, calls = breaker.calls, failures = breaker.failures, updated_at = now_at
      where b.connector_key = counted.source and b.endpoint = counted.endpoint;
    end if;
  end loop;
  now_at := coalesce(at, clock_timestamp());
  return query
    select b.connector_key, b.endpoint, b.state,
      -- Half-open: no wait; claiming a probe tells whether one is free.
      case when b.state = 'open' then greatest(0, extract(epoch from b.until - now_at) * 1000)::double precision else 0 end
    from source_breakers b where b.state <> 'closed'
    union all
    select p.connector_key, p.scope, 'paused', (extract(epoch from p.until - now_at) * 1000)::double precision
    from source_pauses p join jsonb_to_recordset(scopes) as w("connectorKey" text, scope text)
      on p.connector_key = w."connectorKey" and p.scope = w.scope
    where p.until > now_at;
end $$;
