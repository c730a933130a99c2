import type { Routine } from './routine.ts'

/** Chart of a dental practice in Calgary; the format is in chart.ts. */
export const BOW_RIVER_CHART = `
10000 | BALANCE SHEET | H | Assets | Assets
10001 | ASSETS | B | Assets | Assets
10100 | Current Assets | B | Assets | Current Assets
10110 | Petty Cash | P | Assets | Cash
10120 | Operating Account – ATB Financial | P | Assets | Cash
10130 | Payroll Account – ATB Financial | P | Assets | Cash
10140 | US Dollar Account | P | Assets | Cash
10150 | Old Account – TD Canada Trust | P | Assets | Cash | blocked
10200 | Patient Receivables | P | Assets | Accounts Receivable
10210 | Insurance Claims Receivable | P | Assets | Accounts Receivable
10220 | Canadian Dental Care Plan Receivable | P | Assets | Accounts Receivable
10290 | Allowance for Doubtful Accounts | P | Assets | Accounts Receivable
10300 | Dental Supplies on Hand | P | Assets | Inventory
10310 | Implant Components | P | Assets | Inventory
10400 | Prepaid Insurance | P | Assets | Prepaid Expenses
10410 | Prepaid Licences & Dues | P | Assets | Prepaid Expenses
10500 | Due from Associate Dentists | P | Assets | Current Assets
10590 | Payment Terminal Clearing | P | Assets | Merchant Clearing
10599 | Current Assets, Total | E | Assets | Current Assets
11000 | Fixed Assets | B | Assets | Fixed Assets
11100 | Dental Chairs & Units | P | Assets | Equipment
11110 | Panoramic X-Ray | P | Assets | Equipment
11120 | Computers & Practice Software | P | Assets | Equipment
11200 | Leasehold Improvements | P | Assets | Fixed Assets
11900 | Accum. Depreciation, Equipment | P | Assets | Accumulated Depreciation | closed
11910 | Accum. Depreciation, Leaseholds | P | Assets | Accumulated Depreciation | closed
11999 | Fixed Assets, Total | E | Assets | Fixed Assets
12000 | Goodwill – Practice Purchase | P | Assets | Assets
12100 | Rent Deposit | P | Assets |
19999 | TOTAL ASSETS | E | Assets | Assets
20000 | LIABILITIES AND EQUITY | B | Liabilities | Liabilities
20100 | Accounts Payable | P | Liabilities | Current Liabilities | closed
20110 | Dental Lab Payables | P | Liabilities | Current Liabilities
20200 | Visa – ATB Business | P | Liabilities | Current Liabilities
20300 | GST Payable | P | Liabilities | Current Liabilities
20310 | GST Paid on Purchases (ITC) | P | Liabilities | Current Liabilities
20400 | Source Deductions Payable | P | Liabilities | Payroll Liabilities
20410 | CPP Payable | P | Liabilities | Payroll Liabilities
20420 | EI Payable | P | Liabilities | Payroll Liabilities
20430 | WCB Premiums Payable | P | Liabilities | Payroll Liabilities
20440 | Vacation Pay Accrued | P | Liabilities | Payroll Liabilities
20500 | Patient Prepayments | P | Liabilities | Deferred Revenue
20900 | Suspense | P | Liabilities |
21000 | Practice Purchase Loan – RBC | P | Liabilities | Long Term Liabilities
21010 | Equipment Lease – CBCT Scanner | P | Liabilities | Long Term Liabilities
21020 | Shareholder Loan – Dr. O’Neill | P | Liabilities | Long Term Liabilities
30000 | EQUITY | B | Equity | Equity
30100 | Class A Shares | P | Equity | Common Stock
30200 | Retained Earnings | P | Equity | Retained Earnings | closed
30300 | Dividends Paid | P | Equity | Distributions to Shareholders
30999 | Total Equity | E | Equity | Equity
39999 | TOTAL LIABILITIES AND EQUITY | E | Liabilities | Liabilities
40000 | INCOME STATEMENT | H | Income | Income
40001 | REVENUE | B | Income | Income
40100 | Preventive & Hygiene | P | Income | Income, Services
40110 | Restorative | P | Income | Income, Services
40120 | Orthodontics | P | Income | Income, Services
40130 | Implants & Oral Surgery | P | Income | Income, Services
40200 | Whitening Kits Sold | P | Income | Income, Product Sales
40800 | Courtesy Adjustments | P | Income | Sales Discounts
40810 | Insurance Write-Offs | P | Income | Sales Returns & Allowances
40900 | Interest Earned | P | Income | Income, Interest
40999 | Total Revenue | E | Income | Income
50000 | COST OF CARE | B | Cost of Goods Sold | Cost of Goods Sold
50100 | Dental Supplies | P | Cost of Goods Sold | Materials
50200 | Lab Fees – Crowns & Bridges | P | Cost of Goods Sold | Materials
50300 | Associate Dentists’ Share | P | Cost of Goods Sold | Labor
50999 | Total Cost of Care | E | Cost of Goods Sold | Cost of Goods Sold
60000 | EXPENSES | B | Expense | Expense
60100 | Hygienists’ Wages | P | Expense | Salaries Expense
60110 | Reception Wages | P | Expense | Salaries Expense
60120 | CPP & EI, Employer’s Part | P | Expense | Payroll Expense
60130 | Health Benefits | P | Expense | Benefits Expense
60200 | Rent – 4th Street SW | P | Expense | Rent Expense
60210 | Power & Natural Gas | P | Expense | Utilities Expense
60300 | Malpractice Insurance | P | Expense | Insurance Expense
60400 | Website & Advertising | P | Expense | Advertising Expense
60500 | Card Fees | P | Expense | Fees Expense
60510 | Loan Interest | P | Expense | Interest Expense
60600 | Equipment Repairs | P | Expense | Repairs and Maintenance Expense
60700 | Courses & Conferences | P | Expense | Travel Expense
60710 | Sterilization Courier Van | P | Expense | Vehicle Expenses
60800 | Patient Bad Debts | P | Expense | Bad Debt Expense
60900 | Amortization | P | Expense | Expense
60950 | Foreign Exchange Differences | P | Expense | Other Income & Expenses
60960 | Corporate Income Tax | P | Expense | Tax Expense
60990 | Fax & Pager (retired) | P | Expense | Utilities Expense | blocked
60999 | Total Expenses | E | Expense | Expense
99990 | NET INCOME | T | Expense | Expense
99999 | Statistical Chair Hours | P |  |
`

