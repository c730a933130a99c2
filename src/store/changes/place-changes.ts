import { FIRST_ID, LAST_ID } from '../../model/values/first-id.ts'
import { type Database, type Db, inTransaction } from '../db/database.ts'
import { type FeedHead, findHead } from './change-feed.ts'
import { listBetween, listNoted } from './cluster-publications.ts'

/** Active connection whose data is published: at most one for a company at a service. */
const PUBLISHED = `select p.company_id, p.service_id, p.version, p.published_at, c.id as connection_id
  from publications p cross join lateral (
    select id from connections c where c.instance_id = p.instance_id and c.company_id = p.company_id and c.service_id = p.service_id
      and c.status <> 26 and c.published_at is not null order by c.created_at desc limit 1) c
  where p.instance_id = $1`

const PLACED = 'select company_id, service_id, version, published_at, connection_id from placed_publications where instance_id = $1'

const DIFFERENCE = `n.connection_id, n.version, n.published_at, o.connection_id as old_connection, o.version as old_version,
    o.published_at as old_at`
const DIFFERS = 'n.version is distinct from o.version or n.connection_id is distinct from o.connection_id'

const NONE = 'select null::uuid as id where false'

/** Publications of the companies `$3` to `$4`, among `published`, that were changed, removed or replaced since they were placed. */
function differingBetween(published: string): string {
  return `select company_id, service_id, ${DIFFERENCE} from (${published}) n
    full join (${PLACED} and company_id > $3 and company_id <= $4) o using (company_id, service_id) where ${DIFFERS}`
}
const BETWEEN: Placement = { notes: NONE, differing: differingBetween(`${PUBLISHED} and p.company_id > $3 and p.company_id <= $4`) }
/** Companies whose publications are compared by one statement, 10 to 50 µs each. */
const COMPARED = 250

/** The same for noted publications only. NOTE because of the limit of one row, each is looked up by its key. */
function differingNoted(published: string): string {
  return `select k.company_id, k.service_id, ${DIFFERENCE} from (select distinct company_id, service_id from notes) k
  left join lateral (${published} p.company_id = k.company_id and p.service_id = k.service_id limit 1) n on true
  left join lateral (${PLACED} and company_id = k.company_id and service_id = k.service_id limit 1) o on true where ${DIFFERS}`
}

/** Notes read by one statement. */
const NOTES = 500
const NOTED: Placement = {
  notes: `select id, company_id, service_id from unplaced_publications where instance_id = $1 order by noted_at, id limit ${NOTES}`,
  differing: differingNoted(`${PUBLISHED} and`),
}

/** Publications as JSON text. */
const givenAs = (parameter: string) =>
  `select * from jsonb_to_recordset(${parameter}::jsonb) as p (company_id uuid, service_id uuid, version bigint, published_at timestamptz, connection_id uuid)`
const BETWEEN_ON_CLUSTER: Placement = { notes: NONE, differing: differingBetween(givenAs('$5')) }
const NOTED_ON_CLUSTER: Placement = {
  notes: 'select * from unnest($3::uuid[], $4::uuid[], $5::uuid[]) as u (id, company_id, service_id)',
  differing: differingNoted(`${givenAs('$6')} where`),
}

/** Feed after some steps. */
export interface PlacedFeed extends FeedHead {
  /** False while the publications of its instance are compared, once for each feed: places may be missing. */
  isCompared: boolean
  /** Whether all publications that were committed before the call have their places. */
  isCurrent: boolean
}

/**
 * Assigns places to committed publications; returns the head. Publications committed before the call are placed when it
 * returns, and nothing can appear before them later: only committed rows are seen, under the feed's lock.
 */
export async function placeChanges(database: Database, instanceId: string): Promise<PlacedFeed> {
  return await placeSteps(database, instanceId, Number.POSITIVE_INFINITY)
}

/**
 * The same, at most `steps` transactions of at most 500 publications each; a later call continues, in whichever process.
 */
export async function placeSteps(database: Database, instanceId: string, steps: number): Promise<PlacedFeed> {
  const head = await findHead(database, instanceId)
  if (head?.isCompared && !(await hasUnplaced(database, instanceId))) return { ...head, isCurrent: true }
  if (!head)
    await database.query(`insert into change_feeds (instance_id, compared_at) values ($1, '-infinity') on conflict do nothing`, [
      instanceId,
    ])
  let isCurrent = false
  for (let step = 0; step < steps && !isCurrent; step += 1) isCurrent = await inTransaction(database, (db) => placeStep(db, instanceId))
  const placed = await findHead(database, instanceId)
  if (!placed) throw new Error('the feed was opened and is not there')
  return { ...placed, isCurrent }
}

async function hasUnplaced(db: Db, instanceId: string): Promise<boolean> {
  const { rows } = await db.query<{ isOne: boolean }>({
    name: 'has-unplaced',
    text: `select exists (select from unplaced_publications where instance_id = $1) as "isOne"`,
    values: [instanceId],
  })
  return rows[0]?.isOne ?? false
}

/** True for the last step. */
async function placeStep(db: Db, instanceId: string): Promise<boolean> {
  const feed = await lockFeed(db, instanceId)
  if (feed.isCompared) return await placeNoted(db, instanceId)
  await compareNext(db, instanceId, feed)
  return false
}

