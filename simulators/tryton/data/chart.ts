import type { Cell, Row } from '../api/search.ts'

/** `id | parent | name | statement | flags`; the first is the root and has no statement. */
const TYPES = `
1 | | Account types of the practice | |
2 | 1 | Assets | balance | assets
3 | 2 | Current assets | balance | assets
4 | 3 | Cash and bank | balance | assets
5 | 3 | Receivable | balance | assets receivable
6 | 3 | Inventory | balance | assets stock
7 | 3 | Prepaid expenses | balance | assets
8 | 2 | Property and equipment | balance | assets
9 | 2 | Long-term assets | balance | assets
10 | 1 | Liabilities | balance |
11 | 10 | Current liabilities | balance |
12 | 11 | Payable | balance | payable
13 | 11 | Taxes payable | balance |
14 | 11 | Credit cards | balance |
15 | 11 | Lines of credit | balance | debt
16 | 10 | Long-term loans | balance |
17 | 1 | Equity | balance |
18 | 17 | Retained earnings | balance |
19 | 1 | Results | income |
20 | 19 | Revenue | income | revenue
21 | 19 | Cost of sales | income | expense
22 | 19 | Expense | income | expense
23 | 22 | Depreciation | income | expense
24 | 1 | Memorandum | off-balance |
`

/** `code | name | type | words`. No type means a view, which only totals the accounts below its code. */
const ACCOUNTS = `
1 | Assets
10 | Cash and bank
1000 | Petty cash | 4
1010 | ATB operating account | 4 | note: Main chequing account
1011 | ATB payroll account | 4
1020 | Patient trust account | 4
1030 | US dollar account | 4 | second: 2
1040 | Old Servus account | 4 | ended
1050 | Card terminal clearing | 3
11 | Receivables
1100 | Patient receivables | 5
1110 | Insurance receivables – Alberta Blue Cross | 5
1120 | Loan to Dr. O’Neil | 3
1190 | Allowance for doubtful accounts | 3
12 | Supplies
1200 | Dental supplies on hand | 6
1210 | Implants and crowns on hand | 6
13 | Prepaid
1300 | Prepaid insurance | 7
1310 | Prepaid rent | 7
1320 | GST recoverable | 3
15 | Equipment
1500 | Operatory chairs | 8
1510 | Panoramic X-ray – Sirona Orthophos | 8
1520 | Leasehold improvements | 8
1530 | Computers and imaging software | 8
1540 | Naïve Design furniture | 8
1550 | Old autoclave | 8 | ended
1590 | Accumulated amortization | 8
17 | Other assets
1700 | Lease deposit | 9
1710 | Goodwill – purchase of Dr. Böhm’s practice | 9
2 | Liabilities
20 | Payables
2000 | Accounts payable | 12
2010 | Accounts payable – US suppliers | 12 | second: 2
2100 | ATB Mastercard | 14
2110 | Costco Mastercard | 14 | ended
22 | Government and staff
2200 | GST collected | 13
2210 | Payroll deductions payable | 13
2220 | Vacation pay accrued | 11
2230 | Patient deposits | 11
2240 | Corporate tax payable | 13
2250 | ATB line of credit | 15 | debit: 4
2260 | Gift certificates | 11
24 | Loans
2400 | Equipment loan – BDC | 16
2410 | X-ray lease obligation | 16
2420 | Due to shareholders | 16
3 | Equity
3000 | Common shares | 17
3010 | Preferred shares – Dr. Mireille Gagné | 17
3200 | Dividends | 17
3900 | Retained earnings | 18
4 | Revenue
4000 | Hygiene | 20
4010 | Restorative | 20
4020 | Orthodontics | 20
4030 | Implants | 20
4090 | Adjustments and write-offs | 20
4500 | Interest earned | 20
4510 | Sublease income – Café Éclair | 20
4590 | Teeth whitening (discontinued) | 20 | ended
5 | Cost of sales
5000 | Lab fees | 21
5010 | Dental supplies used | 21
5020 | Associate dentists | 21
6 | Expenses
6000 | Salaries – hygienists | 22
6010 | Salaries – reception | 22
6020 | Employer’s CPP and EI | 22
6100 | Rent | 22
6110 | Utilities | 22
6120 | Software – Dentrix | 22
6130 | Insurance | 22
6140 | Continuing education – Montréal | 22
6150 | Bank charges | 22
6160 | Foreign exchange | 22
6200 | Amortization | 23
9 | Memorandum
9000 | Guarantee for the lease | 24
`

const FLAGS = ['assets', 'receivable', 'stock', 'payable', 'debt', 'revenue', 'expense']

/** Flags are 0 and 1, as with a server on SQLite. */
export function listTypes(): Row[] {
  return readLines(TYPES).map(([id, parent, name, statement, flags]) => ({
    id: Number(id),
    company: 1,
    name: name ?? '',
    statement: statement || null,
    parent: Number(parent) || null,
    ...Object.fromEntries(FLAGS.map((flag) => [flag, Number((flags ?? '').split(' ').includes(flag))])),
  }))
}

/** Root of the chart first; the id of any other account is 100 plus its index in the chart. */
export function listAccounts(): Row[] {
  const lines = readLines(ACCOUNTS)
  const root = { ...emptyAccount, id: 1, code: null, name: 'Chart of the practice', type: 1, closed: 1 }
  const views = lines.filter(([, , type]) => !type).map(([code = '']) => code)
  const idOf = (code: string) => 100 + lines.findIndex(([each]) => each === code)
  const accounts = lines.map(([code = '', name = '', type, words = '']) => {
    const above = views.filter((view) => view !== code && code.startsWith(view)).sort((a, b) => b.length - a.length)[0]
    const isEnded = words.includes('ended')
    return {
      ...emptyAccount,
      ...{ id: idOf(code), code, name, type: Number(type) || null, parent: above === undefined ? 1 : idOf(above) },
      note: /note: (.*)/.exec(words)?.[1] ?? null,
      second_currency: Number(/second: (\d+)/.exec(words)?.[1]) || null,
      debit_type: Number(/debit: (\d+)/.exec(words)?.[1]) || null,
      active: !isEnded,
      end_date: isEnded ? ({ __class__: 'date', year: 2024, month: 12, day: 31 } as const) : null,
    }
  })
  return [root, ...accounts]
}

const emptyAccount: Record<string, Cell> = {
  company: 1,
  currency: 1,
  second_currency: null,
  note: null,
  parent: null,
  debit_type: null,
  start_date: null,
  end_date: null,
  closed: 0,
  active: true,
}

function readLines(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => line.split('|').map((cell) => cell.trim()))
}
