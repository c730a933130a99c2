import type { ConnectorDescription } from '../contract/contract.ts'

/**
 * ERPNext, self-hosted or on Frappe Cloud: Frappe's REST API with a user's API key and secret, version 13 or later.
 * Quirks: README.md.
 */
export const erpnext: ConnectorDescription = {
  key: 'erpnext',
  name: 'ERPNext',
  title: 'ERPNext',
  description: {
    'en-CA': 'Chart of accounts and general ledger entries of a company kept in ERPNext.',
    'fr-CA': 'Plan comptable et écritures du grand livre d’une entreprise tenue dans ERPNext.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts', 'Transactions'],
  link: 'form',
  appKeys: [],
  hosts: {},
  refreshHours: 24,
  load: async () => (await import('./client.ts')).erpnextConnector,
}
