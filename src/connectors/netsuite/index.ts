import type { ConnectorDescription } from '../contract/contract.ts'

/**
 * Oracle NetSuite by SuiteQL: the chart of accounts and all posted transactions of one NetSuite account per connection.
 * OAuth 2 with PKCE and the operator's integration record; a handful of requests at a time for each account
 * (README.md).
 */
export const netsuite: ConnectorDescription = {
  key: 'netsuite',
  name: 'NetSuite',
  title: 'Oracle NetSuite',
  description: {
    'en-CA':
      'Chart of accounts and posted transactions of a NetSuite account. The owner signs in at NetSuite and chooses the role to read with.',
    'fr-CA':
      'Plan comptable et opérations comptabilisées d’un compte NetSuite. Le propriétaire se connecte chez NetSuite et choisit le rôle utilisé pour la lecture.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts', 'Transactions'],
  link: 'redirect',
  // A public client has no secret; `clientSecret` is used where the operator sets it.
  appKeys: ['clientId'],
  optionalAppKeys: ['clientSecret'],
  hosts: {
    /** Sign-in before the owner's NetSuite account is known. */
    authorize: 'https://system.netsuite.com',
    /** `{account}` is replaced by the NetSuite account id as written in host names. */
    accountLogin: 'https://{account}.app.netsuite.com',
    account: 'https://{account}.suitetalk.api.netsuite.com',
  },
  // Limit of the lowest service tier, for everything that calls the account; higher tiers have 15 and more.
  limits: [{ name: 'concurrent', scope: 'entity', concurrent: 5 }],
  refreshHours: 24,
  idleDays: 7,
  load: async () => (await import('./client.ts')).netsuiteConnector,
}
