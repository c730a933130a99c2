import type { ConnectorDescription } from '../contract.ts'

/** Plaid, API version 2020-09-14. Access tokens do not expire; quirks in README.md. */
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
  refreshHours: 24,
  load: async () => (await import('./client.ts')).plaidConnector,
}
