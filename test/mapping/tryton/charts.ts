import { existsSync, readFileSync } from 'node:fs'
import { XMLParser } from 'fast-xml-parser'
import { toGroups } from '../../../src/connectors/tryton/groups.ts'
import type { Json } from '../../../src/model/values/json.ts'
import type { ChartAccount } from '../subject.ts'

const MODULES = '/usr/lib/python3/dist-packages/trytond/modules'
const BALANCE_FLAGS = ['assets', 'receivable', 'stock', 'payable', 'debt']

interface Template {
  id: string
  fields: Map<string, string>
}

interface TypeLine {
  id: number
  name: string
  statement: string | null
  parent: number | null
  revenue: boolean
  expense: boolean
}

/** Input of a chart's expectation. */
export interface ChartEntry {
  code: string
  name: string
  /** Names of the type and its ancestors, root last. */
  types: readonly string[]
}

/**
 * The accounts of a chart as a server creates them from its module's templates; null if the module is not installed.
 * Source: the format of `<record model="account.account.template">` in modules/account of Tryton 6.0
 */
export function readChart(file: string, judge: (place: ChartEntry) => ChartAccount['expected']): ChartAccount[] | null {
  const path = `${MODULES}/${file}`
  if (!existsSync(path)) return null
  const records = readRecords(readFileSync(path, 'utf8'))
  const types = records.filter(({ model }) => model === 'account.account.type.template')
  const accounts = records.filter(({ model }) => model === 'account.account.template')
  const ids = new Map([...types, ...accounts].map(({ id }, index) => [id, index + 1]))
  const typeOf = (id: string) => types.find((each) => each.id === id)
  return accounts.map((account) => {
    const line = [...chain(account.fields.get('type') ?? '', types)].map((id) => toTypeLine(typeOf(id), ids))
    const code = account.fields.get('code') ?? ''
    const name = account.fields.get('name') ?? ''
    const isTwoSided = line[0]?.revenue === true && line[0].expense
    const wire = {
      id: ids.get(account.id) ?? 0,
      code,
      name,
      note: null,
      closed: false,
      active: true,
      type: ids.get(account.fields.get('type') ?? '') ?? null,
      'currency.': { code: 'CAD' },
      typePath: line,
      ...(isTwoSided && { groups: groupsOf(account, accounts) }),
    }
    return { label: `${code} ${name}`, wire, ...withExpected(judge({ code, name, types: line.map((each) => each.name) })) }
  })
}

function withExpected(expected: ChartAccount['expected']) {
  return expected === undefined ? {} : { expected }
}

/** Names of an account's ancestors, as nested by a server's `read` and extracted by the connector. */
function groupsOf(account: Template, accounts: readonly Template[]): string[] {
  const above = [...chain(account.fields.get('parent') ?? '', accounts)]
  const nested = above.reduceRight<Json>((inner, id) => {
    const name = accounts.find((each) => each.id === id)?.fields.get('name') ?? ''
    return { name, 'parent.': inner }
  }, null)
  return toGroups([{ id: 1, 'parent.': nested }]).get(1) ?? []
}

function* chain(start: string, templates: readonly Template[]): Iterable<string> {
  for (let id: string | undefined = start; id; ) {
    const found = templates.find((each) => each.id === id)
    if (found === undefined) return
    yield found.id
    id = found.fields.get('parent')
  }
}

function toTypeLine(template: Template | undefined, ids: ReadonlyMap<string, number>): TypeLine {
  const fields = template?.fields ?? new Map<string, string>()
  return {
    id: ids.get(template?.id ?? '') ?? 0,
    name: fields.get('name') ?? '',
    statement: noneToNull(fields.get('statement')),
    parent: ids.get(fields.get('parent') ?? '') ?? null,
    ...Object.fromEntries(BALANCE_FLAGS.map((flag) => [flag, fields.get(flag) === 'True'])),
    revenue: fields.get('revenue') === 'True',
    expense: fields.get('expense') === 'True',
  }
}

interface XmlField {
  name: string
  ref?: string
  eval?: string
  text?: string | number
}

function readRecords(xml: string): (Template & { model: string })[] {
  const parser = new XMLParser({
    ignoreAttributes: false,
    attributeNamePrefix: '',
    textNodeName: 'text',
    isArray: (name) => ['data', 'record', 'field'].includes(name),
    parseTagValue: false,
    processEntities: true,
  })
  const tree = parser.parse(xml) as { tryton: { data: { record?: { id: string; model: string; field?: XmlField[] }[] }[] } }
  return tree.tryton.data.flatMap(({ record = [] }) =>
    record.map(({ id, model, field = [] }) => ({
      id,
      model,
      fields: new Map(field.map((each) => [each.name, each.ref ?? each.eval ?? String(each.text ?? '').trim()])),
    })),
  )
}

function noneToNull(value: string | undefined): string | null {
  return value === undefined || value === 'None' ? null : value
}
