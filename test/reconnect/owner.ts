import { recordColumns } from '../../src/store/records/record-columns.ts'
import type { RecordScope } from '../../src/store/records/records.ts'
import { beginAuthorization, submitForm } from '../../src/sync/authorize/authorize.ts'
import type { SyncDeps } from '../../src/sync/context/deps.ts'
import { issueLink, openLink } from '../../src/sync/links/link.ts'
import { readRecords } from '../harness/read-records.ts'

/** Goes through a link as the owner would; gives the connection's id. */
export async function authorize(deps: SyncDeps, { instanceId, companyId, serviceId }: RecordScope): Promise<string> {
  const address = await issueLink(deps, { instanceId, companyId, serviceId, issuedBy: 'dev@example.com' })
  const open = await openLink(deps, new URL(address).searchParams.get('token') ?? '')
  if (!open) throw new Error('the link does not open')
  const { connectionId } = await beginAuthorization(deps.database, open)
  const [linked] = await submitForm(deps, open, connectionId, {})
  if (!linked) throw new Error('nothing was linked')
  return linked.connectionId
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

/** What the API shows of the bank. */
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
