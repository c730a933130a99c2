import type { CrashHarness } from './harness.ts'

/**
 * Checks the final state: nothing lost, nothing duplicated, nothing announced before it was committed. Returns the
 * violations.
 */
export async function findFaults(harness: CrashHarness): Promise<string[]> {
  const faults = [...harness.complaints]
  for (const companyId of harness.companyIds) faults.push(...(await checkRecords(harness, companyId)))
  faults.push(...(await checkTables(harness)), ...(await checkEvents(harness)))
  return faults
}

async function checkRecords(harness: CrashHarness, companyId: string): Promise<string[]> {
  const { rows } = await harness.database.query<{ key: string; name: string }>(
    `select case entity when 'Accounts' then 'accounts' else 'entries' end || '/' || orig_id as key,
       coalesce(doc::json ->> 'name', doc::json ->> 'description') as name
     from record_versions where instance_id = $1 and company_id = $2 and valid_to is null and not deleted order by 1`,
    [harness.instanceId, companyId],
  )
  const { rows: connections } = await harness.database.query(
    `select 1 from connections where instance_id = $1 and company_id = $2 and status not in (26, 6)`,
    [harness.instanceId, companyId],
  )
  const there = connections.length === 0 ? [] : (['accounts', 'entries'] as const)
  const wanted = there
    .flatMap((collection) => [...harness.provider.records[collection].values()].map(({ id, name }) => `${collection}/${id} ${name}`))
    .sort()
  const found = rows.map(({ key, name }) => `${key} ${name}`).sort()
  const lost = wanted.filter((line) => !found.includes(line)).map((line) => `lost: ${line}`)
  const extra = found.filter((line) => !wanted.includes(line)).map((line) => `not at the source: ${line}`)
  return new Set(found).size < found.length ? [...lost, ...extra, 'doubled'] : [...lost, ...extra]
}

/** NOTE tables that a cluster distributes, and those of its coordinator, are asked by statements of their own. */
async function checkTables({ database, instanceId }: CrashHarness): Promise<string[]> {
  const { rows: ofRecords } = await database.query<Record<string, number>>(
    `with versions as (select doc, content_hash, deleted, valid_from, valid_to, lag(valid_to) over w as ended, lag(content_hash) over w as hash,
         lag(deleted) over w as gone from record_versions where instance_id = $1
         window w as (partition by company_id, service_id, entity, id order by valid_from))
     select (select count(*)::int from versions where ended <> valid_from and not gone) as "gaps between versions",
       (select count(*)::int from versions where hash = content_hash and gone = deleted) as "versions that say the same as the one before",
       (select count(*)::int from staged_records where instance_id = $1) as "staged records left",
       (select count(*)::int from run_pages where instance_id = $1) as "pages of runs left",
       (select count(*)::int from sync_runs where instance_id = $1 and state = 'running') as "running runs"`,
    [instanceId],
  )
  const { rows: told } = await database.query<{ key: string }>(
    `select 'NormalizedData/' || connection_id || '/' || id as key from sync_runs
     where instance_id = $1 and (state = 'published' or (state = 'unchanged' and is_awaited))`,
    [instanceId],
  )
  const { rows: ended } = await database.query<{ id: string }>('select id from connections where instance_id = $1 and status = 26', [
    instanceId,
  ])
  const { rows: ofEnded } = await database.query<Record<string, number>>(
    'select count(*)::int as "records of the disconnected" from record_versions where instance_id = $1 and connection_id = any ($2)',
    [instanceId, ended.map(({ id }) => id)],
  )
  const { rows: ofOthers } = await database.query<Record<string, number>>(
    `select (select count(*)::int from jobs where instance_id = $1) as "jobs left",
       (select count(*)::int from unnest($2::text[]) r (key)
          where 1 <> (select count(*) from events e where e.instance_id = $1 and e.dedupe_key = r.key)) as "runs without exactly one event",
       (select count(*)::int from connections c where c.instance_id = $1 and c.status = 26 and 1 <> (
          select count(*) from events e where e.instance_id = $1 and e.session_id = c.id and e.kind = 'Disconnected')) as "ends without exactly one event"`,
    [instanceId, told.map(({ key }) => key)],
  )
  const counts = { ...ofRecords[0], ...ofEnded[0], ...ofOthers[0] }
  return Object.entries(counts).flatMap(([what, count]) => (count > 0 ? [`${count} ${what}`] : []))
}

/** Every event is in the feed once, was delivered, and always had the same body. */
async function checkEvents(harness: CrashHarness): Promise<string[]> {
  const faults: string[] = []
  const { rows } = await harness.database.query<{ identifier: string; position: string | null; status: string | null }>(
    `select e.kind || '.' || e.id as identifier, e.position, d.status from events e
     left join deliveries d on d.instance_id = e.instance_id and d.event_id = e.id
     where e.instance_id = $1 and e.kind in ('NormalizedData', 'Error', 'Suspended', 'Disconnected')`,
    [harness.instanceId],
  )
  const bodies = new Map<string, Set<string>>()
  for (const { event, body } of harness.receiver.arrivals) {
    const { Signature: _signature, ...rest } = JSON.parse(body)
    bodies.set(event.Identifier, (bodies.get(event.Identifier) ?? new Set()).add(JSON.stringify(rest)))
  }
  for (const { identifier, position, status } of rows) {
    if (position === null || status !== 'delivered') faults.push(`lost: ${identifier} is ${status ?? 'for nobody'}`)
    if (bodies.get(identifier)?.size !== 1) faults.push(`${identifier} came with ${bodies.get(identifier)?.size ?? 0} bodies`)
  }
  const known = new Set(rows.map(({ identifier }) => identifier))
  for (const identifier of bodies.keys()) if (!known.has(identifier)) faults.push(`${identifier} came and does not exist`)
  return faults
}
