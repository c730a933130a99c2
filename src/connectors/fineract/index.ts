import type { ConnectorDescription } from '../contract/contract.ts'

/** Apache Fineract 1.x and Mifos, self-hosted or as a service: Basic or OAuth 2.0. Quirks: README.md. */
export const fineract: ConnectorDescription = {
  key: 'fineract',
  name: 'Apache Fineract',
  title: 'Apache Fineract',
  description: {
    'en-CA': 'Savings, term deposits and loans of one client of a lender that runs Apache Fineract or Mifos.',
    'fr-CA': 'Comptes d’épargne, dépôts à terme et prêts d’un client d’un prêteur qui utilise Apache Fineract ou Mifos.',
  },
  category: 'Banking',
  route: 'core',
  entities: ['Accounts', 'Transactions'],
  link: 'form',
  appKeys: [],
  hosts: {},
  refreshHours: 24,
  load: async () => (await import('./client.ts')).fineractConnector,
}
