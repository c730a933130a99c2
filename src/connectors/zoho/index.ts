import type { ConnectorDescription } from '../contract/contract.ts'
import { DAY_MS, MINUTE_MS } from '../contract/limits.ts'

const API_HOSTS = ['api', 'apiCa', 'apiEu', 'apiUk', 'apiIn', 'apiAu', 'apiJp', 'apiSa', 'apiCn']

/**
 * Zoho Books: the chart of accounts and the manual journals of one organization per connection, in whichever data
 * centre it lives. OAuth 2 with the operator's own app; 100 calls a minute and organization, 1,000 to 10,000 a day by
 * plan (README.md).
 */
export const zoho: ConnectorDescription = {
  key: 'zoho',
  name: 'Zoho Books',
  title: 'Zoho Books',
  description: {
    'en-CA': 'Chart of accounts and journals of a Zoho Books organization. The owner signs in at Zoho and picks the organization.',
    'fr-CA': 'Plan comptable et écritures d’une organisation Zoho Books. Le propriétaire se connecte chez Zoho et choisit l’organisation.',
  },
  category: 'Accounting',
  route: 'app',
  entities: ['Accounts', 'Transactions'],
  link: 'redirect',
  appKeys: ['clientId', 'clientSecret'],
  hosts: {
    accounts: 'https://accounts.zoho.com',
    api: 'https://www.zohoapis.com',
    accountsCa: 'https://accounts.zohocloud.ca',
    apiCa: 'https://www.zohoapis.ca',
    accountsEu: 'https://accounts.zoho.eu',
    apiEu: 'https://www.zohoapis.eu',
    accountsUk: 'https://accounts.zoho.uk',
    apiUk: 'https://www.zohoapis.uk',
    accountsIn: 'https://accounts.zoho.in',
    apiIn: 'https://www.zohoapis.in',
    accountsAu: 'https://accounts.zoho.com.au',
    apiAu: 'https://www.zohoapis.com.au',
    accountsJp: 'https://accounts.zoho.jp',
    apiJp: 'https://www.zohoapis.jp',
    accountsSa: 'https://accounts.zoho.sa',
    apiSa: 'https://www.zohoapis.sa',
    accountsCn: 'https://accounts.zoho.com.cn',
    apiCn: 'https://www.zohoapis.com.cn',
  },
  // Source: https://www.zoho.com/books/api/v3/introduction/ and
  // https://www.zoho.com/accounts/protocol/oauth/limits.html. The daily limit is that of the largest plan, since Zoho
  // reports a smaller one in its responses; the concurrency limit is that of the free plan.
  limits: [
    { name: 'concurrent', scope: 'entity', hosts: API_HOSTS, concurrent: 5 },
    { name: 'minute', scope: 'entity', hosts: API_HOSTS, calls: 100, perMs: MINUTE_MS },
    { name: 'day', scope: 'entity', hosts: API_HOSTS, calls: 10_000, perMs: DAY_MS },
    { name: 'tokens', scope: 'entity', path: '/oauth/v2/token', calls: 10, perMs: 10 * MINUTE_MS },
  ],
  refreshHours: 24,
  load: async () => (await import('./client.ts')).zohoConnector,
}
