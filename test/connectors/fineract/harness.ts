import { createFineractSimulator, type FineractSimulatorOptions } from '../../../simulators/fineract/index.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'

export const BASIC = { tenant: 'default', clientId: '1', user: 'lecture', password: 'sandbox-password-lecture' }
/** What no error may show. */
export const CANARY = /sandbox-(password|oauth|token)/

export const openHarness = connectorHarness('fineract', {
  create: (settings: Settings<FineractSimulatorOptions>, given) => createFineractSimulator({ giantMovements: 1200, ...settings, ...given }),
  answer: BASIC,
})

export type Harness = Awaited<ReturnType<typeof openHarness>>

/** What an owner types where Keycloak stands before Fineract. */
export function oauthOf({ url }: Pick<Harness, 'url'>) {
  return {
    tokenAddress: `${url}/realms/fineract/protocol/openid-connect/token`,
    oauthClient: 'community-app',
    oauthSecret: 'sandbox-oauth-secret',
  }
}
