import type { Json } from '../../model/json.ts'
import { InputRefused } from '../authorization.ts'
import type { Connector, Grant, Page, Session, SourceFile } from '../contract.ts'
import { type Answers, SourceError, type SourceItem } from '../contract.ts'
import { accountMapping, transactionMapping } from './map.ts'
import { openFile, readItems, verifyFile } from './reading.ts'
import { refused } from './refusal.ts'
import { StatementAccount, StatementTransaction } from './wire.ts'

const MAX_BYTES = 25 * 1024 * 1024

/** Statement files. Each file is one page; a statement only ever adds, so no run deletes anything. */
export const bankFilesConnector: Connector = {
  authorize: {
    step: 'upload',
    accept: ['.ofx', '.qfx', '.qbo', '.bai', '.bai2', '.xml', '.sta', '.mt940', '.940', '.txt'],
    maxBytes: MAX_BYTES,
    examine,
  },
  pulls: [{ name: 'files', delivers: ['Accounts', 'Transactions'], fetch: fetchFile, read: readFile }],
  entities: {
    Accounts: { wire: StatementAccount, map: accountMapping },
    Transactions: { wire: StatementTransaction, map: transactionMapping },
  },
}

/** Files of all banks go into one connection: the owner adds the next statement where the last one went. */
async function examine(file: SourceFile): Promise<Grant> {
  if (file.bytes.length > MAX_BYTES) {
    throw refused(
      'The file is larger than 25 MB. Export a shorter period and upload the parts.',
      'Le fichier dépasse 25 Mo. Exportez une période plus courte et téléversez les parties.',
    )
  }
  const { faults, accounts, unreadable } = verifyFile(openFile(file.bytes))
  const [fault] = faults.values()
  if (fault !== undefined) throw new InputRefused(fault)
  const [reason] = unreadable
  if (accounts === 0 && reason !== undefined) throw new InputRefused(reason)
  if (accounts === 0) throw refused('The file holds no account statement.', 'Le fichier ne contient aucun relevé de compte.')
  return { credentials: { secret: null, expiresAt: null }, entity: { id: 'files', name: 'Bank files' } }
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

/** A page without a file is the end of the list and holds nothing. */
function* readFile(answers: Answers): Generator<SourceItem, void> {
  const { file } = answers
  if (file === undefined) return
  try {
    const reading = openFile(file)
    yield* readItems(reading, verifyFile(reading))
  } catch (error) {
    if (error instanceof InputRefused) throw new SourceError('badData', error.message, { cause: error })
    throw error
  }
}
