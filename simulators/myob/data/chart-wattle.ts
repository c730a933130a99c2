/** Chart of a bakery in Melbourne; the format is in chart.ts. */
export const WATTLE_CHART = `
1-0000 | Assets | OtherAsset | header
1-1110 | Business Cheque Account | Bank | about: CBA Fitzroy branch
1-1120 | Payroll Cheque Account | Bank
1-1130 | Cash Drawer – Smith Street | Bank
1-1140 | USD Account – Flour Imports | Bank | USD
1-1150 | Compte d’achats – Lyon | Bank | EUR
1-1160 | Old Bendigo Account | Bank | inactive
1-1180 | Undeposited Funds | OtherCurrentAsset
1-1190 | Electronic Clearing Account | OtherCurrentAsset
1-1310 | Trade Debtors | AccountReceivable
1-1320 | Provision for Doubtful Debts | OtherCurrentAsset
1-1400 | Stock – Flour and Butter | OtherCurrentAsset
1-1410 | Stock – Packaging | OtherCurrentAsset
1-1500 | Prepaid Insurance | OtherCurrentAsset
1-1600 | Supplier Deposits | OtherCurrentAsset
1-2100 | Deck Oven at Cost | FixedAsset
1-2110 | Deck Oven Accum. Depreciation | FixedAsset
1-2200 | Delivery Van at Cost | FixedAsset
1-2210 | Delivery Van Accum. Depreciation | FixedAsset
1-2300 | Shop Fit-out at Cost | FixedAsset
1-2400 | Café Furniture (sold) | FixedAsset | inactive
1-3100 | Rental Bond | OtherAsset
1-3200 | Goodwill | OtherAsset
1-3300 | Loyalty tokens | DigitalAsset | about: Opened by the loyalty add-on
2-0000 | Liabilities | OtherLiability | header
2-1110 | NAB Visa | CreditCard
2-1120 | Bunnings PowerPass | CreditCard
2-1210 | GST Collected | OtherCurrentLiability
2-1220 | GST Paid | OtherCurrentLiability
2-1310 | Trade Creditors | AccountsPayable
2-1410 | PAYG Withholding Payable | OtherCurrentLiability
2-1420 | Superannuation Payable | OtherCurrentLiability
2-1430 | Wages Clearing | OtherCurrentLiability
2-1500 | Gift Vouchers | OtherCurrentLiability
2-1600 | Customer Deposits | OtherCurrentLiability
2-2100 | Chattel Mortgage – Van | LongTermLiability
2-2200 | Equipment Loan – Oven | LongTermLiability
2-3100 | Director’s Loan – Zoë | OtherLiability
3-0000 | Equity | Equity | header
3-1000 | Share Capital | Equity
3-8000 | Retained Earnings | Equity
3-9000 | Current Year Earnings | Equity
3-9999 | Historical Balancing Account | Equity
4-0000 | Income | Income | header
4-1100 | Sales – Bread | Income
4-1200 | Sales – Pâtisserie | Income
4-1300 | Sales – Wholesale Cafés | Income
4-1400 | Baking Classes | Income
4-1900 | Discounts Given | Income
4-2000 | Catering (closed) | Income | inactive
5-0000 | Cost of Sales | CostOfSales | header
5-1100 | Flour, Butter and Sugar | CostOfSales
5-1200 | Packaging | CostOfSales
5-1300 | Bakers’ Wages | CostOfSales
5-1400 | Freight Inwards | CostOfSales
6-0000 | Expenses | Expense | header
6-1100 | Rent | Expense
6-1200 | Electricity and Gas | Expense
6-1300 | Wages – Shop | Expense
6-1310 | Superannuation | Expense
6-1320 | WorkCover | Expense
6-1400 | Insurance | Expense
6-1500 | Advertising | Expense
6-1600 | Accounting Fees | Expense
6-1700 | Bank Charges | Expense
6-1800 | Merchant Fees | Expense
6-1900 | Depreciation | Expense
6-2000 | Motor Vehicle – Fuel | Expense
6-2100 | Repairs and Maintenance | Expense
6-2200 | Telephone and Internet | Expense
6-2300 | Franchise Fee (ended) | Expense | inactive
8-0000 | Other Income | OtherIncome | header
8-1000 | Interest Income | OtherIncome
8-2000 | Government Apprentice Grant | OtherIncome
9-0000 | Other Expenses | OtherExpense | header
9-1000 | Interest Expense | OtherExpense
9-2000 | Income Tax Expense | OtherExpense
9-3000 | Currency Gain/Loss | OtherExpense
`
