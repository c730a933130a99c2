import type { ConnectorDescription } from '../contract/contract.ts'

/** Flinks, API v3. A login does not expire until it is deleted; quirks: README.md. */
export const flinks: ConnectorDescription = {
  key: 'flinks',
  name: 'Flinks',
  title: 'Flinks',
  description: {
    'en-CA': 'Bank, card and loan accounts at Canadian banks, credit unions and caisses.',
    'fr-CA': 'Comptes bancaires, cartes et prêts des banques, coopératives de crédit et caisses du Canada.',
  },
  category: 'Banking',
  route: 'aggregator',
  entities: ['Accounts', 'Transactions'],
  link: 'redirect',
  hasInstitutions: true,
  appKeys: ['customerId', 'secretKey'],
  optionalAppKeys: ['apiKey', 'webhookKey', 'demo'],
  appName: 'customerId',
  appKeyTexts: {
    customerId: { label: { en: 'Customer ID', 'fr-CA': 'Identifiant client' }, isPublic: true },
    apiKey: {
      label: { en: 'x-api-key', 'fr-CA': 'x-api-key' },
      hint: { en: 'Where your instance of Flinks asks for it on every call.', 'fr-CA': 'Si votre instance Flinks l’exige à chaque appel.' },
    },
    demo: {
      label: { en: 'Demonstration bank', 'fr-CA': 'Banque de démonstration' },
      hint: { en: '“yes” shows Flinks Capital to owners.', 'fr-CA': '« yes » affiche Flinks Capital aux propriétaires.' },
      isPublic: true,
    },
  },
  // The shared sandbox. An operator's own instance has different addresses.
  hosts: { api: 'https://toolbox-api.private.fin.ag', connect: 'https://toolbox-iframe.private.fin.ag' },
  refreshHours: 24,
  load: async () => (await import('./client.ts')).flinksConnector,
}
