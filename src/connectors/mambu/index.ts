import type { ConnectorDescription } from '../contract/contract.ts'

/** Mambu, API v2 with an API consumer's key. Quirks in README.md. */
export const mambu: ConnectorDescription = {
  key: 'mambu',
  name: 'Mambu',
  title: 'Mambu',
  description: {
    'en-CA': 'Deposit and loan accounts of one client or group of a bank that runs on Mambu.',
    'fr-CA': 'Comptes de dépôt et prêts d’un client ou d’un groupe d’une banque qui fonctionne sur Mambu.',
  },
  category: 'Banking',
  route: 'core',
  entities: ['Accounts', 'Transactions'],
  link: 'form',
  appKeys: [],
  hosts: {},
  refreshHours: 24,
  load: async () => (await import('./client.ts')).mambuConnector,
}
