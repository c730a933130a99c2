import type { IncomingMessage } from 'node:http'
import type { Faults } from '../../kit/faults.ts'
import type { Books } from '../data/books.ts'
import type { FaultName } from '../faults.ts'

export interface CompanyCall {
  request: IncomingMessage
  /** Path below /v3/company/{realmId}/. */
  path: string
  query: URLSearchParams
  body: string
  realmId: string
  books: Books
  now: Date
  faults: Faults<FaultName>
}
