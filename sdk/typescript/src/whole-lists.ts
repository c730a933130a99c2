import { ApiError, BrokenOffError } from './errors.ts'
import type {
  ListAccountingAccountsData,
  ListAccountingAccountsResponse,
  ListAccountingTransactionsData,
  ListAccountingTransactionsResponse,
  ListBankingAccountsData,
  ListBankingAccountsResponse,
  ListBankingTransactionsData,
  ListBankingTransactionsResponse,
  ProblemDetails,
} from './generated/types.gen.ts'
import { type OpenedFile, parseLines, splitLines } from './lines.ts'
import { mediaType } from './retries.ts'

export const NDJSON = 'application/x-ndjson'

/** Lists that are given whole, by the names of their operations. */
export interface WholeLists {
  listAccountingAccounts: WholeList<ListAccountingAccountsData, ListAccountingAccountsResponse>
  listAccountingTransactions: WholeList<ListAccountingTransactionsData, ListAccountingTransactionsResponse>
  listBankingAccounts: WholeList<ListBankingAccountsData, ListBankingAccountsResponse>
  listBankingTransactions: WholeList<ListBankingTransactionsData, ListBankingTransactionsResponse>
}

interface WholeList<Data extends { path: unknown; query?: object }, Page extends { data: readonly unknown[] }> {
  /** What stands in the path and, without the parameters of pages, in the query. */
  options: {
    path: Data['path']
    query?: Omit<NonNullable<Data['query']>, 'PageNumber' | 'PageSize' | 'OrderBy' | 'Desc'>
    signal?: AbortSignal
  }
  record: Page['data'][number]
}

const LISTS = '/admin/api/v1/normalized-data/{companyId}'

export const LIST_URLS: Readonly<Record<keyof WholeLists, string>> = {
  listAccountingAccounts: `${LISTS}/accountancy/accounts/{serviceId}`,
  listAccountingTransactions: `${LISTS}/accountancy/transactions/{serviceId}`,
  listBankingAccounts: `${LISTS}/banking/accounts/{serviceId}`,
  listBankingTransactions: `${LISTS}/banking/transactions/{serviceId}`,
}

/** What to do with a list of which a part was read. */
const ADVICE = 'What was read is not the whole list: drop it, and read the list again.'

/**
 * Records of a whole list. One that breaks off before its first record is asked for again, up to `attempts` times; later
 * it is a `BrokenOffError`: the next answer may be another publication, of which no part goes with what was read.
 */
export async function* eachRecordOfList<T>(open: () => Promise<OpenedFile>, attempts: number): AsyncGenerator<T, void, undefined> {
  for (let attempt = 1; ; attempt++) {
    let count = 0
    try {
      const { stream, response } = await open()
      if (mediaType(response) !== NDJSON)
        throw new ApiError('The list was answered as a page: the deployment, or something before it, does not stream lists.', response)
      for await (const line of parseLines<T | Failure>(stream === null ? nothing() : splitLines(stream))) {
        if (isFailure(line)) throw new BrokenOffError(`The list ended with an error: ${line.error.Message}`, { problem: line.error })
        count += 1
        yield line
      }
      const expected = response.headers.get('x-total-count')
      if (expected === null || Number(expected) === count) return
      throw new BrokenOffError(`The list ended after ${count} of ${expected} records.`)
    } catch (error) {
      if (!(error instanceof BrokenOffError)) throw error
      if (count > 0 || attempt >= attempts) throw new BrokenOffError(`${error.message} ${ADVICE}`, { cause: error, problem: error.problem })
    }
  }
}

/** Last line of a list that could not be given whole. No record has this property. */
interface Failure {
  error: ProblemDetails
}

function isFailure(line: unknown): line is Failure {
  return typeof line === 'object' && line !== null && 'error' in line
}

async function* nothing(): AsyncGenerator<never, void, undefined> {}
