import type { ConnectorDescription } from '../contract/contract.ts'

/** hledger, plain-text accounting, through the JSON of its own web server `hledger-web`. Quirks in README.md. */
export const hledger: ConnectorDescription = {
  key: 'hledger',
  name: 'hledger',
  title: 'hledger',
  description: {
    'en-CA': 'Accounts and journal entries of a plain-text journal, served by hledger-web.',
    'fr-CA': 'Comptes et écritures d’un journal en texte brut, servis par hledger-web.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts', 'Transactions'],
  link: 'form',
  appKeys: [],
  hosts: {},
  refreshHours: 24,
  load: async () => (await import('./client.ts')).hledgerConnector,
}
