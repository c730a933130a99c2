import type { ConnectorDescription } from '../contract/contract.ts'

/**
 * Tryton, a self-hosted accounting system: JSON-RPC with a user's password, versions 6.0 and later. Quirks in
 * README.md.
 */
export const tryton: ConnectorDescription = {
  key: 'tryton',
  name: 'Tryton',
  title: 'Tryton',
  description: {
    'en-CA': 'Chart of accounts and posted journal entries of a company kept in Tryton.',
    'fr-CA': 'Plan comptable et écritures comptabilisées d’une entreprise tenue dans Tryton.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts', 'Transactions'],
  link: 'form',
  appKeys: [],
  hosts: {},
  refreshHours: 24,
  load: async () => (await import('./client.ts')).trytonConnector,
}
