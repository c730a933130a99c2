/** Chart of a contractor in Wellington; the format is in chart.ts. */
export const KERERU_CHART = `
1-0000 | Assets | OtherAsset | header
1-1110 | Kiwibank Cheque | Bank
1-1120 | Kiwibank Savings – Pūtea | Bank
1-1130 | AUD Account | Bank | AUD
1-1140 | Closed ASB Account | Bank | inactive
1-1200 | Trade Debtors | AccountReceivable
1-1210 | Retentions Held by Clients | AccountReceivable
1-1300 | Work in Progress | OtherCurrentAsset
1-1400 | Prepayments | OtherCurrentAsset
1-2100 | Tools and Plant | FixedAsset
1-2110 | Tools and Plant Accum. Depn | FixedAsset
1-2200 | Utes | FixedAsset
1-2210 | Utes Accum. Depn | FixedAsset
1-3100 | Bonds and Deposits | OtherAsset
2-0000 | Liabilities | OtherLiability | header
2-1100 | Trade Creditors | AccountsPayable
2-1110 | Subcontractor Retentions | AccountsPayable
2-1200 | Visa | CreditCard
2-1300 | GST Collected | OtherCurrentLiability
2-1310 | GST Paid | OtherCurrentLiability
2-1320 | PAYE Payable | OtherCurrentLiability
2-1330 | KiwiSaver Payable | OtherCurrentLiability
2-1340 | Holiday Pay Accrual | OtherCurrentLiability
2-2100 | Ute Finance – Toyota | LongTermLiability
2-2200 | Shareholder Current Account – Aroha | LongTermLiability
3-0000 | Equity | Equity | header
3-1000 | Share Capital | Equity
3-8000 | Retained Earnings | Equity
3-9000 | Current Year Earnings | Equity
4-0000 | Income | Income | header
4-1000 | Contract Income | Income
4-1100 | Variations | Income
4-1200 | Marae Restoration – Māori Trust | Income
4-1300 | Day Works (old) | Income | inactive
5-0000 | Direct Costs | CostOfSales | header
5-1000 | Subcontractors | CostOfSales
5-1100 | Timber and Materials | CostOfSales
5-1200 | Plant Hire | CostOfSales
6-0000 | Expenses | Expense | header
6-1000 | Wages | Expense
6-1100 | ACC Levies | Expense
6-1200 | Fuel | Expense
6-1300 | Insurance | Expense
6-1400 | Yard Rent | Expense
6-1500 | Depreciation | Expense
6-1600 | Health and Safety | Expense
8-0000 | Other Income | OtherIncome | header
8-1000 | Interest Received | OtherIncome
9-0000 | Other Expenses | OtherExpense | header
9-1000 | Interest Paid | OtherExpense
`
