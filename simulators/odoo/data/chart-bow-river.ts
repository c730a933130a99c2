import type { Routine } from './routine.ts'

/** Chart of a dental practice in Calgary; the format is in chart.ts. */
export const BOW_RIVER_CHART = `
1000 | Petty cash | asset_cash
1010 | ATB operating account | asset_cash | about: Main chequing account
1011 | ATB payroll account | asset_cash
1020 | Patient trust account | asset_cash
1030 | US dollar account | asset_cash | [USD]
1040 | Old Servus account | asset_cash | archived
1050 | Card terminal clearing | asset_current
1060 | Airline miles balance | asset_current | [MILES]
1100 | Patient receivables | asset_receivable
1110 | Insurance receivables | asset_receivable
1190 | Allowance for doubtful accounts | asset_current
1200 | Dental supplies on hand | asset_current
1210 | Implants and crowns on hand | asset_current
1300 | Prepaid insurance | asset_prepayments
1310 | Prepaid rent | asset_prepayments
1320 | Loan to Dr. O’Neil | asset_current
1400 | GST receivable | asset_current
1500 | Operatory chairs | asset_fixed
1510 | Panoramic X-ray | asset_fixed
1520 | Leasehold improvements | asset_fixed
1530 | Computers and imaging software | asset_fixed
1540 | Naïve Design furniture | asset_fixed
1590 | Accumulated amortization | asset_fixed
1700 | Lease deposit | asset_non_current
1710 | Goodwill – purchase of the practice | asset_non_current
1720 | Shares of a dental lab | asset_non_current
2000 | Accounts payable | liability_payable
2010 | Accounts payable – USD suppliers | liability_payable | [USD]
2100 | ATB Mastercard | liability_credit_card
2110 | Costco Mastercard | liability_credit_card | archived
2200 | GST collected | liability_current
2210 | Payroll deductions payable | liability_current
2220 | Vacation pay accrued | liability_current
2230 | Patient deposits | liability_current
2240 | Corporate tax payable | liability_current
2250 | Line of credit | liability_current
2260 | Gift certificates | liability_current
2400 | Equipment loan – BDC | liability_non_current
2410 | X-ray lease obligation | liability_non_current
2420 | Due to shareholders | liability_non_current
3000 | Common shares | equity
3010 | Preferred shares | equity
3200 | Dividends | equity
3900 | Retained earnings | equity_unaffected
4000 | Hygiene | income
4010 | Restorative | income
4020 | Orthodontics | income
4030 | Implants | income
4090 | Adjustments and write-offs | income
4500 | Interest earned | income_other
4510 | Sublease income | income_other
4520 | Zahntechnik Köln – rebate | income_other | [EUR]
5000 | Lab fees | expense_direct_cost
5010 | Dental supplies used | expense_direct_cost
5020 | Associate dentists | expense_direct_cost
6000 | Salaries – hygienists | expense
6010 | Salaries – front context | expense
6020 | CPP and EI | expense
6100 | Rent | expense
6110 | Utilities | expense
6120 | Insurance | expense
6130 | Advertising | expense
6140 | Professional fees | expense
6150 | Bank and card fees | expense
6160 | Continuing education | expense
6170 | Meals and entertainment | expense
6180 | Bad debts | expense
6200 | Wellness pool | wellness_pool | about: Type added by a third-party module
6900 | Foreign exchange loss | expense_other
6910 | Interest on loans | expense_other
6950 | Amortization | expense_depreciation
6990 | Suspense 2019 | expense | archived
9000 | Statistical chair hours | off_balance
`

export const BOW_RIVER_ROUTINES: readonly Routine[] = [
  {
    label: 'Payroll',
    kind: 'entry',
    lines: [
      { account: 'Salaries – hygienists', side: 'debit' },
      { account: 'Payroll deductions payable', side: 'credit' },
      { account: 'ATB payroll account', side: 'credit' },
    ],
  },
  {
    label: 'Claims of the month',
    kind: 'out_invoice',
    lines: [
      { account: 'Insurance receivables', side: 'debit', partner: [31, 'Prairie Mutual Benefits'] },
      { account: 'Restorative', side: 'credit', partner: [31, 'Prairie Mutual Benefits'] },
      { account: 'Hygiene', side: 'credit', partner: [31, 'Prairie Mutual Benefits'] },
    ],
  },
  {
    label: 'Amortization of the chairs',
    kind: 'entry',
    lines: [
      { account: 'Amortization', side: 'debit' },
      { account: 'Accumulated amortization', side: 'credit' },
    ],
  },
]
