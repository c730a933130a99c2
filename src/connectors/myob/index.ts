import type { ConnectorDescription } from '../contract/contract.ts'
import { DAY_MS, SECOND_MS } from '../contract/limits.ts'

/**
 * MYOB Business (AccountRight and Essentials in the cloud): the chart of accounts and the whole general ledger of one
 * company file per connection. OAuth 2 with the operator's own app; 8 calls a second and 1,000,000 a day for each key
 * (README.md).
 */
export const myob: ConnectorDescription = {
  key: 'myob',
  name: 'MYOB Business',
  title: 'MYOB Business (AccountRight)',
  description: {
    'en-CA': 'Chart of accounts and journal transactions of a MYOB company file. An administrator signs in at MYOB and picks the business.',
    'fr-CA': 'Plan comptable et écritures de journal d’un dossier MYOB. Un administrateur se connecte chez MYOB et choisit l’entreprise.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts', 'Transactions'],
  link: 'redirect',
  appKeys: ['clientId', 'clientSecret'],
  hosts: { secure: 'https://secure.myob.com', api: 'https://api.myob.com' },
  // Source: https://developer.myob.com/api/myob-business-api/api-overview/error-messages (for each key)
  limits: [
    { name: 'second', scope: 'app', hosts: ['api'], calls: 8, perMs: SECOND_MS },
    { name: 'day', scope: 'app', hosts: ['api'], calls: 1_000_000, perMs: DAY_MS },
  ],
  refreshHours: 24,
  idleDays: 7,
  load: async () => (await import('./client.ts')).myobConnector,
}
