import type { IncomingMessage, ServerResponse } from 'node:http'
import type Provider from 'oidc-provider'
import type { AdapterPayload } from 'oidc-provider'
import { type Call, HttpFront, type ServedControls, toEntry } from '../kit/http/front.ts'
import { cutReply, DROPPED, type Reply } from '../kit/http/response.ts'
import type { Simulator, SimulatorOptions } from '../simulator.ts'
import { readBearer, readSigned } from './api/bearer.ts'
import { dataReply, send } from './api/replies.ts'
import { type Asked, readPath, showData } from './api/routes.ts'
import { removeSubject } from './api/token-store.ts'
import type { Context } from './context.ts'
import { type Account, buildAccounts } from './data/accounts.ts'
import { AKOYA, CONFLUENT, FLINKS, OHIO, type Style } from './data/profiles.ts'
import { FAULTS, type FaultEffect, fdxError, type RequestKind, takeEffect } from './faults.ts'
import { openProvider, type SimulatedClient, sandboxPublicKey } from './oauth.ts'
import { type Edits, openState } from './state.ts'
import { serveInteraction } from './window/routes.ts'

export interface FdxSimulatorOptions extends SimulatorOptions {
  /** The only client that is accepted; defaults to that of the sandbox. */
  client?: Partial<SimulatedClient>
  /** Accounts of the login `giant`; defaults to 450. */
  giantAccounts?: number
}

export interface FdxSimulator extends Simulator, ServedControls {
  /** Path, query and headers of every data request, oldest first. */
  requests: readonly { path: string; query: Record<string, string>; headers: IncomingMessage['headers'] }[]
  /** Revokes the consent at the bank, as the owner can. */
  revoke(login: string): void
  isRevoked(login: string): boolean
  /** Changes FDX properties of an account. */
  editAccount(login: string, accountId: string, changes: Record<string, unknown>): void
  removeAccount(login: string, accountId: string): void
  removeTransaction(login: string, transactionId: string): void
}

const REQUESTS_KEPT = 2_000
/** Far larger than any real answer. */
const HUGE_BYTES = 48 * 1_048_576

export const createConfluentSimulator = (options: FdxSimulatorOptions) => createFdxSimulator(CONFLUENT, options)
export const createOhioSimulator = (options: FdxSimulatorOptions) => createFdxSimulator(OHIO, options)
export const createAkoyaSimulator = (options: FdxSimulatorOptions) => createFdxSimulator(AKOYA, options)
export const createFlinksOutboundSimulator = (options: FdxSimulatorOptions) => createFdxSimulator(FLINKS, options)

/**
 * Simulator of a bank or an aggregator that speaks FDX: a complete OpenID provider with its own pages, and the data
 * API behind it.
 */
