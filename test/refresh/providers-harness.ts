import type { Grant } from '../../src/connectors/contract/contract.ts'
import { openHarness as setFreshbooks } from '../connectors/freshbooks/harness.ts'
import { openHarness as setXero } from '../connectors/xero/harness.ts'
import { SECRET } from '../harness/connector.ts'
import { connect } from '../harness/redirect.ts'
import { APP, type Glewlwyd, hasGlewlwyd, startGlewlwyd } from './glewlwyd.ts'
import { type ConnectionKey, openRefreshHarness, type RefreshHarness } from './harness.ts'
import { type HoldingProxy, openHoldingProxy } from './holding-proxy.ts'

/**
 * Identity providers, each behind a proxy: `xero` accepts the previous token for half an hour, `freshbooks` accepts
 * each token once, `glewlwyd` (a real one, if requested and installed) ends the whole family of a token that is used
 * twice.
 */
export type ProviderKey = 'xero' | 'freshbooks' | 'glewlwyd'

export interface ProvidersHarness {
  refreshHarness: RefreshHarness
  xero: Awaited<ReturnType<typeof setXero>>
  freshbooks: Awaited<ReturnType<typeof setFreshbooks>>
  glewlwyd: Glewlwyd | null
  proxyOf(key: ProviderKey): HoldingProxy
  /** An owner authorizes; returns the connection. */
  authorize(key: ProviderKey): Promise<ConnectionKey>
  /** Moves the clock of all parts. */
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openProvidersHarness(options: { withGlewlwyd?: boolean } = {}): Promise<ProvidersHarness> {
  const closers: (() => Promise<unknown>)[] = []
  const close = async (): Promise<void> => {
    for (const each of closers.splice(0).reverse()) await each()
  }
  try {
    return { ...(await build(closers, (options.withGlewlwyd ?? false) && hasGlewlwyd)), close }
  } catch (error) {
    await close()
    throw error
  }
}

async function build(closers: (() => Promise<unknown>)[], withGlewlwyd: boolean): Promise<Omit<ProvidersHarness, 'close'>> {
  const xero = await setXero()
  closers.push(xero.close)
  const freshbooks = await setFreshbooks()
  closers.push(freshbooks.close)
  const glewlwyd = withGlewlwyd ? await startGlewlwyd() : null
  if (glewlwyd) closers.push(glewlwyd.stop)
  const gates = {
    xero: await openHoldingProxy(xero.url),
    freshbooks: await openHoldingProxy(freshbooks.url),
    glewlwyd: await openHoldingProxy(glewlwyd?.url ?? ''),
  }
  for (const gate of Object.values(gates)) closers.push(gate.close)
  const app = { clientId: 'app', clientSecret: SECRET }
  const refreshHarness = await openRefreshHarness({
    xero: { app, hosts: { token: gates.xero.url, api: xero.url } },
    freshbooks: { app, hosts: { api: gates.freshbooks.url } },
    glewlwyd: { app: APP, hosts: { token: gates.glewlwyd.url } },
  })
  closers.push(refreshHarness.close)

  async function grant(key: ProviderKey): Promise<Pick<Grant, 'credentials' | 'entity'>> {
    if (key === 'xero') return await connect(xero)
    if (key === 'freshbooks') return await connect(freshbooks)
    if (!glewlwyd) throw new Error('Glewlwyd is not running')
    return { credentials: await glewlwyd.authorize(refreshHarness.now()), entity: { id: 'books', name: 'Books' } }
  }

  return {
    refreshHarness,
    xero,
    freshbooks,
    glewlwyd,
    proxyOf: (key) => gates[key],
    authorize: async (key) => await refreshHarness.connect(key, await grant(key)),
    moveTime: (ms) => {
      for (const each of [refreshHarness, xero, freshbooks]) each.moveTime(ms)
    },
  }
}
