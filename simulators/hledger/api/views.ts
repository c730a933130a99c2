import { accountNames, accountTags, withParents } from '../data/chart.ts'
import type { Amount, Entry, Posting } from '../data/journal.ts'

const FILE = 'bleu-fleuve.journal'
/** Line number of the first entry, after the commodities and accounts. */
const FIRST_ENTRY_LINE = 58

type Priced = Pick<Posting, 'amount' | 'cost'>

/** `GET /transactions` in the format of hledger-web 1.25. Source: Hledger.Data.Json, and its recorded answers */
export function toTransactions(entries: readonly Entry[]): object[] {
  let line = FIRST_ENTRY_LINE
  return entries.map((entry, at) => {
    const from = line
    const to = from + entry.postings.length + 1
    line = to + 1
    return {
      tcode: entry.code,
      tcomment: '',
      tdate: entry.date,
      tdate2: null,
      tdescription: entry.description,
      tindex: at + 1,
      tpostings: entry.postings.map((posting) => toPosting(posting, at + 1)),
      tprecedingcomment: '',
      tsourcepos: [from, to].map((sourceLine) => ({ sourceColumn: 1, sourceLine, sourceName: FILE })),
      tstatus: entry.status,
      ttags: [],
    }
  })
}

/**
 * `GET /accounts`: the root, then every account that has postings or descendants with postings, each with its own and
 * its inclusive balance.
 */
export function toAccounts(entries: readonly Entry[]): object[] {
  const postings = entries.flatMap((entry) => entry.postings)
  const used = new Set(postings.flatMap(({ account }) => withParents(account)))
  const names = accountNames.filter((name) => used.has(name))
  const root = { aname: 'root', aparent_: '', subs: names.filter((name) => !name.includes(':')), own: [], all: postings }
  const accounts = names.map((aname) => ({
    aname,
    aparent_: withParents(aname)[1] ?? 'root',
    subs: names.filter((name) => withParents(name)[1] === aname),
    own: postings.filter(({ account }) => account === aname),
    all: postings.filter(({ account }) => withParents(account).includes(aname)),
  }))
  return [root, ...accounts].map(({ aname, aparent_, subs, own, all }) => ({
    aname,
    aebalance: toBalance(own),
    aibalance: toBalance(all),
    anumpostings: own.length,
    aboring: false,
    aparent_,
    asubs_: subs,
    asubs: [],
  }))
}

/** Sums by commodity and cost: amounts bought at different unit prices stay separate; total costs are added up. */
function toBalance(postings: readonly Posting[]): object[] {
  const sums = new Map<string, Priced>()
  for (const { amount, cost } of postings) {
    const key = [amount.commodity, cost?.kind ?? '', cost?.kind === 'UnitPrice' ? cost.amount.mantissa : ''].join(' ')
    const sum = sums.get(key)
    const total = cost?.kind === 'TotalPrice' && sum?.cost ? { ...cost, amount: plus(cost.amount, sum.cost.amount) } : cost
    sums.set(key, { amount: sum ? plus(sum.amount, amount) : amount, cost: total })
  }
  return [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => toPriced(sum))
}

function plus(a: Amount, b: Amount): Amount {
  return { ...a, mantissa: a.mantissa + b.mantissa }
}

function toPosting({ account, amount, cost, comment = '', isVirtual = false }: Posting, entry: number): object {
  const [, ownType] = /^type: (.+)$/m.exec(comment) ?? []
  return {
    paccount: account,
    pamount: [toPriced({ amount, cost })],
    pbalanceassertion: null,
    pcomment: comment,
    pdate: null,
    pdate2: null,
    poriginal: null,
    pstatus: 'Unmarked',
    ptags: [...(ownType === undefined ? [] : [['type', ownType]]), ...accountTags(account)],
    ptransaction_: String(entry),
    ptype: isVirtual ? 'VirtualPosting' : 'RegularPosting',
  }
}

function toPriced({ amount, cost }: Priced): object {
  return { ...toAmount(amount), aprice: cost ? { contents: toAmount(cost.amount), tag: cost.kind } : null }
}

function toAmount({ commodity, mantissa, places }: Amount): object {
  return {
    acommodity: commodity,
    aprice: null,
    aquantity: { decimalMantissa: mantissa, decimalPlaces: places, floatingPoint: mantissa / 10 ** places },
    astyle: { ascommodityside: 'R', ascommodityspaced: true, asdecimalpoint: ',', asdigitgroups: [' ', [3]], asprecision: places },
  }
}
