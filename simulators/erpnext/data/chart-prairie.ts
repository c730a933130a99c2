import type { Routine } from './routine.ts'

/**
 * Chart of an online outdoor shop in Regina, without account numbers, close to the ERPNext default; the format is in
 * chart.ts.
 */
export const PRAIRIE_CHART = `
- | Application of Funds (Assets) | . | Asset
>- | Current Assets | . | group
>>- | Accounts Receivable | . | group
>>>- | Debtors | Receivable
>>>- | Debtors USD | Receivable | [USD]
>>- | Bank Accounts | Bank | group
>>>- | Conexus Chequing | Bank
>>>- | Conexus US Dollar | Bank | [USD]
>>>- | PayPal | Bank
>>>- | Old TD Account | Bank | disabled
>>- | Cash In Hand | Cash | group
>>>- | Cash | Cash
>>- | Loans and Advances (Assets) | . | group
>>>- | Employee Advances | .
>>- | Securities and Deposits | . | group
>>>- | Earnest Money | .
>>- | Stock Assets | Stock | group
>>>- | Stock In Hand | Stock
>>>- | Stock In Transit – Québec | Stock
>>- | Tax Assets | . | group
>>>- | GST Paid | Tax
>>- | Gift Points Float | Loyalty Float | [Points]
>- | Fixed Assets | . | group
>>- | Capital Equipment | Fixed Asset
>>- | Electronic Equipment | Fixed Asset
>>- | Furniture and Fixtures | Fixed Asset
>>- | Warehouse Racking | Fixed Asset
>>- | Software | Fixed Asset
>>- | Accumulated Depreciation | Accumulated Depreciation
>>- | CWIP Account | Capital Work in Progress
>- | Investments | . | group
>>- | GIC | .
>- | Temporary Accounts | . | group
>>- | Temporary Opening | Temporary
- | Source of Funds (Liabilities) | . | Liability
>- | Current Liabilities | . | group
>>- | Accounts Payable | . | group
>>>- | Creditors | Payable
>>>- | Payroll Payable | .
>>- | Stock Liabilities | . | group
>>>- | Stock Received But Not Billed | Stock Received But Not Billed
>>>- | Asset Received But Not Billed | Asset Received But Not Billed
>>- | Duties and Taxes | Tax | group
>>>- | GST Collected | Tax
>>>- | PST Collected | Tax
>>- | Loans (Liabilities) | . | group
>>>- | Secured Loans | .
>>>- | Bank Overdraft Account | Bank
>>>- | Customer Deposits | Receivable
- | Equity | . | Equity
>- | Capital Stock | Equity
>- | Dividends Paid | Equity
>- | Opening Balance Equity | Equity
>- | Retained Earnings | Equity
- | Income | . | Income
>- | Direct Income | . | group
>>- | Sales | Income Account
>>- | Service | Income Account
>>- | Naïve Designs Royalty | Direct Income
>- | Indirect Income | . | group
>>- | Interest | Indirect Income
- | Expenses | . | Expense
>- | Direct Expenses | . | group
>>- | Stock Expenses | . | group
>>>- | Cost of Goods Sold | Cost of Goods Sold
>>>- | Expenses Included In Valuation | Expenses Included In Valuation
>>>- | Stock Adjustment | Stock Adjustment
>- | Indirect Expenses | . | group
>>- | Administrative Expenses | .
>>- | Commission on Sales | .
>>- | Depreciation | Depreciation
>>- | Entertainment Expenses | .
>>- | Freight and Forwarding Charges | Chargeable
>>- | Legal Expenses | .
>>- | Marketing Expenses | Chargeable
>>- | Office Rent | .
>>- | Round Off | Round Off
>>- | Salary | .
>>- | Telephone Expenses | .
>>- | Travel Expenses | .
>>- | Write Off | .
>>- | Exchange Gain/Loss | .
>>- | Miscellaneous 2018 | . | disabled
`

export const PRAIRIE_ROUTINES: readonly Routine[] = [
  {
    voucherType: 'Sales Invoice',
    prefix: 'SINV',
    remarks: 'Web orders',
    lines: [
      { account: 'Debtors', side: 'debit', party: ['Customer', 'Walk-in'] },
      { account: 'GST Collected', side: 'credit' },
      { account: 'Sales', side: 'credit' },
    ],
  },
  {
    voucherType: 'Journal Entry',
    prefix: 'JV',
    remarks: 'Payroll',
    lines: [
      { account: 'Salary', side: 'debit' },
      { account: 'Payroll Payable', side: 'credit' },
    ],
  },
]
