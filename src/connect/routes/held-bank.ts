import type { Sources } from '../../connectors/sources.ts'
import type { Html } from '../../model/texts/html.ts'
import type { Db } from '../../store/db/database.ts'
import { findHolders, groupByBank, listHeldBanks } from '../../sync/accounts/held-banks.ts'
import { heldBankNotice } from '../views/held-bank.ts'
import type { ChosenBank } from '../views/source.ts'
import type { Visit, Visitor } from '../visit/visitor.ts'

/** Warning on the last page before the source; null where the bank is not connected yet. A helper is told nothing. */
export async function warnOfHeldBank(
  db: Db,
  sources: Sources,
  visitor: Visitor,
  { open: { link, service } }: Visit,
  bank: ChosenBank | null,
): Promise<Html | null> {
  if (link.parentId !== null) return null
  const holders = await findHolders(db, sources, link, { service, institutionId: bank?.id ?? null })
  return heldBankNotice(visitor, bank?.name ?? service.name, holders, 'before')
}

/** Notices on the result page, one for each bank that one of the connections and another one hold. */
export async function noteHeldBanks(
  db: Db,
  sources: Sources,
  visitor: Visitor,
  { open: { link } }: Visit,
  connectionIds: readonly string[],
): Promise<Html[]> {
  if (connectionIds.length === 0) return []
  const groups = groupByBank(await listHeldBanks(db, sources, link))
  return groups.flatMap(({ bank, connections }) => {
    const others = connections.filter(({ connectionId }) => !connectionIds.includes(connectionId))
    return others.length === connections.length ? [] : (heldBankNotice(visitor, bank, others, 'after') ?? [])
  })
}
