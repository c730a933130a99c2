import type { ConnectorDescription } from '../contract/contract.ts'
import { DAY_MS } from '../contract/limits.ts'

/** SimpleFIN, protocol 1.0: the SimpleFIN Bridge, or the server of a bank. Quirks in README.md. */
export const simplefin: ConnectorDescription = {
  key: 'simplefin',
  name: 'SimpleFIN',
  title: 'SimpleFIN',
  description: {
    'en-CA': 'Accounts and transactions that you share by a SimpleFIN token, at banks in the United States and Canada.',
    'fr-CA': 'Comptes et opérations que vous partagez par un jeton SimpleFIN, dans des banques aux États-Unis et au Canada.',
  },
  category: 'Banking',
  route: 'aggregator',
  entities: ['Accounts', 'Transactions'],
  link: 'form',
  appKeys: [],
  hosts: { bridge: 'https://bridge.simplefin.org' },
  // Limit that the Bridge suggests; it warns at twice and blocks at four times as many.
  // Source: https://github.com/actualbudget/actual/issues/3228
  limits: [{ name: 'daily', scope: 'entity', calls: 24, perMs: DAY_MS }],
  refreshHours: 24,
  load: async () => (await import('./client.ts')).simplefinConnector,
}
