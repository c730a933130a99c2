import { recordColumns } from '../../src/store/records/record-columns.ts'
import type { RecordScope } from '../../src/store/records/records.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { linkByForm } from '../harness/app/owner-link.ts'
import { readRecords } from '../harness/read-records.ts'

/** Follows a link as the owner would; returns the connection's id. */
export async function authorize(deps: SyncDeps, { instanceId, companyId, serviceId }: RecordScope): Promise<string> {
  return await linkByForm(deps, { instanceId, companyId, serviceId })
}

export interface ReadAccount {
  origId: string
  accountName: string
  accountNumber: string
  accountStatusSystem: string
  actualBalance: number
}

export interface ReadMovement {
  id: string
  origId: string
  accountOrigId: string
  postedOn: string | null
  transactionOn: string | null
  amount: number
  description: string
  isPending: boolean
  category: string
}

/** The bank's accounts as returned by the API. */
export async function readAccounts(deps: SyncDeps, scope: RecordScope, view = {}): Promise<ReadAccount[]> {
  return await read(deps, scope, 'Accounts', view)
}

export async function readMovements(deps: SyncDeps, scope: RecordScope, view = {}): Promise<ReadMovement[]> {
  return await read(deps, scope, 'Transactions', view)
}

async function read<T>(deps: SyncDeps, scope: RecordScope, entity: 'Accounts' | 'Transactions', view: object): Promise<T[]> {
  const columns = recordColumns('Banking', entity)
  const page = await readRecords<T>(deps.database, scope, { entity, columns, view, selection: { limit: 5_000 } })
  return page?.records ?? []
}
