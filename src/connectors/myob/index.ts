import type { ConnectorDescription } from '../contract.ts'

/**
 * MYOB Business (AccountRight and Essentials in the cloud): the chart of accounts and the whole general ledger of one company file per
 * connection. OAuth 2 with the operator's own app; 8 calls a second and 1,000,000 a day for each key (README.md).
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
  refreshHours: 24,
  load: async () => (await import('./client.ts')).myobConnector,
}