export function createFdxSimulator(style: Style, options: FdxSimulatorOptions): FdxSimulator {
  const wallClock = options.now ?? (() => new Date())
  const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const store = openState(options.stateFile, toDay(wallClock().getTime()))
  const state = store.data
  const save = (): void => store.save()
  const front = new HttpFront(options, store, FAULTS)
  const { faults, now } = front
  const requests: FdxSimulator['requests'][number][] = []
  const client: SimulatedClient = {
    ...{ id: 'sandbox-client', secret: 'sandbox-secret', keys: [sandboxPublicKey()], subjectDn: '' },
    ...options.client,
  }
  let opened: Provider | null = null
  const books = new Map<string, Account[]>()

  const context: Context = {
    style,
    state,
    // The address is known only once the server listens.
    provider: () => (opened ??= openProvider(style, options.baseUrl(), client, state, save)),
    baseUrl: options.baseUrl,
    nowMs: () => now().getTime(),
    today: () => toDay(context.nowMs()),
    save,
    accountsOf: (login, institution) => {
      const name = `${login} ${institution}`
      const book = books.get(name) ?? buildAccounts(style, login, institution, options.giantAccounts ?? 450)
      books.set(name, book)
      return book
    },
    subject: (id) => state.subjects[id] ?? null,
  }

  async function answerOrFail(call: Call): Promise<Reply | null> {
    try {
      return await answer(call)
    } catch (error) {
      return call.response.headersSent ? null : dataReply(500, fdxError(500, `the simulator failed: ${error}`))
    }
  }

  /** Null if the OpenID provider has answered. */
  async function answer({ request, response, path, query, method }: Call): Promise<Reply | null> {
    const asked = readPath(context, path)
    const effect = takeEffect(faults, kindOf(style, path, asked), query.has('pageKey') || query.has('offset'))
    if (effect?.kind === 'answer')
      return { ...dataReply(effect.status, effect.body), ...(effect.headers ? { headers: effect.headers } : {}) }
    if (asked) return await answerData(asked, { request, response, path, query }, effect)
    if (effect?.kind === 'reset') return DROPPED
    if (style.institutions && path === '/api/v1/providers') return await answerDirectory(request)
    if (style.bearer === 'jwt' && path === '/api/v1/revoke') return await answerRevoke(request)
    const interaction = /^\/interaction\/([\w-]{1,80})(?:\/(login|consent|exit))?$/.exec(path)
    if (interaction) return await serveInteraction(context, request, response, method === 'POST' ? (interaction[2] ?? null) : null)
    if (path === style.routes.authorization) forgetLogin(request, response)
    await context.provider().callback()(request, response)
    return null
  }

  async function answerData(
    asked: Asked,
    { request, response, path, query }: Pick<Call, 'request' | 'response' | 'path' | 'query'>,
    effect: FaultEffect | null,
  ): Promise<Reply> {
    requests.push({ path, query: Object.fromEntries(query), headers: request.headers })
    if (requests.length > REQUESTS_KEPT) requests.shift()
    const bearer = await readBearer(context, request)
    if (!bearer) return dataReply(401, fdxError(603, 'Authentication failed'), { 'www-authenticate': 'Bearer error="invalid_token"' })
    const odd = { pageBack: effect?.kind === 'repeatPage', doubles: effect?.kind === 'doubles' }
    const { status, body } = showData(context, asked, bearer.subject, query, odd)
    const interactionId = String(request.headers['x-fapi-interaction-id'] ?? '')
    const headers: Record<string, string> = interactionId === '' ? {} : { 'x-fapi-interaction-id': interactionId }
    if (status !== 200 || effect === null) return dataReply(status, body, headers)
    if (effect.kind === 'slow') await front.held.hold(response)
    return brokenReply(body, effect)
  }

  async function answerDirectory(request: Call['request']): Promise<Reply> {
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if ((await readSigned(context, token)) === null) return dataReply(401, fdxError(603, 'Authentication failed'))
    const providers = Object.entries(style.institutions?.names ?? {}).map(([id, name]) => ({ id, name }))
    return dataReply(200, JSON.stringify({ providers }))
  }

  /** Source: https://docs.flinks.com/api/outbound/endpoints/authorize/revoke-connection */
  async function answerRevoke(request: Call['request']): Promise<Reply> {
    const bearer = request.method === 'DELETE' ? await readBearer(context, request) : null
    if (!bearer) return dataReply(401, JSON.stringify({ error: 'invalid_token' }))
    withdraw(bearer.id)
    return dataReply(204, '')
  }

  function withdraw(id: string): void {
    const subject = state.subjects[id]
    if (subject) subject.isRevoked = true
    removeSubject(state, id)
    save()
  }

  function subjectsOf(login: string): string[] {
    return Object.keys(state.subjects).filter((id) => state.subjects[id]?.login === login)
  }

  function edit(login: string, change: (edits: Edits) => void): void {
    const edits = state.edits[login] ?? { removedAccounts: [], removedMovements: [], accounts: {} }
    change(edits)
    state.edits[login] = edits
    save()
  }

  return {
    key: style.key,
    requests,
    ...front.serveLogged({ answer: answerOrFail, toEntry, send, maxBodyBytes: 0 }),
    revoke: (login) => {
      for (const id of subjectsOf(login)) withdraw(id)
    },
    isRevoked: (login) => subjectsOf(login).every((id) => !Object.values(state.kept).some(({ payload }) => isToken(payload, id))),
    editAccount: (login, accountId, changes) =>
      edit(login, (edits) => {
        edits.accounts[accountId] = { ...edits.accounts[accountId], ...changes }
      }),
    removeAccount: (login, accountId) => edit(login, (edits) => edits.removedAccounts.push(accountId)),
    removeTransaction: (login, transactionId) => edit(login, (edits) => edits.removedMovements.push(transactionId)),
  }
}

/**
 * Makes the owner sign in each time: the browser may remember another login, or that of another bank on this machine.
 */
function forgetLogin(request: IncomingMessage, response: ServerResponse): void {
  const others = (request.headers.cookie ?? '').split('; ').filter((cookie) => !cookie.startsWith('_session'))
  request.headers.cookie = others.join('; ')
  response.setHeader(
    'set-cookie',
    ['_session', '_session.sig'].map((name) => `${name}=; path=/; max-age=0; httponly`),
  )
}

/** Whether an entry still grants access to data. */
function isToken(payload: AdapterPayload, subject: string): boolean {
  return payload.accountId === subject && (payload.kind === 'RefreshToken' || payload.kind === 'AccessToken')
}

function kindOf(style: Style, path: string, asked: Asked | null): RequestKind {
  if (asked) return asked.what === 'accounts' ? 'data' : 'account'
  if (path === '/api/v1/providers') return 'directory'
  return path === style.routes.token ? 'token' : 'other'
}

function brokenReply(body: string, { kind }: FaultEffect): Reply {
  const reply = dataReply(kind === 'partial' ? 206 : 200, body)
  if (kind === 'reset') return DROPPED
  if (kind === 'huge') return { ...reply, body: '{}', paddingBytes: HUGE_BYTES }
  if (kind === 'drift') return { ...reply, body: body.replace(/"(accounts|transactions)":/, '"items":') }
  return kind === 'truncated' ? cutReply(reply) : reply
}
