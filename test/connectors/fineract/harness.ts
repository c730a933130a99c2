import { createFineractSimulator, type FineractSimulator, type FineractSimulatorOptions } from '../../../simulators/fineract/index.ts'
import { serveSimulator } from '../../../simulators/simulator.ts'
import type { Grant, Kit } from '../../../src/connectors/contract/contract.ts'
import { fineractConnector } from '../../../src/connectors/fineract/client.ts'
import { createKit } from '../../../src/connectors/toolkit/kit.ts'
import { createEgress } from '../../../src/egress/egress.ts'

export const BASIC = { tenant: 'default', clientId: '1', user: 'lecture', password: 'sandbox-password-lecture' }
/** What no error may show. */
export const CANARY = /sandbox-(password|oauth|token)/

/** The connector's kit and its simulator, by one clock that stands still unless it is moved. */
export interface Harness {
  simulator: FineractSimulator
  url: string
  kit: Kit
  moveTime(ms: number): void
  close(): Promise<void>
}

export async function openHarness(options: Omit<FineractSimulatorOptions, 'baseUrl'> = {}): Promise<Harness> {
  const { stateFile, ...rest } = options
  let at = Date.UTC(2026, 6, 1, 12)
  const now = () => new Date(at)
  const { url, simulator, close } = await serveSimulator(
    (given) => createFineractSimulator({ giantMovements: 1200, ...rest, ...given, now }),
    stateFile === undefined ? {} : { stateFile },
  )
  const egress = createEgress({ allowPrivate: true })
  return {
    simulator,
    url,
    kit: createKit({ egress, app: {}, hosts: { simulator: url }, now, allowPrivate: true }),
    moveTime: (ms) => {
      at += ms
    },
    close: async () => {
      await close()
      await egress.close()
    },
  }
}

/** What an owner types where Keycloak stands before Fineract. */
export function oauthOf({ url }: Pick<Harness, 'url'>) {
  return {
    tokenAddress: `${url}/realms/fineract/protocol/openid-connect/token`,
    oauthClient: 'community-app',
    oauthSecret: 'sandbox-oauth-secret',
  }
}

/** Fills the form in; `typed` replaces single fields. */
export async function submit(harness: Pick<Harness, 'kit' | 'url'>, typed: Record<string, string> = {}): Promise<Grant> {
  if (fineractConnector.authorize.step !== 'form') throw new Error('Fineract connects by form')
  return await fineractConnector.authorize.submit(harness.kit, { address: harness.url, ...BASIC, ...typed })
}
