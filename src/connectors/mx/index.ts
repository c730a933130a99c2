import type { ConnectorDescription } from '../contract/contract.ts'

/**
 * MX Platform API, v20250224. The operator's keys give access to everything, so a connection holds handles only;
 * quirks: README.md.
 */
export const mx: ConnectorDescription = {
  key: 'mx',
  name: 'MX',
  title: 'MX',
  description: {
    'en-CA': 'Bank, card, loan and investment accounts at thousands of institutions in the United States and Canada.',
    'fr-CA': 'Comptes bancaires, cartes, prêts et placements de milliers d’institutions aux États-Unis et au Canada.',
  },
  category: 'Banking',
  route: 'aggregator',
  entities: ['Accounts', 'Transactions'],
  link: 'widget',
  hasInstitutions: true,
  appKeys: ['clientId', 'apiKey'],
  hosts: { api: 'https://api.mx.com' },
  unsignedWebhooks: true,
  refreshHours: 24,
  load: async () => (await import('./client.ts')).mxConnector,
}