/**
 * Compares the next publications of an instance with those placed, company by company, once for each feed. What is
 * published meanwhile is noted. A feed that is new has no reader who could have missed anything: it begins with everything
 * published at the time of the comparison.
 */
async function compareNext(db: Db, instanceId: string, { isNew, comparedUntil }: OpenFeed): Promise<void> {
  const after = comparedUntil ?? FIRST_ID
  const end = await findStep(db, instanceId, after)
  await placeBetween(db, instanceId, isNew, [after, end ?? LAST_ID])
  await db.query(
    'update change_feeds set compared_until = $2, compared_at = case when $2::uuid is null then clock_timestamp() else compared_at end where instance_id = $1',
    [instanceId, end],
  )
}

/** Last company of the next step; null when it is the last step. */
async function findStep(db: Db, instanceId: string, after: string): Promise<string | null> {
  const { rows } = await db.query<{ id: string }>(
    `select company_id as id from publications where instance_id = $1 and company_id > $2 order by company_id offset ${COMPARED - 1} limit 1`,
    [instanceId, after],
  )
  return rows[0]?.id ?? null
}

/** Feed under its lock. */
interface OpenFeed {
  isCompared: boolean
  /** Whether nothing of it has been read. */
  isNew: boolean
  /** Last company that was compared; null: none yet. */
  comparedUntil: string | null
}

/**
 * NOTE the lock is a separate statement, and a placement is one statement: a statement sees what was committed before it
 * began, so exactly the publications that are placed are recorded as placed.
 */
async function lockFeed(db: Db, instanceId: string): Promise<OpenFeed> {
  const { rows } = await db.query<OpenFeed>(
    `select coalesce(compared_at > '-infinity', false) as "isCompared", coalesce(compared_at = '-infinity', false) as "isNew",
       compared_until as "comparedUntil"
     from change_feeds where instance_id = $1 for update`,
    [instanceId],
  )
  const [feed] = rows
  if (!feed) throw new Error('the feed was opened and is not there')
  return feed
}

/** SQL of notes and of publications that differ. */
interface Placement {
  notes: string
  differing: string
}

/** Places what was noted first; true if nothing more was noted that can have its place yet. */
async function placeNoted(db: Db, instanceId: string): Promise<boolean> {
  if (!db.isDistributed) return (await place(db, instanceId, false, NOTED, [])) < NOTES
  const { noteIds, companies, services, published, isLast } = await listNoted(db, instanceId, NOTES)
  if (noteIds.length > 0) await place(db, instanceId, false, NOTED_ON_CLUSTER, [noteIds, companies, services, published])
  return isLast || noteIds.length === 0
}

async function placeBetween(db: Db, instanceId: string, isNew: boolean, companies: [after: string, until: string]): Promise<void> {
  if (!db.isDistributed) await place(db, instanceId, isNew, BETWEEN, companies)
  else await place(db, instanceId, isNew, BETWEEN_ON_CLUSTER, [...companies, await listBetween(db, instanceId, ...companies)])
}

/**
 * Places changed publications and removes the notes that were read; returns their number. Parameters from `$3` on. NOTE
 * the notes are removed by an array of their ids: a join is planned for one note of an instance that the statistics do not
 * know, and looks at all its notes for each of them.
 */
async function place(db: Db, instanceId: string, isNew: boolean, { notes, differing }: Placement, values: unknown[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `with notes as materialized (${notes}),
       differing as materialized (${differing}),
       news as (
         select company_id, service_id, old_connection as connection_id, 'none' as kind, null::timestamptz as after, null::timestamptz as until, old_version as version
         from differing where old_connection is distinct from connection_id and old_connection is not null
         union all
         select company_id, service_id, connection_id, case when is_next then 'some' else 'all' end, case when is_next then old_at end, published_at, version
         from (select *, coalesce(old_connection = connection_id and old_at < published_at, false) as is_next from differing) d
         where connection_id is not null),
       placed as (
         insert into placed_changes (instance_id, position, company_id, service_id, connection_id, kind, after, until)
         select $1, f.position + row_number() over (order by n.version, n.kind <> 'none', n.company_id, n.service_id), n.company_id, n.service_id, n.connection_id,
           n.kind, n.after, n.until
         from news n, change_feeds f where f.instance_id = $1 and not $2 returning position),
       moved as (
         update change_feeds set position = greatest(position, (select max(position) from placed)) where instance_id = $1),
       gone as (
         delete from placed_publications o using differing d
         where o.instance_id = $1 and o.company_id = d.company_id and o.service_id = d.service_id and d.connection_id is null),
       kept as (
         insert into placed_publications as o (instance_id, company_id, service_id, connection_id, version, published_at)
         select $1, company_id, service_id, connection_id, version, published_at from differing where connection_id is not null
         on conflict (instance_id, company_id, service_id) do update
           set connection_id = excluded.connection_id, version = excluded.version, published_at = excluded.published_at),
       done as (delete from unplaced_publications u where u.instance_id = $1 and u.id = any(array(select id from notes)))
     select count(*)::int as count from notes`,
    [instanceId, isNew, ...values],
  )
  return rows[0]?.count ?? 0
}
