import type { ConnectorDescription } from '../contract/contract.ts'
import { HOUR_MS, MINUTE_MS } from '../contract/limits.ts'

/**
 * FreeAgent: the chart of accounts and every accounting transaction of one company per connection. OAuth 2 with the
 * operator's own app; 120 calls a minute and 3,600 an hour for each person (README.md).
 */
export const freeagent: ConnectorDescription = {
  key: 'freeagent',
  name: 'FreeAgent',
  title: 'FreeAgent',
  description: {
    'en-CA': 'Chart of accounts and accounting transactions of a FreeAgent company. The owner signs in at FreeAgent and allows the access.',
    'fr-CA':
      'Plan comptable et opérations comptables d’une entreprise FreeAgent. Le propriétaire se connecte chez FreeAgent et autorise l’accès.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts', 'Transactions'],
  link: 'redirect',
  appKeys: ['clientId', 'clientSecret'],
  hosts: { api: 'https://api.freeagent.com' },
  // Limits per person.
  // Source: https://dev.freeagent.com/docs/introduction (each counts for a person)
  limits: [
    { name: 'minute', scope: 'entity', calls: 120, perMs: MINUTE_MS },
    { name: 'hour', scope: 'entity', calls: 3_600, perMs: HOUR_MS },
    { name: 'tokens', scope: 'entity', path: '/v2/token_endpoint', calls: 15, perMs: MINUTE_MS },
  ],
  refreshHours: 24,
  load: async () => (await import('./client.ts')).freeagentConnector,
}
