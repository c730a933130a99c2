import { createOdooSimulator, type OdooSimulatorOptions } from '../../../simulators/odoo/index.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'

export const BAKERY = 1
export const DENTISTS = 2
export const MARIE = { user: 'marie@tremblay-cpa.example', apiKey: 'sandbox-key-marie-7f3a91c4' }
export const PRIYA = { user: 'priya@bowriverdental.example', apiKey: 'sandbox-key-priya-2c80d5e9' }
export const SALES = { user: 'sales@bowriverdental.example', apiKey: 'sandbox-key-sales-91b7' }
export const LOAD = { user: 'load@giant.example', apiKey: 'sandbox-key-load-5d0e' }
/** Secrets that no error may contain. */
export const CANARY = /sandbox-key/

export const openHarness = connectorHarness('odoo', {
  create: (settings: Settings<OdooSimulatorOptions>, given) => createOdooSimulator({ ...settings, ...given }),
  answer: { database: 'sandbox', company: '', ...MARIE },
})

export type Harness = Awaited<ReturnType<typeof openHarness>>
