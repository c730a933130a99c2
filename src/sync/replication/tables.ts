import type { Category, Entity } from '../../model/catalogue.ts'
import type { FieldKind } from '../../model/records/fields.ts'
import { RECORD_SCHEMAS } from '../../model/records/record-schemas.ts'

/** Column for a property of the documents. */
export interface Column {
  name: string
  property: string
  type: string
}

/** Table for one kind of record. */
export interface Table {
  name: string
  category: Category
  entity: Entity
  /** Columns of the document; each table also has the key, the connection, the time of publication and the pass. */
  columns: readonly Column[]
}

const TYPES: Readonly<Record<FieldKind, string>> = {
  ...{ id: 'uuid', text: 'text', enum: 'text', amount: 'numeric' },
  ...{ day: 'date', instant: 'timestamptz', flag: 'boolean' },
}

/** Our state table. */
export const STATE_TABLE = 'countinghouse_state'

export const TABLES: readonly Table[] = (['Accounting', 'Banking'] as const).flatMap((category) =>
  (['Accounts', 'Transactions'] as const).map((entity) => toTable(category, entity)),
)

function toTable(category: Category, entity: Entity): Table {
  // A deleted record has no row.
  const properties = RECORD_SCHEMAS[category][entity].properties.filter(({ name }) => name !== 'id' && name !== 'isDeleted')
  const columns = [
    { name: 'service_name', property: 'serviceName', type: 'text' },
    { name: 'last_updated_on', property: 'lastUpdatedOn', type: 'timestamptz' },
    ...properties.map(({ name, kind }) => ({ name: toColumnName(name), property: name, type: TYPES[kind] })),
  ]
  return { name: `${category}_${entity}`.toLowerCase(), category, entity, columns }
}

/** `actualBalance` becomes `actual_balance`, so that the name needs no quotes. */
function toColumnName(property: string): string {
  return property.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase()
}
