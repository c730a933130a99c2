import type { ConnectorDescription } from '../contract/contract.ts'

/** Teller, API version 2020-10-12. Client certificate and an access token for each enrollment; quirks: README.md. */
export const teller: ConnectorDescription = {
  key: 'teller',
  name: 'Teller',
  title: 'Teller',
  description: {
    'en-CA': 'Deposit and card accounts at institutions in the United States, read through the banks’ own app interfaces.',
    'fr-CA': 'Comptes de dépôt et cartes d’institutions des États-Unis, consultés par les interfaces d’application des banques.',
  },
  category: 'Banking',
  route: 'aggregator',
  entities: ['Accounts', 'Transactions'],
  link: 'widget',
  hasInstitutions: true,
  appKeys: ['applicationId', 'certificate', 'privateKey'],
  optionalAppKeys: ['environment', 'tokenSigningKey', 'webhookSecret'],
  appName: 'applicationId',
  appKeyTexts: {
    applicationId: { label: { en: 'Application ID', 'fr-CA': 'Identifiant de l’application' }, isPublic: true },
    environment: {
      label: { en: 'Environment', 'fr-CA': 'Environnement' },
      hint: {
        en: '“production” when left out, or “development” or “sandbox”.',
        'fr-CA': '« production » par défaut, ou « development » ou « sandbox ».',
      },
      isPublic: true,
    },
    tokenSigningKey: {
      label: { en: 'Token signing key', 'fr-CA': 'Clé de signature des jetons' },
      hint: {
        en: 'Proves that what the browser hands over comes from Teller.',
        'fr-CA': 'Prouve que ce que transmet le navigateur provient de Teller.',
      },
    },
  },
  hosts: { api: 'https://api.teller.io', connect: 'https://cdn.teller.io', site: 'https://teller.io' },
  refreshHours: 24,
  load: async () => (await import('./client.ts')).tellerConnector,
}
