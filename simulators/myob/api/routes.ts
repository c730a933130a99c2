import type { Row } from '../../kit/data/edited-list.ts'
import type { Faults } from '../../kit/faults.ts'
import { jsonReply, type Reply } from '../../kit/http/response.ts'
import type { CompanyFile } from '../data/companies.ts'
import type { Ledger } from '../data/ledger.ts'
import type { FaultName } from '../faults.ts'
import { select } from './odata.ts'
import { toDriftedRows } from './schema-drift.ts'

export interface ApiCall {
  method: string
  /** Path below /accountright, without leading or trailing slash. */
  path: string
  query: URLSearchParams
  /** Company files that the token grants access to. */
  files: readonly CompanyFile[]
  ledger: Ledger
  faults: Faults<FaultName>
  /** Scheme and host of this simulator, prefixed to every address. */
  base: string
}

/** Handles one authorized call. The API is read-only here. */
export function callApi(call: ApiCall): Reply {
  if (call.method !== 'GET') return errorReply(405, { name: 'MethodNotAllowed', message: 'The method is not allowed.', code: 0 })
  if (call.path === '') return answer(call, call.files.map(toFile))
  const [fileId = '', section, resource, uid] = call.path.split('/')
  const file = call.files.find(({ id }) => id === fileId)
  if (!file) return errorReply(403, { name: 'AccessDenied', message: 'Access is denied to this company file.', code: 31_002 })
  if (section === undefined) return answer(call, { CompanyFile: toFile(file), Resources: [`${toFile(file).Uri}/GeneralLedger/Account`] })
  const books = call.ledger.booksOf(file.id)
  const rows = section === 'GeneralLedger' && resource === 'Account' ? books.accounts.rows : books.journals.rows
  if (section !== 'GeneralLedger' || !(resource === 'Account' || resource === 'JournalTransaction')) return notFound()
  if (uid === undefined) return list(call, resource, rows)
  const row = rows.find((each) => each.UID === uid)
  return row ? answer(call, row) : notFound()
}

/** Source: https://developer.myob.com/api/myob-business-api/api-overview/error-messages */
export function errorReply(status: number, error: { name: string; message: string; code: number }): Reply {
  const { name: Name, message: Message, code: ErrorCode } = error
  return jsonReply(status, {
    Errors: [{ Name, Message, AdditionalDetails: '', ErrorCode, Severity: 'Error' }],
    Information: 'About errors: see the documentation.',
  })
}

function list(call: ApiCall, resource: string, all: readonly Row[]): Reply {
  const { faults } = call
  const selection = select(all, call.query)
  if (typeof selection === 'string') return errorReply(400, { name: 'BadRequest', message: selection, code: 2 })
  const { rows, top, skip } = selection
  const start = skip > 0 && faults.take('repeatPage') ? Math.max(0, skip - top) : skip
  let items = rows.slice(start, start + top)
  const hasNext = skip + top < rows.length
  if (!hasNext && faults.take('lostPage')) items = items.slice(0, -3)
  if (faults.take('duplicateIds')) items = [...items.slice(0, 3), ...items]
  if (resource === 'Account' && faults.take('schemaDrift')) items = toDriftedRows(items)
  const next = new URLSearchParams({ ...Object.fromEntries(call.query), $top: String(top), $skip: String(skip + top) })
  return answer(call, {
    Items: items,
    NextPageLink: hasNext ? `/accountright/${call.path}?${next}` : null,
    Count: rows.length,
  })
}

function notFound(): Reply {
  return errorReply(404, { name: 'ResourceNotFound', message: 'The resource was not found.', code: 30_001 })
}

function toFile(file: CompanyFile): Row {
  return {
    Id: file.id,
    Name: file.name,
    LibraryPath: file.name,
    ProductVersion: '2026.6',
    ProductLevel: { Code: 30, Name: 'Plus' },
    CheckedOutDate: null,
    CheckedOutBy: null,
    Uri: `/accountright/${file.id}`,
    Country: file.country,
    LauncherId: file.id,
    SerialNumber: `61${file.id.slice(-8)}`,
    UIAccessFlags: 3,
  }
}

/** Every address in the answer is absolute. */
function answer(call: ApiCall, body: object): Reply {
  const reply = jsonReply(200, body)
  return { ...reply, body: reply.body.replaceAll('"/accountright/', `"${call.base}/accountright/`) }
}
