import type { ConnectorDescription } from '../contract/contract.ts'

/**
 * Envestnet Yodlee, core API 1.1 with FastLink 4. Tokens expire after 30 minutes and are requested again; quirks:
 * README.md.
 */
export const yodlee: ConnectorDescription = {
  key: 'yodlee',
  name: 'Yodlee',
  title: 'Yodlee',
  description: {
    'en-CA': 'Bank, card, loan, investment and insurance accounts at thousands of institutions in the United States and Canada.',
    'fr-CA': 'Comptes bancaires, cartes, prêts, placements et assurances de milliers d’institutions aux États-Unis et au Canada.',
  },
  category: 'Banking',
  route: 'aggregator',
  entities: ['Accounts', 'Transactions'],
  link: 'widget',
  hasInstitutions: true,
  appKeys: ['clientId', 'secret', 'adminLoginName'],
  optionalAppKeys: ['configName'],
  appKeyTexts: {
    adminLoginName: {
      label: { en: 'Login name of the administrator', 'fr-CA': 'Nom de connexion de l’administrateur' },
      isPublic: true,
    },
    configName: {
      label: { en: 'FastLink configuration', 'fr-CA': 'Configuration FastLink' },
      hint: { en: '“Aggregation” when left out.', 'fr-CA': '« Aggregation » par défaut.' },
      isPublic: true,
    },
  },
  hosts: {
    api: 'https://production.api.yodlee.com/ysl',
    fastlink: 'https://fl4.prod.yodlee.com/authenticate/restserver/fastlink',
    script: 'https://cdn.yodlee.com/fastlink/v4',
  },
  unsignedWebhooks: true,
  refreshHours: 24,
  load: async () => (await import('./client.ts')).yodleeConnector,
}
