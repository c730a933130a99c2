import type { ConnectorDescription, Grant } from '../../src/connectors/contract/contract.ts'

const BOOKS: Grant['entity'][] = [
  { id: 'north', name: 'Café du Nord' },
  { id: 'south', name: 'Café du Sud <i>inc.</i>' },
]

/**
 * A source that redirects the owner straight back and whose login gives access to two sets of books; a reconnect
 * returns both again.
 */
export const sharedLogin: ConnectorDescription = {
  key: 'shared-login',
  name: 'Grands livres partagés',
  title: 'Grands livres partagés',
  description: { 'en-CA': 'Two sets of books for tests.', 'fr-CA': 'Deux comptabilités pour les essais.' },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts'],
  link: 'redirect',
  appKeys: [],
  hosts: {},
  refreshHours: 24,
  load: async () => ({
    authorize: {
      step: 'redirect',
      start: async (_kit, { callbackUrl, state }) => ({ url: `${callbackUrl}?state=${state}` }),
      complete: async () => BOOKS.map((entity) => ({ credentials: { secret: `token of ${entity.id}`, expiresAt: null }, entity })),
    },
    pulls: [],
    entities: { Accounts: { wire: {}, map: { version: 1, fields: {} } } },
  }),
}