export const BOW_RIVER_ROUTINES: readonly Routine[] = [
  {
    document: 'PAY',
    type: '_x0020_',
    text: 'Hygienists, month end',
    lines: [
      { number: '60100', side: 'debit' },
      { number: '20400', side: 'credit' },
      { number: '10130', side: 'credit' },
    ],
  },
  {
    document: 'SI',
    type: 'Invoice',
    text: 'Alberta Blue Cross, claims of the month',
    lines: [
      { number: '10210', side: 'debit' },
      { number: '40100', side: 'credit' },
      { number: '40110', side: 'credit' },
    ],
  },
  {
    document: 'PI',
    type: 'Invoice',
    text: 'Aurum Ceramic Dental Laboratories',
    lines: [
      { number: '20110', side: 'credit' },
      { number: '50200', side: 'debit' },
    ],
  },
  {
    document: 'SCM',
    type: 'Credit_x0020_Memo',
    text: 'Courtesy to a patient',
    lines: [
      { number: '10200', side: 'credit' },
      { number: '40800', side: 'debit' },
    ],
  },
  {
    document: 'DEP',
    type: '_x0020_',
    text: 'Amortization of chairs and units',
    lines: [
      { number: '60900', side: 'debit' },
      { number: '11900', side: 'credit' },
    ],
  },
]
