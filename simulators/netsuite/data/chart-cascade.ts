import type { Routine } from './routine.ts'

/** Chart of an online shop in Bend, Oregon, with a subsidiary in Canada; the format is in chart.ts. */
export const CASCADE_CHART = `
1000 | Cash and Equivalents | Bank | | summary
1010 | > Umpqua Operating | Bank | | USD
1020 | > Umpqua Payroll | Bank | | USD
1030 | > RBC Canada Operating | Bank | | CAD
1040 | > Stripe Clearing | Bank | | USD about: Card sales on their way to the bank
1050 | > Wise Euro | Bank | | EUR
1055 | > Fondo Santiago | Bank | | CLF
1060 | > Old Wells Fargo | Bank | | USD inactive
1070 | Petty Cash | Bank
1100 | Accounts Receivable | AcctRec | AcctRec | USD
1110 | Accounts Receivable CAD | AcctRec | | CAD
1120 | Unbilled Receivable | UnbilledRec | UnbilledRec
1150 | Undeposited Funds | OthCurrAsset | UndepFunds
1200 | Inventory – Trail Gear | OthCurrAsset | InvtAsset
1210 | Inventory in Transit | OthCurrAsset | InvInTransit
1220 | Inventory Returned Not Credited | OthCurrAsset | RtnNotCredit
1300 | Vendor Advances | OthCurrAsset | AdvPaid
1310 | Prepaid Software | DeferExpense | DeferExpense
1320 | Employee Advances | OthCurrAsset
1330 | GST/HST Recoverable (Canada) | OthCurrAsset
1340 | Payroll Float | OthCurrAsset | PayrollFloat
1500 | Warehouse Equipment | FixedAsset
1510 | > Pick-to-Light System | FixedAsset
1520 | Delivery Vans | FixedAsset
1590 | Accumulated Depreciation | FixedAsset
1700 | Security Deposits | OthAsset
1710 | Trademarks | OthAsset
2000 | Accounts Payable | AcctPay | AcctPay | USD
2010 | Accounts Payable CAD | AcctPay | | CAD
2050 | Inventory Received Not Billed | OthCurrLiab | RecvNotBill
2100 | Chase Ink Visa | CredCard | | USD
2110 | Amex Canada | CredCard | | CAD
2200 | Sales Taxes Payable | OthCurrLiab | SalesTaxPay
2210 | PST Payable (BC) | OthCurrLiab | PSTPay
2220 | GST/HST Payable (Canada) | OthCurrLiab | Tax
2300 | Payroll Liabilities | OthCurrLiab | PayrollLiab
2310 | Commissions Payable | OthCurrLiab | CommPay
2320 | Gift Cards Outstanding | OthCurrLiab
2330 | Customer Deposits | OthCurrLiab | CustDep
2340 | Refunds Payable | OthCurrLiab | RefundPay
2350 | Marketplace Reserve | OthCurrLiab | MktplcRsv | about: Opened by the marketplace bundle
2400 | Deferred Membership Revenue | DeferRevenue | DeferRevenue
2410 | Deferred Revenue Clearing | DeferRevenue | DeferRevClearing
2600 | SBA Loan | LongTermLiab
2610 | Van Lease | LongTermLiab
3000 | Common Stock | Equity
3100 | Retained Earnings | Equity | RetEarnings
3200 | Opening Balance | Equity | OpeningBalEquity
3300 | Cumulative Translation Adjustment | Equity | CumulTransAdj
3400 | Distributions | Equity
4000 | Web Sales | Income
4010 | > Tents & Packs | Income
4020 | > Footwear | Income
4030 | > Café « Le Sentier » Montréal | Income
4100 | Marketplace Sales | Income
4200 | Membership Revenue | Income
4300 | Shipping Income | Income
4900 | Discounts Given | Income
4950 | Interest Income | OthIncome
5000 | Cost of Goods Sold | COGS | COGS
5010 | Inbound Freight | COGS
5020 | Duty & Brokerage | COGS
6000 | Payroll Expense | Expense | PayrollExp
6010 | Warehouse Wages | Expense | PayWage
6020 | Payroll Taxes | Expense
6100 | Warehouse Rent | Expense
6110 | Utilities | Expense
6200 | Advertising | Expense
6210 | Stripe & PayPal Fees | Expense
6300 | Software Subscriptions | Expense
6310 | Professional Fees | Expense
6400 | PST Expense | Expense | PSTExp
6500 | Travel | Expense
6600 | Depreciation | Expense
6700 | Bad Debt | Expense
6990 | Print Catalog (discontinued) | Expense | | inactive
7000 | Interest Expense | OthExpense
7010 | Realized Gain/Loss | OthExpense | RealizedERV
7020 | Unrealized Gain/Loss | OthExpense | UnrERV
7030 | Rounding Gain/Loss | OthExpense | RndERV
7100 | Income Tax | OthExpense
- | Sales Orders | NonPosting | SalesOrd
- | Purchase Orders | NonPosting | PurchOrd
- | Estimates | NonPosting | Estimate
9000 | Orders Shipped | Stat
`

/** Subsidiary 1 is the parent in the USA, 2 the Canadian company. */
export const CASCADE_ROUTINES: readonly Routine[] = [
  {
    type: 'CustInvc',
    prefix: 'INV',
    memo: 'Wholesale order',
    entity: '201',
    subsidiary: '1',
    lines: [
      { account: 'Accounts Receivable', side: 'debit' },
      { account: 'Tents & Packs', side: 'credit' },
      { account: 'Sales Taxes Payable', side: 'credit' },
    ],
  },
  {
    type: 'CustPymt',
    prefix: 'PYMT',
    memo: '',
    entity: '201',
    subsidiary: '1',
    lines: [
      { account: 'Umpqua Operating', side: 'debit' },
      { account: 'Accounts Receivable', side: 'credit' },
    ],
  },
  {
    type: 'VendBill',
    prefix: 'BILL',
    memo: 'Freight of the month',
    entity: '301',
    subsidiary: '1',
    lines: [
      { account: 'Accounts Payable', side: 'credit' },
      { account: 'Inbound Freight', side: 'debit' },
    ],
  },
  {
    type: 'Journal',
    prefix: 'JE',
    memo: 'Payroll, warehouse',
    entity: null,
    subsidiary: '1',
    lines: [
      { account: 'Warehouse Wages', side: 'debit' },
      { account: 'Payroll Liabilities', side: 'credit' },
      { account: 'Umpqua Payroll', side: 'credit' },
    ],
  },
  {
    type: 'VendBill',
    prefix: 'BILL-CA',
    memo: 'Loyer, entrepôt de Burnaby',
    entity: '302',
    subsidiary: '2',
    lines: [
      { account: 'Accounts Payable CAD', side: 'credit' },
      { account: 'Warehouse Rent', side: 'debit' },
    ],
  },
]
