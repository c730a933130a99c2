import type { ConnectorDescription } from '../contract/contract.ts'

/**
 * Finicity, Mastercard Open Finance for the United States, API 1.42. Partner tokens expire after two hours; quirks:
 * README.md.
 */
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
  appName: 'partnerId',
  appKeyTexts: {
    appKey: { label: { en: 'App key', 'fr-CA': 'Clé de l’application' } },
    partnerId: { label: { en: 'Partner ID', 'fr-CA': 'Identifiant de partenaire' }, isPublic: true },
    partnerSecret: {
      label: { en: 'Partner secret', 'fr-CA': 'Secret de partenaire' },
      hint: { en: 'Five wrong ones in a row lock the partner.', 'fr-CA': 'Cinq erreurs de suite verrouillent le partenaire.' },
    },
    customerType: {
      label: { en: 'Kind of customers', 'fr-CA': 'Type de clients' },
      hint: {
        en: '“testing” for the test banks; “active” when left out.',
        'fr-CA': '« testing » pour les banques d’essai; « active » par défaut.',
      },
      isPublic: true,
    },
    applicationId: {
      label: { en: 'Application ID', 'fr-CA': 'Identifiant d’application' },
      hint: { en: 'Where the partner has registered several.', 'fr-CA': 'Si le partenaire en a inscrit plusieurs.' },
      isPublic: true,
    },
    txPush: {
      label: { en: 'TxPUSH', 'fr-CA': 'TxPUSH' },
      hint: { en: '“yes” where it is switched on for the partner.', 'fr-CA': '« yes » si cette option est activée pour le partenaire.' },
      isPublic: true,
    },
  },
  hosts: { api: 'https://api.finicity.com' },
  // Data Connect signs its webhooks; TxPUSH signs with a key for each subscription, which is disclosed only once: its
  // notices count as hints only.
  unsignedWebhooks: true,
  refreshHours: 24,
  load: async () => (await import('./client.ts')).finicityConnector,
}
