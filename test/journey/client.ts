import { type Static, type TSchema, Type } from 'typebox'
import { Check, Errors } from 'typebox/value'
import { until } from '../process/deadline.ts'
import { readLogin, type Service } from '../process/service.ts'
import { ConnectionsPage, LinkAnswer, ServicesPage, TokenResponse } from './specification.ts'

const Company = Type.Object({ id: Type.String(), name: Type.String() })
const Companies = Type.Object({ data: Type.Array(Company) })
const Subscription = Type.Object(
  { id: Type.String(), event: Type.String(), callbackUrl: Type.String(), secret: Type.String({ pattern: '^whsec_' }) },
  { additionalProperties: false },
)

const Detail = Type.Object({
  statusCode: Type.Integer(),
  runs: Type.Array(
    Type.Object({ id: Type.String(), state: Type.String(), pages: Type.Integer(), records: Type.Integer(), changed: Type.Integer() }),
  ),
})

export type Run = Static<typeof Detail>['runs'][number]
export type ListedService = Static<typeof ServicesPage>['data'][number]
export type ListedConnection = Static<typeof ConnectionsPage>['data'][number]

export interface Answer {
  status: number
  body: string
  /** Number of items in the whole list; 0 if it is not a list. */
  total: number
}

/** A developer's program: logged in, with each response validated against the expected shape. */
export class Client {
  /** Values that must never appear in a log. */
  readonly secrets: string[]
  readonly #api: string

  readonly #tokens: Static<typeof TokenResponse>
  readonly #password: string

  private constructor(api: string, tokens: Static<typeof TokenResponse>, password: string) {
    this.#api = api
    this.#tokens = tokens
    this.#password = password
    this.secrets = [password, tokens.access_token, tokens.refreshToken]
  }

  /** With the login that the service stores in its data directory, or another. */
  static async logIn(
    service: Pick<Service, 'baseUrl' | 'dataDir'>,
    given: { email: string; password: string } | null = null,
  ): Promise<Client> {
    const api = `${service.baseUrl}/admin/api/v1`
    const login = given ?? (await readLogin(service.dataDir))
    const response = await fetch(`${api}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(login),
    })
    return new Client(api, checked(TokenResponse, response.status, await response.text()), login.password)
  }

  /** The same login at another process of the service. */
  at(baseUrl: string): Client {
    return new Client(`${baseUrl}/admin/api/v1`, this.#tokens, this.#password)
  }

  /** Sends one request; `path` is relative to `/admin/api/v1`. */
  async ask(path: string, init: { method?: string; body?: unknown } = {}): Promise<Answer> {
    const response = await fetch(`${this.#api}${path}`, {
      method: init.method ?? 'GET',
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${this.#tokens.access_token}`,
        ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
    })
    return { status: response.status, body: await response.text(), total: Number(response.headers.get('x-total-count') ?? 0) }
  }

  async read<T extends TSchema>(shape: T, path: string, init: { method?: string; body?: unknown } = {}): Promise<Static<T>> {
    const { status, body } = await this.ask(path, init)
    return checked(shape, status, body)
  }

  async addCompany(name: string, country = 'CA'): Promise<string> {
    const body = { name, country, city: 'Montréal' }
    return (await this.read(Company, '/normalized-data/company', { method: 'POST', body })).id
  }

  async companies(): Promise<Static<typeof Company>[]> {
    return (await this.read(Companies, '/normalized-data/companies')).data
  }

  async link(companyId: string, serviceId: string): Promise<string> {
    const { link } = await this.read(LinkAnswer, `/normalized-data/company/${companyId}/data-connection/${serviceId}/link`)
    this.secrets.push(new URL(link).searchParams.get('token') ?? link)
    return link
  }

  async services(): Promise<ListedService[]> {
    return (await this.read(ServicesPage, '/normalized-data/services?PageSize=500')).data
  }

  async service(name: string): Promise<ListedService> {
    const found = (await this.services()).find((service) => service.name === name)
    if (!found) throw new Error(`unknown service ${name}`)
    return found
  }

  async connections(companyId: string): Promise<ListedConnection[]> {
    return (await this.read(ConnectionsPage, `/normalized-data/company/${companyId}/data-connection/statuses`)).data
  }

  /** Polls the company's connections until one has one of the status codes. */
  async connectionInStatus(companyId: string, codes: readonly number[], withinMs = 30_000): Promise<ListedConnection> {
    const find = async () => (await this.connections(companyId)).find(({ statusCode }) => codes.includes(statusCode)) ?? null
    return await until(`a connection in status ${codes.join(' or ')}`, find, withinMs)
  }

  /** Subscribes and returns the secret. */
  async subscribe(event: string, callbackUrl: string): Promise<string> {
    const { secret } = await this.read(Subscription, `/webhooks/subscriptions/${event}`, { method: 'POST', body: { callbackUrl } })
    this.secrets.push(secret)
    return secret
  }

  /** Runs of a connection, newest first. */
  async runs(companyId: string, serviceId: string): Promise<Run[]> {
    return (await this.read(Detail, `/normalized-data/company/${companyId}/data-connection/${serviceId}/status`)).runs
  }

  async refresh(companyId: string, serviceId: string): Promise<Answer> {
    return await this.ask(`/normalized-data/company/${companyId}/data-connection/${serviceId}/refresh`, { method: 'POST' })
  }
}

export function checked<T extends TSchema>(shape: T, status: number, body: string): Static<T> {
  if (status >= 300) throw new Error(`status ${status}: ${body.slice(0, 500)}`)
  const value: unknown = JSON.parse(body)
  if (Check(shape, value)) return value
  const faults = Errors(shape, value).map(({ instancePath, message }) => `${instancePath} ${message}`)
  throw new Error(`not the expected shape: ${faults.slice(0, 5).join('; ')} in ${body.slice(0, 500)}`)
}
