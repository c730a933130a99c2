import { enqueueDueFeeds } from '../../src/sync/file-feeds/file-feed-schedule.ts'
import type { FeedHarness } from './harness.ts'

/** The feeds with a queued poll; removes the jobs. */
export async function listDue(harness: FeedHarness): Promise<string[]> {
  await enqueueDueFeeds(harness.syncHarness.deps.database)
  const jobs = await harness.query<{ feed: string }>(
    `delete from jobs where instance_id = $1 and kind = 'fileFeed' returning payload->>'feedId' as feed`,
  )
  return jobs.map(({ feed }) => feed)
}
