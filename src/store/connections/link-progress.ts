import type { Locale } from '../../model/values/text.ts'
import type { Db } from '../db/database.ts'
import { KeptCounts } from '../db/lists/kept-counts.ts'
import type { Link } from './links.ts'

/** Steps of a link, in order; an owner may decline, fail or leave, and connect later with the same link. */
export const LINK_STEPS = ['opened', 'agreed', 'chose', 'declined', 'failed', 'left', 'connected'] as const
type LinkStep = (typeof LINK_STEPS)[number]

/** Steps before a connection: an uploaded file or a job may reach it without a page in between. */
const BEFORE_CONNECTED = ['agreed', 'chose', 'connected']

/** Link at its first opening by its owner. */
interface OpenedLink {
  instanceId: string
  linkId: string
  /** Connector key. */
  source: string
  language: Locale
  isFramed: boolean
}

/** Begins to count a link; its first opening determines the day, the language and whether it was in a frame. */
export async function countOpened(db: Db, link: OpenedLink): Promise<void> {
  await db.query(
    `insert into link_progress (instance_id, link_id, source, language, is_framed) values ($1, $2, $3, $4, $5) on conflict do nothing`,
    [link.instanceId, link.linkId, link.source, link.language, link.isFramed],
  )
}

/**
 * Counts a step once, for the link itself, or for the link it was handed off from. A link last opened before counting
 * was introduced has no steps.
 */
export async function countStep(db: Db, { instanceId, id }: Pick<Link, 'instanceId' | 'id'>, step: LinkStep): Promise<void> {
  await db.query(
    `update link_progress set steps = array(select unnest(steps) union select unnest($3::text[]))
     where instance_id = $1 and link_id = (select coalesce(parent_id, id) from links where instance_id = $1 and id = $2) and $4 <> all(steps)`,
    [instanceId, id, step === 'connected' ? BEFORE_CONNECTED : [step], step],
  )
}

/** Number of links of one UTC day, source and language that reached each step. */
type FunnelCount = Record<LinkStep, number> & {
  /** YYYY-MM-DD of the first opening. */
  day: string
  source: string
  language: Locale
  isFramed: boolean
}

/** UTC days, YYYY-MM-DD, both inclusive. */
export interface DayRange {
  from: string
  to: string
}

const COUNTS = LINK_STEPS.map((step) => `count(*) filter (where '${step}' = any(steps))::int as "${step}"`).join(', ')

const shownFunnels = new KeptCounts<FunnelCount[]>()

/**
 * Counts by the day of the first opening, oldest first. Those of more than 10,000 links were counted in the last minute
 * (`KeptCounts`).
 */
export async function countFunnel(db: Db, instanceId: string, { from, to }: DayRange): Promise<FunnelCount[]> {
  return await shownFunnels.read(db, `${instanceId} ${from} ${to}`, async () => {
    const { rows } = await db.query<FunnelCount>(
      `select (opened_at at time zone 'UTC')::date::text as day, source, language, is_framed as "isFramed", ${COUNTS} from link_progress
       where instance_id = $1 and opened_at >= $2::date::timestamp at time zone 'UTC' and opened_at < ($3::date + 1)::timestamp at time zone 'UTC'
       group by 1, 2, 3, 4 order by 1, 2, 3, 4`,
      [instanceId, from, to],
    )
    return { value: rows, rows: rows.reduce((sum, { opened }) => sum + opened, 0) }
  })
}

/** Today in UTC, by the database clock. */
export async function findToday(db: Db): Promise<string> {
  const { rows } = await db.query<{ today: string }>(`select (statement_timestamp() at time zone 'UTC')::date::text as today`)
  const [first] = rows
  if (!first) throw new Error('the database has no clock')
  return first.today
}
