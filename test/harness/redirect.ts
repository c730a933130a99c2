import { request as send } from 'undici'
import type { RedirectAuthorization, RedirectRequest, Widget } from '../../src/connectors/contract/authorization.ts'
import type { Credentials, Grant } from '../../src/connectors/contract/contract.ts'
import type { Json } from '../../src/model/values/json.ts'
import type { ConnectorHarness } from './connector.ts'

export const CALLBACK = 'http://127.0.0.1:1/callback'

/** Link request of a test; a null institution leaves the choice to the owner. */
export type LinkRequest = Omit<RedirectRequest, 'institutionId'> & { institutionId: string | null }

/** Form fields of the owner on a consent page. `login` selects the signed-in user. */
export type OwnerAnswer = Readonly<Record<string, string>>

/** Parameters of the callback, and the memo of the start. */
export interface Consent {
  query: Record<string, string>
  memo: Json
}

type Linked = Pick<ConnectorHarness, 'connector' | 'kit' | 'request' | 'answer'>

export function redirectStep({ connector }: Pick<ConnectorHarness, 'connector'>): RedirectAuthorization {
  if (connector.authorize.step !== 'redirect') throw new Error('this source does not connect by redirect')
  return connector.authorize
}

export function startLink(harness: Linked, wish: Partial<LinkRequest> = {}): Promise<{ url: string; memo?: Json; match?: string }> {
  return redirectStep(harness).start(harness.kit, toRequest(harness, wish))
}

/** Like `startLink`, for a source whose widget opens on our page. */
export async function startWidget(
  harness: Linked,
  wish: Partial<LinkRequest> = {},
): Promise<{ widget: Widget; memo: Json; match: string }> {
  const { memo = null, match = '', widget } = await widgetStep(harness).start(harness.kit, toRequest(harness, wish))
  return { widget, memo, match }
}

/** Opens the source's consent page, answers it, and returns the callback's parameters. */
export async function consent(harness: Linked, answer: OwnerAnswer = {}, wish: Partial<LinkRequest> = {}): Promise<Consent> {
  const start = await startLink(harness, wish)
  const { login, ...fields } = { ...harness.answer, ...answer }
  const page = login === undefined ? start.url : `${start.url}&login=${login}`
  await (await send(page)).body.dump()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await send(page, { method: 'POST', headers, body: new URLSearchParams(fields).toString() })
  await response.body.dump()
  const back = new URL(String(response.headers.location))
  if (`${back.origin}${back.pathname}` !== CALLBACK) throw new Error(`redirected to ${back.pathname}`)
  return { query: Object.fromEntries(back.searchParams), memo: start.memo ?? null }
}

export function complete(harness: Linked, { query, memo }: Consent, reconnect?: Credentials): Promise<Grant[]> {
  const { authorize } = harness.connector
  if (authorize.step !== 'redirect' && authorize.step !== 'widget') throw new Error('this source has no callback')
  return authorize.complete(harness.kit, { callbackUrl: CALLBACK, query, memo, ...(reconnect ? { reconnect } : {}) })
}

/** Like `complete`, for a link whose callback has `query`, or nothing. */
export function completeLink(
  harness: Linked,
  memo: Json | undefined,
  query: Record<string, string> = {},
  reconnect?: Pick<Grant, 'credentials'>,
): Promise<Grant[]> {
  return complete(harness, { query, memo: memo ?? null }, reconnect?.credentials)
}

/** The owner's complete flow; returns the grant for the given books, or the first one. */
export async function connect(harness: Linked, answer: OwnerAnswer = {}, entityId?: string): Promise<Grant> {
  const grants = await complete(harness, await consent(harness, answer))
  const grant = grants.find(({ entity }) => entityId === undefined || entity.id === entityId)
  if (!grant) throw new Error('no grant')
  return grant
}

export function refresh({ connector, kit }: Linked, credentials: Credentials): Promise<Credentials> {
  if (!connector.refreshCredentials) throw new Error('these credentials do not expire')
  return connector.refreshCredentials(kit, credentials)
}

export async function disconnect({ connector, kit }: Linked, credentials: Credentials): Promise<void> {
  await connector.disconnect?.(kit, credentials)
}

/** Tokens of credentials, for comparison in a test. */
export function tokensOf({ secret }: Credentials): string[] {
  const { accessToken, refreshToken } = { accessToken: '', refreshToken: '', ...Object(secret) }
  return [accessToken, refreshToken]
}

function widgetStep({ connector }: Pick<ConnectorHarness, 'connector'>) {
  if (connector.authorize.step !== 'widget') throw new Error('this source does not connect by widget')
  return connector.authorize
}

function toRequest(harness: Linked, wish: Partial<LinkRequest>): RedirectRequest {
  const { institutionId = null, ...rest } = { ...harness.request, ...wish }
  return {
    callbackUrl: CALLBACK,
    state: 'state-1',
    locale: 'en',
    webhookUrl: `${CALLBACK}/webhook`,
    companyId: 'company-1',
    ...(institutionId === null ? {} : { institutionId }),
    ...rest,
  }
}
