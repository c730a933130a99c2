import { recordChange } from '../../../audit/record.ts'
import type { Db } from '../../../store/db/database.ts'
import type { FeedKey } from '../../../store/sources/file-feeds.ts'
import type { FeedWithSecret } from './file-feed-input.ts'

/** Records a change of a feed; null where there is no feed before or after it. */
export async function recordFeed(
  db: Db,
  action: 'file-feed.created' | 'file-feed.changed' | 'file-feed.deleted' | 'file-feed.polled',
  { instanceId, id }: FeedKey,
  before: Pick<FeedWithSecret, 'feed'> | null,
  after: Partial<FeedWithSecret> | null,
): Promise<void> {
  const toFields = (of: Partial<FeedWithSecret> | null) => of && { ...of.feed, ...of.feed?.source, secret: of.secret ? 'new' : null }
  await recordChange(db, { instanceId, action, subject: `file-feed/${id}`, before: toFields(before), after: toFields(after) })
}
