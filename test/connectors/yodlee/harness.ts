import { CAISSE } from '../../../simulators/yodlee/data/institutions.ts'
import { createYodleeSimulator, type YodleeSimulatorOptions } from '../../../simulators/yodlee/index.ts'
import type { Widget } from '../../../src/connectors/contract/authorization.ts'
import type { Grant } from '../../../src/connectors/contract/contract.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'
import { runnerOf } from '../../harness/connector-calls.ts'
import { completeLink, type LinkRequest, startWidget } from '../../harness/redirect.ts'

export const SECRET = 'secret-canary-2264'
export const ADMIN = 'admin-canary-0093'
export const COMPANY = '8c1f6f0e-6f0b-4c58-9d4b-5b2f1c0d9a11'
const KEYS = { clientId: 'client-canary-7718', secret: SECRET }

export const openHarness = connectorHarness('yodlee', {
  create: (settings: Settings<YodleeSimulatorOptions>, given) =>
    createYodleeSimulator({ keys: KEYS, adminLoginName: ADMIN, institutionCount: 40, ...settings, ...given }),
  app: { ...KEYS, adminLoginName: ADMIN },
  request: { institutionId: String(CAISSE), companyId: COMPANY, webhookUrl: 'http://127.0.0.1:1/hooks/yodlee/secret' },
  startMs: Date.UTC(2026, 10, 20, 15, 30),
  moveSimulator: (simulator) => simulator.moveClock(0),
})

export type Harness = Awaited<ReturnType<typeof openHarness>>

/** Opens FastLink as its script does; returns the frame's page. */
export async function openFastLink({ params }: Widget): Promise<string> {
  const { url = '', token = '', ...more } = params
  const extra = new URLSearchParams(more)
  const form = new URLSearchParams({ accessToken: token, extraParams: extra.toString() })
  return await (await fetch(url, { method: 'POST', body: form })).text()
}

/** Posts a form of the frame's page. */
export async function submit(harness: Harness, html: string, fields: Record<string, string>): Promise<string> {
  const [, action] = /action="(\/fastlink\/[\w-]+)"/.exec(html) ?? []
  if (action === undefined) throw new Error('the page has no form')
  return await (await fetch(`${harness.url}${action}`, { method: 'POST', body: new URLSearchParams(fields) })).text()
}

export const GOOD_LOGIN = { username: 'elodie', password: 'site16441.1' }

/** The owner's steps at a bank that was selected before; returns the fields that the glue script sends. */
export async function walkFastLink(
  harness: Harness,
  widget: Widget,
  login: Record<string, string> = GOOD_LOGIN,
): Promise<Record<string, string>> {
  const done = await submit(harness, await openFastLink(widget), login)
  const [, id] = /"providerAccountId":(\d+)/.exec(done) ?? []
  return id === undefined ? {} : { providerAccountIds: id }
}

export async function link(harness: Harness, wish: Partial<LinkRequest> = {}): Promise<Grant> {
  const { widget, memo } = await startWidget(harness, wish)
  const [grant] = await completeLink(harness, memo, await walkFastLink(harness, widget))
  if (!grant) throw new Error('no grant')
  return grant
}

/** Yodlee's id of the provider account. */
export function idOf({ credentials }: Grant): number {
  return Number(Object(credentials.secret).providerAccountId)
}

export const run = runnerOf('yodlee')
