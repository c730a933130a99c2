import type { ConnectorDescription } from '../contract/contract.ts'

/**
 * FreshBooks: the chart of accounts of one business per connection. OAuth 2 with the operator's own app; the whole
 * chart is in one response and changes cannot be queried, so every run lists it again. No journal lines: see README.md.
 */
export const freshbooks: ConnectorDescription = {
  key: 'freshbooks',
  name: 'FreshBooks',
  title: 'FreshBooks',
  description: {
    'en-CA': 'Chart of accounts of a FreshBooks business. The owner signs in at FreshBooks and allows the reading.',
    'fr-CA': 'Plan comptable d’une entreprise FreshBooks. Le propriétaire se connecte chez FreshBooks et autorise la lecture.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts'],
  link: 'redirect',
  appKeys: ['clientId', 'clientSecret'],
  hosts: {
    authorize: 'https://auth.freshbooks.com',
    api: 'https://api.freshbooks.com',
  },
  refreshHours: 24,
  load: async () => (await import('./client.ts')).freshbooksConnector,
}
