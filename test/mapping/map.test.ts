import { hash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Connector, EntityMapping, SourceItem } from '../../src/connectors/contract/contract.ts'
import { connectors, exampleConnectors } from '../../src/connectors/registry.ts'
import { mapRecord } from '../../src/connectors/toolkit/test-mapping.ts'
import { type Json, parseJson } from '../../src/model/values/json.ts'
import { findShapeFault } from '../../src/sync/runs/normalize.ts'
import { SOURCE_PAGES } from '../explain/source-pages.ts'
import { valuesByPath, wireVariants } from './wire-variants.ts'

/**
 * What mappings make of records of their sources, and of each record with one value changed: a line for the record, and
 * for each of its values a fingerprint of the results with that value absent, null or replaced. After an intended change
 * raise the mapping's version and run this file with `-u`; the difference shows which fields of which records change.
 */

const FETCHED_AT = new Date('2026-11-20T08:00:00.500Z')
/** Of each kind, the first ones are changed; of the others only the record is written down. */
const MOST_CHANGED = 6
/** Other connectors of the same mapping. */
const TWINS: ReadonlySet<string> = new Set(['akoya', 'flinks-outbound', 'fdx-ohio-valley'])

interface WireRecord {
  entity: 'Accounts' | 'Transactions'
  wire: Json
  /** The property by which the mapping chooses its rules, which is no data of the source. */
  added?: object
}

/** Records of simulators, for sources without stored pages. */
const wiresFile = (connector: string): string => join(import.meta.dirname, 'wires', `${connector}.json`)

const subjects = [...connectors, ...exampleConnectors].filter(
  ({ key }) => !TWINS.has(key) && (existsSync(wiresFile(key)) || SOURCE_PAGES.some(({ connector }) => connector === key)),
)

function readWires(key: string, { pulls, entities }: Connector): WireRecord[] {
  if (existsSync(wiresFile(key))) return parseJson(readFileSync(wiresFile(key), 'utf8')) as unknown as WireRecord[]
  return SOURCE_PAGES.filter(({ connector }) => connector === key).flatMap(({ pull: name, answers }) => {
    const pull = pulls.find((each) => each.name === name)
    if (!pull) throw new Error(`${key} has no pull ${name}`)
    return [...pull.read(answers)].flatMap((item) => ('wire' in item ? [toWireRecord(item, entities[item.entity]?.map.chosenBy)] : []))
  })
}

function toWireRecord({ entity, wire }: Extract<SourceItem, { wire: unknown }>, chosenBy?: string): WireRecord {
  const isAdded = ([name]: [string, unknown]) => name === chosenBy
  const [added = [], own = []] = [true, false].map((wanted) => Object.entries(Object(wire)).filter((each) => isAdded(each) === wanted))
  return { entity, wire: parseJson(JSON.stringify(Object.fromEntries(own))), added: Object.fromEntries(added) }
}

/** The record with the values it does not know; the kind of error where it cannot be mapped; null where its shape is refused before. */
function resultOf(mapping: EntityMapping, data: Json, added: object = {}): string | null {
  const wire = Object.assign(structuredClone(data) ?? {}, added)
  if (findShapeFault(mapping, wire) !== null) return null
  const unmapped: string[] = []
  try {
    const record = mapRecord(mapping.map, wire, FETCHED_AT, unmapped)
    return JSON.stringify(unmapped.length > 0 ? [record, ...unmapped] : record, withoutNull)
  } catch (error) {
    return error instanceof Error ? error.constructor.name : String(error)
  }
}

/** A new field changes the results of those mappings only whose sources have it. */
const withoutNull = (_key: string, value: unknown): unknown => (value === null ? undefined : value)

function* linesOf(mapping: EntityMapping, records: readonly WireRecord[]): Generator<string> {
  const known = valuesByPath(records.map(({ wire }) => wire))
  for (const [at, { wire, added }] of records.entries()) {
    yield `  ${resultOf(mapping, wire, added)}`
    if (at >= MOST_CHANGED) continue
    const byPath = new Map<string, string[]>()
    for (const variant of wireVariants(wire, known)) {
      const result = resultOf(mapping, variant.wire, added)
      if (result !== null) byPath.set(variant.path, [...(byPath.get(variant.path) ?? []), result])
    }
    for (const [path, results] of byPath) yield `    ${path} ${hash('sha256', results.join('\n'), 'hex').slice(0, 10)}`
  }
}

it.each(subjects.map(({ key, category }) => [key, category] as const))(
  '%s: what a mapping makes of a record changes with the version of the mapping only',
  async (key, category) => {
    const connector = await [...connectors, ...exampleConnectors].find((each) => each.key === key)?.load()
    if (!connector) throw new Error(`there is no connector ${key}`)
    const records = readWires(key, connector)
    const lines = (['Accounts', 'Transactions'] as const).flatMap((entity) => {
      const [mapping, ofEntity] = [connector.entities[entity], records.filter((each) => each.entity === entity)]
      return mapping && ofEntity.length > 0 ? [`${entity}, version ${mapping.map.version}`, ...linesOf(mapping, ofEntity)] : []
    })
    await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot(join(import.meta.dirname, 'results', category.toLowerCase(), `${key}.txt`))
  },
)
