import { Readable } from 'node:stream'
import type { Entity } from '../../model/catalogue.ts'
import { toCsvCell } from '../../model/texts/csv.ts'
import { FIRST_ID } from '../../model/values/first-id.ts'
import { type Json, parseJson } from '../../model/values/json.ts'
import type { Db } from '../../store/db/database.ts'
import { withinInstance } from '../../store/db/instance-scope.ts'
import { listStoredDocuments, type OwnedConnection } from '../../store/owners/owner-connections.ts'
import type { OwnerVisit } from '../visit/visitor.ts'

/** Downloads of an owner, by the last segment of the path. */
export const OWNER_FILES = ['data.json', 'accounts.csv', 'transactions.csv'] as const
export type OwnerFile = (typeof OWNER_FILES)[number]

/** Records fetched per batch: bounds memory for any number of records. */
const BATCH = 500

/** Download of all data read through a connection, generated while it is sent. */
export function openOwnerFile(
  db: Db,
  owner: OwnerVisit,
  connection: OwnedConnection,
  serviceName: string,
  file: OwnerFile,
): { type: string; stream: Readable } {
  if (file === 'data.json') {
    return { type: 'application/json; charset=utf-8', stream: Readable.from(writeJson(db, owner, connection, serviceName)) }
  }
  const entity = file === 'accounts.csv' ? 'Accounts' : 'Transactions'
  return { type: 'text/csv; charset=utf-8', stream: Readable.from(writeCsv(db, connection, entity)) }
}

/** Documents as published, so that no number is changed. */
async function* writeJson(db: Db, owner: OwnerVisit, connection: OwnedConnection, serviceName: string): AsyncGenerator<string> {
  const head = {
    company: owner.company.name,
    sharedWith: owner.pages.publicName || owner.instance.name,
    service: serviceName,
    entity: connection.entityName,
    connectedAt: connection.connectedAt,
    lastReadAt: connection.lastReadAt,
  }
  yield `${JSON.stringify(head).slice(0, -1)},\n"accounts":[`
  yield* joinDocuments(db, connection, 'Accounts')
  yield '],\n"transactions":['
  yield* joinDocuments(db, connection, 'Transactions')
  yield ']}\n'
}

async function* joinDocuments(db: Db, connection: OwnedConnection, entity: Entity): AsyncGenerator<string> {
  let separator = '\n'
  for await (const documents of listBatches(db, connection, entity)) {
    yield separator + documents.join(',\n')
    separator = ',\n'
  }
}

/** With a byte order mark, by which spreadsheets detect UTF-8. Source: https://www.rfc-editor.org/rfc/rfc4180 */
async function* writeCsv(db: Db, connection: OwnedConnection, entity: Entity): AsyncGenerator<string> {
  let columns: string[] | null = null
  yield '\ufeff'
  for await (const documents of listBatches(db, connection, entity)) {
    const lines: string[] = []
    for (const document of documents) {
      const record = toRecord(parseJson(document))
      if (columns === null) {
        columns = Object.keys(record)
        lines.push(columns.join(','))
      }
      lines.push(columns.map((column) => toCsvCell(record[column])).join(','))
    }
    yield `${lines.join('\r\n')}\r\n`
  }
}

async function* listBatches(db: Db, connection: OwnedConnection, entity: Entity): AsyncGenerator<string[]> {
  const place = { ...connection, connectionId: connection.id }
  for (let after: string | undefined = FIRST_ID; after !== undefined; ) {
    const from: string = after
    // A stream is read outside the request's scope.
    const records: { id: string; doc: string }[] = await withinInstance(place.instanceId, () =>
      listStoredDocuments(db, place, entity, from, BATCH),
    )
    if (records.length > 0) yield records.map(({ doc }) => doc)
    after = records.length < BATCH ? undefined : records.at(-1)?.id
  }
}

function toRecord(document: Json): { [name: string]: Json } {
  return typeof document === 'object' && document !== null && !Array.isArray(document) ? document : {}
}
