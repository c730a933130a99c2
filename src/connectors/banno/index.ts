import type { ConnectorDescription } from '../contract/contract.ts'

/**
 * Banno (Jack Henry), Consumer API v0: accounts and transactions of one person's online banking at one bank. OpenID
 * Connect with PKCE; the operator configures the bank's host, and the bank issues the keys (README.md).
 */
export const banno: ConnectorDescription = {
  key: 'banno',
  name: 'Banno',
  title: 'Banno (Jack Henry)',
  description: {
    'en-CA': 'Accounts and transactions at a bank or credit union whose online banking is Banno. The owner signs in at the bank.',
    'fr-CA':
      'Comptes et opérations d’une banque ou d’une caisse dont les services en ligne sont offerts par Banno. Le propriétaire ouvre une session auprès de son institution.',
  },
  category: 'Banking',
  route: 'core',
  entities: ['Accounts', 'Transactions'],
  link: 'redirect',
  appKeys: ['clientId', 'clientSecret'],
  // Public demonstration bank.
  // Source: https://jackhenry.dev/open-api-docs/consumer-api/guides/AccountsAndTransactions/
  hosts: { bank: 'https://digital.garden-fi.com' },
  refreshHours: 24,
  load: async () => (await import('./client.ts')).bannoConnector,
}
