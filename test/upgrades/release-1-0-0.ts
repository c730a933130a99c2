/** Statements of release 1.0.0 on events and deliveries, as they stand in it. */
export const RELEASE_1_0_0 = {
  insertEvent: `with inserted as (
       insert into events (instance_id, id, kind, company_id, service_id, session_id, dedupe_key, body, only_for, created_at, trace_parent)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
       on conflict (instance_id, dedupe_key) do nothing returning id)
     select pg_notify('events', '') from inserted`,
  placeEvents: `with waiting as (
             select id, row_number() over (order by created_at, id) as place from (
               select id, created_at from events where instance_id = $1 and position is null order by created_at, id limit $2) oldest),
           placed as (
             update events e set position = f.position + waiting.place from waiting, event_feeds f
             where e.instance_id = $1 and e.id = waiting.id and f.instance_id = $1
             returning e.id, e.kind, e.only_for),
           fanned as (
             insert into deliveries (instance_id, event_id, subscription_id)
             select $1, placed.id, s.id from placed join subscriptions s on s.instance_id = $1 and s.status = 'active'
               and case when placed.only_for is null then s.event = placed.kind or placed.kind = any($3) else s.id = placed.only_for end
             on conflict (instance_id, subscription_id, event_id) do nothing),
           moved as (
             update event_feeds set position = position + (select count(*) from placed) where instance_id = $1)
           select count(*)::int as placed from placed`,
  readFeed: `select id, kind, created_at as "createdAt", body, position from events
     where instance_id = $1 and position > $2 and only_for is null order by position limit $3`,
  claim: `with free as (
             select s.id, s.callback_url, case when s.failure_count >= $6 then 1 else $5::int end - (
               select count(*) from deliveries d where d.instance_id = $1 and d.subscription_id = s.id and d.lease is not null
                 and d.leased_until >= statement_timestamp()) as slots
             from subscriptions s where s.instance_id = $1 and s.id = any($2)),
           due as (
             select d.id, free.callback_url, row_number() over (partition by free.id order by d.due_at) as turn, d.due_at
             from free cross join lateral (
               select id, due_at from deliveries d
               where d.instance_id = $1 and d.subscription_id = free.id and d.status = 'pending'
                 and d.due_at <= statement_timestamp() + make_interval(secs => $8::float8 / 1000)
                 and (d.leased_until is null or d.leased_until < statement_timestamp())
               order by d.due_at limit greatest(free.slots, 0) for update skip locked) d),
           picked as (select id, callback_url from due order by turn, due_at limit $3)
           update deliveries d set lease = $4, leased_until = clock_timestamp() + make_interval(secs => $7::float8 / 1000)
           from picked, events e
           where d.instance_id = $1 and d.id = picked.id and e.instance_id = $1 and e.id = d.event_id
           returning d.instance_id as "instanceId", d.id, d.subscription_id as "subscriptionId", picked.callback_url as "callbackUrl",
             d.event_id as "eventId", e.kind, e.body, d.step, d.lease,
             clock_timestamp() + make_interval(secs => $8::float8 / 1000) as "claimedAt", e.created_at as "raisedAt", e.trace_parent as "traceParent",
             d.attempt_count > 0 and (select count(*) from delivery_attempts a where a.instance_id = $1 and a.delivery_id = d.id
               and a.http_status between 200 and 299) > 0 as "wasDelivered"`,
  recordAttempt: `with time as materialized (select clock_timestamp() + make_interval(secs => $6::float8 / 1000) as now),
           mine as (
             update deliveries set status = $4, step = step + 1, attempt_count = attempt_count + 1, lease = null, leased_until = null,
               due_at = time.now + make_interval(secs => $5::float8 / 1000),
               delivered_at = case when $4 = 'delivered' then time.now end
             from time where instance_id = $1 and id = $2 and lease = $3 returning id, subscription_id, attempt_count),
           noted as (
             insert into delivery_attempts (instance_id, delivery_id, number, started_at, duration_ms, http_status, error, response)
             select $1, id, attempt_count, $9, $10, $11, $12, $13 from mine),
           record as (
             update subscriptions s
             set failing_since = case when $4 = 'delivered' then null else coalesce(s.failing_since, time.now) end,
               failure_count = case when $4 = 'delivered' then 0 else s.failure_count + 1 end,
               paused_until = case when $4 <> 'delivered' and s.failure_count + 1 >= $7
                 then time.now + make_interval(secs => $8::float8 / 1000) end
             from mine, time
             where s.instance_id = $1 and s.id = mine.subscription_id and ($4 <> 'delivered' or s.failing_since is not null)
             returning s.failing_since, s.failure_count)
           select coalesce(record.failure_count, 0) as "failureCount",
             coalesce(extract(epoch from time.now - record.failing_since) * 1000, 0)::float8 as "failingForMs"
           from time, mine left join record on true`,
  replay: `insert into deliveries as d (instance_id, event_id, subscription_id)
     select $1, e.id, s.id from subscriptions s join events e on e.instance_id = $1
       and case when e.only_for is null then e.kind = s.event or e.kind = any($3) else e.only_for = s.id end
     where s.instance_id = $1 and s.id = $2 and e.position is not null and e.id = $4
     on conflict (instance_id, subscription_id, event_id) do update set status = 'pending', step = 0, due_at = clock_timestamp()`,
  deleteEventsOfCompany: 'delete from events where instance_id = $1 and company_id = $2',
  deleteDeliveriesOfSubscription: 'delete from deliveries where instance_id = $1 and subscription_id = $2',
} as const

/** Statements of release 1.0.0 on raw pages, as they stand in it. */
export const PAGES_OF_1_0_0 = {
  findSame: `select id, fetched_at as "fetchedAt", content_hash = $5 as same from raw_pages
     where instance_id = $1 and connection_id = $2 and pull = $3 and page = $4 order by fetched_at desc limit 1`,
  store: `insert into raw_pages (instance_id, id, connection_id, pull, page, fetched_at, content_hash, sealed)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
  find: `select instance_id as "instanceId", id, connection_id as "connectionId", pull, page, fetched_at as "fetchedAt",
       content_hash as "contentHash", sealed from raw_pages where instance_id = $1 and id = $2`,
  deleteOld: `with told as materialized (
       select distinct raw_page_id as id from record_versions
       where instance_id = $1 and connection_id = $2 and valid_to is null and not deleted
       union select raw_page_id from quarantined_records where instance_id = $1 and connection_id = $2)
     delete from raw_pages p where p.instance_id = $1 and p.connection_id = $2
       and p.fetched_at < statement_timestamp() - make_interval(months => $3) and not exists (select from told where told.id = p.id)`,
  erase: 'delete from raw_pages where instance_id = $1 and connection_id = $2',
} as const
