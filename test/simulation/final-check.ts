import { isLegalTransition, Status, type StatusCode } from '../../src/model/statuses.ts'
import { normalizePage } from '../../src/sync/runs/normalize.ts'
import { openPage } from '../../src/sync/runs/raw-page-store.ts'
import { simulatedSource } from './connector.ts'
import type { Lane, Simulation } from './simulation.ts'

/** Conditions when nothing is left to do: nothing lost, nothing duplicated, nothing forgotten. */
export async function checkEnd(lane: Lane, simulation: Simulation): Promise<void> {
  checkTruth(simulation)
  await simulation.receivers.read()
  await checkLeftovers(simulation)
  await checkEvents(simulation)
  await checkDeliveries(simulation)
  await checkTimelines(simulation)
  await checkReplay(lane, simulation)
}

/** Readers see what the source has, except for deletions that are held back. */
function checkTruth({ checker: watcher, provider }: Simulation): void {
  if (!watcher.isConnected) return
  const { model } = watcher
  if (model.publications === 0) watcher.complain('stuck: connected and never published')
  for (const collection of ['accounts', 'entries'] as const) {
    const living = [...model.published].filter(([key, shown]) => key.startsWith(`${collection}/`) && !shown.isDeleted)
    for (const record of provider.records[collection].values()) {
      const shown = model.published.get(`${collection}/${record.id}`)
      if (shown?.isDeleted === false && shown.name === record.name && shown.kind === record.kind) continue
      watcher.complain(`lost: ${collection}/${record.id} is ${record.name} at the source and ${shown?.name ?? 'not known'} here`)
    }
    const zombies = living.filter(
      ([key]) => !provider.records[collection].has(key.slice(collection.length + 1)) && !model.heldBack.has(key),
    )
    if (zombies.length > 0) watcher.complain(`lost: the removal of ${zombies.map(([key]) => key).join(', ')}`)
  }
}

async function ask<Row extends Record<string, unknown>>(simulation: Simulation, text: string): Promise<Row[]> {
  return (await simulation.database.query<Row>(text, [simulation.instanceId])).rows
}

/** NOTE tables that a cluster distributes, and those of its coordinator, are asked by statements of their own. */
async function checkLeftovers(simulation: Simulation): Promise<void> {
  const gone = await ask<{ id: string }>(simulation, 'select id from connections where instance_id = $1 and status = 26')
  const ofGone = (table: string) =>
    `(select count(*)::int from ${table} where instance_id = $1 and connection_id = any ('{${gone.map(({ id }) => id).join(',')}}'))`
  const [ofRecords] = await ask<Record<string, number>>(
    simulation,
    `select (select count(*)::int from staged_records s where s.instance_id = $1) as "staged records",
       (select count(*)::int from run_pages p where p.instance_id = $1) as "pages of runs",
       ${ofGone('record_versions')} as "records of the disconnected", ${ofGone('raw_pages')} as "raw pages of the disconnected",
       (select count(*)::int from (select valid_from, lag(valid_to) over (partition by company_id, entity, id order by valid_from) as before
          from record_versions where instance_id = $1) v where before <> valid_from and before > valid_from) as "overlapping versions"`,
  )
  const [ofOthers] = await ask<Record<string, number>>(
    simulation,
    `select (select count(*)::int from connections where instance_id = $1 and status = 26 and credentials is not null) as "credentials of the disconnected",
       (select count(*)::int from jobs where instance_id = $1) as jobs`,
  )
  for (const [what, count] of Object.entries({ ...ofRecords, ...ofOthers }))
    if (count > 0) simulation.checker.complain(`left behind: ${count} ${what}`)
}

async function checkEvents(simulation: Simulation): Promise<void> {
  const { checker: watcher } = simulation
  const rows = await ask<{ kind: string; count: number; late: number }>(
    simulation,
    `select e.kind, count(*)::int as count,
       (count(*) filter (where e.kind <> 'Disconnected' and e.created_at > t.at))::int as late
     from events e left join connection_timeline t on t.instance_id = $1 and t.connection_id = e.session_id and t.to_status = 26 and t.from_status <> 26
     where e.instance_id = $1 group by e.kind`,
  )
  const [moves] = await ask<{ Suspended: number; Disconnected: number }>(
    simulation,
    `select (count(*) filter (where to_status = 27))::int as "Suspended", (count(*) filter (where to_status = 26 and from_status <> 26))::int as "Disconnected"
     from connection_timeline where instance_id = $1`,
  )
  const wanted = { NormalizedData: watcher.announced.size, RawData: watcher.announced.size, ...moves, Error: watcher.counts.failures }
  for (const [kind, count] of Object.entries(wanted)) {
    const found = rows.find((row) => row.kind === kind)?.count ?? 0
    // Two faults of one connection without a run in between are reported once.
    const isWrong = kind === 'Error' ? found > count || (count > 0 && found === 0) : found !== count
    if (isWrong) watcher.complain(`I5: ${found} events ${kind}, not ${count}`)
  }
  for (const { kind, late } of rows) if (late > 0) watcher.complain(`I14: ${late} events ${kind} after the disconnect`)
}

