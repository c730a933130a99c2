import { Compile } from 'typebox/compile'
import type { Json } from '../../model/values/json.ts'
import { type Answers, SourceError, type SourceItem } from '../contract/contract.ts'
import { answerJson, property } from '../toolkit/http/answers.ts'
import { ConnectionWire } from './wire.ts'

const isConnection = Compile(ConnectionWire)

/** Name of the response in each page. */
export const ANSWER = 'accounts'

/** Both lists of a page; each is present until its last page has been read. */
export const LISTS = ['active', 'archived'] as const
export type ListName = (typeof LISTS)[number]

export function* readAccounts(answers: Answers): Iterable<SourceItem> {
  const body = answerJson(answers, ANSWER)
  const connections = LISTS.flatMap((name) => findConnection(body, name) ?? [])
  if (connections.length === 0) throw new SourceError('badData', 'Wave answered without a list of accounts')
  for (const { edges } of connections) {
    for (const node of edges.map(nodeOf)) {
      const origId = nodeId(node)
      if (origId === null) yield { entity: 'Accounts', origId, unreadable: 'an account without an id' }
      else yield { entity: 'Accounts', origId, wire: node, ...versionOf(node) }
    }
  }
}

/**
 * List of a page, null when it was not requested. Any other value throws `badData`; it is never taken for an empty
 * list.
 */
export function findConnection(body: Json, name: ListName): ConnectionWire | null {
  const business = property(property(body, 'data'), 'business')
  if (business === null) throw new SourceError('reconnect', 'Wave shows nothing of this business any more')
  if (typeof business !== 'object' || Array.isArray(business)) throw new SourceError('badData', 'Wave answered without the business')
  const connection = business[name]
  if (connection === undefined) return null
  if (!isConnection.Check(connection)) throw new SourceError('badData', `Wave answered no list of ${name} accounts`)
  return connection
}

/** Id of the first account of a list, which identifies a repeated page. */
export function firstId({ edges }: ConnectionWire): string | null {
  return edges.length > 0 ? nodeId(nodeOf(edges[0])) : null
}

function nodeOf(edge: unknown): unknown {
  return typeof edge === 'object' && edge !== null && 'node' in edge ? edge.node : null
}

function nodeId(node: unknown): string | null {
  return typeof node === 'object' && node !== null && 'id' in node && typeof node.id === 'string' && node.id !== '' ? node.id : null
}

/** `sequence` with leading zeros, so that it orders as text. */
function versionOf(node: unknown): { version?: string } {
  const sequence = typeof node === 'object' && node !== null && 'sequence' in node ? String(node.sequence) : ''
  return /^\d{1,15}$/.test(sequence) ? { version: sequence.padStart(15, '0') } : {}
}
