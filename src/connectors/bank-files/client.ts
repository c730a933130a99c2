import type { Json } from '../../model/values/json.ts'
import type { Connector, Page, Session } from '../contract/contract.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { reader } from './reader.ts'
import { StatementAccount, StatementTransaction } from './wire.ts'

const MAX_BYTES = 25 * 1024 * 1024

/** Statement files. Each file is one page; a statement only adds records, so no run deletes any. */
export const bankFilesConnector: Connector = {
  authorize: {
    step: 'upload',
    accept: ['.ofx', '.qfx', '.qbo', '.bai', '.bai2', '.xml', '.sta', '.mt940', '.940', '.txt'],
    maxBytes: MAX_BYTES,
    reader: new URL('./reader.ts', import.meta.url),
  },
  pulls: [{ name: 'files', delivers: ['Accounts', 'Transactions'], fetch: fetchFile, read: (answers) => reader.read(answers) }],
  entities: {
    Accounts: { wire: StatementAccount, map: accountMapping },
    Transactions: { wire: StatementTransaction, map: transactionMapping },
  },
}

async function fetchFile(session: Session, cursor: Json | null): Promise<Page> {
  const after = lastFileId(cursor)
  const file = await session.nextFile(after)
  if (file === null) return { answers: {}, next: null, ...(after === null ? {} : { resume: { after } }), listing: 'changes' }
  return { answers: { file: file.bytes, name: new TextEncoder().encode(file.name) }, next: { after: file.id }, listing: 'changes' }
}

function lastFileId(cursor: Json | null): string | null {
  if (cursor === null || typeof cursor !== 'object' || Array.isArray(cursor)) return null
  return typeof cursor.after === 'string' ? cursor.after : null
}