/** Each event has reached every subscriber, with the same content. */
async function checkDeliveries(simulation: Simulation): Promise<void> {
  const { checker: watcher, receivers } = simulation
  const due = await ask<{ path: string; identifier: string; status: string | null }>(
    simulation,
    `select s.callback_url as path, e.kind || '.' || e.id as identifier, d.status
     from subscriptions s join events e on e.instance_id = $1 and e.created_at > s.created_at
       and (e.kind = s.event or e.kind in ('Error', 'Suspended', 'Disconnected'))
     left join deliveries d on d.instance_id = $1 and d.subscription_id = s.id and d.event_id = e.id
     where s.instance_id = $1 and s.status = 'active'`,
  )
  const taken = new Set(receivers.receipts.filter(({ isTaken }) => isTaken).map(({ path, identifier }) => `${path} ${identifier}`))
  for (const { path, identifier, status } of due) {
    if (status !== 'delivered' || !taken.has(`${new URL(path).pathname} ${identifier}`)) {
      watcher.complain(`lost: ${identifier} for ${path} is ${status ?? 'not even waiting'}`)
    }
  }
  const bodies = new Map<string, string>()
  for (const { identifier, body } of receivers.receipts) {
    if ((bodies.get(identifier) ?? body) !== body) watcher.complain(`${identifier} came with two bodies`)
    bodies.set(identifier, body)
  }
}

/** Timelines are complete and every transition in them is legal; no reconnect is required without need. */
async function checkTimelines(simulation: Simulation): Promise<void> {
  const { checker: watcher, provider } = simulation
  const rows = await ask<{ id: string; from: StatusCode | null; to: StatusCode }>(
    simulation,
    `select connection_id as id, from_status as "from", to_status as "to" from connection_timeline
     where instance_id = $1 order by connection_id, at, id`,
  )
  const last = new Map<string, StatusCode>()
  for (const { id, from, to } of rows) {
    if ((last.get(id) ?? null) !== from) watcher.complain(`the timeline goes from ${last.get(id)} on with ${from}`)
    if (from !== null && from !== to && !isLegalTransition(from, to)) watcher.complain(`an illegal move from ${from} to ${to}`)
    last.set(id, to)
    if (to === Status.Deauthorized && provider.hasGrace && !provider.wasRevoked) watcher.complain('lost: a refresh token')
  }
}

/** I10: published records follow from the raw pages alone. */
async function checkReplay(lane: Lane, simulation: Simulation): Promise<void> {
  const { companyId, serviceId, checker: watcher } = simulation
  const rows = await ask<{ id: string; doc: string; page: string | null; index: number }>(
    simulation,
    `select id, doc, raw_page_id as page, raw_index as index from record_versions
     where instance_id = $1 and valid_to is null and not deleted order by orig_id limit 2`,
  )
  const connector = await simulatedSource.load()
  for (const { id, doc, page, index } of rows) {
    const raw = page && (await openPage(simulation.database, lane, { ...simulation, id: page }))
    const pull = raw && connector.pulls.find(({ name }) => name === raw.pull)
    if (!raw || !pull) {
      watcher.complain(`I10: the raw page of ${id} is gone`)
      continue
    }
    const scope = {
      instanceId: simulation.instanceId,
      companyId,
      serviceId,
      serviceName: simulatedSource.name,
      category: simulatedSource.category,
      fetchedAt: raw.fetchedAt,
    }
    const items = [...normalizePage(connector, pull, raw.answers, scope, () => undefined)]
    const item = items.find(({ rawIndex }) => rawIndex === index)
    if (!item || !('doc' in item) || item.doc !== doc) watcher.complain(`I10: ${id} does not follow from its raw page`)
  }
}
