import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import { Type } from 'typebox'
import { BANK_ACCOUNT } from '../../../model/records/bank-account.ts'
import { completeDocument } from '../../../model/records/later-fields.ts'
import { toPlainTimestamp } from '../../../model/values/timestamps.ts'
import { findCompany } from '../../../store/connections/companies.ts'
import { recordColumns } from '../../../store/records/record-columns.ts'
import { type CompanyAccountView, type CurrencyTotal, readCompanyAccounts, totalsOf } from '../../../sync/accounts/company-accounts.ts'
import { groupByBank, type HeldBank, listHeldBanks } from '../../../sync/accounts/held-banks.ts'
import { DATA_READ } from '../../access/caller.ts'
import { notFound } from '../../errors/errors.ts'
import { route, routes } from '../../http/route.ts'
import { InstantParameter, readInstant } from '../../lists/instant-parameter.ts'
import { type ListedValue, selectInMemory } from '../../lists/list-in-memory.ts'
import { listQuerySchema, readListQuery } from '../../lists/list-query.ts'
import { listPage } from '../../lists/list-reply.ts'
import { orNull, PlainTimestamp, strict, Uuid } from '../../schemas/schemas.ts'
import { checkAsOf } from '../data/as-of.ts'
import type { RouteDeps } from '../route-deps.ts'
import { presentReason, ReasonShape } from './account-reasons.ts'

const ServiceNames = {
  serviceId: Uuid,
  serviceName: Type.String(),
  parentServiceName: orNull(
    Type.String({ description: 'Through which aggregator the bank is reached; null for a source that is reached itself' }),
  ),
}

const CompanyAccount = strict(
  {
    id: Uuid,
    sessionId: Uuid,
    parentServiceName: ServiceNames.parentServiceName,
    ...BANK_ACCOUNT.document.properties,
    isCounted: Type.Boolean({ description: 'Whether the totals count it: one of the accounts that are the same, and no closed one' }),
    sameAs: Type.Array(
      strict({
        id: Uuid,
        ...ServiceNames,
        reasons: Type.Array(ReasonShape),
      }),
      { description: 'Accounts at other services that are this account; empty when none is known to be' },
    ),
  },
  { title: 'CompanyAccount' },
)

const Total = strict({
  currency: Type.String(),
  accounts: Type.Integer({ description: 'Counted accounts' }),
  withoutBalance: Type.Integer({ description: 'Of these, accounts whose balance no source gives' }),
  assets: Type.Number({ description: 'Exact decimal; overdrawn accounts are negative' }),
  debts: Type.Number({ description: 'Exact decimal; positive when owed: cards, loans, bills' }),
})

const HeldTwice = strict({
  bank: Type.String(),
  connections: Type.Array(strict({ sessionId: Uuid, ...ServiceNames, connectedOn: PlainTimestamp })),
})

const Answer = strict(
  {
    pageNumber: Type.Integer(),
    pageSize: Type.Integer(),
    count: Type.Integer(),
    data: Type.Array(CompanyAccount),
    totals: Type.Array(Total, { description: 'Of all accounts of the company, whatever the filter and the page, by currency' }),
    banksHeldTwice: Type.Array(HeldTwice, { description: 'Banks that several connections of the company reach now' }),
  },
  { title: 'CompanyAccounts' },
)

const FIELDS = recordColumns('Banking', 'Accounts')
const LIST = {
  filter: {
    id: 'uuid',
    sessionId: 'uuid',
    serviceId: 'uuid',
    serviceName: 'string',
    parentServiceName: 'string',
    isCounted: 'boolean',
    sameAccounts: 'number',
    ...Object.fromEntries(Object.entries(FIELDS).map(([name, { type }]) => [name, type])),
  },
  orderBy: ['serviceName', 'id', ...Object.keys(FIELDS)],
} as const

/** Bank accounts of a company over all of its connections. */
export function companyAccountRoutes(deps: RouteDeps): FastifyPluginAsyncTypebox {
  return routes(deps, [listAccountsOfCompanyRoute])
}

