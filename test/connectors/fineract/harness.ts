import { createFineractSimulator, type FineractSimulatorOptions } from '../../../simulators/fineract/index.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'

export const BASIC = { tenant: 'default', clientId: '1', user: 'lecture', password: 'sandbox-password-lecture' }
/** Secrets that no error may contain. */
export const CANARY = /sandbox-(password|oauth|token)/

export const openHarness = connectorHarness('fineract', {
  create: (settings: Settings<FineractSimulatorOptions>, given) => createFineractSimulator({ giantMovements: 1200, ...settings, ...given }),
  answer: BASIC,
})

export type Harness = Awaited<ReturnType<typeof openHarness>>

/** Form values of an owner where Keycloak is in front of Fineract. */
export function oauthOf({ url }: Pick<Harness, 'url'>) {
  return {
    tokenAddress: `${url}/realms/fineract/protocol/openid-connect/token`,
    oauthClient: 'community-app',
    oauthSecret: 'sandbox-oauth-secret',
  }
}
