import { countOpened } from '../../store/connections/link-progress.ts'
import type { Db } from '../../store/db/database.ts'
import type { Visit, Visitor } from './visitor.ts'

/** Counts a link that its owner has opened; a helper’s link counts for the owner’s. */
export async function countVisit(db: Db, { locale, isFramed }: Visitor, { open: { link, service } }: Pick<Visit, 'open'>): Promise<void> {
  if (link.parentId !== null) return
  const { instanceId, id: linkId } = link
  await countOpened(db, { instanceId, linkId, source: service.source.description.key, language: locale, isFramed })
}
