import type { ConnectorDescription } from '../contract/contract.ts'

/**
 * Odoo, online or self-hosted: JSON-2 from version 19 on, JSON-RPC for 12 to 18, with a user's API key. Quirks in
 * README.md.
 */
export const odoo: ConnectorDescription = {
  key: 'odoo',
  name: 'Odoo',
  title: 'Odoo',
  description: {
    'en-CA': 'Chart of accounts and posted journal entries of a company kept in Odoo, online or on your own server.',
    'fr-CA': 'Plan comptable et écritures comptabilisées d’une entreprise tenue dans Odoo, en ligne ou sur votre propre serveur.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts', 'Transactions'],
  link: 'form',
  appKeys: [],
  hosts: {},
  refreshHours: 24,
  load: async () => (await import('./client.ts')).odooConnector,
}
