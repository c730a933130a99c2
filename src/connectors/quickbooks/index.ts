import type { ConnectorDescription } from '../contract/contract.ts'
import { MINUTE_MS, MONTH_MS } from '../contract/limits.ts'

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
  optionalAppKeys: ['webhookVerifierToken'],
  appKeyTexts: {
    webhookVerifierToken: {
      label: { en: 'Verifier token of webhooks', 'fr-CA': 'Jeton de vérification des webhooks' },
      hint: { en: 'Without it webhooks are refused.', 'fr-CA': 'Sans lui, les webhooks sont refusés.' },
    },
  },
  hosts: {
    authorize: 'https://appcenter.intuit.com',
    token: 'https://oauth.platform.intuit.com',
    revoke: 'https://developer.api.intuit.com',
    api: 'https://quickbooks.api.intuit.com',
  },
  // Source: https://developer.intuit.com/app/developer/qbo/docs/learn/rest-api-features; the month is that of the Builder tier
  limits: [
    { name: 'concurrent', scope: 'entity', hosts: ['api'], concurrent: 10 },
    { name: 'minute', scope: 'entity', hosts: ['api'], calls: 500, perMs: MINUTE_MS },
    { name: 'month', scope: 'app', hosts: ['api'], calls: 500_000, perMs: MONTH_MS },
  ],
  refreshHours: 24,
  idleDays: 100,
  load: async () => (await import('./client.ts')).quickbooksConnector,
}
