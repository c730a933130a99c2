import type { ConnectorDescription } from '../contract/contract.ts'
import { MINUTE_MS } from '../contract/limits.ts'

/**
 * Microsoft Dynamics 365 Business Central online, API v2.0: the chart of accounts and the general ledger entries of one
 * company per connection. Sign-in at Microsoft Entra with the operator's own app; 6,000 calls in five minutes and user
 * (README.md).
 */
export const businessCentral: ConnectorDescription = {
  key: 'business-central',
  name: 'Dynamics 365 Business Central',
  title: 'Microsoft Dynamics 365 Business Central',
  description: {
    'en-CA':
      'Chart of accounts and general ledger entries of a Business Central company. The owner signs in with the Microsoft work account.',
    'fr-CA':
      'Plan comptable et écritures du grand livre d’une entreprise Business Central. Le propriétaire se connecte avec son compte Microsoft professionnel.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts', 'Transactions'],
  link: 'redirect',
  appKeys: ['clientId', 'clientSecret'],
  hosts: {
    login: 'https://login.microsoftonline.com',
    api: 'https://api.businesscentral.dynamics.com',
  },
  // Limits per user.
  // Source: https://learn.microsoft.com/dynamics365/business-central/dev-itpro/api-reference/v2.0/dynamics-current-limits (for a user)
  limits: [
    { name: 'concurrent', scope: 'entity', hosts: ['api'], concurrent: 5 },
    { name: 'fiveMinutes', scope: 'entity', hosts: ['api'], calls: 6_000, perMs: 5 * MINUTE_MS },
  ],
  refreshHours: 24,
  idleDays: 90,
  load: async () => (await import('./client.ts')).businessCentralConnector,
}
