import { type AccountChange, type IssuedAs, MAX_CHANGES_BYTES } from '../../model/events.ts'
import { toAccountChange } from '../../model/records/account-changes.ts'
import { completeDocument } from '../../model/records/later-fields.ts'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'
import type { Connection } from '../../store/connections/connections.ts'
import type { Db } from '../../store/db/database.ts'
import { countAccountChanges, countTransactionChanges, listAccountChanges } from '../../store/records/account-changes.ts'
import { raiseEvent } from '../connection/events.ts'

/**
 * Raises `AccountsChanged` events for the accounts changed by the publication at this instant, in its transaction, so
 * that an event exists if and only if its change is readable. As many events as the changes fill.
 */
export async function raiseAccountsChanged(
  db: Db,
  connection: Connection,
  serviceName: string,
  run: { id: string; issuedAs: IssuedAs },
  at: Date,
): Promise<void> {
  const schema = RECORD_SCHEMAS[connection.category].Accounts
  const changeCount = await countAccountChanges(db, connection, at)
  let part = 0
  const raise = async (changes: AccountChange[], isLastPart: boolean): Promise<void> => {
    part += 1
    const accounts = { changeCount, part, isLastPart, changes }
    await raiseEvent(db, 'AccountsChanged', connection, serviceName, `${run.id}/${part}`, { accounts, issuedAs: run.issuedAs })
  }
  let filling: AccountChange[] = []
  let bytes = 0
  if (changeCount === 0) return
  for await (const published of listAccountChanges(db, connection, at)) {
    const change = toAccountChange({
      ...published,
      before: published.before === null ? null : completeDocument(schema, published.before),
      after: completeDocument(schema, published.after),
    })
    const size = Buffer.byteLength(JSON.stringify(change)) + 1
    if (filling.length > 0 && bytes + size > MAX_CHANGES_BYTES) {
      await raise(filling, false)
      filling = []
      bytes = 0
    }
    filling.push(change)
    bytes += size
  }
  await raise(filling, true)
}

/** Raises one `TransactionsChanged` event if the publication at this instant changed any, in its transaction. */
export async function raiseTransactionsChanged(
  db: Db,
  connection: Connection,
  serviceName: string,
  run: { id: string; issuedAs: IssuedAs },
  at: Date,
): Promise<void> {
  const transactions = await countTransactionChanges(db, connection, at)
  if (transactions.changeCount === 0) return
  await raiseEvent(db, 'TransactionsChanged', connection, serviceName, run.id, { transactions, issuedAs: run.issuedAs })
}
