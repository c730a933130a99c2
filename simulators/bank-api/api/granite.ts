import { jsonReply, type Reply } from '../../kit/http/response.ts'
import { type Account, day } from '../data/customers.ts'
import { type BankCall, type Flavour, findAccount, findCustomer, listMovements, numberIn, pageOf } from './bank.ts'

const CLASSES: Readonly<Record<Account['kind'], string>> = {
  chequing: 'DDA',
  savings: 'SAV',
  term: 'TDA',
  card: 'CRD',
  loan: 'CLN',
  line: 'LOC',
  odd: 'TRU',
}
const STATUSES = { open: 1, dormant: 3, closing: 7, closed: 9, odd: 5 } as const

/** Modelled on Finxact: positions under a party, minor units, rates in basis points, links to the next page. */
export const granite: Flavour = {
  key: 'bank-api-granite',
  apiPath: '/core',
  tokenPath: '/auth/token',
  discovery: true,
  headers: { 'x-organization': 'granite' },
  throttled: jsonReply(429, { errCode: 'rate' }),
  answer(call) {
    const { path } = call
    const party = findCustomer(/^\/model\/v1\/parties\/(\d+)(?:\/positions)?$/.exec(path)?.[1] ?? '')
    if (party && path.endsWith('/positions')) return paged(call, party.accounts.map(present))
    if (party) return jsonReply(200, { _Id: party.id, name: party.name, accessCode: party.code })
    const account = findAccount(/^\/model\/v1\/positions\/([^/]+)\/trns$/.exec(path)?.[1] ?? '')
    return account ? paged(call, entries(call, account)) : jsonReply(404, { errCode: 'notfound' })
  },
}

function present(account: Account): object {
  const { id, number, name, kind, status, currency, balance, rate, limit, dueOn, due, maturesOn } = account
  return {
    _Id: id,
    acctNbr: number,
    acctTitle: name,
    prodName: CLASSES[kind],
    acctGroup: { status: STATUSES[status] },
    posn: {
      assetClass: CLASSES[kind],
      ccyCode: currency,
      bal: balance,
      prin: kind === 'loan' || kind === 'line' ? -balance : null,
      rateBps: rate ?? null,
      limit: limit ?? null,
      avail: limit === undefined ? null : limit - balance,
      nextDue: dueOn ?? null,
      dueAmt: due ?? null,
      matDtm: maturesOn ? day(maturesOn).replaceAll('-', '') : null,
    },
  }
}

function entries(call: BankCall, account: Account): object[] {
  return listMovements(call, account, new Date(0)).map((movement) => ({
    trnId: movement.shownId,
    posnId: account.id,
    acctgDate: movement.at.toISOString().slice(0, 10).replaceAll('-', ''),
    trnAmt: Number(movement.amount.replace(/[-.]/g, '')),
    isDr: movement.amount.startsWith('-'),
    ccyCode: account.currency,
    comment: movement.memo,
    cpty: movement.displayName,
    trnCode: movement.category,
    hold: movement.isPending,
  }))
}

function paged(call: BankCall, all: readonly object[]): Reply {
  const size = numberIn(call.query, 'limit', 25)
  const { rows, end } = pageOf(call, all, { start: numberIn(call.query, 'after', 0), size })
  const next = `${call.path}?limit=${size}&after=${end}`
  const host = call.faults.take('otherHost') ? 'https://elsewhere.example' : call.base
  return jsonReply(200, { data: rows, links: { next: end < all.length ? `${host}${next}` : null } })
}
