import type { ConnectorDescription } from '../contract/contract.ts'
import { DAY_MS, MINUTE_MS } from '../contract/limits.ts'

/**
 * Xero: the chart of accounts of one organisation per connection, and its journals where the app's tier opens them,
 * else its manual journals. OAuth 2 with PKCE and the operator's own app; 60 calls a minute and organisation; the
 * egress is metered by Xero (README.md).
 */
export const xero: ConnectorDescription = {
  key: 'xero',
  name: 'Xero',
  title: 'Xero',
  description: {
    'en-CA': 'Chart of accounts and journals of a Xero organisation. The owner signs in at Xero and picks the organisation.',
    'fr-CA': 'Plan comptable et écritures d’une organisation Xero. Le propriétaire se connecte chez Xero et choisit l’organisation.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts', 'Transactions'],
  link: 'redirect',
  appKeys: ['clientId', 'clientSecret'],
  optionalAppKeys: ['journals', 'webhookKey'],
  appKeyTexts: {
    journals: {
      label: { en: 'Journals', 'fr-CA': 'Journaux' },
      hint: {
        en: '“yes” where the tier of the app has the Journals endpoint.',
        'fr-CA': '« yes » si le forfait de l’application comprend les journaux.',
      },
      isPublic: true,
    },
  },
  hosts: {
    authorize: 'https://login.xero.com',
    token: 'https://identity.xero.com',
    api: 'https://api.xero.com',
  },
  // Source: https://developer.xero.com/documentation/guides/oauth2/limits/ (an app of the Starter tier has 1,000 a day)
  limits: [
    { name: 'concurrent', scope: 'entity', hosts: ['api'], concurrent: 5 },
    { name: 'minute', scope: 'entity', hosts: ['api'], calls: 60, perMs: MINUTE_MS },
    { name: 'day', scope: 'entity', hosts: ['api'], calls: 5_000, perMs: DAY_MS },
    { name: 'appMinute', scope: 'app', hosts: ['api'], calls: 10_000, perMs: MINUTE_MS },
  ],
  refreshHours: 24,
  idleDays: 60,
  load: async () => (await import('./client.ts')).xeroConnector,
}
