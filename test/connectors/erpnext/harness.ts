import { createErpnextSimulator, type ErpnextSimulatorOptions } from '../../../simulators/erpnext/index.ts'
import { connectorHarness, type Settings } from '../../harness/connector.ts'

export const ATELIER = 'AB'
export const OUTFITTERS = 'PO'
export const GIANT = 'GH'
export const MARIE = { apiKey: '7f3a91c4e2b05d1', apiSecret: 'sandbox-secret-marie', company: 'AB' }
export const NOOR = { apiKey: '2c80d5e9a4471b3', apiSecret: 'sandbox-secret-noor', company: '' }
export const SHOP = { apiKey: '91b7c3d2e6f0a58', apiSecret: 'sandbox-secret-shop', company: '' }
export const NEWCOMER = { apiKey: 'a05be1440c9d7f2', apiSecret: 'sandbox-secret-new', company: '' }
export const LOAD = { apiKey: '5d0e77aa10b2c34', apiSecret: 'sandbox-secret-load', company: '' }
/** Secrets that no error may contain. */
export const CANARY = /sandbox-secret|7f3a91c4e2b05d1|91b7c3d2e6f0a58/

export const openHarness = connectorHarness('erpnext', {
  create: (settings: Settings<ErpnextSimulatorOptions>, given) => createErpnextSimulator({ ...settings, ...given }),
  answer: MARIE,
})

export type Harness = Awaited<ReturnType<typeof openHarness>>
