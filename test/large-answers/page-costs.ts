import type { Answers } from '../../src/connectors/contract/contract.ts'
import { findConnector } from '../../src/connectors/registry.ts'
import { LARGE_BYTES } from '../../src/sync/runs/read-items.ts'

/** Milliseconds until the first record of a page that is just not read in a thread, by connector: `node page-costs.ts`, as JSON. */
export type PageCosts = Record<string, number>

/** Of several readings the shortest counts: in the first ones the code is not compiled yet. */
const READINGS = 5
const LONG = '123456789012345.25'

const encode = (text: string) => new TextEncoder().encode(text)

/** A list of as many rows as a page may have. */
function listOf(head: string, row: (index: number) => string, tail: string): Uint8Array {
  const rows: string[] = []
  for (let size = 0; size < LARGE_BYTES - 4_096; size += (rows.at(-1)?.length ?? 0) + 1) rows.push(row(rows.length))
  return encode(`${head}${rows.join()}${tail}`)
}

const posting = (account: string, mantissa: number) =>
  `{"paccount":"${account}","pdate":null,"pcomment":"","ptags":[],"ptype":"RegularPosting","pamount":[{"acommodity":"USD","aquantity":{"decimalMantissa":${mantissa},"decimalPlaces":2},"acost":null}]}`
const entry = (index: number) =>
  `{"tdate":"2026-01-01","tdate2":null,"tcode":"","tdescription":"Entry ${index}","tcomment":"","tpostings":[${posting('assets:bank', index)},${posting('expenses', -index)}]}`

const PAGES: [connector: string, pull: string, answers: Answers][] = [
  ['hledger', 'books', { names: encode('["assets:bank","expenses"]'), accounts: encode('[]'), transactions: listOf('[', entry, ']') }],
  [
    ...(['simplefin', 'transactions'] as const),
    {
      transactions: listOf(
        '{"accounts":[{"id":"1","transactions":[',
        (index) => `{"id":"${index}","posted":1790000000,"amount":${LONG},"description":"Payment ${index}"}`,
        ']}]}',
      ),
    },
  ],
  [
    ...(['flinks-outbound', 'transactions'] as const),
    {
      about: encode('{"parts":[{"name":"rows-0","accountId":"a","currency":"CAD"}],"gone":[]}'),
      'rows-0': listOf(
        '{"transactions":[',
        (index) => `{"transactionId":"${index}","amount":${LONG},"debitCreditMemo":"DEBIT","status":"POSTED"}`,
        ']}',
      ),
    },
  ],
]

async function measure(key: string, name: string, answers: Answers): Promise<number> {
  const connector = await findConnector({ key, folder: undefined, profile: undefined })?.load()
  const pull = connector?.pulls.find((each) => each.name === name)
  if (!pull) throw new Error('no such pull')
  let shortestMs = Number.POSITIVE_INFINITY
  for (let reading = 0; reading < READINGS; reading += 1) {
    const before = process.threadCpuUsage()
    for (const _item of pull.read(answers)) break
    const { user, system } = process.threadCpuUsage(before)
    shortestMs = Math.min(shortestMs, (user + system) / 1_000)
  }
  return shortestMs
}

const costs: PageCosts = {}
for (const [connector, pull, answers] of PAGES) costs[connector] = await measure(connector, pull, answers)
process.stdout.write(JSON.stringify(costs))
