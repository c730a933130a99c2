import { Type } from 'typebox'
import {
  type Answers,
  type Connector,
  type ConnectorDescription,
  type Credentials,
  type HttpResponse,
  type Kit,
  type Page,
  type Session,
  SourceError,
  type SourceItem,
} from '../../src/connectors/contract/contract.ts'
import { mapping } from '../../src/connectors/contract/mapping.ts'
import { answerJson, responseJson, retryAfterMs } from '../../src/connectors/toolkit/http/answers.ts'
import type { AccountingAccount } from '../../src/model/records/accounting-account.ts'
import type { AccountingTransaction } from '../../src/model/records/accounting-transaction.ts'
import { toDecimal } from '../../src/model/values/decimal.ts'
import type { Json } from '../../src/model/values/json.ts'
import type { Collection, SourceRecord } from './provider.ts'

interface Tokens {
  access: string
  refresh: string
  expiresAt: string
}

/** Position of a pull: a full listing after an id, or the changes since a number, after another. */
interface Cursor {
  since: number | null
  after: string
  /** Start of the next run, fixed by the first page. */
  resume: number | null
}

/** The connector of the simulated source: a full listing of accounts each time, and changes of entries. */
const connector: Connector = {
  authorize: {
    step: 'form',
    fields: [],
    submit: async (kit) => {
      const answer = await responseJson(await kit.http({ method: 'POST', url: `${kit.hosts.api}/consent` }), 'consent')
      const { entity, reference, ...tokens } = answer as unknown as Tokens & { entity: string; reference: string }
      return { credentials: toCredentials(tokens), entity: { id: entity, name: 'Books' }, reference }
    },
  },
  refreshCredentials: async (kit, credentials) => {
    const { refresh } = credentials.secret as unknown as Tokens
    const response = await kit.http({ method: 'POST', url: `${kit.hosts.api}/token`, body: `refresh_token=${refresh}` })
    if (response.status === 400) throw new SourceError('reconnect', 'the refresh token is refused')
    check(kit, response)
    return toCredentials((await responseJson(response, 'token')) as unknown as Tokens)
  },
  pulls: [
    {
      name: 'accounts',
      delivers: ['Accounts'],
      fetch: (session, cursor) => fetchPage(session, 'accounts', cursor),
      read: reader('accounts'),
    },
    {
      name: 'entries',
      delivers: ['Transactions'],
      fetch: (session, cursor) => fetchPage(session, 'entries', cursor),
      read: reader('entries'),
    },
  ],
  entities: {
    Accounts: {
      wire: Type.Object({ id: Type.String(), name: Type.String(), kind: Type.String() }),
      map: mapping<SourceRecord, AccountingAccount>(1, {
        origId: (a) => a.id,
        number: (a) => a.id,
        name: (a) => a.name,
        currency: () => 'CAD',
        description: () => '',
        classApp: (a) => a.kind,
        classSystem: (a, context) => {
          if (a.kind === 'asset') return 'ASSET'
          context.unmapped('classSystem', a.kind)
          return 'UNKNOWN'
        },
        typeApp: () => '',
        typeSystem: () => 'OTHER',
        subTypeApp: () => '',
        subTypeSystem: () => '',
        statusApp: () => '',
        statusSystem: () => 'ACTIVE',
      }),
    },
    Transactions: {
      wire: Type.Object({ id: Type.String(), name: Type.String() }),
      map: mapping<SourceRecord, AccountingTransaction>(1, {
        origId: (t) => t.id,
        entryId: (t) => t.id,
        accountOrigId: () => 'a1',
        postedOn: () => null,
        document: () => '',
        description: (t) => t.name,
        counterparty: () => '',
        debit: () => toDecimal('1.10'),
        credit: () => null,
        currency: () => 'CAD',
        sourceType: () => 'Entry',
      }),
    },
  },
  disconnect: async (kit) => {
    check(kit, await kit.http({ method: 'POST', url: `${kit.hosts.api}/revoke` }))
  },
  readWebhook: async (_kit, request) => [{ kind: 'changed', reference: Buffer.from(request.body).toString() }],
}

export const simulatedSource: ConnectorDescription = {
  key: 'simulated',
  name: 'Simulated Books',
  title: 'Simulated Books',
  description: { 'en-CA': 'For the simulation', 'fr-CA': 'Pour la simulation' },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts', 'Transactions'],
  link: 'form',
  appKeys: [],
  hosts: { api: 'https://simulated.example' },
  refreshHours: 24,
  load: async () => connector,
}

async function fetchPage(session: Session, collection: Collection, given: Json | null): Promise<Page> {
  const cursor = (given as Cursor | null) ?? { since: null, after: '', resume: null }
  const response = await ask(session, collection, cursor)
  // The source no longer knows the cursor: starts over; published records stay until then.
  if (response.status === 410) return await fetchPage(session, collection, { since: null, after: '', resume: null })
  check(session.kit, response)
  const body = (await responseJson(response, 'page')) as unknown as { next: string | null; seq: number }
  const resume = cursor.resume ?? body.seq
  return {
    answers: { page: response.body },
    next: body.next === null ? null : { since: cursor.since, after: body.next, resume },
    listing: cursor.since === null ? 'complete' : 'changes',
    ...(collection === 'entries' && body.next === null ? { resume: { since: resume, after: '', resume: null } } : {}),
  }
}

async function ask({ kit, credentials }: Session, collection: Collection, cursor: Cursor): Promise<HttpResponse> {
  const url = new URL(`${kit.hosts.api}/${collection}`)
  if (cursor.since !== null) url.searchParams.set('since', String(cursor.since))
  if (cursor.after !== '') url.searchParams.set('after', cursor.after)
  return await kit.http({ url: url.href, headers: { authorization: `Bearer ${(credentials.secret as unknown as Tokens).access}` } })
}

function check(kit: Kit, response: HttpResponse): void {
  if (response.status === 200) return
  if (response.status === 401) throw new SourceError('reconnect', 'the token is refused')
  if (response.status !== 429) throw new SourceError('unavailable', `status ${response.status}`)
  const wait = response.headers['retry-after'] === undefined ? {} : { retryAfterMs: retryAfterMs(response.headers, kit.now(), 0) }
  throw new SourceError('rateLimited', 'too many calls', wait)
}

function reader(collection: Collection) {
  return function* (answers: Answers): Generator<SourceItem> {
    const { rows } = answerJson(answers, 'page') as unknown as { rows: (SourceRecord | { id: string; removed: true } | { id: null })[] }
    const entity = collection === 'accounts' ? 'Accounts' : 'Transactions'
    for (const row of rows) {
      if (row.id === null) yield { entity, origId: null, unreadable: 'a row without an id' }
      else if ('removed' in row) yield { entity, origId: row.id, removed: true }
      else yield { entity, origId: row.id, wire: row, version: String(row.version).padStart(9, '0') }
    }
  }
}

function toCredentials({ access, refresh, expiresAt }: Tokens): Credentials {
  return { secret: { access, refresh }, expiresAt }
}
