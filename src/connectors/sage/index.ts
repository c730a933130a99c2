import type { ConnectorDescription } from '../contract/contract.ts'
import { DAY_MS, MINUTE_MS } from '../contract/limits.ts'

/**
 * Sage Accounting (Sage Business Cloud), API v3.1: ledger accounts and journals of one business per connection. OAuth 2
 * with the operator's own app, tokens of five minutes; 100 calls a minute and 2,500 a day for each business
 * (README.md).
 */
export const sage: ConnectorDescription = {
  key: 'sage',
  name: 'Sage Accounting',
  title: 'Sage Accounting',
  description: {
    'en-CA': 'Ledger accounts and journals of a Sage Accounting business. The owner signs in at Sage and allows reading only.',
    'fr-CA':
      'Comptes du grand livre et journaux d’une entreprise Sage Comptabilité. Le propriétaire se connecte chez Sage et n’autorise que la lecture.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts', 'Transactions'],
  link: 'redirect',
  appKeys: ['clientId', 'clientSecret'],
  hosts: {
    authorize: 'https://www.sageone.com',
    token: 'https://oauth.accounting.sage.com',
    api: 'https://api.accounting.sage.com',
  },
  // Reported by third parties; Sage publishes neither.
  limits: [
    { name: 'minute', scope: 'entity', hosts: ['api'], calls: 100, perMs: MINUTE_MS },
    { name: 'day', scope: 'entity', hosts: ['api'], calls: 2_500, perMs: DAY_MS },
  ],
  refreshHours: 24,
  idleDays: 31,
  load: async () => (await import('./client.ts')).sageConnector,
}
