import type { Grant } from '../../src/connectors/contract/contract.ts'
import { connect as connectFreshbooks, setStage as setFreshbooks } from '../connectors/freshbooks/stage.ts'
import { connect as connectXero, DENTIST, SECRET, setStage as setXero } from '../connectors/xero/stage.ts'
import { type Gate, openGate } from './gate.ts'
import { APP, type Glewlwyd, hasGlewlwyd, startGlewlwyd } from './glewlwyd.ts'
import { openScene, type Place, type Scene } from './scene.ts'

/**
 * Identity providers, each behind a gate: `xero` takes the token before for half an hour, `freshbooks` takes each token once, `glewlwyd` (a
 * real one, where it is asked for and installed) ends the whole family of a token that comes twice.
 */
export type ProviderKey = 'xero' | 'freshbooks' | 'glewlwyd'

export interface Street {
  scene: Scene
  xero: Awaited<ReturnType<typeof setXero>>
  freshbooks: Awaited<ReturnType<typeof setFreshbooks>>
  glewlwyd: Glewlwyd | null
  gate(key: ProviderKey): Gate
  /** An owner authorizes; gives the connection. */
  authorize(key: ProviderKey): Promise<Place>
  /** For everybody. */
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openStreet(options: { withGlewlwyd?: boolean } = {}): Promise<Street> {
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

async function build(closers: (() => Promise<unknown>)[], withGlewlwyd: boolean): Promise<Omit<Street, 'close'>> {
  const xero = await setXero()
  closers.push(xero.close)
  const freshbooks = await setFreshbooks()
  closers.push(freshbooks.close)
  const glewlwyd = withGlewlwyd ? await startGlewlwyd() : null
  if (glewlwyd) closers.push(glewlwyd.stop)
  const gates = {
    xero: await openGate(xero.url),
    freshbooks: await openGate(freshbooks.url),
    glewlwyd: await openGate(glewlwyd?.url ?? ''),
  }
  for (const gate of Object.values(gates)) closers.push(gate.close)
  const app = { clientId: 'app', clientSecret: SECRET }
  const scene = await openScene({
    xero: { app, hosts: { token: gates.xero.url, api: xero.url } },
    freshbooks: { app, hosts: { api: gates.freshbooks.url } },
    glewlwyd: { app: APP, hosts: { token: gates.glewlwyd.url } },
  })
  closers.push(scene.close)

  async function grant(key: ProviderKey): Promise<Pick<Grant, 'credentials' | 'entity'>> {
    if (key === 'xero') return await connectXero(xero, DENTIST)
    if (key === 'freshbooks') return await connectFreshbooks(freshbooks)
    if (!glewlwyd) throw new Error('Glewlwyd is not there')
    return { credentials: await glewlwyd.authorize(scene.now()), entity: { id: 'books', name: 'Books' } }
  }

  return {
    scene,
    xero,
    freshbooks,
    glewlwyd,
    gate: (key) => gates[key],
    authorize: async (key) => await scene.connect(key, await grant(key)),
    moveTime: (ms) => {
      for (const each of [scene, xero, freshbooks]) each.moveTime(ms)
    },
  }
}