const listAccountsOfCompanyRoute = route(
  {
    method: 'GET',
    url: '/normalized-data/companies/:companyId/accounts',
    ...DATA_READ,
    schema: {
      tags: ['Data'],
      summary: 'Bank accounts of a company at all of its services',
      operationId: 'listCompanyAccounts',
      params: strict({ companyId: Uuid }),
      querystring: listQuerySchema(LIST, { asOf: InstantParameter }),
      response: { 200: Answer },
    },
  },
  async ({ database, sync }: RouteDeps, request, reply) => {
    const { instanceId } = request.caller
    const { companyId } = request.params
    const list = readListQuery(request.query, LIST)
    const asOf = readInstant('asOf', request.query.asOf)
    if (!(await findCompany(database, instanceId, companyId))) throw notFound('company')
    const accounts = await readCompanyAccounts(database, { instanceId, companyId }, asOf)
    const held = await listHeldBanks(database, sync.sources, { instanceId, companyId }, asOf === null ? accounts : null)
    const parents = new Map(held.map(({ serviceId, parentName }) => [serviceId, parentName]))
    await checkAsOf(database, asOf)
    const { items, total } = selectInMemory(accounts, list, LIST.filter, (account, name) => readProperty(account, name, parents))
    const { data: _items, ...page } = listPage(reply, list, items, total)
    const names = new Map(accounts.map(({ serviceId, fields }) => [serviceId, fields.get('serviceName') ?? '']))
    // NOTE printed here: the amounts of a document never pass through a double.
    const body = [
      ...Object.entries(page).map(([name, value]) => `"${name}":${value}`),
      `"data":[${items.map((account) => printAccount(account, parents, names)).join(',')}]`,
      `"totals":[${totalsOf(accounts).map(printTotal).join(',')}]`,
      `"banksHeldTwice":${JSON.stringify(groupByBank(held).map(presentHeldTwice))}`,
    ]
    return sendPrinted(reply, `{${body.join(',')}}`)
  },
)

/** JSON text that is not printed again. */
function sendPrinted(reply: FastifyReply, body: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(Buffer.from(body))
}

function readProperty(account: CompanyAccountView, name: string, parents: ReadonlyMap<string, string | null>): ListedValue {
  if (name === 'id') return account.id
  if (name === 'sessionId') return account.connectionId
  if (name === 'serviceId') return account.serviceId
  if (name === 'parentServiceName') return parents.get(account.serviceId) ?? null
  if (name === 'isCounted') return account.isCounted
  if (name === 'sameAccounts') return account.sameAs.length
  const text = account.fields.get(name)
  if (text === undefined) return null
  const type = FIELDS[name]?.type
  if (type === 'number') return Number(text)
  return type === 'date' ? new Date(/(Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`) : text
}

function printAccount(
  account: CompanyAccountView,
  parents: ReadonlyMap<string, string | null>,
  names: ReadonlyMap<string, string>,
): string {
  const { id, connectionId, serviceId, doc, isCounted, sameAs } = account
  const head = JSON.stringify({ id, sessionId: connectionId, parentServiceName: parents.get(serviceId) ?? null })
  const tail = JSON.stringify({
    isCounted,
    sameAs: sameAs.map((same) => ({
      id: same.id,
      serviceId: same.serviceId,
      serviceName: names.get(same.serviceId) ?? '',
      parentServiceName: parents.get(same.serviceId) ?? null,
      reasons: same.reasons.length === 0 ? [presentReason({ code: 'sameAsThird' })] : same.reasons.map(presentReason),
    })),
  })
  return `${head.slice(0, -1)},${completeDocument(BANK_ACCOUNT, doc).slice(1, -1)},${tail.slice(1)}`
}

function printTotal({ currency, accounts, withoutBalance, assets, debts }: CurrencyTotal): string {
  return `{"currency":${JSON.stringify(currency)},"accounts":${accounts},"withoutBalance":${withoutBalance},"assets":${assets},"debts":${debts}}`
}

function presentHeldTwice({ bank, connections }: { bank: string; connections: readonly HeldBank[] }) {
  return {
    bank,
    connections: connections.map(({ connectionId, serviceId, serviceName, parentName, connectedAt }) => ({
      sessionId: connectionId,
      serviceId,
      serviceName,
      parentServiceName: parentName,
      connectedOn: toPlainTimestamp(connectedAt),
    })),
  }
}
