import type { ConnectorDescription } from '../contract/contract.ts'
import { MINUTE_MS } from '../contract/limits.ts'

/** Plaid, API version 2020-09-14. Access tokens do not expire; quirks: README.md. */
export const plaid: ConnectorDescription = {
  key: 'plaid',
  name: 'Plaid',
  title: 'Plaid',
  description: {
    'en-CA': 'Bank, card and loan accounts at thousands of institutions in the United States and Canada.',
    'fr-CA': 'Comptes bancaires, cartes et prêts de milliers d’institutions aux États-Unis et au Canada.',
  },
  category: 'Banking',
  route: 'aggregator',
  entities: ['Accounts', 'Transactions'],
  link: 'redirect',
  hasInstitutions: true,
  appKeys: ['clientId', 'secret'],
  hosts: { api: 'https://production.plaid.com' },
  // Limits per item and for the whole client.
  // Source: https://plaid.com/docs/errors/rate-limit-exceeded/
  limits: [
    { name: 'accounts', scope: 'entity', path: '/accounts/get', calls: 15, perMs: MINUTE_MS },
    { name: 'liabilities', scope: 'entity', path: '/liabilities/get', calls: 15, perMs: MINUTE_MS },
    { name: 'item', scope: 'entity', path: '/item/get', calls: 15, perMs: MINUTE_MS },
    { name: 'clientAccounts', scope: 'app', path: '/accounts/get', calls: 15_000, perMs: MINUTE_MS },
    { name: 'clientLiabilities', scope: 'app', path: '/liabilities/get', calls: 1_000, perMs: MINUTE_MS },
    { name: 'clientItem', scope: 'app', path: '/item/get', calls: 5_000, perMs: MINUTE_MS },
    { name: 'institutions', scope: 'app', path: '/institutions/get', calls: 50, perMs: MINUTE_MS },
  ],
  refreshHours: 24,
  load: async () => (await import('./client.ts')).plaidConnector,
}
