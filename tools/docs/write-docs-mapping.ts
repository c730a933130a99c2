import type { Connector, ConnectorDescription } from '../../src/connectors/contract/contract.ts'
import type { TypeTable, WordRow } from '../../src/connectors/contract/type-table.ts'

/** Input of the generated documents, per source. */
export interface Documented {
  description: ConnectorDescription
  connector: Connector
  table: TypeTable
}

/** Normalized values of one value of a source. */
export interface Meaning {
  class: string
  type: string
  subType: string
  status: string
}

/** Header of a generated file. */
export const GENERATED = '<!-- Written by `npm run docs` from the code. Edit the code, not this file. -->\n'

/** Normalized values by the connector's own mapping; a row that states them itself is used as is. */
export function meaningOf({ description, connector }: Documented, { means }: WordRow): Meaning {
  if ('class' in means) return { class: means.class, type: means.type, subType: means.subType ?? '', status: '' }
  const { fields } = connector.entities.Accounts.map
  const context = { fetchedAt: new Date(0), unmapped: () => {} }
  const read = (field: string): unknown => fields[field]?.(means.wire, context)
  if (description.category === 'Accounting') {
    return {
      class: text(read('classSystem')),
      type: text(read('typeSystem')),
      subType: text(read('subTypeSystem')),
      status: text(read('statusSystem')),
    }
  }
  const kind = { type: '', subType: '', ...Object(read('kind')) } as { type: string; subType: string }
  return { class: '', type: kind.type, subType: kind.subType, status: text(read('accountStatusSystem')) }
}

/** docs/mappings/<key>.md: every enum value that the connector of one source knows, with its normalized values. */
export function describeMapping(documented: Documented): string {
  const { description, connector, table } = documented
  const groups = Map.groupBy(table.rows, ({ group }) => group)
  const sections = [...groups].map(([group, rows]) => `## ${group}\n\n${tableOf(documented, rows)}\n`)
  const rules = table.rules.map((rule) => `- ${rule}`).join('\n')
  return `${GENERATED}
# ${description.name}: values and their mapping

Mapping version ${connector.entities.Accounts.map.version}. The normalized values on the right are explained in [taxonomy.md](../taxonomy.md); every record
also keeps the source's own values (\`…App\`). A value that is not in these tables is kept, counted in the sync run, and mapped to the nearest certain parent.

${rules}

${sections.join('\n')}`
}

function tableOf(documented: Documented, rows: readonly WordRow[]): string {
  const words = [...new Set(rows.flatMap((row) => Object.keys(row.words)))]
  const isStatus = rows.every((row) => row.isStatus)
  const isBank = documented.description.category === 'Banking'
  const ours = isStatus ? ['status'] : isBank ? ['type', 'sub type'] : ['class', 'type', 'sub type']
  const body = rows.map((row) => {
    const meaning = meaningOf(documented, row)
    const cells = isStatus ? [meaning.status] : [...(isBank ? [] : [meaning.class]), meaning.type, meaning.subType]
    return [...words.map((name) => code(row.words[name] ?? '')), ...cells]
  })
  return toTable([...words, ...ours], body)
}

/** Markdown table; pipes within cells are escaped. */
export function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

function code(word: string): string {
  return word === '' ? '' : `\`${word}\``
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
