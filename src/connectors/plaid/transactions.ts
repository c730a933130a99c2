import type { Json } from '../../model/values/json.ts'
import { type HttpResponse, type Page, type Pull, type Session, SourceError } from '../contract/contract.ts'
import { isJsonObject, jsonBytes, responseJson } from '../toolkit/http/answers.ts'
import { checkEnvelope } from '../toolkit/values/wire-schemas.ts'
import { idOf, PATH, readChanges, readIds } from './read.ts'
import { callPlaid, PlaidError } from './request.ts'
import { readSecret } from './secret.ts'
import { SyncAnswer } from './wire.ts'

const PAGE_SIZE = 500
/** Maximum restarts within one fetch before the run is postponed. */
const MAX_RESTARTS = 3

/**
 * Transaction changes since the last run. The pages of a run belong together: when Plaid's data change during
 * pagination the run restarts from its first cursor, and transactions that the abandoned pages delivered and the new
 * ones do not are removed.
 * Source: https://plaid.com/docs/api/products/transactions/#transactionssync
 */
export const transactionsPull: Pull = {
  name: 'transactions',
  delivers: ['Transactions'],
  fetch: fetchChanges,
  read: readChanges,
}

/** Progress of a paginated run. Cursors are null for "from the beginning". */
interface Progress {
  at: string | null
  /** Cursor at the start of the paginated run. */
  first: string | null
  /** Ids that this paginated run has delivered so far. */
  delivered: string[]
  /** Ids that abandoned runs delivered and this one has not. */
  doubtful: string[]
}

async function fetchChanges(session: Session, cursor: Json | null): Promise<Page> {
  let progress = readProgress(cursor)
  for (let restarts = 0; ; restarts++) {
    try {
      return await toPage(await askForPage(session, progress.at), progress)
    } catch (error) {
      if (restarts >= MAX_RESTARTS || !isMutation(error)) throw error
      const doubtful = [...new Set([...progress.doubtful, ...progress.delivered])]
      progress = { at: progress.first, first: progress.first, delivered: [], doubtful }
    }
  }
}

function askForPage(session: Session, at: string | null): Promise<HttpResponse> {
  return callPlaid(session.kit, PATH, {
    access_token: readSecret(session.credentials).accessToken,
    count: PAGE_SIZE,
    ...(at === null ? {} : { cursor: at }),
    options: { include_original_description: true },
  })
}

async function toPage(response: HttpResponse, progress: Progress): Promise<Page> {
  const answer = checkEnvelope(SyncAnswer, await responseJson(response, PATH), PATH)
  const arrived = [...answer.added, ...answer.modified].flatMap((entry) => idOf(entry) ?? [])
  const known = new Set(arrived)
  const doubtful = progress.doubtful.filter((id) => !known.has(id))
  if (answer.has_more) {
    if (answer.next_cursor === '' || answer.next_cursor === progress.at) {
      throw new SourceError('badData', `${PATH}: more pages are promised, but the cursor stands still`)
    }
    const next = { at: answer.next_cursor, first: progress.first, delivered: [...progress.delivered, ...arrived], doubtful }
    return { answers: { changes: response.body }, next, listing: 'changes' }
  }
  const gone = doubtful.length === 0 ? {} : { abandoned: jsonBytes(doubtful) }
  // Until Plaid's first fetch from the bank is done the cursor is the empty text: the next run starts from the
  // beginning.
  const resume = answer.next_cursor === '' ? null : toStart(answer.next_cursor)
  return { answers: { changes: response.body, ...gone }, next: null, resume, listing: 'changes' }
}

function isMutation(error: unknown): boolean {
  return error instanceof PlaidError && error.code === 'TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION'
}

function toStart(at: string | null): { [Key in keyof Progress]: Progress[Key] } {
  return { at, first: at, delivered: [], doubtful: [] }
}

function readProgress(cursor: Json | null): Progress {
  if (!isJsonObject(cursor)) return toStart(null)
  const at = typeof cursor.at === 'string' ? cursor.at : null
  const first = typeof cursor.first === 'string' ? cursor.first : null
  return { at, first, delivered: readIds(cursor.delivered ?? null), doubtful: readIds(cursor.doubtful ?? null) }
}
