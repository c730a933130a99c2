import { findChosenInstitution } from '../../store/connections/links.ts'
import type { Db } from '../../store/db/database.ts'
import { findInstitution } from '../../store/sources/institutions.ts'
import { findPendingChoice } from '../../sync/authorize/books-choice.ts'
import type { Vault } from '../../sync/context/groups.ts'
import { findOutgoingHandOff } from '../../sync/links/hand-off.ts'
import { choosesBank, resumePath } from '../views/page.ts'
import { sourcePath } from '../views/source.ts'
import { pathTo, type Visit } from '../visit/visitor.ts'

/**
 * Path on which the owner of an open link resumes, in this browser or another: consent, bank, step at the source,
 * choice of books.
 */
export async function resumePathOf(db: Db, vault: Vault, visit: Visit): Promise<string> {
  if (!visit.agreed) return resumePath(visit)
  const { link } = visit.open
  if (link.parentId === null && (await findOutgoingHandOff(db, vault.sealer, link))) return pathTo(visit, '/connect/hand-off')
  const choice = await findPendingChoice(db, vault.hashToken, visit.open, visit.token)
  if (choice) return pathTo(visit, '/connect/books', { choice: choice.state })
  const chosen = choosesBank(visit) ? await findChosenInstitution(db, visit.open.link) : null
  if (chosen === null) return resumePath(visit)
  if (chosen === '') return sourcePath(visit, null)
  const bank = await findInstitution(db, visit.open.service.source.directory, chosen)
  return bank ? sourcePath(visit, bank) : resumePath(visit)
}
