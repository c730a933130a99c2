import type { ConnectorDescription } from '../contract/contract.ts'
import { MINUTE_MS } from '../contract/limits.ts'

/**
 * Wave: the chart of accounts of one business per connection, by GraphQL. OAuth 2 with the operator's own app; the
 * business must pay for Wave Pro or be kept by a Wave Advisor. There are no transactions to read (README.md).
 */
export const wave: ConnectorDescription = {
  key: 'wave',
  name: 'Wave',
  title: 'Wave Accounting',
  description: {
    'en-CA': 'Chart of accounts of a Wave business on a Pro plan. The owner signs in at Wave and picks the business.',
    'fr-CA': 'Plan comptable d’une entreprise Wave abonnée au forfait Pro. Le propriétaire se connecte chez Wave et choisit l’entreprise.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts'],
  link: 'redirect',
  appKeys: ['clientId', 'clientSecret'],
  hosts: { oauth: 'https://api.waveapps.com', api: 'https://gql.waveapps.com' },
  // Reported by a third party; Wave publishes none.
  limits: [{ name: 'minute', scope: 'entity', hosts: ['api'], calls: 100, perMs: MINUTE_MS }],
  refreshHours: 24,
  load: async () => (await import('./client.ts')).waveConnector,
}
