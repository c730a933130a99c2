import type { ConnectorDescription } from '../contract/contract.ts'
import { SECOND_MS } from '../contract/limits.ts'

/** Stripe Financial Connections, API version 2026-10-28.endive. Secret key of the operator; quirks: README.md. */
export const stripe: ConnectorDescription = {
  key: 'stripe',
  name: 'Stripe Financial Connections',
  title: 'Stripe Financial Connections',
  description: {
    'en-CA': 'Bank, card and loan accounts at institutions in the United States, linked through Stripe.',
    'fr-CA': 'Comptes bancaires, cartes et prêts d’institutions des États-Unis, reliés par Stripe.',
  },
  category: 'Banking',
  route: 'aggregator',
  entities: ['Accounts', 'Transactions'],
  link: 'widget',
  appKeys: ['secretKey', 'publishableKey'],
  optionalAppKeys: ['webhookSecret'],
  appName: 'publishableKey',
  appKeyTexts: {
    secretKey: {
      label: { en: 'Secret or restricted key', 'fr-CA': 'Clé secrète ou restreinte' },
      hint: {
        en: 'A restricted key needs Customers (write) and Financial Connections (write).',
        'fr-CA': 'Une clé restreinte doit permettre Customers (write) et Financial Connections (write).',
      },
    },
    publishableKey: { label: { en: 'Publishable key', 'fr-CA': 'Clé publiable' }, isPublic: true },
  },
  hosts: { api: 'https://api.stripe.com', js: 'https://js.stripe.com' },
  // Limit for one key in live mode.
  // Source: https://docs.stripe.com/rate-limits
  limits: [{ name: 'second', scope: 'app', hosts: ['api'], calls: 80, perMs: SECOND_MS }],
  refreshHours: 24,
  load: async () => (await import('./client.ts')).stripeConnector,
}
