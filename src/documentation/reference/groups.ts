import type { Operation, Parameter, ReferenceDocument } from '../../api/reference/reference-schema.ts'
import { type Row, rowsOf } from './rows.ts'
import type { Call } from './samples.ts'

/** Operations of one tag: one page. */
export interface Group {
  title: string
  description: string
  path: string
  calls: Call[]
  /** Whether these are requests that the deployment sends to subscribers; a name takes the place of a path. */
  isEvents: boolean
}

export const REFERENCE_PATH = '/docs/reference'
const EVENTS = 'Events'

/** By tag, in the order in which the document describes them; events last. */
export function groupsOf(document: ReferenceDocument): Group[] {
  const calls = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const events = Object.entries(document.webhooks).map(([path, { post }]) => ({ path, method: 'POST', operation: post }))
  const descriptions = new Map((document.tags ?? []).map(({ name, description = '' }) => [name, description]))
  const used = new Set(calls.map(({ operation }) => tagOf(operation)))
  const titles = [...descriptions.keys(), ...used].filter((title, at, all) => used.has(title) && all.indexOf(title) === at)
  const toGroup = (title: string, own: Call[]): Group => ({
    title,
    description: descriptions.get(title) ?? '',
    path: `${REFERENCE_PATH}/${slugOf(title)}`,
    calls: own,
    isEvents: title === EVENTS,
  })
  return [
    ...titles.map((title) =>
      toGroup(
        title,
        calls.filter(({ operation }) => tagOf(operation) === title),
      ),
    ),
    toGroup(EVENTS, events),
  ]
}

/** Tables of an operation: what it takes and what it answers. */
export function tablesOf(operation: Operation): { title: string; rows: Row[] }[] {
  const answer = Object.values(operation.responses)
    .map(({ content }) => content?.['application/json'])
    .find((media) => media?.schema !== undefined)
  const body = operation.requestBody?.content['application/json']
  return [
    { title: 'Parameters', rows: (operation.parameters ?? []).map(toRow) },
    { title: 'Body', rows: rowsOf(body?.schema ?? {}) },
    { title: 'Answer', rows: rowsOf(answer?.schema ?? {}) },
  ].filter(({ rows }) => rows.length > 0)
}

/** Statuses with their meaning; empty where the document says nothing. */
export function statusesOf(operation: Operation): { status: string; text: string }[] {
  return Object.entries(operation.responses).map(([status, { description = '' }]) => ({
    status,
    text: description === 'Default Response' ? '' : description,
  }))
}

function toRow({ name, required = false, schema, description }: Parameter): Row {
  return { name, required, schema: { ...schema, description: description ?? schema.description ?? '' } }
}

function tagOf(operation: Operation): string {
  return operation.tags[0] ?? ''
}

function slugOf(text: string): string {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, '-')
}
