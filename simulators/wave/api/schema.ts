import type { Row } from '../../kit/data/edited-list.ts'
import type { Faults } from '../../kit/faults.ts'
import { SUBTYPES, toCurrency } from '../data/chart.ts'
import type { Business, Login } from '../data/companies.ts'
import type { Ledger } from '../data/ledger.ts'
import type { FaultName } from '../faults.ts'
import { FieldError, type FieldType, type Schema } from './graphql-execution.ts'
import { toDriftedRows } from './schema-drift.ts'

export interface Viewer {
  login: Login
  /** Businesses that the token grants access to. */
  businesses: readonly Business[]
  ledger: Ledger
  faults: Faults<FaultName>
}

const PAGE_ARGUMENTS = { page: 'Int', pageSize: 'Int' }

/**
 * The part of Wave's schema that is needed to read accounts, for one viewer.
 * Source: https://developer.waveapps.com/hc/en-us/articles/360019968212-API-Reference
 */
export function schemaFor(viewer: Viewer): Schema {
  return {
    Query: {
      user: { type: 'User', resolve: () => toUser(viewer.login) },
      business: { type: 'Business', arguments: { id: 'ID!' }, resolve: (_, given) => findBusiness(viewer, given.id) },
      businesses: {
        type: 'BusinessConnection!',
        arguments: PAGE_ARGUMENTS,
        resolve: (_, given) => toConnection(viewer.faults.take('noBusiness') ? [] : viewer.businesses.map(toBusinessNode), given),
      },
      accountTypes: {
        type: '[AccountType!]!',
        resolve: () => [...new Set(SUBTYPES.map(({ type }) => type))].map((value) => ({ value, name: value })),
      },
      accountSubtypes: { type: '[AccountSubtype!]!', resolve: () => SUBTYPES.map(({ value }) => ({ value, name: value })) },
    },
    User: scalars('id firstName lastName defaultEmail createdAt modifiedAt'),
    Business: {
      ...scalars('id name isPersonal isArchived isClassicAccounting timezone'),
      currency: { type: 'Currency!' },
      accounts: {
        type: 'AccountConnection!',
        arguments: { ...PAGE_ARGUMENTS, types: '[AccountTypeValue!]', subtypes: '[AccountSubtypeValue!]', isArchived: 'Boolean' },
        resolve: (business, given) => listAccounts(viewer, String(business.id), given),
      },
    },
    BusinessConnection: { pageInfo: { type: 'OffsetPageInfo!' }, edges: { type: '[BusinessEdge!]!' } },
    BusinessEdge: { node: { type: 'Business' } },
    AccountConnection: { pageInfo: { type: 'OffsetPageInfo!' }, edges: { type: '[AccountEdge!]!' } },
    AccountEdge: { node: { type: 'Account' } },
    OffsetPageInfo: scalars('currentPage totalPages totalCount'),
    Account: {
      ...scalars('id classicId name description displayId normalBalanceType isArchived sequence balance balanceInBusinessCurrency'),
      currency: { type: 'Currency!' },
      type: { type: 'AccountType!' },
      subtype: { type: 'AccountSubtype!' },
    },
    AccountType: scalars('name value normalBalanceType'),
    AccountSubtype: scalars('name value'),
    Currency: scalars('code symbol name plural exponent'),
  }
}

function scalars(names: string): Record<string, FieldType> {
  return Object.fromEntries(names.split(' ').map((name) => [name, { type: 'Scalar' }]))
}

function toUser({ key, person, email }: Login): object {
  const [firstName, ...rest] = person.split(' ')
  return { id: Buffer.from(`User:${key}`).toString('base64'), firstName, lastName: rest.join(' '), defaultEmail: email }
}

function toBusinessNode(business: Business): Row {
  const { id, name, isArchived } = business
  return {
    id,
    name,
    isArchived,
    isPersonal: false,
    isClassicAccounting: false,
    timezone: 'America/Toronto',
    currency: toCurrency(business.currency),
  }
}

function findBusiness(viewer: Viewer, id: unknown): Row {
  const business = viewer.businesses.find((each) => each.id === id)
  if (!business || viewer.faults.take('closed')) throw new FieldError('NOT_FOUND', `Business '${id}' could not be found.`)
  return toBusinessNode(business)
}

function listAccounts(viewer: Viewer, businessId: string, given: Row): object {
  const { faults } = viewer
  const accounts = viewer.ledger.accountsOf(businessId).rows.filter((account) => isAsked(account, given))
  const page = Number(given.page ?? 1)
  const repeats = page > 1 && faults.take('repeatPage')
  const connection = toConnection(accounts, repeats ? { ...given, page: page - 1 } : given)
  connection.pageInfo.currentPage = page
  let nodes = connection.edges.map(({ node }) => node)
  if (nodes.length > 0 && faults.take('lostPage')) nodes = []
  if (nodes.length > 0 && faults.take('duplicateIds')) nodes = [...nodes, ...nodes.slice(0, 3)]
  if (nodes.length > 0 && faults.take('schemaDrift')) nodes = toDriftedRows(nodes)
  return { ...connection, edges: nodes.map((node) => ({ node })) }
}

/** Archived accounts are omitted unless requested: the stricter of the two documented behaviors. */
function isAsked(account: Row, given: Row): boolean {
  const type = Object(account.type).value
  const subtype = Object(account.subtype).value
  if (account.isArchived !== (given.isArchived === true)) return false
  return (!Array.isArray(given.types) || given.types.includes(type)) && (!Array.isArray(given.subtypes) || given.subtypes.includes(subtype))
}

const MOST_ROWS = 200

function toConnection(rows: readonly Row[], given: Row) {
  const page = Number(given.page ?? 1)
  const pageSize = Number(given.pageSize ?? 10)
  if (!Number.isInteger(page) || page < 1 || !Number.isInteger(pageSize) || pageSize < 1 || pageSize > MOST_ROWS) {
    throw new FieldError('BAD_USER_INPUT', 'page and pageSize must be positive, and pageSize at most 200.')
  }
  return {
    pageInfo: { currentPage: page, totalPages: Math.ceil(rows.length / pageSize), totalCount: rows.length },
    edges: rows.slice((page - 1) * pageSize, page * pageSize).map((node) => ({ node })),
  }
}
