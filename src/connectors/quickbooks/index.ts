import type { ConnectorDescription } from '../contract.ts'

/**
 * QuickBooks Online by Intuit: the chart of accounts and the manual journal entries of one company per connection.
 * OAuth 2 with the operator's own app; 500 calls a minute and company; reads are metered by Intuit (README.md).
 */
export const quickbooks: ConnectorDescription = {
  key: 'quickbooks',
  name: 'QuickBooks Online',
  title: 'QuickBooks Online',
  description: {
    'en-CA': 'Chart of accounts and journal entries of a QuickBooks Online company. The owner signs in at Intuit and picks the company.',
    'fr-CA':
      'Plan comptable et écritures de journal d’une entreprise QuickBooks en ligne. Le propriétaire se connecte chez Intuit et choisit l’entreprise.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts', 'Transactions'],
  link: 'redirect',
  appKeys: ['clientId', 'clientSecret'],
  hosts: {
    authorize: 'https://appcenter.intuit.com',
    token: 'https://oauth.platform.intuit.com',
    revoke: 'https://developer.api.intuit.com',
    api: 'https://quickbooks.api.intuit.com',
  },
  refreshHours: 24,
  load: async () => (await import('./client.ts')).quickbooksConnector,
}
