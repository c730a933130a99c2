import { enqueueDueFeeds } from '../../src/sync/file-feeds/file-feed-schedule.ts'
import type { Stage } from './stage.ts'

/** The feeds for which a look is queued now; the jobs are taken away. */
export async function listDue(stage: Stage): Promise<string[]> {
  await enqueueDueFeeds(stage.house.deps.database)
  const jobs = await stage.query<{ feed: string }>(
    `delete from jobs where instance_id = $1 and kind = 'fileFeed' returning payload->>'feedId' as feed`,
  )
  return jobs.map(({ feed }) => feed)
}
