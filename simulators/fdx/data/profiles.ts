/** Protocol of one simulated bank or aggregator; all share the same implementation. */
export interface Style {
  /** The connector's key. */
  key: string
  /** Shown on the pages; aggregators show the requested bank. */
  name: string
  version: 4 | 5 | 6
  currency: 'CAD' | 'USD'
  routes: { authorization: string; token: string; revocation: string; pushed: string }
  client: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'tls_client_auth'
  needsPushed: boolean
  /** Token that authorizes data requests. */
  bearer: 'opaque' | 'id_token' | 'jwt'
  rotates: boolean
  /** Lifetime of an unused refresh token. */
  refreshDays: number
  scopes: readonly string[]
  /** Parameter that names the bank behind an aggregator, and the names of those banks. */
  institutions: { parameter: string; names: Readonly<Record<string, string>> } | null
  /** `{institution}` and `{accountId}` each match one path segment. */
  paths: { accounts: string; details?: string; more?: string; transactions: string }
  /** `key`: `nextPageKey`. `handle`: an opaque `nextOffset`. `number`: a row offset, with a total. */
  paging: 'key' | 'handle' | 'number'
  /** Page size without a limit from the caller, and its maximum. */
  pageSize: number
  /** True if the list omits properties that the details or the additional list return. */
  isListLight: boolean
  /** True for 0.0725 instead of 7.25. */
  isFraction: boolean
}

const OIDC = { authorization: '/auth', token: '/token', revocation: '/revoke', pushed: '/par' }

export const CONFLUENT: Style = {
  key: 'fdx-caisse-du-confluent',
  name: 'Caisse du Confluent',
  version: 6,
  currency: 'CAD',
  routes: OIDC,
  client: 'private_key_jwt',
  needsPushed: true,
  bearer: 'opaque',
  rotates: true,
  refreshDays: 90,
  scopes: ['fdx:accountbasic:read', 'fdx:accountdetailed:read', 'fdx:transactions:read'],
  institutions: null,
  paths: {
    accounts: '/fdx/v6/accounts',
    details: '/fdx/v6/accounts/{accountId}',
    transactions: '/fdx/v6/accounts/{accountId}/transactions',
  },
  paging: 'key',
  pageSize: 100,
  isListLight: false,
  isFraction: false,
}

export const OHIO: Style = {
  ...CONFLUENT,
  key: 'fdx-ohio-valley',
  name: 'Ohio Valley Merchants Bank',
  version: 5,
  currency: 'USD',
  client: 'client_secret_basic',
  needsPushed: false,
  scopes: ['ACCOUNT_BASIC', 'ACCOUNT_DETAILED', 'TRANSACTIONS'],
  refreshDays: 365,
  paths: {
    accounts: '/fdx/v5/accounts',
    details: '/fdx/v5/accounts/{accountId}',
    transactions: '/fdx/v5/accounts/{accountId}/transactions',
  },
  paging: 'number',
  pageSize: 50,
  isListLight: true,
  isFraction: true,
}

/** Source: https://docs.akoya.com */
export const AKOYA: Style = {
  ...OHIO,
  key: 'akoya',
  name: 'Akoya',
  bearer: 'id_token',
  scopes: ['profile'],
  institutions: { parameter: 'connector', names: { mikomo: 'Mikomo Bank', erie: 'Erie Lakeshore Bank' } },
  paths: {
    accounts: '/accounts-info/v2/{institution}',
    more: '/balances/v2/{institution}',
    transactions: '/transactions/v2/{institution}/{accountId}',
  },
  isFraction: false,
}

/** Source: https://docs.flinks.com/api/outbound/endpoints/authorize/token */
export const FLINKS: Style = {
  ...OHIO,
  key: 'flinks-outbound',
  name: 'Flinks Outbound',
  currency: 'CAD',
  routes: { authorization: '/api/v1/authorize', token: '/api/v1/token', revocation: '/none/revoke', pushed: '/none/par' },
  client: 'client_secret_post',
  bearer: 'jwt',
  rotates: false,
  refreshDays: 30,
  scopes: ['accounts'],
  institutions: {
    parameter: 'provider_id',
    names: { 'dp-lac-superieur': 'Caisse du Lac-Supérieur', 'dp-prairie': 'Prairie Commerce Bank' },
  },
  paths: {
    accounts: '/api/fdx/5/accounts',
    details: '/api/fdx/5/accounts/{accountId}',
    transactions: '/api/fdx/5/accounts/{accountId}/transactions',
  },
  paging: 'handle',
  isListLight: false,
  isFraction: false,
}
