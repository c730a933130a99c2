import type { ConnectorDescription } from '../contract.ts'

/** Finicity, Mastercard Open Finance for the United States, API 1.42. Tokens of the partner live two hours; quirks in README.md. */
export const finicity: ConnectorDescription = {
  key: 'finicity',
  name: 'Finicity',
  title: 'Finicity (Mastercard Open Finance)',
  description: {
    'en-CA': 'Bank, card and loan accounts in the United States, with loan and credit details, through Mastercard Open Finance.',
    'fr-CA':
      'Comptes bancaires, cartes et prêts aux États-Unis, avec le détail des prêts et du crédit, par l’entremise de Mastercard Open Finance.',
  },
  category: 'Banking',
  route: 'aggregator',
  entities: ['Accounts', 'Transactions'],
  link: 'redirect',
  hasInstitutions: true,
  appKeys: ['appKey', 'partnerId', 'partnerSecret'],
  optionalAppKeys: ['customerType', 'applicationId', 'txPush'],
  hosts: { api: 'https://api.finicity.com' },
  // Data Connect signs its webhooks; TxPUSH signs with a key for each subscription, which is told once: its notices count as hints only.
  unsignedWebhooks: true,
  refreshHours: 24,
  load: async () => (await import('./client.ts')).finicityConnector,
}
