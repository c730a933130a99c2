import type { ConnectorDescription } from '../contract/contract.ts'

/** Q2 Helix (formerly CorePro): an API key of the program, for one of its customers. Quirks in README.md. */
export const helix: ConnectorDescription = {
  key: 'helix',
  name: 'Q2 Helix',
  title: 'Q2 Helix',
  description: {
    'en-CA': 'Deposit accounts and transactions of one customer of a banking program that runs on Q2 Helix (United States).',
    'fr-CA': 'Comptes de dépôt et opérations d’un client d’un programme bancaire qui fonctionne sur Q2 Helix (États-Unis).',
  },
  category: 'Banking',
  route: 'core',
  entities: ['Accounts', 'Transactions'],
  link: 'form',
  appKeys: [],
  hosts: {},
  refreshHours: 24,
  load: async () => (await import('./client.ts')).helixConnector,
}
