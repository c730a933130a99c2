import { CAISSE } from '../../../simulators/mx/data/institutions.ts'
import { createMxSimulator, type MxSimulatorOptions } from '../../../simulators/mx/index.ts'
import type { Widget } from '../../../src/connectors/contract/authorization.ts'
import type { Grant } from '../../../src/connectors/contract/contract.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'
import { runnerOf } from '../../harness/connector-calls.ts'
import { completeLink, type LinkRequest, startWidget } from '../../harness/redirect.ts'

export const CLIENT_ID = 'client-canary-5521'
export const API_KEY = 'apikey-canary-9034'
export const COMPANY = '3e8d4a6e-9f5c-4b3a-8f43-1d2c3b4a5968'
const KEYS = { clientId: CLIENT_ID, apiKey: API_KEY }

export const openHarness = connectorHarness('mx', {
  create: (settings: Settings<MxSimulatorOptions>, given) => createMxSimulator({ keys: KEYS, institutionCount: 40, ...settings, ...given }),
  app: KEYS,
  request: { institutionId: CAISSE, companyId: COMPANY, webhookUrl: 'http://127.0.0.1:1/hooks/mx/secret' },
  startMs: Date.UTC(2026, 10, 20, 15, 30),
  moveSimulator: (simulator) => simulator.moveClock(0),
})

export type Harness = Awaited<ReturnType<typeof openHarness>>

/** Returns the page of the frame after a form was submitted. */
export async function submit(url: string, fields: Record<string, string>): Promise<string> {
  return await (await fetch(url, { method: 'POST', body: new URLSearchParams(fields) })).text()
}

/**
 * The owner's steps through the widget at a bank that was selected before; returns the message posted to the embedding
 * page.
 */
export async function walkWidget({ params }: Widget, password = 'any'): Promise<Record<string, string>> {
  const url = params.url ?? ''
  await fetch(url)
  return messageIn(await submit(url, { username: 'mxuser', password }))
}

export function messageIn(html: string): Record<string, string> {
  const [, text] = /postMessage\((.+), '\*'\)/.exec(html) ?? []
  return text === undefined ? {} : JSON.parse(text).metadata
}

export async function link(harness: Harness, wish: Partial<LinkRequest> = {}): Promise<Grant> {
  const { widget, memo } = await startWidget(harness, wish)
  const { member_guid = '' } = await walkWidget(widget)
  const [grant] = await completeLink(harness, memo, { member_guid })
  if (!grant) throw new Error('no grant')
  return grant
}

export const run = runnerOf('mx')
