import type { FastifyInstance } from 'fastify'
import type { Caller } from '../../test/audit/api-walk.ts'
import type { Answered, Step } from '../../test/audit/watch.ts'
import { typicalItem } from './plain-values.ts'

/** One call of an operation and its answer, as they went over the wire. */
export interface Recorded {
  request?: unknown
  status: number
  /** Media type of the answer; absent without a body. */
  type?: string
  answer?: unknown
}

interface Route {
  operationId: string
  method: string
  url: string
}

/** Parameters that a walk cannot guess, by the start of the operation's path. */
export type KnownIds = readonly (readonly [path: string, ids: Readonly<Record<string, string>>])[]

/**
 * Calls the operations of a walk and keeps the first answer of each. After each of them it also tries the reads that
 * have not answered yet, with the ids that lists have given; a list counts once it has an item.
 */
export class Recorder implements Caller {
  readonly #app: FastifyInstance
  readonly #records: Map<string, Recorded>
  readonly #known: KnownIds
  readonly #routes = new Map<string, Route>()
  /** Ids of the first items of lists, by the path whose parameter they fill. */
  readonly #learned = new Map<string, string>()

  /** To be called before the server is ready. `records` may be shared by several walks. */
  constructor(app: FastifyInstance, records: Map<string, Recorded>, known: KnownIds = []) {
    this.#app = app
    this.#records = records
    this.#known = known
    app.addHook('onRoute', ({ method, url, schema }) => {
      const { operationId, hide }: { operationId?: string; hide?: boolean } = schema ?? {}
      for (const each of [method].flat())
        if (operationId !== undefined && !hide && each !== 'HEAD') this.#routes.set(operationId, { operationId, method: each, url })
    })
  }

  async step(operationId: string, { ids = {}, body, headers = {} }: Step): Promise<Answered> {
    await this.#app.ready()
    const route = this.#routes.get(operationId)
    if (!route) throw new Error(`unknown operation ${operationId}`)
    const url = this.#urlOf(route, ids)
    if (url === null) throw new Error(`a parameter of ${operationId} is not known`)
    const answer = await this.#app.inject({
      method: route.method === 'GET' ? 'GET' : toMethod(route.method),
      url,
      headers,
      ...(body ? { payload: body } : {}),
    })
    this.#keep(route, answer, body)
    await this.#tryReads(ids, headers)
    return answer.body.startsWith('{') ? answer.json<Answered>() : {}
  }

  async #tryReads(ids: Step['ids'], headers: Record<string, string>): Promise<void> {
    const isOpen = ({ operationId, method }: Route) => method === 'GET' && isPoor(this.#records.get(operationId))
    for (const route of [...this.#routes.values()].filter(isOpen)) {
      const url = this.#urlOf(route, ids ?? {})
      if (url !== null) this.#keep(route, await this.#app.inject({ url: `${url}${QUERIES[route.operationId] ?? ''}`, headers }))
    }
  }

  /** Null while a parameter of the path is unknown. */
  #urlOf({ url }: Route, given: Readonly<Record<string, string | undefined>>): string | null {
    const known = this.#known.find(([path]) => url.includes(path))?.[1]
    let isWhole = true
    const filled = url.replace(/:(\w+)/g, (_match, name: string, at: number) => {
      const value = known?.[name] ?? given[name] ?? this.#learned.get(url.slice(0, at + name.length + 1))
      isWhole &&= value !== undefined
      return encodeURIComponent(value ?? '')
    })
    return isWhole ? filled : null
  }

  #keep(route: Route, { statusCode, headers, body, json }: Answer, request?: object): void {
    if (statusCode >= 300) return
    const type = String(headers['content-type'] ?? '').split(';')[0] ?? ''
    const answer = type === 'application/json' ? json() : body
    const isShown = body !== '' && /^text\/|json$/.test(type)
    const record = {
      ...(request ? { request } : {}),
      status: statusCode,
      ...(isShown ? { type, answer } : {}),
    }
    const last = this.#records.get(route.operationId)
    if (isPoor(last)) this.#records.set(route.operationId, record)
    const first = firstItem(answer)
    for (const { url } of this.#routes.values()) {
      const [, name] = (url.startsWith(`${route.url}/:`) && /^\/:(\w+)/.exec(url.slice(route.url.length))) || []
      const id = first?.id ?? first?.origId ?? first?.sessionId ?? first?.key
      if (name && typeof id === 'string' && !this.#learned.has(`${route.url}/:${name}`)) this.#learned.set(`${route.url}/:${name}`, id)
    }
  }
}

interface Answer {
  statusCode: number
  headers: Record<string, unknown>
  body: string
  json(): unknown
}

/** Query parameters without which a read answers 400 or nothing. */
const QUERIES: Readonly<Record<string, string>> = {
  downloadAudit: '?Format=csv',
  searchAccounts: '?search=compte',
  countEventsToReplay: '?undeliveredSince=2020-01-01',
}

function toMethod(method: string): 'POST' | 'PUT' | 'DELETE' {
  if (method === 'POST' || method === 'PUT' || method === 'DELETE') return method
  throw new Error(`no example is recorded of a ${method}`)
}

/** Whether an answer shows nothing yet: there is none, or it is a list without items. */
function isPoor(record: Recorded | undefined): boolean {
  if (!record) return true
  const items = itemsOf(record.answer)
  return items !== null && items.length === 0
}

function firstItem(answer: unknown): Record<string, unknown> | undefined {
  const first = typicalItem(itemsOf(answer) ?? [])
  return typeof first === 'object' && first !== null ? { ...first } : undefined
}

/** Items of a list or of a page; null of anything else. */
function itemsOf(answer: unknown): unknown[] | null {
  if (Array.isArray(answer)) return answer
  if (typeof answer !== 'object' || answer === null || !('data' in answer)) return null
  return Array.isArray(answer.data) ? answer.data : null
}
