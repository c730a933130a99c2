import { setTimeout } from 'node:timers/promises'
import type { Database } from '../../store/db/database.ts'
import { listMissingPagePartitions } from '../../store/retention/page-spans.ts'
import { listMissingWeeks } from '../../store/webhooks/event-weeks.ts'
import { type Finding, findIf } from './checks.ts'

/** Looks at what is missing, a second apart: a worker that has just started has made its partitions by the last one. */
const LOOKS = 10
const PAUSE_MS = 1_000

/** Partitions that should be there, and that no worker makes. Raw pages are kept for `months`; null: for ever. */
export async function checkPartitions(database: Database, months: number | null, pause = () => setTimeout(PAUSE_MS)): Promise<Finding[]> {
  const missing = async () => {
    const weeks = await listMissingWeeks(database)
    // The last week ahead has just come into view: workers make its partitions within an hour.
    const ofEvents = weeks.filter(({ isLast }) => !isLast).flatMap(({ partitions }) => partitions)
    return { ofEvents, ofPages: await listMissingPagePartitions(database, months) }
  }
  let { ofEvents, ofPages } = await missing()
  for (let looks = 1; looks < LOOKS && ofEvents.length + ofPages.length > 0; looks += 1) {
    await pause()
    ;({ ofEvents, ofPages } = await missing())
  }
  return [
    ...findIf(ofEvents.length > 0, 'event-partitions-missing', `Missing: ${ofEvents.join(', ')}.`),
    ...findIf(ofPages.length > 0, 'page-partitions-missing', `Missing: ${ofPages.join(', ')}.`),
  ]
}
