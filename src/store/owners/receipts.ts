import type { Db } from '../db/database.ts'
import { type Columns, checkBound, countBounded, type Selection, type Total, toCondition, toOrder } from '../db/list-selection.ts'

/** `withdrawal`: the consent was withdrawn; `deletion`: the owner had the data deleted. */
export type ReceiptKind = 'withdrawal' | 'deletion'

/** Receipt: the owner's proof of a withdrawal or deletion. It contains no secret. */
export interface Receipt {
  instanceId: string
  id: string
  companyId: string
  connectionId: string
  kind: ReceiptKind
  issuedAt: Date
  serviceName: string
  /** The whole receipt as a compact JSON Web Signature. */
  signed: string
}

const COLUMNS = `instance_id as "instanceId", id, company_id as "companyId", connection_id as "connectionId", kind, issued_at as "issuedAt",
  service_name as "serviceName", signed`

/** At most one per kind and connection. */
export async function saveReceipt(db: Db, receipt: Receipt): Promise<void> {
  await db.query(
    `insert into receipts (instance_id, id, company_id, connection_id, kind, issued_at, service_name, signed)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [
      receipt.instanceId,
      receipt.id,
      receipt.companyId,
      receipt.connectionId,
      receipt.kind,
      receipt.issuedAt,
      receipt.serviceName,
      receipt.signed,
    ],
  )
}

export async function findReceipt(db: Db, instanceId: string, id: string): Promise<Receipt | null> {
  const { rows } = await db.query<Receipt>(`select ${COLUMNS} from receipts where instance_id = $1 and id = $2`, [instanceId, id])
  return rows[0] ?? null
}

export async function findReceiptOf(db: Db, instanceId: string, connectionId: string, kind: ReceiptKind): Promise<Receipt | null> {
  const { rows } = await db.query<Receipt>(`select ${COLUMNS} from receipts where instance_id = $1 and connection_id = $2 and kind = $3`, [
    instanceId,
    connectionId,
    kind,
  ])
  return rows[0] ?? null
}

const LISTED = {
  id: { sql: 'id', type: 'uuid', key: 'id', isNeverNull: true },
  companyId: { sql: 'company_id', type: 'uuid', key: 'company_id' },
  sessionId: { sql: 'connection_id', type: 'uuid' },
  kind: { sql: 'kind', type: 'string', key: 'kind', isNeverNull: true },
  serviceName: { sql: 'service_name', type: 'string', key: 'service_name', isNeverNull: true },
  issuedOn: { sql: 'issued_at', type: 'date', key: 'issued_at', isNeverNull: true },
} as const satisfies Columns

export async function listReceipts(db: Db, instanceId: string, selection: Selection): Promise<{ receipts: Receipt[]; total: Total }> {
  await checkBound(db, selection, { from: 'from receipts where instance_id = $1', instanceId, columns: LISTED, range: 'issuedOn' })
  const values: unknown[] = [instanceId]
  const condition = `instance_id = $1 and ${toCondition(selection.filter, LISTED, values)}`
  const total = await countBounded(db, `from receipts where ${condition}`, values)
  const { rows } = await db.query<Receipt>(
    `select ${COLUMNS} from receipts where ${condition} ${toOrder(selection, LISTED, 'id', values)}`,
    values,
  )
  return { receipts: rows, total }
}

/** Locked until the transaction ends. */
export async function lockReceiptsOfConnection(db: Db, instanceId: string, connectionId: string): Promise<Receipt[]> {
  const { rows } = await db.query<Receipt>(
    `select ${COLUMNS} from receipts where instance_id = $1 and connection_id = $2 order by issued_at, id for update`,
    [instanceId, connectionId],
  )
  return rows
}

/** The same receipt with an outcome that was not known when it was issued. */
export async function replaceSigned(db: Db, { instanceId, id }: Pick<Receipt, 'instanceId' | 'id'>, signed: string): Promise<void> {
  await db.query('update receipts set signed = $3 where instance_id = $1 and id = $2', [instanceId, id, signed])
}

/** Receipt without its text. */
export type ListedReceipt = Pick<Receipt, 'id' | 'connectionId' | 'kind'>

/** Receipts of some connections, newest first. */
export async function listReceiptsOfConnections(db: Db, instanceId: string, connectionIds: readonly string[]): Promise<ListedReceipt[]> {
  if (connectionIds.length === 0) return []
  const { rows } = await db.query<ListedReceipt>(
    `select id, connection_id as "connectionId", kind from receipts
     where instance_id = $1 and connection_id = any($2) order by issued_at desc, id`,
    [instanceId, connectionIds],
  )
  return rows
}
